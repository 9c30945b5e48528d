//! Every published experiment, as users run it.

use crate::support::{exit_code, stderr, stdout};
use noli_lab::{Experiment, Record, Size, Store, list, report};
use std::path::Path;

/// Cells of the rows of `COVERAGE.md`.
fn coverage() -> Vec<Vec<String>> {
    let table = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("COVERAGE.md")).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    rows.map(cells).filter(|cells: &Vec<String>| cells.len() == 5).skip(1).collect()
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_file_that_the_table_of_coverage_names_is_there() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = coverage();
    let is_path = |name: &&str| {
        ["crates/", "lab/", "docs/"].iter().any(|start| name.starts_with(start)) && name.contains('.')
    };
    let names = rows.iter().flatten().flat_map(|cell| quoted(cell)).filter(is_path);
    let (there, gone): (Vec<&str>, Vec<&str>) = names.partition(|name| project.join(name).is_file());
    assert!(there.len() > 150 && gone.is_empty(), "{gone:?} are gone, {} are there", there.len());
}

/// Every test that a row names exists, and a row that claims to be full names code and a test.
#[test]
fn every_test_that_the_table_of_coverage_names_is_there() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut functions = std::collections::HashSet::new();
    let mut folders: Vec<std::path::PathBuf> =
        ["crates", "lab", "checkers"].map(|name| project.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension() == Some("rs".as_ref()) {
                let text = std::fs::read_to_string(&entry).unwrap();
                let names = text.split("fn ").skip(1).map(|rest| {
                    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
                });
                functions.extend(names);
            }
        }
    }
    let rows = coverage();
    assert!(rows.len() > 250, "{} rows", rows.len());
    let mut named = 0;
    for row in &rows {
        let is_name = |name: &&str| {
            name.contains('_')
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        for name in quoted(&row[3]).filter(is_name) {
            assert!(functions.contains(name), "{}: there is no {name}", row[1]);
            named += 1;
        }
        let known = ["full", "partial", "looked up", "by choice", "missing", "later"];
        assert!(known.iter().any(|state| row[4].starts_with(state)), "{}: {}", row[1], row[4]);
        if row[4].starts_with("missing") || row[4].starts_with("later") {
            assert!(quoted(&row[3]).next().is_none(), "{} is missing and has a test", row[1]);
        }
    }
    assert!(named > 200, "{named}");
}

/// Every experiment runs at its sampled size, and what it says can be written, read and shown.
#[test]
fn every_experiment_runs_as_a_sample() {
    noli_testing::for_all(list(), |experiment| {
        let record = match experiment.run(Size::Sample, &[], &mut |_| {}) {
            Err(error) if format!("{error:#}").contains("NOLI_DATA") => {
                noli_testing::skip(&format!("{}: {error:#}", experiment.name));
                return;
            }
            ran => ran.expect(experiment.name),
        };
        assert!(!record.tables.is_empty(), "{} has no table", experiment.name);
        record
            .notes
            .iter()
            .filter(|note| note.contains("NOLI_DATA"))
            .for_each(|note| noli_testing::skip(note));
        let text = serde_json::to_string(&record).unwrap();
        let again: Record = serde_json::from_str(&text).unwrap();
        assert_eq!(text, serde_json::to_string(&again).unwrap(), "{}", experiment.name);
        let page = report::page(&[record]);
        assert!(page.contains(experiment.name) && page.ends_with("</html>\n"));
    });
}

/// The costs by which mixed trees are built are the recorded ones: mean times against the three kinds of the thesis, in
/// tests of oriented boxes.
#[test]
fn costs_of_volumes_are_those_of_the_record() {
    let records = Store::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("record")).all().unwrap();
    let of_costs: Vec<&Record> = records.iter().filter(|r| r.experiment == "eckstein-costs").collect();
    assert_eq!(of_costs.len(), 1, "one machine says what tests cost");
    let rows = &of_costs[0].tables[0].rows;
    let kinds = ["sphere", "axis-aligned box", "oriented box", "k-DOP (18)"];
    let ns = |a: &str, b: &str| {
        let labels = [format!("{a} – {b}"), format!("{b} – {a}")];
        let row = rows.iter().find(|row| labels.contains(&row.label)).unwrap();
        match row.cells[0] {
            noli_lab::Cell::Ours(ns) => ns,
            ref other => panic!("{other:?}"),
        }
    };
    let mean = kinds.map(|kind| kinds[..3].iter().map(|other| ns(kind, other)).sum::<f64>() / 3.0);
    for (kind, cost) in noli_classics::tree::COLLISION_COST.iter().enumerate() {
        let recorded = mean[kind] / mean[2];
        assert!((cost - recorded).abs() <= 0.01 * recorded, "{}: {cost}, recorded {recorded}", kinds[kind]);
    }
}

/// The list names source, chapter and duration of each.
#[test]
fn the_list_names_source_chapter_and_duration() {
    let output = std::process::Command::new(crate::PROGRAM).args(["list", "--json"]).output().unwrap();
    let listed: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let listed = listed["experiments"].as_array().unwrap();
    assert_eq!(listed.len(), list().len());
    for (one, experiment) in listed.iter().zip(list()) {
        for (key, text) in [
            ("source", experiment.source),
            ("chapter", experiment.chapter),
            ("duration", experiment.duration),
        ] {
            assert!(!text.is_empty() && one[key] == text, "{}: {key}", experiment.name);
        }
    }
}

#[test]
fn settings_can_be_changed_and_unknown_ones_are_named() {
    let churn = Experiment::named("churn").unwrap();
    let run =
        |key: &str, value: &str| churn.run(Size::Sample, &[(key.to_owned(), value.to_owned())], &mut |_| {});
    let changed = run("steps", "100").unwrap();
    assert_eq!(changed.tables[0].rows[9].label, "100");
    assert_eq!((&changed.settings["steps"][..], &changed.changed[..]), ("100", &["steps".to_owned()][..]));
    let store = Store::new(std::env::temp_dir().join("noli-lab-never-kept"));
    let refused = |record: &Record| store.keep(record).err().unwrap().to_string();
    assert!(refused(&changed).contains("sample"));
    assert!(refused(&Record { size: Size::Full, ..changed }).contains("steps"));
    let error = run("stepz", "100").err().unwrap().to_string();
    assert!(error.contains("stepz") && error.contains("steps"), "{error}");
    assert!(run("steps", "'").is_err());
}

#[test]
fn an_unknown_name_is_answered_with_the_names() {
    let error = Experiment::named("eckstein").err().unwrap().to_string();
    assert!(error.contains("eckstein-costs"), "{error}");
}

/// An experiment that lacks its data has not run, and says what to give.
#[test]
fn planning_problems_that_are_not_there_are_an_error() {
    let output = std::process::Command::new(crate::PROGRAM)
        .args(["run", "motionbenchmaker", "--sample"])
        .env("NOLI_DATA", "no/such/folder")
        .output()
        .expect("the program starts");
    let said = stderr(&output);
    assert!(exit_code(&output) == 2 && said.contains("no/such/folder"), "{said}");
    assert!(said.contains("--set data=FOLDER") && said.contains("NOLI_DATA"), "{said}");
    assert!(stdout(&output).is_empty());
}
