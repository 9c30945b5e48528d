//! Rows of pairs for the first stage, in the order in which it reads them; see `NearRows` in `filter.cuh`.

use std::array;

pub(crate) const NOBODY: u32 = u32::MAX;
/// Words of `FilterJoint`, `FilterPiece` and `FilterPair`.
pub(crate) const SIZE: usize = 16;

/// Words of a `Primitive`.
const PRIMITIVE: usize = 20;
/// A slot with this bit is a piece that stands still.
const STILL: u32 = 1 << 31;

/// Pairs by kind, and by piece within a kind, with the numbers that their first test needs.
pub(crate) struct NearRows {
    /// `FilterPair`s in their new order.
    pub(crate) pairs: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    /// Ends of the kinds.
    pub(crate) ends: [u32; 4],
}

/// Kinds in their order; the last has no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Moving,
    Still,
    Box,
    Cylinder,
    Other,
}

impl NearRows {
    /// `pairs` have their slots.
    pub(crate) fn new(pairs: &[u32], pieces: &[u32], primitives: &[u32]) -> Self {
        let mut order: Vec<&[u32]> = pairs.chunks_exact(SIZE).collect();
        order.sort_by_key(|pair| (kind(pair, primitives), moving_slot(pair)));
        let ends = [Kind::Moving, Kind::Still, Kind::Box, Kind::Cylinder]
            .map(|last| order.partition_point(|pair| kind(pair, primitives) <= last) as u32);
        let mut rows = Vec::new();
        for pair in &order {
            let (separated, table, slot) = (pair[3], pair[10], moving_slot(pair));
            match kind(pair, primitives) {
                Kind::Moving => rows.extend([pair[14], pair[15], separated, table]),
                Kind::Still => {
                    let other = if pair[14] & STILL == 0 { pair[1] } else { pair[0] };
                    rows.extend(&pieces[SIZE * other as usize..][..3]);
                    rows.extend([separated, slot, table, 0, 0]);
                }
                Kind::Box | Kind::Cylinder => {
                    let primitive = &primitives[PRIMITIVE * pair[6] as usize..];
                    let [center, half]: [[u32; 3]; 2] =
                        [9, 12].map(|at| array::from_fn(|k| primitive[at + k]));
                    for (row, coordinate) in primitive[..9].chunks_exact(3).zip(center) {
                        rows.extend(row);
                        rows.push(coordinate);
                    }
                    rows.extend(half);
                    rows.extend([pair[9], slot, table, 0, 0]);
                }
                Kind::Other => {}
            }
        }
        Self { pairs: order.concat(), rows, ends }
    }
}

fn kind(pair: &[u32], primitives: &[u32]) -> Kind {
    let still = [pair[14], pair[15]].map(|slot| slot & STILL != 0);
    match (still, pair[6]) {
        // Of a cloud.
        _ if pair[11] > 1 => Kind::Other,
        ([true, true], _) => Kind::Other,
        ([false, false], NOBODY) => Kind::Moving,
        (_, NOBODY) => Kind::Still,
        ([false, false], _) => Kind::Other,
        // The piece against the primitive is the one that moves.
        _ if (pair[7] == pair[0]) == still[0] => Kind::Other,
        (_, primitive) if primitives[PRIMITIVE * primitive as usize + 15] == 0 => Kind::Box,
        _ => Kind::Cylinder,
    }
}

/// The first slot of a piece that moves.
fn moving_slot(pair: &[u32]) -> u32 {
    if pair[14] & STILL == 0 { pair[14] } else { pair[15] }
}
