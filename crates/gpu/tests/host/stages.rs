//! Stages: drawn configurations bit for bit, and the verdict of every stage on every pair against the CPU's.

use super::program::run;
use super::robots::{arms, panda_in_cage, states, ur5};
use noli_gpu::{PackedCell, PackedFilter, StateSource};
use noli_robot::cell::{Cell, MotionStatus};
use noli_scenes::SplitMix64;

const MAIN: &str = include_str!("stages.cpp");

/// Verdicts on the pairs of one configuration.
pub(crate) struct Found {
    values: Vec<f64>,
    /// Part pair, verdict and stage of each pair of pieces.
    pairs: Vec<(usize, u8, u8)>,
}

pub(crate) enum Asked<'a> {
    Drawn(&'a StateSource, u64),
    Rows(&'a [f64]),
    Edges(&'a [f64]),
}

/// Bytes of a cell, its filter and configurations, or of edges: all starts, then all ends.
fn input((packed, filter): (&PackedCell, &PackedFilter), count: usize, asked: &Asked<'_>) -> Vec<u8> {
    let (ranges, seed, first, rows, mode) = match asked {
        Asked::Drawn(source, first) => (source.packed(), source.seed(), *first, &[][..], 0),
        Asked::Rows(rows) => (Vec::new(), 0, 0, *rows, 0),
        Asked::Edges(rows) => (Vec::new(), 0, 0, *rows, 1),
    };
    let mut words: Vec<u32> = packed.tables.iter().map(|table| table.0.len() as u32).collect();
    words.push(packed.probes.len() as u32);
    words.extend(packed.counts);
    words.extend(filter.tables.iter().map(|table| table.len() as u32));
    words.extend(filter.near_ends);
    words.extend(filter.counts);
    words.extend([ranges.len() as u32, count as u32, packed.desk as u32, mode]);
    // The next number has eight bytes and their alignment.
    words.extend((words.len() % 2 == 1).then_some(0));
    for number in [filter.inverse.to_bits(), seed, first] {
        words.extend([number as u32, (number >> 32) as u32]);
    }
    words.extend(packed.tables.iter().flat_map(|table| &table.0));
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(packed.probes.iter().flat_map(|x| x.to_le_bytes()));
    let rest = filter.tables.iter().flatten().chain(&ranges);
    bytes.extend(rest.flat_map(|word| word.to_le_bytes()));
    bytes.extend(rows.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

pub(crate) fn ask(cell: &Cell, count: usize, asked: &Asked<'_>) -> Option<Vec<Found>> {
    let packed = PackedCell::new(cell).expect("few joints");
    let filter = PackedFilter::new(cell).expect("a filter of this form");
    let out = run("stages", MAIN, &input((&packed, &filter), count, asked))?;
    let (size, pairs) = (cell.value_count(), filter.counts[2] as usize);
    assert_eq!(out.len(), count * (8 * size + 2 * pairs));
    // Of a pair of pieces its first couple, and of that the pair of parts.
    let part_pair =
        |pair: usize| packed.tables[6].0[8 * filter.tables[4][16 * pair + 12] as usize + 4] as usize;
    let found = |row: &[u8]| Found {
        values: row[..8 * size]
            .chunks(8)
            .map(|x| f64::from_le_bytes(std::array::from_fn(|k| x[k])))
            .collect(),
        pairs: (0..pairs)
            .map(|pair| (part_pair(pair), row[8 * size + 2 * pair], row[8 * size + 2 * pair + 1]))
            .collect(),
    };
    Some(out.chunks_exact(8 * size + 2 * pairs).map(found).collect())
}

/// Compares every verdict on a pair with the CPU; returns how many each stage decided, and how many none did.
pub(crate) fn compare(cell: &Cell, found: &[Found]) -> [usize; 6] {
    let (mut checker, mut all, mut decided) = (cell.checker(), Vec::new(), [0; 6]);
    for Found { values, pairs } in found {
        checker.colliding_pairs(values, &mut all).expect("a configuration");
        for &(pair, verdict, stage) in pairs {
            let collides = all.iter().any(|hit| hit.pair == pair);
            match verdict {
                1 => assert!(collides, "pair {pair} by stage {stage} in {values:?}"),
                2 => decided[5] += 1,
                _ => {}
            }
            decided[usize::from(stage)] += usize::from(verdict != 2);
        }
        for hit in &all {
            let some = pairs.iter().any(|&(pair, verdict, _)| pair == hit.pair && verdict != 0);
            assert!(some, "pair {} collides in {values:?}", hit.pair);
        }
    }
    decided
}

#[test]
fn configurations_are_drawn_alike_on_both_sides() {
    let cell = arms();
    let source = StateSource::new(&cell, 0x1234_5678_9abc_def0);
    let first = (1 << 40) - 3;
    let Some(found) = ask(&cell, 300, &Asked::Drawn(&source, first)) else { return };
    for (number, row) in found.iter().enumerate() {
        let mut values = Vec::new();
        source.draw(first + number as u64, &mut values);
        assert!(values.iter().map(|x| x.to_bits()).eq(row.values.iter().map(|x| x.to_bits())));
    }
    compare(&cell, &found);
}

#[test]
fn every_stage_gives_the_verdict_of_the_cpu_on_two_arms() {
    let cell = arms();
    let mut rows = states(&cell, &mut SplitMix64::new(21), 600);
    // Angles beyond a turn are those within.
    rows.iter_mut().step_by(7).for_each(|value| *value += 4.0 * std::f64::consts::PI);
    let Some(found) = ask(&cell, 600, &Asked::Rows(&rows)) else { return };
    let decided = compare(&cell, &found);
    assert!(decided.iter().all(|&count| count > 0), "{decided:?}");
}

#[test]
fn every_stage_gives_the_verdict_of_the_cpu_on_real_robots() {
    for (cell, most) in [(panda_in_cage(), 0.06), (ur5(), 0.3)] {
        let Some(cell) = cell else { continue };
        let source = StateSource::new(&cell, 5);
        let Some(found) = ask(&cell, 1500, &Asked::Drawn(&source, 0)) else { return };
        let decided = compare(&cell, &found);
        eprintln!("decided by bounding spheres, cores, sphere sets, planes, trees, none: {decided:?}");
        assert!((decided[5] as f64) < most * found.len() as f64, "{decided:?}");
    }
}

/// Counts edges that are free, blocked, and left to the CPU; every verdict is compared with its proof.
pub(crate) fn compare_edges(cell: &Cell, count: usize, reach: f64) -> Option<[usize; 3]> {
    let mut random = SplitMix64::new(8);
    let (from, far) = (states(cell, &mut random, count), states(cell, &mut random, count));
    let to: Vec<f64> = from.iter().zip(&far).map(|(a, b)| a + (b - a) * reach).collect();
    let packed = (PackedCell::new(cell)?, PackedFilter::new(cell)?);
    let rows = [&from[..], &to].concat();
    let out = run("stages", MAIN, &input((&packed.0, &packed.1), count, &Asked::Edges(&rows)))?;
    assert_eq!(out.len(), 4 * count);
    let (mut checker, mut tally, size) = (cell.checker(), [0; 3], cell.value_count());
    for ((from, to), verdict) in from.chunks(size).zip(to.chunks(size)).zip(out.chunks(4)) {
        let found = checker.check_motion(from, to).expect("configurations");
        match (verdict[0], found) {
            (0, MotionStatus::Free) => tally[0] += 1,
            (1, MotionStatus::Blocked { .. }) => tally[1] += 1,
            (2, _) => tally[2] += 1,
            (verdict, found) => panic!("{verdict} {found:?}: {from:?} {to:?}"),
        }
    }
    Some(tally)
}

#[test]
fn edges_in_stages_are_as_the_cpu_has_them() {
    for (cell, count) in [(Some(arms()), 150), (panda_in_cage(), 300), (ur5(), 60)] {
        let Some(cell) = cell else { continue };
        let Some([free, blocked, open]) = compare_edges(&cell, count, 0.1) else { return };
        eprintln!("edges free {free}, blocked {blocked}, left to the CPU {open}");
        assert!(free > 5 && blocked > 5 && 2 * open < count, "{free} {blocked} {open}");
    }
}
