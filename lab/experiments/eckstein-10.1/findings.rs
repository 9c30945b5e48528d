//! The conclusions of section 10.1, one by one, each by the costs of 1998 and beside it by those of this machine.

use super::settings::{self, FAMILIES, GOTTSCHALK, WITH, WITHOUT, ZACHMANN};
use super::{Ran, Unit};
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
const UNITS: [(Unit, &str); 2] =
    [(Unit::Printed, "by the costs of 1998"), (Unit::Ours, "by those of this machine")];

pub(super) fn tell(session: &mut Session<'_>, ran: &[Ran]) -> Result<()> {
    let printed: Printed = session.printed()?;
    session.note("Findings are judged by the costs of 1998, as the thesis did, and say what those of this machine would. Costs less than a twentieth apart are alike.");
    let good = [
        &printed.good_degrees_zachmann,
        &printed.good_degrees_gottschalk,
        &printed.good_degrees_exchange,
        &printed.good_degrees_growth,
    ];
    for (family, good) in FAMILIES.into_iter().zip(good) {
        degrees(session, ran, family, good);
        let rate = if family == ZACHMANN { printed.best_rate_zachmann } else { printed.best_rate };
        rates(session, ran, family, rate);
        degree_or_rate(session, ran, family);
    }
    overall(session, ran);
    for (family, name) in [("volumes, without", "without"), ("volumes, with", "with")] {
        for degree in ["degree 5", "degree 6", "rate 0.75"] {
            let claim =
                format!("Oriented boxes alone beat mixed types ({name} intermediate optimisation, {degree})");
            compare(
                session,
                ran,
                family,
                &format!("oriented boxes, {degree}"),
                &format!("mixed, {degree}"),
                claim,
            );
        }
    }
    for (family, name) in [("walks, without", "without"), ("walks, with", "with")] {
        let claim = |what: &str| format!("{what} ({name} intermediate optimisation)");
        compare(session, ran, family, "one-sided", "simultaneous", claim("Opening the worse node is best"));
        compare(session, ran, family, "one-sided", "hybrid", claim("Hybrid opening disappoints"));
    }
    compare(
        session,
        ran,
        "measures",
        "surface",
        "volume",
        "Boxes optimised for surface are better than for volume".into(),
    );
    spheres(session, ran);
    peaks(session, ran, printed.worst_step_ms);
    modern(session, ran);
    Ok(())
}

fn of<'r>(ran: &'r [Ran], family: &'r str) -> impl Iterator<Item = &'r Ran> {
    ran.iter().filter(move |r| r.family == family)
}

fn least<'r>(ran: impl Iterator<Item = &'r Ran>, unit: Unit) -> Option<&'r Ran> {
    ran.min_by(|a, b| a.cost(unit).total_cmp(&b.cost(unit)))
}

/// The verdict by the costs of 1998, with what both tables say.
fn judge(session: &mut Session<'_>, claim: String, by: impl Fn(Unit) -> (Verdict, String)) {
    let told = UNITS.map(|(unit, words)| {
        let (verdict, figures) = by(unit);
        let word = match verdict {
            Verdict::Confirmed => "holds",
            Verdict::Partly => "holds in part",
            Verdict::Refuted => "does not hold",
            Verdict::Open => "cannot be decided",
        };
        format!("{words} it {word}: {figures}")
    });
    let mut why = told.join("; ");
    why[..1].make_ascii_uppercase();
    session.finding(claim, by(Unit::Printed).0, why + ".");
}

fn degrees(session: &mut Session<'_>, ran: &[Ran], family: &str, good: &[usize]) {
    let fixed: Vec<&Ran> = of(ran, family).filter(|r| r.degree >= 2.0).collect();
    if fixed.len() < 2 {
        return;
    }
    let names: Vec<String> = good.iter().map(usize::to_string).collect();
    let claim = format!("{family}: good degrees are {}", names.join(", "));
    judge(session, claim, |unit| {
        let best = fixed.iter().map(|r| r.cost(unit)).fold(f64::INFINITY, f64::min);
        let near = |degree: &&usize| {
            fixed.iter().any(|r| r.degree == **degree as f64 && r.cost(unit) <= best * (1.0 + ALIKE))
        };
        let verdict = match good.iter().filter(near).count() {
            0 => Verdict::Refuted,
            n if n == good.len() => Verdict::Confirmed,
            _ => Verdict::Partly,
        };
        (verdict, figures(fixed.iter().copied(), unit))
    });
}

fn figures<'r>(rows: impl Iterator<Item = &'r Ran>, unit: Unit) -> String {
    rows.map(|r| format!("{} {:.4}", r.degree, r.cost(unit))).collect::<Vec<_>>().join(", ")
}

fn rates(session: &mut Session<'_>, ran: &[Ran], family: &str, wanted: f64) {
    let all: Vec<&Ran> = of(ran, family).filter(|r| r.degree < 1.0).collect();
    if all.len() < 2 {
        return;
    }
    judge(session, format!("{family}: a rate of {wanted} is best"), |unit| {
        let best = all.iter().map(|r| r.cost(unit)).fold(f64::INFINITY, f64::min);
        let near = all.iter().any(|r| r.degree == wanted && r.cost(unit) <= best * (1.0 + ALIKE));
        (Verdict::of(near), figures(all.iter().copied(), unit))
    });
}

/// What the thesis prefers: a rate, but for Zachmann's method a degree.
fn degree_or_rate(session: &mut Session<'_>, ran: &[Ran], family: &str) {
    let fixed = || of(ran, family).filter(|r| r.degree >= 2.0);
    let rates = || of(ran, family).filter(|r| r.degree < 1.0);
    if fixed().count() < 2 || rates().count() < 2 {
        return;
    }
    let degree_wins = family == ZACHMANN;
    let claim = match degree_wins {
        true => format!("{family}: the best degree is better than the best rate"),
        false => format!("{family}: the best rate is better than the best degree, with the smallest peaks"),
    };
    judge(session, claim, |unit| {
        let (Some(degree), Some(rate)) = (least(fixed(), unit), least(rates(), unit)) else {
            return (Verdict::Open, "nothing to compare".into());
        };
        let (good, bad) = if degree_wins { (degree, rate) } else { (rate, degree) };
        let (cheaper, flatter) = (
            good.cost(unit) <= bad.cost(unit) * (1.0 + ALIKE),
            good.peak(unit) <= bad.peak(unit) * (1.0 + ALIKE),
        );
        let verdict = match (cheaper, flatter || degree_wins) {
            (true, true) => Verdict::Confirmed,
            (true, false) | (false, true) if !degree_wins => Verdict::Partly,
            _ => Verdict::of(cheaper),
        };
        let tell = |r: &Ran| format!("{} {:.4}, peak {:.3}", r.setting, r.cost(unit), r.peak(unit));
        (verdict, format!("{}; {}", tell(degree), tell(rate)))
    });
}

/// The methods at the settings that the thesis settles on.
fn overall(session: &mut Session<'_>, ran: &[Ran]) {
    let find =
        |family: &str| ran.iter().find(|r| r.family == family && settings::is_final(r.family, &r.setting));
    let (Some(zachmann), Some(gottschalk), Some(without), Some(with)) =
        (find(ZACHMANN), find(GOTTSCHALK), find(WITHOUT), find(WITH))
    else {
        return;
    };
    let told = |unit: Unit| {
        [without, with, gottschalk, zachmann].map(|r| format!("{} {:.4}", r.family, r.cost(unit))).join(", ")
    };
    judge(
        session,
        "The two heuristics are best, closely followed by modified Gottschalk (final settings)".into(),
        |unit| {
            let heuristics = without.cost(unit).min(with.cost(unit));
            let verdict = match (
                heuristics <= gottschalk.cost(unit) * (1.0 + ALIKE),
                gottschalk.cost(unit) <= 1.5 * heuristics,
            ) {
                (true, true) => Verdict::Confirmed,
                (true, false) => Verdict::Partly,
                _ => Verdict::Refuted,
            };
            (verdict, told(unit))
        },
    );
    judge(session, "Modified Zachmann is clearly behind the others (final settings)".into(), |unit| {
        let worst = gottschalk.cost(unit).max(without.cost(unit)).max(with.cost(unit));
        let verdict = match (zachmann.cost(unit) > worst, zachmann.cost(unit) > 1.2 * worst) {
            (_, true) => Verdict::Confirmed,
            (true, _) => Verdict::Partly,
            _ => Verdict::Refuted,
        };
        (verdict, told(unit))
    });
}

fn compare(session: &mut Session<'_>, ran: &[Ran], family: &str, good: &str, bad: &str, claim: String) {
    let find = |setting: &str| of(ran, family).find(|r| r.setting == setting);
    let (Some(good), Some(bad)) = (find(good), find(bad)) else { return };
    judge(session, claim, |unit| {
        let ratio = bad.cost(unit) / good.cost(unit);
        let verdict = match ratio {
            r if r > 1.0 + ALIKE => Verdict::Confirmed,
            r if r > 1.0 - ALIKE => Verdict::Partly,
            _ => Verdict::Refuted,
        };
        let tell = |r: &Ran| format!("{} {:.4}", r.setting, r.cost(unit));
        (verdict, format!("{}, {}", tell(good), tell(bad)))
    });
}

fn spheres(session: &mut Session<'_>, ran: &[Ran]) {
    let (spheres, boxes) = ("modified Hochbaum–Shmoys", WITHOUT);
    if of(ran, spheres).next().is_none() || of(ran, boxes).next().is_none() {
        return;
    }
    judge(session, "Spheres alone are far slower: up to seconds a step".into(), |unit| {
        let (Some(s), Some(b)) = (least(of(ran, spheres), unit), least(of(ran, boxes), unit)) else {
            return (Verdict::Open, "nothing to compare".into());
        };
        let told = format!(
            "spheres {:.4}, peak {:.3}; boxes {:.4}, peak {:.3}",
            s.cost(unit),
            s.peak(unit),
            b.cost(unit),
            b.peak(unit)
        );
        (Verdict::of(s.cost(unit) > 2.0 * b.cost(unit)), told)
    });
}

/// "Below 40 ms": on the machine of 1998, whose costs of tests are printed; how many faces the study had is not.
fn peaks(session: &mut Session<'_>, ran: &[Ran], limit: f64) {
    let finals = || ran.iter().filter(|r| settings::is_final(r.family, &r.setting) && r.family != ZACHMANN);
    let Some(worst) = finals().map(|r| r.peak(Unit::Printed)).max_by(f64::total_cmp) else { return };
    let told: Vec<String> = finals().map(|r| format!("{} {:.2}", r.family, r.peak(Unit::Printed))).collect();
    session.finding(
        format!("Below {limit} ms per step in the worst case"),
        if worst < limit { Verdict::Open } else { Verdict::Refuted },
        format!(
            "Dearest step by the costs of 1998, in ms: {}. All pairs of faces are reported. The number of faces of the study is not printed, so that a figure below \
             the limit does not confirm it.",
            told.join(", ")
        ),
    );
}

/// How the splits of today stand beside those of the thesis.
fn modern(session: &mut Session<'_>, ran: &[Ran]) {
    let ours = Unit::Ours;
    let Some(modern) = least(of(ran, "other splits"), ours) else { return };
    let Some(thesis) = least(ran.iter().filter(|r| FAMILIES.contains(&r.family)), ours) else { return };
    session.note(format!(
        "Beyond the thesis, boxes fitted alike: the best of the other splits is {} at {:.4} ms a step here (built in {:.2} s), the best of its own {} ({}) at {:.4} \
         (built in {:.2} s).",
        modern.setting,
        modern.cost(ours),
        modern.build_s,
        thesis.family,
        thesis.setting,
        thesis.cost(ours),
        thesis.build_s
    ));
}
