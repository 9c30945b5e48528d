//! The JSON of every command fits its schema in `docs/schema`.

use crate::support::{Folder, cubes, json, noli};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema")
}

/// Validates the part of JSON Schema that ours use: type, const, enum, required, properties, items, additionalProperties.
fn validate(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    if let Some(types) = schema.get("type") {
        let all: Vec<&str> = match types {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        if !all.iter().any(|name| is_of(value, name)) {
            return Err(format!("{place}: {value} is not of type {types}"));
        }
    }
    if schema.get("const").is_some_and(|wanted| wanted != value) {
        return Err(format!("{place}: {value} is not {}", schema["const"]));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(value)) {
        return Err(format!("{place}: {value} is none of {}", schema["enum"]));
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if value.is_object() && value.get(name).is_none() {
            return Err(format!("{place}: {name} is missing"));
        }
    }
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for (name, field) in value.as_object().into_iter().flatten() {
        match (properties.get(name), schema.get("additionalProperties")) {
            (Some(schema), _) => validate(field, schema, &format!("{place}.{name}"))?,
            (None, Some(Value::Bool(false))) => return Err(format!("{place}: {name} is not in the schema")),
            (None, Some(schema)) => validate(field, schema, &format!("{place}.{name}"))?,
            (None, None) => {}
        }
    }
    if let Some(items) = schema.get("items") {
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            validate(item, items, &format!("{place}[{number}]"))?;
        }
    }
    Ok(())
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Commands that print JSON, run in a folder of files.
fn reports() -> Vec<Value> {
    let folder = Folder::new("schema");
    let at = |name: &str| folder.join(name).display().to_string();
    folder.file("one.obj", cubes(&[0.0]));
    folder.file("two.obj", cubes(&[0.0, 1.5]));
    folder.file(
        "moving.toml",
        "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 1]\npose = { xyz = [3, 0, 0] }\n[[motion]]\n\
         body = 'a'\nkind = 'straight'\nto = { xyz = [5, 0, 0] }\n[[removal]]\nname = 'out'\npart = 'a'\n",
    );
    folder.file(
        "plan.toml",
        "count = 200\nchunk = 100\nscene = \"\"\"\n[[body]]\nname = 'a'\nbox = [2, 2, 2]\n[[body]]\nname = 'b'\nbox = [2, 2, 2]\n\
         \"\"\"\n[draw]\nkind = \"poses\"\nbody = \"b\"\nlow = [-4, -4, -4]\nhigh = [4, 4, 4]\n",
    );
    let [one, two, moving, plan, db, results] =
        ["one.obj", "two.obj", "moving.toml", "plan.toml", "parts.db", "results.json"].map(at);
    let [convex, proof] = ["convex.obj", "proof.cert"].map(at);
    folder.file("path.csv", "j1,j2\n0,0\n0.5,0.3\n");
    folder.file("cubic.csv", "time,j1,j1_velocity\n0,0,1\n1,3,-1\n");
    let [path, cubic, timed] = ["path.csv", "cubic.csv", "timed.csv"].map(at);
    let turning = crate::coordinate::two_bars(&folder);
    noli(&["check", &two, "--results", &results]);
    noli(&["db", "init", &db]);
    let mut all = Vec::new();
    for words in [
        vec!["check", "--demo", "--json", "--intersections", "all"],
        vec!["check", &two, "--json", "--against", &results],
        vec!["check", &one, "--json"],
        vec!["decompose", &one, "-o", &convex, "--json"],
        vec!["clash", "list", &results, "--json"],
        vec!["field", "x^2 + y^2 + z^2 <= 1", "x^2 + y^2 + (z - 3)^2 <= 1", "--clearance", "--json"],
        vec!["study", &moving, "--json"],
        vec!["study", "--demo", "peg-in-hole", "--disassemble", "--json"],
        vec!["sweep", &moving, "--json"],
        vec!["sweep", &moving, "--volume", &convex, "--boxes", "2", "--json"],
        vec!["play", &moving, "--json"],
        vec!["play", "--demo", "--detail", "1", "--json"],
        vec!["play", "--demo", "rod", "--dynamics", "--frames", "5", "--json"],
        vec!["play", "--demo", "runway", "--contact", "--detail", "1", "--frames", "5", "--json"],
        vec!["campaign", &plan, "plan", "--json"],
        vec!["campaign", &plan, "--json"],
        vec!["campaign", &plan, "status", "--json"],
        vec!["remove", &moving, "a", "--json"],
        vec!["robot", "info", "--demo", "--json"],
        vec!["robot", "check", "--demo", "--clearance", "--json"],
        vec!["robot", "pairs", "--demo", "--cells", "100", "--samples", "100", "--json"],
        vec!["robot", "plan", "--demo", "--from", "j1=0", "--to", "j1=30deg", "--json"],
        vec!["robot", "ik", "--demo", "--pose", "0.4,0.15,0.2,0,1,0,0", "--json"],
        vec!["robot", "limits", "--demo", "--json"],
        vec!["robot", "check", "--demo", "--trajectory", &path, "--clearance", "--json"],
        vec!["robot", "check", "--demo", "--trajectory", &cubic, "--json"],
        vec![
            "robot",
            "plan",
            "--demo",
            "--from",
            "j1=0",
            "--to",
            "j1=30deg",
            "--trajectory",
            &timed,
            "--json",
        ],
        vec!["robot", "sweep", "--demo", "--path", &path, "--volume", &convex, "--boxes", "3", "--json"],
        vec![
            "robot",
            "follow",
            "--demo",
            "--from",
            "j2=-0.9,j3=2.4,j5=0.9",
            "--move",
            "by:0,0,0.05",
            "--json",
        ],
        vec!["robot", "plan", "--demo", "--from", "j1=0", "--to", "j1=30deg", "--upright", "20deg", "--json"],
        vec!["robot", "coordinate", &turning[0], &turning[1], "--depth", "4", "--json"],
        vec!["robot", "run", &turning[0], "--with", &turning[1], "--json"],
        vec!["robot", "run", "--demo", "magazine-clash", "--json", "--db", &db],
        vec!["robot", "jog", "--demo", "--do", "j1 5; teach a", "--json"],
        vec!["prove", "pair", &one, &one, "--at-b", "3,0,0", "-o", &proof, "--json"],
        vec!["verify", &proof, "--json"],
        vec!["prove", "pairs", "--demo", "--cells", "200", "-o", &proof, "--json"],
        vec!["verify", &proof, "--json"],
        vec!["db", "import", &db, &one, "--json"],
        vec!["db", "list", &db, "--json"],
        vec!["db", "show", &db, "one", "--json"],
        vec!["db", "log", &db, "--json"],
        vec!["check", "missing.obj", "--json"],
    ] {
        let report = json(&noli(&words));
        assert!(report["schema"].is_string(), "{words:?}: {report}");
        assert!(words[1] == "missing.obj" || report["schema"] != "noli/error", "{words:?}: {report}");
        all.push(report);
    }
    all
}

#[test]
fn the_json_of_every_command_fits_its_schema() {
    let reports = reports();
    if let Some(target) = std::env::var_os("NOLI_SCHEMAS") {
        return write_schemas(&reports, Path::new(&target));
    }
    let mut used = std::collections::BTreeSet::new();
    for report in &reports {
        let name = report["schema"].as_str().unwrap().trim_start_matches("noli/").to_owned();
        let path = folder().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()));
        let schema: Value = serde_json::from_str(&text).unwrap();
        validate(report, &schema, &name).unwrap_or_else(|why| panic!("{why}"));
        used.insert(name);
    }
    let kept: std::collections::BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, used, "every schema is that of a report");
}

#[test]
fn the_validator_sees_what_does_not_fit() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": {
        "a": { "type": ["number", "null"] }, "b": { "type": "array", "items": { "enum": ["x", "y"] } }, "c": { "const": 1 },
    }});
    assert!(validate(&json!({ "a": null, "b": ["x"], "c": 1, "d": "more" }), &schema, "").is_ok());
    for wrong in
        [json!([]), json!({}), json!({ "a": "1" }), json!({ "a": 1, "b": ["z"] }), json!({ "a": 1, "c": 2 })]
    {
        assert!(validate(&wrong, &schema, "").is_err(), "{wrong}");
    }
}

/// Writes schemas that fit these reports: `NOLI_SCHEMAS=docs/schema cargo test -p noli-cli --test suite schema`, after a
/// field was added. Fields that are always there become required: strike those that need not be.
fn write_schemas(reports: &[Value], target: &Path) {
    let mut groups: std::collections::BTreeMap<&str, Vec<&Value>> = Default::default();
    for report in reports {
        groups.entry(report["schema"].as_str().unwrap()).or_default().push(report);
    }
    for (schema, reports) in groups {
        let name = schema.trim_start_matches("noli/");
        let mut made = shape_of(&reports);
        let fields = made.as_object_mut().unwrap();
        fields.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".to_owned(), format!("noli {}", name.replace('-', " ")).into());
        fields["properties"]["schema"] = json!({ "const": schema });
        fields["properties"]["version"] = json!({ "const": 1 });
        let text = serde_json::to_string_pretty(&made).unwrap() + "\n";
        std::fs::write(target.join(format!("{name}.json")), text).unwrap();
    }
}

/// Fields that are left out where they do not apply.
const OPTIONAL: &str = "after_start against approved around clearance depth duplicate duplicates energy excluded excluded_by exclusions \
    feature_a feature_b fingerprint frames groups id immersion_at_most left_out manner margin method note of others own pairs reason reopened \
    resolved safe_until_s seconds segments separated stopped touching_by_s travelled turns undecided volume which_inside within_tolerance witness";

/// Fields with few words.
const WORDS: [(&str, &[&str]); 3] = [
    ("outcome", &["free", "touching", "undecided"]),
    ("relation", &["intersecting", "inside", "touching", "separated", "undecided"]),
    ("guarantee", &["exact", "conservative", "approximate", "undecided"]),
];

fn shape_of(values: &[&Value]) -> Value {
    let mut types: Vec<&str> = values
        .iter()
        .map(|value| match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        })
        .collect();
    types.sort_unstable();
    types.dedup();
    let mut made = Map::new();
    // What is null in every report may be anything in another.
    if types != ["null"] {
        let named = if types.len() == 1 { json!(types[0]) } else { json!(types) };
        made.insert("type".to_owned(), named);
    }
    let objects: Vec<&Map<String, Value>> = values.iter().filter_map(|value| value.as_object()).collect();
    if !objects.is_empty() {
        let names: std::collections::BTreeSet<&String> =
            objects.iter().flat_map(|object| object.keys()).collect();
        let is_always = |name: &&&String| {
            let is_optional = OPTIONAL.split_whitespace().any(|optional| optional == name.as_str());
            !is_optional && objects.iter().all(|object| object.contains_key(name.as_str()))
        };
        let required: Vec<&&String> = names.iter().filter(is_always).collect();
        if !required.is_empty() {
            made.insert("required".to_owned(), json!(required));
        }
        let properties: Map<String, Value> = names
            .iter()
            .map(|name| {
                let fields: Vec<&Value> = objects.iter().filter_map(|object| object.get(*name)).collect();
                let words = WORDS
                    .iter()
                    .find(|(of, _)| *of == name.as_str() && fields.iter().all(|field| field.is_string()));
                let shape = words.map_or_else(|| shape_of(&fields), |(_, all)| json!({ "enum": all }));
                ((*name).clone(), shape)
            })
            .collect();
        made.insert("properties".to_owned(), properties.into());
    }
    let items: Vec<&Value> = values.iter().filter_map(|value| value.as_array()).flatten().collect();
    if !items.is_empty() {
        made.insert("items".to_owned(), shape_of(&items));
    }
    Value::Object(made)
}
