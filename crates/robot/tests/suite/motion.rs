//! Bounds on motion: never exceeded, and how near to the truth.

use crate::support::*;
use glam::DVec3;
use noli_geom::{GroupMember, GroupMotion, Motion, Pose, Sphere};
use noli_robot::*;
use std::sync::Arc;

fn robots_to_test() -> Vec<Arc<Robot>> {
    let mut robots = vec![puma560(PumaSet::FuGonzalezLee), Robot::from_urdf_str(EVERY_KIND).unwrap()];
    robots.extend(real_robots().iter().map(|(_, text)| Robot::from_urdf_str(text).unwrap()));
    robots.into_iter().map(Arc::new).collect()
}

fn somewhere(random: &mut Random) -> Pose {
    Pose::new(glam::DQuat::from_xyzw(0.1, 0.2, -0.4, 0.8), random.in_sphere() * 3.0)
}

/// The largest distance from the start and from the chord that samples of points on the sphere find.
fn sampled(motion: &JointMotion, link: usize, points: &[DVec3], t0: f64, t1: f64) -> (f64, f64) {
    const SAMPLES: usize = 64;
    let (start, end) = (motion.pose(link, t0), motion.pose(link, t1));
    let (mut path, mut stray) = (0.0f64, 0.0f64);
    for k in 0..=SAMPLES {
        let share = k as f64 / SAMPLES as f64;
        let pose = motion.pose(link, t0 + (t1 - t0) * share);
        for &point in points {
            let (a, b) = (start.transform_point(point), end.transform_point(point));
            let now = pose.transform_point(point);
            path = path.max(now.distance(a));
            stray = stray.max(now.distance(a.lerp(b, share)));
        }
    }
    (path, stray)
}

#[test]
fn points_stay_within_travel_and_deviation() {
    let mut random = Random::new(21);
    for robot in robots_to_test() {
        for round in 0..400 {
            let (from, mut to) = (random.configuration(&robot), random.configuration(&robot));
            if round % 3 == 0 {
                // Some joints rest, and some moves are small.
                to.iter_mut().zip(&from).for_each(|(to, from)| {
                    if random.index(2) == 0 {
                        *to = *from;
                    } else {
                        *to = from + (*to - from) * 0.05;
                    }
                });
            }
            let motion = JointMotion::between(robot.clone(), somewhere(&mut random), &from, &to).unwrap();
            let link = random.index(robot.links().len());
            let sphere = Sphere { center: random.in_sphere() * 0.3, radius: random.unit() * 0.2 };
            let mut points = vec![sphere.center];
            points.extend((0..6).map(|_| sphere.center + random.in_sphere().normalize() * sphere.radius));
            let length = [1.0, 0.3, 0.03, 0.001][random.index(4)];
            let t0 = random.unit() * (1.0 - length);
            let t1 = t0 + length;
            let (path, stray) = sampled(&motion, link, &points, t0, t1);
            let travel = motion.travel(link, &sphere, t0, t1);
            let deviation = motion.chord_deviation(link, &sphere, t0, t1);
            assert!(path <= travel, "{}: {path} > {travel}", robot.name());
            assert!(stray <= deviation, "{}: {stray} > {deviation}", robot.name());
        }
    }
}

/// The farthest that points of a sphere at the hand go, against the bound, by the length of the interval.
#[test]
fn bounds_at_the_hand_are_near_the_truth() {
    let mut random = Random::new(4);
    let Some((_, text)) = real_robots().into_iter().next() else { return };
    let robot = Arc::new(Robot::from_urdf_str(&text).unwrap());
    let hand = robot.link("panda_hand").unwrap();
    let sphere = Sphere { center: DVec3::new(0.0, 0.0, 0.05), radius: 0.08 };
    let around: Vec<DVec3> =
        (0..60).map(|_| sphere.center + random.in_sphere().normalize() * sphere.radius).collect();
    let mut means = Vec::new();
    for length in [1.0f64, 0.5, 0.25, 1.0 / 16.0, 1.0 / 256.0] {
        let (mut ratio, mut bend, rounds) = (0.0, 0.0, 300);
        for _ in 0..rounds {
            let from = random.configuration(&robot);
            let toward = random.configuration(&robot);
            // Two radians in all.
            let far: f64 = from.iter().zip(&toward).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            let to: Vec<f64> = from.iter().zip(&toward).map(|(a, b)| a + (b - a) * 2.0 / far).collect();
            let motion = JointMotion::between(robot.clone(), Pose::IDENTITY, &from, &to).unwrap();
            let t0 = random.unit() * (1.0 - length);
            let (path, stray) = sampled(&motion, hand, &around, t0, t0 + length);
            ratio += motion.travel(hand, &sphere, t0, t0 + length) / path / rounds as f64;
            bend += motion.chord_deviation(hand, &sphere, t0, t0 + length) / stray / rounds as f64;
        }
        eprintln!("{length:8.5} of 2 rad: travel {ratio:.3}, deviation {bend:.3} times the truth");
        means.push((ratio, bend));
    }
    assert!(means.iter().all(|(ratio, _)| *ratio < 2.0));
    assert!(means[3..].iter().all(|(ratio, bend)| *ratio < 1.2 && *bend < 2.0), "{means:?}");
}

#[test]
fn one_joint_alone_is_bounded_by_its_own_arc() {
    let robot = Arc::new(puma560(PumaSet::Eaik));
    let motion =
        JointMotion::between(robot, Pose::IDENTITY, &[0.0; 6], &[0.5, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    let point = Sphere { center: DVec3::ZERO, radius: 0.0 };
    let start = motion.pose(6, 0.0).translation;
    let reach = start.x.hypot(start.y);
    let chord = 2.0 * reach * 0.25f64.sin();
    assert!((motion.travel(6, &point, 0.0, 1.0) - chord).abs() < 1e-11);
    assert!(motion.chord_deviation(6, &point, 0.0, 1.0) >= reach * (1.0 - 0.25f64.cos()));
    // What does not move does not travel, but for the rounding of poses.
    assert!(motion.travel(0, &point, 0.0, 1.0) < 1e-12);
}

#[test]
fn all_links_at_once_are_each_link_alone() {
    let mut random = Random::new(6);
    for robot in robots_to_test() {
        let (from, to) = (random.configuration(&robot), random.configuration(&robot));
        let motion =
            Arc::new(JointMotion::between(robot.clone(), somewhere(&mut random), &from, &to).unwrap());
        let mut poses = vec![Pose::IDENTITY; motion.members()];
        for t in [0.0, 0.3, 1.0] {
            motion.poses(t, &mut poses);
            for (link, pose) in poses.iter().enumerate() {
                assert_eq!(motion.pose(link, t), *pose);
                assert_eq!(GroupMember::new(motion.clone(), link).unwrap().pose(t), *pose);
            }
        }
        let mut values = vec![0.0; robot.variables().len()];
        motion.configuration(1.0, &mut values);
        assert_eq!(values, to);
    }
}

#[test]
fn paths_through_several_configurations_bend_at_them() {
    let mut random = Random::new(9);
    let robot = Arc::new(puma560(PumaSet::CorkeArmstrong));
    let keys: Vec<Vec<f64>> = (0..4).map(|_| random.configuration(&robot)).collect();
    let rows: Vec<&[f64]> = keys.iter().map(Vec::as_slice).collect();
    let times = [0.0, 0.2, 0.7, 1.0];
    let motion = JointMotion::through(robot.clone(), Pose::IDENTITY, &times, &rows).unwrap();
    assert_eq!([0.0, 0.2, 0.65, 0.7, 1.0].map(|t| motion.next_bend(t)), [0.2, 0.7, 0.7, 1.0, 1.0]);
    let mut values = vec![0.0; 6];
    for (time, key) in times.iter().zip(&keys) {
        motion.configuration(*time, &mut values);
        assert_eq!(&values, key);
    }
    let sphere = Sphere { center: DVec3::X * 0.1, radius: 0.05 };
    for _ in 0..300 {
        let (a, b) = (random.unit(), random.unit());
        let (t0, t1) = (a.min(b), a.max(b));
        let (path, stray) = sampled(&motion, 6, &[sphere.center], t0, t1);
        assert!(path <= motion.travel(6, &sphere, t0, t1));
        assert!(stray <= motion.chord_deviation(6, &sphere, t0, t1));
    }
    let wrong = |times: &[f64], rows: &[&[f64]]| {
        JointMotion::through(robot.clone(), Pose::IDENTITY, times, rows).unwrap_err()
    };
    assert_eq!(wrong(&[0.0], &rows[..1]), JointMotionError::TooFew(1));
    assert_eq!(wrong(&[0.0, 1.0], &rows), JointMotionError::Count(2, 4));
    assert_eq!(wrong(&[0.0, 0.5, 0.5, 1.0], &rows), JointMotionError::Times(2));
    assert_eq!(wrong(&[0.0, 0.5, f64::NAN, 1.0], &rows), JointMotionError::Times(2));
    assert!(matches!(
        wrong(&[0.0, 1.0], &[&[0.0; 6], &[f64::NAN; 6]]),
        JointMotionError::Configuration(1, _)
    ));
}

/// Keeps to the branch of the configuration before.
fn on_branch<'a>(
    robot: &'a Robot,
    arm: &'a SphericalWrist,
) -> impl FnMut(&Pose, &[f64]) -> Result<Vec<f64>, IkError> + 'a {
    move |pose, near| {
        let all = arm.solve(robot, pose, near)?;
        Ok(arm.place(near, &all[0]))
    }
}

#[test]
fn lines_are_followed_within_their_tolerance() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let mut random = Random::new(12);
    let (mut followed, mut refused) = (0, 0);
    for _ in 0..60 {
        let start: Vec<f64> = robot
            .variables()
            .iter()
            .map(|v| {
                v.limits.range.map_or(0.0, |[a, b]| random.between(0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b))
            })
            .collect();
        let mut poses = vec![Pose::IDENTITY; 7];
        robot.link_poses(&start, &mut poses);
        let turn = glam::DQuat::from_axis_angle(random.in_sphere().normalize(), random.between(0.0, 0.5));
        let to = Pose::new(turn * poses[6].rotation, poses[6].translation + random.in_sphere() * 0.2);
        let line = StraightLine {
            sphere: Sphere { center: DVec3::new(0.0, 0.0, 0.1), radius: 0.05 },
            ..StraightLine::new(6, poses[6], to)
        };
        match line.follow(&robot, &start, &mut on_branch(&robot, &arm)) {
            Err(_) => refused += 1,
            Ok(Followed { motion, deviation }) => {
                followed += 1;
                assert!(deviation <= line.tolerance);
                let wanted = line.motion();
                for k in 0..=500 {
                    let t = k as f64 / 500.0;
                    for out in [DVec3::ZERO, DVec3::X, DVec3::NEG_Y, DVec3::Z] {
                        let point = line.sphere.center + out * line.sphere.radius;
                        let (is, should) =
                            (motion.pose(6, t).transform_point(point), wanted.pose(t).transform_point(point));
                        assert!(is.distance(should) <= deviation, "{} > {deviation}", is.distance(should));
                    }
                }
            }
        }
    }
    assert!(followed > 20 && refused > 0, "{followed} followed, {refused} refused");
}

#[test]
fn lines_that_leave_the_reach_say_where() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let start = [0.0, -45.0, 135.0, 0.0, 60.0, 0.0].map(f64::to_radians);
    let mut poses = vec![Pose::IDENTITY; 7];
    robot.link_poses(&start, &mut poses);
    let out = Pose::new(poses[6].rotation, poses[6].translation + DVec3::X);
    let error =
        StraightLine::new(6, poses[6], out).follow(&robot, &start, &mut on_branch(&robot, &arm)).unwrap_err();
    assert!(error.share > 0.02 && error.share < 0.9, "{error}");
    // The wrist's centre is at the end of the outstretched arm there.
    let wrist = poses[4].translation + DVec3::X * error.share;
    let reach = (0.4318 + 0.02032f64.hypot(0.43307)).hypot(0.14909);
    assert!((wrist.length() - reach).abs() < 2e-3, "{} {reach}: {error}", wrist.length());
}

/// The line bends the wrist through the place where its axes are in line, but passes a little beside it: the
/// fourth joint would have to swing round at once.
#[test]
fn lines_past_a_wrist_in_line_are_refused_there() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let bent = |q5: f64| [0.1, -0.8, 1.9, 0.3, q5, 0.2];
    let tip = |values: &[f64]| {
        let mut poses = vec![Pose::IDENTITY; 7];
        robot.link_poses(values, &mut poses);
        poses[6]
    };
    let line = StraightLine::new(6, tip(&bent(0.2)), tip(&bent(-0.2)));
    let error = line.follow(&robot, &bent(0.2), &mut on_branch(&robot, &arm)).unwrap_err();
    assert!(matches!(error.why, LineFault::Jump { change } if change > 1.0), "{error}");
    assert!((error.share - 0.5).abs() < 0.05, "{error}");
    let short = StraightLine::new(6, tip(&bent(0.2)), tip(&bent(0.05)));
    assert!(short.follow(&robot, &bent(0.2), &mut on_branch(&robot, &arm)).is_ok());
}

#[test]
fn lengths_scale_by_powers_of_two_exactly() {
    let scaled = |factor: f64| {
        let mut table = PumaSet::FuGonzalezLee.table();
        table.rows.iter_mut().for_each(|row| (row.a, row.d) = (row.a * factor, row.d * factor));
        let robot = Arc::new(table.robot().unwrap());
        let to = [0.5, -0.7, 1.1, 0.3, 0.2, -0.4];
        let motion = JointMotion::between(robot, Pose::IDENTITY, &[0.1; 6], &to).unwrap();
        let sphere = Sphere { center: DVec3::new(0.0, 0.1, 0.2) * factor, radius: 0.05 * factor };
        [(0.0, 1.0), (0.25, 0.375)].map(|(t0, t1)| {
            [motion.travel(6, &sphere, t0, t1) / factor, motion.chord_deviation(6, &sphere, t0, t1) / factor]
        })
    };
    for exponent in [-40, -3, 20, 100] {
        assert_eq!(scaled(2f64.powi(exponent)), scaled(1.0), "{exponent}");
    }
}
