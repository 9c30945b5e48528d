//! A few long jobs, side by side.

use std::sync::{Mutex, PoisonError};

/// The answers to all items in their order, each item by itself, on as many threads as the current rayon pool has.
///
/// `noli::batch` hands out several together, which for few long jobs would not share them.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let slots: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    share(items.len(), &|number| {
        let done = work(&items[number]);
        *slots[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    });
    let answer = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    slots.into_iter().filter_map(answer).collect()
}

/// Runs `task` for all numbers below `count`. The threads are this call's own: a thread of the pool that waits takes up
/// other work, which may wait for what is being made here.
fn share(count: usize, task: &(dyn Fn(usize) + Sync)) {
    #[cfg(feature = "rayon")]
    if rayon::current_num_threads().min(count) > 1 {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let next = AtomicUsize::new(0);
        let take = || {
            let mut number = next.fetch_add(1, Ordering::Relaxed);
            while number < count {
                task(number);
                number = next.fetch_add(1, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            let threads = 1..rayon::current_num_threads().min(count);
            let others: Vec<_> = threads.map(|_| scope.spawn(take)).collect();
            take();
            for other in others {
                if let Err(panic) = other.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
        return;
    }
    (0..count).for_each(task);
}
