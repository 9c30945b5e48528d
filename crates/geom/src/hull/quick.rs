//! Quickhull on exact signs.
//!
//! A face is visible only from strictly outside. Then no new triangle is without area (its edge has a face
//! that sees the new point), visible faces form a disc, and a point that saw a removed face and is still
//! outside sees one of the faces that replace it. Coplanar triangles arise and are merged afterwards.

use super::signs::Signs;
use glam::DVec3;

/// A triangle of the growing hull.
pub(super) struct Face {
    /// Counter-clockwise from outside.
    pub(super) vertices: [u32; 3],
    /// The faces across the edges that start at each vertex.
    pub(super) across: [u32; 3],
    /// Points that see this face and wait for being added.
    outside: Vec<u32>,
    alive: bool,
}

struct Builder<'a> {
    signs: &'a Signs<'a>,
    faces: Vec<Face>,
    /// Faces with points outside.
    waiting: Vec<u32>,
    /// Last search that visited each face, and `true` if it found the face visible.
    seen: Vec<(u32, bool)>,
    search: u32,
    /// The new face that starts at a point, while it is being linked.
    starting_at: Vec<u32>,
}

/// The hull of points as triangles, numbered among themselves, grown from a tetrahedron whose last vertex is
/// behind the first three.
pub(super) fn triangles(signs: &Signs<'_>, simplex: [u32; 4]) -> Vec<Face> {
    let [a, b, c, d] = simplex;
    let mut builder = Builder {
        signs,
        faces: Vec::new(),
        waiting: Vec::new(),
        seen: Vec::new(),
        search: 0,
        starting_at: vec![0; signs.points.len()],
    };
    builder.add([a, b, c], [3, 1, 2]);
    builder.add([c, b, d], [0, 3, 2]);
    builder.add([a, c, d], [0, 1, 3]);
    builder.add([b, a, d], [0, 2, 1]);
    let rest = (0..signs.points.len() as u32).filter(|p| !simplex.contains(p)).collect();
    builder.assign(rest, 0);
    while let Some(face) = builder.waiting.pop() {
        builder.grow(face);
    }
    builder.compact()
}

impl Builder<'_> {
    fn add(&mut self, vertices: [u32; 3], across: [u32; 3]) -> u32 {
        self.faces.push(Face { vertices, across, outside: Vec::new(), alive: true });
        self.seen.push((0, false));
        self.faces.len() as u32 - 1
    }

    fn sees(&self, face: u32, point: u32) -> bool {
        self.signs.orient3d(self.faces[face as usize].vertices, point) > 0
    }

    /// Give every point to the first of the faces from `first` on that it sees.
    fn assign(&mut self, points: Vec<u32>, first: u32) {
        for point in points {
            if let Some(face) = (first..self.faces.len() as u32).find(|&face| self.sees(face, point)) {
                self.faces[face as usize].outside.push(point);
            }
        }
        let waits = |face: &u32| !self.faces[*face as usize].outside.is_empty();
        self.waiting.extend((first..self.faces.len() as u32).filter(waits));
    }

    /// Add the point that is furthest outside a face.
    fn grow(&mut self, face: u32) {
        let Some(point) = self.support_point(face) else { return };
        let (visible, horizon) = self.visible(face, point);
        let first = self.faces.len() as u32;
        for &(from, to, beyond) in &horizon {
            let new = self.add([from, to, point], [beyond, 0, 0]);
            self.starting_at[from as usize] = new;
            let back = &mut self.faces[beyond as usize];
            let edge = (0..3).find(|&k| back.vertices[k] == to).unwrap_or(0);
            back.across[edge] = new;
        }
        for new in first..self.faces.len() as u32 {
            let next = self.starting_at[self.faces[new as usize].vertices[1] as usize];
            self.faces[new as usize].across[1] = next;
            self.faces[next as usize].across[2] = new;
        }
        let mut orphans = Vec::new();
        for old in visible {
            self.faces[old as usize].alive = false;
            orphans.append(&mut self.faces[old as usize].outside);
        }
        orphans.retain(|&p| p != point);
        self.assign(orphans, first);
    }

    fn support_point(&self, face: u32) -> Option<u32> {
        let face = &self.faces[face as usize];
        if !face.alive {
            return None;
        }
        let [a, b, c] = face.vertices.map(|p| self.signs.points[p as usize]);
        let normal = (b - a).normalize_or(DVec3::X).cross((c - a).normalize_or(DVec3::Y));
        let height = |p: &u32| normal.dot(self.signs.points[*p as usize] - a);
        face.outside.iter().copied().max_by(|p, q| height(p).total_cmp(&height(q)))
    }

    /// The faces that a point sees, from one of them on, and the edges around them with the faces beyond.
    fn visible(&mut self, start: u32, point: u32) -> (Vec<u32>, Vec<(u32, u32, u32)>) {
        self.search += 1;
        let search = self.search;
        let (mut visible, mut horizon) = (vec![start], Vec::new());
        self.seen[start as usize] = (search, true);
        let mut next = 0;
        while let Some(&face) = visible.get(next) {
            next += 1;
            for k in 0..3 {
                let Face { vertices, across, .. } = &self.faces[face as usize];
                let (vertices, across) = (*vertices, *across);
                let beyond = across[k];
                if self.seen[beyond as usize].0 != search {
                    let sees = self.sees(beyond, point);
                    self.seen[beyond as usize] = (search, sees);
                    if sees {
                        visible.push(beyond);
                    }
                }
                if !self.seen[beyond as usize].1 {
                    horizon.push((vertices[k], vertices[(k + 1) % 3], beyond));
                }
            }
        }
        (visible, horizon)
    }

    /// The faces that are left, renumbered.
    fn compact(self) -> Vec<Face> {
        let mut number = Vec::with_capacity(self.faces.len());
        let mut count = 0;
        for face in &self.faces {
            number.push(count);
            count += u32::from(face.alive);
        }
        let mut faces: Vec<Face> = self.faces.into_iter().filter(|face| face.alive).collect();
        for face in &mut faces {
            face.across = face.across.map(|f| number[f as usize]);
        }
        faces
    }
}
