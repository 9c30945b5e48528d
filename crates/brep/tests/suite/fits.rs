//! Pins in holes, shafts in bearings, cones on seats, spheres in cups, rings in grooves.

use glam::{DQuat, DVec2, DVec3};
use noli_brep::{Brep, Options, ProfilePiece, relation};
use noli_geom::{Bracket, Pose, Relation};
use noli_testing::{Random, for_all};

/// A body and what encloses it with a radial clearance; negative is an interference.
type Kind = (&'static str, fn(f64) -> (Brep, Brep));

fn lines(name: &str, points: &[[f64; 2]]) -> Brep {
    let pieces: Vec<ProfilePiece> = points.iter().map(|&p| ProfilePiece::Line(p.into())).collect();
    Brep::revolved(name, &pieces).unwrap()
}

fn pin_and_hole(clearance: f64) -> (Brep, Brep) {
    (Brep::cylinder(8.0, 30.0), Brep::bush(8.0 + clearance, 16.0, 20.0))
}

/// A shaft with a shoulder that stays clear of the bearing.
fn shaft_and_bearing(clearance: f64) -> (Brep, Brep) {
    let r = 5.0 - clearance;
    let shaft = lines("shaft", &[[0.0, -4.0], [7.0, -4.0], [7.0, -1.0], [r, -1.0], [r, 20.0], [0.0, 20.0]]);
    (shaft, Brep::bush(5.0, 9.0, 12.0))
}

/// A flange that rests on the bearing: touching at least.
fn flange_and_bearing(clearance: f64) -> (Brep, Brep) {
    let r = 5.0 - clearance;
    let shaft = lines("shaft", &[[0.0, -4.0], [7.0, -4.0], [7.0, 0.0], [r, 0.0], [r, 20.0], [0.0, 20.0]]);
    (shaft, Brep::bush(5.0, 9.0, 12.0))
}

/// A cone of slope 3/4, moved across its generatrix.
fn cone_and_seat(clearance: f64) -> (Brep, Brep) {
    let seat = lines("seat", &[[3.0, 0.0], [20.0, 0.0], [20.0, 8.0], [9.0, 8.0]]);
    let lift = clearance / 0.6f64;
    let plug = lines("plug", &[[0.0, 1.0 + lift], [3.75, 1.0 + lift], [9.75, 9.0 + lift], [0.0, 9.0 + lift]]);
    (plug, seat)
}

fn sphere_and_cup(clearance: f64) -> (Brep, Brep) {
    let r = 6.0 + clearance;
    let rim = DVec2::new(r, 0.0);
    let profile = [
        ProfilePiece::Line(DVec2::new(0.0, -10.0)),
        ProfilePiece::Line(DVec2::new(10.0, -10.0)),
        ProfilePiece::Line(DVec2::new(10.0, 0.0)),
        ProfilePiece::Arc(rim, DVec2::ZERO, false),
        ProfilePiece::Line(DVec2::new(0.0, -r)),
    ];
    (Brep::sphere(6.0), Brep::revolved("cup", &profile).unwrap())
}

fn ring_and_groove(clearance: f64) -> (Brep, Brep) {
    let r = 1.5 + clearance;
    let profile = [
        ProfilePiece::Line(DVec2::new(6.0, -4.0)),
        ProfilePiece::Line(DVec2::new(14.0, -4.0)),
        ProfilePiece::Line(DVec2::new(14.0, 0.0)),
        ProfilePiece::Arc(DVec2::new(10.0 + r, 0.0), DVec2::new(10.0, 0.0), false),
        ProfilePiece::Line(DVec2::new(10.0 - r, 0.0)),
        ProfilePiece::Line(DVec2::new(6.0, 0.0)),
    ];
    (Brep::torus(10.0, 1.5), Brep::revolved("groove", &profile).unwrap())
}

const KINDS: [Kind; 5] = [
    ("pin and hole", pin_and_hole),
    ("shaft and bearing", shaft_and_bearing),
    ("cone and seat", cone_and_seat),
    ("sphere and cup", sphere_and_cup),
    ("ring and groove", ring_and_groove),
];

fn clearances() -> Vec<f64> {
    let sizes = (1..=6).map(|k| 10f64.powi(-k));
    sizes.flat_map(|c| [c, -c]).chain([0.0]).collect()
}

fn expected(clearance: f64) -> Relation {
    if clearance > 0.0 {
        Relation::Separated
    } else if clearance < 0.0 {
        Relation::Intersecting
    } else {
        Relation::Touching
    }
}

/// 1,040 fits at exact and inexact poses: no verdict is wrong, none is uncertain.
#[test]
fn a_thousand_fits_are_told_apart() {
    check_fits(16);
}

fn check_fits(rounds: usize) {
    let mut random = Random::new(38);
    let mut cases = Vec::new();
    for kind in KINDS {
        for clearance in clearances() {
            for round in 0..rounds {
                let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
                let pose = match round {
                    0 => Pose::IDENTITY,
                    1 => Pose::from_translation(random.grid(64)),
                    _ => Pose::new(turn, random.vector() * 50.0),
                };
                cases.push((kind, clearance, pose));
            }
        }
    }
    for_all(&cases, |((name, make), clearance, pose)| {
        let (inner, outer) = make(*clearance);
        let found = relation(&inner, &outer, pose, pose, &Options::default());
        assert_eq!(found.relation, expected(*clearance), "{name} {clearance:e} {pose:?}: {found:?}");
        assert!(found.is_certain, "{name} {clearance:e} {pose:?}: {found:?}");
        let fit = found.fits.first().unwrap_or_else(|| panic!("{name} {clearance:e}: no fit"));
        assert!((fit.clearance - clearance).abs() < 1e-9, "{name} {clearance:e}: {fit:?}");
        if *clearance > 0.0 {
            let bracket = found.clearance;
            assert!(
                bracket.at_least <= clearance + 1e-9 && bracket.at_most >= clearance - 1e-9,
                "{name} {clearance:e}: {bracket:?}"
            );
        }
    });
}

/// The same with a pose of its own for each body, equal up to rounding.
#[test]
fn inexact_relative_poses_do_not_change_the_verdict() {
    let mut random = Random::new(39);
    let cases: Vec<(Kind, f64, Pose, Pose)> = KINDS
        .iter()
        .flat_map(|&kind| clearances().into_iter().map(move |c| (kind, c)))
        .map(|(kind, clearance)| {
            let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
            let shift = random.vector() * 50.0;
            (kind, clearance, Pose::new(turn, shift), Pose::new(turn * 3.0, shift))
        })
        .collect();
    for_all(&cases, |((name, make), clearance, a, b)| {
        let (inner, outer) = make(*clearance);
        for (x, y) in [(&inner, &outer), (&outer, &inner)] {
            let found = relation(x, y, a, b, &Options::default());
            assert_eq!(found.relation, expected(*clearance), "{name} {clearance:e}: {found:?}");
        }
    });
}

#[test]
fn a_flange_rests_on_its_seat() {
    for clearance in [0.0, 1e-3] {
        let (shaft, bearing) = flange_and_bearing(clearance);
        let found = relation(&shaft, &bearing, &Pose::IDENTITY, &Pose::IDENTITY, &Options::default());
        assert_eq!(found.relation, Relation::Touching, "{found:?}");
        assert!(found.is_certain);
        let lifted = Pose::from_translation(DVec3::new(0.0, 0.0, 1e-5));
        let found = relation(&shaft, &bearing, &lifted, &Pose::IDENTITY, &Options::default());
        assert_eq!(found.relation, Relation::Intersecting, "{found:?}");
    }
}

/// A shaft with 0.0075 mm of play is separated by just that, and the fit names both faces.
#[test]
fn a_shaft_has_its_play() {
    let (pin, bush) = pin_and_hole(0.0075);
    let found = relation(&pin, &bush, &Pose::IDENTITY, &Pose::IDENTITY, &Options::default());
    assert_eq!(found.relation, Relation::Separated);
    assert!((found.clearance.at_least - 0.0075).abs() < 1e-11, "{found:?}");
    assert!((found.clearance.at_most - 0.0075).abs() < 1e-7, "{found:?}");
    let fit = &found.fits[0];
    assert_eq!(
        (pin.face_name(fit.face_a), bush.face_name(fit.face_b)),
        ("shaft".to_owned(), "hole".to_owned())
    );
}

/// Parallel axes at a distance: the least clearance is the radial one less that distance, however small. The fit keeps the
/// radial clearance, of which a separated pair has no negative one.
#[test]
fn eccentric_shafts_have_their_clearance() {
    let (radius, bore, width) = (10.0, 10.5, 60.0);
    let (shaft, bush) = (Brep::cylinder(radius, width), Brep::bush(bore, 20.0, 40.0));
    for gap in [0.3, 1e-2, 1e-4, 1e-5, 3e-6, 1e-6, 1e-7] {
        let offset = bore - radius - gap;
        for angle in [0.0, 0.3, 2.0] {
            let place =
                Pose::from_translation(DVec3::new(offset * f64::cos(angle), offset * f64::sin(angle), -10.0));
            for turn in [DQuat::IDENTITY, DQuat::from_rotation_x(0.7)] {
                let world = Pose::new(turn, DVec3::ZERO);
                let found = relation(&shaft, &bush, &(world * place), &world, &Options::default());
                let expected = Relation::Separated;
                assert_eq!(
                    (found.relation, found.is_certain),
                    (expected, true),
                    "{gap:e} {angle}: {found:?}"
                );
                let Bracket { at_least, at_most } = found.clearance;
                assert!(at_least <= gap + 1e-11 && at_most >= gap - 1e-11, "{gap:e} {angle}: {found:?}");
                assert!(at_most - at_least < 1e-7, "{gap:e} {angle}: {found:?}");
                let fit = &found.fits[0];
                assert!((fit.clearance - 0.5).abs() < 1e-12, "{gap:e} {angle}: {found:?}");
                assert!(
                    (fit.offset - offset).abs() < 1e-9 && (fit.least_clearance() - gap).abs() < 1e-9,
                    "{fit:?}"
                );
            }
        }
    }
    // In contact along a line, and deeper.
    for (overlap, expected) in
        [(0.0, Relation::Touching), (1e-6, Relation::Intersecting), (1e-2, Relation::Intersecting)]
    {
        let place = Pose::from_translation(DVec3::new(bore - radius + overlap, 0.0, -10.0));
        let found = relation(&shaft, &bush, &place, &Pose::IDENTITY, &Options::default());
        assert!(!found.is_certain || found.relation == expected, "{overlap:e}: {found:?}");
        assert_ne!(found.relation, Relation::Separated, "{overlap:e}: {found:?}");
    }
    // Beside each other, or one above the other, they are no fit.
    for shift in [DVec3::X * 32.0, DVec3::Z * 45.0] {
        let place = Pose::from_translation(shift);
        let found = relation(&shaft, &bush, &place, &Pose::IDENTITY, &Options::default());
        assert_eq!((found.relation, found.fits.len()), (Relation::Separated, 0), "{found:?}");
    }
}

/// Flush faces of bodies that overlap are no mere contact.
#[test]
fn flush_bodies_intersect() {
    let block = Brep::block(DVec3::new(2.0, 3.0, 4.0));
    for shift in [DVec3::ZERO, DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 1.0, 0.0)] {
        let found =
            relation(&block, &block, &Pose::IDENTITY, &Pose::from_translation(shift), &Options::default());
        assert_eq!(found.relation, Relation::Intersecting, "{shift}: {found:?}");
    }
    let beside = Pose::from_translation(DVec3::new(2.0, 1.0, 0.0));
    let found = relation(&block, &block, &Pose::IDENTITY, &beside, &Options::default());
    assert_eq!((found.relation, found.is_certain), (Relation::Touching, true), "{found:?}");
    let inside = Brep::sphere(0.5);
    let found = relation(
        &block,
        &inside,
        &Pose::IDENTITY,
        &Pose::from_translation(DVec3::splat(1.2)),
        &Options::default(),
    );
    assert_eq!(found.relation, Relation::Inside, "{found:?}");
}
