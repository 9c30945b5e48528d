//! Geometry as given: plain data in its own frame.

use glam::DVec3;
use noli_geom::{Aabb, Convex, Mass, Mesh, PointCloud, Pose, Voxels};
use noli_implicit::Field;

/// Geometry of a body.
///
/// ```
/// use noli::{Convex, Shape};
/// let sphere = Shape::from(Convex::sphere(0.5)?);
/// assert_eq!(sphere.aabb().size(), glam::DVec3::ONE);
/// # Ok::<(), noli::ShapeError>(())
/// ```
#[doc(alias("CollisionGeometry", "SharedShape"))]
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A convex body.
    Convex(Convex),
    /// All points with `z <= 0`: a floor; its pose puts it anywhere.
    HalfSpace,
    /// A surface of triangles, or the solid it bounds.
    Mesh(Mesh),
    /// Filled cells of a grid.
    Voxels(Voxels),
    /// Points of a sensor with a radius.
    Points(PointCloud),
    /// An object given by a function.
    Field(Field),
    /// Several shapes in one frame.
    Compound(Vec<(Pose, Shape)>),
}

impl From<Convex> for Shape {
    fn from(convex: Convex) -> Self {
        Self::Convex(convex)
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        Self::Mesh(mesh)
    }
}

impl From<Voxels> for Shape {
    fn from(voxels: Voxels) -> Self {
        Self::Voxels(voxels)
    }
}

impl From<PointCloud> for Shape {
    fn from(cloud: PointCloud) -> Self {
        Self::Points(cloud)
    }
}

impl From<&Mesh> for Shape {
    fn from(mesh: &Mesh) -> Self {
        Self::Mesh(mesh.clone())
    }
}

impl From<Field> for Shape {
    fn from(field: Field) -> Self {
        Self::Field(field)
    }
}

impl Shape {
    /// A box around it, rounded outward; infinite around a half-space.
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Convex(convex) => convex.aabb(),
            Self::HalfSpace => Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY.with_z(0.0) },
            Self::Mesh(mesh) => mesh.aabb(),
            Self::Voxels(voxels) => voxels.aabb(),
            Self::Points(cloud) => cloud.aabb(),
            Self::Field(field) => field.bounds(),
            Self::Compound(parts) => {
                parts.iter().map(|(pose, part)| part.aabb().transformed(pose)).fold(Aabb::EMPTY, Aabb::union)
            }
        }
    }

    /// Volume, centre and inertia of it filled with density 1, rounded; `None` for a half-space, for fields and point
    /// clouds, and for bodies with rounded edges other than capsules, which have no short formula.
    pub fn mass(&self) -> Option<Mass> {
        match self {
            Self::Convex(convex) => convex.mass(),
            Self::HalfSpace | Self::Field(_) | Self::Points(_) => None,
            Self::Mesh(mesh) => Some(mesh.mass()),
            Self::Voxels(voxels) => Some(voxels.mass()),
            Self::Compound(parts) => {
                parts.iter().map(|(pose, part)| Some(part.mass()?.transformed(pose))).sum()
            }
        }
    }
}
