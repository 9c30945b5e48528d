//! Spheres inside solids: an early collision verdict, and a lower bound on the penetration depth.
//!
//! A sphere that contains no point of a closed surface is inside or outside as a whole; its centre decides. A
//! few large spheres fill most of a solid. Each is proven by the exact location of its centre and a lower bound
//! of the distance to the surface. If spheres of two solids intersect, the solids do, and no face need be
//! tested. Double hierarchies (Arcila et al.) do this for convex parts; here it works for any closed mesh.

use super::Pair;
use super::inside::{locate_point, surface_at_least};
use crate::answer::Location;
use crate::budget::Meter;
use crate::context::{QueryContext, with_context};
use crate::model::{InnerSpheres, MeshAt, MeshModel};
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Aabb, Pose, RelativePose, Sphere};
use std::collections::BinaryHeap;

/// Returns `true` if spheres inside the two solids certainly intersect. Computing the spheres takes long, so it
/// is not started under a deadline.
pub(super) fn surely_hit(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>, meter: &Meter<'_>) -> bool {
    let (form_a, form_b) = (a.model, b.model);
    if !form_a.is_solid() || !form_b.is_solid() {
        return false;
    }
    let pose = pair.frame.pose();
    // Bodies far from each other are not worth a search for spheres.
    let reach = form_a.packed.reach + form_b.packed.reach;
    if pose.translation.abs().max_element() > 2.0 * reach {
        return false;
    }
    if meter.is_timed() && !(form_a.has_inner_spheres() && form_b.has_inner_spheres()) {
        return false;
    }
    let (inner_a, inner_b) = pair.in_given_order(spheres_in(a.model), spheres_in(b.model));
    // Mostly no sphere comes near another; one test says so for all.
    let separated_sq = pose.transform_point(inner_b.around.center).distance_squared(inner_a.around.center);
    let reach = inner_a.around.radius + inner_b.around.radius;
    separated_sq <= reach * reach
        && inner_a.spheres.iter().any(|x| inner_b.spheres.iter().any(|y| x.surely_meets(y, pose)))
}

/// Returns a lower bound on the penetration depth of two solids. Separating them also separates the spheres
/// inside them, which takes the overlap of the spheres; 0 if none overlap.
pub(crate) fn depth_at_least(a: &MeshAt<'_>, b: &MeshAt<'_>) -> f64 {
    let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
    let of = |x: &Sphere, y: &Sphere| {
        let placed = pose.transform_point(y.center);
        let size = placed.abs().max_element() + x.center.abs().max_element() + x.radius + y.radius;
        let error = 2.0 * pose.point_error(y.center.abs().max_element()) + 1e-13 * size;
        x.radius + y.radius - placed.distance(x.center) - error
    };
    let (spheres_a, spheres_b) = (inner_spheres(a.model), inner_spheres(b.model));
    let pairs = spheres_a.iter().flat_map(|x| spheres_b.iter().map(move |y| (x, y)));
    pairs.map(|(x, y)| of(x, y)).fold(0.0, f64::max)
}

/// Returns spheres that lie inside the solid, the largest first; none for surfaces and for meshes that are not
/// closed. Computed on first use.
pub(crate) fn inner_spheres(model: &MeshModel) -> &[Sphere] {
    if model.is_solid() { &spheres_in(model).spheres } else { &[] }
}

fn spheres_in(model: &MeshModel) -> &InnerSpheres {
    model.inner_spheres(|| InnerSpheres::new(with_context(|context| find(model, context))))
}

/// Number of points tested in the search for spheres.
const LOOKED_AT: usize = 128;
/// Spheres kept.
const BALLS: usize = 4;

fn find(model: &MeshModel, context: &mut QueryContext<'_>) -> Vec<Sphere> {
    let mesh = &model.mesh;
    if mesh.is_empty() || !mesh.is_closed() {
        return Vec::new();
    }
    let mut search = Search { model, context, best: 0.0, found: Vec::new(), cells: BinaryHeap::new() };
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

/// The largest sphere, then others that reach where those before do not.
fn scattered(mut found: Vec<Sphere>) -> Vec<Sphere> {
    sort_by(&mut found, |a, b| b.radius.total_cmp(&a.radius));
    let mut kept: Vec<Sphere> = Vec::new();
    for sphere in found {
        let far =
            |other: &Sphere| other.center.distance(sphere.center) > 0.5 * (other.radius + sphere.radius);
        let large = kept.first().is_none_or(|first| sphere.radius > 0.2 * first.radius);
        if kept.len() < BALLS && large && kept.iter().all(far) {
            kept.push(sphere);
        }
    }
    kept
}

/// Best-first search over cubes for the point farthest inside.
struct Search<'s, 'a> {
    model: &'s MeshModel,
    context: &'s mut QueryContext<'a>,
    best: f64,
    found: Vec<Sphere>,
    /// By the largest radius that a sphere with its centre there can have.
    cells: BinaryHeap<Ranked<Greatest, Cell>>,
}

impl Search<'_, '_> {
    fn add(&mut self, center: DVec3, half: f64) {
        let body = MeshAt { model: self.model, world_from_self: Pose::IDENTITY };
        let inside = locate_point(center, &Pose::IDENTITY, &body, self.context) == Location::Inside;
        let distance = surface_at_least(center, &body, self.context).unwrap_or(0.0);
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
