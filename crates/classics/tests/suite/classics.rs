//! The classics against the tree: one verdict, whatever the method.

use crate::common::{mesh, model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::{Budget, Guarantee, Mesh, Model, Overlap, Pose, clearance, overlap};
use noli_classics::{
    Interference, MethodScratch, PairMethod, Participation, Polyhedron, VoxelBody, VoxelScratch, detect,
    interference,
};
use noli_scenes::SplitMix64;

fn ask(method: PairMethod, a: (&Model, &Pose), b: (&Model, &Pose)) -> noli_classics::MethodAnswer {
    let (x, y) = (method.prepare(a.0), method.prepare(b.0));
    x.overlap(a.1, &y, b.1, &Budget::default(), &mut MethodScratch::default())
}

/// Exact methods say what the tree says; a conservative one misses nothing, and what it adds is near.
#[track_caller]
fn all_agree(a: (&Model, &Pose), b: (&Model, &Pose)) -> Overlap {
    let truth = overlap(&a.0.at(*a.1), &b.0.at(*b.1));
    for method in PairMethod::ALL {
        for (x, y) in [(a, b), (b, a)] {
            let answer = ask(method, x, y);
            if method.guarantee() == Guarantee::Exact || truth == Overlap::Hit {
                assert_eq!(answer.overlap, truth, "{method} {:?} {:?}", x.1, y.1);
            } else if answer.overlap == Overlap::Hit {
                let distance = clearance(&x.0.at(*x.1), &y.0.at(*y.1));
                assert!(distance.distance.at_least <= answer.within, "{method} {distance:?} {answer:?}");
            }
        }
    }
    truth
}

fn bodies() -> Vec<Mesh> {
    vec![
        mesh(noli_scenes::cuboid(dvec3(1.0, 0.5, 0.25))),
        mesh(noli_scenes::icosphere(1)),
        mesh(noli_scenes::torus(1.0, 0.3, 12, 8)),
        mesh(noli_scenes::bumpy_sphere(4, 0.3)),
        mesh(noli_scenes::grid_plane(1.0, 3)),
        mesh(crate::common::merged([
            noli_scenes::cuboid(DVec3::splat(0.3)),
            noli_scenes::cuboid(DVec3::splat(0.3)).map_vertices(|p| p + dvec3(0.9, 0.9, 0.0)),
        ])),
    ]
}

#[test]
fn every_method_says_what_the_tree_says() {
    let mut random = SplitMix64::new(7);
    let (surfaces, mut hits, mut all) = (bodies(), 0, 0);
    for i in 0..surfaces.len() {
        for j in i..surfaces.len() {
            for round in 0..8 {
                // Only a closed mesh has an inside.
                let kind = |mesh: &Mesh, solid: bool| {
                    let solid = solid && mesh.report().closed;
                    model(&if solid { mesh.clone().into_solid() } else { mesh.clone() })
                };
                let (a, b) = (kind(&surfaces[i], round % 2 == 0), kind(&surfaces[j], round % 3 == 0));
                let pose_a = Pose::new(random.rotation(), random.direction() * 3.0);
                let offset = random.direction() * random.between(0.0, 2.4);
                let pose_b = Pose::new(random.rotation(), pose_a.translation + offset);
                hits += usize::from(all_agree((&a, &pose_a), (&b, &pose_b)) == Overlap::Hit);
                all += 1;
            }
        }
    }
    assert!(hits > all / 5 && hits < 4 * all / 5, "{hits} of {all} say nothing");
}

#[test]
fn touching_is_decided_to_the_last_bit_at_every_scale() {
    for exponent in [-280, -30, 0, 30, 280] {
        let unit = 2.0f64.powi(exponent);
        let cube = model(&mesh(noli_scenes::cuboid(DVec3::splat(unit))).into_solid());
        let here = Pose::IDENTITY;
        let place = |x: f64, y: f64, z: f64| shift(x * unit, y * unit, z * unit);
        let touching = [place(2.0, 0.0, 0.0), place(2.0, 2.0, 0.5), place(2.0, -2.0, 2.0), here];
        for pose in touching {
            assert_eq!(all_agree((&cube, &here), (&cube, &pose)), Overlap::Hit);
        }
        let beyond = place(2.0f64.next_up(), 0.0, 0.0);
        assert_eq!(all_agree((&cube, &here), (&cube, &beyond)), Overlap::Free);
    }
}

#[test]
fn a_body_deep_inside_another_is_found() {
    let big = mesh(noli_scenes::icosphere(2)).into_solid();
    let small = mesh(noli_scenes::cuboid(DVec3::splat(0.1)));
    let pose = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4), dvec3(0.2, -0.1, 0.3));
    let (solid, surface) = (model(&big), model(&big.clone().with_kind(noli::model::MeshKind::Surface)));
    assert_eq!(all_agree((&solid, &Pose::IDENTITY), (&model(&small), &pose)), Overlap::Hit);
    // Its faces alone never cross those of the small one: what the four printed steps go by.
    assert_eq!(all_agree((&surface, &Pose::IDENTITY), (&model(&small), &pose)), Overlap::Free);
}

#[test]
fn odd_bodies_and_poses_are_answered() {
    let cube = model(&mesh(noli_scenes::cuboid(DVec3::ONE)).into_solid());
    let empty = model(&Mesh::empty());
    let point = |p: DVec3| model(&Mesh::from_triangles(vec![p], vec![[0; 3]], &Default::default()).unwrap());
    let here = Pose::IDENTITY;
    assert_eq!(all_agree((&cube, &here), (&empty, &here)), Overlap::Free);
    assert_eq!(all_agree((&cube, &here), (&point(DVec3::ONE), &here)), Overlap::Hit);
    assert_eq!(all_agree((&cube, &here), (&point(DVec3::splat(0.5)), &here)), Overlap::Hit);
    assert_eq!(all_agree((&cube, &here), (&point(DVec3::splat(1.5)), &here)), Overlap::Free);
    let needle = vec![dvec3(-2.0, 0.1, 0.1), dvec3(2.0, 0.1, 0.1)];
    let needle = model(&Mesh::from_triangles(needle, vec![[0, 1, 1]], &Default::default()).unwrap());
    assert_eq!(all_agree((&cube, &here), (&needle, &here)), Overlap::Hit);
    let none = Pose::from_translation(dvec3(f64::NAN, 0.0, 0.0));
    let none_left = Budget::default().steps(0);
    for method in PairMethod::ALL {
        let body = method.prepare(&cube);
        let mut scratch = MethodScratch::default();
        let unlimited = Budget::default();
        assert_eq!(body.overlap(&here, &body, &none, &unlimited, &mut scratch).overlap, Overlap::Unknown);
        let unpaid = body.overlap(&here, &body, &here, &none_left, &mut scratch).overlap;
        // Spheres inside solids tell the tree at once.
        let known = method == PairMethod::Tree && unpaid == Overlap::Hit;
        assert!(known || unpaid == Overlap::Unknown, "{method}");
    }
}

/// For every step budget the answer is the final one or unknown.
#[test]
fn a_budget_never_falsifies() {
    let sphere = model(&mesh(noli_scenes::icosphere(1)).into_solid());
    let mut random = SplitMix64::new(3);
    for distance in [0.3, 1.6, 1.95, 2.05] {
        let pose = Pose::new(random.rotation(), random.direction() * distance);
        for method in PairMethod::ALL {
            let body = method.prepare(&sphere);
            let ask = |budget| {
                body.overlap(&Pose::IDENTITY, &body, &pose, &budget, &mut MethodScratch::default()).overlap
            };
            let last = ask(Budget::default());
            for steps in [0, 1, 2, 3, 10, 30, 100, 300, 1000, 3000] {
                let answer = ask(Budget::default().steps(steps));
                assert!(answer == last || answer == Overlap::Unknown, "{method} {steps}: {answer:?}");
            }
        }
    }
}

/// A sample of `cargo run --example four_step`, which does all ten thousand.
#[test]
fn the_four_steps_agree_with_the_tree_on_placements() {
    let (sets, mut random) =
        ([noli_scenes::bumpy_sphere(8, 0.3), noli_scenes::torus(1.0, 0.35, 24, 16)], SplitMix64::new(42));
    let models = sets.map(|set| model(&mesh(set)));
    let mut scratch = MethodScratch::default();
    let mut hits = 0;
    for m in [3, 9, 12] {
        let bodies = [0, 1].map(|k| PairMethod::FourStep { m }.prepare(&models[k]));
        for _ in 0..150 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(1.2, 2.4));
            let answer =
                bodies[0].overlap(&Pose::IDENTITY, &bodies[1], &pose, &Budget::default(), &mut scratch);
            assert_eq!(
                answer.overlap,
                overlap(&models[0].at(Pose::IDENTITY), &models[1].at(pose)),
                "{pose:?}"
            );
            hits += usize::from(answer.overlap == Overlap::Hit);
        }
    }
    assert!((50..400).contains(&hits), "{hits} hits of 450");
}

#[test]
fn each_of_the_four_steps_leaves_fewer_pairs() {
    let mut random = SplitMix64::new(11);
    let body = VoxelBody::new(&mesh(noli_scenes::icosphere(2)).into_solid(), 9);
    let mut place = || Pose::new(random.rotation(), random.direction() * random.between(0.0, 6.0));
    let poses: Vec<Pose> = (0..40).map(|_| place()).collect();
    let bodies = vec![&body; poses.len()];
    // Bodies two by two in a part, parts in a chain.
    let parts: Vec<u32> = (0..40).map(|i| i / 2).collect();
    let joints: Vec<(u32, u32)> = (1..20).map(|part| (part - 1, part)).collect();
    let mut table = Participation::new(&parts, &joints);
    let mut scratch = VoxelScratch::default();
    let (found, counts) = detect(&bodies, &poses, &table, &Budget::default(), &mut scratch).unwrap();
    let falling = [counts.pairs, counts.participating, counts.boxes_meet, counts.voxels_meet, counts.meet];
    assert!(falling.windows(2).all(|pair| pair[0] > pair[1]), "{counts:?}");
    assert!(counts.all_faces > counts.work.face_pairs && counts.work.face_pairs > counts.meet, "{counts:?}");
    // Every pair that the table allows and the tree finds, and no other.
    let sphere = model(body.polyhedron().mesh());
    let meets = |&(i, j): &(u32, u32)| {
        overlap(&sphere.at(poses[i as usize]), &sphere.at(poses[j as usize])) == Overlap::Hit
    };
    let expected: Vec<_> = table.pairs().filter(meets).collect();
    assert_eq!(found.iter().map(|c| (c.a, c.b)).collect::<Vec<_>>(), expected);
    for c in &found {
        let (Some(point), Some(_)) = (c.point, c.faces) else { continue };
        for k in [c.a, c.b] {
            let probe = Mesh::from_triangles(vec![point], vec![[0; 3]], &Default::default()).unwrap();
            let distance = clearance(
                &model(&probe).at(Pose::IDENTITY),
                &model(&body.polyhedron().mesh().clone().with_kind(noli::model::MeshKind::Surface))
                    .at(poses[k as usize]),
            );
            assert!(distance.distance.at_most < 1e-9, "{c:?}");
        }
    }
    // Switching a pair off silences it.
    let (a, b) = expected[0];
    table.set(a, b, false);
    let (fewer, _) = detect(&bodies, &poses, &table, &Budget::default(), &mut scratch).unwrap();
    assert_eq!(fewer.len() + 1, found.len());
}

#[test]
fn boyse_tells_the_four_relations_apart() {
    let poly = |mesh: &Mesh| Polyhedron::new(mesh);
    let here = Pose::IDENTITY;
    let ask = |a: &Polyhedron, b: &Polyhedron, pose: &Pose| {
        interference((a, &here), (b, pose), &Budget::default()).unwrap().0
    };
    let ring = poly(&mesh(noli_scenes::torus(1.0, 0.25, 16, 8)).into_solid());
    let sphere = poly(&mesh(noli_scenes::icosphere(1).map_vertices(|p| p * 0.5)).into_solid());
    let dot = poly(&mesh(noli_scenes::icosphere(1).map_vertices(|p| p * 0.01)).into_solid());
    assert_eq!(ask(&ring, &sphere, &here), Interference::Disjoint, "in the hole");
    assert!(matches!(ask(&ring, &sphere, &shift(0.5, 0.0, 0.0)), Interference::Meeting { .. }));
    assert_eq!(ask(&ring, &dot, &shift(1.0, 0.0, 0.0)), Interference::BInsideA);
    assert_eq!(ask(&dot, &sphere, &here), Interference::AInsideB);
    // One of two parts inside: every connected part is asked about.
    let far = noli_scenes::cuboid(DVec3::splat(0.02)).map_vertices(|p| p + dvec3(0.0, 0.0, 0.9));
    let two = poly(&mesh(crate::common::merged([far, noli_scenes::cuboid(DVec3::splat(0.02))])));
    assert_eq!(ask(&two, &sphere, &here), Interference::AInsideB);
}

#[test]
fn methods_are_named_on_the_command_line() {
    for method in PairMethod::ALL {
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    assert_eq!("four-step".parse(), Ok(PairMethod::FourStep { m: 9 }));
    assert_eq!("occupancy:128".parse(), Ok(PairMethod::Occupancy { resolution: 128 }));
    for wrong in ["", "trees", "boyse:3", "four-step:0", "four-step:21", "occupancy:9999", "occupancy:x"] {
        let error = wrong.parse::<PairMethod>().unwrap_err().to_string();
        assert!(error.contains("choose tree, four-step[:1..20|:auto], boyse, moore"), "{error}");
    }
}
