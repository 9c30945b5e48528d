//! Common points of faces that touch, by projection: of a pin in its hole, and of a washer on its seat.
//!
//! A search over patches comes close to such faces everywhere at once, so that it spends its budget before one of its
//! points is within the tolerance. A point of one face and its projection on the other are as close as the faces.

use super::Pair;
use super::fit::{self, Fit};
use super::search::{Goal, Search, Witness};
use super::view::View;
use crate::patch::Patch;
use glam::{DVec2, DVec3};

/// Most patches of a face whose points are projected.
const MOST: usize = 48;

/// Steps of a first search, before points of snug fits are looked for.
const FIRST_STEPS: usize = 2_000;

impl Pair<'_> {
    /// Refines until the distance is known to be more, or not more, than `reach`, with points of snug fits if that takes
    /// long. Returns a lower bound.
    pub(super) fn examine(&self, search: &mut Search<'_, '_>, reach: f64) -> f64 {
        let until = self.budget.get().saturating_sub(FIRST_STEPS);
        let lower = search.advance(Goal::Near { distance: reach, until });
        if lower > reach || search.at_most <= reach {
            return lower;
        }
        self.meet(search, &fit::fits(&self.a, &self.b));
        search.advance(Goal::Threshold(reach))
    }

    /// Looks for common points of a snug fit, and of the faces that are closest so far.
    pub(super) fn meet(&self, search: &mut Search<'_, '_>, fits: &[Fit]) {
        let is_snug = |fit: &&Fit| fit.least_clearance().abs() <= self.tolerance;
        let snug = fits.iter().find(is_snug).map(|fit| [fit.face_a, fit.face_b]);
        for faces in snug.into_iter().chain(search.witness.map(|found| found.faces)) {
            self.meet_at(search, faces);
        }
    }

    /// Looks for points of two faces within the tolerance of each other, and takes them as the witness of a search.
    fn meet_at(&self, search: &mut Search<'_, '_>, faces: [usize; 2]) {
        let views = [&self.a, &self.b];
        for side in 0..2 {
            let (own, other) = (views[side], views[1 - side]);
            let (number, opposite) = (faces[side] as u32, faces[1 - side] as u32);
            let targets: Vec<&Patch> = of_face(other, opposite).collect();
            let count = of_face(own, number).count();
            for patch in of_face(own, number).step_by(count.div_ceil(MOST).max(1)) {
                if search.at_most <= self.tolerance || !self.spend(1) {
                    return;
                }
                let Some((point, error)) = landed(own, patch, patch.middle(), None) else { continue };
                let Some((place, off)) = targets.iter().find_map(|target| project(other, target, point))
                else {
                    continue;
                };
                let distance = point.distance(place) + error + off + own.rounding + other.rounding;
                if distance < search.at_most {
                    let points = if side == 0 { [point, place] } else { [place, point] };
                    search.at_most = distance;
                    search.witness = Some(Witness { points, faces });
                }
            }
        }
    }
}

fn of_face<'v>(view: &'v View<'_>, face: u32) -> impl Iterator<Item = &'v Patch> {
    view.body.patches.iter().filter(move |patch| patch.face == face)
}

/// A point of the trimmed face at parameters of a patch, and a bound on its error.
fn landed(view: &View<'_>, patch: &Patch, uv: DVec2, target: Option<DVec3>) -> Option<(DVec3, f64)> {
    let face = &view.body.faces[patch.face as usize];
    if patch.is_whole() {
        return Some((view.point(face.surface.point(uv)), 0.0));
    }
    let target = target.unwrap_or_else(|| face.surface.point(uv));
    let (point, error) = face.land(&view.body.edges, uv, target)?;
    Some((view.point(point), error))
}

/// The projection of a point on a patch, if it lies in its triangle.
fn project(view: &View<'_>, patch: &Patch, point: DVec3) -> Option<(DVec3, f64)> {
    let local = view.back(point);
    let (center, radius) = patch.sphere();
    if local.distance(center) > radius + view.rounding {
        return None;
    }
    let face = &view.body.faces[patch.face as usize];
    let uv = face.surface.near_parameters(local, patch.middle());
    if !patch.holds(uv) {
        return None;
    }
    landed(view, patch, uv, Some(local))
}
