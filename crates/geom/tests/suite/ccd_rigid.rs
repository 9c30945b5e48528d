//! Features of rigid bodies in motion against dense sampling, and the reference scenes of Eckstein 1998.

use glam::{DQuat, DVec3, dvec3};
use noli_geom::{
    FeatureKind, FeatureQuery, Impact, PairFrame, Pose, RelativePose, RigidFeatures, RigidMotion, Still,
    Triangle, TrianglePair,
};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

fn distance(features: &RigidFeatures<'_>, time: f64) -> f64 {
    let poses = [features.a.pose(time), features.b.pose(time)];
    let first = if features.kind == FeatureKind::VertexFace { 1 } else { 2 };
    let [p, q, r, s] =
        std::array::from_fn(|k| poses[usize::from(k >= first)].transform_point(features.points[k]));
    let (a, b) = match features.kind {
        FeatureKind::VertexFace => (Triangle::new(p, p, p), Triangle::new(q, r, s)),
        FeatureKind::EdgeEdge => (Triangle::new(p, q, q), Triangle::new(r, s, s)),
    };
    TrianglePair::new(&a, &b, &PairFrame::new(&RelativePose::identity())).distance().at_most
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    let vector = |reach: f64| prop::array::uniform3(-reach..reach).prop_map(DVec3::from_array);
    (vector(1.5), vector(2.0), vector(7.0), vector(1.0)).prop_map(|(place, linear, angular, pivot)| {
        RigidMotion::with_velocities(&Pose::from_translation(place), linear, angular, pivot)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Up to 12 rad: nothing is nearer than the margin before `safe_until`, what is reported is near.
    #[test]
    fn fast_turns_are_never_missed(
        a in motion(),
        b in motion(),
        points in prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array)),
        edges in any::<bool>(),
        margin in prop_oneof![Just(0.0), 0.0..0.2f64],
    ) {
        let kind = if edges { FeatureKind::EdgeEdge } else { FeatureKind::VertexFace };
        let features = RigidFeatures { kind, points, a: &a, b: &b };
        let impact = features.impact(&FeatureQuery { margin, ..Default::default() });
        let known = !matches!(impact, Impact::Unknown { .. });
        prop_assert!(known);
        let until = impact.safe_until();
        if until > 0.0 {
            for k in 0..=300 {
                let found = distance(&features, until * f64::from(k) / 300.0);
                prop_assert!(found >= margin - 1e-12, "{found} at {k}/300 of {until}");
            }
        }
        if impact.is_hit() {
            prop_assert!(distance(&features, until) <= margin + 2e-5, "{:?}", impact);
        }
        // Fewer steps: less is known, nothing else.
        let short = features.impact(&FeatureQuery { margin, steps: 5, ..Default::default() });
        prop_assert!(short.safe_until() <= until);
    }
}

fn hit(features: &RigidFeatures<'_>) -> Option<f64> {
    let impact = features.impact(&FeatureQuery::default());
    impact.is_hit().then(|| impact.safe_until())
}

fn turn_about_y(from: f64, to: f64) -> RigidMotion {
    let pose = |angle| Pose::from_rotation(DQuat::from_rotation_y(angle));
    RigidMotion::between(&pose(from), &pose(to), DVec3::ZERO)
}

/// A triangle in the plane `z = height` for `x` in the given range, as large as it needs to be.
fn face(height: f64, x: [f64; 2]) -> [DVec3; 3] {
    [dvec3(x[0], -9.0, height), dvec3(x[1], -9.0, height), dvec3(x[0], 90.0, height)]
}

fn against_face(vertex: DVec3, face: [DVec3; 3], motion: &RigidMotion) -> Option<f64> {
    let points = [vertex, face[0], face[1], face[2]];
    hit(&RigidFeatures { kind: FeatureKind::VertexFace, points, a: motion, b: &Still(Pose::IDENTITY) })
}

fn assert_at(found: Option<f64>, truth: f64) {
    let found = found.expect("a contact");
    assert!(found <= truth + 1e-12 && truth - found < 1e-3, "{found} for {truth}");
}

#[test]
fn quarter_turns_through_a_plane() {
    let wide = face(0.5, [-90.0, 90.0]);
    assert_at(against_face(DVec3::Z, wide, &turn_about_y(0.0, FRAC_PI_2)), 2.0 / 3.0);
    assert_at(against_face(DVec3::X, wide, &turn_about_y(0.0, -FRAC_PI_2)), 1.0 / 3.0);
    // Bounded at x = 0.75: the contact is at x = 0.866.
    let left = [dvec3(0.75, -90.0, 0.5), dvec3(0.75, 90.0, 0.5), dvec3(-90.0, 0.0, 0.5)];
    let right = [dvec3(0.75, -90.0, 0.5), dvec3(0.75, 90.0, 0.5), dvec3(90.0, 0.0, 0.5)];
    assert_eq!(against_face(DVec3::Z, left, &turn_about_y(0.0, FRAC_PI_2)), None);
    assert_at(against_face(DVec3::Z, right, &turn_about_y(0.0, FRAC_PI_2)), 2.0 / 3.0);
}

#[test]
fn pendulums_that_swing_through_and_back() {
    let swing = turn_about_y(-FRAC_PI_4, FRAC_PI_4);
    for (depth, truth) in [(0.8, 0.0903345), (0.9999, 0.4909968)] {
        assert_at(against_face(-DVec3::Z, face(-depth, [-90.0, 90.0]), &swing), truth);
    }
    assert_eq!(against_face(-DVec3::Z, face(-1.00001, [-90.0, 90.0]), &swing), None);
}

#[test]
fn edges_that_become_parallel() {
    let turn = |from: f64, to: f64, z0: f64, z1: f64| {
        let pose = |angle, z| Pose::new(DQuat::from_rotation_z(angle), dvec3(0.0, 0.0, z));
        RigidMotion::between(&pose(from, z0), &pose(to, z1), DVec3::ZERO)
    };
    let ask = |b: &RigidMotion| {
        let points = [-DVec3::X, DVec3::X, -DVec3::X, DVec3::X];
        hit(&RigidFeatures { kind: FeatureKind::EdgeEdge, points, a: &Still(Pose::IDENTITY), b })
    };
    // Parallel in the middle, never closer than 1.
    assert_eq!(ask(&turn(-FRAC_PI_4, FRAC_PI_4, 1.0, 1.0)), None);
    // Parallel at the start, through each other in the middle.
    assert_at(ask(&turn(0.0, FRAC_PI_2, 1.0, -1.0)), 0.5);
}
