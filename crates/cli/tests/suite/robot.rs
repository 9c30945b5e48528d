//! Robots from the command line.

use crate::support::{Folder, data, exit_code, json, noli, stderr, stdout};
use serde_json::Value;

const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.5 0 0"/>
<geometry><box size="0.6 0.1 0.1"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0.55 0 0"/>
<geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/>
<axis xyz="0 0 1"/><limit lower="-3.1" upper="3.1" velocity="1" effort="1"/></joint></robot>"#;

#[test]
fn states_of_an_arm_that_folds_back() {
    let folder = Folder::new("robot-check");
    let arm = folder.file("arm.urdf", ARM);
    let states = folder.file("states.csv", "elbow,note\n0,a\n3.1,b\n1,c\n");
    let output = noli(&["robot", "check", &arm, "--states", &states, "--clearance", "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["assumed_zero"], serde_json::json!(["shoulder"]));
    assert_eq!(report["ignored_columns"], serde_json::json!(["note"]));
    let free: Vec<bool> =
        report["states"].as_array().unwrap().iter().map(|state| state["free"].as_bool().unwrap()).collect();
    assert_eq!(free, [true, false, true]);
    let hit = &report["states"][1];
    assert_eq!(hit["pairs"][0]["links"], serde_json::json!(["base", "lower"]));
    let point = hit["pairs"][0]["point"].as_array().unwrap();
    assert!(point.iter().all(|x| x.as_f64().unwrap().abs() < 0.2), "within the base: {point:?}");
    assert_eq!(hit["clearance"]["at_most"], 0.0);
    // Stretched out, the lower arm begins at 1.15 and the base ends at 0.1.
    let clearance = &report["states"][0]["clearance"];
    assert!((clearance["at_least"].as_f64().unwrap() - 1.05).abs() < 1e-9, "{clearance}");
    assert_eq!((&report["summary"]["states"], &report["summary"]["colliding"]), (&3.into(), &1.into()));
    assert!(report["summary"]["per_second"].as_f64().unwrap() > 0.0);
    let said = report["warnings"].as_array().unwrap().iter().any(|w| w.as_str().unwrap().contains("no SRDF"));
    assert!(said, "{}", report["warnings"]);
    let text = stdout(&noli(&["robot", "check", &arm, "--states", &states]));
    assert!(text.contains("base - lower") && text.contains("3 configurations: 1 colliding"), "{text}");

    let one = folder.file("one.csv", "elbow\n1\n");
    assert_eq!(exit_code(&noli(&["robot", "check", &arm, "--states", &one])), 0);
    let srdf = folder.file(
        "arm.srdf",
        "<robot name=\"arm\"><disable_collisions link1=\"base\" link2=\"lower\" reason=\"User\"/>\
        <disable_collisions link1=\"upper\" link2=\"lower\" reason=\"Adjacent\"/></robot>",
    );
    let output = noli(&["robot", "check", &arm, "--srdf", &srdf, "--states", &states, "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    assert_eq!(json(&output)["disabled_pairs"][0]["reason"], "disabled by the SRDF: User");
    for (states, words) in [("note\n1\n", "column"), ("elbow\nnan\n", "elbow"), ("elbow\n1,2\n", "row")] {
        let bad = folder.file("bad.csv", states);
        let output = noli(&["robot", "check", &arm, "--states", &bad, "--json"]);
        assert_eq!(exit_code(&output), 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    assert_eq!(exit_code(&noli(&["robot", "check", &arm])), 2);
}

/// Links are often nearer to each other than anything that stands around: both clearances are told.
#[test]
fn the_clearance_to_what_stands_around_is_told_apart_from_that_of_the_arm_itself() {
    let folder = Folder::new("robot-around-clearance");
    let arm = folder.file("arm.urdf", ARM);
    let wall = folder.file(
        "wall.toml",
        "units = \"m\"\n[[body]]\nname = \"wall\"\nbox = [0.1, 1, 1]\npose = { xyz = [4, 0, 0] }\n",
    );
    let states = folder.file("states.csv", "elbow\n0\n");
    let words = ["robot", "check", &arm, "--states", &states, "--around", &wall, "--clearance", "--json"];
    let report = json(&noli(&words));
    let state = &report["states"][0];
    let near = |which: &str, wanted: f64| {
        let [low, high] = ["at_least", "at_most"].map(|end| state[which][end].as_f64().unwrap());
        assert!(low <= wanted + 1e-12 && wanted <= high + 1e-12 && high - low < 1e-9, "{which}: {state}");
    };
    // Stretched out, the lower arm reaches from 1.15 to 1.95; the base ends at 0.1 and the wall begins at 3.95.
    near("clearance", 1.05);
    near("self", 1.05);
    near("around", 2.0);
    assert_eq!(state["around"]["links"], serde_json::json!(["lower", "wall"]));
}

#[test]
fn the_demo_limits_info_and_ik_run_without_files() {
    let output = noli(&["robot", "check", "--demo", "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["summary"]["states"], 200);
    let colliding =
        report["states"].as_array().unwrap().iter().filter(|state| state["free"] == false).count();
    assert_eq!(report["summary"]["colliding"], colliding);
    assert!(colliding > 10 && colliding < 190, "both kinds occur: {colliding}");
    assert!(stdout(&noli(&["robot", "info", "--demo"])).contains("disabled by the SRDF: Always"));
    let pose = "0.4,0.2,0.3,0,1,0,0";
    let output = noli(&["robot", "ik", "--demo", "--pose", pose, "--json"]);
    let found = json(&output);
    let solutions = found["solutions"].as_array().unwrap();
    assert!(!solutions.is_empty(), "{found}");
    assert!(solutions.iter().all(|s| s["residual"][0].as_f64().unwrap() < 1e-9), "{found}");
    assert_eq!(exit_code(&noli(&["robot", "ik", "--demo", "--pose", "9,9,9,0,0,0,1"])), 2);
}

#[test]
fn how_far_a_joint_goes() {
    let folder = Folder::new("robot-limits");
    let arm = folder.file("arm.urdf", ARM);
    let report = json(&noli(&["robot", "limits", &arm, "--json"]));
    let limit = |k: usize| &report["limits"][k];
    assert_eq!((&limit(0)["free_until"], &limit(0)["links"]), (&(-3.0).into(), &Value::Null));
    // The elbow folds back until the tip of the lower arm reaches the base.
    let until = limit(3)["free_until"].as_f64().unwrap();
    assert_eq!(limit(3)["links"], serde_json::json!(["base", "lower"]));
    for (angle, code) in [(until - 1e-4, 0), (until + 1e-4, 1)] {
        let states = folder.file("states.csv", format!("elbow\n{angle}\n"));
        assert_eq!(exit_code(&noli(&["robot", "check", &arm, "--states", &states])), code, "{angle}");
    }
}

#[test]
fn which_links_can_meet() {
    let folder = Folder::new("robot-pairs");
    let arm = folder.file("arm.urdf", ARM);
    let written = folder.0.join("out.srdf");
    let output = noli(&["robot", "pairs", &arm, "--json", "--write", written.to_str().unwrap()]);
    let report = json(&output);
    let pair = |a: &str, b: &str| {
        let pairs = report["pairs"].as_array().unwrap();
        pairs.iter().find(|pair| pair["links"] == serde_json::json!([a, b])).unwrap().clone()
    };
    // The upper arm begins 0.1 beyond the base's walls and turns about its middle.
    assert_eq!(pair("base", "upper")["meeting"], "never");
    assert_eq!(pair("base", "lower")["meeting"], "can");
    // A joint's bodies 0.2 apart on either side of the axis.
    assert_eq!(pair("upper", "lower")["adjacent"], true);
    let text = std::fs::read_to_string(&written).unwrap();
    assert!(text.contains("link1=\"base\" link2=\"upper\" reason=\"Never\""), "{text}");
    assert!(!text.contains("link2=\"lower\" reason=\"Never\"/>\n  <disable_collisions link1=\"base\""));

    let claim = folder.file(
        "claim.srdf",
        "<robot name=\"arm\"><disable_collisions link1=\"base\" link2=\"lower\" reason=\"Never\"/></robot>",
    );
    let output = noli(&["robot", "pairs", &arm, "--against", &claim]);
    assert_eq!(exit_code(&output), 1);
    assert!(
        stdout(&output).contains("base and lower collide although disabled as never"),
        "{}",
        stdout(&output)
    );
}

/// A debug build refuses options that are declared twice, as soon as a command is named.
#[test]
fn every_command_explains_itself() {
    for command in ["info", "check", "pairs", "plan", "ik", "limits", "run", "jog"] {
        let output = noli(&["robot", command, "--help"]);
        assert_eq!(exit_code(&output), 0, "{command}: {}", stderr(&output));
    }
}

/// A wall 0.1 thick across the x axis, where the lower arm of the stretched arm is.
const WALL: &str = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [100, 400, 2000]\n\
    pose = { xyz = [1500, 0, 0] }\n";

#[test]
fn a_path_around_a_wall() {
    let folder = Folder::new("robot-plan");
    let (arm, wall) = (folder.file("arm.urdf", ARM), folder.file("wall.toml", WALL));
    let path = folder.0.join("way.csv");
    let ends = ["--from", "shoulder=-1,elbow=0", "--to", "shoulder=1,elbow=0.01"];
    let mut words = vec!["robot", "plan", &arm, "--around", &wall, "--margin", "0.02"];
    words.extend(ends);
    words.extend(["--write", path.to_str().unwrap(), "--json"]);
    let output = noli(&words);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(json(&output)["configurations"].as_array().unwrap().len() > 2, "straight on is the wall");
    // The way's own vertices are free of the wall, and the straight one's middle is not.
    let path = path.to_str().unwrap();
    assert_eq!(exit_code(&noli(&["robot", "check", &arm, "--states", path, "--around", &wall])), 0);
    let middle = folder.file("middle.csv", "shoulder,elbow\n0,0\n");
    let output = noli(&["robot", "check", &arm, "--states", &middle, "--around", &wall, "--json"]);
    assert_eq!(exit_code(&output), 1);
    assert_eq!(json(&output)["others"], serde_json::json!(["wall"]));
    let mut words = vec!["robot", "plan", &arm, "--margin", "0.02"];
    words.extend(ends);
    assert_eq!(exit_code(&noli(&words)), 2, "a margin to nothing");
    let output = noli(&["robot", "plan", &arm, "--from", "elbow=0", "--to", "elbow=3.2"]);
    assert_eq!(exit_code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("beyond its limits"), "{}", stderr(&output));
}

#[test]
fn what_a_link_carries_meets_what_it_may_not_touch() {
    let folder = Folder::new("robot-carry");
    let arm = folder.file("arm.urdf", ARM);
    let rod = folder
        .file("rod.obj", "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nv 0 0 1.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    let states = folder.file("states.csv", "shoulder\n0\n");
    // From the lower arm's root straight back to the base, past the upper arm.
    let carry = format!("lower={rod}@0,0,0,0,-0.7071067811865476,0,0.7071067811865476");
    let check = |more: &[&str]| {
        let mut words = vec!["robot", "check", &arm, "--states", &states, "--carry", &carry, "--json"];
        words.extend(more);
        noli(&words)
    };
    let output = check(&[]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let hits: Vec<&Value> =
        report["states"][0]["pairs"].as_array().unwrap().iter().map(|pair| &pair["links"]).collect();
    assert_eq!(hits, [&serde_json::json!(["base", "rod"]), &serde_json::json!(["upper", "rod"])], "{report}");
    assert_eq!(exit_code(&check(&["--may-touch", "upper"])), 1, "the base is met all the same");
    assert_eq!(exit_code(&check(&["--may-touch", "upper", "--may-touch", "base"])), 0);
    let output = check(&["--may-touch", "uper"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("did you mean `upper`?"), "{}", stderr(&output));
}

#[test]
fn a_second_robot_stands_in_the_way() {
    let folder = Folder::new("robot-second");
    let arm = folder.file("arm.urdf", ARM);
    let page = folder.0.join("page.html");
    let states = folder.file("states.csv", "shoulder,second/shoulder\n0,1.5\n0,0\n");
    let place = "2.6,0,0,0,0,1,0";
    let output = noli(&[
        "robot",
        "check",
        &arm,
        "--second",
        &arm,
        "--second-at",
        place,
        "--states",
        &states,
        "--html",
        page.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    assert_eq!(report["states"][0]["free"], true, "turned away: {report}");
    let pairs = report["states"][1]["pairs"].as_array().unwrap();
    let both = serde_json::json!(["lower", "second/lower"]);
    assert!(pairs.iter().any(|pair| pair["links"] == both), "{report}");
    assert_eq!(report["assumed_zero"], serde_json::json!(["elbow", "second/elbow"]));
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.iter().filter(|text| text.as_str().unwrap().contains("no SRDF")).count(), 2);
    assert!(std::fs::read_to_string(&page).unwrap().contains("this is number 2"));
    let output = noli(&["robot", "check", "--demo", "--second", &arm, "--second-at", "0,0,5", "--json"]);
    assert_eq!(json(&output)["summary"]["states"], 200, "{}", stderr(&output));
}

#[test]
fn nothing_that_was_read_is_written_over() {
    let folder = Folder::new("robot-overwrite");
    let arm = folder.file("arm.urdf", ARM);
    let srdf = folder.file("arm.srdf", "<robot name=\"arm\"/>");
    let states = folder.file("states.csv", "elbow\n0\n");
    let json_at = |path: &str| format!("--json={path}");
    let attempts: [&[&str]; 6] = [
        &["check", &arm, "--states", &states, "--html", &arm],
        &["check", &arm, "--states", &states, "--html", &states],
        &["check", &arm, "--states", &states, &json_at(&states)],
        &["pairs", &arm, "--against", &srdf, "--write", &srdf],
        &["plan", &arm, "--from", &states, "--to", "elbow=1", "--write", &states],
        &["info", &arm, &json_at(&arm)],
    ];
    for words in attempts {
        let words: Vec<&str> = ["robot"].iter().chain(words).copied().collect();
        let output = noli(&words);
        assert_eq!(exit_code(&output), 2, "{words:?}");
        assert!(stderr(&output).contains("would be overwritten"), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_to_string(&arm).unwrap(), ARM);
    assert_eq!(std::fs::read_to_string(&states).unwrap(), "elbow\n0\n");
}

/// Results of Pinocchio and Coal at 200 configurations of each robot, as surfaces.
#[test]
fn the_published_configurations_collide_as_in_the_reference() {
    let Some(folder) = data("robots") else { return };
    let cases = [
        (
            "panda",
            "moveit_resources_panda_description/urdf/panda.urdf",
            "moveit_resources_panda_description/srdf/panda.srdf",
        ),
        ("puma560", "puma560_description/urdf/puma560_robot.urdf", ""),
        ("ur5_robotiq85", "ur5_robotiq85/ur5.urdf", "ur5_robotiq85/ur5.srdf"),
    ];
    for (name, urdf, srdf) in cases {
        let path = |file: &str| folder.join(file).to_str().unwrap().to_owned();
        let (urdf, states) = (path(urdf), path(&format!("ref-selfcollision-{name}.csv")));
        let srdf = (!srdf.is_empty()).then(|| path(srdf));
        let mut words = vec!["robot", "check", &urdf, "--states", &states, "--as", "surface"];
        // The links of the PUMA have visual geometry alone.
        words.extend(["--packages", folder.to_str().unwrap(), "--visual", "--clearance", "--json"]);
        if let Some(srdf) = &srdf {
            words.extend(["--srdf", srdf]);
        }
        let output = noli(&words);
        assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
        let report = json(&output);
        let text = std::fs::read_to_string(&states).unwrap();
        let heading: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let column = |wanted: &str| heading.iter().position(|name| *name == wanted).unwrap();
        let states = report["states"].as_array().unwrap();
        assert_eq!(states.len(), 200);
        for (state, line) in states.iter().zip(text.lines().skip(1)) {
            let cells: Vec<&str> = line.split(',').collect();
            let plain = |name: &str| name.rsplit_once('_').unwrap().0.to_owned();
            let mut wanted: Vec<[String; 2]> = cells[column("colliding_pairs")]
                .split([' ', ';'])
                .filter(|pair| !pair.is_empty())
                .map(|pair| {
                    let (a, b) = pair.split_once('|').unwrap();
                    let mut both = [plain(a), plain(b)];
                    both.sort();
                    both
                })
                .collect();
            let mut found: Vec<[String; 2]> = state["pairs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|pair| {
                    let mut both = [0, 1].map(|k| pair["links"][k].as_str().unwrap().to_owned());
                    both.sort();
                    both
                })
                .collect();
            wanted.sort();
            found.sort();
            wanted.dedup();
            assert_eq!(found, wanted, "{name}: {line}");
            let free = wanted.is_empty();
            let clearance = if free { &state["clearance"] } else { &state["separated"] };
            let distance: f64 = cells[column("min_distance_of_separated_pairs")].parse().unwrap();
            let bounds = ["at_least", "at_most"].map(|key| clearance[key].as_f64().unwrap());
            let near = bounds.iter().all(|bound| (bound - distance).abs() <= 2e-6);
            assert!(near, "{name}: {bounds:?} and {distance}: {line}");
        }
    }
}

/// MoveIt's SRDF says that these never meet. A configuration within limits in which they do.
#[test]
fn a_pair_that_never_meets_does() {
    let Some(folder) = data("robots") else { return };
    let own = Folder::new("robot-panda");
    let names = (1..=7).map(|k| format!("panda_joint{k}")).collect::<Vec<_>>().join(",");
    let states = own.file(
        "states.csv",
        format!("{names}\n1.2251,0.8936,1.0008,-2.9718,0.4435,-0.07,-0.322\n0,0,0,-1.5,0,1.5,0\n"),
    );
    let urdf = folder.join("moveit_resources_panda_description/urdf/panda.urdf");
    let words = ["robot", "check", urdf.to_str().unwrap(), "--states", &states, "--json"];
    let report = json(&noli(&words));
    let meets = |state: usize| {
        let pairs = report["states"][state]["pairs"].as_array().unwrap();
        pairs.iter().any(|pair| pair["links"] == serde_json::json!(["panda_link2", "panda_link6"]))
    };
    assert!(meets(0) && !meets(1), "{report}");
}
