//! Steps of worlds under budgets and on many threads.

use crate::common::{mesh, model};
use glam::{DVec3, dvec3};
use noli::motion::RigidMotion;
use noli::world::{Basis, BodyId, BudgetPolicy, Move, Step, StepOptions};
use noli::{Budget, Pose, World};

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
    let weight = |pair: [BodyId; 2]| f64::from(pair[0].index() + 1);
    for share in [BudgetPolicy::Together, BudgetPolicy::Weighted(&weight)] {
        let mut before: Option<Vec<f64>> = None;
        for exponent in 0..24 {
            let steps = f64::powf(1.6, f64::from(exponent)) as u64;
            let budget = Budget::UNLIMITED.steps(steps);
            let limited = StepOptions { budget, share, sleep: false, ..Default::default() };
            let step = plan(&limited);
            assert!(step.stats.steps <= steps.max(1), "{share:?}: {} of {steps}", step.stats.steps);
            let mut now = Vec::new();
            for (answer, truth) in step.answers.iter().zip(&full.answers) {
                if answer.basis == Basis::CutShort {
                    assert!(answer.impact.safe_until() <= truth.impact.safe_until());
                    assert!(answer.clearance_at_most.unwrap() > 0.0);
                } else {
                    assert_eq!(answer.impact.is_hit(), truth.impact.is_hit(), "{share:?}, {steps} steps");
                }
                now.push(answer.impact.safe_until());
            }
            if let Some(before) = &before {
                let narrower = before.iter().zip(&now).all(|(before, now)| *now >= before - 1e-6);
                assert!(narrower, "{share:?}, {steps} steps: {before:?} {now:?}");
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
    let with = |share| {
        let budget = Budget::UNLIMITED.steps(steps);
        plan(&StepOptions { budget, share, sleep: false, ..Default::default() }).stats.cut_short
    };
    assert!(with(BudgetPolicy::Weighted(&|_| 1.0)) > 0);
    assert_eq!(with(BudgetPolicy::Together), 0);
}
