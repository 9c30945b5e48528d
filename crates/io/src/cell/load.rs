//! A cell with the files it names, as the workplace that programs run in.

use super::read::{
    CellFile, CellGripper, CellRobot, Fingers, JointList, LocationPlace, RobotSource, SignalDrive, name_one,
    parse_cell,
};
use crate::scene::load_parsed;
use crate::{
    FileError, LinkKind, LoadedRobot, Place, ReadOptions, RobotOptions, StageOptions, TakeAs, Units,
    bytes_of, load_robot, load_srdf, stage,
};
use noli::{Convex, Model, Pose};
use noli_geom::{Mesh, MeshError};
use noli_robot::cell::CellPlan;
use noli_robot::run::{
    Grasp, LoosePart, OnContact, PairRule, Signal, SignalSource, Workplace, WorkplaceError,
};
use noli_robot::{
    Form, Geometry, GroupState, Joint, JointKind, Limits, Link, LinkShape, Mimic, Movement, Robot, Solid,
    with_stand_ins,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a part of a cell looks like.
#[derive(Clone, Debug)]
pub struct CellLook {
    /// The part's name.
    pub name: String,
    /// Its mesh, or one inscribed in its true shape; in metres.
    pub mesh: Mesh,
    /// The link of the first robot that it is on; `None` in the world.
    pub link: Option<usize>,
    /// Where it stands on the link, or in the world at the start.
    pub place: Pose,
    /// The number of the part that can be taken.
    pub loose: Option<usize>,
}

/// A cell, ready for programs.
#[derive(Clone, Debug)]
pub struct LoadedCell {
    /// What it is called in reports.
    pub title: String,
    /// What programs find.
    pub work: Workplace,
    /// What everything looks like.
    pub looks: Vec<CellLook>,
    /// The program it names: its path, and its text where it is bundled.
    pub program: Option<(PathBuf, Option<&'static str>)>,
    /// Named values for joints of the first robot, where an SRDF file says so.
    pub states: Vec<GroupState>,
    /// What happens where something would touch.
    pub on_contact: OnContact,
    /// How near to a corner the tool may leave its way, in metres.
    pub blend: f64,
    /// What was odd.
    pub warnings: Vec<String>,
    /// All files that were read.
    pub inputs: Vec<PathBuf>,
}

/// A robot of a component database, as a cell takes it.
#[derive(Clone, Debug)]
pub struct StoredArm {
    /// The robot with its shapes.
    pub loaded: LoadedRobot,
    /// What is said of its links besides what holds by default.
    pub rules: Vec<([String; 2], PairRule)>,
}

/// Opens a robot of a database: the file, the robot's name, and how its meshes are taken. This crate knows no
/// databases; `noli-store` does.
pub type OpenStored<'a> = &'a dyn Fn(&Path, &str, LinkKind) -> Result<StoredArm, FileError>;

/// Reads a cell and all files it names but programs. Robots of databases are refused: see [`load_cell_with`].
pub fn load_cell(path: impl AsRef<Path>) -> Result<LoadedCell, FileError> {
    load_cell_with(path, &no_databases)
}

/// [`load_cell`], with robots of databases opened by somebody who can.
pub fn load_cell_with(path: impl AsRef<Path>, stored: OpenStored<'_>) -> Result<LoadedCell, FileError> {
    let path = path.as_ref();
    let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
    let cell = parse_cell(&bytes).map_err(|error| error.in_file(path))?;
    Loader { cell: &cell, path, stored }.load()
}

fn no_databases(path: &Path, _: &str, _: LinkKind) -> Result<StoredArm, FileError> {
    let remedy = "export the robot with `noli db export` and name its URDF file";
    Err(FileError::new(Place::Whole, "databases are not opened here", remedy).in_file(path))
}

/// Whether a file is a cell: TOML that has robots in it, as no table of joints and no scene has.
pub fn is_cell_file(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let is_toml = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml"));
    let has_robot = |bytes: Vec<u8>| {
        let text = String::from_utf8_lossy(&bytes);
        text.lines().any(|line| {
            line.trim_start().starts_with("[robot]") || line.trim_start().starts_with("[[robot]]")
        })
    };
    is_toml && bytes_of(path).is_ok_and(has_robot)
}

/// [`load_cell`] of a text in memory, as if it stood in a file at this path.
pub fn load_cell_text(text: &[u8], path: &Path) -> Result<LoadedCell, FileError> {
    let cell = parse_cell(text).map_err(|error| error.in_file(path))?;
    Loader { cell: &cell, path, stored: &no_databases }.load()
}

/// The names of the cells that come with noli.
pub fn bundled_cells() -> Vec<&'static str> {
    noli_scenes::cells().iter().map(|cell| cell.name).collect()
}

/// Opens a cell that comes with noli.
pub fn open_bundled_cell(name: &str) -> Result<LoadedCell, FileError> {
    let Some(found) = noli_scenes::cells().iter().find(|cell| cell.name == name) else {
        let reason = format!("there is no bundled cell called `{name}`");
        return Err(FileError::new(Place::Whole, reason, name_one(name, bundled_cells().into_iter())));
    };
    let path = PathBuf::from(format!("{name} (bundled)"));
    let mut cell = load_cell_text(found.text().as_bytes(), &path)?;
    cell.program = Some((PathBuf::from(format!("{name}.val (bundled)")), Some(found.program)));
    cell.inputs.clear();
    Ok(cell)
}

struct Loader<'a> {
    cell: &'a CellFile,
    path: &'a Path,
    stored: OpenStored<'a>,
}

impl Loader<'_> {
    fn error(&self, line: usize, reason: impl Into<String>, remedy: impl Into<String>) -> FileError {
        let place = if line > 0 { Place::Line(line) } else { Place::Whole };
        FileError::new(place, reason, remedy).in_file(self.path)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    fn length(&self, value: f64) -> f64 {
        self.cell.scene.units.convert(value, Units::Metre)
    }

    fn load(&self) -> Result<LoadedCell, FileError> {
        let mut warnings = Vec::new();
        let mut inputs = vec![self.path.to_path_buf()];
        let (mut plan, mut looks, mut states) = (CellPlan::default(), Vec::new(), Vec::new());
        let (mut first, mut others): (Option<(Arc<Robot>, Pose)>, Vec<f64>) = (None, Vec::new());
        for (number, entry) in self.cell.robots.iter().enumerate() {
            let StoredArm { mut loaded, rules } = self.robot(entry, &mut inputs)?;
            warnings.append(&mut loaded.warnings.iter().map(|warning| warning.to_string()).collect());
            if number == 0
                && let Some(gripper) = &self.cell.gripper
            {
                loaded = self.with_gripper(loaded, entry, gripper)?;
            }
            let robot = Arc::new(loaded.robot.clone());
            let arm = plan.robot(&entry.prefix, robot.clone(), entry.base, &loaded.shapes);
            let arm =
                arm.map_err(|error| self.error(entry.line, error.to_string(), "give the robot a `name`"))?;
            self.stored_rules(&mut plan, entry, &rules)?;
            if let Some(file) = &entry.srdf {
                let file = self.folder().join(file);
                let srdf = load_srdf(&file, &robot)?;
                plan.srdf(arm, &srdf);
                inputs.push(file);
                if number == 0 {
                    states = srdf.states;
                }
            }
            if number == 0 {
                for shape in &loaded.shapes {
                    let mesh = look(&shape.solid, &robot.links()[shape.link].geometry().1[shape.piece].form);
                    let mesh = mesh
                        .map_err(|error| self.error(entry.line, error.to_string(), "correct its geometry"))?;
                    let name = format!("{}{}", entry.prefix, robot.links()[shape.link].name);
                    let (link, place) = (Some(shape.link), shape.link_from_shape);
                    looks.push(CellLook { name, mesh, link, place, loose: None });
                }
                first = Some((robot, entry.base));
            } else {
                let flange = self.flange(entry, &robot)?;
                others.extend(self.chain_values(&robot, flange, entry.start.as_ref(), entry.line)?);
            }
        }
        let Some((robot, base)) = first else {
            return Err(self.error(0, "the cell has no robot", "add a [[robot]]"));
        };
        let entry = &self.cell.robots[0];
        let flange = self.flange(entry, &robot)?;
        let mut work = Workplace::new(plan, robot.clone(), &entry.prefix, base, flange);
        work.others = others;
        work.start = self.chain_values(&robot, flange, entry.start.as_ref(), entry.line)?;
        work.ready =
            self.chain_values(&robot, flange, entry.ready.as_ref().or(entry.start.as_ref()), entry.line)?;
        work.tool = entry.tool;
        if let Some(speed) = self.cell.turn_speed {
            work.turn_speed = speed;
        }
        if let Some(speed) = self.cell.tool_speed {
            work.slide_speed = speed;
        }
        if let Some(gripper) = &self.cell.gripper {
            work.grasp = Some(self.grasp(gripper, &robot, entry)?);
        }
        self.bodies(&mut work, &mut looks, &mut warnings, &mut inputs)?;
        self.locations(&mut work)?;
        self.signals(&mut work)?;
        self.rules(&mut work)?;
        // Faults of names and shapes are told here, not in the middle of a run.
        let stand: Vec<_> =
            work.loose.iter().map(|part| noli_robot::run::Whereabouts::Stands(part.place)).collect();
        work.cell(&stand, None).map_err(|error: WorkplaceError| {
            self.error(0, error.to_string(), "give robots and bodies different names")
        })?;
        let program = self.cell.program.as_ref().map(|file| (self.folder().join(file), None));
        let title = crate::names::printable(&self.path.display().to_string());
        let (on_contact, blend) = (self.cell.on_contact, self.cell.blend);
        Ok(LoadedCell { title, work, looks, program, states, on_contact, blend, warnings, inputs })
    }

    /// What a database says of pairs of links, of those that have shapes.
    fn stored_rules(
        &self,
        plan: &mut CellPlan,
        entry: &CellRobot,
        rules: &[([String; 2], PairRule)],
    ) -> Result<(), FileError> {
        for (links, rule) in rules {
            let [a, b] = [0, 1].map(|k| format!("{}{}", entry.prefix, links[k]));
            if ![&a, &b].iter().all(|name| plan.part_names().any(|part| part == name.as_str())) {
                continue;
            }
            let said = match rule {
                PairRule::Off(reason) => plan.disable(&a, &b, reason),
                PairRule::Margin(margin) => plan.margin(&a, &b, *margin),
            };
            said.map_err(|error| {
                self.error(entry.line, error.to_string(), "correct the pair in the database")
            })?;
        }
        Ok(())
    }

    fn robot(&self, entry: &CellRobot, inputs: &mut Vec<PathBuf>) -> Result<StoredArm, FileError> {
        if let RobotSource::Stored { database, name } = &entry.source {
            let database = self.folder().join(database);
            let arm = (self.stored)(&database, name, entry.kind)?;
            inputs.push(database);
            return Ok(arm);
        }
        Ok(StoredArm { loaded: self.described(entry, inputs)?, rules: Vec::new() })
    }

    fn described(&self, entry: &CellRobot, inputs: &mut Vec<PathBuf>) -> Result<LoadedRobot, FileError> {
        let packages = entry.packages.iter().map(|folder| self.folder().join(folder)).collect();
        let options = RobotOptions { packages, kind: entry.kind };
        match &entry.source {
            RobotSource::Urdf(file) => {
                inputs.push(self.folder().join(file));
                load_robot(self.folder().join(file), &options)
            }
            RobotSource::Dh(file) => {
                inputs.push(self.folder().join(file));
                let mut loaded = load_robot(self.folder().join(file), &options)?;
                if loaded.shapes.is_empty() {
                    loaded.robot = with_stand_ins(loaded.robot, 0.05);
                    loaded.shapes = self.plain_shapes(&loaded.robot, entry)?;
                }
                Ok(loaded)
            }
            RobotSource::Stored { .. } => Err(self.error(entry.line, "it is in a database", "name a file")),
            RobotSource::Puma(set, radius) => {
                let robot = set.table().robot().map_err(|error| {
                    self.error(entry.line, error.to_string(), "choose another set of parameters")
                })?;
                let robot = with_stand_ins(robot, *radius);
                let shapes = self.plain_shapes(&robot, entry)?;
                Ok(LoadedRobot { robot, shapes, warnings: Vec::new() })
            }
        }
    }

    fn plain_shapes(&self, robot: &Robot, entry: &CellRobot) -> Result<Vec<LinkShape>, FileError> {
        robot
            .shapes(|file| Err(format!("no mesh `{file}` is read here")))
            .map_err(|error| self.error(entry.line, error.to_string(), "correct the geometry"))
    }

    fn flange(&self, entry: &CellRobot, robot: &Robot) -> Result<usize, FileError> {
        if let Some(name) = &entry.flange {
            return robot.link(name).ok_or_else(|| {
                let names = robot.links().iter().map(|link| link.name.as_str());
                let reason = format!("robot `{}` has no link `{name}`", robot.name());
                self.error(entry.line, reason, name_one(name, names))
            });
        }
        let turns = |link: usize| {
            let moving = |joint: &usize| {
                let joint = &robot.joints()[*joint];
                joint.kind != JointKind::Fixed && joint.mimic.is_none() && joint.kind != JointKind::Prismatic
            };
            robot.joints_to(link).iter().filter(|joint| moving(joint)).count()
        };
        let most = (0..robot.links().len()).map(turns).max().unwrap_or(0);
        Ok((0..robot.links().len()).find(|&link| turns(link) == most).unwrap_or(0))
    }

    /// The variables of the chain to a link, in order.
    fn chain(robot: &Robot, flange: usize) -> Vec<usize> {
        let joints = robot.joints_to(flange);
        let mut all: Vec<usize> = (0..robot.variables().len())
            .filter(|&v| robot.variables()[v].mimic.is_none() && joints.contains(&robot.variables()[v].joint))
            .collect();
        all.sort_by_key(|&v| joints.iter().position(|&joint| joint == robot.variables()[v].joint));
        all
    }

    fn joint_values(
        &self,
        robot: &Robot,
        chain: &[usize],
        list: &JointList,
        line: usize,
    ) -> Result<Vec<f64>, FileError> {
        if list.values.len() != chain.len() {
            let reason = format!("{} joint values for {} joints", list.values.len(), chain.len());
            return Err(self.error(line, reason, "give one for each joint from the base to the flange"));
        }
        let value = |(&variable, &value): (&usize, &f64)| match robot.variables()[variable].movement {
            Movement::Slide => self.length(value),
            Movement::Turn if list.degrees => value.to_radians(),
            Movement::Turn => value,
        };
        Ok(chain.iter().zip(&list.values).map(value).collect())
    }

    fn chain_values(
        &self,
        robot: &Robot,
        flange: usize,
        list: Option<&JointList>,
        line: usize,
    ) -> Result<Vec<f64>, FileError> {
        let mut values = robot.neutral().0;
        if let Some(list) = list {
            let chain = Self::chain(robot, flange);
            for (&variable, value) in chain.iter().zip(self.joint_values(robot, &chain, list, line)?) {
                values[variable] = value;
            }
        }
        robot.apply_laws(&mut values);
        robot
            .check_limits(&values)
            .map_err(|error| self.error(line, error.to_string(), "stay within the joint's limits"))?;
        Ok(values)
    }

    /// The robot with a palm and two fingers on its flange.
    fn with_gripper(
        &self,
        loaded: LoadedRobot,
        entry: &CellRobot,
        gripper: &CellGripper,
    ) -> Result<LoadedRobot, FileError> {
        let Fingers::Boxes { palm, finger, axis } = &gripper.fingers else { return Ok(loaded) };
        let flange = self.flange(entry, &loaded.robot)?;
        let flange_name = loaded.robot.links()[flange].name.clone();
        let boxed = |size: [f64; 3], place: Pose| Geometry {
            name: None,
            link_from_shape: place,
            form: Form::Box { size: size.into() },
            place: None,
        };
        let link = |name: &str, geometry: Geometry| {
            let mut link = Link::named(name);
            link.collision.push(geometry);
            link
        };
        let mut parts = loaded.robot.into_parts();
        let count = parts.links.len();
        parts.links.push(link("gripper", boxed(palm.0, palm.1)));
        parts.joints.push(Joint::new("gripper_mount", JointKind::Fixed, flange_name, "gripper"));
        // The other finger is the first one's mirror image, whose box is the same.
        let mirrored = {
            let along = finger.1.translation.dot(*axis);
            Pose::new(finger.1.rotation, finger.1.translation - 2.0 * along * *axis)
        };
        let range = Some(gripper.opening.map(|opening| 0.5 * opening));
        let limits = Limits { range, ..Limits::default() };
        for (name, place, direction) in [("finger_left", finger.1, *axis), ("finger_right", mirrored, -*axis)]
        {
            parts.links.push(link(name, boxed(finger.0, place)));
            let mut joint = Joint::new(format!("{name}_slide"), JointKind::Prismatic, "gripper", name);
            joint.axis = direction;
            joint.limits = limits;
            if name == "finger_right" {
                joint.mimic =
                    Some(Mimic { joint: "finger_left_slide".to_owned(), multiplier: 1.0, offset: 0.0 });
            }
            parts.joints.push(joint);
        }
        let robot = Robot::new(parts)
            .map_err(|error| self.error(gripper.line, error.to_string(), "rename links of the robot"))?;
        let mut shapes = loaded.shapes;
        let all = robot.shapes(|_| Err::<Mesh, String>(String::new()));
        match all {
            Ok(all) => shapes = all,
            // The robot's own meshes are loaded already; the new links have none.
            Err(_) => {
                for (number, link) in robot.links().iter().enumerate().skip(count) {
                    for (piece, geometry) in link.collision.iter().enumerate() {
                        let solid = geometry.solid(&mut |_| Err::<Mesh, String>(String::new()));
                        let solid = solid.map_err(|error| {
                            self.error(gripper.line, error.to_string(), "give the boxes an ordinary size")
                        })?;
                        let link_from_shape = geometry.link_from_shape;
                        shapes.push(LinkShape { link: number, piece, link_from_shape, solid });
                    }
                }
            }
        }
        Ok(LoadedRobot { robot, shapes, warnings: loaded.warnings })
    }

    fn grasp(&self, gripper: &CellGripper, robot: &Robot, entry: &CellRobot) -> Result<Grasp, FileError> {
        let no_such = |what: &str, name: &str, names: Vec<&str>| {
            let reason = format!("robot `{}` has no {what} `{name}`", robot.name());
            self.error(gripper.line, reason, name_one(name, names.into_iter()))
        };
        let link_called = |name: &str| {
            let names = robot.links().iter().map(|link| link.name.as_str()).collect();
            robot.link(name).ok_or_else(|| no_such("link", name, names))
        };
        let (opening, slack, seconds) = (gripper.opening, gripper.slack, gripper.seconds);
        let (link, joints): (usize, Vec<(String, [f64; 2])>) = match &gripper.fingers {
            Fingers::Boxes { .. } => {
                let half = opening.map(|opening| 0.5 * opening);
                (link_called("gripper")?, vec![("finger_left_slide".to_owned(), half)])
            }
            Fingers::Joints { link, joints } => (link_called(link)?, joints.clone()),
            Fingers::Sucker { link } => (link_called(link)?, Vec::new()),
        };
        let (mut fingers, mut finger_links) = (Vec::new(), Vec::new());
        for (name, mut ends) in joints {
            let Some(joint) = robot.joint(&name) else {
                let names = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
                return Err(no_such("joint", &name, names));
            };
            let Some(variable) = robot.variable(&name) else {
                let reason = format!("joint `{name}` does not move, or in several ways");
                return Err(self.error(gripper.line, reason, "name a joint that slides or turns"));
            };
            if robot.variables()[variable].movement == Movement::Turn {
                // Given as angles: the unit of lengths does not apply.
                ends = ends.map(|x| x / self.length(1.0));
            }
            fingers.push((variable, ends));
            let follows = |k: &usize| robot.variables()[*k].mimic.is_some_and(|law| law.of == variable);
            let followers = (0..robot.variables().len()).filter(follows).map(|k| robot.variables()[k].joint);
            for joint in [joint].into_iter().chain(followers) {
                finger_links.push(robot.ends(joint)[1]);
            }
        }
        // Whatever hangs on a finger is a finger.
        for number in 0..robot.links().len() {
            let chain = robot.joints_to(number);
            let on_finger = chain.iter().any(|&joint| finger_links.contains(&robot.ends(joint)[1]));
            if on_finger && !finger_links.contains(&number) {
                finger_links.push(number);
            }
        }
        let shaped = |link: &usize| !robot.links()[*link].geometry().1.is_empty();
        if !shaped(&link) {
            let reason = format!("link `{}` has no shape and cannot carry", robot.links()[link].name);
            return Err(self.error(entry.line.max(gripper.line), reason, "name a link that has one"));
        }
        finger_links.retain(shaped);
        let opening = if opening[0] == opening[1] && !fingers.is_empty() {
            // As far as all fingers go together.
            [0.0, fingers.iter().map(|(_, [closed, open])| (open - closed).abs()).sum::<f64>() * 2.0]
        } else {
            opening
        };
        Ok(Grasp { link, fingers, finger_links, opening, slack, seconds })
    }

    fn bodies(
        &self,
        work: &mut Workplace,
        looks: &mut Vec<CellLook>,
        warnings: &mut Vec<String>,
        inputs: &mut Vec<PathBuf>,
    ) -> Result<(), FileError> {
        if self.cell.scene.bodies.is_empty() {
            return self.cell.parts.first().map_or(Ok(()), |part| {
                let reason = format!("no body is called `{}`", part.body.as_str());
                Err(self.error(part.line, reason, "add a [[body]] of that name"))
            });
        }
        let scene = load_parsed(self.cell.scene.clone(), self.path, &ReadOptions::default())?;
        inputs.extend(scene.files(self.path));
        let options = StageOptions { take_as: TakeAs::Auto, ..StageOptions::default() };
        let staged =
            stage(&scene, &options).map_err(|error| self.error(0, error.to_string(), "correct the body"))?;
        warnings.extend(staged.warnings.iter().cloned());
        let factor = self.length(1.0);
        let mut used = vec![false; self.cell.parts.len()];
        let mut scaled: HashMap<*const glam::DVec3, Model> = HashMap::new();
        for ((_, body), (shown, loaded)) in staged.world.bodies().zip(staged.bodies.iter().zip(&scene.bodies))
        {
            let line = self.cell.scene.bodies[loaded.entry].line;
            let wrong = |text: String| self.error(line, text, "give it an ordinary size");
            let key = body.model().mesh().map(|mesh| mesh.vertices().as_ptr());
            let known = key.and_then(|key| scaled.get(&key));
            let model = match known {
                Some(model) => model.clone(),
                None if factor == 1.0 => body.model().clone(),
                None => body.model().scaled(factor).map_err(|error| wrong(error.to_string()))?,
            };
            if let Some(key) = key {
                scaled.insert(key, model.clone());
            }
            let pose = Pose::new(body.pose().rotation, body.pose().translation * factor);
            let name = body.name().to_owned();
            let is_part = self.cell.parts.iter().rposition(|part| part.body.matches(&name));
            let mesh = shown.look.scaled(factor).map_err(|error| wrong(error.to_string()))?;
            let loose = is_part.map(|_| work.loose.len());
            looks.push(CellLook { name: name.clone(), mesh, link: None, place: pose, loose });
            match is_part {
                Some(k) => {
                    used[k] = true;
                    let may_touch = self.cell.parts[k].may_touch.clone();
                    work.loose.push(LoosePart { name, model, place: pose, may_touch });
                }
                None => {
                    let added = work.plan.fixed(&name, &model, pose);
                    added.map_err(|error| self.error(line, error.to_string(), "give it another name"))?;
                }
            }
        }
        let unused = self.cell.parts.iter().zip(&used).find(|(_, used)| !**used);
        if let Some((part, _)) = unused {
            let names = scene.bodies.iter().map(|body| body.name.as_str());
            let reason = format!("no body is called `{}`", part.body.as_str());
            return Err(self.error(part.line, reason, name_one(part.body.as_str(), names)));
        }
        // What parts may touch: patterns of everything there is.
        let names: Vec<String> = work
            .plan
            .part_names()
            .map(str::to_owned)
            .chain(work.loose.iter().map(|part| part.name.clone()))
            .collect();
        for part in 0..work.loose.len() {
            let entry = self.cell.parts.iter().rfind(|entry| entry.body.matches(&work.loose[part].name));
            let mut all = Vec::new();
            for wanted in work.loose[part].may_touch.clone() {
                let pattern = noli::world::Pattern::new(&wanted);
                let found: Vec<&String> = names.iter().filter(|name| pattern.matches(name)).collect();
                if found.is_empty() {
                    let line = entry.map_or(0, |entry| entry.line);
                    let reason = format!("nothing is called `{wanted}`");
                    return Err(self.error(
                        line,
                        reason,
                        name_one(&wanted, names.iter().map(String::as_str)),
                    ));
                }
                all.extend(found.into_iter().filter(|name| **name != work.loose[part].name).cloned());
            }
            work.loose[part].may_touch = all;
        }
        Ok(())
    }

    fn locations(&self, work: &mut Workplace) -> Result<(), FileError> {
        let root_from_world = work.world_from_root.inverse();
        let chain = Self::chain(&work.robot, work.flange);
        for (number, location) in self.cell.locations.iter().enumerate() {
            let key = location.name.to_uppercase();
            match &location.place {
                LocationPlace::Joints(list) => {
                    let values = self.joint_values(&work.robot, &chain, list, location.line)?;
                    work.locations.points.insert(key, values);
                }
                LocationPlace::Relative(pose) => {
                    work.locations.transformations.insert(key, *pose);
                }
                LocationPlace::World(_) | LocationPlace::In(..) => {
                    let pose = root_from_world * self.in_world(number, 0)?;
                    work.locations.transformations.insert(key, pose);
                }
            }
        }
        Ok(())
    }

    fn in_world(&self, number: usize, depth: usize) -> Result<Pose, FileError> {
        let location = &self.cell.locations[number];
        if depth > self.cell.locations.len() {
            let reason = format!("location `{}` is in its own frame", location.name);
            return Err(self.error(location.line, reason, "end the circle of `in`"));
        }
        match &location.place {
            LocationPlace::World(pose) => Ok(*pose),
            LocationPlace::In(frame, pose) => {
                let named = |other: &super::CellLocation| {
                    other.name.eq_ignore_ascii_case(frame)
                        && matches!(other.place, LocationPlace::World(_) | LocationPlace::In(..))
                };
                let Some(found) = self.cell.locations.iter().position(named) else {
                    let names = self.cell.locations.iter().map(|location| location.name.as_str());
                    let reason = format!("there is no location `{frame}` to be a frame");
                    return Err(self.error(location.line, reason, name_one(frame, names)));
                };
                Ok(self.in_world(found, depth + 1)? * *pose)
            }
            LocationPlace::Joints(_) | LocationPlace::Relative(_) => Ok(Pose::IDENTITY),
        }
    }

    fn signals(&self, work: &mut Workplace) -> Result<(), FileError> {
        for signal in &self.cell.signals {
            if let Some(name) = &signal.name {
                work.variables.insert(name.to_uppercase(), f64::from(signal.number));
            }
            let source = match &signal.drive {
                SignalDrive::Constant(on) => SignalSource::Constant(*on),
                SignalDrive::Timed(changes) => SignalSource::Timed(changes.clone()),
                &SignalDrive::Follows { output, delay, inverted } => {
                    SignalSource::Follows { output, delay, inverted }
                }
                SignalDrive::Sees { size, place } => {
                    let zone = Convex::cuboid((*size).into()).and_then(Model::new);
                    let zone = zone.map_err(|error| {
                        let reason = format!("the zone of signal {}: {error}", signal.number);
                        self.error(0, reason, "give it an ordinary size")
                    })?;
                    SignalSource::Sees { zone, place: *place }
                }
            };
            work.signals.push(Signal { number: signal.number, source });
        }
        Ok(())
    }

    fn rules(&self, work: &mut Workplace) -> Result<(), FileError> {
        work.margin = self.cell.margin;
        let names: Vec<String> = work
            .plan
            .part_names()
            .map(str::to_owned)
            .chain(work.loose.iter().map(|part| part.name.clone()))
            .collect();
        for rule in &self.cell.rules {
            let [a, b] = [&rule.pair[0], &rule.pair[1]]
                .map(|pattern| names.iter().filter(|name| pattern.matches(name)).collect::<Vec<_>>());
            for (pattern, found) in rule.pair.iter().zip([&a, &b]) {
                if found.is_empty() {
                    let reason = format!("no link or body is called `{}`", pattern.as_str());
                    let remedy = name_one(pattern.as_str(), names.iter().map(String::as_str));
                    return Err(self.error(rule.line, reason, remedy));
                }
            }
            for x in &a {
                for y in b.iter().filter(|y| *y != x) {
                    let said =
                        rule.margin.map_or_else(|| PairRule::Off(rule.reason.clone()), PairRule::Margin);
                    work.rules.push(([(*x).clone(), (*y).clone()], said));
                }
            }
        }
        Ok(())
    }
}

/// A mesh to look at, inscribed in a round shape.
pub fn look(solid: &Solid, form: &Form) -> Result<Mesh, MeshError> {
    match (solid, form) {
        (Solid::Mesh(mesh), _) => Ok(mesh.clone()),
        (_, Form::Box { size }) => Mesh::cuboid(*size),
        (_, Form::Cylinder { radius, length }) => Mesh::cylinder(*length, *radius, 32),
        (_, Form::Sphere { radius }) => Mesh::sphere(*radius, 8),
        (_, Form::Capsule { radius, length }) => crate::scene::capsule(*radius, *length, 6),
        (_, Form::Mesh { .. }) => Ok(Mesh::empty()),
    }
}
