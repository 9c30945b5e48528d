//! What a user names, as a scene: a scene file, mesh files, folders of them, or a bundled assembly.

use crate::scene::{
    Body, Group, LoadedBody, LoadedScene, Shape, Units, load_scene, load_scene_text, make_unique,
};
use crate::{FileError, MeshFile, MeshFormat, Place, ReadOptions, read_objects};
use noli_geom::Pose;
use std::path::{Path, PathBuf};

/// A scene, and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What it is called in reports.
    pub title: String,
    /// The bodies. Those of mesh files are in groups by the path that they came from.
    pub scene: LoadedScene,
    /// The unit of lengths; `None` where files do not say.
    pub units: Option<Units>,
}

/// How sources are opened.
#[derive(Clone, Copy, Default)]
pub struct OpenOptions<'a> {
    /// How mesh files are read.
    pub read: ReadOptions,
    /// Told for every mesh file how many have been begun, and how many there are. Called by all threads.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Opens a scene alone, or mesh files and folders of them. Every object of a mesh file is a body.
pub fn open_paths(paths: &[PathBuf], options: &OpenOptions<'_>) -> Result<Source, FileError> {
    let scenes = paths.iter().map(|path| scene_of(path)).collect::<Result<Vec<_>, _>>()?;
    match scenes.iter().flatten().next() {
        Some(path) if paths.len() == 1 => {
            let scene = load_scene(path, &options.read)?;
            let units = Some(scene.scene.units);
            Ok(Source { title: path.display().to_string(), scene, units })
        }
        Some(path) => {
            let remedy = "give only the scene, or add the other files to it as bodies";
            Err(whole(path, "a scene is checked alone", remedy))
        }
        None => files(paths, options),
    }
}

/// Opens a bundled scene, or generates a bundled assembly, by its name in [`bundled_names`].
pub fn open_bundled(name: &str, detail: u32) -> Result<Source, FileError> {
    if let Some(written) = noli_scenes::written().iter().find(|scene| scene.name == name) {
        let path = PathBuf::from(format!("{name} (bundled)"));
        let scene = load_scene_text(written.text.as_bytes(), &path, &ReadOptions::default())?;
        let units = Some(scene.scene.units);
        return Ok(Source { title: path.display().to_string(), scene, units });
    }
    let assembly = noli_scenes::assembly(name, detail).ok_or_else(|| {
        let reason = format!("there is no bundled scene called {name}");
        FileError::new(Place::Whole, reason, format!("there are: {}", bundled_names().join(", ")))
    })?;
    let scene = LoadedScene::of_assembly(&assembly, detail);
    Ok(Source { title: format!("{name} (generated)"), scene, units: Some(Units::Millimetre) })
}

/// The scenes and assemblies that come with noli.
pub fn bundled_names() -> Vec<&'static str> {
    let generated = noli_scenes::list().iter().map(|listed| listed.name);
    generated.chain(noli_scenes::written().iter().map(|scene| scene.name)).collect()
}

fn whole(path: &Path, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
    FileError::new(Place::Whole, reason, remedy).in_file(path)
}

impl LoadedScene {
    /// The parts of a generated assembly. Nobody says whether they are solids.
    pub fn of_assembly(assembly: &noli_scenes::Assembly, detail: u32) -> Self {
        let mut scene = Self::default();
        for part in &assembly.parts {
            let of = Shape::Generated { scene: assembly.name.clone(), part: Some(part.name.clone()), detail };
            scene.add(part.name.clone(), of, part.mesh.clone(), part.pose);
        }
        scene
    }

    /// Another body, of which nobody says whether it is a solid.
    fn add(&mut self, name: String, shape: Shape, mesh: noli_geom::Mesh, pose: Pose) {
        let entry = self.scene.bodies.len();
        let written =
            Body { name: name.clone(), shape, kind: None, parent: None, pose, split: false, line: 0 };
        self.scene.bodies.push(written);
        let shape = noli::Shape::from(mesh.clone());
        self.bodies.push(LoadedBody { name, entry, shape, look: mesh, kind: None, pose, group: None });
    }
}

/// The scene that a path means: a TOML file, or the only TOML file of a folder.
fn scene_of(path: &Path) -> Result<Option<PathBuf>, FileError> {
    if !path.is_dir() {
        return Ok(is_scene(path).then(|| path.to_owned()));
    }
    let scenes: Vec<PathBuf> = entries(path)?.into_iter().filter(|path| is_scene(path)).collect();
    match &scenes[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        [first, second, ..] => {
            let reason = format!(
                "the folder has several scenes, such as {} and {}",
                first.display(),
                second.display()
            );
            Err(whole(path, reason, "name one of them"))
        }
    }
}

fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = list()
        .map_err(|error| whole(folder, format!("cannot be listed: {error}"), "check its permissions"))?;
    paths.sort();
    Ok(paths)
}

/// A mesh file that was named, or found in a folder that was.
struct Named {
    path: PathBuf,
    /// Number of the path that it came from.
    argument: usize,
    /// What precedes the names of its objects; `None` if the file is all there is.
    label: Option<String>,
}

fn files(paths: &[PathBuf], options: &OpenOptions<'_>) -> Result<Source, FileError> {
    if paths.is_empty() {
        let reason = "there is nothing to check";
        return Err(FileError::new(Place::Whole, reason, "give a scene, mesh files, a folder, or --demo"));
    }
    let named = find(paths)?;
    let begun = std::sync::atomic::AtomicUsize::new(0);
    let read = |file: &Named| {
        if let Some(progress) = options.progress {
            progress(begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, named.len());
        }
        read_objects(&file.path, &options.read)
    };
    // Collected first, so that of several errors the same one is told every time.
    let contents = crate::stage::map(&named, read).into_iter().collect::<Result<Vec<MeshFile>, _>>()?;
    let titles: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut scene = LoadedScene::default();
    let group = |(number, title): (usize, &String)| Group {
        // A path may be given twice, and is then two assemblies.
        name: format!("{} {title}", number + 1),
        bodies: Vec::new(),
    };
    scene.scene.groups = titles.iter().enumerate().map(group).collect();
    for (file, contents) in named.iter().zip(contents) {
        scene.warnings.extend(contents.warnings.into_iter().map(|warning| (file.path.clone(), warning)));
        let alone = contents.objects.len() == 1;
        for object in contents.objects {
            let shape = Shape::File {
                path: file.path.clone(),
                object: (!alone).then(|| object.name.clone()),
                units: Units::default(),
            };
            let name = label(file.label.as_deref(), object.name, alone);
            scene.scene.groups[file.argument].bodies.push(scene.bodies.len());
            scene.add(name, shape, object.mesh, Pose::IDENTITY);
            if let Some(body) = scene.bodies.last_mut() {
                body.group = Some(file.argument);
            }
        }
    }
    make_unique(scene.bodies.iter_mut().map(|body| &mut body.name));
    for (entry, body) in scene.scene.bodies.iter_mut().zip(&scene.bodies) {
        entry.name.clone_from(&body.name);
    }
    Ok(Source { title: titles.join(", "), scene, units: None })
}

/// The mesh files that paths mean.
fn find(paths: &[PathBuf]) -> Result<Vec<Named>, FileError> {
    let mut named = Vec::new();
    for (argument, path) in paths.iter().enumerate() {
        let stem = (paths.len() > 1).then(|| stem(path));
        if !path.is_dir() {
            named.push(Named { path: path.clone(), argument, label: stem });
            continue;
        }
        let before = named.len();
        add_folder(path, argument, stem.as_deref(), &mut named)?;
        if named.len() == before {
            let remedy = "give one with .obj, .stl, .off, .ply, .gltf, .glb or .dxf files";
            return Err(whole(path, "the folder has no mesh files", remedy));
        }
    }
    Ok(named)
}

/// The mesh files of a folder and of those in it. Links to folders are not followed: they may go in circles.
fn add_folder(
    folder: &Path,
    argument: usize,
    label: Option<&str>,
    named: &mut Vec<Named>,
) -> Result<(), FileError> {
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
