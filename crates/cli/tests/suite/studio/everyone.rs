//! Common to all users: long lists, several tabs, an ended server, stored changes.

use super::{Studio, fill, wait_true};
use crate::support::Folder;
use serde_json::{Value, json};

/// A list of many bodies holds the visible rows only; the keyboard reaches its end.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn very_many_bodies_are_found_by_keys() {
    let folder = Folder::new("studio-many");
    let studio = Studio::start(&[&folder.file("chain.toml", crate::page::chain(1200))]);
    let browser = studio.open(&folder, [1280, 800]);
    let rows = |list: &str| {
        browser
            .run(&format!("return document.querySelectorAll('.{list} li:not(.spacer)').length"))
            .as_u64()
            .unwrap()
    };
    for list in ["bodies", "results"] {
        assert!((10..100).contains(&rows(list)), "{list}: {}", rows(list));
    }
    let key = |list: &str, key: &str| {
        browser.run(&format!(
            "const list = document.querySelector('.{list}'); list.focus();
             list.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        ))
    };
    for pressed in ["End", "ArrowUp", "Enter"] {
        key("bodies", pressed);
    }
    assert_eq!(browser.run("return document.body.dataset.chosen"), "box1198");
    let row = "const row = document.querySelector('.bodies .chosen'), list = document.querySelector('.bodies');
        return row && row.id === list.getAttribute('aria-activedescendant') && row.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom
          && document.activeElement === list && Number(row.getAttribute('aria-posinset'))";
    assert_eq!(browser.run(row), 1199);
    key("bodies", " ");
    assert_eq!(
        browser.run("return [...noli.studio.hidden].map((body) => noli.studio.nameOf(body)).join()"),
        "box1198"
    );
    browser.click("[data-panel='Clashes']");
    for _ in 0..60 {
        key("results", "ArrowDown");
    }
    let pair = browser.run("return document.querySelector('.results .chosen')?.dataset.pair ?? ''");
    assert_ne!(pair, "", "the selected pair is visible");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn two_tabs_see_one_state_and_a_killed_server_loses_nothing() {
    let folder = Folder::new("studio-tabs");
    let scene = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [2, 100, 100]\npose = { xyz = [50, 0, 0] }\n\n\
                 [[body]]\nname = \"sphere\"\nsphere = { radius = 5 }\n";
    let file = folder.file("scene.toml", scene);
    let mut studio = Studio::start(&[&file]);
    let browser = studio.open(&folder, [1024, 700]);
    let first = browser.ask("GET", "/window", Value::Null);
    let second = browser.ask("POST", "/window/new", json!({ "type": "tab" }))["handle"].clone();
    let go = |tab: &Value| browser.ask("POST", "/window", json!({ "handle": tab }));
    go(&second);
    browser.ask("POST", "/url", json!({ "url": studio.url }));
    wait_true(&browser, "the second tab", "return document.body.dataset.ready === 'true'");
    let sphere = "return JSON.stringify(noli.studio.bodies[1].at)";
    let before = browser.run(sphere);
    browser.run("noli.studio.choose(1)");
    browser.click("[data-panel='Place']");
    fill(&browser, "[aria-label='Step']", "20");
    browser.click("[data-nudge='x1']");
    wait_true(&browser, "the change", "return noli.studio.edits.undo === 'move sphere'");
    let after = browser.run(sphere);
    assert_ne!(before, after);
    go(&first);
    browser.wait_for("the first tab to see it", |browser| (browser.run(sphere) == after).then_some(()));
    assert_eq!(browser.run("return noli.studio.edits.unsaved"), 1);
    // The server is killed; the page reports it.
    studio.server.kill().unwrap();
    studio.server.wait().unwrap();
    wait_true(&browser, "the page to notice", "return document.body.dataset.link !== 'open'");
    wait_true(&browser, "the page to show instructions", "return !document.getElementById('gone').hidden");
    browser.screenshot("studio-lost");
    let again = Studio::start(&[&file]);
    browser.ask("POST", "/url", json!({ "url": again.url }));
    wait_true(&browser, "the studio again", "return document.body.dataset.ready === 'true'");
    assert_eq!(browser.run(sphere), after, "nothing was lost");
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let saved = noli_project::parse_scene(&std::fs::read(&file).unwrap()).unwrap();
    let place = saved.bodies[1].pose.translation;
    assert!((place.x - 20.0).abs() < 1e-9 && place.y == 0.0, "{place}");
}
