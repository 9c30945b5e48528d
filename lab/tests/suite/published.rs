//! Commands of `noli` with published methods.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

/// The published searches find deep contacts, and where they find none nothing is proven.
#[test]
fn published_searches_prove_nothing_where_they_find_nothing() {
    let sphere = "x^2 + y^2 + z^2 <= 1";
    for method in ["published", "sampled"] {
        let ask = |shift: &str| {
            noli(&[
                "field", sphere, sphere, "--pose-b", shift, "--method", method, "--starts", "200", "--json",
            ])
        };
        let deep = ask("1.2,0.3,0");
        assert_eq!(exit_code(&deep), 0, "{method}");
        let report = json(&deep);
        assert_eq!((&report["overlap"], &report["guarantee"]), (&"hit".into(), &"approximate".into()));
        assert!(report["values"].as_u64() >= report["starts"].as_u64());
        let separated = ask("1.6,1.6,0");
        assert_eq!(
            (exit_code(&separated), json(&separated)["overlap"].as_str()),
            (0, Some("unknown")),
            "{method}"
        );
    }
    assert_eq!(exit_code(&noli(&["field", sphere, "z <= 0", "--method", "published"])), 2);
}

/// Two carts that drive at a wall, one behind the other.
const CARTS: &str = "
[[body]]
name = 'wall'
box = [1, 4, 4]
pose = { xyz = [5, 0, 0] }
[[body]]
name = 'front'
box = [1, 1, 1]
[[body]]
name = 'load'
box = [0.5, 0.5, 0.5]
parent = 'front'
pose = { xyz = [0, 0, 1] }
[[body]]
name = 'back'
box = [1, 1, 1]
pose = { xyz = [-2, 0, 0] }
[[motion]]
body = 'front'
kind = 'velocity'
linear = [8, 0, 0]
[[motion]]
body = 'back'
kind = 'keyframes'
keys = [{ time = 0, xyz = [-2, 0, 0] }, { time = 0.5, xyz = [2, 0, 0] }, { time = 1, xyz = [6, 0, 0] }]
";

#[test]
fn unfinished_pairs_are_answered_as_asked() {
    let folder = Folder::new("fallback");
    let scene = folder.file("carts.toml", CARTS);
    for fallback in ["contact", "volumes", "faces"] {
        let output = noli(&["play", &scene, "--frames", "5", "--steps", "2", "--fallback", fallback]);
        assert_eq!(exit_code(&output), 0, "{fallback}: {}", stderr(&output));
        assert!(stdout(&output).contains(" stops at "), "{fallback}: {}", stdout(&output));
    }
    let output = noli(&["play", &scene, "--fallback", "guess"]);
    assert!(stderr(&output).contains("faces"), "{}", stderr(&output));
}
