//! What stands around a robot, as MoveIt writes it: planning scenes in YAML or JSON.

use crate::error::Fault;
use crate::geometry::{Form, Geometry};
use crate::trajectory::{Node, Value, parse};
use crate::{Place, RobotError};
use glam::{DQuat, DVec3};
use noli_geom::Pose;

/// A body that stands around a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its name.
    pub name: String,
    /// What it is made of, each piece placed in the frame of the scene.
    pub pieces: Vec<Geometry>,
}

/// Reads the collision objects of a planning scene (`moveit_msgs/PlanningScene`, or its `world` alone):
/// boxes, spheres and cylinders with their poses. Objects attached to links, meshes, planes and cones are
/// refused, because what is left out would look free.
///
/// ```
/// let text = "world: {collision_objects: [{id: can, primitives: [{type: cylinder, dimensions: [0.14, 0.03]}],
///     primitive_poses: [{position: [0.5, 0.3, 0.1], orientation: [0, 0, 0, 1]}]}]}";
/// let bodies = noli_robot::read_planning_scene(text)?;
/// assert_eq!(bodies[0].name, "can");
/// assert_eq!(bodies[0].pieces[0].link_from_shape.translation.x, 0.5);
/// # Ok::<(), noli_robot::RobotError>(())
/// ```
pub fn read_planning_scene(text: &str) -> Result<Vec<Obstacle>, RobotError> {
    if text.len() > crate::text::MAX_TEXT {
        return Err(Fault::TooLong { most: crate::text::MAX_TEXT }.into());
    }
    let root = parse(text)?;
    let attached = root.get("robot_state").and_then(|state| state.get("attached_collision_objects"));
    if let Some(Node { value: Value::List(items), place }) = attached
        && !items.is_empty()
    {
        return Err(refused(*place, "an attached object", "give what is carried by itself"));
    }
    let world = root.get("world").unwrap_or(&root);
    let objects = world.get("collision_objects").or_else(|| root.get("collision_objects"));
    let objects = objects.ok_or_else(|| missing(&root, "`world` with `collision_objects`"))?;
    objects.list("collision_objects")?.iter().enumerate().map(|(k, object)| obstacle(k, object)).collect()
}

fn obstacle(number: usize, object: &Node) -> Result<Obstacle, RobotError> {
    let name = match object.get("id").map(|id| &id.value) {
        Some(Value::Scalar(name)) if !name.is_empty() => name.clone(),
        _ => format!("object{}", number + 1),
    };
    for (key, remedy) in [
        ("meshes", "give the mesh as a file by itself"),
        ("planes", "use a large box, or a half space in a scene of your own"),
    ] {
        if let Some(Node { value: Value::List(items), place }) = object.get(key)
            && !items.is_empty()
        {
            return Err(refused(*place, &format!("`{key}` of `{name}`"), remedy));
        }
    }
    let base = object.get("pose").map_or(Ok(Pose::IDENTITY), pose)?;
    let empty: &[Node] = &[];
    let list = |key: &str| object.get(key).map_or(Ok(empty), |node| node.list(key));
    let (primitives, poses) = (list("primitives")?, list("primitive_poses")?);
    if primitives.len() != poses.len() {
        let fault = Fault::RowLength { row: 0, found: poses.len(), wanted: primitives.len() };
        return Err(RobotError::at(object.place, fault));
    }
    let mut pieces = Vec::new();
    for (primitive, place) in primitives.iter().zip(poses) {
        let geometry = Geometry {
            name: Some(name.clone()),
            link_from_shape: base * pose(place)?,
            form: form(primitive)?,
            place: Some(primitive.place),
        };
        geometry.check(&name)?;
        pieces.push(geometry);
    }
    Ok(Obstacle { name, pieces })
}

fn form(primitive: &Node) -> Result<Form, RobotError> {
    let kind = primitive.get("type").ok_or_else(|| missing(primitive, "`type`"))?;
    let Value::Scalar(word) = &kind.value else {
        return Err(refused(kind.place, "a type that is no word", "use box, sphere or cylinder"));
    };
    let node = primitive.get("dimensions").ok_or_else(|| missing(primitive, "`dimensions`"))?;
    let sizes = node.list("dimensions")?;
    let sizes = sizes.iter().map(|size| size.number("dimensions")).collect::<Result<Vec<f64>, _>>()?;
    let wanted = |wanted: usize| {
        let fault = Fault::RowLength { row: 0, found: sizes.len(), wanted };
        if sizes.len() == wanted { Ok(()) } else { Err(RobotError::at(node.place, fault)) }
    };
    // The numbers are those of `shape_msgs/SolidPrimitive`.
    match word.to_ascii_lowercase().as_str() {
        "box" | "1" => {
            wanted(3)?;
            Ok(Form::Box { size: DVec3::new(sizes[0], sizes[1], sizes[2]) })
        }
        "sphere" | "2" => {
            wanted(1)?;
            Ok(Form::Sphere { radius: sizes[0] })
        }
        "cylinder" | "3" => {
            wanted(2)?;
            Ok(Form::Cylinder { length: sizes[0], radius: sizes[1] })
        }
        _ => {
            Err(refused(kind.place, &format!("a primitive of type `{word}`"), "use box, sphere or cylinder"))
        }
    }
}

/// A pose of lists, or of maps as messages are printed.
fn pose(node: &Node) -> Result<Pose, RobotError> {
    let numbers = |key: &str, names: [&str; 4], count: usize| -> Result<Option<[f64; 4]>, RobotError> {
        let Some(part) = node.get(key) else { return Ok(None) };
        let mut all = [0.0; 4];
        if let Value::List(items) = &part.value {
            if items.len() != count {
                let fault = Fault::RowLength { row: 0, found: items.len(), wanted: count };
                return Err(RobotError::at(part.place, fault));
            }
            for (out, item) in all.iter_mut().zip(items) {
                *out = item.number(key)?;
            }
        } else {
            for (out, name) in all.iter_mut().zip(names).take(count) {
                *out = part.get(name).ok_or_else(|| missing(part, &format!("`{name}`")))?.number(name)?;
            }
        }
        Ok(Some(all))
    };
    let at = numbers("position", ["x", "y", "z", ""], 3)?;
    let at = at.ok_or_else(|| missing(node, "`position`"))?;
    let turn = numbers("orientation", ["x", "y", "z", "w"], 4)?.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let pose = Pose::new(DQuat::from_array(turn), DVec3::new(at[0], at[1], at[2]));
    crate::geometry::check_pose(&pose, Some(node.place), || "a pose".to_owned())?;
    Ok(pose)
}

fn missing(node: &Node, what: &str) -> RobotError {
    let fault = Fault::Missing { what: what.to_owned(), place: "the planning scene".to_owned() };
    RobotError::at(node.place, fault)
}

fn refused(place: Place, what: &str, remedy: &'static str) -> RobotError {
    RobotError::at(place, Fault::Refused { what: what.to_owned(), remedy })
}
