//! What a world keeps in memory.

use crate::common::{mesh, model};
use glam::DVec3;
use noli::internals::{Kept, kept};
use noli::motion::RigidMotion;
use noli::world::{BodyId, StepOptions, Who, WorldError};
use noli::{Budget, Model, Pose, World};

fn cube() -> Model {
    model(&mesh(noli_scenes::cuboid(DVec3::ONE)))
}

fn at(x: f64) -> Pose {
    Pose::from_translation(DVec3::X * x)
}

#[test]
fn bodies_come_and_go_without_leaving_anything_behind() {
    let (cube, mut world) = (cube(), World::default());
    let mut gone = Vec::new();
    for round in 0..300 {
        let ids: Vec<BodyId> =
            (0..20).map(|k| world.add("x", &cube, at(f64::from(k) * 2.1)).unwrap()).collect();
        world.rules_mut().set([Who::Body(ids[0]), Who::Body(ids[1])], round % 2 == 0);
        let shift =
            |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * 0.05, DVec3::ZERO, DVec3::ZERO);
        let step = world.carry("all", &[ids[3]], shift).unwrap();
        world.step(vec![step], &StepOptions::default()).unwrap();
        ids.iter().for_each(|&id| world.remove(id).unwrap());
        world.touching(&Budget::default());
        gone.extend(ids);
    }
    let kept = kept(&world);
    assert_eq!(kept, Kept { slots: 20, boxes_made: kept.boxes_made, ..Kept::default() });
    assert!(gone.iter().all(|&id| matches!(world.body(id), Err(WorldError::NoSuchBody(_)))));
}

#[test]
fn boxes_are_made_once_for_a_change_and_never_for_what_stands() {
    let (cube, mut world) = (cube(), World::default());
    let ids: Vec<BodyId> = (0..50).map(|k| world.add("x", &cube, at(f64::from(k) * 3.0)).unwrap()).collect();
    world.touching(&Budget::default());
    assert_eq!(kept(&world).boxes_made, 50);
    for _ in 0..3 {
        let shift = |start: &Pose| RigidMotion::with_velocities(start, DVec3::Y, DVec3::ZERO, DVec3::ZERO);
        let step = world.carry("one", &[ids[7]], shift).unwrap();
        assert_eq!(world.step(vec![step], &StepOptions::default()).unwrap().stats.boxes, 1);
    }
    world.touching(&Budget::default());
    let before = kept(&world).boxes_made;
    world.touching(&Budget::default());
    assert_eq!(kept(&world).boxes_made, before);
}
