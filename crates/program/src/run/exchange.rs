//! Signals between programs that run at once: conservative discrete-event simulation (Chandy and Misra 1979, 1981).
//!
//! Every program has its own clock. An output set at a time is an input of the others [`LATENCY`] later. A program that
//! has to wait publishes the earliest time at which it may act; it continues once no other can send anything that would
//! arrive by then. The latency is positive, so the program with the least of these times always continues. The answers
//! do not depend on the order in which threads run. If none can ever act, the programs are in deadlock.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Time from an output of one program to the input of another, in seconds: one statement of a program.
pub const LATENCY: f64 = 1e-3;

/// Outputs of one program in the order of time.
#[derive(Debug, Default)]
struct Sent {
    times: Vec<f64>,
    by_signal: HashMap<u32, Vec<(f64, bool)>>,
}

impl Sent {
    /// State of a signal as others receive it at a time.
    fn received(&self, signal: u32, time: f64) -> bool {
        let changes = self.by_signal.get(&signal).map_or(&[][..], Vec::as_slice);
        let until = changes.partition_point(|change| change.0 + LATENCY <= time);
        until.checked_sub(1).and_then(|last| changes.get(last)).is_some_and(|change| change.1)
    }

    /// The first time after `time` at which others receive an output.
    fn next(&self, time: f64) -> f64 {
        let at = self.times.partition_point(|sent| sent + LATENCY <= time);
        self.times.get(at).map_or(f64::INFINITY, |sent| sent + LATENCY)
    }
}

#[derive(Debug)]
struct Member {
    /// No output of it will be set before this time, except in response to one of the others.
    acts: f64,
    ended: bool,
    sent: Sent,
}

/// The signals of several programs.
#[derive(Debug)]
pub(super) struct Exchange {
    members: Mutex<Vec<Member>>,
    changed: Condvar,
}

impl Exchange {
    pub(super) fn new(count: usize) -> Self {
        let member = || Member { acts: 0.0, ended: false, sent: Sent::default() };
        Self {
            members: Mutex::new(std::iter::repeat_with(member).take(count).collect()),
            changed: Condvar::new(),
        }
    }

    /// The connection of a program.
    pub(super) fn connect(&self, number: usize) -> Connection<'_> {
        Connection { exchange: self, number }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Member>> {
        // Every change of the members is complete when the lock is released, by a panic too.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program among the others; it has ended when this is dropped.
#[derive(Debug)]
pub(super) struct Connection<'e> {
    exchange: &'e Exchange,
    number: usize,
}

impl Connection<'_> {
    fn others<'m>(&self, members: &'m [Member]) -> impl Iterator<Item = &'m Member> {
        let number = self.number;
        members.iter().enumerate().filter(move |(other, _)| *other != number).map(|(_, member)| member)
    }

    /// Waits until no other program can send anything that arrives by the time of `acts`, which is evaluated again
    /// whenever something was sent; `None` if that time is infinite and no program can ever act.
    fn settle(&self, acts: impl Fn(&[Member]) -> f64) -> (MutexGuard<'_, Vec<Member>>, Option<f64>) {
        let mut members = self.exchange.lock();
        loop {
            let own = acts(&members);
            members[self.number].acts = own;
            self.exchange.changed.notify_all();
            let least = self.others(&members).map(|member| member.acts).fold(f64::INFINITY, f64::min);
            if least + LATENCY > own {
                return (members, Some(own));
            }
            if least == f64::INFINITY {
                return (members, None);
            }
            members = self.exchange.changed.wait(members).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns `true` if another program has set a signal that arrives by a time.
    pub(super) fn input(&self, signal: u32, time: f64) -> bool {
        let (members, _) = self.settle(|_| time);
        self.others(&members).any(|member| member.sent.received(signal, time))
    }

    /// Returns the time of the next change after a time: one of the others, or `own`, the first of this program's own
    /// inputs; `None` if there is none and no program can act any more.
    pub(super) fn next(&self, after: f64, own: f64) -> Option<f64> {
        self.settle(|members| self.others(members).map(|other| other.sent.next(after)).fold(own, f64::min)).1
    }

    /// Sends an output that has changed.
    pub(super) fn send(&self, signal: u32, on: bool, time: f64) {
        let mut members = self.exchange.lock();
        let sent = &mut members[self.number].sent;
        sent.times.push(time);
        sent.by_signal.entry(signal).or_default().push((time, on));
        // One that waits for ever may now act, before it has been scheduled to find that out.
        for (number, member) in members.iter_mut().enumerate() {
            if number != self.number && !member.ended {
                member.acts = member.acts.min(time + LATENCY);
            }
        }
        self.exchange.changed.notify_all();
    }

    /// Changes received until a time: when, which signal, on or off.
    pub(super) fn received(&self, until: f64) -> Vec<(f64, u32, bool)> {
        let (members, _) = self.settle(|_| until);
        let mut all = Vec::new();
        for (&signal, changes) in self.others(&members).flat_map(|other| &other.sent.by_signal) {
            let arrived = changes.iter().map(|&(time, on)| (time + LATENCY, signal, on));
            all.extend(arrived.take_while(|change| change.0 <= until));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        let mut members = self.exchange.lock();
        members[self.number].acts = f64::INFINITY;
        members[self.number].ended = true;
        self.exchange.changed.notify_all();
    }
}
