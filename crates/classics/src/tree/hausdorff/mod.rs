//! The directed Hausdorff distance from the surface of a volume to its faces, as published (Eckstein 1998,
//! section 3.5).
//!
//! Regions of the surface, each bounded from above by a sample and a correction term, the worst refined
//! first. The engine's own [`hausdorff`](noli_geom::internals::hausdorff) covers the solid and bounds by
//! faces; this one serves to compare the terms. Corrected: the middle of an arc is taken from the centre of
//! the sphere. The loop ends where the bracket is narrow, and the relative test does not divide.

mod region;

use glam::DVec3;
use noli_geom::internals::{Faces, Greatest, Ranked};
use noli_geom::{AnyVolume, Bracket, Sphere};
use region::Region;
use std::collections::BinaryHeap;

/// Bound of a region of a surface from its sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Correction {
    /// By how far the region reaches from the sample (term 1).
    Sample,
    /// By how far it reaches from the point of the faces nearest to the sample (term 2).
    #[default]
    Foot,
    /// By the distances of its vertices from the face nearest to the sample, and the height of its arch (ours): distance from
    /// a convex face is convex.
    Face,
}

/// Stopping criteria of the refinement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceQuery {
    /// Bound of the regions.
    pub correction: Correction,
    /// The bracket is this narrow.
    pub absolute: f64,
    /// Or this share of its upper end.
    pub relative: f64,
    /// Or this many regions were tested.
    pub regions: usize,
}

impl Default for SurfaceQuery {
    fn default() -> Self {
        Self { correction: Correction::Foot, absolute: 0.0, relative: 0.05, regions: 200_000 }
    }
}

/// Result of the refinement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceDistance {
    /// The largest distance of a point of the surface to the faces, up to rounding.
    pub distance: Bracket,
    /// Number of regions tested.
    pub regions: usize,
}

/// Computes the distance that the surface of a sphere or box extends beyond the faces it contains. `None`
/// without faces, and for k-DOPs, which the thesis does not have.
///
/// ```
/// use noli_classics::tree::{SurfaceQuery, surface_hausdorff};
/// use noli_geom::{AnyVolume, Mesh, Sphere};
/// // A cube of half-length 1 in its sphere: from the middle of a side to the sphere.
/// let faces: Vec<_> = Mesh::cuboid(glam::DVec3::splat(2.0))?.iter_triangles().collect();
/// let sphere = AnyVolume::Sphere(Sphere { center: glam::DVec3::ZERO, radius: 3f64.sqrt() });
/// let query = SurfaceQuery { relative: 0.01, ..Default::default() };
/// let found = surface_hausdorff(&sphere, &faces[..], &query).unwrap().distance;
/// assert!(found.at_least <= 0.732051 && 0.732050 <= found.at_most && found.at_most < 0.75);
/// # Ok::<(), noli_geom::MeshError>(())
/// ```
pub fn surface_hausdorff(
    volume: &AnyVolume,
    faces: &(impl Faces + ?Sized),
    query: &SurfaceQuery,
) -> Option<SurfaceDistance> {
    let mut heap = BinaryHeap::new();
    let (mut at_least, mut regions) = (0.0f64, 0);
    let mut add = |region: Region, heap: &mut BinaryHeap<Ranked<Greatest, Region>>| {
        let (low, high) = region.bounds(faces, query.correction)?;
        at_least = at_least.max(low);
        regions += 1;
        heap.push(Ranked { rank: Greatest(high), item: region });
        Some((at_least, regions))
    };
    let mut state = (0.0, 0);
    for region in Region::cover(volume)? {
        state = add(region, &mut heap)?;
    }
    loop {
        let top = heap.pop()?;
        let (least, count) = state;
        let open = top.rank.0 - least;
        if open <= query.absolute || open <= query.relative * top.rank.0 || count >= query.regions {
            let distance = Bracket { at_least: least, at_most: top.rank.0.max(least) };
            return Some(SurfaceDistance { distance, regions: count });
        }
        for part in top.item.parts() {
            state = add(part, &mut heap)?;
        }
    }
}

/// Computes the exact distance that a sphere extends beyond a convex body it contains (Hubbard 1996). The
/// inputs are the point of the body's surface nearest to the sphere's centre, and `inside` if the centre is
/// inside.
pub fn hubbard_distance(sphere: &Sphere, nearest: DVec3, inside: bool) -> f64 {
    let off = sphere.center.distance(nearest);
    if inside { sphere.radius - off } else { sphere.radius + off }
}

/// Hubbard's coarse bound: the largest distance of the twenty vertices of a dodecahedron on the sphere, and how far points of the
/// sphere are from the nearest of these. Cannot be refined.
pub fn hubbard_bound(sphere: &Sphere, faces: &(impl Faces + ?Sized)) -> Option<f64> {
    let vertices: Vec<DVec3> = dodecahedron().map(|vertex| sphere.center + vertex * sphere.radius).collect();
    let mut most = 0.0f64;
    for &vertex in &vertices {
        most = most.max(faces.nearest(vertex)?.closest_to(vertex).distance(vertex));
    }
    // From the middle of a pentagon to its vertices.
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let middle = DVec3::new(0.0, 1.0, golden).normalize();
    let separated = dodecahedron().map(|vertex| vertex.distance(middle)).fold(f64::INFINITY, f64::min);
    Some(most + separated * sphere.radius)
}

fn dodecahedron() -> impl Iterator<Item = DVec3> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let signs = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let cube =
        (0..8).map(|k: u32| DVec3::from_array([0, 1, 2].map(|b| if k >> b & 1 == 1 { 1.0 } else { -1.0 })));
    let others = signs.into_iter().flat_map(move |(s, t)| {
        let (short, long) = (s / golden, t * golden);
        [DVec3::new(0.0, short, long), DVec3::new(short, long, 0.0), DVec3::new(long, 0.0, short)]
    });
    cube.chain(others).map(DVec3::normalize)
}

/// Returns the distance of a point to the farthest point of a spherical triangle between great circles, its
/// vertices in either order.
pub fn far_on_sphere(point: DVec3, vertices: [DVec3; 3], sphere: &Sphere) -> f64 {
    let [a, b, c] = vertices.map(|vertex| vertex - sphere.center);
    // Counter-clockwise seen from outside.
    let arms = if a.cross(b).dot(c) >= 0.0 { [a, b, c] } else { [a, c, b] };
    let p = point - sphere.center;
    let (r, off) = (sphere.radius, p.length());
    if off == 0.0 {
        return r;
    }
    let side = |k: usize| (arms[k], arms[(k + 1) % 3]);
    if (0..3).all(|k| side(k).0.cross(side(k).1).dot(p) <= 0.0) {
        return off + r;
    }
    let on_side = (0..3).filter_map(|k| {
        let (from, to) = side(k);
        let normal = from.cross(to);
        // The point opposite to the shadow of `p` on the great circle lies on the arc.
        let within = from.cross(normal).dot(p) >= 0.0 && to.cross(normal).dot(p) <= 0.0;
        let shadow = p - normal * (normal.dot(p) / normal.length_squared());
        within.then(|| (off * off + r * r + 2.0 * r * shadow.length()).sqrt())
    });
    let at_vertices = vertices.into_iter().map(|vertex| vertex.distance(point));
    on_side.chain(at_vertices).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::region::{icosahedron, on_sphere};
    use super::*;
    use noli_geom::{Aabb, Triangle};
    use noli_geom::{Mesh, Polytope};
    use noli_scenes::SplitMix64;

    const TERMS: [Correction; 3] = [Correction::Sample, Correction::Foot, Correction::Face];

    fn cube() -> Vec<Triangle> {
        Mesh::cuboid(DVec3::splat(2.0)).unwrap().iter_triangles().collect()
    }

    fn octahedron() -> Vec<Triangle> {
        let vertex = |k: usize, s: f64| [DVec3::X, DVec3::Y, DVec3::Z][k] * s;
        (0..8u32)
            .map(|k| [0, 1, 2].map(|b| if k >> b & 1 == 1 { 1.0 } else { -1.0 }))
            .map(|[s, t, u]| Triangle::new(vertex(0, s), vertex(1, t), vertex(2, u)))
            .collect()
    }

    fn points_of(region: &Region, count: usize) -> Vec<DVec3> {
        let vertices = region.vertices();
        let mut points = Vec::new();
        for i in 0..=count {
            for j in 0..=count {
                let (s, t) = (i as f64 / count as f64, j as f64 / count as f64);
                points.push(match region {
                    Region::Rectangle([a, b, _, d]) => a + (b - a) * s + (d - a) * t,
                    Region::Arch(_, sphere) => {
                        let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                        on_sphere(
                            sphere,
                            vertices[0] + (vertices[1] - vertices[0]) * s + (vertices[2] - vertices[0]) * t,
                        )
                    }
                });
            }
        }
        points
    }

    /// The values of the thesis' figures, by every term; also for a sphere that is not about the origin.
    #[test]
    fn distances_are_known_by_every_term() {
        let square = vec![
            Triangle::new(DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y),
            Triangle::new(DVec3::ZERO, DVec3::X + DVec3::Y, DVec3::Y),
        ];
        for (faces, radius, center, known) in [
            (cube(), 3f64.sqrt(), DVec3::ZERO, 3f64.sqrt() - 1.0),
            (octahedron(), 1.0, DVec3::ZERO, 1.0 - 1.0 / 3f64.sqrt()),
            (square, 0.5f64.sqrt(), DVec3::new(0.5, 0.5, 0.0), 0.5f64.sqrt()),
        ] {
            let shift = DVec3::new(7.0, -3.0, 4.0);
            let faces: Vec<Triangle> =
                faces.iter().map(|t| Triangle { vertices: t.vertices.map(|c| c + shift) }).collect();
            let volume = AnyVolume::Sphere(Sphere { center: center + shift, radius });
            for correction in TERMS {
                let query = SurfaceQuery { correction, relative: 0.03, ..SurfaceQuery::default() };
                let found = surface_hausdorff(&volume, &faces[..], &query).unwrap();
                let Bracket { at_least, at_most } = found.distance;
                assert!(
                    at_least <= known + 1e-9 && known <= at_most + 1e-9,
                    "{correction:?} {known} {found:?}"
                );
                assert!(
                    at_most - at_least <= 0.03 * at_most + 1e-12 && found.regions < query.regions,
                    "{found:?}"
                );
            }
        }
        let flat = vec![Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y)];
        let own = AnyVolume::Aabb(Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) });
        let octahedral = AnyVolume::Aabb(Aabb { min: -DVec3::ONE, max: DVec3::ONE });
        for (volume, faces, known) in
            [(own, flat, 0.5f64.sqrt()), (octahedral, octahedron(), 2.0 / 3f64.sqrt())]
        {
            for correction in TERMS {
                let query = SurfaceQuery { correction, relative: 0.02, ..SurfaceQuery::default() };
                let found = surface_hausdorff(&volume, &faces[..], &query).unwrap().distance;
                assert!(
                    found.at_least <= known + 1e-9 && known <= found.at_most + 1e-9,
                    "{correction:?} {found:?}"
                );
            }
        }
    }

    /// A cube in its own box: the printed terms need ever more regions, the term by faces those along the diagonals of the
    /// sides, which are two triangles each.
    #[test]
    fn a_tight_box_needs_the_term_by_faces() {
        let tight = AnyVolume::Aabb(Aabb { min: -DVec3::ONE, max: DVec3::ONE });
        let regions = |correction, absolute| {
            let query = SurfaceQuery { correction, absolute, relative: 0.0, regions: 40_000 };
            surface_hausdorff(&tight, &cube()[..], &query).unwrap().regions
        };
        let (by_faces, by_feet) = (regions(Correction::Face, 0.05), regions(Correction::Foot, 0.05));
        assert!(3 * by_faces < by_feet, "{by_faces} {by_feet}");
    }

    /// 0 ≤ term 2 ≤ term 1, term 3 ≤ term 2 on rectangles, and each bounds what is sampled in the region.
    #[test]
    fn terms_bound_regions_in_their_order() {
        let mut random = SplitMix64::new(17);
        let faces: Vec<Triangle> = (0..12)
            .map(|_| {
                let mut near = || random.direction() * random.between(0.2, 0.9);
                Triangle::new(near(), near(), near())
            })
            .collect();
        let sphere = AnyVolume::Sphere(Sphere { center: DVec3::new(0.1, 0.0, -0.05), radius: 1.1 });
        let around = AnyVolume::Aabb(Aabb { min: -DVec3::ONE, max: DVec3::ONE });
        for volume in [sphere, around] {
            let whole = Region::cover(&volume).unwrap();
            let halves = whole.iter().flat_map(Region::parts);
            for region in whole.iter().copied().chain(halves) {
                let truth = points_of(&region, 12)
                    .into_iter()
                    .map(|p| faces[..].nearest(p).unwrap().closest_to(p).distance(p))
                    .fold(0.0, f64::max);
                let [one, two, three] = TERMS.map(|term| region.bounds(&faces[..], term).unwrap());
                for (low, high) in [one, two, three] {
                    assert!(low <= high && truth <= high + 1e-9, "{low} {high} {truth} {region:?}");
                }
                assert!(two.1 <= one.1 + 1e-12, "{one:?} {two:?} {region:?}");
                if matches!(region, Region::Rectangle(_)) {
                    assert!(three.1 <= two.1 + 1e-12, "{two:?} {three:?}");
                }
            }
        }
    }

    /// The farthest point of an arch: never below samples and attained by them, wherever the point is.
    #[test]
    fn the_farthest_of_an_arch_is_that_of_its_samples() {
        let mut random = SplitMix64::new(5);
        let sphere = Sphere { center: DVec3::new(2.0, 1.0, -1.0), radius: 1.5 };
        for round in 0..300 {
            let mut vertex = || sphere.center + random.direction() * sphere.radius;
            let mut vertices = [vertex(), vertex(), vertex()];
            // Arches smaller than half of the sphere, as those of the icosahedron are.
            let middle = on_sphere(&sphere, vertices.iter().sum::<DVec3>() / 3.0);
            if vertices.iter().any(|c| (*c - sphere.center).dot(middle - sphere.center) < 0.2) {
                vertices = icosahedron()[round % 20].map(|c| sphere.center + c * sphere.radius);
            }
            let region = Region::Arch(vertices, sphere);
            let point = sphere.center + random.direction() * random.between(0.0, 3.0);
            let found = far_on_sphere(point, vertices, &sphere);
            let sampled = points_of(&region, 60).into_iter().map(|p| p.distance(point)).fold(0.0, f64::max);
            assert!(sampled <= found + 1e-9 && found <= sampled + 0.02, "{sampled} {found}");
        }
        assert_eq!(far_on_sphere(sphere.center, icosahedron()[0], &sphere), sphere.radius);
    }

    /// Parts of a region have its area, keep its sense, and lie on the sphere.
    #[test]
    fn regions_are_parted_without_loss() {
        let sphere = Sphere { center: DVec3::new(-4.0, 2.0, 9.0), radius: 2.0 };
        let excess = |region: &Region| {
            let Region::Arch([a, b, c], sphere) = region else { panic!("an arch") };
            let [a, b, c] = [a, b, c].map(|p| (*p - sphere.center).normalize());
            2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
        };
        let mut level = Region::cover(&AnyVolume::Sphere(sphere)).unwrap();
        assert_eq!(level.len(), 20);
        for _ in 0..4 {
            let area: f64 = level.iter().map(excess).sum();
            assert!((area - 4.0 * std::f64::consts::PI).abs() < 1e-9, "{area}");
            assert!(level.iter().all(|region| excess(region) > 0.0));
            level = level.iter().flat_map(Region::parts).collect();
        }
        // The arc of the first side reaches 0.652 of the radius, its chord 0.641.
        let region = Region::Arch(icosahedron()[0], Sphere { center: DVec3::ZERO, radius: 1.0 });
        let chord = region.vertices().iter().map(|c| c.distance(region.middle())).fold(0.0, f64::max);
        assert!((chord - 0.640852).abs() < 1e-6, "{chord}");
    }

    /// Hubbard's formula agrees with the refinement on convex bodies, with the centre inside and outside; his bound is
    /// above both.
    #[test]
    fn hubbard_s_formula_agrees_with_the_refinement() {
        let mut random = SplitMix64::new(23);
        for inside in [true, false].repeat(8) {
            let half =
                DVec3::new(random.between(0.3, 1.0), random.between(0.3, 1.0), random.between(0.3, 1.0));
            let body = Polytope::cuboid(&Aabb { min: -half, max: half }).unwrap();
            let faces: Vec<Triangle> =
                body.triangles().map(|(_, [a, b, c])| Triangle::new(a, b, c)).collect();
            let near =
                DVec3::new(random.between(-0.2, 0.2), random.between(-0.2, 0.2), random.between(-0.2, 0.2));
            let center = if inside { near } else { near + DVec3::X * (half.x + 0.5) };
            let vertices: Vec<DVec3> = faces.iter().flat_map(|t| t.vertices).collect();
            let sphere = Sphere::centered(center, &vertices);
            let nearest = faces[..].nearest(center).unwrap().closest_to(center);
            let exact = hubbard_distance(&sphere, nearest, inside);
            let query = SurfaceQuery { correction: Correction::Face, relative: 0.01, ..Default::default() };
            let found = surface_hausdorff(&AnyVolume::Sphere(sphere), &faces[..], &query).unwrap().distance;
            assert!(found.at_least <= exact + 1e-9 && exact <= found.at_most + 1e-9, "{exact} {found:?}");
            assert!(hubbard_bound(&sphere, &faces[..]).unwrap() >= exact - 1e-9);
        }
    }
}
