//! Sources named by the user, opened as a scene: a scene file, mesh files, folders of them, or a bundled
//! assembly.

use super::cloud::{CloudOptions, cloud_mesh, load_cloud};
use super::found::{Found, Named, cannot_read, entries, find, shown, stem, unreadable, whole};
use super::scene::{LoadedBody, LoadedScene, load_scene, load_scene_text};
use super::unique_names::make_unique;
use super::units_check::out_of_proportion;
use crate::data::scene::{Body, FieldSource, Group, MotionPath, SceneMotion, Shape};
use crate::parallel::map;
use noli_formats::{
    CurvedBody, FileError, MeshFile, Place, ReadOptions, Units, Warning, defined_units, is_point_file,
    read_objects,
};
use noli_geom::{Aabb, Mesh, PointCloud, Pose};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Most warnings about units.
const MOST_WARNINGS: usize = 5;

/// A scene, and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its title in reports.
    pub title: String,
    /// The bodies. Those of mesh files are in groups by the path that they came from.
    pub scene: LoadedScene,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// `true` if it was created from mesh files, each path of which is a separate assembly.
    pub is_files: bool,
    /// All files that were read: what an output must not overwrite.
    pub inputs: Vec<PathBuf>,
}

/// Options for opening sources.
#[derive(Clone, Copy, Default)]
pub struct OpenOptions<'a> {
    /// Options for reading mesh files.
    pub read: ReadOptions,
    /// Radius and thinning of point clouds, in the unit of the files.
    pub cloud: CloudOptions,
    /// Unit of answers about mesh files, and of the files except glTF, which is in metres and converted. `None`
    /// converts nothing. A scene defines its own unit.
    pub units: Option<Units>,
    /// `true` if unreadable files of a folder that resemble 3D models are left out, with a warning. They are an
    /// error otherwise: files that were not tested must not appear clean.
    pub leave_out: bool,
    /// Progress callback for every mesh file: the number of files begun, and the total. Called by all threads.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Opens a scene alone, or mesh files and folders of them. Every object of a mesh file is a body.
pub fn open_paths(paths: &[PathBuf], options: &OpenOptions<'_>) -> Result<Source, FileError> {
    let scenes = paths.iter().map(|path| scene_of(path)).collect::<Result<Vec<_>, _>>()?;
    match scenes.iter().flatten().next() {
        Some(path) if paths.len() == 1 => {
            if options.units.is_some() {
                return Err(whole(
                    path,
                    "a scene says its unit itself",
                    "drop --units, or change `units` in the scene",
                ));
            }
            let scene = load_scene(path, &options.read)?;
            let units = Some(scene.scene.units);
            let mut inputs = vec![path.clone()];
            inputs.extend(scene.files(path));
            Ok(Source { title: shown(path), scene, units, is_files: false, inputs })
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
        return Ok(Source { title: shown(&path), scene, units, is_files: false, inputs: Vec::new() });
    }
    let assembly = noli_scenes::assembly(name, detail).ok_or_else(|| {
        let reason = format!("there is no bundled scene called {name}");
        FileError::new(Place::Whole, reason, format!("there are: {}", bundled_names().join(", ")))
    })?;
    let scene = LoadedScene::of_assembly(&assembly, detail);
    let (title, units) = (format!("{name} (generated)"), Some(Units::Millimetre));
    Ok(Source { title, scene, units, is_files: false, inputs: Vec::new() })
}

/// The scenes and assemblies that come with noli.
pub fn bundled_names() -> Vec<&'static str> {
    let generated = noli_scenes::list().iter().map(|listed| listed.name);
    generated.chain(noli_scenes::written().iter().map(|scene| scene.name)).collect()
}

impl LoadedScene {
    /// The files that the scene at this path names.
    pub fn files(&self, scene_path: &Path) -> Vec<PathBuf> {
        let folder = scene_path.parent().unwrap_or(Path::new(""));
        let of_body = |body: &Body| match &body.shape {
            Shape::File { path, .. }
            | Shape::Points { path, .. }
            | Shape::Grid { path, .. }
            | Shape::Field { source: FieldSource::File(path), .. } => Some(folder.join(path)),
            _ => None,
        };
        let of_motion = |motion: &SceneMotion| match &motion.path {
            MotionPath::PoseList { path, .. } => Some(folder.join(path)),
            _ => None,
        };
        let bodies = self.scene.bodies.iter().filter_map(of_body);
        bodies.chain(self.scene.motions.iter().filter_map(of_motion)).collect()
    }

    /// Creates a scene from a generated assembly; solid or surface is left open.
    pub fn of_assembly(assembly: &noli_scenes::Assembly, detail: u32) -> Self {
        let mut scene = Self::default();
        for part in &assembly.parts {
            let of = Shape::Generated { scene: assembly.name.clone(), part: Some(part.name.clone()), detail };
            scene.add(part.name.clone(), of, part.mesh.clone(), part.pose);
        }
        scene
    }

    /// Adds the point cloud of a file, and returns its box.
    fn add_cloud(&mut self, file: &Named, cloud: PointCloud, units: Units) -> Aabb {
        let extent = cloud.aabb();
        let shape =
            Shape::Points { path: file.path.clone(), radius: Some(cloud.radius()), thin: None, units };
        let name = label(file.label.as_deref(), stem(&file.path), true);
        if let Some(body) = self.add_of(file, name, shape, cloud_mesh(&cloud)) {
            body.shape = cloud.into();
        }
        extent
    }

    /// Adds the objects of a file, converted to these units if it defines its own, and returns their box.
    fn add_meshes(
        &mut self,
        file: &Named,
        contents: MeshFile,
        units: Option<Units>,
    ) -> Result<Aabb, FileError> {
        let alone = contents.objects.len() == 1;
        let units_of_both = defined_units(&file.path).zip(units);
        let uncertainty = units_of_both
            .map_or(contents.uncertainty, |(own, wanted)| own.convert(contents.uncertainty, wanted));
        let mut extent = Aabb::EMPTY;
        let millimetre = units_of_both.map_or(1.0, |(own, wanted)| own.convert(1.0, wanted));
        let mut curved = contents.curved.into_iter().map(|body| CurvedBody { millimetre, ..body });
        for object in contents.objects {
            let mut mesh = object.mesh;
            if let Some((own, wanted)) = units_of_both.filter(|(own, wanted)| own != wanted) {
                let vertices = mesh.vertices().iter().map(|v| v.map(|x| own.convert(x, wanted))).collect();
                let moved = mesh.with_vertices(vertices);
                mesh = moved.map_err(|error| whole(&file.path, error.to_string(), "choose a larger unit"))?;
            }
            extent = extent.union(mesh.aabb());
            let shape = Shape::File {
                path: file.path.clone(),
                object: (!alone).then(|| object.name.clone()),
                units: units.unwrap_or_default(),
            };
            let name = label(file.label.as_deref(), object.name, alone);
            if let Some(body) = self.add_of(file, name, shape, mesh) {
                (body.uncertainty, body.curved) = (uncertainty, curved.next());
            }
        }
        Ok(extent)
    }

    /// Adds a body of a file to the group of the path that the file came from.
    fn add_of(&mut self, file: &Named, name: String, shape: Shape, mesh: Mesh) -> Option<&mut LoadedBody> {
        if let Some(group) = self.scene.groups.get_mut(file.argument) {
            group.bodies.push(self.bodies.len());
        }
        self.add(name, shape, mesh, Pose::IDENTITY);
        let body = self.bodies.last_mut()?;
        body.group = Some(file.argument);
        Some(body)
    }

    /// Adds a body whose interpretation as a solid is left open.
    fn add(&mut self, name: String, shape: Shape, mesh: Mesh, pose: Pose) {
        let entry = self.scene.bodies.len();
        let written = Body {
            name: name.clone(),
            shape,
            kind: None,
            parent: None,
            pose,
            split: false,
            shells: false,
            physics: Default::default(),
            line: 0,
        };
        self.scene.bodies.push(written);
        let shape = noli::Shape::from(mesh.clone());
        self.bodies.push(LoadedBody {
            name,
            entry,
            shape,
            look: mesh,
            kind: None,
            pose,
            group: None,
            uncertainty: 0.0,
            curved: None,
            cells: None,
        });
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

/// Content of a file.
enum Content {
    Meshes(MeshFile),
    Points((PointCloud, Vec<Warning>)),
}

fn files(paths: &[PathBuf], options: &OpenOptions<'_>) -> Result<Source, FileError> {
    if paths.is_empty() {
        let reason = "there is nothing to check";
        return Err(FileError::new(Place::Whole, reason, "give a scene, mesh files, a folder, or --demo"));
    }
    let Found { named, unread, .. } = find(paths, options.leave_out)?;
    if let (Some(first), false) = (unread.first(), options.leave_out) {
        return Err(cannot_read(first, &unread));
    }
    // Collected first, so that of several errors the same one is reported every time.
    let contents = read_all(&named, options);
    let (named, contents, faulty) = if options.leave_out {
        readable(named, contents)?
    } else {
        (named, contents.into_iter().collect::<Result<Vec<_>, _>>()?, Vec::new())
    };
    let titles: Vec<String> = paths.iter().map(|path| shown(path)).collect();
    let mut scene = LoadedScene::default();
    let left_out = |path: PathBuf| {
        let text = format!("left out: {}", unreadable(&path).0);
        (path, Warning { place: Place::Whole, text })
    };
    scene.warnings.extend(unread.into_iter().map(left_out));
    scene.warnings.extend(faulty);
    let group = |(number, title): (usize, &String)| Group {
        // A path may be given twice, and is then two assemblies.
        name: format!("{} {title}", number.saturating_add(1)),
        bodies: Vec::new(),
        patterns: Vec::new(),
    };
    scene.scene.groups = titles.iter().enumerate().map(group).collect();
    let units = units_of(&named, options.units, &mut scene);
    let mut extents = Vec::new();
    for (file, contents) in named.iter().zip(contents) {
        let (Content::Meshes(MeshFile { warnings, .. }) | Content::Points((_, warnings))) = &contents;
        scene.warnings.extend(warnings.iter().map(|warning| (file.path.clone(), warning.clone())));
        let extent = match contents {
            Content::Meshes(contents) => scene.add_meshes(file, contents, units)?,
            Content::Points((cloud, _)) => scene.add_cloud(file, cloud, units.unwrap_or_default()),
        };
        extents.push((&file.path, extent));
    }
    warn_of_units(&extents, &mut scene);
    make_unique(scene.bodies.iter_mut().map(|body| &mut body.name));
    for (entry, body) in scene.scene.bodies.iter_mut().zip(&scene.bodies) {
        entry.name.clone_from(&body.name);
    }
    let inputs = named.into_iter().map(|file| file.path).collect();
    Ok(Source { title: titles.join(", "), scene, units, is_files: true, inputs })
}

/// Reads files on all threads.
fn read_all(named: &[Named], options: &OpenOptions<'_>) -> Vec<Result<Content, FileError>> {
    let begun = AtomicUsize::new(0);
    map(named, |file: &Named| {
        if let Some(progress) = options.progress {
            progress(begun.fetch_add(1, Relaxed).saturating_add(1), named.len());
        }
        match is_point_file(&file.path) {
            true => load_cloud(&file.path, &options.cloud).map(Content::Points),
            false => read_objects(&file.path, &options.read).map(Content::Meshes),
        }
    })
}

/// Files with their contents, and a warning for each that was left out.
type Readable = (Vec<Named>, Vec<Content>, Vec<(PathBuf, Warning)>);

/// Leaves out files whose content cannot be read; if none can, the first error is returned.
fn readable(named: Vec<Named>, contents: Vec<Result<Content, FileError>>) -> Result<Readable, FileError> {
    let (mut kept, mut read, mut faulty, mut first) = (Vec::new(), Vec::new(), Vec::new(), None);
    for (file, contents) in named.into_iter().zip(contents) {
        match contents {
            Ok(contents) => {
                kept.push(file);
                read.push(contents);
            }
            Err(error) => {
                let text = format!("left out: {}", error.reason);
                faulty.push((file.path, Warning { place: error.place, text }));
                first = first.or(Some(error));
            }
        }
    }
    match first {
        Some(error) if kept.is_empty() => Err(error),
        _ => Ok((kept, read, faulty)),
    }
}

/// Returns the unit of answers: the requested one, or that of the first file if all files define theirs. If
/// only some do, a warning is added.
fn units_of(named: &[Named], asked: Option<Units>, scene: &mut LoadedScene) -> Option<Units> {
    let said = named.iter().find_map(|file| Some((file, defined_units(&file.path)?)));
    let Some((first, units)) = said else { return asked };
    let other = named.iter().find(|file| defined_units(&file.path).is_none());
    let (None, Some(other)) = (asked, other) else { return asked.or(Some(units)) };
    let text = format!(
        "it is in {}, and {} does not say its unit: both are taken as they are; give --units to convert",
        match units {
            Units::Metre => "metres",
            _ => "millimetres",
        },
        shown(&other.path)
    );
    scene.warnings.push((first.path.clone(), Warning { place: Place::Whole, text }));
    None
}

/// Warns of files whose size or place is mostly a matter of units.
fn warn_of_units(extents: &[(&PathBuf, Aabb)], scene: &mut LoadedScene) {
    let boxes: Vec<Aabb> = extents.iter().map(|(_, extent)| *extent).collect();
    let name = |number: usize| extents.get(number).map_or(String::new(), |(path, _)| shown(path));
    for (number, text) in out_of_proportion(&boxes, name).into_iter().take(MOST_WARNINGS) {
        let Some((path, _)) = extents.get(number) else { continue };
        scene.warnings.push(((*path).clone(), Warning { place: Place::Whole, text }));
    }
}

/// Returns the name of an object: with the file if there are several, with the object if the file has several.
fn label(file: Option<&str>, object: String, alone: bool) -> String {
    match (file, alone) {
        (None, _) => object,
        (Some(file), true) => file.to_owned(),
        (Some(file), false) => format!("{file}/{object}"),
    }
}
