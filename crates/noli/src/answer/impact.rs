//! Answers of continuous queries.

use super::{Clearance, Guarantee, SurfacePoint, Witness};
use glam::DVec3;
use noli_geom::TimeOfImpact;

/// Points and normal at which two bodies touch, in world coordinates at the time of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touch {
    /// The points that are nearest to each other, with the vertex and face, or the two edges, that they lie on. `None`
    /// if overlap at the start leaves them open.
    pub witness: Option<Witness>,
    /// Unit vector from A to B; `None` if overlap leaves it open.
    pub normal: Option<DVec3>,
    /// `true` if the bodies are proven to overlap at `touching_by`. Otherwise they are only proven to be within the
    /// tolerance of each other there, as in grazing contact.
    pub proven: bool,
    /// Guarantee that no contact occurs earlier.
    pub guarantee: Guarantee,
}

impl Touch {
    /// A touch of which nothing more is known.
    pub(crate) const SOMEWHERE: Self =
        Self { witness: None, normal: None, proven: false, guarantee: Guarantee::Conservative };

    /// Between two places.
    pub(crate) fn between(on_a: SurfacePoint, on_b: SurfacePoint, proven: bool) -> Self {
        let normal = (on_b.point - on_a.point).try_normalize();
        Self { witness: Some(Witness { on_a, on_b }), normal, proven, ..Self::SOMEWHERE }
    }
}

/// A bracket on the smallest clearance of two moving bodies, and when they come that close.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestApproach {
    /// The bracket, with witnesses at [`time`](Self::time).
    pub clearance: Clearance,
    /// Time at which the clearance is `clearance.distance.at_most`.
    pub time: f64,
}

/// A span of time in which two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactSpan {
    /// Start time.
    pub begins: TimeOfImpact,
    /// Time at which the bodies are proven separated again, or the end of the queried span. If the budget ran out,
    /// the last interval also ends there.
    pub ends_by: f64,
    /// First touching features.
    pub touch: Touch,
}
