//! Triangles of bodies: closed, within the stated distance of the surfaces, with the volume of the body.

use glam::{DVec2, DVec3, dvec3};
use noli_brep::{Brep, Curve, Edge, FaceSpec, Frame, Surface};
use noli_brep::{SplineCurve, SplineSurface};
use noli_geom::Mesh;
use std::f64::consts::PI;

const CUBIC: (usize, &[f64], &[usize]) = (3, &[0.0, 1.0], &[4, 4]);

/// The four corners of the lid of a block, and of its base.
fn corners(size: DVec2, height: f64) -> [DVec3; 8] {
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map({
        let mut k = 0;
        move |[x, y]| {
            k += 1;
            dvec3(x * size.x, y * size.y, if k <= 4 { height } else { 0.0 })
        }
    })
}

/// A block with a bicubic lid in place of its upper face. Its control points are raised by `raise(i, j)`; the edges of the
/// lid along y are straight in any case, those along x are the curves of the control points.
fn lidded(size: DVec2, height: f64, raise: impl Fn(usize, usize) -> f64) -> Brep {
    let control =
        |i: usize, j: usize| dvec3(size.x * i as f64 / 3.0, size.y * j as f64 / 3.0, height + raise(i, j));
    let net: Vec<Vec<DVec3>> = (0..4).map(|i| (0..4).map(|j| control(i, j)).collect()).collect();
    let along_x = |j: usize| {
        let points: Vec<DVec3> = (0..4).map(|i| control(i, j)).collect();
        Curve::Spline(SplineCurve::new(3, &points, None, CUBIC.1, CUBIC.2).unwrap())
    };
    let p = corners(size, height);
    let line = |a: usize, b: usize| {
        let length = p[a].distance(p[b]);
        Edge::new(Curve::Line { origin: p[a], direction: (p[b] - p[a]) / length }, 0.0, length)
    };
    let edges = vec![
        Edge::new(along_x(0), 0.0, 1.0),
        line(1, 2),
        Edge::new(along_x(3), 0.0, 1.0),
        line(0, 3),
        line(4, 5),
        line(5, 6),
        line(7, 6),
        line(4, 7),
        line(4, 0),
        line(5, 1),
        line(6, 2),
        line(7, 3),
    ];
    let plane = |origin: usize, normal: DVec3| {
        Surface::Plane(Frame::new(p[origin], normal, None).expect("a direction"))
    };
    let face = |surface: Surface, ring: &[(usize, bool)]| FaceSpec {
        surface,
        same_sense: true,
        loops: vec![ring.to_vec()],
        name: String::new(),
    };
    let lid = Surface::Spline(SplineSurface::new(&net, None, CUBIC, CUBIC).unwrap());
    let faces = vec![
        face(lid, &[(0, true), (1, true), (2, false), (3, false)]),
        face(plane(4, -DVec3::Z), &[(7, true), (6, true), (5, false), (4, false)]),
        face(plane(4, -DVec3::Y), &[(4, true), (9, true), (0, false), (8, false)]),
        face(plane(5, DVec3::X), &[(5, true), (10, true), (1, false), (9, false)]),
        face(plane(6, DVec3::Y), &[(6, false), (11, true), (2, true), (10, false)]),
        face(plane(7, -DVec3::X), &[(7, false), (8, true), (3, true), (11, false)]),
    ];
    Brep::new("lidded block", edges, faces, true).unwrap()
}

fn closed(body: &Brep, chord: f64) -> (Mesh, f64) {
    let (mesh, deviation) = body.tessellated(chord).unwrap();
    assert_eq!(mesh.report().flaw(), None, "{} at {chord}: {:?}", body.name(), mesh.report());
    (mesh, deviation)
}

/// Points of the triangles lie within the stated distance of the body's surface.
fn is_near(body: &Brep, mesh: &Mesh, deviation: f64) {
    let step = (mesh.triangles().len() / 200).max(1);
    for triangle in mesh.triangles().iter().step_by(step) {
        let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize]);
        for point in [(a + b + c) / 3.0, (a + b) * 0.5, a] {
            let distance = body.distance_to_surface(point, 1e-6, 2000);
            assert!(distance.at_least <= deviation, "{}: {distance:?} above {deviation}", body.name());
        }
    }
}

/// The mean of the control points is the mean height of the lid.
#[test]
fn spline_lids_over_straight_edges_are_closed() {
    let size = DVec2::new(100.0, 50.0);
    // Raised along two edges, inside alone, and unevenly along y.
    let arch = |i: usize, _: usize| if i == 1 || i == 2 { 30.0 } else { 0.0 };
    let bump = |i: usize, j: usize| if (i == 1 || i == 2) && (j == 1 || j == 2) { 60.0 } else { 0.0 };
    let wave = |i: usize, j: usize| if i == 1 || i == 2 { 20.0 * j as f64 } else { 0.0 };
    let lids: [&dyn Fn(usize, usize) -> f64; 3] = [&arch, &bump, &wave];
    for raise in lids {
        let body = lidded(size, 20.0, raise);
        let volume = size.x * size.y * (20.0 + 15.0);
        let mut last = f64::INFINITY;
        for chord in [0.4, 0.1, 0.02] {
            let (mesh, deviation) = closed(&body, chord);
            let off = (mesh.signed_volume() - volume).abs();
            assert!(off <= deviation * 4.0 * size.x * size.y, "{chord}: {off} {deviation}");
            assert!(deviation < 4.0 * chord && deviation < last, "{chord}: {deviation} {last}");
            is_near(&body, &mesh, deviation);
            last = deviation;
        }
    }
}

/// A body smaller than the chord keeps its shape, and a large one is closed at a chord that asks for too many triangles.
#[test]
fn tiny_and_large_bodies_are_closed() {
    for scale in [1e-3, 1.0, 2000.0] {
        let bodies = [
            (Brep::sphere(scale), 4.0 / 3.0 * PI * scale.powi(3)),
            (Brep::torus(scale, 0.3 * scale), 2.0 * PI * PI * 0.09 * scale.powi(3)),
            (Brep::cylinder(scale, scale), PI * scale.powi(3)),
        ];
        for (body, volume) in bodies {
            let (mesh, deviation) = closed(&body, 0.1);
            let off = (mesh.signed_volume() / volume - 1.0).abs();
            assert!(off < 0.1, "{} of {scale}: {off}", body.name());
            assert!(deviation < 0.2 * scale, "{} of {scale}: {deviation}", body.name());
            is_near(&body, &mesh, deviation);
        }
    }
}
