//! Snapshots against worlds in which the bodies were moved there.

use crate::common::{solids, vector};
use glam::DVec3;
use noli::answer::{Bracket, Verdict};
use noli::world::{BodyId, BodySelector, Snapshot, SnapshotContext, WorldError};
use noli::{Budget, Convex, Model, Overlap, Pose, Shape, World, clearance};
use noli_scenes::SplitMix64;
use std::sync::atomic::{AtomicUsize, Ordering};

fn models() -> Vec<Model> {
    let mut models = solids().to_vec();
    models.push(Model::from(Convex::sphere(0.5).unwrap()));
    models.push(Model::from(Convex::capsule(1.0, 0.2).unwrap()));
    models
}

/// Bodies over a floor, with margins, layers and pairs that do not matter.
fn world(seed: u64) -> (World, Vec<BodyId>) {
    let (mut world, models, random) = (World::default(), models(), &mut SplitMix64::new(seed));
    let mut ids: Vec<BodyId> = (0..24)
        .map(|k| {
            let pose = Pose::new(random.rotation(), vector(random, 4.0));
            world.add(format!("{k}"), &models[k % models.len()], pose).unwrap()
        })
        .collect();
    // A clearance in the numbers, and ids of a second generation.
    world.remove(ids.remove(5)).unwrap();
    world.remove(ids.remove(9)).unwrap();
    ids.push(world.add("late", &models[0], Pose::IDENTITY).unwrap());
    let floor = Model::new(Shape::HalfSpace).unwrap();
    ids.push(world.add("floor", &floor, Pose::from_translation(DVec3::Z * -4.0)).unwrap());
    for (k, &id) in ids.iter().enumerate() {
        world.set_layers(id, 1 << (k % 4)).unwrap();
        world.set_user_data(id, k as u64).unwrap();
    }
    world.attach(ids[3], ids[2]).unwrap();
    let rules = world.rules_mut();
    rules.set_default_margin(0.05);
    rules.set_margin([BodySelector::Layer(1), BodySelector::Layer(2)], 0.4);
    rules.set([BodySelector::Layer(3), BodySelector::Layer(3)], false);
    rules.set([BodySelector::Body(ids[0]), BodySelector::Body(ids[1])], false);
    (world, ids)
}

type Poses = Vec<(BodyId, Pose)>;

/// One to six bodies somewhere.
fn poses(random: &mut SplitMix64, ids: &[BodyId]) -> Poses {
    let count = 1 + (random.unit() * 6.0) as usize;
    let first = (random.unit() * (ids.len() - 7) as f64) as usize;
    let pose = |random: &mut SplitMix64| Pose::new(random.rotation(), vector(random, 4.0));
    (first..first + count).rev().map(|k| (ids[k], pose(random))).collect()
}

/// The slow way: the bodies are really moved, and all pairs asked about.
struct Moved {
    touching: Vec<([BodyId; 2], Overlap)>,
    nearest: f64,
}

fn moved(seed: u64, poses: &Poses) -> Moved {
    let (mut world, ids) = world(seed);
    // What hangs on a body would go along.
    world.detach(ids[3]).unwrap();
    for &(id, pose) in poses {
        world.move_to(id, pose).unwrap();
    }
    let is_asked = |pair: &[BodyId; 2]| poses.iter().any(|(id, _)| pair.contains(id));
    let mut touching = world.touching(&Budget::UNLIMITED);
    touching.retain(|(pair, _)| is_asked(pair));
    // All pairs that matter are closer than this.
    world.rules_mut().set_margin([BodySelector::Anyone, BodySelector::Anyone], 1e3);
    let pairs = world.touching(&Budget::UNLIMITED).into_iter().map(|(pair, _)| pair).filter(is_asked);
    let gap = |pair: [BodyId; 2]| {
        let [a, b] = pair.map(|id| world.body(id).unwrap());
        clearance(&a.model().at(a.pose()), &b.model().at(b.pose())).distance.at_most
    };
    Moved { touching, nearest: pairs.collect::<Vec<_>>().into_iter().map(gap).fold(f64::INFINITY, f64::min) }
}

fn assert_same(snapshot: &Snapshot, poses: &Poses, expected: &Moved, context: &mut SnapshotContext<'_>) {
    let first = expected.touching.first().map_or(Verdict::Free, |(pair, _)| Verdict::Hit(*pair));
    assert_eq!(snapshot.first_hit(poses, context), Ok(first));
    assert_eq!(snapshot.touching(poses, context), Ok(&*expected.touching));
    let meets = if first == Verdict::Free { Overlap::Free } else { Overlap::Hit };
    assert_eq!(snapshot.meets(poses, context), Ok(meets));
    let nearest = snapshot.nearest(poses, f64::INFINITY, context).unwrap();
    let Bracket { at_least, at_most } = nearest.clearance.distance;
    assert!((at_most - expected.nearest).abs() <= 1e-12, "{nearest:?} {}", expected.nearest);
    assert!(at_least <= expected.nearest && expected.nearest <= at_most + 1e-12, "{nearest:?}");
    assert!(at_most - at_least <= 1e-9, "{nearest:?}");
    assert_eq!(nearest.pair.is_some(), at_most.is_finite());
    // Nothing nearer than half of it, and it is found within twice.
    let half = snapshot.nearest(poses, 0.5 * at_least, context).unwrap();
    let share = half.clearance.distance.at_least / at_least;
    let is_open = half.pair.is_none() && (0.499_999..=0.5).contains(&share);
    assert!(if at_most > 0.0 { is_open } else { half.pair.is_some() }, "{half:?}");
    let twice = snapshot.nearest(poses, 2.0 * at_most, context).unwrap();
    assert!((twice.clearance.distance.at_most - at_most).abs() <= 1e-12);
}

#[test]
fn answers_are_those_of_a_world_in_which_the_bodies_were_moved() {
    let (mut hits, mut free) = (0, 0);
    for seed in 0..4 {
        let (original, ids) = world(seed);
        let snapshot = original.snapshot();
        drop(original);
        let mut random = SplitMix64::new(100 + seed);
        let questions = (0..60).map(|_| poses(&mut random, &ids));
        let questions: Vec<(Poses, Moved)> =
            questions.map(|asked| (asked.clone(), moved(seed, &asked))).collect();
        hits += questions.iter().filter(|(_, moved)| !moved.touching.is_empty()).count();
        free += questions.iter().filter(|(_, moved)| moved.touching.is_empty()).count();
        for threads in [1, 2, 4] {
            let next = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    let snapshot = snapshot.clone();
                    let (next, questions) = (&next, &questions);
                    scope.spawn(move || {
                        let mut context = SnapshotContext::default();
                        let take = || next.fetch_add(1, Ordering::Relaxed);
                        while let Some((poses, moved)) = questions.get(take()) {
                            assert_same(&snapshot, poses, moved, &mut context);
                        }
                    });
                }
            });
            assert!(next.load(Ordering::Relaxed) >= questions.len());
        }
    }
    assert!(hits > 60 && free > 20, "{hits} {free}");
}

#[test]
fn a_snapshot_does_not_follow_its_world() {
    let (mut world, ids) = world(1);
    let before = world.body(ids[0]).unwrap().pose();
    let snapshot = world.snapshot();
    world.move_by(ids[0], Pose::from_translation(DVec3::X * 50.0)).unwrap();
    world.remove(ids[1]).unwrap();
    assert_eq!(snapshot.body(ids[0]).unwrap().pose(), before);
    assert_eq!(snapshot.body(ids[1]).unwrap().user(), 1);
    assert!(snapshot.meets(&[(ids[1], Pose::IDENTITY)], &mut SnapshotContext::default()).is_ok());
    let later = world.snapshot();
    assert_eq!(later.body(ids[1]).err(), Some(WorldError::NoSuchBody(ids[1])));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let (world, ids) = world(2);
    let (snapshot, mut context) = (world.snapshot(), SnapshotContext::default());
    let nowhere = Pose::from_translation(DVec3::NAN);
    assert_eq!(snapshot.meets(&[(ids[4], nowhere)], &mut context), Err(WorldError::NotAPose(ids[4])));
    let twice = [(ids[4], Pose::IDENTITY), (ids[5], Pose::IDENTITY), (ids[4], Pose::IDENTITY)];
    assert_eq!(snapshot.first_hit(&twice, &mut context), Err(WorldError::PlacedTwice(ids[4])));
    // And what was refused leaves nothing behind.
    assert!(snapshot.touching(&twice[..2], &mut context).is_ok());
    assert_eq!(snapshot.touching(&[], &mut context), Ok(&[][..]));
    let none = snapshot.nearest(&[], f64::INFINITY, &mut context).unwrap();
    assert_eq!((none.pair, none.clearance.distance.at_least), (None, f64::INFINITY));
}

#[test]
fn being_stopped_widens_answers_and_falsifies_none() {
    let (world, ids) = world(3);
    let snapshot = world.snapshot();
    let mut random = SplitMix64::new(7);
    let mut unknown = 0;
    for _ in 0..30 {
        let poses = poses(&mut random, &ids);
        let mut context = SnapshotContext::default();
        let truth = snapshot.touching(&poses, &mut context).unwrap().to_vec();
        let clearance = snapshot.nearest(&poses, f64::INFINITY, &mut context).unwrap().clearance;
        for steps in [0, 1, 3, 10, 30, 100] {
            let mut context = SnapshotContext::default().with_budget(Budget::default().steps(steps));
            let found = snapshot.touching(&poses, &mut context).unwrap().to_vec();
            // Every pair that meets is among them; those that are said to meet do.
            assert!(truth.iter().all(|(pair, _)| found.iter().any(|(other, _)| other == pair)));
            assert!(found.iter().all(|hit| hit.1 == Overlap::Unknown || truth.contains(hit)));
            unknown += found.iter().filter(|hit| hit.1 == Overlap::Unknown).count();
            match snapshot.meets(&poses, &mut context).unwrap() {
                Overlap::Hit => assert!(!truth.is_empty()),
                Overlap::Free => assert!(truth.is_empty()),
                Overlap::Unknown => {}
            }
            let nearest = snapshot.nearest(&poses, f64::INFINITY, &mut context).unwrap().clearance;
            assert!(
                nearest.distance.at_least <= clearance.distance.at_most
                    && clearance.distance.at_least <= nearest.distance.at_most
            );
        }
    }
    assert!(unknown > 50, "{unknown}");
}

#[test]
fn snapshots_and_moves_can_be_sent_and_shared() {
    fn is_shared<T: Clone + Send + Sync + 'static>() {}
    is_shared::<Snapshot>();
    is_shared::<noli::world::Move>();
    is_shared::<noli::world::Step>();
    is_shared::<noli::motion::Clip>();
    is_shared::<noli::motion::GroupMember>();
}
