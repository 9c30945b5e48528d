//! Commands of the tabs.

use super::arguments::{Drag, Formula, JogFrame, PatternRule, Primitive, Pull};
use serde::Deserialize;

/// A command of a tab.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do", deny_unknown_fields)]
pub enum Command {
    /// A body is pulled to a place.
    Drag(Pull),
    /// The pull has ended: one step to undo.
    Drop {
        /// The body.
        body: usize,
    },
    /// Places a body, regardless of obstacles on the path.
    Place {
        /// Its identifier.
        body: usize,
        /// Target position of its own origin, in the scene's coordinates and unit.
        xyz: [f64; 3],
        /// x, y, z, w.
        quaternion: [f64; 4],
    },
    /// Undoes the last change of any tab.
    Undo,
    /// Does it again.
    Redo,
    /// Checks all pairs.
    Check,
    /// Enables or disables a pair; `null` restores the scene's rule.
    Pair {
        /// One body.
        a: usize,
        /// The other.
        b: usize,
        /// `true` if the pair is checked.
        on: Option<bool>,
    },
    /// Adds or removes a rule for all pairs whose names match.
    Pattern {
        /// The definition.
        rule: PatternRule,
        /// `true` to add the rule, `false` to remove it.
        on: bool,
    },
    /// Sets the minimum clearance of bodies.
    Margin {
        /// In the unit of the scene.
        value: f64,
    },
    /// Sets the status of a pair: new, active, reviewed, approved or resolved.
    Status {
        /// One body.
        a: usize,
        /// The other.
        b: usize,
        /// One of these words.
        status: String,
        /// The new comment; absent to keep the old one.
        #[serde(default)]
        comment: Option<String>,
    },
    /// Computes penetration depths and overlap volumes of pairs, as many as the time of one answer allows.
    Values {
        /// The first ones are computed first.
        pairs: Vec<[usize; 2]>,
        /// `true` for narrow brackets, which take longer.
        #[serde(default)]
        exact: bool,
    },
    /// Lists the bodies whose pairs with a body are disabled.
    DisabledPairs {
        /// The body.
        body: usize,
    },
    /// Makes a group of bodies under a name; an existing group gets these bodies.
    Group {
        /// Its name.
        name: String,
        /// Its bodies.
        bodies: Vec<usize>,
    },
    /// Dissolves a group; its bodies stay.
    Ungroup {
        /// Its name.
        name: String,
    },
    /// Renames a group.
    RenameGroup {
        /// Its name.
        name: String,
        /// Its new name.
        to: String,
    },
    /// Another body.
    Add {
        /// Shape of the body.
        shape: Primitive,
    },
    /// A body given by a formula: another one, or another formula for one that has been.
    Formula {
        /// The body that has the formula; a new one if absent.
        #[serde(default)]
        body: Option<usize>,
        /// The definition.
        formula: Formula,
    },
    /// The bodies of a file of the project's folder.
    AddFile {
        /// Its name in the folder.
        file: String,
        /// In a cell, the unit of a file whose format has none; that of the cell without it.
        #[serde(default)]
        units: Option<String>,
    },
    /// Adds a robot to a cell.
    AddRobot {
        /// A URDF file of the folder, or a manipulator of the component database.
        description: String,
    },
    /// Places the base of a robot of a cell.
    PlaceRobot {
        /// Its number in the cell.
        robot: usize,
        /// In metres.
        xyz: [f64; 3],
        /// x, y, z, w.
        quaternion: [f64; 4],
    },
    /// Gives the driven robot of a cell the frame of a tool of the component database.
    UseTool {
        /// Its name.
        name: String,
    },
    /// Removes a robot from a cell.
    RemoveRobot {
        /// Its number in the cell.
        robot: usize,
    },
    /// Enables or disables a pair of a cell.
    CellPair {
        /// The name of a link or body.
        a: String,
        /// The name of the other.
        b: String,
        /// `true` if the pair is checked.
        on: bool,
        /// Reason why it is disabled.
        #[serde(default)]
        reason: String,
    },
    /// Duplicates a body and places the copy next to it.
    Copy {
        /// Its identifier.
        body: usize,
    },
    /// Removes bodies in one step.
    Remove {
        /// The identifier of one.
        body: usize,
        /// Those of the others.
        #[serde(default)]
        with: Vec<usize>,
    },
    /// Measures the clearance of two bodies, with witness points.
    Measure {
        /// One.
        a: usize,
        /// The other.
        b: usize,
    },
    /// Penetration depth of two bodies, and its direction.
    Depth {
        /// One.
        a: usize,
        /// The other, to which the direction applies.
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
    /// Simulates sliding or falling of the scene's bodies, as defined in its file.
    Simulate {
        /// `true` if they fall; otherwise the motions slide along obstacles.
        dynamics: bool,
    },
    /// Contents of the component database.
    Parts {
        /// Only what has these letters in its name or kind.
        #[serde(default)]
        search: String,
    },
    /// One entry of it, to be shown.
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
        /// `true` if it replaces an entry of the same name.
        #[serde(default)]
        replace: bool,
    },
    /// Sets density and mass of a stored component; without a mass it follows from the density and the volume.
    StoredMass {
        /// The component.
        name: String,
        /// In kilograms a cubic metre.
        density: Option<f64>,
        /// In kilograms.
        mass: Option<f64>,
    },
    /// Checks or disables a pair of links of a stored manipulator.
    StoredPair {
        /// The manipulator.
        name: String,
        /// The links.
        links: [String; 2],
        /// `true` if the pair is checked.
        on: bool,
        /// Minimum clearance in metres.
        #[serde(default)]
        margin: Option<f64>,
        /// Reason why it is disabled.
        #[serde(default)]
        reason: String,
    },
    /// Stores a tool, in place of one of the same name.
    StoredTool {
        /// Its name.
        name: String,
        /// The mounted component.
        component: Option<String>,
        /// Position on the flange, in metres.
        xyz: [f64; 3],
        /// Rotation on the flange: x, y, z, w.
        quaternion: [f64; 4],
    },
    /// Adds a stored part to the scene: its file to the folder, its body next to the others.
    UsePart {
        /// Its name.
        name: String,
    },
    /// Follows a removal that comes with the scene.
    Study {
        /// Its name.
        name: String,
    },
    /// Plans a removal path for a body.
    FindPath {
        /// Its identifier.
        body: usize,
    },
    /// Keeps a path under a name.
    KeepPath {
        /// Its name.
        name: String,
        /// The body of the path.
        body: usize,
        /// Poses of its centre: x, y, z, then x, y, z, w of its rotation.
        path: Vec<[f64; 7]>,
    },
    /// Deletes a kept path.
    ForgetPath {
        /// Its name.
        name: String,
    },
    /// Plays a kept path.
    PlayPath {
        /// Its name.
        name: String,
        /// Contact behaviour.
        #[serde(default)]
        mode: Drag,
    },
    /// Follows a removal of the scene file.
    PlayRemoval {
        /// Its name.
        name: String,
    },
    /// Tries a path that was recorded by hand.
    TryPath {
        /// The body of the path.
        body: usize,
        /// Poses of its centre: x, y, z, then x, y, z, w of its rotation.
        path: Vec<[f64; 7]>,
        /// Contact behaviour.
        #[serde(default)]
        mode: Drag,
    },
    /// Computes the volume that a body sweeps on a path, or the robot of a cell in its program.
    Sweep {
        /// The body of a path.
        #[serde(default)]
        body: Option<usize>,
        /// Poses of its centre: x, y, z, then x, y, z, w of its rotation.
        #[serde(default)]
        path: Vec<[f64; 7]>,
        /// A kept path instead; `motions` for those of the scene.
        #[serde(default)]
        name: Option<String>,
        /// No point of the mesh is farther from the volume; by default a fiftieth of the extent.
        #[serde(default)]
        error: Option<f64>,
    },
    /// Adds the swept volume that is shown as a body.
    AddSwept,
    /// Hides the swept volume.
    ForgetSwept,
    /// A message to a further panel.
    Panel {
        /// Its name.
        panel: String,
        /// As the panel defines it.
        message: serde_json::Value,
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
        /// In metres, along the axes of the frame.
        step: [f64; 3],
        /// About the axes of the frame.
        turn_deg: [f64; 3],
        /// The frame of the step.
        #[serde(default)]
        frame: JogFrame,
        /// Counts up.
        seq: u64,
    },
    /// The tool towards a pose in the view.
    DragTool {
        /// Target position, in page coordinates.
        at: [f64; 3],
        /// Target rotation: x, y, z, w.
        turn: [f64; 4],
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
    /// Plans a path to a location and moves there along it.
    PlanTo {
        /// Its name.
        location: String,
    },
    /// Deletes a location.
    Forget {
        /// Its name.
        name: String,
    },
    /// Renames a location; programs keep the names they have.
    Rename {
        /// Its name.
        name: String,
        /// Its new name.
        to: String,
    },
    /// Computes all arm configurations for the current tool pose.
    Branches,
    /// Keeps where the tool is as a location.
    Teach {
        /// Its name.
        name: String,
        /// `true` for a precision point, which has the values of the joints.
        #[serde(default)]
        precise: bool,
    },
    /// The text of the program, to be read.
    Program {
        /// All of it.
        text: String,
        /// `true` if this is a change of its own, and no typing.
        #[serde(default)]
        step: bool,
    },
    /// Runs the program.
    Run,
    /// Writes the changes into the scene file.
    Save,
    /// Writes a cell or a bundled scene into a new file, which is open from then on.
    SaveAs {
        /// Its name, such as `cell.toml`.
        file: String,
    },
    /// Stops what is running.
    Cancel,
}
