//! The published hierarchies: every split of faces, every volume, every measure, each a value.
//!
//! [`build`] makes a [`Tree`] by the choices of [`TreeOptions`]; [`packed`] puts it into the engine's own
//! storage. [`VolumeTree`] adds one volume of any kind per node. It is slower and independent, as a
//! reference for the engine and for comparing kinds of volume.

mod bottom_up;
mod box_rule;
mod choice;
mod copies;
mod draw;
mod expansion;
mod fit;
mod hausdorff;
mod medial;
mod meet;
mod octants;
mod options;
mod quality;
mod spheres;
mod split;
mod sweep;
mod volumes;

pub use box_rule::BoxRule;
pub use choice::{AxisRule, BoundRules, BranchFace, HalfAt, Insertion, NextProblem, PlaneAt, Seeding, Split};
pub use copies::{Copies, PlaneOptions, bsp, zachmann};
pub use expansion::Expansion;
pub use fit::FitVolume;
pub use hausdorff::{
    Correction, SurfaceDistance, SurfaceQuery, far_on_sphere, hubbard_bound, hubbard_distance,
    surface_hausdorff,
};
pub use medial::hubbard_medial;
pub use meet::{BaseTest, Met, Rank, Tests, WalkOptions};
pub use noli::tree::walk::Order;
pub use noli::tree::{Effort, Tree, TreeError, TreeNode};
pub use noli_geom::{AnyVolume, Measure, Volume, VolumeKind};
pub use octants::{OctantOptions, hubbard_octree, palmer_grimsdale};
pub use options::{
    Aggregate, COLLISION_COST, Degree, Failing, Fit, Rules, THESIS_COSTS, TreeOptions, Trial, VolumeChoice,
    cost_rows,
};
pub use quality::Level;
pub use spheres::SphereTree;
pub use split::{Proven, branch_and_bound, branch_and_bound_by};
pub use sweep::{
    CutShort, Enclosing, FaceTest, MixedSweep, SweepContact, SweepOptions, Swept, SweptVolume, SweptWithin,
    approximating_faces,
};
pub use volumes::{VolumeTree, VolumeTreeError};

use noli::Model;
use noli_geom::{Mesh, Triangle};

/// Part the triangles until at most `leaf_faces` are left in each node.
pub fn build(triangles: &[Triangle], options: &TreeOptions) -> Tree {
    build_by(triangles, options, &Rules::USUAL)
}

/// The same by other rules than usual.
pub fn build_by(triangles: &[Triangle], options: &TreeOptions, rules: &Rules) -> Tree {
    let options = options.in_range();
    let tree = match options.of_engine() {
        _ if triangles.is_empty() => Tree::default(),
        Some(engine) => Tree::build(triangles, &engine),
        None if matches!(options.split, Split::BottomUp | Split::Barequet) => {
            bottom_up::build(triangles, &options)
        }
        None => split::top_down(triangles, &options, rules),
    };
    rules.depth.map_or_else(|| tree.clone(), |depth| shallow(&tree, depth))
}

/// A tree without the nodes that are deeper than this below its root.
fn shallow(tree: &Tree, depth: usize) -> Tree {
    let mut nodes: Vec<TreeNode> = tree.nodes.first().cloned().into_iter().collect();
    // Where each node of the new tree stands in the old, and how deep.
    let mut from = vec![(0usize, 0usize); nodes.len()];
    let mut next = 0;
    while next < nodes.len() {
        let (old, level) = from[next];
        let children = tree.nodes[old].children.clone();
        let first = nodes.len() as u32;
        nodes[next].children = if level < depth { first..first + children.len() as u32 } else { 0..0 };
        if level < depth {
            from.extend(children.clone().map(|child| (child as usize, level + 1)));
            nodes.extend(tree.nodes[children.start as usize..children.end as usize].iter().cloned());
        }
        if nodes[next].children.is_empty() {
            nodes[next].children = 0..0;
        }
        next += 1;
    }
    Tree { nodes, faces: tree.faces.clone() }
}

/// A model of a mesh with a tree by these choices in the engine's storage, which has its own volumes and
/// takes at most four children a node and four faces a leaf: larger choices are narrowed. Answers are those
/// of any model, times differ.
///
/// ```
/// use noli_classics::tree::{Split, TreeOptions, packed};
/// # let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let model = packed(&mesh, &TreeOptions { split: Split::Gottschalk, ..TreeOptions::default() });
/// # assert!(model.tree_bytes() > 0);
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn packed(mesh: &Mesh, options: &TreeOptions) -> Model {
    let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
    let tree = build(&triangles, &options.in_blocks());
    Model::with_tree(mesh, tree).expect("built of these faces")
}
