//! What tabs ask.

use serde::{Deserialize, Serialize};

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
    /// A recording of contact or dynamics in the project's folder.
    Recording {
        /// Its name.
        file: String,
    },
    /// Lets the bodies of the scene, as its file says, slide or fall.
    Simulate {
        /// Whether they fall; else the motions slide along what they meet.
        dynamics: bool,
    },
    /// What the component database holds.
    Parts {
        /// Only what has these letters in its name or kind.
        #[serde(default)]
        search: String,
    },
    /// One entry of it, to be looked at.
    Part {
        /// Its name.
        name: String,
    },
    /// Takes a file of the project's folder into the database.
    ImportPart {
        /// Its name in the folder.
        file: String,
    },
    /// A manipulator of stored parts, as `noli db compose` reads it.
    Compose {
        /// All of it.
        text: String,
        /// Whether it takes the place of one of its name.
        #[serde(default)]
        replace: bool,
    },
    /// A stored part into the scene: its file into the folder, its body beside the others.
    UsePart {
        /// Its name.
        name: String,
    },
    /// What a run of an experiment left behind.
    Record {
        /// Its file below the folder.
        file: String,
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
        /// How it meets others.
        #[serde(default)]
        mode: Drag,
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
    /// The arm to values that its SRDF file names.
    State {
        /// The group they are of.
        group: String,
        /// Their name.
        name: String,
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
