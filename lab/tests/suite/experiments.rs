//! Every published experiment, as users run it.

use crate::support::{exit_code, stderr, stdout};
use noli_lab::{Experiment, Record, Size, Store, list, report};
use std::path::Path;

#[test]
fn every_file_that_the_table_of_coverage_names_is_there() {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(lab.join("COVERAGE.md")).unwrap();
    let is_file = |name: &&str| name.starts_with("crates/") && name.ends_with(".rs");
    let (there, gone): (Vec<&str>, Vec<&str>) =
        table.split('`').filter(is_file).partition(|name| lab.join("..").join(name).is_file());
    assert!(there.len() > 50 && gone.is_empty(), "{gone:?} are gone, {} are there", there.len());
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
