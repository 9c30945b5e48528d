//! VAL-II: conformance cases as data, what motions do to the clock, and that nothing panics or hangs.

use glam::{DQuat, DVec3};
use noli_geom::Pose;
use noli_program::*;
use noli_robot::{PumaSet, puma560};
use noli_testing::Random;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

fn controller() -> VirtualController {
    let mut host = VirtualController::new(Arc::new(puma560(PumaSet::FuGonzalezLee)), 6).unwrap();
    host.start = [0.0, -45.0, 135.0, 0.0, 60.0, 0.0].map(f64::to_radians).to_vec();
    host.ready = [0.0, -90.0, 90.0, 0.0, 20.0, 0.0].map(f64::to_radians).to_vec();
    host.inputs = vec![(0.5, 1004, true), (2.0, 1004, false), (3.0, 1005, true)];
    host.gripper = [0.1, 0.02];
    host
}

/// Transformations with the tool pointing down.
fn teach<H: Host>(interpreter: &mut Interpreter<'_, H>) {
    let down = |x: f64, y: f64, z: f64| Pose::new(DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0), DVec3::new(x, y, z));
    for (name, pose) in
        [("SAFE", down(0.4, 0.15, 0.3)), ("PART1", down(0.4, 0.2, 0.1)), ("BIN", down(0.35, 0.3, 0.15))]
    {
        interpreter.locations.transformations.insert(name.into(), pose);
    }
    let rest = [10.0, -60.0, 120.0, 0.0, 50.0, 0.0].map(f64::to_radians).to_vec();
    interpreter.locations.points.insert("REST".into(), rest);
}

fn limits() -> RunLimits {
    RunLimits { steps: 20_000, seconds: 200.0, calls: 20, names: 100, ..Default::default() }
}

fn run(text: &str) -> (Vec<Trace>, Result<Outcome, RunError>) {
    let programs = text.parse::<Programs>().unwrap_or_else(|error| panic!("{text}\n{error}"));
    let mut host = controller();
    let mut interpreter = Interpreter::new(&programs, &mut host, limits());
    teach(&mut interpreter);
    let name = programs.list.first().map_or("MAIN", |program| program.name.as_str());
    let result = interpreter.run(name);
    (host.trace, result)
}

fn told(trace: &[Trace], result: &Result<Outcome, RunError>) -> Vec<String> {
    let mut lines: Vec<String> = trace
        .iter()
        .map(|event| match &event.kind {
            TraceKind::Motion { kind, blends, .. } => {
                let word = match kind {
                    MotionKind::Joint => "joint",
                    MotionKind::Straight => "straight",
                    MotionKind::Rest => "rest",
                };
                format!("{}{word}", if *blends { "~" } else { "" })
            }
            TraceKind::Stopped { .. } => "stopped".to_owned(),
            TraceKind::Output { signal, on } => format!("out {signal} {}", if *on { "on" } else { "off" }),
            TraceKind::Grip { open, opening } => {
                format!("grip {} {}", if *open { "open" } else { "close" }, (opening * 1000.0).round())
            }
            TraceKind::Shown(text) => format!("show {}", text.trim_end_matches('\n')),
        })
        .collect();
    lines.push(match result {
        Ok(outcome) => format!("{:?}", outcome.ended).to_lowercase(),
        Err(error) => format!("error {error}"),
    });
    lines
}

fn text_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        other => panic!("a text, not {other:?}"),
    }
}

fn table<'a>(root: &'a DeTable<'a>, name: &str) -> &'a DeTable<'a> {
    match root.get(name).unwrap().get_ref() {
        DeValue::Table(table) => table,
        other => panic!("a table, not {other:?}"),
    }
}

#[test]
fn conformance_cases() {
    let text = include_str!("../val/cases.toml");
    let root = DeTable::parse(text).unwrap();
    let root = root.get_ref();
    let (mut count, mut failures) = (0, Vec::new());
    let mut said = std::collections::HashSet::new();
    for (expression, wanted) in table(root, "expressions") {
        count += 1;
        let (expression, wanted) = (expression.get_ref(), text_of(wanted.get_ref()));
        let (trace, result) = run(&format!("TYPE {expression}"));
        let found = told(&trace, &result);
        if found != [format!("show {wanted}"), "completed".to_owned()] {
            failures.push(format!("TYPE {expression}: {found:?}, not {wanted}"));
        }
    }
    for (program, wanted) in table(root, "wrong") {
        count += 1;
        let (program, wanted) = (program.get_ref(), text_of(wanted.get_ref()));
        match program.parse::<Programs>() {
            Ok(_) => failures.push(format!("{program:?} is read, not refused")),
            Err(error) if error.to_string().starts_with(&wanted) => {}
            Err(error) => failures.push(format!("{program:?}: {error}")),
        }
    }
    let DeValue::Array(runs) = root.get("run").unwrap().get_ref() else { panic!("a list") };
    for case in runs.iter() {
        count += 1;
        let DeValue::Table(case) = case.get_ref() else { panic!("a table") };
        let program = text_of(case.get("text").unwrap().get_ref());
        let DeValue::Array(wanted) = case.get("trace").unwrap().get_ref() else { panic!("a list") };
        let wanted: Vec<String> = wanted.iter().map(|line| text_of(line.get_ref())).collect();
        let words = program.split(|c: char| !c.is_ascii_alphanumeric());
        said.extend(words.map(str::to_ascii_uppercase));
        let (trace, result) = run(&program);
        let found = told(&trace, &result);
        let same = found.len() == wanted.len()
            && found.iter().zip(&wanted).all(|(found, wanted)| {
                found == wanted || (wanted.starts_with("error ") && found.starts_with(wanted.as_str()))
            });
        if !same {
            failures.push(format!("{program}\n   {found:?}\nnot {wanted:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
    assert!(count >= 150, "{count} cases");
    let missing: Vec<&str> = STATEMENTS.into_iter().filter(|word| !said.contains(*word)).collect();
    assert!(missing.is_empty(), "no case runs {missing:?}");
    eprintln!("{count} cases");
}

fn motions(trace: &[Trace]) -> Vec<(f64, f64)> {
    let seconds = |event: &Trace| match &event.kind {
        TraceKind::Motion { seconds, .. } => Some((event.time, *seconds)),
        _ => None,
    };
    trace.iter().filter_map(seconds).collect()
}

#[test]
fn a_motion_starts_and_the_program_runs_on() {
    let (trace, _) = run("MOVE part1\nSIGNAL 5\nMOVE bin\nSIGNAL 6\nBREAK\nSIGNAL 7");
    let out = |signal: u32| {
        trace
            .iter()
            .find(|e| matches!(&e.kind, TraceKind::Output { signal: s, .. } if *s == signal))
            .unwrap()
            .time
    };
    let m = motions(&trace);
    assert!(out(5) < m[0].0 + m[0].1, "the signal comes while the arm moves");
    assert!((m[1].0 - (m[0].0 + m[0].1)).abs() < 1e-9, "the second motion waits for the first");
    assert!(out(6) < m[1].0 + m[1].1 && out(7) >= m[1].0 + m[1].1);
}

#[test]
fn speeds_hold_for_one_motion_or_always() {
    let slow = |text: &str| motions(&run(text).0).iter().map(|m| m.1).collect::<Vec<_>>();
    let plain = slow("MOVE part1\nMOVE safe\nMOVE part1");
    let once = slow("SPEED 10\nMOVE part1\nMOVE safe\nMOVE part1");
    let always = slow("SPEED 10 ALWAYS\nMOVE part1\nMOVE safe\nMOVE part1");
    assert!(once[0] > 2.0 * plain[0] && once[1] == plain[1]);
    assert!(always[1] > 2.0 * plain[1] && always[2] > 2.0 * plain[2]);
    let line = slow("MOVE safe\nSPEED 10 MMPS\nMOVES SHIFT(safe BY 0, 0, -100)");
    assert!((line[1] - 10.0).abs() < 0.1, "{line:?}");
}

#[test]
fn the_arm_is_held_as_asked() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let arm = noli_robot::SphericalWrist::new(&robot, 6).unwrap();
    let ends = |text: &str| {
        let (trace, result) = run(text);
        result.unwrap();
        trace
            .iter()
            .filter_map(|event| match &event.kind {
                TraceKind::Motion { to, .. } => Some(arm.branch_of(to).to_string()),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let held = ends("MOVE part1\nRIGHTY\nMOVE part1\nMOVE safe\nLEFTY\nNOFLIP\nMOVE part1");
    assert!(held[0].starts_with("lefty above"), "{held:?}");
    assert!(held[1].starts_with("righty") && held[2].starts_with("righty"), "{held:?}");
    assert_eq!(held[3], "lefty above noflip");
}

#[test]
fn lines_that_cannot_be_followed_say_how_far() {
    // Through the column of the robot.
    let (_, result) = run("MOVE safe\nMOVES TRANS(-400, 150, 300, 0, 180, 0)");
    let error = result.unwrap_err();
    assert_eq!(error.place.line, 2);
    assert!(error.to_string().contains("% of the line"), "{error}");
}

#[test]
fn runs_repeat_to_the_last_bit() {
    let text = "FOR i = 1 TO 5\nMOVE SHIFT(part1 BY RANDOM() * 10, 0, 0)\nWAIT TIMER(1) > i\nEND";
    let (first, again) = (run(text), run(text));
    assert_eq!(first.0, again.0);
    assert_eq!(first.1, again.1);
}

#[test]
fn mutated_programs_neither_panic_nor_hang() {
    let text = include_str!("../val/cases.toml");
    let root = DeTable::parse(text).unwrap();
    let DeValue::Array(runs) = root.get_ref().get("run").unwrap().get_ref() else { panic!("a list") };
    let sources: Vec<String> = runs
        .iter()
        .map(|case| match case.get_ref() {
            DeValue::Table(case) => text_of(case.get("text").unwrap().get_ref()),
            _ => String::new(),
        })
        .collect();
    let words = [
        "MOVE",
        "1e300",
        "-",
        "(",
        ")",
        "END",
        "GOTO 10\n",
        "10 ",
        ":",
        "#",
        "TRANS(",
        ",",
        "\n",
        "[",
        "]",
        "FOR i = 1 TO 1e9\n",
        "é",
        "\"",
        "CALL main\n",
        "WAIT ",
        "0",
        "REACTI 1004, MAIN\n",
        "x",
        "NOT ",
        "^7",
    ];
    let mut random = Random::new(99);
    let start = std::time::Instant::now();
    let (mut read, mut ran, mut all) = (0, 0, 0);
    while all < 20_000 && start.elapsed().as_secs() < 30 {
        all += 1;
        let mut bytes = sources[random.index(sources.len())].clone().into_bytes();
        for _ in 0..1 + random.index(3) {
            let at = random.index(bytes.len().max(1));
            let end = (at + random.index(8)).min(bytes.len());
            match random.index(5) {
                0 if at < bytes.len() => bytes[at] = random.bits() as u8,
                1 => drop(bytes.drain(at..end)),
                2 => {
                    let other = sources[random.index(sources.len())].as_bytes();
                    let line = other.split(|b| *b == b'\n').nth(random.index(3)).unwrap_or_default();
                    bytes.splice(at..at, [line, b"\n"].concat());
                }
                _ => drop(bytes.splice(at..end, words[random.index(words.len())].bytes())),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let Ok(programs) = text.parse::<Programs>() else { continue };
        read += 1;
        let mut host = controller();
        let limits = RunLimits { steps: 300, seconds: 100.0, calls: 10, names: 50, ..Default::default() };
        let mut interpreter = Interpreter::new(&programs, &mut host, limits);
        teach(&mut interpreter);
        let name = programs.list.first().map_or("MAIN", |program| program.name.as_str());
        ran += usize::from(interpreter.run(name).is_ok());
    }
    eprintln!("{all} mutants: {read} were programs, {ran} ran to an end");
    assert!(read > 500 && ran > 100);
}

#[test]
fn absurd_texts_are_refused_in_time() {
    let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(deep.parse::<Programs>().is_err());
    let long = format!("x = 1{}", " + 1".repeat(100_000));
    assert!(long.parse::<Programs>().is_err());
    let minus = format!("x = {}1", "-".repeat(900));
    assert!(minus.parse::<Programs>().is_err());
    let blocks = "IF 1 THEN\n".repeat(5000);
    assert!(blocks.parse::<Programs>().is_err());
    assert!("x".repeat(20 << 20).parse::<Programs>().is_err());
}

/// Locations found unset before a run are those that runs stop at: every statement here is reached.
#[test]
fn locations_that_nothing_sets_are_those_that_runs_stop_at() {
    let statements = [
        ("MOVE safe", None),
        ("MOVE #rest", None),
        ("MOVE rest", Some("REST")),
        ("MOVE #safe", Some("#SAFE")),
        ("APPRO nowhere, 50", Some("NOWHERE")),
        ("SET bin = SHIFT(gone BY 0, 0, 10)", Some("GONE")),
        ("SET here.too = bin", None),
        ("x = DISTANCE(safe, lost)", Some("LOST")),
        ("TYPE DX(lost)", Some("LOST")),
        ("HERE place[2]\nMOVE place[2]", None),
        ("MOVE part[1]", Some("PART[1]")),
        ("i = 1\nMOVE part[i]", Some("PART[]")),
        ("TOOL flange", Some("FLANGE")),
        ("WAIT INRANGE(far) == 0", Some("FAR")),
    ];
    for (text, wanted) in statements {
        let programs = text.parse::<Programs>().unwrap_or_else(|error| panic!("{text}\n{error}"));
        let mut host = controller();
        let mut interpreter = Interpreter::new(&programs, &mut host, limits());
        teach(&mut interpreter);
        let unset = programs.unset_locations(&interpreter.locations);
        let names: Vec<&str> = unset.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, Vec::from_iter(wanted), "{text}");
        let result = interpreter.run("MAIN");
        let stops = matches!(&result, Err(error) if matches!(error.fault, RunFault::NoLocation(_)));
        assert_eq!(stops, wanted.is_some(), "{text}: {result:?}");
    }
}

/// A wrong index is named with its array, its digits and the elements that there are.
#[test]
fn errors_of_indices_name_array_index_and_range() {
    for (text, wanted) in [
        ("a[-1] = 4", "the index of `A` is -1; it must be a whole number from 0 to 1000000"),
        ("i = 1.5\na[i] = 4", "the index of `A` is 1.5; it must be a whole number from 0 to 1000000"),
        ("a[2000000] = 4", "the index of `A` is 2000000; it must be"),
        ("a[1] = 4\na[3] = 5\nb = a[7]", "`A[7]` has no value: the array has elements from 1 to 3"),
        ("b = a[7]", "the variable `A[7]` has no value"),
        ("SET p[2] = safe\nMOVE p[0]", "`P[0]` has no value: the array has elements from 2 to 2"),
        ("DRIVE 7, 10, 100", "the joint is 7; it must be a whole number from 1 to 6"),
    ] {
        let error = run(text).1.unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    // Rounding of a computed index is none of its user's business.
    assert!(run("a[3] = 4\ni = 0.1 * 30\nb = a[i]").1.is_ok());
}
