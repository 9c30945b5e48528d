//! Panels of `noli-lab serve` in a browser.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

use crate::support::Folder;
use crate::support::studio::{Studio, fill, wait_text, wait_true};
use serde_json::json;

const SCENE: &str = "[[body]]\nname = 'a'\nbox = [1, 1, 1]\n[[body]]\nname = 'b'\nbox = [1, 1, 9]\n";

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_student_displays_a_bvh_compares_traversals_and_finishes_the_lesson() {
    let folder = Folder::new("studio-student");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1024, 768]);
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.cdp("Emulation.setEmulatedMedia", dark);
    browser.click("[data-panel='Lessons']");
    browser.click("[data-lesson='2']");
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === 'hose.upper'))");
    browser.click("[data-panel='BVH']");
    wait_true(&browser, "the root", "return noli.studio.tree?.volumes.length === 1");
    fill(&browser, "[aria-label='Level']", "3");
    wait_true(&browser, "eight spheres", "return noli.studio.tree.volumes.length === 8");
    browser.rest();
    browser.screenshot("studio-tree-dark");
    let other = browser.run("return noli.studio.bodies.findIndex((body) => body.name === 'cable.sensor')");
    fill(&browser, "[aria-label='Against']", &other.to_string());
    let tests = "return noli.studio.tree.facts.find(([term]) => term === 'tests of volumes')?.[1] ?? ''";
    let one_sided = wait_text(&browser, "the traversal", tests);
    fill(&browser, "[aria-label='Traversal']", "simultaneous");
    let simultaneous = browser.wait_for("another traversal", |_| {
        Some(wait_text(&browser, "its tests", tests)).filter(|tests| *tests != one_sided)
    });
    println!("tests of volumes: one-sided {one_sided}, simultaneous {simultaneous}");
    wait_true(&browser, "the end of the lesson", "return document.body.dataset.lesson === 'done'");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_record_is_shown_with_its_plots() {
    let folder = Folder::new("studio-record-plots");
    let plot = json!({ "title": "Cost", "x": "degree", "y": "ms", "shape": "lines", "places": [],
        "series": [{ "name": "ours", "points": [[2, 0.12], [3, 0.09], [4, 0.11]] }, { "name": "theirs", "points": [[2, 0.2], [4, 0.3]] }] });
    let bars = json!({ "title": "Tests", "x": "walk", "y": "tests", "shape": "bars", "places": ["one-sided", "hybrid"],
        "series": [{ "name": "tests", "points": [[0, 120], [1, 80]] }] });
    let record = json!({ "experiment": "demo", "machine": { "name": "here" }, "date": "2026-11-15", "seconds": 2.5, "notes": [],
        "findings": [{ "claim": "Three is best", "verdict": "confirmed", "why": "0.09 ms" }],
        "tables": [{ "title": "Cost", "columns": ["degree", "ms"], "rows": [{ "label": "2", "cells": [{ "ours": 0.12, "printed": 0.1 }] }] }],
        "plots": [plot, bars] });
    std::fs::create_dir_all(folder.0.join("lab/record/here")).unwrap();
    folder.file("lab/record/here/demo.json", record.to_string());
    let lab = Studio::start(&[&folder.file("other.toml", SCENE)]);
    let browser = lab.open(&folder, [1024, 768]);
    browser.click("[data-panel='Lab']");
    browser.click("[data-record='demo']");
    wait_true(&browser, "the plots", "return document.querySelectorAll('.chart').length === 2");
    assert_eq!(browser.run("return document.querySelectorAll('.chart rect').length"), 2);
    browser.screenshot("studio-lab");
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.cdp("Emulation.setEmulatedMedia", dark);
    let cut_off = "const cut = [...document.querySelectorAll('#tabs button, .pane')].filter((part) => !part.hidden
           && part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.textContent.slice(0, 20)); return cut.join(', ')";
    browser.rest();
    browser.screenshot("studio-lab-dark");
    assert_eq!(browser.run(cut_off), "");
    browser.logs_no_errors();
}

/// The records in the repository of noli, displayed from their folder.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn every_record_of_the_lab_is_drawn() {
    let folder = Folder::new("studio-records");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let studio = Studio::start(&[root]);
    let browser = studio.open(&folder, [1440, 900]);
    let records = browser.run("return noli.studio.hello.panels.records");
    let records: Vec<&str> = records.as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(records.len() > 10, "{records:?}");
    browser.click("[data-panel='Lab']");
    let mut plots = 0;
    for file in records {
        browser.run(&format!(
            "noli.studio.say({{ do: 'panel', panel: 'records', message: {{ file: {} }} }})",
            json!(file)
        ));
        wait_true(&browser, file, &format!("return noli.studio.recordFile === {}", json!(file)));
        let wrong = browser.run(
            "const { plots = [], tables } = noli.studio.record, charts = [...document.querySelectorAll('.chart')];
             if (charts.length !== plots.length || document.querySelectorAll('.pane .figures').length !== tables.length) return 'something is missing';
             const numbers = charts.flatMap((chart) => [...chart.querySelectorAll('*')].flatMap((part) => [...part.attributes].map(({ value }) => value)));
             const cut = charts.flatMap((chart) => [...chart.querySelectorAll('text')].filter((text) => {
               const [all, own] = [chart, text].map((part) => part.getBoundingClientRect());
               return own.bottom > all.bottom + 1 || own.left < all.left - 1 || own.right > all.right + 1;
             }));
             if (cut.length > 0) return 'cut off: ' + cut[0].textContent;
             return numbers.find((value) => /NaN|Infinity|undefined/.test(value)) ?? charts.length",
        );
        plots += wrong.as_u64().unwrap_or_else(|| panic!("{file}: {wrong}"));
    }
    assert!(plots > 0, "some have plots");
    browser.screenshot("studio-records");
    browser.logs_no_errors();
}
