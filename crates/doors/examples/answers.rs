//! Stores the answers of the program to the bundled scenes, cells, removals, runs and plans, and to the cases of the suite, as
//! JSON without what differs from run to run. Two folders are compared by `diff -r`.
//!
//! ```text
//! cargo run -p noli-doors --example answers -- FOLDER [PROGRAM]
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use noli_doors::{Cases, command, program};
use noli_testing::Folder;
use serde_json::Value;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Questions about what comes with the program, by the name of their file.
const QUESTIONS: [&str; 24] = [
    "clash-engine-bay: check --demo engine-bay --margin 2mm --tolerance 0.1mm",
    "clash-gearbox: check --demo gearbox --touching ignore --skip *bearing*",
    "segments-boxes: check --demo intersecting-boxes --intersections all",
    "play-engine-bay: play --demo",
    "play-runway: play --demo runway --contact",
    "play-screw: play --demo screw --contact",
    "play-rod: play --demo rod --dynamics",
    "play-cradle: play --demo cradle --dynamics",
    "remove-bulb: remove --demo headlight.bulb --time 600s",
    "remove-battery: remove --demo battery.case --time 600s",
    "remove-tube: remove --demo part --time 600s",
    "disassemble-flange: study --demo flange --disassemble",
    "disassemble-bracket: study --demo past-bracket --disassemble",
    "run-magazine: robot run --demo magazine",
    "run-magazine-clash: robot run --demo magazine-clash",
    "run-magazine-graze: robot run --demo magazine-graze",
    "robot-info: robot info --demo",
    "robot-check: robot check --demo --clearance",
    "robot-pairs: robot pairs --demo",
    "robot-limits: robot limits --demo",
    "robot-ik: robot ik --demo --pose 0.4,0.2,0.9",
    "robot-plan: robot plan --demo --from 0,-1,2.5,0,0,0 --to 1.5,-1,2.5,0,0,0",
    "field-tori: field torus(2,0.5) torus(2,0.5) --pose-b 2,0,0 --clearance",
    "field-spheres: field sphere(1) sphere(1) --pose-b 0,0,2.5 --clearance",
];

/// Fields that hold times of the machine, or sizes in memory.
const VOLATILE: [&str; 7] =
    ["seconds", "per_second", "micros", "millis", "frame_ms", "real_time_factor", "model_bytes"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [target, given @ ..] = &arguments[..] else { return Err("name a folder for the answers".into()) };
    let noli = given.first().cloned().or_else(program).ok_or("cargo has built no program `noli`")?;
    fs::create_dir_all(target)?;
    let written = Folder::new("answers");
    let mut count = 0;
    let mut store = |name: &str, arguments: &[String], folder: &Path| -> Result<(), Box<dyn Error>> {
        let output = Command::new(&noli).args(arguments).arg("--json").current_dir(folder).output()?;
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        remove_volatile(&mut report);
        let text = format!("{:?}\n{report:#}\n", output.status.code());
        let text =
            text.replace(&folder.display().to_string(), "").replace(&written.display().to_string(), "");
        count += 1;
        Ok(fs::write(target.join(format!("{name}.json")), text)?)
    };
    for scene in scenes(&noli)? {
        store(&format!("check-{scene}"), &words(&format!("check --demo {scene}")), &written)?;
        let folder = written.join(&scene);
        Command::new(&noli).args(["scenes", "write", &scene, "--output"]).arg(&folder).output()?;
        store(&format!("scene-{scene}"), &words(&format!("check {scene}.toml --all")), &folder)?;
        store(&format!("sweep-{scene}"), &words(&format!("sweep {scene}.toml")), &folder)?;
    }
    for question in QUESTIONS {
        let (name, line) = question.split_once(": ").ok_or("a question has a name")?;
        store(name, &words(line), &written)?;
    }
    let cases = Cases::open("answers");
    for case in &cases.all {
        let name = case.file().replace(".toml", "");
        store(&format!("case-{name}"), &command(case, &cases.folder), &cases.folder)?;
    }
    println!("{count} answers in {}", target.display());
    Ok(())
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// The names of the bundled scenes.
fn scenes(noli: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let listed = Command::new(noli).args(["scenes", "list"]).output()?;
    let text = String::from_utf8(listed.stdout)?;
    let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
    Ok(rows.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}

fn remove_volatile(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !VOLATILE.contains(&name.as_str()));
            fields.values_mut().for_each(remove_volatile);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_volatile),
        _ => {}
    }
}
