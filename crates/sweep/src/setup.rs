//! Bodies, their intervals of time, and the grid of the octree.

use crate::grid::Grid;
use crate::times::Intervals;
use crate::{SweepError, SweepOptions, SweptBody};
use glam::DVec3;
use noli_geom::{Aabb, Sphere};

/// Levels of the octree at most.
const DEEPEST: u32 = 20;

/// The start of a search.
pub(crate) struct Setup<'a> {
    pub(crate) intervals: Intervals<'a>,
    pub(crate) grid: Grid,
    /// A little less than the error, for the rounding of distances.
    pub(crate) error: f64,
}

impl<'a> Setup<'a> {
    /// For cells of the last level, half a diagonal of which is this part of the error.
    pub(crate) fn new(
        bodies: &'a [SweptBody<'a>],
        options: &SweepOptions,
        halves: f64,
    ) -> Result<Self, SweepError> {
        let SweepOptions { error, deviation, .. } = *options;
        if !(deviation.is_finite() && deviation >= 0.0) {
            return Err(SweepError::Deviation(deviation));
        }
        let intervals = Intervals::new(bodies, spheres(bodies, deviation)?);
        let whole = bounds(&intervals)?;
        let extent = (whole.max - whole.min).max_element();
        // A cell may be that far from a model that is that far from its body.
        let off = 2.0 * deviation * (1.0 + 1e-6);
        let least = off + extent * halves * 3f64.sqrt() * 0.5f64.powi(DEEPEST as i32 + 1);
        if !(error.is_finite() && error > least) {
            return Err(SweepError::Error { error, least, extent });
        }
        let error = off + (error - off) * (1.0 - 1e-6);
        let edge = (error - off) / halves * 2.0 / 3f64.sqrt();
        let depth = (extent / edge).log2().ceil().clamp(0.0, f64::from(DEEPEST)) as u32;
        let size = edge * f64::from(1u32 << depth);
        let origin = 0.5 * (whole.min + whole.max) - DVec3::splat(0.5 * size);
        Ok(Self { intervals, grid: Grid { origin, edge, depth }, error })
    }
}

/// Spheres around the true bodies.
fn spheres(bodies: &[SweptBody<'_>], deviation: f64) -> Result<Vec<Sphere>, SweepError> {
    let mut all = Vec::with_capacity(bodies.len());
    for (number, body) in bodies.iter().enumerate() {
        let aabb = body.model.aabb();
        let sphere = match (body.model.convex(), body.model.mesh()) {
            (Some(convex), _) => convex.bounding_sphere(),
            (None, Some(mesh)) if mesh.vertices().is_empty() => Sphere { center: DVec3::ZERO, radius: 0.0 },
            _ => {
                let center = 0.5 * (aabb.min + aabb.max);
                Sphere { center, radius: 0.5 * (aabb.max - aabb.min).length() * (1.0 + 1e-12) }
            }
        };
        if !(sphere.center.is_finite() && sphere.radius.is_finite()) {
            return Err(SweepError::Unbounded(number));
        }
        all.push(Sphere { radius: sphere.radius + deviation, ..sphere });
    }
    Ok(all)
}

/// A box around all of the motion.
fn bounds(intervals: &Intervals<'_>) -> Result<Aabb, SweepError> {
    let mut whole: Option<Aabb> = None;
    for (number, (interval, sphere)) in intervals.all.iter().zip(&intervals.spheres).enumerate() {
        let far = DVec3::splat((sphere.radius + interval.travel) * (1.0 + 1e-9));
        let (min, max) = (interval.center - far, interval.center + far);
        if !(min.is_finite() && max.is_finite()) {
            return Err(SweepError::Unbounded(number));
        }
        whole = Some(
            whole.map_or(Aabb { min, max }, |all| Aabb { min: all.min.min(min), max: all.max.max(max) }),
        );
    }
    whole.filter(|whole| (whole.max - whole.min).max_element() > 0.0).ok_or(SweepError::Empty)
}
