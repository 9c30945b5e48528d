//! `noli robot`: what a robot is, where it collides, which of its links can ever meet, what its programs do.

mod check;
mod ik;
mod info;
mod jog;
mod limits;
mod pairs;
mod plan;
mod run;

use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail};
use clap::{Subcommand, ValueEnum};
use noli_io::report::{Asked, RobotSubject};
use noli_io::{LinkKind, LoadedRobot, RobotOptions, load_robot, load_srdf};
use noli_robot::cell::{Cell, Meeting, ProofOptions, Proved, Rule};
use noli_robot::{DisabledPair, Form, Geometry, PumaSet, Robot, Srdf, puma560};
use std::path::PathBuf;

/// Robots: exact on their true meshes, proven between samples.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Info(info::Arguments),
    Check(check::Arguments),
    Pairs(pairs::Arguments),
    Plan(plan::Arguments),
    Ik(ik::Arguments),
    Limits(limits::Arguments),
    Run(run::Arguments),
    Jog(jog::Arguments),
}

/// Which robot, and how it is taken.
#[derive(clap::Args)]
struct Subject {
    /// A URDF file, or a DH table (TOML).
    #[arg(value_name = "ROBOT", required_unless_present = "demo")]
    robot: Option<PathBuf>,
    /// A PUMA 560 with plain bodies before a wall, instead of a file.
    #[arg(long, conflicts_with = "robot")]
    demo: bool,
    /// Leave out the pairs of links that this file disables. Without it, pairs that a joint joins are left
    /// out.
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// A folder that holds packages, for `package://` names; its own folders are looked through too, and the
    /// folder of the description. Repeatable.
    #[arg(long, value_name = "DIR")]
    packages: Vec<PathBuf>,
    /// What meshes stand for: their faces, or the solid inside them. `auto` takes closed meshes as solids.
    #[arg(long = "as", value_name = "KIND", value_enum, default_value_t = Kind::Auto)]
    kind: Kind,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// One JSON object instead of the table, or beside it into a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Surface,
    Solid,
    Auto,
}

/// A robot that can be asked.
struct Loaded {
    robot: LoadedRobot,
    srdf: Option<Srdf>,
    cell: Cell,
    report: RobotSubject,
    warnings: Vec<String>,
}

impl Subject {
    fn load(&self) -> Result<Loaded> {
        let kind = match self.kind {
            Kind::Surface => LinkKind::Surface,
            Kind::Solid => LinkKind::Solid,
            Kind::Auto => LinkKind::Auto,
        };
        let (robot, source) = match &self.robot {
            Some(path) => {
                let options = RobotOptions { packages: self.packages.clone(), kind };
                (load_robot(path, &options)?, path.display().to_string())
            }
            None => (demo()?, "demo".to_owned()),
        };
        let srdf = self.srdf.as_ref().map(|path| load_srdf(path, &robot.robot)).transpose()?;
        let srdf = if self.demo && srdf.is_none() { Some(demo_srdf(&robot)?) } else { srdf };
        let cell = robot.cell(srdf.as_ref())?;
        let proven = || self.demo.then(|| "proven for the demo".to_owned());
        let named = self.srdf.as_ref().map(|path| path.display().to_string()).or_else(proven);
        let report = robot.subject(&source, named.as_deref(), &cell);
        if report.links.is_empty() {
            bail!("{source}: no link has a shape; there is nothing that could collide");
        }
        let mut warnings: Vec<String> =
            robot.warnings.iter().map(|warning| format!("{source}: {}", warning.text)).collect();
        if srdf.is_none() {
            warnings.push("no SRDF: pairs of links that a joint joins are left out".to_owned());
        }
        Ok(Loaded { robot, srdf, cell, report, warnings })
    }

    /// The table, unless JSON takes its place, and the JSON.
    fn deliver(&self, json: &impl serde::Serialize, warnings: &[String], table: &str) -> Result<()> {
        let printed = self.json.as_deref() == Some(std::path::Path::new("-"));
        if !printed {
            warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
            crate::output::print(table)?;
        }
        match &self.json {
            Some(target) => crate::output::deliver(target, &crate::output::json(json)?),
            None => Ok(()),
        }
    }
}

fn demo() -> Result<LoadedRobot> {
    let mut parts = puma560(PumaSet::FuGonzalezLee).into_parts();
    // A wall behind the robot, so that it has something to meet.
    let wall = Geometry {
        name: Some("wall".to_owned()),
        link_from_shape: noli::Pose::from_translation(glam::dvec3(-0.5, 0.0, 0.2)),
        form: Form::Box { size: glam::dvec3(0.1, 1.6, 1.6) },
        place: None,
    };
    parts.links[0].collision.push(wall);
    let robot = Robot::new(parts).context("the demo's robot cannot be made")?;
    let shapes = robot.shapes(|file| Err(format!("the demo has no mesh `{file}`")));
    let shapes = shapes.context("the demo's bodies cannot be made")?;
    Ok(LoadedRobot { robot, shapes, warnings: Vec::new() })
}

/// The demo's plain bodies reach into each other at the wrist: pairs that always meet are left out, by proof,
/// and those that a joint joins.
fn demo_srdf(robot: &LoadedRobot) -> Result<Srdf> {
    let cell = robot.cell(None)?;
    let all: Vec<usize> = (0..cell.pairs().len()).collect();
    let proved = cell.prove_all(&all, &ProofOptions { samples: 200, ..ProofOptions::default() });
    let reason = |proved: &Proved| match (&proved.meeting, &cell.pairs()[proved.pair].rule) {
        (Meeting::Always, _) => Some("Always"),
        (_, Rule::Off(_)) => Some("Adjacent"),
        (_, Rule::On { .. }) => None,
    };
    let disabled = proved.iter().filter_map(|proved| {
        let links = cell.pair_names(proved.pair).map(str::to_owned);
        Some(DisabledPair { links, reason: reason(proved)?.to_owned(), place: None })
    });
    let disabled = disabled.collect();
    Ok(Srdf { robot: robot.robot.name().to_owned(), disabled, ..Srdf::default() })
}

/// The first line of every table: what was taken for what.
fn heading(report: &RobotSubject) -> String {
    let count = |kind: &str| report.links.iter().filter(|link| link.kind == kind).count();
    let (solid, surface, mixed) = (count("solid"), count("surface"), count("mixed"));
    let mixed = if mixed > 0 { format!(", {mixed} mixed") } else { String::new() };
    let why = match &report.srdf {
        Some(_) => "by the SRDF or because nothing moves between them",
        None => "because a joint joins them or nothing moves between them",
    };
    format!(
        "{}: {} links with shapes ({solid} solid, {surface} surface{mixed}), {} pairs asked about, \
         {} left out {why}\n",
        report.robot,
        report.links.len(),
        report.active_pairs,
        report.disabled_pairs.len()
    )
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    // Of a robot that was read there is something to say.
    let told = |outcome: Outcome| Ok(Verdict::new(outcome, Asked::new(1)?));
    let threads = match &arguments.command {
        Command::Info(arguments) => arguments.subject.threads,
        Command::Check(arguments) => arguments.subject.threads,
        Command::Pairs(arguments) => arguments.subject.threads,
        Command::Plan(arguments) => arguments.subject.threads,
        Command::Ik(arguments) => arguments.subject.threads,
        Command::Limits(arguments) => arguments.subject.threads,
        Command::Run(_) | Command::Jog(_) => None,
    };
    crate::on_threads(threads, || match &arguments.command {
        Command::Info(arguments) => told(info::run(arguments)?),
        Command::Check(arguments) => check::run(arguments),
        Command::Pairs(arguments) => told(pairs::run(arguments)?),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Ik(arguments) => told(ik::run(arguments)?),
        Command::Limits(arguments) => told(limits::run(arguments)?),
        Command::Run(arguments) => run::run(arguments),
        Command::Jog(arguments) => jog::run(arguments),
    })
}

/// `NAME=VALUE,...`
fn named_values(text: &str) -> Result<Vec<(String, f64)>> {
    let one = |part: &str| {
        let (name, value) = part.split_once('=').with_context(|| format!("`{part}`: write JOINT=VALUE"))?;
        let value = value.trim().parse().with_context(|| format!("`{part}`: the value is no number"))?;
        Ok((name.trim().to_owned(), value))
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(one).collect()
}
