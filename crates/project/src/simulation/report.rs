//! Results of a simulation, as data.

use super::setup::SimulationSetup;
use noli::answer::Feature;
use noli_formats::Units;
use noli_sim::Summary;
use serde::{Deserialize, Serialize};

/// Result of a simulation, frame by frame.
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
    /// Duration, in seconds.
    pub seconds: f64,
    /// Into how many frames that is divided.
    pub frame_count: u32,
    /// Number of triangles of all bodies.
    pub triangles: usize,
    /// The names of the bodies, in the order of poses.
    pub bodies: Vec<String>,
    /// Initial poses.
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
    /// End time, in seconds.
    pub time: f64,
    /// x, y, z, qx, qy, qz, qw of every body at its end.
    pub poses: Vec<[f64; 7]>,
    /// Contacts in force.
    pub contacts: usize,
    /// Contact forces.
    pub forces: Vec<ForceReport>,
    /// Share of the frame moved as contact allows; the rest could not be proven.
    pub used: f64,
    /// Kinetic and potential energy, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<f64>,
    /// Pairs that overlap at its end by the exact test.
    pub overlaps: usize,
    /// Computation time, in milliseconds.
    pub millis: f64,
}

/// A force between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForceReport {
    /// The one.
    pub a: String,
    /// The other, on which it acts.
    pub b: String,
    /// Feature of A: `vertex 3`, `edge 2 5` or `face 7`, in the numbering of its mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_a: Option<String>,
    /// Feature of B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_b: Option<String>,
    /// Location.
    pub point: [f64; 3],
    /// On B.
    pub force: [f64; 3],
}

/// Figures of a whole simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationSummary {
    /// Overlaps by the exact test at every recorded instant, and motion segments without proof: 0.
    pub penetrations: u64,
    /// Share of the wanted motion or simulated time that was not moved because nothing could be proven.
    pub time_lost: f64,
    /// The most contacts at one time.
    pub contacts_most: usize,
    /// The fewest, of frames that had any.
    pub contacts_least: usize,
    /// Computation times of frames.
    pub frame_ms: FrameTimes,
    /// Simulated time over real time.
    pub real_time_factor: f64,
    /// Motion segments proven collision-free.
    pub pieces: u64,
    /// Pairs tested for these proofs.
    pub proofs: u64,
    /// Impacts, of dynamics.
    pub impacts: u64,
    /// Largest violation of the conditions of contact in a solution, as a share of speeds.
    pub residual_most: f64,
    /// Result of each group with a desired motion.
    pub groups: Vec<GroupSummary>,
    /// Energy at the start and at the end, of dynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<[f64; 2]>,
}

/// Computation times of frames, in milliseconds.
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

/// Result of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSummary {
    /// Its name.
    pub name: String,
    /// `true` if it reached the desired final pose or, if it does not follow poses, performed nine tenths of the
    /// desired motion.
    pub reached: bool,
    /// Distance of its centre from the desired final position.
    pub behind: f64,
    /// By what angle it is turned from it, in degrees.
    pub behind_deg: f64,
    /// Displacement of its centre.
    pub moved: [f64; 3],
    /// The turns of all frames, added up, in degrees.
    pub turned_deg: [f64; 3],
    /// Performed share of the desired motion. The largest undesired displacement of a frame, off the contact
    /// directions, is not reported.
    pub share: f64,
    /// Collision-free share of the desired motion without contact: until the first touch.
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

impl SimulationReport {
    /// Creates the report of played frames; it has neither groups nor energies yet.
    pub(super) fn new(
        setup: &SimulationSetup,
        mode: &str,
        (start, frames): (Vec<[f64; 7]>, Vec<SimulationFrame>),
        summary: Summary,
    ) -> Self {
        let millis: Vec<f64> = frames.iter().map(|frame| frame.millis).collect();
        let real = millis.iter().sum::<f64>() / 1000.0;
        let simulated = frames.last().map_or(0.0, |frame| frame.time);
        Self {
            noli_simulation: Self::VERSION,
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
                groups: Vec::new(),
                energy: None,
            },
        }
    }
}
