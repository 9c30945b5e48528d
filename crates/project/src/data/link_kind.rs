//! Meaning of the meshes of robots: surfaces or solids.

/// Interpretation of the meshes of a robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkKind {
    /// As surfaces.
    Surface,
    /// As the solids they bound.
    Solid,
    /// Closed ones as solids, others as surfaces.
    #[default]
    Auto,
}
