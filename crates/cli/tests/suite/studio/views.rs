//! Standard views by cube, key and list; a second view with its own camera.

use super::{Studio, engine_bay, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::json;

/// Direction from the target to the camera of the first view.
fn direction(browser: &Browser) -> Vec<i64> {
    browser.rest();
    let found = browser.run("const { camera, controls } = noli.studio.viewer; return camera.position.clone().sub(controls.target).normalize().toArray().map((x) => Math.round(10 * x))");
    found.as_array().unwrap().iter().map(|x| x.as_i64().unwrap()).collect()
}

fn press(browser: &Browser, key: &str) {
    browser.run(&format!("(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true }}))"));
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn views_are_chosen_by_cube_and_keys_and_a_second_view_has_its_own_camera() {
    let folder = Folder::new("studio-views");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.screenshot("studio-cube");
    // The cube shows front, right and top at first.
    let shown = browser.run("return [...document.querySelectorAll('.cube-face')].filter((face) => face.isConnected).map((face) => face.dataset.view).sort().join()");
    assert_eq!(shown, "Front,Right,Top");
    browser.click("#stage .cube-face[data-view='Right']");
    assert_eq!(direction(&browser), [10, 0, 0]);
    for (key, wanted) in [
        ("4", [0, -10, 0]),
        ("5", [0, 10, 0]),
        ("6", [-10, 0, 0]),
        ("8", [0, 0, 10]),
        ("9", [0, 0, -10]),
        ("0", [6, -6, 6]),
    ] {
        press(&browser, key);
        assert_eq!(direction(&browser), wanted, "key {key}");
    }
    // Faces are reached and pressed by keys.
    browser.run("document.querySelector('#stage .cube-face[data-view=Front]').focus()");
    press(&browser, "Enter");
    assert_eq!(direction(&browser), [0, -10, 0]);
    // The second view: the first camera stays, and clicks select there, too.
    press(&browser, "0");
    press(&browser, "v");
    browser.rest();
    wait_true(&browser, "the second picture", "return noli.studio.viewer.second?.frames > 0");
    browser.screenshot("studio-split");
    let first = direction(&browser);
    browser.run("document.querySelector('#second canvas').focus()");
    press(&browser, "7");
    press(&browser, "ArrowUp");
    browser.rest();
    assert_eq!(direction(&browser), first, "the first camera stays");
    let second = browser.run("const { camera, controls } = noli.studio.viewer.second; return camera.position.clone().sub(controls.target).normalize().x > 0.9");
    assert_eq!(second, true);
    let bright = "const canvas = document.querySelector('#second canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0; for (let k = 3; k < data.length; k += 4) if (data[k] > 100) count++; return count";
    assert!(browser.run(bright).as_u64().unwrap() > 5000, "bodies are drawn in the second view");
    let place = browser.run("const { left, top, width, height } = document.querySelector('#second canvas').getBoundingClientRect(); return [Math.round(left + width / 2), Math.round(top + height / 2)]");
    let place = [0, 1].map(|k| place[k].as_i64().unwrap());
    browser.drag(place, &[place]);
    wait_true(&browser, "a selection", "return noli.studio.chosen !== null");
    browser.screenshot("studio-split-selected");
    for [width, height] in [[1024_u32, 768], [768, 1024], [390, 844]] {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.cdp("Emulation.setDeviceMetricsOverride", size);
        browser.rest();
        assert_eq!(browser.run("return document.documentElement.scrollWidth <= innerWidth"), true, "{width}");
        browser.screenshot(&format!("studio-split-{width}"));
    }
    browser.run("document.activeElement?.blur()");
    press(&browser, "v");
    wait_true(
        &browser,
        "one view",
        "return noli.studio.viewer.second === null && document.getElementById('second').hidden",
    );
    browser.logs_no_errors();
}
