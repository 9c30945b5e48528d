//! Solids as CAD programs write them: oblique holes, fillets, loops that run the wrong way round.

use glam::{DVec3, dvec3};
use noli_brep::{Brep, Curve, Edge, FaceSpec, Frame, OrientedEdge, Surface};
use noli_geom::Mesh;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

fn face(surface: Surface, same_sense: bool, loops: Vec<Vec<OrientedEdge>>) -> FaceSpec {
    FaceSpec { surface, same_sense, loops, name: String::new() }
}

fn circle(frame: Frame, radius: f64) -> Edge {
    Edge::new(Curve::Circle { frame, radius }, 0.0, TAU)
}

/// A pin of radius 10 whose upper rim is rounded by 1. The edges of the fillet are two circles, and the seam if it has one.
fn rounded_pin(has_seam: bool, turned: &[usize]) -> Brep {
    let at = |z: f64| Frame::at(DVec3::Z * z);
    let across = Frame { origin: dvec3(9.0, 0.0, 19.0), x: DVec3::X, y: DVec3::Z, z: -DVec3::Y };
    let seam = Edge::new(Curve::Circle { frame: across, radius: 1.0 }, 0.0, FRAC_PI_2);
    let edges = vec![circle(at(0.0), 10.0), circle(at(19.0), 10.0), circle(at(20.0), 9.0), seam];
    let fillet = match has_seam {
        true => vec![vec![(1, true), (3, true), (2, false), (3, false)]],
        false => vec![vec![(1, true)], vec![(2, false)]],
    };
    let mut faces = vec![
        face(Surface::Plane(at(0.0)), false, vec![vec![(0, false)]]),
        face(
            Surface::Cylinder { frame: at(0.0), radius: 10.0 },
            true,
            vec![vec![(0, true)], vec![(1, false)]],
        ),
        face(Surface::Torus { frame: at(19.0), major: 9.0, minor: 1.0 }, true, fillet),
        face(Surface::Plane(at(20.0)), true, vec![vec![(2, true)]]),
    ];
    for &number in turned {
        for ring in &mut faces[number].loops {
            ring.reverse();
            ring.iter_mut().for_each(|(_, forward)| *forward = !*forward);
        }
    }
    Brep::new("rounded pin", edges, faces, true).unwrap()
}

/// A block with an oblique hole between its faces at y = 0 and y = 30.
fn drilled_block() -> Brep {
    let (size, through, along) = (dvec3(40.0, 30.0, 20.0), dvec3(10.0, -5.0, 5.0), dvec3(0.1, 1.0, 0.2));
    let (along, radius) = (along.normalize(), 4.0);
    let corner = |k: usize| size * dvec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    let mut edges = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    let mut side = |edges: &mut Vec<Edge>, a: usize, b: usize| {
        let number = *numbers.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let (from, to) = (corner(a.min(b)), corner(a.max(b)));
            edges.push(Edge::new(Curve::Line { origin: from, direction: to - from }, 0.0, 1.0));
            edges.len() - 1
        });
        (number, a < b)
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let normals = [-DVec3::Z, DVec3::Z, -DVec3::Y, DVec3::Y, -DVec3::X, DVec3::X];
    let mut faces: Vec<FaceSpec> = quads
        .iter()
        .zip(normals)
        .map(|(quad, normal)| {
            let ring = (0..4).map(|k| side(&mut edges, quad[k], quad[(k + 1) % 4])).collect();
            face(Surface::Plane(Frame::new(corner(quad[0]), normal, None).unwrap()), true, vec![ring])
        })
        .collect();
    // Ellipses in the planes of y, ahead about the direction of the hole.
    let minor = DVec3::Y.cross(along).normalize();
    for y in [0.0, size.y] {
        let x = (along - DVec3::Y * along.y).normalize();
        let frame =
            Frame { origin: through + along * ((y - through.y) / along.y), x, y: minor, z: x.cross(minor) };
        edges.push(Edge::new(Curve::Ellipse { frame, major: radius / along.y, minor: radius }, 0.0, TAU));
    }
    let (front, back) = (edges.len() - 2, edges.len() - 1);
    let frame = Frame::new(through, along, None).unwrap();
    // The ellipses run from x to the minor axis: about -y.
    faces[2].loops.push(vec![(front, true)]);
    faces[3].loops.push(vec![(back, false)]);
    faces.push(face(
        Surface::Cylinder { frame, radius },
        false,
        vec![vec![(front, false)], vec![(back, true)]],
    ));
    Brep::new("drilled block", edges, faces, true).unwrap()
}

/// The triangles are closed, and within a chord of 0.1.
fn closed(body: &Brep) -> Mesh {
    assert!(body.shell_report().is_closed(), "{:?}", body.shell_report());
    let (mesh, deviation) = body.tessellated_within(0.1).unwrap();
    assert_eq!(mesh.report().flaw(), None, "{:?}", mesh.report());
    assert_eq!(mesh.report().non_manifold_edges, 0);
    assert!(deviation <= 0.1 + 1e-6, "{deviation}");
    mesh
}

#[test]
fn oblique_holes_share_the_points_of_their_rims() {
    let body = drilled_block();
    let mesh = closed(&body);
    // OpenCASCADE makes 128 triangles of this body at the same chord.
    assert!(mesh.triangle_count() < 400, "{}", mesh.triangle_count());
    let along = dvec3(0.1, 1.0, 0.2).normalize();
    let volume = 40.0 * 30.0 * 20.0 - PI * 16.0 * 30.0 / along.y;
    assert!((mesh.signed_volume() - volume).abs() < 0.02 * volume, "{} {volume}", mesh.signed_volume());
    let bounds = mesh.aabb();
    assert!(bounds.min.length() < 1e-9 && bounds.max.distance(dvec3(40.0, 30.0, 20.0)) < 1e-9, "{bounds:?}");
}

#[test]
fn fillets_need_few_triangles() {
    for has_seam in [true, false] {
        let body = rounded_pin(has_seam, &[]);
        assert_eq!(body.shell_report().turned_faces, 0);
        let mesh = closed(&body);
        assert!(mesh.triangle_count() < 700, "{}", mesh.triangle_count());
    }
}

/// OpenCASCADE 8 writes the loops of fillets on mirrored tori the wrong way round. The faces beside them decide.
#[test]
fn loops_that_disagree_with_their_neighbours_are_turned() {
    for has_seam in [true, false] {
        let sound = closed(&rounded_pin(has_seam, &[])).signed_volume();
        for turned in [&[2usize][..], &[1], &[0, 3]] {
            let body = rounded_pin(has_seam, turned);
            assert_eq!(body.shell_report().turned_faces, turned.len(), "{turned:?}");
            let mesh = closed(&body);
            assert!(
                (mesh.signed_volume() - sound).abs() < 1e-3 * sound,
                "{turned:?}: {}",
                mesh.signed_volume()
            );
        }
    }
}

/// Radii of a kilometre and more in a file of three kilobytes: the work is bounded by the size of the body.
#[test]
fn triangles_of_huge_bodies_are_bounded() {
    for (body, most) in [(Brep::cylinder(1e6, 2e5), 4_000), (Brep::sphere(1e8), 500_000)] {
        let (mesh, deviation) = body.tessellated_within(0.1).unwrap();
        assert_eq!(mesh.report().flaw(), None);
        assert!(mesh.triangle_count() < most, "{}", mesh.triangle_count());
        // Four times coarser where the triangles would be too many.
        assert!(deviation <= 4.5e-5 * body.size(), "{deviation}");
    }
}
