//! Errors of the printed forms of the classics, which the corrected forms do not make.

use crate::common::{mesh, model, shift};
use glam::{DVec3, dvec3};
use noli::model::Triangle;
use noli::{Budget, Mesh, Overlap, Pose};
use noli_classics::printed::{self, Touching};
use noli_classics::{
    Interference, Message, MethodScratch, OccupancyError, OccupancySpace, PairMethod, Polyhedron,
    edge_meets_face, interference, nearest_on_lines,
};
use noli_geom::{Aabb, Polygons};
use noli_scenes::SplitMix64;

fn polygons(vertices: Vec<DVec3>, faces: &[&[u32]]) -> Mesh {
    let faces: Polygons = faces.iter().collect();
    Mesh::from_polygons(vertices, faces, &Default::default()).unwrap().into_solid()
}

fn block(low: DVec3, high: DVec3) -> Mesh {
    let pick = |i: u32, k: usize| if i >> k & 1 == 0 { low[k] } else { high[k] };
    let vertices = (0..8).map(|i| DVec3::new(pick(i, 0), pick(i, 1), pick(i, 2))).collect();
    polygons(
        vertices,
        &[&[0, 2, 3, 1], &[4, 5, 7, 6], &[0, 1, 5, 4], &[2, 6, 7, 3], &[0, 4, 6, 2], &[1, 3, 7, 5]],
    )
}

fn mended(method: PairMethod, a: &Mesh, b: &Mesh, pose_b: &Pose) -> Overlap {
    let (a, b) = (method.prepare(&model(a)), method.prepare(&model(b)));
    a.overlap(&Pose::IDENTITY, &b, pose_b, &Budget::default(), &mut MethodScratch::default()).overlap
}

/// A prism through the edge of a cube shares a volume with it, and no vertex, middle of a part of an edge or middle of
/// a face of either is strictly inside the other. Nor is one of two equal cubes.
#[test]
fn moore_s_three_strict_steps_miss_a_prism_and_equal_cubes() {
    let vertices = |z: f64| [dvec3(0.0, 0.0, z), dvec3(1.0, 0.0, z), dvec3(0.0, 1.0, z)];
    let prism = polygons(
        [vertices(-1000.0), vertices(11.0)].concat(),
        &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
    );
    let cube = block(DVec3::ZERO, DVec3::splat(10.0));
    let here = Pose::IDENTITY;
    for (a, b) in [(&prism, &cube), (&cube, &cube)] {
        assert!(!printed::moore(a, &here, b, &here, Touching::Free));
        assert!(printed::moore(a, &here, b, &here, Touching::Counts));
        assert_eq!(mended(PairMethod::Moore, a, b, &here), Overlap::Hit);
    }
}

/// In general position the printed steps and the mended one agree; printed, they cost a plane more per cut.
#[test]
fn moore_agrees_with_itself_in_general_position() {
    let (a, b) = (block(-DVec3::ONE, DVec3::ONE), block(dvec3(-0.5, -0.7, -0.9), dvec3(0.5, 0.7, 0.9)));
    let (mut random, mut hits) = (SplitMix64::new(5), 0);
    for _ in 0..400 {
        let pose = Pose::new(random.rotation(), random.direction() * random.between(1.6, 2.8));
        let hit = mended(PairMethod::Moore, &a, &b, &pose) == Overlap::Hit;
        let points = printed::penetrations(&a, &Pose::IDENTITY, &b, &pose, Touching::Free);
        assert_eq!(!points.is_empty(), hit, "{pose:?}");
        // Each is a common point, as a response needs them.
        for printed::Penetration { point, of_a, .. } in points {
            let here = pose.inverse().transform_point(point);
            let size = dvec3(0.5, 0.7, 0.9);
            assert!(
                point.abs().max_element() <= 1.0 + 1e-9 && (here.abs() - size).max_element() <= 1e-9,
                "{of_a}"
            );
        }
        hits += usize::from(hit);
    }
    assert!((50..350).contains(&hits), "{hits}");
}

/// The printed edge test mixes unit and full vectors: one point is off by the length of the projected edge, the other
/// by that of the edge, and as they differ every contact is lost but those of edges that start in the plane, which are
/// reported beside the face too. Nothing is found for an edge that is square to the face or runs in it.
#[test]
fn goldman_s_lines_as_printed_lose_the_edge() {
    let face = Triangle::new(DVec3::ZERO, dvec3(4.0, 0.0, 0.0), dvec3(0.0, 4.0, 0.0));
    let slanted = [dvec3(1.0, 1.0, -1.0), dvec3(4.0, 1.0, 3.0)];
    let truth = edge_meets_face(slanted, &face).unwrap();
    assert!(truth.distance(dvec3(1.75, 1.0, 0.0)) < 1e-12);
    let (p, projected) = (slanted[0], dvec3(1.0, 1.0, 0.0));
    let [on_edge, on_projection] = printed::edge_face_points(slanted, &face).unwrap();
    assert!((on_edge.distance(p) / truth.distance(p) - 3.0).abs() < 1e-12, "{on_edge}");
    let ratio = on_projection.distance(projected) / truth.distance(projected);
    assert!((ratio - 5.0).abs() < 1e-12, "{on_projection}");
    assert_eq!(printed::edge_face(slanted, &face), None);
    let beside = slanted.map(|p| p + dvec3(9.0, 0.0, 1.0));
    assert!(printed::edge_face(beside, &face).is_some() && edge_meets_face(beside, &face).is_none());
    let square = [dvec3(1.0, 1.0, -1.0), dvec3(1.0, 1.0, 1.0)];
    assert!(printed::edge_face(square, &face).is_none() && edge_meets_face(square, &face).is_some());
    let within = [dvec3(-1.0, 1.0, 0.0), dvec3(2.0, 1.0, 0.0)];
    assert!(printed::edge_face(within, &face).is_none());
    assert_eq!(edge_meets_face(within, &face), Some(dvec3(0.0, 1.0, 0.0)));
    // No edge that crosses the face is told to, unless it starts in its plane.
    let mut random = SplitMix64::new(90);
    for _ in 0..200 {
        let middle = dvec3(random.between(0.1, 1.9), random.between(0.1, 1.9), 0.0);
        let along = random.direction();
        let [before, after] = [random.between(0.1, 3.0), random.between(0.1, 3.0)];
        let intersection = [middle - along * before, middle + along * after];
        assert!(
            edge_meets_face(intersection, &face).is_some()
                && printed::edge_face(intersection, &face).is_none()
        );
        assert!(printed::edge_face([middle, middle + along * after], &face).is_some());
    }
    // With full vectors throughout the lines meet where they should.
    let [s, _] = nearest_on_lines(p, slanted[1] - p, dvec3(1.0, 1.0, 0.0), dvec3(3.0, 0.0, 0.0)).unwrap();
    assert!((s - 0.25).abs() < 1e-15);
}

/// One word a cell forgets the second occupant: when the first leaves, a third comes in unnoticed.
#[test]
fn a_single_word_forgets_who_stays() {
    let mut words = printed::WordSpace::default();
    assert_eq!(words.occupy([0; 3], 1), None);
    assert_eq!(words.occupy([0; 3], 2), Some(1));
    words.vacate([0; 3]);
    assert_eq!(words.occupy([0; 3], 3), None, "2 is still there");

    let mut space = OccupancySpace::new(bounds(), [16; 3]).unwrap();
    let cube = mesh(noli_scenes::cuboid(DVec3::ONE)).into_solid();
    let [one, two, three] = ["one", "two", "three"].map(|name| space.add(name, &cube).unwrap());
    space.place(one, &Pose::IDENTITY).unwrap();
    assert!(space.place(two, &Pose::IDENTITY).unwrap().iter().all(|m| m.occupant == one));
    space.vacate(one).unwrap();
    assert!(space.place(three, &Pose::IDENTITY).unwrap().iter().all(|m| m.occupant == two));
}

fn bounds() -> Aabb {
    Aabb { min: DVec3::splat(-4.0), max: DVec3::splat(4.0) }
}

#[test]
fn messages_reach_both_bodies_in_any_order() {
    let sphere = mesh(noli_scenes::icosphere(1)).into_solid();
    let places = [shift(0.0, 0.0, 0.0), shift(1.5, 0.0, 0.0), shift(-2.5, 0.0, 0.0), shift(0.2, 0.1, 0.0)];
    let run = |order: [usize; 4]| {
        let mut space = OccupancySpace::new(bounds(), [32; 3]).unwrap();
        let numbers = ["a", "b", "c", "d"].map(|name| space.add(name, &sphere).unwrap());
        for k in order {
            space.place(numbers[k], &places[k]).unwrap();
        }
        for &message in space.messages() {
            for number in [message.occupant, message.intruder] {
                assert!(space.messages_to(number).any(|&m: &Message| m == message));
            }
        }
        (space.conflicts(), space.messages().len())
    };
    let (conflicts, messages) = run([0, 1, 2, 3]);
    assert_eq!(conflicts.iter().copied().collect::<Vec<_>>(), [(1, 2), (1, 4), (2, 4)]);
    assert!(messages > 0);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
        assert_eq!(run(order), (conflicts.clone(), messages));
    }
}

#[test]
fn a_space_says_what_it_cannot_hold() {
    let dot = Mesh::from_triangles(vec![DVec3::ZERO], vec![[0; 3]], &Default::default()).unwrap();
    let mut space = OccupancySpace::new(bounds(), [1024; 3]).unwrap();
    assert_eq!(space.dense_bytes(), 1 << 30);
    for number in 1..=255 {
        assert_eq!(space.add("dot", &dot), Ok(number));
    }
    assert_eq!(space.add("one more", &dot), Err(OccupancyError::Full));
    assert!(matches!(space.place(1, &shift(9.0, 0.0, 0.0)), Err(OccupancyError::OffGrid { .. })));
    assert!(matches!(space.place(1, &shift(f64::NAN, 0.0, 0.0)), Err(OccupancyError::BadPose { .. })));
    assert_eq!(space.place(0, &Pose::IDENTITY), Err(OccupancyError::Nobody(0)));
    assert!(matches!(OccupancySpace::new(bounds(), [0, 1, 1]), Err(OccupancyError::BadSpace { .. })));
    assert!(OccupancySpace::new(Aabb::EMPTY, [1; 3]).is_err());
}

/// One vertex of a body of two parts is outside a box that holds the other part: as printed they are apart.
#[test]
fn one_vertex_does_not_tell_where_a_body_of_two_parts_is() {
    let part = |at: f64| noli_scenes::cuboid(DVec3::splat(0.3)).map_vertices(|p| p + dvec3(at, 0.0, 0.0));
    let two = mesh(crate::common::merged([part(5.0), part(0.0)])).into_solid();
    let (two, large) = (Polyhedron::new(&two), Polyhedron::new(&block(-DVec3::ONE, DVec3::ONE)));
    let here = Pose::IDENTITY;
    assert_eq!(printed::boyse((&two, &here), (&large, &here)), Some(Interference::Disjoint));
    let (found, _) = interference((&two, &here), (&large, &here), &Budget::default()).unwrap();
    assert_eq!(found, Interference::AInsideB);
    // Of one part it tells, and it finds edges that meet faces.
    let one = Polyhedron::new(&mesh(part(0.0)).into_solid());
    assert_eq!(printed::boyse((&one, &here), (&large, &here)), Some(Interference::AInsideB));
    assert_eq!(printed::boyse((&large, &here), (&one, &here)), Some(Interference::BInsideA));
    let across = printed::boyse((&one, &shift(0.9, 0.0, 0.0)), (&large, &here));
    assert!(matches!(across, Some(Interference::Meeting { .. })));
}

/// All bodies in one plane of cells: one above another shares its cells there and not in space. Names lead to numbers.
#[test]
fn a_flat_space_knows_shadows_alone() {
    let cube = mesh(noli_scenes::cuboid(DVec3::splat(0.5))).into_solid();
    let fill = |mut space: OccupancySpace| {
        let [low, high, far] = ["low", "high", "far"].map(|name| space.add(name, &cube).unwrap());
        space.place(low, &shift(0.0, 0.0, -2.0)).unwrap();
        space.place(high, &shift(0.3, 0.2, 2.0)).unwrap();
        space.place(far, &shift(-2.5, 0.0, 0.0)).unwrap();
        assert_eq!((space.number("high"), space.number("nobody")), (Some(high), None));
        assert_eq!(space.name(high), Some("high"));
        space.conflicts().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(fill(OccupancySpace::flat(bounds(), [32; 2]).unwrap()), [(1, 2)]);
    assert!(fill(OccupancySpace::new(bounds(), [32; 3]).unwrap()).is_empty());
}
