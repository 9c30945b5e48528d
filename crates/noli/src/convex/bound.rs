//! Brackets on the distance of two cores, and the goal of a search for one.

use super::bodies::{Bodies, Vertex};
use super::simplex::Simplex;
use glam::DVec3;

/// Goal of a distance search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Stop once the clearance is known to exceed this.
    pub(crate) separated: f64,
    /// Stop once the clearance is known to be at most this.
    pub(crate) near: f64,
    /// Largest width of the bracket beyond rounding.
    pub(crate) tolerance: f64,
}

/// A bracket on the clearance of two cores.
#[derive(Clone, Debug)]
pub(crate) struct CoreDistance {
    pub(crate) at_least: f64,
    pub(crate) at_most: f64,
    /// The nearest points found, in A's frame.
    pub(crate) witness: [DVec3; 2],
    /// The direction from A to B that proves the lower end.
    pub(crate) direction: DVec3,
    /// `true` if the cores certainly share points.
    pub(crate) overlaps: bool,
}

impl CoreDistance {
    /// None, by a simplex that holds the origin.
    pub(super) fn overlap(simplex: &Simplex, direction: DVec3) -> Self {
        let point = simplex.middle();
        Self { at_least: 0.0, at_most: 0.0, witness: [point; 2], direction, overlaps: true }
    }
}

/// The best lower bound so far.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) at_least: f64,
    pub(super) direction: DVec3,
}

impl Best {
    pub(super) const NONE: Self = Self { at_least: f64::NEG_INFINITY, direction: DVec3::ZERO };

    /// Takes in what a support point proves.
    #[inline]
    pub(super) fn look(&mut self, vertex: Vertex, direction: DVec3, bodies: &Bodies<'_>) -> Vertex {
        let at_least = direction.dot(vertex.w) / direction.length() - bodies.height_error;
        if at_least > self.at_least {
            *self = Self { at_least, direction };
        }
        vertex
    }
}
