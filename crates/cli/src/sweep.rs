//! `noli sweep`: first contacts of the motions of a scene.

use crate::certificate::{self, Writer};
use crate::limits::Limits;
use crate::output::{self, Bars, Progress, Table, short, short_below};
use crate::volume::{self, Swept, VolumeReport};
use crate::{Verdict, play};
use anyhow::{Context as _, Result, ensure};
use noli::world::BodyId;
use noli_ask::{Context, Opened, Subject, Sweep, SweepAnswer};
use noli_certificate::WorldStatements;
use noli_pages::{MotionPage, PageScene, Track, Up};
use noli_project::report::{AfterStart, Asked, ImpactKind, ImpactReport, NothingAsked, Outcome, SweepReport};
use noli_project::{Origin, Staged};
use noli_sweep::SweptBody;
use std::path::{Path, PathBuf};

/// The earliest impact of the motions in a scene, with what touches, where and when.
///
/// All motions run at once, over the time of the longest. Never misses a contact: before the first time of a
/// bracket nothing touches.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    #[command(flatten)]
    question: Sweep,
    #[command(flatten)]
    limits: Limits,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Also write the volume that all moving bodies sweep: a closed mesh (.obj, .stl, .off, .ply, .glb) that encloses every
    /// instant.
    #[arg(long, value_name = "FILE")]
    volume: Option<PathBuf>,
    #[command(flatten)]
    volume_options: volume::Options,
    /// Also write a page with the contacts, a 3D view and a time line, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a certificate of motions that are collision-free: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    crate::on_threads(arguments.threads, || sweep(arguments))
}

fn sweep(arguments: &Arguments) -> Result<Verdict> {
    let running = arguments.limits.start()?;
    let opened = open_scene(&arguments.scene)?;
    if let Some(path) = &arguments.volume {
        arguments.volume_options.check(path)?;
    }
    let outputs = arguments
        .html
        .iter()
        .chain(&arguments.certificate)
        .chain(&arguments.volume)
        .chain(arguments.volume_options.outputs());
    output::refuse_inputs(outputs, &opened.inputs)?;
    certificate::refuse_tessellated_scene(arguments.certificate.as_ref(), &opened.staged)?;
    let bars = Bars::default();
    let context = Context { budget: running.budget(None), progress: Some(&bars), ..Context::default() };
    let SweepAnswer { opened, report, asked, .. } = arguments.question.about(opened, &context)?;
    bars.clear();
    let asked = pairs_or_volume(arguments, asked)?;
    let Opened { staged, inputs, .. } = &opened;
    let volume = arguments.volume.as_ref().map(|path| volume_of(arguments, path, staged)).transpose()?;
    if arguments.json {
        output::print_report("sweep", &WithVolume { report: &report, volume })?;
    } else {
        output::warn_all(&staged.warnings);
        let more = volume.map_or(String::new(), |volume| volume::text(&volume, report.units.sign()));
        output::print(&(text(&report) + &more))?;
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, page(&report, staged)?.as_bytes())?;
    }
    if let Some(path) = &arguments.certificate {
        ensure!(
            report.outcome == Outcome::Free,
            "{}: no certificate is written, as the motions are not collision-free",
            path.display()
        );
        let found = WorldStatements::along(&staged.world, &staged.moves)?;
        Writer::of_world(found, Some(staged.units), inputs, Vec::new())?.write_all(path)?;
    }
    Ok(Verdict::new(report.outcome, asked))
}

/// The scene, in which something moves.
fn open_scene(path: &Path) -> Result<Opened> {
    ensure!(
        !path.is_dir(),
        "{} is a folder; motions are in scenes: name its .toml file, or run `noli check`",
        path.display()
    );
    let opened = Subject::files([path]).open(&Context::default())?;
    ensure!(
        !opened.staged.moves.is_empty(),
        "{}: nothing moves in this scene; add a [[motion]], or run `noli check`",
        path.display()
    );
    Ok(opened)
}

/// The pairs that were tested; for a volume alone, its bodies.
fn pairs_or_volume(arguments: &Arguments, asked: Result<Asked, NothingAsked>) -> Result<Asked> {
    match asked {
        Err(NothingAsked::NothingBlocks { moved, .. })
            if arguments.volume.is_some() && arguments.certificate.is_none() =>
        {
            Ok(Asked::new(moved)?)
        }
        asked => Ok(asked?),
    }
}

/// A report with the swept volume.
#[derive(serde::Serialize)]
struct WithVolume<'a> {
    #[serde(flatten)]
    report: &'a SweepReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume: Option<VolumeReport>,
}

/// Writes the volume that all moving bodies sweep.
fn volume_of(arguments: &Arguments, path: &Path, staged: &Staged) -> Result<VolumeReport> {
    let time = arguments.limits.start_whole();
    let progress = Progress::of_time("sweeping");
    let (mut bodies, mut deviation) = (Vec::new(), 0.0);
    for (id, motion) in staged.moves.iter().flat_map(|one| one.parts()) {
        let body = staged.world.body(id).context("a moving body is not in the scene")?;
        bodies.push(SweptBody { model: body.model(), motion: &**motion });
        deviation = f64::max(deviation, proven_deviation(staged, id)?);
    }
    let report =
        volume::write(&arguments.volume_options, path, &Swept { bodies, units: staged.units, deviation })?;
    drop((progress, time));
    Ok(report)
}

/// The greatest distance of the triangles of a body from its curved surfaces; an error if none is proven.
fn proven_deviation(staged: &Staged, id: BodyId) -> Result<f64> {
    let Some(body) = staged.bodies.iter().find(|body| body.id == id) else { return Ok(0.0) };
    let Origin { uncertainty, curved, .. } = &body.origin;
    ensure!(
        *uncertainty == 0.0 || curved.is_some() && uncertainty.is_finite(),
        "{}: its triangles are from a CAD kernel that proves no bound on their distance from the true surfaces, so no mesh \
         is proven to enclose it; export it as a STEP file that noli reads by itself, or as STL",
        staged.name(id)
    );
    Ok(*uncertainty)
}

/// Renders the motions over the whole time, and their contacts.
fn page(report: &SweepReport, staged: &Staged) -> Result<String> {
    /// Moments that poses are kept of; between them the page takes straight lines.
    const MOMENTS: u32 = 240;
    let outcome = match (report.impacts.len(), report.outcome) {
        (0, _) => "Free along the whole path".to_owned(),
        (count, Outcome::Undecided) => format!("{} undecided", output::plural(count, "pair", "pairs")),
        (count, _) => format!("{} in collision on the path", output::plural(count, "pair", "pairs")),
    };
    let summary = text(report);
    // The table is on the page already.
    let summary = summary.rsplit("\n\n").next().unwrap_or(&summary).trim();
    let page = MotionPage {
        scene: &PageScene::of_staged(staged),
        title: &report.scene,
        outcome: &outcome,
        summary,
        impacts: &report.impacts,
        track: &Track::of_moves(&staged.moves, MOMENTS),
        curves: &[],
        contacts: &[],
        steps: &[],
        up: Up::Z,
    };
    Ok(noli_pages::motion_page(&page).context("cannot write the page")?.html())
}

fn text(report: &SweepReport) -> String {
    let surfaces = report.tessellation.map_or(String::new(), |found| found.text(Some(report.units)));
    let rest = left_out(report) + &surfaces;
    if report.pairs == 0 {
        return format!("no pair is tested: nothing is in the way of what moves\n{rest}");
    }
    if report.impacts.is_empty() {
        return format!(
            "free: nothing touches during the whole motion (proven{}; {} of what moves, {} tested in detail)\n{rest}",
            if report.tessellation.is_some() { " for the triangles" } else { "" },
            output::plural(report.pairs, "pair or more", "pairs or more"),
            report.candidates
        );
    }
    let unit = report.units.sign();
    let path = format!("path ({unit})");
    let header =
        ["A", "B", "impact", "features (A / B)", "safe until", &path, "touching by", "point", "normal"];
    let mut table = Table::new(4, header);
    let seconds = |t: f64| format!("{} s", short(t * report.seconds));
    let safe = |t: f64| format!("{} s", short_below(t * report.seconds));
    for hit in &report.impacts {
        let vector = |v: Option<[f64; 3]>| v.map_or("-".to_owned(), |v| v.map(short).join(" "));
        table.row([
            hit.a.clone(),
            hit.b.clone(),
            impact_text(hit, unit),
            hit.features.map_or_else(|| "-".to_owned(), |features| features.to_string()),
            safe(hit.safe_until),
            hit.travelled.map_or_else(|| "-".to_owned(), short),
            hit.touching_by.map_or("-".into(), seconds),
            vector(hit.point),
            // Bodies that meet already have no direction between them.
            vector(hit.normal.filter(|normal| *normal != [0.0; 3])),
        ]);
    }
    let free = free_until(report, |t| format!("until {} of {}", safe(t), seconds(1.0)));
    let at_start = report.impacts.iter().filter(|hit| hit.impact == ImpactKind::AtStart).count();
    let hint = match at_start {
        0 => String::new(),
        count => format!(
            "{} in contact before anything moves; --touching ignore leaves out those that only touch.\n",
            output::plural(count, "pair is", "pairs are")
        ),
    };
    format!("{}\n{free}\n{hint}{rest}", table.fitted(0..2))
}

/// Describes the collision-free time, ignoring pairs that touch at the start and then separate or slide.
fn free_until(report: &SweepReport, until: impl Fn(f64) -> String) -> String {
    let harmless = |hit: &&ImpactReport| {
        let parts = matches!(hit.after_start, Some(AfterStart::Leaves | AfterStart::Slides));
        hit.impact == ImpactKind::AtStart && parts
    };
    let first = report.impacts.iter().find(|hit| !harmless(hit));
    let touches =
        report.impacts.iter().any(|hit| hit.after_start.is_some_and(|after| after != AfterStart::Within));
    match (first, touches) {
        (Some(first), false) => format!("All motions together are proven free {}.", until(first.safe_until)),
        (Some(first), true) => format!(
            "Beyond what touches at the start, all motions together are proven free {}.",
            until(first.safe_until)
        ),
        (None, _) => {
            "What touches at the start leaves or slides along; all motions together are proven free otherwise."
                .to_owned()
        }
    }
}

/// Describes the time and kind of a contact in words; for pairs that touch at the start, their later behaviour.
fn impact_text(hit: &ImpactReport, unit: &str) -> String {
    let slides = if hit.safe_until > 0.0 { ", slide along" } else { "" };
    match (hit.impact, hit.after_start) {
        (ImpactKind::At, Some(AfterStart::Leaves)) => "touch at the start, leave, touch again".to_owned(),
        (ImpactKind::At, Some(AfterStart::GoesIn)) => format!("touch at the start{slides}, then go in"),
        (ImpactKind::At, Some(AfterStart::Unproven)) => {
            format!("touch at the start{slides}, then perhaps go in")
        }
        _ => play::impact_text(hit, unit),
    }
}

/// Describes the omitted pairs that touch at the start.
fn left_out(report: &SweepReport) -> String {
    let mut text = String::new();
    for pair in &report.left_out {
        let (proven, then) = match (pair.after_start, pair.intersection_at) {
            (Some(AfterStart::Leaves), None) => ("", ", then leave (proven)".to_owned()),
            (Some(AfterStart::Slides), None) => ("", ", then slide along (proven)".to_owned()),
            (_, Some(time)) => {
                let time = short(time * report.seconds);
                (", not proven", format!("; pass through each other at {time} s"))
            }
            (_, None) => (", not proven", "; not seen to pass through each other in 64 moments".to_owned()),
        };
        text += &format!("left out{proven}: {} and {} touch at the start{then}\n", pair.a, pair.b);
    }
    text
}
