//! Cells of the octree.

use crate::hash::Mixed;
use glam::DVec3;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A cell: its level, and its place among those of the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) level: u32,
    pub(crate) cell: [i32; 3],
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [x, y, z] = self.cell.map(|place| u64::from(place as u32));
        state.write_u64(x << 32 | y);
        state.write_u64(z << 32 | u64::from(self.level));
    }
}

impl Key {
    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        (0..8).map(move |k| {
            let half = |axis: usize| 2 * self.cell[axis] + (k >> axis & 1);
            Self { level: self.level + 1, cell: [half(0), half(1), half(2)] }
        })
    }
}

/// Cells of the last level, by their edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) origin: DVec3,
    pub(crate) edge: f64,
    pub(crate) depth: u32,
}

impl Grid {
    pub(crate) fn size(&self, level: u32) -> f64 {
        self.edge * f64::from(1u32 << (self.depth - level))
    }

    pub(crate) fn center(&self, key: Key) -> DVec3 {
        let size = self.size(key.level);
        self.origin + DVec3::from_array(key.cell.map(|place| (f64::from(place) + 0.5) * size))
    }

    pub(crate) fn vertex(&self, place: [i32; 3]) -> DVec3 {
        self.origin + DVec3::from_array(place.map(f64::from)) * self.edge
    }
}

/// Cells of the last level and of others.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cells {
    depth: u32,
    all: HashSet<Key, BuildHasherDefault<Mixed>>,
    /// Levels that are used.
    levels: Vec<u32>,
}

impl Cells {
    pub(crate) fn new(depth: u32, keys: impl IntoIterator<Item = Key>) -> Self {
        let all: HashSet<Key, _> = keys.into_iter().collect();
        let mut used = vec![false; depth as usize + 1];
        all.iter().for_each(|key: &Key| used[key.level as usize] = true);
        let levels = (0..=depth).filter(|level| used[*level as usize]).collect();
        Self { depth, all, levels }
    }

    /// True if a cell of the last level is one of them or within one.
    pub(crate) fn contains(&self, cell: [i32; 3]) -> bool {
        self.levels.iter().any(|&level| {
            let cell = cell.map(|place| place >> (self.depth - level));
            self.all.contains(&Key { level, cell })
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Key> {
        self.all.iter().copied()
    }

    /// The first and the behind-last cell of the last level that a cell covers.
    pub(crate) fn span(&self, key: Key) -> [[i32; 3]; 2] {
        let shift = self.depth - key.level;
        [key.cell.map(|place| place << shift), key.cell.map(|place| (place + 1) << shift)]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Their number, each divided into those of the last level.
    pub(crate) fn volume(&self) -> f64 {
        self.all.iter().map(|key| 8f64.powi((self.depth - key.level) as i32)).sum()
    }
}
