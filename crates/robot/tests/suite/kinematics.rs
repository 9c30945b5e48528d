//! Forward kinematics against a naive chain of matrices, derivatives against differences.

use crate::support::*;
use glam::DVec3;
use noli_geom::Pose;
use noli_robot::*;

fn robots_to_test() -> Vec<Robot> {
    let mut robots: Vec<Robot> = PumaSet::ALL.map(puma560).into();
    robots.push(Robot::from_urdf_str(EVERY_KIND).unwrap());
    robots.extend(real_robots().iter().map(|(_, text)| Robot::from_urdf_str(text).unwrap()));
    robots
}

fn poses_of(robot: &Robot, values: &[f64]) -> Vec<Pose> {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(values, &mut poses);
    poses
}

#[test]
fn links_are_where_a_naive_chain_of_matrices_puts_them() {
    let mut random = Random::new(3);
    for robot in robots_to_test() {
        let mut worst = 0.0f64;
        for _ in 0..2000 {
            let values = random.configuration(&robot);
            let naive = naive_matrices(&robot, &values);
            for (pose, naive) in poses_of(&robot, &values).iter().zip(&naive) {
                let difference = matrix(pose) - *naive;
                let entries = difference.to_cols_array().into_iter().fold(0.0f64, |m, x| m.max(x.abs()));
                worst = worst.max(entries);
            }
        }
        assert!(worst < 1e-13, "{}: {worst:e}", robot.name());
    }
}

#[test]
fn columns_are_the_slopes_of_positions() {
    let mut random = Random::new(8);
    for robot in robots_to_test() {
        let mut columns = vec![Column::default(); robot.variables().len()];
        for _ in 0..20 {
            let values = random.configuration(&robot);
            let poses = poses_of(&robot, &values);
            let link = random.index(robot.links().len());
            let on_link = random.in_sphere();
            let point = poses[link].transform_point(on_link);
            robot.jacobian(&values, &poses, link, point, &mut columns);
            for (k, column) in columns.iter().enumerate() {
                let h = 1e-5;
                let moved = |by: f64| {
                    let mut values = values.clone();
                    values[k] += by;
                    poses_of(&robot, &values)[link]
                };
                let (before, after) = (moved(-h), moved(h));
                let slope = (after.transform_point(on_link) - before.transform_point(on_link)) / (2.0 * h);
                assert!((slope - column.linear).length() < 1e-9 * (1.0 + slope.length()), "{}", robot.name());
                for axis in [DVec3::X, DVec3::Y] {
                    let slope = (after.transform_vector(axis) - before.transform_vector(axis)) / (2.0 * h);
                    let turned = column.angular.cross(poses[link].transform_vector(axis));
                    assert!((slope - turned).length() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn rounding_stays_within_its_bound() {
    let mut random = Random::new(2);
    for robot in robots_to_test() {
        for _ in 0..200 {
            let values = random.configuration(&robot);
            let naive = naive_matrices(&robot, &values);
            let largest: Vec<f64> = values.iter().map(|x| x.abs()).collect();
            for (link, pose) in poses_of(&robot, &values).iter().enumerate() {
                let point = random.in_sphere();
                let off = (pose.transform_point(point) - naive[link].transform_point3(point)).length();
                assert!(off <= 2.0 * robot.pose_error(link, 1.0, &largest), "{off:e}");
            }
        }
    }
}

#[test]
fn published_poses_of_the_puma() {
    // The Robotics Toolbox prints these for its nominal and zero configurations.
    let robot = puma560(PumaSet::CorkeArmstrong);
    let pi = std::f64::consts::PI;
    let nominal = poses_of(&robot, &[0.0, pi / 4.0, pi, 0.0, pi / 4.0, 0.0])[6];
    assert!(nominal.translation.abs_diff_eq(DVec3::new(0.5963, -0.1501, 0.6575), 1e-4), "{nominal:?}");
    assert!(nominal.transform_vector(DVec3::Z).abs_diff_eq(DVec3::X, 1e-12));
    let zero = poses_of(&robot, &[0.0; 6])[6];
    assert!(zero.translation.abs_diff_eq(DVec3::new(0.4521, -0.15, 1.1036), 1e-4), "{zero:?}");
}

#[test]
fn values_that_are_none_give_invalid_poses_and_are_refused() {
    let robot = puma560(PumaSet::Eaik);
    for bad in [f64::NAN, f64::INFINITY, 1e9] {
        let mut values = vec![0.0; 6];
        values[2] = bad;
        assert!(!poses_of(&robot, &values)[6].is_valid());
        assert!(matches!(robot.check_values(&values), Err(ConfigurationError::NotAValue { .. })));
    }
    assert!(matches!(robot.check_values(&[0.0]), Err(ConfigurationError::Count { found: 1, wanted: 6 })));
    assert!(matches!(robot.check_limits(&[9.0; 6]), Err(ConfigurationError::BeyondLimits { .. })));
    assert!(robot.check_limits(&[0.0; 6]).is_ok());
}

#[test]
fn followers_follow_unless_told() {
    let robot = Robot::from_urdf_str(EVERY_KIND).unwrap();
    let (finger, thumb) = (robot.variable("finger").unwrap(), robot.variable("thumb").unwrap());
    let open = robot.configuration(&[("finger", 0.04)]).unwrap();
    assert_eq!(open.0[thumb], -2.0 * 0.04 + 0.01);
    let own = robot.configuration(&[("finger", 0.04), ("thumb", 0.5)]).unwrap();
    assert_eq!((own.0[finger], own.0[thumb]), (0.04, 0.5));
    let error = robot.configuration(&[("fingr", 0.04)]).unwrap_err();
    assert_eq!(error.to_string(), "there is no variable `fingr`; did you mean `finger`?");
}
