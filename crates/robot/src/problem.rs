//! Planning problems as MotionBenchMaker (Chamzas and others 2022) and MoveIt write them: a scene of plain bodies and a
//! request with a start and a goal.

use crate::planning_scene::{collision_objects, read_objects, read_text};
use crate::yaml::Node;
use crate::{Obstacle, RobotError};

/// A planning problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Obstacles of the robot.
    pub bodies: Vec<Obstacle>,
    /// Pairs of links and bodies that may touch.
    pub allowed: Vec<[String; 2]>,
    /// Joints and their values at the start.
    pub start: Vec<(String, f64)>,
    /// Joints that are to move, and their values at the goal.
    pub goal: Vec<(String, f64)>,
    /// Descriptions of the scene's objects that were left out.
    pub left_out: Vec<String>,
}

impl Problem {
    /// Reads a problem from the texts of its scene and its request, both in YAML.
    ///
    /// Bodies are those of [`Obstacle::from_planning_scene_str`]; what is no plain body is left out, and
    /// said so. Goals are joint constraints.
    pub fn from_yaml_str(scene: &str, request: &str) -> Result<Self, RobotError> {
        let mut problem = Problem::default();
        let scene = read_text(scene)?;
        if let Some(objects) = collision_objects(&scene) {
            let (bodies, odd) = read_objects(objects)?;
            problem.bodies = bodies;
            problem.left_out = odd.into_iter().map(|odd| odd.what).collect();
        }
        if let Some(matrix) = scene.get("allowed_collision_matrix") {
            read_matrix(matrix, &mut problem)?;
        }
        let request = read_text(request)?;
        let state = request.need("start_state")?.need("joint_state")?;
        let (names, values) = (state.need("name")?.list("name")?, state.need("position")?.list("position")?);
        for (name, value) in names.iter().zip(values) {
            problem.start.push((name.text("name")?, value.number("position")?));
        }
        for goal in request.need("goal_constraints")?.list("goal_constraints")?.iter().take(1) {
            for joint in goal.need("joint_constraints")?.list("joint_constraints")? {
                let name = joint.need("joint_name")?.text("joint_name")?;
                problem.goal.push((name, joint.need("position")?.number("position")?));
            }
        }
        if problem.goal.is_empty() {
            return Err(request.missing("`joint_constraints` of a goal"));
        }
        Ok(problem)
    }
}

fn read_matrix(matrix: &Node, problem: &mut Problem) -> Result<(), RobotError> {
    let (Some(names), Some(rows)) = (matrix.get("entry_names"), matrix.get("entry_values")) else {
        return Ok(());
    };
    let names = names.list("entry_names")?.iter().map(|name| name.text("entry_names"));
    let names = names.collect::<Result<Vec<String>, _>>()?;
    for (row, a) in rows.list("entry_values")?.iter().zip(&names) {
        let row = row.get("enabled").unwrap_or(row);
        for (value, b) in row.list("entry_values")?.iter().zip(&names) {
            if a < b && matches!(value.text("entry_values")?.as_str(), "true" | "1") {
                problem.allowed.push([a.clone(), b.clone()]);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const SCENE: &str = "
allowed_collision_matrix:
  entry_names: [a, b, c]
  entry_values:
    - [false, true, false]
    - [true, false, false]
    - [false, false, false]
world:
  collision_objects:
    - id: can
      primitives:
        - type: cylinder
          dimensions: [0.14, 0.03]
      primitive_poses:
        - position: [1, 2, 3]
          orientation: [0, 0, 0, 1]
    - id: shelf
      primitives:
        - {type: box, dimensions: [1, 2, 3]}
        - {type: sphere, dimensions: [0.5]}
      primitive_poses:
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0, 1], orientation: [0, 0, 0, 1]}
";
    const REQUEST: &str = "
start_state:
  joint_state: {name: [j1, j2], position: [0, -0.5]}
goal_constraints:
  - joint_constraints:
      - {joint_name: j1, position: 1.5}
";

    #[test]
    fn scenes_and_requests_are_read() {
        let problem = Problem::from_yaml_str(SCENE, REQUEST).unwrap();
        let names: Vec<&str> = problem.bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["can", "shelf/1", "shelf/2"]);
        assert_eq!(problem.bodies[0].pose.translation, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(problem.allowed, [["a".to_owned(), "b".to_owned()]]);
        assert_eq!(problem.start[1], ("j2".to_owned(), -0.5));
        assert_eq!(problem.goal, [("j1".to_owned(), 1.5)]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (scene, request, said) in [
            (SCENE.replace("[0.14, 0.03]", "[0.14]"), REQUEST.to_owned(), "line 12"),
            (SCENE.to_owned(), "start_state: {}".to_owned(), "joint_state"),
            (SCENE.to_owned(), REQUEST.replace("1.5", "far"), "far"),
        ] {
            let error = Problem::from_yaml_str(&scene, &request).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
