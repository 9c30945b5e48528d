//! Geometry of links as data: shapes by their dimensions, meshes by the name of their file.

use crate::{Fault, Place, RobotError};
use glam::DVec3;
use noli_geom::{Convex, Mesh, MeshError, MeshOptions, Pose, ShapeError};

/// One shape on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Pose on the link.
    pub link_from_shape: Pose,
    /// What it is.
    pub form: GeometryKind,
    /// Position in the source text.
    pub place: Option<Place>,
}

/// Kind of a geometry element. Round ones have their axis along z and their centre at the origin. Lengths are
/// in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum GeometryKind {
    /// A box of these edges.
    Box {
        /// Edge lengths.
        size: DVec3,
    },
    /// A cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height.
        length: f64,
    },
    /// A cylinder with a half sphere at either end.
    Capsule {
        /// Radius.
        radius: f64,
        /// Height of the cylinder alone.
        length: f64,
    },
    /// A sphere.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A mesh in a file.
    Mesh {
        /// The file as the text names it, such as `package://arm/hand.stl`.
        file: String,
        /// Factor for each axis; a negative one mirrors.
        scale: DVec3,
    },
}

/// A shape made from a geometry element.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkGeometry {
    /// A convex body.
    Convex(Convex),
    /// A mesh.
    Mesh(Mesh),
}

/// A link's shape, placed on it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkShape {
    /// The link's number.
    pub link: usize,
    /// The set of the link's geometry that it is from.
    pub source: GeometrySource,
    /// Index of the element in that set.
    pub piece: usize,
    /// Pose on the link.
    pub link_from_shape: Pose,
    /// The shape in its own frame.
    pub solid: LinkGeometry,
}

/// One of a link's two sets of geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometrySource {
    /// The collision geometry.
    Collision,
    /// The visual geometry.
    Visual,
}

/// Reason that a link has no shape.
#[derive(Debug, thiserror::Error)]
pub enum LoadError<E> {
    /// The loader could not give the mesh.
    #[error("{}mesh `{file}`: {error}", at(*place))]
    Mesh {
        /// Position of the mesh's name in the source text.
        place: Option<Place>,
        /// The file.
        file: String,
        /// Error of the loader.
        error: E,
    },
    /// The mesh cannot be scaled so.
    #[error("{}mesh `{file}`: {error}", at(*place))]
    Scale {
        /// Position of the mesh's name in the source text.
        place: Option<Place>,
        /// The file.
        file: String,
        /// Cause of the error.
        error: MeshError,
    },
    /// The measures make no shape.
    #[error("{}{error}", at(*place))]
    Shape {
        /// Their position in the source text.
        place: Option<Place>,
        /// Cause of the error.
        error: ShapeError,
    },
}

fn at(place: Option<Place>) -> String {
    place.map_or_else(String::new, |place| format!("{place}: "))
}

/// Largest magnitude of a length; sums along a robot stay within what poses may hold.
pub(crate) const MAX_LENGTH: f64 = f64::from_bits((1023 + 250) << 52);

impl Geometry {
    /// Refuses measures that no shape has.
    pub(crate) fn check(&self, link: &str) -> Result<(), RobotError> {
        let length = |what: &str, value: f64| {
            let what = format!("{what} of a shape of link `{link}`");
            if !value.is_finite() {
                return Err(RobotError::at(self.place, Fault::NotFinite { what, value }));
            }
            if value < 0.0 || value > MAX_LENGTH {
                let range = "at least 0 and below 2^250";
                return Err(RobotError::at(self.place, Fault::OutOfRange { what, value, range }));
            }
            Ok(())
        };
        check_pose(&self.link_from_shape, self.place, || format!("the origin of a shape of link `{link}`"))?;
        match &self.form {
            GeometryKind::Box { size } => {
                size.to_array().into_iter().try_for_each(|edge| length("an edge", edge))
            }
            GeometryKind::Cylinder { radius, length: height }
            | GeometryKind::Capsule { radius, length: height } => {
                length("the radius", *radius)?;
                length("the length", *height)
            }
            GeometryKind::Sphere { radius } => length("the radius", *radius),
            GeometryKind::Mesh { scale, .. } => {
                let zero = scale.to_array().contains(&0.0);
                let what = || format!("the scale of a shape of link `{link}`");
                if zero {
                    let fault =
                        Fault::OutOfRange { what: what(), value: 0.0, range: "another number than 0" };
                    return Err(RobotError::at(self.place, fault));
                }
                scale.to_array().into_iter().try_for_each(|factor| length("the scale", factor.abs()))
            }
        }
    }

    /// The shape, a mesh by the loader, in metres.
    pub fn solid<E>(
        &self,
        load: &mut dyn FnMut(&str) -> Result<Mesh, E>,
    ) -> Result<LinkGeometry, LoadError<E>> {
        let place = self.place;
        let convex = match &self.form {
            GeometryKind::Box { size } => Convex::cuboid(*size),
            GeometryKind::Cylinder { radius, length } => Convex::cylinder(*length, *radius),
            GeometryKind::Capsule { radius, length } => Convex::capsule(*length, *radius),
            GeometryKind::Sphere { radius } => Convex::sphere(*radius),
            GeometryKind::Mesh { file, scale } => {
                let mesh =
                    load(file).map_err(|error| LoadError::Mesh { place, file: file.clone(), error })?;
                return match scaled(mesh, *scale) {
                    Ok(mesh) => Ok(LinkGeometry::Mesh(mesh)),
                    Err(error) => Err(LoadError::Scale { place, file: file.clone(), error }),
                };
            }
        };
        convex.map(LinkGeometry::Convex).map_err(|error| LoadError::Shape { place, error })
    }
}

/// The mesh stretched along its axes. A mirrored one keeps its faces outward by turning each of them round.
fn scaled(mesh: Mesh, scale: DVec3) -> Result<Mesh, MeshError> {
    if scale == DVec3::ONE {
        return Ok(mesh);
    }
    let vertices = mesh.vertices().iter().map(|&vertex| vertex * scale).collect();
    if !mirrors(scale) {
        return mesh.with_vertices(vertices);
    }
    let triangles: Vec<_> = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let user_vertices: Vec<u32> = (0..mesh.vertices().len() as u32).map(|v| mesh.user_vertex(v)).collect();
    let user_faces: Vec<u32> = (0..triangles.len() as u32).map(|t| mesh.user_face(t)).collect();
    let mirrored = Mesh::from_triangles(vertices, triangles, &MeshOptions { weld: false })?;
    Ok(mirrored.renumbered(&user_vertices, &user_faces)?.with_kind(mesh.kind()))
}

fn mirrors(scale: DVec3) -> bool {
    scale.to_array().iter().filter(|factor| **factor < 0.0).count() % 2 == 1
}

pub(crate) fn check_pose(
    pose: &Pose,
    place: Option<Place>,
    what: impl Fn() -> String,
) -> Result<(), RobotError> {
    let numbers = pose.translation.to_array().into_iter().chain(pose.rotation.to_array());
    for value in numbers {
        if !value.is_finite() {
            return Err(RobotError::at(place, Fault::NotFinite { what: what(), value }));
        }
        if value.abs() > MAX_LENGTH {
            let range = "within 2^250 of 0";
            return Err(RobotError::at(place, Fault::OutOfRange { what: what(), value, range }));
        }
    }
    if !pose.is_valid() {
        let range = "a rotation, not a quaternion of length 0";
        return Err(RobotError::at(place, Fault::OutOfRange { what: what(), value: 0.0, range }));
    }
    Ok(())
}
