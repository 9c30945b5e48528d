//! Single configurations against the same ones in a batch.

use super::{SCALES, cells, gantry, gantry_cell};
use crate::cell::filter::classify::ClassifyStates;
use crate::cell::filter::{Batch, Request, Scope, Stop};
use crate::cell::{Cell, CellBuilder, shares};
use glam::DVec3;
use noli::internals::{Instructions, dispatch};
use noli::{Convex, Model, PointCloud, Pose};
use std::sync::Arc;

/// The gantry before a cloud, a mesh and forty spheres.
fn crowded() -> Cell {
    let robot = gantry(1.0);
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", Arc::new(robot), Pose::IDENTITY, &shapes).unwrap();
    let mut share = shares(21);
    let mut place = || DVec3::new(share() - 0.5, share() - 0.3, share() - 1.2) * 2.0;
    let cloud = PointCloud::new((0..300).map(|_| place()).collect(), 0.02).unwrap();
    plan.add_obstacle("cloud", &Model::new(cloud).unwrap(), Pose::IDENTITY).unwrap();
    let torus = noli::Mesh::torus(0.3, 0.05, 24, 12).unwrap().into_solid();
    plan.add_obstacle("torus", &Model::new(torus).unwrap(), Pose::from_translation(place())).unwrap();
    let sphere = Model::new(Convex::sphere(0.04).unwrap()).unwrap();
    for k in 0..40 {
        plan.add_obstacle(&format!("sphere{k}"), &sphere, Pose::from_translation(place())).unwrap();
    }
    plan.build()
}

fn classified(cell: &Cell, states: &[f64], (set, stop, prepared): (Instructions, Stop, bool)) -> Batch {
    let mut batch = cell.filter.batch();
    let tables = if prepared { cell.tables() } else { None };
    let count = states.len() / cell.data.values;
    let request = Request { states, count, tables, stop, scope: Scope::States };
    dispatch(set, ClassifyStates { filter: &cell.filter, batch: &mut batch, request });
    batch
}

/// The verdict in the first lane.
fn first(batch: &Batch) -> impl PartialEq + std::fmt::Debug {
    let near: Vec<u32> =
        batch.near.iter().filter(|(_, lanes)| lanes & 1 == 1).map(|(pair, _)| *pair).collect();
    let unsure: Vec<(u32, u32)> = batch
        .unsure
        .iter()
        .filter(|open| open.lane == 0)
        .map(|open| (open.pair, open.depth.to_bits()))
        .collect();
    let colliding: Vec<u32> =
        batch.colliding.iter().filter(|(lane, _)| *lane == 0).map(|(_, pair)| *pair).collect();
    (near, unsure, colliding, batch.collision[0], batch.out_of_range & 1, batch.verdict(0))
}

/// Also where slides are out of range, angles are many turns, and tables are used; to the last bit of each centre.
#[test]
fn a_configuration_alone_is_classified_as_in_a_batch() {
    let all = cells().into_iter().chain(SCALES.map(|scale| gantry_cell(scale, DVec3::ZERO)));
    let (mut near, mut unsure, mut hits, mut far) = (0, 0, 0, 0);
    for cell in all.chain([crowded()]) {
        cell.prepare();
        let mut share = shares(17);
        for round in 0..600 {
            let mut state = cell.data.any_state(&mut share);
            match round % 10 {
                8 => state.iter_mut().for_each(|x| *x += 40.0 * std::f64::consts::TAU),
                9 => state[0] *= 50.0,
                _ => {}
            }
            let stop = [Stop::PerState, Stop::Anywhere, Stop::Never][round % 3];
            for set in Instructions::available() {
                let how = (set, stop, round % 2 == 0);
                let alone = classified(&cell, &state, how);
                let twice = classified(&cell, &state.repeat(2), how);
                assert!(alone.alone && !twice.alone);
                assert_eq!(first(&alone), first(&twice), "{how:?}");
                for number in 0..cell.filter.pieces.len() {
                    let wanted = twice.centers[number].whole.map(|row| row.0[0].to_bits());
                    let found = alone.one.center(number as u32).map(f32::to_bits);
                    assert_eq!(found, wanted, "piece {number}");
                }
                near += alone.near.len();
                unsure += alone.unsure.len();
                hits += usize::from(alone.collision[0].is_some());
                far += usize::from(alone.is_out_of_range(0));
            }
        }
    }
    assert!(near > 10_000 && unsure > 500 && hits > 500 && far > 50, "{near} {unsure} {hits} {far}");
}

/// A batch goes on with the memory of a configuration alone, and the reverse.
#[test]
fn batches_and_single_configurations_alternate() {
    let cell = crowded();
    let (mut share, mut kept) = (shares(31), cell.filter.batch());
    let size = cell.data.values;
    for round in 0..300 {
        let count = if round % 2 == 0 { 1 } else { 1 + round % 16 };
        let states: Vec<f64> = (0..count).flat_map(|_| cell.data.any_state(&mut share)).collect();
        let request =
            Request { states: &states, count, tables: None, stop: Stop::PerState, scope: Scope::States };
        cell.filter.classify(&mut kept, request);
        for lane in 0..count {
            let how = (Instructions::best(), Stop::PerState, false);
            let new = classified(&cell, &states[lane * size..][..size], how);
            assert_eq!(kept.verdict(lane), new.verdict(0));
        }
    }
}
