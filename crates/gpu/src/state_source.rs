//! Configurations drawn by their number.

use crate::packed::Words;
use noli_geom::random::philox;
use noli_robot::cell::Cell;
use noli_robot::{JointAxisKind, MimicRelation, Variable};
use std::f64::consts::PI;

/// A stream of random configurations within the limits of all joints, by Philox 4×32 (Salmon, Moraes, Dror and Shaw
/// 2011), as campaigns draw them. A configuration follows from the seed and its number alone and is the same to the last
/// bit on a device and on any CPU.
#[derive(Clone, Debug)]
pub struct StateSource {
    seed: u64,
    ranges: Vec<[f64; 2]>,
    laws: Vec<Option<MimicRelation>>,
}

impl StateSource {
    /// Draws for all robots of a cell. Without limits a joint turns half a turn, or slides a metre, in both directions.
    pub fn new(cell: &Cell, seed: u64) -> Self {
        let (mut ranges, mut laws) = (Vec::new(), Vec::new());
        for robot in cell.robots() {
            let first = ranges.len();
            ranges.extend(robot.variables().iter().map(range));
            laws.extend(robot.variables().iter().map(|variable| {
                let law = variable.mimic?;
                Some(MimicRelation { of: first + law.of, ..law })
            }));
        }
        Self { seed, ranges, laws }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Number of values of a configuration.
    pub fn value_count(&self) -> usize {
        self.ranges.len()
    }

    /// Appends the configuration of a number.
    pub fn draw(&self, number: u64, values: &mut Vec<f64>) {
        let first = values.len();
        let mut spare = None;
        for (k, [low, high]) in self.ranges.iter().enumerate() {
            let bits = spare.take().unwrap_or_else(|| {
                let counter = [number as u32, (number >> 32) as u32, k as u32 / 2, 0];
                let [a, b, c, d] =
                    philox(counter, [self.seed as u32, (self.seed >> 32) as u32]).map(u64::from);
                spare = Some(c | d << 32);
                a | b << 32
            });
            let share = (bits >> 11) as f64 * 0.5f64.powi(53);
            values.push(low + (high - low) * share);
        }
        for (k, law) in self.laws.iter().enumerate() {
            if let Some(law) = law {
                values[first + k] = law.multiplier * values[first + law.of] + law.offset;
            }
        }
    }

    /// As `Range` in `states.cuh`.
    #[doc(hidden)]
    pub fn packed(&self) -> Vec<u32> {
        let mut words = Words::default();
        for (&[low, high], law) in self.ranges.iter().zip(&self.laws) {
            let [multiplier, offset] = law.map_or([0.0; 2], |law| [law.multiplier, law.offset]);
            words.f64s(&[low, high, multiplier, offset]);
            words.0.extend([law.map_or(u32::MAX, |law| law.of as u32), 0]);
        }
        words.0
    }
}

fn range(variable: &Variable) -> [f64; 2] {
    let most = match variable.movement {
        JointAxisKind::Turn => PI,
        JointAxisKind::Slide => 1.0,
    };
    variable.limits.range.unwrap_or([-most, most])
}
