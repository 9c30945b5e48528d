//! Penetration depth and common volume of solids: brackets against known values, witnesses rechecked.

use crate::common::depths::{Blocks, Known, known_pairs};
use crate::common::{mesh, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Bracket, Penetration};
use noli::model::{Shape, Voxels};
use noli::penetration::{self, PenetrationQuery, VolumeQuery};
use noli::{
    Budget, Convex, Mesh, Model, Overlap, Placed, Pose, QueryContext, Relation, Scratch, overlap, relation,
};
use noli_scenes::{SplitMix64, bumpy_sphere, grid_plane, torus};

fn moved<'m>(b: &Placed<'m>, by: DVec3) -> Placed<'m> {
    let pose = b.world_from_self;
    b.model.at(Pose { translation: pose.translation + by, ..pose })
}

/// The witness is free, and random translations shorter than the lower end are not.
fn recheck(name: &str, a: &Placed<'_>, b: &Placed<'_>, found: &Penetration, random: &mut SplitMix64) {
    let path = found.translation().unwrap_or_else(|| panic!("{name}: no way out: {found:?}"));
    assert_eq!(overlap(a, &moved(b, path)), Overlap::Free, "{name}: {found:?}");
    assert!((found.direction.unwrap().length() - 1.0).abs() < 1e-12, "{name}");
    assert!(found.depth.at_least <= found.depth.at_most, "{name}: {found:?}");
    for _ in 0..30 {
        let shorter = random.direction() * (found.depth.at_least * random.unit().cbrt());
        let stands = relation(a, &moved(b, shorter));
        assert!(
            matches!(stands, Relation::Intersecting | Relation::Inside),
            "{name}: {shorter} {stands:?} {found:?}"
        );
    }
}

#[test]
fn known_pairs_lie_in_their_brackets() {
    let mut random = SplitMix64::new(1);
    for Known { name, a, b, pose, depth } in known_pairs() {
        let (a, b) = (a.at(Pose::IDENTITY), b.at(pose));
        let found = penetration::penetration(&a, &b, &PenetrationQuery::FAST);
        recheck(&name, &a, &b, &found, &mut random);
        if let Some(truth) = depth {
            let widened =
                Bracket { at_least: found.depth.at_least - 1e-12, at_most: found.depth.at_most + 1e-12 };
            assert!(widened.contains(truth), "{name}: {found:?}, truth {truth}");
        }
        let turned = penetration::penetration(&b, &a, &PenetrationQuery::FAST).depth;
        assert!(turned.intersection(&found.depth).is_some(), "{name}: {found:?} {turned:?}");
    }
}

#[test]
fn unions_of_boxes_lie_in_their_brackets() {
    let mut random = SplitMix64::new(5);
    let mut ratios = Vec::new();
    for case in 0..60 {
        let [a, b] = [(); 2].map(|()| {
            let cells = 1 + (random.next_u64() % 12) as usize;
            Blocks::random(&mut random, cells)
        });
        let offset = a.middle() - b.middle() + random.direction() * random.between(0.0, 1.0);
        let (truth, volume) = (a.depth(&b, offset), a.common_volume(&b, offset));
        let [x, y] = [&a, &b].map(|blocks| Model::from(blocks.mesh(&mut random)));
        let (x, y) = (x.at(Pose::IDENTITY), y.at(Pose::from_translation(offset)));
        let found = penetration::penetration(&x, &y, &PenetrationQuery::FAST);
        let told = penetration::overlap_volume(&x, &y, &VolumeQuery::FAST);
        assert!(told.contains(volume), "{case}: {told:?} {volume}");
        if truth < 1e-9 {
            continue;
        }
        recheck(&format!("case {case}"), &x, &y, &found, &mut random);
        let Bracket { at_least, at_most } = found.depth;
        assert!(
            at_least <= truth * (1.0 + 1e-9) && truth <= at_most * (1.0 + 1e-9),
            "{case}: {found:?} {truth}"
        );
        ratios.push(if at_least > 0.0 { at_most / at_least } else { f64::INFINITY });
    }
    ratios.sort_by(f64::total_cmp);
    assert!(ratios[ratios.len() / 2] < 1.5, "{ratios:?}");
}

/// Bodies, hulls of meshes and meshes that are convex: as narrow as the polytope makes it.
#[test]
fn convex_pairs_are_known_exactly() {
    let mut random = SplitMix64::new(11);
    for _ in 0..40 {
        let vertices = |random: &mut SplitMix64| -> Vec<DVec3> {
            (0..20).map(|_| random.direction() * random.between(0.5, 1.0)).collect()
        };
        let hulls = [(); 2].map(|()| Convex::hull(vertices(&mut random)).unwrap());
        let models = hulls.clone().map(|hull| Model::new(hull).unwrap());
        let solids =
            hulls.map(|hull| Model::from(hull.core().to_hull().unwrap().to_mesh().unwrap().into_solid()));
        let pose = Pose::new(random.rotation(), random.direction() * random.between(0.2, 1.0));
        let of = |[a, b]: &[Model; 2]| {
            penetration::penetration(&a.at(Pose::IDENTITY), &b.at(pose), &PenetrationQuery::FAST)
        };
        let (found, meshes) = (of(&models), of(&solids));
        if found == Penetration::NONE {
            continue;
        }
        assert!(found.depth.width() <= 1e-9 * found.depth.at_most, "{found:?}");
        assert!(meshes.depth.width() <= 1e-6 * meshes.depth.at_most, "{meshes:?}");
        assert!(found.depth.intersection(&meshes.depth).is_some(), "{found:?} {meshes:?}");
        recheck("hulls", &solids[0].at(Pose::IDENTITY), &solids[1].at(pose), &meshes, &mut random);
    }
}

#[test]
fn every_form_has_a_bracket() {
    let mut random = SplitMix64::new(2);
    let sphere = Model::new(Convex::sphere(0.5).unwrap()).unwrap();
    let drum = Model::new(Convex::cylinder(1.0, 0.4).unwrap()).unwrap();
    let cube = Model::new(Mesh::cuboid(DVec3::ONE).unwrap().into_solid()).unwrap();
    let ring = Model::from(mesh(torus(0.8, 0.3, 24, 12)).into_solid());
    let halves = |x: f64| (shift(x, 0.0, 0.0), Shape::from(Convex::cuboid(dvec3(1.0, 0.6, 0.6)).unwrap()));
    let bar = Model::new(Shape::Compound(vec![halves(-0.4), halves(0.4)])).unwrap();
    let field = Model::new(noli::Field::parse("sphere(0.6)").unwrap()).unwrap();
    let all = [
        ("sphere", &sphere),
        ("drum", &drum),
        ("cube", &cube),
        ("ring", &ring),
        ("bar", &bar),
        ("field", &field),
    ];
    let pose = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), dvec3(0.35, 0.2, 0.1));
    for (i, (first, a)) in all.iter().enumerate() {
        for (second, b) in &all[i..] {
            let (a, b) = (a.at(Pose::IDENTITY), b.at(pose));
            if overlap(&a, &b) != Overlap::Hit {
                continue;
            }
            let found = penetration::penetration(&a, &b, &PenetrationQuery::FAST);
            let name = format!("{first} and {second}");
            let path = found.translation().unwrap_or_else(|| panic!("{name}: {found:?}"));
            assert_eq!(overlap(&a, &moved(&b, path)), Overlap::Free, "{name}: {found:?}");
            for _ in 0..20 {
                let shorter = random.direction() * (0.999 * found.depth.at_least * random.unit());
                assert_ne!(overlap(&a, &moved(&b, shorter)), Overlap::Free, "{name}: {found:?}");
            }
            if !name.contains("field") {
                assert!(found.depth.at_least > 0.3 * found.depth.at_most, "{name}: {found:?}");
            }
            let volume = penetration::overlap_volume(&a, &b, &VolumeQuery::FAST);
            assert!(volume.at_least <= volume.at_most && volume.at_most < 1.5, "{name}: {volume:?}");
        }
    }
}

#[test]
fn volumes_of_round_bodies_are_known() {
    let sphere = |r| Model::new(Convex::sphere(r).unwrap()).unwrap();
    let (a, b) = (sphere(1.0), sphere(0.25));
    let inside = penetration::overlap_volume(
        &a.at(Pose::IDENTITY),
        &b.at(shift(0.2, 0.1, 0.0)),
        &VolumeQuery::default(),
    );
    let whole = 4.0 / 3.0 * std::f64::consts::PI * 0.25f64.powi(3);
    let near = |told: &Bracket, truth: f64| {
        told.width() <= 1e-12 * truth && (told.at_most - truth).abs() <= 1e-12 * truth
    };
    assert!(near(&inside, whole), "{inside:?} {whole}");
    // Equal spheres share two caps, also where they are one.
    let share = |x: f64| {
        let pose = |x: f64| Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9), dvec3(0.3 + x, 0.7, -0.2));
        penetration::overlap_volume(&a.at(pose(0.0)), &a.at(pose(x)), &VolumeQuery::FAST)
    };
    for x in [0.0, 0.5, 1.0, 1.875] {
        let truth = std::f64::consts::PI / 12.0 * (4.0 + x) * (2.0 - x).powi(2);
        assert!(near(&share(x), truth), "{x}: {:?} {truth}", share(x));
    }
    assert_eq!(share(2.5), Bracket::ZERO);
    let cells = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2]);
    let body = Model::new(Voxels::new(0.5, cells).unwrap()).unwrap();
    let cube = Model::new(Mesh::cuboid(DVec3::ONE).unwrap().into_solid()).unwrap();
    // The voxels fill the cube from 0 to 1.
    let there = cube.at(shift(1.0, 0.5, 0.5));
    let told = penetration::overlap_volume(&body.at(Pose::IDENTITY), &there, &VolumeQuery::default());
    assert!(told.contains(0.5), "{told:?}");
}

#[test]
fn no_common_volume_is_no_depth() {
    let cube = Model::new(Mesh::cuboid(DVec3::ONE).unwrap().into_solid()).unwrap();
    let here = cube.at(Pose::IDENTITY);
    for x in [1.0, 1.5] {
        let there = cube.at(shift(x, 0.3, 0.0));
        assert_eq!(penetration::penetration(&here, &there, &PenetrationQuery::FAST), Penetration::NONE);
        assert_eq!(penetration::overlap_volume(&here, &there, &VolumeQuery::FAST), Bracket::ZERO);
        assert_eq!(
            penetration::penetration_along(&here, &there, DVec3::X, &PenetrationQuery::FAST),
            Bracket::ZERO
        );
    }
    // Surfaces have no inside: only a way out is known.
    let sheet = Model::from(mesh(grid_plane(1.0, 2)));
    let found = penetration::penetration(&here, &sheet.at(Pose::IDENTITY), &PenetrationQuery::FAST);
    assert!(found.depth.at_least == 0.0 && found.depth.at_most < 0.51, "{found:?}");
    assert_eq!(
        penetration::overlap_volume(&here, &sheet.at(Pose::IDENTITY), &VolumeQuery::FAST),
        Bracket::ZERO
    );
}

/// Stopped anywhere, the bracket holds, and more looks never make it wider.
#[test]
fn more_looks_narrow_the_bracket() {
    let ring = Model::from(mesh(torus(1.0, 0.4, 24, 12)).into_solid());
    let pose = Pose::new(DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0), dvec3(1.4, 0.2, 0.0));
    let (a, b) = (ring.at(Pose::IDENTITY), ring.at(pose));
    let mut last = Bracket::OPEN;
    for looks in [1, 10, 50, 100, 300, 1000, 3000] {
        let found = penetration::penetration(&a, &b, &PenetrationQuery { tolerance: 0.0, looks }).depth;
        let widened = last.at_most * (1.0 + 1e-9);
        assert!(
            found.at_least >= last.at_least * (1.0 - 1e-9) && found.at_most <= widened,
            "{looks}: {found:?} {last:?}"
        );
        last = found;
    }
    assert!(last.at_most < 1.5 * last.at_least, "{last:?}");
    let mut scratch = Scratch::default();
    for steps in [0, 10, 100, 1000, 10_000] {
        let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps));
        let found = context.penetration(&a, &b, &PenetrationQuery::default()).depth;
        assert!(found.intersection(&last).is_some(), "{steps}: {found:?} {last:?}");
    }
    assert!(noli::penetration(&a, &b).depth.intersection(&last).is_some());
}

#[test]
fn scaled_by_a_power_of_two_everything_scales() {
    let body =
        |scale: f64| Model::from(mesh(torus(1.0, 0.4, 16, 8).map_vertices(|v| v * scale)).into_solid());
    let turn = DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    let of = |scale: f64| {
        let ring = body(scale);
        let pose = Pose::new(turn, dvec3(1.4, 0.2, 0.0) * scale);
        let found =
            penetration::penetration(&ring.at(Pose::IDENTITY), &ring.at(pose), &PenetrationQuery::FAST);
        let volume =
            penetration::overlap_volume(&ring.at(Pose::IDENTITY), &ring.at(pose), &VolumeQuery::FAST);
        (found, volume)
    };
    let (found, volume) = of(1.0);
    for scale in [2.0f64.powi(-40), 2.0f64.powi(30)] {
        let (other, other_volume) = of(scale);
        assert_eq!(other.depth.at_least, found.depth.at_least * scale);
        assert_eq!(other.depth.at_most, found.depth.at_most * scale);
        assert_eq!(other_volume.at_most, volume.at_most * scale.powi(3));
    }
}

/// Along a direction the first free place counts, also where it is in a pocket.
#[test]
fn depth_along_a_direction_is_exact() {
    let mut random = SplitMix64::new(8);
    let planes = || [vec![0.0, 0.3, 1.2, 1.5], vec![0.0, 1.0], vec![0.0, 1.0]];
    let frame = Blocks::of(planes(), |[x, _, _]| x != 1).mesh(&mut random);
    // Two posts that are one body by a bar far above.
    let frame = Model::from(frame);
    let pin = Model::new(Mesh::cuboid(DVec3::splat(0.4)).unwrap().into_solid()).unwrap();
    let (a, b) = (frame.at(Pose::IDENTITY), pin.at(shift(0.2, 0.5, 0.5)));
    let along = |direction| penetration::penetration_along(&a, &b, direction, &PenetrationQuery::default());
    // From 0.0 .. 0.4 into the clearance from 0.3 to 1.2.
    assert!(along(DVec3::X).contains(0.3) && along(DVec3::X).width() < 1e-6, "{:?}", along(DVec3::X));
    assert!(along(-DVec3::X).contains(0.4), "{:?}", along(-DVec3::X));
    assert!(along(DVec3::Z * 7.0).contains(0.7), "{:?}", along(DVec3::Z));
    assert_eq!(along(DVec3::ZERO), Bracket::OPEN);
}

#[test]
fn protrusion_is_that_of_the_deepest_vertex() {
    let cube = Model::new(Mesh::cuboid(DVec3::ONE).unwrap().into_solid()).unwrap();
    let here = cube.at(Pose::IDENTITY);
    let told = penetration::max_vertex_depth(&here, &cube.at(shift(0.9, 0.8, 0.7)));
    assert!(told.contains(0.1) && told.width() < 1e-9, "{told:?}");
    // Beams that cross: no vertex is inside, though they are far from free.
    let beam = Model::new(Mesh::cuboid(dvec3(4.0, 0.5, 0.5)).unwrap().into_solid()).unwrap();
    let across = Pose::new(crate::common::QUARTER_TURN, dvec3(0.0, 0.0, 0.2));
    assert_eq!(penetration::max_vertex_depth(&beam.at(Pose::IDENTITY), &beam.at(across)), Bracket::ZERO);
}

/// Faces of both in one plane, at the top or along a wall, were counted twice: 1.125 was told of the prisms.
#[test]
fn volumes_of_bodies_that_share_planes_are_known() {
    let prism = Mesh::from_triangles(
        [0.0, 2.0]
            .into_iter()
            .flat_map(|z| [dvec3(0.0, 0.0, z), dvec3(1.0, 0.0, z), dvec3(0.0, 1.0, z)])
            .collect(),
        vec![[2, 1, 0], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]],
        &Default::default(),
    );
    let prism = Model::from(prism.unwrap().into_solid());
    let cube = Model::new(Convex::cuboid(DVec3::ONE).unwrap()).unwrap();
    let turns = [DQuat::IDENTITY, crate::common::QUARTER_TURN, DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9)];
    for turn in turns {
        let here = Pose::new(turn, dvec3(0.3, -0.2, 0.1));
        let share = |model: &Model, by: DVec3| {
            let there = Pose { translation: here.translation + turn.normalize() * by, ..here };
            penetration::overlap_volume(&model.at(here), &model.at(there), &VolumeQuery::FAST)
        };
        for (model, by, truth) in [
            (&prism, dvec3(0.25, 0.0, 0.0), 0.5625),
            (&prism, DVec3::ZERO, 1.0),
            (&prism, dvec3(0.0, 0.0, 0.5), 0.75),
            (&cube, dvec3(0.95, 0.0, 0.0), 0.05),
            (&cube, dvec3(0.5, 0.25, 0.0), 0.375),
            (&cube, DVec3::ZERO, 1.0),
        ] {
            let told = share(model, by);
            let wide = Bracket { at_least: told.at_least - 1e-12, at_most: told.at_most + 1e-12 };
            assert!(wide.contains(truth) && told.width() < 1e-10, "{by}, turned {turn}: {told:?} {truth}");
        }
    }
}

/// The sum over columns against cells: two ways to the same number.
#[test]
fn columns_and_cells_agree() {
    let a = Model::from(mesh(bumpy_sphere(8, 0.3)).into_solid());
    let pose = Pose::new(DQuat::from_xyzw(0.3, 0.1, 0.2, 0.9), dvec3(0.9, 0.4, 0.2));
    let summed = penetration::overlap_volume(&a.at(Pose::IDENTITY), &a.at(pose), &VolumeQuery::default());
    assert!(summed.width() < 1e-9 * summed.at_most, "{summed:?}");
    // A compound is parted into cells.
    let parts = vec![(Pose::IDENTITY, Shape::from(a.mesh().unwrap()))];
    let compound = Model::new(Shape::Compound(parts)).unwrap();
    let query = VolumeQuery { tolerance: 0.2, looks: 400_000 };
    let parted = penetration::overlap_volume(&compound.at(Pose::IDENTITY), &a.at(pose), &query);
    assert!(
        parted.intersection(&summed).is_some() && parted.width() < 1.2 * summed.at_most,
        "{parted:?} {summed:?}"
    );
}
