//! How two bodies stand to each other.

use super::bodies::Body;
use super::broad::Candidate;
use glam::DVec3;
use noli::{
    Budget, Clearance, ClearanceQuery, Crossing, CrossingsQuery, First, Location, Next, Overlap, Placed,
    Relation, RelationQuery, Scratch, Segment, Sink, clearance_in, closer_than_in, crossings_in, locate_in,
    relation_in,
};
use std::cmp::Ordering;

/// How two bodies stand to each other, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

impl Verdict {
    /// All of them, the worst first.
    pub(super) const ALL: [Self; 6] =
        [Self::Crossing, Self::Inside, Self::Touching, Self::Closer, Self::Undecided, Self::Apart];
}

/// What is asked about each pair.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// Whether faces that meet are counted.
    pub(super) count: bool,
    /// Whether to say where bodies meet.
    pub(super) place: bool,
    /// How many crossing faces are kept one by one.
    pub(super) keep: usize,
    pub(super) steps: Option<u64>,
}

/// How far the relation of a pair can be trusted. The gap is always a proven bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Guarantee {
    /// It is that of real arithmetic on the numbers given.
    Exact,
    /// The contact is certain; solids that only touch by what their corners and coincident faces tell may
    /// still reach into each other.
    Conservative,
    /// A mesh with holes was asked to be a solid: what is inside it is a guess.
    Approximate,
    /// Nothing but the gap is known.
    Undecided,
}

/// Two faces that pass through each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// As numbered in their files from 0.
    pub(crate) faces: [u32; 2],
    pub(crate) segment: Segment,
}

/// What was found out about a pair of bodies.
pub(crate) struct Finding {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) margin: f64,
    pub(super) verdict: Verdict,
    pub(super) guarantee: Guarantee,
    /// Pairs of faces that pass through each other; nothing if they were not counted.
    pub(super) crossing_faces: Option<u64>,
    /// Pairs of faces that only touch.
    pub(super) touching_faces: Option<u64>,
    /// The crossing faces one by one, where they were asked for.
    pub(super) meetings: Vec<Meeting>,
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

/// Ask everything about one pair.
pub(super) fn compare(bodies: &[Body], candidate: &Candidate, question: &Question) -> Finding {
    let &Candidate { a, b, margin } = candidate;
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
        margin,
        verdict: Verdict::Undecided,
        guarantee: Guarantee::Undecided,
        crossing_faces: None,
        touching_faces: None,
        meetings: Vec::new(),
        gap,
        place: gap.witness.map(|witness| witness.on_a.midpoint(witness.on_b)),
        faces: gap.witness.map(|witness| user_faces(&pair, witness.triangle_a, witness.triangle_b)),
    };
    match relation {
        Some(Relation::Apart) => finding.verdict = against_margin(&pair, &gap, margin, &budget),
        Some(Relation::Inside) => finding.set_inside(&pair, &mut scratch),
        Some(meets @ (Relation::Touching | Relation::Crossing)) => {
            finding.set_meeting(&pair, meets, question, budget);
        }
        None => {}
    }
    finding.guarantee = guarantee(finding.verdict, &bodies[a], &bodies[b]);
    finding
}

fn guarantee(verdict: Verdict, a: &Body, b: &Body) -> Guarantee {
    let solid = a.is_solid() || b.is_solid();
    let holed = [a, b].iter().any(|body| body.is_solid() && body.flaw.is_some());
    match verdict {
        Verdict::Undecided => Guarantee::Undecided,
        // Faces that pass through each other do so whatever is inside.
        Verdict::Crossing => Guarantee::Exact,
        _ if holed => Guarantee::Approximate,
        Verdict::Touching if solid => Guarantee::Conservative,
        _ => Guarantee::Exact,
    }
}

impl Finding {
    fn set_meeting(
        &mut self,
        pair: &[Placed<'_>; 2],
        relation: Relation,
        question: &Question,
        budget: Budget<'_>,
    ) {
        let crossing = relation == Relation::Crossing;
        self.verdict = if crossing { Verdict::Crossing } else { Verdict::Touching };
        let mut scratch = Scratch::default();
        if question.count {
            let mut tally = Tally::default();
            let query = CrossingsQuery { touching: true, segments: false, budget };
            if crossings_in(&pair[0], &pair[1], &query, &mut scratch, &mut tally) {
                (self.crossing_faces, self.touching_faces) = (Some(tally.crossing), Some(tally.touching));
            }
        }
        if crossing && question.keep > 0 {
            let mut few = Few { most: question.keep, found: Vec::new() };
            let query = CrossingsQuery { touching: false, segments: true, budget };
            crossings_in(&pair[0], &pair[1], &query, &mut scratch, &mut few);
            self.meetings = few.found.iter().filter_map(|crossing| meeting(pair, crossing)).collect();
        }
        if question.place {
            // Where they cross matters more than where they also touch.
            let first = self.meetings.first().copied().or_else(|| {
                first_meeting(pair, crossing, budget, &mut scratch)
                    .or_else(|| first_meeting(pair, false, budget, &mut scratch))
            });
            self.place = first.map(|first| first.segment.start.midpoint(first.segment.end));
            self.faces = first.map(|first| first.faces);
        }
    }

    fn set_inside(&mut self, [a, b]: &[Placed<'_>; 2], scratch: &mut Scratch) {
        self.verdict = Verdict::Inside;
        (self.crossing_faces, self.touching_faces) = (Some(0), Some(0));
        self.place = point_inside(a, b, scratch).or_else(|| point_inside(b, a, scratch));
    }
}

fn meeting(pair: &[Placed<'_>; 2], crossing: &Crossing) -> Option<Meeting> {
    let faces = user_faces(pair, crossing.triangle_a, crossing.triangle_b);
    Some(Meeting { faces, segment: crossing.segment? })
}

/// Some faces that meet: that cross, if asked so.
fn first_meeting(
    pair: &[Placed<'_>; 2],
    crossing: bool,
    budget: Budget<'_>,
    scratch: &mut Scratch,
) -> Option<Meeting> {
    let mut first = First::default();
    let query = CrossingsQuery { touching: !crossing, segments: true, budget };
    crossings_in(&pair[0], &pair[1], &query, scratch, &mut first);
    meeting(pair, &first.0?)
}

/// Keeps so many, at least one.
struct Few {
    most: usize,
    found: Vec<Crossing>,
}

impl Sink for Few {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        self.found.push(*crossing);
        if self.found.len() < self.most { Next::Continue } else { Next::Stop }
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
fn against_margin(pair: &[Placed<'_>; 2], gap: &Clearance, margin: f64, budget: &Budget<'_>) -> Verdict {
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
