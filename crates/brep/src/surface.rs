//! Surfaces of faces.

use crate::curve::{Curve, nearest, samples};
use crate::frame::Frame;
use crate::spline::{SplineSurface, SurfaceSlopes, nearest_parameters};
use glam::{DVec2, DVec3};
use noli_geom::Pose;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A surface by two parameters. The first is the angle about the axis where there is one.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// The x and y axes of a frame.
    Plane(Frame),
    /// Angle and height.
    Cylinder {
        /// Axis.
        frame: Frame,
        /// Radius.
        radius: f64,
    },
    /// Angle and height; the radius grows with the height.
    Cone {
        /// Axis.
        frame: Frame,
        /// Radius at height 0.
        radius: f64,
        /// Angle between axis and generatrix, less than a right one.
        half_angle: f64,
    },
    /// Longitude and latitude.
    Sphere {
        /// Centre and axis.
        frame: Frame,
        /// Radius.
        radius: f64,
    },
    /// Angle about the axis and angle about the tube.
    Torus {
        /// Centre and axis.
        frame: Frame,
        /// Radius of the circle in the middle of the tube.
        major: f64,
        /// Radius of the tube.
        minor: f64,
    },
    /// A curve turned about the axis: angle and parameter of the curve.
    Revolution {
        /// Axis.
        frame: Frame,
        /// The curve at angle 0.
        curve: Curve,
    },
    /// A curve moved along a direction: parameter of the curve and multiple of the direction.
    Extrusion {
        /// The curve at 0.
        curve: Curve,
        /// The direction.
        direction: DVec3,
    },
    /// A B-spline.
    Spline(SplineSurface),
}

/// Kinds of surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SurfaceKind {
    /// Plane.
    Plane,
    /// Circular cylinder.
    Cylinder,
    /// Circular cone.
    Cone,
    /// Sphere.
    Sphere,
    /// Torus.
    Torus,
    /// Surface of revolution.
    Revolution,
    /// Surface of linear extrusion.
    Extrusion,
    /// B-spline surface.
    Spline,
    /// Triangles of a tessellated body.
    Triangles,
}

impl std::fmt::Display for SurfaceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Plane => "plane",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Sphere => "sphere",
            Self::Torus => "torus",
            Self::Revolution => "surface of revolution",
            Self::Extrusion => "surface of extrusion",
            Self::Spline => "B-spline surface",
            Self::Triangles => "triangles",
        })
    }
}

impl Surface {
    /// Its kind.
    pub fn kind(&self) -> SurfaceKind {
        match self {
            Self::Plane(_) => SurfaceKind::Plane,
            Self::Cylinder { .. } => SurfaceKind::Cylinder,
            Self::Cone { .. } => SurfaceKind::Cone,
            Self::Sphere { .. } => SurfaceKind::Sphere,
            Self::Torus { .. } => SurfaceKind::Torus,
            Self::Revolution { .. } => SurfaceKind::Revolution,
            Self::Extrusion { .. } => SurfaceKind::Extrusion,
            Self::Spline(_) => SurfaceKind::Spline,
        }
    }

    /// The point and both derivatives.
    pub fn evaluate(&self, uv: DVec2) -> [DVec3; 3] {
        let DVec2 { x: u, y: v } = uv;
        match self {
            Self::Plane(f) => [f.origin + f.x * u + f.y * v, f.x, f.y],
            Self::Spline(spline) => spline.evaluate(uv),
            Self::Extrusion { curve, direction } => {
                let (p, slope) = curve.evaluate(u);
                [p + *direction * v, slope, *direction]
            }
            Self::Revolution { frame, curve } => {
                let (p, slope) = curve.evaluate(v);
                let (p, slope) = (frame.local(p), frame.local(frame.origin + slope));
                let (sin, cos) = u.sin_cos();
                let turn = |q: DVec3| frame.x * (q.x * cos - q.y * sin) + frame.y * (q.x * sin + q.y * cos);
                let along = |q: DVec3| turn(q) + frame.z * q.z;
                [frame.origin + along(p), turn(DVec3::new(-p.y, p.x, 0.0)), along(slope)]
            }
            Self::Cylinder { frame, .. }
            | Self::Cone { frame, .. }
            | Self::Sphere { frame, .. }
            | Self::Torus { frame, .. } => {
                let (sin, cos) = u.sin_cos();
                let (out, side) = (frame.x * cos + frame.y * sin, frame.y * cos - frame.x * sin);
                let ([r, z], [dr, dz]) = self.profile_point(v);
                [frame.origin + out * r + frame.z * z, side * r, out * dr + frame.z * dz]
            }
        }
    }

    /// Radius and height of the generating curve, with their derivatives.
    fn profile_point(&self, v: f64) -> ([f64; 2], [f64; 2]) {
        match self {
            Self::Cylinder { radius, .. } => ([*radius, v], [0.0, 1.0]),
            Self::Cone { radius, half_angle, .. } => {
                let tan = half_angle.tan();
                ([radius + v * tan, v], [tan, 1.0])
            }
            Self::Sphere { radius: r, .. } => {
                let (sin, cos) = v.sin_cos();
                ([r * cos, r * sin], [-r * sin, r * cos])
            }
            Self::Torus { major, minor, .. } => {
                let (sin, cos) = v.sin_cos();
                ([major + minor * cos, minor * sin], [-minor * sin, minor * cos])
            }
            _ => ([0.0, v], [0.0, 1.0]),
        }
    }

    /// The point.
    pub fn point(&self, uv: DVec2) -> DVec3 {
        self.evaluate(uv)[0]
    }

    /// Bounds on the derivatives over a box of parameters.
    pub(crate) fn slopes(&self, low: DVec2, high: DVec2) -> SurfaceSlopes {
        let widest = |values: [f64; 2]| values[0].abs().max(values[1].abs());
        match self {
            Self::Plane(_) => SurfaceSlopes { u: 1.0, v: 1.0, ..Default::default() },
            Self::Cylinder { radius, .. } => {
                SurfaceSlopes { u: *radius, v: 1.0, uu: *radius, uv: 0.0, vv: 0.0 }
            }
            Self::Cone { radius, half_angle, .. } => {
                let tan = half_angle.tan();
                let r = widest([radius + low.y * tan, radius + high.y * tan]);
                SurfaceSlopes { u: r, v: 1.0f64.hypot(tan), uu: r, uv: tan.abs(), vv: 0.0 }
            }
            Self::Sphere { radius: r, .. } => {
                // The cosine falls away from the equator.
                let nearest = if low.y <= 0.0 && high.y >= 0.0 { 0.0 } else { low.y.abs().min(high.y.abs()) };
                let ring = r * nearest.min(FRAC_PI_2).cos() + 1e-15 * r;
                let tilt = r * widest([low.y, high.y]).min(FRAC_PI_2).sin();
                SurfaceSlopes { u: ring, v: *r, uu: ring, uv: tilt, vv: *r }
            }
            Self::Torus { major, minor, .. } => {
                let ring = major + minor;
                SurfaceSlopes { u: ring, v: *minor, uu: ring, uv: *minor, vv: *minor }
            }
            Self::Extrusion { curve, direction } => {
                let slopes = curve.slopes(low.x, high.x);
                SurfaceSlopes { u: slopes.first, v: direction.length(), uu: slopes.second, uv: 0.0, vv: 0.0 }
            }
            Self::Revolution { frame, curve } => {
                let slopes = curve.slopes(low.y, high.y);
                let middle = frame.cylindrical(curve.point((low.y + high.y) * 0.5)).x;
                let r = middle + slopes.first * (high.y - low.y) * 0.5;
                SurfaceSlopes { u: r, v: slopes.first, uu: r, uv: slopes.first, vv: slopes.second }
            }
            Self::Spline(spline) => spline.slopes(low, high),
        }
    }

    /// Periods of both parameters.
    pub(crate) fn periods(&self) -> [Option<f64>; 2] {
        match self {
            Self::Plane(_) => [None, None],
            Self::Spline(spline) => spline.periods(),
            Self::Extrusion { curve, .. } => [curve.period(), None],
            Self::Revolution { curve, .. } => [Some(TAU), curve.period()],
            Self::Torus { .. } => [Some(TAU), Some(TAU)],
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Sphere { .. } => [Some(TAU), None],
        }
    }

    /// The second parameters at which the surface shrinks to a point: below and above.
    pub(crate) fn poles(&self) -> [Option<f64>; 2] {
        match self {
            Self::Sphere { .. } => [Some(-FRAC_PI_2), Some(FRAC_PI_2)],
            Self::Cone { radius, half_angle, .. } => {
                let apex = -radius / half_angle.tan();
                if *half_angle > 0.0 { [Some(apex), None] } else { [None, Some(apex)] }
            }
            Self::Revolution { frame, curve: curve @ Curve::Spline(spline) } => spline.domain().map(|v| {
                let p = curve.point(v);
                (frame.angle(p).is_none()).then_some(v)
            }),
            Self::Spline(spline) => spline.poles(),
            Self::Revolution { frame, curve: curve @ Curve::Circle { .. } } => {
                [-FRAC_PI_2, FRAC_PI_2].map(|v| frame.angle(curve.point(v)).is_none().then_some(v))
            }
            _ => [None, None],
        }
    }

    /// The parameters of the point of the surface nearest to a point; the angle at a pole is that of `near`.
    pub(crate) fn parameters(&self, point: DVec3, near: Option<DVec2>) -> DVec2 {
        let angle = |frame: &Frame| frame.angle(point).or(near.map(|uv| uv.x)).unwrap_or(0.0);
        match self {
            Self::Plane(frame) => frame.local(point).truncate(),
            Self::Cylinder { frame, .. } => DVec2::new(angle(frame), frame.local(point).z),
            Self::Cone { frame, radius, half_angle } => {
                let p = frame.cylindrical(point);
                let tan = half_angle.tan();
                // On the generatrix through (radius, 0) in the half plane of the point.
                DVec2::new(angle(frame), ((p.x - radius) * tan + p.y) / (1.0 + tan * tan))
            }
            Self::Sphere { frame, .. } => {
                let p = frame.cylindrical(point);
                DVec2::new(angle(frame), p.y.atan2(p.x))
            }
            Self::Torus { frame, major, .. } => {
                let p = frame.cylindrical(point);
                DVec2::new(angle(frame), p.y.atan2(p.x - major))
            }
            Self::Extrusion { curve, direction } => {
                let axis = *direction / direction.length_squared();
                let across = |v: DVec3| v - *direction * v.dot(axis);
                let u = self.along(curve, near.map(|uv| uv.x), point, |(p, slope)| {
                    (across(p - point), across(slope))
                });
                DVec2::new(u, (point - curve.point(u)).dot(axis))
            }
            Self::Revolution { frame, curve } => {
                let target = frame.cylindrical(point);
                let flat = |(p, slope): (DVec3, DVec3)| {
                    let (q, d) = (frame.local(p), frame.local(frame.origin + slope));
                    let r = q.x.hypot(q.y);
                    let dr = if r > 0.0 { (q.x * d.x + q.y * d.y) / r } else { d.x.hypot(d.y) };
                    (DVec3::new(r - target.x, q.z - target.y, 0.0), DVec3::new(dr, d.z, 0.0))
                };
                let v = self.along(curve, near.map(|uv| uv.y), point, flat);
                let turned = frame.angle(point).zip(frame.angle(curve.point(v))).map(|(a, b)| a - b);
                DVec2::new(turned.or(near.map(|uv| uv.x)).unwrap_or(0.0), v)
            }
            Self::Spline(spline) => nearest_parameters(spline, point, near),
        }
    }

    fn along(
        &self,
        curve: &Curve,
        near: Option<f64>,
        point: DVec3,
        residual: impl Fn((DVec3, DVec3)) -> (DVec3, DVec3),
    ) -> f64 {
        let (starts, range) = match (curve, near) {
            (Curve::Spline(spline), Some(t)) => (vec![t], spline.domain()),
            (Curve::Spline(spline), None) => (samples(spline), spline.domain()),
            (_, Some(t)) => (vec![t], [f64::MIN, f64::MAX]),
            (Curve::Circle { .. } | Curve::Ellipse { .. }, None) => {
                ((0..16).map(|k| f64::from(k) * TAU / 16.0).collect(), [f64::MIN, f64::MAX])
            }
            (_, None) => (vec![curve.parameter(point, None)], [f64::MIN, f64::MAX]),
        };
        nearest(|t| residual(curve.evaluate(t)), &starts, range)
    }

    /// The parameters of a point near given ones, on the same sheet of a periodic surface.
    pub(crate) fn near_parameters(&self, point: DVec3, near: DVec2) -> DVec2 {
        let mut uv = self.parameters(point, Some(near));
        for (k, period) in self.periods().into_iter().enumerate() {
            if let Some(period) = period {
                uv[k] -= ((uv[k] - near[k]) / period).round() * period;
            }
        }
        uv
    }

    /// Returns `true` if a curve is the generating curve of a swept surface, moved along it.
    pub(crate) fn is_generated_by(&self, edge: &Curve) -> bool {
        match (self, edge) {
            (Self::Extrusion { curve: Curve::Spline(own), direction }, Curve::Spline(other)) => {
                own.is_shifted(other, Some(*direction))
            }
            (Self::Revolution { curve: Curve::Spline(own), .. }, Curve::Spline(other)) => {
                own.is_shifted(other, None)
            }
            _ => false,
        }
    }

    /// A function that is zero on the surface, has opposite signs on its sides (positive where
    /// [`normal`](Self::normal) points) and never changes faster than the distance. `None` for surfaces without one.
    pub(crate) fn side(&self, point: DVec3) -> Option<f64> {
        match self {
            Self::Plane(frame) => Some((point - frame.origin).dot(frame.z)),
            Self::Cylinder { frame, radius } => Some(frame.cylindrical(point).x - radius),
            Self::Cone { frame, radius, half_angle } => {
                let p = frame.cylindrical(point);
                let (sin, cos) = half_angle.sin_cos();
                Some((p.x - radius) * cos - p.y * sin)
            }
            Self::Sphere { frame, radius } => Some((point - frame.origin).length() - radius),
            Self::Torus { frame, major, minor } => {
                let p = frame.cylindrical(point);
                Some((p.x - major).hypot(p.y) - minor)
            }
            Self::Revolution { .. } | Self::Extrusion { .. } | Self::Spline(_) => None,
        }
    }

    /// The same surface; a cone whose other nappe passes through the point is described from there, with equal normals.
    pub(crate) fn on_nappe_of(self, point: DVec3) -> Self {
        let Self::Cone { frame, radius, half_angle } = self else { return self };
        let p = frame.cylindrical(point);
        let (sin, cos) = half_angle.sin_cos();
        let off = |r: f64| ((r - radius) * cos - p.y * sin).abs();
        if off(p.x) <= off(-p.x) {
            return self;
        }
        let turned = Frame { y: -frame.y, z: -frame.z, ..frame };
        Self::Cone { frame: turned, radius: -radius, half_angle }
    }

    /// The direction `S_u × S_v`, not normalised; zero at poles.
    pub fn normal(&self, uv: DVec2) -> DVec3 {
        let [_, su, sv] = self.evaluate(uv);
        su.cross(sv)
    }

    /// The frame of an analytic surface.
    pub(crate) fn frame(&self) -> Option<&Frame> {
        match self {
            Self::Plane(frame)
            | Self::Cylinder { frame, .. }
            | Self::Cone { frame, .. }
            | Self::Sphere { frame, .. }
            | Self::Torus { frame, .. } => Some(frame),
            Self::Revolution { .. } | Self::Extrusion { .. } | Self::Spline(_) => None,
        }
    }

    /// The surface at a pose.
    pub fn moved(&self, pose: &Pose) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Self::Plane(frame)
            | Self::Cylinder { frame, .. }
            | Self::Cone { frame, .. }
            | Self::Sphere { frame, .. }
            | Self::Torus { frame, .. } => *frame = frame.moved(pose),
            Self::Revolution { frame, curve } => {
                *frame = frame.moved(pose);
                *curve = curve.moved(pose);
            }
            Self::Extrusion { curve, direction } => {
                *curve = curve.moved(pose);
                *direction = pose.transform_vector(*direction);
            }
            Self::Spline(spline) => *spline = spline.moved(pose),
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_testing::Random;

    fn surfaces() -> Vec<Surface> {
        let frame =
            Frame::new(DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.4, 1.2), Some(DVec3::X)).unwrap();
        let circle = Curve::Circle {
            frame: Frame::new(frame.origin + frame.x * 3.0, frame.y, Some(frame.x)).unwrap(),
            radius: 0.5,
        };
        vec![
            Surface::Plane(frame),
            Surface::Cylinder { frame, radius: 2.0 },
            Surface::Cone { frame, radius: 2.0, half_angle: 0.4 },
            Surface::Sphere { frame, radius: 2.0 },
            Surface::Torus { frame, major: 3.0, minor: 0.5 },
            Surface::Revolution { frame, curve: circle.clone() },
            Surface::Extrusion { curve: circle, direction: DVec3::new(0.1, 0.2, 1.0) },
        ]
    }

    /// The parameters of a point of the surface lead back to it, and the side is zero there and Lipschitz.
    #[test]
    fn parameters_invert_points() {
        let mut random = Random::new(11);
        for surface in surfaces() {
            for _ in 0..200 {
                let uv = DVec2::new(random.real() * 3.0, random.real() * 1.4);
                let p = surface.point(uv);
                let back = surface.parameters(p, Some(uv + DVec2::new(0.05, -0.05)));
                assert!(surface.point(back).distance(p) < 1e-9, "{:?} {uv} {back}", surface.kind());
                if let Some(side) = surface.side(p) {
                    assert!(side.abs() < 1e-12);
                    let q = p + random.vector();
                    assert!(surface.side(q).unwrap().abs() <= p.distance(q) + 1e-12);
                    let normal = surface.normal(uv).normalize();
                    assert!(surface.side(p + normal * 1e-3).unwrap() > 0.0, "{:?} {uv}", surface.kind());
                }
            }
        }
    }

    /// The other nappe keeps its points and its normals.
    #[test]
    fn a_cone_is_described_from_either_nappe() {
        let cone = Surface::Cone { frame: Frame::WORLD, radius: 2.0, half_angle: 0.5 };
        let uv = DVec2::new(0.7, -9.0);
        let (point, normal) = (cone.point(uv), cone.normal(uv).normalize());
        let other = cone.clone().on_nappe_of(point);
        assert_ne!(other, cone);
        let back = other.parameters(point, None);
        assert!(
            other.point(back).distance(point) < 1e-12
                && other.normal(back).normalize().distance(normal) < 1e-12
        );
        assert!(other.side(point).unwrap().abs() < 1e-12);
        assert_eq!(cone.clone().on_nappe_of(cone.point(DVec2::new(0.7, 3.0))), cone);
    }

    #[test]
    fn slopes_bound_the_derivatives() {
        let mut random = Random::new(12);
        for surface in surfaces() {
            for _ in 0..200 {
                let uv = DVec2::new(random.real() * 3.0, random.real() * 1.4);
                let h = 1e-5;
                let bound = surface.slopes(uv, uv + h);
                let [_, su, sv] = surface.evaluate(uv);
                let [_, suu, _] = surface.evaluate(uv + DVec2::new(h, 0.0));
                let [_, suv, svv] = surface.evaluate(uv + DVec2::new(0.0, h));
                let room = |x: f64| x * 1.001 + 1e-5;
                assert!(su.length() <= room(bound.u) && sv.length() <= room(bound.v), "{:?}", surface.kind());
                assert!((suu - su).length() / h <= room(bound.uu), "{:?}", surface.kind());
                assert!((suv - su).length() / h <= room(bound.uv), "{:?}", surface.kind());
                assert!((svv - sv).length() / h <= room(bound.vv), "{:?}", surface.kind());
            }
        }
    }
}
