//! Workload W1: two bumpy spheres of 69,620 triangles around contact, against the peers in the same minutes.

mod ours;
mod report;
mod workload;

pub(super) use ours::Ours;
pub use report::{Report, Row};
pub use workload::POSES;
pub(super) use workload::{Question, mesh};

use super::measure::{Dated, Samples};
use super::peers::{self, JobFolder, Peer};
use crate::measured::Progress;
use anyhow::{Result, ensure};
use noli::query::Instructions;
use noli::tree::Effort;
use workload::{Task, Workload};

/// Query on the two spheres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Verdicts, at the poses of the workload and at known clearances.
    Overlap,
    /// The clearance.
    Clearance,
    /// All pairs of intersecting faces.
    Intersections,
    /// First contact along motions.
    Motions,
    /// Preparing a model.
    Build,
}

impl Part {
    /// Everything.
    pub const ALL: [Self; 5] =
        [Self::Overlap, Self::Clearance, Self::Intersections, Self::Motions, Self::Build];
}

/// Settings of the run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Number of poses, at least one; the clearance sets have a fifth as many. Precomputed counts are asserted for
    /// [`POSES`].
    pub poses: usize,
    /// SIMD instructions to use; the machine must have them.
    pub instructions: Instructions,
    /// The query.
    pub parts: Vec<Part>,
    /// `true` if the engines built by `cargo xtask peers` take turns with noli.
    pub peers: bool,
}

impl Default for Plan {
    fn default() -> Self {
        let (poses, instructions) = (POSES, Instructions::best());
        Self { poses, instructions, parts: Part::ALL.to_vec(), peers: false }
    }
}

impl Plan {
    /// Measure on one thread.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        ensure!(self.poses > 0, "there must be at least one pose");
        check_instructions(self.instructions)?;
        super::on_one_thread(|| Ok(Report::new(&measure(self, progress)?)))
    }
}

/// Falling back in silence would measure something else.
pub(super) fn check_instructions(wanted: Instructions) -> Result<()> {
    let available = Instructions::available();
    ensure!(available.contains(&wanted), "this machine has no {wanted:?}; it has {available:?}");
    Ok(())
}

/// One engine's times and answers for one task, all rounds together.
struct Measured {
    task: Task,
    engine: String,
    /// `None` where the engine does not answer this question.
    samples: Option<Samples>,
}

/// Engines and workload.
struct Setup {
    workload: Workload,
    ours: Ours,
    peers: Vec<Peer>,
    /// Folder of the workload for the peers; present if there are peers.
    job: Option<JobFolder>,
}

/// All that was measured.
struct Bench {
    instructions: Instructions,
    poses: usize,
    rounds: usize,
    passes: usize,
    tree_bytes_per_triangle: f64,
    tasks: Vec<Task>,
    /// noli first, then the peers.
    engines: Vec<String>,
    measured: Vec<Measured>,
    /// Remarks, such as missing peers.
    notes: Vec<String>,
    /// Wrong answers.
    failures: Vec<String>,
}

fn measure(plan: &Plan, progress: Progress<'_>) -> Result<Bench> {
    let (peers, notes) = if plan.peers { peers::find() } else { (Vec::new(), Vec::new()) };
    // Rounds let noli and the peers take turns; alone there is nobody to take turns with.
    let (rounds, passes) = if peers.is_empty() { (1, 5) } else { (3, 3) };
    let tasks = workload::tasks(&plan.parts);
    let steps = 1 + tasks.len() * rounds * (1 + peers.len());
    progress("preparing the workload", steps);
    let workload = Workload::new(plan.poses)?;
    let ours = Ours::new(&workload, plan.instructions);
    let clearances_needed = plan.parts.contains(&Part::Overlap);
    let workload = if clearances_needed { ours.with_clearance_sets(workload)? } else { workload };
    let job = if peers.is_empty() { None } else { Some(JobFolder::new(&workload.sets)?) };

    let mut bench = Bench {
        instructions: plan.instructions,
        poses: plan.poses,
        rounds,
        passes,
        tree_bytes_per_triangle: ours.tree_bytes_per_triangle(),
        engines: vec!["noli".to_owned()],
        measured: Vec::new(),
        failures: ours.clearance_failures(&workload),
        tasks: tasks.clone(),
        notes,
    };
    let setup = Setup { workload, ours, peers, job };
    for task in tasks {
        bench.take_turns(task, &setup, &mut |what| progress(what, steps))?;
    }
    Ok(bench)
}

impl Bench {
    fn take_turns(&mut self, task: Task, setup: &Setup, step: &mut dyn FnMut(&str)) -> Result<()> {
        let Setup { workload, ours, peers, job } = setup;
        let mut mine = Vec::new();
        let mut theirs = vec![Vec::new(); peers.len()];
        // Nobody else makes segments, and nobody else builds in two ways: there are no turns to take.
        let alone = matches!(task.question, Question::Segments | Question::Build(Effort::Quick));
        let (rounds, passes) = if alone { (1, 1) } else { (self.rounds, self.passes) };
        for round in 0..rounds {
            step(&format!("{task}: noli"));
            mine.push(ours.measure(task, workload, passes));
            let Some(job) = job.as_ref().filter(|_| !alone) else { continue };
            job.set_poses(workload.poses(task.set))?;
            if task.question == Question::Impact {
                job.set_starts(&workload.starts)?;
            }
            for (peer, rounds) in peers.iter().zip(&mut theirs) {
                step(&format!("{task}: {}", peer.name()));
                if round == 0 || !peer.is_slow(task.question) {
                    rounds.extend(peer.ask(task.question, job, passes)?);
                }
            }
        }
        let mine = Samples::merged(mine);
        if let Some(mine) = &mine {
            self.failures.extend(workload.failures(task, mine));
            if task.question == Question::Impact {
                self.failures.extend(ours.impact_failures(workload, mine));
            }
            for (peer, rounds) in peers.iter().zip(theirs).filter(|_| !alone) {
                self.add_peer(task, peer, Samples::merged(rounds), mine);
            }
        }
        self.measured.push(Measured { task, engine: "noli".to_owned(), samples: mine });
        Ok(())
    }

    fn add_peer(&mut self, task: Task, peer: &Peer, samples: Option<Samples>, mine: &Samples) {
        let engine = peer.name();
        if !self.engines.contains(&engine) {
            self.engines.push(engine.clone());
        }
        if let (Some(samples), Question::Impact) = (&samples, task.question) {
            let Dated { contacts, missed, late, early } = mine.first(samples.len()).dated_by(samples);
            self.notes.push(format!(
                "{task}: of {contacts} contacts {engine} missed {missed}, dated {late} late, and {early} times called \
                 out too early"
            ));
        } else if let Some(samples) = &samples {
            let differing = mine.disagreements(samples, task.question.tolerance());
            if differing > 0 {
                let text = format!("{task}: {engine} differs on {differing} of {} poses", samples.len());
                let counts_alike =
                    task.question != Question::Intersections || peer.counts_intersections_as_we_do();
                if counts_alike { self.failures.push(text) } else { self.notes.push(text) }
            }
        }
        self.measured.push(Measured { task, engine, samples });
    }

    /// Returns the samples. Peers have one build method, compared with both of ours.
    fn samples(&self, task: Task, engine: &str) -> Option<&Samples> {
        let quick = task.question == Question::Build(Effort::Quick) && engine != "noli";
        let task = if quick { Task { question: Question::Build(Effort::Full), ..task } } else { task };
        let found = self.measured.iter().find(|m| m.task == task && m.engine == engine)?;
        found.samples.as_ref()
    }
}
