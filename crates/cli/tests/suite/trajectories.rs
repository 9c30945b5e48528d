//! Files of configurations and trajectories: what is driven is what is asked about.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

/// A bar that turns about z past a post at 90 degrees, 5 mm beyond its end, with a follower and a slide.
const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><origin xyz="0 1.055 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="bar"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
<link name="tip"><collision><origin xyz="0.02 0 0"/><geometry><box size="0.02 0.02 0.02"/></geometry></collision></link>
<link name="lid"/>
<joint name="swing" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
<joint name="reach" type="prismatic"><parent link="bar"/><child link="tip"/><origin xyz="0.9 0 0.3"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.5" velocity="1" effort="1"/></joint>
<joint name="lift" type="revolute"><parent link="bar"/><child link="lid"/><axis xyz="0 1 0"/><mimic joint="swing"/>
<limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>"#;

fn trajectory(names: &str, rows: &[&str]) -> String {
    let point = |(k, row): (usize, &&str)| {
        format!("- {{positions: [{row}], velocities: [0, 0], time_from_start: {k}}}\n")
    };
    let points: String = rows.iter().enumerate().map(point).collect();
    format!("joint_names: [{names}]\npoints:\n{points}")
}

#[test]
fn a_misspelt_joint_is_an_error_everywhere() {
    let folder = Folder::new("misspelt");
    let arm = folder.file("arm.urdf", ARM);
    let yaml = folder.file("m.yaml", trajectory("swing, raech", &["0, 0", "1, 0.1"]));
    let csv = folder.file("m.csv", "time,swing_deg,reech\n0,0,0\n1,10,0.1\n");
    let out = folder.join("out.cert").display().to_string();
    for (command, file, option) in [
        (&["robot", "check"][..], &yaml, "--trajectory"),
        (&["robot", "check"][..], &csv, "--trajectory"),
        (&["robot", "check"][..], &csv, "--states"),
        (&["prove", "path", "--output", &out][..], &yaml, "--trajectory"),
    ] {
        let output = noli(&[command, &[&arm, option, file]].concat());
        let text = stderr(&output);
        assert_eq!(exit_code(&output), 2, "{command:?} {file}: {text}");
        assert!(text.contains("did you mean `reach`?") && text.contains(":1:"), "{text}");
    }
    let note = folder.file("note.csv", "swing,reach,operator\n0,0,Ann\n");
    let text = stdout(&noli(&["robot", "check", &arm, "--states", &note]));
    assert!(text.contains("no joint, left aside: operator"), "{text}");
}

#[test]
fn a_trajectory_is_no_list_of_configurations() {
    let folder = Folder::new("timed-states");
    let arm = folder.file("arm.urdf", ARM);
    // Both points are free; between them the bar with its tip pushed out passes through the post.
    let timed = folder.file("m.yaml", trajectory("swing, reach", &["1, 0.2", "1.9, 0.2"]));
    let output = noli(&["robot", "check", &arm, "--states", &timed]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("--trajectory"), "{}", stderr(&output));
    let untimed = folder.file("m.json", r#"{"joint_names": ["swing"], "points": [{"positions": [0.5]}]}"#);
    assert_eq!(exit_code(&noli(&["robot", "check", &arm, "--states", &untimed])), 0);
    let csv = folder.file("m.csv", "time,swing\n0,0\n1,1\n");
    let report = json(&noli(&["robot", "check", &arm, "--states", &csv, "--json"]));
    assert!(report["warnings"].to_string().contains("--trajectory checks the motion"), "{report}");
    // A follower that is not given follows: it is not taken as 0.
    assert_eq!(report["assumed_zero"], serde_json::json!(["reach"]));
}

#[test]
fn configurations_beyond_the_limits_are_named_or_refused() {
    let folder = Folder::new("beyond-limits");
    let arm = folder.file("arm.urdf", ARM);
    let states = folder.file("s.csv", "swing,reach\n0,0\n0,-0.1\n-3,0\n");
    let report = json(&noli(&["robot", "check", &arm, "--states", &states, "--json"]));
    assert!(
        report["warnings"].to_string().contains("beyond the joint limits: configuration 2, 3"),
        "{report}"
    );
    let output = noli(&["robot", "check", &arm, "--states", &states, "--within-limits"]);
    assert!(exit_code(&output) == 2 && stderr(&output).contains("configuration 2, 3"), "{}", stderr(&output));
}

/// The bar passes 5 mm before the post: free for small deviations; where only a deviation collides, it is shown, and the
/// interpolation is not blamed.
#[test]
fn a_tube_that_collides_shows_a_deviation() {
    let folder = Folder::new("tube-witness");
    let arm = folder.file("arm.urdf", ARM.replace("0.9 0 0.3", "0.96 0 0"));
    let drive = folder.file("m.yaml", trajectory("swing, reach", &["1.2, 0", "1.6, 0"]));
    let check = |error: &str| {
        let words = ["robot", "check", &arm, "--trajectory", &drive, "--tracking-error", error];
        (noli(&words), json(&noli(&[&words[..], &["--json"]].concat())))
    };
    let (output, report) = check("0.004");
    assert_eq!(
        (exit_code(&output), &report["contact"]),
        (0, &serde_json::Value::Null),
        "{}",
        stdout(&output)
    );
    let (output, report) = check("0.05");
    let text = stdout(&output);
    assert_eq!(exit_code(&output), 1, "{text}");
    assert!(text.contains("a deviation that collides: swing="), "{text}");
    assert!(!text.contains("the interpolation collides"), "{text}");
    let contact = &report["contact"];
    assert_eq!((&contact["nominal"], report["outcome"].as_str()), (&false.into(), Some("touching")));
    let value = |k: usize| contact["deviation"][k][1].as_f64().unwrap();
    let state = folder.file("s.csv", format!("swing,reach\n{},{}\n", value(0), value(1)));
    assert_eq!(exit_code(&noli(&["robot", "check", &arm, "--states", &state])), 1);
}

/// A distance grid is an obstacle of a robot, and one in which all is free is none.
#[test]
fn distance_grids_are_obstacles() {
    let folder = Folder::new("grid-obstacles");
    let arm = folder.file("arm.urdf", ARM);
    let states = folder.file("s.csv", "swing,reach\n0,0\n");
    let description = |array: &str| {
        format!(r#"{{"distances": "{array}", "voxel_size": 0.1, "origin": [0.45, -0.05, -0.05]}}"#)
    };
    for (name, value, code) in [("solid", -0.1f32, 1), ("free", 1.0, 0)] {
        let mut header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }".to_owned();
        header += &" ".repeat(117 - header.len());
        header.push('\n');
        let length = (header.len() as u16).to_le_bytes();
        let values = [value; 8].map(f32::to_le_bytes).concat();
        let bytes = [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), &values].concat();
        folder.file(&format!("{name}.npy"), bytes);
        let grid = folder.file(&format!("{name}.json"), description(&format!("{name}.npy")));
        let output = noli(&["robot", "check", &arm, "--states", &states, "--around", &grid]);
        assert_eq!(exit_code(&output), code, "{name}: {}{}", stdout(&output), stderr(&output));
        assert!(stderr(&output).contains("solid"), "{}", stderr(&output));
    }
}
