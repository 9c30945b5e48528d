//! Which faces of one mesh meet where they should not?

use super::crossings::{Crossing, CrossingsQuery, Report, Sink};
use super::with_scratch;
use crate::model::Model;
use crate::pair::mesh_mesh::{Pair, Side};
use crate::pair::self_mesh::self_meetings;
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use noli_geom::Pose;

/// All pairs of faces of one mesh that meet, always in the same order, each once with
/// `triangle_a < triangle_b`. Exact.
///
/// Faces that share a vertex or an edge, by number or by position, count only if they have a point in
/// common that lies on no such vertex and edge: a fold onto its neighbour counts, a crease does not. Two
/// copies of a face count, unless it has no area: then all they share are edges.
///
/// ```
/// use noli::{Mesh, Model, self_crossings};
/// let torus = noli_scenes::torus(2.0, 1.0, 24, 12);
/// let mesh = Mesh::from_triangles(torus.vertices, torus.triangles, &Default::default())?;
/// assert!(self_crossings(&Model::new(&mesh, &Default::default())).is_empty());
/// // A tube thicker than its ring runs through itself.
/// let torus = noli_scenes::torus(1.0, 1.5, 24, 12);
/// let mesh = Mesh::from_triangles(torus.vertices, torus.triangles, &Default::default())?;
/// assert!(!self_crossings(&Model::new(&mesh, &Default::default())).is_empty());
/// # Ok::<(), noli::MeshError>(())
/// ```
pub fn self_crossings(model: &Model) -> Vec<Crossing> {
    let mut all = Vec::new();
    with_scratch(|scratch| self_crossings_in(model, &CrossingsQuery::default(), scratch, &mut all));
    all
}

/// Hand every pair of faces that meets to `sink`; segments are in the model's frame. True when all were
/// looked at or the sink had enough, false when the budget ran out first.
pub fn self_crossings_in(
    model: &Model,
    query: &CrossingsQuery<'_>,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) -> bool {
    self_crossings_traced(model, query, scratch, sink, &mut NoTrace)
}

/// [`self_crossings_in`] that tells what it looked at.
pub fn self_crossings_traced(
    model: &Model,
    query: &CrossingsQuery<'_>,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
    trace: &mut impl Trace,
) -> bool {
    if model.mesh().is_empty() {
        return true;
    }
    let side = (Side::mesh(model.faces()), &Pose::IDENTITY);
    let Some(pair) = Pair::new(side, side) else { return false };
    let mut report = Report { pair: &pair, query, sink };
    self_meetings(&pair, &mut report, &mut query.budget.meter(), scratch, trace) != Ended::OutOfBudget
}
