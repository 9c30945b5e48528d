//! Events sent to tabs.

use super::{
    BodyView, BranchView, ClearanceView, DhView, PartView, PatternRule, RobotView, StopView, SweptView,
    TrackView,
};
use noli_pages::PairView;
use serde::Serialize;
use std::collections::BTreeMap;

/// Events sent to tabs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "say")]
#[allow(clippy::large_enum_variant, reason = "made once per message and turned into text at once")]
pub enum Event {
    /// Everything, to a tab that has come.
    Hello(Hello),
    /// A body has been moved.
    Moved {
        /// Its identifier.
        body: usize,
        /// Position of its centre.
        at: [f64; 3],
        /// Orientation.
        turn: [f64; 4],
        /// The tab that did it.
        by: u64,
    },
    /// The answer to a pull, for the tab that pulls.
    Dragged {
        /// The body.
        body: usize,
        /// The number of the pull.
        seq: u64,
        /// The accepted place.
        at: [f64; 3],
        /// The accepted turn.
        turn: [f64; 4],
        /// Cause of the stop.
        stopped: Option<StopView>,
        /// The smallest clearance at the accepted pose.
        clearance: Option<ClearanceView>,
        /// Candidate pairs of the motion, and those that were tested.
        pairs: [usize; 2],
        /// Time of the answer, in microseconds.
        micros: u64,
    },
    /// Bodies have been added, removed or restored.
    Bodies {
        /// All of them.
        bodies: Vec<BodyView>,
        /// Number of shapes.
        shapes: usize,
    },
    /// A few bodies have been added, removed, restored or changed.
    BodiesChange {
        /// Their numbers and what they are now; new ones are at the end.
        changed: Vec<(usize, BodyView)>,
        /// Number of shapes.
        shapes: usize,
    },
    /// Groups made by hand have changed.
    Groups {
        /// All of them.
        groups: Vec<GroupView>,
    },
    /// Bodies whose pairs with a body are disabled.
    DisabledPairs {
        /// The body.
        body: usize,
        /// The others.
        off: Vec<usize>,
    },
    /// Penetration depths and overlap volumes of pairs: the first ones that were requested.
    Values {
        /// In the order of the command.
        values: Vec<PairValues>,
        /// `true` if they were computed with the time of an exact query.
        is_exact: bool,
    },
    /// Motions that can be played have changed.
    Plays {
        /// All of them.
        plays: Vec<PlayView>,
    },
    /// Results, the worst first.
    Results(Results),
    /// The difference to the last results.
    ResultsChange(ResultsChange),
    /// Changes that can be undone and saved.
    Edits(Edits),
    /// Pairs set by hand.
    Rules(RulesView),
    /// The clearance of two bodies.
    Measured {
        /// One.
        a: usize,
        /// The other.
        b: usize,
        /// In words.
        text: String,
        /// From where to where.
        line: Option<[[f64; 3]; 2]>,
        /// The relation in a word.
        relation: &'static str,
    },
    /// Penetration depth of two bodies.
    Depth {
        /// One.
        a: usize,
        /// The other.
        b: usize,
        /// In words.
        text: String,
        /// Arrow from the contact point, by the translation that separates the other body.
        arrow: Option<[[f64; 3]; 2]>,
        /// Number of colliding points if one body is a point cloud, or of colliding cells if one is a grid.
        colliding: Option<usize>,
        /// `true` if there are more of them.
        more: bool,
        /// Colliding points, or centres of colliding cells, up to a limit.
        points: Vec<[f64; 3]>,
        /// The length of a colliding cell, and its orientation.
        cell: Option<(f64, [f64; 4])>,
    },
    /// A formula was read.
    Formula {
        /// The body that has the formula, if any.
        body: Option<usize>,
        /// Error text; empty if it is valid.
        error: String,
    },
    /// Progress of a task.
    Task {
        /// Description of the task.
        text: String,
        /// From 0 to 1.
        share: f64,
        /// `true` if it has ended.
        done: bool,
    },
    /// A motion to show.
    Track(TrackView),
    /// Another swept volume is shown, or none.
    Swept {
        /// The volume; its mesh is a request of its own.
        swept: Option<SweptView>,
    },
    /// The answer of a further panel.
    Panel {
        /// Its name.
        panel: String,
        /// As the panel defines it.
        message: serde_json::Value,
    },
    /// The robot has changed.
    Robot(RobotView),
    /// The answer to a jog.
    Jogged {
        /// The number of the jog; 0 where another tab did it.
        seq: u64,
        /// The accepted values.
        values: Vec<f64>,
        /// The contact that stopped it.
        stopped: Option<StopView>,
        /// The smallest clearance in words.
        clearance_text: String,
        /// From where to where.
        clearance_line: Option<[[f64; 3]; 2]>,
        /// Tool position, in metres of the world.
        tool_at: [f64; 3],
        /// Tool rotation: x, y, z, w.
        tool_turn: [f64; 4],
        /// Time of the answer, in microseconds.
        micros: u64,
    },
    /// All configurations of an arm.
    Branches {
        /// The nearest first.
        branches: Vec<BranchView>,
    },
    /// A program was read.
    Program {
        /// All of it.
        text: String,
        /// Line, what is wrong, what to do.
        errors: Vec<(usize, String, String)>,
        /// The tab that wrote it; 0 where that was undone or done again.
        by: u64,
    },
    /// Contents of the component database.
    Parts {
        /// Entries that match the search.
        entries: Vec<PartView>,
        /// Total number of entries.
        total: usize,
        /// Files of the folder that can be taken in.
        files: Vec<String>,
    },
    /// One entry of the database.
    Part {
        /// Kind of the entry.
        kind: String,
        /// Its name.
        name: String,
        /// Its stored properties.
        values: Vec<(String, String)>,
        /// Of a manipulator.
        dh: Option<DhView>,
        /// The bodies that show it.
        bodies: Vec<usize>,
    },
    /// Something that did not work, and what to do.
    Trouble {
        /// Cause of the error.
        text: String,
        /// Action to take.
        help: String,
    },
    /// Something that did.
    Note {
        /// Item concerned.
        text: String,
    },
    /// The server ends.
    Bye,
}

/// All a tab needs to begin with.
#[derive(Clone, Debug, Serialize)]
pub struct Hello {
    /// The number of the tab.
    pub you: u64,
    /// Title of the open project.
    pub title: String,
    /// Unit of lengths; empty if the files give none.
    pub unit: &'static str,
    /// Up axis.
    pub up: noli_pages::Up,
    /// Point that becomes the origin of the page.
    pub middle: [f64; 3],
    /// Scale factor of lengths on the page.
    pub scale: f64,
    /// The bodies.
    pub bodies: Vec<BodyView>,
    /// Number of shapes.
    pub shapes: usize,
    /// Motions and removals that can be played.
    pub plays: Vec<PlayView>,
    /// Warnings about the files.
    pub warnings: Vec<String>,
    /// Files in the folder that can be added; `null` without a folder.
    pub files: Option<Vec<String>>,
    /// `true` if changes can be saved into a scene.
    pub can_save: bool,
    /// Name of a new file for the open cell or bundled scene; `None` if it cannot be saved as another file.
    pub save_as: Option<String>,
    /// `true` if every change is stored in the folder at once; those of a bundled scene end with the server.
    pub is_stored: bool,
    /// Changes that can be undone.
    pub edits: Edits,
    /// Rules by hand.
    pub rules: RulesView,
    /// Groups of bodies made by hand.
    pub groups: Vec<GroupView>,
    /// The last results.
    pub results: Option<Results>,
    /// The robot, where a cell is open.
    pub robot: Option<RobotView>,
    /// The component database, if there is one.
    pub database: Option<String>,
    /// `true` if the database itself was opened.
    pub is_database: bool,
    /// The swept volume that is shown.
    pub swept: Option<SweptView>,
    /// Further panels by name, with their data.
    pub panels: BTreeMap<&'static str, serde_json::Value>,
}

/// A group of bodies made by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupView {
    /// Its name.
    pub name: String,
    /// Its bodies that are there.
    pub bodies: Vec<usize>,
}

/// Penetration depth and overlap volume of a pair, in the unit of the scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairValues {
    /// One body.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// Both bounds of the penetration depth; no upper one if none was found. `None` for clouds and grids.
    pub depth: Option<(f64, Option<f64>)>,
    /// The same of the volume that both share.
    pub volume: Option<(f64, Option<f64>)>,
}

/// Something that can be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayView {
    /// Its name; `motions` for those of the scene.
    pub name: String,
    /// Title for display.
    pub title: String,
}

/// Result.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// In a few words.
    pub outcome: String,
    /// In a few more.
    pub summary: String,
    /// Pairs, the worst first; numbers are those of bodies of the studio.
    pub pairs: Vec<PairView>,
    /// Status of pairs: a, b, word.
    pub status: Vec<(usize, usize, String, String)>,
    /// The group of each pair; empty where it has none.
    pub groups: Vec<String>,
    /// `true` if something has changed since.
    pub stale: bool,
}

/// The difference to the last results.
#[derive(Clone, Debug, Serialize)]
pub struct ResultsChange {
    /// In a few words.
    pub outcome: String,
    /// In a few more.
    pub summary: String,
    /// Bodies of the pairs that are not listed any more.
    pub gone: Vec<(usize, usize)>,
    /// New and changed pairs, with their place in the new list and their group; places rise.
    pub changed: Vec<(usize, PairView, String)>,
    /// All statuses: a, b, word, comment.
    pub status: Vec<(usize, usize, String, String)>,
    /// `true` if something has changed since.
    pub stale: bool,
}

/// Changes that can be undone and saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Edits {
    /// The last change.
    pub undo: Option<String>,
    /// The change that was undone last.
    pub redo: Option<String>,
    /// Changes since the scene was last saved.
    pub unsaved: usize,
}

/// Pairs set by hand, and the margin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RulesView {
    /// The margin of pairs that no rule is about.
    pub margin: f64,
    /// Pairs set by hand: a, b, whether they matter.
    pub by_hand: Vec<(usize, usize, bool)>,
    /// Disabled pairs, by whatever rule, if all are listed.
    pub off: Vec<(usize, usize)>,
    /// `true` if they are; of many bodies, those of one body are sent when they are requested.
    pub is_whole: bool,
    /// Rules by name patterns, in order.
    pub patterns: Vec<PatternRule>,
}
