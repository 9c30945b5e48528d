//! Bodies that every interface can place: primitives and mesh files.

use crate::Case;
use serde_json::{Map, Value};
use toml_edit::DocumentMut;

/// Shapes by their names in scenes, with the names of their numbers; without a name, the shape is a list of them.
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

/// A body of a scene.
pub(crate) struct Body {
    pub(crate) name: String,
    /// Shape; three numbers, or a file, its kind and 0; position; quaternion.
    pub(crate) words: String,
    /// `true` if it is left to noli whether a mesh is a solid.
    pub(crate) is_auto: bool,
}

impl Case {
    /// Returns the bodies of the scene; `None` if it has others, or more than bodies.
    pub(crate) fn bodies(&self) -> Option<Vec<Body>> {
        let scene: DocumentMut = self.scene.parse().ok()?;
        let scene = crate::case::entries(scene.as_table());
        let is_plain = |(key, value): (&String, &Value)| key == "body" || key == "units" && value == "mm";
        let bodies = scene.get("body").filter(|_| scene.iter().all(is_plain))?.as_array()?;
        bodies.iter().map(body).collect()
    }
}

fn body(entry: &Value) -> Option<Body> {
    let entry = entry.as_object()?;
    let (shape, names) = SHAPES.iter().find(|(shape, _)| entry.contains_key(*shape))?;
    let nothing = Value::Object(Map::new());
    let pose = entry.get("pose").unwrap_or(&nothing).as_object()?;
    let is_known = |key: &String| ["name", "as", "pose", shape].contains(&key.as_str());
    let is_posed = |key: &String| ["xyz", "quaternion"].contains(&key.as_str());
    if !entry.keys().all(is_known) || !pose.keys().all(is_posed) {
        return None;
    }
    let kind = entry.get("as").and_then(Value::as_str).unwrap_or("auto");
    let given = match &entry[*shape] {
        // Formats with a unit of their own are converted by scenes alone.
        Value::String(file) if file.ends_with(".dae") => return None,
        Value::String(file) => format!("{file} {kind} 0"),
        Value::Object(named) => {
            let mut numbers = names.iter().filter_map(|name| named.get(*name));
            match (numbers.next(), numbers.next()) {
                (Some(Value::Array(list)), _) => filled(list.iter(), [0; 3]),
                (first, second) => filled(first.into_iter().chain(second), [0; 3]),
            }
        }
        list => filled(list.as_array().into_iter().flatten(), [0; 3]),
    };
    let numbers = |key: &str| pose.get(key).and_then(Value::as_array).into_iter().flatten();
    let (xyz, quaternion) = (filled(numbers("xyz"), [0; 3]), filled(numbers("quaternion"), [0, 0, 0, 1]));
    let name = entry.get("name")?.as_str()?.to_owned();
    let is_auto = *shape == "file" && kind == "auto";
    Some(Body { name, words: format!("{shape} {given} {xyz} {quaternion}"), is_auto })
}

/// Returns numbers as words, and others in place of those that are missing.
fn filled<'a, const N: usize>(numbers: impl Iterator<Item = &'a Value>, missing: [i32; N]) -> String {
    let given: Vec<String> = numbers.map(Value::to_string).collect();
    let rest = missing.iter().skip(given.len()).map(i32::to_string).collect();
    [given, rest].concat().join(" ")
}
