//! The schema of every report: a committed sample is read and written again as it was, and words that are not
//! known are refused.

use noli_project::Recording;
use noli_project::report::{CheckReport, Outcome, StudyReport, SweepReport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads and writes a sample, and then again with each of its words replaced, and with a field that is not
/// known.
fn keeps_its_schema<T: DeserializeOwned + Serialize>(sample: &str, words: &[&str]) -> T {
    let value: Value = serde_json::from_str(sample).unwrap();
    let report: T = serde_json::from_str(sample).unwrap();
    assert_eq!(serde_json::to_value(&report).unwrap(), value);
    for word in words {
        let quoted = format!(": \"{word}\"");
        assert!(sample.contains(&quoted), "the sample lacks {quoted}");
        let changed = sample.replacen(&quoted, ": \"unheard-of\"", 1);
        let error = serde_json::from_str::<T>(&changed).map(drop).expect_err(word).to_string();
        assert!(error.contains("unheard-of"), "{word}: {error}");
    }
    let mut more = value;
    more["added_later"] = Value::from(1);
    assert!(serde_json::from_value::<T>(more).is_ok(), "fields may be added");
    report
}

#[test]
fn the_report_of_a_check() {
    let sample = include_str!("../samples/check.json");
    let relations = ["intersecting", "inside", "touching", "separated", "undecided"];
    let others = ["mm", "solid", "surface", "exact", "conservative", "b_in_a", "hard", "new", "active"];
    let words: Vec<&str> = relations.into_iter().chain(others).collect();
    let report: CheckReport = keeps_its_schema(sample, &words);
    assert_eq!(report.outcome, Outcome::Touching);
    assert!(report.pairs.iter().any(|pair| pair.clearance.at_most.is_infinite()));
    assert_eq!(report.csv().lines().count(), 1 + report.pairs.len());
    assert!(report.csv().lines().all(|line| line.split(',').count() == 29));
}

#[test]
fn names_with_commas_and_quotes_are_quoted_in_csv() {
    let mut report: CheckReport = serde_json::from_str(include_str!("../samples/check.json")).unwrap();
    report.pairs.truncate(1);
    (report.pairs[0].a, report.pairs[0].b) = ("b, c".into(), "5\" pipe".into());
    assert!(report.csv().contains(",\"b, c\",\"5\"\" pipe\","), "{}", report.csv());
}

#[test]
fn the_report_of_a_sweep() {
    let sample = include_str!("../samples/sweep.json");
    let report: SweepReport = keeps_its_schema(sample, &["cm", "at", "undecided", "conservative"]);
    assert!(report.impacts.iter().any(|impact| impact.features.is_some()));
    for wrong in ["vertex", "vertex 1 / face x", "knee 1 / face 2", "edge 3 / face 2"] {
        let mut value: Value = serde_json::from_str(sample).unwrap();
        value["impacts"][0]["features"] = wrong.into();
        assert!(serde_json::from_value::<SweepReport>(value).is_err(), "{wrong}");
    }
}

#[test]
fn the_report_of_a_study() {
    let report: StudyReport =
        keeps_its_schema(include_str!("../samples/study.json"), &["free", "blocked", "mm"]);
    assert_eq!(report.outcome(), Outcome::Touching);
}

#[test]
fn a_recording() {
    let sample = include_str!("../samples/recording.json");
    let recording: Recording = keeps_its_schema(sample, &["mm", "at", "conservative"]);
    assert_eq!(recording.difference(&recording), None);
    assert_eq!(Recording::from_json(sample.as_bytes()).unwrap(), recording);
    let mut other = recording.clone();
    other.frames[0].micros += 1.0;
    assert_eq!(recording.difference(&other), None, "times are not compared");
    other.frames[0].poses[0][0] = other.frames[0].poses[0][0].next_up();
    assert!(recording.difference(&other).unwrap().contains("`poses`"));
    other.frame_count += 1;
    assert!(recording.difference(&other).unwrap().contains("`frame_count`"));
    let newer = sample.replace("\"noli_recording\": 1", "\"noli_recording\": 2");
    let error = Recording::from_json(newer.as_bytes()).unwrap_err();
    assert!(error.reason.contains("version 1"), "{error}");
    let error = Recording::from_json(b"{}").unwrap_err();
    assert!(error.remedy.contains("--record"), "{error}");
}
