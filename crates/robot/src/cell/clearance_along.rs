//! How close parts come on a way, not only at places on it.
//!
//! The clearance of a pair changes from one place to another by at most what both bodies travel, so a clearance in the
//! middle of a stretch, less those ways, is a bound for all of the stretch. The stretch with the smallest
//! bound is halved until bound and smallest clearance found are near each other: branch and bound, best first.

use super::Checker;
use super::arm_motion::Motions;
use super::data::{BodyPair, CellData};
use super::edge::EdgeError;
use crate::JointCurve;
use noli::answer::{Bracket, Witness};
use noli_geom::UNIT_ROUNDOFF;

/// The smallest clearance on a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// No pair that is asked about is ever closer than `at_least`, by proof; one is as close as `at_most`.
    pub clearance: Bracket,
    /// The pair that is that close; `None` if none is asked about.
    pub pair: Option<usize>,
    /// Time, from 0 to 1.
    pub time: f64,
    /// Its nearest points then; `None` where it meets.
    pub witness: Option<Witness>,
}

/// A stretch, and no clearance in it is smaller.
struct Segment {
    span: (f64, f64),
    at_least: f64,
}

impl Checker<'_> {
    /// The smallest clearance of all pairs asked about along a path through configurations, each stretch taking
    /// the same time. The bracket is as narrow as a tenth of the clearance, unless that takes more than `most`
    /// configurations: then it is wider, and as true.
    pub fn clearance_along(&mut self, configurations: &[&[f64]], most: usize) -> Result<Closest, EdgeError> {
        let cell = self.cell;
        configurations.iter().try_for_each(|values| cell.check_values(values))?;
        let motions = Motions::new(&cell.data, configurations)?;
        let segments = configurations.len().saturating_sub(1).max(1);
        let times: Vec<f64> = (0..=segments).map(|k| k as f64 / segments as f64).collect();
        self.smallest_clearance(&motions, &times, most)
    }

    /// The same along a joint curve, over times from 0 at its start to 1 at its end.
    pub fn clearance_along_curve(&mut self, curve: &JointCurve, most: usize) -> Result<Closest, EdgeError> {
        self.check_control(curve)?;
        let motions = Motions::along(&self.cell.data, curve)?;
        let ([start, end], knots) = (curve.span(), curve.knots());
        let mut times: Vec<f64> = knots.iter().map(|knot| (knot - start) / (end - start)).collect();
        times.iter_mut().last().into_iter().for_each(|last| *last = 1.0);
        self.smallest_clearance(&motions, &times, most)
    }

    /// The smallest clearance along motions, in segments between some times.
    fn smallest_clearance(
        &mut self,
        motions: &Motions,
        times: &[f64],
        most: usize,
    ) -> Result<Closest, EdgeError> {
        let cell = self.cell;
        let mut best = Closest { clearance: Bracket::INFINITE, pair: None, time: 0.0, witness: None };
        let mut left = most.max(2);
        let mut values = vec![0.0; cell.value_count()];
        for time in [0.0, 1.0] {
            left -= 1;
            motions.configuration(&cell.data, time, &mut values);
            self.take(&values, time, &mut best)?;
        }
        let mut open = Vec::with_capacity(times.len() + 64);
        open.extend(times.windows(2).map(|ends| Segment { span: (ends[0], ends[1]), at_least: 0.0 }));
        let mut proven = f64::INFINITY;
        while let Some(next) = smallest(&open) {
            let Segment { span, at_least } = open.swap_remove(next);
            if at_least >= 0.9 * best.clearance.at_most {
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
            motions.configuration(&cell.data, middle, &mut values);
            let found = self.take(&values, middle, &mut best)?;
            let paths = largest_path(&cell.data, motions, middle, span);
            let bound = (found - paths).max(at_least);
            if bound < 0.9 * best.clearance.at_most {
                for span in [(span.0, middle), (middle, span.1)] {
                    open.push(Segment { span, at_least: bound });
                }
            } else {
                proven = proven.min(bound);
            }
        }
        best.clearance.at_least = proven.min(best.clearance.at_least).max(0.0).min(best.clearance.at_most);
        Ok(best)
    }

    /// Asks at a place; no clearance there is smaller than what is returned.
    fn take(&mut self, values: &[f64], time: f64, best: &mut Closest) -> Result<f64, EdgeError> {
        let found = self.clearance(values)?;
        if found.pair.is_some() && (best.pair.is_none() || found.clearance.at_most < best.clearance.at_most) {
            let at_least = found.clearance.at_least.min(best.clearance.at_least);
            *best = Closest { clearance: found.clearance, pair: found.pair, time, witness: found.witness };
            best.clearance.at_least = at_least;
        }
        Ok(found.clearance.at_least)
    }
}

fn smallest(open: &[Segment]) -> Option<usize> {
    (0..open.len()).min_by(|&a, &b| open[a].at_least.total_cmp(&open[b].at_least))
}

/// No distance of a pair that is tested changes by more between the middle of a span and anywhere in it.
fn largest_path(data: &CellData, motions: &Motions, middle: f64, span: (f64, f64)) -> f64 {
    let travel = |body| motions.travel(data, body, middle, span);
    let travels: Vec<f64> = (0..data.bodies.len()).map(travel).collect();
    let path = |pair: &BodyPair| pair.bodies.map(|body| travels[body as usize]).iter().sum::<f64>();
    data.on.iter().map(path).fold(0.0, f64::max) * (1.0 + 4.0 * UNIT_ROUNDOFF)
}
