//! Rays against one body.

use crate::body::{Brep, Content};
use crate::candidate::Candidate;
use crate::locate::crosses;
use crate::outline::Membership;
use crate::patch::Patch;
use glam::DVec3;
use noli_geom::Bracket;
use std::collections::BinaryHeap;

/// First hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct RayHit {
    /// Distance from the origin of the ray. The upper end is infinite if no hit is certain within the steps.
    pub distance: Bracket,
    /// The face that is hit; of an uncertain hit, the first that may be.
    pub face: usize,
}

enum Item {
    Node(u32),
    Patch(Box<Patch>),
}

/// A ray with a unit direction.
struct Ray {
    origin: DVec3,
    direction: DVec3,
    rounding: f64,
}

impl Ray {
    /// The range of distances in which the ray is inside a sphere.
    fn within(&self, center: DVec3, radius: f64) -> Option<[f64; 2]> {
        let to = center - self.origin;
        let along = to.dot(self.direction);
        let across = (to - self.direction * along).length() - self.rounding;
        let radius = radius + self.rounding;
        if across > radius {
            return None;
        }
        let half = (radius * radius - across.max(0.0).powi(2)).max(0.0).sqrt() + self.rounding;
        (along + half >= 0.0).then_some([(along - half).max(0.0), along + half])
    }
}

impl Brep {
    /// Computes the first hit of a ray with the surface, by at most `steps` refinements or until its bracket is narrower
    /// than `tolerance`. `None` if the ray certainly misses, or has no direction.
    #[doc(alias = "ray_intersection")]
    pub fn ray_cast(&self, origin: DVec3, direction: DVec3, tolerance: f64, steps: usize) -> Option<RayHit> {
        let rounding = (origin.abs().max_element() + self.size()) * 2f64.powi(-44);
        let ray = Ray { origin, direction: crate::frame::unit(direction)?, rounding };
        let mut heap: BinaryHeap<Candidate<Item>> = BinaryHeap::new();
        if !self.nodes.is_empty() {
            heap.push(Candidate { at_least: 0.0, size: 0.0, item: Item::Node(0) });
        }
        // The nearest certain hit, and the nearest patch that cannot be decided.
        let mut hit: Option<(f64, usize)> = None;
        let mut open: Option<(f64, usize)> = None;
        for _ in 0..steps {
            let Some(Candidate { at_least, item, .. }) = heap.pop() else { break };
            if hit.is_some_and(|(at_most, _)| at_least >= at_most - tolerance) {
                heap.push(Candidate { at_least, size: 0.0, item });
                break;
            }
            match item {
                Item::Node(number) => self.open_node(number, &ray, &mut heap),
                Item::Patch(patch) => {
                    let face = patch.face as usize;
                    let (center, radius) = patch.sphere();
                    let Some([from, to]) = ray.within(center, radius) else { continue };
                    let crossed = crosses(origin, ray.direction, &patch, rounding);
                    if crossed == Some(false) {
                        continue;
                    }
                    let depth = match patch.membership(&self.faces[face], &self.edges) {
                        Membership::Outside => continue,
                        Membership::Crossed(depth) => depth,
                        Membership::Inside => 0.0,
                    };
                    let is_certain = crossed == Some(true) && depth == 0.0;
                    if is_certain && hit.is_none_or(|(at_most, _)| to < at_most) {
                        hit = Some((to, face));
                    }
                    if patch.deviation.max(depth) <= 4.0 * self.faces[face].rounding {
                        open = Some(
                            open.map_or((from, face), |last| if from < last.0 { (from, face) } else { last }),
                        );
                    } else {
                        for half in patch.split(&self.faces[face], &self.edges) {
                            push(Item::Patch(Box::new(half)), half.sphere(), &ray, &mut heap);
                        }
                    }
                }
            }
        }
        let next = heap.peek().map(|next| (next.at_least, self.face_of(&next.item)));
        let first = [open, next].into_iter().flatten().min_by(|x, y| x.0.total_cmp(&y.0));
        let (at_most, face) = hit.or(first.map(|(_, face)| (f64::INFINITY, face)))?;
        let at_least = first.map_or(at_most, |(from, _)| from).min(at_most);
        Some(RayHit { distance: Bracket { at_least, at_most }, face })
    }

    fn face_of(&self, item: &Item) -> usize {
        match item {
            Item::Patch(patch) => patch.face as usize,
            Item::Node(number) => match self.nodes[*number as usize].content {
                Content::Patch(patch) => self.patches[patch as usize].face as usize,
                Content::Children([child, _]) => self.face_of(&Item::Node(child)),
            },
        }
    }

    fn open_node(&self, number: u32, ray: &Ray, heap: &mut BinaryHeap<Candidate<Item>>) {
        match self.nodes[number as usize].content {
            Content::Patch(patch) => {
                let patch = self.patches[patch as usize];
                push(Item::Patch(Box::new(patch)), patch.sphere(), ray, heap);
            }
            Content::Children(children) => {
                for child in children {
                    let node = &self.nodes[child as usize];
                    push(Item::Node(child), (node.center, node.radius), ray, heap);
                }
            }
        }
    }
}

fn push(item: Item, (center, radius): (DVec3, f64), ray: &Ray, heap: &mut BinaryHeap<Candidate<Item>>) {
    if let Some([at_least, _]) = ray.within(center, radius) {
        heap.push(Candidate { at_least, size: radius, item });
    }
}
