//! Point clouds and the faces of links as plain arrays, for kernels that classify configurations on other devices.

/// Arrays of point clouds that are obstacles, and of the faces of bodies on robots by cells: words of 32 bits, `f32` as their
/// bits, `f64` low word first. Structs are those of the same names in the kernels of `noli-gpu`.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct CloudImage {
    /// `FilterCloud`, 44 words each: in `f64` origin and unit of the tree, largest and least radius of a point, error of a
    /// stored one; in `f32` the turn's rows, centre, scale, both radii, error, low, high, inverse of a cell's edge, step; cells
    /// along each axis, first byte of the bounds, first of the starts, one unused.
    pub heads: Vec<u32>,
    /// Lower bounds on distances, four to a word.
    pub bounds: Vec<u32>,
    /// The first point of each cell; one more behind the last cell of a cloud.
    pub starts: Vec<u32>,
    /// Points in the frames of their trees, of four numbers each.
    pub points: Vec<u32>,
    /// `FaceCells`, 24 words each: in `f64` low and high, inverse of a cell's edge, largest coordinate; cells along each axis,
    /// first of the face starts, first byte of the sides, one unused.
    pub grids: Vec<u32>,
    /// The first face of each cell; one more behind the last cell of a body.
    pub face_starts: Vec<u32>,
    /// Numbers of triangles; bit 31 for those of no shape.
    pub faces: Vec<u32>,
    /// Nine numbers in `f64` each.
    pub triangles: Vec<u32>,
    /// 0 outside, 1 inside, 2 for cells with faces or without a verdict; four to a word.
    pub sides: Vec<u32>,
    /// For each body the number of its grid; [`u32::MAX`] if it has none.
    pub grid_of: Vec<u32>,
}

/// Appends `f32` numbers as words.
pub(super) fn floats(words: &mut Vec<u32>, all: &[f32]) {
    words.extend(all.iter().map(|x| x.to_bits()));
}

/// Appends `f64` numbers as words.
pub(super) fn doubles(words: &mut Vec<u32>, all: &[f64]) {
    words.extend(all.iter().map(|x| x.to_bits()).flat_map(|bits| [bits as u32, (bits >> 32) as u32]));
}

/// Appends bytes, four to a word, and returns the number of the first.
pub(super) fn bytes(words: &mut Vec<u32>, all: impl Iterator<Item = u8>) -> u32 {
    let first = 4 * words.len() as u32;
    for (k, byte) in all.enumerate() {
        if k % 4 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut() {
            *word |= u32::from(byte) << (8 * (k % 4));
        }
    }
    first
}

impl CloudImage {
    /// Sorts points, each with the number of its cell, and returns the place of the first start.
    pub(super) fn sort_points(&mut self, points: &[([f32; 3], usize)], cells: usize) -> u32 {
        let (first, before) = (self.starts.len(), self.points.len() / 4);
        self.starts.resize(first + cells + 1, 0);
        let starts = &mut self.starts[first..];
        points.iter().for_each(|&(_, cell)| starts[cell + 1] += 1);
        starts[0] = before as u32;
        (0..cells).for_each(|cell| starts[cell + 1] += starts[cell]);
        let mut next = starts.to_vec();
        self.points.resize(4 * (before + points.len()), 0);
        for &(point, cell) in points {
            let place = 4 * next[cell] as usize;
            next[cell] += 1;
            self.points[place..place + 3].copy_from_slice(&point.map(f32::to_bits));
        }
        first as u32
    }
}
