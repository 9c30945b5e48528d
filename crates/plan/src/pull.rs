//! Straight pulls: how far a part goes in a direction, and what stops it there.
//!
//! The engine casts the part along the direction; nothing is missed. Pairs that touch where the part starts cannot be
//! cast, because they touch at once. For them the volume that the faces of the part sweep is put to the exact question
//! how it stands to the other body: where no prism of a face shares volume with it, the part slides off without
//! reaching into it.

use crate::rigid::{RigidMemory, RigidSpace};
use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::BodyId;
use noli::{Ask, Model, Pose, Relation, Scratch};
use noli_geom::{Aabb, Mesh, MeshOptions};
use std::sync::Arc;

/// A straight pull.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// In which direction; of unit length.
    pub direction: DVec3,
    /// How far the part would have to go to be out.
    pub needed: f64,
    /// How far it is free, by proof.
    pub free: f64,
    /// What stops it there; `None` if nothing does until it is out.
    pub by: Option<BodyId>,
}

impl Pull {
    /// Whether the part comes out.
    pub fn is_out(&self) -> bool {
        self.by.is_none()
    }
}

/// Directions all over: along the axes first, then between them, then so many more on a spiral over the sphere.
pub(crate) fn directions(more: u32) -> Vec<DVec3> {
    let mut all = Vec::new();
    for squares in 1..=3 {
        for x in [-1, 0, 1] {
            for y in [-1, 0, 1] {
                for z in [-1, 0, 1_i32] {
                    if i32::abs(x) + i32::abs(y) + z.abs() == squares {
                        all.push(DVec3::new(x.into(), y.into(), z.into()).normalize());
                    }
                }
            }
        }
    }
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    all.extend((0..more).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(more);
        let (r, phi) = ((1.0 - z * z).sqrt(), golden * f64::from(k));
        DVec3::new(r * phi.cos(), r * phi.sin(), z)
    }));
    all
}

impl RigidSpace {
    /// Pulls the part from a pose in a direction until it is out or something stops it. Pairs that touch at the
    /// start are asked about only there.
    pub fn pull(&self, from: &Pose, direction: DVec3, memory: &mut RigidMemory) -> Pull {
        let needed = self.way_out(from, direction);
        self.pull_for(from, direction, needed, memory)
    }

    pub(crate) fn pull_for(
        &self,
        from: &Pose,
        direction: DVec3,
        needed: f64,
        memory: &mut RigidMemory,
    ) -> Pull {
        if needed == 0.0 {
            return Pull { direction, needed, free: 0.0, by: None };
        }
        let leaving = *from == self.start && self.touches_at_start();
        let end = Pose::new(from.rotation, from.translation + direction * needed);
        let motion = Arc::new(RigidMotion::between(from, &end, self.pivot)) as Arc<dyn noli::motion::Motion>;
        let cast = if leaving {
            let apart = Self { ignores_touching: true, ..self.clone() };
            apart.cast(&motion, 0.0, memory)
        } else {
            self.cast(&motion, 0.0, memory)
        };
        let (mut free, mut by) = (cast.until * needed, cast.hit.map(|(_, o, _)| self.others[o].id));
        if leaving {
            for (m, member) in self.members.iter().enumerate() {
                for o in (0..self.others.len()).filter(|&o| member.touches[o]) {
                    if member.margins[o].is_none() {
                        continue;
                    }
                    let off = self.slides_off(m, o, direction, free);
                    if off < free {
                        (free, by) = (off, Some(self.others[o].id));
                    }
                }
            }
        }
        Pull { direction, needed, free, by }
    }

    /// How far a member that touches another body at the start can be pulled without reaching into it.
    fn slides_off(&self, m: usize, o: usize, direction: DVec3, whole: f64) -> f64 {
        if self.slides(m, o, direction, whole) {
            return whole;
        }
        // Halving finds a length that is free, not the greatest: what is free is free for less too.
        let (mut free, mut blocked) = (0.0, whole);
        for step in 0..24 {
            let length = if free == 0.0 { 0.25 * blocked } else { 0.5 * (free + blocked) };
            if self.slides(m, o, direction, length) {
                free = length;
            } else {
                blocked = length;
            }
            if blocked - free < 1e-3 * blocked && step > 8 {
                break;
            }
        }
        free
    }

    /// Whether a member that touches another body, without reaching into it, can be pulled so far.
    pub(crate) fn slides(&self, m: usize, o: usize, direction: DVec3, length: f64) -> bool {
        let (member, other) = (&self.members[m], &self.others[o]);
        let pose = self.member_pose(m, &self.start);
        let there = other.model.at(other.pose);
        let up = other.pose.transform_vector(DVec3::Z);
        let endless = !(other.bounds.min.is_finite() && other.bounds.max.is_finite());
        if endless && other.model.mesh().is_none() && other.model.convex().is_none() {
            // A half-space, or what has no end: away from its face is away from it.
            return is_half_space(&other.model) && up.dot(direction) >= 0.0;
        }
        let mut scratch = Scratch::default();
        // Most ways that are blocked show it at one of a few places.
        let reaches_in = |share: f64| {
            let there_then = Pose::new(pose.rotation, pose.translation + direction * (share * length));
            let relation = Ask::new(&mut Scratch::default()).relation(&member.model.at(there_then), &there);
            matches!(relation, Relation::Crossing | Relation::Inside)
        };
        if [1e-3, 1e-2, 0.1, 0.3, 0.7].into_iter().any(reaches_in) {
            return false;
        }
        let shift = pose.inverse().transform_vector(direction * length);
        if let Some(mesh) = member.model.mesh() {
            let (near, corners) = (other.bounds, mesh.vertices());
            return mesh.triangles().iter().all(|triangle| {
                let base = triangle.map(|corner| corners[corner as usize]);
                let top = base.map(|corner| corner + shift);
                let swept = Aabb::around(base.into_iter().chain(top)).moved(&pose);
                if !swept.overlaps(&near) {
                    return true;
                }
                let Some(prism) = prism(base, top) else { return true };
                let relation = Ask::new(&mut scratch).relation(&prism.at(pose), &there);
                matches!(relation, Relation::Apart | Relation::Touching)
            });
        }
        // Two convex bodies that touch are parted by a plane square to the way between them.
        if member.model.convex().is_some() && other.model.convex().is_some() {
            let contact = Ask::new(&mut scratch).contact(&member.model.at(pose), &there).hit();
            return contact.is_some_and(|contact| contact.normal.dot(direction) <= 0.0);
        }
        false
    }
}

/// Whether a model without end is a half-space.
fn is_half_space(model: &Model) -> bool {
    model.aabb() == noli::Shape::HalfSpace.aabb()
}

/// The volume between a triangle and where it is moved to; `None` if it has none, up to rounding.
fn prism(base: [DVec3; 3], top: [DVec3; 3]) -> Option<Model> {
    let volume = (base[1] - base[0]).cross(base[2] - base[0]).dot(top[0] - base[0]);
    if volume == 0.0 {
        return None;
    }
    let mut faces =
        vec![[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
    if volume < 0.0 {
        faces.iter_mut().for_each(|face| face.swap(1, 2));
    }
    let corners = base.into_iter().chain(top).collect();
    let mesh = Mesh::from_triangles(corners, faces, &MeshOptions::default()).ok()?;
    Some(Model::from(&mesh.into_solid()))
}
