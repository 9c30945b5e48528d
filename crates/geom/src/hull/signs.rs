//! Exact orientation signs of numbered points.

use crate::number::exact::{self, IntegerPoint, common_exponent, integer};
use crate::number::predicates;
use glam::DVec3;

/// Points and, where expansions could leave the range of `f64`, the same as integers.
pub(super) struct Signs<'a> {
    pub(super) points: &'a [DVec3],
    integers: Option<Vec<IntegerPoint>>,
}

impl<'a> Signs<'a> {
    pub(super) fn new(points: &'a [DVec3]) -> Self {
        let integers = (!predicates::in_range(points)).then(|| {
            let exponent = common_exponent(points.iter().flat_map(|p| p.to_array())).unwrap_or(0);
            points.iter().map(|p| p.to_array().map(|c| integer(c, exponent))).collect()
        });
        Self { points, integers }
    }

    /// Positive if point `d` sees `abc` counter-clockwise.
    pub(super) fn orient3d(&self, vertices: [u32; 3], d: u32) -> i8 {
        let [a, b, c] = vertices;
        let all = [a, b, c, d].map(|p| p as usize);
        match &self.integers {
            Some(points) => exact::orient3d(all.map(|p| &points[p])),
            None => predicates::orient3d(all.map(|p| self.points[p])),
        }
    }

    /// Sign of the doubled area of three points seen along `axis`.
    pub(super) fn orient2d(&self, vertices: [u32; 3], axis: usize) -> i8 {
        let all = vertices.map(|p| p as usize);
        match &self.integers {
            Some(points) => exact::sign(&exact::area(all.map(|p| &points[p]), axis)),
            None => predicates::orient2d(all.map(|p| self.points[p]), axis),
        }
    }

    /// An axis along which three points are seen as a triangle; none if they lie on a line.
    pub(super) fn axis_of(&self, vertices: [u32; 3]) -> Option<usize> {
        (0..3).find(|&axis| self.orient2d(vertices, axis) != 0)
    }
}
