//! The two lamps, the panel they look through, and how their covers and bulbs come out.

use super::{Bay, FORWARD, UPRIGHT, turned};
use crate::solid::{Cell, Cells, Flat, Thread, block, cylinder, revolve, sector, together};
use crate::{TriangleSet, torus};
use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Pose, Relation};
use std::f64::consts::{FRAC_PI_2, PI};

/// Origin of each lamp, and its size compared with the headlight.
const LAMPS: [(&str, [f64; 3], f64); 2] =
    [("headlight", [100.0, 580.0, 300.0], 1.0), ("auxiliary", [300.0, 580.0, 300.0], 0.7)];

/// Reflector bowl and the collar behind it, as (radius, along the axis).
const HOUSING: [[f64; 2]; 12] = [
    [22.0, -70.0],
    [22.0, -40.0],
    [40.0, -25.0],
    [60.0, 0.0],
    [72.0, 25.0],
    [78.0, 40.0],
    [82.0, 40.0],
    [76.0, 22.0],
    [64.0, -4.0],
    [46.0, -32.0],
    [34.0, -44.0],
    [34.0, -70.0],
];
/// Glass in front of the bowl, resting on its rim.
const LENS: [[f64; 2]; 5] = [[0.0, 40.0], [82.0, 40.0], [82.0, 46.0], [50.0, 52.0], [0.0, 54.0]];
/// Cap over the collar.
const COVER: [[f64; 2]; 6] =
    [[0.0, -90.0], [37.0, -90.0], [37.0, -52.0], [42.0, -52.0], [42.0, -95.0], [0.0, -95.0]];
/// Glass bulb, flange and base; the flange gets three prongs.
const BULB: [[f64; 2]; 11] = [
    [0.0, 16.0],
    [5.0, 14.0],
    [8.0, 8.0],
    [8.0, -30.0],
    [11.0, -40.0],
    [11.0, -48.0],
    [18.0, -48.0],
    [18.0, -52.0],
    [12.0, -52.0],
    [12.0, -76.0],
    [0.0, -78.0],
];

/// Fastening of the covers of the lamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Covers {
    /// Nothing: they are pulled off.
    Plain,
    /// A thread on the headlight, a bayonet on the auxiliary lamp.
    Turned,
    /// The same, with a seal through an eye of one and a stop next to an eye of the other.
    Sealed,
}

pub(super) fn add(bay: &mut Bay, covers: Covers) {
    panel(bay);
    for (lamp, (name, [x, y, z], size)) in LAMPS.into_iter().enumerate() {
        let part = |part: &str| format!("{name}.{part}");
        let pose = turned(FORWARD, x, y, z);
        let (what, housing, cover) = match (covers, lamp) {
            (Covers::Plain, _) => {
                ("cover", TriangleSet::default(), ribbed(revolve(&COVER, 24 * bay.detail, bay.detail)))
            }
            (_, 0) => ("screw_cover", screw_collar(bay.detail), screw_cover(bay.detail)),
            _ => ("bayonet_cover", bayonet_lugs(bay.detail), bayonet_cover(bay.detail)),
        };
        let housing = together([revolve(&HOUSING, 16 * bay.detail, bay.detail), housing]);
        for (what, set) in [
            ("housing", housing),
            ("lens", revolve(&LENS, 16 * bay.detail, bay.detail)),
            (what, cover),
            ("bulb", pronged(revolve(&BULB, 12 * bay.detail, bay.detail))),
        ] {
            bay.add(&part(what), set.map_vertices(|v| v * size), pose);
        }
        if covers == Covers::Sealed {
            let (what, set) = if lamp == 0 { ("seal", seal(bay.detail)) } else { ("stop", stop(bay.detail)) };
            bay.add(&part(what), set.map_vertices(|v| v * size), pose);
        }
        bay.assembly.plant(&part("housing"), &part("lens"), Relation::Touching);
    }
}

/// The thread of the headlight's collar and of its cover.
fn thread(detail: u32) -> Thread {
    Thread { pitch: 16.0, depth: 4.0, cuts: 20 * detail }
}

/// A threaded ring around the collar behind the reflector.
fn screw_collar(detail: u32) -> TriangleSet {
    thread(detail).ring(28.0, 34.0, [-70.0, -50.0])
}

/// A cap that is screwed onto the collar, with an eye on its rim.
fn screw_cover(detail: u32) -> TriangleSet {
    let wall = thread(detail).nut(35.4, 43.0, [-84.0, -52.0]);
    let back = cylinder(42.0, [-94.0, -83.0], 24 * detail, detail);
    together([wall, back, eye(detail)])
}

/// Two lugs on the collar behind the reflector.
fn bayonet_lugs(detail: u32) -> TriangleSet {
    let lug = |middle: f64| {
        sector([33.0, 38.5], [middle - PI / 12.0, middle + PI / 12.0], [-66.0, -61.0], 4 * detail)
    };
    together([lug(0.5 * PI), lug(1.5 * PI)])
}

/// A cap with two lips behind the lugs, which pass between them after a quarter of a turn, and an eye on its rim.
fn bayonet_cover(detail: u32) -> TriangleSet {
    let cap = [[0.0, -90.0], [39.5, -90.0], [39.5, -52.0], [43.0, -52.0], [43.0, -95.0], [0.0, -95.0]];
    let lip = |from: f64| sector([35.5, 40.5], [from, from + 2.0 * PI / 3.0], [-58.0, -54.0], 12 * detail);
    together([revolve(&cap, 24 * detail, detail), lip(PI / 6.0), lip(7.0 * PI / 6.0), eye(detail)])
}

/// Position of the eye of a cover.
const EYE: DVec3 = dvec3(46.0, 0.0, -87.0);

fn eye(detail: u32) -> TriangleSet {
    torus(4.0, 1.2, 12 * detail, 6 * detail).map_vertices(|v| v + EYE)
}

/// A ring of wire through the eye of a cover.
fn seal(detail: u32) -> TriangleSet {
    let across = DQuat::from_rotation_x(FRAC_PI_2);
    let middle = EYE + DVec3::X * 6.0;
    torus(6.0, 0.8, 16 * detail, 6 * detail).map_vertices(|v| across * v + middle)
}

/// A block on either side of the eye of a cover.
fn stop(detail: u32) -> TriangleSet {
    let side = |angle: f64| {
        let turn = DQuat::from_rotation_z(angle);
        block([4.0, 2.0, 4.0], detail).map_vertices(|v| turn * (v + DVec3::X * 49.0) + DVec3::Z * EYE.z)
    };
    together([side(0.4), side(-0.4)])
}

/// The panel in front: five by two fields, some with an opening.
fn panel(bay: &mut Bay) {
    let steps = [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0];
    let mut cells = Cells::grid(&steps, &steps[..3]);
    for (column, row, radius) in [(0, 1, 85.0), (1, 1, 60.0), (3, 0, 40.0), (4, 1, 70.0), (2, 0, 60.0)] {
        cells.set(column, row, Cell::hole(radius));
    }
    let flat = Flat::from_cells(&cells, 4 * bay.detail);
    bay.plate("frame.panel", &flat, 6.0, turned(UPRIGHT, 0.0, 606.0, 0.0));
}

/// Twelve ribs around the outer wall of a cover.
fn ribbed(set: TriangleSet) -> TriangleSet {
    set.map_vertices(|v| {
        let radius = v.truncate().length();
        if radius < 41.0 {
            return v;
        }
        let swell = 1.0 + 0.02 * (12.0 * v.y.atan2(v.x)).cos();
        dvec3(v.x * swell, v.y * swell, v.z)
    })
}

/// Three prongs on the rim of a bulb's flange.
fn pronged(set: TriangleSet) -> TriangleSet {
    set.map_vertices(|v| {
        let radius = v.truncate().length();
        if radius < 17.9 {
            return v;
        }
        let prong = (3.0 * v.y.atan2(v.x)).cos().max(0.0);
        let swell = 1.0 + 0.1 * prong;
        dvec3(v.x * swell, v.y * swell, v.z)
    })
}

/// One task of the study: a part removed from the engine bay along waypoints.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// Its name in the study: M1 to M4.
    pub name: &'static str,
    /// The part to take out.
    pub part: &'static str,
    /// Parts that have been removed before.
    pub without: &'static [&'static str],
    /// World poses of the part, from its place to the open.
    pub path: Vec<Pose>,
}

/// The four tasks, each with a path that is free: backward out of the lamp, then up, with a half turn.
pub fn engine_bay_removals() -> [Removal; 4] {
    let [main, auxiliary] = LAMPS.map(|(_, place, size)| path(DVec3::from(place), size));
    let task = |name, part, without, path: &Vec<Pose>| Removal { name, part, without, path: path.clone() };
    [
        task("M1", "headlight.cover", &[], &main),
        task("M2", "headlight.bulb", &["headlight.cover"], &main),
        task("M3", "auxiliary.cover", &[], &auxiliary),
        task("M4", "auxiliary.bulb", &["auxiliary.cover"], &auxiliary),
    ]
}

fn path(place: DVec3, size: f64) -> Vec<Pose> {
    let back = |along: f64| place - DVec3::Y * (along * size);
    let half_turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    vec![
        Pose::new(FORWARD, place),
        Pose::new(FORWARD, back(110.0)),
        Pose::new(FORWARD * half_turn, back(140.0)),
        Pose::new(FORWARD * half_turn, back(140.0) + DVec3::Z * 250.0),
    ]
}
