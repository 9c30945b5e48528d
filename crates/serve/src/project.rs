//! What the studio works on: a scene with its folder.

use noli::model::MeshKind;
use noli::world::Who;
use noli::{Model, World};
use noli_io::cell::{LoadedCell, bundled_cells, load_cell, load_cell_text, open_bundled_cell};
use noli_io::{
    FileError, LoadedScene, OpenOptions, Source, StageError, StageOptions, Staged, StagedBody, Units,
    open_bundled, open_paths, stage,
};
use std::path::{Path, PathBuf};

/// What is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// A scene file, a mesh file or a folder.
    Path(PathBuf),
    /// A bundled scene, meshed this finely.
    Bundled(String, u32),
}

/// A scene that has been read, and the folder that belongs to it.
#[derive(Debug)]
pub struct Project {
    pub(crate) source: Source,
    pub(crate) staged: Staged,
    /// Nothing outside is read or written. `None` for bundled scenes, which have no folder.
    pub(crate) folder: Option<PathBuf>,
    /// The scene file, where the project is one.
    pub(crate) scene_file: Option<PathBuf>,
    /// Its name among the bundled ones.
    pub(crate) bundled: Option<(String, u32)>,
    /// The cell, where the project is one.
    pub(crate) cell: Option<Box<LoadedCell>>,
}

/// Why a project cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene cannot be staged.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// There is no such folder.
    #[error("{0}: {1}; name a scene, a mesh file or a folder of them")]
    Folder(PathBuf, std::io::Error),
}

impl Project {
    /// Reads and prepares everything.
    pub fn open(opening: &Opening) -> Result<Self, OpenError> {
        match opening {
            Opening::Bundled(name, _) if bundled_cells().contains(&name.as_str()) => {
                return Self::of_cell(open_bundled_cell(name)?, None);
            }
            Opening::Path(path) if is_cell(path) => {
                let folder = folder_of(path)?;
                let file = path.file_name().map(|name| folder.join(name));
                return Ok(Self { scene_file: file, ..Self::of_cell(load_cell(path)?, Some(folder))? });
            }
            Opening::Path(path) if path.extension().is_some_and(|extension| extension == "urdf") => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let text = format!("[robot]\nurdf = {}\n", toml_edit::Value::from(name.as_ref()));
                let cell = load_cell_text(text.as_bytes(), &path.with_extension("toml"))?;
                return Self::of_cell(cell, Some(folder_of(path)?));
            }
            Opening::Bundled(..) | Opening::Path(_) => {}
        }
        let (source, folder, bundled) = match opening {
            Opening::Bundled(name, detail) => {
                (open_bundled(name, *detail)?, None, Some((name.clone(), *detail)))
            }
            Opening::Path(path) => {
                let folder = folder_of(path)?;
                let source = open_paths(std::slice::from_ref(path), &OpenOptions::default())?;
                (source, Some(folder), None)
            }
        };
        let staged = stage(&source.scene, &StageOptions::default())?;
        let scene_file = source.inputs.first().filter(|_| !source.is_files).cloned();
        Ok(Self { source, staged, folder, scene_file, bundled, cell: None })
    }

    /// A cell: its looks are the bodies that are drawn, and the cell itself is asked about them.
    fn of_cell(cell: LoadedCell, folder: Option<PathBuf>) -> Result<Self, OpenError> {
        let (mut world, mut bodies) = (World::default(), Vec::new());
        let poses = crate::session::cell_poses(&cell);
        for (look, pose) in cell.looks.iter().zip(poses) {
            let name = (1..)
                .map(|k| if k == 1 { look.name.clone() } else { format!("{}-{k}", look.name) })
                .find(|name| world.find(name).is_none())
                .unwrap_or_default();
            let id = world.add(name, &Model::from(&look.mesh), pose).map_err(StageError::from)?;
            bodies.push(StagedBody {
                id,
                look: look.mesh.clone(),
                is_true_shape: false,
                kind: MeshKind::Surface,
                said: false,
                flaw: None,
                is_collapsed: false,
            });
        }
        // The cell knows which pairs matter, and is asked itself.
        world.rules_mut().set([Who::Anyone, Who::Anyone], false);
        let staged = Staged {
            world,
            bodies,
            moves: Vec::new(),
            removals: Vec::new(),
            seconds: 0.0,
            units: Units::Metre,
            warnings: cell.warnings.clone(),
        };
        let source = Source {
            title: cell.title.clone(),
            scene: LoadedScene::default(),
            units: Some(Units::Metre),
            is_files: false,
            inputs: Vec::new(),
        };
        Ok(Self { source, staged, folder, scene_file: None, bundled: None, cell: Some(Box::new(cell)) })
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        &self.source.title
    }
}

/// Whether a file is that of a cell: a scene with a robot in it.
fn is_cell(path: &Path) -> bool {
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let text = if is_toml { std::fs::read_to_string(path).ok() } else { None };
    let document = text.and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    document.is_some_and(|document| document.contains_key("robot"))
}

/// The folder of a path, without links on the way to it.
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
pub(crate) fn confined(folder: &Path, relative: &str) -> Option<PathBuf> {
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
        let base = std::env::temp_dir().join(format!("noli-confined-{}", std::process::id()));
        let folder = base.join("project");
        std::fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        std::fs::write(base.join("secret.stl"), "s").unwrap();
        std::fs::write(folder.join("own.stl"), "s").unwrap();
        std::os::unix::fs::symlink(base.join("secret.stl"), folder.join("link.stl")).unwrap();
        std::os::unix::fs::symlink(&base, folder.join("up")).unwrap();
        assert!(confined(&folder, "own.stl").is_some());
        for bad in
            ["link.stl", "up/secret.stl", "../secret.stl", "/etc/passwd", "missing.stl", "./own.stl/.."]
        {
            assert_eq!(confined(&folder, bad), None, "{bad}");
        }
        std::fs::remove_dir_all(&base).unwrap();
    }
}
