//! What a certificate states can be read back.

use glam::dvec3;
use noli::{Convex, Model, Pose};
use noli_certificate::{Certificate, Contents, Region, RigidPath, Scene, Source, Statement};
use noli_geom::random::SplitMix64;

#[test]
fn statements_are_read_back_and_bad_files_are_refused() {
    let sphere = Model::new(Convex::sphere(0.5).unwrap()).unwrap();
    let mut scene = Scene::default();
    let fixed = scene.add_body("fixed", 0, &sphere, Pose::IDENTITY, 0.25).unwrap();
    let start = Pose::from_translation(dvec3(3.0, 0.0, 0.0));
    let path = RigidPath::screw(&start, dvec3(0.0, 0.0, 0.0), dvec3(0.0, 0.0, 1.0), 1.0, 0.1);
    let moving = scene.add_motion("moving", &sphere, &path, 0.0).unwrap();
    let along = scene.along(&[&moving]);
    let mut certificate = Certificate::new(scene);
    certificate.add_source(Source::new("sphere.stl", "mesh", b"solid"));
    let pair = vec![[fixed, moving.body]];
    let path = Statement {
        title: "a screw".to_owned(),
        clearance: 0.1,
        complete: true,
        ..Statement::separated(pair.clone(), along)
    };
    let inside = Region::Box(vec![Some([0.0, 0.1]), Some([-1.0, 1.0])]);
    let ranges =
        Statement { disabled: vec![([1, 0], "why".to_owned())], ..Statement::separated(pair, inside) };
    for statement in [&path, &ranges] {
        certificate.prove(statement.clone()).unwrap();
    }
    let mut packed = Vec::new();
    certificate.write_compressed(&mut packed).unwrap();
    let plain = certificate.to_bytes();
    let contents = Contents::read(&packed).unwrap();
    assert_eq!(Contents::read(&plain), Ok(contents.clone()));
    assert_eq!(contents.statements, [path, ranges]);
    assert_eq!(
        (&contents.bodies[..], &contents.paddings[..]),
        (&["fixed", "moving"].map(String::from)[..], &[0.25, 0.0][..])
    );
    assert_eq!((contents.joints.len(), contents.sources[0].name.as_str()), (2, "sphere.stl"));

    let mut random = SplitMix64::new(5);
    for _ in 0..2000 {
        let mut changed = plain.clone();
        let at = random.below(changed.len());
        changed[at] = random.below(256) as u8;
        changed.truncate(random.below(plain.len()) + 1);
        // No panic, whatever it holds.
        let _ = Contents::read(&changed);
    }
    assert!(Contents::read(b"").is_err() && Contents::read(b"\x1f\x8b\x00").is_err());
}
