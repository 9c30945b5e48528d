//! The mixed test: dynamic work only for features that overlap at the end of the motion.

use super::{ApproximateQuery, approximate_impact};
use crate::{FeatureKind, Features, Motion, PairFrame, RelativePose, Triangle, TrianglePair};
use glam::DVec3;
use std::collections::BTreeSet;

/// Result of the mixed test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MixedImpact {
    /// No features overlap at the end. Contacts earlier in the motion are possible.
    NoEndOverlap,
    /// The earliest contact of features that overlap at the end. Vertices are numbered
    /// `3 · triangle + vertex`.
    At {
        /// Time of contact.
        time: f64,
        /// Touching features.
        features: Features,
    },
    /// Features overlap at the end, but no contact was found during the motion: the printed version reports "no
    /// collision" here.
    EndOverlapUndated,
}

/// **Approximate**: when two sets of moving triangles first touch, judged by the features that overlap at the
/// end. Misses what is over by then, and is late where other features touched before.
pub fn mixed_impact(
    a: (&[Triangle], &dyn Motion),
    b: (&[Triangle], &dyn Motion),
    query: &ApproximateQuery,
) -> MixedImpact {
    let candidates = overlapping_features(a, b);
    if candidates.is_empty() {
        return MixedImpact::NoEndOverlap;
    }
    let corner = |set: &[Triangle], id: u32| set[id as usize / 3].vertices[id as usize % 3];
    let timed = candidates.into_iter().filter_map(|features| {
        let (kind, points, first) = match features {
            Features::VertexFace { vertex, face } => {
                let [p, q, r] = b.0[face as usize].vertices;
                (FeatureKind::VertexFace, [corner(a.0, vertex), p, q, r], [0])
            }
            Features::FaceVertex { face, vertex } => {
                let [p, q, r] = a.0[face as usize].vertices;
                (FeatureKind::VertexFace, [corner(b.0, vertex), p, q, r], [1])
            }
            Features::EdgeEdge { a: [p, q], b: [r, s] } => {
                let points = [corner(a.0, p), corner(a.0, q), corner(b.0, r), corner(b.0, s)];
                (FeatureKind::EdgeEdge, points, [0])
            }
        };
        // Whose points come first.
        let (one, other) = if first == [0] { (a.1, b.1) } else { (b.1, a.1) };
        let count = if kind == FeatureKind::VertexFace { 1 } else { 2 };
        let place = |t: f64| -> [DVec3; 4] {
            let poses = [one.pose(t), other.pose(t)];
            std::array::from_fn(|k| poses[usize::from(k >= count)].transform_point(points[k]))
        };
        Some((approximate_impact(kind, &place, query)?, features))
    });
    let first = timed.min_by(|p, q| p.0.total_cmp(&q.0));
    first.map_or(MixedImpact::EndOverlapUndated, |(time, features)| MixedImpact::At { time, features })
}

/// Collects every edge with the face it intersects at the end. Its ends are tested against the face, the
/// edge itself against the edges of the face.
fn overlapping_features(a: (&[Triangle], &dyn Motion), b: (&[Triangle], &dyn Motion)) -> BTreeSet<Features> {
    let frame = PairFrame::new(&RelativePose::new(&a.1.pose(1.0), &b.1.pose(1.0)));
    let mut found = BTreeSet::new();
    let edges = |triangle: u32| [0, 1, 2].map(|k| [3 * triangle + k, 3 * triangle + (k + 1) % 3]);
    let edge_of =
        |t: &Triangle, k: usize| Triangle::new(t.vertices[k], t.vertices[(k + 1) % 3], t.vertices[k]);
    for (i, of_a) in a.0.iter().enumerate() {
        for (j, of_b) in b.0.iter().enumerate() {
            let (i, j) = (i as u32, j as u32);
            for k in 0..3 {
                if TrianglePair::new(&edge_of(of_a, k), of_b, &frame).overlaps() {
                    let edge = edges(i)[k];
                    found.extend(edge.map(|vertex| Features::VertexFace { vertex, face: j }));
                    found.extend(edges(j).map(|other| Features::EdgeEdge { a: edge, b: other }));
                }
                if TrianglePair::new(of_a, &edge_of(of_b, k), &frame).overlaps() {
                    let edge = edges(j)[k];
                    found.extend(edge.map(|vertex| Features::FaceVertex { face: i, vertex }));
                    found.extend(edges(i).map(|other| Features::EdgeEdge { a: other, b: edge }));
                }
            }
        }
    }
    found
}
