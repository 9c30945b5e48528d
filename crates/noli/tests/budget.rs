//! Being stopped early gives a wider answer, never a wrong one, and always the same.

mod common;

use common::{mesh, model};
use noli::{
    Budget, Clearance, ClearanceQuery, Clock, Crossing, CrossingsQuery, Model, Overlap, OverlapQuery, Placed,
    Pose, RelationQuery, Scratch, clearance, clearance_in, closer_than_in, crossings, crossings_in, overlap,
    overlap_in, relation, relation_in,
};
use noli_scenes::{SplitMix64, bumpy_sphere, torus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

struct Case {
    bodies: [Model; 2],
    pose: Pose,
}

impl Case {
    fn placed(&self) -> (Placed<'_>, Placed<'_>) {
        (self.bodies[0].at(Pose::IDENTITY), self.bodies[1].at(self.pose))
    }
}

/// Bodies far apart, close, touching a little and deep in each other.
fn cases() -> Vec<Case> {
    let mut rng = SplitMix64::new(7);
    let sets = [bumpy_sphere(6, 0.3), bumpy_sphere(5, 1.1), torus(1.0, 0.3, 24, 12)];
    let bodies = sets.map(|set| model(&mesh(set)));
    let distances = [0.2, 0.9, 1.7, 1.85, 1.9, 1.95, 2.0, 2.05, 2.2, 5.0];
    let case = |(number, &distance): (usize, &f64)| Case {
        bodies: [bodies[number % 3].clone(), bodies[(number / 2 + 1) % 3].clone()],
        pose: Pose::new(rng.rotation(), rng.direction() * distance),
    };
    distances.iter().enumerate().map(case).collect()
}

/// More steps than any of these queries takes.
const MANY: u64 = 1 << 20;

/// Step budgets from none on, up to the first that `suffices` and a few beyond.
fn budgets(mut suffices: impl FnMut(u64) -> bool) -> u64 {
    let enough = (0..MANY).find(|&steps| suffices(steps)).expect("a budget that suffices");
    for steps in enough..enough + 50 {
        assert!(suffices(steps), "{steps} steps are not enough, but {enough} are");
    }
    enough
}

/// Overlap is unknown or final at every budget, and stays final.
#[test]
fn overlap_is_unknown_or_final() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let last = overlap(&a, &b);
        let ask = |steps| {
            let query = OverlapQuery { budget: Budget::default().steps(steps), ..Default::default() };
            let [first, second] = [(); 2].map(|()| overlap_in(&a, &b, &query, &mut Scratch::default()));
            assert_eq!(first, second, "case {number}, {steps} steps");
            assert!(first == last || first == Overlap::Unknown, "case {number}, {steps} steps: {first:?}");
            first == last
        };
        let enough = budgets(ask);
        assert!(enough > 0, "case {number}: nothing can be known without a step");
    }
}

/// The relation is unknown or final at every budget.
#[test]
fn relation_is_unknown_or_final() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let last = relation(&a, &b);
        assert!(last.is_some());
        let mut scratch = Scratch::default();
        budgets(|steps| {
            let query = RelationQuery { budget: Budget::default().steps(steps) };
            let found = relation_in(&a, &b, &query, &mut scratch);
            assert!(found == last || found.is_none(), "case {number}, {steps} steps: {found:?}");
            found == last
        });
    }
}

/// The bracket at every budget holds the final one, and the same budget gives the same bracket.
#[test]
fn clearance_brackets_hold_the_final_one() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let last = clearance(&a, &b);
        let mut narrowed = 0;
        let mut scratch = Scratch::default();
        let enough = budgets(|steps| {
            let query = ClearanceQuery { budget: Budget::default().steps(steps), ..Default::default() };
            let found = clearance_in(&a, &b, &query, &mut Scratch::default());
            assert_eq!(found, clearance_in(&a, &b, &query, &mut scratch), "case {number}, {steps} steps");
            let Clearance { at_least, at_most, .. } = found;
            let holds = at_least <= last.at_least && last.at_most <= at_most;
            assert!(holds, "case {number}, {steps} steps: {found:?} does not hold {last:?}");
            narrowed += usize::from(at_most.is_finite() || at_least > 0.0);
            found == last
        });
        assert!(narrowed > 0 && enough > 0, "case {number}");
    }
}

/// `closer_than` is unknown or final at every budget, for margins around the clearance.
#[test]
fn closer_than_is_unknown_or_final() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let gap = clearance(&a, &b).at_most;
        let mut scratch = Scratch::default();
        for (margin, last) in [(gap, Overlap::Hit), (gap * 0.99, Overlap::Free), (gap + 0.1, Overlap::Hit)] {
            let last = if gap == 0.0 { Overlap::Hit } else { last };
            budgets(|steps| {
                let budget = Budget::default().steps(steps);
                let found = closer_than_in(&a, &b, margin, &budget, &mut scratch);
                assert!(
                    found == last || found == Overlap::Unknown,
                    "case {number}, {steps}, {margin}: {found:?}"
                );
                found == last
            });
        }
    }
}

/// What a stopped query reports is the beginning of what it would have reported, and it says so.
#[test]
fn crossings_are_a_prefix() {
    let mut total = 0;
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let all = crossings(&a, &b);
        let mut scratch = Scratch::default();
        let mut longest = 0;
        budgets(|steps| {
            let query = CrossingsQuery { budget: Budget::default().steps(steps), ..Default::default() };
            let mut some: Vec<Crossing> = Vec::new();
            let complete = crossings_in(&a, &b, &query, &mut scratch, &mut some);
            assert_eq!(some, all[..some.len()], "case {number}, {steps} steps");
            assert!(!complete || some.len() == all.len(), "case {number}, {steps} steps");
            assert!(some.len() >= longest, "case {number}: more steps, fewer crossings");
            longest = some.len();
            complete
        });
        total += all.len();
    }
    assert!(total > 100, "only {total} crossings");
}

/// A clock that advances by a second whenever it is read.
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A deadline at any reading of the clock gives a valid answer, and one that comes early does stop a query.
#[test]
fn deadlines_give_valid_answers() {
    let mut stopped = 0;
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let last = clearance(&a, &b);
        for seconds in 0..20 {
            let clock = Ticking(AtomicU64::new(0));
            let budget = Budget::default().until(Duration::from_secs(seconds), &clock);
            let query = ClearanceQuery { budget, ..Default::default() };
            let found = clearance_in(&a, &b, &query, &mut Scratch::default());
            let holds = found.at_least <= last.at_least && last.at_most <= found.at_most;
            assert!(holds, "case {number}, {seconds} s: {found:?} does not hold {last:?}");
            stopped += usize::from(found != last);
        }
    }
    assert!(stopped > 0, "no deadline stopped a query");
}

/// A flag that is set stops a long query without a false answer.
#[test]
fn cancelling_stops() {
    let flag = AtomicBool::new(true);
    let mut stopped = 0;
    for case in cases() {
        let (a, b) = case.placed();
        let last = crossings(&a, &b);
        let query = CrossingsQuery { budget: Budget::default().cancelled_by(&flag), ..Default::default() };
        let mut some: Vec<Crossing> = Vec::new();
        let complete = crossings_in(&a, &b, &query, &mut Scratch::default(), &mut some);
        assert_eq!(some, last[..some.len()]);
        stopped += usize::from(!complete);
    }
    assert!(stopped > 0, "the flag stopped nothing");
}
