//! Answers of `relation` for boxes in every position that matters to a packaging engineer.

use crate::common::merged;
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Containment, Verdict};
use noli::{Mesh, Model, Pose, QueryContext, Relation, Scratch, relation};

fn boxed(half: DVec3, solid: bool) -> Model {
    let set = noli_scenes::cuboid(half);
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).unwrap();
    Model::new(&if solid { mesh.into_solid() } else { mesh }).unwrap()
}

/// Half sizes of B, its place, and the relation to the cube [-1, 1]³ as solids and as surfaces.
const CASES: [([f64; 3], [f64; 3], Relation, Relation); 12] = [
    ([1.0, 1.0, 1.0], [2.5, 0.0, 0.0], Relation::Separated, Relation::Separated),
    ([1.0, 1.0, 1.0], [2.0, 0.0, 0.0], Relation::Touching, Relation::Touching),
    ([1.0, 1.0, 1.0], [2.0, 2.0, 0.5], Relation::Touching, Relation::Touching),
    ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], Relation::Touching, Relation::Touching),
    ([1.0, 1.0, 1.0], [1.5, 0.25, 0.5], Relation::Intersecting, Relation::Intersecting),
    ([0.5, 0.5, 0.5], [0.0, 0.0, 0.0], Relation::Inside, Relation::Separated),
    // Flush with a wall from within.
    ([0.5, 0.5, 0.5], [0.5, 0.0, 0.0], Relation::Inside, Relation::Touching),
    // Against the same wall from without.
    ([0.5, 0.5, 0.5], [1.5, 0.0, 0.0], Relation::Touching, Relation::Touching),
    // The same body twice.
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], Relation::Inside, Relation::Touching),
    // Shifted along an edge: no face passes through the inside of another, yet the solids share volume.
    ([1.0, 1.0, 1.0], [1.0, 0.0, 0.0], Relation::Intersecting, Relation::Touching),
    // A plate through the cube, flush with two of its walls.
    ([2.0, 0.25, 1.0], [0.0, 0.0, 0.0], Relation::Intersecting, Relation::Intersecting),
    // A bar through the middle.
    ([3.0, 0.5, 0.5], [0.0, 0.0, 0.0], Relation::Intersecting, Relation::Intersecting),
];

/// Every case as solids and as surfaces, both ways round, and moved together by exact turns.
#[test]
fn boxes_stand_as_expected() {
    let moves = [
        Pose::IDENTITY,
        Pose::new(DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0), dvec3(4.0, -8.0, 0.5)),
        Pose::new(DQuat::from_xyzw(1.0, 1.0, 1.0, -1.0), dvec3(0.25, 0.0, 64.0)),
    ];
    for (half, place, solids, surfaces) in CASES {
        for (solid, expected) in [(true, solids), (false, surfaces)] {
            let (a, b) = (boxed(DVec3::ONE, solid), boxed(half.into(), solid));
            for world in moves {
                let place = DVec3::from(place);
                let b_pose = Pose::new(world.rotation, world.transform_point(place));
                let (a, b) = (a.at(world), b.at(b_pose));
                assert_eq!(relation(&a, &b), expected, "{half:?} {place:?} solid {solid}");
                assert_eq!(relation(&b, &a), expected, "{half:?} {place:?} swapped, solid {solid}");
            }
        }
    }
}

/// A surface inside a solid is inside; a solid inside a surface is apart from it.
#[test]
fn only_a_solid_has_an_inside() {
    let (big, small) = (DVec3::ONE, DVec3::splat(0.25));
    let ask = |a: &Model, b: &Model| relation(&a.at(Pose::IDENTITY), &b.at(Pose::IDENTITY));
    assert_eq!(ask(&boxed(big, true), &boxed(small, false)), Relation::Inside);
    assert_eq!(ask(&boxed(big, false), &boxed(small, true)), Relation::Separated);
}

/// Some boxes as one body, each by its half size and place.
fn boxes(parts: &[(f64, [f64; 3])]) -> Model {
    let parts = parts.iter().map(|&(half, place)| {
        let mut set = noli_scenes::cuboid(DVec3::splat(half));
        set.vertices.iter_mut().for_each(|vertex| *vertex += DVec3::from(place));
        set
    });
    let whole = merged(parts);
    Model::from(
        Mesh::from_triangles(whole.vertices, whole.triangles, &Default::default()).unwrap().into_solid(),
    )
}

/// One part lies inside; another is elsewhere, or touches from outside, or from within, or both.
#[test]
fn parts_that_lie_elsewhere_or_touch_do_not_change_how_a_part_inside_stands() {
    let big = boxed(DVec3::splat(5.0), true);
    let inside = (1.0, [0.0; 3]);
    let others: [&[(f64, [f64; 3])]; 6] = [
        &[(1.0, [9.0, 0.0, 0.0])],
        &[(1.0, [6.0, 0.0, 0.0])],
        &[(1.0, [6.0, 6.0, 0.0])],
        &[(1.0, [6.0, 6.0, 6.0])],
        &[(1.0, [6.0, 0.0, 0.0]), (1.0, [-4.0, 0.0, 0.0])],
        &[(1.0, [6.0, 0.0, 0.0]), (1.0, [-9.0, 0.0, 0.0])],
    ];
    let mut scratch = Scratch::default();
    for other in others {
        let several = boxes(&[&[inside], other].concat());
        let (a, b) = (big.at(Pose::IDENTITY), several.at(Pose::IDENTITY));
        for (a, b) in [(&a, &b), (&b, &a)] {
            assert_eq!(relation(a, b), Relation::Inside, "{other:?}");
            let found = QueryContext::new(&mut scratch).containment(a, b);
            assert_eq!(found, Verdict::Hit(Containment::Parts), "{other:?}");
        }
    }
    // Flush with four walls, a part passes through the fifth without passing through a face.
    let bar = boxed(dvec3(5.0, 1.0, 1.0), true);
    let through = boxes(&[(1.0, [5.0, 0.0, 0.0]), (1.0, [20.0, 0.0, 0.0])]);
    assert_eq!(relation(&bar.at(Pose::IDENTITY), &through.at(Pose::IDENTITY)), Relation::Intersecting);
    assert_eq!(relation(&through.at(Pose::IDENTITY), &bar.at(Pose::IDENTITY)), Relation::Intersecting);
    // Two parts on both sides of a wall, one body across it.
    let across = boxes(&[inside, (1.0, [6.0, 0.0, 0.0]), (1.0, [4.0, 0.0, 0.0])]);
    assert_eq!(relation(&big.at(Pose::IDENTITY), &across.at(Pose::IDENTITY)), Relation::Intersecting);
}
