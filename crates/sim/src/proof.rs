//! Pieces of motion and the proof that they are free.

use noli::answer::Impact;
use noli::motion::Motion;
use noli::query::{ImpactQuery, Tolerance};
use noli::{Ask, Model, Scratch};
use noli_geom::Aabb;
use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Ask with memory that this thread keeps.
pub(crate) fn with_ask<R>(question: impl FnOnce(&mut Ask<'_>) -> R) -> R {
    SCRATCH.with(|shared| match shared.try_borrow_mut() {
        Ok(mut scratch) => question(&mut Ask::new(&mut scratch)),
        Err(_) => question(&mut Ask::new(&mut Scratch::default())),
    })
}

/// Steps of one proof at most: what needs more is stopped where it is proven, so that nothing hangs.
const MOST_STEPS: u64 = 300_000;

/// How far two motions are proven free, as a share of them, and whether they are stopped by nearness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Free {
    /// 1 where nothing is in the way.
    pub(crate) until: f64,
    /// Whether the bodies are nearer than the margin at the start already.
    pub(crate) at_start: bool,
}

/// How near two bodies may come before they are looked at again: their skin, or a part of the gap that is left of it. Bodies that
/// lie against each other need room to turn a little, and what comes nearer is lifted back to the skin.
pub(crate) fn margin(gap: Option<f64>, skin: f64) -> f64 {
    gap.map_or(skin, |gap| 0.5 * gap.min(skin)).max(0.0)
}

/// How far two bodies can move before they are nearer than `margin`, proven. Where they are nearer at the start, how far
/// before they touch.
pub(crate) fn free_until(a: (&Model, &dyn Motion), b: (&Model, &dyn Motion), margin: f64) -> Free {
    with_ask(|ask| {
        let (a, b) = (a.0.moving(a.1), b.0.moving(b.1));
        let budget = noli::Budget::default().steps(MOST_STEPS);
        let mut ask = ask.anew().within(budget);
        let tolerance = Tolerance::Length(margin / 8.0);
        let mut at_start = false;
        for margin in [margin, 0.0] {
            let query = ImpactQuery { margin, tolerance, ..Default::default() };
            let until = match ask.time_of_impact(&a, &b, &query) {
                Impact::Free => 1.0,
                Impact::At { time, .. } => time.safe_until,
                Impact::Unknown { safe_until } => safe_until,
                Impact::AtStart(_) => {
                    at_start = true;
                    continue;
                }
            };
            return Free { until, at_start };
        }
        Free { until: 0.0, at_start: true }
    })
}

/// Pairs of boxes that overlap, each `(i, k)` with `i < k`, in order; by sorting along x.
pub(crate) fn overlapping(boxes: &[Aabb]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..boxes.len()).filter(|&k| !boxes[k].is_empty()).collect();
    order.sort_by(|&i, &k| boxes[i].min.x.total_cmp(&boxes[k].min.x).then(i.cmp(&k)));
    let mut pairs = Vec::new();
    for (place, &i) in order.iter().enumerate() {
        for &k in &order[place + 1..] {
            if boxes[k].min.x > boxes[i].max.x {
                break;
            }
            if boxes[i].overlaps(&boxes[k]) {
                pairs.push((i.min(k), i.max(k)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// `items.map(f)`, in order, on the current pool of threads where there is more than one item.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if items.len() > 1 {
        use rayon::prelude::*;
        return items.par_iter().map(f).collect();
    }
    items.iter().map(f).collect()
}
