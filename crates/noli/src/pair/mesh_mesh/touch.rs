//! Volume shared by two meshes whose faces touch but do not pass through each other.
//!
//! The neighbourhoods of the contact's vertices decide. Let C be a connected region that both interiors share.
//! If its boundary has no point of both surfaces, a whole part of one surface lies in the other body. Testing
//! one of its vertices then suffices. Otherwise C comes near the contact. The contact consists of points,
//! segments and plane regions along which the neighbourhoods are constant. Each of these ends in a point whose
//! neighbourhood differs from all others nearby: a vertex of one body or an intersection of two edges. An edge
//! that pierces a face would pass through it. Closed meshes whose faces there all lie in planes through one
//! line have constant neighbourhoods along that line, so such points are skipped. The same holds for regions in
//! one body and outside the other.

use super::inside::{faces_at, far_end, with_probe};
use super::intersecting_faces::{Copies, meetings};
use super::touching_outline::{OfFace, Outline};
use super::winding::winds_once;
use super::{Pair, Side};
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{
    Aabb, CommonPoint, CommonVertices, PairFrame, Pose, RelativePose, Shares, Triangle, TrianglePair,
    VertexNeighborhood,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Two meshes of which faces touch and none passes through another, in the order of the pair.
pub(super) struct Touch<'p, 'a> {
    pub(super) pair: &'p Pair<'a>,
    pub(super) bodies: [MeshAt<'a>; 2],
    /// The touching faces, sorted by those of the first and by those of the second.
    by_first: Vec<(u32, u32)>,
    by_second: Vec<(u32, u32)>,
    /// `true` if both are one mesh at one pose: then no region is in one alone, and none need be searched.
    same: bool,
    /// Of faces of one body.
    own_frame: PairFrame,
    /// `true` for each body whose winding number is 0 or 1 everywhere, so that every face points outward. Computed
    /// only where it is worth the time.
    pub(super) outward: [bool; 2],
}

/// Bodies with more faces per touching pair take longer to analyse than their contact.
const FEW: usize = 32;

/// Visited vertices and edges, by the numbers of outlines.
struct Seen {
    vertices: [Vec<bool>; 2],
    edges: HashSet<[u32; 2]>,
}

impl<'p, 'a> Touch<'p, 'a> {
    pub(super) fn new(
        pair: &'p Pair<'a>,
        a: &MeshAt<'a>,
        b: &MeshAt<'a>,
        touching: &[(u32, u32)],
        context: &QueryContext<'_>,
    ) -> Self {
        let (first, second) = pair.in_given_order(*a, *b);
        let budget = context.meter.budget();
        // What a body is costs no steps, and is known once for all questions: a budget of steps must see the same.
        let worth = |body: &MeshAt<'_>| {
            body.model.mesh.triangle_count() <= touching.len().saturating_mul(FEW)
                && budget.step_limit().is_none()
        };
        let outward = [first, second]
            .map(|body| worth(&body) && body.model.is_solid() && winds_once(body.model, budget));
        let mut by_first = touching.to_vec();
        by_first.sort_unstable();
        let mut by_second: Vec<(u32, u32)> = touching.iter().map(|&(x, y)| (y, x)).collect();
        by_second.sort_unstable();
        let own_frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
        Self { pair, bodies: [first, second], by_first, by_second, same: are_same(a, b), own_frame, outward }
    }

    /// Computes the shares of the bodies, in the order in which they were given; `None` if the budget ran out.
    pub(super) fn shares(&self, context: &mut QueryContext<'_>) -> Option<Shares> {
        let mut found = Shares::default();
        let left = self.look_at_contact(&mut found, context)?;
        for body in 0..2 {
            self.look_at_parts(body, &mut found, context)?;
        }
        // Whether one lies in the other is of interest only now.
        if left && found.both && !self.is_settled(&found) {
            self.look_at_contact(&mut found, context)?;
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

    pub(super) fn solid(&self) -> [bool; 2] {
        self.bodies.map(|body| body.model.is_solid())
    }

    pub(super) fn triangle(&self, body: usize, face: u32) -> Triangle {
        self.side(body).triangle(face)
    }

    fn side(&self, body: usize) -> &Side<'a> {
        if body == 0 { &self.pair.a } else { &self.pair.b }
    }

    /// Tests the neighbourhood of every vertex of the contact. Until a shared region is found, tests only for that;
    /// returns `true` if a further pass might find more.
    fn look_at_contact(&self, found: &mut Shares, context: &mut QueryContext<'_>) -> Option<bool> {
        let mut left = false;
        let outlines = [(0, &self.by_first), (1, &self.by_second)]
            .map(|(body, pairs)| Outline::new(self.side(body), pairs));
        let mut seen = Seen {
            vertices: outlines.each_ref().map(|outline| vec![false; outline.vertex_count]),
            edges: HashSet::new(),
        };
        for &(x, y) in &self.by_first {
            if self.is_settled(found) {
                return Some(left);
            }
            if !context.meter.allows_costly() {
                return None;
            }
            let of = [outlines[0].of(x), outlines[1].of(y)];
            let vertices = self.pair.triangles(x, y).common_vertices(&wanted(&of, &seen));
            let [a, b] = [self.triangle(0, x).vertices, self.triangle(1, y).vertices];
            let edge = |vertices: [DVec3; 3], k: usize| [vertices[k], vertices[(k + 1) % 3]];
            for k in 0..3 {
                if vertices.of_a[k] {
                    seen.vertices[0][of[0].vertices[k] as usize] = true;
                    left |= self.look_from(&CommonPoint::OfA(a[k]), [x, y], found, context)?;
                }
                if vertices.of_b[k] {
                    seen.vertices[1][of[1].vertices[k] as usize] = true;
                    left |= self.look_from(&CommonPoint::OfB(b[k]), [x, y], found, context)?;
                }
                for j in (0..3).filter(|&j| vertices.edges[k][j]) {
                    seen.edges.insert([of[0].edges[k], of[1].edges[j]]);
                    left |=
                        self.look_from(&CommonPoint::Edges(edge(a, k), edge(b, j)), [x, y], found, context)?;
                }
            }
        }
        Some(left)
    }

    /// Looks around from a point of two touching faces; true if there was only a look for what is shared.
    fn look_from(
        &self,
        point: &CommonPoint,
        [x, y]: [u32; 2],
        found: &mut Shares,
        context: &mut QueryContext<'_>,
    ) -> Option<bool> {
        // Every face that holds the point touches the two that are known to.
        let faces = [
            self.faces_near(0, partners(&self.by_second, y), point),
            self.faces_near(1, partners(&self.by_first, x), point),
        ];
        // A solid whose faces look outward has a side of its own there; of surfaces that is not asked.
        let ([of_a, of_b], solid) = (self.outward, self.solid());
        let known = (of_a || found.only_a || !solid[1]) && (of_b || found.only_b || !solid[0]);
        if (known || !found.both) && self.are_parted(point, &faces, context)? {
            *found |= Shares { both: false, only_a: of_a, only_b: of_b };
            return Some(!known);
        }
        let [a, b] = [0, 1].map(|body| self.triangles(body, &faces[body]));
        let picture = VertexNeighborhood::new(&self.pair.frame, point, [&a, &b]);
        if self.solid() == [true; 2] && picture.is_prism() {
            return Some(false);
        }
        self.look(point, &picture, &faces, found, context)?;
        Some(false)
    }

    /// Those of the faces and their copies that hold a point.
    fn faces_near(&self, body: usize, faces: &[(u32, u32)], point: &CommonPoint) -> Vec<u32> {
        let place = self.place(point);
        let holds = |face: u32| {
            let triangle = self.triangle(body, face);
            let vertices = triangle.vertices;
            let bounds = if body == 0 { Aabb::from_points(vertices) } else { self.placed(&vertices) };
            let of = |points: &[DVec3]| points.iter().all(|point| vertices.contains(point));
            let meets = |of: usize, points: [DVec3; 2]| {
                self.faces((body, &triangle), (of, &Triangle::new(points[0], points[1], points[1])))
                    .overlaps()
            };
            bounds.overlaps(&place)
                && match (*point, body) {
                    (CommonPoint::OfA(point), 0) | (CommonPoint::OfB(point), 1) => {
                        of(&[point]) || meets(body, [point; 2])
                    }
                    (CommonPoint::OfA(point), _) | (CommonPoint::OfB(point), _) => {
                        meets(1 - body, [point; 2])
                    }
                    (CommonPoint::Edges(own, other), 0) | (CommonPoint::Edges(other, own), _) => {
                        of(&own) || meets(1 - body, other) && self.is_at(body, &triangle, point)
                    }
                }
        };
        let packed = self.side(body).packed;
        let faces = faces.iter().filter(|(_, face)| holds(*face));
        faces.flat_map(|(_, face)| packed.copies(face)).copied().collect()
    }

    fn is_at(&self, body: usize, face: &Triangle, point: &CommonPoint) -> bool {
        let mut faces: [&[Triangle]; 2] = [&[], &[]];
        faces[body] = std::slice::from_ref(face);
        VertexNeighborhood::new(&self.pair.frame, point, faces).holds(body) == [true]
    }

    /// A box around a point, in the first body's frame.
    fn place(&self, point: &CommonPoint) -> Aabb {
        match point {
            CommonPoint::OfA(point) => Aabb::from_points([*point]),
            CommonPoint::OfB(point) => self.placed(&[*point]),
            CommonPoint::Edges(a, b) => Aabb::from_points(*a).intersection(self.placed(b)),
        }
    }

    /// A box in the first body's frame around points of the second.
    fn placed(&self, points: &[DVec3]) -> Aabb {
        let pose = self.pair.frame.pose();
        let reach = points.iter().fold(0.0, |reach: f64, point| reach.max(point.abs().max_element()));
        let rounded = points.iter().map(|&point| pose.transform_point(point));
        Aabb::from_points(rounded).expanded(pose.point_error(reach))
    }

    /// Two triangles, each of one of the bodies, in the order of the bodies.
    pub(super) fn faces(
        &self,
        (body, x): (usize, &Triangle),
        (other, y): (usize, &Triangle),
    ) -> TrianglePair<'_> {
        match (body, other) {
            (0, 1) => TrianglePair::new(x, y, &self.pair.frame),
            (1, 0) => TrianglePair::new(y, x, &self.pair.frame),
            _ => TrianglePair::new(x, y, &self.own_frame),
        }
    }

    pub(super) fn triangles(&self, body: usize, faces: &[u32]) -> Vec<Triangle> {
        faces.iter().map(|&face| self.triangle(body, face)).collect()
    }

    /// Returns the frame in which a point was given, and its approximate position in it.
    pub(super) fn origin(&self, point: &CommonPoint) -> (usize, DVec3) {
        match *point {
            CommonPoint::OfA(point) | CommonPoint::Edges([point, _], _) => (0, point),
            CommonPoint::OfB(point) => (1, point),
        }
    }

    /// Counts the faces of both along a ray, then looks around.
    fn look(
        &self,
        point: &CommonPoint,
        picture: &VertexNeighborhood<'_>,
        faces: &[Vec<u32>; 2],
        found: &mut Shares,
        context: &mut QueryContext<'_>,
    ) -> Option<()> {
        let (given, from) = self.origin(point);
        let solid = self.solid();
        'rays: for attempt in 0..ATTEMPTS {
            let end = far_end(from, &self.bodies[given].world_from_self, &self.bodies, attempt);
            let mut far = [Some(0); 2];
            for body in (0..2).filter(|&body| solid[body]) {
                if self.outward[body] && picture.holds(body).contains(&true) {
                    far[body] = None;
                    continue;
                }
                let held = |face: u32| {
                    let place = faces[body].iter().position(|&known| known == face);
                    place.is_some_and(|place| picture.holds(body)[place])
                };
                match self.winding_along(picture, (point, end), body, &held, context)? {
                    Some(sum) => far[body] = Some(sum),
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

    /// Returns the sum of the sides from which a ray passes through the faces of a body, without those at its
    /// start. The value is absent if the ray intersects an edge. `None` if the budget ran out.
    pub(super) fn winding_along(
        &self,
        picture: &VertexNeighborhood<'_>,
        (point, end): (&CommonPoint, DVec3),
        body: usize,
        held: &dyn Fn(u32) -> bool,
        context: &mut QueryContext<'_>,
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
        self.sum_along(&probe, &self.bodies[given].world_from_self, body, context, through)
    }

    /// The sides of the plane of a face on which the vertices of another lie.
    pub(super) fn sides(&self, owner: usize, plane: &Triangle, body: usize, face: &Triangle) -> [i8; 3] {
        let pair = self.faces((owner, plane), (body, face));
        if owner > body { pair.sides_of_a() } else { pair.sides_of_b() }
    }

    /// Returns the sum of the values of all faces that intersect a probe; absent if one of them has none. `None` if
    /// the budget ran out.
    fn sum_along(
        &self,
        probe: &Triangle,
        world_from_probe: &Pose,
        body: usize,
        context: &mut QueryContext<'_>,
        mut said: impl FnMut(&Pair<'_>, u32, u32) -> Option<i8>,
    ) -> Option<Option<i64>> {
        with_probe(probe, world_from_probe, &self.bodies[body], context, |pair, context| {
            let mut sum = Some(0);
            let ended = meetings(pair, Copies::Each, context, &mut |a, b, _| {
                sum = sum.zip(said(pair, a, b)).map(|(sum, side)| sum + i64::from(side));
                if sum.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            (ended != Ended::OutOfBudget).then_some(sum)
        })?
    }

    /// Looks around from a vertex of each part of a body that does not touch the other.
    fn look_at_parts(&self, body: usize, found: &mut Shares, context: &mut QueryContext<'_>) -> Option<()> {
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
            if self.look_at_vertex(body, self.triangle(body, face).vertices[0], found, context)? {
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
        context: &mut QueryContext<'_>,
    ) -> Option<bool> {
        let mut faces = [Vec::new(), Vec::new()];
        faces[body] = faces_at(vertex, &self.bodies[body], context)?;
        let point = if body == 0 { CommonPoint::OfA(vertex) } else { CommonPoint::OfB(vertex) };
        let [a, b] = [0, 1].map(|body| self.triangles(body, &faces[body]));
        let picture = VertexNeighborhood::new(&self.pair.frame, &point, [&a, &b]);
        if !picture.holds(body).contains(&true) {
            return Some(false);
        }
        self.look(&point, &picture, &faces, found, context)?;
        Some(true)
    }
}

/// Returns the untested vertices and edges of two touching faces that may contain a vertex of the contact.
/// Edges where the surface continues straight contain none: with other diagonals there would be no edge.
fn wanted([a, b]: &[OfFace; 2], seen: &Seen) -> CommonVertices {
    let is_new =
        |i: usize, j: usize| !a.level[i] && !b.level[j] && !seen.edges.contains(&[a.edges[i], b.edges[j]]);
    CommonVertices {
        of_a: a.vertices.map(|vertex| !seen.vertices[0][vertex as usize]),
        of_b: b.vertices.map(|vertex| !seen.vertices[1][vertex as usize]),
        edges: [0, 1, 2].map(|i| [0, 1, 2].map(|j| is_new(i, j))),
    }
}

/// Largest number of rays that are tried from a point; each fails only if it passes exactly through an edge.
pub(super) const ATTEMPTS: u32 = 64;

/// The pairs that begin with a face, of sorted ones.
fn partners(pairs: &[(u32, u32)], face: u32) -> &[(u32, u32)] {
    let start = pairs.partition_point(|pair| pair.0 < face);
    let count = pairs[start..].partition_point(|pair| pair.0 == face);
    &pairs[start..start + count]
}

/// Returns `true` if two bodies are solids of one mesh at one pose.
fn are_same(a: &MeshAt<'_>, b: &MeshAt<'_>) -> bool {
    let [x, y] = [a, b].map(|body| &body.model.mesh);
    a.world_from_self == b.world_from_self
        && a.model.is_solid() == b.model.is_solid()
        && x.triangles() == y.triangles()
        && x.vertices() == y.vertices()
}
