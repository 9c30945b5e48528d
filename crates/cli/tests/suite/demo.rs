//! `noli demo`: the first command of a stranger.

use crate::support::{Folder, stderr, stdout};
use std::process::{Command, Output};

fn demo(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(crate::PROGRAM).arg("demo").args(arguments).current_dir(&folder.0).output().unwrap()
}

#[test]
fn the_demo_shows_four_answers_with_their_guarantees_and_a_page() {
    let folder = Folder::new("demo");
    let output = demo(&folder, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for words in [
        "4 intersecting, 2 inside another, 10 touching",
        "guarantee: exact",
        "go on with: noli check --demo",
        "headlight.bulb is removed after headlight.cover",
        "finger_right would touch post",
        "proven free at every moment",
        "open noli-demo.html",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    assert_eq!(text.matches("guarantee: ").count(), 4);
    let page = std::fs::read_to_string(folder.join("noli-demo.html")).unwrap();
    assert_eq!(page.matches("class=\"chapter\"").count(), 4);
    // Ours may be replaced, other people's files not.
    assert_eq!(demo(&folder, &["--quiet"]).status.code(), Some(0));
    let theirs = folder.file("theirs.html", "<html>somebody's work</html>");
    let output = demo(&folder, &["--html", "theirs.html"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("theirs.html exists"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(theirs).unwrap(), "<html>somebody's work</html>");
}

/// The commands that the demo and the help propose exist.
#[test]
fn proposed_commands_are_understood() {
    let mut proposed = Vec::new();
    collect(&noli_cli::command(), &mut proposed);
    let folder = Folder::new("proposed");
    proposed.extend(
        stdout(&demo(&folder, &[]))
            .lines()
            .filter_map(|line| line.trim().strip_prefix("go on with: ").map(str::to_owned)),
    );
    assert!(proposed.len() > 25, "{proposed:?}");
    for line in proposed {
        // Up to the remark or the pipe.
        let line = line.split("   ").next().unwrap().split(" | ").next().unwrap().trim();
        let words: Vec<String> = words_of(line);
        let parsed = noli_cli::command().try_get_matches_from(&words);
        assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
    }
}

/// Words of a command line, with quotes.
fn words_of(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(number, part)| {
            if number % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        })
        .collect()
}

fn collect(command: &clap::Command, found: &mut Vec<String>) {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    found.extend(help.lines().map(str::trim).filter(|line| line.starts_with("noli ")).map(str::to_owned));
    command.get_subcommands().for_each(|below| collect(below, found));
}
