//! Balls inside solids: an early "yes", and a bound from below on how deep solids are in each other.
//!
//! A ball that holds no point of a closed surface is inside or outside as a whole; its centre tells which. So a few large balls,
//! each proven by the exact location of its centre and a proven lower bound of the distance to the surface, stand for most of
//! a solid: where balls of two solids meet, the solids do, and no face need be looked at. Double hierarchies (Arcila et al.)
//! do this for convex pieces; here any closed mesh takes part.

use super::Pair;
use super::inside::{locate, surface_at_least};
use crate::answer::Location;
use crate::budget::Meter;
use crate::context::{Ask, with_ask};
use crate::model::{InnerBalls, MeshAt, MeshModel};
use glam::DVec3;
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Aabb, Pose, RelativePose, Sphere};
use std::collections::BinaryHeap;

/// Whether balls inside the two solids meet for certain. The search for the balls takes long, so it is not begun
/// under a deadline.
pub(super) fn surely_hit(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>, meter: &Meter<'_>) -> bool {
    let (form_a, form_b) = (a.model, b.model);
    if !form_a.is_solid() || !form_b.is_solid() {
        return false;
    }
    let pose = pair.frame.pose();
    // Bodies far from each other are not worth a search for balls.
    let reach = form_a.packed.reach + form_b.packed.reach;
    if pose.translation.abs().max_element() > 2.0 * reach {
        return false;
    }
    if meter.is_timed() && !(form_a.has_inner_balls() && form_b.has_inner_balls()) {
        return false;
    }
    let (inner_a, inner_b) = pair.in_given_order(balls_in(a.model), balls_in(b.model));
    // Mostly no ball comes near another; one test says so for all.
    let apart_sq = pose.transform_point(inner_b.around.center).distance_squared(inner_a.around.center);
    let reach = inner_a.around.radius + inner_b.around.radius;
    apart_sq <= reach * reach
        && inner_a.balls.iter().any(|x| inner_b.balls.iter().any(|y| x.surely_meets(y, pose)))
}

/// How far two solids must be moved, at least, to come apart. Balls inside them must come apart too, and that takes the
/// overlap of the balls; 0 if none overlap.
pub(crate) fn depth_at_least(a: &MeshAt<'_>, b: &MeshAt<'_>) -> f64 {
    let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
    let of = |x: &Sphere, y: &Sphere| {
        let placed = pose.transform_point(y.center);
        let size = placed.abs().max_element() + x.center.abs().max_element() + x.radius + y.radius;
        let error = 2.0 * pose.point_error(y.center.abs().max_element()) + 1e-13 * size;
        x.radius + y.radius - placed.distance(x.center) - error
    };
    let (balls_a, balls_b) = (inner_balls(a.model), inner_balls(b.model));
    let pairs = balls_a.iter().flat_map(|x| balls_b.iter().map(move |y| (x, y)));
    pairs.map(|(x, y)| of(x, y)).fold(0.0, f64::max)
}

/// Balls that lie inside the solid, the largest first; none for surfaces and for meshes that are not closed. Found
/// when first asked for.
pub(crate) fn inner_balls(model: &MeshModel) -> &[Sphere] {
    if model.is_solid() { &balls_in(model).balls } else { &[] }
}

fn balls_in(model: &MeshModel) -> &InnerBalls {
    model.inner_balls(|| InnerBalls::new(with_ask(|ask| find(model, ask))))
}

/// Points looked at in the search for balls.
const LOOKED_AT: usize = 128;
/// Balls kept.
const BALLS: usize = 4;

fn find(model: &MeshModel, ask: &mut Ask<'_>) -> Vec<Sphere> {
    let mesh = &model.mesh;
    if mesh.is_empty() || !mesh.is_closed() {
        return Vec::new();
    }
    let mut search = Search { model, ask, best: 0.0, found: Vec::new(), cells: BinaryHeap::new() };
    let Aabb { min, max } = mesh.aabb();
    let half = 0.5 * (max - min).max_element();
    search.add(Aabb { min, max }.center(), half);
    let mut looked_at = 1;
    while let Some(Ranked { rank: Greatest(at_most), item: cell }) = search.cells.pop() {
        if at_most <= search.best * 1.02 || looked_at >= LOOKED_AT {
            break;
        }
        for k in 0..8u32 {
            let side = |axis: u32| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
            search.add(cell.center + cell.half * DVec3::new(side(0), side(1), side(2)), 0.5 * cell.half);
            looked_at += 1;
        }
    }
    scattered(search.found)
}

/// The largest ball, then others that reach where those before do not.
fn scattered(mut found: Vec<Sphere>) -> Vec<Sphere> {
    found.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let mut kept: Vec<Sphere> = Vec::new();
    for ball in found {
        let far = |other: &Sphere| other.center.distance(ball.center) > 0.5 * (other.radius + ball.radius);
        let large = kept.first().is_none_or(|first| ball.radius > 0.2 * first.radius);
        if kept.len() < BALLS && large && kept.iter().all(far) {
            kept.push(ball);
        }
    }
    kept
}

/// Best-first search over cubes for the point farthest inside.
struct Search<'s, 'a> {
    model: &'s MeshModel,
    ask: &'s mut Ask<'a>,
    best: f64,
    found: Vec<Sphere>,
    /// By the largest radius that a ball with its centre there can have.
    cells: BinaryHeap<Ranked<Greatest, Cell>>,
}

impl Search<'_, '_> {
    fn add(&mut self, center: DVec3, half: f64) {
        let body = MeshAt { model: self.model, world_from_self: Pose::IDENTITY };
        let inside = locate(center, &Pose::IDENTITY, &body, self.ask) == Location::Inside;
        let distance = surface_at_least(center, &body, self.ask).unwrap_or(0.0);
        if inside && distance > 0.0 {
            self.found.push(Sphere { center, radius: distance });
            self.best = self.best.max(distance);
        }
        let reach = half * 3.0f64.sqrt();
        let at_most = if inside { distance + reach } else { reach - distance };
        self.cells.push(Ranked { rank: Greatest(at_most), item: Cell { center, half } });
    }
}

/// A cube.
struct Cell {
    center: DVec3,
    half: f64,
}
