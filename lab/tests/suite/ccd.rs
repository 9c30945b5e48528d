//! `noli-lab ccd` as its users meet it.

use noli_testing::Folder;
use serde_json::Value;
use std::process::{Command, Output};

fn noli(arguments: &[&str]) -> Output {
    Command::new(crate::PROGRAM).args(arguments).output().expect("the program starts")
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A vertex over the triangle (0,0) (1,0) (0,1), from one height to another.
fn fall(from: i32, to: i32, truth: Option<u8>) -> String {
    let row = |[x, y, z]: [i32; 3]| {
        let truth = truth.map_or(String::new(), |truth| format!(",{truth}"));
        format!("{x},4,{y},4,{z},1{truth}\n")
    };
    let at = |z: i32| [[1, 1, z], [0, 0, 0], [4, 0, 0], [0, 4, 0]].map(row).concat();
    at(from) + &at(to)
}

#[test]
fn counts_and_fields() {
    let folder = Folder::new("ccd-counts");
    let text = fall(3, -1, Some(1)) + &fall(3, 1, Some(0)) + &fall(3, 2, Some(1));
    let file = folder.file("three-vf.csv", &text);
    // The last truth is wrong: an approximate method may "miss" it, an exact one is reported.
    let output = noli(&["ccd", &file, "--method", "provot", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = json(&output);
    for object in [&report["total"], &report["files"][0]] {
        let field = |name: &str| object[name].as_f64().unwrap_or_else(|| panic!("{name} in {object}"));
        assert_eq!(
            [field("queries"), field("misses"), field("false_alarms"), field("late")],
            [3.0, 1.0, 0.0, 0.0]
        );
        assert!(field("max_us") >= field("median_us") && field("mean_us") > 0.0);
    }
    let output = noli(&["ccd", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 contacts missed"));
}

#[test]
fn every_query_has_its_answer_in_the_csv() {
    let folder = Folder::new("ccd-answers");
    let file = folder.file("three-vf.csv", &(fall(3, -1, None) + &fall(3, 1, None) + &fall(0, -1, None)));
    let output = noli(&["ccd", &file, "--csv"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["file", "kind", "query", "contact", "safe_until", "touching_by"]);
    let contacts: Vec<&str> = rows[1..].iter().map(|row| row[3]).collect();
    assert_eq!(contacts, ["1", "0", "1"]);
    let [safe, by]: [f64; 2] = [4, 5].map(|column| rows[1][column].parse().unwrap());
    assert!(safe <= 0.75 && 0.75 <= by && by - safe < 1e-6, "{text}");
    assert_eq!((rows[2][4], rows[2][5], rows[3][4]), ("", "", "0"));
    let target = folder.join("answers.csv");
    let beside = noli(&["ccd", &file, &format!("--csv={}", target.display()), "--json"]);
    assert_eq!(json(&beside)["total"]["queries"], 3);
    assert_eq!(std::fs::read_to_string(target).unwrap(), text);
    assert_eq!(noli(&["ccd", &file, "--csv", "--json"]).status.code(), Some(2));
    assert_eq!(noli(&["ccd", &file, &format!("--csv={file}")]).status.code(), Some(2));
}

#[test]
fn a_folder_without_truth() {
    let folder = Folder::new("ccd-folder");
    folder.file("vertex-face/a.csv", fall(3, -1, None));
    folder.file("vertex-face/b.csv", fall(3, 1, None));
    for method in ["exact", "inclusion", "additive", "advancement", "thesis-sampling-regula-falsi"] {
        let output = noli(&["ccd", folder.to_str().unwrap(), "--method", method, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{method}");
        let total = &json(&output)["total"];
        assert_eq!((&total["queries"], &total["misses"]), (&2.into(), &0.into()), "{method}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("ccd-errors");
    let cut = folder.file("cut-vf.csv", &fall(3, -1, None)[..40]);
    let unknown = folder.file("unknown.csv", fall(3, -1, None));
    let empty = folder.file("empty-ee.csv", "");
    for (file, message) in [
        (cut.as_str(), "cut-vf.csv:"),
        (unknown.as_str(), "say which with --kind"),
        (empty.as_str(), "no queries in it"),
        ("nowhere-ee.csv", "nowhere-ee.csv: cannot be read"),
    ] {
        let output = noli(&["ccd", file]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(noli(&["ccd", &unknown, "--kind", "vertex-face"]).status.code(), Some(0));
    assert_eq!(noli(&["ccd", &unknown, "--kind", "vertex-face", "--tolerance", "-1"]).status.code(), Some(2));
}

/// The published data, where it is: conservative methods miss nothing and are never late.
#[test]
fn published_queries() {
    let Some(data) = noli_testing::data("ccd") else { return };
    let (queries, funnel) = (data.join("sample-queries"), data.join("scalable-ccd/cloth-funnel"));
    for method in ["exact", "inclusion", "additive", "advancement"] {
        let folders = [queries.to_str().unwrap(), funnel.to_str().unwrap()];
        let output = noli(&["ccd", folders[0], folders[1], "--method", method, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{method}: {}", String::from_utf8_lossy(&output.stderr));
        let total = &json(&output)["total"];
        assert_eq!((&total["misses"], &total["late"]), (&0.into(), &0.into()), "{method}");
        assert_eq!(total["queries"], 2824 + 355);
        if method == "exact" {
            assert_eq!((&total["false_alarms"], &total["bracketed"]), (&0.into(), &total["contacts"]));
        }
    }
}
