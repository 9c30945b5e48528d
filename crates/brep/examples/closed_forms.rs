//! Compares clearances and verdicts of random pairs of primitives with closed forms, on all CPUs.
//!
//! `cargo run --release -p noli-brep --example closed_forms -- PAIRS [SEED]`
//!
//! A torus is a circle with a distance around it, and a sphere a point: their distance from another primitive is that
//! of a point, or the least of those of the points of a circle, which is a Lipschitz function of one angle. Other
//! pairs are convex: alternating projections (Cheney & Goldstein 1959) bound their distance from above, and the
//! support functions along the last direction from below. Ends with status 1 if a bracket or a verdict is wrong.

use glam::{DQuat, DVec3};
use noli_brep::{Brep, Options, overlap, relation};
use noli_geom::{Bracket, Pose, Relation};
use noli_testing::{Random, for_all};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// Width of the brackets of closed forms that is aimed at; sizes are about 1.
const WIDTH: f64 = 1e-8;
/// Rounding errors of the closed forms, for coordinates up to 10.
const ROUNDING: f64 = 1e-13;
/// Most projections, or points of a circle.
const MAX_STEPS: usize = 100_000;

/// A primitive with its sizes.
#[derive(Clone, Copy, Debug)]
enum Primitive {
    Sphere(f64),
    /// Radius and height from 0.
    Cylinder(f64, f64),
    /// Radii below and above, and height from 0.
    Cone(f64, f64, f64),
    Torus(f64, f64),
    /// From the origin.
    Block(DVec3),
}

/// A primitive at a pose.
#[derive(Clone, Copy, Debug)]
struct Placed {
    primitive: Primitive,
    pose: Pose,
}

impl Primitive {
    fn random(random: &mut Random) -> Self {
        let [a, b, c] = [0; 3].map(|_| random.between(0.3, 1.5));
        match random.index(5) {
            0 => Self::Sphere(a),
            1 => Self::Cylinder(a, b),
            2 => Self::Cone(a, b, c),
            3 => Self::Torus(a + 0.3, 0.3 * a),
            _ => Self::Block(DVec3::new(a, b, c)),
        }
    }

    fn body(self) -> Brep {
        match self {
            Self::Sphere(radius) => Brep::sphere(radius),
            Self::Cylinder(radius, height) => Brep::cylinder(radius, height),
            Self::Cone(low, high, height) => Brep::cone(low, high, height),
            Self::Torus(major, minor) => Brep::torus(major, minor),
            Self::Block(size) => Brep::block(size),
        }
    }

    /// The nearest point of the core: the centre of a sphere, the circle of a torus, else the solid.
    fn nearest(self, point: DVec3) -> DVec3 {
        let radius = point.x.hypot(point.y);
        let around = |r: f64, z: f64| {
            let share = if radius > 0.0 { r / radius } else { 0.0 };
            let (x, y) = if radius > 0.0 { (point.x * share, point.y * share) } else { (r, 0.0) };
            DVec3::new(x, y, z)
        };
        match self {
            Self::Sphere(_) => DVec3::ZERO,
            Self::Torus(major, _) => around(major, 0.0),
            Self::Block(size) => point.clamp(DVec3::ZERO, size),
            Self::Cylinder(r, height) => around(radius.min(r), point.z.clamp(0.0, height)),
            Self::Cone(low, high, height) => {
                let inside =
                    (0.0..=height).contains(&point.z) && radius <= low + (high - low) * point.z / height;
                if inside {
                    return point;
                }
                let slant = high - low;
                let share = ((radius - low) * slant + point.z * height) / (slant * slant + height * height);
                let share = share.clamp(0.0, 1.0);
                let ends = [
                    [radius.min(low), 0.0],
                    [radius.min(high), height],
                    [low + slant * share, height * share],
                ];
                let distance = |[r, z]: &[f64; 2]| (r - radius).hypot(z - point.z);
                let best = ends.into_iter().min_by(|x, y| distance(x).total_cmp(&distance(y)));
                best.map_or(point, |[r, z]| around(r, z))
            }
        }
    }

    /// Distance around the core.
    fn around(self) -> f64 {
        match self {
            Self::Sphere(radius) => radius,
            Self::Torus(_, minor) => minor,
            _ => 0.0,
        }
    }

    /// How far a convex core reaches in a direction.
    fn support(self, direction: DVec3) -> f64 {
        let across = direction.x.hypot(direction.y);
        match self {
            Self::Sphere(_) => 0.0,
            Self::Torus(major, _) => major * across,
            Self::Block(size) => (direction * size).max(DVec3::ZERO).element_sum(),
            Self::Cylinder(radius, height) => radius * across + (direction.z * height).max(0.0),
            Self::Cone(low, high, height) => (low * across).max(high * across + direction.z * height),
        }
    }
}

impl Placed {
    fn nearest(&self, point: DVec3) -> DVec3 {
        self.pose.transform_point(self.primitive.nearest(self.pose.inverse().transform_point(point)))
    }

    fn support(&self, direction: DVec3) -> f64 {
        let own = self.pose.inverse().rotation.normalize() * direction;
        self.primitive.support(own) + self.pose.translation.dot(direction)
    }
}

/// The distance of two primitives in closed form; zero if they overlap.
fn distance(a: &Placed, b: &Placed) -> Bracket {
    let cores = match (a.primitive, b.primitive) {
        (Primitive::Torus(major, _), _) => from_circle(major, a, b),
        (_, Primitive::Torus(major, _)) => from_circle(major, b, a),
        _ => by_projections(a, b),
    };
    let around = a.primitive.around() + b.primitive.around();
    Bracket {
        at_least: (cores.at_least - around - ROUNDING).max(0.0),
        at_most: (cores.at_most - around + ROUNDING).max(0.0),
    }
}

/// An interval of an angle, ordered by a lower bound of the distance over it.
#[derive(PartialEq)]
struct Interval {
    at_least: f64,
    middle: f64,
    half: f64,
}

impl Eq for Interval {}

impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Interval {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at_least.total_cmp(&other.at_least)
    }
}

/// The distance of a circle from a core: branch and bound over its angle.
fn from_circle(major: f64, circle: &Placed, other: &Placed) -> Bracket {
    let value = |angle: f64| {
        let point = circle.pose.transform_point(DVec3::new(angle.cos(), angle.sin(), 0.0) * major);
        other.nearest(point).distance(point)
    };
    let mut at_most = f64::INFINITY;
    let mut heap = BinaryHeap::from([Reverse(Interval { at_least: 0.0, middle: PI, half: PI })]);
    for _ in 0..MAX_STEPS {
        let Some(Reverse(Interval { at_least, middle, half })) = heap.pop() else { break };
        if at_least >= at_most - WIDTH {
            return Bracket { at_least: at_least.min(at_most), at_most };
        }
        let half = 0.5 * half;
        for middle in [middle - half, middle + half] {
            let found = value(middle.rem_euclid(TAU));
            at_most = at_most.min(found);
            let at_least = (found - major * half).max(at_least);
            heap.push(Reverse(Interval { at_least, middle, half }));
        }
    }
    Bracket { at_least: heap.peek().map_or(0.0, |next| next.0.at_least).min(at_most), at_most }
}

/// The distance of two convex cores by alternating projections.
fn by_projections(a: &Placed, b: &Placed) -> Bracket {
    let mut found = Bracket { at_least: 0.0, at_most: f64::INFINITY };
    let mut q = b.nearest(a.pose.translation);
    for _ in 0..MAX_STEPS {
        let p = a.nearest(q);
        q = b.nearest(p);
        let length = p.distance(q);
        let is_stuck = length >= found.at_most;
        found.at_most = found.at_most.min(length);
        if length > 0.0 {
            let direction = (q - p) / length;
            found.at_least = found.at_least.max(-b.support(-direction) - a.support(direction));
        }
        if found.at_most - found.at_least <= 1e-3 * WIDTH || is_stuck {
            break;
        }
    }
    found.at_least = found.at_least.min(found.at_most);
    found
}

/// Counts over all pairs.
#[derive(Default)]
struct Counts {
    separated: usize,
    overlapping: usize,
    uncertain: usize,
    wide: usize,
    wide_forms: usize,
    wrong: Vec<String>,
}

fn check(seed: u64, counts: &Mutex<Counts>) {
    let mut random = Random::new(seed);
    let [a, b] = [1.0, 3.0].map(|far| {
        let turn = DQuat::from_xyzw(random.real(), random.real(), random.real(), random.real()).normalize();
        let primitive = Primitive::random(&mut random);
        Placed { primitive, pose: Pose::new(turn, random.vector() * far) }
    });
    let (body_a, body_b) = (a.primitive.body(), b.primitive.body());
    let size = body_a.size().max(body_b.size());
    let found = relation(&body_a, &body_b, &a.pose, &b.pose, &Options::default());
    let is_overlapping = overlap(&body_a, &body_b, &a.pose, &b.pose, &Options::default());
    let form = distance(&a, &b);
    let bracket = found.clearance;
    let agrees = bracket.at_least <= form.at_most && form.at_least <= bracket.at_most + found.within;
    let is_same = !found.is_certain || is_overlapping.is_none_or(|is| is == found.relation.overlaps());
    let Ok(mut counts) = counts.lock() else { return };
    match found.relation {
        Relation::Separated => counts.separated += 1,
        _ => counts.overlapping += 1,
    }
    counts.uncertain += usize::from(!found.is_certain);
    counts.wide += usize::from(bracket.width() > 1e-9 * size);
    counts.wide_forms += usize::from(form.width() > 100.0 * WIDTH);
    if !agrees || !is_same {
        counts.wrong.push(format!("seed {seed}: {a:?} {b:?}: {form:?}, {found:?}, {is_overlapping:?}"));
    }
}

fn main() -> std::io::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let usage = || {
        std::io::Error::other(
            "usage: closed_forms PAIRS [SEED]; both are whole numbers, and there is at least one pair",
        )
    };
    let count = arguments.next().unwrap_or(Ok(1_000)).map_err(|_| usage())?;
    if count == 0 {
        return Err(usage());
    }
    let first = arguments.next().unwrap_or(Ok(0)).map_err(|_| usage())?.saturating_mul(count);
    let seeds: Vec<u64> = (0..count).map(|k| first.saturating_add(k)).collect();
    let counts = Mutex::new(Counts::default());
    let start = Instant::now();
    for_all(&seeds, |&seed| check(seed, &counts));
    let seconds = start.elapsed().as_secs_f64();
    let counts = counts.into_inner().map_err(|_| std::io::Error::other("a check panicked"))?;
    let Counts { separated, overlapping, uncertain, wide, wide_forms, wrong } = counts;
    let mut out = std::io::stdout().lock();
    for case in &wrong {
        writeln!(out, "wrong: {case}")?;
    }
    writeln!(out, "{count} pairs in {seconds:.1} s: {separated} separated, {overlapping} overlapping")?;
    writeln!(
        out,
        "{} wrong, {uncertain} uncertain, {wide} brackets wider than 1e-9 of the size",
        wrong.len()
    )?;
    writeln!(out, "{wide_forms} brackets of closed forms wider than {:e}", 100.0 * WIDTH)?;
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
