//! Points of a sensor that belong to the robots: inside or near the true shapes of links and attached objects.

use super::{Cell, PartKind};
use crate::ConfigurationError;
use crate::parallel::each;
use noli::answer::Completeness;
use noli::{Model, Pose, QueryContext, Scratch};

impl Cell {
    /// Returns for every point of a cloud the number of a part of the robots that it belongs to in a configuration:
    /// its sphere is inside a link or an attached object, or within `margin` of it. `None` for all others.
    ///
    /// Exact on the true meshes, not on their hulls. Points on several parts get the first. A model that is no point
    /// cloud has no points.
    #[doc(alias("self filter", "robot_body_filter", "ShapeMask"))]
    pub fn robot_points(
        &self,
        values: &[f64],
        cloud: &Model,
        world_from_cloud: Pose,
        margin: f64,
    ) -> Result<Vec<Option<usize>>, ConfigurationError> {
        let poses = self.shape_poses(values)?;
        let count = cloud.point_cloud().map_or(0, |cloud| cloud.points().len());
        let moving = |part: usize| self.data.parts[part].holder != PartKind::World;
        let bodies: Vec<usize> =
            (0..poses.len()).filter(|&body| moving(self.data.bodies[body].part)).collect();
        let found = each(&bodies, |&body| {
            let placed = self.data.bodies[body].model.at(poses[body]);
            let (mut scratch, mut points) = (Scratch::default(), Vec::new());
            let mut context = QueryContext::new(&mut scratch);
            let completeness =
                context.points_within(&cloud.at(world_from_cloud), &placed, margin, &mut points);
            // Without a budget only a pose that is no pose leaves points open: all of them may be its own.
            (completeness == Completeness::Complete).then_some(points)
        });
        let mut parts = vec![None; count];
        for (&body, points) in bodies.iter().zip(found) {
            let part = self.data.bodies[body].part;
            let mut mark = |point: usize| parts[point] = parts[point].or(Some(part));
            match points {
                Some(points) => points.into_iter().for_each(|point| mark(point as usize)),
                None => (0..count).for_each(mark),
            }
        }
        Ok(parts)
    }
}
