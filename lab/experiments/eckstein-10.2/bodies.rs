//! The part that moves and the obstacles, each with a hierarchy of its own.

use glam::DVec3;
use noli::motion::{Motion, RigidMotion};
use noli::{Mesh, Model, Pose};
use noli_classics::tree::{
    AnyVolume, Degree, Fit, Insertion, Rules, Seeding, Split, TreeOptions, Trial, VolumeTree,
};
use noli_geom::{Aabb, Sphere};

/// Heuristic of the thesis whose hierarchies are used, at the rate of 0.75 on which it settles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heuristic {
    Without,
    With,
}

impl Heuristic {
    pub(super) const ALL: [Self; 2] = [Self::Without, Self::With];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Without => "without intermediate optimisation",
            Self::With => "with intermediate optimisation",
        }
    }

    fn tree(self, mesh: &Mesh, fit: Fit) -> VolumeTree<AnyVolume> {
        let split = match self {
            Self::Without => Split::Exchange,
            Self::With => Split::Growth(Seeding::Space, Insertion::Shuffled),
        };
        let options = TreeOptions { split, degree: Degree::rate(0.75), fit, ..TreeOptions::workshop() };
        let rules = Rules { trial: Trial::Enlarged, ..Rules::as_printed() };
        let tree = VolumeTree::by(mesh, &options, &rules);
        // Answers that are cut short are asked of one heuristic alone.
        if self == Self::Without { tree.with_reaches() } else { tree }
    }
}

/// A body with one hierarchy for each heuristic, in the order of [`Heuristic::ALL`].
pub(super) struct Body {
    model: Model,
    trees: [VolumeTree<AnyVolume>; 2],
    sphere: Sphere,
}

impl Body {
    fn new(mesh: &Mesh, fit: Fit) -> Self {
        let trees = Heuristic::ALL.map(|heuristic| heuristic.tree(mesh, fit));
        Self { model: Model::from(mesh), trees, sphere: Sphere::smallest(mesh.vertices()) }
    }

    pub(super) fn model(&self) -> &Model {
        &self.model
    }

    pub(super) fn tree(&self, heuristic: Heuristic) -> &VolumeTree<AnyVolume> {
        &self.trees[heuristic as usize]
    }

    /// The middle of the part.
    pub(super) fn pivot(&self) -> DVec3 {
        self.sphere.center
    }

    /// A box around all places of the part during a step.
    pub(super) fn swept_box(&self, motion: &RigidMotion) -> Aabb {
        let Sphere { center, radius } = self.sphere;
        let start = motion.pose(0.0).transform_point(center);
        let reach = DVec3::splat(radius + motion.travel(&Sphere { center, radius: 0.0 }, 0.0, 1.0));
        Aabb { min: start - reach, max: start + reach }
    }
}

/// A body at its place in the bay.
pub(super) struct Obstacle {
    pub(super) body: Body,
    pub(super) pose: Pose,
    bounds: Aabb,
}

impl Obstacle {
    pub(super) fn new(mesh: &Mesh, pose: Pose, fit: Fit) -> Self {
        let Aabb { min, max } = Aabb::from_points(mesh.vertices().iter().map(|&p| pose.transform_point(p)));
        // Room for the rounding of the vertices.
        let room = 1e-9 * min.abs().max(max.abs());
        Self { body: Body::new(mesh, fit), pose, bounds: Aabb { min: min - room, max: max + room } }
    }

    pub(super) fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}
