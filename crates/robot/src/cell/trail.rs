//! Open segments of a motion in joint space.

use super::LANES;
use super::filter::{Row, SphereFilter, Spread};
use crate::curve::JointCurve;

/// A motion in joint space that is classified segment by segment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Course<'a> {
    /// Straight from this configuration, by the change of the trail.
    Straight(&'a [f64]),
    /// Along a curve, each variable within a tolerance of it.
    Curve { curve: &'a JointCurve, tolerance: &'a [f64] },
}

impl Course<'_> {
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::Straight(_) => 1,
            Self::Curve { curve, .. } => curve.pieces().len(),
        }
    }

    /// The middle of a segment as a time of the motion, from 0 to 1.
    pub(super) fn time(&self, segment: &Segment) -> f64 {
        match self {
            Self::Straight(_) => segment.middle,
            Self::Curve { curve, .. } => {
                let (number, [start, _]) = (segment.piece as usize, curve.span());
                let (from, to) = (curve.knots()[number], curve.knots()[number + 1]);
                ((from - start) + (to - from) * segment.middle) / curve.duration()
            }
        }
    }
}

/// A segment, and where the pairs that are open in it are listed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Segment {
    /// The piece of a curve, and the middle of the segment as a share of it.
    pub(super) piece: u32,
    pub(super) middle: f64,
    pub(super) half: f64,
    pub(super) open: [usize; 2],
}

impl Segment {
    /// Both ends as shares of the piece.
    pub(super) fn shares(&self) -> [f64; 2] {
        [self.middle - self.half, self.middle + self.half]
    }
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
    change: Vec<f64>,
    pace: Vec<f32>,
    halves: [f32; LANES],
    /// The same of a curve, for every lane.
    chords: Vec<Row>,
    strays: Vec<Row>,
    widths: Vec<Row>,
    units: Vec<f64>,
    /// The sum of the largest magnitudes of all variables, slides in the unit of the filter.
    pub(super) sum: f64,
    pub(super) states: Vec<f64>,
    /// Segments that are open, and those that they leave.
    pub(super) now: Front,
    pub(super) next: Front,
    /// Candidate pairs with their lanes.
    pub(super) candidates: Vec<(u32, u16)>,
    /// Lanes in which the curve moves less than its tolerance, and segments of them with pairs that stay open.
    pub(super) within_tolerance: [bool; LANES],
    pub(super) kept: Vec<(Segment, u32)>,
}

/// How far the variables of a first segment of a curve may go, in all.
const FIRST: f64 = 0.4;

impl Trail {
    /// All of a straight motion in sixteen segments.
    pub(super) fn start(&mut self, filter: &SphereFilter, from: &[f64], to: &[f64]) {
        self.change.clear();
        self.change.extend(from.iter().zip(to).map(|(a, b)| b - a));
        filter.pace(&self.change, &mut self.pace);
        let both = from.iter().zip(to).enumerate();
        self.sum = both.map(|(k, (a, b))| a.abs().max(b.abs()) / filter.unit_of(k)).sum();
        self.within_tolerance = [false; LANES];
        self.kept.clear();
        self.now.segments.clear();
        self.divide(0, LANES);
    }

    /// All of a curve, every piece in up to sixteen segments.
    pub(super) fn start_curve(&mut self, filter: &SphereFilter, curve: &JointCurve, tolerance: &[f64]) {
        let count = curve.variables();
        self.units.clear();
        self.units.extend((0..count).map(|k| filter.unit_of(k)));
        for rows in [&mut self.chords, &mut self.strays, &mut self.widths] {
            rows.clear();
            rows.resize(count, Row([0.0; LANES]));
        }
        let largest = |k: usize| {
            let control = curve.pieces().iter().flat_map(|piece| piece.control(k));
            control.fold(0.0, |most: f64, value| most.max(value.abs())) + tolerance[k]
        };
        self.sum = (0..count).map(|k| largest(k) / self.units[k]).sum();
        self.within_tolerance = [false; LANES];
        self.kept.clear();
        self.now.segments.clear();
        for (number, piece) in curve.pieces().iter().enumerate() {
            let length =
                |k: usize| piece.control(k).windows(2).map(|two| (two[1] - two[0]).abs()).sum::<f64>();
            let sum: f64 = (0..count).map(|k| length(k) / self.units[k]).sum();
            self.divide(number as u32, (sum / FIRST).ceil().clamp(1.0, LANES as f64) as usize);
        }
    }

    fn divide(&mut self, piece: u32, count: usize) {
        let half = 0.5 / count as f64;
        let segment = |k| Segment { piece, middle: half * (2 * k + 1) as f64, half, open: [0; 2] };
        self.now.segments.extend((0..count).map(segment));
    }

    /// The middles of some segments as configurations, and how far the segments go from there.
    pub(super) fn fill(&mut self, course: &Course<'_>, taken: &[Segment]) {
        self.states.clear();
        self.candidates.clear();
        for (lane, segment) in taken.iter().enumerate() {
            self.halves[lane] = (segment.half * (1.0 + 1e-6)) as f32;
            match course {
                Course::Straight(from) => {
                    let values = from.iter().zip(&self.change);
                    self.states.extend(values.map(|(from, path)| from + path * segment.middle));
                }
                Course::Curve { curve, tolerance } => self.fill_lane(curve, tolerance, lane, segment),
            }
            let listed = &self.now.open[segment.open[0]..segment.open[1]];
            self.candidates.extend(listed.iter().map(|&number| (number, 1 << lane)));
        }
    }

    fn fill_lane(&mut self, curve: &JointCurve, tolerance: &[f64], lane: usize, segment: &Segment) {
        let piece = &curve.pieces()[segment.piece as usize];
        let shares = segment.shares();
        let (mut moved, mut allowed) = (0.0, 0.0);
        for k in 0..curve.variables() {
            let part = piece.part(k, shares);
            let value = piece.value(k, segment.middle);
            let chord = 0.5 * part.change();
            let stray = part.stray(value, 0.5, 2.0 * chord) + tolerance[k];
            let width = part.width(value) + tolerance[k];
            moved += part.width(value) / self.units[k];
            allowed += tolerance[k] / self.units[k];
            let up = |length: f64| (length / self.units[k] * (1.0 + 1e-6)) as f32;
            // The rounding of the chord to single precision is a deviation from it.
            let rounded = (chord / self.units[k]) as f32;
            let lost = (chord - f64::from(rounded) * self.units[k]).abs();
            self.chords[k].0[lane] = rounded;
            self.strays[k].0[lane] = up(stray + lost);
            self.widths[k].0[lane] = up(width);
            self.states.push(value);
        }
        self.within_tolerance[lane] = moved < allowed;
    }

    /// How far the segments go, as the filter takes it.
    pub(super) fn spread(&self, course: &Course<'_>) -> Spread<'_> {
        match course {
            Course::Straight(_) => {
                Spread::Even { halves: &self.halves, change: &self.change, pace: &self.pace }
            }
            Course::Curve { .. } => {
                Spread::Curved { chords: &self.chords, strays: &self.strays, widths: &self.widths }
            }
        }
    }
}
