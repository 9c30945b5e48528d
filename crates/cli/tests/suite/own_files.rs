//! Answers that misled people with files of their own. Each test is named after the right answer.

use crate::support::{Folder, cubes, exit_code, json, noli, stderr, stdout};
use std::process::{Command, Output};

fn in_folder(folder: &Folder, words: &str) -> Output {
    Command::new(crate::PROGRAM).args(words.split(' ')).current_dir(&folder.0).output().unwrap()
}

#[test]
fn an_export_takes_a_bare_file_name() {
    let folder = Folder::new("bare-export");
    folder.file("cube.obj", cubes(&[0.0]));
    assert_eq!(exit_code(&in_folder(&folder, "db init parts.db")), 0);
    assert_eq!(exit_code(&in_folder(&folder, "db import parts.db cube.obj")), 0);
    for target in ["cube.glb", "./other.glb", "below/cube.glb"] {
        let output = in_folder(&folder, &format!("db export parts.db cube {target}"));
        assert_eq!(exit_code(&output), 0, "{target}: {}", stderr(&output));
        assert!(folder.join(target).metadata().is_ok_and(|file| file.len() > 100), "{target}");
    }
    // An existing file is kept, by its bare name too.
    let output = in_folder(&folder, "db export parts.db cube cube.glb");
    assert!(exit_code(&output) == 2 && stderr(&output).contains("--replace"), "{}", stderr(&output));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/", folder.join("out.glb")).unwrap();
        let output = in_folder(&folder, "db export parts.db cube out.glb --replace");
        assert_eq!(exit_code(&output), 2, "a link is not followed out of the folder");
    }
}

#[test]
fn a_pose_with_a_unit_needs_that_of_the_files() {
    let folder = Folder::new("unit-of-pose");
    folder.file("cube.obj", cubes(&[0.0]));
    let prove = |file: &str, words: &str| {
        in_folder(&folder, &format!("prove pair {file} {file} -o out.cert {words}"))
    };
    // The cubes have an edge of 2: 4 units apart they are separated; 4 mm taken as metres they would collide.
    assert_eq!(exit_code(&prove("cube.obj", "--at-b 4,0,0 --clearance 1")), 0);
    for words in ["--at-b 4mm,0,0", "--at-a 0,0,4in", "--at-b 4,0,0 --clearance 1mm"] {
        let output = prove("cube.obj", words);
        assert_eq!(exit_code(&output), 2, "{words}: {}", stdout(&output));
        let (option, error) = (words.split(' ').rev().nth(1).unwrap(), stderr(&output));
        assert!(error.contains(option) && error.contains("declare no unit"), "{error}");
    }
    assert_eq!(exit_code(&prove("cube.obj", "--at-b 4,0,0 --clearance nan")), 2);
    // glTF is in metres: 4000 mm are 4.
    in_folder(&folder, "db init parts.db");
    in_folder(&folder, "db import parts.db cube.obj --units m");
    in_folder(&folder, "db export parts.db cube cube.glb");
    let output = prove("cube.glb", "--at-b 4000mm,0,0 --clearance 1.9m");
    assert_eq!(exit_code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert_eq!(exit_code(&prove("cube.glb", "--at-b 1500mm,0,0")), 1);
}

#[test]
fn columns_of_points_are_not_exchanged() {
    let folder = Folder::new("exchanged-columns");
    folder.file("cube.obj", cubes(&[0.0]));
    let points = "0,5,0\n0.1,5,0\n";
    for (name, header) in [("yxz", "y,x,z"), ("id", "id,x,y,z"), ("zyx", "Z;Y;X")] {
        folder.file(&format!("{name}.csv"), format!("{header}\n{points}"));
        let output = in_folder(&folder, &format!("check {name}.csv cube.obj --radius 0.5"));
        assert_eq!(exit_code(&output), 2, "{header}: {}", stdout(&output));
        let error = stderr(&output);
        assert!(error.contains(&format!("{name}.csv:1: the columns are `{header}`")), "{error}");
    }
    for header in ["x,y,z", "X Y Z R G B", "2", "east,north,up"] {
        folder.file("good.csv", format!("{header}\n{points}"));
        let output = in_folder(&folder, "check good.csv cube.obj --radius 0.5 --json");
        assert_eq!(exit_code(&output), 0, "{header}: {}", stderr(&output));
        // Names that are followed need no warning.
        let is_named = header.starts_with(['x', 'X']);
        let warnings = json(&output)["warnings"].to_string();
        assert_eq!(warnings.contains("passed over"), !is_named, "{header}: {warnings}");
    }
}

#[test]
fn a_radius_without_points_is_refused() {
    let folder = Folder::new("radius-of-nothing");
    folder.file("cubes.obj", cubes(&[0.0, 5.0]));
    let output = in_folder(&folder, "check cubes.obj --radius 0.5");
    assert_eq!(exit_code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("--radius is about point clouds"), "{}", stderr(&output));
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_any_work() {
    let folder = Folder::new("unwritable-outputs");
    folder.file("cubes.obj", cubes(&[0.0, 1.5]));
    std::fs::create_dir(folder.join("there")).unwrap();
    for (option, wanted) in [
        ("--html absent/page.html", "absent/page.html: cannot be written: its folder does not exist"),
        ("--json=absent/a.json", "its folder does not exist"),
        ("--csv=there", "there: cannot be written: it is a folder"),
    ] {
        let output = in_folder(&folder, &format!("check cubes.obj {option}"));
        assert_eq!(exit_code(&output), 2, "{option}");
        assert!(stderr(&output).contains(wanted), "{option}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{option}: nothing was checked before");
    }
    let output = in_folder(&folder, "check cubes.obj --html there/page.html");
    assert_eq!(exit_code(&output), 1, "{}", stderr(&output));
}

#[test]
fn a_misspelt_key_is_named() {
    let folder = Folder::new("misspelt-key");
    let scene = folder.file("scene.toml", "[[body]]\nnmae = 'a'\nbox = [1, 1, 1]\n");
    let output = noli(&["check", &scene]);
    let error = stderr(&output);
    assert!(error.contains("scene.toml:2: body 1 has no key `nmae`; did you mean `name`?"), "{error}");
    let scene = folder.file("large.toml", "[[body]]\nname = 'a'\nbox = [1e91, 1, 1]\n");
    let error = stderr(&noli(&["check", &scene]));
    assert!(error.contains("large.toml:3:") && error.contains("is too large"), "{error}");
    let plan = "name = 'x'\n\ncount = 0\nscene = ''\n[draw]\nkind = 'poses'\nbody = 'a'\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\n";
    let plan = folder.file("plan.toml", plan);
    let error = stderr(&noli(&["campaign", &plan, "plan"]));
    assert!(error.contains("line 3: a count of 0"), "{error}");
}

#[test]
fn wrapped_tables_have_no_empty_lines() {
    let text = stdout(&crate::support::noli_in_columns(40, &["scenes", "list"]));
    let table = text.split("\nTriangles").next().unwrap().trim_end();
    assert!(table.lines().all(|line| !line.trim().is_empty()), "{table}");
    assert!(table.lines().count() > 100);
}
