//! Scenes with bodies given by formulas: check, sweep and play.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

/// A ring that lies flat, a sphere in its hole, a furrowed knob from a file, and a floor. The sphere rises through the hole, or
/// with `aside` into the ring.
fn scene(aside: bool) -> String {
    format!(
        "units = 'mm'
[[body]]
name = 'ring'
formula = 'torus(40, 8)'
[[body]]
name = 'sphere'
formula = 'x^2 + y^2 + z^2 <= 400'
pose = {{ xyz = [{}, 0, -60] }}
[[body]]
name = 'knob'
formula_file = 'knob.formula'
units = 'cm'
bounds = [[-2, -2, -2], [2, 2, 2]]
pose = {{ xyz = [100, 0, 0] }}
[[body]]
name = 'peg'
cylinder = {{ radius = 4, height = 100 }}
pose = {{ xyz = [119, 0, 0] }}
[[body]]
name = 'floor'
half_space = true
pose = {{ xyz = [0, 0, -85] }}
[check]
margin = 6
[[motion]]
body = 'sphere'
kind = 'velocity'
linear = [0, 0, 120]
",
        if aside { 40 } else { 0 }
    )
}

/// A rod of a centimetre that has no end of its own.
const KNOB: &str = "# furrows\ndepth = 0.1*sin(6*z)\nlength(x, y) - 1.5 + depth\n";

fn write(folder: &Folder, aside: bool) -> String {
    folder.file("knob.formula", KNOB);
    folder.file("scene.toml", scene(aside))
}

#[test]
fn a_check_proves_how_formulas_stand() {
    let folder = Folder::new("formulas-check");
    let output = noli(&["check", &write(&folder, false), "--json", "--all"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let pair = |a: &str, b: &str| {
        let pairs = report["pairs"].as_array().unwrap();
        let named = |pair: &&serde_json::Value| {
            [&pair["a"], &pair["b"]].iter().all(|name| **name == a || **name == b)
        };
        pairs.iter().find(named).unwrap_or_else(|| panic!("{a} and {b} in {report}")).clone()
    };
    // The peg's side is at x = 115, the furrows reach 14 to 16 around 100.
    let knob = pair("knob", "peg");
    assert_eq!(
        (knob["relation"].as_str(), knob["guarantee"].as_str()),
        (Some("intersecting"), Some("conservative"))
    );
    let place = knob["where"][0].as_f64().unwrap();
    assert!((114.9..116.1).contains(&place), "{knob}");
    // The sphere is 5 above the floor, which is less than the margin.
    let floor = pair("sphere", "floor");
    assert_eq!(
        (floor["relation"].as_str(), floor["hit"].as_bool()),
        (Some("separated"), Some(true)),
        "{floor}"
    );
    let (least, most) =
        (floor["clearance"]["at_least"].as_f64().unwrap(), floor["clearance"]["at_most"].as_f64().unwrap());
    assert!(least <= 5.0 && 5.0 <= most && most - least < 1e-3, "{floor}");
}

#[test]
fn a_page_shows_what_a_formula_looks_like() {
    let folder = Folder::new("formulas-page");
    let page = folder.0.join("page.html");
    let output = noli(&["check", &write(&folder, false), "--html", page.to_str().unwrap()]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("knob"), "{}", stdout(&output));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("\"ring\"") && text.len() > 100_000, "triangles are drawn");
}

#[test]
fn sweeps_and_plays_follow_formulas() {
    let folder = Folder::new("formulas-sweep");
    let through = folder.file("through.toml", scene(false).replace("margin = 6", "margin = 1"));
    folder.file("knob.formula", KNOB);
    let output = noli(&["sweep", &through, "--json"]);
    assert_eq!(exit_code(&output), 0, "{} {}", stdout(&output), stderr(&output));
    let into = folder.file("into.toml", scene(true).replace("margin = 6", "margin = 0"));
    let output = noli(&["sweep", &into, "--json"]);
    assert_eq!(exit_code(&output), 1, "{} {}", stdout(&output), stderr(&output));
    // The sphere's top reaches the ring's under side after 60 - 20 - 8 = 32 of 120.
    let impact = &json(&output)["impacts"][0];
    let (safe, by) = (impact["safe_until"].as_f64().unwrap(), impact["touching_by"].as_f64().unwrap());
    assert!(safe <= 32.0 / 120.0 && 32.0 / 120.0 <= by + 1e-4 && by - safe < 1e-2, "{impact}");
    let output = noli(&["play", &into, "--json"]);
    assert_eq!(exit_code(&output), 1, "{} {}", stdout(&output), stderr(&output));
}

/// The bundled scene: 4.6 from the rim of the hole at first, through it, and on until the knob is half a millimetre (the margin) above the sphere.
#[test]
fn the_bundled_knob_falls_through_the_plate_onto_the_sphere() {
    let folder = Folder::new("formulas-knob");
    let target = folder.0.join("knob");
    let name = "knob-through-plate";
    let output = noli(&["scenes", "write", name, "-o", target.to_str().unwrap()]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let scene = target.join("knob-through-plate.toml");
    let scene = scene.to_str().unwrap();
    let [written, bundled] =
        [vec!["check", scene, "--json"], vec!["check", "--demo", name, "--json"]].map(|arguments| {
            let output = noli(&arguments);
            assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
            json(&output)
        });
    assert_eq!(written["pairs"], bundled["pairs"]);
    assert_eq!(written["pairs"][0]["relation"], "separated");
    let clearance = &written["pairs"][0]["clearance"];
    let (least, most) = (clearance["at_least"].as_f64().unwrap(), clearance["at_most"].as_f64().unwrap());
    assert!(4.6 < least && most < 4.65 && most - least < 1e-3, "{clearance}");
    // What is drawn of exact shapes is no part of them.
    let triangles = |body: usize| written["bodies"][body]["triangles"].as_u64().unwrap();
    assert_eq!([triangles(0), triangles(2)], [0, 0]);
    assert_eq!(written["summary"]["triangles"], triangles(1));
    let text = stdout(&noli(&["check", scene]));
    assert!(text.contains("3 bodies") && text.contains("and 2 exact shapes"), "{text}");
    let exact = 49.5 / 80.0;
    let output = noli(&["sweep", scene, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let impact = &report["impacts"][0];
    let (safe, by) = (impact["safe_until"].as_f64().unwrap(), impact["touching_by"].as_f64().unwrap());
    assert!(safe <= exact && exact <= by + 1e-4 && by - safe < 1e-3, "{impact}");
    assert_eq!(report["impacts"].as_array().unwrap().len(), 1, "{report}");
    let output = noli(&["play", scene]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("knob and sphere"), "{}", stdout(&output));
}

#[test]
fn errors_name_line_and_remedy() {
    let folder = Folder::new("formulas-errors");
    for (body, told) in [
        (
            "formula = 'x^2 + foo(y)'",
            "scene.toml:3: in the formula, line 1, column 7: there is no function `foo`",
        ),
        ("formula = 'x^2 + y^2 <= 1'", "is not proven to end; add `bounds"),
        ("formula = 'x^2 + 1'", "the formula of body `a` has no point; inside is where"),
        ("formula = 'sphere(1)'\nbounds = [[2, 2, 2], [3, 3, 3]]", "has no point inside its bounds"),
        ("formula = 'sphere(1)'\nbounds = [[1, 1, 1], [0, 2, 2]]", "not in order"),
        ("formula = 'sphere(1)'\nas = 'surface'", "has no faces; drop `as`"),
        ("formula_file = 'absent.vm'", "absent.vm"),
        ("formula_file = 'bad.vm'", "bad.vm:2: column"),
        ("formula = 'sphere(1)'\nbox = [1, 1, 1]", "keep one of them"),
    ] {
        folder.file("bad.vm", "_0 var-x\n_1 add _0 _2\n");
        let scene = folder.file("scene.toml", format!("[[body]]\nname = 'a'\n{body}\n"));
        let output = noli(&["check", &scene]);
        assert_eq!(exit_code(&output), 2, "{body}: {}", stdout(&output));
        assert!(stderr(&output).contains(told), "{body}: {}", stderr(&output));
    }
}
