//! Best-first search over pairs of patches (branch and bound).
//!
//! The lower bound of a pair is the greatest of three: the distance of its triangles less both deviations, the distance of
//! one patch from the whole surface of the other, and what a closed form proves for the two whole faces. Deviations shrink
//! with the square of the size of patches, so that near an isolated minimum the number of pairs stays bounded.

use super::Pair;
use super::boxes::Boxes;
use super::view::View;
use crate::body::{Brep, Content};
use crate::candidate::Candidate;
use crate::distance;
use crate::patch::Patch;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use noli_geom::Triangle;
use std::collections::{BinaryHeap, HashMap};

/// When a search may end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// The bracket is narrow; `known` is proven already.
    Distance { known: f64 },
    /// The distance is known to be more, or not more, than this.
    Threshold(f64),
    /// The same, or no more than `until` is left of the budget.
    Near { distance: f64, until: usize },
    /// The distance of the surfaces exceeds the tolerance, or does not and so many places were found; `known` is proven
    /// already.
    Separation { known: f64, meetings: usize },
    /// So many triangles of both bodies cross, or the distance of the surfaces exceeds the tolerance, or no more than
    /// `until` is left of the budget.
    Crossing { count: usize, until: usize },
}

/// Two faces that come near each other at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) point: DVec3,
    pub(super) faces: [usize; 2],
    /// Outward normals.
    pub(super) normals: [DVec3; 2],
}

/// Points of both bodies, in the common frame, and their faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Witness {
    pub(super) points: [DVec3; 2],
    pub(super) faces: [usize; 2],
}

/// Steps after which a search for one more meeting is given up.
const PATIENCE: usize = 300;
/// Most descents for a first upper bound.
const MAX_DESCENTS: usize = 4;
/// Most meetings that are kept.
pub(super) const MAX_MEETINGS: usize = 16;

#[derive(Clone, Copy)]
enum Item {
    Nodes(u32, u32),
    Patches(u32, u32),
}

/// The patches of one body as they are split.
struct Patches<'p, 'b> {
    view: &'p View<'b>,
    /// Halves of patches, numbered after those of the body.
    split: Vec<(Patch, Triangle)>,
    halves: HashMap<u32, [u32; 2]>,
}

impl<'p, 'b> Patches<'p, 'b> {
    fn new(view: &'p View<'b>) -> Self {
        Self { view, split: Vec::new(), halves: HashMap::new() }
    }

    fn get(&self, number: u32) -> (Patch, Triangle) {
        let own = &self.view.body.patches;
        match own.get(number as usize) {
            Some(patch) => (*patch, Triangle { vertices: self.view.triangle(patch) }),
            None => self.split[number as usize - own.len()],
        }
    }

    fn halves(&mut self, number: u32) -> [u32; 2] {
        if let Some(&halves) = self.halves.get(&number) {
            return halves;
        }
        let patch = self.get(number).0;
        let body = self.view.body;
        let first = (body.patches.len() + self.split.len()) as u32;
        for half in patch.split(&body.faces[patch.face as usize], &body.edges) {
            self.split.push((half, Triangle { vertices: self.view.triangle(&half) }));
        }
        self.halves.insert(number, [first, first + 1]);
        [first, first + 1]
    }

    /// The point of the face over a point of a triangle, and its parameters.
    fn over(&self, (patch, triangle): &(Patch, Triangle), point: DVec3) -> (DVec3, DVec2) {
        let at = patch.parameters_at(&triangle.vertices, point);
        (self.view.point(self.view.body.faces[patch.face as usize].surface.point(at)), at)
    }

    /// The nearest point of the surface if it lies in the patch, else the given place in it.
    fn toward(&self, patch: &Patch, from: DVec3, place: (DVec3, DVec2)) -> (DVec3, DVec2) {
        if self.view.surface(patch.face as usize).is_none() {
            return place;
        }
        let face = &self.view.body.faces[patch.face as usize];
        let uv = face.surface.near_parameters(self.view.back(from), place.1);
        let found = self.view.point(face.surface.point(uv));
        if patch.holds(uv) && from.distance(found) < from.distance(place.0) { (found, uv) } else { place }
    }

    /// A point of the trimmed face at a place of a patch, or on its boundary nearby and toward a target, with a bound on its
    /// error.
    fn land(&self, patch: &Patch, place: (DVec3, DVec2), target: DVec3) -> Option<(DVec3, f64)> {
        if patch.is_whole() {
            return Some((place.0, 0.0));
        }
        let body = self.view.body;
        let target = self.view.back(target);
        let (point, error) = body.faces[patch.face as usize].land(&body.edges, place.1, target)?;
        Some((self.view.point(point), error))
    }
}

/// A search in progress.
pub(super) struct Search<'p, 'b> {
    pair: &'p Pair<'b>,
    a: Patches<'p, 'b>,
    b: Patches<'p, 'b>,
    heap: BinaryHeap<Candidate<Item>>,
    boxes: Boxes,
    faces: HashMap<(u32, u32), f64>,
    pub(super) at_most: f64,
    /// Points about as close as `at_most`.
    pub(super) witness: Option<Witness>,
    /// The least lower bound of pairs that cannot be refined.
    settled: f64,
    pub(super) meetings: Vec<Meeting>,
    /// Triangles of patches that cross: faces cross about there, if they are not too coarse.
    pub(super) crossings: Vec<Meeting>,
    /// Distance up to which two points count as a meeting.
    near: f64,
    /// Width of brackets where edges miss their surfaces.
    gaps: f64,
    /// Steps since a contact was found.
    since_met: usize,
}

impl<'p, 'b> Search<'p, 'b> {
    pub(super) fn new(pair: &'p Pair<'b>) -> Self {
        let mut heap = BinaryHeap::new();
        if !pair.a.body.nodes.is_empty() && !pair.b.body.nodes.is_empty() {
            heap.push(Candidate { at_least: 0.0, size: f64::INFINITY, item: Item::Nodes(0, 0) });
        }
        Self {
            pair,
            a: Patches::new(&pair.a),
            b: Patches::new(&pair.b),
            heap,
            boxes: Boxes::new(pair.volumes, &pair.a, &pair.b),
            faces: HashMap::new(),
            at_most: f64::INFINITY,
            witness: None,
            settled: f64::INFINITY,
            meetings: Vec::new(),
            crossings: Vec::new(),
            since_met: 0,
            gaps: 16.0 * (pair.a.body.gap() + pair.b.body.gap()),
            near: (1e-5 * pair.a.body.size().min(pair.b.body.size())).max(pair.tolerance),
        }
    }

    /// Refines until the goal is reached or the budget is spent. Returns a lower bound of the distance.
    pub(super) fn advance(&mut self, goal: Goal) -> f64 {
        loop {
            let next = self.heap.peek().map_or(f64::INFINITY, |next| next.at_least);
            let lower = next.min(self.settled).min(self.at_most).max(0.0);
            if self.is_done(goal, lower) || !self.pair.spend(1) {
                return lower;
            }
            self.since_met += usize::from(self.at_most <= self.pair.tolerance);
            let Some(next) = self.heap.pop() else { return lower };
            match next.item {
                Item::Nodes(a, b) => self.open_nodes(a, b, next.at_least),
                Item::Patches(a, b) => self.open_patches(a, b, next.at_least),
            }
        }
    }

    fn is_done(&self, goal: Goal, lower: f64) -> bool {
        match goal {
            Goal::Distance { known } => {
                let lower = lower.max(known);
                // Patches at gaps between edges and surfaces bound the distance below, and are not refined.
                let is_best = lower >= self.settled && lower >= self.at_most - self.gaps;
                is_best || lower >= self.at_most - self.pair.precision
            }
            Goal::Crossing { count, until } => {
                self.crossings.len() >= count
                    || lower > self.pair.tolerance
                    || self.pair.budget.get() <= until
            }
            Goal::Near { distance, until } => {
                lower > distance || self.at_most <= distance || self.pair.budget.get() <= until
            }
            Goal::Threshold(distance) => lower > distance || self.at_most <= distance,
            Goal::Separation { known, meetings } => {
                let is_met = self.at_most <= self.pair.tolerance;
                lower.max(known) > self.pair.tolerance
                    || (is_met && (self.meetings.len() >= meetings || self.since_met > PATIENCE * meetings))
            }
        }
    }

    /// Bounds the distance from above at the leaves that descents along the nearest nodes lead to, each with the
    /// direction that the one before has found.
    pub(super) fn descend(&mut self) {
        let bodies = [self.pair.a.body, self.pair.b.body];
        if bodies.iter().any(|body| body.nodes.is_empty()) {
            return;
        }
        for _ in 0..MAX_DESCENTS {
            let last = self.at_most;
            let mut at = [0, 0];
            while let Some((side, children)) = divided(bodies, at) {
                let with = |child: u32| if side == 0 { [child, at[1]] } else { [at[0], child] };
                let bound = |[a, b]: [u32; 2]| {
                    self.boxes.distance(&bodies[0].nodes[a as usize], &bodies[1].nodes[b as usize])
                };
                let [first, second] = children.map(with);
                at = if bound(second) < bound(first) { second } else { first };
            }
            if let Some([a, b]) = leaves(bodies, at) {
                self.measure(a, b, 0.0);
            }
            if self.at_most >= last {
                break;
            }
        }
    }

    fn open_nodes(&mut self, a: u32, b: u32, known: f64) {
        let bodies = [self.pair.a.body, self.pair.b.body];
        let known =
            self.boxes.distance(&bodies[0].nodes[a as usize], &bodies[1].nodes[b as usize]).max(known);
        if known >= self.at_most {
            return;
        }
        let Some((side, children)) = divided(bodies, [a, b]) else {
            if let Some([a, b]) = leaves(bodies, [a, b]) {
                self.weigh(a, b, known);
            }
            return;
        };
        for child in children {
            let (a, b) = if side == 0 { (child, b) } else { (a, child) };
            let (na, nb) = (&bodies[0].nodes[a as usize], &bodies[1].nodes[b as usize]);
            let at_least = self.boxes.distance(na, nb).max(known);
            if at_least < self.at_most {
                self.heap.push(Candidate { at_least, size: na.radius + nb.radius, item: Item::Nodes(a, b) });
            }
        }
    }

    fn open_patches(&mut self, a: u32, b: u32, known: f64) {
        let (pa, pb) = (self.a.get(a).0, self.b.get(b).0);
        let (da, db) = (pa.deviation, pb.deviation);
        // Below the gaps between edges and surfaces halves of a patch gain nothing, and those of the other little.
        let gap = |view: &View<'_>, patch: &Patch| match patch.sides {
            [None, None, None] => 0.0,
            _ => view.body.faces[patch.face as usize].gap,
        };
        let gaps = [gap(&self.pair.a, &pa), gap(&self.pair.b, &pb)];
        let floor = 8.0 * (self.pair.a.rounding + self.pair.b.rounding);
        let is_fine = [(da, gaps[0], gaps[1]), (db, gaps[1], gaps[0])]
            .map(|(deviation, own, other)| deviation <= floor + (2.0 * own).max(0.25 * other));
        if is_fine == [true, true] {
            self.settled = self.settled.min(known);
            return;
        }
        // The distance from a whole sphere is known, so that its patches, many near a pole, need not be split.
        let is_round = |view: &View<'_>, patch: &Patch| {
            matches!(view.body.faces[patch.face as usize].surface, Surface::Sphere { .. })
        };
        let round = [is_round(&self.pair.a, &pa), is_round(&self.pair.b, &pb)];
        let first = match round {
            _ if is_fine[0] != is_fine[1] => is_fine[1],
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

    /// Adds two patches to the search unless they cannot matter.
    fn weigh(&mut self, a: u32, b: u32, known: f64) {
        let Some([at_least, size]) = self.measure(a, b, known) else { return };
        if at_least < self.at_most || at_least <= self.pair.tolerance {
            self.heap.push(Candidate { at_least, size, item: Item::Patches(a, b) });
        } else {
            self.settled = self.settled.min(at_least);
        }
    }

    /// Bounds the distance of two patches from both sides; `None` if they cannot matter.
    fn measure(&mut self, a: u32, b: u32, known: f64) -> Option<[f64; 2]> {
        let (own_a, own_b) = (self.a.get(a), self.b.get(b));
        let (pa, pb) = (&own_a.0, &own_b.0);
        let rounding = self.pair.a.rounding + self.pair.b.rounding;
        let room = pa.deviation + pb.deviation + rounding;
        let (sphere_a, sphere_b) = (sphere(&own_a.1), sphere(&own_b.1));
        let spheres = sphere_a.0.distance(sphere_b.0) - sphere_a.1 - sphere_b.1;
        let quick = (spheres - 2.0 * rounding).max(self.boxes.along(&own_a.1, &own_b.1));
        if quick - pa.outward - pb.outward >= self.at_most {
            return None;
        }
        if self.pair.slide.is_some() && self.face_bound(pa.face, pb.face) == f64::INFINITY {
            return None;
        }
        let (flat, over_a, over_b) = distance::triangles(&own_a.1, &own_b.1);
        if flat <= rounding && self.crossings.len() < MAX_MEETINGS {
            self.cross(over_a, [&own_a, &own_b]);
        }
        let mut at_least = (flat - pa.outward - pb.outward - rounding).max(known);
        if at_least >= self.at_most {
            return None;
        }
        at_least = at_least.max(self.face_bound(pa.face, pb.face));
        let beyond = |of: &View<'_>, face: u32, over: &View<'_>, patch: &Patch| {
            let range = of.surface(face as usize).and_then(|sigma| over.patch_range(sigma, patch));
            range.map_or(0.0, |[low, high]| low.max(-high) - rounding)
        };
        let bounds = [
            beyond(&self.pair.b, pb.face, &self.pair.a, pa),
            beyond(&self.pair.a, pa.face, &self.pair.b, pb),
        ];
        at_least = at_least.max(bounds[0]).max(bounds[1]);
        let upper = flat + room;
        let found = self.propose([&own_a, &own_b], [over_a, over_b], at_least);
        if !pa.is_crossed && !pb.is_crossed {
            self.improve(upper, [over_a, over_b], [pa, pb]);
        }
        Some([at_least, upper.min(found)])
    }

    /// Takes points of two faces over points of their triangles as witness and as meeting if they are near enough.
    /// Returns their distance before they are moved to the boundaries of their faces; infinity if they are not needed.
    fn propose(&mut self, own: [&(Patch, Triangle); 2], over: [DVec3; 2], at_least: f64) -> f64 {
        let patches = own.map(|own| &own.0);
        let is_crossed = patches.iter().any(|patch| patch.is_crossed);
        if !is_crossed && !patches.iter().all(|patch| patch.is_inner()) {
            return f64::INFINITY;
        }
        let rounding = self.pair.a.rounding + self.pair.b.rounding;
        let ends = self.ends(own, over);
        let found = ends[0].0.distance(ends[1].0) + rounding;
        let is_meeting =
            at_least <= self.pair.tolerance && found <= self.near && self.meetings.len() < MAX_MEETINGS;
        if found < self.at_most || is_meeting {
            let landed = self.a.land(patches[0], ends[0], ends[1].0);
            let landed = landed.and_then(|of_a| Some((of_a, self.b.land(patches[1], ends[1], of_a.0)?)));
            if let Some(((p, off_p), (q, off_q))) = landed {
                if is_meeting && off_p == 0.0 && off_q == 0.0 {
                    self.meet(p, patches, ends.map(|end| end.1));
                }
                self.improve(p.distance(q) + off_p + off_q + rounding, [p, q], patches);
            }
        }
        found
    }

    /// Points of the surfaces over points of two triangles, one of them moved toward the other if that is nearer.
    fn ends(&self, own: [&(Patch, Triangle); 2], over: [DVec3; 2]) -> [(DVec3, DVec2); 2] {
        let places = [self.a.over(own[0], over[0]), self.b.over(own[1], over[1])];
        let to_b = [places[0], self.b.toward(&own[1].0, places[0].0, places[1])];
        let to_a = [self.a.toward(&own[0].0, places[1].0, places[0]), places[1]];
        let length = |ends: &[(DVec3, DVec2); 2]| ends[0].0.distance(ends[1].0);
        if length(&to_a) < length(&to_b) { to_a } else { to_b }
    }

    /// Takes points of two patches at a distance as the witness if no nearer ones are known.
    fn improve(&mut self, distance: f64, points: [DVec3; 2], patches: [&Patch; 2]) {
        if distance < self.at_most {
            self.at_most = distance;
            self.boxes.aim(points);
            self.witness = Some(Witness { points, faces: patches.map(|patch| patch.face as usize) });
        }
    }

    fn cross(&mut self, point: DVec3, patches: [&(Patch, Triangle); 2]) {
        let views = [&self.pair.a, &self.pair.b];
        let faces = patches.map(|(patch, _)| patch.face as usize);
        let normals = [0, 1].map(|k| {
            let [a, b, c] = patches[k].1.vertices;
            let normal = (b - a).cross(c - a).normalize_or_zero();
            if views[k].body.faces[faces[k]].same_sense { normal } else { -normal }
        });
        self.crossings.push(Meeting { point, faces, normals });
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
    /// Faces that do not matter as a translation keeps them from each other are infinitely far.
    fn face_bound(&mut self, a: u32, b: u32) -> f64 {
        let pair = self.pair;
        *self.faces.entry((a, b)).or_insert_with(|| {
            let (a, b) = (a as usize, b as usize);
            if pair.keeps(a, b) { f64::INFINITY } else { pair.face_bound(a, b) }
        })
    }
}

/// The larger of two nodes that has children: its side and these.
fn divided(bodies: [&Brep; 2], at: [u32; 2]) -> Option<(usize, [u32; 2])> {
    let [a, b] = [&bodies[0].nodes[at[0] as usize], &bodies[1].nodes[at[1] as usize]];
    match (a.content, b.content) {
        (Content::Children(children), Content::Patch(_)) => Some((0, children)),
        (Content::Patch(_), Content::Children(children)) => Some((1, children)),
        (Content::Children(of_a), Content::Children(of_b)) => {
            Some(if a.radius >= b.radius { (0, of_a) } else { (1, of_b) })
        }
        (Content::Patch(_), Content::Patch(_)) => None,
    }
}

/// The patches of two leaves.
fn leaves(bodies: [&Brep; 2], at: [u32; 2]) -> Option<[u32; 2]> {
    match [0, 1].map(|side| bodies[side].nodes[at[side] as usize].content) {
        [Content::Patch(a), Content::Patch(b)] => Some([a, b]),
        _ => None,
    }
}

/// A sphere around a triangle, up to rounding.
fn sphere(triangle: &Triangle) -> (DVec3, f64) {
    let [a, b, c] = triangle.vertices;
    let center = (a.min(b).min(c) + a.max(b).max(c)) * 0.5;
    let square = triangle.vertices.map(|p| p.distance_squared(center)).into_iter().fold(0.0, f64::max);
    (center, square.sqrt() * (1.0 + 2f64.powi(-40)))
}
