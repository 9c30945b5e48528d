//! Shapes as the page reads them.

use crate::number::single;
use crate::session::{Drawn, ShapeSource};

/// Points of a cloud that are sent, at most: 12 MB.
const MOST_POINTS: usize = 1_000_000;

/// Appends a shape: five numbers of 32 bits, then the places of its vertices, points or cells around the shape's
/// middle as 32-bit numbers in lengths of the page, then its triangles.
///
/// | number | meaning |
/// |---|---|
/// | kind | 0 triangles, 1 points of a cloud, 2 cells of a grid |
/// | places, triangles | how many; points and cells have no triangles |
/// | certain | how many cells are certain: these come first |
/// | size | the radius of the points or the length of a cell, as a float |
pub(crate) fn append(bytes: &mut Vec<u8>, shape: &ShapeSource) {
    let mesh = &shape.mesh;
    let (kind, places, certain, size) = match &shape.drawn {
        Drawn::Mesh => (0, mesh.vertices(), 0, 0.0),
        Drawn::Points(cloud) => (1, cloud.points(), 0, cloud.radius()),
        Drawn::Cells(cells) => (2, &cells.centers[..], cells.certain, cells.edge),
    };
    let triangles = if kind == 0 { mesh.triangles() } else { &[] };
    let step = if kind == 1 { places.len().div_ceil(MOST_POINTS).max(1) } else { 1 };
    for count in [kind, places.len().div_ceil(step), triangles.len(), certain] {
        // Vertices and triangles of a mesh have numbers of this size.
        bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes.extend(single(size * shape.scale).to_le_bytes());
    for place in places.iter().step_by(step) {
        let place = (*place - shape.middle) * shape.scale;
        place.to_array().iter().for_each(|x| bytes.extend(single(*x).to_le_bytes()));
    }
    triangles.iter().flatten().for_each(|vertex| bytes.extend(vertex.to_le_bytes()));
}
