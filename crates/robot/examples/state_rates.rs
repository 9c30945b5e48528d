//! How long a cell takes to answer, and a digest of its answers to compare two builds with:
//! `cargo run --release -p noli-robot --example state_rates [ROBOT.urdf] [ROUNDS]`.

use glam::{DQuat, dvec3};
use noli::{Convex, Impact, Mesh, Model, Pose};
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, ProofOptions, Reachability, StateStatus};
use noli_robot::{LinkGeometry, PumaSet, Robot, puma560};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Numbers in [0, 1), always the same.
struct Draw(u64);

impl Draw {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 * 2f64.powi(-53)
    }

    fn state(&mut self, robot: &Robot) -> Vec<f64> {
        let ranges = robot.variables().iter().map(|variable| variable.limits.range.unwrap_or([-3.0, 3.0]));
        let mut values: Vec<f64> = ranges.map(|[low, high]| low + (high - low) * self.share()).collect();
        robot.apply_laws(&mut values);
        values
    }

    fn pose(&mut self, size: f64) -> Pose {
        let mut number = || self.share() - 0.5;
        let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
        Pose::new(turn, 2.0 * size * dvec3(number(), number(), number()))
    }
}

/// A robot among boxes, spheres, drums and tori; pairs that collide in most configurations are disabled.
fn cell(robot: &Arc<Robot>, meshes: bool) -> Result<Cell, Box<dyn std::error::Error>> {
    let mut shapes = robot.shapes(|file| Err(file.to_owned()))?;
    for shape in shapes.iter_mut().filter(|shape| meshes && shape.link % 2 == 0) {
        shape.solid = LinkGeometry::Mesh(Mesh::cuboid(dvec3(0.15, 0.12, 0.3))?.into_solid());
    }
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::from_translation(dvec3(0.1, 0.0, 0.2)), &shapes)?;
    let alone = plan.clone().build();
    let (mut checker, mut draw, mut hits) = (alone.checker(), Draw(1), Vec::new());
    let mut counts = vec![0; alone.pairs().len()];
    for _ in 0..40 {
        checker.colliding_pairs(&draw.state(robot), &mut hits)?;
        hits.iter().for_each(|hit| counts[hit.pair] += 1);
    }
    for pair in (0..counts.len()).filter(|&pair| counts[pair] > 20) {
        let [a, b] = alone.pair_names(pair);
        plan.disable(a, b, "in collision in most configurations")?;
    }
    let bodies = [
        Model::new(Convex::sphere(0.12)?)?,
        Model::new(Mesh::torus(0.3, 0.05, 24, 12)?.into_solid())?,
        Model::new(Convex::cuboid(dvec3(0.3, 0.1, 0.2))?)?,
        Model::new(Convex::cylinder(0.3, 0.1)?)?,
    ];
    for k in 0..12 {
        plan.add_obstacle(&format!("body{k}"), &bodies[k % 4], draw.pose(1.0))?;
    }
    Ok(plan.build())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let robot = match words.next().filter(|path| path != "-") {
        Some(path) => Robot::from_urdf_str(&std::fs::read_to_string(path)?)?,
        None => puma560(PumaSet::FuGonzalezLee),
    };
    let rounds: usize = words.next().map_or(Ok(20), |word| word.parse())?;
    let robot = Arc::new(robot);
    let mut out = std::io::stdout().lock();
    for meshes in [false, true] {
        let start = Instant::now();
        let cell = cell(&robot, meshes)?;
        writeln!(out, "{:34} {:9.2} ms", "built", start.elapsed().as_secs_f64() * 1e3)?;
        let mut draw = Draw(7);
        let states: Vec<f64> = (0..200 * rounds).flat_map(|_| draw.state(&robot)).collect();
        measure(&mut out, &cell, &states)?;
    }
    Ok(())
}

fn measure(out: &mut impl Write, cell: &Cell, states: &[f64]) -> Result<(), Box<dyn std::error::Error>> {
    let size = cell.value_count();
    let count = states.len() / size;
    let rows = || states.chunks(size);
    let mut report = |what: &str, count: usize, start: Instant, digest: String| {
        let each = start.elapsed().as_secs_f64() * 1e6 / count as f64;
        writeln!(out, "{what:34} {each:9.3} us   {digest}")
    };
    let mut checker = cell.checker();
    let mut statuses = Vec::new();
    for prepared in [false, true] {
        if prepared {
            let start = Instant::now();
            cell.prepare();
            report("tables", 1, start, String::new())?;
        }
        let start = Instant::now();
        checker.check_states(states, &mut statuses)?;
        let free = statuses.iter().filter(|status| **status == StateStatus::Free).count();
        let places: usize =
            (0..count).filter(|&k| statuses[k] == StateStatus::Free).map(|k| k * k % 1009).sum();
        report("state, sixteen at a time", count, start, format!("{free} of {count}, {places}"))?;
    }
    let start = Instant::now();
    let free = rows().filter(|values| checker.check_state(values) == Ok(StateStatus::Free)).count();
    report("state, one at a time", count, start, format!("{free}"))?;
    let (start, mut hits, mut sum) = (Instant::now(), Vec::new(), 0);
    for values in rows() {
        checker.colliding_pairs(values, &mut hits)?;
        sum += hits.iter().map(|hit| 1 + hit.pair).sum::<usize>();
    }
    report("all colliding pairs", count, start, format!("{sum}"))?;
    let (start, mut sum) = (Instant::now(), 0.0);
    for values in rows().take(count / 4) {
        sum += checker.clearance(values)?.clearance.at_most;
    }
    report("clearance", count / 4, start, format!("{sum:.9}"))?;
    let short: Vec<(Vec<f64>, Vec<f64>)> = rows()
        .zip(rows().skip(1))
        .map(|(a, b)| (a.to_vec(), a.iter().zip(b).map(|(a, b)| a + 0.1 * (b - a)).collect()))
        .collect();
    let (start, mut kinds) = (Instant::now(), [0; 3]);
    for (from, to) in &short {
        kinds[match checker.check_motion(from, to)? {
            MotionStatus::Free => 0,
            MotionStatus::Blocked { .. } => 1,
            MotionStatus::Close { .. } => 2,
        }] += 1;
    }
    report("edge, collision-free or not", short.len(), start, format!("{kinds:?}"))?;
    let (start, mut kinds, mut times) = (Instant::now(), [0; 4], 0.0);
    for (from, to) in &short[..short.len() / 20] {
        let found = checker.first_contact_on_edge(from, to)?;
        kinds[match found {
            Impact::Free => 0,
            Impact::AtStart(_) => 1,
            Impact::At { .. } => 2,
            Impact::Unknown { .. } => 3,
        }] += 1;
        times += found.safe_until();
    }
    report("edge, first contact", short.len() / 20, start, format!("{kinds:?} {times:.5}"))?;
    let (start, mut kinds, mut asked) = (Instant::now(), String::new(), 0);
    let options = ProofOptions { samples: 2000, cells: 3000, ..ProofOptions::default() };
    let pairs: Vec<usize> = (0..cell.pairs().len()).filter(|pair| pair % 7 == 0).collect();
    for &pair in &pairs {
        let found = cell.prove(pair, &options);
        asked += found.asked;
        kinds.push(match found.meeting {
            Reachability::Never { .. } => 'n',
            Reachability::Always { .. } => 'a',
            Reachability::Possible { .. } => 'c',
            Reachability::Undecided => 'u',
        });
    }
    report("proof", pairs.len(), start, format!("{asked} queries, {kinds}"))?;
    Ok(())
}
