//! `noli play --contact` and `--dynamics`: bodies slide, fall and bounce instead of stopping.

use super::Arguments;
use crate::Verdict;
use crate::output::{self, Progress, Table, plural, short};
use anyhow::{Context, Result, bail, ensure};
use noli::query::{Clock, SteadyClock};
use noli_formats::ReadOptions;
use noli_project::report::{Asked, Outcome};
use noli_project::{
    SimulationOptions, SimulationReport, SimulationSetup, Watch, simulate_contact, simulate_dynamics,
};
use std::cell::Cell;
use std::ops::ControlFlow;

pub(super) fn run(arguments: &Arguments) -> Result<Verdict> {
    let limits = arguments.limits.start()?;
    let (setup, inputs) = match (&arguments.scene, &arguments.demo) {
        (Some(path), _) => {
            let name = path.display().to_string();
            let loaded = noli_project::load_scene(path, &ReadOptions::default())?;
            let mut inputs = loaded.files(path);
            inputs.push(path.clone());
            (SimulationSetup::of_scene(&name, &loaded).with_context(|| name)?, inputs)
        }
        (None, demo) => {
            let usual = if arguments.contact { "bulbs" } else { "rod" };
            let name = demo.as_deref().filter(|name| !name.is_empty()).unwrap_or(usual);
            let has_detail = ["bulbs", "runway", "screw"].iter().any(|meshed| name.starts_with(meshed));
            ensure!(
                arguments.detail.is_none() || has_detail,
                "--detail: the demo {name} has no meshes to refine; bulbs, runways and screws do"
            );
            (SimulationSetup::demo(name, arguments.detail())?, Vec::new())
        }
    };
    output::refuse_inputs(arguments.record.iter().chain(&arguments.html), &inputs)?;
    let options = SimulationOptions {
        friction: arguments.friction,
        restitution: arguments.restitution,
        frames: arguments.frames,
        seconds: arguments.seconds,
        speed: arguments.speed,
    };
    let (clock, count) = (SteadyClock::start(), arguments.frames.unwrap_or(setup.frames));
    let progress = Progress::new(count as usize);
    let reached = Cell::new(None);
    let frame = |number| {
        progress.step("simulating");
        reached.set(limits.reached().map(|limit| (limit, number)));
        if reached.get().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let watch = Watch { clock: &|| clock.now().as_secs_f64() * 1e3, frame: &frame };
    let report = if arguments.contact {
        simulate_contact(&setup, &options, &watch)
    } else {
        simulate_dynamics(&setup, &options, &watch)
    };
    drop(progress);
    if let Some((limit, number)) = reached.get() {
        bail!("{limit} was reached before frame {number} of {count}; allow more, or play fewer frames");
    }
    let report = report.with_context(|| setup.scene.clone())?;
    if let Some(path) = &arguments.record {
        output::write_file(path, output::report_json("simulation", &report)?.as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        let page = noli_pages::simulation_page(&setup, &report, figures(&report).trim_end());
        output::write_file(path, page.context("cannot write the page")?.html().as_bytes())?;
    }
    if arguments.json {
        output::print_report("simulation", &report)?;
    } else {
        output::warn_all(&setup.warnings);
        output::print(&text(&report, arguments.rows()))?;
    }
    // A body that flies alone counts as checked, too.
    let pairs = setup.bodies.len() * setup.bodies.len().saturating_sub(1) / 2;
    Ok(Verdict::new(outcome(&report), Asked::new(pairs.max(1))?))
}

/// Returns the outcome. Contact succeeds if every group completed its motion, dynamics if nothing overlaps;
/// unproven time leaves both undecided.
fn outcome(report: &SimulationReport) -> Outcome {
    let summary = &report.summary;
    if summary.penetrations > 0 || summary.groups.iter().any(|group| !group.reached) {
        Outcome::Touching
    } else if summary.time_lost > 1e-3 {
        Outcome::Undecided
    } else {
        Outcome::Free
    }
}

fn text(report: &SimulationReport, rows: usize) -> String {
    let mut table = Table::new(0, ["frame", "time", "contacts", "forces", "moved", "overlaps", "ms"]);
    let every = (report.frames.len() / rows.max(1)).max(1);
    for frame in report.frames.iter().step_by(every) {
        table.row([
            frame.number.to_string(),
            short(frame.time),
            frame.contacts.to_string(),
            frame.forces.len().to_string(),
            short(frame.used),
            frame.overlaps.to_string(),
            format!("{:.2}", frame.millis),
        ]);
    }
    format!("{table}\n{}", figures(report))
}

/// Formats the figures of a whole simulation.
fn figures(report: &SimulationReport) -> String {
    let summary = &report.summary;
    let unit = report.units.sign();
    let mut text = String::new();
    for group in &summary.groups {
        let [x, y, z] = group.moved.map(short);
        let [a, b, c] = group.turned_deg.map(short);
        let end = if group.reached { "reached the end of its motion" } else { "was held back by contact" };
        text += &format!(
            "{} {end}: moved ({x}, {y}, {z}) {unit}, turned ({a}, {b}, {c}) deg, {} {unit} from the end; \
             without sliding it stops at {} of the path\n",
            group.name,
            short(group.behind),
            short(group.free_without_contact)
        );
    }
    if let Some([before, after]) = summary.energy {
        text += &format!("Energy: {} at the start, {} at the end.\n", short(before), short(after));
    }
    let ms = &summary.frame_ms;
    let impacts = match report.mode.as_str() {
        "dynamics" => plural(summary.impacts as usize, "impact", "impacts") + ", ",
        _ => String::new(),
    };
    text += &format!(
        "{impacts}{}; {}; at most {} at a time\n",
        plural(summary.penetrations as usize, "penetration", "penetrations"),
        noli_pages::words::time_lost(summary.time_lost),
        plural(summary.contacts_most, "contact", "contacts")
    );
    text += &format!(
        "{} of motion proven free, {} tested; a frame took {:.2} ms (median), {:.2} (p99), {:.2} (worst)\n",
        plural(summary.pieces as usize, "piece", "pieces"),
        plural(summary.proofs as usize, "pair", "pairs"),
        ms.median,
        ms.p99,
        ms.worst
    );
    text
}
