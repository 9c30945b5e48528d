//! Workload W1: its queries, and the precomputed answers.

use super::Part;
use crate::bench::measure::Samples;
use anyhow::{Context, Result};
use noli::tree::Effort;
use noli::{Mesh, Pose};
use noli_scenes::{TriangleSet, W1_GAPS, W1_MOTION_SEED, W1_SEED, w1_meshes, w1_motion_starts, w1_poses};
use std::fmt;

/// Poses of the workload as published.
pub const POSES: usize = 1000;
/// Number of them that overlap.
const HITS: f64 = 448.0;
/// Number of intersecting pairs of faces, over all of them.
const CROSSINGS: f64 = 154_630.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Question {
    Overlap,
    Clearance,
    /// Penetration depth of convex bodies.
    Depth,
    /// Pairs of faces only.
    Intersections,
    /// Pairs of faces and their intersections.
    Segments,
    /// Time of first contact of B with A on the path to the pose.
    Impact,
    Build(Effort),
}

impl Question {
    pub(in crate::bench) fn name(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Clearance => "clearance",
            Self::Depth => "depth",
            Self::Intersections => "intersections",
            Self::Segments => "intersections with segments",
            Self::Impact => "time of impact",
            Self::Build(Effort::Full) => "build",
            Self::Build(Effort::Quick) => "build quick",
        }
    }

    /// Returns the allowed error of a peer; the bodies are two units large.
    pub(super) fn tolerance(self) -> f64 {
        if self == Self::Clearance { 1e-9 } else { 0.0 }
    }
}

/// Set of poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    All,
    /// Those of `W1_GAPS[i]`.
    Clearance(usize),
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
            Set::Clearance(i) => write!(f, " at clearance {:e}", W1_GAPS[i]),
            Set::All | Set::None => Ok(()),
        }
    }
}

/// All tasks of the wanted parts.
pub(super) fn tasks(parts: &[Part]) -> Vec<Task> {
    let mut all = vec![(Part::Overlap, Question::Overlap, Set::All)];
    all.extend((0..W1_GAPS.len()).map(|i| (Part::Overlap, Question::Overlap, Set::Clearance(i))));
    all.push((Part::Clearance, Question::Clearance, Set::All));
    all.push((Part::Intersections, Question::Intersections, Set::All));
    all.push((Part::Intersections, Question::Segments, Set::All));
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
    /// Start poses of the motions to the poses.
    pub(super) starts: Vec<Pose>,
    /// One list for each of `W1_GAPS`, empty until made.
    pub(super) clearance_poses: Vec<Vec<Pose>>,
}

impl Workload {
    pub(super) fn new(poses: usize) -> Result<Self> {
        let sets = w1_meshes();
        let [a, b] = [mesh(&sets[0])?, mesh(&sets[1])?];
        let poses = w1_poses(W1_SEED, poses);
        let starts = w1_motion_starts(W1_MOTION_SEED, &poses);
        Ok(Self { sets, meshes: [a, b], poses, starts, clearance_poses: Vec::new() })
    }

    pub(super) fn poses(&self, set: Set) -> &[Pose] {
        match set {
            Set::All => &self.poses,
            Set::Clearance(i) => self.clearance_poses.get(i).map_or(&[], Vec::as_slice),
            Set::None => &[],
        }
    }

    /// The poses from which the clearance sets are slid.
    pub(super) fn clearance_starts(&self) -> &[Pose] {
        &self.poses[..self.poses.len().div_ceil(5)]
    }

    /// Describes errors of our own answers, as far as the truth is precomputed.
    pub(super) fn failures(&self, task: Task, samples: &Samples) -> Option<String> {
        let total: f64 = samples.answers.iter().map(|answer| answer.at_least).sum();
        let zeros = samples.answers.iter().filter(|answer| answer.at_most == 0.0).count() as f64;
        let all = self.poses.len() == POSES;
        let (found, expected) = match (task.question, task.set) {
            (Question::Overlap, Set::Clearance(_)) => (total, 0.0),
            (Question::Overlap, _) if all => (total, HITS),
            (Question::Clearance, _) if all => (zeros, HITS),
            (Question::Intersections | Question::Segments, _) if all => (total, CROSSINGS),
            _ => return None,
        };
        (found != expected).then(|| format!("{task}: {found} instead of {expected}"))
    }
}

pub(in crate::bench) fn mesh(set: &TriangleSet) -> Result<Mesh> {
    Mesh::from_triangles(set.vertices.clone(), set.triangles.clone(), &Default::default())
        .context("the generated mesh")
}
