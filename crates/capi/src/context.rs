//! Query contexts: scratch memory, budgets, and the state of the last search.

use crate::border::{Answer, ErrorCode, Failure, Out, border, place};
use crate::clock::SystemClock;
use crate::table::{Kind, Table};
use crate::values::{ContextHandle, non_negative};
use noli::query::Clock;
use noli::{Budget, Hint, QueryContext, Scratch};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Context {
    cancelled: AtomicBool,
    /// Steps of the last query.
    steps: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    scratch: Scratch,
    hint: Hint,
    steps: Option<u64>,
    time: Option<Duration>,
}

static CONTEXTS: Table<Arc<Context>> = Table::new(Kind::Context);

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Runs a query in a context; number 0 is the unlimited one of this thread.
pub(crate) fn ask<R>(context: ContextHandle, query: impl FnOnce(&mut QueryContext<'_>) -> R) -> Answer<R> {
    if context.id == 0 {
        return Ok(SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
            Ok(mut scratch) => query(&mut QueryContext::new(&mut scratch)),
            Err(_) => query(&mut QueryContext::new(&mut Scratch::default())),
        }));
    }
    let context = CONTEXTS.get(context.id)?;
    with_state(&context, |state| {
        let clock = state.time.map(|_| SystemClock::start());
        let budget = limits(&context, state, clock.as_ref());
        let mut ask = QueryContext::new(&mut state.scratch).with_budget(budget).with_hint(&mut state.hint);
        let answer = query(&mut ask);
        context.steps.store(ask.steps(), Ordering::Relaxed);
        answer
    })
}

/// Returns the budget of a context for a query that makes its own memory.
pub(crate) fn budget<R>(context: ContextHandle, query: impl FnOnce(Budget<'_>) -> R) -> Answer<R> {
    if context.id == 0 {
        return Ok(query(Budget::UNLIMITED));
    }
    let context = CONTEXTS.get(context.id)?;
    with_state(&context, |state| {
        let clock = state.time.map(|_| SystemClock::start());
        query(limits(&context, state, clock.as_ref()))
    })
}

/// Returns the budget that the caller set; `clock` has started if there is a limit on time.
fn limits<'a>(context: &'a Context, state: &State, clock: Option<&'a SystemClock>) -> Budget<'a> {
    let mut budget = Budget::default().cancelled_by(&context.cancelled);
    if let Some(steps) = state.steps {
        budget = budget.steps(steps);
    }
    if let (Some(time), Some(clock)) = (state.time, clock) {
        budget = budget.until(clock.now() + time, clock);
    }
    budget
}

fn with_state<R>(context: &Context, work: impl FnOnce(&mut State) -> R) -> Answer<R> {
    match context.state.try_lock() {
        Ok(mut state) => Ok(work(&mut state)),
        // A query panicked: its scratch memory may be in any state.
        Err(TryLockError::Poisoned(poisoned)) => {
            let mut state = poisoned.into_inner();
            let State { steps, time, .. } = *state;
            *state = State { steps, time, ..State::default() };
            context.state.clear_poison();
            Ok(work(&mut state))
        }
        Err(TryLockError::WouldBlock) => Err(Failure::new(
            ErrorCode::Busy,
            "the context is in use by another thread; give each thread its own, or number 0",
        )),
    }
}

/// Creates a context without limits.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_new(out: Out<'_, ContextHandle>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        out.write(ContextHandle { id: CONTEXTS.insert(Arc::default())? });
        Ok(())
    })
}

/// Limits the steps of each query; 0 removes the limit.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_set_steps(context: ContextHandle, steps: u64) -> ErrorCode {
    border(|| with_state(&*CONTEXTS.get(context.id)?, |state| state.steps = Some(steps).filter(|&s| s > 0)))
}

/// Limits the time of each query, in seconds; infinity removes the limit.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_set_seconds(context: ContextHandle, seconds: f64) -> ErrorCode {
    border(|| {
        let seconds = non_negative(seconds, "seconds")?;
        let time = Duration::try_from_secs_f64(seconds).ok();
        with_state(&*CONTEXTS.get(context.id)?, |state| state.time = time)
    })
}

/// Makes running and later queries of the context end as undecided, from any thread; 0 permits them again.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_cancel(context: ContextHandle, cancelled: i32) -> ErrorCode {
    border(|| {
        CONTEXTS.get(context.id)?.cancelled.store(cancelled != 0, Ordering::Relaxed);
        Ok(())
    })
}

/// Returns the steps that the last query took.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_steps(context: ContextHandle, out: Out<'_, u64>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        out.write(CONTEXTS.get(context.id)?.steps.load(Ordering::Relaxed));
        Ok(())
    })
}

/// Frees a context.
#[unsafe(no_mangle)]
pub extern "C" fn noli_context_free(context: ContextHandle) -> ErrorCode {
    border(|| CONTEXTS.remove(context.id).map(drop))
}
