//! Changes into the scene file, as its author wrote it: comments, order and all.

use crate::protocol::Formula;
use crate::trouble::Trouble;
use glam::DVec3;
use noli::Pose;
use std::path::PathBuf;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// A body as it is to be in the file.
pub(crate) struct Placed {
    pub(crate) name: String,
    /// Its pose relative to its parent.
    pub(crate) pose: Pose,
}

/// A removal path as it is to be in the file.
pub(crate) struct PlacedRemoval {
    pub(crate) name: String,
    pub(crate) part: String,
    /// Parts removed before.
    pub(crate) without: Vec<String>,
    /// The point that moves straight between the poses, in the frame that the entry of the part places.
    pub(crate) pivot: DVec3,
    /// Poses of the entry, relative to its parent.
    pub(crate) keys: Vec<Pose>,
}

/// Target content of a scene file.
pub(crate) struct Wanted {
    /// Bodies with an entry of their own whose pose changed.
    pub(crate) moved: Vec<Placed>,
    /// Text of added bodies, with their poses.
    pub(crate) added: Vec<(String, Placed)>,
    /// Copies: the source body in the file, and the pose of each.
    pub(crate) copied: Vec<(String, Placed)>,
    /// Names of removed bodies.
    pub(crate) removed: Vec<String>,
    /// Bodies with another formula.
    pub(crate) formulas: Vec<(String, Formula)>,
    /// Pairs to leave out, by names or patterns.
    pub(crate) skip: Vec<[String; 2]>,
    /// Margins of some pairs.
    pub(crate) margins: Vec<([String; 2], f64)>,
    /// The margin, if it was changed.
    pub(crate) margin: Option<f64>,
    /// Paths to list as removals.
    pub(crate) removals: Vec<PlacedRemoval>,
}

impl Wanted {
    /// Lists what is written, after a colon; empty if nothing is.
    pub(crate) fn summary(&self) -> String {
        let count = |number: usize, one: &str, many: &str| {
            (number > 0).then(|| noli_pages::words::plural(number, one, many))
        };
        let bodies =
            |number, done: &str| count(number, "body", "bodies").map(|counted| format!("{counted} {done}"));
        let added = self.added.len().saturating_add(self.copied.len());
        let rules = self.skip.len().saturating_add(self.margins.len());
        let parts = [
            bodies(self.moved.len(), "moved"),
            bodies(added, "added"),
            bodies(self.removed.len(), "removed"),
            count(self.formulas.len(), "formula", "formulas"),
            count(rules, "rule for pairs", "rules for pairs"),
            self.margin.map(|margin| format!("margin {margin}")),
            count(self.removals.len(), "removal path", "removal paths"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    }
}

/// Target content of the files of a cell.
pub(crate) struct WantedCell {
    /// Path of the program.
    pub(crate) path: Option<PathBuf>,
    /// Its text, where it reads otherwise now.
    pub(crate) program: Option<String>,
    /// Locations that were taught; nothing for those that are none any more.
    pub(crate) locations: Vec<(String, Option<WrittenLocation>)>,
}

/// A location as the file of a cell has it.
pub(crate) enum WrittenLocation {
    /// The pose of the tool in the world, in metres.
    Pose(Pose),
    /// Joint values of a precision point in radians and metres, and `true` for lengths.
    Joints(Vec<(f64, bool)>),
}

/// The text of a scene with changes.
pub(crate) fn rewritten(text: &str, wanted: &Wanted) -> Result<String, Trouble> {
    let mut document = read(text)?;
    if let Some(bodies) = bodies_of(&mut document) {
        change_bodies(bodies, wanted);
    }
    for (toml, placed) in &wanted.added {
        add_body(&mut document, &read(toml)?, placed);
    }
    if let Some(bodies) = bodies_of(&mut document) {
        for (of, placed) in &wanted.copied {
            copy_body(bodies, of, placed);
        }
    }
    write_removals(&mut document, &wanted.removals);
    write_rules(&mut document, wanted);
    Ok(document.to_string())
}

fn read(text: &str) -> Result<DocumentMut, Trouble> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Trouble::new(format!("invalid TOML in the scene file: {error}"), "correct the file at this place")
    })
}

fn bodies_of(document: &mut DocumentMut) -> Option<&mut ArrayOfTables> {
    document.get_mut("body").and_then(Item::as_array_of_tables_mut)
}

fn name_of(table: &Table) -> Option<&str> {
    table.get("name").and_then(Item::as_str)
}

/// Places bodies, sets their formulas, and removes some.
fn change_bodies(bodies: &mut ArrayOfTables, wanted: &Wanted) {
    bodies.retain(|table| !wanted.removed.iter().any(|removed| Some(removed.as_str()) == name_of(table)));
    for table in bodies.iter_mut() {
        let Some(name) = name_of(table).map(str::to_owned) else { continue };
        if let Some(placed) = wanted.moved.iter().find(|placed| placed.name == name) {
            place(table, placed);
        }
        if let Some((_, formula)) = wanted.formulas.iter().find(|(body, _)| *body == name) {
            table.insert("formula", toml_edit::value(formula.text.as_str()));
            table.remove("bounds");
            if let Some(bounds) = formula.bounds {
                let vertices = bounds.map(|vertex| Value::Array(vertex.into_iter().collect()));
                table.insert("bounds", toml_edit::value(Array::from_iter(vertices)));
            }
        }
    }
}

fn place(table: &mut Table, placed: &Placed) {
    table.insert("pose", Item::Value(Value::InlineTable(pose_table(&placed.pose))));
}

/// Adds the bodies of a text.
fn add_body(document: &mut DocumentMut, fresh: &DocumentMut, placed: &Placed) {
    let Some(tables) = fresh.get("body").and_then(Item::as_array_of_tables) else { return };
    let bodies = document.entry("body").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(bodies) = bodies.as_array_of_tables_mut() else { return };
    for table in tables.iter() {
        let mut table: Table = table.clone();
        place(&mut table, placed);
        // Positions are those of another text.
        table.set_position(None);
        bodies.push(table);
    }
}

/// Adds a copy of a body of the scene.
fn copy_body(bodies: &mut ArrayOfTables, of: &str, placed: &Placed) {
    let Some(mut table) = bodies.iter().find(|table| name_of(table) == Some(of)).cloned() else { return };
    table.insert("name", toml_edit::value(placed.name.as_str()));
    place(&mut table, placed);
    // The pose of a copy is that in the world, although the original may be attached to a body.
    table.remove("parent");
    table.set_position(None);
    bodies.push(table);
}

/// Writes the margin, pairs that are not tested, and margins of pairs.
fn write_rules(document: &mut DocumentMut, wanted: &Wanted) {
    if wanted.skip.is_empty() && wanted.margins.is_empty() && wanted.margin.is_none() {
        return;
    }
    let check = document.entry("check").or_insert(Item::Table(Table::new()));
    let Some(check) = check.as_table_like_mut() else { return };
    if let Some(margin) = wanted.margin {
        check.insert("margin", toml_edit::value(margin));
    }
    let pair = |[a, b]: &[String; 2]| Value::Array(Array::from_iter([a.as_str(), b.as_str()]));
    append(check, "skip", wanted.skip.iter().map(pair));
    let margins = wanted.margins.iter().map(|(names, margin)| {
        let mut table = InlineTable::new();
        table.insert("pair", pair(names));
        table.insert("margin", Value::from(*margin));
        Value::InlineTable(table)
    });
    append(check, "margins", margins);
}

/// Appends values to a list, which is begun with the first of them.
fn append(table: &mut dyn TableLike, key: &str, values: impl Iterator<Item = Value>) {
    for value in values {
        if table.get(key).is_none() {
            table.insert(key, toml_edit::value(Array::new()));
        }
        if let Some(list) = table.get_mut(key).and_then(Item::as_array_mut) {
            list.push(value);
        }
    }
}

/// Writes paths as removals with key frames.
fn write_removals(document: &mut DocumentMut, removals: &[PlacedRemoval]) {
    if removals.is_empty() {
        return;
    }
    let entry = document.entry("removal").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(tables) = entry.as_array_of_tables_mut() else { return };
    for PlacedRemoval { name, part, without, pivot, keys } in removals {
        let last = keys.len().saturating_sub(1).max(1) as f64;
        let keys = keys.iter().enumerate().map(|(k, pose)| {
            let mut key = InlineTable::new();
            key.insert("time", Value::from(k as f64 / last));
            key.insert("xyz", Value::Array(pose.translation.to_array().into_iter().collect()));
            key.insert("quaternion", Value::Array(pose.rotation.to_array().into_iter().collect()));
            Value::InlineTable(key)
        });
        let mut table = Table::new();
        table.insert("name", toml_edit::value(name.as_str()));
        table.insert("part", toml_edit::value(part.as_str()));
        if !without.is_empty() {
            table.insert("without", toml_edit::value(Array::from_iter(without.iter().map(String::as_str))));
        }
        table.insert("kind", toml_edit::value("keyframes"));
        table.insert("pivot", toml_edit::value(Array::from_iter(pivot.to_array())));
        table.insert("keys", toml_edit::value(Array::from_iter(keys)));
        tables.push(table);
    }
}

/// Taught locations, under the names that the file has for them.
pub(crate) fn write_locations(
    document: &mut DocumentMut,
    taught: &[(String, Option<WrittenLocation>)],
    units: noli_formats::Units,
) -> Result<(), Trouble> {
    if taught.is_empty() {
        return Ok(());
    }
    let entry = document.entry("location").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let Some(tables) = entry.as_array_of_tables_mut() else {
        return Err(Trouble::new("the cell has its locations in one list", "write each as [[location]]"));
    };
    let length = |metres: f64| noli_formats::Units::Metre.convert(metres, units);
    for (name, location) in taught {
        let is_it = |table: &Table| {
            table.get("name").and_then(Item::as_str).is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        let written = tables.iter().find(|table| is_it(table));
        let written = written.and_then(|table| table.get("name").and_then(Item::as_str)).map(str::to_owned);
        tables.retain(|table| !is_it(table));
        let Some(location) = location else { continue };
        let mut table = Table::new();
        table.insert("name", toml_edit::value(written.unwrap_or_else(|| name.to_ascii_lowercase())));
        match location {
            WrittenLocation::Pose(pose) => {
                let xyz = pose.translation.to_array().map(length);
                table.insert("xyz", toml_edit::value(Array::from_iter(xyz)));
                table.insert("quaternion", toml_edit::value(Array::from_iter(pose.rotation.to_array())));
            }
            WrittenLocation::Joints(joints) => {
                let value = |(value, slides): &(f64, bool)| if *slides { length(*value) } else { *value };
                table.insert("joints_rad", toml_edit::value(Array::from_iter(joints.iter().map(value))));
            }
        }
        tables.push(table);
    }
    Ok(())
}

pub(crate) fn pose_table(pose: &Pose) -> InlineTable {
    let (p, q) = (pose.translation, pose.rotation);
    let mut table = InlineTable::new();
    table.insert("xyz", Value::Array(p.to_array().into_iter().collect()));
    if q != glam::DQuat::IDENTITY {
        table.insert("quaternion", Value::Array(q.to_array().into_iter().collect()));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_scene_keeps_its_comments_and_says_the_change() {
        let text = "units = \"mm\" # as drawn\n\n[[body]]\nname = \"a\" # the first\nbox = [1, 2, 3]\n\n[[body]]\nname = \"b\"\nsphere = { radius = 1 }\npose = { xyz = [9, 0, 0] }\n";
        let at = |x: f64| Pose::from_translation(DVec3::X * x);
        let wanted = Wanted {
            moved: vec![Placed { name: "b".into(), pose: at(0.1) }],
            added: vec![(
                "[[body]]\nname = \"c\"\nbox = [1, 1, 1]\n".into(),
                Placed { name: "c".into(), pose: at(20.0) },
            )],
            copied: vec![("b".into(), Placed { name: "b-2".into(), pose: at(7.0) })],
            removed: Vec::new(),
            formulas: vec![],
            skip: vec![["a".into(), "b".into()]],
            margins: vec![(["a*".into(), "b".into()], 0.25)],
            margin: Some(0.5),
            removals: vec![PlacedRemoval {
                name: "out".into(),
                part: "b".into(),
                without: vec!["a".into()],
                pivot: DVec3::Y,
                keys: vec![
                    at(0.1),
                    Pose::new(glam::DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8), DVec3::new(9.0, 0.0, 5.0)),
                ],
            }],
        };
        let saved = rewritten(text, &wanted).unwrap();
        assert!(saved.contains("# as drawn") && saved.contains("# the first"), "{saved}");
        let scene =
            noli_project::parse_scene(saved.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{saved}"));
        assert_eq!(scene.bodies[1].pose.translation.x, 0.1);
        assert_eq!((scene.bodies[2].name.as_str(), scene.bodies[2].pose.translation.x), ("c", 20.0));
        assert_eq!((scene.check.skip.len(), scene.check.margins.len(), scene.check.margin), (1, 1, 0.5));
        let copy = scene.bodies.iter().find(|body| body.name == "b-2").expect("the copy is there");
        assert_eq!((copy.pose.translation.x, &copy.shape), (7.0, &scene.bodies[1].shape));
        assert_eq!(scene.removals.len(), 1);
        assert!(scene.removals[0].motion.is_some());
        assert_eq!(scene.removals[0].without, ["a"]);
        let without = rewritten(
            &saved,
            &Wanted {
                moved: vec![],
                added: vec![],
                copied: vec![],
                removed: vec!["c".into()],
                formulas: vec![],
                skip: vec![],
                margins: vec![],
                margin: None,
                removals: vec![],
            },
        );
        assert_eq!(noli_project::parse_scene(without.unwrap().as_bytes()).unwrap().bodies.len(), 3);
    }
}
