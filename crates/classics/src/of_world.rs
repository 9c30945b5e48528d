//! The methods as [pair tests](PairTest) of a world.

use super::method::{MethodScratch, PairMethod, Prepared};
use super::work::Work;
use noli::Budget;
use noli::World;
use noli::world::{BodyId, PairTest};
use noli::{Guarantee, Overlap};
use noli_geom::Pose;
use std::collections::HashMap;
use std::sync::Arc;

/// A method, prepared for the bodies of a world.
pub struct MethodTest {
    method: PairMethod,
    prepared: HashMap<BodyId, Arc<Prepared>>,
    scratch: MethodScratch,
    work: Work,
}

impl PairMethod {
    /// Prepares every body of a world; copies of a mesh share it. To be given to [`World::cross_check`].
    pub fn for_world(self, world: &World) -> MethodTest {
        let mut shared: HashMap<_, Arc<Prepared>> = HashMap::new();
        let mut prepared = HashMap::new();
        for (id, body) in world.bodies() {
            let new = || Arc::new(self.prepare(body.model()));
            // Bodies without faces cannot be told apart by them.
            let one = match body.model().mesh().filter(|mesh| !mesh.is_empty()) {
                None => new(),
                Some(mesh) => {
                    let key = (mesh.vertices().as_ptr(), mesh.triangles().as_ptr(), mesh.kind());
                    shared.entry(key).or_insert_with(new).clone()
                }
            };
            prepared.insert(id, one);
        }
        MethodTest { method: self, prepared, scratch: MethodScratch::default(), work: Work::default() }
    }
}

impl MethodTest {
    /// Returns the cost of all answers so far.
    pub fn work(&self) -> Work {
        self.work
    }
}

impl PairTest for MethodTest {
    fn guarantee(&self) -> Guarantee {
        self.method.guarantee()
    }

    fn overlap(&mut self, [a, b]: [BodyId; 2], poses: [&Pose; 2], budget: &Budget<'_>) -> Overlap {
        let (Some(a), Some(b)) = (self.prepared.get(&a), self.prepared.get(&b)) else {
            return Overlap::Unknown;
        };
        let answer = a.overlap(poses[0], b, poses[1], budget, &mut self.scratch);
        self.work += answer.work;
        answer.overlap
    }
}
