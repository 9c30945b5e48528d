//! Shapes, and shapes prepared for queries.
//!
//! A [`Shape`] is geometry as given. [`Model::new`] reduces the many shapes to a few forms, each with what
//! makes its queries fast; the table of pairs is a `match` over two of these.

pub(crate) mod features;
mod field;
mod forms;
mod parts;
mod shape;
mod stored;

pub(crate) use field::FieldModel;
pub(crate) use forms::{CompoundModel, ConvexModel, Form, Part};
pub use noli_geom::{
    Aabb, Core, Features, Hull, HullError, Mass, MeshKind, MeshOptions, Segment, Sphere, Support, Triangle,
    Voxels,
};
pub use noli_implicit::{FormulaError, Inclusion};
pub(crate) use parts::{NearestFirst, ROUNDING};
pub use shape::Shape;
pub use stored::StoredTreeError;
#[doc(hidden)]
pub use stored::checksum as tree_checksum;

use crate::penetration::Soundness;
use crate::tree::packed::PackedTree;
use crate::tree::{Effort, PACKED_WIDTH, Tree, TreeError};
use glam::DVec3;
use noli_geom::{Convex, Mesh, Motion, Parts, Pose, ShapeError, SweptBox, UNIT_ROUNDOFF};
use std::sync::{Arc, OnceLock};

/// How a model is prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// How much care goes into the tree.
    pub effort: Effort,
}

/// A shape prepared for queries: immutable, shared by cloning, usable from any thread.
///
/// ```
/// use noli::{Mesh, Model, Overlap, Pose, overlap};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?)?;
/// let here = cube.at(Pose::IDENTITY);
/// let there = cube.at(Pose::from_translation(glam::dvec3(9.0, 0.0, 0.0)));
/// assert_eq!(overlap(&here, &there), Overlap::Free);
/// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// Balls around all vertices; made when first asked for.
    cover: OnceLock<Vec<Sphere>>,
    probes: OnceLock<Vec<DVec3>>,
    /// Whether its solid is the same seen from everywhere; found when first asked for.
    closed: OnceLock<bool>,
    /// For each part the vertices that reach furthest along the diagonals; made when first asked for.
    outposts: OnceLock<Vec<[DVec3; 8]>>,
    /// Which part each face is of; made when first asked for.
    parts: OnceLock<Parts>,
    /// A box around the faces of each node of `tree`; made when first asked for.
    boxes: OnceLock<Vec<Aabb>>,
    /// The hull of the vertices; `None` for a mesh without faces.
    hull: OnceLock<Option<Convex>>,
    inner_balls: OnceLock<InnerBalls>,
    /// What kind of solid the faces bound; found out when first asked for.
    soundness: OnceLock<Soundness>,
    /// Corners, edges and faces with what is around them; found when first asked for.
    features: OnceLock<features::MeshFeatures>,
}

/// A mesh at a place, for the length of one query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshAt<'a> {
    pub(crate) model: &'a MeshModel,
    pub(crate) world_from_self: Pose,
}

impl<'a> Placed<'a> {
    /// A mesh that is (a part of) the model, where it stands.
    #[inline]
    pub(crate) fn with<'m>(&self, model: &'m MeshModel) -> MeshAt<'m> {
        MeshAt { model, world_from_self: self.world_from_self }
    }

    /// The faces of a mesh or of a polyhedral core; `None` for any other form.
    pub(crate) fn core_faces(&self) -> Option<MeshAt<'a>> {
        self.model.faces().map(|model| self.with(model))
    }

    /// The faces, if they are the whole surface.
    pub(crate) fn all_faces(&self) -> Option<MeshAt<'a>> {
        match self.model.form() {
            Form::Convex(model) if model.convex.radius() != 0.0 => None,
            _ => self.core_faces(),
        }
    }
}

impl Model {
    /// Prepare a shape. Slow compared with a query; parallel with the `rayon` feature. Meshes and convex
    /// bodies, which cannot fail, also come by `Model::from`.
    ///
    /// A field must be proven to end: give it bounds with [`Field::within`](crate::Field::within) if it does
    /// not.
    ///
    /// ```
    /// use noli::{Convex, Field, Model, Overlap, Pose, Shape, overlap};
    /// let ball = Model::new(Convex::sphere(0.5)?)?;
    /// let floor = Model::new(Shape::HalfSpace)?;
    /// let ring = Model::new(Field::parse("torus(2, 0.5)")?)?;
    /// let at = |x, z| Pose::from_translation(glam::dvec3(x, 0.0, z));
    /// assert_eq!(overlap(&ball.at(at(0.0, 0.5)), &floor.at(Pose::IDENTITY)), Overlap::Hit); // it lies on the floor
    /// assert_eq!(overlap(&ball.at(at(0.0, 0.0)), &ring.at(Pose::IDENTITY)), Overlap::Free); // in the hole
    /// assert_eq!(overlap(&ball.at(at(1.1, 0.0)), &ring.at(Pose::IDENTITY)), Overlap::Hit);
    /// assert!(Model::new(Field::parse("x^2 + y^2 <= 1")?).is_err()); // it goes on for ever
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(shape: impl Into<Shape>) -> Result<Self, ShapeError> {
        Self::with(shape, &ModelOptions::default())
    }

    /// Prepare a shape in another way than the one that measures best. Answers are the same, times differ.
    pub fn with(shape: impl Into<Shape>, options: &ModelOptions) -> Result<Self, ShapeError> {
        Form::new(shape.into(), options).map(|form| Self(Arc::new(form)))
    }

    /// Prepare a mesh with another tree than the one that measures best. Packed storage has its own volumes
    /// and takes at most four children a node and four faces a leaf: wider nodes get others between. Answers
    /// are the same, times differ. An error if it is no tree of these faces.
    ///
    /// ```
    /// use noli::tree::{Faces, Tree};
    /// use noli::{Mesh, Model, model::Triangle};
    /// let mesh = Mesh::cuboid(glam::DVec3::ONE)?;
    /// let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
    /// let faces = Faces::new(&triangles);
    /// let model = Model::with_tree(&mesh, Tree::top_down(&faces, 4, |part| Some(faces.halves(part))))?;
    /// # assert!(model.tree_bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_tree(mesh: &Mesh, tree: Tree) -> Result<Self, TreeError> {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        tree.check(triangles.len())?;
        let tree = if mesh.is_empty() { Tree::default() } else { tree.narrowed(PACKED_WIDTH) };
        Ok(Self::from_tree(mesh.clone(), Arc::new(tree), &triangles, Effort::Full))
    }

    fn from_tree(mesh: Mesh, tree: Arc<Tree>, triangles: &[Triangle], effort: Effort) -> Self {
        let packed = PackedTree::new(&tree, triangles, effort);
        Self(Arc::new(Form::Mesh(MeshModel::from_parts(mesh, tree, packed))))
    }

    /// The same faces with other vertex positions; a polyhedron becomes a mesh by it. Faster than
    /// [`Model::new`] because the shape of the tree is kept; where the vertices have moved far, a new model
    /// answers faster.
    pub fn refit(&self, vertices: Vec<DVec3>) -> Result<Self, ShapeError> {
        let faces = self.faces().ok_or(ShapeError::NoFaces)?;
        let mesh = faces.mesh.with_vertices(vertices)?;
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        Ok(Self::from_tree(mesh, faces.tree.clone(), &triangles, Effort::Full))
    }

    /// This model at a place.
    pub fn at(&self, world_from_self: Pose) -> Placed<'_> {
        Placed { model: self, world_from_self }
    }

    /// This model in motion.
    pub fn moving<'a>(&'a self, motion: &'a dyn Motion) -> Moving<'a> {
        Moving { model: self, motion }
    }

    /// The convex body it was made of; `None` for any other shape.
    pub fn convex(&self) -> Option<&Convex> {
        match self.form() {
            Form::Convex(model) => Some(&model.convex),
            _ => None,
        }
    }

    /// The mesh it was made of; `None` if it was made of another shape.
    pub fn mesh(&self) -> Option<&Mesh> {
        match self.form() {
            Form::Mesh(model) => Some(&model.mesh),
            Form::Convex(_) | Form::HalfSpace | Form::Compound(_) | Form::Field(_) => None,
        }
    }

    /// Bytes held by the tree, without the mesh; 0 for a body without faces.
    pub fn tree_bytes(&self) -> usize {
        self.faces().map_or(0, |faces| faces.packed.bytes())
    }

    /// Bytes held by the tree and the mesh; user numbers and the polygons of a mesh are not counted.
    pub fn bytes(&self) -> usize {
        let mesh = |mesh: &Mesh| size_of_val(mesh.vertices()) + size_of_val(mesh.triangles());
        self.faces().map_or(0, |faces| mesh(&faces.mesh)) + self.tree_bytes()
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
        let (probes, parts, boxes, hull) = Default::default();
        let (closed, outposts, inner_balls, soundness, features, cover) = Default::default();
        let (ball, bounds) = (ball(&mesh), mesh.aabb());
        Self {
            ball,
            bounds,
            cover,
            mesh,
            tree,
            packed,
            probes,
            closed,
            outposts,
            parts,
            boxes,
            hull,
            inner_balls,
            soundness,
            features,
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Balls around all vertices, several where the body is long: then they reach less far from an axis along it.
    ///
    /// A pose is linear in the point that it places, so no point of a face goes further or strays further from its chord than
    /// the furthest of its corners.
    pub(crate) fn cover(&self) -> &[Sphere] {
        self.cover.get_or_init(|| cover(&self.mesh, &self.ball, &self.bounds))
    }

    /// A box around the faces of each node of the tree.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        self.boxes.get_or_init(|| {
            let around = |node| self.tree.faces_of(node).iter().map(|&face| self.mesh.triangle(face).aabb());
            self.tree.nodes.iter().map(|node| around(node).fold(Aabb::EMPTY, Aabb::union)).collect()
        })
    }

    /// The hull of the faces' corners.
    pub(crate) fn hull(&self) -> Option<&Convex> {
        let make = || Convex::hull(self.mesh.iter_triangles().flat_map(|t| t.corners)).ok();
        self.hull.get_or_init(make).as_ref()
    }

    /// Corners, edges and faces with what is around them.
    pub(crate) fn features(&self) -> &features::MeshFeatures {
        self.features.get_or_init(|| features::MeshFeatures::new(&self.mesh))
    }

    pub(crate) fn is_solid(&self) -> bool {
        self.mesh.kind() == MeshKind::Solid
    }

    /// Whether nothing outside its box can be inside it.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.get_or_init(|| self.mesh.is_closed())
    }

    /// A vertex of every connected part: where surfaces do not meet, a part is inside or outside as
    /// a whole. Made when first asked for.
    pub(crate) fn probes(&self) -> &[DVec3] {
        self.probes.get_or_init(|| {
            let firsts = self.mesh.parts().first_triangles();
            firsts.iter().map(|&first| self.mesh.triangle(first).corners[0]).collect()
        })
    }

    /// For each part that [`MeshModel::probes`] has a vertex of, the vertices that reach furthest along the
    /// eight diagonals of space: a part that is inside something has all of them there. Made when first asked
    /// for.
    pub(crate) fn outposts(&self) -> &[[DVec3; 8]] {
        self.outposts.get_or_init(|| {
            let diagonal = |k: usize| {
                let side = |axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
                DVec3::new(side(0), side(1), side(2))
            };
            let mut all: Vec<[DVec3; 8]> = self.probes().iter().map(|&probe| [probe; 8]).collect();
            for (face, triangle) in self.mesh.iter_triangles().enumerate() {
                let furthest = &mut all[self.parts().of_triangle[face] as usize];
                for (k, furthest) in furthest.iter_mut().enumerate() {
                    for corner in triangle.corners {
                        if corner.dot(diagonal(k)) > furthest.dot(diagonal(k)) {
                            *furthest = corner;
                        }
                    }
                }
            }
            all
        })
    }

    /// The parts that [`MeshModel::probes`] has a vertex of, by face.
    pub(crate) fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| self.mesh.parts())
    }

    /// Balls inside the solid, found by `find` when first asked for.
    pub(crate) fn inner_balls(&self, find: impl FnOnce() -> InnerBalls) -> &InnerBalls {
        self.inner_balls.get_or_init(find)
    }

    /// What kind of solid the faces bound, found by `find` when first asked for.
    pub(crate) fn soundness_or(&self, find: impl FnOnce() -> Soundness) -> &Soundness {
        self.soundness.get_or_init(find)
    }

    /// Whether they were looked for.
    pub(crate) fn has_inner_balls(&self) -> bool {
        self.inner_balls.get().is_some()
    }
}

/// The ball about the middle of the bounding box.
/// Meshes with fewer faces are looked at sooner than motions are bounded closely.
const MANY_FACES: usize = 512;
/// Balls along the longest side.
const SLABS: usize = 8;

fn cover(mesh: &Mesh, ball: &Sphere, bounds: &Aabb) -> Vec<Sphere> {
    let (axis, size) = (bounds.longest_axis(), bounds.size());
    if mesh.triangle_count() < MANY_FACES || size[axis] <= 0.0 {
        return vec![*ball];
    }
    let slab = |v: DVec3| {
        let share = (v[axis] - bounds.min[axis]) / size[axis];
        ((share * SLABS as f64) as usize).min(SLABS - 1)
    };
    let mut boxes = [Aabb::EMPTY; SLABS];
    for &vertex in mesh.vertices() {
        let own = &mut boxes[slab(vertex)];
        *own = own.union(Aabb { min: vertex, max: vertex });
    }
    let mut balls = boxes.map(|own| Sphere { center: own.center(), radius: 0.0 });
    for &vertex in mesh.vertices() {
        let own = &mut balls[slab(vertex)];
        own.radius = own.radius.max(own.center.distance(vertex) * (1.0 + 8.0 * UNIT_ROUNDOFF));
    }
    let found =
        boxes.iter().zip(balls).filter(|(own, _)| !own.is_empty()).map(|(_, ball)| ball).collect::<Vec<_>>();
    if found.iter().all(|own| own.radius < 0.9 * ball.radius) { found } else { vec![*ball] }
}

fn ball(mesh: &Mesh) -> Sphere {
    let center = Aabb::around(mesh.vertices().iter().copied()).center();
    let radius = mesh.vertices().iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    Sphere { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) }
}
