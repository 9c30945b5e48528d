//! A first visitor, who follows the card with three things to try.

use super::{Studio, fill, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::json;

/// The name of a visible body that touches nothing, and where it is seen.
const FREE_BODY: &str = "
    const { studio } = noli, { viewer } = studio, box = viewer.canvas.getBoundingClientRect();
    const held = new Set(studio.results.pairs.filter(({ hit }) => hit).flatMap(({ a, b }) => [a, b]));
    for (let y = 0.3 * box.height; y < 0.7 * box.height; y += 6) for (let x = 0.3 * box.width; x < 0.7 * box.width; x += 6) {
      const [clientX, clientY] = [Math.round(box.left + x), Math.round(box.top + y)];
      const body = viewer.bodyAt({ clientX, clientY })?.body;
      if (body !== undefined && !held.has(body) && document.elementFromPoint(clientX, clientY) === viewer.canvas) return [studio.nameOf(body), clientX, clientY];
    }
    return null";

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_first_visitor_follows_the_card() {
    let folder = Folder::new("studio-visitor");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = Browser::start(&folder, [1280, 800]);
    // Automated browsers are no first visitors.
    let person = "Object.defineProperty(navigator, 'webdriver', { get: () => false })";
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": person }));
    studio.reopen_in(&browser);
    wait_true(&browser, "the card", "return !document.getElementById('first').hidden");
    wait_true(&browser, "the results", "return noli.studio.results !== null && !noli.studio.results.stale");
    browser.screenshot("story-visitor-card");
    // The first clash.
    browser.click("#first li:nth-child(1) button");
    let says = wait_text(&browser, "the clash", "return noli.studio.pair?.says ?? ''");
    assert!(says.ends_with("pass through each other."), "{says}");
    wait_text(&browser, "its depth", "return noli.studio.depth");
    browser.rest();
    browser.screenshot("story-visitor-clash");
    // A body is dragged, without being selected first.
    browser.run("noli.studio.whole()");
    browser.rest();
    browser.click("#first li:nth-child(2) button");
    let found = browser.run(FREE_BODY);
    let [x, y] = [1, 2].map(|k| found[k].as_i64().unwrap_or_else(|| panic!("no body is free: {found}")));
    browser.drag([x, y], &[[x + 10, y - 10], [x + 30, y - 30], [x + 60, y - 60]]);
    let dropped = format!("return noli.studio.edits.undo === 'move {}'", found[0].as_str().unwrap());
    wait_true(&browser, "the body to be dropped", &dropped);
    browser.screenshot("story-visitor-drag");
    browser.click("#undo");
    wait_true(&browser, "the body in its place", "return noli.studio.edits.undo === null");
    // A removal path.
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex(({ name }) => name === 'coolant.cap'))");
    browser.click("#first li:nth-child(3) button");
    browser.click("[data-play='path']");
    let path =
        wait_text(&browser, "the path", "return document.querySelector('.verdict')?.textContent ?? ''");
    assert!(path.contains("Removal path for coolant.cap: Free, proven"), "{path}");
    browser.rest();
    browser.screenshot("story-visitor-path");
    // Closed, it stays closed.
    browser.click("#first .close");
    studio.reopen_in(&browser);
    assert_eq!(browser.run("return document.getElementById('first').hidden"), true);
    browser.logs_no_errors();
}

/// Changes of a demo are in no file: the page says so, and saves them as a scene.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn changes_of_a_demo_are_saved_as_a_scene() {
    let (folder, work) = (Folder::new("studio-demo"), Folder::new("studio-demo-work"));
    let studio = Studio::start_in(&work.0, &["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1280, 800]);
    assert_eq!(browser.run("return document.getElementById('unsaved').hidden"), true, "nothing has changed");
    browser.run("noli.studio.say({ do: 'add', shape: { kind: 'box', size: [20, 20, 20] } })");
    let says = wait_text(&browser, "the warning", "return document.getElementById('unsaved').textContent");
    assert!(says.starts_with("1 change of this demo, not saved anywhere"), "{says}");
    browser.screenshot("studio-demo-unsaved");
    browser.click("#saveas summary");
    fill(&browser, "#saveas input", "my bay");
    browser.click("[data-save='as']");
    wait_true(&browser, "the saved scene", "return !document.getElementById('save').hidden");
    assert_eq!(browser.run("return document.getElementById('unsaved').hidden"), true);
    let bodies = "return noli.studio.bodies.filter((body) => !body.gone).map(({ name }) => name).join()";
    let before = browser.run(bodies);
    browser.screenshot("studio-demo-saved");
    browser.logs_no_errors();
    let file = work.0.join("my bay.toml");
    studio.leave(&browser);
    let again = Studio::start(&[file.to_str().unwrap()]);
    again.reopen_in(&browser);
    assert_eq!(browser.run(bodies), before);
    browser.logs_no_errors();
}
