//! Bodies of worlds: at rest, moving together, removed.

use crate::checker::check;
use glam::{DQuat, DVec3, dvec3};
use noli::motion::{KeyFrames, Motion, RigidMotion, Turning};
use noli::world::{BodyId, CheckOptions, Move, StepOptions};
use noli::{Impact, Mesh, Model, Pose, World};
use noli_certificate::{Certificate, Claim, ProofError, RigidPath, WorldStatements};
use noli_testing::Random;
use noli_verify::Options;
use std::sync::Arc;

fn solid(mesh: Mesh) -> Model {
    Model::new(mesh.into_solid()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

/// Proves all statements, and has the certificate accepted by both checkers.
fn accepted(found: WorldStatements) -> usize {
    let mut certificate = Certificate::new(found.scene);
    for statement in found.statements {
        certificate.prove(statement).unwrap();
    }
    let bytes = certificate.to_bytes();
    assert_eq!(check(&bytes), Ok(()));
    assert_eq!(noli_verify::check(&bytes, &Options::default().with_threads(1)).error, None);
    certificate.statements().len()
}

#[test]
fn pairs_at_rest_are_separated_in_collision_or_inside() {
    let mut world = World::default();
    let cube = solid(Mesh::cuboid(DVec3::ONE).unwrap());
    let large = solid(Mesh::cuboid(DVec3::splat(4.0)).unwrap());
    for (name, model, pose) in [
        ("first", &cube, at(0.0, 0.0, 0.0)),
        ("apart", &cube, at(3.5, 0.1, 0.0)),
        ("across", &cube, Pose::new(DQuat::from_rotation_z(0.3), dvec3(0.7, 0.2, 0.1))),
        ("shell", &large, at(0.2, 0.1, 0.0)),
    ] {
        world.add(name, model, pose).unwrap();
    }
    world.rules_mut().set_default_margin(0.25);
    let result = world.check(&CheckOptions::default()).unwrap();
    let found = WorldStatements::at_rest(&world, &result).unwrap();
    let of = |claim: Claim| -> usize {
        found.statements.iter().filter(|s| s.claim == claim).map(|s| s.pairs.len()).sum()
    };
    assert_eq!((of(Claim::Separated), of(Claim::Colliding), of(Claim::Inside)), (3, 1, 2));
    assert_eq!(accepted(found), 1 + 1 + 2);
}

#[test]
fn paths_are_found_in_motions() {
    let mut random = Random::new(5);
    for round in 0..300 {
        let turn = random.vector() * if round % 3 == 0 { 1e-4 } else { 3.0 };
        let start = Pose::new(DQuat::from_scaled_axis(random.vector()), random.vector());
        let motion = match round % 4 {
            0 => RigidMotion::screw(&start, random.vector(), random.vector() + DVec3::Z, 9.0, 0.4),
            1 => RigidMotion::with_velocities(&start, random.vector(), DVec3::ZERO, random.vector()),
            _ => RigidMotion::with_velocities(&start, random.vector(), turn, random.vector()),
        };
        let (path, deviation) = RigidPath::of_motion(&motion, [0.0, 1.0], 2.0);
        assert!(deviation < 1e-12, "{round}: {deviation}");
        for t in [0.0, 0.123, 0.5, 0.871, 1.0] {
            let [own, given] = [path.pose(t), motion.pose(t)].map(|pose| pose.transform_point(DVec3::ONE));
            assert!(own.distance(given) < 1e-11, "{round} at {t}");
        }
    }
    // Not at constant speed: no path of this form.
    let (start, end) = (at(0.0, 0.0, 0.0), Pose::new(DQuat::from_rotation_z(2.0), DVec3::X));
    let slower = RigidMotion::nlerp_between(&start, &end, DVec3::ZERO);
    assert!(RigidPath::of_motion(&slower, [0.0, 1.0], 1.0).1 > 1e-3);
}

/// A peg that goes through a ring in pieces, while a cube beyond it turns.
fn passing(end: DVec3) -> (World, Vec<Move>) {
    let mut world = World::default();
    let ring = solid(Mesh::torus(1.0, 0.25, 16, 8).unwrap());
    let peg = solid(Mesh::cuboid(dvec3(0.4, 0.3, 1.0)).unwrap());
    world.add("ring", &ring, Pose::IDENTITY).unwrap();
    let start = at(0.0, 0.0, -2.0);
    let pegged = world.add("peg", &peg, start).unwrap();
    let cube = world.add("cube", &solid(Mesh::cuboid(DVec3::ONE).unwrap()), at(3.0, 0.0, 0.0)).unwrap();
    let turned = Pose::new(DQuat::from_rotation_z(1.0), DVec3::ZERO);
    let keys = [(0.0, start), (0.5, turned), (1.0, Pose::from_translation(end))];
    let through = KeyFrames::new(&keys, DVec3::ZERO, Turning::Slerp).unwrap();
    let spin = RigidMotion::screw(&at(3.0, 0.0, 0.0), dvec3(3.0, 0.0, 0.0), DVec3::Y, 5.0, 0.1);
    let part = |id: BodyId, motion: Arc<dyn Motion>| Move::new("move", vec![(id, motion)]);
    (world, vec![part(pegged, Arc::new(through)), part(cube, Arc::new(spin))])
}

#[test]
fn motions_together_are_proven_as_the_engine_decides() {
    for (end, free) in [(dvec3(0.0, 0.0, 2.0), true), (dvec3(0.0, 1.0, 0.0), false)] {
        let (mut world, moves) = passing(end);
        let step = world.plan(moves.clone(), &StepOptions::default()).unwrap();
        assert_eq!(step.answers.iter().all(|answer| matches!(answer.impact, Impact::Free)), free);
        let found = WorldStatements::along(&world, &moves).unwrap();
        assert!(found.deviation < 1e-12 && found.statements.len() == 2);
        if free {
            assert_eq!(accepted(found), 2);
            continue;
        }
        let mut certificate = Certificate::new(found.scene);
        let proven: Vec<_> = found.statements.into_iter().map(|each| certificate.prove(each)).collect();
        assert!(proven.iter().any(|each| matches!(each, Err(ProofError::False { .. }))), "{proven:?}");
    }
}

#[test]
fn removals_move_all_their_parts() {
    let mut world = World::default();
    let slab = solid(Mesh::cuboid(dvec3(4.0, 4.0, 0.5)).unwrap());
    let peg = solid(Mesh::cuboid(DVec3::ONE).unwrap());
    for z in [-1.2, 1.2] {
        world.add(format!("slab {z}"), &slab, at(0.0, 0.0, z)).unwrap();
    }
    let lead = world.add("peg", &peg, at(0.0, 0.0, 0.0)).unwrap();
    let handle = world.add("handle", &peg, at(1.5, 0.0, 0.0)).unwrap();
    let poses =
        [at(0.0, 0.0, 0.0), at(4.0, 0.0, 0.0), Pose::new(DQuat::from_rotation_x(0.4), dvec3(9.0, 1.0, 2.0))];
    let found = WorldStatements::removal(&world, &[lead, handle], &[], &poses).unwrap();
    assert!(found.statements.iter().all(|statement| statement.pairs.len() == 4));
    assert_eq!(accepted(found), 2);
    // Straight up it is blocked.
    let blocked =
        WorldStatements::removal(&world, &[lead, handle], &[], &[poses[0], at(0.0, 0.0, 5.0)]).unwrap();
    let mut certificate = Certificate::new(blocked.scene);
    let mut proven = blocked.statements.into_iter().map(|each| certificate.prove(each));
    assert!(proven.any(|each| matches!(each, Err(ProofError::False { .. }))));
}

/// The distance of a moved body from one at rest, by the engine, at even instants of a share of a motion.
fn least_distance((a, path): (&Model, &RigidPath), (b, still): (&Model, Pose), from: f64) -> f64 {
    (0..=64)
        .map(|k| path.pose(from + (1.0 - from) * f64::from(k) / 64.0))
        .map(|pose| noli::clearance(&a.at(pose), &b.at(still)).distance.at_least)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn removals_that_start_in_contact_say_from_when_they_are_free() {
    let mut world = World::default();
    let [table, block] = [dvec3(8.0, 8.0, 1.0), DVec3::ONE].map(|size| solid(Mesh::cuboid(size).unwrap()));
    world.add("table", &table, at(0.0, 0.0, -1.0)).unwrap();
    world.add("wall", &table, at(0.0, 5.0, 0.5)).unwrap();
    let lead = world.add("block", &block, at(0.0, 0.0, 0.0)).unwrap();
    // Lifted off the table, which it touches.
    let up = [at(0.0, 0.0, 0.0), Pose::new(DQuat::from_rotation_z(0.7), dvec3(0.3, 0.0, 3.0))];
    let found = WorldStatements::removal(&world, &[lead], &[], &up).unwrap();
    assert!(found.in_contact.is_empty());
    let [all, leaving] = &found.statements[..] else { panic!("{:?}", found.statements) };
    assert!(all.complete && all.disabled.len() == 1 && all.disabled[0].1.contains("in contact at the start"));
    let from: f64 = leaving.title.split(' ').nth(5).unwrap().parse().unwrap();
    assert!(0.0 < from && from < 0.01, "{}", leaving.title);
    let path = RigidPath::between(&up[0], &up[1], DVec3::ZERO);
    assert!(least_distance((&block, &path), (&table, at(0.0, 0.0, -1.0)), from) > 0.0);
    assert_eq!(accepted(found), 2);
    // Pushed over the edge of the table: in contact for most of the motion.
    let over = [at(0.0, 0.0, 0.0), at(6.0, 0.0, 0.0)];
    let found = WorldStatements::removal(&world, &[lead], &[], &over).unwrap();
    let from: f64 = found.statements[1].title.split(' ').nth(5).unwrap().parse().unwrap();
    assert!((4.5 / 6.0..4.6 / 6.0).contains(&from), "{}", found.statements[1].title);
    assert_eq!(accepted(found), 2);
    // Pushed about on the table: it stays in contact, and nothing is claimed about that.
    let found = WorldStatements::removal(&world, &[lead], &[], &[over[0], at(2.0, 0.0, 0.0)]).unwrap();
    assert_eq!(found.in_contact, [["table".to_owned(), "block".to_owned()]]);
    assert_eq!(accepted(found), 1);
    // Out where it stands.
    let found = WorldStatements::removal(&world, &[lead], &[], &[at(0.0, 0.0, 2.0)]).unwrap();
    assert_eq!(found.statements[0].pairs.len(), 2);
    assert_eq!(accepted(found), 1);
}
