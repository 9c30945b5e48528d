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

/// A header in CBOR with one statement and further entries; every text is shorter than 24 bytes.
fn header(clearance: &[u8], further: u8) -> Vec<u8> {
    let text = |text: &str| [&[0x60 | text.len() as u8], text.as_bytes()].concat();
    let entry = |key: &str, value: &[u8]| [&text(key)[..], value].concat();
    let region = [&[0xa1][..], &entry("at", &[0x80])].concat();
    let statement = [
        &[0x81, 0xa4][..],
        &entry("claim", &text("separated")),
        &entry("pairs", &[0x80]),
        &entry("region", &region),
        &entry("clearance", clearance),
    ]
    .concat();
    let mut header = vec![0xb8, 6 + further];
    for (key, value) in [("generator", text("hand")), ("units", text("m")), ("statements", statement)] {
        header.extend(entry(key, &value));
    }
    ["sources", "bodies", "links"].iter().for_each(|key| header.extend(entry(key, &[0x80])));
    (0..further).for_each(|k| header.extend(entry(&format!("more {k}"), &[0])));
    header
}

/// As the checker refuses them: nothing is read of a certificate that it would not have accepted.
#[test]
fn integers_and_maps_beyond_those_of_certificates_are_refused() {
    let read = |clearance: &[u8], further: u8| Contents::read(&header(clearance, further));
    assert_eq!(
        read(&[0x1b, 0x7f, 255, 255, 255, 255, 255, 255, 255], 0).unwrap().statements[0].clearance,
        2f64.powi(63)
    );
    assert!(read(&[0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0], 0).is_err(), "2^63 is no negative number");
    assert!(read(&[0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0], 0).is_err(), "and -2^63 - 1 no positive one");
    assert!(read(&[0xf9, 0x7c, 0], 0).is_err(), "infinity is no number");
    assert!(read(&[0], 58).is_ok());
    assert!(read(&[0], 59).is_err(), "65 keys");
}
