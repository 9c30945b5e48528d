//! Vertices that are nearly the same, made one.

use glam::DVec3;
use noli_geom::{Mesh, MeshError, MeshOptions, Polygons};
use std::collections::HashMap;

/// Result of welding a mesh within a distance.
pub(crate) struct Welded {
    pub(crate) mesh: Mesh,
    /// Vertices that went to the place of another.
    pub(crate) moved: usize,
    /// Largest displacement of a vertex.
    pub(crate) furthest: f64,
    /// Border edges before and after.
    pub(crate) borders: [usize; 2],
}

/// Merges every vertex into the first remaining one that is at most `within` away. `None` if no vertex has such
/// a neighbour at another position. The search uses a grid with cells of width `within`.
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
