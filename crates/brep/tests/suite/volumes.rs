//! Boxes against spheres: the fast search and its oracle agree.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, Volumes, overlap, relation, step, within_distance};
use noli_geom::{Pose, Relation};
use noli_testing::{Random, for_all};
use std::sync::Mutex;

/// Verdicts are the same where both are certain, brackets overlap, and `overlap` agrees with the relation. Returns the
/// relation.
fn compare(a: &Brep, b: &Brep, pa: &Pose, pb: &Pose, case: &str) -> Relation {
    let spheres = Options {
        volumes: Volumes::Spheres,
        precision: Some(1e-6 * a.size().max(b.size())),
        ..Options::default()
    };
    let boxes = Options { volumes: Volumes::Boxes, ..spheres };
    let (slow, fast) = (relation(a, b, pa, pb, &spheres), relation(a, b, pa, pb, &boxes));
    assert!(fast.is_certain || !slow.is_certain, "{case}: {slow:?} {fast:?}");
    if slow.is_certain {
        assert_eq!(slow.relation, fast.relation, "{case}: {slow:?} {fast:?}");
    }
    let (x, y) = (slow.clearance, fast.clearance);
    assert!(x.at_least <= y.at_most && y.at_least <= x.at_most, "{case}: {slow:?} {fast:?}");
    if let (Some(x), Some(y)) = (slow.interference, fast.interference) {
        assert!(x.at_least <= y.at_most && y.at_least <= x.at_most, "{case}: {slow:?} {fast:?}");
    }
    if let (true, Some(found)) = (fast.is_certain, overlap(a, b, pa, pb, &boxes)) {
        assert_eq!(found, fast.relation.overlaps(), "{case}: {fast:?}");
    }
    if fast.relation == Relation::Separated && fast.is_certain {
        let beyond = 0.999 * fast.clearance.at_least;
        assert_ne!(within_distance(a, b, pa, pb, beyond, &boxes), Some(true), "{case}: {fast:?}");
        assert_ne!(
            within_distance(a, b, pa, pb, 1.001 * fast.clearance.at_most, &boxes),
            Some(false),
            "{case}"
        );
    }
    fast.relation
}

fn pose(random: &mut Random, far: f64) -> Pose {
    let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
    Pose::new(turn, random.vector() * far)
}

#[test]
fn boxes_agree_with_spheres_on_primitives() {
    let bodies = [
        Brep::sphere(1.0),
        Brep::cylinder(0.7, 1.5),
        Brep::cone(0.9, 0.4, 1.0),
        Brep::torus(1.0, 0.3),
        Brep::bush(0.6, 0.9, 1.2),
        Brep::block(DVec3::new(1.0, 0.8, 1.3)),
    ];
    let mut random = Random::new(20);
    let cases: Vec<_> = (0..144)
        .map(|k| (k, pose(&mut random, 1.0), pose(&mut random, [1.0, 2.0, 3.0][k / 6 % 3])))
        .collect();
    let found = Mutex::new([0; 4]);
    for_all(&cases, |(k, pa, pb)| {
        let relation = compare(&bodies[k % 6], &bodies[k / 6 % 6], pa, pb, &format!("{k}"));
        found.lock().unwrap()[relation as usize] += 1;
    });
    let found = found.into_inner().unwrap();
    assert!(
        found[Relation::Separated as usize] > 20 && found[Relation::Intersecting as usize] > 20,
        "{found:?}"
    );
}

/// Pins in holes, from loose to tight.
#[test]
fn boxes_agree_with_spheres_on_fits() {
    let sizes = (1..=6).map(|k| 10f64.powi(-k));
    let clearances: Vec<f64> = sizes.flat_map(|c| [c, -c]).chain([0.0]).collect();
    let turn = Pose::new(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7), DVec3::new(3.0, -7.0, 11.0));
    for_all(&clearances, |&clearance| {
        let (pin, bush) = (Brep::cylinder(8.0, 30.0), Brep::bush(8.0 + clearance, 16.0, 20.0));
        for pose in [Pose::IDENTITY, turn] {
            let relation = compare(&pin, &bush, &pose, &pose, &format!("{clearance:e}"));
            assert_eq!(relation == Relation::Separated, clearance > 0.0, "{clearance:e}");
        }
    });
}

/// A part of 96 faces, separated and in contact.
#[test]
fn boxes_agree_with_spheres_on_a_part() {
    let Some(folder) = noli_testing::data("cad/step") else { return };
    let file = step::read(&std::fs::read(folder.join("featuretype.STEP")).unwrap()).unwrap();
    let body = &file.parts[0].body;
    let mut random = Random::new(21);
    let far = |k: usize| [0.3, 0.6, 1.2][k % 3] * body.size();
    let cases: Vec<(usize, Pose, Pose)> =
        (0..18).map(|k| (k, pose(&mut random, 0.3 * body.size()), pose(&mut random, far(k)))).collect();
    let found = Mutex::new([0; 4]);
    for_all(&cases, |(k, pa, pb)| {
        let relation = compare(body, body, pa, pb, &format!("{k}"));
        found.lock().unwrap()[relation as usize] += 1;
    });
    let found = found.into_inner().unwrap();
    assert!(
        found[Relation::Separated as usize] > 3 && found[Relation::Intersecting as usize] > 3,
        "{found:?}"
    );
}
