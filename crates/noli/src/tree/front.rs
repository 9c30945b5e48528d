//! Coherence of queries on two trees that move little from one query to the next.
//!
//! A front is where the last search ended: the pairs of nodes and leaves that were not opened further, each with a
//! proven lower bound on its distance (Li & Chen 1998; Ehmann & Lin 2001). If one body moves by at most `m` relative to
//! the other, every bound falls by at most `m`. So a bound is kept as a mark on the path: its distance plus the length
//! of the path so far. Marks do not change when the bodies move, and a heap returns only those pairs whose bound has
//! been used up, as Lin's (1993) heap of wake-up times does for pairs of bodies.

use super::walk::{Block, Ended, Meter, NodeTest};
use glam::{DMat3, DVec3};
use noli_geom::{RelativePose, Sphere};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// Visitor of the leaf pairs of a front.
pub(crate) trait Near {
    /// Pairs at this distance or beyond do not matter.
    fn limit(&self) -> f64;
    /// Tests a pair of leaves and returns a lower bound on its distance, at most `limit() + ahead`.
    fn leaves(&mut self, a: u32, b: u32, ahead: f64, meter: &mut Meter<'_>) -> ControlFlow<Ended, f64>;
}

/// A pair of nodes or leaves.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Length of the path at which its children that are not on the front may be at distance 0.
    mark: f64,
    a: u32,
    b: u32,
    /// Child pairs that are on the front themselves.
    opened: u16,
}

impl Open {
    const ROOTS: Self = Self { mark: f64::NEG_INFINITY, a: 0, b: 0, opened: 0 };
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The smallest mark is the greatest: it leaves the heap first.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.mark.total_cmp(&self.mark)
    }
}

/// Position of B relative to A at the last query, and the sphere whose motion bounds that of all points of B.
#[derive(Clone, Copy, Debug)]
struct Place {
    rotation: DMat3,
    /// Image of the centre of the sphere.
    center: DVec3,
    /// Bound on the distance of the image of any point from its exact image.
    error: f64,
}

impl Place {
    fn new(a_from_b: &RelativePose, sphere: &Sphere) -> Self {
        let error = a_from_b.point_error(sphere.center.abs().max_element() + sphere.radius);
        // Of three coordinates. The norm of a rounded rotation differs from that of the exact one by far less than 1e-13.
        let error = 1.7321 * error + 1e-13 * sphere.radius;
        Self { rotation: a_from_b.rotation, center: a_from_b.transform_point(sphere.center), error }
    }

    /// Bound on the distance between the images of any point of the sphere.
    fn step_to(&self, next: &Self, radius: f64) -> f64 {
        let turn = next.rotation - self.rotation;
        let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis].map(DVec3::length_squared);
        // The difference of two rotations by an angle t has the norm 2 sin(t/2), and the Frobenius norm is √2 times it.
        let turned = (0.5 * (x + y + z)).sqrt();
        (next.center.distance(self.center) + radius * turned) * (1.0 + 1e-9) + self.error + next.error
    }
}

/// Steps of queries with a front and without. Where bodies move far, or lie close along large faces, a front is no
/// gain, and searches start from the roots for a while.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Means; `None` before the first.
    with: Option<f64>,
    without: Option<f64>,
    /// Queries until a front is tried again, and how many after the next failure.
    rest: u32,
    pause: u32,
}

impl Cost {
    /// Share of a mean that the last query has.
    const SHARE: f64 = 1.0 / 8.0;
    /// A step of a front costs more than one of a walk: its leaves are measured, and it is kept.
    const OF_STEP: f64 = 3.0;
    /// Queries without a front after a failure: at first, and at most.
    const PAUSES: [u32; 2] = [128, 4096];

    /// Returns `true` if the next query has a front.
    fn is_worth(&mut self) -> bool {
        self.rest = self.rest.saturating_sub(1);
        self.rest == 0
    }

    fn took(&mut self, steps: f64, is_with: bool) {
        let mean = if is_with { &mut self.with } else { &mut self.without };
        *mean = Some(mean.map_or(steps, |mean| mean + (steps - mean) * Self::SHARE));
        let (Some(with), Some(without)) = (self.with, self.without) else { return };
        if is_with && Self::OF_STEP * with > without {
            self.give_up();
        } else if 2.0 * Self::OF_STEP * with < without {
            self.pause = 0;
        }
    }

    /// Has no front for a while.
    fn give_up(&mut self) {
        self.pause = (2 * self.pause).clamp(Self::PAUSES[0], Self::PAUSES[1]);
        (self.rest, self.with) = (self.pause, None);
    }
}

/// The front of two bodies.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// Numbers of the bodies.
    pair: [u64; 2],
    place: Place,
    /// Length of the path so far, an upper bound.
    travelled: f64,
    is_near: bool,
    is_known: bool,
    /// `true` if the search of this query began at the roots.
    is_new: bool,
    /// `true` if no query has gone on from it yet.
    is_unused: bool,
    cost: Cost,
    /// Last step on it.
    step: f64,
    heap: BinaryHeap<Open>,
    /// Size of the heap when the front was new.
    fresh: usize,
    /// Pairs to be tested in this query.
    stack: Vec<Open>,
    /// Leaves that were tested in this query.
    tested: Vec<Open>,
    /// Proven distance of the surfaces at the last query; `None` if they may have shared a point or one body may have
    /// been inside the other.
    pub(crate) separated_by: Option<f64>,
}

/// Steps by which a pair must exceed the limit to be kept with its parent.
const AHEAD: f64 = 4.0;
/// Largest step, as a share of the radius: beyond it a new search is as good.
const LARGEST_STEP: f64 = 0.05;
/// A path of this many radii starts a new front: marks then still have more digits than bounds.
const LONGEST: f64 = 1e3;

impl Front {
    /// Starts at a pose.
    pub(crate) fn new(pair: [u64; 2], a_from_b: &RelativePose, sphere: &Sphere) -> Self {
        Self {
            pair,
            place: Place::new(a_from_b, sphere),
            travelled: 0.0,
            is_near: false,
            is_known: false,
            is_new: false,
            is_unused: false,
            cost: Cost::default(),
            step: 0.0,
            heap: BinaryHeap::new(),
            fresh: 0,
            stack: Vec::new(),
            tested: Vec::new(),
            separated_by: None,
        }
    }

    /// Returns `true` if the bodies are separated by more than a margin: their distance exceeded the motion since.
    pub(crate) fn is_beyond(&self, margin: f64) -> bool {
        self.separated_by.is_some_and(|distance| distance > margin)
    }

    /// Returns `true` if the last query was about the same bodies at a pose nearby.
    pub(crate) fn is_near(&self) -> bool {
        self.is_near
    }

    /// Returns `true` if the last query was about the same bodies at a pose nearby, and a front is worth keeping.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Moves on to the next query.
    pub(crate) fn advance(&mut self, pair: [u64; 2], a_from_b: &RelativePose, sphere: &Sphere) {
        let place = Place::new(a_from_b, sphere);
        let step = self.place.step_to(&place, sphere.radius);
        let is_near = self.pair == pair && step <= LARGEST_STEP * sphere.radius;
        (self.pair, self.place, self.step) = (pair, place, step);
        self.travelled = (self.travelled + step).next_up();
        self.separated_by = self
            .separated_by
            .map(|distance| (distance - step).next_down())
            .filter(|&distance| is_near && distance > 0.0);
        let is_worn = self.heap.len() > 2 * self.fresh + 64 || self.travelled > LONGEST * sphere.radius;
        // Such as two queries at each of many poses that have nothing to do with each other.
        if !is_near && std::mem::take(&mut self.is_unused) {
            self.cost.give_up();
        }
        self.is_near = is_near;
        self.is_known = is_near && self.cost.is_worth();
        if !self.is_known || is_worn {
            self.heap.clear();
            self.travelled = 0.0;
        }
    }

    /// Takes note of the steps of this query. The first search of a front is not counted: it is made once.
    pub(crate) fn took(&mut self, steps: u64) {
        if std::mem::take(&mut self.is_new) {
            self.is_unused = true;
            return;
        }
        self.is_unused &= !self.is_known;
        self.cost.took(steps as f64, self.is_known);
    }

    /// Lower bound on the distance of all pairs.
    pub(crate) fn at_least(&self) -> f64 {
        self.heap.peek().map_or(f64::NEG_INFINITY, |open| (open.mark - self.travelled).next_down())
    }

    /// Visits all pairs that may be closer than the visitor's limit. `unit` is the length of keys.
    #[inline(always)]
    pub(crate) fn search<P: NodeTest, V: Near>(
        &mut self,
        test: &P,
        unit: f64,
        visit: &mut V,
        meter: &mut Meter<'_>,
    ) -> Ended {
        let is_new = self.heap.is_empty();
        if is_new {
            self.is_new = true;
            self.stack.push(Open::ROOTS);
        }
        let ended = self.visit_all(test, unit, visit, meter);
        // What was not tested is tested next time.
        let untested = self.stack.drain(..).map(|open| Open { mark: f64::NEG_INFINITY, ..open });
        self.heap.extend(untested.chain(self.tested.drain(..)));
        if is_new {
            self.fresh = self.heap.len();
        }
        ended
    }

    #[inline(always)]
    fn visit_all<P: NodeTest, V: Near>(
        &mut self,
        test: &P,
        unit: f64,
        visit: &mut V,
        meter: &mut Meter<'_>,
    ) -> Ended {
        let mut block = Block::EMPTY;
        let now = self.travelled;
        let mark = |distance: f64| (now + distance).next_down();
        while let Some(open) = self.stack.pop().or_else(|| self.take((now + visit.limit()).next_up())) {
            if !meter.step() {
                self.stack.push(open);
                return Ended::OutOfBudget;
            }
            let limit = visit.limit();
            // By more than the rounding of marks: what is put back is not taken again.
            let ahead = AHEAD * self.step + 16.0 * f64::EPSILON * (now + limit);
            if test.is_leaf(open.a, open.b) == (true, true) {
                match visit.leaves(open.a, open.b, ahead, meter) {
                    ControlFlow::Continue(bound) => self.tested.push(Open { mark: mark(bound), ..open }),
                    ControlFlow::Break(ended) => {
                        self.stack.push(open);
                        return ended;
                    }
                }
                continue;
            }
            test.expand(open.a, open.b, f32::INFINITY, &mut block);
            let (mut opened, mut least) = (open.opened, f64::INFINITY);
            let mut mask = block.mask & !opened;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let distance = f64::from(block.key[lane]).sqrt() * unit;
                if distance > limit + ahead {
                    least = least.min(distance);
                    continue;
                }
                opened |= 1 << lane;
                let child =
                    Open { mark: mark(distance), a: block.a[lane / 4], b: block.b[lane % 4], opened: 0 };
                if distance <= limit { self.stack.push(child) } else { self.heap.push(child) }
            }
            if least < f64::INFINITY {
                self.heap.push(Open { mark: mark(least), opened, ..open });
            }
        }
        Ended::Exhausted
    }

    /// The pair with the smallest mark, if that is below a limit.
    #[inline(always)]
    fn take(&mut self, below: f64) -> Option<Open> {
        if self.heap.peek()?.mark < below { self.heap.pop() } else { None }
    }
}
