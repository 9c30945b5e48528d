//! Generic storage: one `f64` volume per node, of any kind, through the same walk.
//!
//! Slower than packed storage and independent of it: the reference it is held against, and the place
//! where kinds of volume are compared.

use super::walk::{self, Block, Ended, Item, PairTest, Visit};
use super::{Tree, TreeOptions};
use crate::budget::Budget;
use crate::trace::Trace;
use glam::DVec3;
use noli_geom::{
    Aabb, Mesh, Obb, PairFrame, Pose, RelativePose, Sphere, Triangle, TrianglePair, UNIT_ROUNDOFF,
};
use std::ops::ControlFlow;

/// What a node may store.
pub trait Volume: Copy {
    /// A volume that holds these triangles, rounding included.
    fn around(triangles: &[Triangle]) -> Self;

    /// A lower bound on the distance of two volumes, negative where they may overlap; never above the true
    /// distance of what they hold, rounding and the error of the pose included.
    fn gap(&self, other: &Self, a_from_b: &RelativePose) -> f64;
}

/// Far more than the roundings of the few operations below, relative to the sizes involved.
const SLACK: f64 = 256.0 * UNIT_ROUNDOFF;

impl Volume for Sphere {
    fn around(triangles: &[Triangle]) -> Self {
        let corners = || triangles.iter().flat_map(|t| t.corners);
        let center = Aabb::around(corners()).center();
        let radius = corners().map(|p| p.distance(center)).fold(0.0, f64::max);
        Self { center, radius: radius * (1.0 + SLACK) + SLACK * center.abs().max_element() }
    }

    fn gap(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        let placed = a_from_b.transform_point(other.center);
        let reach = other.center.abs().max_element();
        let error = 2.0 * a_from_b.point_error(reach) + SLACK * (placed.length() + self.center.length());
        placed.distance(self.center) * (1.0 - SLACK) - self.radius - other.radius - error
    }
}

impl Volume for Aabb {
    fn around(triangles: &[Triangle]) -> Self {
        Aabb::around(triangles.iter().flat_map(|t| t.corners))
    }

    fn gap(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        Obb::from(*self).gap(&Obb::from(*other), a_from_b)
    }
}

impl Volume for Obb {
    fn around(triangles: &[Triangle]) -> Self {
        let units = super::principal::Units::of(triangles);
        let mut sum = super::principal::Moments::ZERO;
        units.moments(triangles).iter().for_each(|m| sum.add(m));
        let axes = sum.axes();
        let start = triangles.first().map_or(DVec3::ZERO, |t| t.corners[0]);
        let along = triangles.iter().flat_map(|t| t.corners).map(|p| axes.transpose() * (p - start));
        let bounds = Aabb::around(along);
        let center = start + axes * bounds.center();
        let size = bounds.size().max_element() + center.abs().max_element();
        Self { center, axes, half_extents: bounds.size() * 0.5 + SLACK * size }
    }

    /// The separating-axis test (Gottschalk, Lin, Manocha 1996); axes of crossed edges are not normalised,
    /// so along them only the sign tells.
    fn gap(&self, other: &Self, a_from_b: &RelativePose) -> f64 {
        let offset = a_from_b.transform_point(other.center) - self.center;
        let axes_b = a_from_b.rotation * other.axes;
        let reach = |o: &Obb| o.center.abs().max_element() + o.half_extents.element_sum();
        let size = reach(self) + reach(other) + a_from_b.translation.abs().max_element();
        let error = 2.0 * a_from_b.point_error(reach(other)) + SLACK * size;
        let along = |axis: DVec3| {
            let of_a = (self.axes.transpose() * axis).abs().dot(self.half_extents);
            let of_b = (axes_b.transpose() * axis).abs().dot(other.half_extents);
            offset.dot(axis).abs() - of_a - of_b - error
        };
        let faces = (0..3).flat_map(|k| [self.axes.col(k), axes_b.col(k)]).map(along);
        let gap = faces.fold(f64::NEG_INFINITY, f64::max);
        let edges = (0..9).map(|k| along(self.axes.col(k / 3).cross(axes_b.col(k % 3))));
        edges.fold(gap, f64::max)
    }
}

/// A mesh with one volume per tree node.
#[derive(Clone, Debug)]
pub struct VolumeTree<V> {
    tree: Tree,
    volumes: Vec<V>,
    /// In the order of the tree.
    triangles: Vec<Triangle>,
}

impl<V: Volume> VolumeTree<V> {
    /// Build the tree and fit the volumes.
    pub fn new(mesh: &Mesh, options: &TreeOptions) -> Self {
        let triangles: Vec<Triangle> = mesh.iter_triangles().collect();
        // A block of the walk has room for four children a side.
        let tree = Tree::build(&triangles, &TreeOptions { degree: options.degree.min(4), ..*options });
        let triangles: Vec<Triangle> = tree.faces.iter().map(|&f| triangles[f as usize]).collect();
        let range = |node: &super::TreeNode| node.faces.start as usize..node.faces.end as usize;
        let volumes = tree.nodes.iter().map(|node| V::around(&triangles[range(node)])).collect();
        Self { tree, volumes, triangles }
    }

    /// Whether the surfaces share a point; exact. The poses must be valid.
    pub fn overlaps(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        trace: &mut impl Trace,
    ) -> bool {
        if self.tree.nodes.is_empty() || other.tree.nodes.is_empty() {
            return false;
        }
        let frame = PairFrame::new(&RelativePose::new(world_from_self, world_from_other));
        let pair = VolumePairs { a: self, b: other, frame: &frame };
        let mut list = vec![Item { key: 0.0, a: 0, b: 0 }];
        let mut visit = Faces(&pair);
        walk::walk(&pair, &mut visit, &mut list, &mut Budget::UNLIMITED.meter(), trace) == Ended::Answered
    }

    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let children = &self.tree.nodes[node as usize].children;
        if children.is_empty() { node..node + 1 } else { children.clone() }
    }

    fn faces(&self, node: u32) -> &[Triangle] {
        let faces = &self.tree.nodes[node as usize].faces;
        &self.triangles[faces.start as usize..faces.end as usize]
    }
}

struct VolumePairs<'a, V> {
    a: &'a VolumeTree<V>,
    b: &'a VolumeTree<V>,
    frame: &'a PairFrame,
}

impl<V: Volume> PairTest for VolumePairs<'_, V> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        let leaf = |tree: &Tree, node: u32| tree.nodes[node as usize].children.is_empty();
        (leaf(&self.a.tree, a), leaf(&self.b.tree, b))
    }

    fn expand(&self, a: u32, b: u32, _: f32, block: &mut Block) {
        block.mask = 0;
        for (i, child_a) in self.a.children(a).enumerate() {
            block.a[i] = child_a;
            for (j, child_b) in self.b.children(b).enumerate() {
                block.b[j] = child_b;
                let (a, b) = (&self.a.volumes[child_a as usize], &self.b.volumes[child_b as usize]);
                let gap = a.gap(b, self.frame.pose());
                block.key[4 * i + j] = gap as f32;
                block.mask |= u16::from(gap <= 0.0) << (4 * i + j);
            }
        }
    }

    fn prefetch(&self, _: u32, _: u32) {}
}

struct Faces<'a, 'v, V>(&'a VolumePairs<'v, V>);

impl<V: Volume> Visit for Faces<'_, '_, V> {
    fn cutoff(&self) -> f32 {
        f32::INFINITY
    }

    fn leaves(&mut self, a: u32, b: u32, _: &mut impl Trace) -> ControlFlow<()> {
        let VolumePairs { a: tree_a, b: tree_b, frame } = self.0;
        for face_a in tree_a.faces(a) {
            for face_b in tree_b.faces(b) {
                if TrianglePair::new(face_a, face_b, frame).overlaps() {
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::query::{Overlap, overlap};
    use crate::trace::Stats;
    use crate::tree::Split;
    use noli_scenes::{SplitMix64, bumpy_sphere};

    fn agree<V: Volume>(split: Split) -> Stats {
        let mut random = SplitMix64::new(5);
        let mesh = |f, p| {
            let set = bumpy_sphere(f, p);
            Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap()
        };
        let (a, b) = (mesh(6, 0.3), mesh(5, 1.1));
        let (model_a, model_b) = (Model::new(&a, &Default::default()), Model::new(&b, &Default::default()));
        let options = TreeOptions { split, ..Default::default() };
        let (tree_a, tree_b) = (VolumeTree::<V>::new(&a, &options), VolumeTree::<V>::new(&b, &options));
        let mut stats = Stats::default();
        for _ in 0..300 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(1.8, 2.2));
            let packed = overlap(&model_a.at(Pose::IDENTITY), &model_b.at(pose)) == Overlap::Hit;
            assert_eq!(tree_a.overlaps(&Pose::IDENTITY, &tree_b, &pose, &mut stats), packed, "{pose:?}");
        }
        stats
    }

    /// Every volume gives the verdicts of packed storage, and tighter ones need fewer leaf pairs.
    #[test]
    fn every_volume_and_split_agrees_with_packed_storage() {
        for split in [Split::Median, Split::LongestAxis, Split::Morton] {
            let (sphere, aabb, obb) = (agree::<Sphere>(split), agree::<Aabb>(split), agree::<Obb>(split));
            assert!(obb.leaf_pairs < aabb.leaf_pairs && obb.leaf_pairs < sphere.leaf_pairs);
        }
    }
}
