//! Habits of users of CAD systems: a menu at the pointer, a frame that selects, locks, one step to undo the
//! removal of several bodies, keys to save, lists of adjustable width; and a browser without 3D graphics.

use super::{Studio, engine_bay, fill, grip, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::{Value, json};

/// A pressed and released button of the mouse, with Shift if `modifiers` is 8.
fn mouse(browser: &Browser, kind: &str, [x, y]: [i64; 2], button: &str, modifiers: u32) {
    let buttons = if button == "right" { 2 } else { 1 };
    browser.cdp(
        "Input.dispatchMouseEvent",
        json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1, "modifiers": modifiers }),
    );
}

fn key(browser: &Browser, key: &str, more: &str) {
    browser.run(&format!(
        "(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true{more} }}))"
    ));
}

const NAMES: &str = "return noli.studio.selected().map((body) => noli.studio.nameOf(body)).sort().join()";

/// Number of bodies that are present.
const THERE: &str = "return noli.studio.bodies.filter(({ gone }) => !gone).length";

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn bodies_are_selected_in_a_frame_locked_and_removed_in_one_step() {
    let folder = Folder::new("studio-habits");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1440, 900]);
    // The menu of the body under the pointer.
    let at = grip(&browser, "intake.airbox");
    mouse(&browser, "mousePressed", at, "right", 0);
    mouse(&browser, "mouseReleased", at, "right", 0);
    let entries =
        "return [...document.querySelectorAll('#menu [data-menu]')].map((it) => it.dataset.menu).join()";
    let said = wait_text(&browser, "the menu", entries);
    assert_eq!(said, "Zoom to,Hide,Isolate,Group …,Measure,Lock,Find removal path,Duplicate,Remove");
    assert_eq!(browser.run(NAMES), "intake.airbox");
    browser.screenshot("studio-menu");
    browser.click("[data-menu='Lock']");
    wait_true(&browser, "the lock", "return !!document.querySelector('.bodies .lock')");
    // A locked body stays, also when it is pressed on with the tool that moves.
    browser.run("document.querySelector('[data-gizmo=\"translate\"]').click()");
    browser.drag(at, &[[at[0] + 20, at[1]], [at[0] + 60, at[1] - 30]]);
    key(&browser, "Delete", "");
    wait_text(
        &browser,
        "the reason",
        "return [...document.querySelectorAll('.note')].map((note) => note.textContent).find((text) => text.includes('is locked')) ?? ''",
    );
    assert_eq!(browser.run("return noli.studio.edits.undo"), Value::Null);
    key(&browser, "l", "");
    assert_eq!(browser.run("return noli.studio.locked.size"), 0);
    browser.run("document.querySelector('[data-gizmo=\"select\"]').click()");
    // Escape clears the selection and keeps the view; again, it fits all bodies.
    browser.run("noli.studio.viewer.lookAtBody(3)");
    browser.rest();
    let camera = "return noli.studio.viewer.camera.position.toArray().map((x) => x.toFixed(3)).join()";
    let near = browser.run(camera);
    key(&browser, "Escape", "");
    browser.rest();
    assert_eq!((browser.run(NAMES), browser.run(camera)), (json!(""), near.clone()));
    key(&browser, "Escape", "");
    browser.rest();
    assert_ne!(browser.run(camera), near);
    // A frame around the battery selects its parts; the camera stays.
    let before = browser.run(camera);
    let frame = browser.run(
        "const { studio } = noli, box = studio.viewer.canvas.getBoundingClientRect();
         const at = studio.bodies.filter(({ name }) => name.startsWith('battery.')).map((body) => studio.viewer.onScreen(body.at));
         const [xs, ys] = [0, 1].map((k) => at.map((place) => place[k]));
         return [box.left + Math.min(...xs) - 12, box.top + Math.min(...ys) - 12, box.left + Math.max(...xs) + 12, box.top + Math.max(...ys) + 12].map(Math.round)",
    );
    let [left, top, right, bottom] = [0, 1, 2, 3].map(|k| frame[k].as_i64().unwrap());
    mouse(&browser, "mousePressed", [left, top], "left", 8);
    mouse(&browser, "mouseMoved", [(left + right) / 2, (top + bottom) / 2], "left", 8);
    mouse(&browser, "mouseMoved", [right, bottom], "left", 8);
    wait_true(&browser, "the frame", "return !document.querySelector('.band').hidden");
    browser.screenshot("studio-frame");
    mouse(&browser, "mouseReleased", [right, bottom], "left", 8);
    let chosen = wait_text(&browser, "the selection", NAMES);
    for part in ["case", "clamp_minus", "clamp_plus", "minus", "plus", "tray"] {
        assert!(chosen.contains(&format!("battery.{part}")), "{chosen}");
    }
    browser.rest();
    assert_eq!(browser.run(camera), before);
    // All of them are removed, and come back, in one step.
    let (count, all) = (chosen.split(',').count() as u64, browser.run(THERE).as_u64().unwrap());
    key(&browser, "Delete", "");
    let undo = wait_text(&browser, "the removal", "return noli.studio.edits.undo ?? ''");
    assert_eq!(undo, format!("remove {count} bodies"));
    wait_true(&browser, "the bodies to go", &format!("{} === {}", THERE, all - count));
    key(&browser, "z", ", ctrlKey: true");
    wait_true(&browser, "the bodies to come back", &format!("{THERE} === {all}"));
    key(&browser, "y", ", ctrlKey: true");
    wait_true(&browser, "the bodies to go again", &format!("{} === {}", THERE, all - count));
    // Ctrl S saves.
    key(&browser, "s", ", ctrlKey: true");
    wait_true(&browser, "the saved scene", "return noli.studio.edits.unsaved === 0");
    assert!(!std::fs::read_to_string(&bay).unwrap().contains("battery."));
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn lists_have_adjustable_widths_and_the_view_a_grid() {
    let folder = Folder::new("studio-widths");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1440, 900]);
    let width = |id: &str| {
        let script = format!("return document.getElementById('{id}').offsetWidth");
        browser.run(&script).as_i64().unwrap()
    };
    let (left, right) = (width("left"), width("right"));
    browser.drag([1440 - right, 500], &[[1440 - right - 100, 500], [1440 - right - 200, 500]]);
    assert!((width("right") - right - 200).abs() <= 6, "{right} became {}", width("right"));
    browser.run("document.querySelector('.grip.left').focus()");
    key(&browser, "ArrowRight", "");
    assert_eq!(width("left"), left + 20);
    // Neither list takes the room of the view.
    browser.drag([1440 - width("right"), 500], &[[700, 500], [20, 500]]);
    assert!(browser.run("return noli.studio.viewer.canvas.clientWidth").as_i64().unwrap() >= 240);
    let kept = (width("left"), width("right"));
    studio.reopen_in(&browser);
    assert_eq!((width("left"), width("right")), kept, "widths are remembered");
    for grip in ["left", "right"] {
        browser.run(&format!("document.querySelector('.grip.{grip}').focus()"));
        key(&browser, "Home", "");
    }
    assert_eq!((width("left"), width("right")), (left, right));
    // The columns of the matrix of pairs have names.
    browser.run("noli.show('Pairs')");
    let named = "return [...document.querySelectorAll('.matrix th[scope=\"col\"]')].map((it) => it.title).slice(0, 2).join()";
    assert_eq!(browser.run(named), "frame.panel,headlight.housing");
    key(&browser, "g", "");
    let grid = wait_text(
        &browser,
        "the grid",
        "return [...document.querySelectorAll('#tools button')].map((it) => it.textContent).find((text) => text.startsWith('Grid ')) ?? ''",
    );
    assert_eq!(grid, "Grid 50 mm");
    assert_eq!(browser.run("return noli.studio.viewer.floor.lines.visible"), true);
    browser.rest();
    browser.screenshot("studio-grid");
    // At a zoom of 200 % the page has half the pixels, and still fits.
    let size = json!({ "width": 720, "height": 450, "deviceScaleFactor": 2, "mobile": false });
    browser.cdp("Emulation.setDeviceMetricsOverride", size);
    browser.rest();
    assert_eq!(browser.run("return document.documentElement.scrollWidth <= 720"), true);
    browser.screenshot("studio-zoomed");
    browser.logs_no_errors();
}

/// Without WebGL, everything but the picture works.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_browser_without_3d_graphics_has_lists_panels_and_verdicts() {
    let folder = Folder::new("studio-blind");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = Browser::start(&folder, [1280, 800]);
    let blind = "const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return /webgl/.test(kind) ? null : get.call(this, kind, ...more); };";
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": blind }));
    studio.reopen_in(&browser);
    assert_eq!(browser.run("return document.getElementById('blind').hidden"), false);
    wait_true(&browser, "the results", "return noli.studio.results !== null && !noli.studio.results.stale");
    browser.click("[data-results='next']");
    let says = wait_text(&browser, "the clash", "return noli.studio.pair?.says ?? ''");
    assert!(says.ends_with("pass through each other."), "{says}");
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex(({ name }) => name === 'horn'))");
    fill(&browser, "[aria-label='Step']", "1");
    browser.click("[data-nudge='z1']");
    wait_true(&browser, "the step", "return noli.studio.edits.undo === 'move horn'");
    for panel in ["Pairs", "Motion", "Formula", "Monitor", "Lessons"] {
        browser.click(&format!("[data-panel='{panel}']"));
    }
    browser.screenshot("studio-blind");
    browser.logs_no_errors();
}

/// The tab of a server that was started anew with its token and port goes on by itself.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_tab_goes_on_after_a_restart_with_the_token_that_was_kept() {
    let folder = Folder::new("studio-restart");
    let scene = "units = \"mm\"\n[[body]]\nname = \"one\"\nbox = [9, 9, 9]\n\n[[body]]\nname = \"two\"\nsphere = { radius = 5 }\npose = { xyz = [30, 0, 0] }\n";
    let file = folder.file("scene.toml", scene);
    let token = folder.0.join("token").display().to_string();
    let mut studio = Studio::start(&[&file, "--token-file", &token]);
    let browser = studio.open(&folder, [1024, 700]);
    // Two servers for one scene would lose changes of each other.
    let second = crate::support::noli(&["serve", &file, "--no-browser"]);
    assert_eq!(second.status.code(), Some(2));
    assert!(crate::support::stderr(&second).contains("another `noli serve` has this open"));
    browser.run("noli.studio.say({ do: 'place', body: 1, xyz: [40, 0, 0], quaternion: [0, 0, 0, 1] })");
    wait_true(&browser, "the change", "return noli.studio.edits.unsaved === 1");
    studio.server.kill().unwrap();
    studio.server.wait().unwrap();
    wait_true(&browser, "the page to notice", "return document.body.dataset.link !== 'open'");
    let port = studio.url.split([':', '/']).nth(4).unwrap().to_owned();
    let again = Studio::start_at(&port, &[&file, "--token-file", &token]);
    assert_eq!(again.url, studio.url);
    wait_true(&browser, "the tab to go on", "return document.body.dataset.link === 'open'");
    wait_true(
        &browser,
        "the state",
        "return noli.studio.edits.unsaved === 1 && document.getElementById('gone').hidden",
    );
    browser.run("noli.studio.say({ do: 'undo' })");
    wait_true(&browser, "the tab to be of use", "return noli.studio.edits.unsaved === 2");
}
