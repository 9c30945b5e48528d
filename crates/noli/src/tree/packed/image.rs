//! A packed tree in a layout for a device: one buffer of records of one size.
//!
//! On a CPU four children share a vector. On a device sixteen threads test one pair of children each, so a
//! child's numbers are contiguous here. Its axes are a quaternion to save memory traffic. Rounding the
//! quaternion rotates the box slightly; half extents grow by the largest resulting displacement.

use super::{Leaf, Node, PackedTree};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::Mesh;

/// Words of a record; a record is 224 bytes, and 16-byte loads stay aligned.
pub const RECORD: usize = 56;

/// Word of the first record that holds the number of leaves.
const LEAF_COUNT: usize = 8 + 12 + 3;

/// Nodes, then leaves, then what rounding took from the vertices of each leaf, as records of 32-bit words, floating-point
/// numbers by their bits, low word first.
///
/// | words | of a node | of a leaf |
/// |---|---|---|
/// | 0–5 | origin, three `f64` | the same |
/// | 6–7 | reach (`f32`), how many children | unit of the vertices (`f64`) |
/// | 8+12i … | child `i`: centre and link, half extents and 0, quaternion x y z w | triangle `i`: vertex and longest edge, two vertices and 0 each |
///
/// The last kind holds at words 12i …  the nine coordinates of triangle `i` less those of the leaf, times 2²⁴ over its unit.
/// Node 0 has one child, the root, and the number of leaves in place of the link of a second.
///
/// A link is the number of a record; bit 31 is set for a leaf, bits 29 and 30 then hold how many triangles it has, less one.
#[derive(Clone, Debug)]
pub struct Image {
    /// `RECORD` words for each record.
    pub words: Vec<u32>,
    /// Model unit of the nodes: a power of two.
    pub unit: f64,
    /// Largest magnitude of a coordinate.
    pub reach: f64,
}

impl PackedTree {
    /// The tree for a device; `None` where a mesh has too many records for a link.
    pub(crate) fn image(&self, mesh: &Mesh) -> Option<Image> {
        let (nodes, leaves) = (self.nodes(), self.leaves());
        let (first_leaf, all) = (nodes.len(), nodes.len() + 2 * leaves.len());
        if all > super::Link::INDEX as usize {
            return None;
        }
        let mut words = Vec::with_capacity(RECORD * all);
        for node in nodes {
            node.image(first_leaf as u32, &mut words);
        }
        for leaf in leaves {
            leaf.image(&mut words);
        }
        for (number, leaf) in leaves.iter().enumerate() {
            leaf.remainders(self.faces(number).map(|face| mesh.triangle(face).vertices), &mut words);
        }
        words[LEAF_COUNT] = leaves.len() as u32;
        Some(Image { words, unit: self.unit, reach: self.reach })
    }
}

impl Node {
    fn image(&self, first_leaf: u32, words: &mut Vec<u32>) {
        push_f64(words, &self.origin[..3]);
        words.extend([self.reach.to_bits(), self.valid.count_ones()]);
        for lane in 0..4 {
            let link = self.child[lane];
            let offset = if link.is_leaf() { first_leaf } else { 0 };
            let half = [0, 1, 2].map(|k| self.half[k][lane]);
            let (half, turn) = turned(half, [0, 1, 2].map(|k| self.column(k, lane)));
            push_f32(words, &[0, 1, 2].map(|c| self.frame[c][12 + lane]));
            words.push(link.0 + offset);
            push_f32(words, &half);
            words.push(0);
            push_f32(words, &turn);
        }
    }
}

impl Leaf {
    fn image(&self, words: &mut Vec<u32>) {
        push_f64(words, self.origin());
        for lane in 0..4 {
            for k in 0..3 {
                push_f32(words, &[0, 1, 2].map(|c| self.vertex[k][c][lane]));
                words.push(if k == 0 { self.size[lane].to_bits() } else { 0 });
            }
        }
    }

    /// Writes the rounding errors of its vertices, so that a device has these within 2⁻⁴⁹ of the unit.
    fn remainders(&self, triangles: [[DVec3; 3]; 4], words: &mut Vec<u32>) {
        let end = words.len() + RECORD;
        let [x, y, z, _] = *self.origin();
        let (origin, per_unit) = (DVec3::new(x, y, z), self.unit().recip());
        for (lane, vertices) in triangles.iter().enumerate() {
            for (k, vertex) in vertices.iter().enumerate() {
                let place = (*vertex - origin) * per_unit;
                push_f32(
                    words,
                    &[0, 1, 2]
                        .map(|c| ((place[c] - f64::from(self.vertex[k][c][lane])) * (1 << 24) as f64) as f32),
                );
            }
            words.extend([0; 3]);
        }
        words.resize(end, 0);
    }
}

/// The same box along the axes of a rounded quaternion, not smaller.
fn turned(half: [f32; 3], axes: [DVec3; 3]) -> ([f32; 3], [f32; 4]) {
    let mut frame = DMat3::from_cols(axes[0], axes[1], axes[2]);
    if frame.determinant() < 0.0 {
        // A box is the same for either sense of an axis.
        frame.z_axis = -frame.z_axis;
    }
    let turn = DQuat::from_mat3(&frame).normalize().to_array().map(|x| x as f32);
    let stored = DMat3::from_quat(DQuat::from_array(turn.map(f64::from)).normalize());
    let size = half.iter().map(|&h| f64::from(h) * f64::from(h)).sum::<f64>().sqrt() * (1.0 + 1e-5);
    let widened = [0, 1, 2].map(|k| {
        let off = (stored.col(k) - frame.col(k)).length();
        let wanted = (f64::from(half[k]) + off * size) * (1.0 + 1e-12);
        let rounded = wanted as f32;
        if f64::from(rounded) < wanted { rounded.next_up() } else { rounded }
    });
    (widened, turn)
}

fn push_f32(words: &mut Vec<u32>, numbers: &[f32]) {
    words.extend(numbers.iter().map(|x| x.to_bits()));
}

fn push_f64(words: &mut Vec<u32>, numbers: &[f64]) {
    words.extend(numbers.iter().flat_map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32]));
}
