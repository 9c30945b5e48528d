//! Signed distances of points from bodies, remembered on a grid in the frame of each body.
//!
//! Cells that a body passes are met again and again at the same places of the body. The distance changes by no more than
//! the point moves, so that of the nearest grid point is a bracket for it.

use crate::hash::Mixed;
use glam::DVec3;
use noli::answer::Location;
use noli::query::{ClearanceQuery, Tolerance};
use noli::{Convex, Model, Pose, QueryContext, Scratch, ShapeError};
use noli_geom::Sphere;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Brackets of distances, by body, level of the octree and grid point.
#[derive(Debug)]
pub(crate) struct Distances {
    /// A small sphere for each level, its radius, and the spacing of the grid.
    probes: Vec<(Model, f64, f64)>,
    known: HashMap<(u64, u64), [f64; 2], BuildHasherDefault<Mixed>>,
    /// Distance that is needed beyond that for the cells.
    more: f64,
}

/// Half the diagonals of a cell up to which distances are needed.
const FAR: f64 = 4.0;
/// Bits of a place on the grid.
const BITS: u32 = 21;

impl Distances {
    /// For half the diagonals of cells of all levels, and a distance beyond these.
    pub(crate) fn new(halves: impl Iterator<Item = f64>, more: f64) -> Result<Self, ShapeError> {
        let probe = |half: f64| {
            let radius = half / 64.0;
            Ok((Model::new(Convex::sphere(radius)?)?, radius, half))
        };
        let probes = halves.map(probe).collect::<Result<_, ShapeError>>()?;
        Ok(Self { probes, known: HashMap::default(), more })
    }

    /// A bracket on the signed distance of a point from a body, in the frame of the body: negative within solid meshes.
    pub(crate) fn bracket(
        &mut self,
        subject: &Subject<'_>,
        level: u32,
        point: DVec3,
        scratch: &mut Scratch,
    ) -> [f64; 2] {
        let (probe, radius, spacing) = &self.probes[level as usize];
        let sphere = &subject.sphere;
        let place = ((point - sphere.center) / spacing).round();
        let most = f64::from(1u32 << (BITS - 1)) - 1.0;
        if place.abs().max_element() > most {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let packed = place.to_array().iter().fold(0u64, |all, at| all << BITS | (at + most) as u64);
        let at = sphere.center + place * *spacing;
        let key = (u64::from(subject.number) << 32 | u64::from(level), packed);
        let sizes = [*radius, *spacing, self.more];
        let known = self.known.entry(key);
        let [low, high] = *known.or_insert_with(|| subject.bracket(probe, sizes, at, scratch));
        let off = point.distance(at) * (1.0 + 1e-9) + 1e-12 * (point.length() + sphere.radius);
        [low - off, high + off]
    }
}

/// A body whose distances are measured.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Its number.
    pub(crate) number: u32,
    pub(crate) model: &'a Model,
    /// The boundary of a mesh that is a solid.
    pub(crate) surface: Option<&'a Model>,
    /// A sphere around it.
    pub(crate) sphere: Sphere,
}

impl Subject<'_> {
    /// A bracket on the signed distance of a point, by a small sphere around it.
    fn bracket(
        &self,
        probe: &Model,
        [radius, spacing, more]: [f64; 3],
        at: DVec3,
        scratch: &mut Scratch,
    ) -> [f64; 2] {
        let query = ClearanceQuery {
            max_distance: FAR * spacing + more,
            tolerance: Tolerance::Length(0.01 * spacing),
        };
        let placed = probe.at(Pose::from_translation(at));
        let mut context = QueryContext::new(scratch);
        let mut from = |model: &Model| {
            let found = context.clearance(&placed, &model.at(Pose::IDENTITY), &query).distance;
            // From the surface of the probe; one that overlaps may be anywhere inside.
            let low = if found.at_least > 0.0 { found.at_least + radius } else { 0.0 };
            [low, found.at_most + radius]
        };
        let [low, high] = from(self.model);
        if low > 0.0 {
            return [low, high];
        }
        let Some(surface) = self.surface else { return [0.0, high] };
        let [low, high] = from(surface);
        match QueryContext::new(scratch).locate_point(&self.model.at(Pose::IDENTITY), at) {
            Location::Inside => [-high, -low],
            _ => [-radius, high],
        }
    }
}
