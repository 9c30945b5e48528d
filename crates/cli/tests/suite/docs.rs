//! What the documentation shows is what the program does: scenes are read, outputs are printed, and Rust is either a
//! tested program or says that it is a fragment.

use crate::support::{noli, stdout};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A code block of a page: where it begins, what it says it is, and its text.
struct Block {
    place: String,
    kind: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let mut pages: Vec<PathBuf> =
        std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let (text, name) = (
            std::fs::read_to_string(&page).unwrap(),
            page.file_name().unwrap().to_string_lossy().into_owned(),
        );
        let mut open: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(_), Some(_)) => found.extend(open.take()),
                (Some(kind), None) => {
                    let place = format!("{name}:{}", number + 1);
                    open = Some(Block { place, kind: kind.to_owned(), text: String::new() });
                }
                (None, Some(block)) => block.text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{name} ends in a code block");
    }
    found
}

/// A block of Rust is run (`rust`, on a page that `noli-project` includes in its documentation tests) or says that it is a
/// fragment; a block of TOML is a scene, or says that it is a plan of a campaign or a fragment.
#[test]
fn every_snippet_is_run_or_called_a_fragment() {
    const RUN: [&str; 1] = ["first-program.md"];
    let included = std::fs::read_to_string(root().join("crates/project/src/lib.rs")).unwrap();
    let mut scenes = 0;
    for Block { place, kind, text } in blocks() {
        let page = place.split(':').next().unwrap();
        match kind.as_str() {
            "rust" => {
                assert!(RUN.contains(&page), "{place}: neither run nor marked `rust,ignore` (a fragment)");
                assert!(included.contains(page), "{place} is not among the documentation tests");
            }
            "toml" => {
                noli_project::parse_scene(text.as_bytes()).unwrap_or_else(|error| panic!("{place}: {error}"));
                scenes += 1;
            }
            "toml plan" => {
                noli_campaign::Plan::parse(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
            }
            "toml fragment" | "rust,ignore" | "text" => {}
            // Shown to be read; the readme and the docstrings of the package are run by its own tests.
            "python" | "sql" | "sh" => {}
            other => panic!("{place}: {other:?} is no kind of block that is looked after"),
        }
    }
    assert!(scenes >= 3, "{scenes}");
}

/// The example of `docs/scenes.md` once skipped its only pair, and a sweep of it was free.
#[test]
fn the_scenes_of_the_documentation_leave_pairs() {
    for Block { place, kind, text } in blocks().into_iter().filter(|block| block.kind == "toml") {
        assert_eq!(kind, "toml");
        let scene = noli_project::parse_scene(text.as_bytes()).unwrap();
        let left = |a: usize, b: usize| {
            let fits = |pair: &[noli_project::Pattern; 2]| {
                let [a, b] = [a, b].map(|body| scene.bodies[body].name.as_str());
                pair[0].matches(a) && pair[1].matches(b) || pair[0].matches(b) && pair[1].matches(a)
            };
            !scene.check.skip.iter().any(fits)
        };
        let count = scene.bodies.len();
        assert!((0..count).any(|a| (0..a).any(|b| left(a, b))), "{place} skips all its pairs");
    }
}

/// The table of the readme is what the program prints, line by line, but for what it leaves out.
#[test]
fn the_table_of_the_readme_is_printed() {
    let printed = stdout(&noli(&["check", "--demo"]));
    let shown = blocks().into_iter().find(|block| block.text.starts_with("engine-bay (generated)")).unwrap();
    for line in shown.text.lines().filter(|line| !line.is_empty() && *line != "...") {
        assert!(
            printed.lines().any(|other| other == line),
            "{}: not printed: {line:?}\n{printed}",
            shown.place
        );
    }
}
