//! Common volume of two bodies.
//!
//! A closed mesh that winds once around its interior is a sum of columns. A point's winding number is the
//! count of upward faces above it minus that of downward faces. The common volume of two such meshes is a
//! signed sum over pairs of faces that overlap along an axis. Each pair adds the columns below the lower of
//! both. Only faces whose projections overlap count, and no intersection is ever constructed in space.
//!
//! Rounding gets signs wrong only for slivers, which the error bound covers. Every clip moves an edge of a
//! projection by roundings only, and a height is wrong by the share of its triangle that rounding moves.
//!
//! Two spheres share two caps. Other bodies are subdivided into cells, each proven inside both, outside one,
//! or still open.

use super::VolumeQuery;
use super::depth_at_point::{Place, Rooms};
use super::search::halves;
use crate::answer::{Bracket, Relation};
use crate::budget::Budget;
use crate::context::QueryContext;
use crate::model::{Form, MeshModel, Placed, Scale};
use crate::pair::mesh_mesh;
use glam::{DVec2, DVec3};
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Aabb, Convex, Core, Interval, RelativePose, UNIT_ROUNDOFF};
use std::collections::BinaryHeap;

pub(super) fn overlap_volume(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &VolumeQuery,
    context: &mut QueryContext<'_>,
) -> Bracket {
    match context.relation(a, b) {
        Relation::Separated => Bracket::ZERO,
        Relation::Unknown => Bracket::OPEN,
        Relation::Touching if super::search::both_solid(a, b) => Bracket::ZERO,
        Relation::Touching | Relation::Intersecting | Relation::Inside => {
            of_overlapping(a, b, query, context)
        }
    }
}

/// The same for bodies that are known to overlap. Surfaces have no volume.
pub(crate) fn of_overlapping(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &VolumeQuery,
    context: &mut QueryContext<'_>,
) -> Bracket {
    if is_surface(a) || is_surface(b) {
        return Bracket::ZERO;
    }
    match Scale::of(a, b) {
        Scale::Ordinary => measured(a, b, query, context),
        Scale::Tiny(enlarged) => {
            let [a, b] = enlarged.bodies();
            enlarged.volume(measured(&a, &b, query, context))
        }
        Scale::Unsuited => Bracket::OPEN,
    }
}

fn measured(a: &Placed<'_>, b: &Placed<'_>, query: &VolumeQuery, context: &mut QueryContext<'_>) -> Bracket {
    if let (Form::Convex(x), Form::Convex(y)) = (a.model.form(), b.model.form())
        && let Some(volume) = lens([a, b], [&x.convex, &y.convex])
    {
        return volume;
    }
    let rooms = Rooms::new(a, b);
    let common = rooms.common(DVec3::ZERO);
    if common.is_empty() {
        return Bracket::ZERO;
    }
    let summed = columns(a, b, &common, query, context);
    let whole = Bracket { at_least: 0.0, at_most: product(common.size()) * (1.0 + 1e-12) };
    match summed.and_then(|summed| summed.intersection(&whole)) {
        Some(summed) => summed,
        None if !rooms.a.is_solid() || !rooms.b.is_solid() || !common.size().is_finite() => Bracket::OPEN,
        None => cells(&rooms, &common, query, context),
    }
}

/// Computes the common volume of two spheres: a cap of each, or the smaller sphere. `None` if either is not a
/// sphere.
fn lens(bodies: [&Placed<'_>; 2], shapes: [&Convex; 2]) -> Option<Bracket> {
    if shapes.iter().any(|shape| *shape.core() != Core::Point) {
        return None;
    }
    let [r, s] = shapes.map(|shape| Interval::from(shape.radius()));
    let pose = RelativePose::new(&bodies[0].world_from_self, &bodies[1].world_from_self);
    let square = |x: f64| Interval::around(x, pose.point_error(0.0)).square();
    let [x, y, z] = pose.translation.to_array().map(square);
    let distance = (x + y + z).sqrt();
    let third = Interval::PI / Interval::from(3.0);
    let sphere = |r: Interval| Interval::from(4.0) * third * r * r.square();
    let cap = |h: Interval, r: Interval| third * h.square() * (Interval::from(3.0) * r - h);
    let (overlap, small) = (r + s - distance, if r.hi() <= s.hi() { r } else { s });
    let volume = if (distance - (r - s)).hi() <= 0.0 || (distance - (s - r)).hi() <= 0.0 {
        sphere(small)
    } else if overlap.hi() <= 0.0 {
        return Some(Bracket::ZERO);
    } else {
        // Equal spheres may be at one place.
        let more = |x: Interval| if x == Interval::ZERO { x } else { x / distance };
        let height = |x: Interval| (Interval::ONE + more(x)) * overlap / Interval::from(2.0);
        cap(height(s - r), r) + cap(height(r - s), s)
    };
    let most = volume.hi().min(sphere(small).hi());
    Some(Bracket { at_least: volume.lo().max(0.0).min(most), at_most: most })
}

fn is_surface(body: &Placed<'_>) -> bool {
    matches!(body.model.form(), Form::Mesh(mesh) if !mesh.is_solid())
}

fn product(size: DVec3) -> f64 {
    size.x * size.y * size.z
}

/// Cost of a cell of space, in pairs of faces.
const CELL: u64 = 150;

/// Cells of the common box, the largest that is still open first.
fn cells(rooms: &Rooms<'_>, common: &Aabb, query: &VolumeQuery, context: &mut QueryContext<'_>) -> Bracket {
    let volume = |cell: &Aabb| product(cell.size());
    let (mut inside, mut open) = (0.0, volume(common));
    let mut heap = BinaryHeap::from([Ranked { rank: Greatest(open), item: *common }]);
    let mut looks = 0;
    let budget = context.meter.budget();
    while let Some(Ranked { rank: Greatest(size), item }) = heap.pop() {
        let is_over = looks >= query.looks || !budget.has_room_for::<Ranked<Greatest, Aabb>>(heap.len());
        if open <= query.tolerance * (inside + open) || is_over || size <= 0.0 {
            break;
        }
        for half in halves(&item) {
            looks += CELL;
            let radius = 0.5 * half.size().length() * (1.0 + 1e-12);
            let Some([a, b]) = rooms.places(half.center(), DVec3::ZERO, context) else {
                looks = query.looks;
                heap.push(Ranked { rank: Greatest(0.0), item: half });
                continue;
            };
            let holds = |place: &Place| place.depth >= radius;
            if holds(&a) && holds(&b) {
                inside += volume(&half);
                open -= volume(&half);
            } else if a.outside > radius || b.outside > radius {
                open -= volume(&half);
            } else {
                heap.push(Ranked { rank: Greatest(volume(&half)), item: half });
            }
        }
    }
    let rounding = 1e-11 * volume(common);
    Bracket { at_least: (inside - rounding).max(0.0), at_most: inside + open.max(0.0) + rounding }
}

/// Faces above cells of a plane. `None` if a body is not bounded by such faces, or if it takes too long.
fn columns(
    a: &Placed<'_>,
    b: &Placed<'_>,
    common: &Aabb,
    query: &VolumeQuery,
    context: &mut QueryContext<'_>,
) -> Option<Bracket> {
    let (x, y) = a.all_faces().zip(b.all_faces())?;
    let (most, budget) = (query.looks.min(context.meter.left()), context.meter.budget());
    let fits = |model: &MeshModel| {
        let count = model.mesh.triangle_count();
        count as u64 <= most.saturating_mul(8) && budget.has_room_for::<Shadow>(count)
    };
    if !fits(x.model) || !fits(y.model) || !common.size().is_finite() {
        return None;
    }
    if ![x.model, y.model].into_iter().all(|model| mesh_mesh::winds_once(model, budget)) {
        return None;
    }
    let size = common.size();
    let up = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let pose = RelativePose::new(&a.world_from_self, &b.world_from_self);
    let middle = common.center();
    let window = Window {
        up,
        origin: DVec3::new(middle[(up + 1) % 3], middle[(up + 2) % 3], common.min[up]),
        half: DVec2::new(0.5 * size[(up + 1) % 3], 0.5 * size[(up + 2) % 3]) * (1.0 + 1e-9),
    };
    let reach = |model: &MeshModel| model.bounds.min.abs().max(model.bounds.max.abs()).max_element();
    let moved =
        pose.point_error(reach(y.model)) + 4.0 * UNIT_ROUNDOFF * (reach(y.model) + pose.translation.length());
    let of_a = window.shadows(x.model, |p| p);
    let of_b = window.shadows(y.model, |p| pose.transform_point(p));
    let still = 4.0 * UNIT_ROUNDOFF * (reach(x.model) + middle.length());
    let surface = |of: &[Shadow]| of.iter().map(|shadow| shadow.area).sum::<f64>();
    // A face that rounding moves by less than `e` a coordinate sweeps less than 4 e times its area.
    let swept = 4.0 * (still * surface(&of_a) + (moved + still) * surface(&of_b));
    let mut sum = Sum { value: 0.0, carry: 0.0, size: 0.0, error: swept, looks: 0, most, budget };
    let all = [&of_a, &of_b].map(|shadows| (0..shadows.len() as u32).collect());
    let rect = [DVec2::splat(f64::NEG_INFINITY), DVec2::splat(f64::INFINITY), -window.half, window.half];
    let summed = sum.join([&of_a, &of_b], all, rect, 0);
    context.meter.spend(sum.looks);
    summed?;
    let error = sum.error + 4.0 * UNIT_ROUNDOFF * sum.size;
    let value = sum.value + sum.carry;
    Some(Bracket { at_least: (value - error).max(0.0), at_most: (value + error).max(0.0) })
}

/// The evaluated region: a rectangle across an axis, from a height upward.
struct Window {
    up: usize,
    /// The middle of the rectangle, and the bottom.
    origin: DVec3,
    half: DVec2,
}

/// A face seen along the axis, counter-clockwise, relative to the window.
struct Shadow {
    vertices: [DVec2; 3],
    heights: [f64; 3],
    /// Positive if the face points up.
    sign: f64,
    min: DVec2,
    max: DVec2,
    /// Of the face itself.
    area: f64,
    /// Twice the area of the shadow.
    doubled: f64,
    diameter: f64,
    reach: f64,
}

impl Window {
    /// The faces that lie over or under the window and not below its bottom.
    fn shadows(&self, model: &MeshModel, place: impl Fn(DVec3) -> DVec3) -> Vec<Shadow> {
        let turn =
            |p: DVec3| DVec3::new(p[(self.up + 1) % 3], p[(self.up + 2) % 3], p[self.up]) - self.origin;
        model.mesh.iter_triangles().filter_map(|t| self.shadow(t.vertices.map(|p| turn(place(p))))).collect()
    }

    fn shadow(&self, vertices: [DVec3; 3]) -> Option<Shadow> {
        let [p, mut q, mut r] = vertices;
        let doubled = (q.truncate() - p.truncate()).perp_dot(r.truncate() - p.truncate());
        if doubled < 0.0 {
            (q, r) = (r, q);
        }
        let flat = [p, q, r].map(DVec3::truncate);
        let (min, max) = (flat[0].min(flat[1]).min(flat[2]), flat[0].max(flat[1]).max(flat[2]));
        let heights = [p.z, q.z, r.z];
        let is_seen = max.cmpge(-self.half).all() && min.cmple(self.half).all();
        if !is_seen || heights.iter().all(|height| *height <= 0.0) || doubled == 0.0 {
            return None;
        }
        Some(Shadow {
            vertices: flat,
            heights,
            sign: doubled.signum(),
            min,
            max,
            area: 0.5 * (q - p).cross(r - p).length(),
            doubled: doubled.abs(),
            diameter: (max - min).length(),
            reach: flat.iter().map(|c| c.abs().max_element()).fold(0.0, f64::max),
        })
    }
}

/// A vertex of the part that two shadows share, with the heights of both faces there.
#[derive(Clone, Copy, Default)]
struct Vertex {
    at: DVec2,
    heights: [f64; 2],
}

/// Up to three vertices and one more for each of eight cuts.
type Shape = ([Vertex; 12], usize);

struct Sum<'b> {
    value: f64,
    /// Rounding error of the sum (Neumaier 1974).
    carry: f64,
    size: f64,
    error: f64,
    looks: u64,
    most: u64,
    budget: Budget<'b>,
}

/// Lists that are not parted any further.
const FEW: usize = 8;
const DEEPEST: u32 = 24;

impl Sum<'_> {
    /// All pairs whose shadows share points of a rectangle, each once: where the lower vertex of what their boxes share
    /// lies. `rect` is the rectangle to own such vertices, then the one that is parted. `None` if that are too many.
    fn join(
        &mut self,
        shadows: [&[Shadow]; 2],
        [of_a, of_b]: [Vec<u32>; 2],
        rect: [DVec2; 4],
        depth: u32,
    ) -> Option<()> {
        let [a, b] = shadows;
        if of_a.is_empty() || of_b.is_empty() {
            return Some(());
        }
        let [own_min, own_max, min, max] = rect;
        let size = max - min;
        let axis = usize::from(size.y > size.x);
        let cut = 0.5 * (min[axis] + max[axis]);
        let is_few = of_a.len().min(of_b.len()) <= FEW || depth >= DEEPEST;
        let part = |all: &[Shadow], of: &[u32]| -> [Vec<u32>; 2] {
            let low = of.iter().copied().filter(|&k| all[k as usize].min[axis] <= cut).collect();
            let high = of.iter().copied().filter(|&k| all[k as usize].max[axis] >= cut).collect();
            [low, high]
        };
        if !is_few {
            let ([a0, a1], [b0, b1]) = (part(a, &of_a), part(b, &of_b));
            let work = |x: &[u32], y: &[u32]| x.len() as f64 * y.len() as f64;
            if work(&a0, &b0) + work(&a1, &b1) < 0.9 * work(&of_a, &of_b) {
                drop((of_a, of_b));
                let (mut low_max, mut high_min, mut own_low, mut own_high) = (max, min, own_max, own_min);
                (low_max[axis], high_min[axis]) = (cut, cut);
                (own_low[axis], own_high[axis]) = (cut, cut);
                self.join(shadows, [a0, b0], [own_min, own_low, min, low_max], depth + 1)?;
                return self.join(shadows, [a1, b1], [own_high, own_max, high_min, max], depth + 1);
            }
        }
        // Comparing boxes costs a part of what a pair does.
        self.looks += (of_a.len() as u64).saturating_mul(of_b.len() as u64) / 32;
        if self.looks > self.most || self.budget.is_over() {
            return None;
        }
        for &i in &of_a {
            let x = &a[i as usize];
            for &j in &of_b {
                let y = &b[j as usize];
                let lower = x.min.max(y.min);
                let shares = lower.cmple(x.max.min(y.max)).all();
                if shares && lower.cmpge(own_min).all() && lower.cmplt(own_max).all() {
                    self.add(x, y);
                }
            }
        }
        (self.looks <= self.most).then_some(())
    }

    fn add(&mut self, x: &Shadow, y: &Shadow) {
        self.looks += 1;
        let mut shape: Shape = ([Vertex::default(); 12], 3);
        // The smaller is clipped, so that vertices are as near to each other as can be.
        let (small, large) = if x.diameter <= y.diameter { (x, y) } else { (y, x) };
        for k in 0..3 {
            shape.0[k].at = small.vertices[k];
        }
        for k in 0..3 {
            let (from, to) = (large.vertices[k], large.vertices[(k + 1) % 3]);
            shape = clipped(&shape, |vertex| (to - from).perp_dot(vertex.at - from));
            if shape.1 < 3 {
                return;
            }
        }
        let vertices = &mut shape.0[..shape.1];
        for vertex in vertices.iter_mut() {
            vertex.heights = [x.height(vertex.at), y.height(vertex.at)];
        }
        let (min, max) = vertices.iter().fold((vertices[0].at, vertices[0].at), |(min, max), vertex| {
            (min.min(vertex.at), max.max(vertex.at))
        });
        let highest = |shadow: &Shadow| shadow.heights.iter().fold(f64::NEG_INFINITY, |most, h| most.max(*h));
        let top = highest(x).min(highest(y));
        let area = area_of(&shape);
        let slant = |shadow: &Shadow| {
            let [p, q, r] = shadow.heights;
            let range = p.max(q).max(r) - p.min(q).min(r);
            shadow.diameter * shadow.diameter * range * (2.0 * area / shadow.doubled).min(1.0)
        };
        let wrong = (max - min).length() * x.reach.max(y.reach) * top + slant(x) + slant(y);
        self.error += 64.0 * UNIT_ROUNDOFF * wrong;
        let mut shape = clipped(&shape, |vertex| vertex.heights[0]);
        shape = clipped(&shape, |vertex| vertex.heights[1]);
        if shape.1 < 3 {
            return;
        }
        self.push(x.sign * y.sign * below_both(&shape));
    }

    fn push(&mut self, term: f64) {
        let sum = self.value + term;
        self.carry += if self.value.abs() >= term.abs() {
            (self.value - sum) + term
        } else {
            (term - sum) + self.value
        };
        self.value = sum;
        self.size += term.abs();
    }
}

impl Shadow {
    /// The height of the face over a point of its shadow.
    fn height(&self, at: DVec2) -> f64 {
        let [p, q, r] = self.vertices;
        let weight =
            |from: DVec2, to: DVec2| ((to - from).perp_dot(at - from) / self.doubled).clamp(0.0, 1.0);
        let weights = [weight(q, r), weight(r, p), weight(p, q)];
        let whole: f64 = weights.iter().sum();
        let mixed: f64 = weights.iter().zip(self.heights).map(|(weight, height)| weight * height).sum();
        if whole > 0.0 { mixed / whole } else { self.heights[0] }
    }
}

/// The part of a convex shape where a linear function is not negative.
fn clipped(shape: &Shape, height: impl Fn(&Vertex) -> f64) -> Shape {
    let (vertices, count) = (&shape.0[..shape.1], shape.1);
    let mut kept: Shape = ([Vertex::default(); 12], 0);
    for k in 0..count {
        let (here, next) = (&vertices[k], &vertices[(k + 1) % count]);
        let (h, g) = (height(here), height(next));
        if h >= 0.0 {
            kept.0[kept.1] = *here;
            kept.1 += 1;
        }
        if (h > 0.0 && g < 0.0) || (h < 0.0 && g > 0.0) {
            let share = h / (h - g);
            let mix = |x: f64, y: f64| x + (y - x) * share;
            let heights = [0, 1].map(|k| mix(here.heights[k], next.heights[k]));
            kept.0[kept.1] = Vertex { at: here.at + (next.at - here.at) * share, heights };
            kept.1 += 1;
        }
        if kept.1 >= 11 {
            break;
        }
    }
    kept
}

fn area_of(shape: &Shape) -> f64 {
    let vertices = &shape.0[..shape.1];
    let first = vertices[0].at;
    let doubled = |w: &[Vertex]| (w[0].at - first).perp_dot(w[1].at - first);
    vertices[1..].windows(2).map(doubled).sum::<f64>().abs() * 0.5
}

/// The integral of the lower of both heights over a shape.
///
/// Where the faces share a plane the heights are equal, up to rounding: each point must count for one of them alone.
fn below_both(shape: &Shape) -> f64 {
    let vertices = &shape.0[..shape.1];
    let rise = |vertex: &Vertex| vertex.heights[1] - vertex.heights[0];
    if vertices.iter().all(|vertex| rise(vertex) >= 0.0) {
        return integral(shape, 0);
    }
    if vertices.iter().all(|vertex| rise(vertex) <= 0.0) {
        return integral(shape, 1);
    }
    // On a triangle the rise is linear, rounded or not, so its sides share a line at most.
    let of_triangle = |w: &[Vertex]| {
        let mut triangle: Shape = ([Vertex::default(); 12], 3);
        triangle.0[..3].copy_from_slice(&[vertices[0], w[0], w[1]]);
        let three = &triangle.0[..3];
        if three.iter().all(|vertex| rise(vertex) >= 0.0) {
            return integral(&triangle, 0);
        }
        let under = |which: usize, side: f64| integral(&clipped(&triangle, |c| side * rise(c)), which);
        under(0, 1.0) + under(1, -1.0)
    };
    vertices[1..].windows(2).map(of_triangle).sum()
}

/// The integral of one of the heights over a shape.
fn integral(shape: &Shape, which: usize) -> f64 {
    if shape.1 < 3 {
        return 0.0;
    }
    let vertices = &shape.0[..shape.1];
    let first = &vertices[0];
    let of = |w: &[Vertex]| {
        let area = 0.5 * (w[0].at - first.at).perp_dot(w[1].at - first.at);
        area * (first.heights[which] + w[0].heights[which] + w[1].heights[which]) / 3.0
    };
    vertices[1..].windows(2).map(of).sum()
}
