//! Memory that queries reuse.

use crate::convex::{Polytope, SearchEnd};
use crate::simd::{Instructions, Supported};
use crate::tree::packed::PackedTree;
use crate::tree::walk::{Candidate, Item};
use glam::DVec3;

/// A contact between features with the numbers of a model's feature lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawContact {
    pub(crate) key: [FeatureKey; 2],
    /// The vertex, the edge, or the triangle of the face that the point lies in.
    pub(crate) member: [u32; 2],
    /// In a unit of the pair's size.
    pub(crate) points: [DVec3; 2],
    pub(crate) normal: DVec3,
}

/// A feature: an edge by its straight line, a face by its planar region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FeatureKey {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}

/// Working memory lent to queries: one per thread, grows to what the hardest query needed, never
/// shrinks. With a warm scratch a query allocates nothing, except in the exact arithmetic of pairs that
/// nearly touch and for the relation of solids that touch.
#[derive(Debug)]
pub struct Scratch {
    list: Vec<Item>,
    candidates: Vec<Candidate>,
    pairs: Vec<(u32, u32)>,
    contacts: Vec<RawContact>,
    probe: PackedTree,
    polytope: Polytope,
    search_end: SearchEnd,
    simd: Supported,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::with_instructions(Instructions::best())
    }
}

impl Scratch {
    /// A scratch whose queries use these instructions; for tests and benchmarks, since all give the
    /// same answers.
    #[must_use]
    pub fn with_instructions(instructions: Instructions) -> Self {
        Self {
            list: Vec::with_capacity(256),
            candidates: Vec::with_capacity(64),
            pairs: Vec::new(),
            contacts: Vec::new(),
            probe: PackedTree::default(),
            polytope: Polytope::default(),
            search_end: SearchEnd::default(),
            simd: Supported::new(instructions),
        }
    }

    pub(crate) fn list(&mut self) -> &mut Vec<Item> {
        &mut self.list
    }

    pub(crate) fn candidates(&mut self) -> &mut Vec<Candidate> {
        &mut self.candidates
    }

    pub(crate) fn lists(&mut self) -> (&mut Vec<Item>, &mut Vec<Candidate>) {
        (&mut self.list, &mut self.candidates)
    }

    /// An empty list of face pairs, to be given back.
    pub(crate) fn take_pairs(&mut self) -> Vec<(u32, u32)> {
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs
    }

    pub(crate) fn put_pairs(&mut self, pairs: Vec<(u32, u32)>) {
        self.pairs = pairs;
    }

    /// An empty list of contacts, to be given back.
    pub(crate) fn take_contacts(&mut self) -> Vec<RawContact> {
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.clear();
        contacts
    }

    pub(crate) fn put_contacts(&mut self, contacts: Vec<RawContact>) {
        self.contacts = contacts;
    }

    /// A tree for one triangle, to be given back.
    pub(crate) fn take_probe(&mut self) -> PackedTree {
        std::mem::take(&mut self.probe)
    }

    pub(crate) fn put_probe(&mut self, probe: PackedTree) {
        self.probe = probe;
    }

    pub(crate) fn polytope(&mut self) -> &mut Polytope {
        &mut self.polytope
    }

    /// Start and end state of the searches of one query.
    pub(crate) fn search_end(&mut self) -> &mut SearchEnd {
        &mut self.search_end
    }

    pub(crate) fn simd(&self) -> Supported {
        self.simd
    }
}
