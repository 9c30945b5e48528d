//! What single things look like to a tab.

use super::Formula;
use serde::Serialize;

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
    /// Whether they would touch; else the time did not suffice to tell, and it is worth asking again.
    pub proven: bool,
}

/// A motion with what happens on the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// Forces between bodies: the number of the time from which they act, from where to where an arrow goes.
    pub forces: Vec<(usize, [f32; 3], [f32; 3])>,
    /// What the longest arrow stands for; empty where there is none.
    pub longest: String,
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
    /// Named values of joints: group and name.
    pub states: Vec<(String, String)>,
    /// The rows of Denavit and Hartenberg of the arm.
    pub dh: DhView,
}

/// The rows of Denavit and Hartenberg of a chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DhView {
    /// Of each joint its name, then theta and alpha in degrees, and d and a in millimetres: theta, d, a, alpha.
    pub rows: Vec<(String, [f64; 4])>,
    /// Whether a joint slides.
    pub slides: Vec<bool>,
    /// Why there are none; empty where there are some.
    pub why: String,
}

/// An entry of the component database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartView {
    /// `component`, `manipulator`, ...
    pub kind: String,
    /// Its name.
    pub name: String,
    /// More in a few words.
    pub about: String,
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
