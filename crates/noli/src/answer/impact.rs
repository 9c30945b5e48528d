//! What happens in time.

use super::{Clearance, Guarantee, Spot, Witness};
use glam::DVec3;
use noli_geom::TimeOfImpact;

/// Where and how two bodies touch, in world coordinates at the time they do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touch {
    /// The points that are nearest to each other, with the vertex and face, or the two edges, that they lie on. `None`
    /// if overlap at the start leaves them open.
    pub witness: Option<Witness>,
    /// Unit vector from A to B; `None` if overlap leaves it open.
    pub normal: Option<DVec3>,
    /// Whether the bodies are proven to overlap at `touching_by`; else they are only proven to be within the
    /// tolerance of each other there, as where they graze.
    pub proven: bool,
    /// What it promises that nothing touches before.
    pub guarantee: Guarantee,
}

impl Touch {
    /// A touch of which nothing more is known.
    pub(crate) const SOMEWHERE: Self =
        Self { witness: None, normal: None, proven: false, guarantee: Guarantee::Conservative };

    /// Between two places.
    pub(crate) fn between(on_a: Spot, on_b: Spot, proven: bool) -> Self {
        let normal = (on_b.point - on_a.point).try_normalize();
        Self { witness: Some(Witness { on_a, on_b }), normal, proven, ..Self::SOMEWHERE }
    }
}

/// A bracket on the smallest gap of two moving bodies, and when they come that close.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestApproach {
    /// The bracket, with witnesses at [`time`](Self::time).
    pub clearance: Clearance,
    /// When the gap is `clearance.gap.at_most`.
    pub time: f64,
}

/// A span of time in which two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactSpan {
    /// When it begins.
    pub begins: TimeOfImpact,
    /// When the bodies are proven apart again, or the end of the time asked about; of the last span, if the budget
    /// ran out, that end too.
    pub ends_by: f64,
    /// What touches first.
    pub touch: Touch,
}
