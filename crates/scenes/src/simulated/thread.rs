//! A bolt and a nut with a trapezoidal thread, as meshes that a turn with its advance takes to themselves.
//!
//! Vertices lie on helices: number `i` of them around, and for each the vertices of the profile along the axis. So a turn by
//! one part of the circle with its share of the pitch takes the mesh to itself, and where one flank touches, all do.

use crate::TriangleSet;
use glam::DVec3;
use std::f64::consts::TAU;

/// The sizes of a thread about z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Advance of a turn.
    pub pitch: f64,
    /// Radius of the crest of the bolt.
    pub major: f64,
    /// Radius of its root.
    pub minor: f64,
    /// Angle of a flank to the plane across the axis, in radians.
    pub flank: f64,
    /// Radial clearance of the nut.
    pub play: f64,
    /// Vertices around.
    pub slices: u32,
}

impl Default for Thread {
    fn default() -> Self {
        Self { pitch: 3.0, major: 10.0, minor: 8.5, flank: 0.4, play: 0.2, slices: 48 }
    }
}

/// Vertices of the profile in a pitch.
const CORNERS: usize = 4;

impl Thread {
    /// Places along a pitch, as shares of it, and whether the crest is there.
    fn profile(&self) -> [(f64, bool); CORNERS] {
        let slope = (self.major - self.minor) * self.flank.tan() / self.pitch;
        let crest = 0.5 * (1.0 - 2.0 * slope).max(0.1);
        let from = 0.5 - 0.5 * crest;
        let root = (from - slope).max(0.01);
        [(root, false), (from, true), (1.0 - from, true), (1.0 - root, false)]
    }

    /// Returns the axial travel of a nut on its bolt from the middle until their flanks touch.
    pub fn axial_play(&self) -> f64 {
        self.play * self.flank.tan()
    }

    fn column(&self, k: usize, i: u32) -> (f64, bool) {
        let (share, is_crest) = self.profile()[k % CORNERS];
        let turn = f64::from(i) / f64::from(self.slices);
        (((k / CORNERS) as f64 + share + turn) * self.pitch, is_crest)
    }

    /// A grid of vertices: column `i` from 0 to `slices`, where the last is the first, one pitch on.
    fn grid(
        &self,
        set: &mut TriangleSet,
        rows: usize,
        place: impl Fn(f64, bool, f64) -> DVec3,
    ) -> Vec<Vec<u32>> {
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for i in 0..self.slices {
            // The first column also holds the end of the last.
            let count = if i == 0 { rows + CORNERS } else { rows };
            let angle = TAU * f64::from(i) / f64::from(self.slices);
            let column = (0..count).map(|k| {
                let (z, is_crest) = self.column(k, i);
                set.vertices.push(place(z, is_crest, angle));
                set.vertices.len() as u32 - 1
            });
            columns.push(column.collect());
        }
        let last = columns[0][CORNERS..].to_vec();
        columns.push(last);
        columns
    }

    /// A threaded rod of about so many turns, from z = 0 up.
    pub fn bolt(&self, turns: u32) -> TriangleSet {
        let mut set = TriangleSet::default();
        let rows = CORNERS * turns.max(1) as usize;
        let place = |z: f64, is_crest: bool, angle: f64| {
            let radius = if is_crest { self.major } else { self.minor };
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        };
        let columns = self.grid(&mut set, rows, place);
        walls(&mut set, &columns, rows, false);
        // Ends: ramps about the axis, with a step.
        let height = |set: &TriangleSet, vertex: u32| set.vertices[vertex as usize].z;
        let low = height(&set, columns[0][0]) + 0.5 * self.pitch;
        let high = height(&set, columns[0][rows - 1]) + 0.5 * self.pitch;
        for (row, z, is_top) in [(0, low, false), (rows - 1, high, true)] {
            set.vertices.push(DVec3::Z * z);
            let middle = set.vertices.len() as u32 - 1;
            let mut rim: Vec<u32> = columns.iter().map(|column| column[row]).collect();
            let step: Vec<u32> = columns[0][row + 1..row + CORNERS].iter().rev().copied().collect();
            rim.extend(step);
            for k in 0..rim.len() {
                let (from, to) = (rim[k], rim[(k + 1) % rim.len()]);
                set.triangles.push(if is_top { [middle, from, to] } else { [middle, to, from] });
            }
        }
        set
    }

    /// A nut of about so many turns and this outer radius, in the same place as a bolt that is as long.
    pub fn nut(&self, turns: u32, outer: f64) -> TriangleSet {
        let mut set = TriangleSet::default();
        let rows = CORNERS * turns.max(1) as usize;
        let inner = |z: f64, is_crest: bool, angle: f64| {
            let radius = if is_crest { self.major } else { self.minor } + self.play;
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        };
        let inside = self.grid(&mut set, rows, inner);
        walls(&mut set, &inside, rows, true);
        let around = |z: f64, _: bool, angle: f64| DVec3::new(outer * angle.cos(), outer * angle.sin(), z);
        let outside = self.grid(&mut set, rows, around);
        walls(&mut set, &outside, rows, false);
        for (row, is_top) in [(0, false), (rows - 1, true)] {
            let mut quad = |[a, b, c, d]: [u32; 4]| {
                let quad = if is_top { [a, b, c, d] } else { [d, c, b, a] };
                set.push_quad(quad);
            };
            for i in 0..self.slices as usize {
                quad([inside[i][row], outside[i][row], outside[i + 1][row], inside[i + 1][row]]);
            }
            for k in row..row + CORNERS {
                quad([outside[0][k], inside[0][k], inside[0][k + 1], outside[0][k + 1]]);
            }
        }
        set
    }
}

/// The faces between columns, seen from outside, or from the axis.
fn walls(set: &mut TriangleSet, columns: &[Vec<u32>], rows: usize, from_axis: bool) {
    for pair in columns.windows(2) {
        for k in 0..rows - 1 {
            let quad = [pair[0][k], pair[1][k], pair[1][k + 1], pair[0][k + 1]];
            let [a, b, c, d] = quad;
            set.push_quad(if from_axis { [d, c, b, a] } else { quad });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::{Mesh, MeshOptions};

    #[test]
    fn bolt_and_nut_are_closed_and_the_right_way_out() {
        let thread = Thread::default();
        for set in [thread.bolt(6), thread.nut(3, 16.0)] {
            let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap();
            let report = mesh.report();
            assert!(report.closed, "{report:?}");
            assert!(mesh.signed_volume() > 0.0);
        }
    }
}
