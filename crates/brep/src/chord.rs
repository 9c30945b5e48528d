//! Triangles within a chord: repeated with a smaller one until the bound on their deviation is no more.

use crate::body::Brep;
use noli_geom::{Mesh, MeshError};

/// Most trials.
const TRIALS: usize = 5;
/// Share of the chord that the next trial aims at.
const AIM: f64 = 0.9;

impl Brep {
    /// Triangles within `chord` of the faces, and the bound on their deviation: no more than the chord, unless edges and
    /// surfaces of the file are farther from each other, or a face needs too many triangles.
    ///
    /// ```
    /// use noli_brep::Brep;
    /// let (mesh, deviation) = Brep::torus(10.0, 3.0).tessellated_within(0.1)?;
    /// assert!(deviation <= 0.1 && mesh.triangle_count() < 10_000);
    /// # Ok::<(), noli_geom::MeshError>(())
    /// ```
    pub fn tessellated_within(&self, chord: f64) -> Result<(Mesh, f64), MeshError> {
        // No triangles are nearer than the edges are to the surfaces.
        let [own, gap] = [chord, self.gap()].map(|length| length.max(0.0));
        let mut asked = chord;
        let mut best = self.tessellated(asked)?;
        for _ in 1..TRIALS {
            if best.1 <= own || own <= gap {
                break;
            }
            asked *= (AIM * (own - gap) / (best.1 - gap)).clamp(0.2, AIM);
            let found = self.tessellated(asked)?;
            if found.1 < best.1 {
                best = found;
            } else if found.0.triangle_count() != best.0.triangle_count() {
                // There would be too many triangles.
                break;
            }
        }
        Ok(best)
    }
}
