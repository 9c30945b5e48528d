//! Generic storage: one `f64` volume per node, of any kind, through the same walk.
//!
//! Slower than packed storage and independent of it: the reference it is held against, and the place
//! where kinds of volume are compared.

use super::fit::FitVolume;
use super::{Copies, Rules, SphereTree, TreeOptions, build_by};
use glam::DVec3;
use noli::Budget;
use noli::trace::{NoTrace, Trace};
use noli::tree::walk::{self, Block, Ended, Item, Meter, NodeTest, Visit};
use noli::tree::{Tree, TreeError, TreeNode};
use noli_geom::internals::{Faces, HausdorffQuery, hausdorff};
use noli_geom::{AnyVolume, Measure, Mesh, RelativePose, Triangle};
use std::ops::{ControlFlow, Range};

/// A mesh with one volume per tree node.
#[derive(Clone, Debug)]
pub struct VolumeTree<V> {
    pub(super) tree: Tree,
    pub(super) volumes: Vec<V>,
    /// Size of each volume by the measure of the tree, times the cost of testing its kind.
    pub(super) quality: Vec<f64>,
    /// The largest quality of the children of each node.
    pub(super) worst_child: Vec<f64>,
    /// Sum of the costs of testing the children of each node.
    pub(super) children_cost: Vec<f64>,
    /// Largest distance that each volume extends beyond its faces, where stored.
    pub(super) reaches: Option<Vec<f64>>,
    /// In the order of the tree.
    triangles: Vec<Triangle>,
    pub(super) copies: FaceCopies,
}

/// Number of leaves that a face may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaceCopies {
    /// One.
    One,
    /// Several, whose volumes hold the parts of the face between them; pairs of faces are tested anew wherever they
    /// occur.
    Several,
    /// The same; pairs tested are remembered.
    Remembered,
}

impl<V: FitVolume> VolumeTree<V> {
    /// Build the tree and fit the volumes.
    pub fn new(mesh: &Mesh, options: &TreeOptions) -> Self {
        Self::by(mesh, options, &Rules::USUAL)
    }

    /// The same by other rules than usual.
    pub fn by(mesh: &Mesh, options: &TreeOptions, rules: &Rules) -> Self {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        Self::of_by(build_by(&triangles, options, rules), &triangles, options, rules)
    }

    /// Fit the volumes of a tree over these triangles.
    pub fn of(tree: Tree, triangles: &[Triangle], options: &TreeOptions) -> Self {
        Self::of_by(tree, triangles, options, &Rules::USUAL)
    }

    fn of_by(tree: Tree, triangles: &[Triangle], options: &TreeOptions, rules: &Rules) -> Self {
        let in_order: Vec<Triangle> = tree.faces.iter().map(|&f| triangles[f as usize]).collect();
        let fit = |node: &TreeNode| V::fit_by(&vertices(faces(&in_order, node)), options, rules);
        let volumes = tree.nodes.iter().map(fit).collect();
        Self::with_volumes(tree, in_order, volumes, (options, rules))
    }

    fn with_volumes(
        tree: Tree,
        triangles: Vec<Triangle>,
        volumes: Vec<V>,
        (options, rules): (&TreeOptions, &Rules),
    ) -> Self {
        let count = tree.nodes.len();
        let [quality, worst_child, children_cost] = [(); 3].map(|()| vec![0.0; count]);
        let (reaches, copies) = (None, FaceCopies::One);
        let mut built =
            Self { tree, volumes, quality, worst_child, children_cost, reaches, triangles, copies };
        built.rate(options.measure, rules);
        built
    }

    /// Measure every volume.
    fn rate(&mut self, measure: Measure, rules: &Rules) {
        for node in 0..self.volumes.len() {
            let volume = &self.volumes[node];
            let size = match measure {
                Measure::Hausdorff => self.reach_beyond(node as u32).unwrap_or(0.0),
                _ => volume.measure(measure),
            };
            self.quality[node] = size * rules.cost(volume.kind());
        }
        for (node, worst) in self.tree.nodes.iter().zip(&mut self.worst_child) {
            *worst = node.children.clone().map(|c| self.quality[c as usize]).fold(0.0, f64::max);
        }
        for (node, cost) in self.tree.nodes.iter().zip(&mut self.children_cost) {
            let kinds = node.children.clone().map(|c| self.volumes[c as usize].kind());
            *cost = kinds.map(|kind| rules.cost(kind)).sum();
        }
    }

    /// Returns the largest distance that a node's volume extends beyond its faces; `None` for a node without
    /// faces.
    pub fn reach_beyond(&self, node: u32) -> Option<f64> {
        let faces = Below { tree: self, node };
        let query = HausdorffQuery { tolerance: 0.02, cells: 400, ..Default::default() };
        hausdorff(&self.volumes[node as usize].any(), &faces, &query).map(|bracket| bracket.at_most)
    }

    /// Stores the distance that every volume extends beyond its faces, so that a traversal cut short can choose
    /// the indicator pair of nodes.
    pub fn with_reaches(mut self) -> Self {
        let nodes = 0..self.volumes.len() as u32;
        self.reaches = Some(nodes.map(|node| self.reach_beyond(node).unwrap_or(0.0)).collect());
        self
    }

    /// Returns the tree of faces.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The volumes, in the order of the nodes.
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }

    /// Bytes held, triangles included.
    pub fn bytes(&self) -> usize {
        let per_node = size_of::<TreeNode>() + size_of::<V>() + 2 * size_of::<f64>();
        self.tree.nodes.len() * per_node
            + self.tree.faces.len() * size_of::<u32>()
            + self.triangles.len() * size_of::<Triangle>()
    }

    /// Check the tree, and that every volume holds all faces below its node, unless it holds parts of faces.
    pub fn check(&self) -> Result<(), VolumeTreeError> {
        if self.copies != FaceCopies::One {
            let faces = (0..self.triangles.len() as u32).collect();
            let tree = Tree { nodes: self.tree.nodes.clone(), faces };
            return Ok(tree.check(self.triangles.len())?);
        }
        self.tree.check(self.triangles.len())?;
        for (index, (node, volume)) in self.tree.nodes.iter().zip(&self.volumes).enumerate() {
            let range = node.faces.start..node.faces.end;
            for (face, triangle) in range.zip(faces(&self.triangles, node)) {
                if !triangle.vertices.iter().all(|vertex| volume.holds(*vertex)) {
                    return Err(VolumeTreeError::Sticks {
                        node: index,
                        face: self.tree.faces[face as usize],
                    });
                }
            }
        }
        Ok(())
    }
}

impl VolumeTree<AnyVolume> {
    /// A tree over copies of faces with its own boxes. Pairs of copies are tested, as published, and pairs of faces
    /// reported once.
    pub fn of_copies(built: &Copies, triangles: &[Triangle], options: &TreeOptions) -> Self {
        let boxes = built.boxes.iter().map(|around| AnyVolume::Aabb(*around)).collect();
        Self { copies: FaceCopies::Several, ..Self::of_parts(&built.tree, boxes, triangles, options) }
    }

    /// A sphere tree as it was built. Where a face is in several leaves, its tests are remembered and none is
    /// made twice, as Palmer and Grimsdale do.
    pub fn of_spheres(built: &SphereTree, triangles: &[Triangle], options: &TreeOptions) -> Self {
        let spheres = built.spheres.iter().map(|sphere| AnyVolume::Sphere(*sphere)).collect();
        let shared = built.tree.check(triangles.len()).is_err();
        let tree = Self::of_parts(&built.tree, spheres, triangles, options);
        Self { copies: if shared { FaceCopies::Remembered } else { FaceCopies::One }, ..tree }
    }

    fn of_parts(tree: &Tree, volumes: Vec<AnyVolume>, triangles: &[Triangle], options: &TreeOptions) -> Self {
        let in_order: Vec<Triangle> = tree.faces.iter().map(|&f| triangles[f as usize]).collect();
        Self::with_volumes(tree.clone(), in_order, volumes, (options, &Rules::USUAL))
    }
}

impl<V> VolumeTree<V> {
    pub(super) fn is_leaf(&self, node: u32) -> bool {
        self.tree.nodes[node as usize].children.is_empty()
    }

    /// Returns the children of a node; a leaf is its own child.
    pub(super) fn children(&self, node: u32) -> Range<u32> {
        let children = &self.tree.nodes[node as usize].children;
        if children.is_empty() { node..node + 1 } else { children.clone() }
    }

    /// The faces below a node, with the number of the first.
    pub(super) fn faces(&self, node: u32) -> &[Triangle] {
        faces(&self.triangles, &self.tree.nodes[node as usize])
    }

    /// A face by its place in the tree.
    pub(super) fn triangle(&self, place: usize) -> Option<Triangle> {
        self.triangles.get(place).copied()
    }

    /// Returns the mesh's numbers of the faces below a node.
    pub(super) fn face_numbers(&self, node: u32) -> &[u32] {
        self.tree.faces_of(&self.tree.nodes[node as usize])
    }
}

/// Defect found by [`VolumeTree::check`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VolumeTreeError {
    /// The tree itself.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A volume does not hold a face below its node.
    #[error("face {face} sticks out of the volume of node {node}")]
    Sticks {
        /// The node.
        node: usize,
        /// The face, as the mesh numbers it.
        face: u32,
    },
}

fn faces<'t>(triangles: &'t [Triangle], node: &TreeNode) -> &'t [Triangle] {
    &triangles[node.faces.start as usize..node.faces.end as usize]
}

pub(super) fn vertices(triangles: &[Triangle]) -> Vec<DVec3> {
    triangles.iter().flat_map(|t| t.vertices).collect()
}

/// The faces below a node, found by walking down from it.
struct Below<'t, V> {
    tree: &'t VolumeTree<V>,
    node: u32,
}

impl<V: FitVolume> Faces for Below<'_, V> {
    fn nearest(&self, point: DVec3) -> Option<Triangle> {
        let test = FromPoint {
            tree: self.tree,
            point: V::from_points(&[point]),
            identity: RelativePose::identity(),
        };
        let mut visit = Nearest { tree: self.tree, point, best: f64::INFINITY, face: None };
        let mut list = vec![Item { key: 0.0, a: self.node, b: 0 }];
        walk::walk(&test, &mut visit, &mut list, &mut Budget::UNLIMITED.meter(), &mut NoTrace);
        visit.face
    }
}

impl<V: FitVolume> Faces for VolumeTree<V> {
    fn nearest(&self, point: DVec3) -> Option<Triangle> {
        if self.tree.nodes.is_empty() { None } else { Below { tree: self, node: 0 }.nearest(point) }
    }
}

/// One tree against a point, which is a leaf.
struct FromPoint<'t, V> {
    tree: &'t VolumeTree<V>,
    point: V,
    identity: RelativePose,
}

impl<V: FitVolume> FromPoint<'_, V> {
    fn fill(&self, a: u32, part: usize, block: &mut Block) -> bool {
        let children = self.tree.children(a);
        let first = children.start + 4 * part as u32;
        if first >= children.end {
            return false;
        }
        block.fill(first..children.end, [0], |child, _| {
            Some(below(self.tree.volumes[child as usize].distance_bound(&self.point, &self.identity)))
        });
        true
    }
}

/// A lower bound as a shorter number that is not above it.
fn below(bound: f64) -> f32 {
    (bound as f32).min(f32::MAX).next_down()
}

impl<V: FitVolume> NodeTest for FromPoint<'_, V> {
    const SORTED: bool = true;

    fn is_leaf(&self, a: u32, _: u32) -> (bool, bool) {
        (self.tree.is_leaf(a), true)
    }

    fn expand(&self, a: u32, _: u32, _: f32, block: &mut Block) {
        self.fill(a, 0, block);
    }

    fn expand_more(&self, a: u32, _: u32, part: usize, block: &mut Block) -> bool {
        self.fill(a, part, block)
    }
}

struct Nearest<'t, V> {
    tree: &'t VolumeTree<V>,
    point: DVec3,
    best: f64,
    face: Option<Triangle>,
}

impl<V> Visit for Nearest<'_, V> {
    fn cutoff(&self) -> f32 {
        (self.best as f32).next_up()
    }

    fn leaves(&mut self, a: u32, _: u32, _: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        for face in self.tree.faces(a) {
            let distance = face.closest_to(self.point).distance(self.point);
            if distance < self.best {
                (self.best, self.face) = (distance, Some(*face));
            }
        }
        ControlFlow::Continue(())
    }
}
