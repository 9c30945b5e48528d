//! Hints along paths: the same answers as without, whatever the bodies and however far they move.

use crate::common::mesh;
use glam::{DQuat, DVec3};
use noli::{Budget, Hint, Model, Overlap, Pose, QueryContext, Scratch};
use noli_scenes::{SplitMix64, bumpy_sphere, cuboid, torus};

/// A path of poses: a random walk with steps of about `step`, kept within `reach` of the origin.
fn walk(rng: &mut SplitMix64, start: f64, step: f64, count: usize) -> Vec<Pose> {
    let (mut at, mut turn) = (rng.direction() * start, rng.rotation());
    let (mut drift, mut axis) = (rng.direction(), rng.direction());
    let next = |_| {
        drift =
            (drift + 0.3 * rng.direction() - 0.2 * (at.length() / start - 1.0) * at).normalize_or(DVec3::X);
        axis = (axis + 0.3 * rng.direction()).normalize_or(DVec3::Y);
        at += drift * (step * rng.unit());
        turn = DQuat::from_axis_angle(axis, step * rng.unit()) * turn;
        Pose::new(turn, at)
    };
    (0..count).map(next).collect()
}

/// Pairs of bodies and the distance of their centres near contact. Rings are surfaces, the others solids; of the last pair one is
/// inside the other.
fn bodies() -> Vec<([Model; 2], f64)> {
    let sphere = |frequency, phase| Model::from(&mesh(bumpy_sphere(frequency, phase)).into_solid());
    let cube = |half: DVec3| Model::from(&mesh(cuboid(half)).into_solid());
    let ring = || Model::from(&mesh(torus(1.0, 0.3, 24, 12)));
    vec![
        ([sphere(12, 0.3), sphere(12, 1.1)], 2.0),
        ([cube(DVec3::ONE), cube(DVec3::new(2.0, 0.3, 0.05))], 1.6),
        ([ring(), sphere(6, 0.2)], 2.1),
        ([ring(), cube(DVec3::splat(0.1))], 1.1),
        ([cube(DVec3::splat(2.0)), sphere(6, 0.7)], 1.2),
    ]
}

/// Asks everything about a pose with a hint and without.
fn compare(models: &[Model; 2], pose: &Pose, hint: &mut Hint, scratch: &mut Scratch) -> Overlap {
    let [a, b] = [models[0].at(Pose::new(DQuat::from_rotation_x(0.3), DVec3::Z)), models[1].at(*pose)];
    let margin = 0.05;
    let plain = QueryContext::new(scratch).overlap(&a, &b);
    assert_eq!(QueryContext::new(scratch).with_hint(hint).overlap(&a, &b), plain, "{pose:?}");
    let near = QueryContext::new(scratch).within_distance(&a, &b, margin);
    assert_eq!(QueryContext::new(scratch).with_hint(hint).within_distance(&a, &b, margin), near, "{pose:?}");
    let distance = QueryContext::new(scratch).clearance(&a, &b, &Default::default()).distance;
    let hinted = QueryContext::new(scratch).with_hint(hint).clearance(&a, &b, &Default::default()).distance;
    assert!(hinted.at_least <= distance.at_most && distance.at_least <= hinted.at_most, "{pose:?}");
    let width = |bracket: noli::answer::Bracket| bracket.at_most - bracket.at_least;
    assert!(width(hinted) <= width(distance) + 1e-12, "{hinted:?}, without a hint {distance:?}");
    plain
}

#[test]
fn hints_change_no_answer_along_paths() {
    let (mut rng, mut scratch) = (SplitMix64::new(10), Scratch::default());
    let mut seen = [0; 2];
    for (models, contact) in bodies() {
        for step in [1e-6, 1e-4, 1e-3, 1e-2, 0.1] {
            let mut hint = Hint::default();
            for pose in walk(&mut rng, contact, step, 120) {
                let pose = Pose::new(pose.rotation, pose.translation + DVec3::Z);
                let verdict = compare(&models, &pose, &mut hint, &mut scratch);
                seen[usize::from(verdict == Overlap::Hit)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
}

/// One hint for everything: other bodies, jumps, and queries of one kind only.
#[test]
fn a_hint_about_something_else_changes_no_answer() {
    let (mut rng, mut scratch, mut hint) = (SplitMix64::new(11), Scratch::default(), Hint::default());
    let all = bodies();
    for round in 0..400 {
        let (models, contact) = &all[(rng.next_u64() % all.len() as u64) as usize];
        let step = [1e-4, 1e-2, 1.0][round % 3];
        for pose in walk(&mut rng, *contact, step, 1 + round % 5) {
            let _ = compare(models, &pose, &mut hint, &mut scratch);
        }
    }
}

/// A plate that enters a solid between two poses: at none of them do the surfaces meet.
#[test]
fn a_plate_that_jumps_inside_is_found_inside() {
    let halves = [DVec3::ONE, DVec3::new(0.3, 0.3, 1e-4)];
    let [block, plate] = halves.map(|half| Model::from(&mesh(cuboid(half)).into_solid()));
    let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
    let a = block.at(Pose::IDENTITY);
    for k in 0..40 {
        let z = 1.205 - 0.01 * f64::from(k);
        let b = plate.at(Pose::from_translation(DVec3::new(0.0, 0.0, z)));
        let verdict = QueryContext::new(&mut scratch).with_hint(&mut hint).overlap(&a, &b);
        assert_eq!(verdict == Overlap::Hit, z < 1.0, "{z}");
    }
}

/// A query that ran out of budget leaves nothing behind that a later one would believe.
#[test]
fn small_budgets_leave_no_trace_in_a_hint() {
    let (mut rng, mut scratch) = (SplitMix64::new(12), Scratch::default());
    for (models, contact) in bodies() {
        let mut hint = Hint::default();
        for (number, pose) in walk(&mut rng, contact, 1e-3, 150).iter().enumerate() {
            let [a, b] = [models[0].at(Pose::IDENTITY), models[1].at(*pose)];
            let plain = QueryContext::new(&mut scratch).overlap(&a, &b);
            let budget = Budget::default().steps(number as u64 % 7);
            let limited =
                QueryContext::new(&mut scratch).with_budget(budget).with_hint(&mut hint).overlap(&a, &b);
            assert!(limited == plain || limited == Overlap::Unknown, "{limited:?} instead of {plain:?}");
            if number % 5 == 0 {
                assert_eq!(QueryContext::new(&mut scratch).with_hint(&mut hint).overlap(&a, &b), plain);
            }
        }
    }
}

/// Close poses cost a fraction of the steps.
#[test]
fn hints_save_steps_along_smooth_paths() {
    let [a, b] = [0.3, 1.1].map(|phase| Model::from(&mesh(bumpy_sphere(20, phase))));
    let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
    let place = a.at(Pose::IDENTITY);
    let mut steps = [0; 2];
    for k in 0..500 {
        let turn = DQuat::from_rotation_y(1e-4 * f64::from(k));
        let b = b.at(Pose::new(turn, DVec3::X * (2.15 + 1e-4 * f64::from(k % 250))));
        let mut plain = QueryContext::new(&mut scratch);
        let verdict = plain.overlap(&place, &b);
        steps[0] += plain.steps();
        let mut hinted = QueryContext::new(&mut scratch).with_hint(&mut hint);
        assert_eq!(hinted.overlap(&place, &b), verdict);
        steps[1] += hinted.steps();
    }
    assert!(5 * steps[1] < steps[0], "{steps:?}");
}

/// Two queries at each of many poses that have nothing to do with each other cost about what they cost without a hint.
#[test]
fn hints_cost_little_where_poses_are_far_apart() {
    let [a, b] = [0.3, 1.1].map(|phase| Model::from(&mesh(bumpy_sphere(20, phase))));
    let (mut scratch, mut hint, mut rng) = (Scratch::default(), Hint::default(), SplitMix64::new(3));
    let place = a.at(Pose::IDENTITY);
    let mut steps = [0; 2];
    for _ in 0..2_000 {
        let b = b.at(Pose::new(rng.rotation(), rng.direction() * 2.4));
        for (hinted, steps) in [false, true].into_iter().zip(&mut steps) {
            for is_distance in [false, true] {
                let context = QueryContext::new(&mut scratch);
                let mut context = if hinted { context.with_hint(&mut hint) } else { context };
                match is_distance {
                    false => assert_ne!(context.overlap(&place, &b), Overlap::Unknown),
                    true => {
                        assert!(context.clearance(&place, &b, &Default::default()).distance.at_least >= 0.0)
                    }
                }
                *steps += context.steps();
            }
        }
    }
    assert!(steps[1] as f64 <= 1.02 * steps[0] as f64, "{steps:?}");
}
