//! Input of a split.

use crate::tree::fit::FitVolume;
use crate::tree::options::{Rules, TreeOptions};
use glam::{DMat3, DVec3};
use noli::tree::Faces;
use noli_geom::internals::{HausdorffQuery, hausdorff};
use noli_geom::{AnyVolume, Measure, Obb, Triangle, Volume};

/// The faces of one node, to be parted.
pub(super) struct Problem<'a> {
    pub(super) all: &'a Faces<'a>,
    pub(super) faces: &'a [u32],
    pub(super) options: &'a TreeOptions,
    pub(super) rules: &'a Rules,
}

impl Problem<'_> {
    /// The mean of the middles, not weighted by area.
    pub(super) fn mean(&self, faces: &[u32]) -> DVec3 {
        let share = 1.0 / faces.len() as f64;
        faces.iter().map(|&f| self.all.middle(f) * share).sum()
    }

    /// The radius that a sphere about `center` needs in order to hold the face.
    pub(super) fn reach(&self, center: DVec3, face: u32) -> f64 {
        let vertices = self.all.triangles()[face as usize].vertices;
        vertices.iter().map(|c| c.distance(center)).fold(0.0, f64::max)
    }

    pub(super) fn vertices(&self, faces: &[u32]) -> Vec<DVec3> {
        faces.iter().flat_map(|&f| self.all.triangles()[f as usize].vertices).collect()
    }

    /// Parts by count: the largest is halved until there are enough.
    pub(super) fn halves_to(&self, degree: usize) -> Vec<Vec<u32>> {
        let mut parts = vec![self.faces.to_vec()];
        while parts.len() < degree {
            let largest =
                (0..parts.len()).max_by_key(|&i| (parts[i].len(), std::cmp::Reverse(i))).unwrap_or(0);
            if parts[largest].len() < 2 {
                break;
            }
            let halves = self.all.halves(&parts[largest]);
            parts.splice(largest..=largest, halves);
        }
        parts
    }

    pub(super) fn volume(&self, faces: &[u32]) -> AnyVolume {
        AnyVolume::fit_by(&self.vertices(faces), self.options, self.rules)
    }

    /// Size by the measure times cost of a test; smaller is better.
    pub(super) fn rate(&self, volume: &AnyVolume, faces: &[u32]) -> f64 {
        let size = match self.options.measure {
            Measure::Hausdorff => {
                let triangles: Vec<Triangle> =
                    faces.iter().map(|&f| self.all.triangles()[f as usize]).collect();
                let query = HausdorffQuery { tolerance: 0.05, cells: 100, ..Default::default() };
                hausdorff(volume, &triangles[..], &query).map_or(0.0, |bracket| bracket.at_most)
            }
            measure => volume.measure(measure),
        };
        size * self.rules.cost(volume.kind())
    }

    pub(super) fn quality(&self, faces: &[u32]) -> f64 {
        self.rate(&self.volume(faces), faces)
    }

    pub(super) fn quality_of(&self, parts: &[Vec<u32>]) -> f64 {
        self.options.aggregate.of(parts.iter().map(|part| self.quality(part)))
    }

    /// The oriented box that the options would fit.
    pub(super) fn oriented_box(&self) -> Obb {
        Obb::fit(&self.vertices(self.faces), self.options)
    }

    /// The box along the axes of the body.
    pub(super) fn aligned_box(&self) -> Obb {
        Obb::aligned(DMat3::IDENTITY, &self.vertices(self.faces))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_scenes::SplitMix64;

    /// The sphere about a point that a face needs holds all of the face, and no smaller one does.
    #[test]
    fn a_reach_holds_the_face() {
        let mut random = SplitMix64::new(3);
        for _ in 0..200 {
            let mut point = || random.direction() * random.between(0.1, 3.0);
            let (center, faces) = (point(), [Triangle::new(point(), point(), point())]);
            let (all, options) = (Faces::new(&faces), TreeOptions::workshop());
            let problem = Problem { all: &all, faces: &[0], options: &options, rules: &Rules::USUAL };
            let reach = problem.reach(center, 0);
            assert!(reach >= faces[0].closest_to(center).distance(center));
            assert!(faces[0].vertices.iter().any(|vertex| vertex.distance(center) == reach));
            let [a, b, c] = faces[0].vertices;
            for (s, t) in [(0.2, 0.3), (0.5, 0.5), (0.0, 1.0), (0.9, 0.1)] {
                assert!((a + (b - a) * s + (c - a) * t).distance(center) <= reach * (1.0 + 1e-12));
            }
        }
    }
}
