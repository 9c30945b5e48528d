//! Handles: numbers of places in a table, with the generation of the object in that place.
//!
//! A query locks the place of its own objects only, for the time of one reference count, so threads do not wait for
//! each other. An object that another thread frees stays alive until the query ends.

use crate::border::{Answer, ErrorCode, Failure};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

/// Places of the first block; each further block has twice as many.
const FIRST: u64 = 64;
const BLOCKS: usize = 26;
const GENERATIONS: u32 = 1 << 28;

/// Handles of all tables that were not freed.
static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Kinds of objects: the highest four bits of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Model = 1,
    Context = 2,
    World = 3,
    #[cfg(feature = "robot")]
    Robot = 4,
}

impl Kind {
    fn name(bits: u64) -> &'static str {
        match bits {
            1 => "a model",
            2 => "a context",
            3 => "a world",
            4 => "a robot",
            _ => "nothing",
        }
    }
}

/// Objects of one kind.
pub(crate) struct Table<T> {
    kind: Kind,
    blocks: [OnceLock<Box<[Place<T>]>>; BLOCKS],
    free: Mutex<Free>,
}

/// Generation and object of a place.
struct Place<T>(RwLock<(u32, Option<T>)>);

struct Free {
    places: Vec<u32>,
    next: u32,
}

impl<T: Clone> Table<T> {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            blocks: [const { OnceLock::new() }; BLOCKS],
            free: Mutex::new(Free { places: Vec::new(), next: 0 }),
        }
    }

    /// Keeps an object; returns its handle.
    pub(crate) fn insert(&self, object: T) -> Answer<u64> {
        let index = {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            match free.places.pop() {
                Some(index) => index,
                None => {
                    let index = free.next;
                    free.next = index.checked_add(1).ok_or_else(|| Failure::value("too many handles"))?;
                    index
                }
            }
        };
        let (block, at) = Self::locate(index);
        let full = || (0..FIRST << block).map(|_| Place(RwLock::new((0, None)))).collect();
        let places = self.blocks.get(block).ok_or_else(|| Failure::value("too many handles; free some"))?;
        let mut place = places.get_or_init(full)[at].0.write().unwrap_or_else(PoisonError::into_inner);
        place.0 += 1;
        place.1 = Some(object);
        LIVE.fetch_add(1, Ordering::Relaxed);
        Ok((self.kind as u64) << 60 | u64::from(place.0) << 32 | u64::from(index))
    }

    /// Returns the object of a handle.
    pub(crate) fn get(&self, id: u64) -> Answer<T> {
        let found = self.place(id).and_then(|(place, generation)| {
            let place = place.0.read().unwrap_or_else(PoisonError::into_inner);
            if place.0 == generation { place.1.clone() } else { None }
        });
        found.ok_or_else(|| self.unknown(id))
    }

    /// Ends a handle; returns its object, which is dropped where no lock is held.
    pub(crate) fn remove(&self, id: u64) -> Answer<T> {
        let (place, generation) = self.place(id).ok_or_else(|| self.unknown(id))?;
        let (object, spent) = {
            let mut place = place.0.write().unwrap_or_else(PoisonError::into_inner);
            let object = if place.0 == generation { place.1.take() } else { None };
            (object.ok_or_else(|| self.unknown(id))?, place.0 + 1 >= GENERATIONS)
        };
        LIVE.fetch_sub(1, Ordering::Relaxed);
        // A place whose generations are used up is left empty for good.
        if !spent {
            self.free.lock().unwrap_or_else(PoisonError::into_inner).places.push(id as u32);
        }
        Ok(object)
    }

    fn place(&self, id: u64) -> Option<(&Place<T>, u32)> {
        if id >> 60 != self.kind as u64 {
            return None;
        }
        let (block, at) = Self::locate(id as u32);
        let place = self.blocks.get(block)?.get()?.get(at)?;
        Some((place, (id >> 32) as u32 & (GENERATIONS - 1)))
    }

    fn locate(index: u32) -> (usize, usize) {
        let shifted = u64::from(index) + FIRST;
        let block = shifted.ilog2() - FIRST.ilog2();
        (block as usize, (shifted - (FIRST << block)) as usize)
    }

    fn unknown(&self, id: u64) -> Failure {
        let wanted = Kind::name(self.kind as u64);
        let message = match id >> 60 {
            _ if id == 0 => format!("the handle of {wanted} is 0; create one first"),
            kind if kind != self.kind as u64 => {
                format!("handle {id:#x} is of {}, not of {wanted}; give the right one", Kind::name(kind))
            }
            _ => format!("handle {id:#x} of {wanted} was freed, or never given out; create a new one"),
        };
        Failure::new(ErrorCode::Handle, message)
    }
}

/// Returns the number of handles that were given out and not freed: 0 at the end of a program without leaks.
#[unsafe(no_mangle)]
pub extern "C" fn noli_live_handles() -> usize {
    LIVE.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_and_generations_differ() {
        let table: Table<usize> = Table::new(Kind::Model);
        let ids: Vec<u64> = (0..1000).map(|n| table.insert(n).unwrap()).collect();
        assert!(ids.iter().enumerate().all(|(n, &id)| table.get(id).unwrap() == n));
        assert_eq!(table.remove(ids[500]).unwrap(), 500);
        assert_eq!(table.get(ids[500]).unwrap_err().code, ErrorCode::Handle);
        assert_eq!(table.remove(ids[500]).unwrap_err().code, ErrorCode::Handle);
        let again = table.insert(7).unwrap();
        assert_eq!(again as u32, ids[500] as u32, "the place is used again");
        assert_ne!(again, ids[500]);
        assert!(table.get(ids[500]).is_err() && table.get(again).unwrap() == 7);
        assert!(table.get(0).is_err() && table.get(u64::MAX).is_err());
        assert!(table.get(ids[0] | 2 << 60).is_err(), "of another kind");
    }
}
