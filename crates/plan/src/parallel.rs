//! Threads, where the `rayon` feature is on; the same results in the same order without.

/// `items.map(f)`, in order, on all threads.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.par_iter().map(f).collect()
    }
    #[cfg(not(feature = "rayon"))]
    items.iter().map(f).collect()
}
