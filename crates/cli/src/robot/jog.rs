//! `noli robot jog`: the teach pendant.

use super::run::open;
use crate::output::{self, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, anyhow, bail, ensure};
use glam::DVec3;
use noli_ask::quantity::{JointUnit, joint_value};
use noli_program::run::{Jog, JogFrame, Jogged, Pendant, WorkCell, arm_variables};
use noli_project::report::Asked;
use noli_robot::JointAxisKind;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;

/// Move an arm by hand in steps; it stops before it touches. Teaches locations and writes programs.
///
/// Steps are `j3 +10` (joint 3 by ten degrees or millimetres), `x -50`, `y`, `z` (the tool, millimetres),
/// `rx 15`, `ry`, `rz` (the tool, degrees), with units too (`x -5cm`, `rx 0.2rad`), `world` and `tool` (the frame of what follows), `teach NAME`,
/// `point NAME` (as joint values). They are given with --do, separated by semicolons, or read from standard
/// input line by line.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The cell.
    #[arg(value_name = "CELL.toml", required_unless_present = "demo")]
    cell: Option<PathBuf>,
    /// A bundled cell instead of a file.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "magazine", conflicts_with = "cell")]
    demo: Option<String>,
    /// The steps, separated by semicolons.
    #[arg(long = "do", value_name = "STEPS")]
    steps: Option<String>,
    /// Write a program that goes through what was taught.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Write what was taught as tables of a cell file whose unit is mm.
    #[arg(long, value_name = "FILE")]
    locations: Option<PathBuf>,
    /// One JSON object instead of lines.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Step {
    step: String,
    share: f64,
    stopped_by: Option<[String; 2]>,
    point: Option<[f64; 3]>,
    clearance_at_least: f64,
    nearest: Option<[String; 2]>,
}

#[derive(Serialize)]
struct Report {
    cell: String,
    outcome: Outcome,
    steps: Vec<Step>,
    joints: Vec<f64>,
    tool: [f64; 7],
}

enum Said {
    Jog(Jog),
    Frame(JogFrame),
    Teach(String, bool),
}

/// The amount of a step in degrees or millimetres: `10`, `10deg`, `0.2rad`, `5cm`.
fn amount(step: &str, text: &str, movement: JointAxisKind) -> Result<f64> {
    let (value, unit) = joint_value(text).map_err(|why| anyhow!("`{step}`: {why}"))?;
    super::unit_fits(step, unit, movement)?;
    Ok(match unit {
        None => value,
        Some(JointUnit::Angle) => value.to_degrees(),
        Some(JointUnit::Length) => value * 1000.0,
    })
}

/// Kind of motion of a part of a step: `j3` as the joint, `rx` a rotation, `x` a translation.
fn movement_of(what: &str, joints: &[JointAxisKind]) -> JointAxisKind {
    match what.strip_prefix('j').map(|number| number.parse::<usize>().ok()) {
        Some(number) => number
            .and_then(|number| joints.get(number.checked_sub(1)?))
            .copied()
            .unwrap_or(JointAxisKind::Turn),
        None if what.starts_with('r') => JointAxisKind::Turn,
        None => JointAxisKind::Slide,
    }
}

fn said(step: &str, frame: JogFrame, joints: &[JointAxisKind]) -> Result<Said> {
    let words: Vec<&str> = step.split_whitespace().collect();
    let remedy = "write `j3 +10`, `x -50`, `rz 15`, `world`, `tool`, `teach NAME` or `point NAME`";
    Ok(match words[..] {
        ["world"] => Said::Frame(JogFrame::World),
        ["tool"] => Said::Frame(JogFrame::Tool),
        ["teach", name] => Said::Teach(name.to_owned(), false),
        ["point", name] => Said::Teach(name.to_owned(), true),
        [what, by] => {
            let by = amount(step, by, movement_of(what, joints)).with_context(|| remedy)?;
            if let Some(joint) = what.strip_prefix('j').and_then(|number| number.parse::<usize>().ok()) {
                ensure!(joint >= 1, "`{step}`: joints count from 1");
                return Ok(Said::Jog(Jog::Joint(joint - 1, by)));
            }
            let (turns, axis) = what.strip_prefix('r').map_or((false, what), |axis| (true, axis));
            let axis = match axis {
                "x" => DVec3::X,
                "y" => DVec3::Y,
                "z" => DVec3::Z,
                _ => bail!("`{step}` is no step; {remedy}"),
            };
            let path = if turns { DVec3::ZERO } else { axis * by / 1000.0 };
            let turn = if turns { axis * by.to_radians() } else { DVec3::ZERO };
            Said::Jog(Jog::Tool { frame, path, turn })
        }
        _ => bail!("`{step}` is no step; {remedy}"),
    })
}

fn line(step: &str, done: &Jogged) -> String {
    let mut text = format!("{step}: ");
    match &done.stopped_by {
        Some(parts) => {
            let at =
                done.point.map_or(String::new(), |p| format!(" at {}", p.to_array().map(short).join(" ")));
            let _ = write!(
                text,
                "stopped after {:.2} %, {} would touch{at}",
                100.0 * done.share,
                parts.join(" and ")
            );
        }
        None if done.share < 1.0 => {
            let _ = write!(text, "stopped after {:.2} %: no more is proven free", 100.0 * done.share);
        }
        None => text.push_str("done"),
    }
    if let Some(near) = &done.nearest {
        let _ =
            write!(text, "; clearance {} mm ({})", short(done.clearance.at_least * 1000.0), near.join(" - "));
    }
    text
}

/// Steps that were made, on a pendant.
struct Jogging<'a> {
    pendant: Pendant<'a>,
    joints: Vec<JointAxisKind>,
    frame: JogFrame,
    given: usize,
    steps: Vec<Step>,
    outcome: Outcome,
    /// A line for each step.
    prints: bool,
}

impl<'a> Jogging<'a> {
    fn new(cell: &'a WorkCell, prints: bool) -> Result<Self> {
        let variables = cell.robot.variables();
        Ok(Self {
            pendant: Pendant::new(cell)?,
            joints: arm_variables(cell).into_iter().map(|number| variables[number].movement).collect(),
            frame: JogFrame::World,
            given: 0,
            steps: Vec::new(),
            outcome: Outcome::Free,
            prints,
        })
    }

    /// Makes a step; blank lines and comments are none.
    fn make(&mut self, step: &str) -> Result<()> {
        let step = step.trim();
        if step.is_empty() || step.starts_with('#') {
            return Ok(());
        }
        self.given += 1;
        let jog = match said(step, self.frame, &self.joints)? {
            Said::Frame(other) => {
                self.frame = other;
                return Ok(());
            }
            Said::Teach(name, precise) => return Ok(self.pendant.teach(&name, precise)?),
            // Degrees for a joint that turns, millimetres for one that slides.
            Said::Jog(Jog::Joint(joint, by)) => {
                Jog::Joint(joint, if self.pendant.turns(joint) { by.to_radians() } else { by / 1000.0 })
            }
            Said::Jog(jog) => jog,
        };
        let done = self.pendant.jog(&jog).with_context(|| format!("`{step}`"))?;
        if done.stopped_by.is_some() {
            self.outcome = Outcome::Touching;
        } else if done.share < 1.0 && self.outcome == Outcome::Free {
            self.outcome = Outcome::Undecided;
        }
        if self.prints {
            output::print(&(line(step, &done) + "\n"))?;
        }
        self.steps.push(Step {
            step: step.to_owned(),
            share: done.share,
            stopped_by: done.stopped_by,
            point: done.point.map(|point| point.to_array()),
            clearance_at_least: done.clearance.at_least,
            nearest: done.nearest,
        });
        Ok(())
    }

    /// Makes the steps of standard input, line by line.
    fn make_all(&mut self) -> Result<()> {
        let by_hand = std::io::stdin().is_terminal();
        if by_hand {
            output::print_to_stderr(
                "steps line by line, such as `j3 +10deg` or `x -50mm` (--help); end with Ctrl-D",
            );
        }
        for step in std::io::stdin().lock().lines() {
            match self.make(&step.context("cannot read standard input")?) {
                // The arm has not moved, and what was taught is not lost by a slip of the hand.
                Err(error) if by_hand => output::print_to_stderr(&format!("{error:#}")),
                other => other?,
            }
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let cell = open(arguments.cell.as_deref(), arguments.demo.as_deref())?;
    output::refuse_inputs([&arguments.program, &arguments.locations].into_iter().flatten(), &cell.inputs)?;
    let mut jogging = Jogging::new(&cell.work, !arguments.json)?;
    match &arguments.steps {
        Some(all) => all.split(';').try_for_each(|step| jogging.make(step))?,
        None => jogging.make_all()?,
    }
    let Jogging { mut pendant, given, steps, outcome, .. } = jogging;
    ensure!(given > 0, "no step was given: write some after --do, or on standard input (--help)");
    if let Some(target) = &arguments.program {
        output::write_file(target, pendant.program("taught").as_bytes())?;
    }
    if let Some(target) = &arguments.locations {
        output::write_file(target, pendant.locations().as_bytes())?;
    }
    if arguments.json {
        let report = Report {
            cell: cell.title.clone(),
            outcome,
            steps,
            joints: pendant.joints().to_vec(),
            tool: pendant.tool().to_array(),
        };
        output::print_report("robot-jog", &report)?;
    }
    Ok(Verdict::new(outcome, Asked::new(1)?))
}
