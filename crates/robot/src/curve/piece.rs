//! One Bézier piece of a curve, and enclosures of its parts.

use noli_geom::UNIT_ROUNDOFF;

/// The highest degree of a piece.
pub(crate) const HIGHEST: usize = 9;
const ROOM: usize = HIGHEST + 1;

/// Control values of all variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    degree: usize,
    /// Those of one variable after those of the other.
    control: Vec<f64>,
}

impl Piece {
    /// A piece by its control points; a single one is a configuration at rest.
    pub(super) fn new(count: usize, points: &[&[f64]]) -> Self {
        let control = (0..count).flat_map(|k| points.iter().map(move |point| point[k])).collect();
        Self { degree: points.len() - 1, control }
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    pub(crate) fn control(&self, variable: usize) -> &[f64] {
        let size = self.degree + 1;
        &self.control[variable * size..][..size]
    }

    pub(super) fn of_variables(&self, variables: std::ops::Range<usize>) -> Self {
        let size = self.degree + 1;
        let control = self.control[variables.start * size..variables.end * size].to_vec();
        Self { degree: self.degree, control }
    }

    /// The piece with variables that rest before and after its own.
    pub(super) fn among(&self, before: &[f64], after: &[f64]) -> Self {
        let size = self.degree + 1;
        let rest = |values: &[f64]| -> Vec<f64> {
            values.iter().flat_map(|&value| std::iter::repeat_n(value, size)).collect()
        };
        let control = [rest(before), self.control.clone(), rest(after)].concat();
        Self { degree: self.degree, control }
    }

    /// The value of a variable at a share of the piece; both ends are reproduced bit for bit.
    pub(crate) fn value(&self, variable: usize, share: f64) -> f64 {
        let control = self.control(variable);
        match (share >= 1.0, self.degree) {
            (true, degree) => control[degree],
            (false, 1) => control[0] + (control[1] - control[0]) * share,
            (false, degree) => {
                let mut points = [0.0; ROOM];
                points[..=degree].copy_from_slice(control);
                casteljau(&mut points[..=degree], share)
            }
        }
    }

    /// A derivative of a variable with respect to the share.
    pub(super) fn derivative(&self, variable: usize, share: f64, order: usize) -> f64 {
        if order == 0 {
            return self.value(variable, share);
        }
        let mut points = self.derivative_control(variable, order);
        if points.is_empty() { 0.0 } else { casteljau(&mut points, share) }
    }

    /// The control values of a derivative with respect to the share.
    pub(super) fn derivative_control(&self, variable: usize, order: usize) -> Vec<f64> {
        let mut points = self.control(variable).to_vec();
        for _ in 0..order {
            let degree = points.len().saturating_sub(1) as f64;
            points = points.windows(2).map(|two| degree * (two[1] - two[0])).collect();
        }
        if points.is_empty() { vec![0.0] } else { points }
    }

    /// A variable on the part of the piece between two shares.
    pub(crate) fn part(&self, variable: usize, [from, to]: [f64; 2]) -> Part {
        let control = self.control(variable);
        let (size, mut points) = (self.degree + 1, [0.0; ROOM]);
        points[..size].copy_from_slice(control);
        let largest = control.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        // Before `to`.
        for level in 1..size {
            for j in (level..size).rev() {
                points[j] = points[j - 1] + (points[j] - points[j - 1]) * to;
            }
        }
        let share = if to > 0.0 { from / to } else { 0.0 };
        for level in 1..size {
            for j in 0..size - level {
                points[j] += (points[j + 1] - points[j]) * share;
            }
        }
        // Every interpolation errs by less than four roundoffs of the largest value, two passes of `degree` levels
        // follow each other, and the share errs by a roundoff.
        let slack = 64.0 * size as f64 * UNIT_ROUNDOFF * largest + f64::MIN_POSITIVE;
        Part { points, degree: self.degree, slack }
    }
}

fn casteljau(points: &mut [f64], share: f64) -> f64 {
    for level in 1..points.len() {
        for j in 0..points.len() - level {
            points[j] += (points[j + 1] - points[j]) * share;
        }
    }
    points[0]
}

/// A variable on a part of a piece: its control values there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    points: [f64; ROOM],
    degree: usize,
    /// Bound on the rounding of the control values and of a value.
    slack: f64,
}

impl Part {
    /// The change from the start to the end.
    pub(crate) fn change(&self) -> f64 {
        self.points[self.degree] - self.points[0]
    }

    /// Bounds the distance of any value from another.
    pub(crate) fn width(&self, from: f64) -> f64 {
        let far = |value: &f64| (value - from).abs();
        self.points[..=self.degree].iter().map(far).fold(0.0, f64::max) + self.slack
    }

    /// Bounds the deviation from a value that runs evenly with this change and is `at` at a share of the part.
    pub(crate) fn stray(&self, at: f64, share: f64, change: f64) -> f64 {
        // A line is a curve of any degree, with control values that are spread evenly.
        let line = |j: usize| at + change * (j as f64 / self.degree.max(1) as f64 - share);
        let off = |j: usize| (self.points[j] - line(j)).abs();
        (0..=self.degree).map(off).fold(0.0, f64::max) + self.slack
    }

    /// Bounds the first and the second derivative with respect to the share of the part.
    pub(crate) fn rates(&self) -> [f64; 2] {
        let (n, points) = (self.degree as f64, &self.points[..=self.degree]);
        let first = points.windows(2).map(|two| (two[1] - two[0]).abs()).fold(0.0, f64::max);
        let second = points.windows(3).map(|three| (three[2] - 2.0 * three[1] + three[0]).abs());
        let second = second.fold(0.0, f64::max);
        [n * (first + 2.0 * self.slack), n * (n - 1.0).max(0.0) * (second + 4.0 * self.slack)]
    }

    /// Encloses all values.
    pub(crate) fn range(&self) -> [f64; 2] {
        let points = &self.points[..=self.degree];
        let low = points.iter().copied().fold(f64::INFINITY, f64::min);
        let high = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        [low - self.slack, high + self.slack]
    }
}
