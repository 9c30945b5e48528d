//! Directed Hausdorff distance from a volume to its contents, as a proven bracket.
//!
//! Eckstein (1998, chapter 3): divide the volume into cells, bound each from both sides, always refine the
//! one that may still contain the largest distance. His regions cover the surface. A bound on the distance
//! of two bodies whose volumes overlap needs the solid ([`Part::Solid`]). A tiny body in the middle of a
//! hollow one is far from everything although the surfaces agree. The bound of a cell is the largest
//! distance of its vertices to the face nearest to its middle. Distance to a convex face is convex, so no
//! point of a flat cell is farther. Without it a tight box (distance 0) would need endless refinement.

use crate::number::round;
use crate::rank::{Greatest, Ranked};
use crate::volume::{ROUNDINGS, Volume, length};
use crate::{Aabb, AnyVolume, Bracket, Obb, Sphere, Triangle};
use glam::DVec3;
use std::collections::BinaryHeap;

/// Points of a volume that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Part {
    /// Its surface.
    Surface,
    /// All of it.
    #[default]
    Solid,
}

/// Parameters of [`hausdorff`].
#[derive(Clone, Copy, Debug)]
pub struct HausdorffQuery {
    /// Points of the volume that count.
    pub part: Part,
    /// Width of the bracket, as a share of the size of the volume, at which the search ends.
    pub tolerance: f64,
    /// The search ends after so many cells; the bracket is then wider.
    pub cells: usize,
}

impl Default for HausdorffQuery {
    fn default() -> Self {
        Self { part: Part::Solid, tolerance: 1e-2, cells: 20_000 }
    }
}

/// A set of faces with a nearest-face query.
pub trait Faces {
    /// The face nearest to a point; `None` if there is none.
    fn nearest(&self, point: DVec3) -> Option<Triangle>;
}

/// Tests all triangles.
impl Faces for [Triangle] {
    fn nearest(&self, point: DVec3) -> Option<Triangle> {
        let distance = |t: &Triangle| t.closest_to(point).distance_squared(point);
        self.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
    }
}

/// Computes the largest distance of a point of the volume to the faces. `None` if there are no faces.
pub fn hausdorff(
    volume: &AnyVolume,
    faces: &(impl Faces + ?Sized),
    query: &HausdorffQuery,
) -> Option<Bracket> {
    let size = volume.measure(crate::Measure::Diameter);
    let mut search = Search { volume, faces, at_least: 0.0, heap: BinaryHeap::new() };
    for cell in Cell::cover(volume, query.part) {
        search.add(cell)?;
    }
    let mut cells = search.heap.len();
    let width = query.tolerance.max(round::off(1.0, 4 * ROUNDINGS)) * size;
    while let Some(top) = search.heap.pop() {
        if top.rank.0 - search.at_least <= width || cells >= query.cells {
            search.heap.push(top);
            break;
        }
        for part in top.item.parts(volume) {
            search.add(part)?;
            cells += 1;
        }
    }
    let at_most = search.heap.peek().map_or(0.0, |top| top.rank.0);
    let rounding = round::off(size + length(volume.center()), ROUNDINGS);
    Some(Bracket {
        at_least: (search.at_least - rounding).max(0.0),
        at_most: at_most.max(search.at_least) + rounding,
    })
}

struct Search<'a, F: ?Sized> {
    volume: &'a AnyVolume,
    faces: &'a F,
    at_least: f64,
    heap: BinaryHeap<Ranked<Greatest, Cell>>,
}

impl<F: Faces + ?Sized> Search<'_, F> {
    fn add(&mut self, cell: Cell) -> Option<()> {
        let middle = cell.middle();
        let face = self.faces.nearest(middle)?;
        let to_face = |p: DVec3| length(face.closest_to(p) - p);
        if cell.on_surface() || self.volume.holds(middle) {
            self.at_least = self.at_least.max(to_face(middle));
        }
        let farthest = cell.vertices().map(to_face).fold(0.0, f64::max) + cell.bulge();
        let at_most = farthest.min(to_face(middle) + cell.bounding_radius());
        self.heap.push(Ranked { rank: Greatest(at_most), item: cell });
        Some(())
    }
}

/// A cell of a volume.
#[derive(Clone, Copy)]
enum Cell {
    /// A flat triangle.
    Flat([DVec3; 3]),
    /// A triangle on a sphere, between great circles.
    Round([DVec3; 3], Sphere),
    /// A box, of which only the part inside the volume counts.
    Block(Obb),
}

impl Cell {
    /// Cells that together hold the wanted part of a volume.
    fn cover(volume: &AnyVolume, part: Part) -> Vec<Self> {
        match (part, volume) {
            (Part::Surface, AnyVolume::Sphere(sphere)) => icosahedron()
                .map(|t| Self::Round(t.map(|v| sphere.center + v * sphere.radius), *sphere))
                .collect(),
            (Part::Surface, AnyVolume::Aabb(aabb)) => box_sides(&Obb::from(*aabb)),
            (Part::Surface, AnyVolume::Obb(obb)) => box_sides(obb),
            (Part::Surface, AnyVolume::Kdop(dop)) => match dop.polytope() {
                Some(body) => body.triangles().map(|(_, t)| Self::Flat(t)).collect(),
                None => box_sides(&Obb::from(dop.aabb())),
            },
            (Part::Solid, AnyVolume::Obb(obb)) => vec![Self::Block(*obb)],
            (Part::Solid, AnyVolume::Aabb(aabb)) => vec![Self::Block(Obb::from(*aabb))],
            (Part::Solid, AnyVolume::Kdop(dop)) => vec![Self::Block(Obb::from(dop.aabb()))],
            (Part::Solid, AnyVolume::Sphere(sphere)) => {
                let reach = DVec3::splat(sphere.radius);
                vec![Self::Block(Obb::from(Aabb { min: sphere.center - reach, max: sphere.center + reach }))]
            }
        }
    }

    fn on_surface(&self) -> bool {
        !matches!(self, Self::Block(_))
    }

    fn middle(&self) -> DVec3 {
        match self {
            Self::Flat(vertices) => vertices.iter().sum::<DVec3>() / 3.0,
            Self::Round(vertices, sphere) => on_sphere(sphere, vertices.iter().sum::<DVec3>() / 3.0),
            Self::Block(block) => block.center,
        }
    }

    fn vertices(&self) -> impl Iterator<Item = DVec3> {
        let vertices: Vec<DVec3> = match self {
            Self::Flat(vertices) | Self::Round(vertices, _) => vertices.to_vec(),
            Self::Block(block) => block_vertices(block).to_vec(),
        };
        vertices.into_iter()
    }

    /// Returns the largest distance of a point from the middle.
    fn bounding_radius(&self) -> f64 {
        match self {
            Self::Block(block) => length(block.half_extents),
            _ => {
                self.vertices().map(|vertex| length(vertex - self.middle())).fold(0.0, f64::max)
                    + self.bulge()
            }
        }
    }

    /// Returns the largest distance of a point from the hull of the vertices.
    fn bulge(&self) -> f64 {
        let Self::Round([a, b, c], sphere) = self else { return 0.0 };
        match (b - a).cross(c - a).try_normalize() {
            Some(normal) => (sphere.radius - normal.dot(a - sphere.center).abs()).max(0.0),
            None => 0.0,
        }
    }

    /// Smaller cells that hold the same part of the volume.
    fn parts(&self, volume: &AnyVolume) -> Vec<Self> {
        match self {
            Self::Flat(vertices) => {
                let middle = |a: DVec3, b: DVec3| a * 0.5 + b * 0.5;
                bisect(vertices, middle).map(Self::Flat).to_vec()
            }
            Self::Round(vertices, sphere) => {
                let middle = |a: DVec3, b: DVec3| on_sphere(sphere, a * 0.5 + b * 0.5);
                bisect(vertices, middle).map(|part| Self::Round(part, *sphere)).to_vec()
            }
            Self::Block(block) => {
                // A flat box has fewer halves.
                let flat = block.half_extents.max_element() * 1e-9;
                let split: Vec<usize> = (0..3).filter(|&k| block.half_extents[k] > flat).collect();
                let child = |bits: usize| {
                    let mut child = *block;
                    for (bit, &k) in split.iter().enumerate() {
                        child.half_extents[k] *= 0.5;
                        let side = if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
                        child.center += block.axes.col(k) * (side * child.half_extents[k]);
                    }
                    child
                };
                let children = (0..1usize << split.len()).map(child);
                children.filter(|child| may_meet(volume, child)).map(Self::Block).collect()
            }
        }
    }
}

/// Returns `true` if a block may share a point with the volume.
fn may_meet(volume: &AnyVolume, block: &Obb) -> bool {
    match volume {
        // Blocks of a box are parts of it.
        AnyVolume::Aabb(_) | AnyVolume::Obb(_) => true,
        _ => volume.distance_bound(&AnyVolume::Obb(*block), &crate::RelativePose::identity()) <= 0.0,
    }
}

fn block_vertices(block: &Obb) -> [DVec3; 8] {
    let own = Aabb { min: -block.half_extents, max: block.half_extents };
    own.vertices().map(|vertex| block.center + block.axes * vertex)
}

fn box_sides(obb: &Obb) -> Vec<Cell> {
    let vertices = block_vertices(obb);
    let quads = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
    let halves = |q: [usize; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    quads.into_iter().flat_map(halves).map(|t| Cell::Flat(t.map(|k| vertices[k]))).collect()
}

/// Both halves of a triangle cut across its longest side.
fn bisect(vertices: &[DVec3; 3], middle: impl Fn(DVec3, DVec3) -> DVec3) -> [[DVec3; 3]; 2] {
    let side = |k: usize| vertices[k].distance_squared(vertices[(k + 1) % 3]);
    let longest = (0..3).max_by(|&i, &j| side(i).total_cmp(&side(j))).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|k| vertices[(longest + k) % 3]);
    let m = middle(a, b);
    [[a, m, c], [b, c, m]]
}

fn on_sphere(sphere: &Sphere, point: DVec3) -> DVec3 {
    sphere.center + (point - sphere.center).normalize_or(DVec3::X) * sphere.radius
}

/// The triangles of the icosahedron in the unit sphere.
fn icosahedron() -> impl Iterator<Item = [DVec3; 3]> {
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    let mut vertices = Vec::new();
    for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let (a, b) = (s, t * golden);
        vertices.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let near = |a: DVec3, b: DVec3| a.distance_squared(b) < 4.1;
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let [a, b, c] = [vertices[i], vertices[j], vertices[k]];
                if near(a, b) && near(b, c) && near(c, a) {
                    triangles.push([a, b, c].map(DVec3::normalize));
                }
            }
        }
    }
    triangles.into_iter()
}
