//! Times of impact against closed forms and against sampled motions.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Impact, Options, clearance, time_of_impact};
use noli_geom::{Motion, Pose, Relation, RigidMotion, Still};
use noli_testing::Random;

const STILL: Still = Still(Pose::IDENTITY);

fn shifted(shift: DVec3) -> RigidMotion {
    RigidMotion::between(&Pose::IDENTITY, &Pose::from_translation(shift), DVec3::ZERO)
}

fn follow(a: &Brep, b: &Brep, motion: &dyn Motion) -> Impact {
    time_of_impact(a, b, [&STILL, motion], 0.0, &Options::default())
}

#[test]
fn moving_bodies_stop_at_contact() {
    let mut random = Random::new(13);
    for _ in 0..20 {
        let (radius, other) = (random.between(0.5, 1.5), random.between(0.5, 1.5));
        let (a, b) = (Brep::sphere(radius), Brep::sphere(other));
        let (from, to) = (random.vector().normalize() * 6.0, random.vector() * 2.0);
        let poses = [from, to].map(Pose::from_translation);
        let found = follow(&a, &b, &RigidMotion::between(&poses[0], &poses[1], DVec3::ZERO));
        // |from + t (to - from)| = radius + other
        let (d, sum) = (to - from, radius + other);
        let (qa, qb, qc) = (d.length_squared(), from.dot(d), from.length_squared() - sum * sum);
        let root = qb * qb - qa * qc;
        let expected = (root >= 0.0).then(|| (-qb - root.sqrt()) / qa).filter(|t| (0.0..=1.0).contains(t));
        match expected {
            Some(time) => {
                assert!(found.safe_until <= time + 1e-12, "{found:?} {time}");
                assert!(found.safe_until > time - 1e-3, "{found:?} {time}");
            }
            None => assert_eq!(found.touching_by, None, "{found:?}"),
        }
    }
}

/// Nothing is closer than the tolerance at any sampled time before the impact, and something is at the impact.
#[test]
fn sampled_motions_agree() {
    let mut random = Random::new(77);
    let (mut free, mut hits) = (0, 0);
    for _ in 0..40 {
        let mut draw = || match random.index(4) {
            0 => Brep::cylinder(random.between(0.4, 1.0), random.between(0.5, 1.5)),
            1 => Brep::torus(random.between(0.8, 1.2), 0.3),
            2 => Brep::cone(random.between(0.3, 0.9), random.between(0.3, 0.9), 1.0),
            _ => Brep::block(DVec3::new(1.0, random.between(0.4, 1.0), 0.6)),
        };
        let (a, b) = (draw(), draw());
        let mut pose = |far: f64| {
            let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
            Pose::new(turn.normalize(), random.vector().normalize() * far)
        };
        let motions = [(3.0, 0.0), (-3.5, 2.5)].map(|(from, to)| {
            let (start, end) = (pose(from), pose(to));
            RigidMotion::between(&start, &end, DVec3::ZERO)
        });
        let options = Options::default();
        let found = time_of_impact(&a, &b, [&motions[0], &motions[1]], 0.0, &options);
        if found.at_start != Some(Relation::Separated) {
            continue;
        }
        let at = |time: f64| clearance(&a, &b, &motions[0].pose(time), &motions[1].pose(time), &options);
        for k in 0..200 {
            let time = found.safe_until * f64::from(k) / 200.0;
            assert!(at(time).at_most > 0.0, "{found:?} at {time}");
        }
        match found.touching_by {
            Some(time) => {
                hits += 1;
                assert!(at(time).at_least <= 1e-6 * a.size().max(b.size()), "{found:?}");
                assert!(time >= found.safe_until, "{found:?}");
            }
            None => {
                free += 1;
                assert_eq!(found.safe_until, 1.0, "{found:?}");
            }
        }
    }
    assert!(free > 3 && hits > 3, "{free} {hits}");
}

/// A shaft of play 0.0075 is drawn from its bush: steps of the size of the play would be thousands.
#[test]
fn shaft_is_drawn_from_its_bush() {
    for (bore, start) in [(8.0075, Relation::Separated), (8.0, Relation::Touching)] {
        let (shaft, bush) = (Brep::cylinder(8.0, 30.0), Brep::bush(bore, 16.0, 20.0));
        let found = follow(&bush, &shaft, &shifted(DVec3::Z * 60.0));
        assert_eq!((found.at_start, found.safe_until), (Some(start), 1.0), "{found:?}");
        assert_eq!(found.touching_by, None, "{found:?}");
        // Aslant by more than the play over the motion.
        let found = follow(&bush, &shaft, &shifted(DVec3::new(0.1, 0.0, 10.0)));
        assert!(found.safe_until < 0.08, "{bore}: {found:?}");
    }
}

/// A block slides on a block, and leaves its edge or stops at a wall.
#[test]
fn block_slides_on_a_block_up_to_a_wall() {
    let floor = Brep::block(DVec3::new(10.0, 10.0, 1.0));
    let wall = Brep::block(DVec3::new(1.0, 10.0, 3.0));
    let block = Brep::block(DVec3::new(1.0, 1.0, 1.0));
    let start = Pose::from_translation(DVec3::new(2.0, 2.0, 1.0));
    let motion = |shift: DVec3| {
        RigidMotion::between(&start, &Pose::from_translation(start.translation + shift), DVec3::ZERO)
    };
    for shift in [DVec3::X * 20.0, DVec3::Z * 3.0, DVec3::new(3.0, 4.0, 0.5)] {
        let found = follow(&floor, &block, &motion(shift));
        assert_eq!((found.at_start, found.safe_until), (Some(Relation::Touching), 1.0), "{shift}: {found:?}");
    }
    let found = follow(&floor, &block, &motion(DVec3::new(3.0, 0.0, -0.5)));
    assert_eq!(found.safe_until, 0.0, "{found:?}");
    let at = Pose::from_translation(DVec3::new(8.0, 0.0, 1.0));
    let found =
        time_of_impact(&wall, &block, [&Still(at), &motion(DVec3::X * 10.0)], 0.0, &Options::default());
    assert!(found.safe_until <= 0.5 && found.safe_until > 0.5 - 1e-5, "{found:?}");
    assert!(found.touching_by.is_some(), "{found:?}");
}

/// With a margin the contact is that of the distance.
#[test]
fn margin_is_kept() {
    let (a, b) = (Brep::sphere(1.0), Brep::sphere(1.0));
    let motion = RigidMotion::between(
        &Pose::from_translation(DVec3::X * 6.0),
        &Pose::from_translation(DVec3::X),
        DVec3::ZERO,
    );
    let found = time_of_impact(&a, &b, [&STILL, &motion], 0.5, &Options::default());
    assert!(found.safe_until <= 0.7 && found.safe_until > 0.7 - 1e-5, "{found:?}");
}

/// A shaft turns in its bush, with or without a shift along the axis, wherever the axis lies. Steps of the size of the
/// play would be thousands. About a line beside the axis, its play ends at a time that has a closed form.
#[test]
fn shaft_turns_in_its_bush() {
    let mut random = Random::new(4);
    for round in 0..8 {
        let play = [0.0075, 1e-3, 0.1, 0.0][round % 4];
        let (shaft, bush) = (Brep::cylinder(8.0, 30.0), Brep::bush(8.0 + play, 16.0, 20.0));
        let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
        let pose =
            if round < 4 { Pose::IDENTITY } else { Pose::new(turn.normalize(), random.vector() * 50.0) };
        let (middle, axis) = (pose.translation, pose.transform_vector(DVec3::Z));
        let still = Still(pose);
        for (angle, advance) in [(20.0, 0.0), (1.0, 60.0), (-7.0, -40.0), (1e-2, 3.0)] {
            let motion = RigidMotion::screw(&pose, middle + axis * random.real(), axis, angle, advance);
            for bodies in [[&bush, &shaft], [&shaft, &bush]] {
                let motions: [&dyn Motion; 2] = [&still, &motion];
                let found = time_of_impact(bodies[0], bodies[1], motions, 0.0, &Options::default());
                assert_eq!((found.safe_until, found.touching_by), (1.0, None), "{play} {angle} {found:?}");
                let found = time_of_impact(bodies[1], bodies[0], [&motion, &still], 0.0, &Options::default());
                assert_eq!((found.safe_until, found.touching_by), (1.0, None), "{play} {angle} {found:?}");
            }
        }
        // |c(t) - c(0)| = 2 e sin(angle t / 2) = play
        let beside = middle + pose.transform_vector(DVec3::X) * 0.08;
        let motion = RigidMotion::screw(&pose, beside, axis, 1.0, 0.0);
        let few = Options { budget: 2_000, ..Options::default() };
        let found = time_of_impact(&bush, &shaft, [&still, &motion], 0.0, &few);
        let expected = 2.0 * (play / 0.16).min(1.0).asin();
        // The rounding of angles of a few radians; `expected` is the closed form.
        assert!(found.safe_until <= expected + 1e-9, "{play} {found:?} {expected}");
    }
}
