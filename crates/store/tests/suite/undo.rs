//! Changes taken back and made again.

use crate::support::{add_cube, cube};
use noli_store::{ImportOptions, Store};
use noli_testing::Folder;
use std::path::Path;

/// Everything that the tables hold, as text; contents and prepared trees left out.
fn rows(file: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('blob', 'prepared')";
    let mut tables = connection.prepare(tables).unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let mut all = Vec::new();
    for table in tables {
        let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|k| format!("{:?}", row.get_ref(k).unwrap()));
            Ok(format!("{table}: {}", values.collect::<Vec<_>>().join(", ")))
        };
        all.extend(rows.query_map([], text).unwrap().map(Result::unwrap));
    }
    all.sort();
    all
}

#[test]
fn changes_are_taken_back_and_made_again_to_the_last_bit() {
    let folder = Folder::new("undo");
    let file = folder.join("parts.db");
    let mut store = Store::init(&file).unwrap();
    add_cube(&mut store, "kept", 0.1 + 0.2);
    let composed = |height: f64| {
        noli_store::compose_text()
            .replace("\"base\"\n\n", "\"kept\"\n\n")
            .replace("component = \"disc\"", "component = \"new\"")
            .replace("[0, 0, 100]", &format!("[0, 0, {height}]"))
    };
    let mut states = vec![rows(&file)];
    let mut changes = Vec::new();
    let (mesh, bytes) = cube(1.0 / 3.0);
    std::fs::write(folder.join("new.obj"), &bytes).unwrap();
    assert!(mesh.triangles().len() == 12);
    for step in 0..4 {
        let ((), change) = store
            .watched(|store| {
                match step {
                    0 => drop(store.import(folder.join("new.obj"), &ImportOptions::default())?),
                    1 => drop(store.compose(&composed(100.0), false)?),
                    // In place of the one before, which has rows in five tables.
                    2 => drop(store.compose(&composed(1.0 / 7.0), true)?),
                    _ => store.set_preference("unit", "it's")?,
                }
                Ok(())
            })
            .unwrap();
        assert!(!change.is_empty());
        states.push(rows(&file));
        assert_ne!(states[step], states[step + 1]);
        changes.push(change);
    }
    // A component that a robot needs stays, and nothing is half done.
    let before = rows(&file);
    let refused = store.apply(&changes[0].clone().inverse()).unwrap_err().to_string();
    assert!(refused.contains("nothing was changed"), "{refused}");
    assert_eq!(rows(&file), before);
    for _ in 0..2 {
        for step in (0..4).rev() {
            store.apply(&changes[step].clone().inverse()).unwrap();
            assert_eq!(rows(&file), states[step], "step {step} taken back");
            assert_eq!(store.check().unwrap(), Vec::<String>::new());
        }
        for step in 0..4 {
            store.apply(&changes[step]).unwrap();
            assert_eq!(rows(&file), states[step + 1], "step {step} made again");
        }
    }
    // What fails leaves nothing to take back, and the store goes on unwatched.
    assert!(store.watched(|store| store.compose("name = 3", false)).is_err());
    let (_, none) = store.watched(|store| store.list(None)).unwrap();
    assert!(none.is_empty());
    assert!(store.apply(&changes[1]).is_err(), "what is there is not made twice");
}
