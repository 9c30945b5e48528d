//! Closest features by walking: against the search over support functions, along paths, and where the print fails.

use crate::common::{mesh, model};
use glam::{DQuat, DVec3, dvec3};
use noli::model::Hull;
use noli::{Budget, Convex, Model, Overlap, Pose, clearance, overlap};
use noli_classics::{
    Feature, FeatureHint, FeatureHull, MethodScratch, PairMethod, closest_features, printed,
};
use noli_scenes::{SplitMix64, w4_paths};

fn random_hull(random: &mut SplitMix64, points: usize, stretch: DVec3) -> Hull {
    Hull::new((0..points).map(|_| random.direction() * stretch)).unwrap()
}

fn features(hull: &Hull) -> FeatureHull {
    FeatureHull::new(hull.clone()).expect("it has an inside")
}

#[test]
fn the_walk_agrees_with_the_search() {
    let mut random = SplitMix64::new(31);
    let (mut asked, mut walked) = (0, 0);
    for round in 0..60 {
        let stretch = DVec3::new(1.0, [1.0, 0.3][round % 2], [1.0, 0.1, 0.5][round % 3]);
        let hulls = [random_hull(&mut random, 4 + round, stretch), random_hull(&mut random, 20, DVec3::ONE)];
        let bodies = hulls.each_ref().map(features);
        let models = hulls.map(|hull| Model::new(Convex::from(hull)).unwrap());
        let mut hint = FeatureHint::default();
        for _ in 0..20 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.5, 3.0));
            let gap = clearance(&models[0].at(Pose::IDENTITY), &models[1].at(pose));
            for hint in [&mut FeatureHint::default(), &mut hint] {
                let found = closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), hint);
                assert!(
                    found.at_least <= gap.gap.at_most && gap.gap.at_least <= found.at_most,
                    "{found:?} {gap:?}"
                );
                assert!(found.at_most - found.at_least <= 1e-11, "{found:?}");
                if gap.gap.at_least > 0.0 {
                    asked += 1;
                    walked += usize::from(found.features.is_some());
                }
            }
        }
    }
    assert!(walked * 100 >= asked * 95, "the walk found {walked} of {asked}");
}

/// Parallel faces, edges and equal poses end too, and bodies that overlap are told to.
#[test]
fn degenerate_placements_end() {
    let cube = features(&Hull::cuboid(DVec3::ONE).unwrap());
    let solid = Model::new(Convex::cuboid(DVec3::splat(2.0)).unwrap()).unwrap();
    let quarter = DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0);
    for rotation in [DQuat::IDENTITY, quarter] {
        for shift in [
            DVec3::ZERO,
            DVec3::X,
            DVec3::X * 2.0,
            DVec3::X * 3.0,
            dvec3(3.0, 3.0, 0.0),
            dvec3(3.0, 3.0, 3.0),
        ] {
            let pose = Pose::new(rotation, shift);
            let found =
                closest_features((&cube, &Pose::IDENTITY), (&cube, &pose), &mut FeatureHint::default());
            let gap = clearance(&solid.at(Pose::IDENTITY), &solid.at(pose));
            assert!(
                found.at_least <= gap.gap.at_most && gap.gap.at_least <= found.at_most,
                "{shift} {found:?} {gap:?}"
            );
        }
    }
}

/// From the last features a small step costs about the same, however many features there are.
#[test]
fn small_motions_take_few_steps() {
    let mut random = SplitMix64::new(32);
    for points in [16, 64, 256, 1024] {
        let bodies = [(); 2].map(|()| features(&random_hull(&mut random, points, DVec3::ONE)));
        let (mut steps, mut asked) = (0, 0);
        for path in w4_paths(1.0, 4, 100) {
            let mut hint = FeatureHint::default();
            for (k, pose) in path.iter().enumerate() {
                let away = Pose::new(pose.rotation, pose.translation + DVec3::X * 4.0);
                let found = closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &away), &mut hint);
                if k > 0 {
                    steps += found.steps;
                    asked += 1;
                }
            }
        }
        assert!(steps < 8 * asked, "{points} points: {steps} steps of {asked} walks");
    }
}

/// "Negative distance means collision", but no distance of two features is negative.
#[test]
fn printed_the_walk_never_tells_of_an_overlap() {
    let mut random = SplitMix64::new(33);
    let cube = features(&Hull::cuboid(DVec3::ONE).unwrap());
    let (mut told_apart, mut in_circles) = (0, 0);
    for _ in 0..200 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.1, 0.9));
        match printed::lin_canny((&cube, &Pose::IDENTITY), (&cube, &pose), [Feature::Vertex(0); 2]) {
            Some(distance) => {
                assert!(distance >= 0.0);
                told_apart += 1;
            }
            None => in_circles += 1,
        }
        let found = closest_features((&cube, &Pose::IDENTITY), (&cube, &pose), &mut FeatureHint::default());
        assert_eq!((found.features, found.at_most), (None, 0.0));
    }
    assert!(told_apart > 0, "{told_apart} told to be apart, {in_circles} in circles");
}

/// Trees of hulls give the verdict of trees of boxes for bodies that are not convex.
#[test]
fn hull_trees_agree_with_trees() {
    let bumpy = model(&mesh(noli_scenes::bumpy_sphere(4, 0.3)).into_solid());
    let prepared = PairMethod::LinCanny.prepare(&bumpy);
    let (mut random, mut hits, mut scratch) = (SplitMix64::new(34), 0, MethodScratch::default());
    for _ in 0..60 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.4));
        let answer = prepared.overlap(&Pose::IDENTITY, &prepared, &pose, &Budget::default(), &mut scratch);
        let truth = overlap(&bumpy.at(Pose::IDENTITY), &bumpy.at(pose));
        assert_eq!(answer.overlap, truth, "{pose:?}");
        hits += usize::from(truth == Overlap::Hit);
    }
    assert!((10..55).contains(&hits), "{hits}");
}
