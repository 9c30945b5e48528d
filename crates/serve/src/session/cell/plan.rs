//! A planned path of the arm to a location.

use super::locations::point_key;
use crate::cell_poses::poses_of;
use crate::number::single;
use crate::protocol::{Event, TrackView};
use crate::session::{Answer, Session, To, Trouble};
use glam::DVec3;
use noli::query::{Clock, SteadyClock};
use noli_pages::shape::View;
use noli_pages::words;
use noli_plan::{Effort, JointOptions, plan_joints};
use noli_project::cell::LoadedCell;
use noli_robot::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Time limit of a search.
const SEARCH: Duration = Duration::from_secs(60);
/// Pictures of a path.
const PICTURES: usize = 240;

/// A path to plan: from the current configuration to a location.
#[derive(Debug)]
pub(in crate::session) struct JointPlan {
    pub(in crate::session) location: String,
    cell: Cell,
    loaded: LoadedCell,
    from: Vec<f64>,
    to: Vec<f64>,
    view: View,
    middles: Vec<DVec3>,
}

impl Session {
    /// Returns the plan of a path to a location.
    pub(in crate::session) fn joint_plan(&self, location: &str) -> Result<Box<JointPlan>, Trouble> {
        let state = self.cell()?;
        let work = &state.loaded.work;
        let none = || Trouble::new(format!("there is no location {location}"), "teach it first");
        let arm = if let Some(key) = point_key(location) {
            state.values_at_point(&key)?
        } else {
            let known = &work.locations.transformations;
            let tool = known.get(&location.to_ascii_uppercase()).ok_or_else(none)?;
            self.solved(&(*tool * work.tool.inverse()))?
        };
        let to = arm.iter().chain(&state.values[arm.len()..]).copied().collect();
        Ok(Box::new(JointPlan {
            location: location.to_owned(),
            cell: state.cell.clone(),
            loaded: state.loaded.clone(),
            from: state.values.clone(),
            to,
            view: self.view,
            middles: self.entries.iter().map(|entry| entry.middle).collect(),
        }))
    }

    /// Moves the arm to the end of a planned path, all of which is proven collision-free.
    pub(in crate::session) fn arrive(&mut self, end: &[f64], answer: &mut Answer) -> Result<(), Trouble> {
        let Some(state) = &mut self.cell else { return Ok(()) };
        if end.len() != state.values.len() {
            return Err(Trouble::new("the robot has changed since", "plan again"));
        }
        end.clone_into(&mut state.values);
        state.shows_run = false;
        self.place_looks(answer)?;
        let state = self.cell()?;
        let tool = state.loaded.work.world_from_root * state.tool();
        answer.tell(
            To::All,
            Event::Jogged {
                seq: 0,
                values: state.arm_values().to_vec(),
                stopped: None,
                clearance_text: String::new(),
                clearance_line: None,
                tool_at: tool.translation.to_array(),
                tool_turn: tool.rotation.normalize().to_array(),
                micros: 0,
            },
        );
        Ok(())
    }
}

impl JointPlan {
    /// Searches the path; returns it as a motion to show, and its last configuration.
    pub(in crate::session) fn run(
        &self,
        cancel: &AtomicBool,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<(TrackView, Vec<f64>), Trouble> {
        let clock = SteadyClock::start();
        let stop = || {
            let share = clock.now().as_secs_f64() / SEARCH.as_secs_f64();
            progress(share.min(1.0));
            cancel.load(Relaxed) || share >= 1.0
        };
        let effort = Effort { stop: &stop, ..JointOptions::default().effort };
        let arm = self.loaded.work.robot.variables();
        let moving: Vec<usize> = (0..arm.len()).filter(|&variable| arm[variable].mimic.is_none()).collect();
        let options = JointOptions { effort, ..JointOptions::default() };
        let found = plan_joints(&self.cell, &self.from, &self.to, &moving, &options)
            .map_err(|error| Trouble::new(error.to_string(), "move the arm, or teach another location"))?;
        let none = || {
            let text = format!("no path to {} was found, which proves nothing", self.location);
            Trouble::new(text, "try again, or move the arm nearer first")
        };
        let path = found.path.ok_or_else(none)?;
        let end = path.configurations.last().cloned().unwrap_or_else(|| self.from.clone());
        let seconds = path.cost.max(1.0);
        let verdict = format!(
            "Planned: {}, {} rad in joint space, proven collision-free at every instant",
            words::plural(path.configurations.len().saturating_sub(1), "segment", "segments"),
            words::short(path.cost)
        );
        Ok((self.track(&path.configurations, verdict, seconds), end))
    }

    fn track(&self, path: &[Vec<f64>], verdict: String, seconds: f64) -> TrackView {
        let arm = self.loaded.work.robot.variables().len();
        let bodies: Vec<usize> =
            (0..self.loaded.looks.len()).filter(|&look| self.loaded.looks[look].link.is_some()).collect();
        let times: Vec<f64> = (0..=PICTURES).map(|k| k as f64 / PICTURES as f64).collect();
        let (mut poses, mut joints) = (Vec::new(), Vec::new());
        for &time in &times {
            let values = configuration_at(path, time);
            let all = poses_of(&self.loaded, &values[..arm]);
            for &body in &bodies {
                let (at, turn) = self.view.pose(&all[body], self.middles[body]);
                poses.extend(at.iter().chain(&turn).map(|x| single(*x)));
            }
            joints.extend(values[..arm].iter().map(|value| single(*value)));
        }
        let title = format!("Path to {}", self.location.to_ascii_lowercase());
        TrackView {
            title,
            verdict,
            free: true,
            seconds,
            times,
            bodies,
            poses,
            joints,
            ..TrackView::default()
        }
    }
}

/// Returns the configuration at a share of a path whose segments take time by their length in joint space.
fn configuration_at(path: &[Vec<f64>], share: f64) -> Vec<f64> {
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let whole: f64 = path.windows(2).map(|pair| distance(&pair[0], &pair[1])).sum();
    let mut left = share * whole;
    for pair in path.windows(2) {
        let length = distance(&pair[0], &pair[1]);
        if left <= length && length > 0.0 {
            let share = left / length;
            return pair[0].iter().zip(&pair[1]).map(|(a, b)| a + (b - a) * share).collect();
        }
        left -= length;
    }
    path.last().cloned().unwrap_or_default()
}
