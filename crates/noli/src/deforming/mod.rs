//! Meshes whose vertices move straight from one position to another: cloth, soft bodies, a step of a
//! simulation.
//!
//! One tree over the faces stores a box at the start and one at the end for each node. The linearly
//! interpolated boxes contain the faces in between. So two nodes stay separated for the whole time if they are
//! separated along one axis, in the same order, at both ends. This comparison has no rounding and ignores
//! common motion. Every vertex and edge belongs to one face around it (representative triangles, Curtis,
//! Tamstorf & Manocha 2008), so each pair of features is tested once.

mod features;
mod search;

pub use search::{deforming_impacts, first_deforming_impact, first_self_impact, self_impacts};

use crate::tree::Effort;
use crate::tree::{Tree, TreeOptions};
use features::Owned;
use glam::DVec3;
use noli_geom::{Aabb, Mesh, MeshError, Triangle};

/// A mesh at the start of a step and where its vertices are at the end.
#[doc(alias("cloth", "soft body"))]
#[derive(Clone, Debug)]
pub struct Deforming {
    start: Mesh,
    end: Mesh,
    tree: Tree,
    /// By node: around its faces at the start and at the end.
    boxes: Vec<Ends>,
    /// By face.
    face_boxes: Vec<Ends>,
    /// By face: what belongs to it.
    owned: Vec<Owned>,
}

/// The same thing at both ends of the time span.
#[derive(Clone, Copy, Debug)]
struct Ends {
    start: Aabb,
    end: Aabb,
}

impl Ends {
    fn union(self, other: Self) -> Self {
        Self { start: self.start.union(other.start), end: self.end.union(other.end) }
    }

    /// Returns `true` if the boxes are separated along one axis for all times until `until`; their contents are at
    /// least as far from each other. Exact for `until = 1`, conservative for others.
    #[inline]
    fn separated(&self, other: &Self, until: f64) -> bool {
        let before = |a: &Self, b: &Self| {
            let first = a.start.max.cmplt(b.start.min);
            if !first.any() {
                return false;
            }
            let last = if until == 1.0 {
                a.end.max.cmplt(b.end.min)
            } else {
                let at = |s: DVec3, e: DVec3| s * (1.0 - until) + e * until;
                let (high, low) = (at(a.start.max, a.end.max), at(b.start.min, b.end.min));
                let reach =
                    a.start.max.abs().max(a.end.max.abs()).max(b.start.min.abs()).max(b.end.min.abs());
                (high + reach * (8.0 * f64::EPSILON)).cmplt(low)
            };
            (first & last).any()
        };
        before(self, other) || before(other, self)
    }
}

impl Deforming {
    /// A mesh and the positions of its vertices at the end of the step, in the order of [`Mesh::vertices`].
    ///
    /// ```
    /// use noli::deforming::{Deforming, first_self_impact};
    /// use noli::Impact;
    /// let torus = noli_scenes::torus(2.0, 0.5, 24, 12);
    /// let mesh = noli::Mesh::from_triangles(torus.vertices, torus.triangles, &Default::default())?;
    /// // Turned inside out through its own middle plane.
    /// let turned = mesh.vertices().iter().map(|v| glam::dvec3(v.x, v.y, -v.z)).collect();
    /// assert!(first_self_impact(&Deforming::new(&mesh, turned)?).is_hit());
    /// // Moved as a whole.
    /// let moved = mesh.vertices().iter().map(|v| *v + glam::DVec3::X).collect();
    /// assert_eq!(first_self_impact(&Deforming::new(&mesh, moved)?), Impact::Free);
    /// # Ok::<(), noli::MeshError>(())
    /// ```
    pub fn new(mesh: &Mesh, end: Vec<DVec3>) -> Result<Self, MeshError> {
        let (start, end) = (mesh.clone(), mesh.with_vertices(end)?);
        let triangles: Vec<Triangle> = start.iter_triangles().collect();
        let tree =
            Tree::build(&triangles, &TreeOptions { leaf_faces: 2, ..TreeOptions::packed(Effort::Quick) });
        let both = start.iter_triangles().zip(end.iter_triangles());
        let face_boxes: Vec<Ends> = both.map(|(s, e)| Ends { start: s.aabb(), end: e.aabb() }).collect();
        let boxes = node_boxes(&tree, &face_boxes);
        let owned = features::owned(&start);
        Ok(Self { start, end, tree, boxes, face_boxes, owned })
    }

    /// The mesh at the start.
    pub fn start(&self) -> &Mesh {
        &self.start
    }

    /// The mesh at the end.
    pub fn end(&self) -> &Mesh {
        &self.end
    }

    fn faces_below(&self, node: u32) -> &[u32] {
        self.tree.faces_of(&self.tree.nodes[node as usize])
    }
}

/// From the leaves up: children come after their parents.
fn node_boxes(tree: &Tree, faces: &[Ends]) -> Vec<Ends> {
    let nothing = Ends { start: Aabb::EMPTY, end: Aabb::EMPTY };
    let mut boxes = vec![nothing; tree.nodes.len()];
    for index in (0..tree.nodes.len()).rev() {
        let node = &tree.nodes[index];
        boxes[index] = if node.children.is_empty() {
            let below = tree.faces_of(node);
            below.iter().fold(nothing, |sum, &face| sum.union(faces[face as usize]))
        } else {
            (node.children.start..node.children.end)
                .fold(nothing, |sum, child| sum.union(boxes[child as usize]))
        };
    }
    boxes
}
