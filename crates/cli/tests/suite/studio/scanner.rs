//! A user with a scanned surface: its points are drawn, and those that collide are marked.

use super::{Studio, wait_true};
use crate::support::Folder;

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_scan_is_drawn_as_points_and_its_colliding_points_are_marked() {
    let folder = Folder::new("studio-scan");
    let height = |x: f64, y: f64| 6.0 * (x / 18.0).sin() * (y / 14.0).cos();
    let place = |n: usize| [(n % 150) as f64 - 75.0, (n / 150) as f64 - 50.0];
    let points = (0..15_000).map(place).map(|[x, y]| format!("{x} {y} {:.3}\n", height(x, y)));
    folder.file("scan.xyz", points.collect::<String>());
    let scene = "units = \"mm\"\n[[body]]\nname = \"scan\"\npoints = \"scan.xyz\"\nradius = 0.5\n\n[[body]]\nname = \"probe\"\n\
                 sphere = { radius = 12 }\npose = { xyz = [20, 0, 9] }\n";
    let studio = Studio::start(&[&folder.file("scene.toml", scene)]);
    let browser = studio.open(&folder, [1280, 800]);
    assert_eq!(browser.run("return noli.studio.viewer.clouds.count()"), 15_000);
    assert_eq!(browser.run("return noli.studio.shapes[noli.studio.bodies[0].shape].triangles.length"), 0);
    browser.screenshot("story-scan");
    browser.run("noli.studio.look(noli.studio.results.pairs[0])");
    wait_true(&browser, "the colliding points", "return noli.studio.colliding > 0");
    let marked = browser.run("return noli.studio.viewer.points.geometry.attributes.position.count");
    assert_eq!(marked, browser.run("return noli.studio.colliding"), "each is marked");
    browser.rest();
    browser.screenshot("story-scan-colliding");
    // Lifted off, the nearest point is at the end of the measured clearance.
    browser.run("noli.studio.choose(1); noli.studio.mode = 'ghost'; noli.studio.nudge('z', 20)");
    wait_true(&browser, "the probe above", "return noli.studio.edits.undo === 'move probe'");
    browser.run("noli.studio.mode = 'stop'; noli.studio.nudge('z', 0.5)");
    wait_true(
        &browser,
        "the clearance",
        "return noli.studio.clearance?.line != null && !noli.studio.isPending()",
    );
    let off = browser.run(
        "const { viewer, clearance, bodies } = noli.studio, [scan] = bodies, points = noli.studio.shapes[scan.shape].positions;
         const apart = clearance.line.map((end) => {
           let least = Infinity;
           for (let k = 0; k < points.length; k += 3) least = Math.min(least, Math.hypot(...[0, 1, 2].map((n) => points[k + n] + scan.at[n] - end[n])));
           return least;
         });
         return Math.min(...apart) / noli.studio.hello.scale",
    );
    assert!(off.as_f64().unwrap() < 0.51, "the line ends on the sphere of a point: {off} mm");
    browser.rest();
    browser.screenshot("story-scan-nearest");
    browser.logs_no_errors();
}
