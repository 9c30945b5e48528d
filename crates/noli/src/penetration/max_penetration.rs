//! Test whether the volume shared by two solids is a thin layer: no point of it deeper in either than a length.
//!
//! The region of A deeper than a length is bounded by A's faces offset inward by it. Where A bends inward,
//! parts of cylinders and spheres around edges and vertices bound it. If part of B lay there, B would pass
//! through these *walls*: each of its surfaces starts outside, as a test of one vertex shows. So it suffices
//! that no point of a wall lies in B, except where another face is nearer and the wall is not a bound.
//! Cylinders and spheres are replaced by flat walls outside them, so close that all walls are within the given
//! length.
//!
//! Only walls of faces near B matter. Let no point of either surface be deeper than `t` in the other solid. Its
//! surfaces are then near the other's, and so are the walls they would pass. A common point deeper than `t` in
//! A has B all around. The straight segment from it to the nearest point of A's surface passes a wall at most
//! `t` from that surface point. The surface point is at most `t` deep in B or beyond B's surface. So that
//! wall's face is within `3 t` of B's surface.

use crate::answer::{Bracket, Completeness, Location};
use crate::context::QueryContext;
use crate::model::features::MeshFeatures;
use crate::model::{MeshAt, Placed, Scale};
use crate::pair::mesh_mesh::{self, nearest_face, nearest_on_triangle};
use glam::DVec3;
use noli_geom::Triangle;
use std::sync::OnceLock;

/// Largest number of wall parts tested for each of the bodies, and how many more for each face near the other.
const LOOKS: usize = 20_000;
const LOOKS_PER_FACE: usize = 100;
/// Walls leave no clearances but by rounding, and by bends that count as none: whatever is this share of the length from a wall
/// is taken to be on it.
const MARGIN: f64 = 1e-4;
/// Sine of bends that count as none: the clearance between the walls of two faces is less than the margin.
const BEND: f64 = 1e-6;
/// Lengths below this share of the size are lost in rounding.
const LEAST: f64 = 1e-9;
/// Number of subdivisions into four of triangles around vertices, to decide their relevance.
const FINER: u32 = 4;
/// Flat parts that walls around edges are made of turn by no more than this.
const TURN: f64 = std::f64::consts::PI / 6.0;

pub(super) fn max_penetration_within(
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    context: &mut QueryContext<'_>,
) -> Bracket {
    match Scale::of(a, b) {
        Scale::Ordinary => tested(a, b, within, context),
        Scale::Tiny(enlarged) => {
            let ([a, b], limit) = (enlarged.bodies(), enlarged.enlarge(within));
            match tested(&a, &b, limit, context) {
                proven if proven.at_most == limit => Bracket { at_least: 0.0, at_most: within },
                found => enlarged.length(found),
            }
        }
        Scale::Unsuited => Bracket { at_least: 0.0, at_most: f64::INFINITY },
    }
}

fn tested(a: &Placed<'_>, b: &Placed<'_>, within: f64, context: &mut QueryContext<'_>) -> Bracket {
    let mut found = Bracket { at_least: 0.0, at_most: f64::INFINITY };
    let Some((a, b)) = a.all_faces().zip(b.all_faces()) else { return found };
    let budget = context.meter.budget();
    let is_sound = |body: &MeshAt<'_>| body.model.is_solid() && mesh_mesh::winds_once(body.model, budget);
    if !(within > 0.0 && within.is_finite() && is_sound(&a) && is_sound(&b)) {
        return found;
    }
    for (holder, guest) in [(a, b), (b, a)] {
        match Walls::new(holder, guest, within).passed(context) {
            Passed::Nowhere => {}
            Passed::Deep(depth) => {
                found.at_least = depth;
                return found;
            }
            Passed::Perhaps => return found,
        }
    }
    found.at_most = within;
    found
}

/// Result of testing whether a guest passes the walls in a body.
enum Passed {
    Nowhere,
    /// It does: some of it lies this deep.
    Deep(f64),
    /// That is not known.
    Perhaps,
}

/// The walls in a body, all in its frame.
struct Walls<'a> {
    holder: MeshAt<'a>,
    guest: MeshAt<'a>,
    within: f64,
    /// Depth of the walls of faces.
    depth: f64,
    /// Parts of walls that may still be tested.
    looks: usize,
}

impl<'a> Walls<'a> {
    fn new(holder: MeshAt<'a>, guest: MeshAt<'a>, within: f64) -> Self {
        Self { holder, guest, within, depth: within / Patch::get().reach * (1.0 - 1e-6), looks: LOOKS }
    }

    fn passed(&mut self, context: &mut QueryContext<'_>) -> Passed {
        let size = self.holder.model.packed.reach + self.guest.model.packed.reach;
        if self.within < LEAST * size {
            return Passed::Perhaps;
        }
        match self.starts_inside(context) {
            Passed::Nowhere => {}
            decided => return decided,
        }
        let mut near = vec![false; self.holder.model.mesh.triangle_count()];
        let reach = 3.0 * self.within + LEAST * size;
        let looked = mesh_mesh::near_faces(&self.holder, &self.guest, reach, context, &mut |face, _| {
            near[face as usize] = true;
        });
        if looked == Completeness::Partial {
            return Passed::Perhaps;
        }
        self.looks += LOOKS_PER_FACE * near.iter().filter(|near| **near).count();
        for wall in self.of_faces(&near).chain(self.of_bends(&near)) {
            match self.passes(wall, context) {
                Passed::Nowhere => {}
                decided => return decided,
            }
        }
        Passed::Nowhere
    }

    /// Tests whether a surface of the guest starts behind the walls, at its first vertex.
    fn starts_inside(&self, context: &mut QueryContext<'_>) -> Passed {
        let pose = &self.guest.world_from_self;
        for &vertex in self.guest.model.probes() {
            match mesh_mesh::locate_point(vertex, pose, &self.holder, context) {
                Location::Outside | Location::OnSurface => continue,
                Location::Unknown => return Passed::Perhaps,
                Location::Inside => {}
            }
            let probe = Triangle::new(vertex, vertex, vertex);
            match nearest_face(&probe, pose, &self.holder, context) {
                // In front of all walls: between them and the requested length it might never pass one.
                Some(found) if found.distance.at_most < self.shallow() => {}
                Some(found) if found.distance.at_least > self.within => {
                    return Passed::Deep(found.distance.at_least);
                }
                _ => return Passed::Perhaps,
            }
        }
        Passed::Nowhere
    }

    fn of_faces(&self, near: &[bool]) -> impl Iterator<Item = Triangle> + use<'a> {
        let (mesh, depth) = (&self.holder.model.mesh, self.depth);
        let normals = &self.holder.model.features().normals;
        let near: Vec<u32> = (0..near.len() as u32).filter(|&face| near[face as usize]).collect();
        near.into_iter().filter(|&face| normals[face as usize] != DVec3::ZERO).map(move |face| {
            let [a, b, c] =
                mesh.triangle(face).vertices.map(|vertex| vertex - normals[face as usize] * depth);
            Triangle::new(a, b, c)
        })
    }

    /// Around edges that bend inward, or have other than two faces, and around their ends.
    fn of_bends(&self, near: &[bool]) -> impl Iterator<Item = Triangle> + use<> {
        let (mesh, features) = (&self.holder.model.mesh, self.holder.model.features());
        let mut edges: Vec<u32> =
            (0..near.len()).filter(|&face| near[face]).flat_map(|face| features.edge_of[face]).collect();
        edges.sort_unstable();
        edges.dedup();
        let (mut walls, mut bent) = (Vec::new(), Vec::new());
        for edge in edges.into_iter().filter(|&edge| (edge as usize) < features.edges.len()) {
            let Some(sector) = Sector::new(features, edge) else { continue };
            let ends = features.edges[edge as usize].ends;
            bent.extend(ends);
            sector.walls(ends.map(|end| mesh.vertices()[end as usize]), self.depth, &mut walls);
        }
        bent.sort_unstable();
        bent.dedup();
        for place in bent {
            let at = mesh.vertices()[place as usize];
            let away = features.neighbours(place).iter().map(|&next| mesh.vertices()[next as usize] - at);
            let vertex = Vertex { at, away: away.collect(), outward: features.outward[place as usize] };
            Patch::get().walls(&vertex, self.depth, &mut walls);
        }
        walls.into_iter()
    }

    /// Tests whether the guest passes a wall. Fragments of the wall are discarded if they are outside the guest,
    /// outside the holder, or nearer to a face than the walls are.
    fn passes(&mut self, wall: Triangle, context: &mut QueryContext<'_>) -> Passed {
        let pose = self.holder.world_from_self;
        let mut pieces = vec![wall];
        while let Some(piece) = pieces.pop() {
            if self.looks == 0 || !context.meter.allows_more() {
                return Passed::Perhaps;
            }
            self.looks -= 1;
            let Some(to_guest) = nearest_face(&piece, &pose, &self.guest, context) else {
                return Passed::Perhaps;
            };
            let mut at = to_guest.on_probe;
            if to_guest.distance.at_least > MARGIN * self.depth {
                match mesh_mesh::locate_point(piece.vertices[0], &pose, &self.guest, context) {
                    Location::Outside => continue,
                    Location::Unknown => return Passed::Perhaps,
                    Location::Inside | Location::OnSurface => at = middle(&piece),
                }
            }
            let Some(own) = nearest_face(&Triangle::new(at, at, at), &pose, &self.holder, context) else {
                return Passed::Perhaps;
            };
            if own.distance.at_most < self.shallow() {
                self.take_away(&piece, own.face, at, &mut pieces);
            } else if !self.is_outside(&piece, context) {
                match mesh_mesh::locate_point(at, &pose, &self.holder, context) {
                    Location::Outside | Location::OnSurface => pieces.extend(halves(&piece)),
                    Location::Unknown => return Passed::Perhaps,
                    Location::Inside => {
                        let shared =
                            mesh_mesh::locate_point(at, &pose, &self.guest, context) == Location::Inside;
                        let depth = own.distance.at_least;
                        return if shared && depth > self.within {
                            Passed::Deep(depth)
                        } else {
                            Passed::Perhaps
                        };
                    }
                }
            }
        }
        Passed::Nowhere
    }

    /// Nearer to a face than this, no wall is a bound.
    fn shallow(&self) -> f64 {
        self.depth * (1.0 - 1e-9)
    }

    /// Returns `true` if no point of a fragment is in the holder.
    fn is_outside(&self, piece: &Triangle, context: &mut QueryContext<'_>) -> bool {
        let pose = &self.holder.world_from_self;
        nearest_face(piece, pose, &self.holder, context).is_some_and(|found| found.distance.at_least > 0.0)
            && mesh_mesh::locate_point(piece.vertices[0], pose, &self.holder, context) == Location::Outside
    }

    /// Adds to `rest` the part of a fragment that a face near one of its points does not prove shallow. The
    /// distance from a face is convex, so testing vertices suffices.
    fn take_away(&self, piece: &Triangle, face: u32, at: DVec3, rest: &mut Vec<Triangle>) {
        let vertices = self.holder.model.mesh.triangle(face).vertices;
        let normal = self.holder.model.features().normals[face as usize];
        let is_shallow = |piece: &Triangle| {
            piece
                .vertices
                .iter()
                .all(|&vertex| nearest_on_triangle(vertex, vertices).0.distance(vertex) < self.shallow())
        };
        let mut over = vec![*piece];
        // Over the face; where the point is beside it, as around an edge that bends inward, as far to that side again.
        let sides = [0, 1, 2].map(|k| {
            let outward = (vertices[(k + 1) % 3] - vertices[k]).cross(normal).normalize_or_zero();
            let beside = outward.dot(at - vertices[k]);
            let room =
                if beside < -1e-6 * self.depth { 0.0 } else { 2.0 * beside.max(0.0) + 1e-3 * self.depth };
            (outward, vertices[k] + outward * room, room)
        });
        let beside_sq: f64 = sides.iter().map(|(_, _, room)| room * room).sum();
        // A little lower than the bound, so that what is cut off there is below it.
        let height = (self.depth * self.depth - beside_sq).max(0.0).sqrt() * (1.0 - 1e-6);
        let lids = [(normal, vertices[0] + normal * height), (-normal, vertices[0] - normal * height)];
        for (outward, through) in
            sides.map(|(outward, through, _)| (outward, through)).into_iter().chain(lids)
        {
            let beyond = |point: DVec3| outward.dot(point - through);
            // A cut through the point itself might leave all on the other side.
            if beyond(at) < -1e-6 * self.depth {
                over = over.iter().flat_map(|piece| cut(piece, beyond, rest)).collect();
            }
        }
        rest.extend(over.iter().filter(|piece| !is_shallow(piece)).flat_map(halves));
    }
}

/// The directions from an edge to what lies behind it, square to it.
struct Sector {
    from: DVec3,
    /// Square to `from` and to the edge.
    towards: DVec3,
    angle: f64,
}

impl Sector {
    /// `None` where the body does not bend inward: nothing in it is nearest to such an edge.
    fn new(features: &MeshFeatures, edge: u32) -> Option<Self> {
        let normal = |side: usize| features.normals[features.sides(edge)[side].triangle as usize];
        match features.sides(edge) {
            [x, y] => {
                if x.inward.dot(normal(1)) <= BEND {
                    return None;
                }
                let (from, to) = (-normal(0), -normal(1));
                let back = -(x.inward + y.inward);
                let towards = (back - from * from.dot(back)).normalize_or_zero();
                Some(Self { from, towards, angle: from.cross(to).length().atan2(from.dot(to)) })
            }
            // Faces without area, or more than two: all around.
            [x, ..] => {
                let from = normal(0);
                Some(Self { from, towards: x.inward, angle: std::f64::consts::TAU })
            }
            [] => None,
        }
    }

    /// Flat walls along an edge that leave all that is nearer than `depth` to it on its side.
    fn walls(&self, [start, end]: [DVec3; 2], depth: f64, walls: &mut Vec<Triangle>) {
        let parts = (self.angle / TURN).ceil().max(1.0);
        let turn = self.angle / parts;
        let at = |angle: f64| self.from * angle.cos() + self.towards * angle.sin();
        let outer = (0..parts as u32).map(|k| at(turn * (f64::from(k) + 0.5)) * (depth / (0.5 * turn).cos()));
        let bounds: Vec<DVec3> =
            [at(0.0) * depth].into_iter().chain(outer).chain([at(self.angle) * depth]).collect();
        for side in bounds.windows(2) {
            let [a, b, c, d] = [start + side[0], end + side[0], end + side[1], start + side[1]];
            walls.extend([Triangle::new(a, b, c), Triangle::new(a, c, d)]);
        }
    }
}

/// Triangles around the sphere of radius 1.
struct Patch {
    triangles: Vec<Triangle>,
    /// Distance of their vertices from the centre.
    reach: f64,
}

impl Patch {
    fn get() -> &'static Self {
        static PATCH: OnceLock<Patch> = OnceLock::new();
        PATCH.get_or_init(Self::new)
    }

    /// An octahedron whose faces are cut into 16.
    fn new() -> Self {
        let mut triangles = Vec::new();
        for octant in 0..8 {
            let side = |axis: u32| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 };
            triangles.push([DVec3::X * side(0), DVec3::Y * side(1), DVec3::Z * side(2)]);
        }
        for _ in 0..2 {
            let parts = triangles.iter().flat_map(|&[a, b, c]| {
                let [x, y, z] = [a + b, b + c, c + a].map(DVec3::normalize);
                [[a, x, z], [x, b, y], [z, y, c], [x, y, z]]
            });
            triangles = parts.collect();
        }
        let height = |&[a, b, c]: &[DVec3; 3]| a.dot((b - a).cross(c - a).normalize()).abs();
        let reach = 1.0 / triangles.iter().map(height).fold(1.0, f64::min) * (1.0 + 1e-12);
        let triangles = triangles.iter().map(|vertices| vertices.map(|vertex| vertex * reach));
        Self { triangles: triangles.map(|[a, b, c]| Triangle::new(a, b, c)).collect(), reach }
    }

    /// Walls around a vertex, where something in the body may be nearer to it than to what is around it: further from
    /// where each edge leads than the vertex is, and behind the mean of the normals (Bærentzen and Aanæs 2005).
    fn walls(&self, vertex: &Vertex, depth: f64, walls: &mut Vec<Triangle>) {
        let around = self.triangles.iter().filter(|triangle| vertex.may_be_nearest(triangle, FINER));
        walls.extend(around.map(|triangle| {
            let [a, b, c] = triangle.vertices.map(|point| vertex.at + point * depth);
            Triangle::new(a, b, c)
        }));
    }
}

/// A vertex of a body.
struct Vertex {
    at: DVec3,
    /// Along the edges from it.
    away: Vec<DVec3>,
    outward: DVec3,
}

impl Vertex {
    fn may_be_nearest(&self, directions: &Triangle, finer: u32) -> bool {
        let is_all = |test: &dyn Fn(DVec3) -> bool| directions.vertices.iter().all(|&vertex| test(vertex));
        if is_all(&|w| w.dot(self.outward) > 0.0)
            || self.away.iter().any(|edge| is_all(&|w| w.dot(*edge) > 0.0))
        {
            return false;
        }
        let parts = || halves(directions).into_iter().flat_map(|half| halves(&half));
        finer == 0 || parts().any(|part| self.may_be_nearest(&part, finer - 1))
    }
}

fn middle(piece: &Triangle) -> DVec3 {
    let [a, b, c] = piece.vertices;
    (a + b + c) / 3.0
}

/// Two parts, cut through the longest side.
fn halves(piece: &Triangle) -> [Triangle; 2] {
    let length = |k: usize| piece.vertices[k].distance_squared(piece.vertices[(k + 1) % 3]);
    let longest = (0..3).max_by(|&x, &y| length(x).total_cmp(&length(y))).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| piece.vertices[(longest + k) % 3]);
    let between = 0.5 * (a + b);
    [Triangle::new(a, between, c), Triangle::new(between, b, c)]
}

/// Returns the part of a fragment that is not beyond a plane; the remainder goes to `rest`.
fn cut(piece: &Triangle, beyond: impl Fn(DVec3) -> f64, rest: &mut Vec<Triangle>) -> Vec<Triangle> {
    let heights = piece.vertices.map(beyond);
    if heights.iter().all(|&height| height <= 0.0) {
        return vec![*piece];
    }
    if heights.iter().all(|&height| height >= 0.0) {
        rest.push(*piece);
        return Vec::new();
    }
    // The vertex that is alone on its side, or on the plane between the two others.
    let is_beyond = heights.map(|height| height > 0.0);
    let alone =
        (0..3).find(|&k| is_beyond[k] != is_beyond[(k + 1) % 3] && is_beyond[k] != is_beyond[(k + 2) % 3]);
    let k = alone.unwrap_or(0);
    let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| (piece.vertices[k], heights[k]));
    let on_plane = |to: (DVec3, f64)| a.0 + (to.0 - a.0) * (a.1 / (a.1 - to.1)).clamp(0.0, 1.0);
    let [x, y] = [on_plane(b), on_plane(c)];
    let tip = Triangle::new(a.0, x, y);
    let trunk = [Triangle::new(x, b.0, c.0), Triangle::new(x, c.0, y)];
    if a.1 > 0.0 {
        rest.push(tip);
        trunk.to_vec()
    } else {
        rest.extend(trunk);
        vec![tip]
    }
}
