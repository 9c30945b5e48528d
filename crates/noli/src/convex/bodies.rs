//! The pair in the search: support points of `B − A`, with their rounding errors.

use crate::simd::{Instructions, Portable, Simd, Supported};
use glam::{DMat3, DVec3};
use noli_geom::{Convex, Core, PairFrame, UNIT_ROUNDOFF};

/// A point of `B − A` and where it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// B's point less A's, in A's frame.
    pub(crate) w: DVec3,
    /// A's point in A's frame.
    pub(crate) a: DVec3,
    /// B's point in B's frame.
    pub(crate) b: DVec3,
}

impl Vertex {
    /// Returns `true` if both come from the same points.
    #[inline]
    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.w == other.w && self.a == other.a && self.b == other.b
    }
}

/// Two convex bodies and the pose between them.
pub(crate) struct Bodies<'a> {
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) frame: &'a PairFrame,
    /// Bound on the rounding error of the least `d·w`, as a factor of `|d|`.
    pub(crate) height_error: f64,
    /// Largest distance of the support points, including mixtures of them, from the difference of the cores.
    pub(crate) point_error: f64,
    /// Bound on the error of each coordinate of a support point.
    pub(crate) coordinate_error: f64,
    /// Largest length of any point involved.
    pub(crate) size: f64,
    /// Instruction set for computing support points.
    pub(crate) simd: Supported,
}

/// Added to the spread of bodies, in units of it, so that flat ones have one across.
const LITTLE: f64 = 1e-6;

impl<'a> Bodies<'a> {
    /// With `u` the unit roundoff, `ρ` and `π` the stated errors of the relative pose:
    /// - a direction is turned into B's frame with an error of `(3ρ + 6u)|d|`, which may cost twice that times
    ///   B's reach;
    /// - a point of B is off by `√3·π`, one of a round core by that core's error;
    /// - products `d·w`, differences and mixtures of three points round by less than `16u` of the size.
    #[inline]
    pub(crate) fn new(a: &'a Convex, b: &'a Convex, frame: &'a PairFrame) -> Self {
        let pose = frame.pose();
        let (reach_a, reach_b) = (a.core().bounding_radius(), b.core().bounding_radius());
        let [loss_a, loss_b] = [a, b].map(|body| body.core().error());
        let size = reach_a + reach_b + pose.translation.length();
        let coordinate_error = pose.point_error(reach_b);
        let placed = 1.733 * coordinate_error;
        let turned = 2.0 * reach_b * (3.0 * pose.rotation_error + 6.0 * UNIT_ROUNDOFF);
        let rounding = 16.0 * UNIT_ROUNDOFF * size + f64::MIN_POSITIVE;
        let off = off_core(a.core()) + off_core(b.core());
        Self {
            a,
            b,
            frame,
            height_error: (loss_a + loss_b + placed + turned + rounding) * 1.000_001,
            point_error: (off + placed + rounding) * 1.000_001,
            coordinate_error: coordinate_error + off + 2.0 * UNIT_ROUNDOFF * size,
            size,
            simd: Supported::new(Instructions::best()),
        }
    }

    /// A direction in which the bodies may part: the one that parts their vertices best (the discriminant of Fisher 1936). From middle to
    /// middle it would be for round bodies only.
    pub(crate) fn first_direction(&self) -> DVec3 {
        let between = self.between_middles();
        let rotation = self.frame.pose().rotation;
        let spread = self.a.core().spread() + rotation * self.b.core().spread() * rotation.transpose();
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let little = DMat3::from_diagonal(DVec3::splat(LITTLE));
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = spread * (1.0 / trace) + little;
        // By Cramer's rule up to a factor: the determinant of a sum of spreads is positive.
        let parting = DVec3::new(y.cross(z).dot(between), z.cross(x).dot(between), x.cross(y).dot(between));
        let usable = |d: &DVec3| d.is_finite() && *d != DVec3::ZERO;
        [parting, between].into_iter().find(usable).unwrap_or(DVec3::X)
    }

    /// From the middle of A to the middle of B.
    fn between_middles(&self) -> DVec3 {
        let middle = |core: &Core| match core {
            Core::Hull(hull) => hull.middle(),
            _ => DVec3::ZERO,
        };
        self.frame.pose().transform_point(middle(self.b.core())) - middle(self.a.core())
    }

    /// The point of `B − A` that is least in a direction: A's furthest along it, B's furthest against it.
    #[inline]
    pub(crate) fn support(&self, direction: DVec3) -> Vertex {
        self.support_with(Portable, direction)
    }

    /// The same with these instructions.
    #[inline(always)]
    pub(crate) fn support_with<S: Simd>(&self, s: S, direction: DVec3) -> Vertex {
        let against = -(self.frame.pose().rotation.transpose() * direction);
        let (mut place_a, mut place_b) = (DVec3::ZERO, DVec3::ZERO);
        let a = *support_point(s, self.a.core(), direction, &mut place_a);
        let b = *support_point(s, self.b.core(), against, &mut place_b);
        Vertex { w: self.difference(a, b), a, b }
    }

    /// B's point less A's, in A's frame.
    #[inline]
    pub(crate) fn difference(&self, a: DVec3, b: DVec3) -> DVec3 {
        self.frame.pose().transform_point(b) - a
    }

    /// Returns an upper bound on the distance of the bodies, from a mixture of support points.
    #[inline]
    pub(crate) fn at_most(&self, v: DVec3) -> f64 {
        v.length() * (1.0 + 4e-16) + self.point_error
    }

    #[inline]
    pub(crate) fn is_polyhedral(&self) -> bool {
        self.a.core().is_polyhedral() && self.b.core().is_polyhedral()
    }
}

/// The furthest point of a core, where it lies in memory if it is a vertex: a copy would have to be waited for.
#[inline(always)]
fn support_point<'c, S: Simd>(s: S, core: &'c Core, direction: DVec3, place: &'c mut DVec3) -> &'c DVec3 {
    if let Core::Hull(hull) = core {
        let vertices = hull.vertices();
        let vertex =
            s.highest(hull.eights(), direction).unwrap_or_else(|| hull.support_point(direction) as usize);
        // There is no highest along a direction that is none.
        return &vertices[if vertex < vertices.len() { vertex } else { 0 }];
    }
    *place = core.support_point(direction);
    place
}

/// Returns the largest distance of support points from a core.
fn off_core(core: &Core) -> f64 {
    if core.is_polyhedral() { 0.0 } else { core.error() }
}
