//! Compounds of many parts: the same answers as part by part, without looking at most of them.

use glam::{DVec3, dvec3};
use noli::{
    Budget, Clearance, ClearanceQuery, Convex, Model, Overlap, OverlapQuery, Pose, Ray, Scratch, Shape,
    Voxels, clearance, clearance_in, overlap, overlap_in, ray_hits,
};
use noli_scenes::SplitMix64;

/// Every other cell of a cube, so that none joins its neighbour.
fn checkered(side: i32) -> Voxels {
    let cells = (0..side * side * side).map(|i| [i % side, i / side % side, i / side / side]);
    Voxels::new(0.125, cells.filter(|[x, y, z]| (x + y + z) % 2 == 0)).unwrap()
}

fn prepared(shape: Shape) -> Model {
    Model::from_shape(&shape, &Default::default()).unwrap()
}

#[test]
fn trees_of_parts_answer_like_all_parts() {
    let mut random = SplitMix64::new(41);
    let voxels = checkered(12);
    let whole = prepared(voxels.clone().into());
    let parts: Vec<(Model, Pose)> = voxels
        .boxes()
        .map(|b| (Model::convex(Convex::cuboid(b.size()).unwrap()), Pose::from_translation(b.center())))
        .collect();
    let probes = [
        Model::convex(Convex::sphere(0.01).unwrap()),
        Model::convex(Convex::cuboid(dvec3(0.3, 0.02, 0.02)).unwrap()),
        Model::convex(Convex::cone(0.4, 0.1).unwrap()),
    ];
    let mut hits = 0;
    for round in 0..60 {
        let probe = &probes[round % probes.len()];
        let pose =
            Pose::new(random.rotation(), DVec3::splat(0.75) + random.direction() * random.between(0.0, 2.5));
        let there = probe.at(pose);
        let of_part = |(model, place): &(Model, Pose)| clearance(&model.at(*place), &there);
        let least = parts.iter().map(of_part).fold((f64::INFINITY, f64::INFINITY), |least, gap| {
            (least.0.min(gap.at_least), least.1.min(gap.at_most))
        });
        let Clearance { at_least, at_most, .. } = clearance(&whole.at(Pose::IDENTITY), &there);
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
    let ball = Model::convex(Convex::sphere(0.05).unwrap());
    let budget = Budget::UNLIMITED.steps(64);
    let mut scratch = Scratch::default();
    for _ in 0..200 {
        let pose =
            Pose::new(random.rotation(), DVec3::splat(2.25) + random.direction() * random.between(0.0, 6.0));
        let (here, there) = (whole.at(Pose::IDENTITY), ball.at(pose));
        let query = OverlapQuery { budget, ..Default::default() };
        assert_ne!(overlap_in(&here, &there, &query, &mut scratch), Overlap::Unknown);
        let query = ClearanceQuery { budget, ..Default::default() };
        assert!(clearance_in(&here, &there, &query, &mut scratch).at_most.is_finite());
    }
}

/// A floor has no end; parts beside it are still found.
#[test]
fn infinite_parts_hide_no_others() {
    let ball = || Shape::from(Convex::sphere(0.5).unwrap());
    let mut parts: Vec<(Pose, Shape)> =
        (0..20).map(|i| (Pose::from_translation(dvec3(3.0 * f64::from(i), 0.0, 5.0)), ball())).collect();
    parts.push((Pose::IDENTITY, Shape::HalfSpace));
    let whole = prepared(Shape::Compound(parts));
    let probe = prepared(ball());
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
    let ball = (Pose::from_translation(DVec3::splat(2.0)), Shape::from(Convex::sphere(0.5).unwrap()));
    let floor = (Pose::from_translation(DVec3::Z * -3.0), Shape::HalfSpace);
    let parts: Vec<(Pose, Shape)> = boxes.chain([ball, floor]).collect();
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
            |model: &Model, pose: Pose| ray_hits(&model.at(pose), &ray).unwrap().into_iter().map(|hit| hit.t);
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
