//! Shapes, and shapes prepared for queries.
//!
//! A [`Shape`] is geometry as given. [`Model::new`] reduces the many shapes to a few forms, each with what
//! makes its queries fast; the table of pairs is a `match` over two of these.

mod cloud;
mod enlarged;
pub(crate) mod features;
mod field;
mod forms;
mod parts;
mod shape;
mod solid;
mod stored;

pub(crate) use cloud::CloudModel;
pub(crate) use enlarged::Scale;
pub(crate) use field::FieldModel;
pub(crate) use forms::{ConvexModel, Form};
pub use noli_geom::{
    Aabb, Core, Features, Hull, HullError, Mass, MeshKind, MeshOptions, PointCloud, Segment, Sphere, Support,
    Triangle, Voxels,
};
pub use noli_implicit::{FormulaError, Inclusion};
pub(crate) use parts::{CompoundModel, NearestFirst, Part, ROUNDING};
pub use shape::Shape;
use solid::SolidProperties;
pub use stored::StoredTreeError;
#[doc(hidden)]
pub use stored::checksum as tree_checksum;

use crate::tree::packed::PackedTree;
use crate::tree::{Effort, PACKED_WIDTH, Tree, TreeError};
use glam::DVec3;
use noli_geom::{Convex, Mesh, Motion, Parts, Pose, ShapeError, SweptBox, UNIT_ROUNDOFF};
use std::sync::{Arc, OnceLock};

/// Options for preparing a model.
#[doc(alias("CollisionGeometry", "CollisionObject", "BVHModel", "bvh"))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// Effort spent on building the tree.
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
#[doc(alias = "CollisionObject")]
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The item at this place.
    pub model: &'a Model,
    /// Its placement.
    pub world_from_self: Pose,
}

/// A model in motion, for the length of one query.
#[derive(Clone, Copy, Debug)]
pub struct Moving<'a> {
    /// The moving object.
    pub model: &'a Model,
    /// Motion of the model: its poses in the world.
    pub motion: &'a dyn Motion,
}

impl<'a> Moving<'a> {
    /// Returns its placement at a time.
    pub fn at(&self, t: f64) -> Placed<'a> {
        self.model.at(self.motion.pose(t))
    }

    /// A box that holds it at every time of a span within [0, 1].
    pub fn swept_box(&self, span: (f64, f64), kind: SweptBox) -> Aabb {
        kind.around(&self.model.aabb(), &self.sphere(), self.motion, span)
    }

    /// A sphere around the model, in its own frame.
    pub(crate) fn sphere(&self) -> Sphere {
        self.model.sphere()
    }
}

/// A mesh and its trees.
#[derive(Debug)]
pub(crate) struct MeshModel {
    pub(crate) mesh: Mesh,
    /// No other body has it, so that hints are not mixed up.
    pub(crate) number: u64,
    tree: Arc<Tree>,
    pub(crate) packed: PackedTree,
    /// Around all vertices.
    pub(crate) sphere: Sphere,
    /// Around all faces.
    pub(crate) bounds: Aabb,
    /// Spheres around all vertices; computed on first use.
    cover: OnceLock<Vec<Sphere>>,
    probes: OnceLock<Vec<DVec3>>,
    /// `true` if point-in-solid does not depend on the ray direction; computed on first use.
    closed: OnceLock<bool>,
    /// For each part the extreme vertices along the diagonals; computed on first use.
    far_vertices: OnceLock<Vec<[DVec3; 8]>>,
    /// Part of each face; computed on first use.
    parts: OnceLock<Parts>,
    /// Bounding box of the faces of each node of `tree`; computed on first use.
    boxes: OnceLock<Vec<Aabb>>,
    /// The hull of the vertices; `None` for a mesh without faces.
    hull: OnceLock<Option<Convex>>,
    inner_spheres: OnceLock<InnerSpheres>,
    /// Created on first use.
    solid_properties: OnceLock<SolidProperties>,
    /// Vertices, edges and faces with their neighbours; computed on first use.
    features: OnceLock<features::MeshFeatures>,
}

/// A mesh at a place, for the length of one query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeshAt<'a> {
    pub(crate) model: &'a MeshModel,
    pub(crate) world_from_self: Pose,
}

impl<'a> Placed<'a> {
    /// Returns a mesh that is (a part of) the model, at its pose.
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
    /// let sphere = Model::new(Convex::sphere(0.5)?)?;
    /// let floor = Model::new(Shape::HalfSpace)?;
    /// let ring = Model::new(Field::parse("torus(2, 0.5)")?)?;
    /// let at = |x, z| Pose::from_translation(glam::dvec3(x, 0.0, z));
    /// assert_eq!(overlap(&sphere.at(at(0.0, 0.5)), &floor.at(Pose::IDENTITY)), Overlap::Hit); // it lies on the floor
    /// assert_eq!(overlap(&sphere.at(at(0.0, 0.0)), &ring.at(Pose::IDENTITY)), Overlap::Free); // in the hole
    /// assert_eq!(overlap(&sphere.at(at(1.1, 0.0)), &ring.at(Pose::IDENTITY)), Overlap::Hit);
    /// assert!(Model::new(Field::parse("x^2 + y^2 <= 1")?).is_err()); // it goes on for ever
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(shape: impl Into<Shape>) -> Result<Self, ShapeError> {
        Self::with_options(shape, &ModelOptions::default())
    }

    /// Prepares a shape with other options than the fastest measured ones. Answers are the same, times differ.
    pub fn with_options(shape: impl Into<Shape>, options: &ModelOptions) -> Result<Self, ShapeError> {
        Form::new(shape.into(), options).map(|form| Self(Arc::new(form)))
    }

    /// Prepares a mesh with another tree than the fastest measured one. Packed storage has its own volumes and
    /// takes at most four children a node and four faces a leaf: wider nodes get intermediate ones. Answers are the
    /// same, times differ. Returns an error if `tree` is not a tree of these faces.
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

    /// The faces of a solid mesh as a surface, with the tree of this model; any other model as it is.
    pub fn to_surface(&self) -> Self {
        let Form::Mesh(model) = self.form() else { return self.clone() };
        let mesh = model.mesh.clone().with_kind(MeshKind::Surface);
        Self(Arc::new(Form::Mesh(MeshModel::from_parts(mesh, model.tree.clone(), model.packed.clone()))))
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
            Form::Convex(_) | Form::HalfSpace | Form::Compound(_) | Form::Field(_) | Form::Cloud(_) => None,
        }
    }

    /// The point cloud it was made of; `None` if it was made of another shape.
    pub fn point_cloud(&self) -> Option<&PointCloud> {
        match self.form() {
            Form::Cloud(model) => Some(&model.cloud),
            _ => None,
        }
    }

    /// Bytes held by the tree, without the mesh; 0 for a body without faces.
    pub fn tree_bytes(&self) -> usize {
        match self.form() {
            Form::Cloud(model) => model.tree.bytes(),
            _ => self.faces().map_or(0, |faces| faces.packed.bytes()),
        }
    }

    /// Bytes held by the tree and the mesh; user numbers and the polygons of a mesh are not counted.
    pub fn bytes(&self) -> usize {
        let mesh = |mesh: &Mesh| size_of_val(mesh.vertices()) + size_of_val(mesh.triangles());
        let points = self
            .point_cloud()
            .map_or(0, |cloud| size_of_val(cloud.points()) + cloud.radii().map_or(0, size_of_val::<[f64]>));
        self.faces().map_or(points, |faces| mesh(&faces.mesh)) + self.tree_bytes()
    }

    pub(crate) fn form(&self) -> &Form {
        &self.0
    }
}

/// Spheres inside a solid.
#[derive(Debug)]
pub(crate) struct InnerSpheres {
    /// The largest first.
    pub(crate) spheres: Vec<Sphere>,
    /// A sphere around all of them, up to rounding.
    pub(crate) around: Sphere,
}

impl InnerSpheres {
    pub(crate) fn new(spheres: Vec<Sphere>) -> Self {
        let center = spheres.first().map_or(DVec3::ZERO, |sphere| sphere.center);
        let reach = |sphere: &Sphere| sphere.center.distance(center) + sphere.radius;
        let radius = spheres.iter().map(reach).fold(f64::NEG_INFINITY, f64::max);
        Self {
            spheres,
            around: Sphere { center, radius: if radius > 0.0 { radius * (1.0 + 1e-9) } else { 0.0 } },
        }
    }
}

impl MeshModel {
    fn from_parts(mesh: Mesh, tree: Arc<Tree>, packed: PackedTree) -> Self {
        let (probes, parts, boxes, hull) = Default::default();
        let (closed, far_vertices, inner_spheres, solid_properties, features, cover) = Default::default();
        let (sphere, bounds) = (sphere(&mesh), mesh.aabb());
        Self {
            sphere,
            bounds,
            cover,
            number: forms::next_number(),
            mesh,
            tree,
            packed,
            probes,
            closed,
            far_vertices,
            parts,
            boxes,
            hull,
            inner_spheres,
            solid_properties,
            features,
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Spheres around all vertices, several where the body is long: then they reach less far from an axis along it.
    ///
    /// A pose is linear in the point that it places, so no point of a face goes further or strays further from its chord than
    /// the furthest of its vertices.
    pub(crate) fn cover(&self) -> &[Sphere] {
        self.cover.get_or_init(|| cover(&self.mesh, &self.sphere, &self.bounds))
    }

    /// A box around the faces of each node of the tree.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        self.boxes.get_or_init(|| {
            let around = |node| self.tree.faces_of(node).iter().map(|&face| self.mesh.triangle(face).aabb());
            self.tree.nodes.iter().map(|node| around(node).fold(Aabb::EMPTY, Aabb::union)).collect()
        })
    }

    /// The hull of the faces' vertices.
    pub(crate) fn hull(&self) -> Option<&Convex> {
        let make = || Convex::hull(self.mesh.iter_triangles().flat_map(|t| t.vertices)).ok();
        self.hull.get_or_init(make).as_ref()
    }

    /// Vertices, edges and faces with what is around them.
    pub(crate) fn features(&self) -> &features::MeshFeatures {
        self.features.get_or_init(|| features::MeshFeatures::new(&self.mesh))
    }

    pub(crate) fn is_solid(&self) -> bool {
        self.mesh.kind() == MeshKind::Solid
    }

    /// Returns `true` if the mesh is closed: no point outside its box can be inside it.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.get_or_init(|| self.mesh.is_closed())
    }

    /// Returns a vertex of every connected part: where surfaces do not intersect, a part is inside or outside as a
    /// whole. Computed on first use.
    pub(crate) fn probes(&self) -> &[DVec3] {
        self.probes.get_or_init(|| {
            let firsts = self.mesh.parts().first_triangles();
            firsts.iter().map(|&first| self.mesh.triangle(first).vertices[0]).collect()
        })
    }

    /// Returns the extreme vertices along the eight diagonals of space, for each part with a vertex in
    /// [`MeshModel::probes`]. A part inside another body has all of them there. Computed on first use.
    pub(crate) fn far_vertices(&self) -> &[[DVec3; 8]] {
        self.far_vertices.get_or_init(|| {
            let diagonal = |k: usize| {
                let side = |axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
                DVec3::new(side(0), side(1), side(2))
            };
            let mut all: Vec<[DVec3; 8]> = self.probes().iter().map(|&probe| [probe; 8]).collect();
            for (face, triangle) in self.mesh.iter_triangles().enumerate() {
                let furthest = &mut all[self.parts().of_triangle[face] as usize];
                for (k, furthest) in furthest.iter_mut().enumerate() {
                    for vertex in triangle.vertices {
                        if vertex.dot(diagonal(k)) > furthest.dot(diagonal(k)) {
                            *furthest = vertex;
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

    /// Returns spheres inside the solid, computed by `find` on first use.
    pub(crate) fn inner_spheres(&self, find: impl FnOnce() -> InnerSpheres) -> &InnerSpheres {
        self.inner_spheres.get_or_init(find)
    }

    /// Returns `true` if the inner spheres were computed.
    pub(crate) fn has_inner_spheres(&self) -> bool {
        self.inner_spheres.get().is_some()
    }
}

/// Meshes with fewer faces are tested sooner than motions are bounded closely.
const MANY_FACES: usize = 512;
/// Spheres along the longest side.
const SLABS: usize = 8;

fn cover(mesh: &Mesh, sphere: &Sphere, bounds: &Aabb) -> Vec<Sphere> {
    let (axis, size) = (bounds.longest_axis(), bounds.size());
    if mesh.triangle_count() < MANY_FACES || size[axis] <= 0.0 {
        return vec![*sphere];
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
    let mut spheres = boxes.map(|own| Sphere { center: own.center(), radius: 0.0 });
    for &vertex in mesh.vertices() {
        let own = &mut spheres[slab(vertex)];
        own.radius = own.radius.max(own.center.distance(vertex) * (1.0 + 8.0 * UNIT_ROUNDOFF));
    }
    let found = boxes
        .iter()
        .zip(spheres)
        .filter(|(own, _)| !own.is_empty())
        .map(|(_, sphere)| sphere)
        .collect::<Vec<_>>();
    if found.iter().all(|own| own.radius < 0.9 * sphere.radius) { found } else { vec![*sphere] }
}

/// The bounding sphere about the middle of the bounding box.
fn sphere(mesh: &Mesh) -> Sphere {
    let center = Aabb::from_points(mesh.vertices().iter().copied()).center();
    let radius = mesh.vertices().iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    Sphere { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) }
}
