//! Proofs that a part cannot come out at all.
//!
//! Three arguments, each enough by itself. **Shut in**: a closed surface winds around a point of the part, so every way
//! out crosses it. **Caged**: a ball inside the part has its centre in a region that is bounded by places nearer to
//! other bodies than the ball's radius; a flood over cells that may be passed does not leave their box. **Linked**: a
//! closed line on the part and one on another body wind around each other; their linking number cannot change while
//! the bodies do not meet, and is 0 once a plane is between them.

use crate::Effort;
use crate::rigid::RigidSpace;
use glam::DVec3;
use noli::answer::Location;
use noli::query::ClearanceQuery;
use noli::world::BodyId;
use noli::{Ask, Convex, Model, Pose, Scratch};
use noli_geom::{Aabb, Core, Mesh, MeshKind, MeshOptions};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Why a part cannot come out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// It reaches into another body where it stands.
    Overlaps,
    /// A closed surface is around it, or it is around another body.
    ShutIn,
    /// A ball inside it, this large, does not pass between the others.
    Caged {
        /// The radius of the ball.
        radius: f64,
        /// The edge of the cells of the proof.
        cell: f64,
    },
    /// It is linked with another body, as rings of a chain are.
    Linked {
        /// How often, with a sign.
        number: i32,
    },
}

/// A proof that there is no way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// Why.
    pub argument: Argument,
    /// What is in the way.
    pub by: Vec<BodyId>,
}

impl RigidSpace {
    /// A body that surrounds the part with a closed surface, or that the part surrounds.
    pub(crate) fn shut_in(&self) -> Option<Blocked> {
        let mut scratch = Scratch::default();
        let mut ask = Ask::new(&mut scratch);
        for (m, member) in self.members.iter().enumerate() {
            let here = self.member_pose(m, &self.start);
            for (o, other) in self.others.iter().enumerate() {
                if member.margins[o].is_none() || member.touches[o] {
                    continue;
                }
                let own = member.model.aabb().moved(&here);
                if !own.overlaps(&other.bounds) {
                    continue;
                }
                let around = surrounds(&other.model, &other.pose, &member.model, &here, &mut ask)
                    || surrounds(&member.model, &here, &other.model, &other.pose, &mut ask);
                if around {
                    return Some(Blocked { argument: Argument::ShutIn, by: vec![other.id] });
                }
            }
        }
        None
    }

    /// A ball inside the part that cannot leave: the largest that a search finds, with cells of several sizes.
    pub(crate) fn caged(&self, effort: &Effort<'_>) -> Option<Blocked> {
        const CELLS: [(f64, usize); 3] = [(0.5, 6_000), (0.25, 30_000), (0.125, 120_000)];
        let mut best: Option<(DVec3, f64)> = None;
        for m in 0..self.members.len() {
            let found = self.inner_ball(m);
            best = [best, found].into_iter().flatten().max_by(|x, y| x.1.total_cmp(&y.1));
        }
        let (center, radius) = best?;
        if self.rest.is_empty() || !self.rest.contains(center) {
            return None;
        }
        CELLS.into_iter().find_map(|(share, most)| self.flood(center, radius, share * radius, most, effort))
    }

    /// A ball inside a member at its start: a point inside, and its distance from the surface.
    fn inner_ball(&self, m: usize) -> Option<(DVec3, f64)> {
        let (model, pose) = (&self.members[m].model, self.member_pose(m, &self.start));
        let surface = match model.mesh() {
            Some(mesh) if mesh.is_closed() && mesh.kind() == MeshKind::Solid => {
                Model::from(&mesh.clone().with_kind(MeshKind::Surface))
            }
            _ => return inner_ball_of_convex(model, &pose),
        };
        let probe = probe()?;
        let mut scratch = Scratch::default();
        let mut ask = Ask::new(&mut scratch);
        let mut room = |point: DVec3| -> f64 {
            if ask.locate(&model.at(Pose::IDENTITY), point) != Location::Inside {
                return 0.0;
            }
            let at = probe.at(Pose::from_translation(point));
            ask.clearance(&at, &surface.at(Pose::IDENTITY), &ClearanceQuery::default()).gap.at_least
        };
        let bounds = model.aabb();
        let (size, mut best) = (bounds.size(), (DVec3::ZERO, 0.0));
        let steps = 9;
        for x in 0..steps {
            for y in 0..steps {
                for z in 0..steps {
                    let share = (DVec3::new(x.into(), y.into(), z.into()) + 0.5) / f64::from(steps);
                    let point = bounds.min + size * share;
                    let gap = room(point);
                    if gap > best.1 {
                        best = (point, gap);
                    }
                }
            }
        }
        if best.1 == 0.0 {
            return None;
        }
        let mut step = size.min_element() / f64::from(steps);
        for _ in 0..40 {
            let around = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
            let tried = around.map(|axis| best.0 + axis * step);
            let better = tried.map(|point| (point, room(point))).max_by(|a, b| a.1.total_cmp(&b.1))?;
            if better.1 > best.1 {
                best = better;
            } else {
                step *= 0.5;
            }
        }
        // Less for the rounding of poses.
        let radius = best.1 * (1.0 - 1e-9) - 1e-12 * pose.translation.length();
        (radius > 0.0).then(|| (pose.transform_point(best.0), radius))
    }

    /// Floods cells that the centre of a ball may be in; a proof if they stay within the box of the others.
    fn flood(
        &self,
        center: DVec3,
        radius: f64,
        cell: f64,
        most: usize,
        effort: &Effort<'_>,
    ) -> Option<Blocked> {
        let probe = probe()?;
        let mut scratch = Scratch::default();
        let mut ask = Ask::new(&mut scratch);
        // Points of a cell are no further from its middle than this; rounding included.
        let half = 0.5 * cell * 3f64.sqrt() * (1.0 + 1e-9);
        let query = ClearanceQuery { max_distance: radius, ..Default::default() };
        // An ignored pair is no wall.
        let counts = |o: usize| self.members.iter().all(|member| member.margins[o].is_some());
        let walls: Vec<usize> = (0..self.others.len()).filter(|&o| counts(o)).collect();
        let mut order = walls;
        let mut closed_by = |middle: DVec3| -> Option<usize> {
            let at = probe.at(Pose::from_translation(middle));
            let ball = Aabb { min: middle - radius, max: middle + radius };
            let place = order.iter().position(|&o| {
                let other = &self.others[o];
                let near = ball.overlaps(&other.bounds);
                let mut gap = || ask.clearance(&at, &other.model.at(other.pose), &query).gap.at_most;
                near && gap() + half < radius * (1.0 - 1e-9)
            })?;
            // The wall that was near is likely to be near the next cell too.
            order[..=place].rotate_right(1);
            Some(order[0])
        };
        let mut seen: HashSet<[i32; 3]> = HashSet::from([[0; 3]]);
        // The cell nearest to the outside first: a way out, if there is one, is found early.
        let outside = |middle: DVec3| {
            let depth = (middle - self.rest.min).min(self.rest.max - middle).min_element();
            (depth / cell).clamp(0.0, 1e6) as u32
        };
        let mut open = BinaryHeap::from([(Reverse(outside(center)), [0i32; 3])]);
        let mut by: HashMap<usize, usize> = HashMap::new();
        while let Some((_, place)) = open.pop() {
            if seen.len() > most || (effort.stop)() {
                return None;
            }
            for step in 0..27 {
                let [x, y, z] = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
                let next = [place[0] + x, place[1] + y, place[2] + z];
                if !seen.insert(next) {
                    continue;
                }
                let middle = center + DVec3::new(next[0].into(), next[1].into(), next[2].into()) * cell;
                match closed_by(middle) {
                    Some(o) => *by.entry(o).or_default() += 1,
                    None => {
                        let around = Aabb { min: middle - cell, max: middle + cell };
                        let within = self.rest.contains(around.min) && self.rest.contains(around.max);
                        if !within {
                            return None;
                        }
                        open.push((Reverse(outside(middle)), next));
                    }
                }
            }
        }
        let mut by: Vec<(usize, usize)> = by.into_iter().collect();
        by.sort_by_key(|&(o, count)| (usize::MAX - count, o));
        let by = by.into_iter().map(|(o, _)| self.others[o].id).collect();
        Some(Blocked { argument: Argument::Caged { radius, cell }, by })
    }
}

/// A point that can be asked about.
fn probe() -> Option<Model> {
    Convex::sphere(0.0).ok().and_then(|ball| Model::new(ball).ok())
}

/// A ball around the middle of a convex body.
fn inner_ball_of_convex(model: &Model, pose: &Pose) -> Option<(DVec3, f64)> {
    let convex = model.convex()?;
    let (center, inner) = match convex.core() {
        Core::Point | Core::Segment { .. } => (DVec3::ZERO, 0.0),
        Core::Box { half_extents } => (DVec3::ZERO, half_extents.min_element()),
        Core::Cylinder { half_height, radius } => (DVec3::ZERO, half_height.min(*radius)),
        Core::Hull(hull) => {
            let planes = hull.half_spaces();
            let inner = planes.iter().map(|plane| -plane.excess(hull.middle())).fold(f64::INFINITY, f64::min);
            (hull.middle(), inner)
        }
        _ => return None,
    };
    let radius = (inner + convex.radius()) * (1.0 - 1e-9) - 1e-12 * pose.translation.length();
    (radius > 0.0 && radius.is_finite()).then(|| (pose.transform_point(center), radius))
}

/// Whether one part of a closed surface winds around a point of another body that it does not meet.
fn surrounds(outer: &Model, at: &Pose, inner: &Model, inner_at: &Pose, ask: &mut Ask<'_>) -> bool {
    let Some(mesh) = outer.mesh() else { return false };
    let Some(point) = any_point(inner) else { return false };
    let point = inner_at.transform_point(point);
    if !outer.aabb().moved(at).contains(point) {
        return false;
    }
    let point = at.inverse().transform_point(point);
    shells(mesh, point).iter().any(|shell| {
        // The rounding of the pose is far less than the way to the surface, or nothing is said.
        let model = Model::from(shell);
        let far = 1e-9 * (point.length() + at.translation.length() + outer.aabb().size().length());
        let around = (0..6).map(|k| if k % 2 == 0 { DVec3::AXES[k / 2] } else { -DVec3::AXES[k / 2] } * far);
        let mut all = around.chain([DVec3::ZERO]);
        all.all(|by| ask.locate(&model.at(Pose::IDENTITY), point + by) == Location::Inside)
    })
}

fn any_point(model: &Model) -> Option<DVec3> {
    if let Some(mesh) = model.mesh() {
        let first = mesh.triangles().first()?[0];
        return Some(mesh.vertices()[first as usize]);
    }
    model.convex().map(|convex| convex.furthest(DVec3::X))
}

/// The connected parts of a mesh that are closed surfaces with a point in their box, as solids.
fn shells(mesh: &Mesh, point: DVec3) -> Vec<Mesh> {
    let parts = mesh.parts();
    let mut boxes = vec![Aabb::EMPTY; parts.count as usize];
    for (triangle, &part) in mesh.iter_triangles().zip(&parts.of_triangle) {
        boxes[part as usize] = boxes[part as usize].union(Aabb::around(triangle.corners));
    }
    let around = (0..parts.count).filter(|&part| boxes[part as usize].contains(point));
    let shell = |part: u32| -> Option<Mesh> {
        let all = mesh.triangles().iter().zip(&parts.of_triangle);
        let triangles: Vec<[u32; 3]> = all.filter(|of| *of.1 == part).map(|of| *of.0).collect();
        let shell =
            Mesh::from_triangles(mesh.vertices().to_vec(), triangles, &MeshOptions::default()).ok()?;
        shell.is_closed().then(|| shell.into_solid())
    };
    around.filter_map(shell).collect()
}
