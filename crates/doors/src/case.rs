//! Questions with their answers, from `cases.toml`.

use crate::reply::Reply;
use noli_testing::{Folder, Step};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use toml_edit::{DocumentMut, Item, TableLike};

const TEXT: &str = include_str!("../cases.toml");

/// A question and its answer.
pub struct Case {
    /// Unique.
    pub name: String,
    /// `check`, `sweep`, `remove`, `robot-check`, `robot-pairs` or `robot-plan`.
    pub kind: String,
    /// Files, and further arguments by name.
    pub question: Map<String, Value>,
    /// The scene, if it has one of its own.
    pub scene: String,
    /// The answer, written by hand.
    pub expected: Reply,
}

impl Case {
    /// Reads a case and writes its scene.
    fn read(case: &Value, folder: &Folder) -> Self {
        let mut question = case.as_object().cloned().unwrap_or_default();
        let mut text = |key: &str| match question.remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (name, kind, scene, expected) = (text("name"), text("ask"), text("scene"), text("expect"));
        assert!(!name.is_empty() && !expected.is_empty(), "a case needs a name and `expect`: {name}");
        let kind = if kind.is_empty() { "check".to_owned() } else { kind };
        let case = Self { name, kind, question, scene, expected: Reply::of_text(&expected) };
        if !case.scene.is_empty() {
            folder.file(&case.file(), &case.scene);
        }
        case
    }

    /// Returns the file of the scene.
    pub fn file(&self) -> String {
        format!("{}.toml", self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"))
    }

    /// Returns the files that the question is about.
    pub fn files(&self) -> Vec<String> {
        let named = self.texts("files");
        if named.is_empty() { vec![self.file()] } else { named }
    }

    /// Returns a list of texts of the question; empty if it has none of that name.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let values = self.question.get(name).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns a text of the question; empty if it has none of that name.
    pub fn text(&self, name: &str) -> &str {
        self.question.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the options of the question, by the names that the program has for them.
    pub fn options(&self) -> Map<String, Value> {
        self.question.get("options").and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// Returns the configurations of a question about a robot.
    pub(crate) fn states(&self) -> Vec<Map<String, Value>> {
        let states = self.question.get("states").and_then(Value::as_array).into_iter().flatten();
        states.filter_map(Value::as_object).cloned().collect()
    }

    /// Returns an error as text, without the place of the files and the title that some doors put first; the scene is called
    /// `scene.toml`.
    pub fn error(&self, text: &str, folder: &Folder) -> Reply {
        let place = format!("{}/", folder.display());
        let text = text.replace(&place, "").replace(&self.file(), "scene.toml");
        Reply::error(text.trim_start_matches("scene.toml: "))
    }
}

/// All cases, and the files that they name in a folder of their own.
pub struct Cases {
    /// The folder of the files.
    pub folder: Folder,
    /// The cases, in order.
    pub all: Vec<Case>,
    /// All of `cases.toml`.
    document: Map<String, Value>,
}

impl Cases {
    /// Reads the cases and writes their files.
    ///
    /// # Panics
    ///
    /// If `cases.toml` is not as described at its beginning.
    pub fn open(door: &str) -> Self {
        let document: DocumentMut = TEXT.parse().unwrap_or_else(|error| panic!("cases.toml: {error}"));
        let folder = Folder::new(&format!("doors-{door}"));
        let document = entries(document.as_table());
        for (name, text) in document["files"].as_object().expect("files") {
            folder.file(name, text.as_str().expect("a text").trim_start());
        }
        write_steps(&folder);
        write_grids(&folder);
        let cases = document["case"].as_array().expect("cases");
        let all = cases.iter().map(|case| Case::read(case, &folder)).collect();
        Self { folder, all, document }
    }

    /// Returns the names of cases that a list has for a door: `awaiting_ask` or `own_words`.
    pub fn listed(&self, list: &str, door: &str) -> BTreeSet<String> {
        let names = self.document[list][door].as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// A single occupied cell of an octree with cells of 0.1 m at 0 to 0.1 m along each axis, and distances from the middle of a
/// cube of 5 cells of 0.1 m.
fn write_grids(folder: &Folder) {
    let mut tree = b"# Octomap OcTree binary file\nid OcTree\nsize 17\nres 0.1\ndata\n".to_vec();
    // Sixteen levels, two bits for each child: 11 has children, 01 is occupied.
    tree.extend([0, 0b1100_0000]);
    tree.extend([[0b11, 0]; 14].concat());
    tree.extend([0b10, 0]);
    folder.file("cell.bt", tree);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 5, 5), }";
    let mut distances = [&b"\x93NUMPY\x01\x00\x76\x00"[..], format!("{header:<117}\n").as_bytes()].concat();
    for cell in 0..125_i32 {
        let [x, y, z] = [cell / 25, cell / 5 % 5, cell % 5].map(|k| 0.1 * f64::from(k - 2));
        distances.extend((x.hypot(y).hypot(z) - 0.15).to_le_bytes());
    }
    folder.file("distances.npy", distances);
    let about = r#"{"distances": "distances.npy", "voxel_size": 0.1, "origin": [0.0, 0.0, 0.0]}"#;
    folder.file("distances.json", about);
}

/// A ring of inner radius 10 and shafts that are loose in it, fill it, and are too thick.
fn write_steps(folder: &Folder) {
    let parts = [
        ("ring", [10.0, 20.0], [0.0, 20.0]),
        ("loose", [0.0, 9.99], [-5.0, 25.0]),
        ("equal", [0.0, 10.0], [-5.0, 25.0]),
        ("thick", [0.0, 10.01], [-5.0, 25.0]),
    ];
    for (name, radii, heights) in parts {
        let mut step = Step::default();
        let solid = step.ring(name, radii, heights);
        folder.file(&format!("{name}.step"), step.text(&[solid]));
    }
}

/// Converts a table of TOML.
pub(crate) fn entries(table: &dyn TableLike) -> Map<String, Value> {
    table.iter().map(|(key, item)| (key.to_owned(), json(item))).collect()
}

/// Converts a value of TOML.
fn json(item: &Item) -> Value {
    match item {
        Item::Value(value) => json_of(value),
        Item::ArrayOfTables(all) => all.iter().map(|one| Value::Object(entries(one))).collect(),
        Item::Table(table) => Value::Object(entries(table)),
        Item::None => Value::Null,
    }
}

fn json_of(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Array(all) => all.iter().map(json_of).collect(),
        toml_edit::Value::InlineTable(table) => Value::Object(entries(table)),
        toml_edit::Value::Datetime(_) => panic!("cases.toml has no dates"),
    }
}
