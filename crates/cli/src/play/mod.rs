//! `noli play`: the control loop, frame by frame.

mod simulate;
mod study;

pub(crate) use study::trial_page;

use crate::Verdict;
use crate::limits::{Limits, Running};
use crate::output::{self, Progress, Table, short};
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use noli::Pose;
use noli::query::{Clock, SteadyClock};
use noli::world::{PairTestMode, StepOptions, StepPolicy, StopPolicy};
use noli_ask::quantity::duration;
use noli_formats::ReadOptions;
use noli_pages::{Curve, MotionPage, PageScene, Room, Track, Up, first_impacts, motion_page};
use noli_project::report::{AfterStart, ImpactKind, ImpactReport, Outcome};
use noli_project::{Frame, FrameTime, GroupFrame, Recording, StageOptions, Staged};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of playing and of its reports.
#[derive(clap::Args)]
pub struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml", required_unless_present = "demo")]
    scene: Option<PathBuf>,
    /// Study the removal of lamp parts from a generated engine bay: where each is blocked, how much room is
    /// left, and whether its path is proven free. With --contact: runway, runway-bumpy, screw, screw-pull or bulbs; with
    /// --dynamics: rod, bounce, cradle, stack, slope, roll, turntable, spin, shot, chain, gears, arch, dominoes, pile or oblique.
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["scene", "compare", "budget", "mode"]
    )]
    demo: Option<String>,
    /// Let bodies slide along obstacles instead of stopping: each follows its motion as closely as contact
    /// allows, and every segment of it is proven collision-free.
    #[arg(long, conflicts_with_all = ["dynamics", "compare", "budget", "steps", "mode"])]
    contact: bool,
    /// Let bodies fall, collide, slide and rest, every segment of their flight proven collision-free; those with a
    /// motion are driven.
    #[arg(long, conflicts_with_all = ["compare", "budget", "steps", "mode"])]
    dynamics: bool,
    /// With --contact or --dynamics: Coulomb's coefficient for all pairs of bodies.
    #[arg(long, value_name = "MU", value_parser = not_negative)]
    friction: Option<f64>,
    /// With --dynamics: how much of the speed of approach comes back, for all pairs of bodies.
    #[arg(long, value_name = "E", value_parser = share)]
    restitution: Option<f64>,
    /// With --dynamics: how long to simulate.
    #[arg(long, value_name = "S", value_parser = positive)]
    seconds: Option<f64>,
    /// With --dynamics: all speeds at the start and of driven bodies are multiplied by this.
    #[arg(long, value_name = "TIMES", value_parser = positive)]
    speed: Option<f64>,
    /// With --demo: how finely the bay, runways and screws are meshed (2); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    detail: Option<u32>,
    /// Into how many frames the whole time is divided: 50, or with --contact and --dynamics what suits the scene.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: Option<u32>,
    /// Time limit for the pair tests of a frame, such as 2ms or 500us. Unfinished pairs
    /// count as contact from the time up to which they are proven collision-free.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// Maximum number of steps for the pair tests of a frame; unlike a time, the same on every machine.
    #[arg(long, value_name = "N", conflicts_with = "budget")]
    steps: Option<u64>,
    /// Write a recording: poses and verdicts of every frame.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare with a recording, bit for bit.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Rows of the table at most (20); the first ones, and those in which something is blocked.
    #[arg(long, value_name = "N")]
    rows: Option<usize>,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Also write a page with a 3D view and a time line, contacts, and curves of clearance, energy and contacts, in one
    /// file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
}

impl Arguments {
    fn rows(&self) -> usize {
        self.rows.unwrap_or(20)
    }

    fn detail(&self) -> u32 {
        self.detail.unwrap_or(2)
    }

    /// Refuses options that another mode has.
    fn refuse_other_modes(&self) -> Result<()> {
        let simulated = self.contact || self.dynamics;
        let study = self.demo.is_some() && !simulated;
        ensure!(
            self.demo.is_some() || self.detail.is_none(),
            "--detail is for --demo: a scene has its own meshes"
        );
        ensure!(simulated || self.friction.is_none(), "--friction is for --contact and --dynamics");
        for (option, given) in
            [("--restitution", self.restitution), ("--seconds", self.seconds), ("--speed", self.speed)]
        {
            ensure!(self.dynamics || given.is_none(), "{option} is for --dynamics");
        }
        for (option, given) in [
            ("--frames", self.frames.is_some()),
            ("--steps", self.steps.is_some()),
            ("--rows", self.rows.is_some()),
            ("--time", self.limits.is_timed()),
        ] {
            ensure!(!(study && given), "{option}: a study has no frames; drop it, or give a scene");
        }
        ensure!(!(study && self.record.is_some()), "a study is not recorded; drop --record");
        Ok(())
    }
}

/// Play the motions of a scene frame by frame: every group moves as far as is proven collision-free, and stays
/// where it is blocked.
///
/// If one body or group moves, also report its clearance along the path, all others fixed.
/// With --demo: such a study of the four removals of the bundled engine bay.
#[derive(clap::Args)]
pub(crate) struct Command {
    #[command(flatten)]
    pub(crate) arguments: Arguments,
    /// Method of testing pairs.
    #[arg(long, value_enum, default_value_t = How::Dynamic)]
    mode: How,
}

/// Method of testing pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// At the end of each frame only.
    Static,
    /// At all times.
    Dynamic,
}

fn not_negative(text: &str) -> Result<f64, String> {
    let wrong = || "give a number of 0 or more".to_owned();
    let value: f64 = text.parse().map_err(|_| wrong())?;
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(wrong()) }
}

fn positive(text: &str) -> Result<f64, String> {
    not_negative(text).ok().filter(|&value| value > 0.0).ok_or_else(|| "give a number more than 0".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    not_negative(text)
        .ok()
        .filter(|&value| value <= 1.0)
        .ok_or_else(|| "give a number from 0 to 1".to_owned())
}

impl Command {
    /// Policy of the pair tests of a step; `None` for the default: at all times, and on curved surfaces where
    /// they are known.
    pub(crate) fn policy(&self) -> Option<&'static dyn StepPolicy> {
        match self.mode {
            How::Static => Some(&PairTestMode::Static),
            How::Dynamic => None,
        }
    }
}

/// Plays a scene or a study; `policy` decides the steps of a scene in place of the default.
pub fn run(arguments: &Arguments, policy: Option<&dyn StepPolicy>) -> Result<Verdict> {
    arguments.refuse_other_modes()?;
    crate::on_threads(arguments.threads, || match &arguments.scene {
        _ if arguments.contact || arguments.dynamics => simulate::run(arguments),
        Some(scene) => play(arguments, policy, scene),
        None => {
            let named = arguments.demo.as_deref().is_some_and(|name| !name.is_empty());
            ensure!(!named, "say --contact or --dynamics: this demo is simulated");
            study::run(arguments)
        }
    })
}

/// A scene in which something moves.
pub(crate) fn stage(path: &Path) -> Result<Staged> {
    Ok(stage_with_inputs(path)?.0)
}

/// Computes the study in a separate world, because playing moves the bodies.
fn study_of(path: &Path) -> Result<Option<study::Told>> {
    study::of_scene(&mut stage(path)?, &path.display().to_string())
}

/// Describes the time and kind of a contact of two bodies in words. With a margin, the margin is reached.
pub(crate) fn impact_text(hit: &ImpactReport, unit: &str) -> String {
    let near = format!("within the margin of {} {unit}", short(hit.margin));
    match (hit.impact, hit.margin > 0.0) {
        (ImpactKind::Undecided, _) => "undecided".to_owned(),
        (ImpactKind::AtStart, true) if hit.after_start.is_none() => format!("{near} at the start"),
        (ImpactKind::AtStart, _) => match hit.after_start {
            Some(AfterStart::Within) => "reach into each other at the start",
            Some(AfterStart::Leaves) => "touch at the start, then leave",
            Some(AfterStart::Slides) => "touch at the start, then slide along",
            Some(AfterStart::GoesIn | AfterStart::Unproven) | None => "touch at the start",
        }
        .to_owned(),
        (ImpactKind::At, true) => near,
        (ImpactKind::At, false) if hit.proven == Some(false) => "touch or graze".to_owned(),
        (ImpactKind::At, false) => "touch".to_owned(),
    }
}

pub(crate) fn stage_with_inputs(path: &Path) -> Result<(Staged, Vec<PathBuf>)> {
    ensure!(
        !path.is_dir(),
        "{} is a folder; motions are in scenes: name its .toml file, or run `noli check`",
        path.display()
    );
    let loaded = noli_project::load_scene(path, &ReadOptions::default())?;
    ensure!(
        !loaded.motions.is_empty(),
        "{}: nothing moves in this scene; add a [[motion]], or run `noli check`",
        path.display()
    );
    let staged = noli_project::stage(&loaded, &StageOptions::default())
        .and_then(|staged| staged.refuse_open_solids().map(|()| staged))
        .with_context(|| path.display().to_string());
    let mut inputs = loaded.files(path);
    inputs.push(path.to_owned());
    Ok((staged?, inputs))
}

fn play(arguments: &Arguments, policy: Option<&dyn StepPolicy>, scene: &Path) -> Result<Verdict> {
    let limits = arguments.limits.start()?;
    let (mut staged, inputs) = stage_with_inputs(scene)?;
    output::refuse_inputs(arguments.record.iter().chain(&arguments.html), &inputs)?;
    let asked = staged.pairs_moved()?;
    let progress = Progress::of_time("measuring the clearance along the path");
    let study = if arguments.json && arguments.html.is_none() { None } else { study_of(scene)? };
    drop(progress);
    let before: Vec<Pose> = staged.world.bodies().map(|(_, body)| body.pose()).collect();
    let count = arguments.frames.unwrap_or(50);
    let mut recording = Recording::new(&scene.display().to_string(), &staged, count);
    let cut = frames((arguments, &limits), policy, &mut staged, &mut recording)?;
    if let Some(path) = &arguments.compare
        && let Some(difference) = recording.difference(&Recording::read(path)?)
    {
        bail!("{}: {difference}", path.display());
    }
    if let Some(path) = &arguments.record {
        output::write_file(path, output::report_json("recording", &recording)?.as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        let room = study.as_ref().map_or(&[][..], |study| &study.room);
        output::write_file(path, page(&recording, (&staged, &before), room, cut)?.as_bytes())?;
    }
    if arguments.json {
        output::print_report("recording", &recording)?;
    } else {
        output::warn_all(&staged.warnings);
        output::print(&text(&recording, arguments, cut))?;
        if let Some(study) = study {
            output::print(&format!("\n{}", study.text))?;
        }
        if let Some(path) = &arguments.compare {
            output::print(&format!("The same as {}, bit for bit.\n", path.display()))?;
        }
    }
    // Frames that were not played are open.
    let outcome = match recording.outcome() {
        Outcome::Free if cut.is_some() => Outcome::Undecided,
        found => found,
    };
    Ok(Verdict::new(outcome, asked))
}

/// Renders the recording as a page with a time line.
fn page(
    recording: &Recording,
    (staged, before): (&Staged, &[Pose]),
    room: &[Room],
    cut: Option<&str>,
) -> Result<String> {
    let blocked: Vec<&str> = recording.blocks().map(|(_, group)| group.name.as_str()).collect();
    let outcome = match cut {
        _ if !blocked.is_empty() => format!("{} blocked", blocked.join(", ")),
        Some(limit) => format!("{limit} was reached"),
        None => "Everything reached its end".to_owned(),
    };
    let mut scene = PageScene::of_staged(staged);
    scene.bodies.iter_mut().zip(before).for_each(|(body, pose)| body.pose = *pose);
    let mut curves: Vec<Curve> = Curve::of_room(room, recording.units.sign()).into_iter().collect();
    let over_time = |value: fn(&Frame) -> f64| -> Vec<[f64; 2]> {
        recording.frames.iter().map(|frame| [frame.time, value(frame)]).collect()
    };
    curves.push(Curve::of_steps("pairs in contact", over_time(|frame| frame.hits.len() as f64)));
    curves.push(Curve::of_steps("pairs tested", over_time(|frame| frame.tested as f64)));
    let page = MotionPage {
        scene: &scene,
        title: &recording.scene,
        outcome: &outcome,
        summary: &format!(
            "{} of {} played",
            recording.frames.len(),
            output::plural(recording.frame_count as usize, "frame", "frames")
        ),
        impacts: &first_impacts(recording),
        track: &Track::of_recording(recording, before),
        curves: &curves,
        contacts: &[],
        steps: &[],
        up: Up::Z,
    };
    Ok(motion_page(&page).context("cannot write the page")?.html())
}

/// Plays the frames; returns the limit that ended it, if one did.
fn frames(
    (arguments, limits): (&Arguments, &Running),
    policy: Option<&dyn StepPolicy>,
    staged: &mut Staged,
    recording: &mut Recording,
) -> Result<Option<&'static str>> {
    let surfaces = staged.curved_motion();
    let policy_of_step = policy.unwrap_or(&surfaces);
    let count = arguments.frames.unwrap_or(50);
    let (clock, progress) = (SteadyClock::start(), Progress::new(count as usize));
    let whole = std::mem::take(&mut staged.moves);
    let mut blocked = vec![false; whole.len()];
    for number in 0..count {
        progress.step("playing");
        let [from, to] = [number, number + 1].map(|k| f64::from(k) / f64::from(count));
        let going: Vec<usize> = (0..whole.len()).filter(|&mover| !blocked[mover]).collect();
        if going.is_empty() {
            break;
        }
        if let Some(limit) = limits.reached() {
            return Ok(Some(limit));
        }
        let moves = going.iter().map(|&mover| whole[mover].clip(from, to)).collect();
        let start = clock.now();
        let mut budget = limits.budget(arguments.steps);
        if let Some(time) = arguments.budget {
            budget = budget.until(start.saturating_add(time), &clock);
        }
        let options =
            StepOptions { policy: policy_of_step, cut: StopPolicy::InOrder, budget, ..Default::default() };
        let step = staged.world.step(moves, &options)?;
        let micros = (clock.now() - start).as_secs_f64() * 1e6;
        let mut groups = Vec::new();
        for (&mover, outcome) in going.iter().zip(&step.outcomes) {
            blocked[mover] = outcome.free_until < 1.0;
            let by = outcome.first.and_then(|first| surfaces.impact(&staged.world, &step.answers[first]));
            let name = whole[mover].name().to_owned();
            groups.push(GroupFrame { name, free_until: outcome.free_until, by });
        }
        let budget_met = arguments.budget.is_none_or(|time| micros <= time.as_secs_f64() * 1e6);
        let at = FrameTime { number, time: from, micros, budget_met };
        if policy.is_none() {
            recording.tessellation = surfaces.tessellation();
        }
        recording.frames.push(Frame::new(at, (staged, &surfaces), groups, &step));
    }
    ensure!(!recording.frames.is_empty(), "nothing was played");
    Ok(None)
}

fn text(recording: &Recording, arguments: &Arguments, cut: Option<&str>) -> String {
    let seconds = recording.seconds;
    let header = [
        "frame",
        "time",
        "moved",
        "candidates",
        "tested",
        "asleep",
        "cut short",
        "steps",
        "us",
        "budget",
        "verdict",
    ];
    let mut table = Table::new(0, header);
    let is_shown = |(number, frame): &(usize, &Frame)| {
        *number < arguments.rows() || frame.groups.iter().any(|group| group.free_until < 1.0)
    };
    let shown: Vec<&Frame> =
        recording.frames.iter().enumerate().filter(is_shown).map(|(_, frame)| frame).collect();
    for frame in &shown {
        let blocked = frame.groups.iter().filter(|group| group.free_until < 1.0);
        let blocked: Vec<&str> = blocked.map(|group| group.name.as_str()).collect();
        let budget = match arguments.budget {
            None => "-",
            Some(_) if frame.budget_met => "met",
            Some(_) => "missed",
        };
        table.row([
            frame.number.to_string(),
            short(frame.time * seconds),
            frame.moved.to_string(),
            frame.candidates.to_string(),
            frame.tested.to_string(),
            frame.asleep.to_string(),
            frame.cut_short.to_string(),
            frame.steps.to_string(),
            format!("{:.0}", frame.micros),
            budget.to_owned(),
            if blocked.is_empty() { "free".to_owned() } else { format!("{} blocked", blocked.join(", ")) },
        ]);
    }
    let mut text = format!("{table}");
    match recording.frames.len() - shown.len() {
        0 => {}
        left => {
            text +=
                &format!("and {} (--rows N shows more)\n", output::plural(left, "more frame", "more frames"))
        }
    }
    text += "\n";
    let unit = recording.units.sign();
    for (frame, group) in recording.blocks() {
        let time = (frame.time + group.free_until / f64::from(recording.frame_count)) * seconds;
        let by = group.by.as_ref().map_or("its budget".to_owned(), |hit| {
            format!("{} and {} {}", hit.a, hit.b, impact_text(hit, unit))
        });
        text += &format!("{} stops at {} s of {} s: {by}\n", group.name, short(time), short(seconds));
    }
    if let Some(limit) = cut {
        let (played, all) = (recording.frames.len(), recording.frame_count);
        text += &format!("{limit} was reached after {played} of {all} frames: the rest is undecided.\n");
    } else if recording.blocks().next().is_none() {
        text += "Everything reached its end.\n";
        // What is in contact from the start and parts again stops nothing, but counts.
        let mut met: Vec<String> = Vec::new();
        for hit in recording.frames.iter().flat_map(|frame| &frame.hits) {
            let line = format!("{} and {} {}", hit.a, hit.b, impact_text(hit, unit));
            if !met.contains(&line) {
                met.push(line);
            }
        }
        met.iter().for_each(|line| text += &format!("On the path: {line}.\n"));
    }
    text + &recording.tessellation.map_or(String::new(), |found| found.text(Some(recording.units)))
}
