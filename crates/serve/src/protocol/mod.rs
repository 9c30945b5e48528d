//! What tabs ask, and what they are told: JSON over a WebSocket.
//!
//! Places are those of the page (`noli_pages::shape::View`) unless a field says otherwise; bodies are numbers that stay
//! the same as long as the project is open.

mod command;
mod event;
mod view;

pub use command::{Command, Drag, Formula, PatternRule, Primitive, TreeChoice};
pub use event::{Edits, Event, Hello, PlayView, Results, RulesView};
pub use view::{
    BodyView, BranchView, DhView, GapView, JointView, LocationView, PartView, RobotView, StopView, TrackView,
    VolumeView,
};

/// The longest message that is read.
pub const LONGEST_COMMAND: usize = 256 * 1024;
