//! The report of a convex decomposition.

use super::json::open;
use noli::answer::Bracket;
use noli::pieces::{DecompositionError, DecompositionQuery, Pieces, convex_decomposition_within};
use noli::{Budget, Mesh};
use noli_formats::{NamedMesh, Units};
use serde::{Deserialize, Serialize};

/// Convex decomposition of the solids of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecomposeReport {
    /// The decomposed source.
    pub source: String,
    /// Unit of lengths; `None` if the file does not define it.
    pub units: Option<Units>,
    /// `true` if the requested error was reached.
    pub reached: bool,
    /// Largest excess of any convex part beyond the solid.
    pub error: ErrorReport,
    /// Sums over all solids.
    pub summary: DecomposeSummary,
    /// The solids.
    pub solids: Vec<SolidReport>,
    /// The convex parts, in output order.
    pub pieces: Vec<PieceReport>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

/// A bracket on a one-sided Hausdorff distance; what has no end is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// Some point is this far out.
    #[serde(with = "open")]
    pub at_least: f64,
    /// No point is further out.
    #[serde(with = "open")]
    pub at_most: f64,
}

impl From<Bracket> for ErrorReport {
    fn from(Bracket { at_least, at_most }: Bracket) -> Self {
        Self { at_least, at_most }
    }
}

/// Sums over all solids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DecomposeSummary {
    /// Convex parts.
    pub pieces: usize,
    /// Solids.
    pub solids: usize,
    /// Triangles of the solids.
    pub triangles: usize,
    /// Vertices of the solids.
    pub vertices: usize,
    /// Vertices outside all convex parts. Exact.
    pub vertices_outside: usize,
    /// The volume of the solids, rounded.
    pub volume: f64,
    /// Total volume of the convex parts, rounded.
    pub pieces_volume: f64,
    /// The diagonal of the box around all.
    pub diagonal: f64,
}

/// A solid that was cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolidReport {
    /// Its name in the file.
    pub name: String,
    /// Its triangles.
    pub triangles: usize,
    /// Number of its convex parts.
    pub pieces: usize,
    /// Their excess beyond it.
    pub error: ErrorReport,
}

/// A convex part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceReport {
    /// The object it is written as.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// Its faces.
    pub faces: usize,
    /// Its volume, rounded.
    pub volume: f64,
    /// Its excess beyond the solid.
    pub error: ErrorReport,
}

/// Error of decomposing a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name}: {error}")]
pub struct DecomposeError {
    /// The object.
    pub name: String,
    /// Cause of the error.
    pub error: DecompositionError,
}

impl DecomposeReport {
    /// Decomposes each object of a file and names its convex parts. Returns the report and the convex parts to be
    /// written.
    pub fn new(
        source: &str,
        objects: &[NamedMesh],
        query: &DecompositionQuery,
        budget: Budget<'_>,
    ) -> Result<(Self, Vec<NamedMesh>), DecomposeError> {
        let mut report = Self {
            source: source.to_owned(),
            units: None,
            reached: true,
            error: ErrorReport { at_least: 0.0, at_most: 0.0 },
            summary: DecomposeSummary::default(),
            solids: Vec::new(),
            pieces: Vec::new(),
            warnings: Vec::new(),
        };
        let mut written = Vec::new();
        let mut bounds = noli::model::Aabb::EMPTY;
        for object in objects {
            let refused = |error| DecomposeError { name: object.name.clone(), error };
            let found = convex_decomposition_within(&object.mesh, query, budget).map_err(refused)?;
            report.add(&object.name, &object.mesh, &found, &mut written);
            bounds = bounds.union(object.mesh.aabb());
        }
        report.summary.diagonal = bounds.size().length();
        report.summary.solids = objects.len();
        report.reached = query.error.is_none_or(|error| report.error.at_most <= error);
        Ok((report, written))
    }

    fn add(&mut self, name: &str, mesh: &Mesh, found: &Pieces, written: &mut Vec<NamedMesh>) {
        let mut used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
        let vertices =
            || mesh.vertices().iter().zip(&used).filter(|(_, used)| **used).map(|(vertex, _)| *vertex);
        let summary = &mut self.summary;
        summary.pieces += found.pieces.len();
        summary.triangles += mesh.triangle_count();
        summary.vertices += vertices().count();
        summary.vertices_outside += found.outside(vertices()).len();
        summary.volume += mesh.signed_volume().abs();
        summary.pieces_volume += found.pieces.iter().map(|piece| piece.volume).sum::<f64>();
        self.error.at_least = self.error.at_least.max(found.error.at_least);
        self.error.at_most = self.error.at_most.max(found.error.at_most);
        let error = found.error.into();
        self.solids.push(SolidReport {
            name: name.to_owned(),
            triangles: mesh.triangle_count(),
            pieces: found.pieces.len(),
            error,
        });
        for (number, piece) in found.pieces.iter().enumerate() {
            let stem = if name.trim().is_empty() { "piece" } else { name };
            let named = format!("{stem}_{number:03}");
            // A flat piece has two faces that are one another's back.
            if let Ok(mesh) = piece.hull.to_mesh() {
                self.pieces.push(PieceReport {
                    name: named.clone(),
                    vertices: piece.hull.vertices().len(),
                    faces: piece.hull.faces().len(),
                    volume: piece.volume,
                    error: piece.error.into(),
                });
                written.push(NamedMesh { name: named, mesh });
            }
        }
    }
}
