//! Interpretation of meshes: solids where they bound one.

use glam::DVec3;
use noli::Mesh;
use noli::model::MeshKind;
use noli_geom::SolidFlaw;
use serde::{Deserialize, Serialize};

/// Interpretation of the faces of meshes for which none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "args", derive(clap::ValueEnum))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TakeAs {
    /// Themselves.
    Surface,
    /// The solid inside them.
    Solid,
    /// The solid inside closed, consistently oriented ones; themselves otherwise.
    #[default]
    Auto,
}

/// A mesh as it is taken, and what speaks against a solid.
pub(crate) struct TakenMesh {
    pub(crate) kind: MeshKind,
    /// Reason why it bounds no solid; `None` if it does, or if it is taken as a surface anyway.
    pub(crate) flaw: Option<SolidFlaw>,
    /// `true` if it has lost its shape: its faces have no area, or lie in one plane.
    pub(crate) is_collapsed: bool,
}

impl TakenMesh {
    /// Applies an interpretation to a mesh.
    pub(crate) fn new(mesh: &Mesh, take_as: TakeAs) -> Self {
        let flaw = if take_as == TakeAs::Surface { None } else { mesh.report().flaw() };
        let is_collapsed = is_collapsed(mesh) || flaw.is_none() && is_flat(mesh);
        let is_sound = flaw.is_none() && !is_collapsed;
        let is_solid = take_as == TakeAs::Solid || take_as == TakeAs::Auto && is_sound;
        Self { kind: if is_solid { MeshKind::Solid } else { MeshKind::Surface }, flaw, is_collapsed }
    }
}

/// Returns the mesh as [`TakeAs::Auto`] takes it: a solid if it is closed and consistently oriented, else a surface.
pub fn with_own_kind(mesh: Mesh) -> Mesh {
    let kind = TakenMesh::new(&mesh, TakeAs::Auto).kind;
    mesh.with_kind(kind)
}

/// Returns `true` if no face has an area. Usually the first one has; where rounding hides all areas, they are
/// decided exactly.
fn is_collapsed(mesh: &Mesh) -> bool {
    !mesh.is_empty()
        && mesh.iter_triangles().all(|triangle| triangle.doubled_area_vector() == DVec3::ZERO)
        && mesh.report().zero_area_triangles == mesh.triangle_count()
}

/// Returns `true` if all faces lie in one plane across an axis, as after a scale with a zero in it.
fn is_flat(mesh: &Mesh) -> bool {
    mesh.aabb().size().min_element() == 0.0
}

/// Returns a description of the defect of a mesh without face area or without thickness, and its likely cause.
pub(super) fn collapse_text(name: &str, mesh: &Mesh) -> String {
    if !is_collapsed(mesh) {
        return format!(
            "{name} has lost its shape, all its faces lie in one plane: check the scale with which it was saved"
        );
    }
    let bounds = mesh.aabb();
    let far = bounds.min.abs().max(bounds.max.abs()).max_element() as f32;
    let separated = f64::from(far.next_up() - far);
    let why = if bounds.size().max_element() < 1e4 * separated {
        let separated = if separated < 1.0 { format!("{separated:.1e}") } else { separated.to_string() };
        format!(
            ": coordinates of {far:.0e} are {separated} apart in 32-bit numbers; move it to the origin before it is saved"
        )
    } else {
        ": check the scale with which it was saved".to_owned()
    };
    format!("{name} has lost its shape, all its faces are flat{why}")
}
