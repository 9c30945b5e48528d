//! A compound (always A) and anything else: part by part, nearest boxes first.

use super::{self as pair, Limits};
use crate::answer::{Clearance, Contact, Containment, Overlap, Relation, Verdict, Witness};
use crate::context::QueryContext;
use crate::model::{CompoundModel, NearestFirst, Part, Placed};

/// The parts with their numbers and a lower bound on the clearance of their boxes to the other body's, least first.
fn nearest_first<'c>(compound: &'c CompoundModel, a: &Placed<'_>, b: &Placed<'_>) -> NearestFirst<'c> {
    NearestFirst::new(compound, a.world_from_self, b.model.aabb().transformed(&b.world_from_self))
}

/// Returns a part at its pose, and a bound on its displacement by rounding.
fn placed<'p>(part: &'p Part, a: &Placed<'_>, b: &Placed<'_>) -> (Placed<'p>, f64) {
    let world_from_self = part.placed(&a.world_from_self);
    let error = part.placing_error(&a.world_from_self, b);
    (Placed { model: &part.model, world_from_self }, error)
}

pub(super) fn within_distance(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let mut answer = Overlap::Free;
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > margin {
            break;
        }
        let (part, error) = placed(part, a, b);
        let margin = if error > 0.0 { (margin + error).next_up() } else { margin };
        match pair::within_distance(&part, b, margin, context) {
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
    context: &mut QueryContext<'_>,
) -> Clearance {
    let mut best = Clearance::INFINITE;
    for (bound, number, part) in nearest_first(compound, a, b) {
        if bound > best.distance.at_most.min(limits.max_distance) {
            best.distance.at_least = best.distance.at_least.min(bound);
            break;
        }
        let max_distance = limits.max_distance.min(best.distance.at_most);
        let (part, error) = placed(part, a, b);
        let found = pair::clearance(&part, b, &Limits { max_distance, ..*limits }, context);
        // Within the rounding of a part's pose they count as touching.
        let near = error > 0.0 && found.distance.at_least <= error;
        let touches = near && pair::within_distance(&part, b, error.next_up(), context) == Overlap::Hit;
        best.distance.at_least = best.distance.at_least.min((found.distance.at_least - error).max(0.0));
        let at_most =
            if touches || found.distance.at_most == 0.0 { 0.0 } else { found.distance.at_most + error };
        if at_most < best.distance.at_most {
            best.distance.at_most = at_most;
            best.witness = found.witness.map(|w| Witness { on_a: w.on_a.of_part(number), ..w });
        }
    }
    best.distance.at_least = best.distance.at_least.min(best.distance.at_most);
    best
}

/// `Intersecting` if any part crosses, else the most that any part does.
pub(super) fn relation(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Relation {
    let mut worst = Relation::Separated;
    let touches = |worst: &mut Relation| {
        if *worst == Relation::Separated {
            *worst = Relation::Touching;
        }
    };
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let (part, error) = placed(part, a, b);
        match pair::relation(&part, b, context) {
            Relation::Unknown => return Relation::Unknown,
            Relation::Intersecting => return Relation::Intersecting,
            Relation::Inside => worst = Relation::Inside,
            Relation::Separated if error == 0.0 => {}
            // Within the rounding of a part's pose they count as touching.
            Relation::Separated => match pair::within_distance(&part, b, error, context) {
                Overlap::Free => {}
                Overlap::Hit => touches(&mut worst),
                Overlap::Unknown => return Relation::Unknown,
            },
            Relation::Touching => touches(&mut worst),
        }
    }
    worst
}

/// Computes the containment from those of the parts. A compound holds what one part holds, and lies in what all parts lie in.
pub(super) fn containment(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Containment> {
    match relation(compound, a, b, context) {
        Relation::Inside => {}
        Relation::Unknown => return Verdict::Unknown,
        Relation::Separated | Relation::Touching | Relation::Intersecting => return Verdict::Free,
    }
    let (mut held, mut holds, mut unknown) = (0, false, false);
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let found = pair::containment(&placed(part, a, b).0, b, context);
        held += usize::from(matches!(found, Verdict::Hit(Containment::AInB | Containment::Same)));
        holds |= matches!(found, Verdict::Hit(Containment::BInA | Containment::Same));
        unknown |= found == Verdict::Unknown;
    }
    let all = compound.parts.iter().filter(|part| !part.model.is_empty()).count();
    match (held == all, holds) {
        (true, true) => Verdict::Hit(Containment::Same),
        (true, false) => Verdict::Hit(Containment::AInB),
        (false, true) => Verdict::Hit(Containment::BInA),
        (false, false) if held > 0 && !unknown => Verdict::Hit(Containment::Parts),
        (false, false) => Verdict::Unknown,
    }
}

/// The contact of the part that is deepest in.
pub(super) fn contact(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Contact> {
    let (mut deepest, mut open) = (Verdict::<Contact>::Free, false);
    for (bound, number, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let (part, error) = placed(part, a, b);
        match (pair::contact(&part, b, context), deepest) {
            (Verdict::Free, _) => {}
            (Verdict::Unknown, _) => open = true,
            (Verdict::Hit(found), Verdict::Hit(best))
                if found.depth.at_most + error <= best.depth.at_most => {}
            (Verdict::Hit(found), _) => {
                let found = found.loosened(error);
                deepest = Verdict::Hit(Contact { on_a: found.on_a.of_part(number), ..found });
            }
        }
    }
    match deepest {
        // Parts that are known to touch are reported; the depth of other parts is not.
        Verdict::Hit(mut found) if open => {
            found.depth.at_most = f64::INFINITY;
            Verdict::Hit(found)
        }
        Verdict::Free if open => Verdict::Unknown,
        decided => decided,
    }
}
