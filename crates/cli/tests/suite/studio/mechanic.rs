//! Who takes parts out.

use super::{Studio, wait_text, wait_true};
use crate::support::Folder;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_mechanic_watches_the_bulb_come_out_and_sees_what_blocks_it() {
    let folder = Folder::new("studio-removal");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1366, 768]);
    let verdict = |what: &str| {
        wait_text(&browser, what, "return document.querySelector('.verdict')?.textContent ?? ''")
    };
    browser.click("[data-panel='Play']");
    browser.click("[data-play='M2']");
    let planned = verdict("the verdict");
    assert!(planned.contains("Free, proven for the whole way, with at least 1.7"), "{planned}");
    browser.run("noli.studio.timeline.go(0.4)");
    browser.rest();
    browser.screenshot("studio-removal");
    let moved = browser.run(
        "const { studio } = noli, bulb = studio.track.bodies[0];
         return Math.hypot(...studio.viewer.bodies[bulb].at.map((x, k) => x - studio.bodies[bulb].at[k]))",
    );
    assert!(moved.as_f64().unwrap() > 1.0, "the bulb is on its way: {moved}");
    browser.click("[data-play='M2, headlight.cover left in']");
    wait_true(
        &browser,
        "the other verdict",
        "return document.querySelector('.verdict').textContent.includes('Blocked by headlight.cover')",
    );
    browser.screenshot("studio-blocked");
    // A way that noli looks for itself: the cover comes out, and the bulb behind it does not.
    let choose = |name: &str| {
        browser.run(&format!(
            "noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === '{name}'))"
        ));
        browser.click("[data-panel='Play']");
        browser.click("[data-play='way']");
    };
    choose("headlight.cover");
    let found = verdict("a way for the cover");
    assert!(found.contains("A way out for headlight.cover: Free, proven"), "{found}");
    browser.rest();
    browser.screenshot("studio-way");
    // A search that goes on for long can be watched and stopped.
    choose("radiator.fan");
    wait_true(&browser, "the progress", "return !document.querySelector('[data-play=stop]').hidden");
    browser.click("[data-play='stop']");
    wait_true(
        &browser,
        "the end of it",
        "return [...document.querySelectorAll('.note')].some((note) => note.textContent.includes('Stopped'))",
    );
    browser.logs_no_errors();
}
