//! The pages that a stranger follows: their files are written, their commands run and their output compared, in a
//! folder of its own for each page. Those of the README are followed too.
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
        // In a clone, the one stands for the other.
        let line = line.replace("cargo run --release --", "noli");
        let expected = line.split_once("# exit code ").map_or(0, |(_, code)| code[..1].parse().unwrap());
        let output =
            Command::new("sh").args(["-c", &line]).current_dir(folder).env("PATH", &path).output().unwrap();
        let [out, error] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(expected), "{page}:{}: {line}\n{out}\n{error}", block.line);
        printed += &out;
    }
    printed
}

fn follow(page: &Path) {
    let name = page.strip_prefix(docs()).unwrap_or(Path::new("README.md")).display().to_string();
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

/// A stranger has no files yet: the commands of the first page need none.
#[test]
#[cfg(unix)]
fn the_readme_runs_in_an_empty_folder() {
    let readme = docs().join("../README.md");
    let commands: Vec<Block> = blocks(&std::fs::read_to_string(&readme).unwrap());
    assert_eq!(commands.iter().map(|block| block.info.as_str()).collect::<Vec<_>>(), ["sh", "text output"]);
    follow(&readme);
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
    the_bim_tutorial_runs: "bim.md"
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
