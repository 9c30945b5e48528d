//! Two bodies: clearance, relation, fits.

mod boxes;
mod contact;
mod fit;
mod hulls;
mod met;
mod options;
mod search;
mod shared;
mod slide;
mod view;

pub use fit::Fit;
pub use options::{Options, Volumes};
pub(crate) use slide::Slide;

use crate::body::Brep;
use crate::inner::Inner;
use crate::locate::Location;
use contact::Contact;
use glam::DVec3;
use noli_geom::{Bracket, Pose, Relation, RelativePose};
use search::{Goal, MAX_MEETINGS, Search, Witness};
use std::cell::Cell;
use view::View;

/// Relation of two bodies, with the numbers behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReport {
    /// The relation. *Touching*: no surface is more than `within` inside the other body, and their distance is not more
    /// than that.
    pub relation: Relation,
    /// The tolerance of *touching*.
    pub within: f64,
    /// `false` if the budget did not suffice: the bodies are then within reach of each other, and *touching* stands for
    /// touching or intersecting.
    pub is_certain: bool,
    /// The clearance; zero if they overlap.
    pub clearance: Bracket,
    /// Some point is at least this deep inside both solids.
    pub depth: f64,
    /// Interference of intersecting solids: depth of the deepest point of one surface in the other solid.
    pub interference: Option<Bracket>,
    /// Faces with parallel axes that enclose each other, those with the least clearance first.
    pub fits: Vec<Fit>,
    /// The faces that touch, intersect or are closest, where known.
    pub faces: Option<[usize; 2]>,
    /// Points of these faces, in world coordinates, about as close as the clearance.
    pub points: Option<[DVec3; 2]>,
}

/// Computes the clearance of two bodies, zero if they overlap.
pub fn clearance(a: &Brep, b: &Brep, world_from_a: &Pose, world_from_b: &Pose, options: &Options) -> Bracket {
    match separated(a, b, [world_from_a, world_from_b], options) {
        Some(report) => report.clearance,
        None => Pair::new(a, b, world_from_a, world_from_b, options).clearance(),
    }
}

/// Computes the relation of two bodies.
pub fn relation(
    a: &Brep,
    b: &Brep,
    world_from_a: &Pose,
    world_from_b: &Pose,
    options: &Options,
) -> PairReport {
    separated(a, b, [world_from_a, world_from_b], options)
        .unwrap_or_else(|| Pair::new(a, b, world_from_a, world_from_b, options).relation())
}

/// The report on two simple bodies whose convex hulls are separated. Those within the reach of fits have these listed.
fn separated(
    a: &Brep,
    b: &Brep,
    [world_from_a, world_from_b]: [&Pose; 2],
    options: &Options,
) -> Option<PairReport> {
    let hulls = [a.hull.as_ref()?, b.hull.as_ref()?];
    let relative = RelativePose::new(world_from_a, world_from_b);
    let size = a.size().max(b.size());
    let rounding = a.rounding + b.rounding + View::placing_error(b, &relative);
    let limits = Limits::new([a, b], rounding, options);
    let room = a.gap() + b.gap() + 8.0 * rounding;
    let (found, witness) = hulls::distance(hulls, &relative, limits.precision - 2.0 * room, room)?;
    if found.at_least <= limits.tolerance {
        return None;
    }
    if found.at_least <= (REACH * size).max(fit::reach(a, b)) {
        let pair = Pair::new(a, b, world_from_a, world_from_b, options);
        let fits = fit::fits(&pair.a, &pair.b);
        return Some(pair.report(Relation::Separated, true, pair.widened(found), (fits, Some(witness))));
    }
    let deviation = a.deviation + b.deviation;
    Some(PairReport {
        relation: Relation::Separated,
        within: limits.tolerance,
        is_certain: true,
        clearance: Bracket { at_least: found.at_least - deviation, at_most: found.at_most + deviation },
        depth: 0.0,
        interference: None,
        fits: Vec::new(),
        faces: Some(witness.faces),
        points: Some(witness.points.map(|point| world_from_a.transform_point(point))),
    })
}

/// Returns `true` if the bodies share a point or touch within the tolerance, `false` if they are separated, `None` if
/// the budget did not suffice.
#[doc(alias = "collide", alias = "intersects")]
pub fn overlap(
    a: &Brep,
    b: &Brep,
    world_from_a: &Pose,
    world_from_b: &Pose,
    options: &Options,
) -> Option<bool> {
    match separated(a, b, [world_from_a, world_from_b], options) {
        Some(_) => Some(false),
        None => Pair::new(a, b, world_from_a, world_from_b, options).overlap(),
    }
}

/// Returns `true` if the bodies are certainly within `distance`, `false` if they certainly are not, `None` if the
/// budget did not suffice.
pub fn within_distance(
    a: &Brep,
    b: &Brep,
    world_from_a: &Pose,
    world_from_b: &Pose,
    distance: f64,
    options: &Options,
) -> Option<bool> {
    let found = Pair::new(a, b, world_from_a, world_from_b, options).bracket(distance);
    if found.at_least > distance {
        Some(false)
    } else if found.at_most <= distance {
        Some(true)
    } else {
        None
    }
}

/// Distance of two surfaces, and what is left of the budget.
pub(crate) struct SurfaceDistance {
    pub(crate) distance: Bracket,
    /// Points about as close as that, in world coordinates.
    pub(crate) points: Option<[DVec3; 2]>,
    pub(crate) budget: usize,
}

/// Brackets the distance of the surfaces of two bodies, except for faces that a translation keeps from each other.
pub(crate) fn surface_distance(
    [a, b]: [&Brep; 2],
    poses: [Pose; 2],
    options: &Options,
    slide: Option<Slide>,
) -> SurfaceDistance {
    // Hulls that are near do not tell which faces the motion keeps from each other.
    let near = slide.map_or(0.0, |slide| slide.apart + NEAR_HULLS * a.size().max(b.size()));
    let by_hulls = separated(a, b, [&poses[0], &poses[1]], options);
    if let Some(found) = by_hulls.filter(|found| found.clearance.at_least >= near) {
        return SurfaceDistance { distance: found.clearance, points: found.points, budget: options.budget };
    }
    let pair = Pair { slide, ..Pair::new(a, b, &poses[0], &poses[1], options) };
    let mut search = pair.search();
    let at_least = search.advance(Goal::Distance { known: 0.0 });
    let points = search.witness.map(|found| found.points.map(|point| poses[0].transform_point(point)));
    let distance = pair.widened(Bracket { at_least, at_most: search.at_most });
    SurfaceDistance { distance, points, budget: pair.budget.get() }
}

/// Two bodies in the frame of the first.
struct Pair<'b> {
    a: View<'b>,
    b: View<'b>,
    world_from_a: Pose,
    tolerance: f64,
    precision: f64,
    /// Bound on the distance of the surfaces from those of the files.
    deviation: f64,
    budget: Cell<usize>,
    volumes: Volumes,
    /// The translation to come, of a query about a motion.
    slide: Option<Slide>,
    /// Faces of both bodies that keep others from each other, once they are needed.
    keepers: slide::Keepers,
}

/// Largest uncertainty of a file that counts, relative to the size: many files state a default.
const UNCERTAINTY: f64 = 1e-6;
/// Distance of boxes up to which bodies are examined for contact, relative to the size.
const REACH: f64 = 1e-3;
/// Overlap of boxes from which the depth of an intersection is not computed in closed form, relative to the smaller
/// body.
const DEEP: f64 = 0.02;
/// Largest distance between edges and surfaces of a file that counts, relative to the size.
const GAP: f64 = 1e-5;
/// Distance of convex hulls beyond the margin of a motion from which on it suffices for a step, relative to the size.
const NEAR_HULLS: f64 = 0.25;
/// Points that are tried where nothing parts the bodies, and where something does.
const CANDIDATES: [usize; 2] = [1_500, 48];

/// Tolerance and precision of a query.
struct Limits {
    tolerance: f64,
    precision: f64,
}

impl Limits {
    fn new([a, b]: [&Brep; 2], rounding: f64, options: &Options) -> Self {
        let size = a.size().max(b.size());
        let rounding = 64.0 * rounding;
        let stated = (a.uncertainty + b.uncertainty).min(UNCERTAINTY * size);
        // Edges and surfaces of a file that do not meet leave its faces uncertain by as much.
        let gap = (2.0 * (a.gap() + b.gap())).min(GAP * size);
        let own = (1e-10 * size).max(stated).max(gap);
        Self {
            tolerance: options.tolerance.unwrap_or(own).max(rounding).max(2.0 * (a.deviation + b.deviation)),
            precision: options.precision.unwrap_or(1e-9 * size).max(rounding),
        }
    }
}

impl<'b> Pair<'b> {
    fn new(a: &'b Brep, b: &'b Brep, world_from_a: &Pose, world_from_b: &Pose, options: &Options) -> Self {
        let relative = RelativePose::new(world_from_a, world_from_b);
        let (a, b) = (View::own(a), View::placed(b, relative));
        let limits = Limits::new([a.body, b.body], a.rounding + b.rounding, options);
        Self {
            tolerance: limits.tolerance,
            precision: limits.precision,
            deviation: a.body.deviation + b.body.deviation,
            world_from_a: *world_from_a,
            budget: Cell::new(options.budget),
            volumes: options.volumes,
            slide: None,
            keepers: Default::default(),
            a,
            b,
        }
    }

    fn search(&self) -> Search<'_, 'b> {
        let mut search = Search::new(self);
        if self.volumes == Volumes::Boxes {
            search.descend();
        }
        search
    }

    /// Takes a share of the budget; `false` once it is spent.
    fn spend(&self, share: usize) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(share));
        left > 0
    }

    /// What closed forms prove for the distance of two faces: how far one lies on one side of the other's surface, and how
    /// far they are from each other along an axis.
    fn face_bound(&self, a: usize, b: usize) -> f64 {
        let rounding = self.a.rounding + self.b.rounding;
        let beyond = |of: &View<'_>, face: usize, over: &View<'_>, other: usize| {
            let range = of.surface(face).and_then(|sigma| over.range(sigma, other));
            let side = range.map_or(0.0, |[low, high]| low.max(-high) - rounding);
            side.max(of.beyond_axis(face, over, other))
        };
        beyond(&self.a, a, &self.b, b).max(beyond(&self.b, b, &self.a, a)).max(0.0)
    }

    /// The bracket of [`clearance`].
    fn clearance(&self) -> Bracket {
        if self.has_shared_spheres() { Bracket::ZERO } else { self.related(Inner::Few).clearance }
    }

    /// The verdict of [`overlap`].
    fn overlap(&self) -> Option<bool> {
        if self.has_shared_spheres() {
            return Some(true);
        }
        let mut search = self.search();
        if self.may_share() && self.crossing_depth(&mut search) > 0.0 {
            return Some(true);
        }
        if search.advance(Goal::Threshold(self.tolerance)) > self.tolerance {
            return match self.contained() {
                Location::Inside => Some(true),
                Location::Outside => Some(false),
                Location::Unknown => None,
            };
        }
        let found = self.related(Inner::Few);
        found.is_certain.then(|| found.relation.overlaps())
    }

    /// Spheres inside both solids share a point.
    fn has_shared_spheres(&self) -> bool {
        // Spheres are computed when the boxes of two bodies overlap for the first time.
        self.volumes == Volumes::Boxes
            && self.may_share()
            && self.a.bounds().overlaps(&self.b.bounds())
            && self.inner_depth(Inner::Few) > 0.0
    }

    /// Both are solids, which may share points inside.
    fn may_share(&self) -> bool {
        self.a.body.is_solid() && self.b.body.is_solid()
    }

    /// The distance of the surfaces compared with a length, then zero if one body holds the other.
    fn bracket(&self, distance: f64) -> Bracket {
        let mut search = self.search();
        let at_least = search.advance(Goal::Threshold(distance));
        if at_least > 0.0 && self.contained() == Location::Inside {
            return Bracket::ZERO;
        }
        self.widened(Bracket { at_least, at_most: search.at_most })
    }

    /// A bracket that holds for the surfaces of the files.
    fn widened(&self, found: Bracket) -> Bracket {
        Bracket {
            at_least: (found.at_least - self.deviation).max(0.0),
            at_most: found.at_most + self.deviation,
        }
    }

    /// Bodies whose boxes have a larger distance than this are not examined for contact.
    fn reach(&self) -> f64 {
        REACH * self.a.body.size().max(self.b.body.size())
    }

    /// `Inside` if one of two solids whose surfaces share no point lies in the other.
    fn contained(&self) -> Location {
        let mut found = Location::Outside;
        for (inner, outer) in [(&self.a, &self.b), (&self.b, &self.a)] {
            let patches = &inner.body.patches;
            if !outer.body.is_solid() || patches.is_empty() {
                continue;
            }
            // A vertex of a patch that is crossed may lie off its face.
            let held = || patches.iter().filter(|patch| !patch.is_crossed);
            let points = || held().map(|patch| outer.back(inner.point(patch.points[0])));
            if points().any(|point| !outer.body.bounds.contains(point)) {
                continue;
            }
            // Any point serves, but near the surface of the other body it costs more.
            let mut spread = points().step_by(patches.len().div_ceil(16));
            match spread
                .find_map(|point| Some(outer.body.locate(point)).filter(|&at| at != Location::Unknown))
            {
                Some(Location::Inside) => return Location::Inside,
                Some(_) => {}
                None => found = Location::Unknown,
            }
        }
        found
    }

    fn relation(&self) -> PairReport {
        self.related(Inner::Many)
    }

    /// The relation; the depth of bodies deep inside each other is that of a point, and of these spheres.
    fn related(&self, inner: Inner) -> PairReport {
        let mut search = self.search();
        let reach = self.reach();
        let lower = self.examine(&mut search, reach);
        let fits = if lower <= fit::reach(self.a.body, self.b.body) {
            fit::fits(&self.a, &self.b)
        } else {
            Vec::new()
        };
        if lower > reach.max(self.tolerance) {
            return self.parted(search, lower, fits);
        }
        // A point in both decides bodies deep inside each other; closed forms bound the depth of shallow ones and of
        // fits.
        let deepest = self.depth_of_boxes();
        let is_deep = deepest > DEEP * self.a.body.size().min(self.b.body.size());
        if self.volumes == Volumes::Boxes && is_deep && fits.is_empty() && self.may_share() {
            let found = self.inner_depth(Inner::Few);
            let found = if found > 0.0 { found } else { self.crossing_depth(&mut search) };
            if found > 0.0 {
                let depth = found.max(self.inner_depth(inner));
                let interference = Bracket { at_least: depth, at_most: deepest.max(depth) };
                return self.crossing(interference, fits, (depth, search.witness));
            }
        }
        let contact = Contact::new(self, reach);
        let margin = contact.margin().min(reach);
        if margin > self.tolerance {
            return self.parted(search, margin, fits);
        }
        let may_share = self.may_share();
        let interference = |depth: f64, fits: &[Fit]| {
            let at_least = contact.surface_depth(fits).max(depth);
            let at_most = if margin < 0.0 { -margin } else { f64::INFINITY };
            Bracket { at_least, at_most: at_most.max(at_least) }
        };
        if may_share
            && margin < -self.tolerance
            && fits.iter().any(|fit| fit.least_clearance() < -self.tolerance)
        {
            let depth = contact.common_depth(&fits, margin, CANDIDATES[1]);
            if depth > 0.0 {
                return self.crossing(interference(depth, &fits), fits, (depth, search.witness));
            }
        }
        self.meet(&mut search, &fits);
        let lower = search.advance(Goal::Separation { known: margin, meetings: 1 });
        if lower > self.tolerance {
            return self.parted(search, lower, fits);
        }
        let mut depth = if may_share { self.depth_at(&search.meetings) } else { 0.0 };
        if depth == 0.0 && may_share && margin < -self.tolerance && self.volumes == Volumes::Boxes {
            depth = self.crossing_depth(&mut search);
        }
        let mut no_crossing = false;
        if depth == 0.0 {
            no_crossing = margin >= -self.tolerance || contact.cells_part(self.tolerance);
            if !no_crossing {
                let known = search.meetings.len();
                let lower = search.advance(Goal::Separation { known: margin, meetings: MAX_MEETINGS });
                if lower > self.tolerance {
                    return self.parted(search, lower, fits);
                }
                depth = if may_share { self.depth_at(&search.meetings[known..]) } else { 0.0 };
            }
        }
        if depth == 0.0 && may_share {
            depth = contact.common_depth(&fits, margin, CANDIDATES[usize::from(no_crossing)]);
        }
        if depth > 0.0 {
            return self.crossing(interference(depth, &fits), fits, (depth, search.witness));
        }
        let is_certain = no_crossing && search.at_most <= self.tolerance;
        let clearance = Bracket { at_least: 0.0, at_most: search.at_most + self.deviation };
        self.report(Relation::Touching, is_certain, clearance, (fits, search.witness))
    }

    /// The report on bodies whose surfaces are at least `known` from each other.
    fn parted(&self, mut search: Search<'_, '_>, known: f64, fits: Vec<Fit>) -> PairReport {
        let location = self.contained();
        if location == Location::Inside {
            return self.report(Relation::Inside, true, Bracket::ZERO, (fits, search.witness));
        }
        let at_least = search.advance(Goal::Distance { known }).max(known).min(search.at_most);
        let clearance = self.widened(Bracket { at_least, at_most: search.at_most });
        self.report(Relation::Separated, location == Location::Outside, clearance, (fits, search.witness))
    }

    /// The report on solids that share points of the given depth.
    fn crossing(
        &self,
        found: Bracket,
        fits: Vec<Fit>,
        (depth, witness): (f64, Option<Witness>),
    ) -> PairReport {
        let mut report = self.report(Relation::Intersecting, true, Bracket::ZERO, (fits, witness));
        report.depth = depth;
        report.interference = Some(self.widened(found));
        report
    }

    fn report(
        &self,
        relation: Relation,
        is_certain: bool,
        clearance: Bracket,
        (mut fits, witness): (Vec<Fit>, Option<Witness>),
    ) -> PairReport {
        if relation == Relation::Separated {
            // Parts of coaxial surfaces that would intersect, and do not face each other.
            fits.retain(|fit| fit.clearance >= -self.tolerance);
        }
        // A fit that decides names the faces better than the points that the search happened to visit.
        let by_fit = fits.first().filter(|fit| match relation {
            Relation::Intersecting => fit.least_clearance() < 0.0,
            Relation::Touching => fit.least_clearance().abs() <= self.tolerance,
            _ => (fit.least_clearance() - clearance.at_least).abs() <= self.tolerance + self.precision,
        });
        let faces = by_fit.map(|fit| [fit.face_a, fit.face_b]).or(witness.map(|found| found.faces));
        PairReport {
            relation,
            within: self.tolerance,
            is_certain,
            clearance,
            depth: 0.0,
            interference: None,
            faces,
            points: witness.map(|found| found.points.map(|point| self.world_from_a.transform_point(point))),
            fits,
        }
    }
}
