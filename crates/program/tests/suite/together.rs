//! Programs that run at once: signals arrive as if every program had been given the others' outputs in advance.

use noli::{Mesh, Pose};
use noli_program::Programs;
use noli_program::run::{Job, LATENCY, Run, RunOptions, Signal, SignalSource, WorkCell, run, run_together};
use noli_robot::Robot;
use noli_robot::cell::CellBuilder;
use noli_testing::Random;
use std::fmt::Write as _;
use std::sync::Arc;

const ARM: &str = "name = \"arm\"\n[[joint]]\na = 1\n[[joint]]\na = 1\n";

fn arm() -> WorkCell {
    let robot = Arc::new(Robot::from_dh_str(ARM).unwrap());
    let shapes = robot.shapes(|file| Err::<Mesh, _>(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    let flange = robot.links().len() - 1;
    let mut work = WorkCell::new(plan, robot, "", Pose::IDENTITY, flange);
    work.locations.points.insert("A".into(), vec![0.3, -0.2]);
    work.locations.points.insert("B".into(), vec![-0.4, 0.5]);
    work
}

/// Statements on signals 1 to 4, delays and motions.
fn program(random: &mut Random) -> String {
    let mut text = String::from(".PROGRAM main()\n");
    if random.below(3) == 0 {
        let _ = writeln!(text, "REACTI {}, other", 1 + random.below(4));
    }
    for _ in 0..3 + random.below(12) {
        let signal = (1 + random.below(4)) as i64 * if random.below(3) == 0 { -1 } else { 1 };
        let _ = match random.below(6) {
            0 | 1 => writeln!(text, "SIGNAL {signal}"),
            2 => writeln!(text, "WAIT SIG({signal})"),
            // Multiples of the latency, so that signals arrive at the very time of statements.
            3 => writeln!(text, "DELAY {}\nBREAK", 0.001 * random.below(40) as f64),
            4 => writeln!(text, "IF SIG({signal}) THEN\nSIGNAL {}\nEND", 1 + random.below(4)),
            _ => writeln!(text, "MOVE #{}", if random.below(2) == 0 { "a" } else { "b" }),
        };
    }
    text + ".END\n.PROGRAM other()\nSIGNAL 4\nDELAY 0.01\n.END\n"
}

/// Every program alone, given the outputs of the others that are certain. The first further output of all is certain
/// too: all that it depends on was sent before it.
fn naive(work: &WorkCell, programs: &[Programs], options: &RunOptions) -> Vec<Run> {
    let mut certain: Vec<Vec<(f64, u32, bool)>> = vec![Vec::new(); programs.len()];
    loop {
        let mut runs = Vec::new();
        for (number, program) in programs.iter().enumerate() {
            let mut work = work.clone();
            for (_, sent) in certain.iter().enumerate().filter(|(other, _)| *other != number) {
                for signal in 1..5 {
                    let own = sent.iter().filter(|change| change.1 == signal);
                    let changes = own.map(|change| (change.0 + LATENCY, change.2)).collect();
                    work.signals.push(Signal { number: signal, source: SignalSource::Timed(changes) });
                }
            }
            runs.push(run(&work, program, "main", options).unwrap());
        }
        let next = |(number, run): (usize, &Run)| Some((number, *sent(run).get(certain[number].len())?));
        let next = runs.iter().enumerate().filter_map(next).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let Some((number, change)) = next else { return runs };
        certain[number].push(change);
    }
}

fn sent(run: &Run) -> Vec<(f64, u32, bool)> {
    let own = run.signals.iter().filter(|change| change.output);
    own.map(|change| (change.time, change.signal, change.on)).collect()
}

#[test]
fn random_programs_run_as_by_rounds_of_single_runs() {
    let (work, options) = (arm(), RunOptions { profile: 0, ..RunOptions::default() });
    let mut random = Random::new(41);
    let (mut completed, mut stuck, mut sends) = (0, 0, 0);
    for case in 0..150 {
        let texts: Vec<String> = (0..2 + case % 3).map(|_| program(&mut random)).collect();
        let programs: Vec<Programs> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let jobs = programs.iter().map(|programs| Job { work: &work, programs, main: "main", options });
        let jobs: Vec<Job<'_>> = jobs.collect();
        let found = run_together(&jobs, &|| false).unwrap();
        let wanted = naive(&work, &programs, &options);
        for (found, wanted) in found.iter().zip(&wanted) {
            assert_eq!(found.outcome, wanted.outcome, "{texts:?}");
            assert_eq!(sent(found), sent(wanted), "{texts:?}");
            assert_eq!(found.driven, wanted.driven, "{texts:?}");
            sends += sent(found).len();
            *(if found.outcome.is_ok() { &mut completed } else { &mut stuck }) += 1;
        }
    }
    assert!(completed > 50 && stuck > 50 && sends > 200, "{completed} {stuck} {sends}");
}
