//! Conditions of contact on velocities.

use glam::{DMat3, DVec3};

/// A velocity or a small displacement of a rigid body: of its centre of mass, and its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Of the centre of mass.
    pub linear: DVec3,
    /// About it, in the world.
    pub angular: DVec3,
}

/// Mass properties of a body that contact may push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassState {
    /// One over the mass.
    pub inverse_mass: f64,
    /// The inverse of the inertia, in the world.
    pub inverse_inertia: DMat3,
    /// The centre of mass.
    pub center: DVec3,
}

impl MassState {
    pub(crate) fn energy(&self, twist: &Twist) -> f64 {
        let inertia = self.inverse_inertia.inverse();
        0.5 * (twist.linear.length_squared() / self.inverse_mass + twist.angular.dot(inertia * twist.angular))
    }
}

/// A contact as a condition on velocities: along the normal, B must leave A at least at speed `least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// Numbers of A and B among the bodies that may be pushed; `None` for immovable bodies.
    pub bodies: [Option<usize>; 2],
    /// Contact points on A and on B: each is pushed at its own surface, so that the skin between them adds no
    /// lever arm.
    pub points: [DVec3; 2],
    /// From A to B.
    pub normal: DVec3,
    /// The least speed of parting; negative where there is room.
    pub least: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Contribution of immovable bodies to the velocity of B against A at the point.
    pub given: DVec3,
}

impl Constraint {
    /// The velocity of B against A at the point.
    pub fn relative(&self, bodies: &[MassState], twists: &[Twist]) -> DVec3 {
        let of = |side: usize| {
            self.bodies[side].map_or(DVec3::ZERO, |k| {
                twists[k].linear + twists[k].angular.cross(self.points[side] - bodies[k].center)
            })
        };
        self.given + of(1) - of(0)
    }
}
