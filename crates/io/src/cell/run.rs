//! Programs in cells, and the report of a run.

use super::LoadedCell;
use crate::report::{
    FeatureName, InstructionReport, LinkGap, Outcome, PartReport, RunContactReport, RunFailure, RunGap,
    RunReport, ShownReport, SignalReport,
};
use crate::{FileError, Place, bytes_of};
use noli::Pose;
use noli::answer::Bracket;
use noli_robot::cell::Rule;
use noli_robot::program::{Ended, Programs, read_programs};
use noli_robot::run::{Clearance, Driven, Failure, Run, RunContact, Whereabouts};
use std::path::{Path, PathBuf};

/// The text of a program, read.
#[derive(Clone, Debug)]
pub struct RunSource {
    /// Where it comes from.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its programs.
    pub programs: Programs,
    /// The one to run: the first.
    pub main: String,
}

impl RunSource {
    /// Reads a program file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let bytes = bytes_of(path).map_err(|error| error.in_file(path))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            FileError::new(Place::Whole, "the text is not UTF-8", "save it as UTF-8").in_file(path)
        })?;
        read_program_text(&text, path)
    }

    /// The program that a cell names, from its file or bundled with it.
    pub fn of_cell(cell: &LoadedCell) -> Result<Self, FileError> {
        match &cell.program {
            Some((path, Some(text))) => read_program_text(text, path),
            Some((path, None)) => Self::read(path),
            None => Err(FileError::new(
                Place::Whole,
                format!("{} names no program", cell.title),
                "add `program = \"FILE\"` to it, or give a program on the command line",
            )),
        }
    }

    fn line(&self, line: u32) -> String {
        self.lines.get((line as usize).wrapping_sub(1)).map_or("", |line| line.trim()).to_owned()
    }
}

/// Reads the text of a program as if it stood in a file at this path.
pub fn read_program_text(text: &str, path: &Path) -> Result<RunSource, FileError> {
    let programs = read_programs(text).map_err(|error| {
        let reason = format!("column {}: {}", error.place.column, error.fault);
        let (reason, remedy) = reason.rsplit_once("; ").unwrap_or((&reason, "correct the line"));
        FileError::new(Place::Line(error.place.line as usize), reason, remedy).in_file(path)
    })?;
    let Some(first) = programs.list.first() else {
        return Err(
            FileError::new(Place::Whole, "there is no program", "write at least one statement").in_file(path)
        );
    };
    let main = first.name.clone();
    let lines = text.lines().map(str::to_owned).collect();
    Ok(RunSource { path: path.to_path_buf(), lines, programs, main })
}

fn link_gap(gap: Bracket, links: Option<[String; 2]>) -> LinkGap {
    LinkGap { at_least: gap.at_least, at_most: gap.at_most, links }
}

fn run_gap(line: u32, found: &Clearance) -> RunGap {
    RunGap {
        gap: link_gap(found.gap, found.parts.clone()),
        line,
        time: found.time,
        points: found.points.map(|points| points.map(|point| point.to_array())),
    }
}

fn numbers(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

/// What a run came to, as a report.
pub fn run_report(cell: &LoadedCell, source: &RunSource, run: &Run) -> RunReport {
    let work = &cell.work;
    let variable = |values: &[f64]| {
        let names = work.robot.variables().iter().map(|variable| variable.name.clone());
        names.zip(values.iter().copied()).collect()
    };
    let contact = |contact: &RunContact| RunContactReport {
        line: contact.place.line,
        text: source.line(contact.place.line),
        instruction: contact.driven,
        links: contact.parts.clone(),
        safe_until: contact.time[0],
        touching_by: contact.time[1],
        share: contact.share,
        at_start: contact.at_start,
        proven: contact.proven,
        configuration: variable(&contact.values),
        point: contact.point.map(|point| point.to_array()),
        normal: contact.normal.map(|normal| normal.to_array()),
        features: contact
            .point
            .map(|_| contact.features.map(|feature| FeatureName::named(feature).to_string())),
        gap: link_gap(contact.gap, Some(contact.parts.clone())),
    };
    let instructions: Vec<InstructionReport> = run
        .driven
        .iter()
        .map(|driven| InstructionReport {
            line: driven.place.line,
            text: source.line(driven.place.line),
            kind: driven.kind.word().to_owned(),
            start: driven.start,
            seconds: driven.profile.seconds,
            driven: driven.until,
            free_until: driven.free_until,
            keys: driven.keys.len(),
            deviation: driven.deviation,
            carried: driven.carried.map(|part| work.loose[part].name.clone()),
            clearance: driven.clearance.as_ref().map(|found| run_gap(driven.place.line, found)),
        })
        .collect();
    let outcome = match (run.contacts.is_empty(), run.failure) {
        (false, _) | (_, Some(Failure::Contact)) => Outcome::Touching,
        (true, Some(Failure::Undecided)) => Outcome::Undecided,
        _ if run.undecided > 0 => Outcome::Undecided,
        _ => Outcome::Free,
    };
    let (ended, statements) = match &run.outcome {
        Ok(outcome) => {
            let word = match outcome.ended {
                Ended::Completed => "completed",
                Ended::Stopped => "stopped",
                Ended::Halted => "halted",
                Ended::Paused => "paused",
            };
            (word, outcome.steps)
        }
        Err(error) => ("failed", error.steps),
    };
    let first_failure = run.outcome.as_ref().err().map(|error| RunFailure {
        // An OPEN that a later motion carries out is what fails, not that motion.
        line: match (run.failure, run.contacts.last()) {
            (Some(Failure::Contact), Some(contact)) => contact.place.line,
            _ => error.place.line,
        },
        program: error.program.clone(),
        time: error.time,
        kind: match run.failure {
            Some(Failure::Contact) => "contact",
            Some(Failure::Undecided) => "undecided",
            Some(Failure::Unreachable) => "unreachable",
            Some(Failure::Other) | None => "other",
        }
        .to_owned(),
        reason: error.fault.to_string(),
    });
    let smallest = run.smallest().map(|(number, found)| run_gap(run.driven[number].place.line, found));
    let active = work
        .cell(&work.loose.iter().map(|part| Whereabouts::Stands(part.place)).collect::<Vec<_>>(), None)
        .map_or(0, |cell| cell.pairs().iter().filter(|pair| matches!(pair.rule, Rule::On { .. })).count());
    let met = |number: usize| run.contacts.iter().any(|contact| contact.driven == number);
    let free = |&(number, driven): &(usize, &Driven)| driven.free_until >= 1.0 && !met(number);
    let executable = run.driven.iter().enumerate().filter(free).count();
    let mut warnings = cell.warnings.clone();
    let remark = |remark: &noli_robot::program::Remark| format!("{}: {}", remark.place, remark.text);
    warnings.extend(source.programs.remarks.iter().map(remark));
    RunReport {
        cell: cell.title.clone(),
        program: crate::names::printable(&source.path.display().to_string()),
        main: source.main.clone(),
        outcome,
        ended: ended.to_owned(),
        cycle_seconds: run.seconds,
        statements,
        motions: run.driven.len(),
        executable,
        first_failure,
        smallest_gap: smallest,
        contacts: run.contacts.iter().map(contact).collect(),
        instructions,
        signals: run
            .signals
            .iter()
            .map(|change| SignalReport {
                time: change.time,
                signal: change.signal,
                on: change.on,
                output: change.output,
            })
            .collect(),
        parts: run
            .parts
            .iter()
            .map(|change| {
                let (held, pose) = match &change.now {
                    Whereabouts::Stands(pose) => (false, pose),
                    Whereabouts::Held(pose) => (true, pose),
                };
                let part = work.loose[change.part].name.clone();
                PartReport { time: change.time, part, held, pose: numbers(pose) }
            })
            .collect(),
        shown: run
            .shown
            .iter()
            .map(|(time, place, text)| ShownReport { time: *time, line: place.line, text: text.clone() })
            .collect(),
        active_pairs: active,
        frames: None,
        warnings,
    }
}
