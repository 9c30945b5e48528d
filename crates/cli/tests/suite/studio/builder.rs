//! A planner who builds a cell around a robot.

use super::{Studio, fill, grip, wait_text, wait_true, write_box};
use crate::support::Folder;
use crate::support::browser::Browser;
use serde_json::Value;

/// A column, and two links that reach 0.9 m from its axis.
pub(super) const ARM: &str = r#"<robot name="arm">
<link name="column"><collision><origin xyz="0 0 0.15"/>
<geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
<link name="upper"><collision><origin xyz="0.25 0 0"/>
<geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
<link name="fore"><collision><origin xyz="0.2 0 0"/>
<geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="column"/><child link="upper"/><origin xyz="0 0 0.4"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>"#;

/// State that a saved cell must restore.
fn state(browser: &Browser) -> Value {
    browser.run(
        "const { results, robot, bodies, hello: { scale, middle } } = noli.studio;
         return [results.outcome, robot.off, robot.asked, robot.robots, robot.program, robot.joints.map((joint) => joint.value),
           robot.locations.map(({ name }) => name), bodies.map(({ name, at }) => [name, at.map((x, k) => Math.round(1e6 * (x / scale + middle[k])))])]",
    )
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_planner_builds_a_cell_around_a_urdf_file_and_saves_it() {
    let folder = Folder::new("studio-cell");
    let urdf = folder.file("line/arm.urdf", ARM);
    folder.file("line/crate.obj", write_box([120.0, 120.0, 120.0]));
    let studio = Studio::start(&[&urdf]);
    let browser = studio.open(&folder, [1280, 800]);
    // A mesh of the folder, placed by numbers: the arm passes through it.
    browser.run("document.querySelector('[data-file=\"crate.obj\"]').click()");
    wait_true(&browser, "the crate", "return noli.studio.bodies.some(({ name }) => name === 'crate')");
    browser.run("noli.studio.choose(noli.studio.bodies.findIndex(({ name }) => name === 'crate'))");
    browser.click("[data-panel='Place']");
    for (axis, value) in [("x", "0.8"), ("z", "0.4")] {
        fill(&browser, &format!("[aria-label='{axis}']"), value);
        let moved = format!("return document.querySelector('[aria-label=\"{axis}\"]').value === '{value}'");
        wait_true(&browser, "the crate at its place", &moved);
    }
    let outcome = wait_text(
        &browser,
        "the clash",
        "return noli.studio.results.pairs.length ? noli.studio.results.outcome : ''",
    );
    assert!(outcome.starts_with('1'), "{outcome}");
    browser.rest();
    browser.screenshot("studio-cell-place");
    // Dragged with the mouse it leaves the arm, in one step that can be undone.
    browser.click("[data-gizmo='translate']");
    let [x, y] = grip(&browser, "crate");
    browser.drag([x, y], &[[x + 40, y + 20], [x + 120, y + 60]]);
    wait_true(&browser, "the crate dropped", "return noli.studio.edits.undo === 'move crate'");
    browser.rest();
    browser.screenshot("studio-cell-drag");
    browser.click("#undo");
    wait_true(&browser, "the crate back", "return noli.studio.edits.undo === 'place crate'");
    browser.click("[data-gizmo='select']");
    // Another robot beside the first one.
    browser.click("[data-panel='Robot']");
    browser.click("[data-run='add-robot']");
    wait_true(&browser, "a second robot", "return noli.studio.robot.robots.length === 2");
    fill(&browser, "[data-base='1y']", "600");
    wait_true(&browser, "its base", "return noli.studio.robot.robots[1].xyz[1] === 0.6");
    browser.rest();
    browser.screenshot("studio-cell-robots");
    // The matrix of pairs by names: the clash is allowed, with a reason.
    browser.click("[data-panel='Pairs']");
    fill(&browser, "[aria-label='Find pairs']", "FORE crate");
    let listed = "return [...document.querySelectorAll('[data-acm-pair]')].map((row) => row.dataset.acmPair).join(' ')";
    assert_eq!(browser.run(listed), "fore|crate arm/fore|crate");
    fill(&browser, "[aria-label='Reason for disabling']", "it holds the crate");
    browser.click("[data-acm-pair='fore|crate']");
    wait_true(&browser, "the pair disabled", "return noli.studio.results.pairs.length === 0");
    wait_text(&browser, "its reason", "return document.querySelector('.acm .off .why')?.textContent ?? ''");
    browser.screenshot("studio-cell-pairs");
    // A location and a program, then everything as a file.
    browser.click("[data-panel='Robot']");
    fill(&browser, "[aria-label='Name of the location']", "via");
    browser.click("[data-run='teach']");
    wait_true(&browser, "the location", "return noli.studio.robot.locations.length === 1");
    fill(&browser, ".code", "PROGRAM way\n    MOVE via\nRETURN\n");
    wait_true(&browser, "the program", "return noli.studio.edits.undo === 'the program'");
    browser.click("#saveas summary");
    fill(&browser, "[aria-label='File name']", "line");
    browser.screenshot("studio-cell-save");
    browser.click("[data-save='as']");
    wait_true(&browser, "the file", "return noli.studio.hello.can_save && noli.studio.edits.unsaved === 0");
    let title = browser.run("return document.querySelector('#title').textContent");
    assert!(title.as_str().unwrap().ends_with("line.toml"), "{title}");
    let saved = state(&browser);
    browser.logs_no_errors();
    let file = folder.0.join("line/line.toml").display().to_string();
    studio.leave(&browser);
    let again = Studio::start(&[&file]);
    again.reopen_in(&browser);
    wait_true(&browser, "the results", "return noli.studio.results !== null");
    assert_eq!(state(&browser), saved);
    browser.logs_no_errors();
}
