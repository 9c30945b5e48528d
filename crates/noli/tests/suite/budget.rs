//! Being stopped early gives a wider answer, never a wrong one, and always the same.

use crate::common::{mesh, model};
use noli::answer::{Bracket, Completeness, Intersection};
use noli::motion::{RigidMotion, Still};
use noli::penetration::{PenetrationQuery, VolumeQuery, overlap_volume, penetration};
use noli::pieces::{DecompositionQuery, convex_decomposition_within};
use noli::query::{ClearanceQuery, Clock, ImpactQuery, IntersectionsQuery};
use noli::trace::Stats;
use noli::{
    Budget, Model, Overlap, Placed, Pose, QueryContext, Relation, Scratch, clearance, intersections, overlap,
    relation, time_of_impact,
};
use noli_scenes::{SplitMix64, bumpy_sphere, grid_plane, torus};
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
        let context = |steps| {
            let budget = Budget::default().steps(steps);
            let [first, second] = [(); 2]
                .map(|()| QueryContext::new(&mut Scratch::default()).with_budget(budget).overlap(&a, &b));
            assert_eq!(first, second, "case {number}, {steps} steps");
            assert!(first == last || first == Overlap::Unknown, "case {number}, {steps} steps: {first:?}");
            first == last
        };
        let enough = budgets(context);
        assert!(enough > 0, "case {number}: nothing can be known without a step");
    }
}

/// The relation is unknown or final at every budget.
#[test]
fn relation_is_unknown_or_final() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let last = relation(&a, &b);
        assert_ne!(last, Relation::Unknown);
        let mut scratch = Scratch::default();
        budgets(|steps| {
            let budget = Budget::default().steps(steps);
            let found = QueryContext::new(&mut scratch).with_budget(budget).relation(&a, &b);
            assert!(found == last || found == Relation::Unknown, "case {number}, {steps} steps: {found:?}");
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
            let context = |scratch: &mut Scratch| {
                let budget = Budget::default().steps(steps);
                QueryContext::new(scratch).with_budget(budget).clearance(&a, &b, &ClearanceQuery::default())
            };
            let found = context(&mut Scratch::default());
            assert_eq!(found, context(&mut scratch), "case {number}, {steps} steps");
            let Bracket { at_least, at_most } = found.distance;
            let holds = at_least <= last.distance.at_least && last.distance.at_most <= at_most;
            assert!(holds, "case {number}, {steps} steps: {found:?} does not hold {last:?}");
            narrowed += usize::from(at_most.is_finite() || at_least > 0.0);
            found == last
        });
        assert!(narrowed > 0 && enough > 0, "case {number}");
    }
}

/// `within_distance` is unknown or final at every budget, for margins around the clearance.
#[test]
fn closer_than_is_unknown_or_final() {
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let gap = clearance(&a, &b).distance.at_most;
        let mut scratch = Scratch::default();
        for (margin, last) in [(gap, Overlap::Hit), (gap * 0.99, Overlap::Free), (gap + 0.1, Overlap::Hit)] {
            let last = if gap == 0.0 { Overlap::Hit } else { last };
            budgets(|steps| {
                let budget = Budget::default().steps(steps);
                let found =
                    QueryContext::new(&mut scratch).with_budget(budget).within_distance(&a, &b, margin);
                assert!(
                    found == last || found == Overlap::Unknown,
                    "case {number}, {steps}, {margin}: {found:?}"
                );
                found == last
            });
        }
    }
}

/// A stopped query reports the beginning of the full report, marked as partial.
#[test]
fn intersections_are_a_prefix() {
    let mut total = 0;
    for (number, case) in cases().iter().enumerate() {
        let (a, b) = case.placed();
        let all = intersections(&a, &b);
        let mut scratch = Scratch::default();
        let mut longest = 0;
        budgets(|steps| {
            let mut some: Vec<Intersection> = Vec::new();
            let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
            let completeness = context.intersections(&a, &b, &IntersectionsQuery::default(), &mut some);
            assert_ne!(completeness, Completeness::Enough, "a list wants all");
            let complete = completeness == Completeness::Complete;
            assert_eq!(some, all[..some.len()], "case {number}, {steps} steps");
            assert!(!complete || some.len() == all.len(), "case {number}, {steps} steps");
            assert!(some.len() >= longest, "case {number}: more steps, fewer intersections");
            longest = some.len();
            complete
        });
        total += all.len();
    }
    assert!(total > 100, "only {total} intersections");
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
            let mut scratch = Scratch::default();
            let found = QueryContext::new(&mut scratch).with_budget(budget).clearance(
                &a,
                &b,
                &ClearanceQuery::default(),
            );
            let holds = found.distance.at_least <= last.distance.at_least
                && last.distance.at_most <= found.distance.at_most;
            assert!(holds, "case {number}, {seconds} s: {found:?} does not hold {last:?}");
            stopped += usize::from(found != last);
        }
    }
    assert!(stopped > 0, "no deadline stopped a query");
}

/// Sheets so close that exact arithmetic has to tell them apart everywhere.
fn sheets() -> (Model, Pose) {
    let sheet = model(&mesh(grid_plane(1.0, 12)));
    (sheet, Pose::from_translation(glam::dvec3(0.01, 0.02, 1e-9)))
}

/// The clock is looked at before every exact test, and wherever that ends a query, its answer is valid.
#[test]
fn exact_tests_are_stopped_one_by_one() {
    let (sheet, pose) = sheets();
    let (a, b) = (sheet.at(Pose::IDENTITY), sheet.at(pose));
    let mut stats = Stats::default();
    let mut scratch = Scratch::default();
    assert_eq!(QueryContext::new(&mut scratch).with_trace(&mut stats).overlap(&a, &b), Overlap::Free);
    assert!(stats.unsure > 4 * stats.leaf_pairs && stats.unsure > 500, "{stats:?}");
    let last = clearance(&a, &b);
    let slide = RigidMotion::with_velocities(&pose, glam::DVec3::X, glam::DVec3::ZERO, glam::DVec3::ZERO);
    let (still, slide) = (Still::default(), sheet.moving(&slide));
    let still = sheet.moving(&still);
    let truth = time_of_impact(&still, &slide).safe_until();
    let mut stopped = [0; 4];
    for ticks in (0..200).chain((200..8000).step_by(97)) {
        let clock = [(); 4].map(|()| Ticking(AtomicU64::new(0)));
        let budget = |number: usize| Budget::default().until(Duration::from_secs(ticks), &clock[number]);
        let overlap = QueryContext::new(&mut scratch).with_budget(budget(0)).overlap(&a, &b);
        assert!(overlap == Overlap::Unknown || ticks > stats.unsure && overlap == Overlap::Free, "{ticks}");
        let mut context = QueryContext::new(&mut scratch).with_budget(budget(1));
        let Bracket { at_least, at_most } = context.clearance(&a, &b, &ClearanceQuery::default()).distance;
        assert!(
            at_least <= last.distance.at_least && last.distance.at_most <= at_most,
            "{ticks}: {at_least} {at_most} {last:?}"
        );
        let near = QueryContext::new(&mut scratch).with_budget(budget(2)).within_distance(
            &a,
            &b,
            last.distance.at_most,
        );
        assert_ne!(near, Overlap::Free, "{ticks}");
        let mut context = QueryContext::new(&mut scratch).with_budget(budget(3));
        let impact = context.time_of_impact(&still, &slide, &ImpactQuery::default());
        assert!(impact.safe_until() <= truth, "{ticks}: {impact:?}");
        for (number, clock) in clock.iter().enumerate() {
            let looks = clock.0.load(Ordering::Relaxed);
            assert!(looks <= ticks + 40, "question {number}: {looks} looks, {ticks} allowed");
            stopped[number] += usize::from(looks > ticks);
        }
    }
    assert!(stopped.iter().all(|&count| count > 20), "{stopped:?}");
}

/// A flag that is set stops a long query without a false answer.
#[test]
fn cancelling_stops() {
    let flag = AtomicBool::new(true);
    let mut stopped = 0;
    for case in cases() {
        let (a, b) = case.placed();
        let last = intersections(&a, &b);
        let mut some: Vec<Intersection> = Vec::new();
        let mut scratch = Scratch::default();
        let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().cancelled_by(&flag));
        let completeness = context.intersections(&a, &b, &IntersectionsQuery::default(), &mut some);
        assert_eq!(some, last[..some.len()]);
        stopped += usize::from(completeness == Completeness::Partial);
    }
    assert!(stopped > 0, "the flag stopped nothing");
}

/// Two solids, one reaching into the other.
fn solids() -> [Model; 2] {
    [bumpy_sphere(6, 0.3), torus(1.0, 0.3, 24, 12)].map(|set| model(&mesh(set).into_solid()))
}

fn within<'s>(scratch: &'s mut Scratch, budget: Budget<'s>) -> QueryContext<'s> {
    QueryContext::new(scratch).with_budget(budget)
}

/// Depth, volume and depth of points under any budget hold the unlimited answers.
#[test]
fn brackets_of_solids_hold_under_every_budget() {
    let bodies = solids();
    let (a, b) =
        (bodies[0].at(Pose::IDENTITY), bodies[1].at(Pose::from_translation(glam::dvec3(0.9, 0.2, 0.1))));
    let (depth, volume) = (PenetrationQuery::FAST, VolumeQuery::FAST);
    let truth = (penetration(&a, &b, &depth), overlap_volume(&a, &b, &volume));
    assert!(truth.1.at_least > 0.0 && truth.0.depth.at_most.is_finite());
    let stopped = AtomicBool::new(true);
    let mut budgets: Vec<Budget<'_>> =
        (0..18).step_by(3).map(|k| Budget::default().steps((1 << k) - 1)).collect();
    budgets.extend([0, 1 << 8, 1 << 16].map(|bytes| Budget::default().memory(bytes)));
    budgets.push(Budget::default().cancelled_by(&stopped));
    let mut scratch = Scratch::default();
    for budget in budgets {
        let found = within(&mut scratch, budget).penetration(&a, &b, &depth).depth;
        assert!(
            found.at_least <= truth.0.depth.at_most && truth.0.depth.at_least <= found.at_most,
            "{budget:?}"
        );
        let found = within(&mut scratch, budget).overlap_volume(&a, &b, &volume);
        assert!(
            found.at_least <= truth.1.at_most && truth.1.at_least <= found.at_most,
            "{budget:?}: {found:?}"
        );
        let found = within(&mut scratch, budget).max_penetration_within(&a, &b, 10.0);
        assert!(found.at_least <= 10.0 && (found.at_most == 10.0 || found.at_most == f64::INFINITY));
    }
    let found =
        within(&mut scratch, Budget::default().cancelled_by(&stopped)).overlap_volume(&a, &b, &volume);
    assert_eq!(found, Bracket::OPEN);
}

/// Touching faces are a list, which may be too long.
#[test]
fn a_relation_without_room_for_its_list_is_unknown() {
    let cube = model(&noli::Mesh::cuboid(glam::DVec3::ONE).unwrap().into_solid());
    let (a, b) = (cube.at(Pose::IDENTITY), cube.at(Pose::IDENTITY));
    let mut scratch = Scratch::default();
    let mut ask =
        |bytes| QueryContext::new(&mut scratch).with_budget(Budget::default().memory(bytes)).relation(&a, &b);
    assert_eq!(ask(7), Relation::Unknown);
    assert_eq!(ask(1 << 20), Relation::Inside);
}

/// Pieces that were not cut to the end still hold the solid.
#[test]
fn a_decomposition_under_any_budget_holds_the_solid() {
    let ring = mesh(torus(1.0, 0.3, 24, 12)).into_solid();
    let query = DecompositionQuery { error: Some(0.05), pieces: 64 };
    let mut last = f64::INFINITY;
    for steps in [0, 10, 1000, 20_000, 10_000_000] {
        let found = convex_decomposition_within(&ring, &query, Budget::default().steps(steps)).unwrap();
        assert!(found.outside(ring.vertices().iter().copied()).is_empty(), "{steps}");
        assert!(found.error.at_most.is_finite() && found.error.at_least <= found.error.at_most, "{found:?}");
        last = found.error.at_most;
    }
    assert!(last <= 0.05, "{last}");
}
