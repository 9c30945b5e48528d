//! A few long jobs, side by side.

/// The answers to all items in their order, each item by itself on any thread of the current rayon pool.
/// `noli::batch` hands out several together, which for few long jobs would not share them.
#[cfg(feature = "rayon")]
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    items.par_iter().with_max_len(1).map(work).collect()
}

#[cfg(not(feature = "rayon"))]
pub(crate) fn each<T, R>(items: &[T], work: impl Fn(&T) -> R) -> Vec<R> {
    items.iter().map(work).collect()
}
