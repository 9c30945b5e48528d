//! The gripper: what it closes on is held, what it opens on stays where it is.

use super::{CellHost, Wanted};
use crate::run::work::Grasp;
use crate::run::{DrivenKind, ExecutedMotion, ExecutionError, PartLocation, Profile};
use crate::{Grip, Gripped, Host as _};
use noli::answer::Impact;

impl CellHost<'_> {
    /// Opens or closes the gripper where the arm is then.
    pub(super) fn grip_at(&mut self, grip: &Grip) -> Result<Gripped, String> {
        let Some(grasp) = &self.work.grasp else {
            let text = "the robot has no gripper; give the cell a [gripper]".to_owned();
            return Err(self.refuse(ExecutionError::Other, text));
        };
        let joints = self.joints_at(grip.time).unwrap_or_else(|| self.arm.joints(&self.arm.start));
        let values = self.arm.values(&joints);
        if grasp.fingers.is_empty() {
            if grip.open {
                self.release(grip, grasp, &values)?;
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

    /// The values with the fingers at a share between closed and open.
    fn with_fingers(&self, grasp: &Grasp, values: &[f64], share: f64) -> Vec<f64> {
        let mut values = values.to_vec();
        for &(variable, [closed, open]) in &grasp.fingers {
            values[variable] = closed + (open - closed) * share;
        }
        self.work.robot.apply_laws(&mut values);
        values
    }

    /// Releases the held part at its pose; returns its number.
    fn release(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64]) -> Result<Option<usize>, String> {
        let held = self.held();
        if let Some(part) = held
            && let PartLocation::Held(link_from_part) = self.parts[part]
        {
            let pose = self.link_pose(values, grasp.link) * link_from_part;
            self.put(part, PartLocation::Stands(pose), grip.time);
            self.rebuild()?;
        }
        Ok(held)
    }

    fn open(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64], to: f64) -> Result<f64, String> {
        let let_go = self.release(grip, grasp, values)?;
        // Fingers leave what they held: that pair touches at first.
        let cell = self.work.cell(&self.parts, let_go);
        let cell = cell.map_err(|error| self.refuse(ExecutionError::Other, error.to_string()))?;
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

    /// Closes until the fingers touch a part, or completely.
    fn close(&mut self, grip: &Grip, grasp: &Grasp, values: &[f64], from: f64) -> Result<f64, String> {
        let closed = self.with_fingers(grasp, values, 0.0);
        let [a, b] = [self.all(values), self.all(&closed)];
        let cell = self.cell.clone();
        let mut checker = cell.checker();
        let found = checker.first_contact_on_path(&[&a, &b]).map_err(|error| error.to_string());
        let found = found.map_err(|text| self.refuse(ExecutionError::Other, text))?;
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
            let gap =
                checker.pair_clearance(&all, pair).map_or(f64::INFINITY, |nearest| nearest.clearance.at_most);
            if farthest.is_none_or(|far| gap > far.0) {
                farthest = Some((gap, finger));
            }
        }
        let seconds = grasp.seconds * share;
        self.run.driven.push(ExecutedMotion {
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
            return Err(self.refuse(ExecutionError::Contact, text));
        }
        self.hold(part, grasp, &at, grip.time + seconds)?;
        Ok(stop)
    }

    fn hold(&mut self, part: usize, grasp: &Grasp, values: &[f64], time: f64) -> Result<(), String> {
        if let PartLocation::Stands(pose) = self.parts[part] {
            let link_from_part = self.link_pose(values, grasp.link).inverse() * pose;
            self.put(part, PartLocation::Held(link_from_part), time);
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
            let clearance =
                checker.pair_clearance(&all, pair).map_or(f64::INFINITY, |nearest| nearest.clearance.at_most);
            if clearance <= grasp.slack && nearest.is_none_or(|best| clearance < best.0) {
                nearest = Some((clearance, number));
            }
        }
        if let Some((_, part)) = nearest {
            self.hold(part, grasp, values, grip.time)?;
        }
        Ok(())
    }
}

/// Returns the opening of the gripper in a configuration.
pub(super) fn opening_of(grasp: &Grasp, values: &[f64]) -> f64 {
    let share = grasp.fingers.first().map_or(0.0, |&(variable, [closed, open])| {
        if open == closed { 0.0 } else { ((values[variable] - closed) / (open - closed)).clamp(0.0, 1.0) }
    });
    grasp.opening[0] + (grasp.opening[1] - grasp.opening[0]) * share
}

fn opening_share(grasp: &Grasp, values: &[f64]) -> f64 {
    let [closed, open] = grasp.opening;
    if open == closed { 0.0 } else { (opening_of(grasp, values) - closed) / (open - closed) }
}
