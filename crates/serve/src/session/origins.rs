//! Origins of bodies in the files of a project.

use super::Listed;
use crate::protocol::Formula;
use noli_formats::Units;
use noli_project::{FieldSource, Shape};

/// Returns the sources of bodies that were read from files alone.
pub(super) fn listed(source: &noli_project::Source) -> Vec<Listed> {
    let of_format = |path: &std::path::Path| {
        let end = path.extension().unwrap_or_default().to_ascii_lowercase();
        match end.to_str() {
            Some("step" | "stp") => Some(Units::Millimetre),
            Some("ifc") => Some(Units::Metre),
            _ => noli_formats::MeshFormat::from_extension(path)?.own_units(),
        }
    };
    let bodies = source.scene.scene.bodies.iter().filter_map(|body| {
        let Shape::File { path, object, .. } = &body.shape else { return None };
        // Where only some say their unit, all were taken as they are.
        let units = source.units.and_then(|_| of_format(path));
        Some(Listed { name: body.name.clone(), path: path.clone(), object: object.clone(), units })
    });
    bodies.collect()
}

/// The formula of a body of a scene, where the scene itself has it.
pub(super) fn formula_of(body: &noli_project::Body, scene_units: Units) -> Option<Formula> {
    match &body.shape {
        Shape::Field { source: FieldSource::Text(text), bounds, units, .. } if *units == scene_units => {
            Some(Formula { text: text.clone(), bounds: *bounds })
        }
        _ => None,
    }
}

/// Returns `true` if a scene gives any body a weight or fixes it, or sets gravity; otherwise it is not meant to
/// fall.
pub(super) fn says_what_falls(scene: &noli_project::Scene) -> bool {
    scene.bodies.iter().any(|body| body.physics != Default::default())
}
