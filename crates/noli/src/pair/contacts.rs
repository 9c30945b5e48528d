//! All contacts of two bodies, for every pair of forms.

use super::convex_convex::facing;
use super::manifold::between_features;
use super::mesh_mesh::{self, LEAN, Near};
use super::{Limits, Start, clearance, start};
use crate::answer::{Coverage, Feature, FeatureContact, Guarantee, Spot};
use crate::context::Ask;
use crate::convex;
use crate::model::features::unit;
use crate::model::{CompoundModel, ConvexModel, Form, Model, Placed};
use glam::DVec3;
use noli_geom::{Convex, Pose, RelativePose};

/// Add all contacts within a distance to `found`; what the list promises comes back beside how much was looked at.
pub(crate) fn contacts(
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Coverage, Guarantee) {
    let exact = Guarantee::Conservative;
    match start(a, b) {
        Start::Empty => return (Coverage::Whole, exact),
        Start::BadPose => return (Coverage::Part, exact),
        Start::Ready if within.is_nan() || !ask.meter.step() => return (Coverage::Part, exact),
        Start::Ready => {}
    }
    match (a.model.form(), b.model.form()) {
        (Form::Compound(parts), _) => of_parts(parts, a, b, within, ask, found),
        (_, Form::Compound(parts)) => {
            let from = found.len();
            let answer = of_parts(parts, b, a, within, ask, found);
            swap(&mut found[from..]);
            answer
        }
        (Form::HalfSpace, Form::HalfSpace) => (Coverage::Whole, exact),
        (Form::HalfSpace, _) => on_floor(a, b, within, ask, found),
        (_, Form::HalfSpace) => {
            let from = found.len();
            let answer = on_floor(b, a, within, ask, found);
            swap(&mut found[from..]);
            answer
        }
        (Form::Field(_), _) | (_, Form::Field(_)) => nearest(a, b, within, ask, found),
        (Form::Mesh(_) | Form::Convex(_), Form::Mesh(_) | Form::Convex(_)) => {
            match (a.core_faces(), b.core_faces()) {
                (Some(x), Some(y)) => (mesh_mesh::contacts(&x, &y, &near(a, b, within), ask, found), exact),
                _ => of_round(a, b, within, ask, found),
            }
        }
    }
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

/// Whether the faces of a body bound a solid: those of a flat core have two sides.
fn is_solid(model: &Model) -> bool {
    match model.form() {
        Form::Mesh(mesh) => mesh.is_solid(),
        Form::Convex(convex) => {
            convex.convex.radius() == 0.0 && model.faces().is_some_and(|faces| !faces.features().is_flat)
        }
        _ => false,
    }
}

fn swap(found: &mut [FeatureContact]) {
    found.iter_mut().for_each(|contact| *contact = contact.swapped());
}

/// A compound (A) and anything.
fn of_parts(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Coverage, Guarantee) {
    let (mut coverage, mut worst) = (Coverage::Whole, Guarantee::Conservative);
    let other = b.model.aabb().moved(&b.world_from_self).grown(within.max(0.0));
    for (number, part) in compound.parts.iter().enumerate() {
        if !part.bounds.moved(&a.world_from_self).overlaps(&other) {
            continue;
        }
        let from = found.len();
        let placed = Placed { model: &part.model, world_from_self: part.placed(&a.world_from_self) };
        let (looked, promise) = contacts(&placed, b, within, ask, found);
        if looked != Coverage::Whole {
            coverage = looked;
        }
        worst = worst.max(promise);
        found[from..].iter_mut().for_each(|contact| contact.on_a = contact.on_a.of_part(number as u32));
    }
    (coverage, worst)
}

/// A half-space (A) and a body: every corner that is low enough.
fn on_floor(
    floor: &Placed<'_>,
    body: &Placed<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Coverage, Guarantee) {
    let radius = body.model.convex().map_or(0.0, Convex::radius);
    let up = unit(floor.world_from_self.transform_vector(DVec3::Z));
    let floor_from_body = RelativePose::new(&floor.world_from_self, &body.world_from_self);
    let mut add = |own: DVec3, feature: Option<Feature>| {
        let placed = floor_from_body.transform_point(own);
        let gap = placed.z - radius;
        if gap <= within {
            let on_a = Spot::at(floor.world_from_self.transform_point(placed.with_z(0.0)));
            let low = floor.world_from_self.transform_point(placed - DVec3::Z * radius);
            let on_b = Spot { feature, ..Spot::at(low) };
            found.push(FeatureContact { on_a, on_b, normal: up, gap });
        }
    };
    if let Some(faces) = body.model.faces() {
        let features = faces.features();
        let is_solid = is_solid(body.model);
        let down = -(floor_from_body.rotation.transpose() * DVec3::Z);
        for (number, &own) in faces.mesh.vertices().iter().enumerate() {
            let vertex = number as u32;
            // What lies above the inside of its own body stands on nothing.
            if !features.is_corner(vertex) || is_solid && features.outward[number].dot(down) < -LEAN {
                continue;
            }
            if !ask.meter.step() {
                return (Coverage::Part, Guarantee::Conservative);
            }
            add(own, Some(Feature::Vertex(faces.mesh.user_vertex(vertex))));
        }
        return (Coverage::Whole, Guarantee::Conservative);
    }
    match body.model.form() {
        Form::Convex(round) => {
            let down = -(floor_from_body.rotation.transpose() * DVec3::Z);
            let mut corners = Vec::new();
            convex::features(round.convex.core(), down, &mut corners);
            corners.into_iter().for_each(|corner| add(corner, None));
            (Coverage::Whole, Guarantee::Approximate)
        }
        _ => nearest(floor, body, within, ask, found),
    }
}

/// The nearest points alone.
fn nearest(
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Coverage, Guarantee) {
    let limits = Limits { max_distance: within, ..Limits::NARROW };
    let answer = clearance(a, b, &limits, ask);
    let coverage = if answer.gap.at_most == f64::INFINITY && answer.gap.at_least <= within {
        Coverage::Part
    } else {
        Coverage::Whole
    };
    if let Some(witness) = answer.witness
        && answer.gap.at_most <= within
    {
        let between = witness.on_b.point - witness.on_a.point;
        let normal = unit(between);
        if normal != DVec3::ZERO {
            let (on_a, on_b) = (witness.on_a, witness.on_b);
            found.push(FeatureContact { on_a, on_b, normal, gap: answer.gap.at_most });
        }
    }
    (coverage, Guarantee::Approximate)
}

/// Bodies of which one has a round core: the nearest points, and how the faces around them lie against each other.
fn of_round(
    a: &Placed<'_>,
    b: &Placed<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    found: &mut Vec<FeatureContact>,
) -> (Coverage, Guarantee) {
    let from = found.len();
    let answer = nearest(a, b, within, ask, found);
    let (Form::Convex(x), Form::Convex(y)) = (a.model.form(), b.model.form()) else { return answer };
    let Some(&first) = found.get(from) else { return answer };
    against((a, x), (b, y), &first, within, found);
    answer
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
        let gap = -depth;
        if gap <= within {
            let half = normal * (0.5 * gap);
            let [on_a, on_b] =
                [middle - half, middle + half].map(|p| Spot::at(a.world_from_self.transform_point(p)));
            found.push(FeatureContact { on_a, on_b, normal: first.normal, gap });
        }
    }
}
