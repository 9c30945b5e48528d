//! Shapes prepared for queries.

mod field;
mod forms;
mod parts;
mod stored;

pub(crate) use field::FieldModel;
pub(crate) use forms::{CompoundModel, ConvexModel, Form, Part};
pub(crate) use parts::{NearestFirst, ROUNDING};
pub use stored::StoredTreeError;

use crate::tree::packed::PackedTree;
use crate::tree::{PACKED_WIDTH, Tree, TreeNode, TreeOptions};
use glam::DVec3;
use noli_geom::{
    Aabb, Convex, Mesh, MeshError, MeshKind, Motion, Pose, Sphere, SweptBox, Triangle, UNIT_ROUNDOFF,
};
use std::sync::{Arc, OnceLock};

/// How much care goes into building a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// The tree that answers fastest: see [`TreeOptions::suited`].
    #[default]
    Full,
    /// A tree built in half the time that answers three to eight times slower, for models that are asked only a few
    /// thousand questions.
    Quick,
}

/// How a model is prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// How much care goes into the tree.
    pub effort: Effort,
}

/// A shape prepared for queries: immutable, shared by cloning, usable from any thread.
///
/// ```
/// use noli::{Model, Overlap, Pose, overlap};
/// # let (vertices, triangles) = { let t = noli_scenes::tetrahedron(); (t.vertices, t.triangles) };
/// let mesh = noli::Mesh::from_triangles(vertices, triangles, &Default::default())?;
/// let model = Model::new(&mesh, &Default::default());
/// let here = model.at(Pose::IDENTITY);
/// let there = model.at(Pose::from_translation(glam::dvec3(9.0, 0.0, 0.0)));
/// assert_eq!(overlap(&here, &there), Overlap::Free);
/// # Ok::<(), noli::MeshError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model(Arc<Form>);

/// A model at a place, for the length of one query.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// What stands there.
    pub model: &'a Model,
    /// Where it stands.
    pub world_from_self: Pose,
}

/// A model in motion, for the length of one query.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// What moves.
    pub model: &'a Model,
    /// How it moves: its poses in the world.
    pub motion: &'a dyn Motion,
}

impl<'a> Moving<'a> {
    /// Where it is at a time.
    pub fn at(&self, t: f64) -> Placed<'a> {
        self.model.at(self.motion.pose(t))
    }

    /// A box that holds it at every time of a span within [0, 1].
    pub fn swept_box(&self, span: (f64, f64), kind: SweptBox) -> Aabb {
        kind.around(&self.model.aabb(), &self.ball(), self.motion, span)
    }

    /// A ball around the model, in its own frame.
    pub(crate) fn ball(&self) -> Sphere {
        self.model.ball()
    }
}

/// A mesh and its trees.
#[derive(Debug)]
pub(crate) struct MeshModel {
    pub(crate) mesh: Mesh,
    tree: Arc<Tree>,
    pub(crate) packed: PackedTree,
    /// Around all vertices.
    pub(crate) ball: Sphere,
    /// Around all faces.
    pub(crate) bounds: Aabb,
    probes: OnceLock<Vec<DVec3>>,
    /// A box around the faces of each node of `tree`; made when first asked for.
    boxes: OnceLock<Vec<Aabb>>,
    /// The hull of the vertices; none for a mesh without faces.
    hull: OnceLock<Option<Convex>>,
    inner_balls: OnceLock<InnerBalls>,
}

impl Model {
    /// Prepare a mesh. Slow compared with a query; parallel with the `rayon` feature.
    pub fn new(mesh: &Mesh, options: &ModelOptions) -> Self {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let tree = Tree::build(&triangles, &TreeOptions::suited(options.effort, &triangles));
        Self::from_tree(mesh.clone(), Arc::new(tree), &triangles, options.effort)
    }

    /// Prepare a mesh with another tree than the one that measures best. Packed storage has its own volumes and takes at most four
    /// children a node and four faces a leaf: larger choices are narrowed. Answers are the same, times differ.
    ///
    /// ```
    /// use noli::{Model, tree::{Split, TreeOptions}};
    /// # let t = noli_scenes::tetrahedron();
    /// # let mesh = noli::Mesh::from_triangles(t.vertices, t.triangles, &Default::default())?;
    /// let model = Model::with_tree(&mesh, &TreeOptions { split: Split::Gottschalk, ..TreeOptions::default() });
    /// # assert!(model.tree_bytes() > 0);
    /// # Ok::<(), noli::MeshError>(())
    /// ```
    pub fn with_tree(mesh: &Mesh, options: &TreeOptions) -> Self {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let tree = Tree::build(&triangles, &options.in_blocks()).narrowed(PACKED_WIDTH);
        Self::from_tree(mesh.clone(), Arc::new(tree), &triangles, Effort::Full)
    }

    fn from_tree(mesh: Mesh, tree: Arc<Tree>, triangles: &[Triangle], effort: Effort) -> Self {
        let packed = PackedTree::new(&tree, triangles, effort);
        Self(Arc::new(Form::Mesh(MeshModel::from_parts(mesh, tree, packed))))
    }

    /// The same faces with other vertex positions; a polyhedron becomes a mesh by it. Faster than
    /// [`Model::new`] because the shape of the tree is kept; where the vertices have moved far, a new model
    /// answers faster.
    pub fn refit(&self, vertices: Vec<DVec3>) -> Result<Self, MeshError> {
        let mesh = self.faces().mesh.with_vertices(vertices)?;
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        Ok(Self::from_tree(mesh, self.faces().tree.clone(), &triangles, Effort::Full))
    }

    /// This model at a place.
    pub fn at(&self, world_from_self: Pose) -> Placed<'_> {
        Placed { model: self, world_from_self }
    }

    /// This model in motion.
    pub fn moving<'a>(&'a self, motion: &'a dyn Motion) -> Moving<'a> {
        Moving { model: self, motion }
    }

    /// The mesh it was made of, or the faces of a polyhedron; a mesh without faces for any other form.
    pub fn mesh(&self) -> &Mesh {
        &self.faces().mesh
    }

    /// Bytes held by the tree, without the mesh.
    pub fn tree_bytes(&self) -> usize {
        self.faces().packed.bytes()
    }

    /// Bytes held by the tree and the mesh; user numbers and the polygons of a mesh are not counted.
    pub fn bytes(&self) -> usize {
        size_of_val(self.mesh().vertices()) + size_of_val(self.mesh().triangles()) + self.tree_bytes()
    }

    pub(crate) fn form(&self) -> &Form {
        &self.0
    }
}

/// Balls inside a solid.
#[derive(Debug)]
pub(crate) struct InnerBalls {
    /// The largest first.
    pub(crate) balls: Vec<Sphere>,
    /// A ball around all of them, up to rounding.
    pub(crate) around: Sphere,
}

impl InnerBalls {
    pub(crate) fn new(balls: Vec<Sphere>) -> Self {
        let center = balls.first().map_or(DVec3::ZERO, |ball| ball.center);
        let reach = |ball: &Sphere| ball.center.distance(center) + ball.radius;
        let radius = balls.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
        Self {
            balls,
            around: Sphere { center, radius: if radius > 0.0 { radius * (1.0 + 1e-9) } else { 0.0 } },
        }
    }
}

impl MeshModel {
    fn from_parts(mesh: Mesh, tree: Arc<Tree>, packed: PackedTree) -> Self {
        let (probes, boxes, hull) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let inner_balls = OnceLock::new();
        let (ball, bounds) = (ball(&mesh), mesh.aabb());
        Self { ball, bounds, mesh, tree, packed, probes, boxes, hull, inner_balls }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// A box around the faces of each node of the tree.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        self.boxes.get_or_init(|| {
            let faces =
                |node: &TreeNode| &self.tree.faces[node.faces.start as usize..node.faces.end as usize];
            let around = |node| faces(node).iter().map(|&face| self.mesh.triangle(face).aabb());
            self.tree.nodes.iter().map(|node| around(node).fold(Aabb::EMPTY, Aabb::union)).collect()
        })
    }

    /// The hull of the faces' corners.
    pub(crate) fn hull(&self) -> Option<&Convex> {
        let make = || Convex::hull(self.mesh.iter_triangles().flat_map(|t| t.corners)).ok();
        self.hull.get_or_init(make).as_ref()
    }

    pub(crate) fn is_solid(&self) -> bool {
        self.mesh.kind() == MeshKind::Solid
    }

    /// A vertex of every connected part: where surfaces do not meet, a part is inside or outside as
    /// a whole. Made when first asked for.
    pub(crate) fn probes(&self) -> &[DVec3] {
        self.probes.get_or_init(|| probes(&self.mesh))
    }

    /// Balls inside the solid, found by `find` when first asked for.
    pub(crate) fn inner_balls(&self, find: impl FnOnce() -> InnerBalls) -> &InnerBalls {
        self.inner_balls.get_or_init(find)
    }

    /// Whether they were looked for.
    pub(crate) fn has_inner_balls(&self) -> bool {
        self.inner_balls.get().is_some()
    }
}

/// The ball about the middle of the bounding box.
fn ball(mesh: &Mesh) -> Sphere {
    let center = Aabb::around(mesh.vertices().iter().copied()).center();
    let radius = mesh.vertices().iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    Sphere { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) }
}

/// One vertex of each set of triangles that are connected through equal vertex positions.
fn probes(mesh: &Mesh) -> Vec<DVec3> {
    let vertices = mesh.vertices();
    let key = |&v: &u32| (vertices[v as usize] + 0.0).to_array().map(f64::to_bits);
    let mut parent: Vec<u32> = (0..vertices.len() as u32).collect();
    let mut by_position = parent.clone();
    by_position.sort_unstable_by_key(key);
    for pair in by_position.windows(2).filter(|pair| key(&pair[0]) == key(&pair[1])) {
        join(&mut parent, pair[0], pair[1]);
    }
    for &[x, y, z] in mesh.triangles() {
        join(&mut parent, x, y);
        join(&mut parent, y, z);
    }
    let mut roots: Vec<u32> = mesh.triangles().iter().map(|t| root(&mut parent, t[0])).collect();
    roots.sort_unstable();
    roots.dedup();
    roots.iter().map(|&v| vertices[v as usize]).collect()
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

fn join(parent: &mut [u32], x: u32, y: u32) {
    let (x, y) = (root(parent, x), root(parent, y));
    parent[x.max(y) as usize] = x.min(y);
}
