//! The shapes of bodies: objects of files, primitives and the true shapes they stand for.

use crate::data::scene::Shape;
use noli_formats::NamedMesh;
use noli_geom::{Convex, Mesh, MeshError, MeshOptions};

/// The object of this name, or the only one whose path ends in it.
pub(super) fn object_called<'o>(name: &str, objects: &'o [NamedMesh]) -> Option<&'o NamedMesh> {
    let ends = |object: &&NamedMesh| object.name.strip_suffix(name).is_some_and(|path| path.ends_with('/'));
    objects.iter().find(|object| object.name == name).or_else(|| {
        let mut found = objects.iter().filter(ends);
        found.next().filter(|_| found.next().is_none())
    })
}

/// Several objects as one mesh, with the numbers of the file; a single one as it is.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "objects of one file, whose vertices and faces have numbers of 32 bits"
)]
pub(super) fn joined(objects: &[NamedMesh]) -> Result<Mesh, noli_geom::MeshError> {
    if let [only] = objects {
        return Ok(only.mesh.clone());
    }
    let (mut vertices, mut polygons) = (Vec::new(), noli_geom::Polygons::default());
    let (mut vertex_numbers, mut face_numbers) = (Vec::new(), Vec::new());
    for NamedMesh { mesh, .. } in objects {
        let (first, first_face) = (vertices.len() as u32, face_numbers.len());
        vertices.extend_from_slice(mesh.vertices());
        vertex_numbers.extend((0..mesh.vertices().len() as u32).map(|vertex| mesh.user_vertex(vertex)));
        mesh.faces().for_each(|face| polygons.push(face.iter().map(|&corner| corner + first)));
        face_numbers.resize(first_face + mesh.face_count(), 0);
        for triangle in 0..mesh.triangle_count() as u32 {
            face_numbers[first_face + mesh.face_of(triangle) as usize] = mesh.user_face(triangle);
        }
    }
    let mesh = Mesh::from_polygons(vertices, polygons, &MeshOptions::default())?;
    mesh.renumbered(&vertex_numbers, &face_numbers)
}

/// The mesh of a shape given by sizes: the shape itself or inscribed in it.
pub(super) fn primitive(shape: &Shape) -> Result<Mesh, MeshError> {
    match *shape {
        Shape::Box { size } => Mesh::cuboid(size.into()),
        Shape::Sphere { radius, cuts } => Mesh::sphere(radius, cuts),
        Shape::Cylinder { radius, height, slices } => Mesh::cylinder(height, radius, slices),
        Shape::Cone { radius, height, slices } => Mesh::cone(height, radius, slices),
        Shape::Capsule { radius, length, cuts } => capsule(radius, length, cuts),
        Shape::Ellipsoid { radii, cuts } => Mesh::ellipsoid(radii.into(), cuts),
        Shape::Torus { major, minor, slices } => Mesh::torus(major, minor, slices, slices / 2),
        Shape::HalfSpace
        | Shape::File { .. }
        | Shape::Points { .. }
        | Shape::Grid { .. }
        | Shape::Generated { .. }
        | Shape::Field { .. } => Ok(Mesh::empty()),
    }
}

/// Creates the hull of two spheres; without faces if the spheres have no hull, which the exact shape reports.
pub(crate) fn capsule(radius: f64, length: f64, cuts: u32) -> Result<Mesh, MeshError> {
    let end = |d: glam::DVec3| d + glam::DVec3::Z * (0.5 * length).copysign(d.z);
    let sphere = Mesh::sphere(radius, cuts)?;
    let points = sphere.vertices().iter().flat_map(|&d| [end(d), end(d * glam::DVec3::new(1.0, 1.0, -1.0))]);
    let hull = noli_geom::Hull::new(points).ok().and_then(|hull| hull.to_mesh().ok());
    hull.map_or_else(
        || Ok(Mesh::empty()),
        |hull| {
            let (vertices, triangles) = (hull.vertices().to_vec(), hull.triangles().to_vec());
            Mesh::from_triangles(vertices, triangles, &MeshOptions::default())
        },
    )
}

/// The true shape that sizes mean, where it is not the mesh itself.
pub(super) fn exact(shape: &Shape) -> Result<Option<noli::Shape>, noli::ShapeError> {
    let convex = match *shape {
        // Its faces can be counted; but its size must be one that the true shape may have.
        Shape::Box { size } => return Convex::cuboid(size.into()).map(|_| None),
        Shape::Sphere { radius, .. } => Convex::sphere(radius),
        Shape::Capsule { radius, length, .. } => Convex::capsule(length, radius),
        Shape::Ellipsoid { radii, .. } => Convex::ellipsoid(radii.into()),
        Shape::Cylinder { radius, height, .. } => Convex::cylinder(height, radius),
        Shape::Cone { radius, height, .. } => Convex::cone(height, radius),
        Shape::HalfSpace => return Ok(Some(noli::Shape::HalfSpace)),
        Shape::File { .. }
        | Shape::Points { .. }
        | Shape::Grid { .. }
        | Shape::Torus { .. }
        | Shape::Generated { .. }
        | Shape::Field { .. } => return Ok(None),
    };
    convex.map(|convex| Some(convex.into()))
}
