//! Convex decomposition: convex parts whose union encloses a solid.
//!
//! The solid is cut by planes, repeatedly, where the parts reach furthest beyond it. Nothing is remeshed. A
//! cell's content is the given faces clipped to a convex cell. Its convex part is the hull of their vertices
//! and of the cell vertices inside the solid. That is the hull of all of the solid in the cell, so the parts
//! together contain the solid. Every given vertex is a point of a part, unchanged. Where faces are cut, the
//! new vertices are rounded, and the union there is exact up to the last bits.
//!
//! The side of a plane on which a point lies is exact, so cuts along walls leave no slivers. The distance by
//! which parts reach beyond the solid is a proven bracket.
//!
//! ```
//! use noli::pieces::{DecompositionQuery, convex_decomposition};
//! use noli::{Mesh, Model};
//! let ring = Mesh::torus(1.0, 0.25, 32, 16)?.into_solid();
//! let found = convex_decomposition(&ring, &DecompositionQuery { error: Some(0.1), ..Default::default() })?;
//! assert!(found.error.at_most <= 0.1 && found.pieces.len() < 40);
//! let body = Model::new(found.into_shape()?)?; // for depth, robots and simulation
//! # let _ = body;
//! assert!(convex_decomposition(&Mesh::tetrahedron().with_kind(noli::model::MeshKind::Surface), &DecompositionQuery::default()).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cut;
mod overshoot;

use crate::answer::{Bracket, Location};
use crate::budget::{Budget, Meter};
use crate::context::with_context;
use crate::model::{Model, Shape};
use crate::penetration::{HullFaces, hull_volume};
use cut::{Part, Plane};
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Aabb, Convex, Hull, Mesh, Pose, ShapeError, SolidFlaw};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Accuracy and size limits for a convex decomposition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionQuery {
    /// Largest distance that a part may reach beyond the solid; parts are cut until none exceeds it. Without it,
    /// parts are cut while there are fewer than allowed and any reaches further than a thousandth of the size.
    pub error: Option<f64>,
    /// Maximum number of convex parts.
    pub pieces: usize,
}

impl Default for DecompositionQuery {
    fn default() -> Self {
        Self { error: None, pieces: 32 }
    }
}

/// Reason why a mesh has no convex decomposition.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecompositionError {
    /// It has no faces.
    #[error("the mesh has no faces; there is nothing to cut into pieces")]
    Empty,
    /// It bounds no solid.
    #[error(
        "the mesh bounds no solid, so nothing can be enclosed: {0}; close it, for instance by welding its seams"
    )]
    NotSolid(SolidFlaw),
    /// The enclosed volume is zero.
    #[error("all vertices lie in one plane; a solid has volume")]
    Flat,
    /// The length is not one.
    #[error("the error must be a length above 0 and the number of pieces at least 1")]
    BadQuery,
}

/// A convex part.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its vertices and faces.
    pub hull: Hull,
    /// Its excess beyond the solid.
    pub error: Bracket,
    /// Its volume, rounded.
    pub volume: f64,
}

/// Convex parts that contain a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// The convex parts; they may overlap.
    pub pieces: Vec<Piece>,
    /// Largest distance of any point of a part from the solid: the one-sided Hausdorff distance.
    pub error: Bracket,
}

impl Pieces {
    /// Returns the convex parts as one shape.
    pub fn into_shape(self) -> Result<Shape, ShapeError> {
        let convex = |piece: Piece| {
            Ok((Pose::IDENTITY, Shape::Convex(Convex::hull(piece.hull.vertices().iter().copied())?)))
        };
        Ok(Shape::Compound(self.pieces.into_iter().map(convex).collect::<Result<_, ShapeError>>()?))
    }

    /// Returns the points that no convex part contains. Exact.
    pub fn outside(&self, points: impl IntoIterator<Item = DVec3>) -> Vec<DVec3> {
        let boxes: Vec<Aabb> = self.pieces.iter().map(|piece| piece.hull.aabb()).collect();
        let mut last = 0;
        let mut is_out = |point: &DVec3| {
            let holds = |k: usize| {
                let near = point.cmpge(boxes[k].min).all() && point.cmple(boxes[k].max).all();
                near && cut::holds(&self.pieces[k].hull, *point)
            };
            // Neighbours in a file are mostly neighbours in space.
            if last < self.pieces.len() && holds(last) {
                return false;
            }
            match (0..self.pieces.len()).find(|&k| holds(k)) {
                Some(found) => {
                    last = found;
                    false
                }
                None => true,
            }
        };
        points.into_iter().filter(|point| is_out(point)).collect()
    }
}

/// Error, as a share of the size, below which parts are not cut further.
const SMALL: f64 = 1e-3;

/// Number of points evaluated in a part to bound its distance beyond the solid.
const LOOKS: usize = 5_000;

/// Decomposes the solid that a mesh bounds into convex parts that contain it. The result is deterministic. A
/// mesh that bounds no solid is rejected.
pub fn convex_decomposition(mesh: &Mesh, query: &DecompositionQuery) -> Result<Pieces, DecompositionError> {
    convex_decomposition_within(mesh, query, Budget::UNLIMITED)
}

/// The same within a budget. When it runs out, parts are cut no further: they still contain the solid, and the
/// bracket on their excess holds.
pub fn convex_decomposition_within(
    mesh: &Mesh,
    query: &DecompositionQuery,
    budget: Budget<'_>,
) -> Result<Pieces, DecompositionError> {
    if query.pieces == 0 || query.error.is_some_and(|error| !(error > 0.0 && error.is_finite())) {
        return Err(DecompositionError::BadQuery);
    }
    if mesh.is_empty() {
        return Err(DecompositionError::Empty);
    }
    if let Some(flaw) = mesh.report().flaw() {
        return Err(DecompositionError::NotSolid(flaw));
    }
    let size = mesh.aabb().size().length();
    let model = Model::from(mesh.clone().into_solid());
    let goal = query.error.unwrap_or(SMALL * size);
    let meter = RefCell::new(budget.meter());
    let cutter = Cutter { mesh, model: &model, size, goal, meter };
    let first = cutter.first().ok_or(DecompositionError::Flat)?;
    let mut number = 0u64;
    let mut heap = BinaryHeap::new();
    let mut push = |heap: &mut BinaryHeap<_>, part: Measured| {
        number += 1;
        heap.push(Ranked { rank: (Greatest(part.error.at_most), Reverse(number)), item: part });
    };
    push(&mut heap, first);
    let mut done: Vec<Measured> = Vec::new();
    while let Some(Ranked { item: worst, .. }) = heap.pop() {
        let is_over = !cutter.meter.borrow_mut().allows_more();
        if worst.error.at_most <= goal || heap.len() + done.len() + 1 >= query.pieces || is_over {
            done.push(worst);
            break;
        }
        match cutter.split(&worst) {
            Some(parts) => parts.into_iter().for_each(|part| push(&mut heap, part)),
            None => done.push(worst),
        }
    }
    done.extend(heap.into_vec().into_iter().map(|ranked| ranked.item));
    Ok(cutter.finish(done))
}

/// A cell's content with its convex part.
struct Measured {
    part: Part,
    hull: Hull,
    error: Bracket,
    /// Points of the convex part outside the solid with their distances, as far as searched, the furthest first.
    pocket: Vec<(f64, DVec3)>,
}

struct Cutter<'c, 'b> {
    mesh: &'c Mesh,
    model: &'c Model,
    size: f64,
    goal: f64,
    /// Remaining budget of all measurements together.
    meter: RefCell<Meter<'b>>,
}

impl Cutter<'_, '_> {
    fn first(&self) -> Option<Measured> {
        let part = Part::whole(self.mesh)?;
        self.measured(part).filter(|whole| whole.hull.dimension() == 3)
    }

    /// The hull of a part and how far it reaches beyond the solid; `None` if nothing of the solid is in the part.
    fn measured(&self, mut part: Part) -> Option<Measured> {
        part.inner = with_context(|ask| {
            let body = self.model.at(Pose::IDENTITY);
            let vertices = part.cell.vertices.iter().copied();
            vertices.filter(|vertex| ask.locate_point(&body, *vertex) != Location::Outside).collect()
        });
        if part.is_empty() {
            return None;
        }
        let hull = Hull::new(part.points()).ok()?;
        let (error, pocket) = self.error(&part, &hull, self.goal, LOOKS);
        Some(Measured { part, hull, error, pocket })
    }

    fn error(&self, part: &Part, hull: &Hull, goal: f64, looks: usize) -> (Bracket, Vec<(f64, DVec3)>) {
        if hull.dimension() < 3 {
            // A wall of the solid, up to rounding, or less.
            return (Bracket { at_least: 0.0, at_most: 1e-12 * self.size }, Vec::new());
        }
        match self.nearly_filled(part, hull, goal) {
            Some(at_most) => (Bracket { at_least: 0.0, at_most }, Vec::new()),
            None => overshoot::overshoot(self.model, hull, (goal, looks), &mut self.meter.borrow_mut()),
        }
    }

    /// Computes how far the hull of a part reaches beyond a solid that fills it except for a thin layer. `None`
    /// if that is not proven, or exceeds `goal`.
    ///
    /// If all faces lie within `d` of planes of the hull, the region deeper than `d` is inside or outside as a
    /// whole. One point decides which. Take a point that is `r` deep and at most `R` from any vertex. The region
    /// deeper than `d` then contains the hull shrunk by `1 - d/r`, whose points are within `d R/r` of those of
    /// the hull.
    fn nearly_filled(&self, part: &Part, hull: &Hull, goal: f64) -> Option<f64> {
        let (middle, rounding) = (hull.middle(), 1e-12 * self.size);
        let depth = |face: usize| {
            let vertex = hull.vertices()[hull.faces()[face][0] as usize];
            hull.normal(face).dot(vertex - middle)
        };
        let inner = (0..hull.faces().len()).map(depth).fold(f64::INFINITY, f64::min) - rounding;
        let outer = hull.vertices().iter().map(|vertex| vertex.distance(middle)).fold(0.0, f64::max);
        let near = (goal * inner / outer - rounding).max(rounding);
        let faces = HullFaces::new(hull);
        let layer =
            part.polygons().try_fold(0.0, |most: f64, polygon| Some(most.max(faces.off(polygon, near)?)))?;
        if layer <= rounding {
            // On the hull's surface: a way through it from outside the solid to inside would have to pass a face.
            return Some(rounding);
        }
        let filled = || {
            with_context(|ask| ask.locate_point(&self.model.at(Pose::IDENTITY), middle)) == Location::Inside
        };
        (layer + rounding < inner && filled()).then(|| (layer + rounding) * outer / inner + rounding)
    }

    /// Chooses the best of some cuts through the place where the part reaches furthest beyond the solid. It
    /// minimises the distance of the points outside the solid that the two hulls still contain. If no cut changes
    /// that much, as for the first cut across a ring, the part is halved.
    fn split(&self, whole: &Measured) -> Option<[Measured; 2]> {
        let planes = self.planes(whole);
        let (last, deepest) = (planes.len() - 1, whole.pocket.first().map_or(0.0, |(depth, _)| *depth));
        let score = |(number, plane): (usize, &Plane)| {
            let (reach, volume) = whole.part.after_cut(plane, &whole.pocket)?;
            Some((reach, volume, number))
        };
        let mut scored: Vec<(f64, f64, usize)> = planes.iter().enumerate().filter_map(score).collect();
        sort_by(&mut scored, |x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        // Of cuts that are nearly as good, the one whose hulls are smaller.
        if let Some(&(least, _, _)) = scored.first() {
            let near = scored.iter().filter(|(reach, _, _)| *reach <= least + 0.05 * deepest).count();
            sort_by(&mut scored[..near], |x, y| x.1.total_cmp(&y.1).then(x.2.cmp(&y.2)));
        }
        let mut order: Vec<usize> = scored.iter().map(|(_, _, number)| *number).collect();
        if scored.first().is_none_or(|(reach, _, _)| *reach > 0.9 * deepest) {
            order.retain(|number| *number != last);
            order.insert(0, last);
        }
        order.into_iter().find_map(|number| {
            let [below, above] = whole.part.cut(&planes[number])?;
            Some([self.measured(below)?, self.measured(above)?])
        })
    }

    /// Planes worth a try; the last halves the part.
    fn planes(&self, whole: &Measured) -> Vec<Plane> {
        let worst = whole.pocket.first().map_or(whole.hull.middle(), |(_, point)| *point);
        let at = with_context(|ask| overshoot::nearest(self.model, worst, ask)).unwrap_or(worst);
        let mut planes = Vec::new();
        let mut normals: Vec<DVec3> = Vec::new();
        let mut add = |planes: &mut Vec<Plane>, normal: DVec3, plane: Plane| {
            let is_new = normals.iter().all(|known| known.cross(normal).length() > 1e-6);
            if normal != DVec3::ZERO && is_new && normals.len() < 8 {
                normals.push(normal);
                planes.push(plane);
            }
        };
        // The walls of the pocket.
        for triangle in whole.part.sources_near(self.mesh, at, 1e-9 * self.size) {
            let triangle = self.mesh.triangle(triangle);
            let normal = triangle.doubled_area_vector().normalize_or_zero();
            add(&mut planes, normal, Plane::Through(triangle.vertices));
        }
        // Through the pocket, along it and across it.
        if let Some(path) = (worst - at).try_normalize() {
            let (u, v) = path.any_orthonormal_pair();
            let step = |d: DVec3| at + d * self.size;
            planes.push(Plane::Through([at, step(path), step(u)]));
            planes.push(Plane::Through([at, step(path), step(v)]));
            planes.push(Plane::Through([at, step(u), step(v)]));
        }
        for axis in 0..3 {
            planes.push(Plane::Axis { axis, at: at[axis] });
            planes.push(Plane::Axis { axis, at: worst[axis] });
        }
        let bounds = whole.hull.aabb();
        let size = bounds.size();
        let longest = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
        planes.push(Plane::Axis { axis: longest, at: bounds.center()[longest] });
        planes
    }

    /// Removes parts that others contain, and measures the remaining ones more closely.
    fn finish(&self, mut done: Vec<Measured>) -> Pieces {
        let place = |measured: &Measured| measured.hull.aabb().min.to_array();
        sort_by(&mut done, |x, y| place(x).partial_cmp(&place(y)).unwrap_or(std::cmp::Ordering::Equal));
        let mut kept: Vec<usize> = (0..done.len()).collect();
        for k in 0..done.len() {
            let vertices = done[k].hull.vertices();
            let inside = |&other: &usize| {
                other != k && vertices.iter().all(|vertex| cut::holds(&done[other].hull, *vertex))
            };
            if kept.len() > 1 && kept.iter().any(inside) {
                kept.retain(|&number| number != k);
            }
        }
        let largest = kept.iter().map(|&k| done[k].error.at_least).fold(0.0, f64::max);
        let pieces: Vec<Piece> = kept
            .into_iter()
            .map(|k| {
                let Measured { part, hull, error, .. } = &done[k];
                let mut error = *error;
                if error.at_most > largest.max(self.goal) {
                    let finer = self.error(part, hull, largest, 4 * LOOKS).0;
                    error = error.intersection(&finer).unwrap_or(finer);
                }
                Piece { hull: hull.clone(), error, volume: hull_volume(hull) }
            })
            .collect();
        let most =
            |end: fn(&Bracket) -> f64| pieces.iter().map(|piece| end(&piece.error)).fold(0.0, f64::max);
        let error = Bracket { at_least: most(|e| e.at_least), at_most: most(|e| e.at_most) };
        Pieces { pieces, error }
    }
}
