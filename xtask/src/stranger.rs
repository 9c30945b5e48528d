//! The examples as a stranger would use them: in a crate of its own, outside this workspace.

use crate::{cargo, output_of, target, workspace};
use std::path::{Path, PathBuf};

/// Copies the programs of `examples/` into a new crate, builds it and runs every one.
pub(crate) fn check() -> Result<String, String> {
    let folder = target().join("stranger");
    // Its own: it shares no artefacts with the workspace, and steps beside this one build there.
    let built = target().join("stranger-target");
    let programs = programs()?;
    write(&folder, &programs)?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--offline", "--bins"]).current_dir(&folder);
    build.env("CARGO_TARGET_DIR", &built);
    build.env_remove("CARGO_BUILD_TARGET");
    output_of(&mut build)
        .map_err(|said| format!("the examples do not build in a crate of their own:\n{said}"))?;
    for program in &programs {
        let name = program.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let mut command = std::process::Command::new(built.join("debug").join(name));
        if name == "check_two_files" {
            command.args([folder.join("a.obj"), folder.join("b.obj")]);
        }
        let output = command.output().map_err(|error| format!("{name} does not start: {error}"))?;
        if !output.status.success() || output.stdout.is_empty() {
            return Err(format!("{name} failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok(format!("{} programs were built and run outside the workspace", programs.len()))
}

fn programs() -> Result<Vec<PathBuf>, String> {
    let folder = workspace().join("examples");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut programs: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    programs.sort();
    if programs.is_empty() { Err(format!("{} holds no programs", folder.display())) } else { Ok(programs) }
}

/// Two cubes that cross.
const CUBE: &str = "\
v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// Compiles quickly: the programs are small, and what they ask is too.
fn write(folder: &Path, programs: &[PathBuf]) -> Result<(), String> {
    let bins = folder.join("src").join("bin");
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(told)?;
    }
    std::fs::create_dir_all(&bins).map_err(told)?;
    for program in programs {
        std::fs::copy(program, bins.join(program.file_name().unwrap_or_default())).map_err(told)?;
    }
    let manifest = format!(
        "[package]\nname = \"stranger\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n\
         [dependencies]\nnoli = {{ path = {noli:?} }}\nnoli-io = {{ path = {io:?} }}\nglam = \"0.34\"\n\n\
         [profile.dev]\nopt-level = 0\ndebug = false\n",
        noli = workspace().join("crates/noli"),
        io = workspace().join("crates/io"),
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(told)?;
    std::fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(told)?;
    let moved: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(place) => {
                let mut place = place.split(' ').map(|number| number.parse::<f64>().unwrap_or(0.0));
                let mut next = || place.next().unwrap_or(0.0);
                format!("v {} {} {}\n", next() + 1.5, next() + 0.25, next() + 0.5)
            }
            None => format!("{line}\n"),
        })
        .collect();
    std::fs::write(folder.join("a.obj"), CUBE).map_err(told)?;
    std::fs::write(folder.join("b.obj"), moved).map_err(told)
}
