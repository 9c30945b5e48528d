use super::*;
use glam::DVec3;
use noli_geom::Mesh;

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
