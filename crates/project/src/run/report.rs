//! The report of a run.

use super::program::RunSource;
use crate::report::impact::FeatureName;
use crate::report::robot::LinkClearance;
use crate::report::run::{
    InstructionReport, PartReport, RunClearance, RunContactReport, RunFailure, RunOutcome, RunReport,
    ShownReport, SignalReport,
};
use crate::stage::cell::LoadedCell;
use noli::answer::Bracket;
use noli_formats::display_name::printable;
use noli_program::Ended;
use noli_program::run::{Clearance, ExecutedMotion, ExecutionError, PartLocation, Run, RunContact, WorkCell};
use noli_robot::cell::PairRule;

fn link_clearance(clearance: Bracket, links: Option<[String; 2]>) -> LinkClearance {
    LinkClearance { at_least: clearance.at_least, at_most: clearance.at_most, links }
}

fn run_clearance(line: u32, found: &Clearance) -> RunClearance {
    RunClearance {
        clearance: link_clearance(found.clearance, found.parts.clone()),
        line,
        time: found.time,
        points: found.points.map(|points| points.map(|point| point.to_array())),
    }
}

/// Creates the report of a run.
pub fn run_report(cell: &LoadedCell, source: &RunSource, run: &Run) -> RunReport {
    let work = &cell.work;
    let (ended, statements) = ended(run);
    let smallest = run.smallest().map(|(number, found)| run_clearance(run.driven[number].place.line, found));
    let met = |number: usize| run.contacts.iter().any(|contact| contact.driven == number);
    let free = |&(number, driven): &(usize, &ExecutedMotion)| driven.free_until >= 1.0 && !met(number);
    let mut warnings = cell.warnings.clone();
    let program = source.path.display();
    let remark = |remark: &noli_program::Remark| format!("{program}: {}: {}", remark.place, remark.text);
    warnings.extend(source.programs.remarks.iter().map(remark));
    RunReport {
        cell: cell.title.clone(),
        program: printable(&source.path.display().to_string()),
        main: source.main.clone(),
        outcome: outcome(run),
        ended: ended.to_owned(),
        cycle_seconds: run.seconds,
        statements,
        motions: run.driven.len(),
        executable: run.driven.iter().enumerate().filter(free).count(),
        first_failure: first_failure(run),
        smallest_clearance: smallest,
        contacts: run.contacts.iter().map(|found| contact(work, source, found)).collect(),
        instructions: run.driven.iter().map(|driven| instruction(work, source, driven)).collect(),
        signals: signals(run),
        parts: parts(work, run),
        shown: run
            .shown
            .iter()
            .map(|(time, place, text)| ShownReport { time: *time, line: place.line, text: text.clone() })
            .collect(),
        active_pairs: active_pairs(work),
        frames: None,
        warnings,
    }
}

fn contact(work: &WorkCell, source: &RunSource, contact: &RunContact) -> RunContactReport {
    let names = work.robot.variables().iter().map(|variable| variable.name.clone());
    RunContactReport {
        line: contact.place.line,
        text: source.line(contact.place.line),
        instruction: contact.driven,
        links: contact.parts.clone(),
        safe_until: contact.time[0],
        touching_by: contact.time[1],
        share: contact.share,
        at_start: contact.at_start,
        proven: contact.proven,
        configuration: names.zip(contact.values.iter().copied()).collect(),
        point: contact.point.map(|point| point.to_array()),
        normal: contact.normal.map(|normal| normal.to_array()),
        features: contact
            .point
            .map(|_| contact.features.map(|feature| FeatureName::named(feature).to_string())),
        clearance: link_clearance(contact.clearance, Some(contact.parts.clone())),
    }
}

fn instruction(work: &WorkCell, source: &RunSource, driven: &ExecutedMotion) -> InstructionReport {
    InstructionReport {
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
        clearance: driven.clearance.as_ref().map(|found| run_clearance(driven.place.line, found)),
    }
}

fn outcome(run: &Run) -> RunOutcome {
    match (run.contacts.is_empty(), run.failure) {
        (false, _) | (_, Some(ExecutionError::Contact)) => RunOutcome::Touching,
        (true, Some(ExecutionError::Undecided)) => RunOutcome::Undecided,
        _ if run.outcome.is_err() => RunOutcome::Failed,
        _ if run.undecided > 0 => RunOutcome::Undecided,
        _ => RunOutcome::Free,
    }
}

/// End of the program, and the number of statements until then.
fn ended(run: &Run) -> (&'static str, u64) {
    let outcome = match &run.outcome {
        Ok(outcome) => outcome,
        Err(error) => return ("failed", error.steps),
    };
    let word = match outcome.ended {
        Ended::Completed => "completed",
        Ended::Stopped => "stopped",
        Ended::Halted => "halted",
        Ended::Paused => "paused",
    };
    (word, outcome.steps)
}

fn first_failure(run: &Run) -> Option<RunFailure> {
    run.outcome.as_ref().err().map(|error| RunFailure {
        // An OPEN that a later motion carries out is what fails, not that motion.
        line: match (run.failure, run.contacts.last()) {
            (Some(ExecutionError::Contact), Some(contact)) => contact.place.line,
            _ => error.place.line,
        },
        program: error.program.clone(),
        time: error.time,
        kind: match run.failure {
            Some(ExecutionError::Contact) => "contact",
            Some(ExecutionError::Undecided) => "undecided",
            Some(ExecutionError::Unreachable) => "unreachable",
            _ => "other",
        }
        .to_owned(),
        reason: error.fault.to_string(),
    })
}

fn signals(run: &Run) -> Vec<SignalReport> {
    let change = run.signals.iter().map(|change| SignalReport {
        time: change.time,
        signal: change.signal,
        on: change.on,
        output: change.output,
    });
    change.collect()
}

fn parts(work: &WorkCell, run: &Run) -> Vec<PartReport> {
    let part = run.parts.iter().map(|change| {
        let (held, pose) = match &change.now {
            PartLocation::Stands(pose) => (false, pose),
            PartLocation::Held(pose) => (true, pose),
        };
        let part = work.loose[change.part].name.clone();
        PartReport { time: change.time, part, held, pose: pose.to_array() }
    });
    part.collect()
}

/// Number of pairs that are checked at the start.
fn active_pairs(work: &WorkCell) -> usize {
    let start: Vec<PartLocation> = work.loose.iter().map(|part| PartLocation::Stands(part.place)).collect();
    let cell = work.cell(&start, None);
    cell.map_or(0, |cell| {
        cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })).count()
    })
}
