//! What tabs are told.

use super::{
    BodyView, BranchView, DhView, GapView, PartView, PatternRule, RobotView, StopView, TrackView, VolumeView,
};
use noli_pages::PairView;
use serde::Serialize;

/// What tabs are told.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "say")]
#[allow(clippy::large_enum_variant, reason = "made once per message and turned into text at once")]
pub enum Event {
    /// Everything, to a tab that has come.
    Hello(Hello),
    /// A body has been moved.
    Moved {
        /// Which.
        body: usize,
        /// Where its middle is.
        at: [f64; 3],
        /// How it is turned.
        turn: [f64; 4],
        /// The tab that did it.
        by: u64,
    },
    /// The answer to a pull, for the tab that pulls.
    Dragged {
        /// Which body.
        body: usize,
        /// The number of the pull.
        seq: u64,
        /// The accepted place.
        at: [f64; 3],
        /// The accepted turn.
        turn: [f64; 4],
        /// What stopped it.
        stopped: Option<StopView>,
        /// The smallest gap at the accepted pose.
        gap: Option<GapView>,
        /// What the answer took, in microseconds.
        micros: u64,
    },
    /// Bodies have been added, taken out or brought back.
    Bodies {
        /// All of them.
        bodies: Vec<BodyView>,
        /// How many shapes there are.
        shapes: usize,
    },
    /// What was found, the worst first.
    Results(Results),
    /// What can be undone and saved.
    Edits(Edits),
    /// Which pairs are set by hand.
    Rules(RulesView),
    /// The gap of two bodies.
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
    /// How far two bodies reach into each other.
    Depth {
        /// One.
        a: usize,
        /// The other.
        b: usize,
        /// In words.
        text: String,
        /// From where they meet, by how far the other must be moved.
        arrow: Option<[[f64; 3]; 2]>,
    },
    /// A formula was read.
    Formula {
        /// Whose; none where it gives no body.
        body: Option<usize>,
        /// What is wrong with it; empty where nothing is.
        error: String,
    },
    /// How far something is.
    Task {
        /// What is done.
        text: String,
        /// From 0 to 1.
        share: f64,
        /// Whether it has ended.
        done: bool,
    },
    /// A motion to look at.
    Track(TrackView),
    /// A level of a hierarchy.
    Tree {
        /// Whose.
        body: usize,
        /// Levels that there are.
        levels: u32,
        /// What is drawn.
        volumes: Vec<VolumeView>,
        /// Whether these are balls.
        round: bool,
        /// What it comes to: names and numbers.
        facts: Vec<(String, String)>,
    },
    /// The robot has changed.
    Robot(RobotView),
    /// The answer to a jog.
    Jogged {
        /// The number of the jog; 0 where another tab did it.
        seq: u64,
        /// The accepted values.
        values: Vec<f64>,
        /// What would have touched.
        stopped: Option<StopView>,
        /// The smallest gap in words.
        gap_text: String,
        /// From where to where.
        gap_line: Option<[[f64; 3]; 2]>,
        /// Where the tool is, in metres of the world.
        tool_at: [f64; 3],
        /// What the answer took, in microseconds.
        micros: u64,
    },
    /// All ways of an arm to stand.
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
    /// What the component database holds.
    Parts {
        /// What fits the search.
        entries: Vec<PartView>,
        /// How many there are in all.
        total: usize,
        /// Files of the folder that can be taken in.
        files: Vec<String>,
    },
    /// One entry of the database.
    Part {
        /// What it is.
        kind: String,
        /// Its name.
        name: String,
        /// What is known of it.
        values: Vec<(String, String)>,
        /// Of a manipulator.
        dh: Option<DhView>,
        /// The bodies that show it.
        bodies: Vec<usize>,
    },
    /// What a run of an experiment left behind, as the lab wrote it.
    Record {
        /// Its file below the folder.
        file: String,
        /// All of it.
        record: serde_json::Value,
    },
    /// Something that did not work, and what to do.
    Trouble {
        /// What is wrong.
        text: String,
        /// What to do.
        help: String,
    },
    /// Something that did.
    Note {
        /// What.
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
    /// What is open.
    pub title: String,
    /// The unit of lengths; empty where files do not say.
    pub unit: &'static str,
    /// Which axis points up.
    pub up: noli_pages::Up,
    /// What becomes the origin of the page.
    pub middle: [f64; 3],
    /// What lengths are multiplied with on the page.
    pub scale: f64,
    /// The bodies.
    pub bodies: Vec<BodyView>,
    /// How many shapes there are.
    pub shapes: usize,
    /// Motions and removals that can be played.
    pub plays: Vec<PlayView>,
    /// What was odd about the files.
    pub warnings: Vec<String>,
    /// Files in the folder that can be added; `null` where there is no folder.
    pub files: Option<Vec<String>>,
    /// Whether changes can be saved into a scene.
    pub can_save: bool,
    /// What can be undone.
    pub edits: Edits,
    /// Rules by hand.
    pub rules: RulesView,
    /// The last results.
    pub results: Option<Results>,
    /// The robot, where a cell is open.
    pub robot: Option<RobotView>,
    /// The component database, if there is one.
    pub database: Option<String>,
    /// Whether the database itself is what was opened.
    pub is_database: bool,
    /// Records of experiments, by their files below the folder.
    pub records: Vec<String>,
}

/// Something that can be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayView {
    /// Its name; `motions` for those of the scene.
    pub name: String,
    /// What it is.
    pub title: String,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// In a few words.
    pub outcome: String,
    /// In a few more.
    pub summary: String,
    /// Pairs, the worst first; numbers are those of bodies of the studio.
    pub pairs: Vec<PairView>,
    /// What was decided about pairs: a, b, word.
    pub status: Vec<(usize, usize, String)>,
    /// The group of each pair; empty where it has none.
    pub groups: Vec<String>,
    /// Whether something has changed since.
    pub stale: bool,
}

/// What can be undone and saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Edits {
    /// The last change.
    pub undo: Option<String>,
    /// The change that was undone last.
    pub redo: Option<String>,
    /// Changes since the scene was last saved.
    pub unsaved: usize,
}

/// Which pairs are set by hand, and the margin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RulesView {
    /// The margin of pairs that no rule is about.
    pub margin: f64,
    /// Pairs set by hand: a, b, whether they matter.
    pub by_hand: Vec<(usize, usize, bool)>,
    /// Pairs that are left out, by whomever.
    pub off: Vec<(usize, usize)>,
    /// What is said of names, in order.
    pub patterns: Vec<PatternRule>,
}
