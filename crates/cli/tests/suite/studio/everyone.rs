//! What all of them meet: long lists, several tabs, a server that is gone, kept records.

use super::{Studio, fill, wait_true};
use crate::support::Folder;
use serde_json::{Value, json};

/// A list of very many bodies holds those in sight, and goes by keys as far as its end.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn very_many_bodies_are_found_by_keys() {
    let folder = Folder::new("studio-many");
    let studio = Studio::start(&[&folder.file("chain.toml", &crate::page::chain(1200))]);
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
    browser.click("[data-panel='Results']");
    for _ in 0..60 {
        key("results", "ArrowDown");
    }
    let pair = browser.run("return document.querySelector('.results .chosen')?.dataset.pair ?? ''");
    assert_ne!(pair, "", "the pair that is looked at is in sight");
    browser.logs_no_errors();
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn two_tabs_see_one_state_and_a_killed_server_loses_nothing() {
    let folder = Folder::new("studio-tabs");
    let scene = "units = \"mm\"\n[[body]]\nname = \"wall\"\nbox = [2, 100, 100]\npose = { xyz = [50, 0, 0] }\n\n\
                 [[body]]\nname = \"ball\"\nsphere = { radius = 5 }\n";
    let file = folder.file("scene.toml", scene);
    let mut studio = Studio::start(&[&file]);
    let browser = studio.open(&folder, [1024, 700]);
    let first = browser.ask("GET", "/window", Value::Null);
    let second = browser.ask("POST", "/window/new", json!({ "type": "tab" }))["handle"].clone();
    let go = |tab: &Value| browser.ask("POST", "/window", json!({ "handle": tab }));
    go(&second);
    browser.ask("POST", "/url", json!({ "url": studio.url }));
    wait_true(&browser, "the second tab", "return document.body.dataset.ready === 'true'");
    let ball = "return JSON.stringify(noli.studio.bodies[1].at)";
    let before = browser.run(ball);
    browser.run("noli.studio.choose(1)");
    browser.click("[data-panel='Place']");
    fill(&browser, "[aria-label='Step']", "20");
    browser.click("[data-nudge='x1']");
    wait_true(&browser, "the change", "return noli.studio.edits.undo === 'move ball'");
    let after = browser.run(ball);
    assert_ne!(before, after);
    go(&first);
    browser.wait_for("the first tab to see it", |browser| (browser.run(ball) == after).then_some(()));
    assert_eq!(browser.run("return noli.studio.edits.unsaved"), 1);
    // No farewell, and the page says so.
    studio.server.kill().unwrap();
    studio.server.wait().unwrap();
    wait_true(&browser, "the page to notice", "return document.body.dataset.link !== 'open'");
    wait_true(&browser, "the page to say what to do", "return !document.getElementById('gone').hidden");
    browser.screenshot("studio-lost");
    let again = Studio::start(&[&file]);
    browser.ask("POST", "/url", json!({ "url": again.url }));
    wait_true(&browser, "the studio again", "return document.body.dataset.ready === 'true'");
    assert_eq!(browser.run(ball), after, "nothing was lost");
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let saved = noli_io::parse_scene(&std::fs::read(&file).unwrap()).unwrap();
    let place = saved.bodies[1].pose.translation;
    assert!((place.x - 20.0).abs() < 1e-9 && place.y == 0.0, "{place}");
}

/// Records that come with noli, looked at in the folder that they lie in.
#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn every_record_of_the_lab_is_drawn() {
    let folder = Folder::new("studio-records");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let studio = Studio::start(&[root]);
    let browser = studio.open(&folder, [1440, 900]);
    let records = browser.run("return noli.studio.hello.records");
    let records: Vec<&str> = records.as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(records.len() > 10, "{records:?}");
    browser.click("[data-panel='Lab']");
    let mut plots = 0;
    for file in records {
        browser.run(&format!("noli.studio.say({{ do: 'record', file: {} }})", json!(file)));
        wait_true(&browser, file, &format!("return noli.studio.recordFile === {}", json!(file)));
        let wrong = browser.run(
            "const { plots = [], tables } = noli.studio.record, charts = [...document.querySelectorAll('.chart')];
             if (charts.length !== plots.length || document.querySelectorAll('.pane .figures').length !== tables.length) return 'something is missing';
             const numbers = charts.flatMap((chart) => [...chart.querySelectorAll('*')].flatMap((part) => [...part.attributes].map(({ value }) => value)));
             const cut = charts.flatMap((chart) => [...chart.querySelectorAll('text')].filter((text) => {
               const [all, own] = [chart, text].map((part) => part.getBoundingClientRect());
               return own.bottom > all.bottom + 1 || own.left < all.left - 1 || own.right > all.right + 1;
             }));
             if (cut.length > 0) return 'cut off: ' + cut[0].textContent;
             return numbers.find((value) => /NaN|Infinity|undefined/.test(value)) ?? charts.length",
        );
        plots += wrong.as_u64().unwrap_or_else(|| panic!("{file}: {wrong}"));
    }
    assert!(plots > 0, "some have plots");
    browser.screenshot("studio-records");
    browser.logs_no_errors();
}
