//! Report about a single mesh: its fitness for queries.

use super::outcome::Outcome;
use super::verdict::{Asked, NothingAsked, Verdict};
use crate::stage::scene::Staged;
use noli::answer::{Completeness, FaceCounts};
use noli::{Budget, Mesh, QueryContext, Scratch};
use noli_brep::Brep;
use noli_formats::Units;
use serde::{Deserialize, Serialize};

/// A face is thin if its smallest height is less than this share of its longest edge.
const THIN: f64 = 1e-4;
/// Number of pairs of faces after which no more are searched: a mesh with so many is broken all over.
const MOST_PAIRS: u64 = 100_000;

/// Defects of one mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthReport {
    /// The examined source.
    pub source: String,
    /// Unit of lengths; `None` if the file does not define it.
    pub units: Option<Units>,
    /// The body.
    pub body: String,
    /// `true` if the mesh has no defects: closed, consistently oriented, no self-intersections, no degenerate and
    /// no duplicate faces.
    pub sound: bool,
    /// Descriptions of the defects.
    pub flaws: Vec<String>,
    /// Its triangles.
    pub triangles: usize,
    /// The edges of its box.
    pub size: [f64; 3],
    /// `true` if every edge has faces on both sides, whichever way round they are.
    pub closed: bool,
    /// `true` if neighbouring faces are consistently oriented.
    pub oriented: bool,
    /// Edges of one triangle only.
    pub border_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Triangles that are a segment or a point.
    pub flat_faces: usize,
    /// Triangles whose smallest height is less than a ten-thousandth of their longest edge.
    pub thin_faces: usize,
    /// Triangles with the vertices of an earlier one.
    pub duplicate_faces: usize,
    /// Pairs of triangles of the mesh that pass through each other.
    pub self_intersections: usize,
    /// Pairs of triangles that touch where they should not.
    pub self_touches: usize,
    /// Two such triangles, by the numbers of the file, from 0.
    pub first: Option<[u32; 2]>,
    /// `true` if all pairs were tested; otherwise the counts of self-intersections and self-touches are lower bounds,
    /// because the budget ran out or there are very many.
    pub complete: bool,
    /// Parts connected through edges.
    pub shells: u32,
    /// The enclosed volume; `None` if it is not closed.
    pub volume: Option<f64>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

impl HealthReport {
    /// Examines the only body of a staged scene; `None` if there are several, or if it is not a mesh.
    pub fn new(staged: &Staged, source: &str, units: Option<Units>, budget: Budget<'_>) -> Option<Self> {
        let [body] = &staged.bodies[..] else { return None };
        let model = staged.world.body(body.id).ok()?.model();
        let mesh = model.mesh().filter(|_| !body.is_true_shape)?;
        let (found, mut scratch) = (mesh.report(), Scratch::default());
        let mut context = QueryContext::new(&mut scratch).with_budget(budget);
        // The triangles of curved surfaces are for drawing: the surfaces decide.
        let curved = body.origin.curved.as_ref().filter(|found| !found.body.is_tessellated());
        let pairs = match curved {
            Some(_) => FaceCounts::NONE,
            None => context.count_self_intersections(model, MOST_PAIRS),
        };
        let size = mesh.aabb().size();
        let mut report = Self {
            source: source.to_owned(),
            units,
            body: staged.name(body.id).to_owned(),
            sound: false,
            flaws: Vec::new(),
            triangles: mesh.triangle_count(),
            size: size.to_array(),
            closed: found.closed || found.border_edges + found.non_manifold_edges == 0,
            oriented: found.oriented,
            border_edges: found.border_edges,
            non_manifold_edges: found.non_manifold_edges,
            flat_faces: found.zero_area_triangles,
            thin_faces: thin_faces(mesh).saturating_sub(found.zero_area_triangles),
            duplicate_faces: found.duplicate_triangles,
            self_intersections: usize::try_from(pairs.intersecting).unwrap_or(usize::MAX),
            self_touches: usize::try_from(pairs.touching).unwrap_or(usize::MAX),
            first: pairs.first.map(|pair| pair.map(|triangle| mesh.user_face(triangle))),
            complete: pairs.completeness == Completeness::Complete,
            shells: found.parts,
            volume: (found.closed && found.oriented).then_some(found.signed_volume),
            warnings: staged.warnings.clone(),
        };
        report.flaws = match curved {
            Some(curved) => shell_flaws(&curved.body, &mut report),
            None => report.flaws(body.is_collapsed),
        };
        report.sound = report.flaws.is_empty() && report.complete;
        Some(report)
    }

    fn flaws(&self, is_collapsed: bool) -> Vec<String> {
        let inside_out = self.volume.is_some_and(|volume| volume < 0.0);
        let at_least = if self.complete { "" } else { "at least " };
        let [crossing, touching] = [self.self_intersections, self.self_touches];
        let told = [
            (is_collapsed, "all faces are flat: the shape is lost".to_owned()),
            (self.border_edges > 0, format!("it is open: {} border edges", self.border_edges)),
            (!self.closed && self.border_edges == 0, "it is not closed".to_owned()),
            (!self.oriented, "faces disagree about which side is out".to_owned()),
            (inside_out, "it is inside out: the enclosed volume is negative".to_owned()),
            (crossing > 0, format!("{at_least}{crossing} pairs of its faces intersect")),
            (touching > 0, format!("{at_least}{touching} pairs of its faces touch or overlap")),
            (self.flat_faces > 0, format!("{} faces are flat (no area)", self.flat_faces)),
            (self.duplicate_faces > 0, format!("{} faces are there twice", self.duplicate_faces)),
        ];
        told.into_iter().filter_map(|(is_so, text)| is_so.then_some(text)).collect()
    }

    /// Free if it is sound, touching if something is wrong with it, undecided if the budget ran out before
    /// anything was found.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        let outcome = match (self.sound, self.flaws.is_empty()) {
            (true, _) => Outcome::Free,
            (false, true) => Outcome::Undecided,
            (false, false) => Outcome::Touching,
        };
        Ok(Verdict::new(outcome, Asked::new(self.triangles)?))
    }
}

/// The defects of a body with curved surfaces, whose edges and faces take the place of those of its triangles.
fn shell_flaws(body: &Brep, report: &mut HealthReport) -> Vec<String> {
    let shell = body.shell_report();
    report.closed = shell.is_closed();
    report.oriented = shell.misoriented_edges == 0;
    (report.border_edges, report.non_manifold_edges) = (shell.border_edges, shell.non_manifold_edges);
    (report.flat_faces, report.thin_faces, report.duplicate_faces) = (0, 0, 0);
    let is_shell = (!body.is_solid()).then(|| "its file calls it a shell, not a solid".to_owned());
    is_shell.into_iter().chain(shell.flaw()).collect()
}

fn thin_faces(mesh: &Mesh) -> usize {
    let is_thin = |triangle: &noli_geom::Triangle| {
        let [a, b, c] = triangle.vertices;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        triangle.doubled_area_vector().length() < THIN * longest * longest
    };
    mesh.iter_triangles().filter(is_thin).count()
}
