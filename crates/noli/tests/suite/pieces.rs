//! Convex pieces enclose the solid, reach no further than they say, and are always the same.

use crate::common::depths::{Blocks, comb};
use crate::common::mesh;
use noli::answer::Location;
use noli::model::Shape;
use noli::pieces::{DecompositionError, DecompositionQuery, Pieces, convex_decomposition};
use noli::{Mesh, Model, Overlap, Pose, clearance, locate_point, overlap};
use noli_scenes::{SplitMix64, bumpy_sphere, grid_plane, torus};

fn check(name: &str, solid: &Mesh, found: &Pieces, random: &mut SplitMix64) {
    assert_eq!(found.outside(solid.vertices().iter().copied()), [], "{name}: vertices outside");
    let model = Model::from(solid.clone().into_solid());
    let here = model.at(Pose::IDENTITY);
    let bounds = solid.aabb();
    let mut holed = 0;
    for _ in 0..300 {
        let share = glam::dvec3(random.unit(), random.unit(), random.unit());
        let point = bounds.min + bounds.size() * share;
        let held = found.outside([point]).is_empty();
        match locate_point(&here, point) {
            Location::Inside => assert!(held, "{name}: {point} is in the solid and in no piece"),
            _ if held => {
                let probe =
                    Model::new(noli::Convex::sphere(0.0).or(noli::Convex::sphere(1e-300)).unwrap()).unwrap();
                let away = clearance(&probe.at(Pose::from_translation(point)), &here).distance.at_least;
                assert!(away <= found.error.at_most, "{name}: {point} is {away} out, {:?}", found.error);
            }
            _ => holed += 1,
        }
    }
    assert!(holed > 0, "{name}: nothing of the box is free");
}

/// Of bodies with many equal pockets, such as combs, cuts open one at a time: they get a larger error.
#[test]
fn pieces_enclose_the_solid() {
    let mut random = SplitMix64::new(4);
    let ring = mesh(torus(1.0, 0.3, 24, 12));
    let blocks = Blocks::random(&mut random, 9).mesh(&mut random);
    let rake = comb(4, 0.12, 0.3, 1.0, 0.5).mesh(&mut random);
    for (name, solid, error) in [("ring", ring, 0.08), ("blocks", blocks, 0.01), ("comb", rake, 0.05)] {
        let query = DecompositionQuery { error: Some(error), pieces: 200 };
        let found = convex_decomposition(&solid, &query).unwrap();
        assert!(found.error.at_most <= error, "{name}: {:?} with {}", found.error, found.pieces.len());
        check(name, &solid, &found, &mut random);
        if name == "ring" {
            assert_eq!(
                convex_decomposition(&solid, &query).unwrap(),
                found,
                "{name} is cut the same way again"
            );
        }
    }
}

/// A body that is convex but for the rounding of its file is one piece, and how far that reaches beyond it is proven.
#[test]
fn what_is_nearly_convex_is_one_piece() {
    let mut random = SplitMix64::new(9);
    let rounded = |v: glam::DVec3| v.as_vec3().as_dvec3();
    let turn = random.rotation();
    let sphere = mesh(noli_scenes::geodesic(8).map_vertices(|v| rounded(turn * v)));
    let found = convex_decomposition(&sphere, &DecompositionQuery::default()).unwrap();
    assert!(
        found.pieces.len() == 1 && found.error.at_most < 1e-3,
        "{}: {:?}",
        found.pieces.len(),
        found.error
    );
    check("sphere", &sphere, &found, &mut random);
    // A dent as deep as a tenth is none.
    let dented = mesh(noli_scenes::geodesic(8).map_vertices(|v| if v.z > 0.99 { v * 0.9 } else { v }));
    assert_eq!(
        convex_decomposition(&dented, &DecompositionQuery { error: None, pieces: 2 }).unwrap().pieces.len(),
        2
    );
}

/// Cuts along walls: a bracket of two plates is two boxes, and they fill it.
#[test]
fn walls_are_cut_along() {
    let mut random = SplitMix64::new(6);
    let planes = [vec![0.0, 0.3, 2.0], vec![0.0, 0.3, 2.0], vec![0.0, 1.0]];
    let bracket = Blocks::of(planes, |[x, y, _]| x == 0 || y == 0).mesh(&mut random);
    let found =
        convex_decomposition(&bracket, &DecompositionQuery { error: Some(1e-6), pieces: 16 }).unwrap();
    assert_eq!(found.pieces.len(), 2, "{:?}", found.error);
    let whole: f64 = found.pieces.iter().map(|piece| piece.volume).sum();
    assert!((whole - bracket.signed_volume()).abs() < 1e-9, "{whole}");
    assert!(found.error.at_most <= 1e-6, "{:?}", found.error);
}

#[test]
fn as_many_pieces_as_asked_for() {
    let solid = mesh(bumpy_sphere(8, 0.3));
    let mut last = f64::INFINITY;
    for pieces in [1, 4, 16] {
        let found = convex_decomposition(&solid, &DecompositionQuery { error: None, pieces }).unwrap();
        assert!(
            found.pieces.len() <= pieces && found.error.at_most <= last * 1.05,
            "{pieces}: {:?}",
            found.error
        );
        assert!(found.outside(solid.vertices().iter().copied()).is_empty());
        last = found.error.at_most;
    }
    let cube = Mesh::cuboid(glam::DVec3::ONE).unwrap();
    let found = convex_decomposition(&cube, &DecompositionQuery::default()).unwrap();
    assert!(found.pieces.len() == 1 && found.error.at_most < 1e-11, "{found:?}");
}

/// The hole of a ring stays open to a pin that passes through it.
#[test]
fn holes_survive() {
    let ring = mesh(torus(1.0, 0.3, 32, 16)).into_solid();
    let found = convex_decomposition(&ring, &DecompositionQuery { error: Some(0.1), pieces: 100 }).unwrap();
    let body = Model::new(found.into_shape().unwrap()).unwrap();
    let pin = Model::new(noli::Convex::cylinder(2.0, 0.4).unwrap()).unwrap();
    assert_eq!(overlap(&body.at(Pose::IDENTITY), &pin.at(Pose::IDENTITY)), Overlap::Free);
    assert!(matches!(Shape::from(ring), Shape::Mesh(_)));
}

#[test]
fn what_bounds_no_solid_is_refused() {
    let open = mesh(grid_plane(1.0, 2));
    assert!(matches!(
        convex_decomposition(&open, &DecompositionQuery::default()),
        Err(DecompositionError::NotSolid(_))
    ));
    assert_eq!(
        convex_decomposition(&Mesh::empty(), &DecompositionQuery::default()),
        Err(DecompositionError::Empty)
    );
    let cube = Mesh::cuboid(glam::DVec3::ONE).unwrap();
    for query in
        [DecompositionQuery { error: Some(0.0), pieces: 3 }, DecompositionQuery { error: None, pieces: 0 }]
    {
        assert_eq!(convex_decomposition(&cube, &query), Err(DecompositionError::BadQuery));
    }
}
