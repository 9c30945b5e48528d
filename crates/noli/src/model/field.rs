//! A functionally defined object, prepared.

use super::forms::box_hull;
use super::{Form, Model};
use noli_geom::{Convex, ShapeError};
use noli_implicit::Field;
use std::sync::{Arc, OnceLock};

/// An object with bounds, and what is made of it when first asked for.
#[derive(Debug)]
pub(crate) struct FieldModel {
    pub(crate) field: Field,
    hull: OnceLock<Option<Convex>>,
    outside: OnceLock<Field>,
}

/// Operations that one search may spend on cells: seconds, not minutes.
const MOST_OPERATIONS: u64 = 1 << 27;

impl FieldModel {
    /// Its longest side.
    pub(crate) fn size(&self) -> f64 {
        self.field.bounds().size().max_element().max(0.0)
    }

    /// How many cells one search may look at.
    pub(crate) fn most_cells(&self) -> u64 {
        (MOST_OPERATIONS / self.field.operations().max(1) as u64).clamp(1 << 14, 1 << 18)
    }

    /// A convex body that holds it; none where there is nothing to hold.
    pub(crate) fn hull(&self) -> Option<&Convex> {
        self.hull.get_or_init(|| box_hull(&self.field.bounds()).ok()).as_ref()
    }

    /// What of its bounds it does not fill.
    pub(crate) fn outside(&self) -> &Field {
        self.outside.get_or_init(|| self.field.outside())
    }
}

impl Model {
    /// Prepare a functionally defined object. It must be proven to end: give it bounds with
    /// [`Field::within`] where it does not.
    ///
    /// ```
    /// use noli::{Convex, Field, Model, Overlap, Pose, overlap};
    /// let ring = Model::field(Field::parse("torus(2, 0.5)")?)?;
    /// let ball = Model::convex(Convex::sphere(0.5)?);
    /// let at = |x| Pose::from_translation(glam::dvec3(x, 0.0, 0.0));
    /// assert_eq!(overlap(&ring.at(Pose::IDENTITY), &ball.at(at(0.0))), Overlap::Free); // in the hole
    /// assert_eq!(overlap(&ring.at(Pose::IDENTITY), &ball.at(at(1.1))), Overlap::Hit);
    /// assert!(Model::field(Field::parse("x^2 + y^2 <= 1")?).is_err()); // it goes on for ever
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn field(field: Field) -> Result<Self, ShapeError> {
        if !field.is_bounded() {
            return Err(ShapeError::Unbounded);
        }
        Ok(Self(Arc::new(Form::Field(FieldModel { field, hull: OnceLock::new(), outside: OnceLock::new() }))))
    }
}
