//! Every tree checks out, and every tree and every walk finds what brute force finds.

use crate::common::{brute_meetings, count_intersections, data, load, merged, mesh, model};
use glam::DVec3;
use noli::{Budget, Mesh, Model, Pose};
use noli_classics::tree::*;
use noli_scenes::*;

/// Splits with all their settings.
fn splits() -> Vec<Split> {
    let mut all = Split::ALL.to_vec();
    for seeding in [Seeding::Random, Seeding::Icosahedron, Seeding::Space] {
        all.push(Split::Growth(seeding, Insertion::Best));
    }
    all
}

fn volumes() -> Vec<VolumeChoice> {
    let kinds = VolumeKind::ALL.map(VolumeChoice::Kind);
    kinds.into_iter().chain([VolumeChoice::Mixed]).collect()
}

fn scaled(set: TriangleSet, by: f64) -> TriangleSet {
    set.map_vertices(|v| v * by)
}

fn degenerate() -> Vec<(&'static str, Mesh)> {
    let point = TriangleSet { vertices: vec![DVec3::ONE; 3], triangles: vec![[0, 1, 2]; 20] };
    let line = TriangleSet {
        vertices: (0..9).map(|i| DVec3::X * f64::from(i)).collect(),
        triangles: (0..7).map(|i| [i, i + 1, i + 2]).collect(),
    };
    let same = merged((0..5).map(|_| cuboid(DVec3::ONE)));
    vec![
        ("nothing", mesh(TriangleSet::default())),
        ("one face", mesh(TriangleSet { triangles: vec![[0, 1, 2]], ..tetrahedron() })),
        ("one point, twenty times", mesh(point)),
        ("a line", mesh(line)),
        ("five boxes in one place", mesh(same)),
        ("a flat grid", mesh(grid_plane(1.0, 3))),
        ("a large sphere", mesh(scaled(bumpy_sphere(2, 0.3), 2.0f64.powi(290)))),
        ("a tiny sphere", mesh(scaled(bumpy_sphere(2, 0.3), 2.0f64.powi(-290)))),
        ("a bumpy sphere", mesh(bumpy_sphere(3, 0.3))),
        ("a ring", mesh(torus(1.0, 0.3, 12, 6))),
    ]
}

#[test]
fn every_tree_holds_its_faces() {
    for (name, mesh) in degenerate() {
        for split in splits() {
            for degree in [Degree::Fixed(2), Degree::Fixed(6), Degree::rate(0.75)] {
                let options = TreeOptions { split, degree, ..TreeOptions::workshop() };
                let tree = VolumeTree::<AnyVolume>::new(&mesh, &options);
                tree.check().unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
                assert!(tree.tree().depth() <= 64);
                if let Degree::Fixed(degree) = degree {
                    let most = if split == Split::Octree { 8 } else { degree };
                    assert!(tree.degrees().len() <= most + 1, "{name}, {options:?}");
                }
            }
        }
    }
}

#[test]
fn every_volume_measure_and_fit_holds_its_faces() {
    for (name, mesh) in degenerate() {
        for volume in volumes() {
            for measure in [Measure::Volume, Measure::Surface, Measure::Diameter, Measure::Hausdorff] {
                for fit in [Fit::Quick, Fit::Best, Fit::Descent] {
                    // One evaluation of this measure costs as much as many fits; how it is fitted has been seen above.
                    if measure == Measure::Hausdorff && fit != Fit::Best {
                        continue;
                    }
                    let split = if fit == Fit::Best { Split::Exchange } else { Split::SurfaceArea };
                    let options = TreeOptions { volume, measure, fit, split, ..TreeOptions::workshop() };
                    let tree = VolumeTree::<AnyVolume>::new(&mesh, &options);
                    tree.check().unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
                }
            }
        }
    }
}

#[test]
fn trees_of_real_meshes_hold_their_faces() {
    let Some(folder) = data("meshes") else { return };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut small: Vec<_> = files.filter(|f| f.metadata().is_ok_and(|m| m.len() < 1 << 19)).collect();
    small.sort();
    let known = |f: &&std::path::PathBuf| {
        ["obj", "stl", "off", "ply"].iter().any(|x| f.extension() == Some(x.as_ref()))
    };
    for file in small.iter().filter(known).take(6) {
        let mesh = load(file);
        for split in [Split::Exchange, Split::Gottschalk, Split::SurfaceArea, Split::BottomUp, Split::Octree]
        {
            let options = TreeOptions { split, fit: Fit::Quick, ..TreeOptions::workshop() };
            let tree = VolumeTree::<AnyVolume>::new(&mesh, &options);
            tree.check().unwrap_or_else(|error| panic!("{}, {split:?}: {error}", file.display()));
        }
    }
}

fn near_poses(seed: u64, count: usize) -> Vec<Pose> {
    let mut random = SplitMix64::new(seed);
    let pose = |_| Pose::new(random.rotation(), random.direction() * random.between(0.6, 2.2));
    (0..count).map(pose).collect()
}

/// Pairs of faces that meet, for every split, volume, opening and order: those of brute force, in more than ten thousand walks.
#[test]
fn every_tree_and_walk_finds_what_brute_force_finds() {
    let (a, b) = (mesh(bumpy_sphere(2, 0.3)), mesh(torus(0.9, 0.35, 10, 5)));
    let (model_a, model_b) = (model(&a), model(&b));
    let poses = near_poses(11, 6);
    let truth: Vec<Vec<(u32, u32)>> = poses
        .iter()
        .map(|pose| {
            brute_meetings(&model_a.at(Pose::IDENTITY), &model_b.at(*pose))
                .iter()
                .map(|m| (m.0, m.1))
                .collect()
        })
        .collect();
    assert!(truth.iter().any(Vec::is_empty) && truth.iter().any(|met| !met.is_empty()));
    let mut trees = Vec::new();
    for (number, split) in splits().into_iter().enumerate() {
        for volume in volumes() {
            trees.extend(
                [Degree::Fixed(2 + number % 5), Degree::rate(0.6)].map(|degree| (split, volume, degree)),
            );
        }
    }
    assert!(trees.len() * 12 * poses.len() > 10_000, "{} trees", trees.len());
    noli_testing::for_all(&trees, |&(split, volume, degree)| {
        let options = TreeOptions { split, volume, degree, fit: Fit::Quick, ..TreeOptions::workshop() };
        let trees = [&a, &b].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
        for expansion in
            [Expansion::OneSided, Expansion::Simultaneous, Expansion::Hybrid, Expansion::HybridByCount]
        {
            for order in [Order::Newest, Order::Oldest, Order::Best] {
                let walk = WalkOptions { expansion, order, all: true, ..Default::default() };
                for (pose, truth) in poses.iter().zip(&truth) {
                    let mut met = trees[0].meet(&Pose::IDENTITY, &trees[1], pose, &walk);
                    met.faces.sort_unstable();
                    assert_eq!(&met.faces, truth, "{options:?} {walk:?} {pose:?}");
                    assert_eq!(met.overlap, Some(!truth.is_empty()));
                }
            }
        }
    });
}

/// A budget that runs out leaves a bound on the distance that brute force does not refute.
#[test]
fn a_walk_cut_short_says_how_far_apart_the_bodies_are_at_most() {
    let (a, b) = (mesh(bumpy_sphere(3, 0.3)), mesh(bumpy_sphere(3, 1.1)));
    let mut known = 0;
    for volume in [VolumeKind::Sphere, VolumeKind::Obb] {
        let options = TreeOptions { volume: volume.into(), ..TreeOptions::workshop() };
        let trees = [&a, &b].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
        for pose in near_poses(5, 60) {
            let distance =
                noli::clearance(&model(&a).at(Pose::IDENTITY), &model(&b).at(pose)).distance.at_least;
            for steps in [1, 4, 16] {
                let walk = WalkOptions { budget: Budget::default().steps(steps), ..Default::default() };
                let met = trees[0].meet(&Pose::IDENTITY, &trees[1], &pose, &walk);
                if let Some(at_most) = met.at_most {
                    assert!(met.overlap.is_none() && distance <= at_most, "{distance} {at_most}");
                    known += 1;
                }
            }
        }
    }
    assert!(known > 20, "{known}");
}

/// Typed storage gives the verdicts of packed storage, and tighter volumes need fewer tests of faces.
#[test]
fn typed_trees_agree_with_packed_storage() {
    fn faces_tested<V: FitVolume>(options: &TreeOptions) -> u64 {
        let (a, b) = (mesh(bumpy_sphere(6, 0.3)), mesh(bumpy_sphere(5, 1.1)));
        let (model_a, model_b) = (model(&a), model(&b));
        let trees = [&a, &b].map(|mesh| VolumeTree::<V>::new(mesh, options));
        let mut tests = Tests::default();
        for pose in near_poses(5, 200) {
            let met = trees[0].meet(&Pose::IDENTITY, &trees[1], &pose, &WalkOptions::default());
            let packed = noli::overlap(&model_a.at(Pose::IDENTITY), &model_b.at(pose)) == noli::Overlap::Hit;
            assert_eq!(met.overlap, Some(packed), "{pose:?}");
            tests += met.tests;
        }
        tests.faces
    }
    let options = TreeOptions::default();
    let sphere = faces_tested::<noli_geom::Sphere>(&options);
    let aabb = faces_tested::<noli_geom::Aabb>(&options);
    let obb = faces_tested::<noli_geom::Obb>(&options);
    let dop = faces_tested::<noli_geom::Kdop>(&options);
    assert!(obb < aabb && obb < sphere && dop < aabb, "{sphere} {aabb} {obb} {dop}");
}

/// Packed storage narrows whatever tree it is given, and finds the same pairs of faces in it.
#[test]
fn packed_storage_takes_every_tree() {
    let (a, b) = (mesh(bumpy_sphere(3, 0.3)), mesh(torus(0.9, 0.35, 10, 5)));
    let poses = near_poses(23, 30);
    let counts = |a: &Model, b: &Model| -> Vec<u64> {
        poses.iter().map(|pose| count_intersections(&a.at(Pose::IDENTITY), &b.at(*pose))).collect()
    };
    let truth = counts(&model(&a), &model(&b));
    assert!(truth.contains(&0) && truth.iter().any(|count| *count > 20));
    for split in splits() {
        for degree in [Degree::Fixed(2), Degree::Fixed(16), Degree::Rate { rate: 0.3, at_most: 16, few: 50 }]
        {
            let options = TreeOptions { split, degree, leaf_faces: 9, ..TreeOptions::workshop() };
            let [a, b] = [&a, &b].map(|mesh| noli_classics::tree::packed(mesh, &options));
            assert_eq!(counts(&a, &b), truth, "{options:?}");
        }
    }
    for (name, mesh) in degenerate() {
        let here = noli_classics::tree::packed(
            &mesh,
            &TreeOptions { split: Split::Octree, ..TreeOptions::default() },
        );
        let same = noli::overlap(&here.at(Pose::IDENTITY), &model(&mesh).at(Pose::IDENTITY));
        assert_eq!(same == noli::Overlap::Hit, !mesh.is_empty(), "{name}");
    }
}

#[test]
fn a_node_that_is_its_own_child_is_found() {
    let faces = vec![0, 1];
    let whole = TreeNode { faces: 0..2, children: 0..1 };
    let cycle = Tree { nodes: vec![whole.clone()], faces: faces.clone() };
    assert_eq!(cycle.check(2), Err(TreeError::Node(0)));
    let leaf = |faces| TreeNode { faces, children: 0..0 };
    let orphan = Tree { nodes: vec![leaf(0..2), leaf(0..1)], faces: faces.clone() };
    assert_eq!(orphan.check(2), Err(TreeError::Orphan(1)));
    let twice = TreeNode { faces: 0..2, children: 1..3 };
    let sound = Tree { nodes: vec![twice, leaf(0..1), leaf(1..2)], faces: faces.clone() };
    assert_eq!(sound.check(2), Ok(()));
    let part = Tree { nodes: vec![leaf(0..1)], faces };
    assert_eq!(part.check(2), Err(TreeError::Node(0)));
}

/// The smallest degree that reaches the rate is taken, and qualities of levels fall.
#[test]
fn rates_ask_for_more_children_where_they_are_strict() {
    let mesh = mesh(bumpy_sphere(6, 0.3));
    let mean_degree = |rate| {
        let options = TreeOptions {
            split: Split::Exchange,
            degree: Degree::Rate { rate, at_most: 6, few: 1 },
            ..TreeOptions::workshop()
        };
        let tree = VolumeTree::<AnyVolume>::new(&mesh, &options);
        let degrees = tree.degrees();
        let inner: usize = degrees.iter().sum();
        degrees.iter().enumerate().map(|(degree, count)| degree * count).sum::<usize>() as f64 / inner as f64
    };
    let (loose, usual, strict) = (mean_degree(1.0), mean_degree(0.5), mean_degree(0.05));
    assert!(loose <= usual && usual <= strict && strict > 3.0, "{loose} {usual} {strict}");
    let tree = VolumeTree::<AnyVolume>::new(&mesh, &TreeOptions::workshop());
    let levels = tree.levels();
    assert!(levels[3].max < levels[0].max && levels.iter().all(|level| level.mean <= level.max));
}

/// The comparison number is the counts times the costs, and the same at every run; costs in other units scale it.
#[test]
fn counts_times_costs_are_the_comparison_number() {
    let (a, b) = (mesh(bumpy_sphere(2, 0.3)), mesh(torus(0.9, 0.35, 10, 5)));
    let options = TreeOptions { volume: VolumeChoice::Mixed, fit: Fit::Quick, ..TreeOptions::workshop() };
    let trees = || [&a, &b].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
    let costs = [[1.0, 2.0, 3.0, 4.0], [2.0, 5.0, 6.0, 7.0], [3.0, 6.0, 8.0, 9.0], [4.0, 7.0, 9.0, 10.0]];
    for pose in near_poses(31, 10) {
        let walk = WalkOptions { all: true, ..Default::default() };
        let [one, two] = [trees(), trees()].map(|t| t[0].meet(&Pose::IDENTITY, &t[1], &pose, &walk));
        assert_eq!(one, two);
        let mut sum = one.tests.faces as f64 * 11.0;
        for i in 0..4 {
            for j in 0..4 {
                sum += one.tests.volumes[i][j] as f64 * costs[i][j];
            }
        }
        assert_eq!(one.tests.cost(&costs, 11.0), sum);
        let halves = costs.map(|row| row.map(|cost| cost / 2.0));
        assert_eq!(one.tests.cost(&halves, 5.5), sum / 2.0);
        assert!(one.tests.volume_tests() > 0);
    }
}

/// The original methods of two children part every body; their trees check out and find what brute force finds.
#[test]
fn original_methods_find_what_brute_force_finds() {
    let (a, b) = (mesh(bumpy_sphere(2, 0.3)), mesh(torus(0.9, 0.35, 10, 5)));
    let (model_a, model_b) = (model(&a), model(&b));
    let poses = near_poses(13, 6);
    let walk = WalkOptions { all: true, ..Default::default() };
    let truth = |pose: &Pose| -> Vec<(u32, u32)> {
        let met = brute_meetings(&model_a.at(Pose::IDENTITY), &model_b.at(*pose));
        met.iter().map(|m| (m.0, m.1)).collect()
    };
    for split in Split::ORIGINALS.into_iter().chain([Split::Growth(Seeding::Sphere, Insertion::Shuffled)]) {
        for rules in [Rules::USUAL, Rules { failing: Failing::Leaf, ..Rules::USUAL }] {
            let options = TreeOptions { split, fit: Fit::Quick, ..TreeOptions::workshop() };
            let trees = [&a, &b].map(|mesh| VolumeTree::<AnyVolume>::by(mesh, &options, &rules));
            assert!(trees.iter().all(|tree| tree.check().is_ok() && tree.degrees().len() <= 3), "{split:?}");
            for pose in &poses {
                let mut met = trees[0].meet(&Pose::IDENTITY, &trees[1], pose, &walk);
                met.faces.sort_unstable();
                assert_eq!(met.faces, truth(pose), "{split:?}");
            }
        }
    }
    barequet_by_rule(&a, &b, &poses, truth);
    for (_, mesh) in degenerate() {
        for split in Split::ORIGINALS {
            let options = TreeOptions { split, fit: Fit::Quick, ..TreeOptions::workshop() };
            VolumeTree::<AnyVolume>::new(&mesh, &options).check().unwrap();
        }
    }
}

/// Barequet's tree by each rule: its boxes are those of the rule, joined boxes lead to other trees, and all find what brute force
/// finds. The box by the axis of least spread, the best by its authors, is never larger than that by all axes.
fn barequet_by_rule(a: &Mesh, b: &Mesh, poses: &[Pose], truth: impl Fn(&Pose) -> Vec<(u32, u32)>) {
    let walk = WalkOptions { all: true, ..Default::default() };
    let mut shapes = Vec::new();
    for rule in [BoxRule::All, BoxRule::Max, BoxRule::Min] {
        let options =
            TreeOptions { split: Split::Barequet, fit: Fit::Barequet(rule), ..TreeOptions::workshop() };
        let trees = [a, b].map(|mesh| VolumeTree::<AnyVolume>::new(mesh, &options));
        assert!(trees.iter().all(|tree| tree.check().is_ok()), "{rule:?}");
        for pose in poses {
            let mut met = trees[0].meet(&Pose::IDENTITY, &trees[1], pose, &walk);
            met.faces.sort_unstable();
            assert_eq!(met.faces, truth(pose), "{rule:?}");
        }
        let triangles: Vec<_> = a.iter_triangles().collect();
        let tree = trees[0].tree();
        for (node, volume) in tree.nodes.iter().zip(trees[0].volumes()) {
            let faces = &tree.faces[node.faces.start as usize..node.faces.end as usize];
            let points: Vec<DVec3> = faces.iter().flat_map(|&f| triangles[f as usize].vertices).collect();
            let by = |rule: BoxRule| AnyVolume::Obb(rule.fit(&points)).measure(Measure::Volume);
            assert!((volume.measure(Measure::Volume) - by(rule)).abs() <= 1e-9 * by(rule).max(1e-9));
            assert!(by(BoxRule::Min) <= by(BoxRule::All) + 1e-9);
        }
        shapes.push(tree.faces.clone());
    }
    assert!(shapes[0] != shapes[1] && shapes[0] != shapes[2]);
}

type ByPlanes = fn(&[noli_geom::Triangle], &PlaneOptions) -> Copies;

/// Faces that a plane cuts are in both sides: each is in some leaf, leaves are balanced, and what is found is what brute
/// force finds.
#[test]
fn faces_in_several_leaves_lose_nothing() {
    let (a, b) = (mesh(bumpy_sphere(2, 0.3)), mesh(torus(0.9, 0.35, 10, 5)));
    let balanced_only = PlaneOptions::default();
    let any = PlaneOptions { depth: 40, few: 1, balance: 0.95 };
    for (name, build, limits) in
        [("Zachmann", zachmann as ByPlanes, balanced_only), ("planes of faces", bsp, any)]
    {
        let options = TreeOptions { volume: VolumeKind::Aabb.into(), ..TreeOptions::workshop() };
        let mut cut = 0;
        let built = [&a, &b].map(|mesh| {
            let triangles: Vec<_> = mesh.iter_triangles().collect();
            let copies = build(&triangles, &limits);
            cut += balanced(&copies, triangles.len(), &limits);
            let tree = VolumeTree::<AnyVolume>::of_copies(&copies, &triangles, &options);
            tree.check().unwrap();
            tree
        });
        assert!(cut > 0, "{name} cuts no face");
        let (model_a, model_b) = (model(&a), model(&b));
        for pose in near_poses(17, 8) {
            let walk = WalkOptions { all: true, ..Default::default() };
            let met = built[0].meet(&Pose::IDENTITY, &built[1], &pose, &walk);
            let truth = brute_meetings(&model_a.at(Pose::IDENTITY), &model_b.at(pose));
            let truth: Vec<(u32, u32)> = truth.iter().map(|m| (m.0, m.1)).collect();
            assert_eq!(met.faces, truth, "{name}, {pose:?}");
        }
        assert!(build(&[], &limits).tree.faces.is_empty());
        for (_, mesh) in degenerate() {
            let triangles: Vec<_> = mesh.iter_triangles().collect();
            let copies = build(&triangles, &limits);
            VolumeTree::<AnyVolume>::of_copies(&copies, &triangles, &options).check().unwrap();
        }
    }
    // The planes of a convex body have all other faces on one side.
    let cube: Vec<_> = mesh(cuboid(DVec3::ONE)).iter_triangles().collect();
    assert_eq!(bsp(&cube, &balanced_only).tree.nodes.len(), 1);
}

/// All faces are there, and no side has more than its share; how many copies there are.
fn balanced(copies: &Copies, count: usize, limits: &PlaneOptions) -> usize {
    let distinct = |faces: &std::ops::Range<u32>| {
        let mut of = copies.tree.faces[faces.start as usize..faces.end as usize].to_vec();
        of.sort_unstable();
        of.dedup();
        of.len()
    };
    assert_eq!(distinct(&(0..copies.tree.faces.len() as u32)), count);
    for node in copies.tree.nodes.iter().filter(|node| !node.children.is_empty()) {
        let most = limits.balance * distinct(&node.faces) as f64;
        let sides = copies.tree.nodes[node.children.start as usize..node.children.end as usize].iter();
        assert!(sides.map(|side| distinct(&side.faces)).all(|side| side as f64 <= most));
    }
    copies.tree.faces.len() - count
}
