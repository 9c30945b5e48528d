//! A compound (always A) and anything else: part by part, nearest boxes first.

use super::general::{self, Limits, Means};
use crate::convex::Hint;
use crate::model::{CompoundModel, NearestFirst, Part, Placed};
use crate::query::{Clearance, Contact, Overlap};
use noli_geom::Relation;

/// The parts with a lower bound on the gap of their boxes to the other body's, least first.
fn nearest_first<'c>(compound: &'c CompoundModel, a: &Placed<'_>, b: &Placed<'_>) -> NearestFirst<'c> {
    NearestFirst::new(compound, a.world_from_self, b.model.aabb().moved(&b.world_from_self))
}

/// Ask about a part and the other body; a hint is for one pair of parts, so each starts anew.
fn with_part<R>(
    part: &Part,
    (a, b): (&Placed<'_>, &Placed<'_>),
    means: &mut Means<'_, '_>,
    ask: impl FnOnce(&Placed<'_>, f64, &mut Means<'_, '_>) -> R,
) -> R {
    let world_from_self = part.placed(&a.world_from_self);
    let error = part.placing_error(&a.world_from_self, b);
    let mut hint = Hint::default();
    let mut means = Means { meter: means.meter, scratch: means.scratch, hint: &mut hint };
    ask(&Placed { model: &part.model, world_from_self }, error, &mut means)
}

pub(super) fn closer_than(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    means: &mut Means<'_, '_>,
) -> Overlap {
    let mut answer = Overlap::Free;
    for (bound, part) in nearest_first(compound, a, b) {
        if bound > margin {
            break;
        }
        let found = with_part(part, (a, b), means, |part, error, means| {
            general::closer_than(
                part,
                b,
                if error > 0.0 { (margin + error).next_up() } else { margin },
                means,
            )
        });
        match found {
            Overlap::Hit => return Overlap::Hit,
            Overlap::Unknown => answer = Overlap::Unknown,
            Overlap::Free => {}
        }
    }
    answer
}

pub(super) fn clearance(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    means: &mut Means<'_, '_>,
) -> Clearance {
    let mut best = Clearance::INFINITE;
    for (bound, part) in nearest_first(compound, a, b) {
        if bound > best.at_most.min(limits.max_distance) {
            best.at_least = best.at_least.min(bound);
            break;
        }
        let max_distance = limits.max_distance.min(best.at_most);
        let (found, error, touches) = with_part(part, (a, b), means, |part, error, means| {
            let found = general::clearance(part, b, &Limits { max_distance, ..*limits }, means);
            // Within the rounding of a part's pose they count as touching.
            let near = error > 0.0 && found.at_least <= error;
            let touches = near && general::closer_than(part, b, error.next_up(), means) == Overlap::Hit;
            (found, error, touches)
        });
        best.at_least = best.at_least.min((found.at_least - error).max(0.0));
        let at_most = if touches || found.at_most == 0.0 { 0.0 } else { found.at_most + error };
        if at_most < best.at_most {
            (best.at_most, best.witness) = (at_most, found.witness);
        }
    }
    best.at_least = best.at_least.min(best.at_most);
    best
}

/// `Crossing` if any part crosses, else the most that any part does.
pub(super) fn relation(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    means: &mut Means<'_, '_>,
) -> Option<Relation> {
    let mut worst = Relation::Apart;
    for (bound, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let relation = with_part(part, (a, b), means, |part, error, means| {
            let relation = general::relation(part, b, means)?;
            let near = relation == Relation::Apart && error > 0.0;
            let touches = near && general::closer_than(part, b, error, means) != Overlap::Free;
            Some(if touches { Relation::Touching } else { relation })
        })?;
        if relation == Relation::Crossing {
            return Some(relation);
        }
        worst = worst.max(relation);
    }
    Some(worst)
}

/// The contact of the part that is deepest in.
pub(super) fn contact(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    means: &mut Means<'_, '_>,
) -> Option<Contact> {
    let mut deepest: Option<Contact> = None;
    for (bound, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let found = with_part(part, (a, b), means, |part, error, means| {
            general::contact(part, b, means).map(|contact| contact.loosened(error))
        });
        if let Some(contact) = found
            && deepest.as_ref().is_none_or(|d| contact.at_most > d.at_most)
        {
            deepest = Some(contact);
        }
    }
    deepest
}
