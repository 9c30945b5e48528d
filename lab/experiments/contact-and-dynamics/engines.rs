//! Real assemblies, simulated here and by engines in use, all judged by the exact test.

use crate::{Cell, Session, Table, Verdict, peers};
use anyhow::{Context, Result};
use noli::penetration::max_vertex_depth;
use noli::{Overlap, Pose, overlap};
use noli_formats::{ReadOptions, read_mesh};
use noli_project::{SetupBody, SimulationOptions, SimulationSetup, Watch, simulate_dynamics};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

/// A simulated scene.
#[derive(Clone, Deserialize)]
pub(super) struct Real {
    scene: String,
    /// Of the motion as it is meant; so many times faster it takes so much less.
    seconds: f64,
    speed: f64,
}

/// The step of engines that have one, and how each is called.
const STEP: &str = "0.001";
const ENGINES: [&str; 2] = ["mujoco", "bullet"];

/// Poses of all bodies at the ends of frames.
type Frames = Vec<Vec<[f64; 7]>>;

#[derive(Deserialize)]
struct Reply {
    engine: String,
    version: String,
    wall: f64,
    frames: Frames,
}

/// Results of the exact test of poses.
struct Judged {
    /// Instants at which any two bodies overlap.
    instants: usize,
    /// Largest measured depth of a vertex in another body, in metres.
    deepest: f64,
}

pub(super) fn run(session: &mut Session<'_>, all: &[Real]) -> Result<()> {
    let folder = crate::data_folder().join("cad/rigid-ipc");
    if all.is_empty() {
        return Ok(());
    }
    if !folder.is_dir() {
        session.note(
            "The scenes of the rigid-ipc collection are not here (NOLI_DATA): they were not simulated.",
        );
        return Ok(());
    }
    let columns = [
        "scene, seconds, speed",
        "engine",
        "instants",
        "with overlaps",
        "deepest, m",
        "end state off by, m",
        "CPU or wall, s",
        "real-time factor",
    ];
    let mut table = Table::new("Real assemblies", columns);
    let (mut overlaps, mut lost, mut late): (u64, f64, f64) = (0, 0.0, 0.0);
    for real in all {
        let name = format!("{}, {} s, {}x", real.scene, real.seconds, real.speed);
        session.step(&name);
        let setup = load(&folder, real)?;
        let options = SimulationOptions {
            speed: Some(real.speed),
            seconds: Some(real.seconds / real.speed),
            frames: Some(((real.seconds * 60.0).ceil() as u32).max(1)),
            ..Default::default()
        };
        let begun = Instant::now();
        let watch =
            Watch { clock: &|| begun.elapsed().as_secs_f64() * 1e3, frame: &|_| ControlFlow::Continue(()) };
        let report = simulate_dynamics(&setup, &options, &watch)?;
        let wall = begun.elapsed().as_secs_f64();
        let ours: Frames = report.frames.iter().map(|frame| frame.poses.clone()).collect();
        let judged = judge(&setup, &ours);
        overlaps += report.summary.penetrations + judged.instants as u64;
        lost = lost.max(report.summary.time_lost);
        late = late.max(behind(&setup, &ours));
        let simulated = real.seconds / real.speed;
        let mut row = |engine: String, frames: &Frames, judged: &Judged, wall: f64| {
            let figures = [
                frames.len() as f64,
                judged.instants as f64,
                judged.deepest,
                separated(&setup, frames, &ours),
                wall,
                simulated / wall,
            ];
            let cells = std::iter::once(Cell::Text(engine)).chain(figures.map(Cell::Ours));
            table.row(name.clone(), cells.collect::<Vec<_>>());
        };
        row("noli".to_owned(), &ours, &judged, wall);
        for reply in ask_all(&setup, real)? {
            let judged = judge(&setup, &reply.frames);
            row(format!("{} {}", reply.engine, reply.version), &reply.frames, &judged, reply.wall);
        }
    }
    session.table(table);
    session.finding(
        "Real assemblies never penetrate, however fast they are driven",
        Verdict::of(overlaps == 0 && lost <= 1e-3 && late <= 1e-9),
        format!(
            "{overlaps} overlaps at recorded instants and pieces without a proof, {lost:.1e} of the time lost, driven bodies within {late:.1e} m of their schedule."
        ),
    );
    session.note("MuJoCo replaces meshes by their hulls, PyBullet those of bodies that fall: links, gears and screws overlap their neighbours from the start there, which is what their users get unless they cut bodies into convex pieces by hand. Settings are the engines' own at a step of 1/1000 s.");
    Ok(())
}

fn load(folder: &std::path::Path, real: &Real) -> Result<SimulationSetup> {
    let path = folder.join("scenes").join(format!("{}.json", real.scene));
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut mesh = |name: &str| {
        let path = folder.join("meshes").join(name);
        read_mesh(path, &ReadOptions::default()).map_err(|error| error.to_string())
    };
    Ok(SimulationSetup::rigid_ipc(&real.scene, &text, real.seconds, &mut mesh)?)
}

fn placed(pose: &[f64; 7]) -> Pose {
    let [x, y, z, ..] = *pose;
    Pose::new(glam::DQuat::from_slice(&pose[3..]), glam::DVec3::new(x, y, z))
}

fn is_driven(setup: &SimulationSetup, body: usize) -> bool {
    setup.groups.iter().any(|group| group.bodies.contains(&body))
}

fn falls(setup: &SimulationSetup, body: usize) -> bool {
    !setup.bodies[body].fixed && !is_driven(setup, body)
}

/// Number of instants with overlaps at which the depth is measured: that takes longer than the test.
const MEASURED: usize = 6;

fn judge(setup: &SimulationSetup, frames: &Frames) -> Judged {
    let count = setup.bodies.len();
    let pairs: Vec<(usize, usize)> = (0..count)
        .flat_map(|i| (i + 1..count).map(move |k| (i, k)))
        .filter(|&(i, k)| falls(setup, i) || falls(setup, k))
        .collect();
    let hits = |poses: &Vec<[f64; 7]>| -> Vec<(usize, usize)> {
        let boxes: Vec<_> =
            (0..count).map(|k| setup.bodies[k].model.aabb().transformed(&placed(&poses[k]))).collect();
        let at = |k: usize| setup.bodies[k].model.at(placed(&poses[k]));
        let hit = |&&(i, k): &&(usize, usize)| {
            boxes[i].overlaps(&boxes[k]) && overlap(&at(i), &at(k)) != Overlap::Free
        };
        pairs.iter().filter(hit).copied().collect()
    };
    let bad: Vec<(usize, Vec<(usize, usize)>)> = frames
        .iter()
        .enumerate()
        .map(|(number, poses)| (number, hits(poses)))
        .filter(|(_, hits)| !hits.is_empty())
        .collect();
    let mut deepest: f64 = 0.0;
    for (number, hits) in bad.iter().step_by(bad.len().div_ceil(MEASURED).max(1)) {
        for &(i, k) in hits {
            let at = |k: usize| setup.bodies[k].model.at(placed(&frames[*number][k]));
            deepest = deepest.max(max_vertex_depth(&at(i), &at(k)).at_least);
        }
    }
    Judged { instants: bad.len(), deepest }
}

/// Largest distance of the centre of a falling body from its place in the other run, at the end.
fn separated(setup: &SimulationSetup, frames: &Frames, ours: &Frames) -> f64 {
    let (Some(x), Some(y)) = (frames.last(), ours.last()) else { return f64::NAN };
    let middle = |poses: &Vec<[f64; 7]>, k: usize| {
        placed(&poses[k]).transform_point(setup.bodies[k].model.aabb().center())
    };
    let bodies = (0..setup.bodies.len()).filter(|&k| falls(setup, k));
    bodies.map(|k| middle(x, k).distance(middle(y, k))).fold(0.0, f64::max)
}

/// Largest distance of a driven body from its schedule at the end.
fn behind(setup: &SimulationSetup, ours: &Frames) -> f64 {
    let Some(last) = ours.last() else { return f64::INFINITY };
    let off = |group: &noli_project::SetupGroup| {
        let leader = group.bodies[0];
        let (now, goal) = (placed(&last[leader]), group.wanted.pose(1.0));
        let bounds = setup.bodies[leader].model.aabb();
        now.transform_point(bounds.max).distance(goal.transform_point(bounds.max))
    };
    setup.groups.iter().map(off).fold(0.0, f64::max)
}

/// The scene as the programs of `peers` read it.
fn job(setup: &SimulationSetup, real: &Real) -> Result<Value> {
    let mut bodies = Vec::new();
    for (number, body) in setup.bodies.iter().enumerate() {
        bodies.push(job_body(setup, number, body, real.speed)?);
    }
    Ok(json!({
        "gravity": setup.gravity.to_array(),
        "seconds": real.seconds / real.speed,
        "frames": ((real.seconds * 60.0).ceil() as u32).max(1),
        "bodies": bodies,
    }))
}

fn job_body(setup: &SimulationSetup, number: usize, body: &SetupBody, speed: f64) -> Result<Value> {
    let mesh = body.model.mesh().context("a body is no mesh")?;
    let kind = match (is_driven(setup, number), body.fixed) {
        (true, _) => "driven",
        (false, true) => "fixed",
        (false, false) => "free",
    };
    let mass = body.properties()?;
    let pose = Pose::new(body.pose.rotation.normalize(), body.pose.translation);
    Ok(json!({
        "kind": kind,
        "vertices": mesh.vertices().iter().map(|v| v.to_array()).collect::<Vec<_>>(),
        "triangles": mesh.triangles(),
        "pose": pose.to_array(),
        "mass": mass.mass,
        "center": mass.center.to_array(),
        "inertia": mass.inertia.to_cols_array(),
        "velocity": (body.velocity * speed).to_array(),
        "spin": (body.spin * speed).to_array(),
        "friction": body.material.friction,
        "restitution": body.material.restitution,
    }))
}

/// The programs that are there, each in a process of its own.
fn ask_all(setup: &SimulationSetup, real: &Real) -> Result<Vec<Reply>> {
    let Some(folder) = peers::folder() else { return Ok(Vec::new()) };
    let private = noli_formats::PrivateFolder::new()?;
    let path = private.path().join("scene.json");
    std::fs::write(&path, serde_json::to_vec(&job(setup, real)?)?).context("the scene cannot be written")?;
    let mut replies = Vec::new();
    for engine in ENGINES.map(|name| folder.join(name)).iter().filter(|program| program.is_file()) {
        let output = Command::new(engine).arg(&path).arg(STEP).output().context("a peer did not start")?;
        let text = String::from_utf8_lossy(&output.stdout);
        // An engine that gives up has no row.
        if let Some(reply) = text.lines().last().and_then(|line| serde_json::from_str::<Reply>(line).ok()) {
            replies.push(reply);
        }
    }
    Ok(replies)
}
