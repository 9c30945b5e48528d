//! The database as a file: versions, damage, many parts.

use crate::support::add_cube;
use noli_store::{SCHEMA_VERSION, Store, StoreError, content_hash};
use noli_testing::Folder;

#[test]
fn every_earlier_version_is_brought_up_to_date() {
    let folder = Folder::new("versions");
    for version in 1..=SCHEMA_VERSION {
        let file = folder.join(format!("v{version}.db"));
        let mut store = Store::init_version(&file, version).unwrap();
        store.add_program("home", "READY").unwrap();
        drop(store);
        if version < SCHEMA_VERSION {
            let refused = Store::open_to_read(&file).unwrap_err().to_string();
            assert!(refused.contains("open it for writing once"), "{refused}");
        }
        let mut store = Store::open(&file).unwrap();
        assert_eq!(store.version().unwrap(), SCHEMA_VERSION);
        assert_eq!(store.program("home").unwrap(), "READY");
        add_cube(&mut store, "cube", 10.0);
        assert_eq!(store.check().unwrap(), Vec::<String>::new());
        assert_eq!(Store::open_to_read(&file).unwrap().list(None).unwrap().len(), 2);
    }
}

#[test]
fn newer_foreign_and_damaged_files_are_refused() {
    let folder = Folder::new("refused");
    let file = folder.join("parts.db");
    let mut store = Store::init(&file).unwrap();
    for number in 0..40 {
        add_cube(&mut store, &format!("cube-{number}"), 10.0 + f64::from(number));
    }
    drop(store);
    assert!(matches!(Store::init(&file), Err(StoreError::Exists(_))));
    // Bytes 60 to 63 of a database are its version; in one place they are the next version's.
    let whole = std::fs::read(&file).unwrap();
    let newer = folder.join("newer.db");
    let mut bytes = whole.clone();
    bytes[60..64].copy_from_slice(&(SCHEMA_VERSION as u32 + 1).to_be_bytes());
    std::fs::write(&newer, &bytes).unwrap();
    let refused = Store::open(&newer).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { .. }), "{refused}");
    assert!(refused.to_string().contains("written by a newer noli"));
    assert_eq!(std::fs::read(&newer).unwrap(), bytes, "a refused file is not touched");
    for (name, contents) in [("empty.db", Vec::new()), ("text.db", b"not a database at all\n".repeat(100))] {
        let foreign = folder.join(name);
        std::fs::write(&foreign, contents).unwrap();
        assert!(matches!(Store::open(&foreign), Err(StoreError::Foreign(_))), "{name}");
    }
    assert!(matches!(Store::open(folder.join("none.db")), Err(StoreError::NoFile(_))));
    // Every page overwritten in turn: refused when opened or found by the check, never taken for sound.
    let (mut refused, mut found) = (0, 0);
    for page in 0..(whole.len() / 4096).min(24) {
        let mut bytes = whole.clone();
        // The first sixteen bytes of the file say that it is SQLite's.
        bytes[(page * 4096).max(16)..(page + 1) * 4096].fill(0x5a);
        let damaged = folder.join(format!("damaged-{page}.db"));
        std::fs::write(&damaged, &bytes).unwrap();
        match Store::open(&damaged).and_then(|store| store.check()) {
            Err(_) => refused += 1,
            Ok(wrong) => {
                assert!(!wrong.is_empty(), "page {page} is broken and nobody says so");
                found += 1;
            }
        }
    }
    assert!(refused + found >= 8, "{refused} refused, {found} found");
    // A file that was cut off.
    let cut = folder.join("cut.db");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    assert!(Store::open(&cut).and_then(|store| store.check()).map_or(true, |wrong| !wrong.is_empty()));
}

#[test]
fn a_part_knows_its_mass_and_keeps_its_tree() {
    let folder = Folder::new("mass");
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    add_cube(&mut store, "cube", 100.0);
    let info = store.component("cube").unwrap();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs().max(1e-9);
    assert!(close(info.volume.unwrap(), 1e-3) && close(info.mass.unwrap(), 7.8), "{info:?}");
    // A cube of edge a has the inertia a^5/6 for density 1.
    assert!(info.inertia.unwrap()[..3].iter().all(|i| close(*i, 0.1f64.powi(5) / 6.0)), "{info:?}");
    assert!(info.center.unwrap().iter().all(|c| c.abs() < 1e-15));
    let first = store.component_model("cube").unwrap();
    let second = store.component_model("cube").unwrap();
    assert_eq!(first.store_tree(), second.store_tree());
    store.set_mass("cube", None, Some(3.0)).unwrap();
    assert_eq!(store.component("cube").unwrap().mass, Some(3.0));
    let taken = store.add_program("home", "READY").and_then(|()| store.add_program("home", "READY"));
    assert!(taken.unwrap_err().to_string().contains("already"));
    let none = store.component("cubes").unwrap_err().to_string();
    assert_eq!(none, "there is no component `cubes`; there are cube, home");
    // Two parts of the same bytes keep them once.
    add_cube(&mut store, "twin", 100.0);
    let twin = store.component("twin").unwrap();
    assert_eq!(twin.blob, store.component("cube").unwrap().blob);
    assert_eq!(content_hash(&store.blob(&twin.blob).unwrap()), twin.blob);
}

/// Times to store, list and find ten thousand parts: figures for the record.
#[test]
#[ignore = "takes a while; prints figures"]
fn ten_thousand_parts() {
    let folder = Folder::new("many");
    let mut store = Store::init(folder.join("parts.db")).unwrap();
    let start = std::time::Instant::now();
    for number in 0..10_000 {
        add_cube(&mut store, &format!("part-{number:05}"), 1.0 + f64::from(number));
    }
    let stored = start.elapsed();
    let start = std::time::Instant::now();
    assert_eq!(store.list(Some("component")).unwrap().len(), 10_000);
    let listed = start.elapsed();
    let start = std::time::Instant::now();
    for number in 0..1000 {
        store.component(&format!("part-{:05}", number * 9)).unwrap();
    }
    println!("stored in {stored:?}, listed in {listed:?}, found in {:?} each", start.elapsed() / 1000);
}
