//! Volumes hold what they were made around, distances never exceed distances, sizes are those of the textbooks.

use glam::{DMat3, DQuat, DVec3, dvec3};
use noli_geom::internals::{HausdorffQuery, Part, hausdorff, inscribed_box, inscribed_sphere};
use noli_geom::*;
use proptest::prelude::*;

fn cube() -> Vec<DVec3> {
    (0..8).map(|k| dvec3((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64) * 2.0 - 1.0).collect()
}

fn octahedron() -> Vec<DVec3> {
    DVec3::AXES.iter().flat_map(|a| [*a, -*a]).collect()
}

fn triangles(points: &[DVec3]) -> Vec<Triangle> {
    let body = Polytope::around(points).unwrap();
    body.triangles().map(|(_, [a, b, c])| Triangle::new(a, b, c)).collect()
}

fn every_fit(points: &[DVec3], measure: Measure) -> Vec<AnyVolume> {
    let mut all = vec![
        AnyVolume::Sphere(Volume::from_points(points)),
        AnyVolume::Sphere(Sphere::smallest(points)),
        AnyVolume::Sphere(Sphere::by_descent(points, None)),
        AnyVolume::Aabb(Volume::from_points(points)),
        AnyVolume::Obb(Volume::from_points(points)),
        AnyVolume::Obb(Obb::small(points, measure, &[])),
        AnyVolume::Obb(Obb::by_descent(points, measure, &[])),
    ];
    let dops = [Directions::Fourteen, Directions::Eighteen, Directions::TwentySix];
    all.extend(dops.map(|directions| AnyVolume::Kdop(Kdop::new(points, directions))));
    all
}

#[test]
fn smallest_spheres_of_known_solids() {
    let h = 0.5f64.sqrt() / 2.0;
    let tetrahedron = [dvec3(h, h, h), dvec3(h, -h, -h), dvec3(-h, h, -h), dvec3(-h, -h, h)];
    assert!((Sphere::smallest(&tetrahedron).radius - 6.0f64.sqrt() / 4.0).abs() < 1e-12);
    assert!((Sphere::smallest(&cube()).radius - 3.0f64.sqrt()).abs() < 1e-12);
    assert!((Sphere::by_descent(&cube(), None).radius - 3.0f64.sqrt()).abs() < 1e-4);
}

/// Two cubes that only a product of edges parts: the six face axes alone would see them meet up to 3.828.
#[test]
fn edges_part_what_faces_do_not() {
    let n = dvec3(1.0, 1.0, 0.0).normalize();
    let (x, y) = (dvec3(1.0, -1.0, 0.0).normalize(), (n + DVec3::Z).normalize());
    let at =
        |s: f64| Obb { center: n * s, axes: DMat3::from_cols(x, y, x.cross(y)), half_extents: DVec3::ONE };
    let cube = Obb { center: DVec3::ZERO, axes: DMat3::IDENTITY, half_extents: DVec3::ONE };
    let distance = |s: f64| cube.distance_bound(&at(s), &RelativePose::identity());
    let bound = 2.0 * 2.0f64.sqrt();
    assert!(distance(bound - 1e-9) < 0.0 && distance(bound + 1e-9) > 0.0 && distance(3.8) > 0.0);
    let faces_only = |s: f64| {
        let axes = DVec3::AXES.into_iter().chain([0, 1, 2].map(|k| at(s).axes.col(k)));
        axes.map(|axis| {
            let half = |axes: DMat3| (axes.transpose() * axis).abs().element_sum();
            (n * s).dot(axis).abs() - half(DMat3::IDENTITY) - half(at(s).axes)
        })
        .fold(f64::NEG_INFINITY, f64::max)
    };
    assert!(faces_only(3.82) < 0.0 && faces_only(3.83) > 0.0);
}

/// Boxes along the axes are compared along the axes of the first alone, which never says more than the other twelve add.
#[test]
fn boxes_along_the_axes_are_compared_by_three_intervals() {
    let cube = Aabb { min: -DVec3::ONE, max: DVec3::ONE };
    let eighth = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
    for (shift, three, fifteen) in [(2.3, true, true), (2.5, false, false), (2.42, false, false)] {
        let pose = Pose::new(eighth.rotation, dvec3(shift, 0.0, 0.0));
        let relative = RelativePose::new(&Pose::IDENTITY, &pose);
        assert_eq!(cube.distance_bound(&cube, &relative) <= 0.0, three, "{shift}");
        assert_eq!(Obb::from(cube).distance_bound(&Obb::from(cube), &relative) <= 0.0, fifteen, "{shift}");
    }
    // Along a diagonal the turned cube's own axes part them sooner.
    let pose = Pose::new(eighth.rotation, dvec3(1.8, 1.8, 0.0));
    let relative = RelativePose::new(&Pose::IDENTITY, &pose);
    assert!(
        cube.distance_bound(&cube, &relative) < 0.0
            && Obb::from(cube).distance_bound(&Obb::from(cube), &relative) > 0.0
    );
}

/// The tilted block of 1 x 2 x 3 is found again: volume 6, surface 22.
#[test]
fn oriented_boxes_find_a_tilted_block() {
    let turn = DMat3::from_quat(DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize());
    let block: Vec<DVec3> = cube().iter().map(|p| turn * (*p * dvec3(0.5, 1.0, 1.5)) + 7.0).collect();
    for (measure, size) in
        [(Measure::Volume, 6.0), (Measure::Surface, 22.0), (Measure::Diameter, 14.0f64.sqrt())]
    {
        assert!((Obb::small(&block, measure, &[]).measure(measure) - size).abs() < 1e-6, "{measure:?}");
        assert!((Obb::by_descent(&block, measure, &[]).measure(measure) - size).abs() < 2e-2, "{measure:?}");
    }
    let half = Obb { center: DVec3::ZERO, axes: turn, half_extents: dvec3(1.0, 2.0, 3.0) };
    let sizes = [Measure::Volume, Measure::Diameter, Measure::Surface].map(|measure| half.measure(measure));
    assert_eq!(sizes[0], 48.0);
    assert!((sizes[1] - 2.0 * 14.0f64.sqrt()).abs() < 1e-12 && sizes[2] == 88.0);
}

#[test]
fn dops_shrink_with_more_directions_and_measure_like_polyhedra() {
    let points = octahedron();
    let volume = |directions| Kdop::new(&points, directions).measure(Measure::Volume);
    // Fourteen planes are exactly the octahedron's and its box's; eighteen only cut the edges.
    assert!((volume(Directions::Fourteen) - 4.0 / 3.0).abs() < 1e-9);
    assert!((volume(Directions::TwentySix) - 4.0 / 3.0).abs() < 1e-9);
    assert!(volume(Directions::Eighteen) > 1.9 && volume(Directions::Eighteen) < 8.0);
}

#[test]
fn halves_of_a_polytope_part_its_volume() {
    let body = Polytope::around(&octahedron()).unwrap();
    assert_eq!((body.vertices.len(), body.faces.len()), (6, 8));
    assert!((body.volume() - 4.0 / 3.0).abs() < 1e-14);
    for (normal, offset) in
        [(DVec3::X, 0.0), (dvec3(1.0, 2.0, 3.0).normalize(), 0.1), (DVec3::ONE.normalize(), 0.3)]
    {
        let [low, high] = body.halves(normal, offset).unwrap();
        assert!((low.volume() + high.volume() - body.volume()).abs() < 1e-12);
        let original = |part: &Polytope| part.faces.iter().filter(|face| face.origin.is_some()).count();
        assert!(original(&low) >= 4 && original(&high) >= 3);
        assert_eq!(low.faces.iter().filter(|face| face.origin.is_none()).count(), 1);
    }
    assert!(body.halves(DVec3::X, 1.5).is_none());
}

/// Values of the barrier method of the box paper, and of Chebyshev's centre.
#[test]
fn largest_inscribed_spheres_and_boxes_of_known_solids() {
    let inscribed = |points: &[DVec3], inside: DVec3| {
        let planes = Polytope::around(points).unwrap().planes();
        let sphere = inscribed_sphere(&planes, inside).unwrap();
        let obb = inscribed_box(&planes, DMat3::IDENTITY, inside).unwrap();
        for (normal, offset) in planes {
            assert!(normal.dot(sphere.center) + sphere.radius <= offset);
            assert!(normal.dot(obb.center) + normal.abs().dot(obb.half_extents) <= offset);
        }
        (sphere.radius, obb)
    };
    let (radius, obb) = inscribed(&cube(), dvec3(0.3, 0.2, -0.1));
    assert!((radius - 1.0).abs() < 1e-8 && obb.half_extents.abs_diff_eq(DVec3::ONE, 1e-8));
    let (radius, obb) = inscribed(&octahedron(), dvec3(0.1, 0.2, 0.05));
    assert!((radius - 1.0 / 3.0f64.sqrt()).abs() < 1e-8);
    assert!(obb.half_extents.abs_diff_eq(DVec3::splat(1.0 / 3.0), 1e-6), "{obb:?}");
    let simplex = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let (_, obb) = inscribed(&simplex, DVec3::splat(0.2));
    assert!(obb.half_extents.abs_diff_eq(DVec3::splat(1.0 / 6.0), 1e-6), "{obb:?}");
    assert!(obb.center.abs_diff_eq(DVec3::splat(1.0 / 6.0), 1e-6));
}

fn distance(volume: AnyVolume, faces: &[Triangle], part: Part) -> Bracket {
    hausdorff(&volume, faces, &HausdorffQuery { part, tolerance: 1e-3, cells: 200_000 }).unwrap()
}

/// Values of chapter 3: cube and octahedron in their spheres, triangle and octahedron in their boxes.
#[test]
fn hausdorff_distances_of_the_thesis() {
    let square = [dvec3(0., 0., 0.), dvec3(1., 0., 0.), dvec3(1., 1., 0.), dvec3(0., 1., 0.)];
    let square = [[0, 1, 2], [0, 2, 3]].map(|t| Triangle { vertices: t.map(|k| square[k]) });
    let vertex = [Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y)];
    let sphere = |points: &[DVec3]| AnyVolume::Sphere(Sphere::smallest(points));
    let aabb = |points: &[DVec3]| AnyVolume::Aabb(Volume::from_points(points));
    let vertices = |faces: &[Triangle]| faces.iter().flat_map(|t| t.vertices).collect::<Vec<_>>();
    let (cube_faces, octa_faces) = (triangles(&cube()), triangles(&octahedron()));
    for (name, volume, faces, expected) in [
        ("cube in sphere", sphere(&cube()), &cube_faces[..], 3.0f64.sqrt() - 1.0),
        ("octahedron in sphere", sphere(&octahedron()), &octa_faces, 1.0 - 1.0 / 3.0f64.sqrt()),
        ("square in sphere", sphere(&vertices(&square)), &square, 0.5f64.sqrt()),
        ("triangle in flat box", aabb(&vertices(&vertex)), &vertex, 0.5f64.sqrt()),
        ("octahedron in box", aabb(&octahedron()), &octa_faces, 2.0 / 3.0f64.sqrt()),
        ("cube in itself", aabb(&cube()), &cube_faces, 0.0),
    ] {
        let found = distance(volume, faces, Part::Surface);
        assert!(found.at_least <= expected + 1e-12 && expected <= found.at_most + 1e-12, "{name}: {found:?}");
        assert!(found.at_most - found.at_least < 6e-3, "{name}: {found:?}");
    }
    // The middle of the cube is one from its faces: the solid reaches farther than the surface tells.
    let solid = distance(aabb(&cube()), &cube_faces, Part::Solid);
    assert!(solid.at_least <= 1.0 && 1.0 <= solid.at_most && solid.at_least > 0.99);
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![8 => -1.0..1.0, 1 => Just(0.0), 1 => Just(0.5)]
}

fn point() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from)
}

fn pose() -> impl Strategy<Value = Pose> {
    ([-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64], point())
        .prop_map(|(q, t)| Pose::new(DQuat::from_array(q), t * 3.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Also far from the origin, huge and tiny, flat, on a line and all in one point.
    #[test]
    fn every_fit_holds_its_points(points in prop::collection::vec(point(), 1..20), exponent in -290..290i32,
        shift in point(), flat in 0..4usize) {
        let scale = 2.0f64.powi(exponent);
        let press = [DVec3::ONE, dvec3(1., 1., 0.), dvec3(1., 0., 0.), DVec3::ZERO][flat];
        let points: Vec<DVec3> = points.iter().map(|p| (*p * press + shift * 100.0) * scale).collect();
        for measure in [Measure::Volume, Measure::Surface, Measure::Diameter] {
            for volume in every_fit(&points, measure) {
                for p in &points {
                    prop_assert!(volume.holds(*p), "{volume:?} {p:?}");
                }
            }
        }
        let sphere = Sphere::smallest(&points).radius;
        prop_assert!(sphere <= Sphere::by_descent(&points, None).radius * (1.0 + 1e-9) + 1e-9 * scale);
        let of = |obb: Obb| obb.measure(Measure::Diameter);
        let small = of(Obb::small(&points, Measure::Diameter, &[]));
        prop_assert!(small <= of(Volume::from_points(&points)) * (1.0 + 1e-9) + 1e-9 * scale);
    }

    /// No distance is larger than the distance of points held; and where every axis says overlap, spheres and
    /// boxes do.
    #[test]
    fn distances_never_exceed_distances(a in prop::collection::vec(point(), 3..6), b in prop::collection::vec(point(), 3..6),
        at in pose(), exponent in -200..200i32) {
        let scale = 2.0f64.powi(exponent);
        let scaled = |points: &[DVec3]| points.iter().map(|p| *p * scale).collect::<Vec<_>>();
        let (a, b) = (scaled(&a), scaled(&b));
        let at = Pose::new(at.rotation, at.translation * scale);
        let relative = RelativePose::new(&Pose::IDENTITY, &at);
        let face = |p: &[DVec3]| Triangle::new(p[0], p[1], p[2]);
        let frame = PairFrame::new(&relative);
        let distance = TrianglePair::new(&face(&a), &face(&b), &frame).distance().at_most;
        for va in every_fit(&a, Measure::Surface) {
            for vb in every_fit(&b, Measure::Surface) {
                let gap = va.distance_bound(&vb, &relative);
                prop_assert!(gap <= distance, "{va:?} {vb:?}: {gap} > {distance}");
                let back = vb.distance_bound(&va, &relative.inverse());
                let differ = (gap - back).abs() > 1e-9 * scale;
                prop_assert!(!differ || gap.max(back) <= distance);
            }
        }
    }

    /// The nearest point of a triangle is in it and no sampled point is nearer.
    #[test]
    fn closest_points_are_closest(t in [point(), point(), point()], p in point(), u in 0.0..1.0f64, v in 0.0..1.0f64) {
        let triangle = Triangle { vertices: t };
        let found = triangle.closest_to(p).distance(p);
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        let sample = t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
        prop_assert!(found <= sample.distance(p) + 1e-12);
    }

    #[test]
    fn hausdorff_brackets_hold_samples(points in prop::collection::vec(point(), 4..8), x in point()) {
        let faces: Vec<Triangle> = points.windows(3).map(|w| Triangle::new(w[0], w[1], w[2])).collect();
        for volume in every_fit(&points, Measure::Surface) {
            let query = HausdorffQuery { part: Part::Solid, tolerance: 0.05, cells: 2000 };
            let found = hausdorff(&volume, &faces[..], &query).unwrap();
            prop_assert!(found.at_least <= found.at_most);
            if volume.holds(x) {
                let nearest = faces.iter().map(|t| t.closest_to(x).distance(x)).fold(f64::INFINITY, f64::min);
                prop_assert!(nearest <= found.at_most + 1e-12, "{nearest} {found:?} {volume:?}");
            }
        }
    }
}

#[test]
fn boxes_know_their_vertices_and_distances() {
    let cube = Aabb { min: dvec3(0.0, 0.0, 0.0), max: dvec3(1.0, 2.0, 2.0) };
    assert_eq!(cube.vertices()[0], cube.min);
    assert_eq!(cube.vertices()[7], cube.max);
    assert_eq!(cube.vertices()[0b100], dvec3(0.0, 0.0, 2.0));
    assert_eq!(Aabb::from_points(cube.vertices()), cube);
    assert_eq!(cube.longest_axis(), 1);
    assert!(cube.vertices().iter().all(|&vertex| cube.contains(vertex)));
    assert!(!cube.contains(dvec3(0.5, 0.5, 2.0f64.next_up())) && !cube.contains(DVec3::NAN));
    let shifted = |by: DVec3| Aabb { min: cube.min + by, max: cube.max + by };
    assert_eq!(cube.distance(&shifted(dvec3(4.0, 6.0, 0.5))), 5.0);
    assert_eq!(cube.distance(&shifted(dvec3(1.0, 0.5, 0.5))), 0.0);
    assert_eq!(cube.distance(&Aabb::EMPTY), f64::INFINITY);
    assert_eq!(cube.intersection(shifted(DVec3::ONE)), Aabb { min: DVec3::ONE, max: cube.max });
    assert!(cube.intersection(shifted(dvec3(0.0, 3.0, 0.0))).is_empty());
}

/// A fit that starts from that of fewer points is as good as one from nothing; boxes along the axes are the same to the bit.
#[test]
fn an_update_is_a_rebuild() {
    let mut random = Scattered(7);
    for count in [4, 9, 30] {
        let mut points: Vec<DVec3> = (0..count).map(|_| random.point()).collect();
        let before = Sphere::by_descent(&points, None);
        let box_before: Aabb = Volume::from_points(&points);
        points.push(random.point() * 1.5);
        let (updated, rebuilt) =
            (Sphere::by_descent(&points, Some(before.center)), Sphere::by_descent(&points, None));
        let least = Sphere::smallest(&points).radius;
        assert!(updated.radius >= least * (1.0 - 1e-12) && rebuilt.radius >= least * (1.0 - 1e-12));
        assert!(
            updated.radius <= 1.001 * least && rebuilt.radius <= 1.001 * least,
            "{updated:?} {rebuilt:?}"
        );
        let added = Aabb::from_points(points.last().copied());
        assert_eq!(box_before.union(added), Aabb::from_points(points.iter().copied()));
    }
}

/// Optimised boxes are never worse than those along the coordinates and along the axes of spread, by any measure.
#[test]
fn optimised_boxes_are_never_worse_than_their_starts() {
    let mut random = Scattered(11);
    for count in [4, 12, 60, 150] {
        let segment = dvec3(1.0, 0.4, 0.1);
        let turn = DMat3::from_axis_angle(random.point().normalize(), 1.1);
        let points: Vec<DVec3> = (0..count).map(|_| turn * (random.point() * segment)).collect();
        let along = AnyVolume::Aabb(Volume::from_points(&points));
        let spread = AnyVolume::Obb(Volume::from_points(&points));
        for measure in [Measure::Volume, Measure::Surface, Measure::Diameter] {
            let starts = along.measure(measure).min(spread.measure(measure));
            for found in [Obb::small(&points, measure, &[]), Obb::by_descent(&points, measure, &[])] {
                // More points than stand for all while axes are sought may cost a little.
                let most = if count <= 48 { 1.0 + 1e-9 } else { 1.02 };
                assert!(found.measure(measure) <= most * starts, "{count} {measure:?}");
                assert!(points.iter().all(|p| found.holds(*p)));
            }
        }
    }
}

/// One beyond a vertex of a triangle of side 1, on its axis: 1 away. The rule that takes the least distance of a line whose
/// foot is on its edge would say 1.866.
#[test]
fn beyond_a_vertex_the_vertex_is_nearest() {
    let top = 0.75f64.sqrt();
    let triangle = Triangle::new(DVec3::ZERO, DVec3::X, dvec3(0.5, top, 0.0));
    let beyond = dvec3(0.5, top + 1.0, 0.0);
    assert!((triangle.closest_to(beyond).distance(beyond) - 1.0).abs() < 1e-12);
    // The foot on the base lies on the base.
    assert!((beyond.y - 1.866).abs() < 1e-3);
}

/// Spheres and boxes: the distance is the distance, by region of the box, up to the rounding it allows for; touching is no distance; both
/// orders agree.
#[test]
fn distances_of_spheres_and_boxes_are_their_distances() {
    let axes = DMat3::from_axis_angle(dvec3(1.0, 2.0, 3.0).normalize(), 0.8);
    let obb = Obb { center: dvec3(0.3, -0.2, 0.5), axes, half_extents: dvec3(1.0, 2.0, 3.0) };
    let own = |p: DVec3| obb.center + axes * p;
    let pose = Pose::new(DQuat::from_rotation_y(0.4), dvec3(5.0, 1.0, -2.0));
    let placed = RelativePose::new(&Pose::IDENTITY, &pose);
    let back = pose.inverse();
    // In the box, above a side, an edge and a vertex.
    for (at, distance) in [
        (dvec3(0.2, 0.1, 0.0), 0.0),
        (dvec3(3.0, 0.5, 0.5), 2.0),
        (dvec3(4.0, 6.0, 0.5), 5.0),
        (dvec3(3.0, 4.0, 4.0), 3.0),
    ] {
        let sphere = Sphere { center: back.transform_point(own(at)), radius: 0.5 };
        let (a, b) = (AnyVolume::Obb(obb), AnyVolume::Sphere(sphere));
        let gap = a.distance_bound(&b, &placed);
        let inverse = RelativePose::new(&pose, &Pose::IDENTITY);
        let other = b.distance_bound(&a, &inverse);
        assert!((gap - (distance - 0.5)).abs() < 1e-9 && (other - gap).abs() < 1e-9, "{at}: {gap} {other}");
    }
    let sphere = |x: f64| Sphere { center: DVec3::X * x, radius: 1.0 };
    let identity = RelativePose::identity();
    for (x, separated) in [(2.0, false), (1.0, false), (2.0 + 1e-9, true)] {
        assert_eq!(sphere(0.0).distance_bound(&sphere(x), &identity) > 0.0, separated, "{x}");
        assert_eq!(sphere(x).distance_bound(&sphere(0.0), &identity) > 0.0, separated, "{x}");
    }
    assert!((sphere(0.0).distance_bound(&sphere(5.0), &identity) - 3.0).abs() < 1e-12);
}

/// Identical boxes overlap, flat ones in one plane too, and a box in its own frame is what any other says.
#[test]
fn boxes_that_coincide_overlap() {
    let axes = DMat3::from_axis_angle(DVec3::X, 0.3);
    for half_extents in [DVec3::ONE, dvec3(1.0, 2.0, 0.0), dvec3(1.0, 0.0, 0.0)] {
        let one = Obb { center: dvec3(3.0, 1.0, 0.0), axes, half_extents };
        assert!(one.distance_bound(&one, &RelativePose::identity()) <= 0.0, "{half_extents}");
        let beside = Obb { center: one.center + axes.col(0) * 2.1, ..one };
        assert!(one.distance_bound(&beside, &RelativePose::identity()) > 0.09, "{half_extents}");
    }
}

/// Points drawn by lot, the same at every run.
struct Scattered(u64);

impl Scattered {
    fn point(&mut self) -> DVec3 {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        dvec3(next(), next(), next())
    }
}

/// The largest box inside a body along given axes: the problem is concave, so that no box nearby being larger means that none is.
#[test]
fn no_inner_box_nearby_is_larger() {
    let mut random = Scattered(19);
    for _ in 0..12 {
        let points: Vec<DVec3> = (0..14).map(|_| random.point()).collect();
        let Some(body) = Polytope::around(&points) else { continue };
        let axes = DMat3::from_axis_angle(random.point().normalize(), 0.7);
        let planes = body.planes();
        let middle = body.vertices.iter().sum::<DVec3>() / body.vertices.len() as f64;
        let Some(found) = inscribed_box(&planes, axes, middle) else { continue };
        // How much of its extents a box about another middle may keep.
        let room = |center: DVec3, half: DVec3| {
            let share = |(n, h): &(DVec3, f64)| (h - n.dot(center)) / (axes.transpose() * *n).abs().dot(half);
            planes.iter().map(share).fold(f64::INFINITY, f64::min)
        };
        assert!(room(found.center, found.half_extents) >= 1.0 - 1e-9, "it is inside");
        let volume = |half: DVec3| half.x * half.y * half.z;
        for step in [1e-2, 1e-3] {
            for _ in 0..200 {
                let center = found.center + random.point() * step;
                let half = found.half_extents * (DVec3::ONE + random.point() * step);
                let share = room(center, half).max(0.0);
                let other = volume(half * share);
                assert!(
                    other <= volume(found.half_extents) * (1.0 + 1e-4),
                    "{other} {}",
                    volume(found.half_extents)
                );
            }
        }
    }
}
