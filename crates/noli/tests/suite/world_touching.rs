//! Bodies of a world that touch before they move: they may leave and slide, and may not be pushed in.

use super::common::{merged, mesh, model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::motion::{Motion, RigidMotion};
use noli::world::{AfterStart, Move, StepOptions};
use noli::{Budget, Convex, Impact, Mesh, Model, Overlap, Pose, Shape, World, overlap};
use noli_scenes::SplitMix64;
use std::sync::Arc;

fn cuboid(x: f64, y: f64, z: f64) -> Model {
    model(&Mesh::cuboid(dvec3(x, y, z)).unwrap().into_solid())
}

/// Travel of a body that touches another, and its end.
fn goes(fixed: (&Model, Pose), moved: (&Model, Pose), path: DVec3, spin: DVec3) -> (f64, Pose) {
    goes_within(Budget::UNLIMITED, fixed, moved, path, spin)
}

fn goes_within(
    budget: Budget<'_>,
    fixed: (&Model, Pose),
    moved: (&Model, Pose),
    path: DVec3,
    spin: DVec3,
) -> (f64, Pose) {
    let mut world = World::default();
    world.add("fixed", fixed.0, fixed.1).unwrap();
    let id = world.add("moved", moved.0, moved.1).unwrap();
    let motion: Arc<dyn Motion> = Arc::new(RigidMotion::with_velocities(&moved.1, path, spin, DVec3::ZERO));
    let options = StepOptions { budget, ..Default::default() };
    let step = world.step(vec![Move::new("move", vec![(id, motion)])], &options).unwrap();
    (step.outcomes[0].free_until, world.body(id).unwrap().pose())
}

#[test]
fn a_body_that_lies_on_another_may_leave_and_slide_and_not_sink() {
    let brick = cuboid(1.0, 0.7, 0.5);
    let floors = [
        (cuboid(8.0, 8.0, 1.0), shift(0.0, 0.0, -0.5)),
        (Model::new(Shape::HalfSpace).unwrap(), Pose::IDENTITY),
        (Model::new(Convex::cuboid(dvec3(8.0, 8.0, 1.0)).unwrap()).unwrap(), shift(0.0, 0.0, -0.5)),
    ];
    let (still, on) = (DVec3::ZERO, shift(0.1, 0.2, 0.25));
    for (floor, place) in &floors {
        let goes = |path: DVec3, spin: DVec3| goes((floor, *place), (&brick, on), path, spin).0;
        assert_eq!(goes(dvec3(0.3, 0.1, 2.0), still), 1.0);
        assert_eq!(goes(dvec3(0.0, 0.0, 1.0), dvec3(0.3, 0.2, 0.5)), 1.0);
        assert_eq!(goes(dvec3(1.5, -0.5, 0.0), still), 1.0);
        assert_eq!(goes(dvec3(0.0, 0.0, -1.0), still), 0.0);
        assert_eq!(goes(dvec3(1.0, 0.0, -1e-3), still), 0.0);
        assert_eq!(goes(DVec3::ZERO, dvec3(0.2, 0.0, 0.0)), 0.0);
    }
}

#[test]
fn what_a_body_does_after_touching_at_the_start_is_told() {
    let (brick, floor) = (cuboid(1.0, 0.7, 0.5), cuboid(8.0, 8.0, 1.0));
    let step = cuboid(1.0, 8.0, 1.0);
    let told = |place: Pose, path: DVec3, steps: Option<u64>| {
        let mut world = World::default();
        world.add("floor", &floor, shift(0.0, 0.0, -0.5)).unwrap();
        let id = world.add("brick", &brick, place).unwrap();
        world.add("step", &step, shift(3.0, 0.0, 0.5)).unwrap();
        world.add("roof", &floor, shift(0.0, 0.0, 5.5)).unwrap();
        let motion: Arc<dyn Motion> =
            Arc::new(RigidMotion::with_velocities(&place, path, DVec3::ZERO, DVec3::ZERO));
        let budget = steps.map_or(Budget::UNLIMITED, |steps| Budget::UNLIMITED.steps(steps));
        let options = StepOptions { budget, ..Default::default() };
        let plan = world.plan(vec![Move::new("move", vec![(id, motion)])], &options).unwrap();
        // The floor is the first body.
        let answer = plan.answers.iter().find(|answer| answer.pair[0].index() == 0);
        answer.map(|answer| (answer.after_start, answer.impact))
    };
    let on = shift(0.0, 0.0, 0.25);
    let at_start = |impact: Impact<_>| matches!(impact, Impact::AtStart(_));
    for (place, path, after) in [
        (on, DVec3::Z, AfterStart::Leaves),
        (on, dvec3(1.0, 0.5, 0.0), AfterStart::Slides),
        (shift(0.0, 0.0, 0.2), DVec3::Z, AfterStart::Within),
    ] {
        let (found, impact) = told(place, path, None).expect("they touch");
        assert_eq!(found, Some(after));
        assert!(at_start(impact), "{impact:?}");
        // Less budget may leave it open, and never tells otherwise.
        for steps in [1, 10, 100, 300, 1000, 3000, 10_000] {
            let (found, impact) = told(place, path, Some(steps)).expect("what touches is not left out");
            assert!(found.is_none_or(|found| found == after), "{steps} {found:?}");
            assert!(at_start(impact) || matches!(impact, Impact::Unknown { .. }), "{steps} {impact:?}");
        }
    }
    let (found, impact) = told(on, dvec3(0.3, 0.0, -1.0), None).expect("they touch");
    assert_eq!((found, impact.safe_until()), (Some(AfterStart::GoesIn), 0.0));
    assert!(matches!(impact, Impact::At { .. }), "{impact:?}");
    assert!(told(shift(0.0, 0.0, 0.26), DVec3::Z, None).is_none_or(|(after, _)| after.is_none()));
}

/// A long slide was once held half-way, because it was proven in more pieces than are looked at.
#[test]
fn a_slide_may_be_as_long_as_the_floor() {
    let (brick, floor) = (cuboid(1.0, 0.7, 0.5), cuboid(400.0, 8.0, 1.0));
    let goes =
        |path| goes((&floor, shift(0.0, 0.0, -0.5)), (&brick, shift(-190.0, 0.0, 0.25)), path, DVec3::ZERO).0;
    assert_eq!(goes(dvec3(380.0, 1.0, 0.0)), 1.0);
    assert!(goes(dvec3(380.0, 1.0, -1e-3)) < 1e-6);
}

#[test]
fn what_leaves_is_still_stopped_by_what_it_meets_later() {
    let (brick, frame) = (
        cuboid(1.0, 1.0, 1.0),
        model(&mesh(merged([-1.0, 3.0].map(|z| {
            let mut plate = noli_scenes::cuboid(dvec3(3.0, 3.0, 0.5));
            plate.vertices.iter_mut().for_each(|v| v.z += z);
            plate
        })))),
    );
    let (until, _) = goes((&frame, Pose::IDENTITY), (&brick, Pose::IDENTITY), DVec3::Z * 4.0, DVec3::ZERO);
    assert!(until > 0.499 && until <= 0.5, "{until}");
}

/// A brick that fits a channel exactly, and so touches three of its walls.
#[test]
fn a_channel_lets_its_key_along_and_out() {
    let walls = [(dvec3(4.0, 1.0, 1.0), dvec3(0.0, 1.5, 0.0)), (dvec3(4.0, 1.0, 1.0), dvec3(0.0, -1.5, 0.0))];
    let floor = (dvec3(4.0, 2.0, 0.5), dvec3(0.0, 0.0, -1.0));
    let parts = walls.into_iter().chain([floor]).map(|(size, at)| {
        let mut part = noli_scenes::cuboid(0.5 * size);
        part.vertices.iter_mut().for_each(|v| *v += at);
        part
    });
    let channel = model(&mesh(merged(parts)));
    let key = cuboid(1.0, 2.0, 1.5);
    let goes = |path: DVec3| goes((&channel, Pose::IDENTITY), (&key, Pose::IDENTITY), path, DVec3::ZERO).0;
    assert_eq!(goes(dvec3(0.9, 0.0, 0.0)), 1.0);
    assert_eq!(goes(dvec3(0.0, 0.0, 2.0)), 1.0);
    assert_eq!(goes(dvec3(0.4, 0.0, 1.0)), 1.0);
    assert_eq!(goes(dvec3(0.0, 0.1, 0.0)), 0.0);
    assert_eq!(goes(dvec3(0.0, 0.0, -0.1)), 0.0);
    // As far as rounding: by 1e-11 of its size.
    assert!(goes(dvec3(0.5, 1e-6, 0.5)) < 1e-5);
}

/// Wherever a step of any touching pair of bricks ends, they do not reach into each other, and on the way neither.
#[test]
fn nothing_that_touches_is_ever_pushed_in() {
    let mut random = SplitMix64::new(5);
    let (mut moved, mut held) = (0, 0);
    for _ in 0..150 {
        let mut half = || 0.5 * (1.0 + random.between(0.0, 4.0).floor());
        let sizes = [dvec3(half(), half(), half()), dvec3(half(), half(), half())];
        let [a, b] = sizes.map(|size| cuboid(2.0 * size.x, 2.0 * size.y, 2.0 * size.z));
        let sum = sizes[0] + sizes[1];
        let beside = dvec3(random.between(-0.9, 0.9), random.between(-0.9, 0.9), 0.0) * sum;
        let turn = DQuat::from_rotation_y(if random.unit() < 0.5 { 0.0 } else { 0.7 });
        // The same touch, turned as a whole where that keeps it: exactly only where it is not turned.
        let (pose_a, pose_b) = (Pose::IDENTITY, Pose::from_translation(beside.with_z(sum.z)));
        let path = turn * random.direction();
        let spin = if random.unit() < 0.5 { DVec3::ZERO } else { random.direction() };
        let (until, end) = goes((&a, pose_a), (&b, pose_b), path, spin);
        if until > 0.0 {
            moved += 1
        } else {
            held += 1
        }
        let motion = RigidMotion::with_velocities(&pose_b, path, spin, DVec3::ZERO);
        for k in 1..=32 {
            let t = until * f64::from(k) / 32.0;
            // A hair smaller than it is, what only slides is free.
            let smaller = b.scaled(1.0 - 1e-9).unwrap();
            let pose = if k == 32 { end } else { motion.pose(t) };
            assert_eq!(
                overlap(&a.at(pose_a), &smaller.at(pose)),
                Overlap::Free,
                "{path} {spin} {t} of {until}"
            );
        }
        if until == 0.0 && spin == DVec3::ZERO {
            assert!(path.z < 1e-9, "{path}");
        }
    }
    assert!(moved > 30 && held > 30, "{moved} {held}");
}

/// If the budget does not suffice to prove that bodies only touch, they are kept from penetrating.
#[test]
fn no_budget_is_too_small_to_hold_what_touches() {
    let (brick, floor) = (cuboid(1.0, 0.7, 0.5), cuboid(8.0, 8.0, 1.0));
    let (on, below) = (shift(0.1, 0.2, 0.25), shift(0.0, 0.0, -0.5));
    let goes = |steps: u64, path: DVec3| {
        let budget = Budget::UNLIMITED.steps(steps);
        goes_within(budget, (&floor, below), (&brick, on), path, DVec3::ZERO).0
    };
    let mut left = 0;
    for steps in (0..64).chain([1 << 10, 1 << 20]) {
        assert_eq!(goes(steps, DVec3::NEG_Z), 0.0, "{steps} steps");
        left += u32::from(goes(steps, DVec3::Z) == 1.0);
    }
    assert!(left > 1, "with enough of them it may leave");
}
