//! `noli sweep`: what the motions of a scene meet first.

use crate::check::Touching;
use crate::output::{self, Table, short};
use crate::{Verdict, play};
use anyhow::{Context, Result};
use noli::world::{AtStart, StepOptions};
use noli_io::Staged;
use noli_io::report::{ImpactKind, Outcome, SweepReport};
use noli_pages::{MotionPage, Track, Up};
use std::path::PathBuf;

/// The earliest impact of the motions in a scene, with what touches, where and when.
///
/// All motions run at once, over the time of the longest. Never misses a contact: before the first time of a
/// bracket nothing touches.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Give up after so many steps of all pairs together; pairs are then undecided from the time they were
    /// followed to.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Whether bodies that touch where they begin count. `ignore` leaves such pairs out, unless they pass through
    /// each other: nothing is proven about them, they are looked at in 64 moments only.
    #[arg(long, value_enum, default_value_t = Touching::Report)]
    touching: Touching,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Also write a page with what is met, a 3D view and a time line, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    crate::on_threads(arguments.threads, || sweep(arguments))
}

fn sweep(arguments: &Arguments) -> Result<Verdict> {
    let (mut staged, inputs) = play::stage_with_inputs(&arguments.scene)?;
    output::refuse_inputs(arguments.html.iter(), &inputs)?;
    let budget = output::budget(arguments.steps);
    let at_start = match arguments.touching {
        Touching::Report => AtStart::Leave,
        Touching::Ignore => AtStart::Ignore,
    };
    let options = StepOptions { budget, at_start, sleep: false, ..Default::default() };
    let mut asked = staged.pairs_moved()?;
    let mut step = staged.world.plan(staged.moves.clone(), &options)?;
    let mut left_out = Vec::new();
    if arguments.touching == Touching::Ignore {
        left_out = staged.leave_out_touching(&step)?;
        if !left_out.is_empty() {
            asked = staged.pairs_moved()?;
            step = staged.world.plan(staged.moves.clone(), &options)?;
        }
    }
    let report = SweepReport::new(&arguments.scene.display().to_string(), &staged, &step);
    let report = report.with_left_out(left_out);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        staged.warnings.iter().for_each(|warning| eprintln!("noli: {warning}"));
        output::print(&text(&report))?;
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, page(&report, &staged)?.as_bytes())?;
    }
    Ok(Verdict::new(report.outcome, asked))
}

/// The motions over the whole time, and what they meet.
fn page(report: &SweepReport, staged: &Staged) -> Result<String> {
    /// Moments that poses are kept of; between them the page takes straight lines.
    const MOMENTS: u32 = 240;
    let outcome = match (report.impacts.len(), report.outcome) {
        (0, _) => "Free all the way".to_owned(),
        (count, Outcome::Undecided) => format!("{} undecided", output::plural(count, "pair", "pairs")),
        (count, _) => format!("{} met on the way", output::plural(count, "pair", "pairs")),
    };
    let summary = text(report);
    // The table is on the page already.
    let summary = summary.rsplit("\n\n").next().unwrap_or(&summary).trim();
    let page = MotionPage {
        staged,
        title: &report.scene,
        outcome: &outcome,
        summary,
        impacts: &report.impacts,
        track: &Track::of_moves(&staged.moves, MOMENTS),
        room: &[],
        up: Up::Z,
    };
    noli_pages::motion_page(&page).context("cannot write the page")
}

fn text(report: &SweepReport) -> String {
    let rest = left_out(report);
    let Some(first) = report.impacts.first() else {
        return format!(
            "free: nothing touches during the whole motion (proven; {} of what moves, {} looked at closely)\n{rest}",
            output::plural(report.pairs, "pair or more", "pairs or more"),
            report.candidates
        );
    };
    let unit = report.units.sign();
    let way = format!("way ({unit})");
    let header =
        ["a", "b", "impact", "features (a / b)", "safe until", &way, "touching by", "point", "normal"];
    let mut table = Table::new(4, header);
    let seconds = |t: f64| format!("{} s", short(t * report.seconds));
    for hit in &report.impacts {
        let vector = |v: Option<[f64; 3]>| v.map_or("-".to_owned(), |v| v.map(short).join(" "));
        table.row([
            hit.a.clone(),
            hit.b.clone(),
            play::impact_text(hit, unit),
            hit.features.map_or_else(|| "-".to_owned(), |features| features.to_string()),
            seconds(hit.safe_until),
            hit.travelled.map_or_else(|| "-".to_owned(), short),
            hit.touching_by.map_or("-".into(), seconds),
            vector(hit.point),
            // Bodies that meet already have no direction between them.
            vector(hit.normal.filter(|normal| *normal != [0.0; 3])),
        ]);
    }
    let (until, whole) = (seconds(first.safe_until), seconds(1.0));
    let at_start = report.impacts.iter().filter(|hit| hit.impact == ImpactKind::AtStart).count();
    let hint = match at_start {
        0 => String::new(),
        count => format!(
            "{} in contact before anything moves; --touching ignore leaves out those that only touch.\n",
            output::plural(count, "pair is", "pairs are")
        ),
    };
    format!("{table}\nAll motions together are proven free until {until} of {whole}.\n{hint}{rest}")
}

/// What is said about pairs that touch at the start and are left out.
fn left_out(report: &SweepReport) -> String {
    let mut text = String::new();
    for pair in &report.left_out {
        let seen = match pair.crossing_at {
            Some(time) => format!("pass through each other at {} s", short(time * report.seconds)),
            None => "not seen to pass through each other in 64 moments".to_owned(),
        };
        text += &format!("left out, not proven: {} and {} touch at the start; {seen}\n", pair.a, pair.b);
    }
    text
}
