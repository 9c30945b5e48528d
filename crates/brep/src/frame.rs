//! A right-handed orthonormal frame.

use glam::{DVec2, DVec3};

/// An origin and three axes, orthonormal up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The origin.
    pub origin: DVec3,
    /// The first axis: angle 0 of surfaces of revolution.
    pub x: DVec3,
    /// The second axis.
    pub y: DVec3,
    /// The axis of revolution, or the normal of a plane.
    pub z: DVec3,
}

impl Frame {
    /// The frame of the coordinates themselves.
    pub const WORLD: Self = Self { origin: DVec3::ZERO, x: DVec3::X, y: DVec3::Y, z: DVec3::Z };

    /// The frame with this axis whose x axis is the reference direction made perpendicular to it. A missing or
    /// parallel reference is replaced by the coordinate axis that is most perpendicular. `None` for a zero axis.
    pub fn new(origin: DVec3, axis: DVec3, reference: Option<DVec3>) -> Option<Self> {
        let z = unit(axis)?;
        let across = |v: DVec3| unit(v - z * v.dot(z)).filter(|_| v.cross(z).length() > 1e-9 * v.length());
        let x = reference.and_then(across).or_else(|| {
            let [ax, ay, az] = z.abs().to_array();
            across(if ax <= ay && ax <= az {
                DVec3::X
            } else if ay <= az {
                DVec3::Y
            } else {
                DVec3::Z
            })
        })?;
        Some(Self { origin, x, y: z.cross(x), z })
    }

    /// The frame shifted and with the axis and the second axis reversed if asked: it stays right-handed.
    pub fn at(origin: DVec3) -> Self {
        Self { origin, ..Self::WORLD }
    }

    /// Coordinates of a point in the frame.
    pub fn local(&self, point: DVec3) -> DVec3 {
        let d = point - self.origin;
        DVec3::new(d.dot(self.x), d.dot(self.y), d.dot(self.z))
    }

    /// The point with these coordinates.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.origin + self.x * local.x + self.y * local.y + self.z * local.z
    }

    /// The unit vector across the axis at an angle from x.
    pub fn radial(&self, angle: f64) -> DVec3 {
        let (sin, cos) = angle.sin_cos();
        self.x * cos + self.y * sin
    }

    /// Distance from the axis and height along it.
    pub fn cylindrical(&self, point: DVec3) -> DVec2 {
        let p = self.local(point);
        DVec2::new(p.x.hypot(p.y), p.z)
    }

    /// The angle of a point about the axis; `None` on the axis.
    pub fn angle(&self, point: DVec3) -> Option<f64> {
        let p = self.local(point);
        let size = (point - self.origin).length();
        (p.x.hypot(p.y) > 1e-9 * size.max(f64::MIN_POSITIVE)).then(|| p.y.atan2(p.x))
    }

    /// The image under a rotation and a shift.
    pub fn moved(&self, pose: &noli_geom::Pose) -> Self {
        let r = pose.rotation_matrix();
        Self { origin: r * self.origin + pose.translation, x: r * self.x, y: r * self.y, z: r * self.z }
    }
}

/// The vector divided by its length; unchanged where it is a coordinate axis, so that nothing is rounded.
pub(crate) fn unit(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    if v.abs().element_sum() == largest {
        return Some(v / largest);
    }
    Some((v / largest).normalize())
}
