//! Removals as a person makes them with a six-axis input device.

use super::Removal;
use crate::SplitMix64;
use glam::{DQuat, DVec3};
use noli_geom::Pose;
use std::f64::consts::TAU;

impl Removal {
    /// Returns the path as followed by a hesitant hand. Progress is irregular and sometimes backward, longest
    /// where there is least room, and the hand trembles in all six axes. It collides with obstacles and comes
    /// free again, as the recorded motions of the study did. The study's recordings are lost; these are
    /// generated from a seed.
    pub fn hesitant(&self, seed: u64, steps: usize) -> Vec<Pose> {
        let mut random = SplitMix64::new(seed);
        let tremor: Vec<Wave> = (0..6).map(|_| Wave::new(&mut random)).collect();
        let pace = Wave::new(&mut random);
        let size = self.path.windows(2).map(|w| w[0].translation.distance(w[1].translation)).sum::<f64>();
        let pose = |step: usize| {
            let time = step as f64 / steps.saturating_sub(1).max(1) as f64;
            // Slow at the ends, slowest at the start; the pace wanders enough to go back now and then.
            let eased = (time * time * (3.0 - 2.0 * time)).powi(2);
            let wander = 0.03 * (pace.at(3.0 * time) - pace.at(0.0)) * (TAU * time / 2.0).sin();
            let along = (eased + wander * (0.25 + eased)).clamp(0.0, 1.0);
            let path = on_path(&self.path, along);
            // Still only at the very ends.
            let free = (6.0 * (TAU * time / 2.0).sin()).min(1.0);
            let at = |k: usize| tremor[k].at(2.0 * time);
            let shake = DVec3::new(at(0), at(1), at(2)) * (0.012 * size * free);
            let turn = DQuat::from_scaled_axis(DVec3::new(at(3), at(4), at(5)) * (0.08 * free));
            Pose::new(turn * path.rotation.normalize(), path.translation + shake)
        };
        (0..steps).map(pose).collect()
    }
}

/// A few slow oscillations, between −1 and 1.
struct Wave([(f64, f64); 4]);

impl Wave {
    fn new(random: &mut SplitMix64) -> Self {
        Self(std::array::from_fn(|k| (random.between(1.0, 3.0) * (k + 1) as f64, random.unit())))
    }

    fn at(&self, time: f64) -> f64 {
        let parts = self.0.iter().enumerate();
        parts.map(|(k, (pace, phase))| (TAU * (pace * time + phase)).sin() / (2.1 * (k + 1) as f64)).sum()
    }
}

/// Returns the pose at a fraction of the path.
fn on_path(path: &[Pose], share: f64) -> Pose {
    let lengths: Vec<f64> = path.windows(2).map(|w| w[0].translation.distance(w[1].translation)).collect();
    let mut left = share * lengths.iter().sum::<f64>();
    for (pair, length) in path.windows(2).zip(&lengths) {
        if left <= *length && *length > 0.0 {
            let share = left / length;
            let rotation = pair[0].rotation.normalize().slerp(pair[1].rotation.normalize(), share);
            return Pose::new(rotation, pair[0].translation.lerp(pair[1].translation, share));
        }
        left -= length;
    }
    path.last().copied().unwrap_or(Pose::IDENTITY)
}

#[cfg(test)]
mod tests {
    use crate::engine_bay_removals;

    #[test]
    fn a_hesitant_hand_starts_in_place_and_ends_in_the_open() {
        for removal in engine_bay_removals() {
            let poses = removal.hesitant(1, 200);
            assert_eq!(poses, removal.hesitant(1, 200));
            let [first, last] = [poses[0], poses[199]];
            assert!(first.translation.distance(removal.path[0].translation) < 1e-9);
            assert!(last.translation.distance(removal.path[3].translation) < 1e-9);
            let back = poses.windows(2).filter(|w| {
                let path = removal.path[1].translation - removal.path[0].translation;
                (w[1].translation - w[0].translation).dot(path) < 0.0
            });
            assert!(back.count() > 5, "{}", removal.name);
        }
    }
}
