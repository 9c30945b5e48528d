//! `noli play`: the control loop, frame by frame.

mod record;
mod study;

use crate::Outcome;
use crate::moving::{self, Staged};
use crate::output::{self, Progress, Table, short};
use crate::sweep::Hit;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use noli::{Budget, Clock, Cut, Fallback, Mode, SteadyClock, StepOptions, StepStats};
use record::{Frame, Group, Recording};
use std::path::PathBuf;
use std::time::Duration;

/// Play the motions of a scene frame by frame: every group moves as far as is proven free, and stays where it is blocked.
///
/// With --demo: a study of the four removals of the bundled engine bay.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml", required_unless_present = "demo")]
    scene: Option<PathBuf>,
    /// Study the removal of lamp parts from a generated engine bay: where each is blocked, how much room is left, and whether
    /// its path is proven free.
    #[arg(long, conflicts_with_all = ["scene", "record", "compare", "budget", "mode"])]
    demo: bool,
    /// With --demo: how finely the bay is meshed; triangles grow with the square.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=16), requires = "demo")]
    detail: u32,
    /// Into how many frames the whole time is divided.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: u32,
    /// How long the pair tests of a frame may take, such as 2ms or 500us. Pairs that are not finished then count as contact from the
    /// time on until which they are proven free.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// How many steps the pair tests of a frame may take; unlike a time, the same on every machine.
    #[arg(long, value_name = "N", conflicts_with = "budget")]
    steps: Option<u64>,
    /// How pairs are tested.
    #[arg(long, value_enum, default_value_t = How::Dynamic)]
    mode: How,
    /// What is said about pairs that the budget does not suffice for.
    #[arg(long, value_enum, default_value_t = Unfinished::Contact)]
    fallback: Unfinished,
    /// Write a recording: poses and verdicts of every frame.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare with a recording, bit for bit.
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

/// How pairs are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// At the end of each frame only.
    Static,
    /// At the ends of each frame and four poses between; may miss contacts.
    Sampled,
    /// At all times.
    Dynamic,
    /// At all times for bodies that overlap at the end of a frame; may miss contacts.
    Mixed,
}

impl From<How> for Mode {
    fn from(how: How) -> Self {
        match how {
            How::Static => Self::Static,
            How::Sampled => Self::Sampled { between: 4 },
            How::Dynamic => Self::Dynamic,
            How::Mixed => Self::Mixed,
        }
    }
}

/// What is said about pairs that the budget does not suffice for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unfinished {
    /// They may touch from the time on until which they are proven free.
    Contact,
    /// They may touch from the time on at which volumes that were not looked into yet may; never earlier than the former.
    Volumes,
    /// They touch when flat stand-ins for two such volumes do; approximate, may miss contacts.
    Faces,
}

impl From<Unfinished> for Fallback {
    fn from(unfinished: Unfinished) -> Self {
        match unfinished {
            Unfinished::Contact => Self::AssumeContact,
            Unfinished::Volumes => Self::Volumes,
            Unfinished::Faces => Self::Faces,
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time with its unit: 2ms, 500us, 0.1s".to_owned();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let number: f64 = text[..end].trim().parse().map_err(|_| wrong())?;
    let seconds = match &text[end..] {
        "s" => number,
        "ms" => number * 1e-3,
        "us" => number * 1e-6,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(|| match &arguments.scene {
        Some(scene) => play(arguments, moving::stage(scene)?),
        None => study::run(arguments.detail, arguments.json),
    })
}

fn play(arguments: &Arguments, mut staged: Staged) -> Result<Outcome> {
    let recording = frames(arguments, &mut staged)?;
    if let Some(path) = &arguments.compare {
        let other = Recording::read(path)?;
        if let Some(difference) = recording.difference(&other) {
            bail!("{}: {difference}", path.display());
        }
    }
    if let Some(path) = &arguments.record {
        output::write_file(path, output::json(&recording)?.as_bytes())?;
    }
    if arguments.json {
        output::print_json(&recording)?;
    } else {
        staged.warnings.iter().for_each(|warning| eprintln!("noli: {warning}"));
        output::print(&text(&recording, arguments, staged.seconds))?;
        if let Some(path) = &arguments.compare {
            output::print(&format!("The same as {}, bit for bit.\n", path.display()))?;
        }
    }
    Ok(recording.outcome())
}

fn frames(arguments: &Arguments, staged: &mut Staged) -> Result<Recording> {
    let (clock, progress) = (SteadyClock::start(), Progress::new(arguments.frames as usize));
    let mut recording = Recording::new(staged, arguments.frames);
    let mut blocked = vec![false; staged.movers.len()];
    for number in 0..arguments.frames {
        progress.step("playing");
        let [from, to] = [number, number + 1].map(|k| f64::from(k) / f64::from(arguments.frames));
        let going: Vec<usize> = (0..staged.movers.len()).filter(|&mover| !blocked[mover]).collect();
        if going.is_empty() {
            break;
        }
        let moves = going.iter().map(|&mover| staged.movers[mover].clip(from, to)).collect();
        let start = clock.now();
        let mut budget = Budget::UNLIMITED;
        if let Some(steps) = arguments.steps {
            budget = budget.steps(steps);
        }
        if let Some(time) = arguments.budget {
            budget = budget.until(start + time, &clock);
        }
        let options = StepOptions {
            mode: arguments.mode.into(),
            fallback: arguments.fallback.into(),
            cut: Cut::InOrder,
            budget,
            ..Default::default()
        };
        let step = staged.world.step(moves, &options)?;
        let micros = (clock.now() - start).as_secs_f64() * 1e6;
        let mut groups = Vec::new();
        for (&mover, outcome) in going.iter().zip(&step.outcomes) {
            blocked[mover] = outcome.free_until < 1.0;
            let by = outcome.first.and_then(|first| Hit::new(&staged.world, &step.answers[first]));
            groups.push(Group {
                name: staged.movers[mover].name().to_owned(),
                free_until: outcome.free_until,
                by,
            });
        }
        let met = arguments.budget.is_none_or(|time| micros <= time.as_secs_f64() * 1e6);
        recording.frames.push(Frame::new(number, from, &staged.world, groups, &step, micros, met));
    }
    ensure!(!recording.frames.is_empty(), "nothing was played");
    Ok(recording)
}

fn text(recording: &Recording, arguments: &Arguments, seconds: f64) -> String {
    let mut table = Table::new(
        0,
        [
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
        ],
    );
    for frame in &recording.frames {
        let StepStats { moved, candidates, tested, asleep, cut_short, steps, .. } = frame.stats();
        let blocked: Vec<&str> = frame
            .groups
            .iter()
            .filter(|group| group.free_until < 1.0)
            .map(|group| group.name.as_str())
            .collect();
        table.row([
            frame.number.to_string(),
            short(frame.time * seconds),
            moved.to_string(),
            candidates.to_string(),
            tested.to_string(),
            asleep.to_string(),
            cut_short.to_string(),
            steps.to_string(),
            format!("{:.0}", frame.micros),
            if arguments.budget.is_none() {
                "-"
            } else if frame.budget_met {
                "met"
            } else {
                "missed"
            }
            .to_owned(),
            if blocked.is_empty() { "free".to_owned() } else { format!("{} blocked", blocked.join(", ")) },
        ]);
    }
    let mut text = format!("{table}\n");
    for (frame, group) in recording.blocks() {
        let time = (frame.time + group.free_until / f64::from(recording.frame_count)) * seconds;
        let by = group.by.as_ref().map_or("its budget".to_owned(), |hit| {
            let other = if hit.a == group.name { &hit.b } else { &hit.a };
            format!("{other} ({} and {}, {})", hit.a, hit.b, hit.impact)
        });
        text += &format!("{} stops at {} s of {} s: {by}\n", group.name, short(time), short(seconds));
    }
    if recording.blocks().next().is_none() {
        text += "Everything reached its end.\n";
    }
    text
}
