//! Which pairs can ever meet: branch and bound over the box of joint limits.
//!
//! From the middle of a cell of that box, a joint that turns by up to `h` changes the gap of two bodies by at
//! most `h` times the distance of the points behind it from its axis, seen from whichever of the two sides is
//! nearer. Joints are changed one after the other, so that distance is taken in the middle of the cell, plus
//! what the joints beyond may add. Bodies further apart than the sum are apart in the whole cell; balls
//! inside them that are deeper in each other meet in all of it. Cells that are neither are halved.

use super::block::{Told, told};
use super::sketch::Duo;
use super::{BodyPair, Cell, Checker, Holder};
use crate::parallel::each;
use crate::tree::{Movement, Variable};
use glam::DVec3;
use noli::{Ask, Overlap, Pose};
use noli_geom::{Sphere, UNIT_ROUNDOFF};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether two parts can meet within the limits of the joints.
#[derive(Clone, Debug, PartialEq)]
pub enum Meeting {
    /// In no configuration, proven.
    Never,
    /// In every configuration, proven.
    Always,
    /// In this configuration they do; in others they may not.
    Can {
        /// Values of all variables of all robots.
        witness: Vec<f64>,
    },
    /// The budget did not suffice.
    Undecided,
}

/// What is known of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Proved {
    /// The pair of [`Cell::pairs`].
    pub pair: usize,
    /// Whether it can meet.
    pub meeting: Meeting,
    /// Cells that were looked at.
    pub cells: usize,
    /// Of those, the ones that the shapes themselves were asked about.
    pub asked: usize,
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct ProofOptions<'a> {
    /// Configurations tried for a witness first.
    pub samples: usize,
    /// Cells looked at for each pair.
    pub cells: usize,
    /// Stops the search where it is when set; pairs not decided by then say so.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for ProofOptions<'_> {
    fn default() -> Self {
        Self { samples: 20_000, cells: 400_000, stop: None }
    }
}

impl ProofOptions<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// From where to where a variable goes: a turn without limits once around, a slide a metre either way.
pub(super) fn range(variable: &Variable) -> [f64; 2] {
    let most = match variable.movement {
        Movement::Turn => std::f64::consts::PI,
        Movement::Slide => 1.0,
    };
    variable.limits.range.unwrap_or([-most, most])
}

/// A step between two bodies that a variable moves.
struct Between {
    movement: Movement,
    /// Which of the free variables, and its factor.
    free: usize,
    factor: f64,
    /// The robot, the link the step leads to, and the step among those of its limb.
    arm: usize,
    link: usize,
    step: usize,
}

/// A variable that moves by itself and lies between two parts.
struct Free {
    value: usize,
    range: [f64; 2],
}

/// The steps between two parts, from the first to the second, and the variables that move them.
struct Chain {
    steps: Vec<Between>,
    free: Vec<Free>,
}

impl Cell {
    /// Whether a pair can meet, its margin aside.
    ///
    /// # Panics
    ///
    /// If there is no such pair.
    pub fn prove(&self, pair: usize, options: &ProofOptions<'_>) -> Proved {
        let mut search = Search::new(self, pair, options);
        let meeting = search.run();
        Proved { pair, meeting, cells: search.cells, asked: search.asked }
    }

    /// The same of many pairs, on all threads with the `rayon` feature.
    pub fn prove_all(&self, pairs: &[usize], options: &ProofOptions<'_>) -> Vec<Proved> {
        each(pairs, |&pair| self.prove(pair, options))
    }

    fn chain(&self, parts: [usize; 2], laws: bool) -> Chain {
        let place = |part: usize| match self.parts[part].holder {
            Holder::Link { arm, link } | Holder::Carried { arm, link } => Some((arm, link)),
            Holder::World => None,
        };
        let way_up = |at: Option<(usize, usize)>| {
            let mut links = Vec::new();
            if let Some((arm, mut link)) = at {
                let robot = &self.arms[arm].robot;
                while let Some(limb) = robot.limb_of(link) {
                    links.push((arm, link));
                    link = limb.parent as usize;
                }
            }
            links
        };
        let (mut up, mut down) = (way_up(place(parts[0])), way_up(place(parts[1])));
        while let (Some(a), Some(b)) = (up.last(), down.last())
            && a == b
        {
            up.pop();
            down.pop();
        }
        let mut chain = Chain { steps: Vec::new(), free: Vec::new() };
        for &(arm, link) in &up {
            self.add_steps(&mut chain, arm, link, true, laws);
        }
        for &(arm, link) in down.iter().rev() {
            self.add_steps(&mut chain, arm, link, false, laws);
        }
        chain
    }

    /// The variables between the parts of a pair, each by itself: its number, what it does, and its limits.
    pub(super) fn variables_between(&self, pair: usize) -> Vec<(usize, Movement, Option<[f64; 2]>)> {
        let chain = self.chain(self.pairs[pair].parts, false);
        let movement = |number: usize| {
            let step = chain.steps.iter().find(|step| step.free == number);
            step.map_or(Movement::Turn, |step| step.movement)
        };
        let limits = |value: usize| {
            let arm = self.arms.iter().rev().find(|arm| arm.first_value <= value)?;
            arm.robot.variables()[value - arm.first_value].limits.range
        };
        let free = chain.free.iter().enumerate();
        free.map(|(number, free)| (free.value, movement(number), limits(free.value))).collect()
    }

    fn add_steps(&self, chain: &mut Chain, arm: usize, link: usize, upwards: bool, laws: bool) {
        let owner = &self.arms[arm];
        let Some(limb) = owner.robot.limb_of(link) else { return };
        let steps = owner.robot.steps(limb);
        let mut numbers: Vec<usize> = (0..steps.len()).collect();
        if upwards {
            numbers.reverse();
        }
        for step in numbers {
            let Some((movement, variable)) = steps[step].variable else { continue };
            let law = owner.robot.variables()[variable as usize].mimic.filter(|_| laws);
            let (of, factor) = law.map_or((variable as usize, 1.0), |law| (law.of, law.multiplier));
            let value = owner.first_value + of;
            let free = chain.free.iter().position(|free| free.value == value).unwrap_or_else(|| {
                chain.free.push(Free { value, range: range(&owner.robot.variables()[of]) });
                chain.free.len() - 1
            });
            chain.steps.push(Between { movement, free, factor: factor.abs(), arm, link, step });
        }
    }
}

/// A box of values of the free variables.
pub(super) type Bounds = Vec<[f64; 2]>;

pub(super) struct Search<'c> {
    cell: &'c Cell,
    options: ProofOptions<'c>,
    /// Whether what follows another variable does.
    laws: bool,
    chain: Chain,
    pairs: Vec<BodyPair>,
    checker: Checker<'c>,
    poses: Vec<Pose>,
    values: Vec<f64>,
    cells: usize,
    pub(super) asked: usize,
}

enum Verdict {
    Apart,
    Here,
    Split(usize),
}

impl<'c> Search<'c> {
    fn new(cell: &'c Cell, pair: usize, options: &ProofOptions<'c>) -> Self {
        let mut values = Vec::with_capacity(cell.values);
        cell.arms.iter().for_each(|arm| values.extend(arm.robot.neutral().0));
        Self {
            cell,
            options: *options,
            laws: true,
            chain: cell.chain(cell.pairs[pair].parts, true),
            pairs: cell.bodies_of(pair, 0.0),
            checker: cell.checker(),
            poses: vec![Pose::IDENTITY; cell.links],
            values,
            cells: 0,
            asked: 0,
        }
    }

    /// To ask about boxes of all variables between two pieces, each by itself.
    pub(super) fn for_table(cell: &'c Cell, duo: &Duo) -> Self {
        let pair = duo.pair as usize;
        let mut search = Self::new(cell, pair, &ProofOptions::default());
        search.laws = false;
        search.chain = cell.chain(cell.pairs[pair].parts, false);
        if let Some(sketch) = &cell.sketch {
            let own = |pair: &BodyPair| {
                let [a, b] = [0, 1].map(|k| &sketch.pieces[duo.pieces[k] as usize].bodies);
                a.contains(&pair.bodies[0]) && b.contains(&pair.bodies[1])
            };
            search.pairs.retain(own);
        }
        search
    }

    /// The variables that boxes are of.
    pub(super) fn variables(&self) -> impl Iterator<Item = usize> + use<> {
        let values: Vec<usize> = self.chain.free.iter().map(|free| free.value).collect();
        values.into_iter()
    }

    /// Whether the bodies are further apart than the margin in all of a box; `Some(false)` if they are so
    /// nowhere, `None` if nothing is known.
    pub(super) fn apart(&mut self, bounds: &Bounds, margin: f64) -> Option<bool> {
        self.middle(bounds);
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            let (travel, _) = self.travel(&pair, bounds);
            let more = (travel + margin) * (1.0 + 4.0 * UNIT_ROUNDOFF);
            match self.told(&pair, more, false) {
                Told::Apart => continue,
                Told::Meet | Told::Open => {}
            }
            if self.told(&pair, 0.0, true) == Told::Meet {
                return (self.depth(&pair) > travel).then_some(false);
            }
            let size = pair.bodies.map(|body| self.cell.bodies[body as usize].cover.whole.radius);
            if travel > 0.5 * size[0].min(size[1]) || self.ask(&pair, more) != Overlap::Free {
                return None;
            }
        }
        Some(true)
    }

    fn run(&mut self) -> Meeting {
        let whole: Bounds = self.chain.free.iter().map(|free| free.range).collect();
        let sampled = if whole.is_empty() { None } else { self.sample() };
        match sampled {
            // Some configuration does not meet: only a witness is wanted.
            Some((Some(witness), false)) => return Meeting::Can { witness },
            Some((Some(witness), true)) => {
                return if self.always(&whole) { Meeting::Always } else { Meeting::Can { witness } };
            }
            Some((None, _)) | None => {}
        }
        self.never(whole)
    }

    /// A configuration in which the pair meets, if one of the samples does, and whether all do.
    fn sample(&mut self) -> Option<(Option<Vec<f64>>, bool)> {
        let mut state = 5u64;
        let mut share = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 * 2f64.powi(-53)
        };
        let (mut witness, mut all) = (None, true);
        // A line or a plane of configurations is looked through with few.
        let enough = 64usize.saturating_mul(8usize.saturating_pow(self.chain.free.len() as u32));
        for k in 0..self.options.samples.min(enough) {
            if self.options.stopped() {
                break;
            }
            for number in 0..self.chain.free.len() {
                let Free { value, range: [low, high] } = self.chain.free[number];
                self.values[value] = low + (high - low) * share();
            }
            self.place();
            if self.meets() {
                witness.get_or_insert_with(|| self.values.clone());
            } else {
                all = false;
            }
            // A witness and a configuration that is free settle it.
            if witness.is_some() && (!all || k > 64) {
                break;
            }
        }
        Some((witness, all))
    }

    fn place(&mut self) {
        for arm in &self.cell.arms {
            let values = &mut self.values[arm.first_value..][..arm.robot.variables().len()];
            if self.laws {
                arm.robot.apply_laws(values);
            }
            let values = &*values;
            arm.robot.poses_by(
                &arm.world_from_root,
                |variable| values[variable as usize],
                &mut self.poses[arm.first_link..],
            );
        }
    }

    fn told(&self, pair: &BodyPair, margin: f64, may_meet: bool) -> Told {
        let bodies = pair.bodies.map(|body| &self.cell.bodies[body as usize]);
        let carriers = bodies.map(|body| body.carrier.map(|link| self.poses[link]));
        told(self.cell.steps, bodies, carriers, margin, may_meet)
    }

    fn ask(&mut self, pair: &BodyPair, margin: f64) -> Overlap {
        let cell = self.cell;
        let [a, b] = pair.bodies.map(|body| {
            let body = &cell.bodies[body as usize];
            let place = body.carrier_from_body;
            body.model.at(body.carrier.map_or(place, |link| self.poses[link] * place))
        });
        self.asked += 1;
        let mut ask = Ask::new(&mut self.checker.scratch);
        if margin > 0.0 { ask.closer_than(&a, &b, margin) } else { ask.overlap(&a, &b) }
    }

    /// Whether the pair meets at the poses of now.
    fn meets(&mut self) -> bool {
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            let meets = match self.told(&pair, 0.0, true) {
                Told::Apart => false,
                Told::Meet => true,
                Told::Open => self.ask(&pair, 0.0) == Overlap::Hit,
            };
            if meets {
                return true;
            }
        }
        false
    }

    fn never(&mut self, whole: Bounds) -> Meeting {
        let mut todo = vec![whole];
        while let Some(bounds) = todo.pop() {
            if self.cells >= self.options.cells || self.options.stopped() {
                return Meeting::Undecided;
            }
            match self.look(&bounds) {
                Verdict::Apart => {}
                // The middle of a cell without variables is all of it.
                Verdict::Here if bounds.is_empty() => return Meeting::Always,
                Verdict::Here => return Meeting::Can { witness: self.values.clone() },
                Verdict::Split(by) => match halves(&bounds, by) {
                    Some(parts) => todo.extend(parts),
                    None => return Meeting::Undecided,
                },
            }
        }
        Meeting::Never
    }

    /// Whether balls inside the bodies meet in all of the box, within a tenth of the budget.
    fn always(&mut self, whole: &Bounds) -> bool {
        let mut todo = vec![whole.clone()];
        let start = self.cells;
        while let Some(bounds) = todo.pop() {
            if self.cells - start >= self.options.cells / 10 || self.options.stopped() {
                return false;
            }
            self.middle(&bounds);
            let mut by = 0;
            let deep = (0..self.pairs.len()).any(|k| {
                let (travel, widest) = self.travel(&self.pairs[k], &bounds);
                by = widest;
                self.depth(&self.pairs[k]) > travel
            });
            if !deep {
                if !self.meets() {
                    return false;
                }
                let Some(parts) = halves(&bounds, by) else { return false };
                todo.extend(parts);
            }
        }
        true
    }

    /// Goes to the middle of a box.
    fn middle(&mut self, bounds: &Bounds) {
        self.cells += 1;
        for (free, [low, high]) in self.chain.free.iter().zip(bounds) {
            self.values[free.value] = 0.5 * (low + high);
        }
        self.place();
    }

    fn look(&mut self, bounds: &Bounds) -> Verdict {
        self.middle(bounds);
        let mut split = None;
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            let (travel, widest) = self.travel(&pair, bounds);
            match self.told(&pair, travel, false) {
                Told::Apart => continue,
                Told::Meet | Told::Open => {}
            }
            let size = pair.bodies.map(|body| self.cell.bodies[body as usize].cover.whole.radius);
            // A question that is bound to be answered with yes is not worth its time.
            if travel > 0.5 * size[0].min(size[1]) && !bounds.is_empty() {
                split = Some(widest);
                continue;
            }
            match self.ask(&pair, travel) {
                Overlap::Free => {}
                Overlap::Hit | Overlap::Unknown => {
                    // Samples found no witness; a cell now and then will do for what they missed.
                    let look = bounds.is_empty() || self.cells.is_multiple_of(8);
                    if look && self.ask(&pair, 0.0) == Overlap::Hit {
                        return Verdict::Here;
                    }
                    split = Some(widest);
                }
            }
        }
        split.map_or(Verdict::Apart, Verdict::Split)
    }

    /// How much the gap of two bodies may change from the middle of a box to any of it, and which variable
    /// contributes most.
    fn travel(&self, pair: &BodyPair, bounds: &Bounds) -> (f64, usize) {
        let balls = pair.bodies.map(|body| {
            let body = &self.cell.bodies[body as usize];
            let ball = &body.cover.whole;
            let center =
                body.carrier.map_or(ball.center, |link| self.poses[link].transform_point(ball.center));
            Sphere { center, radius: ball.radius }
        });
        let steps = &self.chain.steps;
        let half = |step: &Between| {
            let [low, high] = bounds[step.free];
            (0.5 * (high - low) * step.factor) * (1.0 + 8.0 * UNIT_ROUNDOFF)
        };
        let axes: Vec<(DVec3, DVec3)> = steps.iter().map(|step| self.axis(step)).collect();
        let arm = |k: usize, ball: &Sphere, beyond: f64| match steps[k].movement {
            Movement::Slide => 1.0,
            Movement::Turn => (ball.center - axes[k].0).cross(axes[k].1).length() + ball.radius + beyond,
        };
        let mut reach = vec![0.0f64; steps.len()];
        let mut beyond = 0.0;
        for k in (0..steps.len()).rev() {
            reach[k] = arm(k, &balls[1], beyond);
            beyond += half(&steps[k]) * reach[k];
        }
        beyond = 0.0;
        for k in 0..steps.len() {
            let back = arm(k, &balls[0], beyond);
            beyond += half(&steps[k]) * back;
            reach[k] = reach[k].min(back);
        }
        let mut shares = vec![0.0f64; bounds.len()];
        steps.iter().zip(&reach).for_each(|(step, reach)| shares[step.free] += half(step) * reach);
        let far = balls.iter().map(|ball| ball.center.length() + ball.radius).sum::<f64>();
        let values: f64 = self.values.iter().map(|value| value.abs()).sum();
        let error = 1024.0 * UNIT_ROUNDOFF * (self.cell.steps + 4) as f64 * far * (1.0 + values);
        let widest = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
        let sum: f64 = shares.iter().sum();
        let travel = if bounds.is_empty() { 0.0 } else { sum * (1.0 + 1e-12) + error };
        (travel, widest)
    }

    /// A point and the direction of a step's axis in the world.
    fn axis(&self, between: &Between) -> (DVec3, DVec3) {
        let arm = &self.cell.arms[between.arm];
        let Some(limb) = arm.robot.limb_of(between.link) else { return (DVec3::ZERO, DVec3::Z) };
        let parent = &self.poses[arm.first_link + limb.parent as usize];
        let values = arm.values(&self.values);
        let pose = arm.robot.within(parent, limb, between.step, |variable| values[variable as usize]);
        let axis = arm.robot.steps(limb)[between.step].axis;
        (pose.translation, pose.transform_vector(axis))
    }

    /// How deep balls inside the bodies are in each other, at least; below 0 if none is.
    fn depth(&self, pair: &BodyPair) -> f64 {
        let bodies = pair.bodies.map(|body| &self.cell.bodies[body as usize]);
        let [a, b] = bodies.map(|body| {
            let inner = &body.cover.inner;
            let pose = body.carrier.map_or(Pose::IDENTITY, |link| self.poses[link]);
            let ball = |k: usize| {
                let center = DVec3::from_array([0, 1, 2].map(|axis| f64::from(inner.center[axis][k])));
                (pose.transform_point(center), f64::from(inner.radius[k]))
            };
            (0..inner.count).map(ball).collect::<Vec<_>>()
        });
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| x.1 + y.1 - x.0.distance(y.0)));
        pairs.fold(-1.0, f64::max)
    }
}

fn halves(bounds: &Bounds, by: usize) -> Option<[Bounds; 2]> {
    let [low, high] = *bounds.get(by)?;
    let middle = 0.5 * (low + high);
    if !(low < middle && middle < high) {
        return None;
    }
    let [mut first, mut second] = [bounds.clone(), bounds.clone()];
    (first[by][1], second[by][0]) = (middle, middle);
    Some([first, second])
}
