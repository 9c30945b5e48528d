//! Input of a split.

use glam::DVec3;
use noli_geom::{Aabb, Triangle};

/// All faces of a body, for rules that part them (see [`Tree::top_down`](crate::tree::Tree::top_down)).
#[derive(Clone, Debug)]
pub struct Faces<'a> {
    triangles: &'a [Triangle],
    middles: Vec<DVec3>,
    boxes: Vec<Aabb>,
}

impl<'a> Faces<'a> {
    /// Evaluates every triangle once.
    pub fn new(triangles: &'a [Triangle]) -> Self {
        let middle = |t: &Triangle| t.vertices[0] / 3.0 + t.vertices[1] / 3.0 + t.vertices[2] / 3.0;
        let boxes = triangles.iter().map(Triangle::aabb).collect();
        Self { triangles, middles: triangles.iter().map(middle).collect(), boxes }
    }

    /// The triangles.
    pub fn triangles(&self) -> &'a [Triangle] {
        self.triangles
    }

    /// The mean of the vertices of a face.
    #[inline]
    pub fn middle(&self, face: u32) -> DVec3 {
        self.middles[face as usize]
    }

    /// The box around a face.
    #[inline]
    pub fn bounds(&self, face: u32) -> Aabb {
        self.boxes[face as usize]
    }

    /// Two halves by count along the longest edge of the box of the middles.
    pub fn halves(&self, faces: &[u32]) -> Vec<Vec<u32>> {
        let size = Aabb::from_points(faces.iter().map(|&f| self.middle(f))).size();
        let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
        let mut sorted = faces.to_vec();
        let key = |f: &u32| self.middle(*f)[axis];
        sorted.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let rest = sorted.split_off(sorted.len() / 2);
        vec![sorted, rest]
    }
}
