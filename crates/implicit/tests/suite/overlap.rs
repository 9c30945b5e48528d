//! Verdicts on objects whose distance is known.

use crate::support::Random;
use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Aabb, Pose};
use noli_implicit::{Field, FieldOverlap, FieldQuery, FieldVerdict, field_overlap};

fn field(formula: &str) -> Field {
    Field::parse(formula).unwrap_or_else(|error| panic!("{error}"))
}

fn ask(a: &Field, pose_a: Pose, b: &Field, pose_b: Pose) -> FieldOverlap {
    field_overlap(&a.at(pose_a), &b.at(pose_b), &FieldQuery::default())
}

/// Both functions are at most zero at a common point, by plain evaluation too.
fn assert_witness(a: &Field, pose_a: Pose, b: &Field, pose_b: Pose, point: DVec3) {
    assert!(a.value(point) <= 0.0);
    let world = pose_a.transform_point(point);
    let size = 1.0 + world.abs().max_element();
    assert!(b.value(pose_b.inverse().transform_point(world)) <= 1e-12 * size * size);
}

#[test]
fn spheres_at_known_distances_are_always_told_apart() {
    let mut rng = Random::new(3);
    let (a, b) = (field("x^2+y^2+z^2 <= 1"), field("x^2+y^2+z^2 <= 0.25"));
    let mut worst = 0;
    for exponent in 1..=9 {
        for sign in [-1.0, 1.0] {
            for _ in 0..6 {
                let distance = sign * 10f64.powi(-exponent);
                let direction = rng.vector().normalize();
                let turn = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), 1.0);
                let pose_a = Pose::new(turn, rng.vector());
                let place = pose_a.translation + direction * (1.5 + distance);
                let pose_b = Pose::new(turn.conjugate(), place);
                let found = ask(&a, pose_a, &b, pose_b);
                match found.verdict {
                    FieldVerdict::Free => assert!(distance > 0.0, "{distance}"),
                    FieldVerdict::Hit { point } => {
                        assert!(distance < 0.0, "{distance}");
                        assert_witness(&a, pose_a, &b, pose_b, point);
                    }
                    FieldVerdict::Unknown { within } => panic!("{distance} {within:?}"),
                }
                worst = worst.max(found.cells);
            }
        }
    }
    assert!(worst < 20_000, "{worst} cells");
}

#[test]
fn rings_and_quadrics_at_known_distances_are_always_told_apart() {
    // A sphere of radius 1/2 on the axis of a ring reaches it from the centre at 1.5; an ellipsoid's pole at
    // 0.5; a hyperboloid's waist at 1.
    let sphere = field("x^2+y^2+z^2 <= 0.25");
    let ring = field("(sqrt(x^2+y^2)-2.5)^2+z^2 <= 0.25");
    let ellipsoid = field("x^2/4+y^2+4*z^2 <= 1");
    let hyperboloid =
        field("x^2+y^2-z^2 >= 1").within(Aabb { min: DVec3::splat(-3.0), max: DVec3::splat(3.0) });
    let cases = [
        (&ring, dvec3(1.5, 0.0, 0.0), dvec3(-1.0, 0.0, 0.0)),
        (&ring, dvec3(2.5, 0.0, 1.0), dvec3(0.0, 0.0, 1.0)),
        (&ellipsoid, dvec3(0.0, 0.0, 1.0), dvec3(0.0, 0.0, 1.0)),
        (&ellipsoid, dvec3(2.5, 0.0, 0.0), dvec3(1.0, 0.0, 0.0)),
        (&hyperboloid, dvec3(0.0, 0.5, 0.0), dvec3(0.0, -1.0, 0.0)),
    ];
    for (object, contact, away) in cases {
        for exponent in 1..=9 {
            let step = 10f64.powi(-exponent);
            let separated =
                ask(object, Pose::IDENTITY, &sphere, Pose::from_translation(contact + away * step));
            assert_eq!(separated.verdict, FieldVerdict::Free, "{contact} {step}");
            let deep = ask(object, Pose::IDENTITY, &sphere, Pose::from_translation(contact - away * step));
            assert!(matches!(deep.verdict, FieldVerdict::Hit { .. }), "{contact} {step} {deep:?}");
        }
    }
}

/// A disc that is left where a part was cut off at its own face. None of its points has coordinates that a
/// computer has.
#[test]
fn parts_without_thickness_are_met_and_missed() {
    let disc = field("max(max(10*x - 9, 9 - 10*x), y^2 + z^2 - 1)");
    let sphere = field("x^2+y^2+z^2 <= 0.25");
    let mut rng = Random::new(17);
    for exponent in 1..=9 {
        for distance in [10f64.powi(-exponent), -10f64.powi(-exponent)] {
            let turn = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), 1.0);
            let pose = Pose::new(turn, rng.vector());
            let at = pose.transform_point(dvec3(0.9 + 0.5 + distance, 0.3 * rng.real(), 0.3 * rng.real()));
            let sphere_pose = Pose::new(turn, at);
            for found in [ask(&disc, pose, &sphere, sphere_pose), ask(&sphere, sphere_pose, &disc, pose)] {
                match found.verdict {
                    FieldVerdict::Free => assert!(distance > 0.0, "{distance}"),
                    FieldVerdict::Hit { .. } => assert!(distance < 0.0, "{distance}"),
                    FieldVerdict::Unknown { within } => panic!("{distance} {within:?}"),
                }
            }
            let deep = FieldQuery { depth: 1e-12, cells: 10_000, ..Default::default() };
            let verdict = field_overlap(&disc.at(pose), &sphere.at(sphere_pose), &deep).verdict;
            assert!(!matches!(verdict, FieldVerdict::Hit { .. }), "{distance}");
        }
    }
}

#[test]
fn mixtures_make_the_cost_grow_slowly() {
    let (a, b) = (field("x^2+y^2+z^2 <= 0.16"), field("x^2+y^2+z^2 <= 0.16"));
    let away = dvec3(0.6, -0.48, 0.64);
    let cells = |distance: f64, combine: bool| {
        let query = FieldQuery { combine, ..Default::default() };
        let pose = Pose::from_translation(away.normalize() * (0.8 + distance));
        let found = field_overlap(&a.at(Pose::IDENTITY), &b.at(pose), &query);
        assert_eq!(found.verdict, FieldVerdict::Free, "{distance} {combine} {found:?}");
        found.cells
    };
    assert!(cells(1e-3, true) * 5 < cells(1e-3, false));
    assert!(cells(1e-8, true) < 4 * cells(1e-3, true));
}

#[test]
fn scaling_by_a_power_of_two_changes_nothing() {
    for scale in [2f64.powi(-120), 2f64.powi(-20), 1.0, 2f64.powi(70)] {
        let sphere = noli_implicit::shapes::sphere(0.75).scaled(scale);
        let sphere = Field::new(&sphere);
        for (distance, free) in [(1e-7, true), (-1e-7, false)] {
            let pose = Pose::from_translation(dvec3(1.5 + distance, 0.0, 0.0) * scale);
            let verdict = ask(&sphere, Pose::IDENTITY, &sphere, pose).verdict;
            assert_eq!(verdict == FieldVerdict::Free, free, "{scale:e} {verdict:?}");
            assert!(!matches!(verdict, FieldVerdict::Unknown { .. }), "{scale:e} {verdict:?}");
        }
    }
}

#[test]
fn touching_is_never_called_free() {
    let sphere = field("x^2+y^2+z^2 <= 1");
    let touching = ask(&sphere, Pose::IDENTITY, &sphere, Pose::from_translation(dvec3(2.0, 0.0, 0.0)));
    assert_eq!(touching.verdict, FieldVerdict::Hit { point: dvec3(1.0, 0.0, 0.0) });
    let oblique = dvec3(2.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0);
    let touching = ask(&sphere, Pose::IDENTITY, &sphere, Pose::from_translation(oblique));
    assert!(touching.cells < 100_000);
    // Faces that coincide are decided by budget, not by waiting.
    let (left, right) =
        (field("max(abs(x+1), abs(y), abs(z)) <= 1"), field("max(abs(x-1), abs(y), abs(z)) <= 1"));
    let coincident = ask(&left, Pose::IDENTITY, &right, Pose::IDENTITY);
    assert_ne!(coincident.verdict, FieldVerdict::Free);
}

#[test]
fn nothing_and_everything_are_objects_too() {
    let (nothing, sphere) = (field("1"), field("x^2+y^2+z^2 <= 1"));
    let everything = field("0-1");
    assert_eq!(ask(&nothing, Pose::IDENTITY, &sphere, Pose::IDENTITY).verdict, FieldVerdict::Free);
    assert!(matches!(
        ask(&everything, Pose::IDENTITY, &sphere, Pose::IDENTITY).verdict,
        FieldVerdict::Hit { .. }
    ));
    assert!(!everything.is_bounded() && sphere.is_bounded() && nothing.bounds().is_empty());
    let bad = Pose::from_translation(dvec3(f64::NAN, 0.0, 0.0));
    assert!(matches!(ask(&sphere, bad, &sphere, Pose::IDENTITY).verdict, FieldVerdict::Unknown { .. }));
}

#[test]
fn bounds_are_found_and_tight() {
    let cases = [
        ("x^2+y^2+z^2 <= 1", 1.0),
        ("x^4-5*x^2+y^4-5*y^2+z^4-5*z^2+10", 2.33),
        ("(x-1000)^2+y^2+z^2 <= 1", 1001.0),
        ("x^2+y^2+z^2 <= 1e-40", 1e-20),
        ("x^2+y^2+z^2-9-sin(3*x)*sin(5*y)*sin(4*z)", 3.2),
    ];
    for (formula, reach) in cases {
        let bounds = field(formula).bounds();
        assert!(bounds.max.x >= reach * 0.9 && bounds.max.x <= reach * 1.3, "{formula} {bounds:?}");
    }
    assert!(!field("x^2 + y^2 <= 1").is_bounded());
    assert!(!field("x").is_bounded());
}

#[test]
fn verdicts_agree_with_dense_samples() {
    let formulas = [
        "x^2+y^2+z^2 <= 1",
        "max(abs(x), abs(y), abs(z)) <= 0.6",
        "(sqrt(x^2+y^2)-0.8)^2+z^2 <= 0.05",
        "min((x-0.5)^2+y^2+z^2-0.1, (x+0.5)^2+y^2+z^2-0.1)",
        "x^2+y^2+z^2-0.8+0.2*sin(5*x)*sin(6*y)*sin(7*z)",
        "x^2+y^2+z^2-0.5+0.4*noise(3*x,3*y,3*z)",
        "blend(sphere(0.5), move(cuboid(0.2,0.2,0.6), 0.4, 0, 0), 0.3)",
        "smooth_union(move(sphere(0.4), 0.3, 0.2, 0), torus(0.6, 0.2))",
    ];
    let fields = formulas.map(field);
    let mut rng = Random::new(5);
    let (mut free, mut hits) = (0, 0);
    for case in 0..96 {
        let (a, b) = (&fields[case % 8], &fields[case / 8 % 8]);
        let turn = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), rng.real());
        let pose = Pose::new(turn, rng.vector() * 1.4);
        let back = pose.inverse();
        let sampled = (0..3000).any(|_| {
            let p = rng.vector() * 1.3;
            a.value(p) <= 0.0 && b.value(back.transform_point(p)) <= 0.0
        });
        match ask(a, Pose::IDENTITY, b, pose).verdict {
            FieldVerdict::Free => {
                free += 1;
                assert!(!sampled, "a common point was sampled: case {case}");
            }
            FieldVerdict::Hit { point } => {
                hits += 1;
                assert_witness(a, Pose::IDENTITY, b, pose, point);
            }
            FieldVerdict::Unknown { within } => panic!("case {case}: {within:?}"),
        }
    }
    assert!(free > 10 && hits > 10, "{free} {hits}");
}
