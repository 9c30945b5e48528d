//! Proofs that a part cannot be removed at all.
//!
//! Three arguments, each sufficient by itself. **Shut in**: a closed surface winds around a point of the
//! part, so every removal path intersects it. **Caged**: the centre of a sphere inside the part lies in a
//! bounded region. At the boundary of the region, other bodies are nearer than the sphere's radius; a flood
//! fill over passable cells does not leave their box. **Linked**: a closed line on the part and one on
//! another body wind around each other. Their linking number cannot change while the bodies do not intersect,
//! and is 0 once a plane separates them.

use crate::connect::Effort;
use crate::rigid::{Member, RigidSpace};
use glam::DVec3;
use noli::answer::Location;
use noli::query::ClearanceQuery;
use noli::world::{BodyId, SnapshotContext};
use noli::{Convex, Model, Pose, QueryContext, Scratch};
use noli_geom::{Aabb, Core, Mesh, MeshKind, MeshOptions};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Reason that a part cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BlockingProof {
    /// It penetrates another body at its start pose.
    Overlaps,
    /// A closed surface is around it, or it is around another body.
    ShutIn,
    /// A sphere inside it, this large, does not pass between the others.
    Caged {
        /// The radius of the sphere.
        radius: f64,
        /// The edge of the cells of the proof.
        cell: f64,
    },
    /// It is linked with another body, as rings of a chain are.
    Linked {
        /// Signed linking number.
        number: i32,
    },
}

/// A proof that no removal path exists.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Infeasible {
    /// Reason.
    pub argument: BlockingProof,
    /// Blocking obstacles.
    pub by: Vec<BodyId>,
}

impl RigidSpace {
    /// A body that surrounds the part with a closed surface, or that the part surrounds.
    pub(crate) fn shut_in(&self) -> Option<Infeasible> {
        let (mut scratch, mut near) = (Scratch::default(), SnapshotContext::default());
        let mut context = QueryContext::new(&mut scratch);
        for member in &self.members {
            let here = member.pose(&self.start);
            let model = self.model(member);
            for &by in self.bodies.candidates(&model.aabb().transformed(&here), &mut near) {
                if member.pair(by).is_none_or(|pair| pair.touches) {
                    continue;
                }
                let other = self.obstacle(by);
                let around = surrounds(other.model, &other.pose, model, &here, &mut context)
                    || surrounds(model, &here, other.model, &other.pose, &mut context);
                if around {
                    return Some(Infeasible { argument: BlockingProof::ShutIn, by: vec![by] });
                }
            }
        }
        None
    }

    /// A sphere inside the part that cannot leave: the largest that a search finds.
    pub(crate) fn caged(&self, effort: &Effort<'_>) -> Option<Infeasible> {
        let mut best: Option<(DVec3, f64)> = None;
        for member in &self.members {
            let found = self.inner_sphere(member);
            best = [best, found].into_iter().flatten().max_by(|x, y| x.1.total_cmp(&y.1));
        }
        let (center, radius) = best?;
        let within = !self.rest.is_empty() && self.rest.contains(center);
        // Large cells are quick, and small ones see narrower passages.
        let flood = |share: f64| Flood::new(self, (center, radius, share * radius), effort)?.run();
        within.then(|| [0.125, 0.0625].into_iter().find_map(flood)).flatten()
    }

    /// A sphere inside a member at its start: a point inside, and its distance from the surface.
    fn inner_sphere(&self, member: &Member) -> Option<(DVec3, f64)> {
        let (model, pose) = (self.model(member), member.pose(&self.start));
        let surface = match model.mesh() {
            Some(mesh) if mesh.is_closed() && mesh.kind() == MeshKind::Solid => {
                Model::from(&mesh.clone().with_kind(MeshKind::Surface))
            }
            _ => return inner_sphere_of_convex(model, &pose),
        };
        let probe = probe()?;
        let mut scratch = Scratch::default();
        let mut context = QueryContext::new(&mut scratch);
        let mut room = |point: DVec3| -> f64 {
            if context.locate_point(&model.at(Pose::IDENTITY), point) != Location::Inside {
                return 0.0;
            }
            let at = probe.at(Pose::from_translation(point));
            context.clearance(&at, &surface.at(Pose::IDENTITY), &ClearanceQuery::default()).distance.at_least
        };
        let bounds = model.aabb();
        let (size, mut best) = (bounds.size(), (DVec3::ZERO, 0.0));
        let steps = 9;
        for x in 0..steps {
            for y in 0..steps {
                for z in 0..steps {
                    let share = (DVec3::new(x.into(), y.into(), z.into()) + 0.5) / f64::from(steps);
                    let point = bounds.min + size * share;
                    let clearance = room(point);
                    if clearance > best.1 {
                        best = (point, clearance);
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
}

/// Fine cells along an edge of a coarse one.
const FINE: i32 = 4;
/// Cells that are measured at most.
const MEASURED: usize = 400_000;

/// Status of a cell.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    /// The centre of the sphere may be anywhere in it.
    Open,
    /// It may be in part of it.
    Mixed,
    /// It is nowhere in it: this body is too near.
    Closed(BodyId),
}

/// Cells that the centre of a sphere may be in, from where it is. Large cells that are open as a whole are one; where
/// walls are near, they are cut into small ones. Cells touch by faces, edges and vertices, so that nothing slips
/// through between them.
struct Flood<'s> {
    space: &'s RigidSpace,
    effort: &'s Effort<'s>,
    probe: Model,
    scratch: Scratch,
    center: DVec3,
    radius: f64,
    /// The edge of a fine cell.
    fine: f64,
    /// The blocking bodies, the most recent first.
    order: Vec<BodyId>,
    coarse: HashMap<[i32; 3], Cell>,
    seen: HashSet<[i32; 3]>,
    /// Cells to go on from, those nearest to the outside first; whether they are coarse.
    open: BinaryHeap<(Reverse<u32>, bool, [i32; 3])>,
    by: HashMap<BodyId, usize>,
    measured: usize,
}

impl<'s> Flood<'s> {
    /// For a sphere at a centre, of a radius, with fine cells of this edge.
    fn new(
        space: &'s RigidSpace,
        (center, radius, fine): (DVec3, f64, f64),
        effort: &'s Effort<'s>,
    ) -> Option<Self> {
        // A pair that is left out is no wall.
        let counts = |other: &BodyId| space.members.iter().all(|member| member.pair(*other).is_some());
        Some(Self {
            space,
            effort,
            probe: probe()?,
            scratch: Scratch::default(),
            center,
            radius,
            fine,
            order: space.others.iter().copied().filter(counts).collect(),
            coarse: HashMap::new(),
            seen: HashSet::new(),
            open: BinaryHeap::new(),
            by: HashMap::new(),
            measured: 0,
        })
    }

    fn run(mut self) -> Option<Infeasible> {
        self.visit([0; 3])?;
        while let Some((_, is_coarse, place)) = self.open.pop() {
            if self.measured > MEASURED || (self.effort.stop)() {
                return None;
            }
            let (low, high) = if is_coarse { (-1, FINE) } else { (-1, 1) };
            for x in low..=high {
                for y in low..=high {
                    for z in low..=high {
                        let inner = |k: i32| (0..FINE).contains(&k);
                        if is_coarse && inner(x) && inner(y) && inner(z) {
                            continue;
                        }
                        self.visit([place[0] + x, place[1] + y, place[2] + z])?;
                    }
                }
            }
        }
        let mut by: Vec<(BodyId, usize)> = self.by.into_iter().collect();
        by.sort_by_key(|&(other, count)| (Reverse(count), other));
        let by = by.into_iter().map(|(other, _)| other).collect();
        Some(Infeasible { argument: BlockingProof::Caged { radius: self.radius, cell: self.fine }, by })
    }

    /// Visits a fine cell, or the coarse one that contains it; returns `None` if the sphere may leave there.
    fn visit(&mut self, place: [i32; 3]) -> Option<()> {
        let coarse = place.map(|k| k.div_euclid(FINE) * FINE);
        let known = match self.coarse.get(&coarse) {
            Some(&known) => known,
            None => {
                let known = self.measure(coarse, FINE);
                self.coarse.insert(coarse, known);
                match known {
                    Cell::Open => self.push(coarse, FINE)?,
                    Cell::Closed(other) => *self.by.entry(other).or_default() += 1,
                    Cell::Mixed => {}
                }
                known
            }
        };
        if known == Cell::Mixed && self.seen.insert(place) {
            match self.measure(place, 1) {
                Cell::Closed(other) => *self.by.entry(other).or_default() += 1,
                Cell::Open | Cell::Mixed => self.push(place, 1)?,
            }
        }
        Some(())
    }

    /// The middle of a cell that begins here, and how far its points are from there at most, rounding included.
    fn extent(&self, place: [i32; 3], edge: i32) -> (DVec3, f64) {
        let vertex = DVec3::from_array(place.map(f64::from));
        let middle = self.center + (vertex + 0.5 * f64::from(edge)) * self.fine;
        (middle, 0.5 * f64::from(edge) * self.fine * 3f64.sqrt() * (1.0 + 1e-9))
    }

    fn measure(&mut self, place: [i32; 3], edge: i32) -> Cell {
        self.measured += 1;
        let (middle, half) = self.extent(place, edge);
        let (radius, space) = (self.radius * (1.0 - 1e-9), self.space);
        let far = self.radius + half;
        let around = Aabb { min: middle - far, max: middle + far };
        let query = ClearanceQuery { max_distance: far, ..Default::default() };
        let mut context = QueryContext::new(&mut self.scratch);
        let mut cell = Cell::Open;
        for k in 0..self.order.len() {
            let id = self.order[k];
            let other = space.obstacle(id);
            if !around.overlaps(&other.bounds) {
                continue;
            }
            let at = self.probe.at(Pose::from_translation(middle));
            let clearance = context.clearance(&at, &other.placed(), &query).distance;
            if clearance.at_most + half < radius {
                self.order[..=k].rotate_right(1);
                return Cell::Closed(id);
            }
            if clearance.at_least - half <= self.radius {
                cell = Cell::Mixed;
            }
        }
        cell
    }

    /// Goes on from a cell later; `None` if it reaches out of the box of the others.
    fn push(&mut self, place: [i32; 3], edge: i32) -> Option<()> {
        let (middle, half) = self.extent(place, edge);
        let rest = &self.space.rest;
        let depth = (middle - rest.min).min(rest.max - middle).min_element();
        if depth <= half {
            return None;
        }
        let order = (depth / self.fine).clamp(0.0, 1e6) as u32;
        self.open.push((Reverse(order), edge == FINE, place));
        Some(())
    }
}

/// Creates a point as a model for queries.
fn probe() -> Option<Model> {
    Convex::sphere(0.0).ok().and_then(|sphere| Model::new(sphere).ok())
}

/// A sphere around the middle of a convex body.
fn inner_sphere_of_convex(model: &Model, pose: &Pose) -> Option<(DVec3, f64)> {
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

/// Returns `true` if one part of a closed surface winds around a point of another body that it does not
/// intersect.
fn surrounds(
    outer: &Model,
    at: &Pose,
    inner: &Model,
    inner_at: &Pose,
    context: &mut QueryContext<'_>,
) -> bool {
    let Some(mesh) = outer.mesh() else { return false };
    let Some(point) = any_point(inner) else { return false };
    let point = inner_at.transform_point(point);
    if !outer.aabb().transformed(at).contains(point) {
        return false;
    }
    let point = at.inverse().transform_point(point);
    shells(mesh, point).iter().any(|shell| {
        // The rounding of the pose is far less than the way to the surface, or nothing is said.
        let model = Model::from(shell);
        let far = 1e-9 * (point.length() + at.translation.length() + outer.aabb().size().length());
        let around = (0..6).map(|k| if k % 2 == 0 { DVec3::AXES[k / 2] } else { -DVec3::AXES[k / 2] } * far);
        let mut all = around.chain([DVec3::ZERO]);
        all.all(|by| context.locate_point(&model.at(Pose::IDENTITY), point + by) == Location::Inside)
    })
}

fn any_point(model: &Model) -> Option<DVec3> {
    if let Some(mesh) = model.mesh() {
        let first = mesh.triangles().first()?[0];
        return Some(mesh.vertices()[first as usize]);
    }
    model.convex().map(|convex| convex.support_point(DVec3::X))
}

/// The connected parts of a mesh that are closed surfaces with a point in their box, as solids.
fn shells(mesh: &Mesh, point: DVec3) -> Vec<Mesh> {
    let parts = mesh.parts();
    let mut boxes = vec![Aabb::EMPTY; parts.count as usize];
    for (triangle, &part) in mesh.iter_triangles().zip(&parts.of_triangle) {
        boxes[part as usize] = boxes[part as usize].union(Aabb::from_points(triangle.vertices));
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
