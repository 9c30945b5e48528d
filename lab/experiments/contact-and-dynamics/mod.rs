//! The demonstrations of contact and dynamics with their figures, and motions that have a closed form.

mod closed;
mod engines;
mod finders;

use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use noli_project::{
    SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact, simulate_dynamics,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    contact: Vec<String>,
    dynamics: Vec<String>,
    share: f64,
    /// Resolutions of the meshes of a scene, each run, to measure the growth of times.
    detail: BTreeMap<String, Vec<u32>>,
    frames: u32,
    /// Cubes that are shot at each of these speeds, in metres per second.
    shots: u32,
    speeds: Vec<f64>,
    /// Bars that turn beside a plate, in radians per second.
    rates: Vec<f64>,
    #[serde(default)]
    real: Vec<engines::Real>,
}

#[derive(Deserialize)]
struct Printed {
    penetrations: u64,
    time_lost: f64,
    closed_form: f64,
    /// Errors of other engines, by motion.
    peers: BTreeMap<String, Peers>,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct Peers {
    mujoco: Option<f64>,
    bullet: Option<f64>,
    rapier: Option<f64>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    let reports = simulated(session, &config)?;
    let pieces: u64 = reports.iter().map(|report| report.summary.pieces).sum();
    let penetrations: u64 = reports.iter().map(|report| report.summary.penetrations).sum();
    session.finding(
        "Nothing ever penetrates",
        Verdict::of(penetrations == goal.penetrations),
        format!(
            "{pieces} pieces of motion were proven free, and the exact test found {penetrations} overlaps at the ends of all frames."
        ),
    );
    let lost = reports.iter().map(|report| report.summary.time_lost).fold(0.0, f64::max);
    session.finding(
        format!("At most {} of the time is lost because nothing could be proven", goal.time_lost),
        Verdict::of(lost <= goal.time_lost),
        format!("{lost:.2e} in the worst scene."),
    );
    finer(session, &config)?;
    detections(session, &config)?;
    closed_forms(session, &goal)?;
    engines::run(session, &config.real)
}

/// Times of frames as scenes are meshed more finely.
fn finer(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let columns =
        ["scene", "triangles", "contacts at most", "penetrations", "ms, median", "ms, p99", "ms, worst"];
    let mut table = Table::new("Frames as meshes get finer", columns);
    for (name, details) in &config.detail {
        for &detail in details {
            session.step(&format!("{name} {detail}"));
            let setup = SimulationSetup::demo(name, detail)?;
            // The first part of the way, at the pace that is meant.
            let share = f64::from(config.frames) / f64::from(setup.frames);
            let setup = setup.first_part(share.min(1.0));
            let report = watched(&setup, &SimulationOptions::default(), true)?;
            let summary = &report.summary;
            let cells = [
                report.triangles as f64,
                summary.contacts_most as f64,
                summary.penetrations as f64,
                summary.frame_ms.median,
                summary.frame_ms.p99,
                summary.frame_ms.worst,
            ];
            table.row(name.clone(), cells.map(Cell::Ours));
        }
    }
    session.table(table);
    Ok(())
}

fn watched(
    setup: &SimulationSetup,
    options: &SimulationOptions,
    is_contact: bool,
) -> Result<SimulationReport> {
    let begun = Instant::now();
    let watch =
        Watch { clock: &|| begun.elapsed().as_secs_f64() * 1e3, frame: &|_| ControlFlow::Continue(()) };
    let simulate = if is_contact { simulate_contact } else { simulate_dynamics };
    Ok(simulate(setup, options, &watch)?)
}

/// Runs the scenes with other detections, and counts bodies that pass through.
fn detections(session: &mut Session<'_>, config: &Config) -> Result<()> {
    session.step("detections");
    let columns = ["motion", "contacts"].into_iter().chain(finders::DETECTIONS);
    let mut table = Table::new("Contacts with a plate of 1 mm that are missed, in frames of 1/60 s", columns);
    let (mut ours, mut others) = (0, 0);
    let shots = config
        .speeds
        .iter()
        .map(|&speed| Ok((format!("cubes of 1 cm at {speed} m/s"), finders::shots(speed, config.shots)?)));
    let swings = config.rates.iter().map(|&rate| {
        Ok((format!("bars of 20 cm turning at {rate} rad/s"), finders::swings(rate, config.shots)?))
    });
    for motion in shots.chain(swings).collect::<Result<Vec<_>>>()? {
        let (name, found) = motion;
        ours += found.missed[finders::DETECTIONS.len() - 1];
        others += found.missed.iter().sum::<u32>();
        let cells = std::iter::once(found.hits).chain(found.missed).map(|count| Cell::Ours(f64::from(count)));
        table.row(name, cells.collect::<Vec<_>>());
    }
    session.table(table);
    session.finding(
        "The guaranteed detection lets nothing through, others do",
        Verdict::of(ours == 0 && others > 0),
        format!("{ours} contacts were missed by it, {} by all others together.", others - ours),
    );
    Ok(())
}

fn simulated(session: &mut Session<'_>, config: &Config) -> Result<Vec<SimulationReport>> {
    let columns = [
        "scene",
        "triangles",
        "penetrations",
        "time lost",
        "contacts at most",
        "pieces",
        "impacts",
        "ms, median",
        "ms, p99",
        "ms, worst",
        "real-time factor",
    ];
    let mut table = Table::new("Scenes", columns);
    let mut reports = Vec::new();
    let both = [(&config.contact, true), (&config.dynamics, false)];
    for (name, is_contact) in both.into_iter().flat_map(|(names, kind)| names.iter().map(move |n| (n, kind)))
    {
        session.step(name);
        let setup = SimulationSetup::demo(name, 1)?;
        let options = if is_contact {
            // The whole way in fewer frames.
            let frames = (config.share.max(0.2) * f64::from(setup.frames)).ceil() as u32;
            SimulationOptions { frames: Some(frames), ..Default::default() }
        } else {
            SimulationOptions { seconds: Some(config.share * setup.seconds), ..Default::default() }
        };
        let report = watched(&setup, &options, is_contact)?;
        let summary = &report.summary;
        let cells = [
            report.triangles as f64,
            summary.penetrations as f64,
            summary.time_lost,
            summary.contacts_most as f64,
            summary.pieces as f64,
            summary.impacts as f64,
            summary.frame_ms.median,
            summary.frame_ms.p99,
            summary.frame_ms.worst,
            summary.real_time_factor,
        ];
        table.row(name.clone(), cells.map(Cell::Ours));
        reports.push(report);
    }
    session.table(table);
    Ok(reports)
}

/// Errors of motions that have a closed form, beside those of engines in use.
fn closed_forms(session: &mut Session<'_>, goal: &Printed) -> Result<()> {
    session.step("closed forms");
    let mut table = Table::new("Errors", ["motion", "noli", "MuJoCo", "Bullet", "rapier"]);
    let mut worst: f64 = 0.0;
    for (key, name, error) in closed::all()? {
        worst = worst.max(error);
        let peers = goal.peers.get(key).copied().unwrap_or_default();
        let theirs = [peers.mujoco, peers.bullet, peers.rapier].map(|printed| match printed {
            Some(printed) => Cell::Printed { printed },
            None => Cell::Text("not measured".to_owned()),
        });
        table.row(name, std::iter::once(Cell::Ours(error)).chain(theirs).collect::<Vec<_>>());
    }
    session.table(table);
    session.finding(
        format!("Motions are as their closed forms say, up to {}", goal.closed_form),
        Verdict::of(worst <= goal.closed_form),
        format!("The largest error is {worst:.1e}."),
    );
    session.note("The figures of other engines were measured before on another run, most with careful settings, cradle and oblique impact with plain ones; they are not run here.");
    Ok(())
}
