//! Turns and screws: candidates at the part's pose from its surface, and the distance they lead.
//!
//! Near other bodies, a part's surface can only slide along itself. Motions of points only along their
//! tangents belong to the least eigenvalues of a sum over points and normals (Gelfand and Guibas 2004,
//! slippable motions). For a thread they give axis, position and pitch; for a plug in a socket its axis.

use crate::pull::Pull;
use crate::rigid::{RigidMemory, RigidSpace, contact_of};
use crate::space::{Edge, Space};
use glam::DVec3;
use noli::query::ClearanceQuery;
use noli::world::{BodyId, SnapshotContext};
use noli::{Convex, Model, Pose, QueryContext, Scratch};
use noli_geom::Aabb;
use std::f64::consts::PI;

/// A turn about a line, with an advance along it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Screw {
    /// A point of the line, in the world.
    pub point: DVec3,
    /// The direction of the line, of unit length; turns go about it by the rule of the right hand.
    pub axis: DVec3,
    /// Advance per radian.
    pub pitch: f64,
}

impl Screw {
    /// The same in the opposite direction.
    pub(crate) fn reversed(self) -> Self {
        // The other end of the axis turns both the sense of turning and of the advance.
        Self { axis: -self.axis, ..self }
    }

    /// Returns the translation of a part's centre, and its rotation, for an angle in radians.
    fn twist(&self, middle: DVec3, angle: f64) -> (DVec3, DVec3) {
        let turn = self.axis * angle;
        let arm = middle - self.point;
        let there = noli_geom::rotation::exp(turn) * arm + self.axis * (self.pitch * angle);
        (there - arm, turn)
    }
}

/// A turn that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Turn {
    /// About which line, and how far it advances.
    pub screw: Screw,
    /// Angle covered, guided by contact, in radians.
    pub angle: f64,
    /// The blocking body; `None` if there was none.
    pub by: Option<BodyId>,
}

/// The axes of the part, and of the world where they are others.
pub(crate) fn axes_of(root: &Pose) -> Vec<DVec3> {
    let own = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| root.transform_vector(axis));
    let mut axes: Vec<DVec3> = own.to_vec();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        if own.iter().all(|other| other.dot(axis).abs() < 0.999) {
            axes.push(axis);
        }
    }
    axes
}

/// Returns rotations about the centre of the part, with a large advance in both directions and with none.
pub(crate) fn about_axes(space: &RigidSpace, root: &Pose) -> Vec<Screw> {
    let point = root.transform_point(space.pivot);
    let steep = 0.15 * space.reach / (PI / 18.0);
    let pitches = [steep, -steep, 0.0];
    axes_of(root).iter().flat_map(|&axis| pitches.map(|pitch| Screw { point, axis, pitch })).collect()
}

/// The screws along which the part slides on what is close to it, the likeliest first.
pub(crate) fn slippable(space: &RigidSpace, root: &Pose) -> Vec<Screw> {
    /// Number of points evaluated, and number of least eigenvalues.
    const POINTS: usize = 1200;
    const LEAST: usize = 3;
    let close = close_points(space, root, POINTS);
    if close.len() < 6 {
        return Vec::new();
    }
    let weight: f64 = close.iter().map(|point| point.weight).sum();
    let center = close.iter().map(|point| point.at * point.weight).sum::<DVec3>() / weight;
    let mut sum = [[0.0; 6]; 6];
    for point in &close {
        let arm = ((point.at - center) / space.reach).cross(point.normal);
        let row = [arm.x, arm.y, arm.z, point.normal.x, point.normal.y, point.normal.z];
        for (i, x) in row.iter().enumerate() {
            for (j, y) in row.iter().enumerate() {
                sum[i][j] += point.weight / weight * x * y;
            }
        }
    }
    let (values, vectors) = eigen(sum);
    let mut order = [0, 1, 2, 3, 4, 5];
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut screws: Vec<Screw> = Vec::new();
    for &number in &order[..LEAST] {
        let [x, y, z, u, v, w] = std::array::from_fn(|row| vectors[row][number]);
        let (turn, shift) = (DVec3::new(x, y, z) / space.reach, DVec3::new(u, v, w));
        let Some(axis) = turn.try_normalize().filter(|_| turn.length() * space.reach > 0.1) else { continue };
        let size = turn.length();
        let point = center + turn.cross(shift) / (size * size);
        let pitch = turn.dot(shift) / (size * size);
        // Where a shift along the axis slides too, any pitch does; none is the one to try then.
        for pitch in [pitch, 0.0] {
            let same = |other: &Screw| {
                let near = (other.point - point).cross(axis).length() < 0.01 * space.reach;
                other.axis.dot(axis).abs() > 0.9999
                    && near
                    && (other.pitch - pitch).abs() < 1e-3 * space.reach
            };
            if !screws.iter().any(same) {
                screws.push(Screw { point, axis, pitch });
            }
        }
    }
    screws
}

/// A point of the part that is close to another body.
struct ClosePoint {
    at: DVec3,
    normal: DVec3,
    weight: f64,
}

/// Returns points of the part with a body nearby, of about so many tested; each represents its share of the
/// surface.
fn close_points(space: &RigidSpace, root: &Pose, most: usize) -> Vec<ClosePoint> {
    let Some(probe) = Convex::sphere(0.0).ok().and_then(|sphere| Model::new(sphere).ok()) else {
        return Vec::new();
    };
    let near = (0.05 * space.reach).max(60.0 * space.tolerance);
    let query = ClearanceQuery { max_distance: near, ..Default::default() };
    let (mut scratch, mut candidates) = (Scratch::default(), SnapshotContext::default());
    let mut found = Vec::new();
    for member in &space.members {
        let Some(mesh) = space.model(member).mesh() else { continue };
        let pose = member.pose(root);
        let area =
            |vertices: &[DVec3; 3]| (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).length();
        let vertices_of = |triangle: &[u32; 3]| triangle.map(|vertex| mesh.vertices()[vertex as usize]);
        let whole: f64 = mesh.triangles().iter().map(|triangle| area(&vertices_of(triangle))).sum();
        // Every so much of the surface has a point: small faces share one, large ones have several.
        let each = whole / most as f64;
        let mut left = 0.5 * each;
        for triangle in mesh.triangles() {
            let vertices = vertices_of(triangle);
            left += area(&vertices);
            let count = (left / each).floor();
            left -= count * each;
            let Some(normal) = (vertices[1] - vertices[0]).cross(vertices[2] - vertices[0]).try_normalize()
            else {
                continue;
            };
            for k in 0..(count as usize).min(64) {
                // Halton's sequence (1964), folded into the triangle.
                let (mut a, mut b) = (radical(k + 1, 2), radical(k + 1, 3));
                if a + b > 1.0 {
                    (a, b) = (1.0 - a, 1.0 - b);
                }
                let point = vertices[0] + (vertices[1] - vertices[0]) * a + (vertices[2] - vertices[0]) * b;
                let at = pose.transform_point(point);
                let here = probe.at(Pose::from_translation(at));
                let around = Aabb::from_points([at]).expanded(near);
                let is_near = space.bodies.candidates(&around, &mut candidates).iter().any(|&other| {
                    let there = space.obstacle(other).placed();
                    member.pair(other).is_some()
                        && QueryContext::new(&mut scratch).clearance(&here, &there, &query).distance.at_most
                            < near
                });
                if is_near {
                    found.push(ClosePoint { at, normal: pose.transform_vector(normal), weight: 1.0 });
                }
            }
        }
    }
    found
}

/// The digits of a number mirrored at the point.
fn radical(mut number: usize, base: usize) -> f64 {
    let (mut share, mut sum) = (1.0, 0.0);
    while number > 0 {
        share /= base as f64;
        sum += share * (number % base) as f64;
        number /= base;
    }
    sum
}

/// Eigenvalues of a symmetric matrix, and its eigenvectors as columns: Jacobi's rotations.
fn eigen(mut a: [[f64; 6]; 6]) -> ([f64; 6], [[f64; 6]; 6]) {
    let mut vectors = [[0.0; 6]; 6];
    (0..6).for_each(|k| vectors[k][k] = 1.0);
    for _ in 0..30 {
        for p in 0..5 {
            for q in p + 1..6 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let (c, s) = (1.0 / (t * t + 1.0).sqrt(), t / (t * t + 1.0).sqrt());
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (low, high) = (a[p], a[q]);
                a[p] = std::array::from_fn(|k| c * low[k] - s * high[k]);
                a[q] = std::array::from_fn(|k| s * low[k] + c * high[k]);
                for row in &mut vectors {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), vectors)
}

/// Searches for a screw about the centre of the part that leads out. Many advances for an eighth of a turn are
/// tested, in both directions. Also returns the number of motions tested.
pub(crate) fn thread(space: &RigidSpace, root: Pose, axis: DVec3) -> (Option<Vec<Pose>>, u64) {
    const LOOKS: i32 = 40;
    let mut memory = RigidMemory::default();
    let (mut steps, size) = (0, 0.25 * space.reach);
    for turn in [PI / 4.0, -PI / 4.0] {
        let mut free = |advance: f64| {
            steps += 1;
            [0.5, 1.0].iter().all(|share| {
                let there = space.moved(&root, axis * (advance * share), axis * (turn * share));
                space.is_free(&there, &mut memory)
            })
        };
        // The middle of each run of advances that are free.
        let mut middles: Vec<f64> = Vec::new();
        let mut run: Option<(i32, i32)> = None;
        for k in -LOOKS..=LOOKS + 1 {
            if k <= LOOKS && free(size * f64::from(k) / f64::from(LOOKS)) {
                run = Some(run.map_or((k, k), |(first, _)| (first, k)));
            } else if let Some((first, last)) = run.take() {
                middles.push(size * 0.5 * f64::from(first + last) / f64::from(LOOKS));
            }
        }
        for advance in middles.into_iter().filter(|advance| advance.abs() > 1e-3 * size) {
            let needed = space.removal_path(&root, axis * advance.signum());
            let turns = needed / advance.abs();
            let pieces = (3.0 * turns).ceil();
            if !(1.0..=2000.0).contains(&pieces) {
                continue;
            }
            let mut path = vec![root];
            for k in 1..=pieces as u32 {
                let share = turns * f64::from(k) / pieces;
                let there = space.moved(&root, axis * (advance * share), axis * (turn * share));
                steps += 1;
                if !space.prove(&path[path.len() - 1], &there, &mut memory).is_free() {
                    break;
                }
                path.push(there);
                if space.is_out(&there) {
                    return (Some(path), steps);
                }
                let pull = space.pull(&there, axis * advance.signum(), &mut memory);
                steps += 1;
                if pull.is_out() {
                    path.push(Pose::new(there.rotation, there.translation + pull.direction * pull.needed));
                    return (Some(path), steps);
                }
            }
        }
    }
    (None, steps)
}

/// Result of following a screw.
pub(crate) struct Followed {
    pub(crate) screw: Screw,
    /// From the root on, each motion proven.
    pub(crate) path: Vec<Pose>,
    /// `true` if it is removed at the last pose.
    pub(crate) is_out: bool,
    /// Poses of the path from which the part can be pulled further along the axis than before, with their pulls.
    pub(crate) loosened: Vec<(usize, Pull)>,
    pub(crate) angle: f64,
    pub(crate) by: Option<BodyId>,
    pub(crate) steps: u64,
}

/// Follows a screw, sliding along obstacles, until the part is removed or can be pulled out.
pub(crate) fn follow(
    space: &RigidSpace,
    root: Pose,
    screw: Screw,
    stop: &(dyn Fn() -> bool + Sync),
) -> Followed {
    const MOVES: usize = 400;
    let mut memory = RigidMemory::default();
    let middle = |pose: &Pose| pose.transform_point(space.pivot);
    // Between poses the middle goes straight: not far from the helix, by the room there is.
    let arm = (middle(&root) - screw.point).cross(screw.axis).length();
    let flat = (16.0 * space.tolerance / arm.max(1e-9 * space.reach)).sqrt();
    let step = (PI / 18.0).min(flat.max(PI / 90.0)).min(0.3 * space.reach / screw.pitch.abs().max(1e-9));
    let mut found = Followed {
        screw,
        path: vec![root],
        is_out: false,
        loosened: Vec::new(),
        angle: 0.0,
        by: None,
        steps: 0,
    };
    let (mut at, mut stalled, mut pulled) = (root, 0, 0.0);
    // The furthest pulls so far, forth and back.
    let mut furthest = [0.2 * space.reach; 2];
    for _ in 0..MOVES {
        if stop() {
            break;
        }
        let before = at;
        let wanted = screw.twist(middle(&at), step);
        let whole = space.size(wanted);
        at = slide_towards(space, at, wanted, &mut memory, &mut found);
        let turned = space.twist(&before, &at).1.dot(screw.axis);
        found.angle += turned;
        stalled = if space.distance(&before, &at) < 0.01 * whole { stalled + 1 } else { 0 };
        if at != before {
            found.path.push(at);
        }
        if space.is_out(&at) {
            found.is_out = true;
            return found;
        }
        if stalled > 2 || (screw.pitch == 0.0 && found.angle.abs() > 2.0 * PI) {
            break;
        }
        pulled += turned.abs();
        if pulled >= 0.9 * PI / 12.0 {
            pulled = 0.0;
            for (sign, furthest) in [1.0, -1.0].into_iter().zip(&mut furthest) {
                found.steps += 1;
                let pull = space.pull(&at, screw.axis * sign, &mut memory);
                if pull.is_out() {
                    found.path.push(Pose::new(at.rotation, at.translation + pull.direction * pull.needed));
                    found.is_out = true;
                    return found;
                }
                if pull.free > 1.5 * *furthest {
                    *furthest = pull.free;
                    found.loosened.push((found.path.len() - 1, pull));
                }
            }
        }
    }
    found
}

/// One move: as wanted, or as near to it as contact lets the part.
fn slide_towards(
    space: &RigidSpace,
    mut at: Pose,
    wanted: (DVec3, DVec3),
    memory: &mut RigidMemory,
    found: &mut Followed,
) -> Pose {
    let whole = space.size(wanted);
    let mut contacts: Vec<(DVec3, DVec3)> = Vec::new();
    let mut target = space.moved(&at, wanted.0, wanted.1);
    found.by = None;
    for _ in 0..5 {
        found.steps += 1;
        match space.prove(&at, &target, memory) {
            Edge::Free => {
                found.by = None;
                return target;
            }
            Edge::Until { share, block } => {
                let length = space.distance(&at, &target);
                let share = space.stop_at(share, length);
                if share * length > 1e-4 * space.reach {
                    at = space.between(&at, &target, share);
                }
                found.by = block.as_ref().map(|block| block.by);
                let touch = block.and_then(|block| block.touch);
                let Some(contact) = touch.and_then(|touch| contact_of(&touch)) else { break };
                contacts.push(contact);
                let left = space.along(&at, wanted, &contacts);
                if space.size(left) < 0.05 * whole {
                    break;
                }
                target = space.moved(&at, left.0, left.1);
            }
        }
    }
    at
}
