//! Two arms in one cell: one is driven, and stops before the other.

use super::builder::ARM;
use super::{Studio, fill, wait_text, wait_true};
use crate::support::Folder;
use crate::support::browser::Browser;

/// Turns the first joint of the driven arm, in degrees.
fn turn(browser: &Browser, degrees: f64) {
    browser.run(&format!(
        "const slider = document.querySelector('.joint input'); slider.value = {degrees}; slider.dispatchEvent(new Event('input'))"
    ));
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn one_arm_stops_before_another() {
    let folder = Folder::new("studio-two-arms");
    let studio = Studio::start(&[&folder.file("line/arm.urdf", ARM)]);
    let browser = studio.open(&folder, [1440, 900]);
    browser.click("[data-panel='Robot']");
    browser.click("[data-run='add-robot']");
    wait_true(&browser, "a second robot", "return noli.studio.robot.robots.length === 2");
    // Face to face: both reach 0.9 m, and stand 1.5 m from each other.
    for (field, value, there) in [("1x", "1500", "xyz[0] === 1.5"), ("1rz", "180", "quaternion[2] > 0.99")] {
        fill(&browser, &format!("[data-base='{field}']"), value);
        wait_true(&browser, "its base", &format!("return noli.studio.robot.robots[1].{there}"));
    }
    wait_true(
        &browser,
        "the arms in each other",
        "const { studio } = noli;
         return studio.results.pairs.some(({ a, b }) => [a, b].map((body) => studio.nameOf(body)).sort().join() === 'arm/fore,fore')",
    );
    browser.run("noli.studio.viewer.fit(false)");
    browser.rest();
    browser.screenshot("story-arms-collide");
    // Turned away, the driven arm is free; on its way back it stops before the other.
    turn(&browser, 90.0);
    wait_true(&browser, "the arm turned away", "return noli.studio.robot.joints[0].value > 1.57");
    turn(&browser, 0.0);
    let stop = wait_text(&browser, "the stop", "return noli.studio.jogged?.stopped?.text ?? ''");
    assert_eq!(stop, "fore would touch arm/fore");
    let angle = browser.run("return noli.studio.robot.joints[0].value").as_f64().unwrap();
    assert!((0.05..0.5).contains(&angle), "{angle}");
    browser.rest();
    browser.screenshot("story-arms-stopped");
    // Undone, the second arm stands where it was added.
    browser.click("#undo");
    wait_true(&browser, "its base as before", "return noli.studio.robot.robots[1].quaternion[3] === 1");
    browser.logs_no_errors();
}
