//! The page of a run of the bundled cell.

use noli_program::run::{RunOptions, run};
use noli_project::cell::{RunSource, open_bundled_cell, run_recording, run_report};

#[test]
fn the_page_of_a_run_moves_the_robot_and_lists_its_instructions() {
    let cell = open_bundled_cell("magazine").unwrap();
    let source = RunSource::of_cell(&cell).unwrap();
    let options = RunOptions { profile: 0, ..RunOptions::default() };
    let run = run(&cell.work, &source.programs, &source.main, &options).unwrap();
    let (report, recording) = (run_report(&cell, &source, &run), run_recording(&cell, &run, 10.0, 500));
    let page = noli_pages::run_page(&cell, &report, &recording).unwrap();
    let data: serde_json::Value = serde_json::from_str(page.json()).unwrap();
    assert_eq!(data["bodies"].as_array().unwrap().len(), cell.looks.len());
    assert_eq!(data["play"]["steps"].as_array().unwrap().len(), report.instructions.len());
    assert_eq!(data["play"]["times"].as_array().unwrap().len(), recording.frames.len() + 1);
    assert!(!data["play"]["bodies"].as_array().unwrap().is_empty());
    let html = page.html();
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
}

/// The contact that stops a program is at the very end of the recording.
#[test]
fn the_page_of_a_stopped_run_lists_its_contact() {
    let cell = open_bundled_cell("magazine-clash").unwrap();
    let source = RunSource::of_cell(&cell).unwrap();
    let options = RunOptions { profile: 0, ..RunOptions::default() };
    let run = run(&cell.work, &source.programs, &source.main, &options).unwrap();
    assert_eq!(run.contacts.len(), 1);
    let (report, recording) = (run_report(&cell, &source, &run), run_recording(&cell, &run, 10.0, 500));
    let page = noli_pages::run_page(&cell, &report, &recording).unwrap();
    let data: serde_json::Value = serde_json::from_str(page.json()).unwrap();
    let pairs = data["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    let name = |side: &str| {
        let body = pairs[0][side].as_u64().unwrap() as usize;
        data["bodies"][body]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!([name("a"), name("b")], run.contacts[0].parts);
}
