//! Results on W1.

use super::Bench;
use super::workload::{Question, Set, Task};
use crate::bench::measure::Samples;
use crate::measured::{Measured, Page, add_row};
use crate::record::Table;
use noli_scenes::W1_GAPS;
use serde::Serialize;

/// Times of noli and the peers, question by question.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// SIMD instructions used, in lower case.
    pub instructions: String,
    /// Number of queried poses.
    pub poses: usize,
    /// Number of rounds in which noli and the peers took turns.
    pub rounds: usize,
    /// Number of passes over each pose in a round.
    pub passes: usize,
    /// Size of noli's tree.
    pub tree_bytes_per_triangle: f64,
    /// The figures, grouped by query, noli first.
    pub rows: Vec<Row>,
    /// Remarks, such as missing peers.
    pub notes: Vec<String>,
    /// Wrong answers.
    pub failures: Vec<String>,
}

/// One engine on one question.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Query.
    pub question: &'static str,
    /// Distance of the bodies, if all poses have the same clearance.
    pub clearance: Option<f64>,
    /// Engine that answered.
    pub engine: String,
    /// Number of answered poses; 0 for builds.
    pub poses: usize,
    /// Number of hits, clearances of 0, pairs of faces, or impacts; `None` for builds and peers.
    pub found: Option<f64>,
    /// Microseconds, the median over poses.
    pub median_us: f64,
    /// Microseconds, the mean over poses.
    pub mean_us: f64,
    /// The peer's median over noli's on the poses that the peer ran; `None` for noli.
    pub ratio_median: Option<f64>,
    /// Likewise of the means.
    pub ratio_mean: Option<f64>,
}

impl Report {
    pub(super) fn new(bench: &Bench) -> Self {
        let tasks = bench.tasks.iter().copied();
        let cells = tasks.flat_map(|task| bench.engines.iter().map(move |engine| (task, engine)));
        Self {
            workload: "w1",
            instructions: format!("{:?}", bench.instructions).to_lowercase(),
            poses: bench.poses,
            rounds: bench.rounds,
            passes: bench.passes,
            tree_bytes_per_triangle: bench.tree_bytes_per_triangle,
            rows: cells.filter_map(|(task, engine)| Row::new(bench, task, engine)).collect(),
            notes: bench.notes.clone(),
            failures: bench.failures.clone(),
        }
    }

    fn engines(&self) -> Vec<&str> {
        let mut engines: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !engines.contains(&row.engine.as_str()) {
                engines.push(&row.engine);
            }
        }
        engines
    }

    /// The rows of each question, noli's first.
    fn questions(&self) -> impl Iterator<Item = &[Row]> {
        self.rows.chunk_by(|x, y| (x.question, x.clearance) == (y.question, y.clearance))
    }

    fn times(&self, engines: &[&str]) -> Table {
        let header = ["question", "poses", "noli answers"].into_iter().chain(engines.iter().copied());
        let mut table = Table::new("microseconds, median (mean) over poses", header);
        for rows in self.questions() {
            let ours = &rows[0];
            let poses = if ours.poses == 0 { "-".to_owned() } else { ours.poses.to_string() };
            let cell = |engine: &&str| {
                let row = rows.iter().find(|row| row.engine == **engine);
                row.map_or("-".to_owned(), |row| {
                    let fewer =
                        if row.poses < ours.poses { format!(" n={}", row.poses) } else { String::new() };
                    pair(row.median_us, row.mean_us, row.poses) + &fewer
                })
            };
            let cells = [poses, ours.answers()].into_iter().chain(engines.iter().map(cell));
            add_row(&mut table, ours.label(), cells);
        }
        table
    }

    fn ratios(&self, peers: &[&str]) -> Table {
        let title = "times noli, median (mean); on the poses that the peer was asked";
        let mut table = Table::new(title, ["question"].into_iter().chain(peers.iter().copied()));
        for rows in self.questions().filter(|rows| rows[0].question != Question::Segments.name()) {
            let cell = |peer: &&str| {
                let row = rows.iter().find(|row| row.engine == **peer);
                let ratios = row.and_then(|row| Some((row.ratio_median?, row.ratio_mean?, row.poses)));
                ratios.map_or("-".to_owned(), |(median, mean, poses)| pair(median, mean, poses))
            };
            add_row(&mut table, rows[0].label(), peers.iter().map(cell));
        }
        table
    }
}

impl Measured for Report {
    fn page(&self) -> Page {
        let Self { instructions, rounds, passes, .. } = self;
        let heading = format!(
            "W1: two bumpy spheres of 69,620 triangles; one thread, {instructions}, {rounds} x {passes} passes\n\
             tree: {:.1} bytes per triangle",
            self.tree_bytes_per_triangle
        );
        let engines = self.engines();
        let mut tables = vec![self.times(&engines)];
        if let [_, peers @ ..] = &engines[..]
            && !peers.is_empty()
        {
            tables.push(self.ratios(peers));
        }
        let mut remarks: Vec<String> = self.notes.iter().map(|note| format!("note: {note}")).collect();
        remarks
            .push(if self.failures.is_empty() { "all answers as expected" } else { "WRONG ANSWERS" }.into());
        Page { heading, tables, remarks }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}

impl Row {
    fn new(bench: &Bench, task: Task, engine: &str) -> Option<Self> {
        let samples = bench.samples(task, engine)?;
        let ours = bench.samples(task, "noli").filter(|_| engine != "noli");
        let ours = ours.map(|ours| ours.first(samples.len()));
        Some(Self {
            question: task.question.name(),
            clearance: if let Set::Clearance(i) = task.set { Some(W1_GAPS[i]) } else { None },
            engine: engine.to_owned(),
            poses: samples.answers.len(),
            found: (engine == "noli").then(|| found(task.question, samples)).flatten(),
            median_us: samples.median(),
            mean_us: samples.mean(),
            ratio_median: ours.as_ref().map(|ours| samples.median() / ours.median()),
            ratio_mean: ours.as_ref().map(|ours| samples.mean() / ours.mean()),
        })
    }

    fn label(&self) -> String {
        self.clearance.map_or(self.question.to_owned(), |clearance| {
            format!("{} at clearance {clearance:e}", self.question)
        })
    }

    fn answers(&self) -> String {
        let unit = match self.question {
            "overlap" => "hits",
            "clearance" => "zero",
            "time of impact" => "impacts",
            _ => "pairs",
        };
        self.found.map_or("-".to_owned(), |found| format!("{found} {unit}"))
    }
}

/// Returns the count over noli's answers.
fn found(question: Question, samples: &Samples) -> Option<f64> {
    let total = || samples.answers.iter().map(|answer| answer.at_least).sum();
    let at_most = |limit: f64| samples.answers.iter().filter(|answer| answer.at_most <= limit).count() as f64;
    match question {
        Question::Overlap | Question::Intersections | Question::Segments => Some(total()),
        Question::Clearance => Some(at_most(0.0)),
        Question::Impact => Some(at_most(1.0)),
        Question::Depth | Question::Build(_) => None,
    }
}

/// `median (mean)`; of a single value there is only one.
fn pair(median: f64, mean: f64, poses: usize) -> String {
    if poses <= 1 {
        three_digits(median)
    } else {
        format!("{} ({})", three_digits(median), three_digits(mean))
    }
}

fn three_digits(x: f64) -> String {
    let decimals = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.decimals$}")
}
