//! All vertices near faces and edges near edges.
//!
//! The common tree traversal finds the pairs of triangles that are near enough, by brackets that miss none. A
//! vertex is tested with the first triangle that contains it, and so is an edge, so that every pair of features
//! is tested once.
//!
//! A vertex and a face, or two edges, are a contact if they contain the nearest points. If the nearest point of
//! a face is on its boundary, the edge or vertex there is near. It counts only if no neighbour of either is
//! nearer: otherwise the seams within a wall would block sliding along it. Edges and vertices within a plane,
//! and vertices within a straight edge, are not features: the surrounding features imply their contacts.
//!
//! Features that touch have no direction between their nearest points. The separating directions then form a
//! cone, in which the directions of both surfaces diverge; its middle is the normal. If the cone is empty, as
//! in a groove, the faces are in contact.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

mod contact_side;
mod feature_pair;
mod foot;

pub(crate) use contact_side::LEAN;
pub(crate) use foot::nearest_on_triangle;

use super::near_faces::near_faces;
use crate::answer::{Completeness, Feature, FeatureContact, SurfacePoint};
use crate::context::QueryContext;
use crate::model::features::{Held, NONE, unit};
use crate::model::{MeshAt, MeshModel};
use crate::scratch::{FeatureKey, RawContact};
use contact_side::Half;
use feature_pair::Meeting;
use glam::DVec3;
use noli_geom::{RelativePose, UNIT_ROUNDOFF};

/// Options of the test of two meshes: they are cores of bodies with round edges of these radii.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Between the bodies.
    pub(crate) within: f64,
    pub(crate) radii: [f64; 2],
    /// `true` if a mesh bounds a solid: then nothing is near through its interior.
    pub(crate) solid: [bool; 2],
}

/// Add all contacts of two meshes to `found`, sorted by features.
pub(crate) fn contacts(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    near: &Near,
    context: &mut QueryContext<'_>,
    found: &mut Vec<FeatureContact>,
) -> Completeness {
    let features = Features::new(a, b, near);
    let mut raw = context.scratch.take_contacts();
    let within = features.reach / features.scale;
    let completeness = near_faces(a, b, within, context, &mut |x, y| features.of_triangles(x, y, &mut raw));
    features.finish(&mut raw, found);
    context.scratch.put_contacts(raw);
    completeness
}

/// The same from all pairs of triangles, for tests.
pub(crate) fn contacts_of_all(a: &MeshAt<'_>, b: &MeshAt<'_>, near: &Near) -> Vec<FeatureContact> {
    let features = Features::new(a, b, near);
    let (mut raw, mut found) = (Vec::new(), Vec::new());
    for x in 0..a.model.mesh.triangle_count() as u32 {
        for y in 0..b.model.mesh.triangle_count() as u32 {
            features.of_triangles(x, y, &mut raw);
        }
    }
    features.finish(&mut raw, &mut found);
    found
}

struct Features<'a> {
    halves: [Half<'a>; 2],
    world_from_a: noli_geom::Pose,
    near: Near,
    /// A power of two: from lengths to the pair's unit.
    scale: f64,
    /// Between the cores, in the pair's unit.
    reach: f64,
    /// Points nearer than this count as equal.
    rounding: f64,
}

impl<'a> Features<'a> {
    fn new(a: &MeshAt<'a>, b: &MeshAt<'a>, near: &Near) -> Self {
        let a_from_b = RelativePose::new(&a.world_from_self, &b.world_from_self);
        let reach = near.within.max(0.0) + near.radii[0] + near.radii[1];
        let size = a.model.packed.reach + b.model.packed.reach + a_from_b.translation.length();
        let scale = power_of_two_below(1.0 / size);
        let half = |model: &'a MeshModel, a_from_self, is_solid| Half {
            model,
            features: model.features(),
            a_from_self,
            is_solid,
            scale,
        };
        Self {
            halves: [
                half(a.model, None, near.solid[0]),
                half(b.model, (!a_from_b.is_identity()).then_some(a_from_b), near.solid[1]),
            ],
            world_from_a: a.world_from_self,
            near: *near,
            scale,
            reach: reach * scale,
            rounding: 4096.0 * UNIT_ROUNDOFF * (size * scale),
        }
    }

    /// Tests the features assigned to a triangle of each mesh.
    fn of_triangles(&self, x: u32, y: u32, raw: &mut Vec<RawContact>) {
        let triangles = [x, y];
        for side in 0..2 {
            let (own, other) = (triangles[side], triangles[1 - side]);
            let half = &self.halves[side];
            let vertices = half.vertices(own);
            for k in 0..3 {
                let vertex = vertices[k];
                let is_first =
                    half.features.first_triangle[vertex as usize] == own && !vertices[..k].contains(&vertex);
                if is_first && half.features.is_vertex(vertex) {
                    self.vertex_and_triangle(side, vertex, other, raw);
                }
            }
        }
        let edges = [0, 1].map(|side| {
            let features = self.halves[side].features;
            let own = triangles[side];
            features.edge_of[own as usize].map(|edge| {
                let counts = edge != NONE && {
                    let edge = &features.edges[edge as usize];
                    edge.is_sharp && edge.first_triangle == own
                };
                if counts { edge } else { NONE }
            })
        });
        for i in 0..3 {
            for k in 0..3 {
                let (e, f) = (edges[0][i], edges[1][k]);
                // A degenerate triangle has the same edge twice.
                let again = edges[0][..i].contains(&e) || edges[1][..k].contains(&f);
                if e != NONE && f != NONE && !again {
                    self.two_edges(e, f, raw);
                }
            }
        }
    }

    fn add(&self, meeting: &Meeting, normal: DVec3, raw: &mut Vec<RawContact>) {
        let key = [0, 1].map(|side| {
            let features = self.halves[side].features;
            match meeting.held[side] {
                Held::Vertex(vertex) => FeatureKey::Vertex(vertex),
                Held::Edge(edge) => FeatureKey::Edge(features.edges[edge as usize].line),
                Held::Face(triangle) => FeatureKey::Face(features.region[triangle as usize]),
            }
        });
        let member = meeting.held.map(|held| match held {
            Held::Vertex(number) | Held::Edge(number) | Held::Face(number) => number,
        });
        raw.push(RawContact { key, member, points: meeting.points, normal });
    }

    /// Each once, by feature; in the world, with the user's numbers.
    fn finish(&self, raw: &mut Vec<RawContact>, found: &mut Vec<FeatureContact>) {
        raw.sort_unstable_by_key(|contact| (contact.key, contact.member));
        raw.dedup_by(|again, first| again.key == first.key);
        for contact in &*raw {
            let points = contact.points.map(|point| point / self.scale);
            let spot = |side: usize| {
                let half = &self.halves[side];
                let (mesh, member) = (&half.model.mesh, contact.member[side]);
                let feature = match contact.key[side] {
                    FeatureKey::Vertex(_) => Feature::Vertex(mesh.user_vertex(member)),
                    FeatureKey::Edge(_) => {
                        Feature::Edge(half.features.edges[member as usize].ends.map(|v| mesh.user_vertex(v)))
                    }
                    FeatureKey::Face(_) => Feature::Face(mesh.user_face(member)),
                };
                let out = contact.normal * (self.near.radii[side] * if side == 0 { 1.0 } else { -1.0 });
                SurfacePoint::on(self.world_from_a.transform_point(points[side] + out), feature)
            };
            let normal = unit(self.world_from_a.transform_vector(contact.normal));
            let clearance = points[0].distance(points[1]) - self.near.radii[0] - self.near.radii[1];
            found.push(FeatureContact { on_a: spot(0), on_b: spot(1), normal, clearance });
        }
    }
}

/// The power of two at or below a positive number; 1 where there is none.
fn power_of_two_below(x: f64) -> f64 {
    let power = f64::from_bits(x.to_bits() & (0x7ff << 52));
    if power.is_normal() && x > 0.0 { power } else { 1.0 }
}
