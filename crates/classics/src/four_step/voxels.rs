//! Step 3, once: the faces that intersect each voxel of a body's container.

use crate::grid::{Cells, Grid};
use glam::DVec3;
use noli_geom::{Aabb, Mesh};

/// More halvings than this would hold more voxels than any mesh has use for.
pub const MAX_HALVINGS: u8 = 20;

/// Into how many voxels each edge of a container is cut by `m` halvings, each of the edge that is then the
/// longest (the first of equals). There are `2^m` voxels.
///
/// ```
/// use noli_classics::halvings;
/// assert_eq!(halvings(glam::dvec3(1.0, 1.0, 1.0), 9), [8, 8, 8]);
/// assert_eq!(halvings(glam::dvec3(4.0, 2.0, 1.0), 9), [16, 8, 4]);
/// ```
pub fn halvings(size: DVec3, m: u8) -> [u32; 3] {
    let (mut counts, mut size) = ([1; 3], size);
    for _ in 0..m.min(MAX_HALVINGS) {
        let longest = (1..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        counts[longest] *= 2;
        size[longest] *= 0.5;
    }
    counts
}

/// A rule of thumb for the halvings of a body of so many faces: so that a voxel has about as many faces along it as it has
/// sides, from 3 to 12. The source takes 9 for all.
///
/// ```
/// use noli_classics::suited_halvings;
/// assert_eq!([50, 400, 1400].map(suited_halvings), [5, 9, 12]);
/// ```
pub fn suited_halvings(faces: usize) -> u8 {
    (1.5 * (faces.max(1) as f64 / 6.0).log2()).round().clamp(3.0, 12.0) as u8
}

/// The voxels of a container, each with the faces that intersect it.
#[derive(Clone, Debug)]
pub(crate) struct VoxelMatrix {
    pub(crate) grid: Grid,
    /// Start index of each voxel's faces in `faces`, and the end.
    starts: Vec<u32>,
    faces: Vec<u32>,
}

impl VoxelMatrix {
    /// The voxels of a mesh that is not empty.
    pub(crate) fn new(mesh: &Mesh, bounds: &Aabb, m: u8) -> Self {
        let grid = Grid::new(bounds, halvings(bounds.size(), m));
        let mut entries = Vec::with_capacity(2 * mesh.triangle_count());
        for (face, triangle) in mesh.iter_triangles().enumerate() {
            grid.each_met(&triangle, 0.0, &mut |cell| entries.push((grid.index(cell) as u32, face as u32)));
        }
        entries.sort_unstable();
        let mut starts = vec![0; grid.cell_count() + 1];
        for &(voxel, _) in &entries {
            starts[voxel as usize + 1] += 1;
        }
        for voxel in 0..grid.cell_count() {
            starts[voxel + 1] += starts[voxel];
        }
        Self { grid, starts, faces: entries.into_iter().map(|(_, face)| face).collect() }
    }

    /// Returns the faces that intersect a voxel, in order.
    pub(crate) fn faces(&self, voxel: u32) -> &[u32] {
        let [start, end] = [voxel as usize, voxel as usize + 1].map(|i| self.starts[i] as usize);
        &self.faces[start..end]
    }

    pub(crate) fn is_empty(&self, cell: [u32; 3]) -> bool {
        self.faces(self.grid.index(cell) as u32).is_empty()
    }

    pub(crate) fn occupied(&self, cells: Cells) -> usize {
        cells.iter().filter(|&cell| !self.is_empty(cell)).count()
    }

    /// Bytes held by the lists.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.faces[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use noli_geom::Triangle;

    fn mesh(set: noli_scenes::TriangleSet) -> Mesh {
        Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap()
    }

    #[test]
    fn voxels_list_every_face_wherever_it_is() {
        for (mesh, m) in
            [(mesh(noli_scenes::icosphere(2)), 9), (mesh(noli_scenes::torus(2.0, 0.5, 16, 8)), 7)]
        {
            let matrix = VoxelMatrix::new(&mesh, &mesh.aabb(), m);
            assert_eq!(matrix.grid.cell_count(), 1 << m);
            let mut listed = matrix.faces.clone();
            listed.sort_unstable();
            listed.dedup();
            assert_eq!(listed, (0..mesh.triangle_count() as u32).collect::<Vec<_>>());
            for (face, triangle) in mesh.iter_triangles().enumerate() {
                let [a, b, c] = triangle.vertices;
                for (u, v) in
                    [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.3), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)]
                {
                    let place = (a + (b - a) * u + (c - a) * v - matrix.grid.origin) / matrix.grid.size;
                    let cell =
                        std::array::from_fn(|k| (place[k].max(0.0) as u32).min(matrix.grid.dims[k] - 1));
                    let voxel = matrix.grid.index(cell) as u32;
                    assert!(matrix.faces(voxel).contains(&(face as u32)), "face {face} in {cell:?}");
                }
            }
        }
    }

    /// The printed test intersects a face with the walls of the voxel: it loses a face between the walls.
    #[test]
    fn a_small_face_between_the_walls_is_listed() {
        let tiny = Triangle::new(dvec3(0.3, 0.3, 0.3), dvec3(0.31, 0.3, 0.3), dvec3(0.3, 0.31, 0.3));
        let far = Triangle::new(DVec3::ZERO, dvec3(8.0, 0.0, 0.0), dvec3(8.0, 8.0, 8.0));
        let vertices = [tiny.vertices, far.vertices].concat();
        let mesh = Mesh::from_triangles(vertices, vec![[0, 1, 2], [3, 4, 5]], &Default::default()).unwrap();
        let matrix = VoxelMatrix::new(&mesh, &mesh.aabb(), 9);
        assert!(matrix.faces(0).contains(&0));
        let voxel = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        assert!(!crate::printed::face_meets_voxel(&tiny, &voxel));
    }

    #[test]
    fn a_plate_and_a_point_have_voxels() {
        let plate = mesh(noli_scenes::grid_plane(1.0, 4));
        assert_eq!(VoxelMatrix::new(&plate, &plate.aabb(), 6).grid.cell_count(), 64);
        let point =
            Mesh::from_triangles(vec![dvec3(5.0, 6.0, 7.0)], vec![[0; 3]], &Default::default()).unwrap();
        let matrix = VoxelMatrix::new(&point, &point.aabb(), 9);
        assert!(matrix.faces.contains(&0));
    }
}
