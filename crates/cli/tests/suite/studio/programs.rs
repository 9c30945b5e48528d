//! Several programs in one cell, and precision points.

use super::{Studio, fill, wait_text, wait_true};
use crate::support::Folder;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn programs_are_listed_chosen_renamed_and_kept_with_precision_points() {
    let folder = Folder::new("studio-programs");
    let studio = Studio::start_in(&folder.0, &["--demo", "magazine"]);
    let browser = studio.open(&folder, [1440, 900]);
    let names = "return [...document.querySelectorAll('[data-program-show]')].map((it) => it.dataset.programShow).join()";
    let first = wait_text(&browser, "the list of programs", names);
    assert_eq!(first, "programa1,magazine");
    // A precision point, and a program that goes there.
    fill(&browser, "[aria-label='Name of the location']", "home");
    browser.click("[data-run='teach-point']");
    wait_true(
        &browser,
        "the point",
        "return noli.studio.robot.locations.some(({ name, precise }) => name === '#HOME' && precise)",
    );
    fill(&browser, "[aria-label='Name of the program']", "park");
    browser.click("[data-program='new']");
    wait_true(&browser, "two programs", &format!("return (() => {{ {names} }})() === '{first},park'"));
    browser.click("[data-move='#home']");
    wait_true(
        &browser,
        "no error",
        "return noli.studio.robot.program.includes('MOVE #home') && noli.studio.errors.length === 0",
    );
    browser.screenshot("studio-programs");
    // The chosen one runs.
    browser.click("[data-program-run='park']");
    wait_true(&browser, "park first", &format!("return (() => {{ {names} }})() === 'park,{first}'"));
    browser.click("[data-run='run']");
    let verdict =
        wait_text(&browser, "the run", "return noli.studio.timeline ? noli.studio.track.title : ''");
    assert!(verdict.eq_ignore_ascii_case("program park"), "{verdict}");
    // Renamed in place; a name that is taken is refused.
    browser.click("[data-program-rename='park']");
    browser.run("const field = document.querySelector('[data-program-name]'); field.value = 'rest'; field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))");
    wait_true(&browser, "the new name", &format!("return (() => {{ {names} }})() === 'rest,{first}'"));
    fill(&browser, "[aria-label='Name of the program']", "REST");
    browser.click("[data-program='new']");
    wait_text(
        &browser,
        "the reason",
        "return [...document.querySelectorAll('.note')].map((note) => note.innerText).find((text) => text.includes('already')) ?? ''",
    );
    // Kept with the cell.
    browser.run("noli.studio.say({ do: 'save_as', file: 'line.toml' })");
    wait_true(&browser, "the saved cell", "return noli.studio.hello.title.endsWith('line.toml')");
    let text = std::fs::read_to_string(folder.0.join("line.val")).unwrap();
    assert!(text.starts_with(".PROGRAM rest()"), "{text}");
    assert!(std::fs::read_to_string(folder.0.join("line.toml")).unwrap().contains("joints_rad"));
    browser.click("[data-program-delete='magazine']");
    wait_true(&browser, "one program less", &format!("return (() => {{ {names} }})() === 'rest,programa1'"));
    browser.click("#undo");
    wait_true(&browser, "both again", &format!("return (() => {{ {names} }})() === 'rest,{first}'"));
    browser.logs_no_errors();
}
