//! Cell files: a scene, and what programs find in it.
//!
//! A cell is a scene file with more tables: robots, a gripper, locations, parts that can be taken, signals and
//! what drives them, rules for pairs. `docs/cells.md` is its reference.

mod composition;
mod entries;
mod file;

pub use composition::parse_composition;
pub use entries::parse_cell;
pub use file::{
    CellFile, CellGripper, CellLocation, CellPart, CellRobot, CellRule, CellSignal, Fingers, JointList,
    LocationPlace, RobotSource, SignalDrive,
};
