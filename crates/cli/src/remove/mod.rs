//! `noli remove`: plans a removal path for a part, or finds the blocking bodies.

mod page;

use crate::Verdict;
use crate::certificate::{self, Writer};
use crate::output::{self, Progress, Table, short};
use crate::quantity::{self, Length};
use anyhow::{Context, Result, bail, ensure};
use noli::World;
use noli::query::{Clock, SteadyClock};
use noli::world::{BodyId, BodySelector};
use noli_certificate::WorldStatements;
use noli_formats::Units;
use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, remove};
use noli_project::report::{RemoveReport, RemoveSubject, RemoveVerdict, TurnReport};
use noli_project::{
    OpenOptions, Source, StageOptions, Staged, TakeAs, bundled_names, open_bundled, open_paths, stage,
};
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
    /// A part (or group) that has been removed before. Repeatable.
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// A part (or group) that moves along: a tool, a hand. Repeatable.
    #[arg(long, value_name = "PART")]
    with: Vec<String>,
    /// A part (or group) that is allowed to collide: it does not block. Repeatable.
    #[arg(long, value_name = "PART")]
    ignore: Vec<String>,
    /// Minimum clearance of the part from all others on its path, in the unit of the files or with its own, such as 2mm.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length)]
    margin: Option<Length>,
    /// The part is out only when its box is so far from that of the others.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length, default_value = "0")]
    exit_distance: Length,
    /// Of several straight pulls the one with the most room, not the shortest.
    #[arg(long)]
    maximize_clearance: bool,
    /// Maximum number of motions to prove or refute; the same on every machine.
    #[arg(long, value_name = "N", default_value_t = 60_000)]
    steps: u64,
    /// Seed of the random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Maximum search time, such as 500ms or 20s.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::quantity::duration)]
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

/// The scene, and the part in it.
fn source(arguments: &Arguments) -> Result<(Source, &str)> {
    if let Some(part) = &arguments.demo {
        for name in bundled_names() {
            let source = open_bundled(name, arguments.detail.unwrap_or(2))?;
            let has = |name: &str| source.scene.bodies.iter().any(|body| body.name == name);
            if has(part) {
                return Ok((source, part));
            }
            if name == part && has("part") {
                return Ok((source, "part"));
            }
        }
        bail!("no bundled assembly has a part `{part}`; `noli check --demo NAME --all` lists parts");
    }
    crate::refuse_detail(arguments.detail)?;
    let (Some(scene), Some(part)) = (&arguments.scene, &arguments.part) else {
        bail!("name a scene and a part, or --demo PART");
    };
    Ok((open_paths(std::slice::from_ref(scene), &OpenOptions::default())?, part))
}

/// Returns the bodies of a name: a body, or all of a group, with their attached objects.
pub(crate) fn bodies_of(world: &World, name: &str) -> Result<Vec<BodyId>> {
    let mut found: Vec<BodyId> = match world.find(name) {
        Some(id) => vec![id],
        None => world.bodies().filter(|(_, body)| body.group() == Some(name)).map(|(id, _)| id).collect(),
    };
    if found.is_empty() {
        // A file's objects are named after it.
        let ends = |other: &str| other.rsplit(['/', '.']).next() == Some(name);
        found = world.bodies().filter(|(_, body)| ends(body.name())).map(|(id, _)| id).collect();
        ensure!(found.len() <= 1, "several parts are called `{name}`; give the whole name of one");
    }
    if found.is_empty() {
        let names: Vec<&str> = world.bodies().map(|(_, body)| body.name()).take(40).collect();
        bail!("there is no part `{name}`; there are: {}", names.join(", "));
    }
    let mut all = Vec::new();
    for id in found {
        all.extend(world.with_descendants(id)?);
    }
    let mut seen = std::collections::HashSet::new();
    all.retain(|id| seen.insert(*id));
    Ok(all)
}

fn search(arguments: &Arguments) -> Result<Verdict> {
    let clock = SteadyClock::start();
    let (source, part) = source(arguments)?;
    let options = StageOptions { take_as: TakeAs::Auto, ..Default::default() };
    let mut staged: Staged = stage(&source.scene, &options).with_context(|| source.title.clone())?;
    certificate::refuse_tessellated_scene(arguments.certificate.as_ref(), &staged)?;
    let mut moving = bodies_of(&staged.world, part)?;
    let lead = moving[0];
    let all_of = |names: &[String]| -> Result<Vec<BodyId>> {
        Ok(names.iter().map(|name| bodies_of(&staged.world, name)).collect::<Result<Vec<_>>>()?.concat())
    };
    moving.extend(all_of(&arguments.with)?);
    let (without, ignored) = (all_of(&arguments.without)?, all_of(&arguments.ignore)?);
    for other in ignored {
        for &id in &moving {
            staged.world.rules_mut().set([BodySelector::Body(id), BodySelector::Body(other)], false);
        }
    }
    let margin = arguments.margin.map(|margin| margin.of("--margin", source.units)).transpose()?;
    if let Some(margin) = margin {
        staged.world.rules_mut().set_default_margin(margin);
    }
    let exit_distance = arguments.exit_distance.of("--exit-distance", source.units)?;
    moving.retain(|id| !without.contains(id));
    ensure!(moving.contains(&lead), "`{part}` cannot be removed before it is removed");
    let mut seen = std::collections::HashSet::new();
    moving.retain(|id| seen.insert(*id));
    let asked = staged.pairs_removed(&moving, &without).with_context(|| source.title.clone())?;
    let space = RigidSpace::new(&staged.world, &moving, &without)?.with_exit_distance(exit_distance);
    let stop = || clock.now() >= arguments.time;
    let effort = Effort { steps: arguments.steps, seed: arguments.seed, stop: &stop, ..Default::default() };
    let options = RemoveOptions { effort, widest: arguments.maximize_clearance, ..Default::default() };
    let progress = Progress::of_time("searching a removal path");
    let removal = remove(&space, &options);
    let found = staged.removal_on_surfaces(removal, [&moving, &without], exit_distance);
    let (removal, tessellation) = (found.removal, found.tessellation);
    drop(progress);
    let parts: Vec<String> = moving.iter().map(|&id| staged.name(id).to_owned()).collect();
    let subject = RemoveSubject {
        scene: &source.title,
        units: source.units,
        parts: &parts,
        without: &arguments.without,
        seed: arguments.seed,
        tessellation,
    };
    let mut report = RemoveReport::new(&subject, &space, &removal);
    report.seconds = Some(clock.now().as_secs_f64());
    if let Some(path) = &arguments.html {
        output::refuse_inputs([path], &source.inputs)?;
        let page = page::removal_page(&staged, (&space, &removal), [&moving, &without], &report)?;
        output::write_file(path, page.html().as_bytes())?;
    }
    match (&arguments.certificate, &removal.found) {
        (Some(target), RemovalResult::Path(found)) => {
            output::refuse_inputs([target], &source.inputs)?;
            let (given, start) = (staged.world.body(lead)?.pose(), space.start());
            // A part that penetrates by rounding is first moved out of it, by no more than that.
            let first = usize::from(given != start && found.poses.first() == Some(&given));
            let statements =
                WorldStatements::removal(&staged.world, &moving, &without, &found.poses[first..])?;
            Writer::of_world(statements, source.units, &source.inputs, Vec::new())?.write_all(target)?;
        }
        (Some(target), _) => {
            output::warn(&format!("{}: no certificate is written, as no path was found", target.display()));
        }
        (None, _) => {}
    }
    if arguments.json {
        output::print_report("remove", &report)?;
    } else {
        output::warn_all(&staged.warnings);
        let exit_distance = Some(exit_distance).filter(|&length| length > 0.0);
        let lengths = [("margin", margin), ("exit distance", exit_distance)];
        output::print(&(text(&report) + &listed(lengths, source.units)))?;
    }
    Ok(report.verdict(asked))
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
