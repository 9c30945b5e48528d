//! Prints random pairs of primitives with their clearance, one JSON object a line, for comparison with another kernel.
//!
//! `cargo run --release -p noli-brep --example primitives -- COUNT`

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, clearance};
use noli_geom::Pose;
use noli_testing::Random;
use std::io::Write;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1000);
    let mut random = Random::new(41);
    let mut out = std::io::stdout().lock();
    for _ in 0..count {
        let bodies = [primitive(&mut random), primitive(&mut random)];
        let poses = [pose(&mut random, 1.0), pose(&mut random, 4.0)];
        let start = Instant::now();
        let found = clearance(&bodies[0].1, &bodies[1].1, &poses[0], &poses[1], &Options::default());
        let micros = start.elapsed().as_secs_f64() * 1e6;
        let text = |k: usize| {
            let (q, t) = (poses[k].rotation.normalize(), poses[k].translation);
            let numbers = [q.x, q.y, q.z, q.w, t.x, t.y, t.z].map(|x| format!("{x:?}")).join(",");
            format!("{},\"pose\":[{numbers}]", bodies[k].0)
        };
        let (low, high) = (found.at_least, found.at_most);
        writeln!(
            out,
            "{{\"a\":{{{}}},\"b\":{{{}}},\"at_least\":{low:?},\"at_most\":{high:?},\"us\":{micros:.1}}}",
            text(0),
            text(1)
        )?;
    }
    Ok(())
}

/// A random primitive and its description.
fn primitive(random: &mut Random) -> (String, Brep) {
    let mut size = || random.between(0.3, 1.5);
    let (a, b, c) = (size(), size(), size());
    let (kind, sizes, body) = match random.index(5) {
        0 => ("sphere", vec![a], Brep::sphere(a)),
        1 => ("cylinder", vec![a, b], Brep::cylinder(a, b)),
        2 => ("cone", vec![a, b, c], Brep::cone(a, b, c)),
        3 => ("torus", vec![a + 0.3, 0.3 * a], Brep::torus(a + 0.3, 0.3 * a)),
        _ => ("block", vec![a, b, c], Brep::block(DVec3::new(a, b, c))),
    };
    (format!("\"kind\":\"{kind}\",\"sizes\":{sizes:?}"), body)
}

fn pose(random: &mut Random, far: f64) -> Pose {
    let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
    Pose::new(turn, random.vector() * far)
}
