//! Convex pieces whose union encloses a solid.
//!
//! The solid is cut by planes, again and again where the pieces reach furthest beyond it. Nothing is remeshed: a part is
//! the given faces as far as they lie in a convex cell, and its piece is the hull of their corners and of those corners of
//! the cell that lie in the solid. That is the hull of all of the solid in the cell, so the pieces together hold the
//! solid; every vertex given is a point of a piece as it is. Where faces are cut, the new corners are rounded, and so is
//! the union there, in the last bits.
//!
//! Which side of a plane a point lies on is exact, so cuts along walls leave no slivers. How far pieces reach beyond the
//! solid is measured as a proven bracket.
//!
//! ```
//! use noli::pieces::{PiecesQuery, convex_pieces};
//! use noli::{Mesh, Model};
//! let ring = Mesh::torus(1.0, 0.25, 32, 16)?.into_solid();
//! let found = convex_pieces(&ring, &PiecesQuery { error: Some(0.1), ..Default::default() })?;
//! assert!(found.error.at_most <= 0.1 && found.pieces.len() < 40);
//! let body = Model::new(found.into_shape()?)?; // for depth, robots and simulation
//! # let _ = body;
//! assert!(convex_pieces(&Mesh::tetrahedron().with_kind(noli::model::MeshKind::Surface), &PiecesQuery::default()).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cut;
mod overshoot;

use crate::answer::{Bracket, Location};
use crate::context::with_ask;
use crate::model::{Model, Shape};
use crate::penetration::{HullFaces, hull_volume};
use cut::{Part, Plane};
use glam::DVec3;
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Aabb, Convex, Hull, Mesh, Pose, ShapeError, SolidFlaw};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How close to the solid pieces are to be, and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiecesQuery {
    /// Pieces are cut until none reaches further beyond the solid than this length. Without it, as long as there are
    /// fewer pieces than wanted and any reaches further than a thousandth of the size.
    pub error: Option<f64>,
    /// There are no more pieces than this.
    pub pieces: usize,
}

impl Default for PiecesQuery {
    fn default() -> Self {
        Self { error: None, pieces: 32 }
    }
}

/// Why a mesh has no convex pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PiecesError {
    /// It has no faces.
    #[error("the mesh has no faces; there is nothing to cut into pieces")]
    Empty,
    /// It bounds no solid.
    #[error(
        "the mesh bounds no solid, so nothing can be enclosed: {0}; close it, for instance by welding its seams"
    )]
    NotSolid(SolidFlaw),
    /// What it bounds has no volume.
    #[error("all vertices lie in one plane; a solid has volume")]
    Flat,
    /// The length is not one.
    #[error("the error must be a length above 0 and the number of pieces at least 1")]
    BadQuery,
}

/// A convex piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its corners and faces.
    pub hull: Hull,
    /// How far it reaches beyond the solid.
    pub error: Bracket,
    /// Its volume, rounded.
    pub volume: f64,
}

/// Convex pieces that hold a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// The pieces; they may overlap.
    pub pieces: Vec<Piece>,
    /// How far any point of a piece is from the solid at most: the one-sided Hausdorff distance.
    pub error: Bracket,
}

impl Pieces {
    /// The pieces as one shape.
    pub fn into_shape(self) -> Result<Shape, ShapeError> {
        let convex = |piece: Piece| {
            Ok((Pose::IDENTITY, Shape::Convex(Convex::hull(piece.hull.vertices().iter().copied())?)))
        };
        Ok(Shape::Compound(self.pieces.into_iter().map(convex).collect::<Result<_, ShapeError>>()?))
    }

    /// Those of some points that no piece holds. Exact.
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

/// Pieces with less error than this share of the size are not cut any further.
const SMALL: f64 = 1e-3;

/// Looks at points of a piece, to tell how far it reaches beyond the solid.
const LOOKS: usize = 5_000;

/// Cut the solid that a mesh bounds into convex pieces that hold it; always the same ones. A mesh that bounds none is
/// refused.
pub fn convex_pieces(mesh: &Mesh, query: &PiecesQuery) -> Result<Pieces, PiecesError> {
    if query.pieces == 0 || query.error.is_some_and(|error| !(error > 0.0 && error.is_finite())) {
        return Err(PiecesError::BadQuery);
    }
    if mesh.is_empty() {
        return Err(PiecesError::Empty);
    }
    if let Some(flaw) = mesh.report().flaw() {
        return Err(PiecesError::NotSolid(flaw));
    }
    let size = mesh.aabb().size().length();
    let model = Model::from(mesh.clone().into_solid());
    let goal = query.error.unwrap_or(SMALL * size);
    let cutter = Cutter { mesh, model: &model, size, goal };
    let first = cutter.first().ok_or(PiecesError::Flat)?;
    let mut number = 0u64;
    let mut heap = BinaryHeap::new();
    let mut push = |heap: &mut BinaryHeap<_>, part: Measured| {
        number += 1;
        heap.push(Ranked { rank: (Greatest(part.error.at_most), Reverse(number)), item: part });
    };
    push(&mut heap, first);
    let mut done: Vec<Measured> = Vec::new();
    while let Some(Ranked { item: worst, .. }) = heap.pop() {
        if worst.error.at_most <= goal || heap.len() + done.len() + 1 >= query.pieces {
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

/// A part with its piece.
struct Measured {
    part: Part,
    hull: Hull,
    error: Bracket,
    /// Points of the piece outside the solid and how far, as far as they were sought, the furthest first.
    pocket: Vec<(f64, DVec3)>,
}

struct Cutter<'c> {
    mesh: &'c Mesh,
    model: &'c Model,
    size: f64,
    goal: f64,
}

impl Cutter<'_> {
    fn first(&self) -> Option<Measured> {
        let part = Part::whole(self.mesh)?;
        self.measured(part).filter(|whole| whole.hull.dimension() == 3)
    }

    /// The hull of a part and how far it reaches beyond the solid; `None` if nothing of the solid is in the part.
    fn measured(&self, mut part: Part) -> Option<Measured> {
        part.inner = with_ask(|ask| {
            let body = self.model.at(Pose::IDENTITY);
            let corners = part.cell.vertices.iter().copied();
            corners.filter(|corner| ask.locate(&body, *corner) != Location::Outside).collect()
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
            None => overshoot::overshoot(self.model, hull, goal, looks),
        }
    }

    /// How far the hull of a part reaches beyond a solid that fills it but for a thin layer; `None` if that is not proven,
    /// or more than `goal`.
    ///
    /// Faces that all lie within `d` of planes of the hull leave what is deeper than `d` inside or outside as a whole,
    /// and one point tells which. Around a point that is `r` deep and at most `R` from any corner, what is deeper than `d`
    /// holds the hull shrunk by `1 - d/r`, whose points are within `d R/r` of those of the hull.
    fn nearly_filled(&self, part: &Part, hull: &Hull, goal: f64) -> Option<f64> {
        let (middle, rounding) = (hull.middle(), 1e-12 * self.size);
        let depth = |face: usize| {
            let corner = hull.vertices()[hull.faces()[face][0] as usize];
            hull.normal(face).dot(corner - middle)
        };
        let inner = (0..hull.faces().len()).map(depth).fold(f64::INFINITY, f64::min) - rounding;
        let outer = hull.vertices().iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max);
        let near = (goal * inner / outer - rounding).max(rounding);
        let faces = HullFaces::new(hull);
        let layer =
            part.polygons().try_fold(0.0, |most: f64, polygon| Some(most.max(faces.off(polygon, near)?)))?;
        if layer <= rounding {
            // On the hull's surface: a way through it from outside the solid to inside would have to pass a face.
            return Some(rounding);
        }
        let filled =
            || with_ask(|ask| ask.locate(&self.model.at(Pose::IDENTITY), middle)) == Location::Inside;
        (layer + rounding < inner && filled()).then(|| (layer + rounding) * outer / inner + rounding)
    }

    /// The best of some cuts through where the piece reaches furthest beyond the solid: the one after which the points
    /// outside the solid that both hulls still hold are nearest to it. Where no cut changes that much, as the first across a
    /// ring, the part is halved.
    fn split(&self, whole: &Measured) -> Option<[Measured; 2]> {
        let planes = self.planes(whole);
        let (last, deepest) = (planes.len() - 1, whole.pocket.first().map_or(0.0, |(depth, _)| *depth));
        let score = |(number, plane): (usize, &Plane)| {
            let (reach, volume) = whole.part.after_cut(plane, &whole.pocket)?;
            Some((reach, volume, number))
        };
        let mut scored: Vec<(f64, f64, usize)> = planes.iter().enumerate().filter_map(score).collect();
        scored.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        // Of cuts that are nearly as good, the one whose hulls are smaller.
        if let Some(&(least, _, _)) = scored.first() {
            let near = scored.iter().filter(|(reach, _, _)| *reach <= least + 0.05 * deepest).count();
            scored[..near].sort_by(|x, y| x.1.total_cmp(&y.1).then(x.2.cmp(&y.2)));
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
        let at = with_ask(|ask| overshoot::nearest(self.model, worst, ask)).unwrap_or(worst);
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
            add(&mut planes, normal, Plane::Through(triangle.corners));
        }
        // Through the pocket, along it and across it.
        if let Some(way) = (worst - at).try_normalize() {
            let (u, v) = way.any_orthonormal_pair();
            let step = |d: DVec3| at + d * self.size;
            planes.push(Plane::Through([at, step(way), step(u)]));
            planes.push(Plane::Through([at, step(way), step(v)]));
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

    /// Pieces that others hold are left out, and what is left is measured more closely.
    fn finish(&self, mut done: Vec<Measured>) -> Pieces {
        let place = |measured: &Measured| measured.hull.aabb().min.to_array();
        done.sort_by(|x, y| place(x).partial_cmp(&place(y)).unwrap_or(std::cmp::Ordering::Equal));
        let mut kept: Vec<usize> = (0..done.len()).collect();
        for k in 0..done.len() {
            let corners = done[k].hull.vertices();
            let inside = |&other: &usize| {
                other != k && corners.iter().all(|corner| cut::holds(&done[other].hull, *corner))
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
