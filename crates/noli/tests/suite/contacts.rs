//! Contacts from features, against all pairs of features and against what is known of simple bodies.

use super::common::contact_pairs::{Touched, bricks, cells, near_pair, near_pose, sheet, touching_pair, zoo};
use super::common::polycubes::shell;
use super::common::{model, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::Feature;
use noli::contacts::{FeatureContact, contacts, reduce};
use noli::model::MeshOptions;
use noli::{Budget, Convex, Mesh, Model, Placed, Pose, QueryContext, Scratch, Shape, World, clearance};
use noli_scenes::SplitMix64;

fn cuboid(x: f64, y: f64, z: f64) -> Model {
    model(&Mesh::cuboid(dvec3(x, y, z)).unwrap().into_solid())
}

fn found(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Vec<FeatureContact> {
    let listed = contacts(a, b, within);
    assert_eq!(listed.completeness, noli::answer::Completeness::Complete);
    listed.items
}

fn assert_all(found: &[FeatureContact], count: usize, normal: DVec3, clearance: f64) {
    assert_eq!(found.len(), count, "{found:#?}");
    for contact in found {
        assert!(contact.normal.abs_diff_eq(normal, 1e-12), "{contact:?}");
        assert!((contact.clearance - clearance).abs() < 1e-12, "{contact:?}");
        let between = contact.on_b.point - contact.on_a.point;
        assert!(between.abs_diff_eq(contact.normal * contact.clearance, 1e-9), "{contact:?}");
    }
}

#[test]
fn a_box_on_a_floor_stands_on_four_vertices_whatever_the_floor_is_made_of() {
    let brick = cuboid(1.0, 2.0, 0.5);
    let floors = [
        (Model::new(Shape::HalfSpace).unwrap(), 0.0),
        (cuboid(9.0, 9.0, 1.0), -0.5),
        (model(&sheet(8, |_, _| 0.0)), 0.0),
        (model(&sheet(33, |_, _| 0.0)), 0.0),
        (Model::new(Convex::cuboid(dvec3(9.0, 9.0, 1.0)).unwrap()).unwrap(), -0.5),
    ];
    for (floor, top) in &floors {
        for clearance in [0.0, 1e-6, 1e-3] {
            let (floor, brick) =
                (floor.at(shift(0.0, 0.0, *top)), brick.at(shift(0.1, -0.2, 0.25 + clearance)));
            assert_all(&found(&floor, &brick, 2e-3), 4, DVec3::Z, clearance);
            assert_all(&found(&brick, &floor, 2e-3), 4, -DVec3::Z, clearance);
        }
    }
}

#[test]
fn stacked_bricks_meet_at_the_vertices_of_what_they_share() {
    let brick = cuboid(2.0, 1.0, 0.5);
    for clearance in [0.0, 1e-5] {
        // Aligned, shifted along one edge, along both, and turned by a quarter.
        let up = 0.5 + clearance;
        for place in [shift(0.0, 0.0, up), shift(0.5, 0.0, up), shift(0.5, 0.25, up)] {
            assert_all(&found(&brick.at(Pose::IDENTITY), &brick.at(place), 1e-3), 4, DVec3::Z, clearance);
        }
        let crossed = Pose::new(super::common::QUARTER_TURN, DVec3::Z * up);
        let across = found(&brick.at(Pose::IDENTITY), &brick.at(crossed), 1e-3);
        assert_all(&across, 4, DVec3::Z, clearance);
        let two_edges = |c: &FeatureContact| {
            matches!((c.on_a.feature, c.on_b.feature), (Some(Feature::Edge(_)), Some(Feature::Edge(_))))
        };
        assert!(across.iter().all(two_edges));
    }
}

#[test]
fn a_ridge_along_a_ridge_has_two_contacts_and_across_it_one() {
    let roof = |sign: f64| {
        let ends = [-1.0, 1.0].map(|x| [dvec3(x, -1.0, -sign), dvec3(x, 1.0, -sign), dvec3(x, 0.0, 0.0)]);
        Model::new(Convex::hull(ends.as_flattened().iter().copied()).unwrap()).unwrap()
    };
    let (below, above) = (roof(1.0), roof(-1.0));
    for clearance in [0.0, 1e-5] {
        let along = found(&below.at(Pose::IDENTITY), &above.at(shift(0.5, 0.0, clearance)), 1e-3);
        assert_all(&along, 2, DVec3::Z, clearance);
        let turned = Pose::new(DQuat::from_rotation_z(1.0), DVec3::Z * clearance);
        let across = found(&below.at(Pose::IDENTITY), &above.at(turned), 1e-3);
        assert_all(&across, 1, DVec3::Z, clearance);
    }
}

#[test]
fn a_peg_in_a_hole_is_held_all_round() {
    let n = 24u32;
    let ring = |radius: f64, z: f64| {
        (0..n).map(move |k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(n)).sin_cos();
            dvec3(radius * cos, radius * sin, z)
        })
    };
    let peg = Convex::hull(ring(1.0, -2.0).chain(ring(1.0, 2.0))).unwrap();
    let peg = model(&peg.core().to_hull().unwrap().to_mesh().unwrap().into_solid());
    // The wall of the hole, seen from inside.
    let vertices: Vec<DVec3> = ring(1.01, -1.0).chain(ring(1.01, 1.0)).collect();
    let walls = (0..n).flat_map(|k| {
        let l = (k + 1) % n;
        [[k, l, l + n], [k, l + n, k + n]]
    });
    let hole = Mesh::from_triangles(vertices, walls.collect(), &MeshOptions::default()).unwrap();
    let hole = model(&hole);
    let half_a_side = 0.5 * std::f64::consts::TAU / f64::from(n);
    // An edge that looks into an edge of the hole is held by the walls on both sides of it, one that looks at the middle of
    // a wall by that; each at both rims.
    for (turn, walls) in [(0.0, 2), (half_a_side, 1)] {
        let held = found(
            &peg.at(Pose::from_rotation(DQuat::from_rotation_z(turn))),
            &hole.at(Pose::IDENTITY),
            0.015,
        );
        assert_eq!(held.len(), walls * 2 * n as usize);
        for contact in &held {
            assert!(contact.clearance > 0.0 && contact.clearance < 0.0101);
            assert!((contact.middle().z.abs() - 1.0).abs() < 1e-12, "{contact:?}");
            let radial = contact.middle().with_z(0.0).normalize();
            assert!(contact.normal.dot(radial) > 0.98, "{contact:?}");
        }
    }
    // Only so is it known that the peg cannot turn.
    let held = found(&peg.at(Pose::IDENTITY), &hole.at(Pose::IDENTITY), 0.015);
    for spin in [DVec3::Z, -DVec3::Z] {
        let approach = |c: &FeatureContact| spin.cross(c.on_a.point).dot(c.normal);
        assert!(held.iter().any(|contact| approach(contact) > 0.1));
    }
}

/// A vertex that slides along a wall must know the wall that it slides towards, or it would bounce between both.
#[test]
fn in_a_groove_both_walls_are_near_and_on_a_ridge_one() {
    let bent = |sign: f64| model(&sheet(4, |x, _| sign * 0.2 * x.abs()));
    let probe = cuboid(0.5, 0.5, 0.5);
    let vertex_down = DQuat::from_rotation_arc(dvec3(1.0, 1.0, 1.0).normalize(), DVec3::Z);
    let lowest = 0.25 * 3f64.sqrt();
    for (sign, walls) in [(1.0, 2), (-1.0, 1)] {
        let ground = bent(sign);
        let place = Pose::new(vertex_down, dvec3(0.05, 0.3, sign * 0.01 + 1e-3 + lowest));
        let near = found(&ground.at(Pose::IDENTITY), &probe.at(place), 0.1);
        assert_eq!(near.len(), walls, "{near:#?}");
        for contact in &near {
            assert!(matches!(contact.on_a.feature, Some(Feature::Face(_))));
            assert!(contact.normal.z > 0.97 && contact.clearance > 0.0);
        }
    }
}

#[test]
fn seams_of_a_wall_hold_nothing_back() {
    let floor = model(&sheet(16, |_, _| 0.0));
    let tilted = cuboid(1.0, 1.0, 1.0);
    for k in 0..200 {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.05 * f64::from(k));
        let probe = Pose::new(turn, dvec3(0.013 * f64::from(k) - 1.0, 0.5, 0.0));
        let low = clearance(&floor.at(shift(0.0, 0.0, -9.0)), &tilted.at(probe)).distance.at_most - 9.0;
        let place = Pose::new(turn, probe.translation - DVec3::Z * (low - 1e-4));
        let near = found(&floor.at(Pose::IDENTITY), &tilted.at(place), 1e-2);
        assert!(!near.is_empty());
        for contact in near {
            assert!(contact.normal.abs_diff_eq(DVec3::Z, 1e-9), "{contact:?}");
        }
    }
}

/// Two posts that share a line: its vertices were once told as vertices, because four faces meet there.
#[test]
fn a_vertex_within_an_edge_of_four_faces_is_no_vertex() {
    let mut random = SplitMix64::new(1);
    let cells = [[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]].into_iter().collect();
    let posts = model(&shell(&cells, &mut random, |vertex| DVec3::from_array(vertex.map(f64::from))));
    // In the groove between them, over the middle of the line.
    let (brick, pose) = (cuboid(1.0, 1.0, 1.0), shift(1.5, 0.5, 1.0));
    let posts = posts.at(Pose::IDENTITY);
    let touched = touching_pair(&posts, (&brick, pose), &mut random, 1.0);
    assert!(touched.as_ref().is_ok_and(|touched| touched.leaves), "{touched:?}");
    for contact in found(&posts, &brick.at(pose), 1e-9) {
        assert!(!matches!(contact.on_a.feature, Some(Feature::Vertex(_))), "{contact:?}");
    }
}

/// The vertices of a straight border are no vertices either: a long strip lies on its four.
#[test]
fn a_strip_lies_on_the_ends_of_its_borders() {
    let strip = sheet(6, |_, _| 0.0);
    let (strip, floor) = (model(&strip), cuboid(20.0, 20.0, 1.0));
    for clearance in [0.0, 1e-5] {
        let found = found(&floor.at(shift(0.0, 0.0, -0.5)), &strip.at(shift(0.0, 0.0, clearance)), 1e-3);
        assert_all(&found, 4, DVec3::Z, clearance);
    }
}

/// Every pair of the zoo in so many poses; how many contacts they have.
fn pairs_of_the_zoo(poses: u32) -> usize {
    let zoo = zoo();
    let mut count = 0;
    for (i, a) in zoo.iter().enumerate() {
        for (k, b) in zoo.iter().enumerate() {
            for number in 0..poses {
                let clearance = [1e-3, 1e-6, 3e-2][number as usize % 3];
                let pose = near_pose(a, b, u64::from(number) + 10_000 * (i * 10 + k) as u64, clearance);
                let within = [2.0 * clearance, 0.1, 0.3][number as usize / 3 % 3];
                let found = near_pair(a, b, pose, within);
                count += found.unwrap_or_else(|wrong| panic!("{i} {k} {number} {within}: {wrong}"));
            }
        }
    }
    count
}

#[test]
fn the_walk_finds_what_all_pairs_of_features_hold_and_nothing_comes_nearer_than_they_say() {
    let count = pairs_of_the_zoo(9);
    assert!(count > 1_000, "{count}");
}

/// A sample of what `examples/contact_campaign.rs` does for very many.
#[test]
fn what_touches_may_leave_along_its_normals_and_go_against_none() {
    let mut random = SplitMix64::new(18);
    for (kind, make) in [("bricks", bricks as fn(&mut SplitMix64) -> _), ("cells", cells)] {
        let rounds = (0..3000).filter_map(|_| make(&mut random));
        let touched: Vec<Touched> =
            rounds.collect::<Result<_, String>>().unwrap_or_else(|wrong| panic!("{wrong}"));
        let left = touched.iter().filter(|touched| touched.leaves).count();
        assert!(touched.len() > 200 && left > 150, "{kind}: {} {left}", touched.len());
    }
}

#[test]
fn a_power_of_two_scales_every_contact_exactly() {
    let zoo = zoo();
    for (i, k) in [(0, 1), (2, 3), (1, 2), (0, 5)] {
        let pose = near_pose(&zoo[i], &zoo[k], 7, 1e-3);
        let plain = found(&zoo[i].at(Pose::IDENTITY), &zoo[k].at(pose), 0.1);
        for factor in [2f64.powi(40), 2f64.powi(-40), 2f64.powi(200), 2f64.powi(-200)] {
            let [a, b] = [i, k].map(|n| zoo[n].scaled(factor).unwrap());
            let there = Pose::new(pose.rotation, pose.translation * factor);
            let scaled = found(&a.at(Pose::IDENTITY), &b.at(there), 0.1 * factor);
            assert_eq!(scaled.len(), plain.len());
            for (x, y) in plain.iter().zip(&scaled) {
                assert_eq!((x.id(), x.normal), (y.id(), y.normal));
                assert_eq!((x.clearance * factor, x.on_a.point * factor), (y.clearance, y.on_a.point));
            }
        }
    }
}

#[test]
fn compounds_tell_their_parts_and_worlds_their_pairs() {
    let legs = [dvec3(1.0, 1.0, 0.0), dvec3(-1.0, 1.0, 0.0), dvec3(0.0, -1.0, 0.0)];
    let foot = || Shape::from(Convex::sphere(0.1).unwrap());
    let table = Shape::Compound(legs.iter().map(|&at| (Pose::from_translation(at), foot())).collect());
    let (table, floor) = (Model::new(table).unwrap(), Model::new(Shape::HalfSpace).unwrap());
    let mut world = World::default();
    world.add("floor", &floor, Pose::IDENTITY).unwrap();
    world.add("table", &table, shift(0.0, 0.0, 0.1 + 1e-5)).unwrap();
    world.add("far", &table, shift(0.0, 9.0, 3.0)).unwrap();
    let pairs = world.contacts(1e-3).unwrap();
    assert_eq!(pairs.len(), 1);
    let parts: Vec<_> = pairs[0].contacts.iter().map(|c| c.on_b.part).collect();
    assert_eq!(parts, [Some(0), Some(1), Some(2)]);
}

#[test]
fn reducing_keeps_the_rim_and_bounds_what_it_drops() {
    let (floor, grid) =
        (cuboid(30.0, 30.0, 1.0), sheet(8, |x, y| 1e-4 * ((x * 9.1).sin() + (y * 7.3).cos())));
    let bumpy = model(&grid);
    let mut all = found(&floor.at(shift(0.0, 0.0, -0.5)), &bumpy.at(shift(0.0, 0.0, 1e-3)), 2e-3);
    let before = all.len();
    assert!(before > 60);
    let bound = reduce(&mut all, 0.01);
    assert!(all.len() < before && all.len() >= 4);
    assert!(bound > 0.0 && bound < 1e-3, "{bound}");
    let vertex = |c: &FeatureContact| c.middle().x.abs() > 3.99 && c.middle().y.abs() > 3.99;
    assert_eq!(all.iter().filter(|c| vertex(c)).count(), 4);
}

#[test]
fn a_budget_ends_the_search_and_says_so() {
    let zoo = zoo();
    let pose = near_pose(&zoo[1], &zoo[2], 3, 1e-3);
    let (mut scratch, mut list) = (Scratch::default(), Vec::new());
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(2));
    let (completeness, _) = context.contacts(&zoo[1].at(Pose::IDENTITY), &zoo[2].at(pose), 0.1, &mut list);
    assert_eq!(completeness, noli::answer::Completeness::Partial);
}
