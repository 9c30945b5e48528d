//! Balls around a body and balls inside it: what most questions about a robot are decided by.
//!
//! The body's box is cut into cells, always the one with the largest ball. In a cell a solid lies within the
//! convex hull of its surface there and of the cell's corners inside it: an extreme point of that part which
//! is not on the surface has all of the cell around it in the solid, so it is a corner of the cell. A ball
//! that holds these points therefore holds the part, and all balls together hold the body, its inside too.

use crate::LANES;
use glam::DVec3;
use noli::answer::Location;
use noli::model::MeshKind;
use noli::{Convex, Mesh, Model, Pose, clearance};
use noli_geom::{Aabb, Core, Hull, Sphere, Triangle, UNIT_ROUNDOFF};

/// Balls of a body, in the frame of what carries it.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// Around all of it; infinite if the body is.
    pub(super) whole: Sphere,
    /// Together around all of it.
    pub(super) outer: Balls,
    /// Inside it; none for surfaces.
    pub(super) inner: Balls,
    /// The same balls before they were rounded.
    pub(super) outer_balls: Vec<Sphere>,
    /// For each of the balls around it, smaller ones around the part of the body that it is for.
    pub(super) fine_balls: Vec<Vec<Sphere>>,
    /// For each of the same, balls inside the body about places in that part; none for surfaces.
    pub(super) dense_balls: Vec<Vec<Sphere>>,
    pub(super) inner_balls: Vec<Sphere>,
    /// The largest of those.
    pub(super) core: Option<Sphere>,
    /// How far any of it is from the origin.
    pub(super) reach: f64,
    /// Points and a radius: all of the body is within it of their hull; `None` if it has no such corners.
    pub(super) corners: Option<(Vec<DVec3>, f64)>,
}

/// Where missing balls are: farther than any robot, and its square is still a number.
const NOWHERE: f32 = 1e18;

/// Up to sixteen balls side by side; those that are missing are points nowhere near.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Balls {
    pub(super) center: [[f32; LANES]; 3],
    pub(super) radius: [f32; LANES],
    pub(super) count: usize,
}

impl Balls {
    /// Rounded so that outer balls hold the given ones and inner balls are held by them.
    fn new(balls: &[Sphere], outward: bool) -> Self {
        let mut all = Self { center: [[NOWHERE; LANES]; 3], radius: [0.0; LANES], count: balls.len() };
        for (k, ball) in balls.iter().enumerate() {
            let center = ball.center.as_vec3();
            // What the roundings of the centre and of the radius come to, four times.
            let slack = 4.0 * f64::from(f32::EPSILON) * (ball.center.length() + ball.radius) + 1e-37;
            let radius = if outward { ball.radius + slack } else { ball.radius - slack };
            for axis in 0..3 {
                all.center[axis][k] = center[axis];
            }
            all.radius[k] = radius as f32;
        }
        all
    }
}

impl Cover {
    /// The balls of a model that stands on its carrier at a pose.
    pub(super) fn new(model: &Model, carrier_from_body: &Pose) -> Self {
        let bounds = model.aabb();
        // What an open mesh winds around may reach beyond its box.
        let open = model.mesh().is_some_and(|mesh| mesh.kind() == MeshKind::Solid && !mesh.is_closed());
        let finite = bounds.min.is_finite() && bounds.max.is_finite() && !open;
        let carry = |ball: Sphere| Sphere {
            center: carrier_from_body.transform_point(ball.center),
            radius: ball.radius,
        };
        let slack = |ball: &Sphere| {
            64.0 * UNIT_ROUNDOFF
                * (ball.center.length() + ball.radius + carrier_from_body.translation.length())
        };
        let widened = |ball: Sphere| Sphere { radius: ball.radius + slack(&ball), ..carry(ball) };
        let narrowed = |ball: Sphere| Sphere { radius: ball.radius - slack(&ball), ..carry(ball) };
        if !finite || model.is_empty() {
            let radius = if model.is_empty() { 0.0 } else { f64::INFINITY };
            let whole = Sphere { center: carrier_from_body.translation, radius };
            let (outer, inner) = (Balls::new(&[whole], true), Balls::new(&[], false));
            return Self {
                whole,
                outer,
                inner,
                outer_balls: vec![whole],
                fine_balls: vec![vec![whole]],
                dense_balls: vec![Vec::new()],
                inner_balls: Vec::new(),
                core: None,
                reach: f64::INFINITY,
                corners: None,
            };
        }
        let (outer, fine, inner, dense) = match round(model) {
            Some(ball) => (vec![ball], vec![vec![ball]], vec![ball], vec![vec![ball]]),
            None => {
                let stuff = Stuff::of(model);
                let cells = stuff.cut(bounds);
                let found = balls_inside(model, &cells);
                let dense = cells.iter().map(|cell| in_cell(&found, cell)).collect();
                let inner = if model.mesh().is_some() { filling(found) } else { found };
                let fine = cells.iter().map(|cell| stuff.refined(cell)).collect();
                (cells.into_iter().map(|cell| cell.ball).collect(), fine, inner, dense)
            }
        };
        let outer: Vec<Sphere> = outer.into_iter().map(widened).collect();
        let fine_balls = fine.into_iter().map(|balls| balls.into_iter().map(widened).collect()).collect();
        let inside = |balls: Vec<Sphere>| -> Vec<Sphere> {
            balls.into_iter().map(narrowed).filter(|ball| ball.radius > 0.0).take(LANES).collect()
        };
        let (inner, dense_balls) = (inside(inner), dense.into_iter().map(inside).collect());
        let whole = match model.mesh() {
            Some(mesh) => widened(Sphere::smallest(mesh.vertices())),
            None if outer.len() == 1 => outer[0],
            None => widened(Sphere::smallest(&bounds.corners())),
        };
        let reach = whole.center.length() + whole.radius;
        let core = inner.first().copied();
        Self {
            whole,
            outer: Balls::new(&outer, true),
            inner: Balls::new(&inner, false),
            outer_balls: outer,
            fine_balls,
            dense_balls,
            inner_balls: inner,
            core,
            reach,
            corners: corners(model).map(|(corners, radius)| {
                let on_carrier = corners.into_iter().map(|corner| carrier_from_body.transform_point(corner));
                (on_carrier.collect(), radius)
            }),
        }
    }
}

/// Vertices from which on a hull takes too long to be made.
const MANY: usize = 4096;
/// Sides of the prism around a drum.
const SIDES: usize = 16;

/// Points and a radius: all of the body is within it of their hull.
fn corners(model: &Model) -> Option<(Vec<DVec3>, f64)> {
    if let Some(mesh) = model.mesh() {
        if mesh.vertices().len() > MANY {
            return None;
        }
        let hull = Hull::new(mesh.vertices().iter().copied()).ok()?;
        return Some((hull.vertices().to_vec(), 0.0));
    }
    let convex = model.convex()?;
    let corners = match convex.core() {
        Core::Point => vec![DVec3::ZERO],
        Core::Segment { half_length } => vec![DVec3::Z * *half_length, DVec3::NEG_Z * *half_length],
        Core::Box { half_extents } => Aabb { min: -*half_extents, max: *half_extents }.corners().to_vec(),
        Core::Cylinder { half_height, radius } => {
            // The prism whose sides touch the drum.
            let half_turn = std::f64::consts::PI / SIDES as f64;
            let out = radius / half_turn.cos() * (1.0 + 1e-12);
            let corner = |k: usize| {
                let (sin, cos) = crate::sin_cos(2.0 * half_turn * (k / 2) as f64);
                DVec3::new(
                    out * cos,
                    out * sin,
                    if k.is_multiple_of(2) { *half_height } else { -*half_height },
                )
            };
            (0..2 * SIDES).map(corner).collect()
        }
        Core::Triangle(triangle) => triangle.corners.to_vec(),
        Core::Hull(hull) => hull.vertices().to_vec(),
        Core::Cone { .. } | Core::Ellipsoid { .. } | Core::User(_) => return None,
    };
    Some((corners, convex.radius()))
}

/// The ball that a body is.
fn round(model: &Model) -> Option<Sphere> {
    let convex = model.convex()?;
    matches!(convex.core(), Core::Point).then(|| Sphere { center: DVec3::ZERO, radius: convex.radius() })
}

/// A box and the part of the body in it.
struct Room {
    bounds: Aabb,
    /// The part lies within the hull of these points.
    points: Vec<DVec3>,
    /// A box around them, with what their rounding may be.
    around: Aabb,
    triangles: Vec<u32>,
}

impl Room {
    fn ball(&self) -> Sphere {
        let mut ball = Sphere::smallest(&self.points);
        ball.radius += self.rounding();
        ball
    }

    /// Clipped corners are rounded.
    fn rounding(&self) -> f64 {
        let far = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        64.0 * UNIT_ROUNDOFF * far
    }

    /// As much of the box as the part may fill.
    fn filled(&self) -> Aabb {
        self.bounds.intersection(self.around)
    }
}

/// A room and a ball around the part of the body in it.
struct Cell {
    room: Room,
    ball: Sphere,
}

/// What is cut: the faces of a mesh and what they enclose, or a whole box.
enum Stuff<'a> {
    Faces { model: &'a Model, mesh: &'a Mesh, solid: bool },
    Box,
}

impl<'a> Stuff<'a> {
    fn of(model: &'a Model) -> Self {
        match model.mesh() {
            Some(mesh) => Self::Faces { model, mesh, solid: mesh.kind() == MeshKind::Solid },
            None => Self::Box,
        }
    }

    /// The part in a box; `None` if there is none.
    fn within(&self, bounds: Aabb, candidates: &[u32]) -> Option<Room> {
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        match self {
            Self::Box => points.extend(bounds.corners()),
            Self::Faces { model, mesh, solid } => {
                for &number in candidates {
                    let before = points.len();
                    clip(mesh.triangle(number), &bounds, &mut points);
                    if points.len() > before {
                        triangles.push(number);
                    }
                }
                if *solid {
                    let corners = bounds.corners().into_iter();
                    points.extend(corners.filter(|corner| model.locate(*corner) != Location::Outside));
                }
            }
        }
        if points.is_empty() {
            return None;
        }
        let around = Aabb::around(points.iter().copied());
        let mut room = Room { bounds, points, around, triangles };
        room.around = around.grown(room.rounding());
        Some(room)
    }
}

/// The corners of the part of a triangle in a box (Sutherland and Hodgman 1974).
fn clip(triangle: Triangle, bounds: &Aabb, points: &mut Vec<DVec3>) {
    let corners = triangle.corners;
    let own = Aabb::around(corners);
    if !own.overlaps(bounds) {
        return;
    }
    if bounds.contains(own.min) && bounds.contains(own.max) {
        points.extend(corners);
        return;
    }
    let mut polygon = corners.to_vec();
    for axis in 0..3 {
        for (limit, sign) in [(bounds.min[axis], 1.0), (bounds.max[axis], -1.0)] {
            let depth = |p: &DVec3| (p[axis] - limit) * sign;
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (k, p) in polygon.iter().enumerate() {
                let q = &polygon[(k + 1) % polygon.len()];
                let (from, to) = (depth(p), depth(q));
                if from >= 0.0 {
                    kept.push(*p);
                }
                if (from < 0.0) != (to < 0.0) {
                    let mut cut = p.lerp(*q, (from / (from - to)).clamp(0.0, 1.0));
                    cut[axis] = limit;
                    kept.push(cut);
                }
            }
            polygon = kept;
        }
    }
    points.extend(polygon);
}

impl Stuff<'_> {
    /// Up to sixteen cells around a body: the one with the largest ball is cut across as long as there is
    /// room.
    fn cut(&self, bounds: Aabb) -> Vec<Cell> {
        let all: Vec<u32> = match self {
            Self::Faces { mesh, .. } => (0..mesh.triangles().len() as u32).collect(),
            Self::Box => Vec::new(),
        };
        let mut cells: Vec<Cell> = fitted(self.within(bounds, &all).into_iter().collect());
        while cells.len() < LANES {
            let sizes = cells.iter().map(|cell| cell.ball.radius);
            let Some(largest) = largest(sizes) else { break };
            let Some(parts) = self.smallest_parts(&cells[largest].room) else { break };
            cells.swap_remove(largest);
            cells.extend(parts);
        }
        cells
    }

    /// Up to sixteen balls around the part of a body in a cell. Rooms are chosen by their sizes: balls are fitted only
    /// to the last ones.
    fn refined(&self, cell: &Cell) -> Vec<Sphere> {
        let Some(mut rooms) = self.halves(&cell.room, longest_axis(&cell.room)) else {
            return vec![cell.ball];
        };
        while rooms.len() < LANES {
            let Some(largest) = largest(rooms.iter().map(|room| room.filled().size().length())) else {
                break;
            };
            let Some(parts) = self.halves(&rooms[largest], longest_axis(&rooms[largest])) else { break };
            rooms.swap_remove(largest);
            rooms.extend(parts);
        }
        rooms.iter().map(Room::ball).collect()
    }

    /// A room cut across the axis that leaves the smallest balls.
    fn smallest_parts(&self, room: &Room) -> Option<Vec<Cell>> {
        let sizes = room.filled().size();
        let wide = (0..3).filter(|&axis| sizes[axis] >= 0.4 * sizes.max_element());
        let parts = wide.filter_map(|axis| self.halves(room, axis)).map(fitted);
        let size = |parts: &Vec<Cell>| parts.iter().map(|part| part.ball.radius.powi(3)).sum::<f64>();
        parts.min_by(|a, b| size(a).total_cmp(&size(b)))
    }

    /// What is in both halves of a room; `None` if it is too thin to be cut.
    fn halves(&self, room: &Room, axis: usize) -> Option<Vec<Room>> {
        let filled = room.filled();
        let middle = filled.center()[axis];
        if !(filled.min[axis] < middle && middle < filled.max[axis]) {
            return None;
        }
        let [mut low, mut high] = [filled; 2];
        (low.max[axis], high.min[axis]) = (middle, middle);
        let halves = [low, high].into_iter();
        let parts: Vec<Room> = halves.filter_map(|half| self.within(half, &room.triangles)).collect();
        (!parts.is_empty()).then_some(parts)
    }
}

fn fitted(rooms: Vec<Room>) -> Vec<Cell> {
    rooms.into_iter().map(|room| Cell { ball: room.ball(), room }).collect()
}

/// The number of the largest of some sizes, the last of several.
fn largest(sizes: impl Iterator<Item = f64>) -> Option<usize> {
    sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
}

fn longest_axis(room: &Room) -> usize {
    let sizes = room.filled().size();
    (0..3).max_by(|&i, &j| sizes[i].total_cmp(&sizes[j])).unwrap_or(0)
}

/// Balls inside a capsule, a drum or a box, side by side along its longest axis; none for other bodies.
fn along_axis(convex: &Convex) -> Vec<Sphere> {
    let (half, axis, inside) = match *convex.core() {
        Core::Segment { half_length } => (half_length, DVec3::Z, 0.0),
        Core::Cylinder { half_height, radius } => {
            let inside = radius.min(half_height);
            (half_height - inside, DVec3::Z, inside)
        }
        Core::Box { half_extents } => {
            let inside = half_extents.min_element();
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            let longest = (0..3).max_by(|&i, &j| half_extents[i].total_cmp(&half_extents[j])).unwrap_or(0);
            (half_extents[longest] - inside, axes[longest], inside)
        }
        _ => return Vec::new(),
    };
    let count = if half > 0.0 { LANES } else { 1 };
    let place = |k: usize| half * (2.0 * k as f64 / (LANES - 1) as f64 - 1.0);
    let radius = inside + convex.radius();
    // The middle ones first: the first is tried before all others.
    let mut places: Vec<f64> = (0..count).map(|k| if count == 1 { 0.0 } else { place(k) }).collect();
    places.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    places.into_iter().map(|place| Sphere { center: axis * place, radius }).collect()
}

/// Points tried as centres of balls inside a solid.
const TRIED: f64 = 700.0;

/// The balls whose centres are in a cell, the largest first.
fn in_cell(balls: &[Sphere], cell: &Cell) -> Vec<Sphere> {
    let mut own: Vec<Sphere> =
        balls.iter().copied().filter(|ball| cell.room.bounds.contains(ball.center)).collect();
    own.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    own
}

/// Balls inside a solid, about points of a grid, as large as the nearest face allows; for plain bodies the
/// best sixteen.
fn balls_inside(model: &Model, cells: &[Cell]) -> Vec<Sphere> {
    if let Some(convex) = model.convex() {
        return along_axis(convex);
    }
    let Some(mesh) = model.mesh().filter(|mesh| mesh.kind() == MeshKind::Solid && mesh.is_closed()) else {
        return Vec::new();
    };
    let mut found: Vec<Sphere> = model.inner_balls().to_vec();
    // From inside, the way to the nearest face is the gap to the faces alone.
    let Aabb { min, max } = mesh.aabb();
    let sizes = max - min;
    let faces = Model::new(mesh.clone().with_kind(MeshKind::Surface));
    let dot = Convex::sphere(1e-9 * sizes.max_element()).map(Model::new);
    let (Ok(faces), Ok(Ok(dot))) = (faces, dot) else { return found };
    let mut centers: Vec<DVec3> =
        cells.iter().flat_map(|cell| [cell.ball.center, cell.room.around.center()]).collect();
    let step = (sizes.x * sizes.y * sizes.z / TRIED).cbrt();
    let counts = (sizes / step).to_array().map(|count| (count as u32).clamp(1, 32));
    for x in 0..counts[0] {
        for y in 0..counts[1] {
            for z in 0..counts[2] {
                let share = [x, y, z].map(|k| f64::from(k) + 0.5);
                centers
                    .push(min + sizes * DVec3::from_array(share) / DVec3::from_array(counts.map(f64::from)));
            }
        }
    }
    for center in centers {
        if model.locate(center) == Location::Inside {
            let here = dot.at(Pose::from_translation(center));
            let radius = clearance(&faces.at(Pose::IDENTITY), &here).gap.at_least;
            found.push(Sphere { center, radius });
        }
    }
    found
}

/// Sixteen of the balls inside a solid that fill it well, the largest first: always the one that holds most
/// centres that no other does.
fn filling(mut found: Vec<Sphere>) -> Vec<Sphere> {
    let mut left: Vec<DVec3> = found.iter().map(|ball| ball.center).collect();
    let mut kept: Vec<Sphere> = Vec::new();
    found.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    while kept.len() < LANES && !found.is_empty() {
        let holds = |ball: &Sphere, point: &DVec3| ball.center.distance(*point) < ball.radius;
        let worth = |ball: &Sphere| left.iter().filter(|point| holds(ball, point)).count();
        // The largest of all comes first: it is tried before all others.
        let best = if kept.is_empty() { 0 } else { best_of(&found, worth) };
        let ball = found.swap_remove(best);
        left.retain(|point| !holds(&ball, point));
        kept.push(ball);
    }
    kept.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    kept
}

/// The first of those that are worth most.
fn best_of(balls: &[Sphere], worth: impl Fn(&Sphere) -> usize) -> usize {
    let mut best = (0, 0);
    for (number, ball) in balls.iter().enumerate() {
        let worth = worth(ball);
        if worth > best.1 {
            best = (number, worth);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::state::shares;

    /// A solid with a corner that goes inwards.
    fn bracket() -> Model {
        let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        let level = |z: f64| outline.map(|[x, y]| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = [level(0.0), level(0.5)].concat();
        let mut triangles = Vec::new();
        for k in 1..5 {
            triangles.extend([[0, k + 1, k], [6, 6 + k, 7 + k]]);
        }
        for k in 0..6 {
            let next = (k + 1) % 6;
            triangles.extend([[k, next, next + 6], [k, next + 6, k + 6]]);
        }
        let mesh = Mesh::from_triangles(vertices, triangles, &noli_geom::MeshOptions::default()).unwrap();
        Model::new(mesh.into_solid()).unwrap()
    }

    /// Balls of every kind hold the body, or are held by it.
    #[test]
    fn balls_around_hold_the_body_and_balls_inside_are_held() {
        let body = bracket();
        let cover = Cover::new(&body, &Pose::IDENTITY);
        assert_eq!(cover.outer_balls.len(), cover.fine_balls.len());
        assert_eq!(cover.outer_balls.len(), cover.dense_balls.len());
        let mut share = shares(3);
        let holds = |balls: &[Sphere], point: DVec3| {
            balls.iter().any(|ball| ball.center.distance(point) <= ball.radius)
        };
        let mut inside = 0;
        for _ in 0..4000 {
            let point = DVec3::new(2.0 * share(), 2.0 * share(), 0.5 * share());
            if body.locate(point) == Location::Outside {
                continue;
            }
            inside += 1;
            assert!(holds(&cover.outer_balls, point), "{point}");
            assert!(holds(&cover.fine_balls.concat(), point), "{point}");
        }
        assert!(inside > 2000, "{inside} of 4000");
        let mut directions = || DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5).normalize();
        for ball in cover.inner_balls.iter().chain(cover.dense_balls.iter().flatten()) {
            for _ in 0..20 {
                let point = ball.center + directions() * ball.radius * (1.0 - 1e-9);
                assert_ne!(body.locate(point), Location::Outside, "{ball:?}");
            }
        }
        // Smaller ones leave less room around the body.
        let radius = |balls: &[Sphere]| balls.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        assert!(radius(&cover.fine_balls.concat()) < 0.6 * radius(&cover.outer_balls));
    }
}
