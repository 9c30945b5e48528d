//! Draws by number: Philox (Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, 2011) turns
//! a seed and a counter into random bits, so draw `i` needs none of those before it.

use crate::exact_arithmetic::ln;
use crate::plan::{Cloud, Deviation, Spread, Turn};
use glam::{DQuat, DVec3};
use noli::Pose;
use noli_geom::random::philox;
use noli_robot::{Robot, sin_cos};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Random numbers of one draw.
#[derive(Clone, Debug)]
pub struct Draws {
    key: [u32; 2],
    index: u64,
    block: u32,
    left: Vec<u64>,
    spare: Option<f64>,
}

impl Draws {
    /// The numbers that belong to a seed and a draw.
    pub fn new(seed: u64, index: u64) -> Self {
        Self {
            key: [seed as u32, (seed >> 32) as u32],
            index,
            block: 0,
            left: Vec::with_capacity(2),
            spare: None,
        }
    }

    fn bits(&mut self) -> u64 {
        if let Some(bits) = self.left.pop() {
            return bits;
        }
        let counter = [self.index as u32, (self.index >> 32) as u32, self.block, 0];
        self.block += 1;
        let [a, b, c, d] = philox(counter, self.key).map(u64::from);
        self.left.push(c | d << 32);
        a | b << 32
    }

    /// Evenly from 0 to 1, which is left out: a multiple of 2⁻⁵³.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// From the normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        // From 0, left out, to 1.
        let share = 1.0 - self.uniform();
        let radius = (-2.0 * ln(share)).max(0.0).sqrt();
        let (sin, cos) = sin_cos(TAU * self.uniform());
        self.spare = Some(radius * sin);
        radius * cos
    }

    /// A direction, evenly on the sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let (sin, cos) = sin_cos(TAU * self.uniform());
        let radius = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(radius * cos, radius * sin, z)
    }

    /// A rotation, evenly among all (Shoemake 1992).
    pub fn rotation(&mut self) -> DQuat {
        let share = self.uniform();
        let (a, b) = ((1.0 - share).sqrt(), share.sqrt());
        let (sin_a, cos_a) = sin_cos(TAU * self.uniform());
        let (sin_b, cos_b) = sin_cos(TAU * self.uniform());
        DQuat::from_xyzw(a * sin_a, a * cos_a, b * sin_b, b * cos_b)
    }

    /// A rotation about any axis by an angle evenly up to `most_rad`.
    pub fn turn(&mut self, most_rad: f64) -> DQuat {
        let axis = self.direction();
        let (sin, cos) = sin_cos(0.5 * self.between(-most_rad, most_rad));
        DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
    }
}

/// Drawn items.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// A pose of the body that is moved.
    Pose(Pose),
    /// From one pose to another.
    Way(Pose, Pose),
    /// Poses of all bodies that deviate.
    Places(Vec<Pose>),
    /// Values of a robot's variables.
    Values(Vec<f64>),
    /// From one configuration to another.
    ValuesPath(Vec<f64>, Vec<f64>),
}

impl Draw {
    /// Returns the draw as numbers: seven for a pose (x, y, z, qx, qy, qz, qw), one for a variable. For a path, the
    /// start comes before the end.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Pose(pose) => pose.to_array().to_vec(),
            Self::Way(start, end) => [start.to_array(), end.to_array()].concat(),
            Self::Places(places) => places.iter().flat_map(Pose::to_array).collect(),
            Self::Values(values) => values.clone(),
            Self::ValuesPath(start, end) => [&start[..], end].concat(),
        }
    }
}

/// Turns numbers of draws into draws.
#[derive(Clone, Debug)]
pub enum Generator {
    /// Poses about the nominal pose of the body.
    Poses {
        /// Location.
        cloud: Cloud,
        /// Pose of the body in the scene.
        nominal: Pose,
    },
    /// Straight paths between two such poses.
    Ways {
        /// Location.
        cloud: Cloud,
        /// Pose of the body in the scene.
        nominal: Pose,
    },
    /// All bodies off their places.
    Deviations {
        /// Each body's place and how far off it may be.
        parts: Vec<(Pose, Deviation)>,
    },
    /// Configurations within limits.
    Configurations {
        /// The robot.
        robot: Arc<Robot>,
    },
    /// Straight paths in joint space between two such configurations; `reach` is the maximum change of each
    /// variable.
    ConfigurationPaths {
        /// The robot.
        robot: Arc<Robot>,
        /// The largest change of a variable; without end for any.
        reach: f64,
    },
}

impl Generator {
    /// One draw.
    pub fn draw(&self, seed: u64, index: u64) -> Draw {
        let draws = &mut Draws::new(seed, index);
        match self {
            Self::Poses { cloud, nominal } => Draw::Pose(cloud.pose(nominal, draws)),
            Self::Ways { cloud, nominal } => {
                let start = cloud.pose(nominal, draws);
                Draw::Way(start, cloud.pose(nominal, draws))
            }
            Self::Deviations { parts } => {
                Draw::Places(parts.iter().map(|(place, deviation)| deviation.pose(place, draws)).collect())
            }
            Self::Configurations { robot } => Draw::Values(values(robot, draws)),
            Self::ConfigurationPaths { robot, reach } => {
                let start = values(robot, draws);
                let mut end = values(robot, draws);
                for ((end, start), variable) in end.iter_mut().zip(&start).zip(robot.variables()) {
                    let [low, high] = variable.drawn_range();
                    if reach.is_finite() {
                        // The share of the range that was drawn is used again, now of what is in reach.
                        let share = if high > low { (*end - low) / (high - low) } else { 0.5 };
                        let (low, high) = ((start - reach).max(low), (start + reach).min(high));
                        *end = low + (high - low) * share;
                    }
                }
                robot.apply_laws(&mut end);
                Draw::ValuesPath(start, end)
            }
        }
    }
}

fn values(robot: &Robot, draws: &mut Draws) -> Vec<f64> {
    let one = |variable: &noli_robot::Variable| {
        let [low, high] = variable.drawn_range();
        draws.between(low, high)
    };
    let mut values: Vec<f64> = robot.variables().iter().map(one).collect();
    robot.apply_laws(&mut values);
    values
}

impl Cloud {
    fn pose(&self, nominal: &Pose, draws: &mut Draws) -> Pose {
        let shift = match self {
            Self::Box { low, high, .. } => DVec3::new(
                draws.between(low.x, high.x),
                draws.between(low.y, high.y),
                draws.between(low.z, high.z),
            ),
            Self::Shell { center, reach, .. } => {
                let direction = draws.direction();
                *center + direction * draws.between(reach[0], reach[1])
            }
        };
        let (Self::Box { turn, .. } | Self::Shell { turn, .. }) = self;
        let rotation = match turn {
            Turn::None => nominal.rotation,
            Turn::Any => draws.rotation(),
            Turn::UpTo(most) => draws.turn(*most) * nominal.rotation,
        };
        Pose::new(rotation, nominal.translation + shift)
    }
}

impl Deviation {
    fn pose(&self, nominal: &Pose, draws: &mut Draws) -> Pose {
        let off = |draws: &mut Draws, most: f64| match self.spread {
            Spread::Uniform => most * draws.between(-1.0, 1.0),
            Spread::Normal => most * draws.normal(),
        };
        let shift = DVec3::new(off(draws, self.shift.x), off(draws, self.shift.y), off(draws, self.shift.z));
        if self.turn_rad == DVec3::ZERO {
            return Pose::new(nominal.rotation, nominal.translation + shift);
        }
        let about = |angle: f64, axis: DVec3| {
            let (sin, cos) = sin_cos(0.5 * angle);
            DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
        };
        let angles =
            DVec3::new(off(draws, self.turn_rad.x), off(draws, self.turn_rad.y), off(draws, self.turn_rad.z));
        let turn = about(angles.z, DVec3::Z) * about(angles.y, DVec3::Y) * about(angles.x, DVec3::X);
        Pose::new(turn * nominal.rotation, nominal.translation + shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_moments_that_they_should() {
        let count = 20_000;
        let (mut mean, mut square, mut normal, mut spread) = (0.0, 0.0, 0.0, 0.0);
        let (mut center, mut matrix) = (DVec3::ZERO, glam::DMat3::ZERO);
        for index in 0..count {
            let mut draws = Draws::new(5, index);
            let (u, g) = (draws.uniform(), draws.normal());
            mean += u;
            square += u * u;
            normal += g;
            spread += g * g;
            center += draws.direction();
            matrix += glam::DMat3::from_quat(draws.rotation());
            assert!((0.0..1.0).contains(&u));
        }
        let n = count as f64;
        assert!((mean / n - 0.5).abs() < 0.01 && (square / n - 1.0 / 3.0).abs() < 0.01);
        assert!((normal / n).abs() < 0.03 && (spread / n - 1.0).abs() < 0.05);
        assert!((center / n).length() < 0.03);
        assert!((matrix * (1.0 / n)).to_cols_array().iter().all(|entry| entry.abs() < 0.03));
    }
}
