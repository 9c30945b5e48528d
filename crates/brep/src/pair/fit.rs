//! Fits: a face that encloses another one on the same axis.

use super::view::View;
use crate::body::Brep;
use crate::surface::Surface;
use glam::DVec3;

/// Two faces with parallel axes, one convex and one hollow, of which one encloses the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Face of A.
    pub face_a: usize,
    /// Face of B.
    pub face_b: usize,
    /// Radial clearance: the distance of the surfaces where their axes agree, half the difference of the diameters. Negative
    /// for an interference.
    pub clearance: f64,
    /// Distance of the axes from each other, at most, along the faces; of the centres for spheres.
    pub offset: f64,
}

impl Fit {
    /// The smallest distance of the surfaces: the radial clearance less the distance of the axes.
    pub fn least_clearance(&self) -> f64 {
        self.clearance - self.offset
    }
}

/// Largest clearance of a fit, relative to the size of the smaller body.
const LOOSE: f64 = 0.02;

/// Largest clearance of a fit of two bodies.
pub(super) fn reach(a: &Brep, b: &Brep) -> f64 {
    LOOSE * a.size().min(b.size())
}

/// All fits of two bodies, tightest first.
pub(super) fn fits(a: &View<'_>, b: &View<'_>) -> Vec<Fit> {
    let mut found = Vec::new();
    let reach = reach(a.body, b.body);
    let round = |view: &View<'_>| -> Vec<(usize, DVec3, f64)> {
        let is_round = |&i: &usize| !matches!(view.surface(i), None | Some(Surface::Plane(_)));
        let place =
            |i: usize| (i, view.point(view.body.faces[i].extent.center), view.body.faces[i].extent.radius);
        (0..view.body.faces.len()).filter(is_round).map(place).collect()
    };
    let others = round(b);
    for (i, center, radius) in round(a) {
        for &(j, other, size) in &others {
            if center.distance(other) <= radius + size + reach {
                found.extend(fit(a, b, [i, j], reach));
            }
        }
    }
    found.sort_by(|x: &Fit, y: &Fit| x.least_clearance().total_cmp(&y.least_clearance()));
    found
}

fn fit(a: &View<'_>, b: &View<'_>, [i, j]: [usize; 2], reach: f64) -> Option<Fit> {
    let (hollow_a, hollow_b) = (!a.body.faces[i].same_sense, !b.body.faces[j].same_sense);
    if hollow_a == hollow_b {
        return None;
    }
    let (inner, outer, [p, h]) = if hollow_b { (a, b, [i, j]) } else { (b, a, [j, i]) };
    let (shaft, hole) = (inner.surface(p)?, outer.surface(h)?);
    let nominal = match (shaft, hole) {
        (Surface::Cylinder { radius: r, .. }, Surface::Cylinder { radius: bore, .. })
        | (Surface::Sphere { radius: r, .. }, Surface::Sphere { radius: bore, .. })
        | (Surface::Torus { minor: r, .. }, Surface::Torus { minor: bore, .. }) => bore - r,
        (Surface::Cone { .. }, Surface::Cone { .. }) => f64::NAN,
        (Surface::Sphere { radius: r, .. }, Surface::Cylinder { radius: bore, .. }) => bore - r,
        _ => return None,
    };
    let ([_, high], moved) = inner.coaxial_range(hole, p)?;
    let clearance = if nominal.is_nan() { -high } else { nominal };
    let offset = (clearance + high).max(0.0) + moved;
    // Far from each other across or along the axis, neither encloses the other.
    let is_near = clearance.abs() <= reach && offset <= clearance.abs() + reach;
    (is_near && overlap_along([inner, outer], [p, h], hole)).then_some(Fit {
        face_a: i,
        face_b: j,
        clearance,
        offset,
    })
}

/// Two faces have common heights along the axis of the hollow one, if that has one.
fn overlap_along([inner, outer]: [&View<'_>; 2], [p, h]: [usize; 2], hole: &Surface) -> bool {
    let (Surface::Cylinder { frame, .. } | Surface::Cone { frame, .. }) = hole else { return true };
    let [from, to] = outer.body.faces[h].extent.v;
    inner.range(&Surface::Plane(*frame), p).is_none_or(|[low, high]| low <= to && high >= from)
}
