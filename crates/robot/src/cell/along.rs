//! How close parts come on a way, not only at places on it.
//!
//! The gap of a pair changes from one place to another by at most what both bodies travel, so a gap in the
//! middle of a stretch, less those ways, is a bound for all of the stretch. The stretch with the smallest
//! bound is halved until bound and smallest gap found are near each other: branch and bound, best first.

use super::edge::EdgeError;
use super::{Cell, Checker};
use crate::JointMotion;
use noli::answer::{Bracket, Witness};
use noli_geom::UNIT_ROUNDOFF;
use noli_geom::{GroupMotion, Sphere};

/// The smallest gap on a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// No pair that is asked about is ever closer than `at_least`, by proof; one is as close as `at_most`.
    pub gap: Bracket,
    /// The pair that is that close; `None` if none is asked about.
    pub pair: Option<usize>,
    /// When, from 0 to 1.
    pub time: f64,
    /// Its nearest points then; `None` where it meets.
    pub witness: Option<Witness>,
}

/// A stretch, and no gap in it is smaller.
struct Stretch {
    span: (f64, f64),
    at_least: f64,
}

impl Checker<'_> {
    /// The smallest gap of all pairs asked about along a path through configurations, each stretch taking
    /// the same time. The bracket is as narrow as a tenth of the gap, unless that takes more than `most`
    /// configurations: then it is wider, and as true.
    pub fn clearance_along(&mut self, configurations: &[&[f64]], most: usize) -> Result<Closest, EdgeError> {
        let cell = self.cell;
        configurations.iter().try_for_each(|values| cell.check_values(values))?;
        let way = Ways::new(cell, configurations)?;
        let mut best = Closest { gap: Bracket::INFINITE, pair: None, time: 0.0, witness: None };
        let mut left = most.max(2);
        let mut values = vec![0.0; cell.value_count()];
        for (time, ends) in [(0.0, configurations.first()), (1.0, configurations.last())] {
            if let Some(end) = ends {
                left -= 1;
                self.take(end, time, &mut best)?;
            }
        }
        let stretches = configurations.len().saturating_sub(1).max(1);
        let mut open = Vec::with_capacity(stretches + 64);
        for k in 0..stretches {
            let span = (k as f64 / stretches as f64, (k + 1) as f64 / stretches as f64);
            open.push(Stretch { span, at_least: 0.0 });
        }
        let mut proven = f64::INFINITY;
        while let Some(next) = smallest(&open) {
            let Stretch { span, at_least } = open.swap_remove(next);
            if at_least >= 0.9 * best.gap.at_most {
                // The smallest of all that is open: nothing is left to be found.
                proven = proven.min(at_least);
                break;
            }
            let middle = 0.5 * (span.0 + span.1);
            if left == 0 || middle <= span.0 || middle >= span.1 {
                proven = proven.min(at_least);
                break;
            }
            left -= 1;
            way.configuration(cell, middle, &mut values);
            let found = self.take(&values, middle, &mut best)?;
            let ways = way.largest(cell, middle, span);
            let bound = (found - ways).max(at_least);
            if bound < 0.9 * best.gap.at_most {
                for span in [(span.0, middle), (middle, span.1)] {
                    open.push(Stretch { span, at_least: bound });
                }
            } else {
                proven = proven.min(bound);
            }
        }
        best.gap.at_least = proven.min(best.gap.at_least).max(0.0).min(best.gap.at_most);
        Ok(best)
    }

    /// Asks at a place; no gap there is smaller than what is returned.
    fn take(&mut self, values: &[f64], time: f64, best: &mut Closest) -> Result<f64, EdgeError> {
        let found = self.clearance(values)?;
        if found.pair.is_some() && (best.pair.is_none() || found.gap.at_most < best.gap.at_most) {
            let at_least = found.gap.at_least.min(best.gap.at_least);
            *best = Closest { gap: found.gap, pair: found.pair, time, witness: found.witness };
            best.gap.at_least = at_least;
        }
        Ok(found.gap.at_least)
    }
}

fn smallest(open: &[Stretch]) -> Option<usize> {
    (0..open.len()).min_by(|&a, &b| open[a].at_least.total_cmp(&open[b].at_least))
}

/// The ways of all robots, there and back.
struct Ways {
    there: Vec<JointMotion>,
    back: Vec<JointMotion>,
}

impl Ways {
    fn new(cell: &Cell, configurations: &[&[f64]]) -> Result<Self, EdgeError> {
        let last = configurations.len().saturating_sub(1) as f64;
        let times: Vec<f64> = (0..configurations.len()).map(|k| k as f64 / last).collect();
        let back_times: Vec<f64> = times.iter().rev().map(|time| 1.0 - time).collect();
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for arm in &cell.arms {
            let mut values: Vec<&[f64]> = configurations.iter().map(|values| arm.values(values)).collect();
            there.push(JointMotion::through(arm.robot.clone(), arm.world_from_root, &times, &values)?);
            values.reverse();
            back.push(JointMotion::through(arm.robot.clone(), arm.world_from_root, &back_times, &values)?);
        }
        Ok(Self { there, back })
    }

    fn configuration(&self, cell: &Cell, time: f64, values: &mut [f64]) {
        for (arm, motion) in cell.arms.iter().zip(&self.there) {
            let count = arm.robot.variables().len();
            motion.configuration(time, &mut values[arm.first_value..][..count]);
        }
    }

    /// No gap of a pair that is asked about changes by more between the middle of a span and anywhere in it.
    fn largest(&self, cell: &Cell, middle: f64, (t0, t1): (f64, f64)) -> f64 {
        let mut travels = vec![0.0f64; cell.bodies.len()];
        for (number, body) in cell.bodies.iter().enumerate() {
            let Some(carrier) = body.carrier else { continue };
            let arm = cell.arms.iter().rposition(|arm| arm.first_link <= carrier).unwrap_or(0);
            let link = carrier - cell.arms[arm].first_link;
            let (there, back) = (&self.there[arm], &self.back[arm]);
            let ball: &Sphere = &body.cover.whole;
            let before = back.travel(link, ball, 1.0 - middle, 1.0 - t0);
            let far = ball.center.length() + ball.radius + there.length_to(link);
            let error = 4096.0 * UNIT_ROUNDOFF * far * (1.0 + there.largest_angles());
            travels[number] = before.max(there.travel(link, ball, middle, t1)) + error;
        }
        let pair =
            |pair: &super::BodyPair| pair.bodies.map(|body| travels[body as usize]).iter().sum::<f64>();
        cell.on.iter().map(pair).fold(0.0, f64::max) * (1.0 + 4.0 * UNIT_ROUNDOFF)
    }
}
