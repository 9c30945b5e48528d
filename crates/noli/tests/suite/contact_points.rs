//! Contact points lie on the surfaces of their bodies and are witnesses of the depth.

use crate::common::vector;
use glam::{DQuat, DVec3, dvec2, dvec3};
use noli::answer::Verdict;
use noli::model::Hull;
use noli::{Convex, Model, Pose, contact};
use noli_scenes::SplitMix64;

/// Far above rounding, far below any error of a point on a wrong face.
const NEAR: f64 = 1e-9;
/// Round surfaces are flat within rounding as far as about its square root.
const FLAT: f64 = 1e-6;

/// Signed distance of a point from the surface, near it.
type Surface = Box<dyn Fn(DVec3) -> f64>;

struct Body {
    name: &'static str,
    models: Vec<Model>,
    surface: Surface,
}

/// A hull, as a convex body and as a solid mesh.
fn hull(name: &'static str, points: Vec<DVec3>) -> Body {
    let hull = Hull::new(points).unwrap();
    let models = vec![
        Model::from(Convex::hull(hull.vertices().iter().copied()).unwrap()),
        Model::from(hull.to_mesh().unwrap().into_solid()),
    ];
    let height = move |p: DVec3| {
        let faces = (0..hull.faces().len()).map(|f| {
            let vertex = hull.vertices()[hull.faces()[f][0] as usize];
            hull.normal(f).dot(p - vertex)
        });
        faces.fold(f64::NEG_INFINITY, f64::max)
    };
    Body { name, models, surface: Box::new(height) }
}

fn primitive(name: &'static str, convex: Convex, surface: Surface) -> Body {
    Body { name, models: vec![Model::from(convex)], surface }
}

/// A random polytope; with vertices on a coarse grid it has many coplanar ones.
fn random_hull(random: &mut SplitMix64) -> Body {
    let on_grid = random.below(2) == 0;
    let count = 6 + random.below(24);
    let point = |random: &mut SplitMix64| {
        let p = vector(random, 1.0);
        if on_grid { (p * 2.0).round() * 0.5 } else { p }
    };
    loop {
        let points: Vec<DVec3> = (0..count).map(|_| point(random)).collect();
        if Hull::new(points.iter().copied()).is_ok_and(|hull| hull.dimension() == 3) {
            return hull(if on_grid { "grid hull" } else { "hull" }, points);
        }
    }
}

fn random_primitive(random: &mut SplitMix64) -> Body {
    let mut length = || random.between(0.3, 1.2);
    let (x, y, z) = (length(), length(), length());
    match random.below(6) {
        0 => {
            let surface = move |p: DVec3| (p.abs() - 0.5 * dvec3(x, y, z)).max_element();
            primitive("box", Convex::cuboid(dvec3(x, y, z)).unwrap(), Box::new(surface))
        }
        1 => primitive("sphere", Convex::sphere(x).unwrap(), Box::new(move |p| p.length() - x)),
        2 => {
            let surface = move |p: DVec3| {
                let axis = DVec3::Z * p.z.clamp(-0.5 * x, 0.5 * x);
                p.distance(axis) - 0.5 * y
            };
            primitive("capsule", Convex::capsule(x, 0.5 * y).unwrap(), Box::new(surface))
        }
        3 => {
            let surface = move |p: DVec3| (p.truncate().length() - y).max(p.z.abs() - 0.5 * x);
            primitive("cylinder", Convex::cylinder(x, y).unwrap(), Box::new(surface))
        }
        4 => {
            let side = dvec2(x, y).normalize();
            let surface = move |p: DVec3| {
                let from_tip = dvec2(p.truncate().length(), p.z - 0.5 * x);
                side.dot(from_tip).max(-0.5 * x - p.z)
            };
            primitive("cone", Convex::cone(x, y).unwrap(), Box::new(surface))
        }
        _ => {
            let radii = dvec3(x, y, z);
            let surface = move |p: DVec3| ((p / radii).length() - 1.0) * radii.min_element();
            primitive("ellipsoid", Convex::ellipsoid(radii).unwrap(), Box::new(surface))
        }
    }
}

fn random_pose(random: &mut SplitMix64) -> Pose {
    let turn = random.rotation();
    let turn = if random.below(3) == 0 { DQuat::IDENTITY } else { turn };
    Pose::new(turn, vector(random, 0.9))
}

/// Checks both points of all contacts of two bodies; returns the number of contacts.
fn check_points([a, b]: [&Body; 2], pose: &Pose, sideways: f64, place: &str) -> usize {
    let mut count = 0;
    for x in &a.models {
        for y in &b.models {
            let Verdict::Hit(found) = contact(&x.at(Pose::IDENTITY), &y.at(*pose)) else { continue };
            let (on_a, on_b) = (found.on_a.point, found.on_b.point);
            let (off_a, off_b) = ((a.surface)(on_a), (b.surface)(pose.inverse().transform_point(on_b)));
            let name = format!("{place}: {} and {}: {found:?}", a.name, b.name);
            assert!(off_a.abs() < NEAR, "on_a is {off_a:e} off A, {name}");
            assert!(off_b.abs() < NEAR, "on_b is {off_b:e} off B, {name}");
            let missed = on_a - on_b - found.normal * found.depth.at_most;
            assert!(missed.dot(found.normal).abs() < NEAR, "the points miss the depth by {missed:?}, {name}");
            assert!(missed.length() < sideways, "the points miss the normal by {missed:?}, {name}");
            count += 1;
        }
    }
    count
}

#[test]
fn points_of_convex_polytopes_and_meshes_lie_on_their_surfaces() {
    let mut random = SplitMix64::new(35);
    let mut contacts = 0;
    for round in 0..160 {
        let (a, b) = (random_hull(&mut random), random_hull(&mut random));
        let pose = random_pose(&mut random);
        contacts += check_points([&a, &b], &pose, NEAR, &format!("round {round}"));
    }
    assert!(contacts > 400, "{contacts}");
}

#[test]
fn points_of_primitives_lie_on_their_surfaces() {
    let mut random = SplitMix64::new(36);
    let mut contacts = 0;
    for round in 0..300 {
        let a = random_primitive(&mut random);
        let b = if round % 3 == 0 { random_hull(&mut random) } else { random_primitive(&mut random) };
        let pose = random_pose(&mut random);
        contacts += check_points([&a, &b], &pose, FLAT, &format!("round {round}"));
    }
    assert!(contacts > 200, "{contacts}");
}
