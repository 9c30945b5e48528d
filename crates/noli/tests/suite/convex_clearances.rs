//! Brackets of convex pairs against exact meshes of the same bodies.

use glam::{DQuat, DVec3};
use noli::model::Core;
use noli::query::ClearanceQuery;
use noli::{Convex, Hint, Model, Pose, QueryContext, Scratch, clearance};
use noli_scenes::SplitMix64;

/// The same hull as a convex body and as a mesh.
struct Twin {
    convex: Model,
    mesh: Model,
    reach: f64,
}

fn random_hull(random: &mut SplitMix64, points: usize, segment: DVec3) -> Twin {
    let convex = Convex::hull((0..points).map(|_| random.direction() * segment)).unwrap();
    let Core::Hull(hull) = convex.core() else { panic!("a hull") };
    let mesh = hull.to_mesh().unwrap();
    let reach = mesh.vertices().iter().map(|vertex| vertex.length()).fold(0.0, f64::max);
    Twin { mesh: Model::new(mesh).unwrap(), convex: Model::new(convex).unwrap(), reach }
}

fn exact(a: &Twin, b: &Twin, pose: &Pose) -> noli::Clearance {
    clearance(&a.mesh.at(Pose::IDENTITY), &b.mesh.at(*pose))
}

/// The clearance of the convex bodies is that of the meshes, and as narrow as rounding allows.
fn check(a: &Twin, b: &Twin, pose: &Pose, hint: &mut Hint) {
    let truth = exact(a, b, pose).distance;
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_hint(hint);
    let clearance = context
        .clearance(&a.convex.at(Pose::IDENTITY), &b.convex.at(*pose), &ClearanceQuery::default())
        .distance;
    let size = a.reach + b.reach + pose.translation.length();
    assert!(
        clearance.at_least <= truth.at_most && truth.at_least <= clearance.at_most,
        "{clearance:?} {truth:?}"
    );
    assert!(clearance.at_most - clearance.at_least <= 1e-12 * size, "{clearance:?} {truth:?} {size}");
}

#[test]
fn clearances_of_hulls_are_those_of_their_meshes() {
    let mut random = SplitMix64::new(3);
    for round in 0..300 {
        let s = [1.0, 0.1, 0.01][round % 3];
        let points = [4, 16, 64, 256][round % 4];
        let a = random_hull(&mut random, points, DVec3::new(1.0, s, s * s));
        let b = random_hull(&mut random, 30, DVec3::ONE);
        let mut hint = Hint::default();
        for _ in 0..8 {
            let pose = Pose::new(random.rotation(), random.direction() * random.between(0.5, 2.6));
            check(&a, &b, &pose, &mut Hint::default());
            check(&a, &b, &pose, &mut hint);
        }
    }
}

/// Slid until nearly in touch: the hardest place for the width of the bracket.
#[test]
fn clearances_near_contact_stay_narrow() {
    let mut random = SplitMix64::new(4);
    for round in 0..200 {
        let s = [1.0, 0.1, 0.01][round % 3];
        let a = random_hull(&mut random, 12, DVec3::new(1.0, s, s * s));
        let b = random_hull(&mut random, 12, DVec3::new(1.0, 1.0, s));
        let rotation = if round % 4 == 0 { DQuat::IDENTITY } else { random.rotation() };
        let direction = random.direction();
        for clearance_wanted in [1e-3, 1e-6, 1e-9, 1e-12, 1e-14] {
            let mut distance = 3.0;
            for _ in 0..60 {
                let clearance = exact(&a, &b, &Pose::new(rotation, direction * distance)).distance.at_least;
                if clearance <= 1.5 * clearance_wanted {
                    break;
                }
                distance -= clearance - clearance_wanted;
            }
            check(&a, &b, &Pose::new(rotation, direction * distance), &mut Hint::default());
        }
    }
}
