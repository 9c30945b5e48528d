//! Depth along a direction: from where a point lies deep in both bodies they may be moved by as much and still overlap, so
//! such steps lead to the first translation that is free, and never past it.

use super::PenetrationQuery;
use super::search::{Search, both_solid};
use crate::answer::{Bracket, Relation};
use crate::context::QueryContext;
use crate::model::{Placed, Scale};
use glam::DVec3;

/// Final step size, as a fraction of the travel.
const FINE: f64 = 1e-9;

pub(super) fn penetration_along(
    a: &Placed<'_>,
    b: &Placed<'_>,
    direction: DVec3,
    query: &PenetrationQuery,
    context: &mut QueryContext<'_>,
) -> Bracket {
    let Some(direction) = direction.try_normalize() else { return Bracket::OPEN };
    match context.relation(a, b) {
        Relation::Separated => return Bracket::ZERO,
        Relation::Unknown => return Bracket::OPEN,
        Relation::Touching if both_solid(a, b) => return Bracket::ZERO,
        Relation::Touching | Relation::Intersecting | Relation::Inside => {}
    }
    match Scale::of(a, b) {
        Scale::Ordinary => measured(a, b, direction, query, context),
        Scale::Tiny(enlarged) => {
            let [a, b] = enlarged.bodies();
            enlarged.length(measured(&a, &b, direction, query, context))
        }
        Scale::Unsuited => Bracket::OPEN,
    }
}

fn measured(
    a: &Placed<'_>,
    b: &Placed<'_>,
    direction: DVec3,
    query: &PenetrationQuery,
    context: &mut QueryContext<'_>,
) -> Bracket {
    let direction = a.world_from_self.inverse().transform_vector(direction);
    Search::new(a, b, query, context).along(direction)
}

impl Search<'_, '_, '_> {
    fn along(&mut self, direction: DVec3) -> Bracket {
        let size = self.longest_path();
        let mut from = 0.0;
        // As far as it is proven.
        loop {
            let shift = direction * from;
            let mut room = self.room_around(shift, f64::INFINITY);
            if room <= FINE * from {
                room = room.max(self.explore(shift, f64::INFINITY, 32));
            }
            if room <= FINE * from.max(FINE * size) || self.is_over() {
                break;
            }
            from += room * (1.0 - 1e-12);
        }
        // Just past it, where they are free unless no proof was found: then further and further.
        let (mut hit, mut by) = (from, FINE * from.max(FINE * size));
        loop {
            let to = from + by;
            if self.is_free(direction * to) {
                return Bracket { at_least: from, at_most: self.first_free(direction, hit, to) };
            }
            if self.is_over() || to > 4.0 * size {
                return Bracket { at_least: from, at_most: f64::INFINITY };
            }
            hit = to;
            by *= 2.0;
        }
    }

    /// A free place between one that is not and one that is, as near to the first as halving finds.
    fn first_free(&mut self, direction: DVec3, mut hit: f64, mut free: f64) -> f64 {
        while free - hit > FINE * free && !self.is_over() {
            let middle = 0.5 * (hit + free);
            if self.is_free(direction * middle) { free = middle } else { hit = middle }
        }
        free * (1.0 + 1e-12)
    }
}
