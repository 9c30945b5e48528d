//! Ways out against what is known of them: poses looked at by the exact test, planted obstacles, parts that are locked.

use glam::{DVec3, dvec3};
use noli::world::BodyId;
use noli::{Convex, Mesh, Model, Overlap, Pose, World, overlap};
use noli_plan::{
    BlockingProof, Effort, Path, RemovalResult, RemoveOptions, RigidSpace, Space, Strategy, remove,
};
use noli_scenes::Assembly;

fn world_of(assembly: &Assembly, without: &[&str]) -> World {
    let mut world = World::default();
    for part in assembly.parts.iter().filter(|part| !without.contains(&part.name.as_str())) {
        world.add(part.name.clone(), &Model::from(&part.mesh), part.pose).unwrap();
    }
    world
}

fn block(size: DVec3) -> Model {
    Model::from(&Mesh::cuboid(size).unwrap().into_solid())
}

fn space(world: &World, part: &str) -> RigidSpace {
    RigidSpace::new(world, &[world.find(part).unwrap()], &[]).unwrap()
}

fn path(world: &World, part: &str, options: &RemoveOptions<'_>) -> Path {
    match remove(&space(world, part), options).found {
        RemovalResult::Path(path) => *path,
        other => panic!("{part}: {other:?}"),
    }
}

fn blocked(world: &World, part: &str) -> (BlockingProof, Vec<BodyId>) {
    match remove(&space(world, part), &RemoveOptions::default()).found {
        RemovalResult::Infeasible(blocked) => (blocked.argument, blocked.by),
        other => panic!("{part}: {other:?}"),
    }
}

/// The way by another road: the engine's overlap of every pair at many poses, by interpolation of our own.
fn assert_free_at(world: &World, part: &str, path: &Path, count: u32) {
    let id = world.find(part).unwrap();
    let model = world.body(id).unwrap().model();
    for pair in path.poses.windows(2) {
        for k in 0..=count {
            let share = f64::from(k) / f64::from(count);
            let (p, q) = (pair[0].rotation.normalize(), pair[1].rotation.normalize());
            let q = if p.dot(q) < 0.0 { -q } else { q };
            let at = pair[0].translation.lerp(pair[1].translation, share);
            let here = model.at(Pose::new(p.slerp(q, share), at));
            for (_, other) in world.bodies().filter(|(other, _)| *other != id) {
                let verdict = overlap(&here, &other.model().at(other.pose()));
                assert_eq!(verdict, Overlap::Free, "{part} meets {} at {share}", other.name());
            }
        }
    }
}

#[test]
fn a_peg_is_pulled_along_its_hole() {
    let world = world_of(&noli_scenes::peg_in_hole(1), &[]);
    let path = path(&world, "peg", &RemoveOptions::default());
    assert_eq!(path.how, Strategy::Pull);
    assert!(path.poses[1].translation.normalize().z.abs() > 0.999);
    assert!(
        path.clearance.at_least > 0.7 && path.clearance.at_least <= path.clearance.at_most,
        "{:?}",
        path.clearance
    );
    assert_free_at(&world, "peg", &path, 500);
    // Its box is out of that of the plate.
    assert!(path.poses[1].translation.z.abs() > 40.0);
}

/// A pin of a tenth of a millimetre in the way: between any samples that were not made for it.
#[test]
fn a_planted_pin_refutes_a_path() {
    let mut world = world_of(&noli_scenes::peg_in_hole(1), &[]);
    let path = path(&world, "peg", &RemoveOptions::default());
    let before = space(&world, "peg");
    assert!(before.prove_path(&path.poses).is_ok());
    let side = path.poses[1].translation.z.signum();
    let pin = block(dvec3(100.0, 0.1, 0.1));
    let pin = world.add("pin", &pin, Pose::from_translation(dvec3(0.0, 3.0, side * 55.37))).unwrap();
    let refuted = space(&world, "peg").prove_path(&path.poses).unwrap_err();
    assert_eq!((refuted.segment, refuted.by), (0, Some(pin)));
    // Up to the pin it is free: the peg reaches 30, the pin lies at 55.37 less half its edge.
    let free = refuted.share * path.length;
    assert!((25.2..=25.32).contains(&free), "{free}");
}

#[test]
fn what_rests_on_something_is_lifted_and_slid_but_not_pushed_through() {
    let world = world_of(&noli_scenes::touching_boxes(1), &[]);
    let carton = space(&world, "carton");
    assert!(carton.starts_in_contact());
    let mut memory = Default::default();
    let start = carton.start();
    for (direction, is_out) in
        [(DVec3::Z, true), (DVec3::X, true), (dvec3(0.6, -0.8, 0.0), true), (DVec3::NEG_Z, false)]
    {
        let pull = carton.pull(&start, direction, &mut memory);
        assert_eq!(pull.is_out(), is_out, "{direction}: {pull:?}");
    }
    assert_eq!(carton.pull(&start, DVec3::NEG_Z, &mut memory).free, 0.0);
    let path = path(&world, "carton", &RemoveOptions::default());
    assert!(path.leaves_contact && path.clearance.at_least == 0.0);
}

/// A block that fills its slot from wall to wall: it comes out along the slot, touching all the way.
#[test]
fn a_drawer_without_play_slides_out() {
    let mut world = World::default();
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(dvec3(x, y, z));
    world.add("left", &block(dvec3(40.0, 2.0, 10.0)), at(0.0, -6.0, 0.0)).unwrap();
    world.add("right", &block(dvec3(40.0, 2.0, 10.0)), at(0.0, 6.0, 0.0)).unwrap();
    world.add("top", &block(dvec3(40.0, 14.0, 2.0)), at(0.0, 0.0, 6.0)).unwrap();
    world.add("bottom", &block(dvec3(40.0, 14.0, 2.0)), at(0.0, 0.0, -6.0)).unwrap();
    world.add("back", &block(dvec3(2.0, 14.0, 14.0)), at(21.0, 0.0, 0.0)).unwrap();
    world.add("drawer", &block(dvec3(20.0, 10.0, 10.0)), at(10.0, 0.0, 0.0)).unwrap();
    let path = path(&world, "drawer", &RemoveOptions::default());
    assert!(path.poses[1].translation.x < -25.0 && path.leaves_contact, "{path:?}");
}

#[test]
fn two_pulls_in_a_row_are_found() {
    let world = under_a_lid();
    let path = path(&world, "part", &RemoveOptions::default());
    assert_eq!((path.how, path.turned), (Strategy::Pulls, 0.0));
    assert_free_at(&world, "part", &path, 200);
}

#[test]
fn what_is_shut_in_linked_or_caged_is_blocked_by_proof() {
    let shell = world_of(&noli_scenes::linked_tori(1), &[]);
    let (argument, by) = blocked(&shell, "left");
    assert!(matches!(argument, BlockingProof::Linked { number } if number.abs() == 1), "{argument:?}");
    assert_eq!(by, [shell.find("right").unwrap()]);

    let caged = world_of(&noli_scenes::bugtrap_shut(1), &[]);
    let (argument, by) = blocked(&caged, "part");
    assert!(
        matches!(argument, BlockingProof::Caged { radius, .. } if radius > 9.0 && radius < 10.0),
        "{argument:?}"
    );
    assert_eq!(by, [caged.find("trap").unwrap()]);

    // A sphere in the hollow of a body whose inner wall is a surface of its own.
    let mut world = World::default();
    let outer = Mesh::sphere(10.0, 4).unwrap();
    let inner = Mesh::sphere(8.0, 4).unwrap();
    let mut vertices = outer.vertices().to_vec();
    let mut triangles = outer.triangles().to_vec();
    let first = vertices.len() as u32;
    vertices.extend(inner.vertices());
    triangles.extend(inner.triangles().iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    let hollow = Mesh::from_triangles(vertices, triangles, &Default::default()).unwrap().into_solid();
    let hollow = world.add("hollow", &Model::from(&hollow), Pose::IDENTITY).unwrap();
    world.add("sphere", &Model::new(Convex::sphere(2.0).unwrap()).unwrap(), Pose::IDENTITY).unwrap();
    assert_eq!(blocked(&world, "sphere"), (BlockingProof::ShutIn, vec![hollow]));

    let intersection = world_of(&noli_scenes::intersection_boxes(1), &[]);
    assert_eq!(blocked(&intersection, "post").0, BlockingProof::Overlaps);
}

/// A block in a shaft under a lid: it has to go aside before it goes up.
fn under_a_lid() -> World {
    let mut world = World::default();
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(dvec3(x, y, z));
    world.add("floor", &block(dvec3(60.0, 30.0, 2.0)), at(10.0, 0.0, -6.0)).unwrap();
    world.add("front", &block(dvec3(60.0, 2.0, 60.0)), at(10.0, -6.0, 20.0)).unwrap();
    world.add("rear", &block(dvec3(60.0, 2.0, 60.0)), at(10.0, 6.0, 20.0)).unwrap();
    world.add("left", &block(dvec3(2.0, 10.0, 60.0)), at(-6.0, 0.0, 20.0)).unwrap();
    world.add("right", &block(dvec3(2.0, 10.0, 60.0)), at(26.0, 0.0, 20.0)).unwrap();
    world.add("lid", &block(dvec3(12.0, 10.0, 2.0)), at(0.0, 0.0, 8.0)).unwrap();
    world.add("part", &block(dvec3(8.0, 8.0, 8.0)), at(0.0, 0.0, 0.0)).unwrap();
    world
}

/// The same seed and steps give the same way on one thread and on two, by trees alone.
#[test]
fn a_search_is_the_same_on_any_number_of_threads() {
    let world = under_a_lid();
    let part = space(&world, "part");
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let effort = Effort { seed, steps: 4000, ..Effort::default() };
        let options = RemoveOptions { effort, directions: 0, pulls: 1, screws: false, ..Default::default() };
        pool.install(|| remove(&part, &options))
    };
    let [one, two] = [run(1, 7), run(2, 7)];
    assert_eq!(one, two);
    let RemovalResult::Path(path) = &one.found else { panic!("not found in {} steps", one.steps) };
    assert_eq!(path.how, Strategy::Search);
    assert_free_at(&world, "part", path, 100);
}

/// More steps never give a longer way, and never none where fewer gave one; here by trees alone.
#[test]
fn more_steps_never_give_a_worse_way() {
    let world = under_a_lid();
    let part = space(&world, "part");
    for seed in [3, 4] {
        let mut before = f64::INFINITY;
        for steps in [30, 300, 3000, 12_000] {
            let effort = Effort { seed, steps, ..Effort::default() };
            let options =
                RemoveOptions { effort, directions: 0, pulls: 1, screws: false, ..Default::default() };
            let found = remove(&part, &options).found;
            let length =
                |path: &Path| path.poses.windows(2).map(|w| part.distance(&w[0], &w[1])).sum::<f64>();
            let whole = if let RemovalResult::Path(path) = &found { length(path) } else { f64::INFINITY };
            assert!(whole <= before * (1.0 + 1e-12), "seed {seed}, {steps} steps: {whole} after {before}");
            before = whole;
        }
        assert!(before.is_finite(), "seed {seed}: nothing found");
    }
}

/// Boxes with decimal coordinates that are meant to touch: 0.15 + 0.05 is not 0.3 - 0.1.
#[test]
fn coordinates_that_were_rounded_are_no_overlap() {
    let mut world = World::default();
    let at = |z: f64| Pose::from_translation(dvec3(0.0, 0.0, z));
    world.add("low", &block(dvec3(1.0, 1.0, 0.1)), at(0.15)).unwrap();
    let z = 0.3f64.min((0.15 + 0.05 + 0.1f64).next_down().next_down());
    world.add("high", &block(dvec3(0.4, 0.4, 0.2)), at(z)).unwrap();
    let path = path(&world, "high", &RemoveOptions::default());
    assert!(path.leaves_contact && path.poses[0] == at(z), "{path:?}");
    assert!(space(&world, "high").prove_path(&path.poses).is_ok());
    // What reaches in by a thousandth does reach in.
    let mut world = World::default();
    world.add("low", &block(dvec3(1.0, 1.0, 0.1)), at(0.15)).unwrap();
    world.add("high", &block(dvec3(0.4, 0.4, 0.2)), at(0.2999)).unwrap();
    assert_eq!(blocked(&world, "high").0, BlockingProof::Overlaps);
}
