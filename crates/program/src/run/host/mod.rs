//! The virtual controller of a cell: it proves a motion, then drives it.

mod gripper;
mod pace;
mod signals;

use super::exchange::Connection;
use super::profile::segment_at;
use super::work::{WorkCell, WorkCellError};
use super::{
    Clearance, DrivenKind, ExecutedMotion, ExecutionError, OnContact, PartChange, PartLocation, Profile, Run,
    RunContact, RunOptions, SignalChange,
};
use crate::{
    ArmChoice, Grip, Gripped, Host, MotionKind, MotionRequest, Outcome, Pace, RunError, VirtualController,
};
use noli::Pose;
use noli::answer::Impact;
use noli_robot::IkError;
use noli_robot::Place;
use noli_robot::cell::{Cell, Checker, EdgeTouch};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct CellHost<'w> {
    work: &'w WorkCell,
    options: RunOptions,
    /// Returns `true` once no further motion is to be proven.
    stop: &'w dyn Fn() -> bool,
    /// Kinematics; its `start` holds the values of what is not in the chain, such as fingers.
    arm: VirtualController,
    /// Shared, so that its cached data are computed once.
    cell: Arc<Cell>,
    parts: Vec<PartLocation>,
    run: Run,
    /// Outputs over time, by number.
    outputs: HashMap<u32, Vec<(f64, bool)>>,
    /// Inputs when last read.
    inputs: Vec<bool>,
    opening: f64,
    /// Programs that run at the same time.
    others: Option<Connection<'w>>,
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
    pub(super) fn new(
        work: &'w WorkCell,
        options: RunOptions,
        others: Option<Connection<'w>>,
        stop: &'w dyn Fn() -> bool,
    ) -> Result<Self, WorkCellError> {
        let wanted = work.robot.variables().len();
        for values in [&work.start, &work.ready] {
            if values.len() != wanted {
                return Err(WorkCellError::Start { found: values.len(), wanted });
            }
        }
        let mut arm = VirtualController::new(work.robot.clone(), work.flange)
            .ok_or_else(|| WorkCellError::Immovable(work.robot.links()[work.flange].name.clone()))?;
        arm.start = work.start.clone();
        work.robot.apply_laws(&mut arm.start);
        arm.ready = arm.joints(&work.ready);
        arm.turn_speed = work.turn_speed;
        arm.slide_speed = work.slide_speed;
        arm.line_tolerance = work.line_tolerance;
        let parts: Vec<PartLocation> =
            work.loose.iter().map(|part| PartLocation::Stands(part.place)).collect();
        let cell = Arc::new(work.cell(&parts, None)?);
        let opening = work.grasp.as_ref().map_or(0.0, |grasp| gripper::opening_of(grasp, &arm.start));
        let run = Run::status(work);
        let inputs = vec![false; work.signals.len()];
        let outputs = HashMap::new();
        let mut host = Self { work, options, stop, arm, cell, parts, run, outputs, inputs, opening, others };
        host.look(0.0);
        Ok(host)
    }

    pub(super) fn finish(mut self, outcome: Result<Outcome, RunError>) -> Run {
        let end = self.run.driven.last().map_or(0.0, ExecutedMotion::end);
        self.look(end);
        if let Some(others) = self.others.take() {
            let last = outcome.as_ref().map_or_else(|error| error.time, |outcome| outcome.seconds);
            let received = others.received(last).into_iter();
            let change =
                |(time, signal, on): (f64, u32, bool)| SignalChange { time, signal, on, output: false };
            self.run.signals.extend(received.map(change));
            self.run.signals.sort_by(|a, b| a.time.total_cmp(&b.time));
        }
        self.run.outcome = outcome;
        self.run
    }

    fn held(&self) -> Option<usize> {
        self.parts.iter().position(|part| matches!(part, PartLocation::Held(_)))
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

    /// Returns the pose of a tool on the flange in the frame of the root.
    fn tool_at(&self, values: &[f64], flange_from_tool: &Pose) -> Pose {
        let mut poses = vec![Pose::IDENTITY; self.work.robot.links().len()];
        self.work.robot.link_poses(values, &mut poses);
        poses[self.work.flange] * *flange_from_tool
    }

    /// The values of all variables of the arm at a time.
    fn values_at(&self, time: f64) -> Vec<f64> {
        self.run.values_at(time).unwrap_or_else(|| self.arm.start.clone())
    }

    fn refuse(&mut self, failure: ExecutionError, text: String) -> String {
        self.run.failure = self.run.failure.or(Some(failure));
        text
    }

    /// Proves a path free and notes it as driven; where it is not free, as far as it is.
    fn drive(&mut self, wanted: Wanted, cell: &Cell) -> Result<(), String> {
        if (self.stop)() {
            let text = "the limit of time or memory was reached before it was proven collision-free";
            return Err(self.refuse(ExecutionError::Undecided, text.to_owned()));
        }
        let rows: Vec<Vec<f64>> = wanted.keys.iter().map(|key| self.all(&key.1)).collect();
        let path: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut checker = cell.checker();
        let found = checker.first_contact_on_path(&path).map_err(|error| error.to_string());
        let found = found.map_err(|text| self.refuse(ExecutionError::Other, text))?;
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
        let mut driven = ExecutedMotion {
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
        let mut refusal = undecided.then(|| "it is not proven that nothing touches on it".to_owned());
        if let Some(hit) = hit {
            let contact = self.contact(&driven, hit, &mut checker);
            let parts = contact.parts.join(" and ");
            refusal = Some(match contact.at_start {
                true => format!("{parts} touch before it begins"),
                false => format!("{parts} touch after {:.1} % of it", 100.0 * contact.share[1]),
            });
            self.run.contacts.push(contact);
        }
        self.run.driven.push(driven);
        match refusal {
            Some(text) if stops => {
                let failure = if undecided { ExecutionError::Undecided } else { ExecutionError::Contact };
                Err(self.refuse(failure, text))
            }
            _ if undecided => {
                self.run.undecided = self.run.undecided.saturating_add(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the contact that a motion ends in: its share of the path, `true` if the motion begins with it, and the
    /// touch.
    fn contact(
        &self,
        driven: &ExecutedMotion,
        (share, at_start, touch): ([f64; 2], bool, EdgeTouch),
        checker: &mut Checker<'_>,
    ) -> RunContact {
        let parts = checker.cell().pair_names(touch.pair).map(str::to_owned);
        let values = driven.values(share[0]);
        let nearest = checker.pair_clearance(&self.all(&values), touch.pair);
        let witness = touch.touch.witness;
        let middle = |w: noli::answer::Witness| 0.5 * (w.on_a.point + w.on_b.point);
        RunContact {
            driven: self.run.driven.len(),
            place: driven.place,
            share,
            time: share.map(|share| driven.start + driven.profile.time(share)),
            at_start,
            values,
            parts,
            point: witness.map(middle),
            normal: touch.touch.normal,
            features: witness.map_or([None, None], |w| [w.on_a.feature, w.on_b.feature]),
            clearance: nearest.map_or(noli::answer::Bracket::INFINITE, |nearest| nearest.clearance),
            proven: touch.touch.proven,
        }
    }

    /// The smallest clearance on what is driven of a motion.
    fn clearance(&self, driven: &ExecutedMotion, cell: &Cell) -> Option<Clearance> {
        let mut shares: Vec<f64> =
            driven.keys.iter().map(|key| key.0).filter(|share| *share < driven.until).collect();
        shares.push(driven.until);
        if shares.len() < 2 {
            shares.insert(0, 0.0);
        }
        let rows: Vec<Vec<f64>> = shares.iter().map(|&share| self.all(&driven.values(share))).collect();
        let path: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let found =
            cell.checker().clearance_along(&path, self.options.profile.saturating_add(path.len())).ok()?;
        let (k, part) = segment_at(shares.len(), found.time);
        let [from, to] = *shares.get(k..)?.first_chunk()?;
        let share = from + (to - from) * part;
        Some(Clearance {
            clearance: found.clearance,
            parts: found.pair.map(|pair| cell.pair_names(pair).map(str::to_owned)),
            share,
            time: driven.start + driven.profile.time(share),
            points: found.witness.map(|w| [w.on_a.point, w.on_b.point]),
        })
    }

    fn rebuild(&mut self) -> Result<(), String> {
        let cell = self.work.cell(&self.parts, None);
        self.cell = Arc::new(cell.map_err(|error| self.refuse(ExecutionError::Other, error.to_string()))?);
        Ok(())
    }

    fn put(&mut self, part: usize, now: PartLocation, time: f64) {
        self.parts[part] = now;
        self.run.parts.push(PartChange { time, part, now });
    }
}

/// Returns the share of a motion at a time of its path, each segment of which takes the same time.
fn share_of(keys: &[(f64, Vec<f64>)], time: f64) -> f64 {
    let (k, part) = segment_at(keys.len(), time);
    let Some([from, to]) = keys.get(k..).and_then(|rest| rest.first_chunk()) else { return 1.0 };
    from.0 + (to.0 - from.0) * part.clamp(0.0, 1.0)
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

    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, IkError> {
        self.arm.inverse(flange, near, choice)
    }

    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String> {
        self.look(motion.time);
        let (from, to) = (self.arm.values(motion.from), self.arm.values(motion.to));
        if let Err(error) = self.work.robot.check_limits(&to) {
            return Err(self.refuse(ExecutionError::Unreachable, error.to_string()));
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
                Err(text) => return Err(self.refuse(ExecutionError::Unreachable, text)),
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
            && let Some((vertex, cut)) = self.vertex(motion, &keys, &profile)
        {
            let cell = self.cell.clone();
            if let Some(before) = self.run.driven.last_mut() {
                before.until = cut[0];
            }
            self.drive(vertex, &cell)?;
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
        self.grip_at(grip)
    }

    fn input(&mut self, signal: u32, time: f64) -> bool {
        self.look(time);
        let mut signals = self.work.signals.iter().zip(&self.inputs);
        let own = signals.any(|(source, on)| source.number == signal && *on);
        own || self.others.as_ref().is_some_and(|others| others.input(signal, time))
    }

    fn next_input(&mut self, after: f64, until: f64) -> Option<f64> {
        self.look(after);
        let own = self.next_change(after);
        match &self.others {
            None => own,
            Some(others) => others.next(after, own.map_or(until, |own| own.min(until))),
        }
    }

    fn output(&mut self, signal: u32, on: bool, time: f64, _place: Place) {
        let changes = self.outputs.entry(signal).or_default();
        let was = changes.last().is_some_and(|change| change.1);
        changes.push((time, on));
        if was != on {
            if let Some(others) = &self.others {
                others.send(signal, on, time);
            }
            self.run.signals.push(SignalChange { time, signal, on, output: true });
        }
        self.look(time);
    }

    fn show(&mut self, text: &str, time: f64, place: Place) {
        self.run.shown.push((time, place, text.to_owned()));
    }
}
