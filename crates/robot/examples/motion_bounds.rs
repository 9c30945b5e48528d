//! Samples random joint motions against their bounds: `cargo run --release -p noli-robot --example
//! motion_bounds [COUNT] [ROBOT.urdf]`. Prints how near the samples came to the bounds; more than 1 would be
//! a miss.

use noli_geom::{GroupMotion, Pose, Sphere};
use noli_robot::*;
use std::io::Write;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let count: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(100_000);
    let robot = match words.next() {
        Some(path) => Robot::from_urdf_str(&std::fs::read_to_string(path)?)?,
        None => puma560(PumaSet::FuGonzalezLee),
    };
    let robot = Arc::new(robot);
    let mut state = 1u64;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 * 2f64.powi(-53)
    };
    let (mut worst, mut misses) = ([0.0f64; 2], 0);
    for _ in 0..count {
        let mut random = || -> Vec<f64> {
            let value = |v: &Variable| {
                let [low, high] = v.limits.range.unwrap_or([-3.0, 3.0]);
                low + (high - low) * share()
            };
            robot.variables().iter().map(value).collect()
        };
        let (from, to) = (random(), random());
        let motion = JointMotion::between(robot.clone(), Pose::IDENTITY, &from, &to)?;
        let link = (share() * robot.links().len() as f64) as usize;
        let mut vector = || glam::DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5);
        let (center, out) = (vector() * 0.5, vector().normalize_or_zero());
        let sphere = Sphere { center, radius: share() * 0.2 };
        // All lengths alike, down to where rounding is all there is.
        let length = 2f64.powf(-40.0 * share());
        let t0 = share() * (1.0 - length);
        let t1 = t0 + length;
        let bounds = [motion.travel(link, &sphere, t0, t1), motion.chord_deviation(link, &sphere, t0, t1)];
        let point = sphere.center + out * sphere.radius;
        let (a, b) =
            (motion.pose(link, t0).transform_point(point), motion.pose(link, t1).transform_point(point));
        let mut most = [0.0f64; 2];
        for k in 1..=16 {
            let at = k as f64 / 16.0;
            let now = motion.pose(link, t0 + (t1 - t0) * at).transform_point(point);
            most = [most[0].max(now.distance(a)), most[1].max(now.distance(a.lerp(b, at)))];
        }
        for k in 0..2 {
            worst[k] = worst[k].max(most[k] / bounds[k]);
            misses += u64::from(most[k] > bounds[k]);
        }
    }
    writeln!(
        std::io::stdout(),
        "{}: {count} motions, {misses} beyond a bound; nearest {:.6} of travel, {:.6} of deviation",
        robot.name(),
        worst[0],
        worst[1]
    )?;
    Ok(())
}
