use super::*;
use crate::rotation;
use glam::{DQuat, DVec3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(3.0), vector(2.0)).prop_map(|(turn, t)| Pose::new(rotation::exp(turn), t))
}

fn sphere() -> impl Strategy<Value = Sphere> {
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
                let whole = Arc::new(RigidMotion::with_velocities(&p, v, w, DVec3::ZERO));
                Box::new(Clip::new(whole, from, from + length))
            }
        ),
        (pose(), vector(3.0), vector(4.0), -3.0..1.0, 0.1..9.0, 0.0..1.0).prop_map(
            |(p, v, w, from, length, at)| -> Box<dyn Motion> {
                let whole = Arc::new(RigidMotion::with_velocities(&p, v, w, DVec3::ZERO));
                Box::new(Clip::held(Arc::new(Clip::new(whole, from, from + length)), at))
            }
        ),
        (pose(), pose(), pose(), vector(3.0), vector(4.0), 0usize..2).prop_map(
            |(leader, p, q, v, w, member)| -> Box<dyn Motion> {
                let motion = Arc::new(RigidMotion::with_velocities(&leader, v, w, DVec3::X));
                let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(motion, &[p, q]));
                Box::new(GroupMember::new(group, member).unwrap())
            }
        ),
        (pose(), [vector(2.0), vector(2.0)], [vector(2.0), vector(2.0)], vector(1.0)).prop_map(
            |(start, shift, turn, pivot)| -> Box<dyn Motion> {
                let part = |k: usize| -> Arc<dyn Motion> {
                    Arc::new(RigidMotion::with_velocities(&start, shift[k], turn[k], pivot))
                };
                let twice = Arc::new(Carried::new(start, part(0), part(1)));
                Box::new(Carried::new(start, twice, part(1)))
            }
        ),
        key.prop_map(|(p, q, r, t, pivot)| -> Box<dyn Motion> {
            let keys = [(0.0, p), (t, q), (1.0, r)];
            Box::new(KeyFrames::new(&keys, pivot, Turning::Slerp).unwrap())
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn points_stay_within_travel_and_deviation(
        motion in motion(), sphere in sphere(), out in vector(1.0), times in [0.0..1.0, 0.0..1.0], share in 0.0..1.0,
    ) {
        let (t0, t1) = (f64::min(times[0], times[1]), f64::max(times[0], times[1]));
        let point = sphere.center + out.normalize_or_zero() * sphere.radius;
        let at = |t: f64| motion.pose(t).transform_point(point);
        let now = at(t0 + (t1 - t0) * share);
        prop_assert!(now.distance(at(t0)) <= motion.travel(&sphere, t0, t1) + 1e-15);
        let chord = at(t0).lerp(at(t1), share);
        prop_assert!(now.distance(chord) <= motion.chord_deviation(&sphere, t0, t1) + 1e-15);
    }

    #[test]
    fn deviation_vanishes_quadratically(motion in motion(), sphere in sphere(), t in 0.0..1.0) {
        let until = f64::min(t + 1e-4, motion.next_bend(t));
        prop_assert!(motion.chord_deviation(&sphere, t, until) <= 1e-4);
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
    let keys = KeyFrames::new(&[(0.0, p), (0.25, q), (1.0, p)], DVec3::X, Turning::Nlerp).unwrap();
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
    let new = |keys: &[(f64, Pose)]| KeyFrames::new(keys, DVec3::ZERO, Turning::Slerp).unwrap_err();
    assert_eq!(new(&[(0.0, p)]), KeyFramesError::TooFew(1));
    assert_eq!(new(&[(0.0, p), (0.5, p)]), KeyFramesError::NotFromZeroToOne(0.0, 0.5));
    assert_eq!(new(&[(0.0, p), (0.5, p), (0.5, p), (1.0, p)]), KeyFramesError::NotIncreasing(2, 0.5));
    assert!(matches!(new(&[(0.0, p), (f64::NAN, p), (1.0, p)]), KeyFramesError::NotIncreasing(1, _)));
    assert_eq!(new(&[(0.0, p), (1.0, bad)]), KeyFramesError::NotAPose(1));
}

/// The bends of a clip, of what it cuts and of what that cuts, so that no interval needs to cross one.
#[test]
fn clips_bend_where_rest_begins_and_ends() {
    let whole = Arc::new(RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::X, DVec3::ZERO, DVec3::ZERO));
    let clip = Clip::held(Arc::new(Clip::new(whole, -0.5, 1.5)), 0.5);
    let x = |t: f64| clip.pose(t).translation.x;
    assert_eq!([0.0, 0.25, 0.375, 0.5, 0.75, 1.0].map(x), [0.0, 0.0, 0.25, 0.5, 0.5, 0.5]);
    assert_eq!([0.0, 0.25, 0.4, 0.5].map(|t| clip.next_bend(t)), [0.25, 0.5, 0.5, 1.0]);
    let point = Sphere { center: DVec3::ZERO, radius: 0.0 };
    assert!(clip.chord_deviation(&point, 0.25, 0.5) < 1e-12);
    assert!(clip.chord_deviation(&point, 0.0, 0.5) >= 0.125);
}

#[test]
fn a_clip_that_ends_before_it_begins_rests() {
    let whole = Arc::new(RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::X, DVec3::ZERO, DVec3::ZERO));
    let sphere = Sphere { center: DVec3::ONE, radius: 1.0 };
    for to in [0.25, 0.5, f64::NAN] {
        let clip = Clip::new(whole.clone(), 0.5, to);
        assert_eq!([0.0, 0.3, 1.0].map(|t| clip.pose(t).translation.x), [0.5; 3]);
        assert!(clip.travel(&sphere, 0.0, 1.0) < 1e-12 && clip.chord_deviation(&sphere, 0.0, 1.0) < 1e-12);
        assert_eq!(clip.next_bend(0.0), 1.0);
    }
    assert_eq!(Clip::held(whole, f64::NAN).pose(1.0), Pose::IDENTITY);
}

/// Two groups evaluated in step, members in any order, with a count of the requested evaluations.
#[derive(Debug)]
struct Counted {
    shift: DVec3,
    evaluations: AtomicUsize,
}

impl GroupMotion for Counted {
    fn members(&self) -> usize {
        7
    }

    fn poses(&self, t: f64, out: &mut [Pose]) {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        for (member, pose) in out.iter_mut().enumerate() {
            *pose = Pose::from_translation(self.shift * t * member as f64);
        }
    }

    fn travel(&self, member: usize, _: &Sphere, t0: f64, t1: f64) -> f64 {
        self.shift.length() * (t1 - t0) * member as f64 * (1.0 + 8.0 * f64::EPSILON)
    }

    fn chord_deviation(&self, _: usize, _: &Sphere, _: f64, _: f64) -> f64 {
        1e-15
    }
}

#[test]
fn a_group_is_evaluated_once_per_time() {
    let counted = [DVec3::X, DVec3::Y].map(|shift| Arc::new(Counted { shift, evaluations: 0.into() }));
    let groups = counted.clone().map(|group| group as Arc<dyn GroupMotion>);
    let members: Vec<GroupMember> = groups.iter().flat_map(GroupMember::all).collect();
    for time in 0..100 {
        let t = f64::from(time) * 0.01;
        for (k, member) in members.iter().enumerate() {
            let shift = counted[k / 7].shift;
            assert_eq!(member.pose(t).translation, shift * t * (k % 7) as f64);
        }
    }
    assert_eq!(counted.map(|group| group.evaluations.load(Ordering::Relaxed)), [100, 100]);
    assert!(GroupMember::new(groups[0].clone(), 7).is_none());
}

/// A new group may have the address of an earlier one, and must not be mistaken for it.
#[test]
fn a_new_group_in_an_old_place_is_evaluated_anew() {
    for round in 0..100 {
        let shift = DVec3::X * f64::from(round);
        let group: Arc<dyn GroupMotion> = Arc::new(Counted { shift, evaluations: 0.into() });
        let member = GroupMember::new(group, 3).unwrap();
        assert_eq!(member.pose(0.5).translation, shift * 0.5 * 3.0);
    }
}

#[test]
fn rigid_groups_begin_where_their_bodies_stand() {
    let leader = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), DVec3::new(1.0, -2.0, 3.0));
    let starts = [leader, Pose::new(DQuat::from_xyzw(-0.5, 0.2, 0.1, 0.3), DVec3::new(0.1, 0.7, -0.3))];
    let motion = Arc::new(RigidMotion::with_velocities(&leader, DVec3::X, DVec3::ONE, DVec3::ZERO));
    let group = RigidGroup::new(motion, &starts);
    let mut poses = [Pose::IDENTITY; 2];
    group.poses(0.0, &mut poses);
    assert_eq!(poses, starts);
    group.poses(0.7, &mut poses);
    let place = (poses[0].inverse() * poses[1]).transform_point(DVec3::ONE);
    let before = (starts[0].inverse() * starts[1]).transform_point(DVec3::ONE);
    assert!(place.abs_diff_eq(before, 1e-14), "{place} {before}");
}
