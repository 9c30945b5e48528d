//! Points inside both solids: the proof of an intersection.
//!
//! Wherever faces cross, the interiors of both solids share a wedge. A point in it is a certificate, however it was
//! found: its distance from both surfaces is bounded from below, and rays locate it inside both.

use super::Pair;
use super::search::{Goal, Meeting, Search};
use crate::inner::Inner;
use crate::locate::Location;
use glam::DVec3;

/// Share of the budget that a point costs, about.
pub(super) const PROBE: usize = 20;
/// Most pairs of crossing triangles that are tried.
const MAX_CROSSINGS: usize = 4;
/// Most refinements in search of crossing triangles.
const MAX_STEPS: usize = 1_000;
/// Distances of points from a crossing, relative to the size: walls of parts are rarely thicker than the first.
const STEPS: [f64; 6] = [0.06, 0.015, 4e-3, 1e-3, 1e-4, 1e-5];

impl Pair<'_> {
    /// A depth that some point has in both solids, in spheres inside them; zero if none of these share a point.
    pub(super) fn inner_depth(&self, inner: Inner) -> f64 {
        let [of_a, of_b] = [&self.a, &self.b].map(|view| view.body.inner_spheres(inner));
        let rounding = self.a.rounding + self.b.rounding + self.deviation;
        let bounds = self.a.body.bounds;
        let mut deepest = 0.0f64;
        for inner in of_b {
            let center = self.b.point(inner.center);
            let outside = (bounds.min - center).max(center - bounds.max).max(DVec3::ZERO);
            if outside.length_squared() >= inner.radius * inner.radius {
                continue;
            }
            for other in of_a {
                let shared = 0.5 * (inner.radius + other.radius - center.distance(other.center) - rounding);
                deepest = deepest.max(shared.min(inner.radius).min(other.radius));
            }
        }
        if deepest > self.tolerance { deepest } else { 0.0 }
    }

    /// A depth that some point has in both solids, near triangles of both that cross; zero if none was found.
    pub(super) fn crossing_depth(&self, search: &mut Search<'_, '_>) -> f64 {
        let until = self.budget.get().saturating_sub(MAX_STEPS);
        for count in 1..=MAX_CROSSINGS {
            search.advance(Goal::Crossing { count, until });
            let Some(crossing) = search.crossings.get(count - 1) else { break };
            let depth = self.depths(self.wedge(crossing));
            if depth > 0.0 {
                return depth;
            }
        }
        0.0
    }

    /// A depth that some point has in both solids: points inward of places where faces meet.
    pub(super) fn depth_at(&self, meetings: &[Meeting]) -> f64 {
        let points =
            meetings.iter().flat_map(|meeting| self.inward(meeting).into_iter().chain(self.wedge(meeting)));
        self.depths(points)
    }

    fn depths(&self, points: impl Iterator<Item = DVec3>) -> f64 {
        points.map(|point| self.depth(point)).find(|&depth| depth > 0.0).unwrap_or(0.0)
    }

    /// Points on the bisector of the wedge between two faces, the furthest first.
    fn wedge(&self, meeting: &Meeting) -> impl Iterator<Item = DVec3> + use<> {
        let size = self.a.body.size().max(self.b.body.size());
        let (point, inward) = (meeting.point, -(meeting.normals[0] + meeting.normals[1]).normalize_or_zero());
        let count = if inward == DVec3::ZERO { 0 } else { STEPS.len() };
        STEPS[..count].iter().map(move |step| point + inward * (step * size))
    }

    /// The point inward of both faces of a meeting with the greatest depth below their surfaces.
    fn inward(&self, meeting: &Meeting) -> Option<DVec3> {
        let size = self.a.body.size().max(self.b.body.size());
        let [na, nb] = meeting.normals;
        let mut best: Option<(f64, DVec3)> = None;
        for direction in [(na + nb).normalize_or_zero(), na, nb] {
            for k in 2..40 {
                let point = meeting.point - direction * (size * 0.5f64.powi(k));
                let below =
                    |view: &super::View<'_>, face: usize| view.outside(face, point).map_or(1e-30, |h| -h);
                let depth = below(&self.a, meeting.faces[0]).min(below(&self.b, meeting.faces[1]));
                if depth > 0.0 && best.is_none_or(|(found, _)| depth > found) {
                    best = Some((depth, point));
                }
            }
        }
        best.map(|(_, point)| point)
    }

    /// The depth that a point certainly has in both solids.
    pub(super) fn depth(&self, point: DVec3) -> f64 {
        if !self.spend(2 * PROBE) {
            return 0.0;
        }
        let mut depth = f64::INFINITY;
        for view in [&self.a, &self.b] {
            let own = view.back(point);
            if !view.body.bounds.contains(own) {
                return 0.0;
            }
            let distance =
                view.body.surface_bracket(own, 4000, |found| found.at_least >= 0.5 * found.at_most).at_least
                    - view.rounding;
            if distance <= self.tolerance.min(1e-3 * depth) || view.body.locate(own) != Location::Inside {
                return 0.0;
            }
            depth = depth.min(distance);
        }
        depth
    }

    /// An upper bound of the depth of any point of one surface in the other solid: the point leaves the box of that
    /// solid along an axis of the common frame.
    pub(super) fn depth_of_boxes(&self) -> f64 {
        let (a, b) = (self.a.bounds(), self.b.bounds());
        let across = (a.max - b.min).min_element().min((b.max - a.min).min_element());
        let half = |size: DVec3| 0.5 * size.min_element();
        across.min(half(a.size()).max(half(b.size())))
    }
}
