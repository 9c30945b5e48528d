//! Commands of tabs and events sent to them: JSON over a WebSocket.
//!
//! Positions are those of the page (`noli_pages::shape::View`) unless a field states otherwise. Bodies are
//! numbers that stay the same as long as the project is open.

mod arguments;
mod command;
mod event;
mod results_change;
mod view;

pub use arguments::{Drag, Formula, JogFrame, PatternRule, Primitive, Pull};
pub use command::Command;
pub use event::{Edits, Event, GroupView, Hello, PairValues, PlayView, Results, ResultsChange, RulesView};
pub use view::{
    BodyView, BranchView, ClearanceView, DhView, JointView, LocationView, PartView, RobotEntryView,
    RobotView, StopView, SweptView, TrackView,
};

/// The longest message that is read.
pub const LONGEST_COMMAND: usize = 256 * 1024;
