//! Counts of what product definitions and representations come to.

use super::Units;
use super::extent::{Endless, Extent, Known, MAX_DEPTH, Node};
use super::product::{Structure, is_body};
use std::collections::HashSet;

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
                    let reader = self.reader(Units::default());
                    for instance in reader.items(record).iter().filter_map(|&id| self.exchange.get(id)) {
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
