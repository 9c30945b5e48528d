//! The virtual controller of a cell: it proves a motion, then drives it.

use super::work::{Grasp, SignalSource, Workplace, WorkplaceError};
use super::{
    Clearance, Driven, DrivenKind, Failure, OnContact, PartChange, Profile, Run, RunContact, RunOptions,
    SignalChange, Whereabouts,
};
use crate::Place;
use crate::cell::Cell;
use crate::inverse::NoSolution;
use crate::program::{
    ArmChoice, Grip, Gripped, Host, MotionKind, MotionRequest, Outcome, Pace, RunError, VirtualController,
};
use crate::tree::Movement;
use noli::answer::{Impact, Overlap};
use noli::{Pose, overlap};
use std::collections::HashMap;

/// How often sensors are read, in seconds.
const SCAN: f64 = 0.01;

pub(super) struct CellHost<'w> {
    work: &'w Workplace,
    options: RunOptions,
    /// Kinematics; its `start` holds the values of what is not in the chain, such as fingers.
    arm: VirtualController,
    cell: Cell,
    parts: Vec<Whereabouts>,
    run: Run,
    /// Outputs over time, by number.
    outputs: HashMap<u32, Vec<(f64, bool)>>,
    /// Inputs as last looked at.
    inputs: Vec<bool>,
    opening: f64,
}

/// A path that is to be driven.
struct Wanted {
    place: Place,
    kind: DrivenKind,
    start: f64,
    profile: Profile,
    keys: Vec<(f64, Vec<f64>)>,
    deviation: f64,
}

impl<'w> CellHost<'w> {
    pub(super) fn new(work: &'w Workplace, options: RunOptions) -> Result<Self, WorkplaceError> {
        let wanted = work.robot.variables().len();
        for values in [&work.start, &work.ready] {
            if values.len() != wanted {
                return Err(WorkplaceError::Start { found: values.len(), wanted });
            }
        }
        let mut arm = VirtualController::new(work.robot.clone(), work.flange)
            .ok_or_else(|| WorkplaceError::Immovable(work.robot.links()[work.flange].name.clone()))?;
        arm.start = work.start.clone();
        work.robot.apply_laws(&mut arm.start);
        arm.ready = arm.joints(&work.ready);
        arm.turn_speed = work.turn_speed;
        arm.slide_speed = work.slide_speed;
        arm.line_tolerance = work.line_tolerance;
        let parts: Vec<Whereabouts> = work.loose.iter().map(|part| Whereabouts::Stands(part.place)).collect();
        let cell = work.cell(&parts, None)?;
        let change = |(part, &now): (usize, &Whereabouts)| PartChange { time: 0.0, part, now };
        let changes = parts.iter().enumerate().map(change).collect();
        let opening = work.grasp.as_ref().map_or(0.0, |grasp| opening_of(grasp, &arm.start));
        let run = Run {
            outcome: Ok(Outcome { ended: crate::program::Ended::Completed, seconds: 0.0, steps: 0 }),
            failure: None,
            driven: Vec::new(),
            contacts: Vec::new(),
            signals: Vec::new(),
            parts: changes,
            shown: Vec::new(),
            seconds: 0.0,
            undecided: 0,
        };
        let inputs = vec![false; work.signals.len()];
        let mut host =
            Self { work, options, arm, cell, parts, run, outputs: HashMap::new(), inputs, opening };
        host.look(0.0);
        Ok(host)
    }

    pub(super) fn finish(mut self, outcome: Result<Outcome, RunError>) -> Run {
        let end = self.run.driven.last().map_or(0.0, Driven::end);
        self.look(end);
        self.run.outcome = outcome;
        self.run
    }

    fn held(&self) -> Option<usize> {
        self.parts.iter().position(|part| matches!(part, Whereabouts::Held(_)))
    }

    /// All values of the cell, given those of the arm.
    fn all(&self, values: &[f64]) -> Vec<f64> {
        [values, &self.work.others].concat()
    }

    fn link_pose(&self, values: &[f64], link: usize) -> Pose {
        let mut poses = vec![Pose::IDENTITY; self.work.robot.links().len()];
        self.work.robot.link_poses(values, &mut poses);
        self.work.world_from_root * poses[link]
    }

    /// The values of all variables of the arm at a time.
    fn values_at(&self, time: f64) -> Vec<f64> {
        self.run.values_at(time).unwrap_or_else(|| self.arm.start.clone())
    }

    fn source(&self, number: usize, time: f64) -> bool {
        match &self.work.signals[number].source {
            SignalSource::Constant(on) => *on,
            SignalSource::Timed(changes) => {
                let until = changes.partition_point(|change| change.0 <= time);
                until > 0 && changes[until - 1].1
            }
            SignalSource::Follows { output, delay, inverted } => {
                let changes = self.outputs.get(output).map_or(&[][..], Vec::as_slice);
                let until = changes.partition_point(|change| change.0 + delay <= time);
                (until > 0 && changes[until - 1].1) != *inverted
            }
            SignalSource::Sees { zone, place } => {
                let zone = zone.at(*place);
                let mut carrier = None;
                self.parts.iter().zip(&self.work.loose).any(|(at, part)| {
                    let pose = match at {
                        Whereabouts::Stands(pose) => *pose,
                        Whereabouts::Held(link_from_part) => {
                            let link = self.work.grasp.as_ref().map_or(self.work.flange, |g| g.link);
                            let carrier =
                                carrier.get_or_insert_with(|| self.link_pose(&self.values_at(time), link));
                            *carrier * *link_from_part
                        }
                    };
                    overlap(&part.model.at(pose), &zone) == Overlap::Hit
                })
            }
        }
    }

    /// Notes inputs that have changed.
    fn look(&mut self, time: f64) {
        for number in 0..self.inputs.len() {
            let on = self.source(number, time);
            if on != self.inputs[number] {
                self.inputs[number] = on;
                let signal = self.work.signals[number].number;
                self.run.signals.push(SignalChange { time, signal, on, output: false });
            }
        }
    }

    /// As fast as speeds and accelerations of all joints allow, and the tool's where it is bounded.
    fn profile(&self, keys: &[(f64, Vec<f64>)], motion: &MotionRequest<'_>) -> Profile {
        let percent = match motion.pace {
            Pace::Seconds(seconds) => return Profile::within(seconds),
            Pace::Percent(percent) => (percent / 100.0).min(1.0),
            Pace::Tool(_) => 1.0,
        };
        let (mut speed, mut acceleration) = (f64::INFINITY, f64::INFINITY);
        for (number, variable) in self.work.robot.variables().iter().enumerate() {
            let [own_speed, own_acceleration] = match variable.movement {
                Movement::Turn => self.work.turn_speed,
                Movement::Slide => self.work.slide_speed,
            };
            let rate = |pair: &[(f64, Vec<f64>)]| {
                (pair[1].1[number] - pair[0].1[number]).abs() / (pair[1].0 - pair[0].0)
            };
            let rate = keys.windows(2).map(rate).fold(0.0, f64::max);
            if rate > 0.0 {
                speed = speed.min(variable.limits.velocity.unwrap_or(own_speed) * percent / rate);
                acceleration =
                    acceleration.min(variable.limits.acceleration.unwrap_or(own_acceleration) / rate);
            }
        }
        // Nothing moves.
        if speed.is_infinite() {
            return Profile::NOTHING;
        }
        let tool = |values: &[f64]| {
            let mut poses = vec![Pose::IDENTITY; self.work.robot.links().len()];
            self.work.robot.link_poses(values, &mut poses);
            poses[self.work.flange] * motion.flange_from_tool
        };
        let straight = motion.kind == MotionKind::Straight;
        let length = if straight {
            let [a, b] = [&keys[0].1, &keys[keys.len() - 1].1].map(|values| tool(values));
            a.translation.distance(b.translation)
        } else {
            let from = |k: usize| f64::from(k as u32) / 16.0;
            let at = |share: f64| {
                let values: Vec<f64> =
                    keys[0].1.iter().zip(&keys[1].1).map(|(a, b)| a + (b - a) * share).collect();
                tool(&values).translation
            };
            (0..16).map(|k| at(from(k)).distance(at(from(k + 1)))).sum()
        };
        if length > 0.0 {
            let [own, pick_up] = self.work.slide_speed;
            match motion.pace {
                Pace::Tool(wanted) => speed = speed.min(wanted / length),
                _ if straight => speed = speed.min(own * percent / length),
                _ => {}
            }
            if straight {
                acceleration = acceleration.min(pick_up / length);
            }
        }
        if straight {
            let [a, b] = [&keys[0].1, &keys[keys.len() - 1].1].map(|values| tool(values));
            let turn = crate::inverse::difference(&a, &b).1.length();
            if turn > 0.0 {
                let [spin, spin_up] = self.work.turn_speed;
                speed = speed.min(spin * percent / turn);
                acceleration = acceleration.min(spin_up / turn);
            }
        }
        Profile::fastest(speed, acceleration)
    }

    /// The corner between the last motion and the next, and where it leaves the one and joins the other.
    fn corner(
        &self,
        motion: &MotionRequest<'_>,
        keys: &[(f64, Vec<f64>)],
        profile: &Profile,
    ) -> Option<(Wanted, [f64; 2])> {
        let before = self.run.driven.last()?;
        let moves = matches!(before.kind, DrivenKind::Joint | DrivenKind::Straight);
        let joined = (before.end() - motion.time).abs() <= 1e-9 * (1.0 + motion.time);
        if !moves || !joined || before.until < 1.0 || profile.seconds == 0.0 || before.profile.seconds == 0.0
        {
            return None;
        }
        let tool = |values: &[f64]| {
            let mut poses = vec![Pose::IDENTITY; self.work.robot.links().len()];
            self.work.robot.link_poses(values, &mut poses);
            (poses[self.work.flange] * motion.flange_from_tool).translation
        };
        let corner = &keys[0].1;
        let center = tool(corner);
        // At most half of either motion is cut off.
        let cut = |value: &dyn Fn(f64) -> Vec<f64>| {
            let far = |share: f64| tool(&value(share)).distance(center) > self.options.blend;
            if !far(0.5) {
                return 0.5;
            }
            let (mut near, mut away) = (0.0, 0.5);
            for _ in 0..40 {
                let middle = 0.5 * (near + away);
                if far(middle) { away = middle } else { near = middle }
            }
            near
        };
        let after = Driven { keys: keys.to_vec(), until: 1.0, ..before.clone() };
        let a = 1.0 - cut(&|share| before.values(1.0 - share));
        let b = cut(&|share| after.values(share));
        let (first, last) = (before.values(a), after.values(b));
        let start = before.start + before.profile.time(a);
        let seconds = motion.time + profile.time(b) - start;
        if !(seconds > 0.0 && a < 1.0 && b > 0.0) {
            return None;
        }
        let point = |k: u32| {
            let s = f64::from(k) / 8.0;
            let weights = [(1.0 - s) * (1.0 - s), 2.0 * s * (1.0 - s), s * s];
            let mix = |j: usize| weights[0] * first[j] + weights[1] * corner[j] + weights[2] * last[j];
            let values = match k {
                0 => first.clone(),
                8 => last.clone(),
                _ => (0..first.len()).map(mix).collect(),
            };
            (s, values)
        };
        let wanted = Wanted {
            place: motion.place,
            kind: DrivenKind::Corner,
            start,
            profile: Profile::fastest(1.0 / seconds, f64::INFINITY),
            keys: (0..=8).map(point).collect(),
            deviation: 0.0,
        };
        Some((wanted, [a, b]))
    }

    fn refuse(&mut self, failure: Failure, text: String) -> String {
        self.run.failure = self.run.failure.or(Some(failure));
        text
    }

    /// Proves a path free and notes it as driven; where it is not free, as far as it is.
    fn drive(&mut self, wanted: Wanted, cell: &Cell) -> Result<(), String> {
        let rows: Vec<Vec<f64>> = wanted.keys.iter().map(|key| self.all(&key.1)).collect();
        let path: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut checker = cell.checker();
        let found = checker.path(&path).map_err(|error| error.to_string());
        let found = found.map_err(|text| self.refuse(Failure::Other, text))?;
        let share_of = |time: f64| share_of(&wanted.keys, time);
        let (free_until, hit) = match found {
            Impact::Free => (1.0, None),
            Impact::AtStart(touch) => (0.0, Some(([0.0, 0.0], true, touch))),
            Impact::At { time, touch } => {
                let share = [time.safe_until, time.touching_by].map(share_of);
                (share[0], Some((share, false, touch)))
            }
            // Less than all of it, or it would count as proven.
            Impact::Unknown { safe_until } => (share_of(safe_until).min(1.0 - f64::EPSILON), None),
        };
        let undecided = hit.is_none() && free_until < 1.0;
        let stops = self.options.on_contact == OnContact::Stop && free_until < 1.0;
        let until = if stops { free_until } else { 1.0 };
        let mut driven = Driven {
            place: wanted.place,
            kind: wanted.kind,
            start: wanted.start,
            profile: wanted.profile,
            keys: wanted.keys,
            from: 0.0,
            until,
            deviation: wanted.deviation,
            carried: self.held(),
            clearance: None,
            free_until,
        };
        if self.options.profile > 0 {
            driven.clearance = self.clearance(&driven, cell);
        }
        let number = self.run.driven.len();
        let mut refusal = undecided.then(|| "it is not proven that nothing touches on it".to_owned());
        if let Some((share, at_start, touch)) = hit {
            let names = cell.pair_names(touch.pair).map(str::to_owned);
            let values = driven.values(share[0]);
            let nearest = checker.pair_clearance(&self.all(&values), touch.pair);
            let gap = nearest.map_or(noli::answer::Bracket::INFINITE, |nearest| nearest.gap);
            let witness = touch.touch.witness;
            let middle = |w: noli::answer::Witness| 0.5 * (w.on_a.point + w.on_b.point);
            let contact = RunContact {
                driven: number,
                place: driven.place,
                share,
                time: share.map(|share| driven.start + driven.profile.time(share)),
                at_start,
                values,
                parts: names,
                point: witness.map(middle),
                normal: touch.touch.normal,
                features: witness.map_or([None, None], |w| [w.on_a.feature, w.on_b.feature]),
                gap,
                proven: touch.touch.proven,
            };
            let what = contact.parts.join(" and ");
            refusal = Some(match at_start {
                true => format!("{what} touch before it begins"),
                false => format!("{what} touch after {:.1} % of it", 100.0 * share[1]),
            });
            self.run.contacts.push(contact);
        }
        self.run.driven.push(driven);
        match refusal {
            Some(text) if stops => {
                let failure = if undecided { Failure::Undecided } else { Failure::Contact };
                Err(self.refuse(failure, text))
            }
            _ if undecided => {
                self.run.undecided += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The smallest gap on what is driven of a motion.
    fn clearance(&self, driven: &Driven, cell: &Cell) -> Option<Clearance> {
        let mut shares: Vec<f64> =
            driven.keys.iter().map(|key| key.0).filter(|share| *share < driven.until).collect();
        shares.push(driven.until);
        if shares.len() < 2 {
            shares.insert(0, 0.0);
        }
        let rows: Vec<Vec<f64>> = shares.iter().map(|&share| self.all(&driven.values(share))).collect();
        let path: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let found = cell.checker().clearance_along(&path, self.options.profile + path.len()).ok()?;
        let last = (shares.len() - 1) as f64;
        let at = (found.time * last).floor().min(last - 1.0);
        let k = at as usize;
        let share = shares[k] + (shares[k + 1] - shares[k]) * (found.time * last - at);
        Some(Clearance {
            gap: found.gap,
            parts: found.pair.map(|pair| cell.pair_names(pair).map(str::to_owned)),
            share,
            time: driven.start + driven.profile.time(share),
            points: found.witness.map(|w| [w.on_a.point, w.on_b.point]),
        })
    }

    fn rebuild(&mut self) -> Result<(), String> {
        let cell = self.work.cell(&self.parts, None);
        self.cell = cell.map_err(|error| self.refuse(Failure::Other, error.to_string()))?;
        Ok(())
    }

    fn put(&mut self, part: usize, now: Whereabouts, time: f64) {
        self.parts[part] = now;
        self.run.parts.push(PartChange { time, part, now });
    }

    /// The values with the fingers at a share between closed and open.
    fn with_fingers(&self, grasp: &Grasp, values: &[f64], share: f64) -> Vec<f64> {
        let mut values = values.to_vec();
        for &(variable, [closed, open]) in &grasp.fingers {
            values[variable] = closed + (open - closed) * share;
        }
        self.work.robot.apply_laws(&mut values);
        values
    }

    fn open(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64], to: f64) -> Result<f64, String> {
        let let_go = self.held();
        if let Some(part) = let_go
            && let Whereabouts::Held(link_from_part) = self.parts[part]
        {
            let pose = self.link_pose(values, grasp.link) * link_from_part;
            self.put(part, Whereabouts::Stands(pose), grip.time);
            self.rebuild()?;
        }
        // Fingers leave what they held: that pair touches at first.
        let cell = self.work.cell(&self.parts, let_go);
        let cell = cell.map_err(|error| self.refuse(Failure::Other, error.to_string()))?;
        let wanted = Wanted {
            place: grip.place,
            kind: DrivenKind::Open,
            start: grip.time,
            profile: Profile::within(grasp.seconds),
            keys: vec![(0.0, values.to_vec()), (1.0, self.with_fingers(grasp, values, to))],
            deviation: 0.0,
        };
        self.drive(wanted, &cell)?;
        Ok(to)
    }

    /// Closes until the fingers are at a part, or all the way.
    fn close(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64], from: f64) -> Result<f64, String> {
        let closed = self.with_fingers(grasp, values, 0.0);
        let [a, b] = [self.all(values), self.all(&closed)];
        let cell = self.cell.clone();
        let mut checker = cell.checker();
        let found = checker.path(&[&a, &b]).map_err(|error| error.to_string());
        let found = found.map_err(|text| self.refuse(Failure::Other, text))?;
        let met = match found {
            Impact::AtStart(touch) => Some((0.0, touch.pair)),
            Impact::At { time, touch } => Some((time.safe_until, touch.pair)),
            Impact::Free | Impact::Unknown { .. } => None,
        };
        let fingers: Vec<String> = grasp.finger_links.iter().map(|&link| self.work.link_name(link)).collect();
        let is_finger = |name: &str| fingers.iter().any(|finger| finger == name);
        let part = met.and_then(|(share, pair)| {
            let [a, b] = cell.pair_names(pair);
            let name = if is_finger(a) {
                b
            } else if is_finger(b) {
                a
            } else {
                return None;
            };
            let part = self.work.loose.iter().position(|part| part.name == name)?;
            Some((share, part))
        });
        let Some((share, part)) = part else {
            let wanted = Wanted {
                place: grip.place,
                kind: DrivenKind::Close,
                start: grip.time,
                profile: Profile::within(grasp.seconds),
                keys: vec![(0.0, values.to_vec()), (1.0, closed)],
                deviation: 0.0,
            };
            self.drive(wanted, &cell)?;
            return Ok(0.0);
        };
        let stop = from * (1.0 - share);
        let at = self.with_fingers(grasp, values, stop);
        let all = self.all(&at);
        let mut farthest: Option<(f64, &str)> = None;
        for finger in &fingers {
            let Some(pair) = cell.pair(finger, &self.work.loose[part].name) else { continue };
            let gap = checker.pair_clearance(&all, pair).map_or(f64::INFINITY, |nearest| nearest.gap.at_most);
            if farthest.is_none_or(|far| gap > far.0) {
                farthest = Some((gap, finger));
            }
        }
        let seconds = grasp.seconds * share;
        self.run.driven.push(Driven {
            place: grip.place,
            kind: DrivenKind::Close,
            start: grip.time,
            profile: Profile::within(seconds),
            keys: vec![(0.0, values.to_vec()), (1.0, at.clone())],
            from: 0.0,
            until: 1.0,
            deviation: 0.0,
            carried: None,
            clearance: None,
            free_until: 1.0,
        });
        if let Some((gap, finger)) = farthest.filter(|far| far.0 > grasp.slack) {
            let name = &self.work.loose[part].name;
            let text = format!(
                "the gripper closes on `{name}` from one side: `{finger}` is {:.1} mm away when the other touches",
                gap * 1000.0
            );
            return Err(self.refuse(Failure::Contact, text));
        }
        self.hold(part, grasp, &at, grip.time + seconds)?;
        Ok(stop)
    }

    fn hold(&mut self, part: usize, grasp: &Grasp, values: &[f64], time: f64) -> Result<(), String> {
        if let Whereabouts::Stands(pose) = self.parts[part] {
            let link_from_part = self.link_pose(values, grasp.link).inverse() * pose;
            self.put(part, Whereabouts::Held(link_from_part), time);
            self.rebuild()?;
        }
        Ok(())
    }

    /// A sucker takes the nearest part within its reach.
    fn suck(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64]) -> Result<(), String> {
        let cell = self.cell.clone();
        let (all, link) = (self.all(values), self.work.link_name(grasp.link));
        let mut checker = cell.checker();
        let mut nearest: Option<(f64, usize)> = None;
        for (number, part) in self.work.loose.iter().enumerate() {
            let Some(pair) = cell.pair(&link, &part.name) else { continue };
            let gap = checker.pair_clearance(&all, pair).map_or(f64::INFINITY, |nearest| nearest.gap.at_most);
            if gap <= grasp.slack && nearest.is_none_or(|best| gap < best.0) {
                nearest = Some((gap, number));
            }
        }
        if let Some((_, part)) = nearest {
            self.hold(part, grasp, values, grip.time)?;
        }
        Ok(())
    }
}

/// The share of a motion at a time of its path, each stretch of which takes the same time.
fn share_of(keys: &[(f64, Vec<f64>)], time: f64) -> f64 {
    let last = (keys.len() - 1) as f64;
    let at = (time * last).floor().clamp(0.0, last - 1.0);
    let k = at as usize;
    keys[k].0 + (keys[k + 1].0 - keys[k].0) * (time * last - at).clamp(0.0, 1.0)
}

/// How far the gripper is open in a configuration.
fn opening_of(grasp: &Grasp, values: &[f64]) -> f64 {
    let share = grasp.fingers.first().map_or(0.0, |&(variable, [closed, open])| {
        if open == closed { 0.0 } else { ((values[variable] - closed) / (open - closed)).clamp(0.0, 1.0) }
    });
    grasp.opening[0] + (grasp.opening[1] - grasp.opening[0]) * share
}

impl Host for CellHost<'_> {
    fn start(&mut self) -> Vec<f64> {
        self.arm.joints(&self.arm.start)
    }

    fn ready(&mut self) -> Vec<f64> {
        self.arm.ready.clone()
    }

    fn turns(&self, joint: usize) -> bool {
        self.arm.turns(joint)
    }

    fn flange(&mut self, joints: &[f64]) -> Pose {
        self.arm.flange(joints)
    }

    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, NoSolution> {
        self.arm.inverse(flange, near, choice)
    }

    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String> {
        self.look(motion.time);
        let (from, to) = (self.arm.values(motion.from), self.arm.values(motion.to));
        if let Err(error) = self.work.robot.check_limits(&to) {
            return Err(self.refuse(Failure::Unreachable, error.to_string()));
        }
        let kind = match motion.kind {
            MotionKind::Joint => DrivenKind::Joint,
            MotionKind::Straight => DrivenKind::Straight,
            MotionKind::Rest => DrivenKind::Rest,
        };
        let (keys, deviation) = match motion.kind {
            MotionKind::Straight if motion.from != motion.to => match self.arm.straight_path(motion) {
                Ok(followed) => {
                    let keys = followed.motion.times().iter().copied();
                    let rows = followed.motion.configurations().map(<[f64]>::to_vec);
                    (keys.zip(rows).collect(), followed.deviation)
                }
                Err(text) => return Err(self.refuse(Failure::Unreachable, text)),
            },
            _ => (vec![(0.0, from), (1.0, to)], 0.0),
        };
        let profile = match (motion.kind, motion.pace) {
            (MotionKind::Rest, Pace::Seconds(seconds)) => Profile::within(seconds),
            (MotionKind::Rest, _) => Profile::NOTHING,
            _ => self.profile(&keys, motion),
        };
        let seconds = profile.seconds;
        let mut from = 0.0;
        if motion.blends
            && self.options.blend > 0.0
            && let Some((corner, cut)) = self.corner(motion, &keys, &profile)
        {
            let cell = self.cell.clone();
            if let Some(before) = self.run.driven.last_mut() {
                before.until = cut[0];
            }
            self.drive(corner, &cell)?;
            from = cut[1];
        }
        let wanted = Wanted { place: motion.place, kind, start: motion.time, profile, keys, deviation };
        let cell = self.cell.clone();
        self.drive(wanted, &cell)?;
        if let Some(driven) = self.run.driven.last_mut() {
            driven.from = from;
        }
        Ok(seconds)
    }

    fn stopped(&mut self, time: f64, _joints: &[f64]) {
        let number = self.run.number_at(time);
        for driven in self.run.driven.iter_mut().skip(number) {
            let share = driven.profile.share(time - driven.start);
            driven.until = driven.until.min(share.max(driven.from));
        }
        self.look(time);
    }

    fn joints_at(&self, time: f64) -> Option<Vec<f64>> {
        Some(self.arm.joints(&self.run.values_at(time)?))
    }

    fn grip(&mut self, grip: &Grip) -> Result<Gripped, String> {
        self.look(grip.time);
        let Some(grasp) = &self.work.grasp else {
            let text = "the robot has no gripper; give the cell a [gripper]".to_owned();
            return Err(self.refuse(Failure::Other, text));
        };
        let joints = self.joints_at(grip.time).unwrap_or_else(|| self.arm.joints(&self.arm.start));
        let values = self.arm.values(&joints);
        if grasp.fingers.is_empty() {
            if grip.open {
                if let Some(part) = self.held()
                    && let Whereabouts::Held(link_from_part) = self.parts[part]
                {
                    let pose = self.link_pose(&values, grasp.link) * link_from_part;
                    self.put(part, Whereabouts::Stands(pose), grip.time);
                    self.rebuild()?;
                }
            } else {
                self.suck(grip, grasp, &values)?;
            }
            let opening = if self.held().is_some() { grasp.opening[1] } else { grasp.opening[0] };
            self.opening = opening;
            return Ok(Gripped { opening, seconds: grasp.seconds });
        }
        let [closed, open] = grasp.opening;
        let share = |opening: f64| if open == closed { 1.0 } else { (opening - closed) / (open - closed) };
        let now = opening_share(grasp, &values);
        let reached = if grip.open {
            let wanted = grip.opening.map_or(1.0, |opening| share(opening.clamp(closed, open)));
            self.open(grip, grasp, &values, wanted)?
        } else {
            self.close(grip, grasp, &values, now)?
        };
        self.arm.start = self.with_fingers(grasp, &values, reached);
        self.opening = closed + (open - closed) * reached;
        let seconds = self.run.driven.last().map_or(0.0, |driven| driven.profile.seconds);
        Ok(Gripped { opening: self.opening, seconds })
    }

    fn input(&mut self, signal: u32, time: f64) -> bool {
        self.look(time);
        let mut signals = self.work.signals.iter().zip(&self.inputs);
        signals.any(|(source, on)| source.number == signal && *on)
    }

    fn next_input(&mut self, after: f64) -> Option<f64> {
        self.look(after);
        let mut next = f64::INFINITY;
        let moving = self.held().is_some() && self.run.driven.last().is_some_and(|d| d.end() > after);
        for signal in &self.work.signals {
            match &signal.source {
                SignalSource::Constant(_) => {}
                SignalSource::Timed(changes) => {
                    let at = changes.partition_point(|change| change.0 <= after);
                    next = changes.get(at).map_or(next, |change| next.min(change.0));
                }
                SignalSource::Follows { output, delay, .. } => {
                    let changes = self.outputs.get(output).map_or(&[][..], Vec::as_slice);
                    let at = changes.partition_point(|change| change.0 + delay <= after);
                    next = changes.get(at).map_or(next, |change| next.min(change.0 + delay));
                }
                SignalSource::Sees { .. } if moving => next = next.min(after + SCAN),
                SignalSource::Sees { .. } => {}
            }
        }
        next.is_finite().then_some(next)
    }

    fn output(&mut self, signal: u32, on: bool, time: f64, _place: Place) {
        let changes = self.outputs.entry(signal).or_default();
        let was = changes.last().is_some_and(|change| change.1);
        changes.push((time, on));
        if was != on {
            self.run.signals.push(SignalChange { time, signal, on, output: true });
        }
        self.look(time);
    }

    fn show(&mut self, text: &str, time: f64, place: Place) {
        self.run.shown.push((time, place, text.to_owned()));
    }
}

fn opening_share(grasp: &Grasp, values: &[f64]) -> f64 {
    let [closed, open] = grasp.opening;
    if open == closed { 0.0 } else { (opening_of(grasp, values) - closed) / (open - closed) }
}
