//! Covers that have to be turned, in the engine bay: found from their surfaces, and what keeps them where they are.

use glam::DVec3;
use noli::world::BodyId;
use noli::{Mesh, Model, Overlap, Pose, World, overlap};
use noli_plan::{
    BlockingProof, Effort, Path, Removal, RemovalResult, RemoveOptions, RigidSpace, Strategy, remove,
};
use noli_scenes::Assembly;

fn world_of(assembly: &Assembly) -> World {
    let mut world = World::default();
    for part in &assembly.parts {
        world.add(part.name.clone(), &Model::from(&part.mesh), part.pose).unwrap();
    }
    world
}

fn removal(world: &World, part: &str, steps: u64) -> Removal {
    let space = RigidSpace::new(world, &[world.find(part).unwrap()], &[]).unwrap();
    let effort = Effort { steps, ..Default::default() };
    remove(&space, &RemoveOptions { effort, ..Default::default() })
}

fn found(world: &World, part: &str) -> Path {
    match removal(world, part, 20_000).found {
        RemovalResult::Path(path) => *path,
        other => panic!("{part}: {other:?}"),
    }
}

/// By interpolation of our own and the engine's overlap, at so many poses of each stretch.
fn assert_free(world: &World, part: &str, path: &Path, poses: u32) {
    let id = world.find(part).unwrap();
    let model = world.body(id).unwrap().model();
    for pair in path.poses.windows(2) {
        for k in 0..=poses {
            let share = f64::from(k) / f64::from(poses);
            let (p, q) = (pair[0].rotation.normalize(), pair[1].rotation.normalize());
            let q = if p.dot(q) < 0.0 { -q } else { q };
            let at = pair[0].translation.lerp(pair[1].translation, share);
            let here = Pose::new(p.slerp(q, share), at);
            let bounds = model.aabb().transformed(&here);
            for (_, other) in world.bodies().filter(|(other, _)| *other != id) {
                if bounds.overlaps(&other.model().aabb().transformed(&other.pose())) {
                    let verdict = overlap(&model.at(here), &other.model().at(other.pose()));
                    assert_eq!(verdict, Overlap::Free, "{part} meets {} at {share}", other.name());
                }
            }
        }
    }
}

/// A cube of a tenth of a millimetre where a vertex of the part comes by, which does not meet it where it stands.
fn assert_pins_refute(assembly: &Assembly, part: &str, path: &Path) {
    let plain = world_of(assembly);
    let model = plain.body(plain.find(part).unwrap()).unwrap().model();
    let pin = Model::from(&Mesh::cuboid(DVec3::splat(0.1)).unwrap().into_solid());
    let vertices = model.mesh().unwrap().vertices();
    for time in [0.1, 0.35, 0.6] {
        let mut places = vertices.iter().step_by(7).map(|vertex| path.pose(time).transform_point(*vertex));
        let clear = |place: &DVec3| {
            let pin = pin.at(Pose::from_translation(*place));
            overlap(&model.at(path.poses[0]), &pin) == Overlap::Free
        };
        let place = places.find(clear).unwrap();
        let mut world = world_of(assembly);
        let planted = world.add("pin", &pin, Pose::from_translation(place)).unwrap();
        let space = RigidSpace::new(&world, &[world.find(part).unwrap()], &[]).unwrap();
        let refuted = space.prove_path(&path.poses).unwrap_err();
        assert_eq!(refuted.by, Some(planted), "{part} at {time}");
        let until = (refuted.segment as f64 + refuted.share) / (path.poses.len() - 1) as f64;
        assert!(until <= time, "{part}: {until} after {time}");
    }
}

#[test]
fn a_cover_on_a_thread_is_unscrewed() {
    let assembly = noli_scenes::engine_bay_turned(1);
    let world = world_of(&assembly);
    let path = found(&world, "headlight.screw_cover");
    assert_eq!(path.how, Strategy::Screw);
    // Eighteen millimetres of a thread that climbs by sixteen are more than a turn, less by its play and its ridge.
    assert!(path.turned > 0.7 * std::f64::consts::TAU, "{}", path.turned);
    assert!(path.clearance.at_least > 0.0, "{:?}", path.clearance);
    assert_free(&world, "headlight.screw_cover", &path, 10);
    assert_pins_refute(&assembly, "headlight.screw_cover", &path);
}

#[test]
fn a_cover_with_a_bayonet_is_turned_and_pulled() {
    let assembly = noli_scenes::engine_bay_turned(1);
    let world = world_of(&assembly);
    let path = found(&world, "auxiliary.bayonet_cover");
    assert_eq!(path.how, Strategy::Screw);
    assert!(path.turned > 0.7, "{}", path.turned);
    assert_free(&world, "auxiliary.bayonet_cover", &path, 30);
    assert_pins_refute(&assembly, "auxiliary.bayonet_cover", &path);
}

#[test]
fn what_keeps_a_cover_is_named() {
    let world = world_of(&noli_scenes::engine_bay_sealed(1));
    let name = |id: BodyId| world.body(id).unwrap().name().to_owned();
    let sealed = removal(&world, "headlight.screw_cover", 300);
    let RemovalResult::Infeasible(blocked) = &sealed.found else { panic!("{:?}", sealed.found) };
    assert!(matches!(blocked.argument, BlockingProof::Linked { number } if number.abs() == 1), "{blocked:?}");
    assert_eq!(blocked.by.iter().map(|&id| name(id)).collect::<Vec<_>>(), ["headlight.seal"]);
    // No proof, but what stops the turns is known.
    let stopped = removal(&world, "auxiliary.bayonet_cover", 300);
    assert_eq!(stopped.found, RemovalResult::Nothing);
    let by: Vec<String> = stopped.turns.iter().filter_map(|turn| turn.by).map(name).collect();
    assert!(by.iter().any(|name| name == "auxiliary.stop"), "{by:?}");
    let pulls: Vec<String> = stopped.pulls.iter().filter_map(|pull| pull.by).map(name).collect();
    assert!(pulls.iter().any(|name| name == "auxiliary.housing"));
}
