//! The pages of `--html` in a real browser: a row is clicked, and the clash stands out; time is moved, and bodies move.
//!
//! Needs Debian's `chromium` and `chromium-driver`, so it runs only when asked: `cargo xtask test` does, and
//! `cargo test -p noli-cli --test suite -- --ignored page::`. Screenshots are left in the folder named by `NOLI_SCREENSHOTS`.

use crate::support::browser::Browser;
use crate::support::{Folder, exit_code, noli};
use serde_json::json;

/// Boxes in a row, each touching the next.
pub(crate) fn chain(count: usize) -> String {
    let body =
        |k: usize| format!("[[body]]\nname = \"box{k}\"\nbox = [1, 1, 1]\npose = {{ xyz = [{k}, 0, 0] }}\n");
    (0..count).map(body).collect()
}

/// A clearance study is read for this number; copies are called as in the table.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn pairs_closer_than_the_margin_show_their_clearance() {
    let folder = Folder::new("page-closer");
    let body = |name: &str, x: f64| {
        format!("[[body]]\nname = \"{name}\"\nbox = [1, 1, 1]\npose = {{ xyz = [{x}, 0, 0] }}\n")
    };
    let scene = folder.file("near.toml", body("a", 0.0) + &body("b", 1.25) + &body("copy", 0.0));
    let page = folder.0.join("near.html");
    let arguments = ["check", &scene, "--margin", "0.5", "--html", page.to_str().unwrap()];
    assert_eq!(exit_code(&noli(&arguments)), 1);
    let browser = Browser::start(&folder, [1366, 768]);
    browser.ask("POST", "/url", json!({ "url": format!("file://{}", page.display()) }));
    browser.rest();
    let rows = browser.run(
        "return [...document.querySelectorAll('#rows tr[data-pair]')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))",
    );
    let rows = rows.as_array().unwrap();
    assert!(rows.iter().any(|row| row[0] == "closer" && row[3] == "0.25"), "{rows:?}");
    assert!(rows.iter().any(|row| row[0] == "duplicate"), "{rows:?}");
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn of_very_many_rows_those_in_sight_are_in_the_page() {
    let folder = Folder::new("page-rows");
    let scene = folder.file("chain.toml", chain(1200));
    let page = folder.0.join("chain.html");
    assert_eq!(exit_code(&noli(&["check", &scene, "--html", page.to_str().unwrap()])), 1);
    let browser = Browser::start(&folder, [1366, 768]);
    browser.ask("POST", "/url", json!({ "url": format!("file://{}", page.display()) }));
    browser.rest();
    let rows =
        || browser.run("return document.querySelectorAll('#rows tr[data-pair]').length").as_u64().unwrap();
    assert_eq!(browser.run("return noli.data.pairs.filter((pair) => pair.hit).length"), 1199);
    assert!((10..100).contains(&rows()), "{}", rows());
    let key = |key: &str| {
        browser.run(&format!(
            "document.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        ))
    };
    // The row that is looked at is in sight, wherever it is.
    let chosen = "const row = document.querySelector('#rows tr[aria-selected=\"true\"]'), list = document.getElementById('list').getBoundingClientRect(),
        box = row?.getBoundingClientRect(); return row && box.top >= list.top && box.bottom <= list.bottom + 1 ? row.rowIndex >= 0 && Number(document.body.dataset.selected) : null";
    for _ in 0..80 {
        key("ArrowDown");
    }
    assert_eq!(browser.run(chosen), 79);
    browser.run("document.getElementById('list').scrollTop = 1e6");
    browser.wait_for("the last row", |browser| {
        (browser.run("return document.querySelector('#rows tr[data-pair=\"1198\"]') !== null") == true)
            .then_some(())
    });
    assert!(rows() < 100);
    key("ArrowUp");
    assert_eq!(browser.run(chosen), 78);
    browser.run("const search = document.getElementById('search'); search.value = 'box1199'; search.dispatchEvent(new Event('input'))");
    assert_eq!(rows(), 1);
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn clicking_a_row_shows_the_clash() {
    let folder = Folder::new("page");
    let page = folder.0.join("page.html");
    assert_eq!(exit_code(&noli(&["check", "--demo", "--html", page.to_str().unwrap()])), 1);
    for (size, name) in [([1920, 1080], "desktop"), ([1366, 768], "laptop")] {
        let browser = Browser::start(&folder, size);
        browser.ask("POST", "/url", json!({ "url": format!("file://{}", page.display()) }));
        browser.rest();
        browser.screenshot(name);
        assert_eq!(browser.run("return document.querySelector('h1').textContent"), "16 pairs to review");
        assert_eq!(browser.run("return noli.marks()"), 16);
        let [_, orange, blue] = browser.colours();
        assert_eq!((orange, blue), (0, 0), "nothing stands out before a click");

        browser.click("tr[data-pair='3']");
        browser.rest();
        browser.screenshot(&format!("{name}-clash"));
        assert_eq!(browser.run("return document.body.dataset.selected"), "3");
        let row = "document.querySelector('tr[data-pair=\"3\"]')";
        assert_eq!(browser.run(&format!("return {row}.getAttribute('aria-selected')")), "true");
        let says = browser.run("return document.getElementById('says').textContent");
        assert_eq!(says, "bracket.left and hose.washer pass through each other.");
        let facts = browser.run("return document.getElementById('facts').textContent");
        for word in
            ["Penetration depth", "the arrow shows the separating direction", "Shared volume", "hard", "new"]
        {
            assert!(facts.as_str().unwrap().contains(word), "{word}: {facts}");
        }
        let [red, orange, blue] = browser.colours();
        assert!(red > 20 && orange > 1000 && blue > 1000, "red {red}, orange {orange}, blue {blue}");
        // The clash is in the middle of the view.
        let off = browser.run("return noli.view.project(noli.data.pairs[3].place)");
        assert!(off[0].as_f64().unwrap().abs() < 0.5 && off[1].as_f64().unwrap().abs() < 0.5, "{off}");

        browser.run("const s = document.getElementById('section'); s.value = 'x'; s.dispatchEvent(new Event('change'))");
        assert_eq!(
            browser.run("return document.getElementById('share').hidden"),
            false,
            "the cut can be moved"
        );
        browser.run("const s = document.getElementById('section'); s.value = ''; s.dispatchEvent(new Event('change'))");
        browser.click("#measure");
        assert_eq!(
            browser.run("return document.getElementById('measure').getAttribute('aria-pressed')"),
            "true"
        );
        browser.click("#measure");

        browser.click("#whole");
        browser.rest();
        let [_, orange, blue] = browser.colours();
        assert_eq!((orange, blue), (0, 0), "nothing stands out any more");
        let fits = browser.run("const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth <= clientWidth");
        assert_eq!(fits, true, "the page is not wider than the window");
        // A click on a heading sorts, another one turns the order round.
        browser.click("#head th:nth-child(2) button");
        let first =
            || browser.run("return document.querySelector('#rows tr:not([hidden])').children[1].textContent");
        assert_eq!(first(), "auxiliary.housing");
        browser.click("#head th:nth-child(2) button");
        assert_eq!(first(), "washer.tank");
        browser.logs_no_errors();
    }
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_page_of_motions_has_a_time_line() {
    let folder = Folder::new("motion-page");
    let [scene, page] = ["knob-through-plate.toml", "page.html"].map(|name| folder.0.join(name));
    let [scene, page] = [&scene, &page].map(|path| path.to_str().unwrap());
    assert_eq!(
        exit_code(&noli(&["scenes", "write", "knob-through-plate", "-o", folder.0.to_str().unwrap()])),
        0
    );
    for (command, events) in [("sweep", 1), ("play", 1)] {
        assert_eq!(exit_code(&noli(&[command, scene, "--html", page])), 1);
        let browser = Browser::start(&folder, [1024, 768]);
        browser.cdp(
            "Emulation.setEmulatedMedia",
            json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] }),
        );
        browser.ask("POST", "/url", json!({ "url": format!("file://{page}") }));
        browser.rest();
        assert_eq!(browser.run("return document.documentElement.dataset.theme"), "dark");
        let ticks =
            browser.run("return document.querySelectorAll('.timeline .tick').length").as_u64().unwrap();
        assert!(ticks >= events, "{command}: {ticks}");
        let height = |time: f64| {
            browser.run(&format!("noli.timeline.go({time})"));
            let at = browser.run("return noli.view.bodies[noli.data.play.bodies[0]].at");
            at[2].as_f64().unwrap()
        };
        let [start, later] = [height(0.0), height(0.3)];
        assert!(later < start, "{command}: the knob falls, {start} to {later}");
        browser.click("#rows tr");
        browser.rest();
        browser.screenshot(&format!("{command}-dark"));
        assert!(
            browser.run("return noli.timeline.time").as_f64().unwrap() > 0.3,
            "{command}: the row goes to its time"
        );
        browser.logs_no_errors();
    }
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_page_of_a_simulation_has_contact_points_and_curves() {
    let folder = Folder::new("simulation-page");
    let page = folder.0.join("page.html");
    let page = page.to_str().unwrap();
    let scene = "[simulation]\nseconds = 0.6\n[[body]]\nname = 'floor'\nhalf_space = true\n[[body]]\nname = 'crate'\nbox = [0.4, 0.3, 0.2]\n\
                 pose = { xyz = [0, 0, 0.3], rpy_deg = [20, 10, 0] }\nmass = 3\n";
    let scene = folder.file("crate.toml", scene);
    assert_eq!(exit_code(&noli(&["play", &scene, "--dynamics", "--html", page])), 0);
    let browser = Browser::start(&folder, [1366, 768]);
    browser.ask("POST", "/url", json!({ "url": format!("file://{page}") }));
    browser.rest();
    let names = browser.run("return noli.data.play.curves.map((curve) => curve.name)");
    assert_eq!(names, json!(["energy", "contacts", "largest force"]));
    assert_eq!(browser.run("return document.querySelectorAll('.timeline .plot').length"), 3);
    let contacts = |time: f64| {
        browser.run(&format!("noli.timeline.go({time})"));
        browser.run("return noli.contacts()").as_u64().unwrap()
    };
    assert_eq!(contacts(0.0), 0, "it falls");
    assert!(contacts(1.0) >= 3, "it lies");
    // The floor is drawn, below the crate.
    assert_eq!(browser.run("return noli.data.bodies.length"), 2);
    let value = browser.run("return document.querySelector('.timeline .value').textContent");
    assert!(!value.as_str().unwrap().is_empty());
    browser.screenshot("simulation");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn the_page_of_the_demo_has_four_chapters() {
    let folder = Folder::new("demo-page");
    let page = folder.0.join("demo.html");
    let page = page.to_str().unwrap();
    assert_eq!(exit_code(&noli(&["demo", "--html", page])), 0);
    let browser = Browser::start(&folder, [1366, 768]);
    let bodies: Vec<u64> = (0..4)
        .map(|chapter| {
            browser.ask("POST", "/url", json!({ "url": "about:blank" }));
            browser.ask("POST", "/url", json!({ "url": format!("file://{page}#chapter={chapter}") }));
            browser.rest();
            browser.screenshot(&format!("demo-{chapter}"));
            assert_eq!(browser.run("return document.querySelectorAll('#chapters a').length"), 4);
            let plays = browser.run("return noli.timeline !== null");
            assert_eq!(plays, chapter > 0, "chapter {chapter}");
            browser.run("return noli.data.bodies.length").as_u64().unwrap()
        })
        .collect();
    assert_eq!((bodies[0], bodies[1]), (52, 51));
    assert_eq!(browser.run("return document.querySelectorAll('#steps tr').length > 1"), true);
    // A link to another chapter shows it.
    browser.click("#chapters a:first-child");
    browser.wait_for("the first chapter", |browser| {
        (browser.run("return window.noli?.data.bodies.length") == 52).then_some(())
    });
    browser.logs_no_errors();
}
