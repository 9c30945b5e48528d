//! Shapes against sampling and against meshes of themselves.

use super::*;
use crate::Aabb;
use glam::DVec3;
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

fn every_convex() -> Vec<Convex> {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.1, 0.2, 3.0]].map(DVec3::from_array);
    vec![
        Convex::sphere(0.7).unwrap(),
        Convex::sphere(0.0).unwrap(),
        Convex::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap(),
        Convex::cuboid(DVec3::new(1.0, 0.0, 3.0)).unwrap(),
        Convex::capsule(2.0, 0.5).unwrap(),
        Convex::cylinder(3.0, 0.5).unwrap(),
        Convex::cylinder(0.0, 0.5).unwrap(),
        Convex::cone(2.0, 1.0).unwrap(),
        Convex::cone(1e3, 1e-3).unwrap(),
        Convex::ellipsoid(DVec3::new(1.0, 0.2, 3.0)).unwrap(),
        Convex::ellipsoid(DVec3::new(1.0, 0.0, 0.0)).unwrap(),
        Convex::hull(points).unwrap(),
        Convex::cuboid(DVec3::ONE).unwrap().rounded(0.25).unwrap(),
    ]
}

/// Seen from the middle of both spheres, no body reaches beyond the outer one or less far than the inner one,
/// in any direction.
#[test]
fn spheres_lie_around_and_within() {
    let mut known = 0;
    for convex in every_convex() {
        let Spheres { center, outer, inner } = Spheres::new(&convex);
        let size = convex.bounding_radius();
        for k in 0..2000 {
            let (turn, z) = (2.4 * f64::from(k), f64::from(k) / 999.5 - 1.0);
            let d = DVec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - z * z).max(0.0).sqrt() + DVec3::Z * z;
            let furthest = convex.core().support_point(d);
            assert!(furthest.distance(center) + convex.radius() <= outer * (1.0 + 1e-15), "{convex:?} {d}");
            let height = (furthest - center).dot(d) + convex.radius();
            assert!(inner <= height + 1e-14 * size, "{convex:?} {d}: {inner} {height}");
        }
        known += usize::from(inner > 0.0);
    }
    assert!(known >= 8, "{known} bodies have an inner sphere");
}

/// A point of the surface parametrised by two angles, by formula.
fn surface(core: &Core, u: f64, v: f64) -> Option<DVec3> {
    let ring = DVec3::new(u.cos(), u.sin(), 0.0);
    Some(match core {
        Core::Cylinder { half_height, radius } => ring * *radius * v + DVec3::Z * *half_height,
        Core::Cone { half_height, radius } => {
            ring * *radius * (1.0 - v) + DVec3::Z * *half_height * (2.0 * v - 1.0)
        }
        Core::Ellipsoid { radii } => (ring * (PI * v).sin() + DVec3::Z * (PI * v).cos()) * *radii,
        Core::Segment { half_length } => DVec3::Z * *half_length * (2.0 * v - 1.0),
        Core::Box { half_extents } => *half_extents * DVec3::new(u.cos(), u.sin(), 2.0 * v - 1.0),
        _ => return None,
    })
}

proptest! {
    /// No sampled point is further than the support point, which lies within the box.
    #[test]
    fn nothing_reaches_further(d in prop::array::uniform3(-1.0..1.0f64), u in 0.0..TAU, v in 0.0..1.0f64) {
        let d = DVec3::from_array(d);
        prop_assume!(d.length() > 1e-6);
        for convex in every_convex() {
            let core = convex.core();
            let far = core.support_point(d);
            let slack = (core.error() + 4e-16 * core.bounding_radius()) * d.length();
            if let Some(p) = surface(core, u, v) {
                prop_assert!(p.dot(d) <= far.dot(d) + slack, "{convex:?} {d} {p} {far}");
            }
            prop_assert!(far.length() <= core.bounding_radius() * (1.0 + 1e-15));
            let (b, tip) = (convex.aabb(), convex.support_point(d));
            let room = DVec3::splat(1e-15 * convex.bounding_radius());
            prop_assert!((b.min - room).cmple(tip).all() && tip.cmple(b.max + room).all(), "{convex:?}");
            prop_assert!(tip.distance(convex.bounding_sphere().center) <= convex.bounding_sphere().radius * (1.0 + 1e-15));
        }
    }

    #[test]
    fn scaling_scales_exactly(d in prop::array::uniform3(-1.0..1.0f64), exponent in -40..40i32) {
        let (d, factor) = (DVec3::from_array(d), 2.0f64.powi(exponent));
        prop_assume!(d.length() > 1e-6);
        for convex in every_convex() {
            let scaled = convex.scaled(factor).unwrap();
            prop_assert_eq!(scaled.support_point(d), convex.support_point(d) * factor);
        }
    }
}

/// Slices of a body of revolution about z, summed.
fn by_slices(radius_at: impl Fn(f64) -> f64, half: f64) -> (f64, f64, f64, f64) {
    let n = 20_000;
    let h = 2.0 * half / f64::from(n);
    let mut sums = (0.0, 0.0, 0.0, 0.0);
    for i in 0..n {
        let z = -half + (f64::from(i) + 0.5) * h;
        let area = PI * radius_at(z).powi(2);
        sums.0 += area * h;
        sums.1 += area * h * z;
        sums.2 += area * h * z * z;
        sums.3 += area * h * radius_at(z).powi(2) / 4.0;
    }
    sums
}

#[test]
fn masses_agree_with_sums_over_slices() {
    let check = |convex: Convex, radius_at: &dyn Fn(f64) -> f64, half: f64| {
        let (volume, first, along, across) = by_slices(radius_at, half);
        let mass = convex.mass().unwrap();
        let z = first / volume;
        assert!((mass.volume / volume - 1.0).abs() < 1e-4);
        assert!((mass.center.z - z).abs() < 1e-4);
        assert!((mass.inertia.z_axis.z / (2.0 * across) - 1.0).abs() < 1e-3);
        assert!((mass.inertia.x_axis.x / (across + along - volume * z * z) - 1.0).abs() < 1e-3);
    };
    check(Convex::cylinder(3.0, 0.5).unwrap(), &|_| 0.5, 1.5);
    check(Convex::cone(3.0, 0.5).unwrap(), &|z| 0.5 * (1.5 - z) / 3.0, 1.5);
    check(Convex::ellipsoid(DVec3::new(0.5, 0.5, 2.0)).unwrap(), &|z| 0.5 * (1.0 - z * z / 4.0).sqrt(), 2.0);
    let cap = |z: f64| (0.25 - (z.abs() - 1.0).max(0.0).powi(2)).max(0.0).sqrt();
    check(Convex::capsule(2.0, 0.5).unwrap(), &cap, 1.5);
}

#[test]
fn a_mesh_weighs_what_its_box_weighs() {
    let cuboid = Convex::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let hull =
        Convex::hull((0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i & 2), f64::from(i & 4) * 0.75)))
            .unwrap();
    let (by_formula, by_triangles) = (cuboid.mass().unwrap(), hull.mass().unwrap());
    assert!((by_formula.volume - by_triangles.volume).abs() < 1e-12);
    assert!(by_formula.inertia.abs_diff_eq(by_triangles.inertia, 1e-12));
    assert!(by_triangles.center.abs_diff_eq(DVec3::new(0.5, 1.0, 1.5), 1e-12));
    let cells = (0..6).map(|i| [0, i % 2, i / 2]);
    let voxels = Voxels::new(1.0, cells).unwrap().mass();
    assert!(voxels.inertia.abs_diff_eq(by_formula.inertia, 1e-12));
}

#[test]
fn bad_lengths_are_refused() {
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(Convex::sphere(bad), Err(ShapeError::BadLength { .. })));
        assert!(Convex::cuboid(DVec3::new(1.0, bad, 1.0)).is_err());
        assert!(Convex::capsule(bad, 1.0).is_err() && Convex::capsule(1.0, bad).is_err());
        assert!(Convex::cylinder(bad, 1.0).is_err() && Convex::cone(1.0, bad).is_err());
        assert!(Convex::ellipsoid(DVec3::new(bad, 1.0, 1.0)).is_err());
        assert!(Voxels::new(bad, []).is_err());
    }
    assert!(Voxels::new(0.0, []).is_err());
}

#[test]
fn runs_of_voxels_become_boxes() {
    let voxels =
        Voxels::new(0.5, [[0, 0, 0], [2, 0, 0], [1, 0, 0], [4, 0, 0], [0, 1, 0], [0, 0, 0]]).unwrap();
    assert_eq!((voxels.count(), voxels.boxes().len()), (5, 3));
    assert_eq!(voxels.aabb(), Aabb { min: DVec3::ZERO, max: DVec3::new(2.5, 1.0, 0.5) });
}
