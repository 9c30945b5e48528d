//! Common volume of solids with coinciding faces, against counting cells and by construction.

use crate::common::polycubes::{Case, Truth, Walls};
use crate::common::{QUARTER_TURN, data, merged, mesh, shift};
use glam::{DQuat, DVec3, dvec3};
use noli::answer::{Containment, Verdict};
use noli::model::{MeshKind, Shape};
use noli::world::{CheckOptions, PairStatus};
use noli::{
    Budget, Convex, Field, Guarantee, Mesh, Model, Placed, Pose, QueryContext, Relation, Scratch, World,
    relation,
};
use noli_formats::{ReadOptions, read_mesh};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid};
use std::collections::HashMap;
use std::sync::Mutex;

fn containment(a: &Placed<'_>, b: &Placed<'_>) -> Option<Containment> {
    let found = QueryContext::new(&mut Scratch::default()).containment(a, b);
    assert_ne!(found, Verdict::Unknown);
    found.hit()
}

/// Relation and containment are what counting cells says, in both orders, for walls cut in any way and with those between
/// cells.
#[test]
fn solids_of_cells_stand_as_their_cells_do() {
    let mut random = SplitMix64::new(15);
    let seeds: Vec<(usize, u64)> = (0..2_000).map(|case| (case, random.next_u64())).collect();
    let counts: Mutex<HashMap<Relation, usize>> = Mutex::default();
    noli_testing::for_all(&seeds, |&(case, seed)| {
        let mut random = SplitMix64::new(seed);
        let cells = Case::random(&mut random);
        let Truth { relation: expected, a_in_b, b_in_a } = cells.truth();
        let inside = match (a_in_b, b_in_a) {
            (true, true) => Some(Containment::Same),
            (true, false) => Some(Containment::AInB),
            (false, true) => Some(Containment::BInA),
            (false, false) => None,
        };
        for walls in [[Walls::Outer; 2], cells.walls(&mut random)] {
            let bodies = cells.meshes(walls, &mut random);
            let [a, b] = bodies.map(|(mesh, pose)| (Model::from(mesh), pose));
            let (a, b) = (a.0.at(a.1), b.0.at(b.1));
            let place = format!("{case}: {:?} and {:?} by {:?}, {walls:?}", cells.a, cells.b, cells.shift);
            // Cells that share only an edge or a vertex are one part or two, by how their faces are numbered.
            let is_by_parts = expected == Relation::Inside && inside.is_none();
            for (found, turned) in [(relation(&a, &b), ""), (relation(&b, &a), ", turned round")] {
                let fits = found == expected || is_by_parts && found == Relation::Intersecting;
                assert!(fits, "{found:?} instead of {expected:?}, {place}{turned}");
            }
            if case % 4 == 0 && !is_by_parts {
                assert_eq!(containment(&a, &b), inside, "{place}");
                assert_eq!(containment(&b, &a), inside.map(Containment::swapped), "{place}, turned round");
            }
        }
        *counts.lock().unwrap().entry(expected).or_default() += 1;
    });
    let counts = counts.into_inner().unwrap();
    eprintln!("{counts:?}");
    assert!(
        [Relation::Separated, Relation::Touching, Relation::Inside, Relation::Intersecting]
            .iter()
            .all(|relation| counts[relation] > 100)
    );
}

/// Walls alone stand to a solid as what lies on their two sides says, in both orders.
#[test]
fn walls_stand_as_their_sides_do() {
    let mut random = SplitMix64::new(16);
    let seeds: Vec<(usize, u64)> = (0..1_000).map(|case| (case, random.next_u64())).collect();
    noli_testing::for_all(&seeds, |&(case, seed)| {
        let mut random = SplitMix64::new(seed);
        let cells = Case::random(&mut random);
        let expected = cells.truth_of_walls();
        let [walls, _] = cells.walls(&mut random);
        let [a, b] = cells.meshes([walls, Walls::Outer], &mut random);
        let (a, b) = ((Model::from(a.0), a.1), (Model::from(b.0.with_kind(MeshKind::Surface)), b.1));
        let (a, b) = (a.0.at(a.1), b.0.at(b.1));
        let place = format!("{case}: {:?} and {:?} by {:?}, {walls:?}", cells.a, cells.b, cells.shift);
        assert_eq!(relation(&a, &b), expected, "{place}");
        assert_eq!(relation(&b, &a), expected, "{place}, turned round");
    });
}

fn solid(set: TriangleSet) -> Model {
    Model::from(mesh(set).into_solid())
}

fn block(from: [f64; 3], to: [f64; 3]) -> TriangleSet {
    let (from, to) = (DVec3::from(from), DVec3::from(to));
    cuboid((to - from) / 2.0).map_vertices(|v| v + (from + to) / 2.0)
}

/// Containment of shapes without faces and of mixed ones.
#[test]
fn true_shapes_say_which_is_inside() {
    let model = |shape: Convex| Model::new(shape).unwrap();
    let sphere = |radius: f64| model(Convex::sphere(radius).unwrap());
    let capsule = model(Convex::capsule(0.4, 0.1).unwrap());
    let drum = model(Convex::cylinder(4.0, 2.0).unwrap());
    let egg = model(Convex::ellipsoid(dvec3(0.3, 0.2, 0.1)).unwrap());
    let cube = |edge: f64| model(Convex::cuboid(DVec3::splat(edge)).unwrap());
    let pillow = model(Convex::cuboid(DVec3::splat(2.0)).unwrap().rounded(0.25).unwrap());
    let shell = solid(merged([cuboid(DVec3::splat(2.0)), inside_out(cuboid(DVec3::splat(1.0)))]));
    let [field, large] = ["sphere(0.2)", "sphere(4)"].map(|f| Model::new(Field::parse(f).unwrap()).unwrap());
    let floor = Model::new(Shape::HalfSpace).unwrap();
    let beads = |places: [f64; 2]| {
        let bead = |x| (shift(x, 0.0, 0.0), Shape::from(Convex::sphere(0.1).unwrap()));
        Model::new(Shape::Compound(places.map(bead).to_vec())).unwrap()
    };
    let (near, far) = (shift(0.25, 0.125, 0.0), shift(1.5, 0.0, 0.0));
    let cases = [
        ("sphere in sphere", sphere(1.0), sphere(0.25), near, Some(Containment::BInA)),
        ("one sphere twice", sphere(1.0), sphere(1.0), Pose::IDENTITY, Some(Containment::Same)),
        ("spheres that cross", sphere(1.0), sphere(1.0), near, None),
        ("capsule in sphere", sphere(1.0), capsule.clone(), near, Some(Containment::BInA)),
        ("egg in drum", drum.clone(), egg.clone(), near, Some(Containment::BInA)),
        ("capsule in box", cube(2.0), capsule.clone(), near, Some(Containment::BInA)),
        ("box in box", cube(2.0), cube(1.0), near, Some(Containment::BInA)),
        ("box in sphere", sphere(3.0), cube(1.0), near, Some(Containment::BInA)),
        ("sphere in rounded box", pillow, sphere(0.5), near, Some(Containment::BInA)),
        ("sphere in a mesh's wall", shell.clone(), sphere(0.25), far, Some(Containment::BInA)),
        ("sphere in a mesh's hollow", shell.clone(), sphere(0.25), near, None),
        ("mesh in sphere", sphere(6.0), shell.clone(), near, Some(Containment::BInA)),
        ("field in field", large.clone(), field.clone(), near, Some(Containment::BInA)),
        ("field in sphere", sphere(3.0), field.clone(), near, Some(Containment::BInA)),
        ("sphere in field", large.clone(), sphere(0.5), near, Some(Containment::BInA)),
        ("sphere in the ground", floor, sphere(0.5), shift(0.0, 0.0, -1.0), Some(Containment::BInA)),
        ("beads in sphere", sphere(1.0), beads([0.0, 0.5]), near, Some(Containment::BInA)),
        ("one bead in sphere", sphere(1.0), beads([0.0, 5.0]), near, Some(Containment::Parts)),
        (
            "egg in a bead",
            Model::new(Shape::Compound(vec![(far, Shape::from(Convex::sphere(1.0).unwrap()))])).unwrap(),
            egg,
            far,
            Some(Containment::BInA),
        ),
    ];
    for (name, a, b, pose, inside) in cases {
        let (a, b) = (a.at(Pose::IDENTITY), b.at(pose));
        assert_eq!(containment(&a, &b), inside, "{name}");
        assert_eq!(containment(&b, &a), inside.map(Containment::swapped), "{name}, turned round");
        assert_eq!(relation(&a, &b) == Relation::Inside, inside.is_some(), "{name}");
    }
}

fn inside_out(mut set: TriangleSet) -> TriangleSet {
    set.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    set
}

/// Two solids, how they relate, and what is inside what.
type Related = (&'static str, TriangleSet, TriangleSet, Relation, Option<Containment>);

/// Solids by construction.
fn solids_that_share_faces() -> Vec<Related> {
    use Relation::{Inside, Intersecting, Touching};
    let slab = || block([0.0, 0.0, 0.0], [8.0, 6.0, 0.25]);
    let tetra = |tip: f64| TriangleSet {
        vertices: vec![
            dvec3(0.0, 0.0, 0.0),
            dvec3(2.0, 0.0, 0.0),
            dvec3(0.0, 2.0, 0.0),
            dvec3(0.0, 0.0, tip),
        ],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    };
    // Edges that cross in one point: a roof on a gutter.
    let roof = |turn: bool, up: f64| TriangleSet {
        vertices: [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, up], [0.0, -1.0, up]]
            .map(|[x, y, z]: [f64; 3]| if turn { dvec3(-y, x, z) } else { dvec3(x, y, z) })
            .to_vec(),
        triangles: if up > 0.0 {
            vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        } else {
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        },
    };
    let shell = || {
        merged([
            block([-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]),
            inside_out(block([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0])),
        ])
    };
    let twice =
        || merged([block([-2.0, -2.0, -2.0], [2.0, 2.0, 2.0]), block([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0])]);
    let cube = |half: f64| cuboid(DVec3::splat(half));
    vec![
        ("a slab twice", slab(), slab(), Inside, Some(Containment::Same)),
        ("a slab on a slab", slab(), slab().map_vertices(|v| v + DVec3::Z * 0.25), Touching, None),
        ("a shorter slab", slab(), block([0.0, 0.0, 0.0], [8.0, 3.0, 0.25]), Inside, Some(Containment::BInA)),
        ("slabs that share half", slab(), slab().map_vertices(|v| v + DVec3::Y * 3.0), Intersecting, None),
        ("a vertex on a floor", block([-1.0, -1.0, -1.0], [3.0, 3.0, 0.0]), tetra(2.0), Touching, None),
        (
            "a vertex in a floor",
            block([-1.0, -1.0, -2.0], [3.0, 3.0, 0.0]),
            tetra(-2.0),
            Inside,
            Some(Containment::BInA),
        ),
        ("a flatter tetrahedron in another", tetra(2.0), tetra(1.0), Inside, Some(Containment::BInA)),
        ("tetrahedra on either side", tetra(2.0), tetra(-2.0), Touching, None),
        ("ridge on ridge", roof(false, 1.0), roof(true, -1.0), Touching, None),
        ("ridge across ridge", roof(false, 1.0), roof(true, 1.0), Intersecting, None),
        ("the hollow filled", shell(), cube(1.0), Touching, None),
        ("the hollow and its wall filled", shell(), cube(2.0), Inside, Some(Containment::AInB)),
        ("a shell twice", shell(), shell(), Inside, Some(Containment::Same)),
        ("wound twice, filled", twice(), cube(1.0), Inside, Some(Containment::BInA)),
        ("wound twice, the same space", twice(), cube(2.0), Inside, Some(Containment::Same)),
        ("wound twice, beside", twice(), block([2.0, -1.0, -1.0], [3.0, 1.0, 1.0]), Touching, None),
        (
            "a block counted twice",
            merged([cube(1.0), cube(1.0)]),
            block([-1.0, -1.0, -1.0], [1.0, 1.0, 0.0]),
            Inside,
            Some(Containment::BInA),
        ),
        (
            "one part in a vertex, one apart",
            cube(2.0),
            merged([block([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]), block([5.0, 5.0, 5.0], [6.0, 6.0, 6.0])]),
            Inside,
            Some(Containment::Parts),
        ),
        (
            "one part beside, one deep inside",
            cube(2.0),
            merged([block([2.0, 0.0, 0.0], [3.0, 1.0, 1.0]), cube(0.5)]),
            Inside,
            Some(Containment::Parts),
        ),
    ]
}

/// Either way round, turned about, and inside out.
#[test]
fn coincident_faces_by_table() {
    let turns = [DQuat::IDENTITY, QUARTER_TURN, DQuat::from_xyzw(1.0, 2.0, 0.0, 2.0)];
    for (name, a, b, expected, inside) in solids_that_share_faces() {
        for flipped in 0..4 {
            let flip = |set: &TriangleSet, bit: i32| {
                solid(if flipped & bit == 0 { set.clone() } else { inside_out(set.clone()) })
            };
            let (a, b) = (flip(&a, 1), flip(&b, 2));
            for turn in turns {
                let pose = Pose::new(turn, dvec3(3.0, -0.5, 64.0));
                let (a, b) = (a.at(pose), b.at(pose));
                assert_eq!(relation(&a, &b), expected, "{name}, flipped {flipped}");
                assert_eq!(relation(&b, &a), expected, "{name}, turned round, flipped {flipped}");
                assert_eq!(containment(&a, &b), inside, "{name}, flipped {flipped}");
                assert_eq!(containment(&b, &a), inside.map(Containment::swapped), "{name}, turned round");
            }
        }
    }
}

/// Surfaces in solids: what lies on a wall touches, what cuts through with its rim on walls is inside.
#[test]
fn surfaces_against_solids() {
    let cube = solid(cuboid(DVec3::ONE));
    let sheet = |corners: [[f64; 3]; 4]| {
        let set = TriangleSet {
            vertices: corners.map(DVec3::from).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        };
        Model::from(mesh(set).with_kind(MeshKind::Surface))
    };
    let level =
        |half: f64, z: f64| sheet([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]);
    let upright = sheet([[-0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.5, 0.0, 1.0], [-0.5, 0.0, 1.0]]);
    let above = sheet([[-0.5, 0.0, 1.0], [0.5, 0.0, 1.0], [0.5, 0.0, 1.5], [-0.5, 0.0, 1.5]]);
    let cases = [
        ("cuts the cube in two", level(1.0, 0.0), Relation::Inside),
        ("lies on a wall", level(0.5, 1.0), Relation::Touching),
        ("covers a wall", level(1.0, 1.0), Relation::Touching),
        ("hangs from a wall", upright, Relation::Inside),
        ("stands on a wall", above, Relation::Touching),
    ];
    for (name, surface, expected) in cases {
        let (a, b) = (cube.at(Pose::IDENTITY), surface.at(Pose::IDENTITY));
        assert_eq!(relation(&a, &b), expected, "{name}");
        assert_eq!(relation(&b, &a), expected, "{name}, turned round");
        let inside = (expected == Relation::Inside).then_some(Containment::BInA);
        assert_eq!(containment(&a, &b), inside, "{name}");
    }
}

/// A copy of a solid at its own place fills the same space, for every closed mesh of the published data.
#[test]
fn copies_of_published_meshes_fill_the_same_space() {
    let Some(folder) = data("meshes") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut closed = 0;
    for file in files {
        let Ok(mesh) = read_mesh(&file, &ReadOptions::default()) else { continue };
        if mesh.triangle_count() > 6_000 || mesh.report().flaw().is_some() {
            continue;
        }
        closed += 1;
        let [a, b] = [0, 1].map(|_| Model::from(mesh.clone().into_solid()));
        let pose = Pose::new(DQuat::from_xyzw(0.1, 0.2, 0.3, 0.4), dvec3(1.0, 2.0, 3.0));
        let name = file.file_name().unwrap().to_string_lossy();
        match containment(&a.at(pose), &b.at(pose)) {
            // A mesh that passes through itself also passes through its copy.
            None => {
                assert_eq!(relation(&a.at(pose), &b.at(pose)), Relation::Intersecting, "{name}");
                assert!(!noli::self_intersections(&a).is_empty(), "{name}");
            }
            found => assert_eq!(found, Some(Containment::Same), "{name}"),
        }
    }
    assert!(closed > 5, "{closed}");
}

/// The relation is unknown or final at every budget, never touching for solids that share volume.
#[test]
fn a_budget_never_makes_solids_touch() {
    let sphere = solid(bumpy_sphere(6, 0.3));
    let slab = solid(cuboid(DVec3::ONE));
    for (model, shift) in [(&sphere, shift(0.0, 0.0, 0.0)), (&slab, shift(0.0, 0.0, 0.0))] {
        let (a, b) = (model.at(Pose::IDENTITY), model.at(shift));
        let mut scratch = Scratch::default();
        let mut known = 0;
        for steps in (0..2_000).step_by(7).chain([1_000_000]) {
            let found =
                QueryContext::new(&mut scratch).with_budget(Budget::default().steps(steps)).relation(&a, &b);
            assert!(found == Relation::Unknown || found == Relation::Inside, "{steps}: {found:?}");
            known += usize::from(found == Relation::Inside);
        }
        assert!(known > 0);
    }
}

/// A check says which is inside which, counts touching faces and names a place.
#[test]
fn findings_of_bodies_inside_each_other_are_complete() {
    let (cube, small) = (solid(cuboid(DVec3::ONE)), solid(cuboid(DVec3::splat(0.5))));
    let cases = [
        (&cube, &small, shift(0.5, 0.0, 0.0), Some(Containment::BInA), true),
        (&small, &cube, shift(0.5, 0.0, 0.0), Some(Containment::AInB), true),
        (&cube, &cube, shift(0.0, 0.0, 0.0), Some(Containment::Same), true),
        (&cube, &small, shift(0.25, 0.0, 0.0), Some(Containment::BInA), false),
    ];
    for (a, b, place, containment, touches) in cases {
        let mut world = World::default();
        world.add("a", a, Pose::IDENTITY).unwrap();
        world.add("b", b, place).unwrap();
        let result = world.check(&CheckOptions::default()).unwrap();
        let finding = &result.findings[0];
        assert_eq!((finding.status, finding.containment.hit()), (PairStatus::Inside, containment));
        assert_eq!((finding.guarantee, finding.intersecting_faces), (Guarantee::Exact, Some(0)));
        assert_eq!(finding.touching_faces.unwrap() > 0, touches);
        assert!(finding.place.is_some());
    }
    let mut world = World::default();
    world.add("a", &cube, Pose::IDENTITY).unwrap();
    world.add("b", &cube, shift(2.0, 0.0, 0.0)).unwrap();
    let finding = &world.check(&CheckOptions::default()).unwrap().findings[0];
    assert_eq!((finding.status, finding.guarantee), (PairStatus::Touching, Guarantee::Exact));
}

/// Faces without area, at vertices of the contact too, change nothing.
#[test]
fn faces_without_area_change_nothing() {
    let plain = block([0.0, 0.0, 0.0], [2.0, 2.0, 2.0]);
    let mut flawed = plain.clone();
    // The first face gets a vertex on an edge: two faces and a sliver along that edge.
    let [p, q, r] = flawed.triangles[0];
    let middle = flawed.vertices.len() as u32;
    flawed.vertices.push((flawed.vertices[p as usize] + flawed.vertices[q as usize]) / 2.0);
    flawed.triangles[0] = [p, middle, r];
    flawed.triangles.extend([[middle, q, r], [p, q, middle]]);
    let options = noli::model::MeshOptions::default();
    let flawed = Mesh::from_triangles(flawed.vertices, flawed.triangles, &options).unwrap();
    assert_eq!(flawed.triangle_count(), 14);
    let (plain, flawed) = (solid(plain), Model::from(flawed.into_solid()));
    let cases = [
        ([0.0, 0.0, 0.0], Relation::Inside),
        ([2.0, 0.0, 0.0], Relation::Touching),
        ([0.0, -2.0, 0.0], Relation::Touching),
        ([0.0, 0.0, 2.0], Relation::Touching),
        ([0.0, 0.0, -2.0], Relation::Touching),
        ([1.0, 0.0, 0.0], Relation::Intersecting),
        ([0.0, 0.0, 1.0], Relation::Intersecting),
    ];
    for ([x, y, z], expected) in cases {
        for model in [&plain, &flawed] {
            let (a, b) = (flawed.at(Pose::IDENTITY), model.at(shift(x, y, z)));
            assert_eq!(relation(&a, &b), expected, "{x} {y} {z}");
            assert_eq!(relation(&b, &a), expected, "{x} {y} {z}, turned round");
        }
    }
}

/// Doubling in size, a mesh stays a mesh: shapes of very small and very large numbers.
#[test]
fn scale_changes_nothing() {
    for scale in [1e-150, 1e-9, 1e9, 1e60] {
        let half = DVec3::ONE * scale;
        let cube = Model::new(Mesh::cuboid(half * 2.0).unwrap().into_solid()).unwrap();
        let at = |x: f64| cube.at(shift(x * scale, 0.0, 0.0));
        assert_eq!(relation(&at(0.0), &at(0.0)), Relation::Inside);
        assert_eq!(relation(&at(0.0), &at(1.0)), Relation::Intersecting);
        assert_eq!(relation(&at(0.0), &at(2.0)), Relation::Touching);
    }
}
