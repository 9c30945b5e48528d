//! Threads, and long work in parts, between which Ctrl-C is checked.

use crate::kind::{Given, Kind};
use noli::{QueryContext, Scratch, batch};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
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
            return Err(PyValueError::new_err("threads must be at least 1, or None for all CPUs"));
        }
        Some(threads) => threads,
        None => thread::available_parallelism().map_or(1, usize::from),
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

/// Work without the interpreter, on this many threads; all CPUs for `None`.
pub(crate) fn on_threads<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

/// Duration of work between checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(100);

/// The same for indivisible work that can be cancelled: Ctrl-C cancels it, and its result is dropped.
pub(crate) fn until_interrupted<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&AtomicBool) -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    let (stop, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let caller = thread::current();
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let found = pool.install(|| work(&stop));
            done.store(true, Ordering::Release);
            caller.unpark();
            found
        });
        let mut signal = Ok(());
        while signal.is_ok() && !done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(PATIENCE));
            signal = py.check_signals();
        }
        stop.store(signal.is_err(), Ordering::Relaxed);
        let found = py.detach(|| worker.join());
        signal?;
        found.map_err(|_| PyRuntimeError::new_err("internal error: the library panicked"))
    })
}

/// Runs one query, without the interpreter, on the calling thread.
pub(crate) fn alone<R: Send>(py: Python<'_>, question: impl FnOnce(&mut QueryContext<'_>) -> R + Send) -> R {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
    }
    py.detach(|| SCRATCH.with_borrow_mut(|scratch| question(&mut QueryContext::new(scratch))))
}

/// Questions that are not worth handing to other threads.
const FEW: usize = 16;

/// Row count, output and threads of a batch.
pub(crate) struct Rows<'a, 'py> {
    pub(crate) count: usize,
    pub(crate) out: Given<'a, 'py>,
    pub(crate) threads: Option<usize>,
}

/// Runs one query for every row: `read` creates the query objects of a range of rows. Answers do not depend on
/// threads or chunks.
pub(crate) fn ask_all<'py, T: Send + Sync, K: Kind<'py>>(
    py: Python<'py>,
    kind: &K,
    rows: &Rows<'_, 'py>,
    mut read: impl FnMut(Range<usize>) -> PyResult<Vec<T>>,
    question: impl Fn(&T, &mut QueryContext<'_>) -> K::Answer + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let count = rows.count;
    let mut arrays = kind.arrays(py, rows.out, count)?;
    let pool = if count <= FEW && rows.threads != Some(0) { None } else { Some(pool(rows.threads)?) };
    let (mut start, mut size) = (0, 4096);
    while start < count {
        let end = count.min(start + size);
        let items = read(start..end)?;
        let mut answers = vec![kind.blank(); items.len()];
        let begun = Instant::now();
        match &pool {
            Some(pool) => {
                let done = py.detach(|| pool.install(|| batch(&items, &mut answers, &question)));
                debug_assert!(done.is_ok(), "as many answers as queries");
            }
            None => alone(py, |ask| {
                items.iter().zip(&mut answers).for_each(|(item, answer)| *answer = question(item, ask));
            }),
        }
        kind.put(&mut arrays, start, &answers)?;
        py.check_signals()?;
        size = if begun.elapsed() > PATIENCE { (size / 2).max(64) } else { (2 * size).min(1 << 16) };
        start = end;
    }
    kind.whole(py, arrays)
}
