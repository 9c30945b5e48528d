//! Never an answer by silence: a command that ends with 0 has compared or examined something, and found all that was named.

mod files;

use crate::support::altered::{
    Command, QueryContext, Subject, WEDGE, count, each_looked_at_something, how_often, mutated, quoted,
};
use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use files::{ARM, ARM_SRDF, CAMPAIGN, CELL, COMPOSED, TRAY, WALL};
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

/// Returns the number of pairs that a command reports for a scene, and their bodies.
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

#[test]
fn exit_code_0_means_that_something_was_compared_and_all_names_were_found() {
    let folder = Folder::new("silence");
    folder.file("cubes.obj", cubes(&[0.0, 5.0, 9.0]));
    let count = how_often();
    let mut random = SplitMix64::new(15);
    let (mut free, mut refused) = (0, 0);
    for number in 0..count {
        let text = if number == 0 { SCENE.to_owned() } else { mutated(SCENE, &NAMES, &mut random) };
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
/// Two cubes that intersect were separated, exit code 0, once `--weld` had made each of them one point.
#[test]
fn bodies_that_welding_destroys_are_refused() {
    let folder = Folder::new("weld");
    let two = folder.file("two.obj", cubes(&[0.0, 0.5]));
    assert_eq!(exit_code(&noli(&["check", &two, "--weld=1e-6"])), 1);
    for length in ["9", "1e300"] {
        let output = noli(&["check", &two, &format!("--weld={length}")]);
        assert_eq!(exit_code(&output), 2, "{}", stdout(&output));
        assert!(stderr(&output).contains("leaves no face with an area; weld within"), "{}", stderr(&output));
    }
}

/// Without rows a clash was said to be separated.
#[test]
fn no_rows_are_no_verdict() {
    let folder = Folder::new("no-rows");
    let two = folder.file("two.obj", cubes(&[0.0, 0.5]));
    let output = noli(&["check", &two, "--rows", "0"]);
    let text = stdout(&output);
    assert!(exit_code(&output) == 1 && !text.contains("All pairs"), "{text}");
    assert!(text.contains("and 1 more row (--rows N shows more)"), "{text}");
}

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

/// Returns `true` if an object given by a formula has a point, judged by its box.
fn has_points(object: &Value) -> bool {
    let vertex = |which: usize, axis: usize| object["bounds"][which][axis].as_f64();
    object["bounds"].is_null() || (0..3).all(|axis| vertex(0, axis) <= vertex(1, axis))
}

const PAIRS_OF_TRAY: fn(&Value, QueryContext<'_>) -> u64 =
    |_, ask| count(&ask(&["check", "@tray.toml", "--json"])["summary"]["pairs"]);

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "robot",
        files: &[
            ("arm.urdf", ARM),
            ("arm.srdf", ARM_SRDF),
            ("around.toml", WALL),
            ("states.csv", "j1,j2\n0,0\n0.5,-0.5\n1,1\n"),
        ],
        names: &["base", "upper", "hand", "wall", "j1", "revolute", "fixed", "", "0 0 0"],
        commands: &[
            Command {
                words: &[
                    "robot",
                    "check",
                    "@arm.urdf",
                    "--srdf",
                    "@arm.srdf",
                    "--around",
                    "@around.toml",
                    "--states",
                    "@states.csv",
                    "--json",
                ],
                looked_at: |report, _| {
                    let asked = count(&report["summary"]["states"]) * count(&report["active_pairs"]);
                    asked * count(&report["others"])
                },
            },
            Command {
                words: &["robot", "info", "@arm.urdf", "--srdf", "@arm.srdf", "--json"],
                looked_at: |report, _| count(&report["links"]),
            },
            Command {
                words: &["robot", "pairs", "@arm.urdf", "--srdf", "@arm.srdf", "--samples", "100", "--json"],
                looked_at: |report, _| count(&report["pairs"]),
            },
            Command {
                words: &["robot", "limits", "@arm.urdf", "--srdf", "@arm.srdf", "--json"],
                looked_at: |report, _| count(&report["limits"]) * count(&report["active_pairs"]),
            },
            Command {
                words: &[
                    "robot",
                    "plan",
                    "@arm.urdf",
                    "--srdf",
                    "@arm.srdf",
                    "--from",
                    "j1=0",
                    "--to",
                    "j1=0.5",
                    "--json",
                ],
                looked_at: |report, ask| {
                    let info = ask(&["robot", "info", "@arm.urdf", "--srdf", "@arm.srdf", "--json"]);
                    count(&report["configurations"]) * count(&info["active_pairs"])
                },
            },
        ],
        in_order: false,
    },
    Subject {
        name: "cell",
        files: &[
            ("cell.toml", CELL),
            ("arm.urdf", ARM),
            ("arm.srdf", ARM_SRDF),
            ("turn.val", "SPEED 50\nDRIVE 1, 20, 100\nIF 1 == 2 THEN\nDRIVE 2, 10, 100\nEND\n"),
        ],
        names: &["base", "upper", "hand", "wall", "turn.val", "arm.urdf", "m", "mm", ""],
        commands: &[Command {
            words: &["robot", "run", "@cell.toml", "--json"],
            looked_at: |report, _| count(&report["motions"]) * count(&report["active_pairs"]),
        }],
        in_order: false,
    },
    Subject {
        name: "paths",
        files: &[("tray.toml", TRAY)],
        names: &["tray", "block", "lid", "loose", "*", "first", "second", "nothing", ""],
        commands: &[
            Command {
                words: &["remove", "@tray.toml", "lid", "--json", "--steps", "300"],
                looked_at: PAIRS_OF_TRAY,
            },
            Command { words: &["study", "@tray.toml", "--json", "--steps", "300"], looked_at: PAIRS_OF_TRAY },
            Command { words: &["study", "@tray.toml", "--disassemble", "--json"], looked_at: PAIRS_OF_TRAY },
        ],
        in_order: false,
    },
    Subject {
        name: "campaign",
        files: &[("plan.toml", CAMPAIGN), ("tray.toml", TRAY)],
        names: &["tray", "block", "lid", "tray.toml", "poses", "paths", "overlap", "nothing", ""],
        commands: &[Command {
            words: &["campaign", "@plan.toml", "--json"],
            looked_at: |report, ask| {
                assert_eq!(report["chunks_done"], report["chunks"], "{report}");
                count(&report["count"]) * count(&ask(&["check", "@tray.toml", "--json"])["summary"]["bodies"])
            },
        }],
        in_order: false,
    },
    Subject {
        name: "meshes",
        files: &[("wedge.obj", WEDGE)],
        names: &["wedge"],
        commands: &[Command {
            words: &["decompose", "@wedge.obj", "-o", "@pieces.obj", "--json"],
            looked_at: |report, _| {
                count(&report["summary"]["pieces"]) * count(&report["summary"]["triangles"])
            },
        }],
        in_order: false,
    },
    Subject {
        name: "formulas",
        files: &[("a.txt", "r = 1\nx^2 + y^2 + z^2 - r^2\n"), ("b.txt", "s = 3\nmove(sphere(1), s, 0, 0)\n")],
        names: &[],
        commands: &[Command {
            words: &["field", "@a.txt", "@b.txt", "--json"],
            looked_at: |report, _| u64::from(has_points(&report["a"]) && has_points(&report["b"])),
        }],
        in_order: false,
    },
    Subject {
        name: "database",
        files: &[("wedge.obj", WEDGE), ("turntable.toml", COMPOSED)],
        names: &["wedge", "foot", "disc", "turn", "revolute", "nothing", ""],
        commands: &[
            Command { words: &["db", "init", "@parts.db"], looked_at: |_, _| 1 },
            Command {
                words: &["db", "import", "@parts.db", "@wedge.obj", "--json"],
                looked_at: |report, _| count(&report["entries"]),
            },
            Command {
                words: &["db", "compose", "@parts.db", "@turntable.toml"],
                looked_at: |_, ask| {
                    count(&ask(&["db", "list", "@parts.db", "--kind", "manipulator", "--json"])["entries"])
                },
            },
            // Of a database without parts too, the file itself is looked at.
            Command { words: &["db", "check", "@parts.db"], looked_at: |_, _| 1 },
        ],
        in_order: true,
    },
];

/// The other commands, each on its own files with a few changes.
#[test]
fn exit_code_0_means_that_every_command_looked_at_something() {
    each_looked_at_something(SUBJECTS);
}

/// Questions that were answered by silence; each has a message of its own.
#[test]
fn nothing_to_look_at_is_an_error() {
    let folder = Folder::new("nothing-to-look-at");
    let place = |word: &str| folder.0.join(word).display().to_string();
    for (file, text) in [
        ("tray.toml", TRAY),
        ("arm.urdf", ARM),
        ("arm.srdf", ARM_SRDF),
        ("cell.toml", CELL),
        ("states.csv", "j1,j2\n0,0\n"),
        ("one.obj", WEDGE),
        ("empty.toml", "units = \"m\"\n"),
        ("empty.yaml", "world:\n  collision_objects: []\n"),
        ("turn.val", "TYPE 1\n"),
        ("none.csv", "j1,j2\n"),
    ] {
        folder.file(file, text);
    }
    let all_off = ARM_SRDF
        .replace("</robot>", "<disable_collisions link1=\"base\" link2=\"hand\" reason=\"x\"/></robot>");
    folder.file("off.srdf", &all_off);
    folder.file(
        "off.toml",
        "count = 8\nrobot = \"arm.urdf\"\nsrdf = \"off.srdf\"\n[draw]\nkind = \"configurations\"\n",
    );
    assert!(noli(&["db", "init", &place("parts.db")]).status.success());
    let robot = |rest: &str| format!("robot {rest}").replace("ARM", "@arm.urdf --srdf @arm.srdf");
    for (words, wanted) in [
        ("remove @one.obj wedge".to_owned(), "nothing that moves is compared with anything"),
        ("remove @tray.toml lid --without tray --without block".to_owned(), "nothing that moves"),
        ("remove @tray.toml lid --ignore tray --ignore block".to_owned(), "nothing that moves"),
        ("study @one.obj --disassemble".to_owned(), "is the only body"),
        ("check @empty.toml".to_owned(), "empty.toml"),
        (robot("check ARM --states @states.csv --around @empty.toml"), "nothing in it that could be met"),
        (robot("check ARM --states @states.csv --around @empty.yaml"), "nothing in it that could be met"),
        (robot("check ARM --states @states.csv --packages @nowhere"), "nowhere"),
        (robot("check ARM --states @none.csv"), "there are no configurations"),
        (robot("check ARM --states @states.csv --carry wrist=@one.obj"), "its links are base, upper, hand"),
        (robot("check @arm.urdf --srdf @off.srdf --states @states.csv"), "all are disabled"),
        (robot("plan @arm.urdf --srdf @off.srdf --from j1=0 --to j1=0.5"), "all are disabled"),
        (robot("limits @arm.urdf --srdf @off.srdf"), "all are disabled"),
        (robot("run @cell.toml"), "nothing moved"),
        ("campaign @off.toml".to_owned(), "all are disabled"),
        ("check @one.obj --threads 100000".to_owned(), "at most 1024"),
        ("verify @one.obj --threads 18446744073709551615".to_owned(), "at most 1024"),
        ("db import @parts.db @empty.toml".to_owned(), "the scene has no bodies"),
    ] {
        let words: Vec<String> = words
            .split(' ')
            .map(|word| match word.split_once('@') {
                Some((before, file)) => format!("{before}{}", place(file)),
                None => word.to_owned(),
            })
            .collect();
        let output = noli(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(exit_code(&output), 2, "{words:?}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains(wanted), "{words:?}: {}", stderr(&output));
    }
    let stored = noli(&["db", "list", &place("parts.db"), "--json"]);
    assert_eq!(json(&stored)["entries"], serde_json::json!([]), "nothing was stored");
}
