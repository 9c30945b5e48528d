//! Sessions at the pendant, and robots and cells of a component database.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use serde_json::Value;

#[test]
fn a_pendant_without_steps_and_a_program_that_is_not_there_are_errors() {
    for steps in ["", " ; # nothing"] {
        let output = noli(&["robot", "jog", "--demo", "--do", steps]);
        assert_eq!(exit_code(&output), 2, "{}", stdout(&output));
        assert!(stderr(&output).contains("no step was given"), "{}", stderr(&output));
    }
    assert_eq!(exit_code(&noli(&["robot", "jog", "--demo", "--do", "rrx 1"])), 2);
    let output = noli(&["robot", "run", "--demo", "--main", "nosuch"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("there are PROGRAMA1"), "{}", stderr(&output));
    assert!(stdout(&output).is_empty(), "{}", stdout(&output));
    let folder = Folder::new("robot-fps");
    let record = folder.0.join("run.json");
    let words = ["robot", "run", "--demo", "--record", record.to_str().unwrap(), "--fps", "0"];
    let output = noli(&words);
    assert_eq!(exit_code(&output), 2, "no frame a second");
    assert!(stderr(&output).contains("--fps 0"), "{}", stderr(&output));
}

/// A session at the pendant: joints, world and tool frames, places taught, a program that runs, and a stop at the
/// last place proven free.
#[test]
fn the_pendant_teaches_what_then_runs() {
    let folder = Folder::new("robot-jog");
    let [program, tables] = ["taught.val", "taught.toml"].map(|name| folder.0.join(name));
    let (program, tables) = (program.to_str().unwrap(), tables.to_str().unwrap());
    let steps =
        "z -100; x 50; teach above; tool; z 20; world; z 30; rz 10; teach turned; j6 45; j6 -90; point hand";
    let words =
        ["robot", "jog", "--demo", "--do", steps, "--program", program, "--locations", tables, "--json"];
    let output = noli(&words);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    let made = report["steps"].as_array().unwrap();
    assert_eq!(made.len(), 7, "places and frames are no steps: {report}");
    assert!(
        made.iter().all(|step| step["share"] == 1.0 && step["clearance_at_least"].as_f64().unwrap() > 0.0)
    );
    // The demo starts with its tool leaning 30 degrees: 20 mm along the tool's z is 10 mm along x and 17.3 down.
    let start = json(&noli(&["robot", "jog", "--demo", "--do", "x 0", "--json"]));
    let went = |k: usize| report["tool"][k].as_f64().unwrap() - start["tool"][k].as_f64().unwrap();
    let (forward, down) = (0.02 * 30f64.to_radians().sin(), 0.02 * 30f64.to_radians().cos());
    assert!((went(0) - 0.05 - forward).abs() < 1e-9 && went(1).abs() < 1e-9, "{report}");
    assert!((went(2) + 0.1 - 0.03 + down).abs() < 1e-9, "{report}");
    let text = std::fs::read_to_string(program).unwrap();
    assert!(text.contains("SET above = TRANS(") && text.contains("MOVE #hand"), "{text}");
    assert!(!text.contains("000000000"), "numbers a person can read: {text}");
    // The program runs in the same cell, and ends where the arm was left.
    let cell = folder.0.join("cell");
    let out =
        noli(&["robot", "run", "--demo", "--write-demo", cell.to_str().unwrap(), "--no-profile", "--json"]);
    assert_eq!(exit_code(&out), 0, "{}", stderr(&out));
    let file = cell.join("cell.toml");
    let output = noli(&["robot", "run", file.to_str().unwrap(), program, "--no-profile", "--json"]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    assert_eq!(json(&output)["executable"], 3);
    // The tables are locations of a cell whose unit is the millimetre.
    let more = std::fs::read_to_string(&file).unwrap() + "\n" + &std::fs::read_to_string(tables).unwrap();
    std::fs::write(&file, more).unwrap();
    let same = folder.file("same.val", "MOVE above\nMOVE turned\nMOVE #hand\n");
    let again = noli(&["robot", "run", file.to_str().unwrap(), &same, "--no-profile", "--json"]);
    assert_eq!(exit_code(&again), 0, "{}", stderr(&again));
    let seconds = |output| json(output)["cycle_seconds"].as_f64().unwrap();
    assert!((seconds(&again) - seconds(&output)).abs() < 0.01, "the same ways but for the time of SET");

    // Down into the table: the arm stops above it, and what follows goes on from there.
    let output = noli(&["robot", "jog", "--demo", "--do", "z -800; z 1", "--json"]);
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
    let report = json(&output);
    let [down, up] = [&report["steps"][0], &report["steps"][1]];
    assert!(down["stopped_by"].as_array().unwrap().contains(&"table".into()), "{report}");
    let (share, clearance) = (down["share"].as_f64().unwrap(), down["clearance_at_least"].as_f64().unwrap());
    assert!(share > 0.5 && share < 1.0 && clearance > 0.0 && clearance < 1e-4, "{report}");
    assert_eq!((&up["share"], &up["stopped_by"]), (&1.0.into(), &Value::Null), "{report}");
    // What cannot be is an error that says which step, and why.
    for (steps, words) in [
        ("j1 500", "beyond its limits"),
        ("j7 1", "no joint 7"),
        ("x 5000", "`x 5000`"),
        ("teach 5th", "no name of a location"),
    ] {
        let output = noli(&["robot", "jog", "--demo", "--do", steps]);
        assert_eq!(exit_code(&output), 2, "{steps}");
        assert!(stderr(&output).contains(words), "{steps}: {}", stderr(&output));
    }
}

/// The database from a drawing to an animation, as `docs/robots.md` has it.
#[test]
fn a_part_a_robot_a_cell_and_its_animation() {
    let folder = Folder::new("robot-db");
    let at = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let (db, glb) = (at("parts.db"), at("turn.glb"));
    let part = folder.file("slab.obj", cubes(&[0.0]));
    let composition = folder.file(
        "arm.toml",
        "name = \"arm\"\nunits = \"mm\"\n[[part]]\nname = \"foot\"\nbox = [1, 1, 1]\n[[part]]\nname = \"hand\"\n\
         component = \"slab\"\npose = { xyz = [10, 0, 0] }\n[[joint]]\nname = \"turn\"\nkind = \"revolute\"\n\
         fixed = \"foot\"\nmoving = \"hand\"\nrange_deg = [-170, 170]\n",
    );
    let cell = folder.file(
        "cell.toml",
        "units = \"mm\"\nprogram = \"turn.val\"\n[robot]\nstored = \"arm\"\ndatabase = \"parts.db\"\n[[body]]\n\
         name = \"post\"\nbox = [1, 1, 9]\npose = { xyz = [0, 10, 0] }\n",
    );
    folder.file("turn.val", "DRIVE 1, 45, 100\nDRIVE 1, -100, 100\n");
    let ok = |words: &[&str]| {
        let output = noli(words);
        assert_eq!(exit_code(&output), 0, "{words:?}: {}", stderr(&output));
        stdout(&output)
    };
    ok(&["db", "init", &db]);
    assert_eq!(exit_code(&noli(&["db", "init", &db])), 2, "there is one already");
    assert_eq!(ok(&["db", "import", &db, &part, "--density", "7800"]), "component slab\n");
    assert_eq!(exit_code(&noli(&["db", "import", &db, &part])), 2, "the name is taken");
    assert_eq!(ok(&["db", "compose", &db, &composition]), "manipulator arm\n");
    assert!(ok(&["db", "show", &db, "slab"]).contains("mass"));
    // Properties that no file contains are set by commands.
    assert!(ok(&["db", "mass", &db, "slab", "--mass", "0.25"]).contains("mass (kg): 0.25"));
    assert_eq!(exit_code(&noli(&["db", "mass", &db, "slab", "--density=-1"])), 2);
    assert!(
        ok(&["db", "pair", &db, "arm", "hand", "foot", "--disable", "folded"]).contains("disabled, folded")
    );
    assert!(ok(&["db", "pair", &db, "arm", "hand", "foot"]).contains("foot - hand: checked"));
    assert_eq!(exit_code(&noli(&["db", "pair", &db, "arm", "hand", "none"])), 2);
    let tool = ok(&["db", "tool", &db, "tip", "--component", "slab", "--xyz", "0,0,0.135"]);
    assert!(tool.contains("component: slab") && tool.contains("0 0 0.135"), "{tool}");
    assert_eq!(exit_code(&noli(&["db", "tool", &db, "tip"])), 2, "the name is taken");
    ok(&["robot", "run", &cell, "--db", &db, "--gltf", &glb, "--no-profile"]);
    assert!(ok(&["db", "log", &db]).contains("completed"));
    ok(&["db", "import", &db, &cell]);
    assert_eq!(ok(&["db", "list", &db, "--kind", "cell", "--json"]).matches("\"name\"").count(), 1);
    let second = at("again.glb");
    ok(&["db", "export", &db, "cell", &second]);
    let [one, other] = [glb, second].map(|path| std::fs::read(path).unwrap());
    assert!(one.starts_with(b"glTF") && other.starts_with(b"glTF"));
    assert!(
        (one.len() as f64 / other.len() as f64 - 1.0).abs() < 0.1,
        "{} and {} bytes",
        one.len(),
        other.len()
    );
    let jogged = noli(&["robot", "jog", &cell, "--do", "j1 100", "--json"]);
    assert_eq!(exit_code(&jogged), 1, "the post is in the way: {}", stderr(&jogged));
    ok(&["db", "export", &db, "arm", &at("out/arm.urdf")]);
    assert_eq!(exit_code(&noli(&["db", "export", &db, "arm", &at("arm.step")])), 2);
    assert_eq!(ok(&["db", "check", &db]), format!("{db}: in order\n"));
    folder.file("parts.db", "no database");
    assert_eq!(exit_code(&noli(&["db", "check", &db])), 2);
}
