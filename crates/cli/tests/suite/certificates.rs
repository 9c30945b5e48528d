//! Certificates from the command line: written, checked by a program of its own, refused when they are changed.

use crate::support::{Folder, exit_code, json, noli, stderr, stdout};
use std::path::Path;

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const ARM: &str = r#"<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.5 0 0"/>
<geometry><box size="0.6 0.1 0.1"/></geometry></collision></link>
<link name="lower"><collision><origin xyz="0.55 0 0" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.05" length="0.8"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0" rpy="0.1 0 0"/>
<axis xyz="0 0 1"/><limit lower="-3.1" upper="3.1" velocity="1" effort="1"/></joint></robot>"#;

#[test]
fn a_pair_of_meshes_is_proven_and_verified() {
    let folder = Folder::new("prove-pair");
    let [a, b] = ["a.obj", "b.obj"].map(|name| folder.file(name, TETRAHEDRON));
    let certificate = folder.join("pair.cert").display().to_string();
    let place = ["--at-b", "1.5,0,0,0.1,0.2,0.3,0.9", "--clearance", "0.25"];
    let output = noli(&[&["prove", "pair", &a, &b, "-o", &certificate, "--json"], &place[..]].concat());
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(json(&output)["statements"][0]["claim"], "separated");

    let page = folder.join("pair.html").display().to_string();
    let own = Path::new(&a).parent().unwrap().display().to_string();
    let output = noli(&["verify", &certificate, "--json", "--html", &page, "--files", &own]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "valid");
    // OBJ has no unit: the certificate was one of metres.
    assert_eq!(report["units"], "");
    let text = stdout(&noli(&["verify", &certificate]));
    assert!(text.contains("separated at rest by more than 0.25: 1 pair"), "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
    assert!(report["statements"][0]["clearance_at_least"].as_f64().unwrap() > 0.25);
    assert_eq!(report["statements"][0]["pairs"], serde_json::json!([["a", "b"]]));
    assert_eq!(report["sources"][0]["name"], "a.obj");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("valid") && html.contains("no safety function"), "{html}");

    let too_far = noli(&[
        "prove",
        "pair",
        &a,
        &b,
        "-o",
        &folder.join("no.cert").display().to_string(),
        "--at-b",
        "1.5,0,0",
        "--clearance",
        "0.75",
    ]);
    assert_eq!(exit_code(&too_far), 1, "{}", stderr(&too_far));
    assert!(stdout(&too_far).contains("closer than claimed") && !folder.join("no.cert").exists());

    let output = noli(&["prove", "pair", &a, &b, "-o", &certificate, "--at-b", "0.1,0.1,0.1"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let output = noli(&["verify", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).contains("colliding at rest"), "{}", stdout(&output));
}

#[test]
fn changed_and_foreign_files_are_not_valid() {
    let folder = Folder::new("verify-changed");
    let [a, b] = ["a.obj", "b.obj"].map(|name| folder.file(name, TETRAHEDRON));
    let certificate = folder.join("pair.cert").display().to_string();
    let output = noli(&["prove", "pair", &a, &b, "-o", &certificate, "--at-b", "1.5,0,0"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let mut bytes = std::fs::read(&certificate).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let changed = folder.join("changed.cert");
    std::fs::write(&changed, bytes).unwrap();
    assert_ne!(exit_code(&noli(&["verify", &changed.display().to_string()])), 0);
    let foreign = noli(&["verify", &a]);
    assert_eq!(exit_code(&foreign), 2);
    assert!(stderr(&foreign).contains("no certificate"), "{}", stderr(&foreign));
}

#[test]
fn paths_and_pairs_of_a_robot_are_proven_and_verified() {
    let folder = Folder::new("prove-robot");
    let arm = folder.file("arm.urdf", ARM);
    let free = folder.file("free.csv", "shoulder,elbow\n0,0\n1,0.5\n1,1\n");
    let certificate = folder.join("path.cert").display().to_string();
    let output = noli(&["prove", "path", &arm, "--states", &free, "-o", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let report = json(&noli(&["verify", &certificate, "--json"]));
    assert_eq!((&report["verdict"], &report["statements"][0]["complete"]), (&"valid".into(), &true.into()));
    let disabled = &report["statements"][0]["disabled_pairs"];
    assert!(disabled.as_array().is_some_and(|pairs| pairs.len() == 2), "{disabled}");

    let folding = folder.file("folding.csv", "elbow\n0\n3.1\n");
    let none = folder.join("none.cert");
    let output = noli(&["prove", "path", &arm, "--states", &folding, "-o", &none.display().to_string()]);
    assert_eq!(exit_code(&output), 1, "{}", stdout(&output));
    assert!(stdout(&output).contains("base") && !none.exists(), "{}", stdout(&output));

    let output = noli(&["prove", "pairs", &arm, "-o", &certificate]);
    assert!(stdout(&output).contains("proven within shoulder in [-3, 3], elbow in [-3.1, 3.1]"));
    let output = noli(&["prove", "pairs", &arm, "-o", &certificate, "--json"]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let output = noli(&["verify", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stdout(&output));
    let text = stdout(&output);
    assert!(
        text.contains("base and lower can collide") && text.contains("base and upper never collide"),
        "{text}"
    );
    the_description_is_compared(&folder, &certificate, &arm);

    let plan = folder.join("plan.cert").display().to_string();
    let ends = ["--from", "shoulder=0", "--to", "shoulder=1,elbow=1"];
    let output = noli(&[&["robot", "plan", &arm, "--certificate", &plan], &ends[..]].concat());
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(exit_code(&noli(&["verify", &plan])), 0);
    let output = noli(&["robot", "pairs", &arm, "--certificate", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(exit_code(&noli(&["verify", &certificate])), 0);
}

/// Ranges are printed unless the description of the robot shows that they are everything.
fn the_description_is_compared(folder: &Folder, certificate: &str, arm: &str) {
    let page = folder.join("pairs.html").display().to_string();
    let never = |text: &str| {
        let mut lines = text.lines().skip_while(|line| !line.contains("base and upper never collide"));
        lines.next().map(str::to_owned)
    };
    let text = stdout(&noli(&["verify", certificate, "--html", &page]));
    assert!(text.contains("separated within shoulder in [-3.0, 3.0] by more than 0"), "{text}");
    let title = never(&text).unwrap_or_default();
    assert!(title.starts_with("  title, not covered by the proof: base and upper never collide"), "{title}");
    assert!(text.contains("not covered: names, titles, units"), "{text}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("Title, not covered by the proof: base and upper never collide"), "{html}");
    let bound = noli(&["verify", certificate, "--urdf", arm]);
    assert_eq!(exit_code(&bound), 0, "{}{}", stdout(&bound), stderr(&bound));
    let text = stdout(&bound);
    assert!(text.contains("separated in every configuration by more than 0"), "{text}");
    assert!(text.contains("description of the robot: bound\n"), "{text}");
    let report = json(&noli(&["verify", certificate, "--urdf", arm, "--json"]));
    assert_eq!(
        (&report["urdf"], &report["not_compared"]),
        (&"bound".into(), &serde_json::json!([])),
        "{report}"
    );
    // The place of a robot and the bodies around it are no part of its description.
    let without = ARM.replace(r#"<link name="base"><collision>"#, r#"<link name="base"><visual>"#);
    let without = without.replacen("</collision>", "</visual>", 1);
    let text = stdout(&noli(&["verify", certificate, "--urdf", &folder.file("without.urdf", without)]));
    assert!(text.contains("description of the robot: bound in part"), "{text}");
    assert!(text.contains("  not compared: body 0 \"base\", which the description does not have"), "{text}");
    for (from, to) in [("xyz=\"0.5 0 0\"", "xyz=\"0.6 0 0\""), ("lower=\"-3\"", "lower=\"-3.1\"")] {
        let other = folder.file("other.urdf", ARM.replace(from, to));
        let refused = noli(&["verify", certificate, "--urdf", &other, "--html", &page]);
        assert_eq!(exit_code(&refused), 1);
        assert!(stdout(&refused).contains("E-BINDING"), "{}", stdout(&refused));
    }
}

const SCENE: &str = "units = 'm'\n\
    [[body]]\nname = 'mover'\nbox = [1, 1, 1]\n\
    [[body]]\nname = 'wall'\nbox = [1, 3, 3]\npose = { xyz = [4, 0, 0] }\n\
    [[body]]\nname = 'spin'\nbox = [1, 0.2, 0.2]\npose = { xyz = [0, 3, 0] }\n\
    [[motion]]\nbody = 'mover'\nkind = 'straight'\nto = { xyz = [0, 0, 8] }\nseconds = 2\n\
    [[motion]]\nbody = 'spin'\nkind = 'screw'\npoint = [0, 3, 0]\naxis = [0, 0, 1]\nangle_deg = 200\nadvance = 1\nseconds = 1\n";

/// The report of `noli verify` on a valid certificate.
fn verified(certificate: &str) -> serde_json::Value {
    let output = noli(&["verify", certificate, "--json"]);
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    json(&output)
}

#[test]
fn motions_of_a_scene_are_proven() {
    let folder = Folder::new("prove-motion");
    let scene = folder.file("scene.toml", SCENE);
    let certificate = folder.join("motion.cert").display().to_string();
    for command in [
        vec!["prove", "motion", &scene, "-o", &certificate, "--json"],
        vec!["sweep", &scene, "--certificate", &certificate],
    ] {
        let output = noli(&command);
        assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
        // One motion ends in the middle of the time: two pieces.
        let report = verified(&certificate);
        assert_eq!(report["statements"].as_array().unwrap().len(), 2);
        assert_eq!((&report["units"], &report["sources"][0]["name"]), (&"m".into(), &"scene.toml".into()));
        std::fs::remove_file(&certificate).unwrap();
    }
    let blocked = folder.file("blocked.toml", SCENE.replace("[0, 0, 8]", "[8, 0, 0]"));
    let output = noli(&["prove", "motion", &blocked, "-o", &certificate]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    assert!(stdout(&output).contains("collide"), "{}", stdout(&output));
    let output = noli(&["sweep", &blocked, "--certificate", &certificate]);
    assert!(stderr(&output).contains("no certificate is written"), "{}", stderr(&output));
    assert!(!Path::new(&certificate).exists());
}

#[test]
fn checks_and_removals_have_certificates() {
    let folder = Folder::new("prove-check");
    let scene = folder.file("scene.toml", SCENE.replace("[4, 0, 0]", "[0.9, 0, 0]"));
    let certificate = folder.join("check.cert").display().to_string();
    let output = noli(&["check", &scene, "--certificate", &certificate]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = verified(&certificate);
    let claims: Vec<&str> =
        report["statements"].as_array().unwrap().iter().map(|s| s["claim"].as_str().unwrap()).collect();
    assert_eq!(claims, ["separated", "colliding"]);
    let separated = folder.file("separated.toml", SCENE);
    let output = noli(&["remove", &separated, "mover", "--certificate", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(verified(&certificate)["statements"][0]["claim"], "separated");
}

#[test]
fn configurations_and_programs_have_certificates() {
    let folder = Folder::new("prove-states");
    let robot = folder.file("arm.urdf", ARM);
    let states = folder.file("states.csv", "shoulder,elbow\n0,0\n0,3.05\n1,1\n");
    let certificate = folder.join("states.cert").display().to_string();
    let output = noli(&["robot", "check", &robot, "--states", &states, "--certificate", &certificate]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = verified(&certificate);
    assert_eq!(report["statements"].as_array().unwrap().len(), 3, "{report}");
    assert_eq!(report["statements"][1]["claim"], "colliding");
    assert!(report["sources"].as_array().unwrap().iter().any(|source| source["name"] == "arm.urdf"));
    let output = noli(&["robot", "run", "--demo", "--no-profile", "--certificate", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = verified(&certificate);
    assert!(report["statements"].as_array().unwrap().len() > 50, "{report}");
}

/// The size of a wall along an axis: thin where it is moved away, wide elsewhere.
fn side(moved: f64) -> f64 {
    if moved == 0.0 { 3.0 } else { 1.0 }
}

#[test]
fn plans_removals_and_programs_are_proven() {
    let folder = Folder::new("prove-more");
    let certificate = folder.join("out.cert").display().to_string();
    let robot = folder.file("arm.urdf", ARM);
    let ends = ["--from", "shoulder=0", "--to", "shoulder=1,elbow=1"];
    let output = noli(&[&["prove", "plan", &robot, "-o", &certificate], &ends[..]].concat());
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = verified(&certificate);
    assert_eq!(
        (&report["schema"], &report["statements"][0]["claim"]),
        (&"noli/verify".into(), &"separated".into())
    );
    assert!(report["sources"].as_array().unwrap().iter().any(|source| source["role"] == "urdf"), "{report}");

    // A block on a table is in contact at first.
    let scene = folder.file(
        "scene.toml",
        "units = 'm'\n[[body]]\nname = 'table'\nbox = [4, 4, 1]\npose = { xyz = [0, 0, -1] }\n[[body]]\nname = 'block'\n\
         box = [1, 1, 1]\n[[body]]\nname = 'post'\nbox = [0.5, 0.5, 3]\npose = { xyz = [1.25, 0, 1] }\n",
    );
    let output = noli(&["prove", "removal", &scene, "block", "--output", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = verified(&certificate);
    let statements = report["statements"].as_array().unwrap();
    let later = |statement: &serde_json::Value| statement["title"].as_str().unwrap().contains("of it on");
    let disabled = |statement: &serde_json::Value| {
        statement["disabled_pairs"]
            .as_array()
            .unwrap()
            .iter()
            .any(|pair| pair["reason"].as_str().is_some_and(|reason| reason.contains("in contact")))
    };
    assert!(
        statements.iter().any(disabled)
            && (statements.iter().any(later) || stderr(&output).contains("in contact")),
        "{report}"
    );
    let output = noli(&["prove", "removal", &scene, "block", "-o", &certificate, "--json"]);
    assert_eq!(json(&output)["schema"], "noli/remove");
    // A part in a closed shell has no path: nothing is written.
    let ring = "units = 'm'\n[[body]]\nname = 'inner'\nbox = [1, 1, 1]\n";
    let walls = [
        [1.1, 0.0, 0.0],
        [-1.1, 0.0, 0.0],
        [0.0, 1.1, 0.0],
        [0.0, -1.1, 0.0],
        [0.0, 0.0, 1.1],
        [0.0, 0.0, -1.1],
    ];
    let walls = walls.iter().enumerate().map(|(k, at)| {
        format!(
            "[[body]]\nname = 'wall{k}'\nbox = [{}, {}, {}]\npose = {{ xyz = {at:?} }}\n",
            side(at[0]),
            side(at[1]),
            side(at[2])
        )
    });
    let closed = folder.file("closed.toml", ring.to_owned() + &walls.collect::<String>());
    let none = folder.join("none.cert");
    let output = noli(&["prove", "removal", &closed, "inner", "-o", &none.display().to_string()]);
    assert_ne!(exit_code(&output), 0);
    assert!(stderr(&output).contains("no certificate is written") && !none.exists(), "{}", stderr(&output));

    let output = noli(&["prove", "program", "--demo", "magazine-clash", "--no-profile", "-o", &certificate]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    // The program stops before the post: the motions up to there are proven.
    assert!(!verified(&certificate)["statements"].as_array().unwrap().is_empty());
    assert_eq!(exit_code(&noli(&["prove", "program", "--demo", "magazine"])), 2);
}

#[test]
fn nested_solids_are_inside_and_pages_list_everything() {
    let folder = Folder::new("prove-nested");
    let big =
        folder.file("big.obj", "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    let small = folder.file("small.obj", TETRAHEDRON);
    let certificate = folder.join("nested.cert").display().to_string();
    for (names, place, claim) in [
        ([&big, &small], "1,1,1", "inside"),
        ([&big, &small], "0,0,0", "colliding"),
        ([&big, &small], "0,0,-0.5", "colliding"),
    ] {
        let output = noli(&["prove", "pair", names[0], names[1], "--at-b", place, "-o", &certificate]);
        assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
        let report = verified(&certificate);
        assert_eq!(report["statements"][0]["claim"], claim, "{report}");
    }
    let output =
        noli(&["prove", "pair", &small, &big, "--at-b", "2,0,0", "--clearance", "0.5", "-o", &certificate]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    // Meshes are bound to their files by their triangles.
    let page = folder.join("page.html").display().to_string();
    let own = Path::new(&small).parent().unwrap().display().to_string();
    let output = noli(&["verify", &certificate, "--json", "--html", &page, "--files", &own]);
    let report = json(&output);
    assert_eq!(
        (&report["sources"][0]["compared"], &report["sources"][1]["compared"]),
        (&"bound".into(), &"bound".into())
    );
    assert!(report["clearance_at_least"].as_f64().unwrap() > 0.5);
    let html = std::fs::read_to_string(&page).unwrap();
    for word in [
        "SHA-256 of the certificate",
        "smallest distance",
        "bound",
        "Assumed",
        "What it is not",
        "small and big",
    ] {
        assert!(html.contains(word), "{word}: {html}");
    }
    // The same file with another triangle is not the one that was proven.
    std::fs::write(&small, TETRAHEDRON.replace("v 1 0 0", "v 1.5 0 0")).unwrap();
    let output = noli(&["verify", &certificate, "--files", &own]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("E-BINDING"), "{}", stdout(&output));
}

#[test]
fn trajectories_are_proven_as_they_are_driven() {
    let folder = Folder::new("prove-trajectory");
    let robot = folder.file("arm.urdf", ARM);
    let path = folder.file(
        "cubic.csv",
        "time,shoulder,elbow,shoulder_velocity,elbow_velocity\n0,0,0,1,0\n1,1,0.5,-1,0.5\n2,1,1,0,0\n",
    );
    let certificate = folder.join("trajectory.cert").display().to_string();
    for error in ["0", "0.02"] {
        let output = noli(&[
            "robot",
            "check",
            &robot,
            "--trajectory",
            &path,
            "--tracking-error",
            error,
            "--certificate",
            &certificate,
        ]);
        assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        let report = verified(&certificate);
        let region = report["statements"][0]["region"].as_str().unwrap();
        assert!(region.contains("2 curves of the joints"), "{region}");
        assert_eq!(region.contains("up to 0.02 off"), error == "0.02", "{region}");
        assert!(report["sources"].as_array().unwrap().iter().any(|source| source["name"] == "cubic.csv"));
    }
    let folding = folder.file("folding.csv", "time,elbow,elbow_velocity\n0,0,1\n1,3.1,0\n");
    let none = folder.join("none.cert");
    let output = noli(&[
        "robot",
        "check",
        &robot,
        "--trajectory",
        &folding,
        "--certificate",
        &none.display().to_string(),
    ]);
    assert_ne!(exit_code(&output), 0);
    assert!(!none.exists() && stderr(&output).contains("no certificate is written"), "{}", stderr(&output));
}
