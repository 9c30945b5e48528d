//! Bodies so small that squares of their lengths underflow, enlarged by a power of two.
//!
//! Depths and volumes are computed with squares and cubes of lengths. Scaling by a power of two is exact, so a
//! bracket for the enlarged bodies, scaled back and rounded outward, holds for the given ones.

use super::{Form, Model, Placed};
use crate::answer::{Bracket, Contact, Penetration};
use glam::DVec3;
use noli_geom::{MAX_COORDINATE, Pose};

/// Cubes of lengths from here up are far from underflow, with room for features that are much smaller.
const TINY: f64 = power_of_two(-200);

/// Largest exponent of a factor: even the smallest number becomes one whose square does not underflow.
const LARGEST_EXPONENT: i64 = 1000;

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Size of two bodies, for computations with squares and cubes of lengths.
pub(crate) enum Scale {
    Ordinary,
    Tiny(Enlarged),
    /// Too small, and cannot be enlarged.
    Unsuited,
}

/// Two bodies, enlarged.
pub(crate) struct Enlarged {
    models: [Model; 2],
    poses: [Pose; 2],
    factor: f64,
}

impl Scale {
    pub(crate) fn of(a: &Placed<'_>, b: &Placed<'_>) -> Self {
        let between = (b.world_from_self.translation - a.world_from_self.translation).abs().max_element();
        let is_ordinary = |size: f64| size >= TINY || size.is_nan();
        if is_ordinary(between) || is_ordinary(about(a.model)) || is_ordinary(about(b.model)) {
            return Self::Ordinary;
        }
        let size = reach(a.model).max(reach(b.model)).max(between);
        if is_ordinary(size) || size == 0.0 {
            return Self::Ordinary;
        }
        Enlarged::new(a, b, size).map_or(Self::Unsuited, Self::Tiny)
    }
}

impl Enlarged {
    fn new(a: &Placed<'_>, b: &Placed<'_>, size: f64) -> Option<Self> {
        let exponent = (size.to_bits() >> 52) as i64 - 1023;
        let factor = power_of_two((-exponent).min(LARGEST_EXPONENT));
        let models = [a.model.scaled(factor).ok()?, b.model.scaled(factor).ok()?];
        let [from, to] = [a, b].map(|body| body.world_from_self.translation);
        // A common displacement does not matter, and may be too long to be enlarged.
        let shifts = match exact_difference(from, to) {
            Some(between) => [DVec3::ZERO, between],
            None => [from, to],
        };
        if shifts.iter().any(|shift| (*shift * factor).abs().max_element() > MAX_COORDINATE) {
            return None;
        }
        let place =
            |body: &Placed<'_>, shift: DVec3| Pose::new(body.world_from_self.rotation, shift * factor);
        Some(Self { models, poses: [place(a, shifts[0]), place(b, shifts[1])], factor })
    }

    pub(crate) fn bodies(&self) -> [Placed<'_>; 2] {
        [self.models[0].at(self.poses[0]), self.models[1].at(self.poses[1])]
    }

    /// A length of the given bodies as one of the enlarged ones.
    pub(crate) fn enlarge(&self, length: f64) -> f64 {
        length * self.factor
    }

    pub(crate) fn length(&self, Bracket { at_least, at_most }: Bracket) -> Bracket {
        Bracket { at_least: self.down(at_least), at_most: self.up(at_most) }
    }

    pub(crate) fn volume(&self, bracket: Bracket) -> Bracket {
        self.length(self.length(self.length(bracket)))
    }

    pub(crate) fn penetration(&self, found: Penetration) -> Penetration {
        Penetration { depth: self.length(found.depth), ..found }
    }

    /// A contact of the enlarged bodies as one of the given ones, of which `a` is the first.
    pub(crate) fn contact(&self, found: Contact, a: &Placed<'_>) -> Contact {
        let mut contact = Contact { depth: self.length(found.depth), ..found };
        for on in [&mut contact.on_a, &mut contact.on_b] {
            let from_a = on.point - self.poses[0].translation;
            on.point = a.world_from_self.translation + from_a / self.factor;
        }
        contact
    }

    fn down(&self, length: f64) -> f64 {
        let less = length / self.factor;
        if less * self.factor > length { less.next_down() } else { less }
    }

    fn up(&self, length: f64) -> f64 {
        let less = length / self.factor;
        if less * self.factor < length { less.next_up() } else { less }
    }
}

/// The difference of two translations, if it is a number in each coordinate.
fn exact_difference(from: DVec3, to: DVec3) -> Option<DVec3> {
    let between = to - from;
    let is_exact = |k: usize| {
        let (x, y, d) = (to[k], -from[k], between[k]);
        let of_y = d - x;
        (x - (d - of_y)) + (y - of_y) == 0.0
    };
    (0..3).all(is_exact).then_some(between)
}

/// A length of the order of a body's coordinates, at little cost; too small only where it underflows.
fn about(model: &Model) -> f64 {
    match model.form() {
        Form::Convex(model) => model.spheres.center.abs().max_element() + model.spheres.outer,
        _ => reach(model),
    }
}

/// The largest finite coordinate; 0 if there is none.
fn reach(model: &Model) -> f64 {
    let bounds = model.aabb();
    let sides = [bounds.min.to_array(), bounds.max.to_array()];
    let finite = sides.as_flattened().iter().map(|side| side.abs()).filter(|side| side.is_finite());
    finite.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::Mesh;

    fn cube(size: f64) -> Model {
        Model::from(Mesh::cuboid(DVec3::splat(size)).unwrap().into_solid())
    }

    #[test]
    fn only_tiny_bodies_are_enlarged() {
        let at = |x: f64| Pose::from_translation(DVec3::X * x);
        let (tiny, large) = (cube(2.0 * power_of_two(-700)), cube(1.0));
        let is_tiny = |a: &Placed<'_>, b: &Placed<'_>| matches!(Scale::of(a, b), Scale::Tiny(_));
        assert!(is_tiny(&tiny.at(at(0.0)), &tiny.at(at(power_of_two(-700)))));
        assert!(is_tiny(&tiny.at(at(3.0)), &tiny.at(at(3.0))), "at one place, wherever that is");
        assert!(!is_tiny(&tiny.at(at(0.0)), &large.at(at(0.0))));
        assert!(!is_tiny(&tiny.at(at(0.0)), &tiny.at(at(1.0))));
    }

    #[test]
    fn lengths_and_volumes_are_rounded_outward() {
        let tiny = cube(power_of_two(-400));
        let Scale::Tiny(enlarged) = Scale::of(&tiny.at(Pose::IDENTITY), &tiny.at(Pose::IDENTITY)) else {
            panic!("it is tiny");
        };
        let volume = enlarged.volume(Bracket { at_least: 1.0, at_most: 1.0 });
        assert_eq!(volume, Bracket { at_least: 0.0, at_most: f64::from_bits(1) });
        assert_eq!(enlarged.length(Bracket::ZERO), Bracket::ZERO);
    }
}
