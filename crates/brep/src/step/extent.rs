//! How much an assembly comes to, counted before anything is placed.
//!
//! A component that is used twice by one that is used twice doubles with every level: a file of a thousand lines can hold
//! 2^30 bodies. Each product definition and representation is counted once.

use super::product::{MAX_DEPTH, MAX_PARTS, Structure, is_body};
use std::collections::{HashMap, HashSet};

/// Most uses of assemblies and of mapped representations.
const MAX_USES: u64 = 4 * MAX_PARTS as u64;

/// A product definition, or a representation with those that stand for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Definition(u64),
    Representation(u64),
}

/// What is placed with a node; counts stop at the largest number.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    pub(super) bodies: u64,
    uses: u64,
    height: usize,
}

/// Why an assembly is not placed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Endless {
    /// It is a component of itself.
    Cycle,
    /// It is nested too deep.
    TooDeep,
}

/// Extents of nodes; `None` while one is counted.
pub(super) type Known = HashMap<Node, Option<Extent>>;

impl Extent {
    fn add(&mut self, other: Self) {
        self.bodies = self.bodies.saturating_add(other.bodies);
        self.uses = self.uses.saturating_add(other.uses);
        self.height = self.height.max(other.height);
    }

    /// The reason why this is too much.
    pub(super) fn refusal(self) -> Option<String> {
        if self.bodies > MAX_PARTS as u64 {
            let Self { bodies, .. } = self;
            return Some(format!(
                "the assemblies hold {bodies} bodies when expanded; at most {MAX_PARTS} are read"
            ));
        }
        (self.uses > MAX_USES).then(|| {
            format!(
                "the assemblies use components {} times when expanded; at most {MAX_USES} are read",
                self.uses
            )
        })
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        self.add(other);
        self
    }
}

impl Endless {
    pub(super) fn reason(self) -> String {
        match self {
            Self::Cycle => "this assembly is a component of itself".to_owned(),
            Self::TooDeep => format!("assemblies are nested more than {MAX_DEPTH} deep"),
        }
    }
}

impl Structure<'_> {
    /// Counts what is placed with a node.
    pub(super) fn extent(&self, node: Node, known: &mut Known, depth: usize) -> Result<Extent, Endless> {
        match known.get(&node) {
            Some(Some(extent)) => {
                let is_deep = depth.saturating_add(extent.height) > MAX_DEPTH;
                return if is_deep { Err(Endless::TooDeep) } else { Ok(*extent) };
            }
            Some(None) => return Err(Endless::Cycle),
            None => {}
        }
        if depth > MAX_DEPTH {
            return Err(Endless::TooDeep);
        }
        known.insert(node, None);
        let (mut extent, children) = self.contents(node);
        for child in children {
            let deeper =
                usize::from(!matches!((node, child), (Node::Definition(_), Node::Representation(_))));
            let found = self.extent(child, known, depth.saturating_add(deeper))?;
            extent.add(Extent { height: found.height.saturating_add(deeper), ..found });
        }
        known.insert(node, Some(extent));
        Ok(extent)
    }

    /// The own bodies of a node, and the nodes that are placed with it.
    fn contents(&self, node: Node) -> (Extent, Vec<Node>) {
        let mut own = Extent { uses: 1, ..Extent::default() };
        let mut children = Vec::new();
        match node {
            Node::Definition(id) => {
                children.extend(
                    self.shapes.get(&id).into_iter().flatten().map(|&shape| Node::Representation(shape)),
                );
                let components = self.occurrences.get(&id).into_iter().flatten();
                children.extend(components.map(|component| Node::Definition(component.child)));
            }
            Node::Representation(id) => {
                for id in self.alike(id) {
                    let Some(record) = self.representation(id) else { continue };
                    let reader = self.reader(super::Units::default());
                    for instance in
                        reader.items(record).iter().filter_map(|id| self.exchange.instances.get(id))
                    {
                        if is_body(instance) {
                            own.bodies = own.bodies.saturating_add(1);
                        } else if let Some(Ok((mapped, _))) =
                            instance.record("MAPPED_ITEM").map(|record| reader.map(record))
                        {
                            children.push(Node::Representation(mapped));
                        }
                    }
                }
            }
        }
        (own, children)
    }

    /// A representation and those that stand for it.
    pub(super) fn alike(&self, id: u64) -> Vec<u64> {
        let (mut seen, mut open, mut all) = (HashSet::from([id]), vec![id], Vec::new());
        while let Some(id) = open.pop() {
            all.push(id);
            let others = self.same.get(&id).into_iter().flatten();
            open.extend(others.filter(|&&other| seen.insert(other)));
        }
        all
    }
}
