//! Puzzles for many seeds, and a peer on the same ones in the same run: how many tries end with a way, in which time of the
//! CPU, and how many of the ways the proof refutes.
//!
//! `cargo run --release -p noli-plan --example puzzles -- [NAME[@SIZE]]... [--seeds N] [--seconds S] [--peer PYTHON]
//! [--resolution SHARE]`
//!
//! `SIZE` makes the part so much larger about its origin: tighter above 1, looser below. The peer is
//! `peers/ompl/main.py`, run by the interpreter that `--peer` names, from the root of the repository; it has places
//! outside along all six axes for goals. A try that ends without a way counts with the time it took.

use noli::{Model, Pose, World};
use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, remove};
use noli_scenes::TriangleSet;
use std::path::Path;
use std::process::Command;

/// With several sizes where both ends are of interest.
const ALL: [&str; 13] = [
    "bugtrap@0.9",
    "bugtrap",
    "bugtrap@1.15",
    "alpha-puzzle",
    "alpha-tight",
    "knotted-tube",
    "knotted-tube@1.1",
    "double-l@0.9",
    "double-l",
    "flange@0.9",
    "flange",
    "bayonet",
    "past-bracket",
];

struct Asked {
    names: Vec<String>,
    seeds: u64,
    seconds: f64,
    peer: Option<String>,
    resolution: Option<String>,
}

fn asked() -> Asked {
    let mut asked = Asked { names: Vec::new(), seeds: 20, seconds: 10.0, peer: None, resolution: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().expect("a value");
        match argument.as_str() {
            "--seeds" => asked.seeds = next().parse().expect("a number"),
            "--seconds" => asked.seconds = next().parse().expect("a number"),
            "--peer" => asked.peer = Some(next()),
            "--resolution" => asked.resolution = Some(next()),
            _ => asked.names.push(argument),
        }
    }
    if asked.names.is_empty() {
        asked.names = ALL.map(str::to_owned).to_vec();
    }
    asked
}

/// Seconds of the CPU that this thread has had; the machine may be shared.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1e-9
}

/// A line of a table of poses.
fn row(pose: &Pose) -> String {
    let (p, q) = (pose.translation, pose.rotation.normalize());
    format!("{},{},{},{},{},{},{}\n", p.x, p.y, p.z, q.x, q.y, q.z, q.w)
}

/// The puzzle of a name, its part as large as it says.
fn world(name: &str) -> World {
    let (name, size) = name.split_once('@').unwrap_or((name, "1"));
    let size: f64 = size.parse().expect("a size");
    let assembly = noli_scenes::assembly(name, 1).expect("an assembly of that name");
    let mut world = World::default();
    for part in assembly.parts {
        let mesh = if part.name == "part" {
            let vertices = part.mesh.vertices().iter().map(|vertex| *vertex * size).collect();
            let triangles = part.mesh.triangles().to_vec();
            noli::Mesh::from_triangles(vertices, triangles, &Default::default()).expect("a mesh").into_solid()
        } else {
            part.mesh
        };
        world.add(part.name, &Model::from(&mesh), part.pose).expect("a sound part");
    }
    world
}

/// Input of a peer: the meshes, the bounds of the space, a start and places outside.
fn write_job(folder: &Path, world: &World, space: &RigidSpace, part: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    let mut rest = (Vec::new(), Vec::new());
    let mut around = noli_geom::Aabb::EMPTY;
    for (_, body) in world.bodies() {
        let mesh = body.model().mesh().expect("a mesh");
        around = around.union(body.model().aabb().transformed(&body.pose()));
        if body.name() == part {
            let raw = noli_scenes::raw_mesh(&TriangleSet::from(mesh));
            std::fs::write(folder.join("part.raw"), raw).expect("a file");
            continue;
        }
        let first = rest.0.len() as u32;
        rest.0.extend(mesh.vertices().iter().map(|vertex| body.pose().transform_point(*vertex)));
        rest.1.extend(mesh.triangles().iter().map(|vertices| vertices.map(|corner| corner + first)));
    }
    let rest = noli::Mesh::from_triangles(rest.0, rest.1, &Default::default()).expect("a mesh");
    std::fs::write(folder.join("rest.raw"), noli_scenes::raw_mesh(&TriangleSet::from(&rest)))
        .expect("a file");
    let start = space.start();
    let mut memory = Default::default();
    let goals = glam::DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]).filter_map(|axis| {
        let needed = 1.02 * space.pull(&start, axis, &mut memory).needed;
        let pose = Pose::new(start.rotation, start.translation + axis * needed);
        (space.is_out(&pose) && space.is_free(&pose, &mut memory)).then(|| row(&pose))
    });
    let goals: String = goals.collect();
    assert!(!goals.is_empty(), "a place outside");
    let around = around.expanded(0.5 * around.size().max_element());
    let [low, high] = [around.min, around.max].map(|corner| row(&Pose::from_translation(corner)));
    let text = format!("x,y,z,qx,qy,qz,qw\n{low}{high}{}{goals}", row(&start));
    std::fs::write(folder.join("query.csv"), text).expect("a file");
}

/// A peer's answer: its time, and its way if it has one.
fn ask_peer(python: &str, folder: &Path, seed: u64, asked: &Asked) -> Option<(f64, Option<Vec<Pose>>)> {
    let [seed, seconds] = [seed.to_string(), asked.seconds.to_string()];
    let output = Command::new(python)
        .args(["peers/ompl/main.py", folder.to_str()?, &seed, &seconds])
        .args(asked.resolution.iter().flat_map(|share| ["--resolution", share]))
        .output()
        .expect("an interpreter");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("way") && !line.starts_with("none"));
    let (word, took) = lines.next()?.split_once(' ')?;
    let pose = |line: &str| {
        let x: Vec<f64> = line.split(',').filter_map(|number| number.parse().ok()).collect();
        Some(Pose::from_array(x.try_into().ok()?))
    };
    Some((took.parse().ok()?, (word == "way").then(|| lines.filter_map(pose).collect())))
}

/// Returns `true` if the part collides at one of many poses along a path: a check independent of the proof.
fn meets_somewhere(space: &RigidSpace, path: &[Pose]) -> bool {
    const POSES: u32 = 2_000;
    path.windows(2).any(|pair| {
        (0..=POSES).any(|k| {
            let share = f64::from(k) / f64::from(POSES);
            let turn = pair[0].rotation.slerp(pair[1].rotation, share);
            let at = pair[0].translation.lerp(pair[1].translation, share);
            !space.meets(&Pose::new(turn, at)).is_empty()
        })
    })
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
        "| puzzle | solved | median, s | peer solved | median, s | refuted by the proof | with a pose that meets | correct |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for name in &asked.names {
        let world = world(name);
        let id = world.find("part").expect("a part");
        let space = RigidSpace::new(&world, &[id], &[]).expect("a part that can move");
        let (mut solved, mut times) = (0, Vec::new());
        for seed in 1..=asked.seeds {
            let begun = cpu();
            let stop = || cpu() - begun > asked.seconds;
            let effort = Effort { steps: u64::MAX, seed, searches: 1, stop: &stop };
            let options = RemoveOptions { effort, ..Default::default() };
            let found = pool.install(|| remove(&space, &options)).found;
            times.push(cpu() - begun);
            solved += u32::from(
                matches!(&found, RemovalResult::Path(path) if space.prove_path(&path.poses).is_ok()),
            );
        }
        let mut line = format!("| {name} | {solved} | {:.2} ", median(times));
        if let Some(python) = &asked.peer {
            let folder = std::env::temp_dir().join(format!("noli-puzzle-{name}"));
            write_job(&folder, &world, &space, "part");
            let (mut solved, mut refuted, mut met, mut times) = (0, 0, 0, Vec::new());
            for seed in 1..=asked.seeds {
                let Some((took, path)) = ask_peer(python, &folder, seed, &asked) else { continue };
                times.push(took);
                let Some(path) = path else { continue };
                solved += 1;
                if space.prove_path(&path).is_err() {
                    refuted += 1;
                    met += u32::from(meets_somewhere(&space, &path));
                }
            }
            let correct = solved - refuted;
            line += &format!("| {solved} | {:.2} | {refuted} | {met} | {correct} ", median(times));
        }
        println!("{line}|");
    }
}
