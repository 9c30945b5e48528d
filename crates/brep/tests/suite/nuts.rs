//! Nuts on bolts: holes in planes whose rims consist of several arcs, as files have them.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Curve, Edge, FaceSpec, Frame, Options, SplineCurve, Surface, relation};
use noli_geom::{Pose, Relation};
use noli_testing::Random;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

const HEIGHT: f64 = 3.0;

/// How the rims of a hole are given.
#[derive(Clone, Copy, PartialEq)]
enum Rims {
    Circles,
    /// The upper one as cubic splines, off the cylinder by 4e-6 of its radius, as some programs write it.
    Fitted,
}

/// A cubic spline of four pieces, fitted to half a circle from an angle on.
fn fitted(frame: &Frame, radius: f64, from: f64) -> SplineCurve {
    let handle = radius * 4.0 / 3.0 * (FRAC_PI_4 / 4.0).tan();
    let at = |k: usize| from + FRAC_PI_4 * k as f64;
    let point = |k: usize| frame.origin + frame.radial(at(k)) * radius;
    let along = |k: usize| frame.radial(at(k) + FRAC_PI_2) * handle;
    let mut points = vec![point(0)];
    points.extend((0..4).flat_map(|k| [point(k) + along(k), point(k + 1) - along(k + 1), point(k + 1)]));
    SplineCurve::new(3, &points, None, &[0.0, 1.0, 2.0, 3.0, 4.0], &[4, 3, 3, 3, 4]).unwrap()
}

/// A square nut whose hole consists of two half cylinders that are joined at an angle.
fn nut(radius: f64, turn: f64, rims: Rims) -> Brep {
    let at = |k: usize, z: f64| {
        let (sin, cos) = (FRAC_PI_4 + FRAC_PI_2 * k as f64).sin_cos();
        DVec3::new(12.0 * cos, 12.0 * sin, z)
    };
    let line =
        |from: DVec3, to: DVec3| Edge::new(Curve::Line { origin: from, direction: to - from }, 0.0, 1.0);
    let x = DVec3::new(turn.cos(), turn.sin(), 0.0);
    let frame = |z: f64| Frame::new(DVec3::new(0.0, 0.0, z), DVec3::Z, Some(x)).unwrap();
    let arc = |z: f64, j: usize| match rims {
        Rims::Fitted if z > 0.0 => {
            Edge::new(Curve::Spline(fitted(&frame(z), radius, PI * j as f64)), 0.0, 4.0)
        }
        _ => Edge::new(Curve::Circle { frame: frame(z), radius }, PI * j as f64, PI * (j + 1) as f64),
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

/// Tests a nut on a bolt of radius 5 at some clearances, with arcs joined at many angles and at several poses.
fn check_nuts(rims: Rims, clearance: f64, rounds: u32) {
    let bolt = Brep::cylinder(5.0, 20.0);
    let mut random = Random::new(5);
    for round in 0..rounds {
        let turn = if round < 8 { FRAC_PI_4 * f64::from(round) } else { random.between(0.0, 6.0) };
        let half = DQuat::from_rotation_x(PI);
        for (clearance, expected) in [
            (0.0, Relation::Touching),
            (clearance, Relation::Separated),
            (-clearance, Relation::Intersecting),
        ] {
            let nut = nut(5.0 + clearance, turn, rims);
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

/// Whatever the angle at which the arcs are joined, and however the pair is turned, a bolt of equal radius touches.
#[test]
fn nuts_touch_their_bolts() {
    check_nuts(Rims::Circles, 1e-4, 60);
}

/// So does one in a nut whose rims are splines that a program fitted to circles.
#[test]
fn nuts_with_fitted_rims_touch_their_bolts() {
    check_nuts(Rims::Fitted, 1e-3, 20);
}
