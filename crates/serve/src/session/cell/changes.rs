//! Changes to a cell: bodies, robots and pairs, as changes of its text.

use super::{CellState, Edit, OpenedCell};
use crate::cell_poses::drawn_bodies;
use crate::cell_text::CellText;
use crate::project::{CellSource, confined};
use crate::protocol::{Command, Event, Primitive, RobotEntryView};
use crate::session::{Answer, Session, To, Trouble};
use glam::{DQuat, DVec3};
use noli::Pose;
use noli_formats::{FileError, MeshFormat, Units};
use noli_project::cell::LoadedCell;
use noli_robot::cell::{PairRule, PartKind};
use std::path::Path;
use toml_edit::{Array, InlineTable, Value};

impl CellState {
    /// Returns the names of all parts, and `true` for those that stand still.
    pub(super) fn part_views(&self) -> Vec<(String, bool)> {
        let parts = self.cell.parts().iter();
        parts.map(|part| (part.name.clone(), matches!(part.holder, PartKind::World))).collect()
    }

    /// Returns the robots of the cell's text.
    pub(super) fn robot_views(&self) -> Vec<RobotEntryView> {
        let text = self.source.as_ref().map(|source| source.text.as_bytes());
        let Some(Ok(cell)) = text.map(noli_project::cell::parse_cell) else { return Vec::new() };
        let view = |(number, robot): (usize, &noli_project::cell::CellRobot)| RobotEntryView {
            name: match robot.prefix.trim_end_matches('/') {
                "" if number == 0 => self.loaded.work.robot.name().to_owned(),
                name => name.to_owned(),
            },
            xyz: robot.base.translation.to_array(),
            quaternion: robot.base.rotation.normalize().to_array(),
        };
        cell.robots.iter().enumerate().map(view).collect()
    }

    /// Takes over the state of the same cell before a change: joint values, program, taught locations.
    fn resume(&mut self, before: Self) {
        let names = |cell: &LoadedCell| -> Vec<String> {
            cell.work.robot.variables().iter().map(|variable| variable.name.clone()).collect()
        };
        if names(&self.loaded) == names(&before.loaded) {
            let arm = before.arm_values().to_vec();
            self.values[..arm.len()].copy_from_slice(&arm);
        }
        (self.program, self.saved_program) = (before.program, before.saved_program);
        // A taught location is a place in the world, also if the robot now stands elsewhere.
        let root_from_root = self.loaded.work.world_from_root.inverse() * before.loaded.work.world_from_root;
        let known = &mut self.loaded.work.locations;
        let taught = &before.loaded.work.locations;
        for name in &before.taught {
            match taught.transformations.get(name) {
                Some(pose) => drop(known.transformations.insert(name.clone(), root_from_root * *pose)),
                None => drop(known.transformations.remove(name)),
            }
            match taught.points.get(name) {
                Some(joints) => drop(known.points.insert(name.clone(), joints.clone())),
                None => drop(known.points.remove(name)),
            }
        }
        self.taught = before.taught;
    }
}

fn told(error: &FileError) -> Trouble {
    Trouble::new(error.reason.clone(), error.remedy.clone())
}

/// A pose that a page sent.
fn pose_of(xyz: [f64; 3], quaternion: [f64; 4]) -> Result<Pose, Trouble> {
    let pose = Pose::new(DQuat::from_array(quaternion), xyz.into());
    let is_ordinary = pose.is_valid() && xyz.iter().all(|x| x.abs() < 1e6);
    let wrong = || Trouble::new("invalid pose", "give lengths below 1000 km and a rotation");
    is_ordinary.then_some(pose).ok_or_else(wrong)
}

impl Session {
    /// Changes the cell that is open.
    pub(in crate::session) fn change_cell(
        &mut self,
        command: Command,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let mut text = CellText::read(&self.cell_source()?.text)?;
        let what = match command {
            Command::Add { shape } => self.add_shape(&mut text, shape)?,
            Command::AddFile { file, units } => self.add_file_to_cell(&mut text, &file, units.as_deref())?,
            Command::UsePart { name } if self.is_manipulator(&name) => self.add_robot(&mut text, &name)?,
            Command::UsePart { name } => {
                let file = self.part_file(&name)?;
                self.add_file_to_cell(&mut text, &file, Some(Units::Metre.sign()))?
            }
            Command::AddSwept => self.add_swept_to_cell(&mut text)?,
            Command::Place { body, xyz, quaternion } => {
                let name = self.entry(body)?.name.clone();
                text.place_body(&name, &self.entry_pose(body, pose_of(xyz, quaternion)?)?)?;
                format!("place {name}")
            }
            Command::Remove { body, with } => {
                let names = self.names_of_all(body, &with)?;
                names.iter().try_for_each(|name| text.remove_body(name))?;
                Edit::Remove { names }.words()
            }
            Command::AddRobot { description } => self.add_robot(&mut text, &description)?,
            Command::PlaceRobot { robot, xyz, quaternion } => {
                text.place_robot(robot, &pose_of(xyz, quaternion)?)?;
                format!("place {}", self.robot_name(robot)?)
            }
            Command::RemoveRobot { robot } => {
                let name = self.robot_name(robot)?;
                text.remove_robot(robot)?;
                format!("remove {name}")
            }
            Command::UseTool { name } => {
                let tool = self.stored_tool(&name)?;
                text.set_tool(&tool.flange_from_tool)?;
                if let Some(part) = tool.component {
                    let note = format!("{name} is its frame alone: {part} is not mounted, and not checked.");
                    answer.tell(To::All, Event::Note { text: note });
                }
                format!("tool {name}")
            }
            Command::CellPair { a, b, on, reason } => {
                let pair = [a.as_str(), b.as_str()];
                self.set_cell_pair(&mut text, pair, on.then_some(()).ok_or(reason))?;
                format!("pair {a}, {b}")
            }
            Command::Margin { value } if value.is_finite() && value >= 0.0 => {
                text.set_margin(value)?;
                format!("margin {value}")
            }
            _ => {
                let text = "this is not possible in a cell";
                return Err(Trouble::new(
                    text,
                    "move the arm by its joints; drag bodies, or place them by numbers",
                ));
            }
        };
        let (from, to) = (self.cell_source()?.text.clone(), text.text());
        if from == to {
            return Ok(());
        }
        self.do_edit(Edit::Cell { what, from, to }, answer)
    }

    /// Adds the swept volume where it is; its pairs with the parts that sweep it are disabled.
    fn add_swept_to_cell(&self, text: &mut CellText) -> Result<String, Trouble> {
        let (file, moving) = self.swept_file()?;
        let stem = Path::new(&file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("swept");
        let name = self.new_name(stem);
        let units = Units::Metre.sign();
        let keys = |_: &dyn Fn(f64) -> f64| {
            vec![("file", Value::from(file.as_str())), ("units", Value::from(units))]
        };
        text.add_body(&name, keys, &Pose::IDENTITY)?;
        moving.iter().try_for_each(|part| text.disable_pair([&name, part], "sweeps this volume"))?;
        Ok(format!("add {name}"))
    }

    pub(in crate::session) fn cell_source(&self) -> Result<&CellSource, Trouble> {
        let bundled = || Trouble::new("a bundled cell is not changed", "save it as a file first");
        self.cell()?.source.as_ref().ok_or_else(bundled)
    }

    fn robot_name(&self, number: usize) -> Result<String, Trouble> {
        let none = || Trouble::new("there is no such robot", "reload the page");
        self.cell()?.robot_views().into_iter().nth(number).map(|robot| robot.name).ok_or_else(none)
    }

    /// Pose of a new body: on the ground plane, next to everything else.
    fn free_place(&self) -> Pose {
        let bounds = self.staged.world.bodies().map(|(_, body)| body.bounds());
        let most = bounds.map(|bounds| bounds.max.x).fold(0.0, f64::max);
        // A round number is easier to correct.
        Pose::from_translation(DVec3::X * ((most + 0.25) * 10.0).ceil() / 10.0)
    }

    fn add_shape(&self, text: &mut CellText, shape: Primitive) -> Result<String, Trouble> {
        let base = match shape {
            Primitive::Box { .. } => "box",
            Primitive::Sphere { .. } => "sphere",
            Primitive::Cylinder { .. } => "cylinder",
        };
        let name = self.new_name(base);
        let keys = |length: &dyn Fn(f64) -> f64| {
            let table = |entries: &[(&str, f64)]| {
                let mut table = InlineTable::new();
                entries.iter().for_each(|(key, metres)| drop(table.insert(*key, length(*metres).into())));
                Value::InlineTable(table)
            };
            vec![match shape {
                Primitive::Box { size } => ("box", Value::Array(Array::from_iter(size.map(length)))),
                Primitive::Sphere { radius } => ("sphere", table(&[("radius", radius)])),
                Primitive::Cylinder { radius, height } => {
                    ("cylinder", table(&[("radius", radius), ("height", height)]))
                }
            }]
        };
        text.add_body(&name, keys, &self.free_place())?;
        Ok(format!("add {name}"))
    }

    fn add_file_to_cell(
        &self,
        text: &mut CellText,
        file: &str,
        units: Option<&str>,
    ) -> Result<String, Trouble> {
        let none = || {
            Trouble::new(format!("the folder has no mesh file {file:?}"), "drop it onto the page to add it")
        };
        let folder = self.folder.get().ok_or_else(none)?;
        confined(folder, file).ok_or_else(none)?;
        let own = MeshFormat::from_extension(Path::new(file)).ok_or_else(none)?.own_units();
        let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("part");
        let name = self.new_name(stem);
        let units = own.map(|own| own.sign()).or(units);
        let keys = |_: &dyn Fn(f64) -> f64| {
            let mut keys = vec![("file", Value::from(file))];
            keys.extend(units.map(|units| ("units", Value::from(units))));
            keys
        };
        text.add_body(&name, keys, &self.free_place())?;
        Ok(format!("add {name}"))
    }

    /// URDF files of the folder, and manipulators of its database.
    pub(super) fn robot_descriptions(&self) -> Vec<String> {
        let is_urdf = |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf"));
        let mut all = self.files_by(is_urdf);
        all.extend(self.stored_names("manipulator"));
        all
    }

    fn add_robot(&self, text: &mut CellText, description: &str) -> Result<String, Trouble> {
        let none = || {
            let text = format!("there is no robot {description:?}");
            Trouble::new(text, "give a URDF file of the folder, or a manipulator of the database")
        };
        let folder = self.folder.get().ok_or_else(none)?;
        let taken = |name: &str| {
            let links = format!("{name}/");
            self.entries.iter().any(|entry| entry.name == name || entry.name.starts_with(&links))
        };
        let stem = Path::new(description).file_stem().and_then(|stem| stem.to_str()).unwrap_or("robot");
        let mut names = std::iter::once(stem.to_owned()).chain((2..).map(|k| format!("{stem}-{k}")));
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        let base = self.free_place();
        if self.is_manipulator(description) {
            let database = self.database.as_ref().and_then(|path| path.file_name()?.to_str());
            let keys = [("stored", description), ("database", database.ok_or_else(none)?)];
            text.add_robot(&name, &keys, &base)?;
            return Ok(format!("add {name}"));
        }
        let path = confined(folder, description).ok_or_else(none)?;
        crate::session::parts::stays_within(&path, folder)?;
        let srdf = Path::new(description).with_extension("srdf");
        let srdf = srdf.to_str().filter(|srdf| confined(folder, srdf).is_some());
        let keys: Vec<(&str, &str)> =
            std::iter::once(("urdf", description)).chain(srdf.map(|srdf| ("srdf", srdf))).collect();
        text.add_robot(&name, &keys, &base)?;
        Ok(format!("add {name}"))
    }

    /// Checks a pair, or disables it for a reason.
    fn set_cell_pair(
        &self,
        text: &mut CellText,
        pair: [&str; 2],
        state: Result<(), String>,
    ) -> Result<(), Trouble> {
        const LONGEST: usize = 200;
        let cell = &self.cell()?.cell;
        let same = |names: [&str; 2]| names == pair || [names[1], names[0]] == pair;
        if !(0..cell.pairs().len()).any(|number| same(cell.pair_names(number))) {
            let text = format!("the cell has no pair of {} and {}", pair[0], pair[1]);
            return Err(Trouble::new(text, "reload the page"));
        }
        let reason = match state {
            Err(reason) if reason.len() > LONGEST => {
                return Err(Trouble::new("this reason is too long", "at most 200 letters"));
            }
            Err(reason) if reason.trim().is_empty() => "disabled in the studio".to_owned(),
            Err(reason) => reason,
            Ok(()) => {
                text.forget_pair(pair);
                // Other rules, the SRDF file or a joint may disable it all the same.
                let fresh = self.loaded_cell(&text.text())?;
                let fresh = CellState::new(OpenedCell { loaded: fresh, source: None })?.cell;
                let number = (0..fresh.pairs().len()).find(|&number| same(fresh.pair_names(number)));
                let rule = number.map(|number| &fresh.pairs()[number].rule);
                if matches!(rule, Some(PairRule::Disabled(_))) {
                    text.check_pair(pair)?;
                }
                return Ok(());
            }
        };
        text.disable_pair(pair, reason.trim())
    }

    /// Loads a text as the file of the cell.
    fn loaded_cell(&self, text: &str) -> Result<LoadedCell, Trouble> {
        let path = &self.cell_source()?.path;
        noli_store::load_cell_text(text.as_bytes(), path).map_err(|error| told(&error))
    }

    /// Replaces the cell by that of another text; what does not read changes nothing.
    pub(in crate::session) fn apply_cell(&mut self, text: &str, answer: &mut Answer) -> Result<(), Trouble> {
        let source = CellSource { text: text.to_owned(), ..self.cell_source()?.clone() };
        let loaded = self.loaded_cell(text)?;
        let (world, bodies) = drawn_bodies(&loaded)?;
        let mut state = CellState::new(OpenedCell { loaded, source: Some(source) })?;
        if let Some(before) = self.cell.take() {
            state.resume(before);
        }
        self.dragging = None;
        self.staged.warnings.clone_from(&state.loaded.warnings);
        let poses = state.poses();
        self.cell = Some(state);
        (self.staged.world, self.staged.bodies) = (world, bodies.clone());
        self.scene_rules = self.staged.world.rules().clone();
        self.reuse_shapes(&bodies);
        self.entries.clear();
        self.numbers.clear();
        for body in bodies {
            self.enter(body, None)?;
        }
        for (number, pose) in poses.into_iter().enumerate() {
            let id = self.id(number)?;
            self.staged.world.move_to(id, pose)?;
        }
        self.free_unused_shapes();
        if self.is_page_unfit() {
            self.measure_page();
        }
        self.checked = None;
        self.told_state.forget();
        answer.renew = true;
        Ok(())
    }
}
