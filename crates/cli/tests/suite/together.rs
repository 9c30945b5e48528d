//! Programs that run at once and wait for each other by signals.

use crate::coordinate::{cell_with, two_bars};
use crate::support::{Folder, json, noli};
use serde_json::{Value, json};

const MOVES: &str = "MOVE #in\nMOVE #out\nBREAK";

/// Runs cells at once; the exit code, the report and what was written to standard error.
fn run(cells: &[&str]) -> (Option<i32>, Value, String) {
    let mut words = vec!["robot", "run", cells[0]];
    cells[1..].iter().for_each(|cell| words.extend(["--with", cell]));
    let found = noli(&[&words[..], &["--json"]].concat());
    let report = json(&found);
    (found.status.code(), report, String::from_utf8_lossy(&found.stderr).into_owned())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn an_interlock_keeps_two_arms_apart() {
    let folder = Folder::new("together-free");
    let left = cell_with(&folder, ("left", 0.0, -90), &format!("{MOVES}\nSIGNAL 7"));
    let right = cell_with(&folder, ("right", 1.5, 90), &format!("WAIT SIG(7)\n{MOVES}"));
    let (code, report, error) = run(&[&left, &right]);
    assert_eq!((code, &report["outcome"]), (Some(0), &json!("free")), "{report} {error}");
    assert!(number(&report["pairs"]) >= 1.0 && report["collision"].is_null(), "{report}");
    // The second begins when the signal has come, and not before.
    let set = &report["programs"][0]["signals"][0];
    let [sent, begun] = [&set["time"], &report["programs"][1]["instructions"][0]["start"]].map(number);
    assert!(sent < begun && begun < sent + 0.01, "{sent} {begun}");
    let received = &report["programs"][1]["signals"][0];
    assert_eq!((&received["signal"], &received["output"]), (&json!(7), &json!(false)));
    assert!((number(&received["time"]) - sent - number(&report["latency_s"])).abs() < 1e-9, "{received}");
    let text = noli(&["robot", "run", &left, "--with", &right]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("robot 1 sets signal 7 on") && text.contains("as timed, proven ("), "{text}");
}

#[test]
fn without_an_interlock_the_first_collision_is_reported_as_timed() {
    let folder = Folder::new("together-hit");
    let [left, right] = two_bars(&folder);
    let (code, report, error) = run(&[&left, &right]);
    assert_eq!((code, &report["outcome"]), (Some(1), &json!("touching")), "{report} {error}");
    let found = &report["collision"];
    assert_eq!(found["links"], json!(["1/arm", "2/arm"]));
    assert_eq!(found["robots"], json!([1, 2]));
    let [safe, time] = [&found["safe_until_s"], &found["time_s"]].map(number);
    assert!(safe <= time && time - safe < 0.01, "{found}");
    // Samples of both programs first collide a little later, in the same lines.
    let sampled = json(&noli(&["robot", "coordinate", &left, &right, "--json"]));
    let sampled = &sampled["pairs"][0]["as_timed"]["collision"];
    let later = number(&sampled["time_s"]);
    assert!(safe <= later && later - time < 0.05, "{time} {later}");
    assert_eq!(found["lines"], sampled["lines"]);
}

#[test]
fn programs_that_wait_for_each_other_are_a_deadlock() {
    let folder = Folder::new("together-deadlock");
    let left = cell_with(&folder, ("left", 0.0, -90), "WAIT SIG(1)\nSIGNAL 2\nMOVE #in");
    let right = cell_with(&folder, ("right", 1.5, 90), "DELAY 1\nBREAK\nWAIT SIG(2)\nSIGNAL 1\nMOVE #in");
    let (code, report, error) = run(&[&left, &right]);
    assert_eq!(code, Some(2), "{report} {error}");
    assert_eq!(report["deadlock"][1]["signals"], json!([2]), "{report}");
    assert_eq!(report["outcome"], "failed", "{report}");
    assert!(report["programs"].as_array().unwrap().iter().all(|one| one["outcome"] == "failed"), "{report}");
    // Each program has the statement that the other waits for, after its own wait.
    assert_eq!(
        report["deadlock"][0]["not_reached"],
        json!([{ "signal": 1, "robot": 2, "line": 5 }]),
        "{report}"
    );
    for part in [
        "deadlock: robot 1 waits from 0.001 s on in ",
        "left.val:2: `WAIT SIG(1)` for signal 1 to be on (robot 2 sets it in ",
        "right.val:5, which it has not reached)",
        "right.val:4: `WAIT SIG(2)` for signal 2 to be on (robot 1 sets it in ",
        "left.val:3, which",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("no other program"), "{error}");
    // A wrong number: the other program ends, and its signal never comes.
    let wrong = cell_with(&folder, ("wrong", 5.0, 90), &format!("WAIT SIG(70)\n{MOVES}"));
    let sender = cell_with(&folder, ("sender", 0.0, -90), &format!("{MOVES}\nSIGNAL 7"));
    let (code, _, error) = run(&[&sender, &wrong]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("no other program sets signal 70") && !error.contains("sender.val"), "{error}");
    let zero = cell_with(&folder, ("zero", 5.0, 90), &format!("WAIT SIG(0)\n{MOVES}"));
    let (code, _, error) = run(&[&sender, &zero]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("zero.val:2: the signal is 0"), "{error}");
}

#[test]
fn three_programs_pass_a_token_on() {
    let folder = Folder::new("together-three");
    let first =
        cell_with(&folder, ("first", 0.0, -90), &format!("{MOVES}\nSIGNAL 1\nWAIT SIG(3)\nSIGNAL -1"));
    let second = cell_with(&folder, ("second", 1.5, 90), &format!("WAIT SIG(1)\n{MOVES}\nSIGNAL 2"));
    let third =
        cell_with(&folder, ("third", 3.0, -90), &format!("WAIT SIG(2)\n{MOVES}\nSIGNAL 3\nWAIT SIG(-1)"));
    let (code, report, error) = run(&[&first, &second, &third]);
    assert!(code == Some(0) && number(&report["pairs"]) >= 3.0, "{report} {error}");
    let programs = report["programs"].as_array().unwrap();
    assert!(programs.iter().all(|program| program["ended"] == "completed"), "{report}");
    let starts = [0, 1, 2].map(|k| number(&programs[k]["instructions"][0]["start"]));
    assert!(starts[0] < starts[1] && starts[1] < starts[2], "{starts:?}");
}

#[test]
fn the_page_plays_all_arms_on_one_time_line() {
    let folder = Folder::new("together-page");
    let left = cell_with(&folder, ("left", 0.0, -90), &format!("{MOVES}\nSIGNAL 7"));
    let right = cell_with(&folder, ("right", 1.5, 90), &format!("WAIT SIG(7)\n{MOVES}"));
    let page = folder.join("both.html").display().to_string();
    let found = noli(&["robot", "run", &left, "--with", &right, "--html", &page, "--fps", "10", "--json"]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let html = std::fs::read_to_string(&page).unwrap();
    let chapter = html.split_once("class=\"chapter\"").unwrap().1.split_once("\">").unwrap().1;
    let data = chapter.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    let moving = data["play"]["bodies"].as_array().unwrap();
    let name = |number: &Value| data["bodies"][number.as_u64().unwrap() as usize]["name"].clone();
    assert_eq!(moving.iter().map(name).collect::<Vec<_>>(), [json!("1/arm"), json!("2/arm")]);
    // One time line: the second robot begins after the first has ended.
    let report = json(&found);
    let total = number(&report["seconds"]);
    assert!((number(&data["play"]["seconds"]) - total).abs() < 1e-9);
    let steps = data["play"]["steps"].as_array().unwrap();
    let labels: Vec<&str> = steps.iter().map(|step| step["label"].as_str().unwrap()).collect();
    let of_second = labels.iter().position(|label| label.starts_with("2/")).unwrap();
    assert!(of_second > 0 && labels[..of_second].iter().all(|label| label.starts_with("1/")), "{labels:?}");
    let begun = number(&report["programs"][1]["instructions"][0]["start"]);
    assert!((number(&steps[of_second]["time"]) * total - begun).abs() < 1e-9);
    assert_eq!(noli(&["robot", "run", &left, "--with", &right, "--fps", "10"]).status.code(), Some(2));
}

#[test]
fn arms_that_collide_where_they_begin_are_named_so() {
    let folder = Folder::new("together-start");
    let left = cell_with(&folder, ("left", 0.0, -90), MOVES);
    let right = cell_with(&folder, ("right", 0.05, -90), MOVES);
    let page = folder.join("both.html").display().to_string();
    let found = noli(&["robot", "run", &left, "--with", &right, "--html", &page]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("robots 1 and 2 are in collision at the start: 1/arm - 2/arm"), "{text}");
    assert!(!text.contains("collision-free until"), "{text}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("1/arm and 2/arm touch before anything moves."), "no contact on the page");
}

/// Where nothing is near, there is no number to print, and what failed is not called free.
#[test]
fn an_arm_alone_has_no_smallest_clearance() {
    let folder = Folder::new("together-alone");
    let alone = cell_with(&folder, ("alone", 0.0, -90), MOVES);
    let found = noli(&["robot", "run", &alone]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("proven free and driven") && !text.contains("clearance  mm"), "{text}");
    assert_eq!(found.status.code(), Some(2), "no pair is tested");
    assert_eq!(json(&noli(&["robot", "run", &alone, "--json"]))["outcome"], "failed");
}
