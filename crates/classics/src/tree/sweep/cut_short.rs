//! Answers when the time is up (Eckstein 1998, chapter 8). Of the remaining pairs of nodes, the indicator
//! is the one whose volumes extend least beyond their faces. Simple faces represent the faces below it.

use super::{FaceTest, Side, SweepOptions, SweptNodes};
use crate::tree::box_rule::least_box;
use crate::tree::{FitVolume, Tests, VolumeTree};
use glam::DVec3;
use noli::tree::walk::Item;
use noli_geom::{Aabb, AnyVolume, Motion, Obb, RelativePose, Triangle, Volume};
use std::cell::RefCell;

/// Answer for a pair of trees whose traversal was cut short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CutShort {
    /// They touch from the start on. Never later than they do.
    #[default]
    Contact,
    /// They touch when the volumes of some pair that is left do. Never later than they do where faces are tested by inclusion.
    Volumes,
    /// **Approximate**: when the volumes of the indicator pair do. Other pairs may touch before.
    IndicatorVolumes,
    /// **Approximate**: when the [approximating faces](approximating_faces) of the indicator pair do.
    IndicatorFaces,
}

/// Result of a traversal of two moving trees within a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptWithin {
    /// Time of contact; `None` if no contact was found.
    pub time: Option<f64>,
    /// `true` if the traversal was finished, so that nothing was approximated.
    pub finished: bool,
    /// If it was not: the nodes that represent the bodies, of all remaining pairs.
    pub indicator: Option<(u32, u32)>,
    /// Tests made.
    pub tests: Tests,
}

/// A box this thin, against the longer side of its rectangle, is one rectangle or two; else it is six.
const FLAT: f64 = 0.1;
/// Length below which a mean normal is meaningless: the faces close or fold.
const LEAST_NORMAL: f64 = 1e-6;

/// Returns simple faces that represent some triangles: two parallel rectangles across their mean normal,
/// facing away from each other. It is one rectangle if all are coplanar, or the six sides of a box if the
/// patch is curved. `flat` is the fraction of the longer side of the rectangle below which a patch is flat.
///
/// ```
/// use noli_classics::tree::approximating_faces;
/// use noli_geom::Mesh;
/// let cube: Vec<_> = Mesh::cuboid(glam::DVec3::ONE)?.iter_triangles().collect();
/// assert_eq!(approximating_faces(&cube[..2], 0.1).len(), 1); // one side
/// assert_eq!(approximating_faces(&cube, 0.1).len(), 6); // closed
/// # Ok::<(), noli_geom::MeshError>(())
/// ```
pub fn approximating_faces(triangles: &[Triangle], flat: f64) -> Vec<[DVec3; 4]> {
    let points: Vec<DVec3> = triangles.iter().flat_map(|t| t.vertices).collect();
    let normal = |t: &Triangle| {
        let [a, b, c] = t.vertices;
        (b - a).cross(c - a).normalize_or_zero()
    };
    let mean = triangles.iter().map(normal).sum::<DVec3>() / triangles.len().max(1) as f64;
    if mean.length() < LEAST_NORMAL {
        return sides(&Obb::from_points(&points), 0..6);
    }
    let up = mean.normalize();
    let around = least_box(up, &points);
    let half_extents = around.half_extents;
    let longer = half_extents.x.max(half_extents.y);
    match half_extents.z {
        // What rounding alone makes of a plane.
        z if z <= 1e-12 * longer => sides(&around, 5..6),
        z if z < flat * longer => sides(&around, 4..6),
        _ => sides(&around, 0..6),
    }
}

/// Sides of a box, counter-clockwise from outside: −x, +x, −y, +y, −z, +z.
fn sides(obb: &Obb, which: std::ops::Range<usize>) -> Vec<[DVec3; 4]> {
    let own = Aabb { min: -obb.half_extents, max: obb.half_extents };
    let vertices = own.vertices().map(|vertex| obb.center + obb.axes * vertex);
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    which.map(|k| quads[k].map(|n: usize| vertices[n])).collect()
}

fn halves([a, b, c, d]: [DVec3; 4]) -> [Triangle; 2] {
    [Triangle::new(a, b, c), Triangle::new(a, c, d)]
}

impl<V: FitVolume> VolumeTree<V> {
    /// Returns the faces that represent those below a node.
    pub fn stand_in(&self, node: u32) -> Vec<[DVec3; 4]> {
        approximating_faces(self.faces(node), FLAT)
    }

    /// [`VolumeTree::sweep`] within the budget of its options. If that does not suffice, `cut` decides the
    /// answer for the remaining pairs. The indicator needs both trees to
    /// [keep their reaches](VolumeTree::with_reaches); without, contact is assumed.
    pub fn sweep_within(
        &self,
        motion: &dyn Motion,
        other: &Self,
        other_motion: &dyn Motion,
        options: &SweepOptions<'_>,
        cut: CutShort,
    ) -> SweptWithin {
        if self.tree.nodes.is_empty() || other.tree.nodes.is_empty() {
            return SweptWithin { time: None, finished: true, indicator: None, tests: Tests::default() };
        }
        let sides = [Side::new(self, motion), Side::new(other, other_motion)];
        let test =
            SweptNodes { sides, options, identity: RelativePose::identity(), tests: RefCell::default() };
        let (first, left) = test.walk();
        let found = first.map(|contact| contact.time);
        let finished = left.is_empty();
        let indicator = test.indicator(&left);
        let stood_in = if finished { None } else { test.cut_short(&left, indicator, cut) };
        let time = found.into_iter().chain(stood_in).min_by(f64::total_cmp);
        SweptWithin { time, finished, indicator, tests: test.tests.into_inner() }
    }
}

impl<V: FitVolume> SweptNodes<'_, V> {
    /// Returns the pair with the least sum of reaches, of the remaining pairs found to intersect.
    fn indicator(&self, left: &[Item]) -> Option<(u32, u32)> {
        let [a, b] = [0, 1].map(|k| self.sides[k].tree.reaches.as_ref());
        let (a, b) = (a?, b?);
        let sum = |item: &&Item| a[item.a as usize] + b[item.b as usize];
        left.iter().min_by(|x, y| sum(x).total_cmp(&sum(y))).map(|item| (item.a, item.b))
    }

    fn cut_short(&self, left: &[Item], indicator: Option<(u32, u32)>, cut: CutShort) -> Option<f64> {
        let earliest = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
        match (cut, indicator) {
            (CutShort::Volumes, _) => {
                earliest(&mut left.iter().filter_map(|item| self.volumes_touch(item.a, item.b)))
            }
            (CutShort::IndicatorVolumes, Some((a, b))) => self.volumes_touch(a, b),
            (CutShort::IndicatorFaces, Some((a, b))) => {
                let [x, y] = [self.sides[0].tree.stand_in(a), self.sides[1].tree.stand_in(b)];
                self.quads_touch(&x, &y)
            }
            _ => Some(0.0),
        }
    }

    /// Returns the time at which the volumes of two nodes touch, as bodies of their own: at once if they
    /// overlap at the start.
    fn volumes_touch(&self, a: u32, b: u32) -> Option<f64> {
        let [x, y] = [(0, a), (1, b)].map(|(side, node)| {
            let side: &Side<'_, V> = &self.sides[side];
            side.tree.volumes[node as usize].any()
        });
        let start = RelativePose::new(&self.sides[0].pose(0.0), &self.sides[1].pose(0.0));
        if x.distance_bound(&y, &start) <= 0.0 {
            return Some(0.0);
        }
        let boxed = |volume: &AnyVolume| match volume {
            AnyVolume::Sphere(sphere) => {
                let reach = DVec3::splat(sphere.radius);
                Obb::from(Aabb { min: sphere.center - reach, max: sphere.center + reach })
            }
            AnyVolume::Aabb(aabb) => Obb::from(*aabb),
            AnyVolume::Obb(obb) => *obb,
            AnyVolume::Kdop(dop) => Obb::from(dop.aabb()),
        };
        let (x, y) = (boxed(&x), boxed(&y));
        // Boxes around spheres may overlap though the spheres do not.
        if x.distance_bound(&y, &start) <= 0.0 {
            return Some(0.0);
        }
        self.quads_touch(&sides(&x, 0..6), &sides(&y, 0..6))
    }

    fn quads_touch(&self, a: &[[DVec3; 4]], b: &[[DVec3; 4]]) -> Option<f64> {
        let [a, b] = [a, b].map(|quads| quads.iter().copied().flat_map(halves).collect::<Vec<Triangle>>());
        let times = a.iter().flat_map(|x| b.iter().filter_map(move |y| self.first_of(x, y)));
        times.min_by(f64::total_cmp)
    }
}

impl CutShort {
    /// Returns `true` if a time found so is never later than the true one, for the given test of faces.
    pub fn is_conservative(self, faces: &FaceTest) -> bool {
        match self {
            Self::Contact => true,
            Self::Volumes => matches!(faces, FaceTest::Inclusion(_)),
            Self::IndicatorVolumes | Self::IndicatorFaces => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::Mesh;
    use noli_scenes::{SplitMix64, bumpy_sphere};

    fn bumpy() -> Vec<Triangle> {
        let set = bumpy_sphere(4, 0.3);
        Mesh::from_triangles(set.vertices, set.triangles, &Default::default())
            .unwrap()
            .iter_triangles()
            .collect()
    }

    /// Flat patches give one rectangle, bent ones two that hold them, closed ones six sides; every vertex is between them.
    #[test]
    fn approximating_faces_hold_their_patch() {
        let faces = bumpy();
        let mut kinds = [0; 3];
        let mut random = SplitMix64::new(14);
        for round in 0..80 {
            let seed = faces[(random.unit() * faces.len() as f64) as usize].vertices[0];
            let reach = [0.05, 0.5, 3.0][round % 3];
            let near: Vec<Triangle> = faces
                .iter()
                .filter(|t| t.vertices.iter().any(|c| c.distance(seed) <= reach))
                .copied()
                .collect();
            let quads = approximating_faces(&near, 0.35);
            let kind = match quads.len() {
                1 => 0,
                2 => 1,
                6 => 2,
                other => panic!("{other} faces"),
            };
            kinds[kind] += 1;
            let [a, b, _, d] = quads[quads.len() - 1];
            let (x, y) = ((b - a).normalize(), (d - a).normalize());
            for vertex in near.iter().flat_map(|t| t.vertices) {
                let (s, t) = ((vertex - a).dot(x), (vertex - a).dot(y));
                let slack = 1e-9;
                assert!(
                    s >= -slack
                        && s <= (b - a).length() + slack
                        && t >= -slack
                        && t <= (d - a).length() + slack
                );
                for quad in &quads {
                    let [p, q, _, r] = *quad;
                    let outward = (q - p).cross(r - p).normalize_or_zero();
                    assert!(outward.dot(vertex - p) <= slack, "outside a face that looks out");
                }
            }
        }
        assert!(kinds[1] > 3 && kinds[2] > 3, "{kinds:?}");
        let flat = [Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y)];
        assert_eq!(approximating_faces(&flat, 0.1).len(), 1);
    }
}
