//! Methods as pair tests of a world.

use glam::{DVec3, dvec3};
use noli::world::CheckOptions;
use noli::{Budget, Convex, Guarantee, Mesh, Model, Pose, Shape, World};
use noli_classics::PairMethod;
use noli_scenes::{SplitMix64, TriangleSet};

fn mesh(set: TriangleSet) -> Mesh {
    Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap()
}

/// Solids, surfaces, round bodies and a body without faces.
fn models() -> Vec<Model> {
    let cube = mesh(noli_scenes::cuboid(DVec3::splat(0.5)));
    vec![
        Model::from(cube.clone().into_solid()),
        Model::from(cube),
        Model::from(mesh(noli_scenes::torus(0.6, 0.2, 12, 8)).into_solid()),
        Model::from(Convex::sphere(0.6).unwrap()),
        Model::from(Convex::cylinder(1.0, 0.4).unwrap()),
        Model::from(mesh(TriangleSet::default())),
    ]
}

/// On a floor, on a coarse grid with and without turns, so that many just touch.
fn assembly() -> World {
    let (mut random, models, mut world) = (SplitMix64::new(5), models(), World::default());
    let floor = Model::new(Shape::HalfSpace).unwrap();
    world.add("floor", &floor, Pose::from_translation(DVec3::Z * -0.5)).unwrap();
    for k in 0..24 {
        let mut whole = |count: u64| (random.next_u64() % count) as f64;
        let place = dvec3(whole(7), whole(7), whole(3)) * 0.5;
        let turned = whole(2) == 1.0;
        let pose = if turned { Pose::new(random.rotation(), place) } else { Pose::from_translation(place) };
        world.add(format!("{k}"), &models[k % models.len()], pose).unwrap();
    }
    world
}

#[test]
fn every_method_agrees_and_is_heard() {
    let world = assembly();
    let whole = world.check(&CheckOptions::default()).unwrap();
    let meeting = whole.findings.iter().filter(|finding| finding.status.meets()).count();
    assert!(meeting > 10 && meeting < whole.findings.len(), "{meeting} of {}", whole.findings.len());
    for method in PairMethod::ALL {
        let (mut findings, mut test) = (whole.findings.clone(), method.for_world(&world));
        let hits = world.cross_check(&mut findings, &mut test, &Budget::UNLIMITED).unwrap();
        if method.guarantee() == Guarantee::Exact {
            assert_eq!((hits, &findings), (meeting, &whole.findings), "{method}");
        } else {
            assert!(hits >= meeting, "{method}");
        }
    }
}
