//! `noli study`: the removals that a scene lists, one after the other, or the disassembly of an assembly.

use crate::Verdict;
use crate::output::{self, Progress, Table, plural, short};
use anyhow::{Context, Result, bail, ensure};
use noli::query::{Clock, SteadyClock};
use noli::world::{BodyId, BodySelector, Move, Pattern};
use noli_plan::{
    DisassembleOptions, Effort, Removal, RemovalResult, RemoveOptions, RigidSpace, disassemble,
    follow_motion, remove,
};
use noli_project::report::{
    Asked, CurvePoint, DisassemblyReport, ModeReport, RemovalStudy, RemoveReport, RemoveSubject,
    RemoveVerdict, ScenesStudy, SurfaceRemoval,
};
use noli_project::{
    OpenOptions, SceneRemoval, Source, StageOptions, Staged, StagedRemoval, open_bundled, open_paths, stage,
};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// Remove parts from a scene by its [[removal]] tables, or disassemble it.
///
/// Each removal follows its path, or a path is planned; it is proven collision-free at every moment, or the
/// blocking bodies are named. Parts of earlier removals stay removed for a later one that lists them (`after`).
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene (TOML) with [[removal]] tables; for --disassemble also mesh files or a folder.
    #[arg(value_name = "SCENE", required_unless_present = "demo")]
    scene: Option<PathBuf>,
    /// A bundled scene or assembly instead of a file.
    #[arg(long, value_name = "NAME", conflicts_with = "scene")]
    demo: Option<String>,
    /// With --demo: how finely the assembly is meshed (1); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    detail: Option<u32>,
    /// Disassemble the whole assembly: the removal order of its parts, and the locked ones.
    #[arg(long)]
    disassemble: bool,
    /// With --disassemble: the part that stays.
    #[arg(long, value_name = "PART", requires = "disassemble")]
    base: Option<String>,
    /// With --disassemble: parts that come out before others where they can, such as "bolt*". Repeatable.
    #[arg(long, value_name = "PATTERN", requires = "disassemble")]
    fasteners: Vec<String>,
    /// Maximum number of motions to prove or refute for one removal: 60000, or 3000 for each part with
    /// --disassemble.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Seed of the random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Total time limit, such as 20s.
    #[arg(long, value_name = "TIME", default_value = "300s", value_parser = crate::quantity::duration)]
    time: Duration,
    /// Number of frames in which paths are replayed with other test methods.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: u32,
    /// Write the order of a disassembly as a graph (DOT).
    #[arg(long, value_name = "FILE", requires = "disassemble")]
    graph: Option<PathBuf>,
    /// Number of threads; the result does not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    crate::on_threads(arguments.threads, || {
        let source = match (&arguments.scene, &arguments.demo) {
            (Some(path), _) => {
                crate::refuse_detail(arguments.detail)?;
                open_paths(std::slice::from_ref(path), &OpenOptions::default())?
            }
            (None, Some(name)) => open_bundled(name, arguments.detail.unwrap_or(1))?,
            (None, None) => bail!("name a scene, or --demo NAME"),
        };
        let staged = stage(&source.scene, &StageOptions::default()).with_context(|| source.title.clone())?;
        if arguments.disassemble {
            take_apart(arguments, &source, &staged)
        } else {
            study(arguments, &source, staged)
        }
    })
}

fn study(arguments: &Arguments, source: &Source, mut staged: Staged) -> Result<Verdict> {
    let removals = std::mem::take(&mut staged.removals);
    ensure!(
        !removals.is_empty(),
        "{}: the scene lists no removals; add [[removal]] tables, or ask for --disassemble or `noli remove`",
        source.title
    );
    let clock = SteadyClock::start();
    let progress = Progress::new(removals.len());
    let mut taken: HashMap<String, Vec<BodyId>> = HashMap::new();
    let mut study = ScenesStudy { scene: source.title.clone(), units: source.units, removals: Vec::new() };
    let mut asked = 0;
    for removal in &removals {
        progress.step(&removal.removal.name);
        let (report, pairs) = one(arguments, (source, &mut staged), removal, &mut taken, &clock)?;
        study.removals.push(report);
        asked += pairs;
    }
    let asked = Asked::new(asked).with_context(|| format!("{}: nothing blocks any removal", source.title))?;
    drop(progress);
    if arguments.json {
        output::print_report("study", &study)?;
    } else {
        output::warn_all(&staged.warnings);
        output::print(&text(&study))?;
    }
    Ok(Verdict::new(study.outcome(), asked))
}

/// Bodies of a removal.
struct Parts {
    moving: Vec<BodyId>,
    /// Bodies that are out before.
    without: Vec<BodyId>,
    /// Removals before it that failed.
    needed: Vec<String>,
}

impl Parts {
    fn of(removal: &SceneRemoval, staged: &Staged, taken: &HashMap<String, Vec<BodyId>>) -> Result<Self> {
        let bodies_of = |name: &String| crate::remove::bodies_of(&staged.world, name);
        let all = |names: &[String]| names.iter().map(bodies_of).collect::<Result<Vec<_>>>();
        let mut moving = [vec![bodies_of(&removal.part)?], all(&removal.with)?].concat().concat();
        let mut without = all(&removal.without)?.concat();
        let mut needed: Vec<String> = Vec::new();
        for name in &removal.after {
            match taken.get(name) {
                Some(parts) => without.extend(parts),
                None => needed.push(name.clone()),
            }
        }
        moving.retain(|id| !without.contains(id));
        ensure!(!moving.is_empty(), "removal `{}`: its parts are out already", removal.name);
        Ok(Self { moving, without, needed })
    }
}

fn one(
    arguments: &Arguments,
    (source, staged): (&Source, &mut Staged),
    StagedRemoval { removal, moving: given }: &StagedRemoval,
    taken: &mut HashMap<String, Vec<BodyId>>,
    clock: &SteadyClock,
) -> Result<(RemovalStudy, usize)> {
    let begun = clock.now();
    let Parts { moving, without, needed } = Parts::of(removal, staged, taken)?;
    // The last part of a sequence has nothing left to meet.
    let asked = staged.pairs_removed(&moving, &without).map_or(0, Asked::count);
    let rules = staged.world.rules().clone();
    if let Some(margin) = removal.margin {
        for &id in &moving {
            staged.world.rules_mut().set_margin([BodySelector::Body(id), BodySelector::Anyone], margin);
        }
    }
    let space = RigidSpace::new(&staged.world, &moving, &without)?.with_exit_distance(removal.exit_distance);
    let groups: [&[BodyId]; 2] = [&moving, &without];
    let found = if needed.is_empty() {
        search(arguments, (staged, &space), (removal, given.as_ref()), groups, clock)?
    } else {
        let none = Removal { found: RemovalResult::Nothing, pulls: Vec::new(), turns: Vec::new(), steps: 0 };
        SurfaceRemoval::on_triangles(staged, none)
    };
    *staged.world.rules_mut() = rules;
    let parts: Vec<String> = moving.iter().map(|&id| staged.name(id).to_owned()).collect();
    let gone: Vec<String> = without.iter().map(|&id| staged.name(id).to_owned()).collect();
    let subject = RemoveSubject {
        scene: &source.title,
        units: source.units,
        parts: &parts,
        without: &gone,
        seed: arguments.seed,
        tessellation: found.tessellation,
    };
    let mut report = RemoveReport::new(&subject, &space, &found.removal);
    if !needed.is_empty() {
        report.how = format!("not tried: {} did not come out before", needed.join(", "));
    }
    report.seconds = Some(clock.now().saturating_sub(begun).as_secs_f64());
    let (mut modes, mut curve, mut insertion) = (Vec::new(), Vec::new(), None);
    if let RemovalResult::Path(path) = &found.removal.found {
        modes = space.replay(path, arguments.frames).into_iter().map(ModeReport::from).collect();
        let samples = staged.removal_clearances(&space, path, groups, 40);
        curve = samples.into_iter().map(CurvePoint::from).collect();
        let back: Vec<noli::Pose> = path.poses.iter().rev().copied().collect();
        // The surfaces are proven apart at all times, whichever way they pass.
        insertion = Some(found.is_proven || space.prove_path_back(&back));
        taken.insert(removal.name.clone(), moving);
    }
    Ok((
        RemovalStudy { name: removal.name.clone(), report, insertion_proven: insertion, modes, curve },
        asked,
    ))
}

/// Follows the path that is given, or searches one, and decides it on curved surfaces where these are known.
fn search(
    arguments: &Arguments,
    (staged, space): (&Staged, &RigidSpace),
    (removal, given): (&SceneRemoval, Option<&Move>),
    [moving, without]: [&[BodyId]; 2],
    clock: &SteadyClock,
) -> Result<SurfaceRemoval> {
    let Some(given) = given else {
        let stop = || clock.now() >= arguments.time;
        let steps = arguments.steps.unwrap_or(60_000);
        let effort = Effort { steps, seed: arguments.seed, stop: &stop, ..Default::default() };
        let found = remove(space, &RemoveOptions { effort, ..Default::default() });
        return Ok(staged.removal_on_surfaces(found, [moving, without], removal.exit_distance));
    };
    let leader = given.parts().find(|(id, _)| moving.first() == Some(id)).map(|(_, motion)| motion.clone());
    let motion = leader.with_context(|| format!("removal `{}` has no path for its part", removal.name))?;
    Ok(staged.given_removal_on_surfaces(follow_motion(space, &motion), given, [moving, without]))
}

fn take_apart(arguments: &Arguments, source: &Source, staged: &Staged) -> Result<Verdict> {
    let asked = staged.pairs_asked().with_context(|| source.title.clone())?;
    let clock = SteadyClock::start();
    let stop = || clock.now() >= arguments.time;
    let mut options = DisassembleOptions::default();
    let steps = arguments.steps.unwrap_or(options.remove.effort.steps);
    options.remove.effort = Effort { steps, seed: arguments.seed, stop: &stop, ..options.remove.effort };
    if let Some(base) = &arguments.base {
        options.base = crate::remove::bodies_of(&staged.world, base)?.first().copied();
    }
    let first: Vec<BodyId> = fasteners(arguments, staged)?;
    let progress = Progress::default();
    let watch = |what: &str, done: usize, of: usize| progress.tell(what, done, of);
    let found = disassemble(&staged.world, &DisassembleOptions { first: &first, watch: &watch, ..options })?;
    drop(progress);
    let mut report = DisassemblyReport::new(&source.title, source.units, &staged.world, &found);
    report.seconds = clock.now().as_secs_f64();
    if let Some(path) = &arguments.graph {
        output::write_file(path, report.dot().as_bytes())?;
    }
    if arguments.json {
        output::print_report("disassembly", &report)?;
    } else {
        output::print(&separated_text(&report))?;
    }
    Ok(Verdict::new(report.outcome(), asked))
}

/// The parts whose names fit the patterns of fasteners.
fn fasteners(arguments: &Arguments, staged: &Staged) -> Result<Vec<BodyId>> {
    let mut all = Vec::new();
    for pattern in &arguments.fasteners {
        let fits = Pattern::new(pattern.as_str());
        let before = all.len();
        all.extend(staged.world.bodies().filter(|(_, body)| fits.matches(body.name())).map(|(id, _)| id));
        ensure!(all.len() > before, "--fasteners `{pattern}`: no part has such a name");
    }
    Ok(all)
}

fn text(study: &ScenesStudy) -> String {
    let unit = study.units.map_or("", |units| units.sign());
    let mut text = format!("Removal study: {}; lengths in {unit}\n\n", study.scene);
    let header = ["removal", "part", "verdict", "path", "turned", "clearance at least", "seconds"];
    let mut table = Table::new(3, header);
    for removal in &study.removals {
        let report = &removal.report;
        let verdict = match report.verdict {
            RemoveVerdict::Found => "free, proven",
            RemoveVerdict::Blocked => "blocked, proven",
            RemoveVerdict::NotFound => "not found",
        };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), short);
        table.row([
            removal.name.clone(),
            report.part.clone(),
            verdict.to_owned(),
            number(report.length),
            report.turned_rad.map_or("-".to_owned(), |turned| format!("{:.0}°", turned.to_degrees())),
            number(report.clearance.map(|clearance| clearance.at_least)),
            report.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")),
        ]);
    }
    text += &table.to_string();
    for removal in &study.removals {
        let report = &removal.report;
        let _ = writeln!(text, "\n{}: {}", removal.name, report.how);
        if !report.without.is_empty() {
            let _ = writeln!(text, "  out before: {}", report.without.join(", "));
        }
        if !report.blocked_by.is_empty() {
            let _ = writeln!(text, "  blocking: {}", report.blocked_by.join(", "));
        }
        if let Some(tightest) = &report.tightest {
            let _ = writeln!(
                text,
                "  tightest to {}, after {:.0} % of the path",
                tightest.to,
                100.0 * tightest.time
            );
        }
        if let Some(proven) = removal.insertion_proven {
            let word = if proven { "proven free too" } else { "not proven" };
            let _ = writeln!(text, "  insertion along the same path: {word}");
        }
        if !removal.modes.is_empty() {
            let mut table = Table::new(1, ["  tested", "says", "until", "frames"]);
            for mode in &removal.modes {
                let says = if mode.free { "free" } else { "blocked" };
                let until = format!("{:.1} %", 100.0 * mode.free_until);
                table.row([format!("  {}", mode.mode), says.to_owned(), until, mode.frames.to_string()]);
            }
            text += &table.to_string();
        }
    }
    text + "\nWhat is proven holds at every moment of the path, not only at the rows of the tables.\n"
}

fn separated_text(report: &DisassemblyReport) -> String {
    let mut text = format!("Disassembly: {}\n\n", report.scene);
    let mut table = Table::new(4, ["step", "of", "parts", "after", "path", "clearance at least"]);
    for (number, step) in report.steps.iter().enumerate() {
        let after = if step.after.is_empty() { "-".to_owned() } else { step.after.join(", ") };
        table.row([
            (number + 1).to_string(),
            step.of.map_or("-".to_owned(), |of| format!("step {of}")),
            step.parts.join(", "),
            after,
            format!("{} ({})", short(step.length), step.how),
            short(step.clearance_at_least),
        ]);
    }
    text += &table.wrapped(2..4).to_string();
    for locked in &report.locked {
        let _ = writeln!(text, "locked: {} and {}: {}", locked.pair[0], locked.pair[1], locked.why);
    }
    let left: Vec<String> = report.left.iter().map(|unit| unit.join(" + ")).collect();
    let word = match (report.complete, report.stopped) {
        (true, _) => "left at the end",
        (false, true) => "left when time ran out",
        (false, false) => "left, no path was found for these",
    };
    let _ = writeln!(text, "{word}: {}", left.join("; "));
    let _ = writeln!(text, "{} in {:.2} s", plural(report.steps.len(), "step", "steps"), report.seconds);
    text
}
