//! Clashes in a table: depth, volume, clearance, status and comment; sorted, grouped, between groups of bodies.

use super::{Studio, engine_bay, fill, wait_text, wait_true};
use crate::support::Folder;
use serde_json::json;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn clashes_are_sorted_and_grouped_by_depth_volume_and_review_between_groups_of_bodies() {
    let folder = Folder::new("studio-table");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1440, 900]);
    assert_eq!(browser.run("return document.getElementById('save').textContent"), "Saved");
    browser.click("[data-results='table']");
    fill(&browser, "[aria-label='Order of the pairs']", "deepest first");
    let measured = "const { values, results } = noli.studio; return values.open() === 0 && results.pairs.filter((pair) => values.applies(pair)).every((pair) => values.of(pair))";
    wait_true(&browser, "all depths", measured);
    let depths = "const { studio } = noli;
        const rows = [...document.querySelectorAll('.results [data-pair]')].map((row) => row.dataset.pair);
        const pairs = rows.map((names) => studio.results.pairs.find(({ a, b }) => `${studio.nameOf(a)}|${studio.nameOf(b)}` === names));
        return pairs.map((pair) => studio.values.of(pair)?.depth).filter(Boolean).map(([low, high]) => high ?? low)";
    wait_true(
        &browser,
        "the order",
        &format!(
            "const depths = (() => {{ {depths} }})(); return depths.length > 3 && depths.every((depth, k) => k === 0 || depth <= depths[k - 1])"
        ),
    );
    let cells = browser.run("return [...document.querySelectorAll('.results [data-pair]')][0].querySelectorAll('[data-column]').length");
    assert_eq!(cells, 5);
    browser.rest();
    browser.screenshot("studio-table");
    // Groups by volume have headings with counts.
    fill(&browser, "[aria-label='Groups of pairs']", "by volume");
    let heading = wait_text(
        &browser,
        "a heading",
        "return document.querySelector('.results .family')?.innerText ?? ''",
    );
    assert!(heading.contains("mm³") && heading.contains('('), "{heading}");
    browser.screenshot("studio-table-groups");
    fill(&browser, "[aria-label='Groups of pairs']", "no groups");
    // A heading sorts; the bracket of a pair is given on demand.
    browser.click("[data-sort='volume']");
    assert_eq!(
        browser.run("return document.querySelector('[data-sort=volume]').getAttribute('aria-pressed')"),
        "true"
    );
    browser.click(".results [data-pair]");
    browser.click("[data-results='exact']");
    let card = wait_text(
        &browser,
        "the bracket",
        "const text = document.querySelector('.card').innerText; return text.includes('Depth, bracket') ? text : ''",
    );
    assert!(card.contains("Volume, bracket") && card.contains(" .. "), "{card}");
    // Status and comment are columns, too.
    fill(&browser, ".card [aria-label='Status']", "active");
    wait_true(
        &browser,
        "the status",
        "return document.querySelector('.results .chosen [data-column=status]')?.textContent === 'active'",
    );
    fill(&browser, "[aria-label='Groups of pairs']", "by status");
    wait_true(
        &browser,
        "groups of statuses",
        "return [...document.querySelectorAll('.results .family')].map((it) => it.innerText).join().includes('active (1)')",
    );
    fill(&browser, "[aria-label='Groups of pairs']", "no groups");
    // A group made by hand is a side of the test.
    browser.run("const { studio } = noli; studio.choose(null); studio.chooseAll(studio.bodies.flatMap(({ name }, body) => (name.startsWith('hose') ? [body] : [])))");
    browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'g', ctrlKey: true, bubbles: true, cancelable: true }))");
    fill(&browser, "[aria-label='Name of the group']", "hoses");
    browser.screenshot("studio-group-form");
    browser.click("[data-group-make]");
    wait_true(&browser, "the group", "return noli.studio.groups.some(({ name }) => name === 'hoses')");
    browser
        .run("noli.studio.choose(null); noli.show('Clashes'); document.querySelector('.sets').open = true");
    fill(&browser, "[data-set='A']", "@hoses");
    let count =
        wait_text(&browser, "the count", "return document.querySelector('[data-set=count]').textContent");
    let hoses = browser.run("const { studio } = noli; return studio.results.pairs.filter(({ a, b, hit }) => hit && [a, b].some((body) => studio.nameOf(body).startsWith('hose'))).length");
    assert_eq!(count.split(' ').next().unwrap(), hoses.to_string(), "{count}");
    browser.screenshot("studio-sets-group");
    // It is renamed in place and dissolved by keys; undo brings it back.
    browser.click("[data-group-rename='hoses']");
    fill(&browser, "[data-group-name='hoses']", "pipes");
    browser.run("document.querySelector('[data-group-name]').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))");
    wait_true(
        &browser,
        "the new name",
        "return noli.studio.groups.some(({ name }) => name === 'pipes') && !!document.querySelector('[data-by-hand=pipes]')",
    );
    browser.run("const list = document.querySelector('.bodies'); list.focus(); for (const key of ['Home', 'Delete']) list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))");
    wait_true(&browser, "no group", "return noli.studio.groups.length === 0");
    browser.click("#undo");
    wait_true(&browser, "the group again", "return noli.studio.groups.length === 1");
    assert!(std::fs::read_to_string(bay.replace(".toml", ".groups.json")).unwrap().contains("pipes"));
    // Save shows how many changes are open, and what was written where.
    browser.run("noli.studio.say({ do: 'add', shape: { kind: 'box', size: [20, 20, 20] } })");
    wait_true(&browser, "one change", "return document.getElementById('save').textContent === 'Save (1)'");
    browser.run("noli.studio.say({ do: 'margin', value: 1 })");
    wait_true(&browser, "two changes", "return document.getElementById('save').textContent === 'Save (2)'");
    browser.click("#save");
    let note = wait_text(
        &browser,
        "the note",
        "return [...document.querySelectorAll('.note')].map((note) => note.innerText).find((text) => text.includes('Saved into')) ?? ''",
    );
    assert!(note.contains("engine-bay.toml: 1 body added, margin 1"), "{note}");
    browser.screenshot("studio-saved");
    // In a narrow window the table scrolls in its own frame.
    let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false });
    browser.cdp("Emulation.setDeviceMetricsOverride", size);
    browser.rest();
    assert_eq!(browser.run("return document.documentElement.scrollWidth <= 390"), true);
    browser.screenshot("studio-table-390");
    browser.logs_no_errors();
}
