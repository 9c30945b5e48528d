//! A point cloud (always A) and anything else.
//!
//! The points are triangles without area. Their distance from another body is compared with the radius by the
//! exact tests of meshes, so a body at exactly the radius touches. A tree selects the points near a body with
//! faces: few are tested one by one, many by a walk over both trees. Relations and contacts are those of the
//! spheres near the other body. Points whose radii differ are tested one by one against faces, and are a compound of
//! spheres for all else.

use super::convex_convex::Length;
use super::{self as pair, Advance, Limits, compound, mesh_mesh};
use crate::answer::{
    Clearance, Completeness, Contact, Containment, Location, Overlap, Relation, SurfacePoint, Verdict,
    Witness,
};
use crate::context::QueryContext;
use crate::model::{CloudModel, CompoundModel, Form, MeshAt, Model, Placed};
use glam::DVec3;
use noli_geom::{Aabb, Pose, RelativePose, UNIT_ROUNDOFF};

/// Points that are tested one by one, at most.
const FEW: usize = 24;

/// The points of a cloud at its pose.
fn points<'c>(cloud: &'c CloudModel, a: &Placed<'_>) -> Placed<'c> {
    cloud.points().at(a.world_from_self)
}

pub(super) fn within_distance(
    cloud: &CloudModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    if let Some((faces, own)) = faces_of(b) {
        return faces_within((cloud, a), &faces, &Margins { own, margin }, context);
    }
    if cloud.cloud.radii().is_some() {
        return pair::within_distance(&cloud.spheres().at(a.world_from_self), b, margin, context);
    }
    let limit = Margins { own: 0.0, margin }.limit(cloud.cloud.radius());
    pair::within_distance(&points(cloud, a), b, limit, context)
}

/// The faces of a body, and the radius around them; `None` if it has no faces.
fn faces_of<'b>(b: &Placed<'b>) -> Option<(MeshAt<'b>, f64)> {
    match b.model.form() {
        Form::Mesh(mesh) => Some((b.with(mesh), 0.0)),
        Form::Convex(convex) => convex.faces().map(|faces| (b.with(faces), convex.convex.radius())),
        _ => None,
    }
}

/// Added to the radius of a point: the radius of the other body, and the margin.
struct Margins {
    own: f64,
    margin: f64,
}

impl Margins {
    /// The distance within which a point of some radius collides.
    fn limit(&self, radius: f64) -> f64 {
        Length::sum([radius, self.own, self.margin]).high
    }

    fn of(&self, cloud: &CloudModel, point: u32) -> f64 {
        self.limit(cloud.cloud.radius_of(point as usize))
    }
}

/// Tests whether a point is within a distance of a body with faces.
fn faces_within(
    (cloud, a): (&CloudModel, &Placed<'_>),
    b: &MeshAt<'_>,
    margins: &Margins,
    context: &mut QueryContext<'_>,
) -> Overlap {
    if b.model.mesh.is_empty() {
        return Overlap::Free;
    }
    let near = Near::faces(cloud, a, b);
    let limit = margins.limit(cloud.cloud.radius());
    let most = if cloud.cloud.radii().is_some() { usize::MAX - 1 } else { FEW };
    let few = near.points(limit, most);
    if few.len() <= most {
        let mut answer = Overlap::Free;
        for point in few {
            let (position, limit) = (near.position(point), margins.of(cloud, point));
            match mesh_mesh::point_within(position, &a.world_from_self, b, limit, context) {
                Overlap::Hit => return Overlap::Hit,
                Overlap::Unknown => answer = Overlap::Unknown,
                Overlap::Free => {}
            }
        }
        return answer;
    }
    let Form::Mesh(points) = cloud.points().form() else { return Overlap::Unknown };
    match mesh_mesh::surfaces_within(&a.with(points), b, limit, context) {
        Overlap::Free if b.model.is_solid() => {}
        decided => return decided,
    }
    let mut answer = Overlap::Free;
    near.visit(0.0, &mut |point| match mesh_mesh::locate_point(
        near.position(point),
        &a.world_from_self,
        b,
        context,
    ) {
        Location::Outside => true,
        Location::Unknown => {
            answer = Overlap::Unknown;
            true
        }
        Location::Inside | Location::OnSurface => {
            answer = Overlap::Hit;
            false
        }
    });
    answer
}

/// Points of a cloud near the box of another body.
struct Near<'c> {
    cloud: &'c CloudModel,
    b_from_a: RelativePose,
    /// The box of the other body in its own frame, and a box around it in the cloud's; `None` takes all points.
    bounds: Option<(Aabb, Aabb)>,
    /// More than a point or a vertex of a box is displaced by rounding.
    room: f64,
}

impl<'c> Near<'c> {
    /// Of a body with faces; an open one may wind around points beyond its box.
    fn faces(cloud: &'c CloudModel, a: &Placed<'_>, b: &MeshAt<'_>) -> Self {
        let bounds = (!b.model.is_solid() || b.model.is_closed()).then_some(b.model.bounds);
        Self::of_box(cloud, a, &b.world_from_self, bounds)
    }

    fn of_box(cloud: &'c CloudModel, a: &Placed<'_>, world_from_b: &Pose, bounds: Option<Aabb>) -> Self {
        let b_from_a = RelativePose::new(world_from_b, &a.world_from_self);
        let a_from_b = RelativePose::new(&a.world_from_self, world_from_b);
        let far = |b: &Aabb| b.min.abs().max(b.max.abs()).max_element();
        let room = bounds.map_or(0.0, |bounds| {
            let of_pose = b_from_a.point_error(far(&cloud.bounds)) + a_from_b.point_error(far(&bounds));
            2.0 * of_pose + 16.0 * UNIT_ROUNDOFF * (far(&cloud.bounds) + far(&bounds))
        });
        let bounds = bounds.map(|bounds| {
            (bounds, Aabb::from_points(bounds.vertices().map(|v| a_from_b.transform_point(v))))
        });
        Self { cloud, b_from_a, bounds: bounds.filter(|_| room.is_finite()), room }
    }

    fn position(&self, point: u32) -> DVec3 {
        self.cloud.cloud.points()[point as usize]
    }

    /// Visits all points within a distance of the box, and some more, until `visit` returns `false`.
    fn visit(&self, within: f64, visit: &mut dyn FnMut(u32) -> bool) {
        let Some((own, around)) = &self.bounds else {
            (0..self.cloud.cloud.points().len() as u32).all(visit);
            return;
        };
        let within = within * (1.0 + 16.0 * UNIT_ROUNDOFF) + self.room;
        let region = around.expanded(within);
        self.cloud.tree.visit_box(&region, &mut |point| {
            let seen = self.b_from_a.transform_point(self.position(point));
            let beyond = seen.cmplt(own.min - within) | seen.cmpgt(own.max + within);
            beyond.any() || visit(point)
        });
    }

    /// Up to one more than `most` points within a distance of the box.
    fn points(&self, within: f64, most: usize) -> Vec<u32> {
        let mut found = Vec::new();
        self.visit(within, &mut |point| {
            found.push(point);
            found.len() <= most
        });
        found
    }
}

pub(super) fn clearance(
    cloud: &CloudModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    if cloud.cloud.radii().is_some() {
        return pair::clearance(&cloud.spheres().at(a.world_from_self), b, limits, context);
    }
    let radius = cloud.cloud.radius();
    let more = |length: f64| Length::sum([length, radius, 0.0]).high;
    let advance = limits.advance.map(|advance| Advance { margin: more(advance.margin), ..advance });
    let of_points = Limits { max_distance: more(limits.max_distance), advance, ..*limits };
    let found = pair::clearance(b, &points(cloud, a), &of_points, context);
    let hit = radius > 0.0
        && found.distance.at_least <= radius
        && within_distance(cloud, a, b, 0.0, context) == Overlap::Hit;
    let witness = found.witness.map(|witness| {
        let on_b = SurfacePoint::at(witness.on_b.point);
        let part = witness.on_b.face().or_else(|| nearest_point(cloud, a, on_b.point));
        Witness { on_b: SurfacePoint { part, ..on_b }, ..witness }
    });
    Clearance { witness, ..found }.less(radius, hit).swapped()
}

/// The number of the point nearest to a place in the world, for partners without faces.
fn nearest_point(cloud: &CloudModel, a: &Placed<'_>, place: DVec3) -> Option<u32> {
    let own = a.world_from_self.inverse().transform_point(place);
    let distance = |point: &DVec3| point.distance_squared(own);
    let nearest = (0..).zip(cloud.cloud.points()).min_by(|x, y| distance(x.1).total_cmp(&distance(y.1)));
    nearest.map(|(number, _)| number)
}

/// The spheres that may touch another body as a compound, and the number of the point of each.
struct Spheres {
    model: Model,
    numbers: Vec<u32>,
}

impl Spheres {
    fn near(cloud: &CloudModel, a: &Placed<'_>, b: &Placed<'_>) -> Self {
        let bounds = b.model.aabb();
        let bounds = (bounds.min.is_finite() && bounds.max.is_finite()).then_some(bounds);
        let near = Near::of_box(cloud, a, &b.world_from_self, bounds);
        let numbers = near.points(cloud.cloud.radius(), usize::MAX - 1);
        Self { model: cloud.some_spheres(numbers.iter().copied()), numbers }
    }

    fn compound(&self) -> &CompoundModel {
        match self.model.form() {
            Form::Compound(compound) => compound,
            _ => unreachable!("made as a compound"),
        }
    }

    fn numbered(&self, point: SurfacePoint) -> SurfacePoint {
        SurfacePoint { part: point.part.map(|part| self.numbers[part as usize]), ..point }
    }
}

pub(super) fn relation(
    cloud: &CloudModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Relation {
    match within_distance(cloud, a, b, 0.0, context) {
        Overlap::Free => return Relation::Separated,
        Overlap::Unknown => return Relation::Unknown,
        Overlap::Hit => {}
    }
    let spheres = Spheres::near(cloud, a, b);
    compound::relation(spheres.compound(), &spheres.model.at(a.world_from_self), b, context)
}

pub(super) fn containment(
    cloud: &CloudModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Containment> {
    match cloud.spheres().form() {
        Form::Compound(parts) => {
            compound::containment(parts, &cloud.spheres().at(a.world_from_self), b, context)
        }
        _ => Verdict::Unknown,
    }
}

pub(super) fn contact(
    cloud: &CloudModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Contact> {
    match within_distance(cloud, a, b, 0.0, context) {
        Overlap::Free => return Verdict::Free,
        Overlap::Unknown => return Verdict::Unknown,
        Overlap::Hit => {}
    }
    let spheres = Spheres::near(cloud, a, b);
    let found = compound::contact(spheres.compound(), &spheres.model.at(a.world_from_self), b, context);
    found.map(|contact| Contact { on_a: spheres.numbered(contact.on_a), ..contact })
}

/// Adds the points whose spheres are within a distance of a body, in unspecified order.
pub(super) fn points_within(
    (cloud, a): (&CloudModel, &Placed<'_>),
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
    found: &mut Vec<u32>,
) -> Completeness {
    let radius = cloud.cloud.radius();
    let mut completeness = Completeness::Complete;
    let mut take = |point: u32, overlap: Overlap| match overlap {
        Overlap::Hit => found.push(point),
        Overlap::Unknown => completeness = Completeness::Partial,
        Overlap::Free => {}
    };
    match faces_of(b) {
        Some((faces, own)) => {
            let margins = Margins { own, margin };
            let near = Near::faces(cloud, a, &faces);
            near.visit(margins.limit(radius), &mut |point| {
                let (position, limit) = (near.position(point), margins.of(cloud, point));
                take(point, mesh_mesh::point_within(position, &a.world_from_self, &faces, limit, context));
                true
            });
        }
        None => {
            let bounds = b.model.aabb();
            let bounds = (bounds.min.is_finite() && bounds.max.is_finite()).then_some(bounds);
            let near = Near::of_box(cloud, a, &b.world_from_self, bounds);
            near.visit(radius + margin, &mut |point| {
                let sphere = cloud.some_spheres(std::iter::once(point));
                take(point, pair::within_distance(&sphere.at(a.world_from_self), b, margin, context));
                true
            });
        }
    }
    completeness
}
