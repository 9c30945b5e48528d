//! Cells that collide and cells that are drawn, against all cells one by one.

use glam::{DQuat, DVec3};
use noli::model::Voxels;
use noli::{Convex, Mesh, Model, Overlap, Pose, overlap};
use noli_grid::{DrawnCells, ObstacleCells, UncertainCells};
use noli_testing::Random;
use std::collections::BTreeSet;

type CellSet = BTreeSet<[i32; 3]>;

/// Cells at random in a box: few, most or all of them, and some as certain ones.
fn random(random: &mut Random) -> (CellSet, CellSet) {
    let [fill, sure] = [[0.05, 0.5, 0.97, 1.0][random.index(4)], [0.0, 0.3, 0.9, 1.0][random.index(4)]];
    let size = [1 + random.index(9), 1 + random.index(7), 1 + random.index(7)].map(|size| size as i32);
    let (mut all, mut certain) = (CellSet::from([[0; 3]]), CellSet::new());
    for x in -size[0]..size[0] {
        for y in -size[1]..size[1] {
            for z in -size[2]..size[2] {
                if random.unit() < fill {
                    all.insert([x, y, z]);
                }
            }
        }
    }
    certain.extend(all.iter().filter(|_| random.unit() < sure));
    (all, certain)
}

fn cells(edge: f64, all: &CellSet, certain: &CellSet) -> ObstacleCells {
    let [all, certain] = [all, certain].map(|cells| Voxels::new(edge, cells.iter().copied()).unwrap());
    ObstacleCells::new(&all, &certain, UncertainCells::Unknown)
}

/// The blocks of a drawing, certain and uncertain ones.
fn blocks(drawn: &DrawnCells) -> [CellSet; 2] {
    let block = |center: &DVec3| (*center / drawn.edge).floor().to_array().map(|x| x as i32);
    let (certain, uncertain) = drawn.centers.split_at(drawn.certain);
    [certain, uncertain].map(|centers| centers.iter().map(block).collect())
}

#[test]
fn drawn_cells_are_those_at_the_surface() {
    let mut source = Random::new(11);
    for _ in 0..60 {
        let (all, certain) = random(&mut source);
        let edge = source.between(0.01, 3.0);
        let grid = cells(edge, &all, &certain);
        assert_eq!(grid.counts(), [certain.len(), all.len() - certain.len()]);
        let around = |[x, y, z]: [i32; 3]| {
            [[x - 1, y, z], [x + 1, y, z], [x, y - 1, z], [x, y + 1, z], [x, y, z - 1], [x, y, z + 1]]
        };
        let exposed = |cell: &[i32; 3]| {
            let filled = if certain.contains(cell) { &certain } else { &all };
            around(*cell).iter().any(|next| !filled.contains(next))
        };
        let [sure, rest] = [true, false].map(|is_certain| {
            let kind = all.iter().filter(|cell| certain.contains(*cell) == is_certain);
            kind.filter(|cell| exposed(cell)).copied().collect::<CellSet>()
        });
        let drawn = grid.drawn(usize::MAX);
        assert_eq!((drawn.side, drawn.edge, blocks(&drawn)), (1, edge, [sure.clone(), rest.clone()]));
        // Joined to blocks, they cover the same cells, and no block is without one.
        let most = 8 + source.index(60);
        let coarse = grid.drawn(most);
        assert!(coarse.centers.len() <= most);
        let block = |cell: &[i32; 3]| cell.map(|index| index.div_euclid(coarse.side as i32));
        let joined: CellSet = sure.iter().map(block).collect();
        let others: CellSet = rest.iter().map(block).filter(|block| !joined.contains(block)).collect();
        assert_eq!(blocks(&coarse), [joined, others]);
    }
}

#[test]
fn colliding_cells_are_those_that_a_body_touches() {
    let mut source = Random::new(12);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..40 {
        let (all, certain) = random(&mut source);
        let edge = source.between(0.01, 3.0);
        let grid = cells(edge, &all, &certain);
        let pose = |source: &mut Random, reach: f64| {
            Pose::new(
                DQuat::from_xyzw(source.real(), source.real(), source.real(), 1.1).normalize(),
                reach * source.vector(),
            )
        };
        let place = pose(&mut source, 5.0);
        let torus = Mesh::torus(2.5 * edge, 0.8 * edge, 12, 8).unwrap();
        let body = match source.index(3) {
            0 => Model::new(torus.into_solid()).unwrap(),
            1 => Model::new(torus).unwrap(),
            _ => Model::from(Convex::sphere(1.7 * edge).unwrap()),
        };
        let at = place * pose(&mut source, 4.0 * edge);
        let cube = Model::from(Convex::cuboid(DVec3::splat(edge)).unwrap());
        let center = |cell: &[i32; 3]| edge * (DVec3::from_array(cell.map(f64::from)) + 0.5);
        let touched = |cell: &&[i32; 3]| {
            overlap(&cube.at(place * Pose::from_translation(center(cell))), &body.at(at)) != Overlap::Free
        };
        let expected: CellSet = all.iter().filter(touched).copied().collect();
        let found = grid.colliding(place, &body.at(at), usize::MAX);
        let index = |center: &DVec3| (*center / edge).floor().to_array().map(|x| x as i32);
        assert!(found.is_complete && found.centers.len() == expected.len(), "each once");
        assert_eq!(found.centers.iter().map(index).collect::<CellSet>(), expected);
        let half = grid.colliding(place, &body.at(at), expected.len() / 2);
        assert_eq!((half.centers.len(), half.is_complete), (expected.len() / 2, expected.is_empty()));
        (hits, misses) = (hits + expected.len(), misses + all.len() - expected.len());
    }
    assert!(hits > 500 && misses > 5000, "{hits} {misses}");
    let one = cells(1.0, &CellSet::from([[0; 3]]), &CellSet::new());
    let floor = Model::new(noli::Shape::HalfSpace).unwrap();
    assert_eq!(one.colliding(Pose::IDENTITY, &floor.at(Pose::IDENTITY), 9).centers, [DVec3::splat(0.5)]);
}

/// A million cells, most of them inside.
#[test]
fn many_cells_are_drawn_as_few() {
    let row = |k: i32| [k % 100, k / 100 % 100, k / 10_000];
    let all = Voxels::new(0.01, (0..1_000_000).map(row)).unwrap();
    let grid = ObstacleCells::new(&all, &all, UncertainCells::Unknown);
    let drawn = grid.drawn(100_000);
    assert_eq!((drawn.centers.len(), drawn.side), (1_000_000 - 98 * 98 * 98, 1));
    let coarse = grid.drawn(10_000);
    assert_eq!((coarse.centers.len(), coarse.side), (25 * 25 * 25 - 23 * 23 * 23, 4));
    assert_eq!(coarse.edge, 0.04);
}
