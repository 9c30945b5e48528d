//! Several robots against each other, goals as poses, planning groups, tools kept upright, and tool paths.

use crate::support::browser::Browser;
use crate::support::{Folder, json, noli};

const BAR: &str = r#"<robot name="bar"><link name="base"/>
<link name="arm"><collision><origin xyz="0.55 0 0"/><geometry><box size="0.9 0.1 0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-7" upper="7" velocity="1" effort="1"/></joint></robot>"#;

/// A bar that turns through a half circle, in two moves, and stays there.
fn cell(folder: &Folder, name: &str, x: f64, start: i32) -> String {
    cell_with(folder, (name, x, start), "MOVE #in\nMOVE #out")
}

/// A bar by its name, place and first angle, with a program.
pub(crate) fn cell_with(folder: &Folder, (name, x, start): (&str, f64, i32), program: &str) -> String {
    folder.file("bar.urdf", BAR);
    folder.file(&format!("{name}.val"), format!(".PROGRAM main()\n{program}\n.END\n"));
    let at = |name: &str, degrees: i32| format!("[[location]]\nname = '{name}'\njoints_deg = [{degrees}]\n");
    folder.file(
        &format!("{name}.toml"),
        format!(
            "units = 'm'\nprogram = '{name}.val'\n[robot]\nurdf = 'bar.urdf'\nbase = {{ xyz = [{x}, 0, 0] }}\n\
             start_deg = [{start}]\n{}{}",
            at("in", start + 90),
            at("out", start + 180)
        ),
    )
}

/// Two bars that reach into each other's half circle.
pub(crate) fn two_bars(folder: &Folder) -> [String; 2] {
    [cell(folder, "left", 0.0, -90), cell(folder, "right", 1.5, 90)]
}

/// The diagram of the page: its times are those of the report, its staircase avoids everything that is not proven.
fn drawn_as_computed(html: &str, report: &serde_json::Value) {
    let data = html.split_once("application/json\">").unwrap().1.split_once("</script>").unwrap().0;
    let diagram: serde_json::Value = serde_json::from_str(data).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let pair = &report["pairs"][0];
    let drawn = diagram["blocked"].as_array().unwrap();
    assert_eq!(drawn.len(), pair["blocked"].as_array().unwrap().len());
    assert_eq!(diagram["instructions"][0][1][2], "MOVE #out");
    let stairs = diagram["staircase"].as_array().unwrap();
    let end: Vec<f64> = stairs.last().unwrap().as_array().unwrap().iter().map(number).collect();
    for (k, end) in end.iter().enumerate() {
        assert!((end - number(&report["robots"][k]["seconds"])).abs() < 1e-6, "{stairs:?}");
    }
    for two in stairs.windows(2) {
        for step in 0..=20 {
            let share = f64::from(step) / 20.0;
            let [a, b] =
                [0, 1].map(|k| number(&two[0][k]) + share * (number(&two[1][k]) - number(&two[0][k])));
            let within = |cell: &serde_json::Value| {
                let inside = |k: usize, x: f64| number(&cell[k][0]) < x && x < number(&cell[k][1]);
                inside(0, a) && inside(1, b)
            };
            assert!(!drawn.iter().any(within), "{a} {b}");
        }
    }
}

#[test]
fn two_robots_are_independent_ordered_or_collide() {
    let folder = Folder::new("coordinate");
    let [left, right] = two_bars(&folder);
    let far = cell(&folder, "far", 5.0, 90);
    let free = noli(&["robot", "coordinate", &left, &far, "--json"]);
    assert_eq!(free.status.code(), Some(0), "{free:?}");
    let report = json(&free);
    assert_eq!(report["pairs"][0]["classification"], "independent");
    assert_eq!(report["waits"].as_array().map(Vec::len), Some(0));
    let page = folder.join("page.html").display().to_string();
    let hit = noli(&["robot", "coordinate", &left, &right, "--json", "--html", &page]);
    assert_eq!(hit.status.code(), Some(1), "{hit:?}");
    let report = json(&hit);
    let pair = &report["pairs"][0];
    assert_eq!(pair["classification"], "order-needed");
    assert_eq!(pair["as_timed"]["collision"]["links"], serde_json::json!(["1/arm", "2/arm"]));
    // They collide when both are nearly in the middle, at the end of their first moves.
    let time = pair["as_timed"]["collision"]["time_s"].as_f64().unwrap();
    assert!(time > 0.5 && time < 4.0, "{time}");
    let waits = report["waits"].as_array().unwrap();
    assert_eq!(waits.len(), 1, "{report}");
    assert_eq!((&waits[0]["before_line"], &waits[0]["after_line"]), (&2.into(), &3.into()));
    assert!(report["ordered_s"].as_f64().unwrap() > time);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("<svg") && html.contains("waits before line"), "{html}");
    drawn_as_computed(&html, &report);
    // One after the other is free as timed, and said so.
    let later = noli(&["robot", "coordinate", &left, &right, "--start", "0s,20s"]);
    assert_eq!(later.status.code(), Some(0), "{later:?}");
    let text = String::from_utf8(later.stdout).unwrap();
    assert!(text.contains("order needed") && text.contains("as timed they are collision-free"), "{text}");
    // A margin larger than the distance of the far one.
    let wide = noli(&["robot", "coordinate", &left, &far, "--margin", "4m", "--json"]);
    assert_ne!(json(&wide)["pairs"][0]["classification"], "independent");
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn the_diagram_names_instructions_under_the_pointer_and_tries_timings() {
    let folder = Folder::new("coordinate-page");
    let [left, right] = two_bars(&folder);
    let page = folder.join("page.html").display().to_string();
    noli(&["robot", "coordinate", &left, &right, "--html", &page]);
    let browser = Browser::start(&folder, [800, 1000]);
    browser.ask("POST", "/url", serde_json::json!({ "url": format!("file://{page}") }));
    // In the middle of both programs the bars collide; at their ends they do not.
    let pointed = |x: f64, y: f64| {
        let text = browser.run(&format!(
            "const svg = document.querySelector('svg'), box = svg.querySelector('rect').getBoundingClientRect();
             svg.dispatchEvent(new PointerEvent('pointermove', {{ clientX: box.left + {x} * box.width, clientY: box.bottom - {y} * box.height }}));
             return document.querySelector('.at').textContent",
        ));
        text.as_str().unwrap().to_owned()
    };
    let middle = pointed(0.49, 0.51);
    assert!(middle.contains("line 2: MOVE #in") && middle.contains("line 3: MOVE #out"), "{middle}");
    assert!(middle.contains("not proven"), "{middle}");
    assert!(pointed(0.9, 0.9).contains("collision-free, proven"));
    // As timed they collide; one after the other they do not.
    let tried = |value: &str| {
        browser.run(&format!(
            "const input = document.querySelector('input'); input.value = {value}; input.dispatchEvent(new Event('input'));
             return document.querySelector('figure').dataset.tried",
        ))
    };
    assert_eq!([tried("0"), tried("input.max"), tried("input.min")], ["blocked", "free", "free"]);
    browser.screenshot("coordinate");
    browser.logs_no_errors();
}

#[test]
fn a_robot_that_rests_in_the_path_of_another_has_no_order() {
    let folder = Folder::new("coordinate-blocked");
    // The second ends where the first has to pass.
    let left = cell(&folder, "left", 0.0, -90);
    let ends = cell(&folder, "right", 1.5, 0);
    let found = noli(&["robot", "coordinate", &left, &ends, "--json"]);
    let report = json(&found);
    let pair = &report["pairs"][0];
    // The left one passes first, then the right one comes to rest in its path.
    assert_eq!(pair["classification"], "order-needed", "{report}");
    assert!(report["waits"][0]["robot"] == 2, "{report}");
    // Both come to rest in the middle: nobody can be first.
    folder.file("left.val", ".PROGRAM main()\nMOVE #in\n.END\n");
    folder.file("right.val", ".PROGRAM main()\nMOVE #out\n.END\n");
    let stuck = noli(&["robot", "coordinate", &left, &ends]);
    let text = String::from_utf8(stuck.stdout).unwrap();
    assert!(text.contains("no order"), "{text}");
    assert_eq!(noli(&["robot", "coordinate", &left]).status.code(), Some(2));
}

const ARM: &str = r#"<robot name="long"><link name="base"/>
<link name="upper"><collision><origin xyz="2 0 0"/><geometry><box size="0.6 0.02 0.1"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.8 0.02 0.1"/></geometry></collision></link>
<link name="tool"/><link name="finger"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.1 0.02 0.02"/></geometry>
</collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="3 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="end" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="1 0 0"/></joint>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.1" velocity="1" effort="1"/></joint></robot>"#;
const GROUPS: &str = r#"<robot name="long"><group name="arm"><chain base_link="base" tip_link="tool"/></group>
<group name="hand"><joint name="grip"/></group></robot>"#;
const WALL: &str =
    "units = 'm'\n[[body]]\nname = 'wall'\nbox = [0.5, 0.01, 1]\npose = { xyz = [3.5, 1.2, 0] }\n";

/// Only the shoulder changes, but the elbow has to help; and the wall is thinner than steps of samples.
#[test]
fn joints_of_the_chain_help_around_a_thin_wall() {
    let folder = Folder::new("plan-thin");
    let robot = folder.file("long.urdf", ARM);
    let srdf = folder.file("long.srdf", GROUPS);
    let wall = folder.file("wall.toml", WALL);
    let plan = |more: &[&str]| {
        let words = ["robot", "plan", &robot, "--around", &wall, "--from=-0.8,0", "--time", "20s", "--json"];
        noli(&[&words[..], more].concat())
    };
    for more in [&["--to", "0.8,0"][..], &["--to", "0.8,0", "--srdf", &srdf, "--group", "arm"]] {
        let found = plan(more);
        assert_eq!(found.status.code(), Some(0), "{found:?}");
        let report = json(&found);
        let rows = report["configurations"].as_array().unwrap();
        assert!(rows.iter().any(|row| row[1].as_f64().unwrap().abs() > 0.5), "the elbow bends: {report}");
        // Without a group nothing says that the last joint of the chain belongs to the hand.
        if more.contains(&"--group") {
            assert!(rows.iter().all(|row| row[2] == 0.0), "the grip stays: {report}");
        }
    }
    // The tool at a place, in any orientation: several configurations reach it.
    let found = plan(&["--goal-pose", "1,2.5,0", "--tip", "tool", "--position-tolerance", "1mm"]);
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    let report = json(&found);
    assert!(report["goal"]["solutions"].as_u64().unwrap() >= 2, "{report}");
    let end = report["configurations"].as_array().unwrap().last().unwrap().clone();
    let [a, b] = [0, 1].map(|k| end[k].as_f64().unwrap());
    let at = [3.0 * a.cos() + (a + b).cos(), 3.0 * a.sin() + (a + b).sin()];
    assert!((at[0] - 1.0).hypot(at[1] - 2.5) <= 0.001 + 1e-7, "{at:?}");
    // Its axis points up all the time: a planar arm keeps it.
    let level = plan(&["--to", "0.8,0", "--upright", "1deg", "--tip", "tool"]);
    assert_eq!(level.status.code(), Some(0), "{level:?}");
    assert!(json(&level)["upright"]["proven_deg"].as_f64().unwrap() <= 1.0);
    for (more, wrong) in [
        (&["--to", "0.8,0", "--group", "arm"][..], "--srdf"),
        (&["--to", "0.8,0", "--srdf", &srdf, "--group", "leg"], "arm, hand"),
        (&["--to", "0.8,0", "--srdf", &srdf, "--group", "hand"], "shoulder"),
        (&["--goal-pose", "9,0,0"], "--goal-pose"),
        (&[], "--to"),
    ] {
        let refused = plan(more);
        let text =
            String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(text.contains(wrong), "{text}");
    }
}

#[test]
fn tool_paths_are_followed_and_proven_again_as_driven() {
    let folder = Folder::new("follow");
    let file = folder.join("out.csv").display().to_string();
    let start = "j1=0.2,j2=-0.9,j3=2.4,j4=0.3,j5=0.9,j6=-0.2";
    let follow =
        |words: &[&str]| noli(&[&["robot", "follow", "--demo", "--from", start][..], words].concat());
    let bad = follow(&["--move", "line:9,9,9"]);
    assert_eq!(bad.status.code(), Some(2), "{bad:?}");
    let words =
        ["--move", "by:0,0,8cm", "--move", "blend:2cm", "--move", "by:0,-0.08,0", "--tolerance", "0.05mm"];
    let done = follow(&[&words[..], &["--trajectory", &file, "--json"]].concat());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let report = json(&done);
    assert_eq!(report["segments"].as_array().map(Vec::len), Some(3));
    assert!(report["deviation"].as_f64().unwrap() <= 5e-5);
    let checked = noli(&["robot", "check", "--demo", "--trajectory", &file, "--json"]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let again = json(&checked);
    assert_eq!(again["linear"], 0);
    assert!((again["duration_s"].as_f64().unwrap() - report["duration_s"].as_f64().unwrap()).abs() < 1e-9);
}
