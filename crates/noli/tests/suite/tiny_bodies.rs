//! Depths and volumes of bodies so small that squares and cubes of their lengths underflow.

use crate::common::{merged, mesh, shift};
use glam::DVec3;
use noli::answer::Bracket;
use noli::penetration::{PenetrationQuery, VolumeQuery, overlap_volume, penetration, penetration_along};
use noli::{Convex, Model, Placed, Pose, contact};
use noli_scenes::TriangleSet;

/// Exponents of the sizes; squares underflow below about -537, cubes below about -358.
const EXPONENTS: [i32; 9] = [250, 0, -30, -180, -210, -340, -500, -700, -996];

fn cube(low: f64, high: f64) -> TriangleSet {
    let mut set = noli_scenes::cuboid(DVec3::splat(0.5 * (high - low)));
    set.vertices.iter_mut().for_each(|vertex| *vertex += DVec3::splat(0.5 * (low + high)));
    set
}

/// A cube from 0 to 10 with a cavity from 3 to 7, and a cube from 1 to 2 in its wall.
fn cavity_and_guest() -> [Model; 2] {
    let mut cavity = cube(3.0, 7.0);
    cavity.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    [merged([cube(0.0, 10.0), cavity]), cube(1.0, 2.0)].map(|set| Model::from(mesh(set).into_solid()))
}

fn scaled(models: &[Model; 2], exponent: i32) -> [Model; 2] {
    models.each_ref().map(|model| model.scaled(2f64.powi(exponent)).unwrap())
}

/// Checks a bracket of the unscaled length or volume `truth`, `power` times scaled; cubes may underflow.
fn assert_holds(found: Bracket, truth: f64, (exponent, power): (i32, i32), width: f64) {
    let place = format!("2^{exponent}: {found:?} of {truth}");
    // Scaled back step by step: the factor itself may be out of range.
    let back =
        |x: f64| (0..power).fold(x, |x, _| x * 2f64.powi(-exponent / 2) * 2f64.powi(exponent / 2 - exponent));
    assert!(back(found.at_least) <= truth, "{place}");
    assert!(found.at_most > 0.0 && back(found.at_most) >= truth, "{place}");
    if exponent * power > -1000 {
        assert!(back(found.at_most) - back(found.at_least) <= width * truth, "{place}");
    }
}

#[test]
fn depths_hold_at_every_scale() {
    let models = cavity_and_guest();
    for exponent in EXPONENTS {
        let [a, b] = scaled(&models, exponent);
        // Enlarged bodies are measured at one place, wherever that is.
        let far = if exponent < -200 { shift(1e-3, 2.0, -5.0) } else { Pose::IDENTITY };
        for pose in [Pose::IDENTITY, far] {
            let (a, b) = (a.at(pose), b.at(pose));
            for (x, y) in [(&a, &b), (&b, &a)] {
                let found = penetration(x, y, &PenetrationQuery::FAST);
                assert_holds(found.depth, 2.0, (exponent, 1), 0.3);
                assert!(found.direction.is_some(), "2^{exponent}");
            }
        }
        let along = |direction| {
            penetration_along(
                &a.at(Pose::IDENTITY),
                &b.at(Pose::IDENTITY),
                direction,
                &PenetrationQuery::FAST,
            )
        };
        assert_holds(along(-DVec3::X), 2.0, (exponent, 1), 1e-6);
        assert_holds(along(DVec3::X), 9.0, (exponent, 1), 1e-6);
    }
}

#[test]
fn volumes_hold_at_every_scale() {
    let models = cavity_and_guest();
    for exponent in EXPONENTS.into_iter().filter(|exponent| *exponent < 250) {
        let [a, b] = scaled(&models, exponent);
        let volume = |a: &Placed<'_>, b: &Placed<'_>| overlap_volume(a, b, &VolumeQuery::FAST);
        let found = volume(&a.at(Pose::IDENTITY), &b.at(Pose::IDENTITY));
        assert_holds(found, 1.0, (exponent, 3), 1e-6);
    }
}

#[test]
fn contacts_of_convex_bodies_hold_at_every_scale() {
    let cuboid = Model::from(Convex::cuboid(DVec3::new(2.0, 4.0, 6.0)).unwrap());
    let drum = Model::from(Convex::cylinder(3.0, 1.0).unwrap());
    let models = [cuboid, drum];
    for exponent in EXPONENTS {
        let [a, b] = scaled(&models, exponent);
        let at = Pose::from_translation(DVec3::X * 1.5 * 2f64.powi(exponent));
        let found = contact(&a.at(Pose::IDENTITY), &b.at(at)).hit().expect("they overlap");
        assert_holds(found.depth, 0.5, (exponent, 1), 1e-6);
        assert!(found.normal.abs_diff_eq(DVec3::X, 1e-6), "2^{exponent}: {found:?}");
        let on = [found.on_a.point.x, found.on_b.point.x]
            .map(|x| x * 2f64.powi(-exponent / 2) * 2f64.powi(exponent / 2 - exponent));
        assert!((on[0] - 1.0).abs() < 1e-9 && (on[1] - 0.5).abs() < 1e-9, "2^{exponent}: {on:?}");
    }
}
