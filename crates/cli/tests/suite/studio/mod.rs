//! User stories of the studio, each in a real browser.
//!
//! Ignored by default, as `page`: run with `cargo test -p noli-cli --test suite -- --ignored studio::`.
//! Figures are printed with `--nocapture`, pictures left in the folder named by `NOLI_SCREENSHOTS`.
#![allow(clippy::print_stdout, reason = "figures for those who run it")]

mod beginner;
mod builder;
mod bulb;
mod clash_table;
mod designer;
mod engineer;
mod everyone;
mod growth;
mod habits;
mod large;
mod mechanic;
mod narrow;
mod pendant;
mod programmer;
mod programs;
mod puma;
mod random_use;
mod recorder;
mod reviewer;
mod scanner;
mod server;
mod space;
mod student;
mod two_arms;
mod views;
mod visitor;

use crate::support::Folder;
use crate::support::browser::Browser;
use crate::support::studio::{Studio, fill, undo_all, wait_text, wait_true};

/// A box with these lengths as OBJ text.
fn write_box([x, y, z]: [f64; 3]) -> String {
    let mut text = String::new();
    crate::support::write_object(&mut text, "box", &noli_scenes::cuboid(0.5 * glam::dvec3(x, y, z)), 0);
    text
}

/// The engine bay as files of a folder; the path of its scene.
fn engine_bay(folder: &Folder, options: &[&str]) -> String {
    let target = folder.0.join(format!("bay{}", options.concat())).display().to_string();
    let write = crate::support::noli(&[&["scenes", "write", "engine-bay", "-o", &target], options].concat());
    assert!(write.status.success(), "{}", crate::support::stderr(&write));
    format!("{target}/engine-bay.toml")
}

/// A place of the page at which a body is visible.
fn grip(browser: &Browser, name: &str) -> [i64; 2] {
    let found = browser.run(&format!(
        "const {{ studio }} = noli, box = studio.viewer.canvas.getBoundingClientRect(), seen = [];
         const body = studio.bodies.findIndex((body) => body.name === '{name}');
         for (let y = 4; y < box.height; y += 4) for (let x = 4; x < box.width; x += 4) {{
           const at = {{ clientX: box.left + x, clientY: box.top + y }};
           if (studio.viewer.canvas === document.elementFromPoint(at.clientX, at.clientY) && studio.viewer.bodyAt(at)?.body === body) seen.push([Math.round(at.clientX), Math.round(at.clientY)]);
         }}
         return seen[seen.length >> 1] ?? null"
    ));
    [0, 1].map(|k| found[k].as_i64().unwrap_or_else(|| panic!("{name} is not visible")))
}
