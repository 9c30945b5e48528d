//! The page of a planned path: the robot over time, and its clearance.

use super::plan::Report;
use crate::output::short;
use anyhow::{Context, Result};
use noli::Pose;
use noli_pages::{Curve, MotionPage, PageData, PageScene, PageStep, Room, Track, Up, motion_page};
use noli_project::stage_configuration;
use noli_robot::cell::Cell;

/// Times at which poses are kept.
const MOMENTS: usize = 240;
/// Of these, every so many have their clearance computed.
const EVERY: usize = 6;

/// Renders the path of a robot among its obstacles; `others` are the joint values of other robots of the cell.
pub(crate) fn plan_page(cell: &Cell, others: &[f64], report: &Report) -> Result<PageData> {
    let at = |values: &[f64]| -> Vec<f64> { values.iter().chain(others).copied().collect() };
    let first =
        report.configurations.first().or(report.start.as_ref()).context("there is no configuration")?;
    let mut scene = PageScene::of_staged(&stage_configuration(cell, &at(first))?);
    scene.seconds = report.times_s.last().copied().unwrap_or(0.0).max(1e-3);
    scene.notes.clone_from(&report.warnings);
    let count = if report.configurations.len() > 1 { MOMENTS } else { 1 };
    let times: Vec<f64> = (0..=count).map(|k| k as f64 / count as f64).collect();
    let (mut poses, mut room): (Vec<Vec<Pose>>, Vec<Room>) = (Vec::new(), Vec::new());
    let mut checker = cell.checker();
    for (number, &time) in times.iter().enumerate() {
        let values = at(&configuration_at(report, first, time * scene.seconds));
        poses.push(cell.shape_poses(&values)?);
        if number % EVERY == 0 {
            let near = checker.clearance(&values)?;
            let to = near.pair.map_or(String::new(), |pair| cell.pair_names(pair).join(" – "));
            room.push(Room { time, clearance: near.clearance.at_least * 1e3, to });
        }
    }
    let curves: Vec<Curve> = Curve::of_room(&room, "mm").into_iter().collect();
    let outcome = match (report.found, report.blocked_by.first()) {
        (true, _) => "Path proven collision-free".to_owned(),
        (false, Some([a, b])) => format!("{a} collides with {b}"),
        (false, None) => "No path found".to_owned(),
    };
    let page = MotionPage {
        scene: &scene,
        title: &report.robot,
        outcome: &outcome,
        summary: &super::plan::verdict(report),
        impacts: &[],
        track: &Track::of_frames(times, &poses),
        curves: &curves,
        contacts: &[],
        steps: &steps(report, scene.seconds),
        up: Up::Z,
    };
    motion_page(&page).context("cannot write the page")
}

/// Returns the configuration at a time, straight in joint space between those of the path.
fn configuration_at(report: &Report, first: &[f64], seconds: f64) -> Vec<f64> {
    let (times, all) = (&report.times_s, &report.configurations);
    let next = times.iter().position(|&time| time >= seconds).unwrap_or(times.len().saturating_sub(1));
    let (Some(to), Some(&end)) = (all.get(next), times.get(next)) else { return first.to_vec() };
    let before = next.saturating_sub(1);
    let (from, start) = (&all[before], times[before]);
    let share = if end > start { ((seconds - start) / (end - start)).clamp(0.0, 1.0) } else { 0.0 };
    from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect()
}

fn steps(report: &Report, seconds: f64) -> Vec<PageStep> {
    let values = |values: &[f64]| {
        let named = report.joints.iter().zip(values).map(|(name, value)| format!("{name} {}", short(*value)));
        named.collect::<Vec<_>>().join(", ")
    };
    let rows = report.configurations.iter().zip(&report.times_s).enumerate();
    rows.map(|(number, (configuration, time))| PageStep {
        time: time / seconds,
        label: (number + 1).to_string(),
        text: values(configuration),
        note: format!("{time:.3} s"),
        hit: false,
    })
    .collect()
}
