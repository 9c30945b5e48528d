//! From the store into files.

use crate::component::known_format;
use crate::{Store, StoreError};
use noli_formats::{MeshFormat, NamedMesh, PrivateFolder, ReadOptions, Units, write_bytes, write_whole};
use noli_geom::{Mesh, Pose};
use noli_program::run::{Run, RunOptions};
use noli_project::cell::{CellLook, RunSource, load_cell_with, look, looks_gltf, meshes_gltf, run_gltf};
use noli_project::{RobotOptions, StageOptions, TakeAs, load_scene, stage};
use noli_robot::{GeometryKind, Robot};
use rusqlite::OptionalExtension;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Frames a second of animations, besides the ends of motions.
const FRAMES_A_SECOND: f64 = 25.0;

/// Result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exported {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Files of an export, all made before the first is written.
struct Plan {
    /// Folder of the target; files that the database names lie in it.
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
    warnings: Vec<String>,
}

impl Plan {
    fn new(target: &Path) -> Self {
        Self { folder: folder_of(target).to_path_buf(), files: Vec::new(), warnings: Vec::new() }
    }

    /// Adds the file that was asked for.
    fn target(&mut self, path: &Path, bytes: Vec<u8>) {
        self.files.push((path.to_path_buf(), bytes));
    }

    /// Adds a file next to the target, by a name of the database. Names that leave the folder, or that are hidden as
    /// those of settings and hooks are, are left out with a warning.
    fn beside(&mut self, name: &str, bytes: Vec<u8>) {
        let is_plain = |part: Component<'_>| match part {
            Component::Normal(part) => !part.as_encoded_bytes().starts_with(b"."),
            _ => false,
        };
        if name.is_empty() || name.contains('\\') || !Path::new(name).components().all(is_plain) {
            self.warnings.push(format!("{name:?} would leave the folder or be hidden: not written"));
            return;
        }
        self.files.push((self.folder.join(name), bytes));
    }

    /// A name next to the target for bytes, so that different bytes have different names.
    fn free_name(&self, stem: &str, end: &str, bytes: &[u8]) -> String {
        let names = (1..).map(|k| if k == 1 { format!("{stem}.{end}") } else { format!("{stem}-{k}.{end}") });
        let is_free = |name: &String| {
            let path = self.folder.join(name);
            self.files.iter().all(|(other, content)| *other != path || content == bytes)
        };
        names.into_iter().find(is_free).unwrap_or_default()
    }

    /// Writes all files; none if one is there already, unless it may be replaced.
    fn write(self, replace: bool) -> Result<Exported, StoreError> {
        if !replace
            && let Some((path, _)) = self.files.iter().find(|(path, _)| path.symlink_metadata().is_ok())
        {
            return Err(StoreError::unfit(
                path.display().to_string(),
                "there is a file already, and nothing was written",
                "choose another folder, or give --replace",
            ));
        }
        let mut done = Exported { files: Vec::new(), warnings: self.warnings };
        for (path, bytes) in self.files {
            let folder = folder_of(&path);
            make(folder)?;
            refuse_links(&self.folder, if path.is_symlink() { &path } else { folder })?;
            write_whole(&path, &bytes)?;
            done.files.push(path);
        }
        Ok(done)
    }
}

/// Returns the folder of a path; that of a bare file name is the current one, which has no empty name.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn make(folder: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let what = folder.display().to_string();
        StoreError::unfit(what, format!("cannot be made: {error}"), "check the path and its permissions")
    })
}

/// Refuses a path below the target's folder that a link leads out of it.
fn refuse_links(folder: &Path, path: &Path) -> Result<(), StoreError> {
    let inside = folder.canonicalize().and_then(|base| Ok(path.canonicalize()?.starts_with(base)));
    match inside {
        Ok(true) => Ok(()),
        _ => {
            let reason = "a link leads out of the folder of the export";
            Err(StoreError::unfit(path.display().to_string(), reason, "remove the link"))
        }
    }
}

/// Returns the bodies of a scene at their poses, in metres.
fn scene_gltf(file: &Path) -> Result<Vec<u8>, StoreError> {
    let unfit = |error: String| StoreError::unfit("the scene", error, "correct the body");
    let scene = load_scene(file, &ReadOptions::default())?;
    let options = StageOptions { take_as: TakeAs::Auto, ..StageOptions::default() };
    let staged = stage(&scene, &options).map_err(|error| unfit(error.to_string()))?;
    let factor = scene.scene.units.convert(1.0, Units::Metre);
    let (mut looks, mut poses) = (Vec::new(), Vec::new());
    for ((_, body), shown) in staged.world.bodies().zip(&staged.bodies) {
        let mesh = shown.look.scaled(factor).map_err(|error| unfit(error.to_string()))?;
        let place = Pose::new(body.pose().rotation, body.pose().translation * factor);
        looks.push(CellLook::of_mesh(body.name().to_owned(), mesh, None, place));
        poses.push(place);
    }
    Ok(looks_gltf(&looks, &poses)?)
}

/// A name as that of a file, not hidden.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}

/// A mesh as a file of this format.
fn mesh_bytes(end: &str, name: String, mesh: Mesh) -> Result<Vec<u8>, StoreError> {
    let format = MeshFormat::from_extension(format!("x.{end}").as_ref()).unwrap_or(MeshFormat::Obj);
    Ok(write_bytes(format, &[NamedMesh { name, mesh }])?)
}

impl Store {
    /// Exports an entry by its name. A component becomes a mesh file, a manipulator URDF with its meshes in a
    /// folder `meshes` next to it. A cell or scene is written with the files it names, a program as text. In binary
    /// glTF (`.glb`), components, manipulators and scenes are static. A cell moves by its program, until that ends
    /// or something would touch. The extension of the target selects the format.
    ///
    /// Files that are there already are refused unless `replace` is set. Nothing is written outside the folder of the
    /// target, whatever names the database holds.
    pub fn export(
        &self,
        name: &str,
        target: impl AsRef<Path>,
        replace: bool,
    ) -> Result<Exported, StoreError> {
        let target = target.as_ref();
        let end =
            target.extension().map_or_else(String::new, |end| end.to_string_lossy().to_ascii_lowercase());
        let entry = self.find(name)?;
        let unfit = |wanted: &str| {
            let what = format!("{} `{name}`", entry.kind);
            Err(StoreError::unfit(what, format!("cannot become `.{end}`"), format!("write {wanted}")))
        };
        let mut done = Plan::new(target);
        match entry.kind.as_str() {
            "component" => {
                let info = self.component(name)?;
                if end == info.format && info.object.is_none() {
                    done.target(target, self.blob(&info.blob)?);
                } else if ["obj", "stl", "off", "ply"].contains(&end.as_str()) {
                    done.target(target, mesh_bytes(&end, name.to_owned(), self.component_mesh(name)?)?);
                } else if end == "glb" {
                    let unit = info.units.convert(1.0, Units::Metre);
                    let mesh = self.component_mesh(name)?.scaled(unit).map_err(|error| {
                        StoreError::unfit(format!("component `{name}`"), error, "import it in another unit")
                    })?;
                    done.target(target, meshes_gltf(&[NamedMesh { name: name.to_owned(), mesh }])?);
                } else {
                    return unfit(".obj, .stl, .off, .ply or .glb");
                }
            }
            "manipulator" => match end.as_str() {
                "urdf" => self.export_urdf(name, target, &mut done)?,
                "glb" => done.target(target, self.robot_gltf(name)?),
                _ => return unfit(".urdf or .glb"),
            },
            "cell" | "scene" => match end.as_str() {
                "toml" => self.export_cell(name, target, &mut done)?,
                "glb" => self.export_animated(name, entry.kind == "cell", target, &mut done)?,
                _ => return unfit(".toml or .glb"),
            },
            "program" => done.target(target, self.program(name)?.into_bytes()),
            "run" => {
                if end != "json" {
                    return unfit(".json");
                }
                let query = "SELECT report FROM run WHERE id = ?1";
                let report = self.column(query, name)?.into_iter().next().unwrap_or_default();
                done.target(target, report.into_bytes());
            }
            _ => return unfit("something else"),
        }
        done.write(replace)
    }

    /// Exports a cell or scene, with the files it names next to it.
    fn export_cell(&self, name: &str, target: &Path, done: &mut Plan) -> Result<(), StoreError> {
        let at = |error| self.wrong(error);
        let text: Option<String> = self
            .connection
            .query_row("SELECT text FROM cell WHERE name = ?1", [name], |row| row.get(0))
            .optional()
            .map_err(at)?;
        let files = "SELECT f.path, b.bytes FROM cell_file f JOIN cell c ON c.id = f.cell \
             JOIN blob b ON b.hash = f.blob WHERE c.name = ?1 ORDER BY f.path";
        for (path, bytes) in self.rows(files, [name], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
            done.beside(&path, bytes);
        }
        done.target(target, text.unwrap_or_default().into_bytes());
        Ok(())
    }

    /// A cell or scene as binary glTF. Its files are laid out for a moment, as those who read them expect.
    fn export_animated(
        &self,
        name: &str,
        is_cell: bool,
        target: &Path,
        done: &mut Plan,
    ) -> Result<(), StoreError> {
        let laid_out = PrivateFolder::new()?;
        let file = laid_out.path().join("cell.toml");
        let mut inside = Plan::new(&file);
        self.export_cell(name, &file, &mut inside)?;
        done.warnings.append(&mut inside.write(false)?.warnings);
        if !is_cell {
            done.target(target, scene_gltf(&file)?);
            return Ok(());
        }
        let here = self.path().to_path_buf();
        let cell = load_cell_with(&file, &|database: &Path, robot: &str, options: &RobotOptions| {
            // A relative name of this very file leads nowhere from where the cell is laid out.
            let found = if database.is_file() { database } else { here.as_path() };
            crate::arm::open_arm(found, robot, options)
        })?;
        let mut run = Run::status(&cell.work);
        if cell.program.is_some() {
            let source = RunSource::of_cell(&cell)?;
            let options = RunOptions {
                on_contact: cell.on_contact,
                profile: 0,
                blend: cell.blend,
                ..RunOptions::default()
            };
            run = noli_program::run::run(&cell.work, &source.programs, &source.main, &options)
                .map_err(|error| StoreError::unfit(format!("cell `{name}`"), error, "correct the cell"))?;
            if let Err(error) = &run.outcome {
                done.warnings.push(format!("the program ends early: {error}"));
            }
        } else {
            done.warnings.push(format!("cell `{name}` names no program: nothing moves"));
        }
        done.target(target, run_gltf(&cell, &run, FRAMES_A_SECOND)?);
        Ok(())
    }

    /// A manipulator in its neutral configuration.
    fn robot_gltf(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let unfit =
            |error: String| StoreError::unfit(format!("manipulator `{name}`"), error, "correct its geometry");
        let options = RobotOptions { visual: true, ..RobotOptions::default() };
        let loaded = self.arm(name, &options)?.loaded;
        let robot = &loaded.robot;
        let mut links = vec![Pose::IDENTITY; robot.links().len()];
        robot.link_poses(&robot.neutral().0, &mut links);
        let (mut looks, mut poses) = (Vec::new(), Vec::new());
        for shape in &loaded.shapes {
            let (Some(described), Some(&link)) = (robot.links().get(shape.link), links.get(shape.link))
            else {
                continue;
            };
            let mesh = look(&shape.solid, &robot.geometry_of(shape).form)
                .map_err(|error| unfit(error.to_string()))?;
            let (name, place) = (described.name.clone(), shape.link_from_shape);
            looks.push(CellLook::of_mesh(name, mesh, Some(shape.link), place));
            poses.push(link * place);
        }
        Ok(looks_gltf(&looks, &poses)?)
    }

    fn export_urdf(&self, name: &str, target: &Path, done: &mut Plan) -> Result<(), StoreError> {
        let stored = self.robot(name)?;
        let mut names: HashMap<String, String> = HashMap::new();
        for mesh in &stored.meshes {
            let info = self.component(&mesh.component)?;
            let (end, bytes) = match &info.object {
                None => (known_format(&mesh.format)?, self.blob(&mesh.blob)?),
                Some(_) => {
                    let (name, surface) = (mesh.component.clone(), self.component_mesh(&mesh.component)?);
                    ("obj", mesh_bytes("obj", name, surface)?)
                }
            };
            let file = done.free_name(&format!("meshes/{}", file_name(&mesh.component)), end, &bytes);
            done.beside(&file, bytes);
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
                        if let GeometryKind::Mesh { file, .. } = &mut geometry.form
                            && let Some(new) = names.get(file)
                        {
                            file.clone_from(new);
                        }
                    }
                }
                let robot = Robot::new(parts).map_err(|error| {
                    StoreError::unfit(format!("manipulator `{name}`"), error, "run `noli db check`")
                })?;
                robot.to_urdf()
            }
        };
        done.target(target, text.into_bytes());
        Ok(())
    }
}
