//! Times of impact against dense sampling by the exact static test: nothing touches before `safe_until`,
//! nothing is missed.

use crate::common::{data, load, mesh, model, shift, small_models};
use glam::{DQuat, DVec3};
use noli::answer::{Completeness, TimeOfImpact, Touch};
use noli::motion::{Motion, RigidMotion, Still};
use noli::query::{ClearanceQuery, ImpactQuery, Tolerance};
use noli::trace::Stats;
use noli::{
    Budget, Impact, Moving, Overlap, Pose, QueryContext, Scratch, clearance, closest_approach,
    contact_intervals, overlap, time_of_impact,
};
use noli_geom::Sphere;
use noli_scenes::{
    SplitMix64, W1_SEED, bumpy_sphere, cuboid, random_motion, w1_meshes, w1_motion_starts, w1_poses,
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// The first sampled time at which the bodies overlap.
fn first_sampled(a: &Moving<'_>, b: &Moving<'_>, samples: u32) -> Option<f64> {
    (0..=samples)
        .map(|k| f64::from(k) / f64::from(samples))
        .find(|&t| overlap(&a.at(t), &b.at(t)) == Overlap::Hit)
}

fn assert_holds(a: &Moving<'_>, b: &Moving<'_>, found: &Impact<Touch>, samples: u32, place: &str) {
    let sampled = first_sampled(a, b, samples);
    match found {
        Impact::Free => assert_eq!(sampled, None, "{place}: missed"),
        Impact::AtStart(_) => assert_eq!(sampled, Some(0.0), "{place}"),
        Impact::At { time: TimeOfImpact { safe_until, touching_by }, touch } => {
            assert!(safe_until <= touching_by);
            assert!(sampled.is_none_or(|t| t >= *safe_until), "{place}: late, {sampled:?} {found:?}");
            let gap = clearance(&a.at(*touching_by), &b.at(*touching_by)).distance.at_most;
            assert!(gap <= 4e-6, "{place}: {gap} at {found:?}");
            assert!(!touch.proven || gap == 0.0, "{place}: {found:?}");
        }
        Impact::Unknown { .. } => panic!("{place}: unknown without a budget"),
    }
}

/// Thin blades, pegs and others, both bodies moving, up to 12 radians in one go.
#[test]
fn random_fast_motions_miss_nothing() {
    let models = small_models();
    let mut random = SplitMix64::new(5);
    let mut kinds = [0; 3];
    for case in 0..600 {
        let [a, b] = [0, 1].map(|_| &models[(random.unit() * models.len() as f64) as usize]);
        let moving = random_motion(&mut random, 12.0);
        let other = random_motion(&mut random, 2.0);
        let still = Still(Pose::from_rotation(random.rotation()));
        let first: &dyn Motion = if case % 3 == 0 { &other } else { &still };
        let (a, b) = (a.moving(first), b.moving(&moving));
        let found = time_of_impact(&a, &b);
        assert_holds(&a, &b, &found, 300, &format!("case {case}"));
        let turned = time_of_impact(&b, &a);
        assert_holds(&b, &a, &turned, 1, &format!("case {case} turned round"));
        assert_eq!(found.is_hit(), turned.is_hit(), "case {case}: {found:?} {turned:?}");
        kinds[match found {
            Impact::Free => 0,
            Impact::AtStart(_) => 1,
            _ => 2,
        }] += 1;
    }
    assert!(kinds.iter().all(|&n| n > 20), "{kinds:?}");
}

/// Peers that look at poses miss a blade that turns past a peg and back to where it was.
#[test]
fn a_blade_that_turns_past_a_peg() {
    let blade = model(&mesh(cuboid(DVec3::new(1.0, 0.01, 0.2))));
    let peg = model(&mesh(cuboid(DVec3::new(0.01, 0.01, 1.0))));
    let turn = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::ZERO, DVec3::Z * TAU, DVec3::ZERO);
    let at = |angle: f64| Still(Pose::from_translation(0.9 * DVec3::new(angle.cos(), angle.sin(), 0.0)));
    for angle in [0.3f64, 1.0, 2.0, 3.0] {
        let still = at(angle);
        let Impact::At { time, .. } = time_of_impact(&blade.moving(&turn), &peg.moving(&still)) else {
            panic!("the peg at {angle} is in the way");
        };
        // It is reached by the blade's flat side, a little before its middle plane gets there.
        let latest = angle / TAU;
        assert!(time.safe_until < latest && time.touching_by > latest - 0.01, "{angle} {time:?}");
    }
}

/// Linear motion of boxes has a contact time known in advance.
#[test]
fn straight_flights_meet_on_time() {
    let cube = model(&mesh(cuboid(DVec3::ONE)));
    for speed in [1e-3, 1.0, 40.0, 1e6] {
        let fly = RigidMotion::with_velocities(
            &shift(2.0 + 0.5 * speed, 0.25, 0.125),
            -DVec3::X * speed,
            DVec3::ZERO,
            DVec3::ZERO,
        );
        let still = Still::default();
        let query = ImpactQuery { tolerance: Tolerance::Length(0.0), ..Default::default() };
        let mut scratch = Scratch::default();
        let found =
            QueryContext::new(&mut scratch).time_of_impact(&cube.moving(&still), &cube.moving(&fly), &query);
        let Impact::At { time, touch } = found else { panic!("{found:?}") };
        assert!(time.safe_until <= 0.5 && 0.5 <= time.touching_by, "{speed}: {time:?}");
        assert!(time.width() < 1e-9, "{speed}: {time:?}");
        let normal = touch.normal.expect("they do not overlap deeply");
        assert!((normal - DVec3::X).length() < 1e-6, "{touch:?}");
    }
}

#[test]
fn touching_at_the_start_is_told() {
    let cube = model(&mesh(cuboid(DVec3::ONE)));
    let leave = RigidMotion::with_velocities(&shift(2.0, 0.0, 0.0), DVec3::X, DVec3::ZERO, DVec3::ZERO);
    let still = Still::default();
    let (a, b) = (cube.moving(&still), cube.moving(&leave));
    assert!(matches!(time_of_impact(&a, &b), Impact::AtStart(_)));
    let later = ImpactQuery { span: (1e-3, 1.0), ..Default::default() };
    assert_eq!(QueryContext::new(&mut Scratch::default()).time_of_impact(&a, &b, &later), Impact::Free);
    let close = ImpactQuery { margin: 0.01, ..later };
    assert!(matches!(
        QueryContext::new(&mut Scratch::default()).time_of_impact(&a, &b, &close),
        Impact::AtStart(_)
    ));
}

/// Leaving from a hair's breadth away is not a contact, however coarse the first step would be.
#[test]
fn bodies_that_separate_are_free() {
    let cube = model(&mesh(cuboid(DVec3::ONE)));
    let start = shift(2.0 + 1e-9, 0.0, 0.0);
    let leave = RigidMotion::with_velocities(&start, DVec3::X * 5.0, DVec3::X * FRAC_PI_2, DVec3::ZERO);
    let still = Still::default();
    assert_eq!(time_of_impact(&cube.moving(&still), &cube.moving(&leave)), Impact::Free);
}

/// Scaling everything by a power of two changes no time.
#[test]
fn brackets_do_not_depend_on_scale() {
    let models = small_models();
    let mut random = SplitMix64::new(9);
    for case in 0..30 {
        let model = &models[case % models.len()];
        let start = Pose::new(random.rotation(), random.direction() * 3.0);
        let end = Pose::new(random.rotation(), random.direction() * 0.5);
        let pivot = random.direction();
        let still = Still::default();
        let plain = RigidMotion::between(&start, &end, pivot);
        let expected = time_of_impact(&model.moving(&still), &model.moving(&plain));
        for exponent in [-200, -3, 1, 200] {
            let factor = 2.0f64.powi(exponent);
            let scaled = model.scaled(factor).expect("in range");
            let moved = |pose: &Pose| Pose::new(pose.rotation, pose.translation * factor);
            let motion = RigidMotion::between(&moved(&start), &moved(&end), pivot * factor);
            let found = time_of_impact(&scaled.moving(&still), &scaled.moving(&motion));
            match (expected, found) {
                (Impact::At { time, .. }, Impact::At { time: again, .. }) => {
                    assert_eq!(time, again, "case {case} 2^{exponent}")
                }
                (expected, found) => assert_eq!(expected.is_hit(), found.is_hit(), "case {case}"),
            }
        }
    }
}

/// A smaller budget knows less, never something else.
#[test]
fn every_budget_is_consistent_with_the_answer() {
    let models = small_models();
    let mut random = SplitMix64::new(77);
    for case in 0..40 {
        let motion = random_motion(&mut random, 6.0);
        let still = Still::default();
        let (a, b) = (models[case % 5].moving(&still), models[(case / 5) % 5].moving(&motion));
        let full = time_of_impact(&a, &b);
        let mut before = 0.0;
        for steps in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 1000, 100_000] {
            let mut scratch = Scratch::default();
            let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
            let found = context.time_of_impact(&a, &b, &ImpactQuery::default());
            match found {
                Impact::Unknown { safe_until } => {
                    assert!(before <= safe_until, "case {case}: more budget, less known");
                    assert!(safe_until <= full.safe_until(), "case {case}: {found:?} {full:?}");
                    before = safe_until;
                }
                found if found.is_hit() => assert!(full.is_hit(), "case {case}: {found:?} {full:?}"),
                found => assert_eq!(found, full, "case {case}"),
            }
        }
    }
}

#[test]
fn w1_motions_meet_within_tolerance() {
    let [a, b] = w1_meshes().map(|set| model(&mesh(set)));
    let ends = w1_poses(42, 40);
    let still = Still::default();
    let mut hits = 0;
    for (number, (start, end)) in w1_motion_starts(43, &ends).iter().zip(&ends).enumerate() {
        let motion = RigidMotion::between(start, end, DVec3::ZERO);
        let (a, b) = (a.moving(&still), b.moving(&motion));
        let found = time_of_impact(&a, &b);
        assert_holds(&a, &b, &found, 50, &format!("motion {number}"));
        hits += u32::from(found.is_hit());
    }
    assert!((10..30).contains(&hits));
}

/// A screw in its nut, with 0.17 mm of play: free along its thread, and blocked when turned the other way or
/// pushed straight.
#[test]
fn a_bolt_turns_along_its_thread_only() {
    let Some(folder) = data("cad/rigid-ipc/meshes/screw-and-nut") else { return };
    let [nut, screw] = ["nut-big.obj", "screw-big.obj"]
        .map(|file| model(&load(&folder.join(file)).scaled(0.01).expect("a factor")));
    let still = Still::default();
    let turned = |angle: f64, lead: f64| {
        let motion = RigidMotion::screw(&Pose::IDENTITY, DVec3::ZERO, DVec3::Y, angle, lead * angle / TAU);
        let (a, b) = (nut.moving(&still), screw.moving(&motion));
        let found = time_of_impact(&a, &b);
        assert_holds(&a, &b, &found, 200, &format!("turn by {angle} with lead {lead}"));
        found
    };
    // The thread has a lead of 14 mm, right-handed.
    let along = turned(FRAC_PI_2, 0.014).safe_until();
    let others = [0.011, 0.017, -0.014].map(|lead| turned(FRAC_PI_2, lead).safe_until());
    assert!(along > 0.85 && others[..2].iter().all(|&t| t < 0.6) && others[2] < 0.06, "{along} {others:?}");
    let push = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::Y * 0.01, DVec3::ZERO, DVec3::ZERO);
    let pushed = time_of_impact(&nut.moving(&still), &screw.moving(&push));
    assert!(pushed.is_hit() && pushed.safe_until() < 0.1, "{pushed:?}");
}

/// A sphere passing a wall: the smallest clearance is known in advance.
#[test]
fn closest_approach_is_bracketed() {
    let wall = model(&mesh(cuboid(DVec3::new(4.0, 4.0, 0.5))));
    let sphere = model(&mesh(bumpy_sphere(8, 0.3)));
    let still = Still::default();
    let mut random = SplitMix64::new(3);
    for case in 0..20 {
        let height = 1.8 + random.unit();
        let start = Pose::new(random.rotation(), DVec3::new(-3.0, 0.0, height));
        let pass =
            RigidMotion::with_velocities(&start, DVec3::X * 6.0, random.direction() * 3.0, DVec3::ZERO);
        let (a, b) = (wall.moving(&still), sphere.moving(&pass));
        let found = closest_approach(&a, &b);
        let sampled = (0..=2000)
            .map(|k| clearance(&a.at(f64::from(k) / 2000.0), &b.at(f64::from(k) / 2000.0)).distance.at_least)
            .fold(f64::INFINITY, f64::min);
        let clearance = found.clearance;
        assert!(clearance.distance.at_least <= sampled, "case {case}: {found:?} {sampled}");
        assert!(
            clearance.distance.at_most <= 1.011 * sampled
                && clearance.distance.at_most >= clearance.distance.at_least,
            "case {case}: {found:?} {sampled}"
        );
        assert!(clearance.distance.at_least >= 0.98 * clearance.distance.at_most, "case {case}: {found:?}");
    }
}

/// A peg in the way of a turning blade is met twice in one turn.
#[test]
fn all_contacts_are_told() {
    let blade = model(&mesh(cuboid(DVec3::new(1.0, 0.01, 0.2))));
    let peg = model(&mesh(cuboid(DVec3::new(0.01, 0.01, 1.0))));
    let turn = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::ZERO, DVec3::Z * TAU, DVec3::ZERO);
    let still = Still(shift(0.0, 0.9, 0.0));
    let spans = contact_intervals(&blade.moving(&turn), &peg.moving(&still), 1e-3);
    assert_eq!(spans.completeness, Completeness::Complete);
    let begins: Vec<f64> = spans.iter().map(|span| span.begins.touching_by).collect();
    assert_eq!(begins.len(), 2, "{spans:?}");
    assert!((begins[0] - 0.25).abs() < 0.01 && (begins[1] - 0.75).abs() < 0.01, "{begins:?}");
    assert!(spans.iter().all(|span| span.ends_by - span.begins.touching_by < 0.02));
}

/// A motion with useless bounds of its own.
#[derive(Debug)]
struct Wild(f64);

impl Motion for Wild {
    fn pose(&self, t: f64) -> Pose {
        shift(5.0 - 4.0 * t, 0.0, 0.0)
    }
    fn travel(&self, _: &Sphere, t0: f64, t1: f64) -> f64 {
        4.0 * (t1 - t0)
    }
    fn chord_deviation(&self, _: &Sphere, _: f64, _: f64) -> f64 {
        self.0
    }
}

/// Bounds that do not shrink with time end a query, they do not hang it; nor do they falsify it.
#[test]
fn useless_bounds_are_survived() {
    let cube = model(&mesh(cuboid(DVec3::ONE)));
    let still = Still::default();
    for bound in [f64::NAN, f64::INFINITY, 100.0, 1.0] {
        let wild = Wild(bound);
        let found = time_of_impact(&cube.moving(&still), &cube.moving(&wild));
        assert!(found != Impact::Free && found.safe_until() <= 0.75, "{bound}: {found:?}");
    }
    let honest = Wild(0.0);
    let Impact::At { time, .. } = time_of_impact(&cube.moving(&still), &cube.moving(&honest)) else {
        panic!()
    };
    assert!((time.touching_by - 0.75).abs() < 1e-6);
}

/// Motions that are none are not answered.
#[test]
fn bad_motions_are_unknown() {
    let cube = model(&mesh(cuboid(DVec3::ONE)));
    let bad = RigidMotion::with_velocities(&shift(5.0, 0.0, 0.0), DVec3::NAN, DVec3::ZERO, DVec3::ZERO);
    let still = Still::default();
    assert!(matches!(time_of_impact(&cube.moving(&still), &cube.moving(&bad)), Impact::Unknown { .. }));
    let zero = Still(Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO));
    assert!(matches!(time_of_impact(&cube.moving(&zero), &cube.moving(&still)), Impact::Unknown { .. }));
}

/// A motion that moves nothing is a static question: the same verdict, for no more than a few times its work.
#[test]
fn a_motion_that_moves_nothing_is_a_static_question() {
    let [a, b] = w1_meshes().map(|set| model(&mesh(set)));
    let (rest, at_rest) = (Still(Pose::IDENTITY), ClearanceQuery::default());
    let (mut hits, mut misses, mut moving_blocks, mut static_blocks) = (0, 0, 0, 0);
    for pose in w1_poses(W1_SEED, 300) {
        let stay = RigidMotion::with_velocities(&pose, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let (a, b) = (a.moving(&rest), b.moving(&stay));
        let (mut scratch, mut heard, mut once) = (Scratch::default(), Stats::default(), Stats::default());
        let found = QueryContext::new(&mut scratch).with_trace(&mut heard).time_of_impact(
            &a,
            &b,
            &ImpactQuery::default(),
        );
        let clear =
            QueryContext::new(&mut scratch).with_trace(&mut once).clearance(&a.at(0.0), &b.at(0.0), &at_rest);
        match found {
            Impact::AtStart(_) => hits += 1,
            Impact::Free => misses += 1,
            Impact::At { .. } | Impact::Unknown { .. } => panic!("{found:?} at {pose:?}"),
        }
        assert_eq!(
            matches!(found, Impact::AtStart(_)),
            clear.distance.at_most == 0.0,
            "{found:?} at {pose:?}"
        );
        moving_blocks += heard.blocks;
        static_blocks += once.blocks;
    }
    assert!(hits > 50 && misses > 50, "{hits} hits, {misses} misses");
    assert!(
        moving_blocks <= 3 * static_blocks,
        "{moving_blocks} blocks for motions, {static_blocks} at rest"
    );
}
