//! Distances of points from bodies, with what is near remembered on grids in the frame of each body.
//!
//! Cells that a body passes are met again and again at the same places of the body. A place of the grid has the distance of
//! its middle, which bounds that of all its points, and the faces that can be nearest to one of them: all that are nearer
//! to the middle than the nearest one and the diagonal of the place. A distance is then the least of a few.

use crate::hash::Mixed;
use crate::solid::{Measure, Solid, closed_distance};
use glam::DVec3;
use noli::Scratch;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Faces that a place lists at most; the tree is searched where there are more.
const LISTED: usize = 24;
/// Bits of a place on a grid.
const BITS: u32 = 21;
/// Spacing of a grid in mean edges of the faces at least: finer ones would list the same faces.
const EDGES: f64 = 0.5;
/// Distances are needed up to so many halves of the diagonal of a cell.
const FAR: f64 = 6.0;

/// A place of a grid.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The distance of its middle from the surface.
    distance: f64,
    /// The face with that distance.
    nearest: u32,
    /// The faces that can be nearest; `u32::MAX` if they are not listed.
    first: u32,
    count: u32,
    winding: Winding,
}

/// The winding number of the middle of a place.
#[derive(Clone, Copy, Debug)]
enum Winding {
    NotComputed,
    Number(i32),
    Unknown,
}

/// A distance from the surface, and the place that it was found by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// About the distance.
    pub(crate) about: f64,
    /// `true` if the bracket is of the signed distance, `false` if only its size is known.
    pub(crate) is_signed: bool,
}

/// Distances and faces that were found near the bodies.
#[derive(Debug, Default)]
pub(crate) struct Near {
    places: HashMap<(u64, u64), Place, BuildHasherDefault<Mixed>>,
    listed: Vec<u32>,
    /// Distances of the middles of places of bodies that only the engine measures.
    brackets: HashMap<(u64, u64), [f64; 2], BuildHasherDefault<Mixed>>,
    pub(crate) scratch: Scratch,
}

/// A point whose distance from a body is queried: for a cell of so much half a diagonal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) number: u32,
    pub(crate) solid: &'a Solid<'a>,
    pub(crate) level: u32,
    pub(crate) half: f64,
    pub(crate) point: DVec3,
}

impl Asked<'_> {
    /// The key of the place of the point, its middle, and how far its points are from there at most.
    fn place(&self, edge: f64) -> Option<((u64, u64), DVec3, f64)> {
        let spacing = (0.5 * self.half).max(EDGES * edge);
        let place = ((self.point - self.solid.sphere.center) / spacing).round();
        let most = f64::from(1u32 << (BITS - 1)) - 1.0;
        if place.abs().max_element() > most {
            return None;
        }
        // Levels of equal spacing have one grid.
        let level = if spacing > 0.5 * self.half { u32::MAX } else { self.level };
        let packed = place.to_array().iter().fold(0u64, |all, at| all << BITS | (at + most) as u64);
        let middle = self.solid.sphere.center + place * spacing;
        let radius = 0.5 * 3f64.sqrt() * spacing * (1.0 + 1e-9);
        Some(((u64::from(self.number) << 32 | u64::from(level), packed), middle, radius))
    }
}

impl Near {
    /// A bracket on the distance of a point, on the same sides of two limits as that, the larger one first, up to rounding.
    pub(crate) fn distance(&mut self, asked: &Asked<'_>, limits: [f64; 2]) -> Found {
        let point = asked.point;
        let signed = |low, high| Found { low, high, about: high, is_signed: true };
        match &asked.solid.measure {
            Measure::Closed(core, radius) => {
                let distance = closed_distance(core, point) - radius;
                let error = 1e-13 * (point.abs().max_element() + asked.solid.sphere.radius);
                signed(distance - error, distance + error)
            }
            Measure::Query => {
                let Some((key, middle, _)) = asked.place(0.0) else {
                    return signed(f64::NEG_INFINITY, f64::INFINITY);
                };
                let known = self.brackets.entry(key);
                let scratch = &mut self.scratch;
                let [low, high] = *known.or_insert_with(|| asked.solid.query(middle, asked.half, scratch));
                let off = point.distance(middle) + 1e-12 * (point.length() + asked.solid.sphere.radius);
                signed(low - off, high + off)
            }
            Measure::Faces { faces, radius, .. } => {
                let error = faces.error(point);
                // Of rounded bodies the distance of the core is asked.
                let limits = limits.map(|limit| limit + radius);
                let unsigned = |low: f64, high: f64, about: f64| {
                    let (low, high) = ((low - error).max(0.0), high + error);
                    Found { low: low - radius, high: high - radius, about: about - radius, is_signed: false }
                };
                let Some((key, middle, around)) = asked.place(faces.edge()) else {
                    let (distance, _) = faces.nearest(point);
                    return unsigned(distance, distance, distance);
                };
                let place = match self.places.get(&key) {
                    Some(place) => *place,
                    None => {
                        let place = self.make(asked, faces, middle, around);
                        self.places.insert(key, place);
                        place
                    }
                };
                let off = point.distance(middle);
                let (low, high) = ((place.distance - off).max(0.0), place.distance + off);
                let is_open = |limit: f64| limit >= 0.0 && low - error <= limit && limit < high + error;
                if !limits.into_iter().any(is_open) {
                    return unsigned(low, high, place.distance);
                }
                // Decisions hold with the error on top.
                let limits = [limits[0] + 2.0 * error, limits[1] - 2.0 * error];
                let [low, high] = match place.first {
                    u32::MAX => faces.compare(place.nearest, point, limits),
                    first => {
                        let listed = &self.listed[first as usize..][..place.count as usize];
                        faces.compare_of((place.nearest, listed), point, limits)
                    }
                };
                unsigned(low, high, place.distance)
            }
        }
    }

    fn make(
        &mut self,
        asked: &Asked<'_>,
        faces: &crate::triangles::Triangles,
        middle: DVec3,
        around: f64,
    ) -> Place {
        let (distance, nearest) = faces.nearest(middle);
        let mut place = Place { distance, nearest, first: u32::MAX, count: 0, winding: Winding::NotComputed };
        if distance > FAR * asked.half + around + faces.error(middle) {
            return place;
        }
        let first = self.listed.len();
        let reach = distance + 2.0 * (around + faces.error(middle));
        if first < u32::MAX as usize - LISTED && faces.within(middle, reach, LISTED, &mut self.listed) {
            (place.first, place.count) = (first as u32, (self.listed.len() - first) as u32);
        }
        place
    }

    /// Returns `true` if a point, from which the surface is at least so far, is inside the body.
    pub(crate) fn is_inside(&mut self, asked: &Asked<'_>, off: f64) -> bool {
        let Measure::Faces { faces, is_solid: true, radius } = &asked.solid.measure else { return false };
        let point = asked.point;
        if !faces.is_in_box(point) {
            return false;
        }
        let found = asked.place(faces.edge()).and_then(|(key, middle, _)| {
            let place = self.places.get_mut(&key)?;
            if let Winding::NotComputed = place.winding {
                place.winding = faces.winding(middle).map_or(Winding::Unknown, Winding::Number);
            }
            let Winding::Number(number) = place.winding else { return None };
            // Nothing lies between two points nearer to each other than the surface to one of them.
            if point.distance(middle) + faces.error(point) < place.distance.max(off + radius) {
                return Some(number);
            }
            let listed = (place.first != u32::MAX).then_some(place.first as usize)?;
            let listed = &self.listed[listed..][..place.count as usize];
            Some(number + faces.crossings(listed, point, middle)?)
        });
        match found {
            Some(number) => number != 0,
            None => asked.solid.holds(point, &mut self.scratch),
        }
    }
}
