//! Refinement of brackets that plain floating point leaves too wide. The search continues with triangles of the
//! two cores, whose distance is computed to the last bit.
//!
//! The nearest points of two polyhedra are mixtures of at most three vertices each. So the final simplex gives
//! a triangle of A and one of B. Their exact distance bounds the clearance from above, and its direction,
//! correct to the last bit, from below. A vertex beyond that direction's support is added and the best triple
//! kept.

use super::bodies::{Bodies, Vertex};
use super::bound::{Best, CoreDistance, Goal};
use super::simplex::Simplex;
use glam::DVec3;
use noli_geom::{Distance, Triangle, TrianglePair};

/// More vertices than this are never taken in: each brings the triangles nearer.
const STEPS: usize = 64;

#[cold]
pub(super) fn refined(
    bodies: &Bodies<'_>,
    goal: &Goal,
    clearance: CoreDistance,
    simplex: &mut Simplex,
) -> CoreDistance {
    let mut clearance = clearance;
    let Some((mut distance, mut direction)) = measure(bodies, simplex.vertices()) else { return clearance };
    for _ in 0..STEPS {
        take(&mut clearance, &distance);
        if distance.at_most == 0.0 {
            clearance.overlaps = true;
            clearance.at_least = 0.0;
            return clearance;
        }
        let mut best = Best { at_least: clearance.at_least, direction: clearance.direction };
        let vertex = best.look(bodies.support(direction), direction, bodies);
        (clearance.at_least, clearance.direction) = (best.at_least.max(0.0), best.direction);
        let narrow = clearance.at_most - clearance.at_least
            <= goal.tolerance + 4.0 * (bodies.height_error + bodies.point_error);
        if narrow
            || clearance.at_least > goal.separated
            || clearance.at_most <= goal.near
            || simplex.holds(&vertex)
        {
            return clearance;
        }
        let Some((nearer, triple, across)) = nearest_triple(bodies, simplex, vertex) else {
            return clearance;
        };
        if nearer.at_most >= distance.at_most {
            return clearance;
        }
        (distance, direction, *simplex) = (nearer, across, triple);
    }
    clearance
}

fn take(clearance: &mut CoreDistance, distance: &Distance) {
    if distance.at_most <= clearance.at_most {
        clearance.at_most = distance.at_most;
        clearance.witness = [distance.witness_a, distance.witness_b];
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
    let vertex = |k: usize| vertices.get(k).or(vertices.last());
    let [p, q, r] = [vertex(0)?, vertex(1)?, vertex(2)?];
    let pair = TrianglePair::new(&Triangle::new(p.a, q.a, r.a), &Triangle::new(p.b, q.b, r.b), bodies.frame);
    let (distance, direction) = pair.distance_and_direction();
    Some((distance, direction))
}
