//! Continuous collision of features: a vertex and a triangle, or two edges, during one time step.
//!
//! The first contact of two initially separated surfaces is always one of these. [`FeaturePair`] holds the
//! four points at both ends of the step; between them every point moves straight at constant speed.

mod advancement;
mod approximate;
mod conditions;
mod exact;
mod filter;
mod form;
mod inclusion;
mod patch;
mod rigid;
mod roots;

pub use approximate::{
    ApproximateQuery, Finder, InsideTest, MixedImpact, TurningVertex, approximate_impact, mixed_impact,
};
pub use inclusion::FeatureQuery;
pub use rigid::RigidFeatures;

use crate::{Impact, MAX_COORDINATE};
use glam::DVec3;

/// The two kinds of features in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FeatureKind {
    /// Point 0 against the triangle of points 1, 2, 3.
    VertexFace,
    /// The edge of points 0, 1 against the edge of points 2, 3.
    EdgeEdge,
}

/// Two features whose vertices run on straight lines during the time span [0, 1].
///
/// Triangles and edges may be degenerate. Time, not length, is the unit of all answers: they do not change
/// when all points are scaled by a power of two.
///
/// ```
/// use glam::dvec3;
/// use noli_geom::{FeaturePair, Impact};
/// let floor = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
/// let fall = |z| [dvec3(0.25, 0.25, z), floor[0], floor[1], floor[2]];
/// let pair = FeaturePair::vertex_face(fall(3.0), fall(-1.0));
/// let Impact::At { time, .. } = pair.impact() else { panic!("it falls through") };
/// assert!(time.safe_until <= 0.75 && 0.75 <= time.touching_by && time.width() < 1e-12);
/// assert_eq!(FeaturePair::vertex_face(fall(3.0), fall(1e-300)).impact(), Impact::Free);
/// ```
#[doc(alias("ccd", "vertex-face", "edge-edge"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeaturePair {
    /// Features that the points form.
    pub kind: FeatureKind,
    /// The points at time 0.
    pub start: [DVec3; 4],
    /// The points at time 1.
    pub end: [DVec3; 4],
}

impl FeaturePair {
    /// A vertex (the first point) and a triangle (the other three).
    pub const fn vertex_face(start: [DVec3; 4], end: [DVec3; 4]) -> Self {
        Self { kind: FeatureKind::VertexFace, start, end }
    }

    /// Two edges: the first two points and the last two.
    pub const fn edge_edge(start: [DVec3; 4], end: [DVec3; 4]) -> Self {
        Self { kind: FeatureKind::EdgeEdge, start, end }
    }

    /// Computes the time of first contact. **Exact**: no missed contact and no false positive. The first
    /// contact lies within the bracket, which is at most 2^-27 wide and mostly below 1e-12.
    ///
    /// Coordinates that are not finite or exceed [`MAX_COORDINATE`] give `Unknown`.
    pub fn impact(&self) -> Impact {
        if !self.is_valid() {
            return Impact::Unknown { safe_until: 0.0 };
        }
        if self.separated_along_an_axis() {
            return Impact::Free;
        }
        filter::impact(self).unwrap_or_else(|| exact::impact(self))
    }

    /// [`FeaturePair::impact`] by integers alone: slow, and what the filters are tested against.
    pub fn impact_by_integers(&self) -> Impact {
        if self.is_valid() { exact::impact(self) } else { Impact::Unknown { safe_until: 0.0 } }
    }

    /// Returns `true` if every coordinate is finite and at most [`MAX_COORDINATE`].
    pub fn is_valid(&self) -> bool {
        // Written so that a NaN fails.
        self.points().all(|p| p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all())
    }

    /// The points at a time between 0 and 1, rounded.
    pub fn at(&self, time: f64) -> [DVec3; 4] {
        std::array::from_fn(|k| self.start[k] * (1.0 - time) + self.end[k] * time)
    }

    /// Returns the number of points of the first feature: these are compared with all the others.
    fn first(&self) -> usize {
        match self.kind {
            FeatureKind::VertexFace => 1,
            FeatureKind::EdgeEdge => 2,
        }
    }

    fn points(&self) -> impl Iterator<Item = DVec3> {
        self.start.into_iter().chain(self.end)
    }

    /// Returns `true` if along some axis one feature stays beyond the other. The difference of two points is
    /// linear in time, so both ends decide, and comparing rounds nothing.
    fn separated_along_an_axis(&self) -> bool {
        let first = self.first();
        let (mut below, mut above) = ([true; 3], [true; 3]);
        for points in [&self.start, &self.end] {
            let range = |part: &[DVec3]| {
                let rest = &part[1..];
                (rest.iter().fold(part[0], |m, p| m.min(*p)), rest.iter().fold(part[0], |m, p| m.max(*p)))
            };
            let ((a_min, a_max), (b_min, b_max)) = (range(&points[..first]), range(&points[first..]));
            for k in 0..3 {
                below[k] &= a_max[k] < b_min[k];
                above[k] &= a_min[k] > b_max[k];
            }
        }
        below.contains(&true) || above.contains(&true)
    }
}

/// Returns the root of a function with different signs at two times, as accurately as possible. Uses regula
/// falsi in the Illinois form, with a bisection whenever that is slow.
fn bisected(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (mut a, mut b) = (from, to);
    let (mut fa, mut fb) = (f(a), f(b));
    let mut kept = 0;
    for round in 0..80 {
        let width = b - a;
        if width <= f64::EPSILON * b || fa == 0.0 || fb == 0.0 {
            break;
        }
        let secant = a + width * (fa / (fa - fb));
        let t = if round % 4 == 3 || !(a < secant && secant < b) { a + 0.5 * width } else { secant };
        if t <= a || t >= b {
            break;
        }
        let ft = f(t);
        if (ft > 0.0) == (fa > 0.0) {
            (a, fa) = (t, ft);
            if kept == 1 {
                fb *= 0.5;
            }
            kept = 1;
        } else {
            (b, fb) = (t, ft);
            if kept == -1 {
                fa *= 0.5;
            }
            kept = -1;
        }
    }
    if fa == 0.0 {
        a
    } else if fb == 0.0 {
        b
    } else {
        a + 0.5 * (b - a)
    }
}

/// The largest power of two that is at most a positive normal number.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}
