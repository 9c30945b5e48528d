//! Many bodies: what is sent and drawn does not grow with copies of the same parts.

use super::{Studio, engine_bay, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::Value;

/// Bytes of shapes; draw calls and triangles of the last frame.
fn cost(browser: &Browser) -> [u64; 3] {
    let found: Value = browser.run(
        "const { calls, triangles } = noli.studio.viewer.cost();
         const shapes = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/shapes'));
         return [shapes.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0), calls, triangles]",
    );
    [0, 1, 2].map(|k| found[k].as_u64().unwrap())
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn copies_of_parts_are_sent_once_and_drawn_together() {
    let costs = ["1", "16"].map(|copies| {
        let folder = Folder::new(&format!("studio-large-{copies}"));
        let bay = engine_bay(&folder, &["--detail", "1", "--copies", copies]);
        let studio = Studio::start(&[&bay]);
        let browser = studio.open(&folder, [1280, 800]);
        browser.screenshot(&format!("story-large-{copies}"));
        let found = cost(&browser);
        // A moved body is compared with all others, and the results are those of all pairs.
        let pairs = "const { results } = noli.studio; return results.stale ? '' : JSON.stringify(results.pairs.map(({ a, b, relation }) => [a, b, relation]))";
        let before = browser.run(pairs);
        let sent = |browser: &Browser| browser.run("return noli.studio.link.lastResults").as_u64().unwrap();
        let hello = browser.run("return JSON.stringify(noli.studio.results).length").as_u64().unwrap();
        browser.run(
            "const { studio } = noli; studio.choose(studio.bodies.findIndex(({ name }) => name.endsWith('coolant.cap')));
             studio.mode = 'ghost'; studio.nudge('z', -20)",
        );
        wait_true(&browser, "the move", "return noli.studio.edits.undo?.startsWith('move') ?? false");
        let is_other = |pairs: &Value| *pairs != before && *pairs != "";
        browser.wait_for("the cap in its tank", |browser| Some(browser.run(pairs)).filter(is_other));
        let change = sent(&browser);
        println!("{copies} engine bays: results {hello} bytes, their change {change} bytes");
        if copies == "16" {
            assert!(20 * change < hello, "a moved body changes few pairs: {change} of {hello} bytes");
        }
        let figures = "const sorted = [...noli.studio.micros].sort((a, b) => a - b); return sorted.at(-1) / 1000";
        println!("{copies} engine bays: [bytes, calls, triangles] {found:?}; the drag took {} ms", browser.run(figures));
        browser.click("#undo");
        wait_true(&browser, "the cap to be back", "return noli.studio.edits.undo === null");
        browser.wait_for("the first results", |browser| (browser.run(pairs) == before).then_some(()));
        browser.logs_no_errors();
        found
    });
    let [[one, ..], [many, calls, triangles]] = costs;
    assert_eq!(many, one, "a shape is sent once");
    assert!(calls <= 8, "{calls} draw calls");
    assert!(triangles <= 250_000, "{triangles} triangles");
}
