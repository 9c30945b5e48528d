//! In which order the parts of an assembly come out: which part is in whose way, by direction.
//!
//! For a direction, a part is blocked by every other that it meets on its way out alone (Wilson 1992: the directional
//! blocking graph, here by exact casts). A set of parts that is blocked by none outside comes out as one; the smallest
//! such sets come out first. Where no direction has one, single parts are searched a way for. Pairs that cannot come
//! apart, by proof, move as one from the start and are reported as locked.

use crate::PlanError;
use crate::blocked::Argument;
use crate::pull::directions;
use crate::remove::{Found, RemoveOptions, map, remove};
use crate::rigid::{RigidMemory, RigidSpace};
use crate::way::{How, Way};
use glam::DVec3;
use noli::world::BodyId;
use noli::{Pose, Relation, World};
use std::sync::Arc;

/// Two parts that do not come apart, by proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Locked {
    /// The parts.
    pub pair: [BodyId; 2],
    /// Why.
    pub argument: Argument,
}

/// Parts that come out as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The parts, the first of which the way is told of.
    pub parts: Vec<BodyId>,
    /// How they come out.
    pub way: Way,
    /// What was in the way of a pull in the same direction before earlier steps: these come first.
    pub after: Vec<BodyId>,
}

/// How an assembly comes apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disassembly {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What is left: one part or unit, or those for which no way out was found.
    pub left: Vec<Vec<BodyId>>,
    /// Pairs that do not come apart, by proof.
    pub locked: Vec<Locked>,
    /// Motions that were proven or refuted.
    pub steps_spent: u64,
}

/// How to take an assembly apart.
#[derive(Clone, Copy, Debug)]
pub struct DisassembleOptions<'a> {
    /// How a single part is searched a way for where no direction leads out.
    pub remove: RemoveOptions<'a>,
    /// Directions besides those along and between the axes.
    pub directions: u32,
    /// A part that stays: the base. By default the last one.
    pub base: Option<BodyId>,
}

impl Default for DisassembleOptions<'_> {
    fn default() -> Self {
        let remove = RemoveOptions::default();
        let effort = crate::Effort { steps: 3000, ..remove.effort };
        Self { remove: RemoveOptions { effort, ..remove }, directions: 0, base: None }
    }
}

/// Takes an assembly apart, as far as ways are found.
pub fn disassemble(world: &World, options: &DisassembleOptions<'_>) -> Result<Disassembly, PlanError> {
    let mut result = Disassembly::default();
    let finite = |id: &BodyId| {
        world.body(*id).is_ok_and(|body| {
            let bounds = body.model().aabb();
            !bounds.is_empty() && bounds.min.is_finite() && bounds.max.is_finite()
        })
    };
    let parts: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(finite).collect();
    let spaces = map(&parts, |&id| RigidSpace::new(world, &[id], &[]));
    let spaces = spaces.into_iter().collect::<Result<Vec<_>, _>>()?;
    let locked = map(&spaces, locks);
    let mut unit: Vec<usize> = (0..parts.len()).collect();
    let number_of = |id: BodyId| parts.iter().position(|&part| part == id);
    for (i, found) in locked.into_iter().enumerate() {
        for (other, argument) in found {
            let Some(j) = number_of(other) else { continue };
            if i < j {
                result.locked.push(Locked { pair: [parts[i], other], argument });
            }
            let (a, b) = (unit[i], unit[j]);
            unit.iter_mut().filter(|unit| **unit == b).for_each(|unit| *unit = a);
        }
    }
    let mut units: Vec<Vec<BodyId>> = Vec::new();
    for (i, &id) in parts.iter().enumerate() {
        match units.iter_mut().find(|other| number_of(other[0]).is_some_and(|first| unit[first] == unit[i])) {
            Some(other) => other.push(id),
            None => units.push(vec![id]),
        }
    }
    let axes = directions(options.directions);
    let first_graph = graph(world, &units, &[], &axes)?;
    let all_units = units.clone();
    let mut gone: Vec<BodyId> = Vec::new();
    while units.len() > 1 && !(options.remove.effort.stop)() {
        let blocked = graph(world, &units, &gone, &axes)?;
        result.steps_spent += (units.len() * axes.len()) as u64;
        let found = match smallest(&blocked, units.len(), |set| !holds_base(&units, set, options.base)) {
            Some((set, direction)) => {
                let moving: Vec<BodyId> = set.iter().flat_map(|&number| units[number].clone()).collect();
                let space = RigidSpace::new(world, &moving, &gone)?;
                let pull = space.pull(&space.start, axes[direction], &mut RigidMemory::default());
                let end = space.start.translation + pull.direction * pull.needed;
                let poses = vec![space.start, Pose::new(space.start.rotation, end)];
                (pull.is_out() && space.prove_way(&poses).is_ok())
                    .then(|| (set.clone(), space.report(poses, How::Pull), Some(direction)))
            }
            None => None,
        };
        let found = match found {
            Some(found) => Some(found),
            None => search(world, &units, &gone, options, &mut result.steps_spent)?,
        };
        let Some((set, way, direction)) = found else { break };
        let moving: Vec<BodyId> = set.iter().flat_map(|&number| units[number].clone()).collect();
        let mut after: Vec<BodyId> = Vec::new();
        if let Some(direction) = direction {
            for (number, unit) in all_units.iter().enumerate() {
                if !unit.iter().any(|id| moving.contains(id)) {
                    continue;
                }
                let before = first_graph[direction][number].iter().map(|&other| all_units[other][0]);
                after.extend(before.filter(|id| gone.contains(id)));
            }
            after.sort_unstable();
            after.dedup();
        }
        gone.extend(&moving);
        let mut number = 0;
        units.retain(|_| {
            number += 1;
            !set.contains(&(number - 1))
        });
        result.steps.push(Step { parts: moving, way, after });
    }
    result.left = units;
    Ok(result)
}

fn holds_base(units: &[Vec<BodyId>], set: &[usize], base: Option<BodyId>) -> bool {
    base.is_some_and(|base| set.iter().any(|&number| units[number].contains(&base)))
}

/// The others that a part does not come apart from, by proof.
fn locks(space: &RigidSpace) -> Vec<(BodyId, Argument)> {
    let mut found = Vec::new();
    for (_, o, relation) in space.standing() {
        if matches!(relation, Relation::Crossing | Relation::Inside) {
            found.push((space.others[o].id, Argument::Overlaps));
        }
    }
    for blocked in [space.shut_in(), space.linked()].into_iter().flatten() {
        found.extend(blocked.by.iter().map(|&id| (id, blocked.argument)));
    }
    found
}

/// For each direction and unit, the units that are in its way.
fn graph(
    world: &World,
    units: &[Vec<BodyId>],
    gone: &[BodyId],
    axes: &[DVec3],
) -> Result<Vec<Vec<Vec<usize>>>, PlanError> {
    let spaces = map(units, |unit| RigidSpace::new(world, unit, gone));
    let spaces = spaces.into_iter().collect::<Result<Vec<_>, _>>()?;
    let blockers = map(&spaces, |space| {
        axes.iter().map(|&direction| space.blockers(direction)).collect::<Vec<Vec<BodyId>>>()
    });
    let unit_of = |id: &BodyId| units.iter().position(|unit| unit.contains(id));
    let numbers = |by: &[BodyId]| {
        let mut numbers: Vec<usize> = by.iter().filter_map(unit_of).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let of = |direction: usize| blockers.iter().map(|by| numbers(&by[direction])).collect();
    Ok((0..axes.len()).map(of).collect())
}

/// The smallest set that is blocked by none outside, of those wanted, and its direction. Not all units.
fn smallest(
    blocked: &[Vec<Vec<usize>>],
    count: usize,
    wanted: impl Fn(&[usize]) -> bool,
) -> Option<(Vec<usize>, usize)> {
    let mut best: Option<(Vec<usize>, usize)> = None;
    for (direction, blocked) in blocked.iter().enumerate() {
        for first in 0..count {
            let (mut set, mut at) = (vec![first], 0);
            let most = best.as_ref().map_or(count, |(set, _)| set.len());
            while at < set.len() && set.len() < most {
                for &by in &blocked[set[at]] {
                    if !set.contains(&by) {
                        set.push(by);
                    }
                }
                at += 1;
            }
            if set.len() < most && wanted(&set) {
                best = Some((set, direction));
            }
        }
    }
    best
}

type Searched = Option<(Vec<usize>, Way, Option<usize>)>;

/// A way for any single unit, the smaller ones first.
fn search(
    world: &World,
    units: &[Vec<BodyId>],
    gone: &[BodyId],
    options: &DisassembleOptions<'_>,
    spent: &mut u64,
) -> Result<Searched, PlanError> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let space = RigidSpace::new(world, unit, gone)?;
        order.push((space.reach, number));
    }
    order.sort_by(|x, y| x.0.total_cmp(&y.0));
    for (_, number) in order {
        if holds_base(units, &[number], options.base) || (options.remove.effort.stop)() {
            continue;
        }
        let space = RigidSpace::new(world, &units[number], gone)?;
        let removal = remove(&space, &options.remove);
        *spent += removal.steps;
        if let Found::Way(way) = removal.found {
            return Ok(Some((vec![number], *way, None)));
        }
    }
    Ok(None)
}

impl RigidSpace {
    /// All bodies that the part meets on a straight way out, each as if it were alone.
    pub fn blockers(&self, direction: DVec3) -> Vec<BodyId> {
        let needed = self.way_out(&self.start, direction);
        if needed == 0.0 {
            return Vec::new();
        }
        let end = Pose::new(self.start.rotation, self.start.translation + direction * needed);
        let motion = Arc::new(noli::motion::RigidMotion::between(&self.start, &end, self.pivot));
        let motion = motion as Arc<dyn noli::motion::Motion>;
        let mut memory = RigidMemory::default();
        let meets = |o: &usize| {
            self.members.iter().enumerate().any(|(m, member)| {
                member.margins[*o].is_some() && member.touches[*o] && !self.slides(m, *o, direction, needed)
            })
        };
        let mut found: Vec<BodyId> = Vec::new();
        for o in 0..self.others.len() {
            if meets(&o) || self.cast_against(o, &motion, &mut memory) {
                found.push(self.others[o].id);
            }
        }
        found
    }
}
