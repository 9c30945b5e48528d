//! Two bodies on a line, bisected to contact, and every query checked there.

use super::{Brute, brute, count_intersections, faces, model};
use glam::{DQuat, DVec3};
use noli::answer::Bracket;
use noli::query::Instructions;
use noli::{
    Mesh, Model, Overlap, Placed, Pose, QueryContext, Relation, Scratch, clearance, overlap, relation,
};
use noli_geom::{Relation as FaceRelation, RelativePose, naive};
use noli_scenes::SplitMix64;
use std::cmp::Ordering;

/// Two bodies and the line along which B is moved.
pub(crate) struct Slide {
    pub(crate) a: Model,
    pub(crate) b: Model,
    pub(crate) world_from_a: Pose,
    pub(crate) rotation_b: DQuat,
    pub(crate) start_b: DVec3,
    pub(crate) direction: DVec3,
}

impl Slide {
    /// A random line, on which B starts at `base`, as does A.
    pub(crate) fn random(a: &Mesh, b: &Mesh, base: DVec3, rng: &mut SplitMix64) -> Self {
        Self {
            a: model(a),
            b: model(b),
            world_from_a: Pose::new(rng.rotation() * rng.between(0.5, 3.0), base),
            rotation_b: rng.rotation(),
            start_b: base,
            direction: rng.direction(),
        }
    }

    /// Along an axis, without rotation: faces meet in common planes.
    pub(crate) fn straight(a: &Mesh, b: &Mesh, direction: DVec3) -> Self {
        let [a, b] = [model(a), model(b)];
        let rotation_b = DQuat::IDENTITY;
        Self { a, b, world_from_a: Pose::IDENTITY, rotation_b, start_b: DVec3::ZERO, direction }
    }

    pub(crate) fn placed(&self, along: f64) -> (Placed<'_>, Placed<'_>) {
        let world_from_b = Pose::new(self.rotation_b, self.start_b + self.direction * along);
        (self.a.at(self.world_from_a), self.b.at(world_from_b))
    }

    pub(crate) fn hits(&self, along: f64) -> bool {
        let (a, b) = self.placed(along);
        overlap(&a, &b) == Overlap::Hit
    }

    /// Time until which B is certainly free.
    pub(crate) fn far(&self) -> f64 {
        let radius = |model: &Model| faces(model).vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
        2.1 * (radius(&self.a) + radius(&self.b))
    }

    /// Looks for contact from far out inwards.
    pub(crate) fn contact(&self) -> Option<Contact> {
        let (far, step) = (self.far(), self.far() / 2048.0);
        let hit = (0..2048).map(|k| far - f64::from(k) * step).find(|&along| self.hits(along))?;
        Some(self.bisect(hit, hit + step))
    }

    /// Halves until the places are neighbours.
    pub(crate) fn bisect(&self, mut hit: f64, mut free: f64) -> Contact {
        assert!(self.hits(hit) && !self.hits(free), "no contact between {hit} and {free}");
        loop {
            let middle = hit + (free - hit) * 0.5;
            if middle <= hit || middle >= free {
                return Contact { hit, free };
            }
            *(if self.hits(middle) { &mut hit } else { &mut free }) = middle;
        }
    }

    /// The same with all lengths multiplied by a power of two.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        let of = |model: &Model| model.scaled(factor).expect("in range");
        let world_from_a = Pose::new(self.world_from_a.rotation, self.world_from_a.translation * factor);
        Self { a: of(&self.a), b: of(&self.b), world_from_a, start_b: self.start_b * factor, ..*self }
    }
}

/// Neighbouring places with a hit at the first only.
pub(crate) struct Contact {
    pub(crate) hit: f64,
    pub(crate) free: f64,
}

/// Counts of checked cases.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) poses: usize,
    pub(crate) touching: usize,
    pub(crate) intersecting: usize,
    pub(crate) contacts: usize,
}

pub(crate) fn verdict(hit: bool) -> Overlap {
    if hit { Overlap::Hit } else { Overlap::Free }
}

/// Everything that must hold at one place.
pub(crate) fn check(slide: &Slide, scaled: &[(f64, Slide)], along: f64, what: &str, tally: &mut Tally) {
    let place = format!("{what} at {along:e}");
    let (a, b) = slide.placed(along);
    let expected = brute(&a, &b);
    check_verdicts(&a, &b, &expected, &place);
    check_clearance(&a, &b, &expected, &place);
    check_scaling(slide, scaled, along, &place);
    tally.poses += 1;
    tally.touching += usize::from(expected.relation == FaceRelation::Touching);
    tally.intersecting += usize::from(expected.relation == FaceRelation::Intersecting);
}

/// Overlap, relation and the number of meeting faces are those of all faces; rational arithmetic agrees
/// about the faces that decide.
pub(crate) fn check_verdicts(a: &Placed<'_>, b: &Placed<'_>, expected: &Brute, place: &str) {
    let hit = verdict(expected.relation.overlaps());
    assert_eq!(overlap(a, b), hit, "{place}");
    assert_eq!(overlap(b, a), hit, "{place}, turned round");
    assert_eq!(relation(a, b), Relation::from(expected.relation), "{place}");
    assert_eq!(relation(b, a), Relation::from(expected.relation), "{place}, turned round");
    assert_eq!(count_intersections(a, b), expected.meeting.len() as u64, "{place}");
    for instructions in Instructions::available() {
        let mut scratch = Scratch::with_instructions(instructions);
        assert_eq!(QueryContext::new(&mut scratch).overlap(a, b), hit, "{place}, {instructions:?}");
    }
    for &(i, k) in expected.closest.iter().take(3) {
        let pair = (faces(a.model).triangle(i), faces(b.model).triangle(k));
        let exact = naive::relation(&pair.0, &pair.1, &a.world_from_self, &b.world_from_self);
        assert_eq!(exact.overlaps(), expected.relation.overlaps(), "{place}, faces {i} and {k}");
    }
}

/// The bracket holds the exact distance, whichever body comes first, and is zero exactly at an overlap.
pub(crate) fn check_clearance(a: &Placed<'_>, b: &Placed<'_>, expected: &Brute, place: &str) {
    let exact: Vec<_> = expected.closest.iter().take(3).map(|&(i, k)| exact_distance(a, b, i, k)).collect();
    for found in [clearance(a, b), clearance(b, a)] {
        let Bracket { at_least, at_most } = found.distance;
        assert_eq!(at_most == 0.0, expected.relation.overlaps(), "{place}: {found:?}");
        assert!(at_least <= at_most, "{place}: {found:?}");
        assert!(
            at_least <= expected.at_most && expected.at_least <= at_most,
            "{place}: {found:?} {expected:?}"
        );
        assert!(at_most - at_least <= widest(a, b), "{place}: {found:?} is wide");
        assert!(exact.iter().all(|d| d.compare(at_least) != Ordering::Less), "{place}: {found:?} is high");
        assert!(exact.iter().any(|d| d.compare(at_most) != Ordering::Greater), "{place}: {found:?} is low");
    }
}

pub(crate) fn exact_distance(a: &Placed<'_>, b: &Placed<'_>, i: u32, k: u32) -> naive::ExactDistance {
    let (i, k) = (faces(a.model).triangle(i), faces(b.model).triangle(k));
    naive::ExactDistance::new(&i, &k, &a.world_from_self, &b.world_from_self)
}

/// The promised width, for the frame of either body.
pub(crate) fn widest(a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let reach =
        |body: &Placed<'_>| faces(body.model).vertices().iter().map(|v| v.length()).fold(0.0, f64::max);
    let separated = RelativePose::new(&a.world_from_self, &b.world_from_self).translation.length();
    32.0 * 2f64.powi(-53) * (separated + reach(a) + reach(b))
}

/// Lengths times a power of two: the same verdicts, and clearances times that power to the last bit.
pub(crate) fn check_scaling(slide: &Slide, scaled: &[(f64, Slide)], along: f64, place: &str) {
    let (a, b) = slide.placed(along);
    let plain = clearance(&a, &b);
    for (factor, slide) in scaled {
        let (a, b) = slide.placed(along * factor);
        let found = clearance(&a, &b);
        assert_eq!(found.distance.at_least, plain.distance.at_least * factor, "{place}, times {factor:e}");
        assert_eq!(found.distance.at_most, plain.distance.at_most * factor, "{place}, times {factor:e}");
        assert_eq!(overlap(&a, &b), verdict(plain.distance.at_most == 0.0), "{place}, times {factor:e}");
    }
}

/// Check at a contact and at these powers of ten of `size` around it.
pub(crate) fn check_around(
    slide: &Slide,
    contact: &Contact,
    (size, exponents): (f64, &[i32]),
    what: &str,
    tally: &mut Tally,
) {
    tally.contacts += 1;
    let factors = [270, 200, -3, -200, -600].map(|exponent| 2f64.powi(exponent));
    let scaled = factors.map(|factor| (factor, slide.scaled(factor)));
    let around = exponents.iter().map(|&exponent| size * 10f64.powi(exponent));
    let places = around.flat_map(|distance| [contact.hit - distance, contact.free + distance]);
    for along in [contact.hit, contact.free].into_iter().chain(places) {
        check(slide, &scaled, along, what, tally);
    }
}

/// Bisect to contact and check there and around.
pub(crate) fn check_contact(slide: &Slide, exponents: &[i32], what: &str, tally: &mut Tally) {
    if let Some(contact) = slide.contact() {
        check_around(slide, &contact, (contact.hit.abs(), exponents), what, tally);
    }
}

pub(crate) const ALL: [i32; 14] = [-3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16];

/// Random slides of pairs made by `bodies`.
pub(crate) fn campaign(
    name: &str,
    seed: u64,
    count: usize,
    base: f64,
    mut bodies: impl FnMut(&mut SplitMix64) -> [Mesh; 2],
) {
    let mut rng = SplitMix64::new(seed);
    let mut tally = Tally::default();
    for number in 0..count {
        let [a, b] = bodies(&mut rng);
        let base = rng.direction() * base;
        let slide = Slide::random(&a, &b, base, &mut rng);
        check_contact(&slide, &ALL, &format!("{name} {number}"), &mut tally);
    }
    eprintln!("{name}: {tally:?}");
    assert!(tally.contacts * 2 >= count, "{name}: hardly any contact was found");
    assert!(tally.poses > tally.touching + tally.intersecting && tally.touching + tally.intersecting > 0);
}
