//! Bounding volumes: spheres, boxes, k-DOPs.
//!
//! Every fit contains its points in exact arithmetic: possible rounding losses are added at the end.

mod any;
mod distance;
mod extent;
mod inscribed;
mod kdop;
mod measure;
mod nelder_mead;
mod oriented;
mod sphere;

pub use any::{AnyVolume, VolumeKind};
pub use distance::Volume;
pub use inscribed::{inscribed_box, inscribed_sphere};
pub use kdop::{Directions, Kdop};
pub use measure::Measure;
pub use nelder_mead::{Minimum, nelder_mead};

use crate::Pose;
use crate::number::round;
use glam::{DMat3, DVec3};

/// Far more than the roundings of the few operations of a fit or a test, relative to the sizes involved.
pub(crate) const ROUNDINGS: u32 = 256;

/// The length of a vector, also where its squares would leave the range of `f64`.
pub(crate) fn length(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).length() * largest } else { largest }
}

/// A sphere.
#[doc(alias("bounding sphere", "sphere"))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sphere {
    /// Its centre.
    pub center: DVec3,
    /// Its radius, at least 0.
    pub radius: f64,
}

/// An axis-aligned box, empty when `min > max` in some axis.
#[doc(alias("axis-aligned bounding box", "bounding box"))]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The vertex with the smallest coordinates.
    pub min: DVec3,
    /// The vertex with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around some points.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the intersection of both; empty if they share no point.
    pub fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Returns `true` if the two boxes share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        // Halved first: the sum of two huge coordinates must not overflow.
        self.min * 0.5 + self.max * 0.5
    }

    /// The edge lengths.
    pub fn size(&self) -> DVec3 {
        self.max - self.min
    }

    /// The axis of the longest edge: 0, 1 or 2, of equal ones the first.
    pub fn longest_axis(&self) -> usize {
        let size = self.size();
        (1..3).fold(0, |longest, axis| if size[axis] > size[longest] { axis } else { longest })
    }

    /// Returns the eight vertices: bit `k` of a vertex's number is set if it has the greater coordinate `k`.
    pub fn vertices(&self) -> [DVec3; 8] {
        std::array::from_fn(|number| {
            let pick = |axis: usize| if number >> axis & 1 == 1 { self.max[axis] } else { self.min[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// Returns `true` if a point lies in the box, sides included.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Returns the distance of two boxes, up to rounding: 0 if they share a point, infinite if one is empty.
    pub fn distance(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return f64::INFINITY;
        }
        length((other.min - self.max).max(self.min - other.max).max(DVec3::ZERO))
    }

    /// A box around this one at a pose, rounded outward. Infinite extents stay infinite.
    pub fn transformed(&self, pose: &Pose) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        if !(self.min.is_finite() && self.max.is_finite()) {
            return Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        }
        let rotation = pose.rotation_matrix();
        let (center, half) = (self.center(), self.size() * 0.5);
        let moved = rotation * center + pose.translation;
        let size = center.length() + half.length() + pose.translation.length();
        let reach = rotation.abs() * half + DVec3::splat(round::off(size, 64) + f64::MIN_POSITIVE);
        Self { min: moved - reach, max: moved + reach }
    }

    /// The box with `by` more on every side, rounded outward.
    pub fn expanded(&self, by: f64) -> Self {
        if by == 0.0 || self.is_empty() {
            return *self;
        }
        let by = DVec3::splat(by);
        Self { min: (self.min - by).map(f64::next_down), max: (self.max + by).map(f64::next_up) }
    }

    /// Returns `true` if the box is empty.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }
}

/// An oriented box: `center + axes · s` for `|s_k| <= half_extents_k`.
#[doc(alias = "oriented bounding box")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// Its centre.
    pub center: DVec3,
    /// Its axes as columns, orthonormal up to rounding.
    pub axes: DMat3,
    /// Half its size along each axis.
    pub half_extents: DVec3,
}

impl From<Aabb> for Obb {
    /// The same box; half extents are rounded up so that it holds all of it.
    fn from(aabb: Aabb) -> Self {
        let center = aabb.center();
        let half = (aabb.max - center).max(center - aabb.min);
        Self { center, axes: DMat3::IDENTITY, half_extents: half.map(f64::next_up) }
    }
}
