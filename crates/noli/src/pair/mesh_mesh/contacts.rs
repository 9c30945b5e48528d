//! All vertices near faces and edges near edges.
//!
//! The one walk finds the pairs of triangles that are near enough, by brackets that miss none. Of such a pair, a vertex is
//! looked at with the first triangle that has it, and so is an edge, so that every pair of features is looked at once.
//!
//! A vertex and a face, or two edges, are a contact where their nearest points are. Where the nearest point of a face is on
//! its rim, it is the edge or corner there that is near, and counts only if nothing around either is nearer: else the
//! seams within a wall would hold back what slides along it. Edges and vertices within a plane, and vertices within a
//! straight edge, are no features: what they would say follows from those around.
//!
//! Features that touch have no direction between their nearest points. What parts them then is a cone of directions, that
//! in which the ways in which both surfaces go on lead apart; its middle is the normal. Where it is empty, as in a groove,
//! it is the faces that are touched.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, Start, bits, start};
use crate::answer::{Coverage, Feature, FeatureContact, Spot};
use crate::budget::Meter;
use crate::context::Ask;
use crate::model::features::{FLAT, Held, MeshFeatures, NONE, unit};
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
    let features = Features::new(a, b, near);
    let mut raw = ask.scratch.take_contacts();
    let within = features.reach / features.scale;
    let coverage = near_faces(a, b, within, ask, &mut |x, y| features.of_triangles(x, y, &mut raw));
    features.finish(&mut raw, found);
    ask.scratch.put_contacts(raw);
    coverage
}

/// The same from all pairs of triangles, for tests.
pub(crate) fn contacts_of_all(a: &MeshAt<'_>, b: &MeshAt<'_>, near: &Near) -> Vec<FeatureContact> {
    let features = Features::new(a, b, near);
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
    /// The vertex, the edge, or the triangle of the face that the point lies in.
    member: [u32; 2],
    /// In a unit of the pair's size.
    points: [DVec3; 2],
    normal: DVec3,
}

/// A feature: an edge by its straight line, a face by its flat region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// Tell of all pairs of triangles, of A and B, that may be within a distance; whether these are all.
pub(crate) fn near_faces(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Coverage {
    let pair = match start(a, b) {
        Start::Empty => return Coverage::Whole,
        Start::BadPose => return Coverage::Part,
        Start::Ready(pair) => pair,
    };
    let ended = near_triangles(&pair, within, ask, &mut |x, y| {
        let (x, y) = pair.in_given_order(x, y);
        listener(x, y);
    });
    if ended == Ended::Exhausted { Coverage::Whole } else { Coverage::Part }
}

/// The same in the order of the pair.
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

/// A mesh whose features are compared, placed in the frame of A and measured in a unit of the pair's size.
struct Half<'a> {
    model: &'a MeshModel,
    features: &'a MeshFeatures,
    a_from_self: Option<RelativePose>,
    is_solid: bool,
    /// A power of two.
    scale: f64,
}

impl Half<'_> {
    fn point(&self, vertex: u32) -> DVec3 {
        let own = self.model.mesh.vertices()[vertex as usize];
        self.scale * self.a_from_self.as_ref().map_or(own, |pose| pose.transform_point(own))
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

    fn ends(&self, edge: u32) -> [DVec3; 2] {
        self.features.edges[edge as usize].ends.map(|v| self.point(v))
    }

    fn along(&self, edge: u32) -> DVec3 {
        let [from, to] = self.ends(edge);
        unit(to - from)
    }

    /// How far a point is from a triangle, or from those in one plane with it beside it.
    fn wall_distance(&self, p: DVec3, triangle: u32) -> f64 {
        let to = |triangle: u32| {
            nearest_on_triangle(p, self.corners(triangle).map(|v| self.point(v))).0.distance(p)
        };
        let flat = |&edge: &u32| edge != NONE && !self.features.edges[edge as usize].is_sharp;
        let seams = self.features.edge_of[triangle as usize].into_iter().filter(flat);
        let beside = seams.flat_map(|edge| self.features.sides(edge)).map(|side| to(side.triangle));
        beside.fold(to(triangle), f64::min)
    }

    /// What a point of a triangle is part of.
    fn held(&self, triangle: u32, place: Place) -> Held {
        let held = match place {
            Place::Inside => Held::Face(triangle),
            Place::Edge(k) => Held::Edge(self.features.edge_of[triangle as usize][k]),
            Place::Corner(k) => self.features.held[self.corners(triangle)[k] as usize],
        };
        match held {
            Held::Edge(edge) if !self.features.edges[edge as usize].is_sharp => Held::Face(triangle),
            Held::Face(_) => Held::Face(triangle),
            _ => held,
        }
    }

    /// The ways in which the surface goes on from a corner or an edge.
    fn each_ray(&self, held: Held, mut visit: impl FnMut(DVec3)) {
        match held {
            Held::Corner(vertex) => {
                let from = self.point(vertex);
                self.features.neighbours(vertex).iter().for_each(|&to| visit(unit(self.point(to) - from)));
            }
            Held::Edge(edge) => {
                let along = self.along(edge);
                [along, -along].into_iter().for_each(&mut visit);
                self.features.sides(edge).iter().for_each(|side| visit(self.vector(side.inward)));
            }
            Held::Face(_) => {}
        }
    }

    /// The sum of the rays: where the body lies.
    fn rest(&self, held: Held) -> DVec3 {
        let mut sum = DVec3::ZERO;
        self.each_ray(held, |ray| sum += ray);
        sum
    }

    /// The mean normal there.
    fn outward(&self, held: Held) -> DVec3 {
        match held {
            Held::Corner(vertex) => self.vector(self.features.outward[vertex as usize]),
            Held::Edge(edge) => {
                unit(self.features.sides(edge).iter().map(|side| self.normal(side.triangle)).sum())
            }
            Held::Face(triangle) => self.normal(triangle),
        }
    }

    /// Whether `out` leads out of a solid, up to `slack`.
    fn faces(&self, held: Held, out: DVec3, slack: f64) -> bool {
        !self.is_solid || self.outward(held).dot(out) >= -slack
    }

    /// Whether nothing around is nearer to what is far away along `out`, up to `slack`.
    fn is_nearest(&self, held: Held, out: DVec3, slack: f64) -> bool {
        let mut most = f64::NEG_INFINITY;
        self.each_ray(held, |ray| most = most.max(ray.dot(out)));
        most <= slack && self.faces(held, out, slack)
    }

    /// `out`, square to the edge along `along` from which a corner leans over what it is about to lie on; `None` where
    /// something around the corner is nearer.
    fn upright(&self, corner: Held, out: DVec3, slack: f64, along: DVec3) -> Option<DVec3> {
        let (mut upright, mut is_nearest) = (out, self.faces(corner, out, LEAN));
        self.each_ray(corner, |ray| {
            let lean = ray.dot(out);
            let runs_along = ray.dot(along).abs() > 1.0 - LEAN;
            is_nearest &= lean <= if runs_along { LEAN } else { slack };
            upright -= ray * lean.max(0.0);
        });
        is_nearest.then_some(unit(upright))
    }
}

struct Features<'a> {
    halves: [Half<'a>; 2],
    world_from_a: noli_geom::Pose,
    near: Near,
    /// A power of two: from lengths to the pair's unit.
    scale: f64,
    /// Between the cores, in the pair's unit.
    reach: f64,
    /// Points nearer than this are not told apart.
    rounding: f64,
}

/// Two features with the points where they are nearest: of A and of B.
#[derive(Clone, Copy)]
struct Meeting {
    held: [Held; 2],
    points: [DVec3; 2],
}

impl<'a> Features<'a> {
    fn new(a: &MeshAt<'a>, b: &MeshAt<'a>, near: &Near) -> Self {
        let a_from_b = RelativePose::new(&a.world_from_self, &b.world_from_self);
        let reach = near.within.max(0.0) + near.radii[0] + near.radii[1];
        let size = a.model.packed.reach + b.model.packed.reach + a_from_b.translation.length();
        let scale = power_of_two_below(1.0 / size);
        let half = |model: &'a MeshModel, a_from_self, is_solid| Half {
            model,
            features: model.features(),
            a_from_self,
            is_solid,
            scale,
        };
        Self {
            halves: [
                half(a.model, None, near.solid[0]),
                half(b.model, (!a_from_b.is_identity()).then_some(a_from_b), near.solid[1]),
            ],
            world_from_a: a.world_from_self,
            near: *near,
            scale,
            reach: reach * scale,
            rounding: 4096.0 * UNIT_ROUNDOFF * (size * scale),
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
                if is_first && half.features.is_corner(vertex) {
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

    /// A corner of one side and a triangle of the other.
    fn vertex_and_triangle(&self, side: usize, vertex: u32, triangle: u32, raw: &mut Vec<RawContact>) {
        let (own, other) = (&self.halves[side], &self.halves[1 - side]);
        let p = own.point(vertex);
        let (mut foot, place) = nearest_on_triangle(p, other.corners(triangle).map(|v| other.point(v)));
        let (corner, held) = (Held::Corner(vertex), other.held(triangle, place));
        if let Held::Edge(edge) = held {
            // The same from whichever triangle it is seen.
            let [from, to] = other.ends(edge);
            let along = to - from;
            foot = from + along * (along.dot(p - from) / along.length_squared());
        }
        let gap = p.distance(foot);
        if !(gap <= self.reach) {
            return;
        }
        let meeting = |held: Held, foot: DVec3| {
            let (held, points) = ([corner, held], [p, foot]);
            if side == 0 {
                Meeting { held, points }
            } else {
                Meeting { held: [held[1], held[0]], points: [foot, p] }
            }
        };
        let on_rim = match held {
            Held::Face(_) => None,
            // Where they touch, a body that goes on around an edge or corner lies against the faces there.
            _ if gap <= self.rounding => self.between(&meeting(held, foot)),
            _ => {
                // Where nothing around is nearer to either; an edge may lie nearly along the other.
                let (out, slack) = (unit(p - foot), FLAT + self.rounding / gap);
                let along = match held {
                    Held::Edge(edge) => other.along(edge),
                    _ => DVec3::ZERO,
                };
                let back = own.upright(corner, -out, slack, along);
                let back = back.filter(|_| other.is_nearest(held, out, slack));
                back.map(|back| if side == 0 { back } else { -back })
            }
        };
        if let Some(normal) = on_rim {
            return self.add(&meeting(held, foot), normal, raw);
        }
        if let Some((out, foot)) = self.over_face(side, vertex, triangle, foot) {
            let face = Held::Face(triangle);
            self.add(&meeting(face, foot), if side == 0 { -out } else { out }, raw);
        }
    }

    /// The normal of a face towards a corner of a side, and the foot of the corner in its plane, if it is over the face or
    /// over walls that rise beside it: these it would leave only into the face. `nearest` is the point of the face nearest to
    /// the corner.
    fn over_face(&self, side: usize, vertex: u32, triangle: u32, nearest: DVec3) -> Option<(DVec3, DVec3)> {
        let (own, other) = (&self.halves[side], &self.halves[1 - side]);
        let (p, normal, corner) = (own.point(vertex), other.normal(triangle), Held::Corner(vertex));
        if normal == DVec3::ZERO {
            return None;
        }
        let (height, gap) = ((p - nearest).dot(normal), p.distance(nearest));
        let touches = gap <= self.rounding;
        let is_above =
            if touches { other.is_solid || own.rest(corner).dot(normal) >= 0.0 } else { height >= 0.0 };
        let out = if is_above { normal } else { -normal };
        let foot = p - normal * height;
        let is_over = touches || foot.distance(nearest) <= 2.0 * FLAT * gap + self.rounding;
        let counts = (is_over
            || height.abs() > self.rounding && self.beside_walls(side, triangle, (p, foot), out))
            && other.faces(Held::Face(triangle), out, 0.0)
            && own.faces(corner, -out, LEAN);
        counts.then_some((out, if is_over { nearest } else { foot }))
    }

    /// Whether the foot of a point in the plane of a triangle, of the other side, is beyond none of its edges but such from
    /// which a wall rises along `out` that has the point in front of it, as it has the triangle.
    fn beside_walls(&self, side: usize, triangle: u32, (p, foot): (DVec3, DVec3), out: DVec3) -> bool {
        let other = &self.halves[1 - side];
        let corners = other.corners(triangle).map(|v| other.point(v));
        let normal = other.normal(triangle);
        (0..3).all(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            let inward = normal.cross(to - from);
            if inward.dot(foot - from) >= 0.0 {
                return true;
            }
            let edge = other.features.edge_of[triangle as usize][k];
            let wall = match if edge == NONE { &[] } else { other.features.sides(edge) } {
                [x, y] if x.triangle == triangle => y,
                [x, y] if y.triangle == triangle => x,
                _ => return false,
            };
            let face = other.normal(wall.triangle);
            let front = if face.dot(inward) >= 0.0 { face } else { -face };
            other.vector(wall.inward).dot(out) > FLAT
                && front.dot(p - from) >= -self.rounding
                && other.wall_distance(p, wall.triangle) <= p.distance(foot)
        })
    }

    fn two_edges(&self, e: u32, f: u32, raw: &mut Vec<RawContact>) {
        let [half_a, half_b] = &self.halves;
        let ([p0, p1], [q0, q1]) = (half_a.ends(e), half_b.ends(f));
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
        let points = [p0 + along_a * s, q0 + along_b * t];
        let between = points[1] - points[0];
        let gap = between.length();
        let beyond = |x: f64, along: DVec3| (-x).max(x - 1.0).max(0.0) * along.length();
        if !(gap + beyond(s, along_a) + beyond(t, along_b) <= self.reach) {
            return;
        }
        let held = [Held::Edge(e), Held::Edge(f)];
        let parts = |normal: &DVec3| {
            (gap <= self.rounding || normal.dot(between) >= 0.0)
                && half_a.is_nearest(held[0], *normal, LEAN)
                && half_b.is_nearest(held[1], -*normal, LEAN)
                && self.runs_to(half_a, (e, s), (points[1], gap), *normal)
                && self.runs_to(half_b, (f, t), (points[0], gap), -*normal)
        };
        let square_to_both = unit(across);
        if let Some(normal) = [square_to_both, -square_to_both].into_iter().find(parts) {
            self.add(&Meeting { held, points }, normal, raw);
        }
    }

    /// Whether an edge runs on to a share of its length. At an end it is the corner there that is near, if it is one; but
    /// where the surface goes on and rises along `out`, nearer to the point than the edge's line, that lies below it, and is
    /// met by what leaves it.
    fn runs_to(
        &self,
        half: &Half<'_>,
        (edge, share): (u32, f64),
        (p, gap): (DVec3, f64),
        out: DVec3,
    ) -> bool {
        let ends = half.features.edges[edge as usize].ends;
        let [from, to] = half.ends(edge);
        let (along, length) = (unit(to - from), from.distance(to));
        [(share, -along), (1.0 - share, along)].into_iter().zip(ends).all(|((share, on), end)| {
            let beyond = -share * length;
            let is_corner = half.features.is_corner(end);
            let rises = || {
                let corner = half.point(end);
                half.features.neighbours(end).iter().any(|&other| {
                    let way = half.point(other) - corner;
                    let ray = unit(way);
                    let share = (way.dot(p - corner) / way.length_squared()).clamp(0.0, 1.0);
                    let rises = ray.dot(on) > 0.5 && ray.dot(out) > LEAN;
                    rises && (corner + way * share).distance(p) <= gap
                })
            };
            beyond < if is_corner { -self.rounding } else { self.rounding }
                || is_corner && beyond > self.rounding && rises()
        })
    }

    /// The direction from A to B in which features that touch part: the middle of all for which every ray of B leads on and
    /// every ray of A back. `None` if there is none, as where a corner is in a groove.
    fn between(&self, meeting: &Meeting) -> Option<DVec3> {
        let (mut rays, mut count) = ([DVec3::ZERO; MOST_RAYS], 0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            self.halves[side].each_ray(meeting.held[side], |ray| {
                let ray = ray * sign;
                if count < MOST_RAYS && !rays[..count].iter().any(|known| known.abs_diff_eq(ray, FLAT)) {
                    rays[count] = ray;
                    count += 1;
                }
            });
        }
        let rays = &rays[..count];
        let parts = |normal: DVec3| rays.iter().all(|ray| ray.dot(normal) >= -4.0 * FLAT);
        let mut sum = DVec3::ZERO;
        for (i, x) in rays.iter().enumerate() {
            for y in &rays[i + 1..] {
                // The directions that part form a cone, whose edges are square to two rays.
                let corner = unit(x.cross(*y));
                sum += [corner, -corner].into_iter().filter(|&normal| parts(normal)).sum::<DVec3>();
            }
        }
        let normal = unit(sum);
        (count < MOST_RAYS && normal != DVec3::ZERO && parts(normal)).then_some(normal)
    }

    fn add(&self, meeting: &Meeting, normal: DVec3, raw: &mut Vec<RawContact>) {
        let key = [0, 1].map(|side| {
            let features = self.halves[side].features;
            match meeting.held[side] {
                Held::Corner(vertex) => Part::Vertex(vertex),
                Held::Edge(edge) => Part::Edge(features.edges[edge as usize].line),
                Held::Face(triangle) => Part::Face(features.region[triangle as usize]),
            }
        });
        let member = meeting.held.map(|held| match held {
            Held::Corner(number) | Held::Edge(number) | Held::Face(number) => number,
        });
        raw.push(RawContact { key, member, points: meeting.points, normal });
    }

    /// Each once, by feature; in the world, with the user's numbers.
    fn finish(&self, raw: &mut Vec<RawContact>, found: &mut Vec<FeatureContact>) {
        raw.sort_unstable_by_key(|contact| (contact.key, contact.member));
        raw.dedup_by(|again, first| again.key == first.key);
        for contact in &*raw {
            let points = contact.points.map(|point| point / self.scale);
            let spot = |side: usize| {
                let half = &self.halves[side];
                let (mesh, member) = (&half.model.mesh, contact.member[side]);
                let feature = match contact.key[side] {
                    Part::Vertex(_) => Feature::Vertex(mesh.user_vertex(member)),
                    Part::Edge(_) => {
                        Feature::Edge(half.features.edges[member as usize].ends.map(|v| mesh.user_vertex(v)))
                    }
                    Part::Face(_) => Feature::Face(mesh.user_face(member)),
                };
                let out = contact.normal * (self.near.radii[side] * if side == 0 { 1.0 } else { -1.0 });
                Spot::on(self.world_from_a.transform_point(points[side] + out), feature)
            };
            let normal = unit(self.world_from_a.transform_vector(contact.normal));
            let gap = points[0].distance(points[1]) - self.near.radii[0] - self.near.radii[1];
            found.push(FeatureContact { on_a: spot(0), on_b: spot(1), normal, gap });
        }
    }
}

/// The power of two at or below a positive number; 1 where there is none.
fn power_of_two_below(x: f64) -> f64 {
    let power = f64::from_bits(x.to_bits() & (0x7ff << 52));
    if power.is_normal() && x > 0.0 { power } else { 1.0 }
}

/// Sine of the angle by which a side may lean over what it is about to lie on and still count as lying: else a body that
/// is not quite flat would be held at one end only.
pub(crate) const LEAN: f64 = 1e-3;

/// Rays of two corners that touch at most; with more, it is the faces around that are told.
const MOST_RAYS: usize = 48;

/// Sine of the angle up to which edges are parallel: what they would say, their ends say.
const PARALLEL: f64 = 1e-6;

/// Where on a triangle a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Inside,
    /// On the side from this corner to the next.
    Edge(usize),
    Corner(usize),
}

/// The point of a triangle nearest to `p` (Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5).
pub(crate) fn nearest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Place) {
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
