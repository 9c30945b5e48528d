//! Faces that a translation keeps from each other.
//!
//! A plane along the translation, and a cylinder around it, are moved into themselves: faces on one side of them stay
//! there. A plane also keeps what moves away from it. So a shaft is drawn from its bush however small its play is, where
//! a bound on the speed of points alone would allow steps of the size of the play. Of solids that touch, a surface that
//! supports one, with all its faces on the inner side, keeps the faces of the other that stay on the outer side.
//!
//! The same holds where a body turns about a line, with or without a shift along it: surfaces of revolution about this
//! line are moved into themselves. So a shaft turns in its bearing.

use super::Pair;
use super::view::View;
use crate::surface::Surface;
use crate::turning::Axis;
use glam::DVec3;
use std::cell::OnceCell;

/// Largest change of the distance from a cylinder that separates faces, relative to the size.
const KEPT: f64 = 1e-3;
/// Most cylinders that are compared with two faces.
const MOST_CYLINDERS: usize = 16;

/// Faces that keep others from each other.
#[derive(Default)]
pub(super) struct Keepers {
    /// Faces of both bodies whose surfaces have all their faces on the inner side.
    supports: [OnceCell<Vec<usize>>; 2],
    /// Cylinders that the motion moves into themselves: bodies and faces.
    cylinders: OnceCell<Vec<(usize, usize)>>,
}

/// A translation of B relative to A, or a motion about and along a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slide {
    /// The line about which B turns relative to A; `None` for a translation.
    pub(crate) axis: Option<Axis>,
    /// The displacement at its end, in the frame of A.
    pub(crate) shift: DVec3,
    /// Bound on the deviation of points from an even translation, or from a motion about the line.
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
            || self.cylinders(slide).iter().any(|&cylinder| self.is_between(slide, cylinder, [a, b]))
    }

    /// A cylinder of a body has its face on one side and the face of the other body on the other side, or further
    /// outside, until the end: end faces of a shaft and of its bush in one plane.
    fn is_between(&self, slide: &Slide, (of, face): (usize, usize), faces: [usize; 2]) -> bool {
        let own = self.view(of).surface(face).and_then(|sigma| range(self.view(of), sigma, faces[of]));
        let other = self.range_along(slide, of, [face, faces[1 - of]]);
        own.zip(other).is_some_and(|(own, other)| (other[0] - own[1]).max(own[0] - other[1]) > slide.apart)
    }

    fn cylinders(&self, slide: &Slide) -> &[(usize, usize)] {
        self.keepers.cylinders.get_or_init(|| {
            let size = self.a.body.size().max(self.b.body.size());
            let is_kept = |&(of, face): &(usize, usize)| {
                self.view(of).surface(face).is_some_and(|sigma| {
                    let change = drift(sigma, slide.shift, slide.axis.as_ref())[1];
                    matches!(sigma, Surface::Cylinder { .. }) && change <= KEPT * size
                })
            };
            let all = (0..2).flat_map(|of| (0..self.view(of).body.faces.len()).map(move |face| (of, face)));
            all.filter(is_kept).take(MOST_CYLINDERS).collect()
        })
    }

    fn view(&self, side: usize) -> &View<'_> {
        if side == 0 { &self.a } else { &self.b }
    }

    /// The range of the distance of a face of the other body from the surface of a face of body `of`, until the end of the
    /// translation.
    fn range_along(&self, slide: &Slide, of: usize, [face, other]: [usize; 2]) -> Option<[f64; 2]> {
        let sigma = self.view(of).surface(face)?;
        let [low, high] = range(self.view(1 - of), sigma, other)?;
        let shift = if of == 0 { slide.shift } else { -slide.shift };
        let [down, up] = drift(sigma, shift, slide.axis.as_ref());
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
        self.keepers.supports[of].get_or_init(|| {
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

/// Least and greatest change of the distance of a point from a surface while the point moves by a shift, and turns.
fn drift(sigma: &Surface, shift: DVec3, axis: Option<&Axis>) -> [f64; 2] {
    let across = |direction: DVec3| (shift - direction * shift.dot(direction)).length();
    let along = |normal: DVec3| shift.dot(normal);
    let (turned, far) = match sigma {
        Surface::Plane(frame) => {
            let turned = axis.map_or(0.0, |axis| axis.change_over(frame.z));
            return [along(frame.z).min(0.0) - turned, along(frame.z).max(0.0) + turned];
        }
        Surface::Cylinder { frame, .. } => {
            (axis.map(|axis| axis.change_about(frame.origin, frame.z)), across(frame.z))
        }
        Surface::Cone { frame, .. } | Surface::Torus { frame, .. } => {
            (axis.map(|axis| axis.change_about(frame.origin, frame.z)), shift.length())
        }
        Surface::Sphere { frame, .. } => {
            (axis.map(|axis| axis.change_about(frame.origin, axis.direction)), shift.length())
        }
        _ => (axis.map(|axis| 2.0 * axis.reach), shift.length()),
    };
    let change = far + turned.unwrap_or(0.0);
    [-change, change]
}
