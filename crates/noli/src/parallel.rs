//! Threads, where the `rayon` feature is on; the same results in the same order without. What takes the threads of a pool is
//! compiled once, not for every task.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of short tasks that are worth passing to another thread together.
const PIECE: usize = 256;

/// Runs `task` for all numbers below `count`.
fn for_numbers(count: usize, task: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "rayon")]
    if count > 1 {
        use rayon::prelude::*;
        return (0..count).into_par_iter().for_each(task);
    }
    (0..count).for_each(task);
}

/// No task is run after one has panicked.
fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `items.map(f)`, in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let mut pieces = map_pieces(items, |piece| piece.iter().map(&f).collect::<Vec<R>>()).into_iter();
    let mut answers = pieces.next().unwrap_or_default();
    answers.reserve(items.len() - answers.len());
    pieces.for_each(|piece| answers.extend(piece));
    answers
}

/// Applies `f` to chunks of the items, in order: a single chunk if there are few items or no threads.
pub(crate) fn map_pieces<T: Sync, R: Send>(items: &[T], f: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
    if cfg!(not(feature = "rayon")) || items.len() < 2 * PIECE {
        return vec![f(items)];
    }
    let pieces: Vec<&[T]> = items.chunks(PIECE).collect();
    map_few(&pieces, |piece| f(piece))
}

/// `items.map(f)`, in order, for few items that each take long.
pub(crate) fn map_few<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    for_numbers(items.len(), &|k| *lock(&slots[k]) = Some(f(&items[k])));
    let answer = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    slots.into_iter().filter_map(answer).collect()
}

/// `f` on every item.
pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Sync) {
    let items: Vec<Mutex<&mut T>> = items.iter_mut().map(Mutex::new).collect();
    for_numbers(items.len(), &|k| f(&mut lock(&items[k])));
}

/// Work that maps again and again, on a thread of the pool: handed over once, not each time.
#[cfg(feature = "rayon")]
pub(crate) fn on_pool<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::scope(|_| work())
}

/// Work that maps again and again.
#[cfg(not(feature = "rayon"))]
pub(crate) fn on_pool<R>(work: impl FnOnce() -> R) -> R {
    work()
}
