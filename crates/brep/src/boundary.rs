//! Edges, and the vertices and sides of boundaries in parameters.

use crate::curve::Curve;
use glam::DVec2;

/// An edge: a curve between two parameters, `from < to`.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its curve.
    pub curve: Curve,
    /// Parameter of its first vertex along the curve.
    pub from: f64,
    /// Parameter of its last vertex along the curve.
    pub to: f64,
    /// Bound on its distance from the edge that was given: that of a circle in place of a spline fitted to it, else 0.
    pub deviation: f64,
}

impl Edge {
    /// The part of a curve between two parameters, `from < to`.
    pub fn new(curve: Curve, from: f64, to: f64) -> Self {
        Self { curve, from, to, deviation: 0.0 }
    }
}

/// An edge of a loop and its direction: `true` along the curve.
pub type OrientedEdge = (usize, bool);

/// A piece of an edge that is a side of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) edge: usize,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// It is straight in the parameters: a line of constant parameter, or a line in a plane.
    pub(crate) straight: bool,
}

/// A vertex of a boundary in parameters, with the side to the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopVertex {
    pub(crate) uv: DVec2,
    pub(crate) side: Option<Side>,
}

/// Triangles of a face in parameters.
pub(crate) struct Trimmed {
    pub(crate) triangles: Vec<[LoopVertex; 3]>,
    /// The pieces of its loops.
    pub(crate) sides: Vec<Side>,
    /// Greatest distance of an inverted point of an edge from the surface.
    pub(crate) gap: f64,
}
