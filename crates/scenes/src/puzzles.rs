//! Puzzles for planners, from formulas: each has a part called `part` that comes out only along a way with turns.
//!
//! Shapes are in the spirit of published benchmarks (the alpha puzzle, the bug trap, the flange, L-shaped parts before
//! windows), drawn anew; lengths are millimetres.

use crate::solid::{Cell, Cells, Flat, Tube, cylinder, revolve, together};
use crate::{Assembly, TriangleSet, torus};
use glam::{DQuat, DVec3, dvec3};
use noli_geom::Pose;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Two tubes bent like the letter alpha, linked as rings of a chain would be, but open where their ends cross. `room`
/// is how much wider the crossing is than the tube that has to pass it.
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

/// Two linked tubes like the letter alpha, with room as wide as the tube at the crossing.
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

/// A piece of a ring: between two radii, two angles and two heights.
fn sector(radii: [f64; 2], angles: [f64; 2], z: [f64; 2], steps: u32) -> TriangleSet {
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

/// A cover that is screwed into a nut: a thread of two starts with room for play.
pub fn threaded(detail: u32) -> Assembly {
    const PITCH: f64 = 10.0;
    const DEPTH: f64 = 3.0;
    const PLAY: f64 = 0.6;
    // As many steps in a pitch as around: a screw by one of them puts the thread onto itself.
    let (around, along) = (24 * detail.max(1), 24 * detail.max(1));
    // Rises and falls along z, once in a pitch, and climbs as it goes around.
    let ridge = |angle: f64, z: f64| {
        let phase = (z / PITCH - angle / TAU).rem_euclid(1.0);
        DEPTH * (1.0 - (4.0 * (phase - 0.5).abs() - 1.0).abs().min(1.0))
    };
    let wall = move |radius: f64, z: [f64; 2]| {
        let rows = ((z[1] - z[0]) / PITCH * f64::from(along)).round() as u32;
        let at = move |row: u32, slice: u32| {
            let z = z[0] + (z[1] - z[0]) * f64::from(row) / f64::from(rows);
            let angle = TAU * f64::from(slice % around) / f64::from(around);
            let radius = radius + ridge(angle, z);
            dvec3(radius * angle.cos(), radius * angle.sin(), z)
        };
        (rows, at)
    };
    let mut puzzle = Assembly::new("threaded");
    let (rows, at) = wall(18.0 + PLAY, [-15.0, 10.0]);
    puzzle.add("nut", shell(rows, at, Some([30.0, -15.0, 10.0]), around), Pose::IDENTITY);
    let (rows, at) = wall(18.0, [-20.0, 20.0]);
    puzzle.add("part", shell(rows, at, None, around), Pose::IDENTITY);
    puzzle
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

/// A bulb behind a bracket: it is tilted around its hook on the way out of a deep lamp.
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

    /// Every part is a closed solid, and nothing meets where it starts.
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
            assert_eq!(puzzle.expected(&puzzle.parts[0].name, "part"), Relation::Apart);
        }
    }
}
