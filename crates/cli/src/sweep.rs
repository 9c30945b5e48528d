//! `noli sweep`: what the motions of a scene meet first.

use crate::output::{self, Table, short};
use crate::{Outcome, play};
use anyhow::Result;
use noli::StepOptions;
use noli_io::report::SweepReport;
use std::path::PathBuf;

/// The earliest impact of the motions in a scene, with what touches, where and when.
///
/// All motions run at once, over the time of the longest. Never misses a contact: before the first time of a bracket nothing
/// touches.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Give up after so many steps of all pairs together; pairs are then undecided from the time they were followed to.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    crate::on_threads(arguments.threads, || sweep(arguments))
}

fn sweep(arguments: &Arguments) -> Result<Outcome> {
    let mut staged = play::stage(&arguments.scene)?;
    let budget = output::budget(arguments.steps);
    let options = StepOptions { budget, sleep: false, ..Default::default() };
    let moves = std::mem::take(&mut staged.moves);
    let step = staged.world.plan(moves, &options)?;
    let report = SweepReport::new(&arguments.scene.display().to_string(), &staged, &step);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        staged.warnings.iter().for_each(|warning| eprintln!("noli: {warning}"));
        output::print(&text(&report))?;
    }
    Ok(report.outcome)
}

fn text(report: &SweepReport) -> String {
    let Some(first) = report.impacts.first() else {
        return format!(
            "free: nothing touches during the whole motion (proven; {} looked at closely)\n",
            output::plural(report.candidates, "pair", "pairs")
        );
    };
    let header = ["a", "b", "impact", "features (a / b)", "safe until", "touching by", "point", "normal"];
    let mut table = Table::new(4, header);
    let seconds = |t: f64| format!("{} s", short(t * report.seconds));
    for hit in &report.impacts {
        let vector = |v: Option<[f64; 3]>| v.map_or("-".to_owned(), |v| v.map(short).join(" "));
        let grazes = if hit.proven == Some(false) { " (within tolerance)" } else { "" };
        table.row([
            hit.a.clone(),
            hit.b.clone(),
            format!("{}{grazes}", hit.impact.word()),
            hit.features.map_or_else(|| "-".to_owned(), |features| features.to_string()),
            seconds(hit.safe_until),
            hit.touching_by.map_or("-".into(), seconds),
            vector(hit.point),
            vector(hit.normal),
        ]);
    }
    let (until, whole) = (seconds(first.safe_until), seconds(1.0));
    format!("{table}\nAll motions together are proven free until {until} of {whole}.\n")
}
