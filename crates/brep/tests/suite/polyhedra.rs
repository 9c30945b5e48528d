//! Solids given by meshes and by primitives, against the same ones given by their faces.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, relation, time_of_impact};
use noli_geom::{Convex, Mesh, Pose, Relation, RigidMotion, Still};
use noli_testing::Random;

fn pose(random: &mut Random, far: f64) -> Pose {
    let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
    Pose::new(turn, random.vector() * far)
}

/// A block of six faces and its mesh have the same relations to curved bodies, and brackets that overlap.
#[test]
fn meshes_agree_with_faces() {
    let size = DVec3::new(1.0, 0.8, 1.3);
    let (faces, options) = (Brep::block(size), Options::default());
    let mesh = Brep::polyhedron("block", &Mesh::cuboid(size).unwrap(), 1.0).unwrap();
    let others = [
        Brep::cylinder(0.7, 1.5),
        Brep::cone(0.9, 0.0, 1.0),
        Brep::torus(1.0, 0.3),
        Brep::bush(0.4, 0.9, 1.0),
    ];
    let mut random = Random::new(61);
    let mut counts = [0; 3];
    for round in 0..160 {
        let (other, at) = (&others[round % 4], pose(&mut random, [0.8, 1.6][round / 4 % 2]));
        let place = pose(&mut random, 0.5);
        let corner = place * Pose::from_translation(-0.5 * size);
        let by_faces = relation(&faces, other, &corner, &at, &options);
        let by_mesh = relation(&mesh, other, &place, &at, &options);
        assert!(by_faces.is_certain && by_mesh.is_certain, "{round}: {by_mesh:?}");
        assert_eq!(by_faces.relation, by_mesh.relation, "{round}");
        let (x, y) = (by_faces.clearance, by_mesh.clearance);
        assert!(x.at_least <= y.at_most && y.at_least <= x.at_most, "{round}: {x:?} {y:?}");
        assert!(y.at_most - y.at_least <= 1e-7, "{round}: {y:?}");
        counts[match by_mesh.relation {
            Relation::Separated => 0,
            Relation::Intersecting => 1,
            _ => 2,
        }] += 1;
    }
    assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
}

/// A square pin, turned by an eighth of a turn, and a round one in a hole: its play, and its draw along and across.
#[test]
fn pins_are_drawn_from_holes() {
    let options = Options::default();
    let bush = Brep::bush(8.0, 16.0, 20.0);
    let half = 8.0 / 2f64.sqrt();
    for (unit, play) in [(1.0, 0.0075), (1e-3, 0.0075), (1.0, 1e-3)] {
        let edge = 2.0 * (half - play / 2f64.sqrt());
        let square = Mesh::cuboid(DVec3::new(edge, edge, 40.0) * unit).unwrap();
        let round = Convex::cylinder(40.0 * unit, (8.0 - play) * unit).unwrap();
        let pins = [Brep::polyhedron("pin", &square, unit).unwrap(), Brep::of_convex(&round, unit).unwrap()];
        for pin in pins {
            let found = relation(&bush, &pin, &Pose::IDENTITY, &Pose::IDENTITY, &options);
            assert_eq!((found.relation, found.is_certain), (Relation::Separated, true), "{found:?}");
            assert!(found.clearance.at_least <= play + 1e-12 && found.clearance.at_most >= play - 1e-12);
            assert!((found.clearance.at_least - play).abs() < 1e-7, "{play}: {found:?}");
            let shifted = |shift: DVec3| {
                RigidMotion::between(&Pose::IDENTITY, &Pose::from_translation(shift), DVec3::ZERO)
            };
            let rest = Still(Pose::IDENTITY);
            let out = time_of_impact(&bush, &pin, [&rest, &shifted(DVec3::Z * 60.0)], 0.0, &options);
            assert!(out.safe_until == 1.0 && out.touching_by.is_none(), "{play}: {out:?}");
            // Along the diagonal of the square, and along a radius.
            let across = DVec3::new(1.0, 1.0, 0.0).normalize() * (10.0 * play);
            let hit = time_of_impact(&bush, &pin, [&rest, &shifted(across)], 0.0, &options);
            assert!(hit.safe_until <= 0.1 + 1e-9 && hit.touching_by.is_some(), "{play}: {hit:?}");
        }
    }
}

/// Primitives about the origin have the faces of the bodies that are given by their ends.
#[test]
fn convex_bodies_are_revolved() {
    let height = DVec3::Z * 1.5;
    let of = |convex: Convex| Brep::of_convex(&convex, 1.0).unwrap();
    for (centred, standing, shift) in [
        (of(Convex::sphere(0.7).unwrap()), Brep::sphere(0.7), DVec3::ZERO),
        (of(Convex::cylinder(3.0, 0.7).unwrap()), Brep::cylinder(0.7, 3.0), height),
        (of(Convex::cone(3.0, 0.7).unwrap()), Brep::cone(0.7, 0.0, 3.0), height),
    ] {
        let bounds = [centred.bounds(), standing.bounds()];
        assert!((bounds[0].min + shift).distance(bounds[1].min) < 1e-9, "{bounds:?}");
        assert!((bounds[0].max + shift).distance(bounds[1].max) < 1e-9, "{bounds:?}");
        assert_eq!(centred.kinds(), standing.kinds());
    }
    assert!(Brep::of_convex(&Convex::capsule(1.0, 0.2).unwrap(), 1.0).is_none());
}
