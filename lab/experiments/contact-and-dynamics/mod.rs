//! The demonstrations of contact and dynamics with their figures, and motions that have a closed form.

use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use glam::{DMat3, DQuat, DVec3};
use noli::{Convex, Model, Pose, Shape};
use noli_io::{
    SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact, simulate_dynamics,
};
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, MassProperties, Material};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    contact: Vec<String>,
    dynamics: Vec<String>,
    share: f64,
    detail: u32,
}

#[derive(Deserialize)]
struct Printed {
    penetrations: u64,
    time_lost: f64,
    rod: Peers,
    bounce: Peers,
    roll: Peers,
}

#[derive(Deserialize)]
struct Peers {
    mujoco: f64,
    bullet: f64,
    rapier: f64,
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
    closed_forms(session, &goal)
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
        let setup = SimulationSetup::demo(name, config.detail)?;
        let options = if is_contact {
            // The whole way in fewer frames.
            let frames = (config.share.max(0.2) * f64::from(setup.frames)).ceil() as u32;
            SimulationOptions { frames: Some(frames), ..Default::default() }
        } else {
            SimulationOptions { seconds: Some(config.share * setup.seconds), ..Default::default() }
        };
        let begun = Instant::now();
        let watch = Watch { clock: &|| begun.elapsed().as_secs_f64() * 1e3, frame: &|_| () };
        let simulate = if is_contact { simulate_contact } else { simulate_dynamics };
        let report = simulate(&setup, &options, &watch)?;
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

const G: f64 = 9.81;

fn world(skin: f64, material: Material) -> Result<Dynamics> {
    let mut sim = Dynamics::new(DynamicsOptions { skin, ..Default::default() });
    sim.add(BodySpec::fixed("floor", Model::new(Shape::HalfSpace)?, Pose::IDENTITY).of(material))?;
    Ok(sim)
}

/// Relative errors of motions that have a closed form, beside those of engines in use.
fn closed_forms(session: &mut Session<'_>, goal: &Printed) -> Result<()> {
    session.step("closed forms");
    let mut table = Table::new("Relative errors", ["motion", "noli", "MuJoCo", "Bullet", "rapier"]);
    for (name, error, peers) in [
        ("rod of 1 m at 30 degrees, e = 0.5: spin after the impact", rod()?, &goal.rod),
        ("ball, e = 0.8: height of the first bounce", bounce()?, &goal.bounce),
        ("ball that slips until it rolls: final speed", roll()?, &goal.roll),
    ] {
        let theirs = [peers.mujoco, peers.bullet, peers.rapier].map(|printed| Cell::Printed { printed });
        table.row(name, std::iter::once(Cell::Ours(error)).chain(theirs).collect::<Vec<_>>());
    }
    session.table(table);
    session.note("The figures of other engines are with careful settings, measured before on another run; they are not run here.");
    Ok(())
}

fn rod() -> Result<f64> {
    let (e, length, angle, height) = (0.5, 1.0, 30f64.to_radians(), 1.0);
    let smooth = Material { friction: 0.0, restitution: e };
    let mut sim = world(1e-7, smooth)?;
    let turn = DQuat::from_rotation_y(90f64.to_radians() - angle);
    let across = length * length / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, 1e-4));
    let start = Pose::new(turn, DVec3::Z * (height + 0.01 + 0.5 * length * angle.sin()));
    let model = Model::from(Convex::capsule(length, 0.01)?);
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let rod = sim.add(BodySpec::free("rod", model, start).weighing(mass).of(smooth))?;
    sim.advance((2.0 * height / G).sqrt() * (1.0 + 1e-6))?;
    let spin = 6.0 * (1.0 + e) * (2.0 * G * height).sqrt() * angle.cos()
        / (length * (1.0 + 3.0 * angle.cos().powi(2)));
    Ok((sim.bodies()[rod].state().spin.length() / spin - 1.0).abs())
}

fn bounce() -> Result<f64> {
    let elastic = Material { friction: 0.0, restitution: 0.8 };
    let mut sim = world(1e-7, elastic)?;
    let start = Pose::from_translation(DVec3::Z * 1.5);
    let ball = sim.add(BodySpec::free("ball", Model::from(Convex::sphere(0.5)?), start).of(elastic))?;
    sim.advance((2.0 / G).sqrt() * 1.8)?;
    Ok(((sim.pose(ball).translation.z - 0.5) / 0.64 - 1.0).abs())
}

fn roll() -> Result<f64> {
    let material = Material { friction: 0.3, restitution: 0.0 };
    let mut sim = world(1e-5, material)?;
    let start = Pose::from_translation(DVec3::Z * (0.2 + 3e-6));
    let spec = BodySpec::free("ball", Model::from(Convex::sphere(0.2)?), start).of(material);
    let ball = sim.add(spec.moving(DVec3::X * 2.0, DVec3::ZERO))?;
    sim.advance(1.0)?;
    Ok((sim.bodies()[ball].state().velocity.x / (2.0 * 5.0 / 7.0) - 1.0).abs())
}
