//! The nodes of a glTF file: a forest, each node placed relative to its parent.

use super::document::{Document, Node, Scene};
use crate::error::{FileError, Place};
use glam::{DAffine3, DMat3, DVec3};

/// A node of the scene, with its place in the world.
pub(super) struct Placed<'n> {
    pub(super) index: usize,
    pub(super) node: &'n Node,
    pub(super) world_from_node: DAffine3,
    /// Number of its parent among the placed nodes.
    pub(super) parent: Option<usize>,
}

/// All nodes, once each has at most one parent and no node is its own ancestor.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    parents: Vec<Option<usize>>,
}

impl Nodes {
    pub(super) fn read(document: &Document<'_>) -> Result<Self, FileError> {
        let count = document.count::<Node>();
        let nodes = (0..count)
            .map(|index| document.item(index, Place::Whole))
            .collect::<Result<Vec<Node>, FileError>>()?;
        let parents = parents(document, &nodes)?;
        let found = Self { nodes, parents };
        found.refuse_cycles(document)?;
        Ok(found)
    }

    /// Returns the nodes of the displayed scene, parents before children; all nodes if no scene is given.
    pub(super) fn scene(&self, document: &Document<'_>) -> Result<Vec<Placed<'_>>, FileError> {
        let mut stack: Vec<(usize, DAffine3, Option<usize>)> =
            self.roots(document)?.into_iter().rev().map(|root| (root, DAffine3::IDENTITY, None)).collect();
        let mut seen = vec![false; self.nodes.len()];
        let mut placed: Vec<Placed<'_>> = Vec::new();
        while let Some((index, world_from_parent, parent)) = stack.pop() {
            let (Some(seen), Some(node)) = (seen.get_mut(index), self.nodes.get(index)) else { continue };
            if std::mem::replace(seen, true) {
                let remedy = "name each node once, by its parent or by the scene";
                return Err(document.error::<Node>(index, "the scene holds it twice", remedy));
            }
            let world_from_node = world_from_parent * local(document, index, node)?;
            let this = Some(placed.len());
            stack.extend(node.children.iter().rev().map(|&child| (child, world_from_node, this)));
            placed.push(Placed { index, node, world_from_node, parent });
        }
        Ok(placed)
    }

    fn without_parent(&self) -> Vec<usize> {
        let parents = self.parents.iter().enumerate();
        parents.filter(|(_, parent)| parent.is_none()).map(|(node, _)| node).collect()
    }

    fn roots(&self, document: &Document<'_>) -> Result<Vec<usize>, FileError> {
        if document.root.scene.is_none() && document.count::<Scene>() == 0 {
            return Ok(self.without_parent());
        }
        let scene = document.root.scene.unwrap_or(0);
        let roots = document.item::<Scene>(scene, Place::Whole)?.nodes;
        match roots.iter().find(|&&root| root >= self.nodes.len()) {
            Some(&root) => {
                Err(document.item::<Node>(root, document.place::<Scene>(scene)).err().unwrap_or_else(|| {
                    document.error::<Scene>(scene, "a node is missing", "correct the numbers")
                }))
            }
            None => Ok(roots),
        }
    }

    /// Rejects cycles: every chain of parents must end. Each node is visited a bounded number of times.
    fn refuse_cycles(&self, document: &Document<'_>) -> Result<(), FileError> {
        let mut reached = vec![false; self.nodes.len()];
        let mut stack = self.without_parent();
        while let Some(number) = stack.pop() {
            let (Some(reached), Some(node)) = (reached.get_mut(number), self.nodes.get(number)) else {
                continue;
            };
            *reached = true;
            stack.extend(&node.children);
        }
        match reached.iter().position(|&reached| !reached) {
            Some(node) => {
                let remedy = "remove a child, so that the nodes form trees";
                Err(document.error::<Node>(node, "it is a descendant of itself", remedy))
            }
            None => Ok(()),
        }
    }
}

fn parents(document: &Document<'_>, nodes: &[Node]) -> Result<Vec<Option<usize>>, FileError> {
    let mut parents = vec![None; nodes.len()];
    for (parent, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            let Some(known) = parents.get_mut(child) else {
                document.item::<Node>(child, document.place::<Node>(parent))?;
                continue;
            };
            if let Some(other) = known.replace(parent) {
                let reason = format!("it is a child of node {other} and of node {parent}");
                return Err(document.error::<Node>(child, reason, "give it one parent, or copy it"));
            }
        }
    }
    Ok(parents)
}

/// The placement of a node relative to its parent.
fn local(document: &Document<'_>, index: usize, node: &Node) -> Result<DAffine3, FileError> {
    if let Some(m) = node.matrix {
        let (columns, _) = m.as_chunks::<4>();
        if columns.iter().map(|[.., last]| *last).ne([0.0, 0.0, 0.0, 1.0]) {
            let reason = "its matrix does more than move, turn and scale";
            return Err(document.error::<Node>(index, reason, "let the last row be 0 0 0 1"));
        }
        let &[a, b, c, d] = columns.first_chunk().unwrap_or(&[[0.0; 4]; 4]);
        let [a, b, c, translation] = [a, b, c, d].map(|[x, y, z, _]| DVec3::new(x, y, z));
        return Ok(DAffine3 { matrix3: DMat3::from_cols(a, b, c), translation });
    }
    let rotation = match node.rotation {
        None => DMat3::IDENTITY,
        Some(q) => rotation(q).ok_or_else(|| {
            document.error::<Node>(index, "its rotation is no quaternion", "give it a length")
        })?,
    };
    let scale = DMat3::from_diagonal(node.scale.map_or(DVec3::ONE, DVec3::from));
    let translation = node.translation.map_or(DVec3::ZERO, DVec3::from);
    Ok(DAffine3 { matrix3: rotation * scale, translation })
}

/// The rotation of a quaternion `x y z w` of any length: files hold rounded ones.
fn rotation(q: [f64; 4]) -> Option<DMat3> {
    let [x, y, z, w] = q;
    let length_sq = x * x + y * y + z * z + w * w;
    if !(length_sq.is_normal() && length_sq > 0.0) {
        return None;
    }
    let s = 2.0 / length_sq;
    Some(DMat3::from_cols(
        DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
        DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
        DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
    ))
}

/// Names of the ancestors of each node with a mesh, outermost first. Ancestors common to all nodes are omitted:
/// an exporter's name for the whole scene distinguishes nothing.
pub(super) struct Ancestors<'n, 'p> {
    placed: &'p [Placed<'n>],
    shared: usize,
}

impl<'n, 'p> Ancestors<'n, 'p> {
    pub(super) fn new(placed: &'p [Placed<'n>]) -> Self {
        let mut found = Self { placed, shared: 0 };
        let mut common: Option<Vec<usize>> = None;
        for (number, _) in placed.iter().enumerate().filter(|(_, placed)| placed.node.mesh.is_some()) {
            let above = found.above(number);
            match &mut common {
                None => common = Some(above),
                Some(common) => {
                    let alike = common.iter().zip(&above).take_while(|(x, y)| x == y).count();
                    common.truncate(alike);
                    if alike == 0 {
                        break;
                    }
                }
            }
        }
        // A single mesh needs no path at all.
        found.shared = common.map_or(0, |common| common.len());
        found
    }

    /// The placed nodes above one, outermost first.
    fn above(&self, number: usize) -> Vec<usize> {
        let up = |&number: &usize| self.placed.get(number)?.parent;
        // Longer paths are unreadable, and a hostile file must not make them grow with the square of its
        // size.
        let mut above: Vec<usize> = std::iter::successors(up(&number), up).take(64).collect();
        above.reverse();
        above
    }

    /// The names to write before that of a node.
    pub(super) fn names(&self, number: usize) -> Vec<&'n str> {
        let above = self.above(number).into_iter().skip(self.shared);
        above
            .filter_map(|above| self.placed.get(above)?.node.name.as_deref())
            .filter(|name| !name.is_empty())
            .collect()
    }
}
