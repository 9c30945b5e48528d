//! Half-spaces and the body that several of them share.

use super::{Hull, HullError};
use crate::number::round;
use glam::DVec3;

/// The points `x` with `normal·x <= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Points out of it; any length but zero.
    pub normal: DVec3,
    /// Largest coordinate along the normal, times the normal's length.
    pub offset: f64,
}

impl HalfSpace {
    /// The half-space across a normal that holds some points, rounding included.
    pub fn around(normal: DVec3, points: &[DVec3]) -> Self {
        let height = |p: &DVec3| normal.dot(*p) + round::off(normal.abs().dot(p.abs()), 4);
        let offset = points.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        Self { normal, offset: offset.next_up() }
    }

    /// `normal·point − offset`, rounded: positive outside.
    pub fn excess(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// Reason why half-spaces do not form a bounded body.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HalfSpaceError {
    /// The point given as inside is not strictly inside this one, counted from 0.
    #[error("the point given is not inside half-space {0}; give a point with room on every side")]
    NotInside(usize),
    /// The body reaches to infinity.
    #[error("the half-spaces do not bound a body; add some that close it")]
    Unbounded,
    /// Numbers out of range.
    #[error("the half-spaces are out of range: {0}")]
    OutOfRange(#[from] HullError),
}

/// Computes the intersection of half-spaces from a point strictly inside all of them, by duality.
/// Half-spaces become points, whose hull has a face for every vertex of the body. Approximate: vertices are
/// rounded. Where more than three planes share a point there may be several vertices within rounding of it.
pub fn half_space_intersection(half_spaces: &[HalfSpace], inside: DVec3) -> Result<Hull, HalfSpaceError> {
    let mut dual = Vec::with_capacity(half_spaces.len());
    for (i, half_space) in half_spaces.iter().enumerate() {
        let room = -half_space.excess(inside);
        if !(room > 0.0 && room.is_finite()) {
            return Err(HalfSpaceError::NotInside(i));
        }
        dual.push(half_space.normal / room);
    }
    let dual = Hull::new(dual)?;
    let vertex = |face: usize| {
        let height = dual.normal(face).dot(dual.at(dual.faces()[face][0]));
        (height > 0.0).then(|| dual.normal(face) / height + inside)
    };
    if dual.dimension() < 3 {
        return Err(HalfSpaceError::Unbounded);
    }
    let vertices: Option<Vec<DVec3>> = (0..dual.faces().len()).map(vertex).collect();
    Ok(Hull::new(vertices.ok_or(HalfSpaceError::Unbounded)?)?)
}
