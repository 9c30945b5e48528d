//! A pair of bodies with all that a test of it needs.

use super::body::BodyId;
use crate::convex::SearchEnd;
use crate::model::Moving;
use noli_geom::Motion;
use std::sync::Arc;

/// A pair to be tested.
#[derive(Clone, Copy)]
pub(super) struct Job<'w> {
    pub(super) pair: [BodyId; 2],
    pub(super) moving: [Moving<'w>; 2],
    /// Motion of each body, if any.
    pub(super) motions: [Option<&'w Arc<dyn Motion>>; 2],
    /// The moves that move each, if any.
    pub(super) by: [Option<usize>; 2],
    pub(super) margin: f64,
    /// Bound on the path length of points of both during the step, summed.
    pub(super) travel: f64,
    /// A clearance at the start that is known.
    pub(super) known: f64,
    /// End of the last clearance search for these bodies, if they are convex.
    pub(super) hint: Option<&'w SearchEnd>,
    pub(super) weight: f64,
}
