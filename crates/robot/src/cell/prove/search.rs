//! Branch and bound for one pair of parts.

use super::chain::{Between, Chain};
use super::domain::{Domain, RangeOrigin};
use super::{ProofOptions, Reachability};
use crate::cell::data::{BodyPair, CellData};
use crate::cell::filter::{Batch, Grouping, PairVerdict, Request, Scope, SphereFilter, Stop};
use crate::cell::shares;
use crate::tree::JointAxisKind;
use glam::DVec3;
use noli::{Overlap, Pose, QueryContext, Scratch};
use noli_geom::{Sphere, UNIT_ROUNDOFF};

/// A box of values of the free variables.
pub(in crate::cell) type Bounds = Vec<[f64; 2]>;

/// The search for one pair of parts, with a filter for their bodies.
pub(in crate::cell) struct Search<'c> {
    data: &'c CellData,
    options: ProofOptions<'c>,
    /// Followers move with the variable that they follow.
    laws: bool,
    chain: Chain,
    pairs: Vec<BodyPair>,
    filter: SphereFilter,
    batch: Batch,
    /// How far each pair may come nearer, and the filter's verdict then.
    paths: Vec<(u32, f32)>,
    verdicts: Vec<PairVerdict>,
    scratch: Scratch,
    links: Vec<Pose>,
    values: Vec<f64>,
    pub(super) cells: usize,
    pub(in crate::cell) asked: usize,
}

enum Step {
    Separated,
    /// The middle collides.
    Witness,
    /// Undecided; the variable that contributes most.
    Split(usize),
}

impl<'c> Search<'c> {
    pub(super) fn new(data: &'c CellData, pair: usize, options: &ProofOptions<'c>) -> Self {
        Self::of(data, data.bodies_of(pair, 0.0), options, true)
    }

    /// For boxes of all variables between some bodies of two parts, each by itself.
    pub(in crate::cell) fn for_table(data: &'c CellData, pairs: Vec<BodyPair>) -> Self {
        Self::of(data, pairs, &ProofOptions::default(), false)
    }

    fn of(data: &'c CellData, pairs: Vec<BodyPair>, options: &ProofOptions<'c>, laws: bool) -> Self {
        let mut values = Vec::with_capacity(data.values);
        data.arms.iter().for_each(|arm| values.extend(arm.robot.neutral().0));
        let parts = pairs.first().map(|pair| data.pairs[pair.pair as usize].parts);
        let filter = SphereFilter::new(data, &pairs, Grouping::Bodies);
        Self {
            data,
            options: *options,
            laws,
            chain: parts.map_or(Chain::default(), |parts| Chain::new(data, parts, laws, options.assumed)),
            batch: filter.batch(),
            filter,
            paths: Vec::with_capacity(pairs.len()),
            verdicts: Vec::with_capacity(pairs.len()),
            pairs,
            scratch: Scratch::default(),
            links: vec![Pose::IDENTITY; data.links],
            values,
            cells: 0,
            asked: 0,
        }
    }

    /// The variables that boxes are of.
    pub(in crate::cell) fn variables(&self) -> impl Iterator<Item = usize> + use<> {
        let values: Vec<usize> = self.chain.free.iter().map(|free| free.value).collect();
        values.into_iter()
    }

    /// The value of a variable in the configuration that was looked at last.
    pub(in crate::cell) fn value(&self, number: usize) -> f64 {
        self.values[number]
    }

    /// True if the bodies are further apart than the margin in all of a box, false if they are so nowhere;
    /// `None` if neither is proven.
    pub(in crate::cell) fn separated(&mut self, bounds: &Bounds, margin: f64) -> Option<bool> {
        self.middle(bounds);
        let paths: Vec<f64> = self.pairs.iter().map(|pair| self.travel(pair, bounds).0).collect();
        let more = |k: usize| (paths[k] + margin) * (1.0 + 4.0 * UNIT_ROUNDOFF);
        self.classify(more);
        for (k, &path) in paths.iter().enumerate() {
            let pair = self.pairs[k];
            match self.verdicts[k] {
                PairVerdict::Separated => continue,
                PairVerdict::Collision => return (self.depth(&pair) > path).then_some(false),
                PairVerdict::Unsure(_) => {}
            }
            if path > 0.5 * self.smaller(&pair) || self.within_distance(&pair, more(k)) != Overlap::Free {
                return None;
            }
        }
        Some(true)
    }

    /// True if the bodies are further apart than the margin in all of a box, false if they are not somewhere in it;
    /// `None` if neither is proven within so many parts of it.
    pub(in crate::cell) fn separated_in(&mut self, whole: Bounds, margin: f64, most: usize) -> Option<bool> {
        let (mut todo, mut visited) = (vec![whole], 0usize);
        while let Some(bounds) = todo.pop() {
            match self.separated(&bounds, margin) {
                Some(true) => continue,
                Some(false) => return Some(false),
                None => {}
            }
            // A part now and then will do for a witness.
            if visited.is_multiple_of(4) && self.is_within(margin) {
                return Some(false);
            }
            visited += 1;
            let widest = self.pairs.iter().map(|pair| self.travel(pair, &bounds));
            let by = widest.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, by)| by);
            if visited > most {
                return None;
            }
            todo.extend(halves(&bounds, by)?);
        }
        Some(true)
    }

    /// True if two bodies are closer than the margin at the values of now.
    fn is_within(&mut self, margin: f64) -> bool {
        (0..self.pairs.len()).any(|k| self.within_distance(&self.pairs[k].clone(), margin) == Overlap::Hit)
    }

    pub(super) fn run(&mut self) -> Reachability {
        let domain = self.chain.domain();
        // A witness and a collision-free configuration settle it.
        let settled = |hit: bool, all: bool, k: usize| hit && (!all || k > 64);
        let (witness, all) = if self.is_fixed() { (None, false) } else { self.sample(settled) };
        match witness {
            // Some configuration is collision-free: only a witness is wanted.
            Some(witness) if !all => Reachability::Possible { witness },
            Some(witness) => {
                if self.always() {
                    Reachability::Always { domain }
                } else {
                    Reachability::Possible { witness }
                }
            }
            None => self.never(domain),
        }
    }

    /// True if the pair is proven to collide in every configuration; a collision-free one ends the search.
    pub(super) fn run_always(&mut self) -> bool {
        if self.is_fixed() {
            return self.never(Domain::default()).is_always();
        }
        let (witness, all) = self.sample(|_, all, k| !all || k > 64);
        witness.is_some() && all && self.always() && self.chain.domain().is_everything()
    }

    /// True if nothing moves the parts against each other.
    fn is_fixed(&self) -> bool {
        self.chain.free.is_empty()
    }

    fn whole(&self) -> Bounds {
        self.chain.free.iter().map(|free| free.range).collect()
    }

    /// A configuration in which the pair collides, if one of the samples does, and true if all do. They end where `settled`
    /// by a collision so far, by collisions in all so far, and by the number of the last.
    fn sample(&mut self, settled: impl Fn(bool, bool, usize) -> bool) -> (Option<Vec<f64>>, bool) {
        let mut share = shares(5);
        let (mut witness, mut all) = (None, true);
        let ranges = self.sampled_ranges();
        // A line or a plane of configurations is searched with few.
        let enough = 64usize.saturating_mul(8usize.saturating_pow(self.chain.free.len() as u32));
        for k in 0..self.options.samples.min(enough) {
            if self.options.stopped() {
                break;
            }
            let drawn: Vec<f64> = ranges.iter().map(|[low, high]| low + (high - low) * share()).collect();
            self.set(&drawn);
            if self.collides() {
                witness.get_or_insert_with(|| self.values.clone());
            } else {
                all = false;
            }
            if settled(witness.is_some(), all, k) {
                break;
            }
        }
        (witness, all)
    }

    /// The ranges that samples are of: slides without end go as far as the parts can reach each other.
    fn sampled_ranges(&mut self) -> Bounds {
        self.data.pose_links(&self.values, &mut self.links);
        let spheres = self.pairs.iter().flat_map(|pair| pair.bodies);
        let spheres = spheres.map(|body| self.data.bodies[body as usize].sphere_at(&self.links));
        let ends = spheres.map(|sphere| sphere.center.length() + sphere.radius);
        let between = self.chain.steps.iter().map(|step| self.axis(step).0.length());
        let reach = ends.filter(|end| end.is_finite()).chain(between).fold(f64::MIN_POSITIVE, f64::max);
        let slides = |number: usize| {
            let steps = self.chain.steps.iter().filter(move |step| step.free == number);
            steps.filter(|step| step.by.movement == JointAxisKind::Slide).map(|step| step.by.factor.abs())
        };
        let range = |(number, free): (usize, &super::DomainRange)| {
            let factor = slides(number).fold(0.0, f64::max);
            let [low, high] = free.range;
            let most = 4.0 * reach / factor;
            let endless = free.origin == RangeOrigin::AllValues && factor > 0.0;
            if endless { [low.max(-most), high.min(most)] } else { [low, high] }
        };
        self.chain.free.iter().enumerate().map(range).collect()
    }

    /// Sets the free variables, and moves followers with the variables that they follow. A follower that is free itself
    /// is where it is put.
    fn set(&mut self, values: &[f64]) {
        let own = self.chain.free.iter().map(|free| free.value).zip(values);
        own.clone().for_each(|(own, value)| self.values[own] = *value);
        for arm in self.data.arms.iter().filter(|_| self.laws) {
            arm.robot.apply_laws(&mut self.values[arm.first_value..][..arm.robot.variables().len()]);
        }
        own.for_each(|(own, value)| self.values[own] = *value);
    }

    /// The filter's verdicts on all pairs at the values of now, each with so much added to its reach.
    fn classify(&mut self, more: impl Fn(usize) -> f64) {
        let filter = &self.filter;
        self.paths.clear();
        self.paths.extend((0..self.pairs.len()).map(|k| (k as u32, filter.rounded_up(more(k)))));
        let scope = Scope::Pairs(&self.paths);
        let request = Request { states: &self.values, count: 1, tables: None, stop: Stop::Never, scope };
        filter.classify(&mut self.batch, request);
        self.verdicts.clear();
        self.verdicts.resize(self.pairs.len(), PairVerdict::Separated);
        for &(_, pair) in &self.batch.colliding {
            self.verdicts[pair as usize] = PairVerdict::Collision;
        }
        for open in &self.batch.unsure {
            self.verdicts[open.pair as usize] = PairVerdict::Unsure(open.depth);
        }
    }

    /// Exact: two bodies are closer than a margin, or share a point where it is 0.
    fn within_distance(&mut self, pair: &BodyPair, margin: f64) -> Overlap {
        let [a, b] = pair.bodies.map(|body| self.data.bodies[body as usize].placed(&self.links));
        self.asked += 1;
        let mut context = QueryContext::new(&mut self.scratch);
        if margin > 0.0 { context.within_distance(&a, &b, margin) } else { context.overlap(&a, &b) }
    }

    /// True if the pair collides at the values of now.
    fn collides(&mut self) -> bool {
        self.classify(|_| 0.0);
        if self.verdicts.contains(&PairVerdict::Collision) {
            return true;
        }
        if self.batch.unsure.is_empty() {
            return false;
        }
        self.data.pose_links(&self.values, &mut self.links);
        (0..self.pairs.len()).any(|k| {
            let (pair, unsure) = (self.pairs[k], matches!(self.verdicts[k], PairVerdict::Unsure(_)));
            unsure && self.within_distance(&pair, 0.0) == Overlap::Hit
        })
    }

    fn never(&mut self, domain: Domain) -> Reachability {
        // A witness of loosened joints is no configuration of the robot.
        let is_loose = self.chain.loosen();
        let mut todo = vec![self.whole()];
        while let Some(bounds) = todo.pop() {
            if self.cells >= self.options.cells || self.options.stopped() {
                return Reachability::Undecided;
            }
            match self.step(&bounds) {
                Step::Separated => {}
                // The middle of a cell without variables is all of it.
                Step::Witness if bounds.is_empty() => return Reachability::Always { domain },
                Step::Witness if is_loose => return Reachability::Undecided,
                Step::Witness => return Reachability::Possible { witness: self.values.clone() },
                Step::Split(by) => match halves(&bounds, by) {
                    Some(parts) => todo.extend(parts),
                    None => return Reachability::Undecided,
                },
            }
        }
        Reachability::Never { domain }
    }

    /// True if inner spheres overlap for all joint values, within a tenth of the budget.
    fn always(&mut self) -> bool {
        let mut todo = vec![self.whole()];
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
                if !self.collides() {
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
        let middle: Vec<f64> = bounds.iter().map(|[low, high]| 0.5 * (low + high)).collect();
        self.set(&middle);
        self.data.pose_links(&self.values, &mut self.links);
    }

    fn step(&mut self, bounds: &Bounds) -> Step {
        self.middle(bounds);
        let paths: Vec<(f64, usize)> = self.pairs.iter().map(|pair| self.travel(pair, bounds)).collect();
        self.classify(|k| paths[k].0);
        let mut split = None;
        for (k, &(travel, widest)) in paths.iter().enumerate() {
            let pair = self.pairs[k];
            // Beyond the filter's range the bounding spheres themselves may be far enough apart.
            if self.verdicts[k] == PairVerdict::Separated || self.data.separation(&pair, &self.links) > travel
            {
                continue;
            }
            // A query that is bound to be answered with yes is not worth its time.
            if travel > 0.5 * self.smaller(&pair) && !bounds.is_empty() {
                split = Some(widest);
                continue;
            }
            match self.within_distance(&pair, travel) {
                Overlap::Free => {}
                Overlap::Hit | Overlap::Unknown => {
                    // Samples found no witness; a cell now and then will do for what they missed.
                    let search = bounds.is_empty() || self.cells.is_multiple_of(8);
                    if search && self.within_distance(&pair, 0.0) == Overlap::Hit {
                        return Step::Witness;
                    }
                    split = Some(widest);
                }
            }
        }
        split.map_or(Step::Separated, Step::Split)
    }

    /// The radius of the smaller of two bounding spheres.
    fn smaller(&self, pair: &BodyPair) -> f64 {
        let [a, b] = pair.bodies.map(|body| self.data.bodies[body as usize].cover.whole.radius);
        a.min(b)
    }

    /// How much the distance of two bodies may change from the middle of a box to any of it, and the variable
    /// that contributes most.
    fn travel(&self, pair: &BodyPair, bounds: &Bounds) -> (f64, usize) {
        let spheres = pair.bodies.map(|body| self.data.bodies[body as usize].sphere_at(&self.links));
        let steps = &self.chain.steps;
        let half = |step: &Between| {
            let [low, high] = bounds[step.free];
            (0.5 * (high - low) * step.by.factor.abs()) * (1.0 + 8.0 * UNIT_ROUNDOFF) + step.slack
        };
        let axes: Vec<(DVec3, DVec3)> = steps.iter().map(|step| self.axis(step)).collect();
        let arm = |k: usize, sphere: &Sphere, beyond: f64| match steps[k].by.movement {
            JointAxisKind::Slide => 1.0,
            JointAxisKind::Turn => {
                (sphere.center - axes[k].0).cross(axes[k].1).length() + sphere.radius + beyond
            }
        };
        let mut reach = vec![0.0f64; steps.len()];
        let mut beyond = 0.0;
        for k in (0..steps.len()).rev() {
            reach[k] = arm(k, &spheres[1], beyond);
            beyond += half(&steps[k]) * reach[k];
        }
        beyond = 0.0;
        for k in 0..steps.len() {
            let back = arm(k, &spheres[0], beyond);
            beyond += half(&steps[k]) * back;
            reach[k] = reach[k].min(back);
        }
        let mut shares = vec![0.0f64; bounds.len()];
        steps.iter().zip(&reach).for_each(|(step, reach)| shares[step.free] += half(step) * reach);
        let far = spheres.iter().map(|sphere| sphere.center.length() + sphere.radius).sum::<f64>();
        let sum_of = |movement: JointAxisKind| {
            let own = self.values.iter().zip(self.data.variables());
            own.filter(|(_, variable)| variable.movement == movement)
                .map(|(value, _)| value.abs())
                .sum::<f64>()
        };
        let (turned, slid) = (sum_of(JointAxisKind::Turn), sum_of(JointAxisKind::Slide));
        let error = 1024.0 * UNIT_ROUNDOFF * (self.data.steps + 4) as f64 * (far + slid) * (1.0 + turned);
        let widest = (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap_or(0);
        let sum: f64 = shares.iter().sum();
        let travel = if bounds.is_empty() { 0.0 } else { sum * (1.0 + 1e-12) + error };
        (travel, widest)
    }

    /// A point and the direction of a step's axis in the world.
    fn axis(&self, between: &Between) -> (DVec3, DVec3) {
        let arm = &self.data.arms[between.arm];
        let Some(limb) = arm.robot.limb_of(between.link) else { return (DVec3::ZERO, DVec3::Z) };
        let parent = &self.links[arm.first_link + limb.parent as usize];
        let values = arm.values(&self.values);
        let pose = arm.robot.within(parent, limb, between.step, |variable| values[variable as usize]);
        let axis = arm.robot.steps(limb)[between.step].axis;
        (pose.translation, pose.transform_vector(axis))
    }

    /// How deep inner spheres are in each other, at least; below 0 if none is.
    fn depth(&self, pair: &BodyPair) -> f64 {
        let [a, b] = pair.bodies.map(|body| {
            let body = &self.data.bodies[body as usize];
            let pose = body.carrier.map_or(Pose::IDENTITY, |link| self.links[link]);
            let placed = move |sphere: &Sphere| (pose.transform_point(sphere.center), sphere.radius);
            body.cover.inner.iter().map(placed).collect::<Vec<_>>()
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
