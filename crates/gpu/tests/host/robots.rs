//! Robots: poses bit for bit, and configurations and ways against the CPU's proofs.

use super::program::run;
use glam::{DQuat, dvec3};
use noli::{Convex, Mesh, Model, Overlap, Pose};
use noli_gpu::PackedCell;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, StateStatus};
use noli_robot::{PumaSet, puma560};
use noli_scenes::SplitMix64;
use std::sync::Arc;

const MAIN: &str = include_str!("robots.cpp");
const ANY: u32 = 0;
const ALL: u32 = 1;
const WAY: u32 = 2;
const FIRST: u32 = 3;
const POSES: u32 = 4;

fn bytes(cell: &PackedCell, bodies: usize, mode: u32, count: usize, rows: &[f64]) -> Vec<u8> {
    let mut words: Vec<u32> = cell.tables.iter().map(|table| table.0.len() as u32).collect();
    words.push(cell.probes.len() as u32);
    words.extend(cell.counts);
    words.extend([mode, count as u32, cell.desk as u32, bodies as u32, 0]);
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let words = cell.tables.iter().flat_map(|table| &table.0);
    bytes.extend(words.flat_map(|word| word.to_le_bytes()));
    bytes.extend(cell.probes.iter().chain(rows).flat_map(|x| x.to_le_bytes()));
    bytes
}

pub(crate) fn states(cell: &Cell, random: &mut SplitMix64, count: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for _ in 0..count {
        for robot in cell.robots() {
            let mut values: Vec<f64> = robot
                .variables()
                .iter()
                .map(|variable| {
                    let [low, high] = variable.limits.range.unwrap_or([-3.1, 3.1]);
                    low + (high - low) * (random.next_u64() >> 11) as f64 * 0.5f64.powi(53)
                })
                .collect();
            robot.apply_laws(&mut values);
            all.extend(values);
        }
    }
    all
}

/// Two arms among bodies of all kinds: a box, a cylinder, a sphere, a solid mesh that is not convex, and a surface.
pub(crate) fn arms() -> Cell {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).expect("plain bodies");
    let mut plan = CellBuilder::default();
    plan.add_robot("a ", robot.clone(), Pose::IDENTITY, &shapes).expect("sound");
    let place = Pose::new(DQuat::from_rotation_z(0.7), dvec3(0.9, 0.3, 0.05));
    plan.add_robot("b ", robot, place, &shapes).expect("sound");
    let at = |x, y, z| Pose::new(DQuat::from_xyzw(0.1, 0.3, -0.2, 1.0), dvec3(x, y, z));
    let convex = |shape: Result<Convex, noli::ShapeError>| Model::new(shape.expect("sound")).expect("sound");
    let mut fixed = |name: &str, model: Model, pose: Pose| {
        plan.add_obstacle(name, &model, pose).expect("a new name");
    };
    fixed("box", convex(Convex::cuboid(dvec3(0.3, 0.2, 0.1))), at(0.5, 0.4, 0.3));
    fixed("drum", convex(Convex::cylinder(0.08, 0.4)), at(0.3, -0.5, 0.4));
    fixed("sphere", convex(Convex::sphere(0.1)), at(-0.4, 0.5, 0.6));
    let bumpy = noli_scenes::bumpy_sphere(8, 0.3);
    let vertices = bumpy.vertices.iter().map(|p| *p * 0.15).collect();
    let mesh = Mesh::from_triangles(vertices, bumpy.triangles, &noli_geom::MeshOptions::default());
    let mesh = mesh.expect("sound");
    fixed("rock", Model::from(mesh.clone().into_solid()), at(-0.5, -0.3, 0.2));
    fixed("skin", Model::from(mesh), at(0.2, 0.7, 0.7));
    // Some shapes of the arms meet wherever their joints are.
    let cell = plan.clone().build();
    let rows = states(&cell, &mut SplitMix64::new(2), 40);
    let (mut checker, mut always) = (cell.checker(), Vec::new());
    for (k, values) in rows.chunks(cell.value_count()).enumerate() {
        let mut all = Vec::new();
        checker.colliding_pairs(values, &mut all).expect("sound");
        let pairs: Vec<usize> = all.iter().map(|meets| meets.pair).collect();
        if k == 0 { always = pairs } else { always.retain(|pair| pairs.contains(pair)) }
    }
    for pair in always {
        let [a, b] = cell.pair_names(pair);
        plan.disable(a, b, "always").expect("names of the cell");
    }
    let last = cell.parts()[5].name.clone();
    plan.margin(&last, "rock", 0.05).expect("names of the cell");
    plan.build()
}

#[test]
fn poses_come_out_bit_for_bit() {
    let cell = arms();
    let packed = PackedCell::new(&cell).expect("few joints");
    let mut random = SplitMix64::new(3);
    let (count, size, bodies) = (3000, cell.value_count(), cell.shapes().count());
    let mut rows = states(&cell, &mut random, count);
    // Angles that are reduced by many turns, and those at the ends of quarters.
    for (k, value) in rows.iter_mut().enumerate().filter(|(k, _)| k % 5 == 0) {
        *value = match k % 15 {
            0 => *value * 1e6,
            5 => (*value * 2.0).round() * std::f64::consts::FRAC_PI_2,
            _ => *value * 1e-9,
        };
    }
    let Some(out) = run("robots", MAIN, &bytes(&packed, bodies, POSES, count, &rows)) else { return };
    assert_eq!(out.len(), count * bodies * 56);
    for (values, row) in rows.chunks(size).zip(out.chunks_exact(bodies * 56)) {
        let poses = cell.shape_poses(values).expect("sound");
        for (pose, row) in poses.iter().zip(row.chunks_exact(56)) {
            let numbers = row.chunks_exact(8).map(|x| u64::from_le_bytes(std::array::from_fn(|k| x[k])));
            let own = pose.rotation.to_array().into_iter().chain(pose.translation.to_array());
            assert!(own.map(f64::to_bits).eq(numbers), "{values:?}");
        }
    }
}

struct Answered {
    verdict: Overlap,
    pair: u32,
    hits: Vec<u32>,
}

fn ask(cell: &Cell, mode: u32, count: usize, rows: &[f64]) -> Option<Vec<Answered>> {
    let packed = PackedCell::new(cell).expect("few joints");
    let input = bytes(&packed, cell.shapes().count(), mode, count, rows);
    let out = run("robots", MAIN, &input)?;
    let size = 8 + 2 * packed.masks();
    assert_eq!(out.len(), count * size);
    let word = |row: &[u8], at: usize| u32::from_le_bytes(std::array::from_fn(|k| row[at + k]));
    let answer = |row: &[u8]| {
        let set = |k: &usize| row[8 + k / 8] >> (k % 8) & 1 == 1;
        let mut hits: Vec<u32> =
            (0..packed.pairs.len()).filter(set).map(|couple| packed.pairs[couple]).collect();
        hits.sort_unstable();
        hits.dedup();
        let verdict = [Overlap::Free, Overlap::Hit, Overlap::Unknown][word(row, 0) as usize];
        Answered { verdict, pair: word(row, 4), hits }
    };
    Some(out.chunks_exact(size).map(answer).collect())
}

/// Returns the number of unsure configurations, and of all.
fn compare(cell: &Cell, count: usize, seed: u64) -> Option<(usize, usize)> {
    let rows = states(cell, &mut SplitMix64::new(seed), count);
    let (mut checker, mut unsure) = (cell.checker(), 0);
    let size = cell.value_count();
    for mode in [ANY, FIRST, ALL] {
        let answers = ask(cell, mode, count, &rows)?;
        let mut all = Vec::new();
        for (values, answer) in rows.chunks(size).zip(&answers) {
            if answer.verdict == Overlap::Unknown {
                unsure += 1;
                continue;
            }
            checker.colliding_pairs(values, &mut all).expect("sound");
            assert_eq!(answer.verdict == Overlap::Hit, !all.is_empty(), "{mode} {values:?}");
            let status = checker.check_state(values).expect("sound");
            assert_eq!(answer.verdict == Overlap::Hit, status != StateStatus::Free);
            if mode == FIRST {
                assert_eq!(answer.pair, all.first().map_or(u32::MAX, |meets| meets.pair as u32));
            }
            if mode == ALL {
                assert!(answer.hits.iter().map(|&pair| pair as usize).eq(all.iter().map(|m| m.pair)));
            }
        }
    }
    Some((unsure, 3 * count))
}

/// Counts unsure, free and blocked paths.
fn compare_paths(cell: &Cell, count: usize, reach: f64) -> Option<[usize; 3]> {
    let mut random = SplitMix64::new(8);
    let (from, far) = (states(cell, &mut random, count), states(cell, &mut random, count));
    let to: Vec<f64> = from.iter().zip(&far).map(|(a, b)| a + (b - a) * reach).collect();
    let size = cell.value_count();
    let rows: Vec<f64> = from.chunks(size).zip(to.chunks(size)).flat_map(|(a, b)| [a, b].concat()).collect();
    let answers = ask(cell, WAY, count, &rows)?;
    let (mut checker, mut tally) = (cell.checker(), [0; 3]);
    for ((from, to), answer) in from.chunks(size).zip(to.chunks(size)).zip(&answers) {
        let found = checker.check_motion(from, to).expect("sound");
        match (answer.verdict, found) {
            (Overlap::Unknown, _) => tally[0] += 1,
            (Overlap::Free, MotionStatus::Free) => tally[1] += 1,
            (Overlap::Hit, MotionStatus::Blocked { .. }) => tally[2] += 1,
            (verdict, found) => panic!("{verdict:?} {found:?}: {from:?} {to:?}"),
        }
    }
    Some(tally)
}

#[test]
fn configurations_and_ways_are_as_the_cpu_has_them() {
    let cell = arms();
    let Some((unsure, all)) = compare(&cell, 700, 5) else { return };
    // Round links and the sphere have no trees.
    assert!(unsure * 2 < all, "{unsure} of {all}");
    let Some([unsure, free, blocked]) = compare_paths(&cell, 150, 0.15) else { return };
    assert!(free > 10 && blocked > 10 && unsure < 100, "{unsure} {free} {blocked}");
}

/// The Panda alone.
pub(crate) fn panda() -> Option<CellBuilder> {
    let robots = noli_testing::data("robots")?;
    let folder = robots.join("moveit_resources_panda_description");
    let options = noli_project::RobotOptions { packages: vec![robots], ..Default::default() };
    let loaded = noli_project::load_robot(folder.join("urdf/panda.urdf"), &options).expect("a robot");
    let robot = Arc::new(loaded.robot.clone());
    let srdf = noli_project::load_srdf(folder.join("srdf/panda.srdf"), &robot).expect("a robot");
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", robot, Pose::IDENTITY, &loaded.shapes).expect("sound");
    plan.apply_srdf(arm, &srdf);
    Some(plan)
}

pub(crate) fn panda_in_cage() -> Option<Cell> {
    let (mut plan, planning) = panda().zip(noli_testing::data("planning"))?;
    let problems = noli_project::list_problems(planning.join("motionbenchmaker")).expect("a folder");
    let files = problems.iter().find(|files| files.set == "cage_panda").expect("a cage");
    for body in &files.read().expect("a problem").bodies {
        let model = Model::new(body.shape.clone()).expect("sound");
        plan.add_obstacle(&body.name, &model, body.pose).expect("a new name");
    }
    Some(plan.build())
}

pub(crate) fn ur5() -> Option<Cell> {
    let robots = noli_testing::data("robots")?;
    let folder = robots.join("ur5_robotiq85");
    let options = noli_project::RobotOptions { packages: vec![robots], ..Default::default() };
    let loaded = noli_project::load_robot(folder.join("ur5.urdf"), &options).expect("a robot");
    let robot = Arc::new(loaded.robot.clone());
    let srdf = noli_project::load_srdf(folder.join("ur5.srdf"), &robot).expect("a robot");
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", robot, Pose::IDENTITY, &loaded.shapes).expect("sound");
    plan.apply_srdf(arm, &srdf);
    Some(plan.build())
}

#[test]
fn a_panda_in_its_cage_is_as_the_cpu_has_it() {
    let Some(cell) = panda_in_cage() else { return };
    let Some((unsure, all)) = compare(&cell, 300, 9) else { return };
    assert!(unsure * 10 < all, "{unsure} of {all}");
    let Some([unsure, free, blocked]) = compare_paths(&cell, 60, 0.1) else { return };
    assert!(free > 3 && blocked > 10 && unsure * 4 < 60, "{unsure} {free} {blocked}");
}

#[test]
fn a_device_without_a_gpu_asks_the_cpu() {
    let cell = arms();
    let rows = states(&cell, &mut SplitMix64::new(1), 40);
    let device = noli_gpu::Device::cpu();
    let loaded = device.load_cell(cell).expect("no GPU");
    let (mut any, mut first) = (vec![Overlap::Unknown; 40], vec![StateStatus::Free; 40]);
    let mut all = vec![Vec::new(); 40];
    assert_eq!(device.overlap_states(&loaded, &rows, &mut any).expect("answers").on_cpu, 40);
    device.check_states(&loaded, &rows, &mut first).expect("answers");
    device.clone().with_memory_limit(1 << 12).all_hits(&loaded, &rows, &mut all).expect("answers");
    assert!(any.contains(&Overlap::Hit));
    for ((any, first), all) in any.iter().zip(&first).zip(&all) {
        assert_eq!(*any == Overlap::Hit, *first != StateStatus::Free);
        assert_eq!(*first, all.first().map_or(StateStatus::Free, |meets| StateStatus::Hit(meets.pair)));
    }
    let mut paths = vec![Overlap::Unknown; 39];
    let size = rows.len() / 40;
    device.connect_states(&loaded, &rows[size..], &rows[..39 * size], &mut paths).expect("answers");
    assert!(paths.contains(&Overlap::Hit));
    assert!(device.overlap_states(&loaded, &rows[1..], &mut any).is_err());
    let mut wild = rows.clone();
    wild[3] = f64::NAN;
    let error = device.overlap_states(&loaded, &wild, &mut any).expect_err("not a number");
    assert!(matches!(error, noli_gpu::DeviceError::Configuration(_)), "{error}");
}
