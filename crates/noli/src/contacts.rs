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
//! assert_eq!(found.len(), 4); // the corners it would stand on
//! assert!(found.iter().all(|contact| contact.normal == DVec3::Z && (contact.gap - 0.001).abs() < 1e-12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::answer::{ContactId, FeatureContact};

use crate::answer::{Coverage, Guarantee, Listed};
use crate::context::{Ask, with_ask};
use crate::model::Placed;
use crate::pair;
use glam::{DVec2, DVec3};

/// Every contact of two bodies that are at most `within` apart there.
///
/// Complete for meshes, polyhedra, balls, capsules and half-spaces: equal to looking at all pairs of features. A vertex
/// counts as near a face where its foot is in it, and near an edge or a corner where nothing around either is nearer; an
/// edge as near an edge where the nearest points are within both. In a groove a vertex or an edge that lies over one wall
/// is near the other, too, by the distance from the plane or line that it would reach by sliding on. Vertices and edges
/// within a plane are left out, and so are vertices within a straight edge and edges that are parallel up to 1e-6: what
/// they would say follows from the others. Nothing is near through the inside of a solid. Features that touch have the
/// middle of all directions in which they part as their normal. Approximate where a body is a cylinder, cone, ellipsoid,
/// field or a user's own: the nearest points, and what lies against them. Bodies that cross are listed by the same rule,
/// which then says little: ask [`contact`](crate::contact()) for those.
pub fn contacts(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Listed<FeatureContact> {
    let mut items = Vec::new();
    let (coverage, guarantee) = with_ask(|ask| ask.contacts(a, b, within, &mut items));
    Listed { items, coverage, guarantee }
}

impl Ask<'_> {
    /// Every contact of two bodies within a distance, into `found`, which is cleared first, sorted by features; see
    /// [`contacts`].
    pub fn contacts(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        within: f64,
        found: &mut Vec<FeatureContact>,
    ) -> (Coverage, Guarantee) {
        found.clear();
        pair::contacts(a, b, within, self, found)
    }
}

/// Leave out contacts that say little beside others with nearly the same normal, at most `angle` apart.
///
/// Of contacts with one normal only those matter for what a body may do that are corners of the hull of all their places,
/// and those that are nearer than these. What is left out holds by itself up to the length that is returned, for motions
/// that turn the body by less than a radian: their gaps, and the slant of their normals.
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
        let corners = hull(&places);
        let least = corners.iter().map(|&k| cluster[k].gap).fold(f64::INFINITY, f64::min);
        let most = corners.iter().map(|&k| cluster[k].gap).fold(f64::NEG_INFINITY, f64::max);
        let size = places.iter().map(|p| p.length()).fold(0.0, f64::max);
        for (number, contact) in cluster.iter().enumerate() {
            if corners.contains(&number) || contact.gap < least {
                kept.push(*contact);
            } else {
                let slant = 2.0 * (1.0 - contact.normal.dot(first.normal)).max(0.0).sqrt();
                bound = bound.max((most - contact.gap).max(0.0) + slant * 2.0 * size);
            }
        }
    }
    *contacts = kept;
    bound
}

/// The corners of the convex hull, by number (Andrew's monotone chain).
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
