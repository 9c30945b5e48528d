//! Reason why a simulation rejects an input.

/// Reason why a simulation rejects an input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// Invalid mass.
    #[error(
        "body `{body}` has a mass of {mass}: give one that is finite and more than zero, or make the body fixed"
    )]
    Mass {
        /// The body.
        body: String,
        /// Value given.
        mass: f64,
    },
    /// The inertia is none that a body can have.
    #[error(
        "body `{body}` has an impossible inertia: its principal moments must be positive, and none more than the sum of the others"
    )]
    Inertia {
        /// The body.
        body: String,
    },
    /// The mass cannot be known from the shape.
    #[error(
        "the mass of body `{body}` cannot be computed from its shape ({reason}); give `mass`, or make the body fixed"
    )]
    NoMass {
        /// The body.
        body: String,
        /// Reason.
        reason: &'static str,
    },
    /// A number that must be finite is not.
    #[error("body `{body}`: its {what} is not finite")]
    NotFinite {
        /// The body.
        body: String,
        /// Name of the number.
        what: &'static str,
    },
    /// A coefficient is out of range.
    #[error("body `{body}`: {what} is {value}; give a value {range}")]
    Coefficient {
        /// The body.
        body: String,
        /// Its identifier.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Permitted range.
        range: &'static str,
    },
    /// Two bodies overlap before anything moves.
    #[error("bodies `{a}` and `{b}` overlap at the start; move them apart, or exclude the pair")]
    Overlap {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// Invalid pose.
    #[error(
        "body `{body}` has an invalid pose: a coordinate is not finite or too large, or a quaternion is zero"
    )]
    Pose {
        /// The body.
        body: String,
    },
    /// Invalid time.
    #[error("the time to advance is {0}: give seconds that are finite and not negative")]
    Time(f64),
    /// The world refuses it.
    #[error(transparent)]
    World(#[from] noli::world::WorldError),
}
