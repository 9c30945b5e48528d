//! Split of the faces of a node.

mod faces;
pub(super) mod halving;
mod surface_area;

pub use faces::Faces;

use super::{Tree, TreeNode, TreeOptions, node};
use noli_geom::Triangle;

/// Deeper nodes are halved by count, so that no input makes a tree as deep as it has faces.
const MAX_DEPTH: usize = 48;

impl Tree {
    /// Splits the faces of every node from the root down, by a custom rule.
    ///
    /// `part` receives the faces of a node of more than `leaf_faces` and returns the groups; `None` keeps the
    /// node a leaf. Empty groups are dropped. The node is split by count if fewer than two groups are left, or
    /// they do not add up, or it lies very deep. A leaf of many faces would cost more than any volume.
    pub fn top_down(
        faces: &Faces<'_>,
        leaf_faces: usize,
        mut part: impl FnMut(&[u32]) -> Option<Vec<Vec<u32>>>,
    ) -> Self {
        if faces.triangles().is_empty() {
            return Self::default();
        }
        let mut order: Vec<u32> = (0..faces.triangles().len() as u32).collect();
        let mut nodes = vec![node(&order, 0)];
        let mut open = vec![(0usize, 0usize)];
        while let Some((index, depth)) = open.pop() {
            let TreeNode { faces: range, .. } = nodes[index].clone();
            let mine = &mut order[range.start as usize..range.end as usize];
            if mine.len() <= leaf_faces.max(1) {
                continue;
            }
            let parts = if depth < MAX_DEPTH { part(mine) } else { Some(Vec::new()) };
            let Some(mut parts) = parts else { continue };
            parts.retain(|part| !part.is_empty());
            if parts.len() < 2 || parts.iter().map(Vec::len).sum::<usize>() != mine.len() {
                parts = faces.halves(mine);
            }
            let first_child = nodes.len();
            let mut start = 0;
            for part in &parts {
                mine[start..start + part.len()].copy_from_slice(part);
                nodes.push(node(part, range.start + start as u32));
                open.push((nodes.len() - 1, depth + 1));
                start += part.len();
            }
            nodes[index].children = first_child as u32..nodes.len() as u32;
        }
        Self { nodes, faces: order }
    }
}

/// Splits where the sum of surface area times number of faces is least. The options are in range.
pub(super) fn by_surface_area(triangles: &[Triangle], options: &TreeOptions) -> Tree {
    let all = Faces::new(triangles);
    let TreeOptions { degree, leaf_faces, .. } = *options;
    Tree::top_down(&all, leaf_faces, |faces| Some(all.by_surface_area(faces, degree, leaf_faces)))
}
