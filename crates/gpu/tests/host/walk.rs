//! Two bodies: the kernels' arithmetic and walk against exact answers.

use super::program::run;
use glam::{DQuat, DVec3};
use noli::query::{ClearanceQuery, IntersectionsQuery};
use noli::{Mesh, Model, Overlap, Pose, QueryContext, Scratch};
use noli_gpu::PoseSource;
use noli_scenes::SplitMix64;

const MAIN: &str = include_str!("walk.cpp");

#[derive(Clone, Copy, PartialEq)]
enum Question {
    Overlap,
    Closer(f64),
    Clearance,
    Intersections,
}

/// Questions for the program, in the order in which answers come back.
#[derive(Default)]
struct Questions {
    bytes: Vec<u8>,
    asked: Vec<(Model, Pose, Model, Pose, Question)>,
}

fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

impl Questions {
    fn context(&mut self, fixed: (&Model, Pose), moving: &Model, poses: &[Pose], question: Question) {
        let (image, solid, probes) = noli_gpu::image(fixed.0).expect("a mesh");
        let (image_b, solid_b, probes_b) = noli_gpu::image(moving).expect("a mesh");
        let moves_a = image_b.unit > image.unit;
        let mut sides = [(image, solid, probes), (image_b, solid_b, probes_b)];
        if moves_a {
            sides.swap(0, 1);
        }
        let [(a, solid_a, probes_a), (b, solid_b, probes_b)] = &sides;
        let (number, limit) = match question {
            Question::Overlap => (0, 0.0),
            Question::Closer(margin) => (1, up(margin / a.unit)),
            Question::Clearance => (2, f32::INFINITY),
            Question::Intersections => (3, 0.0),
        };
        let records = |image: &noli::seams::Image| (image.words.len() / noli::seams::RECORD) as u32;
        let (count_a, count_b) = (probes_a.len() as u32 / 3, probes_b.len() as u32 / 3);
        for word in [
            number,
            moves_a.into(),
            records(a),
            records(b),
            count_a,
            count_b,
            (*solid_a).into(),
            (*solid_b).into(),
            poses.len() as u32,
            0,
        ] {
            self.bytes.extend(word.to_le_bytes());
        }
        self.bytes.extend(limit.to_le_bytes());
        self.bytes.extend(0u32.to_le_bytes());
        self.numbers(&[a.unit, b.unit, a.reach, b.reach, 0.0, 0.0, 0.0]);
        self.pose(&fixed.1);
        for image in [a, b] {
            image.words.iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
        }
        self.numbers(probes_a);
        self.numbers(probes_b);
        for pose in poses {
            self.pose(pose);
            self.asked.push((fixed.0.clone(), fixed.1, moving.clone(), *pose, question));
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.bytes.extend(x.to_le_bytes()));
    }

    fn pose(&mut self, pose: &Pose) {
        self.numbers(&pose.rotation.to_array());
        self.numbers(&pose.translation.to_array());
    }

    /// Counts answered poses, and those left unsure; `None` where there is no compiler.
    fn compare(&self) -> Option<(usize, usize)> {
        let answers = run("walk", MAIN, &self.bytes)?;
        let rows: Vec<[f32; 3]> =
            answers.chunks_exact(12).map(|row| [0, 4, 8].map(|at| f32_at(row, at))).collect();
        assert_eq!(rows.len(), self.asked.len());
        let (mut scratch, mut unsure) = (Scratch::default(), 0);
        for (row, (a, at, b, pose, question)) in rows.iter().zip(&self.asked) {
            let mut context = QueryContext::new(&mut scratch);
            let (x, y) = (a.at(*at), b.at(*pose));
            if row[0] == 2.0 {
                unsure += 1;
                continue;
            }
            let verdict = if row[0] == 1.0 { Overlap::Hit } else { Overlap::Free };
            match question {
                Question::Overlap => assert_eq!(context.overlap(&x, &y), verdict, "{pose:?} from {at:?}"),
                Question::Closer(margin) => {
                    assert_eq!(
                        context.within_distance(&x, &y, *margin),
                        verdict,
                        "{margin} {pose:?} from {at:?}"
                    );
                }
                Question::Clearance => {
                    let truth = context.clearance(&x, &y, &ClearanceQuery::default()).distance;
                    let unit = [a, b]
                        .map(|m| noli_gpu::image(m).expect("a mesh").0.unit)
                        .into_iter()
                        .fold(0.0, f64::max);
                    let [low, high] = [row[1], row[2]].map(|x| f64::from(x) * unit);
                    assert!(
                        low <= truth.at_most && truth.at_least <= high,
                        "{low} {high} {truth:?} {pose:?}"
                    );
                    assert!(high - low <= 1e-4 * (high + unit), "{low} {high}");
                }
                Question::Intersections => {
                    let mut count = noli::answer::Count::default();
                    let completeness =
                        context.intersections(&x, &y, &IntersectionsQuery::default(), &mut count);
                    assert_eq!(completeness, noli::answer::Completeness::Complete);
                    assert_eq!([row[1], row[2]], [count.0 as f32; 2], "{pose:?} from {at:?}");
                }
            }
        }
        Some((rows.len(), unsure))
    }
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn random_pose(random: &mut SplitMix64, nearest: f64, furthest: f64) -> Pose {
    let source = PoseSource { seed: random.next_u64(), nearest, furthest };
    source.pose(random.next_u64())
}

#[test]
fn what_the_walk_is_sure_of_is_true() {
    let mut random = SplitMix64::new(5);
    let [a, b] = [0.3, 1.1].map(|phase| noli_scenes::bumpy_sphere(20, phase));
    let mesh = |sphere: noli_scenes::TriangleSet| {
        Mesh::from_triangles(sphere.vertices, sphere.triangles, &noli_geom::MeshOptions::default())
            .expect("sound")
    };
    let (a, b) = (mesh(a), mesh(b));
    let mut questions = Questions::default();
    for solid in [false, true] {
        let kind = |mesh: &Mesh| Model::from(if solid { mesh.clone().into_solid() } else { mesh.clone() });
        let (a, b) = (kind(&a), kind(&b));
        let at = random_pose(&mut random, 0.0, 5.0);
        let near = if solid { 0.2 } else { 1.85 };
        let mut poses: Vec<Pose> = (0..400).map(|_| at * random_pose(&mut random, near, 2.25)).collect();
        // Slid along the line of centres until they touch, to the last bits.
        for k in 0..60 {
            let turn = poses[k].rotation;
            let away = (poses[k].translation - at.translation).normalize();
            let there = |distance: f64| Pose::new(turn, at.translation + away * distance);
            let (mut low, mut high) = (1.5, 2.6);
            for _ in 0..44 {
                let middle = 0.5 * (low + high);
                let hit = noli::overlap(&a.at(at), &b.at(there(middle))) == Overlap::Hit;
                *(if hit { &mut low } else { &mut high }) = middle;
                poses.push(there(middle));
            }
        }
        for question in [
            Question::Overlap,
            Question::Closer(0.03),
            Question::Closer(0.0),
            Question::Clearance,
            Question::Intersections,
        ] {
            let poses = if question == Question::Overlap { &poses[..] } else { &poses[..700] };
            questions.context((&a, at), &b, poses, question);
            questions.context((&b, Pose::IDENTITY), &a, &poses[..50], question);
        }
    }
    if let Some((all, unsure)) = questions.compare() {
        // Poses a few bits from contact are unsure by nature, and solids that may hold each other.
        assert!(unsure * 2 < all, "{unsure} of {all}");
    }
}

#[test]
fn small_and_degenerate_meshes_are_never_wrong() {
    let mut random = SplitMix64::new(11);
    let mut questions = Questions::default();
    for case in 0..6000 {
        let scale = [1.0, 1e-150, 1e80, 3.0][case % 4];
        let mut soup = |count: usize| {
            // Vertices of a small lattice: coplanar, touching, without area.
            let mut vertex =
                || DVec3::from_array([(); 3].map(|()| (random.next_u64() % 4) as f64 - 1.5)) * scale;
            let vertices: Vec<DVec3> = (0..3 * count).map(|_| vertex()).collect();
            let triangles = (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
            Model::from(
                Mesh::from_triangles(vertices, triangles, &noli_geom::MeshOptions::default()).expect("sound"),
            )
        };
        let (a, b) = (soup(1 + case % 7), soup(1 + case % 5));
        let lattice = |random: &mut SplitMix64| (random.next_u64() % 5) as f64 * 0.5 - 1.0;
        let poses: Vec<Pose> = (0..4)
            .map(|k| {
                let shift = DVec3::from_array([(); 3].map(|()| lattice(&mut random))) * scale;
                let turn = match k {
                    0 => DQuat::IDENTITY,
                    1 => DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0),
                    2 => DQuat::from_xyzw(1.0, 1.0, 1.0, 1.0),
                    _ => random_pose(&mut random, 0.0, 1.0).rotation,
                };
                Pose::new(turn, shift)
            })
            .collect();
        questions.context((&a, Pose::IDENTITY), &b, &poses, Question::Overlap);
        questions.context((&a, Pose::IDENTITY), &b, &poses, Question::Intersections);
        if case % 4 == 0 {
            questions.context((&a, Pose::IDENTITY), &b, &poses, Question::Closer(0.5 * scale));
            questions.context((&a, Pose::IDENTITY), &b, &poses, Question::Clearance);
        }
    }
    questions.compare();
}

#[test]
fn poses_are_drawn_alike_on_both_sides() {
    let source = PoseSource { seed: 77, nearest: 1.85, furthest: 2.25 };
    let cube = Model::from(Mesh::cuboid(DVec3::ONE).expect("sound"));
    let mut questions = Questions::default();
    questions.context((&cube, Pose::IDENTITY), &cube, &[], Question::Overlap);
    let count = 10_000u32;
    questions.bytes[4 * 8..4 * 9].copy_from_slice(&count.to_le_bytes());
    questions.bytes[4 * 9..4 * 10].copy_from_slice(&1u32.to_le_bytes());
    let at = 48 + 32;
    questions.bytes[at..at + 8].copy_from_slice(&source.seed.to_le_bytes());
    questions.bytes[at + 8..at + 16].copy_from_slice(&source.nearest.to_le_bytes());
    questions.bytes[at + 16..at + 24].copy_from_slice(&source.furthest.to_le_bytes());
    let Some(answers) = run("walk", MAIN, &questions.bytes) else { return };
    assert_eq!(answers.len(), 68 * count as usize);
    for (number, row) in answers.chunks_exact(68).enumerate() {
        let pose = source.pose(number as u64);
        let numbers: Vec<f64> = (0..7).map(|k| f64_at(row, 12 + 8 * k)).collect();
        assert_eq!(pose.rotation.to_array(), numbers[..4]);
        assert_eq!(pose.translation.to_array(), numbers[4..]);
        assert!((1.85..2.25 + 1e-12).contains(&pose.translation.length()));
    }
}

#[test]
fn without_a_gpu_the_cpu_answers() {
    let device = noli_gpu::Device::cpu();
    let sphere =
        device.load(&Model::new(noli::Convex::sphere(0.5).expect("sound")).expect("sound")).expect("no GPU");
    let cube = device.load(&Model::from(Mesh::cuboid(DVec3::ONE).expect("sound"))).expect("no GPU");
    let rows: Vec<[f64; 7]> = (0..50).map(|k| [0.0, 0.0, 0.0, 1.0, 0.04 * f64::from(k), 0.0, 0.0]).collect();
    let poses = noli_gpu::Poses::Rows(&rows);
    let mut answers = vec![Overlap::Unknown; rows.len()];
    let report = device
        .overlap_poses((&cube, &Pose::IDENTITY), &sphere, &poses, &mut answers)
        .expect("as many answers");
    assert_eq!(report.on_cpu, 50);
    assert_eq!(answers.iter().filter(|&&answer| answer == Overlap::Hit).count(), 26);
    assert!(device.overlap_poses((&cube, &Pose::IDENTITY), &sphere, &poses, &mut answers[1..]).is_err());
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let report =
        device.with_cancel(stop).overlap_poses((&cube, &Pose::IDENTITY), &sphere, &poses, &mut answers);
    assert!(report.expect("stopped").cancelled && answers.iter().all(|&answer| answer == Overlap::Unknown));
}
