//! `noli check`: how the bodies in mesh files stand to each other.

mod bodies;
mod pairs;
mod report;

use crate::Outcome;
use anyhow::{Context, Result, ensure};
use bodies::Bodies;
use clap::ValueEnum;
use pairs::{Finding, Question, Verdict};
use rayon::prelude::*;
use std::path::PathBuf;

/// Which bodies touch, cross or lie inside each other, and how close the others are.
///
/// Every object of every file is a body. With one file its objects are compared with each other; with
/// several, the objects of each file with those of the others (and --within compares all).
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Mesh files: OBJ, STL, PLY, OFF, glTF or DXF.
    #[arg(value_name = "MESH")]
    meshes: Vec<PathBuf>,
    /// Check a generated assembly instead of files.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "engine-bay", conflicts_with = "meshes")]
    demo: Option<String>,
    /// What the faces stand for: themselves, or the solid inside them. `auto` takes closed, consistently
    /// oriented meshes as solids and says so.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto)]
    kind: Kind,
    /// Bodies that are at most this far apart count as hits, in the unit of the files.
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    margin: Option<f64>,
    /// Whether bodies that touch without passing through each other count as hits.
    #[arg(long, value_enum, default_value_t = Touching::Report)]
    touching: Touching,
    /// Compare the objects of one file with each other even when there are several files.
    #[arg(long)]
    within: bool,
    /// List every pair with its gap, also those that are far apart.
    #[arg(long)]
    all: bool,
    /// Merge vertices with equal coordinates (always done for STL), so that seams do not count as borders.
    #[arg(long)]
    weld: bool,
    /// Give up on a question after so many steps; the pair is then undecided.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Surface,
    Solid,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Touching {
    Report,
    Ignore,
}

fn length(text: &str) -> Result<f64, String> {
    let length: f64 = text.parse().map_err(|_| "a length is a number, such as 0.5".to_owned())?;
    if length >= 0.0 && length.is_finite() { Ok(length) } else { Err("a length is at least 0".to_owned()) }
}

/// What was asked and what was found, the worst first.
struct Checked<'a> {
    arguments: &'a Arguments,
    bodies: Bodies,
    /// Pairs that were compared.
    findings: Vec<Finding>,
    /// Pairs whose boxes are apart, by more than the margin.
    apart_by_boxes: usize,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build();
    let checked = pool.context("cannot start threads; try --threads 1")?.install(|| check(arguments))?;
    report::print(&checked)?;
    Ok(checked.outcome())
}

fn check(arguments: &Arguments) -> Result<Checked<'_>> {
    let bodies = match &arguments.demo {
        Some(name) => bodies::from_demo(name, arguments.kind)?,
        None => bodies::from_files(&arguments.meshes, arguments.kind, arguments.weld)?,
    };
    let several_files = bodies.all.iter().any(|body| body.file != bodies.all[0].file);
    let wanted =
        |a: usize, b: usize| arguments.within || !several_files || bodies.all[a].file != bodies.all[b].file;
    let total = pairs::count_wanted(bodies.all.len(), wanted);
    ensure!(total > 0, "there is nothing to compare; give a file with several objects, two files, or --demo");
    // A single pair is always worth its gap.
    let reach = if arguments.all || total == 1 { f64::INFINITY } else { arguments.margin.unwrap_or(0.0) };
    let candidates = pairs::candidates(&bodies.all, reach, wanted);
    let question = Question { margin: arguments.margin, steps: arguments.steps };
    let compare = |&(a, b): &(usize, usize)| pairs::compare(&bodies.all, a, b, &question);
    let mut findings: Vec<Finding> = candidates.par_iter().map(compare).collect();
    findings.sort_by(Finding::by_severity);
    Ok(Checked { arguments, apart_by_boxes: total - findings.len(), findings, bodies })
}

impl Checked<'_> {
    fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }

    fn outcome(&self) -> Outcome {
        let counts = |finding: &Finding| match finding.verdict {
            Verdict::Crossing | Verdict::Inside | Verdict::Closer => true,
            Verdict::Touching => self.arguments.touching == Touching::Report,
            Verdict::Undecided | Verdict::Apart => false,
        };
        if self.findings.iter().any(counts) {
            Outcome::Touching
        } else if self.count(Verdict::Undecided) > 0 {
            Outcome::Undecided
        } else {
            Outcome::Free
        }
    }
}
