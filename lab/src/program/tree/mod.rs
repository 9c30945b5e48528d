//! `noli-lab tree`: hierarchies of volumes over a mesh, by every published choice.

mod choices;
mod double;
mod packed;
mod settings;

use anyhow::{Result, bail};
use choices::{DoubleName, Storage};
use noli::motion::{RigidMotion, Still};
use noli::{Guarantee, Mesh, Pose};
use noli_classics::tree::{AnyVolume, Level, Rules, TreeOptions, VolumeTree};
use noli_cli::output::{Table, print, print_json, short};
use noli_formats::ReadOptions;
use serde::Serialize;
use settings::Settings;
use std::path::PathBuf;
use std::time::Instant;

/// Build a bounding volume hierarchy over each mesh and report its quality; with two meshes, also traverse
/// both.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Mesh files: OBJ, STL, PLY, OFF, glTF or DXF.
    #[arg(value_name = "MESH", required = true)]
    meshes: Vec<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    /// A file of these parameters, a line `split = exchange` for each; the command line counts more.
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// With two meshes: move the second from its pose in the file to x,y,z or x,y,z,qx,qy,qz,qw, and report the
    /// time of first contact.
    #[arg(long, value_name = "POSE", value_parser = noli_cli::field::pose, allow_hyphen_values = true, conflicts_with = "storage")]
    to: Option<Pose>,
    /// Storage layout of the tree; packed storage has its own volumes and at most four children a node.
    #[arg(long, value_enum, default_value_t = Storage::Generic)]
    storage: Storage,
    /// For convex bodies: a tree of parts with outer and inner volumes.
    #[arg(
        long,
        value_enum,
        value_name = "VOLUMES",
        conflicts_with_all = ["split", "degree", "leaf_faces", "volume", "measure", "aggregate", "fit", "walk", "order", "storage", "parameters", "to"]
    )]
    double: Option<DoubleName>,
    /// With --double: number of cuts from the root to a leaf.
    #[arg(long, value_name = "LEVELS", requires = "double", value_parser = clap::value_parser!(u8).range(0..=12))]
    depth: Option<u8>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

/// Properties of the built tree.
#[derive(Serialize)]
struct Built {
    file: String,
    faces: usize,
    nodes: usize,
    leaves: usize,
    depth: usize,
    largest_leaf: usize,
    bytes: usize,
    build_ms: f64,
    /// Number of inner nodes by number of children, from 0.
    degrees: Vec<usize>,
    levels: Vec<LevelRow>,
}

#[derive(Serialize)]
struct LevelRow {
    nodes: usize,
    leaves: usize,
    mean: f64,
    max: f64,
    mean_of_siblings: f64,
}

impl From<Level> for LevelRow {
    fn from(level: Level) -> Self {
        let Level { nodes, leaves, mean, max, mean_of_siblings } = level;
        Self { nodes, leaves, mean, max, mean_of_siblings }
    }
}

/// Result of the traversal of two trees, both placed as in their files.
#[derive(Serialize)]
struct Walked {
    meeting_face_pairs: usize,
    volume_tests: u64,
    face_tests: u64,
    /// Present if faces are tested by their edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    edge_face_tests: Option<u64>,
    walk_ms: f64,
    /// Present if the second mesh moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<Moved>,
}

/// The first contact of two trees in motion.
#[derive(Serialize)]
struct Moved {
    /// From 0 at the start to 1 at the end; nothing where no contact was found.
    first_contact: Option<f64>,
    faces: Option<(u32, u32)>,
    guarantee: &'static str,
    volume_tests: u64,
    face_tests: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let read = |path: &PathBuf| noli_formats::read_mesh(path, &ReadOptions::default());
    let named = arguments.meshes.iter().map(|path| Ok((path.display().to_string(), read(path)?)));
    let meshes = named.collect::<Result<Vec<(String, Mesh)>>>()?;
    match arguments.double {
        Some(double) => double::run(&meshes, double.meaning(), arguments),
        None => {
            let settings = arguments.settings.clone().with_file(arguments.parameters.as_deref())?;
            match arguments.storage {
                Storage::Packed => packed::run(&meshes, &settings.options(), arguments.json),
                Storage::Generic => generic(&meshes, &settings, arguments),
            }
        }
    }
}

/// Reports a tree for each mesh and the traversal of two: as texts, or added to the JSON in `head`.
fn tell<B: Serialize, T, W: Serialize>(
    meshes: &[(String, Mesh)],
    head: Option<serde_json::Value>,
    build: impl Fn(&str, &Mesh) -> Result<(B, T)>,
    walk: impl Fn(&T, &T) -> W,
    (text, walk_text): (impl Fn(&B) -> String, impl Fn(&W) -> String),
) -> Result<()> {
    let made = meshes.iter().map(|(file, mesh)| build(file, mesh));
    let (built, trees): (Vec<B>, Vec<T>) = made.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let walked = match &trees[..] {
        [a, b] => Some(walk(a, b)),
        _ => None,
    };
    if let Some(mut all) = head {
        all["trees"] = serde_json::to_value(built)?;
        all["walk"] = serde_json::to_value(walked)?;
        return print_json(&all);
    }
    built.iter().try_for_each(|one| print(&text(one)))?;
    walked.map_or(Ok(()), |walked| print(&walk_text(&walked)))
}

fn generic(meshes: &[(String, Mesh)], settings: &Settings, arguments: &Arguments) -> Result<()> {
    let (options, rules) = (settings.options(), settings.rules());
    let head = arguments
        .json
        .then(|| serde_json::json!({ "options": format!("{options:?}"), "rules": format!("{rules:?}") }));
    tell(
        meshes,
        head,
        |file, mesh| build(file.to_owned(), mesh, &options, &rules),
        |a, b| walk(a, b, settings, arguments.to),
        (text, walk_text),
    )
}

fn walk_text(w: &Walked) -> String {
    let edges = w.edge_face_tests.map_or(String::new(), |count| format!(" ({count} of an edge and a face)"));
    let mut out = format!(
        "{} pairs of faces meet; {} tests of volumes, {} of faces{edges}, {:.3} ms\n",
        w.meeting_face_pairs, w.volume_tests, w.face_tests, w.walk_ms
    );
    if let Some(Moved { first_contact, faces, guarantee, volume_tests, face_tests }) = &w.moved {
        out += &match (first_contact, faces) {
            (Some(time), Some((a, b))) => format!("on the way: faces {a} and {b} touch at {time:.9} of it"),
            _ => "on the way: no contact".to_owned(),
        };
        out += &format!(" ({guarantee}); {volume_tests} tests of volumes, {face_tests} of faces\n");
    }
    out
}

fn build(
    file: String,
    mesh: &Mesh,
    options: &TreeOptions,
    rules: &Rules,
) -> Result<(Built, VolumeTree<AnyVolume>)> {
    let start = Instant::now();
    let tree = VolumeTree::<AnyVolume>::by(mesh, options, rules);
    let build_ms = 1e3 * start.elapsed().as_secs_f64();
    if let Err(error) = tree.check() {
        bail!("{file}: the tree is not sound, which is an error in noli: {error}");
    }
    let nodes = &tree.tree().nodes;
    let leaves = || nodes.iter().filter(|node| node.children.is_empty());
    let built = Built {
        faces: mesh.triangle_count(),
        nodes: nodes.len(),
        leaves: leaves().count(),
        depth: tree.tree().depth(),
        largest_leaf: leaves().map(|leaf| leaf.faces.len()).max().unwrap_or(0),
        bytes: tree.bytes(),
        build_ms,
        degrees: tree.degrees(),
        levels: tree.levels().into_iter().map(LevelRow::from).collect(),
        file,
    };
    Ok((built, tree))
}

fn walk(
    a: &VolumeTree<AnyVolume>,
    b: &VolumeTree<AnyVolume>,
    settings: &Settings,
    to: Option<Pose>,
) -> Walked {
    let start = Instant::now();
    let met = a.meet(&Pose::IDENTITY, b, &Pose::IDENTITY, &settings.walk());
    let walk_ms = 1e3 * start.elapsed().as_secs_f64();
    Walked {
        meeting_face_pairs: met.faces.len(),
        volume_tests: met.tests.volume_tests(),
        face_tests: met.tests.faces,
        edge_face_tests: (met.tests.edge_faces > 0).then_some(met.tests.edge_faces),
        walk_ms,
        moved: to.map(|to| sweep(a, b, settings, &to)),
    }
}

/// The second goes to a pose, turning about the middle of its root.
fn sweep(a: &VolumeTree<AnyVolume>, b: &VolumeTree<AnyVolume>, settings: &Settings, to: &Pose) -> Moved {
    let pivot = b.volumes().first().map_or(glam::DVec3::ZERO, |root| root.center());
    let motion = RigidMotion::between(&Pose::IDENTITY, to, pivot);
    let options = settings.sweep();
    let found = a.sweep(&Still(Pose::IDENTITY), b, &motion, &options);
    Moved {
        first_contact: found.first.map(|first| first.time),
        faces: found.first.map(|first| first.faces),
        guarantee: match options.guarantee() {
            Guarantee::Approximate => "approximate: may miss contacts",
            _ => "conservative: misses none",
        },
        volume_tests: found.tests.volume_tests(),
        face_tests: found.tests.faces,
    }
}

fn text(built: &Built) -> String {
    let Built { file, faces, nodes, leaves, depth, largest_leaf, bytes, build_ms, .. } = built;
    let mut out = format!(
        "{file}: {faces} faces, {nodes} nodes, {leaves} leaves of at most {largest_leaf}, depth {depth}, {bytes} bytes, built in {build_ms:.1} ms\n"
    );
    let by_degree = built.degrees.iter().enumerate().filter(|(_, count)| **count > 0);
    let degrees: Vec<String> = by_degree.map(|(degree, count)| format!("{degree}: {count}")).collect();
    out += &format!("inner nodes by number of children  {}\n\n", degrees.join(", "));
    let mut table = Table::new(0, ["level", "nodes", "leaves", "mean quality", "worst", "mean of siblings"]);
    for (number, level) in built.levels.iter().enumerate() {
        let quality = [level.mean, level.max, level.mean_of_siblings].map(short);
        let counts = [number, level.nodes, level.leaves].map(|n| n.to_string());
        table.row(counts.into_iter().chain(quality));
    }
    out += &format!("{table}\n");
    out
}
