//! Faces without area in a mesh: their relation is the one the exact test gives.

use crate::common::{brute_meetings, model, strongest};
use glam::{DVec3, dvec3};
use noli::{Mesh, Model, Pose, Relation, intersections, relation};
use noli_geom::Relation as FaceRelation;

fn single(vertices: [DVec3; 3]) -> Model {
    model(&Mesh::from_triangles(vertices.to_vec(), vec![[0, 1, 2]], &Default::default()).expect("valid"))
}

/// A segment through the middle of a face has no interior to cross with: it touches. The packed filter,
/// certain of the common point, called it an intersection.
#[test]
fn a_segment_through_a_face_touches() {
    let face = single([DVec3::ZERO, DVec3::X, DVec3::Y]);
    let (low, high) = (dvec3(0.25, 0.25, -1.0), dvec3(0.25, 0.25, 1.0));
    for vertices in
        [[low, high, high], [low, low, high], [low, high, low], [low, dvec3(0.25, 0.25, 0.5), high]]
    {
        let needle = single(vertices);
        let (a, b) = (face.at(Pose::IDENTITY), needle.at(Pose::IDENTITY));
        assert_eq!(strongest(&brute_meetings(&a, &b)), FaceRelation::Touching);
        assert_eq!(relation(&a, &b), Relation::Touching);
        assert!(
            intersections(&a, &b).iter().all(|intersection| intersection.relation == FaceRelation::Touching)
        );
    }
}

/// The thinnest triangle that still has an area does cross.
#[test]
fn a_sliver_through_a_face_crosses() {
    let face = single([DVec3::ZERO, DVec3::X, DVec3::Y]);
    let sliver =
        single([dvec3(0.25, 0.25, -1.0), dvec3(0.25f64.next_up(), 0.25, 1.0), dvec3(0.25, 0.25, 1.0)]);
    let (a, b) = (face.at(Pose::IDENTITY), sliver.at(Pose::IDENTITY));
    assert_eq!(strongest(&brute_meetings(&a, &b)), FaceRelation::Intersecting);
    assert_eq!(relation(&a, &b), Relation::Intersecting);
}
