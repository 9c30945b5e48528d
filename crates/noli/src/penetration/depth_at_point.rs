//! Proven depth of points in a body: the clearance around them.

use crate::answer::{Bracket, Location, Verdict};
use crate::context::QueryContext;
use crate::model::{Form, MeshAt, MeshModel, Model, Placed};
use crate::pair::{self, Limits, mesh_mesh};
use glam::DVec3;
use noli_geom::{Aabb, Pose, Triangle};
use std::cell::RefCell;

/// Far above what distances and places of points round, in units of the lengths involved.
pub(super) const SLACK: f64 = 1e-13;

/// The room around a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The point lies this deep inside at least; if negative, it lies outside by no more than this; `-inf` if nothing
    /// is known.
    pub(crate) depth: f64,
    /// It lies this deep inside at most; infinite if that is not known.
    pub(super) depth_at_most: f64,
    /// It lies outside by this at least; negative inside or if that is not known.
    pub(crate) outside: f64,
    /// Approximate direction of increasing depth; zero if unknown.
    pub(super) inward: DVec3,
}

impl Place {
    const UNKNOWN: Self = Self {
        depth: f64::NEG_INFINITY,
        depth_at_most: f64::INFINITY,
        outside: f64::NEG_INFINITY,
        inward: DVec3::ZERO,
    };
}

/// Points of a cloud whose depth is measured, at most: every query visits all of them. Larger clouds have an upper bound
/// on their depth only, as surfaces have.
const MOST_POINTS: usize = 2_000;

/// A body for point queries in its own frame.
pub(crate) struct Room<'a> {
    kind: Kind<'a>,
    /// The largest magnitude of a coordinate, of bodies that end.
    size: f64,
    pub(super) bounds: Aabb,
}

enum Kind<'a> {
    /// A closed mesh around which a body reaches by a radius, and what is known of it.
    Faces(&'a MeshModel, f64, RefCell<Probes>),
    /// Convex bodies, fields and half-spaces.
    Other(&'a Model, Model),
    /// Rooms with the pose of each and a box around it.
    Parts(Vec<(Pose, Aabb, Room<'a>)>),
    /// A surface, a mesh with holes or a large point cloud.
    Nothing,
}

impl<'a> Room<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let bounds = model.aabb();
        let size = bounds.min.abs().max(bounds.max.abs()).max_element();
        let kind = match model.form() {
            Form::Mesh(mesh) if mesh.is_solid() && mesh.solid_properties().closed => {
                Kind::Faces(mesh, 0.0, RefCell::default())
            }
            Form::Mesh(_) => Kind::Nothing,
            Form::Convex(convex) => match convex.faces() {
                Some(faces) if !faces.mesh.is_empty() && faces.solid_properties().closed => {
                    Kind::Faces(faces, convex.convex.radius(), RefCell::default())
                }
                _ => Kind::Other(model, Model::point()),
            },
            Form::Cloud(cloud) if cloud.cloud.points().len() > MOST_POINTS => Kind::Nothing,
            Form::Cloud(cloud) => return Self::new(cloud.spheres()),
            Form::HalfSpace | Form::Field(_) => Kind::Other(model, Model::point()),
            Form::Compound(compound) => {
                let room = |part: &'a crate::model::Part| (part.pose, part.bounds, Self::new(&part.model));
                Kind::Parts(compound.parts.iter().map(room).collect())
            }
        };
        Self { kind, size: if size.is_finite() { size } else { 0.0 }, bounds }
    }

    /// Returns `true` if the depth of points can be computed at all.
    pub(super) fn is_known(&self) -> bool {
        match &self.kind {
            Kind::Nothing => false,
            Kind::Parts(parts) => parts.iter().any(|(_, _, room)| room.is_known()),
            Kind::Faces(..) | Kind::Other(..) => true,
        }
    }

    /// Returns `true` if all of it has a known interior.
    pub(super) fn is_solid(&self) -> bool {
        match &self.kind {
            Kind::Nothing => false,
            Kind::Parts(parts) => parts.iter().all(|(_, _, room)| room.is_solid()),
            Kind::Faces(..) | Kind::Other(..) => true,
        }
    }

    /// Computes the depth of a point. `None` if the budget ran out.
    pub(crate) fn place(&self, point: DVec3, context: &mut QueryContext<'_>) -> Option<Place> {
        self.place_knowing(point, None, context)
    }

    /// The same where it is known whether the point lies inside.
    pub(crate) fn place_knowing(
        &self,
        point: DVec3,
        inside: Option<bool>,
        context: &mut QueryContext<'_>,
    ) -> Option<Place> {
        let slack = SLACK * (self.size + point.abs().max_element());
        let place = match &self.kind {
            Kind::Nothing => return Some(Place::UNKNOWN),
            Kind::Faces(model, radius, probes) => {
                faces(point, (model, *radius), (inside, 8.0 * slack), &mut probes.borrow_mut(), context)?
            }
            Kind::Other(model, probe) => other(point, model, probe, context)?,
            Kind::Parts(parts) => return parts_place(point, parts, 64.0 * slack, context),
        };
        let Place { depth, depth_at_most, outside, inward } = place;
        Some(Place {
            depth: depth - slack,
            depth_at_most: depth_at_most + slack,
            outside: outside - slack,
            inward,
        })
    }
}

/// Points that are kept, the latest.
const PROBES: usize = 64;

/// A point whose place is known: no face is nearer than `free`.
#[derive(Clone, Copy, Debug)]
struct Probe {
    point: DVec3,
    free: f64,
    inside: bool,
    face: u32,
}

/// Results for query points of one mesh.
#[derive(Debug, Default)]
struct Probes {
    list: Vec<Probe>,
    next: usize,
}

impl Probes {
    fn add(&mut self, probe: Probe) {
        if self.list.len() < PROBES {
            self.list.push(probe);
        } else {
            self.list[self.next] = probe;
            self.next = (self.next + 1) % PROBES;
        }
    }

    /// A face that may be near to a point: that of the nearest point known.
    fn seed(&self, point: DVec3) -> Option<u32> {
        let away = |probe: &&Probe| probe.point.distance_squared(point);
        self.list.iter().min_by(|x, y| away(x).total_cmp(&away(y))).map(|probe| probe.face)
    }

    /// Returns `true` if a point is inside, given that no face is nearer to it than `free`. The result is that of
    /// an earlier point with no face between.
    fn side(&self, point: DVec3, free: f64, slack: f64) -> Option<bool> {
        let is_near = |probe: &&Probe| probe.point.distance(point) + slack < probe.free.max(free);
        self.list.iter().find(is_near).map(|probe| probe.inside)
    }
}

/// Computes the depth of a point in the set within a radius of a mesh. `inside` is given if the side is
/// known, with a slack for the rounding of distances.
fn faces(
    point: DVec3,
    (model, radius): (&MeshModel, f64),
    (inside, slack): (Option<bool>, f64),
    probes: &mut Probes,
    context: &mut QueryContext<'_>,
) -> Option<Place> {
    let body = MeshAt { model, world_from_self: Pose::IDENTITY };
    let here = Triangle::new(point, point, point);
    let found = mesh_mesh::nearest_face_from(&here, &Pose::IDENTITY, &body, probes.seed(point), context)?;
    let (distance, nearest) = (found.distance, found.on_body);
    let away = (point - nearest).normalize_or_zero();
    let location = match inside.or_else(|| probes.side(point, distance.at_least, slack)) {
        Some(true) => Location::Inside,
        Some(false) => Location::Outside,
        None => mesh_mesh::locate_point(point, &Pose::IDENTITY, &body, context),
    };
    if let Location::Inside | Location::Outside = location {
        let inside = location == Location::Inside;
        probes.add(Probe { point, free: distance.at_least, inside, face: found.face });
    }
    Some(match location {
        Location::Unknown => return None,
        Location::Inside => Place {
            depth: distance.at_least + radius,
            // Around a core the surface is nowhere further than this, but at its edges it may be nearer.
            depth_at_most: distance.at_most + radius,
            outside: f64::NEG_INFINITY,
            inward: away,
        },
        Location::Outside | Location::OnSurface => Place {
            depth: radius - distance.at_most,
            depth_at_most: (radius - distance.at_least).max(0.0),
            outside: distance.at_least - radius,
            inward: -away,
        },
    })
}

fn other(point: DVec3, model: &Model, probe: &Model, context: &mut QueryContext<'_>) -> Option<Place> {
    let (here, body) = (probe.at(Pose::from_translation(point)), model.at(Pose::IDENTITY));
    match pair::contact(&here, &body, context) {
        Verdict::Hit(contact) => {
            // The normal points from the point to the body: moving the body along it uncovers the point.
            let Bracket { at_least, at_most } = contact.depth;
            let outside = f64::NEG_INFINITY;
            Some(Place { depth: at_least, depth_at_most: at_most, outside, inward: contact.normal })
        }
        Verdict::Unknown => context.meter.allows_more().then_some(Place::UNKNOWN),
        Verdict::Free => {
            let found = pair::clearance(&here, &body, &Limits::NARROW, context);
            let inward = found.witness.map_or(DVec3::ZERO, |w| (w.on_b.point - point).normalize_or_zero());
            let Bracket { at_least: outside, at_most } = found.distance;
            Some(Place { depth: -at_most, depth_at_most: 0.0, outside, inward })
        }
    }
}

/// The union of parts: as deep as in the part where it lies deepest, as far outside as from the nearest.
fn parts_place(
    point: DVec3,
    parts: &[(Pose, Aabb, Room<'_>)],
    slack: f64,
    context: &mut QueryContext<'_>,
) -> Option<Place> {
    let mut whole = Place { outside: f64::INFINITY, ..Place::UNKNOWN };

    for (pose, bounds, room) in parts {
        let away = (bounds.min - point).max(point - bounds.max).max(DVec3::ZERO).length() * (1.0 - SLACK);
        if -away < whole.depth && away - slack > whole.outside {
            continue;
        }
        let own = if *pose == Pose::IDENTITY { point } else { pose.inverse().transform_point(point) };
        let place = room.place(own, context)?;
        let rounding = if *pose == Pose::IDENTITY { 0.0 } else { slack };
        whole.outside = whole.outside.min(place.outside - rounding);
        if place.depth - rounding > whole.depth {
            whole.depth = place.depth - rounding;
            whole.inward = pose.transform_vector(place.inward);
        }
    }
    Some(whole)
}

/// Two bodies in the frame of the first, and how points lie in both.
pub(super) struct Rooms<'a> {
    pub(super) a: Room<'a>,
    pub(super) b: Room<'a>,
    /// Pose of B in A's frame.
    rotation: glam::DMat3,
    offset: DVec3,
    /// Error of a position in both, from rounding of the relative pose.
    rounding: f64,
}

impl<'a> Rooms<'a> {
    pub(super) fn new(a: &Placed<'a>, b: &Placed<'a>) -> Self {
        let pose = noli_geom::RelativePose::new(&a.world_from_self, &b.world_from_self);
        let (a, b) = (Room::new(a.model), Room::new(b.model));
        let offset = pose.translation;
        let rounding = 4.0 * pose.point_error(b.size) + SLACK * (a.size + b.size + offset.length());
        Self { a, b, rotation: pose.rotation, offset, rounding }
    }

    /// A point of A's frame in B's, where B was moved by `shift` in A's frame.
    fn in_b(&self, point: DVec3, shift: DVec3) -> DVec3 {
        self.rotation.transpose() * (point - self.offset - shift)
    }

    /// Computes the depth of a point of A's frame in both bodies, with B moved by `shift` in A's frame. Returns
    /// the depth in A, the depth in B, and the directions of increasing depth.
    pub(super) fn places(
        &self,
        point: DVec3,
        shift: DVec3,
        context: &mut QueryContext<'_>,
    ) -> Option<[Place; 2]> {
        let of_a = self.a.place(point, context)?;
        let of_b = self.b.place(self.in_b(point, shift), context)?;
        let rounding = self.rounding + SLACK * (point.length() + shift.length());
        let of_b = Place {
            depth: of_b.depth - rounding,
            depth_at_most: of_b.depth_at_most + rounding,
            outside: of_b.outside - rounding,
            inward: self.rotation * of_b.inward,
        };
        Some([of_a, of_b])
    }

    /// A box in A's frame around what both share where B is moved by `shift`; empty if nothing.
    pub(super) fn common(&self, shift: DVec3) -> Aabb {
        let (a, b) = (self.a.bounds, self.b_bounds());
        Aabb { min: a.min.max(b.min + shift), max: a.max.min(b.max + shift) }
    }

    /// A box in A's frame around B, up to rounding.
    pub(super) fn b_bounds(&self) -> Aabb {
        if !self.b.bounds.size().is_finite() {
            return Aabb { min: DVec3::splat(f64::NEG_INFINITY), max: DVec3::splat(f64::INFINITY) };
        }
        let vertices = self.b.bounds.vertices().into_iter();
        let around = Aabb::from_points(vertices.map(|vertex| self.rotation * vertex + self.offset));
        around.expanded(self.rounding)
    }
}

impl Rooms<'_> {
    /// A point of B's frame in A's, and how far rounding may have put it off.
    pub(super) fn placed(&self, point: DVec3) -> (DVec3, f64) {
        (self.in_a(point), self.rounding + SLACK * point.length())
    }

    /// A point of B's frame in A's.
    pub(super) fn in_a(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.offset
    }

    /// Computes the depth in A of a point of A's frame that rounding may displace; `None` if the budget ran out.
    pub(super) fn depth_in_a(&self, point: DVec3, context: &mut QueryContext<'_>) -> Option<Bracket> {
        let place = self.a.place(point, context)?;
        let at_least = (place.depth - self.rounding).max(0.0);
        let at_most = if place.outside > self.rounding { 0.0 } else { place.depth_at_most + self.rounding };
        Some(Bracket { at_least, at_most: at_most.max(at_least) })
    }
}
