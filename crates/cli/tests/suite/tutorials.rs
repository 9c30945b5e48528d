//! The pages that a stranger follows: their files are written, their commands run and their output compared, in a
//! folder of its own for each page.
//!
//! A block begins with its language and, for the tests, one of: `file=NAME` (written before the commands below it),
//! `skip="reason"` (not run), `output` (lines that the commands above it print). A command ends with the exit code that
//! its comment `# exit code N` gives, else with 0.

use crate::support::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of `docs/` whose commands are run.
const FOLLOWED: [&str; 3] = ["start", "tutorials", "how-to"];

/// A code block: its line on the page, the words after its fence, and its text.
struct Block {
    line: usize,
    info: String,
    text: String,
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn pages() -> Vec<PathBuf> {
    let folders = FOLLOWED.iter().flat_map(|folder| std::fs::read_dir(docs().join(folder)).unwrap());
    let mut pages: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    assert!(pages.len() >= 12, "{}", pages.len());
    pages
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(_), true) => open = false,
            (Some(info), false) => {
                open = true;
                found.push(Block { line: number + 1, info: info.to_owned(), text: String::new() });
            }
            (None, true) => found.last_mut().unwrap().text += &format!("{line}\n"),
            (None, false) => {}
        }
    }
    found
}

/// Returns the value of `key=` in the words after a fence, without quotes.
fn value<'a>(info: &'a str, key: &str) -> Option<&'a str> {
    let rest = info.split_once(&format!("{key}="))?.1;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(' ').next(),
    }
}

/// Runs the commands of a block; returns what they print.
fn run(page: &str, block: &Block, folder: &Path) -> String {
    let programs = Path::new(crate::PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut printed = String::new();
    for line in block.text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let expected = line.split_once("# exit code ").map_or(0, |(_, code)| code[..1].parse().unwrap());
        let output =
            Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", &path).output().unwrap();
        let [out, error] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(expected), "{page}:{}: {line}\n{out}\n{error}", block.line);
        printed += &out;
    }
    printed
}

fn follow(page: &Path) {
    let name = page.strip_prefix(docs()).unwrap().display().to_string();
    let folder = Folder::new(&format!("page-{}", name.replace('/', "-")));
    let mut printed = String::new();
    for block in blocks(&std::fs::read_to_string(page).unwrap()) {
        let place = format!("{name}:{}", block.line);
        if let Some(reason) = value(&block.info, "skip") {
            assert!(reason.len() > 10, "{place}: give a reason");
        } else if let Some(file) = value(&block.info, "file") {
            folder.file(file, &block.text);
        } else if block.info == "sh" {
            printed = run(&name, &block, &folder);
        } else if block.info == "text output" {
            for line in block.text.lines().filter(|line| !line.is_empty() && *line != "...") {
                assert!(
                    printed.lines().any(|other| other == line),
                    "{place}: not printed: {line:?}\n{printed}"
                );
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn commands_of_start_pages_run() {
    pages().iter().filter(|page| !page.starts_with(docs().join("tutorials"))).for_each(|page| follow(page));
}

/// One test for each slow tutorial, so that they run next to each other.
macro_rules! followed {
    ($($name:ident: $page:literal)*) => {$(
        #[test]
        #[cfg(unix)]
        fn $name() {
            follow(&docs().join("tutorials").join($page));
        }
    )*};
}

followed! {
    the_packaging_tutorial_runs: "packaging.md"
    the_robot_cell_tutorial_runs: "robot-cell.md"
    the_planning_tutorial_runs: "planning.md"
    the_removal_tutorial_runs: "removal.md"
    the_simulation_tutorial_runs: "simulation.md"
    the_gpu_tutorial_runs: "gpu.md"
    the_campaign_tutorial_runs: "campaign.md"
}

/// Tutorials are followed by a test above, or by the tests of the Python package.
#[test]
fn every_tutorial_is_followed() {
    let tests = include_str!("tutorials.rs");
    for page in pages().iter().filter(|page| page.starts_with(docs().join("tutorials"))) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(
            name == "python-batch.md" || tests.contains(&format!("\"{name}\"")),
            "{name} is followed by no test"
        );
    }
}

/// `docs/reference/commands.md` is the help of the program. `NOLI_BLESS=1` writes it anew.
#[test]
fn the_reference_of_commands_is_the_help_of_the_program() {
    let mut text = String::from(
        "# Commands and options\n\nAll commands of `noli` with their options, as `noli COMMAND --help` prints them. \
         [Output, exit codes and JSON](../command-line.md) explains\nthe output.\n",
    );
    add_help(&mut text, &[]);
    let page = docs().join("reference/commands.md");
    if std::env::var_os("NOLI_BLESS").is_some() {
        std::fs::write(&page, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&page).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).find(|(kept, text)| kept != text);
    assert!(
        kept == text,
        "docs/reference/commands.md is not the help of the program: {differs:?}\n\
         run: NOLI_BLESS=1 cargo test -p noli-cli --test suite reference_of_commands"
    );
}

/// Appends the help of a command, then that of its own commands.
fn add_help(text: &mut String, command: &[&str]) {
    let mut program = Command::new(crate::PROGRAM);
    program.args(command).arg("--help").env("COLUMNS", "100").env("NO_COLOR", "1");
    let help = String::from_utf8(program.output().unwrap().stdout).unwrap();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    let title = [&["noli"], command].concat().join(" ");
    let level = "#".repeat(2 + usize::from(command.len() > 1));
    *text += &format!("\n{level} `{title}`\n\n```text\n{}\n```\n", help.join("\n"));
    let listed =
        help.iter().skip_while(|line| **line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Names are indented by two; longer descriptions go on further right.
    let names =
        listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        add_help(text, &[command, &[name]].concat());
    }
}
