//! How long kinematics take: `cargo run --release -p noli-robot --example rates [ROBOT.urdf [LINK]]`.

use noli_geom::{GroupMotion, Pose, Sphere};
use noli_robot::*;
use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let robot = match words.next() {
        Some(path) => Robot::from_urdf_str(&std::fs::read_to_string(path)?)?,
        None => puma560(PumaSet::FuGonzalezLee),
    };
    let robot = Arc::new(robot);
    let tip = words.next().and_then(|name| robot.link(&name)).unwrap_or(robot.links().len() - 1);
    let mut state = 5u64;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 * 2f64.powi(-53)
    };
    let count = 4096;
    let states: Vec<Vec<f64>> = (0..count)
        .map(|_| {
            let value = |v: &Variable| {
                let [low, high] = v.limits.range.unwrap_or([-3.0, 3.0]);
                low + (high - low) * share()
            };
            robot.variables().iter().map(value).collect()
        })
        .collect();
    let mut out = std::io::stdout().lock();
    let mut report = |what: &str, each: usize, run: &mut dyn FnMut()| {
        let best = (0..20)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        writeln!(out, "{what:40} {:9.1} ns", best * 1e9 / each as f64)
    };
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    report("all links, one state at a time", count, &mut || {
        for values in &states {
            robot.link_poses(values, &mut poses);
            black_box(&poses);
        }
    })?;
    let motions: Vec<JointMotion> = states
        .windows(2)
        .take(256)
        .map(|pair| JointMotion::between(robot.clone(), Pose::IDENTITY, &pair[0], &pair[1]))
        .collect::<Result<_, _>>()?;
    let sphere = Sphere { center: glam::DVec3::ZERO, radius: 0.1 };
    for (length, name) in [(1.0, "whole"), (1.0 / 16.0, "a sixteenth")] {
        report(&format!("travel of the tip, {name}"), motions.len(), &mut || {
            for motion in &motions {
                black_box(motion.travel(tip, &sphere, 0.3 * (1.0 - length), 0.3 * (1.0 - length) + length));
            }
        })?;
    }
    report("poses of all links on the way", motions.len(), &mut || {
        for motion in &motions {
            motion.poses(0.3, &mut poses);
            black_box(&poses);
        }
    })?;
    if let Ok(arm) = SphericalWrist::new(&robot, tip) {
        report("closed form, all ways", count, &mut || {
            for values in &states {
                robot.link_poses(values, &mut poses);
                let _ = black_box(arm.solve_all(&robot, &poses[tip], values));
            }
        })?;
    }
    let mut from = states[0].clone();
    report("search from another state", 64, &mut || {
        for values in &states[..64] {
            robot.link_poses(values, &mut poses);
            let _ = black_box(solve_ik(&robot, tip, &poses[tip], &from, &IkOptions::default()));
            from.clone_from(values);
        }
    })?;
    Ok(())
}
