//! `noli check`: relations between the bodies of an assembly.

mod clashes;
mod health;
mod report;

pub(crate) use clashes::{parse as parse_results, read as read_results};

use crate::Verdict;
use crate::certificate::{self, Writer};
use crate::limits::{Limits, Running};
use crate::output::{self, Progress};
use crate::quantity::{self, Length};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use noli::penetration::{PenetrationQuery, VolumeQuery};
use noli::world::{BodySelector, CheckOptions, CheckResult, Finding, Pattern};
use noli::{Budget, World};
use noli_certificate::WorldStatements;
use noli_formats::{CadReader, ReadOptions, Units};
use noli_pages::{CheckPage, Up};
use noli_project::report::{CheckReport, MethodReport, ReportOptions};
use noli_project::{
    Body, CloudOptions, OpenOptions, Shape, Source, StageOptions, Staged, TakeAs, open_bundled, open_paths,
    stage,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Find bodies that touch, intersect or contain each other, and the clearance of the others.
///
/// Every object of a file is a body: OBJ objects or groups, glTF and COLLADA nodes, 3MF components, DXF layers. A scene, a folder or one
/// file is an assembly: all its bodies are compared. With several files or folders, the bodies of each are
/// compared with those of the others (and --within compares all). A single mesh is examined by itself: closed,
/// consistently oriented, free of self-intersections.
#[derive(clap::Args)]
pub struct Arguments {
    /// A scene (TOML), mesh files (OBJ, STL, PLY, OFF, glTF, 3MF, COLLADA, DXF; also packed as .gz), CAD files (STEP; IFC with
    /// a kernel installed) or folders of them.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check a bundled scene instead of files; `noli scenes list` shows all.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "engine-bay", conflicts_with = "paths")]
    demo: Option<String>,
    /// With --demo: mesh resolution of the generated assembly (2); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    detail: Option<u32>,
    /// Interpret meshes as surfaces or as the solids they bound. `auto` takes closed, consistently oriented meshes
    /// as solids and reports it. A scene's own setting for a body takes precedence.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto)]
    kind: Kind,
    /// Bodies within this distance count as hits, in the unit of the files or the scene, or with its own, such as 2mm.
    /// Replaces the margin of a scene, but not those of its single pairs.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length, allow_hyphen_values = true)]
    margin: Option<Length>,
    /// Allowed penetration depth: pairs proven no deeper are listed and counted as within tolerance, not as hits.
    /// In the unit of the files or the scene; replaces the tolerance of a scene, but not those of its single pairs.
    /// By default 0 for meshes and for pairs decided on curved surfaces, and the tessellation error of other STEP and IFC bodies.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length, allow_hyphen_values = true)]
    tolerance: Option<Length>,
    /// Bodies that only touch: `report` counts them as hits, `ignore` does not.
    #[arg(long, value_enum, default_value_t = Touching::Report)]
    touching: Touching,
    /// Report on intersecting faces: their number, the number and every segment (for --json), one point, or
    /// nothing.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Intersections::Count)]
    intersections: Intersections,
    /// Only pairs with a body that matches PATTERN, or `A,B`: pairs of an A with a B. `*` matches any
    /// characters. Repeatable.
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Leave out such pairs; written like --only. Repeatable.
    #[arg(long, value_name = "PATTERN")]
    skip: Vec<String>,
    /// Clashes by design: such pairs are found, listed and counted, but not as hits; written like --only.
    /// Repeatable.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Write a certificate of all pairs, separated or in collision: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Keep the statuses of clashes (new, active, reviewed, approved, resolved), notes and groups in this file from
    /// one check to the next. Approved clashes are not hits while they stay unchanged.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Report clashes as new, persisting or gone since an earlier check: its --results, or its --json.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Grouping of clashes: `body`, by the body that most have in common; `near:LENGTH`, by position; `each`, none.
    #[arg(long, value_name = "HOW", default_value = "body", value_parser = clashes::grouping)]
    group: clashes::GroupBy,
    /// Compare the bodies of one file or folder with each other even when there are several.
    #[arg(long)]
    within: bool,
    /// List every pair with its clearance, including distant ones.
    #[arg(long)]
    all: bool,
    /// Rows of the table at most; reports are always complete.
    #[arg(long, value_name = "N", default_value_t = 60)]
    rows: usize,
    /// Merge vertices with equal coordinates (always done for STL, glTF and DXF), so that seams do not count
    /// as borders. With a length, as in --weld=1e-6, also vertices within that distance; edges closed by it
    /// are reported.
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = quantity::length)]
    weld: Option<Length>,
    /// Make bodies of the parts of a file that share no edge, for files without objects (STL, PLY, OFF).
    #[arg(long, value_name = "INTO", value_enum)]
    split: Option<Split>,
    /// Unit of lengths of mesh files whose format defines none. Those that define theirs (glTF, COLLADA, 3MF, STEP, IFC)
    /// are converted to it. A scene has its own.
    #[arg(long, value_name = "UNIT", value_parser = units, conflicts_with = "demo")]
    units: Option<Units>,
    /// Leave out files of a folder that look like 3D models but cannot be read (FBX, USD, ...), with a warning.
    /// They are an error otherwise.
    #[arg(long)]
    leave_out: bool,
    /// Narrow the brackets of penetration depth and common volume; may take seconds for each pair.
    #[arg(long)]
    exact: bool,
    /// Give up on a question after so many steps; the pair is then undecided.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    #[command(flatten)]
    limits: Limits,
    /// Also write the clashes as BCF, a topic for each group with both bodies, a camera and a picture: for programs that
    /// coordinate buildings.
    #[arg(long, value_name = "FILE")]
    bcf: Option<PathBuf>,
    /// The version of BCF.
    #[arg(long, value_enum, default_value_t = BcfChoice::V2_1, requires = "bcf")]
    bcf_version: BcfChoice,
    /// Maximum chordal deviation of the triangles of STEP and IFC files from their true surfaces, in millimetres or with a
    /// unit (0.1).
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, conflicts_with = "demo")]
    chord: Option<Length>,
    /// Radius of the points of point clouds (PCD, PLY without faces, XYZ, NPY, depth cameras), in the unit of the files or with
    /// its own. A scene has it for each.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, conflicts_with = "demo")]
    radius: Option<Length>,
    /// Thin point clouds: every removed point lies within this distance of a kept one, and it is added to the radius.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::positive_length, requires = "radius")]
    thin: Option<Length>,
    /// Reader of STEP files: `own` keeps the curved surfaces and decides pairs on them, `kernel` triangulates the file by an
    /// installed OpenCASCADE, `auto` uses the kernel for files that the own reader does not read as a whole.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = CadChoice::Auto, conflicts_with = "demo")]
    cad_reader: CadChoice,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Print comma-separated values instead of the table, or write them to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<PathBuf>,
    /// Also write a page with the table and a 3D view, for any browser, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Surface,
    Solid,
    Auto,
}

impl From<Kind> for TakeAs {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Surface => Self::Surface,
            Kind::Solid => Self::Solid,
            Kind::Auto => Self::Auto,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Touching {
    Report,
    Ignore,
}

/// Readers of STEP files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CadChoice {
    Auto,
    Own,
    Kernel,
}

impl From<CadChoice> for CadReader {
    fn from(choice: CadChoice) -> Self {
        match choice {
            CadChoice::Auto => Self::Auto,
            CadChoice::Own => Self::Own,
            CadChoice::Kernel => Self::Kernel,
        }
    }
}

/// Versions of BCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BcfChoice {
    #[value(name = "2.1")]
    V2_1,
    #[value(name = "3.0")]
    V3_0,
}

/// Units into which files are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Split {
    /// The objects that they name, as always.
    Objects,
    /// The parts of each object that share no edge.
    Shells,
}

pub(crate) fn units(text: &str) -> Result<Units, String> {
    let signs = || Units::ALL.map(Units::sign).join(", ");
    let found = Units::ALL.into_iter().find(|unit| unit.sign() == text);
    found.ok_or_else(|| format!("a unit is one of {}", signs()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Intersections {
    Count,
    All,
    First,
    None,
}

impl Arguments {
    /// Returns the number of segments requested for each pair.
    fn segments(&self) -> usize {
        match self.intersections {
            Intersections::All => usize::MAX,
            Intersections::First => 1,
            Intersections::Count | Intersections::None => 0,
        }
    }

    /// Returns the query options for every pair.
    fn question<'b>(&self, budget: Budget<'b>) -> CheckOptions<'b> {
        let is_drawn = self.html.is_some() || self.bcf.is_some();
        let drawn = if is_drawn { noli_pages::MOST_SEGMENTS } else { 0 };
        CheckOptions {
            far: self.all,
            count: matches!(self.intersections, Intersections::Count | Intersections::All),
            place: self.intersections != Intersections::None || is_drawn,
            keep: self.segments().max(drawn),
            penetration: Some(if self.exact { PenetrationQuery::THOROUGH } else { PenetrationQuery::FAST }),
            volume: Some(if self.exact { VolumeQuery::THOROUGH } else { VolumeQuery::FAST }),
            budget,
            ..Default::default()
        }
    }
}

/// Most pairs whose clearances are computed although all are separated by their boxes.
const FEW_PAIRS: usize = 1000;

/// Query and findings, the worst first.
struct Checked<'a> {
    arguments: &'a Arguments,
    staged: Staged,
    result: CheckResult,
    /// The same for programs; its pairs are the findings, in order.
    report: CheckReport,
    /// Up axis in pictures.
    up: Up,
    took: Duration,
}

/// A published method that decides the pairs of a check in place of the engine. Takes the method that the scene names.
pub type Decide<'a> =
    dyn Fn(Option<&str>, &Staged, Budget<'_>, &mut [Finding]) -> Result<Option<MethodReport>> + Sync + 'a;

/// Compares the bodies of the source and delivers the reports.
pub fn run(arguments: &Arguments, decide: Option<&Decide<'_>>) -> Result<Verdict> {
    let both = to_stdout(&arguments.json) && to_stdout(&arguments.csv);
    ensure!(!both, "JSON and CSV cannot both be printed; write one of them to a file, as in --csv=pairs.csv");
    crate::on_threads(arguments.threads, || {
        let (start, running) = (Instant::now(), arguments.limits.start()?);
        let budget = running.budget(arguments.steps);
        let (source, mut staged) = open(arguments)?;
        let Arguments { json, csv, html, results, bcf, certificate, .. } = arguments;
        let outputs = [json, csv, html, results, bcf, certificate].into_iter().flatten();
        output::refuse_inputs(outputs, &source.inputs)?;
        certificate::refuse_tessellated_scene(certificate.as_ref(), &staged)?;
        let known = clashes::Known::read(arguments)?;
        if let Some(health) = health::of(arguments, &source, &staged, budget) {
            return health::deliver(&health?, &staged, arguments);
        }
        // Several files are several assemblies, which are held against each other.
        let across = source.is_files && source.scene.scene.groups.len() > 1 && !arguments.within;
        choose_pairs((arguments, source.units), across, &mut staged.world)?;
        let asked =
            staged.pairs_asked().inspect_err(|_| warn(&staged)).with_context(|| source.title.clone())?;
        let checked = check((arguments, decide), (&source, &known), staged, (start, &running))?;
        deliver(&checked)?;
        known.keep(&checked)?;
        if let Some(path) = certificate {
            let found = WorldStatements::at_rest(&checked.staged.world, &checked.result)?;
            Writer::of_world(found, source.units, &source.inputs, Vec::new())?.write_proven(path)?;
        }
        Ok(Verdict::new(checked.report.outcome, asked))
    })
}

fn to_stdout(target: &Option<PathBuf>) -> bool {
    target.as_deref() == Some(Path::new("-"))
}

/// Writes the requested reports, and the table unless one of them replaces it.
fn deliver(checked: &Checked<'_>) -> Result<()> {
    let Arguments { json, csv, html, .. } = checked.arguments;
    // First what is printed: it must not be lost where a file cannot be written.
    if ![json, csv].into_iter().any(to_stdout) {
        report::print(checked)?;
    }
    if let Some(target) = json {
        output::deliver(target, &output::report_json("check", &checked.report)?)?;
    }
    if let Some(target) = csv {
        output::deliver(target, &checked.report.csv())?;
    }
    if let Some(path) = html {
        let Checked { staged, result, report, up, .. } = checked;
        let summary = report::summary(checked);
        let page = CheckPage { staged, result, report, summary: summary.trim(), up: *up };
        let page = noli_pages::check_page(&page).context("cannot write the page")?;
        output::write_file(path, page.html().as_bytes())?;
    }
    Ok(())
}

/// Prints the warnings of the files, if no report with them follows.
fn warn(staged: &Staged) {
    output::warn_all(&staged.warnings);
}

/// The scene that was named, and its world.
fn open(arguments: &Arguments) -> Result<(Source, Staged)> {
    let source = match &arguments.demo {
        Some(name) => open_bundled(name, arguments.detail.unwrap_or(2))?,
        None => {
            crate::refuse_detail(arguments.detail)?;
            let weld = arguments.weld.map(|weld| weld.of("--weld", arguments.units)).transpose()?;
            let read = ReadOptions {
                weld: weld.map(|_| true),
                weld_within: weld.filter(|&within| within > 0.0),
                shells: arguments.split == Some(Split::Shells),
                chord_mm: Some(arguments.chord.unwrap_or(Length::plain(0.1)).of_unit(Units::Millimetre)),
                cad: arguments.cad_reader.into(),
            };
            let own = |option: &str, length: Option<Length>| {
                length.map(|length| length.of(option, arguments.units)).transpose()
            };
            let cloud = CloudOptions {
                radius: own("--radius", arguments.radius)?,
                thin: own("--thin", arguments.thin)?,
                ..CloudOptions::default()
            };
            let (bar, Arguments { units, leave_out, .. }) = (Progress::default(), arguments);
            let progress = bar.of("reading files");
            let options =
                OpenOptions { read, cloud, units: *units, leave_out: *leave_out, progress: Some(&progress) };
            open_paths(&arguments.paths, &options)?
        }
    };
    let is_cad = |path: &PathBuf| noli_formats::Kernel::of(path).is_some();
    ensure!(
        arguments.chord.is_none() || source.inputs.iter().any(is_cad),
        "--chord is about STEP and IFC files, and none was read"
    );
    let is_cloud = |body: &Body| matches!(body.shape, Shape::Points { .. });
    ensure!(
        arguments.radius.is_none() || source.scene.scene.bodies.iter().any(is_cloud),
        "--radius is about point clouds, and none was read"
    );
    let is_step = |path: &PathBuf| noli_formats::Kernel::of(path) == Some(noli_formats::Kernel::OpenCascade);
    ensure!(
        arguments.cad_reader == CadChoice::Auto || source.inputs.iter().any(is_step),
        "--cad-reader is about STEP files, and none was read"
    );
    let bar = Progress::default();
    let progress = bar.of("preparing models");
    let options = StageOptions { take_as: arguments.kind.into(), progress: Some(&progress) };
    let mut staged = stage(&source.scene, &options)?;
    if !source.scene.motions.is_empty() {
        let text = "`check` tests bodies at their start poses; motions are not followed";
        staged.warnings.insert(source.scene.warnings.len(), format!("{}: {text}", source.title));
    }
    Ok((source, staged))
}

fn check<'a>(
    (arguments, decide): (&'a Arguments, Option<&Decide<'_>>),
    (source, known): (&Source, &clashes::Known),
    staged: Staged,
    (start, running): (Instant, &Running),
) -> Result<Checked<'a>> {
    let (total, budget) = (staged.world.pair_count(), running.budget(arguments.steps));
    let ask = |far: bool| {
        let (bar, question) = (Progress::default(), arguments.question(budget));
        let progress = bar.of("comparing pairs");
        staged.world.check(&CheckOptions { far: far || question.far, progress: Some(&progress), ..question })
    };
    let mut result = ask(false)?;
    if result.findings.is_empty() && total <= FEW_PAIRS {
        // Nothing is near anything: the clearances are then the answer.
        result = ask(true)?;
    }
    // Copies at one place come first: they are mostly a mistake of another kind.
    let is_copy = |finding: &Finding| finding.status.meets() && staged.is_duplicate(finding.pair);
    result.findings.sort_by_cached_key(|finding| !is_copy(finding));
    let named = source.scene.scene.check.method.as_ref().map(|method| method.name.clone());
    let decided = match decide {
        Some(decide) => decide(named.as_deref(), &staged, budget, &mut result.findings)?,
        None => None,
    };
    let options = ReportOptions {
        source: &source.title,
        units: source.units,
        touching_counts: arguments.touching == Touching::Report,
        segments: arguments.segments(),
        budget,
    };
    let mut report = CheckReport::new(&staged, &result, &options);
    if let (None, Some(named)) = (decide, named) {
        report.warnings.push(format!("{}: `noli-lab check` compares pairs by {named}", source.title));
    }
    report.method = decided;
    known.settle(&mut report, arguments, source, (&staged, budget))?;
    if let Some(limit) = running.reached() {
        report.warnings.push(format!("{limit} was reached: pairs not finished by then are undecided"));
    }
    let up = Up::of_files(&source.inputs);
    Ok(Checked { arguments, staged, result, report, up, took: start.elapsed() })
}

/// Applies the command line's pair options to the world.
fn choose_pairs(
    (arguments, units): (&Arguments, Option<Units>),
    across: bool,
    world: &mut World,
) -> Result<()> {
    let named = |pair: [Pattern; 2]| pair.map(BodySelector::Named);
    let pairs = |texts: &[String], world: &World| -> Result<Vec<[BodySelector; 2]>> {
        texts.iter().map(|text| Ok(named(pair_of(text, world)?))).collect()
    };
    let (skip, only) = (pairs(&arguments.skip, world)?, pairs(&arguments.only, world)?);
    let rules = world.rules_mut();
    if let Some(margin) = arguments.margin {
        rules.set_default_margin(margin.of("--margin", units)?);
    }
    if !only.is_empty() {
        rules.keep_only(only);
    }
    skip.into_iter().for_each(|pair| rules.set(pair, false));
    if across {
        rules.set_within_groups(false);
    }
    Ok(())
}

/// Parses `A` as all pairs of the matching bodies, `A,B` as those of A with those of B. A pattern without a
/// matching body is an error: a mistyped name must not make a check pass.
fn pair_of(text: &str, world: &World) -> Result<[Pattern; 2]> {
    let names = || world.bodies().map(|(_, body)| body.name());
    let fits = |pattern: &str| names().any(|name| Pattern::new(pattern).matches(name));
    // A comma may be part of a name.
    let (a, b) = if fits(text) { (text, "*") } else { text.split_once(',').unwrap_or((text, "*")) };
    for pattern in [a, b].map(str::trim) {
        let some: Vec<&str> = names().take(5).collect();
        // Names of assemblies and buildings are paths.
        let wider = format!("*{}*", pattern.trim_matches('*'));
        let hint = if fits(&wider) { format!(" ({wider:?} fits some)") } else { String::new() };
        ensure!(
            fits(pattern),
            "no body is called {pattern:?}{hint}; use * for any characters, and A,B for a pair; bodies are {}{}",
            some.join(", "),
            if names().count() > 5 { ", ..." } else { "" }
        );
    }
    Ok([a, b].map(|text| Pattern::new(text.trim())))
}
