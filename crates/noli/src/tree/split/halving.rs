//! In halves by count: the splits that build the trees of the engine.

use crate::tree::principal::{Moments, Units};
use crate::tree::{Split, TreeOptions};
use glam::DVec3;
use noli_geom::{Aabb, Triangle};

/// The order in which [`Split::Morton`] takes faces: their place on the curve, then their number.
pub(in crate::tree) fn along_curve(triangles: &[Triangle]) -> Vec<u32> {
    let units = Units::of(triangles);
    // Place and number in one word: cells are still far smaller than faces, and whole words are sorted
    // fastest.
    let number_bits = usize::BITS - triangles.len().leading_zeros();
    let cells = f64::from(1u32 << ((u64::BITS - number_bits) / 3).min(21));
    let key = |(face, t): (u64, &Triangle)| {
        // Coordinates are about unit size around 0.
        let middle = units.shrunk((t.vertices[0] + t.vertices[1] + t.vertices[2]) / 3.0);
        let [x, y, z] = ((middle + 0.5) * cells).to_array().map(|c| (c as u64).min(cells as u64 - 1));
        (spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2) << number_bits | face
    };
    let mut keys: Vec<u64> = (0u64..).zip(triangles).map(key).collect();
    keys.sort_unstable();
    let number = (1u64 << number_bits) - 1;
    keys.into_iter().map(|key| (key & number) as u32).collect()
}

/// Two zero bits after each of the lower 21 bits.
fn spread_bits(x: u64) -> u64 {
    let x = x & 0x1f_ffff;
    let x = (x | x << 32) & 0x1f_0000_0000_ffff;
    let x = (x | x << 16) & 0x1f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Reorders `faces` into parts and returns the size of each.
pub(in crate::tree) fn halves(moments: &[Moments], faces: &mut [u32], options: &TreeOptions) -> Vec<usize> {
    let mut halving = Halving { moments, options, keys: Vec::with_capacity(faces.len()), parts: Vec::new() };
    halving.halve(faces, options.degree);
    halving.parts
}

struct Halving<'a> {
    moments: &'a [Moments],
    options: &'a TreeOptions,
    keys: Vec<(f32, u32)>,
    parts: Vec<usize>,
}

impl Halving<'_> {
    /// Halve until `degree` parts are made or a part fits a leaf.
    fn halve(&mut self, faces: &mut [u32], degree: usize) {
        if degree < 2 || faces.len() <= self.options.leaf_faces {
            self.parts.push(faces.len());
            return;
        }
        let left_degree = degree.div_ceil(2);
        let middle = left_count(faces.len(), left_degree, degree, self.options);
        if let Some(axis) = self.axis(faces) {
            self.part(faces, axis, middle);
        }
        let (left, right) = faces.split_at_mut(middle);
        self.halve(left, left_degree);
        self.halve(right, degree - left_degree);
    }

    /// Bring the `middle` faces that come first along an axis to the front.
    fn part(&mut self, faces: &mut [u32], axis: DVec3, middle: usize) {
        let key = |&f: &u32| (self.moments[f as usize].middle().dot(axis) as f32, f);
        self.keys.clear();
        self.keys.extend(faces.iter().map(key));
        // The face number settles ties, so the same mesh always gives the same tree.
        self.keys.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (face, key) in faces.iter_mut().zip(&self.keys) {
            *face = key.1;
        }
    }

    /// Returns the axis to cut along, unless the order of the faces determines the cut.
    fn axis(&self, faces: &[u32]) -> Option<DVec3> {
        match self.options.split {
            Split::Morton => None,
            Split::Median => Some(Moments::sum(self.moments, faces).axes().x_axis),
            Split::LongestAxis | Split::SurfaceArea => {
                let middles = faces.iter().map(|&f| self.moments[f as usize].middle());
                Some(DVec3::AXES[Aabb::from_points(middles).longest_axis()])
            }
        }
    }
}

/// The left part's share of `count` faces, rounded to a multiple of full leaves, or of full subtrees
/// as long as that moves the cut by less than a tenth.
fn left_count(count: usize, left_degree: usize, degree: usize, options: &TreeOptions) -> usize {
    let ideal = count * left_degree / degree;
    let mut unit = options.leaf_faces;
    let degree_of_tree = options.degree;
    while unit * degree_of_tree * 10 <= count {
        unit *= degree_of_tree;
    }
    let rounded = (ideal + unit / 2) / unit * unit;
    rounded.clamp(1, count - 1)
}
