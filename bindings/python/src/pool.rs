//! Threads, and long work in parts, between which Ctrl-C is checked.

use crate::error::caught;
use crate::kind::{Given, Kind};
use noli::{QueryContext, Scratch, batch};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

struct Pool {
    threads: usize,
    pool: Arc<ThreadPool>,
}

/// The pools of one process, by number of threads.
struct ProcessPools {
    process: AtomicU32,
    pools: Mutex<Vec<Pool>>,
}

/// A forked process inherits these, but not the threads, and perhaps a lock that nobody will release: it takes an entry
/// that none of its ancestors used. Processes of more generations make a pool for every call.
static POOLS: [ProcessPools; 32] =
    [const { ProcessPools { process: AtomicU32::new(0), pools: Mutex::new(Vec::new()) } }; 32];

fn own_pools() -> Option<&'static Mutex<Vec<Pool>>> {
    let own = std::process::id();
    let taken = |entry: &&ProcessPools| match entry.process.compare_exchange(
        0,
        own,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        Ok(_) => true,
        Err(other) => other == own,
    };
    let known = POOLS.iter().find(|entry| entry.process.load(Ordering::Acquire) == own);
    known.or_else(|| POOLS.iter().find(taken)).map(|entry| &entry.pools)
}

fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = match threads {
        Some(0) => {
            return Err(PyValueError::new_err("threads must be at least 1, or None for all CPUs"));
        }
        Some(threads) => threads,
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let make = || {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(Arc::new).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    };
    let Some(pools) = own_pools() else { return make() };
    let mut pools = pools.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = pools.iter().find(|known| known.threads == threads) {
        return Ok(known.pool.clone());
    }
    let pool = make()?;
    pools.push(Pool { threads, pool: pool.clone() });
    Ok(pool)
}

/// Work without the interpreter, on this many threads; all CPUs for `None`.
pub(crate) fn on_threads<R: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    let pool = pool(threads)?;
    py.detach(|| caught(|| pool.install(work)))
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
            let found = caught(|| pool.install(|| work(&stop)));
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
        found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Work without the interpreter, on the calling thread.
pub(crate) fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| caught(work))
}

/// Runs one query, without the interpreter, on the calling thread.
pub(crate) fn alone<R: Send>(
    py: Python<'_>,
    question: impl FnOnce(&mut QueryContext<'_>) -> R + Send,
) -> PyResult<R> {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
    }
    detached(py, || SCRATCH.with_borrow_mut(|scratch| question(&mut QueryContext::new(scratch))))
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
                let done = detached(py, || pool.install(|| batch(&items, &mut answers, &question)))?;
                debug_assert!(done.is_ok(), "as many answers as queries");
            }
            None => alone(py, |ask| {
                items.iter().zip(&mut answers).for_each(|(item, answer)| *answer = question(item, ask));
            })?,
        }
        kind.put(&mut arrays, start, &answers)?;
        py.check_signals()?;
        size = if begun.elapsed() > PATIENCE { (size / 2).max(64) } else { (2 * size).min(1 << 16) };
        start = end;
    }
    kind.whole(py, arrays)
}
