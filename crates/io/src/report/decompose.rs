//! The report of a convex decomposition.

use super::open;
use crate::{NamedMesh, Units};
use noli::Mesh;
use noli::answer::Bracket;
use noli::pieces::{Pieces, PiecesError, PiecesQuery, convex_pieces};
use serde::{Deserialize, Serialize};

/// The convex pieces of the solids of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecomposeReport {
    /// What was cut.
    pub source: String,
    /// The unit of lengths; `None` where the file does not say.
    pub units: Option<Units>,
    /// Whether the error asked for was reached.
    pub reached: bool,
    /// How far any piece reaches beyond the solid at most.
    pub error: ErrorReport,
    /// Sums over all solids.
    pub summary: DecomposeSummary,
    /// The solids.
    pub solids: Vec<SolidReport>,
    /// The pieces, in the order in which they are written.
    pub pieces: Vec<PieceReport>,
    /// What was odd about the file.
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
    /// Pieces.
    pub pieces: usize,
    /// Solids.
    pub solids: usize,
    /// Triangles of the solids.
    pub triangles: usize,
    /// Vertices of the solids.
    pub vertices: usize,
    /// Vertices that no piece holds. Exact.
    pub vertices_outside: usize,
    /// The volume of the solids, rounded.
    pub volume: f64,
    /// The volumes of the pieces together, rounded.
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
    /// How many pieces it has.
    pub pieces: usize,
    /// How far they reach beyond it.
    pub error: ErrorReport,
}

/// A convex piece.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PieceReport {
    /// The object it is written as.
    pub name: String,
    /// Its corners.
    pub vertices: usize,
    /// Its faces.
    pub faces: usize,
    /// Its volume, rounded.
    pub volume: f64,
    /// How far it reaches beyond the solid.
    pub error: ErrorReport,
}

/// Why a file was not cut into pieces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name}: {error}")]
pub struct DecomposeError {
    /// The object.
    pub name: String,
    /// What is wrong with it.
    pub error: PiecesError,
}

impl DecomposeReport {
    /// Cuts the objects of a file, each for itself, and names their pieces. The pieces come beside the report, to be
    /// written.
    pub fn new(
        source: &str,
        objects: &[NamedMesh],
        query: &PiecesQuery,
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
            let found = convex_pieces(&object.mesh, query).map_err(refused)?;
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
