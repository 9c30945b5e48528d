//! From the store into files.

use crate::{Store, StoreError};
use noli_io::{NamedMesh, write_mesh, write_whole};
use noli_robot::{Form, Robot, write_urdf};
use rusqlite::OptionalExtension;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// The files.
    pub files: Vec<PathBuf>,
    /// What was odd.
    pub warnings: Vec<String>,
}

impl Exported {
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                let what = folder.display().to_string();
                StoreError::unfit(
                    what,
                    format!("cannot be made: {error}"),
                    "check the path and its permissions",
                )
            })?;
        }
        write_whole(path, bytes)?;
        self.files.push(path.to_path_buf());
        Ok(())
    }
}

/// A name as that of a file.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

impl Store {
    /// Writes something by its name: a component as a mesh file, a manipulator as URDF with its meshes in a folder
    /// `meshes` beside it, a cell or scene with the files it names, a program as text. The extension of the
    /// target says what it becomes.
    pub fn export(&self, name: &str, target: impl AsRef<Path>) -> Result<Exported, StoreError> {
        let target = target.as_ref();
        let end =
            target.extension().map_or_else(String::new, |end| end.to_string_lossy().to_ascii_lowercase());
        let entry = self.find(name)?;
        let unfit = |wanted: &str| {
            let what = format!("{} `{name}`", entry.kind);
            Err(StoreError::unfit(what, format!("cannot become `.{end}`"), format!("write {wanted}")))
        };
        let mut done = Exported::default();
        match entry.kind.as_str() {
            "component" => {
                let info = self.component(name)?;
                if end == info.format && info.object.is_none() {
                    done.write(target, &self.blob(&info.blob)?)?;
                } else if ["obj", "stl", "off", "ply"].contains(&end.as_str()) {
                    let (name, mesh) = (name.to_owned(), self.component_mesh(name)?);
                    write_mesh(target, &[NamedMesh { name, mesh }])?;
                    done.files.push(target.to_path_buf());
                } else {
                    return unfit(".obj, .stl, .off or .ply");
                }
            }
            "manipulator" => {
                if end != "urdf" {
                    return unfit(".urdf");
                }
                self.export_urdf(name, target, &mut done)?;
            }
            "cell" | "scene" => {
                if end != "toml" {
                    return unfit(".toml");
                }
                let at = |error| self.wrong(error);
                let text: Option<String> = self
                    .connection
                    .query_row("SELECT text FROM cell WHERE name = ?1", [name], |row| row.get(0))
                    .optional()
                    .map_err(at)?;
                let folder = target.parent().unwrap_or(Path::new(""));
                let mut rows = self
                    .connection
                    .prepare(
                        "SELECT f.path, b.bytes FROM cell_file f JOIN cell c ON c.id = f.cell \
                         JOIN blob b ON b.hash = f.blob WHERE c.name = ?1 ORDER BY f.path",
                    )
                    .map_err(at)?;
                let files =
                    rows.query_map([name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)));
                for file in files.map_err(at)? {
                    let (path, bytes) = file.map_err(at)?;
                    let path = Path::new(&path);
                    if path.components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
                        done.warnings
                            .push(format!("{} would leave the folder and is not written", path.display()));
                        continue;
                    }
                    done.write(&folder.join(path), &bytes)?;
                }
                done.write(target, text.unwrap_or_default().as_bytes())?;
            }
            "program" => done.write(target, self.program(name)?.as_bytes())?,
            "run" => {
                if end != "json" {
                    return unfit(".json");
                }
                let query = "SELECT report FROM run WHERE id = ?1";
                let report = self.column(query, name)?.into_iter().next().unwrap_or_default();
                done.write(target, report.as_bytes())?;
            }
            _ => return unfit("something else"),
        }
        Ok(done)
    }

    fn export_urdf(&self, name: &str, target: &Path, done: &mut Exported) -> Result<(), StoreError> {
        let stored = self.robot(name)?;
        let folder = target.parent().unwrap_or(Path::new(""));
        let mut names: HashMap<String, String> = HashMap::new();
        for mesh in &stored.meshes {
            let info = self.component(&mesh.component)?;
            let whole = info.object.is_none();
            let end = if whole { mesh.format.as_str() } else { "obj" };
            let file = format!("meshes/{}.{end}", file_name(&mesh.component));
            if whole {
                done.write(&folder.join(&file), &self.blob(&mesh.blob)?)?;
            } else {
                let path = folder.join(&file);
                if let Some(parent) = path.parent() {
                    std::fs::create_dir_all(parent).map_err(|error| {
                        let what = parent.display().to_string();
                        StoreError::unfit(what, format!("cannot be made: {error}"), "check its permissions")
                    })?;
                }
                let name = mesh.component.clone();
                write_mesh(&path, &[NamedMesh { mesh: self.component_mesh(&name)?, name }])?;
                done.files.push(path);
            }
            names.insert(mesh.file.clone(), file);
        }
        let text = match &stored.text {
            // As it was read, but for where its meshes are: not a number is written anew.
            Some(text) => {
                let mut text = text.clone();
                for (old, new) in &names {
                    for quote in ['"', '\''] {
                        text = text.replace(&format!("{quote}{old}{quote}"), &format!("{quote}{new}{quote}"));
                    }
                }
                text
            }
            None => {
                let mut parts = stored.parts;
                for link in &mut parts.links {
                    for geometry in link.collision.iter_mut().chain(&mut link.visual) {
                        if let Form::Mesh { file, .. } = &mut geometry.form
                            && let Some(new) = names.get(file)
                        {
                            file.clone_from(new);
                        }
                    }
                }
                let robot = Robot::new(parts).map_err(|error| {
                    StoreError::unfit(format!("manipulator `{name}`"), error, "run `noli db check`")
                })?;
                write_urdf(&robot)
            }
        };
        done.write(target, text.as_bytes())
    }
}
