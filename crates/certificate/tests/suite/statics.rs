//! Bodies at rest.

use crate::checker::check;
use glam::{DVec3, dvec3};
use noli::{Convex, Mesh, Model, Pose};
use noli_certificate::{Certificate, ProofError, Region, Scene, Statement};
use noli_geom::random::SplitMix64;

pub(crate) fn pair(a: &Model, at_a: Pose, b: &Model, at_b: Pose) -> Certificate {
    let mut scene = Scene::default();
    scene.add_body("a", 0, a, at_a, 0.0).unwrap();
    scene.add_body("b", 0, b, at_b, 0.0).unwrap();
    Certificate::new(scene)
}

fn here() -> Region {
    Region::At(Vec::new())
}

fn torus() -> Mesh {
    Mesh::torus(1.0, 0.25, 24, 12).unwrap()
}

fn primitives() -> Vec<Model> {
    [
        Convex::cuboid(dvec3(1.0, 0.5, 0.75)),
        Convex::sphere(0.5),
        Convex::capsule(1.0, 0.25),
        Convex::cylinder(1.0, 0.375),
    ]
    .map(|convex| Model::new(convex.unwrap()).unwrap())
    .to_vec()
}

#[test]
fn random_pairs_are_proven_as_the_engine_decides() {
    let solid = Model::new(torus().into_solid()).unwrap();
    let mut models = primitives();
    models.extend([solid, Model::new(torus()).unwrap()]);
    let mut random = SplitMix64::new(7);
    let (mut separated, mut colliding, mut grazing) = (0, 0, 0);
    for a in &models {
        for b in &models {
            for _ in 0..3 {
                let away = random.direction() * random.between(0.3, 2.4);
                let [at_a, at_b] =
                    [Pose::from_rotation(random.rotation()), Pose::new(random.rotation(), away)];
                let free = noli::overlap(&a.at(at_a), &b.at(at_b)) == noli::Overlap::Free;
                let mut certificate = pair(a, at_a, b, at_b);
                let both = vec![[0, 1]];
                let refused = if free {
                    certificate.prove(Statement::separated(both.clone(), here())).unwrap();
                    separated += 1;
                    certificate.prove(Statement::colliding(both, here()))
                } else {
                    let proven = certificate.prove(Statement::colliding(both.clone(), here()));
                    // A grazing contact may have no witness that rounding leaves standing.
                    if matches!(proven, Err(ProofError::TooClose { .. })) {
                        grazing += 1;
                        continue;
                    }
                    proven.unwrap();
                    colliding += 1;
                    certificate.prove(Statement::separated(both, here()))
                };
                assert!(matches!(refused, Err(ProofError::False { .. })), "{refused:?}");
                assert_eq!(check(&certificate.to_bytes()), Ok(()));
            }
        }
    }
    assert!(separated > 20 && colliding > 20 && grazing <= 1, "{separated} {colliding} {grazing}");
}

#[test]
fn clearance_is_proven_up_to_a_millionth() {
    let model = Model::new(torus()).unwrap();
    let pose = Pose::new(SplitMix64::new(3).rotation(), dvec3(2.4, 0.6, 0.5));
    let distance = noli::clearance(&model.at(Pose::IDENTITY), &model.at(pose)).distance;
    let mut certificate = pair(&model, Pose::IDENTITY, &model, pose);
    let statement = |clearance| Statement { clearance, ..Statement::separated(vec![[0, 1]], here()) };
    certificate.prove(statement(distance.at_least * (1.0 - 1e-6))).unwrap();
    let beyond = certificate.prove(statement(distance.at_most * (1.0 + 1e-6)));
    assert!(matches!(beyond, Err(ProofError::False { .. })));
    assert_eq!(check(&certificate.to_bytes()), Ok(()));
    assert!(certificate.to_bytes().len() < 200_000);
}

#[test]
fn a_part_in_a_hollow_solid_is_inside_or_outside() {
    let cube = |size: f64| Mesh::cuboid(DVec3::splat(size)).unwrap();
    let shell = |size: f64, hollow: f64| {
        let (outer, inner) = (cube(size), cube(hollow));
        let count = outer.vertices().len() as u32;
        let vertices = [outer.vertices(), inner.vertices()].concat();
        let turned = inner.triangles().iter().map(|&[a, b, c]| [a + count, c + count, b + count]);
        let triangles = outer.triangles().iter().copied().chain(turned).collect();
        Mesh::from_triangles(vertices, triangles, &Default::default()).unwrap().into_solid()
    };
    let [case, small] = [shell(4.0, 3.0), cube(1.0).into_solid()].map(|mesh| Model::new(mesh).unwrap());
    let mut hidden = pair(&small, Pose::IDENTITY, &case, Pose::IDENTITY);
    hidden.prove(Statement::separated(vec![[0, 1]], here())).unwrap();
    assert!(hidden.prove(Statement::inside(vec![[0, 1]], here())).is_err());
    assert_eq!(check(&hidden.to_bytes()), Ok(()));

    let full = Model::new(cube(4.0).into_solid()).unwrap();
    let mut inside = pair(&small, Pose::from_translation(dvec3(0.5, 0.25, 0.0)), &full, Pose::IDENTITY);
    inside.prove(Statement::inside(vec![[0, 1]], here())).unwrap();
    inside.prove(Statement::colliding(vec![[0, 1]], here())).unwrap();
    assert!(matches!(
        inside.prove(Statement::separated(vec![[0, 1]], here())),
        Err(ProofError::False { .. })
    ));
    assert_eq!(check(&inside.to_bytes()), Ok(()));
}

#[test]
fn unsupported_bodies_are_named() {
    let cone = Model::new(Convex::cone(1.0, 1.0).unwrap()).unwrap();
    let mut scene = Scene::default();
    let refused = scene.add_body("cone", 0, &cone, Pose::IDENTITY, 0.0);
    assert_eq!(refused, Err(ProofError::Shape { name: "cone".to_owned() }));
    let hull = Convex::hull([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    assert!(scene.add_body("hull", 0, &Model::new(hull).unwrap(), Pose::IDENTITY, 0.0).is_ok());
}

#[test]
fn bodies_that_touch_have_a_common_point() {
    let cube = Model::new(Mesh::cuboid(DVec3::ONE).unwrap().into_solid()).unwrap();
    let bar = Model::new(Mesh::cuboid(dvec3(5.0, 0.5, 0.5)).unwrap().into_solid()).unwrap();
    let turned = Pose::new(glam::DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0), dvec3(0.0, 0.0, 0.5));
    for (a, b, pose) in [
        // Face on face, edge on edge, vertex on vertex, crossing bars, a turned cube on a face.
        (&cube, &cube, Pose::from_translation(dvec3(1.0, 0.25, 0.125))),
        (&cube, &cube, Pose::from_translation(dvec3(1.0, 1.0, 0.25))),
        (&cube, &cube, Pose::from_translation(DVec3::ONE)),
        (&bar, &bar, turned),
        (&cube, &cube, Pose::new(glam::DQuat::from_xyzw(1.0, 0.0, 0.0, 3.0), dvec3(1.0, 0.0, 0.0))),
    ] {
        let mut scene = Scene::default();
        let first = scene.add_body("a", 0, a, Pose::IDENTITY, 0.0).unwrap();
        let second = scene.add_body("b", 0, b, pose, 0.0).unwrap();
        assert_eq!(noli::overlap(&a.at(Pose::IDENTITY), &b.at(pose)), noli::Overlap::Hit);
        let mut certificate = Certificate::new(scene);
        certificate
            .prove(Statement::colliding(vec![[first, second]], Region::At(Vec::new())))
            .unwrap_or_else(|error| panic!("{pose:?}: {error}"));
        let bytes = certificate.to_bytes();
        assert_eq!(check(&bytes), Ok(()));
        assert_eq!(noli_verify::check(&bytes, &noli_verify::Options::default()).error, None);
    }
}

/// A body is contained in a solid exactly if all of its surface is: none of both statements may have a proof where the
/// engine finds the other one.
#[test]
fn bodies_are_inside_or_have_a_point_outside() {
    let solid = Model::new(torus().into_solid()).unwrap();
    let mut small = primitives();
    small.push(Model::new(Mesh::torus(0.08, 0.02, 12, 8).unwrap()).unwrap());
    small.push(Model::new(Mesh::cuboid(dvec3(0.1, 0.1, 0.1)).unwrap().into_solid()).unwrap());
    small.push(Model::new(Convex::sphere(0.05).unwrap()).unwrap());
    let mut random = SplitMix64::new(17);
    let (mut inside, mut outside) = (0, 0);
    for model in &small {
        for _ in 0..12 {
            let angle = random.between(0.0, std::f64::consts::TAU);
            let at = dvec3(angle.cos(), angle.sin(), 0.0) + random.direction() * random.between(0.0, 0.3);
            let pose = Pose::new(random.rotation(), at);
            let mut certificate = pair(model, pose, &solid, Pose::IDENTITY);
            let contained = certificate.prove(Statement::inside(vec![[0, 1]], here())).is_ok();
            let not = certificate.prove(Statement::not_inside(vec![[0, 1]], here())).is_ok();
            assert!(!(contained && not), "{at}");
            (inside, outside) = (inside + usize::from(contained), outside + usize::from(not));
            if contained || not {
                let bytes = certificate.to_bytes();
                assert_eq!(check(&bytes), Ok(()));
                assert_eq!(noli_verify::check(&bytes, &noli_verify::Options::default()).error, None);
                // A point outside is no proof of containment.
                if not {
                    let claim = b"\x6anot inside";
                    let at = bytes.windows(claim.len()).position(|part| part == claim).unwrap();
                    let changed = [&bytes[..at], b"\x66inside", &bytes[at + claim.len()..]].concat();
                    assert!(check(&changed).is_err());
                    assert!(noli_verify::check(&changed, &noli_verify::Options::default()).error.is_some());
                }
            }
        }
    }
    assert!(inside > 5 && outside > 20, "{inside} {outside}");
}
