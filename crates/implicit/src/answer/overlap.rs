//! Do two functionally defined objects share a point? Best-first subdivision of space.
//!
//! A cell is discarded where intervals or affine forms prove one object absent, or where a *combination*
//! does: at a common point both functions are at most zero, hence every mixture `w·f + (1−w)·g` is. Opposite
//! slopes cancel in the mixture, so near contact cells of about the square root of the distance suffice instead of
//! cells of the size of the distance. `Free` and `Hit` are proofs; anything else is `Unknown`.

use crate::evaluation::affine::Affine;
use crate::search::bounds::eighths;
use crate::search::field::Field;
use crate::search::frame::{Part, Seen};
use crate::search::question::{FieldOverlap, FieldQuery, FieldVerdict, PlacedField};
use glam::DVec3;
use noli_geom::internals::{Least, Ranked};
use noli_geom::number::round;
use noli_geom::{Aabb, Pose, RelativePose};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

/// Tests if two objects share a point; touching counts. Proven either way, or `Unknown`.
///
/// ```
/// use noli_geom::Pose;
/// use noli_implicit::{Field, FieldVerdict, field_overlap};
/// let sphere = Field::parse("x^2 + y^2 + z^2 <= 1")?;
/// let ring = Field::parse("(sqrt(x^2 + y^2) - 3)^2 + z^2 <= 0.25")?;
/// let shifted = |x| Pose::from_translation(glam::dvec3(x, 0.0, 0.0));
/// let meet = |x| field_overlap(&ring.at(Pose::IDENTITY), &sphere.at(shifted(x)), &Default::default()).verdict;
/// assert_eq!(meet(0.0), FieldVerdict::Free); // in the hole
/// assert_eq!(meet(1.5 - 1e-9), FieldVerdict::Free);
/// assert!(matches!(meet(1.5 + 1e-9), FieldVerdict::Hit { .. }));
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
pub fn field_overlap(a: &PlacedField<'_>, b: &PlacedField<'_>, query: &FieldQuery<'_>) -> FieldOverlap {
    let unknown = |within| FieldOverlap { verdict: FieldVerdict::Unknown { within }, cells: 0 };
    let (pose_a, pose_b) = (a.world_from_field, b.world_from_field);
    if !pose_a.is_valid() || !pose_b.is_valid() {
        return unknown(a.field.bounds());
    }
    let a_from_b = RelativePose::new(&pose_a, &pose_b);
    let mut sides = [
        Seen::new(a.field, &RelativePose::identity()).deep(query.depth),
        Seen::new(b.field, &a_from_b.inverse()).deep(query.depth),
    ];
    let (bounds_a, bounds_b) = (a.field.bounds(), sides[1].bounds_in(&a_from_b));
    let start = bounds_a.intersection(bounds_b);
    Search::new(&mut sides, start, query).run()
}

impl Field {
    /// Returns `true` if the object contains no point: proven either way, or `None`. Objects without thickness
    /// may stay undecided.
    ///
    /// ```
    /// use noli_implicit::Field;
    /// let is_empty = |formula| Field::parse(formula).map(|field| field.is_empty(&Default::default()));
    /// assert_eq!(is_empty("x^2 + y^2 + z^2 + 1 <= 0")?, Some(true));
    /// assert_eq!(is_empty("x^2 + y^2 + z^2 <= 1")?, Some(false));
    /// # Ok::<(), noli_implicit::FormulaError>(())
    /// ```
    pub fn is_empty(&self, query: &FieldQuery<'_>) -> Option<bool> {
        if self.bounds().is_empty() {
            return Some(true);
        }
        let here = self.at(Pose::IDENTITY);
        match field_overlap(&here, &here, query).verdict {
            FieldVerdict::Free => Some(true),
            FieldVerdict::Hit { .. } => Some(false),
            FieldVerdict::Unknown { .. } => None,
        }
    }
}

/// More undecided cells than this will not turn into an answer.
const MOST_PENDING: usize = 512;
/// Once a cell was given up, one cell of so many is still chosen by its promise.
const TURNS: u64 = 32;

struct Candidate {
    /// In the order of discovery.
    number: u64,
    cell: Aabb,
    parts: [Part; 2],
    /// `true` once it has been taken, from either list.
    taken: Cell<bool>,
}

/// An open cell by its promise and age.
type Open = Ranked<(Least, Reverse<u64>), Rc<Candidate>>;

/// Open cells by the larger of both values at the best point known, lower being closer to a hit; ties go to
/// the one found first.
fn ranked(key: f64, candidate: Rc<Candidate>) -> Open {
    Ranked { rank: (Least(key), Reverse(candidate.number)), item: candidate }
}

struct Search<'s, 'a> {
    sides: &'s mut [Seen<'a>; 2],
    query: &'s FieldQuery<'s>,
    smallest: f64,
    /// Open cells by promise.
    heap: BinaryHeap<Open>,
    /// The same by age, so the largest first; filled once a cell was given up.
    queue: VecDeque<Rc<Candidate>>,
    turn: u64,
    pending: Vec<Aabb>,
    cells: u64,
}

/// Classification of a cell.
enum Look {
    Empty,
    Hit(DVec3),
    /// Nothing is proven; the larger value at the best point.
    Open(f64),
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(sides: &'s mut [Seen<'a>; 2], start: Aabb, query: &'s FieldQuery<'s>) -> Self {
        let smallest = query.resolution * start.size().max_element();
        let mut heap = BinaryHeap::new();
        if !start.is_empty() {
            let parts = [sides[0].whole(), sides[1].whole()];
            let whole = Candidate { number: 0, cell: start, parts, taken: Cell::new(false) };
            heap.push(ranked(0.0, Rc::new(whole)));
        }
        let (queue, pending) = (VecDeque::new(), Vec::new());
        Self { sides, query, smallest, heap, queue, turn: 0, pending, cells: 0 }
    }

    fn run(mut self) -> FieldOverlap {
        while let Some(candidate) = self.next() {
            if self.query.is_over(self.cells) || self.pending.len() > MOST_PENDING {
                self.pending.push(candidate.cell);
                break;
            }
            if let Some(point) = self.divide(&candidate) {
                return FieldOverlap { verdict: FieldVerdict::Hit { point }, cells: self.cells };
            }
        }
        let open = self.heap.iter().map(|open| &open.item).filter(|candidate| !candidate.taken.get());
        let open = open.map(|candidate| candidate.cell).chain(self.pending.iter().copied());
        let within = open.fold(Aabb::EMPTY, Aabb::union);
        let verdict = if within.is_empty() { FieldVerdict::Free } else { FieldVerdict::Unknown { within } };
        FieldOverlap { verdict, cells: self.cells }
    }

    /// The most promising cell; once one was given up, mostly the largest, for what leads nowhere there may
    /// do so all along a surface.
    fn next(&mut self) -> Option<Rc<Candidate>> {
        loop {
            self.turn += 1;
            let by_age = !self.pending.is_empty() && !self.turn.is_multiple_of(TURNS);
            let next = if by_age { self.queue.pop_front() } else { self.heap.pop().map(|top| top.item) }?;
            if !next.taken.replace(true) {
                return Some(next);
            }
        }
    }

    fn keep_open(&mut self, key: f64, candidate: Candidate) {
        let candidate = Rc::new(candidate);
        if !self.pending.is_empty() {
            self.queue.push_back(candidate.clone());
        }
        self.heap.push(ranked(key, candidate));
    }

    fn give_up(&mut self, cell: Aabb) {
        if self.pending.is_empty() {
            let mut all: Vec<_> = self.heap.iter().map(|open| open.item.clone()).collect();
            all.sort_by_key(|candidate| candidate.number);
            self.queue = all.into();
        }
        self.pending.push(cell);
    }

    /// Tests the eight parts of a cell and keeps those that stay open; returns a common point if one is found.
    fn divide(&mut self, candidate: &Candidate) -> Option<DVec3> {
        let children = eighths(&candidate.cell);
        self.cells += children.len() as u64;
        let mut live = !self.sides[0].empty_cells(&candidate.parts[0], &children);
        if live != 0 {
            live &= !self.sides[1].empty_cells(&candidate.parts[1], &children);
        }
        if live == 0 {
            return None;
        }
        let parts = [0, 1].map(|side| self.sides[side].shortened(&candidate.parts[side], live));
        for (_, cell) in children.iter().enumerate().filter(|(k, _)| live >> k & 1 == 1) {
            match self.look(&parts, cell) {
                Look::Empty => {}
                Look::Hit(point) => return Some(point),
                Look::Open(_) if !self.can_divide(cell) => self.give_up(*cell),
                Look::Open(key) => {
                    let number = self.cells + self.heap.len() as u64;
                    let parts = parts.clone();
                    self.keep_open(key, Candidate { number, cell: *cell, parts, taken: Cell::new(false) });
                }
            }
        }
        None
    }

    fn can_divide(&self, cell: &Aabb) -> bool {
        let size = cell.size().max_element();
        let ulp = round::off(cell.min.abs().max(cell.max.abs()).max_element(), 2);
        size > self.smallest && size > 8.0 * ulp
    }

    fn look(&mut self, parts: &[Part; 2], cell: &Aabb) -> Look {
        let f = self.sides[0].affine(&parts[0], cell);
        if f.range.lo() > 0.0 {
            return Look::Empty;
        }
        let g = self.sides[1].affine(&parts[1], cell);
        if g.range.lo() > 0.0 || (self.query.combine && mixture_is_positive(&f, &g)) {
            return Look::Empty;
        }
        let mut best = f64::INFINITY;
        for point in likely_points(cell, &f, &g) {
            let [at_a, at_b] = [0, 1].map(|side| self.sides[side].value(&parts[side], point));
            let value = at_a.max(at_b);
            if value <= 0.0 && self.sides.iter_mut().all(|side| side.certainly_holds(point)) {
                return Look::Hit(point);
            }
            // NaN must not lead.
            best = if value < best { value } else { best };
        }
        self.skin_point(parts, cell).map_or(Look::Open(best), Look::Hit)
    }

    /// A point near which a skin of one object is within the other.
    fn skin_point(&mut self, parts: &[Part; 2], cell: &Aabb) -> Option<DVec3> {
        [0, 1].into_iter().find_map(|side| {
            let ends = self.sides[side].skin_between(&parts[side], cell)?;
            self.sides[1 - side].certainly_holds_between(ends).then(|| ends[0].midpoint(ends[1]))
        })
    }
}

/// The point where the lines through both functions are equal, in the direction in which they approach each
/// other fastest; the point whose coordinates are the shortest numbers, so that exact contact can be proven
/// there; the middle of the cell.
fn likely_points(cell: &Aabb, f: &Affine, g: &Affine) -> [DVec3; 3] {
    let center = cell.center();
    let half = 0.5 * cell.size();
    let slope = |form: &Affine, k: usize| if half[k] > 0.0 { form.slopes[k] / half[k] } else { 0.0 };
    let separated = DVec3::from_array([0, 1, 2].map(|k| slope(f, k) - slope(g, k)));
    let step = (g.center - f.center) / separated.length_squared();
    let balanced = center + separated * step;
    // Not a number where the slopes are equal.
    let balanced = if balanced.is_finite() { balanced.clamp(cell.min, cell.max) } else { center };
    let short = DVec3::from_array([0, 1, 2].map(|k| shortest(cell.min[k], cell.max[k])));
    [balanced, short, center]
}

/// The number between two others with the fewest binary digits.
fn shortest(lo: f64, hi: f64) -> f64 {
    if lo <= 0.0 && hi >= 0.0 {
        return 0.0;
    }
    // The power of two alone: all bits of the fraction cleared.
    let mut unit = f64::from_bits(lo.abs().max(hi.abs()).to_bits() & 0x7ff0_0000_0000_0000);
    // Each halving adds a digit, of which there are 53.
    for _ in 0..54 {
        let multiple = (lo / unit).ceil() * unit;
        if multiple <= hi {
            return multiple;
        }
        unit *= 0.5;
    }
    lo
}

/// Returns `true` if some mixture of both functions is positive on the whole cell.
///
/// The least value of the mixture's line is concave and piecewise linear in the weight. Its vertices are
/// where a slope of the mixture vanishes, so the best weight is one of three.
pub(crate) fn mixture_is_positive(f: &Affine, g: &Affine) -> bool {
    (0..3).any(|k| {
        let weight = g.slopes[k] / (g.slopes[k] - f.slopes[k]);
        if !(weight > 0.0 && weight < 1.0) {
            return false;
        }
        let other = 1.0 - weight;
        let (f_center, g_center) = (weight * f.center, other * g.center);
        let mut down = weight * f.error + other * g.error;
        let mut terms = f_center.abs() + g_center.abs();
        for j in 0..3 {
            let (p, q) = (weight * f.slopes[j], other * g.slopes[j]);
            down += (p + q).abs();
            terms += p.abs() + q.abs();
        }
        // `other` differs from 1 − weight by a rounding, and so does every product and sum.
        let rounding = round::off(terms + down, 32) + f64::MIN_POSITIVE;
        f_center + g_center > down + rounding
    })
}
