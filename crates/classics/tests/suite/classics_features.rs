//! Closest features by walking: against the search over support functions, along paths, and where the print fails.

use crate::common::{mesh, model};
use glam::{DQuat, DVec3, dvec3};
use noli::model::Hull;
use noli::{Budget, Convex, Model, Overlap, Pose, clearance, overlap};
use noli_classics::{
    ApproachBounds, Feature, FeatureHint, FeatureHull, MethodScratch, PairMethod, WakeQueue,
    closest_features, feature_path, printed,
};
use noli_scenes::{SplitMix64, w4_paths};

fn random_hull(random: &mut SplitMix64, points: usize, segment: DVec3) -> Hull {
    Hull::new((0..points).map(|_| random.direction() * segment)).unwrap()
}

fn features(hull: &Hull) -> FeatureHull {
    FeatureHull::new(hull.clone()).expect("it has an inside")
}

#[test]
fn the_walk_agrees_with_the_search() {
    let mut random = SplitMix64::new(31);
    let (mut asked, mut walked) = (0, 0);
    for round in 0..60 {
        let segment = DVec3::new(1.0, [1.0, 0.3][round % 2], [1.0, 0.1, 0.5][round % 3]);
        let hulls = [random_hull(&mut random, 4 + round, segment), random_hull(&mut random, 20, DVec3::ONE)];
        let bodies = hulls.each_ref().map(features);
        let models = hulls.map(|hull| Model::new(Convex::from(hull)).unwrap());
        let mut hint = FeatureHint::default();
        for _ in 0..20 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.5, 3.0));
            let distance = clearance(&models[0].at(Pose::IDENTITY), &models[1].at(pose));
            for hint in [&mut FeatureHint::default(), &mut hint] {
                let found = closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), hint);
                assert!(
                    found.at_least <= distance.distance.at_most
                        && distance.distance.at_least <= found.at_most,
                    "{found:?} {distance:?}"
                );
                assert!(found.at_most - found.at_least <= 1e-11, "{found:?}");
                if distance.distance.at_least > 0.0 {
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
            let distance = clearance(&solid.at(Pose::IDENTITY), &solid.at(pose));
            assert!(
                found.at_least <= distance.distance.at_most && distance.distance.at_least <= found.at_most,
                "{shift} {found:?} {distance:?}"
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
        let faces = bumpy.mesh().unwrap().triangle_count() as u64;
        assert!(answer.work.face_pairs < faces * faces / 10, "hulls leave {} pairs", answer.work.face_pairs);
    }
    assert!((10..55).contains(&hits), "{hits}");
}

/// The distance of two features, each with its border.
fn distance(hulls: [&Hull; 2], bodies: [&FeatureHull; 2], pose: &Pose, pair: [Feature; 2]) -> f64 {
    let vertices = |side: usize| -> Vec<DVec3> {
        let at = |v: &u32| hulls[side].vertices()[*v as usize];
        match pair[side] {
            Feature::Vertex(v) => vec![at(&v)],
            Feature::Edge(e) => bodies[side].edge(e).iter().map(at).collect(),
            Feature::Face(f) => hulls[side].faces()[f as usize].iter().map(at).collect(),
        }
    };
    let models = [0, 1].map(|side| Model::new(Convex::from(Hull::new(vertices(side)).unwrap())).unwrap());
    clearance(&models[0].at(Pose::IDENTITY), &models[1].at(*pose)).distance.at_most
}

/// From any two features of bodies that are apart the distance falls, or stays where a feature is replaced by its own
/// border, until it is that of the bodies.
#[test]
fn every_replacement_brings_features_nearer() {
    let mut random = SplitMix64::new(35);
    let (mut steps, mut risen) = (0, 0);
    for round in 0..30 {
        let hulls = [random_hull(&mut random, 20, DVec3::ONE), random_hull(&mut random, 12, DVec3::ONE)];
        let bodies = hulls.each_ref().map(features);
        let pose = Pose::new(random.rotation(), random.direction() * random.between(2.2, 4.0));
        let from = [Feature::Vertex(round % 10), Feature::Vertex(round % 7)];
        let path = feature_path((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), from);
        let lengths: Vec<f64> =
            path.iter().map(|pair| distance(hulls.each_ref(), bodies.each_ref(), &pose, *pair)).collect();
        steps += lengths.len() - 1;
        risen += lengths.windows(2).filter(|two| two[1] > two[0] + 1e-9).count();
        let gap =
            closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), &mut FeatureHint::default());
        assert!((lengths[lengths.len() - 1] - gap.at_most).abs() < 1e-9, "{lengths:?} {gap:?}");
    }
    assert!(steps > 100 && risen == 0, "{risen} of {steps} steps lead away");
}

/// Without a hint the steps of a walk that arrives are fewer than there are features. Some do not: they go in circles
/// until their steps are used up, and the search answers in their place.
#[test]
fn a_cold_walk_that_arrives_is_never_worse_than_linear() {
    let mut random = SplitMix64::new(36);
    let (mut asked, mut lost) = (0, 0);
    for points in [16, 64, 256, 1024] {
        let bodies = [(); 2].map(|()| features(&random_hull(&mut random, points, DVec3::ONE)));
        let most = bodies[0].size() + bodies[1].size();
        for _ in 0..40 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(2.2, 6.0));
            let found =
                closest_features((&bodies[0], &Pose::IDENTITY), (&bodies[1], &pose), &mut Default::default());
            asked += 1;
            if found.features.is_some() {
                assert!(found.steps <= most, "{points} points: {} steps", found.steps);
            } else {
                lost += 1;
            }
        }
    }
    assert!(lost * 20 <= asked, "{lost} of {asked} walks went in circles");
}

/// Bodies that speed up at random within their bounds: pairs that sleep miss no contact that looking at all pairs at
/// every step finds, and far fewer are looked at.
#[test]
fn sleeping_pairs_miss_no_contact() {
    const BODIES: usize = 8;
    let (step, fastest) = (0.01, 2.0);
    let cube = features(&Hull::cuboid(DVec3::splat(0.4)).unwrap());
    let mut random = SplitMix64::new(37);
    let mut places: Vec<DVec3> = (0..BODIES).map(|i| DVec3::X * 3.0 * i as f64).collect();
    let mut speeds = vec![DVec3::ZERO; BODIES];
    let mut queue = WakeQueue::of_bodies(BODIES as u32, 0);
    let pairs = BODIES * (BODIES - 1) / 2;
    let mut hints = vec![FeatureHint::default(); pairs];
    let (mut looked_at, mut contacts) = (0, 0);
    for round in 0..600 {
        let now = f64::from(round) * step;
        let due = queue.due(now);
        looked_at += due.len();
        for pair in 0..pairs {
            let [i, j] = queue.pair(pair).map(|body| body as usize);
            let [a, b] = [i, j].map(|body| Pose::from_translation(places[body]));
            if due.contains(&pair) {
                let found = closest_features((&cube, &a), (&cube, &b), &mut hints[pair]);
                let bounds =
                    ApproachBounds { speed: speeds[i].distance(speeds[j]), acceleration: 2.0 * fastest };
                // Not less than a step, and one step early, for the world moves in steps.
                queue.sleep(pair, now, (found.at_least - 4.0 * fastest * step).max(0.0), &bounds);
            }
            let separated = (places[i] - places[j]).abs().max_element() > 0.8;
            if !separated {
                contacts += 1;
                assert!(due.contains(&pair), "{pair} sleeps in contact at {now}");
            }
        }
        for (place, speed) in places.iter_mut().zip(&mut speeds) {
            let pull = (DVec3::X * 10.0 - *place).clamp_length_max(1.0);
            *speed += (pull + random.direction() * 0.9).clamp_length_max(fastest) * step;
            *speed = speed.clamp_length_max(fastest);
            *place += *speed * step;
        }
    }
    assert!(contacts > 20 && looked_at < 600 * pairs / 3, "{contacts} contacts, {looked_at} looks");
}
