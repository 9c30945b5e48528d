//! Faults met in the first hour by people who had never seen the program. Each test is named after what
//! broke.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};

/// A file with a bolt and two plates, and a scene that moves something of it sideways, through a plate.
fn pull(folder: &Folder, name: &str, what: &str) -> String {
    folder.file("assembly.obj", cubes(&[0.0, 5.0, 10.0]));
    let text = format!(
        "[[body]]\nname = 'asm'\nfile = 'assembly.obj'\nsplit = true\n{what}\nkind = 'straight'\nto = {{ xyz = [20, 5, 2.5] }}\n"
    );
    folder.file(name, &text)
}

#[test]
fn a_motion_of_nothing_was_proven_free() {
    let folder = Folder::new("moved-nothing");
    let group = |pattern: &str| {
        format!("[[group]]\nname = 'mover'\nbodies = ['{pattern}']\n[[motion]]\ngroup = 'mover'")
    };
    for (number, what) in [group("asm/cube0"), "[[motion]]\nbody = 'asm/cube0'".to_owned()].iter().enumerate()
    {
        let scene = pull(&folder, &format!("pull{number}.toml"), what);
        assert_eq!(exit_code(&noli(&["sweep", &scene])), 1, "{what}");
        let output = noli(&["play", &scene]);
        assert_eq!(exit_code(&output), 1, "{what}");
        assert!(stdout(&output).contains("blocked by asm/cube1"), "{}", stdout(&output));
    }
    for (pattern, wanted) in
        [("nonexistent*", "no body is called `nonexistent*`"), ("asm/*", "nothing that moves is compared")]
    {
        let scene = pull(&folder, "nothing.toml", &group(pattern));
        for command in ["sweep", "play"] {
            let output = noli(&[command, &scene]);
            assert_eq!(exit_code(&output), 2, "{command} {pattern}: {}", stdout(&output));
            assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
        }
    }
}

#[test]
fn outputs_replaced_what_is_not_a_file() {
    let folder = Folder::new("outputs");
    let file = folder.file("two.obj", cubes(&[0.0, 5.0]));
    let output = noli(&["check", &file, "--json=/dev/stdout"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("\"outcome\": \"free\""), "{}", stdout(&output));
    let link = folder.0.join("link.html");
    #[cfg(unix)]
    {
        let real = folder.file("real.html", "old");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(exit_code(&noli(&["check", &file, "--html", link.to_str().unwrap()])), 0);
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(std::fs::read_to_string(real).unwrap().contains("<html"));
    }
}

#[test]
fn outputs_overwrote_inputs_and_other_peoples_files() {
    let folder = Folder::new("overwrite");
    let file = folder.file("two.obj", cubes(&[0.0, 5.0]));
    let before = std::fs::read(&file).unwrap();
    for option in [format!("--html={file}"), format!("--json={file}"), format!("--csv={file}")] {
        let output = noli(&["check", &file, &option]);
        assert_eq!(exit_code(&output), 2, "{option}");
        assert!(stderr(&output).contains("would be overwritten"), "{}", stderr(&output));
    }
    let scene = pull(&folder, "pull.toml", "[[motion]]\nbody = 'asm/cube0'");
    let text = std::fs::read(&scene).unwrap();
    assert_eq!(exit_code(&noli(&["play", &scene, "--record", &scene])), 2);
    assert_eq!(std::fs::read(&scene).unwrap(), text);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let own = folder.file("left.obj", "precious");
    let parts = noli_scenes::assembly("intersecting-boxes", 1).unwrap();
    let own_part = folder.file(&format!("{}.obj", parts.parts[0].name), "precious");
    let output = noli(&["scenes", "write", "intersecting-boxes", "-o", folder.0.to_str().unwrap()]);
    assert_eq!(exit_code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("there already"), "{}", stderr(&output));
    for path in [own, own_part] {
        assert_eq!(std::fs::read_to_string(path).unwrap(), "precious");
    }
    assert!(!folder.0.join("intersecting-boxes.toml").exists());
}

#[test]
fn a_clash_of_objects_of_one_name_was_missed() {
    let folder = Folder::new("one-name");
    let text = cubes(&[0.0, 1.0, 50.0]).replace("o cube1", "o cube0");
    let output = noli(&["check", &folder.file("same.obj", &text), "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stdout(&output));
    let report = json(&output);
    assert_eq!(report["summary"]["bodies"], 3);
    assert_eq!((&report["pairs"][0]["a"], &report["pairs"][0]["b"]), (&"cube0".into(), &"cube0-2".into()));
}

#[test]
fn a_file_without_faces_and_a_folder_with_unread_models_were_free() {
    let folder = Folder::new("unread-models");
    folder.file("two.obj", cubes(&[0.0, 5.0]));
    let path = folder.0.to_str().unwrap().to_owned();
    assert_eq!(exit_code(&noli(&["check", &path])), 0);
    folder.file("part.fbx", "fbx");
    let output = noli(&["check", &path]);
    assert_eq!(exit_code(&output), 2);
    assert!(
        stderr(&output).contains("part.fbx") && stderr(&output).contains("Blender"),
        "{}",
        stderr(&output)
    );
    let output = noli(&["check", &path, "--leave-out"]);
    assert_eq!(exit_code(&output), 0);
    assert!(stderr(&output).contains("part.fbx: left out"), "{}", stderr(&output));
    let empty = folder.file("empty.obj", "v 0 0 0\n");
    let output = noli(&["check", &folder.0.join("two.obj").display().to_string(), &empty]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("holds no faces"), "{}", stderr(&output));
}

#[test]
fn standard_input_was_a_file_that_is_not_there() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_noli"))
        .args(["check", "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), cubes(&[0.0, 5.0]).as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(json(&output)["summary"]["bodies"], 2);
}

#[test]
fn identical_copies_were_only_inside() {
    let folder = Folder::new("copies");
    let [a, b] = ["a.obj", "b.obj"].map(|name| folder.file(name, cubes(&[0.0])));
    let output = noli(&["check", &a, &b]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("duplicate  a"), "{}", stdout(&output));
    let report = json(&noli(&["check", &a, &b, "--json"]));
    assert_eq!(
        (&report["summary"]["duplicates"], &report["pairs"][0]["duplicate"]),
        (&1.into(), &true.into())
    );
}

#[test]
fn nothing_to_compare_did_not_say_why() {
    let folder = Folder::new("why");
    let two = folder.file("two.obj", cubes(&[0.0, 5.0]));
    let output = noli(&["check", &two, "--skip", "*"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("none of the pairs of 2 bodies"), "{}", stderr(&output));
}

#[test]
fn one_mesh_is_examined_for_itself() {
    let folder = Folder::new("health");
    let sound = folder.file("sound.obj", cubes(&[0.0]));
    let output = noli(&["check", &sound]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("sound: it bounds a solid"), "{}", stdout(&output));
    // One face is missing.
    let text = cubes(&[0.0]);
    let open = folder.file("open.obj", &text[..text.trim_end().rfind('\n').unwrap()]);
    let output = noli(&["check", &open, "--json"]);
    assert_eq!(exit_code(&output), 1);
    let report = json(&output);
    assert_eq!((&report["sound"], &report["border_edges"]), (&false.into(), &3.into()));
    // Two cubes as one object run through each other.
    let intersection = cubes(&[0.0, 1.0]).replace("o cube1\n", "");
    let output = noli(&["check", &folder.file("intersecting.obj", &intersection), "--json"]);
    assert_eq!(exit_code(&output), 1);
    let report = json(&output);
    assert!(report["self_intersections"].as_u64() > Some(0) && report["shells"] == 2, "{report}");
    let output = noli(&["check", folder.0.join("intersecting.obj").to_str().unwrap(), "--split", "shells"]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("intersecting  cube0/1  cube0/2"), "{}", stdout(&output));
}

/// A box that rests on a floor and is lifted off it.
fn lift(to: &str, margin: &str) -> String {
    format!(
        "{margin}[[body]]\nname = 'floor'\nbox = [10, 10, 2]\npose = {{ xyz = [0, 0, -1] }}\n[[body]]\nname = 'bolt'\nbox = [2, 2, 2]\npose = {{ xyz = [0, 0, 1] }}\n[[body]]\nname = 'roof'\nbox = [10, 10, 2]\npose = {{ xyz = [0, 0, 9] }}\n[[motion]]\nbody = 'bolt'\nkind = 'straight'\nto = {{ xyz = [{to}] }}\nseconds = 4\n"
    )
}

#[test]
fn what_touches_at_rest_could_not_be_swept() {
    let folder = Folder::new("at-rest");
    let up = folder.file("up.toml", lift("0, 0, 5", ""));
    let output = noli(&["sweep", &up]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("touch at the start, then leave"), "{}", stdout(&output));
    let output = noli(&["sweep", &up, "--touching", "ignore"]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    let left_out = "left out: floor and bolt touch at the start, then leave (proven)";
    assert!(stdout(&output).contains(left_out), "{}", stdout(&output));
    // What is left out is still seen to go through the floor.
    let down = folder.file("down.toml", lift("0, 0, -3", ""));
    let output = noli(&["sweep", &down, "--touching", "ignore", "--json"]);
    assert_eq!(exit_code(&output), 1);
    let left_out = &json(&output)["left_out"][0];
    assert!(left_out["intersection_at"].is_number() && left_out["after_start"].is_null(), "{left_out}");
    // Contact from the start that stops nothing has a reason too.
    let output = noli(&["play", &up]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("floor and bolt touch at the start"), "{}", stdout(&output));
}

/// A slide along a face was told as any contact.
#[test]
fn a_slide_was_called_a_touch() {
    let folder = Folder::new("slide");
    for (to, text, after, impact, beyond) in [
        ("3, 1, 1", "touch at the start, then slide along", "slides", "at start", "proven free otherwise"),
        ("0, 0, 5", "touch at the start, then leave", "leaves", "at start", "proven free otherwise"),
        ("1, 0, 0", "touch at the start, then go in", "goes in", "at", "proven free until 0 s of 4 s"),
    ] {
        let scene = folder.file("motion.toml", lift(to, ""));
        let output = noli(&["sweep", &scene]);
        assert_eq!(exit_code(&output), 1);
        let said = stdout(&output);
        assert!(said.contains(text) && said.contains(beyond), "{said}");
        let report = json(&noli(&["sweep", &scene, "--json"]));
        let hit = &report["impacts"][0];
        assert_eq!((&hit["after_start"], &hit["impact"]), (&after.into(), &impact.into()));
    }
    // What meets nothing at the start says nothing about it.
    let scene = folder.file("motion.toml", lift("0, 0, 12", "[check]\nskip = [['floor', 'bolt']]\n"));
    assert!(json(&noli(&["sweep", &scene, "--json"]))["impacts"][0]["after_start"].is_null());
}

#[test]
fn the_margin_that_decided_and_the_way_were_not_named() {
    let folder = Folder::new("margin");
    let scene = lift("0, 0, 12", "[check]\nmargin = 0.5\nskip = [['floor', 'bolt']]\n");
    let scene = folder.file("margin.toml", &scene);
    let output = noli(&["sweep", &scene]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("within the margin of 0.5 mm"), "{}", stdout(&output));
    let report = json(&noli(&["sweep", &scene, "--json"]));
    let hit = &report["impacts"][0];
    // The clearance of 6 less the margin, of a way of 11 in 4 s.
    let near = |key: &str, wanted: f64| (hit[key].as_f64().unwrap() - wanted).abs() < 1e-3;
    assert!(near("travelled", 5.5) && near("safe_until_s", 2.0) && near("touching_by_s", 2.0), "{hit}");
    assert_eq!(hit["margin"], 0.5);
}

#[test]
fn play_of_an_own_scene_tells_the_room_left() {
    let folder = Folder::new("own-study");
    let scene = lift("0, 0, 5", "[check]\nskip = [['floor', 'bolt']]\n");
    let output = noli(&["play", &folder.file("up.toml", &scene)]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("free, proven"), "{}", stdout(&output));
    assert!(stdout(&output).contains("clearance"), "{}", stdout(&output));
}

#[test]
fn glb_in_metres_beside_millimetres_is_told() {
    let folder = Folder::new("units-option");
    let file = folder.file("two.obj", cubes(&[0.0, 5.0]));
    assert_eq!(json(&noli(&["check", &file, "--json"]))["units"], serde_json::Value::Null);
    assert_eq!(json(&noli(&["check", &file, "--json", "--units", "in"]))["units"], "in");
    assert_eq!(exit_code(&noli(&["check", &file, "--units", "furlong"])), 2);
}

#[test]
fn csv_had_a_tolerance_below_zero() {
    let output = noli(&["check", "--demo", "intersecting-boxes", "--csv"]);
    assert_eq!(exit_code(&output), 1);
    assert!(!stdout(&output).contains("-0.0"), "{}", stdout(&output));
}

/// Tutorials write the same bundled scene: the second one failed.
#[test]
fn a_bundled_scene_could_be_written_once_only() {
    let folder = Folder::new("write-twice");
    let target = folder.0.join("boxes").display().to_string();
    let write = || noli(&["scenes", "write", "intersecting-boxes", "--detail", "1", "-o", &target]);
    assert_eq!(exit_code(&write()), 0);
    let output = write();
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("there already, unchanged"), "{}", stdout(&output));
    // Files of someone's own stay as they are.
    let scene = folder.0.join("boxes/intersecting-boxes.toml");
    let changed = std::fs::read_to_string(&scene).unwrap() + "# mine\n";
    std::fs::write(&scene, &changed).unwrap();
    assert_eq!(exit_code(&write()), 2);
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), changed);
}

/// Poses keep quaternions of any length; the table is copied into programs that expect unit length.
#[test]
fn removal_paths_were_printed_with_quaternions_of_other_lengths() {
    let output =
        noli(&["remove", "--demo", "headlight.bulb", "--detail", "1", "--without", "headlight.cover"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    let rows =
        text.lines().skip_while(|line| !line.contains("qx")).skip(1).take_while(|line| !line.is_empty());
    let rows: Vec<Vec<f64>> =
        rows.map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 2, "{text}");
    for row in rows {
        let length = row[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-4, "{text}");
    }
}

#[test]
fn a_mesh_in_place_of_a_robot_was_an_unknown_token() {
    let folder = Folder::new("mesh-as-robot");
    let output = noli(&["robot", "check", &folder.file("part.obj", cubes(&[0.0]))]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("part.obj:1: column 1: this is no URDF"), "{}", stderr(&output));
}

/// Faces that coincide by design, the last digits of which differ, look like clashes of a building.
#[test]
fn clashes_of_rounding_are_named_with_the_tolerance_that_permits_them() {
    let folder = Folder::new("roundoff");
    let file = folder.file("two.obj", cubes(&[0.0, 1.999_999_999_999]));
    let output = noli(&["check", &file]);
    assert_eq!(exit_code(&output), 1);
    let text = stdout(&output);
    let tolerance = text.split("--tolerance ").nth(1).and_then(|rest| rest.split(' ').next());
    let output = noli(&["check", &file, "--tolerance", tolerance.expect(&text)]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let deep = noli(&["check", &folder.file("deep.obj", cubes(&[0.0, 0.5]))]);
    assert!(!stdout(&deep).contains("--tolerance"), "{}", stdout(&deep));
}

/// An arm with a gripper: the longest chain ends in a finger, which is not the tool.
#[test]
fn the_tool_of_an_arm_was_a_finger() {
    let folder = Folder::new("finger");
    let joint = |name: &str, kind: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<link name='{child}'/><joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0.3 0 0.1'/><axis xyz='{axis}'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
        )
    };
    let joints = [
        joint("j1", "revolute", "base", "upper", "0 0 1"),
        joint("j2", "revolute", "upper", "lower", "0 1 0"),
        joint("j3", "revolute", "lower", "hand", "1 0 0"),
        joint("grip", "prismatic", "hand", "finger", "0 1 0"),
    ];
    let solid = "<collision><geometry><box size='0.05 0.05 0.05'/></geometry></collision>";
    let text = format!("<robot name='arm'><link name='base'>{solid}</link>{}</robot>", joints.join(""));
    let text = text.replace("<link name='hand'/>", &format!("<link name='hand'>{solid}</link>"));
    let urdf = folder.file("arm.urdf", &text);
    let groups = "<group name='arm'><chain base_link='base' tip_link='hand'/></group>";
    let srdf = folder.file("arm.srdf", format!("<robot name='arm'>{groups}</robot>"));
    let tip = |pose: &str, more: &[&str]| {
        let words = ["robot", "ik", &urdf, "--pose", pose, "--json"];
        let output = noli(&[&words[..], more].concat());
        assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
        json(&output)["tip"].clone()
    };
    assert_eq!(tip("0.9,0,0.3,0,0,0,1", &["--srdf", &srdf]), "hand");
    assert_eq!(tip("1.2,0,0.4,0,0,0,1", &["--srdf", &srdf, "--tip", "finger"]), "finger");
    assert_eq!(tip("1.2,0,0.4,0,0,0,1", &[]), "finger");
    // Two fingers are a gripper; the remark names the link and the option.
    let thumb = joint("thumb", "prismatic", "hand", "thumb", "0 -1 0");
    let gripper = folder.file("gripper.urdf", text.replace("</robot>", &format!("{thumb}</robot>")));
    let output = noli(&["robot", "ik", &gripper, "--pose", "0.9,0,0.3,0,0,0,1", "--json"]);
    assert_eq!((exit_code(&output), &json(&output)["tip"]), (0, &"hand".into()), "{}", stderr(&output));
    let remark = "the tool is `hand`, as no SRDF names another; --tip LINK chooses another";
    let warnings = json(&output)["warnings"].clone();
    assert!(
        warnings.as_array().unwrap().contains(&remark.into()) && stderr(&output).is_empty(),
        "{output:?}"
    );
    let output = noli(&["robot", "ik", &gripper, "--pose", "0.9,0,0.3,0,0,0,1"]);
    assert!(stderr(&output).contains(remark), "{}", stderr(&output));
    let end = "<end_effector name='grip' group='arm' parent_link='lower'/><group name='arm'><joint name='j1'/></group>";
    let srdf = folder.file("end.srdf", format!("<robot name='arm'>{end}</robot>"));
    let output = noli(&["robot", "ik", &gripper, "--srdf", &srdf, "--pose", "0.6,0,0.2,0,0,0,1", "--json"]);
    assert_eq!((exit_code(&output), &json(&output)["tip"]), (0, &"lower".into()), "{}", stderr(&output));
    assert!(!json(&output)["warnings"].to_string().contains("the tool is"), "{}", json(&output));
}
