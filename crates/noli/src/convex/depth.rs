//! Penetration depth of two overlapping convex cores (expanding polytope algorithm, EPA, van den Bergen 2001),
//! as a proven bracket.
//!
//! A closed surface of triangles with vertices in `B − A` grows around the origin. Every triangle's plane keeps
//! its distance from the origin, so `B − A` contains a sphere that reaches the nearest plane. Its radius bounds
//! the depth from below. Every computed support plane bounds it from above.

use super::bodies::{Bodies, Vertex};
use super::simplex::Simplex;
use crate::simd::{Portable, Simd, Task};
use glam::DVec3;
use noli_geom::{Aabb, Hull};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A bracket on the depth, and where.
#[derive(Clone, Debug)]
pub(crate) struct Depth {
    pub(crate) at_least: f64,
    pub(crate) at_most: f64,
    /// Unit vector along which B must be moved by `at_most` to be free of A, rounded.
    pub(crate) normal: DVec3,
    /// Points of A and of B, in A's frame, whose difference is the foot of the origin on the nearest face of
    /// `B − A`.
    pub(crate) witness: [DVec3; 2],
}

#[derive(Clone, Copy, Debug)]
struct Face {
    vertices: [u32; 3],
    /// Across the edges that start at each vertex.
    across: [u32; 3],
    /// Outward unit normal and distance from the origin, rounded.
    normal: DVec3,
    height: f64,
    alive: bool,
}

/// An edge between what is seen and what is not: from, to, and the face beyond.
type Edge = (u32, u32, u32);

/// A closed surface around the origin; memory that is lent from one question to the next.
#[derive(Debug, Default)]
pub(crate) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Faces by height, which is positive and so sorted like its bits; dead ones are skipped.
    lowest: BinaryHeap<Reverse<(u64, u32)>>,
    horizon: Vec<Edge>,
    open: Vec<(u32, u32)>,
}

/// Surfaces do not grow beyond this many faces ever made: curved bodies would go on for ever.
const FACES: usize = 1024;

/// The depth of cores whose difference holds the origin in a tetrahedron of support points. `tolerance` is how wide the bracket may be
/// beyond rounding.
pub(crate) fn depth(
    bodies: &Bodies<'_>,
    simplex: &Simplex,
    direction: DVec3,
    tolerance: f64,
    polytope: &mut Polytope,
) -> Depth {
    let mut answer = Depth {
        at_least: 0.0,
        at_most: f64::INFINITY,
        normal: direction.try_normalize().unwrap_or(DVec3::Z),
        witness: touching_points(bodies, simplex),
    };
    let direction = if direction == DVec3::ZERO { DVec3::Z } else { direction };
    let _ = answer.probe(bodies, -direction, Portable);
    if polytope.enclose(bodies, simplex) {
        bodies.simd.run(Expansion { bodies, tolerance, polytope, answer: &mut answer });
        answer.at_least = answer.at_least.min(answer.at_most);
        answer.witness = polytope.witness(bodies, -answer.normal * answer.at_most).unwrap_or(answer.witness);
    }
    answer
}

/// Growing a surface around the origin until its nearest face is one of the bodies' difference.
struct Expansion<'e, 'a> {
    bodies: &'e Bodies<'a>,
    tolerance: f64,
    polytope: &'e mut Polytope,
    answer: &'e mut Depth,
}

impl Task for Expansion<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { bodies, tolerance, polytope, answer } = self;
        let error = bodies.height_error + bodies.point_error;
        loop {
            let Some(nearest) = polytope.nearest() else {
                // All planes are further away than the bound was when they were made.
                answer.at_least = answer.at_least.max(answer.at_most - error);
                return;
            };
            let Face { height, vertices, .. } = polytope.faces[nearest as usize];
            answer.at_least = answer.at_least.max(height - error);
            if height - error > answer.at_most {
                return;
            }
            let vertex = answer.probe(bodies, polytope.faces[nearest as usize].normal, s);
            let done = answer.at_most - answer.at_least <= tolerance + 4.0 * error;
            let repeated = vertices.iter().any(|&c| polytope.vertices[c as usize].same_as(&vertex));
            let full = polytope.faces.len() > FACES;
            if done || repeated || full || !polytope.grow(nearest, vertex, 4.0 * error, answer.at_most) {
                return;
            }
        }
    }
}

impl Depth {
    /// QueryContext how far `B − A` reaches in a direction.
    #[inline(always)]
    fn probe<S: Simd>(&mut self, bodies: &Bodies<'_>, outward: DVec3, s: S) -> Vertex {
        let vertex = bodies.support_with(s, -outward);
        let length = outward.length();
        let reach = outward.dot(vertex.w) / length + bodies.height_error;
        // Not for a direction without length.
        if reach < self.at_most {
            self.at_most = reach.max(0.0);
            self.normal = -outward / length;
        }
        vertex
    }
}

/// The faces of a tetrahedron, by its vertices.
const TETRAHEDRON: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

/// Points of A and B, in A's frame, whose difference is the point of the simplex nearest to the origin: of cores
/// that touch, a common point up to rounding.
fn touching_points(bodies: &Bodies<'_>, simplex: &Simplex) -> [DVec3; 2] {
    let vertices = simplex.vertices;
    let faces = TETRAHEDRON.map(|face| face.map(|k| vertices[k]));
    let nearest = match simplex.count {
        4 => nearer_of(faces.map(|face| Mixture::of_triangle(face, DVec3::ZERO))),
        _ => Some(Mixture::new(*simplex, DVec3::ZERO)),
    };
    nearest.map_or([DVec3::ZERO; 2], |mixture| mixture.points(bodies))
}

fn nearer_of(mixtures: impl IntoIterator<Item = Mixture>) -> Option<Mixture> {
    mixtures.into_iter().min_by(|x, y| x.distance_sq.total_cmp(&y.distance_sq))
}

/// A mixture of vertices, and the squared distance of its difference from a target.
struct Mixture {
    simplex: Simplex,
    distance_sq: f64,
}

impl Mixture {
    /// The mixture of up to three vertices whose difference is nearest to `target`.
    fn new(mut simplex: Simplex, target: DVec3) -> Self {
        simplex.vertices.iter_mut().for_each(|vertex| vertex.w -= target);
        let distance_sq = simplex.reduce().map_or(0.0, |nearest| nearest.v.length_squared());
        Self { simplex, distance_sq }
    }

    fn of_triangle([p, q, r]: [Vertex; 3], target: DVec3) -> Self {
        Self::new(Simplex { vertices: [p, q, r, r], weights: [0.0; 4], count: 3 }, target)
    }

    /// Its points of A and of B, in A's frame.
    fn points(&self, bodies: &Bodies<'_>) -> [DVec3; 2] {
        let on_b = bodies.frame.pose().transform_point(self.simplex.mix(|vertex| vertex.b));
        [self.simplex.mix(|vertex| vertex.a), on_b]
    }
}

/// Returns `true` if the cores certainly share points, for a final simplex too flat around the origin to decide
/// that.
#[cold]
pub(super) fn surely_overlap(bodies: &Bodies<'_>, simplex: &Simplex) -> bool {
    Polytope::default().enclose(bodies, simplex)
}

/// Vertices are added to a hull at most so often until it holds the origin.
const ROUNDS: usize = 24;

impl Polytope {
    /// Become some surface with the origin inside, for certain or not at all.
    fn enclose(&mut self, bodies: &Bodies<'_>, simplex: &Simplex) -> bool {
        self.clear();
        self.around_origin(bodies, simplex).is_some() || self.hull_around_origin(bodies, simplex).is_some()
    }

    fn clear(&mut self) {
        self.vertices.clear();
        self.faces.clear();
        self.lowest.clear();
    }

    /// The hull of the simplex and of points far out in all directions, grown where the origin is not inside.
    #[cold]
    fn hull_around_origin(&mut self, bodies: &Bodies<'_>, simplex: &Simplex) -> Option<()> {
        let mut vertices = simplex.vertices().to_vec();
        let diagonals = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE }.vertices();
        let directions = DVec3::AXES.iter().flat_map(|&d| [d, -d]).chain(diagonals);
        vertices.extend(directions.map(|d| bodies.support(d)));
        let error = bodies.height_error + bodies.point_error;
        for _ in 0..ROUNDS {
            let hull = Hull::new(vertices.iter().map(|v| v.w)).ok()?;
            if hull.faces().is_empty() {
                return None;
            }
            let height =
                |face: &usize| hull.normal(*face).dot(hull.vertices()[hull.faces()[*face][0] as usize]);
            let lowest = (0..hull.faces().len()).min_by(|f, g| height(f).total_cmp(&height(g)))?;
            if height(&lowest) > 2.0 * error {
                return self.take_hull(&hull, &vertices);
            }
            let normal = hull.normal(lowest);
            let vertex = bodies.support(-normal);
            let beyond = normal.dot(vertex.w) > 2.0 * error;
            if !beyond {
                return None;
            }
            vertices.push(vertex);
        }
        None
    }

    fn take_hull(&mut self, hull: &Hull, vertices: &[Vertex]) -> Option<()> {
        self.clear();
        let given = |v: u32| vertices[hull.given(v) as usize];
        self.vertices.extend((0..hull.vertices().len() as u32).map(given));
        let mut triangles = Vec::new();
        for corners in hull.faces().iter() {
            triangles.extend((1..corners.len() - 1).map(|k| [corners[0], corners[k], corners[k + 1]]));
        }
        let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let across = |[from, to]: [u32; 2]| triangles.iter().position(|t| edges(t).contains(&[to, from]));
        for triangle in &triangles {
            let [x, y, z] = edges(triangle).map(across);
            let face = self.face(*triangle, [x? as u32, y? as u32, z? as u32])?;
            self.push(face, f64::INFINITY);
        }
        Some(())
    }

    /// A tetrahedron with the origin inside, for certain or not at all.
    fn around_origin(&mut self, bodies: &Bodies<'_>, simplex: &Simplex) -> Option<()> {
        if !simplex.surely_holds_origin(bodies.coordinate_error) {
            return None;
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| simplex.vertices[i].w);
        self.vertices.extend(simplex.vertices);
        if (b - a).cross(c - a).dot(d - a) > 0.0 {
            self.vertices.swap(1, 2);
        }
        for (vertices, across) in
            [([0, 1, 2], [3, 1, 2]), ([2, 1, 3], [0, 3, 2]), ([0, 2, 3], [0, 1, 3]), ([1, 0, 3], [0, 2, 1])]
        {
            let face = self.face(vertices, across)?;
            self.push(face, f64::INFINITY);
        }
        Some(())
    }

    /// A face with the origin strictly behind it.
    fn face(&self, vertices: [u32; 3], across: [u32; 3]) -> Option<Face> {
        let [p, q, r] = vertices.map(|c| self.vertices[c as usize].w);
        let normal = (q - p).cross(r - p).try_normalize()?;
        // The least over the vertices: what rounding of the normal tilts is on the safe side.
        let height = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
        (height > 0.0).then_some(Face { vertices, across, normal, height, alive: true })
    }

    /// Adds a face. It is queued for a visit unless it is further away than any that could be the nearest.
    fn push(&mut self, face: Face, at_most: f64) {
        if face.height <= at_most {
            self.lowest.push(Reverse((face.height.to_bits(), self.faces.len() as u32)));
        }
        self.faces.push(face);
    }

    /// Points of A and B, in A's frame, whose difference is nearest to the foot of the origin on a support plane.
    /// Of coplanar faces only one holds that foot, so the face that was probed last need not.
    fn witness(&self, bodies: &Bodies<'_>, foot: DVec3) -> Option<[DVec3; 2]> {
        let mut best: Option<Mixture> = None;
        for face in self.faces.iter().rev() {
            let off = face.normal.dot(foot) - face.height;
            if best.as_ref().is_some_and(|best| off * off >= best.distance_sq) {
                continue;
            }
            let found = Mixture::of_triangle(face.vertices.map(|v| self.vertices[v as usize]), foot);
            best = nearer_of(best.into_iter().chain([found]));
        }
        best.map(|mixture| mixture.points(bodies))
    }

    /// Removes from the queue and returns the live face nearest to the origin.
    fn nearest(&mut self) -> Option<u32> {
        while let Some(Reverse((_, face))) = self.lowest.pop() {
            if self.faces[face as usize].alive {
                return Some(face);
            }
        }
        None
    }

    /// Replace what a new vertex sees by a cone to it; false where the origin would not stay inside.
    /// Faces that it is above by rounding only are not seen: coplanar ones would leave slivers.
    fn grow(&mut self, start: u32, vertex: Vertex, rounding: f64, at_most: f64) -> bool {
        self.look(start, vertex.w, rounding);
        self.vertices.push(vertex);
        let (tip, first) = (self.vertices.len() as u32 - 1, self.faces.len() as u32);
        let horizon = std::mem::take(&mut self.horizon);
        let count = horizon.len();
        let mut closed = count >= 3;
        for (k, &(from, to, beyond)) in horizon.iter().enumerate() {
            let (next, before) = ((k + 1) % count, (k + count - 1) % count);
            let around = [beyond, first + next as u32, first + before as u32];
            // Where rounding has torn holes into what is seen, the edges are no ring.
            closed &= horizon[next].0 == to;
            let Some(face) = self.face([from, to, tip], around).filter(|_| closed) else {
                closed = false;
                break;
            };
            let back = &mut self.faces[beyond as usize];
            if let Some(edge) = (0..3).find(|&e| back.vertices[e] == to) {
                back.across[edge] = first + k as u32;
            }
            self.push(face, at_most);
        }
        self.horizon = horizon;
        closed
    }

    /// Find the faces that a point sees, from one of them on, and the edges around them in order: depth first, edge after edge.
    fn look(&mut self, start: u32, point: DVec3, rounding: f64) {
        self.horizon.clear();
        self.open.clear();
        self.faces[start as usize].alive = false;
        self.open.extend([2, 1, 0].map(|k| (start, k)));
        while let Some((face, edge)) = self.open.pop() {
            let Face { vertices, across, .. } = self.faces[face as usize];
            let (k, beyond) = (edge as usize, across[edge as usize]);
            let other = &mut self.faces[beyond as usize];
            if !other.alive {
                continue;
            }
            if other.normal.dot(point) <= other.height + rounding {
                self.horizon.push((vertices[k], vertices[(k + 1) % 3], beyond));
                continue;
            }
            other.alive = false;
            // Its other two edges, from the one after that through which it was reached.
            let entered =
                (0..3u32).find(|&e| other.vertices[e as usize] == vertices[(k + 1) % 3]).unwrap_or(0);
            self.open.extend([2, 1].map(|turn| (beyond, (entered + turn) % 3)));
        }
    }
}
