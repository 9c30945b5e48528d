//! The state that all tabs share: what bodies there are, where they stand, what was changed and what was found.
//!
//! A session is asked one command at a time and says what to tell whom. It knows no threads, sockets or files but its
//! journal; work that takes long comes out as [`Work`], runs elsewhere and comes back as [`Finished`].

mod cell;
mod drag;
mod edit;
mod rules;
mod tree;
mod work;

pub(crate) use cell::cell_poses;
pub use edit::Edit;
pub use work::{Finished, Work};

use crate::journal::Journal;
use crate::project::Project;
use crate::protocol::{BodyView, Command, Edits, Event, Formula, Hello, PatternRule, PlayView, Results};
use crate::save::{Placed, Wanted};
use glam::{DQuat, DVec3};
use noli::model::MeshKind;
use noli::penetration::DepthQuery;
use noli::query::{Clock, SteadyClock};
use noli::world::{BodyId, CheckResult, Rules, SnapshotAsk, WorldError};
use noli::{Mesh, Model, Pose};
use noli_io::clash::ClashStatus;
use noli_io::report::{CheckReport, RunReport};
use noli_io::{Check, FieldSource, Shape, Staged, StagedBody, Units};
use noli_pages::shape::{View, middle_of};
use noli_pages::{Up, pair_view, words};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// How long somebody waits for a depth while nobody else is answered.
const FOR_DEPTH: Duration = Duration::from_millis(60);

/// To whom something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// One tab.
    One(u64),
    /// All tabs.
    All,
    /// All but one; may be left out where a tab is slow, because what follows says it again.
    Others(u64),
}

/// What a command comes to.
#[derive(Debug, Default)]
pub struct Answer {
    /// What to tell whom, in order.
    pub events: Vec<(To, Event)>,
    /// What to do beside.
    pub work: Option<Work>,
    /// Whether what is done beside is to be stopped.
    pub cancel: bool,
}

impl Answer {
    fn tell(&mut self, to: To, event: Event) {
        self.events.push((to, event));
    }
}

/// Why something was not done, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}; {help}")]
pub struct Trouble {
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub help: String,
}

impl Trouble {
    pub(crate) fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

impl From<WorldError> for Trouble {
    fn from(error: WorldError) -> Self {
        Self::new(error.to_string(), "undo the last change, or reload the page")
    }
}

/// Triangles as they are sent: each shape once.
#[derive(Clone, Debug)]
pub struct ShapeSource {
    pub(crate) mesh: Mesh,
    pub(crate) middle: DVec3,
}

/// All shapes, which requests read while the session goes on.
pub type Shapes = Arc<RwLock<Vec<ShapeSource>>>;

/// A body of the studio. Numbers are never used again, so that every tab and every change means the same.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: String,
    group: Option<String>,
    /// `None` while it is taken out.
    id: Option<BodyId>,
    model: Model,
    body: StagedBody,
    shape: usize,
    middle: DVec3,
    /// Where it stood when it was taken out.
    pose: Pose,
    /// What it was made from, where it was added here and is not in the scene file yet.
    added: Option<Added>,
    /// Its own entry in the scene file, with the body it hangs on; `None` for parts of a split file and the like.
    origin: Option<Origin>,
    /// What it is given by, where that is a formula that can be changed here.
    formula: Option<Formula>,
}

/// What a body that was added here was made from.
#[derive(Clone, Debug)]
enum Added {
    /// The text of a scene.
    Text(String),
    /// The body of this name.
    Copy(String),
}

/// A body that stands in the scene file under its own name.
#[derive(Clone, Debug)]
struct Origin {
    pose: Pose,
    parent: Option<String>,
    formula: Option<Formula>,
}

/// What was found last.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) staged: Box<Staged>,
    pub(crate) result: CheckResult,
    pub(crate) report: CheckReport,
    pub(crate) seconds: f64,
    /// The bodies of the studio by their ids then.
    pub(crate) numbers: HashMap<BodyId, usize>,
}

/// The state that all tabs share.
pub struct Session {
    title: String,
    unit: &'static str,
    units: Option<noli_io::Units>,
    up: Up,
    view: View,
    staged: Staged,
    entries: Vec<Entry>,
    numbers: HashMap<BodyId, usize>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) scene_file: Option<PathBuf>,
    bundled: Option<(String, u32)>,
    undo: Vec<Edit>,
    redo: Vec<Edit>,
    unsaved: usize,
    journal: Option<Journal>,
    cell: Option<cell::CellState>,
    dragging: Option<drag::Dragging>,
    /// As the scene has them; what is said here comes on top.
    scene_rules: Rules,
    margin: f64,
    patterns: Vec<PatternRule>,
    by_hand: BTreeMap<[usize; 2], bool>,
    /// What the scene says of clashes.
    clashes: Check,
    /// Whether the last change of the program goes on.
    is_typing: bool,
    /// Counts all changes.
    edition: u64,
    status: BTreeMap<[String; 2], String>,
    checked: Option<Checked>,
    stale: bool,
    shapes: Shapes,
    /// By where vertices lie in memory: bodies that share a mesh share a shape.
    shape_of: HashMap<usize, usize>,
    ask: SnapshotAsk<'static>,
    clock: SteadyClock,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("title", &self.title)
            .field("bodies", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A project as it was opened; changes that were made and not saved before are made again. Says what was odd.
    pub fn new(project: Project) -> Result<(Self, Vec<String>), Trouble> {
        let Project { source, staged, folder, scene_file, bundled, cell } = project;
        let view = View::new(&staged);
        let units = source.units;
        let mut session = Self {
            title: source.title,
            unit: units.map_or("", noli_io::Units::sign),
            units,
            up: Up::of_files(&source.inputs),
            view,
            entries: Vec::new(),
            numbers: HashMap::new(),
            folder,
            scene_file,
            bundled,
            undo: Vec::new(),
            redo: Vec::new(),
            unsaved: 0,
            journal: None,
            cell: cell.map(|cell| cell::CellState::new(*cell)).transpose()?,
            dragging: None,
            scene_rules: staged.world.rules().clone(),
            margin: staged.world.rules().default_margin(),
            patterns: Vec::new(),
            by_hand: BTreeMap::new(),
            clashes: source.scene.scene.check.clone(),
            is_typing: false,
            edition: 0,
            status: BTreeMap::new(),
            checked: None,
            stale: true,
            shapes: Shapes::default(),
            shape_of: HashMap::new(),
            ask: SnapshotAsk::default(),
            clock: SteadyClock::start(),
            staged,
        };
        let bodies: Vec<StagedBody> = session.staged.bodies.clone();
        for body in bodies {
            session.enter(body, None)?;
        }
        let scene = &source.scene.scene;
        for (number, loaded) in source.scene.bodies.iter().enumerate() {
            let written = &scene.bodies[loaded.entry];
            if written.name == loaded.name && scene.world_pose(loaded.entry) == loaded.pose {
                let parent = written.parent.map(|parent| scene.bodies[parent].name.clone());
                let formula = formula_of(written, scene.units);
                session.entries[number].formula.clone_from(&formula);
                session.entries[number].origin = Some(Origin { pose: loaded.pose, parent, formula });
            }
        }
        let notes = session.open_journal()?;
        Ok((session, notes))
    }

    /// The shapes, for requests.
    pub fn shapes(&self) -> (Shapes, f64) {
        (self.shapes.clone(), self.view.scale)
    }

    /// Another entry for a body of the world.
    fn enter(&mut self, body: StagedBody, added: Option<Added>) -> Result<usize, Trouble> {
        let found = self.staged.world.body(body.id)?;
        let (name, group) = (found.name().to_owned(), found.group().map(str::to_owned));
        let (model, pose) = (found.model().clone(), found.pose());
        let (shape, middle) = self.shape_number(&body.look);
        let number = self.entries.len();
        self.numbers.insert(body.id, number);
        let (id, origin, formula) = (Some(body.id), None, None);
        self.entries.push(Entry {
            name,
            group,
            id,
            model,
            body,
            shape,
            middle,
            pose,
            added,
            origin,
            formula,
        });
        Ok(number)
    }

    /// The number of the shape that a body looks like, and its middle.
    fn shape_number(&mut self, look: &Mesh) -> (usize, DVec3) {
        let key = look.vertices().as_ptr().addr();
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let shape = *self.shape_of.entry(key).or_insert_with(|| {
            shapes.push(ShapeSource { mesh: look.clone(), middle: middle_of(look) });
            shapes.len() - 1
        });
        (shape, shapes[shape].middle)
    }

    /// Lets go of the shape of a body that gets another one. Its number stays taken.
    fn free_shape(&mut self, body: usize) {
        let shape = self.entries[body].shape;
        if self.entries.iter().filter(|entry| entry.shape == shape).count() > 1 {
            return;
        }
        self.shape_of.retain(|_, number| *number != shape);
        let mut shapes = self.shapes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A tetrahedron takes no room, and nobody draws it.
        shapes[shape].mesh = Mesh::tetrahedron();
    }

    /// The number of a body that is there, by its name.
    fn named(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    fn entry(&self, body: usize) -> Result<&Entry, Trouble> {
        let missing = || Trouble::new(format!("there is no body {body}"), "reload the page");
        self.entries.get(body).ok_or_else(missing)
    }

    /// The id of a body that is there.
    fn id(&self, body: usize) -> Result<BodyId, Trouble> {
        let entry = self.entry(body)?;
        let gone = || Trouble::new(format!("{} has been taken out", entry.name), "undo that first");
        entry.id.ok_or_else(gone)
    }

    fn pose_of(&self, body: usize) -> Result<Pose, Trouble> {
        match self.entry(body)?.id {
            Some(id) => Ok(self.staged.world.body(id)?.pose()),
            None => Ok(self.entry(body)?.pose),
        }
    }

    /// Where the middle of a body is on the page.
    fn place_of(&self, body: usize) -> Result<([f64; 3], [f64; 4]), Trouble> {
        Ok(self.view.pose(&self.pose_of(body)?, self.entry(body)?.middle))
    }

    /// The pose whose place on the page is this one. A turn that the page has not changed stays as it is, bit by bit.
    fn pose_from_page(&self, body: usize, at: [f64; 3], turn: [f64; 4]) -> Result<Pose, Trouble> {
        let wrong = || Trouble::new("this is no place for a body", "reload the page");
        let now = self.pose_of(body)?;
        let asked = DQuat::from_array(turn);
        // Far beyond the scene is nowhere; the scene is 100 on the page.
        if !at.iter().chain(&turn).all(|x| x.abs() < 1e9) || asked.length_squared() < 1e-12 {
            return Err(wrong());
        }
        let same = now.rotation.normalize().to_array() == turn;
        let rotation = if same { now.rotation } else { asked.normalize() };
        let turned = Pose::from_rotation(rotation).transform_point(self.entry(body)?.middle);
        let pose = Pose::new(rotation, self.view.back(at) - turned);
        if pose.is_valid() { Ok(pose) } else { Err(wrong()) }
    }

    fn body_view(&self, number: usize) -> BodyView {
        let entry = &self.entries[number];
        let pose = self.pose_of(number).unwrap_or(entry.pose);
        let (at, turn) = self.view.pose(&pose, entry.middle);
        BodyView {
            name: entry.name.clone(),
            group: entry.group.clone(),
            shape: entry.shape,
            middle: entry.middle.to_array(),
            at,
            turn,
            triangles: entry.body.triangles(),
            kind: match (entry.body.is_true_shape, entry.body.kind) {
                (true, _) => "true shape",
                (false, MeshKind::Solid) => "solid",
                (false, MeshKind::Surface) => "surface",
            },
            formula: entry.formula.clone(),
            gone: entry.id.is_none(),
        }
    }

    fn bodies_event(&self) -> Event {
        let bodies = (0..self.entries.len()).map(|number| self.body_view(number)).collect();
        Event::Bodies { bodies, shapes: self.shape_count() }
    }

    fn shape_count(&self) -> usize {
        self.shapes.read().unwrap_or_else(std::sync::PoisonError::into_inner).len()
    }

    /// What a tab that has come is told.
    pub fn hello(&self, you: u64) -> Event {
        Event::Hello(Hello {
            you,
            title: self.title.clone(),
            unit: self.unit,
            up: self.up,
            middle: self.view.middle.to_array(),
            scale: self.view.scale,
            bodies: (0..self.entries.len()).map(|number| self.body_view(number)).collect(),
            shapes: self.shape_count(),
            plays: self.plays(),
            warnings: self.staged.warnings.clone(),
            files: self.files(),
            can_save: self.scene_file.is_some(),
            edits: self.edits(),
            rules: self.rules_view(),
            results: self.results(),
            robot: self.robot_view(),
        })
    }

    fn plays(&self) -> Vec<PlayView> {
        let mut plays = Vec::new();
        if !self.staged.moves.is_empty() {
            plays.push(PlayView { name: "motions".into(), title: "The motions of the scene".into() });
        }
        let removals = work::removals_of(self.bundled.as_ref());
        plays.extend(removals.into_iter().map(|(title, removal)| PlayView {
            title: format!("{title}: take out {}", removal.part),
            name: title,
        }));
        plays
    }

    /// Mesh files of the folder that could be added.
    fn files(&self) -> Vec<String> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| entry.path())
            .filter(|path| noli_io::MeshFormat::from_extension(path).is_some())
            .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
            .collect();
        files.sort();
        files.truncate(500);
        files
    }

    fn edits(&self) -> Edits {
        Edits {
            undo: self.undo.last().map(Edit::words),
            redo: self.redo.last().map(Edit::words),
            unsaved: self.unsaved,
        }
    }

    /// What was found last, with the numbers of the studio.
    fn results(&self) -> Option<Results> {
        if self.cell.is_some() {
            return self.cell_results();
        }
        let checked = self.checked.as_ref()?;
        let summary = &checked.report.summary;
        let number = |id: BodyId| checked.numbers.get(&id).copied();
        let pairs = checked.report.pairs.iter().zip(&checked.result.findings);
        let pairs: Vec<_> = pairs
            .filter_map(|(pair, finding)| {
                let [a, b] = finding.pair.map(number);
                let mut view = pair_view(pair, finding, self.unit, self.view);
                let outer = view.outer.map(|outer| if outer == view.a { a } else { b });
                (view.a, view.b, view.outer) = (a?, b?, outer.flatten());
                Some(view)
            })
            .collect();
        let groups = checked.report.pairs.iter().zip(&checked.result.findings);
        let is_known = |finding: &noli::world::Finding| finding.pair.iter().all(|id| number(*id).is_some());
        let groups = groups.filter(|(_, finding)| is_known(finding));
        let groups = groups.map(|(pair, _)| pair.group.clone().unwrap_or_default()).collect();
        let status = self
            .status
            .iter()
            .filter_map(|([a, b], word)| Some((self.named(a)?, self.named(b)?, word.clone())));
        Some(Results {
            outcome: words::outcome(summary.hits, summary.undecided),
            summary: format!(
                "{}, {} triangles; {} compared in {:.2} s",
                words::plural(summary.bodies, "body", "bodies"),
                summary.triangles,
                words::plural(summary.pairs, "pair", "pairs"),
                checked.seconds
            ),
            pairs,
            status: status.collect(),
            groups,
            stale: self.stale,
        })
    }

    /// Does what a tab asks.
    pub fn handle(&mut self, client: u64, command: Command) -> Answer {
        let mut answer = Answer::default();
        if let Err(Trouble { text, help }) = self.act(client, command, &mut answer) {
            answer.tell(To::One(client), Event::Trouble { text, help });
        }
        answer
    }

    fn act(&mut self, client: u64, command: Command, answer: &mut Answer) -> Result<(), Trouble> {
        let moves_bodies = matches!(
            command,
            Command::Drag { .. }
                | Command::Place { .. }
                | Command::Add { .. }
                | Command::AddFile { .. }
                | Command::Copy { .. }
                | Command::Remove { .. }
                | Command::Pair { .. }
                | Command::Pattern { .. }
                | Command::Formula { .. }
                | Command::Margin { .. }
                | Command::FindWay { .. }
                | Command::TryWay { .. }
        );
        if self.cell.is_some() && moves_bodies {
            let text = "the bodies of a cell stand as its file says";
            return Err(Trouble::new(text, "move the arm by its joints, and change the rest in the file"));
        }
        match command {
            Command::Jog { values, seq } => self.jog(client, &values, seq, answer)?,
            Command::JogTool { step, turn_deg, seq } => self.jog_tool(client, step, turn_deg, seq, answer)?,
            Command::Branches => {
                let branches = self.branches()?;
                answer.tell(To::One(client), Event::Branches { branches });
            }
            Command::Teach { name } => self.teach(&name, answer)?,
            Command::Program { text } => self.set_program(client, text, answer)?,
            Command::Run => {
                self.is_typing = false;
                answer.work = Some(self.run_work()?);
            }
            Command::Drag { body, seq, at, turn, mode } => {
                self.drag(client, body, (at, turn), mode, seq, answer)?;
            }
            Command::Drop { body } => self.drop_body(client, body, answer)?,
            Command::Place { body, xyz, quaternion } => {
                let rotation = DQuat::from_array(quaternion);
                let pose = Pose::new(rotation, xyz.into());
                if !pose.is_valid()
                    || self.view.point(pose.translation).iter().any(|x| x.is_nan() || x.abs() >= 1e9)
                {
                    return Err(Trouble::new(
                        "these numbers are no place",
                        "give ordinary lengths and a rotation",
                    ));
                }
                let edit = Edit::Move {
                    name: self.entry(body)?.name.clone(),
                    from: numbers_of(&self.pose_of(body)?),
                    to: numbers_of(&pose),
                };
                self.id(body)?;
                self.do_edit(edit, answer)?;
            }
            Command::Undo => self.undo(answer)?,
            Command::Redo => self.redo(answer)?,
            Command::Check => answer.work = Some(self.check_work()),
            Command::Pair { a, b, on } => self.set_pair(a, b, on, answer)?,
            Command::Pattern { rule, on } => self.set_pattern(rule, on, answer)?,
            Command::Formula { body, formula } => self.set_formula(client, body, formula, answer)?,
            Command::Depth { a, b } => self.depth(client, a, b, answer)?,
            Command::Go { location, seq } => self.go_to(client, &location, seq, answer)?,
            Command::Margin { value } => {
                if !(value.is_finite() && value >= 0.0) {
                    return Err(Trouble::new(
                        "a margin is a length of at least 0",
                        "give a number such as 2.5",
                    ));
                }
                let from = self.margin;
                self.do_edit(Edit::Margin { from, to: value }, answer)?;
            }
            Command::Status { a, b, status } => self.set_status(a, b, status, answer)?,
            Command::Add { shape } => self.add_primitive(shape, answer)?,
            Command::AddFile { file } => self.add_file(&file, answer)?,
            Command::Copy { body } => self.copy(body, answer)?,
            Command::Remove { body } => {
                self.id(body)?;
                let names = vec![self.entry(body)?.name.clone()];
                self.do_edit(Edit::Remove { names }, answer)?;
            }
            Command::Measure { a, b } => self.measure(client, a, b, answer)?,
            Command::Play { frames } => answer.work = Some(self.play_work(frames)?),
            Command::Study { name } => answer.work = Some(self.study_work(&name)?),
            Command::FindWay { body } => answer.work = Some(self.way_work(body)?),
            Command::TryWay { body, way } => answer.work = Some(self.try_work(body, &way)?),
            Command::Tree { body, choice } => {
                let event = self.tree(body, &choice)?;
                answer.tell(To::One(client), event);
            }
            Command::Save => self.save(answer)?,
            Command::Cancel => answer.cancel = true,
        }
        Ok(())
    }

    /// Makes changes of a journal again; how many.
    pub(crate) fn replay(&mut self, edits: Vec<Edit>, notes: &mut Vec<String>) -> usize {
        let mut count = 0;
        for edit in edits {
            let mut silent = Answer::default();
            match self.apply(&edit, &mut silent) {
                Ok(()) => count += 1,
                Err(trouble) => notes.push(format!("a change could not be made again: {trouble}")),
            }
            self.undo.push(edit);
        }
        self.unsaved = count;
        count
    }

    pub(crate) fn set_journal(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    /// What the scene file is to say, and what it cannot: in words, and as changes that stay in the journal.
    pub(crate) fn wanted(&self) -> Result<(Wanted, Vec<(String, Edit)>), Trouble> {
        let mut wanted = Wanted {
            moved: vec![],
            added: vec![],
            copied: vec![],
            removed: vec![],
            skip: vec![],
            margins: vec![],
            margin: None,
            formulas: vec![],
        };
        let mut left = Vec::new();
        for (number, entry) in self.entries.iter().enumerate() {
            let pose = self.pose_of(number)?;
            if let (Some(origin), Some(formula), Some(_)) = (&entry.origin, &entry.formula, entry.id)
                && origin.formula.as_ref() != Some(formula)
            {
                wanted.formulas.push((entry.name.clone(), formula.clone()));
            }
            let name = || entry.name.clone();
            let placed = |pose: Pose| Placed { name: name(), pose };
            let no_entry = |edit: Edit| (format!("{} has no entry of its own", entry.name), edit);
            match (&entry.added, &entry.origin, entry.id) {
                (Some(_), _, None) => {}
                (Some(Added::Text(toml)), _, Some(_)) => wanted.added.push((toml.clone(), placed(pose))),
                (Some(Added::Copy(of)), _, Some(_)) => {
                    let known = self.named(of).map(|of| &self.entries[of]);
                    let has_entry = known.is_some_and(|known| known.origin.is_some());
                    if has_entry {
                        wanted.copied.push((of.clone(), placed(pose)));
                    } else {
                        left.push(no_entry(Edit::Copy {
                            name: name(),
                            of: of.clone(),
                            pose: numbers_of(&pose),
                        }));
                    }
                }
                (None, Some(_), None) => wanted.removed.push(name()),
                (None, Some(origin), Some(_)) if origin.pose != pose => {
                    let parent = origin.parent.as_ref().and_then(|parent| self.named(parent));
                    let parent = parent.map(|parent| self.pose_of(parent)).transpose()?;
                    wanted.moved.push(placed(parent.map_or(pose, |parent| parent.inverse() * pose)));
                }
                (None, None, None) => left.push(no_entry(Edit::Remove { names: vec![name()] })),
                (None, None, Some(_)) if entry.pose != pose => {
                    let [from, to] = [numbers_of(&entry.pose), numbers_of(&pose)];
                    left.push(no_entry(Edit::Move { name: name(), from, to }));
                }
                (None, _, Some(_)) => {}
            }
        }
        for (&[a, b], &on) in &self.by_hand {
            let [a, b] = [a, b].map(|body| self.entries[body].name.clone());
            if on {
                let text = format!("{a} and {b} are asked about by hand");
                left.push((text, Edit::Pair { a, b, from: None, to: Some(true) }));
            } else {
                wanted.skip.push([a, b]);
            }
        }
        for PatternRule { a, b, margin } in &self.patterns {
            let pair = [a.clone(), b.clone()];
            match margin {
                None => wanted.skip.push(pair),
                Some(margin) => wanted.margins.push((pair, *margin)),
            }
        }
        wanted.margin = Some(self.margin).filter(|margin| *margin != self.scene_rules.default_margin());
        Ok((wanted, left))
    }

    /// Everything but what is left has been written into a scene whose sum is this. What was done before cannot be
    /// undone: the entries of the file are new.
    pub(crate) fn saved(&mut self, sum: u64, left: Vec<Edit>) {
        let staying: Vec<&String> = left
            .iter()
            .filter_map(|edit| if let Edit::Copy { name, .. } = edit { Some(name) } else { None })
            .collect();
        for number in 0..self.entries.len() {
            let pose = self.pose_of(number).unwrap_or(self.entries[number].pose);
            let entry = &mut self.entries[number];
            if let Some(origin) = &mut entry.origin {
                origin.pose = pose;
                origin.formula.clone_from(&entry.formula);
            }
            if entry.added.is_some() && entry.id.is_some() && !staying.contains(&&entry.name) {
                entry.added = None;
                let formula = entry.formula.clone();
                entry.origin = Some(Origin { pose, parent: None, formula });
            }
        }
        // What was said here is said by the scene now, all but pairs that are asked about outright.
        self.by_hand.retain(|_, on| *on);
        self.patterns.clear();
        self.scene_rules = self.staged.world.rules().clone();
        self.undo.clear();
        self.redo.clear();
        self.unsaved = left.len();
        let status = self.status.iter().map(|([a, b], word)| Edit::Status {
            a: a.clone(),
            b: b.clone(),
            from: String::new(),
            to: word.clone(),
        });
        let keep: Vec<Edit> = left.into_iter().chain(status).collect();
        if let Some(journal) = &mut self.journal {
            journal.clear(sum);
            keep.iter().for_each(|edit| drop(journal.add(edit)));
        }
    }

    pub(crate) fn edits_event(&self) -> Event {
        Event::Edits(self.edits())
    }

    /// Takes in what has been done beside.
    pub fn finish(&mut self, finished: Finished) -> Answer {
        let mut answer = Answer::default();
        match finished {
            Finished::Checked { staged, result, report, seconds, edition } => {
                let numbers = self.numbers.clone();
                self.stale = edition != self.edition;
                self.checked = Some(Checked { staged, result, report, seconds, numbers });
                if let Some(results) = self.results() {
                    answer.tell(To::All, Event::Results(results));
                }
            }
            Finished::Track(track) => answer.tell(To::All, Event::Track(track)),
            Finished::Ran(track, report) => {
                if let Some(cell) = &mut self.cell {
                    cell.ran = Some(report);
                }
                answer.tell(To::All, Event::Track(track));
            }
            Finished::Failed(Trouble { text, help }) => answer.tell(To::All, Event::Trouble { text, help }),
            Finished::Stopped => answer.tell(To::All, Event::Note { text: "Stopped.".into() }),
        }
        answer
    }

    /// How far apart two bodies are.
    fn measure(&mut self, client: u64, a: usize, b: usize, answer: &mut Answer) -> Result<(), Trouble> {
        let [ia, ib] = [self.id(a)?, self.id(b)?];
        if ia == ib {
            return Err(Trouble::new("these are one body", "choose another one to measure to"));
        }
        let world = &self.staged.world;
        let [x, y] = [world.body(ia)?, world.body(ib)?];
        let [x, y] = [x.model().at(x.pose()), y.model().at(y.pose())];
        let (clearance, relation) = (noli::clearance(&x, &y), noli::relation(&x, &y));
        let line =
            clearance.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        let text = words::bracket(clearance.gap.at_least, clearance.gap.at_most);
        answer.tell(
            To::One(client),
            Event::Measured {
                a,
                b,
                text: format!("{text} {}", self.unit).trim().to_owned(),
                line: line.filter(|_| clearance.gap.at_most > 0.0),
                relation: match relation {
                    noli::Relation::Apart => "apart",
                    noli::Relation::Touching => "touching",
                    noli::Relation::Crossing => "crossing",
                    noli::Relation::Inside => "inside",
                    noli::Relation::Unknown => "undecided",
                },
            },
        );
        Ok(())
    }

    /// How far two bodies reach into each other, and which way leads out.
    fn depth(&mut self, client: u64, a: usize, b: usize, answer: &mut Answer) -> Result<(), Trouble> {
        let [ia, ib] = [self.id(a)?, self.id(b)?];
        let world = &self.staged.world;
        let [x, y] = [world.body(ia)?, world.body(ib)?];
        let [x, y] = [x.model().at(x.pose()), y.model().at(y.pose())];
        let mut scratch = noli::Scratch::default();
        let budget = noli::Budget::UNLIMITED.until(self.clock.now() + FOR_DEPTH, &self.clock);
        let mut ask = noli::Ask::new(&mut scratch).within(budget);
        let found = ask.penetration(&x, &y, &DepthQuery::FAST);
        let place = self.checked.as_ref().and_then(|checked| {
            let is_pair = |pair: &[BodyId; 2]| *pair == [ia, ib] || *pair == [ib, ia];
            let at = checked.result.findings.iter().position(|finding| is_pair(&finding.pair))?;
            checked.report.pairs.get(at)?.place
        });
        let way = found.direction.map(|direction| direction * found.depth.at_most);
        let arrow = place.zip(way).map(|(from, way)| {
            let from = DVec3::from(from);
            [from, from + way].map(|point| self.view.point(point))
        });
        let depth = words::bracket(found.depth.at_least, found.depth.at_most);
        let leads = if arrow.is_some() { "; the arrow leads out" } else { "" };
        let text = format!("{depth} {}", self.unit).trim().to_owned() + leads;
        answer.tell(To::One(client), Event::Depth { a, b, text, arrow });
        Ok(())
    }

    /// The last results for a report; nothing before the first check.
    pub(crate) fn report(&self) -> Option<(&Checked, Up)> {
        Some((self.checked.as_ref()?, self.up))
    }

    /// The report of the last run of the program, where a cell is open and it was run.
    pub(crate) fn run_report(&self) -> Option<&RunReport> {
        self.cell.as_ref()?.ran.as_deref()
    }

    pub(crate) fn has_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// The last report with what was decided about its pairs.
    pub(crate) fn decided(&self) -> Option<CheckReport> {
        let mut report = self.checked.as_ref()?.report.clone();
        for pair in report.pairs.iter_mut().filter(|pair| pair.status.is_some()) {
            let (a, b) = (pair.a.clone(), pair.b.clone());
            let key = if a <= b { [a, b] } else { [b, a] };
            if let Some(status) = self.status.get(&key).and_then(|word| ClashStatus::from_word(word)) {
                pair.status = Some(status);
            }
        }
        Some(report)
    }
}

/// The formula of a body of a scene, where the scene itself has it.
fn formula_of(body: &noli_io::Body, scene_units: Units) -> Option<Formula> {
    match &body.shape {
        Shape::Field { source: FieldSource::Text(text), bounds, units, .. } if *units == scene_units => {
            Some(Formula { text: text.clone(), bounds: *bounds })
        }
        _ => None,
    }
}

/// x, y, z, then x, y, z, w.
pub(crate) fn numbers_of(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

/// The pose of seven numbers.
pub(crate) fn pose_of_numbers(numbers: &[f64; 7]) -> Pose {
    let [x, y, z, qx, qy, qz, qw] = *numbers;
    Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))
}
