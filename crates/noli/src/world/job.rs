//! A pair of bodies with all that a test of it needs.

use super::body::BodyId;
use crate::convex::Hint;
use crate::model::Moving;
use noli_geom::Motion;
use std::sync::Arc;

/// A pair to be tested.
#[derive(Clone, Copy)]
pub(super) struct Job<'w> {
    pub(super) pair: [BodyId; 2],
    pub(super) moving: [Moving<'w>; 2],
    /// What moves each, if anything does.
    pub(super) motions: [Option<&'w Arc<dyn Motion>>; 2],
    /// The moves that move each, if any.
    pub(super) by: [Option<usize>; 2],
    pub(super) margin: f64,
    /// How far points of both go during the step, together.
    pub(super) travel: f64,
    /// A gap at the start that is known.
    pub(super) known: f64,
    /// Where the last search for the gap of these bodies ended, if they are convex.
    pub(super) hint: Option<&'w Hint>,
    pub(super) weight: f64,
}
