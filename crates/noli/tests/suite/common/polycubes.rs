//! Solids of unit cells: how they stand to each other is known by counting cells.
#![allow(dead_code, reason = "every user takes a part of it")]

use glam::{DQuat, DVec3};
use noli::model::MeshOptions;
use noli::{Mesh, Model, Pose, Relation};
use noli_scenes::SplitMix64;
use std::collections::{HashMap, HashSet};

/// A place on the grid.
pub(crate) type Cell = [i32; 3];

/// Cells that hang together by walls, now and then only by edges or vertices.
pub(crate) fn grow(random: &mut SplitMix64, count: usize) -> HashSet<Cell> {
    let mut cells = vec![[0; 3]];
    while cells.len() < count {
        let [x, y, z] = cells[pick(random, cells.len())];
        let loose = pick(random, 12) == 0;
        let mut step = [0; 3];
        if loose {
            step = [(); 3].map(|()| pick(random, 3) as i32 - 1);
        } else {
            step[pick(random, 3)] = 2 * pick(random, 2) as i32 - 1;
        }
        let next = [x + step[0], y + step[1], z + step[2]];
        if !cells.contains(&next) {
            cells.push(next);
        }
    }
    cells.into_iter().collect()
}

pub(crate) fn pick(random: &mut SplitMix64, count: usize) -> usize {
    (random.next_u64() % count as u64) as usize
}

/// Walls of cells that a mesh has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walls {
    /// Those with no cell behind them.
    Outer,
    /// All, those between two cells once for each: bodies of several boxes, as windows of buildings are.
    All,
}

/// The walls of the cells that have none behind them, each cut along a random diagonal; vertices are moved.
pub(crate) fn shell(cells: &HashSet<Cell>, random: &mut SplitMix64, place: impl Fn(Cell) -> DVec3) -> Mesh {
    skin(cells, Walls::Outer, random, place)
}

/// Walls of the cells, each cut along a random diagonal; vertices are moved.
fn skin(cells: &HashSet<Cell>, walls: Walls, random: &mut SplitMix64, place: impl Fn(Cell) -> DVec3) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut numbers: HashMap<Cell, u32> = HashMap::new();
    let mut sorted: Vec<&Cell> = cells.iter().collect();
    sorted.sort_unstable();
    for &cell in sorted {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut behind = cell;
                behind[axis] += 2 * side - 1;
                if walls == Walls::Outer && cells.contains(&behind) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut quad = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[du, dv]| {
                    let mut vertex = cell;
                    vertex[axis] += side;
                    vertex[u] += du;
                    vertex[v] += dv;
                    *numbers.entry(vertex).or_insert_with(|| {
                        vertices.push(place(vertex));
                        vertices.len() as u32 - 1
                    })
                });
                if side == 0 {
                    quad.reverse();
                }
                quad.rotate_left(pick(random, 2));
                let [p, q, r, s] = quad;
                triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
    }
    Mesh::from_triangles(vertices, triangles, &MeshOptions::default()).expect("a valid mesh").into_solid()
}

/// Two solids of cells, the second moved by halves of a cell.
pub(crate) struct Case {
    pub(crate) a: HashSet<Cell>,
    pub(crate) b: HashSet<Cell>,
    pub(crate) shift: [i32; 3],
}

/// Relation by counting cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Truth {
    pub(crate) relation: Relation,
    pub(crate) a_in_b: bool,
    pub(crate) b_in_a: bool,
}

impl Case {
    /// On the grid or half off it; sometimes the same cells twice, or some of them.
    pub(crate) fn random(random: &mut SplitMix64) -> Self {
        let size = |random: &mut SplitMix64| 2 + pick(random, 11);
        let count = size(random);
        let a = grow(random, count);
        let kind = pick(random, 8);
        let b = match kind {
            0 => a.clone(),
            1 => {
                let mut part: Vec<Cell> = a.iter().copied().collect();
                part.sort_unstable();
                part.truncate(1 + pick(random, part.len()));
                part.into_iter().collect()
            }
            _ => {
                let count = size(random);
                grow(random, count)
            }
        };
        let reach = if kind < 2 { 2 } else { 9 };
        let grid = pick(random, 2) as i32;
        let shift = if kind < 2 && pick(random, 2) == 0 {
            [0; 3]
        } else {
            [(); 3].map(|()| (pick(random, reach) as i32 - reach as i32 / 2) << grid)
        };
        Self { a, b, shift }
    }

    pub(crate) fn truth(&self) -> Truth {
        let (a, b) = self.eighths();
        let common = a.intersection(&b).count();
        let (a_in_b, b_in_a) = (common == a.len(), common == b.len());
        let relation = match common {
            0 if touch(&a, &b) => Relation::Touching,
            0 => Relation::Separated,
            _ if a_in_b || b_in_a => Relation::Inside,
            _ => match [passing(&a, &b), passing(&b, &a)] {
                // Only of several parts some can lie inside and the others outside.
                [(_, 1), (_, 1)] | [(true, _), _] | [_, (true, _)] => Relation::Intersecting,
                _ => Relation::Inside,
            },
        };
        Truth { relation, a_in_b, b_in_a }
    }

    /// Walls for two meshes of them. Half off the grid, walls between cells would pass through those of what lies in the
    /// cells, which counts as intersecting.
    pub(crate) fn walls(&self, random: &mut SplitMix64) -> [Walls; 2] {
        let on_grid = self.shift.iter().all(|by| by % 2 == 0);
        [(); 2].map(|()| if on_grid && pick(random, 2) == 0 { Walls::All } else { Walls::Outer })
    }

    /// The relation if the second is only its outer walls: they are inside where the first is on both sides of them.
    pub(crate) fn truth_of_walls(&self) -> Relation {
        let (a, b) = self.eighths();
        let (mut inside, mut outside) = (false, false);
        for cell in &b {
            for k in 0..6 {
                let mut behind = *cell;
                behind[k / 2] += 2 * (k as i32 % 2) - 1;
                if b.contains(&behind) {
                    continue;
                }
                let sides = [cell, &behind].map(|side| a.contains(side));
                inside |= sides == [true; 2];
                outside |= sides == [false; 2];
            }
        }
        match (inside, outside) {
            (true, true) => Relation::Intersecting,
            (true, false) => Relation::Inside,
            // Walls reach as far as their cells, but where the first is deep within them they do not.
            (false, _) if touch_walls(&a, &b) => Relation::Touching,
            (false, _) => Relation::Separated,
        }
    }

    /// Both, in eighths of cells.
    fn eighths(&self) -> (HashSet<Cell>, HashSet<Cell>) {
        let eighths = |cells: &HashSet<Cell>, shift: [i32; 3]| -> HashSet<Cell> {
            let eighth = |cell: &Cell, k: i32| -> Cell {
                [0, 1, 2].map(|axis| 2 * cell[axis] + (k >> axis & 1) + shift[axis])
            };
            cells.iter().flat_map(|cell| (0..8).map(move |k| eighth(cell, k))).collect()
        };
        (eighths(&self.a, [0; 3]), eighths(&self.b, self.shift))
    }

    /// The two, placed: the second is turned in its own frame and back by its pose, without rounding.
    pub(crate) fn models(&self, random: &mut SplitMix64) -> [(Model, Pose); 2] {
        self.meshes([Walls::Outer; 2], random).map(|(mesh, pose)| (Model::from(mesh), pose))
    }

    /// The same, of any walls, as solids.
    pub(crate) fn meshes(&self, walls: [Walls; 2], random: &mut SplitMix64) -> [(Mesh, Pose); 2] {
        const TURNS: [[f64; 4]; 6] = [
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 1.0],
            [1.0, 0.0, 0.0, 2.0],
            [0.0, 1.0, 2.0, 2.0],
            [1.0, 1.0, 1.0, 2.0],
            [1.0, -2.0, 3.0, 1.0],
        ];
        let turn = |k: usize| DQuat::from_array(TURNS[k]);
        let (q, world) = (turn(pick(random, TURNS.len())), turn(pick(random, TURNS.len())));
        let norm_sq = q.length_squared();
        // `R(q)` times `|q|²` has whole entries.
        let back = |p: DVec3| {
            let (v, w) = (DVec3::new(-q.x, -q.y, -q.z), q.w);
            p * (w * w - v.dot(v)) + v * (2.0 * v.dot(p)) + v.cross(p) * (2.0 * w)
        };
        let point = |vertex: Cell, shift: [i32; 3]| {
            DVec3::from_array([0, 1, 2].map(|k| f64::from(2 * vertex[k] + shift[k])))
        };
        let a = skin(&self.a, walls[0], random, |vertex| point(vertex, [0; 3]) * norm_sq);
        let b = skin(&self.b, walls[1], random, |vertex| back(point(vertex, self.shift)));
        let translation = DVec3::new(0.5, -3.25, 7.0);
        let poses = [world, world * q].map(|rotation| Pose::new(rotation, translation));
        [(a, poses[0]), (b, poses[1])]
    }
}

/// Returns `true` if a part of the outer walls of cells, connected through edges, is partly inside others and partly
/// outside, and the number of parts.
fn passing(cells: &HashSet<Cell>, others: &HashSet<Cell>) -> (bool, usize) {
    // Walls by edges, both named by the sum of their corners.
    let mut walls: Vec<([Cell; 4], [bool; 2])> = Vec::new();
    for &cell in cells {
        for k in 0..6 {
            let (axis, side) = (k / 2, k as i32 % 2);
            let mut behind = cell;
            behind[axis] += 2 * side - 1;
            if cells.contains(&behind) {
                continue;
            }
            let at = |u: i32, v: i32| {
                let mut twice = [2 * cell[0], 2 * cell[1], 2 * cell[2]];
                twice[axis] += 2 * side;
                twice[(axis + 1) % 3] += u;
                twice[(axis + 2) % 3] += v;
                twice
            };
            let held = [cell, behind].map(|place| others.contains(&place));
            let sides = [held == [true; 2], held == [false; 2]];
            walls.push(([at(1, 0), at(1, 2), at(0, 1), at(2, 1)], sides));
        }
    }
    let mut of_edge: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (number, (edges, _)) in walls.iter().enumerate() {
        edges.iter().for_each(|edge| of_edge.entry(*edge).or_default().push(number));
    }
    let (mut seen, mut passes, mut parts) = (vec![false; walls.len()], false, 0);
    for start in 0..walls.len() {
        let (mut open, mut sides) = (vec![start], [false; 2]);
        parts += usize::from(!seen[start]);
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut seen[number], true) {
                continue;
            }
            let (edges, own) = &walls[number];
            sides = [sides[0] || own[0], sides[1] || own[1]];
            open.extend(edges.iter().flat_map(|edge| &of_edge[edge]).copied());
        }
        passes |= sides == [true; 2];
    }
    (passes, parts)
}

/// The eight vertices of a cell.
fn vertices(cell: &Cell) -> impl Iterator<Item = Cell> + '_ {
    (0..8).map(move |k| [0, 1, 2].map(|axis| cell[axis] + (k >> axis & 1)))
}

/// Returns `true` if cells share a vertex.
fn touch(a: &HashSet<Cell>, b: &HashSet<Cell>) -> bool {
    let of_a: HashSet<Cell> = a.iter().flat_map(vertices).collect();
    b.iter().flat_map(vertices).any(|vertex| of_a.contains(&vertex))
}

/// Returns `true` if cells share a vertex with the outer walls of others.
fn touch_walls(a: &HashSet<Cell>, b: &HashSet<Cell>) -> bool {
    let of_a: HashSet<Cell> = a.iter().flat_map(vertices).collect();
    let on_wall = |vertex: &Cell| {
        let around = (0..8).map(|k| [0, 1, 2].map(|axis| vertex[axis] - (k >> axis & 1)));
        let filled = around.filter(|cell| b.contains(cell)).count();
        filled > 0 && filled < 8
    };
    of_a.iter().any(on_wall)
}
