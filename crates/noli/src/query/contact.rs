//! Where and how deep do two bodies overlap?

use super::{Overlap, with_scratch};
use crate::budget::Budget;
use crate::convex::{self, Hint};
use crate::model::{Form, Placed};
use crate::pair::convex_convex::{depth_of_hulls, facing};
use crate::pair::general::{self, Means};
use crate::scratch::Scratch;
use glam::DVec3;
use noli_geom::{Convex, Pose};

/// Two points that must part, the direction in which, and how far: `at_least <= depth <= at_most`, all
/// rounding included.
///
/// The depth is the shortest way that takes the bodies apart. For a mesh, which need not be convex, `at_most` is that of
/// its convex hull and `at_least` is 0; of a compound it is the deepest part's own. For a field, `at_most` is that of
/// a box around it (except against a half-space), and both points are one that the bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// A point of A's surface in B, in world coordinates, rounded.
    pub on_a: DVec3,
    /// A point of B's surface in A, in world coordinates, rounded.
    pub on_b: DVec3,
    /// Unit vector from A to B: moving B along it by `at_most` takes convex bodies apart.
    pub normal: DVec3,
    /// The bodies reach at least so far into each other.
    pub at_least: f64,
    /// The bodies reach at most so far into each other.
    pub at_most: f64,
}

/// Contacts that share a normal: what a physics engine needs to keep a body from tipping.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold {
    /// One to four contacts; the first is the deepest. Depths are measured along the normal: a bracket for the
    /// first, rounded values for the others.
    pub contacts: Vec<Contact>,
}

impl Contact {
    pub(crate) fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, normal: -self.normal, ..self }
    }

    /// From the frame of a body to the world.
    pub(crate) fn placed(self, pose: &Pose) -> Self {
        Self {
            on_a: pose.transform_point(self.on_a),
            on_b: pose.transform_point(self.on_b),
            normal: pose.transform_vector(self.normal),
            ..self
        }
    }

    /// The same, where rounding may have moved a body.
    pub(crate) fn loosened(self, by: f64) -> Self {
        Self { at_least: (self.at_least - by).max(0.0), at_most: self.at_most + by, ..self }
    }
}

/// Where and how deep the bodies overlap; nothing where they do not, or a pose is none.
///
/// ```
/// use noli::{Convex, Model, Pose, contact};
/// let ball = Model::convex(Convex::sphere(1.0)?);
/// let there = Pose::from_translation(glam::dvec3(1.5, 0.0, 0.0));
/// let contact = contact(&ball.at(Pose::IDENTITY), &ball.at(there)).expect("they overlap");
/// assert!((contact.at_least..=contact.at_most).contains(&0.5) && contact.at_most - contact.at_least < 1e-13);
/// assert!(contact.normal.abs_diff_eq(glam::DVec3::X, 1e-15));
/// # Ok::<(), noli::ShapeError>(())
/// ```
pub fn contact(a: &Placed<'_>, b: &Placed<'_>) -> Option<Contact> {
    with_scratch(|scratch| contact_in(a, b, &Budget::UNLIMITED, scratch))
}

/// [`contact`] with a budget and lent memory; nothing where the budget ran out.
pub fn contact_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    budget: &Budget<'_>,
    scratch: &mut Scratch,
) -> Option<Contact> {
    general::contact(a, b, &mut Means { meter: &mut budget.meter(), scratch, hint: &mut Hint::default() })
}

/// Where the bodies lie against each other. Approximate: which edges and faces count as lying against each other is a matter of
/// angle; the first contact is [`contact`]'s, with its bracket.
pub fn manifold(a: &Placed<'_>, b: &Placed<'_>) -> Option<Manifold> {
    with_scratch(|scratch| manifold_in(a, b, &Budget::UNLIMITED, scratch))
}

/// [`manifold`] with a budget and lent memory; nothing where the budget ran out.
pub fn manifold_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    budget: &Budget<'_>,
    scratch: &mut Scratch,
) -> Option<Manifold> {
    let deepest = contact_in(a, b, budget, scratch)?;
    let normal = a.world_from_self.inverse().transform_vector(deepest.normal);
    let points = match (a.model.form(), b.model.form()) {
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
    };
    Some(Manifold::new(deepest, points, normal, &a.world_from_self))
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
                let contact = Contact {
                    on_a: middle + half,
                    on_b: middle - half,
                    normal,
                    at_least: depth,
                    at_most: depth,
                };
                contact.placed(world_from_a)
            })
            .collect();
        match contacts.first_mut() {
            Some(first) => (first.at_least, first.at_most) = (deepest.at_least, deepest.at_most),
            None => contacts.push(deepest),
        }
        Self { contacts }
    }
}

/// Points halfway between two features that lie against each other, with their depths.
fn between_features([of_a, of_b]: &[Vec<DVec3>; 2], normal: DVec3) -> Vec<(DVec3, f64)> {
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
    let mut corners = Vec::new();
    convex::features(convex.core(), down, &mut corners);
    let depth = |p: DVec3| convex.radius() - p.z;
    let placed = corners.into_iter().map(|p| floor_from_body.transform_point(p));
    placed.map(|p| (p.with_z(-0.5 * depth(p)), depth(p))).collect()
}

/// Meshes overlap exactly or not at all; how deep is known only from above, by their hulls.
pub(crate) fn mesh_contact(
    a: &Placed<'_>,
    b: &Placed<'_>,
    (hull_a, hull_b): (&Convex, &Convex),
    means: &mut Means<'_, '_>,
) -> Option<Contact> {
    if general::closer_than(a, b, 0.0, means) != Overlap::Hit {
        return None;
    }
    let contact = depth_of_hulls((a, hull_a), (b, hull_b));
    Some(Contact { at_least: 0.0, ..contact.placed(&a.world_from_self) })
}
