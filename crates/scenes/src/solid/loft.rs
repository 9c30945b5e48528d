//! Surfaces of rows: solids of revolution and tubes.

use crate::TriangleSet;
use glam::DVec3;
use std::f64::consts::TAU;

/// A row of a lofted surface.
#[derive(Clone, Copy, Debug)]
enum Row {
    /// All its vertices in one.
    Pole(DVec3),
    /// An ellipse: `centre + u·cos + v·sin`.
    Ring { centre: DVec3, u: DVec3, v: DVec3 },
}

/// Joins rows, the last to the first again if the surface is a ring.
fn loft(rows: &[Row], slices: u32, ring: bool) -> TriangleSet {
    let slices = slices.max(3);
    let mut set = TriangleSet::default();
    let mut firsts = Vec::with_capacity(rows.len());
    for row in rows {
        firsts.push(set.vertices.len() as u32);
        push_row(&mut set.vertices, row, slices);
    }
    let vertex = |row: usize, slice: u32| match rows[row] {
        Row::Pole(_) => firsts[row],
        Row::Ring { .. } => firsts[row] + slice % slices,
    };
    let joints = if ring { rows.len() } else { rows.len() - 1 };
    for low in 0..joints {
        let high = (low + 1) % rows.len();
        for slice in 0..slices {
            let [a, b] = [vertex(low, slice), vertex(low, slice + 1)];
            let [c, d] = [vertex(high, slice + 1), vertex(high, slice)];
            set.triangles.extend([[a, b, c], [a, c, d]].iter().filter(|t| is_proper(t)));
        }
    }
    outward(set)
}

fn push_row(vertices: &mut Vec<DVec3>, row: &Row, slices: u32) {
    match *row {
        Row::Pole(point) => vertices.push(point),
        Row::Ring { centre, u, v } => vertices.extend((0..slices).map(|slice| {
            let (sin, cos) = (TAU * f64::from(slice) / f64::from(slices)).sin_cos();
            centre + u * cos + v * sin
        })),
    }
}

fn is_proper([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// The same closed surface with its faces turned outward.
fn outward(mut set: TriangleSet) -> TriangleSet {
    let volume = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| set.vertices[v as usize] - set.vertices[0]);
        a.dot(b.cross(c))
    };
    if set.triangles.iter().map(volume).sum::<f64>() < 0.0 {
        set.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    set
}

/// The solid of revolution about z of a profile of (radius, z) points, its segments cut into `steps`.
///
/// A profile whose ends both have radius 0 runs from pole to pole; any other closes upon itself, and
/// has no point of radius 0.
pub(crate) fn revolve(profile: &[[f64; 2]], slices: u32, steps: u32) -> TriangleSet {
    let poles = profile[0][0] == 0.0 && profile[profile.len() - 1][0] == 0.0;
    let segments = if poles { profile.len() - 1 } else { profile.len() };
    let steps = steps.max(1);
    let mut rows = Vec::new();
    for segment in 0..segments {
        let (from, to) = (profile[segment], profile[(segment + 1) % profile.len()]);
        rows.extend((0..steps).map(|step| {
            let share = f64::from(step) / f64::from(steps);
            row_at(from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share)
        }));
    }
    if poles {
        rows.push(row_at(0.0, profile[profile.len() - 1][1]));
    }
    loft(&rows, slices, !poles)
}

fn row_at(radius: f64, z: f64) -> Row {
    let centre = DVec3::Z * z;
    if radius == 0.0 {
        return Row::Pole(centre);
    }
    Row::Ring { centre, u: DVec3::X * radius, v: DVec3::Y * radius }
}

/// A hose, pipe or cable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tube {
    /// Outer radius.
    pub(crate) radius: f64,
    /// Inner radius of a hollow one.
    pub(crate) bore: Option<f64>,
}

impl Tube {
    pub(crate) fn solid(radius: f64) -> Self {
        Self { radius, bore: None }
    }

    pub(crate) fn hollow(radius: f64, bore: f64) -> Self {
        Self { radius, bore: Some(bore) }
    }

    /// The tube along a smooth curve through points, with flat ends; `steps` sections between two
    /// points. The curve should not bend more sharply than the radius.
    pub(crate) fn along(&self, points: &[DVec3], slices: u32, steps: u32) -> TriangleSet {
        let sections = sections(&curve(points, steps.max(1)));
        let ring = |&(centre, u, v): &(DVec3, DVec3, DVec3), radius: f64| Row::Ring {
            centre,
            u: u * radius,
            v: v * radius,
        };
        let outer = sections.iter().map(|section| ring(section, self.radius));
        match self.bore {
            Some(bore) => {
                let inner = sections.iter().rev().map(|section| ring(section, bore));
                loft(&outer.chain(inner).collect::<Vec<_>>(), slices, true)
            }
            None => {
                let [start, end] = [Row::Pole(points[0]), Row::Pole(points[points.len() - 1])];
                let rows: Vec<Row> = std::iter::once(start).chain(outer).chain([end]).collect();
                loft(&rows, slices, false)
            }
        }
    }
}

/// Returns the Catmull–Rom curve through points: each segment is a cubic whose slopes are those of the
/// neighbours' chords, one-sided at the ends.
fn curve(points: &[DVec3], steps: u32) -> Vec<DVec3> {
    let last = points.len() - 1;
    let slope = |i: usize| {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
        (points[after] - points[before]) / (after - before) as f64
    };
    let mut all = Vec::new();
    for i in 0..last {
        let (from, to, leaving, arriving) = (points[i], points[i + 1], slope(i), slope(i + 1));
        all.extend((0..steps).map(|step| {
            let t = f64::from(step) / f64::from(steps);
            let s = 1.0 - t;
            from * (s * s * (1.0 + 2.0 * t)) + to * (t * t * (3.0 - 2.0 * t)) + leaving * (t * s * s)
                - arriving * (t * t * s)
        }));
    }
    all.push(points[last]);
    all
}

/// Centre and two unit vectors across the curve for each of its points, turning as little as possible.
fn sections(curve: &[DVec3]) -> Vec<(DVec3, DVec3, DVec3)> {
    let last = curve.len() - 1;
    let tangent = |i: usize| (curve[(i + 1).min(last)] - curve[i.saturating_sub(1)]).normalize();
    let mut across = tangent(0).any_orthonormal_vector();
    let section = |i: usize| {
        let along = tangent(i);
        across = across.reject_from_normalized(along).normalize();
        (curve[i], across, along.cross(across))
    };
    (0..curve.len()).map(section).collect()
}
