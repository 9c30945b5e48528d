//! Robots: configurations, paths and joint ranges.

use crate::checker::check;
use glam::{DVec3, dvec3};
use noli::{Convex, Mesh, Model, Pose};
use noli_certificate::{
    CellScene, Certificate, Joint, JointKind, Link, ProofError, Region, Scene, Statement,
};
use noli_robot::cell::{Cell, CellBuilder, ProofOptions, Reachability, StateStatus};
use noli_robot::{PumaSet, puma560};

/// A PUMA 560 of plain bodies, with a sphere in its reach. Pairs that collide in all of these configurations are
/// disabled.
fn cell() -> Cell {
    let mut builder = everything();
    let all = builder.clone().build();
    for pair in 0..all.pairs().len() {
        let [a, b] = all.pair_names(pair);
        let always = matches!(all.prove(pair, &ProofOptions::default()).meeting, Reachability::Always { .. });
        if always {
            builder.disable(a, b, "always in collision").unwrap();
        }
    }
    builder.build()
}

fn everything() -> CellBuilder {
    let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut builder = CellBuilder::default();
    builder.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    let sphere = Model::new(Convex::sphere(0.1).unwrap()).unwrap();
    builder.add_obstacle("sphere", &sphere, Pose::from_translation(dvec3(0.4, 0.1, 0.0))).unwrap();
    builder.set_padding("sphere", 0.01).unwrap();
    builder
}

const FREE: [f64; 6] = [1.5, -1.0, 0.5, 0.0, 0.0, 0.0];

#[test]
fn a_path_of_a_robot_is_proven_and_checked() {
    let cell = cell();
    let described = CellScene::new(&cell).unwrap();
    let mut checker = cell.checker();
    let to = [1.9, -0.8, 0.7, 0.3, -0.2, 0.1];
    assert_eq!(checker.check_motion(&FREE, &to), Ok(noli_robot::cell::MotionStatus::Free));
    let region = Region::Along(vec![described.values(&FREE), described.values(&to)]);
    let statements = described.collision_free(&cell, "a short motion", &region);
    assert!(statements[0].complete && !statements[0].disabled.is_empty());
    let mut certificate = Certificate::new(described.scene);
    for statement in statements {
        certificate.prove(statement).unwrap();
    }
    assert_eq!(check(&certificate.to_bytes()), Ok(()));
}

#[test]
fn a_motion_through_an_obstacle_has_no_certificate() {
    let cell = cell();
    let described = CellScene::new(&cell).unwrap();
    let region = Region::Along(vec![described.values(&FREE), described.values(&[0.0; 6])]);
    let statements = described.collision_free(&cell, "through the sphere", &region);
    let mut certificate = Certificate::new(described.scene);
    let refused = certificate.prove(statements[0].clone());
    assert!(matches!(refused, Err(ProofError::False { .. })), "{refused:?}");
    assert!(certificate.statements().is_empty());
}

/// Two plates that turn one above the other: an arm on an arm, with a follower.
fn arm() -> Scene {
    let plate = Model::new(Mesh::cuboid(dvec3(1.0, 0.1, 0.05)).unwrap().into_solid()).unwrap();
    let pin = Model::new(Mesh::cuboid(dvec3(0.05, 0.05, 1.0)).unwrap()).unwrap();
    let mut scene = Scene::default();
    let mut parent = 0;
    for (k, height) in [0.0, 0.25, 0.25].into_iter().enumerate() {
        let joint = Joint {
            name: format!("joint{k}"),
            kind: if k == 1 { JointKind::Slide } else { JointKind::Turn },
            axis: if k == 1 { DVec3::Z } else { dvec3(0.0, 0.0, 3.0) },
            limits: None,
            mimic: (k == 2).then_some((0, -0.5, 0.25)),
        };
        let origin = Pose::from_translation(dvec3(0.0, 0.0, height));
        let link = Link { name: format!("link{k}"), parent, origin, joint: Some(joint) };
        parent = scene.add_link(link).unwrap();
        let pose = Pose::from_translation(dvec3(0.5, 0.0, 0.0));
        scene.add_body(&format!("plate{k}"), parent, &plate, pose, 0.0).unwrap();
    }
    scene.add_body("far pin", 0, &pin, Pose::from_translation(dvec3(0.0, 2.5, 0.0)), 0.0).unwrap();
    // Through the first plate wherever it turns.
    scene.add_body("axle", 0, &pin, Pose::from_translation(dvec3(0.03, 0.0, 0.0)), 0.0).unwrap();
    scene
}

fn all_values() -> Region {
    Region::Box(vec![Some([-1.5, 1.5]), Some([0.0, 0.25]), None])
}

#[test]
fn pairs_over_joint_ranges_are_never_or_always_in_collision() {
    let mut certificate = Certificate::new(arm());
    let never = Statement::separated(vec![[0, 1], [0, 3], [2, 3]], all_values());
    let size = certificate.prove(never).unwrap();
    assert!(size.leaves > 3, "the ranges are split");
    certificate.prove(Statement::colliding(vec![[0, 4]], all_values())).unwrap();
    let refused = certificate.prove(Statement::separated(vec![[0, 4]], all_values()));
    assert!(matches!(refused, Err(ProofError::False { .. })));
    assert_eq!(check(&certificate.to_bytes()), Ok(()));
}

#[test]
fn pairs_of_the_puma_are_proven_as_the_engine_decides() {
    let cell = cell();
    let described = CellScene::new(&cell).unwrap();
    let pairs: Vec<usize> = (0..cell.pairs().len()).collect();
    let options =
        ProofOptions { cells: 2_000, samples: 2_000, stop: None, done: None, ..ProofOptions::default() };
    let (mut never, mut possible) = (0, 0);
    let statements: Vec<Statement> = cell
        .prove_all(&pairs, &options)
        .into_iter()
        .filter_map(|proof| {
            let bodies = described.bodies_of(cell.pairs()[proof.pair].parts);
            match proof.meeting {
                Reachability::Never { domain } if proof.cells < 200 => {
                    never += 1;
                    // The padding of the sphere is not part of the engine's statement.
                    let near = bodies.iter().any(|pair| described.scene.body_name(pair[1]) == "sphere");
                    (!near).then(|| Statement::separated(bodies, described.region(&cell, &domain)))
                }
                Reachability::Possible { witness } => {
                    possible += 1;
                    Some(Statement::colliding(bodies, Region::At(described.values(&witness))))
                }
                _ => None,
            }
        })
        .collect();
    assert!(never > 0 && possible > 0, "{never} {possible}");
    let mut certificate = Certificate::new(described.scene);
    let mut grazing = 0;
    for statement in statements {
        match certificate.prove(statement) {
            Ok(_) => {}
            Err(ProofError::TooClose { .. }) => grazing += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(grazing <= 1 && certificate.statements().len() > 2);
    assert_eq!(check(&certificate.to_bytes()), Ok(()));
}

/// The values of a Bézier curve by the sum of Bernstein polynomials.
fn on_curve(piece: &[Vec<f64>], t: f64) -> Vec<f64> {
    let degree = piece.len() - 1;
    let choose = |k: usize| (0..k).fold(1.0, |c, i| c * (degree - i) as f64 / (i + 1) as f64);
    let weight = |k: usize| choose(k) * (1.0 - t).powi((degree - k) as i32) * t.powi(k as i32);
    (0..piece[0].len())
        .map(|joint| piece.iter().enumerate().map(|(k, row)| weight(k) * row[joint]).sum())
        .collect()
}

/// Rationals of the naive checker grow with the degree: it takes seconds for each of these.
const NAIVE: usize = 1;

#[test]
fn curves_are_proven_where_all_their_configurations_are_free() {
    let (cell, mut random) = (cell(), noli_testing::Random::new(9));
    let (mut free, mut blocked) = (0, 0);
    for round in 0..16 {
        // Short curves, and long ones that reach the sphere.
        let reach = if round % 2 == 0 { 0.5 } else { 2.0 };
        let degree = [1, 3, 5, 9][round / 2 % 4];
        let mut row = || FREE.map(|value| value + random.between(-reach, reach)).to_vec();
        let first: Vec<Vec<f64>> = (0..=degree).map(|_| row()).collect();
        let mut second: Vec<Vec<f64>> = (0..3).map(|_| row()).collect();
        second.insert(0, first[degree].clone());
        let pieces = [first, second];
        let deviation = if round % 3 == 0 { 0.01 } else { 0.0 };
        let described = CellScene::new(&cell).unwrap();
        let values = |piece: &Vec<Vec<f64>>| piece.iter().map(|row| described.values(row)).collect();
        let own: Vec<Vec<Vec<f64>>> = pieces.iter().map(values).collect();
        let region = Region::Curve { pieces: own, deviation: vec![deviation; described.scene.joint_count()] };
        let statements = described.collision_free(&cell, "curve", &region);
        let mut certificate = Certificate::new(described.scene);
        let proven = statements.into_iter().try_for_each(|each| certificate.prove(each).map(drop));
        let mut checker = cell.checker();
        let mut samples =
            pieces.iter().flat_map(|piece| (0..=200).map(|k| on_curve(piece, f64::from(k) / 200.0)));
        let hit = samples.any(|row| !matches!(checker.check_state(&row), Ok(StateStatus::Free)));
        if proven.is_err() {
            blocked += 1;
            continue;
        }
        free += 1;
        assert!(!hit, "a curve that collides is proven");
        let bytes = certificate.to_bytes();
        let naive = free <= NAIVE;
        if naive {
            assert_eq!(check(&bytes), Ok(()));
        }
        for exact in [false, true].into_iter().filter(|exact| naive || !exact) {
            let options = noli_verify::Options::default().with_threads(1);
            let options = if exact { options.with_exact() } else { options };
            assert_eq!(noli_verify::check(&bytes, &options).error, None);
        }
        // The same proof for a curve with one control value changed by much is none.
        let number = |x: f64| [&[0xfb], x.to_be_bytes().as_slice()].concat();
        let row: Vec<u8> = pieces[1][1].iter().flat_map(|x| number(*x)).collect();
        let other: Vec<u8> = pieces[1][1].iter().flat_map(|x| number(x + 40.0)).collect();
        if let Some(place) = bytes.windows(row.len()).position(|part| part == row) {
            let mut changed = bytes.clone();
            changed[place..place + row.len()].copy_from_slice(&other);
            assert!(noli_verify::check(&changed, &noli_verify::Options::default()).error.is_some());
            assert!(!naive || check(&changed).is_err());
        }
    }
    assert!(free > 3 && blocked > 3, "{free} {blocked}");
}
