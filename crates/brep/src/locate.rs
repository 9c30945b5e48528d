//! Points and rays against one body.

use crate::body::{Brep, Content};
use crate::candidate::Candidate;
use crate::distance::segments;
use crate::patch::Patch;
use glam::DVec3;
use noli_geom::{Bracket, Triangle};
use std::collections::BinaryHeap;

/// Where a point lies with respect to a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Inside.
    Inside,
    /// Outside.
    Outside,
    /// Too near to the surface to tell, or the body is no solid.
    Unknown,
}

enum Item {
    Node(u32),
    Patch(Box<Patch>),
}

impl Brep {
    /// The distance from a point to the surface, by at most `steps` refinements or until the bracket is narrower than
    /// `tolerance`.
    pub fn distance_to_surface(&self, point: DVec3, tolerance: f64, steps: usize) -> Bracket {
        self.surface_bracket(point, steps, |found| found.at_least >= found.at_most - tolerance)
    }

    /// The distance from a point to the surface, by at most `steps` refinements or until the bracket is good enough.
    pub(crate) fn surface_bracket(
        &self,
        point: DVec3,
        steps: usize,
        is_enough: impl Fn(Bracket) -> bool,
    ) -> Bracket {
        if self.nodes.is_empty() {
            return Bracket::INFINITE;
        }
        let mut heap = BinaryHeap::new();
        heap.push(Candidate { at_least: 0.0, size: 0.0, item: Item::Node(0) });
        let mut at_most = f64::INFINITY;
        let rounding = point.abs().max_element() * 2f64.powi(-46);
        for _ in 0..steps {
            let Some(Candidate { at_least, item, .. }) = heap.pop() else { break };
            if is_enough(Bracket { at_least, at_most }) {
                heap.push(Candidate { at_least, size: 0.0, item });
                break;
            }
            match item {
                Item::Node(number) => match self.nodes[number as usize].content {
                    Content::Patch(patch) => self.reach(
                        point,
                        self.patches[patch as usize],
                        at_least,
                        rounding,
                        &mut heap,
                        &mut at_most,
                    ),
                    Content::Children(children) => heap.extend(children.map(|child| {
                        let node = &self.nodes[child as usize];
                        let bound = (node.distance_to(point) - rounding).max(at_least);
                        Candidate { at_least: bound, size: node.radius, item: Item::Node(child) }
                    })),
                },
                Item::Patch(patch) => {
                    let face = &self.faces[patch.face as usize];
                    if patch.deviation <= patch.finest(face) {
                        heap.push(Candidate { at_least, size: 0.0, item: Item::Patch(patch) });
                        break;
                    }
                    for half in patch.split(face, &self.edges) {
                        self.reach(point, half, at_least, rounding, &mut heap, &mut at_most);
                    }
                }
            }
        }
        let at_least = heap.peek().map_or(at_most, |next| next.at_least);
        Bracket { at_least: at_least.min(at_most), at_most }
    }

    /// Adds a patch to the search, with what its triangle and its surface tell about its distance.
    fn reach(
        &self,
        point: DVec3,
        patch: Patch,
        known: f64,
        rounding: f64,
        heap: &mut BinaryHeap<Candidate<Item>>,
        at_most: &mut f64,
    ) {
        let face = &self.faces[patch.face as usize];
        let [a, b, c] = patch.points;
        let nearest = Triangle::new(a, b, c).closest_to(point);
        let flat = nearest.distance(point);
        let side = face.outside(point).map_or(0.0, f64::abs);
        let at_least = (flat - patch.outward - rounding).max(side - face.rounding - rounding).max(known);
        if !patch.is_crossed {
            *at_most = at_most.min(flat + patch.deviation + rounding);
        } else if at_least < *at_most {
            let uv = patch.parameters_at(&patch.points, nearest);
            if face.surface.point(uv).distance(point) < *at_most
                && let Some((landed, error)) = face.land(&self.edges, uv, point)
            {
                *at_most = at_most.min(landed.distance(point) + error + face.rounding + rounding);
            }
        }
        heap.push(Candidate { at_least, size: patch.deviation, item: Item::Patch(Box::new(patch)) });
    }

    /// Where a point lies with respect to the solid: the parity of crossings of a ray.
    ///
    /// A patch and its triangle have the same parity if the ray passes the boundary of the triangle at more than the
    /// deviation; patches are split until it does.
    pub fn locate(&self, point: DVec3) -> Location {
        if !self.is_solid || self.nodes.is_empty() {
            return Location::Unknown;
        }
        let bounds = self.bounds;
        if !bounds.contains(point) {
            return Location::Outside;
        }
        // No direction of a design: neither along axes nor along common angles.
        const DIRECTIONS: [[f64; 3]; 6] = [
            [0.5134, 0.2781, 0.8118],
            [-0.6217, 0.7022, 0.3469],
            [0.1183, -0.9313, 0.3443],
            [-0.3711, -0.4419, -0.8167],
            [0.8713, 0.1129, -0.4775],
            [0.2217, 0.6639, -0.7142],
        ];
        for direction in DIRECTIONS {
            if let Some(odd) = self.parity(point, DVec3::from(direction).normalize()) {
                return if odd { Location::Inside } else { Location::Outside };
            }
        }
        Location::Unknown
    }

    fn parity(&self, point: DVec3, direction: DVec3) -> Option<bool> {
        let mut odd = false;
        let inverse = direction.recip();
        let mut nodes = vec![0u32];
        let mut patches: Vec<Patch> = Vec::new();
        let mut steps = 0;
        let rounding = (point.abs().max_element() + self.size()) * 2f64.powi(-44);
        while let Some(number) = nodes.pop() {
            let node = &self.nodes[number as usize];
            if node.is_missed_by(point, inverse, rounding) {
                continue;
            }
            match node.content {
                Content::Children(children) => nodes.extend(children),
                Content::Patch(patch) => patches.push(self.patches[patch as usize]),
            }
            while let Some(patch) = patches.pop() {
                match crosses(point, direction, &patch, rounding) {
                    Some(crossing) => odd ^= crossing,
                    None => {
                        steps += 1;
                        let face = &self.faces[patch.face as usize];
                        if steps > 4000 || patch.deviation <= patch.finest(face) {
                            return None;
                        }
                        patches.extend(patch.split(face, &self.edges));
                    }
                }
            }
        }
        Some(odd)
    }
}

/// Returns `true` if a ray crosses a patch an odd number of times; `None` if it passes too near to its boundary.
pub(crate) fn crosses(point: DVec3, direction: DVec3, patch: &Patch, rounding: f64) -> Option<bool> {
    let room = patch.deviation + rounding;
    let (center, radius) = patch.sphere();
    let to = center - point;
    let along = to.dot(direction);
    if (to - direction * along.max(0.0)).length() > radius + room {
        return Some(false);
    }
    let length = along.abs() + radius + room;
    let end = point + direction * (length * 2.0);
    let vertices = patch.points;
    // The surface may pass on either side of a start within reach of the triangle.
    let [a, b, c] = vertices;
    if Triangle::new(a, b, c).closest_to(point).distance(point) <= room {
        return None;
    }
    let boundary = (0..3)
        .map(|k| segments([point, end], [vertices[k], vertices[(k + 1) % 3]]).0)
        .fold(f64::INFINITY, f64::min);
    // The normal of the triangle and the signed volumes decide, well away from its boundary.
    let normal = (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]);
    let (near, far) = (normal.dot(point - vertices[0]), normal.dot(end - vertices[0]));
    let unit = normal.length();
    if near * far > 0.0 && near.abs() > room * unit && far.abs() > room * unit && boundary > room {
        return Some(false);
    }
    if boundary <= room {
        return None;
    }
    let [a, b, c] = vertices.map(|p| p - point);
    let volumes = [a.cross(b).dot(direction), b.cross(c).dot(direction), c.cross(a).dot(direction)];
    let pierces = volumes.iter().all(|&v| v > 0.0) || volumes.iter().all(|&v| v < 0.0);
    if !pierces {
        return Some(false);
    }
    if near.abs() <= room * unit || far.abs() <= room * unit {
        return None;
    }
    Some((near > 0.0) != (far > 0.0))
}
