//! Covers that have to be turned, in the engine bay: found from their surfaces, and what keeps them where they are.

use noli::world::BodyId;
use noli::{Model, Overlap, Pose, World, overlap};
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

#[test]
fn a_cover_on_a_thread_is_unscrewed() {
    let world = world_of(&noli_scenes::engine_bay_turned(1));
    let way = found(&world, "headlight.screw_cover");
    assert_eq!(way.how, How::Screw);
    // Eighteen of the thread's millimetres are one turn and four fifths, less by what it has of play and of ridge.
    assert!(way.turned > 1.2 * std::f64::consts::TAU, "{}", way.turned);
    assert!(way.gap.at_least > 0.0, "{:?}", way.gap);
    assert_free(&world, "headlight.screw_cover", &way, 10);
}

#[test]
fn a_cover_with_a_bayonet_is_turned_and_pulled() {
    let world = world_of(&noli_scenes::engine_bay_turned(1));
    let way = found(&world, "auxiliary.bayonet_cover");
    assert_eq!(way.how, How::Screw);
    assert!(way.turned > 0.7, "{}", way.turned);
    assert_free(&world, "auxiliary.bayonet_cover", &way, 30);
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
