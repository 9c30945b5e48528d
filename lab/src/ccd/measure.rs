//! Answers and times of one method on one file.

use super::inputs::Input;
use super::method::{Answer, Asker};
use std::time::Instant;

/// Number of runs of each query; its time is the median.
const PASSES: usize = 5;

/// Results of one method on one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) truth: Vec<bool>,
    pub(super) answers: Vec<AnswerAndTime>,
    /// The reference times of the queries that touch.
    pub(super) latest: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerAndTime {
    pub(super) answer: Answer,
    pub(super) micros: f64,
}

/// Runs each query of a file.
pub(super) fn ours(input: &Input, asker: &Asker) -> Tally {
    // One pass to warm up.
    for pair in &input.pairs {
        std::hint::black_box(asker.ask(pair));
    }
    let mut answers = Vec::with_capacity(input.pairs.len());
    for pair in &input.pairs {
        let mut times = [0.0; PASSES];
        let mut answer = Answer::FREE;
        for time in &mut times {
            let start = Instant::now();
            answer = std::hint::black_box(asker.ask(std::hint::black_box(pair)));
            *time = start.elapsed().as_secs_f64() * 1e6;
        }
        times.sort_by(f64::total_cmp);
        answers.push(AnswerAndTime { answer, micros: times[PASSES / 2] });
    }
    Tally::new(input, answers)
}

impl Tally {
    pub(super) fn new(input: &Input, answers: Vec<AnswerAndTime>) -> Self {
        Self { truth: input.truth.clone(), answers, latest: input.latest.clone() }
    }

    pub(super) fn merged<'a>(tallies: impl IntoIterator<Item = &'a Tally>) -> Self {
        let mut all = Self::default();
        for tally in tallies {
            all.truth.extend(&tally.truth);
            all.answers.extend(&tally.answers);
            all.latest.extend(&tally.latest);
        }
        all
    }

    fn judged(&self) -> impl Iterator<Item = (bool, &Answer, f64)> {
        let answers = self.answers.iter().map(|a| &a.answer);
        self.truth.iter().copied().zip(answers).zip(&self.latest).map(|((t, a), l)| (t, a, *l))
    }

    pub(super) fn queries(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn contacts(&self) -> usize {
        self.truth.iter().filter(|touching| **touching).count()
    }

    pub(super) fn misses(&self) -> usize {
        self.judged().filter(|(truth, answer, _)| *truth && !answer.hit).count()
    }

    pub(super) fn false_alarms(&self) -> usize {
        self.judged().filter(|(truth, answer, _)| !truth && answer.hit).count()
    }

    /// Contacts reported after they happened.
    pub(super) fn late(&self) -> usize {
        self.judged()
            .filter(|(truth, answer, latest)| *truth && answer.hit && answer.safe_until > *latest)
            .count()
    }

    /// Contacts whose reference time lies in a bracket of at most this width.
    pub(super) fn bracketed(&self, width: f64) -> usize {
        let good = |answer: &Answer, latest: f64| {
            // The reference is an upper end, within a last place or so.
            let reached = latest <= answer.touching_by * (1.0 + 1e-11) + f64::MIN_POSITIVE;
            answer.hit && reached && answer.touching_by - answer.safe_until <= width
        };
        self.judged().filter(|(truth, answer, latest)| *truth && good(answer, *latest)).count()
    }

    /// The widest bracket of a contact.
    pub(super) fn widest(&self) -> f64 {
        let hits = self.judged().filter(|(truth, answer, _)| *truth && answer.hit);
        hits.map(|(_, answer, _)| answer.touching_by - answer.safe_until).fold(0.0, f64::max)
    }

    pub(super) fn mean(&self) -> f64 {
        self.answers.iter().map(|a| a.micros).sum::<f64>() / self.queries().max(1) as f64
    }

    pub(super) fn median(&self) -> f64 {
        let mut times: Vec<f64> = self.answers.iter().map(|a| a.micros).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(0.0)
    }

    pub(super) fn max(&self) -> f64 {
        self.answers.iter().map(|a| a.micros).fold(0.0, f64::max)
    }
}
