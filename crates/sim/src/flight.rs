//! Free motion of a rigid body, as a [`Motion`] with proven bounds.
//!
//! The centre of mass goes on a parabola. The turn follows Euler's equations `I ω̇ = τ − ω × I ω` in the body's frame and
//! `q̇ = ½ q ω`, whose right sides are quadratic: the coefficients of their Taylor series follow from each other by sums of
//! products, to any order. Spans are cut so short that the terms left out are below rounding.

use crate::mass::MassProperties;
use glam::{DMat3, DQuat, DVec3, DVec4};
use noli::Pose;
use noli::model::Sphere;
use noli::motion::Motion;

/// Terms of the series.
const ORDER: usize = 14;
/// The longest turn of one series: at this the terms left out are below 1e-17 of the first.
const LONGEST_TURN: f64 = 0.1;
/// Maximum number of series of one flight; faster rotations lose accuracy, but always have bounds.
const MOST_PIECES: usize = 4096;
/// For the rounding of a sum of few products.
const SLACK: f64 = 1.0 + 1e-9;

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlightState {
    /// The centre of mass.
    pub center: DVec3,
    /// The orientation.
    pub rotation: DQuat,
    /// Of the centre.
    pub velocity: DVec3,
    /// The angular velocity, in the world.
    pub spin: DVec3,
}

impl FlightState {
    /// The pose of the body's frame, whose centre of mass is at `center` in it.
    pub fn pose(&self, center: DVec3) -> Pose {
        let turned = Pose::from_rotation(self.rotation);
        Pose::new(self.rotation, self.center - turned.transform_vector(center))
    }
}

/// The motion of a body under a constant force and a torque that is constant in its frame, for a number of seconds.
///
/// ```
/// use noli::motion::Motion;
/// use noli_sim::{Flight, FlightState, MassProperties};
/// use glam::{DMat3, DQuat, DVec3};
/// let brick = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5)) };
/// let state = FlightState {
///     center: DVec3::ZERO,
///     rotation: DQuat::IDENTITY,
///     velocity: DVec3::X,
///     spin: DVec3::new(0.1, 5.0, 0.0),
/// };
/// let flight = Flight::new(&state, &brick, DVec3::NEG_Z * 9.81, DVec3::ZERO, 2.0);
/// assert!((flight.pose(0.5).translation - DVec3::new(1.0, 0.0, -4.905)).length() < 1e-14);
/// ```
#[derive(Clone, Debug)]
pub struct Flight {
    center: DVec3,
    from: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    seconds: f64,
    pieces: Vec<Piece>,
    /// Largest rotation rate over all segments.
    fastest: f64,
    /// Of the second derivative of a turned unit vector.
    sharpest: f64,
    /// Of the first and second derivative of the angular velocity, in the body's frame.
    swerve: [f64; 2],
    /// The rotation at the start as it was given, and whether it stays.
    start: DQuat,
    turns: bool,
}

#[derive(Clone, Debug)]
struct Piece {
    /// Of the quaternion (x, y, z, w), in seconds.
    rotation: [DVec4; ORDER + 1],
    /// Of the angular velocity in the body's frame.
    spin: [DVec3; ORDER + 1],
}

impl Piece {
    fn new(rotation: DVec4, spin: DVec3, torque: DVec3, inertia: &DMat3, inverse: &DMat3) -> Self {
        let (mut q, mut w, mut l) =
            ([DVec4::ZERO; ORDER + 1], [DVec3::ZERO; ORDER + 1], [DVec3::ZERO; ORDER + 1]);
        (q[0], w[0], l[0]) = (rotation, spin, *inertia * spin);
        for k in 0..ORDER {
            let (mut turn, mut quat) = (if k == 0 { torque } else { DVec3::ZERO }, DVec4::ZERO);
            for i in 0..=k {
                turn -= w[i].cross(l[k - i]);
                quat += times(q[i], w[k - i]);
            }
            let per = 1.0 / (k + 1) as f64;
            w[k + 1] = *inverse * turn * per;
            l[k + 1] = *inertia * w[k + 1];
            q[k + 1] = quat * (0.5 * per);
        }
        Self { rotation: q, spin: w }
    }

    fn at(&self, t: f64) -> (DVec4, DVec3) {
        let (mut q, mut w) = (self.rotation[ORDER], self.spin[ORDER]);
        for k in (0..ORDER).rev() {
            q = q * t + self.rotation[k];
            w = w * t + self.spin[k];
        }
        (q, w)
    }

    /// Bounds on the length of the first and of the second derivative of the quaternion for `seconds`.
    fn bounds(&self, seconds: f64) -> [f64; 2] {
        let mut second = 0.0;
        for k in (2..=ORDER).rev() {
            second = second * seconds + (k * (k - 1)) as f64 * self.rotation[k].length();
        }
        // At five times, and at most an eighth of the span from the nearest of them.
        let first = (0..5).map(|n| {
            let t = 0.25 * seconds * f64::from(n);
            let mut slope = DVec4::ZERO;
            for k in (1..=ORDER).rev() {
                slope = slope * t + self.rotation[k] * k as f64;
            }
            slope.length()
        });
        let first = first.fold(0.0, f64::max) + 0.125 * seconds * second;
        [first * SLACK, second * SLACK]
    }

    /// The derivative of the angular velocity in the body's frame.
    fn swerve_at(&self, t: f64) -> DVec3 {
        (1..=ORDER).rev().fold(DVec3::ZERO, |sum, k| sum * t + self.spin[k] * k as f64)
    }

    /// Bounds on the length of that and of its derivative for `seconds`.
    fn swerve(&self, seconds: f64) -> [f64; 2] {
        let second = (2..=ORDER)
            .rev()
            .fold(0.0, |sum, k| sum * seconds + (k * (k - 1)) as f64 * self.spin[k].length());
        let first = self.swerve_at(0.5 * seconds).length() + 0.5 * seconds * second;
        [first * SLACK, second * SLACK]
    }
}

/// Motion state of a body at a time, in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) acceleration: DVec3,
    pub(crate) spin: DVec3,
    /// The derivative of the spin.
    pub(crate) swerve: DVec3,
}

/// The product of a quaternion (x, y, z, w) and a vector as one without a scalar part.
fn times(q: DVec4, v: DVec3) -> DVec4 {
    let (u, s) = (q.truncate(), q.w);
    (v * s + u.cross(v)).extend(-u.dot(v))
}

impl Flight {
    /// From a state on, for so many seconds. The acceleration is that of the centre, the torque is in the body's frame.
    pub fn new(
        state: &FlightState,
        mass: &MassProperties,
        acceleration: DVec3,
        torque: DVec3,
        seconds: f64,
    ) -> Self {
        let inverse = mass.inertia.inverse();
        let start = state.rotation.normalize();
        let own = start.conjugate() * state.spin;
        let turns = own != DVec3::ZERO || torque != DVec3::ZERO;
        let mut flight = Self {
            center: mass.center,
            from: state.center,
            velocity: state.velocity,
            acceleration,
            seconds: seconds.max(0.0),
            pieces: Vec::new(),
            fastest: 0.0,
            sharpest: 0.0,
            swerve: [0.0; 2],
            start: state.rotation,
            turns,
        };
        if !turns {
            return flight;
        }
        // The energy, and what a torque may add, bound how fast it ever turns; the number of pieces is a matter of accuracy.
        let gain = (inverse * torque).length() * flight.seconds;
        let turn = (own.length() + gain) * flight.seconds;
        let count = ((turn / LONGEST_TURN).ceil() as usize).clamp(1, MOST_PIECES);
        let span = flight.seconds / count as f64;
        let (mut q, mut w) = (DVec4::from(start), own);
        for _ in 0..count {
            let piece = Piece::new(q, w, torque, &mass.inertia, &inverse);
            let [first, second] = piece.bounds(span);
            flight.fastest = flight.fastest.max(2.0 * first);
            let sharp = 4.0 * first * first + 2.0 * second + 2.0 * first * first;
            flight.sharpest = flight.sharpest.max(sharp);
            let swerve = piece.swerve(span);
            flight.swerve = [0, 1].map(|k| flight.swerve[k].max(swerve[k]));
            (q, w) = piece.at(span);
            q = q.normalize();
            flight.pieces.push(piece);
        }
        flight.fastest *= SLACK;
        flight.sharpest *= 1.0 + 1e-6;
        flight
    }

    /// A body that stays where it is.
    pub fn still(state: &FlightState, center: DVec3, seconds: f64) -> Self {
        Self {
            center,
            from: state.center,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            seconds,
            pieces: Vec::new(),
            fastest: 0.0,
            sharpest: 0.0,
            swerve: [0.0; 2],
            start: state.rotation,
            turns: false,
        }
    }

    /// Returns its duration.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns `true` if it does not move.
    pub fn is_still(&self) -> bool {
        !self.turns && self.velocity == DVec3::ZERO && self.acceleration == DVec3::ZERO
    }

    /// Returns the state of the body after so many seconds.
    pub fn state(&self, seconds: f64) -> FlightState {
        let t = seconds.clamp(0.0, self.seconds);
        let (rotation, own) = self.turned(t);
        FlightState {
            center: self.from + (self.velocity + self.acceleration * (0.5 * t)) * t,
            velocity: self.velocity + self.acceleration * t,
            rotation,
            spin: rotation * own,
        }
    }

    fn turned(&self, t: f64) -> (DQuat, DVec3) {
        let Some((piece, since)) = self.piece(t) else { return (self.start, DVec3::ZERO) };
        if t == 0.0 {
            return (self.start, piece.spin[0]);
        }
        let (q, w) = piece.at(since);
        (DQuat::from_vec4(q.normalize()), w)
    }

    /// The series that holds at a time, and how long it has done so; `None` where nothing turns.
    fn piece(&self, t: f64) -> Option<(&Piece, f64)> {
        let last = self.pieces.len().checked_sub(1)?;
        let span = self.seconds / self.pieces.len() as f64;
        let number = if span > 0.0 { ((t / span) as usize).min(last) } else { 0 };
        Some((&self.pieces[number], t - span * number as f64))
    }

    /// Returns the motion state of the body after so many seconds, with its accelerations.
    pub(crate) fn rates(&self, seconds: f64) -> Rates {
        let state = self.state(seconds);
        let swerve = self
            .piece(seconds.clamp(0.0, self.seconds))
            .map_or(DVec3::ZERO, |(piece, since)| state.rotation.normalize() * piece.swerve_at(since));
        Rates {
            center: state.center,
            velocity: state.velocity,
            acceleration: self.acceleration,
            spin: state.spin,
            swerve,
        }
    }

    /// A bound on the second derivative of the angular velocity in the world; `None` if it turns so fast that its series
    /// are cut short.
    pub(crate) fn jerk(&self) -> Option<f64> {
        let [swerve, second] = self.swerve;
        (self.pieces.len() < MOST_PIECES).then_some(second + self.fastest * swerve)
    }

    /// The centre of mass in the body's frame.
    pub(crate) fn center(&self) -> DVec3 {
        self.center
    }

    fn arm(&self, sphere: &Sphere) -> f64 {
        (sphere.center.distance(self.center) + sphere.radius) * SLACK
    }

    /// Of a placed point: coordinates and lever arms are rounded a few times, quaternions err by some 64 roundings.
    fn rounding(&self, sphere: &Sphere) -> f64 {
        let path = self.velocity.length() + self.acceleration.length() * self.seconds;
        let lengths = self.from.length() + self.center.length() + path * self.seconds;
        f64::EPSILON * (512.0 * (self.arm(sphere) + self.center.length()) + 64.0 * lengths)
            + f64::MIN_POSITIVE
    }
}

impl Motion for Flight {
    fn pose(&self, t: f64) -> Pose {
        self.state(t * self.seconds).pose(self.center)
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        if self.is_still() {
            return 0.0;
        }
        let [s0, s1] = [t0, t1].map(|t| t.clamp(0.0, 1.0) * self.seconds);
        let h = (s1 - s0).max(0.0);
        let fastest = |t: f64| (self.velocity + self.acceleration * t).length();
        // The speed of a parabola is greatest at an end.
        let centre = fastest(s0).max(fastest(s1)) * h;
        (centre + self.fastest * self.arm(sphere) * h) * SLACK + 2.0 * self.rounding(sphere)
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        if self.is_still() {
            return 0.0;
        }
        let h = ((t1 - t0) * self.seconds).max(0.0);
        let bend = self.acceleration.length() + self.sharpest * self.arm(sphere);
        let by_bend = 0.125 * bend * h * h;
        let by_way = self.travel(sphere, t0, t1);
        by_bend.min(2.0 * by_way) * SLACK + 2.0 * self.rounding(sphere)
    }
}
