//! Files into the store.

use crate::component::{NewComponent, insert as insert_component};
use crate::load_cell;
use crate::manipulator::{NewRobot, insert as insert_robot};
use crate::store::keep;
use crate::{Store, StoreError};
use noli_formats::{MeshFormat, ReadOptions, Units, read_bytes, read_link_bytes};
use noli_project::cell::{CellFile, LocationPlace, RobotSource, SignalDrive, parse_cell};
use noli_project::{RobotOptions, load_robot, load_scene, parse_scene, robot_files};
use noli_robot::DhTable;
use rusqlite::{Transaction, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Options for importing files.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// Name of the entry; by default that of its file.
    pub name: Option<String>,
    /// Unit of a mesh file; by default millimetres, metres for glTF.
    pub units: Option<Units>,
    /// The density of parts, in kilograms a cubic metre.
    pub density: Option<f64>,
    /// `true` if it replaces an entry of the same name.
    pub replace: bool,
    /// Folders that hold packages, for robots.
    pub packages: Vec<PathBuf>,
}

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Imported {
    /// Kinds and names.
    pub entries: Vec<[String; 2]>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Imported {
    fn entry(&mut self, kind: &str, name: &str) {
        self.entries.push([kind.to_owned(), name.to_owned()]);
    }
}

fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    Ok(noli_formats::bytes_of(path).map_err(|error| error.in_file(path))?)
}

fn text(path: &Path) -> Result<String, StoreError> {
    Ok(noli_formats::text_of(path).map_err(|error| error.in_file(path))?)
}

fn extension(path: &Path) -> String {
    path.extension().map_or_else(String::new, |end| end.to_string_lossy().to_ascii_lowercase())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A cell or a scene as it was read.
struct CellText<'a> {
    path: &'a Path,
    text: &'a str,
    /// `None` for a scene.
    cell: Option<&'a CellFile>,
    /// The files it names.
    inputs: Vec<PathBuf>,
}

impl Store {
    /// Takes a file in: a mesh (OBJ, STL, PLY, OFF, glTF, DXF), a robot (URDF, or a DH table), a cell, a scene
    /// or a program (`.val`), with the files it names. All of it is stored, or nothing.
    pub fn import(
        &mut self,
        path: impl AsRef<Path>,
        options: &ImportOptions,
    ) -> Result<Imported, StoreError> {
        let path = path.as_ref();
        if path.is_dir() || !path.exists() {
            let reason = if path.is_dir() { "this is a folder" } else { "there is no such file" };
            return Err(StoreError::unfit(path.display().to_string(), reason, "name a file"));
        }
        match extension(path).as_str() {
            "urdf" | "xml" => self.import_urdf(path, options),
            "toml" => self.import_toml(path, options),
            "val" | "v2" | "pg" => self.import_program(path, options),
            _ => self.import_mesh(path, options),
        }
    }

    fn import_mesh(&mut self, path: &Path, options: &ImportOptions) -> Result<Imported, StoreError> {
        let bytes = read(path)?;
        let format = MeshFormat::from_content(&bytes).or_else(|| MeshFormat::from_extension(path));
        let Some(format) = format else {
            return Err(StoreError::unfit(
                path.display().to_string(),
                "this is neither a mesh, a robot, a cell, a scene nor a program",
                "give .obj, .stl, .ply, .off, .gltf, .glb, .dxf, .urdf, .toml or .val",
            ));
        };
        let word = format_word(format);
        let file = read_bytes(&bytes, format, &ReadOptions::default())
            .map_err(|error| noli_formats::FileError { path: Some(path.to_path_buf()), ..error })?;
        if file.objects.is_empty() {
            let remedy = "check that it holds faces, not only points, lines or curves";
            return Err(StoreError::unfit(path.display().to_string(), "the file holds no faces", remedy));
        }
        let units = options.units.unwrap_or(match format {
            MeshFormat::Gltf => Units::Metre,
            _ => Units::Millimetre,
        });
        let name = options.name.clone().unwrap_or_else(|| stem(path));
        let mut done = Imported::default();
        done.warnings.extend(file.warnings.iter().map(|warning| format!("{}: {warning}", path.display())));
        let single = file.objects.len() == 1;
        let source = path.display().to_string();
        let mut news = Vec::new();
        for object in &file.objects {
            let own = if single || object.name.is_empty() {
                name.clone()
            } else {
                format!("{name}/{}", object.name)
            };
            news.push(NewComponent {
                name: own,
                bytes: &bytes,
                format: word.to_owned(),
                object: (!single).then(|| object.name.clone()),
                units,
                mesh: &object.mesh,
                density: options.density,
                source: source.clone(),
            });
        }
        let stored = self.change(|tx| {
            news.iter().try_for_each(|new| insert_component(tx, new, options.replace).map(|_| ()))
        });
        stored.map_err(|error| crate::component::taken(error, "component", &name))?;
        news.iter().for_each(|new| done.entry("component", &new.name));
        Ok(done)
    }

    fn import_urdf(&mut self, path: &Path, options: &ImportOptions) -> Result<Imported, StoreError> {
        let described = text(path)?;
        let robot_options = RobotOptions { packages: options.packages.clone(), ..RobotOptions::default() };
        let loaded = load_robot(path, &robot_options)?;
        let name = options.name.clone().unwrap_or_else(|| loaded.robot.name().to_owned());
        let mut done = Imported::default();
        done.warnings.extend(loaded.warnings.iter().map(|warning| format!("{}: {warning}", path.display())));
        let mut meshes = Vec::new();
        for (file, found) in robot_files(path, &loaded.robot, &robot_options)? {
            let Some(found) = found else {
                // What only visual geometry names may be missing: nobody checks it.
                done.warnings.push(format!("{}: mesh `{file}` is not there and not stored", path.display()));
                continue;
            };
            let bytes = read(&found)?;
            let format = extension(&found);
            let mesh = read_link_bytes(&bytes, &format)?;
            meshes.push((file, found, bytes, format, mesh));
        }
        let mut names: Vec<String> = Vec::new();
        for (_, found, ..) in &meshes {
            let plain = format!("{name}/{}", stem(found));
            let taken = names
                .iter()
                .filter(|other| **other == plain || other.starts_with(&format!("{plain}-")))
                .count();
            names.push(if taken == 0 { plain } else { format!("{plain}-{}", taken.saturating_add(1)) });
        }
        let stored = self.change(|tx| {
            let mut components = HashMap::new();
            for ((file, found, bytes, format, mesh), component) in meshes.iter().zip(&names) {
                let new = NewComponent {
                    name: component.clone(),
                    bytes,
                    format: format.clone(),
                    object: None,
                    units: Units::Metre,
                    mesh,
                    density: options.density,
                    source: found.display().to_string(),
                };
                components.insert(file.clone(), insert_component(tx, &new, options.replace)?);
            }
            let mut parts = loaded.robot.clone().into_parts();
            for link in &mut parts.links {
                // A mesh that is not there has no component.
                for list in [&mut link.collision, &mut link.visual] {
                    list.retain(|geometry| match &geometry.form {
                        noli_robot::GeometryKind::Mesh { file, .. } => components.contains_key(file),
                        _ => true,
                    });
                }
            }
            let robot = noli_robot::Robot::new(parts).unwrap_or_else(|_| loaded.robot.clone());
            let new =
                NewRobot { name: &name, robot: &robot, text: Some(&described), components: &components };
            insert_robot(tx, &new, options.replace)
        });
        stored.map_err(|error| crate::component::taken(error, "manipulator", &name))?;
        done.entry("manipulator", &name);
        names.iter().for_each(|component| done.entry("component", component));
        Ok(done)
    }

    fn import_program(&mut self, path: &Path, options: &ImportOptions) -> Result<Imported, StoreError> {
        let source = noli_project::cell::RunSource::read(path)?;
        let name = options.name.clone().unwrap_or_else(|| stem(path));
        let program = text(path)?;
        if options.replace {
            self.change(|tx| tx.execute("DELETE FROM program WHERE name = ?1", [&name]))?;
        }
        self.add_program(&name, &program)?;
        let mut done = Imported::default();
        done.warnings.extend(
            source
                .programs
                .remarks
                .iter()
                .map(|remark| format!("{}: {}: {}", path.display(), remark.place, remark.text)),
        );
        done.entry("program", &name);
        Ok(done)
    }

    fn import_toml(&mut self, path: &Path, options: &ImportOptions) -> Result<Imported, StoreError> {
        let described = text(path)?;
        let as_cell = parse_cell(described.as_bytes());
        if let Ok(cell) = as_cell {
            let loaded = load_cell(path)?;
            let mut inputs = loaded.inputs.clone();
            for robot in &cell.robots {
                let folder = path.parent().unwrap_or(Path::new(""));
                if let RobotSource::Stored { database, .. } = &robot.source {
                    // A database is no file of a cell in it: it may be that very one.
                    let database = folder.join(database);
                    inputs.retain(|input| *input != database);
                }
                if let RobotSource::Urdf(file) = &robot.source {
                    let urdf = folder.join(file);
                    let packages = RobotOptions::packages_in(folder, &robot.packages);
                    let robot_options = RobotOptions { packages, kind: robot.kind, visual: robot.visual };
                    let read = load_robot(&urdf, &robot_options)?;
                    let found = robot_files(&urdf, &read.robot, &robot_options)?;
                    inputs.extend(found.into_iter().filter_map(|(_, found)| found));
                }
            }
            inputs.extend(loaded.program.iter().map(|(program, _)| program.clone()).filter(|p| p.is_file()));
            let read = CellText { path, text: &described, cell: Some(&cell), inputs };
            return self.keep_cell(read, loaded.warnings, options);
        }
        if described.lines().any(|line| {
            let line = line.trim();
            line == "[robot]" || line == "[[robot]]"
        }) {
            // It wants to be a cell: what is wrong with it as one is what helps.
            load_cell(path)?;
        }
        match (parse_scene(described.as_bytes()), described.parse::<DhTable>()) {
            (Err(_), Ok(table)) => {
                let robot = table.robot().map_err(|error| {
                    StoreError::unfit(path.display().to_string(), error, "correct the table")
                })?;
                let name = options.name.clone().unwrap_or_else(|| robot.name().to_owned());
                self.add_robot(&name, &robot, options.replace)?;
                let mut done = Imported::default();
                done.entry("manipulator", &name);
                Ok(done)
            }
            _ => {
                let scene = load_scene(path, &ReadOptions::default())?;
                if scene.bodies.is_empty() {
                    let remedy = "add a [[body]] to it";
                    let what = path.display().to_string();
                    return Err(StoreError::unfit(what, "the scene has no bodies", remedy));
                }
                let warnings = scene
                    .warnings
                    .iter()
                    .map(|(file, warning)| format!("{}: {warning}", file.display()))
                    .collect();
                let read = CellText { path, text: &described, cell: None, inputs: scene.files(path) };
                self.keep_cell(read, warnings, options)
            }
        }
    }

    fn keep_cell(
        &mut self,
        CellText { path, text, cell, inputs }: CellText<'_>,
        warnings: Vec<String>,
        options: &ImportOptions,
    ) -> Result<Imported, StoreError> {
        let name = options.name.clone().unwrap_or_else(|| stem(path));
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut done = Imported { warnings, ..Imported::default() };
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for input in inputs {
            if input == path {
                continue;
            }
            let inside = input.strip_prefix(folder).ok().filter(|inside| {
                inside.components().all(|part| matches!(part, std::path::Component::Normal(_)))
            });
            match inside {
                Some(inside) => {
                    let key = inside.to_string_lossy().replace('\\', "/");
                    if !files.iter().any(|file| file.0 == key) {
                        files.push((key, read(&input)?));
                    }
                }
                None => done.warnings.push(format!(
                    "{} is outside the folder of {} and not stored",
                    input.display(),
                    path.display()
                )),
            }
        }
        let kind = if cell.is_some() { "cell" } else { "scene" };
        let stored = self.change(|tx| {
            if options.replace {
                tx.execute("DELETE FROM cell WHERE name = ?1", [&name])?;
            }
            tx.execute(
                "INSERT INTO cell (name, kind, text) VALUES (?1, ?2, ?3)",
                [name.as_str(), kind, text],
            )?;
            let id = tx.last_insert_rowid();
            for (key, bytes) in &files {
                let blob = keep(tx, bytes)?;
                tx.execute(
                    "INSERT INTO cell_file (cell, path, blob) VALUES (?1, ?2, ?3)",
                    params![id, key, blob],
                )?;
            }
            cell.map_or(Ok(()), |cell| rows(tx, id, cell))
        });
        stored.map_err(|error| crate::component::taken(error, "cell", &name))?;
        done.entry(kind, &name);
        Ok(done)
    }
}

/// Writes locations and signals as rows, for queries with other tools.
fn rows(tx: &Transaction<'_>, id: i64, cell: &CellFile) -> rusqlite::Result<()> {
    for location in &cell.locations {
        let (kind, frame, pose, joints) = match &location.place {
            LocationPlace::Joints(list) => ("joints", None, None, serde_json::to_string(&list.values).ok()),
            LocationPlace::World(pose) => ("world", None, Some(pose), None),
            LocationPlace::In(frame, pose) => ("frame", Some(frame), Some(pose), None),
            LocationPlace::Relative(pose) => ("relative", None, Some(pose), None),
        };
        let [x, y, z, qx, qy, qz, qw] = pose.map_or([None; 7], |pose| pose.to_array().map(Some));
        tx.execute(
            "INSERT OR REPLACE INTO location (cell, name, kind, frame, x, y, z, qx, qy, qz, qw, joints) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![id, location.name, kind, frame, x, y, z, qx, qy, qz, qw, joints],
        )?;
    }
    for signal in &cell.signals {
        let drive = match &signal.drive {
            SignalDrive::Constant(on) => format!("always {}", if *on { "on" } else { "off" }),
            SignalDrive::Timed(changes) => format!("{} changes by the clock", changes.len()),
            SignalDrive::Follows { output, delay, inverted } => {
                format!("{}output {output} after {delay} s", if *inverted { "not " } else { "" })
            }
            SignalDrive::Sees { .. } => "sees parts in a box".to_owned(),
        };
        tx.execute(
            "INSERT OR REPLACE INTO signal (cell, number, name, drive) VALUES (?1, ?2, ?3, ?4)",
            params![id, signal.number, signal.name, drive],
        )?;
    }
    Ok(())
}

fn format_word(format: MeshFormat) -> &'static str {
    match format {
        MeshFormat::Obj => "obj",
        MeshFormat::Stl => "stl",
        MeshFormat::Off => "off",
        MeshFormat::Ply => "ply",
        MeshFormat::Gltf => "glb",
        MeshFormat::Dxf => "dxf",
        MeshFormat::ThreeMf => "3mf",
        MeshFormat::Collada => "dae",
    }
}
