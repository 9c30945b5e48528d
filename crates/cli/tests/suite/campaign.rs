//! `noli campaign`: chunks that may be run twice, in any order, by anybody.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use std::path::Path;

const PLAN: &str = r#"
count = 3000
chunk = 500
scene = """
[[body]]
name = "a"
box = [2, 2, 2]
[[body]]
name = "b"
box = [2, 2, 2]
"""
[draw]
kind = "poses"
body = "b"
low = [-4, -4, -4]
high = [4, 4, 4]
"#;

fn shards(folder: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<(String, Vec<u8>)> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "parquet"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn chunks_are_run_resumed_and_merged() {
    let folder = Folder::new("campaign");
    let plan = folder.file("plan.toml", PLAN);
    let planned = json(&noli(&["campaign", &plan, "plan", "--json"]));
    assert_eq!((planned["chunks"].as_u64(), planned["count"].as_u64()), (Some(6), Some(3000)));
    // One by one, in any order, twice, with the action before the plan.
    for (chunk, threads) in [("4", "1"), ("0", "2"), ("4", "2")] {
        let ran = noli(&["campaign", "run", &plan, "--chunk", chunk, "--threads", threads]);
        assert_eq!(exit_code(&ran), 0, "{}", stderr(&ran));
    }
    let status = json(&noli(&["campaign", &plan, "status", "--json"]));
    assert_eq!((status["done"].as_u64(), status["missing"].as_u64()), (Some(2), Some(4)));
    assert_eq!(status["next"][0].as_u64(), Some(1));
    let refused = noli(&["campaign", &plan, "merge", "--json"]);
    assert_eq!(exit_code(&refused), 2);
    assert!(
        stderr(&refused).contains("4 of 6 chunks") && stderr(&refused).contains("chunk 1: there is no shard")
    );
    let part = json(&noli(&["campaign", &plan, "merge", "--partial", "--json"]));
    assert_eq!(part["chunks_done"].as_u64(), Some(2));
    assert_eq!(part["left_out"][0]["chunk"].as_u64(), Some(1));
    let resumed = json(&noli(&["campaign", &plan, "resume", "--json"]));
    assert_eq!(resumed["count"].as_u64(), Some(3000));

    let elsewhere = Path::new(&plan).with_file_name("elsewhere").display().to_string();
    let again = json(&noli(&["campaign", &plan, "--out", &elsewhere, "--threads", "1", "--json"]));
    assert_eq!(again, resumed);
    let own = Path::new(&plan).with_extension("campaign").display().to_string();
    assert_eq!(shards(&own).len(), 6);
    assert_eq!(shards(&own), shards(&elsewhere));
    let text = stdout(&noli(&["campaign", &plan, "merge"]));
    assert!(text.contains("share of hits") && text.contains("95 %"), "{text}");
}

#[test]
fn mistakes_are_told() {
    let folder = Folder::new("campaign-mistakes");
    let plan = folder.file("plan.toml", PLAN);
    for (arguments, expected) in [
        (vec!["campaign", &plan, "run", "--chunk", "6"], "there is no chunk 6"),
        (vec!["campaign", &plan, "walk"], "walk is no action"),
        (vec!["campaign", "run"], "needs a plan"),
        (vec!["campaign", &plan, "merge"], "there is no shard"),
        (vec!["campaign", &plan, "status", "--chunk", "1"], "--chunk says what `run` runs"),
        (vec!["campaign", &plan, "status", "--partial"], "--partial says what `merge` adds up"),
    ] {
        let output = noli(&arguments);
        assert_eq!(exit_code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}
