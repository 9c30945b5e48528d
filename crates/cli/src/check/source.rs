//! From what the user names to named meshes in place.

use super::Arguments;
use crate::output::Progress;
use anyhow::{Context, Result, bail, ensure};
use noli::{Field, Mesh, MeshKind, Pose};
use noli_geom::Shape;
use noli_io::{Check, MeshFile, MeshFormat, ReadOptions, Units};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A body before it is prepared.
pub(crate) struct Part {
    pub(crate) name: String,
    /// Number of the argument it came from.
    pub(crate) argument: usize,
    pub(crate) mesh: Mesh,
    /// What the mesh only stands for; then the mesh is for looking at.
    pub(crate) round: Option<Exact>,
    /// Surface or solid, where the scene says so.
    pub(crate) kind: Option<MeshKind>,
    pub(crate) pose: Pose,
}

/// A shape without faces.
pub(crate) enum Exact {
    Shape(Shape),
    Field(Field),
}

impl Part {
    /// A body of a scene.
    pub(crate) fn of_scene(scene: &noli_io::Scene, body: &noli_io::LoadedBody) -> Self {
        let entry = &scene.bodies[body.entry];
        let from_file = matches!(entry.shape, noli_io::Shape::File { .. });
        // The mesh of a box is the box, and its faces can be counted.
        let is_box = matches!(entry.shape, noli_io::Shape::Box { .. });
        Self {
            name: body.name.clone(),
            argument: 0,
            mesh: body.mesh.clone(),
            round: match &body.field {
                Some(field) => Some(Exact::Field(field.clone())),
                None => body.exact.clone().filter(|_| !is_box).map(Exact::Shape),
            },
            kind: entry.kind.or((!from_file).then_some(MeshKind::Solid)),
            pose: body.pose,
        }
    }
}

/// What is to be checked.
#[derive(Default)]
pub(super) struct Source {
    /// What it is called in reports.
    pub(super) title: String,
    pub(super) parts: Vec<Part>,
    /// What was odd about the files.
    pub(super) warnings: Vec<String>,
    /// Which pairs matter, as far as the scene says.
    pub(super) check: Check,
    /// The unit of lengths, where it is known.
    pub(super) units: Option<Units>,
}

/// Loads the scene, the files and folders, or the generated assembly that was asked for.
pub(super) fn load(arguments: &Arguments) -> Result<Source> {
    if let Some(name) = &arguments.demo {
        return demo(name, arguments.detail);
    }
    let options = ReadOptions { weld: arguments.weld.then_some(true) };
    let scenes = arguments.paths.iter().map(|path| scene_of(path)).collect::<Result<Vec<_>>>()?;
    match (scenes.iter().flatten().next(), arguments.paths.len()) {
        (Some(path), 1) => scene(path, &options),
        (Some(path), _) => bail!(
            "{}: a scene is checked alone; give only the scene, or add the other files to it as bodies",
            path.display()
        ),
        (None, _) => files(&arguments.paths, &options),
    }
}

fn demo(name: &str, detail: u32) -> Result<Source> {
    let written = noli_scenes::written();
    if let Some(scene) = written.iter().find(|scene| scene.name == name) {
        let path = PathBuf::from(format!("{name} (bundled)"));
        let loaded = noli_io::load_scene_text(scene.text.as_bytes(), &path, &ReadOptions::default())?;
        return Ok(of_scene(&path, loaded));
    }
    let names = || {
        let generated = noli_scenes::list().iter().map(|listed| listed.name);
        generated.chain(written.iter().map(|scene| scene.name)).collect::<Vec<_>>().join(", ")
    };
    let assembly = noli_scenes::assembly(name, detail)
        .with_context(|| format!("there is no bundled scene called {name}; there are: {}", names()))?;
    let part = |part: noli_scenes::Part| Part {
        name: part.name,
        argument: 0,
        mesh: part.mesh,
        round: None,
        kind: None,
        pose: part.pose,
    };
    let parts = assembly.parts.into_iter().map(part).collect();
    Ok(Source {
        title: format!("{name} (generated)"),
        parts,
        units: Some(Units::Millimetre),
        ..Default::default()
    })
}

/// The scene that a path means: a TOML file, or the only TOML file of a folder.
fn scene_of(path: &Path) -> Result<Option<PathBuf>> {
    if !path.is_dir() {
        return Ok(is_scene(path).then(|| path.to_owned()));
    }
    let scenes: Vec<PathBuf> = entries(path)?.into_iter().filter(|path| is_scene(path)).collect();
    match &scenes[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        [first, second, ..] => bail!(
            "{}: the folder has several scenes, such as {} and {}; name one of them",
            path.display(),
            first.display(),
            second.display()
        ),
    }
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let remedy = || format!("{}: cannot be listed; check its permissions", folder.display());
    let list = std::fs::read_dir(folder).with_context(remedy)?;
    let mut paths: Vec<PathBuf> =
        list.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(remedy)?;
    paths.sort();
    Ok(paths)
}

fn scene(path: &Path, options: &ReadOptions) -> Result<Source> {
    Ok(of_scene(path, noli_io::load_scene(path, options)?))
}

fn of_scene(path: &Path, loaded: noli_io::LoadedScene) -> Source {
    let mut warnings: Vec<String> =
        loaded.warnings.iter().map(|(path, warning)| format!("{}: {warning}", path.display())).collect();
    if !loaded.motions.is_empty() {
        warnings.push(format!(
            "{}: `check` looks at bodies where they stand; the motions are not followed",
            path.display()
        ));
    }
    let mut parts: Vec<Part> = loaded.bodies.iter().map(|body| Part::of_scene(&loaded.scene, body)).collect();
    make_unique(parts.iter_mut().map(|part| &mut part.name));
    Source {
        title: path.display().to_string(),
        parts,
        warnings,
        check: loaded.scene.check,
        units: Some(loaded.scene.units),
    }
}

/// A mesh file that was named, or found in a folder that was.
struct Named {
    path: PathBuf,
    argument: usize,
    /// What precedes the names of its objects; nothing where the file is all there is.
    label: Option<String>,
}

fn files(paths: &[PathBuf], options: &ReadOptions) -> Result<Source> {
    ensure!(!paths.is_empty(), "there is nothing to check; give a scene, mesh files, a folder, or --demo");
    let several = paths.len() > 1;
    let mut named = Vec::new();
    for (argument, path) in paths.iter().enumerate() {
        let stem = several.then(|| stem(path));
        if path.is_dir() {
            let before = named.len();
            add_folder(path, argument, stem.as_deref(), &mut named)?;
            ensure!(
                named.len() > before,
                "{}: the folder has no mesh files; give one with .obj, .stl, .off, .ply, .gltf, .glb or .dxf files",
                path.display()
            );
        } else {
            named.push(Named { path: path.clone(), argument, label: stem });
        }
    }
    let progress = Progress::new(named.len());
    let read = |file: &Named| {
        progress.step("reading files");
        noli_io::read_objects(&file.path, options)
    };
    // Collected first, so that of several errors the same one is told every time.
    let contents: Vec<_> = named.par_iter().map(read).collect();
    let contents = contents.into_iter().collect::<Result<Vec<MeshFile>, _>>()?;
    let titles: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut source = Source { title: titles.join(", "), ..Default::default() };
    for (file, contents) in named.iter().zip(contents) {
        let warnings = contents.warnings.iter();
        source.warnings.extend(warnings.map(|warning| format!("{}: {warning}", file.path.display())));
        let alone = contents.objects.len() == 1;
        source.parts.extend(contents.objects.into_iter().map(|object| Part {
            name: label(file.label.as_deref(), object.name, alone),
            argument: file.argument,
            mesh: object.mesh,
            round: None,
            kind: None,
            pose: Pose::IDENTITY,
        }));
    }
    make_unique(source.parts.iter_mut().map(|part| &mut part.name));
    Ok(source)
}

/// The mesh files of a folder and of those in it. Links to folders are not followed: they may go in circles.
fn add_folder(folder: &Path, argument: usize, label: Option<&str>, named: &mut Vec<Named>) -> Result<()> {
    for path in entries(folder)? {
        let below = |name: String| label.map_or_else(|| name.clone(), |label| format!("{label}/{name}"));
        if path.is_dir() {
            if !path.is_symlink() {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                add_folder(&path, argument, Some(&below(name)), named)?;
            }
        } else if MeshFormat::from_extension(&path).is_some() {
            let label = Some(below(stem(&path)));
            named.push(Named { path, argument, label });
        }
    }
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// What an object is called: the file matters if there are several, the object if the file has several.
fn label(file: Option<&str>, object: String, alone: bool) -> String {
    match (file, alone) {
        (None, _) => object,
        (Some(file), true) => file.to_owned(),
        (Some(file), false) => format!("{file}/{object}"),
    }
}

fn make_unique<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for name in names {
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *name += &format!("#{times}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let mut names = ["cube", "ball", "cube", "cube"].map(str::to_owned);
        make_unique(names.iter_mut());
        assert_eq!(names, ["cube", "ball", "cube#2", "cube#3"]);
    }
}
