use super::*;
use glam::DVec3;
use noli_geom::{Mesh, RigidMotion};

fn cube() -> Model {
    let set = noli_scenes::cuboid(DVec3::ONE);
    Model::new(Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap()).unwrap()
}

fn at(x: f64) -> Pose {
    Pose::from_translation(DVec3::X * x)
}

#[test]
fn a_slot_is_retired_before_its_ids_could_repeat() {
    let (cube, mut world) = (cube(), World::default());
    let first = world.add("x", &cube, at(0.0)).unwrap();
    world.slots[first.index as usize].generation = u32::MAX;
    let last = BodyId { generation: u32::MAX, ..first };
    world.remove(last).unwrap();
    assert_ne!(world.add("y", &cube, at(0.0)).unwrap().index, first.index);
}

#[test]
fn bodies_come_and_go_without_leaving_anything_behind() {
    let (cube, mut world) = (cube(), World::default());
    let mut gone = Vec::new();
    for round in 0..300 {
        let ids: Vec<BodyId> =
            (0..20).map(|k| world.add("x", &cube, at(f64::from(k) * 2.1)).unwrap()).collect();
        world.rules_mut().set([BodySelector::Body(ids[0]), BodySelector::Body(ids[1])], round % 2 == 0);
        let shift =
            |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * 0.05, DVec3::ZERO, DVec3::ZERO);
        let step = world.carry("all", &[ids[3]], shift).unwrap();
        world.step(vec![step], &StepOptions::default()).unwrap();
        ids.iter().for_each(|&id| world.remove(id).unwrap());
        world.touching(&Budget::default());
        gone.extend(ids);
    }
    assert_eq!(world.slots.len(), 20);
    assert_eq!(world.memory.len(), 0);
    assert_eq!(world.broad.pairs().count(), 0);
    assert_eq!(world.stale.len(), 0);
    assert!(gone.iter().all(|&id| matches!(world.body(id), Err(WorldError::NoSuchBody(_)))));
}

#[test]
fn boxes_are_made_once_for_a_change_and_never_for_what_stands() {
    let (cube, mut world) = (cube(), World::default());
    let ids: Vec<BodyId> = (0..50).map(|k| world.add("x", &cube, at(f64::from(k) * 3.0)).unwrap()).collect();
    world.touching(&Budget::default());
    assert_eq!(world.boxes_made, 50);
    for _ in 0..3 {
        let shift = |start: &Pose| RigidMotion::with_velocities(start, DVec3::Y, DVec3::ZERO, DVec3::ZERO);
        let step = world.carry("one", &[ids[7]], shift).unwrap();
        assert_eq!(world.step(vec![step], &StepOptions::default()).unwrap().stats.boxes, 1);
    }
    world.touching(&Budget::default());
    let before = world.boxes_made;
    world.touching(&Budget::default());
    assert_eq!(world.boxes_made, before);
}
