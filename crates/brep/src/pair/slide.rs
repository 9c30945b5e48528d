//! Faces that a translation keeps from each other.
//!
//! A plane along the translation, and a cylinder around it, are moved into themselves: faces on one side of them stay
//! there. A plane also keeps what moves away from it. So a shaft is drawn from its bush however small its play is, where
//! a bound on the speed of points alone would allow steps of the size of the play. Of solids that touch, a surface that
//! supports one, with all its faces on the inner side, keeps the faces of the other that stay on the outer side.

use super::Pair;
use super::view::View;
use crate::surface::Surface;
use glam::DVec3;

/// A translation of B relative to A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slide {
    /// The displacement at its end, in the frame of A.
    pub(crate) shift: DVec3,
    /// Bound on the deviation of points from an even translation.
    pub(crate) deviation: f64,
    /// Faces that stay further from each other than this are kept.
    pub(crate) apart: f64,
    /// Faces that stay on the outer side of each other, up to the tolerance, are kept too: solids that touch.
    pub(crate) may_touch: bool,
}

impl Pair<'_> {
    /// Returns `true` if the translation to come keeps two faces from each other.
    pub(super) fn keeps(&self, a: usize, b: usize) -> bool {
        let Some(slide) = &self.slide else { return false };
        let apart = |range: Option<[f64; 2]>| range.is_some_and(|[low, high]| low.max(-high) > slide.apart);
        apart(self.range_along(slide, 0, [a, b]))
            || apart(self.range_along(slide, 1, [b, a]))
            || (slide.may_touch && (self.is_parted(slide, 0, b) || self.is_parted(slide, 1, a)))
    }

    fn view(&self, side: usize) -> &View<'_> {
        if side == 0 { &self.a } else { &self.b }
    }

    /// The range of the distance of a face of the other body from the surface of a face of body `of`, until the end of the
    /// translation.
    fn range_along(&self, slide: &Slide, of: usize, [face, other]: [usize; 2]) -> Option<[f64; 2]> {
        let sigma = self.view(of).surface(face)?;
        let [low, high] = range(self.view(1 - of), sigma, other)?;
        let [down, up] = drift(sigma, if of == 0 { slide.shift } else { -slide.shift });
        let slack = slide.deviation + self.deviation + self.a.rounding + self.b.rounding;
        Some([low + down - slack, high + up + slack])
    }

    /// A surface that supports body `of` keeps a face of the other on its outer side, up to the tolerance.
    fn is_parted(&self, slide: &Slide, of: usize, other: usize) -> bool {
        let body = self.view(of).body;
        self.supports(of).iter().any(|&face| {
            self.range_along(slide, of, [face, other]).is_some_and(|[low, high]| {
                let outer = if body.faces[face].same_sense { low } else { -high };
                outer >= -self.tolerance
            })
        })
    }

    /// The faces of a body whose surfaces have all its faces on the inner side, up to the tolerance.
    fn supports(&self, of: usize) -> &[usize] {
        self.supports[of].get_or_init(|| {
            let view = self.view(of);
            let count = view.body.faces.len();
            let is_inner = |face: usize, other: usize| {
                let range = view.surface(face).and_then(|sigma| range(view, sigma, other));
                range.is_some_and(|[low, high]| {
                    let inner = if view.body.faces[face].same_sense { high } else { -low };
                    inner <= self.tolerance
                })
            };
            (0..count)
                .filter(|&face| (0..count).all(|other| other == face || is_inner(face, other)))
                .collect()
        })
    }
}

/// The range of the distance from a surface over a face; of a plane, over the triangles of the face.
fn range(view: &View<'_>, sigma: &Surface, face: usize) -> Option<[f64; 2]> {
    let closed = view.range(sigma, face);
    if closed.is_some() || !matches!(sigma, Surface::Plane(_)) {
        return closed;
    }
    let mut found = [f64::INFINITY, f64::NEG_INFINITY];
    for patch in view.body.patches.iter().filter(|patch| patch.face as usize == face) {
        let room = patch.outward + view.rounding;
        for point in view.triangle(patch) {
            let side = sigma.side(point)?;
            found = [found[0].min(side - room), found[1].max(side + room)];
        }
    }
    (found[0] <= found[1]).then_some(found)
}

/// Least and greatest change of the distance of a point from a surface while the point moves.
fn drift(sigma: &Surface, shift: DVec3) -> [f64; 2] {
    match sigma {
        Surface::Plane(frame) => {
            let across = shift.dot(frame.z);
            [across.min(0.0), across.max(0.0)]
        }
        Surface::Cylinder { frame, .. } => {
            let across = (shift - frame.z * shift.dot(frame.z)).length();
            [-across, across]
        }
        _ => [-shift.length(), shift.length()],
    }
}
