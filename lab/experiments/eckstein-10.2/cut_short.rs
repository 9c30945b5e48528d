//! Dynamic detection that is cut short (chapter 8): every substitute answer, at several budgets, against the whole answer.

use super::bodies::Heuristic;
use super::method::Step;
use crate::{Cell, Session, Table, Verdict};
use noli::Budget;
use noli::motion::Still;
use noli_classics::tree::{CutShort, FaceTest, SweepOptions};
use noli_geom::FeatureQuery;

const BUDGETS: [u64; 4] = [4, 16, 64, 256];
const CUTS: [(CutShort, &str); 4] = [
    (CutShort::Contact, "contact at once"),
    (CutShort::Volumes, "volumes of all pairs left (F2a)"),
    (CutShort::IndicatorVolumes, "volumes of the indicator (F1)"),
    (CutShort::IndicatorFaces, "approximating faces of the indicator (F2b)"),
];

/// Answers of one substitute at one budget.
#[derive(Clone, Copy, Default)]
struct Tally {
    asked: usize,
    finished: usize,
    /// A contact of the whole answer that was not reported, or later than it is.
    missed: usize,
    /// A contact where the whole answer has none.
    false_alarms: usize,
    /// By how much of a step a reported contact is early.
    early: f64,
    contacts: usize,
}

/// Every pair of a part and an obstacle in every step.
#[derive(Default)]
pub(super) struct Table8 {
    tallies: [[Tally; BUDGETS.len()]; CUTS.len()],
}

impl Table8 {
    pub(super) fn add(&mut self, step: &Step<'_>) {
        let (part, motion) = step.parts();
        for other in &step.near {
            let still = Still(other.pose);
            let (mine, theirs) = (part.tree(Heuristic::Without), other.body.tree(Heuristic::Without));
            let faces = FaceTest::Inclusion(FeatureQuery::default());
            let options = SweepOptions { faces, ..SweepOptions::default() };
            let whole = mine.sweep(motion, theirs, &still, &options).first.map(|first| first.time);
            for (tallies, (cut, _)) in self.tallies.iter_mut().zip(CUTS) {
                for (tally, steps) in tallies.iter_mut().zip(BUDGETS) {
                    let within = SweepOptions { budget: Budget::UNLIMITED.steps(steps), ..options };
                    let found = mine.sweep_within(motion, theirs, &still, &within, cut);
                    tally.add(found.finished, found.time, whole);
                }
            }
        }
    }

    pub(super) fn report(&self, session: &mut Session<'_>) {
        let columns = [
            "answer",
            "budget, steps",
            "pairs",
            "finished",
            "contacts missed or late",
            "false alarms",
            "early by, % of a step",
        ];
        let mut table = Table::new("Dynamic detection cut short (8.4, 8.5), pair by pair", columns);
        for (tallies, (_, name)) in self.tallies.iter().zip(CUTS) {
            for (t, steps) in tallies.iter().zip(BUDGETS) {
                let early = 100.0 * t.early / t.contacts.max(1) as f64;
                let counts = [t.asked, t.finished, t.missed, t.false_alarms].map(|n| n as f64);
                let [asked, finished, missed, alarms] = counts;
                let cells = [steps as f64, asked, finished, missed, alarms, early];
                table.row(name, cells.map(Cell::Ours));
            }
        }
        session.table(table);
        let missed = |k: usize| self.tallies[k].iter().map(|t| t.missed).sum::<usize>();
        let alarms = |k: usize| self.tallies[k].iter().map(|t| t.false_alarms).sum::<usize>();
        session.finding(
            "Contact at once and the volumes of all pairs left are never late; the indicator alone is an approximation",
            if self.answers() == 0 { Verdict::Open } else { Verdict::of(missed(0) + missed(1) == 0) },
            format!(
                "Contacts missed or late over all budgets: at once {}, all volumes {}, indicator's volumes {}, its faces {}. False alarms: {}, {}, {}, {}.",
                missed(0),
                missed(1),
                missed(2),
                missed(3),
                alarms(0),
                alarms(1),
                alarms(2),
                alarms(3)
            ),
        );
        session.finding(
            "Approximating faces of the indicator raise fewer false alarms than its volumes",
            match alarms(3).cmp(&alarms(2)) {
                std::cmp::Ordering::Less => Verdict::Confirmed,
                std::cmp::Ordering::Equal => Verdict::Open,
                std::cmp::Ordering::Greater => Verdict::Refuted,
            },
            format!("Faces {}, volumes {}, of {} answers each.", alarms(3), alarms(2), self.answers()),
        );
    }

    fn answers(&self) -> usize {
        self.tallies[2].iter().map(|t| t.asked).sum()
    }
}

impl Tally {
    fn add(&mut self, finished: bool, found: Option<f64>, whole: Option<f64>) {
        self.asked += 1;
        self.finished += usize::from(finished);
        match (found, whole) {
            (Some(found), Some(whole)) => {
                self.contacts += 1;
                self.missed += usize::from(found > whole + 1e-9);
                self.early += (whole - found).max(0.0);
            }
            (None, Some(_)) => self.missed += 1,
            (Some(_), None) => self.false_alarms += 1,
            (None, None) => {}
        }
    }
}
