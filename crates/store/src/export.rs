//! From the store into files.

use crate::{Store, StoreError};
use noli_formats::{NamedMesh, ReadOptions, Units, write_mesh, write_whole};
use noli_geom::Pose;
use noli_program::run::{Run, RunOptions};
use noli_project::cell::{CellLook, RunSource, load_cell_with, look, looks_gltf, meshes_gltf, run_gltf};
use noli_project::{RobotOptions, StageOptions, TakeAs, load_scene, stage};
use noli_robot::{GeometryKind, Robot};
use rusqlite::OptionalExtension;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

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

/// A temporary folder that is deleted on drop.
struct LaidOut(PathBuf);

impl LaidOut {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("noli-export-{}-{number}", std::process::id())))
    }
}

impl Drop for LaidOut {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
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
        looks.push(CellLook { name: body.name().to_owned(), mesh, link: None, place, loose: None });
        poses.push(place);
    }
    Ok(looks_gltf(&looks, &poses)?)
}

/// A name as that of a file.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

impl Store {
    /// Exports an entry by its name. A component becomes a mesh file, a manipulator URDF with its meshes in a
    /// folder `meshes` next to it. A cell or scene is written with the files it names, a program as text. In binary
    /// glTF (`.glb`), components, manipulators and scenes are static. A cell moves by its program, until that ends
    /// or something would touch. The extension of the target selects the format.
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
                } else if end == "glb" {
                    let unit = info.units.convert(1.0, Units::Metre);
                    let mesh = self.component_mesh(name)?.scaled(unit).map_err(|error| {
                        StoreError::unfit(format!("component `{name}`"), error, "import it in another unit")
                    })?;
                    done.write(target, &meshes_gltf(&[NamedMesh { name: name.to_owned(), mesh }])?)?;
                } else {
                    return unfit(".obj, .stl, .off, .ply or .glb");
                }
            }
            "manipulator" => match end.as_str() {
                "urdf" => self.export_urdf(name, target, &mut done)?,
                "glb" => done.write(target, &self.robot_gltf(name)?)?,
                _ => return unfit(".urdf or .glb"),
            },
            "cell" | "scene" => match end.as_str() {
                "toml" => self.export_cell(name, target, &mut done)?,
                "glb" => self.export_animated(name, entry.kind == "cell", target, &mut done)?,
                _ => return unfit(".toml or .glb"),
            },
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

    /// Exports a cell or scene, with the files it names next to it.
    fn export_cell(&self, name: &str, target: &Path, done: &mut Exported) -> Result<(), StoreError> {
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
        let files = rows.query_map([name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)));
        for file in files.map_err(at)? {
            let (path, bytes) = file.map_err(at)?;
            let path = Path::new(&path);
            if path.components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
                done.warnings.push(format!("{} would leave the folder and is not written", path.display()));
                continue;
            }
            done.write(&folder.join(path), &bytes)?;
        }
        done.write(target, text.unwrap_or_default().as_bytes())
    }

    /// A cell or scene as binary glTF. Its files are laid out for a moment, as those who read them expect.
    fn export_animated(
        &self,
        name: &str,
        is_cell: bool,
        target: &Path,
        done: &mut Exported,
    ) -> Result<(), StoreError> {
        let laid_out = LaidOut::new();
        let file = laid_out.0.join("cell.toml");
        let mut inside = Exported::default();
        self.export_cell(name, &file, &mut inside)?;
        done.warnings.append(&mut inside.warnings);
        if !is_cell {
            return done.write(target, &scene_gltf(&file)?);
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
        done.write(target, &run_gltf(&cell, &run, FRAMES_A_SECOND)?)
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
            let described = &robot.links()[shape.link];
            let mesh = look(&shape.solid, &robot.geometry_of(shape).form)
                .map_err(|error| unfit(error.to_string()))?;
            let (name, place) = (described.name.clone(), shape.link_from_shape);
            looks.push(CellLook { name, mesh, link: Some(shape.link), place, loose: None });
            poses.push(links[shape.link] * place);
        }
        Ok(looks_gltf(&looks, &poses)?)
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
        done.write(target, text.as_bytes())
    }
}
