//! Changed certificates are rejected, unless the change leaves a proof.

use crate::checker::check;
use glam::dvec3;
use noli::{Mesh, Model, Pose};
use noli_certificate::{Certificate, Region, Scene, Statement};
use noli_geom::random::SplitMix64;

/// Two solids, near each other.
fn certificate() -> Vec<u8> {
    let cube = Model::new(Mesh::cuboid(dvec3(1.0, 1.0, 1.0)).unwrap().into_solid()).unwrap();
    let mut scene = Scene::default();
    scene.add_body("a", 0, &cube, Pose::IDENTITY, 0.0).unwrap();
    let turned = glam::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    scene.add_body("b", 0, &cube, Pose::new(turned, dvec3(1.6, 0.2, 0.1)), 0.0).unwrap();
    let mut certificate = Certificate::new(scene);
    let statement = Statement { clearance: 0.1, ..Statement::separated(vec![[0, 1]], Region::At(vec![])) };
    certificate.prove(statement).unwrap();
    certificate.to_bytes()
}

/// The claim that a certificate makes: its bytes up to the covers.
fn header(bytes: &[u8]) -> &[u8] {
    let cover = b"\x83\x65cover";
    let end = (0..bytes.len()).find(|&k| bytes[k..].starts_with(cover)).expect("there is a cover");
    &bytes[..end]
}

/// A change of the proof alone may leave a proof: then the statement is the same and true. A change of the header may
/// leave a certificate only of another true statement; there are few bytes of which that is so, and those are named.
#[test]
fn changed_bytes_do_not_change_the_statement() {
    let bytes = certificate();
    assert_eq!(check(&bytes), Ok(()));
    let mut random = SplitMix64::new(11);
    let (mut rejected, mut harmless) = (0, 0);
    for _ in 0..4000 {
        let mut changed = bytes.clone();
        match random.below(4) {
            0 => changed.truncate(random.below(bytes.len())),
            1 => drop(changed.remove(random.below(bytes.len()))),
            _ => {
                let at = random.below(bytes.len());
                changed[at] ^= 1 << random.below(8);
            }
        }
        match check(&changed) {
            Err(_) => rejected += 1,
            // The proof of the same statement, with a plane or a box that also works.
            Ok(()) if header(&changed) == header(&bytes) => harmless += 1,
            Ok(()) => assert!(harmless_header(header(&bytes), header(&changed))),
        }
    }
    assert!(rejected > 3000, "{rejected} rejected, {harmless} harmless");
}

/// Names, or the pose, the padding or the clearance changed so little that the planes still separate.
fn harmless_header(before: &[u8], after: &[u8]) -> bool {
    let find = |text: &[u8]| before.windows(text.len()).position(|window| window == text);
    let (Some(hash), Some(links)) = (find(b"sha256"), find(b"links")) else { return false };
    let Some(at) = (0..before.len().min(after.len())).find(|&k| before[k] != after[k]) else { return false };
    // Numbers of the mesh are under its hash.
    !(hash..links - 6).contains(&at)
}

#[test]
fn false_statements_are_rejected_with_proofs_of_true_ones() {
    let bytes = certificate();
    let clearance = b"\x69clearance";
    let at =
        (0..bytes.len()).find(|&k| bytes[k..].starts_with(clearance)).expect("a clearance") + clearance.len();
    assert_eq!(bytes[at], 0xfb);
    let mut claimed = bytes.clone();
    claimed[at + 1..at + 9].copy_from_slice(&0.9f64.to_be_bytes());
    assert!(check(&claimed).is_err_and(|text| text.starts_with("E-PLANE")));
    claimed[at + 1..at + 9].copy_from_slice(&f64::NAN.to_be_bytes());
    assert!(check(&claimed).is_err_and(|text| text.starts_with("E-CBOR")));
}
