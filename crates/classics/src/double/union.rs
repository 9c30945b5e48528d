//! Nonconvex bodies as unions of convex parts, each with its double tree.

use super::{DoubleOptions, DoubleTests, DoubleTree, DoubleVerdict};
use noli_geom::{Aabb, Polytope, Pose};

/// A union of convex bodies.
///
/// ```
/// use noli_classics::double::{DoubleOptions, DoubleUnion};
/// use noli_geom::{Aabb, Polytope, Pose};
/// let bar = |half: glam::DVec3| Polytope::cuboid(&Aabb { min: -half, max: half }).unwrap();
/// let cross = [bar(glam::dvec3(2.0, 0.2, 0.2)), bar(glam::dvec3(0.2, 2.0, 0.2))];
/// let cross = DoubleUnion::new(&cross, &DoubleOptions::default()).unwrap();
/// let vertex = Pose::from_translation(glam::dvec3(1.0, 1.0, 1.0));
/// assert!(cross.overlap(&Pose::IDENTITY, &cross, &vertex).hit.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct DoubleUnion {
    parts: Vec<DoubleTree>,
    /// Around each part, in the frame of the body.
    bounds: Vec<Aabb>,
}

impl DoubleUnion {
    /// Creates a double tree for each convex part; `None` if there are no parts, or one has no volume.
    pub fn new(pieces: &[Polytope], options: &DoubleOptions) -> Option<Self> {
        let parts = pieces.iter().map(|piece| DoubleTree::new(piece, options)).collect::<Option<Vec<_>>>()?;
        let bounds = pieces.iter().map(Polytope::aabb).collect();
        (!parts.is_empty()).then_some(Self { parts, bounds })
    }

    /// Returns the trees of the parts.
    pub fn parts(&self) -> &[DoubleTree] {
        &self.parts
    }

    /// Tests if two unions share a point: parts of one against parts of the other, those with the nearest boxes
    /// first. Exact. The poses must be valid.
    pub fn overlap(&self, world_from_self: &Pose, other: &Self, world_from_other: &Pose) -> DoubleVerdict {
        let middle = |bounds: &Aabb, pose: &Pose| pose.transform_point(bounds.center());
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (i, a) in self.bounds.iter().enumerate() {
            let from = middle(a, world_from_self);
            let to = other.bounds.iter().map(|b| middle(b, world_from_other).distance(from));
            pairs.extend(to.enumerate().map(|(j, separated)| (separated, i, j)));
        }
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut tests = DoubleTests::default();
        for (_, i, j) in pairs {
            let found = self.parts[i].overlap(world_from_self, &other.parts[j], world_from_other, true);
            tests.outer += found.tests.outer;
            tests.inner += found.tests.inner;
            tests.faces += found.tests.faces;
            if found.hit.is_some() {
                return DoubleVerdict { tests, ..found };
            }
        }
        DoubleVerdict { hit: None, nodes: None, point: None, decided: true, tests }
    }
}
