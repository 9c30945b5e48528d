//! Faces of a mesh by the cells of a grid: certain answers about points near it, in double precision.
//!
//! A distance is compared with a length that is larger or smaller by more than rounding. Points that are too close to
//! call, and those near faces of no shape, are left to the exact engine. Cells without faces that touch each other are on
//! the same side of a closed surface: one exact query locates all of them.

use super::cloud_image::{CloudImage, bytes, doubles};
use glam::DVec3;
use noli::Model;
use noli::answer::Location;
use noli::model::MeshKind;
use noli_geom::Aabb;

/// Cells along the longest side.
const SIDE: f64 = 48.0;
/// Cells that one query visits, at most.
const MOST_VISITED: usize = 343;
/// More than all rounding, as a share of the lengths involved.
const SLACK: f64 = 1e-7;
/// Squares of the areas of well-shaped faces are at least this share of the fourth power of their longest edge.
const SHAPED: f64 = 1e-6;

/// Content of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Outside,
    Inside,
    /// Faces, or nothing is known.
    Faces,
}

/// Faces of a mesh by cells.
#[derive(Debug)]
pub(super) struct FaceGrid {
    bounds: Aabb,
    inverse: f64,
    size: [usize; 3],
    /// Where the faces of each cell start; one more at the end.
    starts: Vec<u32>,
    faces: Vec<u32>,
    triangles: Vec<[DVec3; 3]>,
    /// Faces with a proper area: their nearest point is computed within [`SLACK`].
    shaped: Vec<bool>,
    sides: Vec<Side>,
    /// Largest coordinate.
    far: f64,
}

impl FaceGrid {
    /// Of a mesh with faces; `None` for all else, and for a solid that is not closed.
    pub(super) fn new(model: &Model) -> Option<Self> {
        let mesh = model.mesh()?;
        let is_solid = mesh.kind() == MeshKind::Solid;
        if mesh.is_empty() || is_solid && !mesh.is_closed() {
            return None;
        }
        let triangles: Vec<[DVec3; 3]> = mesh.iter_triangles().map(|triangle| triangle.vertices).collect();
        let own = mesh.aabb();
        let edge = own.size().max_element() / SIDE;
        if !(edge > 0.0 && edge.is_finite()) {
            return None;
        }
        let bounds = own.expanded(1e-3 * edge);
        let size = (bounds.size() / edge).to_array().map(|count| (count.ceil() as usize).max(1));
        let shaped = triangles.iter().map(is_shaped).collect();
        let far = bounds.min.abs().max(bounds.max.abs()).max_element();
        let (starts, faces, sides) = Default::default();
        let mut grid =
            Self { bounds, inverse: 1.0 / edge, size, starts, faces, triangles, shaped, sides, far };
        grid.sort_faces();
        grid.locate_cells(model, is_solid);
        Some(grid)
    }

    /// Returns `true` if the slack covers the rounding of poses with such coordinates.
    pub(super) fn holds_at(&self, coordinates: f64) -> bool {
        coordinates < 1e5 * self.far
    }

    /// Returns `true` if a point is certainly within a distance of the body, inside of a solid too; `false` if it
    /// certainly is not; `None` if that is too close to call.
    /// The point may be off by `error`.
    pub(super) fn within(&self, point: DVec3, distance: f64, error: f64) -> Option<bool> {
        let slack = SLACK * (self.far + point.abs().max_element() + distance) + error;
        let reach = distance + slack;
        let beyond = (self.bounds.min - point).max(point - self.bounds.max).max(DVec3::ZERO);
        if beyond.length_squared() > reach * reach * (1.0 + 1e-9) {
            return Some(false);
        }
        let [first, last] = [self.cell(point - reach), self.cell(point + reach)];
        let visited: usize = (0..3).map(|axis| last[axis] - first[axis] + 1).product();
        if visited > MOST_VISITED {
            return None;
        }
        let sure = (distance - slack).max(0.0);
        let mut open = false;
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let row = (z * self.size[1] + y) * self.size[0];
                let [from, to] = [self.starts[row + first[0]], self.starts[row + last[0] + 1]];
                for &face in &self.faces[from as usize..to as usize] {
                    let away = distance_sq(point, &self.triangles[face as usize]);
                    let is_shaped = self.shaped[face as usize];
                    if is_shaped && distance > slack && away <= sure * sure {
                        return Some(true);
                    }
                    open |= !is_shaped || away <= reach * reach || away.is_nan();
                }
            }
        }
        if open {
            return None;
        }
        if beyond != DVec3::ZERO {
            return Some(false);
        }
        let [x, y, z] = self.cell(point);
        match self.sides[(z * self.size[1] + y) * self.size[0] + x] {
            Side::Outside => Some(false),
            Side::Inside => Some(true),
            Side::Faces => None,
        }
    }

    /// Appends the grid, and returns its number; see [`CloudImage`].
    pub(super) fn write(&self, image: &mut CloudImage) -> u32 {
        let number = image.grids.len() as u32 / 24;
        let (triangle, face) = (image.triangles.len() as u32 / 18, image.faces.len() as u32);
        let side = bytes(&mut image.sides, self.sides.iter().map(|&side| side as u8));
        let Aabb { min, max } = self.bounds;
        doubles(&mut image.grids, &[min.x, min.y, min.z, max.x, max.y, max.z, self.inverse, self.far]);
        image.grids.extend(self.size.map(|count| count as u32));
        image.grids.extend([image.face_starts.len() as u32, side, 0, 0, 0]);
        image.face_starts.extend(self.starts.iter().map(|start| face + start));
        let named = |&own: &u32| (triangle + own) | (u32::from(!self.shaped[own as usize]) << 31);
        image.faces.extend(self.faces.iter().map(named));
        for vertex in self.triangles.iter().flatten() {
            doubles(&mut image.triangles, &vertex.to_array());
        }
        number
    }

    /// The cell of a place, or the nearest one.
    fn cell(&self, place: DVec3) -> [usize; 3] {
        let at = (place - self.bounds.min) * self.inverse;
        [0, 1, 2].map(|axis| (at[axis].max(0.0) as usize).min(self.size[axis] - 1))
    }

    fn center(&self, cell: [usize; 3]) -> DVec3 {
        self.bounds.min + DVec3::from_array(cell.map(|index| index as f64 + 0.5)) / self.inverse
    }

    /// Lists for every cell the faces that may reach it.
    fn sort_faces(&mut self) {
        let count = self.size[0] * self.size[1] * self.size[2];
        let half_diagonal = 0.5 * 3.0f64.sqrt() / self.inverse * (1.0 + 1e-6);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (number, triangle) in self.triangles.iter().enumerate() {
            let around = Aabb::from_points(*triangle).expanded(1e-6 / self.inverse);
            let [first, last] = [self.cell(around.min), self.cell(around.max)];
            let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
            let limit = half_diagonal * normal.length() * (1.0 + 1e-6);
            for z in first[2]..=last[2] {
                for y in first[1]..=last[1] {
                    for x in first[0]..=last[0] {
                        let off = normal.dot(self.center([x, y, z]) - triangle[0]).abs();
                        if off <= limit || off.is_nan() || !self.shaped[number] {
                            let cell = (z * self.size[1] + y) * self.size[0] + x;
                            pairs.push((cell as u32, number as u32));
                        }
                    }
                }
            }
        }
        let mut starts = vec![0u32; count + 1];
        pairs.iter().for_each(|&(cell, _)| starts[cell as usize + 1] += 1);
        for cell in 0..count {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut faces = vec![0; pairs.len()];
        for (cell, face) in pairs {
            let place = &mut next[cell as usize];
            faces[*place as usize] = face;
            *place += 1;
        }
        (self.starts, self.faces) = (starts, faces);
    }

    /// Finds the side of all cells without faces, by one exact query for those that touch each other.
    fn locate_cells(&mut self, model: &Model, is_solid: bool) {
        let [width, height, depth] = self.size;
        let count = width * height * depth;
        let empty = |cell: usize| self.starts[cell] == self.starts[cell + 1];
        let mut sides = vec![Side::Faces; count];
        let mut seen = vec![false; count];
        for start in 0..count {
            if seen[start] || !empty(start) {
                continue;
            }
            let place = |cell: usize| [cell % width, cell / width % height, cell / (width * height)];
            let side = match is_solid.then(|| model.locate_point(self.center(place(start)))) {
                None | Some(Location::Outside) => Side::Outside,
                Some(Location::Inside) => Side::Inside,
                Some(_) => Side::Faces,
            };
            let mut open = vec![start];
            seen[start] = true;
            while let Some(cell) = open.pop() {
                sides[cell] = side;
                let at = place(cell);
                let strides = [1, width, width * height];
                for axis in 0..3 {
                    let below = (at[axis] > 0).then(|| cell - strides[axis]);
                    let above = (at[axis] + 1 < self.size[axis]).then(|| cell + strides[axis]);
                    for other in [below, above].into_iter().flatten() {
                        if !seen[other] && empty(other) {
                            seen[other] = true;
                            open.push(other);
                        }
                    }
                }
            }
        }
        self.sides = sides;
    }
}

/// Returns `true` for a triangle whose nearest point is computed well.
fn is_shaped(triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length_squared() > SHAPED * longest * longest
}

/// The square of the distance of a point from a triangle (Ericson 2005, 5.1.5). The point that it is measured from is
/// always one of the triangle, up to rounding.
fn distance_sq(p: DVec3, &[a, b, c]: &[DVec3; 3]) -> f64 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ap.length_squared();
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return bp.length_squared();
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return p.distance_squared(a + ab * (d1 / (d1 - d3)).clamp(0.0, 1.0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return cp.length_squared();
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return p.distance_squared(a + ac * (d2 / (d2 - d6)).clamp(0.0, 1.0));
    }
    let va = d3 * d6 - d5 * d4;
    let (up, along) = (d4 - d3, d5 - d6);
    if va <= 0.0 && up >= 0.0 && along >= 0.0 {
        return p.distance_squared(b + (c - b) * (up / (up + along)).clamp(0.0, 1.0));
    }
    let sum = va + vb + vc;
    let (v, w) = ((vb / sum).clamp(0.0, 1.0), (vc / sum).clamp(0.0, 1.0));
    p.distance_squared(a + ab * v + ac * w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::shares;
    use noli::{Convex, Mesh, Overlap, Pose, within_distance};

    #[test]
    fn certain_answers_are_those_of_the_exact_engine() {
        let torus = Mesh::torus(0.5, 0.2, 32, 16).unwrap();
        let shapes = [
            torus.clone(),
            torus.into_solid(),
            Mesh::cuboid(DVec3::new(1.0, 0.3, 0.02)).unwrap().into_solid(),
        ];
        let mut share = shares(5);
        for (kind, mesh) in shapes.into_iter().enumerate() {
            let model = Model::from(mesh);
            let grid = FaceGrid::new(&model).unwrap();
            let [mut certain, mut hits] = [0; 2];
            for k in 0..3000 {
                let point = 1.6 * DVec3::new(share() - 0.5, share() - 0.5, share() - 0.5);
                let distance = [0.0, 0.003, 0.02, 0.09][k % 4];
                let Some(found) = grid.within(point, distance, 0.0) else { continue };
                let dot = Model::from(Convex::POINT);
                let placed = dot.at(Pose::from_translation(point));
                let wanted = within_distance(&placed, &model.at(Pose::IDENTITY), distance) == Overlap::Hit;
                assert_eq!(found, wanted, "shape {kind}, {point} within {distance}");
                certain += 1;
                hits += usize::from(found);
            }
            assert!(certain > 2500 && hits > 20, "{certain} certain, {hits} hits of shape {kind}");
        }
    }

    #[test]
    fn only_meshes_with_a_clear_inside_have_a_grid() {
        assert!(FaceGrid::new(&Model::from(Convex::POINT)).is_none());
        assert!(FaceGrid::new(&Model::from(Mesh::empty())).is_none());
    }
}
