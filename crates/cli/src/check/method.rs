//! `--method`: which pairs meet by a method of the literature, beside what the tree says of them.

use anyhow::{Result, anyhow};
use noli::Budget;
use noli::world::{Disagreement, Finding};
use noli_classics::{PairMethod, Work};
use noli_io::Staged;
use noli_io::report::MethodReport;
use std::time::Instant;

pub(super) fn help() -> String {
    format!(
        "Decide which pairs meet by a method of the literature: {} (halvings, cells). All but occupancy give the \
         same verdicts; what each costs is told. By default what the scene says, or tree",
        PairMethod::choices()
    )
}

/// Asks a method about every pair that was compared, on one thread, and takes its verdict over.
pub(super) fn decide(
    method: PairMethod,
    staged: &Staged,
    budget: Budget<'_>,
    findings: &mut [Finding],
) -> Result<MethodReport> {
    let start = Instant::now();
    let mut test = method.for_world(&staged.world);
    let prepare_s = start.elapsed().as_secs_f64();
    let hits = staged.world.consult(findings, &mut test, &budget).map_err(|Disagreement(pair)| {
        let [a, b] = pair.map(|id| staged.name(id));
        anyhow!(
            "{method} and the tree disagree about {a} and {b}: this is a bug of noli; please report it with \
             the files"
        )
    })?;
    let decide_s = start.elapsed().as_secs_f64() - prepare_s;
    let Work { volumes, voxel_pairs, face_pairs, planes, cells, exact: exact_tests, .. } = test.work();
    Ok(MethodReport {
        name: method.to_string(),
        guarantee: method.guarantee().into(),
        pairs: findings.len(),
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

/// For people.
pub(super) fn text(report: &MethodReport) -> String {
    let counts = [
        (report.volumes, "volumes"),
        (report.voxel_pairs, "voxel pairs"),
        (report.planes, "planes"),
        (report.cells, "cells"),
        (report.face_pairs, "face pairs"),
        (report.exact_tests, "exact tests"),
    ];
    let told = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    format!(
        "\nby {} ({}): {} of {} pairs meet; prepared in {:.3} s, decided in {:.3} s on one thread\n  {}\n",
        report.name,
        report.guarantee.word(),
        report.hits,
        report.pairs,
        report.prepare_s,
        report.decide_s,
        told.collect::<Vec<_>>().join(", ")
    )
}
