//! Workload W1: what is asked, and the answers known in advance.

use super::Part;
use crate::bench::measure::Samples;
use anyhow::{Context, Result};
use noli::{Effort, Mesh, Pose};
use noli_scenes::{TriangleSet, W1_GAPS, W1_MOTION_SEED, W1_SEED, w1_meshes, w1_motion_starts, w1_poses};
use std::fmt;

/// Poses of the workload as published.
pub const POSES: usize = 1000;
/// How many of them overlap.
const HITS: f64 = 448.0;
/// How many pairs of faces meet, over all of them.
const CROSSINGS: f64 = 154_630.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Question {
    Overlap,
    Clearance,
    /// How deep convex bodies are in each other.
    Depth,
    /// Pairs of faces only.
    Crossings,
    /// Pairs of faces and where they meet.
    Segments,
    /// When B first touches A on its way to the pose.
    Impact,
    Build(Effort),
}

impl Question {
    pub(in crate::bench) fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Clearance => "clearance",
            Self::Depth => "depth",
            Self::Crossings => "crossings",
            Self::Segments => "crossings with segments",
            Self::Impact => "time of impact",
            Self::Build(Effort::Full) => "build",
            Self::Build(Effort::Quick) => "build quick",
        }
    }

    /// How far a peer may be off; the bodies are two units large.
    pub(super) fn tolerance(self) -> f64 {
        if self == Self::Clearance { 1e-9 } else { 0.0 }
    }
}

/// Which poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    All,
    /// Those of `W1_GAPS[i]`.
    Gap(usize),
    /// None: models are built.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) question: Question,
    pub(super) set: Set,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.question.name())?;
        match self.set {
            Set::Gap(i) => write!(f, " at gap {:e}", W1_GAPS[i]),
            Set::All | Set::None => Ok(()),
        }
    }
}

/// All tasks of the wanted parts.
pub(super) fn tasks(parts: &[Part]) -> Vec<Task> {
    let mut all = vec![(Part::Overlap, Question::Overlap, Set::All)];
    all.extend((0..W1_GAPS.len()).map(|i| (Part::Overlap, Question::Overlap, Set::Gap(i))));
    all.push((Part::Clearance, Question::Clearance, Set::All));
    all.push((Part::Crossings, Question::Crossings, Set::All));
    all.push((Part::Crossings, Question::Segments, Set::All));
    all.push((Part::Motions, Question::Impact, Set::All));
    all.push((Part::Build, Question::Build(Effort::Full), Set::None));
    all.push((Part::Build, Question::Build(Effort::Quick), Set::None));
    let wanted = all.into_iter().filter(|(part, ..)| parts.contains(part));
    wanted.map(|(_, question, set)| Task { question, set }).collect()
}

/// Bodies and poses of B; A sits at the identity.
pub(super) struct Workload {
    pub(super) sets: [TriangleSet; 2],
    pub(super) meshes: [Mesh; 2],
    poses: Vec<Pose>,
    /// Where the motions to the poses start.
    pub(super) starts: Vec<Pose>,
    /// One list for each of `W1_GAPS`, empty until made.
    pub(super) gap_poses: Vec<Vec<Pose>>,
}

impl Workload {
    pub(super) fn new(poses: usize) -> Result<Self> {
        let sets = w1_meshes();
        let [a, b] = [mesh(&sets[0])?, mesh(&sets[1])?];
        let poses = w1_poses(W1_SEED, poses);
        let starts = w1_motion_starts(W1_MOTION_SEED, &poses);
        Ok(Self { sets, meshes: [a, b], poses, starts, gap_poses: Vec::new() })
    }

    pub(super) fn poses(&self, set: Set) -> &[Pose] {
        match set {
            Set::All => &self.poses,
            Set::Gap(i) => self.gap_poses.get(i).map_or(&[], Vec::as_slice),
            Set::None => &[],
        }
    }

    /// The poses from which the gap sets are slid.
    pub(super) fn gap_starts(&self) -> &[Pose] {
        &self.poses[..self.poses.len().div_ceil(5)]
    }

    /// What is wrong with our own answers, as far as they are known in advance.
    pub(super) fn failures(&self, task: Task, samples: &Samples) -> Option<String> {
        let total: f64 = samples.answers.iter().map(|answer| answer.at_least).sum();
        let zeros = samples.answers.iter().filter(|answer| answer.at_most == 0.0).count() as f64;
        let all = self.poses.len() == POSES;
        let (found, expected) = match (task.question, task.set) {
            (Question::Overlap, Set::Gap(_)) => (total, 0.0),
            (Question::Overlap, _) if all => (total, HITS),
            (Question::Clearance, _) if all => (zeros, HITS),
            (Question::Crossings | Question::Segments, _) if all => (total, CROSSINGS),
            _ => return None,
        };
        (found != expected).then(|| format!("{task}: {found} instead of {expected}"))
    }
}

pub(in crate::bench) fn mesh(set: &TriangleSet) -> Result<Mesh> {
    Mesh::from_triangles(set.vertices.clone(), set.triangles.clone(), &Default::default())
        .context("the generated mesh")
}
