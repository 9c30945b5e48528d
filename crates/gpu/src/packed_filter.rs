//! The filter of a cell as the buffers of `filter.cuh`.

use crate::near_rows::{NOBODY, NearRows, SIZE};
use noli_robot::cell::{Cell, FilterImage};

/// Number of tables.
pub(crate) const TABLES: usize = 24;

/// Tables of the filter of a cell. The order of the fields is that of the kernels' `Filter`.
#[derive(Clone, Debug, Default)]
pub struct PackedFilter {
    /// Joints, pieces, sets, spheres, pairs, primitives, tables, axes within, bits, slides, turns, posed, vertices; then those of
    /// `Clouds`: heads, bounds, starts, points, grids, starts of faces, faces, triangles, sides, grids of bodies; then the rows of
    /// `NearRows`.
    pub tables: [Vec<u32>; TABLES],
    /// Ends of the kinds of pairs, as in `NearRows`.
    pub near_ends: [u32; 4],
    /// Inverse of the length that is 1 in the filter.
    pub inverse: f64,
    /// Joints, pieces that move, pairs, slides, values, and the error of distances as bits.
    pub counts: [u32; 6],
}

impl PackedFilter {
    /// `None` where the filter has no such form.
    pub fn new(cell: &Cell) -> Option<Self> {
        let image = cell.filter_image()?;
        let FilterImage { mut joints, pieces, sets, spheres, mut pairs, clouds, .. } = image;
        let joint_of = |piece: usize| pieces[SIZE * piece + 7];
        let count = pieces.len() / SIZE;
        let mut posed: Vec<u32> = (0..count as u32).filter(|&k| joint_of(k as usize) != NOBODY).collect();
        posed.sort_by_key(|&piece| joint_of(piece as usize));
        let joint_count = joints.len() / SIZE;
        // One more joint ends the pieces of the last.
        joints.extend([0; SIZE]);
        for joint in 0..=joint_count {
            let first = posed.partition_point(|&piece| (joint_of(piece as usize) as usize) < joint);
            joints[SIZE * joint + 3] = first as u32;
        }
        let mut slots: Vec<u32> = (0..count as u32).map(|piece| piece | 1 << 31).collect();
        posed.iter().enumerate().for_each(|(slot, &piece)| slots[piece as usize] = slot as u32);
        for pair in pairs.chunks_exact_mut(SIZE) {
            let [a, b] = [slots[pair[0] as usize], slots[pair[1] as usize]];
            (pair[14], pair[15]) = (a, b);
        }
        let near = NearRows::new(&pairs, &pieces, &image.primitives);
        let mut counts =
            [joint_count, posed.len(), near.pairs.len() / SIZE, image.slides.len() / 2, image.turns.len(), 0]
                .map(|count| count as u32);
        // Distances from axes err by less.
        counts[5] = ((8.0 * image.error) as f32).next_up().to_bits();
        let tables = [
            joints,
            pieces,
            sets,
            spheres,
            near.pairs,
            image.primitives,
            image.tables,
            image.within,
            image.bits,
            image.slides,
            image.turns,
            posed,
            image.vertices,
            clouds.heads,
            clouds.bounds,
            clouds.starts,
            clouds.points,
            clouds.grids,
            clouds.face_starts,
            clouds.faces,
            clouds.triangles,
            clouds.sides,
            clouds.grid_of,
            near.rows,
        ];
        Some(Self { tables, near_ends: near.ends, inverse: image.inverse, counts })
    }

    /// Bytes of shared memory that a block of so many threads needs for numbers of its configurations.
    pub fn columns(&self, threads: usize) -> usize {
        let [_, posed, pairs, _, values, _] = self.counts.map(|count| count as usize);
        4 * threads * (values + (3 * posed).max(2 * values) + pairs.div_ceil(32))
    }

    /// Bytes of the frames of one configuration.
    pub fn frame_bytes(&self) -> usize {
        48 * self.counts[0] as usize
    }
}
