//! One rule for *better*, the same in both directions: a difference counts where it exceeds its spread over the hands.

use super::{Ran, Unit, mean};
use crate::{Session, Verdict};

/// Logarithm of the ratio below which two costs of a single run are alike: no spread is known there.
const ALIKE_ALONE: f64 = 0.05;

/// One setting against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    Better,
    Alike,
    Worse,
}

impl Against {
    /// By costs of the same runs. A difference is the mean logarithm of the ratios; its spread is the largest less the
    /// smallest of them.
    pub(super) fn of(ours: &[f64], theirs: &[f64]) -> Self {
        let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| (a / b).ln()).collect();
        let (least, most) =
            ratios.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &r| (l.min(r), m.max(r)));
        let noise = if ratios.len() > 1 { most - least } else { ALIKE_ALONE };
        match mean(ratios.iter().copied()) {
            difference if difference < -noise => Self::Better,
            difference if difference > noise => Self::Worse,
            _ => Self::Alike,
        }
    }

    /// The verdict on the claim that it is better: none where the two are alike.
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Better => Verdict::Confirmed,
            Self::Alike => Verdict::Open,
            Self::Worse => Verdict::Refuted,
        }
    }
}

/// Motions that count: one, or the four of the thesis together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'m> {
    Together,
    Motion(&'m str),
}

impl Ran {
    /// Mean cost of a step in each run.
    pub(super) fn by_run(&self, unit: Unit, scope: Scope<'_>) -> Vec<f64> {
        self.folded(unit, scope, |costs| mean(costs.iter().copied()), |all| mean(all.iter().copied()))
    }

    /// The most expensive step of each run.
    pub(super) fn peaks_by_run(&self, unit: Unit, scope: Scope<'_>) -> Vec<f64> {
        let most = |costs: &[f64]| costs.iter().copied().fold(0.0, f64::max);
        self.folded(unit, scope, most, most)
    }

    fn folded(
        &self,
        unit: Unit,
        scope: Scope<'_>,
        of_motion: impl Fn(&[f64]) -> f64,
        of_all: impl Fn(&[f64]) -> f64,
    ) -> Vec<f64> {
        let within = |name: &str| match scope {
            Scope::Together => true,
            Scope::Motion(wanted) => name == wanted,
        };
        let motions = || self.motions.iter().filter(|motion| within(motion.name));
        let runs = motions().map(|motion| motion.runs).min().unwrap_or(0);
        let of_run = |run: usize| {
            let parts: Vec<f64> = motions().map(|m| of_motion(m.of_run(unit, run))).collect();
            of_all(&parts)
        };
        (0..runs).map(of_run).collect()
    }

    pub(super) fn against(&self, other: &Self, unit: Unit, scope: Scope<'_>) -> Against {
        Against::of(&self.by_run(unit, scope), &other.by_run(unit, scope))
    }
}

/// The claim that these are the good ones of all: confirmed if none of the others is better than one of these, refuted if
/// each of these has a better one among the others.
pub(super) fn good_ones(all: &[&Ran], good: &[f64], unit: Unit, scope: Scope<'_>) -> Verdict {
    let (named, others): (Vec<&Ran>, Vec<&Ran>) = all.iter().partition(|r| good.contains(&r.degree));
    let beaten = |r: &&&Ran| others.iter().any(|other| other.against(r, unit, scope) == Against::Better);
    match named.iter().filter(beaten).count() {
        _ if named.is_empty() || others.is_empty() => Verdict::Open,
        0 => Verdict::Confirmed,
        n if n == named.len() => Verdict::Refuted,
        _ => Verdict::Partly,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "holds",
        Verdict::Partly => "holds in part",
        Verdict::Refuted => "does not hold",
        Verdict::Open => "is within the spread",
    }
}

/// Judges a claim over the motions together, by the costs of 1998; states the same of each motion and by the costs of this
/// machine. `by` returns the verdict and its figures.
pub(super) fn judge(
    session: &mut Session<'_>,
    motions: &[&str],
    claim: String,
    by: impl Fn(Unit, Scope<'_>) -> (Verdict, String),
) {
    let (verdict, figures) = by(Unit::Printed, Scope::Together);
    let each: Vec<String> = motions
        .iter()
        .map(|&name| format!("{name} {}", word(by(Unit::Printed, Scope::Motion(name)).0)))
        .collect();
    let (here, figures_here) = by(Unit::Ours, Scope::Together);
    session.finding(
        claim,
        verdict,
        format!(
            "By the costs of 1998, all motions together, it {}: {figures}. By motion: {}. By the costs of this machine it {}: \
             {figures_here}.",
            word(verdict),
            each.join(", "),
            word(here),
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two settings in either order get opposite answers, and a difference within its spread counts for neither.
    #[test]
    fn better_is_symmetric_and_needs_more_than_the_spread() {
        let cases: [(&[f64], &[f64], Against); 5] = [
            (&[1.0, 1.1, 0.9], &[2.0, 2.2, 1.8], Against::Better),
            // Cheaper on average, dearer with one of the hands.
            (&[1.0, 1.0, 1.0], &[1.2, 1.2, 0.95], Against::Alike),
            (&[61.44], &[63.03], Against::Alike),
            (&[1.0], &[1.06], Against::Better),
            // Each hand is far from the others, the ratio is not.
            (&[1.0, 10.0, 5.0], &[1.01, 10.1, 5.05], Against::Better),
        ];
        for (a, b, expected) in cases {
            let reverse = match expected {
                Against::Better => Against::Worse,
                Against::Alike => Against::Alike,
                Against::Worse => Against::Better,
            };
            assert_eq!((Against::of(a, b), Against::of(b, a)), (expected, reverse), "{a:?} {b:?}");
        }
        assert_eq!(Against::Worse.verdict(), Verdict::Refuted);
        assert_eq!(Against::Alike.verdict(), Verdict::Open);
    }
}
