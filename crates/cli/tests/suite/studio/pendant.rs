//! A programmer with the pendant: the tool dragged in the view, jog speeds, the monitor, and edits of stored parts.

use super::{Studio, fill, wait_text, wait_true, write_box};
use crate::support::Folder;
use crate::support::browser::Browser;
use noli_store::{ImportOptions, Store};

/// The middle of an element, in pixels of the page.
fn middle_of(browser: &Browser, selector: &str) -> [i64; 2] {
    let found = browser.run(&format!(
        "const element = document.querySelector(\"{selector}\");
         element.scrollIntoView({{ block: 'center' }});
         const box = element.getBoundingClientRect();
         return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]"
    ));
    [0, 1].map(|k| found[k].as_i64().unwrap_or_else(|| panic!("no {selector}")))
}

/// Degrees that a joint moves while its button is held.
fn held(browser: &Browser, joint: &str, speed: &str) -> f64 {
    fill(browser, "[aria-label='Jog speed']", speed);
    let value = format!(
        "return noli.studio.robot.joints.find(({{ name }}) => name === '{joint}').value * 180 / Math.PI"
    );
    let before = browser.run(&value).as_f64().unwrap();
    let place = middle_of(browser, &format!("[data-step='{joint}1']"));
    browser.drag(place, &[place; 12]);
    wait_true(browser, "the arm to rest", "return !noli.studio.isJogging()");
    browser.run(&value).as_f64().unwrap() - before
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn the_tool_is_dragged_with_a_gizmo_and_joints_move_at_the_jog_speed() {
    let folder = Folder::new("studio-pendant");
    let studio = Studio::start(&["--demo", "magazine-clash"]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.click("[data-go='seguranca']");
    wait_true(
        &browser,
        "the arm at its location",
        "return noli.studio.jogged !== null && !noli.studio.isJogging()",
    );
    browser.click("[data-tool-gizmo='translate']");
    browser.rest();
    // Places of the page on the gizmo's z arrow, from there to 0.65 m below, which is under the floor.
    let places = browser.run(
        "const { viewer, hello } = noli.studio, box = viewer.canvas.getBoundingClientRect();
         const tool = viewer.wanted.position.toArray(), away = viewer.camera.position.distanceTo(viewer.wanted.position);
         const arrow = 0.45 * 0.8 / 4 * 1.9 * away * Math.tan(viewer.camera.fov * Math.PI / 360);
         return [...Array(13).keys()].map((k) => {
           const [x, y] = viewer.onScreen([tool[0], tool[1], tool[2] + arrow - k / 12 * 0.65 * hello.scale]);
           return [Math.round(box.left + x), Math.round(box.top + y)];
         })",
    );
    let place = |k: usize| [0, 1].map(|n| places[k][n].as_i64().unwrap());
    let tool = "return noli.studio.jogged.tool_at";
    let before = browser.run(tool);
    browser.screenshot("story-pendant-gizmo");
    // Down to the floor and what stands on it: the arm stops before it.
    browser.drag(place(0), &(1..=12).map(place).collect::<Vec<_>>());
    wait_true(&browser, "the drag to be answered", "return !noli.studio.isJogging()");
    assert_ne!(browser.run(tool), before, "the tool follows the gizmo");
    let stop = browser.run("return noli.studio.jogged.stopped?.text ?? ''");
    assert!(stop.as_str().unwrap().contains("would touch"), "{stop}");
    let readout = browser.run("return document.querySelector('#readout').innerText");
    assert!(readout.as_str().unwrap().contains("would touch"), "{readout}");
    // Released, the gizmo is at the tool again.
    let off = browser.run(
        "const { viewer, hello, jogged } = noli.studio;
         return Math.hypot(...viewer.wanted.position.toArray().map((x, k) => x - (jogged.tool_at[k] - hello.middle[k]) * hello.scale))",
    );
    assert!(off.as_f64().unwrap() < 1e-6, "{off}");
    browser.screenshot("story-pendant-stopped");
    browser.click("[data-tool-gizmo='rotate']");
    browser.rest();
    browser.screenshot("story-pendant-rotate");
    browser.click("[data-go='seguranca']");
    wait_true(&browser, "the arm at its location", "return !noli.studio.isJogging()");
    let joint = browser.run("return noli.studio.robot.joints[5].name");
    let [slow, fast] = ["5 %", "25 %"].map(|speed| held(&browser, joint.as_str().unwrap(), speed));
    assert!(slow > 0.0 && fast > 2.5 * slow, "{slow} and {fast} degrees");
    browser.click("[data-panel='Monitor']");
    let shown = wait_text(&browser, "the monitor", "return document.querySelector('.monitor').innerText");
    for text in ["Time of a frame", "95th percentile", "checked in every configuration", "messages"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    browser.screenshot("story-pendant-monitor");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn masses_pairs_and_tools_of_the_database_are_edited_in_the_page() {
    let folder = Folder::new("studio-stored");
    let urdf = folder.file("parts/arm.urdf", super::builder::ARM);
    let jaw = folder.file("parts/jaw.obj", write_box([20.0, 20.0, 50.0]));
    let database = folder.0.join("parts/parts.db").display().to_string();
    let mut store = Store::init(&database).unwrap();
    [urdf, jaw].iter().for_each(|file| drop(store.import(file, &ImportOptions::default()).unwrap()));
    drop(store);
    let studio = Studio::start(&[&database]);
    let browser = Browser::start(&folder, [1280, 800]);
    studio.reopen_in(&browser);
    wait_true(&browser, "the entries", "return document.querySelector('[data-part=jaw]') !== null");
    let card = |text: &str| {
        let script = format!("return document.querySelector('.pane .card').innerText.includes('{text}')");
        wait_true(&browser, text, &script);
    };
    browser.click("[data-part='jaw']");
    card("triangles");
    fill(&browser, "[data-stored='density']", "7800");
    browser.click("[data-parts='mass']");
    card("0.156");
    browser.click("[data-part='arm']");
    card("part 0");
    fill(&browser, "[aria-label='Other link']", "fore");
    fill(&browser, "[data-stored='reason']", "folded");
    browser.click("[data-parts='disable-pair']");
    card("column - fore: disabled, folded");
    fill(&browser, "[aria-label='Name of the tool']", "gripper");
    fill(&browser, "[aria-label='Mounted component']", "jaw");
    fill(&browser, "[data-stored='tool-z']", "135");
    browser.click("[data-parts='tool']");
    card("0 0 0.135");
    browser.screenshot("story-stored-edits");
    let store = Store::open_to_read(&database).unwrap();
    assert_eq!(store.tool("gripper").unwrap().component.as_deref(), Some("jaw"));
    browser.click("#undo");
    wait_true(&browser, "no tool", "return document.querySelector('[data-part=gripper]') === null");
    browser.logs_no_errors();
}
