//! Points of a sensor with a common radius.

use super::ShapeError;
use crate::number::round;
use crate::{Aabb, HullError, MAX_COORDINATE, MeshError};
use glam::DVec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Points, each with a sphere of the same radius around it: the union of these spheres.
///
/// Cloning copies a pointer. An empty cloud overlaps nothing.
///
/// ```
/// # use noli_geom::PointCloud;
/// # use glam::dvec3;
/// let cloud = PointCloud::new(vec![dvec3(0., 0., 0.), dvec3(1., 0., 0.)], 0.25)?;
/// // Rounded outward.
/// assert!(cloud.aabb().size().abs_diff_eq(dvec3(1.5, 0.5, 0.5), 1e-12));
/// # Ok::<(), noli_geom::ShapeError>(())
/// ```
#[doc(alias("pcd", "PointCloud2", "lidar", "CAPT", "scan"))]
#[derive(Clone, Debug, PartialEq)]
pub struct PointCloud {
    points: Arc<Vec<DVec3>>,
    radius: f64,
}

impl PointCloud {
    /// Points and the radius around each; 0 for the points themselves. At most `u32::MAX / 3` points.
    pub fn new(points: Vec<DVec3>, radius: f64) -> Result<Self, ShapeError> {
        if !(0.0..=MAX_COORDINATE).contains(&radius) {
            return Err(ShapeError::BadLength { what: "radius of the points", value: radius });
        }
        let limit = u32::MAX / 3;
        if points.len() > limit as usize {
            return Err(MeshError::TooMany { what: "points", count: points.len(), limit }.into());
        }
        for (point, position) in points.iter().enumerate() {
            if !position.is_finite() {
                return Err(HullError::NotFinite { point }.into());
            }
            let value = position.abs().max_element();
            if value > MAX_COORDINATE {
                return Err(ShapeError::BadLength { what: "coordinate of a point", value });
            }
        }
        Ok(Self { points: Arc::new(points), radius })
    }

    /// The points in the given order.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The radius around each point.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The same points with another radius.
    pub fn with_radius(&self, radius: f64) -> Result<Self, ShapeError> {
        if !(0.0..=MAX_COORDINATE).contains(&radius) {
            return Err(ShapeError::BadLength { what: "radius of the points", value: radius });
        }
        Ok(Self { points: Arc::clone(&self.points), radius })
    }

    /// The same cloud, larger or smaller. Exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(ShapeError::BadScale { factor });
        }
        Self::new(self.points.iter().map(|&point| point * factor).collect(), self.radius * factor)
    }

    /// A box around all spheres, rounded outward; empty for an empty cloud.
    pub fn aabb(&self) -> Aabb {
        if self.points.is_empty() {
            return Aabb::EMPTY;
        }
        let Aabb { min, max } = Aabb::from_points(self.points.iter().copied());
        if self.radius == 0.0 {
            return Aabb { min, max };
        }
        let radius = self.radius;
        let down = |x: f64| (x - radius).next_down();
        let up = |x: f64| (x + radius).next_up();
        Aabb {
            min: DVec3::new(down(min.x), down(min.y), down(min.z)),
            max: DVec3::new(up(max.x), up(max.y), up(max.z)),
        }
    }

    /// Fewer points with a larger radius that cover this cloud. Every removed point lies within `distance`
    /// of a kept one, and `distance` is added to the radius, so no contact is missed.
    ///
    /// One point is kept for each cell of a grid whose diagonal is `distance`. Points keep their order.
    ///
    /// ```
    /// # use noli_geom::PointCloud;
    /// # use glam::dvec3;
    /// let row = (0..1000).map(|k| dvec3(0.001 * f64::from(k), 0.0, 0.0)).collect();
    /// let thin = PointCloud::new(row, 0.01)?.thinned(0.02)?;
    /// assert!(thin.points().len() < 100 && thin.radius() >= 0.03 && thin.radius() < 0.0301);
    /// # Ok::<(), noli_geom::ShapeError>(())
    /// ```
    #[doc(alias("voxel grid", "downsample", "VoxelGrid"))]
    pub fn thinned(&self, distance: f64) -> Result<Self, ShapeError> {
        if !(distance > 0.0 && distance <= MAX_COORDINATE) {
            return Err(ShapeError::BadLength { what: "thinning distance", value: distance });
        }
        let origin = Aabb::from_points(self.points.iter().copied()).min;
        let edge = distance * (1.0 - 1e-6) / 3.0f64.sqrt();
        let cell = |point: DVec3| ((point - origin) / edge).to_array().map(|x| (x as u64).min(CELLS - 1));
        let mut first: HashMap<u64, u32> = HashMap::new();
        let mut kept: Vec<DVec3> = Vec::new();
        let square = round::down(distance * distance, 8);
        for &point in self.points.iter() {
            let [x, y, z] = cell(point);
            match first.entry(x | y << 21 | z << 42) {
                Entry::Vacant(entry) => {
                    entry.insert(kept.len() as u32);
                    kept.push(point);
                }
                // Cells are wider than stated where they are rounded, or beyond the last one.
                Entry::Occupied(entry) => {
                    let other = kept[*entry.get() as usize];
                    if round::up(point.distance_squared(other), 8) > square {
                        kept.push(point);
                    }
                }
            }
        }
        Self::new(kept, (self.radius + distance).next_up())
    }
}

/// Cells of a grid along an axis.
const CELLS: u64 = 1 << 21;
