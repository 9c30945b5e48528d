//! All vertices near faces and edges near edges.
//!
//! The one walk finds the pairs of triangles that are near enough, by brackets that miss none. Of such a pair, a vertex is
//! looked at with the first triangle that has it, and so is an edge, so that every pair of features is looked at once.
//!
//! A vertex and a face, or two edges, are a contact where their nearest points are. Where the nearest point of a face is on
//! its rim, it is the edge or corner there that is near, and counts only if no other face around it is nearer: else the
//! seams within a wall would hold back what slides along it. Edges and vertices within a plane, and vertices within a
//! straight edge, are no features: what they would say follows from those around.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, Start, bits, start};
use crate::answer::{Coverage, Feature, FeatureContact, Spot};
use crate::budget::Meter;
use crate::context::Ask;
use crate::model::features::{FLAT, MeshFeatures, NONE, Side, unit};
use crate::model::{MeshAt, MeshModel};
use crate::simd::{self, Simd, Task};
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use glam::DVec3;
use noli_geom::{RelativePose, UNIT_ROUNDOFF};
use std::ops::ControlFlow;

/// How two meshes are asked: as cores of bodies with round edges of these radii.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Between the bodies.
    pub(crate) within: f64,
    pub(crate) radii: [f64; 2],
    /// Whether a mesh bounds a solid: then nothing is near through its inside.
    pub(crate) solid: [bool; 2],
}

/// Add all contacts of two meshes to `found`, sorted by features.
pub(crate) fn contacts(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    near: &Near,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> Coverage {
    let pair = match start(a, b) {
        Start::Empty => return Coverage::Whole,
        Start::BadPose => return Coverage::Part,
        Start::Ready(pair) => pair,
    };
    let features = Features::new(&pair, a, b, near);
    let mut raw = ask.scratch.take_contacts();
    let ended = near_triangles(&pair, features.reach, ask, &mut |x, y| {
        let (x, y) = pair.in_given_order(x, y);
        features.of_triangles(x, y, &mut raw);
    });
    features.finish(&mut raw, found);
    ask.scratch.put_contacts(raw);
    if ended == Ended::Exhausted { Coverage::Whole } else { Coverage::Part }
}

/// The same from all pairs of triangles, for tests.
pub(crate) fn contacts_of_all(a: &MeshAt<'_>, b: &MeshAt<'_>, near: &Near) -> Vec<FeatureContact> {
    let Start::Ready(pair) = start(a, b) else { return Vec::new() };
    let features = Features::new(&pair, a, b, near);
    let (mut raw, mut found) = (Vec::new(), Vec::new());
    for x in 0..a.model.mesh.triangle_count() as u32 {
        for y in 0..b.model.mesh.triangle_count() as u32 {
            features.of_triangles(x, y, &mut raw);
        }
    }
    features.finish(&mut raw, &mut found);
    found
}

/// A contact between features given by the numbers of this module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawContact {
    key: [Part; 2],
    /// The triangle of a face that the point lies in.
    face: [u32; 2],
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
}

/// A feature: a face by its flat region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// Tell of all pairs of triangles, of the pair's A and B, that may be within a distance.
fn near_triangles(
    pair: &Pair<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Ended {
    let Ask { scratch, meter, .. } = ask;
    let (instructions, list) = (scratch.instructions(), scratch.list());
    list.clear();
    list.push(Item { key: 0.0, a: 0, b: 0 });
    simd::dispatch(instructions, NearTask { pair, within, meter, list, listener })
}

struct NearTask<'t, 'a, 'b> {
    pair: &'t Pair<'a>,
    within: f64,
    meter: &'t mut Meter<'b>,
    list: &'t mut Vec<Item>,
    listener: &'t mut dyn FnMut(u32, u32),
}

impl Task for NearTask<'_, '_, '_> {
    type Output = Ended;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Ended {
        let Pair { a, b, frames, .. } = self.pair;
        let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Distances };
        let goal = self.within / a.packed.unit;
        // Rounded up, so that no pair is lost to the conversion.
        let cutoff = (goal * goal * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
        let heard = Heard { pair: self.pair, within: self.within, listener: self.listener };
        let mut visit = NearPairs { simd, cutoff, batch: Batch::default(), heard };
        let ended = walk::walk(&test, &mut visit, self.list, self.meter, &mut NoTrace);
        let NearPairs { batch, heard, .. } = &mut visit;
        batch.measure(simd, &mut |candidate, _| heard.tell(candidate));
        ended
    }
}

struct Heard<'t, 'a> {
    pair: &'t Pair<'a>,
    within: f64,
    listener: &'t mut dyn FnMut(u32, u32),
}

impl Heard<'_, '_> {
    #[inline(always)]
    fn tell(&mut self, candidate: &Candidate) -> f64 {
        if candidate.at_least <= self.within {
            for &a in self.pair.a.packed.copies(&candidate.a) {
                for &b in self.pair.b.packed.copies(&candidate.b) {
                    (self.listener)(a, b);
                }
            }
        }
        self.within
    }
}

struct NearPairs<'t, 'a, S> {
    simd: S,
    cutoff: f32,
    batch: Batch,
    heard: Heard<'t, 'a>,
}

impl<S: Simd> Visit for NearPairs<'_, '_, S> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, meter: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let heard = &mut self.heard;
        let (pair, within) = (heard.pair, heard.within);
        let leaves = LeafPair::new(pair, a, b);
        let mut tell = |candidate: &Candidate, _| heard.tell(candidate);
        if self.batch.add(self.simd, &leaves, &pair.frames, within, &mut tell).is_err() {
            for lane in bits(leaves.valid) {
                if !meter.allows_costly() {
                    return ControlFlow::Break(Ended::OutOfBudget);
                }
                let (a, b) = leaves.triangles(lane);
                let distance = pair.triangles(a, b).distance();
                self.heard.tell(&Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b });
            }
        }
        ControlFlow::Continue(())
    }
}

/// A mesh whose features are compared, placed in the frame of A.
struct Half<'a> {
    model: &'a MeshModel,
    features: &'a MeshFeatures,
    a_from_self: Option<RelativePose>,
    is_solid: bool,
}

impl Half<'_> {
    fn point(&self, vertex: u32) -> DVec3 {
        let own = self.model.mesh.vertices()[vertex as usize];
        self.a_from_self.as_ref().map_or(own, |pose| pose.transform_point(own))
    }

    fn vector(&self, own: DVec3) -> DVec3 {
        self.a_from_self.as_ref().map_or(own, |pose| pose.rotation * own)
    }

    fn corners(&self, triangle: u32) -> [u32; 3] {
        self.model.mesh.triangles()[triangle as usize].map(|v| self.features.place[v as usize])
    }

    fn normal(&self, triangle: u32) -> DVec3 {
        self.vector(self.features.normals[triangle as usize])
    }

    /// Where the body lies, seen from one of its vertices: the middle of the ways along its edges.
    fn rest_of(&self, vertex: u32) -> DVec3 {
        let from = self.point(vertex);
        self.features.neighbours(vertex).iter().map(|&to| unit(self.point(to) - from)).sum()
    }

    /// The sum of the normals at an edge, or zero.
    fn edge_normal(&self, edge: u32) -> DVec3 {
        self.features.sides(edge).iter().map(|side| self.normal(side.triangle)).sum()
    }

    fn rays_of(&self, vertex: u32) -> impl Iterator<Item = DVec3> + Clone {
        let from = self.point(vertex);
        self.features.neighbours(vertex).iter().map(move |&to| unit(self.point(to) - from))
    }

    fn normals_at(&self, vertex: u32) -> impl Iterator<Item = DVec3> + Clone {
        self.features.triangles_at(vertex).iter().map(|&triangle| self.normal(triangle))
    }

    /// Whether, going along `out` from an edge, one gets away from all its faces, up to `slack`.
    fn edge_lets(&self, edge: u32, out: DVec3, slack: f64) -> bool {
        let away = |side: &Side| out.dot(self.vector(side.inward)) <= slack;
        self.features.sides(edge).iter().all(away)
            && (!self.is_solid || self.edge_normal(edge).dot(out) >= -slack)
    }

    fn vertex_lets(&self, vertex: u32, out: DVec3, slack: f64) -> bool {
        let from = self.point(vertex);
        self.features.neighbours(vertex).iter().all(|&to| out.dot(unit(self.point(to) - from)) <= slack)
    }
}

struct Features<'a> {
    halves: [Half<'a>; 2],
    world_from_a: noli_geom::Pose,
    near: Near,
    /// Between the cores.
    reach: f64,
    /// Points nearer than this are not told apart.
    rounding: f64,
}

impl<'a> Features<'a> {
    fn new(pair: &Pair<'_>, a: &MeshAt<'a>, b: &MeshAt<'a>, near: &Near) -> Self {
        let a_from_b = RelativePose::new(&a.world_from_self, &b.world_from_self);
        let reach = near.within.max(0.0) + near.radii[0] + near.radii[1];
        let size = pair.a.packed.reach + pair.b.packed.reach + a_from_b.translation.length();
        let half = |model: &'a MeshModel, a_from_self, is_solid| Half {
            model,
            features: model.features(),
            a_from_self,
            is_solid,
        };
        Self {
            halves: [
                half(a.model, None, near.solid[0]),
                half(b.model, (!a_from_b.is_identity()).then_some(a_from_b), near.solid[1]),
            ],
            world_from_a: a.world_from_self,
            near: *near,
            reach,
            rounding: 256.0 * UNIT_ROUNDOFF * size,
        }
    }

    /// Look at the features that are looked at with a triangle of each.
    fn of_triangles(&self, x: u32, y: u32, raw: &mut Vec<RawContact>) {
        let triangles = [x, y];
        for side in 0..2 {
            let (own, other) = (triangles[side], triangles[1 - side]);
            let half = &self.halves[side];
            let corners = half.corners(own);
            for k in 0..3 {
                let vertex = corners[k];
                let is_first =
                    half.features.first_triangle[vertex as usize] == own && !corners[..k].contains(&vertex);
                if is_first && half.features.sharp[vertex as usize] {
                    self.vertex_and_triangle(side, vertex, other, raw);
                }
            }
        }
        let edges = [0, 1].map(|side| {
            let features = self.halves[side].features;
            let own = triangles[side];
            features.edge_of[own as usize].map(|edge| {
                let counts = edge != NONE && {
                    let edge = &features.edges[edge as usize];
                    edge.is_sharp && edge.first_triangle == own
                };
                if counts { edge } else { NONE }
            })
        });
        for i in 0..3 {
            for k in 0..3 {
                let (e, f) = (edges[0][i], edges[1][k]);
                // A degenerate triangle has the same edge twice.
                let again = edges[0][..i].contains(&e) || edges[1][..k].contains(&f);
                if e != NONE && f != NONE && !again {
                    self.two_edges(e, f, raw);
                }
            }
        }
    }

    /// A vertex of one side and a triangle of the other.
    fn vertex_and_triangle(&self, side: usize, vertex: u32, triangle: u32, raw: &mut Vec<RawContact>) {
        let (own, other) = (&self.halves[side], &self.halves[1 - side]);
        let p = own.point(vertex);
        let corners = other.corners(triangle);
        let (mut foot, place) = nearest_on_triangle(p, corners.map(|v| other.point(v)));
        if let Place::Edge(k) = place {
            // The same from whichever triangle it is seen.
            let [from, to] = other.features.edges[other.features.edge_of[triangle as usize][k] as usize]
                .ends
                .map(|v| other.point(v));
            let along = to - from;
            foot = from + along * (along.dot(p - from) / along.length_squared());
        }
        let away = p - foot;
        let gap = away.length();
        if !(gap <= self.reach) {
            return;
        }
        let touches = gap <= self.rounding;
        let (out, slack) = (unit(away), FLAT * gap + self.rounding);
        let in_face = |triangle: u32| {
            let normal = other.normal(triangle);
            let height = away.dot(normal);
            // Towards the vertex: as it stands, or as its body does.
            let is_above = if touches { own.rest_of(vertex).dot(normal) >= 0.0 } else { height >= 0.0 };
            if other.is_solid && !touches && height < 0.0 {
                return None;
            }
            let is_above = is_above || other.is_solid;
            let region = other.features.region[triangle as usize];
            Some((Part::Face(region), triangle, if is_above { normal } else { -normal }))
        };
        let edge_at = |k: usize| other.features.edge_of[triangle as usize][k];
        let found = match place {
            Place::Inside => in_face(triangle),
            Place::Edge(k) => {
                let edge = edge_at(k);
                let known = &other.features.edges[edge as usize];
                if !known.is_sharp || known.is_concave && touches {
                    // Within a wall, or in the bottom of a groove, it is the walls that are near.
                    let flat = away.dot(other.vector(other.features.sides(edge)[0].inward)).abs() <= slack;
                    if touches || flat { in_face(triangle) } else { None }
                } else if touches {
                    let sides = other.features.sides(edge).iter();
                    let rays = sides.clone().map(|side| other.vector(side.inward));
                    let walls = sides.map(|side| other.normal(side.triangle));
                    Some((Part::Edge(edge), NONE, apart((own, vertex), rays, walls)))
                } else {
                    other.edge_lets(edge, away, slack).then_some((Part::Edge(edge), NONE, out))
                }
            }
            Place::Corner(k) => {
                let corner = corners[k];
                if touches {
                    let normal = apart((own, vertex), other.rays_of(corner), other.normals_at(corner));
                    Some((Part::Vertex(corner), NONE, normal))
                } else if other.vertex_lets(corner, away, slack) {
                    // Within a wall it is the wall.
                    let flat =
                        !other.features.sharp[corner as usize]
                            && other.features.neighbours(corner).iter().all(|&to| {
                                away.dot(unit(other.point(to) - other.point(corner))).abs() <= slack
                            });
                    if flat && other.normal(triangle) != DVec3::ZERO {
                        in_face(triangle)
                    } else {
                        Some((Part::Vertex(corner), NONE, out))
                    }
                } else {
                    None
                }
            }
        };
        let Some((part, face, towards)) = found else { return };
        // From A to B.
        let normal = if side == 0 { -towards } else { towards };
        let (key, faces, points) = if side == 0 {
            ([Part::Vertex(vertex), part], [NONE, face], [p, foot])
        } else {
            ([part, Part::Vertex(vertex)], [face, NONE], [foot, p])
        };
        raw.push(RawContact { key, face: faces, points, normal, gap });
    }

    fn two_edges(&self, e: u32, f: u32, raw: &mut Vec<RawContact>) {
        let [half_a, half_b] = &self.halves;
        let (ends_a, ends_b) =
            (half_a.features.edges[e as usize].ends, half_b.features.edges[f as usize].ends);
        let [p0, p1] = ends_a.map(|v| half_a.point(v));
        let [q0, q1] = ends_b.map(|v| half_b.point(v));
        let (along_a, along_b) = (p1 - p0, q1 - q0);
        let across = along_a.cross(along_b);
        // The square of the sine of their angle, and the two parameters.
        let square = across.length_squared();
        let lengths = along_a.length_squared() * along_b.length_squared();
        if !(square > PARALLEL * PARALLEL * lengths) {
            return;
        }
        let between = q0 - p0;
        let s = between.cross(along_b).dot(across) / square;
        let t = between.cross(along_a).dot(across) / square;
        // At an end it is the vertex there that is near.
        let within = |x: f64, length_squared: f64| {
            let end = self.rounding / length_squared.sqrt();
            x > end && x < 1.0 - end
        };
        if !(within(s, along_a.length_squared()) && within(t, along_b.length_squared())) {
            return;
        }
        let (p, q) = (p0 + along_a * s, q0 + along_b * t);
        let gap = (q - p).length();
        if !(gap <= self.reach) {
            return;
        }
        let square_to_both = unit(across);
        let normal = if gap > self.rounding {
            if square_to_both.dot(q - p) >= 0.0 { square_to_both } else { -square_to_both }
        } else {
            let rest = |half: &Half<'_>, edge: u32| -> DVec3 {
                half.features.sides(edge).iter().map(|side| half.vector(side.inward)).sum()
            };
            if square_to_both.dot(rest(half_b, f) - rest(half_a, e)) >= 0.0 {
                square_to_both
            } else {
                -square_to_both
            }
        };
        if half_a.edge_lets(e, normal, FLAT) && half_b.edge_lets(f, -normal, FLAT) {
            let key = [Part::Edge(e), Part::Edge(f)];
            raw.push(RawContact { key, face: [NONE; 2], points: [p, q], normal, gap });
        }
    }

    /// Each once, by feature; in the world, with the user's numbers.
    fn finish(&self, raw: &mut Vec<RawContact>, found: &mut Vec<FeatureContact>) {
        raw.sort_unstable_by_key(|contact| (contact.key, contact.face));
        raw.dedup_by(|again, first| again.key == first.key);
        for contact in &*raw {
            let spot = |side: usize| {
                let half = &self.halves[side];
                let mesh = &half.model.mesh;
                let feature = match contact.key[side] {
                    Part::Vertex(v) => Feature::Vertex(mesh.user_vertex(v)),
                    Part::Edge(e) => {
                        Feature::Edge(half.features.edges[e as usize].ends.map(|v| mesh.user_vertex(v)))
                    }
                    Part::Face(_) => Feature::Face(mesh.user_face(contact.face[side])),
                };
                let out = contact.normal * (self.near.radii[side] * if side == 0 { 1.0 } else { -1.0 });
                Spot::on(self.world_from_a.transform_point(contact.points[side] + out), feature)
            };
            let normal = unit(self.world_from_a.transform_vector(contact.normal));
            let gap = contact.gap - self.near.radii[0] - self.near.radii[1];
            found.push(FeatureContact { on_a: spot(0), on_b: spot(1), normal, gap });
        }
    }
}

/// The direction in which a vertex best leaves a feature that it touches, among the normals of both: so that the rays in
/// which its body goes on lead away, and those of the other body back.
fn apart(
    (own, vertex): (&Half<'_>, u32),
    rays: impl Iterator<Item = DVec3> + Clone,
    walls: impl Iterator<Item = DVec3> + Clone,
) -> DVec3 {
    let mut best = (f64::NEG_INFINITY, unit(own.rest_of(vertex)));
    let sums = [walls.clone().sum::<DVec3>(), own.normals_at(vertex).sum()].map(unit);
    for wall in sums.into_iter().chain(walls).chain(own.normals_at(vertex)) {
        for normal in [wall, -wall] {
            let all = || own.rays_of(vertex).chain(rays.clone().map(|ray| -ray)).map(|ray| ray.dot(normal));
            let worst = all().fold(1.0, f64::min);
            // Of those that lead apart, the one that does so most.
            let rank = if worst >= -FLAT { all().sum::<f64>() } else { 1e6 * worst };
            if rank > best.0 {
                best = (rank, normal);
            }
        }
    }
    if best.1 == DVec3::ZERO { DVec3::Z } else { best.1 }
}

/// Sine of the angle up to which edges are parallel: what they would say, their ends say.
const PARALLEL: f64 = 1e-6;

/// Where on a triangle a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Inside,
    /// On the side from this corner to the next.
    Edge(usize),
    Corner(usize),
}

/// The point of a triangle nearest to `p` (Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5).
fn nearest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Place) {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    if normal.length_squared() <= 1e-24 * ab.length_squared() * ac.length_squared() {
        return nearest_on_sides(p, [a, b, c]);
    }
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Place::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Place::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Place::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Place::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Place::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Place::Edge(1));
    }
    // By the height over the plane: its normal is known better than a sum of three corners.
    (p - normal * (ap.dot(normal) / normal.length_squared()), Place::Inside)
}

fn nearest_on_sides(p: DVec3, corners: [DVec3; 3]) -> (DVec3, Place) {
    let mut best = (corners[0], Place::Corner(0));
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let along = to - from;
        let t = along.dot(p - from) / along.length_squared();
        let found = if !(t > 0.0) {
            (from, Place::Corner(k))
        } else if t >= 1.0 {
            (to, Place::Corner((k + 1) % 3))
        } else {
            (from + along * t, Place::Edge(k))
        };
        if found.0.distance_squared(p) < best.0.distance_squared(p) {
            best = found;
        }
    }
    best
}
