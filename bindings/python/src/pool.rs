//! Threads, and work in chunks between which Ctrl-C is heard.

use noli::{Ask, Scratch, batch};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

struct Pool {
    process: u32,
    threads: usize,
    pool: Arc<ThreadPool>,
}

/// Pools by number of threads. A forked process inherits the list, but not the threads: it makes its own.
static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = match threads {
        Some(0) => {
            return Err(PyValueError::new_err("threads must be at least 1, or None for all processors"));
        }
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = pools.iter().find(|known| known.process == process && known.threads == threads) {
        return Ok(known.pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    pools.push(Pool { process, threads, pool: pool.clone() });
    Ok(pool)
}

/// Work without the interpreter, on this many threads; all processors for `None`.
pub(crate) fn on_threads<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

/// Questions that are not worth handing to other threads.
const FEW: usize = 16;

/// How long a chunk may take before Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(100);

/// Asks one question of each of `count` items: `read` makes the items of a chunk, `write` takes the answers, in
/// order. Answers do not depend on threads or chunks.
pub(crate) fn ask_all<T: Send + Sync, R: Clone + Send>(
    py: Python<'_>,
    threads: Option<usize>,
    count: usize,
    mut read: impl FnMut(Range<usize>) -> PyResult<Vec<T>>,
    blank: R,
    question: impl Fn(&T, &mut Ask<'_>) -> R + Send + Sync,
    mut write: impl FnMut(usize, &[R]) -> PyResult<()>,
) -> PyResult<()> {
    let pool = if count <= FEW && threads != Some(0) { None } else { Some(pool(threads)?) };
    let (mut start, mut size) = (0, 4096);
    while start < count {
        let end = count.min(start + size);
        let items = read(start..end)?;
        let mut answers = vec![blank.clone(); items.len()];
        let begun = Instant::now();
        py.detach(|| match &pool {
            Some(pool) => {
                let asked = pool.install(|| batch(&items, &mut answers, &question));
                debug_assert!(asked.is_ok(), "as many answers as questions");
            }
            None => SCRATCH.with_borrow_mut(|scratch| {
                for (item, answer) in items.iter().zip(&mut answers) {
                    *answer = question(item, &mut Ask::new(scratch));
                }
            }),
        });
        write(start, &answers)?;
        py.check_signals()?;
        size = if begun.elapsed() > PATIENCE { (size / 2).max(64) } else { (2 * size).min(1 << 16) };
        start = end;
    }
    Ok(())
}
