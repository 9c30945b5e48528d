//! Pieces of motion and the proof that they are free.

use noli::answer::Overlap;
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

/// How much of what is between bodies the deviation from straight lines may use up in one step of a proof.
const ROOM_FOR_BENDS: f64 = 0.5;
/// Spans into which a motion is divided at most for that.
const MOST_SPANS: f64 = 64.0;

/// A body on its way.
pub(crate) type Mover<'a> = (&'a Model, &'a dyn Motion);

/// How near two bodies may come before they are looked at again: their skin, or a part of the gap that is left of it. Bodies that
/// lie against each other need room to turn a little, and what comes nearer is lifted back to the skin.
pub(crate) fn margin(gap: Option<f64>, skin: f64) -> f64 {
    gap.map_or(skin, |gap| 0.5 * gap.min(skin)).max(0.0)
}

/// How far two bodies that are free at the start can move before they are nearer than their [`margin`], as a share of their
/// motions, proven; 1 where nothing is in the way. Where they are nearer at the start, how far before they touch. `gap` is
/// that of bodies that lie against each other.
pub(crate) fn free_until(a: Mover<'_>, b: Mover<'_>, gap: Option<f64>, skin: f64) -> f64 {
    with_ask(|ask| {
        let margin = margin(gap, skin);
        let spans = gap.map_or(1.0, |gap| spans(&[a, b], gap - margin));
        let (a, b) = (a.0.moving(a.1), b.0.moving(b.1));
        let mut ask = ask.anew().within(noli::Budget::default().steps(MOST_STEPS));
        let tolerance = Tolerance::Length(margin / 8.0);
        let mut free = 0.0;
        for number in 1..=spans as u32 {
            let end = f64::from(number) / spans;
            let query = ImpactQuery { span: (free, end), margin, tolerance };
            free = ask.free_until(&a, &b, &query);
            if free < end {
                break;
            }
        }
        if free > 0.0 || margin <= 0.0 || ask.closer_than(&a.at(0.0), &b.at(0.0), margin) == Overlap::Free {
            return free;
        }
        ask.free_until(&a, &b, &ImpactQuery { tolerance, ..Default::default() })
    })
}

/// Bodies that slide along each other stay as near as they are: a step of a proof succeeds if points stray less from their
/// chords than there is room, and that grows with the square of its length. To try longer ones is in vain.
fn spans(bodies: &[Mover<'_>; 2], room: f64) -> f64 {
    let stray: f64 = bodies
        .iter()
        .map(|(model, motion)| {
            let cover = noli::seams::cover(model);
            let balls = cover.iter().filter(|ball| ball.radius.is_finite());
            balls.map(|ball| motion.chord_deviation(ball, 0.0, 1.0)).fold(0.0, f64::max)
        })
        .sum();
    let spans = (stray / (ROOM_FOR_BENDS * room)).sqrt().ceil();
    if spans >= 1.0 { spans.min(MOST_SPANS) } else { 1.0 }
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
