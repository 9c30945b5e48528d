//! `noli verify`: check a certificate and print what it claims.

mod page;

use crate::limits::TimeLimit;
use crate::output::{self, plural, short};
use anyhow::{Context, Result};
use noli_certificate::{Contents, Region, Statement};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Check a certificate and print what it claims, of which files and pairs, and what it assumes.
///
/// The check is that of `noli-verify`, which shares no code with the prover. Exit code 0: valid; 1: invalid; 2: unreadable.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The certificate.
    file: PathBuf,
    /// Compare the source files in this folder with those that the certificate names.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Compare the links, joints, limits and collision shapes of a robot (URDF) with those of the certificate.
    #[arg(long, value_name = "FILE")]
    urdf: Option<PathBuf>,
    /// Write a page for people who sign off.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Number of threads; by default one for each CPU.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: TimeLimit,
}

/// Conditions under which a claim says something about the real thing.
const ASSUMED: [&str; 5] = [
    "bodies are rigid, and the shapes given describe them exactly",
    "links and joints are as given: lengths, axes and mountings without error",
    "a robot follows its path exactly; a padding covers tracking errors up to its size",
    "disabled pairs are harmless: nothing is claimed about them",
    "the numbers of the certificate came from the files it names",
];
const NOT: &str = "This is evidence about a model. It is no safety function, and no statement about bodies, configurations or times that \
                   are not listed.";

#[derive(Serialize)]
struct Report {
    file: PathBuf,
    /// SHA-256 of the certificate as a file.
    sha256: String,
    bytes: usize,
    verdict: &'static str,
    error: Option<ErrorReport>,
    checker: &'static str,
    generator: String,
    units: String,
    /// Proven lower bound of the distance of all pairs of all statements of separation.
    clearance_at_least: Option<f64>,
    statements: Vec<StatementReport>,
    sources: Vec<SourceReport>,
    /// The words of the file that no proof covers.
    not_covered: &'static str,
    /// `bound`, or `bound in part`, if a description of the robot was given.
    urdf: Option<&'static str>,
    /// Parts that were not compared with the description of the robot.
    not_compared: Vec<String>,
    assumed: [&'static str; 5],
    not: &'static str,
}

#[derive(Serialize)]
struct ErrorReport {
    code: String,
    item: Option<usize>,
    message: String,
}

#[derive(Serialize)]
struct StatementReport {
    /// Words that the proof does not cover.
    title: String,
    claim: &'static str,
    /// The configurations that it holds for, with every range that is not shown to be all.
    region: String,
    /// Joints and their ranges or values, of a joint range or a single configuration.
    joints: Vec<JointReport>,
    pairs: Vec<[String; 2]>,
    complete: bool,
    disabled_pairs: Vec<DisabledReport>,
    /// Distance claimed beyond the paddings.
    clearance: f64,
    largest_padding: f64,
    /// Proven lower bound of the distance of all pairs.
    clearance_at_least: Option<f64>,
}

/// A joint, and the lowest and the highest of its values.
#[derive(Serialize)]
struct JointReport {
    name: String,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct DisabledReport {
    bodies: [String; 2],
    reason: String,
}

#[derive(Serialize)]
struct SourceReport {
    name: String,
    role: String,
    sha256: String,
    compared: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    crate::check_threads(arguments.threads)?;
    let time = arguments.limit.start();
    let progress = output::Progress::of_time("verifying");
    let shown = arguments.file.display();
    let inputs: Vec<PathBuf> = [&arguments.file].into_iter().chain(&arguments.urdf).cloned().collect();
    output::refuse_inputs(&arguments.html, &inputs)?;
    let bytes = noli_formats::bytes_of(&arguments.file).map_err(|error| error.in_file(&arguments.file))?;
    let mut options = noli_verify::Options::default().with_threads(arguments.threads);
    if let Some(folder) = &arguments.files {
        options = options.with_files(folder);
    }
    if let Some(urdf) = &arguments.urdf {
        options = options.with_urdf(urdf);
    }
    let checked = noli_verify::check(&bytes, &options);
    if let Some(error) = checked.error.as_ref().filter(|error| error.is_unreadable()) {
        anyhow::bail!("{shown}: {error}");
    }
    let contents = Contents::read(&bytes).with_context(|| shown.to_string())?;
    let report = Report::new(arguments, &bytes, contents, checked);
    drop(progress);
    drop(time);
    if arguments.json {
        output::print_report("verify", &report)?;
    } else {
        output::print(&report.text())?;
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, report.html().as_bytes())?;
    }
    Ok(if report.error.is_none() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl Report {
    fn new(arguments: &Arguments, bytes: &[u8], contents: Contents, checked: noli_verify::Report) -> Self {
        let error = checked.error.as_ref().map(|error| ErrorReport {
            code: error.code.to_string(),
            item: error.item,
            message: error.message.clone(),
        });
        let compared = |name: &str| {
            let found = checked.sources.iter().find(|(other, _)| other == name);
            found.map(|(_, binding)| binding.words().to_owned())
        };
        let hexadecimal = |hash: &[u8; 32]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let source = |source: &noli_certificate::Source| SourceReport {
            name: source.name.clone(),
            role: source.role.clone(),
            sha256: hexadecimal(&source.sha256),
            compared: compared(&source.name),
        };
        let proven = |number: usize| checked.statements.get(number);
        let statements = contents.statements.iter().enumerate();
        let least = checked.statements.iter().filter_map(|statement| statement.clearance_at_least);
        Self {
            file: arguments.file.clone(),
            sha256: hexadecimal(&noli_certificate::Source::new("", "other", bytes).sha256),
            bytes: bytes.len(),
            clearance_at_least: least.reduce(f64::min).filter(|least| least.is_finite()),
            verdict: if error.is_none() { "valid" } else { "invalid" },
            error,
            checker: "noli-verify",
            generator: contents.generator.clone(),
            units: contents.units.clone(),
            statements: statements
                .map(|(number, statement)| described(&contents, statement, proven(number)))
                .collect(),
            sources: contents.sources.iter().map(source).collect(),
            not_covered: noli_verify::NOT_COVERED,
            urdf: checked
                .not_compared
                .as_ref()
                .map(|list| if list.is_empty() { "bound" } else { "bound in part" }),
            not_compared: checked.not_compared.unwrap_or_default(),
            assumed: ASSUMED,
            not: NOT,
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{}: {}", self.file.display(), self.verdict);
        match &self.error {
            Some(error) => {
                let _ = writeln!(text, ": {}: {}", error.code, error.message);
            }
            None => {
                let _ = writeln!(text, ", checked by {}", self.checker);
            }
        }
        let _ = writeln!(text, "sha256 {}, {} bytes", self.sha256, self.bytes);
        if let Some(least) = self.clearance_at_least {
            let _ = writeln!(
                text,
                "smallest distance of all statements: at least {}",
                length(least, &self.units)
            );
        }
        let lead = if self.error.is_none() { "proven" } else { "claimed, not proven" };
        for statement in &self.statements {
            let _ = writeln!(text, "\n{lead}: {}", statement.sentence(&self.units));
            if !statement.title.is_empty() {
                let _ = writeln!(text, "  title, not covered by the proof: {}", statement.title);
            }
            for DisabledReport { bodies: [a, b], reason } in &statement.disabled_pairs {
                let _ = writeln!(text, "  nothing is claimed about {a} and {b}: {reason}");
            }
        }
        if !self.sources.is_empty() {
            text += "\nfiles:\n";
        }
        for source in &self.sources {
            let compared = source.compared.as_ref().map_or(String::new(), |state| format!("  {state}"));
            let _ = writeln!(text, "  {}  sha256 {}{compared}", source.name, source.sha256);
        }
        if let Some(state) = self.urdf {
            let _ = writeln!(text, "\ndescription of the robot: {state}");
            for part in &self.not_compared {
                let _ = writeln!(text, "  not compared: {part}");
            }
        }
        let _ = writeln!(text, "\nnot covered: {}", self.not_covered);
        text += "\nassumed:\n";
        for assumed in self.assumed {
            let _ = writeln!(text, "  {assumed}");
        }
        let _ = writeln!(text, "\n{}", self.not);
        text
    }
}

impl StatementReport {
    fn sentence(&self, units: &str) -> String {
        let all = if self.complete { ", all pairs that are not disabled" } else { "" };
        let padding = match self.largest_padding {
            0.0 => String::new(),
            padding => format!(" and paddings of up to {}", length(padding, units)),
        };
        let beyond = match self.claim {
            "separated" => format!(" by more than {}{padding}", length(self.clearance, units)),
            _ => String::new(),
        };
        let proven = match self.clearance_at_least {
            Some(distance) => format!("; proven distance at least {}", length(distance, units)),
            None => String::new(),
        };
        let pairs = plural(self.pairs.len(), "pair", "pairs");
        format!("{} {}{beyond}: {pairs}{all}{proven}", self.claim, self.region)
    }
}

/// A length with its unit, which files may leave open.
fn length(value: f64, units: &str) -> String {
    let text = short(value);
    if units.is_empty() { text } else { format!("{text} {units}") }
}

fn described(
    contents: &Contents,
    statement: &Statement,
    proven: Option<&noli_verify::StatementReport>,
) -> StatementReport {
    let name = |body: &usize| contents.bodies.get(*body).cloned().unwrap_or_default();
    let names = |pair: &[usize; 2]| pair.each_ref().map(name);
    let padding = |body: &usize| contents.paddings.get(*body).copied().unwrap_or(0.0);
    let disabled = |(pair, reason): &([usize; 2], String)| DisabledReport {
        bodies: names(pair),
        reason: reason.clone(),
    };
    StatementReport {
        title: statement.title.clone(),
        claim: statement.claim.name(),
        region: match &statement.region {
            Region::At(values) if values.is_empty() => "at rest".to_owned(),
            Region::At(_) => "in one configuration".to_owned(),
            Region::Along(all) => {
                format!("at every instant of {}", plural(all.len().saturating_sub(1), "motion", "motions"))
            }
            Region::Curve { pieces, deviation } => {
                let curves = plural(pieces.len(), "curve", "curves");
                match deviation.iter().copied().fold(0.0, f64::max) {
                    0.0 => format!("at every instant of {curves} of the joints"),
                    most => format!("at every instant of {curves} of the joints, each up to {most} off"),
                }
            }
            Region::Box(_) => match proven {
                Some(proven) if proven.over.starts_with("within") => proven.over.clone(),
                Some(proven) => format!("in {}", proven.over),
                None => "in the joint ranges of the file".to_owned(),
            },
        },
        joints: joints(contents, &statement.region),
        pairs: statement.pairs.iter().map(names).collect(),
        complete: statement.complete,
        disabled_pairs: statement.disabled.iter().map(disabled).collect(),
        clearance: statement.clearance,
        largest_padding: statement.pairs.iter().flatten().map(padding).fold(0.0, f64::max),
        clearance_at_least: proven.and_then(|proven| proven.clearance_at_least),
    }
}

/// The joints of a joint range that move by themselves, or the values of one configuration.
fn joints(contents: &Contents, region: &Region) -> Vec<JointReport> {
    let ends: Vec<Option<[f64; 2]>> = match region {
        Region::At(values) => values.iter().map(|value| Some([*value; 2])).collect(),
        Region::Box(ranges) => ranges.clone(),
        Region::Along(_) | Region::Curve { .. } => Vec::new(),
    };
    let named = contents.joints.iter().zip(ends);
    named
        .filter_map(|(name, ends)| ends.map(|[low, high]| JointReport { name: name.clone(), low, high }))
        .collect()
}
