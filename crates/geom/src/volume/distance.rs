//! Lower bounds on the distance of two volumes, for every pair of kinds.

use super::extent::Extent;
use super::{AnyVolume, Directions, Kdop, Measure, ROUNDINGS, VolumeKind, length};
use crate::number::round;
use crate::{Aabb, Obb, RelativePose, Sphere};
use glam::{DMat3, DVec3};

/// Bounding volume of a tree node.
pub trait Volume: Copy {
    /// A volume that holds these points, rounding included.
    fn from_points(points: &[DVec3]) -> Self;

    /// A lower bound on the distance of two volumes, negative where they may overlap; never above the true
    /// distance of what they hold, rounding and the error of the pose included.
    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64;

    /// Returns the size; 0 for [`Measure::Hausdorff`], which depends on the contents of the volume.
    fn measure(&self, measure: Measure) -> f64;

    /// Returns the kind of volume.
    fn kind(&self) -> VolumeKind;

    /// Returns `true` if a point lies in it, ignoring rounding: it contains the points given to
    /// [`Volume::from_points`].
    fn holds(&self, point: DVec3) -> bool;
}

/// The distance of two sets along one direction, given in the frame of A; not above their distance.
pub(super) fn distance_along(
    a: &impl Extent,
    b: &impl Extent,
    a_from_b: &RelativePose,
    direction: DVec3,
) -> f64 {
    let in_b = a_from_b.rotation.transpose() * direction;
    let shift = direction.dot(a_from_b.translation);
    let ([low_a, high_a], [low_b, high_b]) = (a.extent(direction), b.extent(in_b));
    let separated = (shift + low_b - high_a).max(low_a - (shift + high_b));
    let size = a.bounding_radius() + b.bounding_radius() + a_from_b.translation.abs().max_element();
    let error = 4.0 * a_from_b.point_error(b.bounding_radius()) + round::off(size, ROUNDINGS);
    let separated = separated - error * direction.abs().element_sum();
    // Along a short or long direction only the sign matters; a quotient rounds by far less than the slack.
    if separated > 0.0 { separated / round::up(direction.length(), ROUNDINGS) } else { separated }
}

impl Sphere {
    /// Returns `true` if two spheres certainly share a point, despite rounding and the error of the pose.
    #[inline]
    pub fn surely_meets(&self, other: &Self, a_from_b: &RelativePose) -> bool {
        let placed = a_from_b.transform_point(other.center);
        let reach = other.center.abs().max_element();
        let error = 2.0 * a_from_b.point_error(reach)
            + round::off(placed.abs().max_element() + self.center.abs().max_element(), ROUNDINGS);
        let room = round::down(self.radius + other.radius, ROUNDINGS) - error;
        // Squares that leave the range of `f64` do not compare as less.
        room > 0.0 && (placed - self.center).length_squared() < round::down(room * room, ROUNDINGS)
    }
}

impl Obb {
    /// Returns `true` if two boxes certainly share a point: no axis separates them, despite rounding and the
    /// error of the pose.
    pub fn surely_meets(&self, other: &Self, a_from_b: &RelativePose) -> bool {
        let offset = a_from_b.transform_point(other.center) - self.center;
        let axes_b = a_from_b.rotation * other.axes;
        let size =
            self.bounding_radius() + other.bounding_radius() + a_from_b.translation.abs().max_element();
        let error = 2.0 * a_from_b.point_error(other.bounding_radius()) + round::off(size, ROUNDINGS);
        let meets = |axis: DVec3| {
            let of_a = (self.axes.transpose() * axis).abs().dot(self.half_extents);
            let of_b = (axes_b.transpose() * axis).abs().dot(other.half_extents);
            offset.dot(axis).abs() + error <= of_a + of_b
        };
        // Exactly parallel edges give no axis of their own.
        let crossed = |k: usize| self.axes.col(k / 3).cross(axes_b.col(k % 3));
        (0..3).all(|k| meets(self.axes.col(k)) && meets(axes_b.col(k)))
            && (0..9).map(crossed).all(|axis| axis == DVec3::ZERO || meets(axis))
    }
}

/// The distance of a sphere and a box: from the box to the centre, seen in the frame of the box.
fn sphere_box(center: DVec3, radius: f64, obb: &Obb, error: f64) -> f64 {
    let local = obb.axes.transpose() * (center - obb.center);
    let outside = (local.abs() - obb.half_extents).max(DVec3::ZERO);
    let size = length(center) + obb.bounding_radius();
    round::down(length(outside), ROUNDINGS) - radius - error - round::off(size, ROUNDINGS)
}

impl Volume for Sphere {
    fn from_points(points: &[DVec3]) -> Self {
        Self::centered(Aabb::from_points(points.iter().copied()).center(), points)
    }

    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        let placed = a_from_b.transform_point(other.center);
        let reach = other.center.abs().max_element();
        let error =
            2.0 * a_from_b.point_error(reach) + round::off(length(placed) + length(self.center), ROUNDINGS);
        round::down(length(placed - self.center), ROUNDINGS) - self.radius - other.radius - error
    }

    fn measure(&self, measure: Measure) -> f64 {
        measure.of_sphere(self)
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Sphere
    }

    fn holds(&self, point: DVec3) -> bool {
        length(point - self.center) <= self.radius
    }
}

impl Volume for Aabb {
    fn from_points(points: &[DVec3]) -> Self {
        Aabb::from_points(points.iter().copied())
    }

    /// Three intervals: the box around the other, turned, along the axes of this one (Eckstein 1998, section 3.6.3). The
    /// other's own axes could part more; that is what [`Obb`] is for.
    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        let (a, b) = (Obb::from(*self), Obb::from(*other));
        let offset = a_from_b.transform_point(b.center) - a.center;
        let size = a.bounding_radius() + b.bounding_radius() + a_from_b.translation.abs().max_element();
        let error = 2.0 * a_from_b.point_error(b.bounding_radius()) + round::off(size, ROUNDINGS);
        let turned = DMat3::from_cols_array(&a_from_b.rotation.to_cols_array().map(f64::abs));
        (offset.abs() - a.half_extents - turned * b.half_extents).max_element() - error
    }

    fn measure(&self, measure: Measure) -> f64 {
        measure.of_box(self.size())
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Aabb
    }

    fn holds(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }
}

impl Volume for Obb {
    fn from_points(points: &[DVec3]) -> Self {
        Self::aligned(super::oriented::axes_of_spread(points), points)
    }

    /// Separating-axis test (Gottschalk, Lin, Manocha 1996). Axes from cross products of edges are not
    /// normalised, so along them only the sign counts.
    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        let offset = a_from_b.transform_point(other.center) - self.center;
        let axes_b = a_from_b.rotation * other.axes;
        let size =
            self.bounding_radius() + other.bounding_radius() + a_from_b.translation.abs().max_element();
        let error = 2.0 * a_from_b.point_error(other.bounding_radius()) + round::off(size, ROUNDINGS);
        let along = |axis: DVec3| {
            let of_a = (self.axes.transpose() * axis).abs().dot(self.half_extents);
            let of_b = (axes_b.transpose() * axis).abs().dot(other.half_extents);
            offset.dot(axis).abs() - of_a - of_b - error
        };
        let faces = (0..3).flat_map(|k| [self.axes.col(k), axes_b.col(k)]).map(along);
        let distance = faces.fold(f64::NEG_INFINITY, f64::max);
        let edges = (0..9).map(|k| along(self.axes.col(k / 3).cross(axes_b.col(k % 3))));
        edges.fold(distance, f64::max)
    }

    fn measure(&self, measure: Measure) -> f64 {
        measure.of_box(2.0 * self.half_extents)
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Obb
    }

    fn holds(&self, point: DVec3) -> bool {
        (self.axes.transpose() * (point - self.center)).abs().cmple(self.half_extents).all()
    }
}

impl Volume for Kdop {
    fn from_points(points: &[DVec3]) -> Self {
        Self::new(points, Directions::default())
    }

    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        slab_distance(self, other, a_from_b, true, true)
    }

    fn measure(&self, measure: Measure) -> f64 {
        measure.of_kdop(self)
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Kdop
    }

    fn holds(&self, point: DVec3) -> bool {
        Self::DIRECTIONS.iter().zip(&self.slabs).all(|(direction, [low, high])| {
            let along = direction.dot(point);
            *low <= along && along <= *high
        })
    }
}

/// The largest distance along the slabs of A, of B, or of both.
fn slab_distance(a: &impl Extent, b: &impl Extent, a_from_b: &RelativePose, of_a: bool, of_b: bool) -> f64 {
    let mut distance = f64::NEG_INFINITY;
    if of_a {
        distance =
            Kdop::DIRECTIONS.iter().map(|d| distance_along(a, b, a_from_b, *d)).fold(distance, f64::max);
    }
    if of_b {
        let turned = Kdop::DIRECTIONS.iter().map(|d| a_from_b.rotation * *d);
        distance = turned.map(|d| distance_along(a, b, a_from_b, d)).fold(distance, f64::max);
    }
    distance
}

impl Volume for AnyVolume {
    fn from_points(points: &[DVec3]) -> Self {
        Self::Obb(Obb::from_points(points))
    }

    fn distance_bound(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        use AnyVolume as Any;
        match (self, other) {
            (Any::Sphere(a), Any::Sphere(b)) => a.distance_bound(b, a_from_b),
            (Any::Aabb(a), Any::Aabb(b)) => a.distance_bound(b, a_from_b),
            (Any::Obb(a), Any::Obb(b)) => a.distance_bound(b, a_from_b),
            (Any::Kdop(a), Any::Kdop(b)) => a.distance_bound(b, a_from_b),
            (Any::Aabb(a), Any::Obb(b)) => Obb::from(*a).distance_bound(b, a_from_b),
            (Any::Obb(a), Any::Aabb(b)) => a.distance_bound(&Obb::from(*b), a_from_b),
            (Any::Aabb(a), Any::Sphere(b)) => box_sphere(&Obb::from(*a), b, a_from_b),
            (Any::Obb(a), Any::Sphere(b)) => box_sphere(a, b, a_from_b),
            (Any::Sphere(a), Any::Aabb(b)) => sphere_then_box(a, &Obb::from(*b), a_from_b),
            (Any::Sphere(a), Any::Obb(b)) => sphere_then_box(a, b, a_from_b),
            (Any::Kdop(a), Any::Sphere(b)) => slab_distance(a, b, a_from_b, true, false),
            (Any::Kdop(a), Any::Aabb(b)) => slab_distance(a, &Obb::from(*b), a_from_b, true, true),
            (Any::Kdop(a), Any::Obb(b)) => kdop_box(a, b, a_from_b),
            (Any::Sphere(a), Any::Kdop(b)) => slab_distance(a, b, a_from_b, false, true),
            (Any::Aabb(a), Any::Kdop(b)) => slab_distance(&Obb::from(*a), b, a_from_b, true, true),
            (Any::Obb(a), Any::Kdop(b)) => box_kdop(a, b, a_from_b),
        }
    }

    fn measure(&self, measure: Measure) -> f64 {
        match self {
            Self::Sphere(volume) => volume.measure(measure),
            Self::Aabb(volume) => volume.measure(measure),
            Self::Obb(volume) => volume.measure(measure),
            Self::Kdop(volume) => volume.measure(measure),
        }
    }

    fn kind(&self) -> VolumeKind {
        match self {
            Self::Sphere(_) => VolumeKind::Sphere,
            Self::Aabb(_) => VolumeKind::Aabb,
            Self::Obb(_) => VolumeKind::Obb,
            Self::Kdop(_) => VolumeKind::Kdop,
        }
    }

    fn holds(&self, point: DVec3) -> bool {
        match self {
            Self::Sphere(volume) => volume.holds(point),
            Self::Aabb(volume) => volume.holds(point),
            Self::Obb(volume) => volume.holds(point),
            Self::Kdop(volume) => volume.holds(point),
        }
    }
}

fn box_sphere(a: &Obb, b: &Sphere, a_from_b: &RelativePose) -> f64 {
    let error = 2.0 * a_from_b.point_error(b.center.abs().max_element());
    sphere_box(a_from_b.transform_point(b.center), b.radius, a, error)
}

fn sphere_then_box(a: &Sphere, b: &Obb, a_from_b: &RelativePose) -> f64 {
    let from_b = a.center - a_from_b.translation;
    // Seen from B, the centre errs as a point of B of the same reach would in A.
    let error = 4.0 * a_from_b.point_error(from_b.abs().max_element());
    sphere_box(a_from_b.rotation.transpose() * from_b, a.radius, b, error)
}

fn kdop_box(a: &Kdop, b: &Obb, a_from_b: &RelativePose) -> f64 {
    let own = (0..3).map(|k| distance_along(a, b, a_from_b, a_from_b.rotation * b.axes.col(k)));
    own.fold(slab_distance(a, b, a_from_b, true, false), f64::max)
}

fn box_kdop(a: &Obb, b: &Kdop, a_from_b: &RelativePose) -> f64 {
    let own = (0..3).map(|k| distance_along(a, b, a_from_b, a.axes.col(k)));
    own.fold(slab_distance(a, b, a_from_b, false, true), f64::max)
}
