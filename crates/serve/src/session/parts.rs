//! The component database: listing, viewing, import and composition into manipulators.

use super::{Answer, Edit, Session, To, Trouble};
use crate::project::{confined, plain_file_name};
use crate::protocol::{Command, DhView, Event, PartView};
use glam::DQuat;
use noli::model::MeshKind;
use noli::{Mesh, Model, Pose};
use noli_formats::{MeshFormat, NamedMesh, Units, write_mesh};
use noli_project::{RobotOptions, StagedBody, robot_files};
use noli_robot::{DhTable, Robot};
use noli_store::{Change, ImportOptions, Store, StoreError, StoredTool};
use std::path::{Path, PathBuf};

/// Maximum number of entries sent at a time; a search finds others.
const MOST_TOLD: usize = 400;
/// The longest text of a composition.
const LONGEST: usize = 100_000;

fn told(error: impl std::fmt::Display) -> Trouble {
    let text = error.to_string();
    match text.split_once("; ") {
        Some((text, help)) => Trouble::new(text, help),
        None => Trouble::new(text, "choose another one"),
    }
}

impl Session {
    fn store(&self, writes: bool) -> Result<Store, Trouble> {
        let none =
            || Trouble::new("there is no component database here", "make one with noli db init parts.db");
        let path = self.database.as_ref().ok_or_else(none)?;
        if writes { Store::open(path) } else { Store::open_to_read(path) }.map_err(told)
    }

    /// Returns the contents of the database, and the files that can be imported.
    fn parts_event(&self, store: &Store, search: &str) -> Result<Event, Trouble> {
        let all = store.list(None).map_err(told)?;
        let (total, wanted) = (all.len(), search.to_lowercase());
        let fits = |text: &str| text.to_lowercase().contains(&wanted);
        let entries = all.into_iter().filter(|entry| fits(&entry.name) || fits(&entry.kind));
        let entries = entries.take(MOST_TOLD).map(|entry| PartView {
            kind: entry.kind,
            name: entry.name,
            about: entry.about,
        });
        Ok(Event::Parts { entries: entries.collect(), total, files: self.files_by(can_be_taken) })
    }

    pub(super) fn parts(&self, client: u64, search: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let event = self.parts_event(&self.store(false)?, search)?;
        answer.tell(To::One(client), event);
        Ok(())
    }

    /// Sends the properties of an entry; if the database itself was opened, also shows it in the view.
    pub(super) fn part(&mut self, client: u64, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let store = self.store(false)?;
        let shown = store.show(name).map_err(told)?;
        let (mut pieces, mut dh) = (Vec::new(), None);
        match shown.kind.as_str() {
            "component" => {
                let units = store.component(name).map_err(told)?.units;
                let mesh = store.component_mesh(name).map_err(told)?;
                let mesh = mesh.scaled(units.convert(1.0, Units::Metre)).map_err(told)?;
                pieces.push((name.to_owned(), mesh, Pose::IDENTITY));
            }
            "manipulator" => {
                let (robot, looks) = robot_looks(&store, name)?;
                (pieces, dh) = (looks, Some(DhView::new(&robot, robot.tip())));
            }
            _ => {}
        }
        let mut bodies = Vec::new();
        if self.is_database && !pieces.is_empty() {
            bodies = self.show_alone(pieces)?;
            self.tell_body_list(answer);
        }
        let (kind, name, values) = (shown.kind, shown.name, shown.values);
        answer.tell(To::One(client), Event::Part { kind, name, values, dh, bodies });
        Ok(())
    }

    /// Shows meshes instead of the whole scene: database entries are viewed one by one.
    fn show_alone(&mut self, pieces: Vec<(String, Mesh, Pose)>) -> Result<Vec<usize>, Trouble> {
        self.dragging = None;
        for number in 0..self.entries.len() {
            self.free_shape(number);
            if let Some(id) = self.entries[number].id {
                self.staged.world.remove(id)?;
            }
        }
        self.entries.clear();
        self.numbers.clear();
        self.staged.bodies.clear();
        self.checked = None;
        for (name, look, pose) in pieces {
            let name = self.new_name(&name);
            let id = self.staged.world.add(name, &Model::from(&look), pose)?;
            let body = StagedBody {
                id,
                look,
                is_true_shape: false,
                kind: MeshKind::Surface,
                said: false,
                flaw: None,
                is_collapsed: false,
                origin: Default::default(),
                cells: None,
            };
            self.staged.bodies.push(body.clone());
            self.enter(body, None)?;
        }
        Ok((0..self.entries.len()).collect())
    }

    /// A file of the folder into the database.
    pub(super) fn import_part(&mut self, file: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let none = || Trouble::new(format!("the folder has no file {file:?}"), "drop it onto the page first");
        let folder = self.folder.get().map(PathBuf::as_path).ok_or_else(none)?;
        let path = plain_file_name(file).and_then(|file| confined(folder, file)).ok_or_else(none)?;
        if !can_be_taken(&path) {
            return Err(Trouble::new(
                format!("{file} is neither a mesh nor a robot"),
                "give .obj, .stl, .ply, .off, .gltf, .glb, .dxf or .urdf",
            ));
        }
        stays_within(&path, folder)?;
        let mut store = self.store(true)?;
        let (done, change) =
            store.watched(|store| store.import(&path, &ImportOptions::default())).map_err(told)?;
        let names: Vec<String> =
            done.entries.iter().map(|[kind, name]| format!("{kind} {name}")).take(6).collect();
        answer.tell(To::All, Event::Note { text: format!("Taken in: {}.", names.join(", ")) });
        done.warnings.into_iter().take(3).for_each(|text| answer.tell(To::All, Event::Note { text }));
        answer.tell(To::All, self.parts_event(&store, "")?);
        self.keep(Edit::Stored { what: format!("take in {file}"), change }, answer)
    }

    /// A change of the database once more, or taken back.
    pub(super) fn apply_stored(&mut self, change: &Change, answer: &mut Answer) -> Result<(), Trouble> {
        let mut store = self.store(true)?;
        store.apply(change).map_err(told)?;
        answer.tell(To::All, self.parts_event(&store, "")?);
        // The displayed entry may not exist any more, or be another.
        if self.is_database {
            self.show_alone(Vec::new())?;
            self.tell_body_list(answer);
        }
        Ok(())
    }

    /// A manipulator of stored parts.
    pub(super) fn compose(
        &mut self,
        client: u64,
        text: &str,
        replace: bool,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if text.len() > LONGEST {
            return Err(Trouble::new("this text is too long", "at most 100 kB"));
        }
        let mut store = self.store(true)?;
        let (name, change) = store.watched(|store| store.compose(text, replace)).map_err(told)?;
        answer.tell(To::All, Event::Note { text: format!("{name} is composed.") });
        answer.tell(To::All, self.parts_event(&store, "")?);
        self.keep(Edit::Stored { what: format!("compose {name}"), change }, answer)?;
        self.part(client, &name, answer)
    }

    /// Changes properties of a stored entry that no file contains.
    pub(super) fn edit_stored(
        &mut self,
        client: u64,
        command: Command,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let mut store = self.store(true)?;
        let edit = |store: &mut Store| -> Result<(String, String), StoreError> {
            match command {
                Command::StoredMass { name, density, mass } => {
                    store.set_mass(&name, density, mass)?;
                    Ok((format!("mass of {name}"), name))
                }
                Command::StoredPair { name, links: [a, b], on, margin, reason } => {
                    store.set_pair(&name, [&a, &b], on, margin.filter(|_| on), &reason)?;
                    Ok((format!("pair {a}, {b}"), name))
                }
                Command::StoredTool { name, component, xyz, quaternion } => {
                    let flange_from_tool = Pose::new(DQuat::from_array(quaternion), xyz.into());
                    let tool = StoredTool { name: name.trim().to_owned(), component, flange_from_tool };
                    store.add_tool(&tool, true)?;
                    Ok((format!("tool {}", tool.name), tool.name))
                }
                // No other command is dispatched here.
                _ => Ok(Default::default()),
            }
        };
        let ((what, name), change) = store.watched(edit).map_err(told)?;
        answer.tell(To::All, self.parts_event(&store, "")?);
        self.keep(Edit::Stored { what, change }, answer)?;
        self.part(client, &name, answer)
    }

    /// A stored part into the scene.
    pub(super) fn use_part(&mut self, name: &str, answer: &mut Answer) -> Result<(), Trouble> {
        if self.is_database {
            return Err(Trouble::new("no scene is open", "open one in the folder of the database"));
        }
        let file = self.part_file(name)?;
        self.add_file(&file, answer)
    }

    /// Names of the stored entries of a kind, such as manipulators.
    pub(super) fn stored_names(&self, kind: &str) -> Vec<String> {
        let Ok(store) = self.store(false) else { return Vec::new() };
        let all = store.list(Some(kind)).unwrap_or_default().into_iter();
        all.take(MOST_TOLD).map(|entry| entry.name).collect()
    }

    /// Returns a stored tool.
    pub(super) fn stored_tool(&self, name: &str) -> Result<StoredTool, Trouble> {
        self.store(false)?.tool(name).map_err(told)
    }

    /// Returns `true` if the database has a manipulator of this name.
    pub(super) fn is_manipulator(&self, name: &str) -> bool {
        let shown = self.store(false).ok().and_then(|store| store.show(name).ok());
        shown.is_some_and(|shown| shown.kind == "manipulator")
    }

    /// Writes the mesh of a stored part, in the unit of the scene, to a new file of the folder; the file's name.
    pub(super) fn part_file(&self, name: &str) -> Result<String, Trouble> {
        let store = self.store(false)?;
        let info = store.component(name).map_err(told)?;
        let mesh = store.component_mesh(name).map_err(told)?;
        let mesh = mesh.scaled(info.units.convert(1.0, self.staged.units)).map_err(told)?;
        self.new_mesh_file(name, mesh)
    }

    /// Writes a mesh to a new file of the folder; the file's name.
    pub(super) fn new_mesh_file(&self, name: &str, mesh: Mesh) -> Result<String, Trouble> {
        let none =
            || Trouble::new("there is no folder for its file", "save the scene first, or open a folder");
        let folder = self.folder.get().cloned().ok_or_else(none)?;
        let stem: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' })
            .collect();
        let free = |file: &String| !folder.join(file).exists();
        let mut files =
            std::iter::once(format!("{stem}.obj")).chain((2..).map(|k| format!("{stem}-{k}.obj")));
        let file = files.find(free).unwrap_or_default();
        write_mesh(folder.join(&file), &[NamedMesh { name: stem, mesh }]).map_err(told)?;
        Ok(file)
    }

    /// Files of the folder of some kind, by their names.
    pub(super) fn files_by(&self, fits: impl Fn(&Path) -> bool) -> Vec<String> {
        let Some(folder) = self.folder.get() else { return Vec::new() };
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| entry.path())
            .filter(|path| fits(path))
            .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        files.truncate(500);
        files
    }
}

/// Returns `true` if a database accepts the file named by the page: meshes and robots.
pub(crate) fn can_be_taken(path: &Path) -> bool {
    MeshFormat::from_extension(path).is_some()
        || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"))
}

/// Refuses a robot whose meshes lie outside the folder: nothing there is read.
pub(super) fn stays_within(path: &Path, folder: &Path) -> Result<(), Trouble> {
    if MeshFormat::from_extension(path).is_some() {
        return Ok(());
    }
    let text = noli_formats::text_of(path).map_err(told)?;
    let robot = noli_robot::Robot::from_urdf_str(&text).map_err(told)?;
    let files = robot_files(path, &robot, &RobotOptions::default()).map_err(told)?;
    let is_within = |file: &PathBuf| file.canonicalize().is_ok_and(|file| file.starts_with(folder));
    match files.into_iter().find(|(_, found)| found.as_ref().is_some_and(|found| !is_within(found))) {
        None => Ok(()),
        Some((name, _)) => {
            let text = format!("the mesh {name} lies outside the folder");
            Err(Trouble::new(text, "copy it into the folder, or use noli db import"))
        }
    }
}

/// The name of a link, what it looks like, and where.
type LinkLook = (String, Mesh, Pose);

/// A stored robot, and its links as they look with all joints as near to 0 as they may be.
fn robot_looks(store: &Store, name: &str) -> Result<(Robot, Vec<LinkLook>), Trouble> {
    let stored = store.robot(name).map_err(told)?;
    let robot = Robot::new(stored.parts).map_err(told)?;
    let component = |file: &str| {
        let known = stored.meshes.iter().find(|mesh| mesh.file == file);
        known.map_or_else(|| file.to_owned(), |mesh| mesh.component.clone())
    };
    let load = |file: &str| -> Result<Mesh, StoreError> { store.component_mesh(&component(file)) };
    let shapes = robot.shapes_or_visual(load).map_err(told)?;
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(&robot.neutral().0, &mut poses);
    let mut looks = Vec::new();
    for shape in shapes {
        let link = &robot.links()[shape.link];
        let mesh = noli_project::cell::look(&shape.solid, &robot.geometry_of(&shape).form).map_err(told)?;
        looks.push((link.name.clone(), mesh, poses[shape.link] * shape.link_from_shape));
    }
    Ok((robot, looks))
}

impl DhView {
    /// Of the chain to a link.
    pub(super) fn new(robot: &Robot, tip: usize) -> Self {
        match DhTable::derived(robot, tip) {
            Ok(derived) => Self {
                rows: derived
                    .table
                    .rows
                    .iter()
                    .map(|row| {
                        let [theta, alpha] = [row.theta, row.alpha].map(f64::to_degrees);
                        (row.name.clone(), [theta, row.d * 1e3, row.a * 1e3, alpha].map(rounded))
                    })
                    .collect(),
                slides: derived.table.rows.iter().map(|row| row.slides).collect(),
                why: String::new(),
            },
            Err(why) => Self { why: why.to_string(), ..Self::default() },
        }
    }
}

/// To what a table shows: a millionth of a degree or millimetre.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}
