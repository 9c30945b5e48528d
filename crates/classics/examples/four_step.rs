//! The four steps against the tree on ten thousand placements: `four_step [PLACEMENTS]`.
#![allow(clippy::print_stdout, reason = "this is what it is for")]

use noli::{Budget, Mesh, Model, Overlap, Pose, overlap};
use noli_classics::{MethodScratch, PairMethod};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, torus, uv_sphere};

fn model(set: TriangleSet, solid: bool) -> Model {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default()).expect("generated");
    Model::new(&if solid { mesh.into_solid() } else { mesh }).unwrap()
}

fn main() {
    let placements: u32 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let sets = || {
        [
            bumpy_sphere(8, 0.3),
            uv_sphere(21, 20),
            torus(1.0, 0.35, 28, 25),
            cuboid(glam::dvec3(1.0, 0.6, 0.05)),
        ]
    };
    let models: Vec<Model> =
        [false, true].into_iter().flat_map(|s| sets().map(|set| model(set, s))).collect();
    let (mut random, mut scratch) = (SplitMix64::new(1994), MethodScratch::default());
    let prepared: Vec<_> = [3, 6, 9, 12]
        .map(|m| models.iter().map(|one| PairMethod::FourStep { m }.prepare(one)).collect::<Vec<_>>())
        .into();
    let (mut hits, mut differ) = (0, 0);
    for k in 0..placements as usize {
        let (i, j) = (k % models.len(), k / models.len() % models.len());
        let here = Pose::new(random.rotation(), random.direction() * 2.0);
        let offset = random.direction() * random.between(0.0, 2.4);
        let there = Pose::new(random.rotation(), here.translation + offset);
        let truth = overlap(&models[i].at(here), &models[j].at(there));
        let bodies = &prepared[k % prepared.len()];
        let answer = bodies[i].overlap(&here, &bodies[j], &there, &Budget::default(), &mut scratch);
        hits += u32::from(truth == Overlap::Hit);
        differ += u32::from(answer.overlap != truth);
    }
    println!("{placements} placements, {hits} overlap: the four steps differ from the tree in {differ}");
    assert_eq!(differ, 0);
}
