//! The clearance of two convex cores (Gilbert, Johnson & Keerthi 1988), as a proven bracket.
//!
//! Differs from the paper: the search itself may err; what is returned is what support functions prove at its end. It
//! always ends: every step must bring the nearest point strictly nearer, or it is the last.

use super::bodies::{Bodies, Vertex};
use super::bound::{Best, CoreDistance, Goal};
use super::simplex::{Nearest, Simplex};
use super::{depth, refine};
use crate::simd::{Portable, Simd, Task};
use glam::DVec3;

/// End of the last search of the same two bodies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchEnd {
    /// The points of `B − A` that the search ended with; none before the first.
    pub(crate) simplex: Simplex,
    /// The direction that parted the bodies; zero where none did.
    parting: DVec3,
    /// The bodies it is about; none have the number 0.
    pair: [u64; 2],
    steps: u32,
}

impl SearchEnd {
    /// Forget what is about other bodies.
    pub(crate) fn about(&mut self, pair: [u64; 2]) -> &mut Self {
        if self.pair != pair {
            self.simplex.count = 0;
            (self.parting, self.pair, self.steps) = (DVec3::ZERO, pair, 0);
        }
        self
    }

    /// Returns the number of support points evaluated in the last search.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }
}

/// Sines of the angles between the directions that a search starts afresh from.
const SPREADS: [f64; 7] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

/// No search takes longer: curved bodies approach their answer in ever smaller steps.
const STEPS: u32 = 200;

/// The clearance of the cores.
pub(crate) fn core_distance(bodies: &Bodies<'_>, goal: &Goal, hint: &mut SearchEnd) -> CoreDistance {
    bodies.simd.run(Search { bodies, goal, hint })
}

/// The search from where the last ended, until nothing gets nearer.
struct Search<'s, 'a> {
    bodies: &'s Bodies<'a>,
    goal: &'s Goal,
    hint: &'s mut SearchEnd,
}

impl Task for Search<'_, '_> {
    type Output = CoreDistance;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> CoreDistance {
        let Self { bodies, goal, hint } = self;
        let (parting, mut best) = (hint.parting, Best::NONE);
        if parting != DVec3::ZERO && goal.separated < f64::INFINITY {
            let Vertex { w, a, .. } = best.look(bodies.support_with(s, parting), parting, bodies);
            if best.at_least > goal.separated {
                hint.steps = 1;
                return CoreDistance {
                    at_least: best.at_least,
                    at_most: bodies.at_most(w),
                    witness: [a, a + w],
                    direction: parting,
                    overlaps: false,
                };
            }
        }
        let simplex = &mut hint.simplex;
        simplex.follow(bodies);
        if simplex.surely_holds_origin(bodies.coordinate_error) {
            (hint.steps, hint.parting) = (0, DVec3::ZERO);
            return CoreDistance::overlap(simplex, simplex.vertices[3].w);
        }
        let mut found = Found::start(bodies, simplex, best, s);
        found.search(bodies, goal, s);
        if !bodies.is_polyhedral() && found.is_open(bodies, goal) {
            found.search_round(bodies, goal);
        }
        hint.steps = found.steps;
        let clearance = found.finish(bodies, goal);
        hint.parting = if clearance.at_least > 0.0 { clearance.direction } else { DVec3::ZERO };
        clearance
    }
}

/// Progress of a search.
struct Found<'h> {
    simplex: &'h mut Simplex,
    nearest: Nearest,
    best: Best,
    holds_origin: bool,
    steps: u32,
}

impl Found<'_> {
    /// Go on until the goal is reached or nothing gets nearer.
    #[inline(always)]
    fn search<S: Simd>(&mut self, bodies: &Bodies<'_>, goal: &Goal, s: S) {
        if self.best.at_least > goal.separated {
            return;
        }
        let close = goal.tolerance + bodies.height_error + bodies.point_error;
        while self.steps < STEPS {
            self.steps += 1;
            let v_sq = self.nearest.v.length_squared();
            let d = self.nearest.direction;
            let vertex = self.best.look(bodies.support_with(s, d), d, bodies);
            let (v, at_least) = (v_sq.sqrt(), self.best.at_least);
            let done =
                at_least > goal.separated || v - at_least <= close || v + bodies.point_error <= goal.near;
            if done || self.simplex.holds(&vertex) {
                return;
            }
            self.simplex.push(vertex);
            let Some(part) = self.simplex.nearest() else {
                // A sliver may seem to hold the origin of bodies that are proven apart.
                self.holds_origin = at_least <= 0.0;
                self.simplex.count -= usize::from(!self.holds_origin);
                return;
            };
            let nearer = part.nearest.v.length_squared() < v_sq;
            if !nearer {
                self.simplex.count -= 1;
                return;
            }
            self.simplex.keep(&part);
            self.nearest = part.nearest;
        }
    }

    /// Returns `true` if the bracket is wider than rounding explains, and leaves the goal open.
    fn is_open(&self, bodies: &Bodies<'_>, goal: &Goal) -> bool {
        let (at_least, at_most) = (self.best.at_least.max(0.0), self.nearest.v.length());
        let wide = at_most - at_least > goal.tolerance + 4.0 * (bodies.height_error + bodies.point_error);
        wide && !self.holds_origin && at_least <= goal.separated && at_most + bodies.point_error > goal.near
    }

    /// Tries the remaining methods for round bodies.
    #[cold]
    fn search_round(&mut self, bodies: &Bodies<'_>, goal: &Goal) {
        self.search_afresh(bodies, goal, &SPREADS);
        self.turn_about_edge(bodies, goal);
        self.search_afresh(bodies, goal, &SPREADS[4..]);
    }

    /// On round bodies support points crowd together until their simplex is a sliver and nothing gets nearer. Start again from
    /// well-spread ones about the best direction, ever closer to it.
    fn search_afresh(&mut self, bodies: &Bodies<'_>, goal: &Goal, spreads: &[f64]) {
        for &spread in spreads {
            if !self.is_open(bodies, goal) {
                return;
            }
            let Some(d) = self.best.direction.try_normalize() else { return };
            let (e, f) = d.any_orthonormal_pair();
            let around = |x: f64, y: f64| bodies.support(d + (e * x + f * y) * spread);
            let mut simplex = Simplex::new(around(1.0, 0.0));
            simplex.push(around(-0.5, 0.75f64.sqrt()));
            simplex.push(around(-0.5, -(0.75f64.sqrt())));
            let Some(nearest) = simplex.reduce() else { continue };
            let mut other =
                Found { simplex: &mut simplex, nearest, best: self.best, holds_origin: false, steps: 0 };
            other.search(bodies, goal, Portable);
            self.best = other.best;
            self.steps += other.steps;
            if other.holds_origin || other.nearest.v.length_squared() < self.nearest.v.length_squared() {
                (self.nearest, self.holds_origin) = (other.nearest, other.holds_origin);
                *self.simplex = simplex;
            }
        }
    }
}

impl Found<'_> {
    /// Searches the direction around an edge. If a round body almost touches an edge, the nearest points are too
    /// close to define the direction. It is perpendicular to the edge; bisection finds the best one, as the bound
    /// falls on either side of it.
    fn turn_about_edge(&mut self, bodies: &Bodies<'_>, goal: &Goal) {
        let first = self.simplex.vertices[0].w;
        let edges = self.simplex.vertices().iter().map(|vertex| vertex.w - first);
        let longest = edges.max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()));
        let axis = longest.and_then(DVec3::try_normalize);
        let (Some(axis), Some(from)) = (axis, self.best.direction.try_normalize()) else { return };
        let across = axis.cross(from);
        let (mut low, mut high) = (-WIDEST_TURN, WIDEST_TURN);
        for _ in 0..HALVINGS {
            if !self.is_open(bodies, goal) {
                return;
            }
            let turn = 0.5 * (low + high);
            let d = from + across * turn;
            let d = d - axis * axis.dot(d);
            let vertex = self.best.look(bodies.support(d), d, bodies);
            self.steps += 1;
            if vertex.w.dot(across - from * turn) > 0.0 { low = turn } else { high = turn }
        }
    }
}

/// Tangents of the angles that are tried, and how often they are halved: to far below the square root of rounding.
const WIDEST_TURN: f64 = 0.1;
const HALVINGS: u32 = 40;

impl<'h> Found<'h> {
    fn new(simplex: &'h mut Simplex, nearest: Nearest, best: Best) -> Self {
        Self { simplex, nearest, best, holds_origin: false, steps: 0 }
    }

    /// From the points that the last search ended with, or else from a good guess.
    #[inline(always)]
    fn start<S: Simd>(bodies: &Bodies<'_>, simplex: &'h mut Simplex, mut best: Best, s: S) -> Self {
        if simplex.count > 0
            && let Some(nearest) = simplex.reduce()
            && nearest.direction.length_squared() > 0.0
        {
            return Self::new(simplex, nearest, best);
        }
        let toward = bodies.first_direction();
        let vertex = best.look(bodies.support_with(s, toward), toward, bodies);
        simplex.restart(vertex);
        let v = vertex.w;
        Self::new(simplex, Nearest { v, direction: if v == DVec3::ZERO { toward } else { v } }, best)
    }

    #[inline(always)]
    fn finish(self, bodies: &Bodies<'_>, goal: &Goal) -> CoreDistance {
        let Found { simplex, nearest, best, holds_origin, .. } = self;
        let direction = if best.direction == DVec3::ZERO { nearest.direction } else { best.direction };
        let error = bodies.height_error + bodies.point_error;
        let near = holds_origin || goal.near <= 0.0 && nearest.v.length() <= 4.0 * error;
        let overlaps = holds_origin && simplex.surely_holds_origin(bodies.coordinate_error)
            || near && best.at_least <= 0.0 && depth::surely_overlap(bodies, simplex);
        if overlaps {
            return CoreDistance::overlap(simplex, direction);
        }
        // Only the mixture found before the newest vertex is sure to be one.
        simplex.count -= usize::from(holds_origin);
        let v = nearest.v;
        let on_a = simplex.mix(|vertex| vertex.a);
        let clearance = CoreDistance {
            at_least: best.at_least.max(0.0),
            at_most: bodies.at_most(v),
            witness: [on_a, on_a + v],
            direction,
            overlaps,
        };
        let wide = clearance.at_most - clearance.at_least > goal.tolerance + 4.0 * error;
        let decided = clearance.at_least > goal.separated || clearance.at_most <= goal.near;
        if wide && !decided && bodies.is_polyhedral() {
            return refine::refined(bodies, goal, clearance, simplex);
        }
        clearance
    }
}
