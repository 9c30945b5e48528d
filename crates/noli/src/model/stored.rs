//! Trees in files: stored once, loaded faster than they are built, and rejected if they do not fit the mesh.
//!
//! All data is little-endian: magic, version, mesh fingerprint, node count, the tree's shape, the faces in its
//! order, the boxes, and a checksum of all. A file may be malicious: after the checksum all its contents
//! are validated before use.

use super::{Form, MeshModel, Model};
use crate::tree::Effort;
use crate::tree::packed::{Codec, PackedTree};
use crate::tree::{Tree, TreeNode};
use noli_geom::{Mesh, Triangle};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"noliTREE";
/// To be raised whenever the layout or the meaning of a number changes.
const VERSION: u32 = 1;
/// Magic, version, node count, fingerprint.
const HEADER: usize = 8 + 4 + 4 + 16;
const CHECKSUM: usize = 16;
/// First face, number of faces, first child, number of children.
const NODE: usize = 4 * size_of::<u32>();
/// Links in packed trees have this many numbers to give.
const MAX_NODES: u32 = 1 << 29;

/// Reason why bytes are not the tree of a mesh.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredTreeError {
    /// They are something else.
    #[error("these bytes are not a stored tree; write them with `Model::store_tree`")]
    Foreign,
    /// Another version of noli wrote them.
    #[error("the tree was stored in format {found}, this build reads {expected}; build and store it again")]
    Version {
        /// As given in the file.
        found: u32,
        /// Supported version.
        expected: u32,
    },
    /// The end is missing, or there is more than that.
    #[error("{found} bytes where {expected} belong; the file was cut or mixed up, store the tree again")]
    Length {
        /// Number of bytes of such a tree.
        expected: usize,
        /// Actual count.
        found: usize,
    },
    /// The checksum does not fit.
    #[error("the stored tree is damaged: its checksum does not fit; store it again")]
    Damaged,
    /// The mesh has changed since, or it is another one.
    #[error("the stored tree belongs to another mesh; build a model of this one and store its tree")]
    OtherMesh,
    /// The checksum fits, but the stored data is not a tree of such a mesh.
    #[error("the stored tree is inconsistent: {0}; store it again")]
    Inconsistent(&'static str),
}

impl Model {
    /// The model's tree as bytes to keep, for [`Model::with_stored_tree`]. The mesh is not among them. Nothing for a body
    /// without faces.
    ///
    /// ```
    /// use noli::model::StoredTreeError;
    /// use noli::{Mesh, Model};
    /// let mesh = Mesh::cuboid(glam::DVec3::ONE)?;
    /// let bytes = Model::new(&mesh)?.store_tree();
    /// let model = Model::with_stored_tree(&mesh, &bytes)?;
    /// assert_eq!(model.store_tree(), bytes);
    /// let larger = mesh.scaled(2.0)?;
    /// assert_eq!(Model::with_stored_tree(&larger, &bytes).unwrap_err(), StoredTreeError::OtherMesh);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn store_tree(&self) -> Vec<u8> {
        let Some(MeshModel { mesh, tree, packed, .. }) = self.faces() else { return Vec::new() };
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((tree.nodes.len() as u32).to_le_bytes());
        bytes.extend(fingerprint(mesh));
        for TreeNode { faces, children } in &tree.nodes {
            for x in [faces.start, faces.end - faces.start, children.start, children.end - children.start] {
                bytes.extend(x.to_le_bytes());
            }
        }
        tree.faces.iter().for_each(|face| bytes.extend(face.to_le_bytes()));
        if !tree.nodes.is_empty() {
            packed.write(&mut Writer(&mut bytes));
        }
        bytes.extend(checksum(&bytes));
        bytes
    }

    /// A model like the one whose tree was stored, bit for bit. The mesh must have the same vertices and
    /// triangles in the same order; whether it is a surface or a solid does not matter.
    pub fn with_stored_tree(mesh: &Mesh, bytes: &[u8]) -> Result<Self, StoredTreeError> {
        let node_count = check_frame(mesh, bytes)?;
        let mut reader = Reader(&bytes[HEADER..bytes.len() - CHECKSUM]);
        let tree = read_tree(&mut reader, node_count, mesh.triangle_count());
        check_shape(&tree, mesh.triangle_count())?;
        // The count of boxes follows from the shape, so only now is the length known.
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        let expected = stored_bytes(&tree, &triangles);
        if bytes.len() != expected {
            return Err(StoredTreeError::Length { expected, found: bytes.len() });
        }
        let packed = if tree.nodes.is_empty() {
            PackedTree::new(&tree, &triangles, Effort::Full)
        } else {
            let read = PackedTree::read(&tree, &triangles, &mut reader);
            read.ok_or(StoredTreeError::Inconsistent("a box is not finite"))?
        };
        let (mesh, tree) = (mesh.clone(), Arc::new(tree));
        Ok(Self(Arc::new(Form::Mesh(MeshModel::from_parts(mesh, tree, packed)))))
    }
}

fn stored_bytes(tree: &Tree, triangles: &[Triangle]) -> usize {
    let boxes = if tree.nodes.is_empty() { 0 } else { PackedTree::stored_bytes(tree, triangles) };
    shape_bytes(tree.nodes.len(), tree.faces.len()) + boxes
}

fn shape_bytes(nodes: usize, faces: usize) -> usize {
    HEADER + NODE * nodes + size_of::<u32>() * faces + CHECKSUM
}

/// Check everything around the tree itself; the number of its nodes.
fn check_frame(mesh: &Mesh, bytes: &[u8]) -> Result<u32, StoredTreeError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(StoredTreeError::Foreign);
    }
    let mut header = Reader(&bytes[MAGIC.len()..]);
    let (version, node_count) = (header.u32(), header.u32());
    if bytes.len() >= MAGIC.len() + 4 && version != VERSION {
        return Err(StoredTreeError::Version { found: version, expected: VERSION });
    }
    let cut = |expected| StoredTreeError::Length { expected, found: bytes.len() };
    if bytes.len() < HEADER + CHECKSUM {
        return Err(cut(HEADER + CHECKSUM));
    }
    let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM);
    if checksum(content) != sum {
        return Err(StoredTreeError::Damaged);
    }
    if header.0[..16] != fingerprint(mesh) {
        return Err(StoredTreeError::OtherMesh);
    }
    if node_count >= MAX_NODES {
        return Err(StoredTreeError::Inconsistent("more nodes than a tree can have"));
    }
    let shape = shape_bytes(node_count as usize, mesh.triangle_count());
    if bytes.len() < shape { Err(cut(shape)) } else { Ok(node_count) }
}

fn read_tree(reader: &mut Reader<'_>, node_count: u32, face_count: usize) -> Tree {
    let range = |start: u32, count: u32| start..start.saturating_add(count);
    let nodes = (0..node_count).map(|_| {
        let [first_face, faces, first_child, children] = [(); 4].map(|()| reader.u32());
        TreeNode { faces: range(first_face, faces), children: range(first_child, children) }
    });
    let nodes = nodes.collect();
    Tree { nodes, faces: (0..face_count).map(|_| reader.u32()).collect() }
}

/// Check that this is a tree over all faces as packed storage holds it: every node but the root is the
/// child of exactly one that comes before it.
fn check_shape(tree: &Tree, face_count: usize) -> Result<(), StoredTreeError> {
    use StoredTreeError::Inconsistent;
    let Some(root) = tree.nodes.first() else {
        return if face_count == 0 { Ok(()) } else { Err(Inconsistent("there are faces, but no nodes")) };
    };
    if root.faces != (0..face_count as u32) || face_count == 0 {
        return Err(Inconsistent("the root does not hold all faces"));
    }
    let mut has_parent = vec![false; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate() {
        let (children, faces) = (&node.children, &node.faces);
        if children.is_empty() {
            if !(1..=4).contains(&faces.len()) || *children != (0..0) {
                return Err(Inconsistent("a leaf does not hold one to four faces"));
            }
            continue;
        }
        if !(2..=4).contains(&children.len()) || children.start as usize <= index {
            return Err(Inconsistent("a node does not have two to four children behind it"));
        }
        for child in children.clone() {
            match has_parent.get_mut(child as usize) {
                Some(has) if !*has => *has = true,
                _ => return Err(Inconsistent("a node is missing or the child of two")),
            }
        }
    }
    if has_parent[1..].contains(&false) {
        return Err(Inconsistent("a node is no child of any"));
    }
    tree.check(face_count).map_err(|_| Inconsistent("children do not part the faces of their parent"))
}

/// Computes the fingerprint of a mesh from all positions and triangles, bit for bit.
fn fingerprint(mesh: &Mesh) -> [u8; 16] {
    let mut hash = Hash::new();
    hash.push(mesh.vertices().len() as u64);
    mesh.vertices().iter().flat_map(|v| v.to_array()).for_each(|x| hash.push(x.to_bits()));
    mesh.triangles().as_flattened().iter().for_each(|&v| hash.push(v.into()));
    hash.finish()
}

/// At the end of a stored tree, of all before it.
pub fn checksum(bytes: &[u8]) -> [u8; 16] {
    let mut hash = Hash::new();
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| hash.push(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash.push(u64::from_le_bytes(last));
    hash.push(bytes.len() as u64);
    hash.finish()
}

/// Two independent multiplicative hashes. Each step is one-to-one in the word and in the state, so a change
/// of a single word is always seen and others are missed once in 2^128. It guards against accidents, not
/// against forgers.
struct Hash([u64; 2]);

impl Hash {
    /// Odd, from the digits of the golden ratio and of √2.
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];

    fn new() -> Self {
        Self([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344])
    }

    fn push(&mut self, word: u64) {
        for (state, factor) in self.0.iter_mut().zip(Self::FACTORS) {
            *state = (*state ^ word).wrapping_mul(factor);
            *state ^= *state >> 32;
        }
    }

    fn finish(mut self) -> [u8; 16] {
        // The last words have yet to reach all bits.
        self.push(0);
        self.push(0);
        let [low, high] = self.0;
        (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Codec for Writer<'_> {
    fn f32(&mut self, x: &mut f32) {
        self.0.extend(x.to_le_bytes());
    }
    fn f64(&mut self, x: &mut f64) {
        self.0.extend(x.to_le_bytes());
    }
}

/// Reads numbers from the front; returns zeros at the end of the data.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((first, rest)) = self.0.split_first_chunk::<N>() else {
            self.0 = &[];
            return [0; N];
        };
        self.0 = rest;
        *first
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}

impl Codec for Reader<'_> {
    fn f32(&mut self, x: &mut f32) {
        *x = f32::from_le_bytes(self.take());
    }
    fn f64(&mut self, x: &mut f64) {
        *x = f64::from_le_bytes(self.take());
    }
}

#[cfg(test)]
mod tests;
