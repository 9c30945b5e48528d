//! Nodes of an intersecting pair that a traversal opens.

use super::{FitVolume, VolumeTree};
use std::ops::Range;

/// Nodes of an overlapping pair that are opened. If one is a leaf, the other is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// The one of worse quality (Quinlan 1994).
    #[default]
    OneSided,
    /// Both: all pairs of children (Hubbard, Zachmann, Barequet).
    Simultaneous,
    /// The one or both for which the product of the quality reached and the cost of expansion is least (Eckstein
    /// 1998, section 4.3.2). A side costs the sum of the costs of testing its children, both sides the product
    /// of their costs: in a unit in which a test costs far less than 1, both are opened. As printed, a tie of the
    /// two sides below `both` opens none and loses the pair; here the first is opened.
    Hybrid,
    /// The same with the number of children in place of their costs, so that no unit decides. Ours.
    HybridByCount,
}

/// The nodes to test against each other in place of a pair of which not both are leaves.
pub(super) fn opened<V: FitVolume>(
    tree_a: &VolumeTree<V>,
    tree_b: &VolumeTree<V>,
    a: u32,
    b: u32,
    expansion: Expansion,
) -> (Range<u32>, Range<u32>) {
    let (one_a, one_b) = (a..a + 1, b..b + 1);
    let choice = match (tree_a.is_leaf(a), tree_b.is_leaf(b)) {
        (true, _) => Open::B,
        (_, true) => Open::A,
        _ => choose(expansion, Side::of(tree_a, a, expansion), Side::of(tree_b, b, expansion)),
    };
    match choice {
        Open::A => (tree_a.children(a), one_b),
        Open::B => (one_a, tree_b.children(b)),
        Open::Both => (tree_a.children(a), tree_b.children(b)),
    }
}

enum Open {
    A,
    B,
    Both,
}

/// Inputs to the choice of nodes to open.
#[derive(Clone, Copy)]
struct Side {
    quality: f64,
    /// The worst quality among the children.
    worst_child: f64,
    /// Cost of expansion.
    children_cost: f64,
}

impl Side {
    fn of<V: FitVolume>(tree: &VolumeTree<V>, node: u32, expansion: Expansion) -> Self {
        Self {
            quality: tree.quality[node as usize],
            worst_child: tree.worst_child[node as usize],
            children_cost: match expansion {
                Expansion::HybridByCount => tree.children(node).len() as f64,
                _ => tree.children_cost[node as usize],
            },
        }
    }
}

fn choose(expansion: Expansion, a: Side, b: Side) -> Open {
    let worse = if b.quality > a.quality { Open::B } else { Open::A };
    match expansion {
        Expansion::OneSided => worse,
        Expansion::Simultaneous => Open::Both,
        Expansion::Hybrid | Expansion::HybridByCount => {
            let one = a.children_cost * (a.worst_child + b.quality);
            let two = b.children_cost * (b.worst_child + a.quality);
            let both = a.children_cost * b.children_cost * (a.worst_child + b.worst_child);
            if both <= one && both <= two {
                Open::Both
            } else if one <= two {
                Open::A
            } else {
                Open::B
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal sides, below the cost of opening both: the printed rule opens none and the collision is lost.
    #[test]
    fn a_tie_of_the_sides_opens_the_first() {
        let side = Side { quality: 1.0, worst_child: 0.5, children_cost: 2.0 };
        assert!(matches!(choose(Expansion::HybridByCount, side, side), Open::A));
        let scaled = Side { quality: 8.0, worst_child: 4.0, ..side };
        assert!(matches!(choose(Expansion::HybridByCount, scaled, scaled), Open::A));
        let worse = Side { quality: 2.0, ..side };
        assert!(matches!(choose(Expansion::OneSided, side, worse), Open::B));
    }

    /// The children of a mixed tree cost the sum of their kinds' costs, in the unit of the rules; by count they cost
    /// their number.
    #[test]
    fn expansion_costs_the_tests_of_the_children() {
        use crate::tree::{AnyVolume, Rules, THESIS_COSTS, TreeOptions, Volume, VolumeChoice};
        let mesh = noli_scenes::uv_sphere(12, 8);
        let mesh = noli::Mesh::from_triangles(mesh.vertices, mesh.triangles, &Default::default()).unwrap();
        let options = TreeOptions { volume: VolumeChoice::Mixed, ..TreeOptions::workshop() };
        let rules = Rules { costs: Rules::printed_costs(crate::tree::Aggregate::Mean), ..Rules::USUAL };
        let tree = VolumeTree::<AnyVolume>::by(&mesh, &options, &rules);
        let mut kinds = [0; 4];
        for node in (0..tree.tree.nodes.len() as u32).filter(|&node| !tree.is_leaf(node)) {
            let of_kind = |child: u32| tree.volumes[child as usize].kind() as usize;
            tree.children(node).for_each(|child| kinds[of_kind(child)] += 1);
            let sum: f64 = tree.children(node).map(|child| rules.costs[of_kind(child)]).sum();
            let cost = |expansion| Side::of(&tree, node, expansion).children_cost;
            assert!((cost(Expansion::Hybrid) - sum).abs() < 1e-15);
            assert_eq!(cost(Expansion::HybridByCount), tree.children(node).len() as f64);
        }
        assert!(kinds.iter().filter(|&&count| count > 0).count() > 1, "{kinds:?}");
        // In milliseconds the product of two costs is below either: both are opened.
        let side = |cost: f64| Side { quality: 1.0, worst_child: 0.5, children_cost: cost };
        let [in_ms, by_count] = [2.0 * THESIS_COSTS[2][2], 2.0].map(side);
        assert!(matches!(choose(Expansion::Hybrid, in_ms, in_ms), Open::Both));
        assert!(matches!(choose(Expansion::HybridByCount, by_count, by_count), Open::A));
    }

    /// By count only ratios of qualities and numbers of children decide: all qualities in other units change nothing.
    #[test]
    fn units_of_quality_and_cost_do_not_decide() {
        let mut random = noli_scenes::SplitMix64::new(2);
        let mut opened = [0; 3];
        for _ in 0..2000 {
            let mut side = || {
                let quality = random.between(0.1, 4.0);
                let children_cost = random.between(2.0, 6.0).floor();
                Side { quality, worst_child: quality * random.between(0.02, 1.0), children_cost }
            };
            let (a, b) = (side(), side());
            let number = |open: Open| match open {
                Open::A => 0,
                Open::B => 1,
                Open::Both => 2,
            };
            let chosen = number(choose(Expansion::HybridByCount, a, b));
            opened[chosen] += 1;
            for unit in [2.0f64.powi(-20), 2.0f64.powi(30)] {
                let other = |side: Side| Side {
                    quality: side.quality * unit,
                    worst_child: side.worst_child * unit,
                    ..side
                };
                assert_eq!(number(choose(Expansion::HybridByCount, other(a), other(b))), chosen);
            }
        }
        assert!(opened.iter().all(|count| *count > 20), "{opened:?}");
    }
}
