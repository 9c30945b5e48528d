//! Short benchmarks: exit codes, messages, JSON.

use crate::support::{exit_code, json, noli, stderr, stdout};

#[test]
fn a_short_bench_runs_and_its_json_has_the_documented_fields() {
    let output = noli(&["bench", "--poses", "5", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["workload"], "w1");
    assert_eq!(report["poses"], 5);
    assert!(report["tree_bytes_per_triangle"].as_f64().unwrap() > 0.0);
    assert!(report["failures"].as_array().unwrap().is_empty());
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 11);
    for row in rows {
        assert_eq!(row["engine"], "noli");
        assert!(row["median_us"].as_f64().unwrap() > 0.0 && row["mean_us"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(rows[1]["question"], "overlap");
    assert_eq!(rows[1]["clearance"], 0.1);
}

#[test]
fn a_bench_can_be_narrowed() {
    let report = json(&noli(&["bench", "build", "--poses", "3", "--instructions", "portable", "--json"]));
    let questions: Vec<_> =
        report["rows"].as_array().unwrap().iter().map(|row| row["question"].clone()).collect();
    assert_eq!(questions, ["build", "build quick"]);
    assert_eq!(report["instructions"], "portable");
    let growth = json(&noli(&["bench", "growth", "--up-to", "6000", "--json"]));
    assert_eq!(growth["rows"].as_array().unwrap().len(), 2);
    assert_eq!(growth["rows"][0]["triangles"], 980);
    assert_eq!(exit_code(&noli(&["bench", "--poses", "0"])), 2);
    for (arguments, told) in [
        (["bench", "growth", "--poses", "5"], "--poses"),
        (["bench", "w1", "--up-to", "5"], "--up-to"),
        (["bench", "convex", "--instructions", "portable"], "--instructions"),
    ] {
        let output = noli(&arguments);
        assert_eq!(exit_code(&output), 2);
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
    let output = noli(&["bench", "scenes", "--peers"]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("--peers"), "{}", stderr(&output));
}

/// Boxes come and go alike whichever method looks; convex answers lie in the brackets of exact meshes.
#[test]
fn short_benches_of_boxes_and_convex_bodies_run() {
    let boxes = json(&noli(&["bench", "world", "--up-to", "1000", "--json"]));
    let rows = boxes["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["pairs_begun"] == rows[0]["pairs_begun"]));
    let output = noli(&["bench", "convex", "--poses", "2"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("depth of 16 points"), "{}", stdout(&output));
}

/// A benchmark fails if an answer differs with a hint.
#[test]
fn a_short_bench_of_coherence_runs() {
    let report = json(&noli(&["bench", "coherence", "--poses", "20", "--json"]));
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    let steps = |row: &serde_json::Value, name: &str| row[name].as_f64().unwrap();
    let last = &rows[6];
    assert_eq!(last["question"], "overlap");
    assert!(steps(last, "hinted_steps") < steps(last, "plain_steps"), "{last}");
}

#[test]
fn a_bench_of_scenes_finds_every_planted_clash() {
    let output = noli(&["bench", "scenes", "--up-to", "100", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(
            [&row["bodies"], &row["intersecting"], &row["inside"], &row["touching"]],
            [&104, &8, &4, &20]
        );
    }
    // Two copies share their models, or each has its own.
    let bytes = |row: usize| rows[row]["model_mb"].as_f64().unwrap();
    assert!((bytes(1) / bytes(0) - 2.0).abs() < 1e-6);
}
