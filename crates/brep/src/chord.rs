//! Triangles within a chord: made once more with a smaller one if the bound on their deviation is more.

use crate::body::Brep;
use noli_geom::{Mesh, MeshError};

/// Share of the chord that the second trial aims at.
const AIM: f64 = 0.9;
/// Least share of the chord that is left where edges and surfaces of the file are apart.
const LEAST: f64 = 0.5;

impl Brep {
    /// Triangles within `chord` of the faces, and the bound on their deviation: no more than the chord, unless edges and
    /// surfaces of the file are farther from each other, or a face needs too many triangles.
    ///
    /// ```
    /// use noli_brep::Brep;
    /// let (mesh, deviation) = Brep::torus(10.0, 3.0).tessellated_within(0.1)?;
    /// assert!(deviation <= 0.1 && mesh.triangle_count() < 3_000);
    /// # Ok::<(), noli_geom::MeshError>(())
    /// ```
    pub fn tessellated_within(&self, chord: f64) -> Result<(Mesh, f64), MeshError> {
        let chord = chord.max(0.0);
        let asked = chord - self.gap().clamp(0.0, (1.0 - LEAST) * chord);
        let first = self.tessellated(asked)?;
        let share = AIM * asked / first.1;
        if first.1 <= chord || share < LEAST {
            return Ok(first);
        }
        let second = self.tessellated(share * asked)?;
        Ok(if second.1 < first.1 { second } else { first })
    }
}
