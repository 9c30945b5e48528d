//! `noli bench`: workload W1, answers asserted, against the peers in the same minutes.

mod convex;
mod growth;
mod measure;
mod ours;
mod peers;
mod report;
mod scenes;
mod workload;

use crate::output::Progress;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use measure::{Dated, Samples};
use noli::{Effort, Instructions};
use ours::Ours;
use peers::{JobFolder, Peer};
use workload::{Question, Task, Workload};

/// Measure noli on workload W1 (two bumpy spheres of 69,620 triangles), one thread; wrong answers fail.
///
/// Every pose is asked in several passes after one to warm up; its time is the median of them. The table
/// gives median and mean over poses.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Also run the engines built by `cargo xtask peers`, in turn with noli, and print the ratios.
    #[arg(long)]
    peers: bool,
    /// How many poses; the gap sets have a fifth as many. Counts known in advance are asserted for 1000.
    #[arg(long, value_name = "N", default_value_t = workload::POSES)]
    poses: usize,
    /// Which instructions noli uses; the best the machine has by default.
    #[arg(long, value_enum)]
    instructions: Option<Vectors>,
    /// Only some of the questions.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Instead: how times and sizes grow from 1,000 to 5,000,000 triangles.
    #[arg(long, conflicts_with_all = ["peers", "poses", "only"])]
    growth: bool,
    /// With --growth: leave out meshes of more triangles.
    #[arg(long, value_name = "N", requires = "growth", default_value_t = usize::MAX, hide_default_value = true)]
    up_to: usize,
    /// Instead: what checking assemblies of 100 to 5,000 bodies costs, on all threads.
    #[arg(long, conflicts_with_all = ["peers", "poses", "only", "growth"])]
    scenes: bool,
    /// With --scenes: leave out assemblies of more bodies.
    #[arg(long, value_name = "N", requires = "scenes", default_value_t = usize::MAX, hide_default_value = true)]
    bodies: usize,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Overlap,
    Clearance,
    Crossings,
    /// First contact along motions.
    Impact,
    Build,
    /// Workload W4 instead: convex pairs, cold and with hints.
    Convex,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Vectors {
    Avx512,
    Avx2,
    Portable,
}

impl Arguments {
    fn instructions(&self) -> Result<Instructions> {
        let wanted = match self.instructions {
            None => return Ok(Instructions::best()),
            Some(Vectors::Avx512) => Instructions::Avx512,
            Some(Vectors::Avx2) => Instructions::Avx2,
            Some(Vectors::Portable) => Instructions::Portable,
        };
        let available = Instructions::available();
        // Falling back in silence would measure something else.
        ensure!(available.contains(&wanted), "this machine has no {wanted:?}; it has {available:?}");
        Ok(wanted)
    }

    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

/// One engine's times and answers for one task, all rounds together.
struct Measured {
    task: Task,
    engine: String,
    /// Nothing where the engine does not answer this question.
    samples: Option<Samples>,
}

/// Whom to ask what.
struct Setup {
    workload: Workload,
    ours: Ours,
    peers: Vec<Peer>,
    /// Where the peers find the workload; there if there are peers.
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
    /// What is worth knowing, such as peers that are missing.
    notes: Vec<String>,
    /// Wrong answers.
    failures: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    ensure!(arguments.poses > 0, "--poses must be at least 1");
    if arguments.scenes {
        return scenes::run(arguments.bodies, arguments.json);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    pool.install(|| {
        if arguments.growth {
            return growth::run(arguments.instructions()?, arguments.up_to, arguments.json);
        }
        if arguments.only.contains(&Part::Convex) {
            ensure!(arguments.only.len() == 1, "--only convex is another workload; ask for it alone");
            return convex::run(arguments.poses, arguments.peers, arguments.json);
        }
        let bench = measure_all(arguments)?;
        report::print(&bench, arguments.json)?;
        match bench.failures.len() {
            0 => Ok(()),
            1 => bail!("a wrong answer: {}", bench.failures[0]),
            count => bail!("{count} wrong answers: {}", bench.failures.join("; ")),
        }
    })
}

fn measure_all(arguments: &Arguments) -> Result<Bench> {
    let instructions = arguments.instructions()?;
    let (peers, notes) = if arguments.peers { peers::find() } else { (Vec::new(), Vec::new()) };
    // Rounds let noli and the peers take turns; alone there is nobody to take turns with.
    let (rounds, passes) = if peers.is_empty() { (1, 5) } else { (3, 3) };
    let tasks = workload::tasks(|part| arguments.wants(part));
    let progress = Progress::new(1 + tasks.len() * rounds * (1 + peers.len()));
    progress.step("preparing the workload");
    let workload = Workload::new(arguments.poses)?;
    let ours = Ours::new(&workload, instructions);
    let gaps_needed = arguments.wants(Part::Overlap);
    let workload = if gaps_needed { ours.with_gap_sets(workload)? } else { workload };
    let job = if peers.is_empty() { None } else { Some(JobFolder::new(&workload.sets)?) };

    let mut bench = Bench {
        instructions,
        poses: arguments.poses,
        rounds,
        passes,
        tree_bytes_per_triangle: ours.tree_bytes_per_triangle(),
        engines: vec!["noli".to_owned()],
        measured: Vec::new(),
        failures: ours.gap_failures(&workload),
        tasks: tasks.clone(),
        notes,
    };
    let setup = Setup { workload, ours, peers, job };
    for task in tasks {
        bench.take_turns(task, &setup, &progress)?;
    }
    Ok(bench)
}

impl Bench {
    fn take_turns(&mut self, task: Task, setup: &Setup, progress: &Progress) -> Result<()> {
        let Setup { workload, ours, peers, job } = setup;
        let mut mine = Vec::new();
        let mut theirs = vec![Vec::new(); peers.len()];
        // Nobody else makes segments, and nobody else builds in two ways: there are no turns to take.
        let alone = matches!(task.question, Question::Segments | Question::Build(Effort::Quick));
        let (rounds, passes) = if alone { (1, 1) } else { (self.rounds, self.passes) };
        for round in 0..rounds {
            progress.step(&format!("{task}: noli"));
            mine.push(ours.ask(task, workload, passes));
            let Some(job) = job.as_ref().filter(|_| !alone) else { continue };
            job.set_poses(workload.poses(task.set))?;
            if task.question == Question::Impact {
                job.set_starts(&workload.starts)?;
            }
            for (peer, rounds) in peers.iter().zip(&mut theirs) {
                progress.step(&format!("{task}: {}", peer.name()));
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
                let counts_alike = task.question != Question::Crossings || peer.counts_crossings_as_we_do();
                if counts_alike { self.failures.push(text) } else { self.notes.push(text) }
            }
        }
        self.measured.push(Measured { task, engine, samples });
    }

    /// Peers have one way to build, which stands beside both of ours.
    fn samples(&self, task: Task, engine: &str) -> Option<&Samples> {
        let quick = task.question == Question::Build(Effort::Quick) && engine != "noli";
        let task = if quick { Task { question: Question::Build(Effort::Full), ..task } } else { task };
        let found = self.measured.iter().find(|m| m.task == task && m.engine == engine)?;
        found.samples.as_ref()
    }
}
