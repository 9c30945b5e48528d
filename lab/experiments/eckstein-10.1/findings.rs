//! The conclusions of section 10.1, one by one.

use super::Ran;
use crate::{Session, Verdict};
use anyhow::Result;
use serde::Deserialize;

#[derive(Deserialize)]
struct Printed {
    worst_step_ms: f64,
    best_rate: f64,
    best_rate_zachmann: f64,
    good_degrees_zachmann: Vec<usize>,
    good_degrees_gottschalk: Vec<usize>,
    good_degrees_exchange: Vec<usize>,
    good_degrees_growth: Vec<usize>,
}

/// Costs that differ by less than this share are alike: other runs of the same hand differ as much.
const ALIKE: f64 = 0.05;
const ALIKE_WORDS: &str = " Costs less than a twentieth apart are alike: another hand differs as much.";
const CHEAP_SPHERES: &str = " Costs of tests have changed: one of spheres takes a seventh of one of oriented boxes, in print two thirds.";

pub(super) fn tell(session: &mut Session<'_>, ran: &[Ran]) -> Result<()> {
    let printed: Printed = session.printed()?;
    let families = [
        ("modified Zachmann", &printed.good_degrees_zachmann),
        ("modified Gottschalk", &printed.good_degrees_gottschalk),
        ("without intermediate optimisation", &printed.good_degrees_exchange),
        ("with intermediate optimisation", &printed.good_degrees_growth),
    ];
    for (family, good) in families {
        degrees(session, ran, family, good);
    }
    for (number, (family, _)) in families.iter().enumerate() {
        rates(session, ran, family, if number == 0 { printed.best_rate_zachmann } else { printed.best_rate });
    }
    overall(session, ran);
    compare(
        session,
        ran,
        ("volumes", "oriented boxes"),
        ("volumes", "mixed"),
        "Oriented boxes alone beat mixed types",
    );
    compare(
        session,
        ran,
        ("walks", "one-sided"),
        ("walks", "simultaneous"),
        "Opening the worse node is best",
    );
    compare(session, ran, ("walks", "one-sided"), ("walks", "hybrid"), "Hybrid opening disappoints");
    compare(
        session,
        ran,
        ("measures", "surface"),
        ("measures", "volume"),
        "Fitting by surface is better than by volume",
    );
    spheres(session, ran);
    let worst =
        ran.iter().filter(|r| r.family.contains("optimisation")).map(|r| r.worst_ms).fold(0.0, f64::max);
    session.finding(
        format!("Below {} ms per step in the worst case", printed.worst_step_ms),
        Verdict::of(worst < printed.worst_step_ms),
        format!("Worst step here {worst:.2} ms, all pairs of faces reported; the machine is some hundred times as fast."),
    );
    modern(session, ran);
    Ok(())
}

fn of<'r>(ran: &'r [Ran], family: &str) -> impl Iterator<Item = &'r Ran> {
    let family = family.to_owned();
    ran.iter().filter(move |r| r.family == family)
}

fn degrees(session: &mut Session<'_>, ran: &[Ran], family: &str, good: &[usize]) {
    let fixed: Vec<&Ran> = of(ran, family).filter(|r| r.degree >= 2.0).collect();
    let Some(best) = fixed.iter().min_by(|a, b| a.cost_ms.total_cmp(&b.cost_ms)) else { return };
    if fixed.len() < 2 {
        return;
    }
    let near = |degree: &usize| {
        fixed.iter().any(|r| r.degree == *degree as f64 && r.cost_ms <= best.cost_ms * (1.0 + ALIKE))
    };
    let count = good.iter().filter(|degree| near(degree)).count();
    let verdict = if count == good.len() {
        Verdict::Confirmed
    } else if count > 0 {
        Verdict::Partly
    } else {
        Verdict::Refuted
    };
    let figures: Vec<String> = fixed.iter().map(|r| format!("{}: {:.3}", r.degree, r.cost_ms)).collect();
    let degrees: Vec<String> = good.iter().map(usize::to_string).collect();
    session.finding(
        match &degrees[..] {
            [one] => format!("{family}: degree {one} is good"),
            _ => format!("{family}: degrees {} are good", degrees.join(", ")),
        },
        verdict,
        format!(
            "Cost in ms a step by degree: {}; best {}, and all within {:.0} % of it.",
            figures.join(", "),
            best.degree,
            100.0 * (fixed.iter().map(|r| r.cost_ms).fold(0.0, f64::max) / best.cost_ms - 1.0)
        ) + reason(verdict, " The study's parts are lost, and which degree suits depends on their shapes."),
    );
}

/// Why a claim may not hold here; nothing where it does.
fn reason(verdict: Verdict, why: &str) -> &str {
    if verdict == Verdict::Confirmed { "" } else { why }
}

fn rates(session: &mut Session<'_>, ran: &[Ran], family: &str, wanted: f64) {
    let all: Vec<&Ran> = of(ran, family).filter(|r| r.degree < 1.0).collect();
    let Some(best) = all.iter().min_by(|a, b| a.cost_ms.total_cmp(&b.cost_ms)) else { return };
    if all.len() < 2 {
        return;
    }
    let near = all.iter().any(|r| r.degree == wanted && r.cost_ms <= best.cost_ms * (1.0 + ALIKE));
    let figures: Vec<String> = all.iter().map(|r| format!("{}: {:.3}", r.degree, r.cost_ms)).collect();
    let verdict = Verdict::of(near);
    session.finding(
        format!("{family}: a rate of {wanted} is best"),
        verdict,
        format!("Cost in ms a step by rate: {}.", figures.join(", "))
            + reason(
                verdict,
                " The source does not say how small a node is that may miss the rate and stay a leaf (fewer than eight faces here), which decides how many faces leaves hold.",
            ),
    );
}

/// A claim of two parts, the second of which means little without the first.
fn graded(first: bool, second: bool) -> Verdict {
    match (first, second) {
        (true, true) => Verdict::Confirmed,
        (true, false) => Verdict::Partly,
        _ => Verdict::Refuted,
    }
}

/// The order of the methods, each at its best.
fn overall(session: &mut Session<'_>, ran: &[Ran]) {
    let best = |family: &str| of(ran, family).map(|r| r.cost_ms).fold(f64::INFINITY, f64::min);
    let [zachmann, gottschalk, without, with] = [
        best("modified Zachmann"),
        best("modified Gottschalk"),
        best("without intermediate optimisation"),
        best("with intermediate optimisation"),
    ];
    let figures = format!(
        "Best cost in ms a step: without {without:.3}, with {with:.3}, Gottschalk {gottschalk:.3}, Zachmann {zachmann:.3}."
    );
    session.finding(
        "The two heuristics are best, closely followed by modified Gottschalk",
        graded(without.min(with) <= gottschalk * (1.0 + ALIKE), gottschalk <= 1.5 * without.min(with)),
        figures.clone(),
    );
    let behind = graded(
        zachmann > gottschalk.max(without).max(with),
        zachmann > 1.2 * gottschalk.max(without).max(with),
    );
    session.finding(
        "Modified Zachmann is clearly behind the others",
        behind,
        figures
            + reason(
                behind,
                " Most parts of the generated bay stand along its axes, where axis-aligned boxes are at their best.",
            ),
    );
}

fn compare(session: &mut Session<'_>, ran: &[Ran], good: (&str, &str), bad: (&str, &str), claim: &str) {
    let find = |(family, setting): (&str, &str)| of(ran, family).find(|r| r.setting == setting);
    let (Some(good), Some(bad)) = (find(good), find(bad)) else { return };
    let ratio = bad.cost_ms / good.cost_ms;
    let verdict = if ratio > 1.0 + ALIKE {
        Verdict::Confirmed
    } else if ratio > 1.0 - ALIKE {
        Verdict::Partly
    } else {
        Verdict::Refuted
    };
    session.finding(
        claim,
        verdict,
        format!(
            "Cost in ms a step: {} {:.3}, {} {:.3}; time {:.3} and {:.3}.",
            good.setting, good.cost_ms, bad.setting, bad.cost_ms, good.step_ms, bad.step_ms
        ) + match verdict {
            Verdict::Partly => ALIKE_WORDS,
            Verdict::Refuted if good.family == "volumes" => CHEAP_SPHERES,
            _ => "",
        },
    );
}

fn spheres(session: &mut Session<'_>, ran: &[Ran]) {
    let least = |family: &str| of(ran, family).min_by(|a, b| a.cost_ms.total_cmp(&b.cost_ms));
    let (Some(spheres), Some(boxes)) =
        (least("modified Hochbaum–Shmoys"), least("without intermediate optimisation"))
    else {
        return;
    };
    let verdict = Verdict::of(spheres.cost_ms > 2.0 * boxes.cost_ms);
    session.finding(
        "Spheres alone are far slower: up to seconds a step",
        verdict,
        format!(
            "Best cost in ms a step: spheres {:.3}, boxes {:.3}; worst step {:.2} and {:.2} ms.",
            spheres.cost_ms, boxes.cost_ms, spheres.worst_ms, boxes.worst_ms
        ) + reason(verdict, " A test of spheres has become seven times cheaper than one of boxes; in print it was two thirds."),
    );
}

/// How the splits of today stand beside those of the thesis.
fn modern(session: &mut Session<'_>, ran: &[Ran]) {
    let least = |a: &&Ran, b: &&Ran| a.cost_ms.total_cmp(&b.cost_ms);
    let Some(modern) = of(ran, "other splits").min_by(least) else { return };
    let Some(thesis) = ran.iter().filter(|r| r.family.contains("optimisation")).min_by(least) else { return };
    session.note(format!(
        "Beyond the thesis: the best of the other splits is {} at {:.3} ms a step (built in {:.2} s), the best of its own {} at {:.3} (built in {:.2} s).",
        modern.setting, modern.cost_ms, modern.build_s, thesis.setting, thesis.cost_ms, thesis.build_s
    ));
}
