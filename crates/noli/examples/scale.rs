//! Workload W14: one query of two large meshes on one thread and on many:
//! `cargo run --release -p noli --example scale -- [TRIANGLES] [THREADS] [ROUNDS]`.
//!
//! Bumpy spheres of about so many triangles each: crossing, one around the other at a small distance, and one against
//! itself. Rounds alternate, and the fastest of each counts. Fails if an answer depends on the number of threads.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

use noli::answer::Intersection;
use noli::model::MeshOptions;
use noli::query::{ClearanceQuery, IntersectionsQuery};
use noli::{Mesh, Model, Pose, QueryContext, Scratch};
use noli_scenes::bumpy_sphere;
use std::error::Error;
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// The models and the placement of B.
struct Case {
    name: &'static str,
    models: [Model; 2],
    there: Pose,
}

/// An answer in full, to be compared: a list is not written as text, which would take longer than to find it.
type Answer = (String, Vec<Intersection>);
type Ask = fn(&Case, &mut QueryContext<'_>) -> Answer;

const QUESTIONS: [(&str, &str, Ask); 6] = [
    ("crossing", "all crossings", crossings),
    ("shells", "overlap", |case, context| text(&context.overlap(&case.a(), &case.b()))),
    ("shells", "relation", |case, context| text(&context.relation(&case.a(), &case.b()))),
    ("shells", "within half", |case, context| {
        text(&context.within_distance(&case.a(), &case.b(), 0.5 * GAP))
    }),
    ("shells", "clearance", |case, context| {
        text(&context.clearance(&case.a(), &case.b(), &ClearanceQuery::default()))
    }),
    ("crossing", "self-intersections", self_crossings),
];

/// Distance of the shells, relative to their radius.
const GAP: f64 = 1e-3;

impl Case {
    fn a(&self) -> noli::Placed<'_> {
        self.models[0].at(Pose::IDENTITY)
    }

    fn b(&self) -> noli::Placed<'_> {
        self.models[1].at(self.there)
    }
}

fn text(answer: &impl Debug) -> Answer {
    (format!("{answer:?}"), Vec::new())
}

fn crossings(case: &Case, context: &mut QueryContext<'_>) -> Answer {
    let mut items: Vec<Intersection> = Vec::new();
    let query = IntersectionsQuery::default();
    let completeness = context.intersections(&case.a(), &case.b(), &query, &mut items);
    (format!("{completeness:?}"), items)
}

fn self_crossings(case: &Case, context: &mut QueryContext<'_>) -> Answer {
    let mut items: Vec<Intersection> = Vec::new();
    let query = IntersectionsQuery::default();
    let completeness = context.self_intersections(&case.models[0], &query, &mut items);
    (format!("{completeness:?}"), items)
}

fn body(frequency: u32, phase: f64, scale: f64) -> Result<Model, Box<dyn Error>> {
    let mut set = bumpy_sphere(frequency, phase);
    set.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
    Ok(Model::new(Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default())?)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map_while(|text| text.parse::<usize>().ok());
    let triangles = arguments.next().unwrap_or(1_000_000);
    let threads = arguments.next().unwrap_or(16).max(1);
    let rounds = arguments.next().unwrap_or(3).max(1);
    let frequency = (triangles as f64 / 20.0).sqrt().ceil().max(1.0) as u32;
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, many) = (pool(1)?, pool(threads)?);
    let cases = many.install(|| -> Result<_, Box<dyn Error + Send + Sync>> {
        let make = |phase, scale| body(frequency, phase, scale).map_err(|error| error.to_string());
        let models = [make(0.3, 1.0)?, make(1.1, 1.0)?];
        let shells = [models[0].clone(), make(0.3, 1.0 + GAP)?];
        let there = Pose::from_translation(glam::dvec3(1.0, 0.3, 0.2));
        Ok([
            Case { name: "crossing", models, there },
            Case { name: "shells", models: shells, there: Pose::IDENTITY },
        ])
    });
    let cases = cases.map_err(|error| error.to_string())?;
    println!("{} triangles each; milliseconds", 20 * u64::from(frequency).pow(2));
    println!("{:<20} {:>12} {:>12} {:>8}", "query", "1 thread", format!("{threads} threads"), "ratio");
    for (case, name, ask) in QUESTIONS {
        let Some(case) = cases.iter().find(|known| known.name == case) else { continue };
        let (mut fastest, mut answers) = ([Duration::MAX; 2], Vec::new());
        for _ in 0..rounds {
            for (k, pool) in [&one, &many].into_iter().enumerate() {
                let start = Instant::now();
                answers.push(
                    pool.install(|| ask(case, &mut QueryContext::new(&mut Scratch::default()).in_parallel())),
                );
                fastest[k] = fastest[k].min(start.elapsed());
            }
        }
        if answers.iter().any(|answer| *answer != answers[0]) {
            return Err(format!("{name}: the answer depends on the number of threads").into());
        }
        let [one, many] = fastest.map(|time| time.as_secs_f64() * 1e3);
        println!("{name:<20} {one:>12.3} {many:>12.3} {:>8.2}", one / many);
    }
    Ok(())
}
