//! Recordings: what happened in every frame, to be looked at, played again and compared.

use crate::Outcome;
use crate::moving::Staged;
use crate::sweep::Hit;
use anyhow::{Context, Result};
use noli::{Step, StepStats, World};
use serde::Serialize;
use std::path::Path;

/// The version of the format; readers refuse others.
const VERSION: u32 = 1;

#[derive(Serialize)]
pub(super) struct Recording {
    noli_recording: u32,
    scene: String,
    units: &'static str,
    seconds: f64,
    pub(super) frame_count: u32,
    bodies: Vec<String>,
    pub(super) frames: Vec<Frame>,
}

#[derive(Serialize)]
pub(super) struct Frame {
    pub(super) number: u32,
    /// When it begins, from 0 to 1.
    pub(super) time: f64,
    pub(super) groups: Vec<Group>,
    /// All pairs that touch, or may.
    hits: Vec<Hit>,
    /// x, y, z, qx, qy, qz, qw of every body at the end of the frame.
    poses: Vec<[f64; 7]>,
    moved: usize,
    candidates: usize,
    tested: usize,
    asleep: usize,
    cut_short: usize,
    steps: u64,
    pub(super) micros: f64,
    pub(super) budget_met: bool,
}

#[derive(Serialize)]
pub(super) struct Group {
    pub(super) name: String,
    /// How much of the frame it could move.
    pub(super) free_until: f64,
    pub(super) by: Option<Hit>,
}

impl Frame {
    pub(super) fn new(
        number: u32,
        time: f64,
        world: &World,
        groups: Vec<Group>,
        step: &Step,
        micros: f64,
        budget_met: bool,
    ) -> Self {
        let pose = |body: &noli::Body| {
            let (p, q) = (body.pose().translation, body.pose().rotation);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
        };
        let StepStats { moved, candidates, tested, asleep, cut_short, steps, .. } = step.stats;
        Self {
            number,
            time,
            groups,
            hits: step.answers.iter().filter_map(|answer| Hit::new(world, answer)).collect(),
            poses: world.bodies().map(|(_, body)| pose(body)).collect(),
            moved,
            candidates,
            tested,
            asleep,
            cut_short,
            steps,
            micros,
            budget_met,
        }
    }

    pub(super) fn stats(&self) -> StepStats {
        let Self { moved, candidates, tested, asleep, cut_short, steps, .. } = *self;
        StepStats { moved, candidates, tested, asleep, cut_short, steps, ..Default::default() }
    }
}

impl Recording {
    pub(super) fn new(staged: &Staged, frame_count: u32) -> Self {
        Self {
            noli_recording: VERSION,
            scene: staged.title.clone(),
            units: staged.units.sign(),
            seconds: staged.seconds,
            frame_count,
            bodies: staged.world.bodies().map(|(_, body)| body.name().to_owned()).collect(),
            frames: Vec::new(),
        }
    }

    /// Frames in which a group is stopped.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&Frame, &Group)> {
        let all = self.frames.iter().flat_map(|frame| frame.groups.iter().map(move |group| (frame, group)));
        all.filter(|(_, group)| group.free_until < 1.0)
    }

    pub(super) fn outcome(&self) -> Outcome {
        let hits = || self.frames.iter().flat_map(|frame| &frame.hits);
        if hits().any(|hit| hit.impact == "at") {
            Outcome::Touching
        } else if hits().any(|hit| hit.impact == "undecided") {
            Outcome::Undecided
        } else if hits().next().is_some() {
            Outcome::Touching
        } else {
            Outcome::Free
        }
    }

    pub(super) fn read(path: &Path) -> Result<serde_json::Value> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{}: cannot be read; check the path", path.display()))?;
        let value: serde_json::Value = serde_json::from_str(&text).with_context(|| {
            format!("{}: not a recording of `noli play`; make one with --record", path.display())
        })?;
        anyhow::ensure!(
            value["noli_recording"] == VERSION,
            "{}: not a recording of version {VERSION}; make one with --record",
            path.display()
        );
        Ok(value)
    }

    /// Where this one and a recording that was read first differ, apart from times; poses are compared bit for bit.
    pub(super) fn difference(&self, other: &serde_json::Value) -> Option<String> {
        // Through text, like the other: reading may round the last digit.
        let mine: serde_json::Value = serde_json::from_str(&serde_json::to_string(self).ok()?).ok()?;
        for key in ["frame_count", "bodies"] {
            if mine[key] != other[key] {
                return Some(format!("`{key}` differs: the recording is of another scene or other options"));
            }
        }
        let empty = Vec::new();
        let (mine, other) =
            (mine["frames"].as_array().unwrap_or(&empty), other["frames"].as_array().unwrap_or(&empty));
        for (number, (mine, other)) in mine.iter().zip(other).enumerate() {
            for key in ["poses", "groups", "hits"] {
                if mine[key] != other[key] {
                    return Some(format!("frame {number}: `{key}` differs"));
                }
            }
        }
        let (mine, other) = (mine.len(), other.len());
        (mine != other).then(|| format!("{other} frames were recorded, {mine} played"))
    }
}
