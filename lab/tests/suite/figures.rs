//! Figures of the studio, measured in the page: what a pull takes, and what very many bodies take.
//!
//! No checks of the machine they run on, so not part of `cargo xtask test`:
//! `cargo test -p noli-lab --test suite -- --ignored --nocapture --test-threads 1 figures::`.
#![allow(clippy::print_stdout, reason = "figures are what it is for")]

use crate::support::Folder;
use crate::support::browser::Browser;
use crate::support::studio::Studio;
use serde_json::Value;
use std::fmt::Write as _;

/// Pulls a body along a circle by events of the pointer, 60 a second for some seconds; how many, median and 95 % of what
/// lies between an event and its accepted pose, of what the server took of that, and of pictures. In milliseconds.
const PULL: &str = "
    const [name, seconds, draws, done] = arguments, { studio } = noli, { viewer } = studio, { canvas } = viewer;
    if (!draws) viewer.draw = () => {};
    studio.choose(studio.bodies.findIndex((body) => body.name === name));
    const box = canvas.getBoundingClientRect();
    let grip = null;
    const { positions } = studio.shapes[studio.bodies[studio.chosen].shape], place = viewer.matrixOf(studio.chosen).elements;
    for (let k = 0; k < 150 && !grip; k++) {
      const from = 3 * Math.floor((k / 150) * (positions.length / 3)), p = positions.subarray(from, from + 3);
      const vertex = [0, 1, 2].map((row) => place[row] * p[0] + place[4 + row] * p[1] + place[8 + row] * p[2] + place[12 + row]);
      const [x, y] = viewer.onScreen(vertex), at = { clientX: box.left + x, clientY: box.top + y };
      if (viewer.bodyAt(at)?.body === studio.chosen) grip = at;
    }
    canvas.setPointerCapture = () => {};
    const send = (type, dx, dy) => canvas.dispatchEvent(new PointerEvent(type, {
      clientX: grip.clientX + dx, clientY: grip.clientY + dy, button: 0, buttons: 1, pointerId: 1, bubbles: true,
    }));
    send('pointerdown', 0, 0);
    studio.latency.length = studio.micros.length = viewer.frameTimes.length = 0;
    const start = performance.now();
    const tick = () => {
      const t = (performance.now() - start) / 1000;
      if (t < seconds) {
        send('pointermove', 60 * Math.sin(3 * t), -40 * (1 - Math.cos(3 * t)));
        setTimeout(tick, 16);
        return;
      }
      send('pointerup', 0, 0);
      const figures = (all, by) => {
        const sorted = [...all].sort((a, b) => a - b);
        return [sorted.length, sorted[sorted.length >> 1] / by, sorted[Math.floor(sorted.length * 0.95)] / by];
      };
      done([figures(studio.latency, 1), figures(studio.micros, 1000), figures(viewer.frameTimes, 1), studio.lastStop]);
    };
    tick();";

fn told(figures: &Value) -> String {
    let number = |k: usize| figures[k].as_f64().unwrap_or(f64::NAN);
    format!("{} values, median {:.1} ms, 95 % below {:.1} ms", number(0), number(1), number(2))
}

#[test]
#[ignore = "measures; needs a browser"]
fn a_pull_with_live_clearance() {
    for detail in ["2", "8"] {
        for draws in [false, true] {
            let folder = Folder::new("figures-pull");
            let studio = Studio::start(&["--demo", "--detail", detail]);
            let browser = studio.open(&folder, [1440, 900]);
            let triangles = browser.run("return noli.studio.results.summary");
            println!("{} pictures {}", triangles, if draws { "drawn" } else { "not drawn" });
            for body in ["hose.washer", "battery.case", "brake.booster"] {
                let found = browser.run_later(PULL, &[body.into(), 4.into(), draws.into()]);
                println!("  {body}: event to accepted pose: {}", told(&found[0]));
                println!("    of that the server: {}; a picture: {}", told(&found[1]), told(&found[2]));
                browser.rest();
            }
        }
    }
}

/// Memory of a process, in MB.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

#[test]
#[ignore = "measures; needs a browser"]
fn five_thousand_bodies() {
    let folder = Folder::new("figures-many");
    let sphere = noli_scenes::uv_sphere(26, 20);
    let mut part = String::new();
    for p in sphere.vertices.iter().map(|p| 4.0 * *p) {
        writeln!(part, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c] in &sphere.triangles {
        writeln!(part, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    folder.file("part.obj", &part);
    let mut scene = String::from("units = \"mm\"\n");
    for k in 0..5000 {
        let [x, y, z] = [k % 20, k / 20 % 20, k / 400].map(|step| 9 * step);
        let name = format!("rack{}.part{}", k / 100, k % 100);
        writeln!(
            scene,
            "[[body]]\nname = \"{name}\"\nfile = \"part.obj\"\npose = {{ xyz = [{x}, {y}, {z}] }}"
        )
        .unwrap();
    }
    let file = folder.file("many.toml", &scene);
    let start = std::time::Instant::now();
    let studio = Studio::start(&[&file]);
    println!("the server is ready after {:.2} s", start.elapsed().as_secs_f64());
    let browser: Browser = studio.open(&folder, [1280, 800]);
    println!("first picture and results {:.2} s after the start", start.elapsed().as_secs_f64());
    println!("  {}", browser.run("return noli.studio.results.summary"));
    let tab = browser.run("return performance.memory.usedJSHeapSize / 1e6");
    println!("  the server holds {:.0} MB, the scripts of the tab {tab} MB", resident(studio.process()));
    browser.run("noli.studio.viewer.lookFrom([0, -1, 0.3])");
    browser.rest();
    let pictures = browser.run("return noli.studio.viewer.frameTimes.slice(-10).map(Math.round)");
    let drawn = browser.run("return noli.studio.viewer.cost().triangles");
    println!("  the last pictures took {pictures} ms; the last drew {drawn} triangles");
}
