//! Closed forms on very many random reachable poses: `cargo run --release -p noli-robot --example
//! inverse_million [COUNT]`.

use noli_geom::Pose;
use noli_robot::{PumaSet, SphericalWrist, puma560};
use std::f64::consts::{PI, TAU};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let count: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1_000_000);
    let mut out = std::io::stdout().lock();
    for set in PumaSet::ALL {
        let robot = puma560(set);
        let arm = SphericalWrist::new(&robot, 6).expect("a PUMA has a spherical wrist");
        let mut poses = vec![Pose::IDENTITY; 7];
        let (mut state, mut worst, mut paths, mut lost, mut singular) = (1u64, 0.0f64, 0, 0, 0);
        let started = std::time::Instant::now();
        for _ in 0..count {
            let values: [f64; 6] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ((state >> 11) as f64 * 2f64.powi(-53) * 2.0 - 1.0) * PI
            });
            robot.link_poses(&values, &mut poses);
            let target = poses[6];
            let found = arm.solve_all(&robot, &target, &values).unwrap_or_default();
            paths += found.len();
            for solution in &found {
                let residual = robot.residual(&solution.joints, 6, &target);
                worst = worst.max(residual.position).max(residual.angle);
            }
            let near = |a: f64, b: f64| {
                let d = (a - b).rem_euclid(TAU);
                d.min(TAU - d) < 1e-6
            };
            if !found.iter().any(|s| (0..6).all(|k| near(s.joints[k], values[k]))) {
                let isotropy =
                    robot.manipulability(&values, 6).map_or(0.0, |manipulability| manipulability.isotropy());
                if isotropy < 1e-5 { singular += 1 } else { lost += 1 }
            }
        }
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            out,
            "{}: {count} poses, {paths} solutions, worst residual {worst:.1e}; not among them: {lost}, \
             and {singular} within 1e-5 of a singularity; {:.1} us a pose with checks",
            set.name(),
            seconds * 1e6 / count as f64
        )?;
    }
    Ok(())
}
