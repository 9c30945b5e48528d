//! The removal study: tests if each part can be removed from the engine bay along its path, and with what
//! clearance.

use super::Arguments;
use crate::Verdict;
use crate::output::{self, Progress, Table, short};
use anyhow::{Context, Result};
use noli::Model;
use noli::motion::Motion;
use noli::world::{BodyId, BodySelector, PassageOptions, PathClearance};
use noli_formats::Units;
use noli_pages::{Curve, MotionPage, PageData, PageScene, Room, Track, Up, motion_page};
use noli_project::report::{RemovalReport, RemovalVerdict, StudyReport};
use noli_project::{RemovalTrial, Staged, StagedBody};
use noli_scenes::{Removal, engine_bay};
use rayon::prelude::*;
use std::sync::Arc;

pub(super) fn run(arguments: &Arguments) -> Result<Verdict> {
    let bay = engine_bay(arguments.detail());
    let models: Vec<Model> = bay.parts.par_iter().map(|part| Model::from(&part.mesh)).collect();
    let [planned, hasty] = RemovalTrial::of_engine_bay();
    let left_in = |(removal, planned): (&Removal, &Removal)| {
        (format!("{}, {} left in", removal.name, planned.without.join(", ")), removal.clone())
    };
    let needy = planned.iter().filter(|removal| !removal.without.is_empty());
    let mut tasks: Vec<(String, Removal)> = planned.iter().map(|r| (r.name.to_owned(), r.clone())).collect();
    tasks.extend(hasty.iter().zip(needy).map(left_in));
    let progress = Progress::new(tasks.len());
    let (mut removals, mut pages) = (Vec::new(), Vec::new());
    for (name, removal) in tasks {
        progress.step(&name);
        let mut trial = RemovalTrial::new(&bay, &models, &removal)?;
        let path_clearance =
            trial.world.path_clearance(trial.part, &trial.motion, &PassageOptions::default())?;
        let told = (name.as_str(), removal.part, removal.without);
        let report = RemovalReport::new(told, &trial.world, &*trial.motion, &path_clearance);
        if arguments.html.is_some() {
            pages.push(trial_page(&trial, &path_clearance, &report)?);
        }
        removals.push(report);
    }
    drop(progress);
    if let Some(path) = &arguments.html {
        output::write_file(path, noli_pages::html(&pages).as_bytes())?;
    }
    let study = StudyReport {
        scene: "engine-bay".to_owned(),
        units: Units::Millimetre,
        bodies: bay.parts.len(),
        triangles: bay.triangle_count(),
        removals,
    };
    if arguments.json {
        output::print_report("removals", &study)?
    } else {
        output::print(&text(&study))?
    }
    Ok(study.verdict()?)
}

/// Renders a part of the engine bay on its removal path.
pub(crate) fn trial_page(
    trial: &RemovalTrial,
    path_clearance: &PathClearance,
    report: &RemovalReport,
) -> Result<PageData> {
    /// Moments that poses are kept of.
    const MOMENTS: u32 = 200;
    /// Duration on the page; the path has none of its own.
    const SECONDS: f64 = 4.0;
    let scene = PageScene::of_world(&trial.world, Units::Millimetre, SECONDS);
    let body = trial.world.bodies().position(|(id, _)| id == trial.part).unwrap_or(0);
    let times: Vec<f64> = (0..=MOMENTS).map(|k| f64::from(k) / f64::from(MOMENTS)).collect();
    let track = Track {
        bodies: vec![body],
        poses: times.iter().map(|&time| vec![trial.motion.pose(time)]).collect(),
        times,
    };
    let room = path_clearance.looks.iter().map(|look| Room {
        time: look.time,
        clearance: look.clearance.distance.at_least,
        to: trial.world.body(look.to).map_or_else(|_| String::new(), |body| body.name().to_owned()),
    });
    let curves: Vec<Curve> = Curve::of_room(&room.collect::<Vec<_>>(), "mm").into_iter().collect();
    let impacts: Vec<_> = report.blocked_by.iter().cloned().collect();
    let outcome = match report.verdict {
        RemovalVerdict::Free => "Removal path proven collision-free",
        RemovalVerdict::Blocked => "Blocked on its path",
        RemovalVerdict::Undecided => "Undecided",
    };
    let summary = verdict_text(report, "mm");
    let page = MotionPage {
        scene: &scene,
        title: &report.name,
        outcome,
        summary: summary.trim(),
        impacts: &impacts,
        track: &track,
        curves: &curves,
        contacts: &[],
        steps: &[],
        up: Up::Z,
    };
    motion_page(&page).context("cannot write the page")
}

/// Studies each body of a scene with a single move, all others fixed, on curved surfaces where these are known.
pub(super) fn of_scene(staged: &mut Staged, scene: &str) -> Result<Option<Told>> {
    let [only] = &staged.moves[..] else { return Ok(None) };
    let surfaces = staged.curved_motion();
    let parts: Vec<(BodyId, Arc<dyn Motion>)> =
        only.parts().map(|(id, motion)| (id, Arc::clone(motion))).collect();
    // What moves along is not in the way.
    for (a, _) in &parts {
        for (b, _) in parts.iter().filter(|(b, _)| a < b) {
            staged.world.rules_mut().set([BodySelector::Body(*a), BodySelector::Body(*b)], false);
        }
    }
    let (mut removals, mut room) = (Vec::new(), Vec::new());
    for (part, motion) in &parts {
        let name = staged.name(*part).to_owned();
        let options = PassageOptions::default();
        let path_clearance = staged.world.path_clearance_by(*part, motion, &options, &surfaces)?;
        room.extend(path_clearance.looks.iter().map(|look| Room {
            time: look.time,
            clearance: look.clearance.distance.at_least,
            to: staged.name(look.to).to_owned(),
        }));
        let report = RemovalReport::new((&name, &name, &[]), &staged.world, &**motion, &path_clearance);
        let stopped_by = path_clearance.stopped_by.as_ref();
        let blocked_by = stopped_by.and_then(|answer| surfaces.impact(&staged.world, answer));
        removals.push(RemovalReport { blocked_by, ..report });
    }
    let study = StudyReport {
        scene: scene.to_owned(),
        units: staged.units,
        bodies: staged.bodies.len(),
        triangles: staged.bodies.iter().map(StagedBody::triangles).sum(),
        removals,
    };
    // Of several parts, the one with the least room at a time.
    room.sort_by(|x, y| x.time.total_cmp(&y.time).then(x.clearance.total_cmp(&y.clearance)));
    room.dedup_by(|next, kept| next.time == kept.time);
    let triangles = surfaces.tessellation().map_or(String::new(), |found| found.text(Some(staged.units)));
    Ok(Some(Told { text: text(&study) + &triangles, room }))
}

/// A study for people.
pub(super) struct Told {
    pub(super) text: String,
    /// Clearance along the path.
    pub(super) room: Vec<Room>,
}

fn text(study: &StudyReport) -> String {
    let units = study.units.sign();
    let mut text = format!(
        "Removal study: {}, {} bodies, {} triangles; lengths in {units}\n\n",
        study.scene, study.bodies, study.triangles
    );
    let mut table = Table::new(3, ["removal", "part", "verdict", "path", "reached", "clearance"]);
    for removal in &study.removals {
        let (verdict, left) = match removal.verdict {
            RemovalVerdict::Free => ("free, proven", room(removal.clearance_at_least)),
            RemovalVerdict::Blocked => ("blocked", "none".to_owned()),
            RemovalVerdict::Undecided => ("undecided", "unknown".to_owned()),
        };
        let [whole, reached] = [removal.path_length, removal.travelled].map(length);
        table.row([removal.name.clone(), removal.part.clone(), verdict.to_owned(), whole, reached, left]);
    }
    text += &table.to_string();
    for removal in &study.removals {
        text += &removal_text(removal, units);
    }
    text + "\nWhat is proven holds at every moment of the path, not only at the rows of the tables. Clearances are rounded down.\n"
}

fn length(x: f64) -> String {
    format!("{x:.2}")
}

/// Formats a clearance, rounded down: never more than there is. The play of a fit has its first three digits.
fn room(x: f64) -> String {
    if x >= 0.1 || x <= 0.0 {
        return length((x * 100.0).floor() / 100.0);
    }
    let step = 10f64.powf(x.log10().floor() - 2.0);
    short((x / step).floor() * step)
}

fn place(point: [f64; 3]) -> String {
    point.map(|x| format!("{x:.1}")).join(", ")
}

fn removal_text(removal: &RemovalReport, units: &str) -> String {
    let mut text = format!("\n{}: removal of {}", removal.name, removal.part);
    if !removal.without.is_empty() {
        text += &format!(", after {}", removal.without.join(", "));
    }
    text += "\n";
    text += &verdict_text(removal, units);
    if let (Some(tightest), RemovalVerdict::Free) = (&removal.tightest, removal.verdict) {
        let at = tightest.point.map_or(String::new(), |point| format!(", at ({})", place(point)));
        text += &format!(
            "  tightest place found: {} {units} to {}{at}, after {} {units}\n",
            room(tightest.clearance),
            tightest.to,
            length(tightest.travelled)
        );
    }
    let mut table = Table::new(0, ["  after", "clearance", "nearest part"]);
    for station in &removal.stations {
        table.row([format!("  {}", length(station.travelled)), room(station.clearance), station.to.clone()]);
    }
    text + &table.to_string()
}

/// Describes the proof, or the blocking bodies.
fn verdict_text(removal: &RemovalReport, units: &str) -> String {
    let (reached, whole) = (length(removal.travelled), length(removal.path_length));
    let Some(hit) = &removal.blocked_by else {
        return format!(
            "  free: proven along the whole path of {whole} {units}, with a clearance of at least {} {units}\n",
            room(removal.clearance_at_least)
        );
    };
    let at = hit.point.map_or(String::new(), |point| format!(", at ({})", place(point)));
    let features = hit.features.map_or(String::new(), |features| {
        format!(": {} of {}, {} of {}", features.a, hit.a, features.b, hit.b)
    });
    let verdict = match removal.verdict {
        RemovalVerdict::Undecided => "undecided, because of",
        RemovalVerdict::Free | RemovalVerdict::Blocked => "blocked by",
    };
    let other = hit.other(&removal.part);
    format!("  {verdict} {other} after {reached} of {whole} {units}{at}{features}\n")
}
