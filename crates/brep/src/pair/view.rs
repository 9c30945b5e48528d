//! A body in the common frame of a query.

use crate::body::Brep;
use crate::frame::Frame;
use crate::patch::Patch;
use crate::placed::{PlacedFace, Placement, Range};
use crate::profile::{coaxial_range, patch_range, profile_distance, side_range};
use crate::surface::Surface;
use glam::{DMat3, DVec3};
use noli_geom::{Aabb, RelativePose};
use std::cell::OnceCell;

/// A body, its pose in the common frame, and its analytic surfaces there.
pub(super) struct View<'b> {
    pub(super) body: &'b Brep,
    pose: Option<(RelativePose, RelativePose)>,
    /// The surfaces in the common frame, once they are needed; none for a body whose frame is the common one.
    surfaces: Vec<OnceCell<Box<Surface>>>,
    /// Bound on the error of every point and of every surface near the body.
    pub(super) rounding: f64,
}

impl<'b> View<'b> {
    /// A body whose frame is the common one.
    pub(super) fn own(body: &'b Brep) -> Self {
        Self { body, pose: None, surfaces: Vec::new(), rounding: body.rounding }
    }

    /// A body at a pose.
    pub(super) fn placed(body: &'b Brep, pose: RelativePose) -> Self {
        if pose.is_identity() {
            return Self::own(body);
        }
        let rounding = body.rounding + Self::placing_error(body, &pose);
        let surfaces = vec![OnceCell::new(); body.faces.len()];
        let inverse = pose.inverse();
        Self { body, pose: Some((pose, inverse)), surfaces, rounding }
    }

    /// Bound on the error of its points and of its surfaces that a pose adds: each coordinate of a point, and the drift of
    /// an axis along the body.
    pub(super) fn placing_error(body: &Brep, pose: &RelativePose) -> f64 {
        if pose.is_identity() { 0.0 } else { 4.0 * pose.point_error(2.0 * body.farthest) }
    }

    /// Rotation and translation to the common frame.
    pub(super) fn placement(&self) -> (DMat3, DVec3) {
        self.pose
            .as_ref()
            .map_or((DMat3::IDENTITY, DVec3::ZERO), |(pose, _)| (pose.rotation, pose.translation))
    }

    /// A point of the body in the common frame.
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.pose.as_ref().map_or(point, |(pose, _)| pose.transform_point(point))
    }

    /// A direction of the body in the common frame.
    pub(super) fn vector(&self, vector: DVec3) -> DVec3 {
        self.pose.as_ref().map_or(vector, |(pose, _)| pose.rotation * vector)
    }

    /// A point of the common frame in that of the body.
    pub(super) fn back(&self, point: DVec3) -> DVec3 {
        self.pose.as_ref().map_or(point, |(_, inverse)| inverse.transform_point(point))
    }

    pub(super) fn triangle(&self, patch: &Patch) -> [DVec3; 3] {
        patch.points.map(|point| self.point(point))
    }

    /// A box around a patch in the common frame.
    pub(super) fn patch_box(&self, patch: &Patch) -> Aabb {
        Aabb::from_points(self.triangle(patch)).expanded(patch.outward + self.rounding)
    }

    /// The analytic surface of a face in the common frame.
    pub(super) fn surface(&self, face: usize) -> Option<&Surface> {
        let own = &self.body.faces[face].surface;
        own.frame()?;
        let Some((pose, _)) = &self.pose else { return Some(own) };
        Some(self.surfaces[face].get_or_init(|| Box::new(moved(own, pose))))
    }

    /// Positive outside the body near a face.
    pub(super) fn outside(&self, face: usize, point: DVec3) -> Option<f64> {
        let side = self.surface(face)?.side(point)?;
        Some(if self.body.faces[face].same_sense { side } else { -side })
    }

    /// The range of a surface's distance function over a face, in closed form.
    pub(super) fn range(&self, sigma: &Surface, face: usize) -> Option<Range> {
        side_range(sigma, &self.placed_face(face)?)
    }

    /// The same as if both had one axis, without rounding, and how far the face is moved for that.
    pub(super) fn coaxial_range(&self, sigma: &Surface, face: usize) -> Option<(Range, f64)> {
        coaxial_range(sigma, &self.placed_face(face)?)
    }

    /// A lower bound of the distance between a face of revolution and a face of another body, from the heights and the
    /// profiles of both along the axis.
    pub(super) fn beyond_axis(&self, face: usize, other: &View<'_>, at: usize) -> f64 {
        let Some(sigma @ (Surface::Cylinder { frame, .. } | Surface::Cone { frame, .. })) =
            self.surface(face)
        else {
            return 0.0;
        };
        let own = &self.body.faces[face];
        let [from, to] = own.extent.v;
        let across = Surface::Plane(*frame);
        let heights = other.range(&across, at).map_or(0.0, |[low, high]| (low - to).max(from - high));
        let profiles = other.placed_face(at).and_then(|placed| profile_distance(sigma, own, &placed));
        heights.max(profiles.unwrap_or(0.0)) - own.rounding - self.rounding - other.rounding
    }

    fn placed_face(&self, face: usize) -> Option<PlacedFace<'_>> {
        Some(PlacedFace {
            face: &self.body.faces[face],
            surface: self.surface(face)?,
            edges: &self.body.edges,
            placement: self,
            rounding: 2.0 * self.rounding,
        })
    }

    /// A box around the body in the common frame.
    pub(super) fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.body.bounds;
        if min.x > max.x {
            return Aabb::EMPTY;
        }
        let vertex = |k: usize| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { min[axis] } else { max[axis] };
            self.point(DVec3::new(pick(0), pick(1), pick(2)))
        };
        Aabb::from_points((0..8).map(vertex)).expanded(self.rounding)
    }

    /// The range over a patch.
    pub(super) fn patch_range(&self, sigma: &Surface, patch: &Patch) -> Option<Range> {
        patch_range(sigma, &self.triangle(patch), patch.outward + self.rounding)
    }
}

fn moved(surface: &Surface, pose: &RelativePose) -> Surface {
    let mut moved = surface.clone();
    if let Surface::Plane(frame)
    | Surface::Cylinder { frame, .. }
    | Surface::Cone { frame, .. }
    | Surface::Sphere { frame, .. }
    | Surface::Torus { frame, .. } = &mut moved
    {
        let Frame { origin, x, y, z } = *frame;
        let r = pose.rotation;
        *frame = Frame { origin: pose.transform_point(origin), x: r * x, y: r * y, z: r * z };
    }
    moved
}

impl Placement for View<'_> {
    fn in_body(&self, point: DVec3) -> DVec3 {
        self.back(point)
    }

    fn in_common(&self, point: DVec3) -> DVec3 {
        self.point(point)
    }
}
