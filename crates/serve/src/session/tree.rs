//! Hierarchies of a body, level by level, and what a walk through two of them costs.

use super::{Session, Trouble};
use crate::protocol::{Event, TreeChoice, VolumeView};
use glam::{DMat3, DQuat, DVec3};
use noli::Pose;
use noli::model::Aabb;
use noli::query::Clock;
use noli_classics::tree::{
    Degree, Expansion, Fit, FitVolume, Split, TreeOptions, VolumeKind, VolumeTree, WalkOptions,
};
use noli_pages::words;

/// Volumes that are drawn at once.
const MOST_DRAWN: usize = 4096;
/// Triangles of a body whose tree is built while somebody waits.
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

impl Session {
    pub(super) fn tree(&self, body: usize, choice: &TreeChoice) -> Result<Event, Trouble> {
        match choice.volume.as_str() {
            "sphere" => self.tree_of::<noli_geom::Sphere>(body, choice),
            "aabb" => self.tree_of::<Aabb>(body, choice),
            "obb" => self.tree_of::<noli_geom::Obb>(body, choice),
            other => Err(Trouble::new(format!("there is no volume {other:?}"), "choose sphere, aabb or obb")),
        }
    }

    fn tree_of<V: Drawn>(&self, body: usize, choice: &TreeChoice) -> Result<Event, Trouble> {
        let split = split_of(&choice.split).ok_or_else(|| {
            Trouble::new(format!("there is no split {:?}", choice.split), "choose one of the list")
        })?;
        let expansion = walk_of(&choice.walk).ok_or_else(|| {
            Trouble::new(format!("there is no walk {:?}", choice.walk), "choose one of the list")
        })?;
        let degree = Degree::Fixed(choice.degree.clamp(2, 8) as usize);
        let options =
            TreeOptions { split, degree, volume: V::KIND.into(), fit: Fit::Quick, ..TreeOptions::workshop() };
        let start = self.clock.now();
        let tree = self.built::<V>(body, &options)?;
        let build = (self.clock.now() - start).as_secs_f64() * 1e3;
        let levels = tree.tree().levels();
        let level = (choice.level as usize).min(levels.len().saturating_sub(1));
        let pose = self.pose_of(body)?;
        let nodes: &[u32] = levels.get(level).map_or(&[], Vec::as_slice);
        let volumes = nodes.iter().take(MOST_DRAWN).map(|&node| {
            let (center, turn, half) = tree.volumes()[node as usize].parts();
            VolumeView {
                at: self.view.point(pose.transform_point(center)),
                turn: (pose.rotation.normalize() * turn).normalize().to_array(),
                half: (half * self.view.scale).to_array(),
            }
        });
        let mut facts = vec![
            ("triangles".to_owned(), tree.tree().faces.len().to_string()),
            ("nodes".to_owned(), tree.tree().nodes.len().to_string()),
            ("levels".to_owned(), levels.len().to_string()),
            ("volumes of this level".to_owned(), nodes.len().to_string()),
            ("built in".to_owned(), format!("{build:.1} ms")),
        ];
        if let Some(other) = choice.against {
            facts.extend(self.walk_facts(&tree, pose, other, &options, expansion)?);
        }
        let levels = levels.len() as u32;
        Ok(Event::Tree { body, levels, volumes: volumes.collect(), round: V::ROUND, facts })
    }

    fn built<V: Drawn>(&self, body: usize, options: &TreeOptions) -> Result<VolumeTree<V>, Trouble> {
        let entry = self.entry(body)?;
        let mesh = &entry.body.look;
        if mesh.triangle_count() > MOST_TRIANGLES {
            let text = format!("{} has {} triangles", entry.name, mesh.triangle_count());
            return Err(Trouble::new(text, "choose a smaller body, or use `noli tree`"));
        }
        Ok(VolumeTree::new(mesh, options))
    }

    /// What a walk through the trees of two bodies comes to.
    fn walk_facts<V: Drawn>(
        &self,
        tree: &VolumeTree<V>,
        pose: Pose,
        other: usize,
        options: &TreeOptions,
        expansion: Expansion,
    ) -> Result<Vec<(String, String)>, Trouble> {
        let second = self.built::<V>(other, options)?;
        let walk = WalkOptions { expansion, ..Default::default() };
        let start = self.clock.now();
        let met = tree.meet(&pose, &second, &self.pose_of(other)?, &walk);
        let took = (self.clock.now() - start).as_secs_f64() * 1e3;
        let verdict = match met.overlap {
            Some(true) => "the surfaces meet",
            Some(false) => "the surfaces do not meet",
            None => "undecided",
        };
        Ok(vec![
            (format!("against {}", self.entry(other)?.name), verdict.to_owned()),
            ("tests of volumes".to_owned(), met.tests.volume_tests().to_string()),
            ("tests of faces".to_owned(), met.tests.faces.to_string()),
            ("walked in".to_owned(), format!("{} ms", words::short((took * 1e3).round() / 1e3))),
        ])
    }
}
