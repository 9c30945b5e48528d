//! External signals, driven by the clock, by outputs, and by the poses of parts.

use super::CellHost;
use crate::run::work::SignalSource;
use crate::run::{PartLocation, SignalChange};
use noli::answer::Overlap;
use noli::overlap;

/// Sampling period of sensors, in seconds.
const SCAN: f64 = 0.01;

impl CellHost<'_> {
    fn source(&self, number: usize, time: f64) -> bool {
        match &self.work.signals[number].source {
            SignalSource::Constant(on) => *on,
            SignalSource::Timed(changes) => {
                let until = changes.partition_point(|change| change.0 <= time);
                until.checked_sub(1).and_then(|last| changes.get(last)).is_some_and(|change| change.1)
            }
            SignalSource::Follows { output, delay, inverted } => {
                let changes = self.outputs.get(output).map_or(&[][..], Vec::as_slice);
                let until = changes.partition_point(|change| change.0 + delay <= time);
                let last = until.checked_sub(1).and_then(|last| changes.get(last));
                last.is_some_and(|change| change.1) != *inverted
            }
            SignalSource::Sees { zone, place } => {
                let zone = zone.at(*place);
                let mut carrier = None;
                self.parts.iter().zip(&self.work.loose).any(|(at, part)| {
                    let pose = match at {
                        PartLocation::Stands(pose) => *pose,
                        PartLocation::Held(link_from_part) => {
                            let link = self.work.grasp.as_ref().map_or(self.work.flange, |g| g.link);
                            let carrier =
                                carrier.get_or_insert_with(|| self.link_pose(&self.values_at(time), link));
                            *carrier * *link_from_part
                        }
                    };
                    overlap(&part.model.at(pose), &zone) == Overlap::Hit
                })
            }
        }
    }

    /// Notes inputs that have changed.
    pub(super) fn look(&mut self, time: f64) {
        for number in 0..self.inputs.len() {
            let on = self.source(number, time);
            if on != self.inputs[number] {
                self.inputs[number] = on;
                let signal = self.work.signals[number].number;
                self.run.signals.push(SignalChange { time, signal, on, output: false });
            }
        }
    }

    /// Returns the next possible change of an input.
    pub(super) fn next_change(&self, after: f64) -> Option<f64> {
        let mut next = f64::INFINITY;
        let moving = self.held().is_some() && self.run.driven.last().is_some_and(|d| d.end() > after);
        for signal in &self.work.signals {
            match &signal.source {
                SignalSource::Constant(_) => {}
                SignalSource::Timed(changes) => {
                    let at = changes.partition_point(|change| change.0 <= after);
                    next = changes.get(at).map_or(next, |change| next.min(change.0));
                }
                SignalSource::Follows { output, delay, .. } => {
                    let changes = self.outputs.get(output).map_or(&[][..], Vec::as_slice);
                    let at = changes.partition_point(|change| change.0 + delay <= after);
                    next = changes.get(at).map_or(next, |change| next.min(change.0 + delay));
                }
                SignalSource::Sees { .. } if moving => next = next.min(after + SCAN),
                SignalSource::Sees { .. } => {}
            }
        }
        next.is_finite().then_some(next)
    }
}
