//! Obstacles in MoveIt's format: planning scenes in YAML or JSON.

use crate::error::Fault;
use crate::geometry::check_pose;
use crate::yaml::{Node, Value, parse};
use crate::{Place, RobotError};
use glam::{DQuat, DVec3};
use noli::{Convex, Pose};

/// An obstacle of a robot: one shape of a collision object.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its name; those of an object with several shapes have a number.
    pub name: String,
    /// Its shape.
    pub shape: Convex,
    /// Pose in the frame of the scene.
    pub pose: Pose,
}

/// An object that is not a primitive.
pub(crate) struct Odd {
    pub(crate) place: Place,
    pub(crate) what: String,
    remedy: &'static str,
}

impl Obstacle {
    /// Reads the collision objects of a planning scene (`moveit_msgs/PlanningScene`, or its `world` alone):
    /// boxes, spheres, cylinders and cones with their poses. Objects attached to links, meshes and planes are
    /// refused, because what is left out would look free.
    ///
    /// ```
    /// let text = "world: {collision_objects: [{id: can, primitives: [{type: cylinder, dimensions: [0.14, 0.03]}],
    ///     primitive_poses: [{position: [0.5, 0.3, 0.1], orientation: [0, 0, 0, 1]}]}]}";
    /// let bodies = noli_robot::Obstacle::from_planning_scene_str(text)?;
    /// assert_eq!(bodies[0].name, "can");
    /// assert_eq!(bodies[0].pose.translation.x, 0.5);
    /// # Ok::<(), noli_robot::RobotError>(())
    /// ```
    pub fn from_planning_scene_str(text: &str) -> Result<Vec<Self>, RobotError> {
        let root = read_text(text)?;
        let attached = root.get("robot_state").and_then(|state| state.get("attached_collision_objects"));
        if let Some(Node { value: Value::List(items), place }) = attached
            && !items.is_empty()
        {
            let remedy = "give what is carried by itself";
            return Err(refused(Odd { place: *place, what: "an attached object".to_owned(), remedy }));
        }
        let objects =
            collision_objects(&root).ok_or_else(|| missing(&root, "`world` with `collision_objects`"))?;
        let (bodies, odd) = read_objects(objects)?;
        odd.into_iter().next().map_or(Ok(bodies), |odd| Err(refused(odd)))
    }
}

/// A text of an ordinary length.
pub(crate) fn read_text(text: &str) -> Result<Node, RobotError> {
    let most = crate::text::MAX_TEXT;
    if text.len() > most { Err(Fault::TooLong { most }.into()) } else { parse(text) }
}

/// The list of collision objects of a scene, or of its world alone.
pub(crate) fn collision_objects(root: &Node) -> Option<&Node> {
    let world = root.get("world").unwrap_or(root);
    world.get("collision_objects").or_else(|| root.get("collision_objects"))
}

/// All plain bodies of a list of collision objects, and what else there is.
pub(crate) fn read_objects(objects: &Node) -> Result<(Vec<Obstacle>, Vec<Odd>), RobotError> {
    let (mut bodies, mut odd) = (Vec::new(), Vec::new());
    for (number, object) in objects.list("collision_objects")?.iter().enumerate() {
        read_object(number, object, &mut bodies, &mut odd)?;
    }
    Ok((bodies, odd))
}

fn read_object(
    number: usize,
    object: &Node,
    bodies: &mut Vec<Obstacle>,
    odd: &mut Vec<Odd>,
) -> Result<(), RobotError> {
    let name = match object.get("id").map(|id| &id.value) {
        Some(Value::Scalar(name)) if !name.is_empty() => name.clone(),
        _ => format!("object{}", number.saturating_add(1)),
    };
    for (key, remedy) in [
        ("meshes", "give the mesh as a file by itself"),
        ("planes", "use a large box, or a half space in a scene of your own"),
    ] {
        if let Some(Node { value: Value::List(items), place }) = object.get(key)
            && !items.is_empty()
        {
            odd.push(Odd { place: *place, what: format!("`{key}` of `{name}`"), remedy });
        }
    }
    let base = object.get("pose").map(read_pose).transpose()?;
    let list = |key: &str| object.get(key).map_or(Ok(&[][..]), |node| node.list(key));
    let (primitives, poses) = (list("primitives")?, list("primitive_poses")?);
    if primitives.len() != poses.len() && !poses.is_empty() {
        let fault = Fault::RowLength { row: 0, found: poses.len(), wanted: primitives.len() };
        return Err(RobotError::at(object.place, fault));
    }
    for (number, primitive) in primitives.iter().enumerate() {
        let own = poses.get(number).map(read_pose).transpose()?;
        let pose = match (base, own) {
            (Some(base), Some(own)) => base * own,
            (pose, None) | (None, pose) => pose.unwrap_or(Pose::IDENTITY),
        };
        let name =
            if primitives.len() == 1 { name.clone() } else { format!("{name}/{}", number.saturating_add(1)) };
        bodies.push(Obstacle { name, shape: read_shape(primitive)?, pose });
    }
    Ok(())
}

fn read_shape(primitive: &Node) -> Result<Convex, RobotError> {
    let kind = primitive.get("type").ok_or_else(|| missing(primitive, "`type`"))?;
    let node = primitive.get("dimensions").ok_or_else(|| missing(primitive, "`dimensions`"))?;
    let sizes = node.list("dimensions")?.iter().map(|size| size.number("dimensions"));
    let sizes = sizes.collect::<Result<Vec<f64>, _>>()?;
    // The numbers are those of `shape_msgs/SolidPrimitive`.
    let shape = match (kind.text("type")?.to_ascii_lowercase().as_str(), &sizes[..]) {
        ("box" | "1", &[x, y, z]) => Convex::cuboid(DVec3::new(x, y, z)),
        ("sphere" | "2", &[radius]) => Convex::sphere(radius),
        ("cylinder" | "3", &[height, radius]) => Convex::cylinder(height, radius),
        ("cone" | "4", &[height, radius]) => Convex::cone(height, radius),
        _ => return Err(kind.wrong("type", "box, sphere, cylinder or cone, with its dimensions")),
    };
    shape.map_err(|_| node.wrong("dimensions", "lengths of an ordinary size"))
}

/// A pose of lists, or of maps as messages are printed.
fn read_pose(node: &Node) -> Result<Pose, RobotError> {
    let numbers = |[key, other]: [&str; 2], count: usize| -> Result<Option<Vec<f64>>, RobotError> {
        let Some(part) = node.get(key).or_else(|| node.get(other)) else { return Ok(None) };
        let all = if let Value::Map(_) = &part.value {
            let names = ["x", "y", "z", "w"].into_iter().take(count);
            let number =
                |name: &str| part.get(name).ok_or_else(|| missing(part, &format!("`{name}`")))?.number(name);
            names.map(number).collect::<Result<Vec<_>, _>>()?
        } else {
            part.list(key)?.iter().map(|item| item.number(key)).collect::<Result<Vec<_>, _>>()?
        };
        if all.len() != count {
            let fault = Fault::RowLength { row: 0, found: all.len(), wanted: count };
            return Err(RobotError::at(part.place, fault));
        }
        Ok(Some(all))
    };
    let at = numbers(["position", "translation"], 3)?.ok_or_else(|| missing(node, "`position`"))?;
    let turn = numbers(["orientation", "rotation"], 4)?.unwrap_or_else(|| vec![0.0, 0.0, 0.0, 1.0]);
    let turn = DQuat::from_slice(&turn);
    let pose = Pose::new(turn, DVec3::from_slice(&at));
    check_pose(&pose, Some(node.place), || "a pose".to_owned())?;
    Ok(pose)
}

fn missing(node: &Node, what: &str) -> RobotError {
    let fault = Fault::Missing { what: what.to_owned(), place: "the planning scene".to_owned() };
    RobotError::at(node.place, fault)
}

fn refused(odd: Odd) -> RobotError {
    RobotError::at(odd.place, Fault::Refused { what: odd.what, remedy: odd.remedy })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(object: &str) -> String {
        format!("world:\n  collision_objects:\n    - {{id: thing, {object}}}\n")
    }

    #[test]
    fn poses_of_objects_and_of_their_shapes_are_multiplied() {
        let text = scene(
            "pose: {position: {x: 1, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 1, w: 0}}, \
             primitives: [{type: 1, dimensions: [1, 2, 3]}, {type: CONE, dimensions: [2, 1]}], \
             primitive_poses: [{position: [1, 0, 0]}, {translation: [0, 1, 0], rotation: [0, 0, 0, 1]}]",
        );
        let bodies = Obstacle::from_planning_scene_str(&text).unwrap();
        let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["thing/1", "thing/2"]);
        assert_eq!(bodies[0].pose.translation, DVec3::ZERO);
        assert_eq!(bodies[1].pose.translation, DVec3::new(1.0, -1.0, 0.0));
        assert_eq!(bodies[1].shape, Convex::cone(2.0, 1.0).unwrap());
        // A shape without a pose of its own stands where its object does.
        let text = scene("pose: {position: [0, 0, 5]}, primitives: [{type: sphere, dimensions: [1]}]");
        assert_eq!(Obstacle::from_planning_scene_str(&text).unwrap()[0].pose.translation.z, 5.0);
    }

    #[test]
    fn what_would_look_free_is_refused() {
        let attached = "robot_state: {attached_collision_objects: [{link_name: hand}]}\n\
                        world: {collision_objects: []}";
        for (text, said) in [
            (scene("meshes: [{}]"), "meshes"),
            (scene("planes: [{coef: [0, 0, 1, 0]}]"), "planes"),
            (scene("primitives: [{type: box, dimensions: [1, 2]}]"), "dimensions"),
            (scene("primitives: [{type: box, dimensions: [1, 2, -3]}]"), "ordinary size"),
            (scene("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{}]"), "position"),
            (
                scene(
                    "primitives: [{type: sphere, dimensions: [1]}], \
                     primitive_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 0]}]",
                ),
                "length 0",
            ),
            (attached.to_owned(), "attached"),
            ("name: empty".to_owned(), "collision_objects"),
        ] {
            let error = Obstacle::from_planning_scene_str(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
