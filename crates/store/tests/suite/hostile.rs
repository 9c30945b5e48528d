//! Databases that strangers made or changed: refused in words, and nothing in them is run or written elsewhere.

use crate::support::add_cube;
use noli_store::Store;
use noli_testing::Folder;
use std::path::{Path, PathBuf};

fn changed(folder: &Folder, name: &str, sql: &str) -> PathBuf {
    let file = folder.join(name);
    let mut store = Store::init(&file).unwrap();
    add_cube(&mut store, "cube", 2.0);
    drop(store);
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    file
}

fn refusals(file: &Path) -> [String; 2] {
    let read = Store::open_to_read(file).map(drop).unwrap_err().to_string();
    let write = Store::open(file).map(drop).unwrap_err().to_string();
    [read, write]
}

#[test]
fn schemas_that_are_not_ours_are_refused() {
    let folder = Folder::new("foreign-schemas");
    let victim = folder.join("victim.sqlite");
    rusqlite::Connection::open(&victim)
        .unwrap()
        .execute_batch("CREATE TABLE important (x); INSERT INTO important VALUES (1);")
        .unwrap();
    let injected = format!(
        "CREATE TABLE \"x AFTER INSERT ON main.component BEGIN SELECT 1; END; ATTACH DATABASE '{}' AS p; \
         DELETE FROM p.important; DETACH p; VACUUM INTO '{}'; --\" (y);",
        victim.display(),
        folder.join("planted").display()
    );
    for (name, sql, expected) in [
        ("injected", injected.as_str(), "is not one of noli"),
        ("table", "CREATE TABLE other (x);", "its table \"other\" is not one of noli"),
        ("view", "CREATE VIEW other AS SELECT 1;", "its view \"other\""),
        ("index", "CREATE INDEX other ON component (units);", "its index \"other\""),
        (
            "trigger",
            "CREATE TRIGGER t AFTER INSERT ON component BEGIN INSERT INTO preference VALUES ('a', hex(zeroblob(9))); END;",
            "its trigger \"t\"",
        ),
        ("changed-view", "DROP VIEW runs; CREATE VIEW runs AS SELECT 1;", "its view \"runs\" was changed"),
        ("missing-table", "DROP TABLE tool;", "its table \"tool\" is missing"),
        ("column", "ALTER TABLE tool ADD COLUMN more TEXT;", "its table \"tool\" was changed"),
        (
            "reserved-name",
            "CREATE TRIGGER t AFTER INSERT ON component BEGIN SELECT 1; END; PRAGMA writable_schema = ON; \
             UPDATE sqlite_schema SET name = 'sqlite_stat1' WHERE name = 't';",
            "",
        ),
    ] {
        let file = changed(&folder, &format!("{name}.db"), sql);
        for said in refusals(&file) {
            assert!(said.contains(expected), "{name}: {said}");
        }
    }
    let rows =
        rusqlite::Connection::open(&victim)
            .unwrap()
            .query_row("SELECT count(*) FROM important", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows.unwrap(), 1);
    assert!(!folder.join("planted").exists());
    // Statistics of other tools change nothing.
    let file = changed(&folder, "analyzed.db", "ANALYZE;");
    assert!(Store::open(&file).unwrap().check().unwrap().is_empty());
}

#[test]
fn versions_that_do_not_exist_are_refused() {
    let folder = Folder::new("odd-versions");
    for version in [-1, i32::MIN, 99] {
        let file = changed(&folder, &format!("{version}.db"), &format!("PRAGMA user_version = {version};"));
        for said in refusals(&file) {
            assert!(said.contains(&version.to_string()), "{said}");
        }
    }
    let file = changed(&folder, "lower.db", "PRAGMA user_version = 1;");
    assert!(refusals(&file)[1].contains("is not one of noli"), "a later schema under an earlier number");
}

#[test]
fn earlier_versions_are_still_brought_up_to_date() {
    let folder = Folder::new("earlier-versions");
    for version in 1..=noli_store::SCHEMA_VERSION {
        let file = folder.join(format!("{version}.db"));
        drop(Store::init_version(&file, version).unwrap());
        assert!(Store::open(&file).unwrap().check().unwrap().is_empty(), "{version}");
    }
}

#[test]
fn nothing_is_exported_outside_the_folder() {
    let folder = Folder::new("export-inside");
    let urdf = folder.file(
        "arm.urdf",
        "<robot name=\"arm\"><link name=\"a\"><collision><geometry><mesh filename=\"cube.obj\"/></geometry></collision></link></robot>",
    );
    folder.file("cube.obj", crate::support::cube(1.0).1);
    folder.file("scene.toml", "[[body]]\nname = \"a\"\nfile = \"cube.obj\"\n");
    for format in ["obj/../../../escaped.obj", "obj/../../escaped", ".bashrc", "sh", "", "OBJ "] {
        let file = folder.join("robots.db");
        let _ = std::fs::remove_file(&file);
        let mut store = Store::init(&file).unwrap();
        store.import(&urdf, &Default::default()).unwrap();
        drop(store);
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute("UPDATE component SET format = ?1", [format]).unwrap();
        drop(connection);
        let store = Store::open_to_read(&file).unwrap();
        let said = store.export("arm", folder.join("out/in/arm.urdf"), true).unwrap_err().to_string();
        assert!(said.contains("is not known"), "{format:?}: {said}");
        assert!(!folder.join("out").exists() && !folder.join("escaped.obj").exists(), "{format:?}");
        assert!(!store.check().unwrap().is_empty(), "{format:?}");
    }
    for path in [
        "../escaped.obj",
        "/tmp/noli-escaped.obj",
        ".git/hooks/pre-commit",
        "a/.hidden",
        "a/../../b",
        "a\\b",
        "",
    ] {
        let file = folder.join("cells.db");
        let _ = std::fs::remove_file(&file);
        let mut store = Store::init(&file).unwrap();
        store.import(folder.join("scene.toml"), &Default::default()).unwrap();
        drop(store);
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute("UPDATE cell_file SET path = ?1", [path]).unwrap();
        drop(connection);
        let target = folder.join("cells/scene.toml");
        let done = Store::open_to_read(&file).unwrap().export("scene", &target, true).unwrap();
        assert_eq!(done.files, [target], "{path:?}");
        assert!(done.warnings[0].contains("not written"), "{:?}", done.warnings);
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_exports_out_of_the_folder() {
    let folder = Folder::new("export-links");
    folder.file("parts/cube.obj", crate::support::cube(1.0).1);
    folder.file("scene.toml", "[[body]]\nname = \"a\"\nfile = \"parts/cube.obj\"\n");
    let mut store = Store::init(folder.join("cells.db")).unwrap();
    store.import(folder.join("scene.toml"), &Default::default()).unwrap();
    std::fs::create_dir_all(folder.join("out")).unwrap();
    std::fs::create_dir_all(folder.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.join("elsewhere"), folder.join("out/parts")).unwrap();
    let said = store.export("scene", folder.join("out/scene.toml"), true).unwrap_err().to_string();
    assert!(said.contains("link"), "{said}");
    assert_eq!(std::fs::read_dir(folder.join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn changed_properties_are_noticed() {
    let folder = Folder::new("changed-properties");
    for (sql, expected) in [
        ("volume = volume * 1.0001", "volume"),
        ("volume = NULL", "volume"),
        ("center_x = center_x + 1e-5", "centre"),
        ("ixx = ixx * 2", "inertia"),
        ("iyz = iyz + 1e-12", "inertia"),
        ("triangles = 11", "number of triangles"),
        ("closed = 0", "closedness"),
        ("units = 'parsec'", "unit"),
        ("triangles = -1", "triangles"),
    ] {
        let file = folder.join("parts.db");
        let _ = std::fs::remove_file(&file);
        let file = changed(&folder, "parts.db", &format!("UPDATE component SET {sql};"));
        let found = Store::open_to_read(&file).unwrap().check().unwrap().join("\n");
        assert!(found.contains(expected), "{sql}: {found}");
    }
}

/// Bits and pages of a whole file: an error or findings, never a panic.
#[test]
fn damaged_files_end_in_words() {
    let folder = Folder::new("damaged");
    let whole = {
        let file = changed(&folder, "whole.db", "PRAGMA journal_mode = DELETE;");
        std::fs::read(file).unwrap()
    };
    let file = folder.join("damaged.db");
    let mut random = noli_testing::Random::new(7);
    let mut noticed = 0;
    for round in 0..60 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => {
                let at = random.index(bytes.len());
                bytes[at] ^= 1 << random.index(8);
            }
            1 => {
                let page = random.index(bytes.len() / 4096);
                bytes[page * 4096..(page + 1) * 4096].fill(if round % 2 == 0 { 0 } else { 0xff });
            }
            _ => bytes.truncate(random.index(bytes.len())),
        }
        std::fs::write(&file, &bytes).unwrap();
        let read = Store::open_to_read(&file).and_then(|store| {
            let _ = store.list(None);
            let _ = store.export("cube", folder.join("cube.stl"), true);
            store.check()
        });
        noticed += usize::from(!read.is_ok_and(|found| found.is_empty()));
        let _ = Store::open(&file).and_then(|mut store| store.component_model("cube").map(drop));
        for end in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(folder.join(format!("damaged.db{end}")));
        }
    }
    assert!(noticed > 30, "{noticed}");
}
