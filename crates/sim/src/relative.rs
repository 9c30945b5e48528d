//! Bodies that lie against each other, as seen by the plane between them.
//!
//! A face that turns takes the plane that parts two bodies with it, and two edges that cross turn theirs both. In a frame that
//! turns as that plane does, a proof by one direction holds for a whole step; seen from the world, the vertices of a face
//! leave its plane by their distance times the angle, and steps would be as short as the clearance is small.

use crate::flight::{Flight, Rates};
use glam::{DMat3, DQuat, DVec3};
use noli::answer::Feature;
use noli::contacts::FeatureContact;
use noli::model::Sphere;
use noli::motion::Motion;
use noli::{Model, Pose};
use std::sync::Arc;

/// For the rounding of bounds that are sums of a few products.
const SLACK: f64 = 1.0 + 1e-9;
/// Weight of the bodies' spin against that of a normal: it fixes the rotation of the frame about the normal.
const TIE: f64 = 1e-3;
/// Maximum number of evaluated contacts.
const MOST_CONTACTS: usize = 64;
/// Sine of the angle from which two edges determine the rotation of their normal.
const CROSSED: f64 = 0.05;

/// A frame that moves at constant velocity and turns at constant speed, per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
}

/// A body whose contacts with another are evaluated: its model, pose and motion state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Party<'a> {
    pub(crate) model: &'a Model,
    pub(crate) pose: Pose,
    pub(crate) center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
}

impl Party<'_> {
    fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.center)
    }

    /// The direction of an edge, if it is one and known.
    fn edge(&self, feature: Option<Feature>) -> Option<DVec3> {
        let (Some(Feature::Edge(ends)), Some(mesh)) = (feature, self.model.mesh()) else { return None };
        let count = mesh.vertices().len() as u32;
        let find = |user: u32| {
            let own = (user < count && mesh.user_vertex(user) == user).then_some(user);
            own.or_else(|| (0..count).find(|&vertex| mesh.user_vertex(vertex) == user))
        };
        let [from, to] = ends.map(find);
        let path = mesh.vertices()[to? as usize] - mesh.vertices()[from? as usize];
        self.pose.transform_vector(path).try_normalize()
    }
}

impl Frame {
    /// The frame in which the normals of contacts turn least.
    pub(crate) fn of(contacts: &[FeatureContact], [a, b]: [&Party<'_>; 2]) -> Option<Self> {
        let mean = 0.5 * (a.spin + b.spin);
        let (mut matrix, mut sum, mut center) = (DMat3::IDENTITY * TIE, mean * TIE, DVec3::ZERO);
        let some = contacts.len().div_ceil(MOST_CONTACTS).max(1);
        let contacts = contacts.iter().step_by(some);
        let count = contacts.len() as f64;
        for contact in contacts {
            let n = contact.normal;
            let turn = normal_spin(contact, [a, b]);
            let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            matrix += DMat3::IDENTITY - outer;
            sum += turn - n * n.dot(turn);
            center += contact.middle();
        }
        let spin = matrix.inverse() * sum;
        let center = center / count;
        let velocity = 0.5 * (a.velocity_at(center) + b.velocity_at(center));
        (spin.is_finite() && center.is_finite() && velocity.is_finite()).then_some(Self {
            center,
            velocity,
            spin,
        })
    }
}

/// An angular velocity with which the normal of a contact turns.
fn normal_spin(contact: &FeatureContact, [a, b]: [&Party<'_>; 2]) -> DVec3 {
    let is_face = |feature| matches!(feature, Some(Feature::Face(_)));
    if is_face(contact.on_a.feature) {
        return a.spin;
    }
    if is_face(contact.on_b.feature) {
        return b.spin;
    }
    let edges = a.edge(contact.on_a.feature).zip(b.edge(contact.on_b.feature));
    let Some((e, f)) = edges.filter(|(e, f)| e.cross(*f).length() > CROSSED) else {
        return 0.5 * (a.spin + b.spin);
    };
    let across = e.cross(f);
    let rate = a.spin.cross(e).cross(f) + e.cross(b.spin.cross(f));
    // The unit vector along `across` turns with n × ṅ, whichever way it points.
    across.cross(rate) / across.length_squared()
}

/// A body as seen from a frame.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// On a flight that has lasted for some time.
    Flying(Arc<Flight>, f64),
    /// On a motion that takes all of the time.
    Moving(Arc<dyn Motion>),
}

/// The motion of a body in a frame, for some seconds.
#[derive(Clone, Debug)]
pub(crate) struct Relative {
    frame: Frame,
    of: Seen,
    seconds: f64,
    jerk: f64,
    /// Lengths that are rounded, and such that are subtracted from each other.
    far: f64,
    separated: f64,
}

/// Bounds over a span of time on how far any point of a sphere goes, and strays from its chord.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    travel: f64,
    deviation: f64,
}

impl Relative {
    /// `None` where the body turns too fast for it.
    pub(crate) fn new(frame: Frame, of: Seen, seconds: f64) -> Option<Self> {
        let jerk = match &of {
            Seen::Flying(flight, _) => flight.jerk()?,
            Seen::Moving(_) => 0.0,
        };
        let mut relative = Self { frame, of, seconds, jerk, far: 0.0, separated: 0.0 };
        let path = frame.velocity.length() * seconds;
        for t in [0.0, 1.0] {
            let place = relative.world(t).translation;
            relative.far += place.length() + frame.center.length() + path;
            relative.separated += place.distance(frame.center) + path;
        }
        relative.far.is_finite().then_some(relative)
    }

    fn world(&self, t: f64) -> Pose {
        match &self.of {
            Seen::Flying(flight, from) => flight.state(from + t * self.seconds).pose(flight.center()),
            Seen::Moving(motion) => motion.pose(t),
        }
    }

    fn bounds(&self, sphere: &Sphere, t0: f64, t1: f64) -> Bounds {
        let h = ((t1 - t0) * self.seconds).max(0.0);
        match &self.of {
            Seen::Flying(flight, from) => {
                let arm = (sphere.center.distance(flight.center()) + sphere.radius) * SLACK;
                let middle = 0.5 * (t0 + t1) * self.seconds;
                self.flying(&flight.rates(from + middle), middle, arm, h)
            }
            Seen::Moving(motion) => self.moving(&**motion, sphere, (t0, t1), h),
        }
    }

    /// With `d` and `w` between the centres and their velocities, `u = w − ω × d` is the velocity of the body's centre as
    /// seen from the frame, which turns at `ω`, and `δ` how much faster the body turns. A point at `ρ` from the centre has
    /// the velocity `u + δ × ρ` and the acceleration `g + (δ̇ + δ × ω) × ρ + δ × (δ × ρ)` with
    /// `g = ẇ − ω × (ω × d) − 2 ω × u`. Each is taken in the middle of the span, and what it changes by until the ends is
    /// bounded.
    fn flying(&self, body: &Rates, middle: f64, arm: f64, h: f64) -> Bounds {
        let (half, spin) = (0.5 * h, self.frame.spin);
        let center = self.frame.center + self.frame.velocity * middle;
        let (d, w, pull) = (body.center - center, body.velocity - self.frame.velocity, body.acceleration);
        let (turn, pulled) = (spin.length(), pull.length());
        let w_most = w.length() + pulled * half;
        let u = w - spin.cross(d);
        let u_rate = pulled + turn * w_most;
        let u_most = u.length() + u_rate * half;
        let g = pull - spin.cross(spin.cross(d)) - spin.cross(u) * 2.0;
        let g_most = g.length() + turn * (turn * w_most + 2.0 * u_rate) * half;
        let swerve = body.swerve.length() + self.jerk * half;
        let faster = (body.spin - spin).length() + swerve * half;
        let travel = (u_most + faster * arm) * h;
        let bend = g_most + (swerve + faster * (turn + faster)) * arm;
        Bounds { travel, deviation: (0.125 * bend * h * h).min(2.0 * travel) }
    }

    /// Points stray from chords, and a chord is bent as seen from a frame that turns: by `ω² r + 2 ω v`.
    fn moving(&self, motion: &dyn Motion, sphere: &Sphere, (t0, t1): (f64, f64), h: f64) -> Bounds {
        let own = motion.travel(sphere, t0, t1);
        let place = |t: f64| motion.pose(t).transform_point(sphere.center);
        let center = |t: f64| self.frame.center + self.frame.velocity * (t * self.seconds);
        let (speed, turn) = (self.frame.velocity.length(), self.frame.spin.length());
        let path = own + speed * h;
        let far = place(t0).distance(center(t0)) + sphere.radius + path;
        let travel = path + turn * h * far;
        let bend = 0.125 * turn * h * (turn * h * far + 2.0 * (2.0 * own + speed * h));
        Bounds { travel, deviation: (motion.chord_deviation(sphere, t0, t1) + bend).min(2.0 * travel) }
    }

    /// Of a placed point.
    fn rounding(&self, sphere: &Sphere) -> f64 {
        let reach = sphere.center.length() + sphere.radius;
        f64::EPSILON * (2048.0 * (reach + self.separated) + 256.0 * self.far) + f64::MIN_POSITIVE
    }
}

impl Motion for Relative {
    fn pose(&self, t: f64) -> Pose {
        let Pose { rotation, translation } = self.world(t);
        let seconds = t * self.seconds;
        let Frame { center, velocity, spin } = self.frame;
        let back = DQuat::from_scaled_axis(spin * -seconds);
        Pose::new(back, DVec3::ZERO) * Pose::new(rotation, translation - (center + velocity * seconds))
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.bounds(sphere, t0, t1).travel * SLACK + 2.0 * self.rounding(sphere)
    }

    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.bounds(sphere, t0, t1).deviation * SLACK + 4.0 * self.rounding(sphere)
    }

    fn next_bend(&self, t: f64) -> f64 {
        match &self.of {
            Seen::Flying(..) => 1.0,
            Seen::Moving(motion) => motion.next_bend(t),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flight::FlightState;
    use crate::mass::MassProperties;
    use glam::dvec3;
    use noli::motion::RigidMotion;

    fn frame() -> Frame {
        Frame { center: dvec3(0.3, 0.1, -0.2), velocity: dvec3(0.5, -1.0, 0.2), spin: dvec3(1.0, 4.0, -2.0) }
    }

    /// Checks that no point of a sphere exceeds the bounds on its travel and chord deviation, and that these are
    /// not far too large.
    fn keeps_its_bounds(motion: &Relative, most: f64) {
        let sphere = Sphere { center: dvec3(0.5, 0.0, 0.0), radius: 0.4 };
        let points =
            [dvec3(0.9, 0.0, 0.0), dvec3(0.5, 0.4, 0.0), dvec3(0.5, 0.0, -0.4), dvec3(0.1, 0.0, 0.0)];
        for (t0, t1) in [(0.0, 1.0), (0.2, 0.21), (0.5, 0.9), (0.99, 1.0), (0.3, 0.3 + 1e-6)] {
            let (travel, stray) = (motion.travel(&sphere, t0, t1), motion.chord_deviation(&sphere, t0, t1));
            let (mut furthest, mut widest) = (0.0f64, 0.0f64);
            for p in points {
                let [from, to] = [t0, t1].map(|t| motion.pose(t).transform_point(p));
                for k in 0..=200 {
                    let share = f64::from(k) / 200.0;
                    let q = motion.pose(t0 + (t1 - t0) * share).transform_point(p);
                    furthest = furthest.max(q.distance(from));
                    widest = widest.max(q.distance(from.lerp(to, share)));
                }
            }
            assert!(furthest <= travel && travel <= most * furthest + 1e-9, "{furthest} {travel}");
            assert!(widest <= stray && stray <= most * widest + 1e-9, "{t0} {t1}: {widest} {stray}");
        }
    }

    #[test]
    fn a_flight_keeps_its_bounds_in_a_frame_that_turns() {
        let mass = MassProperties {
            mass: 2.0,
            center: dvec3(0.1, -0.2, 0.3),
            inertia: DMat3::from_diagonal(dvec3(1.0, 2.0, 2.7)),
        };
        for (spin, torque) in
            [(dvec3(0.3, 5.0, -1.0), DVec3::ZERO), (dvec3(2.0, 1.0, 9.0), dvec3(1.0, 2.0, 3.0))]
        {
            let state = FlightState {
                center: dvec3(1.0, 2.0, 3.0),
                rotation: DQuat::from_xyzw(0.1, 0.2, -0.4, 0.8).normalize(),
                velocity: dvec3(3.0, -1.0, 2.0),
                spin,
            };
            let flight = Flight::new(&state, &mass, dvec3(0.0, 0.0, -9.81), torque, 0.3);
            let seen = Seen::Flying(Arc::new(flight), 0.1);
            keeps_its_bounds(&Relative::new(frame(), seen, 0.2).unwrap(), 60.0);
        }
    }

    #[test]
    fn a_motion_keeps_its_bounds_in_a_frame_that_turns() {
        let start = Pose::new(DQuat::from_xyzw(0.1, 0.2, -0.4, 0.8).normalize(), dvec3(1.0, 0.0, 2.0));
        let motion =
            RigidMotion::with_velocities(&start, dvec3(0.1, 0.4, 0.0), dvec3(0.5, 1.0, 0.0), DVec3::X);
        keeps_its_bounds(&Relative::new(frame(), Seen::Moving(Arc::new(motion)), 0.2).unwrap(), 300.0);
    }

    /// A body that turns with the frame rests in it.
    #[test]
    fn what_turns_with_the_frame_is_bounded_by_next_to_nothing() {
        let round = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY };
        let Frame { center, velocity, spin } = frame();
        let state = FlightState { center, rotation: DQuat::IDENTITY, velocity, spin };
        let flight = Flight::new(&state, &round, DVec3::ZERO, DVec3::ZERO, 0.1);
        let motion = Relative::new(frame(), Seen::Flying(Arc::new(flight), 0.0), 0.1).unwrap();
        let sphere = Sphere { center: DVec3::X, radius: 1.0 };
        assert!(
            motion.travel(&sphere, 0.0, 1.0) < 1e-10 && motion.chord_deviation(&sphere, 0.0, 1.0) < 1e-10
        );
    }

    /// The frame of two edges that cross turns with the normal between them.
    #[test]
    fn a_frame_turns_as_the_normal_of_crossed_edges_does() {
        let bar = noli::Mesh::cuboid(dvec3(2.0, 0.2, 0.2)).unwrap().into_solid();
        let model = Model::from(&bar);
        // Edge up, along x and along y.
        let eighth = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        let high = 0.2 * 0.5f64.sqrt() * 2.0 + 0.001;
        let below = Pose::new(eighth, DVec3::ZERO);
        let above = Pose::new(DQuat::from_rotation_z(1.2) * eighth, DVec3::Z * high);
        let spins = [dvec3(0.3, 2.0, -0.4), dvec3(-1.0, 0.5, 0.7)];
        let normal = |seconds: f64| {
            let turned = |pose: Pose, spin: DVec3| {
                Pose::new(DQuat::from_scaled_axis(spin * seconds) * pose.rotation, pose.translation)
            };
            let found = noli::contacts::contacts(
                &model.at(turned(below, spins[0])),
                &model.at(turned(above, spins[1])),
                0.01,
            );
            assert_eq!(found.items.len(), 1, "{found:?}");
            found.items[0]
        };
        let party = |pose: Pose, spin: DVec3| Party {
            model: &model,
            pose,
            center: pose.translation,
            velocity: DVec3::ZERO,
            spin,
        };
        let contact = normal(0.0);
        let frame = Frame::of(&[contact], [&party(below, spins[0]), &party(above, spins[1])]).unwrap();
        let rate = (normal(1e-5).normal - contact.normal) / 1e-5;
        assert!(frame.spin.cross(contact.normal).abs_diff_eq(rate, 5e-3), "{frame:?} {rate}");
    }
}
