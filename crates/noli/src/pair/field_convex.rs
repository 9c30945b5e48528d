//! A convex body for field queries: a single part with a support function.

use crate::convex::{self, Bodies, Goal};
use glam::DVec3;
use noli_geom::{Aabb, Convex, PairFrame, Pose, RelativePose};
use noli_implicit::Pieces;

/// A convex body and a point to measure from.
pub(super) struct ConvexPiece<'a> {
    convex: &'a Convex,
    /// Nothing but the type makes this one an option.
    probe: Option<Convex>,
}

impl<'a> ConvexPiece<'a> {
    pub(super) fn new(convex: &'a Convex) -> Self {
        Self { convex, probe: Convex::sphere(0.0).ok() }
    }

    pub(super) fn size(&self) -> f64 {
        self.convex.aabb().size().max_element()
    }
}

impl Pieces for ConvexPiece<'_> {
    fn bounds(&self, _: u32) -> Aabb {
        self.convex.aabb()
    }

    fn parts(&self, _: u32, _: &mut Vec<u32>) {}

    fn support(&self, _: u32, direction: DVec3) -> f64 {
        if direction == DVec3::ZERO {
            return 0.0;
        }
        // The furthest point is rounded, and so is its product.
        let room = 64.0 * f64::EPSILON * self.convex.bounding_radius() + self.convex.core().error();
        self.convex.support_point(direction).dot(direction) + room * direction.length()
    }

    /// The nearest point, by the search for the clearance of two convex bodies.
    fn point_near(&self, _: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let place = Pose::from_translation(target);
        let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &place));
        let bodies = Bodies::new(self.convex, self.probe.as_ref()?, &frame);
        let goal = Goal { separated: f64::INFINITY, near: 0.0, tolerance: 0.0 };
        let clearance = convex::core_distance(&bodies, &goal, &mut Default::default());
        let error = 2.0 * bodies.point_error + 64.0 * f64::EPSILON * self.convex.bounding_radius();
        let core = if clearance.overlaps { target } else { clearance.witness[0] };
        let rest = target - core;
        let share = (self.convex.radius() / rest.length()).min(1.0);
        Some((if share.is_finite() { core + rest * share } else { core }, error))
    }
}
