//! The quick search against the plain one, and both against samples, on random motions of bodies of all kinds.

use glam::{DQuat, DVec3, dvec3};
use noli::answer::Location;
use noli::{Convex, Mesh, Model, Pose};
use noli_geom::{KeyFrames, Turning};
use noli_sweep::{SweepOptions, SweptBody, SweptVolume, sweep, sweep_plain};
use noli_testing::Random;

fn random_motion(random: &mut Random) -> KeyFrames {
    let mut pose = || {
        let turn = DQuat::from_scaled_axis(random.in_sphere() * 2.0);
        Pose::new(turn, random.in_sphere() * 0.7)
    };
    let keys: Vec<(f64, Pose)> = [0.0, 0.4, 1.0].into_iter().map(|time| (time, pose())).collect();
    KeyFrames::new(&keys, DVec3::ZERO, Turning::default()).unwrap()
}

/// One of each kind: with a closed form, with faces, and for the engine alone.
fn bodies() -> Vec<(&'static str, Model)> {
    let convex = |convex: Convex| Model::new(convex).unwrap();
    let two = [
        (Pose::IDENTITY, noli::Shape::from(Convex::sphere(0.1).unwrap())),
        (Pose::from_translation(dvec3(0.3, 0.0, 0.1)), Convex::cuboid(dvec3(0.1, 0.3, 0.1)).unwrap().into()),
    ];
    // Two cubes in one mesh, which wind around their common part twice.
    let cube = Mesh::cuboid(dvec3(0.3, 0.2, 0.2)).unwrap();
    let moved: Vec<DVec3> = cube.vertices().iter().map(|v| *v + dvec3(0.1, 0.06, 0.05)).collect();
    let count = moved.len() as u32;
    let vertices = [cube.vertices(), &moved].concat();
    let more = cube.triangles().iter().map(|t| t.map(|v| v + count));
    let triangles: Vec<[u32; 3]> = cube.triangles().iter().copied().chain(more).collect();
    let twice = Mesh::from_triangles(vertices, triangles, &noli_geom::MeshOptions::default()).unwrap();
    vec![
        ("sphere", convex(Convex::sphere(0.15).unwrap())),
        ("capsule", convex(Convex::capsule(0.4, 0.06).unwrap())),
        ("box", convex(Convex::cuboid(dvec3(0.3, 0.1, 0.2)).unwrap())),
        ("rounded box", convex(Convex::cuboid(dvec3(0.2, 0.05, 0.2)).unwrap().rounded(0.05).unwrap())),
        ("cylinder", convex(Convex::cylinder(0.5, 0.1).unwrap())),
        ("cone", convex(Convex::cone(0.4, 0.15).unwrap())),
        ("hull", convex(Convex::hull((0..20).map(|k| Random::new(k).in_sphere() * 0.2)).unwrap())),
        ("solid", Model::new(Mesh::torus(0.25, 0.08, 24, 12).unwrap().into_solid()).unwrap()),
        ("shell", Model::new(Mesh::torus(0.25, 0.08, 24, 12).unwrap()).unwrap()),
        ("two cubes", Model::new(twice.into_solid()).unwrap()),
        ("compound", Model::new(noli::Shape::Compound(two.to_vec())).unwrap()),
    ]
}

/// Points of a body: vertices, or points of its surface.
fn points(model: &Model, random: &mut Random) -> Vec<DVec3> {
    match (model.mesh(), model.convex()) {
        (Some(mesh), _) => mesh.vertices().to_vec(),
        (_, Some(convex)) => (0..200).map(|_| convex.support_point(random.in_sphere())).collect(),
        _ => (0..200).map(|_| random.in_sphere() * 0.1).collect(),
    }
}

fn outer(volume: &SweptVolume) -> Model {
    let mesh = volume.outer_mesh().unwrap();
    assert!(mesh.report().closed && mesh.report().oriented);
    Model::new(mesh).unwrap()
}

#[test]
fn the_quick_search_agrees_with_the_plain_one() {
    let mut random = Random::new(41);
    for (name, model) in &bodies() {
        let motion = random_motion(&mut random);
        let body = [SweptBody { model, motion: &motion }];
        let options = SweepOptions::new(0.06);
        let (quick, plain) = (sweep(&body, &options).unwrap(), sweep_plain(&body, &options).unwrap());
        let (outer, slow) = (outer(&quick), outer(&plain));
        // Samples are in both.
        let points = points(model, &mut random);
        for k in 0..=200 {
            let pose = noli_geom::Motion::pose(&motion, f64::from(k) / 200.0);
            for point in points.iter().step_by(7) {
                let place = pose.transform_point(*point);
                assert_ne!(outer.locate_point(place), Location::Outside, "{name}: {place} at {k}");
            }
        }
        // Both enclose the same volume, and are within the error of it: so near are they to each other.
        let near = |a: &Model, b: &Model| {
            let mesh = a.mesh().unwrap();
            for vertex in mesh.vertices().iter().step_by(5) {
                let found = noli::clearance(
                    &Model::new(Convex::POINT).unwrap().at(Pose::from_translation(*vertex)),
                    &b.at(Pose::IDENTITY),
                );
                assert!(found.distance.at_least <= 0.06, "{name}: {vertex} is {found:?} away");
            }
        };
        near(&outer, &slow);
        near(&slow, &outer);
        // What is inside for one is not outside for the other.
        for (inner, enclosing) in [(quick.inner_mesh(), &slow), (plain.inner_mesh(), &outer)] {
            for vertex in inner.unwrap().iter().flat_map(|mesh| mesh.vertices().to_vec()).step_by(3) {
                assert_ne!(enclosing.locate_point(vertex), Location::Outside, "{name}: {vertex}");
            }
        }
        assert!(quick.outer_volume() <= 1.3 * plain.outer_volume(), "{name}");
        let inner = [quick.inner_volume(), plain.inner_volume()];
        assert!(inner[0] >= 0.7 * inner[1], "{name}: {inner:?}");
        eprintln!(
            "{name}: {} cells, {} plain; outer {:.4} {:.4}, inner {:.4} {:.4}",
            quick.visited(),
            plain.visited(),
            quick.outer_volume(),
            plain.outer_volume(),
            quick.inner_volume(),
            plain.inner_volume()
        );
    }
}

/// Vertices of the inner mesh are in the body at some of many times, up to the distance between these.
#[test]
fn inner_vertices_are_within_some_sample() {
    let mut random = Random::new(7);
    for (name, model) in &bodies() {
        let motion = random_motion(&mut random);
        let volume = sweep(&[SweptBody { model, motion: &motion }], &SweepOptions::new(0.05)).unwrap();
        let Some(inner) = volume.inner_mesh().unwrap() else { continue };
        let samples = 1500;
        let step = inner.vertices().len().div_ceil(40);
        for vertex in inner.vertices().iter().step_by(step) {
            let point = Model::new(Convex::sphere(0.006).unwrap()).unwrap();
            let near = (0..=samples).any(|k| {
                let pose = noli_geom::Motion::pose(&motion, f64::from(k) / f64::from(samples));
                noli::overlap(&point.at(Pose::from_translation(*vertex)), &model.at(pose))
                    != noli::Overlap::Free
            });
            assert!(near, "{name}: {vertex}");
        }
    }
}

/// The result does not depend on the number of threads.
#[test]
fn threads_do_not_change_the_result() {
    let mut random = Random::new(3);
    let model = Model::new(Mesh::torus(0.25, 0.08, 24, 12).unwrap().into_solid()).unwrap();
    let motion = random_motion(&mut random);
    let body = [SweptBody { model: &model, motion: &motion }];
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sweep(&body, &SweepOptions::new(0.02)).unwrap())
    };
    let alone = on(1);
    assert!(alone == on(3) && alone.visited() == on(5).visited());
}
