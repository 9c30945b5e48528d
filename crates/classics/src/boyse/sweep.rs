//! First contact along a straight or a circular path, in closed form (Boyse 1979).
//!
//! First contact of bodies with flat faces is a vertex reaching a face or an edge reaching an edge. Along a
//! straight path both are linear in time. About an axis a vertex reaches a plane where
//! `A cos θ + B sin θ = C`. An edge sweeps a hyperboloid of one sheet, which another edge intersects where
//! a quadratic vanishes. Helices have no closed form and are left to
//! [`time_of_impact`](noli::time_of_impact). Differs from the print: parallel, planar and tangent cases are
//! decided; contact at the start is reported separately.

use super::overlap;
use crate::goldman::nearest_on_lines;
use crate::polyhedron::{Polyhedron, Stood};
use crate::work::Tally;
use glam::{DMat3, DVec2, DVec3};
use noli::Budget;
use noli_geom::{Aabb, Features, Pose};
use std::f64::consts::TAU;

/// Result of a contact query along a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trajectory {
    /// Nothing.
    Free,
    /// The bodies share a point before anything moves.
    AtStart,
    /// First contact.
    At {
        /// Fraction of the path, from 0 to 1.
        share: f64,
        /// Contact point, in the world.
        point: DVec3,
        /// Touching features; vertex numbers are those of [`Polyhedron::mesh`].
        features: Features,
    },
}

/// Distance beyond its ends at which a feature still counts, relative to its size; covers the rounding of
/// the closed forms.
const SLACK: f64 = 1e-12;

/// Computes the first contact while A moves by `shift` and B is at rest. Approximate, by rounding alone.
/// Contact at the start is exact; a grazing contact may be missed or found by rounding. `None` if the
/// budget ran out or a pose is invalid.
pub fn translation_contact(
    (a, pose_a): (&Polyhedron, &Pose),
    (b, pose_b): (&Polyhedron, &Pose),
    shift: DVec3,
    budget: &Budget<'_>,
) -> Option<Trajectory> {
    let start = Start::new((a, pose_a), (b, pose_b), budget)?;
    if start.in_contact {
        return Some(Trajectory::AtStart);
    }
    let b_from_a = pose_b.inverse() * *pose_a;
    let way = pose_b.inverse().transform_vector(shift);
    let path = Straight { path: way };
    let placed = |p: &DVec3| b_from_a.transform_point(*p);
    let bodies = Bodies {
        a,
        b,
        at_a: a.mesh().vertices().iter().map(placed).collect(),
        at_b: b.mesh().vertices().to_vec(),
    };
    Some(match bodies.first_contact(&path, start.tally)? {
        Some(first) => first.trajectory(1.0, |p| pose_b.transform_point(p)),
        None => Trajectory::Free,
    })
}

/// Computes the first contact while A rotates by `angle` about the line through `point` along `axis` and B
/// is at rest. Approximate, by rounding alone, as [`translation_contact`]. An axis without direction
/// rotates nothing.
pub fn rotation_contact(
    (a, pose_a): (&Polyhedron, &Pose),
    (b, pose_b): (&Polyhedron, &Pose),
    (point, axis): (DVec3, DVec3),
    angle: f64,
    budget: &Budget<'_>,
) -> Option<Trajectory> {
    let start = Start::new((a, pose_a), (b, pose_b), budget)?;
    if start.in_contact {
        return Some(Trajectory::AtStart);
    }
    let Some(axis) = axis.try_normalize().filter(|_| angle != 0.0) else { return Some(Trajectory::Free) };
    let axis = if angle < 0.0 { -axis } else { axis };
    let (x, y) = axis.any_orthonormal_pair();
    let world_from_axis = DMat3::from_cols(x, y, axis);
    let to_axis = |pose: &Pose, p: &DVec3| world_from_axis.transpose() * (pose.transform_point(*p) - point);
    let place =
        |body: &Polyhedron, pose: &Pose| body.mesh().vertices().iter().map(|p| to_axis(pose, p)).collect();
    let bodies = Bodies { a, b, at_a: place(a, pose_a), at_b: place(b, pose_b) };
    let path = Circular { angle: angle.abs() };
    Some(match bodies.first_contact(&path, start.tally)? {
        Some(first) => first.trajectory(angle.abs(), |p| world_from_axis * p + point),
        None => Trajectory::Free,
    })
}

/// Contact of the bodies before the motion.
struct Start<'b> {
    in_contact: bool,
    tally: Tally<'b>,
}

impl<'b> Start<'b> {
    fn new(
        (a, pose_a): (&Polyhedron, &Pose),
        (b, pose_b): (&Polyhedron, &Pose),
        budget: &Budget<'b>,
    ) -> Option<Self> {
        if !pose_a.is_valid() || !pose_b.is_valid() {
            return None;
        }
        let mut tally = Tally::new(budget);
        let (a, b) = (Stood { body: a, pose: pose_a }, Stood { body: b, pose: pose_b });
        Some(Self { in_contact: overlap(&a, &b, &mut tally)?, tally })
    }
}

/// Two bodies in one frame, B at rest.
struct Bodies<'a> {
    a: &'a Polyhedron,
    b: &'a Polyhedron,
    at_a: Vec<DVec3>,
    at_b: Vec<DVec3>,
}

/// The earliest contact so far.
struct First {
    at: f64,
    point: DVec3,
    features: Features,
}

impl First {
    fn trajectory(&self, whole: f64, to_world: impl Fn(DVec3) -> DVec3) -> Trajectory {
        Trajectory::At {
            share: (self.at / whole).clamp(0.0, 1.0),
            point: to_world(self.point),
            features: self.features,
        }
    }
}

/// The body with the vertex, A or B: the vertex moves along the path, or against it.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    Vertex,
    Face,
}

/// A path of closed form. Times are lengths or angles of the path, from 0.
trait Path {
    /// Region that a feature sweeps; features with separated regions need no comparison.
    type Swept: Copy;
    fn end(&self) -> f64;
    fn swept(&self, vertices: &[DVec3], moves: bool) -> Self::Swept;
    fn separated(a: &Self::Swept, b: &Self::Swept) -> bool;
    /// Times at which a vertex reaches the plane through a point, and where, in the frame of B.
    fn reaches_plane(&self, vertex: DVec3, plane: (DVec3, DVec3), moves: Moves) -> [Option<f64>; 2];
    /// The place of a moving point at a time; backward where the path is to be undone.
    fn place(&self, point: DVec3, at: f64, moves: Moves) -> DVec3;
    /// Times at which a moving edge reaches an edge at rest, with the points of contact.
    fn edges_meet(&self, moving: [DVec3; 2], fixed: [DVec3; 2], found: &mut dyn FnMut(f64, DVec3));
}

impl Bodies<'_> {
    fn first_contact<P: Path>(&self, path: &P, mut tally: Tally<'_>) -> Option<Option<First>> {
        let mut first: Option<First> = None;
        let mut take = |at: f64, point: DVec3, features: Features| {
            if at <= path.end() && first.as_ref().is_none_or(|first| at < first.at) {
                first = Some(First { at, point, features });
            }
        };
        let vertices = |body: &Polyhedron, at: &[DVec3]| -> Vec<[DVec3; 3]> {
            body.mesh().triangles().iter().map(|t| t.map(|v| at[v as usize])).collect()
        };
        let (faces_a, faces_b) = (vertices(self.a, &self.at_a), vertices(self.b, &self.at_b));
        let sides = (&self.at_a[..], &faces_b[..]);
        vertices_to_faces(path, sides, Moves::Vertex, &mut tally, &mut |at, point, vertex, face| {
            take(at, point, Features::VertexFace { vertex, face });
        })?;
        let sides = (&self.at_b[..], &faces_a[..]);
        vertices_to_faces(path, sides, Moves::Face, &mut tally, &mut |at, point, vertex, face| {
            take(at, point, Features::FaceVertex { face, vertex });
        })?;
        let ends = |body: &Polyhedron, at: &[DVec3]| -> Vec<([u32; 2], [DVec3; 2])> {
            body.edges().iter().map(|&edge| (edge, edge.map(|v| at[v as usize]))).collect()
        };
        let edges_b = ends(self.b, &self.at_b);
        let swept_b: Vec<P::Swept> = edges_b.iter().map(|(_, ends)| path.swept(ends, false)).collect();
        for (a, ends_a) in ends(self.a, &self.at_a) {
            tally.step()?;
            let swept = path.swept(&ends_a, true);
            for ((b, ends_b), swept_b) in edges_b.iter().zip(&swept_b) {
                if !P::separated(&swept, swept_b) {
                    tally.step()?;
                    path.edges_meet(ends_a, *ends_b, &mut |at, point| {
                        take(at, point, Features::EdgeEdge { a, b: *b });
                    });
                }
            }
        }
        Some(first)
    }
}

fn vertices_to_faces<P: Path>(
    path: &P,
    (vertices, faces): (&[DVec3], &[[DVec3; 3]]),
    moves: Moves,
    tally: &mut Tally<'_>,
    found: &mut dyn FnMut(f64, DVec3, u32, u32),
) -> Option<()> {
    let swept: Vec<P::Swept> = faces.iter().map(|face| path.swept(face, moves == Moves::Face)).collect();
    for (v, &vertex) in vertices.iter().enumerate() {
        tally.step()?;
        let own = path.swept(&[vertex], moves == Moves::Vertex);
        for (f, (&[a, b, c], swept)) in faces.iter().zip(&swept).enumerate() {
            if P::separated(&own, swept) {
                continue;
            }
            tally.step()?;
            let normal = (b - a).cross(c - a);
            for at in path.reaches_plane(vertex, (normal, a), moves).into_iter().flatten() {
                let place = path.place(vertex, at, moves);
                if in_face(place, [a, b, c], normal) {
                    // Where the face moves, the contact is where the vertex stands.
                    let point = if moves == Moves::Vertex { place } else { vertex };
                    found(at, point, v as u32, f as u32);
                }
            }
        }
    }
    Some(())
}

/// Returns `true` if a point near the plane of a face is in it, or beyond an edge by no more than the
/// slack.
fn in_face(point: DVec3, [a, b, c]: [DVec3; 3], normal: DVec3) -> bool {
    let area_sq = normal.length_squared();
    let share = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(normal) >= -SLACK * area_sq;
    area_sq > 0.0 && share(a, b) && share(b, c) && share(c, a)
}

fn within_ends(share: f64) -> bool {
    (-SLACK..=1.0 + SLACK).contains(&share)
}

struct Straight {
    path: DVec3,
}

impl Path for Straight {
    type Swept = Aabb;

    fn end(&self) -> f64 {
        1.0
    }

    fn swept(&self, vertices: &[DVec3], moves: bool) -> Aabb {
        let here = Aabb::from_points(vertices.iter().copied());
        let there = Aabb { min: here.min + self.path, max: here.max + self.path };
        let whole = if moves { here.union(there) } else { here };
        let noise = SLACK * whole.min.abs().max(whole.max.abs()).max_element();
        Aabb { min: whole.min - noise, max: whole.max + noise }
    }

    fn separated(a: &Aabb, b: &Aabb) -> bool {
        !a.overlaps(b)
    }

    fn reaches_plane(
        &self,
        vertex: DVec3,
        (normal, point): (DVec3, DVec3),
        moves: Moves,
    ) -> [Option<f64>; 2] {
        let speed = normal.dot(self.signed_path(moves));
        let at = normal.dot(point - vertex) / speed;
        [within_ends(at).then(|| at.clamp(0.0, 1.0)), None]
    }

    fn place(&self, point: DVec3, at: f64, moves: Moves) -> DVec3 {
        point + self.signed_path(moves) * at
    }

    fn edges_meet(&self, [p, p1]: [DVec3; 2], [q, q1]: [DVec3; 2], found: &mut dyn FnMut(f64, DVec3)) {
        let (e, f) = (p1 - p, q1 - q);
        let m = e.cross(f);
        let at = (q - p).dot(m) / self.path.dot(m);
        if !within_ends(at) {
            return;
        }
        let at = at.clamp(0.0, 1.0);
        if let Some([s, u]) = nearest_on_lines(p + self.path * at, e, q, f)
            && within_ends(s)
            && within_ends(u)
        {
            found(at, q + f * u);
        }
    }
}

impl Straight {
    fn signed_path(&self, moves: Moves) -> DVec3 {
        if moves == Moves::Vertex { self.path } else { -self.path }
    }
}

/// A turn about the z axis.
struct Circular {
    angle: f64,
}

/// Heights and distances from the axis that a feature takes.
#[derive(Clone, Copy)]
struct Ring {
    low: DVec2,
    high: DVec2,
}

impl Path for Circular {
    type Swept = Ring;

    fn end(&self) -> f64 {
        self.angle
    }

    fn swept(&self, vertices: &[DVec3], _: bool) -> Ring {
        let heights = vertices.iter().map(|p| p.z);
        let outer = vertices.iter().map(|p| p.truncate().length()).fold(0.0, f64::max);
        let n = vertices.len();
        let sides = (0..n).map(|k| axis_to_segment(vertices[k].truncate(), vertices[(k + 1) % n].truncate()));
        let inner = if around_axis(vertices) { 0.0 } else { sides.fold(f64::INFINITY, f64::min) };
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        let noise = SLACK * (outer + low.abs().max(high.abs()));
        Ring { low: DVec2::new(inner, low) - noise, high: DVec2::new(outer, high) + noise }
    }

    fn separated(a: &Ring, b: &Ring) -> bool {
        a.low.cmpgt(b.high).any() || b.low.cmpgt(a.high).any()
    }

    fn reaches_plane(&self, v: DVec3, (n, point): (DVec3, DVec3), moves: Moves) -> [Option<f64>; 2] {
        let (cosine, mut sine) = (n.x * v.x + n.y * v.y, n.y * v.x - n.x * v.y);
        if moves == Moves::Face {
            sine = -sine;
        }
        let radius = cosine.hypot(sine);
        let ratio = (n.dot(point) - n.z * v.z) / radius;
        // Not a number where the vertex stays in its distance to the plane.
        if ratio.is_nan() || ratio.abs() > 1.0 + SLACK {
            return [None; 2];
        }
        let (middle, half) = (sine.atan2(cosine), ratio.clamp(-1.0, 1.0).acos());
        [Some(turn(middle - half)), Some(turn(middle + half))]
    }

    fn place(&self, p: DVec3, at: f64, moves: Moves) -> DVec3 {
        let (sin, cos) = if moves == Moves::Vertex { at.sin_cos() } else { (-at).sin_cos() };
        DVec3::new(p.x * cos - p.y * sin, p.x * sin + p.y * cos, p.z)
    }

    fn edges_meet(&self, [m0, m1]: [DVec3; 2], [q0, q1]: [DVec3; 2], found: &mut dyn FnMut(f64, DVec3)) {
        let (m, q) = (m1 - m0, q1 - q0);
        let size = m.length().max(q.length());
        let mut meet = |s: f64, u: f64| {
            let (on_m, on_q) = ((m0 + m * s).truncate(), q0 + q * u);
            if within_ends(s) && within_ends(u) && on_m.length() > SLACK * size {
                let angle = on_q.y.atan2(on_q.x) - on_m.y.atan2(on_m.x);
                found(turn(angle), on_q);
            }
        };
        if m.z.abs() > SLACK * m.length() {
            // On the fixed edge at u, the moving one is at the same height at s = shift + slope·u.
            let (shift, slope) = ((q0.z - m0.z) / m.z, q.z / m.z);
            let (a0, a1) = ((m0 + m * shift).truncate(), m.truncate() * slope);
            for u in equal_lengths((a0, a1), (q0.truncate(), q.truncate())) {
                meet(shift + slope * u, u);
            }
        } else if q.z.abs() > SLACK * q.length() {
            let u = (m0.z - q0.z) / q.z;
            for s in equal_lengths((m0.truncate(), m.truncate()), ((q0 + q * u).truncate(), DVec2::ZERO)) {
                meet(s, u);
            }
        } else if (m0.z - q0.z).abs() <= SLACK * (size + m0.z.abs()) {
            // In one plane: first contact is an end of one on the other.
            for s in [0.0, 1.0] {
                let end = ((m0 + m * s).truncate(), DVec2::ZERO);
                equal_lengths(end, (q0.truncate(), q.truncate())).for_each(|u| meet(s, u));
                let end = ((q0 + q * s).truncate(), DVec2::ZERO);
                equal_lengths((m0.truncate(), m.truncate()), end).for_each(|other| meet(other, s));
            }
        }
    }
}

/// An angle brought to one turn; what rounding put just before 0 is 0.
fn turn(angle: f64) -> f64 {
    let angle = angle.rem_euclid(TAU);
    if angle > TAU - SLACK { 0.0 } else { angle }
}

/// Returns the solutions of `|a0 + u·a1| = |b0 + u·b1|`; a discriminant below 0 by rounding counts as 0.
fn equal_lengths((a0, a1): (DVec2, DVec2), (b0, b1): (DVec2, DVec2)) -> impl Iterator<Item = f64> {
    let square = b1.length_squared() - a1.length_squared();
    let half = b0.dot(b1) - a0.dot(a1);
    let constant = b0.length_squared() - a0.length_squared();
    let scale = a0.length_squared() + a1.length_squared() + b0.length_squared() + b1.length_squared();
    let roots = if square.abs() <= SLACK * scale {
        [-0.5 * constant / half, f64::NAN]
    } else {
        let discriminant = half * half - square * constant;
        let noise = SLACK * scale * scale;
        let root = if discriminant < -noise { f64::NAN } else { discriminant.max(0.0).sqrt() };
        // The sum of equal signs first: no cancellation.
        let sum = -(half + root.copysign(half));
        [sum / square, constant / sum]
    };
    roots.into_iter().filter(|u| u.is_finite())
}

/// The distance of a segment in the plane from the origin.
fn axis_to_segment(p: DVec2, q: DVec2) -> f64 {
    let along = q - p;
    let share = (-p.dot(along) / along.length_squared()).clamp(0.0, 1.0);
    if share.is_nan() { p.length() } else { (p + along * share).length() }
}

/// Returns `true` if the axis passes through a triangle.
fn around_axis(vertices: &[DVec3]) -> bool {
    let n = vertices.len();
    let turns = || (0..n).map(|k| vertices[k].truncate().perp_dot(vertices[(k + 1) % n].truncate()));
    n > 2 && (turns().all(|t| t >= 0.0) || turns().all(|t| t <= 0.0))
}
