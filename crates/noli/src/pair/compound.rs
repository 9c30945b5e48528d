//! A compound (always A) and anything else: part by part, nearest boxes first.

use super::{self as pair, Limits};
use crate::answer::{Clearance, Contact, Nesting, Overlap, Relation, Verdict, Witness};
use crate::context::Ask;
use crate::model::{CompoundModel, NearestFirst, Part, Placed};

/// The parts with their numbers and a lower bound on the gap of their boxes to the other body's, least first.
fn nearest_first<'c>(compound: &'c CompoundModel, a: &Placed<'_>, b: &Placed<'_>) -> NearestFirst<'c> {
    NearestFirst::new(compound, a.world_from_self, b.model.aabb().moved(&b.world_from_self))
}

/// A part where it stands, and how far rounding may have moved it.
fn placed<'p>(part: &'p Part, a: &Placed<'_>, b: &Placed<'_>) -> (Placed<'p>, f64) {
    let world_from_self = part.placed(&a.world_from_self);
    let error = part.placing_error(&a.world_from_self, b);
    (Placed { model: &part.model, world_from_self }, error)
}

pub(super) fn closer_than(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    ask: &mut Ask<'_>,
) -> Overlap {
    let mut answer = Overlap::Free;
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > margin {
            break;
        }
        let (part, error) = placed(part, a, b);
        let margin = if error > 0.0 { (margin + error).next_up() } else { margin };
        match pair::closer_than(&part, b, margin, ask) {
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
    ask: &mut Ask<'_>,
) -> Clearance {
    let mut best = Clearance::INFINITE;
    for (bound, number, part) in nearest_first(compound, a, b) {
        if bound > best.gap.at_most.min(limits.max_distance) {
            best.gap.at_least = best.gap.at_least.min(bound);
            break;
        }
        let max_distance = limits.max_distance.min(best.gap.at_most);
        let (part, error) = placed(part, a, b);
        let found = pair::clearance(&part, b, &Limits { max_distance, ..*limits }, ask);
        // Within the rounding of a part's pose they count as touching.
        let near = error > 0.0 && found.gap.at_least <= error;
        let touches = near && pair::closer_than(&part, b, error.next_up(), ask) == Overlap::Hit;
        best.gap.at_least = best.gap.at_least.min((found.gap.at_least - error).max(0.0));
        let at_most = if touches || found.gap.at_most == 0.0 { 0.0 } else { found.gap.at_most + error };
        if at_most < best.gap.at_most {
            best.gap.at_most = at_most;
            best.witness = found.witness.map(|w| Witness { on_a: w.on_a.of_part(number), ..w });
        }
    }
    best.gap.at_least = best.gap.at_least.min(best.gap.at_most);
    best
}

/// `Crossing` if any part crosses, else the most that any part does.
pub(super) fn relation(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    ask: &mut Ask<'_>,
) -> Relation {
    let mut worst = Relation::Apart;
    let touches = |worst: &mut Relation| {
        if *worst == Relation::Apart {
            *worst = Relation::Touching;
        }
    };
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let (part, error) = placed(part, a, b);
        match pair::relation(&part, b, ask) {
            Relation::Unknown => return Relation::Unknown,
            Relation::Crossing => return Relation::Crossing,
            Relation::Inside => worst = Relation::Inside,
            Relation::Apart if error == 0.0 => {}
            // Within the rounding of a part's pose they count as touching.
            Relation::Apart => match pair::closer_than(&part, b, error, ask) {
                Overlap::Free => {}
                Overlap::Hit => touches(&mut worst),
                Overlap::Unknown => return Relation::Unknown,
            },
            Relation::Touching => touches(&mut worst),
        }
    }
    worst
}

/// It holds what a part of it holds, and lies in what all of its parts lie in.
pub(super) fn nesting(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    ask: &mut Ask<'_>,
) -> Option<Nesting> {
    if relation(compound, a, b, ask) != Relation::Inside {
        return None;
    }
    let (mut held, mut holds) = (0, false);
    for (bound, _, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let found = pair::nesting(&placed(part, a, b).0, b, ask);
        held += usize::from(matches!(found, Some(Nesting::AInB | Nesting::Same)));
        holds |= matches!(found, Some(Nesting::BInA | Nesting::Same));
    }
    let all = compound.parts.iter().filter(|part| !part.model.is_empty()).count();
    match (held == all, holds) {
        (true, true) => Some(Nesting::Same),
        (true, false) => Some(Nesting::AInB),
        (false, true) => Some(Nesting::BInA),
        (false, false) => (held > 0).then_some(Nesting::Parts),
    }
}

/// The contact of the part that is deepest in.
pub(super) fn contact(
    compound: &CompoundModel,
    a: &Placed<'_>,
    b: &Placed<'_>,
    ask: &mut Ask<'_>,
) -> Verdict<Contact> {
    let (mut deepest, mut open) = (Verdict::<Contact>::Free, false);
    for (bound, number, part) in nearest_first(compound, a, b) {
        if bound > 0.0 {
            break;
        }
        let (part, error) = placed(part, a, b);
        match (pair::contact(&part, b, ask), deepest) {
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
        // What is known to touch is told; how deep other parts are is not.
        Verdict::Hit(mut found) if open => {
            found.depth.at_most = f64::INFINITY;
            Verdict::Hit(found)
        }
        Verdict::Free if open => Verdict::Unknown,
        decided => decided,
    }
}
