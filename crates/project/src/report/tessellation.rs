//! Triangles in place of curved surfaces.

use crate::stage::scene::Staged;
use noli_formats::Units;
use serde::{Deserialize, Serialize};

/// Bodies of a report whose curved surfaces were replaced by triangles: its verdicts hold for these triangles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TessellationReport {
    /// Number of such bodies.
    pub bodies: usize,
    /// Greatest distance of the triangles of one body from its surface (chordal deviation).
    pub error: f64,
}

impl TessellationReport {
    /// Returns a sentence about it.
    pub fn text(&self, units: Option<Units>) -> String {
        let unit = units.map_or(String::new(), |units| format!(" {}", units.sign()));
        let bodies = match self.bodies {
            1 => "1 body".to_owned(),
            count => format!("{count} bodies"),
        };
        format!(
            "Decided on the triangles of {bodies}, each within {:.2e}{unit} of its curved surface; `noli check` decides \
             poses on the surfaces.\n",
            self.error
        )
    }
}

impl Staged {
    /// Returns the bodies whose curved surfaces were replaced by triangles; `None` if there are none.
    pub fn tessellation(&self) -> Option<TessellationReport> {
        let errors = || self.bodies.iter().map(|body| body.origin.uncertainty).filter(|&error| error > 0.0);
        let error = errors().reduce(f64::max)?;
        Some(TessellationReport { bodies: errors().count(), error })
    }
}
