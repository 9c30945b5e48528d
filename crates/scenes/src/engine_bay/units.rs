//! The units that fill the bay: battery, engine, tanks, boxes.

use super::{Bay, FORWARD, SIDEWAYS, UPRIGHT, at, turned};
use crate::solid::{Cell, Cells, Flat, Gear, Tube, cylinder, pebble, star, washer};
use glam::{DVec3, dvec3};
use noli_geom::{Pose, Relation};
use std::f64::consts::TAU;

pub(super) fn add(bay: &mut Bay) {
    floor(bay);
    battery(bay);
    fuse_box(bay);
    tanks(bay);
    engine(bay);
    radiator(bay);
    brakes(bay);
    left_side(bay);
    brackets(bay);
}

fn floor(bay: &mut Bay) {
    let xs = [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0];
    let mut cells = Cells::grid(&xs, &[-10.0, 190.0, 390.0, 590.0]);
    for (column, row, radius) in [(1, 2, 40.0), (4, 0, 30.0), (2, 1, 50.0)] {
        cells.set(column, row, Cell::hole(radius));
    }
    let flat = Flat::from_cells(&cells, 3 * bay.detail);
    bay.plate("frame.floor", &flat, 6.0, at(0.0, 0.0, -6.0));
}

/// A battery on its tray, the tray on the floor, terminals on the battery.
fn battery(bay: &mut Bay) {
    bay.block("battery.tray", [690.0, 340.0, 0.0], [910.0, 555.0, 6.0]);
    bay.assembly.plant("frame.floor", "battery.tray", Relation::Touching);
    bay.block("battery.case", [700.0, 350.0, 6.0], [900.0, 550.0, 186.0]);
    bay.assembly.plant("battery.tray", "battery.case", Relation::Touching);
    for (name, x) in [("plus", 740.0), ("minus", 860.0)] {
        let terminal = format!("battery.{name}");
        bay.add(&terminal, cylinder(9.0, [0.0, 20.0], 12 * bay.detail, bay.detail), at(x, 380.0, 186.0));
        bay.assembly.plant("battery.case", &terminal, Relation::Touching);
        let clamp = washer(11.0, 18.0, [0.0, 12.0], 12 * bay.detail, bay.detail);
        bay.add(&format!("battery.clamp_{name}"), clamp, at(x, 380.0, 190.0));
    }
}

/// A fuse box on its bracket with a lid on top; a relay was left inside its solid body.
fn fuse_box(bay: &mut Bay) {
    bay.block("fuses.shelf", [570.0, 410.0, 34.0], [670.0, 510.0, 40.0]);
    bay.block("fuses.box", [560.0, 400.0, 40.0], [680.0, 520.0, 110.0]);
    bay.block("fuses.lid", [556.0, 396.0, 110.0], [684.0, 524.0, 122.0]);
    bay.block("fuses.relay", [600.0, 440.0, 60.0], [630.0, 470.0, 90.0]);
    bay.assembly.plant("fuses.shelf", "fuses.box", Relation::Touching);
    bay.assembly.plant("fuses.box", "fuses.lid", Relation::Touching);
    bay.assembly.plant("fuses.box", "fuses.relay", Relation::Inside);
}

/// Coolant and washer tanks; a float inside the one, a pump pushed into the other.
fn tanks(bay: &mut Bay) {
    let fine = 4 * bay.detail;
    bay.add("coolant.tank", pebble([80.0, 90.0, 90.0], fine), at(830.0, 200.0, 110.0));
    bay.add("coolant.float", pebble([20.0, 20.0, 10.0], 2 * bay.detail), at(825.0, 190.0, 120.0));
    bay.add("coolant.cap", cylinder(25.0, [0.0, 26.0], 16 * bay.detail, bay.detail), at(830.0, 200.0, 204.0));
    bay.assembly.plant("coolant.tank", "coolant.float", Relation::Inside);
    bay.add("washer.tank", pebble([70.0, 80.0, 80.0], fine), at(600.0, 120.0, 100.0));
    bay.add("washer.pump", cylinder(18.0, [40.0, 90.0], 16 * bay.detail, bay.detail), at(600.0, 195.0, 0.0));
    bay.assembly.plant("washer.tank", "washer.pump", Relation::Intersecting);
}

/// Block, perforated cover, filler cap on the cover, toothed pulley in front.
fn engine(bay: &mut Bay) {
    bay.add("engine.block", pebble([150.0, 120.0, 90.0], 5 * bay.detail), at(330.0, 140.0, 100.0));
    let mut cells = Cells::grid(&[190.0, 260.0, 330.0, 400.0, 470.0], &[30.0, 105.0, 180.0, 250.0]);
    for (column, row) in [(0, 0), (1, 0), (2, 0), (0, 2), (1, 2), (2, 2)] {
        cells.set(column, row, Cell::hole(22.0));
    }
    let flat = Flat::from_cells(&cells, 3 * bay.detail);
    bay.plate("engine.cover", &flat, 12.0, at(0.0, 0.0, 200.0));
    bay.add("engine.cap", cylinder(20.0, [0.0, 18.0], 16 * bay.detail, bay.detail), at(300.0, 142.0, 212.0));
    bay.assembly.plant("engine.cover", "engine.cap", Relation::Touching);
    let pulley = Gear { teeth: 30, module: 3.0, bore: 15.0, backlash: 0.05 };
    let flat = pulley.flat(bay.detail, bay.detail);
    bay.plate("engine.pulley", &flat, 20.0, turned(FORWARD, 250.0, 268.0, 100.0));
}

/// A finned core, and a fan in its shroud behind it.
fn radiator(bay: &mut Bay) {
    let fins = 20;
    let xs: Vec<f64> = (0..=2 * fins).map(|i| 400.0 + 7.0 * f64::from(i)).collect();
    let mut cells = Cells::grid(&xs, &[560.0, 566.0, 590.0]);
    for distance in (1..2 * fins as usize).step_by(2) {
        cells.set(distance, 1, Cell::EMPTY);
    }
    let flat = Flat::from_cells(&cells, bay.detail);
    bay.plate("radiator.core", &flat, 230.0, at(0.0, 0.0, 10.0));
    let shroud = washer(86.0, 92.0, [-10.0, 10.0], 24 * bay.detail, bay.detail);
    bay.add("radiator.shroud", shroud, turned(FORWARD, 540.0, 540.0, 130.0));
    let fan = star(7, [24.0, 80.0], 10.0, 6 * bay.detail, bay.detail);
    bay.plate("radiator.fan", &fan, 8.0, turned(FORWARD, 540.0, 536.0, 130.0));
}

/// Brake booster, with the master cylinder flush on its face.
fn brakes(bay: &mut Bay) {
    let drum = [[0.0, 0.0], [50.0, 0.0], [70.0, 30.0], [70.0, 50.0], [40.0, 80.0], [0.0, 80.0]];
    bay.round("brake.booster", &drum, turned(FORWARD, 560.0, 60.0, 300.0));
    let cylinder = [[0.0, 0.0], [18.0, 0.0], [18.0, 60.0], [14.0, 80.0], [0.0, 80.0]];
    bay.round("brake.cylinder", &cylinder, turned(FORWARD, 560.0, 140.0, 300.0));
    bay.assembly.plant("brake.booster", "brake.cylinder", Relation::Touching);
    bay.block("intake.airbox", [410.0, 300.0, 130.0], [530.0, 420.0, 250.0]);
}

/// Control unit, strut with its spring, horn.
fn left_side(bay: &mut Bay) {
    let xs: Vec<f64> = (0..=14).map(|i| 20.0 + 10.0 * f64::from(i)).collect();
    let mut cells = Cells::grid(&xs, &[20.0, 50.0, 60.0]);
    for distance in (1..14).step_by(2) {
        cells.set(distance, 1, Cell::EMPTY);
    }
    let flat = Flat::from_cells(&cells, bay.detail);
    bay.plate("control.unit", &flat, 140.0, turned(UPRIGHT, 0.0, 200.0, 0.0));
    let damper = [[0.0, 2.0], [45.0, 2.0], [45.0, 110.0], [20.0, 130.0], [20.0, 190.0], [0.0, 190.0]];
    bay.round("strut.damper", &damper, at(90.0, 300.0, 0.0));
    bay.add("strut.spring", spring(bay.detail), at(90.0, 300.0, 0.0));
    let horn = [[0.0, 0.0], [16.0, 0.0], [16.0, 40.0], [8.0, 44.0], [12.0, 60.0], [40.0, 90.0], [0.0, 84.0]];
    bay.round("horn", &horn, turned(FORWARD, 60.0, 385.0, 80.0));
}

/// Five turns about z, 8 waypoints per turn.
fn spring(detail: u32) -> crate::TriangleSet {
    let point = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i) / 8.0).sin_cos();
        dvec3(56.0 * cos, 56.0 * sin, 12.0 + 2.2 * f64::from(i))
    };
    let points: Vec<DVec3> = (0..=40).map(point).collect();
    Tube::solid(5.0).along(&points, 6 * detail, detail)
}

/// A bracket that a hose runs into, and one that a hose passes cleanly.
fn brackets(bay: &mut Bay) {
    let mut cells = Cells::grid(&[0.0, 50.0, 100.0], &[0.0, 50.0, 100.0]);
    cells.set(0, 1, Cell::hole(14.0));
    cells.set(1, 1, Cell::hole(14.0));
    let flat = Flat::from_cells(&cells, 4 * bay.detail);
    bay.plate("bracket.left", &flat, 4.0, turned(SIDEWAYS, 246.0, 340.0, 2.0));
    let mut cells = Cells::grid(&[-20.0, 20.0], &[-40.0, -20.0, 20.0]);
    cells.set(0, 1, Cell::hole(12.0));
    let flat = Flat::from_cells(&cells, 4 * bay.detail);
    bay.plate("bracket.vent", &flat, 4.0, Pose::new(SIDEWAYS, dvec3(98.0, 500.0, 218.0)));
}
