//! All contacts of two bodies, for every pair of forms.

use super::convex_convex::facing;
use super::manifold::between_features;
use super::mesh_mesh::{self, LEAN, Near};
use super::start::{Start, start};
use super::{Limits, clearance};
use crate::answer::{Completeness, Feature, FeatureContact, Guarantee, SurfacePoint};
use crate::context::QueryContext;
use crate::convex;
use crate::model::features::unit;
use crate::model::{CompoundModel, ConvexModel, Form, Model, Placed};
use glam::DVec3;
use noli_geom::{Convex, Pose, RelativePose};

/// Adds all contacts within a distance to `found`; returns the guarantee and the completeness of the list.
pub(crate) fn contacts(
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    context: &mut QueryContext<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Completeness, Guarantee) {
    Gathering { within, context, found }.of(a, b)
}

/// The same for two bodies with faces, from all pairs of these.
pub(crate) fn contacts_of_all(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Option<Vec<FeatureContact>> {
    Some(mesh_mesh::contacts_of_all(&a.core_faces()?, &b.core_faces()?, &near(a, b, within)))
}

fn near(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Near {
    Near {
        within,
        radii: [a, b].map(|body| body.model.convex().map_or(0.0, Convex::radius)),
        solid: [a, b].map(|body| is_solid(body.model)),
    }
}

/// Returns `true` if the faces of a body bound a solid; faces of a flat core have two sides.
fn is_solid(model: &Model) -> bool {
    match model.form() {
        Form::Mesh(mesh) => mesh.is_solid(),
        Form::Convex(convex) => {
            convex.convex.radius() == 0.0 && model.faces().is_some_and(|faces| !faces.features().is_flat)
        }
        _ => false,
    }
}

/// A list of contacts in the making.
struct Gathering<'g, 'm> {
    within: f64,
    context: &'g mut QueryContext<'m>,
    found: &'g mut Vec<FeatureContact>,
}

/// Completeness and guarantee of the list.
type Gathered = (Completeness, Guarantee);

impl Gathering<'_, '_> {
    fn of(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Gathered {
        let exact = Guarantee::Conservative;
        match start(a, b) {
            Start::Empty => return (Completeness::Complete, exact),
            Start::BadPose => return (Completeness::Partial, exact),
            Start::Ready(_) if self.within.is_nan() || !self.context.meter.step() => {
                return (Completeness::Partial, exact);
            }
            Start::Ready(_) => {}
        }
        match (a.model.form(), b.model.form()) {
            (Form::Compound(parts), _) => self.of_parts(parts, a, b),
            (_, Form::Compound(parts)) => self.swapped(|list| list.of_parts(parts, b, a)),
            (Form::Cloud(cloud), _) => self.of(&cloud.spheres().at(a.world_from_self), b),
            (_, Form::Cloud(cloud)) => self.of(a, &cloud.spheres().at(b.world_from_self)),
            (Form::HalfSpace, Form::HalfSpace) => (Completeness::Complete, exact),
            (Form::HalfSpace, _) => self.on_floor(a, b),
            (_, Form::HalfSpace) => self.swapped(|list| list.on_floor(b, a)),
            (Form::Field(_), _) | (_, Form::Field(_)) => self.nearest(a, b),
            (Form::Mesh(_) | Form::Convex(_), Form::Mesh(_) | Form::Convex(_)) => {
                match (a.core_faces(), b.core_faces()) {
                    (Some(x), Some(y)) => {
                        let near = near(a, b, self.within);
                        (mesh_mesh::contacts(&x, &y, &near, self.context, self.found), exact)
                    }
                    _ => self.of_round(a, b),
                }
            }
        }
    }

    /// The contacts of B and A as those of A and B.
    fn swapped(&mut self, gather: impl FnOnce(&mut Self) -> Gathered) -> Gathered {
        let from = self.found.len();
        let answer = gather(self);
        self.found[from..].iter_mut().for_each(|contact| *contact = contact.swapped());
        answer
    }

    /// A compound (A) and anything.
    fn of_parts(&mut self, compound: &CompoundModel, a: &Placed<'_>, b: &Placed<'_>) -> Gathered {
        let (mut completeness, mut worst) = (Completeness::Complete, Guarantee::Conservative);
        let other = b.model.aabb().transformed(&b.world_from_self).expanded(self.within.max(0.0));
        for (number, part) in compound.parts.iter().enumerate() {
            if !part.bounds.transformed(&a.world_from_self).overlaps(&other) {
                continue;
            }
            let from = self.found.len();
            let placed = Placed { model: &part.model, world_from_self: part.placed(&a.world_from_self) };
            let (looked, promise) = self.of(&placed, b);
            if looked != Completeness::Complete {
                completeness = looked;
            }
            worst = worst.max(promise);
            let of_part = |contact: &mut FeatureContact| contact.on_a = contact.on_a.of_part(number as u32);
            self.found[from..].iter_mut().for_each(of_part);
        }
        (completeness, worst)
    }

    /// A half-space (A) and a body: every vertex that is low enough.
    fn on_floor(&mut self, floor: &Placed<'_>, body: &Placed<'_>) -> Gathered {
        let radius = body.model.convex().map_or(0.0, Convex::radius);
        let up = unit(floor.world_from_self.transform_vector(DVec3::Z));
        let floor_from_body = RelativePose::new(&floor.world_from_self, &body.world_from_self);
        let down = -(floor_from_body.rotation.transpose() * DVec3::Z);
        let Self { within, context, found } = self;
        let mut add = |own: DVec3, feature: Option<Feature>| {
            let placed = floor_from_body.transform_point(own);
            let clearance = placed.z - radius;
            if clearance <= *within {
                let on_a = SurfacePoint::at(floor.world_from_self.transform_point(placed.with_z(0.0)));
                let low = floor.world_from_self.transform_point(placed - DVec3::Z * radius);
                let on_b = SurfacePoint { feature, ..SurfacePoint::at(low) };
                found.push(FeatureContact { on_a, on_b, normal: up, clearance });
            }
        };
        if let Some(faces) = body.model.faces() {
            let features = faces.features();
            let is_solid = is_solid(body.model);
            for (number, &own) in faces.mesh.vertices().iter().enumerate() {
                let vertex = number as u32;
                // What lies above the inside of its own body stands on nothing.
                if !features.is_vertex(vertex) || is_solid && features.outward[number].dot(down) < -LEAN {
                    continue;
                }
                if !context.meter.step() {
                    return (Completeness::Partial, Guarantee::Conservative);
                }
                add(own, Some(Feature::Vertex(faces.mesh.user_vertex(vertex))));
            }
            return (Completeness::Complete, Guarantee::Conservative);
        }
        match body.model.form() {
            Form::Convex(round) => {
                let mut vertices = Vec::new();
                convex::features(round.convex.core(), down, &mut vertices);
                vertices.into_iter().for_each(|corner| add(corner, None));
                (Completeness::Complete, Guarantee::Approximate)
            }
            _ => self.nearest(floor, body),
        }
    }

    /// The nearest points alone.
    fn nearest(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Gathered {
        let limits = Limits { max_distance: self.within, ..Limits::NARROW };
        let answer = clearance(a, b, &limits, self.context);
        let completeness =
            if answer.distance.at_most == f64::INFINITY && answer.distance.at_least <= self.within {
                Completeness::Partial
            } else {
                Completeness::Complete
            };
        if let Some(witness) = answer.witness
            && answer.distance.at_most <= self.within
        {
            let between = witness.on_b.point - witness.on_a.point;
            let normal = unit(between);
            if normal != DVec3::ZERO {
                let (on_a, on_b) = (witness.on_a, witness.on_b);
                self.found.push(FeatureContact { on_a, on_b, normal, clearance: answer.distance.at_most });
            }
        }
        (completeness, Guarantee::Approximate)
    }

    /// Bodies of which one has a round core: the nearest points, and how the faces around them lie against each other.
    fn of_round(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Gathered {
        let from = self.found.len();
        let answer = self.nearest(a, b);
        let (Form::Convex(x), Form::Convex(y)) = (a.model.form(), b.model.form()) else { return answer };
        let Some(&first) = self.found.get(from) else { return answer };
        against((a, x), (b, y), &first, self.within, self.found);
        answer
    }
}

fn against(
    (a, x): (&Placed<'_>, &ConvexModel),
    (b, y): (&Placed<'_>, &ConvexModel),
    first: &FeatureContact,
    within: f64,
    found: &mut Vec<FeatureContact>,
) {
    let a_from_world: Pose = a.world_from_self.inverse();
    let normal = unit(a_from_world.transform_vector(first.normal));
    let faces = facing((a, &x.convex), (b, &y.convex), normal);
    for (middle, depth) in between_features(&faces, normal) {
        let clearance = -depth;
        if clearance <= within {
            let half = normal * (0.5 * clearance);
            let [on_a, on_b] = [middle - half, middle + half]
                .map(|p| SurfacePoint::at(a.world_from_self.transform_point(p)));
            found.push(FeatureContact { on_a, on_b, normal: first.normal, clearance });
        }
    }
}
