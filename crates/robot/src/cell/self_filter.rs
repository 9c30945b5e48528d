//! Points of a sensor that belong to the robots: inside or near the true shapes of links and attached objects.

use super::face_grid::FaceGrid;
use super::{Cell, PartKind};
use crate::ConfigurationError;
use crate::parallel::each;
use glam::{DMat3, DVec3};
use noli::answer::Completeness;
use noli::{Model, PointCloud, Pose, QueryContext, Scratch};
use std::sync::Arc;

/// Points that a thread takes at a time.
const SHARE: usize = 16_384;

/// A body of a robot in one configuration.
struct Placed<'c> {
    number: usize,
    /// A sphere around it in the frame of the cloud, and the square of its radius with the distance.
    center: DVec3,
    square: f64,
    /// From the frame of the cloud to its own.
    turn: DMat3,
    shift: DVec3,
    faces: Option<&'c FaceGrid>,
}

/// Points of a share: the first body that each is certainly on, and what is left to the exact engine.
#[derive(Default)]
struct Found {
    certain: Vec<(u32, u32)>,
    open: Vec<(u32, u32)>,
}

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
        let Some(seen) = cloud.point_cloud() else { return Ok(Vec::new()) };
        let distance = seen.radius() + margin;
        let mut body_of = vec![u32::MAX; seen.points().len()];
        let mut open: Vec<(u32, u32)> = Vec::new();
        if distance.is_finite() && margin >= 0.0 && world_from_cloud.is_valid() {
            let bodies = self.placed_bodies(&poses, (seen, &world_from_cloud), distance);
            let shares: Vec<(usize, &[DVec3])> = seen.points().chunks(SHARE).enumerate().collect();
            let limit = |point: u32| seen.radius_of(point as usize) + margin;
            for found in each(&shares, |&(share, points)| sort(&bodies, share * SHARE, points, limit)) {
                found.certain.into_iter().for_each(|(point, body)| body_of[point as usize] = body);
                open.extend(found.open);
            }
        } else {
            let moving = (0..poses.len() as u32).filter(|&body| self.is_on_robot(body as usize));
            open =
                moving.flat_map(|body| (0..body_of.len() as u32).map(move |point| (point, body))).collect();
        }
        self.decide(&poses, (seen, world_from_cloud, margin), open, &mut body_of);
        let part = |body: u32| (body != u32::MAX).then(|| self.data.bodies[body as usize].part);
        Ok(body_of.into_iter().map(part).collect())
    }

    fn is_on_robot(&self, body: usize) -> bool {
        self.data.parts[self.data.bodies[body].part].holder != PartKind::World
    }

    /// Faces of the bodies on links by cells, made once.
    pub(super) fn face_grids(&self) -> &Arc<Vec<Option<FaceGrid>>> {
        self.faces.get_or_init(|| {
            let numbers: Vec<usize> = (0..self.data.bodies.len()).collect();
            let made = each(&numbers, |&body| {
                let model = &self.data.bodies[body].model;
                if self.is_on_robot(body) { FaceGrid::new(model) } else { None }
            });
            Arc::new(made)
        })
    }

    fn placed_bodies(
        &self,
        poses: &[Pose],
        (seen, world_from_cloud): (&PointCloud, &Pose),
        distance: f64,
    ) -> Vec<Placed<'_>> {
        let faces = self.face_grids();
        let cloud_from_world = world_from_cloud.inverse();
        let far = |v: DVec3| v.abs().max_element();
        let around = seen.aabb();
        let extent = far(around.min) + far(around.max) + far(world_from_cloud.translation);
        let place = |number: usize| {
            let pose = poses[number];
            let own_from_cloud = pose.inverse() * *world_from_cloud;
            let bounds = self.data.bodies[number].model.aabb();
            let radius = 0.5 * bounds.size().length() + distance;
            let center = cloud_from_world.transform_point(pose.transform_point(bounds.center()));
            Placed {
                number,
                center,
                // Infinite bodies are near all points.
                square: if radius.is_finite() { radius * radius * (1.0 + 1e-6) } else { f64::INFINITY },
                turn: own_from_cloud.rotation_matrix(),
                shift: own_from_cloud.translation,
                faces: faces[number].as_ref().filter(|grid| grid.holds_at(extent + far(pose.translation))),
            }
        };
        (0..poses.len()).filter(|&body| self.is_on_robot(body)).map(place).collect()
    }

    /// Exact queries on points and bodies that are open; a point keeps the first of its bodies.
    fn decide(
        &self,
        poses: &[Pose],
        (seen, place, margin): (&PointCloud, Pose, f64),
        mut open: Vec<(u32, u32)>,
        body_of: &mut [u32],
    ) {
        open.retain(|&(point, body)| body < body_of[point as usize]);
        open.sort_unstable_by_key(|&(point, body)| (body, point));
        let groups: Vec<&[(u32, u32)]> = open.chunk_by(|a, b| a.1 == b.1).collect();
        let found = each(&groups, |group| {
            let body = group[0].1 as usize;
            let points = group.iter().map(|&(point, _)| seen.points()[point as usize]).collect();
            let radii = group.iter().map(|&(point, _)| seen.radius_of(point as usize)).collect();
            let cloud = PointCloud::new(points, 0.0).and_then(|cloud| cloud.with_radii(radii));
            let cloud = cloud.and_then(Model::new);
            let Ok(cloud) = cloud else { return (0..group.len() as u32).collect() };
            let (mut scratch, mut points) = (Scratch::default(), Vec::new());
            let placed = self.data.bodies[body].model.at(poses[body]);
            let completeness =
                QueryContext::new(&mut scratch).points_within(&cloud.at(place), &placed, margin, &mut points);
            // Without a budget only an invalid pose leaves points open: all of them may be its own.
            match completeness {
                Completeness::Complete => points,
                _ => (0..group.len() as u32).collect::<Vec<u32>>(),
            }
        });
        for (group, points) in groups.iter().zip(found) {
            for point in points {
                let (point, body) = group[point as usize];
                body_of[point as usize] = body_of[point as usize].min(body);
            }
        }
    }
}

/// Compares a share of the points with all bodies, each up to the first that it is certainly on.
fn sort(bodies: &[Placed<'_>], first: usize, points: &[DVec3], distance: impl Fn(u32) -> f64) -> Found {
    let mut found = Found::default();
    for (number, &point) in (first as u32..).zip(points) {
        for body in bodies {
            // NaN is near.
            if point.distance_squared(body.center) > body.square {
                continue;
            }
            let own = body.turn * point + body.shift;
            match body.faces.and_then(|faces| faces.within(own, distance(number), 0.0)) {
                Some(false) => {}
                Some(true) => {
                    found.certain.push((number, body.number as u32));
                    break;
                }
                None => found.open.push((number, body.number as u32)),
            }
        }
    }
    found
}
