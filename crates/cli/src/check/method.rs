//! `--method`: which pairs meet by a method of the literature, beside what the tree says of them.

use super::bodies::Body;
use super::pairs::{Finding, Guarantee, Verdict};
use anyhow::{Result, ensure};
use noli::classics::{MethodScratch, PairMethod, Prepared, Work};
use noli::{Budget, Overlap, OverlapQuery};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

/// What a method said about the pairs whose boxes are near each other, and what it cost on one thread.
#[derive(Serialize)]
pub(super) struct Decided {
    name: String,
    guarantee: Guarantee,
    pairs: usize,
    hits: usize,
    prepare_s: f64,
    decide_s: f64,
    volumes: u64,
    voxel_pairs: u64,
    planes: u64,
    cells: u64,
    face_pairs: u64,
    exact_tests: u64,
}

/// Asks a method about every pair that was compared, and takes its verdict over: pairs that only a conservative method
/// reports count as closer than asked for, those it could not decide as undecided.
pub(super) fn decide(
    method: PairMethod,
    bodies: &[Body],
    steps: Option<u64>,
    findings: &mut [Finding],
) -> Result<Decided> {
    let start = Instant::now();
    let prepared = prepare(method, bodies);
    let prepare_s = start.elapsed().as_secs_f64();
    let budget = steps.map_or(Budget::UNLIMITED, |steps| Budget::UNLIMITED.steps(steps));
    let (query, mut scratch) = (OverlapQuery { budget, ..Default::default() }, MethodScratch::default());
    let exact = method.guarantee() == noli::Guarantee::Exact;
    let (mut work, mut hits) = (Work::default(), 0);
    for finding in &mut *findings {
        let [a, b] = [finding.a, finding.b];
        let (pose_a, pose_b) = (&bodies[a].world_from_self, &bodies[b].world_from_self);
        let answer = prepared[a].overlap(pose_a, &prepared[b], pose_b, &query, &mut scratch);
        work += answer.work;
        hits += usize::from(answer.overlap == Overlap::Hit);
        let meets = matches!(finding.verdict, Verdict::Crossing | Verdict::Inside | Verdict::Touching);
        let known = finding.verdict != Verdict::Undecided && finding.guarantee != Guarantee::Approximate;
        let agrees = answer.overlap == Overlap::Unknown || meets == (answer.overlap == Overlap::Hit);
        ensure!(
            agrees || !known || !exact && !meets,
            "{method} and the tree disagree about {} and {}: this is a bug of noli; please report it with the files",
            bodies[a].name,
            bodies[b].name
        );
        match answer.overlap {
            Overlap::Unknown => finding.verdict = Verdict::Undecided,
            Overlap::Hit if finding.verdict == Verdict::Apart => {
                finding.verdict = Verdict::Closer;
                finding.guarantee = Guarantee::Conservative;
            }
            Overlap::Hit | Overlap::Free => {}
        }
    }
    findings.sort_by(Finding::by_severity);
    let guarantee = if exact { Guarantee::Exact } else { Guarantee::Conservative };
    let decide_s = start.elapsed().as_secs_f64() - prepare_s;
    let (name, pairs) = (method.to_string(), findings.len());
    let Work { volumes, voxel_pairs, face_pairs, planes, cells, exact: exact_tests } = work;
    Ok(Decided {
        name,
        guarantee,
        pairs,
        hits,
        prepare_s,
        decide_s,
        volumes,
        voxel_pairs,
        planes,
        cells,
        face_pairs,
        exact_tests,
    })
}

/// Every body, prepared; copies of a mesh share it.
fn prepare(method: PairMethod, bodies: &[Body]) -> Vec<Rc<Prepared>> {
    let mut shared: HashMap<_, Rc<Prepared>> = HashMap::new();
    let one = |body: &Body| {
        let new = || Rc::new(method.prepare(&body.model));
        let mesh = body.model.mesh();
        // Round bodies have no faces to be told apart by.
        if mesh.is_empty() {
            return new();
        }
        shared
            .entry((mesh.vertices().as_ptr(), mesh.triangles().as_ptr(), mesh.kind()))
            .or_insert_with(new)
            .clone()
    };
    bodies.iter().map(one).collect()
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let promise = if self.guarantee == Guarantee::Exact { "exact" } else { "conservative" };
        write!(
            f,
            "\nby {} ({promise}): {} of {} pairs meet; prepared in {:.3} s, decided in {:.3} s on one thread",
            self.name, self.hits, self.pairs, self.prepare_s, self.decide_s
        )?;
        let counts = [
            (self.volumes, "volumes"),
            (self.voxel_pairs, "voxel pairs"),
            (self.planes, "planes"),
            (self.cells, "cells"),
            (self.face_pairs, "face pairs"),
            (self.exact_tests, "exact tests"),
        ];
        let told =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        write!(f, "\n  {}", told.collect::<Vec<_>>().join(", "))
    }
}
