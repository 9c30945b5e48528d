//! Stored trees that were changed on purpose.

use crate::common::mesh;
use glam::dvec3;
use noli::internals::tree_checksum;
use noli::{Model, Pose, overlap};
use noli_scenes::{SplitMix64, geodesic};

/// Damage under a fitting checksum: refused, or a model that answers without panic or endless loop.
#[test]
fn forged_files_do_no_harm() {
    const HEADER: usize = 32;
    const NODE: usize = 16;
    const CHECKSUM: usize = 16;
    let mesh = mesh(geodesic(3));
    let bytes = Model::new(&mesh).unwrap().store_tree();
    let node_count = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let shape = HEADER..HEADER + NODE * node_count + 4 * mesh.triangle_count();
    let mut rng = SplitMix64::new(2);
    let (mut refused, mut accepted) = (0, 0);
    for round in 0..4000 {
        let mut forged = bytes[..bytes.len() - CHECKSUM].to_vec();
        for _ in 0..1 + round % 3 {
            let range = if round % 2 == 0 { shape.clone() } else { HEADER..forged.len() };
            let at = range.start + (rng.next_u64() as usize) % range.len();
            match round % 5 {
                0 => forged[at] = rng.next_u64() as u8,
                1 => forged[at] = forged[at].wrapping_add(1),
                2 => forged.truncate(at),
                3 => forged.extend([0; 7]),
                _ => {
                    let word = HEADER + (at - HEADER) / 4 * 4;
                    let small = (rng.next_u64() % 200) as u32;
                    forged[word..word + 4].copy_from_slice(&small.to_le_bytes());
                }
            }
            if forged.len() <= HEADER {
                break;
            }
        }
        forged.extend(tree_checksum(&forged));
        match Model::with_stored_tree(&mesh, &forged) {
            Err(_) => refused += 1,
            Ok(model) => {
                accepted += 1;
                let there = Pose::from_translation(dvec3(0.5, 0.25, 0.1));
                let _ = overlap(&model.at(Pose::IDENTITY), &model.at(there));
            }
        }
    }
    assert!(refused > 1000 && accepted > 100, "{refused} {accepted}");
}
