//! Intersections of a line with an object: the line is halved until the function's sign is certain.
//!
//! On a segment of the line the function is an affine form in one variable, so its bounds tighten with the
//! square of the segment. No intersection is missed. Where signs stay open at the resolution, adjacent
//! segments form one intersection.

use crate::evaluation::affine::{Affine, middle_and_half};
use crate::search::field::{Field, Source, inclusion_affine};
use glam::DVec3;
use noli_geom::number::round;

/// A place on a line where the function's sign may change.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LineIntersection {
    /// The earliest and latest place it can be.
    pub t: [f64; 2],
    /// `true` if the line is inside the object just before and just after.
    pub inside: [bool; 2],
}

/// Segments shorter than this fraction of the line are not subdivided further.
const RESOLUTION: f64 = 1.0 / (1u64 << 44) as f64;
/// Largest number of segments to test.
const MOST: usize = 1 << 16;

impl Field {
    /// Returns the points where the line `origin + t·direction` enters or leaves the object between two finite
    /// parameters, in order. The object's bounds cut it off like a surface.
    pub fn intersections_along(
        &self,
        origin: DVec3,
        direction: DVec3,
        from: f64,
        until: f64,
    ) -> Vec<LineIntersection> {
        let Some((from, until)) = self.clipped(origin, direction, from, until) else { return Vec::new() };
        let line =
            Line { field: self, origin, direction, smallest: RESOLUTION * (until.abs().max(from.abs())) };
        let mut intersections: Vec<LineIntersection> = Vec::new();
        let mut before = (from, false);
        for (piece, sign) in line.pieces(from, until) {
            match sign {
                Some(inside) => {
                    if inside != before.1 || piece[0] > before.0 {
                        intersections
                            .push(LineIntersection { t: [before.0, piece[0]], inside: [before.1, inside] });
                    }
                    before = (piece[1], inside);
                }
                None => continue,
            }
        }
        if before.1 || until > before.0 {
            intersections.push(LineIntersection { t: [before.0, until], inside: [before.1, false] });
        }
        intersections
    }

    /// The part of a line in the object's bounds.
    fn clipped(&self, origin: DVec3, direction: DVec3, from: f64, until: f64) -> Option<(f64, f64)> {
        let bounds = self.bounds();
        let (mut from, mut until) = (from, until);
        for k in 0..3 {
            if direction[k] == 0.0 {
                if !(bounds.min[k]..=bounds.max[k]).contains(&origin[k]) {
                    return None;
                }
                continue;
            }
            let ends = [bounds.min[k], bounds.max[k]].map(|side| (side - origin[k]) / direction[k]);
            from = from.max(ends[0].min(ends[1]));
            until = until.min(ends[0].max(ends[1]));
        }
        (from <= until && from.is_finite() && until.is_finite()).then_some((from, until))
    }
}

struct Line<'a> {
    field: &'a Field,
    origin: DVec3,
    direction: DVec3,
    smallest: f64,
}

impl Line<'_> {
    /// Returns the segments of the line in order, each with `true` if it is inside; `None` where that stayed
    /// open.
    fn pieces(&self, from: f64, until: f64) -> Vec<([f64; 2], Option<bool>)> {
        let mut pending = vec![[from, until]];
        let mut pieces: Vec<([f64; 2], Option<bool>)> = Vec::new();
        let mut slots = Vec::new();
        for looked_at in 0.. {
            let Some([start, end]) = pending.pop() else { break };
            let range = self.on(start, end, &mut slots).range;
            let middle = 0.5 * start + 0.5 * end;
            let sign = if range.lo() > 0.0 {
                Some(false)
            } else if range.hi() <= 0.0 {
                Some(true)
            } else if end - start <= self.smallest || middle <= start || middle >= end || looked_at >= MOST {
                None
            } else {
                pending.extend([[middle, end], [start, middle]]);
                continue;
            };
            match pieces.last_mut() {
                Some((last, known)) if *known == sign => last[1] = end,
                _ => pieces.push(([start, end], sign)),
            }
        }
        pieces
    }

    /// Returns the function on a segment.
    fn on(&self, start: f64, end: f64, slots: &mut Vec<Affine>) -> Affine {
        let (middle, half) = middle_and_half(start, end);
        let coordinates = [0, 1, 2].map(|k| {
            let (origin, step) = (self.origin[k], self.direction[k]);
            let center = origin + step * middle;
            let size = origin.abs() + step.abs() * (middle.abs() + half);
            let slopes = [step * half, 0.0, 0.0];
            Affine::line(center, slopes, round::off(size, 8) + f64::MIN_POSITIVE)
        });
        match &self.field.source {
            Source::Tape(tape) => tape.evaluate(&coordinates, slots),
            Source::Inclusion(inclusion) => inclusion_affine(inclusion.as_ref(), &coordinates),
        }
    }
}

impl LineIntersection {
    /// The middle of where it can be.
    pub fn middle(&self) -> f64 {
        0.5 * self.t[0] + 0.5 * self.t[1]
    }
}
