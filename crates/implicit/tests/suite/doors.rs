//! Functions that are no formulas, bodies that are no functions, and surfaces for looking at.

use glam::{DVec3, dvec3};
use noli_geom::{Aabb, Interval, Pose};
use noli_implicit::{
    Field, FieldQuery, FieldVerdict, Filling, Inclusion, RoundedHull, field_filling_overlap, field_overlap,
    field_pieces_overlap,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The signed distance of a sphere, with or without its derivatives.
struct Sphere {
    radius: f64,
    steep: bool,
}

impl Inclusion for Sphere {
    fn range(&self, [x, y, z]: [Interval; 3]) -> Interval {
        (x.square() + y.square() + z.square()).sqrt() - Interval::from(self.radius)
    }

    fn gradient(&self, cell: [Interval; 3]) -> Option<[Interval; 3]> {
        let [x, y, z] = cell;
        let length = (x.square() + y.square() + z.square()).sqrt();
        let unit = Interval::new(-1.0, 1.0);
        self.steep.then(|| cell.map(|c| (c / length).intersection(unit).unwrap_or(unit)))
    }
}

#[test]
fn functions_of_the_user_are_searched_too() {
    let formula = Field::parse("x^2 + y^2 + z^2 <= 1").unwrap();
    for steep in [false, true] {
        let sphere = Field::from_inclusion(Arc::new(Sphere { radius: 0.5, steep }));
        assert!(sphere.is_bounded());
        for (distance, free) in [(1e-2, true), (-1e-2, false)] {
            let place = dvec3(2.0, -1.0, 2.0) / 3.0 * (1.5 + distance);
            let pose = Pose::from_translation(place);
            let found = field_overlap(&formula.at(Pose::IDENTITY), &sphere.at(pose), &FieldQuery::default());
            assert_eq!(found.verdict == FieldVerdict::Free, free, "{steep} {distance} {found:?}");
            assert!(!matches!(found.verdict, FieldVerdict::Unknown { .. }));
        }
    }
}

#[test]
fn hulls_at_known_distances_are_told_apart() {
    let sphere = Field::parse("x^2 + y^2 + z^2 <= 1").unwrap();
    let vertices = |k: usize| DVec3::from_array([0, 1, 2].map(|a| if k >> a & 1 == 0 { -0.5 } else { 0.5 }));
    let cube = RoundedHull { points: (0..8).map(vertices).collect(), radius: 0.0 };
    let capsule = RoundedHull { points: vec![DVec3::NEG_Z, DVec3::Z], radius: 0.25 };
    for exponent in 1..=7 {
        let step = 10f64.powi(-exponent);
        for (body, contact) in [(&cube, 1.5), (&capsule, 1.25)] {
            let ask = |x: f64| {
                let pose = Pose::from_translation(dvec3(x, 0.1, 0.05));
                field_pieces_overlap(&sphere.at(Pose::IDENTITY), body, &pose, &FieldQuery::default()).verdict
            };
            // The capsule's axis is 0.1 off the middle of the sphere.
            let contact = if contact == 1.25 { (1.25f64.powi(2) - 0.01).sqrt() } else { contact };
            assert_eq!(ask(contact + step), FieldVerdict::Free, "{contact} {step}");
            assert!(matches!(ask(contact - step), FieldVerdict::Hit { .. }), "{contact} {step}");
        }
    }
}

#[test]
fn voxels_are_bodies_that_classify_boxes() {
    // A checkerboard of unit cubes in [-2, 2]³, each filled where the sum of its indices is even.
    let filling = |cell: &Aabb| {
        let (low, high) = (cell.min.floor(), (cell.max.ceil() - 1.0).max(cell.min.floor()));
        let mut kinds = [false; 2];
        for x in low.x as i32..=high.x as i32 {
            for y in low.y as i32..=high.y as i32 {
                for z in low.z as i32..=high.z as i32 {
                    kinds[(x + y + z).rem_euclid(2) as usize] = true;
                }
            }
        }
        match kinds {
            [true, false] => Filling::Inside,
            [false, true] => Filling::Outside,
            _ => Filling::Mixed,
        }
    };
    let bounds = Aabb { min: DVec3::splat(-2.0), max: DVec3::splat(2.0) };
    let sphere = Field::parse("x^2 + y^2 + z^2 <= 0.09").unwrap();
    let ask = |at: DVec3| {
        let pose = Pose::from_translation(at);
        field_filling_overlap(&sphere.at(pose), &filling, &bounds, &Pose::IDENTITY, &FieldQuery::default())
            .verdict
    };
    assert!(matches!(ask(DVec3::splat(0.5)), FieldVerdict::Hit { .. }));
    assert_eq!(ask(dvec3(1.5, 0.5, 0.5)), FieldVerdict::Free);
    assert_eq!(ask(DVec3::splat(2.5)), FieldVerdict::Free);
    assert!(matches!(ask(dvec3(1.0, 0.5, 0.5)), FieldVerdict::Hit { .. }));
}

#[test]
fn surfaces_are_closed_and_near() {
    for (formula, euler) in [("torus(2, 0.7)", 0), ("sphere(1)", 2), ("max(sphere(1), x - 0.3)", 2)] {
        let field = Field::parse(formula).unwrap();
        let surface = field.triangles(24);
        let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
        for [a, b, c] in &surface.triangles {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                *edges.entry((*p.min(q), *p.max(q))).or_default() += if p < q { 1 } else { -1 };
            }
        }
        assert!(edges.values().all(|&sides| sides == 0), "{formula}: every edge has two sides");
        let count = surface.vertices.len() as i64 - edges.len() as i64 + surface.triangles.len() as i64;
        assert_eq!(count, euler, "{formula}");
        for &vertex in &surface.vertices {
            assert!(field.value(vertex).abs() < 0.05, "{formula} {vertex}");
        }
    }
    assert!(Field::parse("x").unwrap().triangles(8).triangles.is_empty(), "no end");
}
