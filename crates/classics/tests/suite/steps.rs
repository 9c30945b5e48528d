//! Published steps of a world: tests, sharing of the budget, answers at a timeout.

use crate::common::{mesh, model};
use glam::{DVec3, dvec3};
use noli::motion::RigidMotion;
use noli::query::Clock;
use noli::world::{Basis, BodyId, Move, Step, StepOptions};
use noli::{Budget, Guarantee, Model, Pose, World};
use noli_classics::step::{BudgetSharing, PublishedStep, TestTimes, TimeoutAnswer};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const SHARINGS: [BudgetSharing; 3] =
    [BudgetSharing::Together, BudgetSharing::Uniform, BudgetSharing::CarryOver];
const TIMEOUTS: [TimeoutAnswer; 3] =
    [TimeoutAnswer::AssumeContact, TimeoutAnswer::Volumes, TimeoutAnswer::Faces];

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

fn cube_world(places: &[f64]) -> (World, Vec<BodyId>) {
    let cube = model(&mesh(noli_scenes::cuboid(DVec3::splat(0.5))).into_solid());
    let mut world = World::default();
    let ids = places
        .iter()
        .map(|&x| world.add(format!("at{x}"), &cube, Pose::from_translation(DVec3::X * x)).unwrap());
    let ids = ids.collect();
    (world, ids)
}

fn drive(world: &World, id: BodyId, by: f64) -> Move {
    let motion = |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * by, DVec3::ZERO, DVec3::ZERO);
    world.carry(format!("{id}"), &[id], motion).unwrap()
}

#[test]
fn modes_see_what_they_say_they_see() {
    let question = |times: TestTimes, by: f64| {
        let (mut world, ids) = cube_world(&[0.0, 3.0]);
        let moves = vec![drive(&world, ids[0], by)];
        let step = world.plan(moves, &PublishedStep { times, ..Default::default() }.options()).unwrap();
        step.answers
            .first()
            .map(|answer| (answer.impact.is_hit(), answer.guarantee))
            .unwrap_or((false, Guarantee::Exact))
    };
    // Through and out again.
    assert!(!question(TestTimes::Static, 6.0).0);
    assert!(!question(TestTimes::Mixed, 6.0).0);
    assert_eq!(question(TestTimes::Sampled { between: 1 }, 6.0), (true, Guarantee::Approximate));
    assert_eq!(question(TestTimes::Dynamic, 6.0), (true, Guarantee::Conservative));
    // Ending inside.
    assert_eq!(question(TestTimes::Static, 3.0), (true, Guarantee::Exact));
    assert_eq!(question(TestTimes::Mixed, 3.0), (true, Guarantee::Approximate));
}

/// Two bumpy spheres close to each other, and many pairs that are easy.
fn uneven() -> (World, Vec<BodyId>) {
    let bumpy = model(&mesh(noli_scenes::bumpy_sphere(24, 0.3)).into_solid());
    let easy = model(&mesh(noli_scenes::cuboid(DVec3::splat(0.5))).into_solid());
    let mut world = World::default();
    let mut ids = vec![world.add("hard", &bumpy, Pose::IDENTITY).unwrap()];
    ids.push(world.add("mover", &bumpy, Pose::from_translation(dvec3(2.45, 0.0, 0.0))).unwrap());
    for k in 0..6 {
        let angle = f64::from(k);
        let place = dvec3(2.45 + angle.cos() * 1.9, angle.sin() * 1.9, 0.0);
        ids.push(world.add(format!("easy{k}"), &easy, Pose::from_translation(place)).unwrap());
    }
    (world, ids)
}

fn turn(world: &World, id: BodyId) -> Move {
    let motion = |start: &Pose| {
        RigidMotion::with_velocities(start, dvec3(-0.02, 0.03, 0.0), DVec3::Z * 0.5, DVec3::ZERO)
    };
    world.carry("turn", &[id], motion).unwrap()
}

fn plan(options: &StepOptions<'_>) -> Step {
    let (mut world, ids) = uneven();
    let moves = vec![turn(&world, ids[1])];
    world.plan(moves, options).unwrap()
}

#[test]
fn budgets_widen_brackets_and_more_budget_never_does() {
    let full = plan(&StepOptions { sleep: false, ..Default::default() });
    assert!(full.stats.steps > 500, "{:?}", full.stats);
    for sharing in SHARINGS {
        let mut before: Option<Vec<f64>> = None;
        for exponent in 0..24 {
            let steps = f64::powf(1.6, f64::from(exponent)) as u64;
            let budget = Budget::UNLIMITED.steps(steps);
            let by = |timeout| {
                let policy = PublishedStep { sharing, timeout, ..Default::default() };
                plan(&StepOptions { budget, sleep: false, ..policy.options() })
            };
            let step = by(TimeoutAnswer::AssumeContact);
            assert!(step.stats.steps <= steps.max(1), "{sharing:?}: {} of {steps}", step.stats.steps);
            let volumes = by(TimeoutAnswer::Volumes);
            let mut now = Vec::new();
            for ((answer, by_volumes), truth) in step.answers.iter().zip(&volumes.answers).zip(&full.answers)
            {
                if answer.basis == Basis::CutShort {
                    let until = truth.impact.safe_until();
                    assert!(
                        answer.impact.safe_until() <= until && by_volumes.impact.safe_until() <= until + 1e-9
                    );
                    assert!(by_volumes.impact.safe_until() >= answer.impact.safe_until());
                    assert!(answer.clearance_at_most.unwrap() > 0.0);
                } else {
                    assert_eq!(answer.impact.is_hit(), truth.impact.is_hit(), "{sharing:?}, {steps} steps");
                }
                now.push(answer.impact.safe_until());
            }
            if let Some(before) = &before {
                let narrower = before.iter().zip(&now).all(|(before, now)| *now >= before - 1e-6);
                assert!(narrower, "{sharing:?}, {steps} steps: {before:?} {now:?}");
            }
            before = Some(now);
        }
    }
}

#[test]
fn shares_cut_a_hard_pair_short_where_taking_turns_does_not() {
    let full = plan(&StepOptions { sleep: false, ..Default::default() });
    let hardest = full.answers.iter().map(|answer| answer.steps).max().unwrap();
    // Just too little for the hardest pair, if all get the same.
    let steps = hardest * full.answers.len() as u64 - 1;
    assert!(steps > 2 * full.stats.steps, "one pair is much harder than most");
    let with = |sharing| {
        let budget = Budget::UNLIMITED.steps(steps);
        let policy = PublishedStep { sharing, ..Default::default() };
        plan(&StepOptions { budget, sleep: false, ..policy.options() }).stats.cut_short
    };
    assert!(with(BudgetSharing::Uniform) > 0);
    assert_eq!((with(BudgetSharing::Together), with(BudgetSharing::CarryOver)), (0, 0));
}

/// Bumpy spheres close to each other, or drums, and the first turns.
fn plan_of(shape: &Model, options: &StepOptions<'_>) -> Step {
    let mut world = World::default();
    let mover = world.add("mover", shape, at(2.45, 0.0, 0.0)).unwrap();
    for k in 0..5 {
        let angle = f64::from(k);
        world.add(format!("{k}"), shape, at(2.45 + 2.5 * angle.cos(), 2.5 * angle.sin(), 0.0)).unwrap();
    }
    let motion = |start: &Pose| {
        RigidMotion::with_velocities(start, dvec3(-0.3, 0.1, 0.0), DVec3::Z * 0.5, DVec3::ZERO)
    };
    let moves = vec![world.carry("turn", &[mover], motion).unwrap()];
    world.plan(moves, options).unwrap()
}

#[test]
fn all_fallbacks_keep_to_the_budget_and_faces_say_that_they_are_approximate() {
    let bumpy = model(&mesh(noli_scenes::bumpy_sphere(20, 0.3)).into_solid());
    let full = plan_of(&bumpy, &StepOptions { sleep: false, ..Default::default() });
    let mut by_faces = [0, 0];
    for exponent in 0..40 {
        let steps = f64::powf(1.25, f64::from(exponent)) as u64;
        let budget = Budget::UNLIMITED.steps(steps);
        for timeout in TIMEOUTS {
            let policy = PublishedStep { timeout, ..Default::default() };
            let step = plan_of(&bumpy, &StepOptions { budget, sleep: false, ..policy.options() });
            assert!(step.stats.steps <= steps, "{timeout:?}: {} of {steps}", step.stats.steps);
            for (answer, truth) in step.answers.iter().zip(&full.answers) {
                let is_faces = answer.guarantee == Guarantee::Approximate;
                assert!(!is_faces || timeout == TimeoutAnswer::Faces && answer.basis == Basis::CutShort);
                if is_faces {
                    by_faces[usize::from(answer.impact.is_hit())] += 1;
                } else if answer.basis == Basis::CutShort {
                    assert!(answer.impact.safe_until() <= truth.impact.safe_until() + 1e-9);
                }
            }
        }
    }
    assert!(by_faces.iter().all(|&count| count > 0), "free and hit by faces: {by_faces:?}");
}

/// Every look at it takes a microsecond.
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn work_ends_soon_after_the_deadline() {
    let bumpy = model(&mesh(noli_scenes::bumpy_sphere(40, 0.3)).into_solid());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for timeout in TIMEOUTS {
        for micros in [0, 1, 5, 20, 80] {
            let clock = Ticking(AtomicU64::new(0));
            let policy = PublishedStep { timeout, ..Default::default() };
            let budget = Budget::UNLIMITED.until(Duration::from_micros(micros), &clock);
            let step = pool.install(|| plan_of(&bumpy, &StepOptions { budget, ..policy.options() }).stats);
            assert!(step.candidates > 2 && (step.cut_short > 0 || micros > 5), "{step:?}");
            let late = clock.0.load(Ordering::Relaxed).saturating_sub(micros);
            assert!(late <= 24, "{timeout:?}: {late} looks at the clock after {micros} us");
        }
    }
}
