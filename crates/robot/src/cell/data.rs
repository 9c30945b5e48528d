//! Data of a cell: robots, bodies, parts, and the pairs that are tested. All files of this folder build on it.

use super::cover::Cover;
use crate::ConfigurationError;
use crate::tree::{Robot, Variable};
use glam::DVec3;
use noli::{Model, Placed, Pose};
use noli_geom::{Sphere, UNIT_ROUNDOFF};
use std::sync::Arc;

/// Why a pair is not asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisableReason {
    /// No joint that moves lies between them, or both stand still.
    HeldTogether,
    /// One joint joins them, and nothing better is known.
    Adjacent,
    /// The robot's SRDF says so, for this reason; it may be empty.
    Srdf(String),
    /// A carried object may touch it.
    MayTouch,
    /// Somebody said so, for this reason.
    Said(String),
}

impl std::fmt::Display for DisableReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::HeldTogether => write!(f, "held together: nothing moves between them"),
            Self::Adjacent => write!(f, "adjacent: joined by a joint"),
            Self::Srdf(reason) if reason.is_empty() => write!(f, "disabled by the SRDF"),
            Self::Srdf(reason) => write!(f, "disabled by the SRDF: {reason}"),
            Self::MayTouch => write!(f, "the attached object may touch it"),
            Self::Said(reason) => write!(f, "{reason}"),
        }
    }
}

/// Whether a pair is asked about.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias("AllowedCollisionMatrix", "allowed collision matrix", "ACM"))]
pub enum PairRule {
    /// It is; closer than the margin counts as a hit.
    Checked {
        /// The margin; 0 asks whether they share a point.
        margin: f64,
    },
    /// It is not.
    Disabled(DisableReason),
}

/// Two parts of a cell, by number, and whether they are asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The parts, the smaller number first.
    pub parts: [usize; 2],
    /// Whether they are asked about.
    pub rule: PairRule,
}

/// Kind of a part of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A link.
    Link {
        /// The robot's number.
        arm: usize,
        /// The link's number.
        link: usize,
    },
    /// An object that a link carries.
    Carried {
        /// The robot's number.
        arm: usize,
        /// The link that carries it.
        link: usize,
    },
    /// A fixed body.
    World,
}

/// A link, an object carried, or a body that stands still.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name: for a link that of the link, after the robot's prefix.
    pub name: String,
    /// Its kind.
    pub holder: PartKind,
    /// Added to the margin of all its pairs.
    pub padding: f64,
    pub(super) touches: Vec<String>,
}

/// A robot in a cell.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) robot: Arc<Robot>,
    pub(crate) world_from_root: Pose,
    pub(super) prefix: String,
    pub(super) has_srdf: bool,
    /// The first of its values and links among those of all robots.
    pub(crate) first_value: usize,
    pub(crate) first_link: usize,
}

impl Arm {
    /// Its own values among those of all robots.
    pub(crate) fn values<'a>(&self, all: &'a [f64]) -> &'a [f64] {
        &all[self.first_value..][..self.robot.variables().len()]
    }
}

/// One shape of a part, with its bounding and inscribed spheres.
#[derive(Clone, Debug)]
pub struct Body {
    pub(super) part: usize,
    pub(super) model: Model,
    /// On its link, or in the world.
    pub(super) carrier_from_body: Pose,
    /// The link among those of all robots; `None` for an obstacle.
    pub(super) carrier: Option<usize>,
    pub(super) cover: Cover,
    /// The part of it that is there for certain; `None` if all is.
    pub(super) certain: Option<Model>,
}

/// Spheres are in the frame of the carrier: the link, or the world.
impl Body {
    /// The shape.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The link that carries it, among those of all robots; `None` for an obstacle.
    pub fn carrier(&self) -> Option<usize> {
        self.carrier
    }

    /// The pose on its link, or in the world.
    pub fn carrier_from_body(&self) -> Pose {
        self.carrier_from_body
    }

    /// A sphere around all of it; infinite if the body is.
    pub fn bounding_sphere(&self) -> Sphere {
        self.cover.whole
    }

    /// At most sixteen spheres that cover it.
    pub fn outer_spheres(&self) -> &[Sphere] {
        &self.cover.outer
    }

    /// At most sixteen spheres inside it, the largest first; none for surfaces.
    pub fn inner_spheres(&self) -> &[Sphere] {
        &self.cover.inner
    }

    /// The body at the poses of all links.
    pub(super) fn placed(&self, links: &[Pose]) -> Placed<'_> {
        let place = self.carrier_from_body;
        self.model.at(self.carrier.map_or(place, |link| links[link] * place))
    }

    /// Its bounding sphere at the poses of all links.
    pub(super) fn sphere_at(&self, links: &[Pose]) -> Sphere {
        let Sphere { center, radius } = self.cover.whole;
        let center = self.carrier.map_or(center, |link| links[link].transform_point(center));
        Sphere { center, radius }
    }
}

/// Two bodies that are tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPair {
    /// The bodies, by number.
    pub bodies: [u32; 2],
    /// The pair of parts.
    pub pair: u32,
    /// Closer than this is a collision.
    pub margin: f64,
}

/// Robots, bodies and pairs of a cell.
#[derive(Clone, Debug)]
pub(crate) struct CellData {
    pub(super) arms: Vec<Arm>,
    pub(super) parts: Vec<Part>,
    pub(super) bodies: Vec<Body>,
    pub(super) pairs: Vec<Pair>,
    /// The pairs of bodies that are tested, the likeliest to collide first.
    pub(super) on: Vec<BodyPair>,
    pub(super) links: usize,
    pub(super) values: usize,
    /// More elementary steps than any chain has.
    pub(super) steps: usize,
}

impl CellData {
    /// An error for values that are no configuration of all robots.
    pub(super) fn check_values(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        let (found, wanted) = (values.len(), self.values);
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted });
        }
        self.arms.iter().try_for_each(|arm| arm.robot.check_values(arm.values(values)))
    }

    /// The number of configurations, one after the other; an error if one is invalid.
    pub(super) fn check_all(&self, states: &[f64]) -> Result<usize, ConfigurationError> {
        let limits: Vec<f64> = self.variables().map(|variable| variable.movement.largest_value()).collect();
        let size = limits.len();
        // Without variables there is one configuration, which has no values.
        if size == 0 && states.is_empty() {
            return Ok(1);
        }
        if size == 0 || !states.len().is_multiple_of(size) {
            let found = states.len().checked_rem(size).unwrap_or(states.len());
            return Err(ConfigurationError::Count { found, wanted: size });
        }
        let fits = |values: &[f64]| {
            values.iter().zip(&limits).fold(true, |fits, (value, most)| fits & (value.abs() <= *most))
        };
        let wrong = states.chunks_exact(size).find(|values| !fits(values));
        wrong.map_or(Ok(()), |values| self.check_values(values))?;
        Ok(states.len() / size)
    }

    /// Configurations that were counted by [`check_all`](Self::check_all), so many at a time.
    pub(super) fn blocks<'s>(&self, states: &'s [f64], most: usize) -> impl Iterator<Item = &'s [f64]> {
        let only = (self.values == 0).then_some(states);
        only.into_iter().chain(states.chunks(most * self.values.max(1)))
    }

    /// Poses of all links in a configuration.
    pub(super) fn pose_links(&self, values: &[f64], links: &mut [Pose]) {
        for arm in &self.arms {
            let own = arm.values(values);
            let poses = &mut links[arm.first_link..];
            arm.robot.poses_by(&arm.world_from_root, |variable| own[variable as usize], poses);
        }
    }

    /// The root of the first robot: the filter's origin.
    pub(super) fn origin(&self) -> DVec3 {
        self.arms.first().map_or(DVec3::ZERO, |arm| arm.world_from_root.translation)
    }

    /// The robot that carries a body, and the link there; `None` for an obstacle.
    pub(super) fn arm_and_link(&self, body: usize) -> Option<(usize, usize)> {
        let link = self.bodies[body].carrier?;
        let arm = self.arms.iter().rposition(|arm| arm.first_link <= link)?;
        Some((arm, link - self.arms[arm].first_link))
    }

    /// The bodies on links of a robot, with the link's number there.
    pub(super) fn bodies_on<'a>(&'a self, arm: &'a Arm) -> impl Iterator<Item = (usize, usize)> + 'a {
        let links = arm.first_link..arm.first_link + arm.robot.links().len();
        let on = move |(number, body): (usize, &Body)| {
            let link = body.carrier.filter(|link| links.contains(link))?;
            Some((number, link - links.start))
        };
        self.bodies.iter().enumerate().filter_map(on)
    }

    /// The bodies of each part.
    pub(super) fn bodies_by_part(&self) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.parts.len()];
        self.bodies.iter().enumerate().for_each(|(number, body)| all[body.part].push(number as u32));
        all
    }

    /// The pairs of bodies of a pair of parts.
    pub(super) fn bodies_of(&self, number: usize, margin: f64) -> Vec<BodyPair> {
        let [a, b] = self.pairs[number].parts;
        let of = |part: usize| (0..self.bodies.len()).filter(move |&body| self.bodies[body].part == part);
        let pairs = of(a).flat_map(|x| of(b).map(move |y| [x as u32, y as u32]));
        pairs.map(|bodies| BodyPair { bodies, pair: number as u32, margin }).collect()
    }

    /// A lower bound on the distance of two bodies by their bounding spheres.
    pub(super) fn separation(&self, pair: &BodyPair, links: &[Pose]) -> f64 {
        let [a, b] = pair.bodies.map(|body| self.bodies[body as usize].sphere_at(links));
        let far = a.center.length() + b.center.length() + a.radius + b.radius;
        let slack = 1024.0 * UNIT_ROUNDOFF * (self.steps + 4) as f64 * far;
        let least = a.center.distance(b.center) - a.radius - b.radius - slack;
        if least > 0.0 { least } else { 0.0 }
    }

    /// The variables of all robots, in the order of a configuration.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.arms.iter().flat_map(|arm| arm.robot.variables())
    }

    /// A variable of a configuration.
    pub(super) fn variable(&self, value: usize) -> &Variable {
        let of = self.arms.iter().rposition(|arm| arm.first_value <= value).unwrap_or(0);
        let arm = &self.arms[of];
        &arm.robot.variables()[value - arm.first_value]
    }

    /// A configuration within limits, all shares drawn anew.
    pub(super) fn any_state(&self, share: &mut impl FnMut() -> f64) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.values);
        for arm in &self.arms {
            let first = all.len();
            all.extend(arm.robot.variables().iter().map(|variable| {
                let [low, high] = variable.drawn_range();
                low + (high - low) * share()
            }));
            arm.robot.apply_laws(&mut all[first..]);
        }
        all
    }
}
