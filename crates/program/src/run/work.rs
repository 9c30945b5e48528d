//! Environment of a program: arm, gripper, bodies, parts, locations, signals.

use crate::Locations;
use noli::{Model, Pose};
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, CellError};
use std::collections::HashMap;
use std::sync::Arc;

/// Something that can be taken.
#[derive(Clone, Debug)]
pub struct GraspablePart {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub model: Model,
    /// Its pose at the start.
    pub place: Pose,
    /// Parts of the cell, besides the gripper, that it may touch while it is attached.
    pub may_touch: Vec<String>,
}

/// Parameters of the gripper.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// The link that held parts are attached to; it needs a shape.
    pub link: usize,
    /// Variables of the fingers, each with its value when closed and when open; none for a sucker, which
    /// takes what is near the link.
    pub fingers: Vec<(usize, [f64; 2])>,
    /// Links of the fingers, which touch what is held.
    pub finger_links: Vec<usize>,
    /// The opening when closed and when open, in metres, as programs count it.
    pub opening: [f64; 2],
    /// Maximum distance of all fingers from a part that they hold, in metres.
    pub slack: f64,
    /// Duration of opening and closing, in seconds.
    pub seconds: f64,
}

/// Rule for a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum PairSetting {
    /// Disabled, for this reason.
    Off(String),
    /// Checked, with this margin.
    Margin(f64),
}

/// Source of a signal's value.
#[derive(Clone, Debug)]
pub enum SignalSource {
    /// Always so.
    Constant(bool),
    /// Off at first, then by the clock: when, and on or off; in order of time.
    Timed(Vec<(f64, bool)>),
    /// The delayed value of an output; negated if `inverted`.
    Follows {
        /// The output.
        output: u32,
        /// Delay in seconds.
        delay: f64,
        /// Inverted.
        inverted: bool,
    },
    /// On while a part that can be taken is in a zone.
    Sees {
        /// The zone.
        zone: Model,
        /// Location.
        place: Pose,
    },
}

/// A signal from outside.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Its number.
    pub number: u32,
    /// Source of its value.
    pub source: SignalSource,
}

/// Reason that a work cell is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkCellError {
    /// Something cannot be in the cell.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// Nothing moves the link that is to be the flange.
    #[error("no joint moves the link `{0}`; name the last link of the arm")]
    Immovable(String),
    /// Another number of start values than the robot has variables.
    #[error("{found} values to start from for {wanted} variables")]
    Start {
        /// Actual count.
        found: usize,
        /// Expected count.
        wanted: usize,
    },
}

/// The environment of a program. The arm that moves is the first robot of the plan; others stay unchanged.
#[derive(Clone, Debug)]
pub struct WorkCell {
    /// Robots and fixed bodies.
    pub plan: CellBuilder,
    /// The arm.
    pub robot: Arc<Robot>,
    /// Prefix of its links' names in the cell.
    pub prefix: String,
    /// Its placement.
    pub world_from_root: Pose,
    /// The link that the tool sits on.
    pub flange: usize,
    /// Values of all its variables at the start.
    pub start: Vec<f64>,
    /// Values of all its variables that `READY` goes to.
    pub ready: Vec<f64>,
    /// Values of the robots after the first.
    pub others: Vec<f64>,
    /// The tool on the flange before any `TOOL`.
    pub tool: Pose,
    /// The gripper, if it has one.
    pub grasp: Option<Grasp>,
    /// Graspable parts.
    pub loose: Vec<GraspablePart>,
    /// Rules for pairs, by the names of their parts, including graspable parts.
    pub rules: Vec<([String; 2], PairSetting)>,
    /// Margin of all checked pairs, in metres.
    pub margin: f64,
    /// Locations known from the start: transformations as the arm's root sees them.
    pub locations: Locations,
    /// Variables known from the start.
    pub variables: HashMap<String, f64>,
    /// Signals from outside.
    pub signals: Vec<Signal>,
    /// Speed and acceleration of a turning joint where the robot states none.
    pub turn_speed: [f64; 2],
    /// Of a sliding joint, and of the tool on straight lines, in metres.
    pub slide_speed: [f64; 2],
    /// Maximum deviation of the tool from straight lines, in metres.
    pub line_tolerance: f64,
}

impl WorkCell {
    /// An arm alone, with a plan whose first robot it is. It starts where all its joints are 0, or as near to
    /// that as their limits allow.
    pub fn new(
        plan: CellBuilder,
        robot: Arc<Robot>,
        prefix: &str,
        world_from_root: Pose,
        flange: usize,
    ) -> Self {
        let start = robot.neutral().0;
        Self {
            plan,
            prefix: prefix.to_owned(),
            world_from_root,
            flange,
            ready: start.clone(),
            start,
            others: Vec::new(),
            tool: Pose::IDENTITY,
            grasp: None,
            loose: Vec::new(),
            rules: Vec::new(),
            margin: 0.0,
            locations: Locations::default(),
            variables: HashMap::new(),
            signals: Vec::new(),
            turn_speed: [2.0, 8.0],
            slide_speed: [1.0, 4.0],
            line_tolerance: 1e-4,
            robot,
        }
    }

    /// The name of a link in the cell.
    pub fn link_name(&self, link: usize) -> String {
        format!("{}{}", self.prefix, self.robot.links()[link].name)
    }

    /// Creates the cell with its parts at their locations. Pairs of the gripper and the part `let_go`, which it
    /// releases, are disabled.
    pub fn cell(&self, parts: &[super::PartLocation], let_go: Option<usize>) -> Result<Cell, WorkCellError> {
        let mut plan = self.plan.clone();
        let gripper: Vec<String> = self.grasp.as_ref().map_or_else(Vec::new, |grasp| {
            grasp.finger_links.iter().chain([&grasp.link]).map(|&link| self.link_name(link)).collect()
        });
        for (part, place) in self.loose.iter().zip(parts) {
            match place {
                super::PartLocation::Stands(pose) => {
                    plan.add_obstacle(&part.name, &part.model, *pose)?;
                }
                super::PartLocation::Held(link_from_part) => {
                    let carrier = self.grasp.as_ref().map_or(self.flange, |grasp| grasp.link);
                    let status = |name: &&String| {
                        let held = |p: &GraspablePart| p.name == **name;
                        !self.loose.iter().any(held)
                    };
                    let touches: Vec<&str> = gripper
                        .iter()
                        .chain(part.may_touch.iter().filter(status))
                        .map(String::as_str)
                        .collect();
                    let carrier = self.link_name(carrier);
                    plan.attach(&carrier, &part.name, &part.model, *link_from_part, &touches)?;
                }
            }
        }
        // What a part may touch may itself be a part, known only now.
        for (k, part) in self.loose.iter().enumerate() {
            for other in part.may_touch.iter().filter(|name| self.loose.iter().any(|p| p.name == **name)) {
                if matches!(parts.get(k), Some(super::PartLocation::Held(_))) && *other != part.name {
                    plan.disable(&part.name, other, "the attached object may touch it")?;
                }
            }
        }
        // Fingers meet when the gripper closes on nothing.
        let fingers: Vec<String> = self.grasp.as_ref().map_or_else(Vec::new, |grasp| {
            grasp.finger_links.iter().map(|&link| self.link_name(link)).collect()
        });
        for (k, finger) in fingers.iter().enumerate() {
            for other in &fingers[..k] {
                plan.disable(finger, other, "fingers of one gripper")?;
            }
        }
        if let Some(part) = let_go {
            for link in &gripper {
                plan.disable(link, &self.loose[part].name, "the gripper lets go of it")?;
            }
        }
        for ([a, b], rule) in &self.rules {
            match rule {
                PairSetting::Off(reason) => plan.disable(a, b, reason)?,
                PairSetting::Margin(margin) => plan.margin(a, b, *margin)?,
            }
        }
        if self.margin > 0.0 {
            // Each part brings half of the margin of its pairs.
            let names: Vec<String> = plan.part_names().map(str::to_owned).collect();
            for name in names {
                plan.set_padding(&name, 0.5 * self.margin)?;
            }
        }
        Ok(plan.build())
    }
}
