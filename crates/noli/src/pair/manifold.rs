//! Contact manifold of two bodies: several contacts with one normal.

use super::convex_convex::facing;
use crate::answer::{Bracket, Contact, Guarantee, Manifold, Verdict};
use crate::context::QueryContext;
use crate::convex;
use crate::model::{Form, Placed};
use glam::DVec3;
use noli_geom::{Convex, Pose};

pub(crate) fn manifold(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Verdict<Manifold> {
    super::contact(a, b, context).map(|deepest| {
        let normal = a.world_from_self.inverse().transform_vector(deepest.normal);
        Manifold::new(deepest, points(a, b, normal), normal, &a.world_from_self)
    })
}

/// Returns points between the bodies in A's frame, with their depths; none if the features do not determine
/// any.
fn points(a: &Placed<'_>, b: &Placed<'_>, normal: DVec3) -> Vec<(DVec3, f64)> {
    match (a.model.form(), b.model.form()) {
        (Form::Convex(x), Form::Convex(y)) => {
            let faces = facing((a, &x.convex), (b, &y.convex), normal);
            between_features(&faces, normal)
        }
        (Form::HalfSpace, Form::Convex(y)) => on_floor(&a.world_from_self, (b, &y.convex)),
        (Form::Convex(x), Form::HalfSpace) => {
            let turned = on_floor(&b.world_from_self, (a, &x.convex));
            // Seen from A: the floor is below its own contact points.
            let a_from_b = a.world_from_self.inverse() * b.world_from_self;
            let seen = |(p, depth): (DVec3, f64)| (a_from_b.transform_point(p), depth);
            turned.into_iter().map(seen).collect()
        }
        _ => Vec::new(),
    }
}

impl Manifold {
    /// The deepest contact and others, given as points between the bodies in A's frame with their depths.
    fn new(deepest: Contact, points: Vec<(DVec3, f64)>, normal: DVec3, world_from_a: &Pose) -> Self {
        let mut points: Vec<_> = points.into_iter().filter(|(_, depth)| *depth >= 0.0).collect();
        convex::four_of(&mut points, normal);
        points.sort_by(|p, q| q.1.total_cmp(&p.1));
        let mut contacts: Vec<Contact> = points
            .into_iter()
            .map(|(middle, depth)| {
                let half = normal * (0.5 * depth);
                let contact = Contact::new(middle + half, middle - half, normal, Bracket::exactly(depth));
                Contact { guarantee: Guarantee::Approximate, ..contact.placed(world_from_a) }
            })
            .collect();
        match contacts.first_mut() {
            Some(first) => (first.depth, first.guarantee) = (deepest.depth, deepest.guarantee),
            None => contacts.push(deepest),
        }
        Self { contacts }
    }
}

/// Points halfway between two features that lie against each other, with their depths.
pub(super) fn between_features([of_a, of_b]: &[Vec<DVec3>; 2], normal: DVec3) -> Vec<(DVec3, f64)> {
    let across = |points: &[DVec3]| match points {
        [p, q, r, ..] => (*q - *p).cross(*r - *p).try_normalize(),
        _ => None,
    };
    let (plane_a, plane_b) = (across(of_a), across(of_b));
    let against = |n: Option<DVec3>| n.map_or(0.0, |n| n.dot(normal).abs());
    let by_a = against(plane_a) >= against(plane_b);
    let (reference, subject, plane) = if by_a { (of_a, of_b, plane_a) } else { (of_b, of_a, plane_b) };
    if reference.len() < 2 {
        return Vec::new();
    }
    let plane = plane.filter(|n| n.dot(normal).abs() > 0.1).unwrap_or(normal);
    let outward = if by_a { normal } else { -normal };
    // B lies beyond A: how far a point is behind the reference, along the normal.
    let behind = |p: DVec3| plane.dot(reference[0] - p) / plane.dot(outward);
    let kept = convex::clip(subject, reference, if plane.dot(outward) < 0.0 { -plane } else { plane });
    kept.into_iter().map(|p| (p + outward * (0.5 * behind(p)), behind(p))).collect()
}

/// Points halfway between a floor and the feature that faces it, in the floor's frame.
fn on_floor(world_from_floor: &Pose, (body, convex): (&Placed<'_>, &Convex)) -> Vec<(DVec3, f64)> {
    let floor_from_body = world_from_floor.inverse() * body.world_from_self;
    let down = floor_from_body.inverse().transform_vector(DVec3::NEG_Z);
    let mut vertices = Vec::new();
    convex::features(convex.core(), down, &mut vertices);
    let depth = |p: DVec3| convex.radius() - p.z;
    let placed = vertices.into_iter().map(|p| floor_from_body.transform_point(p));
    placed.map(|p| (p.with_z(-0.5 * depth(p)), depth(p))).collect()
}
