//! Changes into the scene file, as its author wrote it: comments, order and all.

use crate::protocol::Formula;
use crate::trouble::Trouble;
use glam::DVec3;
use noli::Pose;
use std::path::PathBuf;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

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
    let unread =
        |error: toml_edit::TomlError| Trouble::new(format!("the scene file is no TOML: {error}"), "mend it");
    let mut document: DocumentMut = text.parse().map_err(unread)?;
    if let Some(bodies) = document.get_mut("body").and_then(Item::as_array_of_tables_mut) {
        for table in bodies.iter_mut() {
            let name = table.get("name").and_then(Item::as_str).map(str::to_owned);
            if let Some(placed) = wanted.moved.iter().find(|placed| Some(&placed.name) == name.as_ref()) {
                table.insert("pose", Item::Value(Value::InlineTable(pose_table(&placed.pose))));
            }
            let formula = wanted.formulas.iter().find(|(body, _)| Some(body) == name.as_ref());
            if let Some((_, Formula { text, bounds })) = formula {
                table.insert("formula", toml_edit::value(text.as_str()));
                table.remove("bounds");
                if let Some(bounds) = bounds {
                    let vertices = bounds.map(|vertex| Value::Array(vertex.into_iter().collect()));
                    table.insert("bounds", toml_edit::value(Array::from_iter(vertices)));
                }
            }
        }
        bodies.retain(|table| {
            let name = table.get("name").and_then(Item::as_str);
            !wanted.removed.iter().any(|removed| Some(removed.as_str()) == name)
        });
    }
    for (toml, placed) in &wanted.added {
        let fresh: DocumentMut = toml.parse().map_err(unread)?;
        let Some(tables) = fresh.get("body").and_then(Item::as_array_of_tables) else { continue };
        let bodies = document.entry("body").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(bodies) = bodies.as_array_of_tables_mut() else { continue };
        for table in tables.iter() {
            let mut table: Table = table.clone();
            table.insert("pose", Item::Value(Value::InlineTable(pose_table(&placed.pose))));
            // Positions are those of another text.
            table.set_position(None);
            bodies.push(table);
        }
    }
    if let Some(bodies) = document.get_mut("body").and_then(Item::as_array_of_tables_mut) {
        for (of, placed) in &wanted.copied {
            let known =
                bodies.iter().find(|table| table.get("name").and_then(Item::as_str) == Some(of)).cloned();
            let Some(mut table) = known else { continue };
            table.insert("name", toml_edit::value(placed.name.as_str()));
            table.insert("pose", Item::Value(Value::InlineTable(pose_table(&placed.pose))));
            // A copy stands in the world, whatever the other hangs on.
            table.remove("parent");
            table.set_position(None);
            bodies.push(table);
        }
    }
    write_removals(&mut document, &wanted.removals);
    if !wanted.skip.is_empty() || !wanted.margins.is_empty() || wanted.margin.is_some() {
        let check = document.entry("check").or_insert(Item::Table(Table::new()));
        if let Some(check) = check.as_table_like_mut() {
            if let Some(margin) = wanted.margin {
                check.insert("margin", toml_edit::value(margin));
            }
            if !wanted.skip.is_empty() {
                if check.get("skip").is_none() {
                    check.insert("skip", toml_edit::value(Array::new()));
                }
                if let Some(skip) = check.get_mut("skip").and_then(Item::as_array_mut) {
                    for [a, b] in &wanted.skip {
                        skip.push(Value::Array(Array::from_iter([a.as_str(), b.as_str()])));
                    }
                }
            }
            if !wanted.margins.is_empty() {
                if check.get("margins").is_none() {
                    check.insert("margins", toml_edit::value(Array::new()));
                }
                if let Some(margins) = check.get_mut("margins").and_then(Item::as_array_mut) {
                    for ([a, b], margin) in &wanted.margins {
                        let mut table = InlineTable::new();
                        table.insert("pair", Value::Array(Array::from_iter([a.as_str(), b.as_str()])));
                        table.insert("margin", Value::from(*margin));
                        margins.push(Value::InlineTable(table));
                    }
                }
            }
        }
    }
    Ok(document.to_string())
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
