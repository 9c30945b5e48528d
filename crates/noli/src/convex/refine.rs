//! What plain floating point leaves too wide: the search goes on with triangles of the two cores, whose
//! distance is known to a last bit.
//!
//! The nearest points of two polyhedra are mixtures of at most three corners each, so the end of a search names a
//! triangle of A and one of B. Their exact distance bounds the gap from above, and its direction, right to a
//! last bit, from below; a corner beyond that direction's support is taken in and the best triple kept.

use super::bodies::Bodies;
use super::gjk::{Best, Gap, Goal};
use super::simplex::{Simplex, Vertex};
use glam::DVec3;
use noli_geom::{Distance, Triangle, TrianglePair};

/// More corners than this are never taken in: each brings the triangles nearer.
const STEPS: usize = 64;

#[cold]
pub(super) fn refined(bodies: &Bodies<'_>, goal: &Goal, gap: Gap, simplex: &mut Simplex) -> Gap {
    let mut gap = gap;
    let Some((mut distance, mut direction)) = measure(bodies, simplex.vertices()) else { return gap };
    for _ in 0..STEPS {
        take(&mut gap, &distance);
        if distance.at_most == 0.0 {
            gap.overlaps = true;
            gap.at_least = 0.0;
            return gap;
        }
        let mut best = Best { at_least: gap.at_least, direction: gap.direction };
        let vertex = best.look(bodies.support(direction), direction, bodies);
        (gap.at_least, gap.direction) = (best.at_least.max(0.0), best.direction);
        let narrow =
            gap.at_most - gap.at_least <= goal.tolerance + 4.0 * (bodies.height_error + bodies.point_error);
        if narrow || gap.at_least > goal.apart || gap.at_most <= goal.near || simplex.holds(&vertex) {
            return gap;
        }
        let Some((nearer, triple, across)) = nearest_triple(bodies, simplex, vertex) else {
            return gap;
        };
        if nearer.at_most >= distance.at_most {
            return gap;
        }
        (distance, direction, *simplex) = (nearer, across, triple);
    }
    gap
}

fn take(gap: &mut Gap, distance: &Distance) {
    if distance.at_most <= gap.at_most {
        gap.at_most = distance.at_most;
        gap.witness = [distance.witness_a, distance.witness_b];
    }
}

/// The nearest of the triples that hold the new vertex.
fn nearest_triple(
    bodies: &Bodies<'_>,
    simplex: &Simplex,
    vertex: Vertex,
) -> Option<(Distance, Simplex, DVec3)> {
    let old = simplex.vertices();
    let mut best: Option<(Distance, Simplex, DVec3)> = None;
    for skipped in 0..old.len().max(1) {
        let mut part = Simplex::new(vertex);
        let kept = old.iter().enumerate().filter(|(i, _)| old.len() < 3 || *i != skipped);
        kept.for_each(|(_, &vertex)| part.push(vertex));
        let (distance, across) = measure(bodies, part.vertices())?;
        if best.as_ref().is_none_or(|(d, ..)| distance.at_most < d.at_most) {
            best = Some((distance, part, across));
        }
        if old.len() < 3 {
            break;
        }
    }
    best
}

/// The distance of the triangles that at most three vertices span, and the direction across it.
fn measure(bodies: &Bodies<'_>, vertices: &[Vertex]) -> Option<(Distance, DVec3)> {
    let corner = |k: usize| vertices.get(k).or(vertices.last());
    let [p, q, r] = [corner(0)?, corner(1)?, corner(2)?];
    let pair = TrianglePair::new(&Triangle::new(p.a, q.a, r.a), &Triangle::new(p.b, q.b, r.b), bodies.frame);
    let (distance, direction) = pair.distance_and_direction();
    Some((distance, direction))
}
