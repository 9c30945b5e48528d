//! Nothing is called free unless something was looked at and everything that was named was found: a property of all
//! scenes, whole and damaged.

use noli::world::{CheckOptions, Pattern, StepOptions};
use noli_formats::ReadOptions;
use noli_project::clash::ClashOptions;
use noli_project::report::{CheckReport, Outcome, ReportOptions, SweepReport};
use noli_project::{LoadedScene, StageOptions, bundled_names, load_scene_text, open_bundled, stage};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A split assembly, groups and rules that name its parts, and motions of a part and of a group.
const PARTS: &str = r#"
units = "mm"
[[body]]
name = "asm"
generator = { scene = "linked-tori" }
split = true
[[body]]
name = "wall"
box = [10, 300, 300]
pose = { xyz = [300, 0, 0] }
[[body]]
name = "cart"
box = [20, 20, 20]
pose = { xyz = [0, 400, 0] }
[[body]]
name = "cup"
sphere = { radius = 4 }
parent = "cart"
pose = { xyz = [0, 0, 30] }
[[group]]
name = "mover"
bodies = ["asm/*"]
[check]
margin = 0.5
skip = [["cart", "cup"], ["asm/*", "asm/*"]]
margins = [{ pair = ["wall", "cup"], margin = 2 }]
[[motion]]
group = "mover"
kind = "straight"
to = { xyz = [0, 0, 50] }
[[motion]]
body = "cart"
kind = "velocity"
linear = [30, 0, 0]
"#;

/// Bodies that stand, with rules.
const STANDING: &str = r#"
[[body]]
name = "floor"
half_space = true
[[body]]
name = "post"
box = [1, 1, 8]
pose = { xyz = [0, 0, 5] }
[[body]]
name = "sphere"
sphere = { radius = 2 }
pose = { xyz = [5, 0, 6] }
[[group]]
name = "things"
bodies = ["post", "sphere"]
[check]
only = [["post", "*"], ["sphere", "floor"]]
skip = [["floor", "post"]]
margin = 0.25
"#;

/// A small generator: the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// A scene with one to three things changed: lines gone or twice, names and numbers damaged or exchanged.
fn damaged(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut words: Vec<String> = text
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .chain(["asm/x", "*", "a*"].map(Into::into))
        .collect();
    words.sort();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(lines.len());
        match numbers.below(7) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[numbers.below(lines.len())].clone()),
            2 | 3 => {
                // Another name of the scene in place of one.
                let parts: Vec<&str> = lines[at].split('"').collect();
                if parts.len() >= 3 {
                    let word = 1 + 2 * numbers.below(parts.len() / 2);
                    let mut parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
                    parts[word] = words[numbers.below(words.len())].clone();
                    lines[at] = parts.join("\"");
                }
            }
            4 => {
                let digits: Vec<usize> =
                    lines[at].char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
                if let Some(&digit) = digits.get(numbers.below(digits.len())) {
                    lines[at].replace_range(digit..=digit, ["0", "1", "9", "-"][numbers.below(4)]);
                }
            }
            5 => {
                let letters: Vec<usize> = lines[at]
                    .char_indices()
                    .filter(|(_, c)| c.is_ascii_alphabetic())
                    .map(|(i, _)| i)
                    .collect();
                if let Some(&letter) = letters.get(numbers.below(letters.len())) {
                    lines[at].replace_range(letter..=letter, "q");
                }
            }
            _ => lines[at] = "bodies = []".to_owned(),
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

/// Every text in a part of the file.
fn texts(value: &DeValue<'_>, found: &mut Vec<String>) {
    match value {
        DeValue::String(text) => found.push(text.to_string()),
        DeValue::Array(all) => all.iter().for_each(|value| texts(value.get_ref(), found)),
        _ => {}
    }
}

/// The texts under a key of every table of a list.
fn under(list: Option<&DeValue<'_>>, key: &str, found: &mut Vec<String>) {
    let Some(DeValue::Array(tables)) = list else { return };
    for table in tables.iter() {
        if let DeValue::Table(table) = table.get_ref() {
            table.get(key).into_iter().for_each(|value| texts(value.get_ref(), found));
        }
    }
}

/// Names in the file, found without the reader that is tested.
fn named(text: &str) -> Vec<String> {
    let root = DeTable::parse(text).unwrap();
    let mut found = Vec::new();
    let value = |key: &str| root.get_ref().get(key).map(|value| value.get_ref());
    for (list, key) in [("group", "bodies"), ("motion", "body"), ("body", "parent")] {
        under(value(list), key, &mut found);
    }
    if let Some(DeValue::Table(check)) = value("check") {
        for key in ["skip", "only"] {
            check.get(key).into_iter().for_each(|value| texts(value.get_ref(), &mut found));
        }
        under(check.get("margins").map(|value| value.get_ref()), "pair", &mut found);
    }
    found
}

/// Result for a scene: an error, or an outcome about something.
#[derive(Debug, PartialEq, Clone, Copy)]
enum End {
    Refused,
    Outcome(Outcome),
}

fn end(loaded: &LoadedScene, text: Option<&str>) -> End {
    let Ok(mut staged) = stage(loaded, &StageOptions::default()) else { return End::Refused };
    let moving = !loaded.motions.is_empty();
    let outcome = if moving {
        let Ok(asked) = staged.pairs_moved() else { return End::Refused };
        assert!(asked.count() > 0);
        let options = StepOptions { sleep: false, ..Default::default() };
        let Ok(step) = staged.world.plan(staged.moves.clone(), &options) else { return End::Refused };
        let report = SweepReport::new("scene", &staged, &step);
        assert!(report.verdict().is_ok_and(|verdict| verdict.asked().count() > 0));
        if report.outcome == Outcome::Free {
            // Something moves: some body is elsewhere at some time.
            for part in step.moves() {
                let moved = part
                    .parts()
                    .any(|(_, motion)| (1..=8).any(|k| motion.pose(f64::from(k) / 8.0) != motion.pose(0.0)));
                assert!(moved, "{} stays where it is: {text:?}", part.name());
            }
        }
        report.outcome
    } else {
        if staged.pairs_asked().is_err() {
            return End::Refused;
        }
        let question = CheckOptions { count: false, place: false, ..Default::default() };
        let Ok(result) = staged.world.check(&question) else { return End::Refused };
        let options =
            ReportOptions { source: "scene", units: None, segments: 0, budget: noli::Budget::UNLIMITED };
        let report = CheckReport::new(&staged, &result, &options, &ClashOptions::default());
        assert!(report.verdict().is_ok_and(|verdict| verdict.asked().count() == result.pairs));
        assert!(staged.bodies.len() >= 2);
        report.outcome
    };
    if let (Outcome::Free, Some(text)) = (outcome, text) {
        let names = || loaded.bodies.iter().map(|body| body.name.as_str());
        let entries = || loaded.scene.bodies.iter().map(|body| body.name.as_str());
        for name in named(text) {
            let pattern = Pattern::new(name.as_str());
            let found = names().chain(entries()).any(|body| pattern.matches(body));
            assert!(found, "`{name}` is not there, and yet free:\n{text}");
        }
        let empty = |group: usize| loaded.bodies.iter().all(|body| body.group != Some(group));
        assert!(!(0..loaded.scene.groups.len()).any(empty), "an empty group:\n{text}");
        assert!(loaded.motions.iter().all(|motion| !motion.bodies.is_empty()), "{text}");
    }
    End::Outcome(outcome)
}

fn of_text(text: &str) -> End {
    let loaded = load_scene_text(text.as_bytes(), Path::new("scene.toml"), &ReadOptions::default());
    loaded.map_or(End::Refused, |loaded| end(&loaded, Some(text)))
}

#[test]
fn bundled_scenes_are_about_something() {
    for name in bundled_names().into_iter().filter(|name| !name.starts_with("engine")) {
        let source = open_bundled(name, 1).unwrap();
        assert_ne!(end(&source.scene, None), End::Refused, "{name}");
    }
}

#[test]
fn a_thousand_damaged_scenes_are_free_only_with_everything_found() {
    assert_ne!(of_text(PARTS), End::Refused);
    assert_eq!(of_text(STANDING), End::Outcome(Outcome::Free));
    let (mut numbers, mut ends) = (Numbers(7), Vec::new());
    for k in 0..1_000 {
        // Most of them of the scene whose names are parts of files.
        let text = if k % 3 == 0 { STANDING } else { PARTS };
        ends.push(of_text(&damaged(text, &mut numbers)));
    }
    let count = |wanted: End| ends.iter().filter(|end| **end == wanted).count();
    let (free, refused) = (count(End::Outcome(Outcome::Free)), count(End::Refused));
    assert!(free >= 100 && refused >= 100, "{free} free and {refused} refused of 1000 show little");
}
