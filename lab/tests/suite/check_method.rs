//! `noli-lab check --method`: the methods of the literature on whole assemblies.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

#[test]
fn every_method_finds_what_the_tree_finds() {
    let usual = json(&noli(&["check", "--demo", "--detail", "1", "--json", "--intersections", "none"]));
    assert!(usual.get("method").is_none());
    for method in ["four-step", "four-step:6", "boyse", "moore", "lin-canny"] {
        let arguments =
            ["check", "--demo", "--detail", "1", "--json", "--intersections", "none", "--method", method];
        let report = json(&noli(&arguments));
        assert_eq!(report["summary"], usual["summary"], "{method}");
        let said = &report["method"];
        assert_eq!(said["guarantee"], "exact");
        let met = ["intersecting", "inside", "touching"]
            .iter()
            .map(|kind| usual["summary"][kind].as_u64().unwrap());
        assert_eq!(said["hits"].as_u64(), Some(met.sum()), "{method}");
        assert!(said["exact_tests"].as_u64() > Some(0));
    }
}

#[test]
fn occupancy_reports_neighbours_as_closer() {
    let output = noli(&["check", "--demo", "nested-spheres", "--as", "surface", "--method", "occupancy:4"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("closer") && text.contains("by occupancy:4 (conservative)"), "{text}");
}

#[test]
fn an_unknown_method_is_answered_with_the_names() {
    let output = noli(&["check", "--demo", "--method", "octree"]);
    assert_eq!(exit_code(&output), 2);
    assert!(
        stderr(&output).contains("choose tree, four-step[:1..20|:auto], boyse, moore"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_scene_may_name_its_method() {
    let folder = Folder::new("scene-method");
    let bodies = "[[body]]\nname = 'a'\nbox = [2, 2, 2]\n[[body]]\nname = 'b'\nbox = [1, 1, 9]\n[check]\n";
    let scene = folder.file("scene.toml", format!("{bodies}method = 'four-step:6'\n"));
    assert_eq!(json(&noli(&["check", &scene, "--json"]))["method"]["name"], "four-step:6");
    let report = json(&noli(&["check", &scene, "--json", "--method", "tree"]));
    assert!(report.get("method").is_none(), "the command line counts more");
}

/// Help, reference pages and scenes use the library's names of its methods.
#[test]
fn every_method_is_in_the_help_and_on_the_pages() {
    let help: String = stdout(&noli(&["check", "--help"])).split_whitespace().collect();
    let page = |name: &str| {
        let path = format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let pages = ["command-line.md", "scenes.md"].map(page);
    for name in noli_classics::PairMethod::NAMES {
        assert!(help.contains(name), "{name} is not in the help");
        assert!(pages.iter().all(|page| page.contains(&format!("`{name}"))), "{name} is not on the pages");
    }
    let folder = Folder::new("method-of-scene");
    let scene = folder.file(
        "scene.toml",
        "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [2, 2, 2]\n[check]\nmethod = 'lin-canny'\n",
    );
    assert_eq!(json(&noli(&["check", &scene, "--json"]))["method"]["name"], "lin-canny");
}
