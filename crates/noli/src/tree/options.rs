//! The choices behind a tree, each a value.

use super::principal::Units;
use noli_geom::Triangle;

/// Effort spent on building a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// The tree that answers fastest: see [`TreeOptions::suited`].
    #[default]
    Full,
    /// A tree built in half the time with queries three to eight times slower, for models that serve only a few
    /// thousand queries.
    Quick,
}

/// Split of the faces of a node among its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Split {
    /// In halves by centroid along the axis of largest spread; counts are rounded so that leaves
    /// and nodes come out full.
    Median,
    /// Like [`Split::Median`], along the longest edge of the axis-aligned box of the centroids.
    #[default]
    LongestAxis,
    /// In halves along a curve through space (Morton 1966): one sort and no choice, so the fastest to
    /// build.
    Morton,
    /// At the least sum of surface times number of faces (Goldsmith and Salmon 1987), over sixteen places per
    /// axis.
    SurfaceArea,
}

/// Options for building a tree.
///
/// ```
/// use noli::model::Triangle;
/// use noli::tree::{Split, Tree, TreeOptions};
/// let mesh = noli::Mesh::cuboid(glam::DVec3::ONE)?;
/// let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
/// let binary = TreeOptions { split: Split::SurfaceArea, degree: 2, leaf_faces: 1 };
/// assert_eq!(Tree::build(&triangles, &binary).nodes.len(), 2 * triangles.len() - 1);
/// # Ok::<(), noli::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// Split of the faces of a node.
    pub split: Split,
    /// Number of children of a node, from 2 to 16.
    pub degree: usize,
    /// Maximum number of faces of a leaf.
    pub leaf_faces: usize,
}

/// Children of a node and faces of a leaf in packed storage, at most.
pub(crate) const PACKED_WIDTH: usize = 4;

/// The squared longest edges of scanned and generated meshes add up to two or four times their area, those of
/// CAD parts to five and far more.
const UNEVEN: f64 = 4.5;

fn are_uneven(triangles: &[Triangle]) -> bool {
    let units = Units::of(triangles);
    let (mut squares, mut area) = (0.0, 0.0);
    for triangle in triangles {
        let [p, q, r] = triangle.vertices.map(|vertex| units.shrunk(vertex));
        let (u, v) = (q - p, r - p);
        squares += u.length_squared().max(v.length_squared()).max((r - q).length_squared());
        area += 0.5 * u.cross(v).length();
    }
    squares > UNEVEN * area
}

impl TreeOptions {
    /// Options that suit these triangles: with full effort, the surface-area heuristic where faces are long
    /// or of many sizes, as CAD systems make them. It takes a quarter of the tests there and gains nothing on
    /// even meshes, where halves are built in half the time (`noli-lab run default-tree`).
    pub fn suited(effort: Effort, triangles: &[Triangle]) -> Self {
        let options = Self::packed(effort);
        let split =
            if effort == Effort::Full && are_uneven(triangles) { Split::SurfaceArea } else { options.split };
        Self { split, ..options }
    }

    /// Returns the best options for packed storage, where faces are even.
    pub fn packed(effort: Effort) -> Self {
        let split = match effort {
            Effort::Full => Split::LongestAxis,
            Effort::Quick => Split::Morton,
        };
        Self { split, degree: PACKED_WIDTH, leaf_faces: PACKED_WIDTH }
    }

    /// The nearest options that can be built.
    pub(super) fn in_range(&self) -> Self {
        Self { degree: self.degree.clamp(2, 16), leaf_faces: self.leaf_faces.max(1), ..*self }
    }
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self::packed(Effort::Full)
    }
}
