//! Goals as poses with tolerances, planning groups, and tools kept upright: checked at dense samples.

use glam::{DVec3, dvec3};
use noli::{Convex, Model, Pose};
use noli_plan::{
    AxisConstraint, Effort, JointOptions, JointPlanError, SplitMix64, plan_joints, plan_to_goals,
};
use noli_robot::cell::{Cell, CellBuilder, MotionStatus};
use noli_robot::{GoalOptions, PoseGoal, PumaSet, Robot, puma560, solve_goal};
use std::f64::consts::PI;
use std::sync::Arc;

const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];
const TIP: usize = 6;

/// A PUMA 560 with a post before it; pairs of its wrist that always collide are disabled.
fn cell(posts: &[DVec3]) -> (Arc<Robot>, Cell) {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    for (number, place) in posts.iter().enumerate() {
        let post = Model::new(Convex::cuboid(dvec3(0.08, 0.08, 1.2)).unwrap()).unwrap();
        plan.add_obstacle(&format!("post{number}"), &post, Pose::from_translation(*place)).unwrap();
    }
    let names: Vec<String> = robot.links().iter().map(|link| link.name.clone()).collect();
    for (k, a) in names.iter().enumerate() {
        for b in names.iter().skip(k + 1).take(3) {
            let _ = plan.disable(a, b, "near each other");
        }
    }
    (robot, plan.build())
}

fn random_values(dice: &mut SplitMix64, robot: &Robot) -> Vec<f64> {
    let one = |variable: &noli_robot::Variable| {
        let [low, high] = variable.limits.range.unwrap_or([-PI, PI]);
        dice.between(low, high)
    };
    robot.variables().iter().map(one).collect()
}

fn effort(seed: u64) -> Effort<'static> {
    Effort { seed, searches: 1, steps: 4_000, ..Effort::default() }
}

/// Samples of a path by plain kinematics.
fn samples(path: &[Vec<f64>], count: u32) -> impl Iterator<Item = Vec<f64>> {
    path.windows(2).flat_map(move |two| {
        (0..=count).map(move |k| {
            let share = f64::from(k) / f64::from(count);
            two[0].iter().zip(&two[1]).map(|(a, b)| a + (b - a) * share).collect()
        })
    })
}

#[test]
fn pose_goals_have_several_solutions_within_their_tolerances() {
    let (robot, _) = cell(&[]);
    let mut dice = SplitMix64::new(3);
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    let mut several = 0;
    for round in 0..60 {
        robot.link_poses(&random_values(&mut dice, &robot), &mut poses);
        let (position, angle) = [(0.0, 0.0), (0.002, 0.05), (0.01, PI)][round % 3];
        let goal = PoseGoal::new(TIP, poses[TIP]).within(position, [angle, angle, PI.min(2.0 * angle)]);
        let all = solve_goal(&robot, &goal, &ALL, &[0.0; 6], &GoalOptions::default()).unwrap();
        several += usize::from(all.len() > 1);
        for values in &all {
            robot.check_limits(values).unwrap();
            // By hand: distance and components of the rotation vector.
            robot.link_poses(values, &mut poses);
            let (found, wanted) = (poses[TIP], goal.root_from_tool);
            assert!((found.translation - wanted.translation).length() <= position + 1e-7);
            let turn = noli_geom::rotation::log(wanted.rotation.conjugate() * found.rotation);
            for (part, most) in turn.to_array().into_iter().zip(goal.angles) {
                assert!(part.abs() <= most + 1e-6, "{part} of {most} in round {round}");
            }
        }
        for (k, a) in all.iter().enumerate() {
            for b in &all[..k] {
                assert!(a.iter().zip(b).any(|(a, b)| (a - b).abs() >= 1e-3), "two alike");
            }
        }
    }
    assert!(several > 40, "{several} of 60 have several solutions");
}

#[test]
fn joints_outside_the_group_stay() {
    let (robot, _) = cell(&[]);
    let start = [0.3, -0.4, 0.6, 0.2, 0.5, -0.1];
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(&[0.5, -0.2, 0.4, 0.2, 0.5, -0.1], &mut poses);
    let goal = PoseGoal::new(TIP, poses[TIP]).within(0.0, [PI; 3]);
    let all = solve_goal(&robot, &goal, &[0, 1, 2], &start, &GoalOptions::default()).unwrap();
    assert!(all.iter().all(|values| [3, 4, 5].iter().all(|&k| values[k] == start[k])));
    assert!(solve_goal(&robot, &goal, &[], &start, &GoalOptions::default()).is_err());
}

/// Random pose goals among posts: paths end within the tolerances, proven, and free at samples.
#[test]
fn paths_to_pose_goals_end_there() {
    let (robot, cell) = cell(&[dvec3(0.5, 0.3, 0.2), dvec3(0.3, -0.55, 0.2)]);
    let mut dice = SplitMix64::new(11);
    let mut checker = cell.checker();
    let (mut solved, mut asked) = (0, 0);
    let start = [0.0, -1.2, 1.6, 0.0, 0.4, 0.0];
    assert_eq!(checker.check_state(&start), Ok(noli_robot::cell::StateStatus::Free), "the start is free");
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    while asked < 12 {
        let values = random_values(&mut dice, &robot);
        if checker.check_state(&values) != Ok(noli_robot::cell::StateStatus::Free) {
            continue;
        }
        asked += 1;
        robot.link_poses(&values, &mut poses);
        let goal = PoseGoal::new(TIP, poses[TIP]).within(0.001, [0.02, 0.02, PI]);
        let goals = solve_goal(&robot, &goal, &ALL, &start, &GoalOptions::default()).unwrap();
        let options = JointOptions { effort: effort(asked), ..JointOptions::default() };
        let Ok(found) = plan_to_goals(&cell, &start, &goals, &ALL, &options) else { continue };
        let Some(path) = found.path else { continue };
        solved += 1;
        assert!(goal.contains(&robot, path.configurations.last().unwrap()));
        for two in path.configurations.windows(2) {
            assert_eq!(checker.check_motion(&two[0], &two[1]), Ok(MotionStatus::Free));
        }
        let states: Vec<f64> = samples(&path.configurations, 300).flatten().collect();
        assert_eq!(checker.any_in_collision(&states), Ok(None));
    }
    eprintln!("{solved} of {asked} solved");
    assert!(solved >= 10);
}

/// The tilt by plain kinematics.
fn tilt(robot: &Robot, kept: &AxisConstraint, values: &[f64]) -> f64 {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(values, &mut poses);
    let axis = poses[kept.link].rotation.normalize() * kept.axis;
    axis.dot(kept.direction).clamp(-1.0, 1.0).acos()
}

/// Random edges: what is proven to stay upright does at samples, and what is not leaves the angle or nearly does.
#[test]
fn upright_edges_stay_upright_at_samples() {
    let (robot, cell) = cell(&[]);
    let mut dice = SplitMix64::new(7);
    let (mut kept_edges, mut left) = (0, 0);
    for _ in 0..400 {
        let from = random_values(&mut dice, &robot);
        let size = dice.between(-4.0, 0.5).exp();
        let to: Vec<f64> = from.iter().map(|x| x + size * dice.between(-1.0, 1.0)).collect();
        let angle = dice.between(0.02, 1.0);
        let kept = AxisConstraint::upright(&cell, [0, TIP], &from, DVec3::Z, angle).unwrap();
        let share = kept.proven_share(&cell, &from, &to);
        let path = [from.clone(), to.clone()];
        let bound = kept.bound(&cell, &from, &to, 1e-3);
        let mut most = 0.0f64;
        for (k, values) in samples(&path, 2000).enumerate() {
            let found = tilt(&robot, &kept, &values);
            most = most.max(found);
            assert!(k as f64 / 2000.0 > share || found <= angle + 1e-9, "{found} of {angle} at {k}");
        }
        assert!(most <= bound && bound <= most + 3e-3, "{most} and {bound}");
        if share < 1.0 {
            left += 1;
            assert!(most > angle - 1e-3, "refused without reason: {most} of {angle}");
        } else {
            kept_edges += 1;
        }
    }
    assert!(kept_edges > 50 && left > 50, "{kept_edges} {left}");
}

/// A tool carried level past a post.
#[test]
fn a_level_tool_stays_level_on_the_whole_path() {
    let (robot, cell) = cell(&[dvec3(0.55, 0.0, 0.2)]);
    let mut checker = cell.checker();
    let mut dice = SplitMix64::new(21);
    let limit = 15f64.to_radians();
    let (mut solved, mut asked) = (0, 0);
    while asked < 6 {
        let from = random_values(&mut dice, &robot);
        let kept = AxisConstraint::upright(&cell, [0, TIP], &from, DVec3::Z, limit).unwrap();
        // Another place with the tool as it is.
        let goal = PoseGoal::new(TIP, {
            let mut poses = vec![Pose::IDENTITY; robot.links().len()];
            robot.link_poses(&from, &mut poses);
            let around = noli_geom::rotation::exp(DVec3::Z * dice.between(-1.5, 1.5));
            Pose::new(around * poses[TIP].rotation, around * poses[TIP].translation)
        })
        .within(0.0, [0.0; 3]);
        if checker.check_state(&from) != Ok(noli_robot::cell::StateStatus::Free) {
            continue;
        }
        let Ok(goals) = solve_goal(&robot, &goal, &ALL, &from, &GoalOptions::default()) else { continue };
        let constraints = [kept];
        let mut options = JointOptions { effort: effort(asked + 1), ..JointOptions::default() };
        options.constraints = &constraints;
        match plan_to_goals(&cell, &from, &goals, &ALL, &options) {
            Ok(found) => {
                asked += 1;
                let Some(path) = found.path else { continue };
                solved += 1;
                for values in samples(&path.configurations, 500) {
                    let found = tilt(&robot, &kept, &values);
                    assert!(found <= limit + 1e-9, "{found}");
                }
                for two in path.configurations.windows(2) {
                    assert_eq!(checker.check_motion(&two[0], &two[1]), Ok(MotionStatus::Free));
                }
            }
            Err(JointPlanError::NotFree { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    }
    eprintln!("{solved} of {asked} solved");
    assert!(solved >= 4);
    // A goal that is not level is refused by name.
    let start = [0.0, -1.2, 1.6, 0.0, 0.4, 0.0];
    let kept = AxisConstraint::upright(&cell, [0, TIP], &start, DVec3::Z, 0.01).unwrap();
    let constraints = [kept];
    let mut options = JointOptions { effort: effort(1), ..JointOptions::default() };
    options.constraints = &constraints;
    let tilted = [0.0, -1.2, 1.6, 0.0, 0.9, 0.0];
    let refused = plan_joints(&cell, &start, &tilted, &ALL, &options);
    assert!(matches!(refused, Err(JointPlanError::Constraint { end: "goal", .. })), "{refused:?}");
}
