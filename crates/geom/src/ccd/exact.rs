//! The exact decision by unbounded integers.
//!
//! If the volume of the four points is not always zero, they can touch only at its roots, at most three. If
//! it is, the truth of the contact conditions can change only at roots of the conditions, and a first
//! contact is the start or one of them. At a root, signs of other forms are decided without rounding.

use super::FeaturePair;
use super::conditions::{Conditions, cross, dot};
use super::form::Form;
use super::roots::Root;
use crate::number::exact::{common_exponent, integer};
use crate::{Impact, TimeOfImpact};
use dashu_int::IBig;

/// The first contact of a valid pair.
pub(super) fn impact(pair: &FeaturePair) -> Impact {
    let exponent = common_exponent(pair.points().flat_map(|p| p.to_array())).unwrap_or(0);
    let whole = |points: &[glam::DVec3; 4]| points.map(|p| p.to_array().map(|c| integer(c, exponent)));
    let conditions = Conditions::new(pair.kind, &whole(&pair.start), &whole(&pair.end));
    let volume = Form(conditions.volume().to_vec());
    if volume.0[0] == IBig::ZERO && touches(&conditions, &mut Root::start()) {
        return Impact::AtStart(());
    }
    let first = if volume.is_zero() {
        first_in_plane(&conditions)
    } else {
        let mut roots = Root::all(&volume).into_iter();
        roots.find_map(|mut root| touches(&conditions, &mut root).then(|| root.bracket()))
    };
    first.map_or(Impact::Free, |time| Impact::At { time, touch: () })
}

/// All points stay in one plane (or it turns with them): the first root of any condition with a contact.
fn first_in_plane(conditions: &Conditions<IBig>) -> Option<TimeOfImpact> {
    let mut forms = Vec::new();
    for k in 0..3 {
        let (normal, parts) = conditions.sides(k);
        forms.push(normal);
        forms.extend(parts);
    }
    for [a, b] in conditions.spokes() {
        forms.push(dot(&a, &b));
        forms.extend((0..3).map(|k| cross(&a, &b, k)));
    }
    let mut first: Option<TimeOfImpact> = None;
    for form in forms {
        for mut root in Root::all(&Form(form.to_vec())) {
            let time = root.bracket();
            // The least of both ends brackets the least root.
            let better =
                first.is_none_or(|f| time.safe_until < f.safe_until || time.touching_by < f.touching_by);
            if better && touches(conditions, &mut root) {
                first = Some(first.map_or(time, |f| TimeOfImpact {
                    safe_until: time.safe_until.min(f.safe_until),
                    touching_by: time.touching_by.min(f.touching_by),
                }));
            }
        }
    }
    first
}

/// Returns `true` if the features share a point at a time when all four points are coplanar.
fn touches(conditions: &Conditions<IBig>, at: &mut Root) -> bool {
    for k in 0..3 {
        let (normal, parts) = conditions.sides(k);
        let up = at.sign_of(&Form(normal.to_vec()));
        if up != 0 {
            return parts.into_iter().all(|part| at.sign_of(&Form(part.to_vec())) != -up);
        }
    }
    conditions.spokes().into_iter().any(|[a, b]| {
        (0..3).all(|k| at.sign_of(&Form(cross(&a, &b, k).to_vec())) == 0)
            && at.sign_of(&Form(dot(&a, &b).to_vec())) <= 0
    })
}
