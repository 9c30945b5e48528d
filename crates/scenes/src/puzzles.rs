//! Puzzles for planners, from formulas: each has a part named `part` whose removal path needs rotations.
//!
//! Shapes are in the spirit of published benchmarks (the alpha puzzle, the bug trap, the flange, L-shaped
//! parts before windows), drawn anew; lengths are millimetres.

use crate::solid::{Cell, Cells, Flat, Thread, Tube, cylinder, revolve, sector, together};
use crate::{Assembly, torus};
use glam::{DQuat, DVec3, dvec3};
use noli_geom::Pose;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Two tubes bent like the letter alpha, linked as rings of a chain would be, but open where their ends cross. `room`
/// is how much wider the intersection is than the tube that has to pass it.
fn alpha(name: &str, detail: u32, room: f64) -> Assembly {
    const SIZE: f64 = 60.0;
    const RADIUS: f64 = 4.0;
    let lift = RADIUS * (2.0 + room);
    let curve = |t: f64| dvec3(SIZE * (t * t - 1.0), 0.9 * SIZE * t * (t * t - 1.0), lift * t);
    let points: Vec<DVec3> = (-9..=9).map(|k| curve(f64::from(k) * 0.18)).collect();
    let tube = || Tube::solid(RADIUS).along(&points, 8 * detail.max(1), 3);
    let mut puzzle = Assembly::new(name);
    puzzle.add("hold", tube(), Pose::IDENTITY);
    // Turned about its length, facing the other: its loop is through the other's.
    let facing = DQuat::from_rotation_x(FRAC_PI_2) * DQuat::from_rotation_z(PI);
    puzzle.add("part", tube(), Pose::new(facing, dvec3(-1.5 * SIZE, 0.0, 0.0)));
    puzzle
}

/// Two linked tubes like the letter alpha, with room as wide as the tube at the intersection.
pub fn alpha_puzzle(detail: u32) -> Assembly {
    alpha("alpha-puzzle", detail, 2.0)
}

/// The same with little room.
pub fn alpha_tight(detail: u32) -> Assembly {
    alpha("alpha-tight", detail, 0.6)
}

/// A drum with a nozzle that leads inward, and a pin that has to find it.
fn trap(name: &str, detail: u32, nozzle: f64) -> Assembly {
    let profile = [
        [0.0, -42.0],
        [42.0, -42.0],
        [42.0, 42.0],
        [nozzle, 42.0],
        [nozzle, 0.0],
        [nozzle + 2.0, 0.0],
        [nozzle + 2.0, 40.0],
        [40.0, 40.0],
        [40.0, -40.0],
        [0.0, -40.0],
    ];
    let mut puzzle = Assembly::new(name);
    puzzle.add("trap", revolve(&profile, 24 * detail.max(1), detail.max(1)), Pose::IDENTITY);
    let lying = DQuat::from_rotation_y(FRAC_PI_2);
    let pin = cylinder(10.0, [-15.0, 15.0], 16 * detail.max(1), detail.max(1));
    puzzle.add("part", pin, Pose::new(lying, dvec3(0.0, 0.0, -22.0)));
    puzzle
}

/// A drum with an inward nozzle, and a pin inside with three tenths of its radius to spare in it.
pub fn bugtrap(detail: u32) -> Assembly {
    trap("bugtrap", detail, 13.0)
}

/// The same with a nozzle through which the pin does not pass.
pub fn bugtrap_shut(detail: u32) -> Assembly {
    trap("bugtrap-shut", detail, 8.0)
}

/// A ring on a rod with an overhand knot: the long trefoil of Shastri (1992), cut off.
pub fn knotted_tube(detail: u32) -> Assembly {
    let knot = |t: f64| {
        dvec3(
            14.0 * (t.powi(3) - 3.0 * t),
            12.0 * (t.powi(4) - 4.0 * t * t),
            12.0 * (t.powi(5) / 5.0 - 2.0 * t),
        )
    };
    let points: Vec<DVec3> = (-21..=21).map(|k| knot(f64::from(k) * 0.1)).collect();
    let mut puzzle = Assembly::new("knotted-tube");
    puzzle.add("rod", Tube::solid(2.0).along(&points, 8 * detail.max(1), 2), Pose::IDENTITY);
    let along = (knot(0.01) - knot(-0.01)).normalize();
    let turned = DQuat::from_rotation_arc(DVec3::Z, along);
    puzzle.add("part", torus(7.0, 1.5, 20 * detail.max(1), 8 * detail.max(1)), Pose::new(turned, knot(0.0)));
    puzzle
}

/// A bar with two bends through the window of a wall: it has to be turned around each bend.
pub fn double_l(detail: u32) -> Assembly {
    let mut wall = Cells::grid(&[-60.0, -13.0, 13.0, 60.0], &[-60.0, -13.0, 13.0, 60.0]);
    for (column, row) in (0..3).flat_map(|column| (0..3).map(move |row| (column, row))) {
        wall.set(column, row, if (column, row) == (1, 1) { Cell::EMPTY } else { Cell::level(1) });
    }
    let mut puzzle = Assembly::new("double-l");
    let cuts = detail.max(1);
    puzzle.add("wall", Flat::from_cells(&wall, cuts).extrude(&[-3.0, 3.0], 1), Pose::IDENTITY);
    let mut bar = Cells::grid(&[-6.0, 6.0, 50.0], &[-44.0, -32.0, 32.0, 44.0]);
    for (column, row) in (0..2).flat_map(|column| (0..3).map(move |row| (column, row))) {
        let is_bar = column == 0 || row != 1;
        bar.set(column, row, if is_bar { Cell::level(1) } else { Cell::EMPTY });
    }
    let set = Flat::from_cells(&bar, cuts).extrude(&[-6.0, 6.0], 1);
    // Its long side through the window.
    let through = DQuat::from_rotation_x(FRAC_PI_2);
    puzzle.add("part", set, Pose::new(through, DVec3::ZERO));
    puzzle
}

/// A bent pipe with a flange at one end in the hole of a plate: it comes out along its bend only.
pub fn flange(detail: u32) -> Assembly {
    const BEND: f64 = 50.0;
    let detail = detail.max(1);
    let mut cells = Cells::grid(&[-40.0, 40.0], &[-40.0, 40.0]);
    cells.set(0, 0, Cell::hole(11.2));
    let mut puzzle = Assembly::new("flange");
    puzzle.add("plate", Flat::from_cells(&cells, 8 * detail).extrude(&[-3.0, 3.0], 1), Pose::IDENTITY);
    // About (BEND, 0, 0): from above the plate down through its hole and on.
    let at = |angle: f64| dvec3(BEND - BEND * angle.cos(), 0.0, -BEND * angle.sin());
    let points: Vec<DVec3> = (-3..=12).map(|k| at(f64::from(k) * TAU / 60.0)).collect();
    let pipe = Tube::solid(8.0).along(&points, 12 * detail, 1);
    let tilt = DQuat::from_rotation_y(3.0 * TAU / 60.0);
    let rim = at(-3.0 * TAU / 60.0);
    let disc = cylinder(20.0, [-2.0, 2.0], 16 * detail, 1).map_vertices(|v| tilt * v + rim);
    puzzle.add("part", together([pipe, disc]), Pose::IDENTITY);
    puzzle
}

/// A cover with two lugs in a socket with a lip: it has to be turned by a quarter before it can be pulled.
pub fn bayonet(detail: u32) -> Assembly {
    let steps = 6 * detail.max(1);
    let cup = [[0.0, -24.0], [30.0, -24.0], [30.0, 12.0], [26.0, 12.0], [26.0, -20.0], [0.0, -20.0]];
    let lip = |from: f64| sector([21.0, 27.0], [from, from + 2.0 * PI / 3.0], [6.0, 10.0], 2 * steps);
    let mut puzzle = Assembly::new("bayonet");
    let cup = revolve(&cup, 8 * steps, 1);
    puzzle.add("socket", together([cup, lip(PI / 6.0), lip(PI / 6.0 + PI)]), Pose::IDENTITY);
    let plug = cylinder(20.0, [-18.0, 20.0], 8 * steps, 1);
    let lug = |from: f64| sector([19.0, 25.0], [from, from + PI / 6.0], [-1.0, 4.0], steps);
    let part = together([plug, lug(5.0 * PI / 12.0), lug(17.0 * PI / 12.0)]);
    puzzle.add("part", part, Pose::IDENTITY);
    puzzle
}

/// A cover that is screwed into a nut: a thread of one start with room for play.
pub fn threaded(detail: u32) -> Assembly {
    const PLAY: f64 = 0.6;
    let thread = Thread { pitch: 10.0, depth: 3.0, cuts: 24 * detail.max(1) };
    let mut puzzle = Assembly::new("threaded");
    puzzle.add("nut", thread.nut(18.0 + PLAY, 30.0, [-15.0, 10.0]), Pose::IDENTITY);
    puzzle.add("part", thread.rod(18.0, [-20.0, 20.0]), Pose::IDENTITY);
    puzzle
}

/// A bulb behind a bracket: its removal path from a deep lamp tilts it around its hook.
pub fn past_bracket(detail: u32) -> Assembly {
    let detail = detail.max(1);
    let bowl = [[0.0, -44.0], [40.0, -44.0], [40.0, 30.0], [36.0, 30.0], [36.0, -40.0], [0.0, -40.0]];
    let mut puzzle = Assembly::new("past-bracket");
    puzzle.add("lamp", revolve(&bowl, 16 * detail, detail), Pose::IDENTITY);
    let arm = sector([2.0, 35.0], [-0.35, 0.35], [26.0, 30.0], 4 * detail);
    puzzle.add("bracket", arm, Pose::from_translation(dvec3(0.0, 0.0, 1.0)));
    let glass = cylinder(9.0, [-26.0, 12.0], 12 * detail, detail);
    let rim = cylinder(14.0, [-30.0, -25.0], 12 * detail, detail);
    puzzle.add("part", together([glass, rim]), Pose::IDENTITY);
    puzzle
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::Relation;

    /// Every part is a closed solid, and no parts touch at the start.
    #[test]
    fn puzzles_are_solids_that_do_not_meet() {
        for make in [
            alpha_puzzle,
            alpha_tight,
            bugtrap,
            bugtrap_shut,
            knotted_tube,
            double_l,
            flange,
            bayonet,
            threaded,
            past_bracket,
        ] {
            let puzzle = make(1);
            assert!(puzzle.parts.len() >= 2, "{}", puzzle.name);
            for part in &puzzle.parts {
                let report = part.mesh.report();
                assert!(report.closed, "{} of {} is open", part.name, puzzle.name);
                assert!(part.mesh.signed_volume() > 0.0, "{} of {} is inside out", part.name, puzzle.name);
            }
            assert_eq!(puzzle.expected(&puzzle.parts[0].name, "part"), Relation::Separated);
        }
    }
}
