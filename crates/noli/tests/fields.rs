//! Functionally defined objects against meshes.

mod common;

use common::{data, load, mesh, model, shift};
use glam::{DQuat, DVec3};
use noli::{FieldTarget, MeshKind, Model, Pose, clearance};
use noli_implicit::{Field, FieldQuery, FieldVerdict, parse_vm};
use noli_scenes::{cuboid, icosphere};

fn field(formula: &str) -> Field {
    Field::parse(formula).unwrap_or_else(|error| panic!("{error}"))
}

fn target(model: &Model) -> FieldTarget {
    FieldTarget::new(model)
}

/// A mesh inscribed in the unit ball holds a smaller ball and is held by the unit ball: gaps to another mesh nest.
#[test]
fn a_mesh_and_the_ball_it_approximates_nest() {
    let ball_mesh = mesh(icosphere(4));
    let (ball_model, cube) = (model(&ball_mesh), model(&mesh(cuboid(DVec3::new(0.4, 0.5, 0.6)))));
    // The mesh's faces are no deeper than this below the unit sphere.
    let corners = (0..ball_mesh.triangle_count() as u32).map(|i| ball_mesh.triangle(i).corners);
    let inner =
        corners.map(|[a, b, c]| (b - a).cross(c - a).normalize().dot(a).abs()).fold(f64::INFINITY, f64::min);
    let outer_field = field("x^2+y^2+z^2 <= 1.000000000001");
    let inner_field = Field::new(&noli_implicit::shapes::sphere(inner * (1.0 - 1e-12)));
    let cube_target = target(&cube);
    for (i, distance) in [1.7, 1.9, 2.5, 5.0].into_iter().enumerate() {
        let turn = DQuat::from_xyzw(0.1 * i as f64, 0.4, -0.2, 0.9);
        let pose = Pose::new(turn, DVec3::new(0.6, 0.64, 0.48).normalize() * distance);
        let exact = clearance(&ball_model.at(Pose::IDENTITY), &cube.at(pose));
        let ask = |field: &Field| {
            cube_target.clearance(&pose, &field.at(Pose::IDENTITY), 1e-4, &FieldQuery::default())
        };
        let (to_outer, to_inner) = (ask(&outer_field), ask(&inner_field));
        assert!(to_outer.at_least <= exact.gap.at_most, "{distance} {to_outer:?} {exact:?}");
        assert!(exact.gap.at_least <= to_inner.at_most, "{distance} {to_inner:?} {exact:?}");
        assert!(to_inner.at_most - to_outer.at_least < 0.02, "{distance} {to_outer:?} {to_inner:?}");
    }
}

#[test]
fn balls_at_known_gaps_of_a_cube() {
    let ball = field("x^2+y^2+z^2 <= 0.25");
    let cube = mesh(cuboid(DVec3::ONE)).with_kind(MeshKind::Solid);
    let cube = target(&model(&cube));
    let turn = DQuat::from_xyzw(0.3, 0.1, -0.4, 0.8);
    let ask = |at: DVec3| {
        let pose = Pose::new(turn, at);
        cube.overlap(&Pose::IDENTITY, &ball.at(pose), &FieldQuery::default()).verdict
    };
    for exponent in 1..=7 {
        let step = 10f64.powi(-exponent);
        // Over a face, an edge and a corner.
        for (contact, away) in [
            (DVec3::new(1.5, 0.3, 0.2), DVec3::X),
            (DVec3::new(1.3, 1.4, 0.1), DVec3::new(0.6, 0.8, 0.0)),
            (DVec3::ONE + DVec3::new(2.0, 1.0, 2.0) / 6.0, DVec3::new(2.0, 1.0, 2.0) / 3.0),
        ] {
            assert_eq!(ask(contact + away * step), FieldVerdict::Free, "{contact} {step}");
            assert!(matches!(ask(contact - away * step), FieldVerdict::Hit { .. }), "{contact} {step}");
        }
    }
    assert!(matches!(ask(DVec3::ZERO), FieldVerdict::Hit { .. }), "inside the solid");
    let shell = target(&model(&mesh(cuboid(DVec3::ONE))));
    let inside = shell.overlap(&Pose::IDENTITY, &ball.at(Pose::IDENTITY), &FieldQuery::default());
    assert_eq!(inside.verdict, FieldVerdict::Free, "a surface has no inside");
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
    let knot_target = target(&knot);
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
        match knot_target.overlap(&pose, &object.at(Pose::IDENTITY), &FieldQuery::default()).verdict {
            FieldVerdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {i}");
            }
            FieldVerdict::Hit { point } => {
                counts[1] += 1;
                assert!(object.value(point) <= 1e-9, "case {i}");
            }
            FieldVerdict::Unknown { within } => panic!("case {i}: {within:?}"),
        }
    }
    assert!(counts[0] > 1 && counts[1] > 1, "{counts:?}");
}

#[test]
fn empty_and_badly_placed_meshes() {
    let ball = field("x^2+y^2+z^2 <= 0.25");
    let empty = target(&model(&mesh(Default::default())));
    let ask = |pose: Pose| empty.overlap(&pose, &ball.at(Pose::IDENTITY), &FieldQuery::default()).verdict;
    assert_eq!(ask(Pose::IDENTITY), FieldVerdict::Free);
    assert!(matches!(ask(shift(f64::NAN, 0.0, 0.0)), FieldVerdict::Unknown { .. }));
}
