//! Contacts that the approximate methods find and miss: the reference scenes of Eckstein 1998.

use glam::{DQuat, DVec3, dvec3};
use noli_geom::{
    ApproximateQuery, FeatureKind, FeaturePair, Features, Finder, InsideTest, MixedImpact, Motion, Pose,
    RigidMotion, Still, Triangle, approximate_impact, mixed_impact,
};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const FINDERS: [Finder; 5] = [
    Finder::Linear,
    Finder::RegulaFalsi,
    Finder::Quadratic,
    Finder::Sampling { cells: 4 },
    Finder::SamplingRegulaFalsi { cells: 4 },
];

fn close(found: Option<f64>, expected: f64, within: f64) {
    assert!(found.is_some_and(|t| (t - expected).abs() <= within), "{found:?} for {expected}");
}

fn with(finder: Finder, inside: InsideTest) -> ApproximateQuery {
    ApproximateQuery { finder, inside, ..Default::default() }
}

/// Pure translation: all finders and both inside tests are right.
#[test]
fn a_straight_fall() {
    let fall = |t: f64| [dvec3(0.25, 0.25, 3.0 - 4.0 * t), DVec3::ZERO, DVec3::X, DVec3::Y];
    for finder in FINDERS {
        for inside in [InsideTest::Exact, InsideTest::Interpolated] {
            let found = approximate_impact(FeatureKind::VertexFace, &fall, &with(finder, inside));
            close(found, 0.75, 1e-12);
        }
    }
}

/// A vertex on a quarter circle against a face bounded at x = 0.75; it meets the plane at x = 0.866.
#[test]
fn borders_and_interpolation() {
    let ask = |far: f64, finder, inside| {
        let face = [dvec3(0.75, -90.0, 0.5), dvec3(0.75, 90.0, 0.5), dvec3(far, 0.0, 0.5)];
        let turn = |t: f64| {
            let (sin, cos) = (FRAC_PI_2 * t).sin_cos();
            [dvec3(sin, 0.0, cos), face[0], face[1], face[2]]
        };
        approximate_impact(FeatureKind::VertexFace, &turn, &with(finder, inside))
    };
    let fine = Finder::SamplingRegulaFalsi { cells: 4 };
    // Outside, the contact is made up; inside, it is missed.
    assert_eq!(ask(-90.0, fine, InsideTest::Exact), None);
    close(ask(-90.0, fine, InsideTest::Interpolated), 2.0 / 3.0, 1e-6);
    close(ask(90.0, fine, InsideTest::Exact), 2.0 / 3.0, 1e-6);
    assert_eq!(ask(90.0, fine, InsideTest::Interpolated), None);
    assert_eq!(ask(90.0, Finder::Linear, InsideTest::Exact), None);
}

/// Edge A on the x axis; edge B of length 2 turns about z at a height.
fn edges(t: f64, angle: [f64; 2], height: [f64; 2]) -> [DVec3; 4] {
    let (sin, cos) = (angle[0] + t * (angle[1] - angle[0])).sin_cos();
    let middle = dvec3(0.0, 0.0, height[0] + t * (height[1] - height[0]));
    let half = dvec3(cos, sin, 0.0);
    [-DVec3::X, DVec3::X, middle - half, middle + half]
}

/// The distance of the lines jumps from -1 to 1 where the edges are parallel, one above the other.
#[test]
fn a_flip_is_not_a_contact() {
    let flip = |t: f64| edges(t, [-FRAC_PI_4, FRAC_PI_4], [1.0, 1.0]);
    let ask = |query: &ApproximateQuery| approximate_impact(FeatureKind::EdgeEdge, &flip, query);
    for finder in FINDERS {
        assert_eq!(ask(&with(finder, InsideTest::Exact)), None, "{finder:?}");
    }
    close(ask(&with(Finder::Linear, InsideTest::Interpolated)), 0.5, 1e-12);
}

/// Edges that start parallel and pass through each other: the printed finders give up.
#[test]
fn a_parallel_start() {
    let turn = |t: f64| edges(t, [0.0, FRAC_PI_2], [1.0, -1.0]);
    let ask = |query: &ApproximateQuery| approximate_impact(FeatureKind::EdgeEdge, &turn, query);
    for finder in [Finder::Linear, Finder::RegulaFalsi, Finder::Quadratic] {
        assert_eq!(ask(&ApproximateQuery { finder, literal: true, ..Default::default() }), None);
    }
    for finder in [Finder::RegulaFalsi, Finder::SamplingRegulaFalsi { cells: 4 }] {
        close(ask(&with(finder, InsideTest::Exact)), 0.5, 1e-6);
    }
    // Shifted by 1e-4, the start is a little off: the lines are 1e-4 apart at the time found.
    assert_eq!(ask(&with(Finder::Linear, InsideTest::Exact)), None);
    let loose = ApproximateQuery { finder: Finder::Linear, distance_tolerance: 1e-4, ..Default::default() };
    close(ask(&loose), 0.49995, 1e-6);
}

/// A vertex that slides into a triangle within its plane: the cubic is always zero.
#[test]
fn provot_misses_what_stays_in_a_plane() {
    let at = |x: f64, z: f64| [dvec3(x, 0.25, z), DVec3::ZERO, DVec3::X, DVec3::Y];
    let falling = FeaturePair::vertex_face(at(0.25, 3.0), at(0.25, -1.0));
    close(falling.impact_by_provot(), 0.75, 1e-12);
    let sliding = FeaturePair::vertex_face(at(-1.0, 0.0), at(1.0, 0.0));
    assert_eq!(sliding.impact_by_provot(), None);
    let time = sliding.impact();
    assert!(time.is_hit() && (time.safe_until() - 0.5).abs() < 1e-12);
}

fn wall() -> [Triangle; 1] {
    [Triangle::new(dvec3(0.0, -5.0, -5.0), dvec3(0.0, 5.0, -5.0), dvec3(0.0, 0.0, 9.0))]
}

fn dart(x: f64) -> Triangle {
    Triangle::new(dvec3(x, 0.0, 0.0), dvec3(x - 1.0, 0.2, 0.0), dvec3(x - 1.0, -0.2, 0.0))
}

/// The mixed test dates what overlaps at the end, and sees nothing of what went through.
#[test]
fn the_mixed_test_misses_what_is_over() {
    let fly = |to: f64| {
        RigidMotion::with_velocities(&Pose::IDENTITY, dvec3(to, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO)
    };
    let ask = |motion: &dyn Motion| {
        mixed_impact((&[dart(-1.0)], motion), (&wall(), &Still(Pose::IDENTITY)), &ApproximateQuery::default())
    };
    let MixedImpact::At { time, features } = ask(&fly(1.5)) else { panic!("it sticks in the wall") };
    close(Some(time), 2.0 / 3.0, 1e-6);
    assert_eq!(features, Features::VertexFace { vertex: 0, face: 0 });
    assert_eq!(ask(&fly(5.0)), MixedImpact::NoEndOverlap, "it flew through");
    assert_eq!(ask(&fly(0.5)), MixedImpact::NoEndOverlap);
}

/// A swing in, out and in again within one cell of the finder: the end overlap is never called free.
#[test]
fn an_end_overlap_is_never_called_free() {
    // Turns by nearly a full circle and ends as it began, within the wall.
    let spin = RigidMotion::with_velocities(
        &Pose::new(DQuat::IDENTITY, dvec3(1.5, 0.0, 0.0)),
        DVec3::ZERO,
        dvec3(0.0, 0.0, 6.25),
        DVec3::ZERO,
    );
    let query = ApproximateQuery { finder: Finder::Linear, ..Default::default() };
    let found = mixed_impact((&[dart(-1.0)], &spin), (&wall(), &Still(Pose::IDENTITY)), &query);
    assert!(!matches!(found, MixedImpact::NoEndOverlap), "{found:?}");
}
