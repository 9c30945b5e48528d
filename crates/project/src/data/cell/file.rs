//! Contents of a cell file: robots, a gripper, locations, parts, signals, rules for pairs.

use crate::data::link_kind::LinkKind;
use crate::data::scene::Scene;
use glam::DVec3;
use noli::world::Pattern;
use noli_geom::Pose;
use noli_program::run::OnContact;
use noli_robot::PumaSet;
use std::path::PathBuf;

/// Content of a cell file. The scene is in its own unit; everything else is in metres, radians and seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct CellFile {
    /// Bodies.
    pub scene: Scene,
    /// Robots; programs drive the first.
    pub robots: Vec<CellRobot>,
    /// The gripper of the first.
    pub gripper: Option<CellGripper>,
    /// Locations available to programs.
    pub locations: Vec<CellLocation>,
    /// Bodies that can be taken.
    pub parts: Vec<CellPart>,
    /// Signals from outside.
    pub signals: Vec<CellSignal>,
    /// Rules for pairs.
    pub rules: Vec<CellRule>,
    /// Required clearance of all pairs.
    pub margin: f64,
    /// The program, relative to the file.
    pub program: Option<PathBuf>,
    /// Response to an impending contact.
    pub on_contact: OnContact,
    /// Blend distance at waypoints of the tool path.
    pub blend: f64,
    /// Speed and acceleration of turning joints that state none.
    pub turn_speed: Option<[f64; 2]>,
    /// Of sliding joints, and of the tool.
    pub tool_speed: Option<[f64; 2]>,
}

/// A robot.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRobot {
    /// Prefix of the names of its links; may be empty.
    pub prefix: String,
    /// Source of its description.
    pub source: RobotSource,
    /// Its SRDF file.
    pub srdf: Option<PathBuf>,
    /// Folders that hold packages.
    pub packages: Vec<PathBuf>,
    /// Interpretation of its meshes.
    pub kind: LinkKind,
    /// Its links without collision geometry collide by their visual geometry.
    pub visual: bool,
    /// Its placement.
    pub base: Pose,
    /// The link that holds the tool; the last if not given.
    pub flange: Option<String>,
    /// The tool on the flange.
    pub tool: Pose,
    /// Joints of the chain at the start, in order.
    pub start: Option<JointList>,
    /// Those of `READY`.
    pub ready: Option<JointList>,
    /// Its line in the file.
    pub line: usize,
}

/// Values of the joints of a chain, in order; those that slide are in the scene's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct JointList {
    /// The values.
    pub values: Vec<f64>,
    /// `true` if angles are in degrees, `false` if in radians.
    pub degrees: bool,
}

/// Source of a robot's description.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotSource {
    /// A URDF file.
    Urdf(PathBuf),
    /// A DH table.
    Dh(PathBuf),
    /// A robot of a component database.
    Stored {
        /// The database, relative to the file.
        database: PathBuf,
        /// The robot's name there.
        name: String,
    },
    /// The PUMA 560 by a published set of parameters, its links plain bodies of this radius.
    Puma(PumaSet, f64),
}

/// A gripper.
#[derive(Clone, Debug, PartialEq)]
pub struct CellGripper {
    /// Its fingers.
    pub fingers: Fingers,
    /// Opening: closed, open.
    pub opening: [f64; 2],
    /// Maximum distance of all fingers from a held part.
    pub slack: f64,
    /// Time to open or close.
    pub seconds: f64,
    /// Its line in the file.
    pub line: usize,
}

/// Fingers of a gripper.
#[derive(Clone, Debug, PartialEq)]
pub enum Fingers {
    /// Boxes on the flange: a palm, and two fingers that open along an axis.
    Boxes {
        /// The palm: edges, and where its middle is on the flange.
        palm: ([f64; 3], Pose),
        /// The finger on the side of the axis, when closed.
        finger: ([f64; 3], Pose),
        /// The axis.
        axis: DVec3,
    },
    /// Joints of the robot, with their values when closed and when open.
    Joints {
        /// The link to which held parts are attached.
        link: String,
        /// The joints.
        joints: Vec<(String, [f64; 2])>,
    },
    /// None: what is near the link is held.
    Sucker {
        /// The link.
        link: String,
    },
}

/// A location.
#[derive(Clone, Debug, PartialEq)]
pub struct CellLocation {
    /// Its name.
    pub name: String,
    /// Location.
    pub place: LocationPlace,
    /// Its line in the file.
    pub line: usize,
}

/// Definition of a location.
#[derive(Clone, Debug, PartialEq)]
pub enum LocationPlace {
    /// Joint values: a precision point.
    Joints(JointList),
    /// A pose of the tool in the world.
    World(Pose),
    /// A pose in the frame of another location.
    In(String, Pose),
    /// A pose for compounds: in no frame of its own.
    Relative(Pose),
}

/// Bodies that can be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPart {
    /// The selected bodies.
    pub body: Pattern,
    /// Names of objects they may touch while attached.
    pub may_touch: Vec<String>,
    /// Its line in the file.
    pub line: usize,
}

/// A signal from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSignal {
    /// Its number.
    pub number: u32,
    /// The variable that programs find the number in.
    pub name: Option<String>,
    /// Source of its value.
    pub drive: SignalDrive,
}

/// Source of a signal's value.
#[derive(Clone, Debug, PartialEq)]
pub enum SignalDrive {
    /// Always so.
    Constant(bool),
    /// By the clock.
    Timed(Vec<(f64, bool)>),
    /// As an output was so long ago.
    Follows {
        /// The output.
        output: u32,
        /// Delay.
        delay: f64,
        /// Inverted.
        inverted: bool,
    },
    /// On while a part is in a box.
    Sees {
        /// Its edges.
        size: [f64; 3],
        /// Position of its centre.
        place: Pose,
    },
}

/// Rules for pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRule {
    /// Both parts of every pair: bodies, links.
    pub pair: [Pattern; 2],
    /// The margin; `None` leaves the pairs out.
    pub margin: Option<f64>,
    /// Reason.
    pub reason: String,
    /// Its line in the file.
    pub line: usize,
}
