//! Features of two rigid bodies in motion: inclusion on straight segments of the motion.
//!
//! Over a short time each vertex stays within its chord deviation of a straight path. The deviation
//! vanishes with the square of the time. So the linear query runs on the chords, with the deviations added
//! to the margin (after Ferguson et al. 2021). Its time intervals double while they are collision-free and
//! halve near a contact.

use super::inclusion::{Advance, FINEST};
use super::patch::Patch;
use super::{FeatureKind, FeaturePair, FeatureQuery};
use crate::number::round;
use crate::{Impact, Motion, Pose, Sphere, TimeOfImpact};
use glam::DVec3;

/// A feature of a body A and one of a body B, each moving rigidly during the time span [0, 1].
#[derive(Clone, Copy, Debug)]
pub struct RigidFeatures<'a> {
    /// Features that the points form.
    pub kind: FeatureKind,
    /// The points, each in the frame of its body: point 0, or points 0 and 1, on A, the others on B.
    pub points: [DVec3; 4],
    /// The motion of A.
    pub a: &'a dyn Motion,
    /// The motion of B.
    pub b: &'a dyn Motion,
}

impl RigidFeatures<'_> {
    /// Computes the first time at which the distance falls to the margin. **Conservative**: never late, and a
    /// reported contact is within margin and tolerance at `safe_until`.
    ///
    /// ```
    /// use glam::{DQuat, DVec3, dvec3};
    /// use noli_geom::{FeatureKind, Impact, Pose, RigidFeatures, RigidMotion, Still};
    /// // A vertex on a quarter circle reaches the plane z = 1/2 after two thirds of the path.
    /// let quarter = Pose::from_rotation(DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    /// let turn = RigidMotion::between(&Pose::IDENTITY, &quarter, DVec3::ZERO);
    /// let points = [DVec3::Z, dvec3(-9.0, -9.0, 0.5), dvec3(9.0, -9.0, 0.5), dvec3(0.0, 9.0, 0.5)];
    /// let features =
    ///     RigidFeatures { kind: FeatureKind::VertexFace, points, a: &turn, b: &Still(Pose::IDENTITY) };
    /// let found = features.impact(&Default::default());
    /// let Impact::At { time, .. } = found else { panic!("it meets the plane") };
    /// assert!(time.safe_until <= 2.0 / 3.0 && 2.0 / 3.0 - time.safe_until < 1e-4);
    /// ```
    pub fn impact(&self, query: &FeatureQuery) -> Impact {
        self.impact_between(0.0, 1.0, query)
    }

    /// [`RigidFeatures::impact`] during a part of the motion. Contact at `from` is `AtStart`.
    pub fn impact_between(&self, from: f64, to: f64, query: &FeatureQuery) -> Impact {
        let Some(mut search) = Search::new(self, from, to, query) else {
            return Impact::Unknown { safe_until: from };
        };
        search.run()
    }

    fn first(&self) -> usize {
        match self.kind {
            FeatureKind::VertexFace => 1,
            FeatureKind::EdgeEdge => 2,
        }
    }
}

struct Search<'a> {
    features: &'a RigidFeatures<'a>,
    query: &'a FeatureQuery,
    /// Spheres around the feature of each body, in its frame.
    spheres: [Sphere; 2],
    /// Largest distance of a near miss beyond the margin.
    near: f64,
    from: f64,
    to: f64,
    steps: u32,
}

impl<'a> Search<'a> {
    fn new(features: &'a RigidFeatures<'a>, from: f64, to: f64, query: &'a FeatureQuery) -> Option<Self> {
        let pieces = features.points.split_at(features.first());
        let spheres = [sphere_around(pieces.0), sphere_around(pieces.1)];
        let mut search = Self { features, query, spheres, near: 0.0, from, to, steps: query.steps };
        let (pair, _) = search.chords(from, to);
        let asked = query.is_valid() && 0.0 <= from && from <= to && to <= 1.0;
        if !asked || !pair.is_valid() {
            return None;
        }
        // Of the size of the pair, which does not depend on how the motion is cut.
        let patch = Patch::new(&pair, 0.0);
        search.near = query.tolerance.max(FINEST) * (patch.size() / patch.scale());
        Some(search)
    }

    fn run(&mut self) -> Impact {
        let (mut time, mut length) = (self.from, self.to - self.from);
        loop {
            let end = self.piece_end(time, length);
            let (pair, strayed) = self.chords(time, end);
            let patch = Patch::new(&pair, self.query.margin + strayed);
            let scale = patch.scale();
            let span = end - time;
            let within = match patch.advance(0.5 * self.near * scale, self.query.tolerance, &mut self.steps) {
                Advance::Free if end >= self.to => return Impact::Free,
                Advance::Free => {
                    time = end;
                    length = 2.0 * span;
                    continue;
                }
                Advance::Near(within) | Advance::OutOfSteps(within) => within,
            };
            let next = (time + round::down(span * within, 4)).min(end).max(time);
            if self.steps == 0 {
                return Impact::Unknown { safe_until: next };
            }
            if strayed <= 0.5 * self.near {
                return self.settled(next);
            }
            // A quarter of the piece has a sixteenth of the deviation.
            (time, length) = (next, 0.25 * span);
            if time + length <= time {
                return self.settled(time);
            }
        }
    }

    fn settled(&self, time: f64) -> Impact {
        if time <= self.from {
            return Impact::AtStart(());
        }
        let touching_by = (time + self.query.tolerance).min(self.to);
        Impact::At { time: TimeOfImpact { safe_until: time, touching_by }, touch: () }
    }

    fn piece_end(&self, time: f64, length: f64) -> f64 {
        let bend = self.features.a.next_bend(time).min(self.features.b.next_bend(time));
        let end = (time + length).min(self.to);
        if time < bend { end.min(bend) } else { end }
    }

    /// The straight paths of the vertices between two times, and how far the true ones stray from them, sides
    /// added and rounding included.
    fn chords(&self, t0: f64, t1: f64) -> (FeaturePair, f64) {
        let RigidFeatures { kind, points, a, b } = *self.features;
        let motions = [a, b];
        let first = self.features.first();
        let poses = motions.map(|motion| [motion.pose(t0), motion.pose(t1)]);
        let place = |end: usize| {
            let matrices = [0, 1].map(|side| poses[side][end].rotation_matrix());
            std::array::from_fn(|k| {
                let side = usize::from(k >= first);
                matrices[side] * points[k] + poses[side][end].translation
            })
        };
        let strayed = [0, 1].map(|side| {
            let rounding = poses[side].iter().map(|pose| placing_error(pose, &self.spheres[side]));
            motions[side].chord_deviation(&self.spheres[side], t0, t1) + rounding.fold(0.0, f64::max)
        });
        let strayed = round::up(strayed[0] + strayed[1], 4);
        (FeaturePair { kind, start: place(0), end: place(1) }, strayed)
    }
}

/// A bound on the rounding of a placed point of a sphere: the matrix errs by 17 roundoffs an entry, products
/// and sums by 4, in three coordinates.
fn placing_error(pose: &Pose, sphere: &Sphere) -> f64 {
    let reach = sphere.center.abs().max_element() + sphere.radius;
    round::off(128.0 * reach + 8.0 * pose.translation.abs().max_element(), 1)
}

/// A sphere that surely holds some points.
fn sphere_around(points: &[DVec3]) -> Sphere {
    let center = points.iter().sum::<DVec3>() / points.len() as f64;
    let radius = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    Sphere { center, radius: round::up(radius, 8) }
}
