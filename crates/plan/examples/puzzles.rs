//! Puzzles for many seeds: how many are solved in which time of the processor, and the same for a peer whose ways are put
//! to the proof.
//!
//! `cargo run --release -p noli-plan --example puzzles -- [NAME]... [--seeds N] [--steps N] [--seconds S] [--peer PYTHON]`
//!
//! The peer is `peers/ompl/main.py`, run by the interpreter that `--peer` names, from the root of the repository.

use noli::{Model, Pose, World};
use noli_plan::{Effort, Found, RemoveOptions, RigidSpace, remove};
use noli_scenes::TriangleSet;
use std::path::Path;
use std::process::Command;

struct Asked {
    names: Vec<String>,
    seeds: u64,
    steps: u64,
    seconds: f64,
    peer: Option<String>,
}

fn asked() -> Asked {
    let mut asked = Asked { names: Vec::new(), seeds: 20, steps: 60_000, seconds: 20.0, peer: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().expect("a value");
        match argument.as_str() {
            "--seeds" => asked.seeds = next().parse().expect("a number"),
            "--steps" => asked.steps = next().parse().expect("a number"),
            "--seconds" => asked.seconds = next().parse().expect("a number"),
            "--peer" => asked.peer = Some(next()),
            _ => asked.names.push(argument),
        }
    }
    if asked.names.is_empty() {
        let all =
            ["bugtrap", "alpha-puzzle", "knotted-tube", "double-l", "flange", "bayonet", "past-bracket"];
        asked.names = all.map(str::to_owned).to_vec();
    }
    asked
}

/// Seconds of the processor that this thread has had; the machine may be shared.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-9
}

/// A line of a table of poses.
fn row(pose: &Pose) -> String {
    let (p, q) = (pose.translation, pose.rotation.normalize());
    format!("{},{},{},{},{},{},{}\n", p.x, p.y, p.z, q.x, q.y, q.z, q.w)
}

/// What a peer needs: the meshes, the bounds of the space, a start and a place outside.
fn write_job(folder: &Path, world: &World, space: &RigidSpace, part: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    let mut rest = (Vec::new(), Vec::new());
    let mut around = noli_geom::Aabb::EMPTY;
    for (_, body) in world.bodies() {
        let mesh = body.model().mesh().expect("a mesh");
        around = around.union(body.model().aabb().moved(&body.pose()));
        if body.name() == part {
            let raw = noli_scenes::raw_mesh(&TriangleSet::from(mesh));
            std::fs::write(folder.join("part.raw"), raw).expect("a file");
            continue;
        }
        let first = rest.0.len() as u32;
        rest.0.extend(mesh.vertices().iter().map(|vertex| body.pose().transform_point(*vertex)));
        rest.1.extend(mesh.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    let rest = noli::Mesh::from_triangles(rest.0, rest.1, &Default::default()).expect("a mesh");
    std::fs::write(folder.join("rest.raw"), noli_scenes::raw_mesh(&TriangleSet::from(&rest)))
        .expect("a file");
    let start = space.start();
    let mut memory = Default::default();
    let goal = glam::DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]).find_map(|axis| {
        let needed = 1.02 * space.pull(&start, axis, &mut memory).needed;
        let pose = Pose::new(start.rotation, start.translation + axis * needed);
        (space.is_out(&pose) && space.is_free(&pose, &mut memory)).then_some(pose)
    });
    let goal = goal.expect("a place outside");
    let around = around.grown(0.5 * around.size().max_element());
    let mut text = "x,y,z,qx,qy,qz,qw\n".to_owned();
    text += &row(&Pose::from_translation(around.min));
    text += &row(&Pose::from_translation(around.max));
    text += &row(&start);
    text += &row(&goal);
    std::fs::write(folder.join("query.csv"), text).expect("a file");
}

/// A peer's answer: its time, and its way if it has one.
fn ask_peer(python: &str, folder: &Path, seed: u64, seconds: f64) -> Option<(f64, Option<Vec<Pose>>)> {
    let [seed, seconds] = [seed.to_string(), seconds.to_string()];
    let output = Command::new(python)
        .args(["peers/ompl/main.py", folder.to_str()?, &seed, &seconds])
        .output()
        .expect("an interpreter");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("way") && !line.starts_with("none"));
    let (word, took) = lines.next()?.split_once(' ')?;
    let pose = |line: &str| {
        let x: Vec<f64> = line.split(',').filter_map(|number| number.parse().ok()).collect();
        (x.len() == 7).then(|| {
            Pose::new(glam::DQuat::from_xyzw(x[3], x[4], x[5], x[6]), glam::DVec3::new(x[0], x[1], x[2]))
        })
    };
    Some((took.parse().ok()?, (word == "way").then(|| lines.filter_map(pose).collect())))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[expect(clippy::print_stdout, reason = "an example")]
fn main() {
    let asked = asked();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().expect("a pool");
    println!(
        "| puzzle | solved | time, median | peer solved | time, median | of these refuted by the proof |"
    );
    println!("|---|---|---|---|---|---|");
    for name in &asked.names {
        let assembly = noli_scenes::assembly(name, 1).expect("an assembly of that name");
        let mut world = World::default();
        for part in &assembly.parts {
            world.add(part.name.clone(), &Model::from(&part.mesh), part.pose).expect("a sound part");
        }
        let id = world.find("part").expect("a part");
        let space = RigidSpace::new(&world, &[id], &[]).expect("a part that can move");
        let (mut solved, mut times) = (0, Vec::new());
        for seed in 1..=asked.seeds {
            let begun = processor();
            let effort = Effort { steps: asked.steps, seed, ..Default::default() };
            let found =
                pool.install(|| remove(&space, &RemoveOptions { effort, ..Default::default() })).found;
            times.push(processor() - begun);
            solved += u32::from(matches!(found, Found::Way(_)));
        }
        let mut line = format!("| {name} | {solved} of {} | {:.2} s ", asked.seeds, median(times));
        if let Some(python) = &asked.peer {
            let folder = std::env::temp_dir().join(format!("noli-puzzle-{name}"));
            write_job(&folder, &world, &space, "part");
            let (mut solved, mut refuted, mut times) = (0, 0, Vec::new());
            for seed in 1..=asked.seeds {
                let Some((took, way)) = ask_peer(python, &folder, seed, asked.seconds) else { continue };
                times.push(took);
                if let Some(way) = way {
                    solved += 1;
                    refuted += u32::from(space.prove_way(&way).is_err());
                }
            }
            line += &format!("| {solved} of {} | {:.2} s | {refuted} ", asked.seeds, median(times));
        }
        println!("{line}|");
    }
}
