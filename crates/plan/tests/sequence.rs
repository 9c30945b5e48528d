//! Assemblies taken apart: the order against what is in the way of what, by the exact test of poses.

use glam::{DVec3, dvec3};
use noli::world::BodyId;
use noli::{Mesh, Model, Pose, QueryContext, Relation, Scratch, World};
use noli_plan::{BlockingProof, DisassembleOptions, Disassembly, Effort, RemoveOptions, Step, disassemble};
use noli_scenes::Assembly;
use std::sync::atomic::{AtomicUsize, Ordering};

fn world_of(assembly: &Assembly) -> World {
    let mut world = World::default();
    for part in &assembly.parts {
        world.add(part.name.clone(), &Model::from(&part.mesh), part.pose).unwrap();
    }
    world
}

fn block(world: &mut World, name: &str, size: DVec3, at: DVec3) -> BodyId {
    let model = Model::from(&Mesh::cuboid(size).unwrap().into_solid());
    world.add(name, &model, Pose::from_translation(at)).unwrap()
}

fn names(world: &World, ids: &[BodyId]) -> Vec<String> {
    let mut names: Vec<String> = ids.iter().map(|&id| world.body(id).unwrap().name().to_owned()).collect();
    names.sort();
    names
}

/// The assembly from which the parts of a step are removed, if it is not the whole.
fn group_of(all: &[BodyId], steps: &[Step], number: usize) -> Vec<BodyId> {
    let whole = steps[number].of.map_or(all, |of| &steps[of].parts);
    let earlier = steps[..number].iter().filter(|step| step.of == steps[number].of);
    let gone: Vec<BodyId> = earlier.flat_map(|step| step.parts.clone()).collect();
    whole.iter().filter(|id| !gone.contains(id)).copied().collect()
}

/// No part of a step shares volume with what stays, at so many poses of its way, by the exact relation of solids.
fn assert_steps_are_free(world: &World, found: &Disassembly, poses: u32) {
    let all: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    let mut scratch = Scratch::default();
    for (number, step) in found.steps.iter().enumerate() {
        let group = group_of(&all, &found.steps, number);
        assert!(step.parts.iter().all(|part| group.contains(part)), "step {number} takes what is gone");
        let lead = world.body(step.parts[0]).unwrap().pose();
        for k in 0..=poses {
            let leader = step.path.pose(f64::from(k) / f64::from(poses));
            for &id in &step.parts {
                let body = world.body(id).unwrap();
                let here = if id == step.parts[0] { leader } else { leader * lead.inverse() * body.pose() };
                // Composed poses are rounded; what touches exactly may then reach in by a hair.
                let is_composed = id != step.parts[0] || k == 0;
                for other in group.iter().filter(|other| !step.parts.contains(other)) {
                    let other = world.body(*other).unwrap();
                    let bounds = body.model().aabb().transformed(&here);
                    if !bounds.overlaps(&other.model().aabb().transformed(&other.pose())) {
                        continue;
                    }
                    let relation = QueryContext::new(&mut scratch)
                        .relation(&body.model().at(here), &other.model().at(other.pose()));
                    let separated = matches!(relation, Relation::Separated | Relation::Touching);
                    assert!(
                        separated || is_composed,
                        "step {number}: {} in {} at {k}",
                        body.name(),
                        other.name()
                    );
                }
            }
        }
    }
}

#[test]
fn a_box_is_opened_before_it_is_emptied() {
    let mut world = World::default();
    let low = block(&mut world, "tray", dvec3(60.0, 40.0, 4.0), dvec3(0.0, 0.0, -2.0));
    for (name, size, at) in [
        ("left", dvec3(2.0, 40.0, 20.0), dvec3(-29.0, 0.0, 10.0)),
        ("right", dvec3(2.0, 40.0, 20.0), dvec3(29.0, 0.0, 10.0)),
        ("front", dvec3(56.0, 2.0, 20.0), dvec3(0.0, -19.0, 10.0)),
        ("rear", dvec3(56.0, 2.0, 20.0), dvec3(0.0, 19.0, 10.0)),
        ("block", dvec3(50.0, 30.0, 16.0), dvec3(0.0, 0.0, 8.0)),
        ("lid", dvec3(60.0, 40.0, 2.0), dvec3(0.0, 0.0, 21.0)),
    ] {
        block(&mut world, name, size, at);
    }
    let options = DisassembleOptions { base: Some(low), ..Default::default() };
    let found = disassemble(&world, &options).unwrap();
    assert!(found.locked.is_empty() && !found.stopped);
    assert_eq!(found.left, [vec![low]]);
    assert_eq!(found.steps.len(), 6);
    assert_steps_are_free(&world, &found, 50);
    // Fasteners come first where they can: here the lid is called one, and then the block is free to go.
    let first = [world.find("lid").unwrap()];
    let found = disassemble(&world, &DisassembleOptions { first: &first, ..options }).unwrap();
    assert_eq!(found.steps[0].parts, first);
    assert_steps_are_free(&world, &found, 50);
}

/// Boxes as one mesh.
fn boxes(world: &mut World, name: &str, pieces: &[(DVec3, DVec3)]) -> BodyId {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (size, at) in pieces {
        let piece = Mesh::cuboid(*size).unwrap();
        let first = vertices.len() as u32;
        vertices.extend(piece.vertices().iter().map(|vertex| *vertex + *at));
        triangles.extend(piece.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    let mesh = Mesh::from_triangles(vertices, triangles, &Default::default()).unwrap().into_solid();
    world.add(name, &Model::from(&mesh), Pose::IDENTITY).unwrap()
}

/// A slug in a sleeve in a shaft: only the two together go up, and then the slug slides out.
#[test]
fn a_subassembly_is_taken_apart_after_it_came_out() {
    let mut world = World::default();
    let shaft = [
        (dvec3(44.0, 14.0, 2.0), dvec3(0.0, 0.0, -6.0)),
        (dvec3(44.0, 2.0, 40.0), dvec3(0.0, -6.0, 10.0)),
        (dvec3(44.0, 2.0, 40.0), dvec3(0.0, 6.0, 10.0)),
        (dvec3(2.0, 14.0, 40.0), dvec3(-21.0, 0.0, 10.0)),
        (dvec3(2.0, 14.0, 40.0), dvec3(21.0, 0.0, 10.0)),
    ];
    let sleeve = [
        (dvec3(30.0, 8.0, 2.0), dvec3(0.0, 0.0, -3.0)),
        (dvec3(30.0, 8.0, 2.0), dvec3(0.0, 0.0, 3.0)),
        (dvec3(30.0, 2.0, 5.0), dvec3(0.0, -3.0, 0.0)),
        (dvec3(30.0, 2.0, 5.0), dvec3(0.0, 3.0, 0.0)),
    ];
    let shaft = boxes(&mut world, "shaft", &shaft);
    let sleeve = boxes(&mut world, "sleeve", &sleeve);
    let slug = block(&mut world, "slug", dvec3(30.0, 3.6, 3.6), DVec3::ZERO);
    let options = DisassembleOptions { base: Some(shaft), ..Default::default() };
    let found = disassemble(&world, &options).unwrap();
    assert_eq!(found.left, [vec![shaft]]);
    let [together, single] = &found.steps[..] else { panic!("{:?}", found.steps) };
    assert_eq!((&together.parts, together.of), (&vec![sleeve, slug], None));
    assert_eq!((single.parts.len(), single.of), (1, Some(0)));
    assert_steps_are_free(&world, &found, 100);
}

#[test]
fn pairs_that_do_not_come_apart_are_named() {
    for (assembly, pair, expected) in [
        (noli_scenes::linked_tori(1), ["left", "right"], "linked"),
        (noli_scenes::intersection_boxes(1), ["plank", "post"], "overlaps"),
        (noli_scenes::bugtrap_shut(1), ["part", "trap"], "caged"),
    ] {
        let world = world_of(&assembly);
        let options = DisassembleOptions::default();
        let effort = Effort { steps: 200, ..options.remove.effort };
        let remove = RemoveOptions { effort, ..options.remove };
        let found = disassemble(&world, &DisassembleOptions { remove, ..options }).unwrap();
        assert!(found.steps.is_empty(), "{}", assembly.name);
        assert_eq!(found.left.len(), 1);
        let [locked] = &found.locked[..] else { panic!("{}: {:?}", assembly.name, found.locked) };
        assert_eq!(names(&world, &locked.pair), pair);
        let word = match locked.argument {
            BlockingProof::Overlaps => "overlaps",
            BlockingProof::ShutIn => "shut in",
            BlockingProof::Caged { .. } => "caged",
            BlockingProof::Linked { .. } => "linked",
        };
        assert_eq!(word, expected);
    }
}

#[test]
fn the_gearbox_comes_apart_but_for_what_was_planted() {
    let gearbox = noli_scenes::gearbox(1);
    let world = world_of(&gearbox);
    let calls = AtomicUsize::new(0);
    let watch = |_: &str, done: usize, of: usize| {
        assert!(done <= of.max(done));
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let bolts: Vec<BodyId> = (1..=4).map(|k| world.find(&format!("bolt.{k}")).unwrap()).collect();
    let options = DisassembleOptions { first: &bolts, watch: &watch, ..Default::default() };
    let found = disassemble(&world, &options).unwrap();
    assert!(calls.into_inner() > 30);
    let mut locked: Vec<Vec<String>> =
        found.locked.iter().map(|locked| names(&world, &locked.pair)).collect();
    locked.sort();
    let expected = [
        ["housing.low", "oil.pipe"],
        ["input.key", "input.shaft"],
        ["input.key", "input.wheel"],
        ["input.wheel", "reverse.wheel"],
        ["middle.inclusion", "middle.wheel_high"],
        ["output.key", "output.shaft"],
        ["output.key", "output.wheel"],
    ];
    assert_eq!(locked, expected);
    assert_eq!(
        found.left.len(),
        1,
        "{:?}",
        found.left.iter().map(|ids| names(&world, ids)).collect::<Vec<_>>()
    );
    let first: Vec<Vec<String>> = found.steps[..4].iter().map(|step| names(&world, &step.parts)).collect();
    assert_eq!(first.concat().iter().filter(|name| name.starts_with("bolt.")).count(), 4, "{first:?}");
    assert_steps_are_free(&world, &found, 6);
}

/// Told to stop, it says what it has; told later, no less.
#[test]
fn a_disassembly_that_is_stopped_has_proven_steps() {
    let mut world = World::default();
    for k in 0..6 {
        block(&mut world, &format!("plate {k}"), dvec3(10.0, 10.0, 1.0), dvec3(0.0, 0.0, f64::from(k)));
    }
    let run = |limit: usize| {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= limit;
        let options = DisassembleOptions::default();
        let remove =
            RemoveOptions { effort: Effort { stop: &stop, ..options.remove.effort }, ..options.remove };
        disassemble(&world, &DisassembleOptions { remove, ..options }).unwrap()
    };
    let none = run(0);
    assert!(none.stopped && none.steps.is_empty() && none.left.len() == 6);
    let mut steps = 0;
    for limit in [50, 200, 1000, usize::MAX] {
        let found = run(limit);
        assert!(found.steps.len() >= steps, "{limit}: {} after {steps}", found.steps.len());
        steps = found.steps.len();
        assert_eq!(found.stopped, found.left.len() > 1);
        assert_steps_are_free(&world, &found, 20);
    }
    assert_eq!(steps, 5);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| run(usize::MAX)), run(usize::MAX));
}
