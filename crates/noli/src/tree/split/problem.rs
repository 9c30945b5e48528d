//! What a split looks at.

use crate::tree::quality::cost_factor;
use crate::tree::{FitVolume, TreeOptions};
use glam::{DMat3, DVec3};
use noli_geom::internals::{HausdorffQuery, hausdorff};
use noli_geom::{Aabb, AnyVolume, Measure, Obb, Triangle, Volume};

/// All faces of a body.
pub(super) struct Faces<'a> {
    pub(super) triangles: &'a [Triangle],
    /// The mean of the corners of each.
    pub(super) middles: Vec<DVec3>,
    /// The box of each.
    pub(super) boxes: Vec<Aabb>,
}

impl<'a> Faces<'a> {
    pub(super) fn new(triangles: &'a [Triangle]) -> Self {
        let middle = |t: &Triangle| t.corners[0] / 3.0 + t.corners[1] / 3.0 + t.corners[2] / 3.0;
        let boxes = triangles.iter().map(Triangle::aabb).collect();
        Self { triangles, middles: triangles.iter().map(middle).collect(), boxes }
    }

    pub(super) fn middle(&self, face: u32) -> DVec3 {
        self.middles[face as usize]
    }

    /// The mean of the middles, not weighted by area.
    pub(super) fn mean(&self, faces: &[u32]) -> DVec3 {
        let share = 1.0 / faces.len() as f64;
        faces.iter().map(|&f| self.middle(f) * share).sum()
    }

    /// The radius that a ball about `center` needs in order to hold the face.
    pub(super) fn reach(&self, center: DVec3, face: u32) -> f64 {
        let corners = self.triangles[face as usize].corners;
        corners.iter().map(|c| c.distance(center)).fold(0.0, f64::max)
    }

    pub(super) fn corners(&self, faces: &[u32]) -> Vec<DVec3> {
        faces.iter().flat_map(|&f| self.triangles[f as usize].corners).collect()
    }

    /// Two halves by count along the longest edge of the box of the middles; never fails.
    pub(super) fn halves(&self, faces: &[u32]) -> Vec<Vec<u32>> {
        let size = Aabb::around(faces.iter().map(|&f| self.middle(f))).size();
        let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
        let mut sorted = faces.to_vec();
        let key = |f: &u32| self.middle(*f)[axis];
        sorted.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let rest = sorted.split_off(sorted.len() / 2);
        vec![sorted, rest]
    }

    /// Parts by count: the largest is halved until there are enough.
    pub(super) fn halves_to(&self, faces: &[u32], degree: usize) -> Vec<Vec<u32>> {
        let mut parts = vec![faces.to_vec()];
        while parts.len() < degree {
            let largest =
                (0..parts.len()).max_by_key(|&i| (parts[i].len(), std::cmp::Reverse(i))).unwrap_or(0);
            if parts[largest].len() < 2 {
                break;
            }
            let halves = self.halves(&parts[largest]);
            parts.splice(largest..=largest, halves);
        }
        parts
    }
}

/// The faces of one node, to be parted.
pub(super) struct Problem<'a> {
    pub(super) all: &'a Faces<'a>,
    pub(super) faces: &'a [u32],
    pub(super) options: &'a TreeOptions,
}

impl Problem<'_> {
    pub(super) fn volume(&self, faces: &[u32]) -> AnyVolume {
        AnyVolume::fit(&self.all.corners(faces), self.options)
    }

    /// Size by the measure times cost of a test; smaller is better.
    pub(super) fn rate(&self, volume: &AnyVolume, faces: &[u32]) -> f64 {
        let size = match self.options.measure {
            Measure::Hausdorff => {
                let triangles: Vec<Triangle> =
                    faces.iter().map(|&f| self.all.triangles[f as usize]).collect();
                let query = HausdorffQuery { tolerance: 0.05, cells: 100, ..Default::default() };
                hausdorff(volume, &triangles[..], &query).map_or(0.0, |bracket| bracket.at_most)
            }
            measure => volume.measure(measure),
        };
        size * cost_factor(volume.kind())
    }

    pub(super) fn quality(&self, faces: &[u32]) -> f64 {
        self.rate(&self.volume(faces), faces)
    }

    pub(super) fn quality_of(&self, parts: &[Vec<u32>]) -> f64 {
        self.options.aggregate.of(parts.iter().map(|part| self.quality(part)))
    }

    /// The oriented box that the options would fit.
    pub(super) fn oriented_box(&self) -> Obb {
        Obb::fit(&self.all.corners(self.faces), self.options)
    }

    /// The box along the axes of the body.
    pub(super) fn aligned_box(&self) -> Obb {
        Obb::aligned(DMat3::IDENTITY, &self.all.corners(self.faces))
    }
}
