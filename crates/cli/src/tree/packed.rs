//! `noli tree --storage packed`: the trees of the engine, and balls inside closed meshes.

use crate::output::{print, print_json};
use anyhow::Result;
use noli::tree::TreeOptions;
use noli::{Mesh, Model, Pose, count_crossings, depth_at_least};
use serde::Serialize;
use std::time::Instant;

/// A model.
#[derive(Serialize)]
struct Built {
    file: String,
    faces: usize,
    bytes: usize,
    build_ms: f64,
    /// Radii of the balls known to lie inside, the largest first; none for a mesh that is not closed.
    inner_radii: Vec<f64>,
}

/// What the engine found, both bodies in the places of their files.
#[derive(Serialize)]
struct Walked {
    meeting_face_pairs: u64,
    walk_ms: f64,
    /// How deep the bodies are in each other at least, by the balls inside them.
    depth_at_least: f64,
}

pub(super) fn run(meshes: &[(String, Mesh)], options: &TreeOptions, json: bool) -> Result<()> {
    let mut models = Vec::new();
    let mut built = Vec::new();
    for (file, mesh) in meshes {
        let solid = mesh.clone().into_solid();
        let start = Instant::now();
        let model = Model::with_tree(&solid, options);
        built.push(Built {
            file: file.clone(),
            faces: mesh.triangle_count(),
            bytes: model.tree_bytes(),
            build_ms: 1e3 * start.elapsed().as_secs_f64(),
            inner_radii: model.inner_balls().iter().map(|ball| ball.radius).collect(),
        });
        models.push(model);
    }
    let walked = match &models[..] {
        [a, b] => Some(walk(a, b)),
        _ => None,
    };
    if json {
        return print_json(
            &serde_json::json!({ "options": format!("{options:?}"), "storage": "packed", "trees": built, "walk": walked }),
        );
    }
    for Built { file, faces, bytes, build_ms, inner_radii } in &built {
        print(&format!("{file}: {faces} faces, {bytes} bytes, built in {build_ms:.1} ms, "))?;
        print(&match &inner_radii[..] {
            [] => "no balls known inside\n".to_owned(),
            [largest, ..] => {
                format!("{} balls inside, the largest of radius {largest:.4}\n", inner_radii.len())
            }
        })?;
    }
    walked.map_or(Ok(()), |w| {
        print(&format!(
            "{} pairs of faces meet, {:.3} ms; at least {} deep in each other\n",
            w.meeting_face_pairs, w.walk_ms, w.depth_at_least
        ))
    })
}

fn walk(a: &Model, b: &Model) -> Walked {
    let [a, b] = [a, b].map(|model| model.at(Pose::IDENTITY));
    let start = Instant::now();
    let meeting_face_pairs = count_crossings(&a, &b);
    let walk_ms = 1e3 * start.elapsed().as_secs_f64();
    Walked { meeting_face_pairs, walk_ms, depth_at_least: depth_at_least(&a, &b) }
}
