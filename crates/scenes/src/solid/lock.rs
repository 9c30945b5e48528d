//! Fastenings of a cover: threads, and sectors of rings for lugs and lips.

use crate::TriangleSet;
use glam::{DVec3, dvec3};
use std::f64::consts::TAU;

/// A sector of a ring: between two radii, two angles and two heights.
pub(crate) fn sector(radii: [f64; 2], angles: [f64; 2], z: [f64; 2], steps: u32) -> TriangleSet {
    let mut set = TriangleSet::default();
    for k in 0..=steps {
        let angle = angles[0] + (angles[1] - angles[0]) * f64::from(k) / f64::from(steps);
        for (radius, z) in [(radii[0], z[0]), (radii[1], z[0]), (radii[1], z[1]), (radii[0], z[1])] {
            set.vertices.push(dvec3(radius * angle.cos(), radius * angle.sin(), z));
        }
    }
    for k in 0..steps {
        for side in 0..4 {
            let [a, b] = [4 * k + side, 4 * k + (side + 1) % 4];
            set.triangles.extend([[a, a + 4, b + 4], [a, b + 4, b]]);
        }
    }
    let end = 4 * steps;
    set.triangles.extend([[0, 1, 2], [0, 2, 3], [end, end + 2, end + 1], [end, end + 3, end + 2]]);
    set
}

/// A single-start thread about z, with symmetric sawtooth flanks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    /// Axial advance per turn.
    pub(crate) pitch: f64,
    /// Height of the ridge.
    pub(crate) depth: f64,
    /// Steps around, and as many in a pitch: a screw by one of them puts the thread onto itself.
    pub(crate) cuts: u32,
}

impl Thread {
    /// Rows of points on a wall that rises and falls along z, once in a pitch, and climbs as it goes around.
    fn wall(self, radius: f64, z: [f64; 2]) -> (u32, impl Fn(u32, u32) -> DVec3) {
        let Self { pitch, depth, cuts } = self;
        let rows = ((z[1] - z[0]) / pitch * f64::from(cuts)).round() as u32;
        let ridge = move |angle: f64, z: f64| {
            let phase = (z / pitch - angle / TAU).rem_euclid(1.0);
            depth * (1.0 - (4.0 * (phase - 0.5).abs() - 1.0).abs().min(1.0))
        };
        let at = move |row: u32, slice: u32| {
            let z = z[0] + (z[1] - z[0]) * f64::from(row) / f64::from(rows);
            let angle = TAU * f64::from(slice % cuts) / f64::from(cuts);
            let radius = radius + ridge(angle, z);
            dvec3(radius * angle.cos(), radius * angle.sin(), z)
        };
        (rows, at)
    }

    /// A rod with the thread around it.
    pub(crate) fn rod(self, radius: f64, z: [f64; 2]) -> TriangleSet {
        let (rows, at) = self.wall(radius, z);
        shell(rows, at, None, self.cuts)
    }

    /// A drum with the thread in its bore.
    pub(crate) fn nut(self, radius: f64, drum: f64, z: [f64; 2]) -> TriangleSet {
        let (rows, at) = self.wall(radius, z);
        shell(rows, at, Some([drum, z[0], z[1]]), self.cuts)
    }

    /// A ring with the thread around it, and a smooth bore.
    pub(crate) fn ring(self, bore: f64, radius: f64, z: [f64; 2]) -> TriangleSet {
        // A drum within its wall instead of around it is inside out.
        let mut set = self.nut(radius, bore, z);
        set.triangles.iter_mut().for_each(|vertices| vertices.swap(1, 2));
        set
    }
}

/// A wall of rows closed by two caps, or by a drum around it.
fn shell(rows: u32, at: impl Fn(u32, u32) -> DVec3, drum: Option<[f64; 3]>, around: u32) -> TriangleSet {
    let mut set = TriangleSet::default();
    for row in 0..=rows {
        set.vertices.extend((0..around).map(|slice| at(row, slice)));
    }
    let number = |row: u32, slice: u32| row * around + slice % around;
    let inward = drum.is_some();
    let mut face = |a: u32, b: u32, c: u32| set.triangles.push(if inward { [a, c, b] } else { [a, b, c] });
    for row in 0..rows {
        for slice in 0..around {
            let [a, b] = [number(row, slice), number(row, slice + 1)];
            let [c, d] = [number(row + 1, slice + 1), number(row + 1, slice)];
            face(a, b, c);
            face(a, c, d);
        }
    }
    let first = (rows + 1) * around;
    match drum {
        None => {
            for slice in 0..around {
                face(first, number(0, slice + 1), number(0, slice));
                face(first + 1, number(rows, slice), number(rows, slice + 1));
            }
            let z = [at(0, 0).z, at(rows, 0).z];
            set.vertices.extend(z.map(|z| dvec3(0.0, 0.0, z)));
        }
        Some([radius, low, high]) => {
            let outer = |level: u32, slice: u32| first + level * around + slice % around;
            for slice in 0..around {
                let [a, b, c, d] =
                    [outer(0, slice), outer(0, slice + 1), outer(1, slice + 1), outer(1, slice)];
                // The face is turned again, because these look outward.
                face(a, c, b);
                face(a, d, c);
                face(number(0, slice), outer(0, slice + 1), number(0, slice + 1));
                face(number(0, slice), outer(0, slice), outer(0, slice + 1));
                face(number(rows, slice), number(rows, slice + 1), outer(1, slice + 1));
                face(number(rows, slice), outer(1, slice + 1), outer(1, slice));
            }
            for z in [low, high] {
                set.vertices.extend((0..around).map(|slice| {
                    let angle = TAU * f64::from(slice) / f64::from(around);
                    dvec3(radius * angle.cos(), radius * angle.sin(), z)
                }));
            }
        }
    }
    set
}
