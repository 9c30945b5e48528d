//! Vertices that are nearly the same, made one.

use crate::number::index;
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
    let cell_of = |v: DVec3| (v / within).floor().to_array().map(grid_number);
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
            cells.entry(cell).or_default().push(index(number));
        }
        kept.push(found.unwrap_or(index(number)));
    }
    if moved == 0 {
        return Ok(None);
    }
    let (mut polygons, mut face_numbers) = (Polygons::default(), vec![0; mesh.face_count()]);
    for triangle in 0..index(mesh.triangle_count()) {
        face_numbers[mesh.face_of(triangle) as usize] = mesh.user_face(triangle);
    }
    mesh.faces().for_each(|face| polygons.push(face.iter().map(|&corner| kept[corner as usize])));
    let vertex_numbers: Vec<u32> =
        (0..index(mesh.vertices().len())).map(|vertex| mesh.user_vertex(vertex)).collect();
    let welded = Mesh::from_polygons(mesh.vertices().to_vec(), polygons, &MeshOptions::default())?;
    let welded = welded.renumbered(&vertex_numbers, &face_numbers)?;
    let borders = [mesh, &welded].map(|mesh| mesh.report().border_edges);
    Ok(Some(Welded { mesh: welded, moved, furthest, borders }))
}

/// The cell of a coordinate; beyond the range of numbers, the outermost one.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and cells need only be near their neighbours"
)]
fn grid_number(x: f64) -> i64 {
    x as i64
}

/// Most border vertices of a mesh for which a length is searched.
const MOST_BORDER: usize = 200_000;
/// A seam is at most this share of the shortest border edge: welding it collapses none.
const SEAM: f64 = 0.1;

/// Returns a length within which welding closes an open mesh, as a power of ten: the width of seams that are
/// only nearly closed. `None` if the mesh is closed, or open for another reason.
pub fn closing_weld_length(mesh: &Mesh) -> Option<f64> {
    let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in mesh.triangles() {
        for [x, y] in [[a, b], [b, c], [c, a]] {
            *uses.entry([x.min(y), x.max(y)]).or_default() += 1;
        }
    }
    let at = |vertex: u32| mesh.vertices()[vertex as usize];
    let (mut border, mut shortest) = (Vec::new(), f64::INFINITY);
    for ([a, b], _) in uses.into_iter().filter(|(_, count)| *count == 1) {
        shortest = shortest.min(at(a).distance(at(b)));
        border.extend([a, b]);
    }
    border.sort_unstable();
    border.dedup();
    if border.is_empty() || border.len() > MOST_BORDER {
        return None;
    }
    let places: Vec<DVec3> = border.iter().map(|&vertex| at(vertex)).collect();
    let widest = widest_seam(places, SEAM * shortest)?;
    let length = 10_f64.powf(widest.log10().floor() + 1.0);
    let welded = weld_within(mesh, length).ok().flatten()?;
    (length < shortest && welded.borders[1] == 0).then_some(length)
}

/// Returns the largest distance of a point from its nearest neighbour; `None` if one has none within `most`, or
/// if all are at the place of another.
fn widest_seam(mut places: Vec<DVec3>, most: f64) -> Option<f64> {
    places.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut widest = 0.0_f64;
    for (number, &place) in places.iter().enumerate() {
        let before = places[..number].iter().rev();
        let near = |other: &&DVec3| (other.x - place.x).abs() <= most;
        let all = before.take_while(near).chain(places[number + 1..].iter().take_while(near));
        let nearest = all.map(|other| other.distance(place)).fold(f64::INFINITY, f64::min);
        if nearest > most {
            return None;
        }
        widest = widest.max(nearest);
    }
    (widest > 0.0).then_some(widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron of four separate triangles, whose vertices are off by less than `off`.
    fn parted(off: f64) -> Mesh {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (number, face) in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].iter().enumerate() {
            triangles.push([0, 1, 2].map(|k| index(3 * number + k)));
            vertices
                .extend(face.map(|corner: usize| corners[corner] + DVec3::splat(off * number as f64 / 8.0)));
        }
        Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).unwrap()
    }

    #[test]
    fn seams_that_are_nearly_closed_have_a_length_and_holes_have_none() {
        let length = closing_weld_length(&parted(3e-9)).unwrap();
        assert!((1e-9..=1e-7).contains(&length), "{length:e}");
        assert_eq!(weld_within(&parted(3e-9), length).unwrap().unwrap().borders, [12, 0]);
        assert_eq!(closing_weld_length(&parted(0.5)), None);
        let open = Mesh::from_triangles(
            vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            vec![[0, 1, 2]],
            &MeshOptions::default(),
        );
        assert_eq!(closing_weld_length(&open.unwrap()), None);
        assert_eq!(closing_weld_length(&Mesh::cuboid(DVec3::ONE).unwrap()), None);
    }
}
