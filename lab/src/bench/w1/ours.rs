//! noli's own answers.

use super::workload::{Question, Set, Task, Workload, mesh};
use crate::bench::measure::{Answer, Samples, median, timed};
use anyhow::{Context, Result};
use glam::DVec3;
use noli::{
    Ask, Bracket, Count, CrossingsQuery, Effort, Impact, Instructions, Mesh, Model, ModelOptions, Motion,
    Overlap, Pose, RigidMotion, Scratch, Still,
};
use noli_scenes::{W1_GAPS, slide_to_gap};
use std::cell::RefCell;

/// How near bodies of radius 1.1 each may be at the end of a bracket: a millionth of the sum.
const IMPACT_TOLERANCE: f64 = 2.2e-6;
/// Builds of which the median counts, as the peers do it.
const BUILDS: usize = 5;
/// Two models, and memory for asking.
pub(in crate::bench) struct Ours {
    a: Model,
    b: Model,
    scratch: RefCell<Scratch>,
}

impl Ours {
    pub(super) fn new(workload: &Workload, instructions: Instructions) -> Self {
        let [a, b] = &workload.meshes;
        Self::from_models(Model::from(a), Model::from(b), instructions)
    }

    pub(in crate::bench) fn from_models(a: Model, b: Model, instructions: Instructions) -> Self {
        Self { a, b, scratch: RefCell::new(Scratch::with_instructions(instructions)) }
    }

    /// Ask one question of every pose of a task.
    pub(super) fn ask(&self, task: Task, workload: &Workload, passes: usize) -> Samples {
        match task.question {
            Question::Build(effort) => build(workload, effort),
            Question::Impact => self.impacts(workload, passes),
            question => self.ask_poses(question, workload.poses(task.set), passes),
        }
    }

    pub(in crate::bench) fn ask_poses(&self, question: Question, poses: &[Pose], passes: usize) -> Samples {
        match question {
            Question::Overlap => Samples::of(poses, passes, |pose| self.overlap(pose)),
            Question::Clearance => Samples::of(poses, passes, |pose| {
                let Bracket { at_least, at_most } = self.gap(pose);
                Answer { at_least, at_most }
            }),
            Question::Crossings => Samples::of(poses, passes, |pose| self.crossings(pose, false)),
            Question::Segments => Samples::of(poses, passes, |pose| self.crossings(pose, true)),
            Question::Depth | Question::Impact | Question::Build(_) => Samples::default(),
        }
    }

    /// The bracket of each motion's first contact; 2 where it is free.
    fn impacts(&self, workload: &Workload, passes: usize) -> Samples {
        let ends = workload.poses(Set::All);
        let motion = |(start, end): (&Pose, &Pose)| RigidMotion::between(start, end, DVec3::ZERO);
        let motions: Vec<RigidMotion> = workload.starts.iter().zip(ends).map(motion).collect();
        let still = Still::default();
        Samples::of(&motions, passes, |motion| {
            let (a, b) = (self.a.moving(&still), self.b.moving(motion));
            let mut scratch = self.scratch.borrow_mut();
            match Ask::new(&mut scratch).time_of_impact(&a, &b, &Default::default()) {
                Impact::Free => Answer::exactly(2.0),
                Impact::AtStart(_) => Answer::exactly(0.0),
                Impact::At { time, .. } => Answer { at_least: time.safe_until, at_most: time.touching_by },
                Impact::Unknown { .. } => Answer::exactly(f64::NAN),
            }
        })
    }

    /// What is wrong with our brackets: a gap left at the end of one, a contact before its start, or an overlap
    /// at the end of a motion that was called free.
    pub(super) fn impact_failures(&self, workload: &Workload, samples: &Samples) -> Option<String> {
        let ends = workload.poses(Set::All);
        let wrong =
            workload.starts.iter().zip(ends).zip(&samples.answers).filter(|((start, end), answer)| {
                let motion = RigidMotion::between(start, end, DVec3::ZERO);
                let gap = |t: f64| self.gap(&motion.pose(t)).at_most;
                if answer.at_most <= 1.0 {
                    gap(answer.at_most) > IMPACT_TOLERANCE
                        || (answer.at_least > 0.0 && gap(answer.at_least) == 0.0)
                } else {
                    answer.at_least.is_nan() || gap(1.0) == 0.0
                }
            });
        let count = wrong.count();
        (count > 0).then(|| format!("time of impact: wrong for {count} motions"))
    }

    fn overlap(&self, pose: &Pose) -> Answer {
        let scratch = &mut self.scratch.borrow_mut();
        Answer::exactly(match Ask::new(scratch).overlap(&self.a.at(Pose::IDENTITY), &self.b.at(*pose)) {
            Overlap::Free => 0.0,
            Overlap::Hit => 1.0,
            Overlap::Unknown => f64::NAN,
        })
    }

    fn gap(&self, pose: &Pose) -> Bracket {
        let scratch = &mut self.scratch.borrow_mut();
        let (a, b) = (self.a.at(Pose::IDENTITY), self.b.at(*pose));
        Ask::new(scratch).clearance(&a, &b, &Default::default()).gap
    }

    fn crossings(&self, pose: &Pose, segments: bool) -> Answer {
        let scratch = &mut self.scratch.borrow_mut();
        let query = CrossingsQuery { segments, ..Default::default() };
        let mut count = Count::default();
        let (a, b) = (self.a.at(Pose::IDENTITY), self.b.at(*pose));
        // Without a budget all are counted.
        let _ = Ask::new(scratch).crossings(&a, &b, &query, &mut count);
        Answer::exactly(count.0 as f64)
    }

    /// The workload with its gap sets: each slid on from the one with the next larger gap.
    pub(super) fn with_gap_sets(&self, mut workload: Workload) -> Result<Workload> {
        let mut poses = workload.gap_starts().to_vec();
        for gap in W1_GAPS {
            let slide = |pose: &Pose| slide_to_gap(*pose, gap, |pose| self.gap(pose).at_most);
            poses = poses
                .iter()
                .map(slide)
                .collect::<Option<_>>()
                .with_context(|| format!("a pose of the workload cannot be slid to the gap {gap:e}"))?;
            workload.gap_poses.push(poses.clone());
        }
        Ok(workload)
    }

    /// Slid poses whose clearance is not the gap.
    pub(super) fn gap_failures(&self, workload: &Workload) -> Vec<String> {
        let failure = |(i, gap): (usize, &f64)| {
            let wrong = |pose: &&Pose| {
                let Bracket { at_least, at_most } = self.gap(pose);
                !(at_least - gap_error(*gap) <= *gap && *gap <= at_most + gap_error(*gap))
            };
            let count = workload.poses(Set::Gap(i)).iter().filter(wrong).count();
            (count > 0).then(|| format!("clearance at gap {gap:e}: wrong for {count} poses"))
        };
        W1_GAPS.iter().enumerate().filter_map(failure).collect()
    }

    pub(in crate::bench) fn tree_bytes_per_triangle(&self) -> f64 {
        self.a.tree_bytes() as f64 / self.a.mesh().map_or(0, Mesh::triangle_count) as f64
    }
}

/// From vertices and triangles to a model ready for queries, checking the mesh included.
fn build(workload: &Workload, effort: Effort) -> Samples {
    let once = |_| {
        let (model, micros) =
            timed(|| mesh(&workload.sets[0]).map(|mesh| Model::with(&mesh, &ModelOptions { effort })));
        drop(model); // freeing is not timed
        micros
    };
    Samples { answers: Vec::new(), micros: vec![median((0..BUILDS).map(once).collect())] }
}

/// How far the clearance of a slid pose may be off: what the slide leaves, relative to the gap, and the
/// rounding of coordinates of size 2.
fn gap_error(gap: f64) -> f64 {
    2e-12 * gap + 1e-14
}
