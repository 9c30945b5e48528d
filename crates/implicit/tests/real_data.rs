//! Published expression graphs; skipped where the data is not present.

#![allow(dead_code, reason = "the support module serves several programs")]

mod support;

use glam::{DQuat, DVec3, dvec3};
use noli_geom::{Aabb, Pose};
use noli_implicit::{Field, FieldQuery, FieldVerdict, field_overlap, parse_vm};
use std::path::PathBuf;
use support::Random;

fn graph(name: &str) -> Option<Field> {
    let beside = || Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    let folder = std::env::var_os("NOLI_DATA").map(PathBuf::from).or_else(beside)?;
    let path = folder.join("implicit").join(name);
    match std::fs::read_to_string(&path) {
        // Parts cut from each other leave skins without thickness, where the function is zero: these are neither
        // provably there nor provably not, so the objects are shrunk a little.
        Ok(text) => {
            let expr = parse_vm(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            Some(Field::new(&(expr + 1e-3)))
        }
        Err(_) => {
            eprintln!("skipped: no {} (set NOLI_DATA)", path.display());
            None
        }
    }
}

fn cube(half: f64) -> Aabb {
    Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) }
}

#[test]
fn colonnade_and_tanglecube_agree_with_samples() {
    let (Some(colonnade), Some(tanglecube)) = (graph("colonnade.vm"), graph("tanglecube.vm")) else { return };
    let colonnade = colonnade.within(cube(1.0));
    let mut rng = Random(9);
    let mut counts = [0; 3];
    for case in 0..24 {
        let turn = DQuat::from_xyzw(rng.real(), rng.real(), rng.real(), rng.real());
        let pose = Pose::new(turn, if case == 0 { DVec3::ZERO } else { rng.vector() * 4.0 });
        let back = pose.inverse();
        let sampled = (0..10_000).any(|_| {
            let p = rng.vector();
            colonnade.value(p) <= 0.0 && tanglecube.value(back.transform_point(p)) <= 0.0
        });
        let found =
            field_overlap(&colonnade.at(Pose::IDENTITY), &tanglecube.at(pose), &FieldQuery::default());
        match found.verdict {
            FieldVerdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {case}: a common point was sampled");
            }
            FieldVerdict::Hit { point } => {
                counts[1] += 1;
                assert!(colonnade.value(point) <= 0.0);
                assert!(tanglecube.value(back.transform_point(point)) <= 1e-9);
            }
            FieldVerdict::Unknown { within } => {
                eprintln!("case {case}: {within:?} after {} cells", found.cells);
                counts[2] += 1;
            }
        }
    }
    assert!(counts[0] > 3 && counts[1] > 10 && counts[2] == 0, "{counts:?}");
}

/// The text of the graph as a plate, pressed against a ball and lifted off.
#[test]
fn the_extruded_text_meets_a_ball_where_it_says() {
    let Some(text) = graph("prospero.vm") else { return };
    let flat = Aabb { min: dvec3(-1.0, -1.0, -0.05), max: dvec3(1.0, 1.0, 0.05) };
    let text = text.within(flat);
    let ball = Field::parse("x^2+y^2+z^2 <= 0.0004").unwrap();
    let mut rng = Random(21);
    let mut counts = [0; 2];
    for case in 0..30 {
        let at = dvec3(rng.real() * 0.9, rng.real() * 0.9, 0.05);
        let found = field_overlap(
            &text.at(Pose::IDENTITY),
            &ball.at(Pose::from_translation(at)),
            &FieldQuery::default(),
        );
        let sampled = (0..2000).any(|_| {
            let p = at + rng.vector().normalize_or_zero() * 0.02 * rng.unit();
            p.z.abs() <= 0.05 && text.value(p) <= 0.0
        });
        match found.verdict {
            FieldVerdict::Free => {
                counts[0] += 1;
                assert!(!sampled, "case {case}");
            }
            FieldVerdict::Hit { point } => {
                counts[1] += 1;
                assert!(text.value(point) <= 0.0 && point.distance(at) <= 0.02 + 1e-9);
            }
            FieldVerdict::Unknown { .. } => panic!("case {case}: {found:?}"),
        }
    }
    assert!(counts[0] > 2 && counts[1] > 2, "{counts:?}");
}
