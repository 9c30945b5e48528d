//! Robots with their meshes: the text by [`noli_robot`], the files it names from folders.

use crate::data::link_kind::LinkKind;
use noli_formats::{FileError, Place, Warning, bytes_of, read_link_mesh};
use noli_geom::{Mesh, MeshKind};
use noli_robot::cell::{Cell, CellBuilder, CellError};
use noli_robot::{
    GeometryKind, JointTable, Link, LinkGeometry, LinkShape, LoadError, Robot, RobotError, Srdf,
    guess_package_path, named_package, package_of, resolve_package_uri,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options for reading a robot's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotOptions {
    /// Folders that hold packages, or are one; their own folders are looked through too. `NAME=FOLDER` gives the folder
    /// of one package.
    pub packages: Vec<PathBuf>,
    /// Interpretation of meshes.
    pub kind: LinkKind,
    /// Links without collision geometry collide by their visual geometry; otherwise they do not collide.
    pub visual: bool,
}

impl RobotOptions {
    /// Returns folders of packages, relative ones taken from a folder.
    pub fn packages_in(folder: &Path, packages: &[impl AsRef<Path>]) -> Vec<PathBuf> {
        let within = |package: &Path| match named_package(package) {
            (Some(name), path) => PathBuf::from(format!("{name}={}", folder.join(path).display())),
            (None, path) => folder.join(path),
        };
        packages.iter().map(|package| within(package.as_ref())).collect()
    }
}

/// A robot and the shapes of its links.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedRobot {
    /// Links and joints.
    pub robot: Robot,
    /// All shapes of all links; none for a link without geometry.
    pub shapes: Vec<LinkShape>,
    /// Warnings, such as links without collision geometry.
    pub warnings: Vec<Warning>,
}

/// Reads a robot: a URDF file, or a DH table (`.toml`), with the meshes it names.
pub fn load_robot(path: impl AsRef<Path>, options: &RobotOptions) -> Result<LoadedRobot, FileError> {
    let path = path.as_ref();
    let text = read_text(path)?;
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) {
        let robot = Robot::from_dh_str(&text).map_err(|error| placed(&error).in_file(path))?;
        return with_meshes(robot, path, options);
    }
    robot_from_urdf(&text, path, options)
}

/// Reads a robot from the text of a URDF file, with the meshes it names. `path` names the text in messages; meshes with
/// relative names are in its folder. The file itself need not exist.
pub fn robot_from_urdf(text: &str, path: &Path, options: &RobotOptions) -> Result<LoadedRobot, FileError> {
    let (robot, odd) =
        Robot::from_urdf_str_with_warnings(text).map_err(|error| placed(&error).in_file(path))?;
    let mut loaded = with_meshes(robot, path, options)?;
    loaded.warnings.splice(0..0, odd.iter().map(warning_of));
    Ok(loaded)
}

fn with_meshes(robot: Robot, path: &Path, options: &RobotOptions) -> Result<LoadedRobot, FileError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let folders = with_subfolders(&options.packages)?;
    let mut meshes = Meshes { folder, folders, read: HashMap::new(), guessed: Vec::new(), odd: Vec::new() };
    let loaded = LoadedRobot::new(robot, options, |file| meshes.load(file));
    let mut loaded = loaded.map_err(|error| error.in_file(path))?;
    loaded.warnings.extend(meshes.warnings());
    Ok(loaded)
}

/// Reads an SRDF file and looks up its names in the robot. Faulty elements, and names that do not exist, are among its
/// warnings.
pub fn load_srdf(path: impl AsRef<Path>, robot: &Robot) -> Result<Srdf, FileError> {
    let path = path.as_ref();
    srdf_from_text(&read_text(path)?, path, robot)
}

/// Reads the text of an SRDF file, which `path` names in messages, and looks up its names in the robot.
pub fn srdf_from_text(text: &str, path: &Path, robot: &Robot) -> Result<Srdf, FileError> {
    let mut srdf = text.parse::<Srdf>().map_err(|error| placed(&error).in_file(path))?;
    let missing = srdf.check(robot);
    srdf.warnings.extend(missing);
    Ok(srdf)
}

/// Returns the warnings of an SRDF as lines with its file; beyond a few, how many there are.
pub fn srdf_warnings(srdf: &Srdf, path: &Path) -> Vec<String> {
    const SHOWN: usize = 8;
    let mut lines: Vec<String> = Vec::new();
    for error in srdf.warnings.iter().take(SHOWN) {
        let line = error.place.map_or_else(String::new, |place| format!(":{}", place.line));
        lines.push(format!("{}{line}: {}", path.display(), error.fault));
    }
    if let Some(more @ 1..) = srdf.warnings.len().checked_sub(SHOWN) {
        lines.push(format!("{}: {more} more of this kind", path.display()));
    }
    lines
}

fn warning_of(error: &RobotError) -> Warning {
    let place = error.place.map_or(Place::Whole, |place| Place::Line(place.line as usize));
    Warning { place, text: error.fault.to_string() }
}

/// Reads configurations of several robots, each with its prefix: the columns of one are those that begin with
/// it, but of the first robot, whose prefix is empty. Trajectories are of the first robot alone.
pub fn load_states_of(path: impl AsRef<Path>, robots: &[(&str, &Robot)]) -> Result<JointTable, FileError> {
    let path = path.as_ref();
    let [(_, first), others @ ..] = robots else { return Ok(JointTable::default()) };
    let text = read_text(path)?;
    let prefixes: Vec<&str> = others.iter().map(|(prefix, _)| *prefix).collect();
    let of_others = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let mut table = states_in(&text, path, first, |name| (!of_others(name)).then_some(name))?;
    let head = text.split('\n').next().unwrap_or_default();
    for &(prefix, robot) in others {
        let found = head.split(',').any(|name| name.trim().trim_matches('"').starts_with(prefix));
        let more = if found {
            JointTable::from_csv_columns(&text, robot, |name| name.strip_prefix(prefix))
                .map_err(|error| placed(&error).in_file(path))?
        } else {
            let rows = vec![robot.zero().0; table.rows.len()];
            let free = robot.variables().iter().filter(|variable| variable.mimic.is_none());
            let assumed_zero = free.map(|variable| variable.name.clone()).collect();
            JointTable { rows, assumed_zero, ..JointTable::default() }
        };
        table.rows.iter_mut().zip(more.rows).for_each(|(row, more)| row.extend(more));
        // Rates of other robots are not given: they rest, or move between their rows by what the first one has.
        let size = table.rows.first().map_or(0, Vec::len);
        let rates = table.velocities.iter_mut().chain(&mut table.accelerations);
        rates.filter(|row| !row.is_empty()).for_each(|row| row.resize(size, 0.0));
        let prefixed = |name: &String| format!("{prefix}{name}");
        table.assumed_zero.extend(more.assumed_zero.iter().map(prefixed));
        table.ignored_columns.extend(more.ignored_columns.iter().map(prefixed));
    }
    Ok(table)
}

/// Reads configurations: a table of comma-separated values, or a trajectory (`.yaml`, `.yml`, `.json`) through its rows.
pub fn load_states(path: impl AsRef<Path>, robot: &Robot) -> Result<JointTable, FileError> {
    let path = path.as_ref();
    states_in(&read_text(path)?, path, robot, |name| Some(name))
}

/// Reads a trajectory of any [form](noli_robot::Form): its [curve](JointTable::curve) is what is driven.
pub fn load_trajectory(path: impl AsRef<Path>, robot: &Robot) -> Result<JointTable, FileError> {
    let path = path.as_ref();
    rows_in(&read_text(path)?, path, robot, |name| Some(name))
}

/// The configurations in the text of a file. Control points are none, and the points of a trajectory with times are not
/// all of it: between them it goes as a controller drives it.
fn states_in(
    text: &str,
    path: &Path,
    robot: &Robot,
    own: impl for<'n> Fn(&'n str) -> Option<&'n str>,
) -> Result<JointTable, FileError> {
    let table = rows_in(text, path, robot, own)?;
    if table.times.is_some() && is_message(path) {
        let reason = "a trajectory with times is a motion, of which its points are a part";
        let remedy = "give it as a trajectory (--trajectory); for its points alone, write them without times";
        return Err(FileError::new(Place::Whole, reason, remedy).in_file(path));
    }
    if !table.form.passes_rows() {
        let reason = "the control points of a B-spline are not configurations that it passes through";
        let remedy = "give the file as a trajectory";
        return Err(FileError::new(Place::Whole, reason, remedy).in_file(path));
    }
    Ok(table)
}

/// Returns `true` if the name of a file is that of a message of ROS, as YAML or JSON.
fn is_message(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    matches!(end.as_deref(), Some("yaml" | "yml" | "json"))
}

/// The rows in the text of a file.
fn rows_in(
    text: &str,
    path: &Path,
    robot: &Robot,
    own: impl for<'n> Fn(&'n str) -> Option<&'n str>,
) -> Result<JointTable, FileError> {
    let table = match is_message(path) {
        true => JointTable::from_trajectory_str(text, robot),
        false => JointTable::from_csv_columns(text, robot, own),
    };
    let table = table.map_err(|error| placed(&error).in_file(path))?;
    if table.rows.is_empty() {
        let reason = "there are no configurations";
        return Err(
            FileError::new(Place::Whole, reason, "give rows below the names of the joints").in_file(path)
        );
    }
    Ok(table)
}

impl LoadedRobot {
    /// A robot with the meshes that a loader finds by their names; folders of packages are not searched.
    pub fn new(
        robot: Robot,
        options: &RobotOptions,
        load: impl FnMut(&str) -> Result<Mesh, String>,
    ) -> Result<Self, FileError> {
        let shapes = if options.visual { robot.shapes_or_visual(load) } else { robot.shapes(load) };
        let mut shapes = shapes.map_err(|error| {
            let place = match &error {
                LoadError::Mesh { place, .. }
                | LoadError::Scale { place, .. }
                | LoadError::Shape { place, .. } => *place,
            };
            let place = place.map_or(Place::Whole, |place| Place::Line(place.line as usize));
            match error {
                LoadError::Mesh { file, error, .. } => {
                    let remedy = match package_of(&file) {
                        Some((name, _)) => {
                            format!("give the folder of the package with --packages {name}=FOLDER")
                        }
                        None => "correct the name or the file".to_owned(),
                    };
                    FileError::new(place, format!("mesh `{file}`: {error}"), remedy)
                }
                other => FileError::new(place, other.to_string(), "correct the geometry"),
            }
        })?;
        let mut warnings = visual_warnings(&robot, options.visual);
        take_as(&mut shapes, &robot, options.kind, &mut warnings);
        Ok(Self { robot, shapes, warnings })
    }

    /// The robot alone in a cell, at the origin: pairs that its SRDF disables are left out, or without one
    /// those that a joint joins.
    pub fn cell(&self, srdf: Option<&Srdf>) -> Result<Cell, CellError> {
        let mut plan = CellBuilder::default();
        self.add_to(&mut plan, "", noli::Pose::IDENTITY, srdf)?;
        Ok(plan.build())
    }

    /// Adds the robot to a cell at a place, with the pairs that its SRDF disables; its number there.
    pub fn add_to(
        &self,
        plan: &mut CellBuilder,
        prefix: &str,
        place: noli::Pose,
        srdf: Option<&Srdf>,
    ) -> Result<usize, CellError> {
        let arm = plan.add_robot(prefix, Arc::new(self.robot.clone()), place, &self.shapes)?;
        if let Some(srdf) = srdf {
            plan.apply_srdf(arm, srdf);
        }
        Ok(arm)
    }
}

pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    let wrong = |reason: String, remedy: &str| FileError::new(Place::Whole, reason, remedy).in_file(path);
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    if bytes.is_empty() {
        return Err(wrong("the file is empty".to_owned(), "check that it was written completely"));
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|_| wrong("the text is not UTF-8".to_owned(), "save it as UTF-8"))?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

pub(crate) fn placed(error: &RobotError) -> FileError {
    let place = error.place.map_or(Place::Whole, |place| Place::Line(place.line as usize));
    let message = error.fault.to_string();
    let column = error.place.map_or_else(String::new, |place| format!("column {}: ", place.column));
    let (reason, remedy) = message.rsplit_once("; ").unwrap_or((&message, "correct the description"));
    FileError::new(place, column + reason, remedy)
}

/// Returns the folders and their subfolders, in order of name; beyond a thousand in one folder they are
/// ignored.
fn with_subfolders(folders: &[PathBuf]) -> Result<Vec<PathBuf>, FileError> {
    // A folder that is there is taken as it is, whatever its name.
    let plain = |folder: &PathBuf| if folder.is_dir() { Path::new(".").join(folder) } else { folder.clone() };
    let is_odd = |folder: &PathBuf| named_package(folder).0.is_some();
    let folders: Vec<PathBuf> =
        folders.iter().map(|folder| if is_odd(folder) { plain(folder) } else { folder.clone() }).collect();
    let mut all = folders.clone();
    for folder in &folders {
        let (name, folder) = named_package(folder);
        if name.is_some() && folder.is_dir() {
            continue;
        }
        let entries = std::fs::read_dir(folder).map_err(|error| {
            let remedy = "give a folder that holds packages";
            FileError::new(Place::Whole, format!("cannot be listed: {error}"), remedy).in_file(folder)
        })?;
        let mut inner: Vec<PathBuf> = entries
            .take(1000)
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .collect();
        inner.sort();
        all.extend(inner);
    }
    Ok(all)
}

/// Mesh files, each read once.
struct Meshes<'a> {
    folder: &'a Path,
    folders: Vec<PathBuf>,
    read: HashMap<PathBuf, Mesh>,
    /// Files that are not where their package should be: names, and where they were found.
    guessed: Vec<(String, PathBuf)>,
    /// Files with warnings of their own.
    odd: Vec<(PathBuf, Warning)>,
}

/// Places that an error lists.
const PLACES: usize = 12;

impl Meshes<'_> {
    fn load(&mut self, file: &str) -> Result<Mesh, String> {
        let mut candidates = resolve_package_uri(file, self.folder, &self.folders);
        let mut found = candidates.iter().find(|path| path.is_file()).cloned();
        if found.is_none() {
            let guesses = guess_package_path(file, self.folder);
            found = guesses.iter().find(|path| path.is_file()).cloned();
            if let Some(path) = &found
                && !self.guessed.iter().any(|(known, _)| known == file)
            {
                self.guessed.push((file.to_owned(), path.clone()));
            }
            candidates.extend(guesses);
        }
        let path = found.ok_or_else(|| not_found(&candidates))?;
        if let Some(mesh) = self.read.get(&path) {
            return Ok(mesh.clone());
        }
        let (mesh, warnings) = read_link_mesh(&path).map_err(|error| error.to_string())?;
        if mesh.is_empty() {
            return Err(format!("{} has no faces", path.display()));
        }
        self.odd.extend(warnings.into_iter().map(|warning| (path.clone(), warning)));
        self.read.insert(path, mesh.clone());
        Ok(mesh)
    }

    fn warnings(&self) -> Vec<Warning> {
        let others = |count: usize| match count {
            1 => String::new(),
            2 => "; so is another file".to_owned(),
            count => format!("; so are {} other files", count.saturating_sub(1)),
        };
        let mut warnings = Vec::new();
        if let Some((name, found)) = self.guessed.first() {
            let (found, more) = (found.display(), others(self.guessed.len()));
            let text = format!("mesh `{name}` is not where its package should be: taken from {found}{more}");
            warnings.push(Warning { place: Place::Whole, text });
        }
        let mut told: Vec<&str> = Vec::new();
        for (path, warning) in &self.odd {
            if told.contains(&warning.text.as_str()) {
                continue;
            }
            told.push(&warning.text);
            let count = self.odd.iter().filter(|(_, other)| other.text == warning.text).count();
            let text = format!("mesh {}: {}{}", path.display(), warning.text, others(count));
            warnings.push(Warning { place: Place::Whole, text });
        }
        warnings
    }
}

fn not_found(candidates: &[PathBuf]) -> String {
    let mut places: Vec<String> = Vec::new();
    for path in candidates {
        let shown = path.display().to_string();
        if !places.contains(&shown) {
            places.push(shown);
        }
    }
    let more = match places.len().saturating_sub(PLACES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    places.truncate(PLACES);
    match &places[..] {
        [] => "is no name of a file in a package".to_owned(),
        [only] => format!("is not at {only}"),
        _ => format!("is at none of {}{more}", places.join(", ")),
    }
}

/// The mesh files that a robot names: each name once, with the file it is found at.
pub fn robot_files(
    path: impl AsRef<Path>,
    robot: &Robot,
    options: &RobotOptions,
) -> Result<Vec<(String, Option<PathBuf>)>, FileError> {
    let folder = path.as_ref().parent().unwrap_or(Path::new(""));
    let folders = with_subfolders(&options.packages)?;
    let mut files: Vec<(String, Option<PathBuf>)> = Vec::new();
    for link in robot.links() {
        for geometry in link.collision.iter().chain(&link.visual) {
            let GeometryKind::Mesh { file, .. } = &geometry.form else { continue };
            if files.iter().any(|known| known.0 == *file) {
                continue;
            }
            let places = resolve_package_uri(file, folder, &folders).into_iter();
            let found = places.chain(guess_package_path(file, folder)).find(|path| path.is_file());
            files.push((file.clone(), found));
        }
    }
    Ok(files)
}

fn visual_warnings(robot: &Robot, visual: bool) -> Vec<Warning> {
    let only_visual = |link: &Link| link.collision.is_empty() && !link.visual.is_empty();
    let links = robot.links().iter().enumerate().filter(|(_, link)| only_visual(link));
    let links: Vec<usize> = links.map(|(number, _)| number).collect();
    let end = match visual {
        true => [
            "has no collision geometry: its visual geometry is used",
            "have no collision geometry: their visual geometry is used",
        ],
        false => [
            "has no collision geometry: it does not collide (--visual takes its visual geometry)",
            "have no collision geometry: they do not collide (--visual takes their visual geometry)",
        ],
    };
    about_links(robot, &links, end.map(str::to_owned)).into_iter().collect()
}

/// One warning about some links, its place that of the first; `end` is the end of the sentence for one and
/// for several.
fn about_links(robot: &Robot, links: &[usize], end: [String; 2]) -> Option<Warning> {
    let of = |link: &usize| robot.links().get(*link);
    let first = links.first().and_then(of)?;
    let names: Vec<String> = links.iter().filter_map(of).map(|link| format!("`{}`", link.name)).collect();
    let [one, several] = end;
    let (what, end) = if links.len() == 1 { ("link", one) } else { ("links", several) };
    let place = first.place.map_or(Place::Whole, |place| Place::Line(place.line as usize));
    Some(Warning { place, text: format!("{what} {} {end}", names.join(", ")) })
}

/// Takes meshes as surfaces or solids; warns of those that cannot be solids.
fn take_as(shapes: &mut [LinkShape], robot: &Robot, kind: LinkKind, warnings: &mut Vec<Warning>) {
    let mut open = Vec::new();
    for shape in shapes {
        let LinkGeometry::Mesh(mesh) = &mut shape.solid else { continue };
        let solid = match kind {
            LinkKind::Surface => false,
            LinkKind::Solid => true,
            LinkKind::Auto => mesh.report().closed,
        };
        if kind == LinkKind::Auto && !solid && open.last() != Some(&shape.link) {
            open.push(shape.link);
        }
        *mesh = mesh.clone().with_kind(if solid { MeshKind::Solid } else { MeshKind::Surface });
    }
    let end = [
        "has a mesh that is not closed: taken as a surface",
        "have meshes that are not closed: taken as surfaces",
    ];
    warnings.extend(about_links(robot, &open, end.map(str::to_owned)));
}
