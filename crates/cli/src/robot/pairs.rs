//! `noli robot pairs`: links that can collide.

use super::{Loaded, Subject, heading, named_values};
use crate::output::{self, Table, plural};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, ensure};
use noli_project::report::{Asked, AssumedRange, ProvenPair, ReachabilityWord, RobotPairsReport};
use noli_project::{load_srdf, srdf_warnings};
use noli_robot::cell::{DisableReason, DomainRange, PairProof, PairRule, ProofOptions, Reachability};
use noli_robot::{DisabledPair, Robot, Srdf};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Find the links that can collide within the joint limits: never and always by proof, otherwise a colliding
/// configuration. Joints without limits are searched as far as they go.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) subject: Subject,
    /// Hold the result against this SRDF: a pair that it calls `Never` must be proven so.
    #[arg(long, value_name = "SRDF", conflicts_with = "srdf")]
    against: Option<PathBuf>,
    /// Write an SRDF that disables pairs that never or always collide, or are adjacent, each with its reason.
    /// Groups and states are those of the given SRDF. A claim that needs `--assume` disables nothing.
    #[arg(long, value_name = "SRDF")]
    write: Option<PathBuf>,
    /// Assume that a joint stays in a range, `JOINT=LOW..HIGH` in radians and metres or with units. What is proven with it
    /// says so.
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    assume: Vec<String>,
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
    let assumed = assumed(&arguments.assume, &loaded.robot.robot)?;
    let proved = prove(arguments, &assumed, &mut loaded);
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
    let open = |pair: &ProvenPair| {
        let possible = pair.meeting == ReachabilityWord::Can;
        pair.disabled.is_some() && !possible && !pair.is_settled()
    };
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
fn prove(arguments: &Arguments, assumed: &[(usize, [f64; 2])], loaded: &mut Loaded) -> Vec<PairProof> {
    let cell = loaded.cell();
    let numbers: Vec<usize> = (0..cell.pairs().len()).collect();
    let is_over = arguments.time.is_some_and(|time| time.is_zero());
    let (stop, done, ended) = (AtomicBool::new(is_over), AtomicUsize::new(0), AtomicBool::new(false));
    let options = ProofOptions {
        samples: arguments.samples,
        cells: arguments.cells,
        stop: Some(&stop),
        done: Some(&done),
        assumed,
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

/// The ranges that are assumed, by number of the value.
fn assumed(texts: &[String], robot: &Robot) -> Result<Vec<(usize, [f64; 2])>> {
    let one = |text: &String| {
        let wrong = || format!("--assume {text}: write JOINT=LOW..HIGH, such as rail=-2m..3m");
        let (name, ends) = text.split_once('=').with_context(wrong)?;
        let (low, high) = ends.split_once("..").with_context(wrong)?;
        let end = |value: &str| Ok::<_, anyhow::Error>(named_values(&format!("{name}={value}"), robot)?[0].1);
        let range = [end(low)?, end(high)?];
        ensure!(range[0] <= range[1] && range.iter().all(|end| end.is_finite()), wrong());
        let free = |number: &usize| robot.variables()[*number].mimic.is_none();
        let number = robot.variable(name.trim()).filter(free);
        let names = || {
            let free = robot.variables().iter().filter(|variable| variable.mimic.is_none());
            free.map(|variable| variable.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let number = number.with_context(|| {
            format!("--assume {text}: no such joint moves by itself; these do: {}", names())
        })?;
        Ok((number, range))
    };
    texts.iter().map(one).collect()
}

fn line(loaded: &Loaded, proved: &PairProof) -> ProvenPair {
    let (cell, robot) = (loaded.cell(), &loaded.robot.robot);
    let links = cell.pair_names(proved.pair).map(str::to_owned);
    let rule = &cell.pairs()[proved.pair].rule;
    let (meeting, witness) = match &proved.meeting {
        Reachability::Never { .. } => (ReachabilityWord::Never, None),
        Reachability::Always { .. } => (ReachabilityWord::Always, None),
        Reachability::Possible { witness } => (ReachabilityWord::Can, Some(witness)),
        Reachability::Undecided => (ReachabilityWord::Undecided, None),
    };
    let named = |values: &Vec<f64>| {
        robot.variables().iter().zip(values).map(|(variable, x)| (variable.name.clone(), *x)).collect()
    };
    let claimed = matches!(rule, PairRule::Disabled(DisableReason::Srdf(reason)) if reason.eq_ignore_ascii_case("never"));
    let assumed = proved.meeting.domain().into_iter().flat_map(|domain| domain.assumed());
    let named_range =
        |own: &DomainRange| AssumedRange { joint: cell.variable(own.value).name.clone(), range: own.range };
    ProvenPair {
        domain: assumed.map(named_range).collect(),
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
            ReachabilityWord::Never if pair.is_settled() => "Never",
            ReachabilityWord::Always if pair.is_settled() => "Always",
            _ if pair.adjacent => "Adjacent",
            _ => continue,
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

/// The assumptions of a claim, behind its word.
fn within(domain: &[AssumedRange]) -> String {
    let ranges: Vec<String> = domain.iter().map(AssumedRange::to_string).collect();
    if ranges.is_empty() { String::new() } else { format!(" within {}", ranges.join(" and ")) }
}

fn text(report: &RobotPairsReport) -> String {
    let mut text = heading(&report.subject);
    let mut table = Table::new(4, ["pair", "", "collision", "disabled", "cells"]);
    for pair in &report.pairs {
        let [a, b] = pair.links.clone();
        let joined = if pair.adjacent { ", joined" } else { "" };
        let refuted = if pair.refuted { " REFUTED" } else { "" };
        let disabled = pair.disabled.clone().unwrap_or_default() + refuted;
        let collision = format!("{}{}{joined}", word(pair.meeting), within(&pair.domain));
        table.row([a, b, collision, disabled, pair.cells.to_string()]);
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
    let assumed = report.pairs.iter().filter(|pair| !pair.domain.is_empty()).count();
    if assumed > 0 {
        let _ = writeln!(
            text,
            "{} only within the assumed ranges",
            plural(assumed, "claim holds", "claims hold")
        );
    }
    text
}
