//! Double hierarchies of convex bodies: every node has a volume around its piece and a volume inside it.
//!
//! After Arcila et al. (one paper on spheres, one on boxes): a binary tree of convex pieces, cut across their
//! longest axis. Outer volumes apart prove pieces apart; inner volumes that meet prove that the bodies do.
//! The printed traversals lose collisions (they look at the first pair of faces only, drop results of
//! recursion and miss containment, see [`DoubleTree::overlap_as_printed`]); the one here is exact: faces are those of the body, whole, and what
//! neither volumes nor faces find is containment.

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

/// How a [`DoubleTree`] is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleOptions {
    /// Levels below the root; the papers use 3 for spheres and 4 for boxes.
    pub depth: usize,
    /// What nodes store.
    pub volumes: DoubleVolumes,
    /// How inner volumes are found.
    pub inner: InnerFit,
    /// Where pieces are cut.
    pub cut: CutAt,
    /// What the axes of a piece are taken from.
    pub spread: Spread,
    /// Which ball is around a piece.
    pub ball: OuterBall,
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
            ball: OuterBall::Smallest,
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
            ball: OuterBall::FourVertices,
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

/// What the nodes of a double tree store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubleVolumes {
    /// Balls around and inside.
    Spheres,
    /// Oriented boxes around and inside.
    Boxes,
}

/// How inner volumes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InnerFit {
    /// About the centroid of the piece: what the paper on spheres does.
    Centroid,
    /// The largest: the ball about Chebyshev's centre, the box of most volume along the axes of the piece.
    Largest,
}

/// Where a piece is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutAt {
    /// Through the centre of its outer volume.
    OuterCenter,
    /// Through its centroid.
    Centroid,
}

/// What centroid and axes of a piece are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// The corners of the triangles of its faces, as printed; depends on how faces are cut into triangles.
    Vertices,
    /// The surface.
    Surface,
    /// The solid.
    Volume,
}

/// Which ball is around a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OuterBall {
    /// The smallest.
    Smallest,
    /// The smallest of those through four vertices that hold all others, as printed: never smaller, for the
    /// smallest ball may be fixed by two or three. Takes the fifth power of the vertices; pieces of more than
    /// [`OuterBall::MOST_VERTICES`], and those of which no four will do, get the smallest.
    FourVertices,
}

impl OuterBall {
    /// What [`OuterBall::FourVertices`] is for.
    pub const MOST_VERTICES: usize = 128;
}

/// Along which axes the boxes of the root lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootAxes {
    /// Along its axes of spread, like those of all pieces.
    Spread,
    /// Along the axes of the body, as printed.
    Body,
}

/// Whether a piece has a part of the surface of its body.
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

/// A convex piece.
#[derive(Clone, Debug)]
pub struct DoubleNode {
    /// Holds the piece.
    pub outer: AnyVolume,
    /// Is held by it; nothing where the piece is too thin.
    pub inner: Option<AnyVolume>,
    /// Whether it has a part of the surface.
    pub label: Label,
    /// The piece.
    pub piece: Polytope,
    /// Its children: two, or none.
    pub children: Range<u32>,
    /// Numbers of the body's triangles that a leaf answers for.
    faces: Vec<u32>,
    /// Half the size of the outer volume.
    size: f64,
}

/// What [`DoubleTree::check`] found wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoubleTreeError {
    /// A piece sticks out of its outer volume.
    #[error("the piece of node {0} sticks out of its outer volume")]
    Outer(usize),
    /// An inner volume sticks out of its piece.
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
        let corners: Vec<[u32; 3]> = body
            .faces
            .iter()
            .flat_map(|face| {
                let first = face.corners[0];
                face.corners[1..].windows(2).map(move |w| [first, w[0], w[1]])
            })
            .collect();
        let mesh =
            Mesh::from_triangles(body.vertices.clone(), corners, &Default::default()).ok()?.into_solid();
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let nodes = build::nodes(body, &triangles, options)?;
        Some(Self { nodes, model: Model::new(&mesh).ok()?, triangles })
    }

    /// All nodes; the first is the root, children come after their parents.
    pub fn nodes(&self) -> &[DoubleNode] {
        &self.nodes
    }

    /// How many cuts lead to a node; nothing where there is none of this number.
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

    /// Check that outer volumes hold their pieces, inner ones are held, pieces are parted by their children,
    /// and every triangle is in a leaf.
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
