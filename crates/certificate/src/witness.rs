//! Witnesses of collisions that hold in all of a cell.

use crate::cbor::Tokens;
use crate::chain::{Placed, Side};
use crate::exact;
use crate::ray::Ray;
use crate::shape::Form;
use glam::{DQuat, DVec3};
use noli::answer::{Intersection, Next, Sink};
use noli::query::IntersectionsQuery;
use noli::{Pose, QueryContext, Scratch};
use noli_geom::Interval;
use noli_geom::random::SplitMix64;

/// Pairs of faces that are tried.
const FACES: usize = 4096;
/// Those that are tried in exact arithmetic.
const TOUCHES: usize = 512;
/// Rounds of the search for a point inside, and directions of each.
const ROUNDS: usize = 96;
const DIRECTIONS: usize = 24;

/// A leaf that proves a collision of pair number `pair` in all of the cell; `None` if none was found.
pub(crate) fn witness(placed: &Placed<'_>, pair: usize, scratch: &mut Scratch) -> Option<Tokens> {
    let [a, b] = &placed.sides;
    let mut leaf = Tokens::default();
    leaf.int(pair as i64);
    let found = match (a.shape.mesh().is_some(), b.shape.mesh().is_some()) {
        (true, true) => edge_through_face(placed, scratch, &mut leaf),
        (true, false) => face_in_primitive(placed, 0, &mut leaf),
        (false, true) => face_in_primitive(placed, 1, &mut leaf),
        (false, false) => common_point(placed, &mut leaf),
    };
    (found || [0, 1].into_iter().any(|side| probe_inside(placed, side, &mut leaf))).then_some(leaf)
}

/// A placed pose for the engine, rounded.
pub(crate) fn pose(side: &Side<'_>) -> Pose {
    Pose::new(DQuat::from_mat3(&side.place.matrix3), side.place.translation)
}

struct FirstFaces(Vec<Intersection>);

impl Sink for FirstFaces {
    fn hit(&mut self, intersection: &Intersection) -> Next {
        self.0.push(*intersection);
        if self.0.len() < FACES { Next::Continue } else { Next::Stop }
    }
}

fn edge_through_face(placed: &Placed<'_>, scratch: &mut Scratch, leaf: &mut Tokens) -> bool {
    let [a, b] = &placed.sides;
    let (Some(mesh_a), Some(mesh_b)) = (a.shape.mesh(), b.shape.mesh()) else { return false };
    let mut found = FirstFaces(Vec::new());
    let (at_a, at_b) = (a.shape.model.at(pose(a)), b.shape.model.at(pose(b)));
    let query = IntersectionsQuery { touching: true, segments: false };
    let _ = QueryContext::new(scratch).intersections(&at_a, &at_b, &query, &mut found);
    for hit in &found.0 {
        let faces = [
            mesh_a.canonical.number_of[hit.triangle_a as usize],
            mesh_b.canonical.number_of[hit.triangle_b as usize],
        ];
        let points = [
            intervals(a, mesh_a.face(faces[0]), placed.slack),
            intervals(b, mesh_b.face(faces[1]), placed.slack + placed.motion_b),
        ];
        for side in 0..2 {
            for k in 0..3 {
                let edge = [points[side][k], points[side][(k + 1) % 3]];
                if passes_through(&edge, &points[1 - side]) {
                    write_edge(faces, (side, k), leaf);
                    return true;
                }
            }
        }
    }
    // Bodies that merely touch: exactly, where that can be said at all.
    let Some(poses) = &placed.fixed else { return false };
    for hit in found.0.iter().take(TOUCHES) {
        let faces = [
            mesh_a.canonical.number_of[hit.triangle_a as usize],
            mesh_b.canonical.number_of[hit.triangle_b as usize],
        ];
        let vertices = [mesh_a.face(faces[0]), mesh_b.face(faces[1])];
        if let Some(edge) = exact::common_point(vertices, poses.each_ref()) {
            write_edge(faces, edge, leaf);
            return true;
        }
    }
    false
}

fn write_edge(faces: [u32; 2], (side, k): (usize, usize), leaf: &mut Tokens) {
    [0, side as i64, i64::from(faces[side]), k as i64, i64::from(faces[1 - side])]
        .iter()
        .for_each(|&item| leaf.int(item));
}

type Point = [Interval; 3];

fn intervals(side: &Side<'_>, face: &[DVec3; 3], error: f64) -> [Point; 3] {
    face.map(|v| side.place.transform_point3(v).to_array().map(|c| Interval::around(c, error)))
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| a[k] - b[k])
}

fn det(a: &Point, b: &Point, c: &Point) -> Interval {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Returns `true` if an edge certainly intersects a triangle.
fn passes_through([p, q]: &[Point; 2], triangle: &[Point; 3]) -> bool {
    let d = minus(q, p);
    let sides = [0, 1, 2].map(|k| det(&d, &minus(&triangle[k], p), &minus(&triangle[(k + 1) % 3], p)));
    let (u, v) = (minus(&triangle[1], &triangle[0]), minus(&triangle[2], &triangle[0]));
    let height = |x: &Point| det(&u, &v, &minus(x, &triangle[0]));
    let [hp, hq] = [height(p), height(q)];
    let opposite = (hp.lo() > 0.0 && hq.hi() < 0.0) || (hp.hi() < 0.0 && hq.lo() > 0.0);
    opposite && (sides.iter().all(|s| s.lo() > 0.0) || sides.iter().all(|s| s.hi() < 0.0))
}

/// How deep a placed point is in a primitive; below 0 outside.
fn depth(side: &Side<'_>, point: DVec3) -> f64 {
    let y = side.place.matrix3.transpose() * (point - side.place.translation);
    match &side.shape.form {
        Form::Mesh(_) => f64::NEG_INFINITY,
        Form::Box { half } => (*half - y.abs()).min_element(),
        Form::Sphere { radius } => radius - y.length(),
        Form::Capsule { half_length, radius } => {
            radius - y.with_z((y.z.abs() - half_length).max(0.0)).length()
        }
        Form::Cylinder { half_length, radius } => {
            (radius - y.truncate().length()).min(half_length - y.z.abs())
        }
    }
}

/// How deep a point must be to be certainly inside: a cube of the error, turned.
fn enough(placed: &Placed<'_>) -> f64 {
    4.0 * (placed.slack + placed.motion_b)
}

fn face_in_primitive(placed: &Placed<'_>, side: usize, leaf: &mut Tokens) -> bool {
    let (x, y) = (&placed.sides[side], &placed.sides[1 - side]);
    let Some(mesh) = x.shape.mesh() else { return false };
    let center = y.place.translation;
    let mut best = (enough(placed), None);
    for (face, triangle) in mesh.canonical.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| x.place.transform_point3(v));
        let nearest = noli_geom::Triangle::new(a, b, c).closest_to(center);
        for weights in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], weights([a, b, c], nearest)] {
            let [u, v, w] = weights.map(|w| w as f64);
            let deep = depth(y, (a * u + b * v + c * w) / (u + v + w));
            if deep > best.0 {
                best = (deep, Some((face, weights)));
            }
        }
    }
    let found = best.1.or_else(|| deepest_of_faces(placed, side));
    let Some((face, weights)) = found else { return false };
    [1, side as i64, face as i64].iter().for_each(|&item| leaf.int(item));
    leaf.ints(&weights);
    true
}

/// A face with a point that is certainly inside, searched on all faces that may have one.
fn deepest_of_faces(placed: &Placed<'_>, side: usize) -> Option<(usize, [i64; 3])> {
    let (x, y) = (&placed.sides[side], &placed.sides[1 - side]);
    let enough = enough(placed);
    x.shape.mesh()?.canonical.triangles.iter().enumerate().find_map(|(face, triangle)| {
        let [a, b, c] = triangle.map(|v| x.place.transform_point3(v));
        let center = (a + b + c) / 3.0;
        let size = a.distance(center).max(b.distance(center)).max(c.distance(center));
        // Depth changes no faster than the point.
        if depth(y, center) + size <= enough {
            return None;
        }
        let triangle = noli_geom::Triangle::new(a, b, c);
        let found = ascend(center, size, |p| depth(y, triangle.closest_to(p)));
        let weights = weights([a, b, c], triangle.closest_to(found));
        let [u, v, w] = weights.map(|w| w as f64);
        let point = (a * u + b * v + c * w) / (u + v + w);
        (depth(y, point) > enough).then_some((face, weights))
    })
}

/// Integer weights of the vertices for a point of a triangle, rounded.
fn weights([a, b, c]: [DVec3; 3], point: DVec3) -> [i64; 3] {
    let (u, v, p) = (b - a, c - a, point - a);
    let normal = u.cross(v);
    let area = normal.length_squared();
    if area == 0.0 {
        return [1, 0, 0];
    }
    let [s, t] = [p.cross(v).dot(normal) / area, u.cross(p).dot(normal) / area];
    [1.0 - s - t, s, t].map(|share| (share.clamp(0.0, 1.0) * 1000.0).round() as i64)
}

fn common_point(placed: &Placed<'_>, leaf: &mut Tokens) -> bool {
    let [a, b] = &placed.sides;
    let both = |p: DVec3| depth(a, p).min(depth(b, p));
    let (from, to) = (a.place.translation, b.place.translation);
    let best = ascend(from.midpoint(to), from.distance(to).max(placed.slack), both);
    if both(best) <= enough(placed) {
        return false;
    }
    leaf.int(2);
    leaf.item(|out| out.numbers(&best.to_array()));
    true
}

/// A point near the maximum of a concave function, by steps that shrink where none leads up.
fn ascend(start: DVec3, step: f64, value: impl Fn(DVec3) -> f64) -> DVec3 {
    let mut random = SplitMix64::new(3);
    let (mut at, mut most, mut step) = (start, value(start), step);
    for _ in 0..ROUNDS {
        let tried = (0..DIRECTIONS).map(|_| at + random.direction() * step);
        let best = tried.map(|p| (value(p), p)).max_by(|p, q| p.0.total_cmp(&q.0));
        match best {
            Some((found, there)) if found > most => (most, at) = (found, there),
            _ => step *= 0.6,
        }
    }
    at
}

/// Points of a body that are tried for one outside of a solid.
const OUTSIDE: usize = 256;

/// A leaf `[point, ray]` that proves that the first body has a point outside of the second in all of the cell.
pub(crate) fn outside(placed: &Placed<'_>) -> Option<Tokens> {
    let [a, b] = &placed.sides;
    let error = 2.0 * placed.slack + placed.motion_b;
    let (points, _) = b.shape.extent();
    let center = points.iter().map(|&p| b.place.transform_point3(p)).sum::<DVec3>() / points.len() as f64;
    let away = |p: DVec3| a.place.transform_point3(p).distance_squared(center);
    let leaf = |point: DVec3, write: &dyn Fn(&mut Tokens)| {
        let ray = Ray::from(a.place.transform_point3(point), b, error).filter(|ray| ray.winding == 0)?;
        let mut leaf = Tokens::default();
        write(&mut leaf);
        leaf.nested(&ray.write(b));
        Some(leaf)
    };
    if let Some(mesh) = a.shape.mesh() {
        let mut vertices: Vec<(usize, DVec3)> =
            mesh.canonical.triangles.iter().flatten().copied().enumerate().collect();
        vertices.sort_by(|p, q| away(q.1).total_cmp(&away(p.1)));
        let mut tried = vertices.into_iter().take(OUTSIDE);
        return tried.find_map(|(number, vertex)| leaf(vertex, &|out: &mut Tokens| out.int(number as i64)));
    }
    // A little inside, so that rounding leaves it a point of the body.
    let within = |n: DVec3| a.shape.support_point(a.shape.root(), n) * (1.0 - 2f64.powi(-40));
    let mut random = SplitMix64::new(5);
    let drawn: Vec<DVec3> = (0..OUTSIDE).map(|_| within(random.direction())).collect();
    let mut points =
        [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(within).to_vec();
    points.extend(drawn);
    points.sort_by(|p, q| away(*q).total_cmp(&away(*p)));
    let mut tried = points.into_iter();
    tried.find_map(|p| leaf(p, &|out: &mut Tokens| out.item(|out| out.numbers(&p.to_array()))))
}

/// A component of the body on one side lies in the solid on the other.
fn probe_inside(placed: &Placed<'_>, side: usize, leaf: &mut Tokens) -> bool {
    let (x, y) = (&placed.sides[side], &placed.sides[1 - side]);
    if y.shape.solid_mesh().is_none() {
        return false;
    }
    let error = 2.0 * placed.slack + placed.motion_b;
    for (component, &probe) in x.shape.probes().iter().enumerate() {
        let ray = Ray::from(x.place.transform_point3(probe), y, error);
        if let Some(ray) = ray.filter(|ray| ray.winding != 0) {
            [3, side as i64, component as i64].iter().for_each(|&item| leaf.int(item));
            leaf.nested(&ray.write(y));
            return true;
        }
    }
    false
}
