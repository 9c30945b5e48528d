//! The page of a run of the bundled cell.

use noli_program::run::{RunOptions, run};
use noli_project::cell::{RunSource, open_bundled_cell, run_report};

#[test]
fn the_page_of_a_run_is_whole_and_lists_its_instructions() {
    let cell = open_bundled_cell("magazine").unwrap();
    let source = RunSource::of_cell(&cell).unwrap();
    let options = RunOptions { profile: 0, ..RunOptions::default() };
    let run = run(&cell.work, &source.programs, &source.main, &options).unwrap();
    let report = run_report(&cell, &source, &run);
    let page = noli_pages::run_page(&report);
    assert!(page.starts_with("<!doctype html>") && page.contains("</html>"));
    assert_eq!(page.matches("<tr").count(), 1 + report.instructions.len() + report.contacts.len());
}
