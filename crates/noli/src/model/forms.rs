//! The few forms that shapes take when they are prepared.

use super::field::box_hull;
use super::parts::{CompoundModel, Part, PartTree};
use super::{CloudModel, FieldModel, MeshModel, Model, ModelOptions, Shape};
use crate::answer::Guarantee;
use crate::tree::packed::PackedTree;
use crate::tree::{Effort, Tree, TreeOptions};
use glam::DVec3;
use noli_geom::internals::Spheres;
use noli_geom::{Aabb, Convex, Mesh, Pose, ShapeError, Sphere, Triangle, UNIT_ROUNDOFF, Voxels};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Kind of geometry of a model. The table of pairs is a `match` over two of these.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one to a model, behind its pointer")]
pub(crate) enum Form {
    Mesh(MeshModel),
    Convex(Box<ConvexModel>),
    /// All points with `z <= 0`.
    HalfSpace,
    Compound(CompoundModel),
    Field(FieldModel),
    Cloud(Box<CloudModel>),
}

/// A convex body, with the faces of its core where that is a polyhedron.
#[derive(Debug)]
pub(crate) struct ConvexModel {
    pub(crate) convex: Convex,
    pub(crate) spheres: Spheres,
    /// No other body has it, so that hints are not mixed up.
    pub(crate) number: u64,
    /// Made when exact signs are first needed.
    faces: OnceLock<Option<Box<MeshModel>>>,
}

impl ConvexModel {
    /// The faces of the core; `None` if it is round.
    pub(crate) fn faces(&self) -> Option<&MeshModel> {
        let make = || {
            let mesh = self.convex.core().to_hull()?.to_mesh().ok()?;
            Some(Box::new(MeshModel::prepared(mesh, Effort::Full)))
        };
        self.faces.get_or_init(make).as_deref()
    }
}

/// A number that no other body has; 0 is none.
pub(super) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl MeshModel {
    pub(crate) fn prepared(mesh: Mesh, effort: Effort) -> Self {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let tree = Tree::build(&triangles, &TreeOptions::suited(effort, &triangles));
        let packed = PackedTree::new(&tree, &triangles, effort);
        Self::from_parts(mesh, Arc::new(tree), packed)
    }
}

impl Form {
    pub(super) fn new(shape: Shape, options: &ModelOptions) -> Result<Self, ShapeError> {
        Ok(match shape {
            Shape::Convex(convex) => Self::convex(convex),
            Shape::HalfSpace => Self::HalfSpace,
            Shape::Mesh(mesh) => Self::Mesh(MeshModel::prepared(mesh, options.effort)),
            Shape::Field(field) => Self::Field(FieldModel::new(field)?),
            Shape::Points(cloud) => Self::Cloud(Box::new(CloudModel::new(cloud))),
            Shape::Voxels(voxels) => Self::compound(boxes(&voxels)?),
            Shape::Compound(parts) => {
                let mut prepared = Vec::with_capacity(parts.len());
                for (part, (pose, shape)) in parts.into_iter().enumerate() {
                    if !pose.is_valid() {
                        return Err(ShapeError::BadPose { part });
                    }
                    prepared.push(Part::new(pose, Model::with_options(shape, options)?));
                }
                Self::compound(prepared)
            }
        })
    }

    fn convex(convex: Convex) -> Self {
        let (spheres, number) = (Spheres::new(&convex), next_number());
        Self::Convex(Box::new(ConvexModel { convex, spheres, number, faces: OnceLock::new() }))
    }

    pub(super) fn compound(parts: Vec<Part>) -> Self {
        let tree = PartTree::new(&parts);
        // The product of a part's pose and the body's is rounded.
        let guarantee = parts.iter().fold(Guarantee::Exact, |worst, part| {
            let placed = match part.pose == Pose::IDENTITY {
                true => Guarantee::Exact,
                false => Guarantee::Conservative,
            };
            worst.max(placed).max(part.model.own_guarantee())
        });
        Self::Compound(CompoundModel { parts, tree, guarantee })
    }
}

impl Model {
    /// A point.
    pub(crate) fn point() -> Self {
        Self(Arc::new(Form::convex(Convex::POINT)))
    }

    pub(super) fn of(form: Form) -> Self {
        Self(Arc::new(form))
    }

    /// Returns `true` if the model is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        match self.form() {
            Form::Mesh(model) => model.mesh.is_empty(),
            Form::Convex(_) | Form::HalfSpace => false,
            Form::Field(model) => model.field.bounds().is_empty(),
            Form::Compound(compound) => compound.parts.iter().all(|part| part.model.is_empty()),
            Form::Cloud(model) => model.cloud.points().is_empty(),
        }
    }

    /// Returns the guarantee of `overlap` and `relation` for this model and another. Brackets (`clearance`,
    /// `contact`) always hold.
    ///
    /// ```
    /// use noli::{Convex, Guarantee, Model};
    /// let sphere = Model::new(Convex::sphere(1.0)?)?;
    /// let drum = Model::new(Convex::cylinder(1.0, 0.5)?)?;
    /// assert_eq!(sphere.guarantee(&sphere), Guarantee::Exact);
    /// assert_eq!(sphere.guarantee(&drum), Guarantee::Conservative);
    /// # Ok::<(), noli::ShapeError>(())
    /// ```
    pub fn guarantee(&self, other: &Self) -> Guarantee {
        self.own_guarantee().max(other.own_guarantee())
    }

    fn own_guarantee(&self) -> Guarantee {
        match self.form() {
            Form::Mesh(_) | Form::HalfSpace | Form::Cloud(_) => Guarantee::Exact,
            Form::Convex(model) if model.convex.core().is_polyhedral() => Guarantee::Exact,
            Form::Convex(_) | Form::Field(_) => Guarantee::Conservative,
            Form::Compound(compound) => compound.guarantee,
        }
    }

    /// The same model, larger or smaller. Exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(ShapeError::BadScale { factor });
        }
        Ok(match self.form() {
            Form::Mesh(model) => {
                let mesh = model.mesh.scaled(factor)?;
                let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
                Self::from_tree(mesh, model.tree.clone(), &triangles, Effort::Full)
            }
            Form::Convex(model) => Self::of(Form::convex(model.convex.scaled(factor)?)),
            Form::HalfSpace => self.clone(),
            Form::Cloud(model) => model.scaled(factor)?,
            Form::Field(model) => Self::new(model.field.scaled(factor))?,
            Form::Compound(compound) => {
                let scaled = |part: &Part| {
                    let pose = Pose::new(part.pose.rotation, part.pose.translation * factor);
                    Ok(Part::new(pose, part.model.scaled(factor)?))
                };
                let parts = compound.parts.iter().map(scaled).collect::<Result<_, ShapeError>>()?;
                Self::of(Form::compound(parts))
            }
        })
    }

    /// A box around it in its own frame, rounded outward; infinite around a half-space.
    pub fn aabb(&self) -> Aabb {
        match self.form() {
            Form::Mesh(model) => model.bounds,
            Form::Convex(model) => model.convex.aabb(),
            Form::HalfSpace => Shape::HalfSpace.aabb(),
            Form::Compound(compound) => compound.tree.bounds(),
            Form::Field(model) => model.field.bounds(),
            Form::Cloud(model) => model.bounds,
        }
    }

    /// Returns the largest distance of its points from its origin; for unbounded geometry, that of its nearest
    /// points.
    pub(super) fn reach(&self) -> f64 {
        match self.form() {
            Form::HalfSpace => 0.0,
            Form::Compound(compound) => compound.parts.iter().map(|part| part.reach).fold(0.0, f64::max),
            _ if self.aabb().is_empty() => 0.0,
            _ => {
                let Aabb { min, max } = self.aabb();
                min.abs().max(max.abs()).length()
            }
        }
    }

    /// A sphere around it in its own frame, rounded outward; infinite around a half-space.
    pub(crate) fn sphere(&self) -> Sphere {
        match self.form() {
            Form::Mesh(model) => model.sphere,
            Form::Convex(model) => model.convex.bounding_sphere(),
            Form::HalfSpace => Sphere { center: DVec3::ZERO, radius: f64::INFINITY },
            Form::Compound(_) | Form::Field(_) | Form::Cloud(_) => {
                let bounds = self.aabb();
                let radius = bounds.size().length() * (0.5 + 8.0 * UNIT_ROUNDOFF);
                let center = bounds.center();
                let round = 8.0 * UNIT_ROUNDOFF * center.length();
                if radius.is_finite() {
                    Sphere { center, radius: radius + round }
                } else {
                    Sphere { center: DVec3::ZERO, radius: f64::INFINITY }
                }
            }
        }
    }

    /// The faces of a mesh or of a polyhedral core; `None` for any other form.
    pub(crate) fn faces(&self) -> Option<&MeshModel> {
        match self.form() {
            Form::Mesh(model) => Some(model),
            Form::Convex(model) => model.faces(),
            Form::HalfSpace | Form::Compound(_) | Form::Field(_) | Form::Cloud(_) => None,
        }
    }
}

/// A mesh is checked when it is made, so preparing it cannot fail.
impl From<Mesh> for Model {
    fn from(mesh: Mesh) -> Self {
        Self::of(Form::Mesh(MeshModel::prepared(mesh, Effort::Full)))
    }
}

impl From<&Mesh> for Model {
    fn from(mesh: &Mesh) -> Self {
        mesh.clone().into()
    }
}

/// A convex body is checked when it is made, so preparing it cannot fail.
impl From<Convex> for Model {
    fn from(convex: Convex) -> Self {
        Self::of(Form::convex(convex))
    }
}

/// Runs of voxels as boxes with the vertices that the grid gives them.
fn boxes(voxels: &Voxels) -> Result<Vec<Part>, ShapeError> {
    let part = |b: Aabb| Ok(Part::new(Pose::IDENTITY, Model::new(box_hull(&b)?)?));
    voxels.boxes().map(part).collect()
}
