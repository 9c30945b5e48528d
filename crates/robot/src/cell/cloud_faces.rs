//! Links against point clouds that the filter leaves unsure: points near the link are compared with its faces in double
//! precision, and only those that are too close to call leave the pair to the exact engine.

use super::data::{Body, BodyPair};
use super::filter::points_near;
use super::{Cell, Checker};
use glam::DVec3;
use noli::Pose;
use noli::seams::{PointTree, point_tree};
use noli_geom::UNIT_ROUNDOFF;

impl Cell {
    /// Returns `true` if an obstacle is a point cloud.
    pub(super) fn has_clouds(&self) -> bool {
        self.data.bodies.iter().any(|body| body.carrier.is_none() && body.model.point_cloud().is_some())
    }
}

impl Checker<'_> {
    /// Certain verdict on a body of a robot and a cloud: within a margin of each other or not. `None` for other bodies, if
    /// that is too close to call, and as long as the faces are not prepared.
    pub(super) fn cloud_within(&mut self, pair: &BodyPair, margin: f64) -> Option<bool> {
        let faces = self.cell.faces.get()?;
        let bodies = pair.bodies.map(|body| &self.cell.data.bodies[body as usize]);
        let seen = bodies.iter().position(|body| body.carrier.is_none())?;
        let (cloud, link) = (bodies[seen], bodies[1 - seen]);
        let tree = point_tree(&cloud.model)?;
        let grid = faces[pair.bodies[1 - seen] as usize].as_ref()?;
        let world_from_link = self.links[link.carrier?];
        let points = cloud.model.point_cloud()?;
        let (distance, least) = (points.radius() + margin, points.least_radius() + margin);
        let (origin, unit) = tree.frame();
        let far = |v: DVec3| v.abs().max_element();
        let place = cloud.carrier_from_body;
        let extent = far(place.translation) + far(world_from_link.translation) + far(origin) + unit;
        if !(grid.holds_at(extent) && distance.is_finite()) {
            return None;
        }
        self.near.clear();
        if !collect(&mut self.near, tree, (&place, &world_from_link), link, distance) {
            return None;
        }
        let own_from_cloud = (world_from_link * link.carrier_from_body).inverse() * place;
        let (turn, shift) = (own_from_cloud.rotation_matrix(), own_from_cloud.translation);
        let error = 2.0 * f64::from(PointTree::error()) * unit;
        let mut certain = Some(false);
        for stored in &self.near {
            let point = origin + unit * DVec3::from_array(stored.map(f64::from));
            let own = turn * point + shift;
            match grid.within(own, distance, error) {
                Some(false) => {}
                // Of points whose radii differ only the nearest are certain.
                Some(true) if least == distance || grid.within(own, least, error) == Some(true) => {
                    return Some(true);
                }
                _ => certain = None,
            }
        }
        certain
    }
}

/// Adds the points near the spheres around a body, in the frame of the tree; `false` if they are too many.
fn collect(
    near: &mut Vec<[f32; 3]>,
    tree: &PointTree,
    (world_from_cloud, world_from_link): (&Pose, &Pose),
    link: &Body,
    distance: f64,
) -> bool {
    let (origin, unit) = tree.frame();
    let cloud_from_link = world_from_cloud.inverse() * *world_from_link;
    let (turn, shift) = (cloud_from_link.rotation_matrix(), cloud_from_link.translation - origin);
    let mut spheres = Vec::with_capacity(link.cover.outer.len());
    for sphere in &link.cover.outer {
        let center = (turn * sphere.center + shift) / unit;
        let reach = (sphere.radius + distance) / unit;
        // Single precision rounds the centre and the stored points; poses are rounded before.
        let rounding = 8.0 * f64::from(f32::EPSILON) * (1.0 + center.length() + reach)
            + 1e6 * UNIT_ROUNDOFF * (shift.length() + origin.length()) / unit;
        let square = ((reach + rounding) * (reach + rounding) * (1.0 + 1e-5)) as f32;
        if !square.is_finite() {
            return false;
        }
        spheres.push((center.as_vec3().to_array(), square));
    }
    points_near(tree, &spheres, near)
}
