//! Poses of new bodies: next to an equal one at the same place.

use super::Session;
use glam::DVec3;
use noli_project::Staged;

/// Bodies of one kind in a row that are tried.
const MOST_TRIED: usize = 1000;
/// Distance of copies, in lengths of the body.
const STEP: f64 = 1.1;

/// Bodies that count as being at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SamePlace {
    /// Of equal boxes: parts of an assembly may well have a common centre.
    Box,
    /// With a common centre: a sphere in a box is not seen.
    Center,
}

impl Session {
    /// Returns the translation along x that brings new bodies next to those at their place.
    pub(super) fn offset_of(&self, fresh: &Staged, same: SamePlace) -> DVec3 {
        let news: Vec<_> = fresh.world.bodies().map(|(_, body)| body.bounds()).collect();
        let Some(low) = news.iter().map(|bounds| bounds.min).reduce(DVec3::min) else { return DVec3::ZERO };
        let high = news.iter().map(|bounds| bounds.max).fold(low, DVec3::max);
        let size = high - low;
        let near = |a: DVec3, b: DVec3| (a - b).abs().max_element() <= 1e-6 * size.max_element();
        let taken = |offset: DVec3| {
            let is_there = |bounds: &noli_geom::Aabb| {
                self.staged.world.bodies().map(|(_, body)| body.bounds()).any(|known| match same {
                    SamePlace::Box => {
                        near(known.min, bounds.min + offset) && near(known.max, bounds.max + offset)
                    }
                    SamePlace::Center => near(known.min + known.max, bounds.min + bounds.max + 2.0 * offset),
                })
            };
            news.iter().any(is_there)
        };
        let step = if size.x > 0.0 { STEP * size.x } else { size.max_element().max(1.0) };
        let mut offsets = (0..MOST_TRIED).map(|k| DVec3::X * (step * k as f64));
        offsets.find(|offset| !taken(*offset)).unwrap_or(DVec3::ZERO)
    }
}
