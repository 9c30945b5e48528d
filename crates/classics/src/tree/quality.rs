//! Quality of a tree before use.

use super::{Aggregate, FitVolume, VolumeTree};

/// One level of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of leaves among them.
    pub leaves: usize,
    /// Their mean quality; smaller is better.
    pub mean: f64,
    /// Their worst quality.
    pub max: f64,
    /// The mean over groups of siblings of the mean in each group.
    pub mean_of_siblings: f64,
}

impl<V: FitVolume> VolumeTree<V> {
    /// The quality of a node: its size by the measure of the tree, times what testing its kind costs. Smaller
    /// is better.
    pub fn quality(&self, node: u32) -> f64 {
        self.quality[node as usize]
    }

    /// Returns the quality of each level.
    pub fn levels(&self) -> Vec<Level> {
        let levels = self.tree().levels();
        let mut parents: Vec<u32> = Vec::new();
        let mut rated = Vec::new();
        for level in levels {
            let of = |node: &u32| self.quality(*node);
            let groups = parents
                .iter()
                .filter(|&&p| !self.is_leaf(p))
                .map(|&p| Aggregate::Mean.of(self.children(p).map(|child| self.quality(child))));
            let siblings = Aggregate::Mean.of(groups);
            let mean = Aggregate::Mean.of(level.iter().map(of));
            rated.push(Level {
                nodes: level.len(),
                leaves: level.iter().filter(|&&n| self.is_leaf(n)).count(),
                mean,
                max: Aggregate::Max.of(level.iter().map(of)),
                mean_of_siblings: if parents.is_empty() { mean } else { siblings },
            });
            parents = level;
        }
        rated
    }

    /// Returns the number of inner nodes with 0, 1, 2, ... children.
    pub fn degrees(&self) -> Vec<usize> {
        let mut counts = Vec::new();
        for node in self.tree().nodes.iter().filter(|node| !node.children.is_empty()) {
            let degree = node.children.len();
            if counts.len() <= degree {
                counts.resize(degree + 1, 0);
            }
            counts[degree] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{AnyVolume, THESIS_COSTS, Tree, TreeNode, TreeOptions, cost_rows};
    use glam::DVec3;
    use noli_geom::Triangle;

    /// The rows printed from the table of the thesis.
    #[test]
    fn rows_are_those_of_the_thesis() {
        let means = cost_rows(&THESIS_COSTS, Aggregate::Mean);
        for (found, printed) in means.into_iter().zip([0.009933, 0.010767, 0.012767]) {
            assert!((found - printed).abs() < 5e-7, "{found}");
        }
    }

    /// Five leaves in groups of three and two: the two means differ, the two largest do not.
    #[test]
    fn means_differ_where_groups_are_unequal() {
        let face = |size: f64| Triangle::new(DVec3::ZERO, DVec3::X * size, DVec3::Y * size);
        let faces = [1.0, 1.0, 1.0, 4.0, 8.0].map(face);
        let node = |faces, children| TreeNode { faces, children };
        let nodes = vec![
            node(0..5, 1..3),
            node(0..3, 3..6),
            node(3..5, 6..8),
            node(0..1, 0..0),
            node(1..2, 0..0),
            node(2..3, 0..0),
            node(3..4, 0..0),
            node(4..5, 0..0),
        ];
        let tree = Tree { nodes, faces: (0..5).collect() };
        assert_eq!(tree.check(5), Ok(()));
        let tree = VolumeTree::<AnyVolume>::of(tree, &faces, &TreeOptions::workshop());
        let leaves = tree.levels()[2];
        let quality: Vec<f64> = (3..8).map(|node| tree.quality(node)).collect();
        let groups = [&quality[..3], &quality[3..]];
        let by = |by: Aggregate| groups.map(|group| by.of(group.iter().copied()));
        assert!((leaves.mean - Aggregate::Mean.of(quality.iter().copied())).abs() < 1e-12);
        assert!((leaves.mean_of_siblings - Aggregate::Mean.of(by(Aggregate::Mean))).abs() < 1e-12);
        assert!(leaves.mean_of_siblings > 1.1 * leaves.mean, "{leaves:?}");
        assert_eq!(leaves.max, Aggregate::Max.of(by(Aggregate::Max)));
        assert_eq!(tree.degrees(), [0, 0, 2, 1]);
    }
}
