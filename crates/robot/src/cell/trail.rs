//! Open segments of a straight motion in joint space.

use super::LANES;
use super::filter::SphereFilter;

/// A segment, and where the pairs that are open in it are listed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) middle: f64,
    pub(super) half: f64,
    pub(super) open: [usize; 2],
}

/// Segments with their open pairs.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) segments: Vec<Segment>,
    pub(super) open: Vec<u32>,
}

/// Memory for a motion.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The change of each variable, and its magnitude as the filter has it.
    pub(super) change: Vec<f64>,
    pub(super) pace: Vec<f32>,
    /// The sum of the largest magnitudes of all variables, slides in the unit of the filter.
    pub(super) sum: f64,
    pub(super) states: Vec<f64>,
    /// Segments that are open, and those that they leave.
    pub(super) now: Front,
    pub(super) next: Front,
    /// Candidate pairs with their lanes.
    pub(super) candidates: Vec<(u32, u16)>,
}

impl Trail {
    /// All of a motion in sixteen segments.
    pub(super) fn start(&mut self, filter: &SphereFilter, from: &[f64], to: &[f64]) {
        self.change.clear();
        self.change.extend(from.iter().zip(to).map(|(a, b)| b - a));
        filter.pace(&self.change, &mut self.pace);
        let both = from.iter().zip(to).enumerate();
        self.sum = both.map(|(k, (a, b))| a.abs().max(b.abs()) / filter.unit_of(k)).sum();
        let half = 0.5 / LANES as f64;
        let segment = |k| Segment { middle: half * (2 * k + 1) as f64, half, open: [0; 2] };
        self.now.segments.clear();
        self.now.segments.extend((0..LANES).map(segment));
    }

    /// The middles of some segments as configurations, and half their lengths.
    pub(super) fn fill(&mut self, from: &[f64], taken: &[Segment]) -> [f32; LANES] {
        self.states.clear();
        self.candidates.clear();
        let mut halves = [0.0f32; LANES];
        for (lane, segment) in taken.iter().enumerate() {
            halves[lane] = (segment.half * (1.0 + 1e-6)) as f32;
            self.states
                .extend(from.iter().zip(&self.change).map(|(from, path)| from + path * segment.middle));
            let listed = &self.now.open[segment.open[0]..segment.open[1]];
            self.candidates.extend(listed.iter().map(|&number| (number, 1 << lane)));
        }
        halves
    }
}
