//! Bodies: parts prepared for questions.

use super::Kind;
use super::source::{Exact, Part};
use crate::output::Progress;
use anyhow::{Context, Result};
use glam::DVec3;
use noli::{Field, Mesh, MeshKind, Model, Pose};
use noli_geom::{Aabb, RelativePose};
use rayon::prelude::*;
use std::collections::HashMap;

/// A model with a name and a place.
pub(crate) struct Body {
    pub(crate) name: String,
    /// Number of the argument it came from.
    pub(super) argument: usize,
    pub(crate) model: Model,
    /// What it looks like; of a round body, a mesh inscribed in it.
    pub(super) mesh: Mesh,
    /// Whether it is a round shape rather than a mesh.
    pub(super) round: bool,
    pub(crate) world_from_self: Pose,
    /// Why it cannot be trusted as a solid, if so.
    pub(super) flaw: Option<String>,
    /// Whether the scene said what its faces stand for.
    pub(super) said: bool,
}

impl Body {
    pub(super) fn placed(&self) -> noli::Placed<'_> {
        self.model.at(self.world_from_self)
    }

    pub(super) fn is_solid(&self) -> bool {
        self.round || self.mesh.kind() == MeshKind::Solid
    }

    /// How many triangles it consists of: none where it is a true shape, which is only drawn with some.
    pub(super) fn triangles(&self) -> usize {
        if self.round { 0 } else { self.mesh.triangle_count() }
    }

    /// A box in the world that holds the body, rounding included.
    pub(super) fn bounds(&self) -> Aabb {
        if self.round {
            return self.model.aabb().moved(&self.world_from_self);
        }
        let mesh = &self.mesh;
        let own = mesh.aabb();
        let reach = own.min.abs().max(own.max.abs()).max_element();
        let world_from_self = RelativePose::new(&Pose::IDENTITY, &self.world_from_self);
        let used = mesh.triangles().iter().flatten().map(|&vertex| mesh.vertices()[vertex as usize]);
        let rounded = Aabb::around(used.map(|vertex| world_from_self.transform_point(vertex)));
        grown(&rounded, world_from_self.point_error(reach))
    }
}

/// The box with `by` more on every side, rounded outward.
pub(super) fn grown(bounds: &Aabb, by: f64) -> Aabb {
    if by == 0.0 {
        return *bounds;
    }
    let outward = |corner: DVec3, next: fn(f64) -> f64| DVec3::from_array(corner.to_array().map(next));
    Aabb {
        min: outward(bounds.min - DVec3::splat(by), f64::next_down),
        max: outward(bounds.max + DVec3::splat(by), f64::next_up),
    }
}

/// A mesh as it lies in memory, and what its faces stand for: parts with equal keys share a model.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    vertices: *const DVec3,
    triangles: *const [u32; 3],
    /// A half-space has no mesh, and nothing in common with an empty one.
    round: bool,
    /// A field shares its model with nothing: what is drawn of it may be empty.
    field: Option<*const Field>,
    kind: Kind,
}

impl Key {
    fn new(part: &Part, kind: Kind) -> Self {
        let said = |kind| if kind == MeshKind::Solid { Kind::Solid } else { Kind::Surface };
        Self {
            vertices: part.mesh.vertices().as_ptr(),
            triangles: part.mesh.triangles().as_ptr(),
            round: part.round.is_some(),
            field: match &part.round {
                Some(Exact::Field(field)) => Some(std::ptr::from_ref(field)),
                _ => None,
            },
            kind: part.kind.map_or(kind, said),
        }
    }
}

/// Prepares all parts in parallel, each mesh once. Parts that the scene says nothing about are taken as `kind`.
pub(crate) fn prepare(parts: Vec<Part>, kind: Kind) -> Result<Vec<Body>> {
    let mut numbers: HashMap<Key, usize> = HashMap::new();
    let mut firsts: Vec<(&Part, Kind)> = Vec::new();
    let mut model_of = Vec::with_capacity(parts.len());
    for part in &parts {
        let key = Key::new(part, kind);
        model_of.push(*numbers.entry(key).or_insert_with(|| {
            firsts.push((part, key.kind));
            firsts.len() - 1
        }));
    }
    let progress = Progress::new(firsts.len());
    let prepare = |(part, kind): &(&Part, Kind)| {
        progress.step("preparing models");
        model(part, *kind)
    };
    let models: Vec<_> = firsts.par_iter().map(prepare).collect();
    let models = models.into_iter().collect::<Result<Vec<Prepared>>>()?;
    let body = |(part, model): (Part, usize)| Body {
        name: part.name,
        argument: part.argument,
        model: models[model].model.clone(),
        mesh: models[model].mesh.clone(),
        round: part.round.is_some(),
        world_from_self: part.pose,
        flaw: models[model].flaw.clone(),
        said: part.kind.is_some(),
    };
    Ok(parts.into_iter().zip(model_of).map(body).collect())
}

struct Prepared {
    model: Model,
    mesh: Mesh,
    flaw: Option<String>,
}

fn model(part: &Part, kind: Kind) -> Result<Prepared> {
    if let Some(round) = &part.round {
        let model = match round {
            Exact::Shape(shape) => Model::from_shape(shape, &Default::default()),
            Exact::Field(field) => Model::field(field.clone()),
        };
        let model = model.with_context(|| format!("{}: give it an ordinary size", part.name))?;
        return Ok(Prepared { model, mesh: part.mesh.clone(), flaw: None });
    }
    let flaw = if kind == Kind::Surface { None } else { flaw(&part.mesh) };
    let solid = kind == Kind::Solid || kind == Kind::Auto && flaw.is_none();
    let mesh = part.mesh.clone().with_kind(if solid { MeshKind::Solid } else { MeshKind::Surface });
    Ok(Prepared { model: Model::from(&mesh), mesh, flaw })
}

/// Why a mesh bounds no solid.
fn flaw(mesh: &Mesh) -> Option<String> {
    let report = mesh.report();
    if report.closed && report.oriented {
        return None;
    }
    Some(match report.border_edges {
        0 => "its faces disagree about which side is out".to_owned(),
        1 => "it has 1 border edge".to_owned(),
        edges => format!("it has {edges} border edges"),
    })
}

/// What is doubtful about bodies that were asked to be solids.
pub(super) fn doubts(bodies: &[Body]) -> impl Iterator<Item = String> {
    bodies.iter().filter(|body| body.is_solid()).filter_map(|body| {
        let flaw = body.flaw.as_ref()?;
        Some(format!("{} is taken as a solid, but {flaw}; what is inside it is not well defined", body.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_rounds_outward() {
        let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        assert_eq!(grown(&unit, 0.0), unit);
        let tiny = grown(&unit, 1e-30);
        assert!(tiny.max.x > 1.0 && tiny.min.x < 0.0);
    }
}
