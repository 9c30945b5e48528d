//! Points and edges against half-spaces (Moore and Wilhelms 1988, after Cyrus and Beck).
//!
//! A point is inside a convex body if it is behind every face. Differs from the print: an edge is clipped by
//! all planes at once instead of testing a midpoint between any two intersections, with planes pushed out by the
//! rounding, so that it is never lost; what is left is compared with the faces exactly. The print's three
//! strict steps miss bodies that share an inside (see [`printed::moore`](super::printed::moore)).
//! Of a body that is not convex the planes are pushed out until they hold all of it: then they filter less.

use super::boyse::EdgeView;
use super::polyhedron::{Polyhedron, Stood, bounds_separated, contained};
use super::work::Tally;
use glam::DVec3;
use noli::Budget;
use noli_geom::{Mesh, Motion, Triangle, UNIT_ROUNDOFF};

/// A body with a half-space for each face, which hold it all.
#[derive(Clone, Debug)]
pub struct HalfSpaceBody {
    body: Polyhedron,
    /// Outward normals and offsets: `normal·x <= offset` for every point of the body.
    planes: Vec<(DVec3, f64)>,
}

impl HalfSpaceBody {
    /// Prepare a mesh. Takes the product of its faces and vertices.
    pub fn new(mesh: &Mesh) -> Self {
        let body = Polyhedron::new(mesh);
        let used = || body.mesh().triangles().as_flattened().iter().map(|&v| body.vertex(v));
        let mut vertices: Vec<DVec3> = used().collect();
        vertices.sort_unstable_by_key(|p| p.to_array().map(f64::to_bits));
        vertices.dedup();
        let inward = body.mesh().signed_volume() < 0.0;
        let mut planes: Vec<(DVec3, f64)> = Vec::new();
        for normal in body.mesh().iter_triangles().filter_map(|face| unit_normal(&face)) {
            let normal = if inward { -normal } else { normal };
            if planes.last().is_some_and(|last| last.0 == normal) {
                continue;
            }
            let offset = vertices.iter().map(|&p| normal.dot(p)).fold(f64::NEG_INFINITY, f64::max);
            planes.push((normal, offset + 8.0 * UNIT_ROUNDOFF * body.bounding_radius() + f64::MIN_POSITIVE));
        }
        Self { body, planes }
    }

    /// The faces it was made of.
    pub fn polyhedron(&self) -> &Polyhedron {
        &self.body
    }

    /// Returns `true` if an edge, its ends within `error`, may intersect the common part of the half-spaces.
    fn may_hold(&self, [p, q]: [DVec3; 2], error: f64, tally: &mut Tally<'_>) -> bool {
        let far = p.abs().max(q.abs()).max_element();
        let noise = 2.0 * error + 8.0 * UNIT_ROUNDOFF * (far + self.body.bounding_radius());
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for &(normal, offset) in &self.planes {
            tally.work.planes += 2;
            let (at_p, at_q) = (normal.dot(p) - offset - noise, normal.dot(q) - offset - noise);
            match (at_p > 0.0, at_q > 0.0) {
                (true, true) => return false,
                (true, false) => enter = enter.max(at_p / (at_p - at_q)),
                (false, true) => leave = leave.min(at_p / (at_p - at_q)),
                (false, false) => {}
            }
            if enter > leave + 16.0 * UNIT_ROUNDOFF {
                return false;
            }
        }
        true
    }
}

/// Nothing for a face without area. Edges are brought to size 1 first, so that their product keeps in range.
fn unit_normal(face: &Triangle) -> Option<DVec3> {
    let [a, b, c] = face.vertices;
    let size = (b - a).abs().max((c - a).abs()).max_element();
    ((b - a) / size).cross((c - a) / size).try_normalize()
}

/// Returns `true` if two bodies share a point; `None` if the budget ran out.
pub(super) fn overlap(
    (a, stood_a): (&HalfSpaceBody, &Stood<'_>),
    (b, stood_b): (&HalfSpaceBody, &Stood<'_>),
    tally: &mut Tally<'_>,
) -> Option<bool> {
    tally.step()?;
    if bounds_separated(stood_a, stood_b, tally) {
        return Some(false);
    }
    let mut any_left = false;
    for (edges, faces, spaces) in [(stood_b, stood_a, a), (stood_a, stood_b, b)] {
        let view = EdgeView::new(edges, faces);
        for &edge in edges.body.edges() {
            tally.step()?;
            if spaces.may_hold(view.ends(edge), view.error, tally) {
                any_left = true;
                if view.face_met(edge, tally)?.is_some() {
                    return Some(true);
                }
            }
        }
    }
    // The edges of a part inside the other are all left.
    Some(any_left && contained(stood_a, stood_b, tally)?)
}

/// Two times between which a contact was found by going back and halving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backtracked {
    /// Last tested time that was collision-free; equal to `hit_at` if the start was not.
    pub free_at: f64,
    /// First tested time that was not.
    pub hit_at: f64,
    /// Number of halvings.
    pub halvings: u32,
}

/// Approximate: computes the contact time of two moving bodies by testing `frames` steps of the time from 0
/// to 1. At the first step in collision, it backtracks and halves the step until it is at most `tolerance`.
/// Misses contacts that begin and end between two frames; [`time_of_impact`](noli::time_of_impact) does
/// not. The answer contains nothing if every frame was collision-free. There is no answer if the budget,
/// counted for each frame, ran out.
pub fn backtracked_contact(
    (a, motion_a): (&HalfSpaceBody, &dyn Motion),
    (b, motion_b): (&HalfSpaceBody, &dyn Motion),
    frames: u32,
    tolerance: f64,
    budget: &Budget<'_>,
) -> Option<Option<Backtracked>> {
    let meet = |t: f64| {
        let (pose_a, pose_b) = (motion_a.pose(t), motion_b.pose(t));
        if !pose_a.is_valid() || !pose_b.is_valid() {
            return None;
        }
        let stood = [Stood { body: &a.body, pose: &pose_a }, Stood { body: &b.body, pose: &pose_b }];
        overlap((a, &stood[0]), (b, &stood[1]), &mut Tally::new(budget))
    };
    if meet(0.0)? {
        return Some(Some(Backtracked { free_at: 0.0, hit_at: 0.0, halvings: 0 }));
    }
    let frame = |k: u32| f64::from(k) / f64::from(frames);
    for k in 1..=frames {
        if !meet(frame(k))? {
            continue;
        }
        let (mut free_at, mut hit_at, mut halvings) = (frame(k - 1), frame(k), 0);
        while hit_at - free_at > tolerance {
            let middle = 0.5 * (free_at + hit_at);
            if middle <= free_at || middle >= hit_at {
                break;
            }
            if meet(middle)? {
                hit_at = middle
            } else {
                free_at = middle
            }
            halvings += 1;
        }
        return Some(Some(Backtracked { free_at, hit_at, halvings }));
    }
    Some(None)
}
