//! Search for the shortest translation that separates two bodies, between proven bounds.
//!
//! From above: separating translations are shortened along their line. They are then slid along the plane
//! between the nearest points (the projection of PolyDepth, Je et al. 2012, one plane at a time), and then
//! rotated step by step. Starts are the axes of hulls and boxes, and separating translations found by the
//! search from below. Directions all around are added at several lengths, because pockets open inside.
//!
//! From below: cubes of translations, nearest to the origin first. A cube inside a sphere proven to overlap
//! is done; any other is evaluated at its centre and subdivided. The nearest cube left is the bound.

mod cover;
mod spheres;

pub(crate) use cover::halves;

use super::PenetrationQuery;
use super::depth_at_point::{Rooms, SLACK};
use super::hull_shape::convex_within;
use crate::answer::{Bracket, Overlap, Penetration, Relation, Verdict};
use crate::context::QueryContext;
use crate::model::{Form, Placed, Scale};
use crate::pair::{self, Limits, mesh_mesh};
use crate::query::ClearanceQuery;
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::{Pose, Sphere};
use spheres::Spheres;

pub(super) fn penetration(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &PenetrationQuery,
    context: &mut QueryContext<'_>,
) -> Penetration {
    match context.relation(a, b) {
        Relation::Separated => Penetration::NONE,
        Relation::Unknown => Penetration::UNKNOWN,
        Relation::Touching if both_solid(a, b) => Penetration::NONE,
        Relation::Touching | Relation::Intersecting | Relation::Inside => {
            of_overlapping(a, b, query, context)
        }
    }
}

/// The same for bodies that are known to overlap.
pub(crate) fn of_overlapping(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &PenetrationQuery,
    context: &mut QueryContext<'_>,
) -> Penetration {
    match Scale::of(a, b) {
        Scale::Ordinary => measured(a, b, query, context),
        Scale::Tiny(enlarged) => {
            let [a, b] = enlarged.bodies();
            enlarged.penetration(measured(&a, &b, query, context))
        }
        Scale::Unsuited => Penetration::UNKNOWN,
    }
}

fn measured(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &PenetrationQuery,
    context: &mut QueryContext<'_>,
) -> Penetration {
    if matches!(b.model.form(), Form::HalfSpace) && !matches!(a.model.form(), Form::HalfSpace) {
        // The box of what has no end is of use only in its own frame.
        return measured(b, a, query, context).swapped();
    }
    let closed = closed_form(a, b, context);
    let mut search = Search::new(a, b, query, context);
    search.take_inner_spheres();
    if let Some((depth, normal)) = closed {
        search.at_least = search.at_least.max(depth.at_least);
        if depth.at_most.is_finite() {
            search.start_with(normal, depth.at_most);
        }
    }
    search.run();
    search.answer()
}

pub(crate) fn both_solid(a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let is_solid = |placed: &Placed<'_>| match placed.model.form() {
        Form::Mesh(mesh) => mesh.is_solid(),
        Form::Convex(_) | Form::HalfSpace | Form::Field(_) => true,
        Form::Compound(_) | Form::Cloud(_) => super::depth_at_point::Room::new(placed.model).is_solid(),
    };
    is_solid(a) && is_solid(b)
}

/// Depth of bodies with support functions: the bracket and the world direction from A to B.
fn closed_form(a: &Placed<'_>, b: &Placed<'_>, context: &mut QueryContext<'_>) -> Option<(Bracket, DVec3)> {
    match (a.model.form(), b.model.form()) {
        (Form::Compound(_) | Form::Cloud(_), _) | (_, Form::Compound(_) | Form::Cloud(_)) => None,
        (Form::HalfSpace, _) | (_, Form::HalfSpace) | (Form::Convex(_), Form::Convex(_)) => {
            match pair::contact(a, b, context) {
                Verdict::Hit(contact) => Some((contact.depth, contact.normal)),
                Verdict::Free | Verdict::Unknown => None,
            }
        }
        _ => {
            let hulls = pair::contact_of_outer_hulls(a, b)?;
            let lost = lost_to_hull(a).zip(lost_to_hull(b)).map(|(x, y)| x + y);
            let at_least = lost.map_or(0.0, |lost| (hulls.depth.at_least - lost).max(0.0));
            Some((Bracket { at_least, ..hulls.depth }, hulls.normal))
        }
    }
}

/// Bound on how far a convex body's hull exceeds the set proven to be in it; `None` if the body is not
/// convex. The hull is shrunk by `1 − d / r` about the centre of an inscribed sphere of radius `r`. It then
/// lies `d` deep, and no point moves by more than `d / r` of the diameter.
fn lost_to_hull(body: &Placed<'_>) -> Option<f64> {
    match body.model.form() {
        Form::Convex(_) => Some(0.0),
        Form::Mesh(mesh) if mesh.is_solid() => {
            let off = convex_within(mesh)?;
            let sphere = mesh_mesh::inner_spheres(mesh).first()?;
            Some(2.0 * off * (2.0 * mesh.sphere.radius) / sphere.radius)
        }
        _ => None,
    }
}

/// Rounds of search at most, from one start.
const ROUNDS: usize = 8;
/// A witness is lengthened by this share, so that it stays one where others round differently.
const SPARE: f64 = 1.0 / (1u64 << 36) as f64;

pub(super) struct Search<'q, 'a, 'm> {
    a: &'q Placed<'a>,
    b: &'q Placed<'a>,
    rooms: Rooms<'a>,
    context: &'q mut QueryContext<'m>,
    query: PenetrationQuery,
    looks: u64,
    /// Cubes taken up, which are cheap; some count as a look.
    cells: u64,
    pub(super) at_least: f64,
    at_most: f64,
    /// The shortest translation that is free, in A's frame.
    best: Option<DVec3>,
    spheres_a: Spheres,
    /// In A's frame, before any translation.
    spheres_b: Spheres,
    /// Spheres of translations after which the bodies overlap for certain: the largest, and the latest.
    proven_large: Vec<Sphere>,
    proven: Vec<Sphere>,
    largest: f64,
}

impl<'q, 'a, 'm> Search<'q, 'a, 'm> {
    pub(super) fn new(
        a: &'q Placed<'a>,
        b: &'q Placed<'a>,
        query: &PenetrationQuery,
        context: &'q mut QueryContext<'m>,
    ) -> Self {
        Self {
            a,
            b,
            rooms: Rooms::new(a, b),
            context,
            query: *query,
            looks: 0,
            cells: 0,
            at_least: 0.0,
            at_most: f64::INFINITY,
            best: None,
            spheres_a: Spheres::default(),
            spheres_b: Spheres::default(),
            proven_large: Vec::new(),
            proven: Vec::new(),
            largest: 0.0,
        }
    }

    /// Begin with the spheres that are known of both bodies, and with what they prove.
    fn take_inner_spheres(&mut self) {
        let (Form::Mesh(x), Form::Mesh(y)) = (self.a.model.form(), self.b.model.form()) else { return };
        if !x.is_solid() || !y.is_solid() {
            return;
        }
        mesh_mesh::inner_spheres(x).iter().for_each(|sphere| self.spheres_a.add(*sphere));
        for sphere in mesh_mesh::inner_spheres(y) {
            let (center, rounding) = self.rooms.placed(sphere.center);
            self.spheres_b.add(Sphere { center, radius: sphere.radius - rounding });
        }
        self.at_least = mesh_mesh::depth_at_least(&self.a.with(x), &self.b.with(y));
    }

    /// Spends one evaluation; returns `true` if the budget allows it.
    fn look(&mut self) -> bool {
        self.looks += 1;
        !self.is_over()
    }

    pub(super) fn is_over(&mut self) -> bool {
        self.looks > self.query.looks || !self.context.meter.allows_more()
    }

    fn is_narrow(&self) -> bool {
        self.at_most - self.at_least <= self.query.tolerance * self.at_most
    }

    /// From A's frame to the world.
    fn to_world(&self, vector: DVec3) -> DVec3 {
        self.a.world_from_self.transform_vector(vector)
    }

    fn to_a(&self, vector: DVec3) -> DVec3 {
        self.a.world_from_self.inverse().transform_vector(vector)
    }

    fn moved(&self, shift: DVec3) -> Placed<'a> {
        let Placed { model, world_from_self } = *self.b;
        Placed {
            model,
            world_from_self: Pose { translation: world_from_self.translation + shift, ..world_from_self },
        }
    }

    /// Returns `true` if B moved by `shift` in A's frame is separated from A. The shortest such translation is
    /// kept.
    pub(super) fn is_free(&mut self, shift: DVec3) -> bool {
        if !self.look() {
            return false;
        }
        let there = self.moved(self.to_world(shift));
        let free = self.context.overlap(self.a, &there) == Overlap::Free;
        if free && shift.length() < self.at_most {
            self.at_most = shift.length();
            self.best = Some(shift);
        }
        free
    }

    /// Upper bound on the translation that separates bounded bodies.
    pub(super) fn longest_path(&self) -> f64 {
        let (a, b) = (self.rooms.a.bounds, self.rooms.b_bounds());
        let around = a.union(b).size().length();
        if around.is_finite() { around } else { 1e300 }
    }

    /// Starts from a world direction along which the bodies, or their hulls, are separated after a length.
    fn start_with(&mut self, normal: DVec3, length: f64) {
        let direction = self.to_a(normal).normalize_or_zero();
        // Support functions round; the first that is free is not longer by more than that.
        for spare in [SPARE, 1e3 * SPARE] {
            let longer = length * (1.0 + spare) + SLACK * (self.rooms.a.bounds.size().length().min(1e300));
            if direction != DVec3::ZERO && longer.is_finite() && self.is_free(direction * longer) {
                return;
            }
        }
    }

    /// Both bounds, one after the other, then in turn.
    fn run(&mut self) {
        self.start_with_boxes();
        let known = self.rooms.a.is_known() && self.rooms.b.is_known();
        if self.best.is_none() || self.is_narrow() {
            return;
        }
        if known {
            let (here, need) = (DVec3::ZERO, self.at_most);
            let first = self.explore(here, need, 48).max(self.room_around(here, need));
            self.take(here, first);
            self.at_least = self.at_least.max(first.min(self.at_most));
        }
        if let Some(best) = self.best.filter(|_| !self.is_narrow()) {
            self.descend(best);
        }
        self.look_around(&[0.9, 0.5, 0.25]);
        if known && !self.is_narrow() {
            self.cover();
        }
    }

    fn start_with_boxes(&mut self) {
        let (a, b) = (self.rooms.a.bounds, self.rooms.b_bounds());
        let mut paths: Vec<(f64, DVec3)> = Vec::new();
        for (axis, unit) in DVec3::AXES.into_iter().enumerate() {
            paths.push((a.max[axis] - b.min[axis], unit));
            paths.push((b.max[axis] - a.min[axis], -unit));
        }
        paths.retain(|(length, _)| length.is_finite() && *length >= 0.0);
        sort_by(&mut paths, |x, y| x.0.total_cmp(&y.0));
        for (length, unit) in paths.into_iter().take(2) {
            if length < self.at_most {
                self.is_free(unit * (length * (1.0 + SPARE)));
            }
        }
    }

    /// Directions all around, at these shares of what is known.
    fn look_around(&mut self, shares: &[f64]) {
        for &share in shares {
            for k in 0..26u32 {
                // The neighbours of a cube among its like; its own place is left out.
                let k = if k < 13 { k } else { k + 1 };
                let sign = |digit: u32| f64::from(digit % 3) - 1.0;
                let direction = DVec3::new(sign(k), sign(k / 3), sign(k / 9)).normalize();
                if self.is_narrow() || self.looks >= self.query.looks {
                    return;
                }
                let length = self.at_least + share * (self.at_most - self.at_least);
                let shift = direction * length;
                if !self.is_proven(shift, 0.0) && self.is_free(shift) {
                    self.descend(shift);
                }
            }
        }
    }

    /// From a free translation to a shorter one, as far as it goes.
    fn descend(&mut self, start: DVec3) {
        let mut here = self.shortened(start);
        for _ in 0..ROUNDS {
            let Some(normal) = self.normal(here) else { break };
            let height = normal.dot(here);
            if height <= 0.0 || here.length() - height < 1e-3 * here.length() {
                break;
            }
            let target = normal * height;
            let steps = [1.0, 0.5, 0.25, 0.1];
            let tried = steps.into_iter().map(|share| here + (target - here) * share);
            let Some(next) = tried.into_iter().find(|next| self.is_free(*next)) else { break };
            here = self.shortened(next);
        }
        let mut turn = 0.4;
        while turn > 0.02 && !self.is_narrow() && !self.is_over() {
            let (u, v) = here.normalize_or(DVec3::X).any_orthonormal_pair();
            let length = here.length() * (1.0 - 0.05 * turn);
            let around = (0..8).map(|k| {
                let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
                let side = (u * angle.cos() + v * angle.sin()) * turn;
                (here.normalize_or(DVec3::X) + side).normalize() * length
            });
            let found = around.into_iter().find(|next| !self.is_proven(*next, 0.0) && self.is_free(*next));
            match found {
                Some(next) => here = self.shortened(next),
                None => turn *= 0.5,
            }
        }
    }

    /// Returns the shortest separating translation toward the origin that bisection finds.
    fn shortened(&mut self, free: DVec3) -> DVec3 {
        let mut low = self.at_least / free.length();
        let mut high = 1.0;
        while high - low > 1e-3 * high && !self.is_over() {
            let middle = 0.5 * (low + high);
            if self.is_free(free * middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        free * high
    }

    /// From A to B where they are nearest, in A's frame.
    fn normal(&mut self, shift: DVec3) -> Option<DVec3> {
        self.looks += 2;
        if !self.look() {
            return None;
        }
        let there = self.moved(self.to_world(shift));
        let limits = Limits::new(&ClearanceQuery::default(), self.a.model, self.b.model);
        let witness = pair::clearance(self.a, &there, &limits, self.context).witness?;
        let normal = (witness.on_b.point - witness.on_a.point).try_normalize()?;
        Some(self.to_a(normal))
    }

    /// Returns the result, with a witness that was tested exactly as reported.
    pub(super) fn answer(self) -> Penetration {
        let at_least = (self.at_least * (1.0 - 8.0 * SLACK)).max(0.0);
        let Some(best) = self.best else {
            return Penetration { depth: Bracket { at_least, at_most: f64::INFINITY }, direction: None };
        };
        let shift = self.to_world(best);
        let (direction, length) = (shift.normalize_or_zero(), shift.length());
        for times in [1.0, 64.0, 4096.0, 1e6, 1e9] {
            let at_most = length * (1.0 + times * SPARE);
            let there = self.moved(direction * at_most);
            if self.context.reborrow().overlap(self.a, &there) == Overlap::Free {
                let at_least = at_least.min(at_most);
                return Penetration { depth: Bracket { at_least, at_most }, direction: Some(direction) };
            }
        }
        Penetration { depth: Bracket { at_least, at_most: f64::INFINITY }, direction: None }
    }
}
