//! How all bodies of a world stand to each other, where they rest.
//!
//! `bodies → pairs that the rules ask about → pairs whose boxes are within their margin → one finding each`.
//! Every question to the pair tests is asked in this file.

use super::body::{Body, BodyId};
use super::rules::ordered;
use super::{World, WorldError};
use crate::answer::{
    Bracket, Clearance, Contact, Coverage, Crossing, First, Guarantee, Location, Nesting, Next, Overlap,
    Penetration, Relation, Sink,
};
use crate::broad::BroadPhase;
use crate::budget::Budget;
use crate::context::{Ask, with_ask};
use crate::model::Placed;
use crate::parallel;
use crate::penetration::{self, DepthQuery, VolumeQuery};
use crate::query::{ClearanceQuery, CrossingsQuery};
use glam::DVec3;
use noli_geom::{Aabb, Mesh, MeshKind, Pose, Relation as FaceRelation, RelativePose, Segment};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How two bodies stand to each other, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Faces pass through each other, or solids reach into each other.
    Crossing,
    /// One lies in the other.
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

impl Standing {
    /// All of them, the worst first.
    pub const ALL: [Self; 6] =
        [Self::Crossing, Self::Inside, Self::Touching, Self::Closer, Self::Undecided, Self::Apart];

    /// Whether the bodies share a point.
    pub fn meets(self) -> bool {
        matches!(self, Self::Crossing | Self::Inside | Self::Touching)
    }
}

/// What [`World::check`] is to find out.
#[derive(Clone, Copy)]
pub struct CheckOptions<'a> {
    /// Ask about every pair that matters, however far apart. Otherwise pairs whose boxes are apart by more
    /// than the margin are only counted.
    pub far: bool,
    /// Count the faces that meet.
    pub count: bool,
    /// Say where bodies meet.
    pub place: bool,
    /// How many crossing faces of a pair are kept one by one.
    pub keep: usize,
    /// Say how deep bodies that meet reach into each other.
    pub depth: bool,
    /// Say how far bodies that share volume must be moved to come apart, and which way. Where many pairs do, each gets
    /// fewer looks.
    pub penetration: Option<DepthQuery>,
    /// Say how much volume they share; likewise.
    pub volume: Option<VolumeQuery>,
    /// Gaps beyond this need no exact answer.
    pub max_gap: f64,
    /// Limits on each question about a pair; a deadline or a flag ends the whole check. Pairs that it does
    /// not suffice for are undecided.
    pub budget: Budget<'a>,
    /// Told for every pair how many have been begun, and how many there are. Called by all threads.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

impl Default for CheckOptions<'_> {
    fn default() -> Self {
        Self {
            far: false,
            count: true,
            place: true,
            keep: 0,
            depth: false,
            penetration: None,
            volume: None,
            max_gap: f64::INFINITY,
            budget: Budget::UNLIMITED,
            progress: None,
        }
    }
}

impl std::fmt::Debug for CheckOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { far, count, place, keep, depth, penetration, volume, max_gap, budget, progress: _ } = self;
        let mut text = f.debug_struct("CheckOptions");
        text.field("far", far).field("count", count).field("place", place).field("keep", keep);
        text.field("depth", depth).field("penetration", penetration).field("volume", volume);
        text.field("max_gap", max_gap).field("budget", budget).finish_non_exhaustive()
    }
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckResult {
    /// How many pairs the rules ask about.
    pub pairs: usize,
    /// The pairs that were compared, the worst first. All others are further apart than their margin.
    pub findings: Vec<Finding>,
}

impl CheckResult {
    /// How many pairs are proven apart by their boxes alone.
    pub fn apart_by_boxes(&self) -> usize {
        self.pairs - self.findings.len()
    }

    /// How many of the pairs that were compared stand like this.
    pub fn count(&self, standing: Standing) -> usize {
        self.findings.iter().filter(|finding| finding.standing == standing).count()
    }
}

/// Two faces that pass through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceCrossing {
    /// The faces of A and B, by the user's numbers.
    pub faces: [u32; 2],
    /// Where they cross, in world coordinates, rounded.
    pub segment: Segment,
}

/// What was found out about a pair of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The bodies A and B, the smaller id first.
    pub pair: [BodyId; 2],
    /// How close they may come.
    pub margin: f64,
    /// How they stand to each other.
    pub standing: Standing,
    /// Which lies in which, of bodies that are inside; `None` if that is not known or none is.
    pub nesting: Option<Nesting>,
    /// How far that can be trusted. Of a mesh with holes that is taken as a solid it is approximate. The gap
    /// is always a proven bracket.
    pub guarantee: Guarantee,
    /// How far apart they are.
    pub clearance: Clearance,
    /// Pairs of triangles that pass through each other; `None` if they were not counted.
    pub crossing_faces: Option<u64>,
    /// Pairs of triangles that only touch; `None` if they were not counted.
    pub touching_faces: Option<u64>,
    /// The crossing faces one by one, as many as were asked for.
    pub crossings: Vec<FaceCrossing>,
    /// Where they meet and how deep, if that was asked for or is how the place was found.
    pub contact: Option<Contact>,
    /// How far they must be moved to share no volume, if that was asked for and they meet; nothing of surfaces that only
    /// touch.
    pub penetration: Option<Penetration>,
    /// How much volume they share, if that was asked for and they are solids that meet.
    pub volume: Option<Bracket>,
    /// A point where they meet or, of bodies apart, the middle of the gap.
    pub place: Option<DVec3>,
    /// The faces there, by the user's numbers.
    pub faces: Option<[u32; 2]>,
}

impl Finding {
    /// The worst first: what lies inside another or fills its space, then what crosses, each by how deep it is where that
    /// was measured and else by its crossing faces; then what touches and what is apart, by the gap; then the order of bodies.
    pub fn by_severity(&self, other: &Self) -> Ordering {
        let rank = |f: &Self| (f.standing != Standing::Inside, f.standing);
        let known = |depth: Bracket| if depth.at_most.is_finite() { depth.at_most } else { depth.at_least };
        let deep = |f: &Self| f.penetration.as_ref().map_or(0.0, |found| known(found.depth));
        let gap = |f: &Self| f.clearance.gap.at_least;
        rank(self)
            .cmp(&rank(other))
            .then(deep(other).total_cmp(&deep(self)))
            .then(other.crossing_faces.cmp(&self.crossing_faces))
            .then(gap(self).total_cmp(&gap(other)))
            .then(self.pair.cmp(&other.pair))
    }
}

/// So many pairs that share volume are measured with all the looks asked for.
const FULL_LOOKS: u64 = 200;

/// A pair that is worth a question.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    pair: [BodyId; 2],
    margin: f64,
}

impl World {
    /// How all bodies that the rules ask about stand to each other where they rest. No pair that is within
    /// its margin is missed.
    ///
    /// ```
    /// use noli::world::{CheckOptions, Standing};
    /// use noli::{Convex, Model, Pose, World};
    /// let ball = Model::from(Convex::sphere(1.0)?);
    /// let mut world = World::default();
    /// for (name, x) in [("left", 0.0), ("middle", 1.5), ("right", 4.0)] {
    ///     world.add(name, &ball, Pose::from_translation(glam::DVec3::X * x))?;
    /// }
    /// world.rules_mut().set_default_margin(0.6);
    /// let result = world.check(&CheckOptions::default())?;
    /// assert_eq!((result.pairs, result.apart_by_boxes()), (3, 1));
    /// assert_eq!(result.findings[0].standing, Standing::Crossing);
    /// assert_eq!(result.findings[1].standing, Standing::Closer); // 0.5 between the middle and the right one
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, options: &CheckOptions<'_>) -> Result<CheckResult, WorldError> {
        let candidates = if options.far { self.all_pairs() } else { self.near_pairs()? };
        let holed = self.holed(&candidates);
        let begun = AtomicUsize::new(0);
        let compare = |candidate: &Candidate| {
            if let Some(progress) = options.progress {
                progress(begun.fetch_add(1, Relaxed) + 1, candidates.len());
            }
            let bodies = self.pair(candidate.pair)?.map(|(_, body)| body);
            let is_holed = candidate.pair.iter().any(|id| holed.get(&id.index) == Some(&true));
            let pair = Pair { candidate, bodies, placed: bodies.map(placed), is_holed };
            Ok(with_ask(|ask| pair.compare(options, ask)))
        };
        let findings = parallel::map_few(&candidates, compare);
        let mut findings = findings.into_iter().collect::<Result<Vec<Finding>, WorldError>>()?;
        self.measure(&mut findings, options)?;
        findings.sort_by(Finding::by_severity);
        Ok(CheckResult { pairs: self.pair_count(), findings })
    }

    /// How far and how much the bodies that meet reach into each other.
    fn measure(&self, findings: &mut [Finding], options: &CheckOptions<'_>) -> Result<(), WorldError> {
        if options.penetration.is_none() && options.volume.is_none() {
            return Ok(());
        }
        let sharing = |standing| matches!(standing, Standing::Crossing | Standing::Inside);
        let meeting: Vec<(usize, [BodyId; 2], Standing)> = findings
            .iter()
            .enumerate()
            .filter(|(_, finding)| finding.standing.meets())
            .map(|(number, finding)| (number, finding.pair, finding.standing))
            .collect();
        let count = meeting.iter().filter(|(_, _, standing)| sharing(*standing)).count() as u64;
        // The first pairs of a report are worth a look of their own, thousands of them only a glance.
        let looks = |looks: u64| looks.min((looks.saturating_mul(FULL_LOOKS) / count.max(1)).max(looks / 8));
        let depth = options.penetration.map(|query| DepthQuery { looks: looks(query.looks), ..query });
        let volume = options.volume.map(|query| VolumeQuery { looks: looks(query.looks), ..query });
        let measure = |(_, pair, standing): &(usize, [BodyId; 2], Standing)| {
            let [a, b] = self.pair(*pair)?.map(|(_, body)| placed(body));
            let solid = penetration::both_solid(&a, &b);
            if !sharing(*standing) {
                // Solids that touch share no volume; what it takes to part surfaces is not known.
                return Ok((
                    depth.filter(|_| solid).map(|_| Penetration::NONE),
                    volume.filter(|_| solid).map(|_| Bracket::ZERO),
                ));
            }
            Ok(with_ask(|ask| {
                let depth = depth.map(|query| {
                    penetration::depth_of_overlapping(&a, &b, &query, &mut ask.anew().within(options.budget))
                });
                let volume = volume.filter(|_| solid).map(|query| {
                    penetration::volume_of_overlapping(&a, &b, &query, &mut ask.anew().within(options.budget))
                });
                (depth, volume)
            }))
        };
        let found = parallel::map_few(&meeting, measure);
        for ((number, _, _), found) in meeting.into_iter().zip(found) {
            (findings[number].penetration, findings[number].volume) = found?;
        }
        Ok(())
    }

    /// All pairs that the rules ask about.
    fn all_pairs(&self) -> Vec<Candidate> {
        let ids: Vec<BodyId> = self.bodies().map(|(id, _)| id).collect();
        let mut found = Vec::new();
        for (place, &a) in ids.iter().enumerate() {
            let asked = |&b: &BodyId| {
                let pair = ordered(a, b);
                Some(Candidate { pair, margin: self.asked_margin(pair)? })
            };
            found.extend(ids[place + 1..].iter().filter_map(asked));
        }
        found
    }

    /// The pairs that the rules ask about and whose boxes are at most their margin apart, in order. Boxes are
    /// rounded outward, so no pair of bodies that are at most their margin apart is lost.
    fn near_pairs(&self) -> Result<Vec<Candidate>, WorldError> {
        let ids: Vec<BodyId> = self.bodies().map(|(id, _)| id).collect();
        let boxes = parallel::map_few(&ids, |&id| Ok((id.index, self.body(id)?.bounds())));
        let boxes = boxes.into_iter().collect::<Result<HashMap<u32, Aabb>, WorldError>>()?;
        let widest = half(self.rules.largest_margin());
        let mut broad = BroadPhase::new(self.method());
        broad.set_all(ids.iter().map(|id| (id.index, boxes[&id.index].grown(widest))));
        broad.update();
        let asked = |(a, b): (u32, u32)| {
            let pair = ordered(self.at(a)?.0, self.at(b)?.0);
            let margin = self.asked_margin(pair)?;
            let near = boxes[&a].grown(half(margin)).overlaps(&boxes[&b].grown(half(margin)));
            near.then_some(Candidate { pair, margin })
        };
        Ok(broad.pairs().filter_map(asked).collect())
    }

    /// Which of the solids have meshes that do not bound one, by number of the body; each mesh is looked at
    /// once.
    fn holed(&self, candidates: &[Candidate]) -> HashMap<u32, bool> {
        let mut concerned: Vec<BodyId> = candidates.iter().flat_map(|candidate| candidate.pair).collect();
        concerned.sort_unstable();
        concerned.dedup();
        let (mut holed, mut unknown, mut meshes) = (HashMap::new(), Vec::new(), HashMap::new());
        for (id, body) in concerned.into_iter().filter_map(|id| Some((id, self.body(id).ok()?))) {
            match body.bounds_solid {
                Some(does) => drop(holed.insert(id.index, !does)),
                None => {
                    let Some(mesh) = body.model.mesh().filter(|mesh| mesh.kind() == MeshKind::Solid) else {
                        continue;
                    };
                    let key = (mesh.vertices().as_ptr(), mesh.triangles().as_ptr());
                    let new = meshes.len();
                    let number = *meshes.entry(key).or_insert((new, mesh));
                    unknown.push((id.index, number.0));
                }
            }
        }
        let mut meshes: Vec<_> = meshes.into_values().collect();
        meshes.sort_unstable_by_key(|(number, _)| *number);
        let flawed = parallel::map_few(&meshes, |(_, mesh)| mesh.report().flaw().is_some());
        holed.extend(unknown.into_iter().map(|(index, number)| (index, flawed[number])));
        holed
    }
}

/// Half of a margin for each box of a pair; rounded up, as half of the smallest number is zero.
fn half(margin: f64) -> f64 {
    if margin > 0.0 { (0.5 * margin).next_up() } else { 0.0 }
}

fn placed(body: &Body) -> Placed<'_> {
    body.model.at(body.pose())
}

impl Body {
    /// A box in the world that holds the body where it rests, rounding included. Around the corners of a mesh
    /// as they stand, and so tighter than the box of a turned box.
    pub fn bounds(&self) -> Aabb {
        let Some(mesh) = self.model.mesh() else { return self.model.aabb().moved(&self.pose()) };
        let own = mesh.aabb();
        let reach = own.min.abs().max(own.max.abs()).max_element();
        let world_from_self = RelativePose::new(&Pose::IDENTITY, &self.pose());
        let used = mesh.triangles().iter().flatten().map(|&vertex| mesh.vertices()[vertex as usize]);
        let rounded = Aabb::around(used.map(|vertex| world_from_self.transform_point(vertex)));
        rounded.grown(world_from_self.point_error(reach))
    }
}

/// Two bodies that are compared.
struct Pair<'w> {
    candidate: &'w Candidate,
    bodies: [&'w Body; 2],
    placed: [Placed<'w>; 2],
    /// Whether one is taken as a solid that it does not bound.
    is_holed: bool,
}

impl Pair<'_> {
    /// Ask everything about one pair.
    fn compare(&self, options: &CheckOptions<'_>, ask: &mut Ask<'_>) -> Finding {
        let mut finding = Finding {
            pair: self.candidate.pair,
            margin: self.candidate.margin,
            standing: Standing::Undecided,
            nesting: None,
            guarantee: Guarantee::Exact,
            clearance: Clearance::UNKNOWN,
            crossing_faces: None,
            touching_faces: None,
            crossings: Vec::new(),
            contact: None,
            penetration: None,
            volume: None,
            place: None,
            faces: None,
        };
        if options.budget.is_over() {
            return finding;
        }
        let ([a, b], budget) = (&self.placed, options.budget);
        let relation = ask.anew().within(budget).relation(a, b);
        if relation.overlap() == Overlap::Hit {
            finding.clearance = Clearance::NONE;
        } else {
            let query = ClearanceQuery { max_distance: options.max_gap, ..Default::default() };
            finding.clearance = ask.anew().within(budget).clearance(a, b, &query);
        }
        if let Some(witness) = finding.clearance.witness {
            finding.place = Some(witness.on_a.point.midpoint(witness.on_b.point));
            let faces = witness.on_a.face().zip(witness.on_b.face());
            finding.faces = faces.map(|(a, b)| [a, b]);
        }
        finding.standing = match relation {
            Relation::Unknown => Standing::Undecided,
            Relation::Apart => self.against_margin(&finding.clearance, budget, ask),
            Relation::Inside => Standing::Inside,
            Relation::Touching => Standing::Touching,
            Relation::Crossing => Standing::Crossing,
        };
        if finding.standing.meets() {
            self.say_where(&mut finding, options, ask);
        }
        finding.guarantee = self.guarantee(finding.standing);
        finding
    }

    /// Whether both consist of faces that can be told apart.
    fn has_faces(&self) -> bool {
        self.bodies.iter().all(|body| body.model.mesh().is_some())
    }

    fn guarantee(&self, standing: Standing) -> Guarantee {
        let [a, b] = self.bodies.map(|body| &body.model);
        let own = a.guarantee(b);
        match standing {
            // Faces that pass through each other do so whatever is inside; and nothing is said of what is
            // undecided.
            Standing::Crossing | Standing::Undecided => own,
            _ if self.is_holed => Guarantee::Approximate,
            _ => own,
        }
    }

    /// The verdict on bodies that are apart.
    fn against_margin(&self, clearance: &Clearance, budget: Budget<'_>, ask: &mut Ask<'_>) -> Standing {
        let (margin, [a, b], gap) = (self.candidate.margin, &self.placed, clearance.gap);
        // The bracket decides unless the margin lies within it.
        if gap.at_least > margin {
            return Standing::Apart;
        }
        if gap.at_most <= margin {
            return Standing::Closer;
        }
        match ask.anew().within(budget).closer_than(a, b, margin) {
            Overlap::Hit => Standing::Closer,
            Overlap::Free => Standing::Apart,
            Overlap::Unknown => Standing::Undecided,
        }
    }

    /// Where bodies meet, and how much.
    fn say_where(&self, finding: &mut Finding, options: &CheckOptions<'_>, ask: &mut Ask<'_>) {
        let [a, b] = &self.placed;
        if options.depth || !self.has_faces() {
            finding.contact = ask.anew().within(options.budget).contact(a, b).hit();
        }
        if finding.standing == Standing::Inside {
            finding.nesting = ask.anew().within(options.budget).nesting(a, b);
        }
        if !self.has_faces() {
            // There are no faces to count.
            finding.place = finding.contact.map(|contact| contact.on_a.point.midpoint(contact.on_b.point));
        } else if finding.standing == Standing::Inside {
            self.list_faces(finding, options, ask);
            finding.place = finding.place.or_else(|| point_inside(a, b, ask));
            finding.place = finding.place.or_else(|| point_inside(b, a, ask));
            if finding.place.is_none() {
                // What is inside a mesh with holes depends on the ray: then by the hulls.
                let asked = || ask.anew().within(options.budget).contact(a, b).hit();
                let contact = finding.contact.or_else(asked);
                finding.place = contact.map(|contact| contact.on_a.point.midpoint(contact.on_b.point));
            }
        } else {
            self.list_faces(finding, options, ask);
        }
    }

    /// Which faces meet.
    fn list_faces(&self, finding: &mut Finding, options: &CheckOptions<'_>, ask: &mut Ask<'_>) {
        let ([a, b], budget) = (&self.placed, options.budget);
        let crossing = finding.standing == Standing::Crossing;
        if options.count {
            let mut tally = Tally::default();
            let query = CrossingsQuery { touching: true, segments: false };
            if ask.anew().within(budget).crossings(a, b, &query, &mut tally) != Coverage::Part {
                finding.crossing_faces = Some(tally.crossing);
                finding.touching_faces = Some(tally.touching);
            }
        }
        if crossing && options.keep > 0 {
            let mut few = Few { most: options.keep, found: Vec::new() };
            let query = CrossingsQuery { touching: false, segments: true };
            // Those that are found within the budget are kept.
            let _ = ask.anew().within(budget).crossings(a, b, &query, &mut few);
            finding.crossings = few.found.iter().filter_map(|crossing| self.crossing(crossing)).collect();
        }
        if options.place {
            // Where they cross matters more than where they also touch.
            let first = finding.crossings.first().copied();
            let first = first.or_else(|| self.first(crossing, budget, ask));
            let first = first.or_else(|| self.first(false, budget, ask));
            finding.place = first.map(|first| first.segment.start.midpoint(first.segment.end));
            finding.faces = first.map(|first| first.faces);
        }
    }

    /// Some faces that meet: that cross, if asked so.
    fn first(&self, crossing: bool, budget: Budget<'_>, ask: &mut Ask<'_>) -> Option<FaceCrossing> {
        let ([a, b], mut first) = (&self.placed, First::default());
        let query = CrossingsQuery { touching: !crossing, segments: true };
        // Whatever the budget leaves open, the first is found or it is not.
        let _ = ask.anew().within(budget).crossings(a, b, &query, &mut first);
        self.crossing(&first.0?)
    }

    fn crossing(&self, crossing: &Crossing) -> Option<FaceCrossing> {
        let [a, b] = self.bodies.map(|body| body.model.mesh());
        let faces = [a?.user_face(crossing.triangle_a), b?.user_face(crossing.triangle_b)];
        Some(FaceCrossing { faces, segment: crossing.segment? })
    }
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
            FaceRelation::Crossing => self.crossing += 1,
            _ => self.touching += 1,
        }
        Next::Continue
    }
}

/// A vertex of `inner` that `outer` winds around. Surfaces that do not meet are inside part by part, so
/// one vertex of each part is enough.
fn point_inside(inner: &Placed<'_>, outer: &Placed<'_>, ask: &mut Ask<'_>) -> Option<DVec3> {
    let mesh: &Mesh = inner.model.mesh()?;
    let firsts = mesh.adjacency().parts().first_triangles();
    let corners = firsts.iter().map(|&triangle| mesh.triangle(triangle).corners[0]);
    let mut points = corners.map(|corner| inner.world_from_self.transform_point(corner));
    points.find(|&point| ask.anew().locate(outer, point) == Location::Inside)
}
