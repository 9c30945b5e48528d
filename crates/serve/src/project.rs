//! The project of the studio: a scene with its folder.

use crate::claim::{Claim, Taken};
use noli::World;
use noli::world::BodySelector;
use noli_formats::{FileError, Units};
use noli_project::cell::{LoadedCell, bundled_cells, load_cell_text, open_bundled_cell};
use noli_project::{
    LoadedScene, OpenOptions, Source, StageError, StageOptions, Staged, StagedBody, open_bundled, open_paths,
    stage,
};
use noli_store::{Store, StoreError};
use std::path::{Path, PathBuf};

/// The project to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// A scene file, a mesh file or a folder; of a folder, the files that can be read.
    Path(PathBuf),
    /// A folder for a further panel: its scene, if there is one, and no meshes.
    OfPanel(PathBuf),
    /// A bundled scene, meshed this finely.
    Bundled(String, u32),
}

/// A scene that has been read, and the folder that belongs to it.
#[derive(Debug)]
pub struct Project {
    pub(crate) source: Source,
    pub(crate) staged: Staged,
    /// Nothing outside is written, and only files that the scene names are read. `None` for bundled scenes, which have no folder.
    pub(crate) folder: Option<PathBuf>,
    /// The scene file, where the project is one.
    pub(crate) scene_file: Option<PathBuf>,
    /// Its name among the bundled ones.
    pub(crate) bundled: Option<(String, u32)>,
    /// The cell, where the project is one.
    pub(crate) cell: Option<Box<OpenedCell>>,
    /// The component database of the folder.
    pub(crate) database: Option<PathBuf>,
    /// `true` if the database itself was opened.
    pub(crate) is_database: bool,
    /// Held while no other server may open the project.
    pub(crate) claim: Option<Claim>,
}

/// A cell that has been read.
#[derive(Debug)]
pub(crate) struct OpenedCell {
    pub(crate) loaded: LoadedCell,
    /// Its text; `None` for bundled cells, which cannot be changed until they are saved.
    pub(crate) source: Option<CellSource>,
}

/// The text of a cell.
#[derive(Clone, Debug)]
pub(crate) struct CellSource {
    /// The file that it is in, or would be: files named in the text are relative to it.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// The text that the file has; empty if there is none yet, as for a robot opened by its URDF file.
    pub(crate) on_disk: String,
}

/// Reasons why a project cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene cannot be staged.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The folder does not exist.
    #[error("{0}: {1}; name a scene, a mesh file or a folder of them")]
    Folder(PathBuf, std::io::Error),
    /// A database cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Project {
    /// Reads and prepares everything.
    pub fn open(opening: &Opening) -> Result<Self, OpenError> {
        match opening {
            Opening::OfPanel(path) if scenes_in(path).is_empty() => Ok(Self::of_nothing(folder_of(path)?)),
            Opening::OfPanel(path) => Self::open_as(&Opening::Path(path.clone())),
            Opening::Path(_) | Opening::Bundled(..) => Self::open_as(opening),
        }
    }

    fn open_as(opening: &Opening) -> Result<Self, OpenError> {
        match opening {
            Opening::Bundled(name, detail) if bundled_cells().contains(&name.as_str()) => {
                let opened = OpenedCell { loaded: open_bundled_cell(name)?, source: None };
                let bundled = Some((name.clone(), *detail));
                return Ok(Self { bundled, ..Self::of_cell(opened, None)? });
            }
            Opening::Path(path) if is_cell(path) => {
                let folder = folder_of(path)?;
                let file = path.file_name().map(|name| folder.join(name));
                let text = noli_formats::text_of(path).map_err(|error| error.in_file(path))?;
                let loaded = noli_store::load_cell_text(text.as_bytes(), path)?;
                let source = Some(CellSource { path: path.clone(), on_disk: text.clone(), text });
                let opened = OpenedCell { loaded, source };
                return Ok(Self { scene_file: file, ..Self::of_cell(opened, Some(folder))? });
            }
            Opening::Path(path) if path.extension().is_some_and(|extension| extension == "db") => {
                return Self::of_database(path);
            }
            Opening::Path(path) if path.extension().is_some_and(|extension| extension == "urdf") => {
                let named = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let mut text =
                    format!("units = \"m\"\n\n[robot]\nurdf = {}\n", toml_edit::Value::from(named(path)));
                let srdf = path.with_extension("srdf");
                if srdf.is_file() {
                    text += &format!("srdf = {}\n", toml_edit::Value::from(named(&srdf)));
                }
                let place = path.with_extension("toml");
                let mut loaded = load_cell_text(text.as_bytes(), &place)?;
                loaded.title = noli_formats::display_name::printable(&path.display().to_string());
                let source = Some(CellSource { path: place, text, on_disk: String::new() });
                return Self::of_cell(OpenedCell { loaded, source }, Some(folder_of(path)?));
            }
            Opening::Bundled(..) | Opening::Path(_) | Opening::OfPanel(_) => {}
        }
        let (source, folder, bundled) = match opening {
            Opening::Bundled(name, detail) => {
                (open_bundled(name, *detail)?, None, Some((name.clone(), *detail)))
            }
            // Other programs have files of that kind, too.
            Opening::Path(path) if path.is_dir() && scenes_in(path).len() == 1 => {
                return Self::open(&Opening::Path(scenes_in(path).remove(0)));
            }
            // A folder with parts and nothing to display opens the database.
            Opening::Path(path) if path.is_dir() && holds_only_a_database(path) => {
                let database = folder_of(path).map(|folder| database_in(&folder))?;
                return Self::of_database(&database.unwrap_or_default());
            }
            Opening::Path(path) | Opening::OfPanel(path) => {
                let folder = folder_of(path)?;
                // A folder opens with the files that can be read; the page lists the others.
                let options = OpenOptions { leave_out: path.is_dir(), ..OpenOptions::default() };
                match open_paths(std::slice::from_ref(path), &options) {
                    Err(error) if has_nothing(path, &error) => return Ok(Self::of_nothing(folder)),
                    source => (source?, Some(folder), None),
                }
            }
        };
        let staged = stage(&source.scene, &StageOptions::default())?;
        let scene_file = source.inputs.first().filter(|_| !source.is_files).cloned();
        let database = folder.as_deref().and_then(database_in);
        Ok(Self {
            source,
            staged,
            folder,
            scene_file,
            bundled,
            cell: None,
            database,
            is_database: false,
            claim: None,
        })
    }

    /// A folder in which nothing is yet: bodies are made here, or dropped onto the page.
    fn of_nothing(folder: PathBuf) -> Self {
        let title = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (staged, source) = bare(World::default(), Vec::new(), Units::Millimetre, Vec::new(), title);
        let source = Source { is_files: true, ..source };
        let (scene_file, bundled, cell, database) = (None, None, None, None);
        let folder = Some(folder);
        Self { source, staged, folder, scene_file, bundled, cell, database, is_database: false, claim: None }
    }

    /// Opens a component database: the scene is empty until a part is shown.
    fn of_database(path: &Path) -> Result<Self, OpenError> {
        // Brings an earlier one up to date, and refuses what is none.
        Store::open(path)?;
        let folder = folder_of(path)?;
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let database = Some(folder.join(&title));
        let mut world = World::default();
        world.rules_mut().set([BodySelector::Anyone, BodySelector::Anyone], false);
        let (staged, source) = bare(world, Vec::new(), Units::Metre, Vec::new(), title);
        Ok(Self {
            source,
            staged,
            folder: Some(folder),
            scene_file: None,
            bundled: None,
            cell: None,
            database,
            is_database: true,
            claim: None,
        })
    }

    /// Opens a cell: its visual parts are the drawn bodies, and queries go to the cell itself.
    fn of_cell(opened: OpenedCell, folder: Option<PathBuf>) -> Result<Self, OpenError> {
        let loaded = &opened.loaded;
        let (world, bodies) = crate::cell_poses::drawn_bodies(loaded).map_err(StageError::from)?;
        let (warnings, title) = (loaded.warnings.clone(), loaded.title.clone());
        let (staged, source) = bare(world, bodies, Units::Metre, warnings, title);
        let database = folder.as_deref().and_then(database_in);
        Ok(Self {
            source,
            staged,
            folder,
            scene_file: None,
            bundled: None,
            cell: Some(Box::new(opened)),
            database,
            is_database: false,
            claim: None,
        })
    }

    /// Refuses other servers for the same scene file or folder of files, until the session ends. Databases have
    /// locks of their own.
    pub fn claim(&mut self) -> Result<(), Taken> {
        let place = self.scene_file.as_deref().or(self.folder.as_deref()).filter(|_| !self.is_database);
        self.claim = Some(Claim::of(place)?);
        Ok(())
    }

    /// Its name.
    pub fn title(&self) -> &str {
        &self.source.title
    }
}

/// Bodies that no scene file is about.
fn bare(
    world: World,
    bodies: Vec<StagedBody>,
    units: Units,
    warnings: Vec<String>,
    title: String,
) -> (Staged, Source) {
    let (moves, removals) = (Vec::new(), Vec::new());
    let staged = Staged { world, bodies, moves, removals, seconds: 0.0, units, warnings };
    let mut scene = LoadedScene::default();
    scene.scene.units = units;
    (staged, Source { title, scene, units: Some(units), is_files: false, inputs: Vec::new() })
}

/// Returns `true` if a folder could not be opened because it has neither a scene nor a file of bodies. Errors
/// in its files are reported separately.
fn has_nothing(path: &Path, error: &FileError) -> bool {
    let is_scene = |path: PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    let listed = std::fs::read_dir(path);
    let has_scene = |mut entries: std::fs::ReadDir| entries.any(|it| it.is_ok_and(|it| is_scene(it.path())));
    error.path.as_deref() == Some(path) && listed.is_ok_and(|entries| !has_scene(entries))
}

/// The first component database of a folder, in order of names.
fn database_in(folder: &Path) -> Option<PathBuf> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".db"))
        .collect();
    names.sort();
    let mut files = names.iter().filter_map(|name| confined(folder, name));
    files.find(|path| Store::open_to_read(path).is_ok())
}

/// Returns `true` if a folder has a database, and no mesh or scene.
fn holds_only_a_database(folder: &Path) -> bool {
    let is_other = |path: &Path| {
        let is_scene = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        is_scene || noli_formats::MeshFormat::from_extension(path).is_some()
    };
    let others =
        std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| is_other(&entry.path()));
    !others && folder.canonicalize().is_ok_and(|folder| database_in(&folder).is_some())
}

/// Returns `true` if the file describes a cell: a scene with a robot.
fn is_cell(path: &Path) -> bool {
    says(path, &["robot"])
}

/// Returns `true` if a TOML file has one of these keys.
fn says(path: &Path, keys: &[&str]) -> bool {
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let text = if is_toml { noli_formats::text_of(path).ok() } else { None };
    let document = text.and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    document.is_some_and(|document| keys.iter().any(|key| document.contains_key(key)))
}

/// The scenes and cells of a folder.
fn scenes_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut scenes: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| says(path, &["body", "robot"])).collect();
    scenes.sort();
    scenes
}

/// Returns the folder of a path, with links resolved.
fn folder_of(path: &Path) -> Result<PathBuf, OpenError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().map_err(|error| OpenError::Folder(path.to_owned(), error))
}

/// A plain name of a file that may be made in a project: no folders, nothing hidden, nothing odd.
pub(crate) fn plain_file_name(name: &str) -> Option<&str> {
    let fits = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let is_plain = !name.is_empty()
        && name.len() <= 120
        && !name.starts_with('.')
        && !name.contains("..")
        && name.chars().all(fits);
    is_plain.then_some(name)
}

/// A file below a folder that is there and lies in it, links followed; `None` for anything else.
pub fn confined(folder: &Path, relative: &str) -> Option<PathBuf> {
    let path = Path::new(relative);
    let is_plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_plain || relative.contains('\\') || relative.contains('\0') {
        return None;
    }
    let found = folder.join(path).canonicalize().ok()?;
    found.starts_with(folder).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_files_of_a_project() {
        for good in ["part.stl", "Teil 3_b.obj", "größe.ply"] {
            assert_eq!(plain_file_name(good), Some(good));
        }
        for bad in ["", "../x.stl", "a/b.stl", "a\\b.stl", ".hidden", "x\0.stl", "..", "a..b", "c:x.stl"] {
            assert_eq!(plain_file_name(bad), None, "{bad:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_of_the_folder() {
        let base = noli_testing::Folder::new("serve-confined");
        base.file("secret.stl", "s");
        base.file("project/own.stl", "s");
        let folder = base.join("project").canonicalize().unwrap();
        std::os::unix::fs::symlink(base.join("secret.stl"), folder.join("link.stl")).unwrap();
        std::os::unix::fs::symlink(&base, folder.join("up")).unwrap();
        assert!(confined(&folder, "own.stl").is_some());
        for bad in
            ["link.stl", "up/secret.stl", "../secret.stl", "/etc/passwd", "missing.stl", "./own.stl/.."]
        {
            assert_eq!(confined(&folder, bad), None, "{bad}");
        }
    }
}
