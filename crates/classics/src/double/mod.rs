//! Double hierarchies of convex bodies: every node has a bounding volume and an inscribed volume of its
//! part.
//!
//! After Arcila et al. (one paper on spheres, one on boxes): a binary tree of convex parts, cut across
//! their longest axis. Separated outer volumes prove parts separated; intersecting inner volumes prove that
//! the bodies collide. The printed traversals lose collisions. They test the first pair of faces only, drop
//! results of recursion and miss containment, see [`DoubleTree::overlap_as_printed`]. The one here is
//! exact: faces are those of the body, whole. Collisions found neither by volumes nor by faces are
//! containment.

mod build;
mod printed;
mod union;
mod walk;

pub use printed::{Paper, PrintedWalk};
pub use union::DoubleUnion;
pub use walk::{DoubleTests, DoubleVerdict, HitBy};

use noli::Model;
use noli_geom::{AnyVolume, Mesh, Polytope, Triangle};
use std::ops::Range;

/// Build options of a [`DoubleTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleOptions {
    /// Levels below the root; the papers use 3 for spheres and 4 for boxes.
    pub depth: usize,
    /// Volumes stored in the nodes.
    pub volumes: DoubleVolumes,
    /// Fit of inner volumes.
    pub inner: InnerFit,
    /// Position of the cuts.
    pub cut: CutAt,
    /// Source of the axes of a part.
    pub spread: Spread,
    /// Bounding sphere of a part.
    pub sphere: OuterSphere,
    /// Along which axes the boxes of the root lie.
    pub root: RootAxes,
}

impl Default for DoubleOptions {
    fn default() -> Self {
        Self {
            depth: 3,
            volumes: DoubleVolumes::Spheres,
            inner: InnerFit::Largest,
            cut: CutAt::OuterCenter,
            spread: Spread::Volume,
            sphere: OuterSphere::Smallest,
            root: RootAxes::Spread,
        }
    }
}

impl DoubleOptions {
    /// As the paper on spheres prints it.
    pub fn spheres_as_printed() -> Self {
        Self {
            inner: InnerFit::Centroid,
            spread: Spread::Vertices,
            sphere: OuterSphere::FourVertices,
            ..Self::default()
        }
    }

    /// As the paper on boxes prints it.
    pub fn boxes_as_printed() -> Self {
        Self {
            depth: 4,
            volumes: DoubleVolumes::Boxes,
            cut: CutAt::Centroid,
            spread: Spread::Vertices,
            root: RootAxes::Body,
            ..Self::default()
        }
    }
}

/// Volumes stored in the nodes of a double tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubleVolumes {
    /// Spheres around and inside.
    Spheres,
    /// Oriented boxes around and inside.
    Boxes,
}

/// Fit of inner volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InnerFit {
    /// About the centroid of the part, as in the paper on spheres.
    Centroid,
    /// The largest: the sphere about Chebyshev's centre, the box of most volume along the axes of the part.
    Largest,
}

/// Position of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutAt {
    /// Through the centre of its outer volume.
    OuterCenter,
    /// Through its centroid.
    Centroid,
}

/// Source of the centroid and axes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// The vertices of the triangles of its faces, as printed; depends on how faces are cut into triangles.
    Vertices,
    /// The surface.
    Surface,
    /// The solid.
    Volume,
}

/// Bounding sphere of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OuterSphere {
    /// The smallest.
    Smallest,
    /// The smallest of the spheres through four vertices that contain all others, as printed. It is never
    /// smaller, since two or three vertices may determine the smallest sphere. Takes the fifth power of the
    /// vertices. Parts of more than [`OuterSphere::MOST_VERTICES`], and those without four suitable vertices,
    /// get the smallest.
    FourVertices,
}

impl OuterSphere {
    /// Largest number of vertices for [`OuterSphere::FourVertices`].
    pub const MOST_VERTICES: usize = 128;
}

/// Along which axes the boxes of the root lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootAxes {
    /// Along its axes of spread, like those of all parts.
    Spread,
    /// Along the axes of the body, as printed.
    Body,
}

/// Position of a part relative to the surface of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// All its faces are cuts.
    Interior,
    /// Some are not.
    Exterior,
}

/// A convex body in a double hierarchy.
#[derive(Clone, Debug)]
pub struct DoubleTree {
    nodes: Vec<DoubleNode>,
    model: Model,
    /// Faces of the body in triangles.
    triangles: Vec<Triangle>,
}

/// A convex part.
#[derive(Clone, Debug)]
pub struct DoubleNode {
    /// Bounding volume of the part.
    pub outer: AnyVolume,
    /// Volume contained in the part; `None` if the part is too thin.
    pub inner: Option<AnyVolume>,
    /// `Exterior` if it contains a part of the surface.
    pub label: Label,
    /// The convex part.
    pub piece: Polytope,
    /// Its children: two, or none.
    pub children: Range<u32>,
    /// Numbers of the body's triangles that a leaf answers for.
    faces: Vec<u32>,
    /// Half the size of the outer volume.
    size: f64,
}

/// Defect found by [`DoubleTree::check`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoubleTreeError {
    /// A part protrudes from its outer volume.
    #[error("the piece of node {0} sticks out of its outer volume")]
    Outer(usize),
    /// An inner volume protrudes from its part.
    #[error("the inner volume of node {0} sticks out of its piece")]
    Inner(usize),
    /// The children do not have the volume of their parent.
    #[error("the children of node {0} do not make up its piece")]
    Pieces(usize),
    /// A node's label does not fit its faces, or an interior node was cut.
    #[error("node {0} is labelled wrongly")]
    Label(usize),
    /// A triangle of the body is in no leaf.
    #[error("triangle {0} is in no leaf")]
    Face(u32),
}

impl DoubleTree {
    /// Cut a convex body into a double hierarchy. Nothing where the body has no volume or its coordinates are
    /// not finite.
    pub fn new(body: &Polytope, options: &DoubleOptions) -> Option<Self> {
        let vertices: Vec<[u32; 3]> = body
            .faces
            .iter()
            .flat_map(|face| {
                let first = face.vertices[0];
                face.vertices[1..].windows(2).map(move |w| [first, w[0], w[1]])
            })
            .collect();
        let mesh =
            Mesh::from_triangles(body.vertices.clone(), vertices, &Default::default()).ok()?.into_solid();
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let nodes = build::nodes(body, &triangles, options)?;
        Some(Self { nodes, model: Model::new(&mesh).ok()?, triangles })
    }

    /// All nodes; the first is the root, children come after their parents.
    pub fn nodes(&self) -> &[DoubleNode] {
        &self.nodes
    }

    /// Returns the number of cuts that lead to a node; `None` if there is no such node.
    pub fn level(&self, node: u32) -> Option<usize> {
        self.nodes.get(node as usize)?;
        let parent = |child: u32| self.nodes.iter().position(|node| node.children.contains(&child));
        let (mut level, mut at) = (0, node);
        while let Some(above) = parent(at) {
            (level, at) = (level + 1, above as u32);
        }
        Some(level)
    }

    /// The body as any other query sees it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Checks four properties: outer volumes contain their parts, parts contain their inner volumes, children
    /// partition their parent's part, and every triangle is in a leaf.
    pub fn check(&self) -> Result<(), DoubleTreeError> {
        let mut seen = vec![false; self.triangles.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            node.check(index)?;
            let children = &self.nodes[node.children.start as usize..node.children.end as usize];
            let parts: f64 = children.iter().map(|child| child.piece.volume()).sum();
            let whole = node.piece.volume();
            if !children.is_empty() && (parts - whole).abs() > 1e-9 * whole.max(self.nodes[0].piece.volume())
            {
                return Err(DoubleTreeError::Pieces(index));
            }
            node.faces.iter().for_each(|&face| seen[face as usize] = true);
        }
        match seen.iter().position(|seen| !seen) {
            Some(face) => Err(DoubleTreeError::Face(face as u32)),
            None => Ok(()),
        }
    }
}

impl DoubleNode {
    fn check(&self, index: usize) -> Result<(), DoubleTreeError> {
        use noli_geom::Volume;
        if !self.piece.vertices.iter().all(|v| self.outer.holds(*v)) {
            return Err(DoubleTreeError::Outer(index));
        }
        let inside = |inner: &AnyVolume| self.piece.faces.iter().all(|f| inner.support(f.normal) <= f.offset);
        if !self.inner.as_ref().is_none_or(inside) {
            return Err(DoubleTreeError::Inner(index));
        }
        let exterior = self.piece.faces.iter().any(|face| face.origin.is_some());
        if exterior != (self.label == Label::Exterior) || (!exterior && !self.children.is_empty()) {
            return Err(DoubleTreeError::Label(index));
        }
        Ok(())
    }
}
