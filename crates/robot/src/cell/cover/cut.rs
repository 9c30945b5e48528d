//! A body cut into cells, each with a sphere around the part of the body in it.
//!
//! The body's box is cut into cells, always the one with the largest sphere. In a cell a solid lies within the
//! convex hull of its surface there and of the cell's vertices inside it. An extreme point of that part which is
//! not on the surface has all of the cell around it in the solid, so it is a vertex of the cell. A sphere that
//! holds these points holds the part, and all spheres together hold the body with its interior.

use crate::cell::LANES;
use glam::DVec3;
use noli::answer::Location;
use noli::model::MeshKind;
use noli::{Mesh, Model};
use noli_geom::{Aabb, Sphere, Triangle, UNIT_ROUNDOFF};

/// A box and the part of the body in it.
pub(super) struct Room {
    pub(super) bounds: Aabb,
    /// The part lies within the hull of these points.
    points: Vec<DVec3>,
    /// A box around them, with what their rounding may be.
    pub(super) around: Aabb,
    triangles: Vec<u32>,
}

impl Room {
    fn sphere(&self) -> Sphere {
        let mut sphere = Sphere::smallest(&self.points);
        sphere.radius += rounding(&self.bounds);
        sphere
    }

    /// As much of the box as the part may fill.
    fn filled(&self) -> Aabb {
        self.bounds.intersection(self.around)
    }
}

/// A room and a sphere around the part of the body in it.
pub(super) struct Cell {
    pub(super) room: Room,
    pub(super) sphere: Sphere,
}

/// Input of a cut: the faces of a mesh and what they enclose, or a whole box.
pub(super) enum Stuff<'a> {
    Faces { model: &'a Model, mesh: &'a Mesh, solid: bool },
    Box,
}

impl<'a> Stuff<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        match model.mesh() {
            Some(mesh) => Self::Faces { model, mesh, solid: mesh.kind() == MeshKind::Solid },
            None => Self::Box,
        }
    }

    /// The part in a box; `None` if there is none.
    fn within(&self, bounds: Aabb, candidates: &[u32]) -> Option<Room> {
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        match self {
            Self::Box => points.extend(bounds.vertices()),
            Self::Faces { model, mesh, solid } => {
                // Faces are clipped to a box that rounding does not leave, so that none that is in the room is lost.
                let clipped = bounds.expanded(rounding(&bounds));
                let (mut scratch, mut parts) = (Default::default(), Vec::new());
                for &number in candidates {
                    let before = points.len();
                    clip(mesh.triangle(number), &clipped, &mut points, &mut scratch);
                    if points.len() > before {
                        triangles.push(number);
                        parts.push(Aabb::from_points(points[before..].iter().copied()));
                    }
                }
                if *solid {
                    let parts = parts.iter().map(|part| part.expanded(rounding(&bounds)));
                    points.extend(inside_vertices(model, &bounds, &parts.collect::<Vec<_>>()));
                }
            }
        }
        if points.is_empty() {
            return None;
        }
        let around = Aabb::from_points(points.iter().copied());
        Some(Room { bounds, points, around: around.expanded(rounding(&bounds)), triangles })
    }
}

/// More than a clipped vertex is displaced by rounding.
fn rounding(bounds: &Aabb) -> f64 {
    let far = bounds.min.abs().max(bounds.max.abs()).max_element();
    64.0 * UNIT_ROUNDOFF * far
}

/// The vertices of a box that are in a solid, given boxes around the parts of its faces there. An edge of the box that
/// no face touches has both ends on the same side, so one vertex of each such chain is located.
fn inside_vertices(model: &Model, bounds: &Aabb, faces: &[Aabb]) -> Vec<DVec3> {
    let vertices = bounds.vertices();
    let mut inside: [Option<bool>; 8] = [None; 8];
    let is_edge = |a: DVec3, b: DVec3| a.cmpeq(b).bitmask().count_ones() >= 2;
    let is_free = |a: DVec3, b: DVec3| {
        let edge = Aabb::from_points([a, b]);
        is_edge(a, b) && !faces.iter().any(|face| face.overlaps(&edge))
    };
    for first in 0..vertices.len() {
        if inside[first].is_some() {
            continue;
        }
        let side = Some(model.locate_point(vertices[first]) != Location::Outside);
        let mut todo = vec![first];
        while let Some(vertex) = todo.pop() {
            inside[vertex] = side;
            let open = (0..vertices.len()).filter(|&other| inside[other].is_none());
            todo.extend(open.filter(|&other| is_free(vertices[vertex], vertices[other])));
        }
    }
    vertices
        .into_iter()
        .zip(inside)
        .filter(|(_, inside)| *inside == Some(true))
        .map(|(vertex, _)| vertex)
        .collect()
}

/// The vertices of the part of a triangle in a box (Sutherland and Hodgman 1974).
fn clip(triangle: Triangle, bounds: &Aabb, points: &mut Vec<DVec3>, scratch: &mut [Vec<DVec3>; 2]) {
    let vertices = triangle.vertices;
    let own = Aabb::from_points(vertices);
    if !own.overlaps(bounds) {
        return;
    }
    if bounds.contains(own.min) && bounds.contains(own.max) {
        points.extend(vertices);
        return;
    }
    let [polygon, kept] = scratch;
    polygon.clear();
    polygon.extend(vertices);
    for axis in 0..3 {
        for (limit, sign) in [(bounds.min[axis], 1.0), (bounds.max[axis], -1.0)] {
            let depth = |p: &DVec3| (p[axis] - limit) * sign;
            kept.clear();
            for (k, p) in polygon.iter().enumerate() {
                let q = &polygon[(k + 1) % polygon.len()];
                let (from, to) = (depth(p), depth(q));
                if from >= 0.0 {
                    kept.push(*p);
                }
                if (from < 0.0) != (to < 0.0) {
                    let mut cut = p.lerp(*q, (from / (from - to)).clamp(0.0, 1.0));
                    cut[axis] = limit;
                    kept.push(cut);
                }
            }
            std::mem::swap(polygon, kept);
        }
    }
    points.extend_from_slice(polygon);
}

impl Stuff<'_> {
    /// Up to sixteen cells around a body: the one with the largest sphere is cut across as long as there is
    /// room.
    pub(super) fn cut(&self, bounds: Aabb) -> Vec<Cell> {
        let all: Vec<u32> = match self {
            Self::Faces { mesh, .. } => (0..mesh.triangles().len() as u32).collect(),
            Self::Box => Vec::new(),
        };
        let mut cells: Vec<Cell> = fitted(self.within(bounds, &all).into_iter().collect());
        while cells.len() < LANES {
            let sizes = cells.iter().map(|cell| cell.sphere.radius);
            let Some(largest) = largest(sizes) else { break };
            let Some(parts) = self.smallest_parts(&cells[largest].room) else { break };
            cells.swap_remove(largest);
            cells.extend(parts);
        }
        cells
    }

    /// Up to sixteen spheres around the part of a body in a cell. Rooms are chosen by their sizes: spheres are fitted only
    /// to the last ones.
    pub(super) fn refined(&self, cell: &Cell) -> Vec<Sphere> {
        let Some(mut rooms) = self.halves(&cell.room, longest_axis(&cell.room)) else {
            return vec![cell.sphere];
        };
        while rooms.len() < LANES {
            let Some(largest) = largest(rooms.iter().map(|room| room.filled().size().length())) else {
                break;
            };
            let Some(parts) = self.halves(&rooms[largest], longest_axis(&rooms[largest])) else { break };
            rooms.swap_remove(largest);
            rooms.extend(parts);
        }
        rooms.iter().map(Room::sphere).collect()
    }

    /// A room cut across the axis that leaves the smallest spheres.
    fn smallest_parts(&self, room: &Room) -> Option<Vec<Cell>> {
        let sizes = room.filled().size();
        let wide = (0..3).filter(|&axis| sizes[axis] >= 0.4 * sizes.max_element());
        let parts = wide.filter_map(|axis| self.halves(room, axis)).map(fitted);
        let size = |parts: &Vec<Cell>| parts.iter().map(|part| part.sphere.radius.powi(3)).sum::<f64>();
        parts.min_by(|a, b| size(a).total_cmp(&size(b)))
    }

    /// What is in both halves of a room; `None` if it is too thin to be cut.
    fn halves(&self, room: &Room, axis: usize) -> Option<Vec<Room>> {
        let filled = room.filled();
        let middle = filled.center()[axis];
        if !(filled.min[axis] < middle && middle < filled.max[axis]) {
            return None;
        }
        let [mut low, mut high] = [filled; 2];
        (low.max[axis], high.min[axis]) = (middle, middle);
        let halves = [low, high].into_iter();
        let parts: Vec<Room> = halves.filter_map(|half| self.within(half, &room.triangles)).collect();
        (!parts.is_empty()).then_some(parts)
    }
}

fn fitted(rooms: Vec<Room>) -> Vec<Cell> {
    rooms.into_iter().map(|room| Cell { sphere: room.sphere(), room }).collect()
}

/// The number of the largest of some sizes, the last of several.
fn largest(sizes: impl Iterator<Item = f64>) -> Option<usize> {
    sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
}

fn longest_axis(room: &Room) -> usize {
    let sizes = room.filled().size();
    (0..3).max_by(|&i, &j| sizes[i].total_cmp(&sizes[j])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::shares;
    use glam::dvec3;

    /// One vertex of a chain stands for all, in boxes of any size about a surface, also with faces in their planes.
    #[test]
    fn vertices_inside_are_those_located_one_by_one() {
        let torus = Mesh::torus(2.0, 0.5, 24, 12).unwrap().into_solid();
        let cube = Mesh::cuboid(DVec3::ONE).unwrap().into_solid();
        let mut share = shares(17);
        let (mut inside, mut mixed) = (0, 0);
        for mesh in [torus, cube] {
            let model = Model::new(mesh.clone()).unwrap();
            let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
            let reach = mesh.aabb().max;
            for k in 0..400 {
                let size = 2f64.powi(-(k % 6));
                let mut min = reach * dvec3(2.0 * share() - 1.0, 2.0 * share() - 1.0, 2.0 * share() - 1.0);
                if k % 3 == 0 {
                    min = (min * 4.0).round() / 4.0;
                }
                let bounds = Aabb { min, max: min + size * dvec3(1.0, share() + 0.1, share() + 0.1) };
                let is_in = |vertex: &DVec3| model.locate_point(*vertex) != Location::Outside;
                let expected: Vec<DVec3> = bounds.vertices().into_iter().filter(is_in).collect();
                let points = |solid: bool| {
                    let room = Stuff::Faces { model: &model, mesh: &mesh, solid }.within(bounds, &all);
                    room.map_or_else(Vec::new, |room| room.points)
                };
                assert_eq!(points(true), [points(false), expected.clone()].concat(), "{bounds:?}");
                inside += usize::from(expected.len() == 8);
                mixed += usize::from((1..8).contains(&expected.len()));
            }
        }
        assert!(inside > 20 && mixed > 100, "{inside} inside, {mixed} mixed");
    }
}
