//! `noli scenes`: the bundled scenes, as files.

use crate::output::{self, Progress, Table, plural, write_file};
use anyhow::{Context, Result, ensure};
use noli_formats::{MeshFormat, NamedMesh};
use noli_scenes::{Assembly, Part};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// List the bundled scenes, or write one with its mesh files, to be changed and checked.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List of the entries.
    List,
    /// Write the parts as OBJ files, and a scene that places them.
    Write(Write),
}

#[derive(clap::Args)]
struct Write {
    /// One of those that `noli scenes list` shows.
    name: String,
    /// Mesh resolution: triangles grow with the square.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    detail: u32,
    /// Number of copies, placed side by side.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    copies: u32,
    /// The folder to write into; by default one called like the assembly.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.command {
        Command::List => list(),
        Command::Write(arguments) => write(arguments),
    }
}

fn list() -> Result<()> {
    let mut table = Table::new(2, ["name", "what it is", "parts", "triangles"]);
    for listed in noli_scenes::list() {
        let made = listed.make(2);
        let counts = [made.parts.len(), made.triangle_count()].map(|count| count.to_string());
        table.row([listed.name, listed.description, &counts[0], &counts[1]]);
    }
    for scene in noli_scenes::written() {
        let bodies = noli_project::parse_scene(scene.text.as_bytes())?.bodies.len();
        table.row([scene.name, scene.description, &bodies.to_string(), "-"]);
    }
    let table = table.wrapped(1..2);
    output::print(&format!("{table}\nTriangles are those of --detail 2, and grow with its square.\n"))
}

fn write(arguments: &Write) -> Result<()> {
    let Write { name, detail, copies, output } = arguments;
    if let Some(text) = noli_scenes::written().iter().find(|scene| scene.name == name) {
        ensure!(*copies == 1, "{name} is a scene as text, of which there are no copies; leave --copies out");
        let scene = new_scene(name, output.as_deref())?;
        write_file(&scene, text.text.as_bytes())?;
        let file = scene.display();
        return output::print(&format!(
            "{file}\nask about it with: noli check {file}, noli sweep {file}, noli play {file}\n"
        ));
    }
    let mut assembly = noli_scenes::assembly(name, *detail)
        .with_context(|| format!("there is no bundled scene called {name}; `noli scenes list` shows all"))?;
    if *copies > 1 {
        assembly = assembly.copies(*copies);
    }
    let files = mesh_files(&assembly);
    let text = scene_text(&assembly, &files);
    let folder = output.as_deref().unwrap_or(Path::new(name));
    let counts = format!(
        "{}, {} triangles, in {}",
        plural(assembly.parts.len(), "body", "bodies"),
        assembly.triangle_count(),
        plural(files.len(), "mesh file", "mesh files"),
    );
    let hint = format!("check them with: noli check {}\n", folder.join(format!("{name}.toml")).display());
    if is_written(&assembly, folder, name, &text)? {
        return output::print(&format!("{counts}: there already, unchanged\n{hint}"));
    }
    let scene = new_scene(name, output.as_deref())?;
    // Looked for before anything is written: a part may be someone's own file.
    let there: Vec<String> = assembly
        .parts
        .iter()
        .map(file_of)
        .filter(|file| folder.join(file).symlink_metadata().is_ok())
        .collect();
    ensure!(
        there.is_empty(),
        "{}: {} there already; move it away, or choose another folder with -o",
        folder.display(),
        if there.len() == 1 { format!("{} is", there[0]) } else { format!("{} and others are", there[0]) },
    );
    let progress = Progress::new(files.len());
    for (part, file) in meshes(&assembly) {
        progress.step("writing meshes");
        write_file(&folder.join(file), &mesh_bytes(part)?)?;
    }
    write_file(&scene, text.as_bytes())?;
    output::print(&format!("{counts}\n{hint}"))
}

/// Returns `true` if the scene and all its meshes were written before, and nothing was changed since.
fn is_written(assembly: &Assembly, folder: &Path, name: &str, text: &str) -> Result<bool> {
    let holds = |file: &str, bytes: &[u8]| std::fs::read(folder.join(file)).is_ok_and(|there| there == bytes);
    if !holds(&format!("{name}.toml"), text.as_bytes()) {
        return Ok(false);
    }
    for (part, file) in meshes(assembly) {
        if !holds(&file, &mesh_bytes(part)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the path of the scene, and creates its folder.
fn new_scene(name: &str, folder: Option<&Path>) -> Result<PathBuf> {
    let folder = folder.unwrap_or(Path::new(name));
    let scene = folder.join(format!("{name}.toml"));
    // It may have been changed by hand.
    ensure!(
        scene.symlink_metadata().is_err(),
        "{} exists; move it away, or choose another folder with -o",
        scene.display()
    );
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made; choose another folder with -o", folder.display()))?;
    Ok(scene)
}

/// The file of each mesh; copies of a part share one.
type Files = HashMap<*const glam::DVec3, String>;

fn key(part: &Part) -> *const glam::DVec3 {
    part.mesh.vertices().as_ptr()
}

fn name_of(part: &Part) -> &str {
    part.name.rsplit('/').next().unwrap_or(&part.name)
}

fn file_of(part: &Part) -> String {
    format!("{}.obj", name_of(part))
}

/// The files of all meshes, each with one of the parts that share it.
fn meshes(assembly: &Assembly) -> impl Iterator<Item = (&Part, String)> {
    let mut known = HashSet::new();
    let new = assembly.parts.iter().filter(move |part| known.insert(key(part)));
    new.map(|part| (part, file_of(part)))
}

fn mesh_files(assembly: &Assembly) -> Files {
    meshes(assembly).map(|(part, file)| (key(part), file)).collect()
}

fn mesh_bytes(part: &Part) -> Result<Vec<u8>> {
    let object = NamedMesh { name: name_of(part).to_owned(), mesh: part.mesh.clone() };
    Ok(noli_formats::write_bytes(MeshFormat::Obj, &[object])?)
}

/// The scene. Numbers are written so that they read back to the same bits: verdicts are those of the assembly itself.
fn scene_text(assembly: &Assembly, files: &Files) -> String {
    let mut text = String::from("units = \"mm\"\n");
    for part in &assembly.parts {
        let (q, t) = (part.pose.rotation, part.pose.translation);
        let _ = write!(
            text,
            "\n[[body]]\nname = {}\nfile = {}\nas = \"solid\"\n",
            quoted(&part.name),
            quoted(&files[&key(part)])
        );
        if let Some(group) = &part.group {
            let _ = writeln!(text, "group = {}", quoted(group));
        }
        let _ = writeln!(
            text,
            "pose = {{ xyz = [{:?}, {:?}, {:?}], quaternion = [{:?}, {:?}, {:?}, {:?}] }}",
            t.x, t.y, t.z, q.x, q.y, q.z, q.w
        );
    }
    text
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::quoted;

    /// JSON leaves U+007F as it is, which TOML does not allow.
    #[test]
    fn every_name_reads_back_as_toml() {
        for name in ["bolt", "a \"b\" \\c", "line\nbreak", "\u{1}\u{7f}\u{85}", "Größe 5 µm"] {
            let document: toml_edit::DocumentMut = format!("name = {}", quoted(name)).parse().unwrap();
            assert_eq!(document["name"].as_str(), Some(name));
        }
    }
}
