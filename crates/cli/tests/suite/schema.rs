//! The JSON of every command fits its schema in `docs/schema`.
//!
//! [`fits`] tests every report that a test reads, so what is rare (no SRDF, nothing decided, no path) is tested too.
//! `NOLI_SCHEMAS=1 cargo test -p noli-cli --test suite -- --test-threads 1` extends the schemas by what reports have in
//! addition. What it made required may still be absent in reports that no test reads: strike that.

use crate::support::{Folder, cubes, json};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock};

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

/// Commands that print JSON, in a folder of the files that `reports` writes.
const COMMANDS: &str = "\
check --demo --intersections all
check two.obj --against results.json
check one.obj
decompose one.obj -o convex.obj
clash list results.json
field 'x^2 + y^2 + z^2 <= 1' 'x^2 + y^2 + (z - 3)^2 <= 1' --clearance
study moving.toml
study --demo peg-in-hole --disassemble
sweep moving.toml
sweep moving.toml --volume convex.obj --boxes 2
play moving.toml
play --demo --detail 1
play --demo rod --dynamics --frames 5
play --demo runway --contact --detail 1 --frames 5
campaign plan.toml plan
campaign plan.toml
campaign plan.toml status
remove moving.toml a
robot info --demo
robot check --demo --clearance
robot pairs --demo --cells 100 --samples 100
robot plan --demo --from j1=0 --to j1=30deg
robot ik --demo --pose 0.4,0.15,0.2,0,1,0,0
robot limits --demo
robot check --demo --trajectory path.csv --clearance
robot check --demo --trajectory cubic.csv
robot plan --demo --from j1=0 --to j1=30deg --trajectory timed.csv
robot sweep --demo --path path.csv --volume convex.obj --boxes 3
robot follow --demo --from j2=-0.9,j3=2.4,j5=0.9 --move by:0,0,0.05
robot plan --demo --from j1=0 --to j1=30deg --upright 20deg
robot coordinate left.toml right.toml --depth 4
robot run left.toml --with right.toml
robot run --demo magazine-clash --db parts.db
robot jog --demo --do 'j1 5; teach a'
prove pair one.obj one.obj --at-b 3,0,0 -o proof.cert
verify proof.cert
prove pairs --demo --cells 200 -o proof.cert
verify proof.cert
db import parts.db one.obj
db list parts.db
db show parts.db one
db log parts.db
check missing.obj";

/// Runs a command in a folder; what is quoted is one word.
fn run(folder: &Folder, line: &str) -> Output {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        1 => vec![part],
        _ => part.split_whitespace().collect(),
    });
    let mut program = Command::new(crate::PROGRAM);
    program.args(words).env_remove("COLUMNS").current_dir(&folder.0).output().expect("the program starts")
}

/// The reports of all commands.
fn reports() -> Vec<Value> {
    let folder = Folder::new("schema");
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
    folder.file("path.csv", "j1,j2\n0,0\n0.5,0.3\n");
    folder.file("cubic.csv", "time,j1,j1_velocity\n0,0,1\n1,3,-1\n");
    crate::coordinate::two_bars(&folder);
    run(&folder, "check two.obj --results results.json");
    run(&folder, "db init parts.db");
    let report = |line: &str| {
        let report = json(&run(&folder, &format!("{line} --json")));
        assert!(report["schema"].is_string(), "{line}: {report}");
        assert!(line.contains("missing") || report["schema"] != "noli/error", "{line}: {report}");
        report
    };
    COMMANDS.lines().map(report).collect()
}

fn name_of(report: &Value) -> Option<&str> {
    report["schema"].as_str()?.strip_prefix("noli/")
}

fn schema_of(name: &str) -> Value {
    static READ: OnceLock<Mutex<HashMap<String, Value>>> = OnceLock::new();
    let mut read = READ.get_or_init(Mutex::default).lock().unwrap();
    let schema = read.entry(name.to_owned()).or_insert_with(|| {
        let path = folder().join(format!("{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()));
        serde_json::from_str(&text).unwrap()
    });
    schema.clone()
}

/// Panics if a report does not fit its schema, has a field that is not in it, or has a field twice.
pub(crate) fn fits(text: &[u8], report: &Value) {
    let Some(name) = name_of(report) else { return };
    if std::env::var_os("NOLI_SCHEMAS").is_some() {
        return extend_file(name, report);
    }
    let schema = schema_of(name);
    validate(report, &schema, name).unwrap_or_else(|why| panic!("{why}"));
    if let Some(field) = unlisted(report, &schema, name) {
        panic!("{field} is not in the schema: run the tests with NOLI_SCHEMAS=1, and document it");
    }
    serde_json::from_slice::<Distinct>(text).unwrap_or_else(|why| panic!("{name}: {why}"));
}

/// Returns the first field that a schema does not list.
fn unlisted(value: &Value, schema: &Value, place: &str) -> Option<String> {
    let of_field = |(name, field): (&String, &Value)| {
        let place = format!("{place}.{name}");
        match schema["properties"].get(name).or(schema.get("additionalProperties")) {
            Some(schema) => unlisted(field, schema, &place),
            None => Some(place),
        }
    };
    match value {
        Value::Object(fields) => fields.iter().find_map(of_field),
        Value::Array(items) => items.iter().find_map(|item| match schema.get("items") {
            Some(schema) => unlisted(item, schema, &format!("{place}[]")),
            None => Some(format!("{place}[]")),
        }),
        _ => None,
    }
}

/// JSON whose objects have no key twice: parsers differ in which of the two they keep.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Distinct)
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, Distinct)) = map.next_entry::<String, Distinct>()? {
            if let Some(twice) = keys.replace(key) {
                return Err(A::Error::custom(format!("`{twice}` is there twice")));
            }
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Distinct) = items.next_element()? {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

#[test]
fn the_json_of_every_command_fits_its_schema() {
    let used: BTreeSet<String> =
        reports().iter().map(|report| name_of(report).expect("a schema").to_owned()).collect();
    let kept: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(kept, used, "every schema is that of a report");
}

/// Reports in which much is absent: no SRDF, no unit, nothing decided, no path, a program that fails.
#[test]
fn the_json_of_empty_answers_fits_its_schema() {
    let folder = Folder::new("schema-empty");
    let mut open = cubes(&[0.0]);
    open.truncate(open.trim_end().rfind('\n').unwrap() + 1);
    folder.file("open.obj", open);
    folder.file("two.obj", cubes(&[0.0, 1.5]));
    folder.file("far.obj", cubes(&[9.0]));
    folder.file("line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    let link = |name: &str| {
        format!(
            "<link name='{name}'><collision><geometry><box size='.1 .1 .4'/></geometry></collision></link>"
        )
    };
    let joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0 0 .5'/>\
                 <axis xyz='0 1 0'/></joint>";
    folder.file("arm.urdf", format!("<robot name='arm'>{}{}{joint}</robot>", link("a"), link("b")));
    folder.file(
        "shut.toml",
        "[[body]]\nname = 'box'\nbox = [1, 1, 1]\n[[body]]\nname = 'around'\nfile = 'shell.obj'\nas = 'surface'\n",
    );
    folder.file("shell.obj", cubes(&[0.0]));
    folder.file("fails.val", ".PROGRAM p()\nDELAY 1\nMOVE nowhere\n.END\n");
    folder.file("states.csv", "j\n0\n1\n");
    run(&folder, "check two.obj --results results.json");
    run(&folder, "robot run --demo --no-profile --write-demo cell");
    for line in EMPTY.lines() {
        // The test is in `json`.
        let report = json(&run(&folder, &format!("{line} --json")));
        assert!(report["schema"].is_string() && report["schema"] != "noli/error", "{line}: {report}");
    }
}

/// Commands whose answers are empty, or cut short.
const EMPTY: &str = "\
check open.obj
check line.obj
check --demo --steps 0
check two.obj --time 0s
check two.obj --exclude *,*
check two.obj --tolerance 100
clash list results.json
field 'x^2 + y^2 + z^2 <= 1' 'x^2 + y^2 + z^2 <= 1'
remove shut.toml box
remove shut.toml box --steps 1
prove pair two.obj two.obj -o a.cert
robot info arm.urdf
robot pairs arm.urdf
robot limits arm.urdf --around far.obj
robot ik arm.urdf --pose 0,0,0.5
robot check arm.urdf --around two.obj --states states.csv --clearance
robot plan arm.urdf --from j=0 --to j=1 --around two.obj
robot run cell/cell.toml fails.val
robot run cell/cell.toml --no-profile";

#[test]
fn a_program_that_fails_is_one_report_with_its_error() {
    let folder = Folder::new("schema-failure");
    folder.file("fails.val", ".PROGRAM p()\nDELAY 1\nMOVE nowhere\n.END\n");
    run(&folder, "robot run --demo --no-profile --write-demo cell");
    let output = run(&folder, "robot run cell/cell.toml fails.val --json");
    assert_eq!(output.status.code(), Some(2));
    let report = json(&output);
    assert_eq!((&report["schema"], &report["exit_code"]), (&json!("noli/robot-run"), &json!(2)), "{report}");
    let error = report["error"].as_str().unwrap();
    assert!(error.contains("fails.val:3:") && error.contains("NOWHERE"), "{error}");
    assert_eq!((&report["first_failure"]["line"], &report["outcome"]), (&json!(3), &json!("failed")));
}

#[test]
fn keys_that_are_there_twice_are_seen() {
    assert!(serde_json::from_str::<Distinct>("{\"a\": [{\"b\": 1}, {\"b\": null}], \"b\": 2.5}").is_ok());
    let twice =
        serde_json::from_str::<Distinct>("{\"a\": [{\"b\": 1, \"b\": 1}]}").err().unwrap().to_string();
    assert!(twice.contains("`b` is there twice"), "{twice}");
    let schema = json!({ "properties": { "a": { "items": { "properties": { "b": {} } } } } });
    assert_eq!(unlisted(&json!({ "a": [{ "b": 1 }] }), &schema, ""), None);
    assert_eq!(unlisted(&json!({ "a": [{ "c": 1 }] }), &schema, ""), Some(".a[].c".to_owned()));
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

/// Extends a schema file so that a report fits it.
fn extend_file(name: &str, report: &Value) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap();
    let path = folder().join(format!("{name}.json"));
    let old = std::fs::read_to_string(&path).ok();
    let mut schema = old.map_or(json!({}), |text| serde_json::from_str(&text).unwrap());
    extend(&mut schema, report);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("noli {}", name.replace('-', " ")));
    schema["properties"]["schema"] = json!({ "const": format!("noli/{name}") });
    schema["properties"]["version"] = json!({ "const": 1 });
    std::fs::write(path, serde_json::to_string_pretty(&schema).unwrap() + "\n").unwrap();
}

/// Adds types, words and fields to a schema so that a value fits it. A field that is absent is no longer required.
fn extend(schema: &mut Value, value: &Value) {
    let Some(rules) = schema.as_object_mut() else { return };
    if rules.contains_key("const") {
        return;
    }
    if let Some(Value::Array(words)) = rules.get_mut("enum") {
        return if !words.contains(value) {
            words.push(value.clone())
        };
    }
    let types = ["null", "boolean", "number", "string", "array", "object"];
    let own = types.into_iter().find(|name| is_of(value, name)).unwrap_or_default();
    let is_new = !rules.contains_key("type");
    let known = rules.get("type").cloned().unwrap_or(json!(own));
    let mut names: BTreeSet<&str> = match &known {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    if !names.iter().any(|name| is_of(value, name)) {
        names.insert(own);
    }
    let named = if names.len() == 1 { names.pop_first().map(Value::from) } else { Some(json!(names)) };
    rules.insert("type".to_owned(), named.unwrap_or_default());
    if let Value::Object(fields) = value {
        extend_fields(rules, fields, is_new);
    }
    for item in value.as_array().into_iter().flatten() {
        extend(rules.entry("items").or_insert(json!({})), item);
    }
}

fn extend_fields(rules: &mut Map<String, Value>, fields: &Map<String, Value>, is_new: bool) {
    if is_new {
        rules.insert("required".to_owned(), json!(fields.keys().collect::<Vec<_>>()));
    }
    if let Some(Value::Array(required)) = rules.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|name| fields.contains_key(name)));
    }
    let is_open = rules.contains_key("additionalProperties");
    let Some(properties) = rules.entry("properties").or_insert(json!({})).as_object_mut() else { return };
    for (name, field) in fields {
        if !is_open || properties.contains_key(name) {
            extend(properties.entry(name).or_insert(json!({})), field);
        }
    }
}

#[test]
fn a_schema_is_extended_by_what_does_not_fit() {
    let mut schema = json!({});
    for report in [json!({ "a": null, "b": [{ "c": 1 }] }), json!({ "a": "word", "d": true })] {
        extend(&mut schema, &report);
        assert!(validate(&report, &schema, "").is_ok() && unlisted(&report, &schema, "").is_none());
    }
    assert_eq!(schema["required"], json!(["a"]));
    assert_eq!(schema["properties"]["a"]["type"], json!(["null", "string"]));
    assert_eq!(schema["properties"]["b"]["items"]["properties"]["c"]["type"], json!("number"));
    let before = schema.clone();
    extend(&mut schema, &json!({ "a": "other" }));
    assert_eq!(schema, before);
    let mut words = json!({ "enum": ["x"] });
    extend(&mut words, &json!("y"));
    assert_eq!(words, json!({ "enum": ["x", "y"] }));
}
