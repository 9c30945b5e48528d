//! Hierarchies of a body, level by level, and what a walk through two of them costs.

use glam::{DMat3, DQuat, DVec3};
use noli::model::Aabb;
use noli_classics::tree::{
    Degree, Expansion, Fit, FitVolume, Split, TreeOptions, VolumeKind, VolumeTree, WalkOptions,
};
use noli_pages::words;
use noli_serve::{BodyOfPanel, Panel, PanelHost, Trouble};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Instant;

/// One level of a hierarchy of a body.
#[derive(Debug, Deserialize)]
struct Message {
    body: usize,
    choice: TreeChoice,
}

/// Choices of a hierarchy.
#[derive(Debug, Deserialize)]
struct TreeChoice {
    /// `sphere`, `aabb` or `obb`.
    volume: String,
    /// `surface-area`, `median`, `octree`, ... as of `noli-lab tree --split`.
    split: String,
    /// Nodes that a walk expands: `one-sided`, `simultaneous` or `hybrid`.
    walk: String,
    /// Children of a node.
    degree: u32,
    /// The level that is drawn, from 0.
    level: u32,
    /// A second body to walk against, if any.
    #[serde(default)]
    against: Option<usize>,
}

/// A volume of a hierarchy, in places of the page.
#[derive(Debug, Serialize)]
struct VolumeView {
    at: [f64; 3],
    /// Its axes: x, y, z, w.
    turn: [f64; 4],
    /// Half its lengths; the radius of a sphere.
    half: [f64; 3],
}

/// Volumes that are drawn at once.
const MOST_DRAWN: usize = 4096;
/// Maximum number of triangles of a body whose tree is built interactively.
const MOST_TRIANGLES: usize = 200_000;

fn split_of(name: &str) -> Option<Split> {
    Some(match name {
        "surface-area" => Split::SurfaceArea,
        "median" => Split::Median,
        "longest-axis" => Split::LongestAxis,
        "morton" => Split::Morton,
        "octree" => Split::Octree,
        "gottschalk" => Split::Gottschalk,
        "zachmann" => Split::Zachmann,
        "hochbaum-shmoys" => Split::HochbaumShmoys,
        "exchange" => Split::Exchange,
        _ => return None,
    })
}

fn walk_of(name: &str) -> Option<Expansion> {
    Some(match name {
        "one-sided" => Expansion::OneSided,
        "simultaneous" => Expansion::Simultaneous,
        "hybrid" => Expansion::Hybrid,
        "hybrid-by-count" => Expansion::HybridByCount,
        _ => return None,
    })
}

/// A volume that can be drawn.
trait Drawn: FitVolume {
    const KIND: VolumeKind;
    const ROUND: bool;
    /// Middle, axes and half lengths in the body's frame.
    fn parts(&self) -> (DVec3, DQuat, DVec3);
}

impl Drawn for noli_geom::Sphere {
    const KIND: VolumeKind = VolumeKind::Sphere;
    const ROUND: bool = true;
    fn parts(&self) -> (DVec3, DQuat, DVec3) {
        (self.center, DQuat::IDENTITY, DVec3::splat(self.radius))
    }
}

impl Drawn for Aabb {
    const KIND: VolumeKind = VolumeKind::Aabb;
    const ROUND: bool = false;
    fn parts(&self) -> (DVec3, DQuat, DVec3) {
        (self.center(), DQuat::IDENTITY, 0.5 * self.size())
    }
}

impl Drawn for noli_geom::Obb {
    const KIND: VolumeKind = VolumeKind::Obb;
    const ROUND: bool = false;
    fn parts(&self) -> (DVec3, DQuat, DVec3) {
        // A box is the same with an axis turned round; a rotation needs a right-handed frame.
        let DMat3 { x_axis, y_axis, .. } = self.axes;
        let axes = DMat3::from_cols(x_axis, y_axis, x_axis.cross(y_axis));
        (self.center, DQuat::from_mat3(&axes), self.half_extents)
    }
}

/// Hierarchies: answers a body and choices with a level, its volumes and figures.
#[derive(Debug)]
pub struct Trees;

impl Panel for Trees {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn offer(&self, _: &dyn PanelHost) -> Value {
        json!({})
    }

    fn answer(&self, message: Value, host: &dyn PanelHost) -> Result<Value, Trouble> {
        let Message { body, choice } = serde_json::from_value(message)
            .map_err(|error| Trouble::new(format!("invalid message: {error}"), "reload the page"))?;
        match choice.volume.as_str() {
            "sphere" => tree_of::<noli_geom::Sphere>(host, body, &choice),
            "aabb" => tree_of::<Aabb>(host, body, &choice),
            "obb" => tree_of::<noli_geom::Obb>(host, body, &choice),
            other => Err(Trouble::new(format!("there is no volume {other:?}"), "choose sphere, aabb or obb")),
        }
    }
}

fn tree_of<V: Drawn>(host: &dyn PanelHost, body: usize, choice: &TreeChoice) -> Result<Value, Trouble> {
    let split = split_of(&choice.split).ok_or_else(|| {
        Trouble::new(format!("there is no split {:?}", choice.split), "choose one of the list")
    })?;
    let expansion = walk_of(&choice.walk).ok_or_else(|| {
        Trouble::new(format!("there is no walk {:?}", choice.walk), "choose one of the list")
    })?;
    let degree = Degree::Fixed(choice.degree.clamp(2, 8) as usize);
    let options =
        TreeOptions { split, degree, volume: V::KIND.into(), fit: Fit::Quick, ..TreeOptions::workshop() };
    let (shown, view) = (host.body(body)?, host.view());
    let start = Instant::now();
    let tree = built::<V>(&shown, &options)?;
    let build = start.elapsed().as_secs_f64() * 1e3;
    let levels = tree.tree().levels();
    let level = (choice.level as usize).min(levels.len().saturating_sub(1));
    let pose = shown.pose;
    let nodes: &[u32] = levels.get(level).map_or(&[], Vec::as_slice);
    let volumes = nodes.iter().take(MOST_DRAWN).map(|&node| {
        let (center, turn, half) = tree.volumes()[node as usize].parts();
        VolumeView {
            at: view.point(pose.transform_point(center)),
            turn: (pose.rotation.normalize() * turn).normalize().to_array(),
            half: (half * view.scale).to_array(),
        }
    });
    let volumes: Vec<VolumeView> = volumes.collect();
    let mut facts = vec![
        ("triangles".to_owned(), tree.tree().faces.len().to_string()),
        ("nodes".to_owned(), tree.tree().nodes.len().to_string()),
        ("levels".to_owned(), levels.len().to_string()),
        ("volumes of this level".to_owned(), nodes.len().to_string()),
        ("built in".to_owned(), format!("{build:.1} ms")),
    ];
    if let Some(other) = choice.against {
        facts.extend(walk_facts(&tree, &shown, &host.body(other)?, &options, expansion)?);
    }
    Ok(json!({ "body": body, "levels": levels.len(), "volumes": volumes, "round": V::ROUND, "facts": facts }))
}

fn built<V: Drawn>(body: &BodyOfPanel<'_>, options: &TreeOptions) -> Result<VolumeTree<V>, Trouble> {
    if body.mesh.triangle_count() > MOST_TRIANGLES {
        let text = format!("{} has {} triangles", body.name, body.mesh.triangle_count());
        return Err(Trouble::new(text, "choose a smaller body, or use `noli-lab tree`"));
    }
    Ok(VolumeTree::new(body.mesh, options))
}

/// Verdict and cost of a walk through the trees of two bodies.
fn walk_facts<V: Drawn>(
    tree: &VolumeTree<V>,
    body: &BodyOfPanel<'_>,
    other: &BodyOfPanel<'_>,
    options: &TreeOptions,
    expansion: Expansion,
) -> Result<Vec<(String, String)>, Trouble> {
    let second = built::<V>(other, options)?;
    let walk = WalkOptions { expansion, ..Default::default() };
    let start = Instant::now();
    let met = tree.meet(&body.pose, &second, &other.pose, &walk);
    let took = start.elapsed().as_secs_f64() * 1e3;
    let verdict = match met.overlap {
        Some(true) => "the surfaces meet",
        Some(false) => "the surfaces do not meet",
        None => "undecided",
    };
    Ok(vec![
        (format!("against {}", other.name), verdict.to_owned()),
        ("tests of volumes".to_owned(), met.tests.volume_tests().to_string()),
        ("tests of faces".to_owned(), met.tests.faces.to_string()),
        ("walked in".to_owned(), format!("{} ms", words::short((took * 1e3).round() / 1e3))),
    ])
}
