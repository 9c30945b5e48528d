//! Contacts of bodies that are near each other or touch: all of them, from features.
//!
//! [`contacts`] lists every vertex near a face and every edge near an edge, within a distance, each once, with a normal that
//! comes from the features and so is there where the bodies touch. It is what a solver of contact needs: as long as no
//! contact of the list is pushed in, nothing comes nearer.
//!
//! ```
//! use noli::contacts::contacts;
//! use noli::{Mesh, Model, Pose, Shape};
//! use glam::DVec3;
//! let cube = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
//! let floor = Model::new(Shape::HalfSpace)?;
//! let found = contacts(&floor.at(Pose::IDENTITY), &cube.at(Pose::from_translation(DVec3::Z * 0.501)), 0.01);
//! assert_eq!(found.len(), 4); // the vertices it would stand on
//! assert!(found.iter().all(|contact| contact.normal == DVec3::Z && (contact.clearance - 0.001).abs() < 1e-12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::answer::{ContactId, FeatureContact};

use crate::answer::{Complete, Completeness, Guarantee};
use crate::context::{QueryContext, with_context};
use crate::model::Placed;
use crate::pair;
use glam::{DVec2, DVec3};

/// Returns every contact of two bodies whose local distance is at most `within`.
///
/// Complete for meshes, polyhedra, spheres, capsules and half-spaces: equal to testing all pairs of features. A
/// vertex is near a face if its foot is in it. It is near an edge or a vertex if no neighbour of either is
/// nearer. An edge is near an edge if the nearest points are within both. In a groove, a vertex or an edge over
/// one wall is also near the other wall. Its distance is measured from the plane or line that it would reach by
/// sliding on. Vertices and edges within a plane are omitted, as are vertices within a straight edge and edges
/// that are parallel up to 1e-6. The other contacts imply theirs. Nothing is near through the interior of a
/// solid. The normal of touching features is the middle of all directions in which they separate. Approximate
/// if a body is a cylinder, cone, ellipsoid, field or user-defined: the nearest points, and the features in
/// contact around them. Intersecting bodies are listed by the same rule, which is then of little use; call
/// [`contact`](crate::contact()) for those.
pub fn contacts(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Complete<FeatureContact> {
    let mut items = Vec::new();
    let (completeness, guarantee) = with_context(|context| context.contacts(a, b, within, &mut items));
    Complete { items, completeness, guarantee }
}

impl QueryContext<'_> {
    /// Every contact of two bodies within a distance, into `found`, which is cleared first, sorted by features; see
    /// [`contacts`].
    pub fn contacts(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        within: f64,
        found: &mut Vec<FeatureContact>,
    ) -> (Completeness, Guarantee) {
        found.clear();
        pair::contacts(a, b, within, self, found)
    }
}

/// Removes contacts that are nearly redundant to others whose normal differs by at most `angle`.
///
/// Of contacts with one normal, only the hull vertices of all their positions, and contacts nearer than these,
/// constrain the motion. The removed contacts hold implicitly up to the returned length, for motions that turn
/// the body by less than a radian. This covers their clearances and the slant of their normals.
pub fn reduce(contacts: &mut Vec<FeatureContact>, angle: f64) -> f64 {
    let cos = angle.max(0.0).cos();
    let mut kept: Vec<FeatureContact> = Vec::new();
    let mut bound: f64 = 0.0;
    let mut rest = std::mem::take(contacts);
    while let Some(&first) = rest.first() {
        let (cluster, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|contact| contact.normal.dot(first.normal) >= cos);
        rest = others;
        if cluster.len() <= 4 {
            kept.extend(cluster);
            continue;
        }
        let (u, v) = first.normal.any_orthonormal_pair();
        let flat = |p: DVec3| DVec2::new(u.dot(p), v.dot(p));
        let places: Vec<DVec2> = cluster.iter().map(|c| flat(c.middle() - first.middle())).collect();
        let vertices = hull(&places);
        let least = vertices.iter().map(|&k| cluster[k].clearance).fold(f64::INFINITY, f64::min);
        let most = vertices.iter().map(|&k| cluster[k].clearance).fold(f64::NEG_INFINITY, f64::max);
        let size = places.iter().map(|p| p.length()).fold(0.0, f64::max);
        for (number, contact) in cluster.iter().enumerate() {
            if vertices.contains(&number) || contact.clearance < least {
                kept.push(*contact);
            } else {
                let slant = 2.0 * (1.0 - contact.normal.dot(first.normal)).max(0.0).sqrt();
                bound = bound.max((most - contact.clearance).max(0.0) + slant * 2.0 * size);
            }
        }
    }
    *contacts = kept;
    bound
}

/// The vertices of the convex hull, by number (Andrew's monotone chain).
fn hull(points: &[DVec2]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &k| {
        points[i].x.total_cmp(&points[k].x).then(points[i].y.total_cmp(&points[k].y)).then(i.cmp(&k))
    });
    let mut chain: Vec<usize> = Vec::new();
    for pass in 0..2 {
        let from = chain.len();
        let mut extend = |&next: &usize| {
            while chain.len() >= from + 2 {
                let [p, q, r] = [chain[chain.len() - 2], chain[chain.len() - 1], next].map(|k| points[k]);
                if (q - p).perp_dot(r - p) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(next);
        };
        if pass == 0 {
            order.iter().for_each(&mut extend)
        } else {
            order.iter().rev().for_each(&mut extend)
        }
        chain.pop();
    }
    chain.sort_unstable();
    chain.dedup();
    chain
}
