//! The pairs of bodies, where they are placed, and what brute force says about it.

use anyhow::Result;
use glam::{DQuat, DVec3, dvec3};
use noli::{Mesh, Pose};
use noli_geom::{PairFrame, RelativePose, Triangle, TrianglePair};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, cylinder, torus};
use rayon::prelude::*;

/// Two bodies, the placements of the second, and for each whether they share a point.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) bodies: [Mesh; 2],
    pub(super) poses: Vec<Pose>,
    pub(super) truth: Vec<bool>,
}

impl Case {
    pub(super) fn hits(&self) -> usize {
        self.truth.iter().filter(|hit| **hit).count()
    }
}

type Place = fn(&mut SplitMix64) -> Pose;

/// The placements are dealt evenly to the pairs of bodies.
pub(super) fn cases(seed: u64, placements: usize) -> Result<Vec<Case>> {
    let mut random = SplitMix64::new(seed);
    let pairs: [(&'static str, [TriangleSet; 2], Place); 4] = [
        ("a bumpy sphere and a ring", [bumpy_sphere(1, 0.3), torus(0.9, 0.35, 5, 3)], free),
        ("a long rod and a plate", [cylinder(0.1, [-1.5, 1.5], 5, 1), cuboid(dvec3(1.2, 0.8, 0.02))], free),
        ("loose triangles", [loose(&mut random), loose(&mut random)], free),
        (
            "vertices and placements on a grid, some faces without area",
            [gridded(&mut random), gridded(&mut random)],
            on_grid,
        ),
    ];
    let count = pairs.len();
    let share = |k: usize| placements * (k + 1) / count - placements * k / count;
    let one = |(k, (name, sets, place)): (usize, (_, [TriangleSet; 2], Place))| {
        let [a, b] = sets.map(mesh);
        let bodies = [a?, b?];
        let poses: Vec<Pose> = (0..share(k)).map(|_| place(&mut random)).collect();
        let faces = bodies.each_ref().map(|mesh| mesh.iter_triangles().collect::<Vec<Triangle>>());
        let truth = poses.par_iter().map(|pose| brute_force(&faces, pose)).collect();
        Ok(Case { name, bodies, poses, truth })
    };
    pairs.into_iter().enumerate().map(one).collect()
}

fn mesh(set: TriangleSet) -> Result<Mesh> {
    Ok(Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)
}

/// The exact test about every pair of faces.
fn brute_force([a, b]: &[Vec<Triangle>; 2], pose: &Pose) -> bool {
    let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, pose));
    a.iter().any(|face_a| b.iter().any(|face_b| TrianglePair::new(face_a, face_b, &frame).overlaps()))
}

/// From deep in each other to just apart.
fn free(random: &mut SplitMix64) -> Pose {
    Pose::new(random.rotation(), random.direction() * random.between(0.2, 2.4))
}

/// Turns and shifts that keep coordinates short, so that bodies often touch without intersecting.
fn on_grid(random: &mut SplitMix64) -> Pose {
    let mut digit = || random.next_u64() % 3;
    let turn = [(); 4].map(|()| digit() as f64 - 1.0);
    let shift = [(); 3].map(|()| 0.5 * (digit() + digit()) as f64 - 1.0);
    let turn = if turn == [0.0; 4] { DQuat::IDENTITY } else { DQuat::from_array(turn) };
    Pose::new(turn, DVec3::from_array(shift))
}

const LOOSE: usize = 16;

fn loose(random: &mut SplitMix64) -> TriangleSet {
    let vertices = |_| {
        let middle = random.direction() * random.between(0.0, 1.0);
        [(); 3].map(|()| middle + random.direction() * 0.4)
    };
    separate((0..LOOSE).flat_map(vertices).collect())
}

/// Few possible vertices make points, segments, faces given twice and faces in one plane.
fn gridded(random: &mut SplitMix64) -> TriangleSet {
    let mut coordinate = || 0.5 * (random.next_u64() % 3) as f64 - 0.5;
    separate((0..3 * LOOSE).map(|_| dvec3(coordinate(), coordinate(), coordinate())).collect())
}

fn separate(vertices: Vec<DVec3>) -> TriangleSet {
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleSet { vertices, triangles }
}
