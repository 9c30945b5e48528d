//! Properties of the solid that a mesh bounds.

use super::MeshModel;
use std::sync::OnceLock;

/// Properties of the solid that a mesh bounds. Searches for them are in `penetration`; results are stored here.
#[derive(Debug)]
pub(crate) struct SolidProperties {
    /// Every edge is passed equally often in both directions.
    pub(crate) closed: bool,
    convex_within: OnceLock<Option<f64>>,
    winds_once: OnceLock<bool>,
}

impl SolidProperties {
    fn of(model: &MeshModel) -> Self {
        let closed = !model.mesh.is_empty() && model.mesh.is_closed();
        Self { closed, convex_within: OnceLock::new(), winds_once: OnceLock::new() }
    }

    /// Returns the stored distance of the faces from their hull, or the result of `search` for a closed mesh.
    pub(crate) fn convex_within(&self, search: impl FnOnce() -> Option<f64>) -> Option<f64> {
        *self.convex_within.get_or_init(|| if self.closed { search() } else { None })
    }

    /// Returns the stored result, or that of `search` for a closed mesh, which is stored unless it is `None`.
    pub(crate) fn winds_once(&self, search: impl FnOnce() -> Option<bool>) -> Option<bool> {
        if let Some(known) = self.winds_once.get() {
            return Some(*known);
        }
        let found = if self.closed { search()? } else { false };
        Some(*self.winds_once.get_or_init(|| found))
    }
}

impl MeshModel {
    /// Properties of the solid that the faces bound; created on first use.
    pub(crate) fn solid_properties(&self) -> &SolidProperties {
        self.solid_properties.get_or_init(|| SolidProperties::of(self))
    }
}
