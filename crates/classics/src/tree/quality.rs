//! How good a tree is before it is used.

use super::{Aggregate, FitVolume, VolumeTree};
use noli_geom::VolumeKind;

/// What testing a volume costs, by kind in the order of [`VolumeKind::ALL`], compared with an oriented box:
/// the mean time of a test against a sphere, an axis-aligned and an oriented box, as recorded by the
/// experiment `eckstein-costs` (24, 94, 85 and 1301 ns). Eckstein (1998, section 10.1) printed 0.78, 0.84 and
/// 1.
pub const COLLISION_COST: [f64; 4] = [0.286, 1.11, 1.0, 15.4];

/// The collision-related part of the quality of a node.
pub(super) fn cost_factor(kind: VolumeKind) -> f64 {
    COLLISION_COST[kind as usize]
}

/// One level of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// How many nodes it has.
    pub nodes: usize,
    /// How many of them are leaves.
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

    /// How good each level is.
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

    /// How many inner nodes have 0, 1, 2, ... children.
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
