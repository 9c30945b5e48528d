//! `noli-lab check --method`: pairs decided by a published method, and its work.

use anyhow::Result;
use noli::Budget;
use noli::world::{CheckOptions, CheckResult, Finding, Mismatch};
use noli_ask::{AskError, ComparePairs};
use noli_classics::{PairMethod, Work};
use noli_project::Staged;
use noli_project::report::MethodReport;
use std::time::Instant;

/// Compare the bodies of an assembly as `noli check` does, pairs decided by a published method.
#[derive(clap::Args)]
pub(crate) struct Command {
    #[command(flatten)]
    check: noli_cli::check::Arguments,
    #[arg(long, value_name = "NAME", help = help())]
    method: Option<PairMethod>,
}

pub(crate) fn run(command: &Command) -> Result<()> {
    noli_cli::check::run(&command.check, Some(&ByMethod(command.method)))?;
    Ok(())
}

/// Pairs decided by a method; without one, by that of the scene.
struct ByMethod(Option<PairMethod>);

impl ComparePairs for ByMethod {
    fn compare(
        &self,
        staged: &Staged,
        options: &CheckOptions<'_>,
        method: Option<&str>,
    ) -> Result<(CheckResult, Option<MethodReport>), AskError> {
        let of_scene = method.map(str::parse).transpose().map_err(AskError::option)?;
        let mut result = staged.world.check(options)?;
        match self.0.or(of_scene).unwrap_or_default() {
            PairMethod::Tree => Ok((result, None)),
            method => {
                let report = decide(method, staged, options.budget, &mut result.findings)?;
                Ok((result, Some(report)))
            }
        }
    }
}

fn help() -> String {
    format!(
        "Decide which pairs meet by a method of the literature: {} (halvings, cells). All but occupancy give the \
         same verdicts; the work of each is reported. By default the method of the scene, or tree",
        PairMethod::choices()
    )
}

/// Decides every compared pair by the method, on one thread.
fn decide(
    method: PairMethod,
    staged: &Staged,
    budget: Budget<'_>,
    findings: &mut [Finding],
) -> Result<MethodReport, AskError> {
    let start = Instant::now();
    let mut test = method.for_world(&staged.world);
    let prepare_s = start.elapsed().as_secs_f64();
    let hits = staged.world.cross_check(findings, &mut test, &budget).map_err(|Mismatch(pair)| {
        let [a, b] = pair.map(|id| staged.name(id));
        AskError::option(format!(
            "{method} and the tree disagree about {a} and {b}: this is a bug of noli; please report it with \
             the files"
        ))
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
