//! A functionally defined object, prepared.

use glam::DVec3;
use noli_geom::{Aabb, Convex, ShapeError};
use noli_implicit::Field;
use std::sync::OnceLock;

/// An object with bounds, and derived data that is computed on first use.
#[derive(Debug)]
pub(crate) struct FieldModel {
    pub(crate) field: Field,
    hull: OnceLock<Option<Convex>>,
    outside: OnceLock<Field>,
}

/// Operations that one search may spend on cells: seconds, not minutes.
const MOST_OPERATIONS: u64 = 1 << 27;
/// Operations of a function that make one step of a budget; a cell takes at least one step.
const OPERATIONS_PER_STEP: u64 = 1000;

impl FieldModel {
    pub(super) fn new(field: Field) -> Result<Self, ShapeError> {
        if !field.is_bounded() {
            return Err(ShapeError::Unbounded);
        }
        Ok(Self { field, hull: OnceLock::new(), outside: OnceLock::new() })
    }

    /// Its longest side.
    pub(crate) fn size(&self) -> f64 {
        self.field.bounds().size().max_element().max(0.0)
    }

    /// Returns the number of steps that a cell costs.
    pub(crate) fn steps_per_cell(&self) -> u64 {
        (self.field.operations() as u64).div_ceil(OPERATIONS_PER_STEP).max(1)
    }

    /// Returns the bytes that an open cell holds at most: itself, and its part of the function.
    pub(crate) fn bytes_per_cell(&self) -> usize {
        256 + 8 * self.field.operations()
    }

    /// Returns the largest number of cells that one search may visit.
    pub(crate) fn most_cells(&self) -> u64 {
        (MOST_OPERATIONS / self.field.operations().max(1) as u64).clamp(1 << 14, 1 << 18)
    }

    /// A convex body that holds it; `None` if there is nothing to hold.
    pub(crate) fn hull(&self) -> Option<&Convex> {
        self.hull.get_or_init(|| box_hull(&self.field.bounds()).ok()).as_ref()
    }

    /// Returns the complement of the object within its bounds.
    pub(crate) fn outside(&self) -> &Field {
        self.outside.get_or_init(|| self.field.outside())
    }
}

/// A box as a convex body.
pub(super) fn box_hull(b: &Aabb) -> Result<Convex, ShapeError> {
    let vertex = |i: u32| {
        let pick = |k: usize| if i >> k & 1 == 1 { b.max[k] } else { b.min[k] };
        DVec3::new(pick(0), pick(1), pick(2))
    };
    Convex::hull((0..8).map(vertex))
}
