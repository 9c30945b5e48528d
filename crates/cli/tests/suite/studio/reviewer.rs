//! A packaging engineer who reviews an engine bay over two days.

use super::{Studio, engine_bay, fill, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::{Value, json};

/// Selects a pair, and sets its status and comment.
fn decide(browser: &Browser, pair: [&str; 2], status: &str, comment: &str) {
    let row = format!(
        "return [...document.querySelectorAll('.results [data-pair]')].map((row) => row.dataset.pair)
           .find((pair) => {}.every((name) => pair.split('|').includes(name))) ?? ''",
        json!(pair)
    );
    let row = wait_text(browser, "the row of the pair", &row);
    browser.click(&format!(".results [data-pair='{row}']"));
    fill(browser, ".card [aria-label='Status']", status);
    let kept = |what: &str, column: usize| {
        format!(
            "const {{ studio }} = noli, names = {};
             return studio.results.status.some((entry) => entry[{column}] === {}
               && names.includes(studio.nameOf(entry[0])) && names.includes(studio.nameOf(entry[1])))",
            json!(pair),
            json!(what)
        )
    };
    wait_true(browser, status, &kept(status, 2));
    fill(browser, ".card [aria-label='Comment']", comment);
    wait_true(browser, comment, &kept(comment, 3));
}

/// Statuses and comments by names.
fn decisions(browser: &Browser) -> Value {
    browser.run(
        "const { studio } = noli;
         return studio.results.status.map(([a, b, status, comment]) => [studio.nameOf(a), studio.nameOf(b), status, comment]).sort()",
    )
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn an_engine_bay_is_reviewed_over_two_days() {
    let folder = Folder::new("studio-review");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let mut studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1440, 900]);
    decide(&browser, ["fuses.box", "fuses.relay"], "approved", "the relay is plugged into its box");
    decide(&browser, ["bracket.left", "hose.washer"], "active", "routing: move the hose by 10 mm");
    browser.rest();
    browser.screenshot("story-review-first-day");
    // Another part is moved, and everything saved.
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex(({ name }) => name === 'horn'))");
    wait_true(&browser, "the horn to be selected", "return document.body.dataset.chosen === 'horn'");
    fill(&browser, "[aria-label='Step']", "2");
    browser.click("[data-nudge='z1']");
    wait_true(&browser, "the horn moved", "return noli.studio.edits.undo === 'move horn'");
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let fresh = "return noli.studio.results !== null && !noli.studio.results.stale";
    wait_true(&browser, "the results", fresh);
    let decided = decisions(&browser);
    assert_eq!(decided.as_array().map(Vec::len), Some(2), "{decided}");
    browser.logs_no_errors();
    // Overnight the server ends, and a colleague edits the file.
    browser.ask("POST", "/url", json!({ "url": "about:blank" }));
    studio.server.kill().unwrap();
    studio.server.wait().unwrap();
    let text = std::fs::read_to_string(&bay).unwrap();
    std::fs::write(&bay, format!("# checked by the body team\n{text}")).unwrap();
    let studio = Studio::start(&[&bay]);
    studio.reopen_in(&browser);
    wait_true(&browser, "the results", fresh);
    assert_eq!(decisions(&browser), decided);
    // The open item is found by its status, and resolved.
    fill(&browser, "[aria-label='Status to show']", "active");
    let row = "return document.querySelector('.results [data-pair]')?.dataset.pair ?? ''";
    let open = wait_text(&browser, "the open item", row);
    assert_eq!(open, "bracket.left|hose.washer");
    browser.click(".results [data-pair]");
    assert_eq!(
        browser.run("return document.querySelector('.card [aria-label=Comment]').value"),
        "routing: move the hose by 10 mm"
    );
    fill(&browser, ".card [aria-label='Status']", "resolved");
    let none = "return document.querySelectorAll('.results [data-pair]').length === 0";
    wait_true(&browser, "no open item", none);
    fill(&browser, "[aria-label='Status to show']", "any status");
    browser.rest();
    browser.screenshot("story-review-second-day");
    let decided = decisions(&browser);
    let has = |status: &str| decided.as_array().unwrap().iter().any(|entry| entry[2] == status);
    assert!(has("resolved") && has("approved") && !has("active"), "{decided}");
    browser.logs_no_errors();
}
