//! Removal of a part: simple paths first, then proofs that there is none, then the search.

use crate::blocked::{BlockingProof, Infeasible};
use crate::connect::{Effort, Query, connect};
use crate::directions::directions;
use crate::parallel::map;
use crate::path::{Counterexample, Path, Strategy};
use crate::pull::Pull;
use crate::rigid::{RigidMemory, RigidSpace};
use crate::screw::{Screw, Turn, about_axes, axes_of, follow, slippable, thread};
use crate::shorten::shorten;
use crate::space::Space;
use glam::DVec3;
use noli::world::BodyId;
use noli::{Pose, Relation};
use noli_geom::random::SplitMix64;

/// Options of the search for a removal path.
#[derive(Clone, Copy, Debug)]
pub struct RemoveOptions<'a> {
    /// Directions of straight pulls, besides those along and between the axes.
    pub directions: u32,
    /// Straight pulls in a row.
    pub pulls: u32,
    /// Turns and screws, guided by contact.
    pub screws: bool,
    /// The search by random trees; no steps, no search.
    pub effort: Effort<'a>,
    /// Prefers the path with the largest clearance to the shortest.
    pub widest: bool,
}

impl Default for RemoveOptions<'_> {
    fn default() -> Self {
        Self { directions: 200, pulls: 3, screws: true, effort: Effort::default(), widest: false }
    }
}

/// Result of a removal search.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RemovalResult {
    /// It can be removed along this path.
    Path(Box<Path>),
    /// It does not, by proof.
    Infeasible(Infeasible),
    /// The given path is not collision-free: its free share, and the blocking body.
    Stopped(Counterexample),
    /// No path was found, which proves nothing.
    Nothing,
}

/// Result of the removal of a part.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Removal {
    /// The path or proof, if any was found.
    pub found: RemovalResult,
    /// The straight pulls tried from the start pose, with the blocking bodies.
    pub pulls: Vec<Pull>,
    /// The turns and screws that were tried, and what stops them.
    pub turns: Vec<Turn>,
    /// Motions that were proven or refuted.
    pub steps: u64,
}

/// Plans a removal path of the part until its box is clear of the others', or proves that none exists.
///
/// ```
/// use noli::{Mesh, Model, Pose, World};
/// use noli_plan::{RemovalResult, RemoveOptions, RigidSpace, remove};
/// use glam::{DVec3, dvec3};
/// let mut world = World::default();
/// let plate = Model::new(Mesh::cuboid(dvec3(4.0, 4.0, 1.0))?.into_solid())?;
/// let peg = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
/// let at = |z: f64| Pose::from_translation(dvec3(0.0, 0.0, z));
/// for z in [0.0, 2.5] {
///     world.add(format!("plate at {z}"), &plate, at(z))?;
/// }
/// let peg = world.add("peg", &peg, at(1.25))?;
/// let space = RigidSpace::new(&world, &[peg], &[])?;
/// let RemovalResult::Path(path) = remove(&space, &RemoveOptions::default()).found else { panic!("it slides out") };
/// assert!(path.clearance.at_least > 0.24 && path.turned == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove(space: &RigidSpace, options: &RemoveOptions<'_>) -> Removal {
    let mut removal =
        Removal { found: RemovalResult::Nothing, pulls: Vec::new(), turns: Vec::new(), steps: 0 };
    if space.is_out(&space.start) && !space.touches_at_start() {
        removal.found = RemovalResult::Path(Box::new(space.report(vec![space.start], Strategy::Out)));
        return removal;
    }
    let overlapping = |(_, relation): &([BodyId; 2], Relation)| *relation != Relation::Touching;
    let status = space.status();
    if status.iter().any(overlapping) {
        let mut by: Vec<_> = status.iter().filter(|pair| overlapping(pair)).map(|([_, by], _)| *by).collect();
        by.dedup();
        let unknown = status.iter().all(|pair| !overlapping(pair) || pair.1 == Relation::Unknown);
        if !unknown {
            removal.found = RemovalResult::Infeasible(Infeasible { argument: BlockingProof::Overlaps, by });
        }
        return removal;
    }
    if let Some(blocked) = space.shut_in() {
        removal.found = RemovalResult::Infeasible(blocked);
        removal.pulls = pulls(space, &space.start, &directions(0));
        removal.steps = removal.pulls.len() as u64;
        return removal;
    }
    removal.pulls = pulls(space, &space.start, &directions(options.directions));
    removal.steps = removal.pulls.len() as u64;
    if let Some(path) = best_pull(space, &removal.pulls, options) {
        removal.found = RemovalResult::Path(Box::new(path));
        return removal;
    }
    if let Some(blocked) = space.linked().or_else(|| space.caged(&options.effort)) {
        removal.found = RemovalResult::Infeasible(blocked);
        return removal;
    }
    let mut finder = Finder { space, options, turns: Vec::new(), steps: removal.steps };
    let path = finder.find(&removal.pulls);
    (removal.steps, removal.turns) = (finder.steps, finder.turns);
    if let Some(path) = path {
        removal.found = RemovalResult::Path(Box::new(path));
    }
    removal
}

/// Pulls in many directions, on all threads.
fn pulls(space: &RigidSpace, from: &Pose, directions: &[DVec3]) -> Vec<Pull> {
    map(directions, |&direction| space.pull(from, direction, &mut RigidMemory::default()))
}

/// The shortest pull that leads out, or the one with the most room.
fn best_pull(space: &RigidSpace, pulls: &[Pull], options: &RemoveOptions<'_>) -> Option<Path> {
    const COMPARED: usize = 12;
    let mut out: Vec<&Pull> = pulls.iter().filter(|pull| pull.is_out()).collect();
    out.sort_by(|x, y| x.needed.total_cmp(&y.needed));
    let end =
        |pull: &Pull| Pose::new(space.start.rotation, space.start.translation + pull.direction * pull.needed);
    let proven = |pull: &&Pull| space.prove_path(&[space.start, end(pull)]).is_ok();
    if !options.widest {
        let pull = out.into_iter().find(proven)?;
        return Some(space.report(vec![space.start, end(pull)], Strategy::Pull));
    }
    let some: Vec<&Pull> = out.into_iter().filter(proven).take(COMPARED).collect();
    let paths = map(&some, |pull| space.report(vec![space.start, end(pull)], Strategy::Pull));
    paths
        .into_iter()
        .reduce(|best, path| if path.clearance.at_least > best.clearance.at_least { path } else { best })
}

struct Finder<'s> {
    space: &'s RigidSpace,
    options: &'s RemoveOptions<'s>,
    turns: Vec<Turn>,
    steps: u64,
}

/// Poses that are free from one to the next, and how far it is.
type Partial = (Vec<Pose>, f64);

/// Adds a few poses along a pull to the end of a path.
fn spread(space: &RigidSpace, path: &[Pose], length: f64, pull: &Pull, into: &mut Vec<Partial>) {
    let from = path[path.len() - 1];
    for share in [0.95, 0.6, 0.3] {
        let far = pull.free * share;
        if far > 1e-3 * space.reach {
            let mut next = path.to_vec();
            next.push(Pose::new(from.rotation, from.translation + pull.direction * far));
            into.push((next, length + far));
        }
    }
}

impl Finder<'_> {
    fn stopped(&self) -> bool {
        (self.options.effort.stop)() || self.steps >= self.options.effort.steps
    }

    fn find(&mut self, first: &[Pull]) -> Option<Path> {
        let roots = self.roots(first);
        let mut loose: Vec<Partial> = Vec::new();
        let root = roots.first().copied().filter(|_| self.options.screws);
        // What cannot be pulled far at all is turned before pulls are tried in a row.
        let is_tight = first.iter().all(|pull| pull.free < 0.5 * self.space.reach);
        for turns in [is_tight, !is_tight] {
            if self.stopped() {
                return None;
            }
            let (path, how) = match (turns, root) {
                (true, None) => continue,
                (true, Some(root)) => {
                    let mut screws = slippable(self.space, &root).into_iter();
                    let path = screws.find_map(|screw| {
                        if self.stopped() {
                            return None;
                        }
                        let out = self.turned(root, &[screw], &mut loose);
                        out.or_else(|| self.combined(std::mem::take(&mut loose)))
                    });
                    (path, Strategy::Screw)
                }
                (false, _) => {
                    let mut pulled = Vec::new();
                    first
                        .iter()
                        .for_each(|pull| spread(self.space, &[self.space.start], 0.0, pull, &mut pulled));
                    (self.combined(pulled), Strategy::Pulls)
                }
            };
            if let Some(path) = path.and_then(|path| self.finish(path, how)) {
                return Some(path);
            }
        }
        if let Some(root) = root {
            let path = if self.stopped() { None } else { self.threads(root) };
            if let Some(path) = path.and_then(|path| self.finish(path, Strategy::Screw)) {
                return Some(path);
            }
            if self.stopped() {
                return None;
            }
            let out = self.turned(root, &about_axes(self.space, &root), &mut loose);
            let path = out.or_else(|| self.combined(loose));
            if let Some(path) = path.and_then(|path| self.finish(path, Strategy::Screw)) {
                return Some(path);
            }
        }
        self.search(&roots)
    }

    /// Returns poses to start a search from: the start pose, or poses near it where the part is in contact.
    fn roots(&self, first: &[Pull]) -> Vec<Pose> {
        let space = self.space;
        if !space.touches_at_start() {
            return vec![space.start];
        }
        let mut memory = RigidMemory::default();
        let mut longest: Vec<&Pull> = first.iter().filter(|pull| pull.free > 0.0).collect();
        longest.sort_by(|x, y| y.free.total_cmp(&x.free));
        let at = |pull: &&Pull| {
            let path = (0.5 * pull.free).min(0.1 * space.reach);
            Pose::new(space.start.rotation, space.start.translation + pull.direction * path)
        };
        longest.iter().map(at).filter(|pose| space.is_free(pose, &mut memory)).take(8).collect()
    }

    /// Searches sequences of pulls breadth first, from the ends of known paths.
    fn combined(&mut self, mut frontier: Vec<Partial>) -> Option<Vec<Pose>> {
        const KEPT: usize = 48;
        let space = self.space;
        let axes = directions(0);
        for _ in 1..self.options.pulls {
            keep_apart(space, &mut frontier, KEPT);
            if frontier.is_empty() || self.stopped() {
                return None;
            }
            let tried = map(&frontier, |(path, _)| pulls(space, path.last().expect("has a start"), &axes));
            self.steps += (tried.len() * axes.len()) as u64;
            let mut best: Option<(f64, Vec<Pose>)> = None;
            let mut next: Vec<Partial> = Vec::new();
            for ((path, length), tried) in frontier.iter().zip(&tried) {
                for pull in tried {
                    if pull.is_out() {
                        let whole = length + pull.needed;
                        if best.as_ref().is_none_or(|(least, _)| whole < *least) {
                            let from = path[path.len() - 1];
                            let end = from.translation + pull.direction * pull.needed;
                            let mut path = path.clone();
                            path.push(Pose::new(from.rotation, end));
                            best = Some((whole, path));
                        }
                    } else {
                        spread(space, path, *length, pull, &mut next);
                    }
                }
            }
            if let Some((_, path)) = best {
                return Some(path);
            }
            frontier = next;
        }
        None
    }

    /// A screw about one of the axes.
    fn threads(&mut self, root: Pose) -> Option<Vec<Pose>> {
        let space = self.space;
        let found = map(&axes_of(&root), |axis| thread(space, root, *axis));
        self.steps += found.iter().map(|path| path.1).sum::<u64>();
        found.into_iter().find_map(|path| path.0).map(|path| self.begun_at_start(path))
    }

    /// Follows screws in both directions, guided by contact; returns the shortest that leads out. Loosened poses
    /// are added to `loose`.
    fn turned(&mut self, root: Pose, screws: &[Screw], loose: &mut Vec<Partial>) -> Option<Vec<Pose>> {
        let space = self.space;
        let both: Vec<Screw> = screws.iter().flat_map(|screw| [*screw, screw.reversed()]).collect();
        let followed = map(&both, |screw| follow(space, root, *screw, self.options.effort.stop));
        self.steps += followed.iter().map(|found| found.steps).sum::<u64>();
        let length = |path: &[Pose]| path.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let mut best: Option<(f64, Vec<Pose>)> = None;
        for found in followed {
            self.turns.push(Turn { screw: found.screw, angle: found.angle, by: found.by });
            if found.is_out {
                let whole = length(&found.path);
                if best.as_ref().is_none_or(|(least, _)| whole < *least) {
                    best = Some((whole, found.path));
                }
                continue;
            }
            for (at, pull) in &found.loosened {
                let path = self.begun_at_start(found.path[..=*at].to_vec());
                spread(space, &path, length(&path), pull, loose);
            }
        }
        best.map(|(_, path)| self.begun_at_start(path))
    }

    /// Extends a path that begins at a root to the part's start pose.
    fn begun_at_start(&self, mut path: Vec<Pose>) -> Vec<Pose> {
        if path[0] != self.space.start {
            path.insert(0, self.space.start);
        }
        path
    }

    fn search(&mut self, roots: &[Pose]) -> Option<Path> {
        let space = self.space;
        let effort = self.options.effort;
        let goals = self.goals();
        let left = effort.steps.saturating_sub(self.steps);
        let found =
            connect(space, &Query { starts: roots, goals: &goals }, &Effort { steps: left, ..effort });
        self.steps += found.steps;
        let mut path = found.path?;
        if path[0] != space.start {
            path.insert(0, space.start);
        }
        self.finish(path, Strategy::Search)
    }

    /// Returns collision-free poses outside, on all sides, unrotated and rotated.
    fn goals(&self) -> Vec<Pose> {
        let space = self.space;
        let mut dice = SplitMix64::stream(self.options.effort.seed, 0x60a1);
        let mut memory = RigidMemory::default();
        let mut goals = Vec::new();
        let room = space.rest.expanded(space.beyond + 1.05 * space.reach);
        for turn in 0..4 {
            for axis in 0..3 {
                for end in [room.min[axis], room.max[axis]] {
                    let mut center = space.start.transform_point(space.pivot);
                    if turn > 0 {
                        let (low, high) = (space.rest.min, space.rest.max);
                        center = DVec3::from_array([0, 1, 2].map(|k| dice.between(low[k], high[k])));
                    }
                    center[axis] = end;
                    let rotation = if turn == 0 { space.start.rotation } else { dice.rotation() };
                    let lever = Pose::from_rotation(rotation).transform_vector(space.pivot);
                    let pose = Pose::new(rotation, center - lever);
                    if space.is_out(&pose) && space.is_free(&pose, &mut memory) {
                        goals.push(pose);
                    }
                }
            }
        }
        goals
    }

    /// Shortens a path in rounds, each with twice the steps of the one before. Ends it where the part is removed,
    /// and proves it in its reported form. The shortest is kept: more steps are more rounds, so they never give a
    /// longer path.
    fn finish(&mut self, mut path: Vec<Pose>, how: Strategy) -> Option<Path> {
        let space = self.space;
        let effort = self.options.effort;
        let leaves = space.touches_at_start();
        let mut rest = if leaves { path.split_off(1) } else { std::mem::take(&mut path) };
        let least = if how == Strategy::Search { 400 } else { 100 };
        let most = (effort.steps / 10).clamp(least, 2000);
        let length = |path: &[Pose]| path.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let mut best: Option<(f64, Vec<Pose>)> = None;
        let (mut steps, mut spent) = (least, 0);
        while spent + steps <= most {
            let seed = effort.seed.wrapping_add(spent);
            self.steps += shorten(space, &mut rest, &Effort { steps, seed, ..effort });
            spent += steps;
            steps = spent;
            let mut whole: Vec<Pose> = path.iter().chain(&rest).copied().collect();
            trim(space, &mut whole);
            self.steps += widen(space, &mut whole, if leaves { 2 } else { 1 });
            let far = length(&whole);
            if best.as_ref().is_none_or(|(least, _)| far < *least)
                && let Some(proven) = space.through_origin(&whole)
                && proven.last().is_some_and(|last| space.is_out(last))
            {
                best = Some((far, proven));
            }
            if (effort.stop)() {
                break;
            }
        }
        best.map(|(_, proven)| space.report(proven, how))
    }
}

/// Moves poses of a path away from the nearest bodies, as long as the adjacent motions stay collision-free.
/// Poses before `first` and the last are unchanged. Returns the number of motions tested.
fn widen(space: &RigidSpace, path: &mut [Pose], first: usize) -> u64 {
    const ROUNDS: usize = 3;
    let mut memory = RigidMemory::default();
    let mut scratch = noli::Scratch::default();
    let mut steps = 0;
    for _ in 0..ROUNDS {
        for k in first..path.len().saturating_sub(1) {
            let Some((clearance, away)) = space.nearest_path(&path[k], &mut scratch) else { continue };
            let mut best = (clearance, path[k]);
            let mut step = 0.1 * space.reach;
            while step > 0.5 * clearance.max(space.tolerance) {
                let there = space.moved(&path[k], away * step, DVec3::ZERO);
                if let Some((wider, _)) = space.nearest_path(&there, &mut scratch)
                    && wider > best.0
                {
                    best = (wider, there);
                    break;
                }
                step *= 0.5;
            }
            if best.0 <= clearance {
                continue;
            }
            steps += 2;
            let free = |a: &Pose, b: &Pose, memory: &mut RigidMemory| space.prove(a, b, memory).is_free();
            if free(&path[k - 1], &best.1, &mut memory) && free(&best.1, &path[k + 1], &mut memory) {
                path[k] = best.1;
            }
        }
    }
    steps
}

/// Ends a path at the first pose where the part is removed, by bisection.
fn trim(space: &RigidSpace, path: &mut Vec<Pose>) {
    let Some(end) = (1..path.len()).find(|&k| space.is_out(&path[k])) else { return };
    path.truncate(end + 1);
    let (from, to) = (path[end - 1], path[end]);
    if space.is_out(&from) || from.rotation == to.rotation && end == 1 {
        return;
    }
    let (mut inside, mut out) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (inside + out);
        if space.is_out(&space.between(&from, &to, middle)) {
            out = middle;
        } else {
            inside = middle;
        }
    }
    path[end] = space.between(&from, &to, out);
}

/// Keeps the shortest of paths with nearby ends, and of all at most `most` with the largest mutual distances.
fn keep_apart(space: &RigidSpace, paths: &mut Vec<Partial>, most: usize) {
    paths.sort_by(|x, y| x.1.total_cmp(&y.1));
    let end = |path: &Partial| *path.0.last().expect("a way has a start");
    let mut near: Vec<f64> = vec![f64::INFINITY; paths.len()];
    let mut kept: Vec<usize> = Vec::new();
    for _ in 0..most.min(paths.len()) {
        let furthest = (0..paths.len()).max_by(|&x, &y| near[x].total_cmp(&near[y]).then(y.cmp(&x)));
        let Some(next) = furthest.filter(|&next| near[next] > 1e-3 * space.reach) else { break };
        kept.push(next);
        for other in 0..paths.len() {
            near[other] = near[other].min(space.distance(&end(&paths[next]), &end(&paths[other])));
        }
    }
    kept.sort_unstable();
    *paths = kept.into_iter().map(|number| paths[number].clone()).collect();
}
