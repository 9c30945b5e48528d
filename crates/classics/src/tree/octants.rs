//! Sphere trees on the octants of a box, whose leaves share faces.
//!
//! Palmer and Grimsdale (1995) put a sphere around every octant that holds faces and part it while it holds
//! more than two. Hubbard (1995) moves the spheres of such a tree by simulated annealing, so that each fits the
//! surface in its octant (both after Eckstein 1998, section 3.2.1). A sphere holds the surface within its octant,
//! not the whole of every face there. A point that two bodies share is in an octant of each, so no contact is
//! lost.

use super::draw;
use super::spheres::SphereTree;
use glam::DVec3;
use noli::tree::{Tree, TreeNode};
use noli_geom::{Aabb, Sphere, Triangle};

/// Stopping criteria of [`palmer_grimsdale`] and [`hubbard_octree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctantOptions {
    /// Octants of so few faces are leaves.
    pub few: usize,
    /// No deeper than this: around a vertex of many faces octants could be parted for ever.
    pub depth: usize,
}

impl Default for OctantOptions {
    fn default() -> Self {
        Self { few: 2, depth: 7 }
    }
}

/// Copies of faces, per face, from which on octants are no longer parted.
const MOST_COPIES: usize = 64;
/// Places tried in annealing a sphere.
const TRIALS: usize = 30;
/// Pieces of the surface, of all in an octant, by which the excess of a sphere is bounded.
const MEASURED: usize = 64;
/// Margin for the rounding of clipped faces, by the size of the coordinates; a piece is clipped three times a
/// level, with a few roundings each.
const MARGIN: f64 = 1e-12;

/// A sphere around every octant that holds faces (Palmer and Grimsdale 1995).
///
/// ```
/// use noli_classics::tree::{OctantOptions, palmer_grimsdale};
/// # let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let triangles: Vec<_> = mesh.iter_triangles().collect();
/// let built = palmer_grimsdale(&triangles, &OctantOptions::default());
/// assert!(built.tree.faces.len() >= triangles.len());
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn palmer_grimsdale(triangles: &[Triangle], options: &OctantOptions) -> SphereTree {
    grow(triangles, options, |octant, _, margin| {
        let sphere = Sphere::centered(octant.center(), &octant.vertices());
        Sphere { radius: sphere.radius + margin, ..sphere }
    })
}

/// The same octants; each sphere is moved by simulated annealing to extend less beyond the surface in its octant
/// (Hubbard 1995, first method), by his coarse bound of the directed Hausdorff distance.
pub fn hubbard_octree(triangles: &[Triangle], options: &OctantOptions) -> SphereTree {
    grow(triangles, options, |octant, pieces, margin| {
        let vertices: Vec<DVec3> = pieces.iter().flat_map(|piece| piece.polygon.iter().copied()).collect();
        let around = |center: DVec3| {
            let sphere = Sphere::centered(center, &vertices);
            Sphere { radius: sphere.radius + margin, ..sphere }
        };
        let some = pieces.iter().step_by(pieces.len().div_ceil(MEASURED).max(1));
        let surface: Vec<Triangle> = some.flat_map(Piece::triangles).collect();
        annealed(around(octant.center()), around, |sphere| {
            super::hubbard_bound(sphere, &surface[..]).unwrap_or(f64::INFINITY)
        })
    })
}

/// The best of the spheres met on a walk that is led less and less by chance.
fn annealed(start: Sphere, around: impl Fn(DVec3) -> Sphere, excess: impl Fn(&Sphere) -> f64) -> Sphere {
    let mut state = 1995;
    let first = excess(&start);
    let (mut now, mut best) = ((start, first), (start, first));
    let mut warmth = 0.5;
    for _ in 0..TRIALS {
        let step = warmth * draw::share(&mut state) * now.0.radius;
        let next = around(now.0.center + draw::direction(&mut state) * step);
        let next = (next, excess(&next));
        let accepted = (now.1 - next.1) / (0.1 * warmth * first);
        if next.1 <= now.1 || draw::share(&mut state) < accepted.exp() {
            now = next;
        }
        if now.1 < best.1 {
            best = now;
        }
        warmth *= 0.93;
    }
    best.0
}

/// The part of a face within an octant.
#[derive(Clone)]
struct Piece {
    face: u32,
    polygon: Vec<DVec3>,
}

impl Piece {
    fn triangles(&self) -> impl Iterator<Item = Triangle> {
        let fan = |pair: &[DVec3]| Triangle { vertices: [self.polygon[0], pair[0], pair[1]] };
        self.polygon[1..].windows(2).map(fan)
    }

    /// The parts below and above a plane across an axis; a piece that only touches the plane is on one side.
    fn halves(self, axis: usize, at: f64) -> [Option<Self>; 2] {
        if self.polygon.iter().all(|vertex| vertex[axis] <= at) {
            return [Some(self), None];
        }
        if self.polygon.iter().all(|vertex| vertex[axis] >= at) {
            return [None, Some(self)];
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (i, &from) in self.polygon.iter().enumerate() {
            let to = self.polygon[(i + 1) % self.polygon.len()];
            if from[axis] <= at {
                sides[0].push(from);
            }
            if from[axis] >= at {
                sides[1].push(from);
            }
            if (from[axis] < at && to[axis] > at) || (from[axis] > at && to[axis] < at) {
                let mut point = from + (to - from) * ((at - from[axis]) / (to[axis] - from[axis]));
                point[axis] = at;
                sides.iter_mut().for_each(|side| side.push(point));
            }
        }
        sides.map(|polygon| Some(Self { face: self.face, polygon }))
    }
}

/// A box and the pieces of faces in it.
struct Octant {
    cell: Aabb,
    pieces: Vec<Piece>,
}

impl Octant {
    /// The octants of the octant that hold pieces of faces; nothing where parting gains nothing, as where many
    /// faces share a place.
    fn parts(&self) -> Option<Vec<Self>> {
        let center = self.cell.center();
        let mut parts = vec![Self { cell: self.cell, pieces: self.pieces.clone() }];
        for axis in 0..3 {
            parts = parts.into_iter().flat_map(|part| part.halves(axis, center[axis])).collect();
        }
        let spread: usize = parts.iter().map(|part| part.pieces.len()).sum();
        (spread < 6 * self.pieces.len()).then_some(parts)
    }

    fn halves(self, axis: usize, at: f64) -> impl Iterator<Item = Self> {
        let mut cells = [self.cell; 2];
        (cells[0].max[axis], cells[1].min[axis]) = (at, at);
        let mut sides = [Vec::new(), Vec::new()];
        for halves in self.pieces.into_iter().map(|piece| piece.halves(axis, at)) {
            sides.iter_mut().zip(halves).for_each(|(side, half)| side.extend(half));
        }
        let parts = cells.into_iter().zip(sides).map(|(cell, pieces)| Self { cell, pieces });
        parts.filter(|part| !part.pieces.is_empty())
    }
}

struct Growing<'a, F> {
    options: &'a OctantOptions,
    most: usize,
    margin: f64,
    sphere: F,
    built: SphereTree,
}

fn grow(
    triangles: &[Triangle],
    options: &OctantOptions,
    sphere: impl Fn(&Aabb, &[Piece], f64) -> Sphere,
) -> SphereTree {
    let mut built = SphereTree { tree: Tree::default(), spheres: Vec::new() };
    if triangles.is_empty() {
        return built;
    }
    let cell = Aabb::from_points(triangles.iter().flat_map(|face| face.vertices));
    let margin = MARGIN * cell.min.abs().max(cell.max.abs()).max_element();
    let pieces =
        (0..).zip(triangles).map(|(face, triangle)| Piece { face, polygon: triangle.vertices.into() });
    let root = Octant { cell, pieces: pieces.collect() };
    built.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
    built.spheres.push(sphere(&root.cell, &root.pieces, margin));
    let most = MOST_COPIES.saturating_mul(triangles.len());
    let mut growing = Growing { options, most, margin, sphere, built };
    growing.node(0, 0, root);
    growing.built
}

impl<F: Fn(&Aabb, &[Piece], f64) -> Sphere> Growing<'_, F> {
    fn node(&mut self, node: usize, depth: usize, octant: Octant) {
        let start = self.built.tree.faces.len();
        let parted =
            octant.pieces.len() > self.options.few && depth < self.options.depth && start < self.most;
        match if parted { octant.parts() } else { None } {
            None => self.built.tree.faces.extend(octant.pieces.iter().map(|piece| piece.face)),
            Some(parts) => {
                let first = self.built.tree.nodes.len();
                self.built.tree.nodes[node].children = first as u32..(first + parts.len()) as u32;
                for part in &parts {
                    self.built.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
                    self.built.spheres.push((self.sphere)(&part.cell, &part.pieces, self.margin));
                }
                for (child, part) in parts.into_iter().enumerate() {
                    self.node(first + child, depth + 1, part);
                }
            }
        }
        self.built.tree.nodes[node].faces = start as u32..self.built.tree.faces.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    /// The clipped parts of a face part its area, each within its side.
    #[test]
    fn pieces_part_a_face() {
        let mut random = noli_scenes::SplitMix64::new(5);
        for _ in 0..500 {
            let polygon: Vec<DVec3> = (0..3).map(|_| random.direction()).collect();
            let area = |piece: &Piece| {
                piece
                    .triangles()
                    .map(|t| (t.vertices[1] - t.vertices[0]).cross(t.vertices[2] - t.vertices[0]).length())
                    .sum::<f64>()
            };
            let whole = area(&Piece { face: 0, polygon: polygon.clone() });
            let at = random.between(-0.5, 0.5);
            let halves = Piece { face: 0, polygon }.halves(1, at);
            let within = |half: &Piece, side: f64| half.polygon.iter().all(|v| side * (v.y - at) >= 0.0);
            assert!(halves[0].as_ref().is_none_or(|half| within(half, -1.0)));
            assert!(halves[1].as_ref().is_none_or(|half| within(half, 1.0)));
            let parts: f64 = halves.iter().flatten().map(area).sum();
            assert!((parts - whole).abs() < 1e-12, "{parts}, {whole}");
        }
    }

    /// Annealing pulls a sphere that begins beside a speck over it, and never ends with a worse one.
    #[test]
    fn annealed_spheres_fit_better() {
        let speck = [dvec3(1., 0., 0.), dvec3(1.1, 0., 0.), dvec3(1., 0.1, 0.)];
        let around = |center: DVec3| Sphere::centered(center, &speck);
        let surface = [Triangle { vertices: speck }];
        let excess = |sphere: &Sphere| crate::tree::hubbard_bound(sphere, &surface[..]).unwrap();
        let start = around(DVec3::ZERO);
        let found = annealed(start, around, excess);
        assert!(excess(&found) < 0.5 * excess(&start), "{found:?}");
        let best = Sphere::smallest(&speck);
        assert!(excess(&annealed(best, around, excess)) <= excess(&best));
    }
}
