//! Objects made of the faces of others: shells, and corners that are nearly the same.

use crate::NamedMesh;
use glam::DVec3;
use noli_geom::{Mesh, MeshError, MeshOptions, Polygons};
use std::collections::HashMap;

/// The parts of an object that share no edge, named `object/1`, `object/2`; the object itself if there is one.
pub(crate) fn shells(object: NamedMesh) -> Result<Vec<NamedMesh>, MeshError> {
    let parts = object.mesh.adjacency().parts();
    if parts.count <= 1 {
        return Ok(vec![object]);
    }
    let mesh = &object.mesh;
    let mut faces: Vec<Vec<u32>> = vec![Vec::new(); parts.count as usize];
    let mut user_face = vec![0; mesh.face_count()];
    let mut last = None;
    for triangle in 0..mesh.triangle_count() as u32 {
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
                    *number = used.len() as u32;
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

/// What welding within a length did to a mesh.
pub(crate) struct Welded {
    pub(crate) mesh: Mesh,
    /// Vertices that went to the place of another.
    pub(crate) moved: usize,
    /// How far the furthest of them went.
    pub(crate) furthest: f64,
    /// Border edges before and after.
    pub(crate) borders: [usize; 2],
}

/// Every vertex goes to the first one that is at most `within` away and stays itself. `None` if none has such a
/// neighbour at another place. Corners are looked for in cells of a grid as wide as `within`.
pub(crate) fn weld_within(mesh: &Mesh, within: f64) -> Result<Option<Welded>, MeshError> {
    let cell_of = |v: DVec3| (v / within).floor().to_array().map(|x| x as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let (mut kept, mut moved, mut furthest) = (Vec::with_capacity(mesh.vertices().len()), 0, 0.0_f64);
    for (number, &vertex) in mesh.vertices().iter().enumerate() {
        let cell = cell_of(vertex);
        let mut found: Option<u32> = None;
        for around in 0..27 {
            let step = [around % 3 - 1, around / 3 % 3 - 1, around / 9 - 1];
            let near: [i64; 3] = std::array::from_fn(|k| cell[k].saturating_add(step[k]));
            let here = cells.get(&near).into_iter().flatten().copied();
            let close = here.filter(|&other| mesh.vertices()[other as usize].distance(vertex) <= within);
            found = close.chain(found).min();
        }
        if let Some(other) = found {
            let far = mesh.vertices()[other as usize].distance(vertex);
            (moved, furthest) = (moved + usize::from(far > 0.0), furthest.max(far));
        } else {
            cells.entry(cell).or_default().push(number as u32);
        }
        kept.push(found.unwrap_or(number as u32));
    }
    if moved == 0 {
        return Ok(None);
    }
    let (mut polygons, mut face_numbers) = (Polygons::default(), vec![0; mesh.face_count()]);
    for triangle in 0..mesh.triangle_count() as u32 {
        face_numbers[mesh.face_of(triangle) as usize] = mesh.user_face(triangle);
    }
    mesh.faces().for_each(|face| polygons.push(face.iter().map(|&corner| kept[corner as usize])));
    let vertex_numbers: Vec<u32> =
        (0..mesh.vertices().len() as u32).map(|vertex| mesh.user_vertex(vertex)).collect();
    let welded = Mesh::from_polygons(mesh.vertices().to_vec(), polygons, &MeshOptions::default())?;
    let welded = welded.renumbered(&vertex_numbers, &face_numbers)?;
    let borders = [mesh, &welded].map(|mesh| mesh.report().border_edges);
    Ok(Some(Welded { mesh: welded, moved, furthest, borders }))
}
