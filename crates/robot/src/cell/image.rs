//! A cell as plain numbers, for a device that answers many questions about it.

use super::Cell;
use crate::tree::Movement;
use noli::{Model, Pose};
use noli_geom::Sphere;

/// What a step of a joint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A fixed offset.
    Fixed,
    /// An offset, then a turn by the variable's value.
    Turn,
    /// A slide along a direction by the variable's value.
    Slide,
}

/// One elementary step of a joint: its rotation is `fixed·cos(q/2) + turned·sin(q/2)` for a turn, else `fixed`; its
/// translation is `shift + along·q` for a slide, else `shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepImage {
    /// What it does.
    pub kind: StepKind,
    /// The variable among those of all robots; 0 if nothing moves it.
    pub variable: u32,
    /// x, y, z, w.
    pub fixed: [f64; 4],
    /// The same.
    pub turned: [f64; 4],
    /// The offset.
    pub shift: [f64; 3],
    /// The direction of a slide.
    pub along: [f64; 3],
    /// The axis in the frame behind the step; of unit length.
    pub axis: [f64; 3],
}

/// The steps from a link to its child; links are counted among those of all robots, and parents come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimbImage {
    /// The link it hangs on.
    pub parent: u32,
    /// The link it carries.
    pub child: u32,
    /// Its steps: the first, and the one behind the last.
    pub steps: [u32; 2],
}

/// A shape and the balls around and inside it, in the frame of what carries it.
#[derive(Clone, Debug)]
pub struct BodyImage<'a> {
    /// The shape.
    pub model: &'a Model,
    /// The link that carries it; `None` if it stands still.
    pub carrier: Option<u32>,
    /// On its link, or in the world.
    pub place: Pose,
    /// Around all of it; infinite if the body is.
    pub whole: Sphere,
    /// At most sixteen that hold all of it together.
    pub outer: &'a [Sphere],
    /// At most sixteen inside it, the largest first; none for surfaces.
    pub inner: &'a [Sphere],
}

/// Two bodies that are asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupleImage {
    /// The bodies, by number.
    pub bodies: [u32; 2],
    /// The pair of [`Cell::pairs`] that they belong to.
    pub pair: u32,
    /// Closer than this counts as a hit.
    pub margin: f64,
}

/// A cell as plain numbers.
#[derive(Clone, Debug)]
pub struct CellImage<'a> {
    /// The link at the root of each robot, and where it stands.
    pub roots: Vec<(u32, Pose)>,
    /// Links of all robots.
    pub links: usize,
    /// All limbs, robot by robot, parents first.
    pub limbs: Vec<LimbImage>,
    /// All steps.
    pub steps: Vec<StepImage>,
    /// All bodies.
    pub bodies: Vec<BodyImage<'a>>,
    /// The pairs of bodies that are asked about, the likeliest to meet first.
    pub couples: Vec<CoupleImage>,
}

impl Cell {
    /// The cell as plain numbers. Poses of links come out of these as [`Cell::shape_poses`] has them, bit for bit, by the
    /// arithmetic of [`Robot::link_poses`](crate::Robot::link_poses).
    pub fn image(&self) -> CellImage<'_> {
        let mut image = CellImage {
            roots: Vec::new(),
            links: self.links,
            limbs: Vec::new(),
            steps: Vec::new(),
            bodies: Vec::new(),
            couples: Vec::new(),
        };
        for arm in &self.arms {
            let link = |own: usize| (arm.first_link + own) as u32;
            image.roots.push((link(arm.robot.root()), arm.world_from_root));
            for limb in arm.robot.limbs() {
                let first = image.steps.len() as u32;
                for step in arm.robot.steps(limb) {
                    let (kind, variable) = match step.variable {
                        None => (StepKind::Fixed, 0),
                        Some((Movement::Turn, own)) => (StepKind::Turn, arm.first_value + own as usize),
                        Some((Movement::Slide, own)) => (StepKind::Slide, arm.first_value + own as usize),
                    };
                    image.steps.push(StepImage {
                        kind,
                        variable: variable as u32,
                        fixed: step.fixed,
                        turned: step.turned,
                        shift: step.shift,
                        along: step.along,
                        axis: step.axis.to_array(),
                    });
                }
                let steps = [first, image.steps.len() as u32];
                let (parent, child) = (link(limb.parent as usize), link(limb.child as usize));
                image.limbs.push(LimbImage { parent, child, steps });
            }
        }
        image.bodies = self.bodies.iter().map(super::Body::image).collect();
        let couple = |pair: &super::BodyPair| CoupleImage {
            bodies: pair.bodies,
            pair: pair.pair,
            margin: pair.margin,
        };
        image.couples = self.on.iter().map(couple).collect();
        image
    }
}

impl super::Body {
    fn image(&self) -> BodyImage<'_> {
        BodyImage {
            model: &self.model,
            carrier: self.carrier.map(|link| link as u32),
            place: self.carrier_from_body,
            whole: self.cover.whole,
            outer: &self.cover.outer_balls,
            inner: &self.cover.inner_balls,
        }
    }
}
