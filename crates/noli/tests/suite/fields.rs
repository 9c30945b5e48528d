//! Functionally defined objects against meshes.

use crate::common::{data, load, mesh, model, shift};
use glam::{DQuat, DVec3};
use noli::answer::Verdict;
use noli::model::MeshKind;
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Field, Model, Overlap, Pose, QueryContext, Scratch, clearance, contact, overlap};
use noli_implicit::parse_vm;
use noli_scenes::{cuboid, icosphere};

fn field(formula: &str) -> Model {
    prepared(Field::parse(formula).unwrap_or_else(|error| panic!("{error}")))
}

fn prepared(field: Field) -> Model {
    Model::new(field).unwrap_or_else(|error| panic!("{error}"))
}

/// A mesh inscribed in the unit sphere holds a smaller sphere and is held by the unit sphere: clearances to another mesh nest.
#[test]
fn a_mesh_and_the_sphere_it_approximates_nest() {
    let sphere_mesh = mesh(icosphere(4));
    let (sphere_model, cube) = (model(&sphere_mesh), model(&mesh(cuboid(DVec3::new(0.4, 0.5, 0.6)))));
    // The mesh's faces are no deeper than this below the unit sphere.
    let vertices = (0..sphere_mesh.triangle_count() as u32).map(|i| sphere_mesh.triangle(i).vertices);
    let inner =
        vertices.map(|[a, b, c]| (b - a).cross(c - a).normalize().dot(a).abs()).fold(f64::INFINITY, f64::min);
    let outer_field = field("x^2+y^2+z^2 <= 1.000000000001");
    let inner_field = prepared(Field::new(&noli_implicit::shapes::sphere(inner * (1.0 - 1e-12))));
    // A ten-thousandth of the smaller body.
    let query = ClearanceQuery { tolerance: Tolerance::Length(1e-4), ..Default::default() };
    for (i, distance) in [1.7, 1.9, 2.5, 5.0].into_iter().enumerate() {
        let turn = DQuat::from_xyzw(0.1 * i as f64, 0.4, -0.2, 0.9);
        let pose = Pose::new(turn, DVec3::new(0.6, 0.64, 0.48).normalize() * distance);
        let exact = clearance(&sphere_model.at(Pose::IDENTITY), &cube.at(pose));
        let context = |field: &Model| {
            let (a, b) = (cube.at(pose), field.at(Pose::IDENTITY));
            QueryContext::new(&mut Scratch::default()).clearance(&a, &b, &query).distance
        };
        let (to_outer, to_inner) = (context(&outer_field), context(&inner_field));
        assert!(to_outer.at_least <= exact.distance.at_most, "{distance} {to_outer:?} {exact:?}");
        assert!(exact.distance.at_least <= to_inner.at_most, "{distance} {to_inner:?} {exact:?}");
        assert!(to_inner.at_most - to_outer.at_least < 0.02, "{distance} {to_outer:?} {to_inner:?}");
    }
}

#[test]
fn spheres_at_known_clearances_of_a_cube() {
    let sphere = field("x^2+y^2+z^2 <= 0.25");
    let cube = mesh(cuboid(DVec3::ONE)).with_kind(MeshKind::Solid);
    let cube = model(&cube);
    let turn = DQuat::from_xyzw(0.3, 0.1, -0.4, 0.8);
    let context = |at: DVec3| {
        let pose = Pose::new(turn, at);
        overlap(&cube.at(Pose::IDENTITY), &sphere.at(pose))
    };
    for exponent in 1..=7 {
        let step = 10f64.powi(-exponent);
        // Over a face, an edge and a vertex.
        for (contact, away) in [
            (DVec3::new(1.5, 0.3, 0.2), DVec3::X),
            (DVec3::new(1.3, 1.4, 0.1), DVec3::new(0.6, 0.8, 0.0)),
            (DVec3::ONE + DVec3::new(2.0, 1.0, 2.0) / 6.0, DVec3::new(2.0, 1.0, 2.0) / 3.0),
        ] {
            assert_eq!(context(contact + away * step), Overlap::Free, "{contact} {step}");
            assert_eq!(context(contact - away * step), Overlap::Hit, "{contact} {step}");
        }
    }
    assert_eq!(context(DVec3::ZERO), Overlap::Hit, "inside the solid");
    let shell = model(&mesh(cuboid(DVec3::ONE)));
    let inside = overlap(&shell.at(Pose::IDENTITY), &sphere.at(Pose::IDENTITY));
    assert_eq!(inside, Overlap::Free, "a surface has no inside");
}

#[test]
fn published_graphs_against_meshes_agree_with_samples() {
    let (Some(graphs), Some(meshes)) = (data("implicit"), data("meshes")) else { return };
    // Shrunk a little: see the tests of noli-implicit.
    let read = |name: &str| {
        let text = std::fs::read_to_string(graphs.join(name)).unwrap();
        Field::new(&(parse_vm(&text).unwrap() + 1e-2))
    };
    let bounds = noli_geom::Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
    let objects = [read("tanglecube.vm"), read("colonnade.vm").within(bounds)];
    let knot = load(&meshes.join("knot1.off"));
    let size = knot.aabb().size().max_element();
    let knot = model(&knot.clone()).scaled(2f64.powi(-(size.log2().round() as i32))).unwrap();
    let center = knot.mesh().unwrap().aabb().center();
    let models = objects.each_ref().map(|object| prepared(object.clone()));
    let mut counts = [0; 2];
    for i in 0..12 {
        let (object, t) = (&objects[i % 2], i as f64);
        let turn = DQuat::from_xyzw((t * 1.3).sin(), (t * 2.1).cos(), (t * 0.7).sin(), 0.5);
        let place = DVec3::new((t * 1.9).sin(), (t * 0.9).cos(), (t * 2.7).sin()) * (0.3 * t);
        let pose = Pose::new(turn, place - Pose::from_rotation(turn).transform_point(center));
        let sampled = knot.mesh().unwrap().vertices().iter().any(|&v| {
            let p = pose.transform_point(v);
            let limits = object.bounds();
            object.value(p) <= 0.0 && p.cmpge(limits.min).all() && p.cmple(limits.max).all()
        });
        let (a, b) = (knot.at(pose), models[i % 2].at(Pose::IDENTITY));
        let found = contact(&a, &b);
        assert_eq!(found.overlap(), overlap(&a, &b), "case {i}");
        match found {
            Verdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {i}");
            }
            Verdict::Hit(shared) => {
                counts[1] += 1;
                assert!(object.value(shared.on_b.point) <= 1e-9, "case {i}");
            }
            Verdict::Unknown => panic!("case {i}"),
        }
    }
    assert!(counts[0] > 1 && counts[1] > 1, "{counts:?}");
}

#[test]
fn empty_and_badly_placed_meshes() {
    let sphere = field("x^2+y^2+z^2 <= 0.25");
    let (empty, cube) = (model(&mesh(Default::default())), model(&mesh(cuboid(DVec3::ONE))));
    let context = |mesh: &Model, pose: Pose| overlap(&mesh.at(pose), &sphere.at(Pose::IDENTITY));
    assert_eq!(context(&empty, Pose::IDENTITY), Overlap::Free);
    // Nothing is nowhere, wherever that is.
    assert_eq!(context(&empty, shift(f64::NAN, 0.0, 0.0)), Overlap::Free);
    assert_eq!(context(&cube, shift(f64::NAN, 0.0, 0.0)), Overlap::Unknown);
}
