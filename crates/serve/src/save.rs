//! Changes into the scene file, as its author wrote it: comments, order and all.

use crate::journal::sum;
use crate::protocol::Event;
use crate::session::{Answer, Session, To, Trouble};
use noli::Pose;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// A body as it is to be in the file.
pub(crate) struct Placed {
    pub(crate) name: String,
    /// Where it stands, told from its parent.
    pub(crate) pose: Pose,
}

/// What a scene file is to say in the end.
pub(crate) struct Wanted {
    /// Bodies with an entry of their own that stand elsewhere.
    pub(crate) moved: Vec<Placed>,
    /// The text of bodies that were added, with where they stand.
    pub(crate) added: Vec<(String, Placed)>,
    /// Copies: of which body of the file, and where each stands.
    pub(crate) copied: Vec<(String, Placed)>,
    /// Names of bodies that were taken out.
    pub(crate) removed: Vec<String>,
    /// Pairs to leave out.
    pub(crate) skip: Vec<[String; 2]>,
    /// The margin, if it was changed.
    pub(crate) margin: Option<f64>,
}

impl Session {
    pub(crate) fn save(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(file) = self.scene_file.clone() else {
            let help =
                "write it as one with `noli scenes write`, or name your files in a scene, and open that";
            return Err(Trouble::new(
                "this project is no scene file, so there is nothing to save into",
                help,
            ));
        };
        let told = |error: std::io::Error| {
            Trouble::new(format!("{}: {error}", file.display()), "check its permissions")
        };
        let text = std::fs::read_to_string(&file).map_err(told)?;
        let (wanted, left) = self.wanted()?;
        let text = rewritten(&text, &wanted)?;
        // What does not read back must not replace what does.
        noli_io::parse_scene(text.as_bytes())
            .map_err(|error| Trouble::new(format!("the changed scene does not read: {error}"), "tell us"))?;
        noli_io::write_whole(&file, text.as_bytes())
            .map_err(|error| Trouble::new(error.to_string(), "check its permissions"))?;
        let (told, left): (Vec<String>, Vec<_>) = left.into_iter().unzip();
        self.saved(sum(text.as_bytes()), left);
        answer.events.push((To::All, self.edits_event()));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = match told.len() {
            0 => format!("Saved into {name}."),
            _ => format!("Saved into {name}, but kept beside it: {}.", told.join("; ")),
        };
        answer.events.push((To::All, Event::Note { text }));
        Ok(())
    }
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
    if !wanted.skip.is_empty() || wanted.margin.is_some() {
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
        }
    }
    Ok(document.to_string())
}

fn pose_table(pose: &Pose) -> InlineTable {
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
    use glam::DVec3;

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
            skip: vec![["a".into(), "b".into()]],
            margin: Some(0.5),
        };
        let saved = rewritten(text, &wanted).unwrap();
        assert!(saved.contains("# as drawn") && saved.contains("# the first"), "{saved}");
        let scene = noli_io::parse_scene(saved.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{saved}"));
        assert_eq!(scene.bodies[1].pose.translation.x, 0.1);
        assert_eq!((scene.bodies[2].name.as_str(), scene.bodies[2].pose.translation.x), ("c", 20.0));
        assert_eq!((scene.check.skip.len(), scene.check.margin), (1, 0.5));
        let copy = scene.bodies.iter().find(|body| body.name == "b-2").expect("the copy is there");
        assert_eq!((copy.pose.translation.x, &copy.shape), (7.0, &scene.bodies[1].shape));
        let without = rewritten(
            &saved,
            &Wanted {
                moved: vec![],
                added: vec![],
                copied: vec![],
                removed: vec!["c".into()],
                skip: vec![],
                margin: None,
            },
        );
        assert_eq!(noli_io::parse_scene(without.unwrap().as_bytes()).unwrap().bodies.len(), 3);
    }
}
