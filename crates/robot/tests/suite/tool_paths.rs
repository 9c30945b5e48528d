//! Lines and arcs of a tool with blends: the proven path error against dense samples, and closed forms.

use crate::support::*;
use glam::{DVec3, dvec3};
use noli_geom::{Pose, rotation};
use noli_robot::*;
use std::sync::Arc;

const TIP: usize = 6;

fn tool(robot: &Robot, values: &[f64]) -> Pose {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(values, &mut poses);
    poses[TIP]
}

/// The largest distance of the tool's origin from the path, by samples of both.
fn strayed(robot: &Robot, path: &ToolPath, followed: &FollowedPath) -> f64 {
    let mut most = 0.0f64;
    for (segment, [from, to]) in followed.segments.iter().enumerate() {
        for k in 0..=200 {
            let time = from + (to - from) * f64::from(k) / 200.0;
            let found = tool(robot, &followed.curve.position(time)).translation;
            let far = |share: f64| (path.pose(segment, share).translation - found).length();
            // The nearest place of the segment: samples, then a search between them.
            let best = (0..=400).map(|j| f64::from(j) / 400.0).min_by(|a, b| far(*a).total_cmp(&far(*b)));
            let best = best.unwrap();
            let (mut low, mut high) = ((best - 1.0 / 400.0).max(0.0), (best + 1.0 / 400.0).min(1.0));
            for _ in 0..60 {
                let third = (high - low) / 3.0;
                if far(low + third) < far(high - third) { high -= third } else { low += third }
            }
            most = most.max(far(0.5 * (low + high)));
        }
    }
    most
}

fn random_path(random: &mut Random, start: Pose) -> ToolPath {
    let mut path = ToolPath::starting(start);
    let rounded = random.unit() < 0.5;
    let mut near = |at: &Pose, far: f64| {
        let mut draw = || dvec3(random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5);
        let turn = rotation::exp(draw() * 0.6);
        Pose::new(turn * at.rotation, at.translation + draw() * far)
    };
    let first = near(&path.end(), 0.15);
    path.line_to(first).unwrap();
    if rounded { path.round(0.02) } else { path.blend(0.02) }.unwrap();
    let second = near(&path.end(), 0.15);
    path.line_to(second).unwrap();
    // Through a point near the middle: others make circles beyond reach.
    let third = near(&path.end(), 0.15);
    let middle = Pose::new(third.rotation, 0.5 * (path.end().translation + third.translation));
    let via = near(&middle, 0.05).translation;
    path.arc_to(via, third).unwrap();
    path
}

#[test]
fn the_proven_path_error_holds_at_samples() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(9);
    let (mut followed_paths, mut refused) = (0, 0);
    for round in 0..30 {
        let start: Vec<f64> =
            [0.2, -0.9, 2.9, 0.3, 0.9, -0.2].map(|x| x + 0.6 * (random.unit() - 0.5)).to_vec();
        let path = random_path(&mut random, tool(&robot, &start));
        let mut options = FollowOptions::new(TIP);
        options.tolerance = [1e-3, 1e-4, 1e-5][round % 3];
        options.radius = [0.0, 0.05][round % 2];
        let followed = match path.follow(&robot, &start, &options) {
            Ok(followed) => followed,
            // Random poses may be out of reach, or near a singularity.
            Err(error) => {
                refused += 1;
                eprintln!("round {round}: {error}");
                assert!(matches!(error.why, PathFault::Unreachable(_) | PathFault::Jump(_)), "{error}");
                continue;
            }
        };
        followed_paths += 1;
        assert!(followed.deviation <= options.tolerance);
        let found = strayed(&robot, &path, &followed);
        assert!(found <= followed.deviation, "{found} above {} in round {round}", followed.deviation);
        // It starts and ends at rest, at the right pose.
        let end = tool(&robot, &followed.curve.position(followed.curve.duration()));
        assert!((end.translation - path.end().translation).length() < 1e-8);
        for time in followed.curve.span() {
            assert!(followed.curve.derivative(time, 1).iter().all(|rate| rate.abs() < 1e-6));
        }
    }
    eprintln!("{followed_paths} followed, {refused} refused");
    assert!(followed_paths >= 15);
}

#[test]
fn lengths_are_those_of_closed_forms() {
    let at = |x: f64, y: f64| Pose::from_translation(dvec3(x, y, 0.0));
    let mut arc = ToolPath::starting(at(1.0, 0.0));
    arc.arc_to(dvec3(0.0, 1.0, 0.0), at(-1.0, 0.0)).unwrap();
    assert!((arc.length() - std::f64::consts::PI).abs() < 1e-12);
    for k in 0..=10 {
        assert!((arc.pose(0, f64::from(k) / 10.0).translation.length() - 1.0).abs() < 1e-12);
    }
    // The longer arc, by its via point.
    let mut long = ToolPath::starting(at(1.0, 0.0));
    long.arc_to(dvec3(-1.0, 0.0, 0.0), at(0.0, -1.0)).unwrap();
    assert!((long.length() - 1.5 * std::f64::consts::PI).abs() < 1e-12);
    // A parabola at a right angle with radius r: r (sqrt 2 + ln(1 + sqrt 2)) / sqrt 2.
    let mut bend = ToolPath::starting(at(0.0, 0.0));
    bend.line_to(at(1.0, 0.0)).unwrap();
    bend.blend(0.4).unwrap();
    bend.line_to(at(1.0, 1.0)).unwrap();
    let root = 2f64.sqrt();
    let wanted = 0.6 + 0.6 + 0.4 * (root + (1.0 + root).ln()) / root;
    assert!((bend.length() - wanted).abs() < 1e-6, "{} for {wanted}", bend.length());
    assert_eq!(bend.segments(), 3);
    // No farther from the vertex than its control polygon.
    let nearest = (0..=100).map(|k| (bend.pose(1, f64::from(k) / 100.0).translation - DVec3::X).length());
    let nearest = nearest.fold(f64::INFINITY, f64::min);
    assert!((nearest - 0.4 * root / 4.0).abs() < 1e-9, "{nearest}");
}

/// Arcs between lines at random angles: of the given radius, tangent at both ends, and driven without a stop.
#[test]
fn lines_are_rounded_by_arcs_of_a_radius() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let angle = 0.05 + 2.9 * random.unit();
        let radius = 0.001 + 0.2 * random.unit() / (0.5 * angle).tan();
        let turned = DVec3::X + dvec3(angle.cos(), angle.sin(), 0.0);
        let mut path = ToolPath::starting(Pose::IDENTITY);
        path.line_to(Pose::from_translation(DVec3::X)).unwrap();
        path.round(radius).unwrap();
        path.line_to(Pose::from_translation(turned)).unwrap();
        assert_eq!(path.segments(), 3);
        // Long enough lines keep the radius: each loses r tan(angle / 2).
        let lost = radius * (0.5 * angle).tan();
        assert!(lost < 0.5);
        assert!((path.length() - (2.0 - 2.0 * lost + radius * angle)).abs() < 1e-9, "{radius} {angle}");
        let at = |share: f64| path.pose(1, share).translation;
        let center = dvec3(1.0 - lost, radius, 0.0);
        for k in 0..=50 {
            assert!((at(f64::from(k) / 50.0).distance(center) - radius).abs() < 1e-9);
        }
        assert!(at(0.0).distance(path.pose(0, 1.0).translation) < 1e-12);
        assert!(at(1.0).distance(path.pose(2, 0.0).translation) < 1e-9);
        let leaving = (at(1.0) - at(1.0 - 1e-6)).normalize();
        assert!(leaving.distance(turned - DVec3::X) < 1e-4, "{leaving}");
    }
    // Short lines shrink the arc; opposite ones have none.
    let mut path = ToolPath::starting(Pose::IDENTITY);
    path.line_to(Pose::from_translation(DVec3::X)).unwrap();
    path.round(5.0).unwrap();
    path.line_to(Pose::from_translation(dvec3(1.0, 1.0, 0.0))).unwrap();
    assert!((path.length() - (1.0 + 0.25 * std::f64::consts::PI)).abs() < 1e-9, "{}", path.length());
    let blends: Vec<(usize, BlendRadius)> = path.blends().collect();
    assert!(blends.len() == 1 && blends[0].0 == 1 && blends[0].1.is_cut(), "{blends:?}");
    assert!((blends[0].1.driven - 0.5).abs() < 1e-12 && blends[0].1.wanted == 5.0, "{blends:?}");
    path.round(0.1).unwrap();
    path.line_to(Pose::from_translation(DVec3::X)).unwrap();
    assert_eq!(path.segments(), 4);
    assert!(path.round(-1.0).is_err());
}

/// A blend that a line has no room for reports what is driven: the distance at which the tool leaves the first line.
#[test]
fn blends_report_the_radius_that_is_driven() {
    for (last, driven) in [(0.04, 0.02), (0.2, 0.03)] {
        let mut path = ToolPath::starting(Pose::IDENTITY);
        path.line_to(Pose::from_translation(DVec3::X)).unwrap();
        path.blend(0.03).unwrap();
        path.line_to(Pose::from_translation(dvec3(1.0, last, 0.0))).unwrap();
        let (number, radius) = path.blends().next().unwrap();
        assert!(number == 1 && radius.wanted == 0.03 && (radius.driven - driven).abs() < 1e-12, "{radius:?}");
        assert!((1.0 - path.pose(number, 0.0).translation.x - driven).abs() < 1e-12);
        assert_eq!(radius.is_cut(), driven < 0.03);
    }
}

#[test]
fn impossible_paths_are_refused_with_a_reason() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let start = [0.2, -0.9, 1.4, 0.3, 0.9, -0.2];
    let begin = tool(&robot, &start);
    let away = |by: DVec3| Pose::new(begin.rotation, begin.translation + by);
    let mut far = ToolPath::starting(begin);
    far.line_to(away(dvec3(3.0, 0.0, 0.0))).unwrap();
    let error = far.follow(&robot, &start, &FollowOptions::new(TIP)).unwrap_err();
    assert!(matches!(error.why, PathFault::Unreachable(_) | PathFault::Jump(_)), "{error}");
    let mut elsewhere = ToolPath::starting(away(dvec3(0.0, 0.0, 0.1)));
    elsewhere.line_to(begin).unwrap();
    let error = elsewhere.follow(&robot, &start, &FollowOptions::new(TIP)).unwrap_err();
    assert!(matches!(error.why, PathFault::Start(_)), "{error}");
    let mut path = ToolPath::starting(begin);
    assert_eq!(path.line_to(begin), Err(ToolPathError::Nothing(1)));
    assert_eq!(path.arc_to(begin.translation, away(DVec3::X)), Err(ToolPathError::Straight(1)));
    assert!(path.blend(f64::NAN).is_err());
}
