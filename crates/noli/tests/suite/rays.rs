//! Rays against every face one by one, and through edges and vertices.

use glam::{DQuat, DVec3, dvec3};
use noli::answer::*;
use noli::model::*;
use noli::query::*;
use noli::*;
use noli_geom::{PairFrame, Relation as FaceRelation, RelativePose, TrianglePair, naive};
use noli_scenes::{SplitMix64, TriangleSet};

fn model(set: TriangleSet) -> Model {
    Model::new(Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap()).unwrap()
}

/// The faces that a segment of the ray, long enough and exact, meets by clipping in integers.
fn all_faces(body: &Placed<'_>, ray: &Ray) -> Vec<u32> {
    let (mesh, from_ray) = (body.model.mesh().unwrap(), Pose::from_translation(ray.origin));
    let end = ray.direction * 1024.0;
    let segment = Triangle::new(DVec3::ZERO, end, end);
    let meets = |&t: &u32| {
        naive::relation(&mesh.triangle(t), &segment, &body.world_from_self, &from_ray)
            != FaceRelation::Separated
    };
    (0..mesh.triangle_count() as u32).filter(meets).collect()
}

fn check(body: &Placed<'_>, ray: &Ray) -> Vec<RayHit> {
    let hits = ray_cast(body, ray).unwrap();
    assert_eq!(hits.completeness, Completeness::Complete);
    let mut faces: Vec<u32> = hits.iter().map(|h| h.triangle.unwrap()).collect();
    faces.sort_unstable();
    assert_eq!(faces, all_faces(body, ray), "{ray:?}");
    assert!(hits.is_sorted_by_key(|h| (h.t, h.triangle)));
    for hit in hits.iter() {
        let at = ray.origin + ray.direction * hit.t;
        let here = body.world_from_self.inverse().transform_point(at);
        let face = body.model.mesh().unwrap().triangle(hit.triangle.unwrap());
        let normal = face.doubled_area_vector().normalize_or_zero();
        let height = (here - face.vertices[0]).dot(normal);
        assert!(height.abs() < 1e-10, "{height} {hit:?}");
        if hit.side != RaySide::Grazing {
            let slope = body.world_from_self.transform_vector(normal).dot(ray.direction.normalize());
            let front = hit.side == RaySide::Front;
            assert!(slope.abs() < 1e-9 || front == (slope < 0.0));
        }
    }
    hits.items
}

#[test]
fn random_rays_agree_with_all_faces() {
    let model = model(noli_scenes::bumpy_sphere(5, 0.3));
    let mut rng = SplitMix64::new(4);
    let mut total = 0;
    for _ in 0..150 {
        let pose = Pose::new(rng.rotation(), rng.direction());
        let length = 10f64.powf(rng.between(-1.0, 1.0));
        let ray =
            Ray { origin: rng.direction() * rng.between(0.0, 3.0), direction: rng.direction() * length };
        total += check(&model.at(pose), &ray).len();
    }
    assert!(total > 40, "{total}");
}

/// Aimed at vertices and edge midpoints from grid points: a closed mesh is never slipped through.
#[test]
fn rays_through_vertices_and_edges_are_never_lost() {
    for set in [noli_scenes::cuboid(DVec3::ONE), noli_scenes::tetrahedron()] {
        let model = model(set);
        let body = model.at(Pose::IDENTITY);
        let vertices = model.mesh().unwrap().vertices();
        for (i, &p) in vertices.iter().enumerate() {
            let origin = dvec3(5.0, -3.0, 4.0);
            let hits = check(&body, &Ray { origin, direction: p - origin });
            assert!(hits.iter().any(|h| h.t == 1.0), "{p}");
            for &q in vertices[i..].iter().filter(|&&q| q != -p) {
                let from_inside = check(&body, &Ray { origin: DVec3::ZERO, direction: p + q });
                assert!(!from_inside.is_empty(), "{p} {q}");
            }
        }
    }
}

#[test]
fn rays_through_turned_vertices_agree_with_all_faces() {
    let model = model(noli_scenes::geodesic(2));
    let turn = Pose::new(DQuat::from_xyzw(0.1, 0.7, -0.2, 0.5), dvec3(0.3, 0.2, 0.1));
    for &v in model.mesh().unwrap().vertices() {
        let origin = dvec3(0.5, 0.3, 0.25); // inside
        let hits = check(&model.at(turn), &Ray { origin, direction: turn.transform_point(v) - origin });
        assert!(!hits.is_empty());
    }
}

#[test]
fn grazing_rays_report_where_they_enter() {
    let model = model(noli_scenes::grid_plane(1.0, 2));
    let ray = Ray { origin: dvec3(-3.0, 0.25, 0.0), direction: dvec3(0.5, 0.0, 0.0) };
    let hits = check(&model.at(Pose::IDENTITY), &ray);
    assert_eq!(hits.len(), 4);
    assert!(hits.iter().all(|h| h.side == RaySide::Grazing));
    assert_eq!(hits[0].t, 4.0);
}

#[test]
fn an_origin_on_a_face_hits_it_at_zero() {
    let model = model(noli_scenes::cuboid(DVec3::ONE));
    for direction in [DVec3::X, DVec3::NEG_X] {
        let hits = check(&model.at(Pose::IDENTITY), &Ray { origin: dvec3(1.0, 0.25, 0.5), direction });
        assert_eq!(hits[0].t, 0.0);
        let side = if direction == DVec3::X { RaySide::Back } else { RaySide::Front };
        assert_eq!(hits[0].side, side);
    }
}

/// A power of two changes nothing but `t`.
#[test]
fn scale_does_not_matter() {
    let set = noli_scenes::bumpy_sphere(4, 1.1);
    let ray = Ray { origin: dvec3(-3.0, 0.01, 0.02), direction: dvec3(1.0, 0.003, -0.01) };
    let plain = ray_cast(&model(set.clone()).at(Pose::IDENTITY), &ray).unwrap();
    assert!(plain.len() >= 2);
    for exponent in [-290, -60, 60, 290] {
        let factor = 2f64.powi(exponent);
        let model = model(set.clone()).scaled(factor).unwrap();
        let body = model.at(Pose::IDENTITY);
        let moved = Ray { origin: ray.origin * factor, direction: ray.direction * factor };
        assert_eq!(ray_cast(&body, &moved).unwrap(), plain);
        let hits = ray_cast(&body, &Ray { origin: ray.origin * factor, ..ray }).unwrap();
        let times: Vec<f64> = hits.iter().map(|h| h.t / factor).collect();
        assert_eq!(times, plain.iter().map(|h| h.t).collect::<Vec<_>>());
    }
}

/// Shortening this ray would lose its second component.
#[test]
fn lopsided_directions_stay_exact() {
    let floor = TriangleSet {
        vertices: vec![dvec3(0.0, 0.0, -1.0), dvec3(1.0, 0.0, 1.0), dvec3(1.0, 0.0, -1.0)],
        triangles: vec![[0, 1, 2]],
    };
    let model = model(floor);
    let ray = |y: f64| Ray { origin: dvec3(-1.0, 0.0, -0.5), direction: dvec3(1e80, y, 0.0) };
    let hits = |y| ray_cast(&model.at(Pose::IDENTITY), &ray(y)).unwrap().len();
    assert_eq!((hits(0.0), hits(1e-300), hits(-1e-300)), (1, 0, 0));
}

#[test]
fn until_and_budget_limit() {
    let model = model(noli_scenes::bumpy_sphere(8, 0.3));
    let body = model.at(Pose::IDENTITY);
    let ray = Ray { origin: dvec3(-3.0, 0.01, 0.02), direction: DVec3::X };
    let all = ray_cast(&body, &ray).unwrap();
    let (mut scratch, mut hits) = (Scratch::default(), Vec::new());
    for until in [0.0, 1.0, 3.0, f64::NEG_INFINITY, 1e300] {
        let found = QueryContext::new(&mut scratch).ray_cast(&body, &ray, &RayQuery { until }, &mut hits);
        assert_eq!(found, Ok(Completeness::Complete));
        assert_eq!(hits, all.iter().filter(|h| h.t <= until).copied().collect::<Vec<_>>());
    }
    let query = RayQuery { until: f64::NAN };
    assert_eq!(
        QueryContext::new(&mut scratch).ray_cast(&body, &ray, &query, &mut hits),
        Ok(Completeness::Complete)
    );
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(2));
    assert_eq!(context.ray_cast(&body, &ray, &RayQuery::default(), &mut hits), Ok(Completeness::Partial));
    assert!(hits.iter().all(|hit| all.contains(hit)), "what was told is true");
}

#[test]
fn bad_input_is_named() {
    let model = model(noli_scenes::tetrahedron());
    let context = |origin, direction, pose| ray_cast(&model.at(pose), &Ray { origin, direction });
    let here = Pose::IDENTITY;
    assert_eq!(context(DVec3::NAN, DVec3::X, here), Err(RayError::Origin));
    assert_eq!(context(dvec3(1e200, 0.0, 0.0), DVec3::X, here), Err(RayError::Origin));
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::X * 1e200, DVec3::X * 1e-200] {
        assert_eq!(context(DVec3::ZERO, direction, here), Err(RayError::Direction));
    }
    let nowhere = Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(context(DVec3::ZERO, DVec3::X, nowhere), Err(RayError::Pose));
    let empty = Model::new(Mesh::empty()).unwrap();
    assert!(ray_cast(&empty.at(here), &Ray { origin: DVec3::ZERO, direction: DVec3::X }).unwrap().is_free());
}

/// The parameter is good to its last digits even where the plane is almost missed.
#[test]
fn parameters_are_accurate_at_shallow_angles() {
    let floor = Triangle::new(dvec3(-1e3, 0.0, -1e3), dvec3(1e3, 0.0, -1e3), dvec3(0.0, 0.0, 1e3));
    let frame = PairFrame::new(&RelativePose::identity());
    for k in 1..50 {
        // Falls from 2^-k to -2^-k: crosses in the middle, whatever else.
        let height = 2f64.powi(-k);
        let edge = Triangle::new(dvec3(-1.0, height, 0.0), dvec3(1.0, -height, 0.0), DVec3::ZERO);
        let path_clearance = TrianglePair::new(&floor, &edge, &frame).edge_of_b_meets_a(0).unwrap();
        assert_eq!((path_clearance.at, path_clearance.from.abs()), (0.5, 1));
        let path_clearance = TrianglePair::new(&edge, &floor, &frame).edge_of_a_meets_b(0).unwrap();
        assert_eq!(path_clearance.at, 0.5);
    }
}
