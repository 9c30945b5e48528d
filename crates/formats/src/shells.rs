//! Shells: the connected components of an object, as objects of their own.

use crate::number::index;
use crate::objects::NamedMesh;
use noli_geom::{Mesh, MeshError, MeshOptions, Polygons};

/// The parts of an object that share no edge, named `object/1`, `object/2`; the object itself if there is one.
pub fn shells(object: NamedMesh) -> Result<Vec<NamedMesh>, MeshError> {
    let parts = object.mesh.adjacency().parts();
    if parts.count <= 1 {
        return Ok(vec![object]);
    }
    let mesh = &object.mesh;
    let mut faces: Vec<Vec<u32>> = vec![Vec::new(); parts.count as usize];
    let mut user_face = vec![0; mesh.face_count()];
    let mut last = None;
    for triangle in 0..index(mesh.triangle_count()) {
        let face = mesh.face_of(triangle);
        user_face[face as usize] = mesh.user_face(triangle);
        if last.replace(face) != Some(face) {
            faces[parts.of_triangle[triangle as usize] as usize].push(face);
        }
    }
    let (mut number_of, mut shells) = (vec![u32::MAX; mesh.vertices().len()], Vec::new());
    for (number, faces) in faces.iter().enumerate() {
        let (mut used, mut polygons) = (Vec::new(), Polygons::default());
        for &face in faces {
            polygons.push(mesh.face(face).iter().map(|&vertex| {
                let number = &mut number_of[vertex as usize];
                if *number == u32::MAX {
                    *number = index(used.len());
                    used.push(vertex);
                }
                *number
            }));
        }
        used.iter().for_each(|&vertex| number_of[vertex as usize] = u32::MAX);
        let vertices = used.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
        let vertex_numbers: Vec<u32> = used.iter().map(|&vertex| mesh.user_vertex(vertex)).collect();
        let face_numbers: Vec<u32> = faces.iter().map(|&face| user_face[face as usize]).collect();
        let mesh = Mesh::from_polygons(vertices, polygons, &MeshOptions::default())?;
        let mesh = mesh.renumbered(&vertex_numbers, &face_numbers)?;
        shells.push(NamedMesh { name: format!("{}/{}", object.name, number + 1), mesh });
    }
    Ok(shells)
}
