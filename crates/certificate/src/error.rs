//! Reasons that there is no certificate.

use noli_robot::ConfigurationError;

/// Reason that a statement has no certificate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The format has no such shape.
    #[error(
        "`{name}` has a shape that certificates do not have; use a mesh, a box, a sphere, a capsule or a cylinder"
    )]
    Shape {
        /// Name of the body.
        name: String,
    },
    /// A mesh without faces.
    #[error("`{name}` has no faces; leave it out")]
    Empty {
        /// Name of the body.
        name: String,
    },
    /// A solid whose mesh is not closed.
    #[error("the mesh of the solid `{name}` is not closed; take it as a surface or close it")]
    Open {
        /// Name of the body.
        name: String,
    },
    /// The statement is false.
    #[error("the statement is false: `{a}` and `{b}` {finding}{}", at(.configuration))]
    False {
        /// First body.
        a: String,
        /// Second body.
        b: String,
        /// The relation that contradicts the statement.
        finding: &'static str,
        /// Where, as joint values; empty without joints.
        configuration: Vec<f64>,
    },
    /// True or not, it is too close to be written with the numbers of the format.
    #[error(
        "`{a}` and `{b}` come too close to a contact for a proof{}; state a smaller clearance",
        at(.configuration)
    )]
    TooClose {
        /// First body.
        a: String,
        /// Second body.
        b: String,
        /// Where, as joint values; empty without joints.
        configuration: Vec<f64>,
    },
    /// The search visited its largest number of cells.
    #[error("no proof for `{a}` and `{b}` within {cells} cells; allow more or state a smaller region")]
    Budget {
        /// First body.
        a: String,
        /// Second body.
        b: String,
        /// Visited cells.
        cells: usize,
    },
    /// A number that is beyond the limits of the format.
    #[error("{0}")]
    Limit(String),
    /// An index or a list that does not fit the scene.
    #[error("{0}")]
    Statement(String),
    /// Invalid joint values.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
}

fn at(configuration: &[f64]) -> String {
    if configuration.is_empty() { String::new() } else { format!(" at {configuration:?}") }
}
