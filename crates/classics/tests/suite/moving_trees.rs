//! Volumes around moving volumes, and trees of them against each other: what the mended ones hold, what the printed ones lose.

use crate::common::{merged, mesh};
use glam::{DMat3, DQuat, DVec3, dvec3};
use noli::motion::{Motion, RigidMotion, Still};
use noli::{Budget, Guarantee, Mesh, Model, Pose, intersections};
use noli_classics::tree::{
    CutShort, Enclosing, FaceTest, MixedSweep, Order, Rank, Split, SweepOptions, SweptVolume, TreeOptions,
    VolumeChoice, VolumeTree, WalkOptions,
};
use noli_geom::{Aabb, AnyVolume, ApproximateQuery, FeatureQuery, Finder, Obb, Sphere, Volume, VolumeKind};
use noli_scenes::{SplitMix64, bumpy_sphere, cuboid, random_motion, tetrahedron};

const KINDS: [VolumeKind; 3] = [VolumeKind::Sphere, VolumeKind::Aabb, VolumeKind::Obb];

fn paths(as_printed: bool) -> impl Iterator<Item = SweptVolume> {
    let by = [Enclosing::Ends, Enclosing::Length];
    by.into_iter().flat_map(move |by| KINDS.map(|kind| SweptVolume { by, kind: Some(kind), as_printed }))
}

fn random_volume(random: &mut SplitMix64, kind: VolumeKind) -> AnyVolume {
    let center = random.direction() * random.between(0.0, 2.0);
    let half = dvec3(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
    match kind {
        VolumeKind::Sphere => AnyVolume::Sphere(Sphere { center, radius: half.x }),
        VolumeKind::Obb => {
            AnyVolume::Obb(Obb { center, axes: DMat3::from_quat(random.rotation()), half_extents: half })
        }
        _ => AnyVolume::Aabb(Aabb { min: center - half, max: center + half }),
    }
}

/// Points of the surface: the vertices of a box, some of a sphere.
fn points(volume: &AnyVolume, random: &mut SplitMix64) -> Vec<DVec3> {
    let vertices = |obb: &Obb| {
        let own = Aabb { min: -obb.half_extents, max: obb.half_extents };
        own.vertices().map(|c| obb.center + obb.axes * c).to_vec()
    };
    match volume {
        AnyVolume::Sphere(sphere) => {
            (0..12).map(|_| sphere.center + random.direction() * (sphere.radius * (1.0 - 1e-12))).collect()
        }
        AnyVolume::Aabb(aabb) => vertices(&Obb::from(*aabb)),
        AnyVolume::Obb(obb) => vertices(obb),
        AnyVolume::Kdop(_) => Vec::new(),
    }
}

/// All six entries of both methods hold every point at every time; as printed, points leave most of them.
#[test]
fn swept_volumes_hold_all_places() {
    let mut random = SplitMix64::new(92);
    let (mut left, mut asked) = (0, 0);
    for round in 0..150 {
        let kind = KINDS[round % 3];
        let volume = random_volume(&mut random, kind);
        let motion = random_motion(&mut random, 3.0);
        let points = points(&volume, &mut random);
        let swept: Vec<(SweptVolume, AnyVolume)> =
            paths(false).map(|path| (path, path.around(&volume, &motion, (0.0, 1.0)))).collect();
        let printed: Vec<AnyVolume> =
            paths(true).map(|path| path.around(&volume, &motion, (0.0, 1.0))).collect();
        let mut leaves = vec![false; printed.len()];
        for k in 0..=24 {
            let pose = motion.pose(f64::from(k) / 24.0);
            for point in &points {
                let place = pose.transform_point(*point);
                for (path, volume) in &swept {
                    assert!(volume.holds(place), "{round} {path:?} {volume:?} {place}");
                }
                leaves.iter_mut().zip(&printed).for_each(|(leaves, volume)| *leaves |= !volume.holds(place));
            }
        }
        left += leaves.iter().filter(|leaves| **leaves).count();
        asked += leaves.len();
    }
    assert!(left * 10 > asked, "as printed, points left {left} of {asked}");
}

/// A straight way gives exactly the extents of both ends, and no motion the volume itself in its own kind.
#[test]
fn straight_ways_are_enclosed_tightly() {
    let mut random = SplitMix64::new(93);
    for kind in KINDS {
        let volume = random_volume(&mut random, kind);
        let path = SweptVolume::default();
        let still = path.around(&volume, &Still(Pose::IDENTITY), (0.0, 1.0));
        let shift = dvec3(1.0, -2.0, 0.5);
        let straight = RigidMotion::between(&Pose::IDENTITY, &Pose::from_translation(shift), volume.center());
        let swept = path.around(&volume, &straight, (0.0, 1.0));
        for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
            assert!((still.support(direction) - volume.support(direction)).abs() < 1e-9, "{kind:?}");
        }
        let in_box = SweptVolume { kind: Some(VolumeKind::Aabb), ..path };
        let around = in_box.around(&volume, &straight, (0.0, 1.0));
        for direction in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
            let ends = volume.support(direction) + direction.dot(shift).max(0.0);
            assert!((around.support(direction) - ends).abs() < 1e-9, "{kind:?} {direction}");
            assert!(swept.support(direction) >= ends - 1e-9);
        }
    }
}

/// A point one from the axis goes 1 in a turn by 60° and √2 in one by 90°, also when it is on the axis or far from the world's
/// origin; the printed length of a body that turns where it stands grows with its distance from there.
#[test]
fn lengths_do_not_depend_on_where_the_world_begins() {
    let length = |center: DVec3, pivot: DVec3, angle: f64, as_printed: bool| {
        let turn = Pose::from_rotation(DQuat::from_rotation_z(angle));
        let about = Pose::from_translation(pivot) * turn * Pose::from_translation(-pivot);
        let motion = RigidMotion::between(&Pose::IDENTITY, &about, pivot);
        let speck = AnyVolume::Sphere(Sphere { center, radius: 0.0 });
        let path = SweptVolume { by: Enclosing::Length, kind: None, as_printed };
        let AnyVolume::Sphere(sphere) = path.around(&speck, &motion, (0.0, 1.0)) else { panic!("a sphere") };
        sphere.radius
    };
    for pivot in [DVec3::ZERO, dvec3(1000.0, 0.0, 0.0)] {
        assert!((length(pivot + DVec3::X, pivot, std::f64::consts::FRAC_PI_3, false) - 1.0).abs() < 1e-9);
        assert!(
            (length(pivot + DVec3::X, pivot, std::f64::consts::FRAC_PI_2, false) - 2f64.sqrt()).abs() < 1e-9
        );
        assert!(length(pivot, pivot, 1.0, false) < 1e-9, "on the axis");
    }
    let far = dvec3(1000.0, 0.0, 0.0);
    assert!(length(far + DVec3::X, far, 0.1, false) < 0.11);
    assert!((length(far + DVec3::X, far, 0.1, true) - 200.0).abs() < 1.0);
}

fn bodies() -> Vec<Mesh> {
    let blade = cuboid(dvec3(1.0, 0.01, 0.2));
    let sets =
        [tetrahedron(), blade, bumpy_sphere(3, 0.3), merged([tetrahedron(), cuboid(DVec3::splat(0.3))])];
    sets.map(mesh).into()
}

/// No pair that meets at a sampled time is lost by mended volumes of any kind, and the time found is not later than it; the
/// printed volumes lose some.
#[test]
fn trees_in_motion_lose_no_contact() {
    let mut random = SplitMix64::new(94);
    let meshes = bodies();
    let models: Vec<Model> = meshes.iter().map(Model::from).collect();
    let volumes: [VolumeChoice; 4] =
        [VolumeKind::Sphere.into(), VolumeKind::Aabb.into(), VolumeKind::Obb.into(), VolumeChoice::Mixed];
    let (mut touching, mut free) = (0, 0);
    for case in 0..48 {
        let (i, j) = (case % 4, (case / 4) % 4);
        let motion = random_motion(&mut random, 4.0);
        let still = Still(Pose::from_rotation(random.rotation()));
        let met = |t: f64| !intersections(&models[i].at(still.0), &models[j].at(motion.pose(t))).is_empty();
        // Features of bodies that overlap from the start need not touch.
        if met(0.0) {
            continue;
        }
        let first = (0..=60).map(|k| f64::from(k) / 60.0).find(|&t| met(t));
        let options =
            TreeOptions { split: Split::Exchange, volume: volumes[case % 4], ..TreeOptions::workshop() };
        let trees = [i, j].map(|k| VolumeTree::<AnyVolume>::new(&meshes[k], &options));
        for by in [Enclosing::Ends, Enclosing::Length] {
            let sweep = SweepOptions {
                volumes: SweptVolume { by, ..SweptVolume::default() },
                faces: FaceTest::Inclusion(FeatureQuery::default()),
                ..SweepOptions::default()
            };
            assert_eq!(sweep.guarantee(), Guarantee::Conservative);
            let found = trees[0].sweep(&still, &trees[1], &motion, &sweep);
            assert!(!found.unfinished);
            if let Some(first) = first {
                let contact = found.first.expect("they meet");
                assert!(contact.time <= first, "case {case}: {} {first}", contact.time);
                touching += 1;
            } else {
                free += usize::from(found.first.is_none());
            }
        }
    }
    assert!(touching > 8 && free > 4, "{touching} {free}");
}

/// On straight ways every finder is exact: through trees it dates the contact of two cubes, and so does the mixed test, which
/// does not see what passes through.
#[test]
fn finders_and_the_mixed_test_run_through_trees() {
    let cube = mesh(cuboid(DVec3::splat(0.5)));
    let trees = [(); 2].map(|()| VolumeTree::<AnyVolume>::new(&cube, &TreeOptions::workshop()));
    let still = Still(Pose::IDENTITY);
    let from = Pose::from_translation(dvec3(3.0, 0.1, 0.2));
    let to = |x: f64| RigidMotion::between(&from, &Pose::from_translation(dvec3(x, 0.1, 0.2)), DVec3::ZERO);
    let (into, through) = (to(0.0), to(-3.0));
    for finder in [
        Finder::Linear,
        Finder::RegulaFalsi,
        Finder::Quadratic,
        Finder::Sampling { cells: 4 },
        Finder::SamplingRegulaFalsi { cells: 4 },
    ] {
        let query = ApproximateQuery { finder, ..ApproximateQuery::default() };
        let sweep = SweepOptions { faces: FaceTest::Finder(query), ..SweepOptions::default() };
        assert_eq!(sweep.guarantee(), Guarantee::Approximate);
        for (motion, known) in [(&into, 2.0 / 3.0), (&through, 1.0 / 3.0)] {
            let found = trees[0].sweep(&still, &trees[1], motion, &sweep);
            let time = found.first.expect("they touch").time;
            assert!((time - known).abs() < 1e-5, "{finder:?}: {time}");
            assert!(found.tests.volume_tests() > 0 && found.tests.faces > 0);
        }
        let (mixed, _) = trees[0].sweep_mixed(&still, &trees[1], &into, &query, 1e-6);
        let MixedSweep::At(contact) = mixed else { panic!("{finder:?}: {mixed:?}") };
        assert!((contact.time - 2.0 / 3.0).abs() < 1e-5, "{contact:?}");
        let (missed, _) = trees[0].sweep_mixed(&still, &trees[1], &through, &query, 1e-6);
        assert_eq!(missed, MixedSweep::NoEndOverlap);
    }
}

/// A blade that has swung in and out before its end meets nothing there; one that ends inside is never called free, though no
/// finder of one intersecting may date it.
#[test]
fn an_overlap_at_the_end_is_never_called_free() {
    let mut random = SplitMix64::new(95);
    let meshes = bodies();
    let trees: Vec<VolumeTree<AnyVolume>> =
        meshes.iter().map(|m| VolumeTree::new(m, &TreeOptions::workshop())).collect();
    let models: Vec<Model> = meshes.iter().map(Model::from).collect();
    let query = ApproximateQuery { finder: Finder::Linear, literal: true, ..ApproximateQuery::default() };
    let mut ended_inside = 0;
    for case in 0..60 {
        let (i, j) = (case % 4, (case / 4) % 4);
        let motion = random_motion(&mut random, 2.5);
        let still = Still(Pose::IDENTITY);
        let met = |t: f64| !intersections(&models[i].at(still.0), &models[j].at(motion.pose(t))).is_empty();
        let (found, _) = trees[i].sweep_mixed(&still, &trees[j], &motion, &query, 1e-3);
        assert_eq!(found == MixedSweep::NoEndOverlap, !met(1.0), "case {case}");
        if let MixedSweep::Undated { free_at } = found {
            assert!(free_at == 0.0 || !met(free_at), "case {case}: {free_at}");
        }
        ended_inside += usize::from(met(1.0));
    }
    assert!(ended_inside > 8, "{ended_inside}");
}

/// Orders are seen by the tests made up to the first contact: newest first and finest first go down at once, oldest first and
/// coarsest first open all large pairs before.
#[test]
fn orders_and_ranks_are_seen_by_the_first_contact() {
    let body = mesh(bumpy_sphere(4, 0.3));
    let tree = VolumeTree::<AnyVolume>::new(&body, &TreeOptions::workshop());
    let tests = |order: Order, rank: Rank| -> u64 {
        let walk = WalkOptions { order, rank, ..WalkOptions::default() };
        let poses = (0..10).map(|k| Pose::from_translation(dvec3(1.2 + 0.04 * f64::from(k), 0.2, 0.1)));
        let met = poses.map(|pose| tree.meet(&Pose::IDENTITY, &tree, &pose, &walk));
        met.map(|met| {
            assert_eq!(met.overlap, Some(true));
            met.tests.volume_tests()
        })
        .sum()
    };
    let (newest, oldest) = (tests(Order::Newest, Rank::Distance), tests(Order::Oldest, Rank::Distance));
    assert!(newest < oldest, "{newest} {oldest}");
    let (finest, coarsest) = (tests(Order::Best, Rank::Finest), tests(Order::Best, Rank::Coarsest));
    assert!(finest < coarsest, "{finest} {coarsest}");
}

/// Cut short, a walk names the pair of nodes whose volumes reach least beyond their faces, of all that are left.
#[test]
fn the_indicator_is_the_least_of_what_is_left() {
    let body = mesh(bumpy_sphere(4, 0.3));
    let tree = VolumeTree::<AnyVolume>::new(&body, &TreeOptions::workshop()).with_reaches();
    let without = VolumeTree::<AnyVolume>::new(&body, &TreeOptions::workshop());
    let pose = Pose::from_translation(dvec3(1.7, 0.2, 0.1));
    let reach = |node: u32| tree.reach_beyond(node).unwrap();
    let mut named = 0;
    for steps in [1, 5, 20, 60] {
        let walk =
            WalkOptions { all: true, budget: Budget::default().steps(steps), ..WalkOptions::default() };
        let met = tree.meet(&Pose::IDENTITY, &tree, &pose, &walk);
        let Some((a, b)) = met.indicator else { continue };
        named += 1;
        let volumes = [a, b].map(|node| tree.volumes()[node as usize]);
        let frame = noli_geom::RelativePose::new(&Pose::IDENTITY, &pose);
        assert!(volumes[0].distance_bound(&volumes[1], &frame) <= 0.0, "its volumes meet");
        // Deeper walks know smaller volumes.
        assert!(reach(a) + reach(b) <= reach(0) + reach(0));
        let bound = met.at_most.expect("boxes bound the distance");
        assert!(bound <= 1.1 * (reach(0) + reach(0)) + 1e-6);
        assert_eq!(without.meet(&Pose::IDENTITY, &without, &pose, &walk).indicator, None);
    }
    assert!(named > 1, "{named}");
}

/// Whatever stands in for what is left: contact at once and volumes are never later than the truth, more budget ends in it, and
/// each says whether it was cut short.
#[test]
fn cut_short_sweeps_keep_their_promises() {
    let meshes = bodies();
    let mut random = SplitMix64::new(96);
    let faces = FaceTest::Inclusion(FeatureQuery::default());
    let (mut cut_off, mut approximate) = (0, 0);
    for case in 0..12 {
        let motion = random_motion(&mut random, 4.0);
        let still = Still(Pose::from_rotation(random.rotation()));
        let trees = [case % 4, (case + 1) % 4]
            .map(|k| VolumeTree::<AnyVolume>::new(&meshes[k], &TreeOptions::workshop()).with_reaches());
        let whole = SweepOptions { faces, ..SweepOptions::default() };
        let truth = trees[0].sweep(&still, &trees[1], &motion, &whole).first.map(|first| first.time);
        for steps in [1, 4, 100_000] {
            let options = SweepOptions { budget: Budget::default().steps(steps), ..whole };
            for cut in
                [CutShort::Contact, CutShort::Volumes, CutShort::IndicatorVolumes, CutShort::IndicatorFaces]
            {
                let found = trees[0].sweep_within(&still, &trees[1], &motion, &options, cut);
                if found.finished {
                    assert_eq!(found.time, truth, "case {case} {cut:?}");
                    continue;
                }
                cut_off += 1;
                assert!(found.indicator.is_some());
                if cut.is_conservative(&faces) {
                    let late = truth.is_some_and(|truth| found.time.is_none_or(|time| time > truth + 1e-9));
                    assert!(!late, "case {case} {cut:?}: {:?} {truth:?}", found.time);
                } else {
                    approximate += usize::from(found.time != truth);
                }
            }
        }
    }
    assert!(cut_off > 20 && approximate > 0, "{cut_off} {approximate}");
}
