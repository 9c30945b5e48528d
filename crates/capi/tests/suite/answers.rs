//! Answers of C and C++ programs equal those of the library in Rust, on random poses.

use crate::compiler::{Dialect, compile, here, run};
use glam::{DQuat, DVec3, dvec3};
use noli::query::Ray;
use noli::{Convex, Mesh, Model, Pose, Relation, Shape};
use noli_testing::{Folder, Random};
use std::fmt::Write;
use std::process::{Command, Stdio};

const CUBE: [[f64; 3]; 8] = [
    [-1., -1., -1.],
    [1., -1., -1.],
    [-1., 1., -1.],
    [1., 1., -1.],
    [-1., -1., 1.],
    [1., -1., 1.],
    [-1., 1., 1.],
    [1., 1., 1.],
];
const FACES: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// The models of `verdicts.c`, in its order.
fn models() -> Vec<Model> {
    let points = || CUBE.iter().map(|p| DVec3::from_array(*p));
    let cube = Mesh::from_triangles(points().collect(), FACES.to_vec(), &Default::default()).expect("a cube");
    let convex =
        |convex: Result<Convex, noli::ShapeError>| Model::new(convex.expect("a shape")).expect("a model");
    vec![
        Model::new(cube.clone().into_solid()).expect("a model"),
        Model::new(cube).expect("a model"),
        convex(Convex::hull(points().take(7))),
        convex(Convex::sphere(1.0)),
        convex(Convex::cuboid(dvec3(1.0, 2.0, 3.0))),
        convex(Convex::capsule(2.0, 0.5)),
        convex(Convex::cylinder(2.0, 1.0)),
        convex(Convex::cone(2.0, 1.0)),
        Model::new(Shape::HalfSpace).expect("a model"),
    ]
}

/// Random poses: some apart, most overlapping, some on a grid, where faces touch.
fn pose(random: &mut Random) -> Pose {
    if random.index(3) == 0 {
        let mut grid = || random.index(5) as f64 - 2.0;
        return Pose::from_translation(dvec3(grid(), grid(), grid()));
    }
    let rotation = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real() + 0.01);
    Pose { rotation, translation: 2.5 * random.vector() }
}

/// Returns the expected output of `verdicts.c` for a pair.
fn expected(a: &Model, p: Pose, b: &Model, q: Pose) -> String {
    let (first, second) = (a.at(p), b.at(q));
    let number = |overlap| match overlap {
        noli::Overlap::Free => 0,
        noli::Overlap::Hit => 1,
        noli::Overlap::Unknown => 2,
    };
    let relation = match noli::relation(&first, &second) {
        Relation::Separated => 0,
        Relation::Touching => 1,
        Relation::Intersecting => 2,
        Relation::Inside => 3,
        Relation::Unknown => 4,
    };
    let clearance = noli::clearance(&first, &second).distance;
    let overlap = [noli::overlap(&first, &second), noli::within_distance(&first, &second, 0.5)].map(number);
    let found = noli::intersections(&first, &second).items.len().min(8);
    let ray = Ray { origin: dvec3(-9.0, 0.25, 0.125), direction: DVec3::X };
    let hits = noli::ray_cast(&first, &ray).expect("a ray").items.len();
    let location = noli::locate_point(&second, ray.origin);
    let [start, end] = [q, p];
    let motion = noli::motion::RigidMotion::between(&start, &end, DVec3::ZERO);
    let impact = noli::time_of_impact(&a.moving(&noli::motion::Still(p)), &b.moving(&motion));
    let kind = match impact {
        noli::Impact::Free => 0,
        noli::Impact::AtStart(_) => 1,
        noli::Impact::At { .. } => 2,
        noli::Impact::Unknown { .. } => 3,
    };
    let contact = noli::contact(&first, &second);
    format!(
        "{} {} {relation} {:?} {:?} {} {kind} {found} {hits} {}",
        overlap[0],
        overlap[1],
        clearance.at_least,
        clearance.at_most,
        number(contact.overlap()),
        location as i32,
    )
}

/// The same of a line that the program printed, and the numbers that are brackets of searches.
fn printed(line: &str) -> (String, [f64; 3]) {
    let words: Vec<&str> = line.split(' ').collect();
    let number = |at: usize| words[at].parse::<f64>().expect("a number");
    let text = format!(
        "{} {} {} {:?} {:?} {} {} {} {} {}",
        words[0],
        words[1],
        words[2],
        number(3),
        number(4),
        words[5],
        words[9],
        words[11],
        words[12],
        words[13],
    );
    (text, [number(6), number(7), number(8)])
}

fn compare(dialect: Dialect, name: &str, count: usize) {
    let folder = Folder::new(&format!("capi_{name}"));
    let source = here().join("tests/programs").join(name);
    let Some(program) = compile(&folder, &source, dialect, &[]) else { return };
    let (models, mut random) = (models(), Random::new(40));
    let mut questions = String::new();
    let mut pairs = Vec::new();
    for _ in 0..count {
        // Two half-spaces have no penetration depth.
        let (a, b) = (random.index(models.len()), random.index(models.len() - 1));
        let (p, q) = (pose(&mut random), pose(&mut random));
        write!(questions, "{a} {b}").expect("text");
        for pose in [p, q] {
            let (t, r) = (pose.translation, pose.rotation);
            write!(questions, " {} {} {} {} {} {} {}", t.x, t.y, t.z, r.x, r.y, r.z, r.w).expect("text");
        }
        questions.push('\n');
        pairs.push((a, p, b, q));
    }
    let input = folder.file("questions.txt", questions);
    let input = std::fs::File::open(input).expect("the questions");
    let answers = run(Command::new(program).stdin(Stdio::from(input)));
    let lines: Vec<&str> = answers.lines().collect();
    assert_eq!(lines.len(), count);
    let mut hits = 0;
    for ((a, p, b, q), line) in pairs.into_iter().zip(lines) {
        let (text, [contact_depth, at_least, at_most]) = printed(line);
        let wanted = expected(&models[a], p, &models[b], q);
        assert_eq!(text, wanted, "models {a} and {b} at {p:?} and {q:?}");
        assert!(at_least <= at_most && contact_depth >= 0.0, "{line}");
        hits += usize::from(line.starts_with('1'));
    }
    assert!(hits > count / 5 && hits < count, "{hits} of {count} overlap");
}

#[test]
fn c_program_gives_the_answers_of_the_library() {
    compare(Dialect::C, "verdicts.c", 3000);
}
