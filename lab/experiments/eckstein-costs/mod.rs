//! Mean times of the tests of two volumes and of two faces (section 10.1).

use crate::timing::seconds_per_call;
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use glam::{DMat3, DVec3};
use noli::Pose;
use noli::tree::Volume;
use noli_geom::{Aabb, Obb, PairFrame, RelativePose, Sphere, Triangle, TrianglePair};
use noli_scenes::SplitMix64;
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    pairs: usize,
    rounds: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    sphere_sphere: f64,
    aabb_aabb: f64,
    obb_obb: f64,
    faces: f64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let mut random = SplitMix64::new(config.seed);
    let cases: Vec<Case> = (0..config.pairs).map(|_| Case::new(&mut random)).collect();
    let mut table =
        Table::new("Mean time of one test", ["test", "ours, ns", "printed, ns", "share that meets, %"]);
    let mut times = Vec::new();
    let mut row = |name: &str, printed_ms: f64, test: &dyn Fn(&Case) -> bool| {
        let seconds = seconds_per_call(&cases, config.rounds, test);
        let meeting = cases.iter().filter(|case| test(case)).count() as f64 / cases.len() as f64;
        times.push(seconds);
        table.row(
            name,
            [
                Cell::Ours(1e9 * seconds),
                Cell::Printed { printed: 1e6 * printed_ms },
                Cell::Ours(100.0 * meeting),
            ],
        );
    };
    row("sphere – sphere", printed.sphere_sphere, &|c| {
        c.spheres[0].gap(&c.spheres[1], c.frame.pose()) <= 0.0
    });
    row("axis-aligned box – axis-aligned box", printed.aabb_aabb, &|c| {
        c.aabbs[0].gap(&c.aabbs[1], c.frame.pose()) <= 0.0
    });
    row("oriented box – oriented box", printed.obb_obb, &|c| {
        c.obbs[0].gap(&c.obbs[1], c.frame.pose()) <= 0.0
    });
    row("face – face", printed.faces, &|c| {
        TrianglePair::new(&c.faces[0], &c.faces[1], &c.frame).overlaps()
    });
    session.table(table);
    session.finding(
        "A sphere test is the cheapest test of a moved volume, an oriented box test the dearest",
        Verdict::of(times[0] < times[1] && times[0] < times[2]),
        format!("Sphere {:.1} ns, oriented box {:.1} ns.", 1e9 * times[0], 1e9 * times[2]),
    );
    session.note(
        "The source tests an edge against a face (the base test of its motions); our face test decides two whole triangles exactly.",
    );
    session.note("Our tests round outward: a pair called separate is separate in exact arithmetic.");
    Ok(())
}

/// Two volumes of each kind in a random pose.
struct Case {
    spheres: [Sphere; 2],
    aabbs: [Aabb; 2],
    obbs: [Obb; 2],
    faces: [Triangle; 2],
    frame: PairFrame,
}

impl Case {
    fn new(random: &mut SplitMix64) -> Self {
        let mut extents =
            || DVec3::new(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
        let halves = [extents(), extents()];
        let aabbs = halves.map(|half| Aabb { min: -half, max: half });
        let obbs = halves.map(|half| Obb {
            center: DVec3::ZERO,
            axes: DMat3::from_quat(random.rotation()),
            half_extents: half,
        });
        let spheres = halves.map(|half| Sphere { center: DVec3::ZERO, radius: half.length() });
        let faces = halves.map(|half| Triangle::new(-half, half * random.direction(), half));
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.4));
        let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &pose));
        Self { spheres, aabbs, obbs, faces, frame }
    }
}
