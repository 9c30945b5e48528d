//! Point clouds prepared for queries.

use super::{Model, ModelOptions, Shape};
use crate::tree::points::PointTree;
use noli_geom::{Aabb, Convex, Mesh, MeshOptions, PointCloud, Pose, ShapeError};
use std::sync::OnceLock;

/// Points with their radii and the tree over them. Everything else is made when a query first needs it.
#[derive(Debug)]
pub(crate) struct CloudModel {
    pub(crate) cloud: PointCloud,
    pub(crate) tree: PointTree,
    pub(crate) bounds: Aabb,
    /// The points as triangles without area.
    points: OnceLock<Model>,
    /// A sphere around every point.
    spheres: OnceLock<Model>,
}

impl CloudModel {
    pub(super) fn new(cloud: PointCloud) -> Self {
        let (tree, bounds) = (PointTree::new(cloud.points()), cloud.aabb());
        Self { cloud, tree, bounds, points: OnceLock::new(), spheres: OnceLock::new() }
    }

    /// The points without their radius as a mesh of triangles without area; face `i` is point `i`.
    pub(crate) fn points(&self) -> &Model {
        self.points.get_or_init(|| {
            let points = self.cloud.points();
            let faces = (0..points.len() as u32).map(|point| [point; 3]).collect();
            // Points were checked when the cloud was made.
            let mesh = Mesh::from_triangles(points.to_vec(), faces, &MeshOptions { weld: false })
                .unwrap_or_else(|_| unreachable!("checked points"));
            Model::from(mesh)
        })
    }

    /// A compound of spheres, one for each point and in their order.
    pub(crate) fn spheres(&self) -> &Model {
        self.spheres.get_or_init(|| self.some_spheres(0..self.cloud.points().len() as u32))
    }

    /// A compound of the spheres around some points.
    pub(crate) fn some_spheres(&self, points: impl Iterator<Item = u32>) -> Model {
        let sphere = |point: u32| {
            let hull = Convex::hull([self.cloud.points()[point as usize]]);
            let sphere = hull.and_then(|hull| hull.rounded(self.cloud.radius_of(point as usize)));
            (Pose::IDENTITY, Shape::Convex(sphere.unwrap_or_else(|_| unreachable!("checked points"))))
        };
        let spheres = Model::new(Shape::Compound(points.map(sphere).collect()));
        spheres.unwrap_or_else(|_| unreachable!("checked points"))
    }

    pub(super) fn scaled(&self, factor: f64) -> Result<Model, ShapeError> {
        Model::with_options(self.cloud.scaled(factor)?, &ModelOptions::default())
    }
}
