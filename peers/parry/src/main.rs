//! parry3d-f64 as a peer. The protocol is in `../README.md`.
//!
//! `contacts` counts the contact manifolds that hold a touching point: one for each pair of
//! triangles that meet, though making a manifold is more work than finding the pair.

mod crowd;
mod job;

use job::Job;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{
    self, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion, PersistentQueryDispatcher,
};
use parry3d_f64::shape::{ConvexPolyhedron, TriMesh};
use std::process::ExitCode;
use std::time::Instant;

const VERSION: &str = "0.31";

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [w5, count, steps] = args.as_slice()
        && w5 == "w5"
        && let (Ok(count), Ok(steps)) = (count.parse(), steps.parse())
    {
        crowd::run(count, steps);
        return ExitCode::SUCCESS;
    }
    match Job::from_args().and_then(|job| run(&job)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(job: &Job) -> Result<(), Failure> {
    if job.convex {
        return run_convex(job);
    }
    let build_times = (0..5).map(|_| timed(|| build(&job.a)).1).collect();
    println!("peer parry-bvh {VERSION} {:.1}", median(build_times));
    if job.query == "build" {
        return Ok(());
    }
    let (a, b) = (build(&job.a)?, build(&job.b)?);
    let here = Pose::IDENTITY;
    match job.query.as_str() {
        "overlap" => print_answers(job, &job.poses, |pose| {
            Ok(f64::from(u8::from(query::intersection_test(&here, &a, pose, &b)?.intersecting)))
        }),
        "distance" => print_answers(job, &job.poses, |pose| Ok(query::distance(&here, &a, pose, &b)?.distance)),
        "contacts" => print_answers(job, &job.poses, |pose| touching_manifolds(&a, &b, pose)),
        "impact" => {
            let motions: Vec<_> = job.starts.iter().zip(&job.poses).map(|(s, e)| motion(s, e)).collect();
            let still = NonlinearRigidMotion::constant_position(here);
            print_answers(job, &motions, |motion| {
                let hit = query::cast_shapes_nonlinear(&still, &a, motion, &b, 0.0, 1.0, true)?;
                Ok(hit.map_or(2.0, |hit| hit.time_of_impact))
            })
        }
        other => {
            println!("unsupported {other}");
            Ok(())
        }
    }
}

fn run_convex(job: &Job) -> Result<(), Failure> {
    let build_times = (0..5).map(|_| timed(|| build_convex(&job.a)).1).collect();
    println!("peer parry-convex {VERSION} {:.1}", median(build_times));
    if job.query == "build" {
        return Ok(());
    }
    let (a, b) = (build_convex(&job.a)?, build_convex(&job.b)?);
    let here = Pose::IDENTITY;
    match job.query.as_str() {
        "overlap" => print_answers(job, &job.poses, |pose| {
            Ok(f64::from(u8::from(query::intersection_test(&here, &a, pose, &b)?.intersecting)))
        }),
        "distance" => print_answers(job, &job.poses, |pose| Ok(query::distance(&here, &a, pose, &b)?.distance)),
        "depth" => print_answers(job, &job.poses, |pose| {
            Ok(query::contact(&here, &a, pose, &b, 0.0)?.map_or(0.0, |contact| (-contact.dist).max(0.0)))
        }),
        other => {
            println!("unsupported {other}");
            Ok(())
        }
    }
}

/// The vertices are all corners of their hull.
fn build_convex(mesh: &job::Mesh) -> Result<ConvexPolyhedron, Failure> {
    let vertices = mesh.vertices.iter().map(|&v| Vector::from_array(v)).collect();
    ConvexPolyhedron::from_convex_mesh(vertices, &mesh.triangles).ok_or_else(|| "not a convex mesh".into())
}

fn build(mesh: &job::Mesh) -> Result<TriMesh, Failure> {
    let vertices = mesh.vertices.iter().map(|&v| Vector::from_array(v)).collect();
    Ok(TriMesh::new(vertices, mesh.triangles.clone())?)
}

fn touching_manifolds(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Result<f64, Failure> {
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    DefaultQueryDispatcher.contact_manifolds(a_from_b, a, b, 0.0, &mut manifolds, &mut None)?;
    let touches = |manifold: &&ContactManifold<(), ()>| manifold.points.iter().any(|point| point.dist <= 0.0);
    Ok(manifolds.iter().filter(touches).count() as f64)
}

/// From one pose to another at even speed, the origin on a straight line.
fn motion(start: &Pose, end: &Pose) -> NonlinearRigidMotion {
    let turn = (end.rotation * start.rotation.inverse()).to_scaled_axis();
    let shift = end.translation - start.translation;
    NonlinearRigidMotion::new(*start, Vector::ZERO, shift, turn)
}

/// Warm-up pass, then `repeats` passes over all poses; one line per pose with the median time. With no
/// repeats the only pass is timed.
fn print_answers<T>(job: &Job, items: &[T], query: impl Fn(&T) -> Result<f64, Failure>) -> Result<(), Failure> {
    let mut answers = vec![0.0; items.len()];
    let mut times = vec![Vec::with_capacity(job.repeats); answers.len()];
    if job.repeats > 0 {
        for item in items {
            query(item)?;
        }
    }
    for _ in 0..job.repeats.max(1) {
        for (i, item) in items.iter().enumerate() {
            let (answer, time) = timed(|| query(item));
            answers[i] = answer?;
            times[i].push(time);
        }
    }
    for (answer, times) in answers.iter().zip(times) {
        println!("{answer} {:.3}", median(times));
    }
    Ok(())
}

/// Returns the result of `work`, and the microseconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e6)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}
