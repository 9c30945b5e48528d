//! The pair as the search sees it: support points of `B − A`, and what rounding they carry.

use super::simplex::Vertex;
use glam::{DMat3, DVec3};
use noli_geom::{Convex, Core, PairFrame, UNIT_ROUNDOFF};

/// Two convex bodies and the pose between them.
pub(crate) struct Bodies<'a> {
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) frame: &'a PairFrame,
    /// What rounding may do to the least `d·w`, as a factor of `|d|`.
    pub(crate) height_error: f64,
    /// How far the support points may be off the difference of the cores, mixtures of them included.
    pub(crate) point_error: f64,
    /// Bound on the error of each coordinate of a support point.
    pub(crate) coordinate_error: f64,
    /// Largest length of any point involved.
    pub(crate) size: f64,
}

/// Added to the spread of bodies, in units of it, so that flat ones have one across.
const LITTLE: f64 = 1e-6;

impl<'a> Bodies<'a> {
    /// With `u` the unit roundoff, `ρ` and `π` the stated errors of the relative pose:
    /// - a direction is turned into B's frame with an error of `(3ρ + 6u)|d|`, which may cost twice that times
    ///   B's reach;
    /// - a point of B is off by `√3·π`, one of a round core by that core's error;
    /// - products `d·w`, differences and mixtures of three points round by less than `16u` of the size.
    pub(crate) fn new(a: &'a Convex, b: &'a Convex, frame: &'a PairFrame) -> Self {
        let pose = frame.pose();
        let (reach_a, reach_b) = (a.core().reach(), b.core().reach());
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
        }
    }

    /// A direction in which the bodies may part: the one that parts their corners best (the discriminant of Fisher 1936). From middle to
    /// middle it would be for round bodies only.
    pub(crate) fn first_direction(&self) -> DVec3 {
        let between = self.between_middles();
        let rotation = self.frame.pose().rotation;
        let spread = self.a.core().spread() + rotation * self.b.core().spread() * rotation.transpose();
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let little = DMat3::from_diagonal(DVec3::splat(LITTLE));
        let parting = (spread * (1.0 / trace) + little).inverse() * between;
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
        let against = -(self.frame.pose().rotation.transpose() * direction);
        let (a, index_a) = furthest(self.a.core(), direction);
        let (b, index_b) = furthest(self.b.core(), against);
        self.vertex(a, b, [index_a, index_b])
    }

    #[inline]
    pub(crate) fn vertex(&self, a: DVec3, b: DVec3, indices: [u32; 2]) -> Vertex {
        Vertex { w: self.frame.pose().transform_point(b) - a, a, b, indices }
    }

    pub(crate) fn is_polyhedral(&self) -> bool {
        self.a.core().is_polyhedral() && self.b.core().is_polyhedral()
    }
}

#[inline]
fn furthest(core: &Core, direction: DVec3) -> (DVec3, u32) {
    match core {
        Core::Hull(hull) => {
            let vertex = hull.furthest(direction);
            (hull.vertices()[vertex as usize], vertex)
        }
        _ => (core.furthest(direction), 0),
    }
}

/// How far support points may be off a core.
fn off_core(core: &Core) -> f64 {
    if core.is_polyhedral() { 0.0 } else { core.error() }
}
