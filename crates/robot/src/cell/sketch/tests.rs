//! Against double precision.

use super::hull::parted;
use super::look::sin_cos;
use super::*;
use crate::cell::state::shares;
use crate::cell::{Body, Cell, CellPlan};
use crate::{PumaSet, puma560, read_urdf};
use noli::internals::{Instructions, dispatch};
use noli::internals::{Simd, Task};
use noli::{Convex, Model};
use std::sync::Arc;

struct Sines(Row);

impl Task for Sines {
    type Output = [[f32; LANES]; 2];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let (sin, cos) = sin_cos(s, s.load(&self.0.0));
        [s.store(sin), s.store(cos)]
    }
}

#[test]
fn sine_and_cosine_err_by_less_than_eight_roundoffs() {
    let mut share = shares(3);
    let mut worst = 0.0f64;
    for k in 0..40_000 {
        let angle = |_| match k % 4 {
            0 => (share() * 2.0 - 1.0) * std::f64::consts::PI,
            1 => std::f64::consts::PI - share() * 1e-3,
            2 => std::f64::consts::FRAC_PI_2 + (share() - 0.5) * 1e-3,
            _ => (share() - 0.5) * 1e-3,
        };
        let row = Row(std::array::from_fn(angle).map(|x: f64| x as f32));
        let [sin, cos] = dispatch(Instructions::best(), Sines(row));
        for lane in 0..LANES {
            let x = f64::from(row.0[lane]);
            worst = worst.max((f64::from(sin[lane]) - x.sin()).abs());
            worst = worst.max((f64::from(cos[lane]) - x.cos()).abs());
        }
    }
    assert!(worst < 8.0 * U, "{} roundoffs", worst / U);
}

const GANTRY: &str = r#"<robot name="gantry">
<link name="rail"><collision><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
<link name="cart"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0 0 -0.4" rpy="0.1 0.2 0.3"/>
<geometry><cylinder radius="0.05" length="0.5"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius="0.07"/></geometry></collision>
<collision><origin xyz="0.1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
<origin xyz="0 0.1 -0.3" rpy="0.2 0 1"/><axis xyz="1 0.3 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="spin" type="continuous"><parent link="cart"/><child link="arm"/><origin xyz="0 0 -0.3" rpy="0 0.4 0"/>
<axis xyz="0.1 -0.2 1"/></joint>
<joint name="fixed" type="fixed"><parent link="arm"/><child link="wrist"/><origin xyz="0 0 -0.5" rpy="1 2 3"/></joint>
<link name="wrist"/>
<joint name="tilt" type="revolute"><parent link="wrist"/><child link="hand"/><origin xyz="0.1 0.1 0"/>
<axis xyz="0 -1 0"/><limit lower="-2" upper="5" velocity="1" effort="1"/></joint></robot>"#;

fn cells() -> Vec<Cell> {
    let place = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(50.0, -20.0, 3.0));
    let robots = [puma560(PumaSet::FuGonzalezLee), read_urdf(GANTRY).unwrap()];
    let cell = |robot: crate::Robot| {
        let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
        let mut plan = CellPlan::default();
        plan.robot("", Arc::new(robot), place, &shapes).unwrap();
        let ball = Model::new(Convex::sphere(0.2).unwrap()).unwrap();
        for k in 0..3 {
            let at = place.translation + DVec3::new(0.4 * f64::from(k) - 0.4, 0.5, 0.3);
            plan.fixed(&format!("ball{k}"), &ball, Pose::from_translation(at)).unwrap();
        }
        let boards = [
            Convex::cuboid(DVec3::new(1.5, 0.02, 1.0)).unwrap(),
            Convex::cuboid(DVec3::new(0.3, 0.2, 0.1)).unwrap().rounded(0.03).unwrap(),
            Convex::cylinder(0.6, 0.15).unwrap(),
            Convex::capsule(1.2, 0.04).unwrap(),
        ];
        for (k, board) in boards.into_iter().enumerate() {
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * k as f64, 0.7, 1.1 * k as f64);
            let at = place.translation + DVec3::new(-0.5, 0.3 * k as f64 - 0.7, 0.4);
            plan.fixed(&format!("board{k}"), &Model::new(board).unwrap(), Pose::new(turn, at)).unwrap();
        }
        plan.build()
    };
    robots.map(cell).into()
}

fn poses(cell: &Cell, values: &[f64]) -> Vec<Pose> {
    let mut poses = vec![Pose::IDENTITY; cell.links];
    let arm = &cell.arms[0];
    arm.robot.poses_by(&arm.world_from_root, |variable| values[variable as usize], &mut poses);
    poses
}

/// Where the middle of a piece is, by double precision, as seen from the first robot's root.
fn middle(cell: &Cell, poses: &[Pose], piece: &Piece) -> DVec3 {
    let covers: Vec<Sphere> =
        piece.bodies.iter().map(|&body| cell.bodies[body as usize].cover.whole).collect();
    let body = &cell.bodies[piece.bodies[0] as usize];
    let center = body
        .carrier
        .map_or(around(&covers).center, |link| poses[link].transform_point(around(&covers).center));
    center - cell.arms[0].world_from_root.translation
}

/// A point of the ball around a piece that is carried along.
fn tip(cell: &Cell, poses: &[Pose], piece: &Piece, outward: DVec3) -> DVec3 {
    let covers: Vec<Sphere> =
        piece.bodies.iter().map(|&body| cell.bodies[body as usize].cover.whole).collect();
    let point = around(&covers).center + piece.whole.radius * outward;
    let carrier = cell.bodies[piece.bodies[0] as usize].carrier;
    carrier.map_or(point, |link| poses[link].transform_point(point))
}

#[test]
fn places_are_within_the_stated_error() {
    for cell in cells() {
        let sketch = cell.sketch.as_ref().unwrap();
        let (mut memory, mut share, mut worst) = (sketch.memory(), shares(4), 0.0f64);
        for round in 0..200 {
            let mut states: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
            // Turns by the thousand change little.
            states.iter_mut().step_by(7).filter(|_| round % 2 == 0).for_each(|x| {
                if x.abs() > 1.0 {
                    *x += 1000.0 * std::f64::consts::TAU;
                }
            });
            let look = Look { sketch, tables: None, memory: &mut memory, states: &states, one_ends: false };
            dispatch(Instructions::best(), look);
            for lane in (0..LANES).filter(|lane| memory.wild >> lane & 1 == 0) {
                let poses = poses(&cell, &states[lane * cell.values..][..cell.values]);
                for &(number, _) in &sketch.moving {
                    let piece = &sketch.pieces[number as usize];
                    let place = &memory.centers[number as usize].whole;
                    let found = DVec3::from_array([0, 1, 2].map(|axis| f64::from(place[axis].0[lane])));
                    worst = worst.max(found.distance(middle(&cell, &poses, piece)) / piece.error);
                }
            }
        }
        assert!(worst < 0.25, "{worst} of the stated error");
    }
}

/// Pairs beside what is plain: how many were told to meet, were left open, and do meet.
#[derive(Default)]
struct Counts {
    hits: usize,
    open: usize,
    meet: usize,
}

impl Counts {
    /// Looks at sixteen configurations and holds what is told beside what is plain against the shapes.
    fn look(&mut self, cell: &Cell, states: &[f64]) {
        let sketch = cell.sketch.as_ref().unwrap();
        let mut memory = sketch.memory();
        dispatch(
            Instructions::best(),
            Look { sketch, tables: None, memory: &mut memory, states, one_ends: false },
        );
        for lane in (0..LANES).filter(|lane| memory.wild >> lane & 1 == 0) {
            let poses = poses(cell, &states[lane * cell.values..][..cell.values]);
            for (number, duo) in sketch.duos.iter().enumerate().filter(|(_, duo)| duo.beside.is_some()) {
                let [a, b] = duo.pieces.map(|piece| &sketch.pieces[piece as usize].bodies);
                let placed = |body: &u32| placed(&cell.bodies[*body as usize], &poses);
                let meets = a
                    .iter()
                    .any(|a| b.iter().any(|b| noli::overlap(&placed(a), &placed(b)) == noli::Overlap::Hit));
                let asked = memory.todo.iter().any(|todo| (todo.0, todo.1) == (lane as u8, number as u32));
                if memory.hit[lane] == Some(number as u32) {
                    assert!(meets, "pair {number} was said to meet");
                    self.hits += 1;
                } else if memory.hit[lane].is_none() && !asked {
                    assert!(!meets, "pair {number} was said to be apart");
                }
                self.meet += usize::from(meets);
                self.open += usize::from(asked);
            }
        }
    }
}

fn placed<'a>(body: &'a Body, poses: &[Pose]) -> noli::Placed<'a> {
    let carrier = body.carrier.map_or(Pose::IDENTITY, |link| poses[link]);
    body.model.at(carrier * body.carrier_from_body)
}

/// What is told beside boxes, drums and capsules is what the shapes say, and little is left to them.
#[test]
fn beside_what_is_plain_nothing_false_is_told() {
    let mut counts = Counts::default();
    for cell in cells() {
        let mut share = shares(8);
        for _ in 0..200 {
            let states: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
            counts.look(&cell, &states);
        }
    }
    let Counts { hits, open, meet } = counts;
    assert!(hits > 300 && 4 * open < meet, "{hits} hits told, {open} left open, {meet} meet");
}

/// Ground of kilometres that a hand just reaches, or just does not: single precision sees the ground by millimetres.
#[test]
fn beside_ground_far_larger_than_the_robot_nothing_false_is_told() {
    let robot = Arc::new(read_urdf(GANTRY).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let (mut counts, mut share) = (Counts::default(), shares(9));
    for round in 0..120 {
        let size = [300.0, 5e3, 4e4][round % 3];
        let ground = match round / 3 % 2 {
            0 => Convex::cuboid(DVec3::new(size, 0.7 * size, 0.01 * size)),
            _ => Convex::cylinder(0.02 * size, size),
        };
        let ground = Model::new(ground.unwrap()).unwrap();
        let mut angle = || 6.0 * share();
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, angle(), angle(), angle());
        let up = turn * DVec3::Z;
        let cell = |height: f64| {
            let beside = turn * DVec3::new(0.3 * size, -0.2 * size, 0.0);
            let mut plan = CellPlan::default();
            plan.robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
            let links: Vec<String> = plan.part_names().map(str::to_owned).collect();
            for (a, b) in links.iter().flat_map(|a| links.iter().map(move |b| (a, b))) {
                plan.disable(a, b, "only the ground matters").unwrap();
            }
            plan.fixed("ground", &ground, Pose::new(turn, height * up + beside)).unwrap();
            plan.build()
        };
        let far = cell(-size);
        let state = far.any_state(&mut share);
        let poses = poses(&far, &state);
        let under = placed(far.bodies.last().unwrap(), &poses);
        let gaps = far.bodies.iter().filter(|body| body.carrier.is_some_and(|link| link != 0));
        let gap = gaps.map(|body| noli::clearance(&placed(body, &poses), &under).gap.at_most);
        let reached = gap.fold(f64::INFINITY, f64::min) - size;
        for dip in [-1e-2, -1e-4, 1e-6, 1e-5, 1e-4, 1e-3] {
            counts.look(&cell(reached + dip), &state.repeat(LANES));
        }
    }
    let Counts { hits, open, meet } = counts;
    assert!(meet > 1000 && open >= meet, "{hits} hits told, {open} left open, {meet} meet");
}

/// Every instruction set comes to the same, for any number of configurations.
#[test]
fn instructions_change_nothing() {
    for cell in cells() {
        let sketch = cell.sketch.as_ref().unwrap();
        let mut share = shares(5);
        for round in 0..100 {
            let count = 1 + round % LANES;
            let states: Vec<f64> = (0..count).flat_map(|_| cell.any_state(&mut share)).collect();
            let told = Instructions::available().into_iter().map(|set| {
                let mut memory = sketch.memory();
                dispatch(
                    set,
                    Look { sketch, tables: None, memory: &mut memory, states: &states, one_ends: false },
                );
                (memory.hit, memory.todo, memory.wild)
            });
            let told: Vec<_> = told.collect();
            assert!(told.iter().all(|other| *other == told[0]));
        }
    }
}

/// No two pieces come nearer to each other in a part of a way than is stated.
#[test]
fn ways_bound_what_happens_in_a_part() {
    for cell in cells() {
        let sketch = cell.sketch.as_ref().unwrap();
        let (mut memory, mut share, mut tightest) = (sketch.memory(), shares(6), 0.0f64);
        let mut farthest = 0.0f64;
        for round in 0..120 {
            let middles: Vec<f64> = (0..LANES).flat_map(|_| cell.any_state(&mut share)).collect();
            let way: Vec<f64> = (0..cell.values).map(|_| 0.6 * (share() - 0.5)).collect();
            let pace: Vec<f32> = way.iter().map(|way| (way.abs() * (1.0 + 1e-6)) as f32).collect();
            // Long parts and short ones: the bounds are of different kinds.
            let size = 0.5f64.powi(1 + round % 6);
            let halves = [(size * (1.0 + 1e-6)) as f32; LANES];
            let look = LookAlong {
                sketch,
                memory: &mut memory,
                states: &middles,
                halves: &halves,
                way: &way,
                pace: &pace,
                tables: None,
                open: None,
            };
            dispatch(Instructions::best(), look);
            for lane in (0..LANES).filter(|lane| memory.wild >> lane & 1 == 0) {
                let values = &middles[lane * cell.values..][..cell.values];
                let at = |share: f64| -> Vec<Pose> {
                    let values: Vec<f64> = values.iter().zip(&way).map(|(x, way)| x + way * share).collect();
                    poses(&cell, &values)
                };
                let (now, later) = (at(0.0), at(2.0 * size * (share() - 0.5)));
                let outward = DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5).normalize_or(DVec3::X);
                for duo in &sketch.duos {
                    let [a, b] = duo.pieces.map(|piece| &sketch.pieces[piece as usize]);
                    let gap = |poses: &[Pose]| {
                        middle(&cell, poses, a).distance(middle(&cell, poses, b))
                            - a.whole.radius
                            - b.whole.radius
                    };
                    let stated = f64::from(memory.ways[duo.route as usize].0[lane]);
                    let nearer = gap(&now) - gap(&later);
                    assert!(nearer <= stated, "{nearer} of {stated}");
                    // Beside what stands still, no point of the other piece goes further either.
                    if a.frame.is_none() || b.frame.is_none() {
                        let piece = if a.frame.is_none() { b } else { a };
                        let [from, to] = [&now, &later].map(|poses| tip(&cell, poses, piece, outward));
                        assert!(from.distance(to) <= stated, "{} of {stated}", from.distance(to));
                        farthest = farthest.max(from.distance(to) / stated);
                    }
                    tightest = tightest.max(nearer / stated);
                }
            }
        }
        assert!(tightest > 0.2 && farthest > 0.8, "the bounds are of some use: {tightest}, {farthest}");
    }
}

struct Parting<'a> {
    hulls: [&'a Hull; 2],
    /// Of both, and how far the second one is turned about z.
    shifts: [[f32; 3]; 2],
    angle: f32,
    more: f32,
}

impl Task for Parting<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> bool {
        let [a, b] = self.shifts;
        let (sin, cos) = self.angle.sin_cos();
        let turns = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]],
        ];
        let between = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let places = [Some((turns[0], a)), Some((turns[1], b))];
        parted(s, (self.hulls[0], &places[0]), (self.hulls[1], &places[1]), between, self.more)
    }
}

/// A plane is found between most boxes, drums and capsules that are apart, and never between those that are not.
#[test]
fn planes_part_only_what_is_apart() {
    let bodies = [
        Convex::cuboid(DVec3::new(0.3, 0.1, 0.2)).unwrap(),
        Convex::cylinder(0.4, 0.15).unwrap(),
        Convex::capsule(0.5, 0.1).unwrap(),
    ];
    let models = bodies.map(|body| Model::new(body).unwrap());
    let error = 96.0 * 2.0 * U * 4.0;
    let hull = |model: &Model| {
        let cover = crate::cell::cover::Cover::new(model, &Pose::IDENTITY);
        Hull::new(std::iter::once(&cover), &Pose::IDENTITY, error).unwrap()
    };
    let hulls = [0, 1, 2].map(|k| hull(&models[k]));
    let mut share = shares(7);
    let (mut apart, mut found) = (0, 0);
    for k in 0..6000 {
        let [a, b] = [k % 3, k / 3 % 3];
        let mut place = || [0.0; 3].map(|_: f64| (share() - 0.5) as f32 * 1.2);
        let shifts = [place(), place()];
        let (angle, more) = (share() as f32 * 6.0, if k % 2 == 0 { 0.0 } else { 0.05 * share() as f32 });
        let parts = [Instructions::Portable, Instructions::best()].map(|instructions| {
            let hulls = [&hulls[a], &hulls[b]];
            dispatch(instructions, Parting { hulls, shifts, angle, more })
        });
        assert_eq!(parts[0], parts[1], "the same on every machine");
        let at = |shift: [f32; 3]| DVec3::from_array(shift.map(f64::from));
        let (sin, cos) = angle.sin_cos();
        let turn = DQuat::from_rotation_z(f64::from(sin).atan2(f64::from(cos)));
        let places = [Pose::from_translation(at(shifts[0])), Pose::new(turn, at(shifts[1]))];
        let gap = noli::clearance(&models[a].at(places[0]), &models[b].at(places[1])).gap;
        if parts[0] {
            assert!(gap.at_most > f64::from(more), "{a} and {b} at {places:?} are {gap:?} apart");
            found += 1;
        }
        apart += usize::from(gap.at_least > f64::from(more) + 0.01);
    }
    assert!(apart > 2000 && 20 * found > 17 * apart, "{found} of {apart}");
}
