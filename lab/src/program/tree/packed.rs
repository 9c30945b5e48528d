//! `noli-lab tree --storage packed`: the trees of the engine, and spheres inside closed meshes.

use super::tell;
use anyhow::Result;
use noli::{Mesh, Model, Pose, intersections, penetration};
use noli_classics::tree::TreeOptions;
use serde::Serialize;
use std::time::Instant;

/// A model.
#[derive(Serialize)]
struct Built {
    file: String,
    faces: usize,
    bytes: usize,
    build_ms: f64,
    /// Radii of the spheres known to lie inside, the largest first; none for a mesh that is not closed.
    inner_radii: Vec<f64>,
}

/// Result of the engine, both bodies placed as in their files.
#[derive(Serialize)]
struct Walked {
    meeting_face_pairs: u64,
    walk_ms: f64,
    /// Lower bound on the penetration depth, from the inner spheres.
    depth_at_least: f64,
}

pub(super) fn run(meshes: &[(String, Mesh)], options: &TreeOptions, json: bool) -> Result<()> {
    let head = json.then(|| serde_json::json!({ "options": format!("{options:?}"), "storage": "packed" }));
    let walk_text = |w: &Walked| {
        format!(
            "{} pairs of faces meet, {:.3} ms; at least {} deep in each other\n",
            w.meeting_face_pairs, w.walk_ms, w.depth_at_least
        )
    };
    tell(meshes, head, |file, mesh| Ok(build(file, mesh, options)), walk, (text, walk_text))
}

fn build(file: &str, mesh: &Mesh, options: &TreeOptions) -> (Built, Model) {
    let solid = mesh.clone().into_solid();
    let start = Instant::now();
    let model = noli_classics::tree::packed(&solid, options);
    let built = Built {
        file: file.to_owned(),
        faces: mesh.triangle_count(),
        bytes: model.tree_bytes(),
        build_ms: 1e3 * start.elapsed().as_secs_f64(),
        inner_radii: model.inner_spheres().iter().map(|sphere| sphere.radius).collect(),
    };
    (built, model)
}

fn text(Built { file, faces, bytes, build_ms, inner_radii }: &Built) -> String {
    let spheres = match &inner_radii[..] {
        [] => "no spheres known inside".to_owned(),
        [largest, ..] => format!("{} spheres inside, the largest of radius {largest:.4}", inner_radii.len()),
    };
    format!("{file}: {faces} faces, {bytes} bytes, built in {build_ms:.1} ms, {spheres}\n")
}

fn walk(a: &Model, b: &Model) -> Walked {
    let [a, b] = [a, b].map(|model| model.at(Pose::IDENTITY));
    let start = Instant::now();
    let meeting_face_pairs = intersections(&a, &b).len() as u64;
    let walk_ms = 1e3 * start.elapsed().as_secs_f64();
    Walked { meeting_face_pairs, walk_ms, depth_at_least: penetration(&a, &b).depth.at_least }
}
