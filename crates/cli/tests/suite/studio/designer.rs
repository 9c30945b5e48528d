//! A designer who composes manipulators and reads figures.

use super::{Studio, fill, wait_true, write_box};
use crate::support::{Folder, noli};
use serde_json::json;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_designer_composes_a_manipulator_and_views_forces_and_figures() {
    let folder = Folder::new("studio-parts");
    let stored = Folder::new("studio-parts-db");
    stored.file("plate.obj", write_box([120.0, 80.0, 12.0]));
    stored.file("lever.obj", write_box([30.0, 30.0, 160.0]));
    let database = stored.0.join("parts.db").to_str().unwrap().to_owned();
    assert!(noli(&["db", "init", &database]).status.success());
    let studio = Studio::start(&[&database]);
    let browser = studio.open(&folder, [1440, 900]);
    assert_eq!(
        browser.run("return document.querySelector('#tabs [aria-selected=true]').textContent"),
        "Parts"
    );
    for (file, name) in [("plate.obj", "plate"), ("lever.obj", "lever")] {
        fill(&browser, "[aria-label='File to import']", file);
        browser.click("[data-parts='import']");
        wait_true(
            &browser,
            "the part",
            &format!("return noli.studio.stored.entries.some((entry) => entry.name === '{name}')"),
        );
    }
    browser.click("[data-part='plate']");
    wait_true(&browser, "the plate in the view", "return noli.studio.bodies[0]?.name === 'plate'");
    for name in ["plate", "lever", "lever"] {
        fill(&browser, "[aria-label='Component']", name);
        browser.click("[data-parts='add']");
    }
    browser.run(
        "const text = document.querySelector('[aria-label=Composition]');
         text.value = text.value.replace('axis = [0, 0, 1]\\nrange_deg = [-180, 180]\\n\\n', 'axis = [0, 1, 0]\\nrange_deg = [-90, 90]\\n\\n')",
    );
    browser.click("[data-parts='compose']");
    wait_true(
        &browser,
        "the arm",
        "return noli.studio.part?.name === 'arm' && noli.studio.bodies.length === 3",
    );
    assert_eq!(browser.run("return document.querySelectorAll('.card .figures tbody tr').length"), 2);
    browser.rest();
    browser.screenshot("studio-parts");
    let has_arm = "noli.studio.stored.entries.some((entry) => entry.name === 'arm')";
    browser.click("#undo");
    wait_true(&browser, "the arm to be undone", &format!("return !{has_arm} && noli.studio.part === null"));
    browser.click("#redo");
    wait_true(&browser, "the arm again", &format!("return {has_arm}"));
    browser.logs_no_errors();
    // Contact forces on a fallen brick.
    let scene = "units = \"m\"\n[[body]]\nname = \"floor\"\nbox = [4, 4, 1]\npose = { xyz = [0, 0, -0.5] }\nfixed = true\n\n\
                 [[body]]\nname = \"brick\"\nbox = [0.8, 0.6, 0.4]\npose = { xyz = [0, 0, 0.4] }\nrestitution = 0\n\n\
                 [simulation]\nseconds = 0.6\n";
    let fall = Studio::start(&[&folder.file("fall.toml", scene)]);
    fall.reopen_in(&browser);
    browser.click("[data-panel='Motion']");
    browser.click("[data-play='dynamics']");
    wait_true(&browser, "the simulation", "return (noli.studio.track?.forces.length ?? 0) > 0");
    browser.run("noli.studio.timeline.go(1)");
    assert_ne!(browser.run("return noli.studio.forcesShown"), 0, "contact forces act on the brick");
    browser.rest();
    browser.screenshot("studio-forces");
    // On a small screen, in the dark.
    browser.cdp(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 1024, "height": 768, "deviceScaleFactor": 1, "mobile": false }),
    );
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.cdp("Emulation.setEmulatedMedia", dark);
    let cut_off = "const cut = [...document.querySelectorAll('#tabs button, .pane')].filter((part) => !part.hidden
           && part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.textContent.slice(0, 20)); return cut.join(', ')";
    studio.reopen_in(&browser);
    browser.click("[data-part='arm']");
    wait_true(&browser, "the arm again", "return noli.studio.part?.name === 'arm'");
    browser.rest();
    browser.screenshot("studio-parts-dark");
    assert_eq!(browser.run(cut_off), "");
    browser.logs_no_errors();
}
