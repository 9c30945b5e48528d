//! Trees from the faces upward.

use super::{BoxRule, Fit, TreeOptions};
use glam::DVec3;
use noli::seams::principal_axes;
use noli::tree::{Split, Tree, TreeNode};
use noli_geom::{Aabb, AnyVolume, Obb, Triangle, Volume};

/// Number of neighbours along the curve that a node tests, on each side.
const WINDOW: usize = 12;

/// A node that has been joined of two, or a leaf.
struct Joined {
    around: AnyVolume,
    faces: Vec<u32>,
    children: Option<[usize; 2]>,
}

/// Join neighbours that are each other's best partner, round by round; there always are some, the best pair
/// of all among them.
pub(super) fn build(triangles: &[Triangle], options: &TreeOptions) -> Tree {
    // A tree of one leaf along the curve is the order of the curve.
    let curve = noli::tree::TreeOptions { split: Split::Morton, degree: 2, leaf_faces: triangles.len() };
    let order = Tree::build(triangles, &curve).faces;
    let oriented = options.split == super::Split::Barequet;
    let rule = rule_of(options);
    let leaf = |faces: &[u32]| {
        let vertices: Vec<DVec3> = faces.iter().flat_map(|&f| triangles[f as usize].vertices).collect();
        let around = match oriented {
            true => AnyVolume::Obb(rule.fit(&vertices)),
            false => AnyVolume::Aabb(Volume::from_points(&vertices)),
        };
        Joined { around, faces: faces.to_vec(), children: None }
    };
    let mut all: Vec<Joined> = order.chunks(options.leaf_faces).map(leaf).collect();
    let mut row: Vec<usize> = (0..all.len()).collect();
    while row.len() > 1 {
        let partner: Vec<usize> = (0..row.len()).map(|i| best_partner(&all, &row, i, options)).collect();
        let mut next = Vec::with_capacity(row.len());
        for i in 0..row.len() {
            let j = partner[i];
            if partner[j] != i {
                next.push(row[i]);
            } else if i < j {
                let (a, b) = (row[i], row[j]);
                let around = common(&all[a].around, &all[b].around, rule);
                all.push(Joined { around, faces: Vec::new(), children: Some([a, b]) });
                next.push(all.len() - 1);
            }
        }
        row = next;
    }
    lay_out(&all, row[0], options)
}

/// The neighbour with which the joined volume is smallest; of equals, the one with the lower pair of places,
/// so that some pair always agrees.
fn best_partner(all: &[Joined], row: &[usize], i: usize, options: &TreeOptions) -> usize {
    let rule = rule_of(options);
    let joined = |j: usize| common(&all[row[i]].around, &all[row[j]].around, rule);
    let size = |j: usize| joined(j).measure(options.measure.fitted());
    let around = (i.saturating_sub(WINDOW)..row.len().min(i + WINDOW + 1)).filter(|&j| j != i);
    let rank = |j: usize| (i.min(j), i.max(j));
    around.min_by(|&x, &y| size(x).total_cmp(&size(y)).then(rank(x).cmp(&rank(y)))).unwrap_or(i)
}

/// The rule by which boxes are found; all axes of spread unless the fit names another.
fn rule_of(options: &TreeOptions) -> BoxRule {
    match options.fit {
        Fit::Barequet(rule) => rule,
        _ => BoxRule::All,
    }
}

/// The volume of two nodes taken together: the box of both boxes, or the oriented one by a rule from the axes of spread of their
/// sixteen vertices.
fn common(a: &AnyVolume, b: &AnyVolume, rule: BoxRule) -> AnyVolume {
    match (a, b) {
        (AnyVolume::Aabb(a), AnyVolume::Aabb(b)) => AnyVolume::Aabb(a.union(*b)),
        (AnyVolume::Obb(a), AnyVolume::Obb(b)) => {
            let vertices = [vertices(a), vertices(b)].concat();
            let share = 1.0 / vertices.len() as f64;
            let mean = vertices.iter().sum::<DVec3>() * share;
            let (mut square, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
            for vertex in &vertices {
                let d = *vertex - mean;
                square += d * d * share;
                mixed += DVec3::new(d.x * d.y, d.x * d.z, d.y * d.z) * share;
            }
            AnyVolume::Obb(rule.along(principal_axes(square, mixed), &vertices))
        }
        _ => *a,
    }
}

fn vertices(obb: &Obb) -> [DVec3; 8] {
    let own = Aabb { min: -obb.half_extents, max: obb.half_extents };
    own.vertices().map(|vertex| obb.center + obb.axes * vertex)
}

/// Write the tree down with its children drawn together to the wanted degree: the largest child is replaced
/// by its own children.
fn lay_out(all: &[Joined], root: usize, options: &TreeOptions) -> Tree {
    let mut tree = Tree { nodes: vec![TreeNode { faces: 0..0, children: 0..0 }], faces: Vec::new() };
    let mut counts = vec![0u32; all.len()];
    for (i, one) in all.iter().enumerate() {
        counts[i] = one.children.map_or(one.faces.len() as u32, |[a, b]| counts[a] + counts[b]);
    }
    tree.faces = vec![0; counts[root] as usize];
    let mut open = vec![(root, 0usize, 0u32)];
    while let Some((joined, index, start)) = open.pop() {
        tree.nodes[index].faces = start..start + counts[joined];
        let Some(children) = all[joined].children else {
            tree.faces[start as usize..][..all[joined].faces.len()].copy_from_slice(&all[joined].faces);
            continue;
        };
        let mut group = children.to_vec();
        let degree = if options.split == super::Split::Barequet { 2 } else { options.degree.at_most() };
        while group.len() < degree {
            let size = |i: &usize| all[group[*i]].around.measure(options.measure.fitted());
            let inner = (0..group.len()).filter(|&i| all[group[i]].children.is_some());
            let Some(largest) = inner.max_by(|a, b| size(a).total_cmp(&size(b)).then(b.cmp(a))) else {
                break;
            };
            let [a, b] = all[group[largest]].children.unwrap_or_default();
            group.splice(largest..=largest, [a, b]);
        }
        let first = tree.nodes.len();
        tree.nodes[index].children = first as u32..(first + group.len()) as u32;
        let mut start = start;
        for (i, child) in group.into_iter().enumerate() {
            tree.nodes.push(TreeNode { faces: 0..0, children: 0..0 });
            open.push((child, first + i, start));
            start += counts[child];
        }
    }
    tree
}
