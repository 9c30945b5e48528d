//! Threads, where the `rayon` feature is on; the same results in the same order without.

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Number of short tasks that are worth passing to another thread together.
#[cfg(feature = "rayon")]
const PIECE: usize = 256;

/// `items.map(f)`, in order.
#[cfg(feature = "rayon")]
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < 2 * PIECE {
        return items.iter().map(f).collect();
    }
    items.par_iter().with_min_len(PIECE).map(f).collect()
}

/// `items.map(f)`, in order.
#[cfg(not(feature = "rayon"))]
pub(crate) fn map<T, R>(items: &[T], f: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(f).collect()
}

/// Applies `f` to chunks of the items, in order: a single chunk if there are few items or no threads.
pub(crate) fn map_pieces<T: Sync, R: Send>(items: &[T], f: impl Fn(&[T]) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if items.len() >= 2 * PIECE {
        return items.par_chunks(PIECE).map(f).collect();
    }
    vec![f(items)]
}

/// `items.map(f)`, in order, for few items that each take long.
#[cfg(feature = "rayon")]
pub(crate) fn map_few<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if items.len() < 2 {
        return items.iter().map(f).collect();
    }
    items.par_iter().map(f).collect()
}

/// `items.map(f)`, in order, for few items that each take long.
#[cfg(not(feature = "rayon"))]
pub(crate) fn map_few<T, R>(items: &[T], f: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(f).collect()
}

/// `f` on every item.
#[cfg(feature = "rayon")]
pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Sync + Send) {
    items.par_iter_mut().for_each(f);
}

/// `f` on every item.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each_mut<T>(items: &mut [T], f: impl Fn(&mut T)) {
    items.iter_mut().for_each(f);
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
