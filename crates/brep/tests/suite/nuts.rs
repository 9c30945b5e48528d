//! Nuts on bolts: holes in planes whose rims consist of several arcs, as files have them.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Curve, Edge, FaceSpec, Frame, Options, Surface, relation};
use noli_geom::{Pose, Relation};
use noli_testing::Random;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const HEIGHT: f64 = 3.0;

/// A square nut whose hole consists of two half cylinders that are joined at an angle.
fn nut(radius: f64, turn: f64) -> Brep {
    let at = |k: usize, z: f64| {
        let (sin, cos) = (FRAC_PI_4 + FRAC_PI_2 * k as f64).sin_cos();
        DVec3::new(12.0 * cos, 12.0 * sin, z)
    };
    let line = |from: DVec3, to: DVec3| Edge {
        curve: Curve::Line { origin: from, direction: to - from },
        from: 0.0,
        to: 1.0,
    };
    let x = DVec3::new(turn.cos(), turn.sin(), 0.0);
    let frame = |z: f64| Frame::new(DVec3::new(0.0, 0.0, z), DVec3::Z, Some(x)).unwrap();
    let arc = |z: f64, j: usize| Edge {
        curve: Curve::Circle { frame: frame(z), radius },
        from: PI * j as f64,
        to: PI * (j + 1) as f64,
    };
    let mut edges: Vec<Edge> = Vec::new();
    edges.extend((0..4).map(|k| line(at(k, 0.0), at(k + 1, 0.0))));
    edges.extend((0..4).map(|k| line(at(k, HEIGHT), at(k + 1, HEIGHT))));
    edges.extend((0..4).map(|k| line(at(k, 0.0), at(k, HEIGHT))));
    edges.extend((0..2).map(|j| arc(0.0, j)));
    edges.extend((0..2).map(|j| arc(HEIGHT, j)));
    edges.extend([x, -x].map(|side| line(side * radius, side * radius + DVec3::Z * HEIGHT)));
    let face = |surface: Surface, same_sense: bool, loops: Vec<Vec<(usize, bool)>>| FaceSpec {
        surface,
        same_sense,
        loops,
        name: String::new(),
    };
    let plane = |origin: DVec3, normal: DVec3| Surface::Plane(Frame::new(origin, normal, None).unwrap());
    let mut faces: Vec<FaceSpec> = (0..4)
        .map(|k| {
            let next = (k + 1) % 4;
            let ring = vec![(k, true), (8 + next, true), (4 + k, false), (8 + k, false)];
            face(plane(at(k, 0.0), at(k, 0.0) + at(k + 1, 0.0)), true, vec![ring])
        })
        .collect();
    let top = vec![(4..8).map(|k| (k, true)).collect(), vec![(15, false), (14, false)]];
    faces.push(face(plane(DVec3::Z * HEIGHT, DVec3::Z), true, top));
    let bottom = vec![(0..4).rev().map(|k| (k, false)).collect(), vec![(12, true), (13, true)]];
    faces.push(face(plane(DVec3::ZERO, -DVec3::Z), true, bottom));
    for j in 0..2 {
        let ring = vec![(12 + j, false), (16 + j, true), (14 + j, true), (17 - j, false)];
        faces.push(face(Surface::Cylinder { frame: frame(0.0), radius }, false, vec![ring]));
    }
    Brep::new("nut", edges, faces, true).unwrap()
}

/// Whatever the angle at which the arcs are joined, and however the pair is turned, a bolt of equal radius touches.
#[test]
fn nuts_touch_their_bolts() {
    let bolt = Brep::cylinder(5.0, 20.0);
    let mut random = Random::new(5);
    for round in 0..60 {
        let turn = if round < 8 { FRAC_PI_4 * f64::from(round) } else { random.between(0.0, 6.0) };
        let half = DQuat::from_rotation_x(PI);
        for (clearance, expected) in
            [(0.0, Relation::Touching), (1e-4, Relation::Separated), (-1e-4, Relation::Intersecting)]
        {
            let nut = nut(5.0 + clearance, turn);
            let poses = [
                Pose::from_translation(DVec3::Z * 7.0),
                Pose::new(half, DVec3::Z * 11.0),
                // The end of the bolt is flush with the nut.
                Pose::from_translation(DVec3::Z * (20.0 - HEIGHT)),
            ];
            for pose in poses {
                let found = relation(&bolt, &nut, &Pose::IDENTITY, &pose, &Options::default());
                assert_eq!(found.relation, expected, "{turn} {clearance} {pose:?}: {found:?}");
                assert!(found.is_certain, "{turn} {clearance} {pose:?}: {found:?}");
            }
        }
    }
}
