//! A user with a scanned surface or a map: points or cells are drawn, and those that collide are marked.

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

/// A distance grid of a sphere of radius 0.3 m, of which the last fifth was not measured.
fn write_grid(folder: &Folder) {
    let center = |k: usize| 0.04 * k as f64 - 0.38;
    let value = |k: usize| match k / 400 {
        16.. => f32::NAN,
        x => (glam::dvec3(center(x), center(k / 20 % 20), center(k % 20)).length() - 0.3) as f32,
    };
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 20, 20), }\n";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.as_bytes());
    (0..8000).for_each(|k| npy.extend(value(k).to_le_bytes()));
    folder.file("esdf.npy", npy);
    folder.file(
        "map.json",
        r#"{ "distances": "esdf.npy", "voxel_size": 0.04, "origin": [-0.38, -0.38, -0.38], "error": 1e-6 }"#,
    );
}

#[test]
#[ignore = "needs a browser; `cargo xtask test` runs it where there is one"]
fn a_grid_of_a_cell_is_drawn_as_cells_and_the_colliding_and_nearest_ones_are_marked() {
    let folder = Folder::new("studio-grid");
    write_grid(&folder);
    let cell = |place: &str| {
        let text = format!(
            "units = \"mm\"\n[robot]\npuma560 = \"fu-gonzalez-lee\"\nstand_in = 45\nflange = \"link6\"\n\
             base = {{ xyz = [0, 0, 660] }}\n\n[[body]]\nname = \"map\"\ngrid = \"map.json\"\npose = {{ xyz = {place} }}\n"
        );
        folder.file("cell.toml", text)
    };
    let studio = Studio::start(&[&cell("[0, 0, 450]")]);
    let browser = studio.open(&folder, [1280, 800]);
    let counts = browser.run("return noli.studio.viewer.grids.counts()");
    assert!(counts[0].as_u64().unwrap() > 100 && counts[1].as_u64().unwrap() > 100, "{counts}");
    browser.rest();
    browser.screenshot("story-grid");
    let map = "noli.studio.bodies.findIndex(({ name }) => name === 'map')";
    browser.click("[data-panel='Place']");
    browser.run(&format!("noli.studio.choose({map})"));
    wait_true(&browser, "the cells in words", "return document.body.innerText.includes(' undecided cells')");
    browser.screenshot("story-grid-chosen");
    browser.click("[data-panel='Clashes']");
    browser.run(&format!(
        "const map = {map}; noli.studio.look(noli.studio.results.pairs.find(({{ a, b }}) => a === map || b === map))"
    ));
    wait_true(&browser, "the colliding cells", "return noli.studio.colliding > 0");
    // Twelve edges of two ends each.
    let outlined = browser.run("return noli.studio.viewer.cells.geometry.attributes.position.count / 24");
    assert_eq!(outlined, browser.run("return Math.min(noli.studio.colliding, 2000)"), "each is marked");
    wait_true(&browser, "their number", "return document.body.innerText.includes('Colliding cells')");
    browser.rest();
    browser.screenshot("story-grid-colliding");
    browser.logs_no_errors();
    drop((browser, studio));
    // Beside the arm, the cell at the end of the clearance is outlined.
    let studio = Studio::start(&[&cell("[1300, 200, 800]")]);
    let browser = studio.open(&folder, [1280, 800]);
    browser.run(
        "noli.studio.jog({ do: 'jog', values: noli.studio.robot.joints.map(({ value }, k) => value + (k === 0 ? 0.05 : 0)) })",
    );
    wait_true(
        &browser,
        "the nearest cell",
        "return noli.studio.viewer.nearest.visible && !noli.studio.isJogging()",
    );
    let end = "const [a, b] = noli.studio.jogged.clearance_line, [cell] = noli.studio.viewer.grids.at([a, b]);
               return [a, b].some((end) => end.every((x, k) => Math.abs(x - cell.at[k]) <= cell.edge * 0.501))";
    assert_eq!(browser.run(end), true, "the line ends at the cell");
    browser.rest();
    browser.screenshot("story-grid-nearest");
    browser.logs_no_errors();
}
