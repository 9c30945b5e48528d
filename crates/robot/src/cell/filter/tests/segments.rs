//! Bounds on motion in segments against double precision.

use super::{SCALES, cells, gantry_cell, middle, poses, tip};
use crate::cell::filter::{Batch, Request, Scope, Segments, Spread, Stop};
use crate::cell::{Cell, LANES, shares};
use glam::DVec3;
use noli::Pose;

/// How close motions come to the stated bounds.
#[derive(Default)]
struct Tightest {
    pairs: f64,
    points: f64,
}

/// No two pieces come nearer to each other in a segment than is stated.
#[test]
fn ways_bound_the_motion_in_a_segment() {
    let scaled = SCALES.map(|scale| gantry_cell(scale, DVec3::ZERO));
    for cell in cells().into_iter().chain(scaled) {
        let (mut batch, mut share, mut tightest) = (cell.filter.batch(), shares(6), Tightest::default());
        for round in 0..120 {
            let middles: Vec<f64> = (0..LANES).flat_map(|_| cell.data.any_state(&mut share)).collect();
            let change: Vec<f64> = (0..cell.data.values)
                .map(|variable| 0.6 * (share() - 0.5) * cell.filter.unit_of(variable))
                .collect();
            let mut pace = Vec::new();
            cell.filter.pace(&change, &mut pace);
            // Long segments and short ones: the bounds are of different kinds.
            let size = 0.5f64.powi(1 + round % 6);
            let halves = [(size * (1.0 + 1e-6)) as f32; LANES];
            let spread = Spread::Even { halves: &halves, change: &change, pace: &pace };
            let segments = Segments { spread, candidates: None };
            let scope = Scope::Segments(&segments);
            let request =
                Request { states: &middles, count: LANES, tables: None, stop: Stop::Anywhere, scope };
            cell.filter.classify(&mut batch, request);
            for lane in (0..LANES).filter(|&lane| !batch.is_out_of_range(lane)) {
                let values = &middles[lane * cell.data.values..][..cell.data.values];
                let at = |share: f64| -> Vec<Pose> {
                    let values: Vec<f64> =
                        values.iter().zip(&change).map(|(x, path)| x + path * share).collect();
                    poses(&cell, &values)
                };
                let both = [at(0.0), at(2.0 * size * (share() - 0.5))];
                let outward = DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5).normalize_or(DVec3::X);
                tightest.compare(&cell, &batch, lane, &both, outward);
            }
        }
        let Tightest { pairs, points } = tightest;
        assert!(pairs > 0.2 && points > 0.8, "the bounds are of some use: {pairs}, {points}");
    }
}

impl Tightest {
    fn compare(
        &mut self,
        cell: &Cell,
        batch: &Batch,
        lane: usize,
        [now, later]: &[Vec<Pose>; 2],
        outward: DVec3,
    ) {
        let filter = &cell.filter;
        for (number, pair) in filter.pairs.iter().enumerate() {
            let [a, b] = pair.pieces.map(|piece| &filter.pieces[piece as usize]);
            let radii = filter.radius(pair.pieces[0]) + filter.radius(pair.pieces[1]);
            let clearance = |poses: &[Pose]| middle(cell, poses, a).distance(middle(cell, poses, b)) - radii;
            let stated = filter.length(batch.path(filter.route(number as u32), lane));
            let nearer = clearance(now) - clearance(later);
            assert!(nearer <= stated, "{nearer} of {stated}");
            // Against an obstacle, no point of the other piece goes further either.
            if a.frame.is_none() || b.frame.is_none() {
                let piece = pair.pieces[usize::from(a.frame.is_none())];
                let [from, to] = [now, later].map(|poses| tip(cell, poses, piece, outward));
                assert!(from.distance(to) <= stated, "{} of {stated}", from.distance(to));
                self.points = self.points.max(from.distance(to) / stated);
            }
            self.pairs = self.pairs.max(nearer / stated);
        }
    }
}
