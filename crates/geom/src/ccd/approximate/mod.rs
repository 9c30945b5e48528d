//! Approximate methods: published, fast, and able to miss contacts.
//!
//! The five finders of Eckstein (PhD thesis, 1998) search for zeros of a signed distance over time. The
//! distance is that of the carriers (plane of the face, lines of the edges). At each zero they test the
//! features for contact. They only evaluate positions at chosen times, so they accept any motion. Provot's
//! cubic (1997) is for straight paths.

mod finder;
mod inside;
mod mixed;
mod provot;
mod turning;

pub use finder::Finder;
pub use inside::InsideTest;
pub use mixed::{MixedImpact, mixed_impact};
pub use turning::TurningVertex;

use super::FeatureKind;
use glam::DVec3;

/// Parameters of an approximate time-of-impact query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximateQuery {
    /// Method of finding candidate times.
    pub finder: Finder,
    /// Test applied to a candidate.
    pub inside: InsideTest,
    /// Largest distance of the lines at a candidate time, as a fraction of the size of the pair.
    pub distance_tolerance: f64,
    /// Width of the bracket at which regula falsi stops.
    pub time_tolerance: f64,
    /// Largest number of evaluations by regula falsi.
    pub iterations: u32,
    /// As printed: strict sign tests, regula falsi that keeps one end, edges found parallel given up, no
    /// tolerance at the border of a face.
    pub literal: bool,
}

impl Default for ApproximateQuery {
    fn default() -> Self {
        Self {
            finder: Finder::SamplingRegulaFalsi { cells: 4 },
            inside: InsideTest::Exact,
            distance_tolerance: 1e-6,
            time_tolerance: 1e-6,
            iterations: 32,
            literal: false,
        }
    }
}

/// **Approximate**: computes the first time found at which two moving features touch. The missed contacts
/// depend on the [`Finder`]. The positions of the four points are evaluated at times in [0, 1].
///
/// ```
/// use glam::dvec3;
/// use noli_geom::{ApproximateQuery, FeatureKind, Finder, approximate_impact};
/// // A vertex dips below a floor and comes back: linear interpolation of the distance misses it.
/// let fall = |t: f64| {
///     let height = 4.0 * (t - 0.5) * (t - 0.5) - 0.5;
///     [dvec3(0.2, 0.2, height), dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)]
/// };
/// let ask = |finder| {
///     let query = ApproximateQuery { finder, ..Default::default() };
///     approximate_impact(FeatureKind::VertexFace, &fall, &query)
/// };
/// assert_eq!(ask(Finder::Linear), None);
/// assert!(ask(Finder::Quadratic).is_some_and(|t| (t - 0.1464466).abs() < 1e-6));
/// ```
pub fn approximate_impact(
    kind: FeatureKind,
    points: &dyn Fn(f64) -> [DVec3; 4],
    query: &ApproximateQuery,
) -> Option<f64> {
    let ends = [points(0.0), points(1.0)];
    let size = crate::Aabb::from_points(ends.into_iter().flatten()).size().length();
    let scene = inside::Scene { kind, points, ends, size, query };
    let smooth = query.finder.samples() && !query.literal;
    query.finder.first(&|t| scene.carrier_distance(t, smooth), &mut |t| scene.is_inside(t), query, size)
}
