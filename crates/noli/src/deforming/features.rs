//! Assignment of vertices and edges to faces, and the pairs of features of two faces.

use super::Deforming;
use noli_geom::{FeatureKind, FeaturePair, Features, Mesh};
use std::collections::HashSet;

/// The vertices and sides of a face that belong to it: bit `k` for vertex `k` and for the side from it to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Owned {
    vertices: u8,
    sides: u8,
}

/// Every vertex and every undirected edge belongs to the first face that has it.
pub(super) fn owned(mesh: &Mesh) -> Vec<Owned> {
    let mut vertex_taken = vec![false; mesh.vertices().len()];
    let mut edges_taken = HashSet::with_capacity(mesh.triangles().len() * 2);
    let face = |vertices: &[u32; 3]| {
        let mut owned = Owned::default();
        for k in 0..3 {
            let (a, b) = (vertices[k], vertices[(k + 1) % 3]);
            if !std::mem::replace(&mut vertex_taken[a as usize], true) {
                owned.vertices |= 1 << k;
            }
            if edges_taken.insert((a.min(b), a.max(b))) {
                owned.sides |= 1 << k;
            }
        }
        owned
    };
    mesh.triangles().iter().map(face).collect()
}

/// Two faces, of two meshes or of one, whose features are to be tested.
pub(super) struct FacePair<'a> {
    pub(super) a: &'a Deforming,
    pub(super) b: &'a Deforming,
    pub(super) faces: [u32; 2],
    /// `true` if both are one mesh: features that share a vertex do not count, and names come in order.
    pub(super) same: bool,
}

impl FacePair<'_> {
    /// Hands over every pair of features that belongs to these two faces.
    pub(super) fn each(&self, mut ask: impl FnMut(Features, &FeaturePair)) {
        let Self { a, b, faces: [f, g], same } = *self;
        let (of_f, of_g) = (a.start.triangles()[f as usize], b.start.triangles()[g as usize]);
        let (owned_f, owned_g) = (a.owned[f as usize], b.owned[g as usize]);
        for k in (0..3).filter(|k| owned_f.vertices >> k & 1 == 1) {
            let vertex = of_f[k];
            if !(same && of_g.contains(&vertex)) {
                let features = Features::VertexFace { vertex, face: g };
                ask(features, &pair(FeatureKind::VertexFace, (a, &[vertex]), (b, &of_g)));
            }
        }
        for k in (0..3).filter(|k| owned_g.vertices >> k & 1 == 1) {
            let vertex = of_g[k];
            if !(same && of_f.contains(&vertex)) {
                let features = match same {
                    true => Features::VertexFace { vertex, face: f },
                    false => Features::FaceVertex { face: f, vertex },
                };
                ask(features, &pair(FeatureKind::VertexFace, (b, &[vertex]), (a, &of_f)));
            }
        }
        for k in (0..3).filter(|k| owned_f.sides >> k & 1 == 1) {
            let e = sorted([of_f[k], of_f[(k + 1) % 3]]);
            for l in (0..3).filter(|l| owned_g.sides >> l & 1 == 1) {
                let d = sorted([of_g[l], of_g[(l + 1) % 3]]);
                if same && (e.contains(&d[0]) || e.contains(&d[1])) {
                    continue;
                }
                let [e, d] = if same && d < e { [d, e] } else { [e, d] };
                ask(Features::EdgeEdge { a: e, b: d }, &pair(FeatureKind::EdgeEdge, (a, &e), (b, &d)));
            }
        }
    }
}

fn sorted([p, q]: [u32; 2]) -> [u32; 2] {
    [p.min(q), p.max(q)]
}

fn pair(kind: FeatureKind, first: (&Deforming, &[u32]), second: (&Deforming, &[u32])) -> FeaturePair {
    let count = first.1.len();
    let at = |end: bool| {
        std::array::from_fn(|k| {
            let (of, vertex) =
                if k < count { (first.0, first.1[k]) } else { (second.0, second.1[k - count]) };
            let mesh = if end { &of.end } else { &of.start };
            mesh.vertices()[vertex as usize]
        })
    };
    FeaturePair { kind, start: at(false), end: at(true) }
}
