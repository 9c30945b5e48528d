//! Motions of bodies decided on their curved surfaces.
//!
//! Pairs of a solid with curved surfaces and another one whose surfaces are known, curved or those of a mesh, are followed on
//! these ([`noli_brep::time_of_impact`]). If the budget does not suffice for one, its triangles prove it collision-free if
//! they keep farther from each other than their error. All other pairs are decided on triangles.

use super::impact::ImpactReport;
use super::pair::Trust;
use super::tessellation::TessellationReport;
use crate::stage::scene::Staged;
use crate::stage::surfaces::Surfaces;
use noli::answer::{Bracket, SurfacePoint, TimeOfImpact, Touch, Witness};
use noli::motion::Motion;
use noli::query::ClearanceQuery;
use noli::world::{AfterStart, Answer, BodyId, PairInMotion, PairTestMode, StepPolicy};
use noli::{Clearance, Guarantee, Impact, Placed, World};
use noli_brep::{Options, time_of_impact};
use noli_formats::CurvedBody;
use noli_geom::{Pose, Relation, Sphere};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Refinements of one distance: about a tenth of a second. A motion may take ten times as many.
const BUDGET: usize = 100_000;

/// The bodies of a scene whose surfaces are known, as the policy of a step.
#[derive(Debug, Default)]
pub struct CurvedMotion {
    surfaces: Surfaces,
    /// Uncertainties of the triangles of bodies that have one.
    errors: HashMap<BodyId, f64>,
    tested: Mutex<Tested>,
}

/// Pairs that were tested.
#[derive(Debug, Default)]
struct Tested {
    /// Those whose last test the surfaces decided.
    curved: HashSet<[BodyId; 2]>,
    /// Those of which some test was one of triangles with an error.
    tessellated: HashSet<[BodyId; 2]>,
}

/// Outcome of a test on surfaces.
struct Found {
    impact: Impact<Touch>,
    after_start: Option<AfterStart>,
}

impl Staged {
    /// Returns the policy of steps that decide pairs on curved surfaces where these are known.
    pub fn curved_motion(&self) -> CurvedMotion {
        let errors = self.bodies.iter().map(|body| (body.id, body.origin.uncertainty));
        CurvedMotion {
            surfaces: Surfaces::new(self, false),
            errors: errors.filter(|(_, error)| *error > 0.0).collect(),
            tested: Mutex::default(),
        }
    }
}

impl CurvedMotion {
    /// Returns the report of a pair with the guarantee of its surfaces or triangles; `None` for a pair that is free.
    pub fn impact(&self, world: &World, answer: &Answer) -> Option<ImpactReport> {
        let report = ImpactReport::new(world, answer)?;
        Some(ImpactReport { guarantee: self.trust(answer.pair, answer.guarantee), ..report })
    }

    /// Guarantee of the last answer about a pair: that of its surfaces, or of its triangles if these have an error.
    fn trust(&self, pair: [BodyId; 2], guarantee: Guarantee) -> Trust {
        if self.tested().curved.contains(&pair) {
            Trust::Curved
        } else if self.error(pair) > 0.0 {
            Trust::Tessellated
        } else {
            guarantee.into()
        }
    }

    /// Returns the bodies of pairs that were decided on triangles in place of their surfaces; `None` if there are none.
    pub fn tessellation(&self) -> Option<TessellationReport> {
        let tested = self.tested();
        let bodies: HashMap<BodyId, f64> =
            tested.tessellated.iter().flatten().filter_map(|id| Some((*id, *self.errors.get(id)?))).collect();
        let error = bodies.values().copied().reduce(f64::max)?;
        Some(TessellationReport { bodies: bodies.len(), error })
    }

    fn tested(&self) -> MutexGuard<'_, Tested> {
        self.tested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records who decides a pair.
    fn record(&self, pair: [BodyId; 2], is_curved: bool) {
        if is_curved {
            self.tested().curved.insert(pair);
        } else if self.error(pair) > 0.0 {
            let mut tested = self.tested();
            tested.curved.remove(&pair);
            tested.tessellated.insert(pair);
        }
    }

    /// The relation of two bodies at poses of theirs on their surfaces; `None` if these are not known or do not decide it.
    pub fn relation(&self, pair: [BodyId; 2], poses: [Pose; 2]) -> Option<noli::Relation> {
        let [a, b] = self.surfaces.both(pair)?;
        let [pose_a, pose_b] = [(a, poses[0]), (b, poses[1])].map(|(body, pose)| part_pose(body, pose));
        let options = Options { budget: BUDGET, ..Options::default() };
        let found = noli_brep::relation(&a.body, &b.body, &pose_a, &pose_b, &options);
        found.is_certain.then_some(match found.relation {
            Relation::Separated => noli::Relation::Separated,
            Relation::Touching => noli::Relation::Touching,
            Relation::Intersecting => noli::Relation::Intersecting,
            Relation::Inside => noli::Relation::Inside,
        })
    }

    /// The bodies whose surfaces are known.
    pub(super) fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn error(&self, pair: [BodyId; 2]) -> f64 {
        pair.iter().filter_map(|id| self.errors.get(id)).sum()
    }
}

impl StepPolicy for CurvedMotion {
    fn reach(&self) -> f64 {
        let mut errors: Vec<f64> = self.errors.values().copied().collect();
        errors.sort_by(|x, y| y.total_cmp(x));
        errors.iter().take(2).sum()
    }

    fn clearance(&self, ids: [BodyId; 2], [a, b]: [&Placed<'_>; 2], query: &ClearanceQuery) -> Clearance {
        let error = self.error(ids);
        let wider = ClearanceQuery { max_distance: query.max_distance + error, ..*query };
        let by_models = PairTestMode::Dynamic.clearance(ids, [a, b], &wider);
        let Bracket { at_least, at_most } = by_models.distance;
        if error == 0.0 || at_least > wider.max_distance {
            return by_models;
        }
        let curved = self.surfaces.both(ids);
        let curved = curved.and_then(|both| surface_clearance(both, [a.world_from_self, b.world_from_self]));
        self.record(ids, curved.is_some());
        curved.unwrap_or_else(|| {
            let distance = Bracket { at_least: (at_least - error).max(0.0), at_most: at_most + error };
            Clearance { distance, ..by_models }
        })
    }

    fn test(&self, pair: &mut dyn PairInMotion) -> Impact<Touch> {
        let ids = pair.bodies();
        let Some(bodies) = self.surfaces.both(ids) else {
            self.record(ids, false);
            return pair.over_time();
        };
        let mut safe_until = pair.safe_until();
        if pair.budget().meter().step() {
            let found = follow(bodies, pair.motions(), pair.margin());
            let is_decided = !matches!(found.impact, Impact::Unknown { .. });
            self.record(ids, is_decided);
            if let Some(after) = found.after_start {
                pair.set_after_start(after);
            }
            if is_decided {
                return found.impact;
            }
            safe_until = safe_until.max(found.impact.safe_until());
        }
        match pair.over_time_within(pair.margin() + self.error(ids)) {
            Impact::Free => Impact::Free,
            Impact::AtStart(_) => Impact::Unknown { safe_until },
            Impact::At { time, .. } => Impact::Unknown { safe_until: safe_until.max(time.safe_until) },
            Impact::Unknown { safe_until: other } => Impact::Unknown { safe_until: safe_until.max(other) },
        }
    }
}

/// Width of the bracket of a clearance, relative to the size of the bodies.
const PRECISION: f64 = 1e-7;

/// The clearance of two bodies at poses of theirs on their surfaces; `None` if these do not decide it.
fn surface_clearance([a, b]: [&CurvedBody; 2], poses: [Pose; 2]) -> Option<Clearance> {
    let [pose_a, pose_b] = [part_pose(a, poses[0]), part_pose(b, poses[1])];
    let size = a.body.size().max(b.body.size());
    let options = Options { precision: Some(PRECISION * size), budget: BUDGET, ..Options::default() };
    let found = noli_brep::relation(&a.body, &b.body, &pose_a, &pose_b, &options);
    if !found.is_certain {
        return None;
    }
    let unit = a.millimetre;
    let distance = match found.relation {
        Relation::Separated => {
            Bracket { at_least: found.clearance.at_least * unit, at_most: found.clearance.at_most * unit }
        }
        _ => Bracket::ZERO,
    };
    let place = |point| SurfacePoint { point: point * unit, feature: None, part: None };
    let witness = found.points.map(|[p, q]| Witness { on_a: place(p), on_b: place(q) });
    Some(Clearance { distance, witness, guarantee: Guarantee::Conservative })
}

/// Follows two bodies on their surfaces. Those that begin closer than the margin are followed until they touch.
fn follow(bodies: [&CurvedBody; 2], motions: [&dyn Motion; 2], margin: f64) -> Found {
    let [a, b] = bodies;
    let (of_a, of_b) =
        (PartMotion { motion: motions[0], body: a }, PartMotion { motion: motions[1], body: b });
    let unit = a.millimetre;
    let search = |margin: f64| {
        let options = Options { budget: BUDGET, ..Options::default() };
        time_of_impact(&a.body, &b.body, [&of_a, &of_b], margin / unit, &options)
    };
    let touch = |found: &noli_brep::Impact| {
        let points = found.points.map(|points| points.map(|point| point * unit));
        let place = |point| SurfacePoint { point, feature: None, part: None };
        Touch {
            witness: points.map(|[p, q]| Witness { on_a: place(p), on_b: place(q) }),
            normal: points.and_then(|[p, q]| (q - p).try_normalize()),
            proven: matches!(found.at_start, Some(Relation::Intersecting | Relation::Inside)),
            guarantee: Guarantee::Conservative,
        }
    };
    let decided = |impact| Found { impact, after_start: None };
    let first = search(margin);
    let is_close = first.touching_by == Some(0.0) && margin > 0.0;
    let found = match first.at_start {
        None => return decided(Impact::Unknown { safe_until: 0.0 }),
        Some(Relation::Intersecting | Relation::Inside) => {
            return Found { impact: Impact::AtStart(touch(&first)), after_start: Some(AfterStart::Within) };
        }
        Some(Relation::Separated | Relation::Touching) if is_close => search(0.0),
        Some(Relation::Separated | Relation::Touching) => first,
    };
    let touches = found.at_start == Some(Relation::Touching);
    let slides = touches.then_some(AfterStart::Slides);
    match found.touching_by {
        None if found.safe_until >= 1.0 && (touches || is_close) => {
            Found { impact: Impact::AtStart(touch(&first)), after_start: slides }
        }
        None if found.safe_until >= 1.0 => decided(Impact::Free),
        None => decided(Impact::Unknown { safe_until: found.safe_until }),
        Some(touching_by) => {
            let time = TimeOfImpact { safe_until: found.safe_until, touching_by };
            let after_start = touches.then_some(AfterStart::Unproven);
            Found { impact: Impact::At { time, touch: touch(&found) }, after_start }
        }
    }
}

/// The pose of a part in millimetres, from that of its body.
fn part_pose(body: &CurvedBody, pose: Pose) -> Pose {
    let translation =
        if body.millimetre == 1.0 { pose.translation } else { pose.translation / body.millimetre };
    Pose { translation, ..pose } * body.pose
}

/// The motion of a part in millimetres, from that of its body.
#[derive(Debug)]
struct PartMotion<'m> {
    motion: &'m dyn Motion,
    body: &'m CurvedBody,
}

/// Rounding of a pose that is composed and scaled, relative to the distance of points from the origin.
const ROUNDING: f64 = 1.0 / (1u64 << 47) as f64;

impl PartMotion<'_> {
    /// A bound in the frame of the part, from that of the body with the same sphere.
    fn scaled(&self, sphere: &Sphere, times: [f64; 2], bound: impl Fn(&Sphere) -> f64) -> f64 {
        let CurvedBody { pose, millimetre, .. } = self.body;
        let center = pose.transform_point(sphere.center) * *millimetre;
        let room = 1.0 + ROUNDING;
        let radius = sphere.radius * millimetre * room + ROUNDING * center.length();
        let found = bound(&Sphere { center, radius });
        if found == 0.0 {
            return 0.0;
        }
        let far = times.map(|t| self.motion.pose(t).translation.length()).into_iter().fold(0.0, f64::max);
        (found * room + ROUNDING * (far + center.length() + radius + found)) / millimetre
    }
}

impl Motion for PartMotion<'_> {
    fn pose(&self, t: f64) -> Pose {
        part_pose(self.body, self.motion.pose(t))
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.scaled(sphere, [t0, t1], |sphere| self.motion.travel(sphere, t0, t1))
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.scaled(sphere, [t0, t1], |sphere| self.motion.chord_deviation(sphere, t0, t1))
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.motion.next_bend(t)
    }
}
