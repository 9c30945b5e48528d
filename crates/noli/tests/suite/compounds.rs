//! Compounds of many parts: the same answers as part by part, without looking at most of them.

use glam::{DVec3, dvec3};
use noli::answer::{Bracket, Verdict};
use noli::model::Voxels;
use noli::motion::{RigidMotion, Still};
use noli::query::{ClearanceQuery, Ray};
use noli::{
    Budget, Convex, Impact, Model, Overlap, Placed, Pose, QueryContext, Relation, Scratch, Shape, clearance,
    contact, overlap, ray_cast, relation, time_of_impact, within_distance,
};
use noli_scenes::SplitMix64;

/// Every other cell of a cube, so that none joins its neighbour.
fn checkered(side: i32) -> Voxels {
    let cells = (0..side * side * side).map(|i| [i % side, i / side % side, i / side / side]);
    Voxels::new(0.125, cells.filter(|[x, y, z]| (x + y + z) % 2 == 0)).unwrap()
}

fn prepared(shape: Shape) -> Model {
    Model::new(shape).unwrap()
}

#[test]
fn trees_of_parts_answer_like_all_parts() {
    let mut random = SplitMix64::new(41);
    let voxels = checkered(12);
    let whole = prepared(voxels.clone().into());
    let parts: Vec<(Model, Pose)> = voxels
        .boxes()
        .map(|b| (Model::new(Convex::cuboid(b.size()).unwrap()).unwrap(), Pose::from_translation(b.center())))
        .collect();
    let probes = [
        Model::new(Convex::sphere(0.01).unwrap()).unwrap(),
        Model::new(Convex::cuboid(dvec3(0.3, 0.02, 0.02)).unwrap()).unwrap(),
        Model::new(Convex::cone(0.4, 0.1).unwrap()).unwrap(),
    ];
    let mut hits = 0;
    for round in 0..60 {
        let probe = &probes[round % probes.len()];
        let pose =
            Pose::new(random.rotation(), DVec3::splat(0.75) + random.direction() * random.between(0.0, 2.5));
        let there = probe.at(pose);
        let of_part = |(model, place): &(Model, Pose)| clearance(&model.at(*place), &there);
        let least = parts.iter().map(of_part).fold((f64::INFINITY, f64::INFINITY), |least, gap| {
            (least.0.min(gap.distance.at_least), least.1.min(gap.distance.at_most))
        });
        let Bracket { at_least, at_most } = clearance(&whole.at(Pose::IDENTITY), &there).distance;
        assert!(at_least <= least.1 + 1e-14 && least.0 <= at_most + 1e-14, "{at_least} {at_most} {least:?}");
        let hit = overlap(&whole.at(Pose::IDENTITY), &there) == Overlap::Hit;
        assert_eq!(hit, least.1 == 0.0);
        hits += usize::from(hit);
    }
    assert!((10..50).contains(&hits), "{hits}");
}

/// Steps count the parts that were asked about.
#[test]
fn few_of_many_parts_are_asked() {
    let mut random = SplitMix64::new(42);
    let whole = prepared(checkered(36).into());
    let sphere = Model::new(Convex::sphere(0.05).unwrap()).unwrap();
    let budget = Budget::UNLIMITED.steps(64);
    let mut scratch = Scratch::default();
    for _ in 0..200 {
        let pose =
            Pose::new(random.rotation(), DVec3::splat(2.25) + random.direction() * random.between(0.0, 6.0));
        let (here, there) = (whole.at(Pose::IDENTITY), sphere.at(pose));
        assert_ne!(
            QueryContext::new(&mut scratch).with_budget(budget).overlap(&here, &there),
            Overlap::Unknown
        );
        let mut context = QueryContext::new(&mut scratch).with_budget(budget);
        assert!(context.clearance(&here, &there, &ClearanceQuery::default()).distance.at_most.is_finite());
    }
}

/// A floor has no end; parts beside it are still found.
#[test]
fn infinite_parts_hide_no_others() {
    let sphere = || Shape::from(Convex::sphere(0.5).unwrap());
    let mut parts: Vec<(Pose, Shape)> =
        (0..20).map(|i| (Pose::from_translation(dvec3(3.0 * f64::from(i), 0.0, 5.0)), sphere())).collect();
    parts.push((Pose::IDENTITY, Shape::HalfSpace));
    let whole = prepared(Shape::Compound(parts));
    let probe = prepared(sphere());
    let at = |x: f64, z: f64| {
        overlap(&whole.at(Pose::IDENTITY), &probe.at(Pose::from_translation(dvec3(x, 0.0, z))))
    };
    assert_eq!(at(9.5, 5.0), Overlap::Hit);
    assert_eq!(at(10.5, 5.0), Overlap::Free);
    assert_eq!(at(1e6, 0.4), Overlap::Hit);
    assert_eq!(at(1e6, 0.6), Overlap::Free);
}

/// Rays look at the parts along them only, and miss none of those.
#[test]
fn rays_meet_what_they_meet_of_all_parts() {
    let mut random = SplitMix64::new(43);
    let voxels = checkered(10);
    let boxes = voxels
        .boxes()
        .map(|b| (Pose::from_translation(b.center()), Shape::from(Convex::cuboid(b.size()).unwrap())));
    let sphere = (Pose::from_translation(DVec3::splat(2.0)), Shape::from(Convex::sphere(0.5).unwrap()));
    let floor = (Pose::from_translation(DVec3::Z * -3.0), Shape::HalfSpace);
    let parts: Vec<(Pose, Shape)> = boxes.chain([sphere, floor]).collect();
    let alone: Vec<(Pose, Model)> =
        parts.iter().map(|(pose, shape)| (*pose, prepared(shape.clone()))).collect();
    let whole = prepared(Shape::Compound(parts));
    let mut met = 0;
    for round in 0..60 {
        let rotation = if round % 2 == 0 { glam::DQuat::IDENTITY } else { random.rotation() };
        let place = Pose::new(rotation, random.direction() * 2.0);
        let target =
            place.transform_point(DVec3::splat(0.625) + random.direction() * random.between(0.0, 1.5));
        let origin = random.direction() * 4.0;
        // Along an axis every third time, where boxes are grazed and parted exactly.
        let direction = if round % 3 == 0 { DVec3::AXES[round % 9 / 3] } else { target - origin };
        let ray = Ray { origin, direction };
        let times =
            |model: &Model, pose: Pose| ray_cast(&model.at(pose), &ray).unwrap().into_iter().map(|hit| hit.t);
        let mut expected: Vec<f64> =
            alone.iter().flat_map(|(pose, model)| times(model, place * *pose)).collect();
        expected.sort_by(f64::total_cmp);
        let found: Vec<f64> = times(&whole, place).collect();
        assert_eq!(found.len(), expected.len(), "{round} {ray:?} {place:?}");
        assert!(found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-9 * (1.0 + y)), "{round}");
        met += found.len();
    }
    assert!(met > 300, "{met}");
}

/// A tilted table top with a sphere on a stand above it, and the same as two bodies.
fn table() -> (Model, [(Model, Pose); 2]) {
    let tilt = Pose::new(glam::DQuat::from_rotation_x(0.3), dvec3(1.0, -2.0, 0.5));
    let above = Pose::from_translation(dvec3(0.0, 0.0, 40.0));
    let sphere = Shape::from(Convex::sphere(0.5).unwrap());
    let whole = prepared(Shape::Compound(vec![(tilt, Shape::HalfSpace), (above, sphere.clone())]));
    (whole, [(prepared(Shape::HalfSpace), tilt), (prepared(sphere), above)])
}

/// The one that tells more of how a body of two parts stands.
fn stronger(kinds: [Relation; 2]) -> Relation {
    let strength = |kind: &Relation| match kind {
        Relation::Separated => 0,
        Relation::Touching => 1,
        Relation::Inside => 2,
        Relation::Intersecting => 3,
        Relation::Unknown => panic!("valid poses"),
    };
    if strength(&kinds[0]) > strength(&kinds[1]) { kinds[0] } else { kinds[1] }
}

fn depth(a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    match contact(a, b) {
        Verdict::Free => 0.0,
        Verdict::Hit(contact) => contact.depth.at_most,
        Verdict::Unknown => panic!("valid poses"),
    }
}

/// All questions about a compound with a half-space that is not where the compound's frame is.
#[test]
fn tilted_floors_in_compounds_answer_like_floors() {
    let (whole, parts) = table();
    let rod = prepared(Convex::cuboid(dvec3(2.0, 0.2, 0.2)).unwrap().into());
    let mut random = SplitMix64::new(43);
    let mut hits = 0;
    for _ in 0..300 {
        let turned = Pose::new(random.rotation(), random.direction() * 100.0);
        let world_from_table = if random.unit() < 0.5 { turned } else { Pose::IDENTITY };
        let place = Pose::new(random.rotation(), random.direction() * random.between(0.0, 5.0));
        let there = rod.at(world_from_table * place);
        let here = whole.at(world_from_table);
        let separately = parts.each_ref().map(|(model, pose)| model.at(world_from_table * *pose));
        let gap = separately.each_ref().map(|part| clearance(part, &there).distance.at_most);
        let gap = gap[0].min(gap[1]);
        let found = clearance(&here, &there);
        assert!(
            found.distance.at_least <= gap + 1e-12 && gap <= found.distance.at_most + 1e-12,
            "{found:?} {gap}"
        );
        assert!(found.distance.at_most - found.distance.at_least < 1e-10, "{found:?}");
        let expected = if gap == 0.0 { Overlap::Hit } else { Overlap::Free };
        assert_eq!(overlap(&here, &there), expected);
        assert_eq!(overlap(&there, &here), expected);
        assert_eq!(within_distance(&here, &there, 0.9 * gap), expected);
        assert_eq!(within_distance(&here, &there, 1.1 * gap), Overlap::Hit);
        let kind = separately.each_ref().map(|part| relation(part, &there));
        assert_eq!(relation(&here, &there), stronger(kind));
        let depth = separately.each_ref().map(|part| depth(part, &there));
        let depth = depth[0].max(depth[1]);
        let found = self::depth(&here, &there);
        assert!((found - depth).abs() < 1e-10, "{found} {depth}");
        hits += usize::from(gap == 0.0);
    }
    assert!((50..290).contains(&hits), "{hits}");
}

/// A body that falls on the tilted floor of a compound lands at the same time as on the floor alone.
#[test]
fn falling_on_tilted_floors_in_compounds() {
    let (whole, parts) = table();
    let rod = prepared(Convex::cuboid(dvec3(2.0, 0.2, 0.2)).unwrap().into());
    let mut random = SplitMix64::new(44);
    for round in 0..50 {
        let turned = Pose::new(random.rotation(), random.direction() * 100.0);
        let at = if round % 2 == 0 { Pose::IDENTITY } else { turned };
        let start = at * Pose::new(random.rotation(), random.direction().with_z(8.0));
        let [down, turn] = [dvec3(0.0, 0.0, -20.0), DVec3::X].map(|vector| at.rotation * vector);
        let fall = RigidMotion::with_velocities(&start, down, turn, DVec3::ZERO);
        let [alone, compound] = [(&parts[0].0, at * parts[0].1), (&whole, at)].map(|(model, pose)| {
            let Impact::At { time, .. } = time_of_impact(&model.moving(&Still(pose)), &rod.moving(&fall))
            else {
                panic!("it falls through");
            };
            time
        });
        assert!((alone.safe_until - compound.safe_until).abs() < 1e-5, "{alone:?} {compound:?}");
        assert!(compound.safe_until <= alone.touching_by && alone.safe_until <= compound.touching_by);
    }
}

/// Half-spaces without end on both sides: facing each other they are apart, else they meet somewhere.
#[test]
fn two_floors_that_face_each_other() {
    let over = Pose::new(glam::DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), dvec3(0.0, 0.0, 3.0));
    let whole = prepared(Shape::Compound(vec![(over, Shape::HalfSpace)]));
    let floor = prepared(Shape::HalfSpace);
    let (up, down) = (Pose::from_translation(DVec3::Z), Pose::from_translation(dvec3(0.0, 0.0, -4.0)));
    let ground = floor.at(Pose::IDENTITY);
    assert_eq!(overlap(&whole.at(up), &ground), Overlap::Free);
    assert_eq!(overlap(&whole.at(down), &ground), Overlap::Hit);
    assert!((clearance(&whole.at(up), &ground).distance.at_most - 4.0).abs() < 1e-12);
    let tilted = Pose::new(glam::DQuat::from_rotation_y(1e-3), DVec3::Z);
    assert_eq!(overlap(&whole.at(tilted), &ground), Overlap::Hit);
}
