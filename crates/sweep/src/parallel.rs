//! Jobs on all threads, with the `rayon` feature on as many as the current pool has.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The answers to all items in their order. Every thread has a worker of its own.
pub(crate) fn each<T: Sync, R: Send, W>(
    items: &[T],
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let mut own = worker();
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&k| k < items.len()) {
            let done = work(&mut own, &items[number]);
            *slots[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }
    };
    let threads = threads().min(items.len());
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        take();
        for other in others {
            if let Err(panic) = other.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
    let answer = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    slots.into_iter().filter_map(answer).collect()
}

fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}
