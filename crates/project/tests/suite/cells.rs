//! Cells: their files, the bundled one, programs run in them.

use noli_program::run::{DrivenKind, OnContact, Run, RunOptions, run};
use noli_project::cell::{
    LoadedCell, RunSource, frame_poses, load_cell_text, open_bundled_cell, parse_cell, parts_at,
    read_program_text, run_csv, run_gltf, run_recording, run_report,
};
use noli_project::report::{RunOutcome, RunReport};
use noli_robot::SphericalWrist;
use std::path::Path;

fn ran(cell: &LoadedCell, source: &RunSource, options: &RunOptions) -> (Run, RunReport) {
    let run = run(&cell.work, &source.programs, &source.main, options).unwrap();
    let report = run_report(cell, source, &run);
    (run, report)
}

fn bundled(name: &str, options: &RunOptions) -> (LoadedCell, Run, RunReport) {
    let cell = open_bundled_cell(name).unwrap();
    let source = RunSource::of_cell(&cell).unwrap();
    let (run, report) = ran(&cell, &source, options);
    (cell, run, report)
}

const QUICK: RunOptions = RunOptions {
    on_contact: OnContact::Stop,
    limits: noli_program::RunLimits {
        steps: 100_000,
        seconds: 600.0,
        calls: 100,
        names: 1000,
        statement_seconds: 1e-3,
    },
    profile: 40,
    blend: 0.0,
};

const ARM: &str = "units = \"mm\"\n[robot]\npuma560 = \"fu-gonzalez-lee\"\nstand_in = 45\nflange = \"link6\"\n\
    start_deg = [0, -60, 150, 0, 60, 0]\n[collisions]\nskip = [[\"link2\", \"link4\"], [\"link4\", \"link6\"]]\n";

fn tried(more: &str, program: &str) -> RunReport {
    let text = format!("{ARM}{more}");
    let cell = load_cell_text(text.as_bytes(), Path::new("cell.toml")).unwrap();
    let source = read_program_text(program, Path::new("test.val")).unwrap();
    ran(&cell, &source, &RunOptions { profile: 0, ..QUICK }).1
}

#[test]
fn what_is_wrong_with_a_cell_is_told_with_its_place_and_a_remedy() {
    let load = |text: &str| load_cell_text(text.as_bytes(), Path::new("cell.toml")).unwrap_err().to_string();
    for (text, wanted) in [
        ("units = 'mm'", "the cell has no `robot`; add a [[robot]] with `urdf`, `dh` or `puma560`"),
        (
            "[robot]\nstored = 'arm'",
            "cell.toml:2: a `stored` robot needs the file it is stored in; add `database",
        ),
        ("[robot]\npuma560 = 'eaik'\ndatabase = 'a.db'", "only `stored` is in a database; drop `database`"),
        ("[robot]\nstored = 'arm'\ndatabase = 'a.db'", "a.db: databases are not opened here"),
        ("[robot]\npuma560 = 'fu'", "cell.toml:2: `puma560` of `robot` of the cell cannot be `fu`"),
        ("[robot]\npuma560 = 'eaik'\nbasis = 3", "has no key `basis`; did you mean `base`?"),
        ("[robot]\npuma560 = 'eaik'\nflange = 'link9'", "has no link `link9`; did you mean `link"),
        ("[robot]\npuma560 = 'eaik'\nstart_deg = [1, 2]", "2 joint values for 6 joints"),
        ("[robot]\npuma560 = 'eaik'\nstart_deg = [170, -90, 90, 0, 0, 0]", "`j1` is"),
        (
            "[robot]\npuma560 = 'eaik'\n[[location]]\nname = 'a b'",
            "cell.toml:4: `a b` is not a name that a program can say",
        ),
        (
            "[robot]\npuma560 = 'eaik'\n[[location]]\nname = 'a'\nin = 'b'",
            "cell.toml:4: there is no location `b` to be a frame",
        ),
        ("[robot]\npuma560 = 'eaik'\n[[signal]]\nnumber = 7", "nothing drives signal 7; add `on = true`"),
        ("[robot]\npuma560 = 'eaik'\n[[part]]\nbody = 'box*'", "no body is called `box*`"),
        ("[robot]\npuma560 = 'eaik'\n[collisions]\nskip = [['link1', 'lonk2']]", "did you mean `link2`?"),
        ("[robot]\nurdf = 'none.urdf'", "none.urdf: cannot be read"),
        ("[robot]\npuma560 = 'eaik'\n[gripper]\npalm = { box = [1, 1, 1] }", "described neither way"),
    ] {
        let found = load(text);
        assert!(found.contains(wanted), "{text}\n{found}\nwanted {wanted}");
    }
    assert!(parse_cell(ARM.as_bytes()).is_ok());
}

#[test]
fn places_that_cannot_be_reached_are_told_with_their_line() {
    let far = tried("", "HERE start\nMOVE TRANS(2000, 0, 0, 0, 0, 0)");
    let failure = far.first_failure.unwrap();
    assert_eq!((failure.line, failure.kind.as_str()), (2, "unreachable"));
    assert!(failure.reason.contains("out of reach"), "{}", failure.reason);
    let limit = tried("", "DRIVE 1, 170, 100");
    let failure = limit.first_failure.unwrap();
    assert_eq!((failure.line, failure.kind.as_str()), (1, "unreachable"));
    assert!(failure.reason.contains("`j1`"), "{}", failure.reason);
}

#[test]
fn what_stands_in_the_way_stops_the_arm_between_points() {
    // A wire so thin that hardly any sample would meet it.
    let wire = "[[body]]\nname = \"wire\"\ncylinder = { radius = 0.05, height = 600 }\n\
        pose = { xyz = [300, 500, 100] }\n";
    let report = tried(wire, "DRIVE 1, 120, 100\nBREAK");
    assert_eq!(report.outcome, RunOutcome::Touching);
    let contact = &report.contacts[0];
    assert_eq!((contact.line, contact.links[1].as_str()), (1, "wire"));
    assert!(contact.safe_until <= contact.touching_by && contact.clearance.at_least >= 0.0);
    assert!(contact.clearance.at_most < 1e-4, "the arm stops close: {:?}", contact.clearance);
    let point = contact.point.unwrap();
    assert!((point[0] - 0.3).hypot(point[1] - 0.5) < 1e-3, "{point:?}");
    assert_eq!(report.executable, 0);
    // Without it the way is free.
    assert_eq!(tried("", "DRIVE 1, 120, 100\nBREAK").outcome, RunOutcome::Free);
}

#[test]
fn signals_come_from_outside_and_vertices_are_cut() {
    let signals = "[[signal]]\nnumber = 1004\nname = \"go\"\nat = [[0.5, true]]\n[[signal]]\nnumber = 1005\n\
        follows = 3\ndelay = 1\n";
    let report = tried(signals, "WAIT SIG(go)\nSIGNAL 3\nWAIT SIG(1005)\nTYPE INT(TIMER(1) * 10)");
    assert_eq!(report.ended, "completed", "{:?}", report.first_failure);
    let changes: Vec<(u32, bool)> =
        report.signals.iter().map(|change| (change.signal, change.output)).collect();
    assert_eq!(changes[..3], [(1004, false), (3, true), (1005, false)]);
    assert!(report.cycle_seconds > 1.5 && report.cycle_seconds < 1.6, "{}", report.cycle_seconds);
    let cell = load_cell_text(ARM.as_bytes(), Path::new("cell.toml")).unwrap();
    let program = "DRIVE 1, 40, 100\nDRIVE 2, -20, 100\nBREAK\nDRIVE 1, -40, 100";
    let source = read_program_text(program, Path::new("test.val")).unwrap();
    let options = RunOptions { profile: 0, blend: 0.05, ..QUICK };
    let (done, report) = ran(&cell, &source, &options);
    let kinds: Vec<&str> = report.instructions.iter().map(|i| i.kind.as_str()).collect();
    assert_eq!(kinds, ["joint", "blend", "joint", "joint"], "no blend after BREAK");
    // The path has no jump anywhere.
    let mut last = done.values_at(0.0).unwrap();
    for k in 1..=2000 {
        let now = done.values_at(report.cycle_seconds * f64::from(k) / 2000.0).unwrap();
        let step = last.iter().zip(&now).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(step < 0.01, "{step} at {k}");
        last = now;
    }
}

#[test]
fn the_magazine_is_filled_and_nothing_touches() {
    let (cell, run, report) = bundled("magazine", &QUICK);
    assert_eq!((report.outcome, report.ended.as_str()), (RunOutcome::Free, "completed"));
    assert!(report.contacts.is_empty() && report.first_failure.is_none());
    assert_eq!(report.executable, report.motions);
    assert!(report.smallest_clearance.as_ref().unwrap().clearance.at_least > 0.0);
    assert_eq!(report.shown[0].text, "parts in the magazine: 6\n");
    // Every part has come to its pocket.
    for (number, part) in cell.work.loose.iter().enumerate() {
        let last = run.parts.iter().rfind(|change| change.part == number).unwrap();
        let noli_program::run::PartLocation::Stands(pose) = last.now else { panic!("{} is held", part.name) };
        let at = pose.translation;
        let pocket = |x: f64, first: f64| ((x - first) / 0.1 - ((x - first) / 0.1).round()).abs() < 0.01;
        assert!(pocket(at.x, 0.33) && pocket(at.y, 0.27), "{}: {at}", part.name);
    }
    // The sensor goes off when the last part is taken away.
    let sensor: Vec<bool> = report.signals.iter().filter(|s| s.signal == 1004).map(|s| s.on).collect();
    assert_eq!(sensor, [true, false]);
    let recording = run_recording(&cell, &run, 5.0, 200);
    assert_eq!(recording.frames[0].poses.len(), cell.looks.len());
    assert_eq!(run_csv(&report).lines().count(), report.instructions.len() + 1);
}

#[test]
fn a_post_in_the_way_stops_the_run_before_contact() {
    let (_, run, report) = bundled("magazine-clash", &RunOptions { profile: 0, ..QUICK });
    assert_eq!((report.outcome, report.ended.as_str()), (RunOutcome::Touching, "failed"));
    let contact = &report.contacts[0];
    assert!(contact.links.contains(&"post".to_owned()), "{contact:?}");
    assert_eq!(report.first_failure.as_ref().unwrap().line, contact.line);
    let point = contact.point.unwrap();
    assert!((point[0] - 0.45).hypot(point[1] + 0.18) < 0.0121, "on the post: {point:?}");
    // The arm stands where nothing touches yet, and close to it.
    assert!(contact.clearance.at_least > 0.0 && contact.clearance.at_most < 1e-3, "{:?}", contact.clearance);
    assert!(run.driven.last().unwrap().until < 1.0);
}

/// Along every program the arm goes on from where it is, in small steps, shoulder and elbow held as they were on
/// all of a straight line.
#[test]
fn no_program_jumps_from_branch_to_branch() {
    let options = RunOptions { profile: 0, on_contact: OnContact::Warn, blend: 0.02, ..QUICK };
    let (cell, run, _) = bundled("magazine", &options);
    let arm = SphericalWrist::new(&cell.work.robot, cell.work.flange).unwrap();
    let held = |values: &[f64]| {
        let branch = arm.branch_of(values);
        (branch.shoulder, branch.elbow)
    };
    let change = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (mut jumps, mut pieces) = (0, 0);
    for driven in &run.driven {
        for two in driven.keys.windows(2).filter(|_| driven.kind == DrivenKind::Straight) {
            pieces += 1;
            jumps += usize::from(change(&two[0].1, &two[1].1) > 0.2 || held(&two[0].1) != held(&two[1].1));
        }
    }
    for two in run.driven.windows(2) {
        let [end, start] = [two[0].values(two[0].until), two[1].values(two[1].from)];
        jumps += usize::from(change(&end, &start) > 1e-9);
    }
    assert_eq!(jumps, 0);
    assert!(pieces > 100, "{pieces} pieces of straight lines");
}

#[test]
fn the_animation_shows_the_run() {
    let (cell, run, _) = bundled("magazine-clash", &RunOptions { profile: 0, ..QUICK });
    let bytes = run_gltf(&cell, &run, 10.0).unwrap();
    let file = noli_formats::read_bytes(&bytes, noli_formats::MeshFormat::Gltf, &Default::default()).unwrap();
    assert_eq!(file.objects.len(), cell.looks.len());
    // The first chunk is the JSON, the second the numbers.
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
    let binary = &bytes[28 + word(12)..];
    let numbers = |accessor: &serde_json::Value| -> Vec<f32> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap() as usize;
        let words = binary[at..at + view["byteLength"].as_u64().unwrap() as usize].chunks_exact(4);
        words.map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let animation = &json["animations"][0];
    let (mut channels, mut moved) = (0, 0);
    for channel in animation["channels"].as_array().unwrap() {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let (times, values) = (numbers(&sampler["input"]), numbers(&sampler["output"]));
        let node = channel["target"]["node"].as_u64().unwrap() as usize;
        let wide = if channel["target"]["path"] == "rotation" { 4 } else { 3 };
        assert_eq!(values.len(), wide * times.len());
        assert!(times.windows(2).all(|two| two[0] < two[1]));
        for (k, &time) in times.iter().enumerate().step_by(7) {
            let time = f64::from(time);
            let poses = frame_poses(
                &cell,
                &run.values_at(time).unwrap(),
                &parts_at(&run, cell.work.loose.len(), time),
            );
            let pose = poses[node];
            let found = &values[wide * k..wide * (k + 1)];
            // Times are rounded to single precision, and nothing goes faster than a few metres a second.
            if wide == 3 {
                let path =
                    (0..3).map(|n| (f64::from(found[n]) - pose.translation[n]).abs()).fold(0.0, f64::max);
                assert!(path < 1e-4, "{path} at {time} s");
            } else {
                let wanted = pose.rotation.normalize().to_array();
                let dot: f64 = (0..4).map(|n| f64::from(found[n]) * wanted[n]).sum();
                assert!(dot.abs() > 1.0 - 1e-6, "{dot} at {time} s");
            }
            moved += 1;
        }
        channels += 1;
    }
    assert!(channels >= 12 && moved > 100, "{channels} channels, {moved} poses");
    let names: Vec<&str> =
        json["nodes"].as_array().unwrap().iter().filter_map(|n| n["name"].as_str()).collect();
    assert!(names.contains(&"post") && names.contains(&"link3"), "{names:?}");
}
