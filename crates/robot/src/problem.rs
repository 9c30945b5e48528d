//! Planning problems as MotionBenchMaker (Chamzas and others 2022) and MoveIt write them: a scene of plain bodies and a
//! request with a start and a goal.

use crate::RobotError;
use crate::trajectory::{Node, Value, parse};
use glam::{DQuat, DVec3};
use noli::{Convex, Pose};

/// A body of a problem's scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemBody {
    /// Its name; those of an object with several shapes have a number.
    pub name: String,
    /// Its shape.
    pub shape: Convex,
    /// Where it stands.
    pub pose: Pose,
}

/// A planning problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// What stands around the robot.
    pub bodies: Vec<ProblemBody>,
    /// Pairs of links and bodies that may touch.
    pub allowed: Vec<[String; 2]>,
    /// Joints and their values at the start.
    pub start: Vec<(String, f64)>,
    /// Joints that are to move, and their values at the goal.
    pub goal: Vec<(String, f64)>,
    /// What the scene holds that was left out, in words.
    pub left_out: Vec<String>,
}

/// Reads a problem from the texts of its scene and its request, both in YAML.
///
/// Boxes have their edges, cylinders and cones height and radius, spheres their radius; quaternions are x, y, z, w.
/// Goals are joint constraints.
pub fn read_problem(scene: &str, request: &str) -> Result<Problem, RobotError> {
    let mut problem = Problem::default();
    let scene = parse(scene)?;
    let objects = scene.get("world").and_then(|world| world.get("collision_objects"));
    for object in objects.map_or(Ok(&[][..]), |objects| objects.list("collision_objects"))? {
        read_object(object, &mut problem)?;
    }
    if let Some(matrix) = scene.get("allowed_collision_matrix") {
        read_matrix(matrix, &mut problem)?;
    }
    let request = parse(request)?;
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

fn read_object(object: &Node, problem: &mut Problem) -> Result<(), RobotError> {
    let name = object.need("id")?.text("id")?;
    let base = object.get("pose").map_or(Ok(Pose::IDENTITY), read_pose)?;
    for (kind, what) in [("meshes", "a mesh"), ("planes", "a plane")] {
        if object.get(kind).is_some_and(|list| list.list(kind).is_ok_and(|list| !list.is_empty())) {
            problem.left_out.push(format!("{what} of `{name}`"));
        }
    }
    let Some(primitives) = object.get("primitives") else { return Ok(()) };
    let primitives = primitives.list("primitives")?;
    let poses = object.get("primitive_poses").map_or(Ok(&[][..]), |poses| poses.list("primitive_poses"))?;
    for (number, primitive) in primitives.iter().enumerate() {
        let own = poses.get(number).map_or(Ok(Pose::IDENTITY), read_pose)?;
        let pose = if base == Pose::IDENTITY { own } else { base * own };
        let dimensions: Vec<f64> = primitive
            .need("dimensions")?
            .list("dimensions")?
            .iter()
            .map(|size| size.number("dimensions"))
            .collect::<Result<_, _>>()?;
        let kind = primitive.need("type")?;
        let shape = match (kind.text("type")?.as_str(), &dimensions[..]) {
            ("box" | "1", &[x, y, z]) => Convex::cuboid(DVec3::new(x, y, z)),
            ("sphere" | "2", &[radius]) => Convex::sphere(radius),
            ("cylinder" | "3", &[height, radius]) => Convex::cylinder(height, radius),
            ("cone" | "4", &[height, radius]) => Convex::cone(height, radius),
            _ => return Err(kind.wrong("type", "box, sphere, cylinder or cone, with its dimensions")),
        };
        let shape = shape.map_err(|_| primitive.wrong("dimensions", "lengths of an ordinary size"))?;
        let name = if primitives.len() == 1 { name.clone() } else { format!("{name}/{}", number + 1) };
        problem.bodies.push(ProblemBody { name, shape, pose });
    }
    Ok(())
}

fn read_pose(node: &Node) -> Result<Pose, RobotError> {
    let numbers = |key: &str, other: &str, count: usize| -> Result<Vec<f64>, RobotError> {
        let node = match node.get(key).or_else(|| node.get(other)) {
            Some(node) => node,
            None => return Err(node.missing(&format!("`{key}`"))),
        };
        let values = match &node.value {
            Value::Map(_) => {
                let keys = ["x", "y", "z", "w"];
                keys.iter().take(count).map(|k| node.need(k)?.number(k)).collect::<Result<Vec<_>, _>>()?
            }
            _ => node.list(key)?.iter().map(|value| value.number(key)).collect::<Result<Vec<_>, _>>()?,
        };
        if values.len() == count { Ok(values) } else { Err(node.wrong(key, &format!("{count} numbers"))) }
    };
    let p = numbers("position", "translation", 3)?;
    let q = numbers("orientation", "rotation", 4)?;
    let pose = Pose::new(DQuat::from_xyzw(q[0], q[1], q[2], q[3]), DVec3::new(p[0], p[1], p[2]));
    if pose.is_valid() { Ok(pose) } else { Err(node.wrong("orientation", "a quaternion that is not 0")) }
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
        let problem = read_problem(SCENE, REQUEST).unwrap();
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
            let error = read_problem(&scene, &request).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
