//! Trees by planes that cut faces, which then are in several leaves. A tree of the engine holds every face once, so
//! these are over copies of faces.
//!
//! Felger's and Zachmann's, before Eckstein changed it: one plane for every axis, placed to halve the faces as well as
//! possible; the best balanced of the three splits the node. Thibault and Naylor's: planes of faces.

use noli::tree::{Tree, TreeNode};
use noli_geom::{Aabb, Triangle};

/// Stopping criteria of [`zachmann`] and [`bsp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneOptions {
    /// No deeper than this.
    pub depth: usize,
    /// Nodes of so few faces are leaves.
    pub few: usize,
    /// A node is a leaf where its larger side would have more than this share of its faces.
    pub balance: f64,
}

impl Default for PlaneOptions {
    fn default() -> Self {
        Self { depth: 16, few: 2, balance: 0.8 }
    }
}

/// A tree over copies of faces.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// A face is in several leaves, by its own number in each.
    pub tree: Tree,
    /// Box of each node: it holds the parts of its faces on its side of all planes.
    pub boxes: Vec<Aabb>,
}

/// Part faces by planes across the axes, cut faces to both sides (Zachmann and Felger 1995, as Eckstein 1998
/// describes it in section 3.1).
///
/// ```
/// use noli_classics::tree::{PlaneOptions, zachmann};
/// # let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let triangles: Vec<_> = mesh.iter_triangles().collect();
/// let built = zachmann(&triangles, &PlaneOptions::default());
/// assert!(built.tree.faces.len() >= triangles.len());
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn zachmann(triangles: &[Triangle], options: &PlaneOptions) -> Copies {
    grown(triangles, options, |around, faces| {
        let (axis, at, sides) = best_plane(triangles, faces)?;
        let mut halves = [*around; 2];
        (halves[0].max[axis], halves[1].min[axis]) = (at, at);
        Some((sides, halves))
    })
}

/// Part faces by planes of faces, cut faces to both sides (Thibault and Naylor 1987, as Eckstein 1998 describes it in
/// section 6.1.3), each side in the box of its faces. All other faces of a convex body are on one side of each plane: no
/// split of it is balanced.
pub fn bsp(triangles: &[Triangle], options: &PlaneOptions) -> Copies {
    grown(triangles, options, |_, faces| {
        let sides = best_face_plane(triangles, faces)?;
        let boxes = [0, 1].map(|side: usize| around(triangles, &sides[side]));
        Some((sides, boxes))
    })
}

/// Copies of faces, per face, from which on nodes are no longer parted.
const MOST_COPIES: usize = 64;

/// The two sides of a plane, by numbers of faces.
type Sides = [Vec<u32>; 2];

fn around(triangles: &[Triangle], faces: &[u32]) -> Aabb {
    Aabb::from_points(faces.iter().flat_map(|&face| triangles[face as usize].vertices))
}

fn grown(
    triangles: &[Triangle],
    options: &PlaneOptions,
    cut: impl Fn(&Aabb, &[u32]) -> Option<(Sides, [Aabb; 2])>,
) -> Copies {
    let mut copies = Copies::default();
    if !triangles.is_empty() {
        let faces: Vec<u32> = (0..triangles.len() as u32).collect();
        copies.tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
        copies.boxes.push(around(triangles, &faces));
        let most = MOST_COPIES.saturating_mul(triangles.len());
        copies.grow((options, most), &cut, (0, 0), faces);
    }
    copies
}

impl Copies {
    fn grow(
        &mut self,
        (options, most_copies): (&PlaneOptions, usize),
        cut: &impl Fn(&Aabb, &[u32]) -> Option<(Sides, [Aabb; 2])>,
        (node, depth): (usize, usize),
        faces: Vec<u32>,
    ) {
        let start = self.tree.faces.len() as u32;
        let parted =
            depth < options.depth && faces.len() > options.few && self.tree.faces.len() < most_copies;
        let most = options.balance * faces.len() as f64;
        let is_fair = |side: &Vec<u32>| side.len() < faces.len() && side.len() as f64 <= most;
        let parts = if parted { cut(&self.boxes[node], &faces) } else { None };
        match parts.filter(|(sides, _)| sides.iter().all(is_fair)) {
            None => self.tree.faces.extend(faces),
            Some((sides, boxes)) => {
                let first = self.tree.nodes.len();
                self.tree.nodes[node].children = first as u32..first as u32 + 2;
                self.tree.nodes.extend([(); 2].map(|()| TreeNode { faces: 0..0, children: 0..0 }));
                self.boxes.extend(boxes);
                for (child, side) in sides.into_iter().enumerate() {
                    self.grow((options, most_copies), cut, (first + child, depth + 1), side);
                }
            }
        }
        self.tree.nodes[node].faces = start..self.tree.faces.len() as u32;
    }
}

/// The plane that halves the faces best, of those across an axis through a vertex, and its two sides.
fn best_plane(triangles: &[Triangle], faces: &[u32]) -> Option<(usize, f64, Sides)> {
    let mut best: Option<((usize, usize), usize, f64)> = None;
    for axis in 0..3 {
        let range = |&face: &u32| {
            let along = triangles[face as usize].vertices.map(|vertex| vertex[axis]);
            (
                along.into_iter().fold(f64::INFINITY, f64::min),
                along.into_iter().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (mut low, mut high): (Vec<f64>, Vec<f64>) = faces.iter().map(range).unzip();
        low.sort_by(f64::total_cmp);
        high.sort_by(f64::total_cmp);
        for &at in low.iter().chain(&high) {
            let below = low.partition_point(|x| *x < at);
            let above = faces.len() - high.partition_point(|x| *x <= at);
            let key = (below.abs_diff(above), below + above);
            if below > 0 && above > 0 && best.is_none_or(|(least, ..)| key < least) {
                best = Some((key, axis, at));
            }
        }
    }
    let (_, axis, at) = best?;
    let vertices = |face: u32| triangles[face as usize].vertices.map(|vertex| vertex[axis]);
    let below = faces.iter().copied().filter(|&f| vertices(f).iter().any(|x| *x < at)).collect();
    // What lies in the plane is put above it.
    let above = faces.iter().copied().filter(|&f| {
        let along = vertices(f);
        along.iter().any(|x| *x > at) || along.iter().all(|x| *x == at)
    });
    Some((axis, at, [below, above.collect()]))
}

/// Planes of faces that are tried at a node.
const TRIED: usize = 24;

/// The two sides of the plane of a face that halves the faces best, of some spread over the list. Rounding moves a
/// face to another side and loses none, for every face is on some side.
fn best_face_plane(triangles: &[Triangle], faces: &[u32]) -> Option<Sides> {
    let sides = |&plane: &u32| {
        let [a, b, c] = triangles[plane as usize].vertices;
        let normal = (b - a).cross(c - a);
        let along = |face: u32| triangles[face as usize].vertices.map(|vertex| normal.dot(vertex - a));
        let below = faces.iter().copied().filter(|&f| f != plane && along(f).iter().any(|x| *x < 0.0));
        // What lies in the plane is put above it.
        let above = faces.iter().copied().filter(|&f| {
            let along = along(f);
            f == plane || along.iter().any(|x| *x > 0.0) || !along.iter().any(|x| *x < 0.0)
        });
        [below.collect::<Vec<u32>>(), above.collect()]
    };
    let tried = faces.iter().step_by(faces.len().div_ceil(TRIED)).map(sides);
    let proper = tried.filter(|[below, above]| !below.is_empty() && !above.is_empty());
    proper.min_by_key(|[below, above]| (below.len().abs_diff(above.len()), below.len() + above.len()))
}
