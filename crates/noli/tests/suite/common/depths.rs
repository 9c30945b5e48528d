//! Pairs of solids whose depth and common volume are known.
#![allow(dead_code, reason = "every user takes a part of it")]

use super::polycubes::{Cell, grow, shell};
use glam::{DQuat, DVec3, dvec3};
use noli::{Mesh, Model, Pose};
use noli_scenes::SplitMix64;
use std::collections::HashSet;

/// A union of boxes: cells of a grid whose planes stand where they like.
pub(crate) struct Blocks {
    pub(crate) cells: HashSet<Cell>,
    /// Offsets of the planes of each axis; the first is that of cell `-first`.
    planes: [Vec<f64>; 3],
    first: i32,
}

impl Blocks {
    /// Cells that hang together, on planes at random distances from 0.2 to 1.
    pub(crate) fn random(random: &mut SplitMix64, count: usize) -> Self {
        let cells = grow(random, count);
        let first = cells.iter().flatten().map(|c| c.abs()).max().unwrap_or(0) + 1;
        let planes = [(); 3].map(|()| {
            let mut at = 0.0;
            (0..2 * first + 2)
                .map(|_| {
                    at += random.between(0.2, 1.0);
                    at
                })
                .collect()
        });
        Self { cells, planes, first }
    }

    /// Cells chosen by their place between planes that are given.
    pub(crate) fn of(planes: [Vec<f64>; 3], is_filled: impl Fn(Cell) -> bool) -> Self {
        let counts = [0, 1, 2].map(|k| planes[k].len() as i32 - 1);
        let all = (0..counts[0])
            .flat_map(|x| (0..counts[1]).flat_map(move |y| (0..counts[2]).map(move |z| [x, y, z])));
        Self { cells: all.filter(|cell| is_filled(*cell)).collect(), planes, first: 0 }
    }

    fn vertex(&self, cell: Cell) -> DVec3 {
        let at = |k: usize| self.planes[k][(cell[k] + self.first) as usize];
        dvec3(at(0), at(1), at(2))
    }

    pub(crate) fn mesh(&self, random: &mut SplitMix64) -> Mesh {
        shell(&self.cells, random, |cell| self.vertex(cell)).into_solid()
    }

    fn boxes(&self) -> Vec<[DVec3; 2]> {
        let boxed = |cell: &Cell| [self.vertex(*cell), self.vertex(cell.map(|c| c + 1))];
        let mut boxes: Vec<_> = self.cells.iter().map(boxed).collect();
        boxes.sort_by(|x, y| x[0].to_array().partial_cmp(&y[0].to_array()).unwrap());
        boxes
    }

    /// The shortest translation of the other, which stands at `offset`, that leaves no common volume: the distance of
    /// the origin from the complement of the union of the boxes `A − B`, cut along all their planes.
    pub(crate) fn depth(&self, other: &Self, offset: DVec3) -> f64 {
        let (a, b) = (self.boxes(), other.boxes());
        let sums: Vec<[DVec3; 2]> = a
            .iter()
            .flat_map(|x| b.iter().map(move |y| [x[0] - y[1] - offset, x[1] - y[0] - offset]))
            .collect();
        let planes = [0, 1, 2].map(|k| {
            let mut all: Vec<f64> = sums.iter().flat_map(|sum| [sum[0][k], sum[1][k]]).collect();
            all.extend([f64::NEG_INFINITY, f64::INFINITY]);
            all.sort_by(f64::total_cmp);
            // Planes that rounding parts are one.
            all.dedup_by(|x, y| (*x - *y).abs() < 1e-12);
            all
        });
        let mut covered = HashSet::new();
        for sum in &sums {
            let range = |k: usize| {
                let at = |value: f64| planes[k].partition_point(|plane| *plane < value - 1e-12);
                at(sum[0][k])..at(sum[1][k])
            };
            for x in range(0) {
                for y in range(1) {
                    covered.extend(range(2).map(|z| [x, y, z]));
                }
            }
        }
        let mut least = f64::INFINITY;
        for x in 0..planes[0].len() - 1 {
            for y in 0..planes[1].len() - 1 {
                for z in 0..planes[2].len() - 1 {
                    if covered.contains(&[x, y, z]) {
                        continue;
                    }
                    let cell = [x, y, z];
                    let away = [0, 1, 2].map(|k| planes[k][cell[k]].max(-planes[k][cell[k] + 1]).max(0.0));
                    least = least.min(DVec3::from(away).length());
                }
            }
        }
        least
    }

    pub(crate) fn common_volume(&self, other: &Self, offset: DVec3) -> f64 {
        let (a, b) = (self.boxes(), other.boxes());
        let share = |x: &[DVec3; 2], y: &[DVec3; 2]| {
            let size = (x[1].min(y[1] + offset) - x[0].max(y[0] + offset)).max(DVec3::ZERO);
            size.x * size.y * size.z
        };
        a.iter().flat_map(|x| b.iter().map(move |y| share(x, y))).sum()
    }

    pub(crate) fn middle(&self) -> DVec3 {
        let boxes = self.boxes();
        boxes.iter().map(|b| b[0].midpoint(b[1])).sum::<DVec3>() / boxes.len() as f64
    }
}

/// A comb with teeth along z on a back, as deep as `thickness`.
pub(crate) fn comb(teeth: usize, width: f64, pitch: f64, length: f64, thickness: f64) -> Blocks {
    let mut xs = Vec::new();
    for k in 0..teeth {
        xs.extend([k as f64 * pitch, k as f64 * pitch + width]);
    }
    Blocks::of([xs, vec![0.0, thickness], vec![-0.2, 0.0, length]], |[x, _, z]| z == 0 || x % 2 == 0)
}

/// A pair with what is known of its depth.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) a: Model,
    pub(crate) b: Model,
    pub(crate) pose: Pose,
    /// The depth, up to rounding; `None` if only others' searches tell.
    pub(crate) depth: Option<f64>,
}

impl Known {
    fn new(name: impl Into<String>, a: Mesh, b: Mesh, pose: Pose, depth: impl Into<Option<f64>>) -> Self {
        let [a, b] = [a, b].map(|mesh| Model::from(mesh.into_solid()));
        Self { name: name.into(), a, b, pose, depth: depth.into() }
    }
}

/// A cube of edge 1 with its faces cut into `n × n` squares.
pub(crate) fn cut_cube(n: usize, random: &mut SplitMix64) -> Mesh {
    let planes = || (0..=n).map(|k| k as f64 / n as f64).collect::<Vec<f64>>();
    Blocks::of([planes(), planes(), planes()], |_| true).mesh(random)
}

/// The pairs of the workload W7.
pub(crate) fn known_pairs() -> Vec<Known> {
    let mut random = SplitMix64::new(7);
    let shift = |x, y, z| Pose::from_translation(dvec3(x, y, z));
    let mut pairs = Vec::new();
    for n in [1, 10, 32] {
        let cube = cut_cube(n, &mut random);
        pairs.push(Known::new(
            format!("cubes {}", 12 * n * n),
            cube.clone(),
            cube,
            shift(0.95, 0.3, 0.1),
            0.05,
        ));
    }
    for (thickness, depth) in [(1.0, 0.6), (0.4, 0.4)] {
        let own = comb(6, 0.12, 0.2, 1.0, thickness);
        let mesh = own.mesh(&mut random);
        let turned = Pose::new(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), dvec3(0.1, thickness, 1.4));
        pairs.push(Known::new(format!("combs {thickness}"), mesh.clone(), mesh, turned, depth));
    }
    let sphere = |r: f64| Mesh::sphere(r, 12).unwrap();
    pairs.push(Known::new("nested spheres", sphere(1.0), sphere(0.3), shift(0.2, 0.0, 0.0), None));
    let tube = |minor: f64| Mesh::torus(1.0, minor, 64, 32).unwrap();
    let quarter = DQuat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    for (minor, x) in [(0.25, 1.65), (0.55, 1.0), (0.4, 1.35)] {
        pairs.push(Known::new(
            format!("rings {minor}"),
            tube(minor),
            tube(minor),
            Pose::new(quarter, dvec3(x, 0.0, 0.0)),
            None,
        ));
    }
    // A bracket of two plates, a pin through one of them, and one in the vertex between them.
    let bracket =
        Blocks::of([vec![0.0, 0.3, 2.0], vec![0.0, 0.3, 2.0], vec![0.0, 1.0]], |[x, y, _]| x == 0 || y == 0);
    let pin = Blocks::of([vec![0.0, 0.2], vec![0.0, 1.0], vec![0.0, 0.2]], |_| true);
    let (mesh, bolt) = (bracket.mesh(&mut random), pin.mesh(&mut random));
    for (name, offset) in
        [("pin through a plate", dvec3(1.0, -0.3, 0.37)), ("pin in the vertex", dvec3(0.26, 0.27, 0.4))]
    {
        let depth = bracket.depth(&pin, offset);
        pairs.push(Known::new(name, mesh.clone(), bolt.clone(), Pose::from_translation(offset), depth));
    }
    pairs
}
