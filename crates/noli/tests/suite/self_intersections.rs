//! A mesh against itself, against all pairs by clipping in integers.

use glam::{DQuat, DVec3, dvec3};
use noli::answer::*;
use noli::model::*;
use noli::query::*;
use noli::*;
use noli_geom::{Relation as FaceRelation, naive};
use noli_scenes::{SplitMix64, TriangleSet};

fn mesh(set: TriangleSet) -> Mesh {
    Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default()).unwrap()
}

fn model(set: TriangleSet) -> Model {
    Model::new(mesh(set)).unwrap()
}

fn pairs(model: &Model) -> Vec<(u32, u32, FaceRelation)> {
    let mut pairs: Vec<_> =
        self_intersections(model).iter().map(|c| (c.triangle_a, c.triangle_b, c.relation)).collect();
    assert!(pairs.iter().all(|p| p.0 < p.1));
    pairs.sort_unstable();
    pairs
}

fn all_pairs(mesh: &Mesh) -> Vec<(u32, u32, FaceRelation)> {
    let (pose, count) = (Pose::IDENTITY, mesh.triangle_count() as u32);
    let mut found = Vec::new();
    for i in 0..count {
        for j in i + 1..count {
            let (a, b) = (mesh.triangle(i), mesh.triangle(j));
            if a.aabb().overlaps(&b.aabb()) && naive::meets_beyond_shared(&a, &b, &pose, &pose) {
                found.push((i, j, naive::relation(&a, &b, &pose, &pose)));
            }
        }
    }
    found
}

fn check(set: TriangleSet) -> usize {
    let model = model(set);
    let truth = all_pairs(model.mesh().unwrap());
    assert_eq!(pairs(&model), truth);
    truth.len()
}

#[test]
fn clean_meshes_have_none() {
    assert_eq!(check(noli_scenes::tetrahedron()), 0);
    assert_eq!(check(noli_scenes::cuboid(DVec3::ONE)), 0);
    assert_eq!(check(noli_scenes::grid_plane(1.0, 8)), 0);
    assert_eq!(check(noli_scenes::uv_sphere(8, 12)), 0);
    assert_eq!(check(noli_scenes::bumpy_sphere(6, 0.3)), 0);
}

/// Split vertices join by position; a rotated plane is flat only up to rounding.
#[test]
fn soups_and_turned_planes_agree() {
    let turn = DQuat::from_xyzw(0.1, -0.4, 0.3, 0.8).normalize();
    let turned = noli_scenes::grid_plane(1.0, 8).map_vertices(|v| turn * v + dvec3(0.1, 20.0, 3.0));
    let soup = TriangleSet {
        vertices: turned.triangles.iter().flatten().map(|&v| turned.vertices[v as usize]).collect(),
        triangles: (0..turned.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    };
    let expected = check(turned);
    assert_eq!(check(soup), expected);
}

#[test]
fn thick_tori_cross_themselves() {
    assert!(check(noli_scenes::torus(1.0, 1.5, 12, 9)) > 0);
    check(noli_scenes::torus(1.0, 1.0, 12, 8)); // almost pinched
}

#[test]
fn two_copies_of_a_sphere_meet_in_every_face_and_neighbour() {
    let mut set = noli_scenes::geodesic(2);
    let again = set.triangles.clone();
    set.triangles.extend(again);
    assert_eq!(check(set), 80);
}

/// Faces between points of a small grid: everything that can go wrong does.
#[test]
fn random_grid_faces_agree() {
    let mut rng = SplitMix64::new(3);
    let mut total = 0;
    for round in 0..60 {
        let mut index = |n: f64| rng.between(0.0, n) as u32;
        let count = 8 + index(60.0);
        let reach = 2.0 + f64::from(round % 3);
        let vertices =
            (0..count).map(|_| dvec3(index(reach).into(), index(reach).into(), index(reach).into()));
        let vertices: Vec<DVec3> = vertices.collect();
        let triangles = (0..count).map(|_| std::array::from_fn(|_| index(f64::from(count)))).collect();
        total += check(TriangleSet { vertices, triangles });
    }
    assert!(total > 1000, "{total}");
}

#[test]
fn moved_vertices_make_folds_that_agree() {
    let mut rng = SplitMix64::new(9);
    let mut total = 0;
    for _ in 0..6 {
        total += check(noli_scenes::bumpy_sphere(5, 1.1).map_vertices(|v| v + rng.direction() * 0.2));
    }
    assert!(total > 20, "{total}");
}

#[test]
fn budget_sink_and_instruction_sets() {
    let model = model(noli_scenes::torus(1.0, 1.5, 24, 16));
    // Which of two equally deep pairs comes first may depend on whether arithmetic is fused; what is found does not.
    let sorted = |mut all: Vec<Intersection>| {
        all.sort_by_key(|c| (c.triangle_a, c.triangle_b));
        all
    };
    let all = sorted(self_intersections(&model).items);
    for instructions in Instructions::available() {
        let mut scratch = Scratch::with_instructions(instructions);
        let mut again = Vec::new();
        let query = IntersectionsQuery::default();
        let completeness = QueryContext::new(&mut scratch).self_intersections(&model, &query, &mut again);
        assert_eq!(completeness, Completeness::Complete);
        let found = again.first().copied();
        assert!(sorted(again) == all, "{instructions:?}");
        let mut short = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(5));
        assert_eq!(short.self_intersections(&model, &query, &mut Vec::new()), Completeness::Partial);
        let mut first = First::default();
        assert_eq!(
            QueryContext::new(&mut scratch).self_intersections(&model, &query, &mut first),
            Completeness::Enough
        );
        assert_eq!(first.0, found);
        let intersection_only = IntersectionsQuery { touching: false, ..Default::default() };
        let mut count = Count::default();
        let completeness =
            QueryContext::new(&mut scratch).self_intersections(&model, &intersection_only, &mut count);
        assert_eq!(completeness, Completeness::Complete);
        assert_eq!(count.0, all.iter().filter(|c| c.relation == FaceRelation::Intersecting).count() as u64);
    }
}

#[test]
fn empty_and_single() {
    assert!(self_intersections(&Model::new(Mesh::empty()).unwrap()).is_empty());
    let one = TriangleSet { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    assert_eq!(check(one), 0);
}

/// Neighbours outnumber everything else: with the exact test for each this took seconds.
#[test]
fn a_large_clean_mesh_is_quick() {
    let model = model(noli_scenes::bumpy_sphere(59, 0.3));
    let faces = model.mesh().map_or(0, Mesh::triangle_count) as u64;
    // A few pairs of nodes for each face, where all pairs of faces would be tens of thousands for each.
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(20 * faces));
    let mut count = Count::default();
    assert_eq!(
        context.self_intersections(&model, &IntersectionsQuery::default(), &mut count),
        Completeness::Complete
    );
    assert_eq!(count.0, 0);
}

fn counted(model: &Model, at_most: u64, budget: Budget<'_>) -> FaceCounts {
    QueryContext::new(&mut Scratch::default()).with_budget(budget).count_self_intersections(model, at_most)
}

/// Triangles that all contain one segment of the z axis.
fn star(count: u32) -> TriangleSet {
    let mut set = TriangleSet::default();
    for k in 0..count {
        let angle = 3.0 * f64::from(k) / f64::from(count);
        let out = dvec3(angle.cos(), angle.sin(), 0.0);
        let first = set.vertices.len() as u32;
        set.vertices.extend([-out, out + DVec3::Z, out - DVec3::Z]);
        set.triangles.push([first, first + 1, first + 2]);
    }
    set
}

#[test]
fn counts_equal_lists_with_and_without_copies() {
    let mut random = SplitMix64::new(7);
    for round in 0..40 {
        let mut set = TriangleSet::default();
        for _ in 0..20 {
            let first = set.vertices.len() as u32;
            set.vertices
                .extend([(); 3].map(|()| DVec3::from_array([(); 3].map(|()| random.between(-1.0, 1.0)))));
            let copies = [1, 1, 1, 2, 7][random.below(5)];
            set.triangles.extend(vec![[first, first + 1, first + 2]; copies]);
        }
        let model = model(set);
        let listed = pairs(&model);
        let of = |relation| listed.iter().filter(|pair| pair.2 == relation).count() as u64;
        let found = counted(&model, u64::MAX, Budget::UNLIMITED);
        assert_eq!(found.intersecting, of(FaceRelation::Intersecting), "round {round}");
        assert_eq!(found.touching, of(FaceRelation::Touching), "round {round}");
        assert_eq!(found.completeness, Completeness::Complete);
    }
}

/// All pairs of equal triangles are counted without being visited.
#[test]
fn equal_triangles_are_counted_in_no_time() {
    let count = 100_000;
    let set = TriangleSet {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        triangles: vec![[0, 1, 2]; count as usize],
    };
    let model = model(set);
    let found = counted(&model, u64::MAX, Budget::default().steps(1000));
    assert_eq!((found.touching, found.completeness), (count * (count - 1) / 2, Completeness::Complete));
    let mut listed = Count::default();
    let query = IntersectionsQuery { segments: false, ..Default::default() };
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(1000));
    assert_eq!(context.self_intersections(&model, &query, &mut listed), Completeness::Partial);
    assert!(listed.0 <= 1000, "{listed:?}");
}

#[test]
fn counts_end_at_the_given_number() {
    let model = model(star(300));
    let whole = counted(&model, u64::MAX, Budget::UNLIMITED);
    assert_eq!((whole.intersecting, whole.completeness), (300 * 299 / 2, Completeness::Complete));
    let some = counted(&model, 1000, Budget::UNLIMITED);
    assert_eq!((some.intersecting, some.completeness), (1000, Completeness::Enough));
    let none = counted(&model, u64::MAX, Budget::default().steps(1));
    assert_eq!(none.completeness, Completeness::Partial);
}
