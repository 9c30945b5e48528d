//! What came of a simulation, as data.

use super::SimulationSetup;
use crate::scene::Units;
use noli::Pose;
use noli::answer::Feature;
use noli_sim::Summary;
use serde::{Deserialize, Serialize};

/// What a simulation did, frame by frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationReport {
    /// The version of the format: [`SimulationReport::VERSION`].
    pub noli_simulation: u32,
    /// `contact` or `dynamics`.
    pub mode: String,
    /// The scene.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// How long it takes.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frame_count: u32,
    /// How many triangles all bodies have together.
    pub triangles: usize,
    /// The names of the bodies, in the order of poses.
    pub bodies: Vec<String>,
    /// Where they stood at the start.
    pub start: Vec<[f64; 7]>,
    /// The frames.
    pub frames: Vec<SimulationFrame>,
    /// Figures of all of it.
    pub summary: SimulationSummary,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationFrame {
    /// Its number, from 0.
    pub number: u32,
    /// When it ends, in seconds.
    pub time: f64,
    /// x, y, z, qx, qy, qz, qw of every body at its end.
    pub poses: Vec<[f64; 7]>,
    /// Contacts in force.
    pub contacts: usize,
    /// What they bear.
    pub forces: Vec<ForceReport>,
    /// How much of the frame was moved as contact allows; the rest could not be proven.
    pub used: f64,
    /// Kinetic and potential energy, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
    /// Pairs that overlap at its end by the exact test.
    pub overlaps: usize,
    /// What it took, in milliseconds.
    pub millis: f64,
}

/// A force between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForceReport {
    /// The one.
    pub a: String,
    /// The other, on which it acts.
    pub b: String,
    /// What of A: `vertex 3`, `edge 2 5` or `face 7`, in the numbers of its mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_a: Option<String>,
    /// What of B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_b: Option<String>,
    /// Where.
    pub point: [f64; 3],
    /// On B.
    pub force: [f64; 3],
}

/// Figures of a whole simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationSummary {
    /// Overlaps by the exact test at every recorded instant, and pieces of motion without proof: 0.
    pub penetrations: u64,
    /// Share of the wanted motion or simulated time that was not moved because nothing could be proven.
    pub time_lost: f64,
    /// The most contacts at one time.
    pub contacts_most: usize,
    /// The fewest, of frames that had any.
    pub contacts_least: usize,
    /// How long frames took.
    pub frame_ms: FrameTimes,
    /// Simulated time over real time.
    pub real_time_factor: f64,
    /// Pieces of motion that were proven free.
    pub pieces: u64,
    /// Pairs that were looked at for it.
    pub proofs: u64,
    /// Impacts, of dynamics.
    pub impacts: u64,
    /// Largest violation of the conditions of contact in a solution, as a share of speeds.
    pub residual_most: f64,
    /// What became of each group that was asked to move.
    pub groups: Vec<GroupSummary>,
    /// Energy at the start and at the end, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<[f64; 2]>,
}

/// How long frames took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameTimes {
    /// Half of the frames took no longer.
    pub median: f64,
    /// All but one in a hundred took no longer.
    pub p99: f64,
    /// None took longer.
    pub worst: f64,
}

impl FrameTimes {
    /// From the times of all frames.
    pub fn new(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        let last = millis.len().saturating_sub(1);
        let at = |share: f64| {
            let place = ((share * last as f64).ceil() as usize).min(last);
            millis.get(place).copied().unwrap_or(0.0)
        };
        Self { median: at(0.5), p99: at(0.99), worst: at(1.0) }
    }
}

/// What became of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSummary {
    /// Its name.
    pub name: String,
    /// Whether it did what was asked: it is where it is wanted at the end, or, where it does not go after poses, has done
    /// nine tenths of the wanted motion.
    pub reached: bool,
    /// How far its centre is from where it is wanted at the end.
    pub behind: f64,
    /// By what angle it is turned from it, in degrees.
    pub behind_deg: f64,
    /// How far its centre has moved.
    pub moved: [f64; 3],
    /// The turns of all frames, added up, in degrees.
    pub turned_deg: [f64; 3],
    /// The largest displacement of a frame that was not wanted, off the directions in which contact pushes, is not told
    /// here; the share of the wanted motion that was done is.
    pub share: f64,
    /// How much of the wanted motion is free without contact: until the first touch.
    pub free_without_contact: f64,
}

impl SimulationReport {
    /// The version of the format.
    pub const VERSION: u32 = 1;
}

pub(super) fn feature(feature: Feature) -> String {
    match feature {
        Feature::Vertex(vertex) => format!("vertex {vertex}"),
        Feature::Edge([from, to]) => format!("edge {from} {to}"),
        Feature::Face(face) => format!("face {face}"),
    }
}

pub(super) fn numbers(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

pub(super) fn report(
    setup: &SimulationSetup,
    mode: &str,
    (start, frames): (Vec<[f64; 7]>, Vec<SimulationFrame>),
    summary: Summary,
    groups: Vec<GroupSummary>,
    energy: Option<[f64; 2]>,
) -> SimulationReport {
    let millis: Vec<f64> = frames.iter().map(|frame| frame.millis).collect();
    let real = millis.iter().sum::<f64>() / 1000.0;
    let simulated = frames.last().map_or(0.0, |frame| frame.time);
    SimulationReport {
        noli_simulation: SimulationReport::VERSION,
        mode: mode.to_owned(),
        scene: setup.scene.clone(),
        units: setup.units,
        seconds: setup.seconds,
        frame_count: frames.len() as u32,
        triangles: setup.triangles(),
        bodies: setup.bodies.iter().map(|body| body.name.clone()).collect(),
        start,
        frames,
        summary: SimulationSummary {
            penetrations: summary.penetrations,
            time_lost: summary.time_lost,
            contacts_most: summary.contacts_most,
            contacts_least: summary.contacts_least,
            frame_ms: FrameTimes::new(millis),
            real_time_factor: if real > 0.0 { simulated / real } else { 0.0 },
            pieces: summary.pieces,
            proofs: summary.proofs,
            impacts: summary.impacts,
            residual_most: summary.residual_most,
            groups,
            energy,
        },
    }
}
