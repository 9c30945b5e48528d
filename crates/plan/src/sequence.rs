//! Removal order of the parts of an assembly.
//!
//! For a direction, a part is blocked by every other that it collides with on its removal path
//! ([`crate::blocking`]). A set of parts that is blocked by none outside is removed as one. The smallest such
//! sets are removed first, and then disassembled by themselves. Where no direction has one, pairs that are
//! proven inseparable are joined, and removal paths of single parts are searched. Pairs that penetrate each
//! other move as one from the start.

use crate::blocked::{BlockingProof, Infeasible};
use crate::blocking::Blocking;
use crate::connect::Effort;
use crate::directions::directions;
use crate::error::PlanError;
use crate::path::{Path, Strategy};
use crate::remove::{RemovalResult, RemoveOptions, remove};
use crate::rigid::RigidSpace;
use noli::world::{BodyId, Snapshot};
use noli::{Pose, World};
use std::collections::VecDeque;

/// Two parts that are inseparable, by proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Locked {
    /// The parts.
    pub pair: [BodyId; 2],
    /// Reason.
    pub argument: BlockingProof,
}

/// Parts that come out as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The parts; the path is that of the first.
    pub parts: Vec<BodyId>,
    /// Their removal motion.
    pub path: Path,
    /// Parts removed by earlier steps that blocked a pull in the same direction: these come first.
    pub after: Vec<BodyId>,
    /// The step that took out the subassembly that these are parts of; `None` where they come out of the whole.
    pub of: Option<usize>,
}

/// Disassembly sequence of an assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disassembly {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The remainder: one part or unit, or those without a removal path.
    pub left: Vec<Vec<BodyId>>,
    /// Pairs that are inseparable, by proof.
    pub locked: Vec<Locked>,
    /// `true` if it was stopped before everything was tried.
    pub stopped: bool,
    /// Motions that were proven or refuted.
    pub steps_spent: u64,
}

/// Progress callback: current task, completed count, total count.
pub type Watch<'a> = dyn Fn(&str, usize, usize) + Sync + 'a;

/// Options of disassembly.
#[derive(Clone, Copy)]
pub struct DisassembleOptions<'a> {
    /// Options of the search for a single part where no direction leads out.
    pub remove: RemoveOptions<'a>,
    /// Directions besides those along and between the axes.
    pub directions: u32,
    /// A part that stays: the base. By default the last one.
    pub base: Option<BodyId>,
    /// Parts that come out before others where they can: fasteners.
    pub first: &'a [BodyId],
    /// Receives the progress.
    pub watch: &'a Watch<'a>,
}

impl std::fmt::Debug for DisassembleOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { remove, directions, base, first, .. } = self;
        f.debug_struct("DisassembleOptions")
            .field("remove", remove)
            .field("directions", directions)
            .field("base", base)
            .field("first", first)
            .finish()
    }
}

impl Default for DisassembleOptions<'_> {
    fn default() -> Self {
        let remove = RemoveOptions::default();
        let effort = Effort { steps: 3000, ..remove.effort };
        let remove = RemoveOptions { effort, ..remove };
        Self { remove, directions: 0, base: None, first: &[], watch: &|_, _, _| {} }
    }
}

/// Disassembles an assembly, as far as removal paths are found. If stopped, returns the result so far.
pub fn disassemble(world: &World, options: &DisassembleOptions<'_>) -> Result<Disassembly, PlanError> {
    let mut separated = Takedown::new(world.snapshot(), options)?;
    let mut groups = VecDeque::from([Group { units: separated.units(), of: None }]);
    while let Some(mut group) = groups.pop_front() {
        while group.units.len() > 1 {
            if separated.stops() {
                separated.result.stopped = true;
                break;
            }
            let out = match separated.pulled(&group)? {
                Some(out) => out,
                None if separated.join_locked(&mut group) => continue,
                None => match separated.searched(&group)? {
                    Some(out) => out,
                    None if separated.join_caged(&mut group) => continue,
                    // A search that was stopped has found nothing either.
                    None => {
                        separated.result.stopped |= separated.stops();
                        break;
                    }
                },
            };
            if let Some(units) = separated.take(&mut group, out) {
                groups.push_back(Group { units, of: Some(separated.result.steps.len() - 1) });
            }
        }
        if group.units.len() > 1 || group.of.is_none() {
            let ids = |unit: &Unit| unit.iter().map(|&part| separated.parts[part]).collect();
            let left: Vec<Vec<BodyId>> = group.units.iter().map(ids).collect();
            separated.result.left.extend(left);
        }
    }
    Ok(separated.result)
}

/// Parts that move as one, by number.
type Unit = Vec<usize>;

/// Units to be disassembled.
struct Group {
    units: Vec<Unit>,
    /// The step that took them out as one.
    of: Option<usize>,
}

/// The next removal.
struct Out {
    /// Numbers of units.
    set: Vec<usize>,
    path: Path,
    /// The direction, where it is a pull.
    axis: Option<usize>,
}

struct Takedown<'a> {
    world: Snapshot,
    options: &'a DisassembleOptions<'a>,
    /// The removable parts first, then unbounded ones.
    parts: Vec<BodyId>,
    finite: usize,
    blocking: Blocking,
    /// A part that the search found to be kept by one other.
    caged: Option<([usize; 2], BlockingProof)>,
    result: Disassembly,
}

/// Directions along the axes are tested before those between them.
const ALONG_AXES: usize = 6;

impl<'a> Takedown<'a> {
    fn new(world: Snapshot, options: &'a DisassembleOptions<'a>) -> Result<Self, PlanError> {
        let bodies = || world.bodies().filter(|(_, body)| !body.model().is_empty());
        let has_end = |id: BodyId| {
            world.body(id).is_ok_and(|body| {
                let bounds = body.model().aabb();
                bounds.min.is_finite() && bounds.max.is_finite()
            })
        };
        let mut parts: Vec<BodyId> = bodies().map(|(id, _)| id).filter(|&id| has_end(id)).collect();
        let finite = parts.len();
        parts.extend(bodies().map(|(id, _)| id).filter(|&id| !has_end(id)));
        let watch = |done, of| (options.watch)("pairs as they stand", done, of);
        // Those on a spiral over the sphere have no opposites; both are listed.
        let mut axes = directions(options.directions);
        let opposites: Vec<_> = axes.iter().map(|axis| -*axis).filter(|axis| !axes.contains(axis)).collect();
        axes.extend(opposites);
        let blocking = Blocking::new(&world, &parts, axes, &watch)?;
        Ok(Self { world, options, parts, finite, blocking, caged: None, result: Disassembly::default() })
    }

    fn stops(&self) -> bool {
        (self.options.remove.effort.stop)()
    }

    /// The parts; those that reach into each other are one unit.
    fn units(&mut self) -> Vec<Unit> {
        let mut units: Vec<Unit> = (0..self.finite).map(|part| vec![part]).collect();
        for [i, j] in self.blocking.overlapping() {
            if i.max(j) < self.finite {
                self.lock(&mut units, [i, j], BlockingProof::Overlaps);
            }
        }
        units
    }

    fn lock(&mut self, units: &mut Vec<Unit>, pair: [usize; 2], argument: BlockingProof) {
        let pair = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        self.result.locked.push(Locked { pair: pair.map(|part| self.parts[part]), argument });
        join(units, pair);
    }

    /// Returns the units of a group that a pull removes: a single unit if there is one, or the smallest set.
    fn pulled(&mut self, group: &Group) -> Result<Option<Out>, PlanError> {
        let among: Vec<usize> =
            group.units.iter().flatten().copied().chain(self.finite..self.parts.len()).collect();
        let all = self.blocking.axes().len();
        let mut large = None;
        for axes in [ALONG_AXES.min(all), all] {
            let watch = |done, of| (self.options.watch)("who is in whose way", done, of);
            let spent = self.blocking.ask(&among, axes, self.options.remove.effort.stop, &watch);
            self.result.steps_spent += spent;
            let found = self.smallest(group, axes)?;
            if found.as_ref().is_some_and(|out| out.set.len() == 1) {
                return Ok(found);
            }
            large = large.or(found);
            if self.stops() {
                break;
            }
        }
        Ok(large)
    }

    /// Returns the units that block each unit in a direction; unbounded ones are last.
    fn blockers(&self, units: &[Unit], axis: usize) -> Vec<Vec<usize>> {
        let meets = |unit: &Unit, other: &[usize]| {
            unit.iter().any(|&part| other.iter().any(|&other| self.blocking.blocks(other, part, axis)))
        };
        let endless: Vec<usize> = (self.finite..self.parts.len()).collect();
        let of = |number: usize| {
            let others = (0..units.len()).filter(|&other| other != number);
            let mut by: Vec<usize> = others.filter(|&other| meets(&units[number], &units[other])).collect();
            by.extend(meets(&units[number], &endless).then_some(units.len()));
            by
        };
        (0..units.len()).map(of).collect()
    }

    /// Returns the smallest set that a pull removes, fasteners first; its path is proven among all remaining parts.
    fn smallest(&mut self, group: &Group, axes: usize) -> Result<Option<Out>, PlanError> {
        let mut sets: Vec<(bool, usize, usize, Vec<usize>)> = Vec::new();
        for axis in 0..axes {
            let blocked = self.blockers(&group.units, axis);
            for first in 0..group.units.len() {
                let set = closure(&blocked, first);
                let moves = set.len() < group.units.len() && !set.contains(&group.units.len());
                if moves && !self.holds_base(group, &set) {
                    let late =
                        !set.iter().flat_map(|&unit| &group.units[unit]).all(|&part| self.is_first(part));
                    sets.push((late, set.len(), axis, set));
                }
            }
        }
        sets.sort_by(|x, y| (x.0, x.1, x.2, &x.3).cmp(&(y.0, y.1, y.2, &y.3)));
        sets.dedup_by(|x, y| x.3 == y.3 && x.2 == y.2);
        for (_, _, axis, set) in sets {
            let space = self.space(group, &set)?;
            let direction = self.blocking.axes()[axis];
            let end = space.start.translation + direction * space.removal_path(&space.start, direction);
            let poses = vec![space.start, Pose::new(space.start.rotation, end)];
            self.result.steps_spent += 1;
            if space.prove_path(&poses).is_ok() {
                let how = if poses[0] == poses[1] { Strategy::Out } else { Strategy::Pull };
                let poses = if how == Strategy::Out { vec![space.start] } else { poses };
                return Ok(Some(Out { set, path: space.report(poses, how), axis: Some(axis) }));
            }
            if self.stops() {
                break;
            }
        }
        Ok(None)
    }

    /// Units as one among the others of their group; bodies without end count for the whole alone.
    fn space(&self, group: &Group, set: &[usize]) -> Result<RigidSpace, PlanError> {
        let ids = |inside: bool| {
            let of = (0..group.units.len()).filter(move |unit| set.contains(unit) == inside);
            of.flat_map(|unit| group.units[unit].iter().map(|&part| self.parts[part]))
        };
        let moving: Vec<BodyId> = ids(true).collect();
        let mut others: Vec<BodyId> = ids(false).collect();
        if group.of.is_none() {
            others.extend(&self.parts[self.finite..]);
        }
        RigidSpace::among(&self.world, &moving, &others)
    }

    fn is_first(&self, part: usize) -> bool {
        self.options.first.contains(&self.parts[part])
    }

    fn holds_base(&self, group: &Group, set: &[usize]) -> bool {
        let holds =
            |base| set.iter().any(|&unit| group.units[unit].iter().any(|&part| self.parts[part] == base));
        self.options.base.is_some_and(holds)
    }

    /// Searches for a path of any single unit, the smaller ones first; all with a small budget before any with a
    /// large one.
    fn searched(&mut self, group: &Group) -> Result<Option<Out>, PlanError> {
        const LITTLE: u64 = 400;
        let mut spaces: Vec<(f64, usize, RigidSpace)> = Vec::new();
        for unit in 0..group.units.len() {
            let space = self.space(group, &[unit])?;
            spaces.push((space.reach, unit, space));
        }
        spaces.sort_by(|x, y| x.0.total_cmp(&y.0));
        let effort = self.options.remove.effort;
        for steps in [LITTLE.min(effort.steps), effort.steps] {
            for (number, (_, unit, space)) in spaces.iter().enumerate() {
                if self.holds_base(group, &[*unit]) {
                    continue;
                }
                if self.stops() {
                    return Ok(None);
                }
                (self.options.watch)("ways with turns", number + 1, spaces.len());
                let effort = Effort { steps, ..effort };
                let removal = remove(space, &RemoveOptions { effort, ..self.options.remove });
                self.result.steps_spent += removal.steps;
                match removal.found {
                    RemovalResult::Path(path) => {
                        return Ok(Some(Out { set: vec![*unit], path: *path, axis: None }));
                    }
                    RemovalResult::Infeasible(Infeasible { argument, by }) if by.len() == 1 => {
                        let by = self.parts[..self.finite].iter().position(|&part| part == by[0]);
                        if let Some(by) = by {
                            self.caged = Some(([group.units[*unit][0], by], argument));
                            return Ok(None);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }

    /// Joins a part that one other alone keeps from coming out, by proof; whether there was one.
    fn join_caged(&mut self, group: &mut Group) -> bool {
        let caged = self.caged.take();
        if let Some((pair, argument)) = caged {
            self.lock(&mut group.units, pair, argument);
        }
        caged.is_some()
    }

    /// Joins pairs of a group that are inseparable, by proof; returns `true` if there was one.
    fn join_locked(&mut self, group: &mut Group) -> bool {
        let of: Vec<(usize, usize)> = group
            .units
            .iter()
            .enumerate()
            .flat_map(|(unit, parts)| parts.iter().map(move |&part| (unit, part)))
            .collect();
        let mut found = Vec::new();
        for (k, &(unit, i)) in of.iter().enumerate() {
            for &(_, j) in of[k + 1..].iter().filter(|other| other.0 != unit) {
                if !self.stops()
                    && let Some(argument) = self.blocking.lock(i, j)
                {
                    found.push(([i, j], argument));
                }
            }
        }
        for &(pair, argument) in &found {
            self.lock(&mut group.units, pair, argument);
        }
        !found.is_empty()
    }

    /// Takes a set out of its group; the units of it, if they are several.
    fn take(&mut self, group: &mut Group, out: Out) -> Option<Vec<Unit>> {
        let taken: Vec<Unit> = out.set.iter().map(|&unit| group.units[unit].clone()).collect();
        let moving: Vec<usize> = taken.iter().flatten().copied().collect();
        let mut after: Vec<usize> = Vec::new();
        if let Some(axis) = out.axis {
            let earlier =
                self.result.steps.iter().filter(|step| step.of == group.of).flat_map(|step| &step.parts);
            let earlier = earlier.filter_map(|id| self.parts.iter().position(|part| part == id));
            after = earlier
                .filter(|&other| moving.iter().any(|&part| self.blocking.blocks(other, part, axis)))
                .collect();
        }
        let ids = |parts: &[usize]| parts.iter().map(|&part| self.parts[part]).collect::<Vec<_>>();
        let step = Step { parts: ids(&moving), path: out.path, after: ids(&after), of: group.of };
        self.result.steps.push(step);
        (self.options.watch)("steps", self.result.steps.len(), self.finite.saturating_sub(1));
        let mut number = 0;
        group.units.retain(|_| {
            number += 1;
            !out.set.contains(&(number - 1))
        });
        (taken.len() > 1).then_some(taken)
    }
}

/// All that has to move for one to move.
fn closure(blocked: &[Vec<usize>], first: usize) -> Vec<usize> {
    let (mut set, mut at) = (vec![first], 0);
    while at < set.len() {
        for &by in blocked.get(set[at]).map_or(&[][..], Vec::as_slice) {
            if !set.contains(&by) {
                set.push(by);
            }
        }
        at += 1;
    }
    set.sort_unstable();
    set
}

/// Makes one unit of those that hold two parts.
fn join(units: &mut Vec<Unit>, pair: [usize; 2]) {
    let holding = |units: &[Unit], part: usize| units.iter().position(|unit| unit.contains(&part));
    if let [Some(a), Some(b)] = pair.map(|part| holding(units, part))
        && a != b
    {
        let joined = units.remove(a.max(b));
        units[a.min(b)].extend(joined);
        units[a.min(b)].sort_unstable();
    }
}
