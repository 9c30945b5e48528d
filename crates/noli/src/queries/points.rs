//! Points of a cloud near a body.

use crate::answer::{Complete, Completeness};
use crate::context::{QueryContext, with_context};
use crate::model::Placed;
use crate::pair;

impl QueryContext<'_> {
    /// Adds the numbers of the points of a cloud whose spheres are within a distance of a body, in ascending
    /// order; see [`points_within`].
    pub fn points_within(
        &mut self,
        cloud: &Placed<'_>,
        body: &Placed<'_>,
        margin: f64,
        found: &mut Vec<u32>,
    ) -> Completeness {
        let first = found.len();
        let completeness = pair::points_within(cloud, body, margin, self, found);
        found[first..].sort_unstable();
        completeness
    }
}

/// Returns the numbers of the points of a cloud whose spheres are within `margin` of a body, inside of solids too, in
/// ascending order. With a margin of 0 these are the points in collision. A body that is no point cloud has none.
///
/// ```
/// use noli::{Mesh, Model, PointCloud, Pose, points_within};
/// use glam::{DVec3, dvec3};
/// let row = (0..10).map(|k| dvec3(f64::from(k), 0.0, 0.0)).collect();
/// let cloud = Model::new(PointCloud::new(row, 0.25)?)?;
/// let block = Model::new(Mesh::cuboid(DVec3::splat(3.5))?.into_solid())?;
/// let found = points_within(&cloud.at(Pose::IDENTITY), &block.at(Pose::IDENTITY), 0.0);
/// assert_eq!(found.items, [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn points_within(cloud: &Placed<'_>, body: &Placed<'_>, margin: f64) -> Complete<u32> {
    let mut items = Vec::new();
    let completeness = with_context(|context| context.points_within(cloud, body, margin, &mut items));
    Complete { items, completeness, guarantee: cloud.model.guarantee(body.model) }
}
