//! The report about a single mesh: whether it is fit to be asked about.

use super::{Asked, NothingAsked, Outcome, Verdict};
use crate::{Staged, Units};
use noli::answer::{Coverage, Crossing, Next, Sink};
use noli::query::CrossingsQuery;
use noli::{Ask, Budget, Mesh, Scratch};
use noli_geom::Relation;
use serde::{Deserialize, Serialize};

/// A face is thin if its smallest height is less than this share of its longest edge.
const THIN: f64 = 1e-4;

/// What is wrong with one mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthReport {
    /// What was examined.
    pub source: String,
    /// The unit of lengths; `None` where the file does not say.
    pub units: Option<Units>,
    /// The body.
    pub body: String,
    /// Whether nothing is wrong: closed, consistently oriented, no self-crossings, no flat and no duplicate faces.
    pub sound: bool,
    /// What is wrong, in words.
    pub flaws: Vec<String>,
    /// Its triangles.
    pub triangles: usize,
    /// The edges of its box.
    pub size: [f64; 3],
    /// Whether every edge is passed as often one way as the other.
    pub closed: bool,
    /// Whether neighbouring faces agree about which side is out.
    pub oriented: bool,
    /// Edges of one triangle only.
    pub border_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Triangles that are a segment or a point.
    pub flat_faces: usize,
    /// Triangles whose smallest height is less than a ten-thousandth of their longest edge.
    pub thin_faces: usize,
    /// Triangles with the corners of an earlier one.
    pub duplicate_faces: usize,
    /// Pairs of triangles of the mesh that pass through each other.
    pub self_crossings: usize,
    /// Pairs of triangles that touch where they should not.
    pub self_touches: usize,
    /// Two such triangles, by the numbers of the file, from 0.
    pub first: Option<[u32; 2]>,
    /// Whether all pairs were looked at: the counts are lower bounds otherwise.
    pub complete: bool,
    /// Parts connected through edges.
    pub shells: u32,
    /// The enclosed volume; `None` if it is not closed.
    pub volume: Option<f64>,
    /// What was odd about the file.
    pub warnings: Vec<String>,
}

#[derive(Default)]
struct Tally {
    crossings: usize,
    touches: usize,
    first: Option<[u32; 2]>,
}

impl Sink for Tally {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        match crossing.relation {
            Relation::Crossing => self.crossings += 1,
            _ => self.touches += 1,
        }
        self.first.get_or_insert([crossing.triangle_a, crossing.triangle_b]);
        Next::Continue
    }
}

impl HealthReport {
    /// Examines the only body of a staged scene; `None` if there are several, or if it is no mesh.
    pub fn new(staged: &Staged, source: &str, units: Option<Units>, budget: Budget<'_>) -> Option<Self> {
        let [body] = &staged.bodies[..] else { return None };
        let model = staged.world.body(body.id).ok()?.model();
        let mesh = model.mesh().filter(|_| !body.is_true_shape)?;
        let (found, mut tally, mut scratch) = (mesh.report(), Tally::default(), Scratch::default());
        let mut ask = Ask::new(&mut scratch).within(budget);
        let coverage = ask.self_crossings(model, &CrossingsQuery::default(), &mut tally);
        let size = mesh.aabb().size();
        let mut report = Self {
            source: source.to_owned(),
            units,
            body: staged.name(body.id).to_owned(),
            sound: false,
            flaws: Vec::new(),
            triangles: mesh.triangle_count(),
            size: size.to_array(),
            closed: found.closed,
            oriented: found.oriented,
            border_edges: found.border_edges,
            non_manifold_edges: found.non_manifold_edges,
            flat_faces: found.zero_area_triangles,
            thin_faces: thin_faces(mesh).saturating_sub(found.zero_area_triangles),
            duplicate_faces: found.duplicate_triangles,
            self_crossings: tally.crossings,
            self_touches: tally.touches,
            first: tally.first.map(|pair| pair.map(|triangle| mesh.user_face(triangle))),
            complete: coverage != Coverage::Part,
            shells: found.parts,
            volume: (found.closed && found.oriented).then_some(found.signed_volume),
            warnings: staged.warnings.clone(),
        };
        report.flaws = report.flaws(body.is_collapsed);
        report.sound = report.flaws.is_empty() && report.complete;
        Some(report)
    }

    fn flaws(&self, is_collapsed: bool) -> Vec<String> {
        let inside_out = self.volume.is_some_and(|volume| volume < 0.0);
        let told = [
            (is_collapsed, "all faces are flat: the shape is lost".to_owned()),
            (self.border_edges > 0, format!("it is open: {} border edges", self.border_edges)),
            (!self.closed && self.border_edges == 0, "it is not closed".to_owned()),
            (!self.oriented, "faces disagree about which side is out".to_owned()),
            (inside_out, "it is inside out: the enclosed volume is negative".to_owned()),
            (self.self_crossings > 0, format!("{} pairs of its faces cross", self.self_crossings)),
            (self.self_touches > 0, format!("{} pairs of its faces touch or overlap", self.self_touches)),
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

fn thin_faces(mesh: &Mesh) -> usize {
    let is_thin = |triangle: &noli_geom::Triangle| {
        let [a, b, c] = triangle.corners;
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        triangle.doubled_area_vector().length() < THIN * longest * longest
    };
    mesh.iter_triangles().filter(is_thin).count()
}
