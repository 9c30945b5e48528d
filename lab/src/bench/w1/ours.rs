//! noli's own answers.

use super::workload::{Question, Set, Task, Workload, mesh};
use crate::bench::measure::{Answer, Samples, median, timed};
use anyhow::{Context, Result};
use glam::DVec3;
use noli::answer::{Bracket, Count};
use noli::model::ModelOptions;
use noli::motion::{Motion, RigidMotion, Still};
use noli::query::{Instructions, IntersectionsQuery};
use noli::tree::Effort;
use noli::{Impact, Mesh, Model, Overlap, Pose, QueryContext, Scratch};
use noli_scenes::{W1_GAPS, slide_to_distance};
use std::cell::RefCell;

/// Maximum distance of bodies of radius 1.1 each at the end of a bracket: a millionth of the sum.
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

    /// Runs one query for every pose of a task.
    pub(super) fn measure(&self, task: Task, workload: &Workload, passes: usize) -> Samples {
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
                let Bracket { at_least, at_most } = self.clearance(pose);
                Answer { at_least, at_most }
            }),
            Question::Intersections => Samples::of(poses, passes, |pose| self.intersections(pose, false)),
            Question::Segments => Samples::of(poses, passes, |pose| self.intersections(pose, true)),
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
            match QueryContext::new(&mut scratch).time_of_impact(&a, &b, &Default::default()) {
                Impact::Free => Answer::exactly(2.0),
                Impact::AtStart(_) => Answer::exactly(0.0),
                Impact::At { time, .. } => Answer { at_least: time.safe_until, at_most: time.touching_by },
                Impact::Unknown { .. } => Answer::exactly(f64::NAN),
            }
        })
    }

    /// Describes errors of our brackets: a clearance left at the end or a contact before the start. Also an overlap
    /// at the end of a motion reported free.
    pub(super) fn impact_failures(&self, workload: &Workload, samples: &Samples) -> Option<String> {
        let ends = workload.poses(Set::All);
        let wrong =
            workload.starts.iter().zip(ends).zip(&samples.answers).filter(|((start, end), answer)| {
                let motion = RigidMotion::between(start, end, DVec3::ZERO);
                let clearance = |t: f64| self.clearance(&motion.pose(t)).at_most;
                if answer.at_most <= 1.0 {
                    clearance(answer.at_most) > IMPACT_TOLERANCE
                        || (answer.at_least > 0.0 && clearance(answer.at_least) == 0.0)
                } else {
                    answer.at_least.is_nan() || clearance(1.0) == 0.0
                }
            });
        let count = wrong.count();
        (count > 0).then(|| format!("time of impact: wrong for {count} motions"))
    }

    fn overlap(&self, pose: &Pose) -> Answer {
        let scratch = &mut self.scratch.borrow_mut();
        Answer::exactly(
            match QueryContext::new(scratch).overlap(&self.a.at(Pose::IDENTITY), &self.b.at(*pose)) {
                Overlap::Free => 0.0,
                Overlap::Hit => 1.0,
                Overlap::Unknown => f64::NAN,
            },
        )
    }

    fn clearance(&self, pose: &Pose) -> Bracket {
        let scratch = &mut self.scratch.borrow_mut();
        let (a, b) = (self.a.at(Pose::IDENTITY), self.b.at(*pose));
        QueryContext::new(scratch).clearance(&a, &b, &Default::default()).distance
    }

    fn intersections(&self, pose: &Pose, segments: bool) -> Answer {
        let scratch = &mut self.scratch.borrow_mut();
        let query = IntersectionsQuery { segments, ..Default::default() };
        let mut count = Count::default();
        let (a, b) = (self.a.at(Pose::IDENTITY), self.b.at(*pose));
        // Without a budget all are counted.
        let _ = QueryContext::new(scratch).intersections(&a, &b, &query, &mut count);
        Answer::exactly(count.0 as f64)
    }

    /// The workload with its clearance sets: each slid on from the one with the next larger clearance.
    pub(super) fn with_clearance_sets(&self, mut workload: Workload) -> Result<Workload> {
        let mut poses = workload.clearance_starts().to_vec();
        for clearance in W1_GAPS {
            let slide =
                |pose: &Pose| slide_to_distance(*pose, clearance, |pose| self.clearance(pose).at_most);
            poses = poses.iter().map(slide).collect::<Option<_>>().with_context(|| {
                format!("a pose of the workload cannot be slid to the clearance {clearance:e}")
            })?;
            workload.clearance_poses.push(poses.clone());
        }
        Ok(workload)
    }

    /// Slid poses whose clearance is not the clearance.
    pub(super) fn clearance_failures(&self, workload: &Workload) -> Vec<String> {
        let failure = |(i, clearance): (usize, &f64)| {
            let wrong = |pose: &&Pose| {
                let Bracket { at_least, at_most } = self.clearance(pose);
                !(at_least - clearance_error(*clearance) <= *clearance
                    && *clearance <= at_most + clearance_error(*clearance))
            };
            let count = workload.poses(Set::Clearance(i)).iter().filter(wrong).count();
            (count > 0).then(|| format!("clearance at clearance {clearance:e}: wrong for {count} poses"))
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
        let (model, micros) = timed(|| {
            mesh(&workload.sets[0]).map(|mesh| Model::with_options(&mesh, &ModelOptions { effort }))
        });
        drop(model); // freeing is not timed
        micros
    };
    Samples { answers: Vec::new(), micros: vec![median((0..BUILDS).map(once).collect())] }
}

/// Returns the maximum error of a slid pose's clearance: the slide's remainder, relative to the clearance, plus
/// rounding of coordinates of size 2.
fn clearance_error(clearance: f64) -> f64 {
    2e-12 * clearance + 1e-14
}
