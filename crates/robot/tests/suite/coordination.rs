//! Two robots with any timing: what is proven free has no collision at random pairs of times.

use crate::curves::random_curve;
use crate::support::*;
use glam::dvec3;
use noli_geom::Pose;
use noli_robot::cell::{Cell, CellBuilder, CoordinationOptions, PartKind};
use noli_robot::*;
use std::sync::Arc;

fn two_arms(distance: f64) -> (Arc<Robot>, Cell) {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("a/", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    plan.add_robot("b/", robot.clone(), Pose::from_translation(dvec3(distance, 0.0, 0.0)), &shapes).unwrap();
    (robot, plan.build())
}

/// The curves of both arms as curves of the cell: each moves one arm, the other rests at its start.
fn of_cell(own: &JointCurve, arm: usize, rest: &[f64]) -> JointCurve {
    let knots = own.knots();
    let whole = |time: f64| {
        let values = own.position(time);
        if arm == 0 { [&values[..], rest].concat() } else { [rest, &values[..]].concat() }
    };
    let mut times = vec![knots[0]];
    for ends in knots.windows(2) {
        times.extend((1..=4).map(|k| ends[0] + (ends[1] - ends[0]) * f64::from(k) / 4.0));
    }
    let rows: Vec<Vec<f64>> = times.iter().map(|&time| whole(time)).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    JointCurve::linear(&times, &rows).unwrap()
}

#[test]
fn times_that_are_proven_free_have_no_collision() {
    let mut random = Random::new(23);
    let (mut independent, mut zones) = (0, 0);
    for round in 0..14 {
        let (robot, cell) = two_arms([2.5, 1.1, 0.9][round % 3]);
        let mut checker = cell.checker();
        let own = [0, 1].map(|_| random_curve(&mut random, &robot, 1, 0.5));
        let curves = [of_cell(&own[0], 0, &[0.0; 6]), of_cell(&own[1], 1, &[0.0; 6])];
        let mut options = CoordinationOptions::default();
        options.depth = 6;
        let found = checker.coordinate([&curves[0], &curves[1]], &[0], &options).unwrap();
        independent += usize::from(found.is_independent());
        zones += found.zones.len();
        let state = |[a, b]: [f64; 2]| -> Vec<f64> {
            let [x, y] = [curves[0].position(curves[0].time_at(a)), curves[1].position(curves[1].time_at(b))];
            [&x[..6], &y[6..]].concat()
        };
        let arm = |part: usize| match cell.parts()[part].holder {
            PartKind::Link { arm, .. } | PartKind::Carried { arm, .. } => arm,
            PartKind::World => usize::MAX,
        };
        let mut hits = Vec::new();
        let mut collides = |at: [f64; 2]| {
            checker.colliding_pairs(&state(at), &mut hits).unwrap();
            hits.iter()
                .find(|hit| {
                    let [a, b] = cell.pairs()[hit.pair].parts;
                    arm(a) != arm(b)
                })
                .map(|hit| hit.pair)
        };
        for _ in 0..3000 {
            let at = [random.unit(), random.unit()];
            let blocked = found
                .blocked
                .iter()
                .any(|[a, b]| a[0] <= at[0] && at[0] <= a[1] && b[0] <= at[1] && at[1] <= b[1]);
            if !blocked {
                assert_eq!(collides(at), None, "round {round} at {at:?}");
            }
        }
        for zone in &found.zones {
            if let Some((at, pair)) = zone.witness {
                assert!(collides(at).is_some());
                let point = cell.checker().meeting_point(&state(at), pair).unwrap();
                if let (Some(point), Some(space)) = (point, &zone.space) {
                    assert!(point.cmpge(space.min).all() && point.cmple(space.max).all());
                }
            }
        }
        // One after the other is in order; both at once where they collide is not.
        let after = found.order(|t| [(2.0 * t).min(1.0), (2.0 * t - 1.0).max(0.0)]);
        assert_eq!(after.len(), found.zones.len());
    }
    eprintln!("{independent} of 14 independent, {zones} zones");
    assert!(independent > 2 && zones > 2);
}
