//! Covers that have to be turned, in the engine bay: found from their surfaces, and what keeps them where they are.

use glam::DVec3;
use noli::world::BodyId;
use noli::{Mesh, Model, Overlap, Pose, World, overlap};
use noli_plan::{Argument, Effort, Found, How, Removal, RemoveOptions, RigidSpace, Way, remove};
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

fn found(world: &World, part: &str) -> Way {
    match removal(world, part, 20_000).found {
        Found::Way(way) => *way,
        other => panic!("{part}: {other:?}"),
    }
}

/// By interpolation of our own and the engine's overlap, at so many poses of each stretch.
fn assert_free(world: &World, part: &str, way: &Way, poses: u32) {
    let id = world.find(part).unwrap();
    let model = world.body(id).unwrap().model();
    for pair in way.poses.windows(2) {
        for k in 0..=poses {
            let share = f64::from(k) / f64::from(poses);
            let (p, q) = (pair[0].rotation.normalize(), pair[1].rotation.normalize());
            let q = if p.dot(q) < 0.0 { -q } else { q };
            let at = pair[0].translation.lerp(pair[1].translation, share);
            let here = Pose::new(p.slerp(q, share), at);
            let bounds = model.aabb().moved(&here);
            for (_, other) in world.bodies().filter(|(other, _)| *other != id) {
                if bounds.overlaps(&other.model().aabb().moved(&other.pose())) {
                    let verdict = overlap(&model.at(here), &other.model().at(other.pose()));
                    assert_eq!(verdict, Overlap::Free, "{part} meets {} at {share}", other.name());
                }
            }
        }
    }
}

/// A cube of a tenth of a millimetre where a corner of the part comes by, which does not meet it where it stands.
fn assert_pins_refute(assembly: &Assembly, part: &str, way: &Way) {
    let plain = world_of(assembly);
    let model = plain.body(plain.find(part).unwrap()).unwrap().model();
    let pin = Model::from(&Mesh::cuboid(DVec3::splat(0.1)).unwrap().into_solid());
    let corners = model.mesh().unwrap().vertices();
    for time in [0.1, 0.35, 0.6] {
        let mut places = corners.iter().step_by(7).map(|corner| way.pose(time).transform_point(*corner));
        let clear = |place: &DVec3| {
            let pin = pin.at(Pose::from_translation(*place));
            overlap(&model.at(way.poses[0]), &pin) == Overlap::Free
        };
        let place = places.find(clear).unwrap();
        let mut world = world_of(assembly);
        let planted = world.add("pin", &pin, Pose::from_translation(place)).unwrap();
        let space = RigidSpace::new(&world, &[world.find(part).unwrap()], &[]).unwrap();
        let refuted = space.prove_way(&way.poses).unwrap_err();
        assert_eq!(refuted.by, Some(planted), "{part} at {time}");
        let until = (refuted.stretch as f64 + refuted.share) / (way.poses.len() - 1) as f64;
        assert!(until <= time, "{part}: {until} after {time}");
    }
}

#[test]
fn a_cover_on_a_thread_is_unscrewed() {
    let assembly = noli_scenes::engine_bay_turned(1);
    let world = world_of(&assembly);
    let way = found(&world, "headlight.screw_cover");
    assert_eq!(way.how, How::Screw);
    // Eighteen millimetres of a thread that climbs by sixteen are more than a turn, less by its play and its ridge.
    assert!(way.turned > 0.7 * std::f64::consts::TAU, "{}", way.turned);
    assert!(way.gap.at_least > 0.0, "{:?}", way.gap);
    assert_free(&world, "headlight.screw_cover", &way, 10);
    assert_pins_refute(&assembly, "headlight.screw_cover", &way);
}

#[test]
fn a_cover_with_a_bayonet_is_turned_and_pulled() {
    let assembly = noli_scenes::engine_bay_turned(1);
    let world = world_of(&assembly);
    let way = found(&world, "auxiliary.bayonet_cover");
    assert_eq!(way.how, How::Screw);
    assert!(way.turned > 0.7, "{}", way.turned);
    assert_free(&world, "auxiliary.bayonet_cover", &way, 30);
    assert_pins_refute(&assembly, "auxiliary.bayonet_cover", &way);
}

#[test]
fn what_keeps_a_cover_is_named() {
    let world = world_of(&noli_scenes::engine_bay_sealed(1));
    let name = |id: BodyId| world.body(id).unwrap().name().to_owned();
    let sealed = removal(&world, "headlight.screw_cover", 300);
    let Found::Blocked(blocked) = &sealed.found else { panic!("{:?}", sealed.found) };
    assert!(matches!(blocked.argument, Argument::Linked { number } if number.abs() == 1), "{blocked:?}");
    assert_eq!(blocked.by.iter().map(|&id| name(id)).collect::<Vec<_>>(), ["headlight.seal"]);
    // No proof, but what stops the turns is known.
    let stopped = removal(&world, "auxiliary.bayonet_cover", 300);
    assert_eq!(stopped.found, Found::Nothing);
    let by: Vec<String> = stopped.turns.iter().filter_map(|turn| turn.by).map(name).collect();
    assert!(by.iter().any(|name| name == "auxiliary.stop"), "{by:?}");
    let pulls: Vec<String> = stopped.pulls.iter().filter_map(|pull| pull.by).map(name).collect();
    assert!(pulls.iter().any(|name| name == "auxiliary.housing"));
}
