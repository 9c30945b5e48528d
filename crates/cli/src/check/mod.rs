//! `noli check`: relations between the bodies of an assembly.

mod health;
mod report;
mod results;

pub(crate) use results::{parse as parse_results, read as read_results};

use crate::Verdict;
use crate::certificate::{self, Writer};
use crate::limits::Limits;
use crate::output::{self, Bars};
use anyhow::{Context as _, Result, ensure};
use noli_ask::{AskError, Check, CheckAnswer, CheckedPairs, ComparePairs, Context};
use noli_certificate::WorldStatements;
use noli_pages::{CheckPage, Up};
use noli_project::bcf::BcfVersion;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Find bodies that touch, intersect or contain each other, and the clearance of the others.
///
/// Every object of a file is a body: OBJ objects or groups, glTF and COLLADA nodes, 3MF components, DXF layers. A scene, a folder or one
/// file is an assembly: all its bodies are compared. With several files or folders, the bodies of each are
/// compared with those of the others (and --within compares all). A single mesh is examined by itself: closed,
/// consistently oriented, free of self-intersections.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    question: Check,
    /// Write a certificate of all pairs, separated or in collision: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Rows of the table at most; reports are always complete.
    #[arg(long, value_name = "N", default_value_t = 60)]
    rows: usize,
    #[command(flatten)]
    limits: Limits,
    /// Also write the clashes as BCF, a topic for each group with both bodies, a camera and a picture: for programs that
    /// coordinate buildings.
    #[arg(long, value_name = "FILE")]
    bcf: Option<PathBuf>,
    /// The version of BCF.
    #[arg(long, value_enum, default_value_t = BcfVersion::V2_1, requires = "bcf")]
    bcf_version: BcfVersion,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Print comma-separated values instead of the table, or write them to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// Also write a page with the table and a 3D view, for any browser, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Question and answer.
struct Checked<'a> {
    arguments: &'a Arguments,
    pairs: CheckedPairs,
    /// Up axis in pictures.
    up: Up,
    took: Duration,
}

/// Compares the bodies of the subject and delivers the reports. Pairs are compared by the engine, or as given.
pub fn run(arguments: &Arguments, compare: Option<&dyn ComparePairs>) -> Result<Verdict> {
    let Arguments { json, csv, html, bcf, certificate, question, .. } = arguments;
    let both = to_stdout(json) && to_stdout(csv);
    ensure!(!both, "JSON and CSV cannot both be printed; write one of them to a file, as in --csv=pairs.csv");
    crate::on_threads(arguments.threads, || {
        let (start, running) = (Instant::now(), arguments.limits.start()?);
        let bars = Bars::default();
        let context =
            Context { budget: running.budget(None), progress: Some(&bars), compare, ..Context::default() };
        let opened = question.subject.open(&context)?;
        let outputs = [json, csv, html, &question.results, bcf, certificate].into_iter().flatten();
        output::refuse_inputs(outputs, &opened.inputs)?;
        certificate::refuse_tessellated_scene(certificate.as_ref(), &opened.staged)?;
        let is_drawn = html.is_some() || bcf.is_some();
        let pictured = if is_drawn { noli_pages::MOST_SEGMENTS } else { 0 };
        let question = Check { pictured, ..question.clone() };
        let answer = question.about(opened, &context).inspect_err(|error| {
            if let AskError::Nothing { warnings, .. } = error {
                output::warn_all(warnings);
            }
        })?;
        bars.clear();
        let mut pairs = match answer {
            CheckAnswer::Pairs(pairs) => pairs,
            CheckAnswer::Mesh(opened, health) => return health::deliver(&health, &opened.staged, arguments),
        };
        if let Some(limit) = running.reached() {
            let text = format!("{limit} was reached: pairs not finished by then are undecided");
            pairs.report.warnings.push(text);
        }
        let up = Up::of_files(&pairs.opened.inputs);
        let checked = Checked { arguments, pairs, up, took: start.elapsed() };
        deliver(&checked)?;
        results::keep(&checked)?;
        let CheckedPairs { opened, result, .. } = &checked.pairs;
        if let Some(path) = certificate {
            let found = WorldStatements::at_rest(&opened.staged.world, result)?;
            Writer::of_world(found, opened.units, &opened.inputs, Vec::new())?.write_proven(path)?;
        }
        Ok(checked.pairs.verdict()?)
    })
}

fn to_stdout(target: &Option<PathBuf>) -> bool {
    target.as_deref() == Some(Path::new("-"))
}

/// Writes the requested reports, and the table unless one of them replaces it.
fn deliver(checked: &Checked<'_>) -> Result<()> {
    let Arguments { json, csv, html, .. } = checked.arguments;
    let CheckedPairs { opened, result, report, .. } = &checked.pairs;
    // First what is printed: it must not be lost where a file cannot be written.
    if ![json, csv].into_iter().any(to_stdout) {
        report::print(checked)?;
    }
    if let Some(target) = json {
        output::deliver(target, &output::report_json("check", report)?)?;
    }
    if let Some(target) = csv {
        output::deliver(target, &report.csv())?;
    }
    if let Some(path) = html {
        let (staged, summary) = (&opened.staged, report::summary(checked));
        let page = CheckPage { staged, result, report, summary: summary.trim(), up: checked.up };
        let page = noli_pages::check_page(&page).context("cannot write the page")?;
        output::write_file(path, page.html().as_bytes())?;
    }
    Ok(())
}
