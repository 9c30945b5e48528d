//! Faces with holes (Boyse 1979: object, faces, perimeter and holes, edges, vertices) as meshes.
//!
//! A hole is joined to its perimeter by a bridge that is passed twice, so that one outline bounds the face.

use glam::{DVec2, DVec3};
use noli_geom::{Mesh, MeshError, MeshOptions};

/// A flat face: its perimeter counter-clockwise seen from outside, its holes clockwise, as vertex numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaceLoops {
    /// Around the face.
    pub perimeter: Vec<u32>,
    /// Around each hole.
    pub holes: Vec<Vec<u32>>,
}

/// Reason why faces with holes do not form a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoopError {
    /// A loop names a vertex that is not there, or has fewer than three.
    #[error("face {face}: a loop needs three vertices or more, each of the list")]
    Loop {
        /// The face.
        face: usize,
    },
    /// No bridge leads from a hole to the outline without intersecting another loop.
    #[error("face {face}: hole {hole} cannot be joined to the perimeter; loops must not cross")]
    Hole {
        /// The face.
        face: usize,
        /// The hole.
        hole: usize,
    },
    /// The outlines make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// A mesh of faces with holes.
///
/// ```
/// use glam::dvec3;
/// use noli_classics::{FaceLoops, mesh_of_loops};
/// let square = |half: f64| [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| dvec3(half * x, half * y, 0.0));
/// let vertices = [square(2.0), square(1.0)].concat();
/// let frame = FaceLoops { perimeter: vec![0, 1, 2, 3], holes: vec![vec![4, 7, 6, 5]] };
/// let mesh = mesh_of_loops(vertices, &[frame])?;
/// let area: f64 = mesh.iter_triangles().map(|t| 0.5 * (t.vertices[1] - t.vertices[0]).cross(t.vertices[2] - t.vertices[0]).length()).sum();
/// assert!((area - 12.0).abs() < 1e-12);
/// # Ok::<(), noli_classics::LoopError>(())
/// ```
pub fn mesh_of_loops(vertices: Vec<DVec3>, faces: &[FaceLoops]) -> Result<Mesh, LoopError> {
    let mut outlines = Vec::with_capacity(faces.len());
    for (number, face) in faces.iter().enumerate() {
        outlines.push(outline(&vertices, face, number)?);
    }
    Ok(Mesh::from_polygons(vertices, outlines.iter().collect(), &MeshOptions { weld: false })?)
}

/// One loop around a face, its holes joined to it nearest first.
fn outline(vertices: &[DVec3], face: &FaceLoops, number: usize) -> Result<Vec<u32>, LoopError> {
    let known = |l: &Vec<u32>| l.len() >= 3 && l.iter().all(|&v| (v as usize) < vertices.len());
    if !known(&face.perimeter) || !face.holes.iter().all(known) {
        return Err(LoopError::Loop { face: number });
    }
    let flat = Flat::new(vertices, &face.perimeter);
    let mut outline = face.perimeter.clone();
    let mut left: Vec<usize> = (0..face.holes.len()).collect();
    while !left.is_empty() {
        let walls: Vec<[u32; 2]> = std::iter::once(&outline)
            .chain(left.iter().map(|&hole| &face.holes[hole]))
            .flat_map(|l| (0..l.len()).map(move |k| [l[k], l[(k + 1) % l.len()]]))
            .collect();
        let bridge = flat.bridge(&outline, left.iter().map(|&hole| (hole, &face.holes[hole])), &walls);
        let Some((at, hole, from)) = bridge else {
            return Err(LoopError::Hole { face: number, hole: left[0] });
        };
        let around = &face.holes[hole];
        let detour = (0..=around.len()).map(|k| around[(from + k) % around.len()]).chain([outline[at]]);
        let detour: Vec<u32> = detour.collect();
        outline.splice(at + 1..at + 1, detour);
        left.retain(|&other| other != hole);
    }
    Ok(outline)
}

/// Vertices in the plane of a face.
struct Flat<'v> {
    vertices: &'v [DVec3],
    axes: [DVec3; 2],
}

impl<'v> Flat<'v> {
    fn new(vertices: &'v [DVec3], perimeter: &[u32]) -> Self {
        let vertex = |k: usize| vertices[perimeter[k % perimeter.len()] as usize];
        let normal: DVec3 =
            (0..perimeter.len()).map(|k| (vertex(k) - vertex(0)).cross(vertex(k + 1) - vertex(0))).sum();
        let u = normal.normalize_or(DVec3::Z).any_orthonormal_vector();
        Self { vertices, axes: [u, normal.normalize_or(DVec3::Z).cross(u)] }
    }

    fn at(&self, vertex: u32) -> DVec2 {
        let p = self.vertices[vertex as usize];
        DVec2::new(self.axes[0].dot(p), self.axes[1].dot(p))
    }

    /// Returns the shortest bridge from the outline to a hole that intersects no wall: place in the outline,
    /// hole, place in it.
    fn bridge<'h>(
        &self,
        outline: &[u32],
        holes: impl Iterator<Item = (usize, &'h Vec<u32>)>,
        walls: &[[u32; 2]],
    ) -> Option<(usize, usize, usize)> {
        let mut paths = Vec::new();
        for (hole, around) in holes {
            for (at, &v) in outline.iter().enumerate() {
                let from = around.iter().enumerate();
                paths.extend(
                    from.map(|(from, &w)| {
                        (self.at(v).distance_squared(self.at(w)), [v, w], (at, hole, from))
                    }),
                );
            }
        }
        paths.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.2.cmp(&y.2)));
        paths
            .into_iter()
            .find(|(_, path, _)| !walls.iter().any(|wall| self.cross(path, wall)))
            .map(|(.., path)| path)
    }

    /// Returns `true` if two segments without a common end intersect.
    fn cross(&self, path: &[u32; 2], wall: &[u32; 2]) -> bool {
        if path.iter().any(|v| wall.iter().any(|w| self.at(*v) == self.at(*w))) {
            return false;
        }
        let ([p, q], [r, s]) = (path.map(|v| self.at(v)), wall.map(|v| self.at(v)));
        let side = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
        side(p, q, r) * side(p, q, s) <= 0.0 && side(r, s, p) * side(r, s, q) <= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyKind, Interference, Polyhedron, interference};
    use noli::{Budget, Pose};

    /// A plate in the shape of an L with a square hole in its vertex, as a closed solid.
    fn plate() -> Mesh {
        let outer = [(0., 0.), (6., 0.), (6., 3.), (3., 3.), (3., 6.), (0., 6.)];
        let inner = [(1., 1.), (2., 1.), (2., 2.), (1., 2.)];
        let layer = |z: f64| outer.iter().chain(&inner).map(move |&(x, y)| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = layer(0.0).chain(layer(1.0)).collect();
        let up = |v: u32| v + 10;
        let mut faces = vec![
            FaceLoops { perimeter: (0..6).rev().collect(), holes: vec![vec![6, 7, 8, 9]] },
            FaceLoops {
                perimeter: (0..6).map(up).collect(),
                holes: vec![vec![9, 8, 7, 6].into_iter().map(up).collect()],
            },
        ];
        let mut wall = |a: u32, b: u32| {
            faces.push(FaceLoops { perimeter: vec![a, b, up(b), up(a)], holes: Vec::new() });
        };
        (0..6).for_each(|k| wall(k, (k + 1) % 6));
        (0..4).for_each(|k| wall(6 + (k + 1) % 4, 6 + k));
        mesh_of_loops(vertices, &faces).unwrap()
    }

    #[test]
    fn a_plate_with_a_hole_lets_a_peg_through() {
        let plate = plate();
        let report = plate.report();
        assert!(report.closed && report.oriented, "{report:?}");
        let twice = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let area: f64 = plate.iter_triangles().map(|t| 0.5 * twice(t.vertices)).sum();
        assert!((area - (2.0 * 26.0 + 24.0 + 4.0)).abs() < 1e-9, "{area}");
        let body = Polyhedron::new(&plate.into_solid());
        let peg = |half: f64| {
            Polyhedron::new(&Mesh::cuboid(DVec3::new(2.0 * half, 2.0 * half, 9.0)).unwrap().into_solid())
        };
        let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.5));
        let ask = |peg: &Polyhedron, pose: &Pose| {
            interference((&body, &Pose::IDENTITY), (peg, pose), &Budget::UNLIMITED).unwrap().0
        };
        assert_eq!(ask(&peg(0.45), &at(1.5, 1.5)), Interference::Disjoint);
        assert_eq!(ask(&peg(0.45), &at(4.5, 4.5)), Interference::Disjoint, "in the vertex of the L");
        for (half, x) in [(0.55, 1.5), (0.2, 0.5), (0.45, 1.6)] {
            let Interference::Meeting { point, .. } = ask(&peg(half), &at(x, 1.5)) else {
                panic!("they meet")
            };
            let off = body.mesh().iter_triangles().map(|t| t.closest_to(point).distance(point));
            assert!(off.fold(f64::INFINITY, f64::min) < 1e-12, "{point}");
            let on_peg = (point - DVec3::new(x, 1.5, 0.5)).abs() - DVec3::new(half, half, 4.5);
            assert!(on_peg.max_element().abs() < 1e-9, "{point}");
        }
    }

    /// The same box inside another collides with a solid, not with a surface or a container.
    #[test]
    fn containers_hold_what_solids_do_not() {
        let cube = |size: f64| Polyhedron::new(&Mesh::cuboid(DVec3::splat(size)).unwrap().into_solid());
        let (room, thing) = (cube(4.0), cube(1.0));
        let ask = |shift: f64| {
            let pose = Pose::from_translation(DVec3::X * shift);
            interference((&thing, &pose), (&room, &Pose::IDENTITY), &Budget::UNLIMITED).unwrap().0
        };
        let solid = BodyKind::Solid;
        for (shift, [in_solid, in_container]) in
            [(0.3, [true, false]), (1.8, [true, true]), (5.0, [false, false])]
        {
            assert_eq!(ask(shift).is_collision([solid, solid]), in_solid, "{shift}");
            assert_eq!(ask(shift).is_collision([solid, BodyKind::Container]), in_container, "{shift}");
            assert_eq!(ask(shift).is_collision([solid, BodyKind::Surface]), in_container, "{shift}");
        }
    }

    #[test]
    fn loops_that_are_none_are_refused() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let of = |perimeter: Vec<u32>| {
            mesh_of_loops(vertices.clone(), &[FaceLoops { perimeter, holes: Vec::new() }])
        };
        assert_eq!(of(vec![0, 1]).err(), Some(LoopError::Loop { face: 0 }));
        assert_eq!(of(vec![0, 1, 7]).err(), Some(LoopError::Loop { face: 0 }));
        assert!(of(vec![0, 1, 2]).is_ok());
    }
}
