//! The report of several robots with any timing.

use super::robot_program::RobotProgram;
use crate::report::outcome::Outcome;
use crate::report::several::{
    AsTimedReport, CoordinatedPairReport, CoordinatedRobotReport, CoordinationReport, TimedCollisionReport,
    WaitReport, ZoneReport,
};
use noli_plan::{Coordinated, CoordinatedPair, Interlock, Timed, TimedPath, Wait};
use noli_robot::cell::Zone;

/// A robot of a [`CoordinationReport`]: its path, and its names.
#[derive(Clone, Copy)]
pub struct CoordinatedRobot<'a> {
    /// The path.
    pub path: &'a dyn TimedPath,
    /// Name of the robot.
    pub robot: &'a str,
    /// Prefix of the names of its parts.
    pub prefix: &'a str,
    /// Its program, if it has one, with the cell as it is shown.
    pub program: Option<(&'a RobotProgram, &'a str)>,
}

impl<'a> CoordinatedRobot<'a> {
    /// The robot of a program; `cell` is how its cell is shown.
    pub fn of_program(program: &'a RobotProgram, cell: &'a str) -> Self {
        let (robot, prefix) = (program.cell.work.robot.name(), program.prefix.as_str());
        Self { path: program, robot, prefix, program: Some((program, cell)) }
    }

    fn line(&self, motion: usize) -> Option<u32> {
        self.program.map(|(program, _)| program.line(motion))
    }

    fn report(&self) -> CoordinatedRobotReport {
        let axis = self.path.axis();
        let [start, end] = [axis.times.first(), axis.times.last()].map(|time| time.copied().unwrap_or(0.0));
        CoordinatedRobotReport {
            cell: self.program.map(|(_, cell)| cell.to_owned()),
            robot: self.robot.to_owned(),
            program: self.program.map(|(program, _)| program.source.main.clone()),
            prefix: self.prefix.to_owned(),
            motions: axis.count(),
            start_s: self.program.map_or(start, |(program, _)| program.start),
            seconds: self.program.map_or(end - start, |(program, _)| program.run.seconds),
        }
    }
}

/// Creates the report of robots that were compared.
pub fn coordination_report(robots: &[CoordinatedRobot<'_>], found: &Coordinated) -> CoordinationReport {
    let pairs: Vec<_> = found.pairs.iter().map(|one| pair(robots, one)).collect();
    let worst = |worst: Outcome, pair: &CoordinatedPairReport| match (worst, pair.as_timed.outcome) {
        (Outcome::Touching, _) | (_, Outcome::Touching) => Outcome::Touching,
        (Outcome::Undecided, _) | (_, Outcome::Undecided) => Outcome::Undecided,
        (Outcome::Free, Outcome::Free) => Outcome::Free,
    };
    let wait = |wait: &Wait| WaitReport {
        robot: wait.robot + 1,
        before_line: robots[wait.robot].line(wait.before),
        before_motion: wait.before + 1,
        other: wait.other + 1,
        after_line: robots[wait.other].line(wait.after),
        after_motion: wait.after + 1,
    };
    let warnings = robots.iter().filter_map(|robot| robot.program);
    CoordinationReport {
        outcome: pairs.iter().fold(Outcome::Free, worst),
        robots: robots.iter().map(CoordinatedRobot::report).collect(),
        pairs,
        waits: found.order.as_ref().map(|order| order.waits.iter().map(wait).collect()),
        ordered_s: found.order.as_ref().map(noli_plan::InstructionOrder::seconds),
        warnings: warnings.flat_map(|(program, _)| program.cell.warnings.clone()).collect(),
    }
}

/// Both numbers if both are there.
fn both<T>([a, b]: [Option<T>; 2]) -> Option<[T; 2]> {
    a.zip(b).map(Into::into)
}

fn pair(robots: &[CoordinatedRobot<'_>], found: &CoordinatedPair) -> CoordinatedPairReport {
    let own = found.paths.map(|number| &robots[number]);
    let classification = match found.interlock {
        Interlock::Independent => "independent",
        Interlock::Ordered(_) => "order-needed",
        _ => "no-order",
    };
    let (outcome, collision) = match &found.timed {
        Timed::Free => (Outcome::Free, None),
        Timed::Undecided => (Outcome::Undecided, None),
        Timed::Collides(at) => {
            let lines = [0, 1].map(|k| own[k].line(at.instructions[k]));
            let report = TimedCollisionReport {
                time_s: at.time,
                links: at.links.clone(),
                motions: at.instructions.map(|motion| motion + 1),
                lines: both(lines),
                point: at.point.map(|point| point.to_array()),
            };
            (Outcome::Touching, Some(report))
        }
    };
    let zone = |(number, zone): (usize, &Zone)| {
        let motions = found.instructions[number];
        let lines = [0, 1].map(|k| both(motions[k].map(|motion| own[k].line(motion))));
        ZoneReport {
            motions: motions.map(|ends| ends.map(|motion| motion + 1)),
            lines: both(lines),
            times_s: [0, 1].map(|k| zone.times[k].map(|share| own[k].path.time_at(share))),
            links: found.links[number].clone(),
            space: zone.space.map(|space| [space.min.to_array(), space.max.to_array()]),
        }
    };
    CoordinatedPairReport {
        robots: found.paths.map(|number| number + 1),
        classification: classification.to_owned(),
        as_timed: AsTimedReport { outcome, collision },
        zones: found.diagram.zones.iter().enumerate().map(zone).collect(),
        blocked: found.diagram.blocked.clone(),
    }
}
