//! Brackets of convex pairs against exact meshes of the same bodies.

use super::*;
use crate::{Model, Pose, clearance};
use glam::{DQuat, DVec3};
use noli_geom::{Convex, Core, PairFrame, RelativePose};
use noli_scenes::SplitMix64;

const FULLY: Goal = Goal { apart: f64::INFINITY, near: 0.0, tolerance: 0.0 };

fn model(convex: &Convex) -> Model {
    let Core::Hull(hull) = convex.core() else { panic!("a hull") };
    Model::new(&hull.to_mesh().unwrap()).unwrap()
}

fn random_hull(random: &mut SplitMix64, points: usize, stretch: DVec3) -> Convex {
    Convex::hull((0..points).map(|_| random.direction() * stretch)).unwrap()
}

struct Asked {
    gap: Gap,
    size: f64,
    allowed: f64,
}

fn ask(a: &Convex, b: &Convex, pose: &Pose, hint: &mut Hint) -> Asked {
    let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, pose));
    let bodies = Bodies::new(a, b, &frame);
    let gap = gap(&bodies, &FULLY, hint);
    Asked { gap, size: bodies.size, allowed: 5.0 * (bodies.height_error + bodies.point_error) }
}

#[test]
fn gaps_of_hulls_are_those_of_their_meshes() {
    let mut random = SplitMix64::new(3);
    let mut worst: f64 = 0.0;
    for round in 0..300 {
        let stretch = |s: f64| DVec3::new(1.0, s, s * s);
        let s = [1.0, 0.1, 0.01][round % 3];
        let points = [4, 16, 64, 256][round % 4];
        let (a, b) =
            (random_hull(&mut random, points, stretch(s)), random_hull(&mut random, 30, stretch(1.0)));
        let (mesh_a, mesh_b) = (model(&a), model(&b));
        let mut hint = Hint::default();
        for _ in 0..8 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.5, 2.6));
            let truth = clearance(&mesh_a.at(Pose::IDENTITY), &mesh_b.at(pose));
            for hint in [&mut Hint::default(), &mut hint] {
                let Asked { gap, size, allowed } = ask(&a, &b, &pose, hint);
                assert!(
                    gap.at_least <= truth.gap.at_most && truth.gap.at_least <= gap.at_most,
                    "{gap:?} {truth:?}"
                );
                worst = worst.max((gap.at_most - gap.at_least) / size);
                assert!(gap.at_most - gap.at_least <= allowed, "{gap:?} {truth:?} {size}");
                assert!(allowed <= 1e-12 * size);
            }
        }
    }
    eprintln!("widest bracket: {worst:e} of the size");
}

/// Slid until nearly in touch: the hardest place for the width of the bracket.
#[test]
fn gaps_near_contact_stay_narrow() {
    let mut random = SplitMix64::new(4);
    for round in 0..200 {
        let s = [1.0, 0.1, 0.01][round % 3];
        let (a, b) = (
            random_hull(&mut random, 12, DVec3::new(1.0, s, s * s)),
            random_hull(&mut random, 12, DVec3::new(1.0, 1.0, s)),
        );
        let (mesh_a, mesh_b) = (model(&a), model(&b));
        let rotation = if round % 4 == 0 { DQuat::IDENTITY } else { random.rotation() };
        let direction = random.direction();
        for gap_wanted in [1e-3, 1e-6, 1e-9, 1e-12, 1e-14] {
            let mut distance = 3.0;
            for _ in 0..60 {
                let pose = Pose::new(rotation, direction * distance);
                let gap = clearance(&mesh_a.at(Pose::IDENTITY), &mesh_b.at(pose)).gap.at_least;
                if gap <= 1.5 * gap_wanted {
                    break;
                }
                distance -= gap - gap_wanted;
            }
            let pose = Pose::new(rotation, direction * distance);
            let truth = clearance(&mesh_a.at(Pose::IDENTITY), &mesh_b.at(pose));
            let Asked { gap, size, allowed } = ask(&a, &b, &pose, &mut Hint::default());
            assert!(
                gap.at_least <= truth.gap.at_most && truth.gap.at_least <= gap.at_most,
                "{gap:?} {truth:?}"
            );
            assert!(gap.at_most - gap.at_least <= allowed, "{gap_wanted:e} {gap:?} {truth:?} {size}");
        }
    }
}
