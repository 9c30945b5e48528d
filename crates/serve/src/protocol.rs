//! What tabs ask, and what they are told: JSON over a WebSocket.
//!
//! Places are those of the page (`noli_pages::shape::View`) unless a field says otherwise; bodies are numbers that stay
//! the same as long as the project is open.

use noli_pages::PairView;
use serde::{Deserialize, Serialize};

/// The longest message that is read.
pub const LONGEST_COMMAND: usize = 256 * 1024;

/// How a body that is dragged meets others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drag {
    /// It stops at contact; the way to the accepted pose is proven free.
    #[default]
    Stop,
    /// It goes on along what it meets; every piece of the way is proven free.
    Slide,
    /// It passes through.
    Ghost,
}

/// A box, ball or cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Primitive {
    /// With these lengths.
    Box {
        /// Along x, y and z.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// Along z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        height: f64,
    },
}

/// What a tab asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do", deny_unknown_fields)]
pub enum Command {
    /// A body is pulled to a place.
    Drag {
        /// Which.
        body: usize,
        /// Counts up, so that the page knows what an answer is about.
        seq: u64,
        /// Where its middle is to be.
        at: [f64; 3],
        /// How it is to be turned: x, y, z, w.
        turn: [f64; 4],
        /// How it meets others.
        #[serde(default)]
        mode: Drag,
    },
    /// The pull has ended: one step to undo.
    Drop {
        /// Which body.
        body: usize,
    },
    /// A body is put somewhere, whatever is on the way.
    Place {
        /// Which.
        body: usize,
        /// Where its own origin is to be, in the scene's coordinates and unit.
        xyz: [f64; 3],
        /// x, y, z, w.
        quaternion: [f64; 4],
    },
    /// Takes back the last change of anybody.
    Undo,
    /// Does it again.
    Redo,
    /// Looks at all pairs.
    Check,
    /// Whether a pair is asked about; `null` leaves it to the scene.
    Pair {
        /// One body.
        a: usize,
        /// The other.
        b: usize,
        /// Whether it matters.
        on: Option<bool>,
    },
    /// What is said of all pairs whose names fit, or that it is said no longer.
    Pattern {
        /// What is said.
        rule: PatternRule,
        /// Whether it is; else it is taken back.
        on: bool,
    },
    /// How close bodies may come.
    Margin {
        /// In the unit of the scene.
        value: f64,
    },
    /// What has been decided about a pair: new, active, reviewed, approved or resolved.
    Status {
        /// One body.
        a: usize,
        /// The other.
        b: usize,
        /// One of these words.
        status: String,
    },
    /// Another body.
    Add {
        /// What it is.
        shape: Primitive,
    },
    /// A body given by a formula: another one, or another formula for one that has been.
    Formula {
        /// Whose formula it is; a new body if there is none.
        #[serde(default)]
        body: Option<usize>,
        /// What is said.
        formula: Formula,
    },
    /// The bodies of a file of the project's folder.
    AddFile {
        /// Its name in the folder.
        file: String,
    },
    /// Another body like this one, beside it.
    Copy {
        /// Which.
        body: usize,
    },
    /// Takes a body out.
    Remove {
        /// Which.
        body: usize,
    },
    /// How far apart two bodies are, and where.
    Measure {
        /// One.
        a: usize,
        /// The other.
        b: usize,
    },
    /// How far two bodies reach into each other, and which way leads out.
    Depth {
        /// One.
        a: usize,
        /// The other, which the way is for.
        b: usize,
    },
    /// Plays the motions of the scene.
    Play {
        /// Into how many frames the time is divided.
        frames: u32,
    },
    /// Follows a removal that comes with the scene.
    Study {
        /// Its name.
        name: String,
    },
    /// Looks for a way out for a body.
    FindWay {
        /// Which.
        body: usize,
    },
    /// A way that was recorded by hand, to be tried.
    TryWay {
        /// Whose way it is.
        body: usize,
        /// Where its middle goes: x, y, z, then x, y, z, w of its turn.
        way: Vec<[f64; 7]>,
    },
    /// One level of a hierarchy of a body.
    Tree {
        /// Whose.
        body: usize,
        /// Around what and how it is built.
        choice: TreeChoice,
    },
    /// Joints of the robot towards these values, all of them, in radians and metres.
    Jog {
        /// One for each variable.
        values: Vec<f64>,
        /// Counts up.
        seq: u64,
    },
    /// The tool by a step.
    JogTool {
        /// In metres, along the axes of the world.
        step: [f64; 3],
        /// About the axes of the world.
        turn_deg: [f64; 3],
        /// Counts up.
        seq: u64,
    },
    /// The tool to a location that is known.
    Go {
        /// Its name.
        location: String,
        /// Counts up.
        seq: u64,
    },
    /// All ways of the arm to stand with the tool where it is.
    Branches,
    /// Keeps where the tool is as a location.
    Teach {
        /// Its name.
        name: String,
    },
    /// The text of the program, to be read.
    Program {
        /// All of it.
        text: String,
    },
    /// Runs the program.
    Run,
    /// Writes the changes into the scene file.
    Save,
    /// Stops what is running.
    Cancel,
}

/// Something that is said of all pairs whose names fit two patterns; `*` stands for any letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternRule {
    /// Fits one body.
    pub a: String,
    /// Fits the other.
    pub b: String,
    /// How close they may come; without one, they are left out.
    #[serde(default)]
    pub margin: Option<f64>,
}

/// Where a function of x, y and z is zero or negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    /// In the language of formulas.
    pub text: String,
    /// Two corners that cut it off; needed where it has no end.
    #[serde(default)]
    pub bounds: Option<[[f64; 3]; 2]>,
}

/// What a hierarchy is built of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TreeChoice {
    /// `sphere`, `aabb` or `obb`.
    pub volume: String,
    /// `surface-area`, `median`, `octree`, ... as `noli tree --split` has them.
    pub split: String,
    /// Which nodes are opened on a walk: `one-sided`, `simultaneous` or `hybrid`.
    pub walk: String,
    /// Children of a node.
    pub degree: u32,
    /// Which level is drawn, from 0.
    pub level: u32,
    /// A second body to walk against, if any.
    #[serde(default)]
    pub against: Option<usize>,
}

/// A body as a tab knows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyView {
    /// Its name.
    pub name: String,
    /// Its group, if it is in one.
    pub group: Option<String>,
    /// The number of its shape.
    pub shape: usize,
    /// The middle of its shape in its own frame, in the unit of the scene.
    pub middle: [f64; 3],
    /// Where its middle is.
    pub at: [f64; 3],
    /// How it is turned.
    pub turn: [f64; 4],
    /// Its triangles; 0 for a true shape.
    pub triangles: usize,
    /// What it is taken for.
    pub kind: &'static str,
    /// What it is given by, where that is a formula.
    pub formula: Option<Formula>,
    /// Whether it has been taken out.
    pub gone: bool,
}

/// The smallest gap of a body to all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GapView {
    /// The nearest body.
    pub to: usize,
    /// The gap in words, in the unit of the scene.
    pub text: String,
    /// Proven bounds on it.
    pub at_least: f64,
    /// The other bound; `null` where nothing was found.
    pub at_most: Option<f64>,
    /// From where to where.
    pub line: Option<[[f64; 3]; 2]>,
}

/// What stopped a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StopView {
    /// The other body.
    pub by: usize,
    /// Where they would touch.
    pub place: Option<[f64; 3]>,
    /// In a sentence.
    pub text: String,
}

/// A motion with what happens on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrackView {
    /// What it is.
    pub title: String,
    /// The result in a sentence.
    pub verdict: String,
    /// Whether all of it is proven free.
    pub free: bool,
    /// How long it takes.
    pub seconds: f64,
    /// The times of poses, from 0 to 1.
    pub times: Vec<f64>,
    /// Who moves.
    pub bodies: Vec<usize>,
    /// Bodies that are out of the way.
    pub without: Vec<usize>,
    /// 7 numbers for every body and time.
    pub poses: Vec<f32>,
    /// What happens when: time, sentence, relation.
    pub events: Vec<(f64, String, &'static str)>,
    /// The room along the way.
    pub room: Vec<noli_pages::Room>,
    /// Lines of a program: when each begins, its number and its text.
    pub lines: Vec<(f64, u32, String)>,
    /// When a signal changes, which, to what, and whether the program did it.
    pub signals: Vec<(f64, u32, bool, bool)>,
    /// Where something touches first.
    pub contact: Option<[f64; 3]>,
    /// The unit of the room, where it is not that of the scene.
    pub unit: Option<&'static str>,
}

/// One number of a robot's configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointView {
    /// Its name.
    pub name: String,
    /// The least value.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Where it is.
    pub value: f64,
    /// Whether it slides; else it turns.
    pub slides: bool,
    /// Whether it follows another.
    pub follows: bool,
}

/// A place that programs know.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocationView {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub at: [f64; 3],
    /// How it is turned.
    pub turn: [f64; 4],
    /// Whether it was taught here and is not in the cell's file.
    pub taught: bool,
}

/// The robot of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RobotView {
    /// Its name.
    pub name: String,
    /// Its joints.
    pub joints: Vec<JointView>,
    /// Places that programs know.
    pub locations: Vec<LocationView>,
    /// The text of the program.
    pub program: String,
    /// Pairs that are not asked about, and why.
    pub off: Vec<(String, String, String)>,
    /// How many are.
    pub asked: usize,
    /// Where the tool is, in metres of the world.
    pub tool_at: [f64; 3],
}

/// A way of an arm to stand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BranchView {
    /// What it is called.
    pub name: String,
    /// The values of all variables.
    pub values: Vec<f64>,
    /// Whether the limits allow it.
    pub within: bool,
    /// Whether nothing touches there.
    pub free: bool,
    /// Where the bodies of the arm would be.
    pub ghost: Vec<(usize, [f64; 3], [f64; 4])>,
}

/// A volume of a hierarchy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VolumeView {
    /// Its middle.
    pub at: [f64; 3],
    /// Its axes: x, y, z, w.
    pub turn: [f64; 4],
    /// Half its lengths; the radius of a ball.
    pub half: [f64; 3],
}

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
    /// Files in the folder that can be added.
    pub files: Vec<String>,
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
