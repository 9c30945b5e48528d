//! Clearances with known values.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Location, Options, clearance, relation, within_distance};
use noli_geom::{Bracket, Pose, Relation};
use noli_testing::Random;

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

#[test]
fn distances_in_closed_form() {
    let up = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::ZERO);
    let cases: Vec<(Brep, Brep, Pose, Pose, f64)> = vec![
        (Brep::sphere(1.0), Brep::sphere(2.0), Pose::IDENTITY, shift(3.0, 4.0, 0.0), 2.0),
        (Brep::sphere(1.0), Brep::block(DVec3::splat(2.0)), Pose::IDENTITY, shift(3.0, -1.0, -1.0), 2.0),
        (Brep::sphere(1.0), Brep::block(DVec3::splat(2.0)), Pose::IDENTITY, shift(3.0, 4.0, 0.0), 4.0),
        (Brep::cylinder(1.0, 10.0), Brep::cylinder(2.0, 10.0), Pose::IDENTITY, shift(5.0, 0.0, 0.0), 2.0),
        (Brep::cylinder(1.0, 10.0), Brep::cylinder(2.0, 10.0), Pose::IDENTITY, shift(3.0, 4.0, 4.0), 2.0),
        (
            Brep::cylinder(1.0, 10.0),
            Brep::cylinder(1.0, 10.0),
            Pose::IDENTITY,
            Pose { translation: DVec3::new(4.0, 5.0, 5.0), ..up },
            2.0,
        ),
        (Brep::torus(5.0, 1.0), Brep::sphere(1.0), Pose::IDENTITY, Pose::IDENTITY, 3.0),
        (Brep::torus(5.0, 1.0), Brep::sphere(1.0), Pose::IDENTITY, shift(5.0, 0.0, 4.0), 2.0),
        (Brep::cone(3.0, 0.0, 4.0), Brep::sphere(1.0), Pose::IDENTITY, shift(0.0, 0.0, 7.0), 2.0),
    ];
    for (k, (a, b, pa, pb, expected)) in cases.iter().enumerate() {
        let options = Options::default();
        {
            let found = clearance(a, b, pa, pb, &options);
            assert!(
                found.at_least <= expected + 1e-12 && *expected <= found.at_most + 1e-12,
                "{k}: {found:?} {expected}"
            );
            assert!(found.width() < 1e-7, "{k}: {found:?}");
            let reversed = clearance(b, a, pb, pa, &options);
            assert!((reversed.at_least - found.at_least).abs() < 1e-7, "{k}");
            assert_eq!(within_distance(a, b, pa, pb, expected - 1e-4, &options), Some(false), "{k}");
            assert_eq!(within_distance(a, b, pa, pb, expected + 1e-4, &options), Some(true), "{k}");
            assert_eq!(relation(a, b, pa, pb, &options).relation, Relation::Separated, "{k}");
        }
    }
}

/// The distance of samples of both surfaces is never below the bracket, and random small bodies overlap as samples tell.
#[test]
fn no_sample_contradicts_a_verdict() {
    let mut random = Random::new(5);
    let make = |random: &mut Random| -> Brep {
        let mut size = || random.between(0.3, 1.5);
        let (a, b, c) = (size(), size(), size());
        match random.index(5) {
            0 => Brep::sphere(a),
            1 => Brep::cylinder(a, b),
            2 => Brep::cone(a, b, c),
            3 => Brep::torus(a + 0.3, 0.3 * a),
            _ => Brep::block(DVec3::new(a, b, c)),
        }
    };
    let pose = |random: &mut Random, far: f64| {
        let q = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
        Pose::new(q, random.vector() * far)
    };
    let mut counts = [0; 4];
    // Intersections at rims alone may stay uncertain; among these pairs there is none.
    for round in 0..100 {
        let (a, b) = (make(&mut random), make(&mut random));
        let (pa, pb) = (pose(&mut random, 1.0), pose(&mut random, 3.0));
        let found = relation(&a, &b, &pa, &pb, &Options::default());
        assert!(found.is_certain, "{round}: {} {} {found:?}", a.name(), b.name());
        counts[found.relation as usize] += 1;
        let mut inside = false;
        for (x, y, px, py) in [(&a, &b, &pa, &pb), (&b, &a, &pb, &pa)] {
            let (mesh, deviation) = x.tessellated(0.01).unwrap();
            for &v in mesh.vertices().iter().step_by(3) {
                let p = py.inverse().transform_point(px.transform_point(v));
                let distance = y.distance_to_surface(p, 1e-6, 500);
                if found.relation == Relation::Separated {
                    assert!(distance.at_most >= found.clearance.at_least - 1e-9, "{round}");
                    assert_ne!(y.locate(p), Location::Inside, "{round} {}", y.name());
                }
                inside |= distance.at_least > 1e-3 && y.locate(p) == Location::Inside;
            }
            assert!(deviation <= 0.05, "{deviation}");
        }
        if inside {
            assert!(matches!(found.relation, Relation::Intersecting | Relation::Inside), "{round}");
        }
    }
    assert!(counts[0] > 5 && counts[2] > 5, "{counts:?}");
}

/// Two crossed pairs of cylinders and two that miss each other, as in a known fault of another kernel.
#[test]
fn crossed_cylinders() {
    let body = Brep::cylinder(0.5, 10.0);
    let turned = |angle: f64, y: f64| {
        Pose::new(DQuat::from_rotation_x(angle), DVec3::new(0.0, y, 5.0)) * shift(0.0, 0.0, -5.0)
    };
    for (angle, offset, overlaps) in [(0.3, 0.0, true), (1.2, 0.0, true), (0.01, 0.0, true)] {
        let found = relation(&body, &body, &Pose::IDENTITY, &turned(angle, offset), &Options::default());
        assert_eq!(found.relation.overlaps(), overlaps, "{angle}: {found:?}");
        assert_eq!(
            clearance(&body, &body, &Pose::IDENTITY, &turned(angle, offset), &Options::default()).at_most,
            0.0
        );
        let beside = shift(1.25, 0.0, 0.0) * turned(angle, offset);
        let found = relation(&body, &body, &Pose::IDENTITY, &beside, &Options::default());
        assert_eq!(found.relation, Relation::Separated);
        assert!((found.clearance.at_least - 0.25).abs() < 1e-6, "{angle}: {found:?}");
    }
}

#[test]
fn points_are_located() {
    let mut random = Random::new(8);
    let bush = Brep::bush(1.0, 2.0, 3.0);
    let ring = Brep::torus(2.0, 0.5);
    for _ in 0..500 {
        let p = random.vector() * 3.0;
        let r = p.x.hypot(p.y);
        let inside = r > 1.0 && r < 2.0 && p.z > 0.0 && p.z < 3.0;
        assert_eq!(bush.locate(p), if inside { Location::Inside } else { Location::Outside }, "{p}");
        let inside = (r - 2.0).hypot(p.z) < 0.5;
        assert_eq!(ring.locate(p), if inside { Location::Inside } else { Location::Outside }, "{p}");
    }
}

/// Meshes of closed bodies are closed, and converge to the volume.
#[test]
fn tessellations_are_closed() {
    use std::f64::consts::PI;
    let bodies = [
        (Brep::cylinder(2.0, 3.0), 12.0 * PI),
        (Brep::bush(1.0, 2.0, 3.0), 9.0 * PI),
        (Brep::cone(2.0, 1.0, 3.0), 7.0 * PI),
        (Brep::cone(2.0, 0.0, 3.0), 4.0 * PI),
        (Brep::sphere(1.5), 4.5 * PI),
        (Brep::torus(3.0, 1.0), 6.0 * PI * PI),
        (Brep::block(DVec3::new(1.0, 2.0, 3.0)), 6.0),
    ];
    for (body, volume) in bodies {
        let (mesh, deviation) = body.tessellated(5e-3).unwrap();
        assert_eq!(mesh.report().flaw(), None, "{}: {:?}", body.name(), mesh.report());
        assert!(
            (mesh.signed_volume() - volume).abs() < 0.02 * volume,
            "{}: {} {volume}",
            body.name(),
            mesh.signed_volume()
        );
        assert!(deviation < 0.05, "{}: {deviation}", body.name());
    }
}

/// Triangles next to the chord of a hole reach into it.
#[test]
fn points_over_a_hole_are_as_far_as_its_rim() {
    let mut random = Random::new(38);
    // Of lengths about 1, in which rounding is a ten-thousandth of this.
    const ROUNDING: f64 = 1e-12;
    let holds = |found: Bracket, expected: f64| {
        let [low, high] = [found.at_least - ROUNDING, found.at_most + ROUNDING];
        assert!(low <= expected && expected <= high, "{found:?} {expected}");
    };
    let (options, sphere) = (Options::default(), Brep::sphere(1e-3));
    for k in 0..24 {
        let inner = 0.3 + 0.67 * random.unit();
        let bush = Brep::bush(inner, 1.0, 0.2);
        for _ in 0..3 {
            let (angle, r) = (6.3 * random.unit(), inner + 0.06 * (random.unit() - 0.7));
            let dz = [0.3, 0.02, 0.004][k % 3] * (0.5 + random.unit());
            let point = DVec3::new(r * angle.cos(), r * angle.sin(), 0.2 + dz);
            let expected = (inner - r).max(r - 1.0).max(0.0).hypot(dz);
            holds(bush.distance_to_surface(point, 1e-9, 20_000), expected);
            if expected < 2e-3 {
                continue;
            }
            let found = clearance(&bush, &sphere, &Pose::IDENTITY, &Pose::from_translation(point), &options);
            holds(found, expected - 1e-3);
            assert!(found.width() < 1e-3, "{found:?} {expected}");
        }
    }
}

/// The search ends on triangles of a billionth of their distance, whose nearest points rounding once put anywhere: 3.775 in
/// place of 6.467. The lengths of the quaternions vary the rounding.
#[test]
fn tiny_triangles_do_not_bring_a_sphere_nearer_to_a_torus() {
    let (minor, major, radius) = (0.3532258876738153, 1.4774196255793843, 0.4419067809881853);
    let [sphere, torus] = [Brep::sphere(radius), Brep::torus(major, minor)];
    let pose = |scale: f64, [x, y, z, w]: [f64; 4], at: [f64; 3]| {
        Pose::new(DQuat::from_xyzw(x, y, z, w) * scale, DVec3::from(at))
    };
    let turns = [
        [-0.7166772241255686, 0.46913256231006334, 0.23717220703852454, -0.45829874493450135],
        [0.6097772399195193, -0.611978354747388, -0.498383396266913, 0.07258237611342082],
    ];
    let places = [
        [-2.1210404878209617, 0.23996223129419078, -2.157068269822643],
        [3.442668260344686, -3.083098310468568, 1.1232826965400353],
    ];
    for scales in (0..30).map(|k| [0.1f64.powi(k % 5), [1.0, 0.5, 0.1, 1e-2, 1e-3, 2.0][k as usize / 5]]) {
        let [at, place] = [0, 1].map(|k| pose(scales[k], turns[k], places[k]));
        let center = place.inverse().transform_point(at.translation);
        let exact = (center.truncate().length() - major).hypot(center.z) - minor - radius;
        let found = clearance(&sphere, &torus, &at, &place, &Options::default());
        // Rounding of the closed form itself.
        let slack = 1e-14 * exact;
        assert!(found.at_least <= exact + slack && exact - slack <= found.at_most, "{scales:?}: {found:?}");
        assert!(found.at_most - found.at_least < 1e-7 * exact, "{scales:?}: {found:?}");
    }
}
