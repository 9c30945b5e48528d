//! Sphere trees of before the thesis: their spheres hold the surface, and they find what brute force finds.

use crate::common::{brute_meetings, merged, mesh, model};
use glam::DVec3;
use noli::{Mesh, Pose};
use noli_classics::tree::*;
use noli_geom::{Sphere, Triangle};
use noli_scenes::*;

type Method = fn(&[Triangle]) -> SphereTree;

const SHALLOW: OctantOptions = OctantOptions { few: 2, depth: 5 };

const METHODS: [(&str, Method); 3] = [
    ("Palmer and Grimsdale", |faces| palmer_grimsdale(faces, &SHALLOW)),
    ("Hubbard, octants", |faces| hubbard_octree(faces, &SHALLOW)),
    ("Hubbard, medial axis", hubbard_medial),
];

fn faces(mesh: &Mesh) -> Vec<Triangle> {
    mesh.iter_triangles().collect()
}

fn bodies() -> Vec<(&'static str, Mesh)> {
    let point = TriangleSet { vertices: vec![DVec3::ONE; 3], triangles: vec![[0, 1, 2]; 20] };
    let same = merged((0..5).map(|_| cuboid(DVec3::ONE)));
    let scaled = |by: f64| bumpy_sphere(2, 0.3).map_vertices(|v| v * by);
    vec![
        ("nothing", mesh(TriangleSet::default())),
        ("one face", mesh(TriangleSet { triangles: vec![[0, 1, 2]], ..tetrahedron() })),
        ("one point, twenty times", mesh(point)),
        ("five boxes in one place", mesh(same)),
        ("a flat grid", mesh(grid_plane(1.0, 3))),
        ("a large sphere", mesh(scaled(2.0f64.powi(290)))),
        ("a tiny sphere", mesh(scaled(2.0f64.powi(-290)))),
        ("a bumpy sphere", mesh(bumpy_sphere(2, 0.3))),
        ("a ring", mesh(torus(1.0, 0.3, 12, 6))),
    ]
}

/// `true` if some leaf with this face holds the point, as do all nodes above it.
fn is_held(built: &SphereTree, face: u32, point: DVec3) -> bool {
    let holds = |sphere: &Sphere| (point - sphere.center).length() <= sphere.radius;
    let mut open = vec![0u32];
    while let Some(node) = open.pop() {
        let at = &built.tree.nodes[node as usize];
        match holds(&built.spheres[node as usize]) {
            false => continue,
            true if at.children.is_empty() && built.tree.faces_of(at).contains(&face) => return true,
            true => open.extend(at.children.clone()),
        }
    }
    false
}

/// Every point of every face is in a leaf with that face, and in all spheres above it.
#[test]
fn spheres_of_octants_and_of_the_medial_axis_hold_the_surface() {
    for (name, mesh) in bodies() {
        let triangles = faces(&mesh);
        let mut random = SplitMix64::new(1995);
        for (method, build) in METHODS {
            let built = build(&triangles);
            let tree = VolumeTree::of_spheres(&built, &triangles, &TreeOptions::workshop());
            tree.check().unwrap_or_else(|error| panic!("{name}, {method}: {error}"));
            assert_eq!(built.spheres.len(), built.tree.nodes.len());
            assert!(built.tree.faces.len() <= 64 * triangles.len() + 512, "{name}, {method}");
            for (number, triangle) in (0..).zip(&triangles) {
                let [a, b, c] = triangle.vertices;
                let inner = (0..5).map(|_| {
                    let (s, t) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
                    a + (b - a) * (s * t) + (c - a) * (s * (1.0 - t))
                });
                for point in [a, b, c].into_iter().chain(inner.collect::<Vec<_>>()) {
                    assert!(is_held(&built, number, point), "{name}, {method}: {point} of face {number}");
                }
            }
        }
    }
}

/// The pairs of faces that intersect are those of brute force.
#[test]
fn sphere_trees_find_what_brute_force_finds() {
    let pairs = [
        (mesh(bumpy_sphere(2, 0.3)), mesh(torus(0.9, 0.35, 10, 5))),
        (mesh(cuboid(DVec3::new(2.0, 1.0, 0.1))), mesh(grid_plane(2.0, 4))),
    ];
    let walk = WalkOptions { all: true, ..Default::default() };
    let options = TreeOptions::workshop();
    let mut hits = 0;
    for (a, b) in &pairs {
        let (model_a, model_b) = (model(a), model(b));
        for (name, build) in METHODS {
            let [tree_a, tree_b] =
                [a, b].map(|mesh| VolumeTree::of_spheres(&build(&faces(mesh)), &faces(mesh), &options));
            let mut random = SplitMix64::new(31);
            for _ in 0..12 {
                let pose = Pose::new(random.rotation(), random.direction() * random.between(0.0, 2.2));
                let met = tree_a.meet(&Pose::IDENTITY, &tree_b, &pose, &walk);
                let truth: Vec<(u32, u32)> = brute_meetings(&model_a.at(Pose::IDENTITY), &model_b.at(pose))
                    .iter()
                    .map(|m| (m.0, m.1))
                    .collect();
                let mut found = met.faces;
                found.sort_unstable();
                assert_eq!(found, truth, "{name}, {pose:?}");
                hits += usize::from(!truth.is_empty());
            }
        }
    }
    assert!(hits > 30, "{hits}");
}

/// Where a face is in many leaves, pairs of leaves that overlap are far more than pairs of faces; each of those is tested
/// once.
#[test]
fn pairs_of_faces_in_several_leaves_are_tested_once() {
    let triangles = faces(&mesh(cuboid(DVec3::new(2.0, 1.0, 0.1))));
    let built = palmer_grimsdale(&triangles, &OctantOptions::default());
    assert!(built.tree.faces.len() > triangles.len() * triangles.len(), "{}", built.tree.faces.len());
    let tree = VolumeTree::of_spheres(&built, &triangles, &TreeOptions::workshop());
    let walk = WalkOptions { all: true, ..Default::default() };
    let met = tree.meet(&Pose::IDENTITY, &tree, &Pose::from_translation(DVec3::splat(1e-3)), &walk);
    assert!(met.tests.faces <= (triangles.len() * triangles.len()) as u64, "{}", met.tests.faces);
    assert!(!met.faces.is_empty());
}

/// Octants share faces, and annealed spheres are smaller than those around octants; of the medial axis every face is once.
#[test]
fn each_method_is_as_its_source_has_it() {
    let triangles = faces(&mesh(bumpy_sphere(3, 0.3)));
    let limits = OctantOptions::default();
    let (palmer, hubbard) = (palmer_grimsdale(&triangles, &limits), hubbard_octree(&triangles, &limits));
    assert!(palmer.tree.faces.len() > triangles.len());
    assert_eq!(palmer.tree, hubbard.tree);
    let mean = |built: &SphereTree| {
        built.spheres.iter().map(|sphere| sphere.radius).sum::<f64>() / built.spheres.len() as f64
    };
    assert!(mean(&hubbard) < 0.9 * mean(&palmer), "{} and {}", mean(&hubbard), mean(&palmer));
    let leaves = palmer.tree.nodes.iter().filter(|node| node.children.is_empty());
    let (few, many): (Vec<_>, Vec<_>) = leaves.partition(|leaf| leaf.faces.len() <= limits.few);
    assert!(few.len() > 10 * many.len(), "{} and {}", few.len(), many.len());
    let medial = hubbard_medial(&triangles);
    assert_eq!(medial.tree.check(triangles.len()), Ok(()));
    assert!(medial.tree.nodes.iter().all(|node| node.children.len() <= 8));
}
