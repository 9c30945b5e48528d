//! Best-first search over pairs of patches (branch and bound).
//!
//! The lower bound of a pair is the greatest of three: the distance of its triangles less both deviations, the distance of
//! one patch from the whole surface of the other, and what a closed form proves for the two whole faces. Deviations shrink
//! with the square of the size of patches, so that near an isolated minimum the number of pairs stays bounded.

use super::Pair;
use super::view::View;
use crate::body::Content;
use crate::distance;
use crate::locate::Candidate;
use crate::patch::Patch;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use noli_geom::{Bracket, Triangle};
use std::collections::{BinaryHeap, HashMap};

/// When a search may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// The bracket is narrow.
    Distance,
    /// The distance is known to be more, or not more, than this.
    Threshold(f64),
    /// The distance of the surfaces exceeds the tolerance, or does not; `known` is proven already.
    Separation { known: f64 },
}

/// Two faces that come near each other at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) point: DVec3,
    pub(super) faces: [usize; 2],
    /// Outward normals.
    pub(super) normals: [DVec3; 2],
}

pub(super) struct Found {
    pub(super) bracket: Bracket,
    pub(super) meetings: Vec<Meeting>,
}

/// Most meetings that are kept.
const MAX_MEETINGS: usize = 16;

#[derive(Clone, Copy)]
enum Item {
    Nodes(u32, u32),
    Patches(u32, u32),
}

/// The patches of one body as they are split.
struct Patches<'p, 'b> {
    view: &'p View<'b>,
    patches: Vec<Patch>,
    placed: Vec<Triangle>,
    halves: HashMap<u32, [u32; 2]>,
}

impl<'p, 'b> Patches<'p, 'b> {
    fn new(view: &'p View<'b>) -> Self {
        let patches = view.body.patches.clone();
        let placed = patches.iter().map(|patch| Triangle { vertices: view.triangle(patch) }).collect();
        Self { view, patches, placed, halves: HashMap::new() }
    }

    fn halves(&mut self, number: u32) -> [u32; 2] {
        if let Some(&halves) = self.halves.get(&number) {
            return halves;
        }
        let patch = self.patches[number as usize];
        let body = self.view.body;
        let first = self.patches.len() as u32;
        for half in patch.split(&body.faces[patch.face as usize], &body.edges) {
            self.placed.push(Triangle { vertices: self.view.triangle(&half) });
            self.patches.push(half);
        }
        self.halves.insert(number, [first, first + 1]);
        [first, first + 1]
    }

    /// The point of the face over a point of a triangle, and its parameters.
    fn over(&self, number: u32, point: DVec3) -> (DVec3, DVec2) {
        let patch = &self.patches[number as usize];
        let [a, b, c] = self.placed[number as usize].vertices;
        let (u, v, w) = (b - a, c - a, point - a);
        let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
        let (wu, wv) = (w.dot(u), w.dot(v));
        let determinant = uu * vv - uv * uv;
        let (mut s, mut t) = ((vv * wu - uv * wv) / determinant, (uu * wv - uv * wu) / determinant);
        if !(s.is_finite() && t.is_finite()) {
            (s, t) = (1.0 / 3.0, 1.0 / 3.0);
        }
        (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
        let sum = s + t;
        if sum > 1.0 {
            (s, t) = (s / sum, t / sum);
        }
        let at = patch.uv[0] + (patch.uv[1] - patch.uv[0]) * s + (patch.uv[2] - patch.uv[0]) * t;
        (self.view.point(self.view.body.faces[patch.face as usize].surface.point(at)), at)
    }
}

impl Patches<'_, '_> {
    /// The distance from a point to the patch: to the nearest point of its surface if that lies in the patch, else to
    /// the given place in it.
    fn toward(&self, number: u32, from: (DVec3, DVec2), place: (DVec3, DVec2)) -> f64 {
        let given = from.0.distance(place.0);
        let patch = &self.patches[number as usize];
        if self.view.surface(patch.face as usize).is_none() {
            return given;
        }
        let face = &self.view.body.faces[patch.face as usize];
        let uv = face.near_parameters(self.view.back(from.0), place.1);
        let [a, b, c] = patch.uv;
        let turns = [(b - a).perp_dot(uv - a), (c - b).perp_dot(uv - b), (a - c).perp_dot(uv - c)];
        let inside = turns.iter().all(|&t| t >= 0.0) || turns.iter().all(|&t| t <= 0.0);
        if inside { given.min(from.0.distance(self.view.point(face.surface.point(uv)))) } else { given }
    }
}

/// A search in progress.
pub(super) struct Search<'p, 'b> {
    pair: &'p Pair<'b>,
    a: Patches<'p, 'b>,
    b: Patches<'p, 'b>,
    heap: BinaryHeap<Candidate<Item>>,
    faces: HashMap<(u32, u32), f64>,
    at_most: f64,
    /// The least lower bound of pairs that cannot be refined.
    settled: f64,
    meetings: Vec<Meeting>,
    /// Distance up to which two points count as a meeting.
    near: f64,
}

impl<'p, 'b> Search<'p, 'b> {
    pub(super) fn new(pair: &'p Pair<'b>) -> Self {
        Self {
            pair,
            a: Patches::new(&pair.a),
            b: Patches::new(&pair.b),
            heap: BinaryHeap::new(),
            faces: HashMap::new(),
            at_most: f64::INFINITY,
            settled: f64::INFINITY,
            meetings: Vec::new(),
            near: (1e-5 * pair.a.body.size().min(pair.b.body.size())).max(pair.tolerance),
        }
    }

    pub(super) fn run(mut self, goal: Goal) -> Found {
        let (a, b) = (&self.pair.a.body.nodes, &self.pair.b.body.nodes);
        if a.is_empty() || b.is_empty() {
            return Found { bracket: Bracket::INFINITE, meetings: Vec::new() };
        }
        self.heap.push(Candidate { at_least: 0.0, size: f64::INFINITY, item: Item::Nodes(0, 0) });
        let mut steps = 0;
        while let Some(next) = self.heap.pop() {
            let lower = next.at_least.min(self.settled);
            steps += 1;
            if self.is_done(goal, lower) || steps > self.pair.budget {
                self.settled = lower;
                break;
            }
            match next.item {
                Item::Nodes(a, b) => self.open_nodes(a, b, next.at_least),
                Item::Patches(a, b) => self.open_patches(a, b, next.at_least),
            }
        }
        let at_least = self.settled.min(self.at_most);
        Found {
            bracket: Bracket { at_least: at_least.max(0.0), at_most: self.at_most },
            meetings: self.meetings,
        }
    }

    fn is_done(&self, goal: Goal, lower: f64) -> bool {
        match goal {
            Goal::Distance => lower >= self.at_most - self.pair.precision,
            Goal::Threshold(distance) => lower > distance || self.at_most <= distance,
            Goal::Separation { known } => {
                let enough = if known >= -self.pair.tolerance { 1 } else { MAX_MEETINGS };
                lower.max(known) > self.pair.tolerance
                    || (self.at_most <= self.pair.tolerance && self.meetings.len() >= enough)
            }
        }
    }

    fn open_nodes(&mut self, a: u32, b: u32, known: f64) {
        let (views, rounding) = ((&self.pair.a, &self.pair.b), self.pair.a.rounding + self.pair.b.rounding);
        let (na, nb) = (&views.0.body.nodes[a as usize], &views.1.body.nodes[b as usize]);
        let split_a = match (na.content, nb.content) {
            (Content::Patch(pa), Content::Patch(pb)) => return self.weigh(pa, pb, known),
            (Content::Children(_), Content::Children(_)) => na.radius >= nb.radius,
            (Content::Children(_), Content::Patch(_)) => true,
            (Content::Patch(_), Content::Children(_)) => false,
        };
        let children = match if split_a { na.content } else { nb.content } {
            Content::Children(children) => children,
            Content::Patch(_) => return,
        };
        for child in children {
            let (ca, cb) = if split_a { (child, b) } else { (a, child) };
            let (na, nb) = (&views.0.body.nodes[ca as usize], &views.1.body.nodes[cb as usize]);
            let centers = na.center.distance(views.1.point(nb.center));
            let at_least = (centers - na.radius - nb.radius - rounding).max(known);
            if at_least < self.at_most {
                let size = na.radius + nb.radius;
                self.heap.push(Candidate { at_least, size, item: Item::Nodes(ca, cb) });
            }
        }
    }

    fn open_patches(&mut self, a: u32, b: u32, known: f64) {
        let (da, db) = (self.a.patches[a as usize].deviation, self.b.patches[b as usize].deviation);
        let floor = 8.0 * (self.pair.a.rounding + self.pair.b.rounding);
        if da.max(db) <= floor {
            self.settled = self.settled.min(known);
            return;
        }
        // The distance from a whole sphere is known, so that its patches, many near a pole, need not be split.
        let is_round = |view: &View<'_>, patch: &Patch| {
            matches!(view.body.faces[patch.face as usize].surface, Surface::Sphere { .. })
        };
        let round = [
            is_round(&self.pair.a, &self.a.patches[a as usize]),
            is_round(&self.pair.b, &self.b.patches[b as usize]),
        ];
        let first = match round {
            [true, false] if known > 0.0 && db > floor => false,
            [false, true] if known > 0.0 && da > floor => true,
            _ => da >= db,
        };
        if first {
            for half in self.a.halves(a) {
                self.weigh(half, b, known);
            }
        } else {
            for half in self.b.halves(b) {
                self.weigh(a, half, known);
            }
        }
    }

    /// Bounds the distance of two patches and adds them to the search unless they cannot matter.
    fn weigh(&mut self, a: u32, b: u32, known: f64) {
        let (pa, pb) = (self.a.patches[a as usize], self.b.patches[b as usize]);
        let rounding = self.pair.a.rounding + self.pair.b.rounding;
        let room = pa.deviation + pb.deviation + rounding;
        let (flat, over_a, over_b) =
            distance::triangles(&self.a.placed[a as usize], &self.b.placed[b as usize]);
        let mut at_least = (flat - room).max(known);
        if at_least >= self.at_most {
            return;
        }
        at_least = at_least.max(self.face_bound(pa.face, pb.face));
        let beyond = |of: &View<'_>, face: u32, over: &View<'_>, patch: &Patch| {
            let range = of.surface(face as usize).and_then(|sigma| over.patch_range(sigma, patch));
            range.map_or(0.0, |[low, high]| low.max(-high) - rounding)
        };
        let bounds = [
            beyond(&self.pair.b, pb.face, &self.pair.a, &pa),
            beyond(&self.pair.a, pa.face, &self.pair.b, &pb),
        ];
        at_least = at_least.max(bounds[0]).max(bounds[1]);
        let mut upper = flat + room;
        let simple = self.pair.a.body.faces[pa.face as usize].is_simple
            && self.pair.b.body.faces[pb.face as usize].is_simple;
        if simple {
            if pa.is_inner() && pb.is_inner() {
                let (place_a, place_b) = (self.a.over(a, over_a), self.b.over(b, over_b));
                let found =
                    self.b.toward(b, place_a, place_b).min(self.a.toward(a, place_b, place_a)) + rounding;
                upper = upper.min(found);
                if at_least <= self.pair.tolerance && found <= self.near && self.meetings.len() < MAX_MEETINGS
                {
                    self.meet(place_a.0, [&pa, &pb], [place_a.1, place_b.1]);
                }
            }
            self.at_most = self.at_most.min(upper);
        }
        if at_least < self.at_most || at_least <= self.pair.tolerance {
            self.heap.push(Candidate { at_least, size: upper, item: Item::Patches(a, b) });
        } else {
            self.settled = self.settled.min(at_least);
        }
    }

    fn meet(&mut self, point: DVec3, patches: [&Patch; 2], parameters: [DVec2; 2]) {
        let views = [&self.pair.a, &self.pair.b];
        let normals = [0, 1].map(|k| {
            let face = &views[k].body.faces[patches[k].face as usize];
            let normal = views[k].vector(face.surface.normal(parameters[k])).normalize_or_zero();
            if face.same_sense { normal } else { -normal }
        });
        self.meetings.push(Meeting { point, faces: patches.map(|patch| patch.face as usize), normals });
    }

    /// What closed forms prove for the distance of two faces: how far one lies on one side of the other's surface.
    fn face_bound(&mut self, a: u32, b: u32) -> f64 {
        let pair = self.pair;
        *self.faces.entry((a, b)).or_insert_with(|| {
            let rounding = pair.a.rounding + pair.b.rounding;
            let beyond = |of: &View<'_>, face: u32, over: &View<'_>, other: u32| {
                let range = of.surface(face as usize).and_then(|sigma| over.range(sigma, other as usize));
                range.map_or(0.0, |[low, high]| low.max(-high) - rounding)
            };
            beyond(&pair.a, a, &pair.b, b).max(beyond(&pair.b, b, &pair.a, a)).max(0.0)
        })
    }
}
