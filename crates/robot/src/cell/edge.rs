//! The straight way in joint space from one configuration to another, proven between samples.
//!
//! Halves of the way are looked at in turn, the earlier first. At the middle of a part, balls around a pair
//! that are further apart than both bodies travel from there prove the pair free in all of it; what is left
//! of a short part is put to [`noli::time_of_impact`] on the motions of the bodies.

use super::block::{Told, told};
use super::sketch::{LookAlong, Memory, Sketch};
use super::{Arm, BodyPair, Cell, Checker, Standing};
use crate::{ConfigurationError, JointMotion, JointMotionError, LANES};
use noli::answer::{Impact, TimeOfImpact, Touch};
use noli::internals::{Instructions, dispatch};
use noli::motion::{GroupMember, GroupMotion, Motion, Still};
use noli::query::{ImpactQuery, Tolerance};
use noli::{Ask, Overlap, Pose};
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

/// Whether the straight way in joint space between two configurations is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Connection {
    /// It is, proven for every moment.
    Free,
    /// It is not: at this share of the way something meets, or is closer than its margin.
    Blocked {
        /// From 0 to 1; not the first such moment.
        at: f64,
        /// The pair of [`Cell::pairs`].
        pair: usize,
    },
    /// Something comes so close to its margin that neither is proven: about a millionth of its size.
    Close {
        /// From 0 to 1.
        at: f64,
        /// The pair of [`Cell::pairs`].
        pair: usize,
    },
}

/// Why there is no way to ask about.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EdgeError {
    /// An end that is no configuration.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// Configurations that make no motion.
    #[error(transparent)]
    Motion(#[from] JointMotionError),
}

/// The bodies of one robot on its way: its links, with what they carry at its place on them.
#[derive(Debug)]
struct BodyMotion {
    joints: JointMotion,
    /// The robot's link and the place on it of each body.
    bodies: Vec<(usize, Pose)>,
}

impl BodyMotion {
    /// A ball of a body as its link has it, and a bound on the rounding of the body's pose.
    fn on_link(&self, member: usize, ball: &Sphere, t0: f64, way: f64) -> (Sphere, f64) {
        let (link, place) = &self.bodies[member];
        let center = place.transform_point(ball.center);
        let reach = ball.center.length() + ball.radius + place.translation.length();
        let far = reach + way + self.joints.pose(*link, t0).translation.length();
        let error = 1024.0 * UNIT_ROUNDOFF * far + f64::MIN_POSITIVE;
        (Sphere { center, radius: ball.radius + 64.0 * UNIT_ROUNDOFF * reach }, error)
    }
}

impl GroupMotion for BodyMotion {
    fn members(&self) -> usize {
        self.bodies.len()
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        let mut links = vec![Pose::IDENTITY; self.joints.robot().links().len()];
        self.joints.poses(t, &mut links);
        for (out, (link, place)) in out.iter_mut().zip(&self.bodies) {
            *out = links[*link] * *place;
        }
    }

    fn travel(&self, member: usize, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(member, ball, t0, 0.0);
        let way = self.joints.travel(self.bodies[member].0, &on_link, t0, t1);
        way * (1.0 + 8.0 * UNIT_ROUNDOFF) + 2.0 * self.on_link(member, ball, t0, way).1
    }

    fn chord_deviation(&self, member: usize, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let (on_link, _) = self.on_link(member, ball, t0, 0.0);
        let link = self.bodies[member].0;
        let off = self.joints.chord_deviation(link, &on_link, t0, t1);
        let way = self.joints.travel(link, &on_link, t0, t1);
        off * (1.0 + 8.0 * UNIT_ROUNDOFF) + 4.0 * self.on_link(member, ball, t0, way).1
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.joints.next_bend(t)
    }
}

/// How far a part of the way is halved before the exact engine is asked.
const HALVINGS: u32 = 4;

struct Way<'c> {
    cell: &'c Cell,
    joints: Vec<JointMotion>,
    /// The same backwards: how far bodies get from the middle of a part towards its start is their travel on
    /// the way back, up to the rounding of the times.
    back: Vec<JointMotion>,
    /// One for each body.
    motions: Vec<Box<dyn Motion>>,
    /// Bounds on how far each body gets from the middle of the part looked at, and the poses of carriers
    /// then.
    travels: Vec<f64>,
    poses: Vec<Pose>,
    margin_tolerance: Tolerance,
}

impl Checker<'_> {
    /// Whether all of the straight way in joint space is free, by proof, or what touches first.
    ///
    /// Times run from 0 at `from` to 1 at `to`. Pairs that pass within the engine's tolerance beyond their
    /// margin, a millionth of the larger body, count as touching.
    pub fn edge(&mut self, from: &[f64], to: &[f64]) -> Result<Impact<EdgeTouch>, EdgeError> {
        self.path(&[from, to])
    }

    /// The same along a path through configurations, each stretch taking the same time.
    pub fn path(&mut self, configurations: &[&[f64]]) -> Result<Impact<EdgeTouch>, EdgeError> {
        let cell = self.cell;
        configurations.iter().try_for_each(|values| cell.check_values(values))?;
        let last = configurations.len().saturating_sub(1) as f64;
        let times: Vec<f64> = (0..configurations.len()).map(|k| k as f64 / last).collect();
        // Most ways are free, and that is quickly proven.
        let mut blocked = None;
        for (k, ends) in configurations.windows(2).enumerate() {
            if self.try_connect(ends[0], ends[1]) != Some(Connection::Free) {
                blocked = Some(k);
                break;
            }
        }
        let Some(blocked) = blocked.or((configurations.len() < 2).then_some(0)) else {
            return Ok(Impact::Free);
        };
        let back_times: Vec<f64> = times.iter().rev().map(|time| 1.0 - time).collect();
        let (mut joints, mut back) = (Vec::new(), Vec::new());
        for arm in &cell.arms {
            let mut values: Vec<&[f64]> = configurations.iter().map(|values| arm.values(values)).collect();
            joints.push(JointMotion::through(arm.robot.clone(), arm.world_from_root, &times, &values)?);
            values.reverse();
            back.push(JointMotion::through(arm.robot.clone(), arm.world_from_root, &back_times, &values)?);
        }
        let mut way = Way::new(cell, joints, back);
        let mut pairs: Vec<BodyPair> = cell.on.clone();
        for stretch in times.windows(2).skip(blocked) {
            pairs.clear();
            pairs.extend_from_slice(&cell.on);
            let found = way.first(&mut pairs, (stretch[0], stretch[1]), HALVINGS, self);
            if !matches!(found, Impact::Free) {
                return Ok(found);
            }
        }
        Ok(Impact::Free)
    }
}

/// A part of a way, and where the pairs that are open in it are listed.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    middle: f64,
    half: f64,
    open: [usize; 2],
}

/// What a way is proven in.
#[derive(Debug, Default)]
pub(super) struct Trail {
    way: Vec<f64>,
    pace: Vec<f32>,
    states: Vec<f64>,
    /// Parts that are open now, and those that they leave, each with the pairs that are.
    now: (Vec<Stretch>, Vec<u32>),
    next: (Vec<Stretch>, Vec<u32>),
    /// Pairs that are open in the parts looked at.
    open: Vec<(u32, u16)>,
}

/// Parts that are looked at before somebody else is asked.
const STRETCHES: usize = 20_000;

impl Checker<'_> {
    /// Whether the straight way in joint space is free, by proof, or a moment at which it is not.
    ///
    /// Quicker than [`edge`](Self::edge), which says when something touches first.
    pub fn connects(&mut self, from: &[f64], to: &[f64]) -> Result<Connection, EdgeError> {
        self.cell.check_values(from)?;
        self.cell.check_values(to)?;
        self.prepare(LANES);
        if let Some(found) = self.try_connect(from, to) {
            return Ok(found);
        }
        Ok(match self.edge(from, to)? {
            Impact::Free => Connection::Free,
            Impact::AtStart(touch) => Connection::Blocked { at: 0.0, pair: touch.pair },
            Impact::At { time, touch } => {
                let values: Vec<f64> =
                    from.iter().zip(to).map(|(a, b)| a + (b - a) * time.touching_by).collect();
                let (at, pair) = (time.touching_by, touch.pair);
                match self.first_hit(&values)? {
                    Standing::Hit(pair) => Connection::Blocked { at, pair },
                    _ => Connection::Close { at, pair },
                }
            }
            Impact::Unknown { safe_until } => Connection::Close { at: safe_until, pair: 0 },
        })
    }

    /// Sixteen parts of the way at a time; `None` where that does not answer.
    fn try_connect(&mut self, from: &[f64], to: &[f64]) -> Option<Connection> {
        let cell = self.cell;
        let sketch = cell.sketch.as_ref()?;
        let mut memory = self.sketched.take()?;
        let mut trail = std::mem::take(&mut self.trail);
        let found = self.connect(sketch, &mut memory, &mut trail, from, to);
        (self.sketched, self.trail) = (Some(memory), trail);
        found
    }

    fn connect(
        &mut self,
        sketch: &Sketch,
        memory: &mut Memory,
        trail: &mut Trail,
        from: &[f64],
        to: &[f64],
    ) -> Option<Connection> {
        let Trail { way, pace, states, now, next, open } = trail;
        way.clear();
        way.extend(from.iter().zip(to).map(|(a, b)| b - a));
        pace.clear();
        pace.extend(way.iter().map(|way| (way.abs() * (1.0 + 1e-6)) as f32));
        let angles: f64 = from.iter().zip(to).map(|(a, b)| a.abs().max(b.abs())).sum();
        let half = 0.5 / LANES as f64;
        now.0.clear();
        now.0.extend((0..LANES).map(|k| Stretch { middle: half * (2 * k + 1) as f64, half, open: [0; 2] }));
        let (mut all, mut looked) = (true, 0);
        while !now.0.is_empty() {
            next.0.clear();
            next.1.clear();
            for taken in now.0.chunks(LANES) {
                looked += taken.len();
                if looked > STRETCHES {
                    return None;
                }
                states.clear();
                open.clear();
                let mut halves = [0.0f32; LANES];
                for (lane, stretch) in taken.iter().enumerate() {
                    halves[lane] = (stretch.half * (1.0 + 1e-6)) as f32;
                    states.extend(from.iter().zip(&*way).map(|(from, way)| from + way * stretch.middle));
                    let listed = &now.1[stretch.open[0]..stretch.open[1]];
                    open.extend(listed.iter().map(|&number| (number, 1 << lane)));
                }
                let look = LookAlong {
                    sketch,
                    memory: &mut *memory,
                    states: &states[..],
                    halves: &halves,
                    way: &way[..],
                    pace: &pace[..],
                    tables: self.cell.tables.get().map(|tables| &**tables),
                    open: (!all).then_some(&open[..]),
                };
                dispatch(Instructions::best(), look);
                if memory.wild != 0 {
                    return None;
                }
                if let Some(lane) = memory.hit.iter().position(Option::is_some) {
                    let pair =
                        memory.hit[lane].map_or(0, |number| sketch.duos[number as usize].pair as usize);
                    return Some(Connection::Blocked { at: taken[lane].middle, pair });
                }
                match self.settle(sketch, memory, taken, &states[..], angles, next) {
                    Settled::Open => {}
                    Settled::Blocked(found) => return Some(found),
                    Settled::Close => return None,
                }
            }
            all = false;
            std::mem::swap(now, next);
        }
        Some(Connection::Free)
    }

    /// Asks the shapes about what balls and tables leave over in some parts of a way, and lists their halves
    /// where that does not suffice.
    fn settle(
        &mut self,
        sketch: &Sketch,
        memory: &mut Memory,
        taken: &[Stretch],
        states: &[f64],
        angles: f64,
        next: &mut (Vec<Stretch>, Vec<u32>),
    ) -> Settled {
        self.forget_poses();
        memory.todo.sort_unstable_by_key(|&(lane, number, _)| (lane, number));
        let size = self.cell.values;
        let (mut k, todo) = (0, std::mem::take(&mut memory.todo));
        let mut settled = Settled::Open;
        'lanes: for (lane, stretch) in taken.iter().enumerate() {
            let first = next.1.len();
            let values = &states[lane * size..][..size];
            while let Some(&(_, number, _)) = todo.get(k).filter(|todo| usize::from(todo.0) == lane) {
                k += 1;
                let duo = &sketch.duos[number as usize];
                let more = f64::from(memory.ways[duo.route as usize].0[lane]);
                let sizes = duo.pieces.map(|piece| sketch.pieces[piece as usize].radius());
                let smaller = sizes[0].min(sizes[1]);
                // A question that is bound to be answered with yes is not worth its time.
                if more > 0.3 * smaller {
                    next.1.push(number);
                    continue;
                }
                self.pose(values, lane, duo);
                let error = 1e-12 * (sizes[0] + sizes[1] + sketch.reach()) * (1.0 + angles);
                if self.duo_closer(duo, lane, duo.margin + more + error) == Overlap::Free {
                    continue;
                }
                if self.duo_exact(duo, lane) == Overlap::Hit {
                    let found = Connection::Blocked { at: stretch.middle, pair: duo.pair as usize };
                    settled = Settled::Blocked(found);
                    break 'lanes;
                }
                if more < 1e-5 * smaller {
                    settled = Settled::Close;
                    break 'lanes;
                }
                next.1.push(number);
            }
            let open = [first, next.1.len()];
            if open[0] < open[1] {
                let half = 0.5 * stretch.half;
                let halves = [stretch.middle - half, stretch.middle + half];
                next.0.extend(halves.map(|middle| Stretch { middle, half, open }));
            }
        }
        memory.todo = todo;
        settled
    }
}

/// What became of parts of a way.
enum Settled {
    /// No configuration that collides was found.
    Open,
    Blocked(Connection),
    /// Something is too close to be told.
    Close,
}

impl<'c> Way<'c> {
    fn new(cell: &'c Cell, joints: Vec<JointMotion>, back: Vec<JointMotion>) -> Self {
        let mut motions: Vec<Option<Box<dyn Motion>>> = (0..cell.bodies.len()).map(|_| None).collect();
        for (arm, joints) in cell.arms.iter().zip(&joints) {
            let own: Vec<(usize, usize)> = cell.bodies_on(arm).collect();
            let place = |&(body, link): &(usize, usize)| (link, cell.bodies[body].carrier_from_body);
            let bodies = own.iter().map(place).collect();
            let group: Arc<dyn GroupMotion> = Arc::new(BodyMotion { joints: joints.clone(), bodies });
            for (&(body, _), member) in own.iter().zip(GroupMember::all(&group)) {
                motions[body] = Some(Box::new(member));
            }
        }
        let still = |(body, motion): (usize, Option<Box<dyn Motion>>)| {
            motion.unwrap_or_else(|| Box::new(Still(cell.bodies[body].carrier_from_body)))
        };
        Self {
            cell,
            joints,
            back,
            motions: motions.into_iter().enumerate().map(still).collect(),
            travels: vec![0.0; cell.bodies.len()],
            poses: vec![Pose::IDENTITY; cell.links],
            margin_tolerance: ImpactQuery::default().tolerance,
        }
    }

    fn first(
        &mut self,
        pairs: &mut Vec<BodyPair>,
        span: (f64, f64),
        halvings: u32,
        checker: &mut Checker<'_>,
    ) -> Impact<EdgeTouch> {
        self.sieve(pairs, span);
        if pairs.is_empty() {
            return Impact::Free;
        }
        if halvings == 0 {
            return self.exact(pairs, span, checker);
        }
        let middle = 0.5 * (span.0 + span.1);
        for half in [(span.0, middle), (middle, span.1)] {
            let found = self.first(&mut pairs.clone(), half, halvings - 1, checker);
            if !matches!(found, Impact::Free) {
                return found;
            }
        }
        Impact::Free
    }

    /// Drops the pairs that are free in a part of the way by their balls.
    fn sieve(&mut self, pairs: &mut Vec<BodyPair>, (t0, t1): (f64, f64)) {
        let (cell, middle) = (self.cell, 0.5 * (t0 + t1));
        for (arm, joints) in cell.arms.iter().zip(&self.joints) {
            joints.poses(middle, &mut self.poses[arm.first_link..]);
        }
        let mut wanted = vec![false; cell.bodies.len()];
        pairs.iter().for_each(|pair| pair.bodies.iter().for_each(|&body| wanted[body as usize] = true));
        for ((arm, joints), back) in cell.arms.iter().zip(&self.joints).zip(&self.back) {
            for (body, link) in cell.bodies_on(arm).filter(|(body, _)| wanted[*body]) {
                let ball = &cell.bodies[body].cover.whole;
                let before = back.travel(link, ball, 1.0 - middle, 1.0 - t0);
                let far = ball.center.length() + ball.radius + joints.length_to(link);
                let error = 4096.0 * UNIT_ROUNDOFF * far * (1.0 + joints.largest_angles());
                self.travels[body] = before.max(joints.travel(link, ball, middle, t1)) + error;
            }
        }
        pairs.retain(|pair| {
            let bodies = pair.bodies.map(|body| &cell.bodies[body as usize]);
            let carriers = bodies.map(|body| body.carrier.map(|link| self.poses[link]));
            let ways: f64 = pair.bodies.iter().map(|&body| self.travels[body as usize]).sum();
            let margin = (pair.margin + ways) * (1.0 + 8.0 * UNIT_ROUNDOFF);
            !margin.is_finite() || told(cell.steps, bodies, carriers, margin, false) != Told::Apart
        });
    }

    fn exact(&self, pairs: &[BodyPair], span: (f64, f64), checker: &mut Checker<'_>) -> Impact<EdgeTouch> {
        let mut best: Impact<EdgeTouch> = Impact::Free;
        let mut until = span.1;
        for pair in pairs {
            let [a, b] = pair.bodies.map(|body| {
                let body = body as usize;
                self.cell.bodies[body].model.moving(&*self.motions[body])
            });
            let query =
                ImpactQuery { span: (span.0, until), margin: pair.margin, tolerance: self.margin_tolerance };
            let found = Ask::new(&mut checker.scratch).time_of_impact(&a, &b, &query);
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

impl Cell {
    /// The bodies on links of a robot, with the link's number there.
    fn bodies_on<'a>(&'a self, arm: &'a Arm) -> impl Iterator<Item = (usize, usize)> + 'a {
        let links = arm.first_link..arm.first_link + arm.robot.links().len();
        let on = move |(number, body): (usize, &super::Body)| {
            let link = body.carrier.filter(|link| links.contains(link))?;
            Some((number, link - links.start))
        };
        self.bodies.iter().enumerate().filter_map(on)
    }
}
