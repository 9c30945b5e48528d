//! The closed form that exists for a vertex which turns about a moving axis, against a face that does not
//! turn: its distance from the plane is `a + b·t + c·cos φt + d·sin φt`.
//!
//! The second derivative vanishes at known times; between them the first is monotone, and between the zeros
//! of that so is the distance. So every root is found, up to rounding.

use super::super::bisected;
use super::inside::prism_sides;
use glam::DVec3;

/// A vertex on a circle whose centre moves on a straight line, and a face at rest. For a face that also
/// moves on a straight line, subtract its translation from the shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurningVertex {
    /// Start position of the vertex.
    pub vertex: DVec3,
    /// A point of the axis at the start.
    pub pivot: DVec3,
    /// Direction of the axis, of unit length.
    pub axis: DVec3,
    /// Rotation angle in radians, counter-clockwise viewed from the tip of the axis.
    pub angle: f64,
    /// Translation of the axis during the motion.
    pub shift: DVec3,
    /// The vertices of the face.
    pub face: [DVec3; 3],
}

impl TurningVertex {
    /// Returns the position of the vertex at a time in [0, 1].
    pub fn at(&self, time: f64) -> DVec3 {
        let (along, across, ahead) = self.parts();
        let (sin, cos) = (self.angle * time).sin_cos();
        self.pivot + self.shift * time + along + across * cos + ahead * sin
    }

    /// **Approximate** by rounding alone: computes the first time at which the vertex touches the face. No
    /// passage through the plane is missed, however short. One within rounding of a border or a tangency may be
    /// missed.
    ///
    /// ```
    /// use glam::{DVec3, dvec3};
    /// use noli_geom::TurningVertex;
    /// let face = [dvec3(-9.0, -9.0, 0.5), dvec3(9.0, -9.0, 0.5), dvec3(0.0, 9.0, 0.5)];
    /// let quarter = std::f64::consts::FRAC_PI_2;
    /// let (pivot, shift) = (DVec3::ZERO, DVec3::ZERO);
    /// let turn = TurningVertex { vertex: DVec3::Z, pivot, axis: DVec3::Y, angle: quarter, shift, face };
    /// assert!((turn.impact().unwrap() - 2.0 / 3.0).abs() < 1e-14);
    /// ```
    pub fn impact(&self) -> Option<f64> {
        let [p, q, r] = self.face;
        let size = crate::Aabb::from_points([self.vertex, self.pivot, p, q, r]).size().length();
        self.intersections()
            .into_iter()
            .find(|&time| prism_sides(&[self.at(time), p, q, r]).iter().all(|&side| side <= 1e-12 * size))
    }

    /// Every time at which the vertex is in the plane of the face, in order.
    pub fn intersections(&self) -> Vec<f64> {
        let [p, q, r] = self.face;
        let normal = (q - p).cross(r - p);
        let (along, across, ahead) = self.parts();
        let (cos, sin) = (normal.dot(across), normal.dot(ahead));
        let (rest, slope) = (normal.dot(self.pivot + along - p), normal.dot(self.shift));
        let phi = self.angle;
        let distance = |t: f64| rest + slope * t + cos * (phi * t).cos() + sin * (phi * t).sin();
        let speed = |t: f64| slope + phi * (sin * (phi * t).cos() - cos * (phi * t).sin());
        // Where `cos·cos φt + sin·sin φt` vanishes the speed turns.
        let mut cuts = vec![0.0];
        if phi != 0.0 && (cos, sin) != (0.0, 0.0) {
            let half = std::f64::consts::PI;
            let first = (-cos).atan2(sin);
            let turns = (phi.abs() / half).ceil().min(1e6) as i64 + 2;
            let times = (-turns..=turns).map(|k| (first + k as f64 * half) / phi);
            cuts.extend(times.filter(|t| 0.0 < *t && *t < 1.0));
        }
        cuts.push(1.0);
        cuts.sort_by(f64::total_cmp);
        let monotone = zeros(&speed, &cuts);
        let mut cuts: Vec<f64> = cuts.into_iter().chain(monotone).collect();
        cuts.sort_by(f64::total_cmp);
        let mut roots = zeros(&distance, &cuts);
        roots.dedup();
        roots
    }

    /// The vertex seen from the pivot: along the axis, across it, and a quarter turn ahead of that.
    fn parts(&self) -> (DVec3, DVec3, DVec3) {
        let arm = self.vertex - self.pivot;
        let along = self.axis * self.axis.dot(arm);
        (along, arm - along, self.axis.cross(arm))
    }
}

/// The zeros of a function that is monotone between the cuts.
fn zeros(f: &impl Fn(f64) -> f64, cuts: &[f64]) -> Vec<f64> {
    let in_piece = |piece: &[f64]| {
        let (at_from, at_to) = (f(piece[0]), f(piece[1]));
        match (at_from == 0.0, at_to == 0.0) {
            (true, _) => Some(piece[0]),
            (false, true) => Some(piece[1]),
            (false, false) if (at_from > 0.0) != (at_to > 0.0) => Some(bisected(f, piece[0], piece[1])),
            _ => None,
        }
    };
    cuts.windows(2).filter_map(in_piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use proptest::prelude::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    fn plane(height: f64) -> [DVec3; 3] {
        [dvec3(-90.0, -90.0, height), dvec3(90.0, -90.0, height), dvec3(0.0, 90.0, height)]
    }

    /// A pendulum that grazes the plane for a fiftieth of the swing.
    #[test]
    fn a_grazing_pendulum() {
        let vertex = dvec3(FRAC_PI_4.sin(), 0.0, -FRAC_PI_4.cos());
        let pivot = DVec3::ZERO;
        let turn = |depth: f64| TurningVertex {
            vertex,
            pivot,
            axis: DVec3::Y,
            angle: FRAC_PI_2,
            shift: DVec3::ZERO,
            face: plane(-depth),
        };
        let found = turn(0.9999).intersections();
        assert!((found[0] - 0.4909968).abs() < 1e-7 && (found[1] - 0.5090032).abs() < 1e-7, "{found:?}");
        assert!(turn(1.0001).intersections().is_empty());
        assert!((turn(0.8).impact().unwrap() - 0.0903345).abs() < 1e-7);
    }

    proptest! {
        /// As many intersections as dense sampling sees, each of them one.
        #[test]
        fn every_intersection_is_found(
            vertex in prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array),
            axis in prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array),
            shift in prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from_array),
            angle in -9.0..9.0f64,
            height in -0.7..0.7f64,
        ) {
            prop_assume!(axis.length() > 0.1);
            let axis = axis.normalize();
            let turn = TurningVertex { vertex, pivot: DVec3::ZERO, axis, angle, shift, face: plane(height) };
            let above = |k: i32| turn.at(f64::from(k) / 2000.0).z > height;
            let seen = (0..2000).filter(|&k| above(k) != above(k + 1)).count();
            let found = turn.intersections();
            prop_assert!(found.len() >= seen, "{} of {}", found.len(), seen);
            for t in found {
                prop_assert!((turn.at(t).z - height).abs() < 1e-12);
            }
        }
    }
}
