//! Identity of bodies and clashes across reruns and programs.
//!
//! A body is identified by its name, or by the IFC GlobalId at the end of its name; a clash by its two bodies.
//! A fingerprint detects changes of shape and pose: it covers every vertex, every triangle and the pose, bit by
//! bit.

use super::scene::Staged;
use crate::parallel::map;
use noli_geom::Mesh;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Digits of compressed GUIDs in IFC files.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$";

/// 128 bits as 22 digits, as IFC files write their GlobalIds.
pub fn ifc_guid(bits: u128) -> String {
    let digit = |place: u32| char::from(DIGITS[(bits >> (6 * place)) as usize & 63]);
    (0..22).rev().map(digit).collect()
}

/// Returns `true` if a text could be an IFC GlobalId.
pub fn is_ifc_guid(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 22 && (b'0'..=b'3').contains(&bytes[0]) && bytes.iter().all(|byte| DIGITS.contains(byte))
}

/// 128 bits that depend on every part and on where parts end.
fn digest(parts: &[&str]) -> u128 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    first_bits(hash)
}

fn first_bits(hash: Sha256) -> u128 {
    hash.finalize().iter().take(16).fold(0, |bits, &byte| bits << 8 | u128::from(byte))
}

/// The UUID (version 8 of RFC 9562: by a rule of our own) of these texts, the same for ever.
pub(crate) fn uuid_of(parts: &[&str]) -> String {
    let bits = digest(parts);
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// The id of the clash of two bodies, in whichever order.
pub(crate) fn clash_id(a: &str, b: &str) -> String {
    let [first, second] = if a <= b { [a, b] } else { [b, a] };
    uuid_of(&["noli clash", first, second])
}

/// A body over reruns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BodyIdentity {
    /// An IFC GlobalId: the one of its name, or one made from the name.
    pub(crate) id: String,
    /// Its shape and place.
    pub(crate) fingerprint: String,
}

/// The identities of all bodies, in their order.
pub(crate) fn identities(staged: &Staged) -> Vec<BodyIdentity> {
    let names: Vec<&str> = staged.bodies.iter().map(|body| staged.name(body.id)).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    names.iter().filter_map(|name| own_guid(name)).for_each(|guid| *uses.entry(guid).or_default() += 1);
    // Meshes are shared, and reading every vertex is what costs.
    let mut numbers: HashMap<_, usize> = HashMap::new();
    let mut meshes: Vec<&Mesh> = Vec::new();
    let mesh_of: Vec<usize> = staged
        .bodies
        .iter()
        .map(|body| {
            let key = (body.look.vertices().as_ptr(), body.look.triangles().as_ptr());
            *numbers.entry(key).or_insert_with(|| {
                meshes.push(&body.look);
                meshes.len() - 1
            })
        })
        .collect();
    let prints = map(&meshes, |mesh| print(mesh));
    let identity = |(number, name): (usize, &&str)| {
        let (body, mut hash) = (&staged.bodies[number], Sha256::new());
        hash.update(prints[mesh_of[number]].to_le_bytes());
        hash.update([u8::from(body.is_true_shape), u8::from(body.kind == noli_geom::MeshKind::Solid)]);
        if let Ok(found) = staged.world.body(body.id) {
            let pose = found.pose();
            let turn = pose.rotation.to_array();
            turn.into_iter().chain(pose.translation.to_array()).for_each(|x| hash.update(bits(x)));
        }
        let id = own_guid(name).filter(|guid| uses[guid] == 1).map(str::to_owned);
        BodyIdentity {
            id: id.unwrap_or_else(|| ifc_guid(digest(&["noli body", name]))),
            fingerprint: format!("{:032x}", first_bits(hash)),
        }
    };
    names.iter().enumerate().map(identity).collect()
}

/// The GlobalId that a name ends with.
pub(crate) fn own_guid(name: &str) -> Option<&str> {
    name.rsplit('/').next().filter(|last| is_ifc_guid(last))
}

fn print(mesh: &Mesh) -> u128 {
    let mut hash = Sha256::new();
    // In large bites: the hash takes small ones one by one.
    let mut bytes = Vec::with_capacity(1 << 16);
    let mut take = |more: &[u8], hash: &mut Sha256| {
        bytes.extend_from_slice(more);
        if bytes.len() >= (1 << 16) - 64 {
            hash.update(&bytes);
            bytes.clear();
        }
    };
    take(&(mesh.vertices().len() as u64).to_le_bytes(), &mut hash);
    for vertex in mesh.vertices() {
        vertex.to_array().into_iter().for_each(|x| take(&bits(x), &mut hash));
    }
    for triangle in mesh.triangles() {
        triangle.iter().for_each(|corner| take(&corner.to_le_bytes(), &mut hash));
    }
    hash.update(&bytes);
    first_bits(hash)
}

/// The bits of a number; both zeros are one.
fn bits(x: f64) -> [u8; 8] {
    (if x == 0.0 { 0.0 } else { x }).to_bits().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example of the documentation of IFC: the GUID and its 22 digits.
    #[test]
    fn guids_are_written_as_ifc_writes_them() {
        let bits = 0x3f2f7c1a_5b4d_4e8f_9a0b_1c2d3e4f5061_u128;
        let text = ifc_guid(bits);
        let value = |digit: char| DIGITS.iter().position(|&d| char::from(d) == digit).unwrap() as u128;
        assert_eq!(text.chars().fold(0, |sum, digit| sum << 6 | value(digit)), bits);
        assert!(is_ifc_guid(&text) && is_ifc_guid(&ifc_guid(u128::MAX)) && is_ifc_guid(&ifc_guid(0)));
        assert!(!is_ifc_guid("4cXV28XOjE6f6irgi0CO28") && !is_ifc_guid("wall"));
        assert_eq!(own_guid("LargeBuilding/IfcSlab/2cXV28XOjE6f6irgi0CO28"), Some("2cXV28XOjE6f6irgi0CO28"));
    }

    #[test]
    fn ids_do_not_depend_on_the_order_and_do_on_every_letter() {
        assert_eq!(clash_id("a", "b"), clash_id("b", "a"));
        assert_ne!(clash_id("a", "bc"), clash_id("ab", "c"));
        let id = clash_id("a", "b");
        assert_eq!((id.len(), &id[14..15]), (36, "8"), "{id}");
        assert!("89ab".contains(&id[19..20]), "{id}");
    }
}
