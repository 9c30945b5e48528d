//! A student who works through the lessons.

use super::{Studio, fill, undo_all, wait_text, wait_true};
use crate::support::Folder;
use serde_json::json;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_student_finishes_lessons() {
    let folder = Folder::new("studio-student");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1024, 768]);
    browser.cdp(
        "Emulation.setEmulatedMedia",
        json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
    );
    let lesson_done = || {
        wait_true(&browser, "the end of the lesson", "return document.body.dataset.lesson === 'done'");
    };
    assert_eq!(browser.run("return document.querySelector(\"[data-panel='BVH']\").hidden"), true);
    // The lesson about touching and intersecting, by its own buttons.
    browser.click("[data-panel='Lessons']");
    assert_eq!(browser.run("return document.querySelector(\"[data-lesson='2']\").hidden"), true);
    browser.click("[data-lesson='0']");
    let at_step = |step: &str| {
        wait_true(&browser, "the next step", &format!("return document.body.dataset.lesson === '{step}'"));
        browser.click(".lesson .do");
    };
    for (step, relation) in [("0.0", ""), ("0.1", ""), ("0.2", "touching"), ("0.3", "intersecting")] {
        at_step(step);
        if relation.is_empty() {
            continue;
        }
        let row = ".results [data-pair='box|box-2']";
        wait_true(
            &browser,
            "the pair of boxes",
            &format!(
                "const {{ studio }} = noli;
                 return !studio.results.stale && document.querySelector(\"{row}\") !== null && studio.results.pairs.some((pair) =>
                   pair.relation === '{relation}' && studio.nameOf(pair.a) === 'box' && studio.nameOf(pair.b) === 'box-2')"
            ),
        );
        browser.click(row);
    }
    lesson_done();
    browser.screenshot("studio-lesson");
    // Why sampling misses contacts: typed poses jump across the wall, a drag does not.
    browser.run("noli.studio.whole()");
    undo_all(&browser);
    browser.click("[data-panel='Lessons']");
    browser.click("[data-lesson='1']");
    for step in ["1.0", "1.1", "1.2", "1.3"] {
        at_step(step);
    }
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === 'sphere'))");
    browser.click("[data-panel='Place']");
    browser.run("document.querySelector('input[aria-label=\"Step\"]').value = 200");
    browser.click("[data-nudge='x1']");
    lesson_done();
    // A formula, meshed while typing.
    browser.run("noli.studio.whole()");
    browser.click("[data-panel='Formula']");
    fill(&browser, "[aria-label='Formula']", "torus(100, 20)");
    browser.click("[data-formula='make']");
    wait_true(&browser, "the torus", "return document.body.dataset.chosen === 'formula'");
    let triangles = || {
        browser.run("const { studio } = noli; return studio.shapes[studio.bodies[studio.chosen].shape].triangles.length")
    };
    let torus = triangles();
    fill(&browser, "[aria-label='Formula']", "blend(torus(100, 20), sphere(60), 30");
    let error = wait_text(&browser, "the error", "return noli.studio.formula.error");
    assert!(error.contains("formula"), "{error}");
    fill(&browser, "[aria-label='Formula']", "blend(torus(100, 20), sphere(60), 30)");
    browser.wait_for("another mesh", |_| (triangles() != torus).then_some(()));
    browser.rest();
    browser.screenshot("studio-formula");
    let fits = browser.run(
        "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth <= clientWidth",
    );
    assert_eq!(fits, true, "the page is not wider than the window");
    browser.logs_no_errors();
}
