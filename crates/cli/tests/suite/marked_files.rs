//! Files that begin with a byte order mark are read as those without, and errors name no line 0.

use crate::coordinate::cell_with;
use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use noli_testing::Step;

const MARK: &str = "\u{feff}";

const ARM: &str = "<robot name='arm'><link name='base'><collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>\
     <link name='arm'><collision><origin xyz='1 0 0'/><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>\
     <joint name='swing' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 0 1'/>\
     <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";

/// Text without what depends on time.
fn answer(arguments: &[&str]) -> (i32, String) {
    let output = noli(arguments);
    let lines = stdout(&output).lines().map(str::to_owned).collect::<Vec<_>>();
    let timed = |line: &&String| !(line.contains(" in ") && line.contains(" s") || line.contains("a second"));
    (
        exit_code(&output),
        lines.iter().filter(timed).cloned().collect::<Vec<_>>().join("\n") + &stderr(&output),
    )
}

#[test]
fn byte_order_marks_change_nothing() {
    let plain = Folder::new("marks-plain");
    let marked = Folder::new("marks-marked");
    let mut step = Step::default();
    let solids = [step.ring("left", [0.0, 5.0], [0.0, 9.0]), step.ring("right", [6.0, 8.0], [0.0, 9.0])];
    let step = step.text(&solids);
    let dh = "name = 'dh'\nunit = 'mm'\n[[joint]]\na = 300.0\nrange_deg = [-90.0, 90.0]\n";
    let files = [
        ("step.step", step.as_str()),
        ("arm.urdf", ARM),
        (
            "arm.srdf",
            "<robot name='arm'><disable_collisions link1='base' link2='arm' reason='Never'/></robot>",
        ),
        ("arm.toml", dh),
        ("states.csv", "swing\n0\n0.5\n"),
        (
            "states.json",
            r#"{"joint_names": ["swing"], "points": [{"positions": [0.0]}, {"positions": [0.5]}]}"#,
        ),
        ("scene.toml", "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 1]\n"),
        ("mesh.obj", &cubes(&[0.0, 1.5])),
        ("cloud.xyz", "0 0 0\n1 0 0\n"),
    ];
    for (name, text) in files {
        plain.file(name, text);
        marked.file(name, MARK.to_owned() + text);
    }
    for folder in [&plain, &marked] {
        let mark = if std::ptr::eq(folder, &marked) { MARK } else { "" };
        cell_with(folder, ("bar", 0.0, -90), "MOVE #in\nMOVE #out");
        for name in ["bar.toml", "bar.val", "bar.urdf"] {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            folder.file(name, mark.to_owned() + &text);
        }
        let report = json(&noli(&["check", &folder.join("mesh.obj").display().to_string(), "--json"]));
        folder.file("results.json", mark.to_owned() + &report.to_string());
    }
    for command in [
        "check @step.step",
        "robot info @arm.urdf --srdf @arm.srdf",
        "robot info @arm.toml",
        "robot check @arm.urdf --states @states.csv",
        "robot check @arm.urdf --states @states.json",
        "check @scene.toml",
        "check @mesh.obj",
        "check @mesh.obj --against @results.json",
        "check @cloud.xyz @mesh.obj --radius 1",
        "robot run @bar.toml",
    ] {
        let in_folder = |folder: &Folder| {
            let words: Vec<String> =
                command.split(' ').map(|word| word.replace('@', &format!("{}/", folder.display()))).collect();
            let (code, text) = answer(&words.iter().map(String::as_str).collect::<Vec<_>>());
            (code, text.replace(&folder.display().to_string(), "FOLDER"))
        };
        let (wanted, found) = (in_folder(&plain), in_folder(&marked));
        assert_eq!(found, wanted, "{command}");
        assert!(!found.1.contains("line 0") && !found.1.contains(":0:"), "{command}: {found:?}");
    }
}

/// An omission of a file is named with the line that needs it.
#[test]
fn errors_name_a_line_or_none() {
    let folder = Folder::new("marks-lines");
    let mut step = Step::default();
    let solid = step.ring("shaft", [0.0, 5.0], [0.0, 9.0]);
    let text = step.text(&[solid]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("CYLINDRICAL_SURFACE")).collect();
    let missing = text.lines().find(|line| line.contains("CYLINDRICAL_SURFACE")).unwrap();
    let id = missing.split(' ').next().unwrap();
    let uses = |line: &&str| line.contains(&format!("{id},")) || line.contains(&format!("{id})"));
    let line = lines.iter().position(uses).unwrap() + 1;
    let file = folder.file("open.step", lines.join("\n"));
    let text = stderr(&noli(&["check", &file, "--cad-reader", "own"]));
    assert!(text.contains(&format!("open.step:{line}: ")) && text.contains(id), "{text}");
    assert!(text.contains(&format!("in line {line} (it is referred to but not defined)")), "{text}");
    for (name, content) in [("empty.json", ""), ("open.json", "{"), ("list.json", "[1, 2")] {
        let file = folder.file(name, content);
        folder.file("arm.urdf", ARM);
        let arm = folder.join("arm.urdf").display().to_string();
        let mesh = folder.file("one.obj", cubes(&[0.0, 1.5]));
        for command in [
            vec!["robot", "check", &arm, "--states", &file],
            vec!["robot", "check", &arm, "--states", &file, "--around", &file],
            vec!["check", &mesh, "--against", &file],
        ] {
            let text = stderr(&noli(&command));
            assert!(!text.contains("line 0") && !text.contains(":0:"), "{command:?}: {text}");
        }
    }
}

/// Joints that slide are given in the unit of the cell, and errors are in that unit too.
#[test]
fn starts_of_sliding_joints_are_in_the_units_of_the_cell() {
    let folder = Folder::new("marks-slide");
    let slide = ARM.replace("revolute", "prismatic").replace("lower='-1' upper='1'", "lower='0' upper='0.5'");
    folder.file("slide.urdf", slide);
    folder.file("slide.val", ".PROGRAM main()\nMOVE #far\n.END\n");
    let cell = |units: &str, start: &str, far: f64| {
        let text = format!(
            "units = '{units}'\nprogram = 'slide.val'\n[robot]\nurdf = 'slide.urdf'\n{start}\n\
             [[location]]\nname = 'far'\njoints_deg = [{far}]\n"
        );
        folder.file(&format!("{units}.toml"), text)
    };
    for (units, start, far) in [("mm", "start_deg = [250]", 400.0), ("m", "start_rad = [0.25]", 0.4)] {
        let report = json(&noli(&["robot", "run", &cell(units, start, far), "--json"]));
        // From 0.25 m to 0.4 m: the first configuration that was driven is the start.
        assert_eq!(report["ended"], "completed", "{report}");
    }
    let text = stderr(&noli(&["robot", "run", &cell("mm", "start_deg = [700]", 400.0)]));
    assert!(text.contains("mm.toml:3: `swing` is 700 mm, beyond its limits from 0 to 500 mm"), "{text}");
    let text = stderr(&noli(&["robot", "run", &cell("mm", "start_deg = [1, 2]", 400.0)]));
    assert!(text.contains("2 joint values for 1 joints to the flange (swing)"), "{text}");
    assert!(text.contains("`flange = \"LINK\"`"), "{text}");
    folder.file("turn.urdf", ARM);
    let text = "program = 'slide.val'\n[robot]\nurdf = 'turn.urdf'\nstart_deg = [70]\n";
    let text = stderr(&noli(&["robot", "run", &folder.file("turn.toml", text)]));
    assert!(text.contains("`swing` is 70 degrees, beyond its limits from -57.295779513"), "{text}");
}
