//! A mechanic who compares the removal of a bulb by hand with the found one.

use super::{Studio, engine_bay, fill, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;

/// Follows the last path with the selected body, as a hand does: pose by pose, each accepted before the next, again
/// where a busy machine proved nothing in time. At its end the hand lifts the body a little.
const FOLLOW: &str = "
    const [done] = arguments, { studio } = noli, { body } = studio.path;
    const [x, y, z, ...turn] = studio.path.places.at(-1), places = [...studio.path.places, [x, y, z + 12, ...turn]];
    const settled = (then) => (studio.isPending() ? setTimeout(() => settled(then), 2) : then());
    const next = (k, tries) => {
      if (k === places.length) { studio.drop(body); return settled(() => done(true)); }
      const [x, y, z, ...turn] = places[k];
      studio.pull(body, [x, y, z], turn);
      settled(() => (studio.stopped && !studio.stopped.proven && tries < 200 ? next(k, tries + 1) : next(k + 1, 0)));
    };
    next(0, 0);";

fn keep(browser: &Browser, name: &str) {
    fill(browser, "[aria-label='Name of the path']", name);
    browser.click("[data-play='keep']");
    wait_true(
        browser,
        name,
        &format!("return noli.studio.hello.plays.some((play) => play.name === 'path {name}')"),
    );
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn the_removal_of_a_bulb_by_hand_is_compared_with_the_found_one() {
    let folder = Folder::new("studio-bulb");
    let bay = engine_bay(&folder, &["--detail", "1"]);
    let studio = Studio::start(&[&bay]);
    let browser = studio.open(&folder, [1440, 900]);
    let choose = |name: &str, panel: &str| {
        browser.run(&format!(
            "noli.studio.choose(noli.studio.bodies.findIndex((body) => body.name === '{name}'))"
        ));
        browser.click(&format!("[data-panel='{panel}']"));
    };
    let verdict = |title: &str| {
        let script = format!(
            "const text = document.querySelector('.verdict')?.textContent ?? ''; return text.startsWith('{title}') ? text : ''"
        );
        wait_text(&browser, title, &script)
    };
    choose("headlight.cover", "Place");
    browser.click("[data-place='remove']");
    wait_true(&browser, "the cover removed", "return noli.studio.edits.undo === 'remove headlight.cover'");
    choose("headlight.bulb", "Motion");
    browser.click("[data-play='path']");
    let found = verdict("Removal path for headlight.bulb");
    assert!(found.contains("Free, proven"), "{found}");
    keep(&browser, "found");
    // The same by hand.
    browser.run("noli.studio.closeTrack()");
    choose("headlight.bulb", "Motion");
    browser.click("[data-play='record']");
    browser.run_later(FOLLOW, &[]);
    wait_true(&browser, "the bulb dropped", "return noli.studio.edits.undo === 'move headlight.bulb'");
    browser.click("[data-play='record']");
    let by_hand = verdict("Recorded path of headlight.bulb");
    assert!(by_hand.contains("Free, proven along the whole path"), "{by_hand}");
    keep(&browser, "by hand");
    for name in ["found", "by hand"] {
        browser.click(&format!("[data-play='path {name}']"));
        verdict(&format!("{name}: headlight.bulb"));
    }
    let rows = browser.run(
        "return [...document.querySelectorAll('.pane .figures tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent))",
    );
    let row = |name: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{rows:?}"))
    };
    for name in ["found", "by hand"] {
        assert_eq!(row(name)[1], "free");
    }
    let number = |name: &str, column: usize| {
        let text = row(name)[column].as_str().unwrap();
        text.trim_start_matches("≥ ").parse::<f64>().unwrap_or_else(|_| panic!("{rows}"))
    };
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "a path that was named is listed once: {rows}");
    assert!(number("by hand", 2) > number("found", 2) + 1.0, "the hand took the longer path: {rows}");
    assert!(number("found", 3) > 0.0 && number("by hand", 3) > 0.0, "{rows}");
    browser.rest();
    browser.screenshot("story-bulb-compared");
    browser.click("#save");
    wait_true(&browser, "the scene to be saved", "return noli.studio.edits.unsaved === 0");
    let saved = noli_project::parse_scene(&std::fs::read(&bay).unwrap()).unwrap();
    let mut names: Vec<&str> = saved.removals.iter().map(|removal| removal.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["by hand", "found"]);
    browser.logs_no_errors();
}
