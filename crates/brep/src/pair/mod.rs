//! Two bodies: clearance, relation, fits.

mod contact;
mod fit;
mod search;
mod view;

pub use fit::Fit;

use crate::body::Brep;
use crate::locate::Location;
use contact::Contact;
use glam::DVec3;
use noli_geom::{Bracket, Pose, Relation, RelativePose};
use search::{Goal, Search};
use view::View;

/// Options of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Length within which surfaces count as touching; `None` for `1e-10` of the size of the pair.
    pub tolerance: Option<f64>,
    /// Width of the bracket of a clearance; `None` for `1e-9` of the size of the pair.
    pub precision: Option<f64>,
    /// Largest number of refinements.
    pub budget: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: None, precision: None, budget: 200_000 }
    }
}

/// Relation of two bodies, with the numbers behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReport {
    /// The relation. *Touching*: no surface is more than `within` inside the other body, and their distance is not more
    /// than that.
    pub relation: Relation,
    /// The tolerance of *touching*.
    pub within: f64,
    /// `false` if the budget did not suffice: the bodies are then within reach of each other, and *touching* stands for
    /// touching or intersecting.
    pub is_certain: bool,
    /// The clearance; zero if they overlap.
    pub clearance: Bracket,
    /// Some point is at least this deep inside both solids.
    pub depth: f64,
    /// Coaxial faces that enclose each other, tightest first.
    pub fits: Vec<Fit>,
}

/// Computes the clearance of two bodies, zero if they overlap.
pub fn clearance(a: &Brep, b: &Brep, world_from_a: &Pose, world_from_b: &Pose, options: &Options) -> Bracket {
    Pair::new(a, b, world_from_a, world_from_b, options).clearance()
}

/// Computes the relation of two bodies.
pub fn relation(
    a: &Brep,
    b: &Brep,
    world_from_a: &Pose,
    world_from_b: &Pose,
    options: &Options,
) -> PairReport {
    Pair::new(a, b, world_from_a, world_from_b, options).relation()
}

/// Returns `true` if the bodies are certainly within `distance`, `false` if they certainly are, `None` if the
/// budget did not suffice.
pub fn within_distance(
    a: &Brep,
    b: &Brep,
    world_from_a: &Pose,
    world_from_b: &Pose,
    distance: f64,
    options: &Options,
) -> Option<bool> {
    let found = Pair::new(a, b, world_from_a, world_from_b, options).bracket(Goal::Threshold(distance));
    if found.at_least > distance {
        Some(false)
    } else if found.at_most <= distance {
        Some(true)
    } else {
        None
    }
}

/// Two bodies in the frame of the first.
struct Pair<'b> {
    a: View<'b>,
    b: View<'b>,
    tolerance: f64,
    precision: f64,
    budget: usize,
}

impl<'b> Pair<'b> {
    fn new(a: &'b Brep, b: &'b Brep, world_from_a: &Pose, world_from_b: &Pose, options: &Options) -> Self {
        let relative = RelativePose::new(world_from_a, world_from_b);
        let (a, b) = (View::own(a), View::placed(b, relative));
        let size = a.body.size().max(b.body.size());
        let rounding = 64.0 * (a.rounding + b.rounding);
        Self {
            tolerance: options.tolerance.unwrap_or(1e-10 * size).max(rounding),
            precision: options.precision.unwrap_or(1e-9 * size).max(rounding),
            budget: options.budget,
            a,
            b,
        }
    }

    /// The distance of the surfaces, then zero if one body holds the other.
    fn bracket(&self, goal: Goal) -> Bracket {
        let found = Search::new(self).run(goal).bracket;
        if found.at_least > 0.0 && self.contained() == Location::Inside { Bracket::ZERO } else { found }
    }

    fn clearance(&self) -> Bracket {
        let reach = self.reach();
        let contact = Contact::new(self, reach);
        let margin = contact.margin().min(reach);
        if margin < -self.tolerance && self.common_depth(&contact, &[], margin) > 0.0 {
            return Bracket::ZERO;
        }
        let found = self.bracket(Goal::Distance);
        if found.at_most == 0.0 {
            return found;
        }
        let at_least = found.at_least.max(margin.max(0.0)).min(found.at_most);
        if at_least <= self.tolerance {
            let meetings = Search::new(self).run(Goal::Separation { known: margin }).meetings;
            if self.common_depth(&contact, &meetings, margin) > 0.0 {
                return Bracket::ZERO;
            }
        }
        Bracket { at_least, ..found }
    }

    /// Bodies whose boxes have a larger distance than this are not examined for contact.
    fn reach(&self) -> f64 {
        1e-3 * self.a.body.size().max(self.b.body.size())
    }

    /// `Inside` if one of two solids whose surfaces share no point lies in the other.
    fn contained(&self) -> Location {
        let mut found = Location::Outside;
        for (inner, outer) in [(&self.a, &self.b), (&self.b, &self.a)] {
            if !outer.body.is_solid() || inner.body.patches.is_empty() {
                continue;
            }
            let points: Vec<DVec3> =
                inner.body.patches.iter().map(|patch| outer.back(inner.point(patch.points[0]))).collect();
            if points.iter().any(|&point| !outer.body.bounds.contains(point)) {
                continue;
            }
            // Any point serves, but near the surface of the other body it costs more.
            let spread = points.iter().step_by(points.len().div_ceil(16));
            match spread.map(|&point| outer.body.locate(point)).find(|&at| at != Location::Unknown) {
                Some(Location::Inside) => return Location::Inside,
                Some(_) => {}
                None => found = Location::Unknown,
            }
        }
        found
    }

    fn relation(&self) -> PairReport {
        let fits = fit::fits(&self.a, &self.b);
        let report = |relation, is_certain, clearance, depth| PairReport {
            relation,
            within: self.tolerance,
            is_certain,
            clearance,
            depth,
            fits: fits.clone(),
        };
        let reach = self.reach();
        let contact = Contact::new(self, reach);
        let margin = contact.margin().min(reach);
        if margin < -self.tolerance {
            let depth = self.common_depth(&contact, &[], margin);
            if depth > 0.0 {
                return report(Relation::Intersecting, true, Bracket::ZERO, depth);
            }
        }
        let found = Search::new(self).run(Goal::Separation { known: margin });
        let at_least = found.bracket.at_least.max(margin).max(0.0);
        if at_least > self.tolerance {
            return match self.contained() {
                Location::Inside => report(Relation::Inside, true, Bracket::ZERO, 0.0),
                location => {
                    let precise = Search::new(self).run(Goal::Distance).bracket;
                    let at_least = at_least.max(precise.at_least).min(precise.at_most);
                    let clearance = Bracket { at_least, at_most: precise.at_most };
                    report(Relation::Separated, location == Location::Outside, clearance, 0.0)
                }
            };
        }
        let depth = self.common_depth(&contact, &found.meetings, margin);
        if depth > 0.0 {
            return report(Relation::Intersecting, true, Bracket::ZERO, depth);
        }
        let no_crossing = margin >= -self.tolerance || contact.cells_part(self.tolerance);
        let meets = found.bracket.at_most <= self.tolerance;
        let clearance = Bracket { at_least: 0.0, at_most: found.bracket.at_most };
        report(Relation::Touching, no_crossing && meets, clearance, 0.0)
    }

    /// A depth that some point certainly has in both solids; 0 if none was found.
    fn common_depth(&self, contact: &Contact<'_, '_>, meetings: &[search::Meeting], margin: f64) -> f64 {
        if !self.a.body.is_solid() || !self.b.body.is_solid() {
            return 0.0;
        }
        contact.common_depth(meetings, margin)
    }
}
