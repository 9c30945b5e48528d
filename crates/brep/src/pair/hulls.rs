//! Distance of the convex hulls of two simple bodies (Gilbert, Johnson and Keerthi 1988).
//!
//! Every direction gives a lower bound by the support points of both, and the search ends with one that is as good as the
//! points found. Without refinement of any face this answers for spheres, cylinders, cones, blocks and tori that are separated.

use super::search::Witness;
use crate::hull::Hull;
use glam::DVec3;
use noli_geom::{Bracket, RelativePose};

/// Most support points that are computed.
const MAX_STEPS: usize = 80;

/// A support point of the difference of both hulls, with the points of both and their faces.
#[derive(Clone, Copy)]
struct Vertex {
    difference: DVec3,
    points: [DVec3; 2],
    faces: [u32; 2],
}

/// Up to four vertices, the newest last.
struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    count: usize,
}

impl Simplex {
    fn new(vertex: Vertex) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    /// Keeps the vertices whose hull has the point nearest to the origin in its interior, and returns that point.
    fn reduce(&mut self) -> DVec3 {
        let newest = self.vertices[self.count - 1];
        let others = self.count - 1;
        let mut best = (newest.difference.length_squared(), newest.difference, 0usize, [0.0; 3]);
        for mask in 1usize..1 << others {
            let mut edges = [DVec3::ZERO; 3];
            let mut count = 0;
            for k in (0..others).filter(|k| mask >> k & 1 == 1) {
                edges[count] = self.vertices[k].difference - newest.difference;
                count += 1;
            }
            let Some(shares) = nearest(newest.difference, &edges[..count]) else { continue };
            let point =
                newest.difference + edges[0] * shares[0] + edges[1] * shares[1] + edges[2] * shares[2];
            if point.length_squared() < best.0 {
                best = (point.length_squared(), point, mask, shares);
            }
        }
        let (_, point, mask, shares) = best;
        let mut kept = 0;
        for k in 0..others {
            if mask >> k & 1 == 1 {
                self.vertices[kept] = self.vertices[k];
                self.weights[kept] = shares[kept];
                kept += 1;
            }
        }
        self.vertices[kept] = newest;
        self.weights[kept] = 1.0 - shares.iter().sum::<f64>();
        self.count = kept + 1;
        point
    }

    /// The points of both hulls whose difference is nearest to the origin.
    fn points(&self) -> [DVec3; 2] {
        [0, 1].map(|side| (0..self.count).map(|k| self.vertices[k].points[side] * self.weights[k]).sum())
    }
}

/// The shares of edges from a point that lead to the foot of the origin, if it lies inside of what they span.
fn nearest(from: DVec3, edges: &[DVec3]) -> Option<[f64; 3]> {
    let at = |k: usize| edges[k].dot(from);
    let gram = |i: usize, j: usize| edges[i].dot(edges[j]);
    let shares = match edges.len() {
        1 => [-at(0) / gram(0, 0), 0.0, 0.0],
        2 => {
            let (a, b, c) = (gram(0, 0), gram(0, 1), gram(1, 1));
            let determinant = a * c - b * b;
            [(b * at(1) - c * at(0)) / determinant, (b * at(0) - a * at(1)) / determinant, 0.0]
        }
        _ => {
            let volume = edges[0].dot(edges[1].cross(edges[2]));
            let share = |i: usize, j: usize| -from.dot(edges[i].cross(edges[j])) / volume;
            [share(1, 2), share(2, 0), share(0, 1)]
        }
    };
    let is_inside = shares[..edges.len()].iter().all(|&share| share > 0.0 && share.is_finite());
    (is_inside && shares.iter().sum::<f64>() < 1.0).then_some(shares)
}

/// The distance of two bodies whose hulls are separated, with points of both, as a bracket that is narrower than needed;
/// `None` where the hulls do not tell it. Bodies may leave their hulls by `room`.
pub(super) fn distance(
    hulls: [&Hull; 2],
    pose: &RelativePose,
    precision: f64,
    room: f64,
) -> Option<(Bracket, Witness)> {
    let back = pose.rotation.transpose();
    let support = |direction: DVec3| {
        let (a, face_a) = hulls[0].support(-direction);
        let (b, face_b) = hulls[1].support(back * direction);
        let b = pose.transform_point(b);
        Vertex { difference: a - b, points: [a, b], faces: [face_a, face_b] }
    };
    let inflated = hulls.map(|hull| hull.inflated);
    let around = inflated[0] + inflated[1];
    let mut simplex = Simplex::new(support(-pose.translation));
    let mut point = simplex.reduce();
    let mut best = Bracket { at_least: f64::NEG_INFINITY, at_most: f64::INFINITY };
    let mut witness = None;
    for _ in 0..MAX_STEPS {
        let length = point.length();
        if length <= around + room {
            return None;
        }
        let next = support(point);
        best.at_least = best.at_least.max(next.difference.dot(point) / length - around - room);
        // Convex bodies hold all points of their hulls; of the others, the support points.
        let nearest = simplex.points();
        let ends = [0, 1].map(|k| if hulls[k].is_convex { nearest[k] } else { next.points[k] });
        let found = ends[0].distance(ends[1]) - around + room;
        if found < best.at_most {
            best.at_most = found;
            let toward = (ends[1] - ends[0]).normalize_or_zero();
            let points = [ends[0] + toward * inflated[0], ends[1] - toward * inflated[1]];
            witness = Some(Witness { points, faces: next.faces.map(|face| face as usize) });
        }
        if best.at_most - best.at_least <= precision {
            return Some((best, witness?));
        }
        if simplex.count == 4 {
            return None;
        }
        simplex.push(next);
        let last = point.length_squared();
        point = simplex.reduce();
        if point.length_squared() >= last {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Brep;
    use glam::DQuat;
    use noli_geom::Pose;
    use noli_testing::Random;

    /// Brackets of hulls hold those of the search over patches.
    #[test]
    fn hulls_agree_with_patches() {
        let bodies = [
            Brep::sphere(1.0),
            Brep::cylinder(0.7, 1.5),
            Brep::cone(0.9, 0.4, 1.0),
            Brep::cone(0.9, 0.0, 1.0),
            Brep::torus(1.0, 0.3),
            Brep::block(DVec3::new(1.0, 0.8, 1.3)),
        ];
        assert!(bodies.iter().all(|body| body.hull.is_some()));
        assert_eq!(bodies.iter().filter(|body| body.hull.as_ref().unwrap().is_convex).count(), 5);
        let mut random = Random::new(19);
        let mut found = 0;
        for round in 0..72 {
            let (a, b) = (&bodies[round % 6], &bodies[round / 6 % 6]);
            let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real());
            let pose = Pose::new(turn, random.vector() * 4.0);
            let relative = RelativePose::new(&Pose::IDENTITY, &pose);
            let hulls = [a.hull.as_ref().unwrap(), b.hull.as_ref().unwrap()];
            let Some((bracket, _)) = distance(hulls, &relative, 1e-9, 1e-14) else { continue };
            let options = crate::Options { precision: Some(1e-5), ..Default::default() };
            let slow = super::super::Pair::new(a, b, &Pose::IDENTITY, &pose, &options).relation().clearance;
            assert!(
                slow.at_least <= bracket.at_most && bracket.at_least <= slow.at_most,
                "{round}: {slow:?} {bracket:?}"
            );
            found += 1;
        }
        assert!(found > 40, "{found}");
    }
}
