//! Input at the edge of what is given: the right answer, never a panic, never a hang.

use glam::{DQuat, DVec3, dvec3};
use noli::answer::*;
use noli::model::*;
use noli::query::*;
use noli::*;
use noli_scenes::TriangleSet;
use std::time::{Duration, Instant};

fn mesh(set: TriangleSet) -> Mesh {
    Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap()
}

fn model(set: TriangleSet) -> Model {
    Model::new(mesh(set)).unwrap()
}

fn faces(corners: &[[DVec3; 3]]) -> TriangleSet {
    TriangleSet {
        vertices: corners.as_flattened().to_vec(),
        triangles: (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    }
}

const FACE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

fn copies(count: usize) -> TriangleSet {
    TriangleSet { vertices: FACE.to_vec(), triangles: vec![[0, 1, 2]; count] }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

/// A quarter turn about x, exact.
fn upright() -> DQuat {
    DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0)
}

fn first_intersection(a: &Placed<'_>, b: &Placed<'_>) -> (Completeness, Option<Intersection>) {
    let mut first = First::default();
    let completeness = QueryContext::new(&mut Scratch::default()).intersections(
        a,
        b,
        &IntersectionsQuery::default(),
        &mut first,
    );
    assert_eq!(completeness == Completeness::Enough, first.0.is_some());
    (completeness, first.0)
}

fn count_intersections(a: &Placed<'_>, b: &Placed<'_>) -> u64 {
    let mut count = Count::default();
    let query = IntersectionsQuery { segments: false, ..Default::default() };
    let completeness = QueryContext::new(&mut Scratch::default()).intersections(a, b, &query, &mut count);
    assert_eq!(completeness, Completeness::Complete);
    count.0
}

/// All questions on two bodies, which must agree with each other.
fn context(a: &Placed<'_>, b: &Placed<'_>) -> Relation {
    let (relation, overlap) = (relation(a, b), overlap(a, b));
    let expected = match relation {
        Relation::Unknown => Overlap::Unknown,
        Relation::Separated => Overlap::Free,
        Relation::Touching | Relation::Intersecting | Relation::Inside => Overlap::Hit,
    };
    assert_eq!((overlap, relation.overlap()), (expected, expected));
    let meets = matches!(relation, Relation::Touching | Relation::Intersecting);
    let (completeness, first) = first_intersection(a, b);
    assert_eq!(first.is_some(), meets);
    assert_eq!(completeness == Completeness::Partial, relation == Relation::Unknown);
    let gap = clearance(a, b);
    assert!(gap.distance.at_least <= gap.distance.at_most);
    assert_eq!(gap.distance.at_most == 0.0, overlap == Overlap::Hit);
    relation
}

/// Both orders.
fn both(a: &Placed<'_>, b: &Placed<'_>) -> Relation {
    let relation = context(a, b);
    assert_eq!(context(b, a), relation);
    relation
}

fn within<R>(limit: Duration, what: &str, context: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let answer = context();
    assert!(start.elapsed() < limit, "{what} took {:?}", start.elapsed());
    answer
}

#[test]
fn an_empty_mesh_meets_nothing() {
    let empty = Model::new(Mesh::empty()).unwrap();
    let cube = model(noli_scenes::cuboid(DVec3::ONE));
    let here = Pose::IDENTITY;
    assert_eq!(both(&empty.at(here), &cube.at(here)), Relation::Separated);
    assert_eq!(both(&empty.at(here), &empty.at(here)), Relation::Separated);
    assert_eq!(clearance(&empty.at(here), &cube.at(here)).distance.at_least, f64::INFINITY);
    assert!(intersections(&empty.at(here), &cube.at(here)).is_free());
    assert!(self_intersections(&empty).is_free());
    assert_eq!(empty.locate_point(DVec3::ZERO), Location::Outside);
    assert!(ray_cast(&empty.at(here), &Ray { origin: DVec3::ZERO, direction: DVec3::X }).unwrap().is_free());
    let loaded = Model::with_stored_tree(empty.mesh().unwrap(), &empty.store_tree()).unwrap();
    assert_eq!(both(&loaded.at(here), &cube.at(here)), Relation::Separated);
    assert!(empty.refit(vec![]).is_ok() && empty.scaled(2.0).is_ok());
}

/// Vertices that no face uses are no part of the body.
#[test]
fn vertices_without_faces_do_not_count() {
    let mut set = faces(&[FACE]);
    set.vertices.push(dvec3(50.0, 0.0, 0.0));
    let (lonely, other) = (model(set), model(faces(&[FACE])));
    let there = at(50.0, 0.0, 0.0);
    assert_eq!(both(&lonely.at(Pose::IDENTITY), &other.at(there)), Relation::Separated);
}

#[test]
fn one_triangle_is_a_body() {
    let one = model(faces(&[FACE]));
    let here = one.at(Pose::IDENTITY);
    assert_eq!(both(&here, &here), Relation::Touching);
    assert_eq!(both(&here, &one.at(at(1.0, 0.0, 0.0))), Relation::Touching);
    assert_eq!(both(&here, &one.at(at(1.0f64.next_up(), 0.0, 0.0))), Relation::Separated);
    assert_eq!(both(&here, &one.at(at(0.0, 0.0, f64::MIN_POSITIVE))), Relation::Separated);
    let status = Pose::new(upright(), dvec3(0.1, 0.2, -0.5));
    assert_eq!(both(&here, &one.at(status)), Relation::Intersecting);
    assert_eq!(intersections(&here, &one.at(status)).len(), 1);
    assert!(self_intersections(&one).is_free());
    let hits = ray_cast(&here, &Ray { origin: dvec3(0.2, 0.2, 3.0), direction: DVec3::NEG_Z }).unwrap();
    assert_eq!(hits.items, [RayHit { triangle: Some(0), part: None, t: 3.0, side: RaySide::Front }]);
}

/// Copies cannot be told apart by any box: one of them must stand for all.
#[test]
fn a_hundred_thousand_copies_of_one_triangle() {
    let limit = Duration::from_secs(60);
    let stack = within(limit, "building", || model(copies(100_000)));
    let here = stack.at(Pose::IDENTITY);
    let cases = [
        (Pose::IDENTITY, Overlap::Hit),
        (at(1.0, 0.0, 0.0), Overlap::Hit),
        (at(0.0, 0.0, 1e-9), Overlap::Free),
        (at(1.0f64.next_up(), 0.0, 0.0), Overlap::Free),
        (Pose::new(upright(), dvec3(0.1, 0.2, -0.5)), Overlap::Hit),
    ];
    for (pose, expected) in cases {
        let there = stack.at(pose);
        assert_eq!(within(limit, "overlap", || overlap(&here, &there)), expected);
        let hit = expected == Overlap::Hit;
        assert_eq!(
            within(limit, "first intersecting", || first_intersection(&here, &there)).1.is_some(),
            hit
        );
        assert_eq!(within(limit, "relation", || relation(&here, &there)).overlap(), expected);
        assert_eq!(within(limit, "clearance", || clearance(&here, &there)).distance.at_most == 0.0, hit);
    }
    let through = stack.at(Pose::new(upright(), dvec3(0.1, 0.2, -0.5)));
    let relation = within(limit, "relation", || relation(&here, &through));
    assert_eq!(relation, Relation::Intersecting);
    // Against one other triangle everything is linear.
    let one = model(faces(&[FACE]));
    for (pose, expected) in cases {
        assert_eq!(within(limit, "overlap", || overlap(&here, &one.at(pose))), expected);
    }
    assert_eq!(
        within(limit, "relation", || noli::relation(&here, &one.at(Pose::IDENTITY))),
        Relation::Touching
    );
    assert_eq!(
        within(limit, "intersections", || count_intersections(&here, &one.at(Pose::IDENTITY))),
        100_000
    );
    let ray = Ray { origin: dvec3(0.2, 0.2, 1.0), direction: DVec3::NEG_Z };
    assert_eq!(within(limit, "rays", || ray_cast(&here, &ray)).unwrap().len(), 100_000);
    let mut first = First::default();
    let query = IntersectionsQuery::default();
    let mut scratch = Scratch::default();
    let completeness = within(limit, "self", || {
        QueryContext::new(&mut scratch).self_intersections(&stack, &query, &mut first)
    });
    assert_eq!(completeness, Completeness::Enough);
    assert!(first.0.is_some());
}

/// Seventy copies of one face and ninety of another among a few single ones: every copy is reported.
#[test]
fn copies_among_other_faces_are_all_reported() {
    let mut set = noli_scenes::grid_plane(1.0, 3);
    let single = set.triangles.len();
    for (count, shift) in [(70, 0.0), (90, 2.5)] {
        let start = set.vertices.len() as u32;
        set.vertices.extend(copies(1).vertices.iter().map(|v| *v + dvec3(shift, 0.0, 0.25)));
        set.triangles.extend((0..count).map(|_| [start, start + 1, start + 2]));
    }
    let all = set.triangles.len();
    let stack = model(set);
    let wall = model(noli_scenes::grid_plane(4.0, 5));
    let here = stack.at(Pose::IDENTITY);
    for k in 0..10 {
        let pose = Pose::new(upright(), dvec3(0.28 * f64::from(k) - 0.6, 0.05 * f64::from(k), 0.1));
        let there = wall.at(pose);
        let mut expected = Vec::new();
        let naive = |pair: &(u32, u32)| {
            let (a, b) = (stack.mesh().unwrap().triangle(pair.0), wall.mesh().unwrap().triangle(pair.1));
            noli_geom::naive::relation(&a, &b, &Pose::IDENTITY, &pose).overlaps()
        };
        for a in 0..all as u32 {
            expected.extend((0..wall.mesh().unwrap().triangle_count() as u32).map(|b| (a, b)).filter(naive));
        }
        let mut found: Vec<_> =
            intersections(&here, &there).iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{pose:?}");
    }
    let pairs = self_intersections(&stack).len();
    assert_eq!(pairs, 70 * 69 / 2 + 90 * 89 / 2, "copies coincide, nothing else does");
    let ray = Ray { origin: dvec3(0.2, 0.2, 1.0), direction: DVec3::NEG_Z };
    let hits = ray_cast(&here, &ray).unwrap();
    assert_eq!(hits.iter().filter(|h| h.triangle.unwrap() >= single as u32).count(), 70);
    let bytes = stack.store_tree();
    let again = Model::with_stored_tree(stack.mesh().unwrap(), &bytes).unwrap();
    assert_eq!(again.store_tree(), bytes);
    assert_eq!(count_intersections(&again.at(Pose::IDENTITY), &here), count_intersections(&here, &here));
}

#[test]
fn flat_meshes_touch_in_their_plane_and_cross_across_it() {
    let floor = model(noli_scenes::grid_plane(1.0, 10));
    let here = floor.at(Pose::IDENTITY);
    assert_eq!(both(&here, &floor.at(at(0.3, 0.1, 0.0))), Relation::Touching);
    assert_eq!(both(&here, &floor.at(at(2.0, 2.0, 0.0))), Relation::Touching);
    assert_eq!(both(&here, &floor.at(at(2.0f64.next_up(), 0.0, 0.0))), Relation::Separated);
    assert_eq!(both(&here, &floor.at(at(0.0, 0.0, 1e-300))), Relation::Separated);
    let wall = Pose::new(upright(), dvec3(0.05, 0.03, 0.07));
    assert_eq!(both(&here, &floor.at(wall)), Relation::Intersecting);
    let status = Pose::new(upright(), dvec3(0.05, 0.03, 1.0));
    assert_eq!(both(&here, &floor.at(status)), Relation::Touching);
    assert!(self_intersections(&floor).is_free());
}

#[test]
fn poses_that_are_none_are_answered() {
    let cube = model(noli_scenes::cuboid(DVec3::ONE));
    let solid = Model::new(cube.mesh().unwrap().clone().into_solid()).unwrap();
    let here = Pose::IDENTITY;
    let mut bad = Vec::new();
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e91, f64::MAX] {
        bad.extend([at(x, 0.0, 0.0), at(0.0, x, 0.0), at(0.0, 0.0, x)]);
    }
    for x in [f64::NAN, f64::INFINITY] {
        bad.extend([Pose::from_rotation(DQuat::from_xyzw(x, 0.0, 0.0, 1.0))]);
        bad.extend([Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, x))]);
    }
    bad.push(Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    for pose in bad {
        for model in [&cube, &solid] {
            let (a, b) = (model.at(here), model.at(pose));
            assert_eq!(both(&a, &b), Relation::Unknown, "{pose:?}");
            assert_eq!(both(&b, &b), Relation::Unknown);
            let found = intersections(&a, &b);
            assert!(found.is_empty() && found.completeness == Completeness::Partial);
            assert_eq!(locate_point(&b, DVec3::ZERO), Location::Unknown);
            let ray = Ray { origin: DVec3::ZERO, direction: DVec3::X };
            assert_eq!(ray_cast(&b, &ray), Err(RayError::Pose));
        }
    }
    assert_eq!(locate_point(&cube.at(here), DVec3::NAN), Location::Unknown);
    assert_eq!(locate_point(&cube.at(here), DVec3::INFINITY), Location::Unknown);
}

/// The same scene times a power of two, up to what coordinates may be.
#[test]
fn huge_and_tiny_scales_change_nothing() {
    let set = noli_scenes::bumpy_sphere(5, 0.3);
    let turn = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7);
    let shifts = [dvec3(0.4, 0.1, 0.2), dvec3(1.9, 0.3, 0.2), dvec3(2.4, 0.0, 0.0)];
    let scene = |factor: f64| {
        let model = Model::new(mesh(set.clone()).scaled(factor).unwrap().into_solid()).unwrap();
        shifts.map(|shift| {
            let there = model.at(Pose::new(turn, shift * factor));
            let here = model.at(Pose::IDENTITY);
            let gap = clearance(&here, &there);
            let bracket = (gap.distance.at_least / factor, gap.distance.at_most / factor);
            (both(&here, &there), count_intersections(&here, &there), bracket)
        })
    };
    let plain = scene(1.0);
    assert_eq!(plain.map(|p| p.0)[0], Relation::Intersecting);
    assert_eq!(plain.map(|p| p.0)[2], Relation::Separated);
    for exponent in [-290, -145, 145, 290] {
        assert_eq!(scene(2f64.powi(exponent)), plain, "2^{exponent}");
    }
}

/// Bodies of very different size.
#[test]
fn a_speck_beside_a_mountain() {
    let mountain = model(noli_scenes::cuboid(DVec3::ONE)).scaled(2f64.powi(280)).unwrap();
    let speck = model(noli_scenes::cuboid(DVec3::ONE)).scaled(2f64.powi(-280)).unwrap();
    let size = 2f64.powi(280);
    let context = |x: f64| both(&mountain.at(Pose::IDENTITY), &speck.at(at(x, 0.25 * size, 0.5 * size)));
    assert_eq!(context(size), Relation::Intersecting);
    assert_eq!(context(size.next_up()), Relation::Separated);
    assert_eq!(context(size.next_down()), Relation::Separated);
}

#[test]
fn faces_without_area_touch_but_never_cross() {
    let floor = model(faces(&[[dvec3(-1.0, -1.0, 0.0), dvec3(2.0, -1.0, 0.0), dvec3(-1.0, 2.0, 0.0)]]));
    let point = model(faces(&[[DVec3::ZERO; 3]]));
    let needle = model(faces(&[[DVec3::NEG_Z, DVec3::ZERO, DVec3::Z]]));
    let hair = model(faces(&[[DVec3::NEG_Z, DVec3::Z, DVec3::Z]]));
    let here = Pose::IDENTITY;
    for thin in [&point, &needle, &hair] {
        assert_eq!(both(&floor.at(here), &thin.at(here)), Relation::Touching);
        assert_eq!(both(&floor.at(here), &thin.at(at(0.5, 0.5, 0.0))), Relation::Touching); // on the edge
        assert_eq!(both(&floor.at(here), &thin.at(at(0.5, 0.5f64.next_up(), 0.0))), Relation::Separated);
        assert_eq!(both(&thin.at(here), &thin.at(here)), Relation::Touching);
        assert_eq!(both(&thin.at(here), &thin.at(at(1e-300, 0.0, 0.0))), Relation::Separated);
        assert!(self_intersections(thin).is_free());
    }
    assert_eq!(both(&floor.at(here), &needle.at(at(0.0, 0.0, 1.0))), Relation::Touching);
    assert_eq!(both(&floor.at(here), &needle.at(at(0.0, 0.0, 1.0f64.next_up()))), Relation::Separated);
    let hits =
        ray_cast(&needle.at(here), &Ray { origin: dvec3(-1.0, 0.0, 0.5), direction: DVec3::X }).unwrap();
    assert_eq!(hits.items, [RayHit { triangle: Some(0), part: None, t: 1.0, side: RaySide::Grazing }]);
}

/// A mesh of nothing but zero-area faces, and one with some among real ones.
#[test]
fn needles_among_faces_change_no_answer() {
    let sphere = noli_scenes::geodesic(3);
    let mut spoiled = sphere.clone();
    for t in 0..60 {
        let [a, b, _] = sphere.triangles[t];
        spoiled.triangles.push([a, b, b]);
        spoiled.triangles.push([a, a, a]);
    }
    let (clean, spoiled) = (model(sphere), model(spoiled));
    for shift in [0.5, 1.0, 1.9, 2.1] {
        let there = at(shift, 0.1, 0.2);
        let expected = both(&clean.at(Pose::IDENTITY), &clean.at(there));
        assert_eq!(both(&spoiled.at(Pose::IDENTITY), &spoiled.at(there)), expected);
    }
    assert!(self_intersections(&spoiled).is_free());
    let needles =
        model(TriangleSet { triangles: vec![[0, 1, 1], [1, 2, 1], [2, 2, 2]], ..noli_scenes::tetrahedron() });
    assert_eq!(both(&needles.at(Pose::IDENTITY), &needles.at(Pose::IDENTITY)), Relation::Touching);
}

/// Ten million body sizes away: the clearance is one step of the numbers there.
#[test]
fn far_from_the_origin_single_steps_are_seen() {
    let (far, step) = (2f64.powi(24), 2f64.powi(24 - 52));
    let cube = model(noli_scenes::cuboid(DVec3::ONE).map_vertices(|v| v + dvec3(far, -far, far)));
    let here = cube.at(Pose::IDENTITY);
    assert_eq!(both(&here, &cube.at(at(2.0, 0.0, 0.0))), Relation::Touching);
    assert_eq!(both(&here, &cube.at(at(2.0 + step, 0.0, 0.0))), Relation::Separated);
    assert_eq!(both(&here, &cube.at(at(2.0 - step, 0.1, 0.1))), Relation::Intersecting);
    // The same by pose.
    let near = model(noli_scenes::cuboid(DVec3::ONE));
    let one = near.at(at(far, far, far));
    assert_eq!(both(&one, &near.at(at(far + 2.0, far, far))), Relation::Touching);
    assert_eq!(both(&one, &near.at(at(far + 2.0 + step, far, far))), Relation::Separated);
    let ray = Ray { origin: dvec3(0.0, far, far), direction: DVec3::X };
    assert_eq!(ray_cast(&one, &ray).unwrap().first().map(|h| h.t), Some(far - 1.0));
}

/// At the largest coordinates a mesh may have.
#[test]
fn the_largest_coordinates_are_answered() {
    let size = 2f64.powi(299);
    let cube = model(noli_scenes::cuboid(DVec3::ONE)).scaled(size).unwrap();
    let (one, other) = (cube.at(at(-size, 0.0, 0.0)), cube.at(at(size, 0.0, 0.0)));
    assert_eq!(both(&one, &other), Relation::Touching);
    let beside = cube.at(at(size.next_up(), 0.0, 0.0));
    assert_eq!(both(&one, &beside), Relation::Separated);
    assert!(cube.scaled(4.0).is_err());
}
