//! How a part comes out: the simple ways first, then proofs that there is none, then the search.

use crate::blocked::{Argument, Blocked};
use crate::pull::{Pull, directions};
use crate::rigid::{RigidMemory, RigidSpace};
use crate::screw::{Screw, Turn, about_axes, axes_of, follow, slippable, thread};
use crate::way::{How, Refuted, Way};
use crate::{Dice, Effort, Query, Space, connect, shorten};
use glam::DVec3;
use noli::{Pose, Relation};

/// How to look for a way out.
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
    /// Of several ways the one with the most room, not the shortest.
    pub widest: bool,
}

impl Default for RemoveOptions<'_> {
    fn default() -> Self {
        Self { directions: 200, pulls: 3, screws: true, effort: Effort::default(), widest: false }
    }
}

/// Whether a part comes out.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// It does, along this way.
    Way(Box<Way>),
    /// It does not, by proof.
    Blocked(Blocked),
    /// The way that was given is not free: how far it is, and what stops it.
    Stopped(Refuted),
    /// No way was found, which proves nothing.
    Nothing,
}

/// What is known about taking a part out.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// Whether it comes out.
    pub found: Found,
    /// The straight pulls that were tried from where it stands, and what stops them.
    pub pulls: Vec<Pull>,
    /// The turns and screws that were tried, and what stops them.
    pub turns: Vec<Turn>,
    /// Motions that were proven or refuted.
    pub steps: u64,
}

/// Finds a way for the part until its box is clear of that of the others, or proves that there is none.
///
/// ```
/// use noli::{Mesh, Model, Pose, World};
/// use noli_plan::{Found, RemoveOptions, RigidSpace, remove};
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
/// let Found::Way(way) = remove(&space, &RemoveOptions::default()).found else { panic!("it slides out") };
/// assert!(way.gap.at_least > 0.24 && way.turned == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove(space: &RigidSpace, options: &RemoveOptions<'_>) -> Removal {
    let mut removal = Removal { found: Found::Nothing, pulls: Vec::new(), turns: Vec::new(), steps: 0 };
    if space.is_out(&space.start) && !space.touches_at_start() {
        removal.found = Found::Way(Box::new(space.report(vec![space.start], How::Out)));
        return removal;
    }
    let overlapping = |(_, _, relation): &(usize, usize, Relation)| *relation != Relation::Touching;
    let standing = space.standing();
    if standing.iter().any(overlapping) {
        let mut by: Vec<_> =
            standing.iter().filter(|pair| overlapping(pair)).map(|pair| space.others[pair.1].id).collect();
        by.dedup();
        let unknown = standing.iter().all(|pair| !overlapping(pair) || pair.2 == Relation::Unknown);
        if !unknown {
            removal.found = Found::Blocked(Blocked { argument: Argument::Overlaps, by });
        }
        return removal;
    }
    if let Some(blocked) = space.shut_in() {
        removal.found = Found::Blocked(blocked);
        removal.pulls = pulls(space, &space.start, &directions(0));
        removal.steps = removal.pulls.len() as u64;
        return removal;
    }
    removal.pulls = pulls(space, &space.start, &directions(options.directions));
    removal.steps = removal.pulls.len() as u64;
    if let Some(way) = best_pull(space, &removal.pulls, options) {
        removal.found = Found::Way(Box::new(way));
        return removal;
    }
    if let Some(blocked) = space.linked().or_else(|| space.caged(&options.effort)) {
        removal.found = Found::Blocked(blocked);
        return removal;
    }
    let mut finder = Finder { space, options, turns: Vec::new(), steps: removal.steps };
    let way = finder.find(&removal.pulls);
    (removal.steps, removal.turns) = (finder.steps, finder.turns);
    if let Some(way) = way {
        removal.found = Found::Way(Box::new(way));
    }
    removal
}

/// Pulls in many directions, on all threads.
fn pulls(space: &RigidSpace, from: &Pose, directions: &[DVec3]) -> Vec<Pull> {
    map(directions, |&direction| space.pull(from, direction, &mut RigidMemory::default()))
}

/// The shortest pull that leads out, or the one with the most room.
fn best_pull(space: &RigidSpace, pulls: &[Pull], options: &RemoveOptions<'_>) -> Option<Way> {
    const COMPARED: usize = 12;
    let mut out: Vec<&Pull> = pulls.iter().filter(|pull| pull.is_out()).collect();
    out.sort_by(|x, y| x.needed.total_cmp(&y.needed));
    let end =
        |pull: &Pull| Pose::new(space.start.rotation, space.start.translation + pull.direction * pull.needed);
    let proven = |pull: &&Pull| space.prove_way(&[space.start, end(pull)]).is_ok();
    if !options.widest {
        let pull = out.into_iter().find(proven)?;
        return Some(space.report(vec![space.start, end(pull)], How::Pull));
    }
    let some: Vec<&Pull> = out.into_iter().filter(proven).take(COMPARED).collect();
    let ways = map(&some, |pull| space.report(vec![space.start, end(pull)], How::Pull));
    ways.into_iter().reduce(|best, way| if way.gap.at_least > best.gap.at_least { way } else { best })
}

struct Finder<'s> {
    space: &'s RigidSpace,
    options: &'s RemoveOptions<'s>,
    turns: Vec<Turn>,
    steps: u64,
}

/// Poses that are free from one to the next, and how far it is.
type Partial = (Vec<Pose>, f64);

/// Adds a few places along a pull to the end of a way.
fn spread(space: &RigidSpace, way: &[Pose], length: f64, pull: &Pull, into: &mut Vec<Partial>) {
    let from = way[way.len() - 1];
    for share in [0.95, 0.6, 0.3] {
        let far = pull.free * share;
        if far > 1e-3 * space.reach {
            let mut next = way.to_vec();
            next.push(Pose::new(from.rotation, from.translation + pull.direction * far));
            into.push((next, length + far));
        }
    }
}

impl Finder<'_> {
    fn stopped(&self) -> bool {
        (self.options.effort.stop)() || self.steps >= self.options.effort.steps
    }

    fn find(&mut self, first: &[Pull]) -> Option<Way> {
        let roots = self.roots(first);
        let mut loose: Vec<Partial> = Vec::new();
        let root = roots.first().copied().filter(|_| self.options.screws);
        // What cannot be pulled far at all is turned before pulls are tried in a row.
        let is_tight = first.iter().all(|pull| pull.free < 0.5 * self.space.reach);
        for turns in [is_tight, !is_tight] {
            if self.stopped() {
                return None;
            }
            let (way, how) = match (turns, root) {
                (true, None) => continue,
                (true, Some(root)) => {
                    let mut screws = slippable(self.space, &root).into_iter();
                    let way = screws.find_map(|screw| {
                        if self.stopped() {
                            return None;
                        }
                        let out = self.turned(root, &[screw], &mut loose);
                        out.or_else(|| self.combined(std::mem::take(&mut loose)))
                    });
                    (way, How::Screw)
                }
                (false, _) => {
                    let mut pulled = Vec::new();
                    first
                        .iter()
                        .for_each(|pull| spread(self.space, &[self.space.start], 0.0, pull, &mut pulled));
                    (self.combined(pulled), How::Pulls)
                }
            };
            if let Some(way) = way.and_then(|way| self.finish(way, how)) {
                return Some(way);
            }
        }
        if let Some(root) = root {
            let way = if self.stopped() { None } else { self.threads(root) };
            if let Some(way) = way.and_then(|way| self.finish(way, How::Screw)) {
                return Some(way);
            }
            if self.stopped() {
                return None;
            }
            let out = self.turned(root, &about_axes(self.space, &root), &mut loose);
            let way = out.or_else(|| self.combined(loose));
            if let Some(way) = way.and_then(|way| self.finish(way, How::Screw)) {
                return Some(way);
            }
        }
        self.search(&roots)
    }

    /// Places to start a search from: where the part stands, or short of it where it touches something.
    fn roots(&self, first: &[Pull]) -> Vec<Pose> {
        let space = self.space;
        if !space.touches_at_start() {
            return vec![space.start];
        }
        let mut memory = RigidMemory::default();
        let mut longest: Vec<&Pull> = first.iter().filter(|pull| pull.free > 0.0).collect();
        longest.sort_by(|x, y| y.free.total_cmp(&x.free));
        let at = |pull: &&Pull| {
            let way = (0.5 * pull.free).min(0.1 * space.reach);
            Pose::new(space.start.rotation, space.start.translation + pull.direction * way)
        };
        longest.iter().map(at).filter(|pose| space.is_free(pose, &mut memory)).take(8).collect()
    }

    /// Pulls after pulls: breadth first, from the ends of ways that are known.
    fn combined(&mut self, mut frontier: Vec<Partial>) -> Option<Vec<Pose>> {
        const KEPT: usize = 48;
        let space = self.space;
        let axes = directions(0);
        for _ in 1..self.options.pulls {
            keep_apart(space, &mut frontier, KEPT);
            if frontier.is_empty() || self.stopped() {
                return None;
            }
            let tried = map(&frontier, |(way, _)| pulls(space, way.last().expect("has a start"), &axes));
            self.steps += (tried.len() * axes.len()) as u64;
            let mut best: Option<(f64, Vec<Pose>)> = None;
            let mut next: Vec<Partial> = Vec::new();
            for ((way, length), tried) in frontier.iter().zip(&tried) {
                for pull in tried {
                    if pull.is_out() {
                        let whole = length + pull.needed;
                        if best.as_ref().is_none_or(|(least, _)| whole < *least) {
                            let from = way[way.len() - 1];
                            let end = from.translation + pull.direction * pull.needed;
                            let mut way = way.clone();
                            way.push(Pose::new(from.rotation, end));
                            best = Some((whole, way));
                        }
                    } else {
                        spread(space, way, *length, pull, &mut next);
                    }
                }
            }
            if let Some((_, way)) = best {
                return Some(way);
            }
            frontier = next;
        }
        None
    }

    /// A screw about one of the axes.
    fn threads(&mut self, root: Pose) -> Option<Vec<Pose>> {
        let space = self.space;
        let found = map(&axes_of(&root), |axis| thread(space, root, *axis));
        self.steps += found.iter().map(|way| way.1).sum::<u64>();
        found.into_iter().find_map(|way| way.0).map(|way| self.begun_at_start(way))
    }

    /// Screws either way round, guided by contact: the shortest that leads out. What they loosened is added to `loose`.
    fn turned(&mut self, root: Pose, screws: &[Screw], loose: &mut Vec<Partial>) -> Option<Vec<Pose>> {
        let space = self.space;
        let both: Vec<Screw> = screws.iter().flat_map(|screw| [*screw, screw.reversed()]).collect();
        let followed = map(&both, |screw| follow(space, root, *screw, self.options.effort.stop));
        self.steps += followed.iter().map(|found| found.steps).sum::<u64>();
        let length = |way: &[Pose]| way.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let mut best: Option<(f64, Vec<Pose>)> = None;
        for found in followed {
            self.turns.push(Turn { screw: found.screw, angle: found.angle, by: found.by });
            if found.is_out {
                let whole = length(&found.way);
                if best.as_ref().is_none_or(|(least, _)| whole < *least) {
                    best = Some((whole, found.way));
                }
                continue;
            }
            for (at, pull) in &found.loosened {
                let way = self.begun_at_start(found.way[..=*at].to_vec());
                spread(space, &way, length(&way), pull, loose);
            }
        }
        best.map(|(_, way)| self.begun_at_start(way))
    }

    /// A way that begins at a root, from where the part stands.
    fn begun_at_start(&self, mut way: Vec<Pose>) -> Vec<Pose> {
        if way[0] != self.space.start {
            way.insert(0, self.space.start);
        }
        way
    }

    fn search(&mut self, roots: &[Pose]) -> Option<Way> {
        let space = self.space;
        let effort = self.options.effort;
        let goals = self.goals();
        let left = effort.steps.saturating_sub(self.steps);
        let found =
            connect(space, &Query { starts: roots, goals: &goals }, &Effort { steps: left, ..effort });
        self.steps += found.steps;
        let mut way = found.way?;
        if way[0] != space.start {
            way.insert(0, space.start);
        }
        self.finish(way, How::Search)
    }

    /// Free places outside, on all sides, as the part stands and turned.
    fn goals(&self) -> Vec<Pose> {
        let space = self.space;
        let mut dice = Dice::of(self.options.effort.seed, 0x60a1);
        let mut memory = RigidMemory::default();
        let mut goals = Vec::new();
        let room = space.rest.grown(space.beyond + 1.05 * space.reach);
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

    /// Shortens a way in rounds, each with twice the steps of the one before, ends it where the part is out, and proves
    /// it as it will be reported. The shortest is kept: more steps are more rounds, so they never give a longer way.
    fn finish(&mut self, mut way: Vec<Pose>, how: How) -> Option<Way> {
        let space = self.space;
        let effort = self.options.effort;
        let leaves = space.touches_at_start();
        let mut rest = if leaves { way.split_off(1) } else { std::mem::take(&mut way) };
        let least = if how == How::Search { 400 } else { 100 };
        let most = (effort.steps / 10).clamp(least, 2000);
        let length = |way: &[Pose]| way.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let mut best: Option<(f64, Vec<Pose>)> = None;
        let (mut steps, mut spent) = (least, 0);
        while spent + steps <= most {
            let seed = effort.seed.wrapping_add(spent);
            self.steps += shorten(space, &mut rest, &Effort { steps, seed, ..effort });
            spent += steps;
            steps = spent;
            let mut whole: Vec<Pose> = way.iter().chain(&rest).copied().collect();
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

/// Moves poses of a way away from what is nearest to them, as long as the motions to and from them stay free; those
/// before `first` and the last stay. How many motions were looked at.
fn widen(space: &RigidSpace, way: &mut [Pose], first: usize) -> u64 {
    const ROUNDS: usize = 3;
    let mut memory = RigidMemory::default();
    let mut scratch = noli::Scratch::default();
    let mut steps = 0;
    for _ in 0..ROUNDS {
        for k in first..way.len().saturating_sub(1) {
            let Some((gap, away)) = space.nearest_way(&way[k], &mut scratch) else { continue };
            let mut best = (gap, way[k]);
            let mut step = 0.1 * space.reach;
            while step > 0.5 * gap.max(space.tolerance) {
                let there = space.moved(&way[k], away * step, DVec3::ZERO);
                if let Some((wider, _)) = space.nearest_way(&there, &mut scratch)
                    && wider > best.0
                {
                    best = (wider, there);
                    break;
                }
                step *= 0.5;
            }
            if best.0 <= gap {
                continue;
            }
            steps += 2;
            let free = |a: &Pose, b: &Pose, memory: &mut RigidMemory| space.prove(a, b, memory).is_free();
            if free(&way[k - 1], &best.1, &mut memory) && free(&best.1, &way[k + 1], &mut memory) {
                way[k] = best.1;
            }
        }
    }
    steps
}

/// Ends a way where the part is out for the first time, up to halving.
fn trim(space: &RigidSpace, way: &mut Vec<Pose>) {
    let Some(end) = (1..way.len()).find(|&k| space.is_out(&way[k])) else { return };
    way.truncate(end + 1);
    let (from, to) = (way[end - 1], way[end]);
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
    way[end] = space.between(&from, &to, out);
}

/// Of ways that end near each other, the shortest; of all, so many that lie furthest apart.
fn keep_apart(space: &RigidSpace, ways: &mut Vec<Partial>, most: usize) {
    ways.sort_by(|x, y| x.1.total_cmp(&y.1));
    let end = |way: &Partial| *way.0.last().expect("a way has a start");
    let mut near: Vec<f64> = vec![f64::INFINITY; ways.len()];
    let mut kept: Vec<usize> = Vec::new();
    for _ in 0..most.min(ways.len()) {
        let furthest = (0..ways.len()).max_by(|&x, &y| near[x].total_cmp(&near[y]).then(y.cmp(&x)));
        let Some(next) = furthest.filter(|&next| near[next] > 1e-3 * space.reach) else { break };
        kept.push(next);
        for other in 0..ways.len() {
            near[other] = near[other].min(space.distance(&end(&ways[next]), &end(&ways[other])));
        }
    }
    kept.sort_unstable();
    *ways = kept.into_iter().map(|number| ways[number].clone()).collect();
}

/// `items.map(f)`, in order, on all threads.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        items.par_iter().map(f).collect()
    }
    #[cfg(not(feature = "rayon"))]
    items.iter().map(f).collect()
}
