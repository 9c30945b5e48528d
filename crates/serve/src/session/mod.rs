//! The state that all tabs share: bodies, poses, changes and results.
//!
//! A session processes one command at a time and returns the events for each tab. It uses no threads, sockets
//! or files except its journal. Long work is returned as [`Work`], runs elsewhere and comes back as
//! [`Finished`].

mod bodies;
mod body_groups;
mod cast;
mod cell;
mod commands;
mod drag;
mod dragging;
mod edit;
mod kept_paths;
mod long_tasks;
mod origins;
mod pair_values;
mod parts;
mod placing;
mod presence;
mod questions;
mod recorded_path;
mod rules;
mod save_bundled;
mod save_file;
mod saving;
mod simulated;
mod state_events;
mod swept;
mod told_state;
mod tracks;
mod unsaved_removals;

pub(crate) use bodies::Drawn;
pub use bodies::{ShapeSource, Shapes};
pub use long_tasks::{Finished, Work};
pub(crate) use parts::can_be_taken;
pub use swept::ComputedSwept;
pub(crate) use swept::SharedSwept;

pub use crate::edit::Edit;
pub use crate::trouble::Trouble;

use self::origins::{formula_of, listed, says_what_falls};
use crate::claim::Claim;
use crate::edit::KeptPath;
use crate::groups::Groups;
use crate::journal::Journal;
use crate::panel::{BodyOfPanel, Panel, PanelHost};
use crate::project::Project;
use crate::protocol::{Event, Formula, PatternRule, Results};
use crate::review::Reviews;
use glam::{DQuat, DVec3};
use noli::query::SteadyClock;
use noli::world::{BodyId, CheckResult, Rules, SnapshotContext};
use noli::{Model, Pose};
use noli_formats::Units;
use noli_pages::Up;
use noli_pages::shape::View;
use noli_project::report::CheckReport;
use noli_project::{Check, LoadedScene, Staged, StagedBody};
use saving::Origin;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Receivers of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// One tab.
    One(u64),
    /// All tabs.
    All,
    /// All but one; may be skipped for a slow tab, because later events repeat it.
    Others(u64),
}

/// Result of a command.
#[derive(Debug, Default)]
pub struct Answer {
    /// Events with their receivers, in order.
    pub events: Vec<(To, Event)>,
    /// Work to run in the background.
    pub work: Option<Work>,
    /// `true` if background work is to be stopped.
    pub cancel: bool,
    /// `true` if all tabs are to receive the full state.
    pub renew: bool,
    /// `true` if the events are not sent, as for changes of a journal that are made again.
    is_silent: bool,
}

impl Answer {
    fn tell(&mut self, to: To, event: Event) {
        self.events.push((to, event));
    }
}

/// A body of the studio. Numbers are never used again, so that every tab and every change means the same.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: String,
    group: Option<String>,
    /// `None` while it is removed.
    id: Option<BodyId>,
    model: Model,
    body: StagedBody,
    shape: usize,
    middle: DVec3,
    /// Its pose when it was removed.
    pose: Pose,
    /// The body that it was attached to when it was removed.
    parent: Option<usize>,
    /// Its source, if it was added here and is not in the scene file yet.
    added: Option<Added>,
    /// Its own entry in the scene file, with its parent; `None` for parts of a split file and the like.
    origin: Option<Origin>,
    /// Its formula, if it has one that can be changed here.
    formula: Option<Formula>,
}

/// Source of a body that was added here.
#[derive(Clone, Debug)]
enum Added {
    /// The text of a scene.
    Text(String),
    /// The body of this name.
    Copy(String),
}

/// A body found in a file of the folder, as a scene entry.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) object: Option<String>,
    /// The unit of the file, where that matters.
    pub(crate) units: Option<Units>,
}

/// The last results.
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
    units: Option<noli_formats::Units>,
    up: Up,
    view: View,
    staged: Staged,
    entries: Vec<Entry>,
    numbers: HashMap<BodyId, usize>,
    /// The folder of the project; none for a bundled scene until it is saved.
    pub(crate) folder: Arc<OnceLock<PathBuf>>,
    /// The folder that a bundled scene is saved into.
    new_folder: Option<PathBuf>,
    pub(crate) scene_file: Option<PathBuf>,
    bundled: Option<(String, u32)>,
    pub(crate) database: Option<PathBuf>,
    /// `true` if the database itself was opened: then nothing is moved, and parts are shown one by one.
    is_database: bool,
    /// For a project without a scene: the sources of its bodies, so that it can become one.
    pub(crate) listed: Option<Vec<Listed>>,
    /// `true` if the scene defines dynamics.
    falls: bool,
    undo: Vec<Edit>,
    redo: Vec<Edit>,
    unsaved: usize,
    journal: Option<Journal>,
    cell: Option<cell::CellState>,
    dragging: Option<dragging::Dragging>,
    /// Rules of the scene; those of the session are applied on top.
    scene_rules: Rules,
    margin: f64,
    patterns: Vec<PatternRule>,
    by_hand: BTreeMap<[usize; 2], bool>,
    /// Clash settings of the scene.
    clashes: Check,
    /// `true` while the last change of the program continues.
    is_typing: bool,
    /// Counts all changes.
    edition: u64,
    reviews: Reviews,
    groups: Groups,
    /// Paths kept since the scene was read, by name.
    paths: BTreeMap<String, KeptPath>,
    /// Remarks on opening the project, for every tab.
    notes: Vec<String>,
    checked: Option<Checked>,
    /// Results that every tab has; `None` if the next ones are sent whole.
    told: Option<Results>,
    /// Bodies and rules that every tab has.
    told_state: told_state::ToldState,
    stale: bool,
    /// Bodies moved since the last results; `None` if more has changed than poses.
    moved: Option<BTreeSet<BodyId>>,
    shapes: Shapes,
    /// By where vertices lie in memory: bodies that share a mesh share a shape.
    shape_of: HashMap<usize, usize>,
    context: SnapshotContext<'static>,
    clock: SteadyClock,
    panels: Vec<Box<dyn Panel>>,
    claim: Option<Claim>,
    /// The swept volume that is shown, and how many were.
    pub(crate) swept: SharedSwept,
    swept_number: u64,
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
    /// Creates a session from an opened project; unsaved earlier changes are applied again. Also returns warnings.
    pub fn new(project: Project) -> Result<(Self, Vec<String>), Trouble> {
        Self::with_panels(project, Vec::new())
    }

    /// The same with further panels.
    pub fn with_panels(
        project: Project,
        panels: Vec<Box<dyn Panel>>,
    ) -> Result<(Self, Vec<String>), Trouble> {
        let Project { source, staged, folder, scene_file, bundled, cell, database, is_database, claim } =
            project;
        // Parts come one by one and are of any size: a metre is the whole page.
        let view = if is_database { View { middle: DVec3::ZERO, scale: 100.0 } } else { View::new(&staged) };
        let (units, listed) = (source.units, source.is_files.then(|| listed(&source)));
        let mut session = Self {
            title: source.title,
            unit: units.map_or("", noli_formats::Units::sign),
            units,
            up: Up::of_files(&source.inputs),
            view,
            entries: Vec::new(),
            numbers: HashMap::new(),
            folder: Arc::new(folder.map_or_else(OnceLock::new, OnceLock::from)),
            new_folder: bundled.as_ref().and_then(|_| std::env::current_dir().ok()),
            scene_file,
            bundled,
            database,
            is_database,
            listed,
            falls: says_what_falls(&source.scene.scene),
            undo: Vec::new(),
            redo: Vec::new(),
            unsaved: 0,
            journal: None,
            cell: cell.map(|opened| cell::CellState::new(*opened)).transpose()?,
            dragging: None,
            scene_rules: staged.world.rules().clone(),
            margin: staged.world.rules().default_margin(),
            patterns: Vec::new(),
            by_hand: BTreeMap::new(),
            clashes: source.scene.scene.check.clone(),
            is_typing: false,
            edition: 0,
            reviews: Reviews::default(),
            groups: Groups::default(),
            paths: BTreeMap::new(),
            notes: Vec::new(),
            checked: None,
            told: None,
            told_state: told_state::ToldState::default(),
            stale: true,
            moved: None,
            shapes: Shapes::default(),
            shape_of: HashMap::new(),
            context: SnapshotContext::default(),
            clock: SteadyClock::start(),
            panels,
            claim,
            swept: SharedSwept::default(),
            swept_number: 0,
            staged,
        };
        let bodies: Vec<StagedBody> = session.staged.bodies.clone();
        let bodies_read = bodies.len();
        for body in bodies {
            session.enter(body, None)?;
        }
        // Groups of files are those of the paths that were named: here there is one.
        if session.listed.is_some() {
            session.entries.iter_mut().for_each(|entry| entry.group = None);
        }
        session.note_origins(&source.scene);
        session.open_reviews()?;
        session.open_groups()?;
        let notes = session.open_journal()?;
        session.notes.clone_from(&notes);
        if session.staged.bodies.len() > bodies_read && bodies_read == 0 {
            session.measure_page();
        }
        session.note_bodies();
        Ok((session, notes))
    }

    /// Notes the entry of the scene file of every body that has one of its own.
    fn note_origins(&mut self, loaded_scene: &LoadedScene) {
        let scene = &loaded_scene.scene;
        for (number, loaded) in loaded_scene.bodies.iter().enumerate() {
            let written = &scene.bodies[loaded.entry];
            if written.name != loaded.name {
                continue;
            }
            let placed = scene.world_pose(loaded.entry);
            let piece = if placed == loaded.pose { Pose::IDENTITY } else { placed.inverse() * loaded.pose };
            let parent = written.parent.map(|parent| scene.bodies[parent].name.clone());
            let formula = formula_of(written, scene.units);
            self.entries[number].formula.clone_from(&formula);
            self.entries[number].origin = Some(Origin { pose: loaded.pose, piece, parent, formula });
        }
    }

    /// Applies the result of background work.
    pub fn finish(&mut self, finished: Finished) -> Answer {
        let mut answer = Answer::default();
        match finished {
            Finished::Checked { staged, result, report, seconds, edition } => {
                let numbers = self.numbers.clone();
                self.stale = edition != self.edition;
                self.moved = (!self.stale).then(|| self.dragged_bodies());
                self.checked = Some(Checked { staged, result, report, seconds, numbers });
                self.tell_results(&mut answer);
            }
            Finished::Track(track) => answer.tell(To::All, Event::Track(track)),
            Finished::Ran(track, ran) => {
                if let Some(cell) = &mut self.cell {
                    cell.ran = Some(ran);
                    cell.shows_run = true;
                }
                answer.tell(To::All, Event::Track(track));
                self.tell_results(&mut answer);
            }
            Finished::Planned(track, end) => match self.arrive(&end, &mut answer) {
                Ok(()) => answer.tell(To::All, Event::Track(track)),
                Err(Trouble { text, help }) => answer.tell(To::All, Event::Trouble { text, help }),
            },
            Finished::Swept(swept) => self.show_swept(*swept, &mut answer),
            Finished::Failed(Trouble { text, help }) => answer.tell(To::All, Event::Trouble { text, help }),
            Finished::Stopped => answer.tell(To::All, Event::Note { text: "Stopped.".into() }),
        }
        answer
    }
}

impl PanelHost for Session {
    fn body(&self, body: usize) -> Result<BodyOfPanel<'_>, Trouble> {
        let entry = self.entry(body)?;
        Ok(BodyOfPanel { name: &entry.name, mesh: &entry.body.look, pose: self.pose_of(body)? })
    }

    fn view(&self) -> View {
        self.view
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.get().map(PathBuf::as_path)
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
