//! `noli remove`: plans a removal path for a part, or finds the blocking bodies.

mod page;

use crate::Verdict;
use crate::certificate::{self, Writer};
use crate::output::{self, Bars, Table, short};
use anyhow::{Result, bail};
use noli::Budget;
use noli::query::SteadyClock;
use noli_ask::{Context, Opened, Remove, RemoveAnswer, Subject};
use noli_certificate::WorldStatements;
use noli_formats::Units;
use noli_plan::RemovalResult;
use noli_project::report::{RemoveReport, RemoveVerdict, TurnReport};
use std::path::PathBuf;
use std::time::Duration;

/// Plan a removal path for a part of an assembly, proven collision-free at every moment, or report what blocks
/// it.
///
/// A part is removed when its box is clear of the box of the others. Straight pulls are tried first, then
/// sequences of pulls, rotations and screws guided by contact, then random trees. Exit code 0: a path was
/// found; 1: there is none, by proof; 3: none was found within the budget, which proves nothing.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene (TOML), a mesh file with several objects, or a folder of mesh files.
    #[arg(value_name = "SCENE", required_unless_present = "demo")]
    scene: Option<PathBuf>,
    /// The part to take out: the name of a body or of a group.
    #[arg(value_name = "PART", required_unless_present = "demo")]
    part: Option<String>,
    /// Remove this part from the bundled assembly that has it; the engine bay is searched first.
    #[arg(long, value_name = "PART", conflicts_with_all = ["scene", "part"])]
    demo: Option<String>,
    /// With --demo: how finely the assembly is meshed (2); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    detail: Option<u32>,
    #[command(flatten)]
    question: Remove,
    /// Maximum search time, such as 500ms or 20s.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = noli_ask::quantity::duration)]
    time: Duration,
    /// Number of threads; the path does not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Also write a page with the part in 3D, a time line and the clearance along its path, or the pull that gets
    /// furthest.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a certificate of the path: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    crate::on_threads(arguments.threads, || search(arguments))
}

/// The question about the part.
fn question(arguments: &Arguments) -> Result<Remove> {
    let options = arguments.question.clone();
    let (subject, part) = match (&arguments.demo, &arguments.scene, &arguments.part) {
        (Some(part), ..) => {
            let found = Remove::of_bundled(part, arguments.detail)?;
            (found.subject, found.part)
        }
        (None, Some(scene), Some(part)) => {
            (Subject { detail: arguments.detail, ..Subject::files([scene]) }, part.clone())
        }
        _ => bail!("name a scene and a part, or --demo PART"),
    };
    Ok(Remove { subject, part, ..options })
}

fn search(arguments: &Arguments) -> Result<Verdict> {
    let (clock, bars) = (SteadyClock::start(), Bars::default());
    let budget = Budget::UNLIMITED.until(arguments.time, &clock);
    let context = Context { budget, progress: Some(&bars), clock: Some(&clock), ..Context::default() };
    let question = question(arguments)?;
    let opened = question.subject.open(&context)?;
    output::refuse_inputs(arguments.html.iter().chain(&arguments.certificate), &opened.inputs)?;
    certificate::refuse_tessellated_scene(arguments.certificate.as_ref(), &opened.staged)?;
    let answer = question.about(opened, &context)?;
    bars.clear();
    let RemoveAnswer { opened, moving, without, space, removal, report, .. } = &answer;
    let Opened { staged, units, inputs, .. } = opened;
    if let Some(path) = &arguments.html {
        let page = page::removal_page(staged, (space, removal), [moving, without], report)?;
        output::write_file(path, page.html().as_bytes())?;
    }
    match (&arguments.certificate, &removal.found) {
        (Some(target), RemovalResult::Path(found)) => {
            let (given, start) = (staged.world.body(moving[0])?.pose(), space.start());
            // A part that penetrates by rounding is first moved out of it, by no more than that.
            let first = usize::from(given != start && found.poses.first() == Some(&given));
            let statements = WorldStatements::removal(&staged.world, moving, without, &found.poses[first..])?;
            Writer::of_world(statements, *units, inputs, Vec::new())?.write_all(target)?;
        }
        (Some(target), _) => {
            output::warn(&format!("{}: no certificate is written, as no path was found", target.display()));
        }
        (None, _) => {}
    }
    if arguments.json {
        output::print_report("remove", report)?;
    } else {
        output::warn_all(&staged.warnings);
        let margin = question.margin.map(|margin| margin.of("--margin", *units)).transpose()?;
        let exit_distance = question.exit_distance.of("--exit-distance", *units)?;
        let exit_distance = Some(exit_distance).filter(|&length| length > 0.0);
        let lengths = [("margin", margin), ("exit distance", exit_distance)];
        output::print(&(text(report) + &listed(lengths, *units)))?;
    }
    Ok(answer.verdict())
}

/// A line of the lengths that were given.
fn listed(lengths: [(&str, Option<f64>); 2], units: Option<Units>) -> String {
    let unit = units.map_or(String::new(), |unit| format!(" {}", unit.sign()));
    let given = |(name, length): (&str, Option<f64>)| Some(format!("{name} {}{unit}", short(length?)));
    let given: Vec<String> = lengths.into_iter().filter_map(given).collect();
    if given.is_empty() { String::new() } else { given.join(", ") + "\n" }
}

/// The report for people.
pub(crate) fn text(report: &RemoveReport) -> String {
    let unit = report.units.map_or(String::new(), |units| format!(" {}", units.sign()));
    let mut text = format!("{} out of {}", report.part, report.scene);
    if !report.with.is_empty() {
        text += &format!(", with {}", report.with.join(", "));
    }
    if !report.without.is_empty() {
        text += &format!(", after {}", report.without.join(", "));
    }
    text += "\n\n";
    let on = if report.tessellation.is_some() { " for the triangles" } else { "" };
    match (report.verdict, report.clearance, report.length) {
        (RemoveVerdict::Found, Some(clearance), Some(length)) => {
            text += &format!("  found, proven free at every moment{on}: {}\n", report.how);
            let turned = report.turned_rad.unwrap_or(0.0).to_degrees();
            text += &format!("  path: {}{unit} long, {turned:.1} degrees of turning", short(length));
            text += &format!(", {}\n", output::plural(report.poses.len(), "pose", "poses"));
            if report.starts_in_contact {
                text += "  it starts in contact and slides off: no clearance is left there\n";
            } else if clearance.at_most.is_finite() {
                let to = report.tightest.as_ref().map_or("the others", |tightest| &tightest.to);
                text +=
                    &format!("  smallest clearance: at least {}{unit}, to {to}\n", short(clearance.at_least));
            }
            let mut table = Table::new(0, ["  x", "y", "z", "qx", "qy", "qz", "qw"]);
            for &[x, y, z, ref rotation @ ..] in &report.poses {
                // Poses may have quaternions of any length; other programs expect unit length.
                let length = rotation.iter().fold(0.0, |length: f64, q| length.hypot(*q));
                let place = [x, y, z].map(|x| format!("  {x:.3}"));
                let turn = rotation.iter().map(|q| format!("{:.5}", q / length));
                table.row(place.into_iter().chain(turn));
            }
            text += &format!("\n{table}");
        }
        (RemoveVerdict::Blocked, ..) => {
            text += &format!("  blocked, proven{on}: {}\n", report.how);
            text += &format!("  blocking: {}\n", report.blocked_by.join(", "));
        }
        _ => {
            text += &format!("  not found: {}\n", report.how);
            text += &format!("  blocking straight pulls: {}\n", report.blocked_by.join(", "));
        }
    }
    if report.verdict != RemoveVerdict::Found && !report.blocks.is_empty() {
        let mut blocks: Vec<_> = report.blocks.iter().collect();
        blocks.sort_by(|x, y| (y.free / y.needed).total_cmp(&(x.free / x.needed)));
        let mut table = Table::new(1, ["  stopped by", "direction", "after", "of"]);
        for block in blocks.iter().take(10) {
            let direction = block.direction.map(|x| format!("{x:.2}")).join(", ");
            table.row([format!("  {}", block.by), direction, short(block.free), short(block.needed)]);
        }
        text += &format!("\n{table}");
    }
    let stopped = |turn: &&TurnReport| turn.by.is_some();
    if report.verdict == RemoveVerdict::NotFound && report.turns.iter().any(|turn| stopped(&turn)) {
        let mut turns: Vec<&TurnReport> = report.turns.iter().filter(stopped).collect();
        turns.sort_by(|x, y| y.angle_rad.abs().total_cmp(&x.angle_rad.abs()));
        let mut table = Table::new(1, ["  turn stopped by", "axis", "after", "advance a turn"]);
        for turn in turns.iter().take(6) {
            let axis = turn.axis.map(|x| format!("{x:.2}")).join(", ");
            let by = turn.by.as_deref().unwrap_or("-");
            let after = format!("{:.0}°", turn.angle_rad.to_degrees());
            table.row([format!("  {by}"), axis, after, short(turn.pitch * std::f64::consts::TAU)]);
        }
        text += &format!("\n{table}");
    }
    text += &report.tessellation.map_or(String::new(), |found| format!("\n{}", found.text(report.units)));
    let took = report.seconds.map_or(String::new(), |seconds| format!(" in {seconds:.2} s"));
    let motions = output::plural(report.steps as usize, "motion", "motions");
    text + &format!("\n{motions} tested{took}; seed {}.\n", report.seed)
}
