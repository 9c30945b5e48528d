//! What a benchmark says, as tables or as JSON.

use super::Bench;
use super::measure::Samples;
use super::workload::{Question, Set, Task};
use crate::output::{self, Table};
use anyhow::Result;
use noli_scenes::W1_GAPS;
use serde::Serialize;

pub(super) fn print(bench: &Bench, json: bool) -> Result<()> {
    if json { output::print_json(&Report::new(bench)) } else { output::print(&text(bench)) }
}

fn text(bench: &Bench) -> String {
    let Bench { instructions, rounds, passes, .. } = bench;
    let mut text = format!(
        "W1: two bumpy spheres of 69,620 triangles; one thread, {instructions:?}, {rounds} x {passes} passes\n\
         tree: {:.1} bytes per triangle\n\nmicroseconds, median (mean) over poses\n{}",
        bench.tree_bytes_per_triangle,
        times(bench)
    );
    if bench.engines.len() > 1 {
        text +=
            &format!("\ntimes noli, median (mean); on the poses that the peer was asked\n{}", ratios(bench));
    }
    for note in &bench.notes {
        text += &format!("note: {note}\n");
    }
    text + if bench.failures.is_empty() { "all answers as expected\n" } else { "WRONG ANSWERS\n" }
}

fn times(bench: &Bench) -> Table {
    let header = ["question", "poses", "noli answers"].map(str::to_owned);
    let mut table = Table::new(1, header.into_iter().chain(bench.engines.iter().cloned()));
    for &task in &bench.tasks {
        let ours = bench.samples(task, "noli");
        let poses = ours.map_or(0, |samples| samples.answers.len());
        let mut row = vec![
            task.to_string(),
            if poses == 0 { "-".to_owned() } else { poses.to_string() },
            ours.map_or(String::new(), |samples| answers(task.question, samples)),
        ];
        for engine in &bench.engines {
            let cell = bench.samples(task, engine).map(|samples| {
                let sampled = if samples.answers.len() < poses {
                    format!(" n={}", samples.len())
                } else {
                    String::new()
                };
                format!("{}{sampled}", pair(samples.median(), samples.mean(), samples.len()))
            });
            row.push(cell.unwrap_or_else(|| "-".to_owned()));
        }
        table.row(row);
    }
    table
}

fn answers(question: Question, samples: &Samples) -> String {
    let total: f64 = samples.answers.iter().map(|answer| answer.at_least).sum();
    match question {
        Question::Overlap => format!("{total} hits"),
        Question::Clearance => {
            format!("{} zero", samples.answers.iter().filter(|answer| answer.at_most == 0.0).count())
        }
        Question::Crossings | Question::Segments => format!("{total} pairs"),
        Question::Impact => {
            format!("{} impacts", samples.answers.iter().filter(|answer| answer.at_most <= 1.0).count())
        }
        Question::Depth | Question::Build(_) => "-".to_owned(),
    }
}

fn ratios(bench: &Bench) -> Table {
    let peers = &bench.engines[1..];
    let mut table = Table::new(1, ["question".to_owned()].into_iter().chain(peers.iter().cloned()));
    for &task in bench.tasks.iter().filter(|task| task.question != Question::Segments) {
        let cell = |peer: &String| {
            ratio(bench, task, peer)
                .map_or("-".to_owned(), |ratio| pair(ratio.median, ratio.mean, ratio.poses))
        };
        table.row([task.to_string()].into_iter().chain(peers.iter().map(cell)));
    }
    table
}

struct Ratio {
    poses: usize,
    median: f64,
    mean: f64,
}

/// How many times longer a peer takes.
fn ratio(bench: &Bench, task: Task, peer: &str) -> Option<Ratio> {
    let theirs = bench.samples(task, peer)?;
    let ours = bench.samples(task, "noli")?.first(theirs.len());
    Some(Ratio {
        poses: theirs.len(),
        median: theirs.median() / ours.median(),
        mean: theirs.mean() / ours.mean(),
    })
}

/// `median (mean)`; of a single value there is only one.
fn pair(median: f64, mean: f64, count: usize) -> String {
    if count == 1 {
        three_digits(median)
    } else {
        format!("{} ({})", three_digits(median), three_digits(mean))
    }
}

fn three_digits(x: f64) -> String {
    let decimals = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.decimals$}")
}

/// The JSON object; `docs/command-line.md` describes its fields.
#[derive(Serialize)]
struct Report<'a> {
    workload: &'static str,
    instructions: String,
    poses: usize,
    rounds: usize,
    passes: usize,
    tree_bytes_per_triangle: f64,
    rows: Vec<Row<'a>>,
    notes: &'a [String],
    failures: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    question: &'static str,
    gap: Option<f64>,
    engine: &'a str,
    poses: usize,
    median_us: f64,
    mean_us: f64,
    ratio_median: Option<f64>,
    ratio_mean: Option<f64>,
}

impl<'a> Report<'a> {
    fn new(bench: &'a Bench) -> Self {
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
            notes: &bench.notes,
            failures: &bench.failures,
        }
    }
}

impl<'a> Row<'a> {
    fn new(bench: &'a Bench, task: Task, engine: &'a str) -> Option<Self> {
        let samples = bench.samples(task, engine)?;
        let ratio = if engine == "noli" { None } else { ratio(bench, task, engine) };
        Some(Self {
            question: task.question.name(),
            gap: if let Set::Gap(i) = task.set { Some(W1_GAPS[i]) } else { None },
            engine,
            poses: samples.answers.len(),
            median_us: samples.median(),
            mean_us: samples.mean(),
            ratio_median: ratio.as_ref().map(|ratio| ratio.median),
            ratio_mean: ratio.as_ref().map(|ratio| ratio.mean),
        })
    }
}
