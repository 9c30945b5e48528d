//! A user who records paths by hand.

use super::{Studio, undo_all, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_path_is_recorded_by_mouse_and_by_six_axes_and_played_in_every_mode() {
    let folder = Folder::new("studio-record");
    let scene = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [2, 100, 100]\npose = { xyz = [50, 0, 0] }\n\n\
                 [[body]]\nname = \"brick\"\nbox = [10, 8, 6]\n";
    let studio = Studio::start(&[&folder.file("scene.toml", scene)]);
    let browser = studio.open(&folder, [1280, 800]);
    let brick = "noli.studio.bodies[1]";
    let x = |browser: &Browser| {
        let x = browser.run(&format!(
            "const {{ at }} = {brick}; return at[0] / noli.studio.hello.scale + noli.studio.hello.middle[0]"
        ));
        x.as_f64().unwrap()
    };
    // By mouse, through the wall; viewed from the side, so that right is +x.
    browser
        .run("noli.studio.choose(1); noli.studio.mode = 'ghost'; noli.studio.viewer.lookFrom([0, -1, 0.01])");
    browser.rest();
    browser.click("[data-panel='Motion']");
    browser.click("[data-play='record']");
    let places = browser.run(
        "const { viewer, bodies } = noli.studio, box = viewer.canvas.getBoundingClientRect();
         const seen = (at) => { for (let y = 0; y < box.height; y += 3) for (let x = 0; x < box.width; x += 3) {
           const place = { clientX: box.left + x, clientY: box.top + y };
           if (viewer.bodyAt(place)?.body === at) return [Math.round(place.clientX + 4), Math.round(place.clientY + 4)];
         } };
         return [seen(1), seen(0)]",
    );
    let [from, wall] =
        [0, 1].map(|k| [0, 1].map(|n| places[k][n].as_i64().unwrap_or_else(|| panic!("{places}"))));
    let beyond = wall[0] + (wall[0] - from[0]) / 3;
    browser.drag(from, &[[(from[0] + wall[0]) / 2, from[1]], [wall[0], from[1]], [beyond, from[1]]]);
    wait_true(&browser, "the brick to be dropped", "return noli.studio.edits.undo === 'move brick'");
    assert!(x(&browser) > 55.0, "it was dragged through the wall: {}", x(&browser));
    browser.click("[data-play='record']");
    let verdict = |text: &str| {
        wait_true(
            &browser,
            text,
            &format!("return (document.querySelector('.verdict')?.textContent ?? '').includes('{text}')"),
        );
    };
    verdict("Blocked by wall");
    for (mode, text) in [("ghost", "Passes through wall"), ("slide", "held back by contact")] {
        browser.click(&format!("[data-replay='{mode}']"));
        verdict(text);
        browser.rest();
        browser.screenshot(&format!("studio-by-hand-{mode}"));
    }
    let start = browser
        .run("return noli.studio.track.poses[0] / noli.studio.hello.scale + noli.studio.hello.middle[0]");
    assert!(start.as_f64().unwrap().abs() < 0.1, "a path begins where it was recorded: {start}");
    // By a simulated six-axis device.
    browser.run("noli.studio.closeTrack()");
    undo_all(&browser);
    browser.run(
        "window.pad = { axes: [0, 0, 0, 0, 0, 0], buttons: [], mapping: '' };
         navigator.getGamepads = () => [null, window.pad];
         noli.studio.choose(1); noli.studio.mode = 'stop'; dispatchEvent(new Event('gamepadconnected'))",
    );
    let record = "document.querySelector('[data-play=record]').click()";
    browser.run(record);
    browser.run("pad.axes[5] = -0.5");
    wait_true(&browser, "a turn", &format!("return {brick}.turn[2] > 0.02"));
    browser.run("pad.axes[5] = 0; pad.axes[0] = 1");
    wait_true(&browser, "the wall", "return noli.studio.stopped !== null && noli.studio.lastStop === 'wall'");
    browser.run("pad.axes[0] = 0.05");
    wait_true(&browser, "the brick to be dropped again", "return noli.studio.edits.undo === 'move brick'");
    let reached = x(&browser);
    assert!((40.0..45.0).contains(&reached), "it stops at the wall: {reached}");
    browser.run(record);
    verdict("Free, proven along the whole path");
    assert_eq!(browser.run("return noli.studio.path.places.length > 3"), true);
    browser.logs_no_errors();
}
