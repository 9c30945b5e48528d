//! Bodies that every interface can place: primitives, and mesh files that are told to be solids or surfaces.

use crate::Case;
use serde_json::{Map, Value, json};
use toml_edit::DocumentMut;

/// Shapes by their names in scenes, with the names of their numbers; those without are a list.
const SHAPES: [(&str, &[&str]); 8] = [
    ("box", &[]),
    ("ellipsoid", &["radii"]),
    ("sphere", &["radius"]),
    ("cylinder", &["radius", "height"]),
    ("capsule", &["radius", "length"]),
    ("cone", &["radius", "height"]),
    ("half_space", &[]),
    ("file", &[]),
];

impl Case {
    /// Returns the configurations of a question about a robot.
    pub fn states(&self) -> Vec<Map<String, Value>> {
        let states = self.question.get("states").and_then(Value::as_array).into_iter().flatten();
        states.filter_map(Value::as_object).cloned().collect()
    }

    /// Returns the bodies of the scene with `name`, `shape`, `numbers`, `file`, `solid`, `xyz` and `quaternion`; `None` if
    /// it has others, or more than bodies.
    pub fn bodies(&self) -> Option<Vec<Value>> {
        let scene: DocumentMut = self.scene.parse().ok()?;
        let scene = crate::case::entries(scene.as_table());
        let is_plain = |(key, value): (&String, &Value)| key == "body" || key == "units" && value == "mm";
        if !scene.iter().all(is_plain) {
            return None;
        }
        scene.get("body")?.as_array()?.iter().map(body).collect()
    }
}

fn body(entry: &Value) -> Option<Value> {
    let entry = entry.as_object()?;
    let (shape, names) = SHAPES.iter().find(|(shape, _)| entry.contains_key(*shape))?;
    let given = &entry[*shape];
    let numbers: Vec<Value> = match (names, given) {
        (&["radii"], _) => given["radii"].as_array()?.clone(),
        (_, Value::Array(numbers)) => numbers.clone(),
        (_, Value::Object(named)) => names.iter().map(|name| named.get(*name).cloned()).collect::<Option<_>>()?,
        _ => Vec::new(),
    };
    let solid = entry.get("as").map(|word| word == "solid");
    let nothing = Value::Object(Map::new());
    let pose = entry.get("pose").unwrap_or(&nothing).as_object()?;
    let is_known = |key: &String| ["name", "as", "pose", shape].contains(&key.as_str());
    let is_posed = |key: &String| ["xyz", "quaternion"].contains(&key.as_str());
    (entry.keys().all(is_known) && pose.keys().all(is_posed)).then(|| {
        json!({
            "name": entry["name"], "shape": shape, "numbers": numbers, "file": given.as_str(), "solid": solid,
            "xyz": pose.get("xyz").cloned().unwrap_or(json!([0, 0, 0])),
            "quaternion": pose.get("quaternion").cloned().unwrap_or(json!([0, 0, 0, 1])),
        })
    })
}
