//! Counts of solved problems, and their tables.

use super::Printed;
use crate::{Cell, Session, Table, Verdict};

/// Results of the problems of a set.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) problems: usize,
    pub(super) solved: usize,
    pub(super) not_free: usize,
    pub(super) colliding: usize,
    pub(super) states: u64,
    pub(super) exact_states: u64,
    pub(super) prepare_ms: Vec<f64>,
    pub(super) plan_ms: Vec<f64>,
    pub(super) whole_ms: Vec<f64>,
    pub(super) raw_cost: Vec<f64>,
    pub(super) cost: Vec<f64>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.problems += other.problems;
        self.solved += other.solved;
        self.not_free += other.not_free;
        self.colliding += other.colliding;
        self.states += other.states;
        self.exact_states += other.exact_states;
        self.prepare_ms.extend(&other.prepare_ms);
        self.plan_ms.extend(&other.plan_ms);
        self.whole_ms.extend(&other.whole_ms);
        self.raw_cost.extend(&other.raw_cost);
        self.cost.extend(&other.cost);
    }
}

/// Results of the problems of all sets with a peer.
#[derive(Default)]
pub(super) struct PeerTally {
    pub(super) problems: usize,
    pub(super) solved: usize,
    /// As found, and simplified.
    pub(super) ms: [Vec<f64>; 2],
    pub(super) cost: [Vec<f64>; 2],
    /// Ways with a state that meets something, and those that come so close that nothing is proven.
    pub(super) colliding: [usize; 2],
    pub(super) close: [usize; 2],
}

pub(super) fn share(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// Both side by side.
pub(super) fn compare(
    session: &mut Session<'_>,
    tallies: &[(String, Tally)],
    name: &str,
    theirs: &PeerTally,
) {
    let columns = [
        "planner",
        "problems",
        "solved",
        "planned, ms",
        "95 %",
        "simplified, ms",
        "95 %",
        "cost as found, rad",
        "cost simplified, rad",
        "ways as found that collide",
        "simplified ways that collide",
        "too close to prove",
    ];
    let mut table = Table::new("The same problems by somebody else, judged by the proof", columns);
    let mut ours = Tally::default();
    tallies.iter().for_each(|(_, tally)| ours.add(tally));
    let figures = |solved: [usize; 2], ms: [&[f64]; 2], cost: [&[f64]; 2], wrong: [usize; 3]| {
        let counts = solved.map(|count| Cell::Ours(count as f64)).into_iter();
        let times = ms.into_iter().flat_map(|ms| [0.5, 0.95].map(|part| Cell::Ours(share(ms, part))));
        let costs = cost.into_iter().map(|cost| Cell::Ours(share(cost, 0.5)));
        counts
            .chain(times)
            .chain(costs)
            .chain(wrong.map(|count| Cell::Ours(count as f64)))
            .collect::<Vec<_>>()
    };
    table.row(
        "noli",
        figures(
            [ours.problems, ours.solved],
            [&ours.plan_ms, &ours.whole_ms],
            [&ours.raw_cost, &ours.cost],
            [ours.colliding, ours.colliding, 0],
        ),
    );
    table.row(
        name,
        figures(
            [theirs.problems, theirs.solved],
            [&theirs.ms[0], &theirs.ms[1]],
            [&theirs.cost[0], &theirs.cost[1]],
            [theirs.colliding[0], theirs.colliding[1], theirs.close[0] + theirs.close[1]],
        ),
    );
    session.table(table);
}

pub(super) fn report(session: &mut Session<'_>, tallies: &[(String, Tally)], goal: &Printed) {
    let columns = [
        "set",
        "problems",
        "solved",
        "colliding",
        "planned and proven, ms",
        "95 %",
        "simplified and proven, ms",
        "95 %",
        "cost as found, rad",
        "cost simplified, rad",
        "states looked at again",
    ];
    let mut table = Table::new("Planning problems, every motion proven on the true meshes", columns);
    let mut all = Tally::default();
    tallies.iter().for_each(|(_, tally)| all.add(tally));
    let beside = |ours: f64, printed: f64| Cell::Beside { ours, printed };
    let whole = [("all".to_owned(), all)];
    for (set, tally) in tallies.iter().chain(&whole) {
        let is_all = set == "all";
        let figure = |ours: f64, printed: f64| if is_all { beside(ours, printed) } else { Cell::Ours(ours) };
        table.row(
            set.clone(),
            [
                Cell::Ours(tally.problems as f64),
                Cell::Ours(tally.solved as f64),
                Cell::Ours(tally.colliding as f64),
                figure(share(&tally.plan_ms, 0.5), goal.plan[0]),
                figure(share(&tally.plan_ms, 0.95), goal.plan[1]),
                figure(share(&tally.whole_ms, 0.5), goal.simplified[0]),
                figure(share(&tally.whole_ms, 0.95), goal.simplified[1]),
                Cell::Ours(share(&tally.raw_cost, 0.5)),
                figure(share(&tally.cost, 0.5), goal.cost),
                Cell::Ours(tally.states as f64),
            ],
        );
    }
    session.table(table);
    let [(_, all)] = &whole;
    session.finding(
        "All problems are solved, and no way collides",
        Verdict::of(all.solved == all.problems && all.colliding == 0),
        format!(
            "{} of {} solved, {} with a start or goal that is not free; {} with a colliding state among {} looked at and {} asked \
             pair by pair, or a stretch that is not proven.",
            all.solved, all.problems, all.not_free, all.colliding, all.states, all.exact_states
        ),
    );
    let fast =
        share(&all.whole_ms, 0.5) <= goal.simplified[0] && share(&all.whole_ms, 0.95) <= goal.simplified[1];
    session.finding(
        format!("Simplified and proven in {} ms, 95 % in {} ms", goal.simplified[0], goal.simplified[1]),
        Verdict::of(fast),
        format!("{:.2} ms and {:.1} ms here.", share(&all.whole_ms, 0.5), share(&all.whole_ms, 0.95)),
    );
    session.finding(
        format!("Ways cost at most {} rad", goal.cost),
        Verdict::of(share(&all.cost, 0.5) <= goal.cost),
        format!("{:.2} rad in the middle, {:.2} on average.", share(&all.cost, 0.5), mean(&all.cost)),
    );
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
