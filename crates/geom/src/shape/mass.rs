//! Volume, centre and inertia.

use super::Voxels;
use crate::{Aabb, Mesh, Pose};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;
use std::iter::Sum;

/// Mass and inertia of a body of density 1. Rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mass {
    /// The volume; negative for a mesh that is inside out.
    pub volume: f64,
    /// The centre of mass.
    pub center: DVec3,
    /// Inertia about the centre, in the axes of the frame.
    pub inertia: DMat3,
}

impl Mass {
    /// Nothing.
    pub const ZERO: Self = Self { volume: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO };

    /// From the diagonal of `∫ x xᵀ` about the centre.
    fn from_moments(volume: f64, center: DVec3, m: DVec3) -> Self {
        Self { volume, center, inertia: DMat3::from_diagonal(DVec3::new(m.y + m.z, m.z + m.x, m.x + m.y)) }
    }

    pub(super) fn of_box(b: &Aabb) -> Self {
        let (size, center) = (b.size(), b.center());
        let volume = size.element_product();
        Self::from_moments(volume, center, size * size * (volume / 12.0))
    }

    pub(crate) fn of_ellipsoid(radii: DVec3) -> Self {
        let volume = 4.0 / 3.0 * PI * radii.element_product();
        Self::from_moments(volume, DVec3::ZERO, radii * radii * (volume / 5.0))
    }

    pub(crate) fn of_cylinder(half_height: f64, radius: f64) -> Self {
        let (across, along) = (radius * radius / 4.0, half_height * half_height / 3.0);
        let volume = 2.0 * PI * radius * radius * half_height;
        Self::from_moments(volume, DVec3::ZERO, DVec3::new(across, across, along) * volume)
    }

    pub(crate) fn of_cone(half_height: f64, radius: f64) -> Self {
        let height = 2.0 * half_height;
        let volume = PI * radius * radius * height / 3.0;
        let (across, along) = (3.0 / 20.0 * radius * radius, 3.0 / 80.0 * height * height);
        Self::from_moments(
            volume,
            DVec3::new(0.0, 0.0, -half_height / 2.0),
            DVec3::new(across, across, along) * volume,
        )
    }

    pub(crate) fn of_capsule(half_length: f64, radius: f64) -> Self {
        // A half sphere's centre is 3/8 of the radius above its flat side.
        let cap = 0.5 * Self::of_ellipsoid(DVec3::splat(radius)).volume;
        let (r_sq, offset) = (radius * radius, 0.375 * radius);
        let across = r_sq / 5.0;
        let along = across - offset * offset;
        let cap = |sign: f64| {
            let center = DVec3::new(0.0, 0.0, sign * (half_length + offset));
            Self::from_moments(cap, center, DVec3::new(across, across, along) * cap)
        };
        [Self::of_cylinder(half_length, radius), cap(1.0), cap(-1.0)].into_iter().sum()
    }

    pub(super) fn of_mesh(mesh: &Mesh) -> Self {
        if mesh.is_empty() {
            return Self::ZERO;
        }
        let origin = mesh.aabb().center();
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for t in mesh.iter_triangles() {
            let [a, b, c] = t.vertices.map(|p| p - origin);
            let part = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            volume += part;
            first += sum * (part / 4.0);
            let squares = outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum);
            second += squares * (part / 20.0);
        }
        let offset = if volume == 0.0 { DVec3::ZERO } else { first / volume };
        let about = second - outer(offset, offset) * volume;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        Self { volume, center: origin + offset, inertia: DMat3::IDENTITY * trace - about }
    }

    /// The same at a pose.
    pub fn transformed(&self, pose: &Pose) -> Self {
        let rotation = pose.rotation_matrix();
        let inertia = rotation * self.inertia * rotation.transpose();
        Self { center: pose.transform_point(self.center), inertia, ..*self }
    }
}

fn outer(p: DVec3, q: DVec3) -> DMat3 {
    DMat3::from_cols(p * q.x, p * q.y, p * q.z)
}

/// Overlapping parts count twice.
impl Sum for Mass {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, |x, y| {
            let volume = x.volume + y.volume;
            if volume == 0.0 {
                return y;
            }
            let center = (x.center * x.volume + y.center * y.volume) / volume;
            let about = |m: &Self| {
                let d = m.center - center;
                m.inertia + (DMat3::IDENTITY * d.length_squared() - outer(d, d)) * m.volume
            };
            Self { volume, center, inertia: about(&x) + about(&y) }
        })
    }
}

impl Mesh {
    /// Volume, centre and inertia of the solid it bounds, filled with density 1, rounded.
    pub fn mass(&self) -> Mass {
        Mass::of_mesh(self)
    }
}

impl Voxels {
    /// A box around the filled cells.
    pub fn aabb(&self) -> Aabb {
        self.boxes().fold(Aabb::EMPTY, Aabb::union)
    }

    /// Volume, centre and inertia, filled with density 1, rounded.
    pub fn mass(&self) -> Mass {
        self.boxes().map(|b| Mass::of_box(&b)).sum()
    }
}
