//! Limits and tolerances of queries on two bodies.

/// Options of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Length within which surfaces count as touching; `None` for `1e-10` of the size of the pair, or more where the
    /// files are less certain: their uncertainty, up to `1e-6` of the size, and twice the distances between their edges and
    /// surfaces, up to `1e-5` of the size.
    pub tolerance: Option<f64>,
    /// Width of the bracket of a clearance; `None` for `1e-9` of the size of the pair.
    pub precision: Option<f64>,
    /// Largest number of refinements; about a microsecond each.
    pub budget: usize,
    /// Volumes that bound the parts of a body.
    pub volumes: Volumes,
}

/// Volumes that bound the parts of a body in a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volumes {
    /// Spheres alone: the oracle of tests, and the other side of benchmarks.
    Spheres,
    /// Boxes in the frame of the body, with spheres around them.
    #[default]
    Boxes,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: None, precision: None, budget: 200_000, volumes: Volumes::Boxes }
    }
}
