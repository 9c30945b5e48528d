//! Parts that fit by design, triangulated as CAD programs do: with the tolerance that the chord error asks for, contacts
//! are no clashes, and whatever is really too thick or out of place is one.

use crate::support::{Folder, exit_code, json, noli};
use serde_json::Value;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;

/// A body of revolution with vertices on the true surface: half of its outline, `[radius, height]`, counter-clockwise
/// with the axis on the left. An outline that starts and ends on the axis is closed there, any other to itself.
pub(crate) fn turned(outline: &[[f64; 2]], chord: f64, turn: f64) -> String {
    let largest = outline.iter().map(|point| point[0]).fold(0.0, f64::max);
    let vertices = (PI / (1.0 - chord / largest).acos()).ceil().max(8.0) as usize;
    let (mut points, mut faces) = (String::new(), String::new());
    let mut rows = Vec::new();
    let mut count = 0;
    for &[radius, height] in outline {
        let first = count;
        let around = if radius == 0.0 { 1 } else { vertices };
        for k in 0..around {
            let angle = turn + TAU * k as f64 / vertices as f64;
            writeln!(points, "v {:?} {:?} {height:?}", radius * angle.cos(), radius * angle.sin()).unwrap();
            count += 1;
        }
        rows.push((first, around));
    }
    let on_axis = outline[0][0] == 0.0;
    let sides = outline.len() - usize::from(on_axis);
    for side in 0..sides {
        let [lower, upper] = [rows[side], rows[(side + 1) % rows.len()]];
        for k in 0..vertices {
            let at = |(first, around): (usize, usize), k: usize| first + k % around + 1;
            let [a, b, c, d] = [at(lower, k), at(lower, k + 1), at(upper, k + 1), at(upper, k)];
            if a != b {
                writeln!(faces, "f {a} {b} {c}").unwrap();
            }
            if c != d {
                writeln!(faces, "f {a} {c} {d}").unwrap();
            }
        }
    }
    points + &faces
}

/// A ring with teeth.
fn gear(inner: f64, outer: f64, teeth: usize, [low, high]: [f64; 2], chord: f64) -> String {
    let vertices = 4 * teeth * ((PI / (1.0 - chord / inner).acos() / (4 * teeth) as f64).ceil() as usize);
    let tooth = |k: usize| if k * 4 * teeth / vertices % 4 < 2 { outer } else { 0.9 * outer };
    let (mut points, mut faces) = (String::new(), String::new());
    for k in 0..vertices {
        let (sin, cos) = (TAU * k as f64 / vertices as f64).sin_cos();
        for [radius, height] in [[tooth(k), low], [tooth(k), high], [inner, high], [inner, low]] {
            writeln!(points, "v {:?} {:?} {height:?}", radius * cos, radius * sin).unwrap();
        }
    }
    for k in 0..vertices {
        for side in 0..4 {
            let at = |k: usize, side: usize| 4 * (k % vertices) + side % 4 + 1;
            let [a, b, c, d] = [at(k, side), at(k + 1, side), at(k + 1, side + 1), at(k, side + 1)];
            writeln!(faces, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    points + &faces
}

/// Largest errors of an assembly, in millimetres.
#[derive(Clone, Copy, Default)]
struct Fault {
    shaft_thicker: f64,
    bushing_thicker: f64,
    bolt_thicker: f64,
    gear_lower: f64,
}

/// A housing with a bushing, a shaft with a shoulder in it, a gear on the shaft, and a bolt with its head on a plate.
fn assembly(folder: &Folder, chord: f64, fault: Fault) -> Vec<String> {
    let ring = |inner: f64, outer: f64, low: f64, high: f64, turn: f64| {
        turned(&[[inner, low], [outer, low], [outer, high], [inner, high]], chord, turn)
    };
    let bar = |outline: &[[f64; 2]], turn: f64| turned(outline, chord, turn);
    let (shaft, bolt) = (6.0 + fault.shaft_thicker, 4.0 + fault.bolt_thicker);
    let parts = [
        ("housing", ring(10.0, 18.0, 0.0, 8.0, 0.0)),
        ("bushing", ring(6.0, 10.0 + fault.bushing_thicker, 0.0, 8.0, 0.03)),
        (
            "shaft",
            bar(
                &[
                    [0.0, -5.0],
                    [shaft, -5.0],
                    [shaft, 8.0],
                    [9.0, 8.0],
                    [9.0, 10.0],
                    [shaft, 10.0],
                    [shaft, 25.0],
                    [0.0, 25.0],
                ],
                0.11,
            ),
        ),
        ("gear", gear(6.0, 16.0, 12, [10.0 - fault.gear_lower, 16.0 - fault.gear_lower], chord)),
        ("plate", ring(4.0, 30.0, 30.0, 34.0, 0.2)),
        (
            "bolt",
            bar(&[[0.0, 28.0], [bolt, 28.0], [bolt, 34.0], [7.0, 34.0], [7.0, 38.0], [0.0, 38.0]], 0.31),
        ),
    ];
    parts.iter().map(|(name, text)| folder.file(&format!("{name}.obj"), text)).collect()
}

/// The pairs that count, and how many are permitted.
fn hits(parts: &[String], tolerance: f64) -> (Vec<String>, i64) {
    let tolerance = tolerance.to_string();
    let mut arguments = vec!["check", "--json", "--tolerance", &tolerance];
    arguments.extend(parts.iter().map(String::as_str));
    let output = noli(&arguments);
    let report = json(&output);
    let pairs = report["pairs"].as_array().unwrap();
    let names = |pair: &Value| format!("{} {}", pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
    let hits: Vec<String> = pairs.iter().filter(|pair| pair["hit"] == true).map(names).collect();
    assert_eq!(exit_code(&output), i32::from(!hits.is_empty()));
    (hits, report["summary"]["within_tolerance"].as_i64().unwrap_or(0))
}

#[test]
fn what_fits_is_no_clash_and_what_does_not_is_one() {
    let folder = Folder::new("assemblies");
    for chord in [0.2, 0.1, 0.03] {
        let tolerance = 2.0 * chord;
        // Housing and bushing, bushing and shaft, gear and shaft, plate and bolt.
        let (clashes, permitted) = hits(&assembly(&folder, chord, Fault::default()), tolerance);
        assert_eq!((clashes.as_slice(), permitted), (&[][..], 4), "chord {chord}");
        // Surfaces may be off by the chord each, so what is too thick by four times that counts for certain.
        let wrong = 4.5 * chord;
        for (fault, expected) in [
            (Fault { shaft_thicker: wrong, ..Fault::default() }, &["bushing shaft", "shaft gear"][..]),
            (Fault { bushing_thicker: wrong, ..Fault::default() }, &["housing bushing"]),
            (Fault { bolt_thicker: wrong, ..Fault::default() }, &["plate bolt"]),
            (Fault { gear_lower: wrong, ..Fault::default() }, &["shaft gear"]),
        ] {
            let (clashes, _) = hits(&assembly(&folder, chord, fault), tolerance);
            let mut names: Vec<String> = clashes.iter().map(|pair| sorted(pair)).collect();
            let mut wanted: Vec<String> = expected.iter().map(|pair| sorted(pair)).collect();
            names.sort();
            wanted.sort();
            assert_eq!(names, wanted, "chord {chord}");
        }
    }
}

fn sorted(pair: &str) -> String {
    let mut names: Vec<&str> = pair.split(' ').collect();
    names.sort_unstable();
    names.join(" ")
}
