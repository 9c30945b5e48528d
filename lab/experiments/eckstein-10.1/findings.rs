//! The conclusions of section 10.1, one by one: over the four motions of the thesis together and each, by the costs of 1998
//! and by those of this machine.

use super::judge::{Against, Scope, good_ones, judge};
use super::settings::{self, FAMILIES, GOTTSCHALK, QUICK_TRIALS, WITH, WITHOUT, ZACHMANN};
use super::{Ran, Unit, mean};
use crate::{Session, Verdict};
use anyhow::Result;
use serde::Deserialize;

#[derive(Deserialize)]
struct Printed {
    worst_step_ms: f64,
    best_rate: f64,
    best_rate_zachmann: f64,
    good_degrees_zachmann: Vec<f64>,
    good_degrees_gottschalk: Vec<f64>,
    good_degrees_exchange: Vec<f64>,
    good_degrees_growth: Vec<f64>,
}

/// Measured settings, and the motions that verdicts are over.
struct Measured<'r> {
    ran: &'r [Ran],
    motions: Vec<&'r str>,
}

pub(super) fn report(session: &mut Session<'_>, ran: &[Ran]) -> Result<()> {
    let printed: Printed = session.printed()?;
    session.note(
        "One rule for better, the same in both directions: two settings run the same hands; a difference is the mean of the logarithms of their ratios of cost, and \
         counts where it exceeds their spread, the largest less the smallest over the hands. A difference within the spread decides nothing. With a single hand \
         a twentieth stands for the spread. Verdicts are over the four motions together, by the costs of 1998.",
    );
    let Some(first) = ran.first() else { return Ok(()) };
    let measured = Measured { ran, motions: first.motions.iter().map(|m| m.name).collect() };
    let good = [
        (&printed.good_degrees_zachmann, "D.8, D.9: M2, M1"),
        (&printed.good_degrees_gottschalk, "D.14, D.15: M2, M3"),
        (&printed.good_degrees_exchange, "D.22: M3"),
        (&printed.good_degrees_growth, "D.27, D.28: M2, M3"),
    ];
    for (family, (good, figures)) in FAMILIES.into_iter().zip(good) {
        measured.degrees(session, family, good, figures);
        let rate = if family == ZACHMANN { printed.best_rate_zachmann } else { printed.best_rate };
        measured.rates(session, family, rate);
        measured.degree_or_rate(session, family);
    }
    measured.quick_trials(session, &printed);
    measured.versus_degree_2(session);
    measured.peaks_of_rates(session, &printed);
    measured.overall(session);
    measured.volumes(session);
    measured.walks(session);
    measured.spheres(session);
    measured.worst_step(session, printed.worst_step_ms);
    measured.times(session);
    measured.modern(session);
    Ok(())
}

fn least<'r>(ran: impl Iterator<Item = &'r Ran>, unit: Unit, scope: Scope<'_>) -> Option<&'r Ran> {
    let cost = |r: &Ran| mean(r.by_run(unit, scope).into_iter());
    ran.min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

fn cost(r: &Ran, unit: Unit, scope: Scope<'_>) -> f64 {
    mean(r.by_run(unit, scope).into_iter())
}

/// Settings with their costs and the spread over the hands.
fn figures<'r>(rows: impl IntoIterator<Item = &'r Ran>, unit: Unit, scope: Scope<'_>) -> String {
    let one = |r: &Ran| {
        let runs = r.by_run(unit, scope);
        let (least, most) = runs.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &c| (l.min(c), m.max(c)));
        format!("{} {:.4} ({least:.4} to {most:.4})", r.setting, mean(runs.iter().copied()))
    };
    rows.into_iter().map(one).collect::<Vec<_>>().join(", ")
}

impl<'r> Measured<'r> {
    fn of(&self, family: &str) -> Vec<&'r Ran> {
        self.ran.iter().filter(|r| r.family == family).collect()
    }

    fn find(&self, family: &str, setting: &str) -> Option<&'r Ran> {
        self.ran.iter().find(|r| r.family == family && r.setting == setting)
    }

    fn fixed(&self, family: &str) -> Vec<&'r Ran> {
        self.of(family).into_iter().filter(|r| r.degree >= 2.0).collect()
    }

    fn by_rate(&self, family: &str) -> Vec<&'r Ran> {
        self.of(family).into_iter().filter(|r| r.degree < 1.0).collect()
    }

    fn judge(
        &self,
        session: &mut Session<'_>,
        claim: String,
        by: impl Fn(Unit, Scope<'_>) -> (Verdict, String),
    ) {
        judge(session, &self.motions, claim, by);
    }

    fn degrees(&self, session: &mut Session<'_>, family: &str, good: &[f64], shown: &str) {
        let fixed = self.fixed(family);
        if fixed.len() < 2 {
            return;
        }
        let names: Vec<String> = good.iter().map(f64::to_string).collect();
        let claim = format!("{family}: good degrees are {} ({shown})", names.join(", "));
        self.judge(session, claim, |unit, scope| {
            (good_ones(&fixed, good, unit, scope), figures(fixed.iter().copied(), unit, scope))
        });
    }

    fn rates(&self, session: &mut Session<'_>, family: &str, wanted: f64) {
        let all = self.by_rate(family);
        if all.len() < 2 {
            return;
        }
        self.judge(session, format!("{family}: a rate of {wanted} is best"), |unit, scope| {
            (good_ones(&all, &[wanted], unit, scope), figures(all.iter().copied(), unit, scope))
        });
    }

    /// The thesis prefers a rate, but for Zachmann's method a degree.
    fn degree_or_rate(&self, session: &mut Session<'_>, family: &str) {
        let (fixed, rates) = (self.fixed(family), self.by_rate(family));
        if fixed.len() < 2 || rates.len() < 2 {
            return;
        }
        let claim = match family == ZACHMANN {
            true => format!("{family}: the best degree is better than the best rate"),
            false => format!("{family}: the best rate is better than the best degree"),
        };
        self.judge(session, claim, |unit, scope| {
            let best = |rows: &[&'r Ran]| least(rows.iter().copied(), unit, scope);
            let (Some(degree), Some(rate)) = (best(&fixed), best(&rates)) else {
                return (Verdict::Open, "nothing to compare".into());
            };
            let (good, bad) = if family == ZACHMANN { (degree, rate) } else { (rate, degree) };
            (good.against(bad, unit, scope).verdict(), figures([degree, rate], unit, scope))
        });
    }

    /// The same claims about the heuristic with the engine's trials, which are ours.
    fn quick_trials(&self, session: &mut Session<'_>, printed: &Printed) {
        if self.of(QUICK_TRIALS).is_empty() {
            return;
        }
        self.degrees(session, QUICK_TRIALS, &printed.good_degrees_growth, "not in the thesis");
        self.rates(session, QUICK_TRIALS, printed.best_rate);
        let (Some(fitted), Some(quick)) =
            (self.find(WITH, "rate 0.75"), self.find(QUICK_TRIALS, "rate 0.75"))
        else {
            return;
        };
        session.note(format!(
            "Trials as published took {:.0} s for the trees of rate 0.75, quick trials {:.1} s.",
            fitted.build_s, quick.build_s
        ));
        let claim = "A volume fitted at every trial is better than quick trials (our question, rate 0.75)";
        self.judge(session, claim.into(), |unit, scope| {
            let [a, b] = [fitted, quick].map(|r| cost(r, unit, scope));
            (fitted.against(quick, unit, scope).verdict(), format!("fitted {a:.4}, quick {b:.4}"))
        });
    }

    /// Degrees 3 and 6 improve on the degree 2 of the original methods.
    fn versus_degree_2(&self, session: &mut Session<'_>) {
        for (family, good) in [(ZACHMANN, "degree 3"), (ZACHMANN, "degree 6"), (GOTTSCHALK, "degree 6")] {
            let claim = format!("{family}: {good} is better than the degree 2 of the original");
            self.compare(session, family, (good, "degree 2"), claim);
        }
    }

    /// "At a rate of 0.75 the largest peaks are smallest": said of the heuristic without intermediate optimisation.
    fn peaks_of_rates(&self, session: &mut Session<'_>, printed: &Printed) {
        let wanted = self.find(WITHOUT, &format!("rate {}", printed.best_rate));
        let others: Vec<&Ran> =
            self.of(WITHOUT).into_iter().filter(|r| r.degree != printed.best_rate).collect();
        let Some(wanted) = wanted.filter(|_| others.len() > 1) else { return };
        let claim =
            format!("{WITHOUT}: the peaks are smallest at a rate of {} (D.24: M3)", printed.best_rate);
        self.judge(session, claim, |unit, scope| {
            let peaks = |r: &Ran| r.peaks_by_run(unit, scope);
            let beaten = others.iter().any(|r| Against::of(&peaks(r), &peaks(wanted)) == Against::Better);
            let of = |r: &Ran| format!("{} {:.3}", r.setting, mean(peaks(r).into_iter()));
            let told: Vec<String> = self.of(WITHOUT).into_iter().map(of).collect();
            (Verdict::of(!beaten), format!("peaks {}", told.join(", ")))
        });
    }

    /// The methods at the settings on which the thesis settles.
    fn overall(&self, session: &mut Session<'_>) {
        let find = |family: &str| self.find(family, settings::final_name(family));
        let (Some(zachmann), Some(gottschalk), Some(without), Some(with)) =
            (find(ZACHMANN), find(GOTTSCHALK), find(WITHOUT), find(WITH))
        else {
            return;
        };
        let told = |unit: Unit, scope: Scope<'_>| {
            let one = |r: &Ran| format!("{} {:.4}", r.family, cost(r, unit, scope));
            [without, with, gottschalk, zachmann].map(one).join(", ")
        };
        let claim = "Both heuristics are better than modified Gottschalk (final settings)";
        self.judge(session, claim.into(), |unit, scope| {
            let against = [without, with].map(|r| r.against(gottschalk, unit, scope));
            (all_or_some(&against), told(unit, scope))
        });
        let claim = "Modified Zachmann is behind the three others (final settings)";
        self.judge(session, claim.into(), |unit, scope| {
            let against = [without, with, gottschalk].map(|r| r.against(zachmann, unit, scope));
            (all_or_some(&against), told(unit, scope))
        });
    }

    fn volumes(&self, session: &mut Session<'_>) {
        for (family, name) in [("volumes, without", "without"), ("volumes, with", "with")] {
            for degree in ["degree 5", "degree 6", "rate 0.75"] {
                let find = |kind: &str| self.find(family, &format!("{kind}, {degree}"));
                let (Some(boxes), Some(mixed), Some(mixed_here)) =
                    (find("oriented boxes"), find("mixed"), find("mixed by costs here"))
                else {
                    continue;
                };
                let claim = format!(
                    "Oriented boxes alone beat mixed types ({name} intermediate optimisation, {degree})"
                );
                self.judge(session, claim, |unit, scope| {
                    let mixed = if unit == Unit::Printed { mixed } else { mixed_here };
                    let verdict = boxes.against(mixed, unit, scope).verdict();
                    (verdict, figures([boxes, mixed], unit, scope))
                });
                let (Some(spheres), Some(aligned)) = (find("spheres"), find("axis-aligned boxes")) else {
                    continue;
                };
                let claim = format!(
                    "Spheres alone and axis-aligned boxes alone are worse than oriented boxes ({name} intermediate optimisation, {degree})"
                );
                self.judge(session, claim, |unit, scope| {
                    let against = [spheres, aligned].map(|r| boxes.against(r, unit, scope));
                    (all_or_some(&against), figures([boxes, spheres, aligned], unit, scope))
                });
            }
        }
        let claim = "Boxes optimised for surface are better than for volume (10.1.9 settles on surface)";
        self.compare(session, "measures", ("surface", "volume"), claim.into());
    }

    fn walks(&self, session: &mut Session<'_>) {
        for (family, name) in [("walks, without", "without"), ("walks, with", "with")] {
            let claim = |what: &str| format!("{what} ({name} intermediate optimisation)");
            let best = claim("Opening the worse node is better than opening both");
            self.compare(session, family, ("one-sided", "simultaneous"), best);
            let hybrid = claim("Hybrid opening disappoints: opening the worse node is better");
            self.compare(session, family, ("one-sided", "hybrid"), hybrid);
            let ours = claim("The same of hybrid opening by the number of children (ours)");
            self.compare(session, family, ("one-sided", "hybrid by count (ours)"), ours);
        }
    }

    fn compare(&self, session: &mut Session<'_>, family: &str, (good, bad): (&str, &str), claim: String) {
        let (Some(good), Some(bad)) = (self.find(family, good), self.find(family, bad)) else { return };
        self.judge(session, claim, |unit, scope| {
            (good.against(bad, unit, scope).verdict(), figures([good, bad], unit, scope))
        });
    }

    fn spheres(&self, session: &mut Session<'_>) {
        let (spheres, boxes) = (self.of("modified Hochbaum–Shmoys"), self.of(WITHOUT));
        if spheres.is_empty() || boxes.is_empty() {
            return;
        }
        let claim =
            "Spheres of modified Hochbaum–Shmoys are far behind oriented boxes, by more than a factor of two";
        self.judge(session, claim.into(), |unit, scope| {
            let best = |rows: &[&'r Ran]| least(rows.iter().copied(), unit, scope);
            let (Some(s), Some(b)) = (best(&spheres), best(&boxes)) else {
                return (Verdict::Open, "nothing to compare".into());
            };
            let doubled: Vec<f64> = b.by_run(unit, scope).iter().map(|cost| 2.0 * cost).collect();
            let verdict = Against::of(&doubled, &s.by_run(unit, scope)).verdict();
            (verdict, figures([s, b], unit, scope))
        });
    }

    /// "Below 40 ms even in the worst case": said of M1 with modified Gottschalk (10.1.9).
    fn worst_step(&self, session: &mut Session<'_>, limit: f64) {
        let finals = || self.ran.iter().filter(|r| settings::is_final(r.family, &r.setting));
        let peak =
            |r: &Ran, scope: Scope<'_>| r.peaks_by_run(Unit::Printed, scope).into_iter().fold(0.0, f64::max);
        let m1 = Scope::Motion("M1");
        let Some(worst) =
            finals().find(|r| r.family == GOTTSCHALK && r.motions.iter().any(|m| m.name == "M1"))
        else {
            return;
        };
        let told: Vec<String> =
            finals().map(|r| format!("{} {:.1}", r.family, peak(r, Scope::Together))).collect();
        let here = peak(worst, m1);
        session.finding(
            format!("The worst case, M1 with modified Gottschalk, stays below {limit} ms a step"),
            Verdict::of(here < limit),
            format!(
                "Most expensive step of M1 with modified Gottschalk by the costs of 1998: {here:.1} ms, on the stand-in; the number of faces of the study is \
                 not printed. Over all four motions: {} ms.",
                told.join(", ")
            ),
        );
    }

    /// "Fully confirmed by real times" (10.1.7 and 10.1.8): no pair of methods is in another order by time.
    fn times(&self, session: &mut Session<'_>) {
        let finals: Vec<&Ran> = [GOTTSCHALK, WITHOUT, WITH]
            .iter()
            .filter_map(|family| self.find(family, settings::final_name(family)))
            .collect();
        let walk = |family: &'static str| {
            ["one-sided", "simultaneous", "hybrid"]
                .into_iter()
                .filter_map(move |name| self.find(family, name))
        };
        let walks: Vec<Vec<&Ran>> = ["walks, without", "walks, with"].map(|f| walk(f).collect()).into();
        for (claim, sets) in [
            ("Real times confirm the order of the three best methods (D.37 to D.40)", vec![finals]),
            ("Real times confirm the order of the walks (D.45 to D.48)", walks),
        ] {
            let pairs: Vec<(&Ran, &Ran)> = sets.iter().flat_map(|set| pairs(set)).collect();
            if pairs.is_empty() {
                continue;
            }
            let by_cost = |(a, b): &(&Ran, &Ran)| a.against(b, Unit::Ours, Scope::Together);
            let by_time = |(a, b): &(&Ran, &Ran)| Against::of(&times_by_run(a), &times_by_run(b));
            let opposed = |pair: &&(&Ran, &Ran)| {
                matches!(
                    (by_cost(pair), by_time(pair)),
                    (Against::Better, Against::Worse) | (Against::Worse, Against::Better)
                )
            };
            let opposite = pairs.iter().filter(opposed).count();
            let agree = pairs.iter().filter(|pair| by_cost(pair) == by_time(pair)).count();
            let verdict = match (opposite, agree == pairs.len()) {
                (0, true) => Verdict::Confirmed,
                (0, false) => Verdict::Partly,
                _ => Verdict::Refuted,
            };
            let ms = |r: &Ran| {
                format!("{}, {}: {:.1} µs", r.family, r.setting, 1e3 * mean(times_by_run(r).into_iter()))
            };
            let told: Vec<String> = sets.iter().flatten().map(|r| ms(r)).collect();
            session.finding(
                claim,
                verdict,
                format!(
                    "Of {} pairs {agree} are in the same relation by time of the thread and by the costs of this machine, {opposite} in the opposite. {}.",
                    pairs.len(),
                    told.join("; ")
                ),
            );
        }
    }

    /// Splits of today against those of the thesis.
    fn modern(&self, session: &mut Session<'_>) {
        let (unit, scope) = (Unit::Ours, Scope::Together);
        let others = self.of("other splits");
        let Some(modern) = least(others.into_iter(), unit, scope) else { return };
        let own = self.ran.iter().filter(|r| FAMILIES.contains(&r.family));
        let Some(thesis) = least(own, unit, scope) else { return };
        session.note(format!(
            "Beyond the thesis, boxes fitted alike: the best of the other splits is {} at {:.4} ms a step here (built in {:.2} s), the best of its own {} ({}) at {:.4} \
             (built in {:.2} s).",
            modern.setting,
            cost(modern, unit, scope),
            modern.build_s,
            thesis.family,
            thesis.setting,
            cost(thesis, unit, scope),
            thesis.build_s
        ));
    }
}

/// Confirmed if all are better, in part if some are, refuted if one is worse and none better; else undecided.
fn all_or_some(against: &[Against]) -> Verdict {
    let count = |which: Against| against.iter().filter(|a| **a == which).count();
    match (count(Against::Better), count(Against::Worse)) {
        (better, _) if better == against.len() => Verdict::Confirmed,
        (0, 0) => Verdict::Open,
        (0, _) => Verdict::Refuted,
        _ => Verdict::Partly,
    }
}

fn pairs<'a>(set: &[&'a Ran]) -> Vec<(&'a Ran, &'a Ran)> {
    set.iter().enumerate().flat_map(|(k, a)| set[k + 1..].iter().map(move |b| (*a, *b))).collect()
}

/// Mean measured milliseconds of a step in each run.
fn times_by_run(r: &Ran) -> Vec<f64> {
    let runs = r.motions.iter().map(|m| m.runs).min().unwrap_or(0);
    let part = |times: &[f64], run: usize| {
        let length = times.len() / runs;
        mean(times[run * length..(run + 1) * length].iter().copied())
    };
    (0..runs).map(|run| mean(r.motions.iter().map(|m| part(&m.time, run)))).collect()
}
