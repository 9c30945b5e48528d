//! Representation of single objects in a tab.

use super::Formula;
use serde::Serialize;

/// A body as sent to a tab.
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
    /// Position of its centre.
    pub at: [f64; 3],
    /// Orientation.
    pub turn: [f64; 4],
    /// Its triangles; 0 for a true shape.
    pub triangles: usize,
    /// Its interpretation.
    pub kind: &'static str,
    /// The numbers of its cells if it is a grid, and how they are drawn.
    pub cells: Option<String>,
    /// Its formula, if it is given by one.
    pub formula: Option<Formula>,
    /// `true` if it has been removed.
    pub gone: bool,
}

/// The smallest clearance of a body to all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClearanceView {
    /// The nearest body.
    pub to: usize,
    /// The clearance in words, in the unit of the scene.
    pub text: String,
    /// Proven bounds on it.
    pub at_least: f64,
    /// The other bound; `null` where nothing was found.
    pub at_most: Option<f64>,
    /// From where to where.
    pub line: Option<[[f64; 3]; 2]>,
}

/// The contact that stopped a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StopView {
    /// The other body.
    pub by: usize,
    /// Contact point.
    pub place: Option<[f64; 3]>,
    /// In a sentence.
    pub text: String,
    /// `true` if contact is proven; otherwise the time limit was reached, and the query may be repeated.
    pub proven: bool,
}

/// A swept volume that is shown, in the unit of the scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweptView {
    /// Counts up: a page that has the mesh of this number needs no other.
    pub number: u64,
    /// Title of the motion.
    pub title: String,
    /// No point of the mesh is farther from the volume.
    pub error: f64,
    /// Lower and upper bound on the volume, proven.
    pub volume: [f64; 2],
    /// Number of triangles.
    pub triangles: usize,
    /// Duration of the computation.
    pub seconds: f64,
    /// Position of the middle of the mesh on the page.
    pub at: [f64; 3],
}

/// A motion with its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrackView {
    /// Title for display.
    pub title: String,
    /// The result in a sentence.
    pub verdict: String,
    /// `true` if all of it is proven collision-free.
    pub free: bool,
    /// Duration, in seconds.
    pub seconds: f64,
    /// The times of poses, from 0 to 1.
    pub times: Vec<f64>,
    /// Moving bodies.
    pub bodies: Vec<usize>,
    /// Bodies that were removed before.
    pub without: Vec<usize>,
    /// 7 numbers for every body and time.
    pub poses: Vec<f32>,
    /// Events: time, sentence, relation.
    pub events: Vec<(f64, String, &'static str)>,
    /// Clearance along the path.
    pub room: Vec<noli_pages::Room>,
    /// Proven lower bound of the clearance along the whole path, if all of it is collision-free.
    pub room_at_least: Option<f64>,
    /// Lines of a program: when each begins, its number and its text.
    pub lines: Vec<(f64, u32, String)>,
    /// Signal changes: time, signal, new value, and `true` if the program set it.
    pub signals: Vec<(f64, u32, bool, bool)>,
    /// First contact point.
    pub contact: Option<[f64; 3]>,
    /// The unit of the room, where it is not that of the scene.
    pub unit: Option<&'static str>,
    /// Forces between bodies: the number of the time from which they act, from where to where an arrow goes.
    pub forces: Vec<(usize, [f32; 3], [f32; 3])>,
    /// Value of the longest arrow; empty if there is none.
    pub longest: String,
    /// Key poses of the path of its only body, as the page sends them; empty if it cannot be kept.
    pub keys: Vec<[f64; 7]>,
    /// Joint values of a robot: all of them for every time.
    pub joints: Vec<f32>,
    /// Positions of its tool: x, y, z in metres for every time.
    pub tool: Vec<f32>,
    /// The line of a program at which it stopped before its end.
    pub stop_line: Option<u32>,
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
    /// Location.
    pub value: f64,
    /// `true` if it is prismatic; otherwise it is revolute.
    pub slides: bool,
    /// `true` if it mimics another joint.
    pub follows: bool,
    /// Largest speed, in radians or metres a second.
    pub speed: f64,
}

/// A location defined for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocationView {
    /// Its name.
    pub name: String,
    /// Location.
    pub at: [f64; 3],
    /// Orientation.
    pub turn: [f64; 4],
    /// `true` if it was taught here and is not in the cell's file.
    pub taught: bool,
    /// `true` for a precision point, which has joint values; its name begins with `#`.
    pub precise: bool,
}

/// The robot of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RobotView {
    /// Its name.
    pub name: String,
    /// Its joints.
    pub joints: Vec<JointView>,
    /// Locations defined for programs.
    pub locations: Vec<LocationView>,
    /// The text of the program.
    pub program: String,
    /// Its errors: line, reason, remedy.
    pub errors: Vec<(usize, String, String)>,
    /// Disabled pairs, with the reason.
    pub off: Vec<(String, String, String)>,
    /// Number of checked pairs.
    pub asked: usize,
    /// Tool position, in metres of the world.
    pub tool_at: [f64; 3],
    /// Tool rotation: x, y, z, w.
    pub tool_turn: [f64; 4],
    /// Largest speed of the tool on straight lines, in metres a second.
    pub tool_speed: f64,
    /// Largest speed of turning joints that state none, in radians a second; also of rotations of the tool.
    pub turn_speed: f64,
    /// Named values of joints: group and name.
    pub states: Vec<(String, String)>,
    /// The rows of Denavit and Hartenberg of the arm.
    pub dh: DhView,
    /// Names of all links and bodies, and `true` for those that stand still: two of these have no pair.
    pub parts: Vec<(String, bool)>,
    /// Margin of all pairs, in metres.
    pub margin: f64,
    /// The robots of the cell, the one that programs drive first; empty if the cell cannot be changed.
    pub robots: Vec<RobotEntryView>,
    /// URDF files of the folder and manipulators of the component database that can be added.
    pub descriptions: Vec<String>,
    /// Tools of the component database.
    pub tools: Vec<String>,
}

/// A robot in the file of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RobotEntryView {
    /// Its name.
    pub name: String,
    /// Position of its base, in metres.
    pub xyz: [f64; 3],
    /// Rotation of its base: x, y, z, w.
    pub quaternion: [f64; 4],
}

/// The rows of Denavit and Hartenberg of a chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DhView {
    /// Of each joint its name, then theta and alpha in degrees, and d and a in millimetres: theta, d, a, alpha.
    pub rows: Vec<(String, [f64; 4])>,
    /// `true` for each prismatic joint.
    pub slides: Vec<bool>,
    /// Reason why there are none; empty if there are some.
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

/// A configuration branch of an arm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BranchView {
    /// Its name.
    pub name: String,
    /// The values of all variables.
    pub values: Vec<f64>,
    /// `true` if it is within the joint limits.
    pub within: bool,
    /// `true` if it is collision-free.
    pub free: bool,
    /// Poses of the arm's bodies in this configuration.
    pub ghost: Vec<(usize, [f64; 3], [f64; 4])>,
}
