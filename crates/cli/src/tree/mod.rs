//! `noli tree`: hierarchies of volumes over a mesh, by every published choice.

mod choices;
mod double;
mod packed;

use crate::output::{Table, print, print_json, short};
use anyhow::{Result, bail};
use choices::{
    AggregateName, DoubleName, FitName, MeasureName, OrderName, SplitName, Storage, VolumeName, WalkName,
};
use noli::{Mesh, Pose};
use noli_classics::tree::{AnyVolume, Degree, Level, TreeOptions, VolumeTree, WalkOptions};
use noli_io::ReadOptions;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Build a hierarchy of volumes over each mesh and say how good it is; with two meshes, also walk them against each other.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Mesh files: OBJ, STL, PLY, OFF, glTF or DXF.
    #[arg(value_name = "MESH", required = true)]
    meshes: Vec<PathBuf>,
    /// How the faces of a node are parted.
    #[arg(long, value_enum, default_value_t = SplitName::SurfaceArea)]
    split: SplitName,
    /// Children of a node: a number from 2 to 16, or a rate of improvement such as 0.75.
    #[arg(long, value_name = "N|RATE", default_value = "2", value_parser = degree)]
    degree: Degree,
    /// At most so many faces a leaf.
    #[arg(long, value_name = "N", default_value_t = 1)]
    leaf_faces: usize,
    /// What the nodes store.
    #[arg(long, value_enum, default_value_t = VolumeName::Obb)]
    volume: VolumeName,
    /// By what volumes are compared.
    #[arg(long, value_enum, default_value_t = MeasureName::Surface)]
    measure: MeasureName,
    /// How the sizes of several volumes are taken together.
    #[arg(long, value_enum, default_value_t = AggregateName::Mean)]
    aggregate: AggregateName,
    /// How volumes are fitted.
    #[arg(long, value_enum, default_value_t = FitName::Best)]
    fit: FitName,
    /// With two meshes: which nodes of an overlapping pair are opened.
    #[arg(long, value_enum, default_value_t = WalkName::OneSided)]
    walk: WalkName,
    /// With two meshes: which pair is looked at next.
    #[arg(long, value_enum, default_value_t = OrderName::Newest)]
    order: OrderName,
    /// How the tree is stored; packed storage has its own volumes and at most four children a node.
    #[arg(long, value_enum, default_value_t = Storage::Generic)]
    storage: Storage,
    /// For convex bodies: a tree of pieces with volumes around and inside them.
    #[arg(
        long,
        value_enum,
        value_name = "VOLUMES",
        conflicts_with_all = ["split", "degree", "leaf_faces", "volume", "measure", "aggregate", "fit", "walk", "order", "storage"]
    )]
    double: Option<DoubleName>,
    /// With --double: how often pieces are cut, from the root to a leaf.
    #[arg(long, value_name = "LEVELS", requires = "double", value_parser = clap::value_parser!(u8).range(0..=12))]
    depth: Option<u8>,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
}

fn degree(text: &str) -> Result<Degree, String> {
    let known = match text.parse::<usize>() {
        Ok(degree @ 2..=16) => Some(Degree::Fixed(degree)),
        Ok(_) => None,
        Err(_) => text.parse().ok().filter(|rate| (0.0..1.0).contains(rate) && *rate > 0.0).map(Degree::rate),
    };
    known
        .ok_or_else(|| "a degree is a number from 2 to 16, or a rate between 0 and 1 such as 0.75".to_owned())
}

/// What was built.
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

/// What walking two trees against each other found, both placed as their files say.
#[derive(Serialize)]
struct Walked {
    meeting_face_pairs: usize,
    volume_tests: u64,
    face_tests: u64,
    walk_ms: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let read = |path: &PathBuf| noli_io::read_mesh(path, &ReadOptions::default());
    let named = arguments.meshes.iter().map(|path| Ok((path.display().to_string(), read(path)?)));
    let meshes = named.collect::<Result<Vec<(String, Mesh)>>>()?;
    match arguments.double {
        Some(double) => double::run(&meshes, double.meaning(), arguments),
        None if arguments.storage == Storage::Packed => {
            packed::run(&meshes, &options(arguments), arguments.json)
        }
        None => generic(&meshes, &options(arguments), arguments),
    }
}

fn options(arguments: &Arguments) -> TreeOptions {
    TreeOptions {
        split: arguments.split.meaning(),
        degree: arguments.degree,
        leaf_faces: arguments.leaf_faces.max(1),
        volume: arguments.volume.meaning(),
        measure: arguments.measure.meaning(),
        aggregate: arguments.aggregate.meaning(),
        fit: arguments.fit.meaning(),
    }
}

/// A tree for each mesh and two of them walked against each other: as texts, or added to what `head` says already.
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

fn generic(meshes: &[(String, Mesh)], options: &TreeOptions, arguments: &Arguments) -> Result<()> {
    let head = arguments.json.then(|| serde_json::json!({ "options": format!("{options:?}") }));
    let walk_text = |w: &Walked| {
        format!(
            "{} pairs of faces meet; {} tests of volumes, {} of faces, {:.3} ms\n",
            w.meeting_face_pairs, w.volume_tests, w.face_tests, w.walk_ms
        )
    };
    tell(
        meshes,
        head,
        |file, mesh| build(file.to_owned(), mesh, options),
        |a, b| walk(a, b, arguments),
        (text, walk_text),
    )
}

fn build(file: String, mesh: &Mesh, options: &TreeOptions) -> Result<(Built, VolumeTree<AnyVolume>)> {
    let start = Instant::now();
    let tree = VolumeTree::<AnyVolume>::new(mesh, options);
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

fn walk(a: &VolumeTree<AnyVolume>, b: &VolumeTree<AnyVolume>, arguments: &Arguments) -> Walked {
    let options = WalkOptions {
        expansion: arguments.walk.meaning(),
        order: arguments.order.meaning(),
        all: true,
        ..Default::default()
    };
    let start = Instant::now();
    let met = a.meet(&Pose::IDENTITY, b, &Pose::IDENTITY, &options);
    Walked {
        meeting_face_pairs: met.faces.len(),
        volume_tests: met.tests.volume_tests(),
        face_tests: met.tests.faces,
        walk_ms: 1e3 * start.elapsed().as_secs_f64(),
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
