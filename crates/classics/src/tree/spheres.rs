//! Trees of spheres that were chosen with the tree, not fitted to its faces.

use noli::tree::Tree;
use noli_geom::Sphere;

/// A tree of faces with a sphere for every node.
#[derive(Clone, Debug)]
pub struct SphereTree {
    /// A face may be in several leaves; its number is that of the mesh in each.
    pub tree: Tree,
    /// By node.
    pub spheres: Vec<Sphere>,
}
