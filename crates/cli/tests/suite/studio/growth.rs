//! Memory of a page after long use: geometries, pictures, times and elements are bounded.

use super::{Studio, engine_bay, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::Value;

/// Rounds of the test: bodies that come and go, pairs looked at with their pictures, volumes and arrows.
const ROUNDS: usize = 12;

/// Geometries of the renderer, pictures, elements, heap in MiB.
fn held(browser: &Browser) -> [u64; 4] {
    browser.cdp("HeapProfiler.collectGarbage", serde_json::json!({}));
    let found: Value = browser.run(
        "const { viewer } = noli.studio;
         return [viewer.cost().geometries, noli.studio.latency.length, document.querySelectorAll('*').length, Math.round(performance.memory.usedJSHeapSize / 1048576)]",
    );
    [0, 1, 2, 3].map(|k| found[k].as_u64().unwrap())
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn bodies_that_come_and_go_leave_nothing_behind() {
    let folder = Folder::new("studio-growth");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1024, 768]);
    let mut figures = Vec::new();
    for round in 0..ROUNDS {
        // A copy, whose selection draws it alone; pairs with curves and arrows; the removal.
        let before = browser.run("return noli.studio.bodies.length").as_u64().unwrap();
        browser.run("noli.studio.say({ do: 'copy', body: 3 })");
        wait_true(&browser, "the copy", &format!("return noli.studio.bodies.length === {}", before + 1));
        for body in 0..8 {
            browser.run(&format!("noli.studio.choose({body})"));
            browser.rest();
        }
        browser.run("const { studio } = noli; studio.results.pairs.slice(0, 6).forEach((pair) => studio.look(pair)); studio.viewer.setArrows([{ from: [0, 0, 0], to: [0, 0, 9], colour: '#ff0000' }])");
        browser.rest();
        browser.run(&format!("noli.studio.say({{ do: 'remove', body: {before} }})"));
        wait_true(&browser, "the removal", &format!("return noli.studio.bodies[{before}].gone"));
        browser.run("noli.studio.whole()");
        browser.rest();
        figures.push(held(&browser));
        println!("round {round}: [geometries, times, elements, heap MiB] {:?}", figures[round]);
    }
    let [first, last] = [figures[2], figures[ROUNDS - 1]];
    assert!(last[0] <= first[0] + 4, "geometries of the renderer grow: {figures:?}");
    assert!(last[2] <= first[2] + 20, "elements of the page grow: {figures:?}");
    assert!(last[3] <= first[3] + 12, "the heap grows: {figures:?}");
    browser.logs_no_errors();
}
