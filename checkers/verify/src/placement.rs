//! Placements of links and bodies (section 4).

use crate::cbor::Value;
use crate::dyadic::{Dyadic, Vector, sum};
use crate::error::{Result, require};
use crate::fields::{numbers, wrong};

/// The largest angle in radians.
pub(crate) const TURN: i64 = 64;

/// A translation with a rotation.
#[derive(Debug)]
pub(crate) struct Placement {
    pub(crate) translation: Vector,
    pub(crate) rotation: Rotation,
}

#[derive(Debug)]
pub(crate) enum Rotation {
    /// A matrix over a positive number.
    Rational(Box<[Vector; 3]>, Dyadic),
    /// Roll, pitch and yaw.
    Angles(Vector),
}

impl Placement {
    pub(crate) fn new(value: Option<&Value>, place: &str) -> Result<Self> {
        let numbers = value.and_then(numbers);
        let none = || wrong(place, "this is no placement of 3, 6 or 7 numbers");
        let (translation, rest) =
            numbers.as_deref().and_then(|all| all.split_first_chunk::<3>()).ok_or_else(none)?;
        let rotation = match rest {
            [] => Rotation::Rational(Box::new(identity()), Dyadic::integer(1)),
            [roll, pitch, yaw] => {
                let angles = [roll, pitch, yaw].map(Dyadic::clone);
                let limit = Dyadic::integer(TURN);
                let small = angles.iter().all(|angle| angle.abs() <= limit);
                require(small, "E-LIMIT", format!("{place}: an angle is beyond 64"))?;
                Rotation::Angles(angles)
            }
            [x, y, z, w] => {
                let axis = [x, y, z].map(Dyadic::clone);
                rotation(&axis, w).ok_or_else(|| wrong(place, "the quaternion is 0"))?
            }
            _ => return Err(none()),
        };
        Ok(Self { translation: translation.clone(), rotation })
    }
}

pub(crate) fn identity() -> [Vector; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| Dyadic::integer(i64::from(i == j))))
}

/// The rotation by a quaternion; `None` if that is 0.
fn rotation([x, y, z]: &Vector, w: &Dyadic) -> Option<Rotation> {
    let (xx, yy, zz, ww) = (x.squared(), y.squared(), z.squared(), w.squared());
    let over = sum([xx.clone(), yy.clone(), zz.clone(), ww.clone()]);
    let diagonal = |plus: &Dyadic, minus: [&Dyadic; 2]| &(&(&ww + plus) - minus[0]) - minus[1];
    let twice = |a: Dyadic| a.times_power(1);
    let rows = [
        [diagonal(&xx, [&yy, &zz]), twice(&(x * y) - &(w * z)), twice(&(x * z) + &(w * y))],
        [twice(&(x * y) + &(w * z)), diagonal(&yy, [&xx, &zz]), twice(&(y * z) - &(w * x))],
        [twice(&(x * z) - &(w * y)), twice(&(y * z) + &(w * x)), diagonal(&zz, [&xx, &yy])],
    ];
    (!over.is_zero()).then_some(Rotation::Rational(Box::new(rows), over))
}
