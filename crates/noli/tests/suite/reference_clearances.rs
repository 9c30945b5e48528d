//! Tight assemblies, against the clearances of another engine.

use crate::common::{data, load, model, rows};
use glam::{DQuat, DVec3};
use noli::{Model, Overlap, Pose, clearance, overlap};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Accuracy of the reference, in metres.
const TOLERANCE: f64 = 1e-6;

struct Body {
    mesh: String,
    model: Model,
    pose: Pose,
}

fn vector(value: &Value) -> DVec3 {
    let part = |k: usize| value.get(k).and_then(Value::as_f64).unwrap_or(0.0);
    DVec3::new(part(0), part(1), part(2))
}

/// Degrees about x, then y, then z, all fixed axes.
fn rotation(degrees: DVec3) -> DQuat {
    let radians = degrees * (std::f64::consts::PI / 180.0);
    DQuat::from_rotation_z(radians.z) * DQuat::from_rotation_y(radians.y) * DQuat::from_rotation_x(radians.x)
}

fn bodies(folder: &Path, scene: &str) -> Vec<Body> {
    let text = std::fs::read_to_string(folder.join("scenes").join(scene)).expect("a scene");
    let scene: Value = serde_json::from_str(&text).expect("JSON");
    let body = |value: &Value| {
        let mesh = value["mesh"].as_str().expect("a mesh").to_owned();
        let scale = value.get("scale").map_or(1.0, |scale| scale.as_f64().expect("one factor"));
        let scaled = load(&folder.join("meshes").join(&mesh)).scaled(scale).expect("a factor");
        let pose = Pose::new(rotation(vector(&value["rotation"])), vector(&value["position"]));
        Body { mesh, model: model(&scaled), pose }
    };
    let all = scene["rigid_body_problem"]["rigid_bodies"].as_array().expect("bodies");
    all.iter().filter(|value| value["enabled"] != Value::Bool(false)).map(body).collect()
}

/// Initial clearances agree within a micrometre and no scene starts with an overlap.
#[test]
fn initial_clearances_agree() {
    let Some(folder) = data("cad/rigid-ipc") else { return };
    let mut scenes: HashMap<String, Vec<Body>> = HashMap::new();
    let rows = rows(&folder.join("ref-initial-clearances.csv"), 1);
    assert_eq!(rows.len(), 85);
    let mut worst: f64 = 0.0;
    for row in &rows {
        let bodies = scenes.entry(row[0].clone()).or_insert_with(|| bodies(&folder, &row[0]));
        let [a, b] = [1, 3].map(|k| &bodies[row[k].parse::<usize>().expect("a number")]);
        assert_eq!([&a.mesh, &b.mesh], [&row[2], &row[4]]);
        let expected: f64 = row[6].parse().expect("a number");
        let found = clearance(&a.model.at(a.pose), &b.model.at(b.pose));
        let error = (found.distance.at_least - expected).abs().max((found.distance.at_most - expected).abs());
        assert!(error <= TOLERANCE, "{row:?}: {found:?}");
        worst = worst.max(error);
    }
    for (name, bodies) in &scenes {
        for (i, a) in bodies.iter().enumerate() {
            for b in &bodies[..i] {
                assert_eq!(overlap(&a.model.at(a.pose), &b.model.at(b.pose)), Overlap::Free, "{name}");
            }
        }
    }
    eprintln!("{} clearances in {} scenes, largest difference {worst:e} m", rows.len(), scenes.len());
    assert_eq!(scenes.len(), 6);
}
