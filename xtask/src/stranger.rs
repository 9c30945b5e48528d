//! The examples as a stranger would use them: in a crate of its own, outside this workspace.

use crate::{cargo, output_of, target, workspace};
use std::path::{Path, PathBuf};

/// Crates that the programs use.
const CRATES: [&str; 6] = ["noli", "noli-formats", "noli-plan", "noli-robot", "noli-scenes", "noli-sim"];

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
            command.args([folder.join("a.stl"), folder.join("b.stl")]);
        }
        let output = command.output().map_err(|error| format!("{name} does not start: {error}"))?;
        if !output.status.success() || output.stdout.is_empty() {
            return Err(format!("{name} failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    readers_are_light(&folder)?;
    Ok(format!("{} programs were built and run outside the workspace", programs.len()))
}

/// Reading a mesh file needs two crates of the project.
fn readers_are_light(folder: &Path) -> Result<(), String> {
    let mut tree = cargo();
    tree.args(["tree", "--offline", "--package", "noli-formats", "--edges", "normal", "--prefix", "none"]);
    let listed = output_of(tree.current_dir(folder))?;
    let ours =
        listed.lines().filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("noli"));
    let ours: std::collections::BTreeSet<&str> = ours.collect();
    if ours.iter().eq(&["noli-formats", "noli-geom"]) {
        return Ok(());
    }
    Err(format!("reading a mesh file needs {ours:?}; two crates were meant"))
}

fn programs() -> Result<Vec<PathBuf>, String> {
    let folder = workspace().join("examples");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut programs: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    programs.sort();
    if programs.is_empty() { Err(format!("{} holds no programs", folder.display())) } else { Ok(programs) }
}

/// A cube of edge 2 about a place, as text STL.
fn cube(place: [f64; 3]) -> String {
    let mut text = String::from("solid cube\n");
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            // Anticlockwise from outside.
            let square = [[-1.0, -side], [1.0, -side], [1.0, side], [-1.0, side]];
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                text += "facet normal 0 0 0\nouter loop\n";
                for [u, v] in [a, b, c].map(|vertex: usize| square[vertex]) {
                    let mut at = place;
                    at[axis] += side;
                    at[(axis + 1) % 3] += u;
                    at[(axis + 2) % 3] += v;
                    text += &format!("vertex {} {} {}\n", at[0], at[1], at[2]);
                }
                text += "endloop\nendfacet\n";
            }
        }
    }
    text + "endsolid cube\n"
}

/// Writes the package. It compiles quickly: the programs and their queries are small.
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
    let dependency = |name: &&str| {
        let folder = name.strip_prefix("noli-").unwrap_or(name);
        format!("{name} = {{ path = {:?} }}\n", workspace().join("crates").join(folder))
    };
    let dependencies: String = CRATES.iter().map(dependency).collect();
    let manifest = format!(
        "[package]\nname = \"stranger\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n\
         [dependencies]\nglam = \"0.34\"\n{dependencies}\n\
         [profile.dev]\nopt-level = 0\ndebug = false\n",
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(told)?;
    std::fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(told)?;
    std::fs::write(folder.join("a.stl"), cube([0.0; 3])).map_err(told)?;
    std::fs::write(folder.join("b.stl"), cube([1.5, 0.25, 0.5])).map_err(told)
}
