use super::*;
use crate::rotation;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(3.0), vector(2.0)).prop_map(|(turn, t)| Pose::new(rotation::exp(turn), t))
}

fn ball() -> impl Strategy<Value = Sphere> {
    (vector(2.0), 0.0..1.0).prop_map(|(center, radius)| Sphere { center, radius })
}

fn motion() -> impl Strategy<Value = Box<dyn Motion>> {
    let key = (pose(), pose(), pose(), 0.1..0.9, vector(1.0));
    prop_oneof![
        (pose(), pose(), vector(1.0))
            .prop_map(|(p, q, pivot)| -> Box<dyn Motion> { Box::new(RigidMotion::between(&p, &q, pivot)) }),
        (pose(), pose(), vector(1.0)).prop_map(|(p, q, pivot)| -> Box<dyn Motion> {
            Box::new(RigidMotion::nlerp_between(&p, &q, pivot))
        }),
        (pose(), vector(1.0), vector(1.0), -12.0..12.0, -1.0..1.0).prop_map(
            |(p, point, axis, angle, advance)| -> Box<dyn Motion> {
                Box::new(RigidMotion::screw(&p, point, axis, angle, advance))
            }
        ),
        (pose(), vector(3.0), vector(7.0), vector(1.0)).prop_map(|(p, v, w, pivot)| -> Box<dyn Motion> {
            Box::new(RigidMotion::with_velocities(&p, v, w, pivot))
        }),
        (pose(), vector(3.0), vector(4.0), 0.0..0.9, 0.1..2.0).prop_map(
            |(p, v, w, from, length)| -> Box<dyn Motion> {
                let whole = Box::leak(Box::new(RigidMotion::with_velocities(&p, v, w, DVec3::ZERO)));
                Box::new(Window { motion: whole, from, to: from + length })
            }
        ),
        (pose(), [vector(2.0), vector(2.0)], [vector(2.0), vector(2.0)], vector(1.0)).prop_map(
            |(start, shift, turn, pivot)| -> Box<dyn Motion> {
                let part = |k: usize| -> Box<dyn Motion> {
                    Box::new(RigidMotion::with_velocities(&start, shift[k], turn[k], pivot))
                };
                let twice = Box::new(Carried::new(start, part(0), part(1)));
                Box::new(Carried::new(start, twice, part(1)))
            }
        ),
        key.prop_map(|(p, q, r, t, pivot)| -> Box<dyn Motion> {
            let keys = [(0.0, p), (t, q), (1.0, r)];
            Box::new(KeyFrames::new(&keys, pivot, Pace::Even).unwrap())
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn points_stay_within_travel_and_deviation(
        motion in motion(), ball in ball(), out in vector(1.0), times in [0.0..1.0, 0.0..1.0], share in 0.0..1.0,
    ) {
        let (t0, t1) = (f64::min(times[0], times[1]), f64::max(times[0], times[1]));
        let point = ball.center + out.normalize_or_zero() * ball.radius;
        let at = |t: f64| motion.pose(t).transform_point(point);
        let now = at(t0 + (t1 - t0) * share);
        prop_assert!(now.distance(at(t0)) <= motion.travel(&ball, t0, t1) + 1e-15);
        let chord = at(t0).lerp(at(t1), share);
        prop_assert!(now.distance(chord) <= motion.chord_deviation(&ball, t0, t1) + 1e-15);
    }

    #[test]
    fn deviation_vanishes_quadratically(motion in motion(), ball in ball(), t in 0.0..1.0) {
        let until = f64::min(t + 1e-4, motion.next_bend(t));
        prop_assert!(motion.chord_deviation(&ball, t, until) <= 1e-4);
    }

    #[test]
    fn both_signs_of_a_quaternion_are_one_path(p in pose(), q in pose(), t in 0.0..1.0) {
        let there = RigidMotion::between(&p, &q, DVec3::ZERO).pose(t).transform_point(DVec3::ONE);
        let other = Pose::new(-q.rotation, q.translation);
        let same = RigidMotion::between(&p, &other, DVec3::ZERO).pose(t).transform_point(DVec3::ONE);
        prop_assert!(there.abs_diff_eq(same, 1e-9));
    }
}

#[test]
fn given_ends_are_met_bit_for_bit() {
    let p = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), DVec3::new(1.0, -2.0, 3.0));
    let q = Pose::new(DQuat::from_xyzw(-0.5, 0.2, 0.1, 0.3), DVec3::new(0.1, 0.7, -0.3));
    let motion = RigidMotion::between(&p, &q, DVec3::X);
    assert_eq!((motion.pose(0.0), motion.pose(1.0)), (p, q));
    let keys = KeyFrames::new(&[(0.0, p), (0.25, q), (1.0, p)], DVec3::X, Pace::Nlerp).unwrap();
    assert_eq!((keys.pose(0.0), keys.pose(0.25), keys.pose(1.0)), (p, q, p));
    assert_eq!((keys.next_bend(0.0), keys.next_bend(0.25)), (0.25, 1.0));
}

#[test]
fn a_quarter_of_a_quarter_turn() {
    let quarter = Pose::from_rotation(DQuat::from_rotation_z(FRAC_PI_2));
    let angle = |motion: RigidMotion| rotation::to_axis_angle(motion.pose(0.25).rotation).1.to_degrees();
    let even = RigidMotion::between(&Pose::IDENTITY, &quarter, DVec3::ZERO);
    assert!((angle(even) - 22.5).abs() < 1e-12);
    let nlerp = RigidMotion::nlerp_between(&Pose::IDENTITY, &quarter, DVec3::ZERO);
    assert!((angle(nlerp) - 21.598161).abs() < 1e-6);
}

/// The arc bulges beyond both ends by exactly the stated deviation.
#[test]
fn an_arc_from_minus_to_plus_an_eighth_of_a_turn() {
    let at = |angle| Pose::from_rotation(DQuat::from_rotation_z(angle));
    let motion = RigidMotion::between(&at(-FRAC_PI_4), &at(FRAC_PI_4), DVec3::ZERO);
    let point = Sphere { center: DVec3::X, radius: 0.0 };
    let hull = FRAC_PI_4.cos();
    let bulge = hull + motion.chord_deviation(&point, 0.0, 1.0);
    assert!((bulge - 1.0).abs() < 1e-12, "{bulge}");
}

/// A point may start and end at one place and still travel.
#[test]
fn an_excursion_that_returns() {
    let turned = Pose::from_rotation(DQuat::from_rotation_z(FRAC_PI_2));
    let end = Pose::new(turned.rotation, -turned.transform_point(DVec3::X));
    let motion = RigidMotion::between(&Pose::from_translation(-DVec3::X), &end, DVec3::ZERO);
    let point = Sphere { center: DVec3::X, radius: 0.0 };
    let middle = motion.pose(0.5).transform_point(DVec3::X).length();
    assert!((middle - 0.292_893).abs() < 1e-6, "{middle}");
    assert!(motion.travel(&point, 0.0, 1.0) >= middle);
    assert!(motion.chord_deviation(&point, 0.0, 1.0) >= middle);
}

#[test]
fn lists_that_are_no_motion_are_refused() {
    let p = Pose::IDENTITY;
    let bad = Pose::from_translation(DVec3::NAN);
    let new = |keys: &[(f64, Pose)]| KeyFrames::new(keys, DVec3::ZERO, Pace::Even).unwrap_err();
    assert_eq!(new(&[(0.0, p)]), KeyFramesError::TooFew(1));
    assert_eq!(new(&[(0.0, p), (0.5, p)]), KeyFramesError::NotFromZeroToOne(0.0, 0.5));
    assert_eq!(new(&[(0.0, p), (0.5, p), (0.5, p), (1.0, p)]), KeyFramesError::NotIncreasing(2, 0.5));
    assert!(matches!(new(&[(0.0, p), (f64::NAN, p), (1.0, p)]), KeyFramesError::NotIncreasing(1, _)));
    assert_eq!(new(&[(0.0, p), (1.0, bad)]), KeyFramesError::NotAPose(1));
}
