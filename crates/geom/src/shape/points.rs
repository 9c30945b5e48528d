//! Points of a sensor with one radius, or one each.

use super::ShapeError;
use crate::number::round;
use crate::{Aabb, HullError, MAX_COORDINATE, MeshError};
use glam::DVec3;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Points, each with a sphere around it: the union of these spheres. All have one radius, or each has its own.
///
/// Cloning copies pointers. An empty cloud overlaps nothing.
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
    /// The least and the largest radius.
    range: [f64; 2],
    /// The radius of each point, if they differ.
    radii: Option<Arc<Vec<f64>>>,
}

fn check_radius(radius: f64) -> Result<(), ShapeError> {
    match (0.0..=MAX_COORDINATE).contains(&radius) {
        true => Ok(()),
        false => Err(ShapeError::BadLength { what: "radius of the points", value: radius }),
    }
}

impl PointCloud {
    /// Points and the radius around each; 0 for the points themselves. At most `u32::MAX / 3` points.
    pub fn new(points: Vec<DVec3>, radius: f64) -> Result<Self, ShapeError> {
        check_radius(radius)?;
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
        Ok(Self { points: Arc::new(points), range: [radius; 2], radii: None })
    }

    /// The points in the given order.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The radius around each point; the largest where they differ.
    pub fn radius(&self) -> f64 {
        self.range[1]
    }

    /// The smallest radius: [`radius`](Self::radius) unless they differ.
    pub fn least_radius(&self) -> f64 {
        self.range[0]
    }

    /// The radius of each point, in the order of the points; `None` if all are equal.
    pub fn radii(&self) -> Option<&[f64]> {
        self.radii.as_deref().map(Vec::as_slice)
    }

    /// The radius of one point.
    ///
    /// # Panics
    ///
    /// If there is no such point in a cloud whose radii differ.
    pub fn radius_of(&self, point: usize) -> f64 {
        self.radii.as_ref().map_or(self.range[1], |radii| radii[point])
    }

    /// The same points with another radius.
    pub fn with_radius(&self, radius: f64) -> Result<Self, ShapeError> {
        check_radius(radius)?;
        Ok(Self { points: Arc::clone(&self.points), range: [radius; 2], radii: None })
    }

    /// The same points with a radius each, in the order of the points.
    ///
    /// ```
    /// # use noli_geom::PointCloud;
    /// # use glam::dvec3;
    /// let points = vec![dvec3(0., 0., 0.), dvec3(1., 0., 0.)];
    /// let cloud = PointCloud::new(points, 0.0)?.with_radii(vec![0.25, 0.5])?;
    /// assert_eq!((cloud.radius_of(0), cloud.radius_of(1), cloud.radius()), (0.25, 0.5, 0.5));
    /// # Ok::<(), noli_geom::ShapeError>(())
    /// ```
    pub fn with_radii(&self, radii: Vec<f64>) -> Result<Self, ShapeError> {
        let (found, wanted) = (radii.len(), self.points.len());
        if found != wanted {
            return Err(ShapeError::RadiusCount { found, wanted });
        }
        radii.iter().try_for_each(|&radius| check_radius(radius))?;
        let least = radii.iter().copied().reduce(f64::min).unwrap_or_default();
        let most = radii.iter().copied().reduce(f64::max).unwrap_or_default();
        let radii = (least < most).then(|| Arc::new(radii));
        Ok(Self { points: Arc::clone(&self.points), range: [least, most], radii })
    }

    /// The same cloud, larger or smaller. Exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(ShapeError::BadScale { factor });
        }
        let points = self.points.iter().map(|&point| point * factor).collect();
        let scaled = Self::new(points, self.radius() * factor)?;
        match &self.radii {
            Some(radii) => scaled.with_radii(radii.iter().map(|radius| radius * factor).collect()),
            None => Ok(scaled),
        }
    }

    /// A box around all spheres, rounded outward; empty for an empty cloud.
    pub fn aabb(&self) -> Aabb {
        if self.points.is_empty() {
            return Aabb::EMPTY;
        }
        let around = |points: Aabb, radius: f64| {
            if radius == 0.0 {
                return points;
            }
            let down = |x: f64| (x - radius).next_down();
            let up = |x: f64| (x + radius).next_up();
            let Aabb { min, max } = points;
            Aabb {
                min: DVec3::new(down(min.x), down(min.y), down(min.z)),
                max: DVec3::new(up(max.x), up(max.y), up(max.z)),
            }
        };
        match &self.radii {
            None => around(Aabb::from_points(self.points.iter().copied()), self.radius()),
            Some(radii) => {
                self.points.iter().zip(radii.iter()).fold(Aabb::EMPTY, |all, (&point, &radius)| {
                    all.union(around(Aabb { min: point, max: point }, radius))
                })
            }
        }
    }

    /// Fewer points with a larger radius that cover this cloud. Every removed point lies within `distance`
    /// of a kept one, and `distance` is added to the radius, so no contact is missed. Where radii differ, a kept
    /// point takes the largest radius of those that it stands for.
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
        let (mut kept, mut radii): (Vec<DVec3>, Vec<f64>) = (Vec::new(), Vec::new());
        let square = round::down(distance * distance, 8);
        for (number, &point) in self.points.iter().enumerate() {
            let radius = self.radius_of(number);
            let [x, y, z] = cell(point);
            match first.entry(x | y << 21 | z << 42) {
                Entry::Vacant(entry) => {
                    entry.insert(kept.len() as u32);
                    kept.push(point);
                    radii.push(radius);
                }
                // Cells are wider than stated where they are rounded, or beyond the last one.
                Entry::Occupied(entry) => {
                    let other = *entry.get() as usize;
                    if round::up(point.distance_squared(kept[other]), 8) > square {
                        kept.push(point);
                        radii.push(radius);
                    } else {
                        radii[other] = radii[other].max(radius);
                    }
                }
            }
        }
        let grown = |radius: f64| (radius + distance).next_up();
        let thin = Self::new(kept, grown(self.radius()))?;
        match self.radii {
            Some(_) => thin.with_radii(radii.into_iter().map(grown).collect()),
            None => Ok(thin),
        }
    }
}

/// Cells of a grid along an axis.
const CELLS: u64 = 1 << 21;
