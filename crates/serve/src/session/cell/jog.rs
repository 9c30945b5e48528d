//! An arm on the pointer: joints and tool go as far as is proven free.

use super::CellState;
use super::locations::point_key;
use crate::cell_poses::poses_of;
use crate::number::micros;
use crate::protocol::{BranchView, Event, JogFrame, StopView};
use crate::session::{Answer, Session, To, Trouble};
use glam::DVec3;
use noli::query::Clock;
use noli::{Impact, Pose};
use noli_pages::words;
use noli_robot::cell::{Checker, EdgeError, EdgeTouch, PartKind};
use noli_robot::{IkOptions, SphericalWrist};

/// Parts of a drag beyond the reach of the arm that are tried: halves, down to a 32nd.
const HALVINGS: i32 = 5;

impl Session {
    /// Joints towards these values, as far as is proven free.
    pub(in crate::session) fn jog(
        &mut self,
        client: u64,
        target: &[f64],
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if let Some(open) = self.dragging.as_ref().map(|dragging| dragging.body) {
            self.drop_body(0, open, answer)?;
        }
        let start = self.clock.now();
        let state = self.cell()?;
        let wanted = wanted_values(state, target)?;
        let told = |error: String| Trouble::new(error, "move the joints back into their limits");
        let mut checker = state.cell.checker();
        let (accepted, stop) =
            free_part(&mut checker, &state.values, &wanted).map_err(|error| told(error.to_string()))?;
        // To the obstacles: the links of an arm are always near each other.
        let is_outside = |pair: usize| {
            let parts = state.cell.pairs()[pair].parts.map(|part| state.cell.parts()[part].holder);
            parts.iter().any(|holder| !matches!(holder, PartKind::Link { .. }))
        };
        let nearest = checker.clearance_of(&accepted, is_outside).map_err(|error| told(error.to_string()))?;
        drop(checker);
        let names = |pair: usize| state.cell.pair_names(pair).map(str::to_owned);
        let stopped = stop.map(|touch| {
            let [a, b] = names(touch.pair);
            let place = touch.touch.witness.map(|w| w.on_a.point.midpoint(w.on_b.point));
            StopView {
                by: self.named(&b).or_else(|| self.named(&a)).unwrap_or(0),
                place: place.map(|place| self.view.point(place)),
                text: format!("{a} would touch {b}"),
                proven: true,
            }
        });
        let text = nearest.pair.map(|pair| {
            let [a, b] = names(pair);
            format!("{} mm between {a} and {b}", words::short(nearest.clearance.at_least * 1e3))
        });
        let line = nearest.witness.filter(|_| nearest.pair.is_some());
        let line = line.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        let arm = state.arm_values().len();
        let values = accepted[..arm].to_vec();
        let micros = micros(self.clock.now().saturating_sub(start));
        if let Some(state) = &mut self.cell {
            state.values = accepted;
            state.shows_run = false;
        }
        self.place_looks(answer)?;
        let tool = self.cell()?.loaded.work.world_from_root * self.cell()?.tool();
        let jogged = |seq, stopped, clearance_text, clearance_line| Event::Jogged {
            seq,
            values: values.clone(),
            stopped,
            clearance_text,
            clearance_line,
            tool_at: tool.translation.to_array(),
            tool_turn: tool.rotation.normalize().to_array(),
            micros,
        };
        answer.tell(To::Others(client), jogged(0, None, String::new(), None));
        answer.tell(To::One(client), jogged(seq, stopped, text.unwrap_or_default(), line));
        Ok(())
    }

    /// The tool to a location, straight in joint space, as far as is proven free.
    pub(in crate::session) fn go_to(
        &mut self,
        client: u64,
        name: &str,
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if let Some(key) = point_key(name) {
            let values = self.cell()?.values_at_point(&key)?;
            return self.jog(client, &values, seq, answer);
        }
        let work = &self.cell()?.loaded.work;
        let none = || Trouble::new(format!("there is no location {name}"), "teach it first");
        let tool = *work.locations.transformations.get(&name.to_ascii_uppercase()).ok_or_else(none)?;
        let values = self.solved(&(tool * work.tool.inverse()))?;
        self.jog(client, &values, seq, answer)
    }

    /// The joints to values that the SRDF file names, straight in joint space, as far as is proven free.
    pub(in crate::session) fn go_to_state(
        &mut self,
        client: u64,
        (group, name): (&str, &str),
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let state = self.cell()?;
        let none = || Trouble::new(format!("there is no state {name} of {group}"), "choose one of the list");
        let known = state.loaded.states.iter().find(|it| it.group == group && it.name == name);
        let robot = &state.loaded.work.robot;
        let mut values = state.arm_values().to_vec();
        for (variable, value) in &known.ok_or_else(none)?.values {
            if let Some(number) = robot.variable(variable) {
                values[number] = *value;
            }
        }
        self.jog(client, &values, seq, answer)
    }

    /// The tool by a step along and about the axes of a frame, straight in joint space, as far as is proven free.
    pub(in crate::session) fn jog_tool(
        &mut self,
        client: u64,
        (step, turn_deg, frame): ([f64; 3], [f64; 3], JogFrame),
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let finite = step.iter().chain(&turn_deg).all(|x| x.is_finite() && x.abs() < 1e6);
        if !finite {
            return Err(Trouble::new("this is no step", "give ordinary numbers"));
        }
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(state.arm_values(), &mut links);
        let flange = work.world_from_root * links[work.flange];
        let [x, y, z] = turn_deg.map(f64::to_radians);
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, x, y, z);
        let axes = match frame {
            JogFrame::World => glam::DQuat::IDENTITY,
            JogFrame::Tool => (flange.rotation * work.tool.rotation).normalize(),
        };
        let turned = axes * turn * axes.inverse() * flange.rotation.normalize();
        let tool = flange.transform_point(work.tool.translation);
        let shifted = Pose::from_rotation(turned).transform_point(work.tool.translation);
        let target = Pose::new(turned, tool + axes * DVec3::from(step) - shifted);
        let wanted = work.world_from_root.inverse() * target;
        let values = self.solved(&wanted)?;
        self.jog(client, &values, seq, answer)
    }

    /// The tool towards a pose in the view, straight in joint space, as far as is proven free. Of a pose that no
    /// configuration reaches, a part of the way is taken.
    pub(in crate::session) fn drag_tool(
        &mut self,
        client: u64,
        (at, turn): ([f64; 3], [f64; 4]),
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let rotation = glam::DQuat::from_array(turn);
        if !at.iter().chain(&turn).all(|x| x.abs() < 1e9) || rotation.length_squared() < 1e-12 {
            return Err(Trouble::new("invalid pose of the tool", "reload the page"));
        }
        let wanted = work.world_from_root.inverse() * Pose::new(rotation.normalize(), self.view.back(at));
        let now = state.tool();
        let part = |share: f64| {
            let turn = now.rotation.normalize().slerp(wanted.rotation, share);
            let tool = Pose::new(turn, now.translation.lerp(wanted.translation, share));
            self.solved(&(tool * work.tool.inverse()))
        };
        let whole = part(1.0);
        let beyond = whole.as_ref().err().map(|beyond| beyond.text.clone());
        let halves = || (1..=HALVINGS).find_map(|k| part(0.5f64.powi(k)).ok());
        let values = whole.ok().or_else(halves).unwrap_or_else(|| state.arm_values().to_vec());
        self.jog(client, &values, seq, answer)?;
        // The last event is that of the tab which drags.
        if let (Some(text), Some((_, Event::Jogged { stopped, .. }))) = (beyond, answer.events.last_mut()) {
            stopped.get_or_insert(StopView { by: 0, place: None, text, proven: true });
        }
        Ok(())
    }

    /// Values that bring the flange to a pose as the root sees it, near the present ones.
    pub(super) fn solved(&self, root_from_flange: &Pose) -> Result<Vec<f64>, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let near = state.arm_values();
        let told = |error: String| Trouble::new(error, "choose another direction, or move single joints");
        if let Ok(wrist) = SphericalWrist::new(&work.robot, work.flange) {
            let all =
                wrist.solve(&work.robot, root_from_flange, near).map_err(|error| told(error.to_string()))?;
            if let Some(first) = all.first() {
                return Ok(placed(near, &wrist.variables(), &first.joints));
            }
        }
        let found =
            noli_robot::solve_ik(&work.robot, work.flange, root_from_flange, near, &IkOptions::default());
        found.map(|found| found.values).map_err(|error| told(error.to_string()))
    }

    /// Computes all arm configurations for the current flange pose.
    pub(in crate::session) fn branches(&self) -> Result<Vec<BranchView>, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let near = state.arm_values();
        let mut links = vec![Pose::IDENTITY; work.robot.links().len()];
        work.robot.link_poses(near, &mut links);
        let wrist = SphericalWrist::new(&work.robot, work.flange).map_err(|error| {
            Trouble::new(error.to_string(), "branches are known for arms with a spherical wrist")
        })?;
        let all = wrist
            .solve_all(&work.robot, &links[work.flange], near)
            .map_err(|error| Trouble::new(error.to_string(), "move the arm a little"))?;
        let mut checker = state.cell.checker();
        Ok(all
            .iter()
            .map(|solution| {
                let values = placed(near, &wrist.variables(), &solution.joints);
                let whole: Vec<f64> = values.iter().chain(&state.values[values.len()..]).copied().collect();
                let free = matches!(checker.check_state(&whole), Ok(noli_robot::cell::StateStatus::Free));
                let poses = poses_of(&state.loaded, &values);
                BranchView {
                    name: format!(
                        "{:?} {:?} {:?}",
                        solution.branch.shoulder, solution.branch.elbow, solution.branch.wrist
                    )
                    .to_lowercase(),
                    within: solution.beyond.is_none(),
                    free,
                    ghost: self.ghost(&poses),
                    values,
                }
            })
            .collect())
    }

    /// Returns the drawing poses of moved visual parts.
    fn ghost(&self, poses: &[Pose]) -> Vec<(usize, [f64; 3], [f64; 4])> {
        let Some(state) = &self.cell else { return Vec::new() };
        let of_arm = state.loaded.looks.iter().enumerate().filter(|(_, look)| look.link.is_some());
        of_arm
            .map(|(number, _)| {
                let (at, turn) = self.view.pose(&poses[number], self.entries[number].middle);
                (number, at, turn)
            })
            .collect()
    }
}

/// Returns all values of a cell with those of the arm replaced, within their limits.
fn wanted_values(state: &CellState, target: &[f64]) -> Result<Vec<f64>, Trouble> {
    let robot = &state.loaded.work.robot;
    if target.len() != robot.variables().len() || target.iter().any(|value| !value.is_finite()) {
        return Err(Trouble::new("these are no joint values", "reload the page"));
    }
    let mut wanted = state.values.clone();
    for ((value, variable), to) in wanted.iter_mut().zip(robot.variables()).zip(target) {
        *value = variable.limits.range.map_or(*to, |[low, high]| to.clamp(low, high));
    }
    robot.apply_laws(&mut wanted[..target.len()]);
    Ok(wanted)
}

/// Returns the values on the edge up to which it is proven free, and the contact behind them.
fn free_part(
    checker: &mut Checker<'_>,
    from: &[f64],
    to: &[f64],
) -> Result<(Vec<f64>, Option<EdgeTouch>), EdgeError> {
    let (share, stop) = match checker.first_contact_on_edge(from, to)? {
        // Bodies that overlap at the start do not hold the arm: it is pulled out of them.
        Impact::Free | Impact::AtStart(_) => (1.0, None),
        Impact::At { time, touch } => (time.safe_until, Some(touch)),
        Impact::Unknown { safe_until, .. } => (safe_until, None),
    };
    let part = |(from, to): (&f64, &f64)| if share >= 1.0 { *to } else { from + (to - from) * share };
    let accepted: Vec<f64> = from.iter().zip(to).map(part).collect();
    // Rounding must not carry the arm over the edge of what is proven.
    let is_free = matches!(checker.check_state(&accepted), Ok(noli_robot::cell::StateStatus::Free));
    let accepted = if stop.is_some() && !is_free { from.to_vec() } else { accepted };
    Ok((accepted, stop))
}

fn placed(near: &[f64], variables: &[usize; 6], joints: &[f64; 6]) -> Vec<f64> {
    let mut values = near.to_vec();
    for (&variable, &joint) in variables.iter().zip(joints) {
        values[variable] = joint;
    }
    values
}
