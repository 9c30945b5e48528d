//! How do two meshes stand to each other?
//!
//! Where a face passes through another, that is the answer; where none meet, it is whether one body holds the
//! other. Where faces only touch, the pictures around the corners of the contact decide. Let C be a piece of
//! space that both interiors share. If its rim has no point of both surfaces, a whole part of one surface
//! lies in the other body, and a vertex of it tells. Else C comes near the contact. The contact is made of
//! points, segments and plane regions from which the bodies look the same, and each of these ends in a point
//! from which they look different than from all others nearby: a vertex of one body or a crossing of two
//! edges, as an edge that pierces a face passes through it. Closed meshes whose faces there all lie in planes
//! through one line look the same along that line, so such points need no look. The same holds for what lies
//! in one body and outside the other.

use super::inside::{contained, faces_at, far_end, with_probe};
use super::meetings::{Copies, meetings};
use super::{Pair, Side, Start, parted, start};
use crate::answer::{Nesting, Relation};
use crate::context::Ask;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{
    Aabb, CommonPoint, LocalPicture, PairFrame, Pose, Relation as FaceRelation, RelativePose, Shares,
    Triangle, TrianglePair,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

pub(crate) fn relation(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Relation {
    stand(a, b, false, ask).0
}

/// Which body lies in which; `None` if neither does, or the budget ran out.
pub(crate) fn nesting(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Option<Nesting> {
    stand(a, b, true, ask).1
}

/// The relation and, where bodies are inside each other and that is asked for, which in which.
fn stand(a: &MeshAt<'_>, b: &MeshAt<'_>, nested: bool, ask: &mut Ask<'_>) -> (Relation, Option<Nesting>) {
    let pair = match start(a, b) {
        Start::Empty => return (Relation::Apart, None),
        Start::BadPose => return (Relation::Unknown, None),
        Start::Ready(pair) => pair,
    };
    // Then nothing can pass through anything: whether they touch at all is left.
    let parted = parted::by_their_boxes(&pair, a, b);
    let (mut worst, mut touching) = (FaceRelation::Apart, ask.scratch.take_pairs());
    let ended = meetings(&pair, Copies::One, ask, &mut |x, y, relation| {
        worst = worst.max(relation);
        touching.push((x, y));
        let decided = parted || relation == FaceRelation::Crossing;
        if decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let some_solid = a.model.is_solid() || b.model.is_solid();
    let found = match (ended, worst) {
        (Ended::OutOfBudget, _) => (Relation::Unknown, None),
        (_, FaceRelation::Apart) => match contained(a, b, ask) {
            Some(true) if nested => {
                let shares = Contact::new(&pair, a, b, &touching, ask).shares(ask);
                (Relation::Inside, shares.and_then(|shares| nesting_by(&shares, a, b)))
            }
            Some(true) => (Relation::Inside, None),
            Some(false) => (Relation::Apart, None),
            None => (Relation::Unknown, None),
        },
        (_, FaceRelation::Touching) if parted || some_solid && parted::by_a_face(&pair, &touching) => {
            (Relation::Touching, None)
        }
        (_, FaceRelation::Touching) if some_solid => {
            match Contact::new(&pair, a, b, &touching, ask).shares(ask) {
                None => (Relation::Unknown, None),
                Some(Shares { both: false, .. }) => (Relation::Touching, None),
                Some(shares) => match nesting_by(&shares, a, b) {
                    None | Some(Nesting::Parts) => (Relation::Crossing, None),
                    nesting => (Relation::Inside, nesting),
                },
            }
        }
        (_, relation) => (relation.into(), None),
    };
    ask.scratch.put_pairs(touching);
    found
}

/// Which body lies in which; `None` if they share nothing.
fn nesting_by(shares: &Shares, a: &MeshAt<'_>, b: &MeshAt<'_>) -> Option<Nesting> {
    if !shares.both {
        return None;
    }
    // What a surface does not hold is not asked: it holds nothing.
    let out_of_a = shares.only_b || !a.model.is_solid();
    let out_of_b = shares.only_a || !b.model.is_solid();
    Some(match (out_of_b, out_of_a) {
        (false, false) => Nesting::Same,
        (false, true) => Nesting::AInB,
        (true, false) => Nesting::BInA,
        (true, true) => Nesting::Parts,
    })
}

/// Whether two bodies are solids of one mesh at one place.
fn are_same(a: &MeshAt<'_>, b: &MeshAt<'_>) -> bool {
    let [x, y] = [a, b].map(|body| &body.model.mesh);
    a.world_from_self == b.world_from_self
        && a.model.is_solid() == b.model.is_solid()
        && x.triangles() == y.triangles()
        && x.vertices() == y.vertices()
}

/// Two meshes of which faces touch and none passes through another, in the order of the pair.
struct Contact<'p, 'a> {
    pair: &'p Pair<'a>,
    bodies: [MeshAt<'a>; 2],
    /// The touching faces, sorted by those of the first and by those of the second.
    by_first: Vec<(u32, u32)>,
    by_second: Vec<(u32, u32)>,
    /// Whether both are one mesh at one place: then nothing is of one alone, however long one looks.
    same: bool,
    /// Of faces of one body.
    own_frame: PairFrame,
    /// Which of them are one surface that looks outward, as far as that is worth finding out.
    outward: [bool; 2],
}

/// Contacts with fewer pairs of faces are looked at sooner than what their bodies are.
const FEW: usize = 32;

/// A point by the bits of its coordinates; both zeros are one.
type Key = [u64; 3];

fn key(point: DVec3) -> Key {
    (point + 0.0).to_array().map(f64::to_bits)
}

/// What was looked at already.
#[derive(PartialEq, Eq, Hash)]
enum Seen {
    Vertex(usize, Key),
    Edges([Key; 2], [Key; 2]),
}

impl<'p, 'a> Contact<'p, 'a> {
    fn new(
        pair: &'p Pair<'a>,
        a: &MeshAt<'a>,
        b: &MeshAt<'a>,
        touching: &[(u32, u32)],
        ask: &Ask<'_>,
    ) -> Self {
        let (first, second) = pair.in_given_order(*a, *b);
        // What a body is costs no steps, and is known once for all questions: a budget must see the same.
        let worth = touching.len() > FEW && ask.meter.is_unlimited();
        let outward = [first, second]
            .map(|body| worth && body.model.is_solid() && body.model.soundness().is_one_surface(body.model));
        let mut by_first = touching.to_vec();
        by_first.sort_unstable();
        let mut by_second: Vec<(u32, u32)> = touching.iter().map(|&(x, y)| (y, x)).collect();
        by_second.sort_unstable();
        let own_frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
        Self { pair, bodies: [first, second], by_first, by_second, same: are_same(a, b), own_frame, outward }
    }

    /// What the bodies share, in the order in which they were given; `None` if the budget ran out.
    fn shares(&self, ask: &mut Ask<'_>) -> Option<Shares> {
        let mut found = Shares::default();
        self.look_at_contact(&mut found, ask)?;
        for body in 0..2 {
            self.look_at_parts(body, &mut found, ask)?;
        }
        if self.pair.swapped {
            std::mem::swap(&mut found.only_a, &mut found.only_b);
        }
        Some(found)
    }

    fn is_settled(&self, found: &Shares) -> bool {
        let solid = self.solid();
        found.both && (self.same || (found.only_a || !solid[1]) && (found.only_b || !solid[0]))
    }

    fn solid(&self) -> [bool; 2] {
        self.bodies.map(|body| body.model.is_solid())
    }

    fn triangle(&self, body: usize, face: u32) -> Triangle {
        self.side(body).triangle(face)
    }

    fn side(&self, body: usize) -> &Side<'a> {
        if body == 0 { &self.pair.a } else { &self.pair.b }
    }

    /// Looks around from every corner of the contact.
    fn look_at_contact(&self, found: &mut Shares, ask: &mut Ask<'_>) -> Option<()> {
        let mut seen = HashSet::new();
        // Faces in one plane first: of their points most is known without rays.
        let (flat, others): (Vec<_>, Vec<_>) = self.by_first.iter().partition(|(x, y)| self.are_flat(*x, *y));
        for (x, y) in flat.into_iter().chain(others) {
            if self.is_settled(found) {
                return Some(());
            }
            if !ask.meter.allows_costly() {
                return None;
            }
            let corners = self.pair.triangles(x, y).common_corners();
            let [a, b] = [self.triangle(0, x).corners, self.triangle(1, y).corners];
            for k in 0..3 {
                if corners.of_a[k] && seen.insert(Seen::Vertex(0, key(a[k]))) {
                    self.look_from(&CommonPoint::OfA(a[k]), [x, y], found, ask)?;
                }
                if corners.of_b[k] && seen.insert(Seen::Vertex(1, key(b[k]))) {
                    self.look_from(&CommonPoint::OfB(b[k]), [x, y], found, ask)?;
                }
                for j in (0..3).filter(|&j| corners.edges[k][j]) {
                    let edges = [[a[k], a[(k + 1) % 3]], [b[j], b[(j + 1) % 3]]];
                    let [of_a, of_b] = edges.map(|edge| {
                        let mut ends = edge.map(key);
                        ends.sort_unstable();
                        ends
                    });
                    if seen.insert(Seen::Edges(of_a, of_b)) {
                        self.look_from(&CommonPoint::Edges(edges[0], edges[1]), [x, y], found, ask)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Looks around from a point of two touching faces.
    fn look_from(
        &self,
        point: &CommonPoint,
        [x, y]: [u32; 2],
        found: &mut Shares,
        ask: &mut Ask<'_>,
    ) -> Option<()> {
        // Every face that holds the point touches the two that are known to.
        let faces = [
            self.faces_near(0, partners(&self.by_second, y), point),
            self.faces_near(1, partners(&self.by_first, x), point),
        ];
        // Nothing but shared volume would be news.
        if found.only_a && found.only_b && self.are_parted(point, [x, y], &faces, ask)? {
            return Some(());
        }
        let [a, b] = [0, 1].map(|body| self.triangles(body, &faces[body]));
        let picture = LocalPicture::new(&self.pair.frame, point, [&a, &b]);
        if self.solid() == [true; 2] && picture.is_prism() {
            return Some(());
        }
        self.look(point, &picture, &faces, found, ask)
    }

    /// Those of the faces and their copies that may hold a point.
    fn faces_near(&self, body: usize, faces: &[(u32, u32)], point: &CommonPoint) -> Vec<u32> {
        let placed = |points: &[DVec3]| {
            let pose = self.pair.frame.pose();
            let reach = points.iter().fold(0.0, |reach: f64, point| reach.max(point.abs().max_element()));
            let rounded = points.iter().map(|&point| pose.transform_point(point));
            Aabb::around(rounded).grown(pose.point_error(reach))
        };
        let may = |face: u32| {
            let corners = self.triangle(body, face).corners;
            match (body, *point) {
                (0, CommonPoint::OfA(point)) => Aabb::around(corners).overlaps(&Aabb::around([point])),
                (0, CommonPoint::OfB(point)) => Aabb::around(corners).overlaps(&placed(&[point])),
                (_, CommonPoint::OfA(point)) => placed(&corners).overlaps(&Aabb::around([point])),
                (_, CommonPoint::OfB(point)) => Aabb::around(corners).overlaps(&Aabb::around([point])),
                (0, CommonPoint::Edges(edge, _)) | (_, CommonPoint::Edges(_, edge)) => {
                    Aabb::around(corners).overlaps(&Aabb::around(edge))
                }
            }
        };
        let packed = self.side(body).packed;
        let faces = faces.iter().filter(|(_, face)| may(*face));
        faces.flat_map(|(_, face)| packed.copies(face)).copied().collect()
    }

    fn triangles(&self, body: usize, faces: &[u32]) -> Vec<Triangle> {
        faces.iter().map(|&face| self.triangle(body, face)).collect()
    }

    /// Where a point was given: its frame, and about where in it.
    fn origin(&self, point: &CommonPoint) -> (usize, DVec3) {
        match *point {
            CommonPoint::OfA(point) | CommonPoint::Edges([point, _], _) => (0, point),
            CommonPoint::OfB(point) => (1, point),
        }
    }

    /// Counts the faces of both along a ray, then looks around.
    fn look(
        &self,
        point: &CommonPoint,
        picture: &LocalPicture<'_>,
        faces: &[Vec<u32>; 2],
        found: &mut Shares,
        ask: &mut Ask<'_>,
    ) -> Option<()> {
        let (given, from) = self.origin(point);
        let solid = self.solid();
        'rays: for attempt in 0..ATTEMPTS {
            let end = far_end(from, &self.bodies[given].world_from_self, &self.bodies, attempt);
            let mut far = [0; 2];
            for body in (0..2).filter(|&body| solid[body]) {
                let held = |face: u32| {
                    let place = faces[body].iter().position(|&known| known == face);
                    place.is_some_and(|place| picture.holds(body)[place])
                };
                match self.winding_along(picture, point, end, body, &held, ask)? {
                    Some(sum) => far[body] = sum,
                    None => continue 'rays,
                }
            }
            if let Some(shares) = picture.shares(end, far, solid) {
                *found |= shares;
                return Some(());
            }
        }
        None
    }

    /// The sides from which a ray passes through the faces of a body, but for those held at its start;
    /// nothing if it meets an edge. `None` if the budget ran out.
    fn winding_along(
        &self,
        picture: &LocalPicture<'_>,
        point: &CommonPoint,
        end: DVec3,
        body: usize,
        held: &dyn Fn(u32) -> bool,
        ask: &mut Ask<'_>,
    ) -> Option<Option<i64>> {
        let (given, from) = self.origin(point);
        let through = |pair: &Pair<'_>, a: u32, b: u32| {
            let (face, triangles) = (if pair.swapped { b } else { a }, pair.triangles(a, b));
            if held(face) {
                return Some(0);
            }
            let side = match point {
                CommonPoint::Edges(..) => None,
                _ if pair.swapped => triangles.edge_of_a_through_b(0),
                _ => triangles.edge_of_b_through_a(0),
            };
            // Slower, and knows a face without area from an edge.
            side.or_else(|| picture.passes(end, &self.triangle(body, face), body == 1))
        };
        let probe = match *point {
            CommonPoint::OfA(_) | CommonPoint::OfB(_) => Triangle::new(from, end, end),
            // Faces that the ray meets also meet this triangle.
            CommonPoint::Edges([start, stop], _) => Triangle::new(start, stop, end),
        };
        self.sum_along(&probe, &self.bodies[given].world_from_self, body, ask, through)
    }

    /// Whether the plane of one of two faces has all faces of one solid near the point on one side of it and
    /// all of the other solid on the other, and neither solid is beyond it: then they share no volume there.
    /// Cheap, and true of most contacts.
    fn are_parted(
        &self,
        point: &CommonPoint,
        known: [u32; 2],
        faces: &[Vec<u32>; 2],
        ask: &mut Ask<'_>,
    ) -> Option<bool> {
        if self.solid() != [true; 2] {
            return Some(false);
        }
        for owner in 0..2 {
            let plane = self.triangle(owner, known[owner]);
            let mut sides = [[false; 2]; 2];
            for body in 0..2 {
                for &face in &faces[body] {
                    for side in self.sides(owner, &plane, body, &self.triangle(body, face)) {
                        sides[body][0] |= side < 0;
                        sides[body][1] |= side > 0;
                    }
                }
            }
            let [own, other] = [sides[owner], sides[1 - owner]];
            // On which side the owner is.
            let side = match (own, other) {
                ([_, false], [false, _]) => -1,
                ([false, _], [_, false]) => 1,
                _ => continue,
            };
            if self.are_beyond(point, (owner, &plane, side), known, faces, ask)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether two faces lie in one plane, or one of them in the other's.
    fn are_flat(&self, x: u32, y: u32) -> bool {
        self.sides(0, &self.triangle(0, x), 1, &self.triangle(1, y)) == [0; 3]
    }

    /// Whether each body is free of what lies right off its known face on the other's side of the plane, where that is
    /// known: for the body that does not own the plane, its face must lie in it.
    fn right_off(
        &self,
        (owner, plane, side): (usize, &Triangle, i8),
        known: [u32; 2],
        end: (usize, DVec3),
    ) -> [Option<bool>; 2] {
        let (given, end) = end;
        let end = Triangle::new(end, end, end);
        let towards = self.sides(owner, plane, given, &end)[0];
        let mut found = [None; 2];
        // A face without area has no sides.
        if towards == 0 {
            return found;
        }
        if self.outward[owner] {
            found[owner] = Some(side < 0);
        }
        let other = 1 - owner;
        let face = self.triangle(other, known[other]);
        if self.outward[other] && self.sides(owner, plane, other, &face) == [0; 3] {
            // Whether both look the same way.
            let alike = towards * self.sides(other, &face, given, &end)[0];
            found[other] = (alike != 0).then_some(alike * side > 0);
        }
        found
    }

    /// Whether the owner of a plane does not wind around what lies right beyond it, nor the other body around
    /// what lies on the owner's side.
    fn are_beyond(
        &self,
        point: &CommonPoint,
        (owner, plane, side): (usize, &Triangle, i8),
        known: [u32; 2],
        faces: &[Vec<u32>; 2],
        ask: &mut Ask<'_>,
    ) -> Option<bool> {
        let (given, from) = self.origin(point);
        let far = |attempt| far_end(from, &self.bodies[given].world_from_self, &self.bodies, attempt);
        let right_off = self.right_off((owner, plane, side), known, (given, far(0)));
        if right_off.contains(&Some(false)) {
            return Some(false);
        }
        let mut free = right_off.map(|free| free == Some(true));
        if free == [true; 2] {
            return Some(true);
        }
        let picture = LocalPicture::new(&self.pair.frame, point, [&[], &[]]);
        for attempt in 0..ATTEMPTS {
            let end = far(attempt);
            let towards = self.sides(owner, plane, given, &Triangle::new(end, end, end))[0];
            let body = if towards == side { 1 - owner } else { owner };
            if towards == 0 || free[body] {
                continue;
            }
            // Faces at the point are all on the other side of the plane, or in it.
            let held = |face: u32| faces[body].contains(&face);
            match self.winding_along(&picture, point, end, body, &held, ask)? {
                None => {}
                Some(0) => free[body] = true,
                Some(_) => return Some(false),
            }
            if free == [true; 2] {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The sides of the plane of a face on which the corners of another lie.
    fn sides(&self, owner: usize, plane: &Triangle, body: usize, face: &Triangle) -> [i8; 3] {
        match (owner, body) {
            (0, 1) => TrianglePair::new(plane, face, &self.pair.frame).sides_of_b(),
            (1, 0) => TrianglePair::new(face, plane, &self.pair.frame).sides_of_a(),
            _ => TrianglePair::new(plane, face, &self.own_frame).sides_of_b(),
        }
    }

    /// The sum of what is said of all faces that meet a probe; nothing if nothing is said of one of them.
    /// `None` if the budget ran out.
    fn sum_along(
        &self,
        probe: &Triangle,
        world_from_probe: &Pose,
        body: usize,
        ask: &mut Ask<'_>,
        mut said: impl FnMut(&Pair<'_>, u32, u32) -> Option<i8>,
    ) -> Option<Option<i64>> {
        with_probe(probe, world_from_probe, &self.bodies[body], ask, |pair, ask| {
            let mut sum = Some(0);
            let ended = meetings(pair, Copies::Each, ask, &mut |a, b, _| {
                sum = sum.zip(said(pair, a, b)).map(|(sum, side)| sum + i64::from(side));
                if sum.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            (ended != Ended::OutOfBudget).then_some(sum)
        })?
    }

    /// Looks around from a vertex of each part of a body that does not touch the other.
    fn look_at_parts(&self, body: usize, found: &mut Shares, ask: &mut Ask<'_>) -> Option<()> {
        let model = self.bodies[body].model;
        let touching = if body == 0 { &self.by_first } else { &self.by_second };
        if model.probes().len() == 1 && !touching.is_empty() {
            return Some(());
        }
        let parts = model.parts();
        let mut known = vec![false; parts.count as usize];
        for &(face, _) in touching {
            known[parts.of_triangle[face as usize] as usize] = true;
        }
        for face in 0..model.mesh.triangle_count() as u32 {
            let known = &mut known[parts.of_triangle[face as usize] as usize];
            if *known {
                continue;
            }
            if self.is_settled(found) {
                return Some(());
            }
            if self.look_at_vertex(body, self.triangle(body, face).corners[0], found, ask)? {
                *known = true;
            }
        }
        Some(())
    }

    /// Looks around from a vertex that is not on the other body; false if no face there has an area.
    fn look_at_vertex(
        &self,
        body: usize,
        vertex: DVec3,
        found: &mut Shares,
        ask: &mut Ask<'_>,
    ) -> Option<bool> {
        let mut faces = [Vec::new(), Vec::new()];
        faces[body] = faces_at(vertex, &self.bodies[body], ask)?;
        let point = if body == 0 { CommonPoint::OfA(vertex) } else { CommonPoint::OfB(vertex) };
        let [a, b] = [0, 1].map(|body| self.triangles(body, &faces[body]));
        let picture = LocalPicture::new(&self.pair.frame, &point, [&a, &b]);
        if !picture.holds(body).contains(&true) {
            return Some(false);
        }
        self.look(&point, &picture, &faces, found, ask)?;
        Some(true)
    }
}

/// How many rays are tried from a point; each fails only if it passes exactly through an edge.
const ATTEMPTS: u32 = 64;

/// The pairs that begin with a face, of sorted ones.
fn partners(pairs: &[(u32, u32)], face: u32) -> &[(u32, u32)] {
    let start = pairs.partition_point(|pair| pair.0 < face);
    let count = pairs[start..].partition_point(|pair| pair.0 == face);
    &pairs[start..start + count]
}
