//! Collisions of a cell: those of the run that the page shows, or those at the arm's configuration.

use super::CellState;
use crate::protocol::Results;
use crate::session::Session;
use glam::DVec3;
use noli::query::Clock;
use noli_pages::{PairView, words};
use noli_robot::cell::PairRule;

impl Session {
    /// A place in words: a robot is programmed in millimetres.
    fn millimetres(&self, place: DVec3) -> String {
        let place = (place * 1e3).to_array();
        format!("{} mm", words::place(place, 1e3 * noli_pages::shape::SIZE / self.view.scale))
    }

    /// Returns the collisions at the arm's configuration.
    pub(in crate::session) fn cell_results(&self) -> Option<Results> {
        let state = self.cell.as_ref()?;
        if let Some(results) = self.run_results(state) {
            return Some(results);
        }
        let (mut checker, mut found) = (state.cell.checker(), Vec::new());
        let start = self.clock.now();
        checker.colliding_pairs(&state.values, &mut found).ok()?;
        let pairs: Vec<PairView> = found
            .iter()
            .filter_map(|hit| {
                let [a, b] = state.cell.pair_names(hit.pair);
                let place = checker.meeting_point(&state.values, hit.pair).ok().flatten();
                Some(PairView {
                    a: self.named(a)?,
                    b: self.named(b)?,
                    relation: if hit.proven { "intersecting" } else { "undecided" },
                    hit: true,
                    says: format!("{a} and {b} collide at the current configuration."),
                    intersections: None,
                    clearance: "0".to_owned(),
                    clearance_at_least: Some(0.0),
                    guarantee: if hit.proven { "exact" } else { "undecided" },
                    place: place.map(|place| self.view.point(place)),
                    place_text: place.map_or(String::new(), |place| self.millimetres(place)),
                    segments: String::new(),
                    line: None,
                    outer: None,
                    clash: None,
                    seconds: None,
                    time: None,
                })
            })
            .collect();
        let asked =
            state.cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })).count();
        let took = self.clock.now().saturating_sub(start).as_secs_f64();
        Some(Results {
            outcome: words::outcome(
                found.iter().filter(|hit| hit.proven).count(),
                found.iter().filter(|hit| !hit.proven).count(),
            ),
            summary: format!(
                "{} checked at the current configuration, in {:.4} s",
                words::plural(asked, "pair", "pairs"),
                took
            ),
            pairs,
            status: Vec::new(),
            groups: Vec::new(),
            stale: false,
        })
    }

    /// Returns the contacts of the run that the page shows, the first one first; `None` if it shows none.
    fn run_results(&self, state: &CellState) -> Option<Results> {
        let ran = state.ran.as_ref().filter(|_| state.shows_run)?;
        let report = &ran.report;
        let first = report.contacts.first()?;
        let pairs = report.contacts.iter().filter_map(|contact| {
            let [a, b] = &contact.links;
            let place = contact.point.map(Into::into);
            Some(PairView {
                a: self.named(a)?,
                b: self.named(b)?,
                relation: "touching",
                hit: true,
                says: format!(
                    "{a} touches {b} in line {}, {} s after the start.",
                    contact.line,
                    words::short(contact.safe_until)
                ),
                intersections: None,
                clearance: "0".to_owned(),
                clearance_at_least: Some(0.0),
                guarantee: "conservative",
                place: place.map(|place| self.view.point(place)),
                place_text: place.map_or(String::new(), |place| self.millimetres(place)),
                segments: String::new(),
                line: None,
                outer: None,
                clash: None,
                seconds: None,
                time: None,
            })
        });
        let [a, b] = &first.links;
        Some(Results {
            outcome: format!("Program stopped: {a} touches {b}"),
            summary: format!(
                "The last run stopped in line {}, {} s after its start.",
                first.line,
                words::short(first.safe_until)
            ),
            pairs: pairs.collect(),
            status: Vec::new(),
            groups: Vec::new(),
            stale: false,
        })
    }
}
