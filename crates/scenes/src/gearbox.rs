//! A gearbox: two stages of spur gears on three shafts, rolling bearings, a split housing.
//!
//! Shafts run along z. Clearances are tenths of a millimetre; teeth mesh without touching.

use crate::solid::{Cell, Cells, Flat, Gear, block, cylinder, revolve, together, washer};
use crate::{Assembly, TriangleSet, geodesic};
use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Pose, Relation};
use std::f64::consts::{PI, TAU};

/// Width of the housing's rim.
const RIM: f64 = 16.0;
/// Length and width of the cavity: three cells of 90 for the shafts, and room for the largest wheel.
const CAVITY: [f64; 2] = [300.0, 170.0];
/// Thickness of an end wall, height of a half.
const HALF: [f64; 2] = [12.0, 50.0];
/// Positions of the shafts.
const SHAFTS: [(&str, f64); 3] = [("input", 45.0), ("middle", 135.0), ("output", 225.0)];
/// Radius of a shaft between its bearings.
const SHAFT: f64 = 12.0;
/// Radius of the shaft's collar, against which the first wheel rests.
const COLLAR: f64 = 18.0;
/// Module of the teeth: 60 teeth in a pair are 90 mm.
const MODULE: f64 = 3.0;

/// The gearbox. The number of triangles grows with the square of `detail`: about 23 thousand at 1 (0
/// counts as 1), 5 million at 15.
///
/// Housing halves and bolt heads rest exactly on each other, and so do wheels on the collars of their shafts.
/// Planted clashes: two keys without keyways, a reverse wheel set too near, an oil pipe through the
/// housing, a void filled with a sphere inside a wheel.
pub fn gearbox(detail: u32) -> Assembly {
    let mut gearbox = Gearbox { assembly: Assembly::new("gearbox"), detail: detail.max(1) };
    gearbox.housing();
    gearbox.bolts();
    for (name, x) in SHAFTS {
        gearbox.shaft(name, x);
        gearbox.bearing(&format!("{name}.bearing_low"), x, 0.0);
        gearbox.bearing(&format!("{name}.bearing_high"), x, 2.0 * HALF[1] - HALF[0]);
    }
    gearbox.wheels();
    gearbox.planted();
    gearbox.assembly
}

struct Gearbox {
    assembly: Assembly,
    detail: u32,
}

impl Gearbox {
    fn add(&mut self, name: &str, set: TriangleSet, pose: Pose) {
        self.assembly.add(name, set, pose);
    }

    /// Two trays with bearing seats in the bottom and bolt holes in the vertices of the rim.
    fn housing(&mut self) {
        let [length, width] = CAVITY;
        let xs = [-RIM, 0.0, 90.0, 180.0, 270.0, length, length + RIM];
        let ys = [-RIM - width / 2.0, -width / 2.0, width / 2.0, width / 2.0 + RIM];
        let mut cells = Cells::grid(&xs, &ys);
        for (column, row) in (0..6).flat_map(|column| (0..3).map(move |row| (column, row))) {
            cells.set(column, row, housing_cell(column, row));
        }
        let set =
            Flat::from_cells(&cells, 6 * self.detail).extrude(&[0.0, HALF[0], HALF[1]], 2 * self.detail);
        self.add("housing.low", set.clone(), Pose::IDENTITY);
        // Half a turn about x.
        let upside_down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        self.add("housing.high", set, Pose::new(upside_down, DVec3::Z * (2.0 * HALF[1])));
        self.assembly.plant("housing.low", "housing.high", Relation::Touching);
    }

    /// Four bolts through both halves, heads resting on the upper.
    fn bolts(&mut self) {
        let [x, y] = [[-RIM / 2.0, CAVITY[0] + RIM / 2.0], [-1.0, 1.0].map(|s| s * (CAVITY[1] + RIM) / 2.0)];
        let profile = [[0.0, 5.0], [4.0, 5.0], [4.0, 100.0], [7.0, 100.0], [7.0, 106.0], [0.0, 106.0]];
        let places = [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]];
        for (number, [x, y]) in places.into_iter().enumerate() {
            let name = format!("bolt.{}", number + 1);
            self.add(&name, revolve(&profile, 12 * self.detail, self.detail), at(x, y, 0.0));
            self.assembly.plant("housing.high", &name, Relation::Touching);
        }
    }

    /// A stepped shaft with a collar in the middle.
    fn shaft(&mut self, name: &str, x: f64) {
        let (journal, low, high) = (10.0, -6.0, 106.0);
        let profile = [
            [0.0, low],
            [journal, low],
            [journal, 14.0],
            [SHAFT, 14.0],
            [SHAFT, 46.0],
            [COLLAR, 46.0],
            [COLLAR, 54.0],
            [SHAFT, 54.0],
            [SHAFT, 86.0],
            [journal, 86.0],
            [journal, high],
            [0.0, high],
        ];
        self.add(&format!("{name}.shaft"), revolve(&profile, 24 * self.detail, self.detail), at(x, 0.0, 0.0));
    }

    /// Two rings and nine spheres, in the seat of an end wall.
    fn bearing(&mut self, name: &str, x: f64, z: f64) {
        let (slices, steps) = (24 * self.detail, self.detail);
        let height = [0.5, HALF[0] - 0.5];
        self.add(&format!("{name}.inner"), washer(10.4, 13.0, height, slices, steps), at(x, 0.0, z));
        self.add(&format!("{name}.outer"), washer(17.0, 19.5, height, slices, steps), at(x, 0.0, z));
        let sphere = |i: u32| {
            let (sin, cos) = (TAU * f64::from(i) / 9.0).sin_cos();
            let centre = dvec3(14.9 * cos, 14.9 * sin, HALF[0] / 2.0);
            geodesic(self.detail).map_vertices(|d| centre + d * 1.7)
        };
        let spheres = together((0..9).map(sphere));
        self.add(&format!("{name}.balls"), spheres, at(x, 0.0, z));
    }

    /// The first stage above the collars, the second below.
    fn wheels(&mut self) {
        self.wheel("input.wheel", 20, [45.0, 0.0], 54.0, 0.0);
        self.wheel("middle.wheel_high", 40, [135.0, 0.0], 54.0, PI + PI / 40.0);
        self.wheel("middle.wheel_low", 24, [135.0, 0.0], 30.0, 0.0);
        self.wheel("output.wheel", 36, [225.0, 0.0], 30.0, PI + PI / 36.0);
        for (wheel, shaft) in [
            ("input.wheel", "input.shaft"),
            ("middle.wheel_high", "middle.shaft"),
            ("middle.wheel_low", "middle.shaft"),
            ("output.wheel", "output.shaft"),
        ] {
            self.assembly.plant(shaft, wheel, Relation::Touching);
        }
    }

    fn wheel(&mut self, name: &str, teeth: u32, [x, y]: [f64; 2], z: f64, turn: f64) {
        let gear = Gear { teeth, module: MODULE, bore: SHAFT + 0.2, backlash: 0.04 };
        let set = gear.flat(self.detail, self.detail).extrude(&[0.0, 16.0], self.detail);
        self.add(name, set, Pose::new(DQuat::from_rotation_z(turn), dvec3(x, y, z)));
    }

    fn planted(&mut self) {
        let cuts = 2 * self.detail;
        for (stage, x, z, wheel) in
            [("input", 45.0, 62.0, "input.wheel"), ("output", 225.0, 38.0, "output.wheel")]
        {
            let key = format!("{stage}.key");
            self.add(&key, block([3.0, 2.0, 6.0], cuts), at(x + SHAFT, 0.0, z));
            self.assembly.plant(&key, &format!("{stage}.shaft"), Relation::Intersecting);
            self.assembly.plant(&key, wheel, Relation::Intersecting);
        }
        self.wheel("reverse.wheel", 16, [45.0, 50.0], 54.0, 0.1);
        self.assembly.plant("input.wheel", "reverse.wheel", Relation::Intersecting);
        let sphere = geodesic(4 * self.detail).map_vertices(|d| d * 4.0);
        self.add("middle.inclusion", sphere, at(135.0, 30.0, 62.0));
        self.assembly.plant("middle.wheel_high", "middle.inclusion", Relation::Inside);
        let pipe = cylinder(5.0, [-20.0, 20.0], 16 * self.detail, 2 * self.detail);
        self.add("oil.pipe", pipe, at(90.0, 50.0, 0.0));
        self.assembly.plant("housing.low", "oil.pipe", Relation::Intersecting);
    }
}

/// Rim, vertex with bolt hole, or bottom, with a bearing seat or without.
fn housing_cell(column: usize, row: usize) -> Cell {
    match (column, row) {
        (0 | 5, 0 | 2) => Cell::hole(5.0).at_level(2),
        (0 | 5, _) | (_, 0 | 2) => Cell::level(2),
        (4, _) => Cell::level(1),
        _ => Cell::hole(20.0),
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}
