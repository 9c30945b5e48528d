//! Parts of JSON schemas that tools share.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// Returns the schema of an object with these properties; others are refused.
pub(super) fn input(required: &[&str], properties: Value) -> Value {
    let mut all = properties.as_object().cloned().unwrap_or_default();
    all.extend(limits());
    json!({"type": "object", "properties": all, "required": required, "additionalProperties": false})
}

/// Returns the schema of the options of a question, of an object with more properties; options for the program alone are left
/// out.
pub(super) fn question<Q: JsonSchema>(required: &[&str], more: Value) -> Value {
    let Value::Object(schema) = noli_ask::schema::<Q>() else { return input(required, more) };
    let mut properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    properties.retain(|name, _| !OF_THE_PROGRAM.contains(&name.as_str()));
    properties.extend(more.as_object().cloned().unwrap_or_default());
    input(required, Value::Object(properties))
}

/// Options of questions that calls have not: bundled scenes, and the subject as calls name it.
const OF_THE_PROGRAM: [&str; 2] = ["demo", "detail"];

fn limits() -> Map<String, Value> {
    let time = json!({
        "type": "number", "exclusiveMinimum": 0,
        "description": "Time limit in seconds, at most that of the server; queries not finished by then are undecided.",
    });
    [("time_s".to_owned(), time)].into_iter().collect()
}

/// Returns the schema of an answer: an object that has at least these fields.
pub(super) fn output(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// Schema of a list of files.
pub(super) fn files() -> Value {
    json!({
        "type": "array", "items": {"type": "string"}, "minItems": 1,
        "description": "One scene (.toml), or mesh and CAD files (.stl, .obj, .ply, .off, .gltf, .glb, .3mf, .dae, .dxf, \
            .step, .ifc) or folders of them, relative to a folder of the server. Every object of a file is a part.",
    })
}

/// Schema of poses of parts.
pub(super) fn poses() -> Value {
    json!({
        "type": "object",
        "description": "Poses applied to parts of mesh files, by name of the part or file: {\"gear\": {\"xyz\": [0, 0, 0], \
            \"rpy_deg\": [0, 0, 7.5]}}. Lengths in the unit of the files; rpy_deg is roll, pitch, yaw about fixed axes.",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "xyz": vector(), "rpy_deg": vector(),
                "quaternion_xyzw": {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
            },
            "additionalProperties": false,
        },
    })
}

/// Schema of three numbers.
pub(super) fn vector() -> Value {
    json!({"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3})
}

/// Schema of the unit of mesh files.
pub(super) fn units() -> Value {
    json!({
        "type": "string", "enum": ["m", "cm", "mm", "um", "in", "ft"],
        "description": "Unit of mesh files that do not define one, and of the answer; a scene defines its own.",
    })
}

/// Schema of the flag for a picture.
pub(super) fn picture() -> Value {
    json!({"type": "boolean", "description": "Include a PNG picture of the worst pair (true)."})
}

/// Schema of an outcome.
pub(super) fn outcome() -> Value {
    json!({
        "type": "string", "enum": ["free", "touching", "undecided"],
        "description": "free: proven collision-free; touching: in collision, or closer than the margin; undecided: a limit was reached.",
    })
}

/// Schema of the unit of an answer.
pub(super) fn unit_of_answer() -> Value {
    json!({"type": ["string", "null"], "description": "Unit of all lengths; null if the files do not define it."})
}

/// Schema of a list of texts.
pub(super) fn texts(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

/// Schema of a list of objects.
pub(super) fn objects(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "object"}, "description": description})
}
