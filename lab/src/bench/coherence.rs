//! Workload W10: the bodies of W1 along smooth paths around contact, with a hint and without.

use super::measure::{Answer, Samples};
use super::w1;
use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::{Result, ensure};
use noli::{Hint, Model, Overlap, Pose, QueryContext, Scratch};
use noli_scenes::{w1_meshes, w1_paths};
use serde::Serialize;

/// Motions from one pose to the next, as shares of the size of the bodies.
const STEPS: [f64; 4] = [1e-3, 3e-4, 1e-4, 1e-5];
/// Poses of a path.
const LENGTH: usize = 1000;
const ROUNDS: usize = 3;

/// Settings of the run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of poses for each step size, at least one; 1,000 on each path.
    pub poses: usize,
}

/// Times with a hint and without, by step size and query.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// Number of poses for each step size.
    pub poses: usize,
    /// The figures.
    pub rows: Vec<Row>,
    /// Wrong answers.
    pub failures: Vec<String>,
}

/// One query along the paths of one step size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Motion from one pose to the next, as a share of the size of the bodies.
    pub step: f64,
    /// Query.
    pub question: &'static str,
    /// Number of overlapping poses.
    pub hits: usize,
    /// Microseconds without a hint, the mean over poses.
    pub plain_us: f64,
    /// Microseconds with a hint.
    pub hinted_us: f64,
    /// Steps of a query without a hint, the mean over poses.
    pub plain_steps: f64,
    /// Steps of a query with a hint.
    pub hinted_steps: f64,
}

/// Times, answers and steps of one way.
#[derive(Default)]
struct Asked {
    rounds: Vec<Samples>,
    steps: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Overlap,
    Clearance,
}

impl Plan {
    /// Measure on one thread.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        ensure!(self.poses > 0, "there must be at least one pose");
        super::on_one_thread(|| self.measure(progress))
    }

    fn measure(&self, progress: Progress<'_>) -> Result<Report> {
        let [a, b] = w1_meshes();
        let models = [Model::from(&w1::mesh(&a)?), Model::from(&w1::mesh(&b)?)];
        let mut report =
            Report { workload: "w10", poses: self.poses, rows: Vec::new(), failures: Vec::new() };
        for step in STEPS {
            let mut poses = w1_paths(self.poses.div_ceil(LENGTH), LENGTH, step).concat();
            poses.truncate(self.poses);
            for question in [Question::Overlap, Question::Clearance] {
                progress(&format!("{} at steps of {step:e}", question.name()), 2 * STEPS.len());
                report.add(step, question, &models, &poses);
            }
        }
        Ok(report)
    }
}

impl Question {
    fn name(self) -> &'static str {
        if self == Self::Overlap { "overlap" } else { "clearance" }
    }

    fn ask(self, models: &[Model; 2], pose: &Pose, context: &mut QueryContext<'_>) -> Answer {
        let (a, b) = (models[0].at(Pose::IDENTITY), models[1].at(*pose));
        match self {
            Self::Overlap => Answer::exactly(f64::from(u8::from(context.overlap(&a, &b) == Overlap::Hit))),
            Self::Clearance => {
                let distance = context.clearance(&a, &b, &Default::default()).distance;
                Answer { at_least: distance.at_least, at_most: distance.at_most }
            }
        }
    }
}

impl Report {
    fn add(&mut self, step: f64, question: Question, models: &[Model; 2], poses: &[Pose]) {
        let (mut plain, mut hinted) = (Asked::default(), Asked::default());
        let mut scratch = Scratch::default();
        for _ in 0..ROUNDS {
            plain.steps = 0;
            plain.rounds.push(Samples::of(poses, 1, |pose| {
                let mut context = QueryContext::new(&mut scratch);
                let answer = question.ask(models, pose, &mut context);
                plain.steps += context.steps();
                answer
            }));
            (hinted.steps, scratch) = (0, Scratch::default());
            let mut hint = Hint::default();
            hinted.rounds.push(Samples::of(poses, 1, |pose| {
                let mut context = QueryContext::new(&mut scratch).with_hint(&mut hint);
                let answer = question.ask(models, pose, &mut context);
                hinted.steps += context.steps();
                answer
            }));
        }
        // The pass that warms up counts its steps too.
        let steps = [&plain, &hinted].map(|asked| asked.steps as f64 / (2 * poses.len()) as f64);
        let (Some(plain), Some(hinted)) = (Samples::merged(plain.rounds), Samples::merged(hinted.rounds))
        else {
            return;
        };
        let is_hit = |answer: &&Answer| (answer.at_most == 0.0) == (question == Question::Clearance);
        let differing = plain.disagreements(&hinted, 1e-12);
        if differing > 0 {
            let name = question.name();
            self.failures
                .push(format!("{name} at steps of {step:e}: {differing} answers differ with a hint"));
        }
        self.rows.push(Row {
            step,
            question: question.name(),
            hits: plain.answers.iter().filter(is_hit).count(),
            plain_us: plain.mean(),
            hinted_us: hinted.mean(),
            plain_steps: steps[0],
            hinted_steps: steps[1],
        });
    }
}

impl Measured for Report {
    fn page(&self) -> Page {
        let columns =
            ["query", "hits", "without, µs", "with hint, µs", "ratio", "steps without", "steps with"];
        let mut table = Table::new("means over poses", columns);
        for row in &self.rows {
            let Row { step, question, hits, plain_us, hinted_us, plain_steps, hinted_steps } = row;
            let cells = [
                hits.to_string(),
                format!("{plain_us:.2}"),
                format!("{hinted_us:.2}"),
                format!("{:.1}", plain_us / hinted_us),
                format!("{plain_steps:.1}"),
                format!("{hinted_steps:.1}"),
            ];
            add_row(&mut table, format!("{question}, steps of {step:e}"), cells);
        }
        let heading = format!(
            "W10: the bodies of W1 along smooth paths around contact; {} poses; one thread",
            self.poses
        );
        Page { heading, tables: vec![table], remarks: Vec::new() }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
