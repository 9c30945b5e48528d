//! Robots among other bodies: which links meet what, in a configuration and on the way between two.
//!
//! A [`Cell`] holds robots, bodies that stand still and objects that links carry; it knows of every pair of
//! them whether it is asked about, and if not, [why](Why). A [`Checker`] asks: of one configuration, of many,
//! of the straight way in joint space between two. Every verdict is that of [`noli::overlap`] on the true
//! shapes; balls around and inside them decide most pairs first, by proof.
//!
//! ```
//! use noli_robot::cell::{CellPlan, Standing};
//! use noli_robot::{PumaSet, puma560};
//! use noli::{Convex, Model, Pose};
//! let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
//! let shapes = robot.shapes(|file| Err(file.to_owned()))?;
//! let mut plan = CellPlan::default();
//! let arm = plan.robot("", robot, Pose::IDENTITY, &shapes)?;
//! let ball = Model::new(Convex::sphere(0.1)?)?;
//! plan.fixed("ball", &ball, Pose::from_translation(glam::dvec3(0.4, 0.1, 0.0)))?;
//! let cell = plan.build();
//! let mut checker = cell.checker();
//! let Standing::Hit(pair) = checker.first_hit(&[0.0; 6])? else { panic!("the arm reaches through it") };
//! assert_eq!(cell.pair_names(pair)[1], "ball");
//! # let _ = arm;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod along;
mod any;
mod block;
mod cover;
mod edge;
mod image;
mod prove;
mod sketch;
mod state;
mod table;

pub use along::Closest;
pub use edge::{Connection, EdgeError, EdgeTouch};
pub use image::{BodyImage, CellImage, CoupleImage, LimbImage, StepImage, StepKind};
pub use prove::{Meeting, ProofOptions, Proved};
pub use state::{Checker, Meets, Nearest, Standing};

use crate::error::suggestion;
use crate::kinematics::LaneFrame;
use crate::parallel::each;
use crate::tree::{JointKind, Robot};
use crate::{ConfigurationError, LinkShape, Solid, Srdf};
use cover::Cover;
use noli::{Model, Pose, ShapeError};
use sketch::Sketch;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use table::Tables;

/// Why a pair is not asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// No joint that moves lies between them, or both stand still.
    HeldTogether,
    /// One joint joins them, and nothing better is known.
    Adjacent,
    /// The robot's SRDF says so, for this reason; it may be empty.
    Srdf(String),
    /// What is carried may touch it.
    MayTouch,
    /// Somebody said so, for this reason.
    Said(String),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::HeldTogether => write!(f, "held together: nothing moves between them"),
            Self::Adjacent => write!(f, "adjacent: joined by a joint"),
            Self::Srdf(reason) if reason.is_empty() => write!(f, "disabled by the SRDF"),
            Self::Srdf(reason) => write!(f, "disabled by the SRDF: {reason}"),
            Self::MayTouch => write!(f, "what is carried may touch it"),
            Self::Said(reason) => write!(f, "{reason}"),
        }
    }
}

/// Whether a pair is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// It is; closer than the margin counts as a hit.
    On {
        /// The margin; 0 asks whether they share a point.
        margin: f64,
    },
    /// It is not.
    Off(Why),
}

/// Two parts of a cell, by number, and whether they are asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The parts, the smaller number first.
    pub parts: [usize; 2],
    /// Whether they are asked about.
    pub rule: Rule,
}

/// What a part of a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
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
    /// A body that stands still.
    World,
}

/// A link, an object carried, or a body that stands still.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name: for a link that of the link, after the robot's prefix.
    pub name: String,
    /// What it is.
    pub holder: Holder,
    /// Added to the margin of all its pairs.
    pub padding: f64,
    touches: Vec<String>,
}

/// Why something cannot be in a cell.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CellError {
    /// A shape that is none.
    #[error("`{name}`: {error}")]
    Shape {
        /// Whose.
        name: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// A place that is no pose.
    #[error("the place of `{0}` is not a pose: a coordinate is not finite, or its quaternion is zero")]
    Place(String),
    /// A name that nothing has.
    #[error("there is no `{name}`{hint}")]
    NoSuch {
        /// The name.
        name: String,
        /// The nearest name there is, as the end of the sentence; may be empty.
        hint: String,
    },
    /// A name that is taken.
    #[error("there is a `{0}` already; give the robot or the body another name")]
    Taken(String),
    /// A length that is negative or not finite.
    #[error("a margin of {0}; give a finite length, at least 0")]
    Margin(f64),
}

/// A robot in a cell.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) robot: Arc<Robot>,
    pub(crate) world_from_root: Pose,
    prefix: String,
    has_srdf: bool,
    /// The first of its values and links among those of all robots.
    pub(crate) first_value: usize,
    pub(crate) first_link: usize,
}

/// One shape of a part.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) part: usize,
    pub(crate) model: Model,
    /// On its link, or in the world.
    pub(crate) carrier_from_body: Pose,
    /// The link among those of all robots; `None` if it stands still.
    pub(crate) carrier: Option<usize>,
    cover: Cover,
}

/// What a cell is made of, before anybody asks.
#[derive(Clone, Debug, Default)]
pub struct CellPlan {
    arms: Vec<Arm>,
    parts: Vec<Part>,
    bodies: Vec<Body>,
    numbers: HashMap<String, usize>,
    said: HashMap<[usize; 2], Rule>,
    links: usize,
    values: usize,
}

impl CellPlan {
    /// Adds a robot; its number. Every link that has a shape becomes a part named `prefix` and the link's
    /// name.
    pub fn robot(
        &mut self,
        prefix: &str,
        robot: Arc<Robot>,
        world_from_root: Pose,
        shapes: &[LinkShape],
    ) -> Result<usize, CellError> {
        if !world_from_root.is_valid() {
            return Err(CellError::Place(format!("{prefix}{}", robot.name())));
        }
        let arm = self.arms.len();
        let q = world_from_root.rotation;
        let most = q.to_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let world_from_root = Pose::new((q / most).normalize(), world_from_root.translation);
        let (first_link, first_value) = (self.links, self.values);
        // Models and balls take the time, and none needs another.
        let mut made = each(shapes, |shape| Some(prepared(shape)));
        for (link, described) in robot.links().iter().enumerate() {
            let mut part = None;
            for (shape, made) in shapes.iter().zip(&mut made).filter(|(shape, _)| shape.link == link) {
                let name = format!("{prefix}{}", described.name);
                let number = match part {
                    Some(number) => number,
                    None => self.part(name.clone(), Holder::Link { arm, link })?,
                };
                part = Some(number);
                let made = made.take().unwrap_or_else(|| prepared(shape));
                let (model, cover) = made.map_err(|error| CellError::Shape { name, error })?;
                self.body(number, (model, cover), shape.link_from_shape, Some(first_link + link))?;
            }
        }
        self.links += robot.links().len();
        self.values += robot.variables().len();
        let prefix = prefix.to_owned();
        self.arms.push(Arm { robot, world_from_root, prefix, has_srdf: false, first_value, first_link });
        Ok(arm)
    }

    /// Adds a body that stands still; its part's number.
    pub fn fixed(&mut self, name: &str, model: &Model, place: Pose) -> Result<usize, CellError> {
        let part = self.part(name.to_owned(), Holder::World)?;
        self.body(part, (model.clone(), None), place, None)?;
        Ok(part)
    }

    /// Lets a link carry an object, which may touch the parts named; its part's number. The link that carries
    /// it is one of those.
    pub fn carry(
        &mut self,
        carrier: &str,
        name: &str,
        model: &Model,
        link_from_object: Pose,
        may_touch: &[&str],
    ) -> Result<usize, CellError> {
        let number = self.find(carrier)?;
        for name in may_touch {
            self.find(name)?;
        }
        let (Holder::Link { arm, link } | Holder::Carried { arm, link }) = self.parts[number].holder else {
            return Err(CellError::NoSuch { name: carrier.to_owned(), hint: ", no link".to_owned() });
        };
        let part = self.part(name.to_owned(), Holder::Carried { arm, link })?;
        self.parts[part].touches = may_touch.iter().map(|&name| name.to_owned()).collect();
        let carrier = Some(self.arms[arm].first_link + link);
        self.body(part, (model.clone(), None), link_from_object, carrier)?;
        Ok(part)
    }

    /// Takes over the pairs that a robot's SRDF disables, instead of those that joints join.
    pub fn srdf(&mut self, arm: usize, srdf: &Srdf) {
        let Some(owner) = self.arms.get_mut(arm) else { return };
        owner.has_srdf = true;
        let prefix = owner.prefix.clone();
        for pair in &srdf.disabled {
            let [a, b] = [0, 1].map(|k| self.numbers.get(&format!("{prefix}{}", pair.links[k])).copied());
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                self.said.insert(ordered(a, b), Rule::Off(Why::Srdf(pair.reason.clone())));
            }
        }
    }

    /// Says of a pair that it is not asked about.
    pub fn disable(&mut self, a: &str, b: &str, reason: &str) -> Result<(), CellError> {
        let pair = ordered(self.find(a)?, self.find(b)?);
        self.said.insert(pair, Rule::Off(Why::Said(reason.to_owned())));
        Ok(())
    }

    /// Says of a pair that it is asked about, with this margin, whatever else is known.
    pub fn margin(&mut self, a: &str, b: &str, margin: f64) -> Result<(), CellError> {
        let pair = ordered(self.find(a)?, self.find(b)?);
        self.said.insert(pair, Rule::On { margin: length(margin)? });
        Ok(())
    }

    /// How much is added to the margin of all pairs of a part.
    pub fn pad(&mut self, part: &str, padding: f64) -> Result<(), CellError> {
        let part = self.find(part)?;
        self.parts[part].padding = length(padding)?;
        Ok(())
    }

    /// The names of all parts so far.
    pub fn part_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// The cell, ready to be asked.
    pub fn build(self) -> Cell {
        let pairs = self.pairs();
        let mut steps = 0;
        for arm in &self.arms {
            let deepest = (0..arm.robot.links().len()).map(|link| arm.robot.joints_to(link).len()).max();
            steps = steps.max(8 * deepest.unwrap_or(0));
        }
        let mut cell = Cell {
            on: Vec::new(),
            still: block::still_centers(&self.bodies),
            roots: self.arms.iter().map(|arm| LaneFrame::splat(&arm.world_from_root)).collect(),
            arms: self.arms,
            parts: self.parts,
            bodies: self.bodies,
            pairs,
            links: self.links,
            values: self.values,
            steps,
            sketch: None,
            tables: OnceLock::new(),
        };
        cell.on = cell.body_pairs();
        cell.order_pairs();
        cell.sketch = Sketch::new(&cell);
        cell.try_planes();
        cell
    }

    fn part(&mut self, name: String, holder: Holder) -> Result<usize, CellError> {
        if self.numbers.contains_key(&name) {
            return Err(CellError::Taken(name));
        }
        self.numbers.insert(name.clone(), self.parts.len());
        self.parts.push(Part { name, holder, padding: 0.0, touches: Vec::new() });
        Ok(self.parts.len() - 1)
    }

    fn body(
        &mut self,
        part: usize,
        (model, cover): (Model, Option<Cover>),
        carrier_from_body: Pose,
        carrier: Option<usize>,
    ) -> Result<(), CellError> {
        if !carrier_from_body.is_valid() {
            return Err(CellError::Place(self.parts[part].name.clone()));
        }
        let cover = cover.unwrap_or_else(|| Cover::new(&model, &carrier_from_body));
        self.bodies.push(Body { part, model, carrier_from_body, carrier, cover });
        Ok(())
    }

    fn find(&self, name: &str) -> Result<usize, CellError> {
        self.numbers.get(name).copied().ok_or_else(|| {
            let hint = suggestion(name, self.parts.iter().map(|part| part.name.as_str()));
            CellError::NoSuch { name: name.to_owned(), hint }
        })
    }

    /// All pairs but those of two bodies that stand still.
    fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for b in 0..self.parts.len() {
            for a in 0..b {
                if (self.parts[a].holder, self.parts[b].holder) != (Holder::World, Holder::World) {
                    pairs.push(Pair { parts: [a, b], rule: self.rule([a, b]) });
                }
            }
        }
        pairs
    }

    fn rule(&self, pair: [usize; 2]) -> Rule {
        let [a, b] = pair.map(|part| &self.parts[part]);
        let padding = a.padding + b.padding;
        match self.said.get(&pair) {
            Some(Rule::On { margin }) => return Rule::On { margin: margin + padding },
            Some(off) => return off.clone(),
            None => {}
        }
        let may_touch = |carried: &Part, other: &Part| {
            let Holder::Carried { arm, link } = carried.holder else { return false };
            carried.touches.contains(&other.name) || other.holder == Holder::Link { arm, link }
        };
        if may_touch(a, b) || may_touch(b, a) {
            return Rule::Off(Why::MayTouch);
        }
        if self.stand(a) == self.stand(b) {
            return Rule::Off(Why::HeldTogether);
        }
        if let (Holder::Link { arm, link }, Holder::Link { arm: other, link: end }) = (a.holder, b.holder)
            && arm == other
            && !self.arms[arm].has_srdf
        {
            let robot = &self.arms[arm].robot;
            let joined = |up: usize, down: usize| {
                robot.joint_of_link(down).is_some_and(|joint| robot.ends(joint)[0] == up)
            };
            if joined(link, end) || joined(end, link) {
                return Rule::Off(Why::Adjacent);
            }
        }
        Rule::On { margin: padding }
    }

    /// The link that a part is rigidly joined to and that moves by itself; `None` for the world.
    fn stand(&self, part: &Part) -> Option<(usize, usize)> {
        let (Holder::Link { arm, link } | Holder::Carried { arm, link }) = part.holder else { return None };
        let robot = &self.arms[arm].robot;
        let mut at = link;
        while let Some(joint) = robot.joint_of_link(at) {
            if robot.joints()[joint].kind != JointKind::Fixed {
                return Some((arm, at));
            }
            at = robot.ends(joint)[0];
        }
        None
    }
}

/// The model of a shape, and its balls unless its place is none.
fn prepared(shape: &LinkShape) -> Result<(Model, Option<Cover>), ShapeError> {
    let model = match &shape.solid {
        Solid::Convex(convex) => Model::new(convex.clone()),
        Solid::Mesh(mesh) => Model::new(mesh.clone()),
    }?;
    let place = &shape.link_from_shape;
    let cover = place.is_valid().then(|| Cover::new(&model, place));
    Ok((model, cover))
}

fn ordered(a: usize, b: usize) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

fn length(margin: f64) -> Result<f64, CellError> {
    if margin >= 0.0 && margin.is_finite() { Ok(margin) } else { Err(CellError::Margin(margin)) }
}

/// Two bodies that are asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPair {
    pub(crate) bodies: [u32; 2],
    /// The pair of parts.
    pub(crate) pair: u32,
    pub(crate) margin: f64,
    /// Radii of the balls around both, and the margin.
    pub(crate) sum: f64,
    /// Radii of the largest balls inside both; below 0 if one has none.
    pub(crate) core: f64,
}

/// Robots among other bodies, ready to be asked; any thread may.
#[derive(Clone, Debug)]
pub struct Cell {
    pub(crate) arms: Vec<Arm>,
    parts: Vec<Part>,
    pub(crate) bodies: Vec<Body>,
    pairs: Vec<Pair>,
    /// The pairs of bodies that are asked about, the likeliest to meet first.
    pub(crate) on: Vec<BodyPair>,
    /// Places of the robots in lanes, and of the balls of bodies that stand still.
    pub(crate) roots: Vec<LaneFrame>,
    pub(crate) still: Vec<Option<block::Centers>>,
    links: usize,
    values: usize,
    /// More elementary steps than any chain has.
    steps: usize,
    sketch: Option<Sketch>,
    /// Made when many configurations are asked about.
    tables: OnceLock<Arc<Tables>>,
}

impl Cell {
    /// Its parts: links that have shapes, objects carried, bodies that stand still.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// All pairs of parts but those of two bodies that stand still, each with whether it is asked about.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The names of both parts of a pair.
    ///
    /// # Panics
    ///
    /// If there is no such pair.
    pub fn pair_names(&self, pair: usize) -> [&str; 2] {
        self.pairs[pair].parts.map(|part| self.parts[part].name.as_str())
    }

    /// The number of a pair, by the names of its parts; `None` if there is none.
    pub fn pair(&self, a: &str, b: &str) -> Option<usize> {
        self.pairs.iter().position(|pair| {
            let names = pair.parts.map(|part| self.parts[part].name.as_str());
            names == [a, b] || names == [b, a]
        })
    }

    /// The shapes of all parts, with the number of the part.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = (usize, &Model)> {
        self.bodies.iter().map(|body| (body.part, &body.model))
    }

    /// Where the shapes are in a configuration, in the order of [`shapes`](Self::shapes).
    pub fn shape_poses(&self, values: &[f64]) -> Result<Vec<Pose>, ConfigurationError> {
        self.check_values(values)?;
        let mut links = vec![Pose::IDENTITY; self.links];
        for arm in &self.arms {
            let own = arm.values(values);
            let poses = &mut links[arm.first_link..];
            arm.robot.poses_by(&arm.world_from_root, |variable| own[variable as usize], poses);
        }
        let place = |body: &Body| match body.carrier {
            Some(link) => links[link] * body.carrier_from_body,
            None => body.carrier_from_body,
        };
        Ok(self.bodies.iter().map(place).collect())
    }

    /// How many numbers a configuration of all robots has, one robot's after the other's.
    pub fn value_count(&self) -> usize {
        self.values
    }

    /// The robots, in the order they were added.
    pub fn robots(&self) -> impl ExactSizeIterator<Item = &Arc<Robot>> {
        self.arms.iter().map(|arm| &arm.robot)
    }

    /// Makes what pays only for many questions: tables over joint space for pairs that are always near, in
    /// about a tenth of a second for each of a few. A batch of some thousand configurations, or as many asked
    /// one by one, does so by itself. No answer depends on it.
    pub fn prepare(&self) {
        self.tables.get_or_init(|| Arc::new(Tables::new(self)));
    }

    /// Somebody to ask, with memory of its own.
    pub fn checker(&self) -> Checker<'_> {
        Checker::new(self)
    }

    /// Refuses what is no configuration of all robots.
    pub fn check_values(&self, values: &[f64]) -> Result<(), ConfigurationError> {
        let (found, wanted) = (values.len(), self.values);
        if found != wanted {
            return Err(ConfigurationError::Count { found, wanted });
        }
        self.arms.iter().try_for_each(|arm| arm.robot.check_values(arm.values(values)))
    }

    fn body_pairs(&self) -> Vec<BodyPair> {
        let mut on = Vec::new();
        for (number, pair) in self.pairs.iter().enumerate() {
            if let Rule::On { margin } = pair.rule {
                on.extend(self.bodies_of(number, margin));
            }
        }
        on
    }

    /// The pairs of bodies of a pair of parts.
    pub(crate) fn bodies_of(&self, number: usize, margin: f64) -> Vec<BodyPair> {
        let [a, b] = self.pairs[number].parts;
        let of = |part: usize| (0..self.bodies.len()).filter(move |&body| self.bodies[body].part == part);
        let mut all = Vec::new();
        for x in of(a) {
            for y in of(b) {
                let covers = [x, y].map(|body| &self.bodies[body].cover);
                let core = match covers.map(|cover| cover.core) {
                    [Some(a), Some(b)] => a.radius + b.radius,
                    _ => -1.0,
                };
                let sum = covers[0].whole.radius + covers[1].whole.radius + margin;
                let bodies = [x as u32, y as u32];
                all.push(BodyPair { bodies, pair: number as u32, margin, sum, core });
            }
        }
        all
    }
}

impl Arm {
    /// Its own values among those of all robots.
    pub(crate) fn values<'a>(&self, all: &'a [f64]) -> &'a [f64] {
        &all[self.first_value..][..self.robot.variables().len()]
    }
}
