//! `noli-lab tree --double`: convex bodies in pieces with volumes around and inside them.

use super::{Arguments, tell};
use anyhow::{Context, Result, bail, ensure};
use noli::{Mesh, Pose};
use noli_classics::double::{DoubleOptions, DoubleTree, HitBy, Label};
use noli_classics::tree::Volume;
use noli_cli::output::{Table, short};
use noli_geom::{Measure, Polytope};
use serde::Serialize;
use std::time::Instant;

/// Properties of the built tree.
#[derive(Serialize)]
struct Built {
    file: String,
    vertices: usize,
    faces: usize,
    nodes: usize,
    build_ms: f64,
    levels: Vec<LevelRow>,
}

/// One level; sizes are shares of the volume of the body.
#[derive(Default, Serialize)]
struct LevelRow {
    nodes: usize,
    /// Parts without a share of the surface.
    interior: usize,
    inner: f64,
    outer: f64,
}

/// Result of the traversal of two trees, both placed as in their files.
#[derive(Serialize)]
struct Walked {
    hit_by: Option<&'static str>,
    outer_tests: u64,
    inner_tests: u64,
    face_tests: u64,
}

pub(super) fn run(meshes: &[(String, Mesh)], options: DoubleOptions, arguments: &Arguments) -> Result<()> {
    let options = DoubleOptions { depth: arguments.depth.map_or(options.depth, usize::from), ..options };
    let head = arguments.json.then(|| serde_json::json!({ "options": format!("{options:?}") }));
    let walk_text = |w: &Walked| {
        let by = w.hit_by.map_or("separated".to_owned(), |by| format!("hit, by {by}"));
        format!(
            "{by}; {} tests of outer volumes, {} of inner, {} of faces\n",
            w.outer_tests, w.inner_tests, w.face_tests
        )
    };
    tell(meshes, head, |file, mesh| build(file, mesh, &options), walk, (text, walk_text))
}

fn build(file: &str, mesh: &Mesh, options: &DoubleOptions) -> Result<(Built, DoubleTree)> {
    let body = convex(file, mesh)?;
    let start = Instant::now();
    let tree = DoubleTree::new(&body, options).with_context(|| format!("{file}: the body has no volume"))?;
    let build_ms = 1e3 * start.elapsed().as_secs_f64();
    if let Err(error) = tree.check() {
        bail!("{file}: the tree is not sound, which is an error in noli: {error}");
    }
    let mut levels = Vec::new();
    let mut level = vec![0u32];
    while !level.is_empty() {
        let nodes = level.iter().map(|&index| &tree.nodes()[index as usize]);
        let mut row = LevelRow { nodes: level.len(), ..LevelRow::default() };
        for node in nodes.clone() {
            row.interior += usize::from(node.label == Label::Interior);
            row.inner += node.inner.map_or(0.0, |inner| inner.measure(Measure::Volume)) / body.volume();
            row.outer += node.outer.measure(Measure::Volume) / body.volume();
        }
        levels.push(row);
        level = nodes.flat_map(|node| node.children.clone()).collect();
    }
    let (vertices, faces, nodes) = (body.vertices.len(), body.faces.len(), tree.nodes().len());
    Ok((Built { file: file.to_owned(), vertices, faces, nodes, build_ms, levels }, tree))
}

/// The hull of the mesh, if the mesh fills it.
fn convex(file: &str, mesh: &Mesh) -> Result<Polytope> {
    let hull = Polytope::around(mesh.vertices());
    let hull =
        hull.with_context(|| format!("{file}: the body has no volume, so nothing can lie inside it"))?;
    let volume = mesh.signed_volume().abs();
    ensure!(
        (volume - hull.volume()).abs() <= 1e-6 * hull.volume(),
        "{file}: the mesh fills {:.1} % of its convex hull, and --double is for convex bodies; for other closed meshes `--storage packed` finds spheres inside",
        100.0 * volume / hull.volume()
    );
    Ok(hull)
}

fn walk(a: &DoubleTree, b: &DoubleTree) -> Walked {
    let found = a.overlap(&Pose::IDENTITY, b, &Pose::IDENTITY, true);
    let hit_by = found.hit.map(|by| match by {
        HitBy::InnerVolumes => "inner volumes",
        HitBy::Faces => "faces",
        HitBy::Containment => "containment",
    });
    let tests = found.tests;
    Walked { hit_by, outer_tests: tests.outer, inner_tests: tests.inner, face_tests: tests.faces }
}

fn text(built: &Built) -> String {
    let Built { file, vertices, faces, nodes, build_ms, levels } = built;
    let mut out =
        format!("{file}: {vertices} vertices, {faces} faces, {nodes} nodes, built in {build_ms:.1} ms\n\n");
    let mut table = Table::new(0, ["level", "nodes", "interior", "inner volume", "outer volume"]);
    for (number, level) in levels.iter().enumerate() {
        let counts = [number, level.nodes, level.interior].map(|n| n.to_string());
        table.row(counts.into_iter().chain([level.inner, level.outer].map(short)));
    }
    out += &format!("{table}\nInner and outer volumes are shares of the volume of the body.\n");
    out
}
