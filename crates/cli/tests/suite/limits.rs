//! Limits on time, memory and numbers: small inputs that take long work end with a sound answer.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use std::fmt::Write as _;

/// The same triangle, many times.
fn equal_triangles(count: usize) -> String {
    let mut text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    (0..count).for_each(|_| text.push_str("f 1 2 3\n"));
    text
}

/// Triangles that all contain one segment of the z axis.
fn star(count: u32) -> String {
    let mut text = String::new();
    for k in 0..count {
        let (y, x) = (3.0 * f64::from(k) / f64::from(count)).sin_cos();
        let _ = writeln!(text, "v {} {} 0\nv {x} {y} 1\nv {x} {y} -1", -x, -y);
    }
    for k in 0..count {
        let _ = writeln!(text, "f {} {} {}", 3 * k + 1, 3 * k + 2, 3 * k + 3);
    }
    text
}

#[test]
fn equal_triangles_are_counted_all() {
    let folder = Folder::new("equal-triangles");
    let file = folder.file("equal.obj", equal_triangles(20_000));
    let output = noli(&["check", &file, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["self_touches"], 20_000u64 * 19_999 / 2);
}

#[test]
fn a_star_of_slivers_is_counted_up_to_a_number() {
    let folder = Folder::new("star");
    let file = folder.file("star.obj", star(600));
    let output = noli(&["check", &file]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("at least 100000"), "{}", stdout(&output));
}

#[test]
fn a_check_without_time_or_memory_is_undecided() {
    let folder = Folder::new("limits");
    let file = folder.file("two.obj", cubes(&[0.0, 1.0]));
    for (option, value) in [("--time", "0s"), ("--memory", "1kB")] {
        let output = noli(&["check", &file, option, value]);
        assert_eq!(exit_code(&output), 3, "{option}: {} {}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(&format!("{option} was reached")), "{}", stderr(&output));
    }
    // So long that twice of it is no time any more.
    for time in ["60s", "10000000000000000000s"] {
        let output = noli(&["check", &file, "--time", time, "--memory", "4GB"]);
        assert_eq!(exit_code(&output), 1, "{} {}", stdout(&output), stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    }
    for wrong in ["2", "0GB", "many"] {
        assert_eq!(exit_code(&noli(&["check", &file, "--memory", wrong])), 2, "{wrong}");
    }
}

#[test]
fn a_long_formula_counts_against_its_budget() {
    let long = vec!["x"; 10_000].join("+");
    let output =
        noli(&["field", &long, "x^2 + y^2 + z^2 <= 1", "--pose-b", "2,0,0", "--budget", "100", "--json"]);
    assert_eq!(exit_code(&output), 0, "{} {}", stdout(&output), stderr(&output));
    assert!(json(&output)["steps"].as_u64().is_some_and(|steps| steps <= 100), "{}", stdout(&output));
}

/// Commands without `--time`, and the reason.
const WITHOUT_TIME: [(&str, &str); 9] = [
    ("clash", "reads and writes one file of decisions"),
    ("completions", "prints a text"),
    ("db", "its time is that of reading and writing its files; an import that is cut off is undone"),
    ("demo", "its four studies have limits of their own"),
    ("man", "prints a text"),
    ("robot info", "reads a description"),
    ("robot jog", "waits for a person; each step is bounded"),
    ("scenes", "writes a bundled scene"),
    ("serve", "serves until it is stopped"),
];

#[test]
fn every_command_that_can_run_long_has_a_time_limit() {
    fn walk(command: &clap::Command, path: &str, found: &mut Vec<(String, bool)>) {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let path = format!("{path} {}", below.get_name()).trim().to_owned();
            if !below.has_subcommands() {
                let is_limited = below.get_arguments().any(|option| option.get_long() == Some("time"));
                found.push((path.clone(), is_limited));
            }
            walk(below, &path, found);
        }
    }
    let mut commands = Vec::new();
    walk(&noli_cli::command(), "", &mut commands);
    assert!(commands.len() > 30, "{commands:?}");
    let is_within = |command: &str, name: &str| command == name || command.starts_with(&format!("{name} "));
    for (command, is_limited) in &commands {
        let reason = WITHOUT_TIME.iter().find(|(name, _)| is_within(command, name));
        assert_ne!(*is_limited, reason.is_some(), "{command}: --time, or a reason, and not both");
    }
    for (name, _) in WITHOUT_TIME {
        assert!(commands.iter().any(|(command, _)| is_within(command, name)), "{name}: no such command");
    }
}

#[test]
fn commands_out_of_time_are_undecided() {
    let folder = Folder::new("out-of-time");
    let states = folder.file("states.csv", "j1\n0\n0.5\n1\n");
    let volume = folder.join("volume.obj").to_string_lossy().into_owned();
    let run = ["robot", "run", "--demo", "magazine-clash", "--no-profile"];
    let check = ["robot", "check", "--demo"];
    let whole = [
        vec!["robot", "ik", "--demo", "--pose", "0.4,0.2,0.3,0,1,0,0"],
        vec!["robot", "limits", "--demo"],
        vec!["robot", "sweep", "--demo", "--path", &states, "--volume", &volume],
        vec!["robot", "check", "--demo", "--trajectory", &states],
    ];
    for words in whole.iter().map(Vec::as_slice).chain([&run[..], &check[..]]) {
        let output = noli(&[words, &["--time", "0s"]].concat());
        assert_eq!(exit_code(&output), 3, "{words:?}: {}{}", stdout(&output), stderr(&output));
        let output = noli(&[words, &["--time", "0s", "--json"]].concat());
        assert_eq!(exit_code(&output), 3, "{words:?}: {}", stderr(&output));
        let _ = json(&output);
    }
    for words in whole {
        let output = noli(&[&words[..], &["--time", "0s", "--json"]].concat());
        let report = json(&output);
        assert!(report["error"].as_str().is_some_and(|text| text.contains("--time was reached")), "{report}");
        assert_eq!(report["exit_code"], 3);
    }
    assert!(!folder.join("volume.obj").exists());
    let report = json(&noli(&[&check[..], &["--time", "0s", "--json"]].concat()));
    assert_eq!(report["outcome"], "undecided");
    assert_eq!(report["summary"]["undecided"], report["summary"]["states"]);
    assert!(report["warnings"].to_string().contains("200 configurations are not tested"), "{report}");
    let report = json(&noli(&[&run[..], &["--time", "0s", "--json"]].concat()));
    assert_eq!(
        (&report["outcome"], &report["first_failure"]["kind"]),
        (&"undecided".into(), &"undecided".into())
    );
    // Time enough changes no answer.
    for words in [&run[..], &check[..]] {
        let timed = noli(&[words, &["--time", "10min"]].concat());
        assert_eq!(exit_code(&timed), exit_code(&noli(words)), "{words:?}");
    }
}

/// A cell with itself: both robots are at one place, and collide at every pair of times.
#[test]
fn a_cell_with_itself_ends() {
    let folder = Folder::new("with-itself");
    let made = noli(&[
        "robot",
        "run",
        "--demo",
        "magazine",
        "--no-profile",
        "--write-demo",
        &folder.to_string_lossy(),
    ]);
    assert_eq!(exit_code(&made), 0, "{}", stderr(&made));
    let cell = folder.join("cell.toml").to_string_lossy().into_owned();
    let output = noli(&["robot", "coordinate", &cell, &cell, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    let report = json(&output);
    assert_eq!(report["pairs"][0]["classification"], "no-order");
    assert_eq!(report["pairs"][0]["as_timed"]["collision"]["time_s"], 0.0);
    let output = noli(&["robot", "coordinate", &cell, &cell, "--json", "--time", "0s"]);
    assert_eq!(exit_code(&output), 3, "{}", stderr(&output));
}
