//! Memory that queries reuse.

use crate::convex::{Hint, Polytope};
use crate::pair::mesh_mesh::RawContact;
use crate::simd::Instructions;
use crate::tree::packed::PackedTree;
use crate::tree::walk::{Candidate, Item};

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
    hint: Hint,
    instructions: Instructions,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::with_instructions(Instructions::best())
    }
}

impl Scratch {
    /// A scratch whose queries use these instructions; for tests and benchmarks, since all give the
    /// same answers.
    pub fn with_instructions(instructions: Instructions) -> Self {
        Self {
            list: Vec::with_capacity(256),
            candidates: Vec::with_capacity(64),
            pairs: Vec::new(),
            contacts: Vec::new(),
            probe: PackedTree::default(),
            polytope: Polytope::default(),
            hint: Hint::default(),
            instructions,
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

    /// Where searches of one question start and end.
    pub(crate) fn hint(&mut self) -> &mut Hint {
        &mut self.hint
    }

    pub(crate) fn instructions(&self) -> Instructions {
        self.instructions
    }
}
