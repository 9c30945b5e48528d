//! Times and answers of one engine on a list of poses.

use std::hint::black_box;
use std::time::Instant;

/// An answer as a bracket; verdicts and counts have two equal ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) at_least: f64,
    pub(super) at_most: f64,
}

impl Answer {
    pub(super) fn exactly(value: f64) -> Self {
        Self { at_least: value, at_most: value }
    }
}

/// One answer and one time, in microseconds, for each pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub(super) answers: Vec<Answer>,
    pub(super) micros: Vec<f64>,
}

/// Results of another engine on contacts with given times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dated {
    pub(super) contacts: usize,
    pub(super) missed: usize,
    /// By more than a thousandth of the motion.
    pub(super) late: usize,
    /// Likewise; contacts that there are not among them.
    pub(super) early: usize,
}

impl Samples {
    /// The protocol of the peers: a pass to warm up, then timed passes; the median of each pose. Passes
    /// rather than repetitions in place: a query finds the caches as its neighbours left them.
    pub(super) fn of<T>(items: &[T], passes: usize, mut ask: impl FnMut(&T) -> Answer) -> Self {
        let mut answers: Vec<Answer> = items.iter().map(&mut ask).collect();
        let mut times = vec![Vec::with_capacity(passes); items.len()];
        for _ in 0..passes {
            for (i, item) in items.iter().enumerate() {
                let (answer, micros) = timed(|| ask(black_box(item)));
                answers[i] = answer;
                times[i].push(micros);
            }
        }
        Self { answers, micros: times.into_iter().map(median).collect() }
    }

    /// Computes the median over rounds of each pose; `None` without rounds. All rounds have the same poses.
    pub(super) fn merged(rounds: Vec<Self>) -> Option<Self> {
        let answers = rounds.last()?.answers.clone();
        let count = rounds.iter().map(Self::len).min()?;
        let of_pose = |i| median(rounds.iter().map(|round| round.micros[i]).collect());
        Some(Self { answers, micros: (0..count).map(of_pose).collect() })
    }

    pub(super) fn len(&self) -> usize {
        self.micros.len()
    }

    /// Returns the first poses only, for comparison with an engine that ran fewer.
    pub(super) fn first(&self, count: usize) -> Self {
        let count = count.min(self.len());
        Self {
            answers: self.answers.iter().take(count).copied().collect(),
            micros: self.micros[..count].to_vec(),
        }
    }

    pub(super) fn median(&self) -> f64 {
        median(self.micros.clone())
    }

    pub(super) fn mean(&self) -> f64 {
        self.micros.iter().sum::<f64>() / self.len() as f64
    }

    /// Compares the other's times of impact with ours; 2 means none.
    pub(super) fn dated_by(&self, other: &Self) -> Dated {
        let mut dated = Dated::default();
        for (ours, theirs) in self.answers.iter().zip(&other.answers) {
            let time = theirs.at_least;
            dated.contacts += usize::from(ours.at_most <= 1.0);
            dated.missed += usize::from(ours.at_most <= 1.0 && time > 1.0);
            dated.late += usize::from(time <= 1.0 && time > ours.at_most + 1e-3);
            dated.early += usize::from(time < ours.at_least - 1e-3);
        }
        dated
    }

    /// On how many poses the other's answer lies outside our bracket by more than `tolerance`.
    pub(super) fn disagreements(&self, other: &Self, tolerance: f64) -> usize {
        let agree = |(ours, theirs): &(&Answer, &Answer)| {
            ours.at_least - tolerance <= theirs.at_least && theirs.at_most <= ours.at_most + tolerance
        };
        self.answers.iter().zip(&other.answers).filter(|pair| !agree(pair)).count()
    }
}

/// Returns the result of `work`, and its microseconds.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = black_box(work());
    (result, start.elapsed().as_secs_f64() * 1e6)
}

/// The middle value; of an even number the mean of the two in the middle. NaN for none.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[half],
        _ => (values[half - 1] + values[half]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn a_value_outside_the_bracket_disagrees() {
        let samples = |answer| Samples { answers: vec![answer], micros: vec![1.0] };
        let ours = samples(Answer { at_least: 1.0, at_most: 2.0 });
        assert_eq!(ours.disagreements(&samples(Answer::exactly(1.5)), 0.0), 0);
        assert_eq!(ours.disagreements(&samples(Answer::exactly(2.1)), 0.0), 1);
        assert_eq!(ours.disagreements(&samples(Answer::exactly(2.1)), 0.2), 0);
        assert_eq!(ours.disagreements(&samples(Answer::exactly(f64::NAN)), 0.2), 1);
    }

    #[test]
    fn times_of_impact_are_compared() {
        let times = |list: &[f64]| Samples {
            answers: list.iter().map(|&t| Answer::exactly(t)).collect(),
            micros: vec![1.0; list.len()],
        };
        let dated = times(&[0.5, 0.5, 0.5, 0.5, 2.0, 2.0]).dated_by(&times(&[0.5, 2.0, 0.6, 0.4, 2.0, 0.3]));
        assert_eq!(dated, Dated { contacts: 4, missed: 1, late: 1, early: 2 });
    }

    #[test]
    fn rounds_are_merged_pose_by_pose() {
        let round =
            |micros: [f64; 2]| Samples { answers: vec![Answer::exactly(0.0); 2], micros: micros.to_vec() };
        let merged = Samples::merged(vec![round([1.0, 9.0]), round([2.0, 7.0]), round([30.0, 8.0])]).unwrap();
        assert_eq!(merged.micros, [2.0, 8.0]);
        assert!(Samples::merged(vec![]).is_none());
    }
}
