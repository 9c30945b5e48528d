//! One walk on many threads.
//!
//! A walk that takes long is split into node pairs, in its own order. Threads walk on from each, and the results are
//! taken in that order. So an answer depends neither on the number of threads nor on their speed. Short walks stay on
//! one thread. So do walks with a budget of steps, which counts them in sequence.

use crate::budget::{Budget, Meter};
use crate::parallel;
use crate::tree::walk::{self, Ended, Item, NodeTest};
use noli_geom::Relation;
use std::ops::ControlFlow;

/// Steps of a walk before its rest is split: about a quarter of a millisecond.
const ALONE: u64 = 2048;
/// Node pairs into which the rest is split, at least.
const TASKS: usize = 4096;
/// Node pairs handed to the threads at a time.
const WINDOW: usize = 1024;
/// Intersecting faces that a task may hold; a task with more is walked again while its results are taken.
const HELD: usize = 1 << 12;

/// Runs `short` with a meter of few steps. `None` if the walk is longer: its list holds the rest.
pub(super) fn begin(meter: &mut Meter<'_>, short: impl FnOnce(&mut Meter<'_>) -> Ended) -> Option<Ended> {
    let mut few = meter.budget().steps(ALONE).meter();
    let ended = short(&mut few);
    meter.spend(few.taken());
    (ended != Ended::OutOfBudget || !meter.allows_more()).then_some(ended)
}

/// The rest of a walk that is split: its test, its list, and the cutoff of the walk so far.
pub(super) struct Rest<'r, P> {
    pub(super) test: &'r P,
    pub(super) list: &'r mut Vec<Item>,
    pub(super) cutoff: f32,
}

impl<P: NodeTest> Rest<'_, P> {
    /// Runs the rest: `run` on any thread, then `take` in the order of the walk. The list holds the node pairs that
    /// were not taken.
    pub(super) fn finish<R: Send>(
        self,
        meter: &mut Meter<'_>,
        run: impl Fn(&Item) -> R + Sync + Send,
        mut take: impl FnMut(&Item, R, &mut Meter<'_>) -> ControlFlow<Ended>,
    ) -> Ended {
        let Self { test, list, cutoff } = self;
        if !walk::split(test, list, cutoff, TASKS, meter) {
            return Ended::OutOfBudget;
        }
        while !list.is_empty() {
            let mut window = list.split_off(list.len().saturating_sub(WINDOW));
            window.reverse();
            let results = parallel::map_few(&window, &run);
            for (number, result) in results.into_iter().enumerate() {
                if let ControlFlow::Break(ended) = take(&window[number], result, meter) {
                    let untaken = number + usize::from(ended != Ended::OutOfBudget);
                    list.extend(window[untaken..].iter().rev());
                    return ended;
                }
            }
        }
        Ended::Exhausted
    }
}

/// Callback for a triangle of the pair's `a` and one of its `b` that share a point; the relation is `Touching`
/// or `Intersecting`. Intersections are rare, so this is a dynamic call and not another copy of the traversal.
pub(super) type Listener<'l> = dyn FnMut(u32, u32, Relation) -> ControlFlow<()> + 'l;

/// Ends the traversal at the callback's request.
pub(super) fn answered((): ()) -> Ended {
    Ended::Answered
}

/// A walk from the node pairs of a list that reports intersecting faces.
pub(super) type WalkFrom<'w> = dyn Fn(&mut Vec<Item>, &mut Meter<'_>, &mut Listener<'_>) -> Ended + Sync + 'w;

/// Reports intersecting faces in the order in which one walk reports them.
pub(super) fn meetings<P: NodeTest>(
    test: &P,
    list: &mut Vec<Item>,
    meter: &mut Meter<'_>,
    listener: &mut Listener<'_>,
    walk_from: &WalkFrom<'_>,
) -> Ended {
    if let Some(ended) = begin(meter, |few| walk_from(list, few, listener)) {
        return ended;
    }
    let budget = meter.budget();
    let run = |item: &Item| Task::run(item, &budget, walk_from);
    Rest { test, list, cutoff: f32::INFINITY }.finish(meter, run, |item, task, meter| {
        let Some(found) = task.found else {
            return match walk_from(&mut vec![*item], meter, listener) {
                Ended::Exhausted => ControlFlow::Continue(()),
                ended => ControlFlow::Break(ended),
            };
        };
        meter.spend(task.steps);
        found.into_iter().try_for_each(|(a, b, relation)| listener(a, b, relation)).map_break(answered)
    })
}

/// Result of the walk from one node pair.
struct Task {
    /// `None` if there were too many, or time ran out.
    found: Option<Vec<(u32, u32, Relation)>>,
    steps: u64,
}

impl Task {
    fn run(item: &Item, budget: &Budget<'_>, walk_from: &WalkFrom<'_>) -> Self {
        let held =
            budget.memory_limit().map_or(HELD, |bytes| bytes / WINDOW / size_of::<(u32, u32, Relation)>());
        let (mut found, most, mut meter) = (Vec::new(), HELD.min(held), budget.meter());
        let ended = walk_from(&mut vec![*item], &mut meter, &mut |a, b, relation| {
            found.push((a, b, relation));
            if found.len() <= most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        Self { found: (ended == Ended::Exhausted).then_some(found), steps: meter.taken() }
    }
}
