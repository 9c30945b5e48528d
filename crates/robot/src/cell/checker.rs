//! Configurations: the filter classifies a batch, and the exact engine decides what is unsure.

use super::data::{BodyPair, CellData};
use super::filter::{Batch, PiecePair, Request, Scope, Stop, Unsure, Verdict};
use super::trail::Trail;
use super::{Cell, LANES};
use crate::ConfigurationError;
use glam::DVec3;
use noli::answer::First;
use noli::query::IntersectionsQuery;
use noli::{Overlap, Placed, Pose, QueryContext, Scratch, batch};
use noli_geom::internals::sort_by_key;

/// How a configuration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateStatus {
    /// No pair that is asked about meets, or is closer than its margin.
    Free,
    /// This pair of [`Cell::pairs`] does; others may too.
    Hit(usize),
    /// Nothing that meets was found, but of this pair, which has a field in it, nothing is proven.
    Unknown(usize),
}

/// A pair that meets, or is closer than its margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingPair {
    /// The pair of [`Cell::pairs`].
    pub pair: usize,
    /// Whether that is proven; else nothing is known of this pair, which has a field in it.
    pub proven: bool,
}

/// Queries about a cell, with scratch memory of its own.
#[derive(Debug)]
pub struct Checker<'c> {
    pub(super) cell: &'c Cell,
    // In boxes: kept memory becomes a checker and memory again at each query.
    pub(super) batch: Box<Batch>,
    pub(super) scratch: Box<Scratch>,
    pub(super) trail: Box<Trail>,
    /// Poses of all links in one configuration, and behind how many limbs of each robot they are computed.
    pub(super) links: Vec<Pose>,
    posed: Vec<usize>,
    /// Points of a cloud near a link.
    pub(super) near: Vec<[f32; 3]>,
    /// Configurations asked about so far, and questions put to shapes.
    states: usize,
    questions: u64,
}

/// Memory of a [`Checker`] without its cell, to be kept between queries; see [`Cell::checker_with`].
#[derive(Debug)]
pub struct CheckerMemory {
    /// The number of the cell that it is for.
    cell: u64,
    batch: Box<Batch>,
    scratch: Box<Scratch>,
    trail: Box<Trail>,
    links: Vec<Pose>,
    posed: Vec<usize>,
    near: Vec<[f32; 3]>,
    states: usize,
    questions: u64,
}

/// Configurations that a thread takes at a time.
const SHARE: usize = 64 * LANES;
/// Configurations from which on tables pay.
const MANY: usize = 4000;

impl<'c> Checker<'c> {
    pub(super) fn new(cell: &'c Cell) -> Self {
        Self {
            cell,
            batch: Box::new(cell.filter.batch()),
            scratch: Box::default(),
            trail: Box::default(),
            links: vec![Pose::IDENTITY; cell.data.links],
            posed: vec![0; cell.data.arms.len()],
            near: Vec::new(),
            states: 0,
            questions: 0,
        }
    }

    /// Continues with kept memory; new memory is made if that is of another cell.
    pub(super) fn resumed(cell: &'c Cell, memory: CheckerMemory) -> Self {
        if memory.cell != cell.number {
            return Self::new(cell);
        }
        let CheckerMemory { batch, scratch, trail, links, posed, near, states, questions, .. } = memory;
        Self { cell, batch, scratch, trail, links, posed, near, states, questions }
    }

    /// Ends the checker and returns its memory, for [`Cell::checker_with`].
    pub fn into_memory(self) -> CheckerMemory {
        let Self { cell, batch, scratch, trail, links, posed, near, states, questions } = self;
        CheckerMemory { cell: cell.number, batch, scratch, trail, links, posed, near, states, questions }
    }

    /// The cell.
    pub fn cell(&self) -> &'c Cell {
        self.cell
    }

    /// How many questions about configurations and edges were put to the shapes so far: the others were
    /// decided by spheres and tables.
    pub fn exact_query_count(&self) -> u64 {
        self.questions
    }

    /// Whether anything meets in a configuration, and one pair that does.
    #[doc(alias("checkCollision", "isStateValid", "self-collision", "collide"))]
    pub fn check_state(&mut self, values: &[f64]) -> Result<StateStatus, ConfigurationError> {
        self.cell.check_values(values)?;
        if self.batch.is_open(values) {
            return Ok(self.resolve_lane(values, 0));
        }
        let mut status = [StateStatus::Free];
        self.prepare(1);
        self.classify(values, &mut status);
        Ok(status[0])
    }

    /// Returns the verdict of [`check_state`](Self::check_state) if spheres and the tables there are decide it; `None` if
    /// that takes longer. For callers with a lock, which they release before they call `check_state`: for the same
    /// configuration that goes on where this ended.
    pub fn try_check_state(&mut self, values: &[f64]) -> Result<Option<StateStatus>, ConfigurationError> {
        self.cell.check_values(values)?;
        if self.states == MANY {
            return Ok(None);
        }
        self.states = self.states.saturating_add(1);
        self.run_filter(values, 1, Stop::PerState);
        Ok(match self.batch.verdict(0) {
            Verdict::Separated => Some(StateStatus::Free),
            Verdict::Collision(pair) => Some(StateStatus::Hit(self.part_pair(pair))),
            Verdict::Unsure => {
                self.batch.keep_open(values);
                None
            }
        })
    }

    /// How each of many configurations stands, one after the other in `states`; on this thread.
    ///
    /// Each is answered as [`check_state`](Self::check_state) does, independently of the others.
    pub fn check_states(
        &mut self,
        states: &[f64],
        out: &mut Vec<StateStatus>,
    ) -> Result<(), ConfigurationError> {
        let count = self.cell.data.check_all(states)?;
        self.prepare(count);
        out.clear();
        out.resize(count, StateStatus::Free);
        for (states, out) in self.cell.data.blocks(states, LANES).zip(out.chunks_mut(LANES)) {
            self.classify(states, out);
        }
        Ok(())
    }

    /// Of many configurations, one after the other in `states`, the number of one that is not known to be
    /// free; `None` if all are. It need not be the first of them.
    ///
    /// Quicker than [`check_states`](Self::check_states) where one is enough: spheres inside bodies are tested in
    /// all configurations before shapes are asked, and then those pairs first whose spheres are deepest in each
    /// other.
    pub fn any_in_collision(&mut self, states: &[f64]) -> Result<Option<usize>, ConfigurationError> {
        let count = self.cell.data.check_all(states)?;
        self.prepare(count);
        let size = self.cell.value_count();
        let mut open: Vec<(usize, Unsure, bool)> = Vec::new();
        for (number, states) in self.cell.data.blocks(states, LANES).enumerate() {
            let first = number * LANES;
            self.run_filter(states, LANES.min(count - first), Stop::Anywhere);
            if let Some((lane, _)) = self.batch.first_collision() {
                return Ok(Some(first + lane));
            }
            let batch = &self.batch;
            open.extend(batch.unsure.iter().map(|&open| {
                let lane = usize::from(open.lane);
                (first + lane, open, batch.is_out_of_range(lane))
            }));
        }
        open.sort_unstable_by(|(a, x, _), (b, y, _)| {
            y.depth.total_cmp(&x.depth).then((a, x.pair).cmp(&(b, y.pair)))
        });
        let mut posed = None;
        for (state, Unsure { pair, .. }, far) in open {
            if posed != Some(state) {
                self.forget_poses();
                posed = Some(state);
            }
            let values = &states[state * size..][..size];
            if self.resolve(values, pair, far) != Overlap::Free {
                return Ok(Some(state));
            }
        }
        Ok(None)
    }

    /// All pairs that meet in a configuration, in the order of [`Cell::pairs`].
    #[doc(alias("checkCollision", "contacts"))]
    pub fn colliding_pairs(
        &mut self,
        values: &[f64],
        found: &mut Vec<CollidingPair>,
    ) -> Result<(), ConfigurationError> {
        self.cell.check_values(values)?;
        found.clear();
        self.prepare(1);
        self.run_filter(values, 1, Stop::Never);
        self.forget_poses();
        let colliding = self.batch.colliding.iter();
        found.extend(colliding.map(|&(_, pair)| CollidingPair { pair: self.part_pair(pair), proven: true }));
        let far = self.batch.is_out_of_range(0);
        for k in 0..self.batch.unsure.len() {
            let number = self.batch.unsure[k].pair;
            let pair = self.part_pair(number);
            if found.iter().any(|hit| hit.pair == pair && hit.proven) {
                continue;
            }
            let proven = match self.resolve(values, number, far) {
                Overlap::Free => continue,
                Overlap::Hit => true,
                Overlap::Unknown => false,
            };
            found.retain(|hit| hit.pair != pair);
            found.push(CollidingPair { pair, proven });
        }
        sort_by_key(found, |hit| hit.pair);
        found.dedup_by_key(|hit| hit.pair);
        Ok(())
    }

    /// Whether one pair meets, asked about or not, its margin aside.
    pub fn pair_overlap(&mut self, values: &[f64], pair: usize) -> Result<Overlap, ConfigurationError> {
        self.cell.check_values(values)?;
        self.pose_all(values);
        let mut all = Overlap::Free;
        for pair in self.cell.data.bodies_of(pair, 0.0) {
            let [a, b] = self.placed(&pair);
            match QueryContext::new(&mut self.scratch).overlap(&a, &b) {
                Overlap::Hit if self.is_certain(&pair, 0.0) => return Ok(Overlap::Hit),
                Overlap::Hit | Overlap::Unknown => all = Overlap::Unknown,
                Overlap::Free => {}
            }
        }
        Ok(all)
    }

    /// A point that two parts share in a configuration, rounded; `None` if they share none.
    pub fn meeting_point(
        &mut self,
        values: &[f64],
        pair: usize,
    ) -> Result<Option<DVec3>, ConfigurationError> {
        self.cell.check_values(values)?;
        self.pose_all(values);
        for pair in self.cell.data.bodies_of(pair, 0.0) {
            let [a, b] = self.placed(&pair);
            let mut context = QueryContext::new(&mut self.scratch);
            if context.overlap(&a, &b) != Overlap::Hit {
                continue;
            }
            let mut first = First::default();
            let query = IntersectionsQuery { segments: true, ..IntersectionsQuery::default() };
            let _ = context.intersections(&a, &b, &query, &mut first);
            if let Some(segment) = first.0.and_then(|intersection| intersection.segment) {
                return Ok(Some(segment.start.midpoint(segment.end)));
            }
            if let Some(contact) = context.contact(&a, &b).hit() {
                return Ok(Some(contact.on_a.point));
            }
        }
        Ok(None)
    }

    /// Has tables made once they pay.
    pub(super) fn prepare(&mut self, more: usize) {
        let before = self.states;
        self.states = before.saturating_add(more);
        if before <= MANY && self.states > MANY {
            self.cell.prepare();
        }
    }

    fn run_filter(&mut self, states: &[f64], count: usize, stop: Stop) {
        let tables = self.cell.tables();
        let request = Request { states, count, tables, stop, scope: Scope::States };
        self.cell.filter.classify(&mut self.batch, request);
    }

    /// Up to sixteen configurations, one after the other; each is answered as if it were alone.
    fn classify(&mut self, states: &[f64], out: &mut [StateStatus]) {
        let size = self.cell.data.values;
        self.run_filter(states, out.len(), Stop::PerState);
        for (lane, out) in out.iter_mut().enumerate() {
            *out = match self.batch.verdict(lane) {
                Verdict::Separated => StateStatus::Free,
                Verdict::Collision(pair) => StateStatus::Hit(self.part_pair(pair)),
                Verdict::Unsure => self.resolve_lane(&states[lane * size..][..size], lane),
            };
        }
    }

    /// The pair of parts of a pair of pieces.
    fn part_pair(&self, pair: u32) -> usize {
        self.cell.filter.pairs[pair as usize].pair as usize
    }

    /// Exact queries on the pairs that are unsure in a lane.
    fn resolve_lane(&mut self, values: &[f64], lane: usize) -> StateStatus {
        self.forget_poses();
        let far = self.batch.is_out_of_range(lane);
        let mut unknown = None;
        let mut next = self.batch.first_unsure(lane);
        while let Some(pair) = self.batch.unsure_pair(next, lane) {
            next += 1;
            match self.resolve(values, pair, far) {
                Overlap::Free => {}
                Overlap::Hit => return StateStatus::Hit(self.part_pair(pair)),
                Overlap::Unknown => unknown = unknown.or(Some(pair)),
            }
        }
        unknown.map_or(StateStatus::Free, |pair| StateStatus::Unknown(self.part_pair(pair)))
    }

    /// The exact verdict on a pair that is unsure; with bounding spheres first where the filter used none.
    fn resolve(&mut self, values: &[f64], pair: u32, spheres_first: bool) -> Overlap {
        let pair = &self.cell.filter.pairs[pair as usize];
        self.pose(values, pair);
        if spheres_first && self.spheres_separated(pair) {
            return Overlap::Free;
        }
        self.within_distance(pair, pair.margin)
    }

    /// Another configuration follows.
    pub(super) fn forget_poses(&mut self) {
        self.posed.fill(0);
    }

    /// Poses of the links of two pieces, and of all links before them.
    pub(super) fn pose(&mut self, values: &[f64], pair: &PiecePair) {
        for (arm, limbs) in pair.limbs.into_iter().flatten() {
            let (arm, limbs) = (arm as usize, limbs as usize);
            let known = &mut self.posed[arm];
            let arm = &self.cell.data.arms[arm];
            let poses = &mut self.links[arm.first_link..];
            if *known == 0 {
                poses[arm.robot.root()] = arm.world_from_root;
            }
            if limbs > *known {
                let own = arm.values(values);
                arm.robot.poses_of(*known..limbs, |variable| own[variable as usize], poses);
                *known = limbs;
            }
        }
    }

    /// Poses of all links.
    pub(super) fn pose_all(&mut self, values: &[f64]) {
        self.forget_poses();
        self.cell.data.pose_links(values, &mut self.links);
    }

    /// Both bodies of a pair at the poses of their links.
    pub(super) fn placed(&self, pair: &BodyPair) -> [Placed<'c>; 2] {
        let data: &'c CellData = &self.cell.data;
        pair.bodies.map(|body| data.bodies[body as usize].placed(&self.links))
    }

    /// The bounding spheres of all bodies of two pieces are separated by more than the margin.
    fn spheres_separated(&self, pair: &PiecePair) -> bool {
        let data = &self.cell.data;
        let separated = |two: BodyPair| data.separation(&two, &self.links) > two.margin;
        self.cell.filter.body_pairs(pair, pair.margin).all(separated)
    }

    /// Exact: the shapes of two pieces are closer than a margin, or share a point where it is 0.
    pub(super) fn within_distance(&mut self, pair: &PiecePair, margin: f64) -> Overlap {
        let mut all = Overlap::Free;
        for two in self.cell.filter.body_pairs(pair, margin) {
            match self.cloud_within(&two, margin) {
                Some(true) => return Overlap::Hit,
                Some(false) => continue,
                None => self.questions += 1,
            }
            let [a, b] = self.placed(&two);
            // Inner spheres were tested before.
            let mut context = QueryContext::new(&mut self.scratch).surfaces_only();
            let found =
                if margin > 0.0 { context.within_distance(&a, &b, margin) } else { context.overlap(&a, &b) };
            match found {
                Overlap::Hit if self.is_certain(&two, margin) => return Overlap::Hit,
                Overlap::Hit | Overlap::Unknown => all = Overlap::Unknown,
                Overlap::Free => {}
            }
        }
        all
    }
}

impl Cell {
    /// How each of many configurations stands, one after the other in `states`; on all threads with the
    /// `rayon` feature, with the same answers.
    pub fn check_states(&self, states: &[f64]) -> Result<Vec<StateStatus>, ConfigurationError> {
        let size = self.value_count().max(1);
        if !states.len().is_multiple_of(size) {
            return Err(ConfigurationError::Count { found: states.len() % size, wanted: size });
        }
        if states.len() / size > MANY {
            self.prepare();
        }
        let shares: Vec<&[f64]> = self.data.blocks(states, SHARE).collect();
        let mut answers: Vec<Result<Vec<StateStatus>, ConfigurationError>> =
            vec![Ok(Vec::new()); shares.len()];
        let work = |share: &&[f64], _: &mut QueryContext<'_>| {
            let mut statuses = Vec::new();
            self.checker().check_states(share, &mut statuses).map(|()| statuses)
        };
        if batch(&shares, &mut answers, work).is_err() {
            unreachable!("as many answers as shares");
        }
        let mut all = Vec::with_capacity(states.len() / size);
        for answer in answers {
            all.extend(answer?);
        }
        Ok(all)
    }
}
