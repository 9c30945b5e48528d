//! Habits of a command line: help, versions, completions, man pages, units, quiet, colours, errors for programs.

use crate::support::{Folder, cubes, exit_code, json, noli, noli_in_columns, stderr, stdout};

#[test]
fn help_is_wrapped_and_has_examples() {
    for command in ["check", "play", "remove", "robot", "sweep", "db", "field"] {
        let text = stdout(&noli(&[command, "--help"]));
        assert!(text.contains("Examples:\n  noli "), "{command}: {text}");
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{command}: {widest} columns");
    }
    let text = stdout(&noli(&["--help"]));
    assert!(text.contains("Start with `noli demo`") && text.contains("--quiet"), "{text}");
}

#[test]
fn the_version_names_features() {
    let short = stdout(&noli(&["-V"]));
    assert!(short.starts_with(concat!("noli ", env!("CARGO_PKG_VERSION"))), "{short}");
    let long = stdout(&noli(&["--version"]));
    assert!(long.contains("features: threads") && long.contains("SIMD"), "{long}");
}

#[test]
fn shells_complete_every_command() {
    for (shell, words) in [
        ("bash", "complete -F _noli"),
        ("zsh", "#compdef noli"),
        ("fish", "complete -c noli"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let output = noli(&["completions", shell]);
        assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains(words), "{shell}");
        for word in ["demo", "intersections", "maximize-clearance"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(exit_code(&noli(&["completions", "csh"])), 2);
}

#[test]
fn man_pages_cover_every_command() {
    let folder = Folder::new("man");
    let output = noli(&["man", folder.0.to_str().unwrap()]);
    assert_eq!(exit_code(&output), 0, "{}", stderr(&output));
    for name in ["noli.1", "noli-check.1", "noli-robot-plan.1", "noli-db-import.1"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_else(|_| panic!("{name} is missing"));
        assert!(text.contains(".SH SYNOPSIS"), "{name}");
    }
    let check = std::fs::read_to_string(folder.join("noli-check.1")).unwrap();
    assert!(check.contains("bcf") && check.contains("Examples"), "{check}");
}

#[test]
fn quiet_leaves_the_exit_code_and_what_was_asked_for() {
    let folder = Folder::new("quiet");
    let two = folder.file("two.obj", cubes(&[0.0, 1.5]));
    let output = noli(&["check", &two, "--quiet"]);
    assert_eq!((exit_code(&output), stdout(&output), stderr(&output)), (1, String::new(), String::new()));
    let output = noli(&["-q", "check", &two, "--json"]);
    assert_eq!(json(&output)["outcome"], "touching");
    let output = noli(&["check", "missing.obj", "--quiet"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("missing.obj"));
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let colour = |when: &str| stdout(&noli(&["check", "--demo", "--color", when])).contains('\x1b');
    assert!(colour("always") && !colour("never") && !colour("auto"));
    assert!(stdout(&noli(&["--color=always", "--help"])).contains('\x1b'));
    assert!(!stdout(&noli(&["--color=never", "--help"])).contains('\x1b'));
}

#[test]
fn lengths_have_units_and_are_repeated() {
    let folder = Folder::new("units");
    let scene = folder.file(
        "metres.toml",
        "units = 'm'\n[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 1]\npose = { xyz = [1.0015, 0, 0] }\n",
    );
    let output = noli(&["check", &scene, "--margin", "2mm"]);
    assert_eq!(exit_code(&output), 1);
    assert!(stdout(&output).contains("margin 0.002 m"), "{}", stdout(&output));
    assert_eq!(exit_code(&noli(&["check", &scene, "--margin", "1mm"])), 0);
    assert_eq!(exit_code(&noli(&["check", &scene, "--margin", "0.05in"])), 0);
    assert_eq!(exit_code(&noli(&["check", &scene, "--margin", "0.1 in"])), 1);
    let output = noli(&["check", &scene, "--margin", "0.002", "--tolerance", "0.1mm"]);
    for echoed in ["margin 0.002 m", "tolerance 0.0001 m"] {
        assert!(stdout(&output).contains(echoed), "{}", stdout(&output));
    }
    // Files without a unit need one for a length that has one.
    let two = folder.file("two.obj", cubes(&[0.0, 5.0]));
    let output = noli(&["check", &two, "--margin", "2mm"]);
    assert_eq!(exit_code(&output), 2);
    assert!(stderr(&output).contains("--units"), "{}", stderr(&output));
    assert_eq!(exit_code(&noli(&["check", &two, "--margin", "20mm", "--units", "cm"])), 0);
    assert_eq!(exit_code(&noli(&["check", &two, "--margin", "20cm", "--units", "cm"])), 1);
    let output = noli(&["check", &two, "--margin", "2 furlongs"]);
    assert!(stderr(&output).contains("m, cm, mm"), "{}", stderr(&output));
}

#[test]
fn joints_take_degrees() {
    let plan = |to: &str| noli(&["robot", "plan", "--demo", "--from", "j1=0", "--to", to, "--json"]);
    let [degrees, radians] = ["j1=30deg", "j1=0.5235987755982988"].map(|to| json(&plan(to)));
    assert_eq!(degrees["configurations"], radians["configurations"]);
    let wrong = plan("j1=30mm");
    assert_eq!(exit_code(&wrong), 2);
    assert!(stderr(&wrong).contains("the joint turns"), "{}", stderr(&wrong));
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    for (arguments, words) in [
        (vec!["check", "missing.obj", "--json"], "missing.obj"),
        (vec!["check", "--demo", "--no-such-option", "--json"], "--no-such-option"),
        (vec!["sweep", "missing.toml", "--json"], "missing.toml"),
    ] {
        let output = noli(&arguments);
        assert_eq!(exit_code(&output), 2);
        let report = json(&output);
        assert_eq!((&report["schema"], &report["version"]), (&"noli/error".into(), &1.into()));
        assert_eq!(report["exit_code"], 2);
        assert!(report["error"].as_str().unwrap().contains(words), "{report}");
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    assert_eq!(stdout(&noli(&["check", "missing.obj"])), "");
}

#[test]
fn errors_of_the_system_have_no_numbers() {
    for arguments in [
        vec!["check", "no/such/file.obj"],
        vec!["sweep", "no/such/scene.toml"],
        vec!["robot", "info", "no/such/arm.urdf"],
        vec!["check", "--demo", "--html", "/no/such/folder/page.html"],
        vec!["db", "list", "no/such.db"],
    ] {
        let output = noli(&arguments);
        assert_eq!(exit_code(&output), 2, "{arguments:?}");
        assert!(!stderr(&output).contains("os error"), "{}", stderr(&output));
    }
}

#[test]
fn one_is_not_many() {
    let folder = Folder::new("plural");
    let two = folder.file("two.obj", cubes(&[0.0, 1.5]));
    let one = folder.file("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for arguments in [
        vec!["check", &two],
        vec!["check", &one],
        vec!["robot", "plan", "--demo", "--from", "j1=0", "--to", "j1=10deg"],
        vec!["field", "x^2 + y^2 + z^2 <= 1", "x^2 + y^2 + z^2 <= 1"],
    ] {
        let text = stdout(&noli(&arguments));
        let words: Vec<&str> = text.split_whitespace().collect();
        let odd = words.windows(2).find(|pair| {
            pair[0] == "1"
                && pair[1].trim_end_matches([',', ';', ':', '.']).ends_with("s")
                && !["is", "s", "s,"].contains(&pair[1])
        });
        assert_eq!(odd, None, "{arguments:?}: {text}");
    }
}

/// Lines with more characters than columns.
fn too_wide(text: &str, columns: usize) -> Vec<String> {
    text.lines().filter(|line| line.chars().count() > columns).map(str::to_owned).collect()
}

#[test]
fn tables_fit_eighty_columns() {
    let folder = Folder::new("columns");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let made = noli(&["scenes", "write", "knob-through-plate", "-o", &path("knob")]);
    assert_eq!(exit_code(&made), 0, "{}", stderr(&made));
    let knob = path("knob/knob-through-plate.toml");
    // Long names that differ in their middle.
    let body = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = 'plant/hall 3/line 12/{name}/bracket with ribs'\nbox = [1, 1, 1]\npose = {{ xyz = [{x}, 0, 0] }}\n"
        )
    };
    let motion = "[[motion]]\nbody = 'plant/hall 3/line 12/left/bracket with ribs'\nkind = 'straight'\n\
                  to = { xyz = [8, 0, 0] }\nseconds = 2\n";
    let named = folder.file("named.toml", body("left", 0.0) + &body("right", 4.0) + motion);
    let bars = crate::coordinate::two_bars(&folder);
    let states = folder.file("states.csv", "j1,j2\n0,0\n0.5,0.2\n1,0.4\n");
    let volume = path("volume.obj");
    for words in [
        vec!["check", "--demo"],
        vec!["check", "--demo", "--all", "--rows", "60"],
        vec!["check", &named],
        vec!["sweep", &knob],
        vec!["sweep", &named],
        vec!["sweep", &named, "--volume", &volume, "--boxes", "3"],
        vec!["play", &knob],
        vec!["play", &named],
        vec!["play", "--demo"],
        vec!["remove", "--demo", "headlight.bulb", "--detail", "1"],
        vec!["scenes", "list"],
        vec!["robot", "info", "--demo"],
        vec!["robot", "pairs", "--demo", "--time", "2s"],
        vec!["robot", "limits", "--demo"],
        vec!["robot", "ik", "--demo", "--pose", "0.4,0.2,0.3,0,1,0,0"],
        vec!["robot", "check", "--demo", "--clearance"],
        vec!["robot", "check", "--demo", "--trajectory", &states],
        vec!["robot", "plan", "--demo", "--from", "0,0.2,0,0,0.5,0", "--to", "0.5,0.1,0.3,0.2,0.4,0.1"],
        vec!["robot", "run", "--demo", "magazine", "--no-profile"],
        vec!["robot", "run", "--demo", "magazine-clash"],
        vec!["robot", "coordinate", &bars[0], &bars[1]],
    ] {
        let output = noli_in_columns(80, &words);
        assert_ne!(exit_code(&output), 2, "{words:?}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(!text.is_empty(), "{words:?}");
        let wide = too_wide(&text, 80);
        assert!(wide.is_empty(), "{words:?}:\n{}", wide.join("\n"));
    }
    let text = stdout(&noli_in_columns(80, &["sweep", &named]));
    assert!(text.contains("left") && text.contains("right"), "names are cut where they are alike: {text}");
}
