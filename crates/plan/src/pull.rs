//! Straight pulls: the free distance of a part in a direction, and the body that blocks it.
//!
//! The engine casts the part along the direction; no collision is missed. Pairs in contact at the start
//! cannot be cast, because they touch at once. For them the swept volumes of the part's faces are tested
//! exactly against the other body. If no prism of a face shares volume with it, the part slides off without
//! penetration.

use crate::rigid::{Member, RigidMemory, RigidSpace};
use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::BodyId;
use noli::{Model, Pose, QueryContext, Relation, Scratch};
use noli_geom::{Aabb, Mesh, MeshOptions};
use std::sync::Arc;

/// A straight pull.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pull {
    /// In which direction; of unit length.
    pub direction: DVec3,
    /// Distance required for removal.
    pub needed: f64,
    /// Proven collision-free distance.
    pub free: f64,
    /// The blocking body; `None` if the part is removed without one.
    pub by: Option<BodyId>,
}

impl Pull {
    /// Returns `true` if the part is removed.
    pub fn is_out(&self) -> bool {
        self.by.is_none()
    }
}

impl RigidSpace {
    /// Pulls the part from a pose in a direction until it is removed or blocked. Contact pairs of the start are
    /// tested only there.
    pub fn pull(&self, from: &Pose, direction: DVec3, memory: &mut RigidMemory) -> Pull {
        let needed = self.removal_path(from, direction);
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
            let separated = Self { ignores_touching: true, ..self.clone() };
            separated.cast(&motion, 0.0, memory)
        } else {
            self.cast(&motion, 0.0, memory)
        };
        let (mut free, mut by) = (cast.until * needed, cast.hit.map(|(by, _)| by));
        if leaving {
            for member in &self.members {
                for pair in member.touching() {
                    let off = self.slides_off(member, pair.other, direction, free);
                    if off < free {
                        (free, by) = (off, Some(pair.other));
                    }
                }
            }
        }
        Pull { direction, needed, free, by }
    }

    /// Returns the distance by which a member in contact with another body at the start can be pulled without
    /// penetrating it.
    fn slides_off(&self, member: &Member, by: BodyId, direction: DVec3, whole: f64) -> f64 {
        if self.slides(member, by, direction, whole) {
            return whole;
        }
        // Halving finds a length that is free, not the greatest: what is free is free for less too.
        let (mut free, mut blocked) = (0.0, whole);
        for step in 0..24 {
            let length = if free == 0.0 { 0.25 * blocked } else { 0.5 * (free + blocked) };
            if self.slides(member, by, direction, length) {
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

    /// Returns `true` if a member that touches another body without penetration can be pulled so far.
    pub(crate) fn slides(&self, member: &Member, by: BodyId, direction: DVec3, length: f64) -> bool {
        let (model, other) = (self.model(member), self.obstacle(by));
        let pose = member.pose(&self.start);
        let there = other.placed();
        let up = other.pose.transform_vector(DVec3::Z);
        if !other.has_end() && other.model.mesh().is_none() && other.model.convex().is_none() {
            // A half-space, or what has no end: away from its face is away from it.
            return is_half_space(other.model) && up.dot(direction) >= 0.0;
        }
        let mut scratch = Scratch::default();
        // Most ways that are blocked show it at one of a few places.
        let reaches_in = |share: f64| {
            let there_then = Pose::new(pose.rotation, pose.translation + direction * (share * length));
            let relation = QueryContext::new(&mut Scratch::default()).relation(&model.at(there_then), &there);
            matches!(relation, Relation::Intersecting | Relation::Inside)
        };
        if [1e-3, 1e-2, 0.1, 0.3, 0.7].into_iter().any(reaches_in) {
            return false;
        }
        let shift = pose.inverse().transform_vector(direction * length);
        if let Some(mesh) = model.mesh() {
            let (near, vertices) = (other.bounds, mesh.vertices());
            return mesh.triangles().iter().all(|triangle| {
                let base = triangle.map(|vertex| vertices[vertex as usize]);
                let top = base.map(|vertex| vertex + shift);
                let swept = Aabb::from_points(base.into_iter().chain(top)).transformed(&pose);
                if !swept.overlaps(&near) {
                    return true;
                }
                let Some(prism) = prism(base, top) else { return true };
                let relation = QueryContext::new(&mut scratch).relation(&prism.at(pose), &there);
                matches!(relation, Relation::Separated | Relation::Touching)
            });
        }
        // Two convex bodies that touch are parted by a plane square to the way between them.
        if model.convex().is_some() && other.model.convex().is_some() {
            let contact = QueryContext::new(&mut scratch).contact(&model.at(pose), &there).hit();
            return contact.is_some_and(|contact| contact.normal.dot(direction) <= 0.0);
        }
        false
    }
}

/// Returns `true` if an unbounded model is a half-space.
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
    let vertices = base.into_iter().chain(top).collect();
    let mesh = Mesh::from_triangles(vertices, faces, &MeshOptions::default()).ok()?;
    Some(Model::from(&mesh.into_solid()))
}
