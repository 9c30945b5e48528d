//! Recordings: the events of every frame, for display, replay and comparison.

use crate::report::curved_motion::CurvedMotion;
use crate::report::impact::{ImpactKind, ImpactReport};
use crate::report::outcome::Outcome;
use crate::report::tessellation::TessellationReport;
use crate::stage::scene::Staged;
use noli::world::{Body, Step, StepStats};
use noli_formats::{FileError, Place, Units, bytes_of, without_byte_order_mark};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Result of `noli play`, frame by frame; also its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The version of the format: [`Recording::VERSION`].
    pub noli_recording: u32,
    /// The scene.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// Duration of the motions, in seconds.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frame_count: u32,
    /// The names of the bodies, in the order of poses.
    pub bodies: Vec<String>,
    /// Bodies of a scene that are triangles in place of curved surfaces; `None` if there are none. Not tested for programs
    /// of robots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tessellation: Option<TessellationReport>,
    /// The frames that were played: none after everything is blocked.
    pub frames: Vec<Frame>,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its number, from 0.
    pub number: u32,
    /// Start time, from 0 to 1.
    pub time: f64,
    /// The groups that were still going.
    pub groups: Vec<GroupFrame>,
    /// All pairs that touch, or may; times are within the frame.
    pub hits: Vec<ImpactReport>,
    /// x, y, z, qx, qy, qz, qw of every body at the end of the frame.
    pub poses: Vec<[f64; 7]>,
    /// Bodies that moved.
    pub moved: usize,
    /// Pairs that may touch.
    pub candidates: usize,
    /// Pairs that were tested.
    pub tested: usize,
    /// Pairs that were asleep.
    pub asleep: usize,
    /// Pairs whose test was cut short.
    pub cut_short: usize,
    /// Steps of all tests.
    pub steps: u64,
    /// Computation time of the frame, in microseconds.
    pub micros: f64,
    /// `true` if the computation time is within the budget.
    pub budget_met: bool,
}

/// Motion of a group in a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFrame {
    /// Its name.
    pub name: String,
    /// Collision-free share of the frame.
    pub free_until: f64,
    /// Cause of the stop.
    pub by: Option<ImpactReport>,
}

/// Start and computation time of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTime {
    /// Its number, from 0.
    pub number: u32,
    /// Start time, from 0 to 1.
    pub time: f64,
    /// Computation time, in microseconds.
    pub micros: f64,
    /// `true` if the computation time is within the budget.
    pub budget_met: bool,
}

impl Frame {
    /// Creates the record of the world after a completed step.
    pub fn new(
        at: FrameTime,
        (staged, surfaces): (&Staged, &CurvedMotion),
        groups: Vec<GroupFrame>,
        step: &Step,
    ) -> Self {
        let pose = |body: &Body| body.pose().to_array();
        let StepStats { moved, candidates, tested, asleep, cut_short, steps, .. } = step.stats;
        Self {
            number: at.number,
            time: at.time,
            groups,
            hits: step.answers.iter().filter_map(|answer| surfaces.impact(&staged.world, answer)).collect(),
            poses: staged.world.bodies().map(|(_, body)| pose(body)).collect(),
            moved,
            candidates,
            tested,
            asleep,
            cut_short,
            steps,
            micros: at.micros,
            budget_met: at.budget_met,
        }
    }
}

impl Recording {
    /// The version of the format; readers refuse others.
    pub const VERSION: u32 = 1;

    /// Nothing played yet.
    pub fn new(scene: &str, staged: &Staged, frame_count: u32) -> Self {
        Self {
            noli_recording: Self::VERSION,
            scene: scene.to_owned(),
            units: staged.units,
            seconds: staged.seconds,
            frame_count,
            bodies: staged.world.bodies().map(|(_, body)| body.name().to_owned()).collect(),
            tessellation: staged.tessellation(),
            frames: Vec::new(),
        }
    }

    /// Reads a recording.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let read = || Self::from_json(&bytes_of(path)?);
        read().map_err(|error| error.in_file(path))
    }

    /// The recording that a JSON text holds.
    pub fn from_json(text: &[u8]) -> Result<Self, FileError> {
        #[derive(Deserialize)]
        struct Version {
            noli_recording: u32,
        }
        let remedy = "make one with `noli play --record`";
        let wrong = |error: serde_json::Error| {
            let reason = format!("not a recording of `noli play`: {error}");
            FileError::new(Place::Line(error.line().max(1)), reason, remedy)
        };
        let text = without_byte_order_mark(text);
        let Version { noli_recording } = serde_json::from_slice(text).map_err(wrong)?;
        if noli_recording != Self::VERSION {
            let reason = format!("not a recording of version {}", Self::VERSION);
            return Err(FileError::new(Place::Whole, reason, remedy));
        }
        serde_json::from_slice(text).map_err(wrong)
    }

    /// Frames in which a group is stopped.
    pub fn blocks(&self) -> impl Iterator<Item = (&Frame, &GroupFrame)> {
        let all = self.frames.iter().flat_map(|frame| frame.groups.iter().map(move |group| (frame, group)));
        all.filter(|(_, group)| group.free_until < 1.0)
    }

    /// Returns the outcome by the contacts.
    pub fn outcome(&self) -> Outcome {
        let hits = || self.frames.iter().flat_map(|frame| &frame.hits);
        let any = |kind| hits().any(|hit| hit.impact == kind);
        if any(ImpactKind::At) || !any(ImpactKind::Undecided) && any(ImpactKind::AtStart) {
            Outcome::Touching
        } else if any(ImpactKind::Undecided) {
            Outcome::Undecided
        } else {
            Outcome::Free
        }
    }

    /// Returns the first difference from another recording, except in times and costs; poses are compared bit for
    /// bit.
    pub fn difference(&self, other: &Self) -> Option<String> {
        for (key, same) in
            [("frame_count", self.frame_count == other.frame_count), ("bodies", self.bodies == other.bodies)]
        {
            if !same {
                return Some(format!("`{key}` differs: the recording is of another scene or other options"));
            }
        }
        for (number, (mine, other)) in self.frames.iter().zip(&other.frames).enumerate() {
            let bits = |frame: &Frame| -> Vec<[u64; 7]> {
                frame.poses.iter().map(|pose| pose.map(f64::to_bits)).collect()
            };
            for (key, same) in [
                ("poses", bits(mine) == bits(other)),
                ("groups", mine.groups == other.groups),
                ("hits", mine.hits == other.hits),
            ] {
                if !same {
                    return Some(format!("frame {number}: `{key}` differs"));
                }
            }
        }
        let (mine, other) = (self.frames.len(), other.frames.len());
        (mine != other).then(|| format!("{other} frames were recorded, {mine} played"))
    }
}
