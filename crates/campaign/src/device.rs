//! Chunks on a device: the same answers, many draws at a time.

use crate::answer::{Asked, Bodies};
use crate::plan::Question;
use crate::random_draws::Draw;
use crate::shard::{Row, Tally};
use noli::world::{Body, BodyId};
use noli::{Overlap, Pose};
use noli_gpu::{Device, DeviceError, Loaded, LoadedCell, Poses, StateSource};
use std::ops::Range;

/// A device with the bodies of a campaign loaded.
#[derive(Clone, Debug)]
pub(crate) struct OnDevice {
    device: Device,
    bodies: LoadedBodies,
}

#[derive(Clone, Debug)]
enum LoadedBodies {
    /// The one that is moved, and the others where they rest.
    One {
        model: Loaded,
        others: Vec<(Loaded, Pose)>,
    },
    Robot(LoadedCell, StateSource),
}

impl OnDevice {
    /// Returns `None` if a device does not support the query: clearances would have other brackets, and times and
    /// deviations have no batches. The CPU is used then.
    pub(crate) fn new(device: Device, asked: &Asked) -> Result<Option<Self>, DeviceError> {
        if asked.question != Question::Overlap {
            return Ok(None);
        }
        let bodies = match &asked.bodies {
            Bodies::One { world, moved } => {
                let others = world.bodies().filter(|(id, _)| id != moved);
                let load = |(_, body): (BodyId, &Body)| Ok((device.load(body.model())?, body.pose()));
                let others = others.map(load).collect::<Result<_, DeviceError>>()?;
                LoadedBodies::One { model: device.load(world[*moved].model())?, others }
            }
            Bodies::Robot(cell) => {
                let source = StateSource::new(cell, asked.seed);
                LoadedBodies::Robot(device.load_cell((**cell).clone())?, source)
            }
            Bodies::Parts { .. } => return Ok(None),
        };
        Ok(Some(Self { device, bodies }))
    }

    pub(crate) fn name(&self) -> &str {
        self.device.name()
    }

    /// The answers to some draws.
    pub(crate) fn tally(&self, asked: &Asked, range: Range<u64>) -> Result<(Tally, Vec<Row>), DeviceError> {
        if let LoadedBodies::Robot(cell, source) = &self.bodies
            && !asked.rows
        {
            let found = self.device.tally_states(cell, source, range)?;
            return Ok((asked.counted(&found), Vec::new()));
        }
        let numbers: Vec<u64> = range.collect();
        let mut draws = vec![Draw::Values(Vec::new()); numbers.len()];
        let drawn = noli::batch(&numbers, &mut draws, |&index, _| asked.generator.draw(asked.seed, index));
        debug_assert!(drawn.is_ok(), "as many draws as numbers");
        let verdicts = self.verdicts(asked.margin, &draws)?;
        let (mut tally, mut rows) = (asked.blank(), Vec::new());
        for ((&index, draw), verdict) in numbers.iter().zip(&draws).zip(verdicts) {
            asked.count_verdict(index, draw, verdict, &mut tally, &mut rows);
        }
        Ok((tally, rows))
    }

    fn verdicts(&self, margin: f64, draws: &[Draw]) -> Result<Vec<Overlap>, DeviceError> {
        let mut all = vec![Overlap::Free; draws.len()];
        match &self.bodies {
            LoadedBodies::Robot(cell, _) => {
                let states: Vec<f64> = draws.iter().flat_map(Draw::numbers).collect();
                self.device.overlap_states(cell, &states, &mut all)?;
            }
            LoadedBodies::One { model, others } => {
                let row = |draw: &Draw| match draw {
                    Draw::Pose(pose) => {
                        let ([x, y, z, w], [a, b, c]) =
                            (pose.rotation.to_array(), pose.translation.to_array());
                        [x, y, z, w, a, b, c]
                    }
                    // No pose: unknown.
                    _ => [f64::NAN; 7],
                };
                let rows: Vec<noli_gpu::Row> = draws.iter().map(row).collect();
                let mut found = all.clone();
                for (other, place) in others {
                    let (fixed, poses) = ((other, place), Poses::Rows(&rows));
                    if margin > 0.0 {
                        self.device.closer_than_poses(fixed, model, &poses, margin, &mut found)?;
                    } else {
                        self.device.overlap_poses(fixed, model, &poses, &mut found)?;
                    }
                    for (all, found) in all.iter_mut().zip(&found) {
                        if *found == Overlap::Hit || *all == Overlap::Free {
                            *all = *found;
                        }
                    }
                }
            }
        }
        Ok(all)
    }
}
