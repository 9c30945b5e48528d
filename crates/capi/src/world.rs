//! Worlds of many bodies.

use crate::border::{Answer, ErrorCode, Failure, In, Out, border, changed, fill, given, place, room, text};
use crate::context::budget;
use crate::model::MODELS;
use crate::table::{Kind, Table};
use crate::values::{ContextHandle, PlacedRecord, PoseRecord, WorldHandle, length};
use noli::World;
use noli::world::{BodyId, BodySelector, CheckOptions, Finding, PairStatus, WorldError};
use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::{Arc, PoisonError, RwLock};

/// A world and the numbers of its bodies, which are never used again.
#[derive(Default)]
struct Bodies {
    world: World,
    ids: HashMap<u64, BodyId>,
    next: u64,
}

static WORLDS: Table<Arc<RwLock<Bodies>>> = Table::new(Kind::World);

/// A tested pair of bodies; `noli_finding` in C.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FindingRecord {
    /// Body A.
    pub body_a: u64,
    /// Body B.
    pub body_b: u64,
    /// A value of `noli_pair_status`.
    pub status: i32,
    /// 1 if `place` is set.
    pub has_place: i32,
    /// Lower bound of the clearance.
    pub at_least: f64,
    /// Upper bound of the clearance.
    pub at_most: f64,
    /// A common point, or the midpoint of the nearest points.
    pub place: [f64; 3],
}

/// Room for tested pairs; `noli_finding_list` in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FindingList {
    /// The pairs, the worst first.
    pub items: *mut FindingRecord,
    /// Number of records that fit.
    pub capacity: usize,
    /// Number of records found, written by the query; those beyond `capacity` are not stored.
    pub count: usize,
    /// Pairs enabled by the rules; those that are not listed are separated by more than their margin.
    pub pairs: usize,
}

impl Bodies {
    fn id(&self, body: u64) -> Answer<BodyId> {
        self.ids.get(&body).copied().ok_or_else(|| {
            let message = format!("there is no body {body}: it was removed, or is of another world");
            Failure::new(ErrorCode::Handle, message)
        })
    }

    fn number(&self, id: BodyId) -> u64 {
        self.world.body(id).map_or(0, |body| body.user())
    }
}

fn wrong(error: WorldError) -> Failure {
    Failure::value(error)
}

/// Changes a world, alone.
fn change<R>(world: WorldHandle, work: impl FnOnce(&mut Bodies) -> Answer<R>) -> Answer<R> {
    let world = WORLDS.get(world.id)?;
    let mut world = world.write().unwrap_or_else(PoisonError::into_inner);
    work(&mut world)
}

/// Creates an empty world.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_new(out: Out<'_, WorldHandle>) -> ErrorCode {
    border(|| {
        let out = place(out, "out")?;
        out.write(WorldHandle { id: WORLDS.insert(Arc::default())? });
        Ok(())
    })
}

/// Adds a body; `out` receives its number.
///
/// # Safety
///
/// `name` is a text that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_world_add(
    world: WorldHandle,
    name: *const c_char,
    body: In<'_, PlacedRecord>,
    out: Out<'_, u64>,
) -> ErrorCode {
    border(|| {
        // SAFETY: as the caller states.
        let name = unsafe { text(name, "name") }?;
        let (out, body) = (place(out, "out")?, given(body, "body")?);
        let (model, pose) = (MODELS.get(body.model.id)?, body.pose.pose("body")?);
        change(world, |bodies| {
            let id = bodies.world.add(name, &model.model, pose).map_err(wrong)?;
            bodies.next += 1;
            let number = bodies.next;
            bodies.world.set_user_data(id, number).map_err(wrong)?;
            bodies.ids.insert(number, id);
            out.write(number);
            Ok(())
        })
    })
}

/// Removes a body.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_remove(world: WorldHandle, body: u64) -> ErrorCode {
    border(|| {
        change(world, |bodies| {
            let id = bodies.id(body)?;
            bodies.world.remove(id).map_err(wrong)?;
            bodies.ids.remove(&body);
            Ok(())
        })
    })
}

/// Moves a body to a pose.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_move(world: WorldHandle, body: u64, pose: In<'_, PoseRecord>) -> ErrorCode {
    border(|| {
        let pose = given(pose, "pose")?.pose("the body")?;
        change(world, |bodies| {
            let id = bodies.id(body)?;
            bodies.world.move_to(id, pose).map_err(wrong)
        })
    })
}

/// Enables (not 0) or disables (0) a pair of bodies.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_set_pair(world: WorldHandle, a: u64, b: u64, enabled: i32) -> ErrorCode {
    border(|| {
        change(world, |bodies| {
            let pair = [bodies.id(a)?, bodies.id(b)?].map(BodySelector::Body);
            bodies.world.rules_mut().set(pair, enabled != 0);
            Ok(())
        })
    })
}

/// Sets the clearance that all pairs need.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_set_margin(world: WorldHandle, margin: f64) -> ErrorCode {
    border(|| {
        let margin = length(margin, "margin")?;
        change(world, |bodies| {
            bodies.world.rules_mut().set_default_margin(margin);
            Ok(())
        })
    })
}

/// Checks all enabled pairs at their poses: status, clearance and place of each that is within its margin, or whose
/// boxes are. The budget of the context counts for each pair alone.
///
/// # Safety
///
/// `list.items` has room for `list.capacity` records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_world_check(
    context: ContextHandle,
    world: WorldHandle,
    list: Option<&mut FindingList>,
) -> ErrorCode {
    border(|| {
        let list = changed(list, "list")?;
        // SAFETY: as the caller states.
        let items = unsafe { room(list.items, list.capacity, "items") }?;
        let world = WORLDS.get(world.id)?;
        let bodies = world.read().unwrap_or_else(PoisonError::into_inner);
        let found = budget(context, |budget| {
            bodies.world.check(&CheckOptions { budget, count: false, ..CheckOptions::default() })
        })?;
        let found = found.map_err(wrong)?;
        list.pairs = found.pairs;
        let record = |finding: &Finding| FindingRecord {
            body_a: bodies.number(finding.pair[0]),
            body_b: bodies.number(finding.pair[1]),
            status: status(finding.status),
            has_place: i32::from(finding.place.is_some()),
            at_least: finding.clearance.distance.at_least,
            at_most: finding.clearance.distance.at_most,
            place: finding.place.unwrap_or_default().to_array(),
        };
        list.count = fill(items, found.findings.iter().map(record));
        Ok(())
    })
}

fn status(status: PairStatus) -> i32 {
    match status {
        PairStatus::Separated => 0,
        PairStatus::Touching => 1,
        PairStatus::Intersecting => 2,
        PairStatus::Inside => 3,
        PairStatus::Undecided => 4,
        PairStatus::Closer => 5,
    }
}

/// Lists the pairs that overlap, or are closer than their margin: two body numbers each. `count` receives how many there
/// are; those beyond `capacity` are not stored. Quicker than `noli_world_check`.
///
/// # Safety
///
/// `pairs` has room for two numbers for each of `capacity` pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn noli_world_colliding_pairs(
    context: ContextHandle,
    world: WorldHandle,
    pairs: *mut u64,
    capacity: usize,
    count: Out<'_, usize>,
) -> ErrorCode {
    border(|| {
        let count = place(count, "count")?;
        // SAFETY: as the caller states.
        let room = unsafe { room::<[u64; 2]>(pairs.cast(), capacity, "pairs") }?;
        let found = change(world, |bodies| {
            let found = budget(context, |budget| bodies.world.touching(&budget))?;
            Ok(found.iter().map(|(pair, _)| pair.map(|id| bodies.number(id))).collect::<Vec<_>>())
        })?;
        count.write(fill(room, found));
        Ok(())
    })
}

/// Frees a world and its bodies.
#[unsafe(no_mangle)]
pub extern "C" fn noli_world_free(world: WorldHandle) -> ErrorCode {
    border(|| WORLDS.remove(world.id).map(drop))
}
