//! Tests that need a GPU: `cargo xtask gpu` runs these.

use glam::DVec3;
use noli::answer::Bracket;
use noli::{Mesh, Model, Overlap, Pose, QueryContext, Scratch};
use noli_gpu::{Device, PoseSource, Poses, Row, StateSource};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn bumpy(cuts: u32, phase: f64, solid: bool) -> Model {
    let set = noli_scenes::bumpy_sphere(cuts, phase);
    let mesh =
        Mesh::from_triangles(set.vertices, set.triangles, &noli_geom::MeshOptions::default()).expect("sound");
    Model::from(if solid { mesh.into_solid() } else { mesh })
}

fn cube(size: f64) -> Model {
    Model::from(Mesh::cuboid(DVec3::splat(size)).expect("sound"))
}

/// GPU and CPU give the same, pose by pose, for bodies of all kinds, in any cut and order.
#[test]
#[ignore = "needs a GPU"]
fn verdicts_are_those_of_the_cpu() {
    let (gpu, cpu) = (Device::open().expect("a GPU"), Device::cpu());
    let pairs = [
        (bumpy(20, 0.3, false), bumpy(20, 1.1, false), 1.85, 2.25),
        (bumpy(59, 0.3, false), bumpy(20, 1.1, true), 1.95, 2.1),
        (bumpy(20, 0.3, true), cube(0.2), 0.0, 1.4),
        (cube(1.0), cube(1.0), 0.5, 1.8),
        (cube(1e-6), cube(1.0), 0.3, 0.9),
        (
            bumpy(12, 0.3, true),
            Model::new(noli::Convex::sphere(0.3).expect("sound")).expect("sound"),
            0.5,
            1.5,
        ),
    ];
    for (a, b, nearest, furthest) in &pairs {
        let source = PoseSource { seed: 9, nearest: *nearest, furthest: *furthest };
        let at = source.pose(1 << 40);
        let rows: Vec<Row> = (0..200_000)
            .map(|k| {
                let pose = at * source.pose(k);
                let ([x, y, z, w], [p, q, r]) = (pose.rotation.to_array(), pose.translation.to_array());
                [x, y, z, w, p, q, r]
            })
            .collect();
        let poses = Poses::Rows(&rows);
        let context = |device: &Device, poses: &Poses<'_>| {
            let (a, b) = (device.load(a).expect("room"), device.load(b).expect("room"));
            let mut answers = [vec![Overlap::Unknown; poses.len()], vec![Overlap::Unknown; poses.len()]];
            let margin = 0.01 * nearest.max(0.1);
            device.overlap_poses((&a, &at), &b, poses, &mut answers[0]).expect("answers");
            device.closer_than_poses((&a, &at), &b, poses, margin, &mut answers[1]).expect("answers");
            answers
        };
        let truth = context(&cpu, &poses);
        assert_eq!(context(&gpu, &poses), truth);
        assert_eq!(context(&gpu.clone().with_memory_limit(1 << 20), &poses), truth);
        let some = Poses::Rows(&rows[150_000..]);
        assert_eq!(context(&gpu, &some), truth.map(|all| all[150_000..].to_vec()));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn clearances_hold_the_truth() {
    let gpu = Device::open().expect("a GPU");
    let models = [bumpy(30, 0.3, false), bumpy(30, 1.1, false)];
    let [a, b] = [0, 1].map(|k| gpu.load(&models[k]).expect("room"));
    let source = PoseSource { seed: 3, nearest: 1.85, furthest: 3.0 };
    let mut clearances = vec![Bracket::OPEN; 50_000];
    let poses = Poses::Drawn(source, 0..50_000);
    gpu.clearance_poses((&a, &Pose::IDENTITY), &b, &poses, &mut clearances).expect("answers");
    let mut scratch = Scratch::default();
    for (k, clearance) in clearances.iter().enumerate().step_by(7) {
        let there = models[1].at(poses.get(k));
        let truth = QueryContext::new(&mut scratch)
            .clearance(&models[0].at(Pose::IDENTITY), &there, &Default::default())
            .distance;
        assert!(
            clearance.at_least <= truth.at_most && truth.at_least <= clearance.at_most,
            "{k}: {clearance:?} {truth:?}"
        );
        assert!(
            clearance.at_most - clearance.at_least <= 1e-5 + 1e-4 * clearance.at_most,
            "{k}: {clearance:?}"
        );
    }
}

#[test]
#[ignore = "needs a GPU"]
fn intersections_are_counted_as_the_cpu_counts() {
    let (gpu, cpu) = (Device::open().expect("a GPU"), Device::cpu());
    let source = PoseSource { seed: 4, nearest: 0.5, furthest: 2.25 };
    for (a, b) in [
        (bumpy(20, 0.3, false), bumpy(20, 1.1, true)),
        (cube(1.0), bumpy(12, 0.3, true)),
        (cube(1.0), Model::new(noli::Convex::sphere(0.3).expect("sound")).expect("sound")),
    ] {
        let count = |device: &Device| {
            let (a, b) = (device.load(&a).expect("room"), device.load(&b).expect("room"));
            let mut counts = vec![None; 20_000];
            let poses = Poses::Drawn(source, 0..20_000);
            device
                .count_intersections_poses((&a, &Pose::IDENTITY), &b, &poses, &mut counts)
                .expect("answers");
            counts
        };
        let truth = count(&cpu);
        assert!(truth.iter().all(Option::is_some));
        assert_eq!(count(&gpu), truth);
        assert_eq!(count(&gpu.clone().with_memory_limit(1 << 20)), truth);
    }
}

/// A thousand devices' worth of models, batches that are stopped, and more memory than there is.
#[test]
#[ignore = "needs a GPU"]
fn nothing_is_lost_and_nothing_hangs() {
    let gpu = Device::open().expect("a GPU");
    let source = PoseSource { seed: 1, nearest: 0.0, furthest: 3.0 };
    for _ in 0..1000 {
        let cube = gpu.load(&cube(1.0)).expect("room");
        let mut answers = [Overlap::Unknown; 64];
        gpu.overlap_poses((&cube, &Pose::IDENTITY), &cube, &Poses::Drawn(source, 0..64), &mut answers)
            .expect("answers");
        assert!(answers.contains(&Overlap::Hit) && answers.contains(&Overlap::Free));
    }
    for _ in 0..5 {
        drop(Device::open().expect("a GPU"));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = gpu.clone().with_memory_limit(1 << 24).with_cancel(stop.clone());
    let sphere = stopping.load(&bumpy(59, 0.3, false)).expect("room");
    let mut answers = vec![Overlap::Unknown; 1 << 26];
    let poses = Poses::Drawn(source, 0..1 << 26);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        stopping.overlap_poses((&sphere, &Pose::IDENTITY), &sphere, &poses, &mut answers)
    });
    assert!(report.expect("stopped, not failed").cancelled);
    assert!(answers.contains(&Overlap::Unknown) && answers[0] != Overlap::Unknown);
}

/// Configurations and ways of two arms beside a rock: every answer, in one piece and in many.
#[test]
#[ignore = "needs a GPU"]
fn robots_are_as_the_cpu_has_them() {
    let (gpu, cpu) = (Device::open().expect("a GPU"), Device::cpu());
    let robot = Arc::new(noli_robot::puma560(noli_robot::PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).expect("plain bodies");
    let mut plan = noli_robot::cell::CellBuilder::default();
    plan.add_robot("a ", robot.clone(), Pose::IDENTITY, &shapes).expect("sound");
    plan.add_robot("b ", robot, Pose::from_translation(DVec3::new(0.9, 0.3, 0.0)), &shapes).expect("sound");
    let set = noli_scenes::bumpy_sphere(20, 0.3);
    let vertices = set.vertices.iter().map(|point| *point * 0.2).collect();
    let rock = Mesh::from_triangles(vertices, set.triangles, &noli_geom::MeshOptions::default());
    let rock = Model::from(rock.expect("sound").into_solid());
    plan.add_obstacle("rock", &rock, Pose::from_translation(DVec3::new(0.3, -0.4, 0.2))).expect("a new name");
    let cell = Arc::new(plan.build());
    let (count, size) = (20_000, cell.value_count());
    let source = PoseSource { seed: 5, nearest: 0.0, furthest: 3.0 };
    let numbers = (0..2 * count as u64).flat_map(|k| source.pose(k).translation.to_array());
    let values: Vec<f64> = numbers.cycle().take(count * size).collect();
    let near: Vec<f64> = values.iter().map(|value| value * 0.95 + 0.05).collect();
    let context = |device: &Device| {
        let cell = device.load_cell(cell.clone()).expect("room");
        let mut any = vec![Overlap::Unknown; count];
        let mut first = vec![noli_robot::cell::StateStatus::Free; count];
        let (mut all, mut paths) = (vec![Vec::new(); count], vec![Overlap::Unknown; 2000]);
        device.overlap_states(&cell, &values, &mut any).expect("answers");
        device.check_states(&cell, &values, &mut first).expect("answers");
        device.all_hits(&cell, &values, &mut all).expect("answers");
        let some = 2000 * size;
        device.connect_states(&cell, &values[..some], &near[..some], &mut paths).expect("answers");
        (any, first, all, paths)
    };
    let truth = context(&cpu);
    assert_eq!(context(&gpu), truth);
    assert_eq!(context(&gpu.clone().with_memory_limit(1 << 20)), truth);
    let source = StateSource::new(&cell, 3);
    let tally = |device: &Device, numbers| {
        let cell = device.load_cell(cell.clone()).expect("room");
        let tally = device.tally_states(&cell, &source, numbers).expect("counts");
        (tally.count, tally.hits, tally.unknown, tally.first_hit)
    };
    for numbers in [0..50_001, 7..8, 1 << 40..(1 << 40) + 1000, 5..5] {
        let truth = tally(&cpu, numbers.clone());
        assert_eq!(tally(&gpu, numbers.clone()), truth);
        assert_eq!(tally(&gpu.clone().with_memory_limit(1 << 20), numbers), truth);
    }
}
