//! The tree of bodies against a second representation of it.

use crate::common::{solids, vector};
use glam::dvec3;
use noli::world::{BodyId, WorldError};
use noli::{Pose, World};
use noli_scenes::SplitMix64;
use std::collections::{HashMap, HashSet};

/// Appendix B of the thesis, second representation: poses relative to the parent, along the path to the root.
#[derive(Default)]
struct Local {
    local: HashMap<BodyId, Pose>,
    parent: HashMap<BodyId, BodyId>,
}

impl Local {
    fn world(&self, id: BodyId) -> Pose {
        self.above(id) * self.local[&id]
    }

    fn above(&self, id: BodyId) -> Pose {
        self.parent.get(&id).map_or(Pose::IDENTITY, |&parent| self.world(parent))
    }

    fn move_by(&mut self, id: BodyId, by: Pose) {
        let above = self.above(id);
        self.local.insert(id, above.inverse() * by * above * self.local[&id]);
    }

    fn move_to(&mut self, id: BodyId, to: Pose) {
        self.local.insert(id, self.above(id).inverse() * to);
    }

    fn hang(&mut self, id: BodyId, parent: Option<BodyId>) {
        let world = self.world(id);
        match parent {
            Some(parent) => self.parent.insert(id, parent),
            None => self.parent.remove(&id),
        };
        self.local.insert(id, self.above(id).inverse() * world);
    }

    fn is_above(&self, id: BodyId, of: BodyId) -> bool {
        id == of || self.parent.get(&of).is_some_and(|&parent| self.is_above(id, parent))
    }
}

#[test]
fn both_representations_of_the_scene_tree_agree() {
    let [cube, ..] = solids();
    for seed in 0..40 {
        let mut random = SplitMix64::new(seed);
        let (mut world, mut local) = (World::default(), Local::default());
        let pose = |random: &mut SplitMix64| Pose::new(random.rotation(), vector(random, 2.0));
        let ids: Vec<BodyId> = (0..8)
            .map(|_| {
                let pose = pose(&mut random);
                let id = world.add("body", &cube, pose).unwrap();
                local.local.insert(id, pose);
                id
            })
            .collect();
        for _ in 0..60 {
            let (id, other) = (ids[random.below(8)], ids[random.below(8)]);
            match random.below(4) {
                0 => {
                    let by = pose(&mut random);
                    world.move_by(id, by).unwrap();
                    local.move_by(id, by);
                }
                1 => {
                    let to = pose(&mut random);
                    world.move_to(id, to).unwrap();
                    local.move_to(id, to);
                    assert_eq!(world.body(id).unwrap().pose(), to, "met exactly");
                }
                2 if local.is_above(id, other) => {
                    assert_eq!(world.attach(id, other), Err(WorldError::Loop(id, other)));
                }
                2 => {
                    world.attach(id, other).unwrap();
                    local.hang(id, Some(other));
                }
                _ => {
                    world.detach(id).unwrap();
                    local.hang(id, None);
                }
            }
            for &id in &ids {
                let (mine, theirs) = (world.body(id).unwrap().pose(), local.world(id));
                let x = dvec3(1.0, -2.0, 0.5);
                assert!(mine.transform_point(x).abs_diff_eq(theirs.transform_point(x), 1e-9), "seed {seed}");
                let below: HashSet<BodyId> = world.with_descendants(id).unwrap().into_iter().collect();
                assert!(ids.iter().all(|&of| below.contains(&of) == local.is_above(id, of)));
            }
        }
    }
}
