//! Workload W1, pose by pose, against published answers and on every instruction set.

use crate::common::{count_intersections, data, mesh, model, numbers, rows};
use glam::{DQuat, DVec3};
use noli::answer::{Bracket, Completeness, Count};
use noli::query::{ClearanceQuery, Instructions, IntersectionsQuery};
use noli::trace::Stats;
use noli::{Clearance, Model, Overlap, Pose, QueryContext, Scratch, clearance, overlap};
use noli_scenes::{W1_GAPS, W1_SEED, w1_meshes, w1_poses};
use std::path::Path;
use std::sync::LazyLock;

static MODELS: LazyLock<[Model; 2]> = LazyLock::new(|| w1_meshes().map(|set| model(&mesh(set))));

/// Rounding of the reference, which knew the bodies up to the last bits of `sin`.
const REFERENCE_ERROR: f64 = 2e-15;
/// No coordinate is further out: bodies of radius 1.1 at most 2.25 apart.
const LARGEST_COORDINATE: f64 = 3.35;

fn poses(path: &Path) -> Vec<Pose> {
    let pose = |cells: Vec<String>| {
        let v = numbers(&cells);
        Pose::new(DQuat::from_xyzw(v[0], v[1], v[2], v[3]), DVec3::new(v[4], v[5], v[6]))
    };
    rows(path, 1).into_iter().map(pose).collect()
}

fn answers(path: &Path) -> Vec<f64> {
    rows(path, 0).iter().map(|cells| cells[1].parse().expect("a number")).collect()
}

fn assert_brackets(found: &Clearance, expected: f64, place: &str) {
    let Bracket { at_least, at_most } = found.distance;
    assert!(
        at_least - REFERENCE_ERROR <= expected && expected <= at_most + REFERENCE_ERROR,
        "{place}: {found:?} {expected}"
    );
    assert!(at_most - at_least <= 32.0 * 2f64.powi(-53) * LARGEST_COORDINATE, "{place}: {found:?} is wide");
}

/// Verdicts and clearances of the thousand poses equal the published ones.
#[test]
fn thousand_poses_equal_the_reference() {
    let Some(folder) = data("bench") else { return };
    let (overlaps, distances) =
        (answers(&folder.join("ref_overlap.csv")), answers(&folder.join("ref_distance.csv")));
    let poses = poses(&folder.join("poses.csv"));
    assert_eq!((poses.len(), overlaps.len(), distances.len()), (1000, 1000, 1000));
    for (number, pose) in poses.iter().enumerate() {
        let (a, b) = (MODELS[0].at(Pose::IDENTITY), MODELS[1].at(*pose));
        let hit = overlap(&a, &b) == Overlap::Hit;
        assert_eq!(hit, overlaps[number] == 1.0, "pose {number}");
        assert_eq!(overlap(&b, &a) == Overlap::Hit, hit, "pose {number} turned round");
        let gap = clearance(&a, &b);
        assert_eq!(gap.distance.at_most == 0.0, hit, "pose {number}: {gap:?}");
        assert_brackets(&gap, distances[number], &format!("pose {number}"));
    }
}

/// Clearances of the sets slid to a clearance equal the published ones.
#[test]
fn clearance_sets_equal_the_reference() {
    let Some(folder) = data("bench") else { return };
    for gap in W1_GAPS {
        let distances = answers(&folder.join(format!("ref_gap_{gap}_distance.csv")));
        let poses = poses(&folder.join(format!("gap_{gap}.csv")));
        assert_eq!((poses.len(), distances.len()), (200, 200));
        for (number, (pose, &expected)) in poses.iter().zip(&distances).enumerate() {
            let (a, b) = (MODELS[0].at(Pose::IDENTITY), MODELS[1].at(*pose));
            assert_eq!(overlap(&a, &b), Overlap::Free);
            assert_brackets(&clearance(&a, &b), expected, &format!("clearance {gap}, pose {number}"));
        }
    }
}

/// The generated workload needs no files: 448 hits, 154,630 pairs of faces that meet.
#[test]
fn totals_are_the_published_ones() {
    let (mut hits, mut intersections) = (0, 0);
    for pose in w1_poses(W1_SEED, 1000) {
        let (a, b) = (MODELS[0].at(Pose::IDENTITY), MODELS[1].at(pose));
        hits += u64::from(overlap(&a, &b) == Overlap::Hit);
        intersections += count_intersections(&a, &b);
    }
    assert_eq!((hits, intersections), (448, 154_630));
}

/// Everything a query says and everything it looked at.
fn account(pose: Pose, scratch: &mut Scratch) -> (Overlap, Clearance, Count, [Stats; 3]) {
    let (a, b) = (MODELS[0].at(Pose::IDENTITY), MODELS[1].at(pose));
    let mut stats = [Stats::default(); 3];
    let mut count = Count::default();
    let hit = QueryContext::new(scratch).with_trace(&mut stats[0]).overlap(&a, &b);
    let clearance =
        QueryContext::new(scratch).with_trace(&mut stats[1]).clearance(&a, &b, &ClearanceQuery::default());
    let mut context = QueryContext::new(scratch).with_trace(&mut stats[2]);
    let completeness = context.intersections(&a, &b, &IntersectionsQuery::default(), &mut count);
    assert_eq!(completeness, Completeness::Complete);
    (hit, clearance, count, stats)
}

/// Verdicts, counts and distances are the same whatever the instructions; where multiplications and additions
/// are fused, so are the witnesses and all counts of work.
#[test]
fn instruction_sets_agree_to_the_last_count() {
    let mut scratches: Vec<_> =
        Instructions::available().into_iter().rev().map(Scratch::with_instructions).collect();
    let mut total = Stats::default();
    for pose in w1_poses(W1_SEED, 1000) {
        let accounts: Vec<_> = scratches.iter_mut().map(|scratch| account(pose, scratch)).collect();
        let (portable, fused) = accounts.split_last().unwrap();
        assert!(fused.iter().all(|account| *account == fused[0]), "{pose:?}: {accounts:?}");
        for (hit, clearance, count, _) in fused {
            assert_eq!((hit, count), (&portable.0, &portable.2), "{pose:?}");
            let separated = clearance.distance.at_least > portable.1.distance.at_most
                || portable.1.distance.at_least > clearance.distance.at_most;
            assert!(
                !separated && clearance.distance.at_most - clearance.distance.at_least < 1e-13,
                "{pose:?}: {accounts:?}"
            );
        }
        total.blocks += accounts[0].3[0].blocks;
        total.unsure += accounts[0].3[0].unsure;
    }
    eprintln!(
        "{} instruction sets; overlap: {} blocks, {} unsure pairs",
        scratches.len(),
        total.blocks,
        total.unsure
    );
    assert!(total.blocks > 1000);
}
