//! A mechanic who removes parts.

use super::{Studio, wait_text, wait_true};
use crate::support::Folder;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_mechanic_plays_the_removal_of_the_bulb_and_finds_its_obstacle() {
    let folder = Folder::new("studio-removal");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1366, 768]);
    let verdict = |what: &str| {
        wait_text(&browser, what, "return document.querySelector('.verdict')?.textContent ?? ''")
    };
    browser.click("[data-panel='Motion']");
    browser.click("[data-play='M2']");
    let planned = verdict("the verdict");
    assert!(planned.contains("Free, proven along the whole path, with at least 1.7"), "{planned}");
    browser.run("noli.studio.timeline.go(0.4)");
    browser.rest();
    browser.screenshot("studio-removal");
    let moved = browser.run(
        "const { studio } = noli, bulb = studio.track.bodies[0];
         return Math.hypot(...studio.viewer.bodies[bulb].at.map((x, k) => x - studio.bodies[bulb].at[k]))",
    );
    assert!(moved.as_f64().unwrap() > 1.0, "the bulb moves: {moved}");
    browser.click("[data-play='M2, headlight.cover left in']");
    wait_true(
        &browser,
        "the other verdict",
        "return document.querySelector('.verdict').textContent.includes('Blocked by headlight.cover')",
    );
    browser.screenshot("studio-blocked");
    // Removal paths found by noli: the cover has one.
    let choose = |name: &str| {
        browser.run(&format!(
            "noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === '{name}'))"
        ));
        browser.click("[data-panel='Motion']");
        browser.click("[data-play='path']");
    };
    choose("headlight.cover");
    let found = verdict("a path for the cover");
    assert!(found.contains("Removal path for headlight.cover: Free, proven"), "{found}");
    browser.rest();
    browser.screenshot("studio-path");
    // A long search shows its progress and can be stopped.
    choose("radiator.fan");
    wait_true(&browser, "the progress", "return !document.querySelector('[data-play=stop]').hidden");
    browser.click("[data-play='stop']");
    wait_true(
        &browser,
        "the end of the search",
        "return [...document.querySelectorAll('.note')].some((note) => note.textContent.includes('Stopped'))",
    );
    browser.logs_no_errors();
}
