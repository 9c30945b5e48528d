//! Volumes around all places of a moving volume (Eckstein 1998, section 4.2).

use glam::{DMat3, DVec3};
use noli_geom::{Aabb, AnyVolume, Motion, Obb, Pose, Sphere, UNIT_ROUNDOFF, VolumeKind};

/// From what a volume around a motion is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enclosing {
    /// The places at both ends (method A, which the thesis used in its runs).
    #[default]
    Ends,
    /// The place at the start, enlarged by how far points go (method B).
    Length,
}

/// Enclosure of a moving volume.
///
/// ```
/// use noli_classics::tree::{Enclosing, SweptVolume};
/// assert_eq!(SweptVolume::default().by, Enclosing::Ends);
/// assert!(!SweptVolume::default().as_printed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweptVolume {
    /// From what.
    pub by: Enclosing,
    /// In which kind: sphere, axis-aligned or oriented box; nothing for the kind that moves. k-DOPs are swept as
    /// axis-aligned boxes.
    pub kind: Option<VolumeKind>,
    /// **Approximate**, as printed: points that leave the straight path between the ends are ignored, and
    /// lengths are those of the turn about the world origin. Otherwise the result contains the volume at all
    /// times, rounding included.
    pub as_printed: bool,
}

impl SweptVolume {
    /// A volume of the world that holds the moving one at every time of a span within [0, 1].
    pub fn around(&self, volume: &AnyVolume, motion: &dyn Motion, span: (f64, f64)) -> AnyVolume {
        let moved = Moved::new(volume, motion, span);
        let kind = self.kind.unwrap_or(volume.kind_of());
        let (made, room) = match self.by {
            Enclosing::Ends => (moved.ends(kind), if self.as_printed { 0.0 } else { moved.strays() }),
            Enclosing::Length => {
                (moved.start(kind), if self.as_printed { moved.length_as_printed() } else { moved.travels() })
            }
        };
        let rounding = if self.as_printed { 0.0 } else { rounding_of(&made) };
        grown(made, room + rounding)
    }
}

/// Returns a bound on the rounding error of any point of a swept volume.
fn rounding_of(volume: &AnyVolume) -> f64 {
    let size = match volume {
        AnyVolume::Sphere(sphere) => sphere.radius,
        AnyVolume::Aabb(aabb) => aabb.size().max_element(),
        AnyVolume::Obb(obb) => obb.half_extents.element_sum(),
        AnyVolume::Kdop(dop) => dop.aabb().size().max_element(),
    };
    64.0 * UNIT_ROUNDOFF * (size + volume.center().abs().element_sum())
}

fn grown(volume: AnyVolume, by: f64) -> AnyVolume {
    match volume {
        AnyVolume::Sphere(sphere) => AnyVolume::Sphere(Sphere { radius: sphere.radius + by, ..sphere }),
        AnyVolume::Aabb(aabb) => AnyVolume::Aabb(Aabb { min: aabb.min - by, max: aabb.max + by }),
        AnyVolume::Obb(obb) => AnyVolume::Obb(Obb { half_extents: obb.half_extents + by, ..obb }),
        AnyVolume::Kdop(dop) => grown(AnyVolume::Aabb(dop.aabb()), by),
    }
}

trait KindOf {
    fn kind_of(&self) -> VolumeKind;
}

impl KindOf for AnyVolume {
    fn kind_of(&self) -> VolumeKind {
        noli_geom::Volume::kind(self)
    }
}

/// A volume with its poses at both ends.
struct Moved<'m> {
    /// The volume as a box of its own frame; a sphere has no extents.
    own: Obb,
    /// The sphere's radius, else 0.
    radius: f64,
    poses: [Pose; 2],
    /// The middle of the volume in the world.
    middles: [DVec3; 2],
    motion: &'m dyn Motion,
    span: (f64, f64),
}

impl<'m> Moved<'m> {
    fn new(volume: &AnyVolume, motion: &'m dyn Motion, span: (f64, f64)) -> Self {
        let (own, radius) = match volume {
            AnyVolume::Sphere(sphere) => (
                Obb { center: sphere.center, axes: DMat3::IDENTITY, half_extents: DVec3::ZERO },
                sphere.radius,
            ),
            AnyVolume::Aabb(aabb) => (Obb::from(*aabb), 0.0),
            AnyVolume::Obb(obb) => (*obb, 0.0),
            AnyVolume::Kdop(dop) => (Obb::from(dop.aabb()), 0.0),
        };
        let poses = [span.0, span.1].map(|t| motion.pose(t));
        let middles = poses.map(|pose| pose.transform_point(own.center));
        Self { own, radius, poses, middles, motion, span }
    }

    /// The sphere whose points stray: a sphere turns about its middle unchanged, so its middle alone.
    fn pivot(&self) -> Sphere {
        Sphere {
            center: self.own.center,
            radius: self.own.half_extents.length() * (1.0 + 8.0 * UNIT_ROUNDOFF),
        }
    }

    fn strays(&self) -> f64 {
        self.motion.chord_deviation(&self.pivot(), self.span.0, self.span.1)
    }

    fn travels(&self) -> f64 {
        self.motion.travel(&self.pivot(), self.span.0, self.span.1)
    }

    /// Returns the path length of the farthest point, computed as printed from the turn and the shift of the
    /// motion of the whole world. Where the print divides by zero, the middle of the volume replaces the
    /// farthest point.
    fn length_as_printed(&self) -> f64 {
        let world = self.poses[1] * self.poses[0].inverse();
        let (axis, _) = world.rotation.to_axis_angle();
        let center = self.middles[0];
        let out = (center - axis * axis.dot(center)).normalize_or_zero();
        let reach = self.radius + self.own.half_extents.length();
        let farthest = center + out * reach;
        (world.transform_vector(farthest) - farthest).length() + world.translation.length()
    }

    fn axes(&self, end: usize) -> DMat3 {
        self.poses[end].rotation_matrix() * self.own.axes
    }

    /// Half the length of the volume at an end along a direction.
    fn half(&self, end: usize, direction: DVec3) -> f64 {
        self.radius + (self.axes(end).transpose() * direction).abs().dot(self.own.half_extents)
    }

    /// The volume at the start, in a volume of some kind.
    fn start(&self, kind: VolumeKind) -> AnyVolume {
        let center = self.middles[0];
        match kind {
            VolumeKind::Sphere => {
                AnyVolume::Sphere(Sphere { center, radius: self.radius + self.own.half_extents.length() })
            }
            VolumeKind::Aabb | VolumeKind::Kdop => {
                let half = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.half(0, axis)));
                AnyVolume::Aabb(Aabb { min: center - half, max: center + half })
            }
            VolumeKind::Obb => {
                let half_extents = self.own.half_extents + self.radius;
                AnyVolume::Obb(Obb { center, axes: self.axes(0), half_extents })
            }
        }
    }

    /// Both ends in a volume of some kind.
    fn ends(&self, kind: VolumeKind) -> AnyVolume {
        let [start, end] = self.middles;
        let (middle, path) = (start.midpoint(end), end - start);
        match kind {
            VolumeKind::Sphere => {
                let radius = 0.5 * path.length() + self.radius + self.own.half_extents.length();
                AnyVolume::Sphere(Sphere { center: middle, radius })
            }
            VolumeKind::Aabb | VolumeKind::Kdop => {
                let Obb { center, half_extents, .. } = self.ends_along(DMat3::IDENTITY);
                AnyVolume::Aabb(Aabb { min: center - half_extents, max: center + half_extents })
            }
            // A sphere goes along its way; a box keeps the directions it has at the end.
            VolumeKind::Obb if self.own.half_extents == DVec3::ZERO => {
                let axes = path.try_normalize().map_or(DMat3::IDENTITY, |along| {
                    let across = along.any_orthonormal_vector();
                    DMat3::from_cols(along, across, along.cross(across))
                });
                let half_extents = DVec3::new(0.5 * path.length(), 0.0, 0.0) + self.radius;
                AnyVolume::Obb(Obb { center: middle, axes, half_extents })
            }
            VolumeKind::Obb => AnyVolume::Obb(self.ends_along(self.axes(1))),
        }
    }

    /// The box along given axes around both ends.
    fn ends_along(&self, axes: DMat3) -> Obb {
        let (mut center, mut half_extents) = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..3 {
            let axis = axes.col(k);
            let at = |end: usize| (self.middles[end].dot(axis), self.half(end, axis));
            let ((from, from_half), (to, to_half)) = (at(0), at(1));
            let (low, high) = ((from - from_half).min(to - to_half), (from + from_half).max(to + to_half));
            center += axis * (0.5 * (low + high));
            half_extents[k] = 0.5 * (high - low);
        }
        Obb { center, axes, half_extents }
    }
}
