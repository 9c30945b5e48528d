//! Distances of points from bodies, remembered on a grid in the frame of each body.
//!
//! Cells that a body passes are met again and again at the same places of the body. The distance changes by no more than
//! the point moves, so that of the nearest grid point is a bracket for it.

use crate::SweptBody;
use glam::DVec3;
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Convex, Model, Pose, QueryContext, Scratch, ShapeError};
use noli_geom::Sphere;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Brackets of distances, by body, level of the octree and grid point.
#[derive(Debug)]
pub(crate) struct Distances {
    /// A small sphere for each level, its radius, and the spacing of the grid.
    probes: Vec<(Model, f64, f64)>,
    known: HashMap<(u64, u64), [f64; 2], BuildHasherDefault<Mixed>>,
}

/// Half the diagonals of a cell up to which distances are needed.
const FAR: f64 = 4.0;
/// Bits of a place on the grid.
const BITS: u32 = 21;

impl Distances {
    /// For half the diagonals of cells of all levels.
    pub(crate) fn new(halves: impl Iterator<Item = f64>) -> Result<Self, ShapeError> {
        let probe = |half: f64| {
            let radius = half / 64.0;
            Ok((Model::new(Convex::sphere(radius)?)?, radius, half))
        };
        let probes = halves.map(probe).collect::<Result<_, ShapeError>>()?;
        Ok(Self { probes, known: HashMap::default() })
    }

    /// A bracket on the distance of a point from a body, in the frame of the body.
    pub(crate) fn bracket(
        &mut self,
        (number, level): (u32, u32),
        body: &SweptBody<'_>,
        sphere: &Sphere,
        point: DVec3,
        scratch: &mut Scratch,
    ) -> [f64; 2] {
        let (probe, radius, spacing) = &self.probes[level as usize];
        let place = ((point - sphere.center) / spacing).round();
        let most = f64::from(1u32 << (BITS - 1)) - 1.0;
        if place.abs().max_element() > most {
            return [0.0, f64::INFINITY];
        }
        let packed = place.to_array().iter().fold(0u64, |all, at| all << BITS | (at + most) as u64);
        let at = sphere.center + place * *spacing;
        let [low, high] =
            *self.known.entry((u64::from(number) << 32 | u64::from(level), packed)).or_insert_with(|| {
                let half = *spacing;
                let query =
                    ClearanceQuery { max_distance: FAR * half, tolerance: Tolerance::Length(0.01 * half) };
                let placed = probe.at(Pose::from_translation(at));
                let found =
                    QueryContext::new(scratch).clearance(&placed, &body.model.at(Pose::IDENTITY), &query);
                let bracket = found.distance;
                // From the surface of the probe; one that overlaps may be anywhere inside.
                let low = if bracket.at_least > 0.0 { bracket.at_least + radius } else { 0.0 };
                [low, bracket.at_most + radius]
            });
        let off = point.distance(at) * (1.0 + 1e-9) + 1e-12 * (point.length() + sphere.radius);
        [low - off, high + off]
    }
}

/// Mixes the two numbers of a key (Fibonacci hashing, Knuth 1973).
#[derive(Debug, Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
