//! Closed solids of many triangles: lofted, revolved, swept, extruded. All face outward.

mod extrude;
mod gear;
mod lock;
mod loft;

pub(crate) use extrude::{Cell, Cells, Flat};
pub(crate) use gear::{Gear, star};
pub(crate) use lock::{Thread, sector};
pub(crate) use loft::{Tube, revolve};

use crate::{TriangleSet, geodesic};
use glam::DVec3;

/// A box about the origin, each edge cut into `cuts`: 12·cuts² faces.
pub(crate) fn block(half: [f64; 3], cuts: u32) -> TriangleSet {
    let [x, y, z] = half;
    let cells = Cells::grid(&[-x, x], &[-y, y]);
    Flat::from_cells(&cells, cuts).extrude(&[-z, z], cuts)
}

/// A box with rounded edges about the origin, from a [`geodesic`] sphere: the unit sphere of the norm
/// (x⁶ + y⁶ + z⁶)^(1/6), stretched.
pub(crate) fn pebble(half: [f64; 3], frequency: u32) -> TriangleSet {
    let sixth = |v: DVec3| (v * v * v * v * v * v).element_sum().cbrt().sqrt();
    geodesic(frequency).map_vertices(|d| d / sixth(d) * DVec3::from(half))
}

/// A cylinder about z between two heights, inscribed: `slices` flat sides (at least 3), each edge of
/// its profile cut into `steps` (at least 1).
pub fn cylinder(radius: f64, z: [f64; 2], slices: u32, steps: u32) -> TriangleSet {
    let [low, high] = z;
    revolve(&[[0.0, low], [radius, low], [radius, high], [0.0, high]], slices, steps)
}

/// A ring about z with a rectangular section.
pub(crate) fn washer(inner: f64, outer: f64, z: [f64; 2], slices: u32, steps: u32) -> TriangleSet {
    let [low, high] = z;
    revolve(&[[inner, low], [outer, low], [outer, high], [inner, high]], slices, steps)
}

/// Several bodies as one mesh.
pub(crate) fn together(sets: impl IntoIterator<Item = TriangleSet>) -> TriangleSet {
    let mut all = TriangleSet::default();
    for set in sets {
        let first = all.vertices.len() as u32;
        all.vertices.extend(set.vertices);
        all.triangles.extend(set.triangles.iter().map(|vertices| vertices.map(|v| v + first)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::{Mesh, MeshOptions};
    use std::f64::consts::PI;

    fn assert_solid(set: TriangleSet, volume: f64, relative: f64) {
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap();
        let report = mesh.report();
        assert!(report.closed && report.oriented, "{report:?}");
        assert_eq!((report.zero_area_triangles, report.non_manifold_edges), (0, 0));
        let error = (report.signed_volume - volume).abs();
        assert!(error <= relative * volume, "volume {} is not {volume}", report.signed_volume);
    }

    #[test]
    fn solids_are_closed_and_have_their_volume() {
        assert_solid(block([1.0, 2.0, 3.0], 3), 48.0, 1e-12);
        assert_solid(cylinder(2.0, [-1.0, 4.0], 64, 3), 20.0 * PI, 0.01);
        assert_solid(washer(1.0, 2.0, [0.0, 1.0], 64, 2), 3.0 * PI, 0.01);
        let path = [[0.0, 0.0, 0.0], [50.0, 0.0, 0.0], [100.0, 0.0, 0.0]].map(DVec3::from);
        assert_solid(Tube::solid(2.0).along(&path, 64, 8), 400.0 * PI, 0.01);
        assert_solid(Tube { radius: 2.0, bore: Some(1.0) }.along(&path, 64, 8), 300.0 * PI, 0.01);
    }

    #[test]
    fn plates_have_holes_and_levels() {
        let mut cells = Cells::grid(&[0.0, 1.0, 5.0, 6.0], &[0.0, 4.0, 5.0]);
        cells.set(1, 0, Cell::hole(1.0));
        cells.set(0, 0, Cell::level(2));
        cells.set(2, 1, Cell::EMPTY);
        let set = Flat::from_cells(&cells, 8).extrude(&[0.0, 2.0, 3.0], 2);
        assert_solid(set, 2.0 * (30.0 - 1.0 - PI) + 4.0, 0.01);
    }

    #[test]
    fn gears_are_solid() {
        let gear = Gear { teeth: 20, module: 2.0, bore: 8.0, backlash: 0.05 };
        let pitch_area = PI * (20.0 * 20.0 - 64.0);
        assert_solid(gear.flat(3, 2).extrude(&[0.0, 10.0], 2), 10.0 * pitch_area, 0.1);
        assert_solid(star(5, [5.0, 20.0], 4.0, 8, 3).extrude(&[0.0, 1.0], 1), PI * 156.25, 0.3);
    }
}
