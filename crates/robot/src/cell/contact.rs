//! The first contact on a motion in joint space: straight, through configurations, or along a curve.
//!
//! Halves of the motion are tested in turn, the earlier first. In the middle of a segment, a pair that is
//! separated by more than both bodies travel from there is separated in all of it. The rest of a short
//! segment is put to [`noli::time_of_impact`] on the motions of the bodies.

use super::arm_motion::{ArmMotion, Motions, times};
use super::data::BodyPair;
use super::edge::EdgeError;
use super::filter::{Request, Scope, Stop};
use super::{Cell, Checker, MotionStatus};
use crate::JointCurve;
use noli::answer::{Impact, TimeOfImpact, Touch};
use noli::motion::{GroupMember, GroupMotion, Motion, Still};
use noli::query::{ImpactQuery, Tolerance};
use noli::{Budget, Pose, QueryContext};
use noli_geom::{Sphere, UNIT_ROUNDOFF};
use std::sync::Arc;

/// What touches first on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeTouch {
    /// The pair of [`Cell::pairs`].
    pub pair: usize,
    /// Where and how.
    pub touch: Touch,
}

/// The bodies of one robot on its way: its links, with what they carry at its place on them.
#[derive(Debug)]
struct BodyMotion {
    joints: Arc<dyn ArmMotion>,
    /// The robot's link and the place on it of each body.
    bodies: Vec<(usize, Pose)>,
}

impl BodyMotion {
    /// A sphere of a body as its link has it, and a bound on the rounding of the body's pose.
    fn on_link(&self, member: usize, sphere: &Sphere, t0: f64, path: f64) -> (Sphere, f64) {
        let (link, place) = &self.bodies[member];
        let center = place.transform_point(sphere.center);
        let reach = sphere.center.length() + sphere.radius + place.translation.length();
        let far = reach + path + self.joints.link_pose(*link, t0).translation.length();
        let error = 1024.0 * UNIT_ROUNDOFF * far + f64::MIN_POSITIVE;
        (Sphere { center, radius: sphere.radius + 64.0 * UNIT_ROUNDOFF * reach }, error)
    }
}

impl GroupMotion for BodyMotion {
    fn members(&self) -> usize {
        self.bodies.len()
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        let mut links = vec![Pose::IDENTITY; self.joints.members()];
        self.joints.poses(t, &mut links);
        for (out, (link, place)) in out.iter_mut().zip(&self.bodies) {
            *out = links[*link] * *place;
        }
    }

    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(member, sphere, t0, 0.0);
        let path = self.joints.travel(self.bodies[member].0, &on_link, t0, t1);
        path * (1.0 + 8.0 * UNIT_ROUNDOFF) + 2.0 * self.on_link(member, sphere, t0, path).1
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(member, sphere, t0, 0.0);
        let link = self.bodies[member].0;
        let off = self.joints.chord_deviation(link, &on_link, t0, t1);
        let path = self.joints.travel(link, &on_link, t0, t1);
        off * (1.0 + 8.0 * UNIT_ROUNDOFF) + 4.0 * self.on_link(member, sphere, t0, path).1
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.joints.next_bend(t)
    }
}

/// How often a segment is halved before the exact engine is used.
const HALVINGS: u32 = 4;

/// Steps of the exact search for all pairs in one segment: more than pairs of real bodies take, so that absurd
/// dimensions end the search without a verdict instead of never.
const EXACT_STEPS: u64 = 1_000_000;

/// The search for the first contact.
struct Search<'c> {
    cell: &'c Cell,
    all: Motions,
    /// One for each body.
    motions: Vec<Box<dyn Motion>>,
    /// Bounds on how far each body gets from the middle of a segment.
    travels: Vec<Option<f64>>,
    values: Vec<f64>,
    tolerance: Tolerance,
}

impl Checker<'_> {
    /// Whether all of the straight way in joint space is free, by proof, or what touches first.
    ///
    /// Times run from 0 at `from` to 1 at `to`. Pairs that pass within the engine's tolerance beyond their
    /// margin, a millionth of the larger body, count as touching.
    #[doc(alias("continuous collision", "checkMotion"))]
    pub fn first_contact_on_edge(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Impact<EdgeTouch>, EdgeError> {
        self.first_contact_on_path(&[from, to])
    }

    /// The same along a path through configurations, each stretch taking the same time.
    pub fn first_contact_on_path(
        &mut self,
        configurations: &[&[f64]],
    ) -> Result<Impact<EdgeTouch>, EdgeError> {
        let cell = self.cell;
        configurations.iter().try_for_each(|values| cell.check_values(values))?;
        // Most motions are collision-free, and that is quickly proven.
        let mut blocked = None;
        for (k, ends) in configurations.windows(2).enumerate() {
            if self.try_connect(ends[0], ends[1]) != Some(MotionStatus::Free) {
                blocked = Some(k);
                break;
            }
        }
        let Some(blocked) = blocked.or((configurations.len() < 2).then_some(0)) else {
            return Ok(Impact::Free);
        };
        let mut search = Search::new(cell, Motions::new(&cell.data, configurations)?);
        Ok(search.first_of(&times(configurations.len())[blocked..], self))
    }

    /// The first contact along a joint curve, as [`first_contact_on_edge`](Self::first_contact_on_edge) has it; times
    /// run from 0 at the start of the curve to 1 at its end.
    pub fn first_contact_on_curve(&mut self, curve: &JointCurve) -> Result<Impact<EdgeTouch>, EdgeError> {
        if self.check_curve_quickly(curve)? == Some(MotionStatus::Free) {
            return Ok(Impact::Free);
        }
        let cell = self.cell;
        let ([start, end], knots) = (curve.span(), curve.knots());
        let last = knots.len() - 1;
        let share = |k: usize| if k == last { 1.0 } else { (knots[k] - start) / (end - start) };
        let times: Vec<f64> = (0..=last).map(share).collect();
        let mut search = Search::new(cell, Motions::along(&cell.data, curve)?);
        Ok(search.first_of(&times, self))
    }
}

impl<'c> Search<'c> {
    fn new(cell: &'c Cell, all: Motions) -> Self {
        let data = &cell.data;
        let mut motions: Vec<Option<Box<dyn Motion>>> = (0..data.bodies.len()).map(|_| None).collect();
        for (arm, joints) in data.arms.iter().zip(&all.arms) {
            let own: Vec<(usize, usize)> = data.bodies_on(arm).collect();
            let place = |&(body, link): &(usize, usize)| (link, data.bodies[body].carrier_from_body);
            let bodies = own.iter().map(place).collect();
            let group: Arc<dyn GroupMotion> = Arc::new(BodyMotion { joints: joints.clone(), bodies });
            for (&(body, _), member) in own.iter().zip(GroupMember::all(&group)) {
                motions[body] = Some(Box::new(member));
            }
        }
        let still = |(body, motion): (usize, Option<Box<dyn Motion>>)| {
            motion.unwrap_or_else(|| Box::new(Still(data.bodies[body].carrier_from_body)))
        };
        Self {
            cell,
            all,
            motions: motions.into_iter().enumerate().map(still).collect(),
            travels: vec![None; data.bodies.len()],
            values: vec![0.0; data.values],
            tolerance: ImpactQuery::default().tolerance,
        }
    }

    /// The first contact of all pairs between times at which the motion may bend.
    fn first_of(&mut self, times: &[f64], checker: &mut Checker<'_>) -> Impact<EdgeTouch> {
        for segment in times.windows(2) {
            let pairs = (0..self.cell.data.on.len() as u32).collect();
            let found = self.first(pairs, (segment[0], segment[1]), HALVINGS, checker);
            if !matches!(found, Impact::Free) {
                return found;
            }
        }
        Impact::Free
    }

    /// The first contact of some pairs of bodies in a segment, which is halved so often.
    fn first(
        &mut self,
        mut pairs: Vec<u32>,
        span: (f64, f64),
        halvings: u32,
        checker: &mut Checker<'_>,
    ) -> Impact<EdgeTouch> {
        self.cull(&mut pairs, span, checker);
        if pairs.is_empty() {
            return Impact::Free;
        }
        if halvings == 0 {
            return self.exact(&pairs, span, checker);
        }
        let middle = 0.5 * (span.0 + span.1);
        for half in [(span.0, middle), (middle, span.1)] {
            let found = self.first(pairs.clone(), half, halvings - 1, checker);
            if !matches!(found, Impact::Free) {
                return found;
            }
        }
        Impact::Free
    }

    /// Drops the pairs that are separated in all of a segment: by bounding spheres, and then by the filter.
    fn cull(&mut self, pairs: &mut Vec<u32>, span: (f64, f64), checker: &mut Checker<'_>) {
        let Cell { data, filter, .. } = self.cell;
        let middle = 0.5 * (span.0 + span.1);
        self.all.configuration(data, middle, &mut self.values);
        checker.pose_all(&self.values);
        self.travels.fill(None);
        // Pairs of pieces with how far their bodies may come nearer to each other.
        let mut paths: Vec<(u32, f32)> = Vec::new();
        pairs.retain(|&number| {
            let pair = &data.on[number as usize];
            let path = self.path(pair, middle, span);
            let separated = data.separation(pair, &checker.links) > pair.margin + path;
            if !separated {
                let (piece_pair, path) = (filter.pair_of(number as usize), filter.rounded_up(path));
                match paths.last_mut().filter(|last| last.0 == piece_pair) {
                    Some(last) => last.1 = last.1.max(path),
                    None => paths.push((piece_pair, path)),
                }
            }
            !separated
        });
        if paths.iter().any(|(_, path)| !path.is_finite()) {
            return;
        }
        let scope = Scope::Pairs(&paths);
        let request = Request { states: &self.values, count: 1, tables: None, stop: Stop::Never, scope };
        filter.classify(&mut checker.batch, request);
        pairs.retain(|&number| !checker.batch.is_separated(0, filter.pair_of(number as usize)));
    }

    /// How far both bodies of a pair may get from the middle of a span, together.
    fn path(&mut self, pair: &BodyPair, middle: f64, span: (f64, f64)) -> f64 {
        let mut sum = 0.0;
        for body in pair.bodies {
            let body = body as usize;
            let travel = match self.travels[body] {
                Some(travel) => travel,
                None => self.all.travel(&self.cell.data, body, middle, span),
            };
            self.travels[body] = Some(travel);
            sum += travel;
        }
        sum * (1.0 + 8.0 * UNIT_ROUNDOFF)
    }

    /// The first contact in a segment by the motions of the bodies.
    fn exact(&self, pairs: &[u32], span: (f64, f64), checker: &mut Checker<'_>) -> Impact<EdgeTouch> {
        let mut best: Impact<EdgeTouch> = Impact::Free;
        let (mut until, mut left) = (span.1, EXACT_STEPS);
        for pair in pairs.iter().map(|&number| &self.cell.data.on[number as usize]) {
            let [a, b] = pair.bodies.map(|body| {
                let body = body as usize;
                self.cell.data.bodies[body].model.moving(&*self.motions[body])
            });
            let query = ImpactQuery { span: (span.0, until), margin: pair.margin, tolerance: self.tolerance };
            let budget = Budget::UNLIMITED.steps(left);
            let mut context = QueryContext::new(&mut checker.scratch).with_budget(budget);
            let found = context.time_of_impact(&a, &b, &query);
            left = left.saturating_sub(context.steps());
            let pair = pair.pair as usize;
            let found = match found {
                Impact::Free => continue,
                Impact::Unknown { safe_until } => Impact::Unknown { safe_until },
                Impact::AtStart(touch) if span.0 == 0.0 => return Impact::AtStart(EdgeTouch { pair, touch }),
                Impact::AtStart(touch) => {
                    let time = TimeOfImpact { safe_until: span.0, touching_by: span.0 };
                    Impact::At { time, touch: EdgeTouch { pair, touch } }
                }
                Impact::At { time, touch } => Impact::At { time, touch: EdgeTouch { pair, touch } },
            };
            if matches!(best, Impact::Free) || found.safe_until() < best.safe_until() {
                if let Impact::At { time, .. } = &found {
                    until = until.min(time.touching_by);
                }
                best = found;
            }
        }
        best
    }
}
