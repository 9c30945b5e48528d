//! Questions about configurations.

use super::block::{Block, Told};
use super::edge::Trail;
use super::sketch::{Duo, Look, Memory, Sketch};
use super::{BodyPair, Cell};
use crate::ConfigurationError;
use crate::kinematics::LANES;
use crate::tree::Movement;
use glam::DVec3;
use noli::answer::{Bracket, First, Witness};
use noli::internals::{Instructions, dispatch};
use noli::query::{ClearanceQuery, CrossingsQuery};
use noli::{Ask, Overlap, Placed, Pose, Scratch, batch};

/// How a configuration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No pair that is asked about meets, or is closer than its margin.
    Free,
    /// This pair of [`Cell::pairs`] does; others may too.
    Hit(usize),
    /// Nothing that meets was found, but of this pair, which has a field in it, nothing is proven.
    Unknown(usize),
}

/// A pair that meets, or is closer than its margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meets {
    /// The pair of [`Cell::pairs`].
    pub pair: usize,
    /// Whether that is proven; else nothing is known of this pair, which has a field in it.
    pub proven: bool,
}

/// How close parts come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The smallest gap of all pairs asked about: 0 where one meets, infinite if none is asked about. Margins
    /// are not taken off.
    pub gap: Bracket,
    /// The pair that is that close; `None` if none is asked about.
    pub pair: Option<usize>,
    /// Its nearest points; `None` where it meets.
    pub witness: Option<Witness>,
}

/// Somebody who asks about a cell, with memory of its own.
#[derive(Debug)]
pub struct Checker<'c> {
    pub(super) cell: &'c Cell,
    pub(super) block: Block,
    pub(super) scratch: Scratch,
    todo: Vec<(u8, u32)>,
    pub(super) sketched: Option<Memory>,
    pub(super) trail: Trail,
    /// Poses of all links in each lane, and behind how many limbs of each robot they are known.
    poses: Vec<Pose>,
    posed: Vec<usize>,
    /// Configurations asked about so far, and questions put to shapes.
    states: usize,
    questions: u64,
}

impl<'c> Checker<'c> {
    pub(super) fn new(cell: &'c Cell) -> Self {
        Self {
            cell,
            block: Block::new(cell),
            scratch: Scratch::default(),
            todo: Vec::new(),
            sketched: cell.sketch.as_ref().map(Sketch::memory),
            trail: Trail::default(),
            poses: vec![Pose::IDENTITY; LANES * cell.links],
            posed: vec![0; LANES * cell.arms.len()],
            states: 0,
            questions: 0,
        }
    }

    /// The cell.
    pub fn cell(&self) -> &'c Cell {
        self.cell
    }

    /// How many questions about configurations and edges were put to the shapes so far: the others were
    /// decided by balls and tables.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Whether anything meets in a configuration, and one pair that does.
    pub fn first_hit(&mut self, values: &[f64]) -> Result<Standing, ConfigurationError> {
        self.cell.check_values(values)?;
        let mut standing = [Standing::Free];
        self.prepare(1);
        self.hits(values, &mut standing);
        Ok(standing[0])
    }

    /// All pairs that meet in a configuration, in the order of [`Cell::pairs`].
    pub fn all_hits(&mut self, values: &[f64], found: &mut Vec<Meets>) -> Result<(), ConfigurationError> {
        self.cell.check_values(values)?;
        found.clear();
        self.place(values);
        let near = std::mem::take(&mut self.block.near);
        for &(number, _) in &near {
            let pair = &self.cell.on[number as usize];
            if found.iter().any(|hit| hit.pair == pair.pair as usize && hit.proven) {
                continue;
            }
            let proven = match self.verdict(pair, 0) {
                Overlap::Free => continue,
                Overlap::Hit => true,
                Overlap::Unknown => false,
            };
            found.retain(|hit| hit.pair != pair.pair as usize);
            found.push(Meets { pair: pair.pair as usize, proven });
        }
        self.block.near = near;
        found.sort_by_key(|hit| hit.pair);
        Ok(())
    }

    /// A point that two parts share in a configuration, rounded; `None` if they share none.
    pub fn meeting_point(
        &mut self,
        values: &[f64],
        pair: usize,
    ) -> Result<Option<DVec3>, ConfigurationError> {
        self.cell.check_values(values)?;
        self.place(values);
        for pair in self.cell.bodies_of(pair, 0.0) {
            let [a, b] = self.placed(&pair, 0);
            let mut ask = Ask::new(&mut self.scratch);
            if ask.overlap(&a, &b) != Overlap::Hit {
                continue;
            }
            let mut first = First::default();
            let query = CrossingsQuery { segments: true, ..CrossingsQuery::default() };
            let _ = ask.crossings(&a, &b, &query, &mut first);
            if let Some(segment) = first.0.and_then(|crossing| crossing.segment) {
                return Ok(Some(segment.start.midpoint(segment.end)));
            }
            if let Some(contact) = ask.contact(&a, &b).hit() {
                return Ok(Some(contact.on_a.point));
            }
        }
        Ok(None)
    }

    /// The smallest gap of all pairs asked about in a configuration, and where it is.
    pub fn clearance(&mut self, values: &[f64]) -> Result<Nearest, ConfigurationError> {
        self.nearest(values, &self.cell.on)
    }

    /// The same of those pairs alone, of the ones asked about, that are wanted.
    pub fn clearance_of(
        &mut self,
        values: &[f64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Nearest, ConfigurationError> {
        let on = self.cell.on.iter().filter(|pair| wanted(pair.pair as usize));
        self.nearest(values, &on.copied().collect::<Vec<_>>())
    }

    /// The smallest gap of one pair, asked about or not.
    pub fn pair_clearance(&mut self, values: &[f64], pair: usize) -> Result<Nearest, ConfigurationError> {
        let pairs = self.cell.bodies_of(pair, 0.0);
        self.nearest(values, &pairs)
    }

    /// Whether one pair meets, asked about or not, its margin aside.
    pub fn pair_overlap(&mut self, values: &[f64], pair: usize) -> Result<Overlap, ConfigurationError> {
        self.cell.check_values(values)?;
        self.place(values);
        let mut all = Overlap::Free;
        for pair in self.cell.bodies_of(pair, 0.0) {
            match self.verdict(&pair, 0) {
                Overlap::Hit => return Ok(Overlap::Hit),
                Overlap::Unknown => all = Overlap::Unknown,
                Overlap::Free => {}
            }
        }
        Ok(all)
    }

    fn nearest(&mut self, values: &[f64], pairs: &[BodyPair]) -> Result<Nearest, ConfigurationError> {
        self.cell.check_values(values)?;
        self.place(values);
        let mut best = Nearest { gap: Bracket::INFINITE, pair: None, witness: None };
        let mut order: Vec<(f64, &BodyPair)> = pairs.iter().map(|pair| (self.at_least(pair), pair)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut at_least = f64::INFINITY;
        for (least, pair) in order {
            if least > best.gap.at_most {
                break;
            }
            let [a, b] = self.placed(pair, 0);
            let query = ClearanceQuery { max_distance: best.gap.at_most, ..ClearanceQuery::default() };
            let found = Ask::new(&mut self.scratch).clearance(&a, &b, &query);
            at_least = at_least.min(found.gap.at_least);
            if best.pair.is_none() || found.gap.at_most < best.gap.at_most {
                best = Nearest { gap: found.gap, pair: Some(pair.pair as usize), witness: found.witness };
            }
            if best.gap.at_most == 0.0 {
                break;
            }
        }
        best.gap.at_least = at_least.min(best.gap.at_most);
        Ok(best)
    }

    /// No gap of a pair is smaller, by the balls around both.
    fn at_least(&self, pair: &BodyPair) -> f64 {
        let [a, b] = pair.bodies.map(|body| {
            let body = &self.cell.bodies[body as usize];
            let carrier = body.carrier.map_or(Pose::IDENTITY, |link| self.block.frames[link].pose(0));
            (carrier.transform_point(body.cover.whole.center), body.cover.whole.radius)
        });
        let far = a.0.length() + b.0.length() + a.1 + b.1;
        let slack = 1024.0 * noli_geom::UNIT_ROUNDOFF * (self.cell.steps + 4) as f64 * far;
        let least = a.0.distance(b.0) - a.1 - b.1 - slack;
        if least > 0.0 { least } else { 0.0 }
    }

    /// One configuration in all lanes, and the pairs that balls leave over in the first.
    fn place(&mut self, values: &[f64]) {
        self.block.fill(1, |_| values);
        self.block.place(self.cell);
        self.block.sieve(&self.cell.on, 1, false);
    }

    /// Where both bodies of a pair are in a lane.
    pub(super) fn placed(&self, pair: &BodyPair, lane: usize) -> [Placed<'c>; 2] {
        let cell = self.cell;
        pair.bodies.map(|body| {
            let body = &cell.bodies[body as usize];
            body.model.at(match body.carrier {
                Some(link) => self.block.frames[link].pose(lane) * body.carrier_from_body,
                None => body.carrier_from_body,
            })
        })
    }

    /// The verdict on a pair in a lane: by sixteen balls on either side, or else by the shapes.
    fn verdict(&mut self, pair: &BodyPair, lane: usize) -> Overlap {
        match self.block.told(self.cell, pair, lane, 0.0) {
            Told::Apart => Overlap::Free,
            Told::Meet => Overlap::Hit,
            Told::Open => self.exact(pair, lane),
        }
    }

    fn exact(&mut self, pair: &BodyPair, lane: usize) -> Overlap {
        let [a, b] = self.placed(pair, lane);
        let mut ask = Ask::new(&mut self.scratch);
        if pair.margin > 0.0 { ask.closer_than(&a, &b, pair.margin) } else { ask.overlap(&a, &b) }
    }

    /// Has tables made once they pay.
    pub(super) fn prepare(&mut self, more: usize) {
        self.states = self.states.saturating_add(more);
        if self.states > MANY {
            self.cell.prepare();
        }
    }

    /// Up to sixteen configurations, one after the other; each is answered as if it were alone.
    fn hits(&mut self, states: &[f64], out: &mut [Standing]) {
        let (cell, size) = (self.cell, self.cell.values);
        let (Some(sketch), Some(mut memory)) = (&cell.sketch, self.sketched.take()) else {
            return self.block_hits(out.len(), |lane| &states[lane * size..][..size], out);
        };
        let tables = cell.tables.get().map(|tables| &**tables);
        let look = Look { sketch, tables, memory: &mut memory, states, one_ends: false };
        dispatch(Instructions::best(), look);
        self.forget_poses();
        let mut unknown = [None; LANES];
        for &(lane, number, _) in &memory.todo {
            let lane = usize::from(lane);
            if memory.hit[lane].is_some() {
                continue;
            }
            let duo = &sketch.duos[number as usize];
            self.pose(&states[lane * size..][..size], lane, duo);
            match self.duo_exact(duo, lane) {
                Overlap::Free => {}
                Overlap::Hit => memory.hit[lane] = Some(number),
                Overlap::Unknown => unknown[lane] = unknown[lane].or(Some(number)),
            }
        }
        let pair = |number: u32| sketch.duos[number as usize].pair as usize;
        for (lane, out) in out.iter_mut().enumerate() {
            *out = match (memory.hit[lane], unknown[lane]) {
                (Some(number), _) => Standing::Hit(pair(number)),
                (None, Some(number)) => Standing::Unknown(pair(number)),
                (None, None) => Standing::Free,
            };
            if memory.wild >> lane & 1 == 1 {
                self.block_hits(1, |_| &states[lane * size..][..size], std::slice::from_mut(out));
            }
        }
        self.sketched = Some(memory);
    }

    /// Other configurations follow.
    pub(super) fn forget_poses(&mut self) {
        self.posed.fill(0);
    }

    /// Poses of the links of two pieces in a lane, and of all links before them.
    pub(super) fn pose(&mut self, values: &[f64], lane: usize, duo: &Duo) {
        let cell = self.cell;
        for (arm, limbs) in duo.limbs.into_iter().flatten() {
            let (arm, limbs) = (arm as usize, limbs as usize);
            let known = &mut self.posed[lane * cell.arms.len() + arm];
            let arm = &cell.arms[arm];
            let poses = &mut self.poses[lane * cell.links + arm.first_link..];
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

    /// The verdict of the shapes of two pieces.
    pub(super) fn duo_exact(&mut self, duo: &Duo, lane: usize) -> Overlap {
        self.duo_closer(duo, lane, duo.margin)
    }

    /// Whether the shapes of two pieces are at most so far apart.
    pub(super) fn duo_closer(&mut self, duo: &Duo, lane: usize, margin: f64) -> Overlap {
        let cell = self.cell;
        let Some(sketch) = &cell.sketch else { return Overlap::Unknown };
        let (a, b) =
            (&sketch.pieces[duo.pieces[0] as usize].bodies, &sketch.pieces[duo.pieces[1] as usize].bodies);
        let poses = &self.poses[lane * cell.links..];
        let placed = |body: &u32| {
            let body = &cell.bodies[*body as usize];
            let place = body.carrier_from_body;
            body.model.at(body.carrier.map_or(place, |link| poses[link] * place))
        };
        let mut all = Overlap::Free;
        for a in a.iter().map(placed) {
            for b in b.iter().map(placed) {
                self.questions += 1;
                // Balls inside were tried before.
                let mut ask = Ask::new(&mut self.scratch).faces_only();
                let found = if margin > 0.0 { ask.closer_than(&a, &b, margin) } else { ask.overlap(&a, &b) };
                match found {
                    Overlap::Hit => return Overlap::Hit,
                    Overlap::Unknown => all = Overlap::Unknown,
                    Overlap::Free => {}
                }
            }
        }
        all
    }

    /// Up to sixteen configurations; each is answered as if it were alone.
    fn block_hits<'a>(&mut self, count: usize, state: impl Fn(usize) -> &'a [f64], out: &mut [Standing]) {
        let cell = self.cell;
        self.block.fill(count, state);
        self.block.place(cell);
        self.block.sieve(&cell.on, (((1u32 << count) - 1) & 0xffff) as u16, true);
        let mut hit = self.block.hit;
        self.todo.clear();
        for &(number, near) in &self.block.near {
            let mut lanes = near;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if hit[lane].is_some() {
                    continue;
                }
                match self.block.told(cell, &cell.on[number as usize], lane, 0.0) {
                    Told::Apart => {}
                    Told::Meet => hit[lane] = Some(number),
                    Told::Open => self.todo.push((lane as u8, number)),
                }
            }
        }
        let mut unknown = [None; LANES];
        for k in 0..self.todo.len() {
            let (lane, number) = self.todo[k];
            let lane = lane as usize;
            if hit[lane].is_some() {
                continue;
            }
            match self.exact(&cell.on[number as usize], lane) {
                Overlap::Free => {}
                Overlap::Hit => hit[lane] = Some(number),
                Overlap::Unknown => unknown[lane] = unknown[lane].or(Some(number)),
            }
        }
        let pair = |number: u32| cell.on[number as usize].pair as usize;
        for (lane, out) in out.iter_mut().enumerate().take(count) {
            *out = match (hit[lane], unknown[lane]) {
                (Some(number), _) => Standing::Hit(pair(number)),
                (None, Some(number)) => Standing::Unknown(pair(number)),
                (None, None) => Standing::Free,
            };
        }
    }

    /// How each of many configurations stands, one after the other in `states`; on this thread.
    ///
    /// Each is answered as [`first_hit`](Self::first_hit) does, whatever stands beside it.
    pub fn first_hits(&mut self, states: &[f64], out: &mut Vec<Standing>) -> Result<(), ConfigurationError> {
        let size = self.cell.value_count().max(1);
        let (whole, rest) = (states.len() / size, states.len() % size);
        if rest != 0 {
            return Err(ConfigurationError::Count { found: rest, wanted: size });
        }
        self.cell.check_all(states)?;
        self.prepare(whole);
        out.clear();
        out.resize(whole, Standing::Free);
        for (states, out) in states.chunks(size * LANES).zip(out.chunks_mut(LANES)) {
            self.hits(states, out);
        }
        Ok(())
    }
}

/// Configurations that a thread takes at a time.
const SHARE: usize = 64 * LANES;
/// Configurations from which on tables pay.
const MANY: usize = 4000;

/// Even numbers in [0, 1), always the same.
pub(super) fn shares(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 * 2f64.powi(-53)
    }
}

impl Cell {
    /// How each of many configurations stands, one after the other in `states`; on all threads with the
    /// `rayon` feature, with the same answers.
    pub fn first_hits(&self, states: &[f64]) -> Result<Vec<Standing>, ConfigurationError> {
        let size = self.value_count().max(1);
        if !states.len().is_multiple_of(size) {
            return Err(ConfigurationError::Count { found: states.len() % size, wanted: size });
        }
        if states.len() / size > MANY {
            self.prepare();
        }
        let shares: Vec<&[f64]> = states.chunks(SHARE * size).collect();
        let mut answers: Vec<Result<Vec<Standing>, ConfigurationError>> = vec![Ok(Vec::new()); shares.len()];
        let work = |share: &&[f64], _: &mut Ask<'_>| {
            let mut standings = Vec::new();
            self.checker().first_hits(share, &mut standings).map(|()| standings)
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

    /// Refuses configurations, one after the other, of which one is none.
    pub(super) fn check_all(&self, states: &[f64]) -> Result<(), ConfigurationError> {
        let most = |variable: &crate::tree::Variable| match variable.movement {
            Movement::Turn => crate::MAX_ANGLE,
            Movement::Slide => crate::geometry::MAX_LENGTH,
        };
        let limits: Vec<f64> = self.arms.iter().flat_map(|arm| arm.robot.variables()).map(most).collect();
        let size = limits.len().max(1);
        let fits = |values: &[f64]| {
            values.iter().zip(&limits).fold(true, |fits, (value, most)| fits & (value.abs() <= *most))
        };
        let wrong = states.chunks_exact(size).find(|values| !fits(values));
        wrong.map_or(Ok(()), |values| self.check_values(values))
    }

    /// Puts the pairs that are likeliest to meet first: those whose balls do so most often in a few hundred
    /// configurations, always the same.
    pub(super) fn order_pairs(&mut self) {
        let mut share = shares(1);
        let mut scores = vec![0u32; self.on.len()];
        let mut checker = Checker::new(self);
        for _ in 0..32 {
            let states: Vec<Vec<f64>> = (0..LANES).map(|_| self.any_state(&mut share)).collect();
            checker.block.fill(LANES, |lane| &states[lane]);
            checker.block.place(self);
            checker.block.sieve(&self.on, u16::MAX, false);
            for &(number, mut lanes) in &checker.block.near {
                while lanes != 0 {
                    let lane = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let told = checker.block.told(self, &self.on[number as usize], lane, 0.0);
                    scores[number as usize] += match told {
                        Told::Apart => 0,
                        Told::Open => 1,
                        Told::Meet => 8,
                    };
                }
            }
        }
        let mut order: Vec<usize> = (0..self.on.len()).collect();
        order.sort_by_key(|&number| (std::cmp::Reverse(scores[number]), number));
        self.on = order.into_iter().map(|number| self.on[number]).collect();
    }

    /// Looks for planes between pieces in some thousand configurations, always the same, and from then on only where that pays.
    pub(super) fn try_planes(&mut self) {
        let Some(sketch) = &self.sketch else { return };
        let mut memory = sketch.memory();
        let mut share = shares(2);
        for _ in 0..128 {
            let states: Vec<f64> = (0..LANES).flat_map(|_| self.any_state(&mut share)).collect();
            let look = Look { sketch, tables: None, memory: &mut memory, states: &states, one_ends: false };
            dispatch(Instructions::best(), look);
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.drop_planes(&memory);
        }
    }

    /// A configuration within limits, all shares drawn anew.
    pub(super) fn any_state(&self, share: &mut impl FnMut() -> f64) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.values);
        for arm in &self.arms {
            let first = all.len();
            all.extend(arm.robot.variables().iter().map(|variable| {
                let [low, high] = super::prove::range(variable);
                low + (high - low) * share()
            }));
            arm.robot.apply_laws(&mut all[first..]);
        }
        all
    }
}
