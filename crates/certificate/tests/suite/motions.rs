//! Rigid motions.

use crate::checker::check;
use glam::{DQuat, DVec3, dvec3};
use noli::motion::{RigidMotion, Still};
use noli::{Impact, Mesh, Model, Pose, time_of_impact};
use noli_certificate::{Certificate, ProofError, RigidPath, Scene, Statement};

fn models() -> [Model; 2] {
    [Mesh::torus(1.0, 0.25, 16, 8), Mesh::cuboid(dvec3(0.4, 0.3, 1.5))]
        .map(|mesh| Model::new(mesh.unwrap().into_solid()).unwrap())
}

#[test]
fn motions_are_free_as_the_engine_decides() {
    let [ring, peg] = models();
    let start = Pose::from_translation(dvec3(0.1, 0.0, -2.0));
    // Through the ring, and into it.
    let through = Pose::new(DQuat::from_rotation_z(1.5), dvec3(-0.1, 0.0, 2.0));
    let into = Pose::new(DQuat::from_rotation_x(1.5), dvec3(0.0, 1.0, 2.0));
    for (end, free) in [(through, true), (into, false)] {
        let motion = RigidMotion::between(&start, &end, DVec3::ZERO);
        let impact = time_of_impact(&ring.moving(&Still::default()), &peg.moving(&motion));
        assert_eq!(matches!(impact, Impact::Free), free);
        let mut scene = Scene::default();
        let fixed = scene.add_body("ring", 0, &ring, Pose::IDENTITY, 0.0).unwrap();
        let path = RigidPath::between(&start, &end, DVec3::ZERO);
        let moving = scene.add_motion("peg", &peg, &path, 0.01).unwrap();
        let region = scene.along(&[&moving]);
        let mut certificate = Certificate::new(scene);
        let statement =
            Statement { complete: true, ..Statement::separated(vec![[fixed, moving.body]], region) };
        match certificate.prove(statement) {
            Ok(size) => {
                assert!(free && size.leaves > 1);
                assert_eq!(check(&certificate.to_bytes()), Ok(()));
            }
            Err(ProofError::False { .. }) => assert!(!free),
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn screws_and_two_moving_bodies() {
    let [ring, peg] = models();
    let mut scene = Scene::default();
    let screw = RigidPath::screw(&Pose::IDENTITY, dvec3(0.0, 0.0, 1.0), DVec3::Z, 3.0, 0.5);
    let slide = RigidPath::with_velocities(
        &Pose::from_translation(dvec3(0.0, 0.0, -2.0)),
        DVec3::Z,
        DVec3::ZERO,
        DVec3::X,
    );
    let moving = [
        scene.add_motion("ring", &ring, &screw, 0.0).unwrap(),
        scene.add_motion("peg", &peg, &slide, 0.0).unwrap(),
    ];
    let region = scene.along(&[&moving[0], &moving[1]]);
    let pair = vec![[moving[0].body, moving[1].body]];
    let mut certificate = Certificate::new(scene);
    certificate.prove(Statement::separated(pair, region)).unwrap();
    assert_eq!(check(&certificate.to_bytes()), Ok(()));
}
