//! Motions that are free under dynamic detection as well: time and tests of every step, static and dynamic (D.49 to D.56).

use super::bodies::{Body, Heuristic, Obstacle};
use super::method::{Method, Step};
use crate::timing::thread_ms;
use crate::{Cell, Plot, Series, Session, Table, Verdict};
use noli::motion::RigidMotion;
use noli_classics::tree::Tests;

/// As many points as a picture shows.
const POINTS: usize = 60;

/// The steps of one method on one motion.
struct Ran {
    method: String,
    ms: Vec<f64>,
    tests: Tests,
    alarms: usize,
}

/// All methods on one motion with the hierarchies of one heuristic.
pub(super) struct Motion {
    name: &'static str,
    heuristic: Heuristic,
    ran: Vec<Ran>,
}

/// Runs every method over the steps of a motion.
pub(super) fn run(
    name: &'static str,
    (part, obstacles): (&Body, &[&Obstacle]),
    steps: &[RigidMotion],
    methods: &[(String, Method)],
    heuristic: Heuristic,
) -> Motion {
    let ran = methods.iter().map(|(method, how)| {
        let mut ran = Ran { method: method.clone(), ms: Vec::new(), tests: Tests::default(), alarms: 0 };
        for motion in steps {
            let step = Step::new(part, obstacles, motion);
            let ((contact, tests), ms) = thread_ms(|| step.ask(*how, heuristic));
            ran.ms.push(ms);
            ran.tests += tests;
            ran.alarms += usize::from(contact);
        }
        ran
    });
    Motion { name, heuristic, ran: ran.collect() }
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

fn peak(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

pub(super) fn report(session: &mut Session<'_>, motions: &[Motion], blocked: &[&str]) {
    if motions.is_empty() {
        return;
    }
    for heuristic in Heuristic::ALL {
        table(session, motions, heuristic);
        motions.iter().filter(|m| m.heuristic == heuristic).for_each(|m| plot(session, m));
    }
    findings(session, motions);
    session.note(format!(
        "D.49 to D.56: every obstacle has a hierarchy of its own, at a rate of 0.75; volumes around the ends of a step; 5 support points; both heuristics, the one \
         with intermediate optimisation with quick trials. The Space Mouse recordings are lost: the planned removals stand in, where every step is proven free{}. \
         Times are of the thread, least of two; tests are counts.",
        if blocked.is_empty() { String::new() } else { format!(" (not so: {})", blocked.join(", ")) }
    ));
}

fn table(session: &mut Session<'_>, motions: &[Motion], heuristic: Heuristic) {
    let of: Vec<&Motion> = motions.iter().filter(|m| m.heuristic == heuristic).collect();
    let names = of.iter().flat_map(|m| {
        ["µs a step", "peak", "volume tests a step", "pairs of faces a step", "false alarms"]
            .map(|what| format!("{}: {what}", m.name))
    });
    let columns = std::iter::once("method".to_owned()).chain(names);
    let title = format!("Free motions, hierarchies {}", heuristic.name());
    let mut table = Table::new(title, columns);
    let count = of.first().map_or(0, |m| m.ran.len());
    for k in 0..count {
        let cells = of.iter().flat_map(|m| {
            let ran = &m.ran[k];
            let per = |n: u64| n as f64 / ran.ms.len().max(1) as f64;
            let pairs = per(ran.tests.faces);
            [
                1e3 * mean(&ran.ms),
                1e3 * peak(&ran.ms),
                per(ran.tests.volume_tests()),
                pairs,
                ran.alarms as f64,
            ]
            .map(Cell::Ours)
        });
        table.row(of[0].ran[k].method.clone(), cells);
    }
    session.table(table);
}

/// Static against the finders as printed.
fn plot(session: &mut Session<'_>, motion: &Motion) {
    let shown = |ran: &&Ran| ran.method == "static" || ran.method.ends_with("as printed");
    let series = motion.ran.iter().filter(shown).map(|ran| {
        let stride = ran.ms.len().div_ceil(POINTS).max(1);
        let largest = |part: &[f64]| (1e4 * peak(part)).round() / 10.0;
        let points = ran.ms.chunks(stride).enumerate();
        let points = points.map(|(k, part)| [(k * stride) as f64, largest(part)]).collect();
        Series { name: ran.method.replace(", as printed", ""), points }
    });
    session.plot(Plot {
        title: format!("Time of each step of {}, {} (as D.49 to D.56)", motion.name, motion.heuristic.name()),
        x: "step".into(),
        y: "time, µs".into(),
        series: series.collect(),
        ..Plot::default()
    });
}

fn findings(session: &mut Session<'_>, motions: &[Motion]) {
    let find = |m: &'_ Motion, name: &str| m.ran.iter().position(|ran| ran.method == name);
    let dynamic = |ran: &&Ran| ran.method.ends_with("as printed");
    let (mut dearer, mut more_tests, mut pairs) = (0, 0, 0);
    let (mut cheapest, mut ratios) = (0, Vec::new());
    for motion in motions {
        let Some(base) = find(motion, "static").map(|k| &motion.ran[k]) else { continue };
        for ran in motion.ran.iter().filter(dynamic) {
            pairs += 1;
            dearer += usize::from(mean(&ran.ms) > mean(&base.ms));
            more_tests += usize::from(ran.tests.volume_tests() > base.tests.volume_tests());
        }
        let time = |name: &str| find(motion, name).map_or(0.0, |k| mean(&motion.ran[k].ms));
        let quick = time("linear interpolation, as printed").max(time("regula falsi, as printed"));
        let slow = time("sampling, as printed").min(time("sampling + regula falsi, as printed"));
        cheapest += usize::from(quick < slow);
        ratios.push(quick / mean(&base.ms).max(1e-9));
    }
    let count_of = |n: usize, all: usize| match n {
        0 => Verdict::Refuted,
        n if n == all => Verdict::Confirmed,
        _ => Verdict::Partly,
    };
    session.finding(
        "Dynamic detection through hierarchies takes longer than static detection through the same hierarchies",
        count_of(dearer, pairs),
        format!("Longer in {dearer} of {pairs} comparisons of a finder with the static test; more tests of volumes in {more_tests}."),
    );
    session.finding(
        "Linear interpolation and regula falsi take less time than sampling with 5 support points",
        count_of(cheapest, motions.len()),
        format!(
            "On {cheapest} of {} motions and hierarchies both are quicker than both sampled finders.",
            motions.len()
        ),
    );
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let quick = ["linear interpolation, as printed", "regula falsi, as printed"];
    let peaks = motions
        .iter()
        .flat_map(|m| m.ran.iter().filter(|r| quick.contains(&&r.method[..])).map(|r| peak(&r.ms)));
    let slowest = peaks.fold(0.0, f64::max);
    session.finding(
        "With linear interpolation and regula falsi the time stays suitable for interaction (40 ms a step)",
        Verdict::of(slowest < 40.0),
        format!(
            "The slowest step takes {slowest:.2} ms on a machine of today; a step takes up to {worst:.1} times a static one on average. How that was on the machine of \
             1998 is not printed but in figures."
        ),
    );
}
