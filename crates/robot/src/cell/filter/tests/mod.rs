//! The filter against double precision and the exact engine.

mod hulls;
mod one;
mod segments;

use super::classify::ClassifyStates;
use super::kinematics::sin_cos;
use super::spheres::around;
use super::*;
use crate::cell::data::Body;
use crate::cell::{Cell, CellBuilder, shares};
use crate::{PumaSet, Robot, puma560};
use glam::{DQuat, DVec3};
use noli::internals::{Instructions, Simd, Task, dispatch};
use noli::{Convex, Model, Overlap, Pose};
use std::sync::Arc;

/// Factors of all lengths of a robot and its obstacles that single precision does not hold.
const SCALES: [f64; 2] = [f64::from_bits((1023 + 60) << 52), f64::from_bits((1023 - 60) << 52)];

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

/// A slide, a joint without limits, a fixed joint and a joint with limits, all lengths times a factor.
fn gantry(scale: f64) -> Robot {
    let text = r#"<robot name="gantry">
<link name="rail"><collision><geometry><box size="{2} {0.1} {0.1}"/></geometry></collision></link>
<link name="cart"><collision><geometry><box size="{0.2} {0.2} {0.2}"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0 0 {-0.4}" rpy="0.1 0.2 0.3"/>
<geometry><cylinder radius="{0.05}" length="{0.5}"/></geometry></collision></link>
<link name="hand"><collision><geometry><sphere radius="{0.07}"/></geometry></collision>
<collision><origin xyz="{0.1} 0 0"/><geometry><sphere radius="{0.05}"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
<origin xyz="0 {0.1} {-0.3}" rpy="0.2 0 1"/><axis xyz="1 0.3 0"/>
<limit lower="{-1}" upper="{1}" velocity="1" effort="1"/></joint>
<joint name="spin" type="continuous"><parent link="cart"/><child link="arm"/>
<origin xyz="0 0 {-0.3}" rpy="0 0.4 0"/><axis xyz="0.1 -0.2 1"/></joint>
<joint name="fixed" type="fixed"><parent link="arm"/><child link="wrist"/>
<origin xyz="0 0 {-0.5}" rpy="1 2 3"/></joint>
<link name="wrist"/>
<joint name="tilt" type="revolute"><parent link="wrist"/><child link="hand"/><origin xyz="{0.1} {0.1} 0"/>
<axis xyz="0 -1 0"/><limit lower="-2" upper="5" velocity="1" effort="1"/></joint></robot>"#;
    let mut scaled = String::new();
    for part in text.split('{') {
        match part.split_once('}') {
            Some((length, rest)) => {
                scaled += &format!("{:e}{rest}", scale * length.parse::<f64>().unwrap());
            }
            None => scaled += part,
        }
    }
    Robot::from_urdf_str(&scaled).unwrap()
}

/// A robot among spheres, boxes, cylinders and capsules, all lengths times a factor. `shift` is that of the
/// world, `offset` that of the obstacles.
fn cell(robot: Robot, scale: f64, [shift, offset]: [DVec3; 2]) -> Cell {
    let place = Pose::new(DQuat::from_rotation_x(0.4), scale * (DVec3::new(50.0, -20.0, 3.0) + shift));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", Arc::new(robot), place, &shapes).unwrap();
    let sphere = Model::new(Convex::sphere(0.2 * scale).unwrap()).unwrap();
    for k in 0..3 {
        let at = place.translation + scale * (offset + DVec3::new(0.4 * f64::from(k) - 0.4, 0.5, 0.3));
        plan.add_obstacle(&format!("sphere{k}"), &sphere, Pose::from_translation(at)).unwrap();
    }
    let boards = [
        Convex::cuboid(scale * DVec3::new(1.5, 0.02, 1.0)).unwrap(),
        Convex::cuboid(scale * DVec3::new(0.3, 0.2, 0.1)).unwrap().rounded(0.03 * scale).unwrap(),
        Convex::cylinder(0.6 * scale, 0.15 * scale).unwrap(),
        Convex::capsule(1.2 * scale, 0.04 * scale).unwrap(),
    ];
    for (k, board) in boards.into_iter().enumerate() {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * k as f64, 0.7, 1.1 * k as f64);
        let at = place.translation + scale * (offset + DVec3::new(-0.5, 0.3 * k as f64 - 0.7, 0.4));
        plan.add_obstacle(&format!("board{k}"), &Model::new(board).unwrap(), Pose::new(turn, at)).unwrap();
    }
    plan.build()
}

/// The gantry above its obstacles.
fn gantry_cell(scale: f64, shift: DVec3) -> Cell {
    cell(gantry(scale), scale, [shift, DVec3::new(0.1, 0.4, -1.1)])
}

fn cells() -> Vec<Cell> {
    [puma560(PumaSet::FuGonzalezLee), gantry(1.0)].map(|robot| cell(robot, 1.0, [DVec3::ZERO; 2])).into()
}

fn poses(cell: &Cell, values: &[f64]) -> Vec<Pose> {
    let mut poses = vec![Pose::IDENTITY; cell.data.links];
    cell.data.pose_links(values, &mut poses);
    poses
}

/// The bounding sphere of a piece in the frame of its carrier, and that frame.
fn carried(cell: &Cell, poses: &[Pose], piece: &Piece) -> (Sphere, Pose) {
    let bodies = || piece.bodies.iter().map(|&body| &cell.data.bodies[body as usize]);
    let spheres: Vec<Sphere> = bodies().map(|body| body.cover.whole).collect();
    let carrier = bodies().next().and_then(|body| body.carrier);
    (around(&spheres), carrier.map_or(Pose::IDENTITY, |link| poses[link]))
}

/// The centre of a piece in double precision, as seen from the first robot's root.
fn middle(cell: &Cell, poses: &[Pose], piece: &Piece) -> DVec3 {
    let (sphere, carrier) = carried(cell, poses, piece);
    carrier.transform_point(sphere.center) - cell.data.origin()
}

/// A point of the bounding sphere of a piece that is carried along.
fn tip(cell: &Cell, poses: &[Pose], piece: u32, outward: DVec3) -> DVec3 {
    let (sphere, carrier) = carried(cell, poses, &cell.filter.pieces[piece as usize]);
    carrier.transform_point(sphere.center + cell.filter.radius(piece) * outward)
}

fn placed<'a>(body: &'a Body, poses: &[Pose]) -> noli::Placed<'a> {
    body.placed(poses)
}

fn classified(cell: &Cell, states: &[f64], stop: Stop) -> Batch {
    let mut batch = cell.filter.batch();
    let count = states.len() / cell.data.values;
    let request = Request { states, count, tables: None, stop, scope: Scope::States };
    cell.filter.classify(&mut batch, request);
    batch
}

#[test]
fn positions_are_within_the_stated_error() {
    let scaled = SCALES.map(|scale| gantry_cell(scale, DVec3::ZERO));
    for cell in cells().into_iter().chain(scaled) {
        let (filter, mut share, mut worst) = (&cell.filter, shares(4), 0.0f64);
        for round in 0..200 {
            let mut states: Vec<f64> = (0..LANES).flat_map(|_| cell.data.any_state(&mut share)).collect();
            // Turns by the thousand change little.
            let turns = |variable: usize| filter.turns[variable % cell.data.values];
            for (k, x) in states.iter_mut().enumerate().step_by(7).filter(|_| round % 2 == 0) {
                if x.abs() > 1.0 && turns(k) {
                    *x += 1000.0 * std::f64::consts::TAU;
                }
            }
            let batch = classified(&cell, &states, Stop::PerState);
            for lane in (0..LANES).filter(|&lane| !batch.is_out_of_range(lane)) {
                let poses = poses(&cell, &states[lane * cell.data.values..][..cell.data.values]);
                for &(number, _) in &filter.posed {
                    let piece = &filter.pieces[number as usize];
                    let place = &batch.centers[number as usize].whole;
                    let found = DVec3::from_array([0, 1, 2].map(|axis| f64::from(place[axis].0[lane])));
                    let truth = middle(&cell, &poses, piece) * filter.inverse;
                    worst = worst.max(found.distance(truth) / piece.error);
                }
            }
        }
        assert!(worst < 0.25, "{worst} of the stated error");
    }
}

/// Pairs with a primitive: how many were proven to collide, were unsure, and do collide.
#[derive(Default)]
struct Counts {
    hits: usize,
    open: usize,
    collide: usize,
}

impl Counts {
    /// Classifies configurations and compares the verdict on every pair with the exact engine.
    fn compare(&mut self, cell: &Cell, states: &[f64]) {
        let filter = &cell.filter;
        let [first, all] = [Stop::PerState, Stop::Never].map(|stop| classified(cell, states, stop));
        let unsure = |batch: &Batch, lane: usize, pair: u32| {
            batch.unsure.iter().any(|open| (usize::from(open.lane), open.pair) == (lane, pair))
        };
        for lane in (0..LANES).filter(|&lane| !all.is_out_of_range(lane)) {
            let poses = poses(cell, &states[lane * cell.data.values..][..cell.data.values]);
            for (number, pair) in filter.pairs.iter().enumerate() {
                let number = number as u32;
                let overlap = |bodies: [u32; 2]| {
                    let [a, b] = bodies.map(|body| placed(&cell.data.bodies[body as usize], &poses));
                    noli::overlap(&a, &b) == Overlap::Hit
                };
                let collides = filter.body_pairs(pair, 0.0).any(|pair| overlap(pair.bodies));
                if all.colliding.contains(&(lane as u8, number)) {
                    assert!(collides, "pair {number} was classified as colliding");
                } else if !unsure(&all, lane, number) {
                    assert!(!collides, "pair {number} was classified as separated");
                }
                match first.verdict(lane) {
                    Verdict::Collision(found) if found == number => assert!(collides),
                    Verdict::Separated => assert!(!collides),
                    Verdict::Collision(_) | Verdict::Unsure => {}
                }
                if pair.vs_primitive.is_some() {
                    self.hits += usize::from(first.verdict(lane) == Verdict::Collision(number));
                    self.open += usize::from(unsure(&first, lane, number));
                    self.collide += usize::from(collides);
                }
            }
        }
    }
}

/// Verdicts are those of the exact engine, and little is left to it.
#[test]
fn classification_agrees_with_the_exact_engine() {
    let mut counts = Counts::default();
    for cell in cells() {
        let mut share = shares(8);
        for _ in 0..200 {
            let states: Vec<f64> = (0..LANES).flat_map(|_| cell.data.any_state(&mut share)).collect();
            counts.compare(&cell, &states);
        }
    }
    let Counts { hits, open, collide } = counts;
    assert!(hits > 300 && 4 * open < collide, "{hits} hits, {open} unsure, {collide} collide");
}

/// The same far from the world's origin, and for robots and obstacles whose squares single precision does not
/// hold; only the distance makes pairs unsure.
#[test]
fn scaled_and_far_cells_agree_with_the_exact_engine() {
    for scale in [1.0, SCALES[0], SCALES[1]] {
        for far in [0.0, 1e5, 1e9, 1e13] {
            let cell = gantry_cell(scale, DVec3::new(far, -0.3 * far, 0.1 * far));
            let (mut share, mut counts) = (shares(11), Counts::default());
            for _ in 0..30 {
                let states: Vec<f64> = (0..LANES).flat_map(|_| cell.data.any_state(&mut share)).collect();
                counts.compare(&cell, &states);
            }
            let Counts { hits, open, collide } = counts;
            let known = far < 1e9;
            assert!(!known || (hits > 10 && open < collide), "{hits} hits, {open} unsure, {collide} collide");
        }
    }
}

/// Ground of kilometres that a hand just reaches, or just does not: its single precision is millimetres.
#[test]
fn ground_far_larger_than_the_robot_agrees_with_the_exact_engine() {
    let robot = Arc::new(gantry(1.0));
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
            let mut plan = CellBuilder::default();
            plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
            let links: Vec<String> = plan.part_names().map(str::to_owned).collect();
            for (a, b) in links.iter().flat_map(|a| links.iter().map(move |b| (a, b))) {
                plan.disable(a, b, "only the ground matters").unwrap();
            }
            plan.add_obstacle("ground", &ground, Pose::new(turn, height * up + beside)).unwrap();
            plan.build()
        };
        let far = cell(-size);
        let state = far.data.any_state(&mut share);
        let poses = poses(&far, &state);
        let under = placed(far.data.bodies.last().unwrap(), &poses);
        let clearances = far.data.bodies.iter().filter(|body| body.carrier.is_some_and(|link| link != 0));
        let clearance =
            clearances.map(|body| noli::clearance(&placed(body, &poses), &under).distance.at_most);
        let reached = clearance.fold(f64::INFINITY, f64::min) - size;
        for dip in [-1e-2, -1e-4, 1e-6, 1e-5, 1e-4, 1e-3] {
            counts.compare(&cell(reached + dip), &state.repeat(LANES));
        }
    }
    let Counts { hits, open, collide } = counts;
    assert!(collide > 1000 && open >= collide, "{hits} hits, {open} unsure, {collide} collide");
}

/// Every instruction set gives the same verdicts, for any number of configurations.
#[test]
fn instructions_change_nothing() {
    for cell in cells() {
        let mut share = shares(5);
        for round in 0..100 {
            let count = 1 + round % LANES;
            let states: Vec<f64> = (0..count).flat_map(|_| cell.data.any_state(&mut share)).collect();
            let verdicts = Instructions::available().into_iter().map(|set| {
                let mut batch = cell.filter.batch();
                let stop = [Stop::PerState, Stop::Anywhere, Stop::Never][round % 3];
                let request = Request { states: &states, count, tables: None, stop, scope: Scope::States };
                dispatch(set, ClassifyStates { filter: &cell.filter, batch: &mut batch, request });
                (batch.collision, batch.unsure, batch.colliding, batch.out_of_range)
            });
            let verdicts: Vec<_> = verdicts.collect();
            assert!(verdicts.iter().all(|other| *other == verdicts[0]));
        }
    }
}
