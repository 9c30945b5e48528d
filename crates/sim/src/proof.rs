//! Motion segments and the proof that they are collision-free.

use noli::answer::Overlap;
use noli::motion::Motion;
use noli::query::{ImpactQuery, Tolerance};
use noli::{Model, QueryContext, Scratch};
use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Runs a query with the scratch memory of this thread.
pub(crate) fn with_context<R>(question: impl FnOnce(&mut QueryContext<'_>) -> R) -> R {
    SCRATCH.with(|shared| match shared.try_borrow_mut() {
        Ok(mut scratch) => question(&mut QueryContext::new(&mut scratch)),
        Err(_) => question(&mut QueryContext::new(&mut Scratch::default())),
    })
}

/// Maximum number of steps of one proof. Longer proofs stop at the proven time, which bounds the running
/// time.
const MOST_STEPS: u64 = 300_000;

/// Share of the clearance that the deviation from straight lines may use up in one step of a proof.
const ROOM_FOR_BENDS: f64 = 0.5;
/// Spans into which a motion is divided at most for that.
const MOST_SPANS: f64 = 64.0;

/// A moving body.
pub(crate) type Mover<'a> = (&'a Model, &'a dyn Motion);

/// Distance to which two bodies may approach before they are tested again: their skin, or a part of the
/// remaining clearance. Bodies in contact need room to rotate a little; bodies that come nearer are lifted
/// back to the skin.
pub(crate) fn margin(clearance: Option<f64>, skin: f64) -> f64 {
    clearance.map_or(skin, |clearance| 0.5 * clearance.min(skin)).max(0.0)
}

/// Computes how far two bodies that are free at the start can move before they are nearer than their
/// [`margin`]. The result is a proven share of their motions; 1 if nothing obstructs them. If they are nearer
/// at the start, it is the share before they touch. `clearance` is that of bodies in contact.
pub(crate) fn free_until(a: Mover<'_>, b: Mover<'_>, clearance: Option<f64>, skin: f64) -> f64 {
    with_context(|context| {
        let margin = margin(clearance, skin);
        let spans = clearance.map_or(1.0, |clearance| spans(&[a, b], clearance - margin));
        let (a, b) = (a.0.moving(a.1), b.0.moving(b.1));
        let mut context = context.reborrow().with_budget(noli::Budget::default().steps(MOST_STEPS));
        let tolerance = Tolerance::Length(margin / 8.0);
        let mut free = 0.0;
        for number in 1..=spans as u32 {
            let end = f64::from(number) / spans;
            let query = ImpactQuery { span: (free, end), margin, tolerance };
            free = context.free_until(&a, &b, &query);
            if free < end {
                break;
            }
        }
        if free > 0.0
            || margin <= 0.0
            || context.within_distance(&a.at(0.0), &b.at(0.0), margin) == Overlap::Free
        {
            return free;
        }
        context.free_until(&a, &b, &ImpactQuery { tolerance, ..Default::default() })
    })
}

/// Bodies that slide along each other stay as near as they are: a step of a proof succeeds if points stray less from their
/// chords than there is room, and that grows with the square of its length. To try longer ones is in vain.
fn spans(bodies: &[Mover<'_>; 2], room: f64) -> f64 {
    let stray: f64 = bodies
        .iter()
        .map(|(model, motion)| {
            let cover = noli::seams::cover(model);
            let spheres = cover.iter().filter(|sphere| sphere.radius.is_finite());
            spheres.map(|sphere| motion.chord_deviation(sphere, 0.0, 1.0)).fold(0.0, f64::max)
        })
        .sum();
    let spans = (stray / (ROOM_FOR_BENDS * room)).sqrt().ceil();
    if spans >= 1.0 { spans.min(MOST_SPANS) } else { 1.0 }
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
