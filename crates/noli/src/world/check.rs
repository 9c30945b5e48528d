//! Static check of all pairs of bodies of a world.
//!
//! `bodies → pairs enabled by the rules → pairs whose boxes are within their margin → one finding each`. All
//! queries to the pair tests are made in this file.

use super::body::{Body, BodyId};
use super::findings::{CheckResult, FaceIntersection, Finding, PairStatus};
use super::rules::ordered;
use super::{World, WorldError};
use crate::answer::{
    Bracket, Clearance, Completeness, First, Guarantee, Intersection, Location, Next, Overlap, Penetration,
    Relation, Sink, Verdict,
};
use crate::broad::BroadPhase;
use crate::budget::Budget;
use crate::context::{QueryContext, with_context};
use crate::model::Placed;
use crate::parallel;
use crate::penetration::{self, PenetrationQuery, VolumeQuery};
use crate::query::{ClearanceQuery, IntersectionsQuery};
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::{Aabb, Mesh, MeshKind, Pose, RelativePose};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Options of [`World::check`].
#[derive(Clone, Copy)]
pub struct CheckOptions<'a> {
    /// Tests every enabled pair at any distance. Otherwise pairs whose boxes are separated by more than the
    /// margin are only counted.
    pub far: bool,
    /// Counts the intersecting faces.
    pub count: bool,
    /// Reports where bodies collide.
    pub place: bool,
    /// Number of intersecting face pairs that are kept for each pair of bodies.
    pub keep: usize,
    /// Reports the penetration depth of colliding bodies.
    pub depth: bool,
    /// Reports the shortest separating translation of bodies that share volume. If there are many such pairs,
    /// each gets fewer evaluations.
    pub penetration: Option<PenetrationQuery>,
    /// Reports the common volume; likewise.
    pub volume: Option<VolumeQuery>,
    /// Clearances beyond this need no exact answer.
    pub max_clearance: f64,
    /// Limits on each question about a pair; a deadline or a flag ends the whole check. Pairs that it does
    /// not suffice for are undecided.
    pub budget: Budget<'a>,
    /// Progress callback: receives for every pair the number of pairs begun and the total. Called by all threads.
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
            max_clearance: f64::INFINITY,
            budget: Budget::UNLIMITED,
            progress: None,
        }
    }
}

impl std::fmt::Debug for CheckOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { far, count, place, keep, depth, penetration, volume, max_clearance, budget, progress: _ } =
            self;
        let mut text = f.debug_struct("CheckOptions");
        text.field("far", far).field("count", count).field("place", place).field("keep", keep);
        text.field("depth", depth).field("penetration", penetration).field("volume", volume);
        text.field("max_clearance", max_clearance).field("budget", budget).finish_non_exhaustive()
    }
}

/// Number of pairs with common volume up to which each is measured with all requested evaluations.
const FULL_LOOKS: u64 = 200;

/// A pair that is worth a question.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    pair: [BodyId; 2],
    margin: f64,
}

impl World {
    /// Checks all pairs enabled by the rules at their current poses. No pair within its margin is missed.
    ///
    /// ```
    /// use noli::world::{CheckOptions, PairStatus};
    /// use noli::{Convex, Model, Pose, World};
    /// let sphere = Model::from(Convex::sphere(1.0)?);
    /// let mut world = World::default();
    /// for (name, x) in [("left", 0.0), ("middle", 1.5), ("right", 4.0)] {
    ///     world.add(name, &sphere, Pose::from_translation(glam::DVec3::X * x))?;
    /// }
    /// world.rules_mut().set_default_margin(0.6);
    /// let result = world.check(&CheckOptions::default())?;
    /// assert_eq!((result.pairs, result.separated_by_boxes()), (3, 1));
    /// assert_eq!(result.findings[0].status, PairStatus::Intersecting);
    /// assert_eq!(result.findings[1].status, PairStatus::Closer); // 0.5 between the middle and the right one
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
            Ok(with_context(|context| pair.compare(options, context)))
        };
        let findings = parallel::map_few(&candidates, compare);
        let mut findings = findings.into_iter().collect::<Result<Vec<Finding>, WorldError>>()?;
        self.measure(&mut findings, options)?;
        sort_by(&mut findings, Finding::by_severity);
        Ok(CheckResult { pairs: self.pair_count(), findings })
    }

    /// Measures the penetration and common volume of colliding bodies.
    fn measure(&self, findings: &mut [Finding], options: &CheckOptions<'_>) -> Result<(), WorldError> {
        if options.penetration.is_none() && options.volume.is_none() {
            return Ok(());
        }
        let sharing = |status| matches!(status, PairStatus::Intersecting | PairStatus::Inside);
        let meeting: Vec<(usize, [BodyId; 2], PairStatus)> = findings
            .iter()
            .enumerate()
            .filter(|(_, finding)| finding.status.meets())
            .map(|(number, finding)| (number, finding.pair, finding.status))
            .collect();
        let count = meeting.iter().filter(|(_, _, status)| sharing(*status)).count() as u64;
        // The first pairs of a report are worth a look of their own, thousands of them only a glance.
        let looks = |looks: u64| looks.min((looks.saturating_mul(FULL_LOOKS) / count.max(1)).max(looks / 8));
        let depth = options.penetration.map(|query| PenetrationQuery { looks: looks(query.looks), ..query });
        let volume = options.volume.map(|query| VolumeQuery { looks: looks(query.looks), ..query });
        let measure = |(_, pair, status): &(usize, [BodyId; 2], PairStatus)| {
            let [a, b] = self.pair(*pair)?.map(|(_, body)| placed(body));
            let solid = penetration::both_solid(&a, &b);
            if !sharing(*status) {
                // Solids that touch share no volume; what it takes to part surfaces is not known.
                return Ok((
                    depth.filter(|_| solid).map(|_| Penetration::NONE),
                    volume.filter(|_| solid).map(|_| Bracket::ZERO),
                ));
            }
            Ok(with_context(|context| {
                let depth = depth.map(|query| {
                    penetration::depth_of_overlapping(
                        &a,
                        &b,
                        &query,
                        &mut context.reborrow().with_budget(options.budget),
                    )
                });
                let volume = volume.filter(|_| solid).map(|query| {
                    penetration::volume_of_overlapping(
                        &a,
                        &b,
                        &query,
                        &mut context.reborrow().with_budget(options.budget),
                    )
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

    /// Returns all pairs enabled by the rules.
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

    /// Returns the enabled pairs whose boxes are within their margin, in order. Boxes are rounded outward, so no
    /// pair of bodies within its margin is lost.
    fn near_pairs(&self) -> Result<Vec<Candidate>, WorldError> {
        let ids: Vec<BodyId> = self.bodies().map(|(id, _)| id).collect();
        let boxes = parallel::map_few(&ids, |&id| Ok((id.index, self.body(id)?.bounds())));
        let boxes = boxes.into_iter().collect::<Result<HashMap<u32, Aabb>, WorldError>>()?;
        let widest = half(self.rules.largest_margin());
        let mut broad = BroadPhase::new(self.method());
        broad.set_all(ids.iter().map(|id| (id.index, boxes[&id.index].expanded(widest))));
        broad.update();
        let asked = |(a, b): (u32, u32)| {
            let pair = ordered(self.at(a)?.0, self.at(b)?.0);
            let margin = self.asked_margin(pair)?;
            let near = boxes[&a].expanded(half(margin)).overlaps(&boxes[&b].expanded(half(margin)));
            near.then_some(Candidate { pair, margin })
        };
        Ok(broad.pairs().filter_map(asked).collect())
    }

    /// Finds the solids whose meshes do not bound one, by number of the body; each mesh is tested once.
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
    /// Returns a world box that contains the body at its current pose, rounding included. It encloses the
    /// transformed vertices of a mesh, and is therefore tighter than the box of a rotated box.
    pub fn bounds(&self) -> Aabb {
        let Some(mesh) = self.model.mesh() else { return self.model.aabb().transformed(&self.pose()) };
        let own = mesh.aabb();
        let reach = own.min.abs().max(own.max.abs()).max_element();
        let world_from_self = RelativePose::new(&Pose::IDENTITY, &self.pose());
        let used = mesh.triangles().iter().flatten().map(|&vertex| mesh.vertices()[vertex as usize]);
        let rounded = Aabb::from_points(used.map(|vertex| world_from_self.transform_point(vertex)));
        rounded.expanded(world_from_self.point_error(reach))
    }
}

/// Two bodies that are compared.
struct Pair<'w> {
    candidate: &'w Candidate,
    bodies: [&'w Body; 2],
    placed: [Placed<'w>; 2],
    /// `true` if one is used as a solid that it does not bound.
    is_holed: bool,
}

impl Pair<'_> {
    /// Runs all queries for one pair.
    fn compare(&self, options: &CheckOptions<'_>, context: &mut QueryContext<'_>) -> Finding {
        let mut finding = Finding {
            pair: self.candidate.pair,
            margin: self.candidate.margin,
            status: PairStatus::Undecided,
            containment: Verdict::Free,
            guarantee: Guarantee::Exact,
            clearance: Clearance::UNKNOWN,
            intersecting_faces: None,
            touching_faces: None,
            intersections: Vec::new(),
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
        let relation = context.reborrow().with_budget(budget).relation(a, b);
        if relation.overlap() == Overlap::Hit {
            finding.clearance = Clearance::NONE;
        } else {
            let query = ClearanceQuery { max_distance: options.max_clearance, ..Default::default() };
            finding.clearance = context.reborrow().with_budget(budget).clearance(a, b, &query);
        }
        if let Some(witness) = finding.clearance.witness {
            finding.place = Some(witness.on_a.point.midpoint(witness.on_b.point));
            let faces = witness.on_a.face().zip(witness.on_b.face());
            finding.faces = faces.map(|(a, b)| [a, b]);
        }
        finding.status = match relation {
            Relation::Unknown => PairStatus::Undecided,
            Relation::Separated => self.against_margin(&finding.clearance, budget, context),
            Relation::Inside => PairStatus::Inside,
            Relation::Touching => PairStatus::Touching,
            Relation::Intersecting => PairStatus::Intersecting,
        };
        if finding.status.meets() {
            self.say_where(&mut finding, options, context);
        }
        finding.guarantee = self.guarantee(finding.status);
        finding
    }

    /// Returns `true` if both consist of distinguishable faces.
    fn has_faces(&self) -> bool {
        self.bodies.iter().all(|body| body.model.mesh().is_some())
    }

    fn guarantee(&self, status: PairStatus) -> Guarantee {
        let [a, b] = self.bodies.map(|body| &body.model);
        let own = a.guarantee(b);
        match status {
            // Faces that pass through each other do so whatever is inside; and nothing is said of what is
            // undecided.
            PairStatus::Intersecting | PairStatus::Undecided => own,
            _ if self.is_holed => Guarantee::Approximate,
            _ => own,
        }
    }

    /// Returns the status of separated bodies.
    fn against_margin(
        &self,
        clearance: &Clearance,
        budget: Budget<'_>,
        context: &mut QueryContext<'_>,
    ) -> PairStatus {
        let (margin, [a, b], gap) = (self.candidate.margin, &self.placed, clearance.distance);
        // The bracket decides unless the margin lies within it.
        if gap.at_least > margin {
            return PairStatus::Separated;
        }
        if gap.at_most <= margin {
            return PairStatus::Closer;
        }
        match context.reborrow().with_budget(budget).within_distance(a, b, margin) {
            Overlap::Hit => PairStatus::Closer,
            Overlap::Free => PairStatus::Separated,
            Overlap::Unknown => PairStatus::Undecided,
        }
    }

    /// Computes where bodies collide, and how much.
    fn say_where(&self, finding: &mut Finding, options: &CheckOptions<'_>, context: &mut QueryContext<'_>) {
        let [a, b] = &self.placed;
        if options.depth || !self.has_faces() {
            finding.contact = context.reborrow().with_budget(options.budget).contact(a, b).hit();
        }
        if finding.status == PairStatus::Inside {
            finding.containment = context.reborrow().with_budget(options.budget).containment(a, b);
        }
        if !self.has_faces() {
            // There are no faces to count.
            finding.place = finding.contact.map(|contact| contact.on_a.point.midpoint(contact.on_b.point));
        } else if finding.status == PairStatus::Inside {
            self.list_faces(finding, options, context);
            finding.place = finding.place.or_else(|| point_inside(a, b, options.budget, context));
            finding.place = finding.place.or_else(|| point_inside(b, a, options.budget, context));
            if finding.place.is_none() {
                // What is inside a mesh with holes depends on the ray: then by the hulls.
                let asked = || context.reborrow().with_budget(options.budget).contact(a, b).hit();
                let contact = finding.contact.or_else(asked);
                finding.place = contact.map(|contact| contact.on_a.point.midpoint(contact.on_b.point));
            }
        } else {
            self.list_faces(finding, options, context);
        }
    }

    /// Lists the intersecting faces.
    fn list_faces(&self, finding: &mut Finding, options: &CheckOptions<'_>, context: &mut QueryContext<'_>) {
        let ([a, b], budget) = (&self.placed, options.budget);
        let intersection = finding.status == PairStatus::Intersecting;
        if options.count {
            let found = context.reborrow().with_budget(budget).count_intersections(a, b, u64::MAX);
            if found.completeness != Completeness::Partial {
                finding.intersecting_faces = Some(found.intersecting);
                finding.touching_faces = Some(found.touching);
            }
        }
        if intersection && options.keep > 0 {
            let mut few = Few { most: options.keep, found: Vec::new() };
            let query = IntersectionsQuery { touching: false, segments: true };
            // Those that are found within the budget are kept.
            let _ = context.reborrow().with_budget(budget).intersections(a, b, &query, &mut few);
            finding.intersections =
                few.found.iter().filter_map(|intersection| self.intersection(intersection)).collect();
        }
        if options.place {
            // Where they cross matters more than where they also touch.
            let first = finding.intersections.first().copied();
            let first = first.or_else(|| self.first(intersection, budget, context));
            let first = first.or_else(|| self.first(false, budget, context));
            finding.place = first.map(|first| first.segment.start.midpoint(first.segment.end));
            finding.faces = first.map(|first| first.faces);
        }
    }

    /// Returns one pair of touching or intersecting faces, or only intersecting.
    fn first(
        &self,
        intersecting: bool,
        budget: Budget<'_>,
        context: &mut QueryContext<'_>,
    ) -> Option<FaceIntersection> {
        let ([a, b], mut first) = (&self.placed, First::default());
        let query = IntersectionsQuery { touching: !intersecting, segments: true };
        // Whatever the budget leaves open, the first is found or it is not.
        let _ = context.reborrow().with_budget(budget).intersections(a, b, &query, &mut first);
        self.intersection(&first.0?)
    }

    fn intersection(&self, intersection: &Intersection) -> Option<FaceIntersection> {
        let [a, b] = self.bodies.map(|body| body.model.mesh());
        let faces = [a?.user_face(intersection.triangle_a), b?.user_face(intersection.triangle_b)];
        Some(FaceIntersection { faces, segment: intersection.segment? })
    }
}

/// Keeps so many, at least one.
struct Few {
    most: usize,
    found: Vec<Intersection>,
}

impl Sink for Few {
    fn hit(&mut self, intersection: &Intersection) -> Next {
        self.found.push(*intersection);
        if self.found.len() < self.most { Next::Continue } else { Next::Stop }
    }
}

/// Returns a vertex of `inner` that `outer` winds around. Surfaces that do not intersect are inside component
/// by component, so one vertex of each component is enough.
fn point_inside(
    inner: &Placed<'_>,
    outer: &Placed<'_>,
    budget: Budget<'_>,
    context: &mut QueryContext<'_>,
) -> Option<DVec3> {
    let mesh: &Mesh = inner.model.mesh()?;
    let firsts = mesh.adjacency().parts().first_triangles();
    let vertices = firsts.iter().map(|&triangle| mesh.triangle(triangle).vertices[0]);
    let mut points = vertices.map(|vertex| inner.world_from_self.transform_point(vertex));
    let mut context = context.reborrow().with_budget(budget);
    points.find(|&point| context.locate_point(outer, point) == Location::Inside)
}
