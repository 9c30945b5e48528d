//! Containment, against the winding number of all faces by exact signs of another library.

use crate::common::{QUARTER_TURN, data, load, merged, mesh, model, shift};
use glam::DVec3;
use noli::answer::Location;
use noli::model::MeshKind;
use noli::{Mesh, Model, Overlap, Pose, Relation, clearance, locate_point, overlap, relation};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, geodesic, torus};
use robust::{Coord, Coord3D, orient2d, orient3d};

fn point(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// The side of the plane `abc` on which `p` lies; exact.
fn side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> i64 {
    let volume = orient3d(point(a), point(b), point(c), point(p));
    i64::from(volume > 0.0) - i64::from(volume < 0.0)
}

/// Returns `true` if a point lies on a triangle that has an area; exact.
fn is_on([a, b, c]: [DVec3; 3], p: DVec3) -> bool {
    if side(a, b, c, p) != 0 {
        return false;
    }
    let drop = |axis: usize, v: DVec3| Coord { x: v[(axis + 1) % 3], y: v[(axis + 2) % 3] };
    let turn = |axis, u, v, w| orient2d(drop(axis, u), drop(axis, v), drop(axis, w));
    let axis = (0..3).find(|&axis| turn(axis, a, b, c) != 0.0).expect("a triangle with an area");
    let turns = [turn(axis, a, b, p), turn(axis, b, c, p), turn(axis, c, a, p)];
    turns.iter().all(|&t| t >= 0.0) || turns.iter().all(|&t| t <= 0.0)
}

/// Crossing number of the segment `pq` and a triangle: 0 if it misses, ±1 by direction, nothing where it
/// meets an edge or the plane only touches.
fn passes([a, b, c]: [DVec3; 3], p: DVec3, q: DVec3) -> Option<i64> {
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    if from == to && from != 0 {
        return Some(0);
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    if turns.contains(&1) && turns.contains(&-1) {
        return Some(0);
    }
    let clean = from * to < 0 && !turns.contains(&0);
    clean.then_some(from)
}

/// Location of a point, by all faces and a ray that hits no edge.
fn brute_location(mesh: &Mesh, p: DVec3, rng: &mut SplitMix64) -> Location {
    let faces: Vec<_> = mesh.iter_triangles().map(|t| t.vertices).collect();
    if faces.iter().any(|&face| is_on(face, p)) {
        return Location::OnSurface;
    }
    let reach = mesh.vertices().iter().map(|v| v.length()).fold(p.length(), f64::max);
    for _ in 0..100 {
        let q = p + rng.direction() * (4.0 * reach);
        let winding: Option<i64> = faces.iter().map(|&face| passes(face, p, q)).sum();
        match winding {
            Some(0) => return Location::Outside,
            Some(_) => return Location::Inside,
            None => {}
        }
    }
    panic!("every ray met an edge");
}

/// Closed bodies, nested, overlapping, inside out.
fn bodies() -> Vec<(&'static str, TriangleSet)> {
    let inward = |mut set: TriangleSet| {
        set.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        set
    };
    let small = || geodesic(2).map_vertices(|v| v * 0.5);
    let grid = |set: TriangleSet| set.map_vertices(|v| (v * 64.0).round() / 64.0);
    vec![
        ("cube", cuboid(DVec3::ONE)),
        ("bumpy sphere", bumpy_sphere(5, 0.4)),
        ("torus", torus(1.0, 0.4, 16, 8)),
        ("sphere on a grid", grid(geodesic(4))),
        ("hollow sphere", merged([geodesic(3), inward(small())])),
        ("sphere counted twice", merged([geodesic(3), small()])),
        ("sphere inside out", inward(bumpy_sphere(3, 1.0))),
        (
            "overlapping boxes",
            merged([cuboid(DVec3::ONE), cuboid(DVec3::splat(0.75)).map_vertices(|v| v + 0.5)]),
        ),
        (
            "two boxes apart",
            merged([-2.0, 2.0].map(|x| cuboid(DVec3::ONE).map_vertices(|v| v + DVec3::X * x))),
        ),
    ]
}

/// Random points, points on and near vertices, edges and faces.
fn points(mesh: &Mesh, rng: &mut SplitMix64, count: usize) -> Vec<DVec3> {
    let bounds = mesh.aabb();
    let mut all = Vec::new();
    // Not into subnormal numbers, where the other library's signs are no longer exact.
    let below = |x: f64| if x.abs() > 1e-9 { x.next_down() } else { x - 2f64.powi(-80) };
    for _ in 0..count {
        let [x, y, z] = [(); 3].map(|()| rng.between(-0.1, 1.1));
        all.push(bounds.min + bounds.size() * DVec3::new(x, y, z));
        let face = mesh.triangle((rng.next_u64() % mesh.triangle_count() as u64) as u32);
        let [a, b, c] = face.vertices;
        let middle = a * 0.5 + b * 0.25 + c * 0.25;
        all.extend([a, (a + b) * 0.5, middle, middle.with_x(below(middle.x)), a.with_z(below(a.z))]);
        all.push(DVec3::new(a.x, b.y, c.z));
    }
    all.push(DVec3::ZERO);
    all.push(DVec3::splat(1e9));
    all
}

/// `locate_point` equals the winding number of all faces, also on vertices, edges and faces.
#[test]
fn locations_equal_brute_force() {
    let mut rng = SplitMix64::new(1);
    for (name, set) in bodies() {
        let mesh = mesh(set);
        let model = model(&mesh);
        let mut counts = [0; 3];
        for p in points(&mesh, &mut rng, 120) {
            let expected = brute_location(&mesh, p, &mut rng);
            assert_eq!(model.locate_point(p), expected, "{name}: {p:?}");
            counts[expected as usize] += 1;
        }
        eprintln!("{name}: outside, on surface, inside: {counts:?}");
        assert!(counts.iter().all(|&n| n >= 50), "{name}: {counts:?}");
    }
}

/// The same in the world, where a quarter turn and a shift by a power of two move points without rounding.
#[test]
fn locations_follow_the_pose() {
    let mut rng = SplitMix64::new(2);
    let turned = |p: DVec3| DVec3::new(-p.y, p.x, p.z);
    for (name, set) in bodies() {
        let mesh = mesh(set.map_vertices(|v| (v * 1024.0).round() / 1024.0));
        let model = model(&mesh);
        let pose = Pose::new(QUARTER_TURN * 0.3, DVec3::new(8.0, -16.0, 32.0));
        for p in points(&mesh, &mut rng, 60) {
            let p = (p * 4096.0).round() / 4096.0;
            let expected = brute_location(&mesh, p, &mut rng);
            let world = turned(p) + pose.translation;
            assert_eq!(locate_point(&model.at(pose), world), expected, "{name}: {p:?}");
        }
    }
}

/// A real scan and a machine part.
#[test]
fn locations_in_real_meshes() {
    let Some(folder) = data("meshes") else { return };
    let mut rng = SplitMix64::new(3);
    for name in ["elephant.off", "couplingdown.off", "cheese.off"] {
        let mesh = load(&folder.join(name));
        let model = model(&mesh);
        for p in points(&mesh, &mut rng, 20) {
            assert_eq!(model.locate_point(p), brute_location(&mesh, p, &mut rng), "{name}: {p:?}");
        }
    }
}

/// A body by name: its set, as a surface or a solid.
struct Body(TriangleSet, MeshKind);

impl Body {
    fn model(&self) -> Model {
        model(&mesh(self.0.clone()).with_kind(self.1))
    }
}

fn solid(set: TriangleSet) -> Body {
    Body(set, MeshKind::Solid)
}

fn surface(set: TriangleSet) -> Body {
    Body(set, MeshKind::Surface)
}

fn sphere(radius: f64) -> TriangleSet {
    bumpy_sphere(4, 0.2).map_vertices(|v| v * radius)
}

fn at(set: TriangleSet, x: f64) -> TriangleSet {
    set.map_vertices(|v| v + DVec3::X * x)
}

fn inside_out(mut set: TriangleSet) -> TriangleSet {
    set.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    set
}

/// Relations of bodies one of which is in the other, by table, either way round; overlap and
/// clearance follow.
#[test]
fn containment() {
    let shell = || merged([sphere(2.0), inside_out(sphere(1.0))]);
    let cube = |half: f64| cuboid(DVec3::splat(half));
    let two = |x: f64| merged([at(sphere(0.3), 0.0), at(sphere(0.3), x)]);
    use Relation::{Inside, Intersecting, Separated, Touching};
    let cases = [
        ("solid deep in solid", solid(sphere(1.0)), solid(sphere(0.1)), Pose::IDENTITY, Inside),
        ("surface deep in solid", solid(sphere(1.0)), surface(sphere(0.1)), Pose::IDENTITY, Inside),
        ("solid deep in surface", surface(sphere(1.0)), solid(sphere(0.1)), Pose::IDENTITY, Separated),
        ("surface in surface", surface(sphere(1.0)), surface(sphere(0.1)), Pose::IDENTITY, Separated),
        ("solid off the middle", solid(sphere(1.0)), solid(sphere(0.1)), shift(0.6, 0.1, -0.2), Inside),
        ("solid outside", solid(sphere(1.0)), solid(sphere(0.1)), shift(1.3, 0.0, 0.0), Separated),
        ("far outside", solid(sphere(1.0)), solid(sphere(0.1)), shift(1e6, -1e6, 1e5), Separated),
        ("through the wall", solid(sphere(1.0)), solid(sphere(0.5)), shift(0.9, 0.0, 0.0), Intersecting),
        ("one part inside, one out", solid(sphere(1.0)), surface(two(3.0)), Pose::IDENTITY, Inside),
        ("other part inside, one out", solid(sphere(1.0)), surface(two(3.0)), shift(-3.0, 0.0, 0.0), Inside),
        ("both parts out", solid(sphere(1.0)), surface(two(3.0)), shift(-1.5, 0.0, 0.0), Separated),
        ("in a part of the solid", solid(two(3.0)), solid(sphere(0.05)), shift(3.0, 0.0, 0.0), Inside),
        ("between the parts", solid(two(3.0)), solid(sphere(0.05)), shift(1.5, 0.0, 0.0), Separated),
        ("in the hollow", solid(shell()), solid(sphere(0.5)), Pose::IDENTITY, Separated),
        ("in the wall", solid(shell()), solid(sphere(0.1)), shift(1.5, 0.0, 0.0), Inside),
        ("around the shell", solid(shell()), solid(sphere(3.0)), Pose::IDENTITY, Inside),
        ("around the shell, surface", solid(shell()), surface(sphere(3.0)), Pose::IDENTITY, Separated),
        (
            "twice wound",
            solid(merged([sphere(2.0), sphere(1.0)])),
            solid(sphere(0.5)),
            Pose::IDENTITY,
            Inside,
        ),
        ("inside out", solid(inside_out(sphere(1.0))), solid(sphere(0.2)), Pose::IDENTITY, Inside),
        ("cube touches from inside", solid(cube(1.0)), solid(cube(0.5)), shift(0.5, 0.0, 0.0), Inside),
        (
            "cube just not touching",
            solid(cube(1.0)),
            solid(cube(0.5)),
            shift(0.5f64.next_down(), 0.0, 0.0),
            Inside,
        ),
        (
            "cube passes the wall",
            solid(cube(1.0)),
            solid(cube(0.5)),
            shift(0.5 + 1e-15, 0.0, 0.0),
            Intersecting,
        ),
        ("cube touches from outside", solid(cube(1.0)), solid(cube(0.5)), shift(1.5, 0.0, 0.0), Touching),
        (
            "cube just outside",
            solid(cube(1.0)),
            solid(cube(0.5)),
            shift(1.5f64.next_up(), 0.0, 0.0),
            Separated,
        ),
        ("cube in a vertex", solid(cube(1.0)), solid(cube(0.5)), shift(0.5, 0.5, 0.5), Inside),
        ("the same cube twice", solid(cube(1.0)), solid(cube(1.0)), Pose::IDENTITY, Inside),
        ("a tiny one in a huge one", solid(cube(1e9)), solid(cube(1e-9)), shift(1.0, 2.0, 3.0), Inside),
    ];
    for (name, a, b, pose, expected) in cases {
        let (model_a, model_b) = (a.model(), b.model());
        for place in [Pose::IDENTITY, Pose::from_rotation(QUARTER_TURN)] {
            let (a, b) = (model_a.at(place), model_b.at(place * pose));
            for (a, b) in [(&a, &b), (&b, &a)] {
                assert_eq!(relation(a, b), expected, "{name}");
                let hit = if expected == Separated { Overlap::Free } else { Overlap::Hit };
                assert_eq!(overlap(a, b), hit, "{name}");
                let gap = clearance(a, b);
                assert_eq!(gap.distance.at_most == 0.0, expected != Separated, "{name}: {gap:?}");
                assert!(gap.distance.at_least <= gap.distance.at_most, "{name}: {gap:?}");
            }
        }
    }
}

/// A point that cannot be anywhere has no location.
#[test]
fn what_is_no_point_has_no_location() {
    let model = model(&mesh(cuboid(DVec3::ONE)));
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2f64.powi(301)] {
        assert_eq!(model.locate_point(DVec3::new(0.0, x, 0.0)), Location::Unknown);
    }
    assert_eq!(model.locate_point(DVec3::new(0.0, 2f64.powi(300), 0.0)), Location::Outside);
    assert_eq!(Model::locate_point(&Model::new(Mesh::empty()).unwrap(), DVec3::ZERO), Location::Outside);
}
