//! The documentation shows the behaviour of the program: scenes are read, outputs are printed, and Rust is
//! either a tested program or says that it is a fragment.

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

fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let pages = files.into_iter().filter(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.chain(folders.iter().flat_map(|folder| pages_below(folder))).collect()
}

fn blocks() -> Vec<Block> {
    let mut pages = pages_below(&root().join("docs"));
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
        // What follows is for the tests of tutorials.
        let kind =
            [" file=", " skip="].iter().fold(kind.as_str(), |kind, mark| kind.split(mark).next().unwrap());
        match kind {
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
            "toml fragment" | "rust,ignore" | "text" | "text output" | "json" => {}
            // Shown to be read; the readme and the docstrings of the package are run by its own tests.
            "python" | "sql" | "sh" => {}
            // The tests of the C interface compile its examples.
            "c" | "cpp" | "cmake" => {}
            // The tests of the npm package run it (`bindings/js/tests/docs.test.mjs`).
            "js" => {}
            other => panic!("{place}: {other:?} is no kind of block that is looked after"),
        }
    }
    assert!(scenes >= 3, "{scenes}");
}

/// The example of `docs/scenes.md` once skipped its only pair, and a sweep of it was free.
#[test]
fn the_scenes_of_the_documentation_leave_pairs() {
    for Block { place, kind, text } in blocks() {
        if kind.split(" file=").next() != Some("toml") {
            continue;
        }
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
