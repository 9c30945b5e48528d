//! Blended and timed paths: closed forms, limits at samples, and proofs of the motion as driven.

use glam::{DVec3, dvec3};
use noli::{Convex, Model, Pose};
use noli_plan::{BlendShape, DriveError, DriveLimits, DriveOptions, SplitMix64, drive_path};
use noli_robot::cell::{Cell, CellBuilder, MotionStatus};
use noli_robot::{JointCurveError, JointTable, PumaSet, Robot, puma560};
use std::sync::Arc;

/// Joints that slide along x, y and z: a point in space with a sphere around it.
fn gantry(obstacles: &[(DVec3, f64)]) -> Cell {
    let joint = |name: &str, axis: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>
            <axis xyz="{axis}"/><limit lower="-9" upper="9" velocity="2"/></joint>"#
        )
    };
    let text = format!(
        r#"<robot name="gantry"><link name="base"/><link name="a"/><link name="b"/>
        <link name="tool"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>{}{}{}</robot>"#,
        joint("x", "1 0 0", "base", "a"),
        joint("y", "0 1 0", "a", "b"),
        joint("z", "0 0 1", "b", "tool"),
    );
    let robot = Arc::new(Robot::from_urdf_str(&text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    for (number, (place, radius)) in obstacles.iter().enumerate() {
        let model = Model::new(Convex::sphere(*radius).unwrap()).unwrap();
        plan.add_obstacle(&format!("sphere{number}"), &model, Pose::from_translation(*place)).unwrap();
    }
    plan.build()
}

fn limits(velocity: f64, acceleration: f64, jerk: f64) -> DriveLimits {
    DriveLimits { velocity: vec![velocity; 3], acceleration: vec![acceleration; 3], jerk: vec![jerk; 3] }
}

fn far() -> Vec<(DVec3, f64)> {
    vec![(DVec3::splat(50.0), 1.0)]
}

/// From rest to rest along one joint: `s/v + v/a + a/j`; `4·∛(s/2j)` where neither limit is reached; with hardly any
/// limit of jerk the trapezoid, `s/v + v/a`, and the triangle, `2·√(s/a)`.
#[test]
fn one_joint_takes_the_time_of_the_closed_form() {
    let cell = gantry(&far());
    for (length, limits, wanted) in [
        (5.0, limits(2.0, 4.0, 10.0), 5.0 / 2.0 + 2.0 / 4.0 + 4.0 / 10.0),
        (0.01, limits(2.0, 4.0, 10.0), 4.0 * f64::cbrt(0.01 / 2.0 / 10.0)),
        (5.0, limits(2.0, 4.0, 4e3), 5.0 / 2.0 + 2.0 / 4.0 + 4.0 / 4e3),
        (0.5, limits(2.0, 4.0, 4e3), 2.0 * f64::sqrt(0.5 / 4.0)),
    ] {
        let path = [vec![0.0; 3], vec![length, 0.0, 0.0]];
        let driven = drive_path(&cell, &path, &DriveOptions::new(limits, 0.0)).unwrap();
        let found = driven.curve.duration();
        assert!((found - wanted).abs() < 2e-3 * wanted, "{found} for {wanted}");
        assert_eq!(driven.curve.position(found), path[1]);
        assert_eq!(driven.stop_and_go, found);
    }
}

fn check_limits(table: &JointTable, limits: &DriveLimits) {
    let curve = table.curve().unwrap();
    let most = [&limits.velocity, &limits.acceleration, &limits.jerk];
    for k in 0..=10_000 {
        let time = curve.time_at(f64::from(k) / 10_000.0);
        for (order, most) in (1..).zip(most) {
            for (rate, most) in curve.derivative(time, order).iter().zip(most) {
                assert!(rate.abs() <= most * (1.0 + 1e-6), "derivative {order}: {rate} > {most} at {time}");
            }
        }
    }
    // Positions, velocities and accelerations are continuous.
    for &knot in &curve.knots()[1..curve.knots().len() - 1] {
        for (order, most) in [(0, 1e-6), (1, 1e-5), (2, 1e-3)] {
            let [before, after] = [knot - 1e-9, knot + 1e-9].map(|time| curve.derivative(time, order));
            for (a, b) in before.iter().zip(&after) {
                assert!((a - b).abs() < most * (1.0 + limits.jerk[0]), "derivative {order} jumps at {knot}");
            }
        }
    }
}

/// Random paths with random limits and radii: limits hold at samples, waypoints are passed within the radius, and
/// blends are quicker than stops.
#[test]
fn random_paths_keep_their_limits() {
    let cell = gantry(&far());
    let mut random = SplitMix64::new(4);
    for round in 0..120 {
        let count = 2 + (round % 7);
        let mut path: Vec<Vec<f64>> =
            (0..count).map(|_| (0..3).map(|_| random.between(-3.0, 3.0)).collect()).collect();
        // Waypoints that repeat, lie on a line or turn back.
        if round % 5 == 1 && count > 3 {
            path[1] = path[0].clone();
            path[3] = path[2].iter().map(|x| x * 1.5).collect();
        }
        if round % 5 == 2 && count > 2 {
            path[2] = path[0].clone();
        }
        let mut draw =
            |low: f64, high: f64| -> Vec<f64> { (0..3).map(|_| random.between(low, high)).collect() };
        let limits =
            DriveLimits { velocity: draw(0.5, 3.0), acceleration: draw(1.0, 10.0), jerk: draw(10.0, 200.0) };
        let mut options = DriveOptions::new(limits.clone(), random.between(0.01, 1.0));
        if round % 2 == 1 {
            options.shape = BlendShape::Circular;
        }
        let driven = drive_path(&cell, &path, &options).unwrap();
        check_limits(&driven.table, &limits);
        assert!(driven.curve.duration() <= driven.stop_and_go * 1.01);
        assert_eq!(driven.curve.position(0.0), path[0]);
        assert_eq!(&driven.curve.position(driven.curve.duration()), path.last().unwrap());
        for blend in driven.blends.iter().filter(|_| options.shape == BlendShape::Smooth) {
            let near = (0..=4000).map(|k| driven.curve.position(driven.curve.time_at(f64::from(k) / 4000.0)));
            let distance = |values: Vec<f64>| {
                let at = &path[blend.waypoint];
                values.iter().zip(at).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            let nearest = near.map(distance).fold(f64::INFINITY, f64::min) - 2e-3;
            assert!(nearest <= blend.radius + 1e-6, "{nearest} {blend:?}");
        }
    }
}

/// Arcs at random angles have their radius within a five-hundredth.
#[test]
fn circular_blends_have_their_radius() {
    let cell = gantry(&far());
    let (mut random, mut stops) = (SplitMix64::new(9), 0);
    for _ in 0..200 {
        let (angle, radius) = (random.between(0.1, 2.2), random.between(0.05, 0.6));
        let (out, into) = (dvec3(1.0, 0.0, 0.0), dvec3(angle.cos(), angle.sin(), 0.0));
        let lost = radius * (0.5 * angle).tan();
        // Long enough for the radius.
        let length = 3.0 * lost + 0.5;
        let path = [DVec3::ZERO, out * length, (out + into) * length].map(|at| at.to_array().to_vec());
        // A stop is quicker than some arcs: their curvature overshoots where it rises.
        let mut options = DriveOptions::new(limits(10.0, 1.0, 1e3), radius);
        options.shape = BlendShape::Circular;
        let driven = drive_path(&cell, &path, &options).unwrap();
        assert!((driven.blends[0].wanted - radius).abs() < 1e-9 * radius, "{:?}", driven.blends);
        if driven.blends[0].radius == 0.0 {
            stops += 1;
            continue;
        }
        assert_eq!(driven.blends[0].radius, driven.blends[0].wanted);
        check_limits(&driven.table, &options.limits);
        let center = dvec3(length - lost, radius, 0.0);
        let mut on_arc = 0;
        for k in 0..=20_000 {
            let at = DVec3::from_slice(&driven.curve.position(driven.curve.time_at(f64::from(k) / 20_000.0)));
            // Between the planes through the centre that are normal to both segments.
            if (at - center).dot(out) > 0.0 && (at - center).dot(into) < 0.0 {
                on_arc += 1;
                let off = (at.distance(center) - radius).abs();
                assert!(off < 0.002 * radius + 1e-9, "{off} of {radius} at {angle}");
            }
        }
        assert!(on_arc > 10, "{on_arc}");
    }
    assert!(stops < 160, "{stops}");
    // Straight on and back: no arc, but a path.
    for last in [4.0, 0.5] {
        let path = [0.0, 2.0, last].map(|x| vec![x, 0.0, 0.0]);
        let mut options = DriveOptions::new(limits(2.0, 4.0, 40.0), 0.3);
        options.shape = BlendShape::Circular;
        let driven = drive_path(&cell, &path, &options).unwrap();
        assert_eq!(driven.blends[0].radius > 0.0, last > 2.0, "{:?}", driven.blends);
    }
    // Short segments have smaller arcs.
    let path = [vec![0.0; 3], vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0]];
    let mut options = DriveOptions::new(limits(2.0, 4.0, 40.0), 5.0);
    options.shape = BlendShape::Circular;
    let driven = drive_path(&cell, &path, &options).unwrap();
    assert!((driven.blends[0].wanted - 0.45).abs() < 1e-9, "{:?}", driven.blends);
}

/// A bend around a sphere: the full blend collides and is halved until it is proven.
#[test]
fn blends_shrink_until_they_are_proven() {
    let path = [vec![0.0; 3], vec![2.0, 0.0, 0.0], vec![2.0, 2.0, 0.0]];
    let options = DriveOptions::new(limits(2.0, 4.0, 40.0), 0.8);
    let free = drive_path(&gantry(&far()), &path, &options).unwrap();
    assert_eq!((free.blends[0].radius, free.colliding_blends), (0.8, 0));
    let cell = gantry(&[(dvec3(1.75, 0.25, 0.0), 0.1)]);
    let shrunk = drive_path(&cell, &path, &options).unwrap();
    assert!(shrunk.blends[0].radius < 0.8 && shrunk.blends[0].radius > 0.0, "{:?}", shrunk.blends);
    assert!(shrunk.colliding_blends > 0);
    assert!(free.curve.duration() < shrunk.curve.duration() && shrunk.curve.duration() < shrunk.stop_and_go);
    assert_eq!(cell.checker().check_curve(&shrunk.curve), Ok(MotionStatus::Free));
    // The naive blend collides.
    assert!(matches!(cell.checker().check_curve(&free.curve), Ok(MotionStatus::Blocked { .. })));
    // As near to both segments as can be.
    let tight = gantry(&[(dvec3(2.0 - 0.1 - 0.0501, 0.1501, 0.0), 0.05)]);
    let close = drive_path(&tight, &path, &options).unwrap();
    assert!(close.blends[0].radius <= 0.2 && close.blends[0].collides, "{:?}", close.blends);
    let blocked = gantry(&[(dvec3(1.0, 0.0, 0.0), 0.05)]);
    assert!(matches!(drive_path(&blocked, &path, &options), Err(DriveError::Collides { .. })));
    // With a tracking error of 2 cm for each joint less of a blend is left.
    let mut wide = options.clone();
    wide.tracking_error = vec![0.02; 3];
    let tube = drive_path(&cell, &path, &wide).unwrap();
    assert!(tube.blends[0].radius <= shrunk.blends[0].radius);
    assert_eq!(cell.checker().check_tube(&tube.curve, &[0.02; 3]), Ok(MotionStatus::Free));
}

#[test]
fn bad_options_are_refused() {
    let cell = gantry(&far());
    let path = [vec![0.0; 3], vec![1.0, 0.0, 0.0]];
    let options = |blend: f64| DriveOptions::new(limits(1.0, 1.0, 1.0), blend);
    assert_eq!(drive_path(&cell, &path, &options(-1.0)), Err(DriveError::Radius(-1.0)));
    assert!(drive_path(&cell, &path, &options(f64::NAN)).is_err());
    assert_eq!(drive_path(&cell, &path[..1], &options(0.1)), Err(DriveError::TooFew));
    let none = DriveLimits { jerk: vec![0.0; 3], ..limits(1.0, 1.0, 1.0) };
    let error = drive_path(&cell, &path, &DriveOptions::new(none, 0.1));
    assert_eq!(error, Err(DriveError::Curve(JointCurveError::Limit { what: "jerk", variable: 0 })));
}

/// An arm among spheres: whatever is driven is proven, and limits hold.
#[test]
fn an_arm_drives_what_is_proven() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes[..shapes.len().min(4)]).unwrap();
    let model = Model::new(Convex::sphere(0.08).unwrap()).unwrap();
    for (number, place) in
        [dvec3(0.5, 0.3, 0.2), dvec3(-0.4, 0.4, 0.5), dvec3(0.1, -0.6, 0.3)].into_iter().enumerate()
    {
        plan.add_obstacle(&format!("sphere{number}"), &model, Pose::from_translation(place)).unwrap();
    }
    let cell = plan.build();
    let mut checker = cell.checker();
    let mut random = SplitMix64::new(11);
    let (mut driven_paths, mut colliding) = (0, 0);
    for _ in 0..400 {
        let mut path: Vec<Vec<f64>> = Vec::new();
        for _ in 0..5 {
            let base = path.last().cloned();
            let mut draw = |low: f64, high: f64| random.between(low, high);
            path.push(match base {
                Some(base) => base.iter().map(|value| value + draw(-0.8, 0.8)).collect(),
                None => (0..6).map(|_| draw(-1.5, 1.5)).collect(),
            });
        }
        let free = |two: &[Vec<f64>]| checker.check_motion(&two[0], &two[1]) == Ok(MotionStatus::Free);
        if !path.windows(2).all(free) {
            continue;
        }
        let limits = DriveLimits::of_cell(&cell);
        let driven = drive_path(&cell, &path, &DriveOptions::new(limits.clone(), 0.4)).unwrap();
        driven_paths += 1;
        colliding += driven.colliding_blends;
        check_limits(&driven.table, &limits);
        let states: Vec<f64> = (0..=2000)
            .flat_map(|k| driven.curve.position(driven.curve.time_at(f64::from(k) / 2000.0)))
            .collect();
        assert_eq!(checker.any_in_collision(&states), Ok(None));
    }
    eprintln!("{driven_paths} paths, {colliding} blends collide");
    assert!(driven_paths > 20);
}
