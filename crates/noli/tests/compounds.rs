//! Compounds of many parts: the same answers as part by part, without looking at most of them.

use glam::{DVec3, dvec3};
use noli::{
    Budget, Clearance, ClearanceQuery, Convex, Model, Overlap, OverlapQuery, Pose, Scratch, Shape, Voxels,
    clearance, clearance_in, overlap, overlap_in,
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
