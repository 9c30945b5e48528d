//! Scenes with the files they name.

mod loaded;
mod shapes;

pub use loaded::{LoadedBody, LoadedMotion, LoadedScene};
pub(crate) use shapes::capsule;

use super::cloud::{CloudOptions, cloud_mesh, load_cloud};
use super::field;
use super::grid::{LoadedGrid, grid_mesh, load_grid};
use super::unique_names::make_unique;
use crate::data::generated;
use crate::data::scene::body_names::require_all;
use crate::data::scene::{
    Body, KeyFrame, MotionPath, Mover, Scene, SceneMotion, Shape, parse_poses, parse_scene,
};
use crate::data::suggest::shortened;
use noli_formats::{
    CurvedBody, FileError, MeshFile, NamedMesh, Place, ReadOptions, Units, UnknownCells, Warning, bytes_of,
    read_objects, refuse_stream, shells,
};
use noli_geom::{Mesh, MeshError, MeshKind, Pose};
use noli_grid::ObstacleCells;
use noli_implicit::FieldQuery;
use noli_scenes::Assembly;
use shapes::{exact, joined, object_called, primitive};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Number of cells searched for a point of a formula.
const FEW_CELLS: u64 = 20_000;

/// Reads a scene and all files it names.
pub fn load_scene(path: impl AsRef<Path>, options: &ReadOptions) -> Result<LoadedScene, FileError> {
    let path = path.as_ref();
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    load_scene_text(&bytes, path, options)
}

/// [`load_scene`] of a text in memory, as if it stood in a file at this path.
pub fn load_scene_text(text: &[u8], path: &Path, options: &ReadOptions) -> Result<LoadedScene, FileError> {
    let scene = parse_scene(text).map_err(|error| error.in_file(path))?;
    load_parsed(scene, path, options)
}

/// The files that a scene names.
pub(crate) fn load_parsed(
    scene: Scene,
    path: &Path,
    options: &ReadOptions,
) -> Result<LoadedScene, FileError> {
    let mut loader = Loader {
        scene_path: path,
        options,
        files: HashMap::new(),
        assemblies: HashMap::new(),
        joined: HashMap::new(),
        shells: Vec::new(),
        converted: HashMap::new(),
        warnings: Vec::new(),
    };
    loader.load(scene)
}

/// Content read so far.
struct Loader<'a> {
    scene_path: &'a Path,
    options: &'a ReadOptions,
    /// The files, by path.
    files: HashMap<PathBuf, Rc<Contents>>,
    assemblies: HashMap<(String, u32), Rc<Assembly>>,
    /// All objects of a file as one mesh, by path.
    joined: HashMap<PathBuf, Mesh>,
    /// Parts of files that were split further.
    shells: Vec<Rc<Contents>>,
    /// Meshes in the scene's unit, by where the vertices of the original lie (all originals stay in memory
    /// while a scene is loaded) and its unit: bodies made of the same mesh share it.
    converted: HashMap<(*const glam::DVec3, Units), Mesh>,
    /// Those of point clouds.
    warnings: Vec<(PathBuf, Warning)>,
}

struct Contents {
    objects: Vec<NamedMesh>,
    warnings: Vec<Warning>,
    uncertainty: f64,
    /// Curved surfaces of the objects, or none.
    curved: Vec<CurvedBody>,
}

impl Contents {
    /// The curved surfaces of an object, for use in another unit.
    fn curved(&self, number: usize, [own, wanted]: [Units; 2]) -> Option<CurvedBody> {
        let found = self.curved.get(number)?.clone();
        Some(CurvedBody { millimetre: own.convert(1.0, wanted), ..found })
    }
}

/// A mesh of a body, the shape it represents, and the suffixes of the body's name and pose.
struct Piece {
    suffix: Option<String>,
    mesh: Mesh,
    exact: Option<noli::Shape>,
    pose: Pose,
    /// Of its surface, in the unit of the scene.
    uncertainty: f64,
    curved: Option<CurvedBody>,
    cells: Option<Arc<ObstacleCells>>,
}

impl Piece {
    /// All of a body, which is this mesh.
    fn of(mesh: Mesh) -> Self {
        let (suffix, exact, curved, cells) = (None, None, None, None);
        Self { suffix, mesh, exact, pose: Pose::IDENTITY, uncertainty: 0.0, curved, cells }
    }
}

impl Loader<'_> {
    fn load(&mut self, scene: Scene) -> Result<LoadedScene, FileError> {
        let mut group_of = vec![None; scene.bodies.len()];
        for (number, group) in scene.groups.iter().enumerate() {
            for body in &group.bodies {
                group_of.get_mut(*body).into_iter().for_each(|of| *of = Some(number));
            }
        }
        let mut bodies = Vec::new();
        for (entry, body) in scene.bodies.iter().enumerate() {
            let pose = scene.world_pose(entry);
            self.check_pose(body, &pose)?;
            for piece in self.pieces(body, scene.units)? {
                let name = piece
                    .suffix
                    .map_or_else(|| body.name.clone(), |suffix| format!("{}/{suffix}", body.name));
                let from_file = matches!(body.shape, Shape::File { .. });
                let kind = body.kind.or((!from_file).then_some(MeshKind::Solid));
                let look = piece.mesh.with_kind(kind.unwrap_or(MeshKind::Surface));
                let exact = piece.exact.filter(|_| kind != Some(MeshKind::Surface));
                let shape = exact.unwrap_or_else(|| look.clone().into());
                let (pose, group) = (pose * piece.pose, group_of.get(entry).copied().flatten());
                let Piece { uncertainty, curved, cells, .. } = piece;
                bodies.push(LoadedBody {
                    name,
                    entry,
                    shape,
                    look,
                    kind,
                    pose,
                    group,
                    uncertainty,
                    curved,
                    cells,
                });
            }
        }
        make_unique(bodies.iter_mut().map(|body| &mut body.name));
        let here = |error: FileError| error.in_file(self.scene_path);
        require_all(&scene.named, || bodies.iter().map(|body| body.name.as_str())).map_err(here)?;
        join_groups(&scene, &mut bodies).map_err(here)?;
        let motions = scene.motions.iter().map(|motion| self.motion(motion, &scene, &bodies));
        let motions: Vec<LoadedMotion> = motions.collect::<Result<_, _>>()?;
        moved_once(&motions, &bodies).map_err(here)?;
        let way = |motion: &SceneMotion| self.motion(motion, &scene, &bodies);
        let paths = scene.removals.iter().map(|removal| removal.motion.as_ref().map(way).transpose());
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        let mut warnings = std::mem::take(&mut self.warnings);
        for (path, contents) in &self.files {
            warnings.extend(contents.warnings.iter().map(|warning| (path.clone(), warning.clone())));
        }
        warnings.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(LoadedScene { scene, bodies, motions, paths, warnings })
    }

    fn error(&self, body: &Body, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
        FileError::new(Place::Line(body.line), reason, remedy).in_file(self.scene_path)
    }

    fn check_pose(&self, body: &Body, pose: &Pose) -> Result<(), FileError> {
        if pose.is_valid() {
            return Ok(());
        }
        let reason = format!("body `{}` ends up too far away", body.name);
        Err(self.error(body, reason, "check its pose and those of its parents"))
    }

    fn path_of(&self, relative: &Path) -> PathBuf {
        self.scene_path.parent().unwrap_or(Path::new("")).join(relative)
    }

    fn pieces(&mut self, body: &Body, units: Units) -> Result<Vec<Piece>, FileError> {
        match &body.shape {
            Shape::File { path, object, units: own } => {
                self.file(body, path, object.as_deref(), [*own, units])
            }
            Shape::Generated { scene, part, detail } => {
                self.generated(body, (scene, *detail), part.as_deref(), [Units::Millimetre, units])
            }
            Shape::Points { path, radius, thin, units: own } => {
                let lengths = [*radius, *thin];
                self.points(body, path, lengths, [*own, units]).map(|piece| vec![piece])
            }
            Shape::Grid { path, unknown } => self.grid(body, path, *unknown, units).map(|piece| vec![piece]),
            Shape::Field { source, bounds, units: own, cells } => {
                let field = field::read(source, |path| self.path_of(path)).map_err(|error| {
                    if error.path.is_some() { error } else { error.in_file(self.scene_path) }
                })?;
                let field = field::cut(field, *bounds);
                if !field.is_bounded() {
                    let reason = format!("the formula of body `{}` is not proven to end", body.name);
                    return Err(self.error(
                        body,
                        reason,
                        "add `bounds = [[x, y, z], [x, y, z]]` around what is meant",
                    ));
                }
                if field.is_empty(&FieldQuery { cells: FEW_CELLS, ..Default::default() }) == Some(true) {
                    let place = if bounds.is_some() { " inside its bounds" } else { "" };
                    return Err(self.error(
                        body,
                        format!("the formula of body `{}` has no point{place}", body.name),
                        "inside is where the formula holds, or where its value is zero or negative",
                    ));
                }
                let field = if *own == units { field } else { field.scaled(own.convert(1.0, units)) };
                let mesh = self.mesh(body, field::drawn(&field, *cells))?;
                Ok(vec![Piece { exact: Some(field.into()), ..Piece::of(mesh) }])
            }
            shape => {
                let mesh = self.mesh(body, primitive(shape))?;
                let exact = exact(shape)
                    .map_err(|error| self.error(body, error.to_string(), "give it an ordinary size"))?;
                Ok(vec![Piece { exact, ..Piece::of(mesh) }])
            }
        }
    }

    /// A point cloud in the unit of the scene, in which its radius and distance of thinning are given.
    fn points(
        &mut self,
        body: &Body,
        path: &Path,
        [radius, thin]: [Option<f64>; 2],
        [own, wanted]: [Units; 2],
    ) -> Result<Piece, FileError> {
        let path = self.path_of(path);
        refuse_stream(&path)?;
        let in_file = |length: f64| if own == wanted { length } else { wanted.convert(length, own) };
        let options =
            CloudOptions { radius: radius.map(in_file), thin: thin.map(in_file), ..CloudOptions::default() };
        let (mut cloud, warnings) = load_cloud(&path, &options)?;
        self.warnings.extend(warnings.into_iter().map(|warning| (path.clone(), warning)));
        if own != wanted {
            let scaled = cloud.scaled(own.convert(1.0, wanted));
            cloud = scaled.map_err(|error| self.error(body, error.to_string(), "check the units"))?;
        }
        Ok(Piece { exact: Some(cloud.clone().into()), ..Piece::of(cloud_mesh(&cloud)) })
    }

    /// The cells of a grid in the unit of the scene.
    fn grid(
        &mut self,
        body: &Body,
        path: &Path,
        unknown: UnknownCells,
        units: Units,
    ) -> Result<Piece, FileError> {
        let path = self.path_of(path);
        refuse_stream(&path)?;
        let LoadedGrid { cells, frame, warning } = load_grid(&path, unknown)?;
        self.warnings.push((path, warning));
        if cells.counts() == [0, 0] {
            let reason = format!("no cell of body `{}` is an obstacle", body.name);
            return Err(self.error(body, reason, "check its file, or drop the body"));
        }
        let factor = Units::Metre.convert(1.0, units);
        let cells = cells.scaled(factor);
        let shape = cells
            .voxels()
            .map_err(|error| self.error(body, error.to_string(), "check the size of its cells"))?;
        let pose = Pose::new(frame.rotation, frame.translation * factor);
        let piece = Piece::of(grid_mesh(&cells));
        Ok(Piece { exact: Some(shape.into()), pose, cells: Some(Arc::new(cells)), ..piece })
    }

    fn mesh(&self, body: &Body, made: Result<Mesh, MeshError>) -> Result<Mesh, FileError> {
        made.map_err(|error| self.error(body, error.to_string(), "give it an ordinary size"))
    }

    /// The mesh in another unit.
    fn converted(&mut self, body: &Body, mesh: &Mesh, [own, wanted]: [Units; 2]) -> Result<Mesh, FileError> {
        if own == wanted {
            return Ok(mesh.clone());
        }
        let key = (mesh.vertices().as_ptr(), own);
        if let Some(converted) = self.converted.get(&key) {
            return Ok(converted.clone());
        }
        let vertices = mesh.vertices().iter().map(|v| v.map(|x| own.convert(x, wanted))).collect();
        let remedy = "check the units of the file and of the scene";
        let converted =
            mesh.with_vertices(vertices).map_err(|error| self.error(body, error.to_string(), remedy))?;
        self.converted.insert(key, converted.clone());
        Ok(converted)
    }

    fn file(
        &mut self,
        body: &Body,
        path: &Path,
        object: Option<&str>,
        units: [Units; 2],
    ) -> Result<Vec<Piece>, FileError> {
        let contents = self.contents(body, path)?;
        let uncertainty = units[0].convert(contents.uncertainty, units[1]);
        let piece = |mesh: Mesh| Piece { uncertainty, ..Piece::of(mesh) };
        if let Some(object) = object {
            let Some(found) = object_called(object, &contents.objects) else {
                return Err(self.no_such_object(body, path, &contents));
            };
            let number = contents.objects.iter().position(|object| object.name == found.name);
            let curved = number.and_then(|number| contents.curved(number, units));
            let mesh = self.converted(body, &found.mesh, units)?;
            return Ok(vec![Piece { curved, ..piece(mesh) }]);
        }
        if !body.split {
            let joined = self.joined(body, path, &contents)?;
            let curved = if contents.objects.len() == 1 { contents.curved(0, units) } else { None };
            let mesh = self.converted(body, &joined, units)?;
            return Ok(vec![Piece { curved, ..piece(mesh) }]);
        }
        let shells = body.shells.then(|| {
            let shells = contents.objects.iter().cloned().map(shells).collect::<Result<Vec<_>, _>>();
            shells.map_err(|error| self.error(body, error.to_string(), "drop `split`"))
        });
        let shells: Option<Vec<NamedMesh>> =
            shells.transpose()?.map(|shells| shells.into_iter().flatten().collect());
        // The conversions below are remembered by where vertices lie, so these must stay.
        let objects = shells.map_or_else(|| contents.clone(), |objects| self.keep(objects));
        let named = |(number, found): (usize, &NamedMesh)| {
            let mesh = self.converted(body, &found.mesh, units)?;
            let curved = objects.curved(number, units);
            Ok(Piece { suffix: Some(found.name.clone()), curved, ..piece(mesh) })
        };
        objects.objects.iter().enumerate().map(named).collect()
    }

    /// Objects that stay in memory while the scene is loaded.
    fn keep(&mut self, objects: Vec<NamedMesh>) -> Rc<Contents> {
        let kept = Rc::new(Contents { objects, warnings: Vec::new(), uncertainty: 0.0, curved: Vec::new() });
        self.shells.push(kept.clone());
        kept
    }

    fn joined(&mut self, body: &Body, path: &Path, contents: &Contents) -> Result<Mesh, FileError> {
        let path = self.path_of(path);
        if let Some(joined) = self.joined.get(&path) {
            return Ok(joined.clone());
        }
        let joined =
            joined(&contents.objects).map_err(|error| self.error(body, error.to_string(), "split it"))?;
        self.joined.insert(path, joined.clone());
        Ok(joined)
    }

    fn no_such_object(&self, body: &Body, path: &Path, contents: &Contents) -> FileError {
        let names: Vec<&str> = contents.objects.iter().take(10).map(|found| found.name.as_str()).collect();
        let reason = format!("{} has no such object as body `{}` asks for", path.display(), body.name);
        self.error(body, reason, format!("it has {}", names.join(", ")))
    }

    fn contents(&mut self, body: &Body, path: &Path) -> Result<Rc<Contents>, FileError> {
        let path = self.path_of(path);
        if let Some(contents) = self.files.get(&path) {
            return Ok(contents.clone());
        }
        let read = refuse_stream(&path).and_then(|()| read_objects(&path, self.options));
        let file = read.map_err(|error| match error.place {
            // The file cannot be opened: the scene is where to look.
            Place::Whole => self.error(body, format!("{}: {}", path.display(), error.reason), error.remedy),
            _ => error,
        })?;
        let MeshFile { objects, warnings, uncertainty, curved } = file;
        let contents = Rc::new(Contents { objects, warnings, uncertainty, curved });
        self.files.insert(path, contents.clone());
        Ok(contents)
    }

    fn generated(
        &mut self,
        body: &Body,
        (scene, detail): (&str, u32),
        part: Option<&str>,
        units: [Units; 2],
    ) -> Result<Vec<Piece>, FileError> {
        let make = || Rc::new(generated::assembly(scene, detail));
        let assembly = self.assemblies.entry((scene.to_owned(), detail)).or_insert_with(make).clone();
        let [own, wanted] = units;
        let moved = |pose: Pose| Pose::new(pose.rotation, pose.translation.map(|x| own.convert(x, wanted)));
        let mut pieces = Vec::new();
        for found in assembly.parts.iter().filter(|found| part.is_none_or(|part| part == found.name)) {
            let mesh = self.converted(body, &found.mesh, units)?;
            let suffix = body.split.then(|| found.name.clone());
            pieces.push(Piece { suffix, pose: moved(found.pose), ..Piece::of(mesh) });
        }
        Ok(pieces)
    }

    fn motion(
        &self,
        motion: &SceneMotion,
        scene: &Scene,
        bodies: &[LoadedBody],
    ) -> Result<LoadedMotion, FileError> {
        let moves = |body: &LoadedBody| match &motion.mover {
            Mover::Body(entry) => body.entry == *entry,
            Mover::Part(name) => body.name == *name,
            Mover::Group(group) => body.group == Some(*group),
        };
        let moved = || bodies.iter().enumerate().filter(|(_, body)| moves(body));
        let start = match &motion.mover {
            Mover::Body(entry) => scene.bodies.get(*entry).map(|body| body.pose),
            Mover::Part(_) => moved().next().map(|(_, part)| scene.pose_in_parent(part)),
            Mover::Group(_) => None,
        };
        let start = start.unwrap_or(Pose::IDENTITY);
        let moved: Vec<usize> = moved().map(|(number, _)| number).collect();
        let mut motion = motion.clone();
        if let MotionPath::PoseList { path, pivot, turning } = motion.path {
            motion.path = MotionPath::KeyFrames { keys: self.poses(&path)?, pivot, turning };
        }
        let wrong = if moved.is_empty() {
            ["the motion moves nothing: there is no such body", "name a body or a group that has some"]
        } else if motion.stays(&start) {
            ["the motion moves nothing: it ends where it begins", "give it a path, or drop it"]
        } else {
            return Ok(LoadedMotion { motion, bodies: moved });
        };
        let [reason, remedy] = wrong;
        Err(FileError::new(Place::Line(motion.line), reason, remedy).in_file(self.scene_path))
    }

    fn poses(&self, path: &Path) -> Result<Vec<KeyFrame>, FileError> {
        let path = self.path_of(path);
        refuse_stream(&path)
            .and_then(|()| bytes_of(&path))
            .and_then(|bytes| parse_poses(&bytes))
            .map_err(|error| error.in_file(&path))
    }
}

/// Puts parts of split bodies into the groups whose patterns they fit.
fn join_groups(scene: &Scene, bodies: &mut [LoadedBody]) -> Result<(), FileError> {
    for body in bodies {
        for (number, group) in scene.groups.iter().enumerate() {
            if !group.patterns.iter().any(|pattern| pattern.matches(&body.name)) {
                continue;
            }
            if let Some(other) = body.group.filter(|&other| other != number) {
                let other = scene.groups.get(other).map_or("", |other| &other.name);
                let [name, one, two] = [&body.name, other, &group.name].map(shortened);
                let reason = format!("body `{name}` is in the groups `{one}` and `{two}`");
                let place = scene.bodies.get(body.entry).map_or(Place::Whole, |body| Place::Line(body.line));
                return Err(FileError::new(place, reason, "a body can be in one group only"));
            }
            body.group = Some(number);
        }
    }
    Ok(())
}

/// Refuses two motions of one body.
fn moved_once(motions: &[LoadedMotion], bodies: &[LoadedBody]) -> Result<(), FileError> {
    let mut moved = HashSet::new();
    for motion in motions {
        for &body in &motion.bodies {
            if !moved.insert(body) {
                let name = bodies.get(body).map_or("", |body| &body.name);
                let reason = format!("body `{}` has two motions", shortened(name));
                let place = Place::Line(motion.motion.line);
                return Err(FileError::new(place, reason, "join them into key frames"));
            }
        }
    }
    Ok(())
}
