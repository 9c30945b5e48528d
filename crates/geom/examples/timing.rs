//! Time per triangle pair: `cargo run --release -p noli-geom --example timing`.

#![allow(clippy::print_stdout)]
#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "../tests/suite/support/mod.rs"]
mod support;

use glam::{DQuat, DVec3};
use noli_geom::{PairFrame, Pose, RelativePose, Triangle, TrianglePair};
use std::hint::black_box;
use std::time::Instant;
use support::Random;

type Pairs = Vec<(Triangle, Triangle)>;

fn main() {
    let mut rng = Random::new(5);
    let turned = Pose::new(DQuat::from_xyzw(0.1, -0.2, 0.3, 0.9), DVec3::new(0.1, 0.2, 0.3));
    let shift = Pose::from_translation(DVec3::new(0.1, 0.7, -0.3));
    let quarter = Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.1, 0.1), DVec3::new(0.25, 3.0, 2.0));
    let pythagoras = Pose::from_rotation(DQuat::from_xyzw(1.0, 2.0, 3.0, 4.0));
    let one = Pose::IDENTITY;

    let random: Pairs = pairs(|| (triangle(&mut rng), triangle(&mut rng)));
    let far: Pairs = random.iter().map(|(a, b)| (*a, moved(b, DVec3::splat(3.0)))).collect();
    report("random, meeting or near", &random, &one, &turned);
    report("random, clearly apart", &far, &one, &turned);
    report("random, identity", &random, &one, &one);

    let small: Pairs = pairs(|| {
        let place = rng.vector();
        let (a, b) = (scaled(&triangle(&mut rng), 0.05), scaled(&triangle(&mut rng), 0.05));
        (moved(&a, place), moved(&b, place + DVec3::new(0.02, 0.03, 0.1)))
    });
    let small_turned: Pairs = small.iter().map(|(a, b)| (*a, through(b, &turned.inverse()))).collect();
    report("mesh-like, apart, identity", &small, &one, &one);
    report("mesh-like, apart, general pose", &small_turned, &one, &turned);

    let level: Pairs = pairs(|| (flat(&mut rng), flat(&mut rng)));
    report("one axis plane, identity", &level, &one, &one);
    let tilted: Pairs = pairs(|| {
        let (a, b) = (flat(&mut rng), flat(&mut rng));
        (sheared(&a), sheared(&b))
    });
    report("one tilted plane, identity", &tilted, &one, &one);
    let neighbours: Pairs = random.iter().map(|(a, b)| (*a, sharing_edge(a, b))).collect();
    report("shared edge, identity", &neighbours, &one, &one);
    report("shared edge, one general pose", &neighbours, &turned, &turned);

    let moved_back: Pairs = level.iter().map(|(a, b)| (*a, through(b, &shift.inverse()))).collect();
    report("one axis plane, rounded shift", &moved_back, &one, &shift);
    let quarter_back: Pairs = level.iter().map(|(a, b)| (*a, through(b, &quarter.inverse()))).collect();
    report("one axis plane, quarter turn", &quarter_back, &one, &quarter);
    let rational: Pairs = level.iter().map(|(a, b)| (through_exactly(a), scaled(b, 30.0))).collect();
    report("one plane, rational turn", &rational, &one, &pythagoras);
    let twisted = Pose::new(turned.rotation * 0.7, turned.translation + DVec3::new(0.3, 0.0, 0.1));
    report_frames(&turned, &twisted);
    let almost: Pairs = tilted.iter().map(|(a, b)| (*a, through(b, &turned.inverse()))).collect();
    report("almost one plane, general pose", &almost, &one, &turned);
}

fn pairs(mut make: impl FnMut() -> (Triangle, Triangle)) -> Pairs {
    (0..1000).map(|_| make()).collect()
}

fn triangle(rng: &mut Random) -> Triangle {
    Triangle { vertices: std::array::from_fn(|_| rng.vector()) }
}

fn flat(rng: &mut Random) -> Triangle {
    Triangle { vertices: std::array::from_fn(|_| rng.grid(8).with_z(0.0) * 0.25) }
}

fn sheared(t: &Triangle) -> Triangle {
    Triangle { vertices: t.vertices.map(|p| p.with_z(0.375 * p.x - 0.625 * p.y + 1.0)) }
}

fn moved(t: &Triangle, by: DVec3) -> Triangle {
    Triangle { vertices: t.vertices.map(|p| p + by) }
}

fn scaled(t: &Triangle, by: f64) -> Triangle {
    Triangle { vertices: t.vertices.map(|p| p * by) }
}

fn sharing_edge(a: &Triangle, b: &Triangle) -> Triangle {
    Triangle::new(a.vertices[1], a.vertices[0], b.vertices[2])
}

fn through(t: &Triangle, pose: &Pose) -> Triangle {
    Triangle { vertices: t.vertices.map(|p| pose.transform_point(p)) }
}

/// The image under the quaternion (1, 2, 3, 4), times its squared length 30.
fn through_exactly(t: &Triangle) -> Triangle {
    let v = DVec3::new(1.0, 2.0, 3.0);
    Triangle { vertices: t.vertices.map(|p| 2.0 * v.dot(p) * v + 2.0 * p + 8.0 * v.cross(p)) }
}

/// Prints one line, if its name holds the first argument of the program.
fn report(name: &str, pairs: &Pairs, world_from_a: &Pose, world_from_b: &Pose) {
    if std::env::args().nth(1).is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    let pose = RelativePose::new(world_from_a, world_from_b);
    let relation = nanoseconds(pairs, &pose, |pair| pair.relation() as u8 as f64);
    let distance = nanoseconds(pairs, &pose, |pair| pair.distance().at_least);
    let common = nanoseconds(pairs, &pose, |pair| pair.intersection().points().len() as f64);
    println!(
        "{name:34} relation {relation:7.0} ns   distance {distance:7.0} ns   common part {common:7.0} ns"
    );
}

/// The mean over the pairs, best of some rounds; one frame per round, as one query would have.
fn nanoseconds(pairs: &Pairs, pose: &RelativePose, ask: impl Fn(&TrianglePair<'_>) -> f64) -> f64 {
    let round = || {
        let start = Instant::now();
        let frame = PairFrame::new(black_box(pose));
        for (a, b) in pairs {
            black_box(ask(&TrianglePair::new(black_box(a), black_box(b), &frame)));
        }
        start.elapsed().as_nanos() as f64 / pairs.len() as f64
    };
    (0..200).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Cost that a query pays once: the frame itself, and its finer forms when first needed.
fn report_frames(world_from_a: &Pose, world_from_b: &Pose) {
    let pose = RelativePose::new(world_from_a, world_from_b);
    let near = Triangle::new(DVec3::X, DVec3::Y, DVec3::Z);
    let far = moved(&near, DVec3::splat(10.0));
    let plain = best_of_rounds(|| {
        black_box(PairFrame::new(black_box(&pose)));
    });
    let first = best_of_rounds(|| {
        let frame = PairFrame::new(black_box(&pose));
        let _ = black_box(TrianglePair::new(&near, &far, &frame).distance());
    });
    println!("frame of a query {plain:.0} ns, with its first distance under a general pose {first:.0} ns");
}

/// Nanoseconds of one call: the mean over a round of 100, best of 200 rounds.
fn best_of_rounds(call: impl Fn()) -> f64 {
    let round = || {
        let start = Instant::now();
        (0..100).for_each(|_| call());
        start.elapsed().as_nanos() as f64 / 100.0
    };
    (0..200).map(|_| round()).fold(f64::INFINITY, f64::min)
}
