//! Which pairs may meet, and how they do.

use super::bodies::{Body, grown};
use glam::DVec3;
use noli::{
    Budget, Clearance, ClearanceQuery, Crossing, CrossingsQuery, First, Location, Next, Overlap, Placed,
    Relation, RelationQuery, Scratch, Sink, clearance_in, closer_than_in, crossings_in, locate_in,
    relation_in,
};
use std::cmp::Ordering;

/// How two bodies stand to each other, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// Faces pass through each other.
    Crossing,
    /// A part of one lies in the interior of the other.
    Inside,
    /// They share points, but neither passes through the other.
    Touching,
    /// Apart, but by no more than the margin.
    Closer,
    /// The budget ran out.
    Undecided,
    /// They share no point, and are further apart than the margin.
    Apart,
}

/// What is asked about each pair.
pub(super) struct Question {
    pub(super) margin: Option<f64>,
    pub(super) steps: Option<u64>,
}

/// What was found out about a pair of bodies.
pub(super) struct Finding {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) verdict: Verdict,
    /// Pairs of faces that pass through each other; nothing if the budget did not allow to count.
    pub(super) crossing_faces: Option<u64>,
    /// Pairs of faces that only touch.
    pub(super) touching_faces: Option<u64>,
    pub(super) gap: Clearance,
    /// A point where they meet or, of bodies apart, the middle of the gap.
    pub(super) place: Option<DVec3>,
    /// The faces there, as numbered in their files from 0.
    pub(super) faces: Option<[u32; 2]>,
}

impl Finding {
    /// The worst verdict first; then more crossing faces, then the smaller gap, then the order of bodies.
    pub(super) fn by_severity(&self, other: &Self) -> Ordering {
        let key = |f: &Self| (f.verdict, std::cmp::Reverse(f.crossing_faces));
        let gap = |f: &Self| f.gap.at_least;
        key(self)
            .cmp(&key(other))
            .then(gap(self).total_cmp(&gap(other)))
            .then((self.a, self.b).cmp(&(other.a, other.b)))
    }
}

pub(super) fn count_wanted(bodies: usize, wanted: impl Fn(usize, usize) -> bool) -> usize {
    (0..bodies).map(|b| (0..b).filter(|&a| wanted(a, b)).count()).sum()
}

/// The wanted pairs whose boxes are at most `reach` apart, found by sweeping along x. No pair of bodies
/// that are at most `reach` apart is lost: the boxes are rounded outward.
pub(super) fn candidates(
    bodies: &[Body],
    reach: f64,
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    // Half of the reach for each box of a pair; rounded up, as half of the smallest number is zero.
    let share = if reach > 0.0 { (0.5 * reach).next_up() } else { 0.0 };
    let boxes: Vec<_> = bodies.iter().map(|body| grown(&body.bounds(), share)).collect();
    let mut order: Vec<usize> = (0..bodies.len()).filter(|&i| !boxes[i].is_empty()).collect();
    order.sort_by(|&i, &j| boxes[i].min.x.total_cmp(&boxes[j].min.x));
    let mut active: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for j in order {
        active.retain(|&i| boxes[i].max.x >= boxes[j].min.x);
        let meets = |&&i: &&usize| boxes[i].overlaps(&boxes[j]) && wanted(i.min(j), i.max(j));
        found.extend(active.iter().filter(meets).map(|&i| (i.min(j), i.max(j))));
        active.push(j);
    }
    found.sort_unstable();
    found
}

/// Ask everything about one pair.
pub(super) fn compare(bodies: &[Body], a: usize, b: usize, question: &Question) -> Finding {
    let pair = [bodies[a].placed(), bodies[b].placed()];
    let budget = question.steps.map_or(Budget::UNLIMITED, |steps| Budget::UNLIMITED.steps(steps));
    let mut scratch = Scratch::default();
    let relation = relation_in(&pair[0], &pair[1], &RelationQuery { budget }, &mut scratch);
    let gap = if relation.is_some_and(Relation::overlaps) {
        Clearance { at_least: 0.0, at_most: 0.0, witness: None }
    } else {
        let query = ClearanceQuery { budget, ..Default::default() };
        clearance_in(&pair[0], &pair[1], &query, &mut scratch)
    };
    let mut finding = Finding {
        a,
        b,
        verdict: Verdict::Undecided,
        crossing_faces: None,
        touching_faces: None,
        gap,
        place: gap.witness.map(|witness| witness.on_a.midpoint(witness.on_b)),
        faces: gap.witness.map(|witness| user_faces(&pair, witness.triangle_a, witness.triangle_b)),
    };
    match relation {
        Some(Relation::Apart) => finding.verdict = against_margin(&pair, &gap, question.margin, &budget),
        Some(Relation::Inside) => finding.set_inside(&pair, &mut scratch),
        Some(meets @ (Relation::Touching | Relation::Crossing)) => finding.set_meeting(&pair, meets, budget),
        None => {}
    }
    finding
}

impl Finding {
    fn set_meeting(&mut self, pair: &[Placed<'_>; 2], relation: Relation, budget: Budget<'_>) {
        let crossing = relation == Relation::Crossing;
        self.verdict = if crossing { Verdict::Crossing } else { Verdict::Touching };
        let mut scratch = Scratch::default();
        let mut tally = Tally::default();
        let query = CrossingsQuery { touching: true, segments: false, budget };
        if crossings_in(&pair[0], &pair[1], &query, &mut scratch, &mut tally) {
            (self.crossing_faces, self.touching_faces) = (Some(tally.crossing), Some(tally.touching));
        }
        // Where they cross matters more than where they also touch.
        let mut first = First::default();
        let query = CrossingsQuery { touching: !crossing, segments: true, budget };
        crossings_in(&pair[0], &pair[1], &query, &mut scratch, &mut first);
        if let Some(Crossing { triangle_a, triangle_b, segment: Some(segment), .. }) = first.0 {
            self.place = Some(segment.start.midpoint(segment.end));
            self.faces = Some(user_faces(pair, triangle_a, triangle_b));
        }
    }

    fn set_inside(&mut self, [a, b]: &[Placed<'_>; 2], scratch: &mut Scratch) {
        self.verdict = Verdict::Inside;
        (self.crossing_faces, self.touching_faces) = (Some(0), Some(0));
        self.place = point_inside(a, b, scratch).or_else(|| point_inside(b, a, scratch));
    }
}

/// Counts face pairs of both kinds.
#[derive(Default)]
struct Tally {
    crossing: u64,
    touching: u64,
}

impl Sink for Tally {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        match crossing.relation {
            Relation::Crossing => self.crossing += 1,
            _ => self.touching += 1,
        }
        Next::Continue
    }
}

/// A vertex of `inner` that `outer` winds around. Surfaces that do not meet are inside part by part, so
/// one vertex of each part is enough.
fn point_inside(inner: &Placed<'_>, outer: &Placed<'_>, scratch: &mut Scratch) -> Option<DVec3> {
    let mesh = inner.model.mesh();
    let firsts = mesh.adjacency().parts().first_triangles();
    let corners = firsts.iter().map(|&triangle| mesh.triangle(triangle).corners[0]);
    let mut points = corners.map(|corner| inner.world_from_self.transform_point(corner));
    points.find(|&point| locate_in(point, outer, scratch) == Some(Location::Inside))
}

/// The verdict on bodies that are apart.
fn against_margin(
    pair: &[Placed<'_>; 2],
    gap: &Clearance,
    margin: Option<f64>,
    budget: &Budget<'_>,
) -> Verdict {
    let Some(margin) = margin else { return Verdict::Apart };
    // The bracket decides unless the margin lies within it.
    if gap.at_least > margin {
        return Verdict::Apart;
    }
    if gap.at_most <= margin {
        return Verdict::Closer;
    }
    match closer_than_in(&pair[0], &pair[1], margin, budget, &mut Scratch::default()) {
        Overlap::Hit => Verdict::Closer,
        Overlap::Free => Verdict::Apart,
        Overlap::Unknown => Verdict::Undecided,
    }
}

fn user_faces([a, b]: &[Placed<'_>; 2], triangle_a: u32, triangle_b: u32) -> [u32; 2] {
    [a.model.mesh().user_face(triangle_a), b.model.mesh().user_face(triangle_b)]
}
