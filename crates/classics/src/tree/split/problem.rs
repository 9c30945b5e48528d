//! What a split looks at.

use crate::tree::quality::cost_factor;
use crate::tree::{FitVolume, TreeOptions};
use glam::{DMat3, DVec3};
use noli::tree::Faces;
use noli_geom::internals::{HausdorffQuery, hausdorff};
use noli_geom::{AnyVolume, Measure, Obb, Triangle, Volume};

/// The faces of one node, to be parted.
pub(super) struct Problem<'a> {
    pub(super) all: &'a Faces<'a>,
    pub(super) faces: &'a [u32],
    pub(super) options: &'a TreeOptions,
}

impl Problem<'_> {
    /// The mean of the middles, not weighted by area.
    pub(super) fn mean(&self, faces: &[u32]) -> DVec3 {
        let share = 1.0 / faces.len() as f64;
        faces.iter().map(|&f| self.all.middle(f) * share).sum()
    }

    /// The radius that a ball about `center` needs in order to hold the face.
    pub(super) fn reach(&self, center: DVec3, face: u32) -> f64 {
        let corners = self.all.triangles()[face as usize].corners;
        corners.iter().map(|c| c.distance(center)).fold(0.0, f64::max)
    }

    pub(super) fn corners(&self, faces: &[u32]) -> Vec<DVec3> {
        faces.iter().flat_map(|&f| self.all.triangles()[f as usize].corners).collect()
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
        AnyVolume::fit(&self.corners(faces), self.options)
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
        Obb::fit(&self.corners(self.faces), self.options)
    }

    /// The box along the axes of the body.
    pub(super) fn aligned_box(&self) -> Obb {
        Obb::aligned(DMat3::IDENTITY, &self.corners(self.faces))
    }
}
