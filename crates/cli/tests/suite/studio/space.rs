//! A user who reserves the space that a part needs on its way.

use super::{Studio, fill, wait_true};
use crate::support::Folder;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn the_space_of_a_path_is_shown_added_and_removed() {
    let folder = Folder::new("studio-space");
    let scene = "units = \"mm\"\n[[body]]\nname = \"post\"\nbox = [4, 4, 30]\npose = { xyz = [30, 0, 0] }\n\n\
                 [[body]]\nname = \"brick\"\nbox = [10, 8, 6]\n";
    let studio = Studio::start(&[&folder.file("scene.toml", scene)]);
    let browser = studio.open(&folder, [1280, 800]);
    browser.click("[data-panel='Motion']");
    wait_true(
        &browser,
        "nothing to sweep",
        "return document.querySelector('[data-swept=section]').textContent.includes('Record or find a path')",
    );
    // A path through the post, as a recording gives it.
    browser.run(
        "const { studio } = noli, { at } = studio.bodies[1], scale = studio.hello.scale;
         studio.path = { body: 1, places: [0, 20, 60].map((x) => [at[0] + x * scale, at[1], at[2], 0, 0, 0, 1]) };
         studio.say({ do: 'try_path', body: 1, path: studio.path.places, mode: 'ghost' })",
    );
    wait_true(&browser, "the path", "return document.querySelector('[data-swept=compute]') !== null");
    browser.run("noli.studio.closeTrack()");
    fill(&browser, "[aria-label='Error of the swept volume']", "1");
    browser.click("[data-swept='compute']");
    wait_true(&browser, "the volume", "return noli.studio.swept !== null");
    let bracket = browser.run("return noli.studio.swept.volume");
    let [low, high] = [0, 1].map(|k| bracket[k].as_f64().unwrap());
    assert!(low <= 70.0 * 8.0 * 6.0 && 70.0 * 8.0 * 6.0 <= high, "{bracket}");
    assert_eq!(browser.run("return noli.studio.viewer.glass.root.children.length"), 1, "it is drawn");
    browser.rest();
    browser.screenshot("studio-swept");
    browser.click("[data-swept='add']");
    wait_true(
        &browser,
        "the obstacle",
        "return noli.studio.bodies[2]?.name === 'swept_brick' && noli.studio.swept === null",
    );
    wait_true(
        &browser,
        "the clash of the space with the post, and none with the brick itself",
        "const hits = (noli.studio.results?.pairs ?? []).filter(({ hit }) => hit);
         return hits.length === 1 && [hits[0].a, hits[0].b].sort().join() === '0,2'",
    );
    assert_eq!(browser.run("return noli.studio.viewer.glass.root.children.length"), 0);
    browser.click("[data-swept='compute']");
    wait_true(&browser, "the volume again", "return noli.studio.swept !== null");
    browser.click("[data-swept='forget']");
    wait_true(&browser, "no volume", "return noli.studio.swept === null");
    browser.logs_no_errors();
}
