//! How a part comes out: the simple ways first, then proofs that there is none, then the search.

use crate::blocked::{Argument, Blocked};
use crate::pull::{Pull, directions};
use crate::rigid::{RigidMemory, RigidSpace, contact_of};
use crate::way::{How, Refuted, Way};
use crate::{Dice, Edge, Effort, Query, Space, connect, shorten};
use glam::DVec3;
use noli::{Pose, Relation};
use std::f64::consts::PI;

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
    let mut removal = Removal { found: Found::Nothing, pulls: Vec::new(), steps: 0 };
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
    let mut finder = Finder { space, options, steps: removal.steps };
    let way = finder.find(&removal.pulls);
    removal.steps = finder.steps;
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
    steps: u64,
}

impl Finder<'_> {
    fn stopped(&self) -> bool {
        (self.options.effort.stop)() || self.steps >= self.options.effort.steps
    }

    fn find(&mut self, first: &[Pull]) -> Option<Way> {
        let way = self.combined(first);
        if let Some(way) = way.and_then(|way| self.finish(way, How::Pulls)) {
            return Some(way);
        }
        let roots = self.roots(first);
        if self.options.screws
            && let Some(way) = self.screws(&roots)
            && let Some(way) = self.finish(way, How::Screw)
        {
            return Some(way);
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

    /// Pulls after pulls: breadth first, from a few places along each.
    fn combined(&mut self, first: &[Pull]) -> Option<Vec<Pose>> {
        const KEPT: usize = 48;
        let space = self.space;
        let axes = directions(0);
        let mut frontier: Vec<(Vec<Pose>, f64)> = Vec::new();
        let spread = |way: &[Pose], length: f64, pull: &Pull, into: &mut Vec<(Vec<Pose>, f64)>| {
            let from = *way.last().expect("a way has a start");
            for share in [0.999, 0.6, 0.3] {
                let far = pull.free * share;
                if far > 1e-3 * space.reach {
                    let mut next = way.to_vec();
                    next.push(Pose::new(from.rotation, from.translation + pull.direction * far));
                    into.push((next, length + far));
                }
            }
        };
        for pull in first {
            spread(&[space.start], 0.0, pull, &mut frontier);
        }
        for _ in 1..self.options.pulls {
            keep_apart(space, &mut frontier, KEPT);
            if frontier.is_empty() || self.stopped() {
                return None;
            }
            let tried = map(&frontier, |(way, _)| pulls(space, way.last().expect("has a start"), &axes));
            self.steps += (tried.len() * axes.len()) as u64;
            let mut best: Option<(f64, Vec<Pose>)> = None;
            let mut next = Vec::new();
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
                        spread(way, *length, pull, &mut next);
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

    /// Turns about the axes of the part and of the world with an advance, guided by contact.
    fn screws(&mut self, roots: &[Pose]) -> Option<Vec<Pose>> {
        let space = self.space;
        let root = *roots.first()?;
        let own = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| root.transform_vector(axis));
        let mut axes: Vec<DVec3> = own.to_vec();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            if own.iter().all(|other| other.dot(axis).abs() < 0.999) {
                axes.push(axis);
            }
        }
        let mut wanted: Vec<(DVec3, DVec3)> = Vec::new();
        for axis in axes {
            for advance in [1.0, -1.0, 0.0] {
                for turn in [1.0, -1.0] {
                    wanted.push((axis * advance, axis * turn));
                }
            }
        }
        let ways = map(&wanted, |wanted| follow(space, root, *wanted, self.options.effort.stop));
        self.steps += ways.iter().map(|way| way.1).sum::<u64>();
        let length = |way: &Vec<Pose>| way.windows(2).map(|w| space.distance(&w[0], &w[1])).sum::<f64>();
        let mut best =
            ways.into_iter().filter_map(|way| way.0).min_by(|x, y| length(x).total_cmp(&length(y)))?;
        if root != space.start {
            best.insert(0, space.start);
        }
        Some(best)
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

    /// Shortens a way, ends it where the part is out, and proves it as it will be reported.
    fn finish(&mut self, mut way: Vec<Pose>, how: How) -> Option<Way> {
        let space = self.space;
        let effort = self.options.effort;
        let leaves = space.touches_at_start();
        let mut rest = if leaves { way.split_off(1) } else { std::mem::take(&mut way) };
        let least = if how == How::Search { 400 } else { 100 };
        let steps = (effort.steps / 10).clamp(least, 2000);
        self.steps += shorten(space, &mut rest, &Effort { steps, ..effort });
        way.extend(rest);
        trim(space, &mut way);
        let proven = space.through_origin(&way)?;
        space.is_out(proven.last()?).then(|| space.report(proven, how))
    }
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
fn keep_apart(space: &RigidSpace, ways: &mut Vec<(Vec<Pose>, f64)>, most: usize) {
    ways.sort_by(|x, y| x.1.total_cmp(&y.1));
    let end = |way: &(Vec<Pose>, f64)| *way.0.last().expect("a way has a start");
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

/// Goes on as wanted, along whatever is in the way, until the part is out or can be pulled out; with the number of
/// motions that were looked at.
fn follow(
    space: &RigidSpace,
    root: Pose,
    (advance, turn): (DVec3, DVec3),
    stop: &(dyn Fn() -> bool + Sync),
) -> (Option<Vec<Pose>>, u64) {
    const MOVES: usize = 240;
    let mut memory = RigidMemory::default();
    let wanted = (advance * (0.15 * space.reach), turn * (PI / 18.0));
    let whole = space.size(wanted);
    let axis = turn.normalize_or_zero();
    let pulls = [axis, -axis];
    let (mut at, mut way, mut steps, mut stalled) = (root, vec![root], 0, 0);
    let mut turned = 0.0;
    for number in 0..MOVES {
        if stop() {
            break;
        }
        let before = at;
        let mut contacts: Vec<(DVec3, DVec3)> = Vec::new();
        let mut target = space.moved(&at, wanted.0, wanted.1);
        for _ in 0..5 {
            steps += 1;
            match space.prove(&at, &target, &mut memory) {
                Edge::Free => {
                    at = target;
                    break;
                }
                Edge::Until { share, block } => {
                    let share = space.stop_at(share, space.distance(&at, &target));
                    if share * space.distance(&at, &target) > 1e-4 * space.reach {
                        at = space.between(&at, &target, share);
                    }
                    let touch = block.and_then(|block| block.touch);
                    let Some(contact) = touch.and_then(|touch| contact_of(&touch)) else { break };
                    contacts.push(contact);
                    let left = space.along(&at, wanted, &contacts);
                    if space.size(left) < 0.05 * whole {
                        break;
                    }
                    target = space.moved(&at, left.0, left.1);
                }
            }
        }
        let gone = space.distance(&before, &at);
        turned += space.twist(&before, &at).1.length();
        stalled = if gone < 0.01 * whole { stalled + 1 } else { 0 };
        if stalled > 2 || (advance == DVec3::ZERO && turned > 2.0 * PI) {
            break;
        }
        if at != before {
            way.push(at);
        }
        if space.is_out(&at) {
            return (Some(way), steps);
        }
        if number % 2 == 0 {
            for direction in pulls {
                steps += 1;
                let pull = space.pull(&at, direction, &mut memory);
                if pull.is_out() {
                    way.push(Pose::new(at.rotation, at.translation + direction * pull.needed));
                    return (Some(way), steps);
                }
            }
        }
    }
    (None, steps)
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
