//! The choices behind a tree, each a value.

use super::box_rule::BoxRule;
use super::choice::{BoundRules, Split};
use noli::tree::Effort;
use noli_geom::{Measure, VolumeKind};

/// Build options of a tree.
///
/// ```
/// use noli_classics::tree::{Degree, Measure, Split, TreeOptions, VolumeKind};
/// // The best setting of Eckstein's thesis.
/// let thesis = TreeOptions {
///     split: Split::Exchange,
///     degree: Degree::rate(0.75),
///     volume: VolumeKind::Obb.into(),
///     measure: Measure::Surface,
///     ..TreeOptions::workshop()
/// };
/// assert_ne!(thesis, TreeOptions::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Split of the faces of a node.
    pub split: Split,
    /// Number of children of a node.
    pub degree: Degree,
    /// Largest number of faces in a leaf, unless the splits find that dividing them does not pay.
    pub leaf_faces: usize,
    /// Volumes stored in the nodes, where volumes are compared; packed storage has its own.
    pub volume: VolumeChoice,
    /// By what volumes are compared.
    pub measure: Measure,
    /// Aggregation of the sizes of several volumes.
    pub aggregate: Aggregate,
    /// Fit of the volumes.
    pub fit: Fit,
}

/// Number of children of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Degree {
    /// So many, from 2 to 16.
    Fixed(usize),
    /// As few as bring the quality of the children to `rate` times that of the node (Eckstein 1998, section
    /// 3.3.3).
    Rate {
        /// From 0 to 1; smaller gives more children.
        rate: f64,
        /// No more children than these.
        at_most: usize,
        /// A node of fewer faces that misses the rate stays a leaf.
        few: usize,
    },
}

impl Degree {
    /// A rate of improvement with at most six children; nodes of fewer than eight faces that miss it stay
    /// leaves.
    pub const fn rate(rate: f64) -> Self {
        Self::Rate { rate, at_most: 6, few: 8 }
    }

    /// The largest number of children.
    pub fn at_most(self) -> usize {
        match self {
            Self::Fixed(degree) => degree,
            Self::Rate { at_most, .. } => at_most,
        }
    }
}

/// Volumes stored in the nodes of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VolumeChoice {
    /// Volumes of one kind.
    Kind(VolumeKind),
    /// For every node the kind with the smallest product of size and cost of a test.
    Mixed,
}

impl From<VolumeKind> for VolumeChoice {
    fn from(kind: VolumeKind) -> Self {
        Self::Kind(kind)
    }
}

/// Aggregation of the sizes of several volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// Their mean.
    #[default]
    Mean,
    /// The largest.
    Max,
}

impl Aggregate {
    /// The sizes taken together; 0 of none.
    pub fn of(self, sizes: impl IntoIterator<Item = f64>) -> f64 {
        let (mut sum, mut most, mut count) = (0.0, 0.0f64, 0.0);
        for size in sizes {
            (sum, most, count) = (sum + size, most.max(size), count + 1.0);
        }
        match self {
            _ if count == 0.0 => 0.0,
            Self::Mean => sum / count,
            Self::Max => most,
        }
    }
}

/// Fit of the volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fit {
    /// Without a search: sphere about the middle of the box, box along the axes of spread.
    Quick,
    /// The smallest sphere; boxes from the best of several axes, polished.
    #[default]
    Best,
    /// Nelder and Mead's method, as in Eckstein's thesis.
    Descent,
    /// Boxes by one of the rules of Barequet et al., in his tree those of joined boxes too; spheres without a search.
    Barequet(BoxRule),
}

/// Rules that [`TreeOptions`] imply and the sources define differently.
///
/// ```
/// use noli_classics::tree::{Failing, Rules};
/// assert_eq!(Rules::default(), Rules::USUAL);
/// assert_eq!(Rules::as_printed().failing, Failing::Leaf);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Treatment of a node that its split cannot divide.
    pub failing: Failing,
    /// Sizing by [`Split::Growth`] of a part that a face might join.
    pub trial: Trial,
    /// Cost of testing a volume, by kind in the order of [`VolumeKind::ALL`]: the collision-related part of the
    /// quality of a node. Their ratios decide all but [`Expansion::Hybrid`](super::Expansion::Hybrid), whose products
    /// of two costs depend on the unit.
    pub costs: [f64; 4],
    /// No node is deeper below the root than this; those there stay leaves. Nothing leaves it to the splits.
    pub depth: Option<usize>,
    /// Search rules of [`Split::BranchAndBound`].
    pub bounds: BoundRules,
}

/// Treatment of a node that its split cannot divide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Failing {
    /// It is halved by count, so that no leaf has more faces than requested.
    #[default]
    Halve,
    /// It stays a leaf (Eckstein 1998, section 3.3.2).
    Leaf,
}

/// Sizing of a part that a face might join.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Trial {
    /// Its volume is enlarged, and fitted anew each time the part has grown by half.
    #[default]
    Enlarged,
    /// A volume is fitted at every trial, as published: so many times slower as the parts have faces.
    Fitted,
}

impl Rules {
    /// Halves, enlarged trials, costs as measured on this machine's kind.
    pub const USUAL: Self = Self {
        failing: Failing::Halve,
        trial: Trial::Enlarged,
        costs: COLLISION_COST,
        depth: None,
        bounds: BoundRules::USUAL,
    };

    /// Returns the rules of Eckstein's thesis, with the means of its table of costs; it has no k-DOPs, which
    /// keep their ratio to oriented boxes.
    pub fn as_printed() -> Self {
        Self {
            failing: Failing::Leaf,
            trial: Trial::Fitted,
            costs: Self::printed_costs(Aggregate::Mean),
            ..Self::USUAL
        }
    }

    /// The mean or the largest of each row of the costs that Eckstein's thesis printed; k-DOPs, which it has not, keep their
    /// ratio to oriented boxes.
    ///
    /// ```
    /// use noli_classics::tree::{Aggregate, Rules};
    /// assert_eq!(Rules::printed_costs(Aggregate::Max)[..3], [0.0110, 0.0136, 0.0137]);
    /// ```
    pub fn printed_costs(by: Aggregate) -> [f64; 4] {
        let [sphere, aabb, obb] = cost_rows(&THESIS_COSTS, by);
        [sphere, aabb, obb, obb * COLLISION_COST[VolumeKind::Kdop as usize]]
    }

    pub(super) fn cost(&self, kind: VolumeKind) -> f64 {
        self.costs[kind as usize]
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Capacity of packed storage: children of a node and faces of a leaf.
const PACKED_WIDTH: usize = 4;

impl TreeOptions {
    /// Returns the best options for packed storage, where faces are even.
    pub fn packed(effort: Effort) -> Self {
        Self::workshop().with(&noli::tree::TreeOptions::packed(effort))
    }

    /// Returns the baseline for comparisons of methods: oriented boxes by surface, two children, one face per
    /// leaf.
    pub fn workshop() -> Self {
        Self {
            split: Split::SurfaceArea,
            degree: Degree::Fixed(2),
            leaf_faces: 1,
            volume: VolumeKind::Obb.into(),
            measure: Measure::Surface,
            aggregate: Aggregate::Mean,
            fit: Fit::Best,
        }
    }

    /// The same with the choices of the engine.
    pub fn with(self, engine: &noli::tree::TreeOptions) -> Self {
        let noli::tree::TreeOptions { split, degree, leaf_faces } = *engine;
        Self { split: split.into(), degree: Degree::Fixed(degree), leaf_faces, ..self }
    }

    /// The choices of the engine that they are, if it has them.
    pub(super) fn of_engine(&self) -> Option<noli::tree::TreeOptions> {
        let Degree::Fixed(degree) = self.degree else { return None };
        let split = self.split.of_engine()?;
        Some(noli::tree::TreeOptions { split, degree, leaf_faces: self.leaf_faces })
    }

    /// The nearest options that can be built.
    pub(super) fn in_range(&self) -> Self {
        let degree = match self.degree {
            Degree::Fixed(degree) => Degree::Fixed(degree.clamp(2, 16)),
            Degree::Rate { rate, at_most, few } => {
                // A rate that is no number is never reached.
                Degree::Rate { rate: rate.clamp(0.0, 1.0).max(0.0), at_most: at_most.clamp(2, 16), few }
            }
        };
        Self { degree, leaf_faces: self.leaf_faces.max(1), ..*self }
    }

    /// The nearest options whose trees fit packed storage, but for the width of octrees.
    pub(super) fn in_blocks(&self) -> Self {
        let degree = match self.degree {
            Degree::Fixed(degree) => Degree::Fixed(degree.min(PACKED_WIDTH)),
            Degree::Rate { rate, at_most, few } => {
                // A leaf by rate has fewer faces than `few`.
                Degree::Rate { rate, at_most: at_most.min(PACKED_WIDTH), few: few.min(PACKED_WIDTH + 1) }
            }
        };
        Self { degree, leaf_faces: self.leaf_faces.min(PACKED_WIDTH), ..*self }
    }
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self::packed(Effort::Full)
    }
}

/// Cost of testing a volume relative to an oriented box, by kind in the order of
/// [`VolumeKind::ALL`](noli_geom::VolumeKind::ALL). It is the mean time of a test against a sphere, an
/// axis-aligned and an oriented box. The record of the experiment `eckstein-costs` has 23.9, 77.7, 114.6 and
/// 874 ns; a test of the lab compares. Eckstein (1998, section 10.1) printed 0.78, 0.84 and 1.
pub const COLLISION_COST: [f64; 4] = [0.209, 0.678, 1.0, 7.63];

/// Times of a static test measured by Eckstein (1998, section 10.1), in milliseconds: sphere, axis-aligned
/// box, oriented box.
pub const THESIS_COSTS: [[f64; 3]; 3] =
    [[0.0090, 0.0098, 0.0110], [0.0098, 0.0089, 0.0136], [0.0110, 0.0136, 0.0137]];

/// The collision-related part of the quality by kind: the mean or the largest of each row of a table of costs.
///
/// ```
/// use noli_classics::tree::{Aggregate, THESIS_COSTS, cost_rows};
/// assert_eq!(cost_rows(&THESIS_COSTS, Aggregate::Max), [0.0110, 0.0136, 0.0137]);
/// ```
pub fn cost_rows<const KINDS: usize>(costs: &[[f64; KINDS]; KINDS], by: Aggregate) -> [f64; KINDS] {
    costs.map(|row| by.of(row))
}
