//! Swept volumes: samples lie within, closed forms are met within the stated error, meshes are closed.

use glam::{DQuat, DVec3, dvec3};
use noli::answer::Location;
use noli::{Convex, Mesh, Model, Pose};
use noli_geom::{KeyFrames, Motion, RigidMotion, Turning};
use noli_robot::cell::CellBuilder;
use noli_robot::{JointCurve, PumaSet, puma560};
use noli_sweep::{ArmSweep, SweepError, SweepOptions, SweptBody, SweptVolume, sweep};
use noli_testing::Random;
use std::sync::Arc;

fn swept(model: &Model, motion: &dyn Motion, error: f64) -> SweptVolume {
    sweep(&[SweptBody { model, motion }], &SweepOptions::new(error)).unwrap()
}

fn along(to: DVec3) -> RigidMotion {
    RigidMotion::between(&Pose::IDENTITY, &Pose::from_translation(to), DVec3::ZERO)
}

/// Both meshes are closed, and no edge of the outer one has three faces.
fn check_closed(volume: &SweptVolume) -> Mesh {
    let mesh = volume.outer_mesh().unwrap();
    let report = mesh.report();
    assert!(report.closed && report.oriented, "{report:?}");
    assert_eq!(report.border_edges, 0);
    assert!((report.signed_volume - volume.outer_volume()).abs() < 1e-6 * volume.outer_volume());
    if let Some(inner) = volume.inner_mesh().unwrap() {
        let report = inner.report();
        assert!(report.closed && report.oriented);
        assert!((report.signed_volume - volume.inner_volume()).abs() < 1e-6 * volume.outer_volume());
        assert!(volume.inner_volume() <= volume.outer_volume());
    }
    mesh
}

/// Vertices of the outer mesh are at most so far from the true volume, whose distance is given, and vertices of the inner
/// mesh are within it.
fn check_distance(volume: &SweptVolume, distance: impl Fn(DVec3) -> f64) {
    let outer = check_closed(volume);
    for vertex in outer.vertices() {
        let away = distance(*vertex);
        assert!((-1e-9..=volume.error()).contains(&away), "{away} at {vertex}");
    }
    let inner = volume.inner_mesh().unwrap().expect("some cell is inside");
    for vertex in inner.vertices() {
        assert!(distance(*vertex) <= 1e-9, "{vertex}");
    }
}

fn from_segment(point: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let share = ((point - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    point.distance(a + along * share)
}

#[test]
fn a_sphere_sweeps_a_capsule() {
    let sphere = Model::new(Convex::sphere(0.3).unwrap()).unwrap();
    let to = dvec3(1.0, 0.4, -0.2);
    for error in [0.2, 0.05, 0.02] {
        let volume = swept(&sphere, &along(to), error);
        check_distance(&volume, |point| from_segment(point, DVec3::ZERO, to) - 0.3);
        let length = to.length();
        let exact = std::f64::consts::PI * 0.09 * (length + 0.4);
        assert!(volume.inner_volume() <= exact && exact <= volume.outer_volume());
        if error < 0.03 {
            assert!(volume.outer_volume() < 1.5 * exact && volume.inner_volume() > 0.7 * exact);
        }
    }
}

#[test]
fn a_box_along_an_axis_sweeps_a_box() {
    let cuboid = Model::new(Mesh::cuboid(dvec3(0.4, 0.2, 0.6)).unwrap().into_solid()).unwrap();
    let volume = swept(&cuboid, &along(dvec3(1.0, 0.0, 0.0)), 0.03);
    let (low, high) = (dvec3(-0.2, -0.1, -0.3), dvec3(1.2, 0.1, 0.3));
    check_distance(&volume, |point| {
        let beyond = (low - point).max(point - high);
        let outside = beyond.max(DVec3::ZERO).length();
        if outside > 0.0 { outside } else { beyond.max_element() }
    });
}

/// A sphere that goes round sweeps a torus; a screw of it is checked by samples.
#[test]
fn a_sphere_that_turns_sweeps_a_torus() {
    let sphere = Model::new(Convex::sphere(0.1).unwrap()).unwrap();
    let at =
        |angle: f64| Pose::new(DQuat::from_rotation_z(angle), DQuat::from_rotation_z(angle) * DVec3::X * 0.5);
    let round = RigidMotion::screw(&at(0.0), DVec3::ZERO, DVec3::Z, std::f64::consts::TAU, 0.0);
    let volume = swept(&sphere, &round, 0.03);
    check_distance(&volume, |point| (point.truncate().length() - 0.5).hypot(point.z) - 0.1);
    let screw = RigidMotion::screw(&at(0.0), DVec3::ZERO, DVec3::Z, 9.0, 0.7);
    check_samples(&swept(&sphere, &screw, 0.03), &sphere, &screw);
}

/// Points of the body at many times lie within the outer mesh; vertices of the outer mesh are near some sample.
fn check_samples(volume: &SweptVolume, model: &Model, motion: &dyn Motion) {
    let mesh = check_closed(volume);
    let outer = Model::new(mesh).unwrap();
    let points: Vec<DVec3> = match model.mesh() {
        Some(mesh) => mesh.vertices().iter().step_by(mesh.vertices().len().div_ceil(30)).copied().collect(),
        None => {
            let mut random = Random::new(2);
            let convex = model.convex().unwrap();
            (0..30).map(|_| convex.support_point(random.in_sphere())).collect()
        }
    };
    for k in 0..=150 {
        let pose = motion.pose(f64::from(k) / 150.0);
        for &point in &points {
            let place = pose.transform_point(point);
            assert_ne!(outer.locate_point(place), Location::Outside, "{place} at {k}");
        }
    }
}

#[test]
fn every_instant_of_random_motions_is_enclosed() {
    let mut random = Random::new(12);
    let torus = Model::new(Mesh::torus(0.3, 0.08, 24, 12).unwrap().into_solid()).unwrap();
    let shell = Model::new(Mesh::torus(0.25, 0.05, 16, 8).unwrap()).unwrap();
    let cylinder = Model::new(Convex::cylinder(0.5, 0.1).unwrap()).unwrap();
    for round in 0..6 {
        let mut pose = || {
            let turn = DQuat::from_scaled_axis(random.in_sphere() * 2.0);
            Pose::new(turn, random.in_sphere() * 0.8)
        };
        let keys: Vec<(f64, Pose)> = [0.0, 0.3, 0.6, 1.0].into_iter().map(|time| (time, pose())).collect();
        let motion = KeyFrames::new(&keys, DVec3::ZERO, Turning::default()).unwrap();
        let model = [&torus, &shell, &cylinder][round % 3];
        let volume = swept(model, &motion, 0.06);
        check_samples(&volume, model, &motion);
        let boxes = volume.boxes(12);
        assert!(boxes.len() <= 12 && boxes.len() > 1);
        for vertex in volume.outer_mesh().unwrap().vertices() {
            let slack = DVec3::splat(1e-12);
            assert!(
                boxes.iter().any(|b| vertex.cmpge(b.min - slack).all() && vertex.cmple(b.max + slack).all())
            );
        }
        // More boxes are never larger.
        let size =
            |boxes: &[noli_geom::Aabb]| boxes.iter().map(|b| (b.max - b.min).element_product()).sum::<f64>();
        let few = size(&volume.boxes(3));
        assert!(size(&boxes) <= few && few <= size(&volume.boxes(1)));
    }
}

/// A sheet of 0.3 mm, far thinner than a cell, is enclosed.
#[test]
fn thin_walls_are_not_lost() {
    let sheet = Model::new(Mesh::cuboid(dvec3(0.5, 0.0003, 0.4)).unwrap().into_solid()).unwrap();
    let motion = along(dvec3(0.0, 0.0, 0.3));
    let volume = swept(&sheet, &motion, 0.02);
    check_samples(&volume, &sheet, &motion);
    assert_eq!(volume.inner_mesh().unwrap(), None);
}

#[test]
fn a_robot_on_a_curve_is_enclosed() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let cell = plan.build();
    let (rest, end) = ([0.0; 6], [1.2, -0.6, 0.4, 0.3, 0.5, 0.2]);
    let curve = JointCurve::cubic(&[0.0, 2.0], &[&rest, &end], &[&rest, &rest]).unwrap();
    let arm = ArmSweep::new(&cell, &curve).unwrap();
    let start = std::time::Instant::now();
    let volume = arm.sweep(&SweepOptions::new(0.05)).unwrap();
    eprintln!("{} cells in {:?}", volume.visited(), start.elapsed());
    let outer = Model::new(check_closed(&volume)).unwrap();
    let mut random = Random::new(3);
    for k in 0..=300 {
        let values = curve.position(curve.time_at(f64::from(k) / 300.0));
        let poses = cell.shape_poses(&values).unwrap();
        for (body, pose) in cell.bodies().iter().zip(&poses) {
            if body.carrier() == Some(0) {
                continue;
            }
            let Some(convex) = body.model().convex() else { continue };
            for _ in 0..4 {
                let point = pose.transform_point(convex.support_point(random.in_sphere()));
                assert_ne!(outer.locate_point(point), Location::Outside, "{point}");
            }
        }
    }
    assert!(volume.inner_mesh().unwrap().is_some());
}

#[test]
fn bad_requests_are_refused() {
    let sphere = Model::new(Convex::sphere(0.3).unwrap()).unwrap();
    let motion = along(DVec3::X);
    let body = SweptBody { model: &sphere, motion: &motion };
    for error in [0.0, -1.0, f64::NAN, 1e-9] {
        assert!(
            matches!(sweep(&[body], &SweepOptions::new(error)), Err(SweepError::Error { .. })),
            "{error}"
        );
    }
    assert_eq!(sweep(&[], &SweepOptions::new(0.1)), Err(SweepError::Empty));
    let mut few = SweepOptions::new(0.01);
    few.cells = 100;
    assert_eq!(sweep(&[body], &few), Err(SweepError::TooManyCells(100)));
    let floor = Model::new(noli::Shape::HalfSpace).unwrap();
    let body = SweptBody { model: &floor, motion: &motion };
    assert_eq!(sweep(&[body], &SweepOptions::new(0.1)), Err(SweepError::Unbounded(0)));
}

/// The outer mesh encloses the true sphere of triangles that are inscribed in it, the inner one is within its swept volume,
/// and the stated error holds for the true one.
#[test]
fn the_deviation_of_triangles_is_part_of_the_error() {
    let (to, radius) = (dvec3(1.0, 0.4, -0.2), 0.3);
    let mesh = Mesh::sphere(radius, 3).unwrap().into_solid();
    let triangles = mesh.iter_triangles();
    let deviation = triangles.map(|t| {
        let [a, b, c] = t.vertices;
        radius - ((b - a).cross(c - a).normalize().dot(a)).abs()
    });
    let deviation = deviation.fold(0.0, f64::max);
    assert!(deviation > 0.005, "{deviation}");
    let (model, motion) = (Model::new(mesh).unwrap(), along(to));
    let body = [SweptBody { model: &model, motion: &motion }];
    let distance = |at: DVec3| from_segment(at, DVec3::ZERO, to) - radius;
    let mut options = SweepOptions::new(2.0 * deviation + 0.02);
    let least = |volume: &SweptVolume| {
        let outer = check_closed(volume);
        outer.vertices().iter().map(|at| distance(*at)).fold(f64::INFINITY, f64::min)
    };
    options.deviation = deviation;
    let volume = sweep(&body, &options).unwrap();
    check_distance(&volume, distance);
    assert!(least(&volume) >= 0.0);
    let exact = sweep(&body, &SweepOptions::new(0.02)).unwrap();
    assert!(exact.outer_volume() < volume.outer_volume());
    assert!(exact.inner_volume() > volume.inner_volume());
    // The error cannot be less than what the triangles leave open.
    options.error = 2.0 * deviation;
    assert!(matches!(sweep(&body, &options), Err(SweepError::Error { .. })));
    options.deviation = f64::INFINITY;
    assert_eq!(sweep(&body, &options), Err(SweepError::Deviation(f64::INFINITY)));
}
