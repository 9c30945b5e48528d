//! Cells: their files, the bundled one, programs run in them.

use noli_io::cell::{
    FrameOptions, LoadedCell, RunSource, four_step_frames, load_cell_text, open_bundled_cell, parse_cell,
    read_program_text, run_csv, run_page, run_recording, run_report,
};
use noli_io::report::{Outcome, RunReport};
use noli_robot::run::{OnContact, Run, RunOptions, run};
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
    limits: noli_robot::program::RunLimits {
        steps: 100_000,
        seconds: 600.0,
        calls: 100,
        names: 1000,
        statement_seconds: 1e-3,
    },
    profile: 40,
    blend: 0.0,
};

#[test]
fn the_magazine_is_filled_and_nothing_touches() {
    let (cell, run, report) = bundled("magazine", &QUICK);
    println!("{}", serde_json::to_string_pretty(&report.first_failure).unwrap());
    for i in &report.instructions {
        println!(
            "{:>3} {:9} {:<24} {:8.3} {:6.3} {:.3} {:?}",
            i.line,
            i.kind,
            i.text,
            i.start,
            i.seconds,
            i.driven,
            i.clearance.as_ref().map(|c| (c.gap.at_least * 1e3, c.gap.at_most * 1e3, c.gap.links.clone()))
        );
    }
    for c in &report.contacts {
        println!("{c:?}");
    }
    assert_eq!((report.outcome, report.ended.as_str()), (Outcome::Free, "completed"));
    assert!(report.contacts.is_empty() && report.first_failure.is_none());
    assert_eq!(report.executable, report.motions);
    assert!(report.smallest_gap.as_ref().unwrap().gap.at_least > 0.0);
    assert_eq!(report.shown[0].text, "parts in the magazine: 6\n");
    // Every part has come to its pocket.
    for (number, part) in cell.work.loose.iter().enumerate() {
        let last = run.parts.iter().rfind(|change| change.part == number).unwrap();
        let noli_robot::run::Whereabouts::Stands(pose) = last.now else { panic!("{} is held", part.name) };
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
    assert!(run_page(&report).contains("</html>"));
}
