//! What links look like, as data: shapes by their measures, meshes by the name of their file.

use crate::{Fault, Place, RobotError};
use glam::DVec3;
use noli_geom::{Convex, Mesh, MeshError, MeshOptions, Pose, ShapeError};

/// One shape on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it stands on the link.
    pub link_from_shape: Pose,
    /// What it is.
    pub form: Form,
    /// Where the text says so.
    pub place: Option<Place>,
}

/// What a piece of geometry is. Round ones stand along z, their middle at the origin; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
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
    /// A cylinder with a half ball at either end.
    Capsule {
        /// Radius.
        radius: f64,
        /// Height of the cylinder alone.
        length: f64,
    },
    /// A ball.
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

/// A shape made from a piece of geometry.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
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
    /// Which piece of the link's geometry.
    pub piece: usize,
    /// Where it stands on the link.
    pub link_from_shape: Pose,
    /// The shape in its own frame.
    pub solid: Solid,
}

/// Which of a link's two sets of geometry is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometrySource {
    /// What the text says is for collisions.
    Collision,
    /// What the text says is to be seen, because it gives nothing for collisions.
    Visual,
    /// The link has neither.
    Nothing,
}

/// Why a link has no shape.
#[derive(Debug, thiserror::Error)]
pub enum LoadError<E> {
    /// The loader could not give the mesh.
    #[error("{}mesh `{file}`: {error}", at(*place))]
    Mesh {
        /// Where the text names the mesh.
        place: Option<Place>,
        /// The file.
        file: String,
        /// What the loader says.
        error: E,
    },
    /// The mesh cannot be scaled so.
    #[error("{}mesh `{file}`: {error}", at(*place))]
    Scale {
        /// Where the text names the mesh.
        place: Option<Place>,
        /// The file.
        file: String,
        /// What is wrong.
        error: MeshError,
    },
    /// The measures make no shape.
    #[error("{}{error}", at(*place))]
    Shape {
        /// Where the text gives them.
        place: Option<Place>,
        /// What is wrong.
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
            if value <= 0.0 || value > MAX_LENGTH {
                let range = "positive and below 2^250";
                return Err(RobotError::at(self.place, Fault::OutOfRange { what, value, range }));
            }
            Ok(())
        };
        check_pose(&self.link_from_shape, self.place, || format!("the origin of a shape of link `{link}`"))?;
        match &self.form {
            Form::Box { size } => size.to_array().into_iter().try_for_each(|edge| length("an edge", edge)),
            Form::Cylinder { radius, length: height } | Form::Capsule { radius, length: height } => {
                length("the radius", *radius)?;
                length("the length", *height)
            }
            Form::Sphere { radius } => length("the radius", *radius),
            Form::Mesh { scale, .. } => {
                scale.to_array().into_iter().try_for_each(|factor| length("the scale", factor.abs()))
            }
        }
    }

    /// The shape, a mesh by the loader, in metres.
    pub fn solid<E>(&self, load: &mut dyn FnMut(&str) -> Result<Mesh, E>) -> Result<Solid, LoadError<E>> {
        let place = self.place;
        let convex = match &self.form {
            Form::Box { size } => Convex::cuboid(*size),
            Form::Cylinder { radius, length } => Convex::cylinder(*length, *radius),
            Form::Capsule { radius, length } => Convex::capsule(*length, *radius),
            Form::Sphere { radius } => Convex::sphere(*radius),
            Form::Mesh { file, scale } => {
                let mesh =
                    load(file).map_err(|error| LoadError::Mesh { place, file: file.clone(), error })?;
                return match scaled(mesh, *scale) {
                    Ok(mesh) => Ok(Solid::Mesh(mesh)),
                    Err(error) => Err(LoadError::Scale { place, file: file.clone(), error }),
                };
            }
        };
        convex.map(Solid::Convex).map_err(|error| LoadError::Shape { place, error })
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
