//! `noli robot pairs`: links that can collide within the joint limits.

use super::{Loaded, Subject, heading};
use crate::output::{self, Table, plural};
use crate::{Outcome, Verdict};
use anyhow::{Result, ensure};
use noli_project::report::{Asked, ProvenPair, ReachabilityWord, RobotPairsReport};
use noli_project::{load_srdf, srdf_warnings};
use noli_robot::cell::{DisableReason, PairProof, PairRule, ProofOptions, Reachability};
use noli_robot::{DisabledPair, Srdf};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Find the links that can collide within the joint limits: never and always by proof, otherwise a colliding
/// configuration.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Hold the result against this SRDF: a pair that it calls `Never` must be proven so.
    #[arg(long, value_name = "SRDF", conflicts_with = "srdf")]
    against: Option<PathBuf>,
    /// Write an SRDF that disables pairs that never or always collide, or are adjacent, each with its reason.
    /// Groups and states are those of the given SRDF.
    #[arg(long, value_name = "SRDF")]
    write: Option<PathBuf>,
    /// Cells of joint space visited for a pair; then it is undecided.
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    cells: usize,
    /// Configurations sampled first for a collision of a pair.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    samples: usize,
    /// Write a certificate of all that is proven, for other programs to check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Maximum time, such as 20s; pairs that are not decided by then are undecided.
    #[arg(long, value_name = "TIME", value_parser = noli_ask::quantity::duration)]
    time: Option<Duration>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let mut loaded = arguments.subject.load_shapes()?;
    if let Some(path) = &arguments.against {
        let srdf = load_srdf(path, &loaded.robot.robot)?;
        loaded.warnings.retain(|warning| !warning.starts_with("no SRDF"));
        loaded.warnings.extend(srdf_warnings(&srdf, path));
        loaded.srdf = Some(srdf);
        let source = loaded.report.source.clone();
        loaded.replan(&source, Some(&path.display().to_string()))?;
    }
    let against: Vec<PathBuf> = arguments.against.iter().cloned().collect();
    loaded.refuse_to_overwrite(&arguments.subject, &against, [&arguments.write, &arguments.certificate])?;
    loaded.refuse_tessellated(arguments.certificate.as_deref())?;
    let count = loaded.plan.pairs().len();
    ensure!(count > 0, "there is no pair of links with shapes, so nothing could collide; add obstacles");
    let asked = Asked::new(count)?;
    let proved = prove(arguments, &mut loaded);
    if let Some(path) = &arguments.certificate {
        let mut writer = super::prove::reachability(loaded.cell(), &proved, arguments.cells, Vec::new())?;
        super::prove::add_sources(&mut writer, &loaded, &arguments.subject)?;
        loaded.warnings.extend(writer.unproven());
        writer.write(path)?;
    }
    let pairs: Vec<ProvenPair> = proved.iter().map(|proved| line(&loaded, proved)).collect();
    if let Some(path) = &arguments.write {
        let text = with_reasons(&loaded, &pairs).to_xml();
        output::write_file(path, text.as_bytes())?;
    }
    let open = |pair: &ProvenPair| pair.meeting == ReachabilityWord::Undecided && pair.disabled.is_some();
    let outcome = if pairs.iter().any(|pair| pair.refuted) {
        Outcome::Touching
    } else if pairs.iter().any(open) {
        Outcome::Undecided
    } else {
        Outcome::Free
    };
    let (subject, warnings) = (loaded.report.clone(), loaded.warnings.clone());
    let report = RobotPairsReport { subject, outcome, pairs, warnings };
    arguments.subject.deliver("robot-pairs", &report, &report.warnings, &text(&report))?;
    Ok(Verdict::new(report.outcome, asked))
}

/// Proves all pairs, with a bar for people who watch, until the time is up.
fn prove(arguments: &Arguments, loaded: &mut Loaded) -> Vec<PairProof> {
    let cell = loaded.cell();
    let numbers: Vec<usize> = (0..cell.pairs().len()).collect();
    let is_over = arguments.time.is_some_and(|time| time.is_zero());
    let (stop, done, ended) = (AtomicBool::new(is_over), AtomicUsize::new(0), AtomicBool::new(false));
    let options = ProofOptions {
        samples: arguments.samples,
        cells: arguments.cells,
        stop: Some(&stop),
        done: Some(&done),
    };
    let begun = Instant::now();
    let proved = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let progress = output::Progress::new(numbers.len());
            while !ended.load(Relaxed) {
                std::thread::park_timeout(Duration::from_millis(50));
                progress.tell("pairs", done.load(Relaxed), numbers.len());
                if arguments.time.is_some_and(|time| begun.elapsed() >= time) {
                    stop.store(true, Relaxed);
                }
            }
        });
        let proved = cell.prove_all(&numbers, &options);
        ended.store(true, Relaxed);
        watcher.thread().unpark();
        proved
    });
    if stop.load(Relaxed) {
        let open = proved.iter().filter(|proof| proof.meeting == Reachability::Undecided).count();
        let open = plural(open, "pair is", "pairs are");
        loaded.warnings.push(format!("the time was up before all was decided: {open} undecided"));
    }
    proved
}

fn line(loaded: &Loaded, proved: &PairProof) -> ProvenPair {
    let (cell, robot) = (loaded.cell(), &loaded.robot.robot);
    let links = cell.pair_names(proved.pair).map(str::to_owned);
    let rule = &cell.pairs()[proved.pair].rule;
    let (meeting, witness) = match &proved.meeting {
        Reachability::Never => (ReachabilityWord::Never, None),
        Reachability::Always => (ReachabilityWord::Always, None),
        Reachability::Possible { witness } => (ReachabilityWord::Can, Some(witness)),
        Reachability::Undecided => (ReachabilityWord::Undecided, None),
    };
    let named = |values: &Vec<f64>| {
        robot.variables().iter().zip(values).map(|(variable, x)| (variable.name.clone(), *x)).collect()
    };
    let claimed = matches!(rule, PairRule::Disabled(DisableReason::Srdf(reason)) if reason.eq_ignore_ascii_case("never"));
    ProvenPair {
        adjacent: joined(loaded, &links),
        disabled: match rule {
            PairRule::Disabled(why) => Some(why.to_string()),
            PairRule::Checked { .. } => None,
        },
        refuted: claimed && matches!(meeting, ReachabilityWord::Can | ReachabilityWord::Always),
        links,
        meeting,
        witness: witness.map(named),
        cells: proved.cells,
    }
}

/// Returns `true` if a joint connects both links.
fn joined(loaded: &Loaded, links: &[String; 2]) -> bool {
    let joints = loaded.robot.robot.joints().iter();
    let mut ends = joints.map(|joint| [&joint.parent, &joint.child]);
    ends.any(|[a, b]| [a, b] == [&links[0], &links[1]] || [b, a] == [&links[0], &links[1]])
}

/// The SRDF with disabled pairs as they are proven.
fn with_reasons(loaded: &Loaded, pairs: &[ProvenPair]) -> Srdf {
    let empty = || Srdf { robot: loaded.robot.robot.name().to_owned(), ..Srdf::default() };
    let mut srdf = loaded.srdf.clone().unwrap_or_else(empty);
    srdf.disabled.clear();
    for pair in pairs {
        let reason = match pair.meeting {
            ReachabilityWord::Never => "Never",
            ReachabilityWord::Always => "Always",
            ReachabilityWord::Can | ReachabilityWord::Undecided if pair.adjacent => "Adjacent",
            ReachabilityWord::Can | ReachabilityWord::Undecided => continue,
        };
        let (links, reason) = (pair.links.clone(), reason.to_owned());
        srdf.disabled.push(DisabledPair { links, reason, place: None });
    }
    srdf
}

/// The word under "collision".
fn word(reachability: ReachabilityWord) -> &'static str {
    match reachability {
        ReachabilityWord::Can => "possible",
        other => other.word(),
    }
}

fn text(report: &RobotPairsReport) -> String {
    let mut text = heading(&report.subject);
    let mut table = Table::new(4, ["pair", "", "collision", "disabled", "cells"]);
    for pair in &report.pairs {
        let [a, b] = pair.links.clone();
        let joined = if pair.adjacent { ", joined" } else { "" };
        let refuted = if pair.refuted { " REFUTED" } else { "" };
        let disabled = pair.disabled.clone().unwrap_or_default() + refuted;
        table.row([a, b, format!("{}{joined}", word(pair.meeting)), disabled, pair.cells.to_string()]);
    }
    let _ = write!(text, "\n{}", table.fitted(0..2));
    for pair in report.pairs.iter().filter(|pair| pair.refuted) {
        let at: Vec<String> =
            pair.witness.iter().flatten().map(|(name, x)| format!("{name}={x:.6}")).collect();
        let _ = writeln!(
            text,
            "\n{} collide although disabled as never: {}",
            pair.links.join(" and "),
            at.join(",")
        );
    }
    let count = |word| report.pairs.iter().filter(|pair| pair.meeting == word).count();
    let _ = writeln!(
        text,
        "\n{}: {} never, {} always, {} possible, {} undecided",
        plural(report.pairs.len(), "pair", "pairs"),
        count(ReachabilityWord::Never),
        count(ReachabilityWord::Always),
        count(ReachabilityWord::Can),
        count(ReachabilityWord::Undecided)
    );
    text
}
