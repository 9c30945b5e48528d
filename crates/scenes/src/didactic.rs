//! Pairs of bodies that each show one thing. Round ones get finer with `detail`.

use crate::solid::{Cell, Cells, Flat, block, cylinder};
use crate::{Assembly, geodesic, torus};
use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Pose, Relation};

/// Two boxes that pass through each other.
pub fn intersection_boxes(detail: u32) -> Assembly {
    let mut pair = Assembly::new("intersecting-boxes");
    let cuts = detail.max(1);
    pair.add("plank", block([60.0, 20.0, 5.0], cuts), Pose::IDENTITY);
    pair.add("post", block([8.0, 8.0, 50.0], cuts), Pose::from_translation(dvec3(20.0, 4.0, 10.0)));
    pair.plant("plank", "post", Relation::Intersecting);
    pair
}

/// Two boxes that share part of a wall and no volume.
pub fn touching_boxes(detail: u32) -> Assembly {
    let mut pair = Assembly::new("touching-boxes");
    let cuts = detail.max(1);
    pair.add("table", block([60.0, 40.0, 5.0], cuts), Pose::IDENTITY);
    pair.add("carton", block([20.0, 20.0, 15.0], cuts), Pose::from_translation(dvec3(10.0, -5.0, 20.0)));
    pair.plant("table", "carton", Relation::Touching);
    pair
}

/// A sphere within a sphere: as solids one inside the other, as surfaces separated.
pub fn nested_spheres(detail: u32) -> Assembly {
    let mut pair = Assembly::new("nested-spheres");
    let sphere = |radius: f64| geodesic(4 * detail.max(1)).map_vertices(|d| d * radius);
    pair.add("shell", sphere(50.0), Pose::IDENTITY);
    pair.add("core", sphere(20.0), Pose::from_translation(dvec3(10.0, 5.0, -8.0)));
    pair.plant("shell", "core", Relation::Inside);
    pair
}

/// Two linked rings that do not touch.
pub fn linked_tori(detail: u32) -> Assembly {
    let mut pair = Assembly::new("linked-tori");
    let ring = || torus(40.0, 8.0, 24 * detail.max(1), 10 * detail.max(1));
    pair.add("left", ring(), Pose::IDENTITY);
    let upright = DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    pair.add("right", ring(), Pose::new(upright, dvec3(40.0, 0.0, 0.0)));
    pair
}

/// A round peg in a plate's hole, with a twentieth of its radius to spare all around.
pub fn peg_in_hole(detail: u32) -> Assembly {
    let mut pair = Assembly::new("peg-in-hole");
    let detail = detail.max(1);
    let mut cells = Cells::grid(&[-40.0, 40.0], &[-40.0, 40.0]);
    cells.set(0, 0, Cell::hole(21.0));
    pair.add("plate", Flat::from_cells(&cells, 8 * detail).extrude(&[-10.0, 10.0], detail), Pose::IDENTITY);
    pair.add(
        "peg",
        cylinder(20.0, [-30.0, 30.0], 32 * detail, 2 * detail),
        Pose::from_translation(DVec3::ZERO),
    );
    pair
}
