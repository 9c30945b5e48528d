//! Never an answer by silence: a command that ends with 0 has compared or examined something, and found all that was named.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use noli_scenes::SplitMix64;
use serde_json::Value;

/// A scene in which nothing meets, with everything that can be named: parts of a split file, groups, patterns, rules, motions.
const SCENE: &str = r#"units = "mm"
[[body]]
name = "asm"
file = "cubes.obj"
split = true
pose = { xyz = [0, 0, 50] }
[[body]]
name = "floor"
box = [100, 100, 1]
[[body]]
name = "pin.1"
cylinder = { radius = 1, height = 4 }
pose = { xyz = [20, 0, 10] }
[[body]]
name = "pin.2"
parent = "pin.1"
sphere = { radius = 1 }
pose = { xyz = [0, 9, 0] }
[[group]]
name = "pins"
bodies = ["pin.*"]
[[group]]
name = "parts"
bodies = ["asm/cube0", "asm/cube1"]
[check]
margin = 0.5
skip = [["asm/*", "asm/*"], ["floor", "pin.2"]]
[[motion]]
group = "pins"
kind = "straight"
to = { xyz = [20, 5, 30] }
[[motion]]
group = "parts"
kind = "straight"
to = { xyz = [0, 0, 60] }
"#;

const NAMES: [&str; 12] = [
    "asm",
    "asm/*",
    "asm/cube0",
    "asm/cube9",
    "floor",
    "pin.1",
    "pin.*",
    "pins",
    "parts",
    "nothing*",
    "",
    "*",
];

/// Every quoted text of a line.
fn quoted(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

/// One to three changes that a user could make: lines lost, doubled or moved, names exchanged, numbers changed, lists emptied.
fn mutated(random: &mut SplitMix64) -> String {
    let mut lines: Vec<String> = SCENE.lines().map(str::to_owned).collect();
    let mut below = |count: usize| (random.unit() * count as f64) as usize;
    for _ in 0..=below(3) {
        let at = below(lines.len());
        let names = quoted(&lines[at]).len();
        match below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = below(lines.len());
                lines.swap(at, other);
            }
            3 if names > 0 => {
                let old = quoted(&lines[at])[below(names)].to_owned();
                lines[at] =
                    lines[at].replacen(&format!("\"{old}\""), &format!("\"{}\"", NAMES[below(12)]), 1);
            }
            4 => {
                lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), ["0", "1", "7", "1e9"][below(4)])
            }
            _ => {
                if let Some((key, _)) = lines[at].split_once(" = [") {
                    lines[at] = format!("{key} = []");
                }
            }
        }
    }
    lines.join("\n")
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            name.strip_prefix(start).is_some_and(|left| (0..=left.len()).any(|at| fits(rest, &left[at..])))
        }
    }
}

/// All that the lists of a scene name must be among its bodies or groups.
fn all_found(text: &str, bodies: &[String]) {
    let listed = |line: &&str| ["bodies", "skip", "only"].iter().any(|key| line.starts_with(key));
    for name in text.lines().filter(listed).flat_map(quoted) {
        let group = text.contains(&format!("[[group]]\nname = \"{name}\""));
        let whole = bodies.iter().any(|body| body.starts_with(&format!("{name}/")));
        assert!(
            group || whole || bodies.iter().any(|body| fits(name, body)),
            "{name:?} in\n{text}\n{bodies:?}"
        );
    }
}

fn names(list: &Value) -> Vec<String> {
    let name = |body: &Value| body["name"].as_str().or(body.as_str()).unwrap_or_default().to_owned();
    list.as_array().map_or(Vec::new(), |list| list.iter().map(name).collect())
}

/// What a command said of a scene: how many pairs, and of which bodies.
fn asked(command: &str, report: &Value) -> (u64, Vec<String>) {
    match command {
        // One body alone is examined for itself.
        "check" if report.get("sound").is_some() => (report["triangles"].as_u64().unwrap(), Vec::new()),
        "check" => (report["summary"]["pairs"].as_u64().unwrap(), names(&report["bodies"])),
        "sweep" => (report["pairs"].as_u64().unwrap(), Vec::new()),
        _ => {
            let moved = |frame: &Value| frame["groups"].as_array().map_or(0, Vec::len) as u64;
            (report["frames"].as_array().unwrap().iter().map(moved).sum(), names(&report["bodies"]))
        }
    }
}

/// `NOLI_MUTATED` sets how many scenes there are.
#[test]
fn exit_code_0_means_that_something_was_compared_and_all_names_were_found() {
    let folder = Folder::new("silence");
    folder.cubes("cubes.obj", &[0.0, 5.0, 9.0]);
    let count = std::env::var("NOLI_MUTATED").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let mut random = SplitMix64::new(15);
    let (mut free, mut refused) = (0, 0);
    for number in 0..count {
        let text = if number == 0 { SCENE.to_owned() } else { mutated(&mut random) };
        let scene = folder.file("scene.toml", &text);
        for command in ["check", "sweep", "play"] {
            let output = noli(&[command, &scene, "--json"]);
            let (code, said) = (exit_code(&output), stderr(&output));
            assert!((0..=3).contains(&code) && !said.contains("panicked"), "{code} {said}\n{text}");
            match code {
                0 => {
                    let (pairs, bodies) = asked(command, &json(&output));
                    assert!(pairs > 0, "{command}: nothing was compared in\n{text}");
                    if !bodies.is_empty() {
                        all_found(&text, &bodies);
                    }
                    free += 1;
                }
                2 => {
                    assert!(said.len() > 20, "an error says what and how to mend it: {said:?}\n{text}");
                    refused += 1;
                }
                _ => {}
            }
        }
        assert!(number > 0 || free == 3, "the scene itself is free: {free} of 3\n{text}");
    }
    assert!(free > count / 4 && refused > count / 4, "{free} free, {refused} refused of {count}");
}

/// Every bundled scene, as the command shows it.
#[test]
fn bundled_scenes_are_compared() {
    let list = stdout(&noli(&["scenes", "list"]));
    let first_words = list.lines().skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = first_words.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 5, "{list}");
    for name in names {
        let output = noli(&["check", "--demo", name, "--detail", "1", "--json"]);
        assert!((0..=3).contains(&exit_code(&output)), "{name}: {}", stderr(&output));
        if exit_code(&output) < 2 {
            assert!(json(&output)["summary"]["pairs"].as_u64().unwrap() > 0, "{name}");
        }
    }
}
