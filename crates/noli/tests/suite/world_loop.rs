//! Worlds in a loop: bodies that move on what moves, what is remembered from step to step, and what is said when time is up.

use crate::common::{mesh, model, vector};
use crate::world::EachAlone;
use glam::{DVec3, dvec3};
use noli::broad::Method;
use noli::motion::{Motion, RigidMotion};
use noli::query::Clock;
use noli::world::{BodyId, Move, PairTestMode, Step, StepOptions, StepPolicy, StopPolicy, WorldError};
use noli::{Budget, Convex, Impact, Model, Overlap, Pose, Shape, World, overlap};
use noli_scenes::SplitMix64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn cube() -> Model {
    model(&mesh(noli_scenes::cuboid(DVec3::splat(0.5))).into_solid())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

fn glide(world: &World, id: BodyId, by: DVec3) -> Move {
    let motion = |start: &Pose| RigidMotion::with_velocities(start, by, DVec3::ZERO, DVec3::ZERO);
    world.carry(format!("{id}"), &[id], motion).unwrap()
}

/// A table that goes along x with a cup on it that goes along y, and what they meet.
fn table_and_cup(post: Option<Pose>) -> (World, [BodyId; 2]) {
    let (cube, mut world) = (cube(), World::default());
    let table = world.add("table", &cube, Pose::IDENTITY).unwrap();
    let cup = world.add("cup", &cube, at(0.0, 0.0, 1.5)).unwrap();
    world.attach(cup, table).unwrap();
    if let Some(pose) = post {
        world.add("post", &cube, pose).unwrap();
    }
    (world, [table, cup])
}

/// A ground without end that is part of a turned compound stops what falls on it, and nothing that flies over it.
#[test]
fn slopes_in_compounds_stop_what_falls_on_them() {
    let slope = Pose::new(glam::DQuat::from_rotation_x(0.25), dvec3(0.0, 0.0, -1.0));
    let post = Shape::from(Convex::cuboid(DVec3::ONE).unwrap());
    let parts = vec![(slope, Shape::HalfSpace), (at(50.0, 0.0, 20.0), post)];
    let ground = Model::new(Shape::Compound(parts)).unwrap();
    let place = Pose::new(glam::DQuat::from_rotation_z(0.5), dvec3(3.0, 4.0, 0.0));
    let alone = Model::new(Shape::HalfSpace).unwrap();
    for method in Method::ALL {
        let [by_part, by_itself] = [(&ground, place), (&alone, place * slope)].map(|(model, pose)| {
            let mut world = World::new(method);
            world.add("ground", model, pose).unwrap();
            let cube = world.add("cube", &cube(), at(0.0, 0.0, 8.0)).unwrap();
            [dvec3(5.0, 0.0, 1.0), dvec3(0.0, 0.0, -20.0)].map(|by| {
                let drive = glide(&world, cube, by);
                world.step(vec![drive], &StepOptions::default()).unwrap().outcomes[0].free_until
            })
        });
        assert_eq!([by_part[0], by_itself[0]], [1.0; 2], "{method:?}: nothing is in the way");
        assert!(by_part[1] > 0.2 && by_part[1] < 0.8, "{method:?}: {by_part:?}");
        assert!((by_part[1] - by_itself[1]).abs() < 1e-4, "{method:?}: {by_part:?} {by_itself:?}");
    }
}

#[test]
fn a_cup_that_slides_on_a_moving_table_does_both() {
    let (mut world, [table, cup]) = table_and_cup(None);
    let moves = vec![glide(&world, cup, DVec3::Y * 3.0), glide(&world, table, DVec3::X * 2.0)];
    world.step(moves, &StepOptions::default()).unwrap();
    assert_eq!(world.body(table).unwrap().pose().translation, dvec3(2.0, 0.0, 0.0));
    assert!(world.body(cup).unwrap().pose().translation.abs_diff_eq(dvec3(2.0, 3.0, 1.5), 1e-12));
}

/// The post is met by neither motion alone.
#[test]
fn table_and_cup_stop_together_where_the_cup_is_blocked() {
    let policies: [(&dyn StepPolicy, StopPolicy); 3] = [
        (&PairTestMode::Dynamic, StopPolicy::Islands),
        (&PairTestMode::Dynamic, StopPolicy::InOrder),
        (&EachAlone, StopPolicy::Islands),
    ];
    for (policy, cut) in policies {
        let (mut world, [table, cup]) = table_and_cup(Some(at(4.0, 4.0, 1.5)));
        let moves = vec![glide(&world, table, DVec3::X * 4.0), glide(&world, cup, DVec3::Y * 4.0)];
        let step = world.step(moves, &StepOptions { policy, cut, ..Default::default() }).unwrap();
        for outcome in &step.outcomes {
            assert!((outcome.free_until - 0.75).abs() < 1e-4, "{cut:?}: {outcome:?}");
        }
        let place = |id: BodyId| world.body(id).unwrap().pose().translation;
        assert!(place(cup).abs_diff_eq(place(table) + dvec3(0.0, place(table).x, 1.5), 1e-9), "{cut:?}");
    }
}

#[test]
fn a_client_that_stops_the_table_stops_the_cup_on_it() {
    let (mut world, [table, cup]) = table_and_cup(None);
    let moves = vec![glide(&world, table, DVec3::X * 4.0), glide(&world, cup, DVec3::Y * 4.0)];
    let mut step = world.plan(moves, &StepOptions::default()).unwrap();
    step.outcomes[0].free_until = 0.5;
    world.commit(&step).unwrap();
    assert!(world.body(cup).unwrap().pose().translation.abs_diff_eq(dvec3(2.0, 2.0, 1.5), 1e-12));
    let twice = vec![glide(&world, cup, DVec3::X), glide(&world, cup, DVec3::X)];
    assert_eq!(world.plan(twice, &StepOptions::default()).err(), Some(WorldError::MovedTwice(cup)));
}

/// Three links that hang on each other, each with a motion of its own: what is proven free is free at every look, and what hangs rigidly
/// on the last keeps its place.
#[test]
fn chains_of_carried_bodies_touch_nothing_until_they_stop() {
    let (cube, mut blocked) = (cube(), 0);
    for seed in 0..60 {
        let mut random = SplitMix64::new(seed);
        let mut world = World::default();
        let links: Vec<BodyId> = (0..3)
            .map(|k| world.add(format!("link{k}"), &cube, at(2.0 * f64::from(k), 0.0, 0.0)).unwrap())
            .collect();
        let tool = world.add("tool", &cube, at(4.0, 1.4, 0.0)).unwrap();
        world.attach(links[1], links[0]).unwrap();
        world.attach(links[2], links[1]).unwrap();
        world.attach(tool, links[2]).unwrap();
        let posts: Vec<BodyId> = (0..5)
            .map(|_| {
                world.add("post", &cube, Pose::new(random.rotation(), vector(&mut random, 6.0))).unwrap()
            })
            .collect();
        let moves: Vec<Move> = links
            .iter()
            .map(|&id| {
                let (shift, turn) = (vector(&mut random, 1.0), vector(&mut random, 0.8));
                let pivot = world.body(id).unwrap().pose().translation;
                let motion = move |start: &Pose| {
                    RigidMotion::with_velocities(start, shift, turn, start.inverse().transform_point(pivot))
                };
                world.carry("link", &[id], motion).unwrap()
            })
            .collect();
        let before = world.body(links[2]).unwrap().pose().inverse() * world.body(tool).unwrap().pose();
        let step = world.plan(moves, &StepOptions::default()).unwrap();
        let until = step.outcomes[0].free_until;
        assert!(step.outcomes.iter().all(|outcome| outcome.free_until == until));
        blocked += usize::from(until < 1.0);
        let parts: Vec<(BodyId, &Arc<dyn Motion>)> = step.moves().iter().flat_map(Move::parts).collect();
        assert_eq!(parts.len(), 4, "each body once");
        let at_start: Vec<[BodyId; 2]> = step
            .hits()
            .filter(|answer| matches!(answer.impact, Impact::AtStart(_)))
            .map(|answer| answer.pair)
            .collect();
        for k in 0..=40 {
            let t = until * f64::from(k) / 40.0;
            for &(id, motion) in &parts {
                let here = world.body(id).unwrap().model().at(motion.pose(t));
                for &post in posts.iter().filter(|&&post| !at_start.contains(&[id, post])) {
                    let other = world.body(post).unwrap();
                    let free = overlap(&here, &other.model().at(other.pose())) == Overlap::Free;
                    assert!(free, "seed {seed}: {id} in {post} at {t} of {until}");
                }
            }
        }
        world.commit(&step).unwrap();
        let after = world.body(links[2]).unwrap().pose().inverse() * world.body(tool).unwrap().pose();
        assert!(before.translation.abs_diff_eq(after.translation, 1e-12), "seed {seed}");
    }
    assert!(blocked > 10, "{blocked} of 60 are blocked");
}

/// A walker among others; every body made by `shape`.
fn walk(shape: &Model, options: &StepOptions<'_>) -> (Vec<Pose>, u64, usize) {
    let mut world = World::default();
    for k in 0..6 {
        let angle = f64::from(k);
        world.add(format!("{k}"), shape, at(1.5 * angle.cos(), 1.5 * angle.sin(), 0.0)).unwrap();
    }
    let walker = world.add("walker", shape, Pose::IDENTITY).unwrap();
    let (mut random, mut steps, mut with_hint, mut poses) = (SplitMix64::new(7), 0, 0, Vec::new());
    for _ in 0..120 {
        let (shift, turn) = (vector(&mut random, 0.05), vector(&mut random, 0.05));
        let motion = |start: &Pose| RigidMotion::with_velocities(start, shift, turn, DVec3::ZERO);
        let moves = vec![world.carry("walk", &[walker], motion).unwrap()];
        let step = world.step(moves, options).unwrap();
        (steps, with_hint) = (steps + step.stats.steps, with_hint + step.stats.with_hint);
        poses.push(world.body(walker).unwrap().pose());
    }
    (poses, steps, with_hint)
}

#[test]
fn hints_change_the_cost_and_nothing_else_of_meshes() {
    let ring = model(&mesh(noli_scenes::torus(0.5, 0.15, 16, 8)).into_solid());
    let run = |hints| walk(&ring, &StepOptions { hints, ..Default::default() });
    let ((with, few, with_hint), (without, many, none)) = (run(true), run(false));
    assert_eq!(with, without, "to the last bit");
    assert!(few < many && with_hint > 0 && none == 0, "{few} steps with, {many} without, {with_hint} hinted");
}

#[test]
fn hints_change_no_verdict_of_convex_bodies() {
    let sphere = Model::new(Convex::cylinder(0.9, 0.7).unwrap()).unwrap();
    let run = |hints| walk(&sphere, &StepOptions { hints, sleep: false, ..Default::default() });
    let ((with, few, with_hint), (without, many, _)) = (run(true), run(false));
    for (x, y) in with.iter().zip(&without) {
        assert!(x.translation.abs_diff_eq(y.translation, 1e-6), "{x:?} {y:?}");
    }
    assert!(few < many && with_hint > 0, "{few} steps with, {many} without");
}

/// Bumpy spheres close to each other, or drums, and the first turns.
fn plan(shape: &Model, options: &StepOptions<'_>) -> Step {
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
fn convex_pairs_spend_steps_and_more_of_them_never_tell_less() {
    let drum = Model::new(Convex::cylinder(1.0, 1.2).unwrap()).unwrap();
    let full = plan(&drum, &StepOptions { sleep: false, ..Default::default() });
    assert!(full.stats.steps > 20 && full.stats.cut_short == 0, "{:?}", full.stats);
    let (mut before, mut cut) = (vec![0.0; full.answers.len()], 0);
    for steps in (0..2 * full.stats.steps).step_by(61) {
        let budget = Budget::UNLIMITED.steps(steps);
        let step = plan(&drum, &StepOptions { budget, sleep: false, ..Default::default() });
        assert!(step.stats.steps <= steps, "{} of {steps}", step.stats.steps);
        cut += step.stats.cut_short;
        for ((answer, truth), before) in step.answers.iter().zip(&full.answers).zip(&mut before) {
            let until = answer.impact.safe_until();
            assert!(until <= truth.impact.safe_until() + 1e-5 && until >= *before - 1e-5, "{steps} steps");
            *before = until;
        }
    }
    assert!(cut > 0);
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
    for micros in [0, 1, 5, 20, 80] {
        let clock = Ticking(AtomicU64::new(0));
        let budget = Budget::UNLIMITED.until(Duration::from_micros(micros), &clock);
        let step = pool.install(|| plan(&bumpy, &StepOptions { budget, ..Default::default() }).stats);
        assert!(step.candidates > 2 && (step.cut_short > 0 || micros > 5), "{step:?}");
        let late = clock.0.load(Ordering::Relaxed).saturating_sub(micros);
        assert!(late <= 24, "{late} looks at the clock after {micros} us");
    }
}
