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
