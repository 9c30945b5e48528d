//! A tight box around a body, from its surfaces.
//!
//! In each direction of the axes the patch that may reach furthest is split until a point of a face is known that reaches
//! about as far (branch and bound). The vertices of loops tell little: a face bulges beyond them, and patches are coarse.

use crate::boundary::Edge;
use crate::candidate::Candidate;
use crate::face::Face;
use crate::outline::Membership;
use crate::patch::Patch;
use crate::surface::Surface;
use glam::DVec3;
use noli_geom::Aabb;
use std::collections::BinaryHeap;

/// Largest excess of the box, relative to its size.
const EXCESS: f64 = 1e-4;
/// Most splits for one side of the box.
const MAX_SPLITS: usize = 800;

/// The patches of a body, with the faces and edges that they are of.
#[derive(Clone, Copy)]
pub(crate) struct Cover<'b> {
    pub(crate) patches: &'b [Patch],
    pub(crate) faces: &'b [Face],
    pub(crate) edges: &'b [Edge],
}

/// A box around the patches of a body.
pub(crate) fn bounds(body: Cover<'_>) -> Aabb {
    let points = body.patches.iter().flat_map(|patch| patch.points);
    let rough = points.fold(Aabb::EMPTY, |bounds, point| bounds.union(Aabb::from_points([point])));
    if body.patches.is_empty() {
        return rough;
    }
    let tolerance = EXCESS * rough.size().max_element();
    let furthest = |direction: DVec3| furthest(body, direction, tolerance);
    let side = |sign: f64| DVec3::from_array(DVec3::AXES.map(|axis| sign * furthest(axis * sign)));
    Aabb { min: side(-1.0), max: side(1.0) }
}

/// How far a body reaches in the direction of an axis at most.
fn furthest(body: Cover<'_>, direction: DVec3, tolerance: f64) -> f64 {
    let mut known = f64::NEG_INFINITY;
    let mut open: BinaryHeap<Candidate<Patch>> = BinaryHeap::new();
    let mut add = |patch: Patch, open: &mut BinaryHeap<Candidate<Patch>>| {
        let face = &body.faces[patch.face as usize];
        match patch.membership(face, body.edges) {
            Membership::Outside => return known,
            Membership::Inside => {
                let ends = patch.points.map(|point| point.dot(direction));
                known = ends.into_iter().fold(known, f64::max);
            }
            Membership::Crossed(_) => {}
        }
        let (center, radius) = patch.sphere();
        // A face in a plane leaves its triangles only along it.
        let room = match &face.surface {
            Surface::Plane(frame) => {
                patch.outward * frame.z.cross(direction).length() + face.gap + face.rounding
            }
            _ => patch.outward,
        };
        let flat =
            patch.points.map(|point| point.dot(direction)).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let reach = (flat + room).min(center.dot(direction) + radius);
        open.push(Candidate { at_least: -reach, size: patch.deviation, item: patch });
        known
    };
    for &patch in body.patches {
        add(patch, &mut open);
    }
    let mut reached = f64::NEG_INFINITY;
    for _ in 0..MAX_SPLITS {
        let Some(Candidate { at_least, item, .. }) = open.pop() else { break };
        let face = &body.faces[item.face as usize];
        if item.deviation <= item.finest(face) {
            reached = reached.max(-at_least);
            continue;
        }
        let found = item.split(face, body.edges).map(|half| add(half, &mut open));
        if open.peek().is_none_or(|next| -next.at_least <= found[1].max(reached) + tolerance) {
            break;
        }
    }
    open.peek().map_or(reached, |next| reached.max(-next.at_least))
}
