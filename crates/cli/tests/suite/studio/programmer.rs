//! A robot programmer.

use super::{Studio, fill, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_programmer_jogs_teaches_and_corrects_a_colliding_program() {
    let folder = Folder::new("studio-robot");
    let studio = Studio::start(&["--demo", "magazine-clash"]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.screenshot("studio-robot");
    let value = |browser: &Browser| browser.run("return noli.studio.robot.joints[0].value").as_f64().unwrap();
    let before = value(&browser);
    browser.run(
        "const slider = document.querySelector('.joint input'); slider.value = Number(slider.value) + 5;
         slider.dispatchEvent(new Event('input'))",
    );
    browser.wait_for("the joint to move", |browser| (value(browser) > before + 0.05).then_some(()));
    // The run stops at the post: its program line is named, the contact point is marked.
    let run = |what: &str| {
        browser.run("noli.studio.closeTrack(); noli.studio.track = null");
        browser.click("[data-run='run']");
        wait_text(&browser, what, "return noli.studio.track?.verdict ?? ''")
    };
    let verdict = run("the run");
    assert!(verdict.contains("stops in line 14") && verdict.contains("post"), "{verdict}");
    browser.run("noli.studio.timeline.go(1)");
    browser.rest();
    browser.screenshot("studio-robot-clash");
    assert_eq!(browser.run("return document.body.dataset.line"), "14");
    assert_eq!(browser.run("return noli.studio.viewer.marks.length"), 1, "the contact point is marked");
    // Single steps from the start, and a breakpoint.
    browser.click("[data-run='step']");
    assert_eq!(browser.run("return document.body.dataset.line"), "11");
    browser.click("[data-run='step']");
    assert_eq!(browser.run("return document.body.dataset.line"), "12");
    browser.click(".gutter button[aria-label='Line 14']");
    browser.run("noli.studio.timeline.go(0.9)");
    browser.click("[data-run='pause']");
    wait_true(
        &browser,
        "the breakpoint",
        "return document.body.dataset.line === '14' && !noli.studio.timeline.playing",
    );
    // A location above the post is taught.
    let tool = |browser: &Browser| {
        let at = browser.run("return noli.studio.jogged?.tool_at ?? noli.studio.robot.tool_at");
        [0, 1, 2].map(|k| at[k].as_f64().unwrap())
    };
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    browser.click("[data-go='seguranca']");
    browser
        .wait_for("the tool at its location", |browser| near(tool(browser), [0.43, 0.0, 0.56]).then_some(()));
    for (step, arrow, end) in [(240, "z1", [0.43, 0.0, 0.8]), (200, "y-1", [0.43, -0.2, 0.8])] {
        fill(&browser, "[aria-label='Step of the tool']", &step.to_string());
        browser.click(&format!("[data-tool='{arrow}']"));
        browser.wait_for("the tool", |browser| near(tool(browser), end).then_some(()));
    }
    let clearance = browser.run("return noli.studio.jogged.clearance_text");
    assert!(clearance.as_str().unwrap().contains("mm between"), "{clearance}");
    fill(&browser, "[aria-label='Name of the location']", "via");
    let program = browser.run("return document.querySelector('.code').value");
    let program = program.as_str().unwrap();
    // A line inserted at the same time is kept.
    browser.run(
        "document.querySelector(\"[data-run='teach']\").click(); document.querySelector(\"[data-move='seguranca']\").click()",
    );
    wait_true(&browser, "both changes", "return noli.studio.edits.unsaved === 2");
    let written = browser.run("return document.querySelector('.code').value");
    let moves = |text: &str| text.matches("MOVE seguranca").count();
    assert_eq!(moves(written.as_str().unwrap()), moves(program) + 1, "{written}");
    wait_true(
        &browser,
        "the location",
        "return noli.studio.robot.locations.some(({ name }) => name === 'VIA')",
    );
    // An unknown keyword is marked in its line.
    fill(&browser, ".code", &program.replace("SPEED 20", "SPED 20"));
    let error = wait_text(&browser, "the error", "return document.querySelector('.errors').textContent");
    assert!(error.contains("Line 18"), "{error}");
    // So is a location that does not exist, before any run; it is none any more once it is taught.
    fill(&browser, ".code", &program.replacen("MOVE seguranca", "MOVE nowhere", 1));
    let error = "return document.querySelector('.errors').textContent";
    let missing = "there is no location `nowhere`";
    wait_true(&browser, missing, &format!("return (() => {{ {error} }})().includes('{missing}')"));
    let line = 1 + program.lines().position(|line| line.contains("MOVE seguranca")).unwrap();
    let marked = "const all = [...document.querySelectorAll('.picture > span')]; return all.findIndex((line) => line.classList.contains('wrong')) + 1";
    assert_eq!(browser.run(marked), line);
    browser.screenshot("studio-robot-nowhere");
    fill(&browser, "[aria-label='Name of the location']", "nowhere");
    browser.click("[data-run='teach']");
    wait_true(&browser, "the taught location", &format!("return (() => {{ {error} }})() === ''"));
    browser.click("[data-forget='nowhere']");
    wait_true(&browser, missing, &format!("return (() => {{ {error} }})().includes('{missing}')"));
    fill(&browser, ".code", program);
    wait_true(&browser, "no error", "return document.querySelector('.errors').textContent === ''");
    // The arm moves over the post before the approach and on its return path.
    for line in [19, 12] {
        browser.run(&format!(
            "const code = document.querySelector('.code'), at = code.value.split('\\n').slice(0, {line}).join('\\n').length;
             code.setSelectionRange(at, at)"
        ));
        browser.click("[data-move='via']");
    }
    let corrected = run("the corrected run");
    assert!(corrected.contains("motions proven free and driven"), "{corrected}");
    browser.run("noli.studio.timeline.stop(); noli.studio.timeline.go(0.2)");
    browser.rest();
    browser.screenshot("studio-robot-corrected");
    // DH parameters of the arm.
    assert_eq!(browser.run("return document.querySelectorAll('.dh tbody tr').length"), 6);
    // The IK branches, and the report of the run.
    browser.click("[data-run='branches']");
    wait_true(&browser, "the branches", "return noli.studio.branches.length === 8");
    // The lesson about frames and branches, to its end.
    browser.run("noli.studio.closeTrack()");
    browser.click("[data-panel='Lessons']");
    browser.click("[data-lesson='3']");
    let at_step = |step: &str| {
        wait_true(&browser, "the next step", &format!("return document.body.dataset.lesson === '3.{step}'"));
    };
    at_step("0");
    browser.click(".lesson .do");
    browser.run(
        "const slider = document.querySelectorAll('.joint input[type=range]')[1]; slider.value = Number(slider.value) - 3;
         slider.dispatchEvent(new Event('input'))",
    );
    at_step("1");
    fill(&browser, "[aria-label='Step of the tool']", "10");
    browser.click("[data-tool='z-1']");
    at_step("2");
    browser.click("[data-run='branches']");
    at_step("3");
    browser.run("document.querySelector('.branches button:not(:disabled)').click()");
    wait_true(&browser, "the end of the lesson", "return document.body.dataset.lesson === 'done'");
    let report = browser.run(
        "const request = new XMLHttpRequest(); request.open('GET', document.querySelector('#export a[href*=json]').href, false);
         request.send(); return JSON.parse(request.responseText).contacts.length",
    );
    assert_eq!(report, 0);
    browser.logs_no_errors();
}
