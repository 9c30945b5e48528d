//! `noli check`: how the bodies of an assembly stand to each other.

pub(crate) mod bodies;
mod broad;
mod data;
mod method;
mod page;
mod pairs;
mod report;
pub(crate) mod source;
mod wanted;

use crate::Outcome;
use crate::output::{self, Progress};
use anyhow::{Context, Result, ensure};
use bodies::Body;
use clap::ValueEnum;
use noli::classics::PairMethod;
use noli_geom::Aabb;
use noli_io::Units;
use pairs::{Finding, Question, Verdict};
use rayon::prelude::*;
use source::Source;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wanted::{Rules, Wanted};

/// Which bodies touch, cross or lie inside each other, and how close the others are.
///
/// Every object of a file is a body: OBJ objects or groups, glTF nodes, DXF layers. A scene, a folder or one file is an
/// assembly: all its bodies are compared. With several files or folders, the bodies of each are compared with those
/// of the others (and --within compares all).
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene (TOML), mesh files (OBJ, STL, PLY, OFF, glTF, DXF) or folders of them.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check a bundled scene instead of files; `noli scenes list` shows all.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "engine-bay", conflicts_with = "paths")]
    demo: Option<String>,
    /// How finely the generated assembly is meshed: triangles grow with the square.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "demo", value_parser = clap::value_parser!(u32).range(1..=32))]
    detail: u32,
    /// What the faces stand for: themselves, or the solid inside them. `auto` takes closed, consistently
    /// oriented meshes as solids and says so. What a scene says about a body counts more.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto)]
    kind: Kind,
    /// Bodies that are at most this far apart count as hits, in the unit of the files or the scene. Replaces the margin of a
    /// scene, but not those of its single pairs.
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    margin: Option<f64>,
    /// Whether bodies that touch without passing through each other count as hits.
    #[arg(long, value_enum, default_value_t = Touching::Report)]
    touching: Touching,
    /// What to find out about faces that meet: their number, that and every segment (for --json), one place, or nothing.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Crossings::Count)]
    crossings: Crossings,
    /// Only pairs with a body that fits PATTERN, or `A,B`: pairs of an A with a B. `*` stands for any characters. Repeatable.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Leave out such pairs; written like --only. Repeatable.
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
    /// Compare the bodies of one file or folder with each other even when there are several.
    #[arg(long)]
    within: bool,
    /// List every pair with its gap, also those that are far apart.
    #[arg(long)]
    all: bool,
    /// Rows of the table at most; reports are always complete.
    #[arg(long, value_name = "N", default_value_t = 60)]
    rows: usize,
    /// Merge vertices with equal coordinates (always done for STL, glTF and DXF), so that seams do not count as borders.
    #[arg(long)]
    weld: bool,
    /// Give up on a question after so many steps; the pair is then undecided.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Decide which pairs meet by a method of the literature: tree, four-step[:HALVINGS], boyse, moore or
    /// occupancy[:CELLS]. All but occupancy give the same verdicts; what each costs is told. By default what the scene
    /// says, or tree.
    #[arg(long, value_name = "NAME")]
    method: Option<PairMethod>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// One JSON object instead of the table, or beside it into a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Comma-separated values instead of the table, or beside it into a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// Also write a page with the table and a 3D view, for any browser, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Kind {
    Surface,
    Solid,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Touching {
    Report,
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Crossings {
    Count,
    All,
    First,
    None,
}

fn length(text: &str) -> Result<f64, String> {
    let length: f64 = text.parse().map_err(|_| "a length is a number, such as 0.5".to_owned())?;
    if length >= 0.0 && length.is_finite() { Ok(length) } else { Err("a length is at least 0".to_owned()) }
}

impl Arguments {
    /// How many segments of each pair were asked for.
    fn segments(&self) -> usize {
        match self.crossings {
            Crossings::All => usize::MAX,
            Crossings::First => 1,
            Crossings::Count | Crossings::None => 0,
        }
    }

    fn question(&self) -> Question {
        let drawn = if self.html.is_some() { page::MOST_SEGMENTS } else { 0 };
        Question {
            count: matches!(self.crossings, Crossings::Count | Crossings::All),
            place: self.crossings != Crossings::None || self.html.is_some(),
            keep: self.segments().max(drawn),
            steps: self.steps,
        }
    }
}

/// What was asked and what was found, the worst first.
struct Checked<'a> {
    arguments: &'a Arguments,
    title: String,
    units: Option<Units>,
    warnings: Vec<String>,
    bodies: Vec<Body>,
    /// The margin of pairs that no rule is about.
    margin: f64,
    /// Pairs that were compared.
    findings: Vec<Finding>,
    /// What another method than the tree said about them.
    by_method: Option<method::Decided>,
    /// Pairs whose boxes are apart, by more than the margin.
    apart_by_boxes: usize,
    took: Duration,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let both = to_stdout(&arguments.json) && to_stdout(&arguments.csv);
    ensure!(!both, "JSON and CSV cannot both be printed; write one of them to a file, as in --csv=pairs.csv");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build();
    let checked = pool.context("cannot start threads; try --threads 1")?.install(|| check(arguments))?;
    deliver(&checked)?;
    Ok(checked.outcome())
}

fn to_stdout(target: &Option<PathBuf>) -> bool {
    target.as_deref() == Some(Path::new("-"))
}

/// The reports that were asked for; the table unless one of them takes its place.
fn deliver(checked: &Checked<'_>) -> Result<()> {
    let Arguments { json, csv, html, .. } = checked.arguments;
    // First what is printed: it must not be lost where a file cannot be written.
    if ![json, csv].into_iter().any(to_stdout) {
        report::print(checked)?;
    }
    if let Some(target) = json {
        output::deliver(target, &output::json(&data::Report::new(checked))?)?;
    }
    if let Some(target) = csv {
        output::deliver(target, &data::csv(checked))?;
    }
    if let Some(path) = html {
        output::write_file(path, page::page(checked)?.as_bytes())?;
    }
    Ok(())
}

fn check(arguments: &Arguments) -> Result<Checked<'_>> {
    let start = Instant::now();
    let Source { title, parts, mut warnings, check, units } = source::load(arguments)?;
    let bodies = bodies::prepare(parts, arguments.kind)?;
    warnings.extend(bodies::doubts(&bodies));
    let said =
        check.method.as_deref().map(str::parse).transpose().context("`method` of the scene's [check]")?;
    let method = arguments.method.or(said).unwrap_or_default();
    let Arguments { only, skip, margin, within, .. } = arguments;
    let rules = Rules { check, only, skip, margin: *margin, within: *within };
    let wanted = Wanted::new(&bodies, &rules)?;
    let total = wanted.count();
    ensure!(
        total > 0,
        "there is nothing to compare; give a scene, a folder, a file with several objects, two files, or --demo, \
         and leave a pair"
    );
    // A single pair is always worth its gap.
    let candidates = if arguments.all || total == 1 {
        broad::all(bodies.len(), &wanted)
    } else {
        let boxes: Vec<Aabb> = bodies.par_iter().map(Body::bounds).collect();
        broad::near(&boxes, &wanted)
    };
    let mut findings = compare_all(&bodies, &candidates, &arguments.question());
    let by_method = (method != PairMethod::Tree)
        .then(|| method::decide(method, &bodies, arguments.steps, &mut findings))
        .transpose()?;
    Ok(Checked {
        arguments,
        title,
        units,
        warnings,
        margin: wanted.usual_margin(),
        apart_by_boxes: total - findings.len(),
        findings,
        by_method,
        bodies,
        took: start.elapsed(),
    })
}

/// Compares in parallel; the worst comes first.
fn compare_all(bodies: &[Body], candidates: &[broad::Candidate], question: &Question) -> Vec<Finding> {
    let progress = Progress::new(candidates.len());
    let compare = |candidate| {
        progress.step("comparing pairs");
        pairs::compare(bodies, candidate, question)
    };
    let mut findings: Vec<Finding> = candidates.par_iter().map(compare).collect();
    findings.sort_by(Finding::by_severity);
    findings
}

impl Checked<'_> {
    fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }

    /// Whether a pair is one that the check was to find.
    fn is_hit(&self, finding: &Finding) -> bool {
        match finding.verdict {
            Verdict::Crossing | Verdict::Inside | Verdict::Closer => true,
            Verdict::Touching => self.arguments.touching == Touching::Report,
            Verdict::Undecided | Verdict::Apart => false,
        }
    }

    fn outcome(&self) -> Outcome {
        if self.findings.iter().any(|finding| self.is_hit(finding)) {
            Outcome::Touching
        } else if self.count(Verdict::Undecided) > 0 {
            Outcome::Undecided
        } else {
            Outcome::Free
        }
    }
}

/// What checking an assembly costs, stage by stage.
pub(crate) struct Cost {
    pub(crate) triangles: usize,
    pub(crate) model_bytes: usize,
    pub(crate) pairs: usize,
    pub(crate) candidates: usize,
    /// Crossing, inside and touching pairs.
    pub(crate) meeting: [usize; 3],
    pub(crate) prepare: Duration,
    pub(crate) broad: Duration,
    pub(crate) compare: Duration,
}

/// Checks parts as `noli check` does, and measures.
pub(crate) fn cost(parts: Vec<source::Part>) -> Result<Cost> {
    let start = Instant::now();
    let bodies = bodies::prepare(parts, Kind::Auto)?;
    let prepare = start.elapsed();
    let wanted = Wanted::new(&bodies, &Rules::default())?;
    let boxes: Vec<Aabb> = bodies.par_iter().map(Body::bounds).collect();
    let candidates = broad::near(&boxes, &wanted);
    let broad = start.elapsed() - prepare;
    let question = Question { count: true, place: true, keep: 0, steps: None };
    let findings = compare_all(&bodies, &candidates, &question);
    let compare = start.elapsed() - prepare - broad;
    let of = |verdict| findings.iter().filter(|finding| finding.verdict == verdict).count();
    Ok(Cost {
        triangles: triangles(&bodies),
        model_bytes: model_bytes(&bodies),
        pairs: wanted.count(),
        candidates: candidates.len(),
        meeting: [Verdict::Crossing, Verdict::Inside, Verdict::Touching].map(of),
        prepare,
        broad,
        compare,
    })
}

fn triangles(bodies: &[Body]) -> usize {
    bodies.iter().map(Body::triangles).sum()
}

/// Bytes of all meshes and their trees, shared ones once.
fn model_bytes(bodies: &[Body]) -> usize {
    let mut seen = std::collections::HashSet::new();
    let new = |model: &&noli::Model| seen.insert((model.mesh().vertices().as_ptr(), model.mesh().kind()));
    bodies.iter().map(|body| &body.model).filter(new).map(noli::Model::bytes).sum()
}
