//! Programs that run at once and wait for each other by signals, checked together as timed.

use super::deadlock::deadlock;
use super::program::RunSource;
use super::report::run_report;
use super::robot_program::{ProgramsError, RobotProgram};
use crate::report::run::{RunOutcome, RunReport};
use crate::report::several::{TogetherCollisionReport, TogetherReport};
use crate::stage::cell::LoadedCell;
use noli::answer::Impact;
use noli_plan::TimedPath;
use noli_program::run::{Job, LATENCY, OnContact, RunOptions, run_together};
use noli_robot::JointCurve;
use noli_robot::cell::{Cell, CellBuilder, PairRule};

/// Runs the programs of cells at once, each with its options. Names of parts have the prefixes `1/`, `2/`, … .
pub fn run_programs(
    cells: Vec<(LoadedCell, RunOptions)>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<RobotProgram>, ProgramsError> {
    let mut loaded: Vec<(LoadedCell, RunSource, RunOptions)> = Vec::new();
    for (cell, options) in cells {
        let source = RunSource::of_cell(&cell)?;
        loaded.push((cell, source, options));
    }
    let jobs = loaded.iter().map(|(cell, source, options)| Job {
        work: &cell.work,
        programs: &source.programs,
        main: &source.main,
        options: RunOptions { on_contact: OnContact::Stop, profile: 0, ..*options },
    });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let titles: Vec<&str> = loaded.iter().map(|(cell, ..)| cell.title.as_str()).collect();
    let runs =
        run_together(&jobs, stop).map_err(|error| ProgramsError::Work { cell: titles.join(", "), error })?;
    let program = |(number, ((cell, source, _), run))| RobotProgram {
        cell,
        source,
        prefix: format!("{}/", number + 1),
        start: 0.0,
        run,
    };
    Ok(loaded.into_iter().zip(runs).enumerate().map(program).collect())
}

/// Checks the robots of programs that ran at once against each other as timed.
pub fn together_report(
    programs: &[RobotProgram],
    stop: &dyn Fn() -> bool,
) -> Result<TogetherReport, ProgramsError> {
    let (collision, undecided, pairs) = first_collision(programs, stop)?;
    if pairs == 0 {
        return Err(ProgramsError::Unchecked);
    }
    let reports = programs.iter().map(|program| run_report(&program.cell, &program.source, &program.run));
    let reports: Vec<RunReport> = reports.collect();
    let any = |outcome: RunOutcome| reports.iter().any(|report| report.outcome == outcome);
    let undecided = undecided || any(RunOutcome::Undecided);
    let outcome = if collision.is_some() || any(RunOutcome::Touching) {
        RunOutcome::Touching
    } else if undecided {
        RunOutcome::Undecided
    } else {
        RunOutcome::Free
    };
    let mut report = TogetherReport {
        outcome,
        undecided,
        latency_s: LATENCY,
        seconds: programs.iter().map(|program| program.run.seconds).fold(0.0, f64::max),
        pairs,
        collision,
        deadlock: deadlock(programs),
        programs: reports,
    };
    if report.failure().is_some() {
        report.outcome = RunOutcome::Failed;
    }
    Ok(report)
}

/// The robots of all programs, and the parts that they hold at a time. Only pairs of different programs are checked;
/// other pairs are proven by each program in its own cell.
fn cell_at(programs: &[RobotProgram], time: f64) -> Result<Cell, ProgramsError> {
    let mut plan = CellBuilder::default();
    for program in programs {
        let before = plan.part_names().count();
        program.add_holding(&mut plan, &program.held_at(time))?;
        let own: Vec<String> = plan.part_names().skip(before).map(str::to_owned).collect();
        for (number, a) in own.iter().enumerate() {
            for b in &own[..number] {
                plan.disable(a, b, "both of one program")?;
            }
        }
    }
    Ok(plan.build())
}

/// The joints of all robots as driven between two times: polynomials of second degree between knots.
fn curve(programs: &[RobotProgram], [from, to]: [f64; 2]) -> Result<JointCurve, ProgramsError> {
    let values =
        |time: f64| programs.iter().flat_map(|program| program.values_at(time)).collect::<Vec<f64>>();
    let mut knots: Vec<f64> = programs.iter().flat_map(|program| program.run.knots()).collect();
    knots.push(to);
    knots.sort_by(f64::total_cmp);
    let mut curve = JointCurve::starting(from, &values(from))?;
    let (mut last, mut start) = (from, values(from));
    for knot in knots.into_iter().filter(|knot| *knot <= to) {
        // Times nearer than their rounding are one.
        if knot - last <= 1e-12 * to.max(1.0) {
            continue;
        }
        let (middle, end) = (values(0.5 * (last + knot)), values(knot));
        let control = middle.iter().zip(start.iter().zip(&end)).map(|(m, (a, b))| 2.0 * m - 0.5 * (a + b));
        curve.push(knot, &[&control.collect::<Vec<f64>>(), &end])?;
        (last, start) = (knot, end);
    }
    Ok(curve)
}

/// The first collision between robots as timed, `true` if a proof is missing, and the largest number of pairs that were
/// compared at once.
fn first_collision(
    programs: &[RobotProgram],
    stop: &dyn Fn() -> bool,
) -> Result<(Option<TogetherCollisionReport>, bool, usize), ProgramsError> {
    let ends = programs.iter().filter_map(|program| program.run.knots().last().copied());
    // Robots that never move are compared where they stand.
    let end = ends.fold(0.0, f64::max).max(LATENCY);
    let changes = programs.iter().flat_map(|program| program.run.parts.iter().map(|change| change.time));
    let mut times: Vec<f64> = changes.filter(|time| (0.0..end).contains(time)).chain([0.0, end]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier <= 1e-12 * end.max(1.0));
    let (mut undecided, mut pairs) = (false, 0);
    for span in times.windows(2) {
        let cell = cell_at(programs, span[0])?;
        let checked = |rule: &PairRule| matches!(rule, PairRule::Checked { .. });
        pairs = pairs.max(cell.pairs().iter().filter(|pair| checked(&pair.rule)).count());
        if stop() {
            return Ok((None, true, pairs));
        }
        let curve = curve(programs, [span[0], span[1]])?;
        let (shares, touch) = match cell.checker().first_contact_on_curve(&curve)? {
            Impact::Free => continue,
            Impact::Unknown { .. } => {
                undecided = true;
                continue;
            }
            Impact::AtStart(touch) => ([0.0, 0.0], touch),
            Impact::At { time, touch } => ([time.safe_until, time.touching_by], touch),
        };
        let [safe_until_s, time_s] = shares.map(|share| curve.time_at(share));
        let links = cell.pair_names(touch.pair).map(str::to_owned);
        let robots = links.each_ref().map(|link| owner(programs, link));
        let line =
            |number: usize| programs[number].run.driven_at(time_s).map_or(1, |motion| motion.place.line);
        let point = touch.touch.witness.map(|w| (0.5 * (w.on_a.point + w.on_b.point)).to_array());
        let collision = TogetherCollisionReport {
            robots: robots.map(|number| number + 1),
            lines: robots.map(line),
            links,
            safe_until_s,
            time_s,
            point,
        };
        return Ok((Some(collision), undecided, pairs));
    }
    Ok((None, undecided, pairs))
}

/// The program that a part belongs to.
fn owner(programs: &[RobotProgram], part: &str) -> usize {
    programs.iter().position(|program| part.starts_with(&program.prefix)).unwrap_or(0)
}
