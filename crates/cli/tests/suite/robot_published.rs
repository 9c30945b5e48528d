//! Robots as they are published: without joints, with odd SRDFs, in packages that were renamed.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};

const ONE: &str = "<robot name=\"a\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision>\
    </link></robot>";
const THREE: &str = "<robot name=\"three\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision>\
    </link><link name=\"b\"><collision><geometry><box size=\"1 1 1\"/></geometry></collision></link>\
    <link name=\"c\"/><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/><origin xyz=\"3 0 0\"/></joint>\
    <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>";
const WALL: &str =
    "units = \"m\"\n[[body]]\nname = \"wall\"\nbox = [0.2, 4, 4]\npose = { xyz = [0.5, 0, 0] }\n";

/// No command may panic: 0 is an answer, 2 an error with a reason.
#[test]
fn robots_without_a_moving_joint_are_answered() {
    let folder = Folder::new("robot-still");
    let wall = folder.file("wall.toml", WALL);
    let second_states = folder.file("states.csv", "second/knee\n0\n1\n");
    for (name, text) in [("one.urdf", ONE), ("three.urdf", THREE)] {
        let robot = folder.file(name, text);
        let info = noli(&["robot", "info", &robot, "--json"]);
        assert_eq!(exit_code(&info), 0, "{}", stderr(&info));
        for (words, reason) in [
            (vec!["check", &robot], "no pair of links and bodies is checked"),
            (vec!["check", &robot, "--around", &wall], "no pair of links and bodies is checked"),
            (vec!["limits", &robot, "--around", &wall], "no joint moves"),
            (vec!["plan", &robot, "--around", &wall, "--from", "0", "--to", "0"], "no joint moves"),
            (vec!["ik", &robot, "--pose", "0,0,0"], "no joint moves"),
        ] {
            let output = noli(&[&["robot"], &words[..]].concat());
            assert_eq!(exit_code(&output), 2, "{words:?}: {}", stdout(&output));
            assert!(stderr(&output).contains(reason), "{words:?}: {}", stderr(&output));
            assert_eq!(stdout(&output), "", "{words:?}: no verdict before an error");
        }
        // Nothing moves between a wall and a robot that cannot move; with a second robot there is something to ask.
        let arm = folder.file("arm.urdf", PUBLISHED);
        let both = ["robot", "check", &robot, "--second", &arm, "--states", &second_states, "--json"];
        let check = noli(&both);
        assert_eq!(exit_code(&check), 1, "{}", stderr(&check));
        assert_eq!(json(&check)["summary"]["colliding"], 2, "{}", stdout(&check));
        let pairs = noli(&["robot", "pairs", &robot, "--around", &wall, "--json"]);
        assert_eq!(exit_code(&pairs), 0, "{}", stderr(&pairs));
        let found = json(&pairs)["pairs"].as_array().unwrap().iter().any(|pair| pair["meeting"] == "always");
        assert!(found, "{}", stdout(&pairs));
        let cell = folder
            .file("cell.toml", format!("units = \"m\"\nprogram = \"p.val\"\n[robot]\nurdf = \"{name}\"\n"));
        folder.file("p.val", ".PROGRAM p()\n  TYPE \"done\"\n.END\n");
        let run = noli(&["robot", "run", &cell]);
        assert!(exit_code(&run) == 0 || exit_code(&run) == 2, "{}", stderr(&run));
    }
    let one = folder.file("one.urdf", ONE);
    assert!(stdout(&noli(&["robot", "info", &one])).starts_with("a: 1 link with shapes (1 solid"));
    let pairs = noli(&["robot", "pairs", &one]);
    assert_eq!((exit_code(&pairs), stdout(&pairs)), (2, String::new()));
    assert!(stderr(&pairs).contains("there is no pair of links"), "{}", stderr(&pairs));
}

const PUBLISHED: &str = r#"<robot name="dog">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="thigh"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
<link name="shank"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<link name="foot"><visual><geometry><mesh filename="package://dog_description/foot.stl"/></geometry></visual></link>
<joint name="hip" type="revolute"><parent link="base"/><child link="thigh"/><axis xyz="0 0 1"/>
<limit lower="-1e16" upper="1e16" velocity="1" effort="1"/></joint>
<joint name="knee" type="revolute"><parent link="thigh"/><child link="shank"/><origin xyz="0.6 0 0"/><axis xyz="0 0 1"/>
<limit lower="-3.1" upper="3.1" velocity="1" effort="1"/></joint>
<joint name="sole" type="fixed"><parent link="shank"/><child link="foot"/></joint>
<joint name="spring" type="prismatic"><parent link="base"/><child link="pad"/><axis xyz="0 0 1"/><limit lower="0" upper="0.04"/></joint>
<link name="pad"/></robot>"#;
const SRDF: &str = r#"<robot name="dog">
<group_state name="half_sitting"><joint name="root_joint" value="0. 0. 0.26 0. 0. 0. 1."/><joint name="knee" value="1"/></group_state>
<group_state name="lying" group="legs"><joint name="hip" value="0"/><joint name="knee" value="0"/></group_state>
<end_effector name="mouth" parent_link="head" group="legs"/>
<disable_collisions link1="base" link2="thigh" reason="Adjacent"/>
<disable_collisions link1="thigh" link2="shank" reason="Adjacent"/>
<disable_collisions link1="base" link2="tail" reason="Never"/>
</robot>"#;

#[test]
fn a_robot_with_the_faults_of_published_ones_is_checked_and_planned_for() {
    let folder = Folder::new("robot-published");
    let (robot, srdf) = (folder.file("dog.urdf", PUBLISHED), folder.file("dog.srdf", SRDF));
    let states = folder.file("states.csv", "knee\n0\n3.1\n");
    let output = noli(&["robot", "check", &robot, "--srdf", &srdf, "--states", &states, "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let warnings = report["warnings"].to_string();
    for said in [
        "taken as unlimited",
        "link `foot` has no collision geometry: it does not collide",
        "names the group `legs`, which does not exist",
        "names the link `head`",
        "names the link `tail`",
    ] {
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
    let free = |k: usize| report["states"][k]["free"].as_bool().unwrap();
    assert!(free(0) && !free(1), "{report}");
    let visual = noli(&["robot", "check", &robot, "--states", &states, "--visual"]);
    assert_eq!(exit_code(&visual), 2);
    let said = stderr(&visual);
    assert!(said.contains("--packages dog_description=FOLDER") && said.contains("is at none of"), "{said}");
    let words = ["robot", "plan", &robot, "--srdf", &srdf, "--from", "half_sitting", "--to", "lying"];
    assert_eq!(exit_code(&noli(&words)), 0, "{}", stderr(&noli(&words)));
    // A finger slightly beyond its limit is taken to it; a joint far beyond is an error.
    let words = [
        "robot",
        "plan",
        &robot,
        "--srdf",
        &srdf,
        "--from",
        "spring=0.065,knee=1",
        "--to",
        "lying",
        "--json",
    ];
    let output = noli(&words);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert!(
        json(&output)["warnings"].to_string().contains("`spring` is 0.065, beyond its limit: taken as 0.04")
    );
    let words = ["robot", "plan", &robot, "--srdf", &srdf, "--from", "spring=0.5,knee=1", "--to", "lying"];
    assert_eq!(exit_code(&noli(&words)), 2);
    let timed = noli(&["robot", "pairs", &robot, "--srdf", &srdf, "--time", "0s", "--json"]);
    assert!(json(&timed)["warnings"].to_string().contains("the time was up"), "{}", stdout(&timed));
    let said = stdout(&noli(&["robot", "pairs", &robot, "--srdf", &srdf, "--time", "60s"]));
    assert!(said.contains("3 pairs: "), "{said}");
}

#[test]
fn the_tip_of_inverse_kinematics_is_that_of_the_longest_chain() {
    let folder = Folder::new("robot-tip");
    let base = "<joint name=\"frame\" type=\"fixed\"><parent link=\"base\"/><child link=\"root\"/></joint><link name=\"root\"/></robot>";
    let robot = folder.file("dog.urdf", PUBLISHED.replace("</robot>", base));
    let output = noli(&["robot", "ik", &robot, "--pose", "9,9,9"]);
    assert_eq!((exit_code(&output), stdout(&output)), (2, String::new()));
    assert!(stderr(&output).contains("foot: "), "{}", stderr(&output));
}

#[test]
fn other_formats_are_named() {
    let folder = Folder::new("robot-formats");
    for (name, text, part) in [
        ("m.sdf", "<sdf version=\"1.6\"><model name=\"m\"/></sdf>", "SDF, the format of Gazebo,"),
        ("m.xml", "<mujoco model=\"m\"/>", "MJCF, the format of MuJoCo,"),
        (
            "m.xacro",
            "<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><xacro:a/></robot>",
            "`xacro`",
        ),
    ] {
        let output = noli(&["robot", "info", &folder.file(name, text)]);
        assert_eq!(exit_code(&output), 2);
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
}
