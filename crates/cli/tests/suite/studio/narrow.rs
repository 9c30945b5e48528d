//! Windows from that of a phone to that of a desk: view, panels and menus are all there.

use super::{Studio, wait_true};
use crate::support::Folder;
use serde_json::json;

/// A link of an open menu that can be clicked: nothing lies over it.
const REACHED: &str = "
    const link = document.querySelector('#export a').getBoundingClientRect();
    return document.elementFromPoint(link.x + 0.5 * link.width, link.y + 0.5 * link.height)?.closest('#export') !== null";

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn every_width_has_the_view_all_tabs_and_the_menus() {
    let folder = Folder::new("studio-narrow");
    let studio = Studio::start(&["--demo", "--detail", "1"]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.run("noli.studio.say({ do: 'add', shape: { kind: 'box', size: [20, 20, 20] } })");
    wait_true(&browser, "a change", "return noli.studio.edits.unsaved === 1");
    for [width, height] in [[1440_u32, 900], [1024, 768], [768, 1024], [390, 844]] {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.cdp("Emulation.setDeviceMetricsOverride", size);
        browser.rest();
        let view = browser.run("const { width, height } = noli.studio.viewer.canvas.getBoundingClientRect(); return [width, height]");
        let [wide, high] = [0, 1].map(|k| view[k].as_f64().unwrap());
        assert!(wide >= 0.5 * f64::from(width) && high >= 240.0, "{width}: the view has {view}");
        let whole = browser.run("return document.documentElement.scrollWidth");
        assert!(whole.as_u64().unwrap() <= u64::from(width), "{width}: the page has {whole}");
        for panel in ["Clashes", "Place", "Pairs", "Motion", "Formula", "Monitor", "Lessons"] {
            browser.run(&format!("noli.show('{panel}')"));
            let shown = browser.run(
                "const within = (part) => { const { left, right } = part.getBoundingClientRect(); return left >= -1 && right <= innerWidth + 1; };
                 const panel = document.getElementById('panel');
                 return [[...document.querySelectorAll('#tabs button')].every((tab) => tab.hidden || within(tab)), panel.scrollWidth <= panel.clientWidth]",
            );
            assert_eq!(
                shown,
                json!([true, true]),
                "{width}, {panel}: all tabs are in view, and the panel fits"
            );
        }
        browser.run("document.getElementById('export').open = true");
        assert_eq!(browser.run(REACHED), true, "{width}: the menu can be used");
        browser.screenshot(&format!("studio-{width}"));
        browser.run("document.getElementById('export').open = false");
    }
    browser.logs_no_errors();
}
